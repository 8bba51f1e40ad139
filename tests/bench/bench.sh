#!/bin/bash
# bench.sh - `make bench`: how fast crawlfs is, as ratios measured in one run.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Writes a TSV, one row a workload and reference:
#   workload  subject  reference  unit  subject_median  reference_median
#   ratio (of the medians)  runs  ratio_min  ratio_max (run by run)  note
# Subject and references take turns (A B C A B C ...), BENCH_RUNS times, so
# that a row's ratio holds whatever else the machine was doing.  Rates: more is
# better.  Where less is better the note says so.
#
# References
#   native      the same names and sizes on the file system of BENCH_DIR.  For
#               listings the files are holes (only the shape matters); for
#               reading they are copied from the crawlfs mount with cp -r.
#   squashfuse  squashfuse_ll of the native tree (mksquashfs, gzip)
#   erofsfuse   the same of mkfs.erofs (lz4hc)
#   limit       nullfs, a FUSE server that answers from memory, from
#               $CFS_LIMIT: as many folders, files and bytes of names, with
#               its best settings; for reading it inflates pages of the same
#               text and mean size with libdeflate.  Left out when not there.
#   gzip-dc     gzip -dc of the same archives
#   gumbo, lynx, w3m  of the same pages, for text and metadata (views.sh)
#   gunzip        gzip -dc of the archives, for rows (export.sh)
#   pdftotext     of poppler, once a file, for PDF documents (pdf.sh)
#   index, texts  index without --words, and the bytes of all texts (words.sh)
#   rg, grep, FTS5, tantivy  searching the same texts (words.sh)
#   nginx         the same pages as files, for crawlfs serve (serve.sh)
#   python-csv, duckdb  reading the rows that build/selection, parquet and sql
#               index (selections.sh); without DuckDB's library, which
#               contrib/getduckdb fetches, the latter two are left out
#   httpdirfs, rclone, curl  of the same crawl on a server (remote.sh)
#
# huge50/ is an index of 50,000,000 lines of CDX (huge50.sh), beside sort(1) of
# them.
#
# Cold and warm
#   cold        a fresh mount.  For all, native too, dentries and inodes are
#               dropped first (sync; echo 2 >/proc/sys/vm/drop_caches).  The
#               page cache of archives, images and native files is kept for
#               all alike, so a cold native file is read from memory; the rows
#               "disk/" drop that too (echo 3).
#   warm        the same once more at once.
#
# crawlfs lists three names a page (page, .meta, .txt).  Rows dirs/ and flat/
# are mounted with views=raw, like with like; dirs3/ and flat3/ are the default
# mount against trees with three times the names.
#
# ls -lR asks for the attributes of every file by its whole path, so the folders
# above dirs/ (com/example/dirs/_), of which the limit's tree has none, are looked
# up once more for each; ls-lR-inside is run in that folder.
#
# small/ has folders of two pages each, wild/ the tree of crawlfs-mkcrawl as it
# comes, both with views=raw; names count folders too, and native holds the
# pages.  The limit of wild/ has as many folders, all of one level, and in each
# as many files as there are in the mean.  The limit gives attributes with every
# listing, but for find -type f, where that costs more than it saves.
#
# Environment
#   CFS_BUILDDIR  where crawlfs, crawlfs-mkcrawl and the drivers are (default .)
#   BENCH_OUT     the TSV (default bench.tsv)
#   BENCH_RUNS    runs (default 5; 2 in the small scale)
#   BENCH_SCALE   full (default; 14 GB of disk, 35 for huge50/, and 5 million inodes, 4 GB of
#                 memory, three hours on two processors) or small: a
#                 hundredth of everything, to test this script; its ratios
#                 mean little
#   BENCH_ONLY    extended regular expression: only workloads that match it
#   BENCH_REFERENCES  of native, squashfuse, erofsfuse and limit (default all);
#                 squashfuse takes minutes a run on one folder of a million
#   BENCH_SUITE   squashfuse, erofsfuse and httpdirfs of that suite of Debian,
#                 and the newest rclone (newer.sh)
#   BENCH_DIR     for the data (default: a folder in TMPDIR)
#   BENCH_KEEP    1: the data stay there and are used by the next run
#   BENCH_HTML    folder of *.html files for views/ (default: real pages below
#                 CFS_DATA, else generated ones)
#   CFS_LIMIT     folder of nullfs.c (default: ../shared/limit beside the source)
# Mounting and dropping caches need root; without, those rows are left out.
set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source-path=SCRIPTDIR
{
	. "$here/lib.sh"
	. "$here/data.sh"
	. "$here/newer.sh"
	. "$here/images.sh"
	. "$here/parties.sh"
	. "$here/rows.sh"
	. "$here/selections.sh"
	. "$here/views.sh"
	. "$here/export.sh"
	. "$here/pdf.sh"
	. "$here/summary.sh"
	. "$here/serve.sh"
	. "$here/huge50.sh"
	. "$here/remote.sh"
	. "$here/slices.sh"
	. "$here/parts.sh"
	. "$here/merge.sh"
	. "$here/union.sh"
	. "$here/words.sh"
	. "$here/mem.sh"
	. "$here/captures.sh"
}

clients=$CFS_BUILDDIR/tests/bench/clients
lookups=$CFS_BUILDDIR/tests/bench/lookups
views=$CFS_BUILDDIR/tests/bench/views
limit_src=${CFS_LIMIT:-$here/../../../shared/limit}
out=${BENCH_OUT:-bench.tsv}
only=${BENCH_ONLY:-}
references=${BENCH_REFERENCES:-native squashfuse erofsfuse limit}

set_scale "${BENCH_SCALE:-full}"
runs=${BENCH_RUNS:-$default_runs}
set_work "${BENCH_DIR:-}"
trap cleanup EXIT
trap 'exit 130' INT TERM HUP
find_programs
start_table
bench_listings
bench_small
bench_reading
bench_building
bench_selections
bench_lookups
bench_memory
bench_huge50
bench_starting
bench_views
bench_export
bench_pdf
bench_summary
bench_serve
bench_remote
bench_slices
bench_parts
bench_merge
bench_union
bench_words
bench_mem
bench_captures
say "the table is in $out"
