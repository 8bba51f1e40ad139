#!/bin/sh
# cli_test.sh - every command of the program: help, exit statuses, messages,
# and what it does with a small crawl, mounted and not.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no	# what mounts is left out where that cannot be
. "$CFS_SRCDIR/tests/mount/lib.sh"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:exitcode=99"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:exitcode=99"
unset TERM
tools=$here/cli_tools.py
dir=$T

pass() { ok "$1"; }
# failed_with NAME FILE...: what is in the files is shown.
failed_with() {
	fail "$1"
	shift
	for f in "$@"; do
		sed "s|^|    $(basename "$f"): |" "$f" | head -n 10
	done
}

# run ARGUMENT...: the program; output, errors and status for the checks below.
run() {
	"$crawlfs" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
}
# works NAME ARGUMENT...: status 0 and no word on standard error.
works() {
	name=$1
	shift
	run "$@"
	if [ $status -eq 0 ] && [ ! -s "$dir/err" ]; then
		pass "$name"
	else
		echo "status $status" >"$dir/status"
		failed_with "$name" "$dir/status" "$dir/err"
	fi
}
# fails STATUS PATTERN NAME ARGUMENT...: that status, nothing on standard
# output, one line on standard error that begins with the program's name and
# matches.
fails() {
	want=$1 pattern=$2 name=$3
	shift 3
	run "$@"
	if [ $status -eq "$want" ] && [ ! -s "$dir/out" ] &&
	   [ "$(wc -l <"$dir/err")" -eq 1 ] &&
	   grep -q '^crawlfs: ' "$dir/err" &&
	   grep -q -- "$pattern" "$dir/err"; then
		pass "$name"
	else
		echo "status $status, wanted $want; wanted: $pattern" >"$dir/status"
		failed_with "$name" "$dir/status" "$dir/out" "$dir/err"
	fi
}
# says NAME PATTERN: the last output has a line that matches.
says() {
	if grep -q -- "$2" "$dir/out" "$dir/err"; then
		pass "$1"
	else
		failed_with "$1" "$dir/out" "$dir/err"
	fi
}
# is NAME VALUE VALUE: the two are equal.
is() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		printf '%s\n' "got $2, wanted $3" >"$dir/status"
		failed_with "$1" "$dir/status"
	fi
}

# ---- help ---------------------------------------------------------------

commands="mount umount index ls cat lookup path url check verify copy export grep serve mcp cache
	collections version help"
for c in $commands; do
	works "$c --help" "$c" --help
	cp "$dir/out" "$dir/help"
	if head -n 1 "$dir/help" | grep -q "^usage: crawlfs $c" &&
	   grep -q '^Example:$' "$dir/help" &&
	   grep -q -- '--help' "$dir/help" && grep -q "^  crawlfs $c" "$dir/help"; then
		pass "$c: usage, options and an example"
	else
		failed_with "$c: usage, options and an example" "$dir/help"
	fi
	run help "$c"
	cmp -s "$dir/out" "$dir/help" && pass "help $c is $c --help" ||
		failed_with "help $c is $c --help" "$dir/out"
done
works "help" help
for c in $commands; do
	says "help lists $c" "^  $c "
done
works "--help" --help
works "--version" --version
works "version" version
says "version says so" '^crawlfs [0-9]'
says "version names libraries" 'zlib [0-9]'
says "version has zstd" 'WARC (plain, gzip, zstd)'
for what in WACZ SequenceFiles PB-tree 'CDX and CDXJ' ZipNum CSV 'JSON lines' \
	Parquet; do
	says "version has $what" "[ ,]$what\([ ,(;]\|\$\)"
done
says "version has servers" 'https:, s3:'
# every library that is linked
if command -v readelf >/dev/null; then
	for library in $(readelf -d "$crawlfs" |
		sed -n 's/.*NEEDED.*\[lib\([a-zA-Z0-9]*\).*/\1/p'); do
		case $library in
		c|m|dl|pthread|rt|asan|ubsan|gcc|stdc) continue ;;
		cld2) library=CLD2 ;;
		z) library=zlib ;;
		fuse3) library=FUSE ;;
		xxhash) library=xxHash ;;
		brotlidec) library=brotli ;;
		icui18n|icuuc|icudata) library=ICU ;;
		deflate) library=libdeflate ;;
		esac
		says "version names $library" "[ ,]$library[ ,]"
	done
fi
run
is "no command: status 2" $status 2

# ---- wrong arguments ----------------------------------------------------

fails 2 "unknown command 'lss' (did you mean 'ls'?)" "a slip of the fingers" lss
fails 2 "unknown command 'mnt'" "a word that is none" mnt
fails 2 "did you mean 'umount'" "another word for it" unmount
fails 2 "unknown command 'frobnicate'; see 'crawlfs help'" "nothing like a command" frobnicate
fails 2 "unknown command 'frob'" "help for no command" help frob
for c in mount index ls cat lookup path check verify copy export serve; do
	fails 2 "unknown option '--nonesuch'; see 'crawlfs help $c'" \
		"$c --nonesuch" "$c" --nonesuch
	fails 2 "unknown option '-%'" "$c -%" "$c" -%
