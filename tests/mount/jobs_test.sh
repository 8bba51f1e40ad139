#!/bin/sh
# jobs_test.sh - the jobs of contrib/jobs against an independent count.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
jobs=$CFS_SRCDIR/contrib/jobs
tab=$(printf '\t')
has_program jq || skip_all "there is no jq"

# agrees JOB [OPTION...]: on the mount $mnt of the archives below $archives.
agrees() {
	agrees_job=$1
	shift
	"$jobs/$agrees_job" "$@" "$mnt" >"$T/got" 2>"$T/err" ||
		{ cat "$T/err"; return 1; }
	[ ! -s "$T/err" ] || { cat "$T/err"; return 1; }
	python3 "$here/jobs_check.py" count "$agrees_job" "$@" $read_from \
		"$archives" >"$T/wanted" || return 1
	order='-k 1,1'
	[ "${1-}" = --captures ] && order=
	# what is no count is in the order of the tree
	case $agrees_job in
	links|pdfs)
		for agrees_file in wanted got; do
			sort -s -t "$tab" $order -o "$T/$agrees_file" "$T/$agrees_file"
		done ;;
	esac
	[ "$(wc -l <"$T/wanted")" -ge "${least:-3}" ] ||
		{ echo "only $(wc -l <"$T/wanted") lines"; return 1; }
	cmp "$T/wanted" "$T/got" || { diff "$T/wanted" "$T/got" | head -n 20; false; }
}

# ---- pages made for it ----

python3 "$here/jobs_check.py" make "$T/made" || exit 1
archives=$T/made
mnt=$T/mnt
read_from="--prefix $mnt/"
try "mounts" start_mount mnt "$T/made"
for job in tags servers words mail links graph pdfs; do
	try "$job" agrees $job
	try "$job of all captures" agrees $job --captures
done
try "servers with versions" agrees servers --full
try "mail in the source" agrees mail --source
try "graph with what is embedded" agrees graph --all
try "graph inside hosts" agrees graph --self
try "the mount ends" stop_mount mnt
finish
