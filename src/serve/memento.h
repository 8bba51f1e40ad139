/* memento.h - captures by URL and time, as Memento (RFC 7089) has them: which
 * fields tell of one, and the list of all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_MEMENTO_H
#define CFS_SERVE_MEMENTO_H

#include "base/hex.h"
#include "exchange.h"

/* The longest URL, as sent, that is looked for by time: the reply names it
 * several times, and shares the library's memory with the request. */
#define CFS_MEMENTO_URL_MAX ((size_t)4096)

/* The characters besides letters and digits that a URL keeps in an address: all
 * that RFC 3986 allows but '#'. */
#define CFS_MEMENTO_KEPT CFS_UNRESERVED ":/?[]@!$&'()*+,;=%"

/* All links of a reply together.  Those that would be more are left out. */
#define CFS_MEMENTO_LINKS_MAX ((size_t)8192)

/* Adds Memento-Datetime and the links of a capture, unless its time or its URL
 * is not known.  e: read; borrowed.  0 or CFS_ENOMEM. */
int cfs_memento_describe(struct cfs_exchange *x, struct cfs_crawl *c,
			 const struct cfs_entry *e);

/* Appends the address of a capture: BASE/web/TIME/URL.  flag: what follows the
 * time, as "id_"; may be empty. */
void cfs_memento_address(struct cfs_buf *out, struct cfs_slice base,
			 int64_t time, struct cfs_slice flag,
			 struct cfs_slice url);

/* Appends a URL as the end of such an address: as it is, or if it has a byte
 * that an address cannot have, escaped as one component. */
void cfs_memento_add_url(struct cfs_buf *out, struct cfs_slice url);

/* Append links to the value of the field Link: those that all replies about a
 * URL have, and that of a capture with its relation ("first memento").  base:
 * of cfs_reply_base. */
void cfs_memento_url_links(struct cfs_buf *links, struct cfs_slice base,
			   struct cfs_slice url);
void cfs_memento_capture_link(struct cfs_buf *links, struct cfs_slice base,
			      const char *rel, int64_t time,
			      struct cfs_slice url);

/* True for the status of a redirection, which has a field Location. */
static inline bool cfs_memento_is_redirect(unsigned status)
{
	return status >= 300 && status <= 399 && status != 304;
}

/*
 * Sets *target to the URL that a loaded page leads to, without its fragment: by
 * the field Location of its record, or of the one that has its body.
 *
 * status    of the capture
 * url       the page's
 * location  that field, as it was recorded; borrowed from b
 *
 * False: it is no redirection, or leads to nothing of http, https and ftp.
 */
bool cfs_memento_target(unsigned status, struct cfs_slice url,
			const struct cfs_file_bytes *b, struct cfs_buf *target,
			struct cfs_slice *location);

/*
 * Finds the capture that a redirection leads to: the one of `url` nearest to
 * `time`.  If that is the redirection itself (from http to https, say), the
 * nearest that is none.
 *
 * p   in: the redirection; out: what was found, a file
 *
 * 0; CFS_ENOTFOUND; CFS_ROUTE_TAKES_LONG, as a route; failures of reading.
 */
int cfs_memento_follow(struct cfs_exchange *x, struct cfs_slice url,
		       int64_t time, struct cfs_site_place *p,
		       struct cfs_ctx ctx);

/* Adds the links to the reply, and releases them.  0 or CFS_ENOMEM. */
int cfs_memento_reply_links(struct cfs_exchange *x, struct cfs_buf *links);

/* Answers with the list of the captures of a URL, of which page `page` (from 1)
 * is wanted, as JSON or as links.  0; CFS_EUSAGE; CFS_ENOMEM. */
int cfs_memento_map(struct cfs_exchange *x, struct cfs_slice url, bool is_json,
		    uint64_t page, struct cfs_ctx ctx);

#endif
