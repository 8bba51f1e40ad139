#!/bin/sh
# fetch_test.sh - ranges over HTTP: right bytes, or a failure that says why.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir "$T/www"
python3 - "$T/www" <<'EOF'
import os, random, sys
random.seed(7)
os.chdir(sys.argv[1])
for name, n in (("one", 1), ("small", 1000), ("page", 100000), ("big", 30000000)):
    open(name, "wb").write(random.randbytes(n))
open("empty", "wb").close()
open("a b%2F#é.gz", "wb").write(b"name")
EOF
part() {	# part FILE OFFSET LENGTH
	tail -c +$(($2 + 1)) "$T/www/$1" | head -c "$3"
}
# gets FILE OFFSET LENGTH [OPTION...]: the bytes are those of the file.
gets() {
	gets_file=$1 gets_off=$2 gets_n=$3
	shift 3
	fetch "$@" "$url/$gets_file" "$gets_off:$gets_n" >"$T/got" || return 1
	part "$gets_file" "$gets_off" "$gets_n" | cmp - "$T/got"
}
# fails STATUS WORDS OPTION... URL RANGE: no byte, this status, these words.
fails() {
	fails_status=$1 fails_words=$2
	shift 2
	fetch "$@" >"$T/got" 2>"$T/err"
	fails_got=$?
	cat "$T/err"
	[ $fails_got -eq "$fails_status" ] ||
		{ echo "status $fails_got, not $fails_status"; return 1; }
	[ ! -s "$T/got" ] || { echo "bytes came"; return 1; }
	grep -q "$fails_words" "$T/err"
}
LONG=3600000	# milliseconds: what waits for that does not end within a test
EIO=11 ENOTFOUND=15 ETIMEOUT=16 EINTR=17 EUNSUPPORTED=19 EACCES=20 ECHANGED=21

start_faultd faultd "$T/www" || skip_all "no server of faults"

# ---- when all is well ----

try "a range" gets page 100 1000
try "the first byte" gets page 0 1
try "the last byte" gets page 99999 1
try "across the end" gets page 99990 100
try "past the end" gets page 100000 10
try "a whole object by one range" gets small 0 5000
try "an empty object" gets empty 0 10
try "a large object in parts" fetch "$url/big" "file:$T/www/big"
try "a name that must be encoded" same name "$(fetch "$url/a%20b%252F%23%C3%A9.gz" 0:9)"
counts >/dev/null
try "opening costs no request" fetch "$url/page" url
try "none was made" same 0 "$(requests)"
try "the size is found" same 100000 "$(fetch "$url/page" size)"
try "by one request" same 1 "$(requests)"
try "the size is known after any range" sh -c "[ \"\$($CFS_BUILDDIR/tests/net/fetch_helper $url/page 5:0 0:1 size | tail -c 7)\" = 100000 ]"
counts >/dev/null
try "200 ranges of one thread use one connection" sh -c \
	"'$CFS_BUILDDIR/tests/net/fetch_helper' --repeat 200 --step 11 $url/page 0:10 | wc -c | grep -qx 2000"
try "that is so" sh -c "python3 '$net/faultd.py' ctl $port counts | grep 'parallel 1 connections 1'"
ctl "$port" delay value=100
# Holds L7.
try "100 started ranges, 64 at a time" fetch --start --repeat 100 --step 11 "$url/page" 0:10
try "that is so, too" sh -c "python3 '$net/faultd.py' ctl $port counts | grep 'requests 100 .*parallel 64'"
# Holds L7.
try "or 5 at a time" fetch --parallel 5 --start --repeat 30 --step 11 "$url/page" 0:10
try "which is so" sh -c "python3 '$net/faultd.py' ctl $port counts | grep 'parallel 5 '"
ctl "$port" clear
try "a child forked before the first request fetches" same "$(part page 7 10 | od -c)$(part page 50 20 | od -c)" \
	"$(fetch "$url/page" 7:10 2>&1 | od -c)$(fetch --fork "$url/page" 7:10 50:20 | tail -c 20 | od -c)"

# ---- answers that are not believed ----

rule fault=whole
try "200 for a range" fails $EUNSUPPORTED "whole file" "$url/page" 10:10
try "200 for the whole object will do" gets small 0 1000
try "and when more was asked for" gets small 0 5000
rule fault=whole-open
try "200 without a length, of the whole" gets small 0 5000
try "200 without a length, of more" fails $EUNSUPPORTED "whole file" "$url/page" 0:100
rule fault=shift
try "another range" fails $EIO "sent bytes 11-20 for 10-19" "$url/page" 10:10
rule fault=short
counts >/dev/null
# Holds E60.
try "a shorter range: the rest is asked for" gets page 10 10
try "by one request" same 2 "$(requests)"
rule fault=less value=1
counts >/dev/null
# Holds E60.
try "byte after byte has an end" fails $EIO "too little" "$url/page" 0:16384
try "with few requests" test "$(requests)" -le 50
rule fault=less value=4000
try "a cap" gets page 0 100000
for value in 1 1000 4096; do
	rule fault=earlier value=$value
	# Holds E60.
	try "a range from $value bytes before" gets page 20000 50000
	try "that of the first byte" gets page 0 1
	try "that of the last" gets page 99999 10
