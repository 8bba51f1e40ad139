/* view.h - the views of a capture: body, metadata, text, headers, record.
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
	CFS_VIEW_URL = 6,	/* the URL and a newline; has no name */
	/* Related records, in the order of index/related.h: */
	CFS_VIEW_REQUEST = 7,	/* .request, as it was sent */
	CFS_VIEW_METADATA = 8,	/* .metadata, notes of the crawler */
	CFS_VIEW_PAGEINFO = 9,	/* .pageinfo, JSON */
	CFS_VIEW_VIEW = 10,	/* .view.png ..., what the window showed */
	CFS_VIEW_THUMBNAIL = 11,
	CFS_VIEW_FULLPAGE = 12,
	CFS_VIEW_COUNT = 13
};

/* True if every capture has that view, always with the same suffix. */
static inline bool cfs_view_is_plain(enum cfs_view v)
{
	return v <= CFS_VIEW_HEADERS;
}

/* True if the view shows a related record, which may be missing. */
static inline bool cfs_view_is_related(enum cfs_view v)
{
	return v >= CFS_VIEW_REQUEST && v < CFS_VIEW_COUNT;
}

/* The name in options ("raw", "meta", "txt", "headers", "record", "request",
 * "metadata", "pageinfo", "view", "thumbnail", "fullpage"). */
const char *cfs_view_name(enum cfs_view v);
enum cfs_view cfs_view_by_name(struct cfs_slice name);
/* The forms of RECORD: an archive of one record, of the same format as the
 * archive it is from. */
enum cfs_record_form {
	CFS_FORM_WARC_GZ,
	CFS_FORM_ARC_GZ,
	CFS_FORM_WARC_ZST,
	CFS_FORM_COUNT
};

/* The suffix in the tree (".meta"); "" for raw.  Views with several forms have
 * a suffix for each: RECORD (enum cfs_record_form) and pictures (enum
 * cfs_related_form).  NULL past the last form. */
const char *cfs_view_suffix(enum cfs_view v, unsigned form);

struct cfs_view_opts {
	bool meta_compact;	/* META is on one line */
};

/*
 * Appends META, TEXT or HEADERS of a record to out (RAW is record->body,
 * RECORD comes from the store).  Never fails because of the record's contents:
 * hostile bytes give a poorer view, not an error.  0, CFS_ELIMIT (out->max),
 * CFS_ENOMEM, CFS_EINTR; CFS_EFORMAT if in->notes is not a JSON object.
 */
int cfs_view_render(enum cfs_view view, const struct cfs_view_input *in,
		    const struct cfs_view_opts *opts, struct cfs_buf *out,
		    struct cfs_ctx ctx);

/* The longest rendered view.  Its size is limited by the record's already; this
 * is a second safeguard. */
#define CFS_VIEW_MAX_BYTES ((size_t)1 << 30)

/* The version of the contents of META, TEXT and HEADERS.  Bump it whenever the
 * same record may give other bytes: tests/mount/golden_test.sh fails until
 * then.  Changes of the code that change no view do not need it. */
#define CFS_VIEW_VERSION 2

/* A number for the combination of CFS_VIEW_VERSION and the versions of the
 * libraries that make views; never 0.  Sizes kept in an index are valid for one
 * such number. */
uint32_t cfs_view_version(void);

/* Computes the sizes of META (not compact) and TEXT in bytes.  Codes as
 * cfs_view_render. */
int cfs_view_measure(const struct cfs_view_input *in, uint64_t *meta_bytes,
		     uint64_t *text_bytes, struct cfs_ctx ctx);

#endif
