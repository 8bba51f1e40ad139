/* archive_plan.c - cuts archives into stretches, which threads read side by
 * side, and into parts, which processes read.
 *
 * Stretches are those of record/stretches.h.  The ends of a part are surely
 * between records (cfs_scan_cut), since the process with the next part does not
 * know what this one reads.
 *
 * Standard input that still comes is cut, too, where as many bytes are there:
 * first often, so that the first rows come soon.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archive_plan.h"

#include <stdlib.h>

#include "base/clamp.h"
#include "spool.h"

/* About a few hundred pages. */
#define STRETCH_BYTES ((uint64_t)4 << 20)
/* The first stretch of standard input. */
#define LIVE_BYTES ((uint64_t)64 << 10)

uint64_t cfs_archive_unit_bytes(const struct cfs_archive_unit *u)
{
	if (u->input->spool != NULL)
		return CFS_SIZE_UNKNOWN;
	return u->member != NULL ? u->member->at.stored : u->file->size;
}

int cfs_archive_unit_open(const struct cfs_archive_unit *u,
			  struct cfs_source **out, struct cfs_ctx ctx)
{
	if (u->input->spool != NULL)
		return cfs_spool_source(u->input->spool, out, ctx.err);
	return cfs_indexer_open_part(out, &u->input->files, u->file, u->member,
				     ctx);
}

void cfs_archive_plan_release(struct cfs_archive_plan *p)
{
	free(p->units);
	cfs_stretches_release(&p->stretches);
}

/* ---- parts --------------------------------------------------------------- */

void cfs_archive_plan_cut(struct cfs_archive_plan *p,
			  const struct cfs_part *part, uint64_t total)
{
	p->part_to = UINT64_MAX;
	p->is_part = part->n > 0;
	if (!p->is_part)
		return;
	p->part_from = cfs_part_end_u64(total, part->k - 1, part->n);
	p->part_to = cfs_part_end_u64(total, part->k, part->n);
}

/* About where a part begins in a unit, whose place among the bytes, or
 * archives, of all it is: where one of the stretches may begin.  UINT64_MAX:
 * behind the unit. */
static uint64_t part_begin(const struct cfs_archive_plan *p,
			   const struct cfs_archive_unit *u, uint64_t place)
{
	uint64_t at;

	if (place <= u->before)
		return 0;
	if (!p->sizes_known || place == UINT64_MAX || u->file->is_remote)
		return UINT64_MAX;
	at = (place - u->before + STRETCH_BYTES - 1) / STRETCH_BYTES *
	     STRETCH_BYTES;
	return at + STRETCH_BYTES / 2 < cfs_archive_unit_bytes(u) ? at :
								    UINT64_MAX;
}

/* Finds the place between two records for a part to begin or end.  False: there
 * is none. */
static bool find_part_cut(const struct cfs_archive_unit *u, uint64_t at,
			  uint64_t *out, struct cfs_ctx ctx)
{
	struct cfs_ctx quiet = CFS_CTX(ctx.cancel, NULL);
	struct cfs_source *src = NULL;
	int rc = CFS_OK;

	*out = at;
	if (at == 0)
		return true;
	rc = cfs_archive_unit_open(u, &src, quiet);
	if (rc == CFS_OK)
		rc = cfs_scan_cut(src, at, out, quiet);
	cfs_source_close(src);
	return rc == CFS_OK && *out > 0 && *out < cfs_archive_unit_bytes(u);
}

/* Finds what the part has of a unit.  False: nothing. */
static bool find_ends(const struct cfs_archive_plan *p,
		      const struct cfs_archive_unit *u,
		      struct cfs_stretches *s, struct cfs_ctx ctx)
{
	uint64_t first = part_begin(p, u, p->part_from);
	uint64_t behind = part_begin(p, u, p->part_to);

	if (!p->is_part)
		return true;
	if (first >= behind || !find_part_cut(u, first, &s->from, ctx))
		return false;
	if (behind != UINT64_MAX && !find_part_cut(u, behind, &s->end, ctx))
		s->end = 0;	/* it cannot be cut there */
	return s->end == 0 || s->from < s->end;
}

/* ---- all of it ----------------------------------------------------------- */

static int open_to_cut(void *arg, struct cfs_source **out, struct cfs_ctx ctx)
{
	return cfs_archive_unit_open(arg, out, ctx);
}

static bool live_reaches(void *arg, uint64_t at, struct cfs_ctx ctx)
{
	const struct cfs_archive_unit *u = arg;
	bool yes = true;

	return cfs_spool_wait(u->input->spool, at, &yes, ctx) == CFS_OK && yes;
}

/* Begins a unit.  False: the part has nothing of it. */
static bool begin_unit(struct cfs_archive_plan *p, struct cfs_archive_unit *u,
		       struct cfs_ctx ctx)
{
	struct cfs_stretches *s = &p->stretches;

	*s = (struct cfs_stretches){ .every = STRETCH_BYTES,
		.bytes = cfs_archive_unit_bytes(u), .open = open_to_cut,
		.arg = u };
	if (u->file->is_remote)
		s->every = 0;
	if (u->input->spool != NULL) {
		s->first = LIVE_BYTES;
		s->reaches = live_reaches;
	}
	return find_ends(p, u, s, ctx);
}

struct cfs_archive_unit *cfs_archive_plan_next(struct cfs_archive_plan *p,
					       struct cfs_scan_stretch *out,
					       struct cfs_ctx ctx)
{
	while (p->unit < p->n_units) {
		struct cfs_archive_unit *u = &p->units[p->unit];

		if (!p->is_begun)
			p->is_begun = begin_unit(p, u, ctx);
		if (p->is_begun && cfs_stretches_next(&p->stretches, out, ctx))
			return u;
		cfs_stretches_release(&p->stretches);
		p->is_begun = false;
		p->unit++;
	}
	return NULL;
}
