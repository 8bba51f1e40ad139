#!/bin/sh
# related_test.sh - requests, metadata, screenshots: views of their page.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

related() { python3 "$here/related_check.py" "$@"; }
views=raw:meta:txt:request:metadata:pageinfo:view:thumbnail:fullpage

mkdir "$T/made"
try "a browser's crawl is made" related make "$T/made"
try "it is indexed" "$crawlfs" index --force -o "$T/i.cfx" "$T/made"
try "its index mounts" start_mount m "$T/i.cfx"
# Holds N18.
try "its files" related want "$T/made" "$T/m"
try "the daemon ends well" stop_mount m
try "their sizes are guesses" start_mount m -o views=raw:request "$T/i.cfx"
try "the same" related want "$T/made" "$T/m"
try "the daemon ends well" stop_mount m
try "the folder mounts" start_mount m -o views=$views "$T/made"
# Holds N18.
try "the same of the folder" related want "$T/made" "$T/m"
ls "$T/m/org/site/_" | grep '^a' | sort >"$T/got"
cat >"$T/want" <<'END'
a
a.fullpage.png
a.meta
a.pageinfo
a.thumbnail.jpg
a.txt
a.view.png
END
# Holds N19.
try "views are listed on request, where there are any" diff "$T/want" "$T/got"
ls "$T/m/org/site/_" | grep '^b' | sort >"$T/got"
printf '%s\n' 'b' 'b#.view.webp' b.meta b.txt b.view.webp b.view.webp.meta \
	b.view.webp.txt >"$T/want"
# Holds N19.
try "a name that a page has taken" diff "$T/want" "$T/got"
try "the daemon ends well" stop_mount m

# ---- by lines of CDXJ, as of a WACZ on a server: these have no requests ----
related cdxj "$T/made" >"$T/made/all.cdxj"
mkdir "$T/lines"
python3 -c 'import json, sys
want = json.load(open(sys.argv[1]))
json.dump({k: v for k, v in want.items() if not k.endswith(".request")},
          open(sys.argv[2], "w"))' "$T/made/want.json" "$T/lines/want.json"
try "CDXJ lines are indexed" "$crawlfs" index -o "$T/made/all.cfx" "$T/made/all.cdxj"
try "their index mounts" start_mount m "$T/made/all.cfx"
try "the same by lines" related want "$T/lines" "$T/m"
try "the daemon ends well" stop_mount m
rm "$T/made/all.cdxj" "$T/made/all.cfx"

# ---- merged with another index, in which archives have other numbers ----
mkdir "$T/other"
printf 'WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 2\r\nWARC-Target-URI: http://a.org/\r\n\r\nok\r\n\r\n' >"$T/other/0.warc"
try "another index" "$crawlfs" index -o "$T/o.cfx" "$T/other"
try "both are merged" "$crawlfs" index -o "$T/both.cfx" "$T/o.cfx" "$T/i.cfx"
try "the merged index mounts" start_mount m "$T/both.cfx"
try "the same of it" related want "$T/made" "$T/m"
try "the daemon ends well" stop_mount m

# ---- pages of which there are only records about them ----
python3 - "$T" <<'END'
import gzip, os, sys
records = []
for n, (what, mime, body) in enumerate([
        ("urn:pageinfo:", "application/json", '{"pageid":"1"}'),
        ("urn:text:", "text/plain", "only a text"),
        ("urn:view:", "image/png", "only a picture")]):
    records.append(("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: "
                    "%shttp://alone.org/p%d\r\nWARC-Date: 2024-05-06T07:08:09Z"
                    "\r\nWARC-Record-ID: <urn:uuid:%d>\r\nContent-Type: %s\r\n"
                    "Content-Length: %d\r\n\r\n%s\r\n\r\n" % (
                        what, n, n, mime, len(body), body)).encode())
def put(name, data):
    os.mkdir(os.path.join(sys.argv[1], name))
    with open(os.path.join(sys.argv[1], name, "a.warc" + (
            ".gz" if data[:1] == b"\x1f" else "")), "wb") as f:
        f.write(data)
