#!/bin/sh
# rows_test.sh - crawlfs export where rows are hard to get right: parts of what is
# picked, parts of archives in archives, damage, statuses, standard input that
# comes slowly.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

export XDG_CACHE_HOME="$T/cache"
export_rows() { timeout 120 "$crawlfs" export "$@"; }
rows_check() { python3 "$here/rows_check.py" "$@"; }
cd "$T" || exit 1
"$mkcrawl" --records 500 --warc --archive-bytes 1500000 "$T/w" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/w.cfx" "$T/w" >/dev/null || exit 1
export_rows w -q >archive.jsonl
export_rows w.cfx -q >index.jsonl

# ---- what is a prefix, and what a SOURCE ----

mkdir com
try "a prefix with the name of a folder" status 0 \
	export_rows w.cfx --prefix=com -q --fields=url
cp out com.jsonl
try "has rows" test -s com.jsonl
try "as an operand it is a SOURCE" status 3 export_rows w.cfx com -q
try "which is said" complains com
rmdir com
try "without the folder it is a prefix" status 0 export_rows w.cfx com -q --fields=url
try "with the same rows" cmp out com.jsonl
first=$(find w -name '*.gz' | sort | head -n 1)
second=$(find w -name '*.gz' | sort | sed -n 2p)
export_rows "$first" "$second" --prefix=com -q --fields=url >want
try "a SOURCE behind a prefix" status 0 export_rows "$first" com "$second" -q --fields=url
try "is a SOURCE" cmp out want

# ---- an index in the order of archives ----

by_archive() { export_rows w.cfx --order=archive -q "$@"; }
by_archive >by_archive.jsonl
try "an index in the order of archives" rows_check order index.jsonl by_archive.jsonl
by_archive com >com.archive
try "below a prefix" rows_check order com.archive com.archive
try "with the same rows" same "$(wc -l <com.archive)" "$(wc -l <com.jsonl)"
for n in 1 3; do
	try "the same with $n threads" status 0 by_archive --threads=$n
	try "has the same bytes" cmp out by_archive.jsonl
done

# ---- parts of what is picked ----

for order in index archive; do
	export_rows w.cfx --prefix=com,org -q --fields=url,offset --order=$order >picked
	for k in 1 2 3 4; do
		export_rows w.cfx --prefix=com,org -q --fields=url,offset \
			--order=$order --part=$k/4 >part.$k
	done
	try "parts of what is picked, by $order" rows_check even picked part.1 \
		part.2 part.3 part.4
done

# ---- damage, and statuses ----

mkdir d
at=$(rows_check damage "$first" d/x.warc.gz)
try "damage in an archive" status 1 export_rows d -q
cp out d.archive
try "damage recorded in an index" status 1 export_rows d --order=index -q
cp out d.index
try "is told" complains "damage recorded\|x.warc.gz"
for o in archive index; do
	try "has the row of the place, by $o" rows_check place d.$o "$at"
done
"$crawlfs" index -q -o d.cfx d >/dev/null 2>&1
for order in index archive; do
	for k in 1 2 3; do
		export_rows d.cfx --order=$order --part=$k/3 -q 2>/dev/null
	done >d.parts
	try "in one part only, by $order" rows_check place d.parts "$at"
done
mkdir f
cp "$first" f/a.warc.gz
echo nothing >f/b.warc.gz
try "an archive that is none" status 1 export_rows f -q
try "has a row with an error" same "$(grep -c '"error":' out)" 1
try "the others have rows" same "$(wc -l <out)" \
	"$(export_rows f/a.warc.gz -q --fields=url | sed '$a x' | wc -l)"

# ---- parts of archives in archives, and long members ----

makes() { python3 "$here/export_make.py" "$@"; }
mkdir cut
makes inner cut/inner.warc.gz
makes long cut/long.warc.gz
for name in inner long; do
	[ $name = inner ] && rows=301 || rows=11
	export_rows cut/$name.warc.gz -q --fields=url >want
	try "$name: each record is one row" same "$(wc -l <want) $(sort -u want | wc -l)" \
		"$rows $rows"
	for n in 2 3 7; do
		for k in $(seq $n); do
			export_rows cut/$name.warc.gz -q --fields=url --part=$k/$n
		done >got 2>err
		try "$name: $n parts" cmp got want
		try "$name: without a complaint" test ! -s err
	done
