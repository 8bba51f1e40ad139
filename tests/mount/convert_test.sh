#!/bin/sh
# convert_test.sh - crawlfs copy --convert: ARC records as WARC records, byte for
# byte as an independent program makes them; stopped, damaged, refused.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

export SOURCE_DATE_EPOCH=1700000000
"$mkcrawl" --records 400 "$T/both" >/dev/null || exit 1
"$mkcrawl" --records 800 --arc --archive-bytes 1000000 "$T/a" >/dev/null || exit 1
"$mkcrawl" --records 300 --hostile 0 --arc "$T/tame" >/dev/null || exit 1
"$mkcrawl" --records 300 --warc "$T/w" >/dev/null || exit 1
archives() { find "$1" -name '*.gz' | sort; }
copy() { timeout 300 "$crawlfs" copy --records=captures "$@"; }
is_converted() { python3 "$here/convert_check.py" "$@"; }

# ---- what is written ----

try "ARC and WARC together" status 0 copy "$T/both" com --convert -o "$T/b.warc.gz"
try "every record is there" is_converted "$T/b.warc.gz" com $(archives "$T/both")
n=$(is_converted "$T/b.warc.gz" com $(archives "$T/both"))
try "some of them ARC" test "${n:-0}" -gt 10
try "some of them not" test "$n" -lt $(($(gzip -dc "$T/b.warc.gz" | grep -ac '^WARC-Type: resp')))
try "another copy is refused" not is_converted "$T/b.warc.gz" org $(archives "$T/both")
try "ARC alone" status 0 copy "$T/a" com --convert -o "$T/a.warc.gz" -q
try "every record is there" is_converted "$T/a.warc.gz" com $(archives "$T/a")
try "gunzip takes it" gzip -t "$T/a.warc.gz"
try "nothing is left beside it" absent "$T/a.warc.gz.part" "$T/a.warc.gz.journal"
try "verify has nothing against it" status 0 "$crawlfs" verify "$T/a.warc.gz"
try "the index is that of the file" sh -c "
	'$crawlfs' index -q --threads=1 --no-views --final -o '$T/read.cfx' '$T/a.warc.gz' &&
	cmp '$T/read.cfx' '$T/a.warc.gz.cfx'"
try "several sources" status 0 copy "$T/tame,$T/w" com --convert -o "$T/u.warc.gz" -q
try "every record is there" is_converted "$T/u.warc.gz" com $(archives "$T/tame") $(archives "$T/w")
for threads in 1 40; do
	mkdir "$T/p$threads"
	(cd "$T/p$threads" && copy ../a com org --convert -o x.warc.gz -q -p $threads)
	try "$threads at a time" cmp "$T/p1/x.warc.gz" "$T/p$threads/x.warc.gz"
done
mkdir "$T/moved"
cp -r "$T/a" "$T/moved/elsewhere"
(cd "$T/moved" && copy elsewhere com org --convert -o x.warc.gz -q)
without_first() {	# the first record names the source
	python3 -c 'import sys, zlib
d = zlib.decompressobj(31)
d.decompress(open(sys.argv[1], "rb").read())
sys.stdout.buffer.write(d.unused_data)' "$1"
}
without_first "$T/p1/x.warc.gz" >"$T/want"
without_first "$T/moved/x.warc.gz" >"$T/got"
try "the records' ids do not depend on the folder" cmp "$T/want" "$T/got"

# ---- hard cases ----

mkdir "$T/odd"
python3 "$here/convert_odd.py" "$T/odd/odd.arc.gz"
try "odd records" status 0 copy "$T/odd/odd.arc.gz" com --convert -o "$T/odd/x.warc.gz"
try "are as they should be" is_converted "$T/odd/x.warc.gz" com "$T/odd/odd.arc.gz"
try "all of them" same 19 "$(is_converted "$T/odd/x.warc.gz" com "$T/odd/odd.arc.gz")"
try "verify has nothing against them" status 0 "$crawlfs" verify "$T/odd/x.warc.gz"
try "zstd" status 0 copy "$T/odd/odd.arc.gz" com --convert -o "$T/odd/x.warc.zst" -q
if has_program zstd; then
	records() { sed -n '/^WARC.1.1/,$p'; }	# all but the first
	zstd -qdc "$T/odd/x.warc.zst" | records >"$T/want"
	gzip -dc "$T/odd/x.warc.gz" | records >"$T/got"
	try "holds the same" cmp "$T/want" "$T/got"
	try "which is something" test -s "$T/got"
