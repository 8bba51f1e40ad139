#!/bin/sh
# mkcrawl_test.sh - the generator, by the eyes of the independent readers.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

check() { python3 "$model/record_reader.py" check "$1/manifest.tsv"; }
line() {	# line N FILE: line N without the comment line
	sed -n "$(($1 + 1))p" "$2"
}

try "both formats, odd URLs" "$mkcrawl" --records 600 --hostile 40 \
	--arc --warc --pbtree --archive-bytes 300000 "$T/a"
try "every body has its SHA-1" check "$T/a"
try "the PB-tree holds every ARC record" python3 "$model/pbtree_reader.py" \
	check "$T/a/parse-output/url-index.1356128792" "$T/a/manifest.tsv"
try "again" "$mkcrawl" --records 600 --hostile 40 \
	--arc --warc --pbtree --archive-bytes 300000 "$T/b"
try "the same bytes for the same options" diff -r "$T/a" "$T/b"
try "another seed" "$mkcrawl" --records 600 --seed 2 "$T/c"
try "other bytes for another seed" not cmp -s "$T/a/manifest.tsv" \
	"$T/c/manifest.tsv"
try "without gzip" "$mkcrawl" --records 200 --plain "$T/d"
try "every body without gzip" check "$T/d"
try "lengths of July 2012" "$mkcrawl" --records 200 --arc --arc-short 3 "$T/e"
try "every body under short lengths" check "$T/e"

try "flat" "$mkcrawl" --records 500 --page-bytes 500 --shape flat --warc \
	--bare "$T/flat"
try "every body of flat" check "$T/flat"
try "flat is one folder of 500" test \
	"$(cut -f1 "$T/flat/manifest.tsv" | grep -c '^http://flat.example.com/pages/p[0-9]*.html$')" = 500
try "dirs" "$mkcrawl" --records 500 --page-bytes 500 --shape dirs=20 --arc \
	"$T/dirs"
try "dirs is 20 folders" test \
	"$(sed -n 's|^http://dirs.example.com/\(d[0-9]*\)/.*|\1|p' "$T/dirs/manifest.tsv" | sort -u | wc -l)" -eq 20

printf 'http://a.example/x\t20120101000000\t404\nhttp://a.example/\\x09b\n%s\n%s\n' \
	'http://a.example/r	20130101000000' \
	'http://a.example/r	20140101000000	200	revisit' >"$T/urls"
try "URLs from a file" "$mkcrawl" --warc --urls "$T/urls" "$T/u"
try "every body of these" check "$T/u"
try "time and status from the file" test \
	"$(line 1 "$T/u/manifest.tsv" | cut -f1-4)" = \
	"$(printf 'http://a.example/x\tresponse\t20120101000000\t404')"
try "an escaped byte" test "$(line 2 "$T/u/manifest.tsv" | cut -f1)" = \
	'http://a.example/\x09b'
try "a revisit stands for its target" test \
	"$(line 3 "$T/u/manifest.tsv" | cut -f8)" = \
	"$(line 4 "$T/u/manifest.tsv" | cut -f8)"

# The checks must be able to fail.
sed '2s/\t\([0-9a-f]\{39\}\)[0-9a-f]\t/\t\1x\t/' "$T/u/manifest.tsv" >"$T/u/m2"
mv "$T/u/m2" "$T/u/manifest.tsv"
try "a wrong SHA-1 is seen" not check "$T/u"
try "a wrong option is refused" not "$mkcrawl" --records 0 "$T/x"
try "--help" "$mkcrawl" --help
finish
