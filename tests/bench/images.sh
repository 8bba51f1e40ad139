# images.sh - part of bench.sh: file systems that FUSE serves from an image.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# They are those of this machine, or, with BENCH_SUITE=trixie, sid, ..., built
# from the source packages of that suite of Debian, once.

. "$CFS_SRCDIR/tests/installed.sh"

find_images() {
	local source
	for source in ${BENCH_SUITE:+squashfuse erofs-utils}; do
		if install_once "$source-$BENCH_SUITE" "$source" \
			build_image "$BENCH_SUITE" "$source"; then
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

# apt_of SUITE COMMAND...: apt-get, which knows that suite's sources alone, from
# where this machine has its packages
apt_of() {
	local suite=$1 apt=$install_folder/apt uri
	shift
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	uri=$(apt-get indextargets --format '$(REPO_URI)' |
		grep -v security | head -n 1)
	echo "deb-src $uri $suite main" >"$apt/sources.list"
	apt-get -q -o Dir::Etc::SourceList="$apt/sources.list" \
		-o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists" \
		-o Dir::Cache="$apt" -o APT::Sandbox::User=root "$@"
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
