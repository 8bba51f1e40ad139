#!/bin/sh
# sizes_test.sh - estimated sizes never show in the bytes that are read, and
# where all sizes are exact files need not be opened.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

# Many files, so that some sizes that were learnt are forgotten again.
"$mkcrawl" --records 2000 --warc --page-bytes 6000 --seed 7 "$T/w" >/dev/null ||
	exit 1
"$crawlfs" index -q --no-views -o "$T/w.cfx" "$T/w" || exit 1

# count NAME: an operation in .crawlfs/stats
count() {
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["operations"][sys.argv[2]])' \
		"$T/m/.crawlfs/stats" "$1"
}
try "mount" start_mount m "$T/w.cfx"
mkdir "$T/copy"
try "cat reads everything" sh -c "
	cd '$T/m' && find . -type d -exec mkdir -p '$T/copy/{}' \; &&
	find . -type f -exec sh -c 'for f; do cat \"\$f\" >\"$T/copy/\$f\" || exit 1; done' sh {} +"
try "sizes were corrected" test "$(count sizes_corrected)" -gt 0
try "so does a fresh mount" remount m "$T/w.cfx"
# Holds S2.
try "whoever does not ask reads the same" python3 \
	"$CFS_SRCDIR/tests/mount/sizes_check.py" "$T/m" "$T/copy"
try "unmount" stop_mount m

# ---- exact sizes ----

# Until the kernel has the first answer it may ask a few times: the readers here
# are two processes at most.
try "sizes that are exact" start_mount m -o size=exact "$T/w.cfx"
# Holds S5.
try "are those of the bytes" sh -c "
	cd '$T/m' && find . -type f -printf '%s %P\n' | sort >'$T/a'
	cd '$T/copy' && find . -type f -printf '%s %P\n' | sort | cmp - '$T/a'"
try "whoever does not ask reads the same of them" python3 \
	"$CFS_SRCDIR/tests/mount/sizes_check.py" "$T/m" "$T/copy"
# Holds S5.
try "no file was opened" test "$(count open)" -le 2
# Holds S5.
try "no size was corrected" same "$(count sizes_corrected)" 0
find "$T/m" -type f ! -name '*.meta' ! -name '*.txt' ! -path '*#*' |
	head -n 100 >"$T/pages"
unlisted() {	# the size of what is not listed, before and after it is read
	while read -r page; do
		for view in .headers .warc.gz '#.warc.gz' '#.meta'; do
			size=$(stat -c %s "$page$view") || return 1
			same "$size" "$(cat "$page$view" | wc -c)" || return 1
		done
	done <"$T/pages"
}
# Holds S5.
try "nor is one of a view that is not listed" unlisted
# Holds N14.
try "figures are those of the moment" sh -c '
	a=$(cat "$1") && cat "$2" "$2.headers" >/dev/null &&
	b=$(cat "$1") && [ "$a" != "$b" ]' sh "$T/m/.crawlfs/stats" \
	"$(head -n 1 "$T/pages")"
try "unmount it" stop_mount m

# ---- exact sizes, by the word of the index ----

# no revisits, hence no size that depends on another capture
"$mkcrawl" --records 300 --warc --shape dirs=10 --page-bytes 3000 --bare \
	"$T/x" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/x.cfx" "$T/x" || exit 1
try "mount an index with all sizes" start_mount m "$T/x.cfx"
pages=$(find "$T/m" -type f ! -name '*.meta' ! -name '*.txt')
first=$(echo "$pages" | head -n 1)
try "tar reads it" sh -c 'tar cf - -C "$1" . | tar tf - >/dev/null' sh "$T/m"
try "no file was opened" test "$(count open)" -le 2
try "no size was corrected" same "$(count sizes_corrected)" 0

