#!/bin/sh
# webfolder_test.sh - folders of web servers and of S3 as sources.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

# ---- a folder of archives, here and on a server ----

# archive SEED NAME [OPTION...]
archive() {
	archive_seed=$1 archive_name=$2
	shift 2
	"$mkcrawl" --records 25 --seed "$archive_seed" --bare "$@" "$T/made" \
		>/dev/null || exit 1
	mkdir -p "$(dirname "$T/www/$archive_name")"
	mv "$(find "$T/made" -name '*arc.gz')" "$T/www/$archive_name"
	rm -rf "$T/made"
}
archive 1 one.warc.gz --warc
archive 2 'two words+é%41#.warc.gz' --warc
archive 3 2024/05/three.arc.gz --arc
archive 4 2024/05/four.warc.gz --warc
archive 5 a-folder-with-a-name-that-a-listing-does-not-show-whole/five.warc.gz --warc
archive 6 .hidden/six.warc.gz --warc
python3 "$CFS_SRCDIR/tests/make_wacz.py" --host in.wacz "$T/www/2024/seven.wacz" 20 "$T/bodies"
echo words >"$T/www/readme.txt"
mkdir "$T/www/empty"

nginx_extra="
	autoindex on;
	location /json/ { autoindex on; autoindex_format json; alias $T/www/; }
	location /rounded/ { autoindex on; autoindex_exact_size off; alias $T/www/; }
	location /refused/ { autoindex off; alias $T/www/; }
	location /partly/ { autoindex on; alias $T/www/; }
	location /partly/2024/ { return 403; }
	location /packed/ { autoindex on; alias $T/packed/; }"
start_nginx nginx "$T/www" || skip_all "no nginx"
log=$nginx_dir/access.log
forget() { : >"$log"; }
# What the server was asked for since then goes to $T/asked: "PATH STATUS BYTES".
# What is asked for later is logged later.
asked() {
	curl -s "$http_url/readme.txt" >/dev/null &&
		wait_for grep -q readme.txt "$log" || return 1
	sed -n 's/.*"GET \([^ ]*\) HTTP[^"]*" \([0-9]*\) \([0-9]*\) .*/\1 \2 \3/p' "$log" |
		grep -v readme.txt | sort >"$T/asked"
}
# only_pages FOLDER: its pages, and nothing else, once each.
only_pages() {
	asked || return 1
	for page in "" 2024/ 2024/05/ empty/ \
		a-folder-with-a-name-that-a-listing-does-not-show-whole/; do
		echo "$1$page 200"
	done | sort >"$T/wanted"
	cut -d' ' -f1,2 "$T/asked" | diff "$T/wanted" -
}
# only_bytes_of NAME SIZE: beside pages only that file, and not twice.
only_bytes_of() {
	asked || return 1
	grep -v '/ 200 [0-9]*$' "$T/asked" >"$T/files"
	cat "$T/files"
	not grep -v "^/$1 " "$T/files" || return 1
	bytes=$(awk '{ n += $3 } END { print n }' "$T/files")
	[ "$bytes" -ge "$2" ] && [ "$bytes" -le $(($2 + 100)) ]
}
tree() { (cd "$T/$1" && find . -type f -print0 | sort -z | xargs -0 sha1sum); }
same_tree() {
	tree "$1" >"$T/tree"
	[ "$(wc -l <"$T/tree")" -gt 300 ] && cmp "$T/here.tree" "$T/tree"
}

start_mount here "$T/www" || fail "a mount of the folder here"
tree here >"$T/here.tree"
stop_mount here
try "a folder of nginx" start_mount there "$http_url/"
try "has the tree of the folder here" same_tree there
stop_mount there
forget
try "once more" start_mount there "$http_url/"
try "costs its pages" only_pages /
try "and shows the same" same_tree there
stop_mount there

