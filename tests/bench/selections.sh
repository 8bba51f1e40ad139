# selections.sh - part of bench.sh: answers of queries, and queries, as indexes,
# beside programs that only read them.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154	# variables of the other parts

# index_rows OPTION...: status and seconds
index_rows() {
	"$clients" time "$crawlfs" index -q --force -o "$work/tmp/rows.cfx" "$@" \
		2>"$work/tmp/log"
}
# duckdb_rows SQL: the same of DuckDB alone, which holds the rows in memory
duckdb_rows() {
	local seconds
	seconds=$(python3 "$CFS_SRCDIR/tests/mount/duckdb_alone.py" \
		"$CRAWLFS_DUCKDB" "$1" 2>"$work/tmp/log")
	echo "$? $seconds"
}

make_parquet() {
	local result
	result=$(duckdb_rows "COPY (FROM '$work/selection.csv')
		TO '$work/selection.parquet'")
	[ "${result% *}" = 0 ]
}

# selection_party WORKLOAD PARTY, of the file or by the query
selection_party() {
	case $1/$2 in
	build/selection/crawlfs) index_rows "$work/selection.csv" ;;
	build/selection/python-csv)
		"$clients" time python3 "$here/make_selection.py" read \
			"$work/selection.csv" ;;
	build/selection/duckdb) duckdb_rows \
		"FROM read_csv('$work/selection.csv', all_varchar = true)" ;;
	build/parquet/crawlfs) index_rows "$work/selection.parquet" ;;
	build/sql/crawlfs) index_rows --tables="$work" --sql="$sql_rows" ;;
	*/duckdb) duckdb_rows "$sql_rows" ;;
	esac
}

# selection_turns WORKLOAD PARTY...: of which the first is crawlfs
selection_turns() {
	local workload=$1 i party result
	shift
	for ((i = 0; i < runs; i++)); do
		for party; do
			result=$(selection_party "$workload" "$party")
			[ "${result% *}" = 0 ] || die "$party fails at $workload: $(tail -n 1 "$work/tmp/log")"
			sample "$workload" "$party" \
				"$(rate "$selection_rows" "${result#* }")"
		done
	done
	for party in "${@:2}"; do
		row "$workload" rows/s "$1" "$party" \
			"$selection_rows rows; $party only reads them"
	done
}

bench_selections() {
	local sql_rows="FROM '$work/selection.parquet'" duckdb=duckdb
	if ! want build/selection && ! want build/parquet && ! want build/sql; then
		return 0
	fi
	once selection python3 "$here/make_selection.py" "$selection_rows" \
		"$work/selection.csv"
	if ! find_duckdb; then
		say "without DuckDB, hence without build/parquet and build/sql: $install_problem"
		duckdb=
	fi
	# shellcheck disable=SC2086	# none or one
	! want build/selection || selection_turns build/selection crawlfs python-csv $duckdb
	[ -n "$duckdb" ] || return 0
	once parquet make_parquet
	! want build/parquet || selection_turns build/parquet crawlfs duckdb
	! want build/sql || selection_turns build/sql crawlfs duckdb
}
