#!/bin/sh
# lower_test.sh - overlays, and other file systems, over a mount with size=exact get
# true bytes, also where all sizes were listed before.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

mkdir "$T/a" "$T/x" "$T/m" "$T/ov"
python3 "$here/lower_crawl.py" "$T/a/low.warc.gz" "$T/want" || exit 1
"$crawlfs" index -q --format=cdxj --base="$T/a" -o "$T/x/x.cdxj" \
	"$T/a/low.warc.gz" || exit 1
pages=example/low/_
# Every mount is a cold one, which keeps nothing of others.
fresh() {	# fresh [OPTION]
	start_mount m -o "data=$T/a,cache_size=0,views=raw${1:+,$1}" \
		"$T/x/x.cdxj" --cache="$T/cache.$(date +%N)"
}
listed() { ls -lR "$T/m" >/dev/null; }
sizes() {	# sizes FOLDER [PROGRAM]: those of the pages
	(cd "$T/want/$pages" && find . -type f | sort) |
		(cd "$1" && xargs "${2:-stat}" -c '%n %s')
}
estimated() {	# some are wrong: else nothing is tested here
	not same "$(sizes "$T/m/$pages")" "$(sizes "$T/want/$pages")"
}
same_files() {	# same_files FOLDER: its files have the right bytes
	(cd "$T/want/$pages" && find . -type f | sort) >"$T/names"
	while read -r name; do
		cmp "$1/$name" "$T/want/$pages/$name" || return 1
	done <"$T/names"
}

# ---- with estimates a list of sizes costs nothing ----

fresh
listed
try "sizes are estimated" estimated
try "a list of sizes opens nothing" grep -q '"open": 0,' "$T/m/.crawlfs/stats"
try "ends well" stop_mount m

# ---- overlays ----

overlay() {	# overlay LOWER: mounted on $T/ov
	rm -rf "$T/up" && mkdir "$T/up" "$T/up/u" "$T/up/w" &&
	mount -t overlay -o "lowerdir=$1,upperdir=$T/up/u,workdir=$T/up/w" \
		none "$T/ov"
}
copied_up() {	# copied_up FOLDER: all of it, below the overlay
	find "$T/ov/$1" -type f -exec touch -c {} + && umount "$T/ov" &&
		same_files "$T/up/u/$1"
}
fresh size=exact
if overlay "$T/m"; then
	try "below an overlay" copied_up $pages
	listed
	overlay "$T/m/$pages"
	# Holds S2.
	try "listed, and then below an overlay" copied_up .
	overlay "/usr:$T/m"
	# Holds S2.
	try "read through it" same_files "$T/ov/$pages"
	kill -TERM "$(pid_of m)"
	umount "$T/ov"
	umount -l "$T/m" 2>/dev/null
	try "ends while it is below one" wait_for has_ended "$(pid_of m)"
else
	stop_mount m
	skip "overlays: there are none here"
fi

# ---- other file systems of FUSE, and servers ----

fresh size=exact
listed
cp "$(command -v stat)" "$T/sftp-server"
# Holds S2.
try "a server is told right sizes" same \
	"$(sizes "$T/m/$pages" "$T/sftp-server")" "$(sizes "$T/want/$pages")"
if has_program bindfs; then
	try "bindfs mounts" bindfs -r "$T/m" "$T/ov"
	try "has right sizes" same "$(sizes "$T/ov/$pages")" \
		"$(sizes "$T/want/$pages")"
	try "and bytes" same_files "$T/ov/$pages"
	umount "$T/ov"
else
	skip "bindfs: there is none"
fi
try "ends well" stop_mount m
finish
