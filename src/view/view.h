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
	CFS_VIEW_URL = 6,	/* the URL and a newline; without a name */
	/* Records that belong to the page (index/related.h), in that order: */
	CFS_VIEW_REQUEST = 7,	/* .request, as it was sent */
	CFS_VIEW_METADATA = 8,	/* .metadata, what the crawler noted */
	CFS_VIEW_PAGEINFO = 9,	/* .pageinfo, JSON */
	CFS_VIEW_VIEW = 10,	/* .view.png ..., what was in the window */
	CFS_VIEW_THUMBNAIL = 11,
	CFS_VIEW_FULLPAGE = 12,
	CFS_VIEW_COUNT = 13
};

/* True if every capture has that view, under one suffix. */
static inline bool cfs_view_is_plain(enum cfs_view v)
{
	return v <= CFS_VIEW_HEADERS;
}

/* True for a record beside the capture's: it may be missing. */
static inline bool cfs_view_is_related(enum cfs_view v)
{
	return v >= CFS_VIEW_REQUEST && v < CFS_VIEW_COUNT;
}

/* The name in options ("raw", "meta", "txt", "headers", "record", "request",
 * "metadata", "pageinfo", "view", "thumbnail", "fullpage"). */
const char *cfs_view_name(enum cfs_view v);
enum cfs_view cfs_view_by_name(struct cfs_slice name);
/* What RECORD is: an archive of one record, of the kind that it is from. */
enum cfs_record_form {
	CFS_FORM_WARC_GZ,
	CFS_FORM_ARC_GZ,
	CFS_FORM_WARC_ZST,
	CFS_FORM_COUNT
};

/* The suffix in the tree (".meta"); "" for raw.  A view of several forms has
 * one for each: RECORD (enum cfs_record_form) and pictures (enum
 * cfs_related_form).  NULL past the last form. */
const char *cfs_view_suffix(enum cfs_view v, unsigned form);

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

/* The version of what META, TEXT and HEADERS contain, raised whenever the same
 * record may give other bytes: tests/mount/golden_test.sh fails until it is.
 * It need not be raised for a change of the code that changes no view. */
#define CFS_VIEW_VERSION 1

/* A number for CFS_VIEW_VERSION and the versions of the libraries that views
 * are made with, never 0.  Sizes that are kept in an index hold for one
 * number. */
uint32_t cfs_view_version(void);

/* The sizes of META (not compact) and TEXT.  Codes as cfs_view_render. */
int cfs_view_measure(const struct cfs_view_input *in, uint64_t *meta_bytes,
		     uint64_t *text_bytes, const struct cfs_cancel *cancel,
		     struct cfs_error *err);

#endif
