/* views_helper.c - lists a crawl with every two views, for views_test.sh.
 *
 *     views_helper SOURCE [DATA]
 *
 * Two views together have the names that each has alone.  A listing is also
 * taken name by name, each time resumed; each name is looked up and read.  All
 * names of all views are printed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "crawl/content.h"
#include "crawl/crawl.h"
#include "crawl/file_info.h"
#include "crawl/tree.h"
#include "tests/program.h"

#define NAMES_MAX 20000u

struct helper_name {
	char *path;			/* of its folder and the name */
	struct cfs_node node;
	unsigned folder;
};

/* The names of a tree with some views, folder by folder. */
struct helper_list {
	struct cfs_crawl *c;
	struct helper_name *v;
	size_t n;
	size_t once;			/* deliver no more than this many */
	uint64_t cookie;
	const char *below;
	unsigned folder;
};

static struct cfs_error err = CFS_ERROR_INIT;

static void helper_die(const char *what, const char *name)
{
	char line[512];

	cfs_error_line(&err, line, sizeof(line));
	printf("%s: %s: %s\n", what, name, line);
	exit(1);
}

static int helper_on_name(void *arg, struct cfs_slice name,
			  const struct cfs_node *node, uint64_t cookie)
{
	struct helper_list *l = arg;
	struct helper_name *out;
	size_t below_n = strlen(l->below), n = below_n + name.n;

	if (l->once-- == 0)
		return 1;
	if (l->n == NAMES_MAX)
		helper_die("too many names", l->below);
	out = &l->v[l->n++];
	out->path = calloc(1, n + 2);
	out->node = *node;
	out->node.cap = NULL;
	out->folder = l->folder;
	if (out->path == NULL)
		helper_die("no memory", l->below);
	memcpy(out->path, l->below, below_n);
	memcpy(out->path + below_n, name.p, name.n);
	if (node->type == CFS_NODE_DIR)
		out->path[n] = '/';
	l->cookie = cookie;
	return 0;
}

/* Lists one folder, whole or (once: 1) name by name. */
static void helper_folder(struct helper_list *l, const struct cfs_node *dir,
			  cfs_view_set views, size_t once)
{
	size_t before;

	l->cookie = 0;
	do {
		before = l->n;
		l->once = once;
		if (cfs_tree_list(l->c, dir, views, l->cookie, 8,
				  helper_on_name, l, CFS_CTX(NULL, &err)) !=
		    CFS_OK)
			helper_die("cannot list", l->below);
	} while (once == 1 && l->n > before);
}

/* Lists the whole tree: the names are also the queue of folders. */
static void helper_tree(struct helper_list *l, struct cfs_crawl *c,
			cfs_view_set views, size_t once)
{
	struct cfs_node root = cfs_tree_root(0);

	*l = (struct helper_list){ .c = c, .below = "" };
	l->v = calloc(NAMES_MAX, sizeof(*l->v));
	if (l->v == NULL)
		helper_die("no memory", "");
	helper_folder(l, &root, views, once);
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].node.type != CFS_NODE_DIR)
			continue;
		l->below = l->v[i].path;
		l->folder = (unsigned)i + 1;
		helper_folder(l, &l->v[i].node, views, once);
	}
}

static void helper_free(struct helper_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
}

static int helper_by_path(const void *a, const void *b)
{
	return strcmp(((const struct helper_name *)a)->path,
		      ((const struct helper_name *)b)->path);
}

/* Merges two sorted lists and compares them with a third. */
static void helper_union(const struct helper_list *a,
			 const struct helper_list *b,
			 const struct helper_list *both, const char *what)
{
	size_t i = 0, k = 0;

	for (size_t n = 0; n < both->n; n++) {
		bool in_a = i < a->n &&
			    helper_by_path(&a->v[i], &both->v[n]) == 0;
		bool in_b = k < b->n &&
			    helper_by_path(&b->v[k], &both->v[n]) == 0;

		if (!in_a && !in_b)
			helper_die(what, both->v[n].path);
		i += in_a;
		k += in_b;
	}
	if (i != a->n || k != b->n)
		helper_die(what, "names are missing");
}

static void helper_sort(struct helper_list *l)
{
	qsort(l->v, l->n, sizeof(*l->v), helper_by_path);
}

/* Looks a name up in its folder, and reads the file. */
static void helper_read(struct cfs_crawl *c, const struct helper_list *l,
			const struct helper_name *n)
{
	struct cfs_node dir = cfs_tree_root(0), found;
	struct cfs_slice name = cfs_slice_str(n->path);
	struct cfs_file_bytes bytes;
	struct cfs_file_info info;
	int rc;

	if (n->node.type == CFS_NODE_DIR)
		name.n--;
	name = cfs_slice_from(name, (size_t)(cfs_slice_rfind(name, '/') + 1));
	if (n->folder > 0)
		dir = l->v[n->folder - 1].node;
	rc = cfs_tree_lookup(c, &dir, name, &found, CFS_CTX(NULL, &err));
	if (rc != CFS_OK || found.pos != n->node.pos ||
	    found.view != n->node.view || found.type != n->node.type)
		helper_die("looked up, it is another", n->path);
	if (n->node.type == CFS_NODE_DIR)
		return;
	if (cfs_file_info_get(c, &found, &info, CFS_CTX(NULL, &err)) != CFS_OK)
		helper_die("no size", n->path);
	rc = cfs_content_load(c, &found, &c->view, &bytes, CFS_CTX(NULL, NULL));
	if (rc == CFS_OK && info.size_kind == CFS_SIZE_EXACT &&
	    info.size != cfs_file_bytes_size(&bytes))
		helper_die("another size", n->path);
	cfs_file_bytes_release(&bytes);
}

static void helper_pairs(struct cfs_crawl *c,
			 const struct helper_list alone[CFS_VIEW_COUNT])
{
	struct helper_list both;
	char what[64];

	for (unsigned a = CFS_VIEW_RAW; a < CFS_VIEW_COUNT; a++) {
		for (unsigned b = CFS_VIEW_RAW; b < CFS_VIEW_COUNT; b++) {
			if (a == CFS_VIEW_URL || b == CFS_VIEW_URL || a == b)
				continue;
			snprintf(what, sizeof(what), "%s:%s",
				 cfs_view_name(a), cfs_view_name(b));
			helper_tree(&both, c, 1u << a | 1u << b,
				    a < b ? 1 : NAMES_MAX);
			helper_sort(&both);
			helper_union(&alone[a], &alone[b], &both, what);
			helper_free(&both);
		}
	}
}

PROGRAM(argc, argv)
{
	struct cfs_crawl_opts opts = { .no_cache = true };
	struct helper_list alone[CFS_VIEW_COUNT] = { 0 }, all;
	struct cfs_crawl *c;

	if (argc < 2)
		return 2;
	opts.data = argc > 2 ? argv[2] : NULL;
	if (cfs_crawl_open(&c, argv[1], &opts, &err) != CFS_OK)
		helper_die("cannot open", argv[1]);
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		if (v == CFS_VIEW_URL)
			continue;
		helper_tree(&alone[v], c, 1u << v, NAMES_MAX);
		helper_sort(&alone[v]);
	}
	helper_pairs(c, alone);
	helper_tree(&all, c, CFS_VIEWS_ALL, NAMES_MAX);
	for (size_t i = 0; i < all.n; i++) {
		helper_read(c, &all, &all.v[i]);
		puts(all.v[i].path);
	}
	helper_free(&all);
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++)
		helper_free(&alone[v]);
	cfs_crawl_close(c);
	return 0;
}
