/* verify_internal.h - what the files of a verification share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_INTERNAL_H
#define CFS_VERIFY_VERIFY_INTERNAL_H

#include "base/buf.h"
#include "record/digest.h"
#include "record/scan.h"
#include "verify.h"
#include "verify_rows.h"

enum cfs_verify_kind {
	CFS_VERIFY_ARCHIVE,
	CFS_VERIFY_PAIRS,		/* a SequenceFile */
	CFS_VERIFY_DATAPACKAGE,		/* of a WACZ */
	CFS_VERIFY_LIST,		/* of captures, in a WACZ: its rows are
					 * lines of no archive
					 * (verify_list.h) */
	CFS_VERIFY_UNREADABLE,		/* an archive: `bad` says why */
	CFS_VERIFY_BAD_INDEX,		/* likewise an index, or part of one */
};

/* What is verified by itself: an archive, or the package of a WACZ. */
struct cfs_verify_unit {
	enum cfs_verify_kind kind;
	char *name;			/* as reports have it; owned */
	char *location;		/* where it is; of the store's, its name there;
				 * owned */
	bool is_stored;			/* the store knows where it is */
	bool is_remote;
	bool is_known;			/* size and time were asked for */
	uint64_t size, mtime_ns;	/* 0: not known */
	uint64_t state;			/* of one on a server that has changed
					 * since the report has it; else 0 */
	struct cfs_verify_row_run run;	/* what the index lists in it */
	uint64_t shift;			/* what their offsets are greater by */
	bool is_listed;			/* a list has all its captures */
	bool skip;			/* what is left of it is verified
					 * elsewhere; guarded by the lock */
	struct cfs_error *bad;		/* why it cannot be read, or NULL;
					 * owned */
};

/* A stretch of a unit, and what was found in it. */
struct cfs_verify_part {
	struct cfs_verify_part *next;	/* in order */
	struct cfs_verify_unit *unit;
	uint64_t from, to;		/* both 0: all of it */
	uint64_t entries, n_entries;	/* which of the index lie in it */
	uint64_t id;			/* of this stretch of this state of the
					 * unit (cfs_verify_part_id) */
	struct cfs_buf lines;		/* findings, not yet in the report */
	struct cfs_buf ids;		/* of records: 8 bytes of hash each */
	struct cfs_verify_tally tally;
	uint64_t state;			/* what a server said of the archive
					 * (cfs_verify_state_of), or 0 */
	bool missed_end;		/* `to` was inside of a record */
	int rc;
	struct cfs_error error;
	bool is_read, is_void;		/* guarded by the lock */
};

/* Frees what a unit owns. */
void cfs_verify_unit_release(struct cfs_verify_unit *u);

struct cfs_verify_part *cfs_verify_part_new(struct cfs_verify_unit *u,
					    uint64_t from, uint64_t to);
void cfs_verify_part_free(struct cfs_verify_part *p);	/* accepts NULL */
/* Forgets what was found. */
void cfs_verify_part_reset(struct cfs_verify_part *p);
uint64_t cfs_verify_part_id(const struct cfs_verify_unit *u, uint64_t from);

/* ---- findings (verify_finding.c) ---------------------------------------- */

struct cfs_verify_finding {
	const char *archive;		/* NULL: the part's */
	const char *kind;
	uint64_t offset, length;	/* length 0: not known */
	struct cfs_slice url;		/* n 0: not known */
	struct cfs_slice expected, found;
};

/* Counts it, logs it unless many were, and adds its line.  p->lines may
 * fail. */
void cfs_verify_found(struct cfs_verify_part *p,
		      const struct cfs_verify_finding *f);

/* ---- reading (verify_part.c) -------------------------------------------- */

struct cfs_verify_reader {		/* shared by threads */
	const struct cfs_verify_opts *opts;
	const struct cfs_cancel *cancel;
	struct cfs_verify_rows *entries;	/* NULL: there is no index, nor
						 * a list */
	atomic_uint_least64_t bytes, records;
	/* Makes room in a part whose results have become many, once it is its
	 * turn. */
	int (*flush)(void *arg, struct cfs_verify_part *p,
		     struct cfs_error *err);
	void *arg;
};

