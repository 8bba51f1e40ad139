/* archive.h - files of gzip members, one after the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_ARCHIVE_H
#define MKCRAWL_ARCHIVE_H

#include <stdio.h>

#include "mkcrawl.h"

struct libdeflate_compressor;

struct mk_archive {
	const struct mk_config *cfg;
	bool arc;
	FILE *f;		/* NULL between files */
	char *io;		/* its buffer */
	char name[256];		/* relative to cfg->out */
	uint64_t offset;	/* bytes written to it */
	uint64_t number;	/* files begun, this one included */
	uint64_t bytes;		/* of all files */
	/* The file's numbers, as the 2012 crawl names it. */
	uint64_t segment, date_ms;
	uint32_t partition;
	struct libdeflate_compressor *z;
	struct cfs_buf member;
};

/* Where a record went. */
struct mk_place {
	const char *archive;	/* until the next record */
	uint64_t offset, length;
};

void mk_archive_init(struct mk_archive *a, const struct mk_config *cfg, bool arc);
void mk_archive_release(struct mk_archive *a);

/* True when the next record must go to a new file: call mk_archive_begin and
 * write the file's own header record first. */
bool mk_archive_is_full(const struct mk_archive *a);
void mk_archive_begin(struct mk_archive *a);
/* Writes one record; with `extra` the member has the header field that the
 * first one of a 2012 file has. */
struct mk_place mk_archive_write(struct mk_archive *a, struct cfs_slice record,
				 bool extra);

/* Makes the folders above path (below cfg->out). */
void mk_make_folders(const struct mk_config *cfg, const char *path);
/* Opens cfg->out/path for writing; dies if that fails. */
FILE *mk_create(const struct mk_config *cfg, const char *path);

#endif
