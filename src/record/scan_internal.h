/* scan_internal.h - what the files of the walk through an archive share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SCAN_INTERNAL_H
#define CFS_RECORD_SCAN_INTERNAL_H

#include "parse.h"
#include "inflow.h"
#include "scan.h"

/* Bytes held beyond a record: the next member, and a header's lines. */
#define CFS_SCAN_LOOK_AHEAD (64u << 20)

enum step {		/* results of helpers, besides failures (negative) */
	STEP_OK = 0,
	STEP_END,	/* the file ends here */
	STEP_NEXT,	/* another record begins at scan.next */
	STEP_DAMAGED = -1000,	/* reported; resynchronise */
};

/* The last search for an empty line: from the header line at position
 * `from` on, the first one ends at `end`; 0: there is none up to `to`, which
 * is inside the line that begins at `line`. */
struct head_look {
	uint64_t from, line, to, end;
};

/* The positions of a record that is being read. */
struct record_place {
	struct cfs_record_shape shape;
	uint64_t at;		/* where its header begins */
	uint64_t want;		/* its declared end; 0 if it declares none */
	uint64_t end;		/* its real end, once found */
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
	uint64_t next;		/* with STEP_NEXT: the position */
	uint64_t last_end;	/* position behind the last record or junk */
	uint64_t checked;	/* 1 + file offset of the last member that was
				 * checked to be whole */
	struct head_look look;
	uint64_t told_to;	/* headers that do not end are reported up to
				 * here */
	unsigned looks;		/* searches for other kinds of archives so
				 * far */
	bool is_cc;		/* see CFS_PARSE_COMMON_CRAWL */
	bool resync_at_end;	/* damage follows what is held */
};

static inline bool has_members(const struct scan *s)
{
	return s->st.coding != CFS_CODING_NONE;
}

/* Counts and reports damage. */
void cfs_scan_report(struct scan *s, const struct cfs_error *what);
/* The same, at a position. */
__attribute__((format(printf, 3, 4)))
void cfs_scan_report_at(struct scan *s, uint64_t pos, const char *fmt, ...);
/* Reports how far in the file the walk is. */
void cfs_scan_report_advance(struct scan *s);

/* All bytes held from a position on. */
struct cfs_slice cfs_scan_from(const struct scan *s, uint64_t pos);
/* Is a line end in the bytes that came in behind position *seen?  *seen becomes
 * the end of what is held: so that a line that comes in many members is not
 * searched from its beginning each time. */
bool cfs_scan_has_new_line(const struct scan *s, uint64_t *seen);
/* Has the walk go on behind the end of its stretch, which is inside a record.
 * False: it may not, or damage is why the record has no more bytes. */
bool cfs_scan_run_on(struct scan *s);
/*
 * Takes in more bytes.  STEP_NEXT if a new member begins with a record;
 * STEP_END at the end (also inside a member: that is reported, and its bytes so
 * far are held); STEP_DAMAGED (reported).
 */
int cfs_scan_grow(struct scan *s);

/* Drops line ends until something else is at the front. */
int cfs_scan_skip_newlines(struct scan *s);
/* Reads the header at the front.  STEP_NEXT: there is none, which was reported,
 * and the walk has gone on to the next one. */
int cfs_scan_read_header(struct scan *s, struct record_place *p);
/* Forgets what is known about positions, before they begin anew. */
void cfs_scan_forget_look(struct scan *s);

/* Goes to the first record, or to the first one of the stretch. */
int cfs_scan_begin(struct scan *s, struct cfs_source *src);
/* Goes to the next good member after damage that was reported. */
int cfs_scan_resync(struct scan *s);
/*
 * Called where no record or member begins: checks if the file continues as an
 * archive of another kind.  If so, *yes, and the walk has moved there, unless
 * it must not go on to the end of the file.
 */
int cfs_scan_look_for_others(struct scan *s, uint64_t at, bool *yes);
/* CFS_EFORMAT, with a message that says what the file is (unsupported.h). */
int cfs_scan_no_archive(const struct scan *s, struct cfs_source *src);

#endif
