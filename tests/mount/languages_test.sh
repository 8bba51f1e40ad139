#!/bin/sh
# languages_test.sh - languages of pages: found in their texts, shown in .meta and
# rows, kept by indexes, picked by.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

languages() { python3 "$here/languages_check.py" "$@"; }
prints() {	# prints FILE COMMAND...: it prints what the file has
	want_file=$1
	shift
	"$@" >"$T/got" && diff "$want_file" "$T/got"
}
w=$T/d/pages.warc.gz
mkdir "$T/d"
languages make "$w" && languages expect >"$T/all" || exit 1

if ! "$crawlfs" version | grep -q '^languages: .*CLD2$' ||
   "$crawlfs" version | grep -q '^languages: none'; then
	try "rows by language: refused" status 2 "$crawlfs" export "$w" \
		--language=isl
	try "rows by language: why" complains "built without CLD2"
	try "an index" "$crawlfs" index -q --languages -o "$T/d/x.cfx" "$w"
	try "a mount" status 1 "$crawlfs" ls --language=isl "$T/d/x.cfx"
	skip "languages of pages: this program was built without CLD2"
	finish
fi

# ---- found ----

rows() {	# rows URLS OPTION...
	of=$1
	shift
	"$crawlfs" export -q --fields=url,languages "$@" >"$T/rows.jsonl" &&
		languages rows "$of" <"$T/rows.jsonl"
}
grep -v /again "$T/all" >"$T/here"	# archives alone have no body of it
try "rows of an archive" prints "$T/here" rows '/(?!again)[^/]*$' "$w"
# Holds T16.
try "rows of an index" prints "$T/all" rows . --order=index "$w"
meta() {
	"$crawlfs" export -q --order=index --fields=url,meta "$w" |
		jq -c '{url, languages: (.meta.crawlfs.languages // [])}' |
		languages rows
}
# Holds T16.
try "metadata" prints "$T/all" meta
usual() {	# usual URLS OPTION...: the usual fields of rows
	of=$1
	shift
	"$crawlfs" export -q "$@" >"$T/rows.jsonl" &&
		languages rows "$of" <"$T/rows.jsonl"
}
for order in archive index; do
	try "rows have them unasked, by $order" prints "$T/here" usual \
		'/(?!again)[^/]*$' --order=$order "$w"
	try "as before" "$crawlfs" export -q --order=$order "$w" -o "$T/$order.jsonl"
done
# Holds T16.
try "the usual rows of both orders are equal" sh -c 'grep -v /again "$0" | sort \
	>"$0.sorted"; grep -v /again "$1" | sort | cmp - "$0.sorted"' \
	"$T/archive.jsonl" "$T/index.jsonl"
for list in isl deu,fra any:deu any:eng,zho; do
	languages expect "$list" >"$T/some"
	grep -v /again "$T/some" >"$T/some.here"
	# Holds T16.
	try "rows by --language=$list" prints "$T/some.here" rows . "$w" \
		--language="$list"
	try "rows by --language=$list, in the order of an index" \
		prints "$T/some" rows . --order=index "$w" --language="$list"
	# whatever the fields are: the bodies decide
	for fields in url timestamp status mime digest archive,offset length \
		headers truncated error; do
		same_number() {
			same "$("$crawlfs" export -q "$w" --language="$list" \
				--fields=$fields --threads=1 | wc -l)" \
				"$(wc -l <"$T/some.here")"
		}
		# Holds T16.
		try "rows of $fields by --language=$list" same_number
	done
	in_wet() {	# a WARC record a page
		"$crawlfs" export -q "$w" --language="$list" --format=$1 |
			grep -ac "^WARC-Target-URI" >"$T/n"
		same "$(cat "$T/n")" "$(wc -l <"$T/some.here")"
	}
	try "records by --language=$list" in_wet warc
	piped() {
		same "$("$crawlfs" export -q --language="$list" --fields=url - \
			<"$w" | wc -l)" "$(wc -l <"$T/some.here")"
	}
	try "standard input by --language=$list" piped
done
if [ -d "${CFS_DATA:-}/warc" ]; then
	for f in chatnoir-resiliparse/warcfile whirlwind-python/whirlwind; do
		try "as Common Crawl: $f" sh -c '"$1" export -q \
			--fields=url,languages "$2" >"$0/common.jsonl" &&
			python3 "$3/languages_check.py" common "$2" \
				<"$0/common.jsonl"' "$T" "$crawlfs" \
			"$CFS_DATA/warc/$f.warc.gz" "$here"
	done
else
	skip "as Common Crawl: no samples (CFS_DATA)"
fi

# ---- kept ----

lookup() {
	"$crawlfs" lookup "$@" "$T/d/kept.cfx" example/languages >"$T/lines" &&
		languages lines <"$T/lines"
}
index() { "$crawlfs" index -q "$@"; }
try "an index with languages" index --languages -o "$T/d/kept.cfx" "$w"
# Holds T16.
try "has them" prints "$T/all" lookup
for list in isl any:deu,eng zho; do
	languages expect "$list" >"$T/some"
	try "picks by $list" prints "$T/some" lookup --language="$list"
