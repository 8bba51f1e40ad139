#!/bin/sh
# memory_test.sh - a mount of a crawl on a server keeps to -o mem=, too.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The crawl of tests/mount/memory_test.sh, whose archive nginx serves: pages that
# are longer than the ceiling, 32 readers that need more than it together, and one
# that reads in order, for which pages are fetched ahead.

. "$CFS_SRCDIR/tests/net/lib.sh"

has_program nginx || skip_all "there is no nginx"
memory() { python3 "$here/memory_check.py" "$@"; }
keeps_to() { memory keeps "$T/$1" "$(pid_of "$1")" "$2"; }

mkdir "$T/www"
memory make "$T/www/crawl.warc.gz" "$T/sums" || exit 1
"$crawlfs" index -q -o "$T/www/crawl.cfx" "$T/www/crawl.warc.gz" || exit 1
try "nginx" start_nginx web "$T/www"
try "mounts" start_mount far -o "mem=64M,data=$http_url" "$T/www/crawl.cfx"
# Holds L12.
try "pages larger than mem=" memory read "$T/far" "$T/sums" large
# Holds L12.
try "32 readers at one time" memory crowd "$T/far" "$T/sums"
# Holds L12.
try "no more memory than mem= was used" keeps_to far 64
try "unmounts" stop_mount far
rm -rf "$T/cache"
try "mounts again, with nothing cached" start_mount far \
	-o "mem=64M,data=$http_url" "$T/www/crawl.cfx"
try "one reader in order" memory read "$T/far" "$T/sums" many
try "for which pages were fetched ahead" test "$(stat_of far cache.ahead)" -gt 0
# Holds L12.
try "nor was more used for that" keeps_to far 64
try "unmounts again" stop_mount far
finish
