# crawlfs.m4 - compiler switches of this project, probed before use.
# SPDX-License-Identifier: GPL-3.0-or-later

# CFS_TRY_CFLAG(FLAG, VARIABLE): appends FLAG to VARIABLE if the compiler
# takes it without a word.
AC_DEFUN([CFS_TRY_CFLAG], [
  AS_VAR_PUSHDEF([cache], [cfs_cv_cflag_$1])
  AC_CACHE_CHECK([whether $CC takes $1], [cache], [
    cfs_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[int cfs_probe;]], [[return cfs_probe;]])],
      [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$cfs_save_CFLAGS])
  AS_VAR_IF([cache], [yes], [$2="$$2 $1"])
  AS_VAR_POPDEF([cache])
])

AC_DEFUN([CFS_C11], [
  CFS_CFLAGS="-std=gnu11"
  AC_SUBST([CFS_CFLAGS])
])

# Warnings, and --enable-werror to make them errors.
AC_DEFUN([CFS_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
    [], [enable_werror=no])
  CFS_WARN=
  m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual
      -Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wvla
      -Wformat=2 -Wundef -Wduplicated-cond -Wlogical-op -Wnull-dereference
      -Wimplicit-fallthrough -Walloca],
    [CFS_TRY_CFLAG(flag, [CFS_WARN])])
  AS_IF([test "x$enable_werror" = xyes], [CFS_WARN="$CFS_WARN -Werror"])
  CFS_TRY_CFLAG([-fstack-protector-strong], [CFS_WARN])
  AC_SUBST([CFS_WARN])
])

# --enable-sanitizers: AddressSanitizer and UndefinedBehaviorSanitizer;
# --enable-sanitizers=thread: ThreadSanitizer, which does not go with them.
AC_DEFUN([CFS_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers], [AS_HELP_STRING([--enable-sanitizers],
      [build everything with ASan and UBSan; =thread: with TSan])], [],
      [enable_sanitizers=no])
  CFS_SAN=
  AS_IF([test "x$enable_sanitizers" = xyes], [
    CFS_SAN="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"])
  AS_IF([test "x$enable_sanitizers" = xthread], [
    CFS_SAN="-fsanitize=thread -fno-omit-frame-pointer -g"])
  AC_SUBST([CFS_SAN])
])

# Without CFLAGS from outside, -O3 where autoconf has -O2: text comes a
# twentieth faster.  Sanitizers have no use for it.
AC_DEFUN([CFS_OPTIMIZE], [
  AS_IF([test -z "$cfs_given_CFLAGS" && test -z "$CFS_SAN"],
    [CFLAGS=`AS_ECHO(["$CFLAGS"]) | sed 's/-O2/-O3/'`])
])

# --enable-fuzzers: libFuzzer programs (needs clang); without it the fuzz
# targets are built to replay their corpus only.
AC_DEFUN([CFS_FUZZERS], [
  AC_ARG_ENABLE([fuzzers], [AS_HELP_STRING([--enable-fuzzers],
      [build fuzz targets with libFuzzer; needs CC=clang])],
    [], [enable_fuzzers=no])
  AM_CONDITIONAL([FUZZERS], [test "x$enable_fuzzers" = xyes])
  CFS_FUZZ=
  AS_IF([test "x$enable_fuzzers" = xyes], [
    CFS_FUZZ="-fsanitize=fuzzer"
    CFS_SAN="$CFS_SAN -fsanitize=fuzzer-no-link"])
  AC_SUBST([CFS_FUZZ])
])

# --enable-analyzer: GCC's -fanalyzer (slow; used by CI on the library).
AC_DEFUN([CFS_ANALYZER], [
  AC_ARG_ENABLE([analyzer], [AS_HELP_STRING([--enable-analyzer],
      [compile with -fanalyzer])], [], [enable_analyzer=no])
  AS_IF([test "x$enable_analyzer" = xyes], [CFS_TRY_CFLAG([-fanalyzer], [CFS_WARN])])
])

