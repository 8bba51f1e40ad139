# lib.sh - what the tests of crawlfs serve share; sourced by them.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=${NEED_MOUNT:-no}
. "$CFS_SRCDIR/tests/mount/lib.sh"
serve_dir=$CFS_SRCDIR/tests/serve
ask() { python3 "$serve_dir/serve_check.py" "$@"; }

server_answers() { grep -q '^serving on' "$T/$1.out"; }
answers_or_ended() { server_answers "$1" || has_ended "$2"; }
# start_server NAME ARGUMENT...: on a free port; its URL in $url.
start_server() {
	server_name=$1
	shift
	start "$crawlfs" serve --listen=127.0.0.1:0 "$@" >"$T/$server_name.out" \
		2>"$T/$server_name.log"
	echo "$started" >"$T/$server_name.pid"
	wait_for answers_or_ended "$server_name" "$started"
	server_answers "$server_name" || { cat "$T/$server_name.log"; return 1; }
	url=$(sed -n 's/^serving on //p' "$T/$server_name.out")
}
# stop_server NAME [SIGNAL]: it ends by itself, with status 0; else what it said
# is shown.
stop_server() {
	{ kill "-${2:-TERM}" "$(cat "$T/$1.pid")" &&
		ended_with 0 "$(cat "$T/$1.pid")" && no_report "$1"; } ||
		{ head -n 80 "$T/$1.log"; return 1; }
}
# davfs2, with what crawlfs-deploy(7) says of it
has_davfs() {
	has_program mount.davfs && [ "$(id -u)" = 0 ] && [ -e /dev/fuse ]
}
davfs() {	# davfs URL FOLDER
	mkdir -p "$2"
	{ sed -n 's/^\.Ql \(buf_size [0-9]*\)$/\1/p' \
		"$CFS_SRCDIR/man/crawlfs-deploy.7"
	echo "ask_auth 0"
	echo "use_locks 0"; } >"$T/davfs.conf"
	mount.davfs -o "ro,conf=$T/davfs.conf" "$1" "$2" </dev/null && ls "$2"
}
undavfs() { umount "$1" || umount -l "$1"; }

front_answers() { has_ended "$front_pid" || listens "$1"; }
# start_front PORT: nginx, by $T/nginx.conf
start_front() {
	mkdir "$T/nginx"
	start nginx -c "$T/nginx.conf" -e "$T/nginx.log" >"$T/nginx.out" 2>&1
	front_pid=$started
	echo "$front_pid" >"$T/nginx_front.pid"
	wait_for front_answers "$1"
	listens "$1" || { cat "$T/nginx.out" "$T/nginx.log"; return 1; }
}
# find_axe: $axe is axe-core, for a Chromium; 1: $install_problem says why not.
find_axe() {
	install_problem="there is no Chromium"
	for chromium in chromium chromium-browser google-chrome none; do
		has_program "$chromium" && break
	done
	[ "$chromium" != none ] || return 1
	npm_packages axe axe-core@4.10.2 &&
		axe=$npm_folder/node_modules/axe-core/axe.min.js
}
end_servers() {
	for server_pid in "$T"/*.pid; do
		[ -e "$server_pid" ] && kill "$(cat "$server_pid")" 2>/dev/null
	done
}
trap 'end_servers; clean_up' EXIT

has_serve() { "$crawlfs" version | grep -q '[ ,]microhttpd '; }
has_serve || skip_all "crawlfs was built without libmicrohttpd"
