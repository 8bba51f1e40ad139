#!/bin/sh
# search_test.sh - .crawlfs/search/QUERY in real mounts: the files that an
# independent reading of all texts chooses, for programs as for the model.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
m=$T/m
found() { python3 "$here/found_check.py" "$@"; }
"$crawlfs" index --help | grep -q -e --words || skip_all "no lists of words"

# mounted NAME OPTIONS SOURCE... -- TREE...: searches of each tree, relative to
# the mount, are right.
mounted() {
	mounted_name=$1 options=$2
	shift 2
	sources=
	while [ "$1" != -- ]; do
		sources="$sources $1"
		shift
	done
	shift
	try "$mounted_name: mounted" start_mount m -o "$options" $sources
	for tree; do
		# Holds Q1, Q2, Q3.
		try "$mounted_name: what matches, in '$tree'" found tree \
			"$m/$tree" "$m"
	done
	try "$mounted_name: unmounted" stop_mount m
}

for i in 1 2; do
	mkdir "$T/crawl$i"
	found make "$T/crawl$i" $i || exit 1
	try "crawl $i: an index with words" "$crawlfs" index -q --words \
		-o "$T/$i.cfx" "$T/crawl$i"
done
mounted "one crawl" ro "$T/1.cfx" -- .
mounted "two" ro "$T/1.cfx" "$T/2.cfx" -- 1 2
mounted "two as one" "merge" "$T/1.cfx" "$T/2.cfx" -- .
mounted "other views" "views=raw:txt:headers:record" "$T/1.cfx" -- .
mounted "exact sizes" "size=exact" "$T/1.cfx" -- .
mounted "a time" "from=2012,to=2014" "$T/1.cfx" -- .
mounted "a prefix" "prefix=example/a" "$T/1.cfx" -- .
mounted "part of two" "merge,part=2/3" "$T/1.cfx" "$T/2.cfx" -- .
mounted "picked of two" "merge,to=2013,prefix=example/c" \
	"$T/1.cfx" "$T/2.cfx" -- .

mkdir "$T/scratch"
try "little memory: mounted" start_mount m -o "mem=32M" "$T/1.cfx"
# Holds Q4.
try "grep, find, ls, tar, rsync, cp" found tools "$m" "$m" "$T/scratch"
try "eight programs" found crowd "$m" "$m"
# Holds Q5.
try "queries by the thousand" found drop "$m" "$m"
# Holds Q6.
try "odd names" found names "$m"
try "the reason is in errors" grep -q "has no word" "$m/.crawlfs/errors"
try "README.md" grep -q "crawlfs/search/QUERY" "$m/.crawlfs/README.md"
try "it has 40 lines" same "$(wc -l <"$m/.crawlfs/README.md")" 40
try "unmounted" stop_mount m

try "two sources and a server: mounted" start_mount m "$T/1.cfx" "$T/2.cfx"
if "$crawlfs" version | grep -q '[ ,]microhttpd '; then
	start "$crawlfs" serve --listen=127.0.0.1:0 "$T/1.cfx" "$T/2.cfx" \
		>"$T/serve.out" 2>"$T/serve.log"
	server=$started
	wait_for grep -q "^serving on" "$T/serve.out"
	url=$(sed -n 's/^serving on //p' "$T/serve.out")
	# Holds Q9.
	try "the same by WebDAV" found dav "$m/1" "$m" "$url"
	try "of the other source" found dav "$m/2" "$m" "$url"
	kill "$server"
	try "the server ends" ended_with 0 "$server"
else
	skip "WebDAV: crawlfs was built without libmicrohttpd"
fi
try "unmounted" stop_mount m
try "mounted to be damaged" start_mount m "$T/1.cfx"
# Holds Q8.
try "a text that cannot be read" found damage "$T/crawl1/a.warc" "$m"
try "unmounted" stop_mount m

# ---- no list, another's, a damaged one ----

without_list() {
	start_mount m -o ro "$T/1.cfx" || return 1
	status 2 ls "$m/.crawlfs/search/anchor" && complains "No data available" &&
		grep "$1" "$m/.crawlfs/errors" &&
		[ -z "$(ls "$m/.crawlfs/search")" ]
	without_ended=$?
	stop_mount m && return $without_ended
}
mv "$T/1.cfw" "$T/kept"
# Holds Q7.
try "no list: ENODATA, and how to make one" without_list "crawlfs index --words"
cp "$T/2.cfw" "$T/1.cfw"
try "a list of another index" without_list "crawlfs index --words"
head -c 3000 "$T/kept" >"$T/1.cfw"
try "half a list" without_list "crawlfs index --words"
cp "$T/kept" "$T/1.cfw"
mounted "the list is back" ro "$T/1.cfx" -- .

finish