done

# ---- standard input that still comes ----

slow=$(find w -name '*.gz' | sort | head -n 1)
export_rows "$slow" -q --fields=url,text,offset >want
comes() {	# the rest comes once the first row is there
	mkfifo rest
	{
		head -c 400000 "$slow"
		cat rest >/dev/null
		tail -c +400001 "$slow"
	} | export_rows - -q --fields=url,text,offset | {
		read -r line
		printf '%s\n' "$line"
		echo go >rest
		cat
	} >got
	cmp got want
}
try "the first row is there while the rest still comes" comes
head -c 300000 "$slow" >cut.warc.gz
export_rows cut.warc.gz -q --fields=url,offset,error >want 2>/dev/null
cut_off() {
	cat cut.warc.gz | status 1 export_rows - -q --fields=url,offset,error &&
		cmp out want
}
try "an archive that ends inside a record" cut_off
makes large large.warc.gz 8
export_rows large.warc.gz -q --fields=url,digest >want
large() {
	cat large.warc.gz | export_rows - -q --mem=24M --fields=url,digest | cmp - want
}
try "records too long for memory" large
waits_for_a_pipe() {	# it has its temporary file
	ls -l /proc/$1/fd 2>/dev/null | grep -q deleted
}
interrupted() {
	mkfifo never
	sleep 100 >never &
	sleeper=$!
	start sh -c 'exec "$0" export - -q <never' "$crawlfs"
	wait_for waits_for_a_pipe $started || return
	kill -INT $started
	ended_with 130 $started
	interrupted_rc=$?
	kill $sleeper
	return $interrupted_rc
}
try "interrupted while nothing comes" interrupted

# ---- a server that stops sending in the middle ----

python3 "$here/rows_check.py" serve "$T" 700000 "$T/port" >/dev/null 2>&1 &
server=$!
has_port() { [ -e "$T/port" ]; }
wait_for has_port
at=http://127.0.0.1:$(cat port)
stalls() { status 3 export_rows "$@" -q --fields=url,text --timeout=1; }
try "a stalled server ends an export" stalls "$at/$slow"
try "with a row that has the error" rows_check last out
try "records on a stalled server, too" stalls w.cfx --data="$at"
try "with such a row" rows_check last out
try "a file has no such row" stalls w.cfx --data="$at" -o stalled.jsonl
try "because it is resumed" not grep '"error"' stalled.jsonl.part
try "without the server's fault" status 0 export_rows w.cfx --data="$T" -q \
	--fields=url,text -o not_stalled.jsonl
kill $server

try "a wrong option" status 2 export_rows w --order=sideways

# ---- progress, where an index says how much there is ----

"$mkcrawl" --records 20000 --page-bytes 100 --bare --warc --level 1 "$T/many" \
	>/dev/null && "$crawlfs" index -q -o "$T/many.cfx" "$T/many" || exit 1
try "the share that is done is shown" python3 - "$crawlfs" "$T/many.cfx" \
	"$("$crawlfs" export -q --fields=url "$T/many.cfx" | wc -l)" <<'END'
"""Rows go into a pipe that is read slowly, so that progress is drawn before the
end on any machine."""
import os, pty, re, subprocess, sys, threading, time
here, there = pty.openpty()
run = subprocess.Popen([sys.argv[1], "export", "--fields=url", sys.argv[2]],
                       stdout=subprocess.PIPE, stderr=there,
                       env=dict(os.environ, TERM="xterm"))
os.close(there)
said = []
def listen():
    try:
        while (got := os.read(here, 4096)):
            said.append(got)
    except OSError:
        pass
listener = threading.Thread(target=listen)
listener.start()
rows = 0
while (got := os.read(run.stdout.fileno(), 1 << 16)):
    rows += got.count(b"\n")
    time.sleep(0.12)
assert run.wait() == 0
listener.join()
shares = [int(n) for n in re.findall(rb"reading +([0-9]+)%", b"".join(said))]
assert rows == int(sys.argv[3]), rows
assert shares == sorted(shares), shares
assert 0 < shares[-1] <= 100, shares
END
finish
