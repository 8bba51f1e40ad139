/* site.c - opens the crawls of a server, and follows paths in them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "site.h"

#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "base/hex.h"
#include "base/memo.h"
#include "crawl/tree.h"

/* Files of a folder are often asked for together, and some files often: where
 * paths of folders and files lead is remembered for 2^PLACES_BITS of them, in 1
 * MiB, if they are no longer than PLACE_PATH_MAX, as nearly all are. */
#define PLACES_BITS 12u
#define PLACE_PATH_MAX 184u
/* Titles of 2^TITLES_BITS pages, in 1 MiB: to read one takes longer than all
 * else of its row. */
#define TITLES_BITS 11u

struct known_place {
	struct cfs_site_place place;
	size_t n;
	uint8_t path[PLACE_PATH_MAX];
};

void cfs_site_close(struct cfs_site *s)
{
	if (s == NULL)
		return;
	cfs_overview_end(s);
	cfs_served_rest(s->ahead);
	cfs_handles_free(s->handles);
	cfs_searches_free(s->searches);
	cfs_served_close(s->crawls, s->names, s->ahead);
	cfs_memo_free(s->places);
	cfs_memo_free(s->titles);
	free(s->temp_dir);
	free(s->prefix);
	free(s);
}

/* Finds the path of the base URL. */
static int find_prefix(struct cfs_site *s, struct cfs_error *err)
{
	struct cfs_slice url, path = CFS_SLICE_EMPTY;
	ptrdiff_t slash;

	if (s->base_url != NULL) {
		url = cfs_slice_str(s->base_url);
		slash = cfs_slice_search(url, CFS_SLICE_LIT("://"));
		url = cfs_slice_from(url, (size_t)(slash + 3));
		slash = cfs_slice_find(url, '/');
		if (slash >= 0)
			path = cfs_slice_from(url, (size_t)slash);
		while (path.n > 0 && path.p[path.n - 1] == '/')
			path.n--;
	}
	s->prefix = strndup((const char *)path.p, path.n);
	return s->prefix != NULL ? CFS_OK : cfs_error_nomem(err);
}

int cfs_site_add_crawl(const struct cfs_site *s, unsigned crawl,
		       struct cfs_buf *out)
{
	if (s->n_crawls > 1) {
		cfs_buf_adds(out, s->names[crawl]);
		cfs_buf_addc(out, '/');
	}
	return out->failed;
}

int cfs_site_open(struct cfs_site **out, const struct cfs_site_opts *opts,
		  struct cfs_error *err)
{
	struct cfs_site *s = calloc(1, sizeof(*s));
	struct cfs_served_opts served = opts->served;
	char temp[PATH_MAX];
	const char *dir = cfs_crawl_temp_dir(&opts->served.crawl, temp);
	int rc;

	*out = NULL;
	if (s == NULL)
		return cfs_error_nomem(err);
	s->views = opts->views;
	s->base_url = opts->base_url;
	s->replay_url = opts->replay_url;
	s->download_bytes = opts->download_bytes;
	s->max_record_bytes = opts->served.crawl.max_record_bytes;
	s->started_at = time(NULL);
	s->budget = opts->served.crawl.budget;
	s->n_crawls = cfs_served_count(&opts->served);
	s->places = cfs_memo_new(PLACES_BITS, sizeof(struct known_place));
	s->titles = cfs_memo_new(TITLES_BITS, sizeof(struct cfs_known_title));
	s->handles = cfs_handles_new(s->crawls, s->budget);
	s->searches = cfs_searches_new(s->crawls, s->n_crawls, s->budget);
	served.handles = s->handles;
	served.searches = s->searches;
	rc = s->places == NULL || s->titles == NULL || s->handles == NULL ||
	     s->searches == NULL ? cfs_error_nomem(err) : find_prefix(s, err);
	if (rc == CFS_OK && dir != NULL)
		s->temp_dir = strdup(dir);
	if (rc == CFS_OK)
		rc = cfs_served_open(&served, s->crawls, s->names,
				     s->ahead, &s->timeout_ms, err);
	if (rc == CFS_OK)
		rc = cfs_overview_begin(s, err);
	if (rc == CFS_OK)
		*out = s;
	else
		cfs_site_close(s);
	return rc;
}

