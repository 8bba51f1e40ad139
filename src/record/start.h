/* start.h - the first record of an archive, behind whatever is in front of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_START_H
#define CFS_RECORD_START_H

#include "codec/member.h"

/* So much of a file that does not begin with a record is searched for one to
 * find out whether it is an archive.  Records larger than this are rare. */
#define CFS_START_SEARCH_BYTES ((size_t)4 << 20)

/* The first place in s where the four bytes are that a member begins with; s.n
 * if there is none. */
size_t cfs_start_magic(enum cfs_coding coding, struct cfs_slice s);

/* True if what the member at the start of `in` holds begins with a record.
 * dict as in codec/member.h.  The work is bounded, whatever the bytes are. */
bool cfs_start_has_record(struct cfs_slice in, const struct cfs_zst_dict *dict);

/* What is known of a file that is searched. */
struct cfs_start_input {
	struct cfs_slice bytes;		/* at its beginning */
	uint64_t file_bytes;		/* of all of it */
	const struct cfs_zst_dict *dict;
	bool has_name;			/* it is named as archives are: */
	enum cfs_coding named;		/* with this coding */
	bool is_markup;			/* it begins as a web page does */
};

struct cfs_start {
	uint64_t at;			/* file offset */
	enum cfs_coding coding;
};

/*
 * Finds the first record: a member that begins with one, or one that is not
 * compressed (doc/formats.md, "Damage at the beginning").  False: there is
 * none.  Takes linear time.
 */
bool cfs_start_search(const struct cfs_start_input *in, struct cfs_start *out);

#endif
