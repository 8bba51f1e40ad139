#!/bin/sh
# errors_test.sh - what fails is in .crawlfs/errors, line by line, and in the log,
# cause by cause.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"
errors() { python3 "$here/errors_check.py" "$@"; }
damage() { python3 "$here/damage.py" "$@"; }
archives() { find "$T/c/crawl-data" -name '*.warc.gz' | sort; }

"$mkcrawl" --warc --bare --records 900 --hostile 15 --page-bytes 1500 \
	--archive-bytes 60000 "$T/c" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/c/i.cfx" "$T/c/crawl-data" || exit 1
manifest=$T/c/manifest.tsv

# ---- nothing has failed ----

try "mounted" start_mount m -o views=raw "$T/c/i.cfx"
try "all can be read" errors read "$T/m" "$T/lost"
try "nothing is listed" errors lines "$manifest" "$T/m" "$T/lost"
try "an empty file" same 0 "$(stat -c %s "$T/m/.crawlfs/errors")"
try "errors is in the folder" same \
	"README.md config errors metrics records search stats url version" \
	"$(ls "$T/m/.crawlfs" | tr '\n' ' ' | sed 's/ $//')"
try "unmounted" stop_mount m

# ---- an archive is away, another damaged ----

away=$(archives | sed -n 2p)
bad=$(archives | sed -n 4p)
mv "$away" "$away.away"
damage at 20000 9000 "$bad" "$bad"
try "mounted without them" start_mount m -o views=raw,missing=ok "$T/c/i.cfx"
try "some are lost" errors read "$T/m" "$T/lost"
# Holds N21.
try "each once" errors lines "$manifest" "$T/m" "$T/lost"
# Holds N22.
try "in the log cause by cause" errors log "$T/m.log" "$T/m"
try "read again, by 8 at a time" errors read "$T/m" "$T/lost" 2 8
# Holds N21.
try "counted, not repeated" errors lines "$manifest" "$T/m" "$T/lost" 17
try "still few lines of the log" errors log "$T/m.log" "$T/m"
plain=$(tr '\0' '\n' <"$T/lost" | LC_ALL=C grep '^[a-z/_.-]*$' | head -n 1)
# Holds N21.
try "the state at opening" errors snapshot "$T/m" "$plain"
try "unmounted" stop_mount m
# Holds N22.
try "the counts are logged at last" grep -q "(.* such failures in all)" "$T/m.log"

# ---- more than is kept ----

mv "$T/c/crawl-data" "$T/c/gone"
mkdir "$T/c/crawl-data"
"$mkcrawl" --warc --bare --records 1300 --hostile 0 --page-bytes 200 \
	"$T/many" >/dev/null || exit 1
"$crawlfs" index -q --no-views -o "$T/many/i.cfx" "$T/many/crawl-data" || exit 1
# all but one
mv "$T/many/crawl-data" "$T/many/gone"
try "mounted" start_mount many -o views=raw,missing=ok "$T/many/i.cfx"
try "all are lost" errors read "$T/many" "$T/lost"
# Holds N21.
try "the last 1,000 are kept" errors last "$T/many" "$T/lost" 1000
try "unmounted" stop_mount many
try "and few lines are logged" same 5 "$(wc -l <"$T/many.log")"

# ---- found when it was indexed ----

index() { "$crawlfs" index -q "$@" 2>/dev/null; }
mkdir "$T/spoilt" "$T/spoilt/parts"
"$mkcrawl" --warc --bare --records 500 --hostile 0 --page-bytes 800 \
	--archive-bytes 40000 "$T/s" >/dev/null || exit 1
