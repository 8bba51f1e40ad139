/* view.h - the faces of one record: body, metadata, text, headers, member.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_VIEW_H
#define CFS_VIEW_VIEW_H

#include "view_make.h"

enum cfs_view {			/* part of inode numbers: fixed values */
	CFS_VIEW_NONE = 0,
	CFS_VIEW_RAW = 1,	/* the HTTP body */
	CFS_VIEW_META = 2,	/* .meta, JSON */
	CFS_VIEW_TEXT = 3,	/* .txt, UTF-8 */
	CFS_VIEW_HEADERS = 4,	/* .headers, status line and HTTP headers */
	CFS_VIEW_RECORD = 5,	/* .arc.gz ..., the record's own members */
	CFS_VIEW_COUNT = 6
};

/* The name in options ("raw", "meta", "txt", "headers", "record"). */
const char *cfs_view_name(enum cfs_view v);
enum cfs_view cfs_view_by_name(struct cfs_slice name);
/* What RECORD is: an archive of one record, of the kind that it is from. */
enum cfs_record_form {
	CFS_FORM_WARC_GZ,
	CFS_FORM_ARC_GZ,
	CFS_FORM_WARC_ZST,
	CFS_FORM_COUNT
};

/* The suffix in the tree (".meta"); "" for raw.  That of RECORD is its
 * form's. */
const char *cfs_view_suffix(enum cfs_view v, enum cfs_record_form form);

struct cfs_view_opts {
	bool meta_compact;	/* one line */
};

/*
 * Appends META, TEXT or HEADERS of a record to out (RAW is record->body,
 * RECORD comes from the store).  Never fails for what is in the record:
 * hostile bytes give a poorer view, not an error.  0, CFS_ELIMIT (out's
 * ceiling), CFS_ENOMEM, CFS_EINTR.
 */
int cfs_view_render(enum cfs_view view, const struct cfs_view_input *in,
		    const struct cfs_view_opts *opts, struct cfs_buf *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

/* A rendered view is bounded by the record; this is a ceiling behind that. */
#define CFS_VIEW_MAX_BYTES ((size_t)1 << 30)

/* Names the code that META and TEXT come from: another number where the same
 * record may give other bytes.  Sizes kept in an index hold for one code. */
uint32_t cfs_view_code(void);

/* The sizes of META (not compact) and TEXT.  Codes as cfs_view_render. */
int cfs_view_measure(const struct cfs_view_input *in, uint64_t *meta_bytes,
		     uint64_t *text_bytes, const struct cfs_cancel *cancel,
		     struct cfs_error *err);

#endif
