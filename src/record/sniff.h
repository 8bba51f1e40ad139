/* sniff.h - what a file is, by its name and first bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SNIFF_H
#define CFS_RECORD_SNIFF_H

#include "source/source.h"

enum cfs_file_kind { CFS_FILE_NONE, CFS_FILE_ARC, CFS_FILE_WARC,
		     CFS_FILE_SEQFILE, CFS_FILE_ZIP,
		     CFS_FILE_PACKAGE };

/* What kind of file src is; a member's start is inflated.  0; CFS_EFORMAT or
 * CFS_ELIMIT for zstd whose first data, or dictionary, cannot be read; or a
 * failure to read. */
int cfs_sniff(struct cfs_source *src, enum cfs_file_kind *out,
	      struct cfs_error *err);

/* True for a name that ends as those of archives do: .warc.gz and the like. */
bool cfs_sniff_is_archive_name(struct cfs_slice name);

/* Whether src is one of Common Crawl's own ARC files, by its name or its file
 * header (see CFS_PARSE_COMMON_CRAWL).  0, CFS_ENOMEM, or a failure to read. */
int cfs_sniff_common_crawl(struct cfs_source *src, bool *yes,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err);

#endif