try "without the last slash" same "$("$crawlfs" ls "$http_url/")" "$("$crawlfs" ls "$http_url")"
try "a folder in it, without a slash" status 0 "$crawlfs" ls "$http_url/2024"
try "a file there is one all the same" status 0 "$crawlfs" ls "$http_url/one.warc.gz"
try "one that is no archive" status 1 "$crawlfs" ls "$http_url/readme.txt"
try "is not taken for a folder" complains "readme.txt: .*neither"

# ---- what changes ----

archive 8 2024/05/eight.warc.gz --warc
eight=$(wc -c <"$T/www/2024/05/eight.warc.gz")
forget
try "one more archive" start_mount there "$http_url/"
try "costs its own bytes" only_bytes_of 2024/05/eight.warc.gz "$eight"
start_mount here "$T/www"
tree here >"$T/here.tree"
stop_mount here
try "and is shown" same_tree there
stop_mount there

# ---- all commands ----

first=$("$crawlfs" lookup "$http_url/" example | head -n 1)
of_url=$(echo "$first" | sed 's/.*"url": "\([^"]*\)".*/\1/')
try "lookup" test -n "$of_url"
try "cat" status 0 "$crawlfs" cat "$http_url/" "$of_url"
try "check" status 0 "$crawlfs" check "$http_url/" com
try "copy" status 0 "$crawlfs" copy --skip-other "$http_url/" com -o "$T/copy.warc.gz"
try "index" status 0 "$crawlfs" index -o "$T/web.cfx" "$http_url/"
try "says where its archives are" complains "mount it with -o data=$http_url/"
start_mount there -o data="$http_url/" "$T/web.cfx"
try "it is the same tree" same_tree there
stop_mount there
try "an update" status 0 "$crawlfs" index --update -o "$T/web.cfx" "$http_url/"
try "has nothing to do" grep -q "nothing has changed" "$T/err"
archive 10 2024/ten.warc.gz --warc
forget
try "another one" status 0 "$crawlfs" index --update -o "$T/web.cfx" "$http_url/"
try "reads what is new" only_bytes_of 2024/ten.warc.gz "$(wc -c <"$T/www/2024/ten.warc.gz")"
rm "$T/www/2024/ten.warc.gz"
try "one that is gone" status 0 "$crawlfs" index --update -o "$T/web.cfx" "$http_url/"
start_mount there -o data="$http_url/" "$T/web.cfx"
try "leaves the tree as it was" same_tree there
stop_mount there
cp "$T/web.cfx" "$T/was.cfx"
mv "$T/www" "$T/www.off" && mkdir "$T/www"
try "one of a folder that is empty" status 1 "$crawlfs" index --update -o "$T/web.cfx" "$http_url/"
try "leaves the index alone" cmp "$T/was.cfx" "$T/web.cfx"
rmdir "$T/www" && mv "$T/www.off" "$T/www"

# Archives that are compressed in a WACZ stand by its name in an index, and other
# files between it and them.
mkdir "$T/packed"
for name in a.wacz a.wacz.wacz; do
	python3 "$CFS_SRCDIR/tests/make_wacz.py" --deflate --archives 3 \
		--host "$name.example" "$T/packed/$name" 30 "$T/bodies-$name"
done
for name in 'a.wacz!.warc.gz' 'a.wacz#.warc.gz' a.warc.gz; do
	archive 11 packed.warc.gz --warc
	mv "$T/www/packed.warc.gz" "$T/packed/$name"
done
try "WACZ files with compressed archives" status 0 "$crawlfs" index -o "$T/packed.cfx" "$http_url/packed/"
archive 12 packed.warc.gz --warc
mv "$T/www/packed.warc.gz" "$T/packed/b.warc.gz"
forget
try "an archive more" status 0 "$crawlfs" index --update -o "$T/packed.cfx" "$http_url/packed/"
try "is what is read" only_bytes_of packed/b.warc.gz "$(wc -c <"$T/packed/b.warc.gz")"
try "a new index" status 0 "$crawlfs" index -o "$T/packed2.cfx" "$http_url/packed/"
try "is the same" cmp "$T/packed.cfx" "$T/packed2.cfx"

