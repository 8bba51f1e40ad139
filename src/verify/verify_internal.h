/* verify_internal.h - structures and calls shared by the files of src/verify.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_INTERNAL_H
#define CFS_VERIFY_VERIFY_INTERNAL_H

#include "base/buf.h"
#include "base/ordered.h"
#include "base/strtab.h"
#include "index/index_walk.h"
#include "indexing/indexer_files.h"
#include "record/digest.h"
#include "record/stretches.h"
#include "verify.h"

/* ---- the entries of an index (verify_rows.c) ---- */

/* An entry of an index, or a line of a list.  What it does not say is 0 or
 * empty, and is not compared. */
struct cfs_verify_row {
	uint64_t offset, inner_offset;
	uint64_t length, inner_length;
	int64_t time;
	struct cfs_slice key;		/* empty for a line */
	struct cfs_slice url;		/* empty if the key says it */
	struct cfs_slice digest;	/* as it is written */
	uint32_t scheme;		/* of the key's URL */
	/* Only lines have these: */
	struct cfs_slice mime;
	uint64_t status;
};

/* Rows that lie one behind the other, in the order of their places. */
struct cfs_verify_walk {
	struct cfs_slice rest;
	size_t passed;			/* bytes before `rest` in memory */
};

/* Most bytes of a digest with its label. */
#define CFS_VERIFY_DIGEST_MAX 1024u
/* Appends a digest, adding the label that CDX files leave out. */
void cfs_verify_label(struct cfs_slice digest, struct cfs_buf *out);

struct cfs_verify_rows;		/* threads share it once it is sorted */
struct cfs_verify_unit;

/* Free *out in any case.  0 or CFS_ENOMEM. */
int cfs_verify_rows_new(struct cfs_verify_rows **out,
			const struct cfs_verify_opts *opts,
			struct cfs_error *err);
void cfs_verify_rows_free(struct cfs_verify_rows *e);	/* accepts NULL */

/* Adds a row of the archive with that number.  Fails like cfs_extsort_add. */
int cfs_verify_rows_add(struct cfs_verify_rows *e, uint32_t archive,
			const struct cfs_verify_row *row,
			struct cfs_error *err);

/* Ends adding; units[i] gets the rows of archive i, which is below n.  0,
 * CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_verify_rows_sort(struct cfs_verify_rows *e,
			 struct cfs_verify_unit *units, size_t n,
			 struct cfs_error *err);

/* Takes the next row, which is lent, if it is of a place before the offset
 * `to`.  False: there is none. */
bool cfs_verify_row_next(struct cfs_verify_walk *w, uint64_t to,
			 struct cfs_verify_row *out);

/* ---- units and their parts ---- */

enum cfs_verify_kind {
	CFS_VERIFY_ARCHIVE,
	CFS_VERIFY_PAIRS,		/* a SequenceFile */
	CFS_VERIFY_DATAPACKAGE,		/* datapackage.json of a WACZ */
	CFS_VERIFY_LIST,		/* a list of captures in a WACZ; its
					 * rows are lines that belong to no
					 * archive (verify_list.c) */
	CFS_VERIFY_UNREADABLE,		/* an archive that cannot be read: see
					 * `bad` */
	CFS_VERIFY_BAD_INDEX,		/* likewise an index, or a part of
					 * one */
};

/* The unit of verifying: an archive, or the package of a WACZ. */
struct cfs_verify_unit {
	enum cfs_verify_kind kind;
	char *name;			/* its name in reports; owned */
	char *location;		/* path or URL, or its name in the store;
				 * owned */
	bool is_stored;			/* the store finds it */
	bool is_remote;
	bool is_known;			/* size and time have been asked for */
	uint64_t size, mtime_ns;	/* 0: not known */
	uint64_t state;			/* a hash of the state on its server, if
					 * that has changed since the report was
					 * begun; else 0 */
	struct cfs_verify_walk rows;	/* its entries in the index */
	uint64_t rows_hash;		/* of all of them */
	uint64_t shift;			/* added to the offsets of these
					 * entries */
	bool is_unread;			/* it is counted as such */
	bool is_listed;			/* a list names all its captures */
	bool skip;			/* its bytes are verified otherwise */
	struct cfs_ordered_group group;	/* its parts */
	struct cfs_error *bad;		/* why it cannot be read, or NULL;
					 * owned */
};

