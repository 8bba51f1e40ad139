/* sniff.h - what a file is, by its name and first bytes.
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

/* How far a file is looked into. */
enum cfs_sniff_depth {
	/* Its first bytes, or those of its first member. */
	CFS_SNIFF_START,
	/* As the next one, if its name has ".warc", ".arc", ".wat" or ".wet" in
	 * it; else as the first. */
	CFS_SNIFF_BY_NAME,
	/* What does not begin with a record is searched for one, as far as
	 * CFS_START_SEARCH_BYTES go. */
	CFS_SNIFF_SEARCH,
};

struct cfs_sniffed {
	enum cfs_file_kind kind;
	/* Of ARC and WARC files; of others whatever the first bytes say. */
	enum cfs_coding coding;
	/* The zstd dictionary, until cfs_sniffed_release; NULL: none. */
	struct cfs_zst_dict *dict;
	/* File offset of the first member or record that can be read.  0 unless
	 * something else is in front of it (or is the first member). */
	uint64_t at;
	/* One of Common Crawl's own ARC files, by its name or its file header
	 * (see CFS_PARSE_COMMON_CRAWL). */
	bool is_common_crawl;
};

/*
 * What src is.  An archive whose beginning is damaged is one; a file with the
 * name of an archive that is too large to be searched whole is taken for one,
 * too, unless it begins with something else that is known (doc/formats.md,
 * "Damage at the beginning").
 * 0; CFS_EFORMAT or CFS_ELIMIT for zstd of which nothing can be read, or not
 * its dictionary; or a failure to read.  The caller releases *out, whatever
 * comes back.
 */
int cfs_sniff_file(struct cfs_source *src, enum cfs_sniff_depth depth,
		   struct cfs_sniffed *out, const struct cfs_cancel *cancel,
		   struct cfs_error *err);
void cfs_sniffed_release(struct cfs_sniffed *s);

/* The kind alone. */
int cfs_sniff(struct cfs_source *src, enum cfs_sniff_depth depth,
	      enum cfs_file_kind *out, struct cfs_error *err);

/* What begins at file offset `at`, but for line ends and NULs: a record, of
 * whatever kind, as in a file that has no name (start.h).  0; CFS_END if none
 * does; CFS_ENOMEM, or a failure to read. */
int cfs_sniff_place(struct cfs_source *src, uint64_t at, struct cfs_start *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

/* The zstd dictionary at the beginning of an archive, the caller's to put; *out
 * is NULL where there is none.  0, or failures as of cfs_members_dict. */
int cfs_sniff_dict(struct cfs_source *src, struct cfs_zst_dict **out,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

/* True for a name that ends as those of archives do: .warc.gz and the like. */
bool cfs_sniff_is_archive_name(struct cfs_slice name);

/* is_common_crawl alone, for which most files need not be read.  0, CFS_ENOMEM,
 * or a failure to read. */
int cfs_sniff_common_crawl(struct cfs_source *src, bool *yes,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err);

#endif
