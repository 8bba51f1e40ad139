#!/bin/sh
# key_test.sh - keys of S3 and paths of URLs go out as they are: dots and slashes
# are not resolved, each byte is escaped once, and what is signed is what is sent.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir -p "$T/www/bkt" "$T/www/other" "$T/s3/things"
echo 0123456789 >"$T/www/other/x"
start_server hopd python3 "$net/hopd.py" 127.0.0.1 "$T/www" "$T/log" || skip_all "no server"
# sends URL PATH OPTION...: what is asked for, whatever comes of it
sends() {
	: >"$T/log"
	fetch "$@" 0:4 >/dev/null 2>&1
	shift $(($# - 1))
	cut -d' ' -f2 "$T/log" | sort -u
}
# key KEY PATH: of a bucket
key() {
	# Holds U66.
	try "the key $1" same "/bkt/$2" "$(sends --endpoint "$url" "s3://bkt/$1")"
}
key a.warc.gz a.warc.gz
key ../other/x ../other/x
key ./x ./x
key a/../x a/../x
key a/./x a/./x
key a/.. a/..
key a//x a//x
key /x /x
key a/ a/
key 'a+b' a%2Bb
key 'a%2Fb' a%252Fb
key 'a?b=c' 'a%3Fb%3Dc'
key 'a#b' a%23b
key 'a b' a%20b
key 'a&b=c;d' 'a%26b%3Dc%3Bd'
key "$(printf 'a\303\244')" a%C3%A4
key "$(printf 'a\344')" a%E4
key "a~b-c_d.e!'()*" "a~b-c_d.e%21%27%28%29%2A"
: >"$T/log"
fetch --endpoint "$url" s3://bkt/../other/x 0:4 >"$T/out" 2>"$T/err"
# Holds U66.
try "a key with dots is asked for below its bucket" grep -q 'GET /bkt/\.\./other/x ' "$T/log"
# path URL-PATH: of a URL.  A libcurl that writes the digits of escapes in capitals,
# which mean the same (RFC 3986, section 6.2.2.1), as 8.23 does, has them so for
# every path, and no other is excused.
sent=$(sends "$url/%2e%2Ex")
writes=cat
[ "$sent" != /%2E%2Ex ] || writes='sed s/%[0-9A-Fa-f][0-9A-Fa-f]/\U&/g'
# Holds U66.
path() { try "the path $1" same "$(printf '%s\n' "$1" | $writes)" "$(sends "$url$1")"; }
path /a/../x
path /a/./x
path /a//x
path '/a%2Fb%2e%2E/x'
path "/a+b!'()*"
path '/a?b=/../c'

# signed by one who signs for itself: faultd.py
ctl() { python3 "$net/faultd.py" ctl "$@"; }
start_faultd faultd "$T/s3" || skip_all "no server"
ctl "$port" rule fault=signed value=KEY:SECRET >/dev/null
export AWS_ACCESS_KEY_ID=KEY AWS_SECRET_ACCESS_KEY=SECRET
for name in a+b 'a%2Fb' 'a?b=c' 'a#b' 'a b' 'a&b' "a~!'()*" "$(printf 'a\303\244')"; do
	echo "$name" >"$T/s3/things/$name"
	# Holds U66.
	try "signed: $name" same "$name" "$(fetch --endpoint "$url" "s3://things/$name" 0:99)"
done
finish
