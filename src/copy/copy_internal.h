/* copy_internal.h - structures and calls shared by the files of src/copy.
 *
 * Records to copy are sorted by archive and offset, and neighbours are read in
 * one stretch (copy_plan.c).  A stretch is read and checked as a whole
 * (copy_read.c), which also makes WARC records of ARC records (copyconvert.c)
 * and collects the captures for the index of the copy (copyindex.c).  The
 * archive of a WACZ is written first, behind room for its header; all else is
 * made of the finished archive (copywacz.c, copycdx.c), so that a copy that was
 * stopped meanwhile has lost only that.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPY_INTERNAL_H
#define CFS_COPY_COPY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/ordered.h"
#include "copy.h"
#include "indexing/builder.h"
#include "record/scan.h"
#include "sort/extsort.h"
#include "source/near.h"

/* Most bytes of a stretch, unless a single record is larger. */
#define CFS_COPY_STRETCH_BYTES ((uint64_t)1 << 20)
/* Most bytes in the name of an archive. */
#define CFS_COPY_NAME_MAX 4096u

/* Most pages that an item has, if the index says that several have its record;
 * for further ones there is another item. */
#define CFS_COPY_PAGES_MAX 4u

/* The page of a record as the index says: hashes of its key, and of that of its
 * URL, if the index has that (else 0). */
struct cfs_copy_page {
	uint64_t key, url;
};

/* The hash of the key that the index has for a URL, or of the URL, if it has
 * none. */
uint64_t cfs_copy_url_hash(struct cfs_index *index, struct cfs_slice url);

/* A record to copy. */
struct cfs_copy_item {
	struct cfs_span span;		/* `file` is not used */
	enum cfs_copy_role role;
	bool is_arc;
	struct cfs_copy_page pages[CFS_COPY_PAGES_MAX];
	unsigned n_pages;		/* 0: any record will do */
	bool is_first;			/* in its file; else, the offset of the
					 * one before it there: */
	uint64_t before;
	bool has_lead;			/* a warcinfo belongs before it, which
					 * is at: */
	uint64_t lead;
};

/* Neighbouring records of one archive, and their copies. */
struct cfs_copy_stretch {
	struct cfs_ordered_job job;	/* the first member */
	char *archive;
	struct cfs_copy_item *items;
	size_t n, room;
	uint64_t from, to;		/* bytes of the archive, as far as
					 * lengths are known; and the end with
					 * what others are guessed to take */
	uint64_t guessed_to;
	struct cfs_zst_dict *dict;	/* the archive's, for zstd frames */
	uint8_t *raw;			/* its bytes in the archive while it is
					 * read; NULL: they are not read as a
					 * whole */
	size_t raw_bytes;
	/* Set by cfs_copy_read: */
	struct cfs_buf out;
	size_t *ends;			/* ends of the written records in
					 * `out`, also of warcinfo records */
	size_t n_ends;
	const struct cfs_copy_item **of;	/* for each of the ends; NULL: a
					 * warcinfo record */
	struct cfs_buf payloads;	/* of the written records, for
					 * copy_dedup.c */
	uint64_t written;		/* without that */
	uint64_t misnamed;		/* captures whose record is written, but
					 * is that of another page */
	struct cfs_buf captures;	/* their captures, for
					 * cfs_copyindex_add */
	bool is_arc2;			/* the first record is ARC version 2 */
	bool is_odd;			/* captures are incomplete: the index
					 * must be built from the finished
					 * file */
	int rc;
	struct cfs_error error;
};

/* Makes an empty stretch of an archive, whose name is copied.  NULL: out of
 * memory. */
struct cfs_copy_stretch *cfs_copy_stretch_new(const char *archive);
void cfs_copy_stretch_free(struct cfs_copy_stretch *s);	/* accepts NULL */

/* ---- which bytes of which archives are read, in which order ------------- */

struct cfs_copy_plan {			/* used by one thread at a time */
	/* All that was added; an item added twice counts twice: */
	uint64_t items, bytes;
	uint64_t sum;			/* a hash that does not depend on
					 * order */
	uint64_t pairs;			/* companions added that are no
					 * records of archives */
	/* Counts of those that were planned: */
	uint64_t by_role[CFS_COPY_ROLES];
	struct cfs_buf first_archive;	/* name of the first one in order */
	/* Private to the plan: */
	struct cfs_extsort *sort;
	struct cfs_buf key;
	bool has_item;			/* `item` comes after the last
					 * stretch */
	struct cfs_copy_item item, last;
	bool last_was_asked_for;
	struct cfs_copy_item previous;	/* the one before `item`, with all of
					 * its pages */
	struct cfs_buf item_archive, last_archive;
	uint64_t planned;
	struct cfs_near_rule rule;
};

/* tmp_dir: for the sort.  is_remote: archives are on a server.  0 or
 * CFS_ENOMEM; release p in any case. */
int cfs_copy_plan_init(struct cfs_copy_plan *p, const char *tmp_dir,
		       bool is_remote, struct cfs_ctx ctx);
void cfs_copy_plan_release(struct cfs_copy_plan *p);