/* A stretch of a unit, and the results of reading it. */
struct cfs_verify_part {
	struct cfs_ordered_job job;	/* the first member */
	struct cfs_verify_unit *unit;
	struct cfs_scan_stretch at;
	struct cfs_verify_walk rows;	/* its entries in the index: those */
	uint64_t rows_to;		/* before this offset */
	uint64_t id;			/* identifies this stretch and the state
					 * of its unit (cfs_verify_part_id) */
	struct cfs_buf lines;		/* findings not yet in the report */
	struct cfs_buf ids;		/* record ids, as hashes of 8 bytes */
	struct cfs_buf log;		/* lines, each ended by a NUL */
	struct cfs_verify_tally tally;
	uint64_t state;			/* the archive's state when it was read
					 * from a server (cfs_verify_state_of),
					 * or 0 */
	bool is_unread;			/* its archive cannot be read now;
					 * `lines` has a line about that */
	int rc;
	struct cfs_error error;
};

/* Frees what a unit owns. */
void cfs_verify_unit_release(struct cfs_verify_unit *u);

struct cfs_verify_part *cfs_verify_part_new(struct cfs_verify_unit *u,
					    struct cfs_scan_stretch at);
void cfs_verify_part_free(struct cfs_verify_part *p);	/* accepts NULL */
uint64_t cfs_verify_part_id(const struct cfs_verify_unit *u, uint64_t from);

/* ---- the run ------------------------------------------------------------- */

struct cfs_verify {
	struct cfs_verify_opts opts;
	struct cfs_holes holes;
	struct cfs_ordered run;
	atomic_uint_least64_t bytes, records;	/* read so far */
	uint64_t record_bytes;		/* longer records go into files; 0: none
					 * do */
	/* One thread at a time adds units and plans: */
	struct cfs_verify_unit *units;
	size_t n, room;
	struct cfs_strtab *names;	/* locations of the units */
	struct cfs_verify_rows *entries;
	bool has_lists;
	uint64_t file[4];		/* the `file` of the last entry's
					 * span */
	uint32_t archive;		/* that archive's number */
	bool has_archive;
	uint64_t archives, bytes_total;
	bool any_remote;
	size_t at;
	struct cfs_stretches stretches;	/* of units[at] */
	struct cfs_verify_walk rows;	/* its entries from the next part on */
	bool is_begun;			/* units[at] has been examined */
	struct cfs_verify_tally resumed;	/* of parts that an earlier run
						 * has verified */
	/* One thread at a time settles: */
	struct cfs_verify_report *report;
	struct cfs_verify_result result;
};

/* ---- findings (verify_finding.c) ---------------------------------------- */

struct cfs_verify_finding {
	const char *archive;		/* NULL: the part's archive */
	const char *kind;
	uint64_t offset, length;	/* length 0: not known */
	struct cfs_slice url;		/* n 0: not known */
	struct cfs_slice expected, found;
};

/* Counts a finding, and appends its line to p->lines, which may run out of
 * memory, and to p->log. */
void cfs_verify_found(struct cfs_verify_part *p,
		      const struct cfs_verify_finding *f);

/* Logs the findings of a part that is not void, unless many were logged
 * before. */
void cfs_verify_log_findings(struct cfs_verify_part *p);

/* ---- reading (verify_part.c) -------------------------------------------- */

/* Opens a unit.  by_part: for reading at scattered offsets. */
int cfs_verify_open(const struct cfs_verify *v,
		    const struct cfs_verify_unit *u, bool by_part,
		    struct cfs_source **out, struct cfs_ctx ctx);

/* True for a failure that ends the run: out of memory, interrupted, or a server
 * that may work again later. */
bool cfs_verify_is_fatal(const struct cfs_verify_unit *u, int rc);

/* A hash that identifies the state of a remote object that was read; 0: not
 * known. */
uint64_t cfs_verify_state_of(struct cfs_source *src);

/* Reads a part and fills in its results; p->rc is a failure that ends the
 * run. */
void cfs_verify_read(struct cfs_verify *v, struct cfs_verify_part *p);

/* Adds the results of a part to the report, if there are many, once it is this
 * part's turn.  To be called by every loop that may add many.  0, or a failure
 * that ends the run, in p->error. */
int cfs_verify_make_room(struct cfs_verify *v,
			 struct cfs_verify_part *p);

/* Adds a finding of a record. */
void cfs_verify_record_found(struct cfs_verify_part *p,
			     const struct cfs_scan_item *item, const char *kind,
			     struct cfs_slice expected, struct cfs_slice found);
/* True if the block of a record is declared as HTTP. */
bool cfs_verify_declares_http(const struct cfs_record *r);

