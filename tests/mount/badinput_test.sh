#!/bin/sh
# badinput_test.sh - what is damaged is refused or gives EIO; the rest is right.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
damage() { python3 "$here/damage.py" "$@"; }

# refuses NAME SOURCE: exit status 1, one line that names the source.
refuses() {
	mkdir -p "$T/r"
	timeout 60 "$crawlfs" mount "$2" "$T/r" >"$T/r.log" 2>&1
	refused=$?
	if is_mounted "$T/r"; then
		umount -l "$T/r"
		refused=mounted
	fi
	# Holds E9.
	try "$1: refused with 1" same "$refused" 1
	# Holds E9.
	try "$1: one line" same "$(wc -l <"$T/r.log")" 1
	# Holds E9.
	try "$1: named" grep -q "${2##*/}" "$T/r.log"
	try "$1: no report" no_report r
}

# ---- no archives ----

mkdir "$T/empty.d" "$T/junk.d"
: >"$T/empty.warc.gz"
head -c 5000 /dev/urandom >"$T/junk.bin"
printf 'just text\n' >"$T/junk.d/readme.txt"
printf 'text' | gzip >"$T/text.warc.gz"
printf '\037\213\010' >"$T/short.arc.gz"
refuses "an empty file" "$T/empty.warc.gz"
refuses "random bytes" "$T/junk.bin"
refuses "gzip of no archive" "$T/text.warc.gz"
refuses "three bytes" "$T/short.arc.gz"
# sees NAME FILE SENTENCE: it is refused with what was seen.
sees() {
	refuses "$1" "$2"
	# Holds E9.
	try "$1: said" grep -qF "$3" "$T/r.log"
}
mkdir "$T/tar"
printf 'text\n' >"$T/tar/a"
tar -C "$T" -cf "$T/pages.tar" tar
gzip -k "$T/pages.tar"
printf '\n<!DOCTYPE html>\n<html><h1>Not found</h1></html>\n' >"$T/page.warc.gz"
gzip -c "$T/page.warc.gz" >"$T/page2.warc.gz"
printf '<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>' >"$T/s3.warc.gz"
printf ' CDX a b a m s k r M g u\nhttp://a.org/ 20200101000000 http://a.org/ text/html 200 ABC - - x.warc.gz <urn:uuid:1>\n' >"$T/wget.cdx"
printf ' CDX N b a m s k r g\norg,a)/ 20200101000000 http://a.org/ text/html 200 ABC - x.warc.gz\n' >"$T/other.cdx"
python3 -c 'import bz2, lzma, sys
open(sys.argv[1] + "/x.warc.xz", "wb").write(lzma.compress(b"WARC/1.0\r\n"))
open(sys.argv[1] + "/x.warc.bz2", "wb").write(bz2.compress(b"WARC/1.0\r\n"))' "$T"
i=0		# more than a block of zstd
while [ $((i += 1)) -le 2000 ]; do
	echo "org,a)/$i 20200101000000 http://a.org/$i text/html 200 $(printf %032d $i | tr 0189 A-D) - - 500 $((i * 500)) x.warc.gz"
done | zstd -q >"$T/x.cdx.zst"
sees "empty" "$T/empty.warc.gz" ": empty"
sees "a gzip file of a tar archive" "$T/pages.tar.gz" "a gzip file of a tar archive"
sees "a tar archive" "$T/pages.tar" ": a tar archive"
sees "zstd of CDX" "$T/x.cdx.zst" "a zstd file of CDX lines: not supported"
sees "xz" "$T/x.warc.xz" "xz: not supported"
sees "bzip2" "$T/x.warc.bz2" "bzip2: not supported"
sees "a web page" "$T/page.warc.gz" \
	"a web page (text/html): an error page in place of an archive?"
sees "a compressed web page" "$T/page2.warc.gz" "a gzip file of a web page (text/html)"
sees "an error of S3" "$T/s3.warc.gz" "an XML document: an error message"
sees "wget's CDX without offsets" "$T/wget.cdx" "a CDX without the column V (the offset)"
sees "another's CDX without offsets" "$T/other.cdx" "a CDX without the column V (the offset)"
legend() {	# legend LETTERS WHAT: what the message names
	printf ' CDX %s\n%s\n' "$1" "$(echo "$1" | sed 's/[A-Za-z]/1/g')" >"$T/l.cdx"
	sees "a CDX with the columns $1" "$T/l.cdx" "a CDX $2"
	gzip -c "$T/l.cdx" >"$T/l.cdx.gz"
	sees "compressed, with the columns $1" "$T/l.cdx.gz" "a gzip file of a CDX $2"
}
legend 'b V g' 'without the column N (the key) or a (the URL)'
legend 'V g a' 'without the column b (the time)'
legend 'v A b' 'without the column g (the archive'
legend 'g V b a' 'whose lines are damaged'
sees "gzip of something else" "$T/text.warc.gz" "a gzip file of something"
"$crawlfs" index -q -o "$T/none.cfx" "$T/pages.tar.gz" "$T/wget.cdx" 2>"$T/err"
try "index: what was seen" complains "pages.tar.gz: a gzip file of a tar archive"
try "index: what was seen of a CDX" complains "wget.cdx: a CDX without the column V"
refuses "an empty folder" "$T/empty.d"
refuses "a folder without archives" "$T/junk.d"
refuses "nothing" "$T/nothing"
refuses "a device" /dev/null
refuses "no mount point" "$T/junk.bin"