find "$T/s/crawl-data" -name '*.warc.gz' -exec cp {} "$T/s" \;
cp "$T/s"/*.warc.gz "$T/spoilt"
cd "$T/spoilt" || exit 1
: >"$T/none"
try "indexed whole" index -o "$T/whole.cfx" --base=. ./*.warc.gz
try "without damage there is no table" errors table "$T/whole.cfx" "$T/none"
errors spoil . >"$T/list"
try "indexed" index -o i.cfx ./*.warc.gz
try "the table has it all" errors table i.cfx "$T/list"
try "on one thread" index -o one.cfx --threads=1 ./*.warc.gz
try "the same index" cmp i.cfx one.cfx
# shellcheck disable=SC2012	# names of mkcrawl's
try "grown" sh -c "ls ./*.warc.gz | tail -n 3 | xargs '$crawlfs' index -q -o grown.cfx &&
	ls ./*.warc.gz | head -n 4 | xargs '$crawlfs' index -q -o grown.cfx grown.cfx &&
	'$crawlfs' index -q -o grown.cfx grown.cfx ./*.warc.gz"
try "the same index" cmp i.cfx grown.cfx
for k in 1 2 3; do index --part=$k/3 -o parts ./*.warc.gz; done
try "of parts" index -o parts.cfx parts
try "the same index" cmp i.cfx parts.cfx
cd / || exit 1
try "mounted" start_mount m -o views=raw "$T/spoilt/i.cfx"
# Holds N25.
try "shown" errors found "$T/m" "$T/list"
try "unmounted" stop_mount m
try "a union" start_mount m --merge "$T/whole.cfx" "$T/spoilt/i.cfx" \
	-o "views=raw,missing=ok"
# Holds N25.
try "shows it" errors found "$T/m" "$T/list"
try "unmounted" stop_mount m
rm -r "$T"/spoilt/*.cfx "$T/spoilt/parts"
try "a folder" start_mount m -o views=raw "$T/spoilt"
try "shows it" errors found "$T/m" "$T/list"
try "unmounted" stop_mount m
try "a folder, again" start_mount m -o "views=raw,from=1999" "$T/spoilt"
try "shows it" errors found "$T/m" "$T/list"
try "unmounted" stop_mount m
# a file that is whole again is no longer listed
bad=$(cut -d' ' -f1 "$T/list" | tail -n 1)
grep -v "^$bad " "$T/list" >"$T/list.2"
try "an index" index -o "$T/spoilt/u.cfx" "$T/spoilt"
cp "$T/s/$bad" "$T/spoilt/$bad"
touch -d 2001-01-01 "$T/spoilt/$bad"
try "updated" index --update -o "$T/spoilt/u.cfx" "$T/spoilt"
# Holds N25.
try "has what is damaged still" errors table "$T/spoilt/u.cfx" "$T/list.2"

# ---- a server that is down ----

is_down() {	# so says each line, of a file and its archive on that server
	python3 - "$T/$1/.crawlfs/errors" "$2" <<'EOT'
import json, sys
lines = [json.loads(x) for x in open(sys.argv[1])]
assert len(lines) >= 20, len(lines)
for x in lines:
    assert x["file"] and x["archive"].endswith(".warc.gz"), x
    assert sys.argv[2] in x["cause"], x
    assert x["error"] in ("io", "timeout"), x
EOT
}
mkdir "$T/www"
mv "$T/many/gone" "$T/www/crawl-data"
cp "$T/many/i.cfx" "$T/www/i.cfx"
if start_faultd www "$T/www"; then
	try "mounted" start_mount far -o views=raw,timeout=2,readahead=off \
		"$url/i.cfx"
	find "$T/far" -type f | sort | head -n 25 >"$T/some"
	stop_server www
	try "none can be read" not xargs -a "$T/some" -d '\n' -P 25 cat
	# Holds N21.
	try "listed with the server's URL" is_down far "$url"
	try "unmounted" stop_mount far
	# what fetches logs it (that an object fails, that the server is down);
	# its readers' failures are counted
	grep "$url" "$T/far.log" | grep -v 'such failures' >"$T/first"
	# Holds N22.
	try "logged as one cause" sh -c "cat '$T/far.log'
		[ \$(wc -l <'$T/first') -le 2 ] && ! grep -v warning '$T/first'"
else
	skip "no server"
fi

finish
