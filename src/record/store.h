/* store.h - gets records by their place; they are inflated once and shared by
 * all readers.
 *
 * Opens an archive below one of several bases, reads a record's range, inflates
 * and parses it, and keeps it in a cache of a limited size.  A limited number
 * of archives is kept open.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_STORE_H
#define CFS_RECORD_STORE_H

#include "base/budget.h"
#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "codec/member.h"
#include "record.h"
#include "source/source.h"
#include "source/span.h"

struct cfs_store;		/* threads share it */
struct cfs_stored;		/* a pinned record */

struct cfs_store_opts {
	size_t cache_bytes;		/* for inflated records; 0: default */
	uint64_t max_record_bytes;	/* 0: CFS_RECORD_MAX_DEFAULT */
	/* Folders or URLs in which archives are looked up, in this order. */
	const char *const *bases;
	size_t n_bases;
	/* The place of each base; NULL: all are one place (archives.h). */
	const uint8_t *place_of;
	const struct cfs_opener *opener;	/* NULL: cfs_location_open */
	const char *cache_dir;	/* as of cfs_zipped_open */
	/* The account of its memory; NULL: none.  Records that are too long for
	 * it are inflated into files in spill_dir. */
	struct cfs_budget *budget;
	const char *spill_dir;
};

/* Makes a store; opts is copied, no archive is opened.  0 or CFS_ENOMEM. */
int cfs_store_new(struct cfs_store **out, const struct cfs_store_opts *opts,
		  struct cfs_error *err);
void cfs_store_free(struct cfs_store *s);	/* accepts NULL */

/* The number of places (archives.h). */
size_t cfs_store_places(const struct cfs_store *s);

/*
 * Gets the record at span of the archive named (relative, as in the index), and
 * pins it until cfs_stored_put.  If the file ends inside the record, its
 * beginning is returned (is_cut_off).  A damaged or missing record is
 * CFS_EFORMAT, CFS_EIO or CFS_ENOTFOUND with archive, offset and reason in err.
 */
int cfs_store_get(struct cfs_store *s, struct cfs_slice archive_name,
		  const struct cfs_span *span, struct cfs_stored **out,
		  struct cfs_ctx ctx);
void cfs_stored_put(struct cfs_stored *r);	/* accepts NULL */

/* The place of a record, or of a segment of one. */
struct cfs_record_part {
	struct cfs_slice archive;
	struct cfs_span span;
};

/*
 * Gets the record at parts[0] joined with the segments that continue it, in
 * order: its block is all their blocks, and if the last one is there, it is not
 * is_cut.  If one is missing or damaged the record ends before that
 * (is_cut_off).  Failures as of cfs_store_get; CFS_ELIMIT if the segments are
 * too long together.
 */
int cfs_store_get_joined(struct cfs_store *s,
			 const struct cfs_record_part *parts, unsigned n,
			 struct cfs_stored **out, struct cfs_ctx ctx);
/* True if the record is in a file (base/spill.h); then what was read of it must
 * be released with cfs_stored_release_pages.  r may be NULL. */
bool cfs_stored_is_spilled(const struct cfs_stored *r);
/* Makes b, which is empty, a spilled buffer with a file in the same folder. */
int cfs_store_spill(const struct cfs_store *s, struct cfs_buf *b,
		    struct cfs_error *err);
void cfs_stored_release_pages(const struct cfs_stored *r,
			      struct cfs_slice part);
/* The message for a record that is_cut_off. */
#define CFS_CUT_OFF_TEXT "the file ends inside this record"
/* The same for one of which cfs_record_body_is_cut. */
#define CFS_BODY_CUT_TEXT "the body ends inside its coding, or that is damaged"
const struct cfs_record *cfs_stored_record(const struct cfs_stored *r);

/* Opens any file of the bases; the caller closes it.  A remote file is opened
 * in the base where it is expected, without asking whether it exists there: see
 * cfs_store_use. */
