/* cdx_row.h - the values of a capture as CDX files have them: what `lookup`
 * prints and the CDX server answers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CDX_ROW_H
#define CFS_CRAWL_CDX_ROW_H

#include "crawl.h"

/* The fields of a row, in the order of CDX files. */
enum cfs_cdx_key {
	CFS_CDX_URLKEY, CFS_CDX_TIMESTAMP, CFS_CDX_URL, CFS_CDX_MIME,
	CFS_CDX_STATUS, CFS_CDX_DIGEST, CFS_CDX_REDIRECT, CFS_CDX_FLAGS,
	CFS_CDX_LENGTH, CFS_CDX_OFFSET, CFS_CDX_FILENAME, CFS_CDX_LANGUAGES,
	CFS_CDX_KEYS
};

/* Their names in CDXJ. */
extern const char *const cfs_cdx_names[CFS_CDX_KEYS];

/* The values of a row; n 0: not known. */
struct cfs_cdx_row {
	struct cfs_slice v[CFS_CDX_KEYS];
	struct cfs_buf text;		/* holds them */
	struct cfs_buf digest;		/* holds that of the record, with its
					 * label */
	struct cfs_buf archive;		/* the name of the archive, */
	uint64_t file[4];		/* whose hash this is; private */
	struct cfs_buf scratch;
};

void cfs_cdx_row_init(struct cfs_cdx_row *r);
void cfs_cdx_row_release(struct cfs_cdx_row *r);

/* Fills a row, which is for captures of one crawl only.  folder: the name of
 * the crawl in a path below /records/; NULL: there is only one.  0 or a
 * failure. */
int cfs_cdx_row_fill(struct cfs_cdx_row *r, struct cfs_crawl *c,
		     const char *folder, const struct cfs_iter *it,
		     const struct cfs_capture *cap, struct cfs_error *err);

/* Makes r->digest the digest of the row: without a label of SHA-1. */
void cfs_cdx_row_set_digest(struct cfs_cdx_row *r);

#endif