done
fails 2 "unknown command '--versoin' (did you mean 'version'?)" "a slip in --version" --versoin
fails 2 "unknown option '--veiw=txt' (did you mean '--view'?)" "cat --veiw" cat --veiw=txt x y
fails 2 "unknown option '--strct' (did you mean '--strict'?)" "verify --strct" verify --strct x
fails 2 "unknown option '--port=80' (did you mean '--listen'?)" "serve --port" serve --port=80 x
fails 2 "unknown option '--me=1' (did you mean '--me" "an option cut too short" serve --me=1 x
fails 2 "unknown field 'titel' (did you mean 'title'?)" "export --fields=titel" export --fields=url,titel x
fails 2 "unknown option 'foo';" "a word that is like none" mount -o foo x y
fails 2 "no field is named" "export --fields=" export --fields= x
fails 2 "'8080' is not HOST:PORT" "serve on a bare port" serve --listen=8080 x
for c in ls cat lookup path check verify export serve; do
	fails 2 "no SOURCE is given" "$c without a SOURCE" "$c"
	fails 2 "option '--mem' needs a value" "$c --mem" "$c" --mem
	fails 2 "option '--mem': '7Q' is not a size" "$c --mem=7Q" "$c" --mem=7Q x
	fails 2 "option '--help=1' takes no value" "$c --help=1" "$c" --help=1
done
fails 2 "no URL or TREEPATH" "cat without a URL" cat x
fails 2 "no PREFIX is given ('/' is the whole crawl)" "copy without a PREFIX" copy x -o y.warc.gz
fails 2 "no -o OUTPUT" "copy without an output" copy x com
fails 2 "no URL" "path without a URL" path x
fails 2 "no PATH" "url without a PATH" url
fails 2 "no MOUNTPOINT" "umount without one" umount
fails 2 "no SOURCE is given" "mount without both" mount
fails 2 "no MOUNTPOINT" "mount without one" mount x
fails 2 "no -o FILE" "index without -o" index x
fails 2 "no INPUT" "index without inputs" index -o x
fails 2 "option '--format': unknown value 'x' (cfx|pbtree|zipnum|cdxj)" "index --format=x" index -o x --format=x y
fails 2 "option '--view': unknown view 'frob' (raw" "cat --view=frob" cat --view=frob x y
fails 2 "--markdown goes with neither --no-views" "index --markdown --no-views" \
	index --markdown --no-views -o x.cfx x
fails 2 "--markdown goes with neither --no-views" "index --markdown, CDXJ" \
	index --markdown -o x.cdxj x
fails 2 "option '--views': unknown view 'frob' (raw" "ls --views=frob" ls --views=raw:frob x
fails 2 "option '--limit': '0' is less than 1" "lookup --limit=0" lookup --limit=0 x y
fails 2 "unknown option 'frob=1'" "mount -o frob=1" \
	mount -o ro,frob=1 x y
fails 2 "read-only" "mount -o rw" mount -o rw x y
fails 2 "option 'views': unknown view 'x'" "mount -o views=x" mount -o views=x x y
fails 2 "option 'size': unknown value 'x' (lazy|exact)" "mount -o size=x" mount -o size=x x y
fails 2 "option 'threads': '0' is less than 1" "mount -o threads=0" mount -o threads=0 x y
fails 2 "option 'mem': 'lots' is not a size" "mount -o mem=lots" mount -o mem=lots x y

for o in cache data base; do
	fails 2 "option '--$o': no folder is named" "ls --$o=" ls --$o= x
	fails 2 "option '$o': no folder is named" "mount -o $o=" mount -o $o= x y
	fails 2 "option '--$o': no folder is named" "mount --$o=" mount --$o= x y
done
fails 2 "option '--mem': '1' is less than 1M" "ls --mem=1" ls --mem=1 x
fails 2 "option 'mem': '1' is less than 1M" "mount -o mem=1" mount -o mem=1 x y
# words of -o as long options
fails 2 "option '--cache-size': 'x' is not a size" "mount --cache-size=x" \
	mount --cache-size=x x y
fails 2 "option '--readahead': unknown value 'x'" "mount --readahead=x" \
	mount --readahead=x x y
fails 2 "option '--xattr=1' takes no value" "mount --xattr=1" mount --xattr=1 x y
# one sentence for one fault, however the option is written
fails 2 "option 'xattr=1' takes no value" "mount -o xattr=1" mount -o xattr=1 x y
fails 2 "option 'mem' needs a value" "mount -o mem" mount -o mem x y
fails 2 "option '--threads': '1025' is more than 1024" "mount --threads=1025" \
	mount --threads=1025 x y
fails 2 "option '--timeout': 'x' is not a number of seconds" "ls --timeout=x" \
	ls --timeout=x x
fails 2 "option '--timeout': '90000' is more than 86400" "ls --timeout=90000" \
	ls --timeout=90000 x

# every command: what it takes, its help, its manual and completion
if command -v python3 >/dev/null && command -v bash >/dev/null; then
	PATH=$CFS_BUILDDIR:$PATH python3 "$tools" options "$crawlfs" "$CFS_SRCDIR" >"$dir/out" 2>&1 &&
		pass "options: help, manual and completion agree" ||
		failed_with "options: help, manual and completion agree" "$dir/out"
else
	skip "options: no python3 or no bash"
fi

# ---- failures -----------------------------------------------------------

