#!/bin/sh
# zst_test.sh - .warc.zst mounted, indexed and copied: made here by libzstd in
# every form that writers have, and the real samples.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

has_program zstd || skip_all "there is no zstd"
zst() { python3 "$CFS_SRCDIR/tests/zst_crawl.py" "$@"; }
"$mkcrawl" --records 250 --warc --hostile 0 "$T/c" >/dev/null || exit 1
gz=$(find "$T/c" -name '*.warc.gz')
cp "$gz" "$T/a.warc.gz"
for form in spec stream bare dict rawdict noid multi wrong lost second window \
	whole bigdict; do
	zst make $form "$gz" "$T/$form.warc.zst" || skip_all "libzstd does not load"
done
views=raw:meta:txt:headers

# ---- trees ----

start_mount gz -o views=$views "$T/a.warc.gz" || exit 1
tree_is_same() {	# tree_is_same ARGUMENT...: mounted, it is that of the .warc.gz
	start_mount zst -o views=$views "$@" && zst same "$T" gz zst
}
quiet() { [ ! -s "$T/$1.log" ] || { cat "$T/$1.log"; return 1; }; }
for form in spec stream bare dict rawdict noid multi; do
	try "$form: the tree of the .warc.gz" tree_is_same "$T/$form.warc.zst"
	try "$form: nothing is said" quiet zst
	try "$form: the daemon ends well" stop_mount zst
done
views=raw:txt:headers	# where each record lies in the one frame is in .meta
remount gz -o views=$views "$T/a.warc.gz"
try "whole: the same pages" tree_is_same "$T/whole.warc.zst"
views=raw:meta:txt:headers
stop_mount zst
stop_mount gz
start_mount plain "$T/dict.warc.zst"
try "an independent reader agrees" check sample --good "$T/a.warc.gz" "$T/plain"
stop_mount plain

# ---- what is damaged or refused costs its record ----

bodies() { find "$T/$1" -type f | wc -l; }
pages() { grep -cE '	(response|resource|revisit|conversion)	' "$1"; }
# lost_of FORM N PATTERN: so many pages less, and a line says why, besides the one
# that says how much is damaged
lost_of() {
	rm -f "$T/bad.log"
	start_mount bad -o views=raw "$T/$1.warc.zst" || return 1
	same $(($(pages "${4-$T/$1.warc.zst.tsv}") - $2)) "$(bodies bad)" &&
		find "$T/bad" -type f -exec cat {} + >/dev/null &&
		same "$(grep -vc '\.crawlfs/errors' "$T/bad.log")" \
			"$(grep -v '\.crawlfs/errors' "$T/bad.log" |
				grep -c "$3")"
	lost_status=$?
	stop_mount bad && return $lost_status
}
refused() {	# refused FORM PATTERN
	status 1 "$crawlfs" mount "$T/$1.warc.zst" "$T/bad" && complains "$2"
}
mkdir -p "$T/bad"
page=$(grep -nm 9 '	response	' "$T/spec.warc.zst.tsv" | tail -n 1 | cut -d: -f1)
lost=$(sed -n 3p "$T/window.warc.zst.tsv" | grep -cE '	(response|resource)	')
try "a window of 16 MiB" lost_of window "$lost" \
	'offset [0-9]*: .*window of 16777216 bytes: more than 8388608'
try "a dictionary that is not there" refused lost \
	'needs dictionary [0-9]*, and the archive has none'
try "another dictionary" refused wrong \
	'needs dictionary [0-9]*, and the archive has 4242'
try "one of more than 8 MiB" refused bigdict 'dictionary of more than 8388608'
for form in spec dict multi; do
	whole=$T/$form.warc.zst
	for at in 40 2500; do
		zst flip $((page - 1)) $at "$whole" "$T/flip.warc.zst"
		try "$form: a bit at $at of a record" lost_of flip 1 \
			'flip.warc.zst: offset' "$whole.tsv"
	done
done
n=$(sed -n "$page"p "$T/spec.warc.zst.tsv" | cut -f1)
zst cut $((n - 1)) "$T/spec.warc.zst" "$T/short.warc.zst"
head -n $((page - 2)) "$T/spec.warc.zst.tsv" >"$T/short.tsv"
# A frame of several blocks, cut off in one of them: its page is there as far as
# the blocks before go, and then fails.
{ printf 'WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.org/x\r\n'
	printf 'WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: 500000\r\n\r\n'
	head -c 500000 "$gz"
	printf '\r\n\r\n'; } | zstd -q >"$T/blocks.warc.zst"
