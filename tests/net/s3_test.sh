#!/bin/sh
# s3_test.sh - s3: URLs against an S3 server that checks signatures.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

# Twice: a small server that checks signatures to the letter, and s3rver, which
# is S3 in all but that.
mkdir -p "$T/s3/things/a b" "$T/s3/commoncrawl"
python3 -c "import random, sys; random.seed(11); sys.stdout.buffer.write(random.randbytes(9000000))" >"$T/s3/things/big"
head -c 5000 "$T/s3/things/big" >"$T/s3/things/a b/page+1=%.gz"
head -c 3000 "$T/s3/things/big" >"$T/s3/commoncrawl/x"
gets() {
	fetch --endpoint "$url" "$1" "$2" >"$T/got" || return 1
	tail -c +$((${2%:*} + 1)) "$T/s3/$3" | head -c "${2#*:}" | cmp - "$T/got"
}
refused() {
	fetch --endpoint "$url" "$@" >"$T/got" 2>&1
	same 20 $?
}
printf '[default]\naws_access_key_id = none\naws_secret_access_key = none\n[mine]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n' >"$T/credentials"

check_server() {
	export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER
	try "$1: a signed range" gets s3://things/big 1000:5000 things/big
	try "$1: a large object" fetch --endpoint "$url" s3://things/big "file:$T/s3/things/big"
	try "$1: a key that must be encoded" gets "s3://things/a b/page+1=%.gz" 10:100 "things/a b/page+1=%.gz"
	try "$1: a bucket of Common Crawl's name at another endpoint" gets s3://commoncrawl/x 0:100 commoncrawl/x
	AWS_REGION=eu-west-1
	export AWS_REGION
	try "$1: another region" gets s3://things/big 0:10 things/big
	unset AWS_REGION
	try "$1: a missing key" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' --endpoint $url s3://things/none 0:1; [ \$? -eq 15 ]"
	unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
	export AWS_SHARED_CREDENTIALS_FILE="$T/credentials"
	try "$1: the default profile is refused" refused s3://things/big 0:10
	export AWS_PROFILE=mine
	try "$1: a profile of the credentials file" gets s3://things/big 5:10 things/big
	unset AWS_PROFILE
	export AWS_SHARED_CREDENTIALS_FILE="$T/none"
}

start_faultd faultd "$T/s3" || skip_all "no server"
ctl "$port" rule fault=signed value=S3RVER:S3RVER
check_server signatures
try "anonymous requests are refused" refused s3://things/big 0:10
export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=wrong
try "so is a wrong secret" refused s3://things/big 0:10
AWS_SECRET_ACCESS_KEY=S3RVER
export AWS_SESSION_TOKEN="a/token+of=signs"
try "a session token is signed" gets s3://things/big 0:10 things/big
ctl "$port" clear
ctl "$port" rule fault=redirect value="http://localhost:1/x"
# Holds U62.
try "a signed request follows nobody" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' --endpoint $url s3://things/big 0:1 2>&1 | grep 'status 302'"
ctl "$port" clear
ctl "$port" rule fault=region value=ap-south-2
ctl "$port" counts >/dev/null
try "a bucket of another region" gets s3://things/big 0:10 things/big
try "is found by one request more" same "requests 2" "requests $(requests)"
try "by many at once" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' --endpoint $url --start --repeat 50 --step 10 s3://things/big 0:10 | wc -c | grep -qx 500"
ctl "$port" clear
ctl "$port" rule fault=region-text value=eu-north-1
ctl "$port" counts >/dev/null
try "one whose region is told in the text" gets s3://things/big 0:10 things/big
try "by one request more, too" same "requests 2" "requests $(requests)"
try "that is asked for many times" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' --endpoint $url --repeat 20 --step 10 s3://things/big 0:10 | wc -c | grep -qx 200"
try "there at once" same "requests 21" "requests $(requests)"
ctl "$port" clear
ctl "$port" rule fault=region-text value='<!DOCTYPE'
try "a text that is none" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' --endpoint $url s3://things/big 0:1 2>&1 | grep 'status 400'"
ctl "$port" clear
ctl "$port" rule fault=region-text value='us-east-1</Region><Region>'
try "a server that wants the region it was asked in" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' --endpoint $url s3://things/big 0:1 2>&1 | grep 'status 400'"
ctl "$port" clear
ctl "$port" rule fault=region value='a/../b'
try "a region that is none" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' --endpoint $url s3://things/big 0:1 2>&1 | grep 'status 301'"
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
stop_server faultd

if start_s3 s3 "$T/s3" && wait_for grep -q ready "$T/s3.log"; then
	check_server s3rver
else
	skip "s3rver: ${install_problem:-$(tail -n 1 "$T/s3.log")}"
fi
finish
