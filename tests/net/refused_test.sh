#!/bin/sh
# refused_test.sh - refusals that do not pass, of one file among others, in each
# way that is known: what commands say, and that they go on once it is over.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

www=$T/www
"$mkcrawl" --records 150 --hostile 0 --page-bytes 2000 --archive-bytes 60000 --warc "$www" >/dev/null || exit 1
mkdir "$www/zip"
python3 "$model/cdx_model.py" make zipnum "$www/manifest.tsv" "$www/zip" --lines 10 --shards 2 || exit 1
(cd "$www" && "$crawlfs" index -q --no-views -o w.cfx crawl-data && find crawl-data -name '*.warc.gz' | sort >x.paths) || exit 1
one=$(sed -n 2p "$www/x.paths")
first=$(sed -n 1p "$www/x.paths")
first=${first##*/}
# The commands run side by side, each below a name of its own at the server.
commands="verify index mount lookup"
for command in $commands; do
	ln -s . "$www/$command"
done
start_faultd faultd "$www" || skip_all "no server"

# sums LIST: pages of the mount $T/m, or that they cannot be read
sums() {
	(cd "$T/m" && while read -r name; do
		sha1sum "$name" 2>/dev/null || echo "$name: fails"
	done <"$1")
}
# Some pages are read: two of the archive that will be refused, for each of which
# a reader waits until its deadline, and eight others.
start_mount m -o views=raw "$www/w.cfx" || skip_all "no mounts"
(cd "$T/m" && find . -path ./.crawlfs -prune -o -type f -print | sort) >"$T/pages"
mv "$www/$one" "$T/away"
sums "$T/pages" | sed -n 's/: fails$//p' >"$T/of_one"
mv "$T/away" "$www/$one"
{ sed -n 1,2p "$T/of_one"; grep -v -x -F -f "$T/of_one" "$T/pages" | sed -n 'p;n;n;n' | head -n 8; } >"$T/some"
sums "$T/some" >"$T/want.mount"
stop_mount m
try "pages of several archives" same "10 0" "$(wc -l <"$T/want.mount") $(grep -c fails "$T/want.mount")"
"$crawlfs" lookup "$www/zip/cluster.idx" --prefix=/ >"$T/want.lookup"

# run_X: the command, with a cache of its own; its output is $T/X.out.
run_verify() {
	rm -rf "$T/c.verify"
	"$crawlfs" verify --json --timeout=4 --cache="$T/c.verify" --base="$url/verify" \
		--report="$T/report.csv" "$url/verify/w.cfx" >"$T/verify.out"
}
run_index() {
	rm -rf "$T/c.index"
	XDG_CACHE_HOME=$T/c.index "$crawlfs" index -q --timeout=4 --no-views --base="$url/index" \
		-o "$T/ix.cfx" "$www/x.paths"
}
run_lookup() {
	rm -rf "$T/c.lookup"
	"$crawlfs" lookup --timeout=4 --cache="$T/c.lookup" "$url/lookup/zip/cluster.idx" --prefix=/ >"$T/lookup.out"
}
run_mount() { sums "$T/some" >"$T/mount.out"; }

# X_is_refused RC, X_is_right RC: by what the command has left, and its status
verify_is() { same "$1" "$2 $(jq -c '[.archives, .archives_unread, .damage]' "$T/verify.out")"; }
verify_is_refused() { verify_is "1 [5,1,0]" "$1"; }
verify_is_right() { verify_is "0 [5,0,0]" "$1"; }
index_is_refused() { [ "$1" -eq 1 ] && absent "$T/ix.cfx" && test -s "$T/ix.cfx.part"; }
index_is_right() {
	[ "$1" -eq 0 ] && absent "$T/ix.cfx.part" &&
		"$crawlfs" lookup --data="$www" "$T/ix.cfx" --prefix=/ >"$T/looked" &&
		"$crawlfs" lookup --data="$www" "$www/w.cfx" --prefix=/ | cmp - "$T/looked"
}
# What is there is right, and something is missing.
lookup_is_refused() {
	[ "$1" -ne 0 ] && same "" "$(grep -v -x -F -f "$T/want.lookup" "$T/lookup.out")" &&
		[ "$(wc -l <"$T/lookup.out")" -lt "$(wc -l <"$T/want.lookup")" ]
}
lookup_is_right() { [ "$1" -eq 0 ] && cmp "$T/lookup.out" "$T/want.lookup"; }
mount_is_refused() {
	same "" "$(grep -v ': fails$' "$T/mount.out" | grep -v -x -F -f "$T/want.mount")" &&
		head -n 2 "$T/mount.out" | grep -q ': fails$' &&
		! tail -n 8 "$T/mount.out" | grep ': fails$'
}
mount_is_right() { cmp "$T/mount.out" "$T/want.mount"; }
# What was refused is remembered for a moment.
mount_becomes_right() { run_mount && mount_is_right; }
asked_of() { grep -c " /$1/" "$T/log"; }
all_run() {
	for command in $commands; do
		(run_$command 2>"$T/$command.err"; echo $? >"$T/$command.rc") &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086
	wait $pids
	pids=
	ctl "$port" log >"$T/log"
}
each_is() {	# each_is WHAT WORD: X_is_WORD of all commands
	for command in $commands; do
		# Holds E59, E63, E64.
		try "$1: $command" ${command}_is_$2 "$(cat "$T/$command.rc")" ||
			cat "$T/$command.err"
		try "$1: $command asks seldom" test "$(asked_of $command)" -lt 400
	done
}
# refused FAULT VALUE SKIP: of $one, or of the first part of a ZipNum index
refused() {
	what="$1 $2, behind $3"
	rm -rf "$T/ix.cfx" "$T"/ix.cfx.* "$T"/report.* "$T/c.mount"
	ctl "$port" clear
	ctl "$port" rule fault=page match=blocked
	ctl "$port" log >/dev/null
	for command in $commands; do
		ctl "$port" rule "fault=$1" "value=$2" "skip=$3" "match=^/$command/.*(${one##*/}|cdx-00000)"
	done
	try "$what: mounts" start_mount m -o "views=raw,cache=$T/c.mount,data=$url/mount,readahead=off,timeout=4" "$url/mount/w.cfx"
	# the first answer of a server is that one
	[ "$3" = 1 ] ||
		ctl "$port" rule fault=late value=300 "match=^/index/.*$first"
	all_run
	each_is "$what" refused
	ctl "$port" clear
	try "$what: the mount goes on" wait_for mount_becomes_right
	all_run
	each_is "$what, over" right
	# Holds E63, E64.
	try "$what: of archives, what is missing is read" same "$one" "$(
		grep 'bytes=0-16383' "$T/log" | grep -E ' /(verify|index)/.*warc[.]gz ' |
			sed 's,.*/\(crawl-data[^ ]*\) .*,\1,' | sort -u)"
	try "$what: unmount" stop_mount m
}
# Archives that the command names are asked for before the others are read.
named() {	# named [OPTION]: an index of the first two archives, by their URLs
	# shellcheck disable=SC2046
	XDG_CACHE_HOME=$T/c.named "$crawlfs" index -q --timeout=4 --no-views \
		"$@" -o "$T/ix.cfx" $(sed "s,^,$url/index/,;2q" "$www/x.paths")
}
named_is_unfinished() {	# named_is_unfinished FAULT [OPTION]
	rm -rf "$T/ix.cfx" "$T"/ix.cfx.*
	ctl "$port" clear
	ctl "$port" rule "fault=$1" value=200 "match=^/index/.*$first"
	shift
	named "$@"
	index_is_refused $?
}
named_is_resumed() {	# named_is_resumed [OPTION]: reads that one alone
	ctl "$port" clear
	ctl "$port" log >/dev/null
	named "$@" && absent "$T/ix.cfx.part" || return
	same "$first" "$(ctl "$port" log | sed -n 's,.*/\([^ ]*\) bytes=0-0 .*,\1,p')" &&
		same 2 "$("$crawlfs" lookup --json "$T/ix.cfx" --prefix=/ |
			jq .archive | sort -u | wc -l)"
}
for how in whole page text; do
	for base in "--base=$url/index" ''; do
		# Holds E63.
		# shellcheck disable=SC2086
		try "an archive named first, $how" named_is_unfinished $how $base
		# Holds E64.
		# shellcheck disable=SC2086
		try "is read by the same command" named_is_resumed $base
	done
done
ctl "$port" clear
pids=
for how in 'page 403' 'page 200' 'text x' 'whole x' "redirect $url/blocked" 'error 403_AccessDenied_x'; do
	for skip in 0 1; do
		refused "${how%% *}" "$(echo "${how#* }" | tr _ ' ')" $skip
	done
done
finish
