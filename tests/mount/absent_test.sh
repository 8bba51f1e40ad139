#!/bin/sh
# absent_test.sh - bodies that are absent or cut inside their coding are no empty
# files, by any way out.
# SPDX-License-Identifier: GPL-3.0-or-later
ABSENT=error
. "$CFS_SRCDIR/tests/mount/lib.sh"
has_program zstd || skip_all "there is no zstd"

bodies() { python3 "$here/absent_check.py" "$@"; }
F=$T/made
views=raw:meta:txt:md:headers:record
mkdir "$F" "$T/other"
bodies make "$F" && bodies wacz "$T/other" || exit 1
cd "$T" || exit 1
archive=$F/bodies.warc.gz

# Holds E32.
try "cat" bodies cat "$F" "$crawlfs"

# ---- what commands say ----
said() {	# said NUMBER PATTERN COMMAND...: the status, and a line of either output
	said_status=$1 said_line=$2
	shift 2
	"$@" >"$T/said" 2>&1
	same $? "$said_status" && grep -qE "$said_line" "$T/said" ||
		{ cat "$T/said"; return 1; }
}
# Holds E32.
try "index counts what is absent" said 0 '^  4 revisits without a body' \
	"$crawlfs" index -o "$T/i.cfx" --base="$F" "$archive"
# Holds E32.
try "and what is cut" grep -q '^  8 captures with a part of the body' "$T/said"
"$crawlfs" index -q --markdown --base="$F" -o "$T/md.cfx" "$archive"
"$crawlfs" index -q --no-views --base="$F" -o "$T/plain.cfx" "$archive"
"$crawlfs" index -q --base="$F" -o "$T/i.cdxj" "$archive"
# Holds E32.
try "copy counts what is absent" said 0 '^  4 revisits without a body' \
	"$crawlfs" copy -o "$T/copy.warc.gz" "$archive" /
try "and what is cut, too" grep -q '^  8 captures with a part of' "$T/said"
# Holds E32.
try "verify counts what is absent" said 1 ' 4 revisits without a body' \
	"$crawlfs" verify --report="$T/report" "$archive"
# Holds E32.
try "and finds what is cut" same 8 "$(grep -c '"kind":"body"' "$T/report")"
sed -i '/"end":true/d' "$T/report"
try "verify counts again what it has verified" said 1 \
	' 4 revisits without a body' "$crawlfs" verify --report="$T/report" \
	"$archive"
{
	printf 'org,example)/x 20240101000000 {"url": "http://example.org/x", '
	printf '"mime": "text/html", "status": "200", "length": "100", '
	printf '"offset": "0", "filename": "none.warc.gz"}\n'
} >"$T/more.cdxj"
"$crawlfs" index -q --words --base="$F" -o "$T/words.cfx" "$archive"
"$crawlfs" index -q --words --base="$F" -o "$T/more.cfx" "$archive" \
	"$T/more.cdxj" 2>"$T/err"
for i in i words more; do
	# Holds E32.
	try "grep counts what is absent: $i" said 2 \
		': 4 revisits without a body' "$crawlfs" grep none-has-it \
		--data="$F" "$T/$i.cfx"
	try "it is told in one line: $i" not grep -q gone- "$T/said"
done
try "what else has no text is told" grep -q 'org/example/_/x.txt:' "$T/said"
for i in words more; do
	try "with a list it is not read: $i" said 2 \
		': 4 revisits without a body' "$crawlfs" grep none-has-it \
		--data="$T/other" "$T/$i.cfx"
	try "nor told as if it were: $i" not grep -q gone- "$T/said"
done
# Holds E32.
try "a WACZ names what it requires" said 0 "requires 'first.wacz'" \
	"$crawlfs" index -o "$T/w.cfx" --base="$T/other" "$T/other/second.wacz"
try "beside it nothing is missing" said 0 '2 captures' \
	"$crawlfs" index --force -o "$T/w.cfx" --base="$T/other" "$T/other"
try "beside it nothing is said" not grep -qE 'requires|without' "$T/said"
mkdir "$T/pair" && cp "$T/other/first.wacz" "$T/other/second.wacz" "$T/pair/"
try "nor beside it in a list of sources" said 0 '' \
	"$crawlfs" lookup "$T/pair/second.wacz,$T/pair/first.wacz" /