/* The bytes that an item of unknown length is guessed to have. */
#define CFS_COPY_GUESS 2048u
static inline uint64_t cfs_copy_span_bytes(const struct cfs_span *span)
{
	return span->length > 0 ? span->length : CFS_COPY_GUESS;
}

/* Adds a capture of the index, which has that key, with the segments of its
 * record.  Fails like cfs_extsort_add and cfs_index_archive_name. */
int cfs_copy_plan_add(struct cfs_copy_plan *p, struct cfs_index *index,
		      struct cfs_slice key, const struct cfs_capture *cap,
		      enum cfs_copy_role role, struct cfs_error *err);

/* Adds the records that belong to a capture: requests, metadata, texts and
 * pictures.  Fails like cfs_copy_plan_add. */
int cfs_copy_plan_add_related(struct cfs_copy_plan *p, struct cfs_index *index,
			      const struct cfs_capture *cap,
			      struct cfs_error *err);

/* Ends adding and skips the first `done` items; *done_bytes grows by their
 * bytes.  0, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_copy_plan_begin(struct cfs_copy_plan *p, uint64_t done,
			uint64_t *done_bytes, struct cfs_ctx ctx);

/* Gets the next stretch, which the caller owns; *out is NULL behind the last.
 * 0, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_copy_plan_next(struct cfs_copy_plan *p, struct cfs_copy_stretch **out,
		       struct cfs_error *err);

/* ---- which warcinfo belongs in front of a record (copy_lead.c) ----------- */

struct cfs_copy_leads {			/* used by one thread at a time */
	struct cfs_store *store;	/* borrowed */
	struct cfs_buf file;		/* the one whose members are known */
	struct cfs_buf starts;		/* where its archives begin, uint64_t,
					 * ascending; of a WACZ */
	bool is_zip;			/* it is a WACZ */
};

void cfs_copy_leads_init(struct cfs_copy_leads *l, struct cfs_store *store);
void cfs_copy_leads_release(struct cfs_copy_leads *l);

/* Sets has_lead and lead of the items of a stretch: the first record of each
 * archive, which a WACZ has several of.  0; failures of reading a WACZ that may
 * pass; CFS_ENOMEM. */
int cfs_copy_leads_set(struct cfs_copy_leads *l, struct cfs_copy_stretch *s,
		       struct cfs_ctx ctx);

/* ---- reading a stretch -------------------------------------------------- */

struct cfs_copy_reader {		/* shared by threads */
	const struct cfs_copy_opts *opts;	/* borrowed, except: */
	struct cfs_zst_dict *dict;	/* zstd dictionary of the output; NULL:
					 * none; borrowed */
	const struct cfs_cancel *cancel;	/* cancels the threads */
	/* The file that the copy replaces, which must not be read; NULL:
	 * none. */
	const struct stat *replaced;
	atomic_uint reported;		/* losses of records logged so far */
	pthread_mutex_t lock;
	struct cfs_buf missing;		/* the last archive found to be missing;
					 * guarded by lock */
};

void cfs_copy_reader_init(struct cfs_copy_reader *r,
			  const struct cfs_copy_opts *opts,
			  const struct cfs_cancel *cancel);
void cfs_copy_reader_release(struct cfs_copy_reader *r);

/* Scratch memory for one thread, to be released by the caller. */
void cfs_copy_scratch_init(const struct cfs_copy_reader *r,
			   struct cfs_buf *scratch);

/*
 * Appends the ARC record of an item of the stretch to s->out: as a WARC record,
 * in one member.  0; CFS_EFORMAT if the record is damaged or its
 * file ends inside it; CFS_ELIMIT if it is too long for memory; failures of
 * reading.
 */
int cfs_copy_convert(const struct cfs_copy_reader *r,
		     struct cfs_copy_stretch *s,
		     const struct cfs_copy_item *item, struct cfs_error *err);

/* CFS_EFORMAT unless a record is that of its item: it is of a page that the
 * index says, and as long as it says itself, or as the archive shows; failures
 * of reading.  Counts other pages that the index says in s->misnamed. */
int cfs_copy_check(const struct cfs_copy_reader *r,
		   struct cfs_copy_stretch *s, const struct cfs_copy_item *item,
		   const struct cfs_record *rec, struct cfs_error *err);

/* Reads and checks a stretch and fills in its results.  Damaged records are
 * logged and left out; s->rc is a failure that ends the copy. */
void cfs_copy_read(struct cfs_copy_reader *r, struct cfs_copy_stretch *s,
		   struct cfs_buf *scratch);

/* ---- equal records become revisits of the first (copy_dedup.c) ----------- */

/* Appends to `out` all that replacing a record needs, if it may be replaced, or
 * others may refer to it.  entry: its number among the ends of its stretch.
 * is_kept: it must not be replaced.  0 or CFS_ENOMEM.  Any thread. */
int cfs_copy_payload_note(struct cfs_buf *out, const struct cfs_scan_item *item,
			  size_t entry, bool is_kept, struct cfs_error *err);

struct cfs_copy_dedup;			/* used by one thread at a time */

/* tmp_dir: for what is known of payloads; borrowed until the call returns.  0,
 * CFS_ENOMEM or CFS_EIO. */
