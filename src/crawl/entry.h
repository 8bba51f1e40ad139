/* entry.h - an entry of the index, decoded, and its record in the archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_ENTRY_H
#define CFS_CRAWL_ENTRY_H

#include "base/spill.h"
#include "crawl.h"
#include "index/related.h"
#include "view/view.h"

/* With what it borrows.  One thread's. */
struct cfs_entry {
	struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_buf archive;		/* the archive's name, once loaded; */
	const char *archive_text;	/* and as it may be shown, with a NUL */
	struct cfs_buf shown;
};

/* From the thread's scratch; NULL without memory (err says so). */
struct cfs_entry *cfs_entry_new(struct cfs_error *err);
void cfs_entry_free(struct cfs_entry *e);	/* accepts NULL */

/* Decodes the entry at pos; with the name of its archive. */
int cfs_entry_read(struct cfs_crawl *c, cfs_pos pos, struct cfs_entry *e,
		   const struct cfs_cancel *cancel, struct cfs_error *err);
int cfs_entry_load(struct cfs_crawl *c, cfs_pos pos, struct cfs_entry *e,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

/* The bytes of one file.  They borrow from the pinned record or from `own`, and
 * live until release. */
struct cfs_file_bytes {
	struct cfs_slice bytes;
	bool is_cut_off;		/* more should follow (record.h) */
	struct cfs_stored *record;	/* pinned; may be NULL */
	struct cfs_stored *body;	/* of a revisit: the record with the
					 * body */
	struct cfs_pinned_unit *unit;	/* of a SequenceFile; may be NULL */
	struct cfs_buf own;
	/* What `own` is accounted for in, and as how much. */
	struct cfs_budget *budget;
	uint64_t accounted;
};

/* The size of the file.  One that is cut off has one byte more, so that a
 * program that reads all of it comes to where reading fails. */
static inline uint64_t cfs_file_bytes_size(const struct cfs_file_bytes *b)
{
	return (uint64_t)b->bytes.n + b->is_cut_off;
}

static inline void cfs_file_bytes_release(struct cfs_file_bytes *b)
{
	cfs_stored_put(b->record);
	cfs_stored_put(b->body);
	cfs_pinned_unit_put(b->unit);
	cfs_buf_release(&b->own);
	cfs_budget_sub(b->budget, CFS_MEM_VIEWS, b->accounted);
	*b = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
}

/* How much memory they take: none to speak of where they are in a file. */
static inline size_t cfs_file_bytes_memory(const struct cfs_file_bytes *b)
{
	return b->own.spill != NULL || cfs_stored_is_spilled(b->record) ||
	       cfs_stored_is_spilled(b->body) ? 0 : b->bytes.n;
}

/* Some of them have been read: what is in a file leaves memory again. */
static inline void cfs_file_bytes_release_pages(const struct cfs_file_bytes *b,
						struct cfs_slice part)
{
	if (b->own.spill != NULL)
		cfs_spill_out_around(&b->own, part);
	cfs_stored_release_pages(b->record, part);
	cfs_stored_release_pages(b->body, part);
}

/* Is the record of a loaded entry alone in its members? */
bool cfs_entry_has_member(const struct cfs_entry *e);

/* Which of its forms (cfs_view_suffix) a view of a capture has.
 * CFS_ENOTFOUND: the capture has no such view; failures of
 * cfs_index_archive_name. */
int cfs_entry_form(struct cfs_crawl *c, const struct cfs_capture *cap,
		   enum cfs_view view, unsigned *out, struct cfs_error *err);

/* The record that a related view is. */
static inline enum cfs_related cfs_view_related(enum cfs_view view)
{
	return (enum cfs_related)(view - CFS_VIEW_REQUEST);
}

/* Pins the record of a loaded entry, checked to be its own: with the segments
 * that continue it, or as it lies in its archive.  cfs_stored_put ends it. */
int cfs_entry_own_record(struct cfs_crawl *c, const struct cfs_entry *e,
			 struct cfs_stored **out,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);
int cfs_entry_record(struct cfs_crawl *c, const struct cfs_entry *e,
		     struct cfs_stored **out, const struct cfs_cancel *cancel,
		     struct cfs_error *err);

/* Does what lies there belong to the page of `key`?  An index beside other
 * archives must not serve one page's bytes under another's name.  0, or
 * CFS_EFORMAT naming file and offset. */
int cfs_entry_check_url(struct cfs_crawl *c, struct cfs_slice url,
			struct cfs_slice key, const char *file,
			uint64_t offset, struct cfs_error *err);

#endif
