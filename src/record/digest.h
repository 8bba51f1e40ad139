/* digest.h - digests of records, which crawlers write in different ways.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_DIGEST_H
#define CFS_RECORD_DIGEST_H

#include "base/buf.h"
#include "base/spill.h"

/* Appends a digest (LABEL:VALUE) in its normal form, which is the usual one and
 * the same for equal digests; one that cannot be parsed is appended as it is.
 * 0, or the buffer's failure. */
int cfs_digest_add(struct cfs_buf *out, struct cfs_slice digest);

/* The digest as CDX files have it: that of SHA-1 has no label. */
struct cfs_slice cfs_digest_bare(struct cfs_slice digest);

/* Appends "sha1:" and the SHA-1 of bytes.  pages: of the bytes. */
int cfs_digest_add_sha1(struct cfs_buf *out, struct cfs_slice bytes);
int cfs_digest_add_sha1_of(struct cfs_buf *out, struct cfs_slice bytes,
			   enum cfs_pages pages);

/* True if two digests are equal, however they are written; false if one is
 * empty. */
bool cfs_digest_equal(struct cfs_slice a, struct cfs_slice b);

/* True if two digests cannot be of the same bytes.  Digests of different
 * algorithms never contradict each other. */
bool cfs_digest_contradict(struct cfs_slice a, struct cfs_slice b);

enum cfs_digest_verdict {
	CFS_DIGEST_SAME,
	CFS_DIGEST_OTHER,	/* also if the value is malformed */
	CFS_DIGEST_UNKNOWN,	/* the algorithm is not known here */
};

/* Compares a digest (LABEL:VALUE) with that of `bytes`, which is appended to
 * found in the same notation, unless the algorithm is unknown.  pages: of the
 * bytes. */
enum cfs_digest_verdict cfs_digest_check(struct cfs_slice digest,
					 struct cfs_slice bytes,
					 enum cfs_pages pages,
					 struct cfs_buf *found);

#endif
