/* folder.c - reads the names of a folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "folder.h"

#include "crawl/tree.h"

/* At least the name of one host. */
#define NAMES_BYTES \
	(CFS_FOLDER_BATCH * (size_t)CFS_NAME_CLASH_MAX + 4 * CFS_KEY_MAX)

void cfs_folder_init(struct cfs_folder *f, struct cfs_site *site,
		     const struct cfs_site_place *place, cfs_view_set views)
{
	*f = (struct cfs_folder){ .site = site, .views = views };
	cfs_site_place_copy(site, &f->place, place);
	cfs_buf_init(&f->names, NAMES_BYTES);
}

void cfs_folder_release(struct cfs_folder *f)
{
	cfs_site_place_release(f->site, &f->place);
	cfs_buf_release(&f->names);
}

/* Slices into `names` are set when the batch is complete, since it may move:
 * until then they hold lengths only. */
static int add_name(void *arg, struct cfs_slice name,
		    const struct cfs_node *node, uint64_t cookie)
{
	struct cfs_folder *f = arg;

	f->is_full = f->n == CFS_FOLDER_BATCH ||
		     name.n > NAMES_BYTES - f->names.n;
	if (f->is_full || cfs_buf_add(&f->names, name) != CFS_OK)
		return 1;
	f->v[f->n] = (struct cfs_folder_name){ .name = CFS_SLICE_EMPTY,
					       .node = *node };
	f->v[f->n].name.n = name.n;
	f->v[f->n++].node.cap = NULL;
	f->cookie = cookie;
	return 0;
}

static void add_sources(struct cfs_folder *f)
{
	while (f->cookie < f->site->n_crawls) {
		unsigned i = (unsigned)f->cookie;
		struct cfs_node root = cfs_tree_root(i);

		if (add_name(f, cfs_slice_str(f->site->names[i]), &root,
			     f->cookie + 1) != 0)
			return;
	}
}

/* Adds the queries that are in use. */
static void add_queries(struct cfs_folder *f)
{
	unsigned number = (unsigned)f->cookie;
	struct cfs_node root = cfs_tree_root(0);
	CFS_BUF(name, CFS_NAME_CLASH_MAX);

	while (cfs_searches_next(f->site->searches, &number, &name) == CFS_OK &&
	       add_name(f, cfs_buf_slice(&name), &root, number + 1) == 0) {
		number++;
		cfs_buf_reset(&name);
	}
}

/* Adds the crawls in which a query has found something. */
static int add_found(struct cfs_folder *f, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && f->cookie < f->site->n_crawls) {
		unsigned i = (unsigned)f->cookie++;
		struct cfs_node root = cfs_tree_root(i);
		struct cfs_search_hits pin;

		rc = cfs_searches_get(f->site->searches, f->place.search, i,
				      &pin, ctx);
		if (rc == CFS_OK && pin.n > 0)
			add_name(f, cfs_slice_str(f->site->names[i]), &root,
				 i + 1);
		cfs_lru_put(pin.ref);
	}
	return rc;
}

/* Adds the names of a folder that is no crawl's. */
static int add_top(struct cfs_folder *f, struct cfs_ctx ctx)
{
	if (f->place.top == CFS_TOP_FOUND)
		return add_found(f, ctx);
	if (f->place.top == CFS_TOP_QUERIES)
		add_queries(f);
	else
		add_sources(f);
	return CFS_OK;
}

static int read_batch(struct cfs_folder *f, struct cfs_ctx ctx)
{
	size_t at = 0;
	int rc = CFS_OK;

	f->n = f->at = 0;
	f->is_full = false;
	cfs_buf_reset(&f->names);
	if (f->place.is_top)
		rc = add_top(f, ctx);
	else if (f->by_host)
		rc = cfs_tree_list_hosts(f->place.crawl, &f->place.node,
					 f->views, f->cookie, add_name, f, ctx);
	else
		rc = cfs_tree_list(f->place.crawl, &f->place.node,
				   f->views, f->cookie, 0, add_name, f,
				   ctx);
	/* that names are missing is told behind the others: the next batch has
	 * none, and fails again */
	if (cfs_tree_is_partial(rc) && f->n > 0) {
		cfs_error_clear(ctx.err);
		rc = CFS_OK;
	} else {
		f->is_over = !f->is_full && rc == CFS_OK;
	}
	if (rc == CFS_OK)
		rc = f->names.failed;
	for (unsigned i = 0; i < f->n; i++) {
		f->v[i].name.p = f->names.p + at;
		at += f->v[i].name.n;
	}
	return rc;
}

int cfs_folder_next(struct cfs_folder *f, const struct cfs_folder_name **out,
		    struct cfs_ctx ctx)
{
	if (f->at == f->n) {
		int rc = f->is_over ? CFS_END : read_batch(f, ctx);

		if (rc != CFS_OK)
			return rc;
	}
	if (f->at == f->n)
		return CFS_END;
	*out = &f->v[f->at++];
	return CFS_OK;
}

struct cfs_crawl *cfs_folder_crawl(const struct cfs_folder *f,
				   const struct cfs_folder_name *name)
{
	return f->site->crawls[name->node.source];
}
