/* start.h - finds the first record of an archive that begins with something
 * else.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_START_H
#define CFS_RECORD_START_H

#include "codec/member.h"

/* So much of a file that does not begin with a record is searched for one, to
 * tell if it is an archive.  Records larger than this are rare. */
#define CFS_START_SEARCH_BYTES ((size_t)4 << 20)

/* The first place in s with the magic number (four bytes) of a member; s.n if
 * there is none. */
size_t cfs_start_magic(enum cfs_coding coding, struct cfs_slice s);

/* True if the member at the start of `in` inflates to the start of a record.
 * dict: as in codec/member.h.  The work is bounded for any bytes. */
bool cfs_start_has_record(struct cfs_slice in, const struct cfs_zst_dict *dict);

/* Reads the header of the record at the beginning of `text`: the bytes that it
 * declares for all of the record.  False: the header is not whole, or says
 * nothing. */
bool cfs_start_record_bytes(struct cfs_slice text, uint64_t *bytes);

/* The file that is searched, and what is known of it. */
struct cfs_start_input {
	struct cfs_slice bytes;		/* its beginning */
	uint64_t file_bytes;		/* its size */
	const struct cfs_zst_dict *dict;
	bool has_name;			/* its name is that of an archive */
	enum cfs_coding named;		/* the coding that its name suggests */
	bool is_markup;			/* it begins like a web page */
};

struct cfs_start {
	uint64_t at;			/* file offset */
	enum cfs_coding coding;
};

/*
 * Finds the first record, either in a member that begins with it, or
 * uncompressed (doc/formats.md, "Damage at the beginning").  False if there is
 * none.  Takes linear time.
 */
bool cfs_start_search(const struct cfs_start_input *in, struct cfs_start *out);

#endif
