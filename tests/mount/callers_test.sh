#!/bin/sh
# callers_test.sh - statfs, getattr, open and read are answered, whoever asks: other
# users, other name spaces, threads of the kernel, and while crawlfs cannot see who
# it is.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

python3 "$here/lower_crawl.py" "$T/low.warc.gz" "$T/want" || exit 1
"$crawlfs" index -q -o "$T/exact.cfx" "$T/low.warc.gz" || exit 1
"$crawlfs" index -q --format=cdxj --base="$T" -o "$T/estimated.cdxj" \
	"$T/low.warc.gz" || exit 1
page=example/low/_/d1/p13.html
# Other users serve and ask, too.
cp "$crawlfs" "$T/crawlfs"
chmod 755 "$T" "$T/crawlfs"
chmod 644 "$T"/*.warc.gz "$T"/*.c*x*
unset XDG_CACHE_HOME TMPDIR

asks() {	# asks exact|estimated FILE CALLER
	mkdir -p "$T/m.$1"
	(umask 022 && python3 "$here/callers.py" "$T/crawlfs" "$T/$2" \
		"$T/m.$1" "$page" "$T/want/$page" "$1" "$3" >"$T/case.log" 2>&1)
	case $? in
	# Holds P6.
	0) ok "$1 sizes: $3" ;;
	77) skip "$1 sizes: $3: not to be had here" ;;
	*) fail "$1 sizes: $3"; tail -n 25 "$T/case.log" ;;
	esac
}
for who in "root" "another user" "amid signals" "outside the PID namespace" \
	"in a PID namespace" "of crawlfs without CAP_SYS_PTRACE" \
	"of crawlfs without /proc" "not dumpable" "root, of a user's mount" \
	overlay fanotify ustat; do
	asks exact exact.cfx "$who"
	asks estimated estimated.cdxj "$who"
done
finish
