#!/bin/sh
# s3_copy_test.sh - crawlfs copy to S3: whole, refused, interrupted, gone on
# with, given up; the bytes are compared with a copy to a file.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

export SOURCE_DATE_EPOCH=1700000000
"$mkcrawl" --records 6000 --warc --bare --level 1 "$T/w" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/w/i.cfx" "$T/w/crawl-data" || exit 1
mkdir "$T/file"
"$crawlfs" copy "$T/w/i.cfx" com org net de -o "$T/file/x.warc.gz" -q || exit 1
"$crawlfs" copy "$T/w/i.cfx" com.a -o "$T/file/small.warc.gz" -q 2>/dev/null ||
	"$crawlfs" copy "$T/w/i.cfx" net -o "$T/file/small.warc.gz" -q || exit 1
bytes=$(wc -c <"$T/file/x.warc.gz")
parts=$(((bytes + 8388607) / 8388608))
echo "# $bytes bytes, $parts parts"
[ "$parts" -ge 3 ] || fail "too few parts to test with"
export AWS_ACCESS_KEY_ID=UPLOADER AWS_SECRET_ACCESS_KEY="s3cr+t/k=y"

start_uploadd() {	# start_uploadd NAME [OPTION...]: a bucket "things"
	uploadd_name=$1 folder=$T/$1.d
	shift
	mkdir -p "$folder/things"
	signs_plus || set -- --no-plus "$@"
	start_server "$uploadd_name" python3 "$net/s3_uploadd.py" "$folder" "$@"
}
signs_plus || skip "uploads with a '+' in their identifiers: this libcurl signs no '+'"
copy() {	# copy KEY [OPTION...]
	key=$1
	shift
	timeout 200 "$crawlfs" copy "$T/w/i.cfx" com org net de -q \
		-o "s3://things/$key" --endpoint="$url" --cache="$T/cache-s3" "$@"
}
# The first record has an identifier that goes by where it is made: without it.
same_but_first() {
	python3 - "$1" "$2" <<'E'
import sys, zlib
rest = []
for name in sys.argv[1:]:
    with open(name, "rb") as f:
        data = f.read()
    d = zlib.decompressobj(31)
    head = d.decompress(data)
    if b"WARC-Filename: " + name.split("/")[-1].encode() not in head:
        sys.exit("the first record names another file")
    rest.append(d.unused_data)
sys.exit(0 if rest[0] == rest[1] and len(rest[0]) > 1000 else "they differ")
E
}
is_there() {
	same_but_first "$folder/things/$1" "$T/file/x.warc.gz" &&
		"$crawlfs" ls "$folder/things/$1.cfx" >"$T/got" &&
		"$crawlfs" ls "$T/file/x.warc.gz.cfx" | cmp - "$T/got"
}
kept() { find "$T/cache-s3/upload" -type f 2>/dev/null | wc -l; }
writes() { grep -c "^PUT .*partNumber" "$folder/_log"; }
answers() { grep -c "$1" "$folder/_log"; }
new_log() { : >"$folder/_log"; }

start_uploadd strict --page 2 || skip_all "no server"

# ---- what is sent ----

try "a copy to S3" status 0 copy x.warc.gz
try "is what a file would be, and its index" is_there x.warc.gz
try "in $parts parts" same "$parts" "$(writes)"
try "nothing is kept here" same 0 "$(kept)"
try "and nothing of it there" absent "$folder/things/x.warc.gz~"
listing() { (cd "$1" && find . -type f ! -name '*.meta' | sort | head -n 200 | xargs -d '\n' sha1sum); }
try "it is mounted from there" start_mount s3 -o "endpoint=$url,cache=$T/c1" s3://things/x.warc.gz.cfx
try "so is the file" start_mount local "$T/file/x.warc.gz.cfx"
listing "$T/local" >"$T/a"
listing "$T/s3" >"$T/b"
try "they are the same" sh -c "[ \$(wc -l <'$T/a') -ge 100 ] && cmp '$T/a' '$T/b'"
try "unmount" stop_mount s3
try "unmount the file" stop_mount local
try "below a folder, with odd letters" status 0 copy "a b/c+d=%/x.warc.gz"
try "is whole" is_there "a b/c+d=%/x.warc.gz"
try "a small one, by one request" status 0 sh -c "'$crawlfs' copy '$T/w/i.cfx' com.a -q -o s3://things/small.warc.gz --endpoint=$url --cache='$T/cache-s3' || '$crawlfs' copy '$T/w/i.cfx' net -q -o s3://things/small.warc.gz --endpoint=$url --cache='$T/cache-s3'"
try "is the same" same_but_first "$folder/things/small.warc.gz" "$T/file/small.warc.gz"

