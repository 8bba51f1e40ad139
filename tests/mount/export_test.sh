#!/bin/sh
# export_test.sh - crawlfs export: every field of every row, formats, orders,
# parts; what it does when it is stopped, without room, of damage.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

export XDG_CACHE_HOME="$T/cache"
"$mkcrawl" --records 700 --warc --archive-bytes 1800000 "$T/w" >/dev/null || exit 1
"$mkcrawl" --records 400 --arc "$T/a" >/dev/null || exit 1
archives() { find "$1" -name '*.gz' | sort; }
export_rows() { timeout 300 "$crawlfs" export "$@"; }
checks() { python3 "$here/export_check.py" "$@"; }
heads=url,surt,host,domain,timestamp,record_type,record_id,revisit_of,ip,status
heads=$heads,redirect,mime,mime_detected
every=$heads,charset,languages,digest,archive,offset,length,path,title,text,html,body,headers,links,meta,request,truncated

# ---- every field, both orders ----

for c in w a; do
	for order in archive index; do
		o=$T/$c.$order.jsonl
		try "$c: rows in the order of $order" status 0 \
			export_rows "$T/$c" --order=$order --fields=$every -q -o "$o"
		try "are what the archives say" \
			checks rows "$T/$c/manifest.tsv" "$o" $order
	done
done
try "a wrong row would be noticed" not checks rows "$T/w/manifest.tsv" \
	"$T/a.index.jsonl" index
without() {	# without FIELD... <ROWS: sorted, without fields that orders differ in
	python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
for r in rows:
    for f in sys.argv[1:]:
        r.pop(f, None)
print("\n".join(sorted(json.dumps(r, sort_keys=True) for r in rows)))' "$@"
}
same_rows() {
	without path request <"$1" >"$T/1" && without path request <"$2" >"$T/2" &&
		cmp "$T/1" "$T/2"
}
try "both orders have the same rows of ARC" same_rows "$T/a.archive.jsonl" "$T/a.index.jsonl"
default="$(echo $heads,charset,languages,digest,archive,offset,length,title,text,error | tr , ' ')"
export_rows "$T/w" -q >"$T/default.jsonl"
try "the usual fields" checks fields "$T/default.jsonl" $default
export_rows "$T/w" -q --fields=url,status >"$T/two.jsonl"
try "two fields" checks fields "$T/two.jsonl" url status
python3 -c 'import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    print(json.dumps({k: r[k] for k in ("url", "status") if k in r},
                     separators=(",", ":"), ensure_ascii=False))' \
	"$T/default.jsonl" >"$T/want"
try "are the same as among others" cmp "$T/want" "$T/two.jsonl"

# ---- the same bytes, whatever the threads ----

for n in 1 7; do
	export_rows "$T/w" --threads=$n -q | cmp - "$T/default.jsonl" &&
		ok "$n threads" || fail "$n threads"
	export_rows "$T/w" --order=index --threads=$n -q >"$T/index.$n"
	try "$n threads, by index" cmp "$T/index.1" "$T/index.$n"
done
try "a file has the same bytes" status 0 export_rows "$T/w" -q -o "$T/f.jsonl"
try "as standard output" cmp "$T/f.jsonl" "$T/default.jsonl"
try "an output that is there" status 3 export_rows "$T/w" -q -o "$T/f.jsonl"
try "is told" complains "force"
try "--force replaces it" status 0 export_rows "$T/w" -q -o "$T/f.jsonl" --force
try "nothing is left beside it" absent "$T/f.jsonl.part" "$T/f.jsonl.journal"

# ---- formats ----

try "gzip" status 0 export_rows "$T/w" -q -o "$T/z.jsonl.gz"
gzip -dc "$T/z.jsonl.gz" | cmp - "$T/default.jsonl" && ok "gunzip" || fail "gunzip"
try "members begin at lines" checks members "$T/z.jsonl.gz"
try "there are several" test "$(checks members "$T/z.jsonl.gz")" -gt 2
export_rows "$T/w" -q --format=jsonl.gz | cmp - "$T/z.jsonl.gz" && ok "to a pipe" ||
	fail "to a pipe"
if has_program zstd; then
	try "zstd" status 0 export_rows "$T/w" -q -o "$T/z.jsonl.zst"
	zstd -dc "$T/z.jsonl.zst" | cmp - "$T/default.jsonl" && ok "unzstd" || fail "unzstd"
