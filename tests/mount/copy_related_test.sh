#!/bin/sh
# copy_related_test.sh - crawlfs copy brings what belongs to captures: requests,
# metadata, pictures, the warcinfo of archives, the originals of revisits.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

export SOURCE_DATE_EPOCH=1700000000
site() { python3 "$here/copy_site.py" "$@"; }
related() { python3 "$here/related_check.py" "$@"; }
copy() { timeout 300 "$crawlfs" copy "$@"; }
figures() {	# figures KEY...: of the document of --json in $T/figures
	python3 -c 'import json, sys
have = json.load(open(sys.argv[1]))
print(*(have[key] for key in sys.argv[2:]))' "$T/figures" "$@"
}

# ---- what browsers keep of pages ----

views=raw:txt:request:metadata:pageinfo:view:thumbnail:fullpage
mkdir "$T/made" "$T/site"
try "a browser's crawl is made" related make "$T/made"
for end in warc.gz warc.zst wacz; do
	try "copied to .$end" status 0 copy "$T/made" org -o "$T/m.$end" -q
	try "the copy mounts" start_mount m -o views=$views "$T/m.$end.cfx"
	# Holds C30.
	try "all that belongs to its pages" related want "$T/made" "$T/m"
	try "the daemon ends well" stop_mount m
	case $end in *gz) ;; *) continue ;; esac
	try "its index is that of the file" sh -c "
		'$crawlfs' index -q --threads=1 --no-views --final -o '$T/read.cfx' \
			'$T/m.$end' && cmp '$T/read.cfx' '$T/m.$end.cfx'"
done
copy "$T/made" org -o "$T/c.warc.gz" -q --records=captures
try "captures alone" same "own=1 response=6" "$(site kinds "$T/c.warc.gz")"

# ---- archives that refer to one another ----

site make "$T/site" || exit 1
"$crawlfs" index -q -o "$T/site.cfx" "$T/site" && site damage "$T/site"
copy --json "$T/site.cfx" net -o "$T/s.warc.gz" >"$T/figures" 2>/dev/null
try "an original that cannot be read is told by the status" same $? 1
# Holds C30.
# Holds C31, C32.
# Holds C32.
try "requests, warcinfo, originals, once each, in order" \
	site belongs "$T/s.warc.gz" "$T/site"
try "what is not here is counted" same "1 1" \
	"$(figures without_body original_unreadable)"
try "what was copied, too" same "11 5 4 2" \
	"$(figures records captures related originals)"
copy "$T/site.cfx" net -o "$T/s.wacz" -q 2>/dev/null
try "the same in a WACZ" site belongs "$T/s.wacz" "$T/site"
copy "$T/site.cfx" net com org -o "$T/all.warc.gz" -q 2>/dev/null
try "originals that are picked are written once" same \
	"metadata=1 own=1 request=3 resource=1 response=4 revisit=5 warcinfo=2" \
	"$(site kinds "$T/all.warc.gz")"
copy "$T/site.cfx" net -o "$T/k.warc.gz" -q --records=captures
try "--records=captures" same "own=1 response=1 revisit=4" \
	"$(site kinds "$T/k.warc.gz")"
copy "$T/site" net -o "$T/f.warc.gz" -q 2>/dev/null
try "of a folder" site belongs "$T/f.warc.gz" "$T/site"
python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/site.wacz", "w") as z:
    for name in "a.warc.gz", "b.warc.gz":
        z.write(sys.argv[1] + "/site/" + name, "archive/" + name)' "$T"
status 1 copy "$T/site.wacz" net -o "$T/z.warc.gz" -q
head -c $(($(wc -c <"$T/site.wacz") * 2 / 3)) "$T/site.wacz" >"$T/cut.wacz"
for from in cut.wacz "cut.wacz with its kept index" cut.cfx; do
	[ "$from" != cut.cfx ] || "$crawlfs" index -q -o "$T/cut.cfx" "$T/cut.wacz" 2>/dev/null
	try "a copy of $from lacks captures" status 1 copy --force "$T/${from%% *}" net -o "$T/k.warc.gz" -q
	try "which is told" complains "cut.*offset\|damaged place"
	try "and nothing else" not complains "does not say how long"
done
# Holds C31, C32.
try "of a WACZ with two archives" site belongs "$T/z.warc.gz" "$T/site"
try "nothing is wrong with it" not complains "z.warc\|offset 0"
bodies() { for name in chain picked page; do
	"$crawlfs" cat "$1" "http://second.net/wanted/$name" || return; done; }
bodies "$T/site.cfx" >"$T/want"
for c in s.warc.gz s.wacz s.warc.gz.cfx s.wacz.cfx; do
	bodies "$T/$c" >"$T/got" 2>"$T/log"
	try "$c: revisits have their bodies" cmp "$T/want" "$T/got"
done
copy "$T/site.cfx" net -o "$T/r.warc.gz" -q --from=2024-03-04T05:00:25Z 2>/dev/null
# Holds C32.
try "originals are brought, whatever is picked" same \
	"$(site kinds "$T/s.warc.gz")" "$(site kinds "$T/r.warc.gz")"
finish
