#!/bin/sh
# wordlist_test.sh - lists of words beside indexes: what another reader finds in
# one, and that it is the same, byte for byte, however it is made.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

pages=1500
mkdir "$T/all" "$T/off"
python3 "$here/wordlist_check.py" make "$T/all" $pages || exit 1
index() { "$crawlfs" index -q --words "$@"; }
# same_index NAME: the index and the list of this name are those of one plain run
same_index() {
	cmp "$T/all/plain.cfx" "$T/all/$1.cfx" &&
		cmp "$T/all/plain.cfw" "$T/all/$1.cfw"
}

try "a list is made" index -o "$T/all/plain.cfx" "$T/all"
# Holds Q10.
python_cases "$here/wordlist_check.py" check "$T/all/plain.cfw" $pages

# Holds Q11.
for threads in 1 3; do
	for memory in 1 3M; do
		index --threads=$threads --memory=$memory \
			-o "$T/all/other.cfx" "$T/all"
		try "the same with $threads threads and $memory of memory" \
			same_index other
	done
done

cp "$T/all/plain.cf"? "$T"

# ---- parts ----

for k in 1 2 3; do
	index --part=$k/3 -o "$T/parts" --base="$T/all" "$T/all"
done
try "parts have lists" [ -s "$T/parts/part-00002-of-00003.cfw" ]
try "an index of them has one, without being asked" \
	"$crawlfs" index -q -o "$T/all/parts.cfx" "$T/parts"
try "the same of parts" same_index parts
rm "$T/parts/part-00002-of-00003.cfw"
index -o "$T/all/parts.cfx" "$T/parts"
try "the same where a part has lost its list" same_index parts

# ---- merging ----

index -o "$T/all/one.cfx" "$T/all"/a[01]*
index -o "$T/all/two.cfx" "$T/all"/a[2-4]* "$T/all"/text*
try "indexes with lists are merged" "$crawlfs" index -q \
	-o "$T/all/merged.cfx" "$T/all/one.cfx" "$T/all/two.cfx"
try "the same of merged indexes" same_index merged
index -o "$T/all/grown.cfx" "$T/all/two.cfx" "$T/all"/a[01]*
try "the same of an index and archives" same_index grown
rm "$T/all/one.cfw"
rm -f "$T/all/merged.cf"?
"$crawlfs" index -q -o "$T/all/merged.cfx" "$T/all/one.cfx" "$T/all/two.cfx"
try "an index that lacks a list gives none" [ ! -e "$T/all/merged.cfw" ]
index -o "$T/all/merged.cfx" "$T/all/one.cfx" "$T/all/two.cfx"
try "... unless it is asked for" same_index merged
printf X | dd of="$T/all/two.cfw" bs=1 seek=9000 conv=notrunc 2>"$T/log"
index -o "$T/all/merged.cfx" "$T/all/one.cfx" "$T/all/two.cfx" 2>"$T/log"
try "the same where a list is damaged" same_index merged
try "... which is reported" grep -q "two.cfw.*it is not used" "$T/log"

# ---- updating ----

