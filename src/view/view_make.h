/* view_make.h - the functions that make single views from a record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_VIEW_MAKE_H
#define CFS_VIEW_VIEW_MAKE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/spill.h"
#include "index/view_bytes.h"
#include "record/record.h"
#include "source/span.h"

struct cfs_doc;		/* doc.h */
struct cfs_languages;	/* index/language_codes.h */

/* The input of a view.  Borrowed during the call. */
struct cfs_view_input {
	const struct cfs_record *record;
	struct cfs_slice url;		/* used if the record has none */
	struct cfs_slice archive_name;	/* as the index gives it */
	struct cfs_span loc;
	/* Why a revisit has no body; NULL otherwise. */
	const char *no_body_reason;
	/* For a revisit whose target was found, the record that has the body;
	 * otherwise NULL, and the record's own body is used. */
	const struct cfs_record *body_record;
	/* The pages of the body that is shown. */
	enum cfs_pages pages;
	/* For cfs_view_measure: the folder for what is made of a body whose
	 * pages are released (base/spill.h); NULL: it is made in memory. */
	const char *spill_dir;
	/* The index's notes on the capture, a JSON object or empty; its members
	 * are appended to the metadata. */
	struct cfs_slice notes;
	/* Only the length of the view is needed: values of fixed length (MD5,
	 * simhash) may be anything. */
	bool only_length;
	/* For cfs_view_measure: is given the text, once it is made; or NULL. */
	const struct cfs_text_taker *taker;
	/* The record's document, if already known; otherwise NULL. */
	const struct cfs_doc *doc;
	/* Its languages, if already found; otherwise NULL. */
	const struct cfs_languages *languages;
};

/* The record whose body the views show: the target of a revisit if there is
 * one, otherwise the record itself. */
static inline const struct cfs_record *
cfs_view_body_of(const struct cfs_view_input *in)
{
	return in->body_record != NULL ? in->body_record : in->record;
}

/* The URL of the capture: that of the record, if it has one. */
static inline struct cfs_slice cfs_view_url_of(const struct cfs_view_input *in)
{
	return in->record->url.n > 0 ? in->record->url : in->url;
}

struct cfs_view_opts {
	bool meta_compact;	/* META is on one line */
};

/* Appends a view to out.  Codes as cfs_view_render, except that failed appends
 * may be recorded in out only. */
typedef int cfs_view_render_fn(const struct cfs_view_input *in,
			       const struct cfs_view_opts *opts,
			       struct cfs_buf *out, struct cfs_ctx ctx);

/* CFS_OK, if all that was appended is in out; CFS_ELIMIT or CFS_ENOMEM. */
int cfs_view_made_in(const struct cfs_buf *out, struct cfs_error *err);

/* Appends .meta, for options of 0, and .txt, for which a page of HTML is gone
 * through once, and sets *languages.  Codes as cfs_view_render_fn. */
int cfs_view_meta_and_text(const struct cfs_view_input *in,
			   struct cfs_buf *meta, struct cfs_buf *text,
			   struct cfs_languages *languages, struct cfs_ctx ctx);

/* Appends the main content of a record's document in both forms, for which it
 * is chosen once: .md and .main.txt.  NULL: that form is not wanted.  Codes as
 * cfs_view_render_fn. */
int cfs_view_main_forms(const struct cfs_view_input *in,
			struct cfs_buf *markdown, struct cfs_buf *plain,
			struct cfs_ctx ctx);

cfs_view_render_fn cfs_view_text;
cfs_view_render_fn cfs_view_meta;
cfs_view_render_fn cfs_view_markdown;
cfs_view_render_fn cfs_view_main;

#endif
