#!/bin/sh
# clients_test.sh - crawlfs serve and the programs that it is for: rclone,
# litmus, davfs2, warcio.js.  replay_test.sh has those that replay.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What comes from registries is installed once a build folder.
. "$CFS_SRCDIR/tests/serve/lib.sh"

"$mkcrawl" --warc --records 60 --hosts 2 --hostile 0 --page-bytes 2000 \
	"$T/crawl" >/dev/null || exit 1
manifest=$T/crawl/manifest.tsv
try "it starts" start_server one "$T/crawl/crawl-data"

# ---- rclone: copies the tree, and compares sizes by itself ----
copies() {
	rclone --config /dev/null copy --retries 1 \
		":webdav,url='${url}dav/':" "$T/copied" &&
		ask copied "$T/copied" "$manifest" crawl-data
}
if has_program rclone; then
	# Holds H1.
	try "rclone copies the model's tree" copies
else
	skip "rclone: it is not installed"
fi

# ---- litmus: what it tests without writing ----
start_litmus() {
	start python3 "$serve_dir/litmus_front.py" "$url" >"$T/front.out"
	echo "$started" >"$T/front.pid"
	wait_for test -s "$T/front.out"
}
litmus_passes() {	# litmus_passes NAME
	grep -A 1 "\. $1\.\.\." "$T/litmus.out" | grep -q 'pass'
}
if has_program litmus; then
	try "litmus has a folder" start_litmus
	TESTS="basic props http" litmus -k "$(cat "$T/front.out")" \
		>"$T/litmus.out" 2>&1
	for one in options propfind_invalid propfind_invalid2 propfind_d0 \
		propextended propwformed expect100; do
		try "litmus: $one" litmus_passes "$one"
	done
else
	skip "litmus: it is not installed"
fi

# ---- davfs2 ----
if has_davfs; then
	try "davfs2 mounts" davfs "${url}dav/" "$T/dav"
	try "davfs2 shows the model's tree" ask copied "$T/dav" "$manifest" \
		crawl-data
	try "davfs2 ends" undavfs "$T/dav"
else
	skip "davfs2: it is not installed, or cannot mount here"
fi

# ---- warcio.js ----
if find_warcio_js; then
	cp "$serve_dir/warcio_check.mjs" "$npm_folder/"
	try "warcio.js reads every record" node "$npm_folder/warcio_check.mjs" \
		"$url" "$manifest" crawl-data
else
	skip "warcio.js: $install_problem"
fi
try "it ends" stop_server one
finish
