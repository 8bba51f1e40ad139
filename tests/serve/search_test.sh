#!/bin/sh
# search_test.sh - the search of crawlfs serve, compared with a model of the
# pages: words, filters, order, lines, names, and what cannot be searched.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/serve/lib.sh"

search() { python3 "$serve_dir/search_check.py" "$@"; }
index() { "$crawlfs" index -q --words -o "$@" || exit 1; }

search make "$T" || exit 1
mkdir "$T/crawl" && mv "$T/one.warc.gz" "$T/two.warc.gz" "$T/crawl/"
index "$T/crawl.cfx" "$T/crawl"

try "a crawl" start_server one "$T/crawl.cfx"
# Holds H17.
for what in words filters order page folder near names hostile; do
	try "$what" search $what "$url"
done
if has_program curl; then
	curl -s "${url}search?q=river+stone&format=json" >"$T/json"
	try "the keys" python3 "$here/json_check.py" keys search "$T/json"
else
	skip "the keys: there is no curl"
fi
if find_axe; then
	try "axe-core finds nothing" python3 "$serve_dir/axe_check.py" "$axe" \
		"$T" "$url" "/search?q=river+stone" \
		"/search?q=river&year=2019&page=2" "/search?q=rivver" \
		"/search?q=cockatrice"
else
	skip "axe-core: $install_problem"
fi
try "it ends" stop_server one

# a union of two indexes, each with a list, is one crawl
index "$T/one.cfx" "$T/crawl/one.warc.gz"
index "$T/two.cfx" "$T/crawl/two.warc.gz"
try "a union" start_server union --merge "$T/one.cfx" "$T/two.cfx"
for what in words filters page near; do
	try "a union: $what" search $what "$url"
done
try "a union ends" stop_server union

# crawls side by side
index "$T/other.cfx" "$T/other.warc.gz"
try "two crawls" start_server two "$T/crawl.cfx" "$T/other.cfx"
try "two crawls have one order" search both "$url" crawl other
try "two crawls: it ends" stop_server two
rm "$T/other.cfw"
try "one of two has no list" start_server some "$T/crawl.cfx" "$T/other.cfx"
try "the other is searched, and that is said" search some "$url" crawl
try "one of two: it ends" stop_server some
try "none has one" start_server none "$T/other.cfx"
try "that is said" search no-words "$url"
try "none: it ends" stop_server none

# many pages have the words of a phrase
index "$T/many-a.cfx" "$T/many-a.warc.gz"
index "$T/many-b.cfx" "$T/many-b.warc.gz"
try "a frequent phrase" start_server many "$T/many-a.cfx" "$T/many-b.cfx"
try "its first results" search many "$url"
try "a frequent phrase: it ends" stop_server many

# a list of another index is not used
cp "$T/one.cfw" "$T/other.cfw"
try "the list of another index" start_server wrong "$T/other.cfx"
try "it is not used" search no-words "$url"
try "another index: it ends" stop_server wrong

# damage of the list costs no result, that of an archive is said
cp "$T/crawl.cfx" "$T/lost.cfx"
python3 - "$T/crawl.cfw" "$T/lost.cfw" <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for i in range(len(data) // 2, len(data), 997):
    data[i] ^= 255
open(sys.argv[2], "wb").write(data)
PY
try "a damaged list" start_server damaged "$T/lost.cfx"
try "nothing is lost or wrong" search lost "$url"
try "a damaged list: it ends" stop_server damaged
finish
