#!/bin/sh
# parts_test.sh - crawlfs index --part: parts of all kinds of inputs, put
# together, are the index that one machine makes, byte for byte.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

index() { "$crawlfs" index -q "$@"; }
# make_parts N FOLDER INPUT...: all parts, the last one first
make_parts() {
	parts_n=$1 parts_in=$2
	shift 2
	parts_k=$parts_n
	while [ "$parts_k" -gt 0 ]; do
		index --part="$parts_k/$parts_n" -o "$parts_in" "$@" || return 1
		parts_k=$((parts_k - 1))
	done
}
# equal N FOLDER [OPTION...] INPUT...: in FOLDER, in N parts and in one
equal() {
	equal_n=$1 equal_in=$2
	shift 2
	rm -rf "$equal_in/parts" "$equal_in/one.cfx" "$equal_in/all.cfx"
	make_parts "$equal_n" "$equal_in/parts" "$@" &&
		index -o "$equal_in/one.cfx" "$@" &&
		index -o "$equal_in/all.cfx" "$equal_in/parts" &&
		cmp "$equal_in/one.cfx" "$equal_in/all.cfx" &&
		[ -e "$equal_in/parts/_SUCCESS" ]
}

# ---- every kind of input ----

"$mkcrawl" --records 900 --page-bytes 2000 --archive-bytes 200000 "$T/crawl" \
	>"$T/made" || exit 1
for n in 1 2 8 60; do
	# Holds W6.
	try "a crawl with revisits in $n parts" equal $n "$T" "$T/crawl"
done
try "without the sizes of views" equal 3 "$T" --no-views "$T/crawl"
# staged OPTION...: what the jobs of crawlfs-slurm do, without Slurm
slurm_job=$CFS_SRCDIR/contrib/cluster/crawlfs-slurm
stage() {
	CRAWLFS=$crawlfs bash "$slurm_job" index "--stage=$@"
}
staged() {
	rm -rf "$T/staged.cfx" "$T/staged.cfx.parts" "$T/one.cfx"
	for k in 1 2 3; do
		SLURM_ARRAY_TASK_ID=$k stage task --step=3 -n 3 \
			-o "$T/staged.cfx" "$@" "$T/crawl" || return 1
	done
	stage merge --after= -n 3 -o "$T/staged.cfx" "$@" "$T/crawl" &&
		index -o "$T/one.cfx" "$@" "$T/crawl" &&
		cmp "$T/one.cfx" "$T/staged.cfx"
}
has_program bash && for option in --threads=2 --final --no-views --markdown \
		--digests --base="$T"; do
	try "crawlfs-slurm: an index with $option" staged "$option"
done
try "captures picked" equal 3 "$T" --prefix=com,org --status=200 "$T/crawl"
# put_together FROM TO INPUT OPTION...: parts in FROM, together in the folder TO;
# the options are not given again
put_together() {
	together_in=$1 together_to=$2 together_of=$3
	shift 3
	rm -rf "$together_in/parts"
	make_parts 3 "$together_in/parts" "$@" "$together_of" &&
		index -o "$together_to/one.cfx" "$@" "$together_of" &&
		index -o "$together_to/all.cfx" "$together_in/parts" &&
		cmp "$together_to/one.cfx" "$together_to/all.cfx"
}
mkdir "$T/away" "$T/more"
try "sizes of Markdown and hashes, of revisits too" put_together "$T/more" \
	"$T/more" "$T/crawl" --markdown --simhash
try "archives that are elsewhere" equal 3 "$T/away" "$T/crawl"
try "names that become longer" put_together "$T/crawl" "$T" "$T/crawl" \
	--no-views
rm -r "$T/crawl/parts"
try "names from the root on" equal 2 "$T" --base=/ "$T/crawl"
try "one thread, and little memory" equal 3 "$T" --threads=1 --memory=1M \
	"$T/crawl"
mkdir "$T/2012" "$T/2024" "$T/waczs" "$T/bodies"
for year in 2012 2024; do
	python3 "$CFS_SRCDIR/tests/side_crawl.py" $year "$T/$year" || exit 1
	for n in 2 5; do
		# Holds W6.
		try "texts and metadata of $year in other parts, $n" \
			equal $n "$T/$year" "$T/$year"
	done
