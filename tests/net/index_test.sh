#!/bin/sh
# index_test.sh - indexes made of archives on servers, and of lists of them.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

"$mkcrawl" --records 3000 --warc --archive-bytes 8000000 "$T/www" >/dev/null || exit 1
"$mkcrawl" --records 50 --seed 3 --page-bytes 300 --warc --bare "$T/other" >/dev/null || exit 1
start_faultd faultd "$T/www" || skip_all "no server"
(cd "$T/www" && find crawl-data -name '*.warc.gz' | sort) >"$T/names"
gzip -c "$T/names" >"$T/www/warc.paths.gz"
[ "$(wc -l <"$T/names")" -ge 3 ] || fail "fewer than 3 archives"
first=$(head -n 1 "$T/names")
captures() {
	"$crawlfs" ls "$1" | tr -d / | while read -r top; do
		"$crawlfs" lookup "$1" "$top"
	done
}
same_captures() {
	captures "$1" >"$T/a"
	captures "$2" >"$T/b"
	[ "$(wc -l <"$T/a")" -gt 1000 ] && cmp "$T/a" "$T/b"
}

(cd "$T/www" && sed 's|^|./|' "$T/names" | xargs "$crawlfs" index -q --base=. -o "$T/local.cfx")
try "a list at a URL" "$crawlfs" index -q --base="$url" -o "$T/list.cfx" "$url/warc.paths.gz"
try "it is the index of the files themselves" same_captures "$T/local.cfx" "$T/list.cfx"
gzip -dc "$T/www/warc.paths.gz" >"$T/plain.paths"
try "a list on this machine, of files on a server" "$crawlfs" index -q --base="$url/" -o "$T/list2.cfx" "$T/plain.paths"
try "it is the same" same_captures "$T/local.cfx" "$T/list2.cfx"
try "a list of files on this machine" "$crawlfs" index -q --base="$T/www" -o "$T/list3.cfx" "$T/plain.paths"
try "it is the same, too" same_captures "$T/local.cfx" "$T/list3.cfx"

# shellcheck disable=SC2046
try "URLs of archives" "$crawlfs" index -q --base="$url" -o "$T/urls.cfx" $(sed "s|^|$url/|" "$T/names")
try "it is the same once more" same_captures "$T/local.cfx" "$T/urls.cfx"
"$crawlfs" index -q -o "$T/one.cfx" "$url/$first" 2>"$T/err"
try "where the archives are is said" grep -q -- "-o data=$url/.*/warc/" "$T/err"

