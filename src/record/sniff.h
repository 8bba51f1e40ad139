/* sniff.h - recognises what a file is, by its name and first bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SNIFF_H
#define CFS_RECORD_SNIFF_H

#include "codec/member.h"
#include "source/source.h"
#include "start.h"

enum cfs_file_kind { CFS_FILE_NONE, CFS_FILE_ARC, CFS_FILE_WARC,
		     CFS_FILE_SEQFILE, CFS_FILE_ZIP,
		     CFS_FILE_PACKAGE };

/* How thoroughly a file is examined. */
enum cfs_sniff_depth {
	/* By its first bytes alone: nothing is read. */
	CFS_SNIFF_HEAD,
	/* By its first bytes, or those of its first member. */
	CFS_SNIFF_START,
	/* As CFS_SNIFF_SEARCH if its name contains ".warc", ".arc", ".wat" or
	 * ".wet"; else as CFS_SNIFF_START. */
	CFS_SNIFF_BY_NAME,
	/* A file that does not begin with a record is searched for one, up to
	 * CFS_START_SEARCH_BYTES. */
	CFS_SNIFF_SEARCH,
	/* As CFS_SNIFF_SEARCH, and a ZIP file too: one that cannot be read as
	 * that, with archives that are stored in it. */
	CFS_SNIFF_SEARCH_ZIP,
};

struct cfs_sniffed {
	enum cfs_file_kind kind;
	/* For ARC and WARC files; for others, what the first bytes suggest. */
	enum cfs_coding coding;
	/* The zstd dictionary, until cfs_sniffed_release; NULL: none. */
	struct cfs_zst_dict *dict;
	/* File offset of the first member or record that can be read: 0, unless
	 * something else (or a first member of another kind) precedes it. */
	uint64_t at;
	/* It is one of Common Crawl's own ARC files, by its name or its file
	 * header (see CFS_PARSE_COMMON_CRAWL). */
	bool is_common_crawl;
};

/*
 * Recognises src.  An archive counts as one even if its beginning is damaged;
 * so does a file with the name of an archive that is too large to be searched
 * whole, unless it begins with something else that is known (doc/formats.md,
 * "Damage at the beginning").
 * 0; CFS_EFORMAT or CFS_ELIMIT for zstd that cannot be read, or that lacks a
 * good dictionary; or a failure to read.  The caller releases *out in any
 * case.
 */
int cfs_sniff_file(struct cfs_source *src, enum cfs_sniff_depth depth,
		   struct cfs_sniffed *out, struct cfs_ctx ctx);
void cfs_sniffed_release(struct cfs_sniffed *s);

/* The same for a file whose first bytes were read: CFS_INDEX_HEAD_BYTES of
 * index/index.h, or all of a smaller file. */
int cfs_sniff_head(struct cfs_source *src, struct cfs_slice head,
		   enum cfs_sniff_depth depth, struct cfs_sniffed *out,
		   struct cfs_ctx ctx);

/* As cfs_sniff_file, for the kind only. */
int cfs_sniff(struct cfs_source *src, enum cfs_sniff_depth depth,
	      enum cfs_file_kind *out, struct cfs_error *err);

/* Finds a record of any kind at file offset `at`, behind line ends and NULs, as
 * in a file that has no name (start.h); not one of the coding `not`.  0;
 * CFS_END if none begins there; CFS_ENOMEM, or a failure to read. */
int cfs_sniff_place(struct cfs_source *src, uint64_t at, enum cfs_coding not,
		    struct cfs_start *out,
		    struct cfs_ctx ctx);

/* Gets the zstd dictionary at the beginning of an archive, to be put by the
 * caller; *out is NULL if there is none.  0, or failures as of
 * cfs_members_dict. */
int cfs_sniff_dict(struct cfs_source *src, struct cfs_zst_dict **out,
		   struct cfs_ctx ctx);

/* True for a name with the ending of an archive: .warc.gz and the like. */
bool cfs_sniff_is_archive_name(struct cfs_slice name);

/* As cfs_sniff_file, for is_common_crawl only: most files need not be read.  0,
 * CFS_ENOMEM, or a failure to read. */
int cfs_sniff_common_crawl(struct cfs_source *src, bool *yes,
			   struct cfs_ctx ctx);

#endif
