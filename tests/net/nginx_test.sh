#!/bin/sh
# nginx_test.sh - sources over nginx: HTTP/1.1, HTTP/2 with TLS, passwords.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir "$T/www"
python3 -c "import random, sys; random.seed(9); sys.stdout.buffer.write(random.randbytes(20000000))" >"$T/www/big"
head -c 100000 "$T/www/big" >"$T/www/page"
: >"$T/www/empty"
start_nginx nginx "$T/www" || skip_all "no nginx"

log() { wc -l <"$T/nginx-nginx/access.log"; }
has_said() { "$@" 2>&1 | grep "$said"; }

for base in "$http_url" "$https_url"; do
	what=${base%%:*}
	try "$what: a large object in parts" fetch "$base/big" "file:$T/www/big"
	try "$what: an empty object" same "" "$(fetch "$base/empty" 0:10)"
	try "$what: its size" same 0 "$(fetch "$base/empty" size)"
	try "$what: past the end" same "" "$(fetch "$base/page" 200000:10)"
	try "$what: 500 ranges at once" sh -c "
		'$CFS_BUILDDIR/tests/net/fetch_helper' --start --repeat 500 --step 100 $base/page 0:100 | wc -c | grep -qx 50000"
	try "$what: missing" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' $base/none 0:1; [ \$? -eq 15 ]"
done
said='http2 1'
try "https speaks HTTP/2" has_said fetch --stats "$https_url/page" 0:10
said='http2 0'
try "http does not" has_said fetch --stats "$http_url/page" 0:10
try "the whole of HTTP/2 is one connection" sh -c \
	"'$CFS_BUILDDIR/tests/net/fetch_helper' --start --repeat 100 $https_url/page 0:100 >/dev/null
	tail -n 100 '$T/nginx-nginx/access.log' | grep -c 'HTTP/2.0\" 206' | grep -qx 100"
try "the user agent is honest" grep -q '"crawlfs/[0-9.]* (+read-only crawl file system)"' "$T/nginx-nginx/access.log"
before=$(log)
try "a name and a password" same "$(head -c 10 "$T/www/page" | od -c)" \
	"$(fetch "http://reader:secr%40t@127.0.0.1:$http_port/private/page" 0:10 | od -c)"
try "by one request" same $((before + 1)) "$(log)"
try "the wrong password" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' http://reader:x@127.0.0.1:$http_port/private/page 0:10 2>'$T/err'; [ \$? -eq 20 ]"
try "messages do not name it" not grep -q "reader" "$T/err"
# a certificate nobody vouches for
export CURL_CA_BUNDLE="$T/other.pem"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
	-keyout "$T/other.key" -out "$T/other.pem" -days 2 -subj /CN=other 2>/dev/null
try "a server without TLS is asked once" sh -c "
	'$CFS_BUILDDIR/tests/net/fetch_helper' https://127.0.0.1:$http_port/page 0:10 2>'$T/err'
	[ \$? -eq 11 ]"
# what is asked for later is logged later
fetch "$http_url/none" 0:10 2>"$T/err"
wait_for sh -c "tail -n 1 '$nginx_dir/access.log' | grep '\" 404 '"
try "and not again" same 1 "$(grep -c '" 400 ' "$nginx_dir/access.log")"
try "an unknown authority is refused" sh -c "'$CFS_BUILDDIR/tests/net/fetch_helper' $https_url/page 0:10 2>'$T/err'; [ \$? -eq 11 ] && grep -i 'certificate.*CURL_CA_BUNDLE' '$T/err'"
export CURL_CA_BUNDLE="$T/ca.pem"
# a file that is replaced meanwhile
fetch --go-on-at "$T/go-on" "$http_url/page" 0:10 10:10 >"$T/got" 2>"$T/err" &
reader=$!
wait_for test -s "$T/got"
head -c 100001 "$T/www/big" >"$T/www/new" && mv "$T/www/new" "$T/www/page"
: >"$T/go-on"
wait $reader
try "a replaced file is noticed" same 21 $?
try "and said" grep -q "changed on the server" "$T/err"