fails 1 "No such file" "a SOURCE that is not there" ls "$dir/nowhere"
echo "not an archive at all, only some words in a row" >"$dir/words"
fails 1 "$dir/words" "a SOURCE that is no archive" ls "$dir/words"
: >"$dir/empty"
fails 1 "$dir/empty" "an empty SOURCE" ls "$dir/empty"
mkdir "$dir/nothing"
for o in data base; do
	fails 1 "$o: '$dir/nowhere': No such file" "ls --$o of nothing" \
		ls --$o="$dir/nowhere" "$dir/words"
	fails 1 "$o: '$dir/words': Not a directory" "ls --$o of a file" \
		ls --$o="$dir/words" "$dir/words"
done
echo '{' >"$dir/bad.json"
fails 1 "$dir/bad.json: " "a list of crawls that is none" \
	collections --collinfo="$dir/bad.json"
fails 2 "unknown option '--part=1/2'" "a list of crawls has no parts" \
	collections --part=1/2
fails 1 "the port is not" "a port that is none" ls http://127.0.0.1:99999/x
for word in info verify clear; do
	fails 1 "nowhere: No such file" "cache $word of no folder" \
		cache $word --cache="$dir/nowhere"
done
HOME=$dir/nowhere XDG_CACHE_HOME='' "$crawlfs" cache info >"$dir/out" 2>&1
says "without a home: the cache of all" '^folder    /var/cache/crawlfs$'
fails 1 "" "a folder without archives" ls "$dir/nothing"
fails 1 "$dir/nothing: no ARC, WARC" "index of a folder without archives" \
	index -o "$dir/none.cfx" "$dir/nothing"
fails 2 "SOURCE '' has no name" "a SOURCE without a name" ls ""
printf '\211CFW\r\n\032\n' >"$dir/x.cfw"
fails 1 "x.cfw: a list of words: name the index beside it" \
	"a list of words as the SOURCE" ls "$dir/x.cfw"
fails 1 "ftp" "a SOURCE of an unknown scheme" ls ftp://127.0.0.1/x.warc.gz
fails 1 "" "index of nothing" index -o "$dir/none.cfx" "$dir/nothing"
is "index of nothing leaves nothing" "$(ls "$dir" | grep -c none)" 0
fails 1 "No such file" "umount of nothing" umount "$dir/nowhere"
fails 1 "is not a crawlfs mount" "umount of no mount" umount "$dir/nothing"
fails 1 "is not in a crawlfs mount" "url outside of mounts" url "$dir/words"

# ---- a small crawl ------------------------------------------------------

"$mkcrawl" --records 300 --hostile 40 --arc --warc --pbtree "$dir/crawl" \
	>/dev/null || { fail "crawlfs-mkcrawl"; exit 1; }
manifest=$dir/crawl/manifest.tsv
cfx=$dir/crawl/crawl.cfx
pbtree=$dir/crawl/parse-output/url-index.1356128792

sed '1s/\tarchive\t/\tfile\t/' "$manifest" >"$dir/table.tsv"
fails 1 "TSV without the column" "a table is no cluster.idx" ls "$dir/table.tsv"
run index -o "$cfx" "$dir/crawl"
is "index" "$status $(cat "$dir/out")" "0 "
mv "$dir/err" "$dir/out"
says "index: a summary" "crawl.cfx: [0-9]* captures of 2 files"
says "index: bytes a capture" "bytes a capture"
captures=$(sed -n 's/.*: \([0-9]*\) captures of .*/\1/p' "$dir/out")
works "index over an index" index -q -o "$cfx" "$dir/crawl"
[ -s "$dir/out" ] && failed_with "index -q says nothing" "$dir/out" ||
	pass "index -q says nothing"
fails 1 "is not an index (--force replaces it)" "index over something else" \
	index -o "$dir/words" "$dir/crawl"
is "which stays" "$(cut -c1-6 "$dir/words")" "not an"
fails 1 "is a directory" "index over a folder" index -o "$dir/nothing" "$dir/crawl"
cp "$dir/words" "$dir/words.cfx"
works "index --force" index -q --force -o "$dir/words.cfx" "$dir/crawl"
works "ls of what it wrote" ls "$dir/words.cfx"
works "index: a PB-tree" index -q --format=pbtree -o "$dir/crawl/crawl.pb" \
	--base="$dir/crawl/parse-output" "$dir/crawl/parse-output"
works "ls of a PB-tree" ls "$dir/crawl/crawl.pb"
rm "$dir/crawl/crawl.pb"

# a file is what its name says, or is not written
for odd in z.cdx Z.CDX; do
	fails 2 "'$odd': CDX is not written; --format=cdxj .* .cdxj" \
		"index -o $odd" index -o $odd "$dir/crawl"
done
for odd in cluster.idx cluster.loc; do
	fails 2 "'$odd': a ZipNum cluster is a folder, for --format=zipnum" \
		"index -o $odd" index -o $odd "$dir/crawl"
	fails 2 "'$odd': a ZipNum cluster is a folder" "index -o $odd of a cluster" \
		index --format=zipnum -o $odd "$dir/crawl"
done
for odd in z.gz z.warc.gz z.cfx.zst z.zip; do
	fails 2 "'$odd': an index is not a compressed file" "index -o $odd" \
		index -o $odd "$dir/crawl"
