/* simhash.c - computes similarity hashes (doc/formats.md, "Simhash").
 *
 *   1. make the set of all windows of 4 UTF-16 code units
 *   2. compute the Rabin fingerprint of each one's 8 bytes, high byte first
 *   3. set bit i if more fingerprints have it set than clear
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "simhash.h"

#include "simhash_internal.h"

int cfs_simhash(const struct cfs_simhash_text *text, int64_t *out,
		struct cfs_ctx ctx)
{
	struct cfs_simhash_tally t = { .n = 0 };
	bool fits;
	int rc = cfs_simhash_narrow(text, &t, &fits, ctx);

	*out = 0;
	if (rc == CFS_OK && !fits) {
		t = (struct cfs_simhash_tally){ .n = 0 };
		rc = cfs_simhash_wide(text, &t, ctx);
	}
	if (rc == CFS_OK)
		*out = (int64_t)cfs_simhash_tally_majority(&t);
	return rc;
}
