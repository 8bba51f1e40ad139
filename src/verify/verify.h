/* verify.h - reads every record of archives and compares it with its own header
 * and with what an index says of it.
 *
 * What is compared: checksums of gzip members and zstd frames, declared
 * lengths, digests of blocks and payloads, the places, URLs, times, lengths and
 * digests in an index or in the list of a WACZ, and the hashes in the packages
 * of WACZ files.
 *
 * Archives are cut into stretches, which several threads read at a time.
 * Results are recorded in the order of the archives, so that a report has the
 * same bytes whatever the number of threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_H
#define CFS_VERIFY_VERIFY_H

#include "base/progress.h"
#include "index/index.h"
#include "net/open_location.h"
#include "record/store.h"

#define CFS_VERIFY_PARALLEL_MAX 256u

enum cfs_verify_check {
	CFS_VERIFY_CHECKSUM,	/* of gzip members and zstd frames; absent: of
				 * bodies that lack theirs */
	CFS_VERIFY_LENGTH,	/* length as declared by a record */
	CFS_VERIFY_BLOCK,	/* digest of a record's block */
	CFS_VERIFY_PAYLOAD,	/* digest of its payload */
	CFS_VERIFY_INDEX,	/* entries of an index, lines of a list */
	CFS_VERIFY_PACKAGE,	/* files of a WACZ, by its datapackage.json */
};
#define CFS_VERIFY_CHECKS 6u

/* A comparison is counted as matched or differed. */
struct cfs_verify_count {
	uint64_t matched, differed;
	uint64_t absent;	/* there was nothing to compare with */
	uint64_t unknown;	/* it cannot be compared: an unknown algorithm,
				 * a payload that the standard does not
				 * define */
};

#define CFS_VERIFY_TOTALS 7u
#define CFS_VERIFY_FIGURES (CFS_VERIFY_TOTALS + 4 * CFS_VERIFY_CHECKS)
struct cfs_verify_tally {
	union {
		struct {
			uint64_t records;
			uint64_t bytes;		/* of archives, as they are
						 * stored */
			uint64_t damage;	/* findings, of every kind */
			uint64_t listed_twice;	/* entries with the place of
						 * another one */
			uint64_t unlisted;	/* responses that are missing
						 * from the lists in their
						 * WACZ */
			uint64_t cut;		/* bodies that end inside their
						 * coding */
			uint64_t unread;	/* archives that a server or
						 * the system refuses: nothing
						 * is known of them */
			struct cfs_verify_count checks[CFS_VERIFY_CHECKS];
		};
		uint64_t figures[CFS_VERIFY_FIGURES];	/* the same */
	};
};

struct cfs_verify_opts {
	/* The index whose entries are added, and the store of its archives;
	 * borrowed, like all pointers here.  NULL: archives are named by
	 * cfs_verify_input. */
	struct cfs_index *index;
	struct cfs_store *store;
	bool is_strict;		/* a breach of the standards is damage, too */
	bool only_added;	/* read no record but those that entries name */
	const struct cfs_opener *opener;	/* opens what is on servers;
						 * NULL: nothing is */
	const char *cache_dir;		/* as for cfs_zipped_open, or NULL */
	const char *list_base;		/* folder to which names in lists are
					 * relative; NULL: Common Crawl's */
	const char *report;		/* file of JSON lines; NULL: none */
	const char *command;		/* operands and options, for that
					 * file */
	const char *tmp_dir;		/* for data too large for memory */
	unsigned parallel;		/* stretches read at a time; 0:
					 * default */
	uint64_t max_record_bytes;	/* 0: default */
	uint64_t mem_bytes;		/* long records go into tmp_dir; 0: none
					 * do */
	const struct cfs_cancel *cancel;
	/* Called from time to time; may be NULL. */
	cfs_progress_fn *progress;
	void *arg;
};

struct cfs_verify_result {
	struct cfs_verify_tally sum;
	uint64_t archives;
	uint64_t repeated;		/* records with the id of another one */
	uint64_t reused;		/* if strict: of these, those with
					 * another block */
	uint64_t absent;		/* revisits whose original was not among
					 * the records */
	bool has_lists;		/* WACZ files had lists of captures */
	uint64_t resumed;	/* records already verified by an earlier run */
	double seconds;
};

struct cfs_verify;

/* opts are copied.  0 or CFS_ENOMEM. */
int cfs_verify_new(struct cfs_verify **out, const struct cfs_verify_opts *opts,
		   struct cfs_error *err);

/* Adds any input that crawlfs index takes as archives: a file, a folder, a URL,
 * a list.  Fails like cfs_indexer_list. */
int cfs_verify_input(struct cfs_verify *v, const char *input,
		     struct cfs_error *err);

/* Adds an entry of opts.index, in any order.  0, CFS_ENOMEM, CFS_ELIMIT,
 * CFS_EINTR, CFS_EIO for a temporary file. */
int cfs_verify_entry(struct cfs_verify *v, const struct cfs_iter *it,
		     const struct cfs_capture *cap, struct cfs_error *err);

/* Takes what walks through opts.index cannot read: findings. */
struct cfs_holes *cfs_verify_holes(struct cfs_verify *v);

/* Adds all entries of opts.index and the archives that it names.  Fails like
 * cfs_verify_entry. */
int cfs_verify_index(struct cfs_verify *v, struct cfs_error *err);

/*
 * Verifies what was added.  Each finding is logged (the first hundred) and goes
 * to the report.  An unfinished report of an earlier run is resumed.
 *
 * Returns 0, with or without damage; CFS_ENOTFOUND when there is nothing to
 * verify; CFS_EUSAGE if opts.report is a file of another kind, or in use;
 * CFS_EIO, CFS_ETIMEOUT, CFS_ECHANGED for a server or for a report that cannot
 * be written; CFS_EINTR; CFS_ENOMEM.  After a failure the same call resumes
 * where this one stopped, if there is a report.
 */
int cfs_verify_run(struct cfs_verify *v, struct cfs_verify_result *result,
		   struct cfs_error *err);

void cfs_verify_free(struct cfs_verify *v);	/* accepts NULL */

/* An archive, as a finished report has it. */
struct cfs_verified {
	struct cfs_slice archive;	/* lent */
	uint64_t records, bytes;
	uint64_t damage;		/* findings */
	bool is_missing;
	bool is_unread;			/* a server or the system refused it */
	int64_t time;			/* when the run ended, Unix seconds */
};

/* Takes one.  0, or a failure that ends the reading. */
typedef int cfs_verified_fn(void *arg, const struct cfs_verified *v);

/* Calls fn with each archive of a report in lines of JSON.  0; CFS_EUSAGE if it
 * is any other file, or of a run that has not ended; CFS_ENOTFOUND; CFS_EIO;
 * CFS_EINTR; CFS_ENOMEM; what fn returned. */
int cfs_verify_read_report(const char *report, cfs_verified_fn *fn, void *arg,
			   struct cfs_ctx ctx);

/* The forms in which a report is filed, by the end of its name. */
enum cfs_verify_form { CFS_FILED_LINES, CFS_FILED_CSV, CFS_FILED_PREMIS };
enum cfs_verify_form cfs_verify_form_of(const char *path);

/* Writes the finished report `from` in another form to `path`, which is
 * replaced as a whole.  0; CFS_EUSAGE if `from` is any other file, or of a run
 * that has not ended; CFS_ENOTFOUND; CFS_EIO; CFS_ENOMEM. */
int cfs_verify_file(const char *from, const char *path,
		    enum cfs_verify_form form, struct cfs_error *err);

#endif
