/* parts.h - divides the inputs of an index among N tasks, each of which makes
 * a part of it.
 *
 * Every task lists all inputs and finds the same parts, which depend on names
 * and sizes only: the inputs are in the order in which an index numbers them,
 * and a part is a run of them, with about as many bytes as the others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_PARTS_H
#define CFS_INDEXING_PARTS_H

#include "base/strtab.h"
#include "indexer_files.h"

struct cfs_indexer_report;

/* A part: a run of the files and selections, numbered together, files first.
 * The seal is the same for all parts of the same inputs, made with the same
 * options by the same version of the indexer. */
struct cfs_parts_cut {
	size_t from, to;	/* to: after the last */
	uint64_t seal;
};

/* Finds the part opts->part of the inputs listed by cfs_indexer_list.  A file
 * of unknown size counts as much as the others on average. */
void cfs_parts_find(const struct cfs_indexer_files *f,
		    const struct cfs_indexer_opts *opts,
		    struct cfs_parts_cut *out);

/* FOLDER/part-KKKKK-of-NNNNN.cfx, malloced; NULL without memory. */
char *cfs_parts_path(const char *folder, struct cfs_part part);

/* Parses the name of a part's file; false if it is not one. */
bool cfs_parts_of_name(const char *name, struct cfs_part *out);

/* Makes the arrays of all archives as the builder numbers them, and of their
 * origins: the files, then the names, each of which ends with a NUL.  The
 * caller frees both arrays, also after CFS_ENOMEM; names are borrowed. */
int cfs_parts_archives(const struct cfs_indexer_files *f,
		       struct cfs_strtab *names,
		       struct cfs_builder_archive **archives,
		       struct cfs_builder_origin **origins,
		       struct cfs_error *err);

/* ---- the file of a part (partfile.c): an index with all that joins need, and
 * tables; crawlfs-index(5), "Parts" ---- */

/* Tables take some 15 MB for a crawl of 100,000 archives. */
#define CFS_PARTFILE_TABLES_MAX ((size_t)1 << 30)

/* Header fields of a part's file that an index does not have. */
struct cfs_partfile_head {
	struct cfs_part part;
	uint64_t seal;		/* of struct cfs_parts_cut */
	uint64_t tables_off, tables_bytes, tables_hash;	/* one gzip member */
	uint32_t view_version;
	uint64_t skipped[CFS_SKIPPED_KINDS];
};

/* A part that is made: `part` and `seal` of the head, and the tables so far. */
struct cfs_partfile {
	struct cfs_partfile_head head;
	struct cfs_buf tables;
};

/* Turns the complete index in fd into a part's file; *bytes is the file's size,
 * before and after.  0; CFS_EIO, CFS_ENOMEM. */
int cfs_partfile_finish(struct cfs_partfile *p, int fd, uint64_t *bytes,
			struct cfs_error *err);

/* Opens a part's file with a valid header and complete contents.  0;
 * CFS_ENOTFOUND: there is no such file; CFS_EFORMAT: it is not a part of an
 * index, or damaged; CFS_EIO, CFS_ENOMEM. */
int cfs_partfile_open(struct cfs_source **out, const char *path,
		      struct cfs_partfile_head *head, struct cfs_error *err);

/* Appends the tables, after checking them.  0, CFS_EFORMAT, CFS_EIO,
 * CFS_ENOMEM. */
int cfs_partfile_tables(struct cfs_source *src,
			const struct cfs_partfile_head *head,
			struct cfs_buf *out, struct cfs_error *err);

/* ---- its tables, which say what the numbers of archives in it mean
 * (part_tables.c) ---- */

/* Counts of a part that are not counted again where parts are merged:
 * everything that was sorted, and captures and related records that need not
 * be joined again. */
struct cfs_part_counts {
	uint64_t sorted, repeated, related, unrelated;
};

struct cfs_part_tables {
	struct cfs_parts_cut cut;	/* without the seal */
	bool no_lone_annexes, drops_repeats;	/* as in struct
						 * cfs_builder_opts */
	/* The home of all archives, the folder that the user wants names to be
	 * relative to, and the one that they are relative to; NULL: none.
	 * Owned once taken. */
	char *home, *base, *below;
	/* Names of archives, numbered after the files. */
	struct cfs_strtab *names;	/* borrowed; owned once taken */
	struct cfs_part_counts counts;	/* only when taken */
	/* Skipped captures of each file and each name, by enum
	 * cfs_skipped_kind; only when taken: owned. */
	uint64_t (*skipped)[CFS_SKIPPED_KINDS];
	size_t n_skipped;
	struct cfs_buf damage;	/* damage of the same (format/cfx/cfx_damage.h);
				 * only when taken: owned */
};

/* Appends all tables except counts, skipped captures and damage, which the
 * builder appends. */
void cfs_part_tables_put(struct cfs_buf *out, const struct cfs_part_tables *t,
			  const struct cfs_indexer_files *files);

void cfs_part_counts_put(struct cfs_buf *out,
			  const struct cfs_part_counts *c);

/*
 * Parses the tables.  Those of the first part add its files to `files`, which
 * is empty then; those of another part update the files that it was made of.
 * 0; CFS_EFORMAT; CFS_ENOMEM.  Release t in any case.
 */
int cfs_part_tables_take(struct cfs_slice in, struct cfs_part_tables *t,
			  struct cfs_indexer_files *files,
			  struct cfs_error *err);
void cfs_part_tables_release(struct cfs_part_tables *t);

/* ---- merging the parts (part_merge.c) ---- */

/* The file in a folder of parts that says that all were merged into an
 * index. */
#define CFS_PARTS_DONE "_SUCCESS"

/* True for a folder that contains a part's file. */
bool cfs_parts_is_folder(const char *path);

/*
 * Merges all parts in a folder into the index that one machine would make of
 * all inputs, byte for byte; then creates the file CFS_PARTS_DONE.  A key with
 * more records than are joined at a time (join/entries.c) may have more of them
 * joined than there.
 *
 * opts    output, base, threads, memory, revisits, cancel and progress are
 *         used
 * report  as of cfs_indexer_run
 *
 * 0; CFS_EUSAGE for parts that are missing, damaged or do not belong together,
 * which err names; CFS_ENOTFOUND if they have no page; failures of reading and
 * writing, after which the output is as it was.
 */
int cfs_parts_merge(const struct cfs_indexer_opts *opts, const char *folder,
		     struct cfs_indexer_report *report, struct cfs_error *err);

#endif
