/* picked.c - hides the captures of an index that are not picked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "picked.h"

#include <stdlib.h>

#include "filter.h"

struct picked {
	struct cfs_index base;
	struct cfs_index_ops ops;
	struct cfs_conditions conditions;
};

static int picked_capture(struct cfs_iter *it, struct cfs_capture *out,
			  struct cfs_error *err)
{
	const struct picked *p = (const struct picked *)it->ix;
	int rc = cfs_filter_capture(it, out, err);
	struct cfs_traits t;

	if (rc != CFS_OK)
		return rc;
	t = cfs_traits_of(out);
	return cfs_conditions_failed(&p->conditions, &t) != 0 ?
		       CFS_ENOTFOUND : CFS_OK;
}

static bool picked_shows(struct cfs_iter *it)
{
	struct cfs_capture cap;

	return picked_capture(it, &cap, NULL) != CFS_ENOTFOUND;
}

static void picked_close(struct cfs_index *ix)
{
	struct picked *p = (struct picked *)ix;

	cfs_filter_close(ix);
	cfs_conditions_release(&p->conditions);
	free(p);
}

/* Refuses conditions on what the index does not have. */
static int picked_check(const struct cfs_index *ix, unsigned given,
			struct cfs_error *err)
{
	if ((given & (CFS_CONDITION_STATUS | CFS_CONDITION_MIME)) != 0 &&
	    !ix->has_status)
		return cfs_error_at(err, CFS_EUNSUPPORTED, ix->src->name, 0,
				    "has no statuses and types to pick by: "
				    "index its archives with 'crawlfs index'");
	if ((given & CFS_CONDITION_LANGUAGE) != 0 && !ix->has_languages)
		return cfs_error_at(err, CFS_EUNSUPPORTED, ix->src->name, 0,
				    "has no languages to pick by: CDXJ and "
				    "ZipNum indexes of Common Crawl have them");
	return CFS_OK;
}

int cfs_picked_wrap(struct cfs_index **ix, const struct cfs_conditions *c,
		    struct cfs_error *err)
{
	struct cfs_index *all = *ix;
	unsigned given = cfs_conditions_given(c);
	struct picked *p;
	int rc;

	if (given == 0)
		return CFS_OK;
	rc = picked_check(all, given, err);
	if (rc != CFS_OK)
		return rc;
	p = malloc(sizeof(*p));
	if (p == NULL)
		return cfs_error_nomem(err);
	/* base shares the source of `all`, which closes it.  If `all` has all
	 * sizes, so have the captures that remain. */
	*p = (struct picked){ .base = *all, .ops = cfs_filter_ops(all->ops) };
	if (cfs_conditions_copy(&p->conditions, c) != CFS_OK) {
		cfs_conditions_release(&p->conditions);
		free(p);
		return cfs_error_nomem(err);
	}
	p->ops.capture = picked_capture;
	p->ops.shows = picked_shows;
	p->ops.close = picked_close;
	p->base.ops = &p->ops;
	p->base.unpicked = all;
	*ix = &p->base;
	return CFS_OK;
}
