#!/bin/sh
# jobs_test.sh - the jobs of contrib/jobs against an independent count.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
jobs=$CFS_SRCDIR/contrib/jobs
tab=$(printf '\t')
mnt=$T/mnt
has_program jq || skip_all "there is no jq"

expected() { python3 "$here/jobs_check.py" "$@"; }
# in_order JOB FILE...: tables are in the order of the tree; of pages with one
# URL, any.
in_order() {
	case $1 in links|pdfs) ;; *) return ;; esac
	shift
	for in_order_file; do
		sort -o "$in_order_file" "$in_order_file"
	done
}
same_lines() { cmp "$1" "$2" || { diff "$1" "$2" | head -n 20; false; }; }

# agrees JOB [OPTION...]: on the mount $mnt of the archives below $archives.
agrees() {
	agrees_job=$1
	shift
	status 0 "$jobs/$agrees_job" "$@" "$mnt" || return 1
	[ ! -s "$T/err" ] || { cat "$T/err"; return 1; }
	# shellcheck disable=SC2086	# words of their own
	expected count "$agrees_job" "$@" $read_from "$archives" >"$T/wanted" ||
		return 1
	[ "$(wc -l <"$T/wanted")" -ge "${least:-3}" ] ||
		{ echo "only $(wc -l <"$T/wanted") lines"; return 1; }
	in_order "$agrees_job" "$T/wanted" "$T/out"
	same_lines "$T/wanted" "$T/out"
}

# ---- pages made for it ----

expected make "$T/made" || exit 1
archives=$T/made
read_from="--prefix $mnt/"
try "mounts" start_mount mnt "$archives"
for job in tags servers words mail links graph pdfs; do
	try "$job" agrees $job
	try "$job of all captures" agrees $job --captures
done
try "servers with versions" agrees servers --full
try "mail in the source" agrees mail --source
try "links to what is embedded" agrees links --all
try "graph with what is embedded" agrees graph --all
try "graph inside hosts" agrees graph --self
try "words in little memory" env CRAWLFS_JOBS_MEMORY=5000 \
	sh -c '"$0" "$1" >"$2"' "$jobs/words" "$mnt" "$T/little"
"$jobs/words" "$mnt" >"$T/words"
try "are the same" same_lines "$T/words" "$T/little"

# PDF files as files
names_of_pdfs() {
	"$jobs/pdfs" --print0 "$mnt" >"$T/names" || return 1
	xargs -0 -n 1 test -f <"$T/names" || return 1
	"$jobs/pdfs" "$mnt" | cut -f 3 | sort >"$T/paths"
	tr '\0' '\n' <"$T/names" | sort | same_lines "$T/paths" -
}
try "pdfs --print0" names_of_pdfs
try "the listed name" grep -qx "$mnt/example/jobs/_/p d f/1.pdf" "$T/paths"
try "that of a page that is a folder, too" grep -qx \
	"$mnt/example/jobs/_/p d f#" "$T/paths"

# ---- folders ----

in_folder() {	# in_folder FOLDER [JOB ARGUMENT...]
	in_folder=$1
	shift
	(cd "$in_folder" && "$@") >"$T/got" 2>"$T/err" &&
		[ ! -s "$T/err" ] && same_lines "$T/words" "$T/got"
}
try "without a folder, the current one" in_folder "$mnt" "$jobs/words"
odd=$(printf -- "-type x=\t#'\"*\\\\\n(z")
mkdir "$T/odd"
ln -s "$mnt" "$T/odd/$odd"
ln -s "$jobs/words" "$T/odd/a job"
try "a folder of an odd name" in_folder "$T/odd" "$jobs/words" -- "$odd"
try "and a link to it" in_folder "$T/odd/$odd" "$jobs/words"
try "a job by a link" in_folder "$mnt" "$T/odd/a job"
twice() {
	"$jobs/words" "$mnt" "$mnt" | awk -F '\t' '$1 % 2 { exit 1 }
		{ print $1 / 2 "\t" $2 }' | same_lines "$T/words" -
}
try "two folders" twice
try "an empty folder" same "$(cd "$mnt/example/jobs/_/p d f" &&
	"$jobs/mail" . && echo ended)" ended
