#!/bin/sh
# pdf_test.sh - the texts of PDF documents: in mounts, rows and .meta; of hostile
# documents, of which each costs itself only.
# SPDX-License-Identifier: GPL-3.0-or-later
# TIME_LIMIT 600
. "$CFS_SRCDIR/tests/mount/lib.sh"

prints() {	# prints TEXT COMMAND...: it prints just that
	want=$1
	shift
	got=$("$@")
	[ "$got" = "$want" ] || {
		echo "$got"
		return 1
	}
}
mkdir "$T/d"
python3 "$here/pdf_make.py" "$T/d" || exit 1
w=$T/d/pdf.warc.gz x=$T/d/pdf.cfx

if "$crawlfs" version | grep -q '^PDF: none'; then
	try "an index" "$crawlfs" index -q -o "$x" "$w"
	try "no text" sh -c '! "$0" export -q --fields=text "$1" | grep -q reader' \
		"$crawlfs" "$x"
	skip "texts of PDF documents: there is no crawlfs-pdf"
	finish
fi

# Holds T20.
try "an index" "$crawlfs" index -q -o "$x" "$w"
"$crawlfs" export -q --order=index --fields=url,title,text,languages,meta,markdown,main "$x" >"$T/index.jsonl"
"$crawlfs" export -q --order=archive --fields=url,title,text,languages,meta,markdown,main "$w" >"$T/archive.jsonl"
for order in index archive; do
	# Holds T20.
	try "texts and titles, by $order" prints 11 python3 "$here/pdf_make.py" \
		--check "$T/$order.jsonl"
done
# what is asked of helpers goes through tee
printf '#!/bin/sh\nexec tee -a "%s" | "%s"\n' "$T/asked" "$CRAWLFS_PDF" >"$T/tee"
chmod +x "$T/tee"
asked() {	# asked COMMAND...: prints how many documents helpers are given
	: >"$T/asked"
	CRAWLFS_PDF=$T/tee "$@" >"$T/out" || return 1
	python3 -c 'import sys
print(open(sys.argv[1], "rb").read().count(b"PDf1"))' "$T/asked"
}
once=$(asked "$crawlfs" export -q --threads=1 --fields=text "$w")
try "helpers are asked" test "$once" -ge 8
all=url,title,text,languages,meta,markdown,main
try "once for all fields of a row" prints "$once" \
	asked "$crawlfs" export -q --threads=1 --fields=$all "$w"
try "once for all sizes" prints "$once" asked "$crawlfs" index -q --markdown \
	--threads=1 -o "$T/sizes.cfx" "$w"
"$crawlfs" export -q --fields=url,title,text,meta "$T/d/heavy.warc.gz" >"$T/heavy.jsonl"
# Holds T21.
try "documents that take too much, and one behind them" prints 3 \
	python3 "$here/pdf_make.py" --check "$T/heavy.jsonl"
start_mount m "$x"
f=$T/m/example/pdf/_
# Holds T20.
try "the text of a file" sh -c 'test "$(cat "$0")" = "Hello, reader.
A second line."' "$f/plain.pdf.txt"
try "the size of the text is that of the index" sh -c \
	'test "$(stat -c %s "$0")" = "$(wc -c <"$0")"' "$f/prose.pdf.txt"
try "the page itself is as it was" sh -c 'head -c 8 "$0" | grep -q "^%PDF-1.4"' \
	"$f/plain.pdf"
for name in deep loop nothing empty; do
	# Holds T21.
	try "$name: an empty text" sh -c 'test -z "$(cat "$0")"' "$f/$name.pdf.txt"
done
try "a text behind them" grep -q quiet "$f/script.pdf.txt"
try "the mount ends" stop_mount m

# A helper that dies costs one document.
printf '#!/bin/sh\nexit 1\n' >"$T/dies" && chmod +x "$T/dies"
# Holds T21.
try "a helper that dies" env CRAWLFS_PDF="$T/dies" "$crawlfs" export -q \
	--fields=url,text,meta "$w" -o "$T/dies.jsonl"
try "its outcome is told" sh -c 'grep -c "too much" "$0" | grep -qx 10' \
	"$T/dies.jsonl"
try "no helper at all" env CRAWLFS_PDF="$T/nowhere" "$crawlfs" export -q \
	--fields=url,text,meta "$w" -o "$T/none.jsonl"
try "which is told" sh -c 'grep -c "no helper" "$0" | grep -qx 10' "$T/none.jsonl"

# where it is looked for if it is not named
mkdir -p "$T/moved/bin" "$T/moved/libexec" "$T/here/in" "$T/here/libexec"
cp "$crawlfs" "$T/moved/bin/"
ln -s "$CRAWLFS_PDF" "$T/moved/libexec/crawlfs-pdf"
try "beside the folder of crawlfs" sh -c 'env -u CRAWLFS_PDF "$0" export -q \
	--fields=text "$1" | grep -c "A second line" | grep -qx 2' \
	"$T/moved/bin/crawlfs" "$w"
printf '#!/bin/sh\n: >"%s"\n' "$T/ran" >"$T/here/libexec/crawlfs-pdf"
chmod +x "$T/here/libexec/crawlfs-pdf"
# without /proc LeakSanitizer ends the program with a status of its own, and no
# option reaches it
unshare -m true 2>/dev/null && try "not beside where one is, without /proc" \
	env -u CRAWLFS_PDF unshare -m sh -c 'mount -t tmpfs none /proc &&
		cd "$2/here/in" && "$0" export -q --fields=text "$1" |
		grep -c "^{.*}\$" | grep -qx 11 &&
		[ ! -e "$2/ran" ]' "$crawlfs" "$w" "$T"
finish