done
for odd in z.warc z.arc z.wacz; do
	fails 2 "'$odd': an index is not an archive" "index -o $odd" \
		index -o $odd "$dir/crawl"
done
for odd in z.csv z.jsonl z.parquet; do
	fails 2 "'$odd': an index is not a table" "index -o $odd" \
		index -o $odd "$dir/crawl"
done
for format in pbtree zipnum cdxj; do
	fails 2 "'z.cfx': only a crawlfs index" "index --format=$format -o z.cfx" \
		index --format=$format -o z.cfx "$dir/crawl"
done
fails 2 "'z.cdxj': only lines of CDXJ" "index --format=cfx -o z.cdxj" \
	index --format=cfx -o z.cdxj "$dir/crawl"
is "none of them is there" "$(ls -d z.* Z.* cluster.* 2>/dev/null)" ""
works "index -o z.cdxj" index -q -o "$dir/z.cdxj" "$dir/crawl"
works "index --format=cdxj -o z.cdx" index -q --format=cdxj -o "$dir/z.cdx" \
	"$dir/crawl"
is "writes the same" "$(cksum <"$dir/z.cdxj")" "$(cksum <"$dir/z.cdx")"
if python3 -c 'import json, sys
lines = open(sys.argv[1]).read().splitlines()
assert len(lines) > 5 and lines == sorted(lines)
for line in lines:
    key, time, record = line.split(" ", 2)
    assert ")/" in key and len(time) == 14 and json.loads(record)["url"]' \
	"$dir/z.cdxj" 2>"$dir/err"; then
	pass "which is CDXJ"
else
	failed_with "which is CDXJ" "$dir/err"
fi
mkdir "$dir/zip.gz"
run index -q --format=zipnum -o "$dir/zip.gz" "$dir/crawl"
is "a folder that is there has any name" $status 0

# one is one
echo http://one.example/ >"$dir/urls"
"$CFS_BUILDDIR/crawlfs-mkcrawl" --warc --bare --urls "$dir/urls" "$dir/one" \
	>/dev/null || exit 1
run index -o "$dir/one.cfx" "$dir/one"
is "index of one page" $status 0
says "one is said to be one" ': 1 capture of 1 file$'
printf 'WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n' \
	>"$dir/none.warc"
fails 1 'no page to index in 1 archive$' "no page in one archive" \
	index -q -o "$dir/none.cfx" "$dir/none.warc"
fails 1 'nothing but 1 WARC record: copy to a name' "one record of the other kind" \
	copy -q "$dir/one.cfx" example -o "$dir/one.arc.gz"

warc=$(find "$dir/crawl" -name '*.warc.gz')
mkdir "$dir/cut"
head -c 300000 "$warc" >"$dir/cut/cut.warc.gz"
run index -o "$dir/cut.cfx" "$dir/cut"
is "index of a damaged archive: status 0" $status 0
if grep -q '^crawlfs: .*cut\.warc\.gz: offset [0-9]*: ' "$dir/err"; then
	pass "index of a damaged archive: file and offset are told"
else
	failed_with "index of a damaged archive: file and offset are told" "$dir/err"
fi
says "index of a damaged archive: it is counted" "1 damaged place in 1 file"

# Ctrl-C while indexing: many copies of the archive give it work.
mkdir "$dir/many" "$dir/interrupted"
i=0
while [ $i -lt 60 ]; do
	ln "$warc" "$dir/many/$i.warc.gz"
	i=$((i + 1))
done
start "$crawlfs" index --threads=1 -o "$dir/interrupted/x.cfx" "$dir/many" \
	>"$dir/out" 2>"$dir/err"
is_reading() {
	has_ended $started || find "/proc/$started/fd" -lname "$dir/many/*" | grep -q .
}
wait_for is_reading
kill -INT $started 2>/dev/null
wait $started
status=$?
if [ $status -eq 0 ]; then
	skip "index, interrupted: it was done before the signal came"
else
	is "index, interrupted: status" $status 130
	is "index, interrupted: nothing is left" "$(ls -A "$dir/interrupted")" ""
	is "index, interrupted: says so" "$(tail -n 1 "$dir/err")" "crawlfs: interrupted"
fi
rm -rf "$dir/many"

# ---- ls, cat ------------------------------------------------------------

works "ls" ls "$cfx"
says "ls: a top-level domain" '^[a-z]*/$'
works "ls -l" ls -l "$cfx" /
says "ls -l: modes" '^dr-xr-xr-x '
works "ls -R" ls -R "$cfx"
grep -av '/$' "$dir/out" >"$dir/files"
is "ls -R: three views a capture" "$(wc -l <"$dir/files")" $((3 * captures))
works "ls -aR" ls -aR "$cfx"
is "ls -aR: seven views a capture" \
	"$(grep -avcE '/$|[.](request|metadata)$' "$dir/out")" $((7 * captures))
works "ls -R --views=raw" ls -R --views=raw "$cfx"
grep -av '/$' "$dir/out" >"$dir/raw"
is "ls -R --views=raw: one a capture" "$(wc -l <"$dir/raw")" $captures
is "ls -R: no path twice" "$(sort "$dir/files" | uniq -d | wc -l)" 0
# bytes of every page through the tree, against the manifest
: >"$dir/sums"
xargs -d '\n' -n 50 "$crawlfs" cat "$cfx" <"$dir/raw" >"$dir/all" 2>"$dir/err"
is "cat of every page: status" $? 0
want=$(awk -F'\t' '!/^#/ && $2 != "revisit" { n += $9 } END { print n + 0 }' "$manifest")
if [ "$(wc -c <"$dir/all")" -ge "$want" ]; then
	pass "cat of every page: as many bytes as there are"
