#!/bin/bash
# maincontent.sh - .md and the main content that peers find, against what people
# chose: maincontent.py for each of them, in turn.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_BUILDDIR=BUILD bash maincontent.sh DATA [all|chosen|apart]
#
# DATA as of maincontent.py; of DATA/wcxb/dev.tar.xz, if it is there, wcxb.py
# prints figures for crawlfs, trafilatura and Resiliparse.  PARTIES names those that take part (all); they are
# installed below $CFS_INSTALLED (tests/installed of the build folder), in the
# versions that were the newest in November 2026.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
only=''
# shellcheck source-path=SCRIPTDIR
. "$here/lib.sh"
[ $# -ge 1 ] || die "no folder with data is given"
data=$1 which=${2:-all}

find_peers maincontent markdown-it-py==4.3.0 lxml==6.1.3 \
	lxml_html_clean==0.4.6 trafilatura==2.3.1 resiliparse==2.0.1 \
	readability-lxml==0.9 jusText==3.0.2 newspaper4k==0.9.6 ||
	die "the peers cannot be installed: is their registry reached?"
for party in ${PARTIES:-crawlfs trafilatura trafilatura_fast resiliparse \
		readability justext newspaper}; do
	echo "== $party"
	"$installed/maincontent/bin/python" "$here/maincontent.py" \
		"$CFS_BUILDDIR/tests/bench/views" "$data" "$which" "$party"
done
if [ -f "$data/wcxb/dev.tar.xz" ]; then
	"$installed/maincontent/bin/python" "$here/wcxb.py" \
		"$CFS_BUILDDIR/tests/bench/views" "$data/wcxb/dev.tar.xz" \
		"$which" crawlfs trafilatura resiliparse
fi
