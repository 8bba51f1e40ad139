#!/bin/sh
# time_test.sh - NAME#@DATE, and mounts and commands with at=, from= and to=,
# against the reference model: every name, inode, time and body.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# CFS_SEEDS="1 2 3" sh tests/mount/time_test.sh runs other lists of URLs.
. "$CFS_SRCDIR/tests/mount/lib.sh"
mnt=$T/mnt
where=		# more words of -o, with a comma behind
cdx_model() { python3 "$model/cdx_model.py" "$@"; }
own_model() { python3 "$model/check_mount.py" "$@"; }

# windows NAME MODEL SOURCE MANIFEST [OPTION...] -- DATES...: mounts with each
# DATES (words of -o) beside a mount of the whole; all names, inodes and bodies
# are the model's.
window() {
	start_mount mnt -o "$where$dates" "$source" || return 1
	set -- "$@" $(echo "$dates" | tr , '\n' |
		sed 's/^at=/--to=/; s/^from=/--from=/; s/^to=/--to=/')
	$tree_of "$@" --dated 80 --whole "$T/whole" "$mnt" "$manifest"
	window_ended=$?
	stop_mount mnt && return $window_ended
}
windows() {
	windows_name=$1 tree_of=$2 source=$3 manifest=$4
	shift 4
	words=
	while [ "$1" != -- ]; do
		words="$words $1"
		shift
	done
	shift
	try "$windows_name: mount of the whole" start_mount whole \
		-o "${where}ro" "$source"
	for dates; do
		# Holds T6, T7, T8.
		try "$windows_name, $dates: the model's tree" window $words
	done
	try "$windows_name: unmount" stop_mount whole
}

for seed in ${CFS_SEEDS:-1 7}; do
	rm -rf "$T/crawl"
	python3 "$model/hostile_urls.py" --seed "$seed" --count 150 --again 4 \
		>"$T/urls"
	try "hostile URLs captured again, seed $seed" "$mkcrawl" --arc --warc \
		--pbtree --urls "$T/urls" --seed "$seed" --page-bytes 300 \
		--archive-bytes 40000 "$T/crawl"
	windows "archives, seed $seed" own_model "$T/crawl" \
		"$T/crawl/manifest.tsv" -- at=2012 from=2012,to=20121 \
		from=20120101000001,at=20120101000001 from=2013 at=1995 from=2025
done
where=data=$T/crawl,
# Not every body: a revisit of another page's capture is not found by a CDX.
cdx_model make cdxj "$T/crawl/manifest.tsv" "$T/crawl/index.cdxj"
cdx_model make zipnum "$T/crawl/manifest.tsv" "$T/zip" --lines 7
windows CDXJ "cdx_model check" "$T/crawl/index.cdxj" "$T/crawl/manifest.tsv" \
	--sample 200 --inverse 10 --crawlfs "$crawlfs" --source \
	"$T/crawl/index.cdxj" -- \
	at=2012 from=20120101000001,to=2013
windows ZipNum "cdx_model check" "$T/zip/cluster.idx" "$T/crawl/manifest.tsv" \
	--sample 200 -- at=20120102 from=2013
where=
# its captures have the times of their archives
archive_time=$(find "$T/crawl/parse-output" -name '*.arc.gz' |
	sed 's,.*/\([0-9]*\)[0-9][0-9][0-9]_.*,\1,' | sort -n | sed -n 2p)
archive_date=$(date -u -d "@$archive_time" +%Y%m%d%H%M%S)
windows PB-tree own_model "$(echo "$T"/crawl/parse-output/url-index.*)" \
	"$T/crawl/manifest.tsv" --pbtree -- "at=$archive_date" "from=$archive_date"
try "crawlfs index" "$crawlfs" index -q -o "$T/crawl/all.cfx" "$T/crawl"
windows cfx own_model "$T/crawl/all.cfx" "$T/crawl/manifest.tsv" --inverse 20 \
	--crawlfs "$crawlfs" --source "$T/crawl/all.cfx" -- at=2012 \
	from=20120101000001,at=2013

# ---- a union: pages of three crawls, captured at equal times ----

