# lib.sh - what the scripts here share; sourced by them.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2086

DEBIAN_BUILD='gcc g++ make autoconf automake pkg-config fuse3 libfuse3-dev
 zlib1g-dev libdeflate-dev libxxhash-dev
 nettle-dev libbrotli-dev libzstd-dev libicu-dev libuchardet-dev
 libcurl4-openssl-dev libpsl-dev libmicrohttpd-dev libcld2-dev
 libpoppler-cpp-dev libseccomp-dev libpcre2-dev'
FEDORA_BUILD='gcc make autoconf automake pkgconf-pkg-config fuse3 fuse3-devel
 zlib-devel libdeflate-devel xxhash-devel
 nettle-devel brotli-devel libzstd-devel libicu-devel uchardet-devel
 libcurl-devel libpsl-devel libmicrohttpd-devel glibc-gconv-extra
 gcc-c++ poppler-cpp-devel libseccomp-devel pcre2-devel'
ARCH_BUILD='base-devel fuse3 zlib libdeflate xxhash nettle
 brotli zstd icu uchardet curl libpsl libmicrohttpd poppler libseccomp pcre2'
MODULES='fuse3 zlib libdeflate libxxhash nettle libbrotlidec libzstd
 icu-uc icu-i18n uchardet libcurl libpsl libpcre2-8'

say() { printf '%s\n' "$*"; }
die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# from_here PATH: as the caller, who was in $here, means it.
from_here() { case $1 in /*) say "$1" ;; *) say "$here/$1" ;; esac; }

# is_newer A B: A was changed after B, or B does not exist.
is_newer() { [ ! -e "$2" ] || [ -n "$(find "$1" -newer "$2")" ]; }

# has_all PROGRAM... -- MODULE...: every program exists, and pkg-config finds
# every library.
has_all() {
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		command -v "$1" >/dev/null 2>&1 || return 1
		shift
	done
	shift
	[ $# -eq 0 ] || pkg-config --exists "$@" 2>/dev/null
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		die "not root and no sudo; as root, run: $*"
	fi
}

# apt_install PACKAGE...: waits for apt's lock, and tries three times.
apt_install() {
	for attempt in 1 2 3; do
		if as_root env DEBIAN_FRONTEND=noninteractive apt-get \
			-o DPkg::Lock::Timeout=300 -q update </dev/null &&
		   as_root env DEBIAN_FRONTEND=noninteractive apt-get \
			-o DPkg::Lock::Timeout=300 -q -y \
			--no-install-recommends install "$@" </dev/null; then
			return 0
		fi
		say "apt-get failed (attempt $attempt of 3)"
		sleep $((attempt * 10))
	done
	return 1
}

# install_packages DEBIAN FEDORA ARCH: lists of packages, one word each.
install_packages() {
	if command -v apt-get >/dev/null 2>&1; then
		say "installing packages with apt-get:" $1
		apt_install $1 || die "cannot install the packages"
		return
	fi
	say "This script installs packages on Debian and Ubuntu only. Install"
	say "these and run it again:"
	say "  Fedora:  sudo dnf install" $2
	say "  Arch:    sudo pacman -S --needed" $3
	exit 1
}

processors() {
	nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# can_mount: FUSE works here; otherwise $no_mount says why.
can_mount() {
	no_mount=
	if [ ! -e /dev/fuse ]; then
		no_mount='there is no /dev/fuse (in a container: --device /dev/fuse
 --cap-add SYS_ADMIN; otherwise: modprobe fuse)'
	elif [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then
		no_mount='this user has no access to /dev/fuse'
	elif ! command -v fusermount3 >/dev/null 2>&1; then
		no_mount='there is no fusermount3 (package fuse3)'
	fi
	[ -z "$no_mount" ]
}
