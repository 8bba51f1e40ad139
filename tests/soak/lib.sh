# lib.sh - what soak.sh and soak_test.sh share; sourced by them.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   soak_prepare RECORDS SEED    two made crawls, a copy for each mount, servers
#   soak ARGUMENT...             soak.py on them

. "$CFS_SRCDIR/tests/net/lib.sh"
soak_here=$CFS_SRCDIR/tests/soak

# A crawl in $T/data/NAME for each mount, so that the faults of one are not
# those of another.
soak_copies() {
	mkdir "$T/data/union" "$T/data/www" "$T/data/cfx2" || return 1
	for copy in cfx folder part memory union/a www/far www/small www/data \
			www/nginx www/memory; do
		cp -a "$T/data/a" "$T/data/$copy" || return 1
	done
	cp -a "$T/data/b" "$T/data/union/b" &&
		cp -a "$T/data/a/crawl.cfx" "$T/data/cfx2" &&
		rm "$T/data/folder/crawl.cfx"
}

# The second crawl has a third of the pages of the first, at other times.
soak_crawls() {	# soak_crawls RECORDS SEED
	mkdir "$T/data" &&
		"$mkcrawl" --records "$1" --page-bytes 4000 --archive-bytes \
			$(($1 * 400)) --seed "$2" "$T/data/a" || return 1
	awk -F '\t' '!/^#/ && NR % 3 == 0 { printf "%s\t%d\t%d\tresponse\n", $1,
		20230101000000 + NR % 28 * 1000000, NR % 7 ? 200 : 404
		}' "$T/data/a/manifest.tsv" >"$T/urls"
	"$mkcrawl" --warc --bare --urls "$T/urls" --page-bytes 3000 \
		--seed $(($2 + 1000)) "$T/data/b" || return 1
	for one in a b; do
		"$crawlfs" index -q -o "$T/data/$one/crawl.cfx" \
			"$T/data/$one" || return 1
	done
}

soak_prepare() {	# soak_prepare RECORDS SEED
	soak_crawls "$@" >"$T/crawls.log" 2>&1 && soak_copies || {
		cat "$T/crawls.log"
		return 1
	}
	start_faultd faultd "$T/data/www" || return 1
	soak_nginx=
	if has_program nginx && has_program openssl; then
		start_nginx soak "$T/data/www" || return 1
		soak_nginx="--nginx soak:$http_port --nginx-url $https_url"
	else
		echo "# no nginx, or no openssl: without the mount through it"
	fi
}

soak() {
	python3 "$soak_here/soak.py" --top "$T" --port "$port" $soak_nginx "$@"
}