fi
for z in "" .gz; do
	try "wet$z" status 0 export_rows "$T/w" -q -o "$T/x.warc.wet$z"
	try "has the texts" checks wet "$T/x.warc.wet$z" "$T/default.jsonl"
	try "warc$z" status 0 export_rows "$T/w" -q -o "$T/x.warc$z"
	try "has the records" checks warc "$T/x.warc$z" $(archives "$T/w")
done
try "crawlfs reads its WET file" status 0 "$crawlfs" verify -q "$T/x.warc.wet.gz"
try "ARC records are no WARC records" status 1 \
	export_rows "$T/a" -q -o "$T/arc.warc.gz"
try "by index, wet" status 0 export_rows "$T/w" -q --order=index -o "$T/i.warc.wet.gz"
try "has the texts" checks wet "$T/i.warc.wet.gz" "$T/index.1"
try "a name without a format" status 2 export_rows "$T/w" -o "$T/x.txt"
try "no such format" status 2 export_rows "$T/w" --format=xml
# the same as in the tree
same_main_content() {
	export_rows "$T/w" -q --order=index --fields=path,markdown,main >"$T/md.jsonl" &&
		python3 - "$crawlfs" "$T/w" "$T/md.jsonl" <<'EOF'
import json
import subprocess
import sys

program, source, rows = sys.argv[1:]
n = 0
for line in list(open(rows))[::37]:
    row = json.loads(line)
    for view, field in (("md", "markdown"), ("main", "main")):
        got = subprocess.run([program, "cat", source, row["path"],
                              "--view=" + view],
                             check=True, stdout=subprocess.PIPE).stdout
        assert got.decode() == row.get(field, ""), row["path"]
        n += bool(got)
assert n > 10, n
EOF
}
try "main content is that of the tree" same_main_content
main_rows() {
	export_rows "$T/w" -q --fields=url,timestamp,languages,archive,offset,main |
		sed 's/"main":/"text":/' >"$T/main.jsonl"
}
try "rows of the main content" main_rows
try "wet of it" status 0 export_rows "$T/w" -q --text=main -o "$T/main.warc.wet.gz"
try "has it" checks wet "$T/main.warc.wet.gz" "$T/main.jsonl"
try "--text of rows" status 2 export_rows "$T/w" --text=main
try "is told" complains "--text goes with --format=wet"
try "no such field" status 2 export_rows "$T/w" --fields=url,colour
try "is told" complains "unknown field 'colour'"
try "fields of a WET" status 2 export_rows "$T/w" --format=wet --fields=url

# ---- prefixes, times, parts ----

below() {	# below LABEL ROWS: rows of hosts that end so, by Python
	python3 -c 'import json, sys, urllib.parse
for line in open(sys.argv[2]):
    host = urllib.parse.urlsplit(json.loads(line)["url"]).hostname or ""
    if host.rstrip(".").lower().split(".")[-1] == sys.argv[1]:
        sys.stdout.write(line)' "$@"
}
for order in archive index; do
	export_rows "$T/w" com --order=$order -q >"$T/com.$order"
	[ $order = archive ] && all=$T/default.jsonl || all=$T/index.1
	below com "$all" >"$T/want"
	try "$order: below com" cmp "$T/want" "$T/com.$order"
	try "$order: not nothing" test -s "$T/want"
	export_rows "$T/w" --to=20240220 --order=$order -q >"$T/to.$order"
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    if json.loads(line)["timestamp"] <= "2024-02-20T23:59:59Z":
        sys.stdout.write(line)' "$all" | without path >"$T/want"
	without path <"$T/to.$order" >"$T/got"
	try "$order: until a day" cmp "$T/want" "$T/got"
	for n in 1 3 8; do
		parts=
		for k in $(seq $n); do
			export_rows "$T/w" --part=$k/$n --order=$order -q \
				>"$T/part.$k" 2>/dev/null
			parts="$parts $T/part.$k"
		done
		try "$order: $n parts" checks union "$all" $parts
	done
done

# ---- standard input, several sources ----

first=$(archives "$T/w" | head -n 1)
export_rows "$first" -q --fields=url,text >"$T/want"
cat "$first" | export_rows - -q --fields=url,text >"$T/got"
try "a pipe" cmp "$T/want" "$T/got"
export_rows - -q --fields=url,text <"$first" >"$T/got"
try "a file as standard input" cmp "$T/want" "$T/got"
export_rows - -q --fields=archive <"$first" | sort -u >"$T/got"
try "is called -" same "$(cat "$T/got")" '{"archive":"-"}'
export_rows $(archives "$T/w") -q --fields=url,text >"$T/got"
export_rows "$T/w" -q --fields=url,text >"$T/want"
try "archives one by one" cmp "$T/want" "$T/got"
try "nothing there" status 3 export_rows "$T/nowhere"