try "what is not there" status 1 "$jobs/words" "$T/none"
try "is named" complains "words: '$T/none' is not a folder"
try "a folder of no crawl" status 1 "$jobs/tags" "$archives"
try "is named as such" complains "not a folder of a crawl"
try "an unknown option" status 2 "$jobs/words" --no-such
try "is named, too" complains "words: unknown option '--no-such'"
for job in "$jobs"/*; do
	[ -x "$job" ] || continue
	try "${job##*/} --help" status 0 "$job" --help
	try "says how to use it" grep -q "^usage: ${job##*/} " "$T/out"
done

# ---- progress, Ctrl-C, readers that go ----

try "progress" status 0 "$jobs/words" --progress "$mnt"
pages=$(expected names "$archives" x | tr -dc '\0' | wc -c)
try "is on standard error" complains "^words: $pages pages, .*/s, at .*example/jobs"
try "and nothing else" same_lines "$T/words" "$T/out"
on_terminal='import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), 1)
    os.execv(sys.argv[2], sys.argv[2:])
out = b""
try:
    while True:
        out += os.read(fd, 4096)
except OSError:
    pass
print(out)
sys.exit(os.waitpid(pid, 0)[1] != 0)'
try "on a terminal" status 0 python3 -c "$on_terminal" "$T/got" \
	"$jobs/words" "$mnt"
try "progress is a line rewritten" grep -qF '\rwords: ' "$T/out"
try "and the counts are the same" same_lines "$T/words" "$T/got"
try "on a terminal without progress" status 0 python3 -c "$on_terminal" \
	"$T/got" "$jobs/words" --no-progress "$mnt"
try "there is none" same "$(cat "$T/out")" "b''"
gone() {
	"$jobs/words" "$mnt" 2>"$T/err" | head -n 1 >"$T/got"
	[ -s "$T/got" ] && [ ! -s "$T/err" ]
}
try "a reader that goes" gone

# The daemon stands still, so the job has not ended when it is interrupted.
interrupt='import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen(sys.argv[1:], start_new_session=True)
print(p.pid, flush=True)
sys.exit(p.wait() not in (130, -signal.SIGINT))'
group() { ps -o comm= -g "$(cat "$T/group")"; }
is_waiting() { group | grep -qx find && group | grep -qx xargs; }
nobody() { [ -z "$(group)" ]; }
interrupted() {	# interrupted JOB FILES
	mkdir "$T/tmp"
	TMPDIR=$T/tmp python3 -c "$interrupt" "$jobs/$1" "$mnt" >"$T/group" \
		2>"$T/err" &
	interrupted_process=$!
	wait_for is_waiting && same "$(find "$T/tmp" -type d | wc -l)" "$2" &&
		kill -INT "-$(cat "$T/group")" &&
		ended_with 0 "$interrupted_process" && wait_for nobody &&
		same "$(ls "$T/tmp")" "" && same "$(cat "$T/err")" ""
	interrupted_status=$?
	rm -rf "$T/tmp"
	return $interrupted_status
}
try "a cold mount" remount mnt "$archives"
ls "$mnt" >"$T/found"
freeze "$(pid_of mnt)"
try "Ctrl-C" interrupted words 1
try "Ctrl-C leaves no files" interrupted links 2
kill -CONT "$(pid_of mnt)"
try "the mount ends" stop_mount mnt

# ---- which views the mount lists makes no difference ----

for views in txt headers raw:meta:txt:headers:record:request; do
	# Holds N12.
	try "views=$views" start_mount mnt -o "views=$views" "$archives"
	try "the words" in_folder "$mnt" "$jobs/words"
	try "the tags" agrees tags
	try "the mount ends" stop_mount mnt
done

# ---- names: robots.txt may be a page or a text ----

