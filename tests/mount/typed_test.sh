#!/bin/sh
# typed_test.sh - URLs and domains as people paste and type them, and what lookup
# says of their captures.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

python3 "$here/odd_archives.py" typed_urls "$T/x.warc.gz" >/dev/null || exit 1
"$crawlfs" lookup "$T/x.warc.gz" http://pasted.example.org/\* \
	org.example.stars http://xn--bcher-kva.example/ >"$T/lines" || exit 1

# What lookup prints, lookup and path take; and path's name has the page.
round_trips() {
	python3 - "$crawlfs" "$T/x.warc.gz" "$T/lines" <<'END'
import json, re, subprocess, sys
program, source, lines = sys.argv[1:]
def run(*words):
    return subprocess.run([program, *words], capture_output=True)
n = 0
for line in open(lines):
    url = json.loads(line.split(" ", 2)[2])["url"]
    again = run("lookup", source, url).stdout.decode()
    # the digest is there if one page is asked for
    digest = re.compile('"digest": "[A-Z2-7]*", ')
    if digest.sub("", again) != digest.sub("", line):
        sys.exit("%r: %r, not %r" % (url, again, line))
    path = run("path", source, url).stdout.rstrip(b"\n")
    body = run("cat", source, path).stdout
    if not path or body != run("cat", source, url).stdout or not body:
        sys.exit("%r: path %r, body %r" % (url, path, body))
    n += 1
sys.exit(n < 6)
END
}
# Holds C11.
try "what lookup prints, lookup and path take" round_trips

# pasted TEXT URL: path, lookup and cat find the page of that URL
pasted() {
	try "pasted: '$1': path" same \
		"$("$crawlfs" path "$T/x.warc.gz" "$1" 2>&1)" \
		"$("$crawlfs" path "$T/x.warc.gz" "$2")"
	try "pasted: '$1': cat" same "$("$crawlfs" cat "$T/x.warc.gz" "$1" 2>&1)" "$2"
	try "pasted: '$1': lookup" same \
		"$("$crawlfs" lookup "$T/x.warc.gz" "$1" 2>&1)" \
		"$("$crawlfs" lookup "$T/x.warc.gz" "$2")"
}
site=http://pasted.example.org
pasted "$site/plain#part" "$site/plain"
pasted " $site/plain " "$site/plain"
pasted "$site/a b/été?q=\"x\"#part" "$site/a%20b/%C3%A9t%C3%A9?q=%22x%22"
pasted "http://bücher.example/#x" "http://xn--bcher-kva.example/"
pasted "$site/kept#part" "$site/kept#part"

# natural TEXT PREFIX: one line says what it is taken for
natural() {
	try "natural: '$1': found" status 0 "$crawlfs" lookup "$T/x.warc.gz" "$1"
	cp "$T/out" "$T/got"
	try "natural: '$1': said" same "$(grep -c "taken for the prefix '$2'" "$T/err")" 1
	"$crawlfs" lookup "$T/x.warc.gz" "$2" >"$T/want"
	try "natural: '$1': the same captures" cmp "$T/want" "$T/got"
}
natural example.org org.example
natural pasted.example.org/plain org.example.pasted/plain
natural pasted.example.org:80/ org.example.pasted
natural 'org,example)/' org.example
natural 'org,example,pasted)/plain' org.example.pasted/plain
try "the reversed form goes before it" status 0 "$crawlfs" lookup \
	"$T/x.warc.gz" org.example
try "without a word" not test -s "$T/err"
try "neither" status 1 "$crawlfs" lookup "$T/x.warc.gz" nowhere.example.net
try "neither: said as it was typed" complains "'nowhere.example.net' is not in the index"
try "check understands it, too" status 0 "$crawlfs" check "$T/x.warc.gz" example.org

# ---- lookup: digests, paths, times ----