done
rule fault=further
# Holds E60.
try "a range of more, up to the end" gets page 20000 50000
try "of little more" gets page 90000 9000
# Holds E60.
try "all of it for the first byte" gets big 0 1
try "and the size" same 30000000 "$(fetch "$url/big" size)"
rule fault=no-range
try "no Content-Range" fails $EIO "without saying which" "$url/page" 10:10
rule fault=no-total
try "a range of an unknown total" gets page 10 10
try "the total unknown, cut at the end" gets page 99999 10
try "behind the end" gets page 100000 10
for value in "" silent; do
	for file in one small page big; do
		rule fault=no-total value=$value
		counts >/dev/null
		# Holds E60.
		try "the size of $file${value:+, $value}" same "$(stat -c %s "$T/www/$file")" "$(fetch "$url/$file" size)"
		try "with few requests" test "$(requests)" -le 50
	done
done
rule fault=no-total
try "by two, where 416 says it" sh -c "python3 '$net/faultd.py' ctl $port counts; '$CFS_BUILDDIR/tests/net/fetch_helper' $url/page size; python3 '$net/faultd.py' ctl $port counts | grep 'requests 2 '"
rule fault=encoding value=br
try "a Content-Encoding" fails $EIO "sends 'br'" "$url/page" 10:10
rule fault=encoding value=x-gzip
try "gzip of a name in .gz" same ame "$(fetch "$url/a%20b%252F%23%C3%A9.gz" 1:9)"
try "gzip of another" fails $EIO "x-gzip" "$url/page" 10:10
for encoding in aws-chunked identity 'AWS-CHUNKED, Identity'; do
	rule fault=encoding value="$encoding"
	try "'$encoding', which is no encoding" gets page 10 10
done
rule fault=encoding value='gzip,aws-chunked'
try "gzip among others, of a name in .gz" same ame "$(fetch "$url/a%20b%252F%23%C3%A9.gz" 1:9)"
try "and of another" fails $EIO "sends 'gzip' where" "$url/page" 10:10
rule fault=long-head
try "a head without end" fails $EIO "head" --timeout 3000 "$url/page" 10:10
rule fault=garbage
try "no HTTP at all" fails $EIO "" --timeout 3000 "$url/page" 10:10
rule fault=more count=1
try "more bytes than were said are not taken" gets page 10 10
rule fault=etag skip=1 value='"other"'
# Holds C5.
try "a changed ETag" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' $url/page 0:10 10:10 >'$T/got' 2>'$T/err'
	[ \$? -eq $ECHANGED ] && [ \$(wc -c <'$T/got') -eq 10 ] && grep 'changed on the server: its ETag' '$T/err'"
rule fault=grown skip=1
# Holds C5.
try "a changed size" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' $url/page 0:10 10:10 >'$T/got' 2>'$T/err'
	[ \$? -eq $ECHANGED ] && grep 'has 100001 bytes and had 100000' '$T/err'"
ctl "$port" clear
validator=$(fetch "$url/page" 0:0 size validator | tail -n 1)
try "a validator" sh -c "echo '$validator' | grep '^100000 \"'"
try "a pin that fits" gets page 10 10 --pin "$validator"
try "a pin tells the size without a request" same "100000" "$(fetch --pin "$validator" "$url/page" size)"
try "a pin of other bytes" fails $ECHANGED "changed on the server" --pin '100000 "old"' "$url/page" 10:10
try "a pin that is none" fails 12 "invalid validator" --pin 'x' "$url/page" 10:10

# ---- failures that pass, and those that do not ----

for fault in reset reset-body truncate lie "status value=500" "status value=502" \
	"status value=503" "status value=429,1" "status value=504" \
	"status value=408" "status value=425" "status value=509" \
	"status value=520" "status value=521" "status value=522" \
	"status value=523" "status value=524" "status value=527" \
	"status value=530" "status value=598" "status value=599"; do
	# shellcheck disable=SC2086
	rule fault=$fault count=2
	# Holds E50.
	try "twice $fault, then well" gets page 20000 50000
done
rule fault=reset-body count=1
ctl "$port" log >/dev/null
try "what came before it broke is not asked for again" gets page 0 100000
ctl "$port" log >"$T/log"
try "only the rest" sh -c "grep -c . '$T/log' | grep -qx 2 && tail -n 1 '$T/log' | grep -v 'bytes=0-'"
# Holds L8.
try "a 429 tells when to come back" sh -c "
	python3 '$net/faultd.py' ctl $port clear
	python3 '$net/faultd.py' ctl $port rule fault=status value=429,2 count=1
	s=\$(date +%s%N)
	'$CFS_BUILDDIR/tests/net/fetch_helper' $url/page 0:10 >/dev/null &&
	[ \$(((\$(date +%s%N) - s) / 1000000)) -ge 2000 ]"