else
	wc -c "$dir/all" >"$dir/status"
	failed_with "cat of every page: as many bytes as there are" "$dir/status"
fi
# captures of URLs that occur once, one by one
"$mkcrawl" --records 120 --warc "$dir/one" >/dev/null
manifest1=$dir/one/manifest.tsv
works "index of another" index -q -o "$dir/one.cfx" "$dir/one"
awk -F'\t' '!/^#/ { n[$1]++; line[$1] = $0 }
	END { for (u in n) if (n[u] == 1) print line[u] }' "$manifest1" |
	grep -av '\\x' | LC_ALL=C awk -F'\t' '$2 != "revisit"' | sort | head -n 25 >"$dir/single"
bad=0 good=0
while IFS="$(printf '\t')" read -r url _ _ _ _ _ _ sha1 _; do
	path=$("$crawlfs" path "$dir/one.cfx" "$url") || { bad=$((bad + 1)); continue; }
	a=$("$crawlfs" cat "$dir/one.cfx" "$url" | sha1sum | cut -d' ' -f1)
	b=$("$crawlfs" cat "$dir/one.cfx" "$path" | sha1sum | cut -d' ' -f1)
	if [ "$a" = "$sha1" ] && [ "$b" = "$sha1" ]; then
		good=$((good + 1))
	else
		bad=$((bad + 1))
		echo "$url" >>"$dir/bad"
	fi
done <"$dir/single"
is "cat by URL and by path: the manifest's bytes" "$bad" 0
[ $good -gt 10 ] && pass "on $good pages" || fail "on enough pages"

url=$(sed -n '1s/\t.*//p' "$dir/single")	# host and page are in both crawls
cfx1=$cfx cfx=$dir/one.cfx
for v in raw meta txt headers record; do
	works "cat --view=$v" cat --view=$v "$cfx" "$url"
	cp "$dir/out" "$dir/view.$v"
done
head -c 4 "$dir/view.headers" | grep -q HTTP && pass "headers are headers" ||
	failed_with "headers are headers" "$dir/view.headers"
gzip -dc "$dir/view.record" >"$dir/member" && grep -aqF -- "$url" "$dir/member" &&
	pass "record is the record" || fail "record is the record"
works "ls of a page" ls "$cfx" "$url"
cfx=$cfx1
fails 1 "is not in the index" "ls of a page that is not there" \
	ls "$cfx" http://no.such.host.example/
fails 1 "is not in the tree" "cat of a path that is not there" \
	cat "$cfx" /no/such/path
fails 1 "is a directory" "cat of a directory" cat "$cfx" /
fails 1 "can be many pages" "cat of a domain" cat "$cfx" no.example.host
fails 1 "write http://example.com/a\*" "a star in a domain and a path" ls "$cfx" '*.example.com/a'

# a page of the first crawl for what follows
url=$(awk -F'\t' '!/^#/ && $2 == "response" && $4 == 200 { print $1 }' "$manifest" |
	grep -av '\\x' | grep -a '^http://[a-z.-]*/' | sort | head -n 1)

# ---- targets ------------------------------------------------------------

cat >"$dir/urls" <<'END'
http://example.com/
http://example.com/a
http://example.com/a?q=1
http://example.com/a/b
http://example.com/a/
http://example.com/ab
http://example.com/c/d/e
https://example.com/a
http://example.com:8080/a
http://www.example.com/a
http://example-x.com/a
http://example.com.example.net/a
http://xexample.com/a
http://EXAMPLE.com/A
http://192.0.2.7/x
http://odd.example.org/%41b
http://odd.example.org/?q
http://odd.example.org/.x
http://odd.example.org/z
http://odd.example.org/\xF0\x9F\x98\x80
http://odd.example.org/\xE9
END
"$mkcrawl" --urls "$dir/urls" --arc --pbtree "$dir/t" >/dev/null
works "index of the targets" index -q -o "$dir/t.cfx" "$dir/t"
for t in "$dir/t.cfx" "$dir/t/parse-output/url-index.1356128792"; do
	# hosts in upper case are the same host in a crawlfs index only
	kind=cfx upper=1
	[ "$t" = "$dir/t.cfx" ] || { kind=pbtree upper=0; }
	# covers NUMBER TARGET...
	covers() {
		want=$1
		shift
		run lookup "$t" "$@"
		is "$kind: captures of $*" "$(wc -l <"$dir/out")" "$want"
	}
	covers 6 com.example/a
	covers $((10 + upper)) com.example
	covers $((9 + upper)) com.example/
	covers 2 com.example/a/
	covers 1 com.example/ab
	covers 1 com.example/c
	covers 1 com.example.www
	covers 1 com.example-x
	covers 0 com.exampl
	covers 1 com.example/c/d/
	covers 1 com.example/c/d/e
	# with and without www. and a slash at the end
	covers 5 http://example.com/a
	covers 5 http://example.com/a/
	covers 8 'http://example.com/a*'
	covers 2 'http://example.com/a/*'
	covers $((10 + upper)) 'http://example.com/*'
	covers $((10 + upper)) 'http://example.com*'
	covers 1 'http://example.com/a?*'
	covers 1 com/example/_/c
	covers $((10 + upper)) /com/example
	covers 21 /
	covers 1 'http://odd.example.org/%*'
	covers 1 'http://odd.example.org/?*'
	covers 1 'http://odd.example.org/.*'
	covers 6 org.example
	covers 2 'http://odd.example.org/z' 'http://odd.example.org/.x'
	covers 1 7.2.0.192
