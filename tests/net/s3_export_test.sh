#!/bin/sh
# s3_export_test.sh - crawlfs export to S3: an object, a folder of objects; what
# is refused, and what is left when the server fails in the middle.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

"$mkcrawl" --records 300 --warc --page-bytes 900 "$T/w" >/dev/null || exit 1
"$crawlfs" export "$T/w" -q >"$T/whole" || exit 1
"$mkcrawl" --records 3000 --warc --page-bytes 9000 --seed 3 "$T/l" >/dev/null || exit 1
"$crawlfs" export "$T/l" -q --fields=url,html >"$T/large" || exit 1
export AWS_ACCESS_KEY_ID=UPLOADER AWS_SECRET_ACCESS_KEY="s3cr+t/k=y"
folder=$T/up.d
mkdir -p "$folder/things"
plus=
signs_plus || plus=--no-plus
start_server up python3 "$net/s3_uploadd.py" "$folder" $plus || skip_all "no server"
export_to() {	# export_to KEY [OPTION...]
	key=$1
	shift
	timeout 200 "$crawlfs" export "$T/w" -q -o "s3://things/$key" \
		--endpoint="$url" --cache="$T/cache" "$@"
}
kept() { find "$T/cache/upload" -mindepth 1 2>/dev/null | wc -l; }
names() { (cd "$folder/things/$1" && find . -type f | sort | sed 's,^\./,,' | paste -sd' '); }

# ---- an object ----

# Holds R23.
try "an object" status 0 export_to x.jsonl
try "is what a file would be" cmp "$folder/things/x.jsonl" "$T/whole"
try "nothing is kept here" same 0 "$(kept)"
try "one that is there" status 3 export_to x.jsonl
try "is told" complains "exists (--force replaces it)"
try "--force" status 0 export_to x.jsonl --force --fields=url
try "replaces it" same 300 "$(grep -c . "$folder/things/x.jsonl")"
try "no rows" status 0 export_to none.jsonl com.no-such
try "make an empty object" test -e "$folder/things/none.jsonl" -a ! -s "$folder/things/none.jsonl"
try "--tmp names another folder" status 0 export_to t.jsonl --tmp="$T/tmp"
try "--tmp of a file" status 2 timeout 60 "$crawlfs" export "$T/w" -o "$T/x.jsonl" --tmp="$T/tmp"
try "a bucket that is not there" status 3 timeout 60 "$crawlfs" export "$T/w" -q \
	-o s3://nothing/x.jsonl --endpoint="$url" --cache="$T/cache2"

# ---- a folder ----

try "a folder" status 0 export_to rows/ --format=jsonl --file-size=20K
try "has the rows" sh -c 'cat "$1"/part-* | cmp - "$2"' - "$folder/things/rows" "$T/whole"
several() { [ "$(ls "$folder/things/rows" | wc -l)" -gt 5 ]; }
try "in files" several
try "and _SUCCESS" test -s "$folder/things/rows/_SUCCESS"
try "nothing is kept here" same 0 "$(kept)"
try "one that is there" status 3 export_to rows/ --format=jsonl
try "is told" complains "has objects already"
try "compressed" status 0 export_to z/ --format=jsonl.gz
zipped() { zcat "$folder/things/z/part-00000.jsonl.gz" | cmp - "$T/whole"; }
try "is the same" zipped
try "--force, which would have to remove objects" status 2 export_to q/ \
	--format=jsonl --force
try "the same folder, --skip-complete" status 0 export_to rows/ --format=jsonl \
	--file-size=20K --skip-complete
try "nothing is kept here" same 0 "$(kept)"
try "another's, --skip-complete" status 3 export_to rows/ --format=jsonl \
	--file-size=30K --skip-complete
try "is told" complains "is complete, by another command: choose another"
try "a new one, --skip-complete" status 0 export_to new/ --format=jsonl \
	--file-size=20K --skip-complete
try "has the rows" sh -c 'cat "$1"/part-* | cmp - "$2"' - "$folder/things/new" \
	"$T/whole"
