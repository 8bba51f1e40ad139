/* store.h - records by their place, inflated once, shared by all readers.
 *
 * Opens archives below one of several bases, reads a record's byte range,
 * inflates and parses it, and keeps it in a cache with a byte ceiling.  Open
 * archives are kept too (a bounded number).
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
	size_t cache_bytes;		/* inflated records kept; 0: default */
	uint64_t max_record_bytes;	/* 0: CFS_RECORD_MAX_DEFAULT */
	/* Folders or URLs to look for archive names in, in order. */
	const char *const *bases;
	size_t n_bases;
	/* Which place each is of, where there are several (archives.h). */
	const uint8_t *place_of;
	const struct cfs_opener *opener;	/* NULL: cfs_location_open */
	const char *cache_dir;	/* as of cfs_zipped_open */
	/* What its memory is accounted for in; NULL: nothing.  Records that are
	 * too long for it are inflated into files in spill_dir. */
	struct cfs_budget *budget;
	const char *spill_dir;
};

/* Makes a store; opts is copied, no archive is opened yet.  0 or CFS_ENOMEM. */
int cfs_store_new(struct cfs_store **out, const struct cfs_store_opts *opts,
		  struct cfs_error *err);
void cfs_store_free(struct cfs_store *s);	/* accepts NULL */

/* How many places its archives have (archives.h). */
size_t cfs_store_places(const struct cfs_store *s);

/*
 * The record at span of the archive named (relative, as the index gives it).
 * Pins it until cfs_stored_put.  Of one that the file ends inside of it is
 * what is there (is_cut_off).  A damaged or missing record is CFS_EFORMAT,
 * CFS_EIO or CFS_ENOTFOUND with archive, offset and reason in err.
 */
int cfs_store_get(struct cfs_store *s, struct cfs_slice archive_name,
		  const struct cfs_span *span, struct cfs_stored **out,
		  const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_stored_put(struct cfs_stored *r);	/* accepts NULL */

/* Where a record, or a segment of one, lies. */
struct cfs_record_part {
	struct cfs_slice archive;
	struct cfs_span span;
};

/*
 * The record at parts[0] with the segments that continue it, in order, as one:
 * its block is theirs, and with the last of them it is not is_cut.  Where one
 * of them is missing or damaged it ends there (is_cut_off).  Failures as of
 * cfs_store_get, CFS_ELIMIT where all are too long together.
 */
int cfs_store_get_joined(struct cfs_store *s,
			 const struct cfs_record_part *parts, unsigned n,
			 struct cfs_stored **out,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);
/* Is it in a file (base/spill.h)?  r may be NULL.  Then what was read of it is
 * to be taken out of memory. */
bool cfs_stored_is_spilled(const struct cfs_stored *r);
/* Makes b, which is empty, one whose bytes are in a file like such a record. */
int cfs_store_spill(const struct cfs_store *s, struct cfs_buf *b,
		    struct cfs_error *err);
void cfs_stored_release_pages(const struct cfs_stored *r,
			      struct cfs_slice part);
/* What is wrong with a record that is_cut_off. */
#define CFS_CUT_OFF_TEXT "the file ends inside this record"
const struct cfs_record *cfs_stored_record(const struct cfs_stored *r);

/* Opens any file of the bases: the caller closes it.  A remote one is opened
 * where such files are expected, without asking whether it is there: see
 * cfs_store_use. */
int cfs_store_source(struct cfs_store *s, struct cfs_slice archive_name,
		     struct cfs_source **out, const struct cfs_cancel *cancel,
		     struct cfs_error *err);

/*
 * Lets `use` read any file of the bases; src is lent during the call.  If the
 * file turns out to be missing where it was expected (CFS_ENOTFOUND), `use` is
 * called once more with the file of another base.
 */
typedef int cfs_store_user(void *arg, struct cfs_source *src,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err);
int cfs_store_use(struct cfs_store *s, struct cfs_slice archive_name,
		  cfs_store_user *use, void *arg,
		  const struct cfs_cancel *cancel, struct cfs_error *err);

/* A hint that this record will be wanted soon.  Costs nothing locally. */
void cfs_store_prefetch(struct cfs_store *s, struct cfs_slice archive_name,
			const struct cfs_span *span);

/* How a record is wanted that is to be part of an archive. */
struct cfs_member_form {
	enum cfs_coding coding;		/* not NONE */
	struct cfs_zst_dict *dict;	/* of that archive; NULL: none */
	bool with_dict;		/* it is to be an archive by itself: `dict` is
				 * not used, that of zstd frames is put before
				 * them */
	/* What was read of it before, perhaps before the archive was damaged:
	 * its members must still hold that.  NULL: a whole record. */
	const struct cfs_stored *parsed;
};

/*
 * Appends the record's own member(s), byte for byte, where they are of that
 * form; else freshly compressed as one.
 */
int cfs_store_member(struct cfs_store *s, struct cfs_slice archive_name,
		     const struct cfs_span *span,
		     const struct cfs_member_form *form, struct cfs_buf *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err);

/* The zstd dictionary at the start of an archive, the caller's to put; NULL if
 * it has none.  Failures of opening it and of cfs_archive_dict. */
int cfs_store_dict(struct cfs_store *s, struct cfs_slice archive_name,
		   struct cfs_zst_dict **out, const struct cfs_cancel *cancel,
		   struct cfs_error *err);

/* How many bytes cfs_store_member gives of a record that has members, with its
 * dictionary.  False: not known without a request.  A figure that is likely:
 * the archive's name is believed to say what it holds. */
bool cfs_store_member_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			    const struct cfs_span *span, uint64_t *bytes,
			    const struct cfs_cancel *cancel);

/* Exactly n bytes of an archive as they are.  Past its end: CFS_EFORMAT. */
int cfs_store_read(struct cfs_store *s, struct cfs_slice archive_name,
		   uint64_t offset, void *buf, size_t n,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

/*
 * The size of the raw view, cheaply: from the record if it is cached, else
 * for a local one-member record from its gzip trailer and the inflated head.
 * *is_exact false: no cheap way, *bytes is then not set.
 * The figure assumes what holds for every undamaged record; opening it
 * decides (doc/design.md, "Sizes").
 */
int cfs_store_body_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			 const struct cfs_span *span, uint64_t *bytes,
			 bool *is_exact, const struct cfs_cancel *cancel,
			 struct cfs_error *err);

/* True of an archive that is in none of the folders where it should be.  Of
 * what may be on a server nothing is said. */
bool cfs_store_lacks(const struct cfs_store *s, struct cfs_slice archive);

struct cfs_store_stats {
	uint64_t hits, misses, evicted, bytes, inflated_bytes, read_bytes;
};
void cfs_store_get_stats(struct cfs_store *s, struct cfs_store_stats *out);

#endif
