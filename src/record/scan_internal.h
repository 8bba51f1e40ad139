/* scan_internal.h - what the files of the walk through an archive share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SCAN_INTERNAL_H
#define CFS_RECORD_SCAN_INTERNAL_H

#include "parse.h"
#include "inflow.h"
#include "scan.h"

/* Beyond the record itself: the member that follows, and a header's lines. */
#define CFS_SCAN_LOOK_AHEAD (64u << 20)

enum step {		/* of the helpers below, beside failures (negative) */
	STEP_OK = 0,
	STEP_END,	/* the file ends here */
	STEP_NEXT,	/* another record begins at scan.next */
	STEP_DAMAGED = -1000,	/* reported; resynchronise */
};

struct scan {
	struct cfs_inflow st;
	const struct cfs_scan_opts *opts;
	cfs_scan_fn *fn;
	struct cfs_scan_counts *counts;
	struct cfs_error *err;
	struct cfs_record_limits limits;
	uint64_t max_record;
	uint64_t reported;	/* file bytes passed to opts->advanced */
	uint64_t next;		/* position, for STEP_NEXT */
	uint64_t last_end;	/* position after the last record or junk */
	uint64_t checked;	/* where the member begins, plus 1, that was
				 * found to be whole */
	unsigned looks;		/* for other kinds of archives in the file */
	bool is_cc;
	bool resync_at_end;	/* damage follows what is held */
};

static inline bool has_members(const struct scan *s)
{
	return s->st.coding != CFS_CODING_NONE;
}

/* Reports damage. */
void cfs_scan_report(struct scan *s, const struct cfs_error *what);
/* Reports how far the file has been passed. */
void cfs_scan_report_advance(struct scan *s);

/* Begins where the records do, or the part of them that is wanted. */
int cfs_scan_begin(struct scan *s, struct cfs_source *src);
/* Finds the next good member after damage that was reported. */
int cfs_scan_resync(struct scan *s);
/*
 * Where no record or member begins: does the file go on as an archive of
 * another kind?  Then *yes, and the walk has gone on there.  A part of a file
 * cannot: all of it is to be read at once.
 */
int cfs_scan_look_for_others(struct scan *s, uint64_t at, bool *yes);
/* CFS_EFORMAT: the file is called what unsupported.h calls it. */
int cfs_scan_no_archive(const struct scan *s, struct cfs_source *src);

#endif
