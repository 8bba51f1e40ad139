/* view.h - the table of the views of a capture: body, metadata, text, headers,
 * record, related records.
 *
 * A view has its number in enum cfs_view and its row in view.c; all other code
 * asks the row.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_VIEW_H
#define CFS_VIEW_VIEW_H

#include "index/related.h"
#include "index/view_bytes.h"
#include "view_make.h"

enum cfs_view {			/* part of inode numbers: fixed values */
	CFS_VIEW_NONE = 0,
	CFS_VIEW_RAW = 1,	/* the HTTP body */
	CFS_VIEW_META = 2,	/* .meta, JSON */
	CFS_VIEW_TEXT = 3,	/* .txt, UTF-8 */
	CFS_VIEW_HEADERS = 4,	/* .headers, status line and HTTP headers */
	CFS_VIEW_RECORD = 5,	/* .arc.gz ..., the record's own members */
	CFS_VIEW_URL = 6,	/* the URL and a newline; has no name */
	CFS_VIEW_REQUEST = 7,	/* .request, as it was sent */
	CFS_VIEW_METADATA = 8,	/* .metadata, notes of the crawler */
	CFS_VIEW_PAGEINFO = 9,	/* .pageinfo, JSON */
	CFS_VIEW_VIEW = 10,	/* .view.png ..., what the window showed */
	CFS_VIEW_THUMBNAIL = 11,
	CFS_VIEW_FULLPAGE = 12,
	CFS_VIEW_MARKDOWN = 13,	/* .md, the main content in Markdown */
	CFS_VIEW_MAIN = 14,	/* .main.txt, the same as plain text */
	CFS_VIEW_COUNT = 15	/* at most 32: sets of views are bits */
};

/* The forms of RECORD: an archive of one record, of the same format as the
 * archive it is from. */
enum cfs_record_form {
	CFS_FORM_WARC_GZ,
	CFS_FORM_ARC_GZ,
	CFS_FORM_WARC_ZST,
	CFS_FORM_COUNT
};

struct cfs_view_form {
	const char *suffix;	/* in the tree (".meta"); "" for the body */
	const char *type;	/* MIME type; NULL: depends on the record */
};
#define CFS_VIEW_FORMS_MAX 7u	/* with the NULL behind the last form */

/* Where a size that was found by making or reading a view is kept. */
enum cfs_view_kept {
	/* Nowhere: the index or the archive knows it, or it depends on a
	 * compression library. */
	CFS_VIEW_KEPT_NOT,
	/* In the cache folder (cache/sizes.h). */
	CFS_VIEW_KEPT_IN_CACHE,
	/* There and, of views measured while an index is built, in the index,
	 * at the row's slot. */
	CFS_VIEW_KEPT_IN_INDEX,
};

struct cfs_view_row {
	const char *name;	/* in -o views= and --view; NULL: not for
				 * users */
	const char *about;	/* a phrase for help texts, unless is_related */
	/* RECORD and pictures have several, by enum cfs_record_form and
	 * cfs_related_form. */
	struct cfs_view_form forms[CFS_VIEW_FORMS_MAX];
	const char *charset;	/* shared by all its files; NULL: not known, no
				 * text */
	cfs_view_render_fn *render;	/* NULL: it is stored, not rendered */
	/* Bytes guessed for each byte that the record has in its archive; 0: a
	 * page of memory, whatever the record. */
	unsigned guess;
	enum cfs_view_kept kept;
	enum cfs_view_slot slot;	/* if kept in indexes */
	bool is_related;		/* a related record, which may be
					 * missing: of this kind */
	enum cfs_related related;
	bool may_be_companion;	/* the crawl's own text or metadata replace it
				 * (cfs_capture_companion of the slot) */
	bool depends_on_opts;	/* on struct cfs_view_opts; sizes in indexes are
				 * for options of 0 */
	bool is_of_body;	/* without a body there is no such view */
	bool tells_no_record;	/* a page without a record says so; other
				 * rendered views are empty */
};

/* By number. */
extern const struct cfs_view_row cfs_view_table[CFS_VIEW_COUNT];

/* The row of any number; that of NONE for a number that is not a view's. */
static inline const struct cfs_view_row *cfs_view_row(enum cfs_view v)
{
	return &cfs_view_table[v < CFS_VIEW_COUNT ? v : CFS_VIEW_NONE];
}

/* True if the view shows a related record, which may be missing. */
static inline bool cfs_view_is_related(enum cfs_view v)
{
	return cfs_view_row(v)->is_related;
}

/* True if every capture has that view, always with the same suffix. */
static inline bool cfs_view_is_plain(enum cfs_view v)
{
	const struct cfs_view_row *row = cfs_view_row(v);

	return row->forms[0].suffix != NULL && row->forms[1].suffix == NULL &&
	       !row->is_related;
}

/* The name in options ("raw", "txt"); "none" if the view has none. */
const char *cfs_view_name(enum cfs_view v);
/* CFS_VIEW_NONE: no view has that name. */
enum cfs_view cfs_view_by_name(struct cfs_slice name);

/* The suffix of a view in that form; NULL past its last form. */
const char *cfs_view_suffix(enum cfs_view v, unsigned form);

/* The view whose size an index keeps at a slot. */
enum cfs_view cfs_view_of_slot(enum cfs_view_slot slot);

/*
 * Appends a rendered view of a record to out (RAW is record->body, RECORD comes
 * from the store).  Never fails because of the record's contents: hostile bytes
 * give a poorer view, not an error.  0, CFS_ELIMIT (out->max), CFS_ENOMEM,
 * CFS_EINTR; CFS_EFORMAT if in->notes is not a JSON object; CFS_EUNSUPPORTED if
 * the view is not rendered.
 */
int cfs_view_render(enum cfs_view view, const struct cfs_view_input *in,
		    const struct cfs_view_opts *opts, struct cfs_buf *out,
		    struct cfs_ctx ctx);

/* The longest rendered view.  Its size is limited by the record's already; this
 * is a second safeguard. */
#define CFS_VIEW_MAX_BYTES ((size_t)1 << 30)

/* The version of the contents of rendered views.  Bump it whenever the same
 * record may give other bytes: tests/mount/golden_test.sh fails until then.
 * Changes of the code that change no view do not need it. */
#define CFS_VIEW_VERSION 22

/* A number for the combination of CFS_VIEW_VERSION and the versions of the
 * libraries that make views; never 0.  Sizes kept in an index are valid for one
 * such number. */
uint32_t cfs_view_version(void);

/* Computes the sizes in bytes of views that indexes keep sizes of, for options
 * of 0, and the page's languages, which may be in->languages.
 *
 * slots  which views: the sum of their 1 << slot, with those of the pair
 *
 * Codes as cfs_view_render; then no size is known. */
int cfs_view_measure(const struct cfs_view_input *in, uint32_t slots,
		     struct cfs_view_bytes *out,
		     struct cfs_languages *languages, struct cfs_ctx ctx);

#endif
