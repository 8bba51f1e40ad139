# lib.sh - what the jobs share; sourced by them.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2016
#
# A job defines usage and option, sources this file, which leaves the folders
# in $@, and gives run the pipeline that it is:
#
#     pages VIEW FOLDER... | a program that reads many files | count | merge | whole_lines
#
# Names of files end in NUL, no list has a limit, and no memory grows with the
# number of pages.  What the programs say on standard error decides the exit
# status: grep and cat go on behind a file that they cannot read.

job=${0##*/}
. "$(dirname "$(readlink -f "$0")")/counts.sh"
captures=0	# 1: captures that are not the preferred one of their page, too
progress=auto

say() { printf '%s: %s\n' "$job" "$*" >&2; }
die() {
	say "$@"
	exit 1
}

common_usage() {
	cat <<'EOT'

FOLDERs are folders of a mounted crawl, by default the current one; what is in
two of them counts twice. A page with several captures is counted once, by the
capture that has its plain name.

  --captures     count all captures that are listed (NAME#1, NAME#2, ...)
  --progress     progress on standard error even where that is no terminal
  --no-progress  no progress
  --help         this text

Files that cannot be read are reported on standard error and left out. Exit
status: 0; 1 if something could not be read; 2 wrong arguments.
EOT
}

# ---- the command line ----

words_left=$# only_folders=
while [ "$words_left" -gt 0 ]; do
	word=$1
	shift
	words_left=$((words_left - 1))
	case $only_folders$word in
	-h|--help)
		usage
		common_usage
		exit 0 ;;
	--captures) captures=1 ;;
	--progress) progress=yes ;;
	--no-progress) progress=no ;;
	--) only_folders=/ ;;
	-*) option "$word" || {
			say "unknown option '$word'; see $job --help"
			exit 2
		} ;;
	*)	[ -d "$word" ] || die "'$word' is not a folder"
		case $word in	# and for find not an option either
		[./0-9A-Z_a-z]*) ;;
		*) word=./$word ;;
		esac
		set -- "$@" "$word" ;;
	esac
