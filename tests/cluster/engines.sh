# engines.sh - engines from their registries, in folders of the tests' own, and
# what their tests have in common. Sourced after tests/mount/lib.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
#
# Where an engine's registry cannot be reached, its test is skipped.

WAIT_SECONDS=300		# engines take their time to start

# find_engine NAME PACKAGE...: $python has these packages, and this tree's package
# crawlfs.  Else the test is skipped.  setuptools and wheel are what pip builds
# this tree's package with, without a network.
find_engine() {
	engine_name=$1
	shift
	pip_packages "$engine_name" setuptools wheel "$@" ||
		skip_all "$engine_name: $install_problem"
	python=$pip_folder/bin/python
	install_package >"$T/install.log" 2>&1 || {
		fail "pip install contrib/python"
		cat "$T/install.log"
		finish
	}
}
# pip writes beside what it installs, so it is given a copy.
install_package() {
	cp -r "$CFS_SRCDIR/contrib/python" "$T/package" &&
		chmod -R u+w "$T/package" &&
		"$python" -m pip install -q --no-index --no-deps \
			--no-build-isolation --target "$T/packages" "$T/package" &&
		export PYTHONPATH="$T/packages"
}

# rows COMMAND...: tests/cluster/rows_check.py, which compares rows
rows() { python3 "$CFS_SRCDIR/tests/cluster/rows_check.py" "$@"; }

# make_damaged: $T/bad has an archive of $crawl with 100 bytes gone in its middle
make_damaged() {
	mkdir "$T/bad"
	python3 - "$(find "$crawl" -name '*.warc.gz' | sort | head -n 1)" \
		"$T/bad/bad.warc.gz" <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[len(b) // 2:len(b) // 2 + 100] = bytes(100)
open(sys.argv[2], "wb").write(b)
END
}

# make_rows RECORDS: a crawl, $crawl; its rows of one run, $T/one.jsonl
make_rows() {
	crawl=$T/shared/crawl
	mkdir "$T/shared"
	"$mkcrawl" --records "$1" --page-bytes 2000 --archive-bytes 150000 \
		"$crawl" >"$T/made" &&
		"$crawlfs" export -q "$crawl" >"$T/one.jsonl" || exit 1
}
# manual NAME: what crawlfs-cluster(7) has for an engine, but for /shared, which is
# a folder of the test
manual() {
	from_manual crawlfs-cluster.7 "$1" | sed "s,/shared,$T/shared,g"
}

# make_gate K/N: $T/gated is a program whose first attempt at that part writes
# half of its rows and then hangs; $T/attempts has a line for each attempt.
make_gate() {
	cat >"$T/gated" <<END
#!/bin/sh
case " \$* " in
*" --part=$1 "*)
	echo \$\$ >>"$T/attempts"
	if mkdir "$T/first" 2>/dev/null; then
		"$crawlfs" "\$@" >"$T/first/rows"
		head -n \$((\$(wc -l <"$T/first/rows") / 2)) "$T/first/rows"
		echo \$\$ >"$T/hanging.tmp"
		mv "$T/hanging.tmp" "$T/hanging"
		exec sleep 600
	fi ;;
esac
exec "$crawlfs" "\$@"
END
	chmod +x "$T/gated"
}
hangs_or_ended() { [ -e "$T/hanging" ] || has_ended "$1"; }
# kill_above PATTERN JOB: waits for the attempt that hangs, and kills the process
# above it whose command line has PATTERN.
kill_above() {
	wait_for hangs_or_ended "$2"
	above=$(cat "$T/hanging") || return 1
	hanging=$above
	while [ "${above:-0}" -gt 1 ]; do
		above=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$above/status")
		tr '\0' ' ' <"/proc/$above/cmdline" | grep -q -e "$1" || continue
		kill -9 "$above" && echo "killed $above"
		kill "$hanging" 2>/dev/null
		return 0
	done
	echo "no '$1' above $hanging"
	kill "$hanging" 2>/dev/null
	return 1
}
# attempted N: so often was the part attempted
attempted() { same "$(wc -l <"$T/attempts")" "$1"; }
ended_well() { ended_with 0 "$1" || { tail "$T/job.log"; return 1; }; }
# job_killed PATTERN COMMAND...: the command is a job of 4 parts, in which the
# process above the attempt at the third that has PATTERN is killed.
job_killed() {
	job_pattern=$1
	shift
	make_gate 3/4
	CRAWLFS=$T/gated "$@" >"$T/job.log" 2>&1 &
	job=$!
	try "a worker is killed" kill_above "$job_pattern" $job
	try "the job ends well" ended_well $job
	try "its part was read again" attempted 2
	try "the rows are those of one run" rows same "$T/one.jsonl" "$T/out"
}
