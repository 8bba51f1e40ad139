#!/bin/sh
# summary_test.sh - crawlfs summary: its figures, compared with a count of the
# lines that its index was made of.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

look() { python3 "$here/summary_check.py" "$@"; }
summary() { "$crawlfs" summary -q "$@"; }
# figures NAME LINES INDEX RULE FILTER ARGUMENT...: of the JSON of a summary
figures() {
	name=$1 lines=$2 index=$3 rule=$4 filter=$5
	shift 5
	list=$T/list.dat
	[ "$rule" = list ] || list=none
	summary --json --suffixes="$list" "$@" >"$T/got.json" 2>"$T/err"
	try "$name" look json "$lines" "$index" "$rule" "$filter" "$T/got.json"
}

look make "$T" || exit 1
"$crawlfs" index -q -o "$T/crawl.cfx" "$T/crawl.cdxj" 2>"$T/err"
[ -e "$T/crawl.cfx" ] || { cat "$T/err"; exit 1; }

# ---- figures ----

figures "CDXJ" "$T/crawl.cdxj" surt list all "$T/crawl.cdxj"
cp "$T/got.json" "$T/surt.json"
figures "CDXJ: one thread" "$T/crawl.cdxj" surt list all "$T/crawl.cdxj" \
	--threads=1
try "CDXJ: threads change nothing" cmp "$T/surt.json" "$T/got.json"
figures "a crawlfs index" "$T/crawl.cdxj" url list all "$T/crawl.cfx"
cp "$T/got.json" "$T/url.json"
for threads in 1 3 40; do
	figures "a crawlfs index: $threads threads" "$T/crawl.cdxj" url list all \
		"$T/crawl.cfx" --threads=$threads
	try "threads change nothing: $threads" cmp "$T/url.json" "$T/got.json"
done
figures "the plain rule" "$T/crawl.cdxj" url none all "$T/crawl.cfx"
figures "a union" "$T/crawl.cdxj" surt list all \
	"$T/even.cdxj,$T/odd.cdxj" --threads=5
figures "a prefix" "$T/crawl.cdxj" url list example.com "$T/crawl.cfx" \
	com.example --threads=5
figures "a prefix of a CDXJ" "$T/crawl.cdxj" surt list example.co.uk \
	"$T/crawl.cdxj" --prefix=uk.co.example
figures "picked" "$T/crawl.cdxj" url list 404 "$T/crawl.cfx" --status=404

# parts: their captures are those of the whole
for k in 1 2 3; do
	summary --json "$T/crawl.cfx" --part=$k/3 |
		sed -n 's/^  "captures": \([0-9]*\),$/\1/p'
done >"$T/parts"
try "parts" same "$(awk '{ n += $1 } END { print NR, n }' "$T/parts")" "3 6000"

# ---- a PB-tree ----

"$mkcrawl" --arc --pbtree --records 400 --hostile 40 --page-bytes 300 \
	--seed 4 "$T/old" >/dev/null || exit 1
old=$T/old/parse-output/url-index.1356128792
summary --json "$old" --threads=1 >"$T/one.json"
summary --json "$old" --threads=9 >"$T/nine.json"
try "a PB-tree: threads change nothing" cmp "$T/one.json" "$T/nine.json"
"$crawlfs" lookup "$old" / >"$T/lookup"
try "a PB-tree: all captures" grep -q "\"captures\": $(wc -l <"$T/lookup"),$" \
	"$T/one.json"

# ---- a page, and text ----

summary "$T/crawl.cfx" --suffixes="$T/list.dat" --html="$T/page.html" \
	>"$T/out" || fail "--html"
try "--html prints nothing" not test -s "$T/out"
try "the page" look html "$T/url.json" "$T/page.html"
try "the page again" status 0 "$crawlfs" summary -q "$T/crawl.cfx" \
	--html="$T/page.html"
summary "$T/crawl.cfx" --suffixes="$T/list.dat" --html=- >"$T/stdout.html"
try "the page on standard output" look html "$T/url.json" "$T/stdout.html"
LC_ALL=C summary "$T/crawl.cfx" --suffixes="$T/list.dat" >"$T/text"
try "text" look text "$T/url.json" "$T/text"
try "text: bars of ASCII" grep -q '%  ########################$' "$T/text"
LC_ALL=C.UTF-8 summary "$T/crawl.cfx" --suffixes="$T/list.dat" >"$T/text"
try "text: bars of blocks" look text "$T/url.json" "$T/text"
try "the date of the list" grep -q 'public suffix list of 2021-06-05$' "$T/text"
summary "$T/crawl.cfx" --suffixes=none >"$T/text"
try "no list: said" grep -q 'by a plain rule: no public suffix list' "$T/text"
try "--top" same "$(summary "$T/crawl.cfx" --top=2 --json | grep -c '"url": ')" 2

# ---- what is refused, and failures ----

echo mine >"$T/mine"
try "another file is not replaced" status 2 "$crawlfs" summary -q \
	"$T/crawl.cfx" --html="$T/mine"
try "another file: said" complains 'is no page that crawlfs summary made'
try "another file is unchanged" same "$(cat "$T/mine")" mine
try "--force replaces it" status 0 "$crawlfs" summary -q "$T/crawl.cfx" \
	--html="$T/mine" --force
try "no device is replaced" status 2 "$crawlfs" summary -q "$T/crawl.cfx" \
	--html=/dev/null --force
ln -s "$T/text" "$T/link"
try "no link is followed" status 2 "$crawlfs" summary -q "$T/crawl.cfx" \
	--html="$T/link" --force
try "two outputs" status 2 "$crawlfs" summary "$T/crawl.cfx" --json --html=-
try "no such list" status 1 "$crawlfs" summary -q "$T/crawl.cfx" \
	--suffixes="$T/nowhere"
try "no such list: said" complains "nowhere': No such file"
try "no list" status 1 "$crawlfs" summary -q "$T/crawl.cfx" \
	--suffixes="$T/crawl.cdxj"
try "no list: said" complains 'this is not a public suffix list'
try "a full disk" status 1 sh -c '"$0" summary "$1" -q >/dev/full' "$crawlfs" \
	"$T/crawl.cfx"
try "a full disk: said" complains 'No space left'
try "a full disk: a page" status 1 sh -c 'ulimit -f 1; "$0" summary "$1" -q \
	--html="$2"' "$crawlfs" "$T/crawl.cfx" "$T/full.html"
try "a full disk: no page" absent "$T/full.html"
try "a reader that goes away" same \
	"$(summary "$T/crawl.cfx" 2>"$T/err" | head -n 1)" "$T/crawl.cfx"
try "prefixes that cover nothing" status 0 "$crawlfs" summary -q \
	"$T/crawl.cfx" org.nowhere
try "nothing: counted" grep -q '^  captures  *0$' "$T/out"
head -c 9000 "$T/crawl.cfx" >"$T/short.cfx"
try "a damaged index" status 1 "$crawlfs" summary -q "$T/short.cfx"
finish
