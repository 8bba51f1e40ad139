/* feed.h - RSS and Atom feeds: what they say of themselves and of their items.
 *
 * RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0 (RFC 4287), with the modules
 * content, Dublin Core and dcterms; and whatever malformed document is near
 * enough to one.  Parsed by libxml2, without a DTD, entities of its own, or
 * any access to anything (feed_clean.c).
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

/* At most this much of a document counts (in UTF-8). */
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

/* What the text of a value is. */
enum cfs_feed_type {
	CFS_FEED_TEXT,		/* characters */
	CFS_FEED_HTML,		/* the source of an HTML fragment */
};

/* One value; its slices are borrowed from the feed. */
struct cfs_feed_value {
	enum cfs_feed_field field;
	enum cfs_feed_type type;
	bool is_module;		/* not of RSS or Atom itself: dc:creator, ... */
	struct cfs_slice text;	/* trimmed; may be empty if n_attrs > 0 */
	/* Attributes in document order, their names without prefix except
	 * for xml:lang and the like.  An Atom author has the made up ones
	 * name=, email= and uri=, and the name as its text. */
	unsigned n_attrs;
	size_t attrs_at;	/* private */
};

struct cfs_feed_attr {
	struct cfs_slice name, value;
};

/* A feed, parsed.  The buffers are private. */
struct cfs_feed {
	enum cfs_feed_kind kind;
	size_t n_items;
	bool is_cut;		/* something beyond a limit was left out */
	struct cfs_buf bytes, attrs, items;
	struct cfs_buf own, of_items;	/* values: of the feed, of all items */
};

/* What the beginning of a body says: is its root element <rss>, <feed> of
 * Atom, or <rdf:RDF> with RSS in it?  Comments and declarations in front are
 * skipped; UTF-16 and UTF-32 are seen through.  is_declared: the MIME type
 * says it is a feed, so junk in front is skipped too. */
enum cfs_feed_kind cfs_feed_sniff(struct cfs_slice body, bool is_declared);

/*
 * Parses a feed.
 *
 * utf8  well-formed UTF-8; an encoding that it declares is ignored
 * feed  filled in any case; cfs_feed_release it.  Without a feed's root
 *       element its kind is CFS_FEED_NONE and it is empty
 * 0; CFS_ENOMEM; CFS_EINTR.  Nothing in the document is an error.
 */
int cfs_feed_parse(struct cfs_slice utf8, struct cfs_feed *feed,
		   const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_feed_release(struct cfs_feed *feed);

/* Values in document order: of the feed itself (item 0), or of an item (1 to
 * n_items, in document order). */
size_t cfs_feed_count(const struct cfs_feed *feed, size_t item);
struct cfs_feed_value cfs_feed_at(const struct cfs_feed *feed, size_t item,
				  size_t i);

struct cfs_feed_attr cfs_feed_attr_at(const struct cfs_feed *feed,
				      const struct cfs_feed_value *v,
				      unsigned i);
/* The first attribute of that name; false if there is none. */
bool cfs_feed_attr_get(const struct cfs_feed *feed,
		       const struct cfs_feed_value *v, const char *name,
		       struct cfs_slice *value);

/*
 * A date of a feed as milliseconds since 1970, UTC.  RFC 822 dates (as RSS
 * has them: any of "Sat, 07 Sep 2002 00:00:01 GMT", two-digit years, North
 * American zones, +hhmm; no zone means UTC) and ISO 8601 ones (as Atom and
 * dc:date have them, from the year alone to fractions of a second).
 * 0, or CFS_EFORMAT.
 */
int cfs_feed_date(struct cfs_slice s, int64_t *ms);

/* Before any thread asks anything of libxml2; more than once costs nothing. */
void cfs_feed_init(void);

#endif
