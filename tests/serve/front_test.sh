#!/bin/sh
# front_test.sh - crawlfs serve behind nginx with TLS and a password, by the
# configuration that crawlfs-deploy(7) has.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/serve/lib.sh"
has_program nginx || skip_all "there is no nginx"
has_program openssl || skip_all "there is no openssl"

# ---- the configuration ----

# front_block PORT URL: the manual's, with ports and files of the test
front_block() {
	from_manual crawlfs-deploy.7 nginx |
		sed -e "s|listen 443 |listen 127.0.0.1:$1 |" \
			-e "s|/etc/ssl/crawl.example|$T/front|" \
			-e "s|/etc/nginx/crawl.users|$T/users|" \
			-e "s|http://127.0.0.1:8080;|${2%/};|"
}
# front_config PORT URL [PORT URL]
front_config() {
	echo "daemon off; worker_processes 1; pid $T/nginx.pid;"
	echo "error_log $T/nginx.log; user $(id -un); events { }"
	echo "http { access_log $T/access.log;"
	nginx_folders "$T/nginx"
	while [ $# -gt 0 ]; do
		front_block "$1" "$2"
		shift 2
	done
	echo "}"
}
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-keyout "$T/front.key" -out "$T/front.pem" -days 2 \
		-subj /CN=crawl.example -addext subjectAltName=DNS:crawl.example
}
# ---- servers, and what is in front of them ----

"$mkcrawl" --warc --records 40 --hosts 2 --hostile 25 --page-bytes 2000 \
	"$T/crawl" >/dev/null || exit 1
manifest=$T/crawl/manifest.tsv
mkdir "$T/pages"
python3 "$serve_dir/pages_check.py" make "$T/pages" || exit 1
try "a crawl" start_server one --base-url=https://crawl.example/ \
	"$T/crawl/crawl-data"
one=$url
try "another" start_server two --base-url=https://crawl.example/ "$T/pages"
two=$url
try "a certificate" certificate
printf 'reader:%s\n' "$(openssl passwd -apr1 secret)" >"$T/users"
# shellcheck disable=SC2046	# two words
set -- $(free_ports 2)
front_config "$1" "$one" "$2" "$two" >"$T/nginx.conf"
try "all of the manual's names are replaced" not grep \
	-e /etc/ -e 8080 -e 'listen 443' "$T/nginx.conf"
try "nginx takes it" start_front "$2"
export FRONT_CA="$T/front.pem"
front=https://reader:secret@crawl.example:$1/
pages=https://reader:secret@crawl.example:$2/

# ---- through it ----

refused() {	# refused URL PATH...: each is 401, without a byte of the crawl
	PYTHONPATH=$serve_dir python3 - "$@" <<'END'
import sys
import front
for path in sys.argv[2:]:
    c, fields = front.connect(sys.argv[1])
    c.request("GET", path, headers=fields)
    r = c.getresponse()
    if r.status != 401 or b"crawlfs" in r.read():
        sys.exit("%s: %d" % (path, r.status))
END
}
# Holds H9.
try "nothing without a password" refused "https://crawl.example:$1/" / /dav/ \
	/view/ /tree/ /cdx?url=*.com /records/ /metrics /style.css
try "nor with another" refused "https://reader:x@crawl.example:$1/" / /dav/
# Holds H9.
try "the tree is the model's" ask tree "$front" "$manifest" crawl-data
try "ranges, conditions, methods" ask fields "$front" "$manifest" crawl-data
# Holds H9.
try "CDX server" ask cdx "$front" "$manifest" crawl-data
# Holds H9.
try "archives and records" ask records "$front" "$manifest" crawl-data
for what in overview tree page compare search; do
	try "$what" python3 "$serve_dir/pages_check.py" $what "$pages"
done
# which the server is asked for by no other way
try "the server was asked by nginx" test "$(wc -l <"$T/access.log")" -gt 100
try "one ends" stop_server one
try "two ends" stop_server two
finish