done
make_wacz() { python3 "$CFS_SRCDIR/tests/make_wacz.py" "$@" || exit 1; }
make_wacz --host a.made --archives 3 "$T/waczs/a.wacz" 30 "$T/bodies"
make_wacz --host b.made --deflate "$T/waczs/b.wacz" 10 "$T/bodies"
try "WACZ files" equal 4 "$T/waczs" "$T/waczs"
mkdir "$T/tables"
python3 "$here/selection_check.py" make "$T/crawl/manifest.tsv" "$T/tables" ||
	exit 1
try "selections" equal 3 "$T/tables" --base="$T/crawl" \
	"$T/tables/athena.csv" "$T/tables/spark.jsonl" "$T/tables/plain.tsv"

# CDX lines: archives are numbered as they are met, in any part
n=0
for archive in $(find "$T/crawl" -name '*.warc.gz' | sort -r); do
	n=$((n + 1))
	index --no-views --base="$T/crawl" -o "$T/crawl/x.cfx" "$archive" &&
		"$crawlfs" lookup "$T/crawl/x.cfx" com org net 2>"$T/err" | sort \
			>"$T/lines-$n.cdxj"
done
rm -f "$T/crawl/x.cfx"
# Holds W6.
try "there are CDX files" [ $n -gt 2 ]
try "CDX files" equal 3 "$T" --base="$T/crawl" "$T"/lines-*.cdxj
try "CDX files beside archives" equal 4 "$T" --base="$T/crawl" \
	"$T"/lines-*.cdxj "$T/crawl"

mkdir "$T/segments" "$T/browser" "$T/pbtree"
python3 "$here/segments_check.py" make "$T/segments" &&
	python3 "$here/related_check.py" make "$T/browser" || exit 1
# the same by grep: in which order texts are numbered depends on the parts
same_words() {
	for of in one all; do
		"$crawlfs" grep -l text "$T/2024/$of.cfx" >"$T/words.$of" || return 1
	done
	[ -e "$T/2024/all.cfw" ] && cmp "$T/words.one" "$T/words.all"
}
try "lists of words, of parts without a page, too" equal 60 "$T/2024" --words \
	"$T/2024"
try "find the same" same_words
rm -f "$T"/2024/*.cfw
try "records in segments" equal 3 "$T/segments" "$T/segments"
try "requests without a page, and a browser's records" equal 3 "$T/browser" \
	"$T/browser"
"$mkcrawl" --arc --pbtree --records 300 --archive-bytes 60000 \
	--page-bytes 600 "$T/pbtree" >"$T/out" || exit 1
try "a PB-tree and the archives that it names" equal 3 "$T/pbtree" \
	$(find "$T/pbtree" -type f ! -name manifest.tsv)
for year in 2012 2024; do
	try "of texts and metadata of $year, those of pages that are picked" \
		equal 5 "$T/$year" --status=200 --mime=html "$T/$year"
done

(cd "$T/crawl" && find . -name '*.warc.gz' | sed 's,^\./,,' | sort) \
	>"$T/warc.paths"
try "a list of names" equal 3 "$T" --base="$T/crawl" "$T/warc.paths"

# More parts than are merged at a time (AT_ONCE in src/indexing/part_merge.c):
# the texts are in others than their pages, also in the second step.
many=330
try "there are more than are merged at a time" [ $many -gt \
	"$(sed -n 's/^#define AT_ONCE \([0-9]*\)u/\1/p' \
		"$CFS_SRCDIR/src/indexing/part_merge.c")" ]
try "$many parts" equal $many "$T/2012" "$T/2012"
try "and nothing is left beside the index" same \
	"$(find "$T/2012" -name '.crawlfs*')" ""

# Damage is kept of 1,000 places; so it is where the parts have more.
python3 - "$T/spoilt" <<'END'
import gzip, os, sys
os.mkdir(sys.argv[1])
for i in range(150):
    with open("%s/%03d.warc.gz" % (sys.argv[1], i), "wb") as f:
        for k in range(10 if i else 0):
            body = b"HTTP/1.1 200 OK\r\n\r\n%d" % k
            f.write(gzip.compress(
                b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %d\r\n"
                b"WARC-Target-URI: http://a.example/%d/%d\r\n"
                b"WARC-Date: 2020-01-01T00:00:00Z\r\n\r\n%s\r\n\r\n" %
                (len(body), i, k, body)) + b"no member")
END
try "more damage than an index keeps" equal 3 "$T/spoilt" "$T/spoilt"
try "is kept up to the limit" same "$(python3 -c 'import sys
b = open(sys.argv[1], "rb").read()
print(int.from_bytes(b[1640:1648], "little") > 9000)' "$T/spoilt/all.cfx")" True

# What is said of an index of parts is what is said of the whole: what is joined,
# left out or missing.
says() { grep "joined\|incomplete\|only$\|of no page\|repeated" "$1"; }
said_equal() {	# said_equal N INPUT
	rm -rf "$T/said" && make_parts "$1" "$T/said" "$2" 2>"$T/err" &&
		"$crawlfs" index -o "$T/said.cfx" "$2" 2>"$T/whole" &&
		"$crawlfs" index -o "$T/said.cfx" "$T/said" 2>"$T/parts.out" &&
		same "$(says "$T/parts.out")" "$(says "$T/whole")"
}
for what in segments browser 2024 2012 crawl; do
	try "what is said of parts of $what" said_equal 3 "$T/$what"
done
try "records are said to lack segments" sh -c '"$1" index -o "$2/said.cfx" \
	"$2/segments" 2>&1 | grep -q "3 records incomplete"' sh "$crawlfs" "$T"

# ---- shares ----

rm -rf "$T/parts"
for k in 4 3 2 1; do
	"$crawlfs" index --part=$k/4 -o "$T/parts" "$T/crawl" 2>&1 |
		sed -n 's/^  \([0-9]*\) kB read.*/\1/p'
