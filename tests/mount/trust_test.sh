#!/bin/sh
# trust_test.sh - programs that trust the sizes that stat reports, on mounts
# where every listed size is exact: a folder of archives, and an index without
# sizes once its files have been opened by an earlier mount.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What they should find is the model's tree: bodies by the independent reader,
# views by crawlfs cat.  No size may have been corrected while they ran.
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 120 --hostile 0 --hosts 5 --page-bytes 5000 --seed 11 --arc --warc \
	"$T/crawl" >/dev/null || exit 1
want=$T/want
try "unpacks the model's tree" check unpack "$crawlfs" "$T/crawl" \
	"$T/crawl/manifest.tsv" "$want"
check hash "$want" >"$T/want.hash"
files_wanted=$(find "$want" -type f | wc -l)

cold() { stop_mount m && start_mount m "$source"; }
corrected() {	# sizes that were, since the mount
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["operations"]["sizes_corrected"])' \
		"$T/m/.crawlfs/stats"
}
none_corrected() { same 0 "$(corrected)"; }
silent() { [ ! -s "$1" ] || { head -n 5 "$1"; return 1; }; }
same_tree() {	# same_tree FOLDER: a copy
	check hash "$1" >"$T/copy.hash" && cmp "$T/want.hash" "$T/copy.hash"
}

# ---- the programs: each leaves a copy in $T/copy, or compares by itself ----

sizes_alone() {	# of stat, without an open
	(cd "$want" && find . -type f -printf '%s %P\n' | sort) >"$T/a"
	(cd "$T/m" && find . -type f -printf '%s %P\n' | sort) >"$T/b"
	cmp "$T/a" "$T/b"
}
by_cpio() {
	(cd "$T/m" && find . -print0 | sort -z | cpio -0 -o -H newc --quiet) \
		>"$T/archive" 2>"$T/said" && silent "$T/said" && mkdir "$T/copy" &&
		(cd "$T/copy" && cpio -i -d -m --quiet) <"$T/archive" &&
		same_tree "$T/copy"
}
by_tar() {
	tar -C "$T/m" -cf "$T/archive" . 2>"$T/said" && silent "$T/said" &&
		mkdir "$T/copy" && tar -C "$T/copy" -xf "$T/archive" &&
		same_tree "$T/copy" && none_corrected && cold && tar -C "$T/m" --compare -f "$T/archive"
}
by_cp() {
	cp -a "$T/m" "$T/copy" 2>"$T/said" && silent "$T/said" &&
		same_tree "$T/copy" &&
		(cd "$T/m" && find . -type f -printf '%P %s %T@\n' | sort) >"$T/a" &&
		(cd "$T/copy" && find . -type f -printf '%P %s %T@\n' | sort) >"$T/b" &&
		cmp "$T/a" "$T/b"
}
by_diff() { diff -r "$want" "$T/m"; }
by_mmap() { check hash --how mmap "$T/m" >"$T/a" && cmp "$T/want.hash" "$T/a"; }

# The second run sees sizes and times only, of a mount that nobody has looked at.
transferred() { sed -n 's/^Number of regular files transferred: *//p' "$T/said"; }
by_rsync() {
	rsync -a --stats "$T/m/" "$T/copy" >"$T/said" &&
		same "$files_wanted" "$(transferred | tr -d ,)" &&
		same_tree "$T/copy" && none_corrected && cold &&
		rsync -a --stats "$T/m/" "$T/copy" >"$T/said" &&
		same 0 "$(transferred)" && rsync -anci "$T/m/" "$T/copy" >"$T/said" &&
		silent "$T/said"
}

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git_in() {	# git_in REPOSITORY FOLDER WORD...: the folder is its work tree
	git_repository=$1 git_folder=$2
	shift 2
	git -C "$git_folder" --git-dir="$git_repository" --work-tree=. \
		-c core.autocrlf=false -c core.fileMode=false \
		-c safe.directory='*' -c gc.auto=0 "$@"
}
new_repository() { rm -rf "$1" && git init -q --bare "$1"; }
# The index of git remembers sizes and times: nothing has changed after a remount.
by_git_add() {
	new_repository "$T/git" && git_in "$T/git" "$T/m" add -A 2>"$T/said" &&
		silent "$T/said" &&
		new_repository "$T/git.want" &&
		git_in "$T/git.want" "$want" add -A &&
		git_in "$T/git" "$T/m" ls-files -s >"$T/a" &&
		git_in "$T/git.want" "$want" ls-files -s >"$T/b" &&
		same "$files_wanted" "$(wc -l <"$T/a")" && cmp "$T/a" "$T/b" &&
		git --git-dir="$T/git" fsck --no-dangling >"$T/said" 2>&1 &&
		none_corrected && cold &&
		git_in "$T/git" "$T/m" diff-files --name-only >"$T/said" &&
		silent "$T/said"
}
by_git_grep() {
	new_repository "$T/git" && git_in "$T/git" "$T/m" add -A && none_corrected && cold &&
		git_in "$T/git" "$T/m" grep -ac e >"$T/a" &&
		git_in "$T/git" "$want" grep -ac e >"$T/b" && cmp "$T/a" "$T/b" &&
		(cd "$T/m" && git grep --no-index -ac e | sort) >"$T/a" &&
		(cd "$want" && git grep --no-index -ac e | sort) >"$T/b" &&
		[ -s "$T/a" ] && cmp "$T/a" "$T/b"
}
once_by_rclone() {
	RCLONE_CONFIG=$T/rclone.conf rclone "$@" --retries 1 "$T/m" "$T/copy" \
		>"$T/said" 2>&1 || { tail -n 5 "$T/said"; return 1; }
}
by_rclone() {
	once_by_rclone copy && same_tree "$T/copy" && none_corrected && cold &&
		once_by_rclone check && once_by_rclone copy -v &&
		! grep 'Copied' "$T/said"
}

# by NAME PROGRAM STATE...: on a fresh mount (cold), or one whose sizes have been
# listed (looked)
by() {
	by_name=$1 by_program=$2
	shift 2
	if ! has_program "$by_program"; then
		skip "$by_name: there is no $by_program"
		return
	fi
	for state; do
		rm -rf "$T/copy"
		try "mounts" cold
		[ $state = cold ] || ls -lR "$T/m" >/dev/null
		# Holds S9.
		try "$what: $by_name ($state)" "by_$by_name"
		# Holds S9.
		try "$what: $by_name corrected no size ($state)" none_corrected
	done
}
battery() {
	try "$what: mounts" cold
	# Holds S9.
	try "$what: every size is exact without an open" sizes_alone
	by cpio cpio cold looked
	by tar tar cold
	by cp cp cold
	by diff diff cold looked
	by mmap python3 cold looked
	by rsync rsync cold looked
	by git_add git cold looked
	by git_grep git cold
	by rclone rclone cold
	try "$what: nothing is wrong in the daemon's words" no_report m
}

what="folder" source=$T/crawl
start_mount m "$source" || exit 1
battery

# An index that has no sizes: those of bodies come from the archives, those of
# views are learnt.
what="learnt" source=$T/crawl/plain.cfx
"$crawlfs" index -q --no-views -o "$source" "$T/crawl" || exit 1
try "an index without sizes of views" cold
try "its sizes are estimates" not sizes_alone
try "everything is opened once" same_tree "$T/m"
try "which corrected some" not none_corrected
battery
stop_mount m
finish