put("alone", b"".join(records))
put("alone-gz", b"".join(map(gzip.compress, records)))
put("alone-shared", gzip.compress(b"".join(records)))
END
every_view_is_read() {
	python3 - "$T/m/org/alone/_" <<'END'
import gzip, os, sys
bodies = {"p0": b"", "p1": b"only a text", "p2": b""}
want = {"p0": b'{"pageid":"1"}', "p1": b"only a text", "p2": b"only a picture"}
for name in os.listdir(sys.argv[1]):
    path = os.path.join(sys.argv[1], name)
    size = os.stat(path).st_size
    with open(path, "rb") as f:
        data = f.read()
    assert os.stat(path).st_size == len(data), name
    if name in bodies:
        assert data == bodies.pop(name), (name, data)
    if name.endswith(".warc.gz"):
        assert want[name[:2]] in gzip.decompress(data), name
        assert b"http://alone.org/" + name[:2].encode() in \
            gzip.decompress(data), name
        del want[name[:2]]
sys.exit(bool(bodies or want))
END
}
for kind in alone alone-gz alone-shared; do
	try "$kind: mounts" start_mount m -o views=$views:headers:record "$T/$kind"
	# Holds B6.
	try "a page of records alone: every view is read ($kind)" \
		every_view_is_read
	try "$kind: ends well" stop_mount m
done

# ---- without a mount ----
cat_is() {	# cat_is TEXT ARGUMENT...
	cat_text=$1
	shift
	"$crawlfs" cat "$T/made" "$@" >"$T/out" && same "$cat_text" "$(cat "$T/out")"
}
try "cat --view=pageinfo" cat_is '{"pageid":"1","url":"https://site.org/a"}' \
	https://site.org/a --view=pageinfo
try "cat of a name in the tree" cat_is GIF org/site/_/d.view.gif
try "cat of one that is not there" status 1 "$crawlfs" cat "$T/made" \
	https://site.org/b --view=request
try "the reason" complains "has no such record"
ls_is() {
	"$crawlfs" ls "$T/made" org/site/_ "$@" | grep '^d' >"$T/got"
	diff "$T/want" "$T/got"
}
printf '%s\n' d d.view.gif >"$T/want"
try "ls --views" ls_is --views=raw:view:request

# ---- an index with a screenshot that is another page's now ----
sed -i 's/urn:text:https:..site.org.a/urn:text:https:\/\/site.org\/x/' "$T/made/c-text.warc"
try "mounts again" start_mount m "$T/i.cfx"
# Holds N19.
try "another page's text is refused" not cat "$T/m/org/site/_/a.txt"
try "the log says so" grep -q "c-text.warc.*not the page the index says" "$T/m.log"
try "its other views are there" test -s "$T/m/org/site/_/a.pageinfo"
try "the daemon ends well" stop_mount m

# ---- records by their place ----
places() {	# places NAME FOLDER FILE: of $T/made
	# Holds N20.
	try "records of $1" related places "$T/made/$1" "$T/m/.crawlfs/records/$2"
}
mkdir "$T/arc"
for n in 1 3 100; do
	related share "$T/made/c-text.warc" $n "$T/arc/shared-$n.warc.gz"
done
printf 'filedesc://a.arc 0.0.0.0 20080102030405 text/plain 20\n1 0 a\nURL IP-addres\nhttp://a.org/x 1.2.3.4 20080102030405 text/plain 3\nok\n' >"$T/arc/a.arc"
try "several sources mount" start_mount m "$T/made" "$T/arc"
records=$T/m/.crawlfs/records
places a-screenshots.warc.gz made/a-screenshots.warc.gz
places c-text.warc made/c-text.warc
try "an ARC header" grep -q '^filedesc://a.arc' "$records/arc/a.arc/0"
for n in 1 3 100; do
	# Holds N20.
	try "$n records in a member: each" related shared "$T/made/c-text.warc" $n \
		"$records/arc/shared-$n.warc.gz" "$T/arc/shared-$n.warc.gz"
done
for name in 0.1 1.1; do
	# Holds N18.
	try "none behind one without members: $name" absent \
		"$records/made/c-text.warc/$name"
done
try "nothing is listed" same "" "$(ls "$records")"
for name in no made/no made/a-screenshots made/a-screenshots.warc.gz/x \
	made/a-screenshots.warc.gz/00 made/c-text.warc/-1 made/0 0; do
	# Holds N20.
	try "no $name" absent "$records/$name"
done
try "the daemon ends well" stop_mount m

# ---- real samples ----
samples=0
for file in "$CFS_DATA"/warc/*/*.warc.gz "$CFS_DATA"/warc/*/*.warc; do
	gzip -dcf "$file" 2>/dev/null | grep -aqE '^WARC-Type: (request|metadata)' ||
		continue
	name=${file#"$CFS_DATA/"}
	start_mount m -o xattr,views=raw "$file" >"$T/start.log" 2>&1 || continue
	samples=$((samples + 1))
	try "$name" related archive "$file" "$T/m"
	# Holds N20.
	try "$name: all records" related places "$file" \
		"$T/m/.crawlfs/records/$(basename "$file")"
	try "$name: the daemon ends well" stop_mount m
done
[ "$samples" -gt 0 ] || skip "real samples: none in CFS_DATA"
finish
