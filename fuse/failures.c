/* failures.c - a table of failures, by what failed and how.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "failures.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memo.h"
#include "base/sync.h"
#include "codec/json.h"

/* A failure after LONG_MS is repeated for MOMENT_MS; 2^RECENT_BITS of them are
 * remembered. */
#define LONG_MS 500
#define MOMENT_MS 250
#define RECENT_BITS 6u

struct listed_failure {
	struct cfs_failure f;
	char *own;		/* its strings */
};

/* A failure that is repeated, in the memo. */
struct recent_failure {
	int64_t until_ms;
	int code;
};

struct cfs_failures {
	/* When the last failure that is repeated ends to be; so that requests
	 * look for none without one. */
	_Atomic int64_t until_ms;
	struct cfs_memo *recent;
	struct cfs_turns settling;
	pthread_mutex_t lock;		/* guards all below */
	/* In the order of their last occurrence.  All are looked at and moved
	 * for a failure: that takes less than its reply. */
	struct listed_failure v[CFS_FAILURES_MAX];
	unsigned n;
	size_t bytes;			/* of the strings */
	struct cfs_failure_log log;
};

uint64_t cfs_failures_key(uint64_t ino, const char *name)
{
	return cfs_hash64(name != NULL ? cfs_slice_str(name) : CFS_SLICE_EMPTY,
			  ino);
}

/* ---- the rate of lines in the log ---------------------------------------- */

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

/* ---- what is listed ---------------------------------------------------- */

static size_t bytes_of(const struct cfs_failure *f)
{
	return strlen(f->members) + strlen(f->line);
}

/* Takes failure i out of the order, with its strings. */
static struct listed_failure take_out_locked(struct cfs_failures *t, unsigned i)
{
	struct listed_failure taken = t->v[i];

	t->n--;
	memmove(&t->v[i], &t->v[i + 1], (t->n - i) * sizeof(t->v[0]));
	t->bytes -= bytes_of(&taken.f);
	return taken;
}

static void add_latest_locked(struct cfs_failures *t,
			      const struct listed_failure *s)
{
	t->v[t->n++] = *s;
	t->bytes += bytes_of(&s->f);
}

/* The latest failure of `of`; how 0: with that code.  NULL: none is listed. */
static const struct cfs_failure *find_locked(const struct cfs_failures *t,
					     uint64_t of, uint64_t how,
					     int code)
{
	for (unsigned i = t->n; i > 0; i--) {
		const struct cfs_failure *f = &t->v[i - 1].f;

		if (f->of == of && (how != 0 ? f->how == how : f->code == code))
			return f;
	}
	return NULL;
}

/* Counts the failure that find_locked has found.  Returns its new place. */
static const struct cfs_failure *count_locked(struct cfs_failures *t,
					      const struct cfs_failure *f)
{
	struct listed_failure s = take_out_locked(
		t, (unsigned)((const struct listed_failure *)f - t->v));

	s.f.count++;
	s.f.last = time(NULL);
	add_latest_locked(t, &s);
	return &t->v[t->n - 1].f;
}

static void list_locked(struct cfs_failures *t, const struct cfs_failure *f)
{
	/* another thread may have listed it */
	const struct cfs_failure *known = find_locked(t, f->of, f->how,
						      f->code);
	size_t members = strlen(f->members) + 1, n = bytes_of(f) + 2;
	struct listed_failure s = { .f = *f };

	if (known != NULL) {
		count_locked(t, known);
		return;
	}
	s.own = malloc(n);
	if (s.own == NULL)
		return;
	memcpy(s.own, f->members, members);
	memcpy(s.own + members, f->line, n - members);
	s.f.members = s.own;
	s.f.line = s.own + members;
	while (t->n > 0 && (t->n == CFS_FAILURES_MAX ||
			    t->bytes + n > CFS_FAILURES_BYTES_MAX))
		free(take_out_locked(t, 0).own);
	add_latest_locked(t, &s);
}

void cfs_failures_list(struct cfs_failures *t, const struct cfs_failure *f)
{
	pthread_mutex_lock(&t->lock);
	list_locked(t, f);
	pthread_mutex_unlock(&t->lock);
}

int cfs_failures_text(struct cfs_failures *t, struct cfs_buf *out)
{
	pthread_mutex_lock(&t->lock);
	for (unsigned i = 0; i < t->n; i++) {
		const struct cfs_failure *f = &t->v[i].f;
		struct cfs_json j;

		cfs_json_line_begin(&j, out);
		cfs_json_put_time(&j, "time", f->last);
		cfs_json_put_time(&j, "first", f->first);
		cfs_json_put_int(&j, "count", (int64_t)f->count);
		cfs_buf_adds(out, f->members);
		cfs_json_line_end(&j);
	}
	pthread_mutex_unlock(&t->lock);
	return out->failed;
}

