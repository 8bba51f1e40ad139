#!/bin/sh
# listing_test.sh - how many requests of the kernel listings take.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

# 300 folders of two pages; 20 of 60; one of 20,000
mk() { "$mkcrawl" --warc --bare --page-bytes 150 "$@" >/dev/null || exit 1; }
mk --shape dirs=300 --records 600 "$T/c.small"
mk --shape dirs=20 --records 1200 "$T/c.middle"
mk --shape flat --records 20000 "$T/c.flat"

# ops MOUNT: what the kernel has asked for so far, as shell variables
ops() {
	eval "$(python3 -c 'import json, sys
for k, v in json.load(open(sys.argv[1]))["operations"].items():
    if isinstance(v, int): print(f"{k}={v}")' "$T/$1/.crawlfs/stats")"
}
# counted MOUNT COMMAND...: how many more there were during it
counted() {
	counted_mount=$1
	shift
	ops "$counted_mount"
	lookup0=$lookup getattr0=$getattr lists0=$((readdir + readdirplus))
	"$@" >"$T/out" || return 1
	ops "$counted_mount"
	lookups=$((lookup - lookup0)) getattrs=$((getattr - getattr0))
	lists=$((readdir + readdirplus - lists0))
	echo "$* takes $lookups look-ups, $getattrs GETATTRs, $lists listings"
}
at_most() {	# at_most LOOKUPS GETATTRS LISTINGS; a few are for the stats
	[ $lookups -le $(($1 + 10)) ] && [ $getattrs -le $(($2 + 10)) ] &&
		[ $lists -le $(($3 + 10)) ]
}
# Whatever else runs here may have the kernel drop what it has kept: all of a
# case is done again then.
case_of() { WAIT_STEP=0.5 WAIT_STEPS=2 wait_for "$@" || { "$@"; return 1; }; }

find_small() {
	remount small -o views=raw "$T/c.small" &&
		counted small find "$T/small" -type f && at_most 0 0 610 &&
		same "$(wc -l <"$T/out")" 600
}
find_twice() {
	find_small && counted small find "$T/small" -type f && at_most 0 0 0 &&
		same "$(wc -l <"$T/out")" 600
}
small_names_then_sizes() {
	find_small && counted small ls -lR "$T/small" && at_most 0 0 0
}
size_small() {
	remount small -o views=raw "$T/c.small" &&
		counted small find "$T/small" -size +0 && at_most 10 0 610
}
start_mount small "$T/c.small"
try "small folders take two requests each" case_of find_small
try "and none the second time" case_of find_twice
try "nor for ls -lR" case_of small_names_then_sizes
try "sizes in them take no more" case_of size_small
try "small: the daemon ends well" stop_mount small

# A folder of 60 has no nodes for `find -type`; they come once files are asked
# for one by one.
names_then_sizes() {
	remount middle -o views=raw "$T/c.middle" &&
		counted middle find "$T/middle" -type f && at_most 0 0 50 &&
		counted middle ls -lR "$T/middle" && at_most 200 40 50 &&
		counted middle ls -lR "$T/middle" && at_most 0 0 0
}
sizes_then_names() {
	remount middle -o views=raw "$T/c.middle" &&
		counted middle ls -lR "$T/middle" && at_most 100 0 50 &&
		counted middle find "$T/middle" -type f && at_most 0 0 0
}
start_mount middle "$T/c.middle"
try "ls -lR after find looks up few files" case_of names_then_sizes
try "find after ls -lR asks for nothing" case_of sizes_then_names
try "middle: the daemon ends well" stop_mount middle

# A listing is made as it is read: it takes no memory that grows with it.
ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1"
ASAN_OPTIONS="$ASAN_OPTIONS:thread_local_quarantine_size_kb=64"
export ASAN_OPTIONS
try "flat mounts" start_mount flat -o mem=16M "$T/c.flat"
big=$(find "$T/flat" -type d -name pages)
resident() { awk -v f="$1:" '$1 == f { print $2 }' "/proc/$(pid_of flat)/status"; }
cold_list() {
	echo 2 2>/dev/null >/proc/sys/vm/drop_caches
	ls -f "$big" | wc -l
}
for pass in 1 2 3 4; do
	cold_list
done >"$T/passes"
if echo 5 2>/dev/null >"/proc/$(pid_of flat)/clear_refs"; then
	before=$(resident VmRSS)
	try "60,000 names" same "$(cold_list)" 60002
	after=$(resident VmHWM)
	echo "resident $before KiB, at most $after KiB while listing"
	# Holds L1.
	try "in constant memory" test $((after - before)) -lt 1024
else
	skip "in constant memory: clear_refs cannot be written"
fi
try "flat: the daemon ends well" stop_mount flat
finish
