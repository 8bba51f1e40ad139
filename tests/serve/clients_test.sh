#!/bin/sh
# clients_test.sh - crawlfs serve and the programs that it is for: rclone,
# litmus, davfs2, warcio.js, clients of Memento.  replay_test.sh has those that
# replay.
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

# ---- Memento ----
memento() { python3 "$serve_dir/memento_check.py" "$@"; }
memento make "$T/memento.warc.gz"
memento make "$T/odd.warc.gz" "$T/even.warc.gz"
try "it starts with captures of some years" start_server years \
	"$T/memento.warc.gz" --base-url=https://web.archive.org/
if pip_packages memento memento_client==0.6.1 wayback==0.5.1 \
	waybackpy==3.0.6 setuptools==80.9.0; then
	# Holds H20.
	try "memento_client, wayback and waybackpy find the captures" \
		"$pip_folder/bin/python" "$serve_dir/memento_check.py" clients \
		"$url"
else
	skip "clients of Memento: $install_problem"
fi
try "it ends with them" stop_server years
try "it starts with two crawls" start_server both "$T/odd.warc.gz" \
	"$T/even.warc.gz"
# Holds H20.
try "two crawls keep the rules of Memento" memento rules "$url" odd/
try "it ends with two" stop_server both
try "it starts with one crawl" start_server years "$T/memento.warc.gz"
try "one crawl keeps the rules of Memento" memento rules "$url"
try "it ends at last" stop_server years
finish
