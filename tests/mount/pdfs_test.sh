#!/bin/sh
# pdfs_test.sh - contrib/jobs/crawlfs-pdfs: the PDF files of a crawl as files with
# names for people, and a table of them.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

export CRAWLFS="$crawlfs" XDG_CACHE_HOME="$T/cache" PYTHONDONTWRITEBYTECODE=1
pdfs() { timeout 120 "$CFS_SRCDIR/contrib/jobs/crawlfs-pdfs" "$@"; }
check() { python3 "$CFS_SRCDIR/tests/mount/pdfs_check.py" "$@"; }
check make "$T/a.warc" || exit 1
titles=
! "$crawlfs" version | grep -q '^PDF: none' || titles=no-titles

try "its help" status 0 pdfs --help
try "the files of a crawl" status 0 pdfs -o "$T/pdfs" "$T/a.warc"
try "and how many" complains ': 12 files of 14 captures, 1 without a file'
# shellcheck disable=SC2086	# a word, or none
try "have names and bytes" check check "$T/pdfs" $titles
try "a folder that is not empty" status 3 pdfs -o "$T/pdfs" "$T/a.warc"
try "stays" check check "$T/pdfs" $titles
mkdir "$T/empty"
try "options of export" status 0 pdfs -o "$T/empty" --prefix=example.a "$T/a.warc"
try "pick captures" same "$(grep -c '	http://' "$T/empty/pdfs.tsv")" 5
try "a crawl that is not there" status 3 pdfs -o "$T/none" "$T/none.warc"
try "its folder can be used again" status 0 pdfs -o "$T/none" "$T/a.warc"
try "an option that is not one" status 2 pdfs -o "$T/odd" --oder=index "$T/a.warc"
try "no folder" status 2 pdfs "$T/a.warc"
head -c 5000 "$T/a.warc" >"$T/cut.warc"
try "an archive that ends early" status 1 pdfs -o "$T/cut" "$T/cut.warc"
finish