/* Decodes one name of a path.  CFS_ENOTFOUND if it can name nothing. */
static int decode_name(struct cfs_slice sent, struct cfs_buf *out)
{
	struct cfs_slice name;

	cfs_buf_reset(out);
	if (cfs_percent_decode(sent, false, out) != CFS_OK)
		return CFS_ENOTFOUND;	/* longer than any name */
	name = cfs_buf_slice(out);
	if (cfs_slice_find(name, '/') >= 0 || cfs_slice_find(name, '\0') >= 0 ||
	    cfs_slice_eq(name, CFS_SLICE_LIT(".")) ||
	    cfs_slice_eq(name, CFS_SLICE_LIT("..")))
		return CFS_ENOTFOUND;
	return CFS_OK;
}

/* Enters the crawl of a name in the top folder. */
static int enter_crawl(struct cfs_site *s, const char *name,
		       struct cfs_site_place *p)
{
	for (unsigned i = 0; i < s->n_crawls; i++) {
		if (strcmp(s->names[i], name) != 0)
			continue;
		p->is_top = false;
		p->crawl = s->crawls[i];
		p->node = cfs_tree_root(i);
		return CFS_OK;
	}
	return CFS_ENOTFOUND;
}

static int enter_name(struct cfs_site_place *p, struct cfs_slice name,
		      struct cfs_ctx ctx)
{
	struct cfs_node next;
	int rc;

	if (p->node.type != CFS_NODE_DIR)
		return CFS_ENOTFOUND;
	rc = cfs_tree_lookup(p->crawl, &p->node, name, &next, ctx);
	if (rc == CFS_OK) {
		next.cap = NULL;
		p->node = next;
	} else if (rc == CFS_ENOTFOUND) {	/* then the node stays */
		rc = cfs_tree_is_www(p->crawl, &p->node, name, ctx);
	}
	return rc;
}

/* The path of the folder that a path is in; empty for the top. */
static struct cfs_slice path_of_folder(struct cfs_slice path)
{
	ptrdiff_t slash = cfs_slice_rfind(path, '/');

	return cfs_slice_sub(path, 0, slash < 0 ? 0 : (size_t)slash);
}

/* True if it is known where a path leads. */
static bool recall_place(struct cfs_site *s, struct cfs_slice path,
			 struct cfs_site_place *out)
{
	struct known_place k;

	if (path.n == 0 || path.n > sizeof(k.path) ||
	    !cfs_memo_get(s->places, cfs_hash64(path, 0), &k) ||
	    !cfs_slice_eq(path, cfs_slice_of(k.path, k.n)))
		return false;
	k.place.has_slash = out->has_slash;
	*out = k.place;
	return true;
}

static void remember_place(struct cfs_site *s, struct cfs_slice path,
			   const struct cfs_site_place *place)
{
	struct known_place k;

	if (path.n == 0 || path.n > sizeof(k.path) || place->is_top)
		return;
	k.place = *place;
	k.n = path.n;
	memcpy(k.path, path.p, path.n);
	memset(k.path + path.n, 0, sizeof(k.path) - path.n);
	cfs_memo_put(s->places, cfs_hash64(path, 0), &k);
}

/* Goes along a path as far as it is known; what is left is returned. */
static struct cfs_slice recall_path(struct cfs_site *s, struct cfs_slice path,
				    struct cfs_slice folder,
				    struct cfs_site_place *out)
{
	if (recall_place(s, path, out))
		return CFS_SLICE_EMPTY;
	return recall_place(s, folder, out) ?
	       cfs_slice_from(path, folder.n + 1) : path;
}

/* A slash behind a file names nothing. */
static int check_slash(const struct cfs_site_place *p)
{
	return p->has_slash && !p->is_top && p->node.type == CFS_NODE_FILE ?
	       CFS_ENOTFOUND : CFS_OK;
}

int cfs_site_walk(struct cfs_site *s, struct cfs_slice path,
		  struct cfs_site_place *out, struct cfs_ctx ctx)
{
	struct cfs_slice folder = path_of_folder(path), whole = path;
	CFS_BUF(name, CFS_NAME_CLASH_MAX);
	int rc = CFS_OK;

