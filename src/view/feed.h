/* feed.h - parses RSS and Atom feeds into the values of feed and items.
 *
 * It reads RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0 (RFC 4287), with the
 * modules content, Dublin Core and dcterms, also from malformed documents that
 * resemble them (markup/xml.h).  Entities that a DTD declares are not expanded,
 * and nothing external is ever accessed.
 *
 * Limits: CFS_FEED_BYTES_MAX bytes; time linear in the document; memory at
 * most 8 times the document and 1 MiB.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_FEED_H
#define CFS_VIEW_FEED_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/* At most this many bytes of a document (in UTF-8) are read. */
#define CFS_FEED_BYTES_MAX ((size_t)32 << 20)

enum cfs_feed_kind { CFS_FEED_NONE, CFS_FEED_RSS, CFS_FEED_ATOM };

enum cfs_feed_field {
	CFS_FEED_TITLE,		/* title, dc:title */
	CFS_FEED_DESCRIPTION,	/* description; Atom subtitle, tagline,
				 * summary */
	CFS_FEED_CONTENT,	/* content:encoded, xhtml:body; Atom content */
	CFS_FEED_LINK,		/* RSS: the URL is the text; Atom: href= */
	CFS_FEED_ENCLOSURE,	/* RSS: url=, length=, type= */
	CFS_FEED_AUTHOR,	/* author, managingEditor, dc:creator */
	CFS_FEED_CATEGORY,	/* category, dc:subject; Atom: term=, label= */
	CFS_FEED_UPDATED,	/* lastBuildDate, updated, modified */
	CFS_FEED_PUBLISHED,	/* pubDate, published, issued, created,
				 * dc:date */
	CFS_FEED_ID,		/* guid (isPermaLink=), id */
	CFS_FEED_COMMENTS,
	CFS_FEED_GENERATOR,
	CFS_FEED_RIGHTS,	/* copyright, rights, dc:rights */
	CFS_FEED_FIELDS
};

/* How the text of a value is to be read. */
enum cfs_feed_type {
	CFS_FEED_TEXT,		/* plain characters */
	CFS_FEED_HTML,		/* the source of an HTML fragment */
};

/* One value; its slices are borrowed from the feed. */
struct cfs_feed_value {
	enum cfs_feed_field field;
	enum cfs_feed_type type;
	bool is_module;		/* not of RSS or Atom itself: dc:creator, ... */
	struct cfs_slice text;	/* trimmed; may be empty if n_attrs > 0 */
	/* Attributes in document order; names have a prefix only if the
	 * document has one, as in xml:lang.  The child elements of an Atom
	 * author are added as attributes name=, email= and uri=, and the name
	 * is its text. */
	unsigned n_attrs;
	size_t attrs_at;	/* private */
};

struct cfs_feed_attr {
	struct cfs_slice name, value;
};

/* A parsed feed.  The buffers are private. */
struct cfs_feed {
	enum cfs_feed_kind kind;
	size_t n_items;
	bool is_cut;		/* something beyond a limit was left out */
	struct cfs_buf bytes, attrs, items;
	struct cfs_buf own, of_items;	/* values of the feed; of all items */
};

/* The kind of a feed by its root element: <rss>, <feed> of Atom, or <rdf:RDF>
 * with RSS in it.  Comments and declarations before it are skipped; UTF-16 and
 * UTF-32 are recognized.  is_declared: the MIME type is that of a feed, so any
 * junk before the root element is skipped too. */
enum cfs_feed_kind cfs_feed_sniff(struct cfs_slice body, bool is_declared);

/*
 * Parses a feed.
 *
 * utf8  well-formed UTF-8; a declared encoding is ignored
 * feed  always initialized; free it with cfs_feed_release.  Without the root
 *       element of a feed its kind is CFS_FEED_NONE and it is empty
 *
 * 0, CFS_ENOMEM or CFS_EINTR.  Nothing in the document is an error.
 */
int cfs_feed_parse(struct cfs_slice utf8, struct cfs_feed *feed,
		   struct cfs_ctx ctx);
void cfs_feed_release(struct cfs_feed *feed);

/* The number of values, and value i in document order, of the feed itself (item
 * 0), or of an item (1 to n_items, in document order). */
size_t cfs_feed_count(const struct cfs_feed *feed, size_t item);
struct cfs_feed_value cfs_feed_at(const struct cfs_feed *feed, size_t item,
				  size_t i);

struct cfs_feed_attr cfs_feed_attr_at(const struct cfs_feed *feed,
				      const struct cfs_feed_value *v,
				      unsigned i);
/* Finds the first attribute of that name; false if there is none. */
bool cfs_feed_attr_get(const struct cfs_feed *feed,
		       const struct cfs_feed_value *v, const char *name,
		       struct cfs_slice *value);

/*
 * Converts a date of a feed to milliseconds since 1970, UTC.  Reads RFC 822
 * dates (of RSS: "Sat, 07 Sep 2002 00:00:01 GMT", also with two-digit years,
 * North American zones or +hhmm; no zone means UTC) and ISO 8601 dates (of Atom
 * and dc:date, from the year alone to fractions of a second).
 * 0, or CFS_EFORMAT.
 */
int cfs_feed_date(struct cfs_slice s, int64_t *ms);

#endif