int cfs_store_source(struct cfs_store *s, struct cfs_slice archive_name,
		     struct cfs_source **out, struct cfs_ctx ctx);

/*
 * Lets `use` read any file of the bases; src is lent during the call.  If the
 * file turns out to be missing where it was expected (CFS_ENOTFOUND), `use` is
 * called once more with the file of another base.
 */
typedef int cfs_store_user(void *arg, struct cfs_source *src,
			   struct cfs_ctx ctx);
int cfs_store_use(struct cfs_store *s, struct cfs_slice archive_name,
		  cfs_store_user *use, void *arg, struct cfs_ctx ctx);

/* Hints that this record will be wanted soon; does nothing for local files. */
void cfs_store_prefetch(struct cfs_store *s, struct cfs_slice archive_name,
			const struct cfs_span *span);

/* The form in which a record is to become part of another archive. */
struct cfs_member_form {
	enum cfs_coding coding;		/* not NONE */
	struct cfs_zst_dict *dict;	/* that archive's; NULL: none */
	bool with_dict;		/* it becomes an archive by itself: `dict` is
				 * ignored, and the dictionary of zstd frames is
				 * put in front of them */
	/* The record as it was read before, since the archive may have been
	 * damaged meanwhile: the members must still hold it.  NULL: they must
	 * hold a whole record. */
	const struct cfs_stored *parsed;
};

/*
 * Appends the record's own member(s), byte for byte, if they have that form;
 * else the record, freshly compressed as one member.
 */
int cfs_store_member(struct cfs_store *s, struct cfs_slice archive_name,
		     const struct cfs_span *span,
		     const struct cfs_member_form *form, struct cfs_buf *out,
		     struct cfs_ctx ctx);

/* Gets the zstd dictionary at the start of an archive, to be put by the caller;
 * NULL if there is none.  Failures of opening it and of cfs_archive_dict. */
int cfs_store_dict(struct cfs_store *s, struct cfs_slice archive_name,
		   struct cfs_zst_dict **out, struct cfs_ctx ctx);

/* Tells how many bytes cfs_store_member appends for a record that has members,
 * with its dictionary.  False if that takes a request.  The figure may be
 * wrong: it trusts the archive's name to tell the coding. */
bool cfs_store_member_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			    const struct cfs_span *span, uint64_t *bytes,
			    const struct cfs_cancel *cancel);

/* Reads exactly n bytes of an archive.  CFS_EFORMAT past its end. */
int cfs_store_read(struct cfs_store *s, struct cfs_slice archive_name,
		   uint64_t offset, void *buf, size_t n, struct cfs_ctx ctx);

/* The same, but never inflates a record.  *is_local: it is in a local file that
 * was found. */
int cfs_store_body_known(struct cfs_store *s, struct cfs_slice archive_name,
			 const struct cfs_span *span, uint64_t *bytes,
			 bool *is_exact, bool *is_local, struct cfs_ctx ctx);

/*
 * Finds the size of the raw view cheaply: from the record if it is cached, else
 * for a local record in one member from its gzip trailer and inflated head.
 * *is_exact false: there is no cheap way, and *bytes is not set.
 * The figure is right for every undamaged record; only opening it is proof
 * (doc/kernel.md, "Sizes").
 */
int cfs_store_body_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			 const struct cfs_span *span, uint64_t *bytes,
			 bool *is_exact, struct cfs_ctx ctx);

/* True if an archive is in none of the folders where it should be.  False if it
 * may be on a server. */
bool cfs_store_lacks(const struct cfs_store *s, struct cfs_slice archive);
/* True if archives were to be opened, none of them could be, and some are
 * lacking in this sense. */
bool cfs_store_lacked_all(const struct cfs_store *s);

struct cfs_store_stats {
	uint64_t hits, misses, evicted, bytes, inflated_bytes, read_bytes;
};
void cfs_store_get_stats(struct cfs_store *s, struct cfs_store_stats *out);

#endif
