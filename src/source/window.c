/* window.c - a source that is a stretch of another source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "source.h"

#include <stdlib.h>

struct window {
	struct cfs_source base;
	struct cfs_source *inner;
	uint64_t from;
};

/* n, limited to what the window has behind off. */
static size_t window_cut(const struct window *w, uint64_t off, size_t n)
{
	uint64_t size = w->base.size, left = off < size ? size - off : 0;

	return n < left ? n : (size_t)left;
}

static int window_read_at(struct cfs_source *src, void *buf, size_t n,
			  uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct window *w = (struct window *)src;

	return cfs_source_read_some(w->inner, buf, window_cut(w, off, n),
				    w->from + off, got, ctx);
}

static int window_start(struct cfs_source *src, uint64_t off, size_t n,
			cfs_source_done *done, void *arg,
			_Atomic uint64_t *came, struct cfs_error *err)
{
	struct window *w = (struct window *)src;

	return w->inner->ops->start(w->inner, w->from + off, window_cut(w, off,
									n),
				    done, arg, came, err);
}

static void window_prefetch(struct cfs_source *src, uint64_t off, size_t n)
{
	struct window *w = (struct window *)src;

	cfs_source_prefetch(w->inner, w->from + off, window_cut(w, off, n));
}

static void window_abandon(struct cfs_source *src)
{
	cfs_source_abandon(((struct window *)src)->inner);
}

static bool window_forget(struct cfs_source *src, uint64_t off, uint64_t n)
{
	struct window *w = (struct window *)src;
	uint64_t left = off < src->size ? src->size - off : 0;

	return cfs_source_forget(w->inner, w->from + off, n < left ? n : left);
}

static bool window_state(struct cfs_source *src, uint64_t *out)
{
	return cfs_source_state(((struct window *)src)->inner, out);
}

static void window_close(struct cfs_source *src)
{
	struct window *w = (struct window *)src;

	cfs_source_close(w->inner);
	free(w);
}

static const struct cfs_source_ops window_ops = {
	.read_at = window_read_at, .close = window_close,
	.prefetch = window_prefetch, .forget = window_forget,
	.state = window_state,
};

/* For an inner source that can start reads. */
static const struct cfs_source_ops starting_ops = {
	.read_at = window_read_at, .close = window_close,
	.start = window_start, .prefetch = window_prefetch,
	.abandon = window_abandon, .forget = window_forget,
	.state = window_state,
};

int cfs_source_open_window(struct cfs_source **out, struct cfs_source *inner,
			   uint64_t from, uint64_t n, const char *name,
			   struct cfs_error *err)
{
	bool fits = from <= inner->size && n <= inner->size - from;
	struct window *w = fits ? calloc(1, sizeof(*w)) : NULL;

	*out = NULL;
	if (w == NULL) {
		cfs_source_close(inner);
		return fits ? cfs_error_nomem(err) :
		       cfs_error_at(err, CFS_EFORMAT, name, 0,
				    "lies beyond the end of its file");
	}
	w->inner = inner;
	w->from = from;
	w->base.is_local = inner->is_local;
	w->base.must_exist = inner->must_exist;
	w->base.mtime = inner->mtime;
	return cfs_source_open(out, &w->base, inner->ops->start != NULL ?
			       &starting_ops : &window_ops, n, name, err);
}
