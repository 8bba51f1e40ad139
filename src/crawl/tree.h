/* tree.h - the directory tree of a crawl: look up, list, name, describe.
 *
 * No state is kept between calls but caches that could be dropped at any time.
 * All calls may run on many threads at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_TREE_H
#define CFS_CRAWL_TREE_H

#include "crawl.h"
#include "names.h"
#include "node.h"

/* The root directory of a source. */
static inline struct cfs_node cfs_tree_root(unsigned source)
{
	return (struct cfs_node){ .type = CFS_NODE_DIR, .source = source };
}

/* The root directory of a search in a source (node.h). */
static inline struct cfs_node cfs_tree_search_root(unsigned source,
						   struct cfs_index *hits,
						   unsigned search)
{
	return (struct cfs_node){ .type = CFS_NODE_DIR, .source = source,
				  .hits = hits, .search = search };
}

/* Finds a name in a directory: in one of a search, only what is, or leads to, a
 * hit; a file's node is then that of the whole tree.  0; CFS_ENOTFOUND;
 * CFS_EIO, ... */
int cfs_tree_lookup(struct cfs_crawl *c, const struct cfs_node *dir,
		    struct cfs_slice name, struct cfs_node *out,
		    struct cfs_ctx ctx);

/*
 * Called for each name of a directory.  `cookie` resumes after this name.
 * Returns nonzero to stop: the name then does not count as delivered.
 */
typedef int cfs_tree_emit(void *arg, struct cfs_slice name,
			  const struct cfs_node *node, uint64_t cookie);

/* Lists a directory from `cookie` on; 0 is the beginning.  The caller adds "."
 * and "..".  The nodes of the first `captures` captures' files carry their
 * decoded entries, for a caller that wants attributes.  0 at the end or when
 * stopped, else a failure. */
int cfs_tree_list(struct cfs_crawl *c, const struct cfs_node *dir,
		  cfs_view_set views, uint64_t cookie, unsigned captures,
		  cfs_tree_emit *emit, void *arg, struct cfs_ctx ctx);
/* The same, but of a directory of host labels all hosts below are listed, each
 * by the names that lead to its pages: com/example/www/_. */
int cfs_tree_list_hosts(struct cfs_crawl *c, const struct cfs_node *dir,
			cfs_view_set views, uint64_t cookie,
			cfs_tree_emit *emit, void *arg, struct cfs_ctx ctx);

/* The captures below a directory. */
struct cfs_tree_total {
	uint64_t n;			/* counted */
	bool is_all;			/* there are no more */
	uint64_t more;			/* an estimate of the others; 0: not
					 * known */
};

/* Counts the captures below a directory, `max` at most.  0 or a failure of
 * reading, with what was counted before. */
int cfs_tree_count(struct cfs_crawl *c, const struct cfs_node *dir,
		   uint64_t max, struct cfs_tree_total *out,
		   struct cfs_ctx ctx);

/* Every cookie has this bit and none above it. */
#define CFS_COOKIE_BIT (UINT64_C(1) << 62)
/* The listing has stepped over damage: its end is a failure. */
#define CFS_COOKIE_HOLE (UINT64_C(1) << 61)
/* True for a failure of a listing that comes behind names: of damage, and of
 * what would have to be fetched. */
static inline bool cfs_tree_is_partial(int rc)
{
	return rc == CFS_EFORMAT || rc == CFS_ETOOLARGE;
}
#define CFS_COOKIE_SUB_BITS 4
/* The position of the entry whose name a cookie follows. */
static inline cfs_pos cfs_tree_cookie_pos(uint64_t cookie)
{
	return (cookie & ~(CFS_COOKIE_BIT | CFS_COOKIE_HOLE)) >>
	       CFS_COOKIE_SUB_BITS;
}

/* Tells whether `name`, which look-up does not find, is a `www` that the index
 * strips from host `dir`; then it means the directory itself.  0: it is;
 * CFS_ENOTFOUND; or a failure to find out. */
int cfs_tree_is_www(struct cfs_crawl *c, const struct cfs_node *dir,
		    struct cfs_slice name, struct cfs_ctx ctx);

/* The parent directory; the root is its own parent. */
int cfs_tree_parent(struct cfs_crawl *c, const struct cfs_node *n,
		    struct cfs_node *out, struct cfs_ctx ctx);

/* Follows a path of names, separated by '/', from the root. */
int cfs_tree_walk(struct cfs_crawl *c, struct cfs_slice path,
		  struct cfs_node *out, struct cfs_ctx ctx);

/* Appends the path of a node below the root, by the names that a listing shows
 * (the full form where a view is not listed under a plain name). */
int cfs_tree_path(struct cfs_crawl *c, const struct cfs_node *n,
		  struct cfs_buf *out, struct cfs_ctx ctx);

/* ---- paths of captures in a row ----
 *
 * cfs_tree_path reads the page and its neighbours.  For the captures of a whole
 * crawl that would read every entry of the index several times: here what is
 * known of a page and of its directory serves for the next capture, and reading
 * a page shows where the next one begins. */

/* Used by one thread. */
struct cfs_paths;

/* Begins; `views` are those whose paths will be asked for: all must be plain
 * (cfs_view_is_plain).  End it in any case.  0 or CFS_ENOMEM. */
int cfs_paths_begin(struct cfs_paths **out, struct cfs_crawl *c,
		    cfs_view_set views, struct cfs_ctx ctx);
void cfs_paths_end(struct cfs_paths *p);	/* accepts NULL */

/* Finds the page of a capture that the tree has.  Captures may come in any
 * order, but are found quickly in that of the index.  0; CFS_ENOTFOUND if such
 * a key is not in the tree; failures of reading. */
int cfs_paths_find(struct cfs_paths *p, const struct cfs_iter *it);

/* Appends the path of a view of the capture that was found last: the same as
 * that of cfs_tree_path.  Returns out->failed. */
int cfs_paths_add(const struct cfs_paths *p, enum cfs_view view,
		  struct cfs_buf *out);

/* Makes a capture's file that of the capture of its page which is nearest to a
 * moment (cfs_page_nearest).  0, or a failure of reading. */
int cfs_tree_nearest(struct cfs_crawl *c, struct cfs_node *file, int64_t moment,
		     struct cfs_ctx ctx);

/* Finds the node of a URL: the capture of its page that fits the URL best, raw
 * view.  CFS_ENOTFOUND. */
int cfs_tree_find_url(struct cfs_crawl *c, struct cfs_slice url,
		      struct cfs_node *out, struct cfs_ctx ctx);

#endif
