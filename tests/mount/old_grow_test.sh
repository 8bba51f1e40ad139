#!/bin/sh
# old_grow_test.sh - indexes of versions 1 to 3, and joindata of versions 1 and
# 2, grow: with the archives that they lack they become, byte for byte, the
# index that is made of all archives at once.
#
# tests/unit/versions/growN.cfx is of version N, by the program before version
# 4: 1 of texts and revisits, whose pages come later; 2 of grow2.wacz
# (make_wacz.py), whose pages have titles; 3 of pages with requests, texts and
# metadata.  The archives are those of grow_crawl.py, not compressed, so that
# they are the same bytes wherever they are made.
#
# They are without sizes of views, in which there may be differences: those that
# another program found are not mixed with new ones.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

old=$CFS_SRCDIR/tests/unit/versions
C=$T/crawl
python3 "$CFS_SRCDIR/tests/grow_crawl.py" "$C" && gzip -d "$C"/*.gz &&
	cp "$old/grow2.wacz" "$old"/grow[123].cfx "$C" &&
	touch -d @1700000000 "$C"/*.warc "$C/grow2.wacz" &&
	python3 "$here/old_joindata.py" "$C/grow3.cfx" "$C/lists.cfx" &&
	cd "$C" || exit 1

index() { "$crawlfs" index -q --no-views "$@"; }
byte() { od -A n -t u1 -j "$2" -N 1 "$1" | tr -d ' '; }
captures() { "$crawlfs" lookup "$1" com org net 2>/dev/null | sort; }

try "all at once" index -o one.cfx grow2.wacz ./*.warc

# grows VERSION JOINDATA INDEX FILE...: the index of the files is of these
# versions, and grows
grows() {
	version=$1 joins=$2 begun=$3
	shift 3
	rest=
	for file in grow2.wacz *.warc; do
		case " $* " in
		*" $file "*) ;;
		*) rest="$rest $file" ;;
		esac
	done
	try "$begun is of version $version" [ "$(byte "$begun" 8)" = $version ]
	try "with joindata $joins" [ "$(byte "$begun" 1576)" = $joins ]
	rm -f grown.cfx
	try "it grows" index -o grown.cfx "$begun" $rest
	try "to the same bytes" cmp one.cfx grown.cfx
	cp "$begun" all.cfx
	for file in $rest; do
		index -o all.cfx all.cfx "$file" 2>>"$T/case.log" || :
	done
	try "also file by file" cmp one.cfx all.cfx
}
grows 1 1 grow1.cfx m-revisits.warc wet.warc
grows 2 1 grow2.cfx grow2.wacz
grows 3 1 grow3.cfx a-pages.warc wat.warc wet.warc
grows 3 2 lists.cfx a-pages.warc wat.warc wet.warc

rm -f grown.cfx
try "all three, and what they lack" index -o grown.cfx grow1.cfx grow2.cfx \
	grow3.cfx far.warc shots.warc twice.warc z-pages.warc
try "to the same bytes" cmp one.cfx grown.cfx

# with sizes of views, where they are known
try "with views" "$crawlfs" index -q -o sized.cfx lists.cfx grow2.wacz \
	far.warc m-revisits.warc shots.warc twice.warc z-pages.warc
captures one.cfx >"$T/a"
captures sized.cfx >"$T/b"
try "there are captures" [ -s "$T/a" ]
try "the same captures" cmp "$T/a" "$T/b"
finish