python3 "$here/odd_archives.py" times "$T/t.warc.gz" >/dev/null || exit 1
lines_of() {	# lines_of WORD...: the times that lookup prints
	"$crawlfs" lookup "$T/t.warc.gz" "$@" | cut -d' ' -f2 | cut -c1-8 |
		tr '\n' ' '
}
page=http://times.example.org/p
try "all times" same "$(lines_of $page)" "20100101 20120615 20120617 20200101 "
try "--from" same "$(lines_of $page --from=2012)" "20120615 20120617 20200101 "
try "--to is the end of the period" same "$(lines_of $page --to=201206)" \
	"20100101 20120615 20120617 "
try "--from and --to" same "$(lines_of $page --from=20120616 --to=2019)" "20120617 "
try "--closest" same "$(lines_of $page --closest=20120616235959)" \
	"20120617 20120615 20100101 20200101 "
try "--closest, equally near" same "$(lines_of $page --closest=20120616 --limit=2)" \
	"20120615 20120617 "
try "--closest --limit=1 --from" same \
	"$(lines_of $page --closest=2000 --limit=1 --from=2013)" "20200101 "
try "none at that time" status 1 "$crawlfs" lookup "$T/t.warc.gz" $page --from=2021
try "said" complains "at that time"
try "--closest is of one URL" status 2 "$crawlfs" lookup "$T/t.warc.gz" \
	org.example --closest=2012
try "a time that is none" status 2 "$crawlfs" lookup "$T/t.warc.gz" $page --closest=x

# digest as hashlib has it, length as the file has it, path as path prints it
describes() {
	python3 - "$crawlfs" "$T/t.warc.gz" "$@" <<'END'
import base64, gzip, hashlib, json, os, subprocess, sys
program, source, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
def run(*words):
    return subprocess.run([program, *words], capture_output=True).stdout
n = 0
for line in run("lookup", source, *sys.argv[4:]).splitlines():
    capture = json.loads(line.split(b" ", 2)[2])
    path = os.fsencode(capture["path"])
    body = run("cat", source, path)
    with open(source, "rb") as f:
        f.seek(int(capture["offset"]))
        record = gzip.decompress(f.read(int(capture["length"])))
    if not record.endswith(body + b"\r\n\r\n"):
        sys.exit("%r: not the record of %r" % (line, body))
    if "digest" in capture:
        n += 1
        if capture["digest"] != base64.b32encode(
                hashlib.sha1(body).digest()).decode():
            sys.exit("%r: wrong digest" % line)
sys.exit(n != wanted)
END
}
has_no_digest() {
	"$crawlfs" lookup --json "$T/r.warc.gz" http://times.example.org/again |
		grep '"record_type":"revisit"' | grep -v digest >"$T/out"
}
try "digest, length and path of a page" describes 4 $page
try "length and path of a prefix" describes 0 org.example
try "path: as path prints it" same "$("$crawlfs" lookup "$T/t.warc.gz" $page |
	grep 20200101 | sed 's/.*"path": "\([^"]*\)".*/\1/')" \
	"$("$crawlfs" path "$T/t.warc.gz" $page)"
printf '%s\n' 'org,example,times)/p 20200101000000 {"url": "http://times.example.org/p", "digest": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "length": "5", "offset": "0", "filename": "t.warc.gz"}' >"$T/t.cdxj"
try "the digest of an index" sh -c '"$1" lookup "$2" org.example | grep -q "\"digest\": \"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\""' sh "$crawlfs" "$T/t.cdxj"
printf '%s\r\n' WARC/1.0 "WARC-Type: revisit" \
	"WARC-Target-URI: http://times.example.org/again" \
	"WARC-Date: 2020-01-01T00:00:00Z" "WARC-Record-ID: <urn:uuid:1>" \
	"Content-Type: application/http" "Content-Length: 0" "" "" "" |
	gzip >"$T/r.warc.gz"
try "a revisit that states no digest" has_no_digest
finish
