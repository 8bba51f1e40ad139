#!/bin/sh
# copy_wacz_test.sh - crawlfs copy -o NAME.wacz: what it writes, by Python's own
# modules and by py-wacz; stopped at every stage, refused.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

export SOURCE_DATE_EPOCH=1700000000
"$mkcrawl" --records 1500 --warc "$T/w" >/dev/null || exit 1
"$mkcrawl" --records 500 --arc "$T/a" >/dev/null || exit 1
"$mkcrawl" --records 300 "$T/both" >/dev/null || exit 1
archives() { find "$1" -name '*.gz' | sort; }
copy() { timeout 300 "$crawlfs" copy --records=captures "$@"; }
packed() {	# FILE NAME: the bytes of a file in a package
	python3 -c 'import sys, zipfile
sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' "$@"
}
is_wacz() { python3 "$here/copy_wacz_check.py" "$@"; }
is_converted() { python3 "$here/convert_check.py" "$@"; }

# ---- what is written ----

try "of WARC" status 0 copy "$T/w" com -o "$T/w.wacz"
try "all parts are as they should be" is_wacz "$T/w.wacz"
set -- $(is_wacz "$T/w.wacz")
try "it has $1 records, $2 pages, and $3 titles were compared" test \
	"$1" -gt 100 -a "$2" -gt 80 -a "$3" -gt 30
try "nothing is left beside it" absent "$T/w.wacz.part" "$T/w.wacz.journal"
try "every record, byte for byte" is_converted "$T/w.wacz" com $(archives "$T/w")
try "verify has nothing against the package" sh -c "
	'$crawlfs' verify '$T/w.wacz' | grep -E '^package files +[1-9][0-9]* +[1-9][0-9]* +0'"
try "its index is that of the file" sh -c "
	'$crawlfs' index -q --threads=1 --no-views --final -o '$T/read.cfx' '$T/w.wacz' &&
	cmp '$T/read.cfx' '$T/w.wacz.cfx'"
if has_program unzip; then
	try "unzip takes it" unzip -tq "$T/w.wacz"
fi
try "of ARC, which is converted" status 0 copy "$T/a" com -o "$T/a.wacz" -q
try "every record" is_converted "$T/a.wacz" com $(archives "$T/a")
try "all parts" is_wacz "$T/a.wacz"
try "verify has nothing against it" status 0 "$crawlfs" verify "$T/a.wacz"
try "of both" status 0 copy "$T/both" com -o "$T/b.wacz" -q
try "every record" is_converted "$T/b.wacz" com $(archives "$T/both")
try "of both, without ARC" status 0 copy "$T/both" com --skip-other -o "$T/s.wacz"
try "what is left out is counted" grep -q "left out: of the other format" "$T/err"
try "nothing is converted" same 0 "$(packed "$T/s.wacz" archive/data.warc.gz |
	gzip -dc | grep -ac '^WARC-Arc-Header')"
try "and something is there" test "$(packed "$T/s.wacz" archive/data.warc.gz |
	gzip -dc | grep -ac '^WARC/1')" -gt 10
for threads in 1 3 40; do
	mkdir "$T/p$threads"
	(cd "$T/p$threads" && copy ../b.wacz com -o x.wacz -q -p $threads)
	try "$threads at a time" cmp "$T/p1/x.wacz" "$T/p$threads/x.wacz"
done
without_first() {	# the first record names the source
	python3 -c 'import sys, zipfile, zlib
d = zlib.decompressobj(31)
d.decompress(zipfile.ZipFile(sys.argv[1]).read("archive/data.warc.gz"))
sys.stdout.buffer.write(d.unused_data)' "$1"
}
without_first "$T/b.wacz" >"$T/want"
without_first "$T/p1/x.wacz" >"$T/got"
try "a copy of a WACZ has the same records" cmp "$T/want" "$T/got"
copy "$T/w" com -o "$T/z.warc.zst" -q
try "of zstd frames" status 0 copy "$T/z.warc.zst.cfx" com -o "$T/z.wacz" -q
without_first "$T/w.wacz" | gzip -dc | sha1sum >"$T/want"
without_first "$T/z.wacz" | gzip -dc | sha1sum >"$T/got"
try "the same records, compressed again" cmp "$T/want" "$T/got"