done
try "rows have them unasked" prints "$T/all" sh -c '"$0" export -q "$1" |
	python3 "$2/languages_check.py" rows' "$crawlfs" "$T/d/kept.cfx" "$here"
try "an index without" index -o "$T/d/plain.cfx" "$w"
try "is shorter" [ "$(stat -c %s "$T/d/plain.cfx")" -lt \
	"$(stat -c %s "$T/d/kept.cfx")" ]
try "cannot be picked from" status 1 "$crawlfs" ls --language=isl \
	"$T/d/plain.cfx"
try "says how it could" complains "index --languages"
try "without views, too" index --no-views --languages --force \
	-o "$T/d/kept.cfx" "$w"
grep -v /again "$T/all" >"$T/here"
try "has those of all but revisits" prints "$T/here" sh -c \
	'"$0" lookup "$1" example/languages | grep -v /again |
	python3 "$2/languages_check.py" lines' "$crawlfs" "$T/d/kept.cfx" "$here"
languages expect isl | grep -v /again >"$T/some"
try "an index of one language" index --language=isl --languages --force \
	-o "$T/d/kept.cfx" "$w"
try "has its pages alone" prints "$T/some" lookup

# ---- put together ----

languages make "$T/d/1.warc.gz" 1
languages make "$T/d/2.warc.gz" 2
for k in 1 2; do
	try "half $k" index --languages -o "$T/d/$k.cfx" "$T/d/$k.warc.gz"
done
try "merged" index --force -o "$T/d/kept.cfx" "$T/d/1.cfx" "$T/d/2.cfx"
grep -v /again "$T/all" >"$T/here"
try "have the same" prints "$T/here" sh -c \
	'"$0" lookup "$1" example/languages | grep -v /again |
	python3 "$2/languages_check.py" lines' "$crawlfs" "$T/d/kept.cfx" "$here"
for k in 1 2 3; do
	try "part $k" index --languages --part=$k/3 -o "$T/d/parts" "$w"
done
try "parts merged" index --force -o "$T/d/kept.cfx" "$T/d/parts"
try "have all" prints "$T/all" lookup
cp "$T/d/1.cfx" "$T/d/kept.cfx"
try "updated" index --languages --update -o "$T/d/kept.cfx" "$T/d/1.warc.gz" \
	"$T/d/2.warc.gz"
try "has both" prints "$T/all" lookup
try "updated without" status 0 index --update -o "$T/d/kept.cfx" \
	"$T/d/1.warc.gz" "$T/d/2.warc.gz"
try "says that it reads all again" complains "it has languages"

# ---- stated by others ----

try "lines with languages" index --languages -o "$T/d/x.cdxj" "$w"
try "have them" prints "$T/here" sh -c 'grep -v /again "$0" |
	python3 "$1/languages_check.py" lines' "$T/d/x.cdxj" "$here"
try "lines to index" index --languages --force -o "$T/d/kept.cfx" "$T/d/x.cdxj"
try "has them" prints "$T/here" sh -c \
	'"$0" lookup "$1" example/languages | grep -v /again |
	python3 "$2/languages_check.py" lines' "$crawlfs" "$T/d/kept.cfx" "$here"
languages select pages.warc.gz <"$T/d/x.cdxj" >"$T/d/s.csv"
printf 'http://languages.example/%s kal,dan\n' isl wrong-lang >"$T/some"
try "a selection's languages pick" prints "$T/some" sh -c \
	'"$0" lookup --language=kal --base="$3" "$1" example/languages |
	python3 "$2/languages_check.py" lines' "$crawlfs" "$T/d/s.csv" "$here" \
	"$T/d"

# ---- mounted ----

words() {	# pages of one language, and words in them
	(cd "$T/mnt" && find . -name '*.txt' | wc -l &&
	 "$CFS_SRCDIR/contrib/jobs/words" | grep -c hund)
}
# Holds T16.
try "a mount of one language" start_mount mnt -o language=isl "$w"
printf '3\n1\n' >"$T/want"
try "shows its pages" prints "$T/want" words
try "and their metadata" sh -c \
	'find "$0" -name "*.meta" -exec cat {} + | jq -r ".crawlfs.languages[0]" |
	sort | uniq -c | grep -q "^ *3 isl$"' "$T/mnt"
try "ends" stop_mount mnt
try "a mount of all" start_mount mnt "$w"
try "metadata are as long as the index says" sh -c \
	'find "$0" -name "*.meta" -size +0c -exec cat {} + | wc -c |
	grep -qx "$(find "$0" -name "*.meta" -printf "%s\n" | awk "{ n += \$1 }
	END { print n }")"' "$T/mnt"
sed 's/^[^ ]* //; s/^$/-/' "$T/all" | sort | uniq -c |
	awk '{ print $1 "\t" $2 }' | sort >"$T/want"
try "the job counts them" sh -c '"$0/contrib/jobs/languages" "$1" | sort |
	diff "$2" -' "$CFS_SRCDIR" "$T/mnt" "$T/want"
try "ends, too" stop_mount mnt
finish
