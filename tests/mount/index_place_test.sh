#!/bin/sh
# index_place_test.sh - what crawlfs index says before it works, of a folder that
# is not there and of folders of indexes; and after it, of archives that a mount
# of the index will not find.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=root
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --warc --bare --records 60 --hostile 0 --page-bytes 400 \
	--archive-bytes 30000 "$T/c" >/dev/null || exit 1
mkdir "$T/a" "$T/b" "$T/i"
find "$T/c/crawl-data" -name '*.warc.gz' -exec mv {} "$T/a" \;
one=$(ls "$T/a" | head -n 1)
mv "$T/a/$one" "$T/b"
cd "$T" || exit 1

# ---- a folder that is not there ----

# lacks NAME SAYS ARGUMENT...: one line, and nothing is read or made
lacks() {
	name=$1 says=$2
	shift 2
	try "$name: fails" status 1 strace -f -qq -e trace=openat -o "$T/calls" \
		env ASAN_OPTIONS=detect_leaks=0 LSAN_OPTIONS=detect_leaks=0 \
		"$crawlfs" index -q "$@" "$T/a"
	try "$name: one line" same "$says" "$(cat "$T/err")"
	try "$name: before any work" not grep -qF "$T/a" "$T/calls"
}
none="cannot be used: No such file or directory"
if has_program strace; then
	lacks "two of two" "crawlfs: the folder 'x' of the index $none" \
		-o x/y/z.cfx
	lacks "the second" "crawlfs: the folder '$T/i/y' of the index $none" \
		-o "$T/i/y//z/c.cfx"
	lacks "of a cluster" "crawlfs: the folder 'i/y' of the index $none" \
		--format=zipnum -o i/y/z/
	lacks "a file" "crawlfs: 'b/$one', where the index is to be, is not a \
folder" -o "b/$one/c.cfx"
else
	skip "a folder that is not there: there is no strace"
fi
try "a cluster's own folder is made" "$crawlfs" index -q --format=zipnum -o a/k/ a
try "an index among other things of the root" status 1 "$crawlfs" index -q -o / a
try "says so" complains "'/' is a directory"

# ---- folders of indexes ----

try "an index of one" "$crawlfs" index -q -o i/1.cfx b/
try "and of another" "$crawlfs" index -q -o i/2.cfx a/
cat >"$T/same.py" <<'EOT'
import re, subprocess, sys
text = open(sys.argv[1]).read()
run = re.search(r": (crawlfs index -o m.cfx \S+)$", text.strip()).group(1)
sys.exit(subprocess.call(["sh", "-c", run.replace("crawlfs", sys.argv[2], 1)]))
EOT
try "a folder of indexes" status 1 "$crawlfs" index -q -o m.cfx i/
try "one line" same 1 "$(wc -l <"$T/err")"
try "how they are merged" complains "indexes in 'i', which are merged by their \
names: crawlfs index -o m.cfx i/\*.cfx$"
try "which does it" python3 "$T/same.py" "$T/err" "$crawlfs"
try "all are in it" same "$("$crawlfs" lookup m.cfx / | wc -l)" 60
: >b/none.cfx
mkdir none
: >none/x.cfx
try "what is only called an index" status 1 "$crawlfs" index -q -o n.cfx none
try "is none" not complains "merged"

# ---- archives that a mount will not find ----

# says NAME N TEXT: N lines were said, one of them with TEXT
says() {
	try "$1: one line" same "$2" "$(wc -l <"$T/err")"
	[ "$2" = 0 ] || try "$1: what to do" complains "$3"
}
refused() { status 1 timeout 60 "$crawlfs" mount "$1" "$T/m"; }
mkdir -p m
try "beside them" status 0 "$crawlfs" index -q -o a/a.cfx a
says "beside them" 0
try "above them" status 0 "$crawlfs" index -q -o all.cfx a b
says "above them" 0
try "elsewhere" status 0 "$crawlfs" index -q -o i/3.cfx a
says "elsewhere" 1 "i/3.cfx: archives are named relative to '$T/a/'"
try "with --base" status 0 "$crawlfs" index -q --base=a -o i/4.cfx a
says "with --base" 1 "^crawlfs: warning: i/4.cfx: \([0-9]*\) of \1 archives \
looked for are not where a mount looks for them, '.*warc.gz' for one: mount it \
with -o data=a$"
try "a mount does not find them either" refused i/4.cfx
try "with what was said it mounts" start_mount m -o data=a i/4.cfx
try "and ends" stop_mount m
try "indexes of elsewhere, merged" status 0 "$crawlfs" index -q -o i/5.cfx \
	i/3.cfx i/4.cfx
says "merged" 1 "i/5.cfx: .* mount it with -o data=FOLDER$"
cp i/1.cfx a/1.cfx
try "one of several" status 0 "$crawlfs" index -q -o a/one.cfx a/a.cfx a/1.cfx
says "one of several" 1 "a/one.cfx: 1 of [2-9][0-9]* archives .*'$one' for one"
rm a/1.cfx

# A cluster and lines are looked for as a mount of them does.
mkdir -p w/indexes w/archive w/x/k
cp a/*.warc.gz w/archive
try "archives of lines" "$crawlfs" index -q -o w/archive/i.cfx w/archive
try "lines beside ../archive" status 0 "$crawlfs" index -q --base=w/archive \
	-o w/indexes/i.cdxj w/archive
says "lines" 0
try "a cluster at ../../archive" status 0 "$crawlfs" index -q \
	--base=w/archive --format=zipnum -o w/x/k w/archive
says "a cluster" 1 "w/x/k/cluster.idx: .* mount it with -o data=w/archive$"
# of lines an index is made, which is looked for beside itself only
try "an index of lines" status 0 "$crawlfs" index -q -o w/indexes/l.cfx \
	w/indexes/i.cdxj
says "an index of lines" 1 "l.cfx: .* not where a mount looks for them"
try "an index that was not made again says nothing" status 0 "$crawlfs" index \
	-q --update -o a/a.cfx a
says "update" 0

finish
