#!/bin/sh
# payer_test.sh - buckets whose reader pays: each request for them says so, for
# lists, mounts, copies and uploads, and no other request does.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The server of the bucket refuses what does not say so, or is not signed with it;
# the others refuse what does.
. "$CFS_SRCDIR/tests/net/lib.sh"

export SOURCE_DATE_EPOCH=1700000000
"$mkcrawl" --records 6000 --warc --bare --level 1 "$T/w" >/dev/null || exit 1
"$mkcrawl" --records 40 --hostile 0 --warc --bare --page-bytes 500 --seed 3 \
	--archive-bytes 9000 "$T/small" \
	>/dev/null || exit 1
paid=$T/paid.d free=$T/free.d
mkdir -p "$paid/b/crawl" "$paid/things" "$free/s3/b"
n=0
for file in $(find "$T/small/crawl-data" -name '*.warc.gz' | sort); do
	n=$((n + 1))
	cp "$file" "$paid/b/crawl/$n.warc.gz"
done
cp "$paid/b/crawl/1.warc.gz" "$free/s3/b/1.warc.gz"
(cd "$paid/b/crawl" && "$crawlfs" index -q -o i.cfx ./*.warc.gz) || exit 1
cp "$paid/b/crawl/i.cfx" "$T/i.cfx"
rm "$paid/b/crawl/i.cfx"
printf '%s\n' '{"payer": "", "give": "UPLOADER:s3cr+t/k=y:", "token": ""}' >"$free/rules"
start_server free python3 "$net/s3_keysd.py" "$free" || skip_all "no server"
free_url=$url
start_server paid python3 "$net/s3_uploadd.py" "$paid" --payer --page 1 \
	$(signs_plus || echo --no-plus) ||
	skip_all "no server"
paid_url=$url
export AWS_ACCESS_KEY_ID=UPLOADER AWS_SECRET_ACCESS_KEY="s3cr+t/k=y"
export AWS_ENDPOINT_URL_S3="$paid_url" AWS_REGION=us-east-1

new_log() { : >"$paid/_log"; }
refusals() { grep -c ' 403$' "$paid/_log"; }
# all_paid WORD...: requests of these kinds came, and none was refused
all_paid() {
	for word; do
		grep -q "^$word" "$paid/_log" || { echo "no $word"; cat "$paid/_log"; return 1; }
	done
	same 0 "$(refusals)"
}
fresh() { rm -rf "$T/cache/crawlfs"; new_log; }
bodies() { (cd "$1" && find . -type f ! -name '*.meta' | sort | xargs -d '\n' sha1sum); }

# ---- without the option, nothing ----

fresh
try "refused without it" status 1 "$crawlfs" ls s3://b/crawl/
try "by the server" not same 0 "$(refusals)"

# ---- lists ----

fresh
"$crawlfs" ls "$T/i.cfx" >"$T/want"
try "a folder of a bucket" status 0 "$crawlfs" ls --request-payer s3://b/crawl/
try "its tree" cmp "$T/out" "$T/want"
try "lists and archives: all paid" all_paid "GET /b/?encoding-type" "GET /b/crawl/1.warc.gz"
try "lists of several pages" test "$(grep -c 'continuation-token\|start-after' "$paid/_log")" -gt 0
fresh
try "index" status 0 "$crawlfs" index -q --requester-pays -o "$T/x.cfx" s3://b/crawl/
try "index: all paid" all_paid "GET /b/?encoding-type" "GET /b/crawl/1.warc.gz"

# ---- mounts ----

fresh
try "mounted from here" start_mount here -o views=raw "$T/i.cfx" -o data="$paid/b/crawl"
bodies "$T/here" >"$T/want.sums"
try "ended" stop_mount here
fresh
try "mounted" start_mount m -o request_payer,views=raw s3://b/crawl/
new_log
bodies "$T/m" >"$T/got.sums"
try "its bytes" cmp "$T/got.sums" "$T/want.sums"
try "mount: none refused" same 0 "$(refusals)"
try "ended" stop_mount m
fresh
try "an index here, archives there" start_mount m \
	-o request_payer=requester,views=raw,data=s3://b/crawl/,cache_size=0 "$T/i.cfx"
bodies "$T/m" >"$T/got.sums"
try "its bytes" cmp "$T/got.sums" "$T/want.sums"
try "archives: all paid" all_paid "GET /b/crawl/1.warc.gz"
try "ended" stop_mount m

# ---- other servers are not told ----

fresh
mkdir -p "$T/two"
try "a second source, of a server by HTTP" start_mount two -o request_payer,views=raw \
	"s3://b/crawl/" "$free_url/b/1.warc.gz"
: >"$free/log"
try "both are read" test "$(find "$T/two" -type f ! -path '*/.crawlfs/*' -exec cat {} + | wc -c)" -gt 1000
try "ended" stop_mount two
fresh
rm -rf "$T/cache"
try "alone, too" status 0 "$crawlfs" ls --request-payer "$free_url/b/1.warc.gz"
try "which was asked" grep -q "GET /b/1.warc.gz" "$free/log"
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
fresh
try "a server of credentials" status 0 env \
	AWS_CONTAINER_CREDENTIALS_FULL_URI="$free_url/container" \
	"$crawlfs" ls --request-payer s3://b/crawl/
try "which was asked" grep -q "GET /container" "$free/log"
try "all of S3 paid" all_paid "GET /b/?encoding-type"
export AWS_ACCESS_KEY_ID=UPLOADER AWS_SECRET_ACCESS_KEY="s3cr+t/k=y"

# ---- copies and uploads ----

fresh
try "a copy from there" status 0 "$crawlfs" copy -q --request-payer \
	--data=s3://b/crawl/ -o "$T/c.warc.gz" "$T/i.cfx" /
try "copy: all paid" all_paid "GET /b/crawl/1.warc.gz"
try "is that from here" "$crawlfs" copy -q --data="$paid/b/crawl" -o "$T/d.warc.gz" \
	"$T/i.cfx" /
try "record for record" same "$("$crawlfs" lookup "$T/c.warc.gz.cfx" / | sed 's/"offset.*//')" \
	"$("$crawlfs" lookup "$T/d.warc.gz.cfx" / | sed 's/"offset.*//')"
"$crawlfs" index -q -o "$T/w/i.cfx" "$T/w/crawl-data" || exit 1
fresh
try "an upload without it is refused" status 1 timeout 200 "$crawlfs" copy -q \
	-o s3://things/x.warc.gz "$T/w/i.cfx" com org net de
fresh
try "an upload" status 0 timeout 200 "$crawlfs" copy -q --request-payer --force \
	-o s3://things/x.warc.gz "$T/w/i.cfx" com org net de
try "begun, parts, completed: all paid" all_paid "POST /things/x.warc.gz?uploads" \
	"PUT /things/x.warc.gz?partNumber" "POST /things/x.warc.gz?uploadId" \
	"PUT /things/x.warc.gz.cfx"
# one that is begun, and given up
echo 1 >"$paid/_gone"
new_log
timeout 60 "$crawlfs" copy -q --request-payer --timeout=2 -o s3://things/y.warc.gz \
	"$T/w/i.cfx" com org net de 2>"$T/err" && fail "an upload that ends"
rm "$paid/_gone"
try "given up" status 0 "$crawlfs" copy --abort --request-payer -o s3://things/y.warc.gz
try "which is paid, too" all_paid "DELETE /things/y.warc.gz?uploadId"

finish