# ---- a crawl behind a password, which is shown nowhere ----

shown_nowhere() {	# shown_nowhere FILE...: neither is in any of them
	! grep -a -e reader -e 'secr%40t' -e 'secr@t' "$@"
}
mkdir "$T/www/crawl"
"$mkcrawl" --records 20 --page-bytes 500 --warc "$T/www/crawl" >/dev/null
crawl=$(cd "$T/www/crawl" && find . -name '*.warc.gz' | sed -n '1s/^..//p')
"$crawlfs" index -q -o "$T/www/crawl/i.cfx" "$T/www/crawl/${crawl%/*}"
secret=http://reader:secr%40t@127.0.0.1:$http_port/private/crawl
one_page() { find "$T/$1" -type f ! -name '*.meta' ! -name '*.txt' | sort | sed -n 1p; }
if (: <>/dev/fuse) 2>/dev/null; then
	for how in "$secret/i.cfx" "$secret/$crawl" \
		"-o data=$secret,xattr $T/www/crawl/i.cfx" \
		"--data=$secret $T/www/crawl/i.cfx"; do
		what=$(echo "$how" | sed 's/reader:[^@]*@//g; s|[^ =]*/||g')
		: >"$T/m.log"
		# shellcheck disable=SC2086	# words
		try "$what: mounts" start_mount m $how
		page=$(one_page m)
		try "$what: reads" test -s "$page"
		cat "$page" "$page.meta" >"$T/got"
		try "$what: has read" test -s "$T/got"
		pid=$(pid_of m)
		tr '\0' ' ' <"/proc/$pid/cmdline" >"$T/cmdline"
		# Holds C10.
		try "$what: not in ps" shown_nowhere "$T/cmdline"
		try "$what: which has the rest" grep -q 127.0.0.1 "$T/cmdline"
		cat /proc/self/mounts >"$T/mounts.txt"
		# Holds C10.
		try "$what: not among the mounts" shown_nowhere "$T/mounts.txt"
		cat "$T/m/.crawlfs/config" "$T/m/.crawlfs/stats" >"$T/control"
		# Holds C10.
		try "$what: not in .crawlfs" shown_nowhere "$T/control"
		getfattr -d "$page" >"$T/attrs" 2>/dev/null
		# Holds C10.
		try "$what: not in the page" shown_nowhere "$T/got" "$T/attrs"
		try "$what: ends well" stop_mount m
		# Holds C10.
		try "$what: not in the log" shown_nowhere "$T/m.log"
	done
else
	skip "a mount behind a password: no /dev/fuse"
fi
try "a failure, too" status 1 "$crawlfs" ls \
	"http://reader:wrong%21@127.0.0.1:$http_port/private/none"
try "does not show it" not grep -e reader -e wrong "$T/out" "$T/err"
try "nor does a URL that is none" status 1 "$crawlfs" ls \
	"http://reader:secr%40t@127.0.0.1:port/private/none"
try "which is shown" complains 127.0.0.1:port
try "without it" shown_nowhere "$T/out" "$T/err"
try "nor does an unknown option" status 2 "$crawlfs" ls \
	"--datum=http://reader:secr%40t@127.0.0.1/"
try "as that" shown_nowhere "$T/out" "$T/err"
try "an index of it" "$crawlfs" index --force -o "$T/i.cfx" "$secret/$crawl"
"$crawlfs" cache info >"$T/info" 2>&1
try "has it nowhere, nor has the cache" shown_nowhere "$T/i.cfx" "$T/info" "$T/case.log"
# Holds C10.
try "the cache folder" not grep -rqae 'secr%40t' -e 'secr@t' "$XDG_CACHE_HOME"
try "a URL of a page keeps its user" status 1 "$crawlfs" path "$T/i.cfx" \
	http://me:pw@nowhere.example/
try "as it was typed" complains me:pw@
finish