# once OPTION...: y.jsonl, with --skip-complete, by few requests that write
once() { : >"$folder/_log" && export_to y.jsonl --skip-complete "$@"; }
sends_nothing() { ! grep -E '^(PUT|POST)' "$folder/_log"; }
# Holds R23.
try "an object, --skip-complete" status 0 once
try "which is new" cmp "$folder/things/y.jsonl" "$T/whole"
try "the same again" status 0 once
# Holds R23.
try "sends nothing" sends_nothing
try "nothing is kept here" same 0 "$(kept)"
try "says so in JSON" same true "$(export_to y.jsonl --skip-complete --json | jq .skipped)"
try "another command's" status 3 once --fields=url
try "is told" complains "exists, and another command has made it (--force"
try "and stays" cmp "$folder/things/y.jsonl" "$T/whole"
try "--force" status 0 once --fields=url --force
try "replaces it" same 300 "$(grep -c . "$folder/things/y.jsonl")"
try "then it is that command's" status 0 once --fields=url
try "without another transfer" sends_nothing
printf 'mine\n' >"$folder/things/mine.jsonl"
try "what somebody else has put there" status 3 export_to mine.jsonl --skip-complete
try "is told" complains "nothing says which command has made it"
try "and stays" same mine "$(cat "$folder/things/mine.jsonl")"
in_parts() {
	timeout 200 "$crawlfs" export "$T/l" -q --fields=url,html -o s3://things/parts.jsonl \
		--endpoint="$url" --cache="$T/cache" --skip-complete
}
: >"$folder/_log"
try "one that is sent in parts" status 0 in_parts
try "indeed" grep -q '^PUT .*partNumber=2' "$folder/_log"
: >"$folder/_log"
try "again" status 0 in_parts
try "sends nothing" sends_nothing

# ---- a folder that three processes write ----

part_to() { export_to parts/ --format=jsonl --file-size=20K --part="$1/3" ${2:+"$2"}; }
try "the third of three" status 0 part_to 3
try "the first" status 0 part_to 1
try "is not the whole" absent "$folder/things/parts/_SUCCESS"
try "a part of another division" status 3 export_to parts/ --format=jsonl \
	--part=1/2
try "is told" complains "has objects already"
try "the first again, --skip-complete" status 0 part_to 1 --skip-complete
try "the second" status 0 part_to 2
try "completes the whole" test -s "$folder/things/parts/_SUCCESS"
parts_are_rows() {
	for k in 1 2 3; do
		"$crawlfs" export -q --part=$k/3 "$T/w" || return
	done >"$T/parts.rows"
	cat "$folder/things/parts/"part-* | cmp - "$T/parts.rows" && [ -s "$T/parts.rows" ]
}
try "with the rows of all parts" parts_are_rows
try "nothing is kept here" same 0 "$(kept)"
both_at_once() {
	part_to_two() { export_to two/ --format=jsonl.gz --part="$1/2"; }
	part_to_two 1 &
	part_to_two 2 && wait $! && [ -s "$folder/things/two/_SUCCESS" ] &&
		zcat "$folder/things/two/"part-*.gz | sort >"$T/two" &&
		sort "$T/whole" | cmp - "$T/two"
}
try "two at once, of this machine" both_at_once

# ---- a server that fails in the middle ----

large() {
	timeout 200 "$crawlfs" export "$T/l" -q --fields=url,html -o "s3://things/$1" \
		--format=jsonl --file-size=9M --endpoint="$url" --cache="$T/cache" --timeout=2
}
fails_and_resumes() {
	echo 1 >"$folder/_gone"
	status 3 large big/ || return
	complains "the same command resumes the export" || return
	absent "$folder/things/big/_SUCCESS" || return
	rm -f "$folder/_gone"
	status 0 large big/ && cat "$folder/things/big/"part-* | cmp - "$T/large"
}
try "a server that is gone, and comes back" fails_and_resumes
killed() {
	n=1
	while [ $n -le 9 ]; do
		strace -f -o "$T/trace" -e trace=unlink,fsync \
			-e inject=unlink,fsync:signal=KILL:when=$n \
			"$crawlfs" export "$T/w" -q -o s3://things/k/ --format=jsonl \
			--file-size=20K --endpoint="$url" --cache="$T/cache" 2>/dev/null
		[ ! -e "$folder/things/k/_SUCCESS" ] || break
		n=$((n + 2))
	done
	[ -e "$folder/things/k/_SUCCESS" ] ||
		status 0 export_to k/ --format=jsonl --file-size=20K || return
	same "$(names k)" "$(names rows)" &&
		cat "$folder/things/k/"part-* | cmp - "$T/whole"
}
if has_program strace; then
	try "killed again and again" killed
else
	skip "killed: there is no strace"
fi
finish
