#!/bin/sh
# deadline_test.sh - a request of the kernel ends in time, wherever it waits.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

# -o timeout=4, and no call waits for that time twice
N=4 most=7.5
www=$T/www
mkdir "$T/some" "$www"
"$mkcrawl" --records 400 --hostile 5 --page-bytes 3000 --warc "$www" >/dev/null || exit 1
# its index is more than what opening it brings whole
"$mkcrawl" --records 45000 --page-bytes 50 --bare --warc "$T/some" >/dev/null || exit 1
mv "$T/some/crawl-data" "$www/wide-data"
tab=$(printf '\t')
cat >"$T/urls" <<END
http://news.example/paper${tab}20240101000000${tab}200${tab}response
http://news.example/paper${tab}20240201000000${tab}200${tab}revisit
http://news.example/press${tab}20240101000000${tab}200${tab}response
http://news.example/press${tab}20240201000000${tab}200${tab}revisit
END
"$mkcrawl" --urls "$T/urls" --records 4 --warc "$T/some" >/dev/null || exit 1
mv "$T/some/crawl-data" "$www/again-data"
"$mkcrawl" --records 2 --shape flat --page-bytes 1000000 --warc "$T/some" >/dev/null || exit 1
mv "$T/some/crawl-data" "$www/big-data"
(cd "$www" && for kind in crawl wide again big; do
	"$crawlfs" index -q -o $kind.cfx $kind-data || exit 1
done) 2>"$T/err" || { cat "$T/err"; exit 1; }
start_faultd faultd "$www" || skip_all "no server"

files() { pages_of "$1" | sed "s|^$T/$1/||" | sort; }
there() {	# there NAME OPTION...: a cold mount of NAME.cfx
	there_index=$1
	shift
	start_mount there -o "cache=$(mktemp -d "$T/cache.XXXXXX"),timeout=$N" \
		"$@" "$url/$there_index.cfx"
}
# ends RESULT CALL...: the calls end in time, all of them with that.
ends() {
	ends_result=$1
	shift
	python3 "$net/deadline.py" $most "$@" >"$T/calls"
	ends_status=$?
	cat "$T/calls"
	[ $ends_status -eq 0 ] && ! grep -v "^[a-z]* $ends_result " "$T/calls"
}
# works MOUNT FILE...: when the server does, their bytes are right.  What took
# that long is told again for a moment.
works() {
	ctl "$port" clear
	works_mount=$1
	shift
	for works_file; do
		wait_for cmp "$T/$works_mount/$works_file" "$T/there/$works_file" ||
			return 1
	done
}

try "mount files" start_mount here "$www/crawl.cfx"
files here >"$T/files"
a=$(sed -n 10p "$T/files") b=$(sed -n 200p "$T/files")
c=$(sed -n 300p "$T/files")

# ---- the archives stall ----

try "mount their URL" there crawl
find "$T/there" >/dev/null
rule fault=stall match=warc.gz
try "a reader" ends ETIMEDOUT "read=$T/there/$a"
try "a reader again, at once" ends ETIMEDOUT "read=$T/there/$a"
# Holds I1.
try "readers that join a read under way" ends ETIMEDOUT "read=$T/there/$a" \
	"1@read=$T/there/$a" "3.5@read=$T/there/$a" "2@read=$T/there/$a.meta" \
	"3@read=$T/there/$b" "3.8@read=$T/there/$a.txt"
rule fault=stall match=warc.gz
start cat "$T/there/$a" >/dev/null 2>&1
wait_for has_stalled
kill -KILL $started
try "a reader after one that was killed" ends ETIMEDOUT "read=$T/there/$a"
try "the pages work when the server does" works here "$a" "$b" "$c"
c=$(sed -n 310p "$T/files")
rule fault=status value=503
# Holds I1.
try "a server that is too busy" sh -c "
	python3 '$net/deadline.py' $most 'read=$T/there/$c' 'read=$T/there/$c.meta' |
		tee '$T/calls'
	grep -Ec ' (ETIMEDOUT|EIO) ' '$T/calls' | grep -qx 2"
try "works again, too" works here "$c" "$c.meta"
try "unmount it" stop_mount there
try "unmount the files" stop_mount here

# ---- the index stalls ----

try "mount a wider crawl" start_mount here "$www/wide.cfx"
try "mount its URL" there wide
rule fault=stall match=wide.cfx
page=$(files here | sed -n 20000p)
dir=$(dirname "$page")
top=$(echo "$page" | cut -d/ -f1)
# Holds I1.
try "LOOKUP" ends ETIMEDOUT "stat=$T/there/$top" "1@stat=$T/there/$top" \
	"3@stat=$T/there/$page"
# Holds I1.
try "READDIR of the root" ends ETIMEDOUT "list=$T/there"
ctl "$port" clear
try "the folder is there" wait_for test -d "$T/there/$dir"
try "unmount it once more" stop_mount there
try "mount it, cold" there wide
try "a folder of it" [ -d "$T/there/$dir" ]
rule fault=stall match=wide.cfx
try "READDIR of a folder" ends ETIMEDOUT "list=$T/there/com"
ctl "$port" clear
is_complete() {
	(cd "$T/here" && find . | sort) >"$T/a"
	(cd "$T/there" && find . | sort) | cmp - "$T/a"
}
try "and complete" wait_for is_complete
try "unmount the stalled one" stop_mount there
try "unmount the files" stop_mount here

# ---- one request after the other, each slow ----

try "mount revisits" start_mount here "$www/again.cfx"
# the later capture is the revisit: it has the plain name
paper=example/news/_/paper press=example/news/_/press
# Holds C9.
try "which have the bytes of what they refer to" sh -c "
	cd '$T/here' && [ -s $paper ] && cmp $paper $paper#1 && cmp $press $press#1"
try "mount them from the server" there again
find "$T/there" >/dev/null
rule fault=late value=2500 match=warc.gz
ctl "$port" log >/dev/null
# Holds I1.
try "a page of two slow requests" ends ETIMEDOUT "read=$T/there/$paper"
try "it was two" wait_for has_stalled 2
wait_for settled there
try "its bytes are right later" works here "$paper"
rule fault=stall match=warc.gz skip=1
try "a page whose bytes are another's" ends ETIMEDOUT "read=$T/there/$press"
try "is not empty from then on" works here "$press"
try "unmount revisits" stop_mount there
try "unmount their files" stop_mount here

# ---- slow, but it goes on ----

try "mount large pages" start_mount here "$www/big.cfx"
big=$(files here | head -n 1)
N=1 most=60
try "from the server" there big
find "$T/there" >/dev/null
rule fault=slow value=70000 match=warc.gz
# Holds I2.
try "what comes slowly is waited for" ends "ok $(sha1 "$T/here/$big")" \
	"read=$T/there/$big" "0.5@read=$T/there/$big" "1.5@read=$T/there/$big"
# Holds I2.
try "it took longer than the timeout" grep -E ' [1-9][0-9]*\.[0-9]*$' "$T/calls"
try "unmount large pages" stop_mount there
try "unmount the last" stop_mount here
finish