done >"$T/sizes"
try "shares are about equal" awk 'NR == 1 { least = most = $1 }
	{ if ($1 < least) least = $1; if ($1 > most) most = $1 }
	END { exit !(NR == 4 && most < 1.3 * least) }' "$T/sizes"
shared_out() {	# the same part of the same inputs in another order
	make_parts 2 "$T/order" "$T/2012" "$T/2024" &&
		make_parts 2 "$T/redro" "$T/2024" "$T/2012" &&
		cmp "$T/order/part-00001-of-00002.cfx" \
			"$T/redro/part-00001-of-00002.cfx"
}
try "in whatever order the inputs are named" shared_out
try "a part is an index, too" sh -c '"$1" ls "$2" | grep -q .' sh "$crawlfs" \
	"$T/parts/part-00002-of-00004.cfx"

# ---- again, and half ----

part=$T/parts/part-00003-of-00004.cfx
before=$(stat -c '%i %Y' "$part")
try "a part that is there" status 0 "$crawlfs" index --part=3/4 -o "$T/parts" \
	"$T/crawl"
try "is said to be" grep -q "is there already" "$T/err"
try "and left alone" same "$(stat -c '%i %Y' "$part")" "$before"
cp "$part" "$T/kept"
try "unless it is to be made again" index --force --part=3/4 -o "$T/parts" \
	"$T/crawl"
try "with the same bytes" cmp "$part" "$T/kept"
try "other inputs" status 2 "$crawlfs" index --part=3/4 -o "$T/parts" \
	"$T/crawl" "$T/2024"
try "are refused" complains "is a part of other inputs"
try "other options" status 2 "$crawlfs" index --no-views --part=3/4 \
	-o "$T/parts" "$T/crawl"
try "too" complains "or made with other options"
for option in --from=2012 --to=2030 --status=2xx --mime=html --prefix=com \
	--max-record=5M --base="$T"; do
	try "as $option" status 2 "$crawlfs" index "$option" --part=3/4 \
		-o "$T/parts" "$T/crawl"
done
try "options that change no part are not" index --threads=2 --memory=8M \
	--timeout=9 --final --part=3/4 -o "$T/parts" "$T/crawl"
head -c 5000 "$T/kept" >"$part"
try "half a part" status 0 "$crawlfs" index --part=3/4 -o "$T/parts" "$T/crawl"
try "is made again" complains "is made again"
try "and is the same" cmp "$part" "$T/kept"

