/* collections.h - Common Crawl's crawls by name: where each is, and the list of
 * them.
 *
 * Each crawl since 2008 has an index of captures, whose place follows from its
 * name; collinfo.json lists the names (doc/formats.md, "Collections").  The
 * list as of June 2026 is built in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_COLLECTIONS_H
#define CFS_NET_COLLECTIONS_H

#include "base/buf.h"
#include "base/error.h"

#define CFS_COLLINFO_URL "https://index.commoncrawl.org/collinfo.json"
#define CFS_COLLINFO_NAME "collinfo.json"	/* kept in the cache folder */
#define CFS_COLLINFO_MAX (4u << 20)	/* bytes; 120 crawls take 30,000 */
#define CFS_COLLECTIONS_MAX 4096u

/* True for CC-MAIN-YYYY-WW, CC-MAIN-2008-2009, CC-MAIN-2012 and the like, the
 * same with CC-SUPPLEMENTAL, CC-NEWS-YYYY-MM and CC-NEWS-YYYY, and for the
 * PB-tree of 2012, url-index.1356128792. */
bool cfs_collection_is_name(const char *name);

/* True for CC-NEWS-YYYY, whose months are crawls, CC-NEWS-YYYY-01 to -12. */
bool cfs_collection_is_year(const char *name);

/* Where the captures of a crawl are found. */
enum cfs_collection_kind {
	CFS_COLLECTION_INDEX,	/* by an index */
	CFS_COLLECTION_LIST,	/* in archives, which a list names */
};

/*
 * The place of a crawl's index or list, and the folder that its archive names
 * are relative to.  base: folder or URL of a copy of Common Crawl's bucket;
 * NULL: the bucket itself.  Appends to place and data; false if there is no
 * such name, or no such place: CC-NEWS has no index, and only it and
 * CC-SUPPLEMENTAL are looked for by lists.
 */
bool cfs_collection_place(const char *name, enum cfs_collection_kind kind,
			  const char *base, struct cfs_buf *place,
			  struct cfs_buf *data);

/* Appends to data the folder of an index's archives, derived from the index's
 * URL, if it is one of Common Crawl's or of a copy; false for any other URL. */
bool cfs_collection_data(const char *url, struct cfs_buf *data);

struct cfs_collection {
	char id[64];			/* the name that a mount is given */
	char title[128];
	char from[24], to[24];		/* "2008-05-09T00:00:00", or empty */
};

/* The built-in list of crawls, as of June 2026: in the order of collinfo.json,
 * without titles.  *out is malloced.  CFS_ENOMEM. */
int cfs_collections_built_in(struct cfs_collection **out, size_t *n,
			     struct cfs_error *err);

/* The list stored at `path` (NULL: none), or else the built-in one. */
int cfs_collections_kept(const char *path, struct cfs_collection **out,
			 size_t *n, struct cfs_error *err);

/*
 * Appends "; is CC-MAIN-2024-10 or CC-MAIN-2024-18 meant?" for a name that is
 * not in the list but resembles names in it.  Appends nothing for a name that
 * does not resemble Common Crawl's.
 */
void cfs_collections_suggest(const struct cfs_collection *v, size_t n,
			     const char *name, struct cfs_buf *out);

/*
 * Parses a collinfo.json: an array of objects with id, name, from, to.  *out is
 * malloced, in the file's order; entries whose id is not a valid name are left
 * out.  CFS_EFORMAT; CFS_ENOMEM.
 */
int cfs_collections_parse(struct cfs_slice text, struct cfs_collection **out,
			  size_t *n, struct cfs_error *err);

#endif
