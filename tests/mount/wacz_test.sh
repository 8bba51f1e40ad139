#!/bin/sh
# wacz_test.sh - WACZ files on this machine, against the independent reader.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

[ -d "$CFS_DATA/wacz" ] || skip_all "no real samples in CFS_DATA"

# ---- every sample ----

find "$CFS_DATA/wacz" -type f -name '*.wacz' ! -name 'invalid*' | sort >"$T/good"
while read -r file <&3; do
	name=${file#"$CFS_DATA/"}
	rm -rf "$T/m.log" "$T/cache"
	try "$name mounts" start_mount m "$file"
	try "$name: pages, and their bytes" check sample --good "$file" "$T/m"
	try "$name: titles of pages" python3 "$here/wacz_check.py" "$file" "$T/m"
	echo "$name: $(tail -n 1 "$T/case.log")"
	try "$name: the daemon ends well" stop_mount m
done 3<"$T/good"
try "there were samples" test "$(wc -l <"$T/good")" -gt 2

for file in "$CFS_DATA"/wacz/*/invalid*; do
	[ -e "$file" ] || continue
	try "${file##*/} is refused" status 1 "$crawlfs" ls "$file"
	try "and said why" complains "without archives: it holds datapackage.json"
done

# ---- made-up ones ----

make_wacz() { python3 "$CFS_SRCDIR/tests/make_wacz.py" "$@"; }
wacz=$T/waczs
mkdir -p "$wacz/more" "$T/b"
make_wacz --host a.made --archives 3 "$wacz/a.wacz" 30 "$T/b" || fail "a WACZ"
make_wacz --host b.made --plain --descriptors --extra "$wacz/b.wacz" 20 "$T/b"
make_wacz --host c.made --deflate --zip64 "$wacz/more/c.wacz" 10 "$T/b"
echo 'no archive' >"$wacz/read.me"
(cd "$wacz" && python3 -m zipfile -c other.zip read.me)
# all_pages FOLDER: the pages of all three, and their bytes
all_pages() {
	(cd "$T/b" && find . -type f | sort) >"$T/want"
	(cd "$1" && find . -type f ! -name '*.meta' ! -name '*.txt' | sort) >"$T/got"
	cmp "$T/want" "$T/got" || return 1
	while read -r made_page; do
		cmp "$T/b/$made_page" "$1/$made_page" || return 1
	done <"$T/want"
}
rm -f "$T/m.log"
try "a folder of WACZ files mounts" start_mount m "$wacz"
try "all their pages, and their bytes" all_pages "$T/m"
try "one warning of what had to be inflated" same 1 "$(grep -c 'inflated once' "$T/m.log")"
try "the daemon ends well" stop_mount m
try "several sources" start_mount m "$wacz/a.wacz" "$wacz/b.wacz"
try "each by its name" same "a b" "$(ls "$T/m" | tr '\n' ' ' | sed 's/ $//')"
try "a page" cmp "$T/b/made/a/www/_/Page/4" "$T/m/a/made/a/www/_/Page/4"
try "another's" cmp "$T/b/made/b/www/_/Page/4" "$T/m/b/made/b/www/_/Page/4"
try "they end well" stop_mount m
try "crawlfs index" "$crawlfs" index -q -o "$wacz/all.cfx" "$wacz"
rm -rf "$T/cache/crawlfs/inflated"
try "its index mounts, without what was inflated" start_mount m "$wacz/all.cfx"
try "and has all pages" all_pages "$T/m"
sizes_hold() {	# every listed file is as long as stat said
	find "$T/m" -type f -printf '%s %p\n' | while read -r size_said size_path; do
		same "$size_said" "$(wc -c <"$size_path")" || exit 1
	done
}
try "whose sizes are exact" sizes_hold
try "it was inflated again" test -n "$(ls "$T/cache/crawlfs/inflated")"
try "the record view is a member" sh -c "gzip -dc '$T/m/made/a/www/_/Page/5.warc.gz' | grep -q '^WARC-Target-URI: http://www.a.made/Page/5'"
try "the daemon ends well" stop_mount m
sizes_of() { cat "$@" | wc -c; }
try "crawlfs check" status 0 "$crawlfs" check --json "$wacz/all.cfx"
try "counts three files" grep '"archives": 3,' "$T/out"
try "of their sizes" grep "\"source_bytes\": $(sizes_of "$wacz"/*.wacz "$wacz"/more/*.wacz)," "$T/out"
try "crawlfs copy" "$crawlfs" copy "$wacz/all.cfx" made -o "$T/copy.warc.gz"
try "crawlfs cache info" status 0 "$crawlfs" cache info
try "names what was inflated" grep '^inflated .* in 1 file' "$T/out"
try "crawlfs cache clear" "$crawlfs" cache clear
try "leaves nothing inflated" test -z "$(ls "$T/cache/crawlfs/inflated")"

# ---- an archive that was cut off before it was packed ----

mkdir "$T/cut"
make_wacz --host cut.gz --cut --descriptors "$T/cut/gz.wacz" 3 "$T/cut"
make_wacz --host cut.plain --cut --plain "$T/cut/plain.wacz" 3 "$T/cut"
for kind in gz plain; do
	page=$kind/cut/www/_/Page
	try "an archive that is cut off ($kind)" start_mount m "$T/cut/$kind.wacz"
	try "what is whole is served" cmp "$T/cut/$page/1" "$T/m/$page/1"
	try "what is not gives an error" not sh -c "cat '$T/m/$page/2' >'$T/got' 2>'$T/err'"
	n=$(wc -c <"$T/got")
	try "behind the $n bytes there are" cmp -n "$n" "$T/got" "$T/cut/$page/2"
	try "which are some" [ "$n" -gt 20 ]
	try "the daemon ends well" stop_mount m
