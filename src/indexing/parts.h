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

/* ---- the file of a part: an index with all that joins need, whose header has
 * its number and the seal; crawlfs-index(5), "Parts" ---- */

/* Counts of a part that are not counted again where parts are merged:
 * everything that was sorted, and captures and related records that need not
 * be joined again. */
struct cfs_part_counts {
	uint64_t sorted, repeated, related, unrelated;
};

/* A part says this of itself, behind the rows of its archives in the joindata:
 *
 *     text      below: a varint and that many bytes, of which the last is NUL
 *     varint    flags: 1 no_lone_annexes, 2 drops_repeats, 4 is_remote,
 *               8 has_base, 16 is_other_base
 *     varint    view_slots
 *     varints   counts
 */
struct cfs_part_about {
	struct cfs_part part;		/* these two are in the header */
	uint64_t seal;
	const char *below;	/* the folder that names are relative to */
	bool no_lone_annexes, drops_repeats;	/* as in struct
						 * cfs_builder_opts */
	bool is_remote;		/* some inputs are on servers */
	bool has_base;		/* the user named a folder for that; */
	bool is_other_base;	/* `below` is not what was asked for */
	uint32_t view_slots;	/* as in struct cfs_indexer_opts */
	struct cfs_part_counts counts;
};

/* Appends it, without what is in the header. */
void cfs_part_about_put(struct cfs_buf *out, const struct cfs_part_about *a);

/* Opens a part and reads what it says of itself; `below` is lent by `in`.
 * Close `in` in
 * any case.  folder: prefix of its archives' names.  0; CFS_ENOTFOUND: there is
 * no such file; CFS_EFORMAT, CFS_EUNSUPPORTED: it is not a part of an index, of
 * another version, or damaged; CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_parts_open(struct cfs_merge_input *in, const char *path,
		  const char *folder, struct cfs_part_about *about,
		  struct cfs_ctx ctx);

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