wacz() { timeout 200 "$crawlfs" copy "$T/w/i.cfx" net -q -o "$1" --endpoint="$url" --cache="$T/cache-s3"; }
records_of() {	# without the first
	python3 -c 'import sys, zipfile, zlib
d = zlib.decompressobj(31)
d.decompress(zipfile.ZipFile(sys.argv[1]).read("archive/data.warc.gz"))
sys.stdout.buffer.write(d.unused_data)' "$1"
}
try "a WACZ" status 0 wacz s3://things/x.wacz
try "is what it should be" python3 "$here/copy_wacz_check.py" "$folder/things/x.wacz"
try "and in a file" status 0 wacz "$T/file/x.wacz"
records_of "$folder/things/x.wacz" >"$T/a"
records_of "$T/file/x.wacz" >"$T/b"
try "has the same records" sh -c "[ -s '$T/a' ] && cmp '$T/a' '$T/b'"
try "its index leads into it" sh -c "
	'$crawlfs' cat --endpoint=$url --cache='$T/c6' s3://things/x.wacz.cfx \
		\"\$('$crawlfs' lookup '$T/file/x.wacz.cfx' net --limit=1 |
			sed 's/.*\"path\": \"\([^\"]*\)\".*/\1/')\" >'$T/a'"
try "nothing is kept" same 0 "$(kept)"

# ---- refused ----

try "an object that is there" status 1 copy x.warc.gz
try "is told" complains "exists (--force replaces it)"
echo other >"$folder/things/x.warc.gz"
try "another one of that name, too" status 1 copy x.warc.gz
try "stays" same other "$(cat "$folder/things/x.warc.gz")"
try "--force replaces it" status 0 copy x.warc.gz --force
try "whole" is_there x.warc.gz
try "no such bucket" status 1 timeout 60 "$crawlfs" copy "$T/w/i.cfx" com -q -o s3://nothing/x.warc.gz --endpoint="$url" --cache="$T/c2"
try "is told" complains "NoSuchBucket"
AWS_SECRET_ACCESS_KEY=wrong
try "a wrong secret" status 1 copy y.warc.gz
try "is told" complains "403"
AWS_SECRET_ACCESS_KEY="s3cr+t/k=y"
try "no credentials and no endpoint" status 1 env -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY \
	"$crawlfs" copy "$T/w/i.cfx" com -o s3://things/x.warc.gz --cache="$T/c2"
try "are told" complains "no credentials"
try "another scheme" status 2 "$crawlfs" copy "$T/w/i.cfx" com -o "$url/x.warc.gz"

# ---- no room ----

mkdir "$T/small" "$T/roomy"
mount -t tmpfs -o size=3m,mode=700 none "$T/small"
rm -rf "$folder/things/x.warc.gz"*
new_log
try "no room where it is made" status 1 copy x.warc.gz --cache="$T/small"
try "where and how much is told" complains "'$T/small/upload/.*' has room for [0-9.]* MB, the copy needs [0-9.]* MB"
try "and what to do" complains "tmp names another folder"
try "nothing was begun" same "0 0" "$(grep -c '^PUT\|^POST' "$folder/_log") $(find "$T/small" -name '*.warc.gz' | wc -l)"
try "in another folder" status 0 copy x.warc.gz --cache="$T/small" --tmp="$T/roomy"
try "it is whole" is_there x.warc.gz
try "and nothing is kept" same 0 "$(find "$T/roomy" -type f | wc -l)"
try "no such folder" status 2 copy x.warc.gz --tmp="$T/nowhere"
try "only for S3" status 2 "$crawlfs" copy "$T/w/i.cfx" com -o "$T/x.warc.gz" --tmp="$T/roomy"
umount "$T/small"

