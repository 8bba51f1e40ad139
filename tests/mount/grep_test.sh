#!/bin/sh
# grep_test.sh - crawlfs grep, compared with grep -r in a mount of the same
# source.
# SPDX-License-Identifier: GPL-3.0-or-later
ABSENT=error
. "$CFS_SRCDIR/tests/mount/lib.sh"

LC_ALL=C.UTF-8
export LC_ALL
grep_version=$(grep --version | sed -n '1s/.* //p')
[ "$grep_version" = 3.8 ] || skip "GNU grep is $grep_version, not 3.8"

compare() { python3 "$here/grep_check.py" "$@"; }
search() { "$crawlfs" grep "$@"; }

# ---- sources: pages made for it, and a crawl of usual ones ----

compare make "$T/odd.warc" || exit 1
"$mkcrawl" --warc --records 120 --page-bytes 1500 --seed 7 "$T/crawl" \
	>/dev/null || exit 1
"$crawlfs" index -q -o "$T/made.cfx" "$T/crawl" 2>"$T/err" || exit 1
mount_as() {	# mount_as NAME SOURCE VIEW
	start_mount "$1" "$2" -o views="$3"
}
mount_as odd "$T/odd.warc" txt
mount_as odd_raw "$T/odd.warc" raw
mount_as made "$T/made.cfx" txt
# grep reads a copy faster, if it is given the files in their order
for mount in odd odd_raw made; do
	(cd "$T/$mount" && find . -type f | sed 's|^\./||') \
		>"$T/$mount.copy.list" && cp -r "$T/$mount" "$T/$mount.copy" ||
		exit 1
done

# Holds R30.
if [ "$grep_version" = 3.8 ]; then
	try "options and patterns" \
		compare matrix "$crawlfs" "$T/odd.warc" "$T/odd.copy" txt 0 2
	try "options and patterns: binary files" \
		compare matrix "$crawlfs" "$T/odd.warc" "$T/odd_raw.copy" raw 2 3
	try "options and patterns: many pages" \
		compare matrix "$crawlfs" "$T/made.cfx" "$T/made.copy" txt 3 4
	try "patterns by chance" \
		compare random "$crawlfs" "$T/odd.warc" "$T/odd.copy" txt 150 1
	try "below a folder" \
		compare prefix "$crawlfs" "$T/odd.warc" "$T/odd" txt org/odd
fi

# ---- a list of words ----

"$crawlfs" index -q --words -o "$T/words.cfx" "$T/odd.warc" 2>"$T/err" ||
	fail "no list of words"
if [ "$grep_version" = 3.8 ]; then
	try "a list of words: options and patterns" \
		compare matrix "$crawlfs" "$T/words.cfx" "$T/odd.copy" txt 5 6
	try "a list of words: patterns by chance" \
		compare random "$crawlfs" "$T/words.cfx" "$T/odd.copy" txt 150 2
fi
try "pages that cannot have it are not read" \
	sh -c '"$1" grep -c 日本語 "$2" >"$3/list" && "$1" grep -c 日本語 \
		"$3/odd.warc" >"$3/all" 2>"$3/err" && cmp "$3/list" "$3/all"' \
	- "$crawlfs" "$T/words.cfx" "$T"
try "without a list that is told" complains "all pages are read"

# ---- what grep does not have ----

search --json -i STRASSE "$T/odd.warc" >"$T/json"
try "JSON" compare json "$T/json"
search --url -l '日本' "$T/odd.warc" >"$T/urls"
try "URLs" same "$(cat "$T/urls")" http://odd.org/cjk
search -c -e the "$T/made.cfx" --threads=1 >"$T/one"
search -c -e the "$T/made.cfx" --threads=7 >"$T/seven"
try "threads change nothing" cmp "$T/one" "$T/seven"
try "a word of the prefix operand" status 1 search strasse "$T/odd.warc" com
try "picked" status 1 search -i strasse "$T/odd.warc" --status=404

# ---- statuses, and ends ----

try "found" status 0 search -q of "$T/odd.warc"
try "not found" status 1 search qqqqqq "$T/odd.warc"
try "no such source" status 2 search x "$T/none"
"$crawlfs" index -q -o "$T/hole.cfx" "$T/odd.warc" 2>"$T/err" || exit 1
printf XXXXXXXX | dd of="$T/hole.cfx" bs=1 seek=5000 conv=notrunc 2>/dev/null
try "a damaged index" status 2 search qqqqqq "$T/hole.cfx"
try "a damaged index, -s" status 2 search -s qqqqqq "$T/hole.cfx"
for pattern in '(' '[a' 'a{2,1}' '(a)\2' '\' 'a{99999}' '[[:no:]]'; do
	try "a wrong pattern: $pattern" status 2 search -E -e "$pattern" \
		"$T/odd.warc"
	try "it is told in one line: $pattern" same "$(wc -l <"$T/err")" 1
done
try "a wrong pattern of Perl" status 2 search -P '(?<n' "$T/odd.warc"
try "no pattern" status 2 search
search '' "$T/made.cfx" 2>"$T/err" | head -n 1 >"$T/out"
try "the reader of the output goes" same "$(wc -c <"$T/err")" 0

# ---- patterns that take long ----

for pattern in '(a*)*[bc]' '(a|a)*[bc]' '(a|aa)+[^a]' 'a*a*a*a*a*a*[bc]' \
	'(a*b?){1,20}[0-9]' '[ab]\w+[-,]'; do
	try "it ends: $pattern" status 1 search -E -q -- "$pattern" \
		"$T/odd.warc" org/odd/_/long
done
search -E -ob '(a|aa)+$' "$T/odd.warc" org/odd/_/long >"$T/out" 2>"$T/err"
try "the match that begins first" same "$(sed 's/txt:\([0-9]*\):.*/\1/' "$T/out")" \
	org/odd/_/long.0
# many lines first use up all that the other matcher may do of a text
{
	printf '{"text": "'
	printf 'abababababababababab\\n%.0s' $(seq 500)
	printf 'ababc xx\\n"}\n'
} | compare texts "$T/used.warc" 1 100000
search -E -oh '((a|b)(a|b)?){1,200}(c|d)' "$T/used.warc" >"$T/out" 2>"$T/err"
try "a match behind many slow lines" same "$(cat "$T/out")" ababc
search -E -c -- '(.*)*[xz]\1' "$T/odd.warc" org/odd/_/long >"$T/out" 2>"$T/err"
try "it ends: a back reference" [ $? -le 2 ]
try "with -P it is an error of the page" status 2 \
	search -P '(a|a)*[bc]' "$T/odd.warc" org/odd/_/long
try "which is told" complains "would take too long"
try "and others are searched" status 2 search -P '日本|(a|a)*[bc]' "$T/odd.warc"
try "others" grep -q 日本 "$T/out"

finish
