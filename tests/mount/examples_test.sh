#!/bin/sh
# examples_test.sh - the EXAMPLES in the manuals of commands, run word for word,
# in a folder with the names that they use.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"
manuals=$CFS_SRCDIR/man
for program in jq rsync; do
	has_program $program || skip_all "there is no $program"
done
example() { python3 "$here/examples_check.py" "$@"; }

# What stands in for Common Crawl's servers is a folder, by --base.
mkdir "$T/x" "$T/x/mnt"
try "a crawl" sh "$CFS_SRCDIR/contrib/demo" --sample "$T/x/crawl"
start_faultd faultd "$T/x" || skip_all "no server"
crawlfs_below "$url" "*' --sql '*|*' answer.csv '*"
export TZ=UTC
ln -s "$CFS_SRCDIR/contrib" "$T/x/contrib"
example rows "$T/x" >"$T/rows.jsonl" || exit 1

# runs PAGE NAME: and leaves nothing mounted.
runs() {
	example run "$manuals/$1" "$T/x" "$2" && is_unmounted "$T/x/mnt"
	runs_status=$?
	detach "$T/x/mnt"
	return $runs_status
}
sql() {
	cc=$T/x/cc-index/crawl=CC-MAIN-2016-22/subset=warc
	find_parquet || {
		skip "sql: hyparquet: $install_problem"
		return
	}
	find_duckdb || {
		skip "sql: $install_problem"
		return
	}
	mkdir -p "$cc" "$T/data"
	ln -s "${CRAWLFS_DUCKDB%/*}" "$T/data/crawlfs"
	unset CRAWLFS_DUCKDB
	XDG_DATA_HOME=$T/data
	export XDG_DATA_HOME
	try "rows as Parquet" parquet make "$T/rows.jsonl" "$cc/part-0.parquet"
	try "sql" runs "$1" sql
}

try "each example has a name, and is checked" example names "$manuals"
example names "$manuals" >"$T/names"
while read -r page name; do
	case $name in
	sql) sql "$page" ;;
	*) try "$name" runs "$page" "$name" ;;
	esac
done <"$T/names"
finish
