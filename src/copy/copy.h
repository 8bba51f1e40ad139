/* copy.h - copies records of an index into one new archive, or a WACZ with one.
 *
 * Each record's members are copied byte for byte, unless the copy has another
 * compression or another zstd dictionary than their archive, or ARC records
 * become WARC records.  The copy's
 * dictionary is that of the first archive by name.  Neighbours in one archive
 * are read as one stretch, several stretches at a time; memory is bounded.
 * Repeating a copy that was stopped resumes it, and gives the same bytes in the
 * end (copyfile.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPY_H
#define CFS_COPY_COPY_H

#include "indexing/indexer.h"
#include "record/store.h"

#define CFS_COPY_PARALLEL_MAX 256u

/* Why a record is copied.  One that has several reasons has the first. */
enum cfs_copy_role {
	CFS_COPY_ORIGINAL,	/* a revisit that is copied refers to it */
	CFS_COPY_CAPTURE,	/* it was asked for */
	CFS_COPY_RELATED,	/* it belongs to one of these */
	CFS_COPY_ROLES,
};

struct cfs_copy_opts {
	struct cfs_index *index;	/* borrowed, like all pointers here */
	struct cfs_store *store;
	const char *output;
	enum cfs_archive_format format;	/* format of output, which has */
	enum cfs_coding coding;		/* one member a record, coded so */
	const char *described;		/* description of the copy, for its
					 * first record */
	const char *source;		/* the file that was opened; NULL:
					 * none */
	int64_t time;			/* time stated in that record, Unix
					 * seconds */
	uint64_t place;			/* a hash of where the archives are: a
					 * copy from elsewhere begins again */
	bool is_remote;			/* archives may be on a server */
	unsigned parallel;		/* stretches read at a time; at least
					 * 1 */
	uint64_t max_record_bytes;	/* 0: default */
	bool force;			/* replace output, unless records are
					 * copied from it */
	bool skip_other;		/* leave out records that are not of
					 * `format` */
	bool is_wacz;			/* output is a WACZ with one archive,
					 * which is WARC with gzip members */
	bool captures_only;		/* leave out what belongs to captures,
					 * and the warcinfo of archives */
	bool dedup_revisit;		/* write a record whose payload was
					 * written before as a revisit of the
					 * first; format is WARC then */
	bool convert;			/* make WARC records of ARC records;
					 * format is WARC then */
	bool keep_going;		/* treat failed reads as damage */
	bool must_have_room;		/* fail unless the disk has room for all
					 * of it; else only warn */
	bool no_index;			/* write no index beside output */
	uint64_t max_bytes;		/* of the records to copy, and of the
					 * archive; 0: any number */
	const struct cfs_cancel *cancel;
	/* Called with deliver_arg when output and its index are complete,
	 * before the journal is removed: if it fails, repeating the copy calls
	 * it again.  May be NULL. */
	int (*deliver)(void *arg, struct cfs_error *err);
	void *deliver_arg;
	/* Called from time to time by cfs_copy_run; `captures` counts records,
	 * merge figures are 0.  May be NULL. */
	cfs_progress_fn *progress;
	void *arg;
};

struct cfs_copy_report {
	uint64_t records, bytes;	/* in the output, without records about
					 * archives; bytes: of the whole file */
	/* These count records left out as unreadable, too; an original that
	 * was asked for is a capture. */
	uint64_t by_role[CFS_COPY_ROLES];
	uint64_t pairs;			/* texts and metadata left out, as they
					 * are no records of archives */
	uint64_t resumed;		/* records that an earlier run had
					 * written */
	uint64_t damaged;		/* records left out as unreadable */
	uint64_t other;			/* records left out as of the other
					 * format */
	uint64_t revisits;		/* records that this run wrote as
					 * revisits of equal ones */
	uint64_t absent, cut;		/* of those added: without a body, cut
					 * off, as far as the index knows */
	bool has_no_room;		/* must_have_room was set, and there is
					 * none */
	double seconds;
};

struct cfs_copy;

/* opts are copied.  0 or CFS_ENOMEM. */
int cfs_copy_new(struct cfs_copy **out, const struct cfs_copy_opts *opts,
		 struct cfs_error *err);

/* Adds a capture to copy, which has that key in the index, with what belongs to
 * it, in any order; a record that
 * is added twice is copied once.  role: CFS_COPY_CAPTURE or _ORIGINAL.  Fails
 * like cfs_extsort_add; CFS_ETOOLARGE: max_bytes. */
int cfs_copy_add(struct cfs_copy *c, struct cfs_slice key,
		 const struct cfs_capture *cap, enum cfs_copy_role role,
		 struct cfs_error *err);

/*
 * Copies what was added, in order of archive and offset.  Damaged records are
 * logged and left out.
 *
 * Returns 0; CFS_ENOTFOUND when there is nothing, or nothing could be read;
 * CFS_EUNSUPPORTED when records are of the other format; CFS_EIO when output
 * exists; CFS_EUSAGE when a file that is copied from would be replaced;
 * CFS_ETOOLARGE when it would have more than max_bytes;
 * CFS_EINTR and failures of reading or writing, after which repeating the copy
 * resumes where it stopped.
 */
int cfs_copy_run(struct cfs_copy *c, struct cfs_copy_report *report,
		 struct cfs_error *err);

void cfs_copy_free(struct cfs_copy *c);		/* accepts NULL */

#endif
