# lib.sh - servers on loopback for the tests of the network; sourced by them.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# On top of tests/mount/lib.sh ($T, try, ok, skip, start_mount, finish, ...):
#
#   start_server NAME COMMAND...           any server that says "port N"; its
#                         URL is then $url (http://127.0.0.1:N), its port $port
#   start_faultd NAME FOLDER [OPTION...]   faultd.py over FOLDER, likewise
#   ctl PORT WORD [name=value...]          talks to it (faultd.py says what)
#   rule WORD...          the only rule of the server at $port from now on
#   counts, requests, bytes_sent           of that one, since the last time
#   has_stalled [N]       so many requests (1) wait there for good
#   start_nginx NAME FOLDER                $http_url, $https_url (HTTP/2), with
#                         the directives of $nginx_extra;
#                         CURL_CA_BUNDLE is exported, the CA is $T/ca.pem
#   start_s3 NAME FOLDER                   s3rver over FOLDER/BUCKET/...;
#                         $url; returns 1 when npm cannot give it
#   stop_server NAME      ends one before the end of the test
#   fetch ARGUMENT...     tests/net/fetch_helper
#   signs_plus            does libcurl sign a '+' in a query? (curl/curl#20543)
#   crawlfs_below URL PATTERN              a crawlfs in $PATH with --base=URL
#
#   stat_of MOUNT WORD    a number of its first source (a.b: of an object)
#   pages_of MOUNT        the pages, not their other views
#   settled MOUNT         nothing that was asked for ahead is still to come
#   ms_of, hidden         that reading ahead hides how late a server answers
#
# Servers end with the test, by their process numbers in $T/servers.

. "$CFS_SRCDIR/tests/mount/lib.sh"

signs_plus() {
	"$crawlfs" version | grep -q ', curl \(7\.\|8\.[0-2]\.\|8\.19\|8\.[2-9][0-9]\|9\)'
}
net=$CFS_SRCDIR/tests/net
mkdir -p "$T/servers"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy \
	AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE \
	AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3 \
	AWS_DEFAULT_PROFILE AWS_ENDPOINT_URL_STS AWS_REQUEST_PAYER \
	AWS_NO_SIGN_REQUEST AWS_WEB_IDENTITY_TOKEN_FILE AWS_ROLE_ARN \
	AWS_CONTAINER_CREDENTIALS_RELATIVE_URI \
	AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_IGNORE_CONFIGURED_ENDPOINT_URLS
export AWS_EC2_METADATA_DISABLED=true
export AWS_SHARED_CREDENTIALS_FILE="$T/none" AWS_CONFIG_FILE="$T/none"