# ---- very much of it ----

# 400 members, each of which declares a record and is no deflate data after it:
# so long that threads read stretches of the archive
python3 - "$T/much.warc.gz" <<'EOT'
import sys, zlib
def begun(name):
    c = zlib.compressobj(6, zlib.DEFLATED, 31)
    body = b"x" * 50
    return c.compress(b"WARC/1.0\r\nWARC-Type: resource\r\n"
                      b"WARC-Date: 2020-01-01T00:00:00Z\r\n"
                      b"WARC-Record-ID: <urn:uuid:1>\r\n"
                      b"WARC-Target-URI: http://a.org/%d\r\n"
                      b"Content-Length: 50\r\n\r\n" % name + body +
                      b"\r\n\r\n") + c.flush(zlib.Z_SYNC_FLUSH), c
with open(sys.argv[1], "wb") as f:
    for i in range(400):
        data, c = begun(i)
        f.write(data + (c.flush() if i == 0 else b"\xff" * 60000))
EOT
logs() {	# logs WHERE COMMAND...: a hundred lines of it, and one that says so
	where=$1
	shift
	"$crawlfs" "$@" >"$T/much.out" 2>"$T/much.err"
	same "$(grep -c 'invalid block type' "$T/much.err")" 100 &&
		same "$(grep -c "more of it is damaged ($where)" "$T/much.err")" 1 &&
		same "$(wc -l <"$T/much.err")" 101
}
try "index: a hundred lines" logs "'crawlfs verify --report=FILE' lists all" index -q --threads=4 -o "$T/much.cfx" \
	"$T/much.warc.gz"
try "export: a hundred lines" logs "rows with an error have all" export -q --fields=url,error \
	"$T/much.warc.gz"
try "export: all damage has its row" same \
	"$(grep -c 'invalid block type' "$T/much.out")" 399

# ---- a crawl, its index, its PB-tree ----

"$mkcrawl" --records 250 --hostile 10 --page-bytes 500 --arc --pbtree --warc \
	--archive-bytes 60000 "$T/c" >/dev/null || exit 1
manifest=$T/c/manifest.tsv
mkdir "$T/ix" "$T/pb"
try "indexes" "$crawlfs" index -o "$T/c/good.cfx" "$T/c/crawl-data" \
	"$T/c/parse-output"
try "the index mounts" start_mount m "$T/c/good.cfx"
try "the index serves everything" check served --refused 0 --least 250 \
	"$manifest" "$T/m"
try "ends well" stop_mount m

# damaged NAME FILE OPTION...: mounted or refused, never a wrong byte.
mounts=0
damaged() {
	name=$1 file=$2
	shift 2
	: >"$T/d.log"
	if ! timeout 60 true || ! start_mount d "$file" >"$T/start.log" 2>&1; then
		wait "$mount_pid"
		ended=$?
		rm -f "$T/mounts/d"
		if [ "$ended" -ne 1 ] || ! no_report d || ! [ -s "$T/d.log" ]; then
			fail "$name: status $ended, or a report"
			tail -n 40 "$T/d.log"
		else
			ok "$name: refused"
		fi
		return
	fi
	mounts=$((mounts + 1))
	timeout 100 find "$T/d" -ls >"$T/walk" 2>"$T/walk.err"
	[ $? -lt 124 ] || fail "$name: find hangs"
	# Holds E3, E8.
	try "$name: no byte is wrong" timeout 100 python3 "$here/mountcheck.py" \
		served --may-miss --least 0 "$@" "$manifest" "$T/d"
	try "$name: ends well" stop_mount d
}

