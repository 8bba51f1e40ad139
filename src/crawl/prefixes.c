/* prefixes.c - visits the entries of several prefixes, each entry once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "prefixes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "choices.h"

static int add_target(struct cfs_prefixes *p, const char *text,
		      struct cfs_ctx ctx)
{
	struct cfs_target *t;

	if (p->n == CFS_PREFIXES_MAX)
		return cfs_error_set(ctx.err, CFS_EUSAGE, "more than %u prefixes",
				     CFS_PREFIXES_MAX);
	if (cfs_array_reserve((void **)&p->v, &p->room, p->n + 1,
			      sizeof(struct cfs_target *),
			      CFS_PREFIXES_MAX) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	t = malloc(sizeof(*t));
	if (t == NULL)
		return cfs_error_nomem(ctx.err);
	p->v[p->n++] = t;
	return cfs_target_init(t, p->crawl, text, ctx);
}

int cfs_prefixes_add_page(struct cfs_prefixes *p, const char *text,
			  struct cfs_ctx ctx)
{
	int rc = add_target(p, text, ctx);

	if (rc == CFS_OK)
		cfs_target_make_page(p->v[p->n - 1]);
	return rc;
}

/* Parses "com.example, org.gnu", the form of trivio's lists.  A URL or a SURT
 * key may contain commas and is not split. */
static int prefixes_add_list(struct cfs_prefixes *p, char *text,
			     struct cfs_ctx ctx)
{
	char *rest = text, *word;
	int rc = CFS_OK;

	if (strstr(text, "://") != NULL || strchr(text, ')') != NULL)
		return add_target(p, text, ctx);
	while (rc == CFS_OK && (word = strsep(&rest, ",")) != NULL) {
		size_t n;

		word += strspn(word, " \t");
		for (n = strlen(word); n > 0 && strchr(" \t", word[n - 1]); n--)
			word[n - 1] = '\0';
		if (word[0] != '\0')
			rc = add_target(p, word, ctx);
	}
	return rc;
}

int cfs_prefixes_init(struct cfs_prefixes *p, struct cfs_crawl *crawl,
		      char **texts, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	*p = (struct cfs_prefixes){ .crawl = crawl };
	for (; rc == CFS_OK && *texts != NULL; texts++)
		rc = prefixes_add_list(p, *texts, ctx);
	return rc;
}

void cfs_prefixes_release(struct cfs_prefixes *p)
{
	for (size_t i = 0; i < p->n; i++) {
		cfs_target_release(p->v[i]);
		free(p->v[i]);
	}
	free(p->v);
	*p = (struct cfs_prefixes){ .n = 0 };
}

struct prefix_each {
	const struct cfs_prefixes *p;
	size_t current;
	cfs_target_fn *fn;
	void *arg;
	uint64_t entries;		/* entries of the current prefix */
	struct cfs_path entry;		/* scratch */
};

/* Skips entries that an earlier prefix covers: prefixes may overlap. */
static int on_entry(void *arg, const struct cfs_iter *it,
		    const struct cfs_capture *cap)
{
	struct prefix_each *e = arg;

	e->entries++;
	if (e->current > 0 && cfs_index_split(e->p->crawl->index, it->key,
					      &e->entry) == CFS_OK)
		for (size_t i = 0; i < e->current; i++)
			if (cfs_target_covers(e->p->v[i], &e->entry, it->pos))
				return CFS_OK;
	return e->fn(e->arg, it, cap);
}

int cfs_prefixes_each(const struct cfs_prefixes *p, struct cfs_holes *holes,
		      cfs_target_fn *fn, void *arg, struct cfs_ctx ctx)
{
	struct prefix_each *e = malloc(sizeof(*e));
	size_t n_holes;
	int rc = CFS_OK;

	if (e == NULL)
		return cfs_error_nomem(ctx.err);
	e->p = p;
	e->fn = fn;
	e->arg = arg;
	for (e->current = 0; rc == CFS_OK && e->current < p->n; e->current++) {
		const struct cfs_target *t = p->v[e->current];

		e->entries = 0;
		n_holes = cfs_holes_count(holes);
		rc = cfs_target_each(t, holes, on_entry, e, ctx);
		if (rc != CFS_OK || e->entries > 0 ||
		    cfs_holes_count(holes) > n_holes)
			continue;
		cfs_log(CFS_LOG_WARNING, "'%s': no page is there%s", t->text,
			cfs_crawl_pick_suffix(t->crawl));
		cfs_choices_log(t, ctx.cancel);
	}
	free(e);
	return rc;
}
