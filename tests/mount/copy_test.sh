#!/bin/sh
# copy_test.sh - crawlfs copy: what it writes, what it does when it is stopped,
# when there is no room, when archives are damaged or gone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

export SOURCE_DATE_EPOCH=1700000000
"$mkcrawl" --records 1500 --warc --archive-bytes 2000000 "$T/w" >/dev/null || exit 1
"$mkcrawl" --records 600 --hostile 0 --arc --pbtree "$T/a" >/dev/null || exit 1
"$mkcrawl" --records 300 "$T/both" >/dev/null || exit 1
archives() { find "$1" -name '*.gz' | sort; }
copy() { timeout 300 "$crawlfs" copy --records=captures "$@"; }
copycheck() { python3 "$here/copycheck.py" "$@"; }

# ---- what is written ----

try "copies WARC" status 0 copy "$T/w" com -o "$T/c.warc.gz"
try "every record, byte for byte" copycheck "$T/c.warc.gz" com $(archives "$T/w")
try "gunzip takes it" gzip -t "$T/c.warc.gz"
try "nothing is left beside it" absent "$T/c.warc.gz.part" "$T/c.warc.gz.journal"
n=$(copycheck "$T/c.warc.gz" com $(archives "$T/w"))
try "a copy without com is refused" not copycheck "$T/c.warc.gz" org $(archives "$T/w")
check_says() {	# check_says LINE ARGUMENT...
	says=$1
	shift
	"$crawlfs" check "$@" >"$T/out" && grep -qx "$says" "$T/out"
}
try "check counts the same" check_says "captures     $n" "$T/w" com
try "check: the bytes of it" check_says "destination  $(($(wc -c <"$T/c.warc.gz") -
	$(python3 -c 'import sys, zlib
data = open(sys.argv[1], "rb").read()
d = zlib.decompressobj(31)
d.decompress(data)
print(len(data) - len(d.unused_data))' "$T/c.warc.gz"))) bytes (.*" "$T/w" com
try "the same again, a list with overlaps" status 0 \
	copy "$T/w" "com, com.,com" -o "$T/again.warc.gz" -q
try "has as many records" same "$(copycheck --records "$T/again.warc.gz")" $((n + 1))
try "copies ARC of a PB-tree" status 0 copy "$T/a/parse-output/url-index.1356128792" \
	com -o "$T/c.arc.gz" --data="$T/a/parse-output"
try "every ARC record, byte for byte" copycheck "$T/c.arc.gz" com $(archives "$T/a")
for threads in 1 40; do
	mkdir "$T/p$threads"
	(cd "$T/p$threads" && copy ../w com org -o x.warc.gz -q -p $threads)
	try "$threads at a time" cmp "$T/p1/x.warc.gz" "$T/p$threads/x.warc.gz"
done

# ---- its index, which is made on the way ----

lookup_all() {	# lookup_all COPY LABEL...: every line of its index
	lookup_in=$1
	shift
	for label in "$@"; do "$crawlfs" lookup "$lookup_in.cfx" "$label" || return; done
}
index_is_right() {	# index_is_right COPY LABEL...
	lookup_all "$@" >"$T/lines" && copycheck --index "$1" <"$T/lines"
}
index_as_read() {	# the same bytes as `crawlfs index` makes of the whole file
	"$crawlfs" index -q --threads=1 --no-views --final -o "${1%/*}/read.cfx" "$1" &&
		cmp "${1%/*}/read.cfx" "$1.cfx" && rm "${1%/*}/read.cfx"
}
try "every record is in the index" index_is_right "$T/c.warc.gz" com
try "and in that of ARC" index_is_right "$T/c.arc.gz" com
for c in c.warc.gz c.arc.gz p1/x.warc.gz p40/x.warc.gz; do
	try "$c: as it is read from the file" index_as_read "$T/$c"
done
odd_samples() {	# every sample of archives: what is copied of it has the right index
	for sample in $(find "$CFS_DATA/arc" "$CFS_DATA/warc" "$CFS_DATA/malformed" \
		-type f -size -300k | sort); do
		rm -rf "$T/odd"
		mkdir "$T/odd"
		cp "$sample" "$T/odd/"
		"$crawlfs" index -q -o "$T/odd/i.cfx" "$T/odd/${sample##*/}" \
			>"$T/odd/log" 2>&1 || continue
		for o in x.warc.gz x.arc.gz; do
			copy "$T/odd/i.cfx" $("$crawlfs" ls "$T/odd/i.cfx") --skip-other \
				-q -o "$T/odd/$o" >"$T/odd/log" 2>&1
			! grep -aqE 'Sanitizer|runtime error' "$T/odd/log" ||
				{ echo "$sample"; cat "$T/odd/log"; return 1; }
			[ -e "$T/odd/$o" ] || continue
			index_as_read "$T/odd/$o" >"$T/odd/log" 2>&1 ||
				{ echo "$sample"; cat "$T/odd/log"; return 1; }
			odd=$((odd + 1))
		done
	done
	echo "$odd copies"
}
odd=0
if [ -d "${CFS_DATA:-}/warc" ]; then
	try "the index of odd records" odd_samples
	try "there were some" test $odd -gt 40
else
	skip "odd records: CFS_DATA names no folder of samples"
fi

# ---- mounted ----

listing() { (cd "$1" && find . -type f ! -name '*.meta' | sort | xargs -d '\n' sha1sum); }
try "the source mounts" start_mount src "$T/w"
listing "$T/src/com" >"$T/want"
try "ends well" stop_mount src
for c in c.warc.gz.cfx c.warc.gz; do
	try "$c mounts" start_mount m "$T/$c"
	try "has only com" same "$(ls "$T/m")" com
	listing "$T/m/com" >"$T/got"
	try "and all of it, the same" cmp "$T/want" "$T/got"
	try "ends well" stop_mount m
done

# ---- refused ----

try "a prefix of nothing" status 1 copy "$T/w" nowhere.at.all -o "$T/n.warc.gz"
try "is told" complains "nothing to copy"
try "leaves nothing" absent "$T/n.warc.gz" "$T/n.warc.gz.part" "$T/n.warc.gz.journal"
cp "$T/c.warc.gz" "$T/before"
try "an output that is there" status 1 copy "$T/w" org -o "$T/c.warc.gz"
try "is told" complains "force"
try "stays as it was" cmp "$T/c.warc.gz" "$T/before"
try "--force replaces it" status 0 copy "$T/w" org -o "$T/c.warc.gz" --force -q
try "by the new copy" copycheck "$T/c.warc.gz" org $(archives "$T/w")
# what is read must not be replaced by what is made of it
"$crawlfs" index -q -o "$T/a.cfx" "$T/w/crawl-data"
set -- $(archives "$T/w")
try "there are several archives" test $# -gt 1
cp "$1" "$T/before"
cp "$T/a.cfx" "$T/n.warc.gz.cfx"
ln -s "$1" "$T/link.warc.gz"
is_kept() { cmp "$1" "$T/before" && absent "$1.part" "$1.journal"; }
try "an archive of the source" status 2 copy "$T/a.cfx" com -o "$1" --force
try "is told" complains "is an archive that is copied from"
try "is kept" is_kept "$1"
try "by another name" status 2 copy "$T/a.cfx" com -o "$T/link.warc.gz" --force --keep-going
try "is kept" is_kept "$1"
try "one that is opened itself" status 2 copy "$1" com -o "$1" --force --cache="$T/c0"
try "is told" complains "would be replaced"
try "is kept" is_kept "$1"
try "an index that would be replaced" status 2 copy "$T/n.warc.gz.cfx" com -o "$T/n.warc.gz"
try "is kept" cmp "$T/a.cfx" "$T/n.warc.gz.cfx"
rm "$T/n.warc.gz.cfx" "$T/link.warc.gz"
try "one prefix of nothing" status 0 copy "$T/w" com org.nowhere -o "$T/n.warc.gz" -q
try "is told" complains "'org.nowhere': no page is there"
rm "$T/n.warc.gz"*
try "a folder of that name" status 1 sh -c 'mkdir "$3" && "$1" copy "$2" com -o "$3"' \
	sh "$crawlfs" "$T/w" "$T/folder.warc.gz"
try "ARC records in a WARC file" status 1 copy "$T/a/parse-output" com -o "$T/n.warc.gz"
try "are told" complains "ending in .arc.gz"
try "ARC and WARC" status 1 copy "$T/both" com -o "$T/n.warc.gz"
try "are told" complains "cannot hold both"
try "one of them" status 0 copy "$T/both" com -o "$T/one.warc.gz" --skip-other -q
try "is whole" copycheck "$T/one.warc.gz" com $(archives "$T/both")
try "the other" status 0 copy "$T/both" com -o "$T/one.arc.gz" --skip-other -q
try "is whole" copycheck "$T/one.arc.gz" com $(archives "$T/both")
try "no output" status 2 copy "$T/w" com
try "no prefix" status 2 copy "$T/w" -o "$T/n.warc.gz"
try "no name of an archive" status 2 copy "$T/w" com -o "$T/n.zip"
try "to a server" status 2 copy "$T/w" com -o http://127.0.0.1:1/n.warc.gz
try "only to S3" complains "s3://"
try "a folder that is not there" status 1 copy "$T/w" com -o "$T/no/n.warc.gz"
mkdir "$T/ro"
mount -t tmpfs -o ro none "$T/ro"
try "a folder that is read-only" status 1 copy "$T/w" com -o "$T/ro/n.warc.gz"
try "is told" complains "Read-only"
umount "$T/ro"

# ---- stopped, and gone on with ----

mkdir "$T/whole" "$T/stop" "$T/small"
"$mkcrawl" --records 4000 --warc --bare --level 1 "$T/big" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/big/i.cfx" "$T/big/crawl-data" || exit 1
cd "$T/whole" || exit 1
try "a whole copy" status 0 copy ../big/i.cfx com org net de -o x.warc.gz -q
whole_bytes=$(wc -c <x.warc.gz)
cd "$T/stop" || exit 1
journal_has() { [ "$(wc -l <x.warc.gz.journal)" -ge "$1" ]; }
start_copy() {	# in the background, slowly
	start "$crawlfs" copy --records=captures ../big/i.cfx com org net de -o x.warc.gz -p 1 \
		>"$T/out" 2>"$T/err"
	copier=$started
	wait_for journal_has "$1"
}
is_same() {
	cmp "$T/whole/x.warc.gz" x.warc.gz &&
		absent x.warc.gz.part x.warc.gz.journal && [ -e x.warc.gz.cfx ]
}
start_copy 4
kill -9 $copier
wait $copier 2>/dev/null
try "killed" test ! -e x.warc.gz
echo "1 2 3 4 5" >>x.warc.gz.journal	# and more goes wrong
python3 -c 'f = open("x.warc.gz.part", "r+b")
f.seek(1500000)
f.write(b"wrong")'
echo "$(wc -c <x.warc.gz.part) of $whole_bytes bytes were there"
try "goes on" status 0 copy ../big/i.cfx com org net de -o x.warc.gz
try "and tells" grep -q "by an earlier run" "$T/err"
try "the same bytes" is_same
try "its index" index_is_right "$PWD/x.warc.gz" com org net de
rm -f x.*
start_copy 3
kill -INT $copier
wait $copier
try "Ctrl-C: status" same $? 130
try "Ctrl-C: says how to go on" complains "resumes the copy"
# Holds I8.
try "goes on after Ctrl-C" status 0 copy ../big/i.cfx com org net de -o x.warc.gz -q
try "the same bytes" is_same
rm -f x.*
start_copy 3
kill -9 $copier
wait $copier 2>/dev/null
try "another copy begins anew" status 0 copy ../big/i.cfx com -o x.warc.gz -q
try "and says so" complains "another copy"
try "and is whole" copycheck x.warc.gz com $(archives "$T/big")
rm -f x.*
cp "$T/whole/x.warc.gz" .
: >x.warc.gz.journal
try "a stray journal" status 1 copy ../big/i.cfx com org net de -o x.warc.gz
rm -f x.*
start_copy 1
freeze $copier
try "two at once" status 1 copy ../big/i.cfx com org net de -o x.warc.gz
try "is told" complains "another process"
kill -CONT $copier
wait $copier
try "the first ends well" same $? 0
try "the same bytes" is_same
rm -f x.*
cd "$T/small" || exit 1
mount -t tmpfs -o size=3m none "$T/small"
cd "$T/small" || exit 1
try "a disk that is too small" status 1 copy ../big/i.cfx com org net de -o x.warc.gz
try "is told" complains "No space left"
try "and was expected" complains "warning: '.*' has room for .* MB, the copy needs"
try "keeps what it has" test -s x.warc.gz.part
mount -o remount,size=200m "$T/small"
try "goes on with more room" status 0 copy ../big/i.cfx com org net de -o x.warc.gz -q
try "the same bytes" is_same
cd "$T" || exit 1
umount "$T/small"

# ---- from a server ----

start_faultd server "$T/big" || skip_all "no server"
url=http://me:secret@127.0.0.1:$port/i.cfx
try "from a server" status 0 copy "$url" com -o "$T/r.warc.gz"
try "every record, byte for byte" copycheck "$T/r.warc.gz" com $(archives "$T/big")
fetched() {	# requests for archives since the last time, and their bytes
	ctl "$port" log | awk '$3 ~ /warc.gz/ { n++; b += $6 } END { print n + 0, b + 0 }'
}
bounded() {	# seven bytes are read in vain for each that is wanted, at most
	fetched >/dev/null
	copy "$url" com -o "$T/b.warc.gz" -q --force --cache="$T/cache64" || return
	set -- $(fetched) "$(copycheck --records "$T/b.warc.gz")" \
		"$(wc -c <"$T/b.warc.gz")"
	echo "$1 requests and $2 bytes for $3 records, $4 bytes"
	# 20,000 bytes are to see what the archive is
	[ $((4 * $1)) -lt "$3" ] && [ "$2" -le $((8 * $4 + 20000)) ]
}
# Holds K12.
try "holes are read within bounds" bounded
try "no password in it" not sh -c 'gzip -dc "$1" | head -c 1000 | grep secret' \
	sh "$T/r.warc.gz"
rm -rf "$T/cache"
ctl "$port" rule fault=reset match=warc.gz skip=20 >/dev/null
try "a server that fails" status 1 copy "$url" com -o "$T/f.warc.gz" --timeout=3
try "how to go on is said" complains "resumes the copy"
ctl "$port" clear >/dev/null
try "goes on when it is well" status 0 copy "$url" com -o "$T/f.warc.gz"
try "where it was" grep -q "by an earlier run" "$T/err"
try "every record, byte for byte" copycheck "$T/f.warc.gz" com $(archives "$T/big")
few_words() {	# not a request and a line for each record
	fetched >/dev/null
	status 1 copy "$url" com -o "$T/4.warc.gz" -p 8 --cache="$T/cache4" || return
	set -- $(fetched)
	echo "$1 requests"
	[ "$1" -lt 40 ] && [ "$(wc -l <"$T/err")" -lt 5 ] && complains "not one record could be read"
}
ctl "$port" rule fault=status match=warc.gz value=404 >/dev/null
try "an archive that is not there" few_words
stop_server server

# ---- damaged, gone ----

"$crawlfs" index -q -o "$T/w/i.cfx" "$T/w/crawl-data"
try "several archives" test "$(archives "$T/w" | wc -l)" -gt 1
set -- $(archives "$T/w")
victim=$1
cp "$victim" "$T/saved"
at=$(python3 "$CFS_SRCDIR/tests/record_ref.py" "$victim" |
	awk '$5 == "response" && $NF ~ /^https?:\/\/[^\/]*\.com\// { print $1, $2; exit }')
# in the middle of the compressed bytes: the checksum cannot hold
python3 -c 'import sys
f = open(sys.argv[1], "r+b")
f.seek(int(sys.argv[2]) + int(sys.argv[3]) // 2)
f.write(b"\xff\xff\xff\xff")' "$victim" $at
try "a damaged record" status 1 copy "$T/w/i.cfx" com -o "$T/d.warc.gz"
try "is not in the index" index_is_right "$T/d.warc.gz" com
try "the index is as of the file" index_as_read "$T/d.warc.gz"
try "is told with its place" complains "offset ${at% *}"
try "is counted" grep -q " 1 record left out: not readable" "$T/err"
try "all others are there" same "$(copycheck --records "$T/d.warc.gz")" "$n"
try "the copy is whole" gzip -t "$T/d.warc.gz"
rm "$victim"
try "an archive that is gone" status 1 copy "$T/w/i.cfx" com -o "$T/g.warc.gz"
try "is told" complains "are left out"
shift
try "the others' records are there" copycheck "$T/g.warc.gz" com "$@"
mkdir "$T/here" && cp -R "$T/w/crawl-data" "$T/here" && cp "$T/saved" "$T/here/${victim#"$T/w/"}"
stop_copy() {	# where an archive is missing, by a limit of 3 MiB
	(cd "$T" && ulimit -f 6144 && copy --data=w w/i.cfx / -o e.warc.gz -q)
}
try "stopped, without an archive" status 1 stop_copy
try "something is there" test -s "$T/e.warc.gz.part"
# Holds I8.
try "resumed with all archives elsewhere" status 0 copy --data="$T/here" \
	"$T/w/i.cfx" / -o "$T/e.warc.gz" -q
try "has all records" same "$(copycheck --records "$T/e.warc.gz")" 1501
cp "$T/saved" "$victim"
truncate -s 500000 "$victim"
try "an archive that is cut" status 1 copy "$T/w/i.cfx" com -o "$T/t.warc.gz"
try "the copy is whole" gzip -t "$T/t.warc.gz"
rm -rf "$T/w/crawl-data"
try "all archives gone" status 1 copy "$T/w/i.cfx" com -o "$T/z.warc.gz"
try "is told" complains "could be read"
try "leaves nothing" absent "$T/z.warc.gz" "$T/z.warc.gz.part" "$T/z.warc.gz.journal"

# ---- an independent reader ----

if find_warcio_js; then
	read_with_warcio() {
		timeout 60 node "$here/warcio_check.mjs" "$npm_folder" "$1" >"$2"
	}
	try "warcio reads the copy" read_with_warcio "$T/whole/x.warc.gz" "$T/io.copy"
	try "as many records" same "$(wc -l <"$T/io.copy")" \
		"$(copycheck --records "$T/whole/x.warc.gz")"
	try "warcinfo first" same "$(head -n 1 "$T/io.copy" | cut -d' ' -f1)" warcinfo
	for f in $(archives "$T/big/crawl-data"); do
		read_with_warcio "$f" "$T/io.one" && cat "$T/io.one" >>"$T/io.source"
	done
	tail -n +2 "$T/io.copy" | sort >"$T/io.sorted"
	sort "$T/io.source" | comm -13 - "$T/io.sorted" >"$T/io.only"
	try "each as in the source" not test -s "$T/io.only"
else
	skip "warcio.js: $install_problem"
fi
finish