/* Compares a record with its own header; is_strict: with the standards, too. */
void cfs_verify_record(struct cfs_verify_part *p,
		       const struct cfs_scan_item *item,
		       bool has_length_damage, bool is_strict);
void cfs_verify_strict(struct cfs_verify_part *p,
		       const struct cfs_scan_item *item);

/* Checks a digest against the record's payload in each of its readings.  Result
 * as of cfs_digest_check; `found` must be empty.  If err is set, to CFS_EIO,
 * there was no room for a reading, and the result means nothing. */
enum cfs_digest_verdict cfs_verify_payload_is(const struct cfs_scan_item *item,
					      struct cfs_slice digest,
					      struct cfs_buf *found,
					      struct cfs_error *err);

/* Verifies the files of a WACZ by its datapackage.json, and that file by
 * datapackage-digest.json.  0, or a failure that ends the run. */
int cfs_verify_package(const struct cfs_verify *v,
		       struct cfs_verify_part *p, struct cfs_error *err);

/* ---- lists in WACZ files (verify_list.c) --------------------------------- */

/* A list, and the units of the archives in its WACZ. */
struct cfs_verify_list {
	const struct cfs_indexer_files *files;
	const struct cfs_indexer_file *file;	/* the WACZ */
	const struct cfs_wacz_member *member;	/* the list */
	const uint32_t *units;		/* units of the WACZ's members */
	uint32_t unit;			/* the list's own unit */
};

/*
 * Adds the lines to v->entries, each under the unit of its archive.  Lines of
 * missing archives, and malformed lines, go to the list's own unit by their
 * offset in the list: cfs_verify_read reports them.  damage: why the list
 * cannot be read, or not to its end; code CFS_OK: it can.
 *
 * Returns 0, or a failure that ends the run.
 */
int cfs_verify_list_read(struct cfs_verify *v, const struct cfs_verify_list *l,
			 struct cfs_error *damage, struct cfs_error *err);

/* Reports the bad lines found while the list was read. */
int cfs_verify_list_report(struct cfs_verify *v, struct cfs_verify_part *p);

/* ---- hashes of ids and of originals (verify_ids.c) ---------------------- */

/* Adds the words of a record: 8 bytes each, which mean something to
 * cfs_verify_ids_add only, in the same order. */
void cfs_verify_note_ids(struct cfs_buf *ids, const struct cfs_scan_item *item,
			 bool is_strict);

struct cfs_verify_ids;			/* used by one thread */
/* Free *out in any case.  CFS_ENOMEM, CFS_EIO. */
int cfs_verify_ids_new(struct cfs_verify_ids **out,
		       const struct cfs_verify_opts *opts,
		       struct cfs_error *err);
void cfs_verify_ids_free(struct cfs_verify_ids *v);	/* accepts NULL */
/* Fails like cfs_extsort_add. */
int cfs_verify_ids_add(struct cfs_verify_ids *v, const uint8_t word[8],
		       struct cfs_error *err);
/* Sets the counts of the result: the records whose id another one has, and the
 * revisits whose original was not added.  Ends adding.  0; CFS_EIO; CFS_ENOMEM;
 * CFS_EINTR. */
int cfs_verify_ids_count(struct cfs_verify_ids *v,
			 struct cfs_verify_result *result,
			 struct cfs_error *err);

/* ---- lines of a report (verify_lines.c) ---------------------------------- */

/* The longest line; a longer one is of no report. */
#define CFS_VERIFY_LINE_MAX ((size_t)1 << 20)

struct cfs_verify_lines {
	int fd;				/* borrowed, like the path */
	const char *path;
	uint64_t at;			/* offset of the next line */
	struct cfs_buf text;		/* bytes read; the caller releases
					 * it */
	size_t from;			/* bytes of it that were taken */
};

void cfs_verify_lines_init(struct cfs_verify_lines *l, int fd,
			   const char *path);

/* Lends the next line, without its end.  0; CFS_END: none, and *line is what is
 * behind the last one; CFS_EUSAGE for one that is too long; CFS_EIO. */
int cfs_verify_lines_next(struct cfs_verify_lines *l, struct cfs_slice *line,
			  struct cfs_error *err);

/* ---- the report, which survives a killed run (verify_report.c) ----------- */

struct cfs_verify_report;		/* used by one thread at a time */

/* Opens opts->report, or begins one without a file.  Free *out in any case.
 * CFS_EUSAGE, CFS_EIO, CFS_ENOMEM. */
