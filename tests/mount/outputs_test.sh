#!/bin/sh
# outputs_test.sh - the outputs of crawlfs export: standard output, files, folders
# of files; what is left when it is stopped anywhere; options for programs.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no TIME_LIMIT=1800
. "$CFS_SRCDIR/tests/mount/lib.sh"

export XDG_CACHE_HOME="$T/cache"
"$mkcrawl" --records 260 --warc --page-bytes 900 --archive-bytes 90000 "$T/w" \
	>/dev/null || exit 1
export_rows() { timeout 300 "$crawlfs" export "$@"; }
checks() { "$python" "$here/outputs_check.py" "$@"; }
python=python3
pip_packages outputs zstandard==0.25.0 warcio==1.8.1 pyarrow==22.0.0 &&
	python=$pip_folder/bin/python
find_duckdb || skip "Parquet: $install_problem"

# many small files are synced: in memory, where that can be mounted
mkdir "$T/fast" "$T/damaged"
has_tmpfs=no
[ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=400m none "$T/fast" 2>/dev/null ||
	has_tmpfs=yes

# ---- every format, output, order, number of threads; damage ----

cp "$(find "$T/w" -name '*.gz' | sort | head -n 1)" "$T/damaged/x.warc.gz"
size=$(wc -c <"$T/damaged/x.warc.gz")
printf 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX' |
	dd of="$T/damaged/x.warc.gz" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
"$python" "$here/outputs_check.py" cross "$crawlfs" "$T/fast" "$T/w" "$T/damaged" \
	>"$T/cases" 2>&1 || fail "outputs_check.py ended early"
while read -r how name; do
	case $how in
	ok:) ok "$name" ;;
	SKIP:) skip "$name" ;;
	*) fail "$how $name" ;;
	esac
done <"$T/cases"

# ---- a folder ----

out=$T/fast/rows/
folder() { export_rows "$T/w" -q -o "$out" --format=jsonl --file-size=20K "$@"; }
export_rows "$T/w" -q >"$T/whole"
# Holds R20.
try "a folder of files" status 0 folder
try "has the rows, in files of that size" sh -c \
	'"$1" "$2" folder "$3" 20480 | cmp - "$4"' - "$python" \
	"$here/outputs_check.py" "$out" "$T/whole"
try "is told when it is there" status 3 folder
try "and that --force replaces it" complains "is complete (--force replaces it)"
try "--skip-complete: the same command" status 0 folder --skip-complete
try "--skip-complete: another command" status 3 folder --skip-complete --fields=url
try "is told" complains "by another command"
try "--force: another one" status 0 folder --force --fields=url
same_names() {	# no file of the first is left
	ls "$out" >"$T/names"
	cat "$out"part-* | wc -l >"$T/got"
	same "$(cat "$T/got")" "$(wc -l <"$T/whole")" &&
		not grep -v '^part-[0-9]*.jsonl$\|^_SUCCESS$' "$T/names"
}
try "has no file of the first" same_names
has_names() { same "$(ls "$out" | paste -sd' ')" "$1"; }
try "--force: another format" status 0 export_rows "$T/w" -q -o "$out" \
	--format=jsonl.gz --force
try "has one file" has_names "_SUCCESS part-00000.jsonl.gz"
rm -r "$out"
mkdir "$out"
echo mine >"$out/part-00000.jsonl"
for force in "" --force; do
	try "a folder with files of others $force" status 3 folder $force
	try "is told" complains "has other files, such as 'part-00000.jsonl'"
	try "keeps them" has_names part-00000.jsonl
	try "as they are" same "$(cat "$out/part-00000.jsonl")" mine
done
rm -r "$out"
mkdir "$out"
: >"$out/_SUCCESS"
try "one that Spark has made" status 3 folder --force
try "is told" complains "crawlfs has not made it"
rm -r "$out"
try "the name of a folder without a /" status 2 export_rows "$T/w" -o "$T" \
	--format=jsonl
try "is told" complains "with a / behind it"
try "--file-size of a file" status 2 export_rows "$T/w" -o "$T/x.jsonl" --file-size=1M
try "a folder whose name says no format" status 2 export_rows "$T/w" -o "$out"
try "one whose name does" status 0 export_rows "$T/w" -q -o "$T/rows.jsonl.gz/"
try "no rows: one file without any" status 0 export_rows "$T/w" -q com.no-such -o "$out" \
	--format=jsonl