stop_server() {
	[ -e "$T/servers/$1" ] || return 0
	read -r server_pid <"$T/servers/$1"
	kill "$server_pid" 2>/dev/null
	wait_for has_ended "$server_pid" || kill -9 "$server_pid"
	rm -f "$T/servers/$1"
}
net_clean_up() {
	trap - EXIT
	for server in "$T"/servers/*; do
		[ -e "$server" ] || continue
		read -r server_pid <"$server"
		kill "$server_pid" 2>/dev/null
	done
	clean_up
}
trap net_clean_up EXIT

listens_or_ended() { listens "$1" || has_ended "$2"; }
# is_serving NAME PORT: the server of that name listens, and has not ended.
is_serving() {
	read -r server_pid <"$T/servers/$1"
	wait_for listens_or_ended "$2" "$server_pid" && listens "$2"
}
# crawlfs_below URL PATTERN: what is called `crawlfs` from now on gets --base=URL
# where its arguments, with a blank around each, match the pattern of `case`.
crawlfs_below() {
	mkdir -p "$T/bin"
	cat >"$T/bin/crawlfs" <<EOF
#!/bin/sh
case " \$* " in
$2) exec '$crawlfs' "\$@" '--base=$1' ;;
*) exec '$crawlfs' "\$@" ;;
esac
EOF
	chmod +x "$T/bin/crawlfs"
	PATH=$T/bin:$PATH
}
fetch() { "$CFS_BUILDDIR/tests/net/fetch_helper" "$@"; }
ctl() { python3 "$net/faultd.py" ctl "$@"; }

# start_server NAME COMMAND...
start_server() {
	server_name=$1
	shift
	: >"$T/$server_name.port"	# of an earlier one by that name
	"$@" >"$T/$server_name.port" 2>"$T/$server_name.err" &
	echo $! >"$T/servers/$server_name"
	wait_for grep -q '^port' "$T/$server_name.port" || {
		cat "$T/$server_name.err"
		return 1
	}
	port=$(sed -n 's/^port //p' "$T/$server_name.port")
	url=http://127.0.0.1:$port
}
start_faultd() {
	faultd_name=$1
	shift
	start_server "$faultd_name" python3 "$net/faultd.py" serve "$@"
}
rule() { ctl "$port" clear && ctl "$port" rule "$@"; }
counts() { ctl "$port" counts; }
requests() { counts | cut -d' ' -f2; }
has_stalled() { [ "$(ctl "$port" stalls)" -ge "${1:-1}" ]; }
bytes_sent() { counts | cut -d' ' -f4; }

stat_of() {
	python3 - "$T/$1/.crawlfs/stats" "$2" <<'EOF'
import json, sys
source = json.load(open(sys.argv[1]))["sources"][0]
for word in sys.argv[2].split("."):
    source = source[word]
print(source)
EOF
}
settled() { same 0 "$(stat_of "$1" cache.in_flight)"; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }
ms_of() {	# ms_of COMMAND...: sets $ms, how long it took
	ms_from=$(now_ms)
	"$@" || return 1
	ms=$(($(now_ms) - ms_from))
}
# hidden ALONE RATIO MS AGAIN: what took MS milliseconds, and AGAIN when nothing
# had to be fetched, has waited for the server for a part of ALONE at most, the
# time it takes to wait for one answer after the other.  What this machine needs
# for the rest, however busy it is, is in AGAIN.
hidden() {
	echo "$3 ms, $4 ms without fetching; one by one $1 ms"
	[ $((($3 - 2 * $4) * $2)) -le "$1" ]
}
pages_of() { find "$T/$1" -type f ! -name '*.meta' ! -name '*.txt'; }

# A certificate for 127.0.0.1 and localhost, by an authority of our own.
make_certificate() {
	[ ! -e "$T/server.pem" ] || return 0
	(
		cd "$T" || exit 1
		exec >openssl.log 2>&1
		printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\n' >san
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
			-nodes -keyout ca.key -out ca.pem -days 2 \
			-subj '/CN=crawlfs tests' &&
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
			-keyout server.key -out server.csr -subj '/CN=localhost' &&
		openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key \
			-CAcreateserial -out server.pem -days 2 -extfile san
	)
}

start_nginx() {
	has_program nginx || { echo "there is no nginx"; return 1; }
	has_program openssl || { echo "there is no openssl"; return 1; }
	make_certificate || { cat "$T/openssl.log"; return 1; }
	nginx_dir=$T/nginx-$1
	mkdir -p "$nginx_dir"
	http_port=$(free_port) https_port=$(free_port)
	cat >"$nginx_dir/conf" <<EOF
daemon off;
worker_processes 1;
pid $nginx_dir/pid;
error_log $nginx_dir/error.log;
user $(id -un);
events { worker_connections 1024; }
http {
	access_log $nginx_dir/access.log;
	$(nginx_folders "$nginx_dir")
	keepalive_requests 100000;
	http2_max_requests 100000;
	sendfile on;
	server {
		listen 127.0.0.1:$http_port;
		listen 127.0.0.1:$https_port ssl http2;
		ssl_certificate $T/server.pem;
		ssl_certificate_key $T/server.key;
		root $2;
		${nginx_extra:-}
		location /private/ {
			auth_basic "tests";
			auth_basic_user_file $nginx_dir/users;
			alias $2/;
		}
	}
}
EOF
	printf 'reader:{PLAIN}secr@t\n' >"$nginx_dir/users"
	nginx -c "$nginx_dir/conf" -e "$nginx_dir/error.log" \
		>"$nginx_dir/log" 2>&1 &
	echo $! >"$T/servers/$1"
	is_serving "$1" "$http_port" || {
		cat "$nginx_dir/log" "$nginx_dir/error.log"
		return 1
	}
	http_url=http://127.0.0.1:$http_port
	https_url=https://127.0.0.1:$https_port
	export CURL_CA_BUNDLE="$T/ca.pem"
	unset SSL_CERT_FILE SSL_CERT_DIR
}

# It wants the key S3RVER/S3RVER.
start_s3() {
	npm_packages s3rver s3rver@3.7.1 || return 1
	s3_name=$1 s3_folder=$2
	shift 2
	port=$(free_port)
	url=http://127.0.0.1:$port
	node "$net/s3rver.js" "$npm_folder" "$port" "$s3_folder" "$@" \
		>"$T/$s3_name.log" 2>&1 &
	echo $! >"$T/servers/$s3_name"
	is_serving "$s3_name" "$port" || {
		cat "$T/$s3_name.log"
		return 1
	}
}
