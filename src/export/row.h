/* row.h - one capture as a row: the values of its fields.
 *
 * A row is filled from what a view is made of: a parsed record and its place.
 * Values borrow from the record or from buffers that the row owns and that are
 * used again for the next row, so that filling one allocates no memory once the
 * buffers have grown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_ROW_H
#define CFS_EXPORT_ROW_H

#include "base/timestamp.h"
#include "fields.h"
#include "index/language_codes.h"
#include "pdf/pdf.h"
#include "view/doc.h"
#include "view/view.h"

/* One thread uses it. */
/* The most digits of the fraction of a second: WARC/1.1 has up to nine. */
#define CFS_EXPORT_TIME_DIGITS 9
#define CFS_EXPORT_TIME_BYTES (CFS_TIME_ISO_BYTES + 1 + CFS_EXPORT_TIME_DIGITS)

struct cfs_export_row {
	cfs_export_set has;	/* fields that have a value; others are not
				 * known */
	/* Values of all kinds but numbers and pairs. */
	struct cfs_slice text[CFS_EXPORT_FIELDS];
	uint64_t number[CFS_EXPORT_FIELDS];
	const struct cfs_fields *headers;	/* of CFS_EXPORT_HEADERS;
						 * borrowed */
	/* Holds the values that are not borrowed. */
	struct cfs_buf made[CFS_EXPORT_FIELDS];
	/* The input that it was filled from; NULL: not from a record.
	 * Borrowed. */
	const struct cfs_view_input *in;
	const char *spill_dir;	/* for long values; NULL: none.  Set by the
				 * owner */
	struct cfs_doc doc;	/* of the record; valid if has_doc */
	bool has_doc;
	struct cfs_pdf_texts pdf;		/* of that document */
	struct cfs_languages languages;		/* of CFS_EXPORT_LANGUAGES */
	char time[CFS_EXPORT_TIME_BYTES];
};

void cfs_export_row_init(struct cfs_export_row *r);
void cfs_export_row_release(struct cfs_export_row *r);

/* Makes a row without values.  Buffers that have grown large are freed. */
void cfs_export_row_reset(struct cfs_export_row *r);

/* Sets a value, which is borrowed. */
static inline void cfs_export_row_set(struct cfs_export_row *r,
				      enum cfs_export_field f,
				      struct cfs_slice text)
{
	r->text[f] = text;
	r->has |= CFS_EXPORT_BIT(f);
}
static inline void cfs_export_row_set_number(struct cfs_export_row *r,
					     enum cfs_export_field f,
					     uint64_t n)
{
	r->number[f] = n;
	r->has |= CFS_EXPORT_BIT(f);
}

/*
 * Fills the fields of `set` that are not set yet and that the record has, or
 * that can be made from it; in->doc is not used.  Nothing in the record is a
 * failure.
 *
 * 0; CFS_ELIMIT if a value is larger than CFS_VIEW_MAX_BYTES: the others are
 * set; CFS_ENOMEM; CFS_EINTR.
 */
int cfs_export_row_fill(struct cfs_export_row *r, cfs_export_set set,
			const struct cfs_view_input *in, struct cfs_ctx ctx);

/* How the pages of a value that was read are treated: they are released only
 * if they are those of a file, which the record or the value is in. */
enum cfs_pages cfs_export_row_pages(const struct cfs_export_row *r,
				    enum cfs_export_field f);

/* Appends a value step by step; its pages, and those of a spilled `out`, do
 * not stay in memory. */
void cfs_export_add_pages(struct cfs_buf *out, struct cfs_slice s,
			  enum cfs_pages pages);

/* Says why a row lacks what needs the record. */
void cfs_export_row_fail(struct cfs_export_row *r, const char *why);

/* Drops values of more bytes than that, which then are its error. */
void cfs_export_row_limit(struct cfs_export_row *r, uint64_t max);

/* About how many bytes its values have together. */
uint64_t cfs_export_row_bytes(const struct cfs_export_row *r);

/* Sets the fields of `set` that describe the capture's place and URL alone. */
void cfs_export_row_place(struct cfs_export_row *r, cfs_export_set set,
			  struct cfs_slice url, struct cfs_slice archive,
			  uint64_t offset, uint64_t length);

#endif
