# images.sh - part of bench.sh: file systems that FUSE serves from an image.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# They are those of this machine, or newer ones (newer.sh).

find_images() {
	find_newer squashfuse erofs-utils
	squashfuse=$(command -v squashfuse_ll || command -v squashfuse)
	if [ -z "$squashfuse" ] || ! command -v mksquashfs >/dev/null; then
		squashfuse=
		say "no squashfuse or mksquashfs: its rows are left out"
	fi
	erofsfuse=$(command -v erofsfuse)
	if [ -z "$erofsfuse" ] || ! command -v mkfs.erofs >/dev/null; then
		erofsfuse=
		say "no erofsfuse or mkfs.erofs: its rows are left out"
	fi
}

# Versions, for the head of the table.
name_images() {
	[ -z "$squashfuse" ] || "$squashfuse" --help 2>&1 | grep -m 1 '[0-9][.]'
	[ -z "$erofsfuse" ] || "$erofsfuse" --help 2>&1 | grep -m 1 '^erofsfuse'
}

# need_images SET: of the parties that are here; need_image SET PARTY: of the
# native tree
need_images() {
	[ -z "$squashfuse" ] || need_image "$1" squashfuse
	[ -z "$erofsfuse" ] || need_image "$1" erofsfuse
}
need_image() {
	case $2 in
	squashfuse) once "$1.squashfs" make_squash "$1" ;;
	erofsfuse) once "$1.erofs" make_erofs "$1" ;;
	esac
}
make_squash() {
	rm -f "$work/$1.squashfs"
	mksquashfs "$work/native-$1" "$work/$1.squashfs" -comp gzip -noappend \
		-quiet -no-progress >/dev/null
}
make_erofs() {
	rm -f "$work/$1.erofs"
	mkfs.erofs --quiet -zlz4hc "$work/$1.erofs" "$work/native-$1" >/dev/null
}