# ---- hostile URLs, no pages, nothing ----

mkdir "$T/odd"
python3 "$here/convert_odd.py" "$T/odd/odd.arc.gz"
try "odd URLs" status 0 copy "$T/odd/odd.arc.gz" com -o "$T/odd/x.wacz"
try "every record" is_converted "$T/odd/x.wacz" com "$T/odd/odd.arc.gz"
try "all parts" is_wacz "$T/odd/x.wacz"
name=$(printf '"a\n b\303\251.wacz')
(cd "$T/odd" && status 0 copy odd.arc.gz com -o "$name" -q)
try "an odd name of its own" is_wacz "$T/odd/$name"
try "one record that is not a page" status 0 copy "$T/odd/odd.arc.gz" \
	ftp://www.odd.com/file.txt -o "$T/odd/f.wacz"
try "is in the index, and no page" same "1 0 0" "$(is_wacz "$T/odd/f.wacz")"
try "a prefix of nothing" status 1 copy "$T/w" nowhere.at.all -o "$T/n.wacz"
try "is told" complains "nothing to copy"
try "leaves nothing" absent "$T/n.wacz" "$T/n.wacz.part" "$T/n.wacz.journal" "$T/n.wacz.cfx"

# ---- mounted ----

listing() { (cd "$1" && find [a-z]* -type f ! -name '*.meta' | sort | xargs -d '\n' sha1sum); }
"$mkcrawl" --records 300 --hostile 0 --warc "$T/tame" >/dev/null || exit 1
try "one for its titles" status 0 copy "$T/tame" \
	$("$crawlfs" ls "$T/tame") -o "$T/tame.wacz" -q
try "the source mounts" start_mount src "$T/tame"
listing "$T/src" >"$T/want"
try "ends well" stop_mount src
for c in tame.wacz tame.wacz.cfx; do
	try "$c mounts" start_mount m "$T/$c"
	listing "$T/m" >"$T/got"
	try "all of it, the same" cmp "$T/want" "$T/got"
	try "which is something" test "$(wc -l <"$T/got")" -gt 200
	try "titles of pages" python3 "$here/wacz_check.py" "$T/tame.wacz" "$T/m"
	try "ends well" stop_mount m
done

# ---- refused ----

try "an output that is there" status 1 copy "$T/w" org -o "$T/w.wacz"
try "is told" complains "force"
try "--force replaces it" status 0 copy "$T/w" org -o "$T/b.wacz" --force -q
try "by the new one" is_converted "$T/b.wacz" org $(archives "$T/w")
cp "$T/w.wacz" "$T/before"
try "a WACZ over itself" status 2 copy "$T/w.wacz" com -o "$T/w.wacz" --force
try "stays" cmp "$T/w.wacz" "$T/before"
try "another name" status 2 copy "$T/w" com -o "$T/w.zip"
try "what names there are is told" complains "[.]wacz"

# ---- stopped, and resumed ----

mkdir "$T/whole" "$T/stop" "$T/small"
"$mkcrawl" --records 3000 --bare --level 1 "$T/big" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/big/i.cfx" $(archives "$T/big") || exit 1
big="../big/i.cfx com org net de"
cd "$T/whole" || exit 1
try "a whole copy" status 0 copy $big -o x.wacz -q
try "all parts" is_wacz x.wacz
cd "$T/stop" || exit 1
journal_has() { [ "$(wc -l <x.wacz.journal)" -ge "$1" ]; }
start_copy() {	# in the background, slowly
	start "$crawlfs" copy --records=captures $big -o x.wacz -p 1 >"$T/out" 2>"$T/err"
	copier=$started
}
is_same() {
	cmp "$T/whole/x.wacz" x.wacz && [ -s x.wacz.cfx ] &&
		absent x.wacz.part x.wacz.journal
}
for lines in 2 4; do
	start_copy
	wait_for journal_has $lines
	kill -9 $copier
	wait $copier 2>/dev/null
	try "killed after $lines" test ! -e x.wacz