	*out = (struct cfs_site_place){ .is_top = s->n_crawls > 1,
				   .crawl = s->crawls[0],
				   .node = cfs_tree_root(0) };
	out->has_slash = path.n == 0 || path.p[path.n - 1] == '/';
	path = recall_path(s, path, folder, out);
	while (path.n > 0 && rc == CFS_OK) {
		struct cfs_slice sent = cfs_slice_split(&path, '/');

		if (sent.n == 0) {	/* two slashes in a row name nothing */
			rc = CFS_ENOTFOUND;
			break;
		}
		rc = decode_name(sent, &name);
		if (rc == CFS_OK && out->is_top)
			rc = enter_crawl(s, cfs_buf_str(&name), out);
		else if (rc == CFS_OK)
			rc = enter_name(out, cfs_buf_slice(&name), ctx);
		if (rc == CFS_OK && sent.p + sent.n == folder.p + folder.n)
			remember_place(s, folder, out);
		else if (rc == CFS_OK && path.n == 0 && !out->has_slash)
			remember_place(s, whole, out);
	}
	return rc == CFS_OK ? check_slash(out) : rc;
}

/* ---- searches ------------------------------------------------------------ */

#define SEARCH_PATH CFS_SLICE_LIT(".crawlfs/search/")

bool cfs_site_is_search(struct cfs_slice path)
{
	return cfs_slice_starts(path, SEARCH_PATH) && path.n > SEARCH_PATH.n;
}

void cfs_site_place_copy(struct cfs_site *s, struct cfs_site_place *to,
			 const struct cfs_site_place *from)
{
	*to = *from;
	if (from->is_search)
		cfs_searches_use(s->searches, from->search);
	if (from->pin.ref != NULL)
		cfs_lru_hold(from->pin.ref);
}

void cfs_site_place_release(struct cfs_site *s, struct cfs_site_place *p)
{
	cfs_lru_put(p->pin.ref);
	if (p->is_search)
		cfs_searches_end(s->searches, p->search, 1);
	*p = (struct cfs_site_place){ .is_top = true };
}

/* Enters the tree of what a query has found in crawl i. */
static int enter_found(struct cfs_site *s, unsigned i, struct cfs_site_place *p,
		       struct cfs_ctx ctx)
{
	int rc = cfs_searches_get(s->searches, p->search, i, &p->pin, ctx);

	if (rc != CFS_OK)
		return rc;
	p->is_top = false;
	p->crawl = s->crawls[i];
	p->node = cfs_tree_search_root(i, p->pin.ix, p->search);
	return CFS_OK;
}

/* Enters the folder of a query, whose name is the first one of *path. */
static int enter_query(struct cfs_site *s, struct cfs_slice *path,
		       struct cfs_site_place *p, struct cfs_ctx ctx)
{
	CFS_BUF(name, CFS_NAME_CLASH_MAX);
	bool is_new;
	int rc = decode_name(cfs_slice_split(path, '/'), &name);

	if (rc == CFS_OK)
		rc = cfs_searches_enter(s->searches, cfs_buf_slice(&name),
					&p->search, &is_new, ctx);
	p->is_search = rc == CFS_OK;
	p->top = CFS_TOP_FOUND;
	if (rc == CFS_OK && s->n_crawls == 1) {
		rc = enter_found(s, 0, p, ctx);
	} else if (rc == CFS_OK && path->n > 0) {
		rc = decode_name(cfs_slice_split(path, '/'), &name);
		if (rc == CFS_OK)
			rc = enter_crawl(s, cfs_buf_str(&name), p);
		if (rc == CFS_OK)
			rc = enter_found(s, p->node.source, p, ctx);
	}
	return rc;
}

int cfs_site_walk_search(struct cfs_site *s, struct cfs_slice path,
			 struct cfs_site_place *out, struct cfs_ctx ctx)
{
	struct cfs_slice whole = path;
	CFS_BUF(name, CFS_NAME_CLASH_MAX);
	int rc;

	*out = (struct cfs_site_place){ .is_top = true };
	if (!cfs_slice_eq(cfs_slice_split(&path, '/'),
			  CFS_SLICE_LIT(".crawlfs")))
		return cfs_site_walk(s, whole, out, ctx);
	out->has_slash = whole.p[whole.n - 1] == '/';
	if (!cfs_slice_eq(cfs_slice_split(&path, '/'), CFS_SLICE_LIT("search")))
		return CFS_ENOTFOUND;
	out->top = CFS_TOP_QUERIES;
	if (path.n == 0)
		return CFS_OK;
	rc = enter_query(s, &path, out, ctx);
	while (rc == CFS_OK && path.n > 0) {
		rc = decode_name(cfs_slice_split(&path, '/'), &name);
		if (rc == CFS_OK)
			rc = enter_name(out, cfs_buf_slice(&name), ctx);
	}
	return rc == CFS_OK ? check_slash(out) : rc;
}