/* ---- what is logged ---------------------------------------------------- */

/* Logs the causes that are quiet.  Returns when to do it again. */
static int64_t settle_unlocks(struct cfs_failures *t, int64_t now_ms,
			      int64_t quiet_ms)
{
	struct cfs_failure_lines lines;
	int64_t due_ms;

	while (cfs_failure_log_settle(&t->log, now_ms, quiet_ms, &due_ms,
				      &lines)) {
		pthread_mutex_unlock(&t->lock);
		cfs_failure_lines_log(&lines);
		pthread_mutex_lock(&t->lock);
	}
	return due_ms;
}

/* Logs counts of causes that have gone quiet. */
static int64_t settle(void *arg)
{
	struct cfs_failures *t = arg;
	int64_t now_ms = cfs_monotonic_ms(), due_ms;

	pthread_mutex_lock(&t->lock);
	due_ms = settle_unlocks(t, now_ms, CFS_FAILURE_LOG_QUIET_MS);
	pthread_mutex_unlock(&t->lock);
	return due_ms == INT64_MAX ? CFS_TURNS_REST : due_ms - now_ms;
}

static void log_locked(struct cfs_failures *t, const struct cfs_failure *f,
		       bool is_logged, struct cfs_failure_lines *lines)
{
	cfs_failure_log_note(&t->log, f->cause,
			     f->code == CFS_ETIMEOUT ? CFS_EIO : f->code,
			     f->line, is_logged, cfs_monotonic_ms(), lines);
	cfs_turns_want(&t->settling);
}

bool cfs_failures_count(struct cfs_failures *t, uint64_t of, uint64_t how,
			int code, bool is_logged)
{
	struct cfs_failure_lines lines = { .n = 0 };
	const struct cfs_failure *f;

	pthread_mutex_lock(&t->lock);
	f = find_locked(t, of, how, code);
	if (f != NULL)
		log_locked(t, count_locked(t, f), is_logged, &lines);
	pthread_mutex_unlock(&t->lock);
	cfs_failure_lines_log(&lines);
	return f != NULL;
}

void cfs_failures_note(struct cfs_failures *t, const struct cfs_failure *f,
		       bool is_logged)
{
	struct cfs_failure_lines lines;

	pthread_mutex_lock(&t->lock);
	list_locked(t, f);
	log_locked(t, f, is_logged, &lines);
	pthread_mutex_unlock(&t->lock);
	cfs_failure_lines_log(&lines);
}

/* ---- what is repeated -------------------------------------------------- */

int cfs_failures_recent(struct cfs_failures *t, uint64_t ino, const char *name,
			int64_t now_ms)
{
	struct recent_failure r;

	if (atomic_load_explicit(&t->until_ms, memory_order_relaxed) <=
		    now_ms ||
	    !cfs_memo_get(t->recent, cfs_failures_key(ino, name), &r) ||
	    r.until_ms <= now_ms)
		return CFS_OK;
	return r.code;
}

void cfs_failures_remember(struct cfs_failures *t, uint64_t ino,
			   const char *name, int rc, int64_t began_ms,
			   int64_t now_ms)
{
	struct recent_failure r = { now_ms + MOMENT_MS, rc };

	/* one reader was interrupted: the others are not concerned */
	if (rc == CFS_EINTR || rc == CFS_ENOTFOUND ||
	    now_ms - began_ms < LONG_MS)
		return;
	cfs_memo_put(t->recent, cfs_failures_key(ino, name), &r);
	if (r.until_ms > t->until_ms)
		t->until_ms = r.until_ms;
}

/* ---- begin and end ----------------------------------------------------- */

struct cfs_failures *cfs_failures_new(void)
{
	struct cfs_failures *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	cfs_turns_init(&t->settling, settle, t);
	t->recent = cfs_memo_new(RECENT_BITS, sizeof(struct recent_failure));
	if (t->recent != NULL)
		return t;
	cfs_failures_free(t);
	return NULL;
}

void cfs_failures_free(struct cfs_failures *t)
{
	if (t == NULL)
		return;
	cfs_turns_end(&t->settling);
	pthread_mutex_lock(&t->lock);
	(void)settle_unlocks(t, INT64_MAX / 2, 0);
	pthread_mutex_unlock(&t->lock);
	for (unsigned i = 0; i < t->n; i++)
		free(t->v[i].own);
	cfs_memo_free(t->recent);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