try "a record of several blocks" start_mount b "$T/blocks.warc.zst"
try "... is read" sh -c "head -c 500000 '$gz' | cmp - '$T/b/org/a/_/x'"
try "the daemon ends well" stop_mount b
zst cut 300000 "$T/blocks.warc.zst" "$T/half.warc.zst"
try "cut off in its third block" start_mount b "$T/half.warc.zst"
LC_ALL=C cat "$T/b/org/a/_/x" >"$T/half" 2>"$T/err"
try "... it has what comes before" sh -c "[ \$(wc -c <'$T/half') -gt 200000 ] &&
	cmp -n \$(wc -c <'$T/half') '$T/half' '$gz'"
try "... and then fails" complains 'Input/output error'
try "the daemon ends well" stop_mount b
try "cut off in a frame" lost_of short 0 'short.warc.zst: offset .*ends inside' \
	"$T/short.tsv"
zst cut 4000 "$T/dict.warc.zst" "$T/nodict.warc.zst"
try "cut off in the dictionary" refused nodict 'dictionary is cut off'
: >"$T/empty.tsv"
printf '\050\265\057\375\044\000\001\000\000\231\351\330\121' >"$T/hollow.warc.zst"
try "an empty frame alone" refused hollow 'neither an ARC, WARC'
(cat "$T/hollow.warc.zst" "$T/hollow.warc.zst" "$T/spec.warc.zst") >"$T/lead.warc.zst"
try "empty frames in front" lost_of lead 0 nothing "$T/spec.warc.zst.tsv"
try "another dictionary in the middle" lost_of second \
	"$(tail -n $((($(wc -l <"$T/second.warc.zst.tsv") + 1) / 2)) \
	"$T/second.warc.zst.tsv" >"$T/tail.tsv"; pages "$T/tail.tsv")" \
	'another zstd dictionary'

# ---- the record view ----

view_is_right() {	# view_is_right FORM
	start_mount v -o views=record "$T/$1.warc.zst" || return 1
	zst views "$T/v" "$T/$1.warc.zst" "$T/$1.warc.zst.tsv"
	view_status=$?
	stop_mount v && return $view_status
}
for form in spec bare dict rawdict noid multi; do
	# Holds N9.
	try "$form: record views" view_is_right $form
done
start_mount v -o views=raw "$T/dict.warc.zst"
one=$(find "$T/v" -type f ! -name '*#*' | head -n 1)
try "its name resolves" test -f "$one.warc.zst"
try "those of others do not" absent "$one.warc.gz" "$one.arc.gz"
cp "$one.warc.zst" "$T/one.warc.zst"
try "the daemon ends well" stop_mount v
start_mount v -o views=raw "$T/one.warc.zst"
# Holds N9.
try "it is an archive by itself" cmp "$T/v/${one#"$T/v/"}" "$T/v/${one#"$T/v/"}"
stop_mount v
start_mount v -o views=raw "$T/whole.warc.zst"
try "a record without a frame of its own" sh -c \
	"zstd -dqc '$T/v/${one#"$T/v/"}.warc.zst' | grep -aq '^WARC/1'"
stop_mount v

# ---- indexes ----