int cfs_verify_report_open(struct cfs_verify_report **out,
			   const struct cfs_verify_opts *opts,
			   struct cfs_error *err);
void cfs_verify_report_free(struct cfs_verify_report *r); /* accepts NULL */

/* True if an earlier run verified the part with this id.  *to is then its end
 * and *tally its results, which count for this run, too. */
bool cfs_verify_report_use(struct cfs_verify_report *r, uint64_t id,
			   uint64_t *to, struct cfs_verify_tally *tally);
/* True if an earlier run verified the start of that archive in a state with
 * another id. */
bool cfs_verify_report_had(const struct cfs_verify_report *r, const char *name,
			   uint64_t id);

/* The answers to: did an earlier run read this archive on its server? */
enum cfs_verify_earlier {
	CFS_VERIFY_NOT_READ,
	CFS_VERIFY_UNCHANGED,	/* it read parts, all in that state */
	CFS_VERIFY_CHANGED,	/* it read one in another state */
};
enum cfs_verify_earlier cfs_verify_report_state(
	const struct cfs_verify_report *r, const char *name, uint64_t state);
/* True if it read any. */
bool cfs_verify_report_has_states(const struct cfs_verify_report *r);

/* Appends the results of a part, complete or not, to the report. */
int cfs_verify_report_add(struct cfs_verify_report *r,
			  struct cfs_verify_part *p, struct cfs_error *err);
/* Marks the part as complete. */
int cfs_verify_report_mark(struct cfs_verify_report *r,
			   const struct cfs_verify_part *p,
			   struct cfs_error *err);
/* Settles a part that is_unread: its line comes last in the report, once for an
 * archive, and a run that resumes this one reads the part again. */
int cfs_verify_report_unread(struct cfs_verify_report *r,
			     struct cfs_verify_part *p, struct cfs_error *err);
/* Finishes the report when all parts are complete; sets result->repeated. */
int cfs_verify_report_finish(struct cfs_verify_report *r,
			     struct cfs_verify_result *result,
			     struct cfs_error *err);

/* ---- records compared with the entries of an index (verify_match.c) ---- */

/* The entries of a part, matched with its records in order.  Used by one
 * thread. */
struct cfs_match {
	const struct cfs_verify *v;
	struct cfs_verify_part *p;
	struct cfs_verify_walk rows;	/* behind `row` */
	uint64_t to;			/* entries from this offset on are left
					 * out; UINT64_MAX: none are */
	struct cfs_verify_row row;	/* the next entry, */
	bool has_row;			/* if it has been taken from `rows` */
	bool has_damage;		/* entries from damage_at on cannot be
					 * compared */
	uint64_t damage_at;		/* an offset in the archive */
};

/* Begins with the first entry of a part. */
void cfs_match_init(struct cfs_match *m, const struct cfs_verify *v,
		    struct cfs_verify_part *p);

/* Lends the next entry; NULL: there is none. */
const struct cfs_verify_row *cfs_match_peek(struct cfs_match *m);

/* Compares a record with the entries of its place; entries before it match no
 * record. */
void cfs_match_record(struct cfs_match *m, const struct cfs_scan_item *item);

/* Notes that there is damage at an offset, reported by the caller. */
void cfs_match_damage(struct cfs_match *m, uint64_t offset);

/* Reports entries before this offset, UINT64_MAX: all, as without a record. */
void cfs_match_pass(struct cfs_match *m, uint64_t offset);

/* Gives up the remaining entries: their archive cannot be read. */
void cfs_match_give_up(struct cfs_match *m);

/* ---- the plan (verify_plan.c) ---- */

/* Free what was planned; what a failed call leaves is freed so, too. */
int cfs_verify_plan_init(struct cfs_verify *v, struct cfs_error *err);
void cfs_verify_plan_release(struct cfs_verify *v);

/* Add all archives of the index, if it has a table of them; a failure to read
 * the index, which counts as damage. */
int cfs_verify_plan_archives(struct cfs_verify *v, struct cfs_error *err);
int cfs_verify_plan_bad(struct cfs_verify *v, enum cfs_verify_kind kind,
			const struct cfs_error *what, struct cfs_error *err);

/* Ends adding.  CFS_ENOTFOUND: there is nothing. */
int cfs_verify_plan_begin(struct cfs_verify *v, struct cfs_error *err);

/* Gets the next part, which the caller owns; NULL: there is none.  Logs that an
 * archive has changed since the report was begun. */
int cfs_verify_plan_next(struct cfs_verify *v, struct cfs_verify_part **out,
			 struct cfs_error *err);

#endif
