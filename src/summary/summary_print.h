/* summary_print.h - a summary as text, as JSON and as a page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_SUMMARY_PRINT_H
#define CFS_SUMMARY_SUMMARY_PRINT_H

#include "codec/json.h"
#include "summary.h"

struct cfs_summary_print_opts {
	const char *name;		/* of the crawl, for people */
	size_t top;			/* rows of each kind but years */
	bool has_blocks;		/* text: bars are made of U+2588 and its
					 * like, else of '#' */
	/* A page: appends the URL, escaped, that the key of a row leads to, or
	 * nothing.  NULL: no row leads anywhere. */
	void (*link)(void *arg, enum cfs_summary_by by, struct cfs_slice key,
		     struct cfs_buf *out);
	/* The same for a record; NULL: none leads anywhere. */
	void (*link_record)(void *arg, const struct cfs_summary_record *r,
			    struct cfs_buf *out);
	void *arg;
};

/* Appends the text, in lines of at most 80 columns. */
void cfs_summary_text(const struct cfs_summary *s,
		      const struct cfs_summary_print_opts *opts,
		      struct cfs_buf *out);

/* Writes the members of an object: crawlfs-summary(1) describes them. */
void cfs_summary_json(const struct cfs_summary *s,
		      const struct cfs_summary_print_opts *opts,
		      struct cfs_json *j);

/* Appends what is within <main> of a page, but for its heading. */
void cfs_summary_html_main(const struct cfs_summary *s,
			   const struct cfs_summary_print_opts *opts,
			   struct cfs_buf *out);

/* Appends a page that needs nothing else.  It begins with the mark. */
#define CFS_SUMMARY_HTML_MARK \
	"<!DOCTYPE html>\n<!-- a summary of a crawl, by crawlfs -->\n"
void cfs_summary_html(const struct cfs_summary *s,
		      const struct cfs_summary_print_opts *opts,
		      struct cfs_buf *out);

#endif
