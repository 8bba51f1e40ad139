/* limits.c - limits an opened crawl to what is picked.
 *
 * A prefix is a target (target.h), found in the whole crawl, with its other
 * readings.  Its ranges of keys become those of a part of the index; the keys
 * in them that it does not cover are told by their components.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "index/picked.h"
#include "prefixes.h"

/* Prefixes in one limit. */
#define LIMIT_PREFIXES_MAX 1024u

/* Prefixes, and what they borrow from. */
struct prefix_lines {
	struct cfs_prefixes p;
	char *text;			/* the lines, each ended by NUL */
	char *lines[LIMIT_PREFIXES_MAX + 1];
};

/* Lists of prefixes, of which each has to cover a key. */
struct limit_prefixes {
	struct cfs_index *whole;	/* to split keys; borrowed */
	struct prefix_lines of[2];
	size_t n;
};

static void limit_prefixes_free(void *arg)
{
	struct limit_prefixes *l = arg;

	for (size_t i = 0; i < l->n; i++) {
		cfs_prefixes_release(&l->of[i].p);
		free(l->of[i].text);
	}
	free(l);
}

static bool covers_path(const struct cfs_prefixes *p,
			const struct cfs_path *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (cfs_target_covers(p->v[i], path, CFS_POS_NONE))
			return true;
	return false;
}

static bool limit_covers(const void *arg, struct cfs_slice key)
{
	const struct limit_prefixes *l = arg;
	struct cfs_path path;
	bool is_covered = cfs_index_split(l->whole, key, &path) == CFS_OK;

	for (size_t i = 0; i < l->n && is_covered; i++)
		is_covered = covers_path(&l->of[i].p, &path);
	return is_covered;
}

static int split_lines(struct prefix_lines *l, const char *lines,
		       struct cfs_error *err)
{
	size_t n = 0;
	char *rest;

	rest = l->text = strdup(lines);
	if (rest == NULL)
		return cfs_error_nomem(err);
	while (rest != NULL && n < LIMIT_PREFIXES_MAX) {
		char *line = strsep(&rest, "\n");

		if (line[0] != '\0')
			l->lines[n++] = line;
	}
	return rest == NULL || rest[0] == '\0' ? CFS_OK :
	       cfs_error_set(err, CFS_EUSAGE, "more than %u prefixes",
			     LIMIT_PREFIXES_MAX);
}

/* A file of the tree stands for its page: numbers of captures are those of the
 * whole page, whatever is shown of it. */
static void widen_file(struct cfs_target *t)
{
	if (t->kind != CFS_TARGET_NODE || t->node.type != CFS_NODE_FILE)
		return;
	t->kind = CFS_TARGET_URL;
	t->page = true;
}

static int warn_if_none(const struct cfs_target *t, struct cfs_ctx ctx)
{
	int rc = cfs_target_is_there(t, ctx);

	if (rc == CFS_ENOTFOUND)
		cfs_log(CFS_LOG_WARNING, "'%s': no page is there", t->text);
	return rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

static int find_keys(struct prefix_lines *l, struct cfs_crawl *c,
		     const char *lines, struct cfs_key_runs *out,
		     struct cfs_ctx ctx)
{
	int rc = split_lines(l, lines, ctx.err);

	if (rc == CFS_OK)
		rc = cfs_prefixes_init(&l->p, c, l->lines, ctx);
	for (size_t i = 0; rc == CFS_OK && i < l->p.n; i++) {
		widen_file(l->p.v[i]);
		rc = cfs_target_runs(l->p.v[i], out, ctx);
		if (rc == CFS_OK)
			rc = warn_if_none(l->p.v[i], ctx);
	}
	if (rc == CFS_OK)
		cfs_key_runs_settle(out);
	return rc;
}

/* Adds a list of prefixes, and leaves of `runs` what it covers, too. */
static int add_list(struct limit_prefixes *l, struct cfs_crawl *c,
		    const char *lines, struct cfs_key_runs *runs,
		    struct cfs_ctx ctx)
{
	struct cfs_key_runs first = *runs, own;
	int rc;

	if (lines == NULL)
		return CFS_OK;
	cfs_key_runs_init(&own);
	rc = find_keys(&l->of[l->n++], c, lines, &own, ctx);
	if (l->n == 1) {
		*runs = own;
		return rc;
	}
	cfs_key_runs_init(runs);
	if (rc == CFS_OK &&
	    cfs_key_runs_add_common(runs, &first, &own) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	cfs_key_runs_settle(runs);
	cfs_key_runs_release(&first);
	cfs_key_runs_release(&own);
	return rc;
}

static int limit_to_prefixes(struct cfs_crawl *c,
			     const struct cfs_crawl_opts *opts,
			     struct cfs_ctx ctx)
{
	struct limit_prefixes *l = calloc(1, sizeof(*l));
	struct cfs_part_keys keys = { .covers = limit_covers,
				      .free = limit_prefixes_free, .arg = l };
	struct cfs_index *whole = c->index;
	int rc;

	if (l == NULL)
		return cfs_error_nomem(ctx.err);
	l->whole = whole;
	cfs_key_runs_init(&keys.runs);
	rc = add_list(l, c, opts->prefixes, &keys.runs, ctx);
	if (rc == CFS_OK)
		rc = add_list(l, c, opts->within, &keys.runs, ctx);
	if (rc != CFS_OK) {
		cfs_part_keys_release(&keys);
		return rc;
	}
	c->index = NULL;		/* taken over */
	return cfs_part_open_keys(&c->index, whole, &keys, ctx.err);
}

/* Conditions that hide captures come below prefixes and parts, which determine
 * the captures of pages from what is below them. */
int cfs_crawl_limit(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
		    struct cfs_error *err)
{
	struct cfs_ctx ctx = CFS_CTX(opts->cancel, err);
	struct cfs_hidden *hidden = NULL;
	struct cfs_index *ix;
	int rc = CFS_OK;

	if (opts->conditions != NULL)
		c->picked_by = cfs_conditions_given(opts->conditions);
	if (opts->dedup != CFS_DEDUP_NONE)
		c->picked_by |= CFS_CONDITION_FIRST;
	if (opts->prefixes != NULL || opts->within != NULL)
		c->picked_by |= CFS_CONDITION_PREFIX;
	if ((c->picked_by & ~CFS_CONDITION_PREFIX) != 0)
		rc = cfs_picked_wrap(&c->index, opts->conditions,
				     opts->dedup != CFS_DEDUP_NONE ? &hidden :
								     NULL, err);
	if (rc == CFS_OK && (c->picked_by & CFS_CONDITION_PREFIX) != 0)
		rc = limit_to_prefixes(c, opts, ctx);
	if (rc == CFS_OK && opts->dedup != CFS_DEDUP_NONE)
		rc = cfs_dedup_find(c, hidden, opts, err);
	if (rc != CFS_OK)
		return rc;
	ix = c->index;
	c->index = NULL;		/* taken over */
	return cfs_part_open(&c->index, ix, opts->part, ctx);
}