# --with-cld2: CLD2, which finds the languages of texts, by the one file of C++.
# A build without it, or without a compiler of C++, finds none.  Debian's
# libcld2_full has tables alone, of twice as many languages, which take the place
# of those in libcld2 if it is loaded before; elsewhere it is a whole library.
AC_DEFUN([CFS_CLD2], [
  AC_ARG_WITH([cld2], [AS_HELP_STRING([--with-cld2],
      [find the languages of pages with CLD2 (auto)])], [], [with_cld2=auto])
  have_cld2=no
  CLD2_LIBS=
  AS_IF([test "x$with_cld2" != xno], [
    AC_LANG_PUSH([C++])
    cfs_save_LIBS=$LIBS
    for cfs_libs in \
      "-Wl,--push-state,--no-as-needed -lcld2_full -Wl,--pop-state -lcld2" \
      "-lcld2_full" "-lcld2"; do
      AC_MSG_CHECKING([for CLD2 in $cfs_libs])
      LIBS="$cfs_libs $cfs_save_LIBS"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cstdio>
          #include <cld2/public/compact_lang_det.h>]],
          [[return CLD2::DetectLanguageVersion()[0];]])],
        [have_cld2=yes], [have_cld2=no])
      AC_MSG_RESULT([$have_cld2])
      AS_IF([test "$have_cld2" = yes], [CLD2_LIBS="$cfs_libs -lstdc++"; break])
    done
    LIBS=$cfs_save_LIBS
    AC_LANG_POP([C++])
  ])
  AS_IF([test "x$with_cld2" = xyes && test "$have_cld2" = no],
    [AC_MSG_ERROR([no CLD2 (libcld2-dev), or no compiler of C++])])
  AC_SUBST([CLD2_LIBS])
  # Exceptions of libraries are caught in C++, if there is a compiler of it.
  AC_LANG_PUSH([C++])
  cfs_save_LIBS=$LIBS
  LIBS="-lstdc++ $LIBS"
  AC_MSG_CHECKING([for C++])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <new>]],
      [[try { new char[9]; } catch (...) { return 1; }]])],
    [have_cxx=yes], [have_cxx=no])
  AC_MSG_RESULT([$have_cxx])
  LIBS=$cfs_save_LIBS
  AC_LANG_POP([C++])
  CXX_LIBS=
  AS_IF([test "$have_cxx" = yes], [CXX_LIBS=-lstdc++])
  AC_SUBST([CXX_LIBS])
  AM_CONDITIONAL([HAVE_CXX], [test "$have_cxx" = yes])
  AM_CONDITIONAL([HAVE_CLD2], [test "$have_cld2" = yes])
])

AC_DEFUN([AX_PTHREAD_LITE], [
  AC_SEARCH_LIBS([pthread_create], [pthread], [], [AC_MSG_ERROR([no POSIX threads])])
])

# CFS_PDF - the texts of PDF documents, by a helper program with poppler, which
# libseccomp shuts in.
AC_DEFUN([CFS_PDF], [
  AC_ARG_WITH([pdf], [AS_HELP_STRING([--with-pdf],
      [read PDF documents with poppler (auto)])], [], [with_pdf=auto])
  have_pdf=no
  AS_IF([test "x$with_pdf" != xno && test "$have_cxx" = yes], [
    PKG_CHECK_MODULES([PDF], [poppler-cpp >= 20.11 libseccomp >= 2.4],
      [have_pdf=yes], [have_pdf=no])
  ])
  AS_IF([test "x$with_pdf" = xyes && test "$have_pdf" = no],
    [AC_MSG_ERROR([no poppler (libpoppler-cpp-dev) or libseccomp, or no compiler of C++])])
  AS_IF([test "$have_pdf" = yes], [
    AC_DEFINE_UNQUOTED([CFS_POPPLER_VERSION],
      ["`$PKG_CONFIG --modversion poppler-cpp`"],
      [the version of poppler that crawlfs-pdf has])
  ])
  AM_CONDITIONAL([HAVE_PDF], [test "$have_pdf" = yes])
])