# ---- other lists of the same ----

# another FOLDER: the same tree, by another page.
another() { start_mount there "$http_url$1" && same_tree there && stop_mount there; }
try "in JSON" another /json/
try "with sizes that are rounded" another /rounded/
forget
try "in JSON once more" start_mount there "$http_url/json/"
try "costs its pages, too" only_pages /json/
stop_mount there
forget
try "with rounded sizes once more" start_mount there "$http_url/rounded/"
try "costs its pages as well" only_pages /rounded/
stop_mount there

# Python's own server lists names only, and knows no ranges
start_server python "$net/folderd.py" "$T/www"
for slash in / ""; do
	try "a server without ranges" status 1 "$crawlfs" ls "$url$slash"
	try "is refused" complains 'range with the whole file'
done
stop_server python
start_server python "$net/folderd.py" "$T/www" --ranges
start_mount there "$url/"
try "a folder of Python's server" same_tree there
stop_mount there
: >"$T/python.err"
try "once more" start_mount there "$url/"
asked_seven() {	# the server may log what it has answered later
	grep -a 'arc.gz\|wacz' "$T/python.err" >"$T/asked"
	same 7 "$(sort -u "$T/asked" | wc -l)"
}
try "asks for 7 archives" wait_for asked_seven
try "a byte of each" not grep -v 'bytes=0-0$' "$T/asked"
stop_mount there
stop_server python

# ---- S3 ----

mkdir -p "$T/s3/things" "$T/s3/none"
plus=+	# in the name of a folder
signs_plus || {
	skip "a prefix with a plus sign: this libcurl signs none"
	plus=
}
cp -r "$T/www" "$T/s3/things/some warcs$plus"
as() { export AWS_ENDPOINT_URL="$url" AWS_ACCESS_KEY_ID="$1" AWS_SECRET_ACCESS_KEY="$2"; }
start_server uploadd python3 "$net/s3_uploadd.py" "$T/s3" --page 3
as UPLOADER s3cr+t/k=y
try "a prefix, page by page" start_mount there "s3://things/some warcs$plus/"
try "has the same tree" same_tree there
stop_mount there
: >"$T/s3/_log"
try "once more" start_mount there "s3://things/some warcs$plus/"
try "costs its pages" not grep -v 'GET /things/?' "$T/s3/_log"
try "3 of them" same 3 "$(wc -l <"$T/s3/_log")"
stop_mount there
touch -d 2020-01-01 "$T/s3/things/some warcs$plus/one.warc.gz"
: >"$T/s3/_log"
try "one of its archives changes" start_mount there "s3://things/some warcs$plus/"
grep -v 'GET /things/?' "$T/s3/_log" >"$T/asked"
try "and is read again" grep -q /one.warc.gz "$T/asked"
try "no other is" not grep -v /one.warc.gz "$T/asked"
stop_mount there
try "a bucket as a whole" status 0 "$crawlfs" ls s3://things/
try "without a slash" status 0 "$crawlfs" ls s3://things
try "a prefix without a slash" status 0 "$crawlfs" ls "s3://things/some warcs$plus"
try "one that is empty" status 1 "$crawlfs" ls s3://none/
try "is told" complains '^crawlfs: s3://none/: .*empty'
try "one that is not there" status 1 "$crawlfs" ls s3://nowhere/
try "is told, too" complains NoSuchBucket
: >"$T/s3/_log"
try "what is no name of one" status 1 "$crawlfs" ls 's3://things?acl=#/'
try "is told as well" complains "no bucket is called 'things?acl=#'"
try "nor one that is too long" status 1 "$crawlfs" ls "s3://$(seq -s x 4000)/"
try "and nothing is asked" same "" "$(cat "$T/s3/_log")"
as UPLOADER wrong
try "a wrong secret" status 1 "$crawlfs" ls s3://things/
try "is refused" complains 'answers 403'
stop_server uploadd
# another server, which says nothing of their states, and lists what it has
mkdir -p "$T/s3/other/$(seq -s / 17)" "$T/s3/other/below"
cp "$T/www/one.warc.gz" "$T/s3/other/$(seq -s / 17)"
cp "$T/www/2024/05/four.warc.gz" "$T/s3/other/below"
cp "$T/www/2024/05/four.warc.gz" "$T/s3/other/a-longer-name.warc.gz"
start_server uploadd python3 "$net/s3_uploadd.py" "$T/s3" --terse --all-keys
as UPLOADER s3cr+t/k=y
: >"$T/s3/_log"
try "objects without states, and other ones" status 0 "$crawlfs" ls s3://other/below/
grep -v 'GET /other/?' "$T/s3/_log" >"$T/asked"
try "the server is asked" grep -q "GET /other/below/four.warc.gz" "$T/asked"
try "but not of what is elsewhere" not grep -v "/other/below/four.warc.gz" "$T/asked"
: >"$T/s3/_log"
try "once more" status 0 "$crawlfs" ls s3://other/below/
grep -v 'GET /other/?' "$T/s3/_log" >"$T/asked"
try "it is asked again, once" same 1 "$(wc -l <"$T/asked")"
try "objects that are too deep" status 0 "$crawlfs" ls s3://other/
try "are left out" complains "warning: s3://other/1/2/.*/17/: left out, .* more than 16 deep"
stop_server uploadd
unset AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
try "Common Crawl's bucket" status 1 "$crawlfs" ls s3://commoncrawl/crawl-data/
try "is not asked without credentials" complains 'with credentials only'
rm "$T/s3/_log"
if start_s3 s3 "$T/s3" && wait_for grep -q ready "$T/s3.log"; then
	as S3RVER S3RVER
	rm -rf "$XDG_CACHE_HOME"
	try "a prefix of s3rver" start_mount there "s3://things/some warcs$plus/"
	try "has the tree, too" same_tree there
	stop_mount there
	unset AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
	stop_server s3