try "is there" has_names "_SUCCESS part-00000.jsonl"
try "is empty" same "$(cat "$out"part*)" ""
rm -r "$out"
for none in "$T/none.jsonl.gz" "${out}part-00000.jsonl.gz"; do
	try "no rows, compressed: ${none#"$T/"}" status 0 export_rows "$T/w" -q \
		com.no-such -o "${none%part*}" --format=jsonl.gz
	try "are a member of gzip" gzip -t "$none"
	try "without a byte in it" same "$(zcat "$none" | wc -c)" 0
done
rm -r "$out"
try "rows larger than a file" status 0 export_rows "$T/w" -q -o "$out" --format=jsonl \
	--file-size=1K
try "have one each" sh -c '"$1" "$2" folder "$3" 1024 | cmp - "$4"' - "$python" \
	"$here/outputs_check.py" "$out" "$T/whole"
rm -r "$out"

# ---- parts of a crawl in one folder ----

in_parts() {
	for k in 3 1 2; do
		absent "${out}_SUCCESS" && folder --part=$k/3 --skip-complete || return
	done
	cat "$out"part-* | cmp - "$T/whole" && same "$(ls "$out"_SUCCESS* | wc -l)" 4
}
# Holds R21.
try "parts of a crawl in one folder" in_parts
again() {
	rm "${out}_SUCCESS-00002-of-00003" "$out"part-00002-*
	folder --part=1/3 --skip-complete && folder --part=2/3 &&
		cat "$out"part-* | cmp - "$T/whole" && [ -e "${out}_SUCCESS" ]
}
try "one of them again" again
try "another number of parts" status 3 folder --part=1/2
try "is told" complains "has other files"
rm -r "$out"

# ---- stopped anywhere ----

whole_folder() {	# the folder is that of a run without a stop
	(cd "$out" && sha1sum *) >"$T/got"
	diff "$T/got" "$T/sums"
}
for form in jsonl warc.gz parquet; do
	[ $form != parquet ] || [ -n "${CRAWLFS_DUCKDB:-}" ] || continue
	stopped() {
		export_rows "$T/w" -q -o "$out" --format=$form --file-size=16K \
			--threads=2 "$@"
	}
	stopped || fail "$form: ends with $?"
	(cd "$out" && sha1sum *) >"$T/sums"
	rm -r "$out"
	if has_program strace; then
		kill_at() {	# after each call of a kind in turn
			for call in "$@"; do
				n=1
				while [ $n -le 120 ]; do
					strace -f -o "$T/trace" -e trace="$call" \
						-e inject="$call":signal=KILL:when=$n \
						"$crawlfs" export "$T/w" -q -o "$out" \
						--format=$form --file-size=16K \
						--threads=2 2>/dev/null
					[ ! -e "${out}_SUCCESS" ] || break
					n=$((n + 7))
				done
				stopped --skip-complete && whole_folder
				rc=$?
				rm -r "$out"
				[ $rc = 0 ] || return
			done
		}
		for call in fsync renameat2,rename unlink ftruncate; do
			try "$form: killed at any $call, and resumed" kill_at $call
		done
		kill_once() {	# at the K-th call of a kind, for many K
			for n in 1 2 3 4 5 7 10 15; do
				strace -f -o "$T/trace" -e trace="$1" \
					-e inject="$1":signal=KILL:when=$n "$crawlfs" \
					export "$T/w" -q -o "$out" --format=$form \
					--file-size=16K --threads=2 2>/dev/null
				stopped --skip-complete && whole_folder
				rc=$?
				rm -r "$out"
				[ $rc = 0 ] || { echo "call $n"; return 1; }
			done
		}
		for call in fsync renameat2,rename unlink; do
			try "$form: killed once at $call" kill_once $call
		done
	else
		skip "kills at calls: there is no strace"
	fi
	if [ $has_tmpfs = yes ] && mkdir -p "$T/small" &&
		mount -t tmpfs -o size=64k none "$T/small"; then
		full_disk() {	# a bit more room each time
			n=64
			while not stopped 2>"$T/err"; do
				complains "No space\|cannot write\|Parquet" || return
				n=$((n + 52))
				[ $n -lt 6000 ] || return
				mount -o remount,size=${n}k "$T/small"
			done
			[ $n -gt 64 ] && whole_folder
		}
		out=$T/small/rows/
		try "$form: a full disk, again and again" full_disk
		umount "$T/small"
		out=$T/fast/rows/
	else
		skip "a full disk: no tmpfs can be mounted"
	fi
