#!/bin/sh
# s3_list_test.sh - lists of buckets that do not end, or have odd keys.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir -p "$T/w/s3/b"
printf '%b' 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example/\r\n' 'WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n' 'Content-Type: application/http\r\nContent-Length: 24\r\n\r\n' 'HTTP/1.1 200 OK\r\n\r\nhello\r\n\r\n' >"$T/w/s3/b/a.warc"
bytes=$(wc -c <"$T/w/s3/b/a.warc")
start_server keysd python3 "$net/s3_keysd.py" "$T/w" || skip_all "no server"
export AWS_ENDPOINT_URL_S3="$url"
rules() { printf '%s\n' "$1" >"$T/w/rules" && : >"$T/w/log" && rm -rf "$T/c"; }
lists() { "$crawlfs" ls --cache="$T/c" s3://b/ >"$T/got" 2>"$T/err"; }
is_endless() {
	lists && return 1
	cat "$T/err"
	grep -q 'does not move on' "$T/err"
}
asked() { grep -c list-type "$T/w/log"; }

rules '{"pages": {"": {"keys": {}, "next": "A"}, "A": {"keys": {"a.warc": '"$bytes"'}, "next": "B"}, "B": {"keys": {}}}}'
try "a list of pages" lists
try "whose archive is read" same example/ "$(cat "$T/got")"
rules '{"pages": {"": {"keys": {"a.warc": 5}, "next": "A"}, "A": {"keys": {}, "next": "A"}}}'
# Holds E57.
try "a token that stays the same" is_endless
# Holds E57.
try "ends after one repetition" same 2 "$(asked)"
rules '{"pages": {"": {"keys": {}, "next": "A"}, "A": {"keys": {}, "next": "B"}, "B": {"keys": {}, "next": "C"}, "C": {"keys": {}, "next": "A"}}}'
# Holds E57.
try "tokens that come round" is_endless
try "end soon" sh -c "[ $(asked) -le 12 ]"
rules '{"pages": {"": {"keys": {"a.warc": '"$bytes"', "x/../b.warc": 5, "//c.warc.gz": 5, "./d.warc": 5, "e\n.warc": 5, ".hidden.warc": 5, "x//y.txt": 5}}}}'
try "keys that cannot be names" lists
try "leave the rest" same example/ "$(cat "$T/got")"
cat "$T/err"
# Holds E57.
try "are counted and named" grep -q "4 archives left out whose keys cannot be names of files, the first 'x/../b.warc'" "$T/err"
# nobody listens: that is told after three tries, and not after the timeout
stranger() {
	timeout 100 "$crawlfs" ls --cache="$T/new" --timeout=600 \
		--endpoint=http://127.0.0.1:9/ s3://b/ 2>"$T/err"
	same 1 $? && grep -q "connect" "$T/err"
}
try "a server that is not there" stranger
finish
