#!/bin/sh
# learnt_test.sh - sizes that opening files has shown are known after a remount:
# of a ZipNum cluster and a PB-tree on a server, and of a CDX file here.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

www=$T/www
manifest=$www/manifest.tsv
"$mkcrawl" --records 400 --hostile 0 --page-bytes 3000 --archive-bytes 200000 \
	--warc "$www" >/dev/null || exit 1
"$mkcrawl" --records 300 --hostile 0 --page-bytes 3000 --archive-bytes 200000 \
	--arc --pbtree "$www/2012" >/dev/null || exit 1
cdx_model() { python3 "$model/cdx_model.py" "$@"; }
mkdir "$www/zip"
cdx_model make zipnum "$manifest" "$www/zip" --lines 25 --shards 2 || exit 1
cdx=$www/all.cdx
cdx_model make cdx "$manifest" "$cdx" || exit 1
start_faultd faultd "$www" || skip_all "no server"

# listed MOUNT: size and path of every file as stat has it, without opening one
listed() { (cd "$T/$1" && find . -type f -printf '%s %P\n' | LC_ALL=C sort -k 2); }
# counted MOUNT: the same by reading the bytes
counted() {
	python3 - "$T/$1" <<'END' | LC_ALL=C sort -k 2
import os, sys
top = os.fsencode(sys.argv[1])
for base, dirs, names in os.walk(top):
    for name in names:
        path = os.path.join(base, name)
        with open(path, "rb") as f:
            n = len(f.read())
        sys.stdout.buffer.write(b"%d %s\n" % (n, os.path.relpath(path, top)))
END
}
same_sizes() { listed "$1" | cmp - "$T/true"; }
differ() { listed "$1" | not cmp - "$T/true"; }
blocks=$T/cache/crawlfs/blocks
segments() { find "$blocks" -name '*.seg' 2>/dev/null | wc -l; }
# kept: how many sizes the cache has
kept() { "$crawlfs" cache info | sed -n 's/,//g; s/^sizes  *\([0-9]*\) sizes* of .*/\1/p'; }
has_kept() { [ "$(kept)" -ge "$1" ]; }
has_none() { same "" "$(kept)"; }
no_archive() {	# no request for one while COMMAND runs
	counts >/dev/null
	"$@" || return 1
	same 0 "$(requests)"
}

# all_of NAME SOURCE [OPTION...]: learn, remount, and know
all_of() {
	what=$1 source=$2
	shift 2
	"$crawlfs" cache clear >/dev/null
	try "$what: mounts" start_mount m "$@" "$source"
	counted m >"$T/true"
	try "$what: $(wc -l <"$T/true") files read" test "$(wc -l <"$T/true")" -gt 700
	try "$what: remount" remount m "$@" "$source"
	# Holds S8.
	try "$what: every size is known at once" same_sizes m
	counted m >"$T/again"
	try "$what: and reading shows the same" cmp "$T/again" "$T/true"
	try "$what: the cache counts them" has_kept 500
	try "$what: ends" stop_mount m
	mv "$blocks" "$T/away"
	start_mount m "$@" "$source"
	try "$what: without them they are estimates" differ m
	stop_mount m
	rm -rf "$blocks"
	mv "$T/away" "$blocks"
}

all_of ZipNum "$url/zip/cluster.idx" -o "data=$url"
try "ZipNum: remount" start_mount m "$url/zip/cluster.idx" -o "data=$url"
try "ZipNum: stat asks for nothing" no_archive same_sizes m
first=$(pages_of m | head -n 1)
try "ZipNum: ends" stop_mount m
xattr_says() {
	python3 -c 'import os, sys
print(os.getxattr(sys.argv[1], "user.crawlfs.size_is_exact").decode())' "$2" |
		grep -qx "$1"
}
start_mount m "$url/zip/cluster.idx" -o "data=$url,xattr"
try "size_is_exact says so" xattr_says 1 "$first"
stop_mount m

# by another rendering .meta is another file
compact() {
	start_mount m "$url/zip/cluster.idx" -o "data=$url,meta=compact" &&
		listed m | grep '\.meta$' >"$T/a" &&
		grep '\.meta$' "$T/true" | not cmp - "$T/a" &&
		listed m | grep -v '\.meta$' >"$T/a" &&
		grep -v '\.meta$' "$T/true" | cmp - "$T/a" && stop_mount m
}
try "sizes of .meta hold for one rendering" compact

# archives elsewhere are another place
elsewhere() {
	cp -r "$www/crawl-data" "$T/elsewhere" && mkdir "$T/base" &&
		mv "$T/elsewhere" "$T/base/crawl-data" &&
		start_mount m "$url/zip/cluster.idx" -o "data=$T/base" &&
		differ m && stop_mount m
}
try "sizes hold for one place of the archives" elsewhere

# ---- several mounts, and what is killed ----

together() {
	"$crawlfs" cache clear >/dev/null &&
		start_mount m "$url/zip/cluster.idx" -o "data=$url" &&
		start_mount n "$url/zip/cluster.idx" -o "data=$url" || return 1
	pages_of m | xargs cat >/dev/null &
	reader=$!
	find "$T/n" -name '*.meta' -exec cat {} + -o -name '*.txt' -exec cat {} + >/dev/null
	wait "$reader"
	stop_mount m && stop_mount n &&
		start_mount m "$url/zip/cluster.idx" -o "data=$url" &&
		same_sizes m
}
try "two mounts learn into one folder" together
try "which is sound" "$crawlfs" cache verify
stop_mount m