else
	skip "zstd: the program is not there"
fi
samples() {	# every sample: verified, and as many records as there were
	for sample in $(find "$CFS_DATA/arc" "$CFS_DATA/malformed" -type f \
		\( -name '*.arc' -o -name '*.arc.gz' \) -size -300k | sort); do
		rm -rf "$T/s"
		mkdir "$T/s"
		cp "$sample" "$T/s/"
		"$crawlfs" index -q -o "$T/s/i.cfx" "$T/s/${sample##*/}" >"$T/s/log" 2>&1 ||
			continue
		copy "$T/s/i.cfx" $("$crawlfs" ls "$T/s/i.cfx") --convert -q \
			-o "$T/s/x.warc.gz" >"$T/s/log" 2>&1 || {
				grep -q 'not one record' "$T/s/log" && continue
				[ -e "$T/s/x.warc.gz" ] &&
					grep -q 'damaged place' "$T/s/log"
			} || {
				echo "$sample"
				cat "$T/s/log"
				return 1
			}
		! grep -aqE 'Sanitizer|runtime error' "$T/s/log" &&
			"$crawlfs" verify "$T/s/x.warc.gz" >"$T/s/log" 2>&1 || {
				echo "$sample"
				cat "$T/s/log"
				return 1
			}
		converted=$((converted + 1))
		"$crawlfs" ls -R "$T/s/i.cfx" | sort >"$T/s/a"
		"$crawlfs" ls -R "$T/s/x.warc.gz.cfx" | sort >"$T/s/b"
		cmp -s "$T/s/a" "$T/s/b" && named=$((named + 1))
	done
	echo "$converted samples, $named with the same names"
}
converted=0 named=0
if [ -d "${CFS_DATA:-}/arc" ]; then
	try "samples of ARC" samples
	try "there were some" test $converted -gt 15
	try "few had URLs that cannot stand in WARC" test $((converted - named)) -le 4
else
	skip "samples of ARC: CFS_DATA names no folder of samples"
fi

# ---- mounted ----

listing() { (cd "$1" && find . -type f ! -name '*.meta' | sort | xargs -d '\n' sha1sum); }
for label in com org; do
	copy "$T/tame" $label --convert -o "$T/$label.warc.gz" -q
	try "the source mounts" start_mount src "$T/tame"
	listing "$T/src/$label" >"$T/want"
	try "ends well" stop_mount src
	try "the copy mounts" start_mount m "$T/$label.warc.gz.cfx"
	listing "$T/m/$label" >"$T/got"
	try "the same names and bodies" cmp "$T/want" "$T/got"
	try "some of them" test "$(wc -l <"$T/got")" -gt 20
	try "ends well" stop_mount m
done

# ---- refused ----

try "into ARC" status 2 copy "$T/both" com --convert -o "$T/n.arc.gz"
try "is told" complains "makes WARC"
try "and leaving out the others" status 2 copy "$T/both" com --convert --skip-other -o "$T/n.warc.gz"
try "is told" complains "contradict"
try "without it" status 1 copy "$T/both" com -o "$T/n.warc.gz"
try "the message says what would help" complains "--convert makes WARC records"
try "ARC alone without it" status 1 copy "$T/a" com -o "$T/n.warc.gz"
try "the message says what would help" complains "--convert makes WARC records"
try "nothing is left" absent "$T/n.arc.gz" "$T/n.warc.gz" "$T/n.warc.gz.part" "$T/n.warc.gz.journal"

# ---- damaged ----

