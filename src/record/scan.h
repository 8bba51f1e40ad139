/* scan.h - walks through a whole archive file, record by record.
 *
 * Accepts .arc, .arc.gz, .warc, .warc.gz, .warc.zst (and .wat/.wet, which are
 * WARC) in all shapes that occur: one record in a member, a record in several
 * members, several records in one member, no compression.  Damage is reported
 * and skipped: the walk resumes at the next member that inflates to a record
 * header (doc/design.md, "Building an index").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SCAN_H
#define CFS_RECORD_SCAN_H

#include "base/cancel.h"
#include "base/spill.h"
#include "record.h"
#include "source/source.h"
#include "source/span.h"

/* A record and its place. */
struct cfs_scan_item {
	struct cfs_span span;			/* .file is not set */
	/* It fills one member by itself, from which its length is known. */
	bool is_one_member;
	uint64_t surplus;	/* bytes behind the record and its line ends
				 * that its declared length leaves out */
	const struct cfs_record *record;	/* valid during the callback */
	/* The folder with the temporary file that the record is in; NULL: it is
	 * in memory.  What is read of it must be released (base/spill.h). */
	const char *spill_dir;
};

/* How the pages of the record are treated. */
static inline enum cfs_pages cfs_scan_pages(const struct cfs_scan_item *item)
{
	return item->spill_dir != NULL ? CFS_PAGES_RELEASED : CFS_PAGES_STAY;
}

/* A stretch of a file of members: those that begin in [from, to).  A member
 * begins at `from` (stretches.h).  from and to both 0: the whole file. */
struct cfs_scan_stretch {
	uint64_t from, to;
	/* If `to` turns out to lie inside a record, the walk goes on up to
	 * there, in place of later stretches.  Not behind `to`: it never
	 * does. */
	uint64_t rest;
};

struct cfs_scan_opts {
	uint64_t max_record_bytes;	/* inflated; 0:
					 * CFS_RECORD_MAX_DEFAULT */
	/* Reports damage, with place and reason; the walk continues.  May be
	 * NULL. */
	void (*damaged)(void *arg, const struct cfs_error *what);
	/* Reports file bytes passed since the last call.  May be NULL. */
	void (*advanced)(void *arg, uint64_t bytes);
	/*
	 * If memory_bytes is not 0, no longer record or body is held in memory,
	 * but in a temporary file in spill_dir.
	 */
	uint64_t memory_bytes;
	const char *spill_dir;
	const struct cfs_cancel *cancel;
	void *arg;			/* for all callbacks */
	/* Used instead of the zstd dictionary at the start of the file; NULL:
	 * use that. */
	struct cfs_zst_dict *dict;
	/* src begins where a record is said to be: if there is none, src is not
	 * searched for one, and errors do not say what it is instead. */
	bool is_place;
	bool no_bodies;		/* bodies of records are not decoded: `body` is
				 * empty */
	struct cfs_scan_stretch at;
	/* Called once, before the walk goes on behind at.to.  May be NULL. */
	void (*ran_on)(void *arg);
};

struct cfs_scan_counts {
	uint64_t records, members, damaged;
	uint64_t bad_members;	/* of `damaged`: members that do not inflate, or
				 * not to what their trailers say */
	uint64_t short_records;	/* of `damaged`: records shorter than declared,
				 * up to the next one; nothing is lost */
	uint64_t inflated_bytes;
	bool one_big_member;	/* whole-file gzip: reads will be slow */
	bool spill_failed;	/* the walk ended since spill_dir has no room:
				 * nothing is wrong with the file */
};

/* memory_bytes for each of so many walks at the same time that may use `memory`
 * bytes in all. */
uint64_t cfs_scan_hold(uint64_t memory, unsigned threads);

/* Returns nonzero to stop the walk with that code. */
typedef int cfs_scan_fn(void *arg, const struct cfs_scan_item *item);

/* 0 at the end of the file, damaged or not; the callback's code; CFS_EFORMAT if
 * the file is not an archive at all (the message says what it is), or its zstd
 * dictionary is damaged; CFS_ELIMIT if that is too large; CFS_EIO, CFS_ENOMEM,
 * CFS_EINTR. */
int cfs_scan_archive(struct cfs_source *src, const struct cfs_scan_opts *opts,
		     cfs_scan_fn *fn, struct cfs_scan_counts *counts,
		     struct cfs_error *err);

/*
 * Finds a place to cut a file of members in two: the first member at or behind
 * `at` that begins with a record.  That record may still lie inside another one
 * (an archive kept in an archive).  0; CFS_END if there is none; failures.
 */
int cfs_scan_split(struct cfs_source *src, uint64_t at, uint64_t *out,
		   struct cfs_ctx ctx);

/* The same, but a member at or behind `at`, not always the first, whose record
 * does not lie inside another one that is the first in its member: for
 * processes that do not read what is before.  Places are in the order of what
 * was asked for, whatever the damage.  Reads what is before `at`, up to
 * CFS_RECORD_MAX_DEFAULT bytes. */
int cfs_scan_cut(struct cfs_source *src, uint64_t at, uint64_t *out,
		 struct cfs_ctx ctx);

#endif