# ---- standard output that ends ----

head_ends() {
	{ export_rows "$T/w" --fields="$every" -q 2>"$T/err"; echo $? >"$T/rc"; } |
		head -n 1 >/dev/null
	same "$(cat "$T/rc")" 0 && test ! -s "$T/err"
}
try "head ends it, quietly" head_ends
interrupted() {
	mkfifo "$T/fifo"
	(exec sleep 100) <"$T/fifo" &
	reader=$!
	start "$crawlfs" export "$T/w" --fields="$every" -q 2>"$T/err" >"$T/fifo"
	sleep 1
	kill -INT $started
	ended_with 130 $started
	interrupted_rc=$?
	kill $reader
	return $interrupted_rc
}
try "interrupted while a pipe is full" interrupted

# ---- damage ----

mkdir "$T/d"
cp "$first" "$T/d/x.warc.gz"
size=$(wc -c <"$T/d/x.warc.gz")
printf 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX' |
	dd of="$T/d/x.warc.gz" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
try "a damaged archive" status 1 export_rows "$T/d" -q -o "$T/d.jsonl"
try "is told" complains "x.warc.gz"
try "has rows with an error" test "$(checks errors "$T/d.jsonl")" -ge 1
try "and others" test "$(grep -vc '"error"' "$T/d.jsonl")" -gt 10
"$crawlfs" index -q -o "$T/d.cfx" "$T/w" >/dev/null
# Damage that came after the index was made: each row is told, in any order.
mkdir "$T/later"
cp -r "$T/w" "$T/later/w"
python3 -c 'import sys
p = bytearray(open(sys.argv[1], "rb").read())
for at in range(2000, len(p), 40000):
    p[at] ^= 0x55
open(sys.argv[1], "wb").write(p)' "$T/later/${first#"$T/"}"
each_told() {	# each_told [OPTION...]
	"$crawlfs" export "$T/d.cfx" --data="$T/later" -q "$@" \
		--fields=archive,offset,text >"$T/got" 2>"$T/err"
	[ $? -eq 1 ] || return 1
	jq -r 'select(.error) | "\(.archive): offset \(.offset): \(.error)"' \
		"$T/got" | grep -v 'original' | sort >"$T/want"
	sed -n 's/^crawlfs: warning: //p' "$T/err" | grep -v 'original' | sort |
		diff - "$T/want" && [ "$(wc -l <"$T/want")" -ge 5 ]
}
try "records damaged since: told" each_told
try "records damaged since, by archive: told" each_told --order=archive
mkdir "$T/gone"
cp -r "$T/w" "$T/gone/w"
rm "$T/gone/${first#"$T/"}"
try "an index without an archive" status 1 export_rows "$T/d.cfx" --data="$T/gone" -q \
	-o "$T/gone.jsonl"
try "has a row for each capture" same "$(wc -l <"$T/gone.jsonl")" "$(wc -l <"$T/index.1")"
# revisits lack what they refer to, too
lost=$(export_rows "$first" -q --fields=offset | wc -l)
try "those of it have an error" test "$(checks errors "$T/gone.jsonl")" -ge "$lost" \
	-a "$(checks errors "$T/gone.jsonl")" -lt $((lost + 50))
try "no archive is needed for what the index knows" status 0 \
	export_rows "$T/d.cfx" --data="$T/gone" -q --fields=url,status,mime -o "$T/known.jsonl"

# ---- archives in archives, and long records ----

mkdir "$T/inner" "$T/large"
makes() { python3 "$here/export_make.py" "$@"; }
makes inner "$T/inner/x.warc.gz"
for n in 1 3; do
	try "an archive in an archive, $n threads" status 0 export_rows "$T/inner" -q \
		--fields=url --threads=$n -o "$T/inner.$n.jsonl"
	try "is told nothing of it" test ! -s "$T/err"
	try "is one row" same "$(grep -c http://a.org/ "$T/inner.$n.jsonl")" 301
	try "and no other" same "$(wc -l <"$T/inner.$n.jsonl")" 301