done

run lookup --limit=2 "$dir/t.cfx" com.example com.example-x
is "lookup --limit is for each" "$(wc -l <"$dir/out")" 3
fails 1 "is not in the index" "lookup of nothing" lookup "$dir/t.cfx" com.exampl
run lookup "$dir/t.cfx" http://odd.example.org/*
says "lookup: JSON beyond the first plane" '"http://odd.example.org/\\ud83d\\ude00"'
says "lookup: bytes that are not UTF-8" '"http://odd.example.org/%E9"'
says "lookup: a SURT" '^org,example,odd)/%f0%9f%98%80 20[0-9]* {'
fails 1 "the root of the tree has no URL" "url of the root of a source" \
	url "$dir/t.cfx" /
works "check" check "$dir/t.cfx" com.example
says "check: captures" '^captures     11$'
says "check: files" '^files        1$'
says "check: pages" '^pages        [1-9][0-9]*$'
works "check: a list with overlaps" check "$dir/t.cfx" \
	'com.example/a, com.example' com.example-x
says "check: what two cover counts once" '^captures     12$'
arc=$(find "$dir/t" -name '*.arc.gz')
says "check: bytes of the files" "^source       $(wc -c <"$arc") bytes"
says "check: bytes of the records" '^destination  [1-9]'
"$crawlfs" check "$dir/t.cfx" com.nosuch >"$dir/out" 2>"$dir/err"
is "check of nothing fails" $? 1
works "check without the archives" check --data="$dir/nothing" "$dir/t.cfx" com.example
says "check: says that it guesses" '1 file counted as 100 MB each'
works "ls of a beginning" ls "$dir/t.cfx" 'http://example.com/a*'
is "ls of a beginning: names" "$(grep -c '^a' "$dir/out")" "$(wc -l <"$dir/out")"

# ---- exactness, by tools of another kind ---------------------------------

if command -v python3 >/dev/null; then
	for src in "$cfx" "$pbtree"; do
		name=$(basename "$src")
		# Holds N6.
		python3 "$tools" inverse "$crawlfs" "$src" "$manifest" \
			>"$dir/out" 2>&1 && pass "$name: path and url are inverse" ||
			failed_with "$name: path and url are inverse" "$dir/out"
		python3 "$tools" lookup "$crawlfs" "$src" "$manifest" \
			>"$dir/out" 2>&1 && pass "$name: lookup tells the manifest" ||
			failed_with "$name: lookup tells the manifest" "$dir/out"
	done
	printf 'http://evil.example/\\x1b]0;owned\\x07\\x9b31m\n' >"$dir/evil"
	"$mkcrawl" --urls "$dir/evil" --warc --bare "$dir/evil.d" >/dev/null
	python3 "$tools" tty "$crawlfs" ls -R "$dir/evil.d" >"$dir/out" 2>&1
	if grep -q '\\x1B]0;owned\\x07\\x9B31m' "$dir/out" &&
	   ! LC_ALL=C grep -q "$(printf '\033')\]0" "$dir/out"; then
		# Holds L6.
		pass "control bytes do not reach a terminal"
	else
		failed_with "control bytes do not reach a terminal" "$dir/out"
	fi
	"$crawlfs" ls -R "$dir/evil.d" | LC_ALL=C grep -q "$(printf '\033')\]0" &&
		pass "but they do reach a pipe" || fail "but they do reach a pipe"
else
	skip "no python3: path against url, lookup against the manifest, terminals"
fi

# ---- standard output ----------------------------------------------------

if [ -c /dev/full ]; then
	for c in "ls -R $cfx" "help" "lookup $cfx /" "version"; do
		"$crawlfs" $c >/dev/full 2>"$dir/err"
		status=$?
		if [ $status -eq 1 ] && grep -q 'standard output: No space' "$dir/err"; then
			pass "full disk: ${c%% *}"
		else
			failed_with "full disk: ${c%% *}" "$dir/err"
		fi
	done
else
	skip "no /dev/full"
fi
{ "$crawlfs" ls -aR "$cfx" 2>"$dir/err"; echo $? >"$dir/status"; } | head -n 1 >/dev/null
is "closed pipe: status" "$(cat "$dir/status")" 1
is "closed pipe: no words" "$(cat "$dir/err")" ""

# ---- mounts -------------------------------------------------------------

mkdir "$dir/mnt" "$dir/mnt2"
can_mount=yes
if ! [ -r /dev/fuse ] || ! [ -w /dev/fuse ]; then
	can_mount=no
	run mount "$cfx" "$dir/mnt"
	is "no /dev/fuse: status" $status 1
	grep -q 'cannot mount' "$dir/err" && grep -q -- '--device' "$dir/err" &&
		pass "no /dev/fuse: says what to do" ||
		failed_with "no /dev/fuse: says what to do" "$dir/err"
