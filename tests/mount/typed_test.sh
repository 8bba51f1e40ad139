#!/bin/sh
# typed_test.sh - URLs and domains as people paste and type them.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

python3 "$here/odd_archives.py" typed_urls "$T/x.warc.gz" >/dev/null || exit 1
"$crawlfs" lookup "$T/x.warc.gz" http://pasted.example.org/\* \
	http://xn--bcher-kva.example/ >"$T/lines" || exit 1

# What lookup prints, lookup and path take; and path's name has the page.
round_trips() {
	python3 - "$crawlfs" "$T/x.warc.gz" "$T/lines" <<'END'
import json, subprocess, sys
program, source, lines = sys.argv[1:]
def run(*words):
    return subprocess.run([program, *words], capture_output=True)
n = 0
for line in open(lines):
    url = json.loads(line.split(" ", 2)[2])["url"]
    again = run("lookup", source, url).stdout.decode()
    if again != line:
        sys.exit("%r: %r, not %r" % (url, again, line))
    path = run("path", source, url).stdout.rstrip(b"\n")
    body = run("cat", source, path).stdout
    if not path or body != run("cat", source, url).stdout or not body:
        sys.exit("%r: path %r, body %r" % (url, path, body))
    n += 1
sys.exit(n < 6)
END
}
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
finish
