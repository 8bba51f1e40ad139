/* failure_log.c - counts failures by their causes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "failure_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"

static void say(struct cfs_failure_lines *w, struct cfs_failure_cause *c,
		const char *when)
{
	char *out = w->line[w->n++];

	if (c->count == 1)
		snprintf(out, sizeof(w->line[0]), "%s%s", c->line, c->is_pool ?
			 "; failures of more files are counted together" : "");
	else
		snprintf(out, sizeof(w->line[0]), "%s (%" PRIu64
			 " such failures %s)", c->line, c->count, when);
	c->logged = c->count;
}

static void failure_log_end(struct cfs_failure_lines *w,
			    struct cfs_failure_cause *c)
{
	if (c->count > c->logged)
		say(w, c, "in all");
	c->count = 0;
}

void cfs_failure_lines_log(const struct cfs_failure_lines *w)
{
	for (unsigned i = 0; i < w->n; i++)
		cfs_log(CFS_LOG_ERROR, "%s", w->line[i]);
}

/* The slot of a cause, or the shared one of its kind.  A new slot, which may
 * replace the one that was quiet longest, has no failures. */
static struct cfs_failure_cause *failure_log_find(struct cfs_failure_log *g,
						  uint64_t cause, int kind,
						  struct cfs_failure_lines *w)
{
	struct cfs_failure_cause *pool = NULL, *slot = &g->v[0];
	unsigned alike = 0;

	for (unsigned i = 0; i < CFS_FAILURE_LOG_CAUSES; i++) {
		struct cfs_failure_cause *c = &g->v[i];

		if (c->count > 0 && c->kind == kind) {
			if (c->cause == cause && !c->is_pool)
				return c;
			alike++;
			if (c->is_pool)
				pool = c;
		}
		if (slot->count > 0 &&
		    (c->count == 0 || c->last_ms < slot->last_ms))
			slot = c;
	}
	if (pool != NULL)
		return pool;
	failure_log_end(w, slot);
	*slot = (struct cfs_failure_cause){
		.cause = cause, .kind = kind, .next = 1,
		.is_pool = alike >= CFS_FAILURE_LOG_ALIKE,
	};
	return slot;
}

void cfs_failure_log_note(struct cfs_failure_log *g, uint64_t cause, int kind,
			  const char *line, bool is_logged, int64_t now_ms,
			  struct cfs_failure_lines *out)
{
	struct cfs_failure_cause *c;

	out->n = 0;
	c = failure_log_find(g, cause, kind, out);
	c->count++;
	c->last_ms = now_ms;
	snprintf(c->line, sizeof(c->line), "%s", line);
	if (c->count != c->next)
		return;
	c->next *= 10;
	if (is_logged && c->count == 1)
		c->logged = 1;
	else
		say(out, c, "so far");
}

bool cfs_failure_log_settle(struct cfs_failure_log *g, int64_t now_ms,
			    int64_t quiet_ms, int64_t *due_ms,
			    struct cfs_failure_lines *out)
{
	out->n = 0;
	*due_ms = INT64_MAX;
	for (unsigned i = 0; i < CFS_FAILURE_LOG_CAUSES; i++) {
		struct cfs_failure_cause *c = &g->v[i];

		if (c->count == 0)
			continue;
		if (now_ms - c->last_ms >= quiet_ms) {
			failure_log_end(out, c);
			return true;
		}
		if (c->last_ms + quiet_ms < *due_ms)
			*due_ms = c->last_ms + quiet_ms;
	}
	return false;
}