fi

if [ $can_mount = yes ]; then
	fails 1 "there is no such directory" "mount on nothing" mount "$cfx" "$dir/nowhere"
	fails 1 "it is not a directory" "mount on a file" mount "$cfx" "$dir/words"
	fails 1 "it would hide all files" "mount on /" mount "$cfx" /
	[ $status -ne 0 ] || "$crawlfs" umount /
	fails 1 "No such file" "mount of nothing" mount "$dir/nowhere" "$dir/mnt"
	fails 1 "$dir/words" "mount of words" mount "$dir/words" "$dir/mnt"
	fails 1 "data: '$dir/nowhere': No such file" "mount -o data= of nothing" \
		mount -o data="$dir/nowhere" "$cfx" "$dir/mnt"
	# relative paths must survive the daemon's move to /
	(cd "$dir" && "$crawlfs" mount -q crawl/crawl.cfx mnt -o data=crawl,nosuid,nodev,defaults,x-y.z=1) \
		>"$dir/out" 2>"$dir/err"
	is "mount: status" $? 0
	is "mount: no words" "$(cat "$dir/out" "$dir/err")" ""
	grep -q " $dir/mnt fuse.crawlfs ro,nosuid,nodev" /proc/mounts &&
		pass "mount: it is there" || failed_with "mount: it is there" /proc/mounts
	# Holds C7.
	is "the mount lists what ls lists" "$(ls "$dir/mnt")" \
		"$("$crawlfs" ls "$cfx" | sed 's|/$||' | LC_ALL=C sort)"
	path=$("$crawlfs" path "$cfx" "$url")
	# Holds C7.
	is "a page through the mount" "$(sha1sum <"$dir/mnt/$path")" \
		"$("$crawlfs" cat "$cfx" "$url" | sha1sum)"
	is "url of a file" "$("$crawlfs" url "$dir/mnt/$path")" "$url"
	is "url of a view" "$(cd "$dir/mnt" && "$crawlfs" url "$path.meta")" "$url"
	is "urls of several files" "$("$crawlfs" url "$dir/mnt/$path" \
		"$dir/mnt/$path.txt" "$dir/mnt/$path.meta")" "$url
$url
$url"
	is "urls of several, one is gone" "$("$crawlfs" url "$dir/mnt/nowhere" \
		"$dir/mnt/$path" 2>/dev/null; echo $?)" "$url