done
[ $# -gt 0 ] || set -- .
if [ "$progress" = auto ]; then
	[ -t 2 ] && progress=line || progress=no
fi
[ "$(find "$0" -prune -printf 'a\nb\0c' 2>/dev/null |
	awk 'BEGIN { RS = "\0" } END { print NR }')" = 2 ] ||
	die "this needs GNU find, and mawk or gawk as awk"

# ---- from folders to files ----

# pages SUFFIX FOLDER...: NAME#SUFFIX or NAME#N.SUFFIX of each page, in the form
# that always resolves (crawlfs-tree(7), "NAMES"); SUFFIX is .txt, .meta,
# .headers or nothing.  Whatever views the mount lists, a page is taken where
# the first of them stands.  A file named robots.txt may be a page or the text
# of another: bits 48 to 57 of its inode number say which view a file is.
#
# With MARK=/. a page that is listed by its plain name is DIR/./NAME#SUFFIX.
pages() {
	suffix=$1
	shift
	find -H "$@" -type f -printf '%i %p\0' |
		awk -v suffix="$suffix" -v captures="$captures" \
			-v mark="${MARK-}" -v progress="$progress" \
			-v job="$job" "$pages_awk"
}
pages_awk='
BEGIN {
	RS = "\0"
	n = split(".meta .txt .headers .arc.gz", s, " ")
	for (i = 1; i <= n; i++)
		cut[i + 1] = length(s[i])
	srand()
	started = shown = srand()
	terminal = "cat >&4"	# standard error itself, not complaints
}
{
	at = index($0, " ")
	view = int(substr($0, 1, at - 1) / 281474976710656) % 1024
	if (!first)
		start()
	if (view != first)
		next
	name = substr($0, at + 1)
	if (view == 5)
		sub(/\.(arc\.gz|warc\.gz|warc\.zst)$/, "", name)
	else
		name = substr(name, 1, length(name) - cut[view])
	# `##` is a # of the name itself
	form = "#"
	if (match(name, /#+[0-9]*$/)) {
		tail = substr(name, RSTART)
		digits = tail
		gsub(/#/, "", digits)
		if ((length(tail) - length(digits)) % 2) {
			if (digits != "" && !captures)
				next
			form = ""
		}
	}
	if (mark != "" && form != "" && view == 1) {
		match(name, /[^\/]*$/)
		name = substr(name, 1, RSTART - 2) mark substr(name, RSTART - 1)
	}
	printf "%s%s%s%c", name, form, suffix, 0
	if (++taken % 64 == 0 && progress != "no")
		show()
}
END {
	if (progress != "no")
		show_line()
	if (progress == "line")
		printf "\n" | terminal
}
function start() {
	first = view
	if (view >= 1 && view <= 5)
		return
	print "not a folder of a crawl mounted with one of views=" \
		"raw:meta:txt:headers:record" >"/dev/stderr"
	progress = "no"
	exit
}
function show() {
	srand()
	if (srand() - shown < (progress == "line" ? 1 : 30))
		return
	shown = srand()
	show_line()
}
function show_line(  where, seconds) {
	srand()
	seconds = srand() - started
	where = name
	sub(/\/_\/.*/, "", where)
	gsub(/[\001-\037\177-\377]/, "?", where)
	where = substr(where, length(where) > 40 ? length(where) - 39 : 1)
	printf progress == "line" ? "\r%s\033[K" : "%s\n",
		job ": " taken + 0 " pages, " int(taken / (seconds ? seconds : 1)) \
		"/s" (where == "" ? "" : ", at " where) | terminal
	fflush(terminal)
}'

# read_all GREP-ARGUMENT...: greps in all files named on standard input.
read_all() { xargs -0 -r grep -a "$@"; }

# with_type ERE: of the .headers files named on standard input those with such a
# Content-Type, without the suffix: the pages.
with_type() {
	cr=$(printf '\r')
	read_all -lZiE "^content-type[[:blank:]]*:[[:blank:]]*($1)[[:blank:]]*(;|$cr?\$)" |
		sed -z 's/\.headers$//'
}

# ---- from lines to counts ----

# count [AWK]: lines into COUNT TAB NAME, in parts that fit into memory; merge
# adds them up.  AWK may define another put(name, n).  CRAWLFS_JOBS_MEMORY: about
# so many bytes (64 MiB).
count() {
	awk -v most="${CRAWLFS_JOBS_MEMORY:-67108864}" "$count_awk ${1:-$count_put}"
}
count_awk='
{
	if (!n[$0]++ && (bytes += length($0) + 64) > most)
		flush_all()
}
END { flush_all() }
function flush_all(  name) {
	for (name in n)
		put(name, n[name])
	split("", n)
	bytes = 0
}
function out(name, n) { printf "%.0f\t%s\n", n, name }'
count_put='function put(name, n) { out(name, n) }'

# whole_lines: writes blocks of whole lines of at most 4,096 bytes, which the
# writes of other jobs into the same pipe (xargs -P) do not cut in two.
whole_lines() {
	awk '{
		if (length(block) + length($0) > 4000) {
			printf "%s", block
			fflush()
			block = ""
		}
		block = block $0 "\n"
	}
	END { printf "%s", block }'
}

# ---- from metadata ----

need_jq() {
	command -v jq >/dev/null || die "there is no jq (Debian: apt install jq)"
}
# json FILTER: what jq makes of each of the .meta files named on standard input.
# jq gives up at the first that is no JSON: then the files are read one by one.
json() {
	room=$(mktemp -d) || exit 1
	trap 'rm -rf "$room"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	xargs -0 -r -n 256 sh -c "$json_batch" json "$1" "$room"
}
json_batch='
filter=$1 out=$2/$$ err=$2/$$.err
shift 2
if jq -r "$filter" "$@" >"$out" 2>"$err"; then
	cat "$out"
else
	for file do
		if jq -r "$filter" "$file" >"$out" 2>"$err"; then
			cat "$out"
		elif cat "$file" >"$out" 2>"$err.cat"; then
			printf "jq: %s: " "$file" >&2
			head -n 1 "$err" >&2
		else
			cat "$err.cat" >&2
		fi
	done
fi'
# What counts as a link of a page: the elements that lead elsewhere; ALL
# includes what is embedded (img, script, link, and what has a type=).
links_of='
	.crawlfs.url? as $from | .content?.links?[]? |
	select(ALL or (.type? | . == "a" or . == "area" or . == "frame" or
		. == "iframe")) | [$from // input_filename, .href, .text] | @tsv'

# ---- standard error, and the exit status ----

# run COMMAND: the whole job.
run() {
	{ "$@" 2>&1 >&3 3>&- 4>&5 5>&- | complaints 3>&- 5>&-; } 3>&1 5>&2
}
complaints() {
	awk -v job="$job" '
	{
		gsub(/[\001-\037\177]/, "?")
		if (NR <= 10)
			printf "%s: %s\n", job, $0 >"/dev/stderr"
		failed += /^(find|grep|cat|jq): /
	}
	END {
		if (NR > 10)
			printf "%s: ... and %d more lines like these\n", job,
				NR - 10 >"/dev/stderr"
		if (failed)
			printf "%s: %d file%s could not be read\n", job,
				failed, (failed > 1 ? "s" : "") >"/dev/stderr"
		exit NR > 0
	}'
}
