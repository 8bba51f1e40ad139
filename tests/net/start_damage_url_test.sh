#!/bin/sh
# start_damage_url_test.sh - archives on a server that are damaged at their
# beginning.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

has_program zstd || skip_all "there is no zstd"
export crawlfs XDG_CACHE_HOME="$T/cache"
damage() { python3 "$CFS_SRCDIR/tests/mount/start_damage.py" "$@"; }
mkdir "$T/s"
damage make "$T/s" >"$T/cases" || exit 1
start_faultd server "$T/s" || exit 1
for file in gz-flip/x.warc.gz gz-html/x.warc.gz gz-nuls/x.warc.gz \
	zst-crlf/x.warc.zst dict-html/x.warc.zst plain-log/x.warc \
	plain-page/x.warc plain-cut-100/x.warc arc-filedesc/x.arc \
	gz-strange-name/download.bin; do
	# Holds E30.
	try "${file%/*}: by its URL" damage check "$T/s" "${file%/*}" url \
		"$url/$file"
done
for file in refused-page/x.warc.gz refused-spec/x.warc.gz \
	refused-lz4/x.warc.gz refused-noise/x.warc.gz; do
	try "${file%/*}: one sentence, by its URL" damage refused "$T/s" \
		"${file%/*}" "$url/$file"
done

# a list of archives on a server, whose files nobody has looked at
mkdir "$T/l"
printf '%s\n' gz-flip/x.warc.gz refused-page/x.warc.gz >"$T/l/x.paths"
try "a list" status 0 "$crawlfs" index -q --base="$url" -o "$T/l/i.cfx" "$T/l/x.paths"
try "a list: what is damaged" complains 'gz-flip/x.warc.gz: no record begins here'
try "a list: the same sentence" complains \
	'refused-page/x.warc.gz: a web page (text/html): an error page in place of an archive?'
stop_server server
start_server folders python3 "$net/folderd.py" "$T/s" --ranges || exit 1
try "a web folder" damage check "$T/s" gz-flip url "$url/gz-flip/"
finish