# ---- what is put together ----

merge() { status "$1" "$crawlfs" index -o "$T/all.cfx" "$T/parts"; }
rm -f "$T/all.cfx" "$part" "$T/parts/_SUCCESS"
try "with a gap" merge 2
try "the part is named" complains "1 of 4 parts missing: 3 "
try "and nothing is made" absent "$T/all.cfx" "$T/parts/_SUCCESS"
python3 - "$T/kept" "$part" <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[int.from_bytes(b[1616:1624], "little") + 30] ^= 1
open(sys.argv[2], "wb").write(b)
END
try "with damage" merge 2
try "the part is named" complains "part 3 of 4 .*: make it again with --part=3/4 --force"
try "and nothing is made" absent "$T/all.cfx" "$T/parts/_SUCCESS"
# broken PLACE: the part, with a byte changed in one of its stretches
broken() {
	python3 - "$T/kept" "$part" "$1" <<'END'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
places = {"leaf": 4096, "rows": struct.unpack_from("<Q", b, 1616)[0],
          "ids": struct.unpack_from("<Q", b, 1584)[0],
          "archives": struct.unpack_from("<Q", b, 112)[0]}
b[places[sys.argv[3]] + 20] ^= 1
open(sys.argv[2], "wb").write(b)
END
}
for place in leaf rows ids archives; do
	broken $place
	try "with damage in its $place" merge 2
	try "the part is named" complains \
		"part 3 of 4 .*: make it again with --part=3/4 --force"
	try "and nothing is made" absent "$T/all.cfx" "$T/parts/_SUCCESS"
done
# what parts of earlier versions have: where their tables are, and a sum that fits
python3 - "$T/kept" "$part" "$CFS_SRCDIR" <<'END'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[3] + "/tests/model")
from tree_model import xxh64
b = bytearray(open(sys.argv[1], "rb").read())
b[4048] = 1
b[4088:4096] = xxh64(bytes(b[:4088])).to_bytes(8, "little")
open(sys.argv[2], "wb").write(b)
END
try "a part of an earlier version" merge 2
try "is to be made again" complains "part 3 of 4 was made by an earlier version"
cp "$T/parts/part-00002-of-00004.cfx" "$part"
try "with one part by another's name" merge 2
try "it is named" complains "part-00003-of-00004.cfx"
cp "$T/kept" "$part"
index --part=1/2 -o "$T/parts" "$T/crawl"
try "parts of 4 and of 2" merge 2
try "are refused" complains "has parts of [24] and of [24]"
rm "$T/parts/part-00001-of-00002.cfx"
mkdir "$T/others"
make_parts 4 "$T/others" "$T/2024"
cp "$T/others/part-00004-of-00004.cfx" "$T/parts"
try "parts of other inputs" merge 2
try "are refused" complains "different inputs"
index --force --part=4/4 -o "$T/parts" "$T/crawl"
try "nothing can be added to parts" status 2 "$crawlfs" index -o "$T/all.cfx" \
	"$T/parts" "$T/2024"
try "as is said" complains "and nothing else"
try "archives named from elsewhere" status 2 "$crawlfs" index \
	-o "$T/2024/all.cfx" "$T/parts"
try "are refused" complains "one --base"
: >"$T/parts/.crawlfs-part-00001-of-00004.cfx-host-1-00000000.tmp"
: >"$T/parts/other"
index -o "$T/one.cfx" "$T/crawl"
try "all parts" merge 0
try "make the index" cmp "$T/one.cfx" "$T/all.cfx"
try "what killed tasks left is gone, and nothing else" same \
	"$(ls -A "$T/parts" | grep -v '^part-0' | tr '\n' ' ')" "_SUCCESS other "
for bad in 0/4 5/4 4 /4 4/ 1/0 a/b 1/100000; do
	try "--part=$bad" status 2 "$crawlfs" index --part=$bad -o "$T/parts" \
		"$T/crawl"
done
try "a file where the folder is to be" status 2 "$crawlfs" index --part=1/2 \
	-o "$T/one.cfx" "$T/crawl"
finish
