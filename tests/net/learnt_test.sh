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
kept_files() { find "$T/cache/crawlfs/sizes" -name '*.sizes' 2>/dev/null | wc -l; }
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
	try "$what: every size is known at once" same_sizes m
	counted m >"$T/again"
	try "$what: and reading shows the same" cmp "$T/again" "$T/true"
	try "$what: it is one file" same 1 "$(kept_files)"
	try "$what: ends" stop_mount m
	mv "$T/cache/crawlfs/sizes" "$T/sizes.away"
	start_mount m "$@" "$source"
	try "$what: without it they are estimates" differ m
	stop_mount m
	rm -rf "$T/cache/crawlfs/sizes"
	mv "$T/sizes.away" "$T/cache/crawlfs/sizes"
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
try "two mounts learn into one file" together
try "which is sound" "$crawlfs" cache verify
stop_mount m

has_kept() { [ "$(find "$T/cache/crawlfs/sizes" -name '*.sizes' -size +"$1"c 2>/dev/null | wc -l)" -gt 0 ]; }
killed() {
	"$crawlfs" cache clear >/dev/null
	start_mount m "$url/zip/cluster.idx" -o "data=$url" || return 1
	counted m >/dev/null
	wait_for has_kept 5000
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
try "a mount that is killed" killed
try "ends" stop_mount m

# ---- the folder ----

info_says() { "$crawlfs" cache info | tee "$T/info" | grep -q "$1"; }
try "cache info counts them" info_says '^sizes  *[1-9][0-9]* bytes .* in 1 file: '
verify_says() { "$crawlfs" cache verify | tee "$T/verify" | grep -q "$1"; }
try "cache verify checks them" verify_says '^[1-9][0-9,]* sizes of files checked: all are sound'
damaged() {
	file=$(find "$T/cache/crawlfs/sizes" -name '*.sizes')
	printf damage | dd of="$file" bs=1 seek=3000 conv=notrunc 2>/dev/null
	"$crawlfs" cache verify >"$T/verify"
	same $? 1 && grep -q 'a batch of sizes is damaged' "$T/verify" &&
		grep -q 'damage in 1 file;' "$T/verify" &&
		start_mount m "$url/zip/cluster.idx" -o "data=$url" &&
		counted m | cmp - "$T/true" && remount m "$url/zip/cluster.idx" -o "data=$url" &&
		same_sizes m && stop_mount m && "$crawlfs" cache verify
}
try "damage is found, not used, and mended" damaged
dropped() {
	printf damage | dd of="$file" bs=1 seek=3000 conv=notrunc 2>/dev/null
	not "$crawlfs" cache verify --drop && same 0 "$(kept_files)" &&
		"$crawlfs" cache verify
}
try "cache verify --drop deletes it" dropped
cleared() {
	start_mount m "$url/zip/cluster.idx" -o "data=$url" &&
		pages_of m | head -n 5 | xargs cat >/dev/null && stop_mount m &&
		same 1 "$(kept_files)" && "$crawlfs" cache clear && same 0 "$(kept_files)"
}
try "cache clear" cleared
off() {
	start_mount m "$url/zip/cluster.idx" -o "data=$url,cache_size=0" &&
		pages_of m | head -n 5 | xargs cat >/dev/null && stop_mount m &&
		same 0 "$(kept_files)"
}
try "cache_size=0 keeps none" off

# ---- other indexes ----

all_of PB-tree "$url/2012/parse-output/url-index.1356128792" -o "data=$url/2012"
all_of "local CDX" "$cdx"
changed() {
	touch "$cdx" && start_mount m "$cdx" && differ m &&
		pages_of m | head -n 5 | xargs cat >/dev/null && stop_mount m &&
		same 1 "$(kept_files)"
}
try "an index that has changed has none, and the old ones go" changed

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
try "opening corrects the sizes of an archive that was replaced" replaced
stop_mount m
finish
