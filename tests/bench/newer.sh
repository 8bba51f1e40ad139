# newer.sh - part of bench.sh: peers newer than those of this machine.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# With BENCH_SUITE=trixie, sid, ... they are those of that suite of Debian, got
# once: built from its source packages, or, where these cannot be had, its own
# programs with the libraries they need (mmdebstrap).  rclone is made of its newest
# Go module, since all suites have had the same old one.

. "$CFS_SRCDIR/tests/installed.sh"

# find_newer SOURCE...: their programs come first in PATH
find_newer() {
	local source
	for source in ${BENCH_SUITE:+"$@"}; do
		if install_once "$source-$BENCH_SUITE" "$source" \
			get_newer "$BENCH_SUITE" "$source"; then
			PATH=$installed/$source-$BENCH_SUITE/bin:$PATH
		else
			say "no newer $source: $install_problem"
		fi
	done
}

# get_newer SUITE SOURCE: fills $install_folder/bin
get_newer() {
	if [ "$2" = rclone ]; then
		GOBIN=$install_folder/bin go install github.com/rclone/rclone@latest
		return
	fi
	build_newer "$@" && return
	rm -rf "${install_folder:?}"/*
	case $2 in
	squashfuse) extract_newer "$1" squashfuse squashfuse_ll ;;
	httpdirfs) extract_newer "$1" httpdirfs httpdirfs ;;
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
# extract_newer SUITE PACKAGE PROGRAM: that program with the libraries of its own
# suite; what apt has been told of dates here holds there, too
extract_newer() {
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
build_newer() {		# build_newer SUITE SOURCE: into $install_folder/bin
	apt_of "$1" update && cd "$install_folder" && apt_of "$1" source "$2" &&
		cd "$2"-*/ || return
	if [ -e meson.build ]; then
		meson setup --prefix="$install_folder" build &&
			meson install -C build
		return
	fi
	[ -x configure ] || autoreconf -fi || return
	[ "$2" != erofs-utils ] || set -- "$@" --enable-fuse --with-zlib
	./configure --prefix="$install_folder" "${@:3}" &&
		make -j "$(nproc)" && make install
}
