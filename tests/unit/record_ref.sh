#!/bin/sh
# record_ref.sh - compares what the scanner makes of the real samples with
# what an independent reader (record_ref.py) makes of them, and lets it loose
# on the damaged ones, which it must survive.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
dump=$CFS_BUILDDIR/tests/unit/record_dump
ref=$CFS_SRCDIR/tests/record_ref.py
[ -d "$CFS_DATA/arc" ] || skip_all "no samples in $CFS_DATA"

# Samples that are themselves wrong, so that the reader of well-formed files
# has no say: records expected, and damages.
odd() {
	case $1 in
	*/hello-world.arc) echo 2 0 ;;
	*/file_and_wet_headers_only.wet.gz) echo 1 2 ;;
	*/hadoop-common-crawl/news.wet.gz) echo 1 2 ;;
	*/hadoop-common-crawl/news2.wet.gz) echo 1 0 ;;
	*/appended_zip_fragment_unexpected_eof.wet.gz) echo 17 1 ;;
	*/corrupt_starts_with_conversion.wet.gz) echo 6 0 ;;
	*/corrupt_warcconversion_1.wet.gz) echo 6 '[01]' ;;
	*/fragment1_incomplete_last.wet.gz) echo 3 1 ;;
	*/aut/badexample.arc.gz) echo '[45]' '[0-9]' ;;
	*/example-wrong-chunks.warc.gz) echo 2 0 ;;
	*/example-bad.warc.gz.bad) echo 6 0 ;;
	*/gzip_extra_sl.warc.gz) echo 1 0 ;;
	*/invalid-warcrecord-3.warc) echo '[2-9]' '[0-9]' ;;
	*/jhove/valid-warcfile-fields-metainfo.warc) echo 1 0 ;;
	*/jhove/valid-warcfile-upper-lower-case.warc.gz) echo 5 0 ;;
	*/jhove/invalid-*) echo '[0-9]*' '[0-9]*' ;;	# only to be survived
	esac
}

# judged FILE RECORDS DAMAGES: two patterns of a shell
judged() {
	counts="$(wc -l <"$T/got") $(grep -c '^damaged:' "$T/err")"
	echo "$counts: records and damages, wanted $2 $3"
	case $counts in
	$2\ $3) ;;
	*) cat "$T/err"; return 1 ;;
	esac
}
agree() {
	python3 "$ref" "$1" >"$T/want" && diff "$T/want" "$T/got"
}

for f in $(find "$CFS_DATA"/arc "$CFS_DATA"/warc "$CFS_DATA"/wat \
		"$CFS_DATA"/wet "$CFS_DATA"/malformed -type f | sort); do
	name=${f#"$CFS_DATA/"}
	timeout 300 "$dump" "$f" >"$T/got" 2>"$T/err"
	rc=$?
	want=$(odd "$f")
	if [ $rc -gt 1 ]; then
		fail "$name: status $rc"
		cat "$T/err"
	elif [ -n "$want" ]; then
		try "$name, judged by hand" judged "$f" $want
	else
		case $f in
		*/malformed/*) ok "$name is survived" ;;
		*) try "$name" agree "$f" ;;
		esac
	fi
done
try "there were samples" test "$passed" -ge 60
finish