else
	skip "s3rver: ${install_problem:-$(tail -n 1 "$T/s3.log")}"
fi

# ---- pages that list nothing, or too much ----

mkdir "$T/pages"
# page NAME TEXT...: a folder on the server with that page
page() {
	mkdir -p "$T/pages/$1"
	page_name=$1
	shift
	printf '%s' "$*" >"$T/pages/$page_name/index.html"
}
start_faultd pages "$T/pages" || fail "no server"
# refused NAME PATTERN: it is no folder, and one line says so
refused() {
	status 1 timeout 100 "$crawlfs" ls --timeout=3 "$url/$1" || return 1
	grep -v "^crawlfs: warning" "$T/err" >"$T/said"
	cat "$T/said"
	[ "$(wc -l <"$T/said")" -eq 1 ] && grep -q "^crawlfs: $url/$1.*$2" "$T/said"
}
page web '<html><nav><a href="about/">About us</a></nav>Welcome'
try "a web page is no list" refused web/ "or a web page that lists none"
page text 'one.warc.gz'
try "neither is a text" refused text/ "neither HTML nor JSON"
page json '[{"name": "one.warc.gz", '
try "JSON that breaks off" refused json/ "breaks off"
page none '<pre><a href="../">../</a></pre>'
try "an empty folder" refused none/ "an empty folder"
page others '<pre><a href="a.txt">a.txt</a></pre>'
try "a folder of other files" refused others/ "no archive among the 1 other file"
page deep '<pre><a href="sub/">sub/</a></pre>'
page deep/sub '<pre><a href="../">../</a></pre>'
try "empty folders below" refused deep/ "nor in the 1 folder below"
try "nothing at all" refused nowhere/ "not there"
ctl "$port" rule fault=status value=403 match=none
try "what may not be listed" refused none/ "refuses to list"
ctl "$port" clear
ctl "$port" rule fault=status value=500 match=none
try "a server that fails" refused none/ "status 500"
ctl "$port" clear
python3 - "$T/pages" <<'EOF'
import os, sys
def put(name, text):
    os.makedirs(os.path.join(sys.argv[1], name))
    with open(os.path.join(sys.argv[1], name, "index.html"), "w") as f:
        f.write(text)