try "which is opened for the first time" not grep -q requires "$T/said"
try "a package that all revisits ask for is not read for each" said 0 \
	'  300 revisits without a body' \
	"$crawlfs" index --threads=2 -o "$T/many.cfx" "$T/many.wacz"
try "as is seen by what is said of it" test \
	"$(grep -c "'datapackage.json' is not" "$T/said")" -lt 10

# ---- rows ----
fields=url,text,body,truncated,error
# Holds E32.
"$crawlfs" export -q --order=index --fields=$fields "$archive" >"$T/rows"
try "rows with an error: status 1" same 1 $?
try "rows" bodies rows "$F" "$T/rows"
"$crawlfs" export -q --order=archive --fields=$fields "$archive" >"$T/rows"
try "rows in the order of archives are not cut in silence" same 9 \
	"$(grep -c '"truncated"' "$T/rows")"

# ---- mounts ----
for source in "$archive" i.cfx md.cfx plain.cfx i.cdxj; do
	name=${source##*/}
	for how in lazy exact; do
		try "$name, size=$how: mounts" start_mount m \
			-o "views=$views,size=$how,data=$F" "$source"
		# Holds E32.
		try "$name, size=$how: each file" bodies mount "$F" "$T/m"
		try "$name, size=$how: the daemon ends well" stop_mount m
	done
	try "$name, absent=empty: mounts" start_mount m \
		-o "views=$views,absent=empty,data=$F" "$source"
	# Holds E32.
	try "$name, absent=empty: each file" bodies mount "$F" "$T/m" empty
	try "$name, absent=empty: the daemon ends well" stop_mount m
done
# grep, for which a file that can be opened and not read is an empty one
mkdir "$T/union"
"$crawlfs" index -q --base="$F" -o "$T/union/a.cfx" "$archive"
"$mkcrawl" --warc --records 600 --page-bytes 300 "$T/usual" >/dev/null
"$crawlfs" index -q --base="$T/usual" -o "$T/union/b.cfx" "$T/usual" 2>"$T/err"
counts() {
	start_mount m -o "views=txt,data=$F" "$1" || return 1
	(cd "$T/m" && LC_ALL=C.UTF-8 grep -rc none-has-it) >"$T/want" 2>"$T/err"
	"$crawlfs" grep -c none-has-it --data="$F" "$1" >"$T/got" 2>"$T/err"
	stop_mount m && [ -s "$T/want" ] && cmp "$T/want" "$T/got"
}
for source in words.cfx plain.cfx i.cdxj union; do
	# Holds R30.
	try "$source: grep -c" counts "$T/$source"
done
try "again, with what was learnt" start_mount m -o "views=$views" "$archive"
try "again: each file" bodies mount "$F" "$T/m"
try "again: the daemon ends well" stop_mount m
# Holds E32.
try "a mount says how many" grep -q '4 revisits without a body.*8 captures' \
	"$T/m.log"

# ---- a WACZ that requires another ----
page=com/example/_/w
python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import absent_check
sys.stdout.buffer.write(absent_check.TEXT)' "$here" >"$T/w"
both_read() {	# both_read FILE...: each is the page of first.wacz
	for one in "$@"; do
		same "$(stat -c %s "$one")" "$(stat -c %s "$T/w")" &&
			cmp "$one" "$T/w" || return 1
	done
}
# Holds E32.
try "what is needed is named" said 1 \
	"not in this source: it may be in 'first.wacz'" \
	"$crawlfs" cat "$T/other/second.wacz" $page
try "an index of each" "$crawlfs" index -q -o "$T/2.cfx" --base="$T/other" \
	"$T/other/second.wacz"
for given in "first second" "second first" "2.cfx first" "first 2.cfx"; do
	# shellcheck disable=SC2086
	set -- $given
	for one in "$@"; do
		shift
		[ -e "$T/$one" ] && set -- "$@" "$T/$one" ||
			set -- "$@" "$T/other/$one.wacz"
	done
	try "$given: mounts" start_mount m -o "size=exact,data=$T/other" "$@"
	# Holds E32.
	try "$given: the body is taken from the other" both_read "$T"/m/*/$page
	try "$given: no view is absent" same "" \
		"$(find "$T/m" -name 'w*' -size -2c)"
	try "$given: the daemon ends well" stop_mount m
	# Holds E32.
	try "$given: as one tree, too" said 0 '' "$crawlfs" cat \
		--data="$T/other" "$1,$2" "$page#1" "$page"
	cat "$T/w" "$T/w" >"$T/twice"
	try "$given: both captures" cmp "$T/said" "$T/twice"
	try "$given: rows" same 2 "$("$crawlfs" export -q --order=index \
		--fields=url,text --data="$T/other" "$1,$2" |
		grep -c '"text":"line 0')"
	try "$given: copied, nothing is missing" said 0 '2 records' \
		"$crawlfs" copy --force -o "$T/copy.warc.gz" \
		--data="$T/other" "$1,$2" /
	try "$given: nor is it said so" not grep -q without "$T/said"
done

# ---- WACZ files that require one another in a circle ----
# circle N SOURCE...: what each revisit of N files, given as a list, says
circle() {
	circle_n=$1 circle_of=$2
	for circle_i in 0 1 2; do
		[ $circle_i -lt "$circle_n" ] || continue
		circle_next=$(((circle_i + 1) % 3))
		"$crawlfs" cat --data="$T/circle" "$circle_of" com/example/_/again$circle_i \
			>"$T/again" 2>"$T/said"
		case "$circle_n $circle_i" in
		'1 0' | '2 1')	# whose original is in a file that is not given
			[ ! -s "$T/again" ] && grep -q "may be in '$circle_next.wacz'" "$T/said" || return ;;
		*) { cat "$T/w" && printf $circle_next; } | cmp - "$T/again" || return ;;
		esac
		"$crawlfs" cat --data="$T/circle" "$circle_of" com/example/_/gone$circle_i \
			>"$T/again" 2>"$T/said" && return 1
		[ ! -s "$T/again" ] && grep -q "may be in '$circle_next.wacz'" "$T/said" || return
	done
}
# Holds E32.
try "one of a circle" circle 1 "$T/circle/0.wacz"
try "two of three" circle 2 "$T/circle/0.wacz,$T/circle/1.wacz"
try "a circle" circle 3 "$T/circle/0.wacz,$T/circle/1.wacz,$T/circle/2.wacz"
try "from any of them on" circle 3 "$T/circle/2.wacz,$T/circle/0.wacz,$T/circle/1.wacz"
try "their folder as one index" said 0 '3 revisits without a body' \
	"$crawlfs" index -o "$T/circle.cfx" --base="$T/circle" "$T/circle"
try "requires nothing else" not grep -q requires "$T/said"
try "which shows the same" circle 3 "$T/circle.cfx"
try "two of them as one index name the third" said 0 "1.wacz: requires '2.wacz'" \
	"$crawlfs" index -o "$T/two.cfx" --base="$T/circle" "$T/circle/0.wacz" "$T/circle/1.wacz"
try "and none besides" same 1 "$(grep -c requires "$T/said")"
try "a circle mounts" start_mount m -o "size=exact,data=$T/circle" "$T"/circle/?.wacz
circle_reads() {
	for i in 0 1 2; do
		{ cat "$T/w" && printf $(((i + 1) % 3)); } | cmp - "$T/m/$i/com/example/_/again$i" &&
			not cat "$T/m/$i/com/example/_/gone$i" || return
	done
}
# Holds E32.
try "each takes the body from the next one" circle_reads
try "the daemon ends well" stop_mount m

# ---- the server ----
"$crawlfs" serve --listen=127.0.0.1:0 "$T/other/second.wacz" \
	"$T/other/first.wacz" >"$T/serve.out" 2>&1 &
server=$!
try "it serves two WACZ" wait_for grep -q '^serving on ' "$T/serve.out"
url=$(sed -n 's/^serving on //p' "$T/serve.out")
# Holds E32.
try "the body of the one is taken from the other" same "$(cat "$T/w")" \
	"$(curl -s "${url}view/second/$page")"
kill "$server"
try "that server ends well" ended_with 0 "$server"
"$crawlfs" serve --listen=127.0.0.1:0 "$archive" >"$T/alone.out" 2>&1 &
server=$!
try "it serves" wait_for grep -q '^serving on ' "$T/alone.out"
# Holds E32.
try "pages by HTTP" bodies serve "$F" "$(sed -n 's/^serving on //p' \
	"$T/alone.out")"
kill "$server"
try "the server ends well" ended_with 0 "$server"
finish
