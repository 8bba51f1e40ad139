#!/bin/sh
# copy_dedup_test.sh - crawlfs copy --dedup=revisit: equal captures become
# revisits, and nothing of what a reader sees changes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

export SOURCE_DATE_EPOCH=1700000000
site() { python3 "$here/copy_site.py" "$@"; }
copy() { timeout 300 "$crawlfs" copy --dedup=revisit "$@"; }
# sums SOURCE: every body, text and head, and what cannot be read
sums() {
	mkdir -p "$T/m"
	start_mount m -o views=raw:txt:headers:request "$1" || return
	(cd "$T/m" && find . -path ./.crawlfs -prune -o -type f -print | sort |
		while read -r name; do
			sha1sum "$name" 2>/dev/null || echo "$name: fails"
		done) >"$2"
	stop_mount m
}

mkdir "$T/site"
site equal "$T/site" || exit 1
"$crawlfs" index --digests -o "$T/site.cfx" "$T/site" 2>"$T/out" ||
	exit 1
try "where the digests are from is told" same "28 digests kept as the inputs state it
  9 digests computed of what was read: the archives state none" \
	"$(sed -n 's/^  \([0-9]* digests kept\)/\1/p; /digests computed/p' "$T/out")"
"$crawlfs" lookup "$T/site.cfx" org >"$T/lines" || exit 1
try "the digests in an index" sh -c 'python3 "$0" digests "$1" <"$2"' \
	"$here/copy_site.py" "$T/site" "$T/lines"
try "the source mounts" sums "$T/site.cfx" "$T/want"
try "there is something" test "$(wc -l <"$T/want")" -gt 100
for end in warc.gz wacz warc.zst; do
	try "$end" status 0 copy --convert "$T/site.cfx" / -o "$T/d.$end"
	try "$end: how many is told" grep -q \
		"  15 records written as revisits of equal ones" "$T/err"
	for c in "$T/d.$end.cfx" "$T/d.$end"; do
		try "${c##*/} mounts" sums "$c" "$T/got"
		# Holds C33.
		try "${c##*/}: every byte as in the source" cmp "$T/want" "$T/got"
	done
	case $end in *zst) continue ;; esac
	# Holds C33.
	try "$end: by another reader" same "24 15" \
		"$(site revisits "$T/d.$end" "$T/site")"
	copy "$T/d.$end" / -o "$T/again.$end" -q
	try "$end: a copy of the copy has no more" same \
		"own=2 request=2 resource=2 response=18 revisit=17" \
		"$(site kinds "$T/again.$end")"
done
try "verify has nothing new against it" same "$("$crawlfs" verify --json \
	"$T/site" 2>/dev/null | grep -c '"differed": 0')" "$("$crawlfs" verify \
	--json "$T/d.warc.gz" 2>/dev/null | grep -c '"differed": 0')"
copy --convert "$T/site.cfx" org -o "$T/1.warc.gz" -q -p 1
copy --convert "$T/site.cfx" org -o "$T/40.warc.gz" -q -p 40
without_first() { gzip -dc "$1" | tail -n +12; }	# it has the name
without_first "$T/1.warc.gz" >"$T/1"
without_first "$T/40.warc.gz" >"$T/40"
try "there is a copy" test -s "$T/1"
try "the same, however many are read at a time" cmp "$T/1" "$T/40"
try "not of ARC files" status 2 copy "$T/site.cfx" / -o "$T/x.arc.gz"

# a line of an index whose length covers the next record as well
(cd "$T" && "$crawlfs" index -q -o l.cdxj site/a.warc.gz)
python3 -c 'import re, sys
lines = open(sys.argv[1]).read().splitlines()
of = {end: [x for x in lines if "/%s\"" % end in x][0]
      for end in ("plain2", "packed")}
n = {end: int(re.search("\"length\": \"(\\d+)\"", x)[1])
     for end, x in of.items()}
lines.remove(of["packed"])
lines[lines.index(of["plain2"])] = of["plain2"].replace(
    "\"length\": \"%d\"" % n["plain2"],
    "\"length\": \"%d\"" % (n["plain2"] + n["packed"]))
open(sys.argv[1], "w").write("\n".join(lines) + "\n")' "$T/l.cdxj"
copy --data="$T" "$T/l.cdxj" / -o "$T/l.warc.gz" -q
try "a record that came with another is not lost" sh -c '
	gzip -dc "$1" | grep -aq "^WARC-Target-URI: http://a.org/whole/packed"' \
	sh "$T/l.warc.gz"

# ---- stopped, and resumed ----

mkdir "$T/big" "$T/whole" "$T/cut"
site big "$T/big" || exit 1
"$crawlfs" index -q -o "$T/big.cfx" "$T/big" || exit 1
for end in warc.gz wacz; do
	cd "$T/whole" || exit 1
	try "$end: a whole copy" status 0 copy ../big.cfx / -o x.$end -q
	try "$end: half of it are revisits" same "own=1 response=300 revisit=300" \
		"$(site kinds x.$end)"
	cd "$T/cut" || exit 1
	for blocks in 9000 11000; do
		try "$end: no room behind $blocks" not sh -c 'ulimit -f $1; shift; "$@"' \
			sh $blocks "$crawlfs" copy --dedup=revisit ../big.cfx / \
			-o x.$end -q -p 1
		try "$end: there is a part" test -s x.$end.part
	done
	# Holds C33.
	try "$end: is resumed" status 0 copy ../big.cfx / -o x.$end
	try "$end: where it was" grep -q "by an earlier run" "$T/err"
	try "$end: the same bytes" cmp x.$end ../whole/x.$end
done
cd "$T" || exit 1

# what is compared with later captures has a file in the folder of the copy
mkdir "$T/full"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=4m,mode=700 none "$T/full" 2>/dev/null; then
	try "a full disk" status 1 copy --convert "$T/site.cfx" / -o "$T/full/x.warc.gz" -q
	try "is named" grep -q "$T/full: no room for what equal captures" "$T/err"
	umount "$T/full"
else
	skip "a full disk: no mounts"
fi

# ---- programs of others ----

if pip_packages replay cdx_toolkit==0.9.39 pywb==2.10.0; then
	"$pip_folder/bin/warcio" check "$T/d.warc.gz" >"$T/got"
	try "warcio: no digest is wrong but those of the source" same "2 2" \
		"$(grep -c failed "$T/got") $(grep -c -- '-12> ' "$T/got")"
	# Holds C33.
	try "pywb replays the copy as the source" \
		"$pip_folder/bin/python" "$here/copy_replay.py" "$T" "$T/site" \
		"$T/d.warc.gz"
else
	skip "pywb and warcio: $install_problem"
fi
finish