killed() {
	"$crawlfs" cache clear >/dev/null
	start_mount m "$url/zip/cluster.idx" -o "data=$url" || return 1
	counted m >/dev/null
	wait_for has_kept 300
	kill -9 "$(pid_of m)"
	detach "$T/m"
	wait "$(pid_of m)" 2>/dev/null
	rm -f "$T/mounts/m"
	start_mount m "$url/zip/cluster.idx" -o "data=$url" &&
		listed m | LC_ALL=C join -j 2 - "$T/true" >"$T/joined"
	# many are known; what is not is an estimate
	known=$(awk '$2 == $3' "$T/joined" | wc -l)
	echo "$known of $(wc -l <"$T/joined")"
	[ "$known" -gt 200 ] && counted m | cmp - "$T/true"
}
LC_ALL=C sort -k 2 -o "$T/true" "$T/true"
# Holds S8.
try "a mount that is killed" killed
try "ends" stop_mount m

# ---- the folder ----

kept_says() { "$crawlfs" cache info | tee "$T/info" | grep -qx "$1"; }
try "cache info counts them" kept_says 'sizes  *[1-9][0-9,]* sizes of files that were opened'
# a local index: what is in the cache is sizes alone
try "a local index: mounts" start_mount m "$cdx"
"$crawlfs" cache clear >/dev/null 2>&1
counted m >"$T/true"
try "a local index: ends" stop_mount m
damaged() {
	file=$(find "$blocks" -name '*.seg')
	same 1 "$(segments)" || return 1
	printf damage | dd of="$file" bs=1 seek=3000 conv=notrunc 2>/dev/null
	"$crawlfs" cache verify >"$T/verify"
	same $? 1 && grep -q ': record is damaged' "$T/verify" &&
		grep -q 'damage in 1 range ' "$T/verify" &&
		start_mount m "$cdx" && differ m &&
		counted m | cmp - "$T/true" && remount m "$cdx" &&
		same_sizes m && stop_mount m
}
try "damage is found, not used, and learnt again" damaged
dropped() {
	not "$crawlfs" cache verify --drop && same 0 "$(segments)" &&
		"$crawlfs" cache verify
}
try "cache verify --drop deletes it" dropped
few() {	# few OPTION...
	start_mount m "$@" && pages_of m | head -n 5 | xargs cat >/dev/null &&
		stop_mount m
}
cleared() {
	few "$cdx" && has_kept 5 && mkdir -p "$T/cache/crawlfs/sizes" &&
		: >"$T/cache/crawlfs/sizes/0123456789abcdef-0123456789abcdef.sizes" &&
		"$crawlfs" cache clear && has_none &&
		same 0 "$(find "$T/cache/crawlfs/sizes" -type f | wc -l)"
}
try "cache clear, and what older versions kept" cleared
off() { few "$cdx" -o cache_size=0 && has_none; }
try "cache_size=0 keeps none" off

# ---- other indexes ----

all_of PB-tree "$url/2012/parse-output/url-index.1356128792" -o "data=$url/2012"
all_of "local CDX" "$cdx"
changed() {
	touch "$cdx" && start_mount m "$cdx" && differ m && stop_mount m
}
try "an index that has changed has none" changed

# An archive that is replaced under an index that is not: members of one length
# with pages of two sizes.
make_swap() {
	python3 - "$T/swap" <<'END'
import os, sys, zlib
top = sys.argv[1]
os.makedirs(top)

def member(words, length):
    body = b"<p>" + b" ".join(b"word%d" % i for i in range(words)) + b"</p>"
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    record = (b"WARC/1.0\r\nWARC-Type: response\r\n"
              b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
              b"WARC-Date: 2024-02-20T00:00:00Z\r\n"
              b"WARC-Target-URI: http://example.com/swap\r\n"
              b"Content-Type: application/http; msgtype=response\r\n"
              b"Content-Length: %d\r\n\r\n" % len(http)) + http + b"\r\n\r\n"
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = z.compress(record) + z.flush()
    tail = (zlib.crc32(record).to_bytes(4, "little")
            + len(record).to_bytes(4, "little"))
    filler = length - 10 - 1 - len(data) - 8    # a comment of the gzip header
    return (b"\x1f\x8b\x08\x10" + bytes(4) + b"\x00\x03" + b"x" * filler + b"\0"
            + data + tail)

for name, words in ("first", 300), ("second", 900):
    with open(os.path.join(top, name), "wb") as f:
        f.write(member(words, 6000))
with open(os.path.join(top, "swap.cdx"), "w") as f:
    f.write(" CDX N b a m s k r M S V g\n"
            "com,example)/swap 20240220000000 http://example.com/swap text/html"
            " 200 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA - - 6000 0 swap.warc.gz\n")
END
}
replaced() {
	make_swap && cp "$T/swap/first" "$T/swap/swap.warc.gz" &&
		start_mount m "$T/swap/swap.cdx" && counted m >"$T/true" &&
		remount m "$T/swap/swap.cdx" && same_sizes m && stop_mount m &&
		cp "$T/swap/second" "$T/swap/swap.warc.gz" &&
		start_mount m "$T/swap/swap.cdx" && listed m >/dev/null || return 1
	find "$T/m" -type f | while read -r page; do
		cat "$page" >"$T/got" && "$crawlfs" cat "$T/swap/swap.cdx" \
			"${page#"$T/m/"}" | cmp - "$T/got" || return 1
	done
	counted m >"$T/again" && not cmp -s "$T/true" "$T/again" &&
		listed m | cmp - "$T/again"
}
# Holds S8.
try "opening corrects the sizes of an archive that was replaced" replaced
stop_mount m
finish
