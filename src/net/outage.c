/* outage.c - decides when a server counts as down, and when it is probed again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "outage.h"

#include <stdio.h>

/* A try that timed out while connecting counts as so many. */
#define LOST_TRIES 2u

static bool is_about(const struct cfs_outage *o, const void *object)
{
	return o->is_whole || o->object == object;
}

/* Notes what a failed try was for, and how it failed. */
static void outage_note(struct cfs_outage *o, const struct cfs_failed_try *t,
			int64_t now_ms)
{
	bool is_whole = t->kind == CFS_TRY_UNREACHED || t->kind == CFS_TRY_LOST;

	if (!o->is_down && now_ms - o->last_ms > CFS_OUTAGE_ROW_MS)
		cfs_outage_end(o);
	o->last_ms = now_ms;
	if (o->since_ms == 0) {
		o->since_ms = t->sent_ms > 0 ? t->sent_ms : 1;
		o->object = t->object;
		o->off = t->off;
	}
	if (o->object != t->object || is_whole)
		o->is_whole = true;
	if (o->object != t->object || o->off != t->off || is_whole)
		o->has_places = true;
	o->code = t->code;
	snprintf(o->text, sizeof(o->text), "%s", t->text);
}

/* Does the server count as down?  A single place may be damaged while the rest
 * is well, and a failed try may have been the last one before a recovery. */
static bool outage_is_over(const struct cfs_outage *o, bool is_stranger,
			   int64_t now_ms)
{
	unsigned least = is_stranger && o->has_failed_job ? 1 :
							    CFS_OUTAGE_TRIES;

	return o->has_places && o->tries >= least &&
	       (o->has_failed_job || is_stranger ||
		now_ms - o->since_ms >= CFS_OUTAGE_PATIENCE_MS);
}

static void decide(struct cfs_outage *o, bool is_stranger, int64_t now_ms)
{
	if (o->is_down || !outage_is_over(o, is_stranger, now_ms))
		return;
	o->is_down = o->is_new = true;
	o->pause_ms = CFS_OUTAGE_PAUSE_MS;
	o->again_ms = now_ms + o->pause_ms;
	o->refused = 0;
}

void cfs_outage_try(struct cfs_outage *o, const struct cfs_failed_try *t,
		    int64_t now_ms)
{
	if (t->kind == CFS_TRY_ODD ||
	    (t->kind == CFS_TRY_TROUBLE && !o->has_failed_job))
		return;
	outage_note(o, t, now_ms);
	o->tries += t->kind == CFS_TRY_LOST ? LOST_TRIES : 1;
	decide(o, t->is_stranger, now_ms);
}

void cfs_outage_job(struct cfs_outage *o, const struct cfs_failed_try *t,
		    int64_t now_ms)
{
	if (t->kind == CFS_TRY_ODD)
		return;
	outage_note(o, t, now_ms);
	if (t->kind == CFS_TRY_TROUBLE && !o->has_failed_job)
		o->tries++;
	o->has_failed_job = true;
	decide(o, t->is_stranger, now_ms);
}

void cfs_outage_end(struct cfs_outage *o)
{
	*o = (struct cfs_outage){ 0 };
}

enum cfs_outage_word cfs_outage_ask(const struct cfs_outage *o,
				    const void *object, bool is_due,
				    int64_t now_ms)
{
	if (!o->is_down || !is_about(o, object))
		return CFS_OUTAGE_GO;
	if (o->is_probed)
		return o->is_awaited ? CFS_OUTAGE_WAIT : CFS_OUTAGE_REFUSE;
	return is_due || now_ms < o->again_ms ? CFS_OUTAGE_REFUSE :
						CFS_OUTAGE_GO;
}

bool cfs_outage_sent(struct cfs_outage *o, const void *object, bool is_awaited)
{
	if (!o->is_down || !is_about(o, object) || o->is_probed)
		return false;
	o->is_probed = true;
	o->is_awaited = is_awaited;
	return true;
}

void cfs_outage_probe_failed(struct cfs_outage *o, int64_t now_ms)
{
	if (!o->is_probed)
		return;			/* that outage is over */
	o->is_probed = o->is_awaited = false;
	o->pause_ms = o->pause_ms < CFS_OUTAGE_PAUSE_MAX_MS / 2 ?
		      o->pause_ms * 2 : CFS_OUTAGE_PAUSE_MAX_MS;
	o->again_ms = now_ms + o->pause_ms;
}

void cfs_outage_probe_gone(struct cfs_outage *o)
{
	o->is_probed = o->is_awaited = false;
}