rule fault=status value=429,3600
try "not within the time there is" fails $ETIMEOUT "slow down" "$url/page" 10:10
rule fault=status value=404
counts >/dev/null
try "404" fails $ENOTFOUND "not there" "$url/page" 10:10
try "is asked once" same 1 "$(requests)"
rule fault=status value=403
try "403" fails $EACCES "refuses access (status 403)" "$url/page" 10:10
# Holds L8.
try "is asked for a few times, as the first of its server" same 4 "$(requests)"
rule fault=error value="403 AccessDenied Access Denied"
counts >/dev/null
try "403 with a code of S3" fails $EACCES "refuses access (status 403, AccessDenied" "$url/page" 10:10
try "is asked for once" same 1 "$(requests)"
# Holds E51.
try "and is about that object alone" sh -c "! grep 'one request' '$T/err'"
rule fault=status skip=1 value=403
# Holds E51.
try "of what was given before it is about all of the server" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' $url/page 0:10 10:10 2>&1 >/dev/null | grep 'one request at a time'"
for code in SlowDown RequestTimeout InternalError ServiceUnavailable; do
	rule fault=error count=2 value="403 $code x"
	# Holds E50.
	try "twice $code of S3 by 403, then well" gets page 10 10
done
rule fault=error value="400 ExpiredToken The token has expired."
counts >/dev/null
# Holds E52.
try "an error of S3" fails $EACCES "(status 400, ExpiredToken: The token has expired.): .*new credentials" "$url/page" 10:10
# Holds E50.
try "that does not pass is asked for once" same 1 "$(requests)"
rule fault=status value=500
try "500 for ever" fails $ETIMEOUT "server failed" --timeout 2000 "$url/page" 10:10
rule fault=shift
counts >/dev/null
try "a wrong answer whose body does not end is told as what it is" fails $EIO "makes no sense" --timeout $LONG --stall $LONG "$url/page" 0:100000
try "and asked for once" same 1 "$(requests)"
rule fault=stall
try "a server that does not answer" fails $ETIMEOUT "nothing came for" --timeout 2000 "$url/page" 10:10
rule fault=stall count=1
try "one that does not answer once" gets page 10 10 --timeout $LONG --stall 1000
rule fault=stall-body count=1
try "one that stops in the middle" gets page 0 90000 --timeout $LONG --stall 1000
rule fault=stall
try "a reader that gives up is free at once" fails $EINTR interrupted --timeout $LONG --stall $LONG --cancel-after 500 "$url/page" 10:10
try "so are started reads" fails $EINTR interrupted --timeout $LONG --stall $LONG --start --abandon-after 500 --repeat 20 "$url/page" 10:10
rule fault=slow value=1000000
try "a slow server is waited for" gets big 0 2500000 --timeout 1000
part small 10 10 >"$T/small.part"
rule fault=redirect value="$url/small" match=page
try "a redirection" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' $url/page 10:10 | cmp - '$T/small.part'"
here_port=$port here_url=$url
start_faultd other "$T/www" || skip_all "no second server"
other_port=$port other_url=http://localhost:$port
port=$here_port url=$here_url
for code in 301 302 303 307 308; do
	rule fault=redirect value="$code,$other_url/small" match=page
	try "to another host by $code" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' $url/page 10:10 | cmp - '$T/small.part'"
done
try "which was asked" sh -c "python3 '$net/faultd.py' ctl $other_port counts | grep 'requests 5 '"
rule fault=redirect value="307,$other_url/%p" match=page
try "a large range from there" gets page 100 90000
ctl "$other_port" rule fault=reset-body count=1
try "what breaks off there is gone on with" gets page 0 100000
stop_server other
rule fault=redirect value="$url/page" match=page
try "redirections without end" fails $EIO "redirects" "$url/page" 10:10
rule fault=redirect value="file:///etc/passwd" match=page
try "a redirection to a file" fails $EIO "" "$url/page" 10:10
ctl "$port" clear
# One that was there is waited for, one that was never reached is not.  The time
# is too short for all the tries, however short the pauses that chance picks.
fetch --timeout 1000 --go-on-at "$T/go-on" "$url/page" 0:10 10:10 >"$T/got" 2>"$T/err" &
reader=$!
wait_for test -s "$T/got"
stop_server faultd
: >"$T/go-on"
wait $reader
try "a server that goes away" same $ETIMEOUT $?
try "is waited for" grep -q "no answer in time; the last of .*onnect" "$T/err"
try "no server" fails $EIO "onnect" "$url/page" 10:10
try "no such scheme" fails $EUNSUPPORTED "only http" gopher://x/y 0:1
finish
