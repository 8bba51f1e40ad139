# selections.sh - a crawl and its selections, for selection_test.sh and
# sql_test.sh, which source it behind lib.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2154	# variables of lib.sh
crawl=$T/crawl
tables=$T/tables
mnt=$T/mnt

# shows SOURCE TABLE [DATA [LINES]]: a mount of SOURCE has the rows of TABLE.
shows() {
	start_mount mnt -o "data=${3:-$crawl}" "$1" || return 1
	python3 "$here/selection_check.py" check "$mnt" "${3:-$crawl}" "$2" \
		--damaged="${4:-}"
	shown=$?
	stop_mount mnt && return $shown
}

# captures: how many the index has that was made last.
captures() { sed -n 's/^.*: \([0-9,]*\) captures\{0,1\} of .*/\1/p' "$T/err"; }

# make_selections RECORDS: of a crawl of so many.
make_selections() {
	try "a crawl" "$mkcrawl" --warc --records "$1" --page-bytes 500 \
		--archive-bytes 200000 "$crawl"
	mkdir "$tables"
	try "its selections" python3 "$here/selection_check.py" make \
		"$crawl/manifest.tsv" "$tables"
}