set -- $(archives "$T/a")
try "several archives" test $# -gt 1
"$crawlfs" index -q -o "$T/a/i.cfx" "$@"
victim=$1
cp "$victim" "$T/saved"
at=$(python3 "$CFS_SRCDIR/tests/record_ref.py" "$victim" |
	awk '$5 == "arc" && $NF ~ /^https?:\/\/[^\/]*\.com\// { print $1, $2; exit }')
python3 -c 'import sys
f = open(sys.argv[1], "r+b")
f.seek(int(sys.argv[2]) + int(sys.argv[3]) // 2)
f.write(b"\xff\xff\xff\xff")' "$victim" $at
try "a damaged record" status 1 copy "$T/a/i.cfx" com --convert -o "$T/d.warc.gz"
try "is told with its place" complains "offset ${at% *}"
try "is counted" grep -q " 1 record left out: not readable" "$T/err"
try "the copy is whole" status 0 "$crawlfs" verify "$T/d.warc.gz"
truncate -s $((${at% *} + 30)) "$victim"
try "an archive that is cut" status 1 copy "$T/a/i.cfx" com --convert -o "$T/t.warc.gz"
try "the copy is whole" status 0 "$crawlfs" verify "$T/t.warc.gz"
rm "$victim"
try "an archive that is gone" status 1 copy "$T/a/i.cfx" com --convert -o "$T/g.warc.gz"
try "is told" complains "are left out"
shift
try "the others' records are there" is_converted "$T/g.warc.gz" com "$@"
cp "$T/saved" "$victim"

# ---- stopped, and resumed ----

mkdir "$T/whole" "$T/stop" "$T/small"
"$mkcrawl" --records 4000 --arc --bare --level 1 "$T/big" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/big/i.cfx" $(archives "$T/big") || exit 1
cd "$T/whole" || exit 1
try "a whole copy" status 0 copy ../big/i.cfx com org net de --convert -o x.warc.gz -q
cd "$T/stop" || exit 1
journal_has() { [ "$(wc -l <x.warc.gz.journal)" -ge "$1" ]; }
start_copy() {	# in the background, slowly
	start "$crawlfs" copy --records=captures ../big/i.cfx com org net de --convert -o x.warc.gz -p 1 \
		>"$T/out" 2>"$T/err"
	copier=$started
	wait_for journal_has "$1"
}
is_same() {
	cmp "$T/whole/x.warc.gz" x.warc.gz &&
		absent x.warc.gz.part x.warc.gz.journal && [ -e x.warc.gz.cfx ]
}
start_copy 3
kill -9 $copier
wait $copier 2>/dev/null
try "killed" test ! -e x.warc.gz
try "it is not another copy's" status 0 copy ../big/i.cfx com org net de --convert -o x.warc.gz
try "it goes on" grep -q "by an earlier run" "$T/err"
try "the same bytes" is_same
mount -t tmpfs -o size=3m none "$T/small"
cd "$T/small" || exit 1
try "a disk that is too small" status 1 copy ../big/i.cfx com org net de --convert -o x.warc.gz
try "is told" complains "No space left"
mount -o remount,size=200m "$T/small"
try "goes on with more room" status 0 copy ../big/i.cfx com org net de --convert -o x.warc.gz -q
try "the same bytes" is_same
cd "$T" || exit 1
umount "$T/small"

# ---- from a server ----

start_faultd server "$T/big" || skip_all "no server"
try "from a server" status 0 copy "http://127.0.0.1:$port/i.cfx" com --convert -o "$T/r.warc.gz" -q
try "every record is there" is_converted "$T/r.warc.gz" com $(archives "$T/big")
stop_server server

# ---- independent readers ----

if find_wacz_tools; then
	for c in a.warc.gz odd/x.warc.gz whole/x.warc.gz; do
		try "$c: warcio check" "$wacz_tools/warcio" check "$T/$c"
	done
	# FastWARC refuses the long heads that the others have
	try "FastWARC" "$wacz_tools/fastwarc" check -q -p "$T/com.warc.gz"
else
	skip "warcio and FastWARC: $install_problem"
fi
finish
