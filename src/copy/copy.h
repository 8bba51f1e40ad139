/* copy.h - records of an index into one archive of their own.
 *
 * Each record's members are taken over byte for byte, unless the copy has
 * another compression or another zstd dictionary than their archive; its
 * dictionary is that of the first archive in the order of names.  What lies
 * near each other in one archive is read in one stretch, several stretches at a
 * time; memory stays bounded.  A copy that was stopped is resumed by
 * doing the same again, and has the same bytes in the end (copyfile.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPY_H
#define CFS_COPY_COPY_H

#include "build/indexer.h"
#include "record/store.h"

#define CFS_COPY_PARALLEL_MAX 256u

struct cfs_copy_opts {
	struct cfs_index *index;	/* borrowed, as all here */
	struct cfs_store *store;
	const char *output;
	enum cfs_archive_format format;	/* of output, which has a member for */
	enum cfs_coding coding;		/* each record, of this kind */
	const char *described;		/* what is copied, for the first
					 * record */
	const char *source;		/* the file that was opened; NULL:
					 * none */
	int64_t time;			/* of that record, Unix seconds */
	unsigned parallel;		/* stretches read at a time; at least
					 * 1 */
	uint64_t max_record_bytes;	/* 0: default */
	bool force;			/* replace output, unless it is copied
					 * from */
	bool skip_other;		/* leave out what is not of `format` */
	bool keep_going;		/* take failed reads for damage */
	bool must_have_room;		/* free on disk for all of it before it
					 * begins; else that is a warning */
	const struct cfs_cancel *cancel;
	/* Called with deliver_arg when output and its index are whole, before
	 * the journal is forgotten: after its failure the same copy calls it
	 * again.  May be NULL. */
	int (*deliver)(void *arg, struct cfs_error *err);
	void *deliver_arg;
	/* Called now and then from cfs_copy_run; `captures` are records, and
	 * merge figures are 0.  May be NULL. */
	void (*progress)(void *arg, const struct cfs_indexer_progress *p);
	void *arg;
};

struct cfs_copy_report {
	uint64_t records, bytes;	/* in the output; bytes of the whole
					 * file */
	uint64_t resumed;		/* of these an earlier run had
					 * written */
	uint64_t damaged;		/* left out: not readable */
	uint64_t other;			/* left out: of the other format */
	bool has_no_room;		/* must_have_room was not met */
	double seconds;
};

struct cfs_copy;

/* opts are copied.  0 or CFS_ENOMEM. */
int cfs_copy_new(struct cfs_copy **out, const struct cfs_copy_opts *opts,
		 struct cfs_error *err);

/* Adds a record to copy, in any order; one that is added twice is copied once.
 * Failures as of cfs_extsort_add. */
int cfs_copy_add(struct cfs_copy *c, const struct cfs_capture *cap,
		 struct cfs_error *err);

/*
 * Copies what was added: in order of archive and offset.  Damaged records are
 * logged and left out.  0; CFS_ENOTFOUND when there is nothing, or nothing
 * could be read; CFS_EUNSUPPORTED when records are of the other format;
 * CFS_EIO when output is taken; CFS_EUSAGE when a file would be
 * replaced that is copied from; CFS_EINTR and failures of reading or writing,
 * after which the same copy resumes where this one stopped.
 */
int cfs_copy_run(struct cfs_copy *c, struct cfs_copy_report *report,
		 struct cfs_error *err);

void cfs_copy_free(struct cfs_copy *c);		/* accepts NULL */

#endif
