/* page_frame.h - what pages for people have in common: their beginning with
 * navigation and search, their end, links, and lists in pages.
 *
 * Each is HTML made by the server, in UTF-8, which works without scripts, and
 * written by CFS_HTML alone (summary/html_out.h).
 * Functions append to `out`, whose failure is tested once, by the reply.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_PAGE_FRAME_H
#define CFS_SERVE_PAGE_FRAME_H

#include "crawl/results.h"
#include "exchange.h"
#include "summary/html_out.h"
#include "view/doc.h"

/* Rows of a list in one page. */
#define CFS_PAGE_ROWS 500u

struct cfs_page_frame {
	struct cfs_slice title;		/* text, without markup */
	const char *kind;		/* above the heading: "Folder" */
	const char *at;			/* the path of the entry in the
					 * navigation that this is below, or
					 * NULL */
	struct cfs_slice search;	/* the text searched for */
	unsigned refresh_seconds;	/* 0: the page stays */
};

/* Makes `out` a page with all up to the heading, without it. */
void cfs_page_begin(struct cfs_buf *out, const struct cfs_site *site,
		    const struct cfs_page_frame *frame);
/* Appends the end, and replies with the page, which is released; unless rc, its
 * result so far, is a failure.  Returns rc, or CFS_ENOMEM. */
int cfs_page_end(struct cfs_exchange *x, int rc, unsigned status,
		 struct cfs_buf *out);

/* The URL of a path of the tree: "/tree/com/example/".  route: "tree/"; path:
 * names as they are, with slashes between them. */
struct cfs_html_part cfs_page_url(const struct cfs_site *site,
				  const char *route, struct cfs_slice path);

/* Appends links to copies of a path of the tree as WACZ and WARC, unless the
 * server gives none.  what: before the first, "Download "; path: with a slash
 * at the end of a folder. */
void cfs_page_downloads(struct cfs_buf *out, const struct cfs_site *site,
			const char *what, struct cfs_slice path);

/* The URL of a search: of text that was typed, or of the capture of a URL that
 * is nearest to a time (0: any). */
struct cfs_html_part cfs_page_search_url(const struct cfs_site *site,
					 struct cfs_slice text, int64_t time);

/* Text with its marks as elements. */
struct cfs_html_part cfs_page_marked(struct cfs_slice text,
				     const struct cfs_mark *marks, size_t n);

/* Appends the host that a path of the tree begins with, as people write it:
 * www.example.org.  Returns what is behind it, without the "_". */
struct cfs_slice cfs_page_host(struct cfs_buf *out, const struct cfs_site *site,
			       struct cfs_slice path);

/* Appends the host and what is behind it: www.example.org/a.html, in which
 * names have the escapes of the tree. */
void cfs_page_place(struct cfs_buf *out, const struct cfs_site *site,
		    struct cfs_slice path);

/* Appends the names on the way to a folder or page, each with a link, as a list
 * for navigation; the last one has none. */
void cfs_page_trail(struct cfs_buf *out, const struct cfs_site *site,
		    struct cfs_slice path);

/* Sets *out to the number from 1 that a parameter of a query names; without
 * it, *out stays as it is.  max: the greatest; 0: that of the pages of a list.
 * CFS_EUSAGE for what is no such number. */
int cfs_page_number(struct cfs_slice query, const char *name, uint64_t max,
		    uint64_t *out, struct cfs_error *err);

/* Sets *out to the choice that a parameter of a query names; the first of n, if
 * there is none.  CFS_EUSAGE for another value, with choices[n]: what is wrong
 * with it. */
int cfs_page_choice(struct cfs_slice query, const char *name,
		    const char *const *choices, unsigned n, unsigned *out,
		    struct cfs_error *err);

/* Appends links to the first, previous, next and last page, if there are
 * several.  query: what stands before "page=N" in their URLs, escaped, with an
 * '&' at its end; last: 0, and more follow: the last page is not known. */