put("hostile", "<a " * 3500000)
put("huge", "<" + " " * (70 << 20))
put("many", "<pre>" + "".join('<a href="%d.txt">%d.txt</a>  23-Nov-2026 02:53 5\n'
                              % (i, i) for i in range(100000)))
put("wide", "<pre>" + "".join('<a href="%d/">%d/</a>  23-Nov-2026 02:53 -\n'
                              % (i, i) for i in range(10001)))
for n in range(17):
    put("down" + "/x" * n, '<pre><a href="x/">x/</a> 23-Nov-2026 02:53 -\n')
EOF
try "a page that is made to cost time" refused hostile/ "lists none"
try "one that is too long" refused huge/ "more than 64 MiB"
try "100,000 other files" refused many/ "among the 100000 other files"
try "10,001 folders" refused wide/ "more than 10000 folders"
try "folders in folders" refused down/ "nor in the 16 folders below"
try "those too deep are left out" complains "warning: .*x/: left out, .* more than 16 deep"

# ---- names ----

mkdir -p "$T/pages/names/sub"
cp "$T/www/one.warc.gz" "$T/pages/names/a b+&%#é.warc.gz"
cp "$T/www/one.warc.gz" "$T/pages/names/sub/..b.warc.gz"
cp "$T/www/one.warc.gz" "$T/pages/out.warc.gz"
page names "<pre><a href='a%20b+&amp;%25%23%C3%A9.warc.gz'>x</a> 23-Nov-2026 02:53 7
<a href='$url/names/a%20b%2B%26%25%23%c3%a9.warc.gz'>x</a> 23-Nov-2026 02:53 7
<a href='../out.warc.gz'>x</a> <a href='%2e%2e/out.warc.gz'>x</a> <a href='/out.warc.gz'>x</a>
<a href='sub%2F..%2F..%2Fout.warc.gz'>x</a> <a href='?name=x.warc.gz'>x</a>
<a href='http://127.0.0.1:1/names/x.warc.gz'>x</a> <a href='sub/..b.warc.gz'>x</a></pre>"
ctl "$port" log >/dev/null
try "names with escapes, twice, and links that lead out" status 0 "$crawlfs" ls "$url/names/"
ctl "$port" log | sed 's/^[^ ]* [A-Z]* \([^ ]*\) .*/\1/' | sort -u >"$T/asked"
printf '%s\n' /names/ /names/a%20b%2B%26%25%23%C3%A9.warc.gz >"$T/wanted"
try "one archive is read, once" diff "$T/wanted" "$T/asked"

# ---- what is read is not read again ----

batch=$((2 * $(getconf _NPROCESSORS_ONLN))) # archives, of 300 MB as they are listed
mkdir "$T/pages/batches" "$T/local"
"$mkcrawl" --records 20 --seed 9 --bare --warc "$T/made" >/dev/null
for i in $(seq 100 $((100 + 3 * batch - 1))); do
	ln "$(find "$T/made" -name '*arc.gz')" "$T/pages/batches/$i.warc.gz"
	ln "$T/pages/batches/$i.warc.gz" "$T/local/$i.warc.gz"
	echo "<a href='$i.warc.gz'>$i.warc.gz</a> 23-Nov-2026 02:53 300000000"
