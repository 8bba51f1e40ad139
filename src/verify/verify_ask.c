/* verify_ask.c - asks servers for the state of archives that were verified.
 *
 * Each archive takes a request that bypasses the block cache, which may keep
 * the old state.  If a server sends neither ETag nor date, the size alone
 * decides.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_ask.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/pool.h"
#include "net/open_location.h"
#include "record/zipped.h"

#define THREADS 16u

struct record_asking {
	struct cfs_verify_plan *plan;
	struct cfs_verify_reader *r;
	const struct cfs_verify_report *report;
	struct cfs_verify_unit **units;
};

/* The URL of an archive, or of the WACZ that contains it; malloced.  NULL: it
 * has none, or out of memory. */
static char *verify_ask_url_of(const struct record_asking *a,
			       const struct cfs_verify_unit *u,
			       const struct cfs_cancel *cancel)
{
	struct cfs_slice file = cfs_slice_str(u->location), member;
	struct cfs_source *src;
	char *url = NULL;

	if (!u->is_stored) {
		(void)cfs_zipped_split(file, &file, &member);
		return strndup((const char *)file.p, file.n);
	}
	if (cfs_store_source(a->r->opts->store, file, &src,
			     CFS_CTX(cancel, NULL)) !=
	    CFS_OK)
		return NULL;
	if (src->url != NULL)
		url = strdup(src->url);
	cfs_source_close(src);
	return url;
}

/* Asks about one archive.  Leaves most failures to reading, which reports
 * them. */
static int verify_ask_ask_one(void *arg, size_t i, unsigned thread,
			      struct cfs_ctx ctx)
{
	const struct record_asking *a = arg;
	struct cfs_verify_unit *u = a->units[i];
	char *url = verify_ask_url_of(a, u, ctx.cancel);
	struct cfs_source *src = NULL;
	uint64_t state = 0;
	int rc = url != NULL ? cfs_location_open(&src, url, ctx.err) : CFS_OK;

	(void)thread;
	if (rc == CFS_OK && src != NULL)
		rc = cfs_source_find_size(src, ctx);
	if (rc == CFS_OK && src != NULL)
		state = cfs_verify_state_of(src);
	cfs_source_close(src);
	free(url);
	if (rc != CFS_OK)
		return cfs_verify_is_fatal(u, rc) ? rc : CFS_OK;
	if (state == 0 || cfs_verify_report_is_of(a->report, u->name, state))
		return CFS_OK;
	u->state = state;
	if (a->plan->opts->only_added)	/* otherwise logged when its turn
					 * comes */
		cfs_log(CFS_LOG_WARNING, "%s: has changed since it was "
			"verified: it is verified again", u->name);
	return CFS_OK;
}

int cfs_verify_ask(struct cfs_verify_plan *p, struct cfs_verify_reader *r,
		   const struct cfs_verify_report *report,
		   struct cfs_error *err)
{
	struct record_asking a = { .plan = p, .r = r, .report = report };
	struct cfs_pool_calls calls = { .threads = THREADS,
					.one = verify_ask_ask_one,
					.arg = &a };
	size_t n = 0;
	int rc;

	a.units = calloc(p->n + 1, sizeof(*a.units));
	if (a.units == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < p->n; i++) {
		struct cfs_verify_unit *u = &p->units[i];

		if (u->is_remote && !u->skip &&
		    cfs_verify_report_knows(report, u->name))
			a.units[n++] = u;
	}
	calls.n = n;
	rc = cfs_pool_each(&calls, CFS_CTX(r->cancel, err));
	free(a.units);
	return rc;
}
