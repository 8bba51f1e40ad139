#!/bin/sh
# tree_test.sh - mounted crawls against the reference model.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

records() { python3 "$model/record_reader.py" check "$1/manifest.tsv"; }

# all_checks NAME LEAST MODEL-OPTION... -- SOURCE: each from a cold mount.
all_checks() {
	name=$1 least=$2 options=
	shift 2
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	manifest=$T/$name/manifest.tsv
	try "$name: mounts" start_mount "m-$name" "$1"
	is_mounted "$T/m-$name" || return
	# Holds C9, N1, N2, N5, N14, T1.
	try "$name: find sees the model's tree, every body right" \
		check tree --least "$least" $options "$manifest" "$T/m-$name"
	try "$name: again cold" remount "m-$name" "$1"
	# Holds N3.
	try "$name: look-up agrees with the listing" \
		check agree --least "$least" "$T/m-$name"
	try "$name: again cold" remount "m-$name" "$1"
	# Holds N4, N8.
	try "$name: full forms resolve, others do not" \
		check lookups $options "$manifest" "$T/m-$name"
	# Holds N4.
	try "$name: every look-up as the model has it" \
		python3 "$model/check_mount.py" $options "$T/m-$name" "$manifest"
	# Holds N6.
	try "$name: path and url are inverse" check inverse --sample 60 $options \
		"$crawlfs" "$1" "$manifest" "$T/m-$name"
	try "$name: the daemon ends well" stop_mount "m-$name"
}