ctl "$port" counts >/dev/null
"$crawlfs" index -q --base="$url" -o "$T/list.cfx" "$url/warc.paths.gz"
n=$(requests) total=$(cat "$T/www"/crawl-data/*/*/*/*/*.warc.gz | wc -c)
try "by few requests ($n for $total bytes)" [ "$n" -le $((total / 4194304 + 8 * $(wc -l <"$T/names") + 4)) ]
ctl "$port" delay value=200
counts >/dev/null
"$crawlfs" index -q --threads=3 --base="$url" -o "$T/list.cfx" "$url/warc.paths.gz"
n=$(counts | cut -d' ' -f6)
try "$n archives at a time, at 200 ms an answer" [ "$n" -ge 2 ]
ctl "$port" clear

# what goes wrong
ctl "$port" rule fault=reset-body match=warc.gz skip=3 count=2
try "an archive that breaks off is fetched on" "$crawlfs" index -q --base="$url" -o "$T/again.cfx" "$url/warc.paths.gz"
try "and whole" same_captures "$T/local.cfx" "$T/again.cfx"
ctl "$port" clear
ctl "$port" rule fault=etag value='"x"' match=warc.gz skip=4
try "one that changes meanwhile makes no index" not "$crawlfs" index -q --base="$url" -o "$T/bad.cfx" "$url/warc.paths.gz"
try "none is left" [ ! -e "$T/bad.cfx" ]
ctl "$port" clear
echo crawl-data/none.warc.gz >>"$T/plain.paths"
# lacks_none ARGUMENT...: an index of the others, none.warc.gz told, and status 1
lacks_none() {
	"$crawlfs" index -q -o "$T/list4.cfx" --force "$@" 2>"$T/err"
	same 1 $? && grep "none.warc.gz: .*not there\|none.warc.gz: .*No such" "$T/err" &&
		same_captures "$T/local.cfx" "$T/list4.cfx"
}
# Holds E66.
try "a missing one is told" lacks_none --base="$url" "$T/plain.paths"
# Holds E66.
try "and on this machine" lacks_none --base="$T/www" "$T/plain.paths"
# Holds E66.
# shellcheck disable=SC2046
try "and by its URL" lacks_none --base="$url" $(sed "s|^|$url/|" "$T/plain.paths")
echo ../../etc/passwd >"$T/evil.paths"
"$crawlfs" index -q --base="$T/www" -o "$T/evil.cfx" "$T/evil.paths" 2>"$T/err"
# Holds L5.
try "a list cannot leave its folder" grep -q "is not the name of a file" "$T/err"
try "a server and this machine" sh -c "'$crawlfs' index -q -o '$T/mixed.cfx' '$url/$first' '$T/www/$first' 2>&1 | grep 'cannot be in one index'"

# an index on the server: its header; its tables and top block; a leaf
cp "$T/local.cfx" "$T/www/local.cfx"
page=$(captures "$T/local.cfx" | sed -n '700s/.*"url": "\([^"]*\)".*/\1/p')
ctl "$port" counts >/dev/null
try "a lookup on the server" sh -c "'$crawlfs' lookup '$url/local.cfx' '$page' | grep -F '\"$page\"'"
n=$(requests)
try "by three requests ($n)" [ "$n" -le 3 ]

# a PB-tree, whose archives may be in several folders beside it
"$mkcrawl" --arc --pbtree --hostile 0 --records 300 --archive-bytes 200000 \
	"$T/www/12" >/dev/null || exit 1
tree=12/parse-output/url-index.1356128792
captures "$T/www/$tree" |
	sed 's/.*"url": "\([^"]*\)".*"filename": "\([^"]*\)".*/\2 \1/' |
	sort -u -k 1,1 | head -n 8 >"$T/eight"
cut -d ' ' -f 2 "$T/eight" | xargs "$crawlfs" cat "$T/www/$tree" >"$T/want"
try "pages of 8 archives" [ "$(wc -l <"$T/eight")" -eq 8 -a -s "$T/want" ]
cat_eight() {
	"$crawlfs" cache clear
	ctl "$port" log >/dev/null
	cut -d ' ' -f 2 "$T/eight" | xargs "$crawlfs" cat "$url/$tree" >"$T/got" &&
		cmp "$T/want" "$T/got"
}
try "the same from the server" cat_eight
n=$(ctl "$port" log | grep -c '/segment/')
try "looked for once, not each ($n requests)" [ "$n" -le 9 ]
moved=$(sed -n '5s/ .*//p' "$T/eight")
mkdir -p "$T/www/parse-output/$(dirname "$moved")"
mv "$T/www/12/parse-output/$moved" "$T/www/parse-output/$moved"
try "one of them is elsewhere" cat_eight
rm "$T/www/parse-output/$moved"
try "one of them is nowhere" not cat_eight
try "that is said" sh -c "'$crawlfs' cat '$url/$tree' '$(sed -n '5s/.* //p' "$T/eight")' 2>&1 | grep -i 'not there\|404\|no such'"

# a list as Common Crawl publishes it: 20 of its files, which are not here
if [ -e "$CFS_DATA/pathlists/newscnn/wat.paths.gz" ]; then
	ctl "$port" log >/dev/null
	gzip -dc "$CFS_DATA/pathlists/newscnn/wat.paths.gz" 2>/dev/null |
		head -n 20 >"$T/real.paths"
	"$crawlfs" index -q --base="$url" -o "$T/real.cfx" "$T/real.paths" >"$T/err" 2>&1
	ctl "$port" log | sed -n 's|.* GET /\(.*\) bytes=0-0 404 .*|\1|p' | sort >"$T/got"
	sort "$T/real.paths" >"$T/want"
	try "a published list" cmp "$T/want" "$T/got"
else
	skip "a published list: no real data"
fi

# ---- collections ----

mkdir -p "$T/www/c"
cat >"$T/www/c/collinfo.json" <<EOF
[{"id": "CC-MAIN-2024-10", "name": "February 2024", "from": "2024-02-20T00:00:00", "to": "2024-03-05T00:00:00"}]
EOF
"$crawlfs" collections --collinfo="$url/c/collinfo.json" >"$T/got"
try "collections" grep -q "^CC-MAIN-2024-10  *2024-02-20  2024-03-05  February 2024$" "$T/got"
try "the PB-tree is among them" grep -q '^url-index.1356128792 ' "$T/got"
try "a list that is none" not "$crawlfs" collections --collinfo="$url/warc.paths.gz"

# without a network: nobody listens where the proxy should be
nowhere=http://127.0.0.1:$(free_port)
offline() { https_proxy=$nowhere "$crawlfs" "$@" >"$T/got" 2>"$T/err"; }
ms_since() { echo $((($(date +%s%N) - $1) / 1000000)); }
one_line() {	# one_line GREP-PATTERN: stderr is one line, with that in it
	cat "$T/err"
	[ "$(wc -l <"$T/err")" -eq 1 ] && grep -q "$1" "$T/err"
}
start=$(date +%s%N)
try "collections without a network" offline collections
ms=$(ms_since "$start")
try "long before a minute is over ($ms ms)" [ "$ms" -lt 50000 ]
try "why is said once" one_line "^crawlfs: warning: https://.*known without the server"
try "crawls by years are known" grep -q '^CC-MAIN-2009-2010  *2009-07-02  2010-09-10  known without the server$' "$T/got"
try "crawls by weeks are" grep -q '^CC-MAIN-2024-10  *-  *-  *known without the server$' "$T/got"
try "the PB-tree is" grep -q '^url-index.1356128792 ' "$T/got"
kept=$XDG_CACHE_HOME/crawlfs/collinfo.json
cp "$T/www/c/collinfo.json" "$kept"
touch -d '3 days ago' "$kept"
try "one kept before comes first" offline collections
try "that is said" one_line "kept before"
try "it is shown" sh -c "grep -q 'February 2024' '$T/got' && [ \$(wc -l <'$T/got') -eq 2 ]"
printf '[{"id": "CC-M' >"$kept"
try "one that is damaged is not" offline collections
try "that is said, too" one_line "known without the server"
rm "$kept"
start=$(date +%s%N)
try "a crawl by its name, without a network" not offline ls CC-MAIN-2024-10
ms=$(ms_since "$start")
try "fails long before a minute is over ($ms ms)" [ "$ms" -lt 50000 ]
try "says why once, and what to do" one_line "CC-MAIN-2024-10/indexes/cluster.idx: .*--base=FOLDER"
"$crawlfs" ls --base="$url" CC-MAIN-2024-1 2>"$T/err"
try "a name that is none" one_line "^crawlfs: CC-MAIN-2024-1: not there, below $url; is CC-MAIN-2024-10, .* meant?"
"$crawlfs" ls --base="$T/www" CC-MAIN-2024-10 2>"$T/err"
try "a folder that has it not" one_line "^crawlfs: CC-MAIN-2024-10: not there, below $T/www$"
"$crawlfs" ls cc-main-2024-10 2>"$T/err"
try "a name in lower case" one_line "is CC-MAIN-2024-10 meant?"
finish