done >"$T/rows"
page batches "<pre>$(cat "$T/rows")
</pre>"
second=$((100 + batch)) third=$((100 + 2 * batch))
read_archives() { ctl "$port" log | grep -o '/[0-9]*\.warc' | sort -u | tr -d '/.warc'; }
ctl "$port" rule fault=stall match=$second.warc
start "$crawlfs" ls "$url/batches/" 2>"$T/err"
wait_for has_stalled
kill -INT "$started"
try "Ctrl-C in the second batch" ended_with 130 "$started"
ctl "$port" clear
read_archives >/dev/null
ctl "$port" rule fault=stall match=$third.warc
start "$crawlfs" ls "$url/batches/" 2>"$T/err"
wait_for has_stalled
kill -9 "$started"
wait "$started" 2>/dev/null
try "the next one begins with that batch" same $second "$(read_archives | head -n 1)"
ctl "$port" clear
try "killed in the third one, once more" start_mount there "$url/batches/"
try "which is all that is read" same $third "$(read_archives | head -n 1)"
start_mount here "$T/local"
tree here >"$T/here.tree"
tree there >"$T/tree"
try "the tree is that of the folder here" cmp "$T/here.tree" "$T/tree"
stop_mount here
try "it ends well" stop_mount there
ctl "$port" rule fault=status value=500 match=batches/
try "a server that fails from then on" status 0 "$crawlfs" ls --timeout=2 "$url/batches/"
try "costs nothing but a word" complains "batches/: cannot be listed (.*500.*): shown as it was"
ctl "$port" clear

# ---- what is refused is asked for again ----

rm -rf "$XDG_CACHE_HOME"
cp "$T/www/2024/seven.wacz" "$T/pages/batches/099.wacz"
for i in $(seq $batch); do	# none: each batch would begin with them
	echo words >"$T/pages/batches/00$i.wacz"
	echo "<a href='00$i.wacz'>00$i.wacz</a> 23-Nov-2026 02:53 300000000"
done >"$T/nones"
page batches "<pre>$(cat "$T/nones")
<a href='099.wacz'>099.wacz</a> 23-Nov-2026 02:53 300000000
$(cat "$T/rows")
</pre>"
ctl "$port" rule fault=status value=403 match=batches/099
ctl "$port" rule fault=status value=403 match=batches/101
read_archives >/dev/null
# Holds E22.
try "two of the first batch are refused" start_mount there "$url/batches/"
try "all are asked for" same "$(seq 100 $((100 + 3 * batch - 1)))" "$(read_archives)"
tree there >"$T/some.tree"
stop_mount there
read_archives >/dev/null
try "once more" status 0 "$crawlfs" ls "$url/batches/"
try "says so again" complains "099.wacz.*403"
# Holds E22.
try "and asks for these only" same 101 "$(read_archives)"
ctl "$port" clear
try "they are allowed" start_mount there "$url/batches/"
# Holds E22.
try "and read" same 101 "$(read_archives)"
ln "$T/pages/batches/099.wacz" "$T/local"
start_mount here "$T/local"
tree here >"$T/here.tree"
tree there >"$T/tree"
try "the tree is that of the folder here" cmp "$T/here.tree" "$T/tree"
try "and was not" not cmp -s "$T/some.tree" "$T/tree"
stop_mount here
stop_mount there
read_archives >/dev/null
try "nothing is left to ask for" status 0 "$crawlfs" ls "$url/batches/"
try "but the list" same "" "$(read_archives)"
rm "$T/pages/batches"/*.wacz
page batches "<pre>$(cat "$T/rows")
</pre>"
mkdir "$T/pages/indexes"
page indexes '<a href="a.cdx">a.cdx</a> <a href="b.cfx">b.cfx</a>'
try "a folder of indexes" refused indexes/ "a folder of indexes and no archive"
try "one index of each is kept" same 2 "$(find "$XDG_CACHE_HOME" -name '*.cfx' -newer "$T/rows" | wc -l)"
stop_server pages
finish
