#!/bin/sh
# lower_test.sh - overlays, and other file systems, over a mount whose sizes are
# estimates get true bytes, also where all sizes were listed before.
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
sizes() {	# sizes FOLDER: those of the pages
	(cd "$T/want/$pages" && find . -type f | sort) |
		(cd "$1" && xargs stat -c '%n %s')
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
fresh
if overlay "$T/m"; then
	umount "$T/ov"
	stop_mount m
	fresh
	try "sizes are estimated" estimated
	overlay "$T/m"
	try "listed, and then below an overlay" copied_up $pages
	try "ends well" stop_mount m
	fresh
	overlay "$T/m"
	listed
	try "below an overlay, and then listed" copied_up $pages
	try "ends well" stop_mount m
	fresh && listed
	overlay "$T/m/$pages"
	try "a folder of the crawl" copied_up .
	try "ends well" stop_mount m
	fresh && listed
	ln -s "$T/m" "$T/link"
	overlay "$T/link"
	try "by a link" copied_up $pages
	(cd "$T" && overlay m)
	try "by a relative path" copied_up $pages
	try "ends well" stop_mount m
	fresh && listed
	mkdir "$T/b"
	mount --bind "$T/m" "$T/b"
	overlay "$T/b"
	try "a bind mount of it" copied_up $pages
	umount "$T/b"
	try "ends well" stop_mount m
	fresh && listed
	overlay "/usr:$T/m"
	try "the second of two layers" copied_up $pages
	try "ends well" stop_mount m
	fresh threads=1 && listed
	overlay "$T/m"
	try "served by one thread" copied_up $pages
	try "ends well" stop_mount m
	fresh && listed
	rm -rf "$T/up" && mkdir "$T/up" "$T/up/u" "$T/up/w"
	try "in other name spaces" unshare -m sh -c 'mount -t overlay \
		-o "lowerdir=$1/m,upperdir=$1/up/u,workdir=$1/up/w" none \
		"$1/ov" && find "$1/ov/$2" -type f -exec touch -c {} +' \
		sh "$T" $pages
	try "have right bytes" same_files "$T/up/u/$pages"
	try "ends well" stop_mount m
	fresh && listed
	overlay "$T/m"
	try "read through it" same_files "$T/ov/$pages"
	umount "$T/ov"
	try "statfs goes on" stat -f "$T/m"
	try "ends well" stop_mount m
	fresh
	overlay "$T/m"
	kill -TERM "$(pid_of m)"
	umount "$T/ov"
	umount -l "$T/m" 2>/dev/null
	try "ends while it is below one" wait_for has_ended "$(pid_of m)"
else
	stop_mount m
	skip "overlays: there are none here"
fi

# ---- other file systems of FUSE, and servers ----

# sizes_by NAME: what a process of that name is told
sizes_by() {
	cp "$(command -v stat)" "$T/$1" || return 1
	(cd "$T/want/$pages" && find . -type f | sort) |
		(cd "$T/m/$pages" && xargs "$T/$1" -c '%n %s')
}
if has_program bindfs; then
	fresh && listed
	try "bindfs mounts" bindfs -r "$T/m" "$T/ov"
	try "has right sizes" same "$(sizes "$T/ov/$pages")" \
		"$(sizes "$T/want/$pages")"
	try "and bytes" same_files "$T/ov/$pages"
	umount "$T/ov"
	try "ends well" stop_mount m
	fresh
	try "bindfs mounts" bindfs -r "$T/m" "$T/ov"
	listed
	try "listed by others, it has right bytes" same_files "$T/ov/$pages"
	umount "$T/ov"
	try "ends well" stop_mount m
	fresh
	bindfs -r "$T/m" "$T/ov"
	listed
	try "beside it a server is told right sizes" same \
		"$(sizes_by sftp-server)" "$(sizes "$T/want/$pages")"
	umount "$T/ov"
	try "ends well" stop_mount m
else
	skip "bindfs: there is none"
fi

# ---- everybody else is told what costs nothing ----

fresh
listed
try "sizes are estimated" estimated
try "a list of sizes opens nothing" grep -q '"open": 0,' "$T/m/.crawlfs/stats"
try "ends well" stop_mount m
finish
