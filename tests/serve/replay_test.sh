#!/bin/sh
# replay_test.sh - programs that replay crawls from crawlfs serve, by what
# crawlfs-deploy(7) says: cdx_toolkit, pywb beside pywb on the archives, and
# replayweb.page, whose pages are seen in headless Chromium.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What comes from registries is installed once a build folder.
. "$CFS_SRCDIR/tests/serve/lib.sh"

browse() { python3 "$serve_dir/replay_browser.py" "$T" "$@"; }
has_browser() { PYTHONPATH=$serve_dir python3 -c 'import browser, sys
sys.exit(browser.find() is None)'; }

python3 "$serve_dir/replay_site.py" "$T" || exit 1
"$mkcrawl" --warc --records 60 --hosts 2 --hostile 0 --page-bytes 2000 \
	"$T/crawl" >/dev/null || exit 1
manifest=$T/crawl/manifest.tsv
try "a made crawl" start_server one "$T/crawl/crawl-data"
made=$url
sites=made
iana=${CFS_DATA:-/nowhere}/warc/pywb/iana.warc.gz
if [ -e "$iana" ]; then
	cp "$iana" "$T/warc/"
	sites="made iana"
else
	skip "a real site: there are no samples"
fi
try "a site" start_server two "$T/warc"
# What copy makes of it: revisits, for programs that replay archives.
without_equal() { "$crawlfs" copy --dedup=revisit --json "$@" >"$T/out"; }
mkdir "$T/copy"
try "a copy without equal captures" without_equal "$T/warc" / \
	-o "$T/copy/copy.warc.gz"
try "which has revisits instead" sh -c '
	[ "$(sed -n "s/.*\"revisits_made\": \([0-9]*\).*/\1/p" "$0")" -ge 3 ]' "$T/out"
try "a WACZ of it" without_equal "$T/wacz" / -o "$T/wacz/copy.wacz"

# ---- cdx_toolkit and pywb ----
find_replay_tools() {
	pip_packages replay cdx_toolkit==0.9.39 pywb==2.10.0 &&
		replay_tools=$pip_folder/bin
}
# Four collections: two by the manual, one of the archives themselves, and one
# of the copy.
pywb_config() {
	from_manual crawlfs-deploy.7 pywb | sed "s|http://127.0.0.1:8080/|$made|"
	from_manual crawlfs-deploy.7 pywb | sed -e '1d; s/crawl:/fromserve:/' \
		-e "s|http://127.0.0.1:8080/|$url|"
	printf '  from%s:\n    index: %s\n    archive_paths: %s/\n' \
		files "$T/pywb/index.cdxj" "$T/warc" \
		copy "$T/pywb/copy.cdxj" "$T/copy"
}
start_pywb() {
	mkdir "$T/pywb"
	pywb_config >"$T/pywb/config.yaml"
	for c in index:warc copy:copy; do
		"$replay_tools/cdx-indexer" --sort --cdxj \
			-o "$T/pywb/${c%:*}.cdxj" "$T/${c#*:}" \
			>"$T/pywb.log" 2>&1 || return 1
	done
	pywb_port=$(free_port)
	cd "$T/pywb" || return 1
	start "$replay_tools/wayback" -p "$pywb_port" >>"$T/pywb.log" 2>&1
	echo "$started" >"$T/pywb.pid"
	cd "$OLDPWD" || return 1
	wait_for listens "$pywb_port"
}
own_index() { "$crawlfs" index -q -o "$T/own.cdxj" "$T/warc"; }
lines() { python3 "$serve_dir/cdx_lines.py" "$@"; }
# Both servers are asked for the same; the iana ones have no rows without it.
same_rows() {
	lines servers "${url}cdx" "http://127.0.0.1:$pywb_port/fromfiles/cdx" \
		url=www.site.example/ 'url=*.site.example' \
		'url=site.example&matchType=host&filter=mime:text/css' \
		'url=site.example/pic/*' 'url=site.example/&from=2021' \
		'url=site.example/&to=2021' 'url=site.example/data.json?x=1' \
		'url=site.example/&closest=20211231' 'url=site.example/none' \
		'url=site.example&matchType=domain&filter=!~mime:image/.*' \
		'url=http://www.site.example/&sort=reverse' \
		'url=iana.org/domains/root/db' 'url=iana.org/domains/root/db/' \
		'url=iana.org/*' 'url=iana.org&matchType=domain&limit=5' \
		'url=iana.org&matchType=domain&filter==status:302' \
		'url=iana.org&matchType=domain&filter=!=mime:warc/revisit' \
		'url=iana.org&matchType=domain&filter=~mime:.*/css' \
		'url=iana.org&matchType=domain&sort=reverse&limit=5'
}
if find_replay_tools; then
	# Holds H6.
	try "cdx_toolkit finds every capture" "$replay_tools/python" \
		"$serve_dir/replay_check.py" toolkit "$made" "$manifest"
	try "pywb starts" start_pywb
	# Holds H6.
	try "pywb replays every page" "$replay_tools/python" \
		"$serve_dir/replay_check.py" pywb \
		"http://127.0.0.1:$pywb_port/crawl" "$manifest"
	try "an index as lines of CDXJ" own_index
	try "whose lines are those of cdx-indexer" lines files cdx-indexer \
		"$T/own.cdxj" "$T/pywb/index.cdxj"
	# Holds H6.
	try "the CDX server has the rows of pywb's" same_rows
	if has_browser; then
		# shellcheck disable=SC2086	# words
		# Holds H6, C33.
		try "pages of pywb, as from the archives themselves" browse pywb \
			"http://127.0.0.1:$pywb_port/" \
			fromfiles,fromserve,fromcopy $sites
	else
		skip "pages of pywb: there is no Chromium"
	fi
else
	skip "cdx_toolkit and pywb: $install_problem"
fi

# ---- replayweb.page ----
# what it is made from is not wanted: two files of the package
find_viewer() {
	viewer=$installed/replayweb/package
	has_program npm || { install_problem="there is no npm"; return 1; }
	install_once replayweb 2.4.6 pack_viewer
}
pack_viewer() {
	cd "$installed/replayweb" &&
		timeout "$INSTALL_SECONDS" npm pack --silent replaywebpage@2.4.6 &&
		tar xzf replaywebpage-*.tgz package/ui.js package/sw.js
}
# viewer_config PORT: the manual's, with places of the test
viewer_config() {
	echo "daemon off; worker_processes 1; pid $T/nginx.pid;"
	echo "error_log $T/nginx.log; user $(id -un); events { }"
	echo "http { access_log $T/access.log; default_type text/html;"
	echo "types { text/javascript js; }"
	nginx_folders "$T/nginx"
	from_manual crawlfs-deploy.7 replayweb |
		sed -e "s|127.0.0.1:8081|127.0.0.1:$1|" \
			-e "s|/srv/replayweb|$T/viewer|" \
			-e "s|http://127.0.0.1:8080;|${url%/};|"
	echo "}"
}
start_viewer() {	# start_viewer PORT
	mkdir -p "$T/viewer/replay"
	cp "$viewer/ui.js" "$T/viewer/"
	cp "$viewer/sw.js" "$T/viewer/replay/"
	for c in index:site copy:copy; do
		from_manual crawlfs-deploy.7 viewer | sed -e "s|NAME|${c#*:}|" \
			-e 's|http://www.example.com/|http://www.site.example/|' \
			>"$T/viewer/${c%:*}.html"
	done
	viewer_config "$1" >"$T/nginx.conf"
	start_front "$1"
}
# From its parts and not as a whole: all answers were ranges.
asked_by_ranges() {
	asked=$(grep -c '"GET /records/site.wacz ' "$T/access.log")
	[ "$asked" -gt 8 ] && same "$asked" "$(grep -c \
		'"GET /records/site.wacz HTTP/1.1" 206 ' "$T/access.log")"
}
if ! has_browser || ! has_program nginx; then
	skip "replayweb.page: there is no Chromium or no nginx"
elif find_viewer; then
	try "a WACZ file" start_server three "$T/wacz"
	viewer_port=$(free_port)
	try "a viewer starts" start_viewer "$viewer_port"
	# Holds H3, C33.
	try "replayweb.page shows a page of it and of the copy; no other origin" \
		browse replayweb "http://127.0.0.1:$viewer_port/" \
		"${url}records/site.wacz" "http://127.0.0.1:$viewer_port/copy.html"
	try "of which it reads ranges only" asked_by_ranges
	try "the third ends" stop_server three
else
	skip "replayweb.page: $install_problem"
fi
try "one ends" stop_server one
try "two ends" stop_server two
finish
