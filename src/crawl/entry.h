/* entry.h - a decoded entry of the index, and its record in the archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_ENTRY_H
#define CFS_CRAWL_ENTRY_H

#include "base/spill.h"
#include "crawl.h"
#include "index/related.h"
#include "names.h"
#include "record/seqstore.h"
#include "view/view.h"

/* A decoded entry with what it borrows from.  Used by one thread. */
struct cfs_entry {
	struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_buf archive;		/* the archive's name, once loaded */
	const char *archive_text;	/* the same for messages,
					 * NUL-terminated */
	struct cfs_buf shown;
};

/* Taken from the thread's scratch; NULL (and err) if out of memory. */
struct cfs_entry *cfs_entry_new(struct cfs_error *err);
void cfs_entry_free(struct cfs_entry *e);	/* accepts NULL */

/* Gets the name of the archive of a decoded entry. */
int cfs_entry_name(struct cfs_crawl *c, struct cfs_entry *e,
		   struct cfs_error *err);
/* Both decode the entry at pos; the second also gets its archive's name. */
int cfs_entry_read(struct cfs_crawl *c, cfs_pos pos, struct cfs_entry *e,
		   struct cfs_ctx ctx);
int cfs_entry_load(struct cfs_crawl *c, cfs_pos pos, struct cfs_entry *e,
		   struct cfs_ctx ctx);

/* The bytes of one file.  They borrow from a pinned record or from `own`, and
 * live until released. */
struct cfs_file_bytes {
	struct cfs_slice bytes;
	bool is_cut_off;		/* more should follow (record.h) */
	struct cfs_stored *record;	/* pinned; may be NULL */
	struct cfs_stored *body;	/* for a revisit: the record with the
					 * body */
	struct cfs_pinned_unit *unit;	/* for a SequenceFile; may be NULL */
	struct cfs_buf own;
	/* Accounts for `own`, with that many bytes. */
	struct cfs_budget *budget;
	uint64_t accounted;
	/* All above is lent, and is given back to the lender (handles.h).
	 * NULL: it is owned. */
	void (*give_back)(void *lender);
	void *lender;
};

/* The size of a file that has no body: no program takes it for an empty one. */
#define CFS_ABSENT_BYTES 1u

/* The size of the file.  A cut-off file is reported one byte longer, so that a
 * program that reads all of it gets to the read that fails. */
static inline uint64_t cfs_file_bytes_size(const struct cfs_file_bytes *b)
{
	return (uint64_t)b->bytes.n + b->is_cut_off;
}

static inline void cfs_file_bytes_release(struct cfs_file_bytes *b)
{
	if (b->give_back != NULL) {
		b->give_back(b->lender);
	} else {
		cfs_stored_put(b->record);
		cfs_stored_put(b->body);
		cfs_pinned_unit_put(b->unit);
		cfs_buf_release(&b->own);
		cfs_budget_sub(b->budget, CFS_MEM_VIEWS, b->accounted);
	}
	*b = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
}

/* Are they, or what they are a part of, in a file? */
static inline bool cfs_file_bytes_are_spilled(const struct cfs_file_bytes *b)
{
	return b->own.spill != NULL || cfs_stored_is_spilled(b->record) ||
	       cfs_stored_is_spilled(b->body);
}

/* The memory that they take; 0 for bytes spilled to a file. */
static inline size_t cfs_file_bytes_memory(const struct cfs_file_bytes *b)
{
	return cfs_file_bytes_are_spilled(b) ? 0 : b->bytes.n;
}

/* Call after reading a part: drops pages of a spilled file from memory. */
static inline void cfs_file_bytes_release_pages(const struct cfs_file_bytes *b,
						struct cfs_slice part)
{
	if (b->own.spill != NULL)
		cfs_spill_out_around(&b->own, part);
	cfs_stored_release_pages(b->record, part);
	cfs_stored_release_pages(b->body, part);
}

/* True if the record of a loaded entry has its members to itself. */
bool cfs_entry_has_member(const struct cfs_entry *e);

/* Finds the suffix, with the form, of a capture's view; of a plain view the
 * capture is not asked, and may be NULL.  CFS_ENOTFOUND: the capture has no
 * such view; failures of cfs_index_archive_name. */
int cfs_entry_suffix(struct cfs_crawl *c, const struct cfs_capture *cap,
		     enum cfs_view view, struct cfs_suffix *out,
		     struct cfs_error *err);

/* Both pin the record of a loaded entry and check that it is its own: with the
 * segments that continue it, or as it lies in its archive.  Release it with
 * cfs_stored_put. */
int cfs_entry_own_record(struct cfs_crawl *c, const struct cfs_entry *e,
			 struct cfs_stored **out, struct cfs_ctx ctx);
int cfs_entry_record(struct cfs_crawl *c, const struct cfs_entry *e,
		     struct cfs_stored **out, struct cfs_ctx ctx);

/* Checks that a record with this URL belongs to the page of `key`, or of the
 * URL `listed` (empty: not known): an index beside the wrong archives must not
 * serve one page's bytes under another's name.  0, or CFS_EFORMAT naming file
 * and offset. */
int cfs_entry_check_url(struct cfs_crawl *c, struct cfs_slice url,
			struct cfs_slice key, struct cfs_slice listed,
			const char *file, uint64_t offset,
			struct cfs_error *err);

#endif