# has_names CRAWL SUFFIX: pages writes the names that the model has.
pages='
usage() { :; }
option() { return 1; }
suffix=$1
shift
. "$(dirname "$0")/lib.sh"
run pages "$suffix" "$@"'
has_names() {
	expected names "$1" "$2" | sort -z >"$T/wanted"
	(cd "$mnt" && sh -c "$pages" "$jobs/words" "$2") >"$T/out" || return 1
	sed -z 's|^\./||' "$T/out" | sort -z >"$T/got"
	[ "$(tr -dc '\0' <"$T/got" | wc -c)" -ge 800 ] &&
		cmp "$T/wanted" "$T/got"
}
python3 "$model/hostile_urls.py" --seed 7 --count 1200 >"$T/urls"
"$mkcrawl" --warc --urls "$T/urls" --page-bytes 200 "$T/hostile" >/dev/null || exit 1
for views in raw:meta:txt txt meta:txt; do
	try "hostile names, views=$views" start_mount mnt -o "views=$views" \
		"$T/hostile"
	for suffix in .txt .headers ""; do
		# Holds N12.
		try "names of pages ${suffix:+with} $suffix" has_names \
			"$T/hostile" "$suffix"
	done
	try "the mount ends" stop_mount mnt
done

# ---- a larger crawl, in one piece and in several ----

"$mkcrawl" --records 1500 --hostile 15 --page-bytes 6000 --warc --arc --seed 3 \
	--archive-bytes 2000000 "$T/large" >/dev/null || exit 1
archives=$T/large
try "a larger crawl mounts" start_mount mnt "$archives"
read_from="--prefix $mnt/"
for job in tags servers pdfs; do
	try "its $job" agrees $job
	try "its $job of all captures" agrees $job --captures
done
read_from="--mount $mnt"
for job in words links graph; do
	try "its $job" agrees $job
done
for job in tags servers words graph pdfs links; do
	"$jobs/$job" "$mnt" >"$T/whole.$job"
	in_order $job "$T/whole.$job"
done
# Many jobs write into one pipe.
in_parallel() {
	find "$mnt" -mindepth 1 -maxdepth 1 -type d -print0 |
		xargs -0 -n 1 -P 4 "$jobs/$1" >"$T/parts" 2>"$T/err" || return 1
	"$jobs/merge-counts" <"$T/parts" | same_lines "$T/whole.$1" -
}
piped() {
	find "$mnt" -mindepth 1 -maxdepth 1 -type d -print0 |
		xargs -0 -n 1 -P 8 "$jobs/$1" 2>"$T/err" | cat |
		"$jobs/merge-counts" | same_lines "$T/whole.$1" -
}
for job in servers words; do
	try "$job by xargs -P into a file" in_parallel $job
done
for job in tags graph; do
	try "$job by xargs -P into a pipe" piped $job
done
# A SEQPACKET socket keeps the bounds of writes.
whole_writes='import socket, subprocess, sys
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
p = subprocess.Popen(sys.argv[1:], stdout=theirs)
theirs.close()
n = 0
while True:
    piece = ours.recv(1 << 20)
    if not piece:
        break
    n += 1
    assert len(piece) <= 4096 and piece.endswith(b"\n"), piece[-80:]
print(n, "writes")
sys.exit(p.wait() or n < 10)'
for job in words links; do
	try "$job writes whole lines" python3 -c "$whole_writes" "$jobs/$job" "$mnt"
done
try "the mount ends" stop_mount mnt
# Part mounts, as tasks of a cluster have them: the results one after the other.
for part in 1 2 3; do
	try "part $part" start_mount mnt -o "part=$part/3" "$archives"
	for job in words pdfs links; do
		(cd "$mnt" && "$jobs/$job" | sed "s|${tab}\./|$tab$mnt/|") \
			>>"$T/parts.$job"
	done
	try "ends" stop_mount mnt
done
try "words of three parts" sh -c '"$0" "$1" | cmp "$2" -' \
	"$jobs/merge-counts" "$T/parts.words" "$T/whole.words"
in_order links "$T/parts.links" "$T/parts.pdfs"
try "links of three parts" same_lines "$T/whole.links" "$T/parts.links"
try "pdfs of three parts" same_lines "$T/whole.pdfs" "$T/parts.pdfs"

# ---- languages: of a selection ----

archives=$T/made
read_from="--selection $T/selection.csv"
try "a selection mounts" start_mount mnt -o "data=$T/made" "$T/selection.csv"
try "languages" agrees languages
try "languages of all captures" agrees languages --captures
try "each language" agrees languages --each
try "without it all are unknown" grep -q "^[0-9]*${tab}-\$" "$T/out"
try "tags of a selection" agrees tags
try "the mount ends" stop_mount mnt