members= manifests=
for seed in 1 2 3; do
	python3 "$model/hostile_urls.py" --seed 9 --count 160 --again 1 >"$T/urls"
	awk -v seed=$seed 'BEGIN { srand(seed) } rand() < 0.6' "$T/urls" \
		>"$T/some"
	"$mkcrawl" --warc --bare --urls "$T/some" --seed $seed --page-bytes 200 \
		"$T/m$seed" >/dev/null &&
		"$crawlfs" index -q -o "$T/m$seed/i.cfx" "$T/m$seed" || exit 1
	members=${members:+$members,}$T/m$seed/i.cfx
	manifests=${manifests:+$manifests,}$T/m$seed/manifest.tsv
done
windows union own_model "$members" "$manifests" --inverse 10 --crawlfs "$crawlfs" \
	--source "$members" -- at=2012 from=2012,at=20121 from=20130101000001

# ---- parts of what exists ----

parts() {
	start_mount whole -o "at=2012" "$T/crawl/all.cfx" || return 1
	for k in 1 2 3; do
		start_mount "$k" -o "at=2012,part=$k/3" "$T/crawl/all.cfx" ||
			return 1
	done
	for k in whole 1 2 3; do
		(cd "$T/$k" && find . -type f -printf '%p %i\n') >"$T/files.$k"
	done
	sort "$T/files.whole" >"$T/files"
	sort "$T"/files.[123] | cmp - "$T/files" && [ -s "$T/files.1" ] &&
		[ -s "$T/files.3" ]
	parts_ended=$?
	for k in whole 1 2 3; do
		stop_mount "$k" || return 1
	done
	return $parts_ended
}
# Holds T10.
try "parts with dates are the whole with dates" parts

# ---- commands ----

# commands SOURCE OPTION...: what they say is what a mount has.
commands() {
	python3 "$here/time_check.py" commands "$crawlfs" "$mnt" "$@"
}
start_mount mnt -o from=2012,at=20121 "$T/crawl/all.cfx" || exit 1
# Holds T10.
try "commands with --from and --at" commands "$T/crawl/all.cfx" \
	--from=2012 --at=20121
try "config has the dates" grep -q '"from": "20120101000000"' \
	"$mnt/.crawlfs/config"
try "to the last second" grep -q '"to": "20121231235959"' "$mnt/.crawlfs/config"
try "stats, too" grep -q '"to": "20121231235959"' "$mnt/.crawlfs/stats"
try "unmount" stop_mount mnt
start_mount mnt "$T/crawl/all.cfx" || exit 1
try "config without dates" not grep -q '"to"' "$mnt/.crawlfs/config"
try "commands without dates" commands "$T/crawl/all.cfx"
try "unmount" stop_mount mnt

# ---- one page ----

