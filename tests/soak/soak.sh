#!/bin/sh
# soak.sh - `make soak`: a long run of random tools and system calls with faults.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     make soak HOURS=1               as long as that; MINUTES=20 likewise
#     make soak OPERATIONS=1000000    that many operations, the default
#     make soak SEED=7                another crawl, other operations and faults
#     make soak KEEP=FOLDER           logs and all are kept there (default: only
#                                     after a violation, in soak.SEED here)
#
# Ten mounts of made crawls are read at the same time: a folder of archives, an
# index, a union, a piece, and through two servers (faultd.py, nginx) an index on
# a server, one with a cache on a small disk, one of archives on a server, and
# two by crawlfs-soak, whose memory is refused.  Each has faults of its own, one
# after the other (faults.py lists them).  soak.py says what is checked.
#
# At the end come the figures: operations and faults by kind, failures that a
# fault explains, and memory, open files and threads of each daemon.  Exit status
# 1 after any violation.  With the same SEED the operations are the same, and the
# order of the faults of each mount; which of them meet is up to the machine.  A
# violation names the operation as W/SEQ, and the logs what was done before it.
# It needs root and /dev/fuse.
TIME_LIMIT=0
. "$CFS_SRCDIR/tests/soak/lib.sh"

seed=${SEED:-1}
operations=${OPERATIONS:-1000000}
minutes=${MINUTES:-}
[ -z "${HOURS:-}" ] ||
	minutes=$(awk -v h="$HOURS" 'BEGIN { print h * 60 }')
[ -z "$minutes" ] || [ -n "${OPERATIONS:-}" ] || operations=1000000000
keep=${KEEP:-}

soak_prepare "${RECORDS:-2000}" "$seed" || skip_all "no crawl or no server"
soak --seed "$seed" --operations "$operations" \
	${minutes:+--minutes "$minutes"} ${SOAK_ARGS:-}
status=$?
[ $status -eq 0 ] || keep=${keep:-soak.$seed}
if [ -n "$keep" ]; then
	mkdir -p "$keep"
	cp -a "$T"/soak/*.log "$T"/*.log "$T/data/a/manifest.tsv" "$keep"
	echo "logs are in $keep"
fi
exit $status