pbtree=$T/c/parse-output/url-index.1356128792
cp "$pbtree" "$T/good.pb"
cp "$T/c/good.cfx" "$T/good.cfx"
for seed in 1 2 3 4 5 6; do
	case $seed in
	1) how="flip 1 1" ;;
	2) how="head 2 3" ;;
	3) how="words 3 40" ;;
	4) how="bytes 4 200" ;;
	5) how="head 5 1" ;;
	6) how="flip 6 3000" ;;
	esac
	damage $how "$T/good.cfx" "$T/c/good.cfx"
	damaged "index, $how" "$T/c/good.cfx"
	damage $how "$T/good.pb" "$pbtree"
	damaged "PB-tree, $how" "$pbtree" --pbtree --base parse-output
done
bytes=$(wc -c <"$T/good.cfx")
for at in 0 7 8 100 4096 $((bytes / 2)) $((bytes - 1)); do
	damage cut $at "$T/good.cfx" "$T/c/good.cfx"
	damaged "index cut at $at" "$T/c/good.cfx"
done
bytes=$(wc -c <"$T/good.pb")
for at in 8 65544 $((bytes - 65536)) $((bytes - 1)); do
	damage cut $at "$T/good.pb" "$pbtree"
	damaged "PB-tree cut at $at" "$pbtree" --pbtree --base parse-output
done
# Holds E8.
try "some damaged indexes are served" test "$mounts" -gt 2
cp "$T/good.cfx" "$T/c/good.cfx"
cp "$T/good.pb" "$pbtree"

# ---- archives missing, cut, damaged after indexing ----

archive=$(cut -f5 "$manifest" | grep 'warc\.gz' | sort | uniq -c | sort -rn |
	sed -n '1s/^ *[0-9]* //p')
inside=$(grep -c "	$archive	" "$manifest")
# an empty body needs no bytes of its record
unread=$(awk -F'\t' -v a="$archive" '$5 == a && $9 > 0' "$manifest" | wc -l)
all=$(grep -vc '^#' "$manifest")
mv "$T/c/$archive" "$T/away"
try "mounts with an archive missing" start_mount m "$T/c/good.cfx"
# Holds E2.
try "its files are EIO, the others right" check served --refused "$unread" \
	--least $((all - unread)) "$manifest" "$T/m"
# Holds E4.
try "the log names it" grep -q "${archive##*/}" "$T/m.log"
try "the listing is whole" same "$(find "$T/m" | wc -l)" \
	"$(python3 "$model/tree_model.py" "$manifest" | wc -l | awk '{ print $1 + 1 }')"
mv "$T/away" "$T/c/$archive"
try "ends well" stop_mount m

# cut behind the middle record
at=$(grep "	$archive	" "$manifest" | cut -f6 | sort -n | sed -n "$((inside / 2))p")
cp -p "$T/c/$archive" "$T/whole"
truncate -s $((at + 20)) "$T/c/$archive"
try "mounts with an archive cut" start_mount m "$T/c/good.cfx"
lost=$((inside - inside / 2 + 1))
# Holds E2.
try "what is cut off is EIO, the others right" check served --refused $lost \
	--least $((all - lost)) "$manifest" "$T/m"
try "ends well" stop_mount m
cp -p "$T/whole" "$T/c/$archive"

# a damaged member in the middle, after indexing
length=$(grep "	$archive	$at	" "$manifest" | cut -f7 | sed -n 1p)
damage at $((at + length / 2)) 8 "$T/whole" "$T/c/$archive"
try "mounts with a member damaged" start_mount m "$T/c/good.cfx"
# Holds E2.
try "it is EIO, the others right" check served --refused 1 \
	--least $((all - 1)) "$manifest" "$T/m"
# Holds E4.
try "the log names archive and offset" grep -q \
	"${archive##*/}.*offset.* *$at" "$T/m.log"
try "ends well" stop_mount m

# the same before indexing: absent or EIO
try "mounts the damaged archive" start_mount m "$T/c/$archive"
grep "	$archive	" "$manifest" >"$T/one.tsv"
revisits=$(cut -f2 "$T/one.tsv" | grep -c revisit)
try "all others are right" check served --own --may-miss --refused 1 --base \
	"${archive%/*}" --least $((inside - 1 - revisits)) "$T/one.tsv" "$T/m"
try "the damage is told" grep -q "${archive##*/}.*offset" "$T/m.log"
try "ends well" stop_mount m
cp -p "$T/whole" "$T/c/$archive"

# cut in the middle of a member, before indexing
truncate -s $((at + 20)) "$T/c/$archive"
try "mounts the cut archive" start_mount m "$T/c/$archive"
# Holds E11.
try "what is there is right" check served --own --may-miss --base "${archive%/*}" \
	--least $((inside - lost - revisits)) "$T/one.tsv" "$T/m"
try "ends well" stop_mount m
cp -p "$T/whole" "$T/c/$archive"

# ---- a revisit of a damaged record ----