index() { "$crawlfs" index -q --force "$@"; }
index -o "$T/one.cfx" --threads=1 "$T/dict.warc.zst"
index -o "$T/four.cfx" --threads=4 "$T/dict.warc.zst"
try "an index by four threads" cmp "$T/one.cfx" "$T/four.cfx"
sizes_are_exact() { tree_is_same "$T/dict.cfx" && [ -z "$(find "$T/zst" -type f \
	-size +0 -exec stat -c '%s %n' {} + | while read -r size file; do
		[ "$size" -eq "$(wc -c <"$file")" ] || echo "$file"; done)" ]; }
index -o "$T/dict.cfx" "$T/dict.warc.zst"
start_mount gz -o views=$views "$T/a.warc.gz"
try "its sizes are those of the files" sizes_are_exact
stop_mount zst
for lengths in yes no; do
	zst cdx "$T/multi.warc.zst" $lengths >"$T/multi.cdx"
	try "a CDX over it, lengths: $lengths" start_mount zst "$T/multi.cdx"
	try "... serves what it lists" sh -c "
		find '$T/zst' -type f ! -name '*.meta' ! -name '*.txt' >'$T/listed'
		[ \$(wc -l <'$T/listed') -gt 50 ] && while read -r f; do
			cat \"\$f\" >/dev/null || exit 1; done <'$T/listed'"
	try "... the same bodies" sh -c "
		find '$T/gz' -type f -exec sha1sum {} + | cut -c-40 | sort -u >'$T/a'
		xargs -d '\n' sha1sum <'$T/listed' | cut -c-40 | sort -u >'$T/b'
		[ -z \"\$(comm -13 '$T/a' '$T/b')\" ]"
	try "the daemon ends well" stop_mount zst
done
stop_mount gz
zst cdx "$T/lost.warc.zst" yes "$T/dict.warc.zst" >"$T/lost.cdx"
start_mount lost "$T/lost.cdx"
one=$(find "$T/lost" -type f ! -name '*.meta' ! -name '*.txt' | head -n 1)
try "frames without their dictionary are EIO" sh -c \
	"LC_ALL=C cat '$one' 2>&1 >/dev/null | grep -q 'Input/output error'"
try "the dictionary is named" grep -q \
	'lost.warc.zst: offset [0-9]*: .*needs dictionary [0-9]*, and' "$T/lost.log"
try "the daemon ends well" stop_mount lost

# damaged after it was indexed
zst flip $((page - 1)) 2500 "$T/multi.warc.zst" "$T/flip.warc.zst"
sed 's/ multi.warc.zst$/ flip.warc.zst/' "$T/multi.cdx" >"$T/flip.cdx"
start_mount lost "$T/flip.cdx"
find "$T/lost" -type f ! -name '*.meta' ! -name '*.txt' -exec cat {} + \
	>/dev/null 2>"$T/err"
try "a frame that is damaged costs its record" same 1 \
	"$(grep -c 'Input/output error' "$T/err")"
try "... and a line" same 1 "$(grep -c 'flip.warc.zst: offset' "$T/lost.log")"
try "the daemon ends well" stop_mount lost

# ---- copies ----

copied() {	# copied TO RECORDS SOURCE...: all pages, and the index of a build
	rm -f "$T/$1" "$T/$1.cfx"
	copied_to=$1 copied_of=$2
	shift 2
	status 0 "$crawlfs" copy -q --records=captures "$1" $("$crawlfs" ls "$1" | tr -d /) \
		-o "$T/$copied_to" || return 1
	zst records "$T/$copied_to" >"$T/has" &&
	zst records $copied_of |
		grep -E ' (response|resource|revisit|conversion)$' >"$T/want" &&
		same "$(wc -l <"$T/has")" $(($(wc -l <"$T/want") + 1)) &&
		same "" "$(comm -13 "$T/has" "$T/want")" &&
		index --no-views --final --threads=1 -o "$T/read.cfx" "$T/$copied_to" &&
		cmp "$T/read.cfx" "$T/$copied_to.cfx"
}
for form in spec dict multi; do
	try "$form: copied to .warc.gz" copied "$form.warc.gz" "$T/a.warc.gz" \
		"$T/$form.warc.zst"
	try "... which gzip takes" gzip -t "$T/$form.warc.gz"
	try "$form: copied to .warc.zst" copied new.warc.zst "$T/a.warc.gz" \
		"$T/$form.warc.zst"
	try "... byte for byte" zst kept "$T/new.warc.zst" "$T/$form.warc.zst"
done
try "a .warc.gz copied to .warc.zst" copied new.warc.zst "$T/a.warc.gz" "$T/a.warc.gz"
try "... which zstd takes" zstd -tq "$T/new.warc.zst"
mkdir "$T/two"
cp "$T/dict.warc.zst" "$T/two/a.warc.zst"
"$mkcrawl" --records 200 --seed 7 --warc --hostile 0 "$T/c2" >/dev/null
gz2=$(find "$T/c2" -name '*.warc.gz')
zst make rawdict "$gz2" "$T/two/b.warc.zst"
try "two dictionaries: copied" copied new.warc.zst "$gz $gz2" "$T/two"

# ---- the real samples ----

samples=$CFS_DATA/warczst
if [ -d "$samples" ]; then
	for tsv in "$samples"/*.tsv; do
		archive=${tsv%.tsv}.warc.zst
		name=${archive##*/}
		try "$name mounts" start_mount s -o views=record "$archive"
		try "$name: each record is what its table says" \
			zst views "$T/s" "$archive" "$tsv"
		try "the daemon ends well" stop_mount s
	done
	samples_same() {	# samples_same FILE.warc.gz FORM...
		start_mount gz -o views=$views "$CFS_DATA/warc/$1" || return 1
		shift
		for form; do
			tree_is_same "$samples/$form.warc.zst" && stop_mount zst ||
				return 1
		done
		stop_mount gz
	}
	try "iana: two forms, the tree of the .warc.gz" samples_same \
		pywb/iana.warc.gz iana.dict iana.nodict
	try "dolma: four" samples_same dolma/sample-0000.warc.gz dolma-0000.dict \
		dolma-0000.rawdict dolma-0000.specdict dolma-0000.stream
	try "resiliparse: three" samples_same \
		chatnoir-resiliparse/warcfile.warc.gz resiliparse.dict \
		resiliparse.multi resiliparse.nodict
else
	skip "no real samples in CFS_DATA"
fi
finish