python3 "$here/odd_archives.py" times "$T/t.warc.gz" >/dev/null || exit 1
page=org/example/times/_/p
when() { date -u -r "$1" +%Y%m%d; }
start_mount mnt "$T/t.warc.gz" || exit 1
# Holds T6.
nearest() { try "p#@$1" same "$(when "$mnt/$page#@$1")" "$2"; }
nearest 2000 20100101
nearest 2011 20100101
nearest 20110610 20120615
nearest 20120616 20120615		# equally near: the earlier
nearest 20120616000001 20120617
nearest 20161 20200101			# October
nearest 2012-06-16 20120615
nearest 2012-06-16T00:00:01Z 20120617
nearest 2030 20200101
# Holds T6.
try "a view of it" same "$(stat -c %i "$mnt/$page#@2012.txt")" \
	"$(stat -c %i "$mnt/$page#2.txt")"
try "its headers" cmp "$mnt/$page#@2012.headers" "$mnt/$page#2.headers"
try "its record" cmp "$mnt/$page#@2012.warc.gz" "$mnt/$page#2.warc.gz"
# Holds T6.
try "is not listed" same "$(ls -R "$mnt" | grep -c @)" 0
for date in 201 201213 20120230 201206150000001 x 2012-6 2012-06-31; do
	# Holds T6.
	try "no name: p#@$date" not stat "$mnt/$page#@$date"
done
try "nor without a page" not stat "$mnt/org/example/times/_/q#@2012"
try "cat" same "$("$crawlfs" cat "$T/t.warc.gz" "$page#@2012.headers" | md5sum)" \
	"$(md5sum <"$mnt/$page#2.headers")"
try "url" same "$("$crawlfs" url "$mnt/$page#@2012")" \
	http://times.example.org/p
try "unmount" stop_mount mnt

refused() {	# refused SAYS WORD...
	says=$1
	shift
	try "refused: $*" status 2 "$crawlfs" "$@"
	# Holds T11.
	try "refused: $*: why" complains "$says"
}
refused "option 'at': '201' is not a time" mount -o at=201 "$T/t.warc.gz" "$mnt"
refused "option 'to': '201213' is not a time" mount -o to=201213 \
	"$T/t.warc.gz" "$mnt"
refused "option '--at': '2012-02-30' is not a time" ls --at=2012-02-30 \
	"$T/t.warc.gz"
refused "option '--to': '2011' leaves no time" cat --from=2012 --to=2011 \
	"$T/t.warc.gz" "$page"
refused "option 'from': '2013' leaves no time" mount -o at=2012,from=2013 \
	"$T/t.warc.gz" "$mnt"
refused "option 'at' needs a value\|needs a value" mount -o at "$T/t.warc.gz" "$mnt"
try "none at that time" status 1 "$crawlfs" cat "$T/t.warc.gz" --at=2009 \
	http://times.example.org/p
try "says so" complains "is not in the index at that time"
try "ls of none" status 1 "$crawlfs" ls "$T/t.warc.gz" --at=2009 "$page"
try "says so, too" complains "is not in the tree at that time"
try "check of none" status 1 "$crawlfs" check "$T/t.warc.gz" --at=2009 org.example
try "warns" complains "no page is there at that time"

# ---- sizes, revisits ----

# The index has all sizes, so no file is opened, and none is corrected.
exact() {
	start_mount mnt -o at=2012 "$T/crawl/all.cfx" || return 1
	find "$mnt" -type f -size +0 >"$T/list"
	xargs -d '\n' cat <"$T/list" >/dev/null 2>&1
	python3 -c 'import json, sys
ops = json.load(open(sys.argv[1]))["operations"]
print(ops)
sys.exit(ops["sizes_corrected"] != 0 or ops["open"] > 1)' \
		"$mnt/.crawlfs/stats"
	exact_ended=$?
	stop_mount mnt && return $exact_ended
}
# Holds T9.
try "exact sizes: no file is opened" exact

# Sizes that a mount with dates has shown are known to one without.
kept() {
	start_mount mnt -o "data=$T/crawl,at=2012" "$T/crawl/index.cdxj" ||
		return 1
	find "$mnt" -name '*.meta' -size -64k | head -n 30 >"$T/list"
	while IFS= read -r file; do
		echo "$(stat -c %i "$file") $(wc -c <"$file")"
	done <"$T/list" | sort >"$T/learnt"
	remount mnt -o "data=$T/crawl" "$T/crawl/index.cdxj" || return 1
	find "$mnt" -name '*.meta' -printf '%i %s\n' | sort >"$T/known"
	comm -23 "$T/learnt" "$T/known" >"$T/unknown"
	stop_mount mnt && [ "$(wc -l <"$T/learnt")" = 30 ] &&
		! grep . "$T/unknown"
}
# Holds T9.
try "sizes that are kept hold without dates" kept

# A body outside the dates is served to the revisit within them.
python3 "$here/time_check.py" revisits "$T/revisit.warc.gz" >"$T/body" || exit 1
revisit() {
	start_mount mnt -o from=2013 "$T/revisit.warc.gz" || return 1
	ls "$mnt/org/example/_"
	same "$(ls "$mnt/org/example/_" | grep -v '\.')" "a
b" && cmp "$T/body" "$mnt/org/example/_/a" && cmp "$T/body" "$mnt/org/example/_/b"
	revisit_ended=$?
	stop_mount mnt && return $revisit_ended
}
# Holds T9.
try "the body of a revisit may be of another time" revisit

# ---- real captures ----

real() {
	start_mount mnt "$1" -o at="$3,data=$4" || return 1
	python3 "$here/time_check.py" real "$crawlfs" "$mnt" "$1" "$2" "$3"
	real_ended=$?
	stop_mount mnt && return $real_ended
}
if [ -d "${CFS_DATA:-/nonexistent}/cdx/pywb" ]; then
	mkdir "$T/real"
	cp "$CFS_DATA"/cdx/pywb/* "$CFS_DATA"/warc/pywb/* "$T/real"
	for name in iana dupes; do
		for date in 2013 20140126200804 2014; do
			try "sample $name.cdx at $date" real "$T/real/$name.cdx" \
				"$T/real/$name.cdx" $date "$T/real"
		done
	done
else
	skip "no real samples in CFS_DATA"
fi
finish
