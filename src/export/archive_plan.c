/* archive_plan.c - cuts archives into stretches, which threads read side by
 * side, and into parts, which processes read.
 *
 * A file of members is cut about every STRETCH_BYTES, whatever the number of
 * threads.  A cut may turn out to lie inside a record (an archive that is kept
 * in an archive): archive_rows.c handles that, since it reads what is before.
 * The ends of a part are between records, however (cfs_scan_cut): the process
 * with the next part does not know what this one reads.
 *
 * Standard input that still comes is cut, too, where as many bytes are there:
 * first often, so that the first rows come soon.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archive_plan.h"

#include <stdlib.h>

#include "base/clamp.h"
#include "record/scan.h"
#include "spool.h"

/* About a few hundred pages. */
#define STRETCH_BYTES ((uint64_t)4 << 20)
/* The last stretch of an archive has at most this many bytes. */
#define STRETCH_LAST (STRETCH_BYTES + STRETCH_BYTES / 2)
/* The first stretch of standard input; each has twice as many as the one
 * before, LIVE_DOUBLINGS times, which makes STRETCH_BYTES. */
#define LIVE_BYTES ((uint64_t)64 << 10)
#define LIVE_DOUBLINGS 6u
/* There is no stretch that begins with fewer bytes before the end. */
#define LIVE_LAST LIVE_BYTES

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
	cfs_source_close(p->src);
}

/* ---- stretches ----------------------------------------------------------- */

/* The number of stretches that a unit is cut into, if it can be, and its size
 * is known. */
static uint64_t stretches_of(const struct cfs_archive_unit *u)
{
	uint64_t n = cfs_archive_unit_bytes(u);

	if (u->file->is_remote || n <= STRETCH_LAST)
		return 1;
	return (n - STRETCH_LAST + STRETCH_BYTES - 1) / STRETCH_BYTES + 1;
}

/* About where a stretch begins. */
static uint64_t stretch_at(const struct cfs_archive_unit *u, uint64_t stretch)
{
	uint64_t doubled = stretch < LIVE_DOUBLINGS ? stretch : LIVE_DOUBLINGS;

	if (u->input->spool == NULL)
		return stretch * STRETCH_BYTES;
	return (((uint64_t)1 << doubled) - 1) * LIVE_BYTES +
	       (stretch - doubled) * STRETCH_BYTES;
}

/* Does a unit have a stretch of that number? */
static bool has_stretch(const struct cfs_archive_unit *u, uint64_t stretch,
			struct cfs_ctx ctx)
{
	bool yes = true;

	if (u->input->spool == NULL)
		return stretch < stretches_of(u);
	return stretch == 0 ||
	       (cfs_spool_wait(u->input->spool,
			       stretch_at(u, stretch) + LIVE_LAST, &yes,
			       CFS_CTX(ctx.cancel, NULL)) == CFS_OK && yes);
}

/* Finds where a stretch of the unit begins.  False: nowhere, because what is
 * before it cannot be cut. */
static bool plan_find_begin(struct cfs_archive_plan *p,
			    const struct cfs_archive_unit *u, uint64_t stretch,
			    bool of_part, uint64_t *out, struct cfs_ctx ctx)
{
	struct cfs_ctx sub = CFS_CTX(ctx.cancel, NULL);
	int rc = CFS_OK;

	*out = 0;
	if (stretch == 0)
		return true;
	if (p->src == NULL)
		rc = cfs_archive_unit_open(u, &p->src, sub);
	if (rc == CFS_OK && of_part)
		rc = cfs_scan_cut(p->src, stretch_at(u, stretch), out, sub);
	else if (rc == CFS_OK)
		rc = cfs_scan_split(p->src, stretch_at(u, stretch), out, sub);
	return rc == CFS_OK && *out > 0 && *out < cfs_archive_unit_bytes(u);
}

/* ---- parts --------------------------------------------------------------- */

void cfs_archive_plan_cut(struct cfs_archive_plan *p,
			  const struct cfs_part *part, uint64_t total)
{
	p->part_to = UINT64_MAX;
	p->is_part = part->n > 0;
	if (!p->is_part)
		return;
	p->part_from = cfs_share_u64(total, part->k - 1, part->n);
	p->part_to = cfs_share_u64(total, part->k, part->n);
}

/* The first stretch of a unit that begins at or behind a place among the bytes,
 * or archives, of all. */
static uint64_t first_behind(const struct cfs_archive_plan *p,
			     const struct cfs_archive_unit *u, uint64_t place)
{
	if (place <= u->before)
		return 0;
	if (!p->sizes_known || place == UINT64_MAX)
		return UINT64_MAX;
	return (place - u->before + STRETCH_BYTES - 1) / STRETCH_BYTES;
}

/* Finds what the part has of a unit.  False: nothing. */
static bool find_ends(struct cfs_archive_plan *p,
		      const struct cfs_archive_unit *u, struct cfs_ctx ctx)
{
	uint64_t first = first_behind(p, u, p->part_from);
	uint64_t behind = first_behind(p, u, p->part_to);

	p->stretch = first;
	p->from = p->end = 0;
	if (!p->is_part)
		return true;
	if (first >= stretches_of(u) || first >= behind ||
	    !plan_find_begin(p, u, first, true, &p->from, ctx))
		return false;
	if (behind < stretches_of(u) &&
	    !plan_find_begin(p, u, behind, true, &p->end, ctx))
		p->end = 0;	/* it cannot be cut there */
	return p->end == 0 || p->from < p->end;
}

static void plan_next_unit(struct cfs_archive_plan *p)
{
	cfs_source_close(p->src);
	p->src = NULL;
	p->is_begun = false;
	p->unit++;
}

/* ---- all of it ----------------------------------------------------------- */

/* Finds where the stretch that begins at p->from ends.  False: it is the
 * last. */
static bool find_end(struct cfs_archive_plan *p,
		     const struct cfs_archive_unit *u, uint64_t *to,
		     struct cfs_ctx ctx)
{
	while (has_stretch(u, ++p->stretch, ctx)) {
		if (!plan_find_begin(p, u, p->stretch, false, to, ctx) ||
		    (p->end > 0 && *to >= p->end))
			return false;
		if (*to > p->from)
			return true;
		/* else a member is longer than a stretch */
	}
	return false;
}

int cfs_archive_plan_next(struct cfs_archive_plan *p,
			  struct cfs_archive_stretch *out, struct cfs_ctx ctx)
{
	struct cfs_archive_unit *u;

	while (!p->is_begun && p->unit < p->n_units) {
		p->is_begun = find_ends(p, &p->units[p->unit], ctx);
		if (!p->is_begun)
			plan_next_unit(p);
	}
	if (p->unit == p->n_units)
		return CFS_END;
	u = &p->units[p->unit];
	*out = (struct cfs_archive_stretch){ .unit = u, .from = p->from,
		.rest = p->end > 0 ? p->end : cfs_archive_unit_bytes(u) };
	out->is_last = !find_end(p, u, &out->to, ctx);
	if (out->is_last) {
		out->to = out->rest;
		if (out->from == 0 && p->end == 0)
			out->to = 0;
		plan_next_unit(p);
	}
	p->from = out->to;
	return CFS_OK;
}