# The main content: its sizes are measured on request only, of revisits too
"$mkcrawl" --records 200 --warc --page-bytes 3000 "$T/md" >/dev/null || exit 1
"$crawlfs" index -q --markdown -o "$T/md.cfx" "$T/md" || exit 1
sizes_of() {	# sizes_of VIEW SUFFIX
	try "mount an index with the sizes of $2" start_mount r -o "views=$1" \
		"$T/md.cfx"
	(cd "$T/r" && find . -type f -printf '%s %P\n' | sort) >"$T/listed"
	opened=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["operations"]["open"])' "$T/r/.crawlfs/stats")
	# Holds S4.
	try "no file was opened for them" test "$opened" -le 1
	# Holds S4.
	try "they are those of the bytes" sh -c 'cd "$1" &&
		find . -type f -exec wc -c {} + | sed "/ total$/d; s,^ *,,; s, ./, ," |
		sort | cmp - "$2"' sh "$T/r" "$T/listed"
	try "there are some" test "$(grep -c "^[1-9].*\\$2\$" "$T/listed")" -ge 150
	try "unmount that" stop_mount r
	try "its sizes of $2 are estimates" sh -c '
		"$1" ls -lR --views="$3" "$2" | grep "\\$4" | grep -q " ~[0-9]"' \
		sh "$crawlfs" "$T/x.cfx" "$1" "$2"
	try "those with are not" sh -c '"$1" ls -lR --views="$4" "$2" >"$3" &&
		! grep -q " ~[0-9]" "$3" && [ "$(grep -c "\\$5" "$3")" -ge 200 ]' \
		sh "$crawlfs" "$T/md.cfx" "$T/listed" "$1" "$2"
}
sizes_of md .md
sizes_of main .main.txt

# one record of many is cut off: only that page pays
mkdir "$T/few"
ln "$(find "$T/x" -name '*.warc.gz' | head -n 1)" "$T/few/good.warc.gz"
python3 "$CFS_SRCDIR/tests/mount/odd_archives.py" cut_member \
	"$T/few/cut.warc.gz" >"$T/cut.tsv"
cut=$T/m/org/example/cut/_/cut
reads_pages_to_cut() {	# the whole pages of memory before it, then an error
	not cat "$cut" >"$T/got" 2>/dev/null &&
		test "$(wc -c <"$T/got")" -ge 28672 &&
		same $(($(wc -c <"$T/got") % 4096)) 0 &&
		grep '/_/cut	' "$T/cut.tsv" | cut -f3 | python3 -c 'import json, sys
sys.stdout.write(json.load(sys.stdin))' | cmp -n "$(wc -c <"$T/got")" - "$T/got" &&
		test "$(stat -c %s "$cut")" -gt "$(wc -c <"$T/got")"
}
for which in first again; do
	# Holds S5.
	try "few sizes are unknown ($which)" remount m "$T/few"
	try "all else is read" sh -c 'find "$1" -type f ! -path "*/cut/*" -print0 |
		xargs -0 cat >/dev/null' sh "$T/m"
	try "without opening" test "$(count open)" -le 2
	# Holds E11.
	try "what is cut off: up to there" reads_pages_to_cut
	try "its .meta" grep -q '"download_truncated": *true' "$cut.meta"
	try "its size is found out beforehand" same "$(stat -c %s "$cut.meta")" \
		"$(wc -c <"$cut.meta")"
	try "no file was opened for it" test "$(count open)" -le 2
	try "no size was corrected" same "$(count sizes_corrected)" 0
done
try "mount it again" remount m "$T/x.cfx"
: >"$T/m.log"
size=$(stat -c %s "$first")
for archive in $(find "$T/x" -name '*.warc.gz'); do
	python3 "$here/damage.py" at 0 "$(stat -c %s "$archive")" "$archive" \
		"$T/damaged" && cat "$T/damaged" >"$archive"
done
try "what is damaged since has its size" same "$(stat -c %s "$first")" "$size"
try "and cannot be read" status 1 cat "$first"
try "for an I/O error" complains "Input/output error"
try "nor can its text" status 1 cat "$first.txt"
# Holds E4.
try "with one line for the record" same "$(wc -l <"$T/m.log")" 1
try "other views of it have a size" test "$(stat -c %s "$first.headers")" -gt 0
try "unmount it" stop_mount m
# ---- a huge page ----

mkdir "$T/huge"
python3 -c 'import gzip, sys
body = b"x" * (96 << 20)
head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
with gzip.open(sys.argv[1], "wb", 1) as out:
    out.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a"
              b"\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: %d"
              b"\r\n\r\n" % (len(head) + len(body)) + head + body +
              b"\r\n\r\n")' "$T/huge/a.warc.gz"
records() {	# counters of records: NAME
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["sources"][0][sys.argv[2]])' \
		"$T/m/.crawlfs/stats" "$1"
}
# nothing is asked of the mount meanwhile
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$(pid_of m)/status"; }
gives_back() { [ "$(resident)" -lt $((before + 50000)) ]; }
# what a sanitizer keeps of freed memory is not ours
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
try "mount a huge page" start_mount m "$T/huge"
before=$(resident)
try "it is read by pieces" same "$(wc -c <"$T/m/h/_/a")" 100663296
try "its memory is given back" wait_for gives_back
try "it was inflated once" same "$(records record_misses)" 1
try "unmount it" stop_mount m
finish
