/* schemes.h - counts URLs without a place in an index by their schemes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_SCHEMES_H
#define CFS_INDEXING_SCHEMES_H

#include "base/buf.h"

/* Schemes that are counted separately: real crawls have a dozen.  An archive
 * may have a million; the rest are counted together. */
#define CFS_SCHEMES_MAX 32u
/* Bytes of a scheme's name: "view-source" has 11; longer ones are counted with
 * the rest. */
#define CFS_SCHEMES_NAME_MAX 31u

struct cfs_scheme_count {
	uint64_t n;
	char name[CFS_SCHEMES_NAME_MAX + 1];	/* lower case */
};

struct cfs_schemes {
	unsigned n;
	struct cfs_scheme_count v[CFS_SCHEMES_MAX];
	uint64_t others;	/* URLs with schemes not in v */
	uint64_t without;	/* URLs without a scheme */
};

/* Counts a URL by its scheme. */
void cfs_schemes_note(struct cfs_schemes *s, struct cfs_slice url);
/* Adds the counts of another table. */
void cfs_schemes_add(struct cfs_schemes *to, const struct cfs_schemes *from);

/* The number of URLs with a scheme, in v or not. */
uint64_t cfs_schemes_total(const struct cfs_schemes *s);

/* Maximum bytes of a whole table's text. */
#define CFS_SCHEMES_TEXT_MAX ((CFS_SCHEMES_MAX + 2) * 64u)

/* Appends "urn: 3, dns: 2", the most frequent first, as many as fit in `max`
 * bytes; the others as one number.  Nothing if no URL has a scheme. */
void cfs_schemes_text(const struct cfs_schemes *s, size_t max,
		      struct cfs_buf *out);

/* Appends why nothing was indexed, as the end of a sentence: ": 5 records of
 * other schemes (urn: 3, dns: 2), 1 URL without a scheme in front".  Nothing if
 * no URL was counted.  Schemes are named as far as they fit into `max`
 * bytes. */
void cfs_schemes_reason(const struct cfs_schemes *s, size_t max,
			struct cfs_buf *out);

#endif
