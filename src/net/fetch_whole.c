/* fetch_whole.c - fetches a whole page that a server makes on request, whose
 * size is not known before.
 *
 * It asks for a range from the first byte on that is longer than any page.
 * Servers that generate a page send all of it, with status 200; if the page is
 * a file, they send all of it as a part.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "base/sync.h"
#include "open_location.h"

struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct cfs_buf *out;
	bool is_done;		/* guarded by lock, as is the rest */
	int code;
	struct cfs_error err;
};

static void fetch_whole_on_done(void *arg, int code, struct cfs_slice bytes,
				const struct cfs_error *err)
{
	struct waiting *w = arg;

	pthread_mutex_lock(&w->lock);
	w->code = code;
	if (err != NULL)
		w->err = *err;
	if (code == CFS_OK)
		w->code = cfs_buf_add(w->out, bytes);
	w->is_done = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

/* Waits for the answer.  After a cancellation, ends the request and waits for
 * its end. */
static void fetch_whole_wait_for(struct waiting *w, struct cfs_source *src,
				 const struct cfs_cancel *cancel)
{
	bool has_stopped = false;

	pthread_mutex_lock(&w->lock);
	while (!w->is_done) {
		cfs_cond_wait_ms(&w->changed, &w->lock, CFS_WAIT_SLICE_MS);
		if (w->is_done || has_stopped || !cfs_cancelled(cancel))
			continue;
		has_stopped = true;
		pthread_mutex_unlock(&w->lock);
		cfs_source_abandon(src);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
}

/* Appends at most max bytes.  A server without ranges cannot send only the
 * beginning of a longer page, so the request fails. */
static int fetch_whole_get(struct cfs_buf *out, struct cfs_source *src,
			   size_t max, struct cfs_ctx ctx)
{
	struct waiting w = { .out = out, .code = CFS_OK };
	size_t before = out->n;
	int rc;

	pthread_mutex_init(&w.lock, NULL);
	cfs_cond_init(&w.changed);
	rc = src->ops->start_urgent(src, 0, max, fetch_whole_on_done, &w, NULL,
				    ctx.err);
	if (rc == CFS_OK) {
		fetch_whole_wait_for(&w, src, ctx.cancel);
		rc = w.code;
	}
	if (rc == CFS_ENOMEM || rc == CFS_ELIMIT)
		rc = cfs_error_nomem(ctx.err);
	else if (rc == CFS_EUNSUPPORTED ||
		 (rc == CFS_OK && src->size != out->n - before))
		rc = cfs_error_at(ctx.err, CFS_ELIMIT, src->name, 0,
				  "a page of more than %zu MiB", max >> 20);
	else
		cfs_error_pass(ctx.err, &w.err, rc);
	pthread_cond_destroy(&w.changed);
	pthread_mutex_destroy(&w.lock);
	return rc;
}

int cfs_page_get(struct cfs_buf *out, const char *url, size_t max,
		 struct cfs_ctx ctx)
{
	struct cfs_source *src;
	int rc = cfs_http_open(&src, url, ctx.err);

	if (rc == CFS_OK) {
		rc = fetch_whole_get(out, src, max, ctx);
		cfs_source_close(src);
	}
	return rc;
}