# ---- failures that pass ----

for fault in busy spoil late mute; do
	rm -rf "$folder/things/x.warc.gz"*
	[ $fault = mute ] && echo 1 >"$folder/_$fault" || echo 2 >"$folder/_$fault"
	try "$fault: it is sent all the same" status 0 copy x.warc.gz
	try "$fault: whole" is_there x.warc.gz
	try "$fault: it happened" same 0 "$(cat "$folder/_$fault")"
	rm "$folder/_$fault"
done
try "503s were answered" test "$(answers ' 503$')" -ge 2
try "damaged parts were refused" test "$(answers ' 400$')" -ge 2

# ---- the server goes away, and comes back ----

gone_and_back() {	# gone_and_back WHAT PARTS-SENT-AGAIN
	rm -rf "$folder/things/x.warc.gz"*
	echo 2 >"$folder/_gone"
	try "$1: the server goes away" status 1 copy x.warc.gz --timeout=1 -p 1
	try "$1: nothing is there" absent "$folder/things/x.warc.gz"
	try "$1: the copy is kept" test "$(kept)" -ge 3
	rm "$folder/_gone"
	new_log
	try "$1: the same command goes on" status 0 copy x.warc.gz
	try "$1: whole" is_there x.warc.gz
	try "$1: sends $2 parts" same "$2" "$(writes)"
	try "$1: nothing is kept" same 0 "$(kept)"
}
gone_and_back "MD5s" $((parts - 2))
journal() { find "$T/cache-s3/upload" -name 'x.warc.gz.upload'; }

# interrupted between parts; what lies in the cache is damaged meanwhile
interrupt() {
	rm -rf "$folder/things/x.warc.gz"*
	echo 2 >"$folder/_gone"
	copy x.warc.gz --timeout=1 -p 1 >"$T/out" 2>"$T/err"
	rm "$folder/_gone"
	new_log
	[ -s "$(journal)" ]
}
try "stop it once more" interrupt
sed -i '2s/^1 ./1 x/' "$(journal)"
try "a damaged journal: parts are what they are by their MD5" status 0 copy x.warc.gz
try "whole" is_there x.warc.gz
try "sends no part twice" same $((parts - 2)) "$(writes)"
try "stop it" interrupt
sed -i '1s/ [^ ]*$/ no-such-upload/' "$(journal)"
try "an upload the server has forgotten" status 0 copy x.warc.gz
try "is sent anew" same "$parts" "$(writes)"
try "whole" is_there x.warc.gz
try "stop it" interrupt
echo 1 >"$folder/_gone"
rm "$folder/_gone"
# what has been sent is no cache
try "crawlfs cache info names it" sh -c "
	'$crawlfs' cache info --cache='$T/cache-s3' | tee '$T/cache.out'
	grep -E '^ +x.warc.gz: [1-9][0-9]* bytes, last written 20' '$T/cache.out'"
try "and knows its size" same \
	"$(find "$T/cache-s3/upload" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')" \
	"$(sed -n 's/^uploads *\([0-9]*\) bytes.*/\1/p' "$T/cache.out")"
try "crawlfs cache clear says that it leaves it" sh -c "
	'$crawlfs' cache clear --cache='$T/cache-s3' | grep 'bytes of unfinished copies to S3 left'"
