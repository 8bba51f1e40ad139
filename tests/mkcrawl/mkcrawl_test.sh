#!/bin/sh
# mkcrawl_test.sh - the generator, by the eyes of the independent readers.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
mkcrawl=$CFS_BUILDDIR/crawlfs-mkcrawl
model=$CFS_SRCDIR/tests/model
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# try NAME COMMAND...: one case; its output is shown when it fails.
try() {
	name=$1
	shift
	if "$@" >"$dir/log" 2>&1; then
		echo "ok: $name"
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		tail -n 20 "$dir/log"
	fi
}
check() { python3 "$model/record_reader.py" check "$1/manifest.tsv"; }
not() { ! "$@"; }
line() {	# line N FILE: line N without the comment line
	sed -n "$(($1 + 1))p" "$2"
}

try "both formats, odd URLs" "$mkcrawl" --records 600 --hostile 40 \
	--arc --warc --pbtree --archive-bytes 300000 "$dir/a"
try "every body has its SHA-1" check "$dir/a"
try "the PB-tree holds every ARC record" python3 "$model/pbtree_reader.py" \
	check "$dir/a/parse-output/url-index.1356128792" "$dir/a/manifest.tsv"
try "again" "$mkcrawl" --records 600 --hostile 40 \
	--arc --warc --pbtree --archive-bytes 300000 "$dir/b"
try "the same bytes for the same options" diff -r "$dir/a" "$dir/b"
try "another seed" "$mkcrawl" --records 600 --seed 2 "$dir/c"
try "other bytes for another seed" not cmp -s "$dir/a/manifest.tsv" \
	"$dir/c/manifest.tsv"
try "without gzip" "$mkcrawl" --records 200 --plain "$dir/d"
try "every body without gzip" check "$dir/d"
try "lengths of July 2012" "$mkcrawl" --records 200 --arc --arc-short 3 "$dir/e"
try "every body under short lengths" check "$dir/e"

try "flat" "$mkcrawl" --records 500 --page-bytes 500 --shape flat --warc \
	--bare "$dir/flat"
try "every body of flat" check "$dir/flat"
try "flat is one folder of 500" test \
	"$(cut -f1 "$dir/flat/manifest.tsv" | grep -c '^http://flat.example.com/pages/p[0-9]*.html$')" = 500
try "dirs" "$mkcrawl" --records 500 --page-bytes 500 --shape dirs=20 --arc \
	"$dir/dirs"
try "dirs is 20 folders" test \
	"$(sed -n 's|^http://dirs.example.com/\(d[0-9]*\)/.*|\1|p' "$dir/dirs/manifest.tsv" | sort -u | wc -l)" -eq 20

printf 'http://a.example/x\t20120101000000\t404\nhttp://a.example/\\x09b\n%s\n%s\n' \
	'http://a.example/r	20130101000000' \
	'http://a.example/r	20140101000000	200	revisit' >"$dir/urls"
try "URLs from a file" "$mkcrawl" --warc --urls "$dir/urls" "$dir/u"
try "every body of these" check "$dir/u"
try "time and status from the file" test \
	"$(line 1 "$dir/u/manifest.tsv" | cut -f1-4)" = \
	"$(printf 'http://a.example/x\tresponse\t20120101000000\t404')"
try "an escaped byte" test "$(line 2 "$dir/u/manifest.tsv" | cut -f1)" = \
	'http://a.example/\x09b'
try "a revisit stands for its target" test \
	"$(line 3 "$dir/u/manifest.tsv" | cut -f8)" = \
	"$(line 4 "$dir/u/manifest.tsv" | cut -f8)"

# The checks must be able to fail.
sed '2s/\t\([0-9a-f]\{39\}\)[0-9a-f]\t/\t\1x\t/' "$dir/u/manifest.tsv" >"$dir/u/m2"
mv "$dir/u/m2" "$dir/u/manifest.tsv"
try "a wrong SHA-1 is seen" not check "$dir/u"
try "a wrong option is refused" not "$mkcrawl" --records 0 "$dir/x"
try "--help" "$mkcrawl" --help
exit $((failed > 0))
