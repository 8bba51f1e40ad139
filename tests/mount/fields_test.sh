#!/bin/sh
# fields_test.sh - rows say of records and pages what these say themselves, in
# both orders, for WARC and ARC.
# Holds R7.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

export XDG_CACHE_HOME="$T/cache"
checks() { python3 "$here/fields_check.py" "$@"; }
of_record=url,host,domain,timestamp,record_type,record_id,revisit_of,ip,status,redirect
of_page=html_lang,canonical,author,published,description,robots
mkdir "$T/c"
for seed in 1 2; do
	checks make "$T/c" $seed || exit 1
	for order in archive index; do
		timeout 300 "$crawlfs" export "$T/c" --order=$order -q -o "$T/rows.jsonl" \
			--force --fields=$of_record,archive,offset,$of_page 2>"$T/err"
		try "seed $seed, in the order of $order" checks rows "$T/c" "$T/rows.jsonl"
	done
done
sed 's/"agent":"googlebot"/"agent":"*"/' "$T/rows.jsonl" >"$T/wrong.jsonl"
try "a wrong agent would be noticed" not checks rows "$T/c" "$T/wrong.jsonl"

# ---- lookup has the same table ----

of_index=url,surt,host,domain,record_type,status,mime,digest,archive,offset,length
for fields in $of_record,path,$of_page,title,text,links,headers,simhash path $of_index
do
	timeout 300 "$crawlfs" export "$T/c" --order=index -q --fields=$fields 2>"$T/err" \
		>"$T/rows.export"
	timeout 300 "$crawlfs" lookup "$T/c" / --fields=$fields 2>"$T/err" >"$T/rows.lookup"
	try "lookup and export have the same $fields" checks same "$T/rows.export" \
		"$T/rows.lookup"
done
timeout 300 "$crawlfs" lookup "$T/c" / --json >"$T/rows.lookup"
try "lookup --json has what an index has" checks within "$T/rows.lookup" \
	"$T/rows.export"
try "a field that is none" status 2 "$crawlfs" lookup "$T/c" / --fields=url,colour
gzip -dc "$T/c/w.warc.gz" | head -c 60000 >"$T/cut.warc"
"$crawlfs" index -q "$T/cut.warc" -o "$T/cut.cfx"
: >"$T/cut.warc"
try "captures that cannot be read" status 1 "$crawlfs" lookup "$T/cut.cfx" / \
	--fields=url,title
try "are told" complains "captures with an error are in the list"
try "fields of the index need no record" status 0 "$crawlfs" lookup "$T/cut.cfx" / \
	--fields=url,host,status

# ---- near copies ----

checks copies "$T/c" || exit 1
for order in archive index; do
	timeout 300 "$crawlfs" export "$T/c/copies.warc.gz" --order=$order -q \
		--fields=url,main,simhash >"$T/rows.$order"
	try "near copies, in the order of $order" checks alike "$T/rows.$order"
	timeout 300 "$crawlfs" export "$T/c/copies.warc.gz" --order=$order -q \
		--fields=simhash | grep -o '"simhash":.*' | sort >"$T/alone"
	grep -o '"simhash":.*' "$T/rows.$order" | sort >"$T/beside"
	try "the hash alone is the same" cmp "$T/alone" "$T/beside"
done

# an index that was asked to keeps the hash, and needs no archive for it
keeps() { "$crawlfs" index -q --simhash "$@"; }
keeps -o "$T/h.cfx" "$T/c/copies.warc.gz" || exit 1
keeps -o "$T/p/" --part=1/2 "$T/c/copies.warc.gz" &&
	keeps -o "$T/p/" --part=2/2 "$T/c/copies.warc.gz" &&
	keeps -o "$T/parts.cfx" "$T/p/"
try "an index of parts has the same hashes" cmp "$T/h.cfx" "$T/parts.cfx"
keeps -o "$T/merged.cfx" "$T/h.cfx"
"$crawlfs" index -q -o "$T/grown.cfx" "$T/c/copies.warc.gz"
keeps --update -o "$T/grown.cfx" "$T/c/copies.warc.gz" 2>"$T/err"
# Holds T29.
try "an update is asked for them" cmp "$T/h.cfx" "$T/grown.cfx"
try "and reads all again" complains "hashes of the main content are asked for"
"$crawlfs" export "$T/h.cfx" -q --fields=url,main >"$T/main" || exit 1
: >"$T/c/copies.warc.gz"
for index in h merged; do
	"$crawlfs" export "$T/$index.cfx" -q --fields=url,simhash >"$T/hashes"
	# Holds T29.
	try "$index.cfx: of the main content" checks alike "$T/main" "$T/hashes"
	try "$index.cfx: one of each pair is left" same $(($(wc -l <"$T/main") - 60)) \
		"$("$crawlfs" lookup "$T/$index.cfx" / --dedup=near 2>/dev/null | wc -l)"
done

# a revisit has the hash of its original, if that was there when it was indexed
mkdir "$T/r"
PYTHONPATH=$here python3 - "$T/r" <<'EOF' || exit 1
import sys
from copy_site import Archive
first, later = (Archive(sys.argv[1] + "/%s.warc.gz" % n) for n in "ab")
body = b"<p>" + b"It is written here and nowhere else. " * 9
date = first.page("http://a.org/one", 1, body)[1]
for url, second in ("http://a.org/one", 5), ("http://b.org/two", 6):
    later.revisit(url, second, body, "http://a.org/one", date)
first.close()
later.close()
EOF
for c in a b; do keeps -o "$T/r/$c.cfx" "$T/r/$c.warc.gz"; done
keeps -o "$T/r/all.cfx" "$T/r/a.warc.gz" "$T/r/b.warc.gz"
clusters() { "$crawlfs" lookup "$1" / --fields=cluster --json 2>"$T/err" |
	sed 's/:-*[0-9]*/:N/' | sort | tr '\n' ' '; }
# Holds T29.
try "revisits have the hash of their original" same \
	'{"cluster":N} {"cluster":N} {"cluster":N} ' "$(clusters "$T/r/all.cfx")"
try "and none where it was not there" same '{"cluster":N} {} {} ' \
	"$(clusters "$T/r/a.cfx,$T/r/b.cfx")"
for c in all.cfx "a.cfx,$T/r/b.cfx"; do
	# the capture that is shown of this URL is a revisit
	"$crawlfs" lookup "$T/r/$c" --near=http://a.org/one >"$T/out" 2>"$T/err"
	try "near to a URL: $c" grep -q '^org,a)/one 20240304050001 ' "$T/out"
done
sed 's/"simhash":-*1/"simhash":2/' "$T/rows.index" >"$T/wrong.jsonl"
try "another hash would be noticed" not checks alike "$T/wrong.jsonl"
finish