try "and leaves it" [ -s "$(journal)" ]
new_log
try "the copy goes on" status 0 copy x.warc.gz
try "by the parts that lacked" same $((parts - 2)) "$(writes)"
try "stop it" interrupt
try "give it up" status 0 "$crawlfs" copy --abort -o s3://things/x.warc.gz --endpoint="$url" --cache="$T/cache-s3"
try "the server has heard" same 1 "$(answers '^DELETE .* 204$')"
try "nothing is kept" same 0 "$(kept)"
try "nothing to give up" status 1 "$crawlfs" copy --abort -o s3://things/x.warc.gz --endpoint="$url" --cache="$T/cache-s3"
try "is told" complains "was begun"

# ---- interrupted, killed ----

all_but_one() { [ "$(writes)" -ge $((parts - 1)) ]; }
start_copy() {	# in the background; it waits for an answer for an hour
	rm -rf "$folder/things/x.warc.gz"*
	new_log
	start "$crawlfs" copy "$T/w/i.cfx" com org net de -q --timeout=3600 \
		-o s3://things/x.warc.gz --endpoint="$url" --cache="$T/cache-s3" \
		-p 4 >"$T/out" 2>"$T/err"
	copier=$started
	wait_for all_but_one
}
for signal in INT KILL; do
	echo 1 >"$folder/_stall"
	try "$signal: it is under way, one part without an answer" start_copy
	kill -$signal $copier
	try "$signal: it ends" wait_for has_ended $copier
	wait $copier
	ended=$?
	[ $signal = KILL ] || try "as interrupted" same 130 $ended
	new_log
	try "$signal: the same command goes on" status 0 copy x.warc.gz
	try "$signal: whole" is_there x.warc.gz
	try "$signal: by the part that lacked" same 1 "$(writes)"
	rm -f "$folder/_stall"
done
echo 1 >"$folder/_stall"
rm -rf "$folder/things/x.warc.gz"*
try "a part without an answer is sent again" status 0 copy x.warc.gz --timeout=3
try "whole" is_there x.warc.gz
try "it had none" same 0 "$(cat "$folder/_stall")"

# ---- other servers ----

start_uploadd opaque --opaque --page 1 --region eu-west-1
export AWS_REGION=eu-west-1
gone_and_back "ETags that are no MD5s" $((parts - 2))
try "stop it" interrupt
sed -i '2s/^1 ./1 x/' "$(journal)"
try "without its line and without an MD5, a part is not believed" status 0 copy x.warc.gz
try "it is sent again" same $((parts - 1)) "$(writes)"
try "whole" is_there x.warc.gz
# a bucket that is elsewhere: the first answer tells where
export AWS_REGION=ap-south-2
rm -rf "$folder/things/x.warc.gz"*
new_log
try "a bucket in another region" status 0 copy x.warc.gz
try "whole" is_there x.warc.gz
try "one request was in vain" same 1 "$(answers ' 400$')"
try "and no part" same "$parts" "$(writes)"
start_uploadd blind --no-list
unset AWS_REGION
gone_and_back "a server without lists" $((parts - 2))
try "stop it" interrupt
sed -i '1s/ [^ ]*$/ no-such-upload/' "$(journal)"
try "an upload that it has forgotten" status 1 copy x.warc.gz
try "is told" complains NoSuchUpload
try "and then sent anew" status 0 copy x.warc.gz
try "whole" is_there x.warc.gz
export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER
mkdir -p "$T/s3/things"
echo none >"$T/s3/things/none"
if start_s3 s3 "$T/s3" && wait_for grep -q ready "$T/s3.log"; then
	try "s3rver: a copy" status 0 copy x.warc.gz
	fetch --endpoint "$url" s3://things/x.warc.gz "0:$((bytes * 2))" >"$T/x.warc.gz"
	try "s3rver: whole" same_but_first "$T/x.warc.gz" "$T/file/x.warc.gz"
	try "s3rver: its index" sh -c "'$crawlfs' ls --cache='$T/c5' --endpoint=$url s3://things/x.warc.gz.cfx | cmp - '$T/got'"
	try "s3rver: is not replaced" status 1 copy x.warc.gz
else
	skip "s3rver: ${install_problem:-$(tail -n 1 "$T/s3.log")}"
fi
finish
