#!/bin/sh
# captures_test.sh - captures that are odd have their status, type, date and body.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

captures() { python3 "$here/captures_check.py" "$crawlfs" "$T/made" "$1"; }

# ---- the beginning of an archive ----
if has_program zstd; then
	try "an archive that was cut before it was compressed" captures whole
else
	skip "an archive that was cut before it was compressed: no zstd"
fi
try "a byte of filedesc: is another" captures filedesc

# ---- bodies and types ----
try "the first chunk is cut" captures chunks
try "types in odd spellings, and none" captures types
try "conversions in other charsets" captures conversions
try "responses whose record states another type" captures responses
try "lengths of an index that are wrong" captures lengths

# ---- revisits ----
try "what a server has not modified" captures not_modified
try "revisits whose digest is that of no such page" captures other_digests
try "revisits of revisits" captures chains
try "revisits that hold bytes themselves" captures own_bodies
try "revisits by ftp" captures ftp

# ---- WAT ----
try "metadata of WAT files without a reference" captures wats

# ---- dates ----
try "a date that is not known" captures dates

# ---- verify ----
try "verify: digests in base 16, 32 and 64" captures digests
try "verify: payloads that are defined" captures payloads

finish