void cfs_page_pager(struct cfs_buf *out, struct cfs_slice query, uint64_t page,
		    uint64_t last, bool has_more);

/* CFS_ENOTFOUND: a list does not have the page asked for, and its last one is
 * offered. */
int cfs_page_none(struct cfs_exchange *x, const char *list, uint64_t page,
		  uint64_t last, struct cfs_error *err);

/* Appends that damage may hide what belongs to a list; nothing, if there is
 * none. */
void cfs_page_hole(struct cfs_buf *out, const struct cfs_error *hole);

/* Sends the client to a path of the tree, decoded, at a route: "page/".  Not for
 * good: another capture may be the one to lead to later. */
int cfs_page_lead(struct cfs_exchange *x, const char *route,
		  struct cfs_slice path);

/* Sends the client to the same path of the tree at another route, with `end`
 * behind it. */
int cfs_page_redirect(struct cfs_exchange *x, const char *route,
		      const char *end);

/* ---- what a capture contains (page_preview.c) ---------------------------- */

/* The facts about a capture that its metadata state. */
struct cfs_preview {
	struct cfs_file_bytes meta;
	struct cfs_buf title;		/* decoded; may be empty */
	struct cfs_error error;		/* why there are none, or empty */
};

/* Makes p empty; release it in any case. */
void cfs_preview_init(struct cfs_preview *p);
/* Reads the metadata of a capture.  A record that cannot be read is no failure.
 * 0; CFS_EINTR, CFS_ENOMEM, CFS_ETIMEOUT. */
int cfs_preview_load(struct cfs_preview *p, struct cfs_crawl *c, cfs_pos pos,
		     struct cfs_ctx ctx);
void cfs_preview_release(struct cfs_preview *p);

/* Sets *doc to the document in the bytes of a capture, from which it borrows;
 * without a record there is none that is known. */
void cfs_preview_document(const struct cfs_file_bytes *b, struct cfs_doc *doc);

/* Appends the title of a page, which costs less than all its metadata; nothing
 * if there is none or it cannot be read.  Codes as cfs_preview_load. */
int cfs_preview_title(struct cfs_crawl *c, cfs_pos pos, struct cfs_buf *out,
		      struct cfs_ctx ctx);

/* Appends the text of a member of an object in the metadata ("warc",
 * "WARC-Type"); nothing if it is not there. */
void cfs_preview_field(const struct cfs_preview *p, const char *object,
		       const char *name, struct cfs_buf *out);

/* Appends a section with a part of the text, if there is any: its beginning, or
 * what is there of the words of q (NULL: none), which are marked.  Codes as
 * cfs_preview_load. */
int cfs_preview_text(struct cfs_buf *out, struct cfs_crawl *c, cfs_pos pos,
		     const struct cfs_word_query *q, struct cfs_ctx ctx);

/* Reads the text of a capture into *text, which is released in any case, and
 * finds its lines that have the words of q.  0 or a failure of reading. */
int cfs_preview_snippets(struct cfs_crawl *c, cfs_pos pos,
			 const struct cfs_word_query *q,
			 struct cfs_file_bytes *text,
			 struct cfs_snippet out[CFS_SNIPPETS_MAX], unsigned *n,
			 struct cfs_ctx ctx);

/* Appends a section with the header fields. */
void cfs_preview_headers(struct cfs_buf *out, const struct cfs_preview *p);

/* Appends a section with the links, which lead to captures near that time (0:
 * to the preferred ones); those to what no crawl has say so.  Codes as
 * cfs_preview_load. */
int cfs_preview_links(struct cfs_buf *out, struct cfs_site *site,
		      const struct cfs_preview *p, int64_t time,
		      struct cfs_ctx ctx);

/* ---- what a search has found (page_results.c) ---------------------------- */

/* Results in one page. */
#define CFS_RESULTS_SHOWN 20u