# ---- what cannot be read is told, and the rest is counted ----

place_of() { grep -F "jobs.example$1,jobs.warc.gz," "$T/selection.csv" | cut -d , -f "$2"; }
try "an index" "$crawlfs" index -q -o "$T/made/x.cfx" "$T/made/jobs.warc.gz"
cp "$T/made/jobs.warc.gz" "$T/sound"
python3 "$here/damage.py" at $(($(place_of /nobegin 3) + 60)) 30 "$T/sound" \
	"$T/made/jobs.warc.gz"
try "of an archive that is damaged then" start_mount mnt "$T/made/x.cfx"
for job in words tags servers mail links graph pdfs; do
	try "$job" status 1 "$jobs/$job" "$mnt"
	try "names the file" complains '/nobegin.*Input/output error'
	try "counts it" complains "^$job: 1 file could not be read"
	cp "$T/out" "$T/damaged.$job"
done
grep -vx "1${tab}first" "$T/words" >"$T/wanted"
try "one page is missing" not cmp -s "$T/words" "$T/wanted"
try "all other words are there" same_lines "$T/wanted" "$T/damaged.words"
cp "$T/sound" "$T/made/jobs.warc.gz"
try "the mount ends" stop_mount mnt

expected wat "$T/wat" || exit 1
try "an index with metadata that is no JSON" "$crawlfs" index -q -o "$T/wat.cfx" \
	"$T/wat"
try "mounts" start_mount mnt "$T/wat.cfx"
try "links" status 1 "$jobs/links" "$mnt"
try "of the others" same "$(tr '\n\t' '; ' <"$T/out")" "$(for page in before later
	do printf 'http://jobs.example/%s http://jobs.example/x l;' $page; done)"
try "and the one is named" complains "^links: jq: $mnt/example/jobs/_/odd#.meta: "
try "and counted" complains "^links: 1 file could not be read"
try "the mount ends" stop_mount mnt

# ---- merge-counts ----

printf '3\tb\n1\ta\tb \n9007199254740000\tbig\n2\t\n' >"$T/one"
printf '3\tc\n41\ta\tb \n2\tbig\n1\tB' >"$T/two"
printf '9007199254740002\tbig\n42\ta\tb \n3\tb\n3\tc\n2\t\n1\tB\n' >"$T/wanted"
try "merge-counts" status 0 "$jobs/merge-counts" "$T/one" "$T/two"
try "adds up" same_lines "$T/wanted" "$T/out"
cat "$T/one" "$T/two" | "$jobs/merge-counts" >"$T/got"
try "what is piped into it, too" same_lines "$T/wanted" "$T/got"
try "nothing is nothing" same "$("$jobs/merge-counts" </dev/null)" ""
printf 'x\ty\n5 z\n\n2\tb\n' >"$T/bad"
try "what are no counts" status 1 "$jobs/merge-counts" "$T/two" "$T/bad"
try "is counted" complains 'merge-counts: 3 lines are not COUNT TAB NAME'
try "and left out" grep -qx "2${tab}b" "$T/out"
try "a file that is missing" status 1 "$jobs/merge-counts" "$T/two" "$T/none"
try "is told" complains 'none: No such file'
try "merge-counts: an unknown option" status 2 "$jobs/merge-counts" --x

# ---- real pages ----

data=${CFS_DATA:-/nonexistent}
for archive in arc/warcbase/example.arc.gz warc/pywb/iana.warc.gz \
	warc/dolma/sample-0000.warc.gz; do
	if [ ! -e "$data/$archive" ]; then
		skip "$archive: not in $data"
		continue
	fi
	archives=$T/${archive##*/}
	mkdir "$archives"
	ln -s "$data/$archive" "$archives"
	try "${archive##*/} mounts" start_mount mnt "$archives"
	read_from='' least=1
	for job in tags servers; do
		try "$job" agrees $job
	done
	read_from="--mount $mnt"
	for job in words links graph; do
		try "$job" agrees $job
	done
	try "the mount ends" stop_mount mnt
done
finish