/* Opens a unit.  by_part: for reading here and there. */
int cfs_verify_open(const struct cfs_verify_reader *r,
		    const struct cfs_verify_unit *u, bool by_part,
		    struct cfs_source **out, const struct cfs_cancel *cancel,
		    struct cfs_error *err);

/* True for a failure that ends the run: memory, an interruption, and a server
 * that may answer another day. */
bool cfs_verify_is_fatal(const struct cfs_verify_unit *u, int rc);

/* A hash of which state of a remote object was read; 0: not known. */
uint64_t cfs_verify_state_of(struct cfs_source *src);

/* Fills in the results of a part; p->rc is a failure that ends the run. */
void cfs_verify_read(struct cfs_verify_reader *r, struct cfs_verify_part *p);

/* Makes room in a part that has many results: what leads to a result and may
 * have many calls it.  0, or a failure that ends the run, in p->error. */
int cfs_verify_make_room(struct cfs_verify_reader *r,
			 struct cfs_verify_part *p);

/* Compares a record with itself. */
void cfs_verify_record(struct cfs_verify_part *p,
		       const struct cfs_scan_item *item,
		       bool has_length_damage);

/* Is the digest that of the record's payload, in one of its readings?  As
 * cfs_digest_check, into an empty `found`. */
enum cfs_digest_verdict cfs_verify_payload_is(const struct cfs_record *r,
					      struct cfs_slice digest,
					      struct cfs_buf *found);

/* The files of a WACZ by its datapackage.json, and that by
 * datapackage-digest.json.  0, or a failure that ends the run. */
int cfs_verify_package(const struct cfs_verify_reader *r,
		       struct cfs_verify_part *p, struct cfs_error *err);

/* ---- the report, and what must outlive a killed run (verify_report.c) --- */

struct cfs_verify_report;		/* used by one thread at a time */

/* Opens opts->report, or begins without a file.  *out is to be freed in any
 * case.  CFS_EUSAGE, CFS_EIO, CFS_ENOMEM. */
int cfs_verify_report_open(struct cfs_verify_report **out,
			   const struct cfs_verify_opts *opts,
			   struct cfs_error *err);
void cfs_verify_report_free(struct cfs_verify_report *r); /* accepts NULL */

/* Has an earlier run verified the part with this id?  Then *to is its end and
 * *tally what was found; it is one of this run's, too. */
bool cfs_verify_report_use(struct cfs_verify_report *r, uint64_t id,
			   uint64_t *to, struct cfs_verify_tally *tally);
/* Has one verified the start of that archive in another state than the id's? */
bool cfs_verify_report_had(const struct cfs_verify_report *r, const char *name,
			   uint64_t id);

/* Has one verified a part of that archive, on a server? */
bool cfs_verify_report_knows(const struct cfs_verify_report *r,
			     const char *name);
/* Was it always in this state? */
bool cfs_verify_report_is_of(const struct cfs_verify_report *r,
			     const char *name, uint64_t state);
bool cfs_verify_report_is_new(const struct cfs_verify_report *r);

/* Appends what was found so far, or all, of a part. */
int cfs_verify_report_add(struct cfs_verify_report *r,
			  struct cfs_verify_part *p, struct cfs_error *err);
/* The part is complete. */
int cfs_verify_report_mark(struct cfs_verify_report *r,
			   const struct cfs_verify_part *p,
			   struct cfs_error *err);
/* Forgets what was added since the last mark. */
int cfs_verify_report_undo(struct cfs_verify_report *r, struct cfs_error *err);
/* All parts are.  *repeated: records whose id another one has. */
int cfs_verify_report_finish(struct cfs_verify_report *r,
			     struct cfs_verify_result *result,
			     struct cfs_error *err);

#endif