done
archive=$(packed ../whole/x.wacz archive/data.warc.gz | wc -c)
# The first call that waits for the disk comes behind the lists.
killed_in_lists() {
	strace -f -o "$T/trace" -e trace=fsync -e inject=fsync:signal=KILL:when=1 \
		"$crawlfs" copy --records=captures -q $big -o x.wacz 2>/dev/null
	[ ! -e x.wacz ] && grep -qa pages/pages.jsonl x.wacz.part
}
if has_program strace; then
	try "killed when it has written the lists" killed_in_lists
	try "goes on" status 0 copy $big -o x.wacz
	try "and tells" grep -q "by an earlier run" "$T/err"
	try "the same bytes" is_same
else
	skip "killed when it has written the lists: there is no strace"
fi
rm -f x.*
start_copy
wait_for journal_has 3
kill -INT $copier
wait $copier
try "Ctrl-C: status" same $? 130
try "Ctrl-C: says how to go on" complains "resumes the copy"
try "goes on after Ctrl-C" status 0 copy $big -o x.wacz -q
try "the same bytes" is_same
rm -f x.*
start_copy
wait_for journal_has 2
echo other >x.wacz
try "another file appears under its name" ended_with 1 $copier
try "which is told" complains "cannot rename"
try "that file stays" same other "$(cat x.wacz)"
rm x.wacz
try "its end is damaged meanwhile" python3 -c 'import os
f = open("x.wacz.part", "r+b")
f.seek(os.path.getsize("x.wacz.part") - 500)
f.write(b"wrong")'
try "goes on" status 0 copy $big -o x.wacz -q
try "the same bytes" is_same
rm -f x.*
start_copy
wait_for journal_has 2
echo other >x.wacz
ended_with 1 $copier
rm x.wacz
mkdir x.wacz.cfx
try "complete, and only to be renamed; the index cannot be" status 1 copy $big -o x.wacz
try "the file is there" cmp "$T/whole/x.wacz" x.wacz
try "and the journal" test -s x.wacz.journal
rmdir x.wacz.cfx
try "goes on" status 0 copy $big -o x.wacz
try "and tells" grep -q "by an earlier run" "$T/err"
try "the same bytes" is_same
for more in -700 60; do	# KiB: within the archive, within what follows
	mount -t tmpfs -o size=$(((archive / 1024 + more) / 4 * 4))k none "$T/small"
	cd "$T/small" || exit 1
	try "a disk that is too small ($more)" status 1 copy $big -o x.wacz
	try "is told" complains "No space left"
	try "keeps what it has" test -s x.wacz.part
	mount -o remount,size=200m "$T/small"
	try "goes on with more room" status 0 copy $big -o x.wacz -q
	try "the same bytes" is_same
	cd "$T" || exit 1
	umount "$T/small"
done

# ---- py-wacz ----

# with all that belongs to captures, and revisits of equal ones
mkdir "$T/equal" && python3 "$here/copy_site.py" equal "$T/equal" || exit 1
try "all records, equal ones as revisits" status 0 "$crawlfs" copy \
	--dedup=revisit "$T/equal" / -o "$T/r.wacz"
if find_wacz_tools; then
	for c in r.wacz w.wacz a.wacz odd/x.wacz odd/f.wacz whole/x.wacz; do
		try "$c: wacz validate" sh -c "
			'$wacz_tools/wacz' validate -f '$T/$c' | grep 'is valid'"
	done
	cp "$T/odd/x.wacz" "$T/bad.wacz"
	python3 -c 'import sys
f = open(sys.argv[1], "r+b")
data = f.read()
f.seek(data.index(b"json-pages-1.0"))
f.write(b"J")' "$T/bad.wacz"
	try "it refuses what is not" not "$wacz_tools/wacz" validate -f "$T/bad.wacz"
else
	skip "py-wacz: $install_problem"
fi
finish
