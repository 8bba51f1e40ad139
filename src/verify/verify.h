/* verify.h - every record of archives read, and compared with what it says of
 * itself and with what an index says of it.
 *
 * What is compared: checksums of gzip members and zstd frames, declared
 * lengths, digests of blocks and payloads, the places, URLs, times, lengths and
 * digests that an index or the list in a WACZ has, and the hashes in the
 * packages of WACZ files.
 *
 * Archives are cut into stretches, which several threads read at a time; their
 * results are settled in the order of the archives, so that a report has the
 * same bytes whatever the number of threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_H
#define CFS_VERIFY_VERIFY_H

#include "index/index.h"
#include "net/open_location.h"
#include "record/store.h"

#define CFS_VERIFY_PARALLEL_MAX 256u

enum cfs_verify_check {
	CFS_VERIFY_CHECKSUM,	/* of gzip members and zstd frames */
	CFS_VERIFY_LENGTH,	/* as a record declares it */
	CFS_VERIFY_BLOCK,	/* digest of a record's block */
	CFS_VERIFY_PAYLOAD,	/* digest of its payload */
	CFS_VERIFY_INDEX,	/* entries of an index, lines of a list */
	CFS_VERIFY_PACKAGE,	/* files of a WACZ, by its datapackage.json */
};
#define CFS_VERIFY_CHECKS 6u

/* Compared is what matched or differed. */
struct cfs_verify_count {
	uint64_t matched, differed;
	uint64_t absent;	/* there was nothing to compare with */
};

struct cfs_verify_tally {
	uint64_t records, bytes;	/* bytes of archives, as they are
					 * stored */
	uint64_t damage;		/* findings, of every kind */
	uint64_t listed_twice;		/* entries of the same place */
	uint64_t unlisted;		/* responses that no line of the lists
					 * in their WACZ is of */
	struct cfs_verify_count checks[CFS_VERIFY_CHECKS];
};

struct cfs_verify_progress {
	uint64_t bytes_done, bytes_total, records;
};

struct cfs_verify_opts {
	/* The index whose entries are added, and the archives that it names;
	 * borrowed, as all here.  NULL: archives are named by
	 * cfs_verify_input. */
	struct cfs_index *index;
	struct cfs_store *store;
	bool only_added;	/* read no record but those that entries name */
	const struct cfs_opener *opener;	/* of what is on servers, or
						 * NULL */
	const char *cache_dir;		/* as of cfs_zipped_open, or NULL */
	const char *list_base;		/* what names in lists are below; NULL:
					 * Common Crawl's folder */
	const char *report;		/* a file of JSON lines, NULL: none */
	const char *command;		/* what is verified, for that file */
	const char *tmp_dir;		/* for what memory is not to hold */
	unsigned parallel;		/* stretches read at a time; 0:
					 * default */
	uint64_t max_record_bytes;	/* 0: default */
	const struct cfs_cancel *cancel;
	/* Called now and then; may be NULL. */
	void (*progress)(void *arg, const struct cfs_verify_progress *p);
	void *arg;
};

struct cfs_verify_result {
	struct cfs_verify_tally sum;
	uint64_t archives;
	uint64_t repeated;		/* records whose id another one has */
	bool has_lists;		/* of captures, in WACZ files */
	uint64_t resumed;	/* records that an earlier run has verified */
	double seconds;
};

struct cfs_verify;

/* opts are copied.  0 or CFS_ENOMEM. */
int cfs_verify_new(struct cfs_verify **out, const struct cfs_verify_opts *opts,
		   struct cfs_error *err);

/* Adds what crawlfs index takes for archives: a file, a folder, a URL, a list.
 * Failures as of cfs_indexer_list. */
int cfs_verify_input(struct cfs_verify *v, const char *input,
		     struct cfs_error *err);

/* Adds an entry of opts.index, in any order; and a failure to read it, which is
 * damage.  0, CFS_ENOMEM, CFS_ELIMIT,
 * CFS_EINTR, CFS_EIO for a temporary file. */
int cfs_verify_entry(struct cfs_verify *v, const struct cfs_iter *it,
		     const struct cfs_capture *cap, struct cfs_error *err);
int cfs_verify_bad_index(struct cfs_verify *v, const struct cfs_error *what,
			 struct cfs_error *err);

/* Adds all entries of opts.index, and the archives that it names.  As above. */
int cfs_verify_index(struct cfs_verify *v, struct cfs_error *err);

/*
 * Verifies what was added.  Each finding is logged (the first hundred) and goes
 * to the report.  A report that a run has left unfinished is resumed.
 *
 * 0, damage or not; CFS_ENOTFOUND when there is nothing to verify; CFS_EUSAGE
 * if opts.report is a file of another kind, or in use; CFS_EIO, CFS_ETIMEOUT,
 * CFS_ECHANGED for a server or for a report that cannot be written; CFS_EINTR;
 * CFS_ENOMEM.  After a failure the same call resumes where this one stopped, if
 * there is a report.
 */
int cfs_verify_run(struct cfs_verify *v, struct cfs_verify_result *result,
		   struct cfs_error *err);

void cfs_verify_free(struct cfs_verify *v);	/* accepts NULL */

#endif
