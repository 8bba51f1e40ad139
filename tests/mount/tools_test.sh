#!/bin/sh
# tools_test.sh - ordinary tools on a mount, against the same tree unpacked.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The sizes of .meta and .txt, and of bodies with an encoding, may be guesses
# until a file is opened; every tool must read the exact bytes nevertheless,
# from a cold mount and after something has looked at all the guesses.
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 60 --hostile 15 --hosts 3 --arc --warc "$T/crawl" \
	>/dev/null || exit 1
source=$T/crawl.cfx
"$crawlfs" index -q --no-views -o "$source" "$T/crawl" || exit 1
want=$T/want
try "unpacks the model's tree" check unpack "$crawlfs" "$source" \
	"$T/crawl/manifest.tsv" "$want"
check hash "$want" >"$T/want.hash"
cold() {	# a mount that nobody has looked at
	[ ! -e "$T/mounts/m" ] || stop_mount m
	# shellcheck disable=SC2086
	start_mount m ${mount_options-} "$source" || return
	[ "${1-}" != looked ] || ls -lR "$T/m" >/dev/null
	cd "$T/m" || return
}
leave() { cd "$T" || exit 1; }
files() { find "$@" -type f | sort; }

# on_both NAME COMMAND: the command says the same in both folders.
on_both() {
	(cd "$want" && sh -c "$2") >"$T/said.want" 2>&1
	for state in cold looked; do
		try "mounts" cold $state
		sh -c "$2" >"$T/said.m" 2>&1
		try "$1 ($state)" cmp "$T/said.want" "$T/said.m"
		leave
	done
	[ -s "$T/said.want" ] || fail "$1 says nothing"
}

all='find . -type f -print0 | sort -z | xargs -0'
on_both "find" 'find . -printf "%P %y %d\n" | sort'
on_both "ls -R" 'ls -RU1p | grep -v : | sort'
# Holds T1.
on_both "find -mtime" 'find . -type f -printf "%P %TY-%Tm-%TdT%TT\n" | sort'
on_both "cat" "$all cat | sha1sum"
# Holds S3.
on_both "md5sum" "$all md5sum"
on_both "sha1sum" "$all sha1sum"
on_both "wc" "$all wc"
on_both "wc -c" "$all wc -c"
# Holds S1.
on_both "wc -c of standard input" \
	'find . -type f | sort | while read -r f; do wc -c <"$f"; done'
on_both "grep -r" 'grep -raoE "<title>[^<]{0,40}" . | sort'
on_both "grep -rc" 'grep -rc the . | sort'
on_both "grep -rl" 'grep -rlZ "charset" . | sort -z | tr "\0" "\n"'
# Holds S3.
on_both "tail -c" "$all tail -qc 100"
on_both "tail -c from the front" "$all tail -qc +1000 | sha1sum"
on_both "tail -n" "$all tail -qn 2 | sha1sum"
on_both "head -c" "$all head -qc 333"
on_both "head -c all but" "$all head -qc -333 | sha1sum"
on_both "sort" "$all sort | sha1sum"
on_both "od" "$all od -An -tx1 | sha1sum"
on_both "dd at odd offsets" 'find . -type f | sort | while read -r f; do
	dd if="$f" bs=7 skip=13 count=501 2>/dev/null | sha1sum
	dd if="$f" bs=4099 skip=1 2>/dev/null | sha1sum; done'
on_both "du --apparent-size after reading" \
	"$all cat >/dev/null; du -ab --apparent-size . | grep -c ."
if has_program file; then
	on_both "file" "$all file | sed 's/, with .*//'"
else
	skip "file: not installed"
fi

for how in plain small pread seek mmap sendfile; do
	for state in cold looked; do
		try "mounts" cold $state
		leave
		check hash --how $how "$T/m" >"$T/m.hash"
		# Holds S2.
		try "read by $how ($state)" cmp "$T/want.hash" "$T/m.hash"
	done
done

# copies made from a mount that nobody has looked at
copied() {	# copied NAME FOLDER: and nothing was said
	try "$1: a copy like the original" diff -r "$want" "$2"
	check hash "$2" >"$T/copy.hash"
	try "$1: byte for byte" cmp "$T/want.hash" "$T/copy.hash"
	try "$1: without a word" not test -s "$T/said"
}
for state in cold looked; do
	# Holds S3.
	rm -rf "$T/copy" "$T/tar"
	try "mounts" cold $state
	leave
	# Holds S3.
	try "cp -r ($state)" cp -r "$T/m" "$T/copy" 2>"$T/said"
	copied "cp -r ($state)" "$T/copy"

	rm -rf "$T/copy"
	try "mounts" cold $state
	leave
	tar -C "$T/m" -cf "$T/tar" . 2>"$T/said"
	# Holds S6.
	try "tar ($state)" same $? 0
	mkdir "$T/copy"
	tar -C "$T/copy" -xf "$T/tar" 2>>"$T/said"
	copied "tar ($state)" "$T/copy"
	# what compares sizes without opening wants -o size=exact
	mount_options="-o size=exact"
	try "mounts with exact sizes" cold $state
	leave
	# Holds S5.
	try "tar --compare ($state)" tar -C "$T/m" --compare -f "$T/tar"
	mount_options=

	if has_program rsync; then
		rm -rf "$T/copy"
		try "mounts" cold $state
		leave
		rsync -a "$T/m/" "$T/copy" >"$T/said" 2>&1
		# Holds S3.
		try "rsync -a ($state)" same $? 0
		copied "rsync -a ($state)" "$T/copy"
		rsync -anci "$T/m/" "$T/copy" >"$T/said" 2>&1
		try "rsync -anci finds no difference ($state)" \
			not test -s "$T/said"
		mount_options="-o size=exact"
		try "mounts with exact sizes" cold $state
		leave
		mount_options=
		rsync -ani --delete -c "$T/m/" "$T/copy" >"$T/said" 2>&1
		try "nor on a cold mount ($state)" not test -s "$T/said"
	else
		skip "rsync: not installed"
	fi
	if has_program zip && has_program unzip; then
		rm -rf "$T/copy" "$T/z.zip"
		try "mounts" cold $state
		(cd "$T/m" && zip -qr "$T/z.zip" .) >"$T/said" 2>&1
		leave
		# Holds S3.
		try "zip's file is sound ($state)" unzip -tq "$T/z.zip"
		mkdir "$T/copy"
		unzip -q "$T/z.zip" -d "$T/copy" >>"$T/said" 2>&1
		copied "zip ($state)" "$T/copy"
	else
		skip "zip: not installed"
	fi
done
try "cpio or cmp of every file" sh -c '
	cd "$1" && find . -type f | while read -r f; do
		cmp "$f" "$2/$f" || exit 1; done' sh "$want" "$T/m"

# read-only
page=$(files "$T/m" | sed -n 5p)
# Holds E7.
try "all that writes says EROFS" check readonly "$page" "${page%/*}"
try "modes" same "$(find "$T/m" -type f ! -perm 444 -o -type d ! -perm 555)" ""
try "owner" same "$(find "$T/m" ! -uid 0)" ""
# Holds E10.
try "no attributes without -o xattr" same "$(python3 -c 'import os, sys
try:
    print(os.getxattr(sys.argv[1], "user.xdg.origin.url"))
except OSError as e:
    print(e.strerror)' "$page")" "Operation not supported"
try "mounted read-only" grep -q "$T/m fuse.crawlfs ro," /proc/self/mounts
try "the daemon ends well" stop_mount m
finish
