/* scan.h - walks through a whole archive file, record by record.
 *
 * Takes .arc, .arc.gz, .warc, .warc.gz, .warc.zst (and .wat/.wet, which are
 * WARC) of any of the shapes seen: one member a record, several members to one
 * record, several records in one member, no compression.  Damage is reported
 * and stepped over: the walk is resumed at the next member that inflates to a
 * record header (doc/design.md, "Building an index").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SCAN_H
#define CFS_RECORD_SCAN_H

#include "base/cancel.h"
#include "record.h"
#include "source/source.h"
#include "source/span.h"

/* A record and its place. */
struct cfs_scan_item {
	struct cfs_span span;			/* .file is not set */
	/* It is alone in one member, which says by itself how long it is. */
	bool is_one_member;
	uint64_t surplus;	/* bytes behind the record, and the line ends
				 * after it, that its length leaves out */
	const struct cfs_record *record;	/* until the callback returns */
};

struct cfs_scan_opts {
	uint64_t max_record_bytes;	/* inflated; 0:
					 * CFS_RECORD_MAX_DEFAULT */
	/* Damage, with place and reason; the walk continues.  May be NULL. */
	void (*damaged)(void *arg, const struct cfs_error *what);
	/* File bytes passed since the last call.  May be NULL. */
	void (*advanced)(void *arg, uint64_t bytes);
	const struct cfs_cancel *cancel;
	void *arg;			/* of all callbacks */
	/* In place of the zstd dictionary at the start of the file; NULL: that
	 * one. */
	struct cfs_zst_dict *dict;
	/* src is where a record is said to be: if none is, it is not searched
	 * for one, and what it is instead is not asked. */
	bool is_place;
	bool no_bodies;		/* records are parsed, their bodies not decoded:
				 * `body` is empty */
	/* A part of a file of members: those that begin at from, which must be
	 * where one does (cfs_scan_split), up to `to`.  Both 0: the file. */
	uint64_t from, to;
};

struct cfs_scan_counts {
	uint64_t records, members, damaged;
	uint64_t bad_members;	/* of the damage: members that do not inflate,
				 * or to something else than they say */
	uint64_t short_records;	/* of the damage: records of fewer bytes than
				 * declared, up to the next; nothing is lost */
	uint64_t inflated_bytes;
	bool one_big_member;	/* whole-file gzip: reads will be slow */
	/* The walk did not come to a member's end exactly at opts->to: that
	 * was no boundary between records after all. */
	bool missed_end;
};

/* Returns nonzero to stop the walk with that code. */
typedef int cfs_scan_fn(void *arg, const struct cfs_scan_item *item);

/* 0 at the end of the file, damage or not; the callback's code; CFS_EFORMAT
 * when the file is not an archive at all (in words: unsupported.h), or its zstd
 * dictionary is damaged;
 * CFS_ELIMIT for one too large; CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_scan_archive(struct cfs_source *src, const struct cfs_scan_opts *opts,
		     cfs_scan_fn *fn, struct cfs_scan_counts *counts,
		     struct cfs_error *err);

/*
 * Looks in a file of members for a place to cut it in two: the first member at
 * or after `at` that begins a record.  It may still be one inside another
 * record (an archive kept in an archive): then counts.missed_end of the part
 * before it is set.  0; CFS_END if there is none; failures.
 */
int cfs_scan_split(struct cfs_source *src, uint64_t at, uint64_t *out,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