done
start_piped() {	# start_piped [OPTION...]: reads the fifo, as what is in the background
	start sh -c 'exec "$@" <"$0"' "$T/fifo" "$crawlfs" export - -q -o "$out" \
		--format=jsonl "$@" 9>&-
}
interrupted() {
	exec 9<>"$T/fifo"
	start_piped --file-size=4K
	cat "$T/one" >&9
	wait_for test -e "${out}part-00000.jsonl"
	kill -INT $started
	ended_with 130 $started
	rc=$?
	exec 9>&-
	return $rc
}
mkfifo "$T/fifo"
cat $(find "$T/w" -name '*.gz' | sort) >"$T/one"
try "interrupted" interrupted
try "is not complete" absent "${out}_SUCCESS"
resumed() { export_rows - -q -o "$out" --format=jsonl --file-size=4K <"$T/one"; }
try "from a pipe it is begun again" status 0 resumed
rm -r "$out"
two_writers() {
	exec 9<>"$T/fifo"
	start_piped
	head -c 60000 "$T/one" >&9
	wait_for test -e "${out}_journal"
	status 3 folder && complains "is being written by another process"
	rc=$?
	tail -c +60001 "$T/one" >&9
	exec 9>&-
	ended_with 0 $started && return $rc
}
try "two writers of one folder" two_writers
rm -r "$out"
changed() {	# a journal that says what is not there
	folder && mv "${out}_SUCCESS" "${out}_journal" && rm "$out"part-00001.jsonl
	status 3 folder && complains "part-00001.jsonl' was complete"
}
try "a file that was complete is gone" changed
rm -r "$out"
hostile() {	# lines of a journal lead nowhere else
	mkdir "$out"
	echo mine >"$T/fast/other.jsonl"
	printf 'crawlfs-rows 1 0000000000000000 %s\n1 1 1 1 0\n' "$1" >"${out}_journal"
	folder 2>/dev/null
	same "$(cat "$T/fast/other.jsonl")" mine && rm -r "$out"
}
for name in '.jsonl/../../other.jsonl' ../other.jsonl x '' .aaaaaaaaaaaaaaaaaaaaaaaaaaaaa; do
	try "a journal that names '$name'" hostile "$name"
done

# ---- options for programs ----

try "--nulls" status 0 export_rows "$T/w" -q --nulls -o "$T/nulls.jsonl"
# Holds R22.
try "gives every row every field" checks nulls "$T/nulls.jsonl"
without_nulls() {
	"$python" -c 'import json, sys
for line in sys.stdin:
    r = json.loads(line)
    print(json.dumps({k: v for k, v in r.items() if v is not None}))' <"$1"
}
with_none() { without_nulls "$T/nulls.jsonl" >"$T/a" && without_nulls "$T/whole" | cmp - "$T/a"; }
try "and no other value" with_none
try "damage is a failure" status 1 export_rows "$T/damaged" -q -o "$T/d.jsonl"
try "--errors=ok: it is none" status 0 export_rows "$T/damaged" --errors=ok -o "$T/d2.jsonl"
try "it is told none the less" complains "with an error"
try "the rows are the same" cmp "$T/d.jsonl" "$T/d2.jsonl"
json() { "$python" "$here/json_check.py" keys export "$1"; }
try "--json" status 0 export_rows "$T/w" --json -q -o "$T/j.jsonl"
try "has its keys" json "$T/out"
try "--json of standard output" status 0 export_rows "$T/w" --json -q
try "has its keys on standard error" json "$T/err"
try "--json of damage" status 1 export_rows "$T/damaged" --json -q -o "$T/j2.jsonl"
try "counts it" grep -q '"rows_with_error": 1' "$T/out"
try "--json of a failure" status 3 export_rows "$T/w" --json -q -o "$T/j.jsonl"
try "has its keys" json "$T/out"
try "says so" grep -q '"complete": false' "$T/out"
try "a file: --skip-complete" status 0 export_rows "$T/w" -q --skip-complete \
	-o "$T/j.jsonl"
try "of another command" status 3 export_rows "$T/w" -q --skip-complete --fields=url \
	-o "$T/j.jsonl"
echo >>"$T/j.jsonl"
try "that was changed since" status 3 export_rows "$T/w" -q --skip-complete -o "$T/j.jsonl"
finish
