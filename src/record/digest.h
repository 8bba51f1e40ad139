/* digest.h - digests of records, which crawlers write in different ways.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_DIGEST_H
#define CFS_RECORD_DIGEST_H

#include "base/buf.h"

/* Appends a digest (LABEL:VALUE) in the one form that equal digests have,
 * which is the usual one; what is not understood is appended as it is.
 * 0, or the buffer's failure. */
int cfs_digest_add(struct cfs_buf *out, struct cfs_slice digest);

/* Appends "sha1:" and the SHA-1 of bytes. */
int cfs_digest_add_sha1(struct cfs_buf *out, struct cfs_slice bytes);

/* True if the two are the same, however they are written; false where one is
 * empty. */
bool cfs_digest_equal(struct cfs_slice a, struct cfs_slice b);

/* True if the two cannot be of the same bytes.  Digests of different
 * algorithms say nothing about that. */
bool cfs_digest_contradict(struct cfs_slice a, struct cfs_slice b);

enum cfs_digest_verdict {
	CFS_DIGEST_SAME,
	CFS_DIGEST_OTHER,	/* also a value that no bytes can have */
	CFS_DIGEST_UNKNOWN,	/* of an algorithm that is not known here */
};

/* Compares a digest (LABEL:VALUE) with that of `bytes`, which found gets,
 * written as `digest` is; it gets nothing where the algorithm is not known. */
enum cfs_digest_verdict cfs_digest_check(struct cfs_slice digest,
					 struct cfs_slice bytes,
					 struct cfs_buf *found);

#endif
