#!/bin/sh
# metrics_test.sh - .crawlfs/metrics is OpenMetrics, and its figures are right.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

metrics() { python3 "$here/metrics_check.py" "$T/m/.crawlfs/metrics" "$@"; }
stat_of() { python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["operations"][sys.argv[2]])' \
	"$T/m/.crawlfs/stats" "$1"; }

# two captures in one archive, made by Python
python3 "$here/promises.py" make "$T" >"$T/second" || exit 1
archive=$(find "$T/attrs" -name '*.warc.gz' -o -name '*.warc')
"$mkcrawl" --warc --bare --records 5 --seed 3 "$T/other" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/other.cfx" "$T/other" || exit 1

try "mounted" start_mount m -o views=raw "$T/attrs" "$T/other.cfx"
# Holds N14.
try "well-formed, and nothing was read" metrics \
	'm["crawlfs_fuse_sent_bytes_total"] == 0 == m["crawlfs_fuse_failures_total"]'
find "$T/m/attrs" -type f >"$T/pages"
try "two pages" same 2 "$(wc -l <"$T/pages")"
bytes=$(xargs -d '\n' cat <"$T/pages" | wc -c)
# Holds N14.
try "the bytes read" metrics "m['crawlfs_fuse_sent_bytes_total'] == $bytes > 0"
try "bytes of the archive" metrics "0 < m['crawlfs_archive_read_bytes_total'] \
	<= 2 * $(stat -c %s "$archive") and \
	m['crawlfs_inflated_bytes_total'] >= $bytes"
try "each record was inflated once" metrics \
	'm["crawlfs_record_cache_misses_total"] == 2'
try "captures of both crawls" metrics \
	'm["crawlfs_captures"] == 7 and m["crawlfs_sources"] == 2'
opens=$(stat_of readdirplus)
try "requests are those of .crawlfs/stats" metrics "$opens == \
	m['crawlfs_fuse_requests_total{operation=\"readdirplus\"}'] > 0"
try "the version" metrics "m['crawlfs_build_info{version=\"$(
	sed 's/crawlfs //' "$T/m/.crawlfs/version")\"}'] == 1"
try "started before now" metrics \
	"$(date +%s) - 900 < m['crawlfs_start_time_seconds'] <= $(date +%s)"
try "nothing is on a server" metrics \
	'm["crawlfs_fetches_total"] == m["crawlfs_server_requests_total"] == 0'

# a record that cannot be read
find "$T/other" -name '*.warc.gz' -exec truncate -s 10 {} +
page=$(find "$T/m/other" -type f | head -n 1)
try "a page that is damaged" not cat "$page"
try "is a failure" metrics "m['crawlfs_fuse_failures_total'] > 0"
try "as .crawlfs/stats has it" metrics \
	"m['crawlfs_fuse_failures_total'] == $(stat_of errors)"

if find_metrics_parser; then
	# Holds N14.
	try "prometheus_client finds the same" "$metrics_python" \
		"$here/metrics_check.py" --parser "$T/m/.crawlfs/metrics"
else
	skip "prometheus_client: $install_problem"
fi
try "unmounted" stop_mount m
finish
