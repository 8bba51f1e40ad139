/* row_internal.h - what the files that make values of a row share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_ROW_INTERNAL_H
#define CFS_EXPORT_ROW_INTERNAL_H

#include "row.h"

/* The inputs that a value is made from. */
struct cfs_row_input {
	struct cfs_export_row *row;
	cfs_export_set set;		/* fields that are still wanted */
	const struct cfs_view_input *in;
	const struct cfs_record *r;	/* the capture's own record */
	struct cfs_ctx ctx;
};

static inline bool cfs_row_wants(const struct cfs_row_input *i,
				 enum cfs_export_field f)
{
	return (i->set & CFS_EXPORT_BIT(f)) != 0;
}

/* Sets the value that was appended to the field's buffer, unless it is empty;
 * reports a failure of the buffer: CFS_ELIMIT, CFS_ENOMEM. */
int cfs_row_take_made(const struct cfs_row_input *i, enum cfs_export_field f);

/* Sets a text that names something: bytes that are not UTF-8 are kept apart as
 * %XX, as lookup has them. */
void cfs_row_put_name(struct cfs_export_row *r, enum cfs_export_field f,
		      struct cfs_slice s);

/* Fills what the heads of the record say (row_heads.c).  Codes of
 * cfs_row_take_made. */
int cfs_row_fill_heads(const struct cfs_row_input *i);

/* Fills what the page says of itself (row_page.c).  The same codes, and
 * CFS_EINTR. */
int cfs_row_fill_page(const struct cfs_row_input *i, const struct cfs_doc *doc);

/* Appends statements (view/robots.h) as an array of JSON. */
void cfs_row_json_robots(struct cfs_buf *out, struct cfs_slice statements);

/* A text with its name. */
struct cfs_row_text {
	const char *name;
	struct cfs_slice value;
};

/* Appends an object of JSON with n texts, those that are empty left out;
 * nothing, if all are.  A byte that is not UTF-8 is written as %XX. */
void cfs_row_json_texts(struct cfs_buf *out, const struct cfs_row_text *texts,
			size_t n);

/* Appends an object of the members of `columns`, which is one, that are no
 * fields; nothing, if there are none. */
void cfs_row_json_besides(struct cfs_buf *out, struct cfs_slice columns);

#endif
