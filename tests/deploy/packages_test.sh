#!/bin/sh
# packages_test.sh - what packages are made of names the version of the program,
# and all that 'make install' puts anywhere.  contrib/mkdeb builds one.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

# is NAME WANT GOT
is() { try "$1: $(echo "$2" | head -c 40 | tr '\n' ' ')" test "$2" = "$3"; }

version=$("$crawlfs" version | sed -n '1s/^crawlfs //p')
is "configure.ac" "$version" "$(sed -n 's/^AC_INIT(\[crawlfs\], \[\([^]]*\).*/\1/p' \
	"$CFS_SRCDIR/configure.ac")"
is "crawlfs.spec" "$version" "$(sed -n 's/^Version:  *//p' \
	"$CFS_SRCDIR/contrib/crawlfs.spec")"
is "the changelog of crawlfs.spec" "$version" "$(sed -n \
	'/^%changelog/,$s/^\* .* - \([0-9.]*\)-.*/\1/p' \
	"$CFS_SRCDIR/contrib/crawlfs.spec" | head -n 1)"
is "contrib/python" "$version" "$(sed -n 's/^version = "\(.*\)"/\1/p' \
	"$CFS_SRCDIR/contrib/python/pyproject.toml")"
is "NEWS" "$version" "$(sed -n 's/^\([0-9][0-9.]*\)\( (.*)\)\{0,1\}$/\1/p' \
	"$CFS_SRCDIR/NEWS" | head -n 1)"

# what a package needs at least is what configure asks for
modules=$(sed -n 's/^ *PKG_CHECK_MODULES(\[\(FUSE\|DEPS\|MICROHTTPD\|PDF\)\], \[\([^]]*\)\].*/\2/p' \
	"$CFS_SRCDIR/configure.ac" "$CFS_SRCDIR/m4/crawlfs.m4" | sed 's/ >= / /g' | xargs -n 2 | sort)
try "configure.ac names modules" test -n "$modules"
is "modules of crawlfs.spec" "$modules" "$(sed -n \
	's/^BuildRequires:  *pkgconfig(\(.*\)) >= \(.*\)/\1 \2/p' \
	"$CFS_SRCDIR/contrib/crawlfs.spec" | sort)"
debian=$(. "$CFS_SRCDIR/contrib/lib.sh"
	echo $DEBIAN_BUILD | grep -o '[a-z0-9.-]*-dev' | sort -u)
is "libraries of contrib/debian" "$(echo $debian)" "$(echo $(grep -o \
	'[a-z0-9.-]*-dev' "$CFS_SRCDIR/contrib/debian/control" | sort -u))"

# every file that is installed is in the RPM's list
mkdir "$T/root"
make -C "$CFS_BUILDDIR" -s install DESTDIR="$T/root" prefix=/usr \
	>"$T/install.log" 2>&1 || fail "make install"
lists() {	# NAME...: those that no line of %files covers
	for f do
		found=no
		for p in $(sed -n '/^%files/,/^%changelog/p' \
			"$CFS_SRCDIR/contrib/crawlfs.spec" | grep -o '%{_.*' |
			sed 's,%{_bindir},/usr/bin,; s,%{_sbindir},/usr/sbin,
				s,%{_libexecdir},/usr/libexec,
				s,%{_mandir},/usr/share/man,
				s,%{_docdir}/%{name},/usr/share/doc/crawlfs,
				s,%{_datadir},/usr/share,'); do
			case $f in $p|$p/*) found=yes ;; esac
		done
		[ $found = yes ] || echo "$f"
	done
}
installed=$(cd "$T/root" && find . ! -type d | cut -c2-)
try "make install installs files" test -n "$installed"
is "files that %files leaves out" "" "$(lists $installed)"

# ---- the wheel of what was installed ----
if ! has_program patchelf || ! has_program dpkg-query ||
	grep -q fsanitize "$CFS_BUILDDIR/Makefile"; then
	skip "the wheel: it needs patchelf, Debian, and no sanitizer"
else
	try "a wheel" python3 "$CFS_SRCDIR/contrib/mkwheel" --level=1 \
		-o "$T/wheel" --installed "$T/root/usr"
	try "its tag, libraries and licences" python3 \
		"$CFS_SRCDIR/tests/deploy/wheel_check.py" "$T"/wheel/*.whl "$T/whl"
fi
finish
