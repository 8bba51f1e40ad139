#!/bin/sh
# views_test.sh - every two views, of every kind of source.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

helper=$CFS_BUILDDIR/tests/mount/views_helper
views="raw meta txt headers record request metadata pageinfo view thumbnail fullpage md main"
md=.md	# apart, or it looks like a document of the tree
all=$(echo "$views" | tr ' ' :)

# pairs NAME SOURCE [DATA]: the names of all views are kept in $T/NAME.names.
pairs() {
	pairs_name=$1
	shift
	"$helper" "$@" >"$T/$pairs_name.names" 2>&1 ||
		{ tail -n 3 "$T/$pairs_name.names"; return 1; }
	[ "$(wc -l <"$T/$pairs_name.names")" -gt 3 ]
}

python3 "$here/views_make.py" "$T/made" || exit 1
cd "$T/made" || exit 1
"$crawlfs" index -q -o many.cfx many.warc.gz &&
	"$crawlfs" index -q --format=cdxj -o many.cdxj many.warc.gz &&
	"$crawlfs" copy -q -o many.warc.zst many.warc.gz / &&
	"$crawlfs" copy -q -o many.wacz many.warc.gz / &&
	"$crawlfs" index -q -o sides.cfx sides/many.warc.gz \
		sides/many.warc.wet.gz sides/many.warc.wat.gz || exit 1
for source in one.arc one.arc.gz many.warc many.warc.gz many.warc.zst many.wacz \
	texts.warc.wet.gz sides many.cfx many.cdxj sides.cfx; do
	# Holds N42.
	try "$source: two views have the names of each" pairs "$source" "$source"
done
try "a union: two views have the names of each" pairs union "$T/made"
"$mkcrawl" --arc --pbtree --records 60 --seed 3 "$T/pb" >/dev/null &&
	# Holds N42.
	try "a PB-tree: two views have the names of each" pairs pbtree \
		"$T"/pb/parse-output/url-index.* "$T/pb"

# ---- samples, where they are ----
for sample in arc/warcio/example-space-in-url.arc warczst/iana.dict.warc.zst \
	wacz/browsertrix wet/whirlwind-python; do
	if [ -e "${CFS_DATA:-/nonexistent}/$sample" ]; then
		try "$sample: two views have the names of each" pairs sample \
			"$CFS_DATA/$sample"
	else
		skip "$sample: no samples"
	fi
done

# ---- as users give them: in any order, at a page, in a mount ----
every_order() {
	for a in $views; do
		"$crawlfs" ls --views="$a" many.cfx com/example/_ >"$T/$a.ls"
	done
	for a in $views; do
		for b in $views; do
			"$crawlfs" ls --views="$a:$b" many.cfx \
				com/example/_ | sort >"$T/both" &&
				sort -u "$T/$a.ls" "$T/$b.ls" |
				diff - "$T/both" || return 1
		done
	done
}
try "ls --views=A:B in every order" every_order
page_views() {	# page_views SOURCE URL NAMES
	same "$("$crawlfs" ls -a "$1" "$2" | tr '\n' ' ')" "$3 "
}
try "ls -a of a page: the views that it has" page_views many.warc.gz \
	http://example.com/plain "plain plain.meta plain.txt plain.headers \
plain.warc.gz plain$md plain.main.txt"
# Holds N42.
try "ls -a of a page with all" page_views many.warc.gz \
	http://example.com/times "times#1 times#1.meta times#1.txt \
times#1.headers times#1.warc.gz times#1.request times#1.metadata \
times#1.pageinfo times#1.view.png times#1.thumbnail.jpg times#1.fullpage.png \
times#1$md times#1.main.txt times times.meta times.txt times.headers \
times.warc.gz times$md times.main.txt"
try "ls -a of a page that has no record" page_views many.warc.gz \
	http://example.com/alone "alone alone.meta alone.txt alone.headers \
alone.warc.gz alone.pageinfo alone.view.png alone.thumbnail.jpg \
alone.fullpage.png alone$md alone.main.txt"

mounted_names() {
	(cd "$T/m" && find . -mindepth 2 -type d -printf '%P/\n' -o -type f \
		-printf '%P\n') | sed -n "s|^$1/||p" | sort >"$T/got"
	sort "$T/$2.names" | diff - "$T/got"
}
read_all() { find "$T/m" -type f -exec cat {} + >/dev/null; }
mkdir "$T/m"
try "three sources mount with all views" start_mount m -o "views=$all" \
	one.arc many.warc.gz many.cdxj
try "the names of an ARC" mounted_names one one.arc
try "the names of a WARC" mounted_names many many.warc.gz
try "the names of a CDXJ" mounted_names many.cdxj many.cdxj
try "every file is read" read_all
try "the daemon ends well" stop_mount m
for two in record:md fullpage:md view:thumbnail; do
	try "it mounts with $two" start_mount m -o "views=$two" many.warc.gz
	try "$two: every file is read" read_all
	try "the daemon ends well" stop_mount m
done
finish