names_are_utf8() {
	find "$1" >"$T/names" && grep -c '#%' "$T/names" &&
		iconv -f UTF-8 -t UTF-8 "$T/names" >/dev/null
}
# All files, and folders but those that are very deep or whose shortened name has
# no URL.
same_urls() {
	start_mount m-bytes -o views=raw "$2"
	for tree in "$T/m-bytes" "$1"; do
		find "$tree"/* -type f ! -name '*.meta' ! -name '*.txt' -o -type d \
			! -path '*#x[0-9a-f]*' | awk -F / 'NF < 60' >"$T/names"
		tr '\n' '\0' <"$T/names" | xargs -0 "$crawlfs" url |
			sort >"$T/urls.${tree##*/}"
	done
	stop_mount m-bytes
	[ "$(wc -l <"$T/urls.${1##*/}")" -gt 1500 ] &&
		comm -13 "$T/urls.m-bytes" "$T/urls.${1##*/}" | not grep -a .
}

"$mkcrawl" --records 500 --hostile 40 --page-bytes 900 --warc \
	--archive-bytes 200000 "$T/warc" >/dev/null || exit 1
"$mkcrawl" --records 500 --hostile 40 --page-bytes 900 --arc --seed 2 \
	--archive-bytes 200000 "$T/arc" >/dev/null || exit 1
python3 "$model/hostile_urls.py" --seed 5 --count 1200 >"$T/urls"
"$mkcrawl" --warc --urls "$T/urls" --page-bytes 200 "$T/odd" >/dev/null || exit 1
"$mkcrawl" --records 150 --hostile 40 --page-bytes 900 --plain --seed 3 \
	--warc --arc "$T/plain" >/dev/null || exit 1
for crawl in warc arc odd plain; do
	try "$crawl: the manifest is right" records "$T/$crawl"
done

all_checks warc 400 --base crawl-data -- "$T/warc/crawl-data"
all_checks arc 400 --base parse-output -- "$T/arc/parse-output"
# Holds N7.
all_checks odd 900 -- "$T/odd"

# the same with names that are UTF-8
export CFS_NAMES=escaped
try "escaped: mounts" start_mount m-escaped "$T/odd" --names=escaped
# Holds N43.
try "escaped: find sees the model's tree, every body right" \
	check tree --least 900 "$T/odd/manifest.tsv" "$T/m-escaped"
try "escaped: again cold" remount m-escaped "$T/odd" -o names=escaped
# Holds N43.
try "escaped: every look-up as the model has it" python3 \
	"$model/check_mount.py" "$T/m-escaped" "$T/odd/manifest.tsv"
# Holds N43.
try "escaped: full forms resolve, others do not" check lookups \
	"$T/odd/manifest.tsv" "$T/m-escaped"
try "escaped: all names are UTF-8" names_are_utf8 "$T/m-escaped"
try "escaped: the URLs are those of other mounts" \
	same_urls "$T/m-escaped" "$T/odd"
try "escaped: the daemon ends well" stop_mount m-escaped
unset CFS_NAMES

all_checks plain 120 -- "$T/plain"

# one archive alone
archive=$(cd "$T/warc" && find . -name '*.warc.gz' | sort | sed -n 's|^\./||;1p')
grep -F "	$archive	" "$T/warc/manifest.tsv" >"$T/warc/one.tsv"
try "one archive mounts" start_mount one "$T/warc/$archive"
try "one archive: its tree" check tree --least 20 --base "${archive%/*}" \
	"$T/warc/one.tsv" "$T/one"
# .crawlfs/url/NUMBER, by every name of every page
urls_by_number() {
	find "$T/one" -type f -printf '%i\n' |
		sed "s|^|$T/one/.crawlfs/url/|" | xargs cat | sort -u >"$T/got"
	cut -f 1 "$T/warc/one.tsv" | sort -u >"$T/want"
	[ "$(grep -c '^http' "$T/got")" -ge 20 ] || return 1
	grep -v '\\x' "$T/want" | comm -23 - "$T/got" | not grep .
}
try "one archive: the URLs by inode numbers" urls_by_number
try "one archive: folders have none" absent \
	"$T/one/.crawlfs/url/$(stat -c %i "$T/one")" "$T/one/.crawlfs/url/x"
try "one archive: the daemon ends well" stop_mount one

# several sources side by side
mkdir "$T/again"
ln "$T/warc/$archive" "$T/again/${archive##*/}"
top=${archive##*/}
top=${top%.warc.gz}
try "three sources mount" start_mount several "$T/arc/parse-output" \
	"$T/warc/$archive" "$T/again/${archive##*/}"
# Holds N10.
try "their names" same "$(ls "$T/several" | sort | tr '\n' ' ')" \
	"$(printf '%s\n' parse-output "$top" "$top~2" | sort | tr '\n' ' ')"
# Holds N10.
try "the first is the model's tree" check tree --base parse-output \
	"$T/arc/manifest.tsv" "$T/several/parse-output"
for name in "$top" "$top~2"; do
	try "$name is the model's tree" check tree --base "${archive%/*}" \
		"$T/warc/one.tsv" "$T/several/$name"
done
try "look-up agrees with the listing" check agree "$T/several"
find "$T/several" -printf '%i\n' | sort | uniq -d >"$T/twice"
try "no inode number twice" not test -s "$T/twice"
try "several sources: the daemon ends well" stop_mount several

# other views listed
try "mounts with all views" start_mount views -o \
	views=raw:meta:txt:headers:record "$T/warc/crawl-data"
# Holds N8.
try "all views: the model's tree" check tree --base crawl-data \
	--views raw:meta:txt:headers:record "$T/warc/manifest.tsv" "$T/views"
find "$T/views" -name '*.warc.gz' -type f -exec cat {} + >"$T/all.warc.gz"
# Holds N9.
try "the records are gzip members" gzip -t "$T/all.warc.gz"
python3 "$model/record_reader.py" list "$T/all.warc.gz" >"$T/all.list"
# Holds N9.
try "the records make an archive of every capture" same \
	"$(wc -l <"$T/all.list")" "$(python3 "$model/tree_model.py" --views raw \
		"$T/warc/manifest.tsv" | cut -f2 | grep -c file)"
try "all views: the daemon ends well" stop_mount views
try "mounts with raw only" start_mount raw -o views=raw "$T/warc/crawl-data"
# Holds N8.
try "raw only: the model's tree" check tree --base crawl-data --views raw \
	"$T/warc/manifest.tsv" "$T/raw"
try "raw only: the daemon ends well" stop_mount raw
finish