tab=$(printf '\t')
cat >"$T/urls" <<END
http://news.example/paper${tab}20240101000000${tab}200${tab}response
http://news.example/paper${tab}20240201000000${tab}200${tab}revisit
END
"$mkcrawl" --warc --bare --urls "$T/urls" --records 2 "$T/rev" >/dev/null || exit 1
python3 "$model/cdx_model.py" make cdxj "$T/rev/manifest.tsv" "$T/rev/i.cdxj"
refusals() {	# refusals N: so many of its two pages are EIO, none is empty
	refusals=0
	find "$T/m" -type f ! -name '*.meta' ! -name '*.txt' >"$T/pages"
	same 2 "$(wc -l <"$T/pages")" || return 1
	while read -r page; do
		if cat "$page" >"$T/page" 2>"$T/err"; then
			[ -s "$T/page" ] || { echo "$page is empty"; return 1; }
		else
			grep -q 'Input/output error' "$T/err" || return 1
			refusals=$((refusals + 1))
		fi
	done <"$T/pages"
	same "$1" $refusals
}
try "mounts a CDX with a revisit" start_mount m -o "data=$T/rev" "$T/rev/i.cdxj"
try "it has the body of the other" refusals 0
try "ends well" stop_mount m
awk -F'\t' '$2 == "response" { print $5, $6, $7 }' "$T/rev/manifest.tsv" \
	>"$T/place"
read -r target at length <"$T/place"
cp "$T/rev/$target" "$T/whole.rev"
damage at $((at + length / 2)) 8 "$T/whole.rev" "$T/rev/$target"
try "mounts with that one damaged" start_mount m -o "data=$T/rev" "$T/rev/i.cdxj"
# Holds C9.
try "a revisit of a damaged record is EIO, not empty" refusals 2
try "ends well" stop_mount m

# ---- changed after indexing ----

"$mkcrawl" --records 30 --page-bytes 300 --warc --bare --hostile 0 --seed 7 \
	"$T/old" >/dev/null || exit 1
"$mkcrawl" --records 40 --page-bytes 300 --warc --bare --hostile 0 --seed 8 \
	"$T/new" >/dev/null || exit 1
file=$(cd "$T/old" && find . -name '*.warc.gz' | sed 's|^\./||')
newer=$(cd "$T/new" && find . -name '*.warc.gz' | sed 's|^\./||')
cp "$T/old/$file" "$T/changing.warc.gz"
awk -F'\t' -v OFS='\t' '!/^#/ { $5 = "changing.warc.gz" } { print }' \
	"$T/old/manifest.tsv" >"$T/old.tsv"
awk -F'\t' -v OFS='\t' '!/^#/ { $5 = "changing.warc.gz" } { print }' \
	"$T/new/manifest.tsv" >"$T/new.tsv"
try "mounts" start_mount m "$T/changing.warc.gz"
try "the old tree" check tree "$T/old.tsv" "$T/m"
try "ends well" stop_mount m
cp "$T/new/$newer" "$T/changing.warc.gz"
try "mounts the changed archive" start_mount m "$T/changing.warc.gz"
# Holds C3.
try "the new tree" check tree "$T/new.tsv" "$T/m"
echo 3 2>/dev/null >/proc/sys/vm/drop_caches
# changed under the mount: the old bytes or EIO
cp "$T/old/$file" "$T/changing.warc.gz"
# Holds C2.
try "changed under the mount: never wrong bytes" check served --least 0 \
	"$T/new.tsv" "$T/m"
: >"$T/changing.warc.gz"
# Holds C2.
try "emptied under the mount: never wrong bytes" check served --least 0 \
	"$T/new.tsv" "$T/m"
try "ends well" stop_mount m
cp "$T/new/$newer" "$T/changing.warc.gz"
try "mounts" start_mount m "$T/changing.warc.gz"
cp "$T/old/$file" "$T/changing.warc.gz"
# Holds E3.
try "changed before the first read: never wrong bytes" check served --least 0 \
	"$T/new.tsv" "$T/m"
try "ends well" stop_mount m
touch -d '2001-01-01' "$T/changing.warc.gz"
try "mounts after a new time" start_mount m "$T/changing.warc.gz"
# Holds C3.
try "the old tree again" check tree "$T/old.tsv" "$T/m"
try "ends well" stop_mount m
# the index kept by mount is damaged: built anew or refused, never wrong bytes
kept=$(find "$T/cache" -name '*.cfx' | sed -n 1p)
for kept in $(find "$T/cache" -name '*.cfx'); do
	damage words 11 60 "$kept" "$kept.x" && mv "$kept.x" "$kept"
done
mv "$manifest" "$T/manifest.all"
cp "$T/old.tsv" "$T/c/manifest.tsv"
damaged "the kept index" "$T/changing.warc.gz"
finish
