#!/bin/bash
# fineweb.sh - what FineWeb's filters keep of pages, by the form of their text, and
# what its recipe costs: fineweb.py.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_BUILDDIR=BUILD bash fineweb.sh DEV [STEP]
#
# DEV is WCXB's dev split, dev.tar.xz; every STEPth page of it is taken (all), which
# with 3 is enough for all figures.  The packages are installed below
# $CFS_INSTALLED (tests/installed of the build folder), in the versions that were
# the newest in November 2026; python-magic needs libmagic.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
only=''
# shellcheck source-path=SCRIPTDIR
. "$here/lib.sh"
[ $# -ge 1 ] || die "no dev split is given"

find_peers fineweb "datatrove[io]==0.10.1" trafilatura==2.3.1 nltk==3.10.4 \
	spacy==3.8.18 tokenizers==0.23.3 lxml_html_clean==0.4.6 warcio==1.8.1 \
	faust-cchardet==3.2.0 python-magic==0.4.27 \
	"xxhash<4" ||
	die "the packages cannot be installed: is their registry reached?"
exec "$installed/fineweb/bin/python" "$here/fineweb.py" \
	"$CFS_BUILDDIR/crawlfs" "$@"
