#!/bin/sh
# reach_test.sh - what lists, selections and indexes on servers may lead to: their
# own server, and others that the user names.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir -p "$T/www" "$T/there/private" "$T/local"
"$mkcrawl" --records 30 --hostile 0 --page-bytes 500 --warc --bare "$T/crawl" >/dev/null || exit 1
archive=$(find "$T/crawl" -name '*.warc.gz' | head -n 1)
cp "$archive" "$T/www/a.warc.gz"
cp "$archive" "$T/there/b.warc.gz"
cp "$archive" "$T/there/private/c.warc.gz"
start_faultd there "$T/there" --log "$T/there.log" || skip_all "no server"
there_port=$port
start_faultd faultd "$T/www" --log "$T/log" || skip_all "no server"
there=http://localhost:$there_port

# list NAME URL...: a list of WACZ files on the server, whose files are archives here
list() {
	list_name=$1
	shift
	for list_url; do
		printf '%s{"name": "f", "path": "%s", "bytes": 9}' "${list_more:-}" "$list_url"
		list_more=', '
	done >"$T/files"
	unset list_more
	printf '{"profile": "multi-wacz-package", "resources": [%s]}\n' "$(cat "$T/files")" >"$list_name"
}
asked() { [ -s "$T/there.log" ]; }
# refused WHAT STATUS WHY WORD...: not asked, and said why
refused() {
	refused_what=$1 refused_status=$2 refused_why=$3
	shift 3
	: >"$T/there.log"
	try "$refused_what: refused" status "$refused_status" "$crawlfs" "$@"
	try "$refused_what: says why" complains "$refused_why"
	try "$refused_what: not asked" not asked
}
# led WHAT WORD...: the other server is asked
led() {
	led_what=$1
	shift
	: >"$T/there.log"
	try "$led_what" "$crawlfs" "$@"
	try "$led_what: asked" asked
	"$crawlfs" cache clear >/dev/null
}

list "$T/www/l.json" a.warc.gz "$there/b.warc.gz" "$there/private/c.warc.gz"
# Holds U63.
refused "a list" 0 "l.json: '$there/b.warc.gz' is left out: it is on another server" ls "$url/l.json"
try "its other files are there" test -s "$T/out"
try "it is said how many" complains "2 files are left out"
try "it is said once" same 1 "$(grep -c "it is on another server" "$T/err")"
list "$T/www/l.json" "$there/b.warc.gz"
led "a list, with --allow-host" ls --allow-host=localhost "$url/l.json"
led "a list, with several" ls --allow-host=a.example,LOCALHOST,b.example "$url/l.json"
led "a list, whose other server is named" ls "--data=$there/" "$url/l.json"
refused "a list, with another host" 1 "left out" ls --allow-host=host,localhost.example,*.localhost "$url/l.json"
refused "a list, with a pattern" 1 "of this machine or site, and allowed by a pattern only" ls '--allow-host=*' "$url/l.json"
list "$T/local/l.json" "$there/b.warc.gz"
# Holds U63.
led "a list of the user's own" ls "$T/local/l.json"
"$crawlfs" index -q -o "$T/i.cfx" "$url/l.json" 2>"$T/err"
try "an index of a list" complains "is left out: it is on another server"
list "$T/www/o.json" "$url/a.warc.gz"
try "a URL of its own server" "$crawlfs" ls "$url/o.json"

# S3: no bucket that the user has not named, with or without keys
export AWS_ACCESS_KEY_ID=KEY AWS_SECRET_ACCESS_KEY=SECRET
list "$T/www/s.json" s3://private/c.warc.gz a.warc.gz
# Holds U63.
refused "a bucket" 0 "it is in another bucket" ls --endpoint="$there" '--allow-host=*' "$url/s.json"
mkdir -p "$T/there/lists"
list "$T/there/lists/s.json" s3://private/c.warc.gz s3://lists/d.warc.gz
cp "$archive" "$T/there/lists/d.warc.gz"
: >"$T/there.log"
# Holds U63.
try "a list in a bucket" "$crawlfs" ls --endpoint="$there" s3://lists/s.json
try "its own bucket is asked" grep -q /lists/d.warc.gz "$T/there.log"
try "another is not" not grep -q private "$T/there.log"
list "$T/there/lists/s.json" s3://private/c.warc.gz
try "one that is named" "$crawlfs" ls --endpoint="$there" --data=s3://private/ s3://lists/s.json
try "is" grep -q private "$T/there.log"
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY

# selections, and indexes that say where their archives are
page=$("$crawlfs" lookup "$T/www/a.warc.gz" / | sed -n 9p)
at() { echo "$page" | sed "s/.*\"$1\": \"\([^\"]*\)\".*/\1/"; }
printf 'url,warc_filename,warc_record_offset,warc_record_length\n%s,%s,%s,%s\n' \
	"$(at url)" "$there/b.warc.gz" "$(at offset)" "$(at length)" >"$T/www/s.csv"
cp "$T/www/s.csv" "$T/local/s.csv"
# Holds U63.
refused "a selection" 1 "where the selection may not lead to" cat "$url/s.csv" "$(at url)"
led "a selection, with --allow-host" cat --allow-host=localhost "$url/s.csv" "$(at url)"
led "a selection of the user's own" cat "$T/local/s.csv" "$(at url)"
try "an index of it" "$crawlfs" index -q -o "$T/www/s.cfx" "$T/local/s.csv"
# Holds U63.
refused "an index with a home" 1 "its archives are at '$there', but it is on another server" cat "$url/s.cfx" "$(at url)"
led "an index, with --allow-host" cat --allow-host=localhost "$url/s.cfx" "$(at url)"
led "an index of the user's own" cat "$T/www/s.cfx" "$(at url)"
# Holds U63.
refused "adding it" 1 "its archives are at '$there', but it is on another server" index -q -o "$T/n.cfx" "$url/s.cfx"

# an index in names
for name in ../there/b.warc.gz /etc/passwd "$there/b.warc.gz" file:///etc/passwd a/../../there/b.warc.gz; do
	printf 'com,example)/ 20140101010101 {"url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "-", "length": "900", "offset": "0", "filename": "%s"}\n' "$name" >"$T/www/n.cdxj"
	: >"$T/there.log"
	# Holds U65.
	try "$name in a CDX: not read" status 1 "$crawlfs" cat "$url/n.cdxj" http://example.com/
	try "$name in a CDX: nothing of it" test ! -s "$T/out"
	try "$name in a CDX: not asked" not asked
done
try "no list of hosts" status 2 "$crawlfs" ls '--allow-host=a b' "$url/l.json"
try "is said" complains "'a b' is not the name of a host"
finish
