# images.sh - part of bench.sh: file systems that FUSE serves from an image.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# They are those of this machine, or, with BENCH_SUITE=trixie, sid, ..., those of
# that suite of Debian, once: built from its source packages, or, where these
# cannot be had, its own programs with the libraries they need (mmdebstrap).

. "$CFS_SRCDIR/tests/installed.sh"

find_images() {
	local source
	for source in ${BENCH_SUITE:+squashfuse erofs-utils}; do
		if install_once "$source-$BENCH_SUITE" "$source" \
			get_image "$BENCH_SUITE" "$source"; then
			PATH=$installed/$source-$BENCH_SUITE/bin:$PATH
		else
			say "no newer $source: $install_problem"
		fi
	done
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

# get_image SUITE SOURCE: fills $install_folder/bin
get_image() {
	build_image "$@" && return
	rm -rf "${install_folder:?}"/*
	case $2 in
	squashfuse) extract_image "$1" squashfuse squashfuse_ll ;;
	*) return 1 ;;
	esac
}
# where this machine has its packages
debian_url() {
	apt-get indextargets --format '$(REPO_URI)' | grep -v security |
		head -n 1
}
# apt_of SUITE COMMAND...: apt-get, which knows that suite's sources alone
apt_of() {
	local suite=$1 apt=$install_folder/apt
	shift
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	echo "deb-src $(debian_url) $suite main" >"$apt/sources.list"
	apt-get -q -o Dir::Etc::SourceList="$apt/sources.list" \
		-o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists" \
		-o Dir::Cache="$apt" -o APT::Sandbox::User=root "$@"
}
# extract_image SUITE PACKAGE PROGRAM: that program with the libraries of its own
# suite; what apt has been told of dates here holds there, too
extract_image() {
	local root=$install_folder/root dates=() name value
	for name in Check-Valid-Until Check-Date; do
		value=$(apt-config dump --format %v "Acquire::$name")
		[ -z "$value" ] || dates+=("--aptopt=Acquire::$name \"$value\"")
	done
	mmdebstrap --variant=extract --include="$2" "${dates[@]}" "$1" "$root" \
		"$(debian_url)" && mkdir "$install_folder/bin" || return
	cat >"$install_folder/bin/$3" <<-END
		#!/bin/sh
		lib=\$(echo "$root"/usr/lib/*-linux-gnu)
		exec "\$lib"/ld-linux*.so.* --library-path "\$lib" \
			"$root/usr/bin/$3" "\$@"
	END
	chmod +x "$install_folder/bin/$3" && "$install_folder/bin/$3" --help 2>&1 |
		grep '[0-9][.][0-9]'
}
build_image() {		# build_image SUITE SOURCE: into $install_folder/bin
	apt_of "$1" update && cd "$install_folder" && apt_of "$1" source "$2" &&
		cd "$2"-*/ || return
	[ -x configure ] || autoreconf -fi || return
	[ "$2" != erofs-utils ] || set -- "$@" --enable-fuse --with-zlib
	./configure --prefix="$install_folder" "${@:3}" &&
		make -j "$(nproc)" && make install
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
