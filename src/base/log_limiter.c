/* log_limiter.c - counts failures by their causes (see log_limiter.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "log_limiter.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "log.h"
#include "slice.h"

struct cause {
	uint64_t cause;
	uint64_t count, logged;	/* count 0: the slot is free; logged: the
				 * count when it was last logged */
	uint64_t next;		/* the count at which to log next */
	int64_t last_ms;
	int kind;
	bool is_pool;		/* counts all causes of its kind without a
				 * slot of their own */
	char line[CFS_LOG_LIMITER_LINE];
};

struct cfs_log_limiter {
	pthread_mutex_t lock;
	struct cause v[CFS_LOG_LIMITER_CAUSES];	/* guarded by lock */
};

/* Lines to log once the lock is released. */
struct message_words {
	char line[2][CFS_LOG_LIMITER_LINE + 80];
	unsigned n;
};

static void say(struct message_words *w, struct cause *c, const char *when)
{
	char *out = w->line[w->n++];

	if (c->count == 1)
		snprintf(out, sizeof(w->line[0]), "%s%s", c->line,
			 c->is_pool ? "; failures of more files are counted"
				      " together" : "");
	else
		snprintf(out, sizeof(w->line[0]), "%s (%" PRIu64
			 " such failures %s)", c->line, c->count, when);
	c->logged = c->count;
}

static void end_locked(struct message_words *w, struct cause *c)
{
	if (c->count > c->logged)
		say(w, c, "in all");
	c->count = 0;
}

static void log_words(const struct message_words *w)
{
	for (unsigned i = 0; i < w->n; i++)
		cfs_log(CFS_LOG_ERROR, "%s", w->line[i]);
}

/* The slot of a cause, or the shared one of its kind.  A new slot, which may
 * replace the one that was quiet longest, has no failures. */
static struct cause *find_locked(struct cfs_log_limiter *g, uint64_t cause,
				 int kind, struct message_words *w)
{
	struct cause *pool = NULL, *slot = &g->v[0];
	unsigned alike = 0;

	for (unsigned i = 0; i < CFS_LOG_LIMITER_CAUSES; i++) {
		struct cause *c = &g->v[i];

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
	end_locked(w, slot);
	*slot = (struct cause){ .cause = cause, .kind = kind, .next = 1,
				.is_pool = alike >= CFS_LOG_LIMITER_ALIKE };
	return slot;
}

void cfs_log_limiter_note(struct cfs_log_limiter *g, uint64_t cause, int kind,
			  const char *line, bool is_logged, int64_t now_ms)
{
	struct message_words w = { .n = 0 };
	struct cause *c;

	pthread_mutex_lock(&g->lock);
	c = find_locked(g, cause, kind, &w);
	c->count++;
	c->last_ms = now_ms;
	snprintf(c->line, sizeof(c->line), "%s", line);
	if (c->count == c->next) {
		c->next *= 10;
		if (is_logged && c->count == 1)
			c->logged = 1;
		else
			say(&w, c, "so far");
	}
	pthread_mutex_unlock(&g->lock);
	log_words(&w);
}

/* Ends the first cause that was quiet for quiet_ms.  If there is none, returns
 * false and sets *due_ms to when there will be one. */
static bool settle_one(struct cfs_log_limiter *g, int64_t now_ms,
		       int64_t quiet_ms, int64_t *due_ms)
{
	struct message_words w = { .n = 0 };
	bool is_ended = false;

	*due_ms = INT64_MAX;
	pthread_mutex_lock(&g->lock);
	for (unsigned i = 0; i < CFS_LOG_LIMITER_CAUSES && !is_ended; i++) {
		struct cause *c = &g->v[i];

		if (c->count == 0)
			continue;
		is_ended = now_ms - c->last_ms >= quiet_ms;
		if (is_ended)
			end_locked(&w, c);
		else if (c->last_ms + quiet_ms < *due_ms)
			*due_ms = c->last_ms + quiet_ms;
	}
	pthread_mutex_unlock(&g->lock);
	log_words(&w);
	return is_ended;
}

int64_t cfs_log_limiter_settle(struct cfs_log_limiter *g, int64_t now_ms)
{
	int64_t due_ms;

	while (settle_one(g, now_ms, CFS_LOG_LIMITER_QUIET_MS, &due_ms))
		continue;
	return due_ms;
}

struct cfs_log_limiter *cfs_log_limiter_new(void)
{
	struct cfs_log_limiter *g = calloc(1, sizeof(*g));

	if (g != NULL)
		pthread_mutex_init(&g->lock, NULL);
	return g;
}

void cfs_log_limiter_free(struct cfs_log_limiter *g)
{
	int64_t due_ms;

	if (g == NULL)
		return;
	while (settle_one(g, INT64_MAX / 2, 0, &due_ms))
		continue;
	pthread_mutex_destroy(&g->lock);
	free(g);
}