done
makes large "$T/large/x.warc.gz" 80
few() {	# few OPTION...: with less memory than a record has
	kib=$(makes peak "$crawlfs" export "$T/large" -q --mem=24M --threads=2 "$@") ||
		return
	echo "$kib KiB"
	[ -n "$any_memory" ] || [ "$kib" -le $(((24 + 64) * 1024)) ]
}
any_memory=
python3 "$here/memory_check.py" resident "$crawlfs" || any_memory=yes
# the index is made first, by a process of its own
try "is indexed" status 0 export_rows "$T/large" --order=index -q --fields=url -o "$T/l.jsonl"
for order in archive index; do
	for f in jsonl wet.gz warc.gz; do
		try "long records, $order, $f" few --order=$order --format=$f
	done
	try "all of a long record, $order" few --order=$order --fields=text,html,body
done

# ---- an export that is stopped ----

kill_and_resume() {	# kill_and_resume ORDER SIGNAL
	o=$T/k.$1.$2.jsonl.gz
	tries=0
	while [ $tries -lt 12 ]; do
		tries=$((tries + 1))
		start "$crawlfs" export "$T/w" -q --fields="$every" --order="$1" -o "$o" --threads=1
		sleep 0.$((tries % 9 + 1))
		kill -"$2" $started 2>/dev/null
		wait $started 2>/dev/null
		[ -e "$o" ] && break
	done
	[ -e "$o" ] || export_rows "$T/w" -q --fields="$every" --order="$1" -o "$o" || return
	cmp "$o" "$T/whole.$1.jsonl.gz" && absent "$o.part" "$o.journal"
}
for order in archive index; do
	export_rows "$T/w" -q --fields="$every" --order=$order -o "$T/whole.$order.jsonl.gz"
done
try "archive: killed again and again" kill_and_resume archive KILL
try "index: interrupted again and again" kill_and_resume index INT
resumes() {	# a journal of half of it, with a piece of a batch behind
	o=$T/r.jsonl
	start "$crawlfs" export "$T/w" -q --fields="$every" -o "$o" --threads=1
	sleep 1
	kill -KILL $started 2>/dev/null
	wait $started 2>/dev/null
	[ -e "$o" ] && return
	[ -e "$o.part" ] || return
	printf 'garbage' >>"$o.part"
	export_rows "$T/w" -q --fields="$every" -o "$o" &&
		cmp "$o" "$T/w.archive.jsonl"
}
try "what was not marked is cut off" resumes
if [ "$(id -u)" = 0 ] && mkdir "$T/small" &&
	mount -t tmpfs -o size=1m none "$T/small" 2>/dev/null; then
	try "a full disk" status 3 export_rows "$T/w" -q --fields="$every" -o "$T/small/x.jsonl"
	try "is told" complains "No space left"
	mount -o remount,size=200m "$T/small"
	try "resumes with more room" status 0 \
		export_rows "$T/w" -q --fields="$every" -o "$T/small/x.jsonl"
	try "the same bytes" cmp "$T/small/x.jsonl" "$T/w.archive.jsonl"
	umount "$T/small"
else
	skip "a full disk: no tmpfs can be mounted"
fi
try "standard output without room" status 3 \
	sh -c '"$0" export "$1" -q >/dev/full' "$crawlfs" "$T/w"

# ---- a server ----

if start_faultd faultd "$T"; then
	crawlfs_below "$url" "a*"
	first_url=$url/${first#"$T/"}
	timeout 300 "$crawlfs" export "$first_url" -q --fields=url,text,digest >"$T/got" 2>"$T/err"
	export_rows "$first" -q --fields=url,text,digest >"$T/want"
	try "an archive on a server" cmp "$T/want" "$T/got"
	for order in archive index; do
		export_rows "$T/d.cfx" com -q --order=$order --fields=url,text,digest >"$T/want"
		timeout 300 "$crawlfs" export "$url/d.cfx" com -q --order=$order \
			--fields=url,text,digest >"$T/got" 2>"$T/err"
		try "an index on a server, order: $order" cmp "$T/want" "$T/got"
		[ $order = index ] && fields=url,status || fields=url,text,digest
		export_rows "$T/d.cfx" com -q --order=$order --fields=$fields >"$T/want"
		timeout 300 "$crawlfs" export "$url/d.cfx" com -q --fields=$fields \
			>"$T/got" 2>"$T/err"
		try "of itself with $fields: $order" cmp "$T/want" "$T/got"
	done
	try "not nothing" test -s "$T/want"
else
	skip "servers: none can be started"
fi
finish
