#!/bin/sh
# json_test.sh - --json of every command, and the paths that lookup prints.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

look() { python3 "$here/json_check.py" "$@"; }
# keys WHAT NAME STATUS COMMAND...: the keys of what the command prints
keys() {
	what=$1 name=$2 wanted=$3
	shift 3
	try "$name: ends with $wanted" status "$wanted" "$crawlfs" "$@"
	cp "$T/out" "$T/json"
	# Holds C13.
	try "$name: the keys" look keys "$what" "$T/json"
}

# ---- the paths of every capture, in trees with clashes ----

# paths NAME LEAST MANIFEST SOURCE [OPTION...]
paths() {
	name=$1 least=$2 manifest=$3 source=$4
	shift 4
	try "$name: mounts" start_mount "$name" -o xattr "$@" "$source"
	"$crawlfs" lookup "$@" "$source" / >"$T/$name.lines"
	"$crawlfs" lookup --json "$@" "$source" / >"$T/$name.objects"
	# Holds C12.
	try "$name: every path of lookup is a view of its capture" \
		look paths --least "$least" "$manifest" "$T/$name" \
		"$T/$name.lines" "$T/$name.objects"
	try "$name: lookup: the keys" look keys lookup "$T/$name.objects"
	try "$name: the daemon ends well" stop_mount "$name"
}
# names beside directories and views of others, captures of one page
python3 "$model/hostile_urls.py" --seed 11 --count 900 --again 2 >"$T/urls"
for n in 0 1 2 3 4 5 6 7 8 9; do
	for name in a a.txt a.meta a.txt.txt a.txt/b a/b '' _index.txt _index; do
		printf 'http://clash%d.example.org/%s\t2024010100000%d\t200\tresponse\n' \
			$((n % 3)) "$name" "$n"
	done
done >>"$T/urls"
"$mkcrawl" --warc --bare --urls "$T/urls" --page-bytes 120 "$T/odd" \
	>/dev/null || exit 1
"$crawlfs" index -q -o "$T/odd.cfx" "$T/odd" || exit 1
paths cfx 900 "$T/odd/manifest.tsv" "$T/odd.cfx"
try "some names are numbered" grep -q '#[0-9]*\.txt", ' "$T/cfx.lines"
try "some names are taken" grep -q '/a#\.txt", ' "$T/cfx.lines"
paths dates 100 "$T/odd/manifest.tsv" "$T/odd.cfx" --at=20240101000004
paths part 200 "$T/odd/manifest.tsv" "$T/odd.cfx" --part=2/3

"$mkcrawl" --arc --pbtree --records 400 --hostile 40 --page-bytes 300 \
	--seed 4 "$T/old" >/dev/null || exit 1
paths pbtree 300 "$T/old/manifest.tsv" \
	"$T/old/parse-output/url-index.1356128792"

"$mkcrawl" --warc --bare --records 400 --hostile 40 --page-bytes 300 \
	--seed 5 "$T/new" >/dev/null || exit 1
"$crawlfs" index -q --format=cdxj -o "$T/new/new.cdxj" "$T/new" || exit 1
paths cdxj 300 "$T/new/manifest.tsv" "$T/new/new.cdxj"
"$crawlfs" index -q -o "$T/new.cfx" "$T/new" || exit 1
paths union 1000 "$T/odd/manifest.tsv,$T/new/manifest.tsv" "$T/odd.cfx,$T/new.cfx"

# ---- keys ----

try "ls: a mount to compare with" start_mount listed "$T/odd.cfx"
"$crawlfs" ls -R --json "$T/odd.cfx" >"$T/listed.lines"
try "ls -R: what is in the mount" look listing "$T/listed" "$T/listed.lines"
try "ls -R: the keys" look keys ls "$T/listed.lines"
try "ls: the daemon ends well" stop_mount listed
keys ls "ls of a page" 0 ls --json "$T/odd.cfx" http://clash1.example.org/a.txt.txt
try "ls: its path and its name" grep -q \
	'^{"path":"org/example/clash1/_/a.txt.txt","name":"a.txt.txt","type":' \
	"$T/json"
