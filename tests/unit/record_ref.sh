#!/bin/sh
# record_ref.sh - compares what the scanner makes of the real samples with
# what an independent reader (record_ref.py) makes of them, and lets it loose
# on the damaged ones, which it must survive.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
dump=$CFS_BUILDDIR/tests/unit/record_dump
ref=$CFS_SRCDIR/tests/record_ref.py
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

if [ ! -d "$CFS_DATA/arc" ]; then
	echo "SKIP: no samples in $CFS_DATA"
	exit 77
fi

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
	esac
}

failed=0
compared=0
for f in $(find "$CFS_DATA"/arc "$CFS_DATA"/warc "$CFS_DATA"/wat \
		"$CFS_DATA"/wet "$CFS_DATA"/malformed -type f | sort); do
	timeout 120 "$dump" "$f" >"$tmp/got" 2>"$tmp/err"
	rc=$?
	if [ $rc -gt 1 ]; then
		echo "FAIL: status $rc for $f"
		cat "$tmp/err"
		failed=1
		continue
	fi
	want=$(odd "$f")
	if [ -n "$want" ]; then
		n=$(wc -l <"$tmp/got")
		d=$(grep -c '^damaged:' "$tmp/err")
		case "$(echo $n $d)" in
		$want) compared=$((compared + 1)) ;;
		*) echo "FAIL: $f: $n records, $d damages, want $want"
		   cat "$tmp/err"
		   failed=1 ;;
		esac
		continue
	fi
	case $f in */malformed/*) continue ;; esac
	python3 "$ref" "$f" >"$tmp/want" || { echo "FAIL: $ref $f"; failed=1; }
	if ! cmp -s "$tmp/want" "$tmp/got"; then
		echo "FAIL: $f"
		diff "$tmp/want" "$tmp/got" | head -10
		failed=1
	fi
	compared=$((compared + 1))
done
echo "$compared samples agree or were judged"
[ $compared -ge 60 ] || failed=1
exit $failed