1"
	is "url of a directory" "$("$crawlfs" url "$dir/mnt/${path%%/_/*}/_")" \
		"$(echo "$url" | sed 's|\(//[^/:]*\).*|\1/|' | tr A-Z a-z)"
	fails 1 "the root of the tree has no URL" "url of the root" url "$dir/mnt"
	if command -v python3 >/dev/null; then
		# Holds N6.
		python3 "$tools" mounted "$crawlfs" "$cfx" "$dir/mnt" "$manifest" \
			>"$dir/out" 2>&1 && pass "url of hostile names in the mount" ||
			failed_with "url of hostile names in the mount" "$dir/out"
	fi
	fails 1 "is mounted there already" "mount on a mount" mount "$cfx" "$dir/mnt"
	if [ "$(id -u)" -eq 0 ]; then
		(cd "$dir/mnt" && exec sleep 1000) &
		sleeper=$!
		is_inside() { [ "$(readlink "/proc/$sleeper/cwd")" = "$dir/mnt" ]; }
		wait_for is_inside
		fails 1 "is in use" "umount while in use" umount "$dir/mnt"
		works "umount -l while in use" umount -l "$dir/mnt"
		kill $sleeper
		wait $sleeper 2>/dev/null
	else
		works "umount" umount "$dir/mnt"
	fi
	wait_for daemon_ended "$dir/mnt" && pass "the process ends" || fail "the process ends"
	fails 1 "is not a crawlfs mount" "umount again" umount "$dir/mnt"

	if mount -t tmpfs none "$dir/mnt2" 2>/dev/null; then
		fails 1 "is not a crawlfs mount" "umount of another's mount" \
			umount "$dir/mnt2"
		umount "$dir/mnt2"
		is "which stays until then" $? 0
	else
		skip "umount of another's mount: cannot mount one"
	fi

	# two sources, indexed on first use, views, foreground
	"$crawlfs" mount -qf -o views=raw "$dir/t/parse-output" "$warc" "$dir/mnt" \
		>"$dir/out" 2>"$dir/err" &
	pid=$!
	wait_for test -e "$dir/mnt/.crawlfs/version"
	is "two sources side by side" "$(ls "$dir/mnt" | head -n 1; ls "$dir/mnt" | wc -l)" \
		"$(basename "$warc" .warc.gz)
2"
	is "views=raw" "$(find "$dir/mnt/parse-output" -name '*.meta' | wc -l)" 0
	is "url of a directory below a source" \
		"$("$crawlfs" url "$dir/mnt/parse-output/com/example/_/c/d")" \
		http://example.com/c/d/
	kill -TERM $pid
	wait $pid
	is "foreground: a signal ends it" $? 0
	is "foreground: and unmounts" "$(ls "$dir/mnt")" ""
	is "foreground: no words" "$(cat "$dir/err")" ""

	# a process that was killed leaves a dead mount
	works "mount once more" mount -q "$cfx" "$dir/mnt"
	pid=$(daemon_of "$dir/mnt")
	if [ -n "$pid" ] && kill -9 $pid && wait_for daemon_ended "$dir/mnt"; then
		run mount "$cfx" "$dir/mnt"
		is "mount over a dead one: status" $status 0
		grep -q 'unmounting a dead crawlfs mount' "$dir/err" &&
			pass "mount over a dead one: a notice" ||
			failed_with "mount over a dead one: a notice" "$dir/err"
		is "mount over a dead one: it works" \
			"$(ls "$dir/mnt" | wc -l)" "$("$crawlfs" ls "$cfx" | wc -l)"
		kill -9 $(daemon_of "$dir/mnt")
		wait_for daemon_ended "$dir/mnt"
		works "umount of a dead one" umount "$dir/mnt"
	else
		skip "a dead mount: its process was not found"
	fi

	# by the name mount(8) calls
	ln -s "$crawlfs" "$dir/mount.crawlfs"
	"$dir/mount.crawlfs" "$cfx" "$dir/mnt2" -n -v -o rw,nosuid,user,_netdev \
		>"$dir/out" 2>"$dir/err"
	is "mount.crawlfs: status" $? 0
	is "mount.crawlfs: no words" "$(cat "$dir/out" "$dir/err")" ""
	works "umount of that" umount "$dir/mnt2"
	"$dir/mount.crawlfs" "$cfx" "$dir/mnt2" -o frob 2>"$dir/err"
	is "mount.crawlfs -o frob" $? 2
	"$dir/mount.crawlfs" -s "$cfx" "$dir/mnt2" -o frob 2>"$dir/err"
	is "mount.crawlfs -s -o frob" $? 0
	works "umount of that too" umount "$dir/mnt2"
	"$dir/mount.crawlfs" -f "$cfx" "$dir/mnt2"
	is "mount.crawlfs -f" $? 0
	is "mount.crawlfs -f mounts nothing" "$(ls "$dir/mnt2")" ""

	# mount(8) itself looks in /sbin: there, but in a name space of our own
	cat >"$dir/fstab.sh" <<'END'
set -e
mount --make-rprivate /
mkdir "$3/up" "$3/work"
mount -t tmpfs none "$3/up"
mkdir "$3/up/u" "$3/up/w"
mount -t overlay -o "lowerdir=/usr/sbin,upperdir=$3/up/u,workdir=$3/up/w" none /usr/sbin
ln -s "$1" /usr/sbin/mount.crawlfs
[ -e /sbin/mount.crawlfs ] || exit 77
mount -t crawlfs "$2" "$3/mnt2"
ls "$3/mnt2" | grep -q . || exit 3
umount "$3/mnt2"
printf '%s %s crawlfs noauto,allow_other,nofail 0 0\n' "$2" "$3/mnt2" >"$3/fstab"
mount --fstab "$3/fstab" "$3/mnt2"
ls "$3/mnt2" | grep -q . || exit 4
umount "$3/mnt2"
END
	if [ "$(id -u)" -ne 0 ]; then
		skip "mount -t crawlfs and fstab: not root"
	elif ! unshare -m sh -c 'mount --make-rprivate / && mkdir "$0/ov" &&
		mount -t tmpfs none "$0/ov" && mkdir "$0/ov/u" "$0/ov/w" &&
		mount -t overlay -o "lowerdir=/usr/sbin,upperdir=$0/ov/u,workdir=$0/ov/w" none /usr/sbin' \
		"$dir" 2>/dev/null; then
		skip "mount -t crawlfs and fstab: no mount name spaces or overlays here"
	else
		unshare -m sh "$dir/fstab.sh" "$crawlfs" "$cfx" "$dir" >"$dir/out" 2>&1
		is "mount -t crawlfs, and from fstab" $? 0
		[ -s "$dir/out" ] && failed_with "without words" "$dir/out"
	fi
else
	skip "no /dev/fuse: mount, umount and url in mounts"
fi

# ---- real files ---------------------------------------------------------

if [ -d "${CFS_DATA:-/nonexistent}/arc" ]; then
	find "$CFS_DATA/arc" "$CFS_DATA/warc" -type f -size -3000k 2>/dev/null |
		sort >"$dir/real"
	bad=0 n=0
	while read -r f; do
		run ls -lR --cache="$dir/cache2" "$f"
		n=$((n + 1))
		case $status in
		0) ;;
		1) [ "$(tail -n 1 "$dir/err" | cut -c1-9)" = "crawlfs: " ] ||
			bad=$((bad + 1)) ;;
		*) bad=$((bad + 1)); echo "$f: $status" ;;
		esac
	done <"$dir/real"
	is "ls -lR of $n real archives: a listing or a message" $bad 0
	works "cat of a real page" cat --cache="$dir/cache2" \
		"$CFS_DATA/arc/CommonCrawlDocumentDownload/record.arc.gz" \
		http://167.86.200.110/Portals/7/PTO/AHS%20PTO%20Minutes%209-2009.doc
	is "54,272 bytes of it" "$(wc -c <"$dir/out")" 54272
else
	skip "no shared data: real archives"
fi

finish