keys ls "ls of a folder" 0 ls --json "$T/odd.cfx" org.example
keys ls "ls: all views" 0 ls -a --json "$T/odd.cfx" http://clash2.example.org/a
keys grep "grep" 0 grep --json -s -C 1 the "$T/odd.cfx" org.example
keys grep "grep -c" 0 grep --json -s -c the "$T/odd.cfx" org.example
keys copy copy 0 copy --json "$T/odd.cfx" org.example -o "$T/odd.warc.gz"
keys check check 0 check --json "$T/odd.cfx" org.example
keys verify verify 1 verify --json "$T/odd"	# originals are not there
try "verify: no progress" not grep -q % "$T/err"
keys verify "verify: quiet" 1 verify --json -q "$T/odd.cfx" --data="$T"
keys summary summary 0 summary --json "$T/odd.cfx"
keys summary "summary: of nothing" 0 summary --json "$T/odd.cfx" --status=299
keys cache-info "cache info" 0 cache --json info
"$crawlfs" ls "$T/new" >/dev/null
keys cache-info "cache info: an index" 0 cache --json info
try "cache info: counted" grep -q '"files": 1,' "$T/json"
keys cache-verify "cache verify" 0 cache --json verify
for index in "$XDG_CACHE_HOME"/crawlfs/index/*.cfx; do
	printf xxxxxxxx | dd of="$index" bs=1 seek=2000 conv=notrunc 2>"$T/dd"
done
keys cache-verify "cache verify: damage" 1 cache --json verify
try "cache verify: says where" grep -q '"file": "index/' "$T/json"
try "cache verify: says so" grep -q '"sound": false' "$T/json"
keys cache-clear "cache clear" 0 cache --json clear
cat >"$T/collinfo.json" <<'END'
[{"id": "CC-MAIN-2024-10", "name": "February/March 2024 Index \"x\" \u2028",
  "from": "2024-02-20T21:02:19", "to": "2024-03-05T12:40:36"},
 {"id": "CC-MAIN-2012", "name": "2012"}]
END
keys collections collections 0 collections --json --collinfo="$T/collinfo.json"
try "collections: a time" grep -q '"from": "2024-02-20T21:02:19Z"' "$T/json"
keys version version 0 version --json

# ---- names that are hostile to readers of lines ----

long=$(printf '%08100d' 0)
cat >"$T/hostile.urls" <<END
http://h.example.org/a"b\\x5c'{}[]:,?q="\\x5c"
http://h.example.org/\\xe9\\xff\\xc3\\xed\\xa0\\x80x
http://h.example.org/\\xe2\\x80\\xa8line\\xe2\\x80\\xa9\\xc2\\x85end
http://h.example.org/\\x1b[31mred\\x7f\\x07\\x01
http://h.example.org/\\xf0\\x9f\\x98\\x80/\\xc2\\x9b31m
http://h.example.org/$long
END
"$mkcrawl" --warc --bare --urls "$T/hostile.urls" --page-bytes 100 "$T/h" \
	>/dev/null || exit 1
paths hostile 6 "$T/h/manifest.tsv" "$T/h"
keys ls "hostile: ls -R" 0 ls -R --json "$T/h"
if has_program jq; then
	# Holds C13.
	try "jq reads the lines of lookup" same \
		"$(jq -r .status <"$T/hostile.objects" | wc -l)" 6
	try "jq reads the lines of ls" jq -e .path "$T/json"
else
	skip "jq reads lines: there is no jq"
fi

# ---- failures print nothing ----

nothing() {	# nothing STATUS COMMAND...
	status "$@" && not test -s "$T/out" && test -s "$T/err"
}
# Holds C13.
try "lookup: what is not there" nothing 1 "$crawlfs" lookup --json \
	"$T/odd.cfx" org.example.nowhere
try "ls: what is not there" nothing 1 "$crawlfs" ls --json "$T/odd.cfx" \
	org.example.nowhere
try "check: what is not there" status 1 "$crawlfs" check --json "$T/odd.cfx" \
	org.example.nowhere
try "verify: what is not there" nothing 1 "$crawlfs" verify --json "$T/nowhere"
try "cache: what is not there" nothing 1 "$crawlfs" cache --json info \
	--cache="$T/nowhere"
try "collections: what is not there" nothing 1 "$crawlfs" collections --json \
	--collinfo="$T/nowhere"
try "cat has no --json" status 2 "$crawlfs" cat --json "$T/odd.cfx" x
try "a reader that goes away" same "$(
	"$crawlfs" lookup --json "$T/odd.cfx" / 2>"$T/err" | head -n 1 | wc -l
	)" 1
try "a reader that goes away: no complaint" not test -s "$T/err"
try "a full disk" status 1 sh -c '"$0" lookup --json "$1" / >/dev/full' \
	"$crawlfs" "$T/odd.cfx"
try "a full disk: said" complains 'No space left'

# ---- real crawls ----

if [ -d "${CFS_DATA:-}/warc" ]; then
	for kind in warc arc wacz warczst wet; do
		for source in $(find "$CFS_DATA/$kind" -type f \
			\( -name '*.warc' -o -name '*.warc.gz' -o -name '*.arc.gz' \
			-o -name '*.wacz' -o -name '*.warc.zst' \
			-o -name '*.warc.wet.gz' \) -size -2000k | sort |
			awk 'NR % 5 == 1' | head -n 6); do
			"$crawlfs" lookup --json "$source" / >"$T/real" \
				2>"$T/err" || continue
			try "${source#"$CFS_DATA"/}: the keys" look keys lookup "$T/real"
		done
	done
else
	skip "real crawls: CFS_DATA names no samples"
fi
finish
