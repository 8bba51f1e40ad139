/* mcp_list.c - the tool list: the names in a folder of the tree.
 *
 * A page has one name for each of its captures; its views are read by that name
 * (mcp_read.c), and are not listed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>

#include "base/timestamp.h"
#include "crawl/file_info.h"
#include "mcp_internal.h"

struct mcp_listing {
	struct cfs_mcp_call *c;
	unsigned source;
	struct cfs_crawl *crawl;
	struct cfs_buf dir;		/* its path, with a slash at its end */
	uint64_t cookie;		/* of the last name */
};

static void add_facts(struct mcp_listing *l, struct cfs_json *j,
		      const struct cfs_node *node)
{
	char when[CFS_TIME_ISO_BYTES];
	struct cfs_file_info info;

	if (cfs_file_info_get(l->crawl, node, &info,
			      CFS_CTX(l->c->ctx.cancel, NULL)) != CFS_OK)
		return;
	cfs_buf_addf(&l->c->line, "\t%s%" PRIu64,
		     info.size_kind == CFS_SIZE_GUESS ? "~" : "", info.size);
	cfs_json_put_uint(j, "size", info.size);
	if (info.mtime == 0)
		return;
	cfs_time_format_iso(info.mtime, when);
	cfs_buf_addf(&l->c->line, "\t%.10s", when);
	cfs_json_put_time(j, "time", info.mtime);
}

/* As cfs_tree_emit. */
static int add_name(void *arg, struct cfs_slice name,
		    const struct cfs_node *node, uint64_t cookie)
{
	struct mcp_listing *l = arg;
	struct cfs_json *j = cfs_mcp_item_begin(l->c);
	bool is_dir = node->type == CFS_NODE_DIR;
	size_t dir_n = l->dir.n, begin = l->c->line.n;

	/* a name that is not text is given as a URI of its path */
	cfs_mcp_add_ref(&l->c->line, name);
	if (!cfs_slice_eq(cfs_buf_slice(&l->c->line), name)) {
		l->c->line.n = begin;
		cfs_buf_add(&l->dir, name);
		cfs_mcp_add_ref(&l->c->line, cfs_buf_slice(&l->dir));
		l->dir.n = dir_n;
	}
	if (is_dir)
		cfs_buf_addc(&l->c->line, '/');
	cfs_json_put_str(j, "name", cfs_buf_slice(&l->c->line));
	if (!is_dir)
		add_facts(l, j, node);
	if (!cfs_mcp_item_end(l->c))
		return 1;
	l->cookie = cookie;
	return 0;
}

static void begin_list(struct mcp_listing *l)
{
	CFS_BUF(path, 12 * (size_t)CFS_KEY_MAX);

	cfs_mcp_add_ref(&path, cfs_buf_slice(&l->dir));
	cfs_json_put_str(&l->c->j, "path", cfs_buf_slice(&path));
	cfs_mcp_say(l->c, "[names in ");
	cfs_mcp_say_text(l->c, cfs_buf_slice(&path), CFS_MCP_URL_CHARS);
	cfs_mcp_say(l->c, "; of files: bytes, date]\n");
	cfs_json_begin(&l->c->j, "entries", '[');
}

/* Why names are missing is told behind all that can be listed. */
static int end_list(struct mcp_listing *l, int rc,
		    const struct cfs_error *error)
{
	cfs_json_close(&l->c->j, ']');
	if (l->c->is_full)
		cfs_mcp_more(l->c, "more names are left", "cursor", l->cookie,
			     true);
	if (!cfs_tree_is_partial(rc) || l->c->items == 0)
		return cfs_error_pass(l->c->ctx.err, error, rc);
	cfs_mcp_say(l->c, "[names are missing: %s]\n",
		    rc == CFS_EFORMAT ? "the index is damaged" : error->text);
	cfs_json_put_true(&l->c->j, "is_incomplete");
	return CFS_OK;
}

static int list_folder(struct cfs_mcp_call *c, unsigned source,
		       const struct cfs_target *t, void *arg)
{
	struct mcp_listing *l = arg;
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_node dir;
	int rc = cfs_target_dir(t, &dir, c->ctx);

	if (rc == CFS_ENOTFOUND)
		return cfs_error_set(c->ctx.err, rc, "'%.200s' is no folder: "
				     "'captures' finds pages, and 'read' reads "
				     "one", t->text);
	l->crawl = t->crawl;
	l->source = source;
	cfs_mcp_begin_path(c->m, source, &l->dir);
	if (rc == CFS_OK)
		rc = cfs_tree_path(t->crawl, &dir, &l->dir, c->ctx);
	if (rc == CFS_OK && dir.depth > 0)
		cfs_buf_addc(&l->dir, '/');
	if (rc == CFS_OK)
		rc = cfs_mcp_cursor(c, &l->cookie);
	if (rc != CFS_OK)
		return rc;
	begin_list(l);
	rc = cfs_tree_list(t->crawl, &dir, 1u << CFS_VIEW_RAW, l->cookie, 0,
			   add_name, l, CFS_CTX(c->ctx.cancel, &own));
	return end_list(l, rc, &own);
}

/* Lists the crawls. */
static int list_top(struct mcp_listing *l)
{
	static const struct cfs_error none = CFS_ERROR_INIT;
	const struct cfs_mcp *m = l->c->m;
	int rc = cfs_mcp_cursor(l->c, &l->cookie);

	if (rc != CFS_OK)
		return rc;
	begin_list(l);
	for (unsigned i = 0; i < m->n; i++) {
		const struct cfs_node root = cfs_tree_root(i);

		add_name(l, cfs_slice_str(m->names[i]), &root, i + 1);
	}
	return end_list(l, CFS_OK, &none);
}

int cfs_mcp_list(struct cfs_mcp_call *c)
{
	struct mcp_listing l = { .c = c };
	int rc;

	cfs_buf_init(&l.dir, 5 * (size_t)CFS_KEY_MAX);
	if (cfs_mcp_is_top(c, CFS_MCP_PATH))
		rc = list_top(&l);
	else
		rc = cfs_mcp_with(c, CFS_MCP_PATH, list_folder, &l);
	cfs_buf_release(&l.dir);
	return rc;
}
