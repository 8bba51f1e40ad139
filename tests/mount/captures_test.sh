#!/bin/sh
# captures_test.sh - captures that are odd have their status, type, date and body.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

captures() { python3 "$here/captures_check.py" "$crawlfs" "$T/made" "$1"; }

# ---- the beginning of an archive ----
if has_program zstd; then
	# Holds C14.
	try "an archive that was cut before it was compressed" captures whole
else
	skip "an archive that was cut before it was compressed: no zstd"
fi
# Holds C14.
try "a byte of filedesc: is another" captures filedesc

# ---- bodies and types ----
# Holds C17.
try "the first chunk is cut" captures chunks
# Holds C16.
try "types in odd spellings, and none" captures types
# Holds C17.
try "conversions in other charsets" captures conversions
# Holds C17.
try "responses whose record states another type" captures responses
# Holds C18.
try "lengths of an index that are wrong" captures lengths
# Holds C18.
try "URLs of a list in other spellings" captures spelled

# ---- revisits ----
# Holds C9.
try "what a server has not modified" captures not_modified
# Holds C9.
try "revisits whose digest is that of no such page" captures other_digests
# Holds C9.
try "revisits of one of several captures of a second" captures at_once
# Holds C9.
try "revisits of revisits" captures chains
# Holds C9.
try "revisits of what is there whole, and cut off" captures copies
# Holds C9.
try "revisits that hold bytes themselves" captures own_bodies
# Holds C9.
try "revisits by ftp" captures ftp

# ---- WAT ----
# Holds C19.
try "metadata of WAT files without a reference" captures wats

# ---- dates ----
# Holds T18.
try "a date that is not known" captures dates

# ---- verify ----
# Holds C15.
try "verify: digests in base 16, 32 and 64" captures digests
# Holds C15.
try "verify: payloads that are defined" captures payloads

finish
