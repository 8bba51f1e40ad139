/* stretches.c - cuts an archive into stretches (see stretches.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "stretches.h"

/* The bytes of a stretch that begins at s->from. */
static uint64_t length_here(const struct cfs_stretches *s)
{
	uint64_t n = s->first > 0 ? s->first : s->every;

	while (n < s->every && 2 * n <= s->from)
		n *= 2;
	return n;
}

static bool reaches(const struct cfs_stretches *s, uint64_t at,
		    struct cfs_ctx ctx)
{
	return s->reaches != NULL ? s->reaches(s->arg, at, ctx) : at < s->bytes;
}

/* Finds the cut behind s->from.  False: there is none. */
static bool find_cut(struct cfs_stretches *s, uint64_t *to, struct cfs_ctx ctx)
{
	int (*find)(struct cfs_source *src, uint64_t at, uint64_t *out,
		    struct cfs_ctx ctx) = cfs_scan_split;
	struct cfs_ctx quiet = CFS_CTX(ctx.cancel, NULL);
	uint64_t n = length_here(s), at;

	if (n == 0 || s->from > UINT64_MAX - 2 * n)
		return false;
	at = (s->from / n + 1) * n;
	if (!reaches(s, at + n / 2, quiet) ||
	    (s->src == NULL && s->open(s->arg, &s->src, quiet) != CFS_OK))
		return false;
	if (s->find != NULL)
		find = s->find;
	return find(s->src, at, to, quiet) == CFS_OK && *to > s->from &&
	       *to < s->bytes && (s->end == 0 || *to < s->end);
}

bool cfs_stretches_next(struct cfs_stretches *s, struct cfs_scan_stretch *out,
			struct cfs_ctx ctx)
{
	if (s->is_done)
		return false;
	*out = (struct cfs_scan_stretch){ .from = s->from,
		.rest = s->end > 0 ? s->end : s->bytes };
	if (!find_cut(s, &out->to, ctx)) {
		s->is_done = true;
		out->to = s->from > 0 || s->end > 0 ? out->rest : 0;
	}
	s->from = out->to;
	return true;
}

void cfs_stretches_go(struct cfs_stretches *s, uint64_t from)
{
	s->is_done = from == 0 || from >= s->bytes;
	s->from = from;
}

void cfs_stretches_release(struct cfs_stretches *s)
{
	cfs_source_close(s->src);
	s->src = NULL;
}
