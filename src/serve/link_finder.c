/* link_finder.c - tells links to what was not captured from others (see
 * replayed.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl/target.h"
#include "replayed.h"
#include "url/lenient_url.h"
#include "url/url.h"

/* Less than a twentieth of a second's work. */
#define LOOKUPS_MAX 600u

void cfs_link_finder_init(struct cfs_link_finder *f, struct cfs_site *site)
{
	f->site = site;
	f->left = LOOKUPS_MAX;
	for (unsigned i = 0; i < site->n_crawls; i++)
		if (site->crawls[i]->cache != NULL)
			f->left = 0;
}

/* Sets *known to false where it is not certain that a URL is absent. */
static int look_up(struct cfs_link_finder *f, const char *url, bool *known,
		   struct cfs_ctx ctx)
{
	for (unsigned i = 0; i < f->site->n_crawls && *known; i++) {
		struct cfs_error own = CFS_ERROR_INIT;
		struct cfs_ctx c = CFS_CTX(ctx.cancel, &own);
		struct cfs_target t;
		int rc;

		*known = f->left > 0;
		if (!*known)
			break;
		f->left--;
		rc = cfs_target_init_typed(&t, f->site->crawls[i], url, c);
		if (rc == CFS_OK)
			rc = cfs_target_is_there(&t, c);
		cfs_target_release(&t);
		*known = rc == CFS_ENOTFOUND;
		if (rc == CFS_EINTR || rc == CFS_ENOMEM || rc == CFS_ETIMEOUT)
			return cfs_error_pass(ctx.err, &own, rc);
	}
	return CFS_OK;
}

int cfs_link_is_absent(struct cfs_link_finder *f, const char *url, bool *absent,
		       struct cfs_ctx ctx)
{
	CFS_BUF(other, 4 * CFS_URL_MAX);
	int rc;

	*absent = f->left > 0;
	rc = look_up(f, url, absent, ctx);
	for (unsigned i = 0; rc == CFS_OK && *absent &&
			     cfs_lenient_url(cfs_slice_str(url), i, &other);
	     i++) {
		rc = look_up(f, cfs_buf_str(&other), absent, ctx);
		cfs_buf_reset(&other);
	}
	if (rc != CFS_OK)
		*absent = false;
	return rc;
}
