#!/bin/sh
# redirect_test.sh - where a server may lead a request to: never from https to
# http, and to addresses of this machine, link or site only if the source is there.
# It has a network of its own, in which all addresses are this machine's.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
if [ -z "${CFS_OWN_NETWORK:-}" ]; then
	unshare -nm sh -c 'ip link set lo up && mount --make-rprivate /' 2>/dev/null || {
		echo "SKIP: no network of its own: that takes root, unshare(1) and ip(8)"
		exit 77
	}
	CFS_OWN_NETWORK=yes exec unshare -nm sh "$0" "$@"
fi
. "$CFS_SRCDIR/tests/net/lib.sh"
ip link set lo up
mount --make-rprivate /
public=11.0.0.1 other=11.0.0.2
for a in $public $other 10.1.2.3 172.16.1.1 192.168.7.7 100.64.0.9 169.254.169.254 198.51.100.1; do
	ip addr add $a/32 dev lo
done
ip -6 addr add fd00::7/128 dev lo nodad 2>/dev/null && ip -6 addr add 2a00:1::1/128 dev lo nodad && has_v6=yes
cat >"$T/hosts" <<END
127.0.0.1 localhost
$public public.example
$other other.example
10.1.2.3 rebound.example
$other both.example
127.0.0.1 both.example
END
mount --bind "$T/hosts" /etc/hosts || skip_all "no hosts of its own"

mkdir "$T/www"
echo 0123456789 >"$T/www/page"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$T/key" \
	-out "$T/ca.pem" -days 2 -subj /CN=test -addext \
	"subjectAltName=DNS:public.example,DNS:other.example,IP:$public" 2>/dev/null ||
	skip_all "no openssl"
cat "$T/key" "$T/ca.pem" >"$T/both.pem"
export CURL_CA_BUNDLE="$T/ca.pem"
hopd() { start_server "$1" python3 "$net/hopd.py" "$2" "$T/www" "$T/$1.log" ${3:+"$3"}; }
port_on() {	# port_on NAME ADDRESS [CERTIFICATE]: starts one, its port in $port
	: >"$T/$1.log"
	hopd "$@" || skip_all "no server on $2"
}
port_on public $public; at=$port
port_on other $other; other_port=$port
port_on https $public "$T/both.pem"; https_port=$port
port_on https2 $other "$T/both.pem"; https2_port=$port
source=http://public.example:$at

# follows WHAT FROM TO NAME: read, by one request to server NAME
follows() {
	: >"$T/$4.log"
	echo "$3" >"$T/www/hop"
	try "$1: followed" same 0123 "$(fetch "$2/to/hop" 0:4 2>&1)"
	try "$1: asked" grep -q "^GET [^ ]*/page " "$T/$4.log"
}
# refuses WHAT FROM TO SERVER WHY
refuses() {
	: >"$T/$4.log"
	echo "$3" >"$T/www/hop"
	fetch --timeout 3000 "$2/to/hop" 0:4 >"$T/out" 2>"$T/err"
	try "$1: refused" same 11 $?
	try "$1: says why" complains "redirects to .*$5.*: not followed"
	try "$1: nothing is asked there" test ! -s "$T/$4.log"
}
follows "another public host" "$source" "http://other.example:$other_port/page" other
# Holds U61.
follows "https to https" "https://public.example:$https_port" "https://other.example:$https2_port/page" https2
follows "http to https" "$source" "https://public.example:$https_port/page" https
refuses "https to http" "https://public.example:$https_port" "http://other.example:$other_port/page" other "http://other.example, which is not encrypted"
# Holds U61.
refuses "http to https to http" "$source" "https://public.example:$https_port/to/http://other.example:$other_port/page" other "http://other.example, which is not encrypted"

for a in 127.0.0.1 10.1.2.3 172.16.1.1 192.168.7.7 100.64.0.9 169.254.169.254 198.51.100.1; do
	port_on inner $a
	case $a in
	127.*) why="an address of this machine" ;;
	169.*) why="a link-local address" ;;
	198.*) why="a special address" ;;
	*) why="a private address" ;;
	esac
	# Holds U61.
	refuses "$a" "$source" "http://$a:$port/page" inner "$a, which is $why"
	follows "$a from there" "http://$a:$port" "http://$a:$port/page" inner
	follows "$a to a public host" "http://$a:$port" "http://other.example:$other_port/page" other
	stop_server inner
