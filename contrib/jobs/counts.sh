# counts.sh - adds up lines COUNT TAB NAME; sourced by the jobs and merge-counts.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2016

export LC_ALL=C
tab=$(printf '\t')

# merge: adds up the COUNTs of lines with equal NAMEs; the largest first.  What
# is no such line is reported on standard error.
merge() {
	sort -t "$tab" -k 2 | awk "$merge_awk" | sort -t "$tab" -k 1,1nr -k 2
}
merge_awk='
{
	at = index($0, "\t")
	if (!at || substr($0, 1, at - 1) !~ /^[0-9]+$/) {
		bad++
		next
	}
	name = substr($0, at + 1)
	if (started && name == last)
		sum += substr($0, 1, at - 1)
	else {
		if (started)
			printf "%.0f\t%s\n", sum, last
		sum = substr($0, 1, at - 1) + 0
		last = name
		started = 1
	}
}
END {
	if (started)
		printf "%.0f\t%s\n", sum, last
	if (bad)
		print bad " lines are not COUNT TAB NAME" >"/dev/stderr"
}'
