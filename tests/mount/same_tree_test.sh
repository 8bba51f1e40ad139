#!/bin/sh
# same_tree_test.sh - one crawl as .warc.gz, .warc.zst, WACZ and selection gives
# one tree: the same names, bytes, texts and headers.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
has_program zstd || skip_all "no zstd(1)"

"$mkcrawl" --warc --records 300 --page-bytes 3000 --archive-bytes 500000 \
	"$T/crawl" >/dev/null || exit 1
python3 "$here/same_tree.py" "$T/crawl" "$T/other" || exit 1

# sums NAME: of every file but metadata, which says where a record lies; and of
# metadata without that, and without what was written beside the page (a row)
sums() {
	(cd "$T/$1" && find . -path ./.crawlfs -prune -o -type f \
		! -name '*.meta' -print0 | sort -z | xargs -0 sha1sum)
}
metas() {
	python3 -c 'import json, os, sys
top = os.fsencode(sys.argv[1])
for folder, dirs, names in os.walk(top):
    dirs[:] = sorted(d for d in dirs if d != b".crawlfs")
    for name in sorted(names):
        path = os.path.join(folder, name)
        if name.endswith(b".meta"):
            meta = json.load(open(path))
            meta.pop("crawlfs", None)
            meta.pop("selection", None)
            print(os.path.relpath(path, top), json.dumps(meta))' "$T/$1"
}
try "mount .warc.gz" start_mount gz -o views=raw:txt:headers:meta "$T/crawl"
sums gz >"$T/gz.sums"
metas gz >"$T/gz.metas"
try "it has files" [ "$(wc -l <"$T/gz.sums")" -gt 800 ]
same_tree() {
	try "mount $1" start_mount "$@"
	sums "$1" >"$T/other.sums"
	try "the same files, bytes, texts and headers: $1" \
		cmp "$T/gz.sums" "$T/other.sums"
	metas "$1" >"$T/other.metas"
	try "and metadata: $1" cmp "$T/gz.metas" "$T/other.metas"
	try "unmount $1" stop_mount "$1"
}
views=views=raw:txt:headers:meta
same_tree zst -o $views "$T/other/zst"
same_tree wacz -o $views "$T/other/crawl.wacz"
same_tree selection -o "$views,data=$T/crawl" "$T/other/selection.csv"
try "unmount .warc.gz" stop_mount gz
finish
