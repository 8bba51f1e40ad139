#!/bin/sh
# zipnum_write_test.sh - crawlfs index --format=zipnum and cdxj: what is written
# beside an independent reading of the archives, whatever the input; mounted.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

crawl=$T/crawl
"$mkcrawl" --records 8000 --hostile 30 --page-bytes 600 --arc --warc \
	--archive-bytes 400000 "$crawl" >/dev/null || exit 1
archives=$(find "$crawl" -name '*arc.gz')
lines() { python3 "$here/zipnum_check.py" "$@"; }
index() { "$crawlfs" index -q "$@"; }
zipnum() { index --format=zipnum "$@"; }
# shellcheck disable=SC2086
lines lines "$crawl" $archives >"$T/want" || exit 1
try "there is something to index" [ "$(wc -l <"$T/want")" -gt 15000 ]
# holds FOLDER [SHARDS]: the captures of the archives, and nothing else
holds() {
	lines read "$@" >"$T/got" && cmp "$T/want" "$T/got"
}
bare() { lines bare <"$1" >"$T/bare.$$" && cmp "$2" "$T/bare.$$"; }

# ---- archives in ----

try "a cluster of archives" zipnum -o "$crawl/zip" --base="$crawl" "$crawl"
try "has all captures, in order, in the form of Common Crawl's" \
	holds "$crawl/zip" 1
try "nothing else is in its folder" same \
	"$(ls -A "$crawl/zip" | tr '\n' ' ')" \
	"cdx-00000.gz cluster.idx cluster.loc "
try "lines alone" index --format=cdxj -o "$crawl/all.cdxj" "$crawl"
try "are the same ones" cmp "$T/want" "$crawl/all.cdxj"

# ---- lines of others ----

real=${CFS_DATA:-/nonexistent}/cdx/common_crawl/CC-MAIN-2021-43.cdxj
if [ -e "$real" ]; then
	mkdir "$T/real"
	shuf --random-source="$real" "$real" >"$T/real/some.cdxj"
	sort "$real" >"$T/sorted"
	try "lines of Common Crawl" index --format=cdxj -o "$T/real/out.cdxj" \
		"$T/real/some.cdxj"
	try "real lines stay as they are" cmp "$T/sorted" "$T/real/out.cdxj"
else
	skip "real lines stay as they are: not in CFS_DATA"
fi

# ---- mounted ----

tree() { (cd "$T/m" && find . -type f -name '*html' -printf '%P %i %T@\n' | sort); }
try "the cluster mounts" start_mount m -o "data=$crawl" "$crawl/zip/cluster.idx"
tree >"$T/tree"
try "has files" [ "$(wc -l <"$T/tree")" -gt 1000 ]
# texts of other records have no lines
awk -F '\t' '$2 != "conversion"' "$crawl/manifest.tsv" >"$crawl/lines.tsv"
try "the model's tree, and its bodies" python3 "$model/cdx_model.py" check \
	--sample 300 "$T/m" "$crawl/lines.tsv"
try "the daemon ends well" stop_mount m
try "a look-up in it" "$crawlfs" lookup "$crawl/zip/cluster.idx" com
finish
