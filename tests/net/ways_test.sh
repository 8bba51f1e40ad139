#!/bin/sh
# ways_test.sh - failures met on longer ways: https by a proxy, redirections, S3
# whose keys end in between; at the first read, and where a command goes on.
# WAYS_ALL=1: each fault on each way.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"
has_program openssl || skip_all "there is no openssl"

www=$T/www/b			# a bucket, too
mkdir "$T/www"
"$mkcrawl" --records 60 --hostile 0 --page-bytes 2000 --archive-bytes 60000 --warc "$www" >/dev/null || exit 1
(cd "$www" && "$crawlfs" index -q --no-views -o w.cfx crawl-data) || exit 1
make_certificate || skip_all "no certificate"
cat "$T/server.key" "$T/server.pem" >"$T/both.pem"
export CURL_CA_BUNDLE="$T/ca.pem"
unset SSL_CERT_FILE SSL_CERT_DIR
start_faultd faultd "$T/www" --cert "$T/both.pem" || skip_all "no server"
wait_for grep -q '^https' "$T/faultd.port" || exit 1
server=$port https_port=$(sed -n 's/^https //p' "$T/faultd.port")
start_faultd proxy "$T/www"
proxy=$port
start_faultd front "$T/www"
ctl "$port" rule fault=redirect "value=http://127.0.0.1:$server%p"
front=$port

# what is right
"$crawlfs" export -q --order=index --fields=url,timestamp,text,error "$www/w.cfx" --base="$www" >"$T/rows" || exit 1
start_mount m -o "views=raw,data=$www" "$www/w.cfx" || skip_all "no mounts"
sums() {
	(cd "$T/m" && find . -path ./.crawlfs -prune -o -type f -print | sort | sed -n 'p;n;n' |
		while read -r name; do
			sha1sum "$name" 2>/dev/null || echo "$name: fails"
		done)
}
sums >"$T/want"
stop_mount m
try "there is something" test "$(wc -l <"$T/want")" -gt 10

# Keys by a process: each run of it gives others.
cat >"$T/keys" <<END
#!/bin/sh
echo x >>"$T/runs"
echo '{"Version": 1, "SecretAccessKey": "SECRET",' "\"AccessKeyId\": \"K\$(grep -c . "$T/runs")\"}"
END
chmod +x "$T/keys"
printf '[default]\ncredential_process = %s\n' "$T/keys" >"$T/config"

# take WAY: where the crawl is, by $base, and options for it
take() {
	option= mount_option=
	unset https_proxy
	export AWS_CONFIG_FILE="$T/none"
	case $1 in
	proxy)
		base=https://localhost:$https_port/b
		export https_proxy="http://127.0.0.1:$proxy" ;;
	redirect) base=http://127.0.0.1:$front/b ;;
	s3)
		base=s3://b option=--endpoint=http://127.0.0.1:$server
		mount_option=,${option#--}
		export AWS_CONFIG_FILE="$T/config" ;;
	esac
}
# keys_end: the server takes the first keys for some requests, then the next ones
keys_end() {
	rm -f "$T/runs"
	[ "$way" = s3 ] || return 0
	ctl "$server" rule fault=signed value=K1:SECRET count=3
	ctl "$server" rule fault=signed value=K2:SECRET
}
changed_keys() { [ "$way" != s3 ] || same 2 "$(grep -c . "$T/runs")"; }
export_all() {
	"$crawlfs" export -q --order=index --fields=url,timestamp,text,error --timeout="$1" $option \
		--cache="$T/c.export" --base="$base" -o "$T/out.jsonl" "$base/w.cfx"
}
has_rows() { cat "$T/err"; [ "$1" -eq 0 ] && cmp "$T/out.jsonl" "$T/rows"; }
start() { start_mount m -o "views=raw,cache=$T/c.mount,data=$base,readahead=off,timeout=$1$mount_option" "$base/w.cfx"; }
all_read() { sums >"$T/read" && cmp "$T/read" "$T/want"; }
some_fail() {
	sums >"$T/read"
	same "" "$(grep -v ': fails$' "$T/read" | grep -v -x -F -f "$T/want")" && grep -q ': fails$' "$T/read"
}
begin() { rm -rf "$T"/c.* "$T"/out.*; ctl "$1" clear; }

# passes FAULT VALUE: met at the first reads, by both commands
passes() {
	for command in export mount; do
		begin "$server"
		ctl "$server" rule "fault=$1" "value=$2" skip=2 count=2
		keys_end
		case $command in
		export)
			export_all 60 2>"$T/err"
			# Holds E50, E55, E59.
			try "$way, $1 $2: export" has_rows $? ;;
		mount)
			try "$way, $1 $2: mounts" start 60
			# Holds E50, E55, E59.
			try "$way, $1 $2: mount" all_read
			try "$way, $1 $2: unmount" stop_mount m ;;
		esac
		try "$way, $1 $2: $command: what has ended is got again" changed_keys
	done
}
# stays FAULT VALUE: until the command has failed, which is given again
stays() {
	begin "$server"
	ctl "$server" rule "fault=$1" "value=$2" skip=1 match=warc
	rm -f "$T/runs"
	[ "$way" != s3 ] || ctl "$server" rule fault=signed value=K1:SECRET
	export_all 3 2>"$T/err"
	# Holds E61.
	try "$way, $1 $2, for long: export" same 3 $?
	try "$way, $1 $2, for long: no final name" absent "$T/out.jsonl"
	rm -f "$T/runs"
	try "$way, $1 $2, for long: mounts" start 3
	try "$way, $1 $2, for long: mount" some_fail
	ctl "$server" clear
	[ "$way" != s3 ] || ctl "$server" rule fault=signed value=K2:SECRET
	# Holds E55.
	try "$way, $1 $2, over: the mount goes on" wait_for all_read
	try "$way, $1 $2, over: unmount" stop_mount m
	try "$way, $1 $2, over: what has ended is got again" changed_keys
	[ "$way" != s3 ] || ctl "$server" clear
	export_all 60 2>"$T/err"
	# Holds E61.
	try "$way, $1 $2, over: export" has_rows $?
}
passing='status,503 page,403 page,200 truncate,x reset-body,x'
staying='page,403 page,200 reset,x'
for way in proxy redirect s3; do
	take $way
	case ${WAYS_ALL:-}$way in
	proxy) these='status,503 truncate,x reset-body,x' those=page,403 ;;
	redirect) these='status,503 page,403 page,200' those=page,200 ;;
	s3) these='page,403 truncate,x reset-body,x' those=reset,x ;;
	*) these=$passing those=$staying ;;
	esac
	for how in $these; do
		passes "${how%,*}" "${how#*,}"
	done
	for how in $those; do
		stays "${how%,*}" "${how#*,}"
	done
done

# the proxy itself, whose tunnels break
way=proxy
take proxy
for how in 'status 503' 'reset x' 'cut 9000' 'status 502'; do
	begin "$server"
	ctl "$proxy" clear
	ctl "$proxy" rule "fault=${how% *}" "value=${how#* }" count=2 skip=1
	export_all 60 2>"$T/err"
	# Holds E50.
	try "the proxy, $how: export" has_rows $?
done
finish