int cfs_copy_dedup_new(struct cfs_copy_dedup **out, const char *tmp_dir,
		       struct cfs_error *err);
void cfs_copy_dedup_free(struct cfs_copy_dedup *d);	/* accepts NULL */

/* Remembers payloads that are in the output already.  0, CFS_ENOMEM or CFS_EIO
 * (no room). */
int cfs_copy_dedup_learn(struct cfs_copy_dedup *d, struct cfs_slice list,
			 struct cfs_error *err);

/* Replaces records of s->out by revisits, whose number is added to *revisits,
 * and remembers the others.  s->ends and s->captures are then void.  0,
 * CFS_ENOMEM or CFS_EIO (no room). */
int cfs_copy_dedup_replace(struct cfs_copy_dedup *d,
			   const struct cfs_copy_reader *r,
			   struct cfs_copy_stretch *s, uint64_t *revisits,
			   struct cfs_error *err);

/* ---- the index, made while records are checked -------------------------- */

/*
 * Inflates and parses s->out, as a scan of the finished file would (scan.h).
 * 0: a record of the format begins each item that s->ends marks, none extends
 * past its item, and checksums and lengths hold; captures, is_arc2 and is_odd
 * are set.  CFS_EFORMAT: some item is different, and captures is empty;
 * CFS_ENOMEM; CFS_EINTR.  Any thread may call it.
 */
int cfs_copyindex_look(const struct cfs_copy_reader *r,
		       struct cfs_copy_stretch *s, struct cfs_error *err);

struct cfs_copyindex;			/* used by one thread */

/* Begins the index at `path` of the archive opts->output; both are borrowed.
 * merged: as in struct cfs_builder_opts.  Fails like cfs_builder_new. */
int cfs_copyindex_new(struct cfs_copyindex **out,
		      const struct cfs_copy_opts *opts, const char *path,
		      void (*merged)(void *arg, uint64_t done, uint64_t total),
		      void *arg, struct cfs_error *err);

/* Adds the captures of a stretch that begins at offset `at` of the archive. */
int cfs_copyindex_add(struct cfs_copyindex *x, const struct cfs_copy_stretch *s,
		      uint64_t at, struct cfs_error *err);

/* Writes the index of the finished archive; *archive_bytes is its size.
 * CFS_ENOTFOUND: nothing was added that belongs in an index. */
int cfs_copyindex_finish(struct cfs_copyindex *x, uint64_t *archive_bytes,
			 struct cfs_error *err);

void cfs_copyindex_free(struct cfs_copyindex *x);	/* accepts NULL */

/* ---- the index inside a WACZ: sorted lines of CDXJ in blocks ------------- */

struct cfs_zip_writer;
struct cfs_copycdx;		/* used by one thread */

/* archive: its file name, for the lines; borrowed until the call returns.
 * tmp_dir: for the sort; borrowed.  0 or CFS_ENOMEM. */
int cfs_copycdx_new(struct cfs_copycdx **out, const char *archive,
		    const char *tmp_dir, struct cfs_ctx ctx);
void cfs_copycdx_free(struct cfs_copycdx *x);	/* accepts NULL */

/* Adds a capture, whose offset is that in the archive; one whose URL has no
 * SURT has no line.  Fails like cfs_extsort_add. */
int cfs_copycdx_add(struct cfs_copycdx *x, const struct cfs_builder_capture *c,
		    struct cfs_error *err);

/* Writes the lines as two members of a WACZ: index.cdx.gz and index.idx.
 * progress (may be NULL) is called with arg now and then.  0; failures of the
 * sort and of the ZIP file. */
int cfs_copycdx_write(struct cfs_copycdx *x, struct cfs_zip_writer *zip,
		      void (*progress)(void *arg, uint64_t done,
				       uint64_t total),
		      void *arg, struct cfs_error *err);

/* ---- what a WACZ has besides its archive -------------------------------- */

/* The archive's file name in the WACZ. */
#define CFS_COPYWACZ_ARCHIVE "data.warc.gz"

/* Appends the header of the archive, which is completed at the end.  time:
 * stated in the WACZ, Unix seconds. */
void cfs_copywacz_add_lead(struct cfs_buf *out, int64_t time);
size_t cfs_copywacz_lead_bytes(void);

struct cfs_copywacz_part {
	int fd;			/* of the growing file; borrowed */
	const char *path;	/* its path, and */
	const char *tmp_dir;	/* the folder for the sort; borrowed */
	uint64_t end;		/* where the archive ends */
};

/*
 * Completes the file: the member for the archive, which is read for that, and
 * the other members behind it.  *bytes is then the size of the file.  0;
 * CFS_EIO for what cannot be read or written; CFS_EFORMAT if the archive was
 * damaged; CFS_EINTR; CFS_ENOMEM.
 */
int cfs_copywacz_complete(const struct cfs_copy_opts *opts,
			  const struct cfs_copywacz_part *part,
			  void (*progress)(void *arg, uint64_t done,
					   uint64_t total),
			  void *arg, uint64_t *bytes, struct cfs_error *err);

#endif