mv "$T/all/a1.warc.gz" "$T/all/text.warc.wet.gz" "$T/off"
index --update -o "$T/all/updated.cfx" "$T/all"
mv "$T/off"/* "$T/all"
try "an update needs not be asked for a list" \
	"$crawlfs" index -q --update -o "$T/all/updated.cfx" "$T/all"
try "the same after an update" same_index updated
"$crawlfs" index --update --words -o "$T/all/updated.cfx" "$T/all" \
	>"$T/log" 2>&1
try "then nothing has changed" grep -q "nothing has changed" "$T/log"
rm "$T/all/updated.cfw"
index --update -o "$T/all/updated.cfx" "$T/all"
try "an update makes a list that is missing" same_index updated
# An archive that has become unreadable shows what an update reads.
mkdir "$T/copy"
cp -p "$T/all"/*gz "$T/copy"
"$mkcrawl" --warc --records 20 "$T/more" >/dev/null || exit 1
find "$T/more" -name '*.warc.gz' -exec cp {} "$T/all/more.warc.gz" \;
index -o "$T/all/plain.cfx" "$T/all"
index -o "$T/copy/plain.cfx" "$T/copy"
cp -p "$T/all/more.warc.gz" "$T/copy"
truncate -s 0 "$T/copy/a0.warc.gz"
truncate -r "$T/all/a0.warc.gz" "$T/copy/a0.warc.gz"
touch -r "$T/all/a0.warc.gz" "$T/copy/a0.warc.gz"
index --update -o "$T/copy/plain.cfx" "$T/copy"
cp -p "$T/all/more.warc.gz" "$T"
try "an update reads no unchanged archive for the list" \
	cmp "$T/all/plain.cfw" "$T/copy/plain.cfw"

# ---- summary and verify ----

try "the summary counts words and texts" python3 - "$here" $pages <<EOF
import collections, json, sys
sys.path.insert(0, sys.argv[1])
from wordlist_check import pages, words_of
docs = collections.Counter()
for p in pages(int(sys.argv[2])):
    docs.update({word for word, _ in words_of(p)})
top = sorted(docs, key=lambda w: (-docs[w], w))[:40]
words = json.loads(r"""$("$crawlfs" summary --json --top 40 "$T/plain.cfx")""")
words = words["by_word"]
assert words["keys"] == len(docs), words["keys"]
assert [(r["key"], r["captures"]) for r in words["rows"]] == \
    [(w.decode(), docs[w]) for w in top]
EOF
try "one that is filtered has none" [ "$("$crawlfs" summary --json \
	"$T/plain.cfx" example.words | grep -c by_word)" = 0 ]
verify() { "$crawlfs" verify -q "$T/all/checked.cfx" 2>"$T/log"; }
index --force -o "$T/all/checked.cfx" "$T/all"/a[01]*
verify
try "verify reads a list" not grep -q "cfw" "$T/log"
cp "$T/all/checked.cfw" "$T/saved.cfw"
printf X | dd of="$T/all/checked.cfw" bs=1 seek=9000 conv=notrunc 2>"$T/log"
verify
try "a damaged one is named" grep -q "checked.cfw.*damaged" "$T/log"
index --force -o "$T/all/checked.cfx" "$T/all"/a[23]*
cp "$T/saved.cfw" "$T/all/checked.cfw"
verify
try "one of another index is named" grep -q "checked.cfw.*not that of its index" "$T/log"
# Holds I13.
mkdir "$T/strict"
for word in alpha delta; do
	printf 'WARC/1.0\r\nWARC-Type: conversion\r\n'
	printf 'WARC-Target-URI: http://words.example/%s\r\n' $word
	printf 'WARC-Date: 2020-01-01T00:00:00Z\r\n'
	printf 'WARC-Record-ID: <urn:uuid:%s>\r\n' $word
	printf 'Content-Type: text/plain\r\nContent-Length: 11\r\n\r\n'
	printf '%s beta\n\r\n\r\n' $word
done >"$T/strict/a.warc"
strict() { "$crawlfs" verify -q --strict "$@" 2>"$T/log"; }
index -o "$T/strict/a.cfx" "$T/strict/a.warc"
try "the words of a list are those of the texts" strict "$T/strict/a.cfx"
sed 's/delta beta/delta zeta/' "$T/strict/a.warc" >"$T/strict/b" &&
	cp "$T/strict/b" "$T/strict/a.warc"
try "... or that is reported" status 1 strict "$T/strict/a.cfx"
try "... with the name of the list" grep -q "a.cfw.*not that of the texts" \
	"$T/log"
index --force -o "$T/all/checked.cfx" "$T/all"
strict "$T/all/checked.cfx"
try "revisits and texts of the crawl are as when it was made" \
	not grep -q cfw "$T/log"

# ---- failures ----

cp "$T/all/plain.cfx" "$T/all/kept.cfx"
cp "$T/all/plain.cfw" "$T/all/kept.cfw"
(
	ulimit -f 100		# blocks of 512 or 1,024 bytes: less than the list
	trap '' XFSZ
	index -o "$T/all/kept.cfx" "$T/all" 2>"$T/log"
)
try "a list that cannot be written is a failure" [ $? -ne 0 ]
try "... after which the old ones are there" same_index kept
try "... and nothing else" [ -z "$(find "$T/all" -name '.crawlfs*')" ]
for options in --no-views --format=cdxj; do
	try "--words does not go with $options" \
		[ "$(index $options -o "$T/x.cfx" "$T/all" >"$T/log" 2>&1
		     echo $?)" = 2 ]
done

# ---- kept indexes ----


# kept ENDING: the names without ending of the kept files that have it
kept() {
	(cd "$XDG_CACHE_HOME/crawlfs/index" && ls -- *."$1" 2>/dev/null) |
		sed 's/\..*//'
}
# mounted OPTION...: mounts the archives, and unmounts them
mounted() { start_mount m "$@" "$T/copy" && stop_mount m; }
rm -f "$T/copy"/*.cf?
cp -p "$T/all/a0.warc.gz" "$T/copy"
try "a mount of archives" mounted
try "keeps no list" same "" "$(kept cfw)"
try "a mount that asks for a list" mounted -o words
try "keeps one beside the index" same "$(kept cfx)" "$(kept cfw)"
cp "$XDG_CACHE_HOME/crawlfs/index"/*.cfw "$T/kept.cfw"
index -o "$T/copy/plain.cfx" "$T/copy"
cp -p "$T/more.warc.gz" "$T/copy/again.warc.gz"
try "a mount of archives that have grown" mounted
try "keeps one" same "$(kept cfx)" "$(kept cfw)"
try "... which is another" not cmp -s "$T/kept.cfw" \
	"$XDG_CACHE_HOME/crawlfs/index"/*.cfw
finish