/* The parameters that filters have, by facets. */
#define CFS_FILTER_STATUS CFS_FACETS	/* not counted by results */
#define CFS_FILTERS (CFS_FACETS + 1u)
extern const char *const cfs_filter_names[CFS_FILTERS];

/* A search for words, and what it has found. */
struct cfs_page_search {
	const struct cfs_site *site;
	struct cfs_slice typed;		/* the query, as text */
	struct cfs_slice filters[CFS_FILTERS];	/* n 0: not set */
	struct cfs_results results;	/* its query is borrowed */
	uint64_t page;			/* from 1 */
	bool wants_all;			/* all results are counted, however
					 * many texts that takes */
	struct cfs_buf near;		/* queries that would find something, a
					 * NUL behind each, if this does not */
	struct cfs_error no_words;	/* why texts of a crawl are not
					 * searched, or empty */
	bool is_of_names;		/* not of words: links lead to
					 * the same kind */
	struct cfs_slice names;		/* rows of names, as HTML; borrowed */
	struct cfs_conditions conditions;	/* the filters */
	struct cfs_buf values[CFS_FILTERS];	/* likewise, as sent */
};

static inline uint64_t cfs_page_search_pages(const struct cfs_page_search *f)
{
	return (f->results.n + CFS_RESULTS_SHOWN - 1) / CFS_RESULTS_SHOWN;
}

/* True if any filter is set. */
static inline bool cfs_page_search_filters(const struct cfs_page_search *f)
{
	bool any = false;

	for (unsigned i = 0; i < CFS_FILTERS; i++)
		any = any || f->filters[i].n > 0;
	return any;
}

/* Makes f empty; the caller then sets site, typed and the query of the results.
 * Release it in any case; it must not move. */
void cfs_page_search_init(struct cfs_page_search *f);
void cfs_page_search_release(struct cfs_page_search *f);

/* Sets *yes if at least one crawl has a list of words; f->no_words says why
 * another has none.  0, or a failure to find out. */
int cfs_page_search_can_find(struct cfs_page_search *f, bool *yes,
			struct cfs_ctx ctx);

/* Reads the filters that the query of a request names into f->conditions, and
 * the number of the page.  0 or CFS_EUSAGE. */
int cfs_page_search_read(struct cfs_page_search *f, struct cfs_slice query,
			 struct cfs_error *err);

/* Appends the filters that are set, each with a link that takes it away. */
void cfs_page_search_chosen(struct cfs_buf *out,
			    const struct cfs_page_search *f);

/* Appends fields for filters by values that have no link. */
void cfs_page_search_form(struct cfs_buf *out, const struct cfs_page_search *f);

/* Appends links to the other pages of a search; last: 0, it is not known. */
void cfs_page_search_pager(struct cfs_buf *out,
			   const struct cfs_page_search *f, uint64_t last,
			   bool has_more);

/* A URL as people read it, its host in bold. */
struct cfs_html_part cfs_page_address(struct cfs_slice url);

/* Searches the crawls that have lists, with the filters and the page that were
 * read.  0; CFS_ENOTFOUND for a page behind the last one; codes of
 * cfs_crawl_find. */
int cfs_page_search_find(struct cfs_page_search *f, struct cfs_ctx ctx);

/* Append what was found: the page below its heading, or a document of JSON.
 * 0; CFS_EINTR, CFS_ENOMEM. */
int cfs_page_search_html(struct cfs_buf *out, const struct cfs_page_search *f,
		    struct cfs_ctx ctx);
int cfs_page_search_json(struct cfs_buf *out, const struct cfs_page_search *f,
		    struct cfs_ctx ctx);

/* ---- paths --------------------------------------------------------------- */

/* The decoded path of a place, without slashes at its ends: what follows a
 * route.  Appended to `out`; returns out->failed. */
int cfs_page_path(struct cfs_slice rest, struct cfs_buf *out);

#endif