done

# ---- revisits whose bodies are in another file ----

mkdir "$T/later"
make_wacz --host a.made --refers-to a.wacz "$T/later/new.wacz" 30 "$T/b"
page=made/a/www/_/Page/4
try "two crawls, one of revisits" start_mount m "$wacz/a.wacz" "$T/later/new.wacz"
# Holds C9.
try "whose bodies are in the other" cmp "$T/b/$page" "$T/m/new/$page"
try "as .meta says" grep -q '"timestamp": "20260102030405"' "$T/m/new/$page.meta"
try "of all of them" check hash "$T/m/new"
reads_all() { (cd "$T/b/made/a" && find . -type f) | while read -r made_page; do
	cmp "$T/b/made/a/$made_page" "$1/made/a/$made_page" || exit 1; done; }
try "byte for byte" reads_all "$T/m/new"
try "the daemon ends well" stop_mount m
try "alone" start_mount m "$T/later/new.wacz"
try "they are empty" same "" "$(cat "$T/m/$page")"
try "and .meta says why" grep -q '"no_body": "revisit of a capture' "$T/m/$page.meta"
try "the daemon ends well" stop_mount m
cp "$T/later/new.wacz" "$wacz/new.wacz"
try "in one index" "$crawlfs" index -q --force -o "$wacz/all.cfx" "$wacz"
try "they are captures of one page" start_mount m "$wacz/all.cfx"
try "with one body" cmp "$T/m/$page#1" "$T/m/$page"
try "sizes hold" sizes_hold
try "the daemon ends well" stop_mount m
rm "$wacz/new.wacz"

# ---- collections that are a list ----

cat >"$wacz/all.json" <<'EOT'
{"profile": "multi-wacz-package", "initialPages": [{"url": "x"}], "resources": [
 {"name": "a", "path": "a.wacz", "hash": "sha256:00"}, {"path": "b.wacz"},
 {"path": "more/c.wacz"}, {"path": "../gone.wacz"}, {"path": "read.me"}]}
EOT
rm -f "$T/m.log"
try "a list of WACZ files mounts" start_mount m "$wacz/all.json"
try "it has all pages" all_pages "$T/m"
try "what is outside is left out" grep -q "'../gone.wacz' is left out" "$T/m.log"
try "the daemon ends well" stop_mount m
mkdir "$T/unpacked"
(cd "$T/unpacked" && python3 -m zipfile -e "$wacz/a.wacz" .)
try "a WACZ that was unpacked mounts" start_mount m "$T/unpacked/datapackage.json"
try "with its pages" cmp "$T/b/made/a/www/_/Page/4" "$T/m/made/a/www/_/Page/4"
try "the daemon ends well" stop_mount m
echo '{"profile": "multi-wacz", "resources": {}}' >"$T/none.json"
try "a list of nothing is refused" status 1 "$crawlfs" ls "$T/none.json"
try "and said why" complains "JSON without a list of files"

make_wacz --bad-hash "$T/hash.wacz" 3 "$T/b"
try "another hash" status 0 "$crawlfs" ls "$T/hash.wacz"
try "is told" complains "data-0.warc.gz: has another SHA-256"
make_wacz --deflate --zip64 --huge "$T/huge.wacz" 3 "$T/b"
try "a compressed archive beyond the bound" status 1 "$crawlfs" ls "$T/huge.wacz"
try "is refused" complains "its members inflate to more than the cache has room for"
head -c 2000 "$wacz/a.wacz" >"$T/cut.wacz"
cat >"$T/whole_members.py" <<'EOT'
"""The URLs of responses in whole gzip members, wherever those lie in a file."""
import re, sys, zlib
data = open(sys.argv[1], "rb").read()
for m in re.finditer(b"\x1f\x8b\x08", data):
    one = zlib.decompressobj(31)
    try:
        text = one.decompress(data[m.start():])
    except zlib.error:
        continue
    head = text.split(b"\r\n\r\n")[0].decode()
    if one.eof and "WARC-Type: response" in head:
        print(re.search("WARC-Target-URI: (.*)", head).group(1).strip())
EOT
# Holds E30.
try "one cut off shows what is whole" status 1 "$crawlfs" export \
	--fields=url "$T/cut.wacz"
try "and says why" complains "a ZIP file without its end"
grep -o 'http://[^"]*' "$T/out" | sort -u >"$T/cut.urls"
python3 "$T/whole_members.py" "$T/cut.wacz" | sort >"$T/cut.want"
try "those are some pages" test -s "$T/cut.want"
try "and all that are whole" cmp "$T/cut.want" "$T/cut.urls"
printf 'PK\003\004 nothing' >"$T/none.wacz"
try "one with nothing whole is refused" status 1 "$crawlfs" ls "$T/none.wacz"
try "and said why" complains "a ZIP file without its end"
try "in one line" same 1 "$(wc -l <"$T/err")"
mkdir "$T/beside"
cp "$T/cut.wacz" "$T/none.wacz" "$wacz/a.wacz" "$T/beside"
for turn in 1 2; do
	try "turn $turn: a folder of them mounts" start_mount m "$T/beside"
	try "with the whole one's pages" cmp "$T/b/made/a/www/_/Page/4" \
		"$T/m/made/a/www/_/Page/4"
	for name in cut none; do
		try "and tells of $name.wacz" grep -q "\"archive\":\"$name.wacz\"" \
			"$T/m/.crawlfs/errors"
	done
	try "the daemon ends well" stop_mount m
done
try "a ZIP file of other things is refused" status 1 "$crawlfs" ls "$wacz/other.zip"
try "with what is in it" complains "a ZIP file without archives: it holds read.me"
finish