done
port_on inner 127.0.0.1
for name in localhost 2130706433 0x7f.1 127.1 "[::ffff:127.0.0.1]" "[::ffff:7f00:1]"; do
	refuses "the name $name" "$source" "http://$name:$port/page" inner "which is an address of this machine"
done
# Holds U61.
refuses "a name of several addresses" "$source" "http://both.example:$port/page" inner "which is an address of this machine"
follows "another address of this machine" "http://127.0.0.1:$port" "http://127.0.0.1:$port/page" inner
refuses "in two steps" "$source" "http://other.example:$other_port/to/http://127.0.0.1:$port/page" inner "which is an address of this machine"
stop_server inner
port_on inner 10.1.2.3
# Holds U61.
refuses "a name that leads to a private address" "$source" "http://rebound.example:$port/page" inner "rebound.example, which is a private address"
follows "a source there" "http://rebound.example:$port" "http://10.1.2.3:$port/page" inner
stop_server inner
if [ -n "${has_v6:-}" ]; then
	port_on inner fd00::7
	refuses "a unique local address" "$source" "http://[fd00::7]:$port/page" inner "which is a private address"
	stop_server inner
	port_on inner ::1
	refuses "::1" "$source" "http://[::1]:$port/page" inner "which is an address of this machine"
	stop_server inner
	port_on inner 2a00:1::1
	follows "a public IPv6 address" "$source" "http://[2a00:1::1]:$port/page" inner
	stop_server inner
else
	skip "IPv6: none here"
fi

# what is the user's goes to the source's own server only
: >"$T/public.log"
: >"$T/other.log"
echo "http://other.example:$other_port/page" >"$T/www/hop"
try "a password" same 0123 "$(fetch "http://me:pw@public.example:$at/to/hop" 0:4)"
try "is sent to its server" grep -q "GET /to/hop .* Basic" "$T/public.log"
# Holds U62.
try "and not to another" grep -q "GET /page other.example:$other_port -" "$T/other.log"
# Holds U62.
refuses "a name in a redirection" "$source" "http://me:pw@other.example:$other_port/page" other "with a name and a password"
mkdir -p "$T/home"
echo "default login netrcuser password netrcpw" >"$T/home/.netrc"
chmod 600 "$T/home/.netrc"
: >"$T/public.log"
HOME=$T/home fetch "$source/page" 0:4 >/dev/null
# Holds U62.
try ".netrc is not read" grep -q "GET /page .* -$" "$T/public.log"

# a host that only a pattern allows: its address counts
printf 'url,warc_filename,warc_record_offset,warc_record_length\nhttp://a.example/,http://rebound.example:%s/page,0,9\n' "$port" >"$T/www/s.csv"
port_on inner 10.1.2.3
sed -i "s|example:[0-9]*/page|example:$port/page|" "$T/www/s.csv"
for hosts in '*' '*.example'; do
	: >"$T/inner.log"
	# Holds U64.
	try "by a pattern, $hosts: refused" status 1 "$crawlfs" cat --allow-host="$hosts" "$source/s.csv" http://a.example/
	try "by a pattern, $hosts: says why" complains "http://rebound.example, which is a private address: not asked"
	try "by a pattern, $hosts: not asked" test ! -s "$T/inner.log"
done
"$crawlfs" cat --allow-host=rebound.example "$source/s.csv" http://a.example/ >"$T/out" 2>&1
try "by its name: asked" test -s "$T/inner.log"
stop_server inner

# through a proxy only names can be judged
port_on proxy 127.0.0.1
export http_proxy="http://127.0.0.1:$port"
follows "by a proxy, a public name" http://public.example http://other.example/page proxy
for name in localhost 10.1.2.3 '[fe80::1]' 0x7f.1; do
	echo "http://$name/page" >"$T/www/hop"
	: >"$T/proxy.log"
	fetch http://public.example/to/hop 0:4 >"$T/out" 2>"$T/err"
	# Holds U61.
	try "by a proxy, $name: refused" complains "redirects to http://.*: not followed"
	try "by a proxy, $name: not asked for" not grep -q "/page" "$T/proxy.log"
done
# what does not go through it is judged by its address
export no_proxy=rebound.example
port_on inner 10.1.2.3
refuses "beside a proxy" http://public.example "http://rebound.example:$port/page" inner "which is a private address"
unset http_proxy
finish
