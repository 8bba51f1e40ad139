/* failures.c - a table of failures, by what failed and how.
 *
 * Listed failures are in the order of their last occurrence.  Others, which no
 * program was given (a damaged record that was only measured), are there for
 * the short memory alone; they become listed ones when they are reported.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "failures.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/sync.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "failure_log.h"

#define HEADS 1024u
/* The most failures that are remembered and not listed. */
#define UNLISTED_MAX 64u
#define SLOTS (CFS_FAILURES_MAX + UNLISTED_MAX)
/* A failure after LONG_MS is repeated for MOMENT_MS. */
#define LONG_MS 500
#define MOMENT_MS 250

/* Slots are numbered from 1; 0 is none. */
struct failure_slot {
	struct cfs_failure f;	/* not listed: `of` and `code` only */
	char *own;		/* its strings */
	bool is_listed;
	int64_t until_ms;	/* it is repeated until then; 0: never */
	unsigned older, newer;	/* neighbours in the order */
	unsigned next;		/* next with the same hash of what failed */
};

/* Slots in the order of their last occurrence. */
struct failure_order {
	unsigned n, oldest, newest;
};

struct cfs_failures {
	/* When the last failure that is repeated ends to be; so that requests
	 * do not lock without one. */
	_Atomic int64_t until_ms;
	pthread_mutex_t lock;
	struct failure_slot v[SLOTS];		/* guarded by lock, as all */
	unsigned heads[HEADS];			/* fields down to is_idle */
	struct failure_order listed, unlisted;
	unsigned n, unused;
	size_t bytes;
	struct cfs_failure_log log;
	pthread_t thread;		/* logs counts of causes gone quiet */
	pthread_cond_t change;
	bool has_thread, is_ending;
	bool is_idle;			/* the thread waits for a failure */
};

uint64_t cfs_failures_key(uint64_t ino, const char *name)
{
	return cfs_hash64(name != NULL ? cfs_slice_str(name) : CFS_SLICE_EMPTY,
			  ino);
}

/* ---- slots ------------------------------------------------------------- */

static unsigned *failures_head_of(struct cfs_failures *t, uint64_t of)
{
	return &t->heads[of % HEADS];
}

static struct failure_order *order_of(struct cfs_failures *t,
				      const struct failure_slot *s)
{
	return s->is_listed ? &t->listed : &t->unlisted;
}

static void take_out_locked(struct cfs_failures *t, unsigned i)
{
	struct failure_slot *s = &t->v[i - 1];
	struct failure_order *o = order_of(t, s);

	*(s->older != 0 ? &t->v[s->older - 1].newer : &o->oldest) = s->newer;
	*(s->newer != 0 ? &t->v[s->newer - 1].older : &o->newest) = s->older;
	o->n--;
}

static void add_newest_locked(struct cfs_failures *t, unsigned i)
{
	struct failure_slot *s = &t->v[i - 1];
	struct failure_order *o = order_of(t, s);

	s->older = o->newest;
	s->newer = 0;
	*(o->newest != 0 ? &t->v[o->newest - 1].newer : &o->oldest) = i;
	o->newest = i;
	o->n++;
}

static size_t failures_bytes_of(const struct cfs_failure *f)
{
	return strlen(f->members) + strlen(f->line);
}

static void drop_locked(struct cfs_failures *t, unsigned i)
{
	struct failure_slot *s = &t->v[i - 1];
	unsigned *p = failures_head_of(t, s->f.of);

	take_out_locked(t, i);
	while (*p != i)
		p = &t->v[*p - 1].next;
	*p = s->next;
	if (s->is_listed)
		t->bytes -= failures_bytes_of(&s->f);
	free(s->own);
	*s = (struct failure_slot){ .next = t->unused };
	t->unused = i;
}

/* There is a slot: both orders have an upper limit. */
static struct failure_slot *failures_insert_locked(struct cfs_failures *t,
						   const struct cfs_failure *f,
						   bool is_listed)
{
	unsigned i = t->unused;
	struct failure_slot *s;

	if (i == 0)
		i = ++t->n;
	s = &t->v[i - 1];
	t->unused = s->next;
	*s = (struct failure_slot){ .f = *f, .is_listed = is_listed,
				    .next = *failures_head_of(t, f->of) };
	*failures_head_of(t, f->of) = i;
	add_newest_locked(t, i);
	return s;
}

/* ---- what is listed ---------------------------------------------------- */

static bool is_the_one(const struct failure_slot *s, uint64_t of, uint64_t how,
		       int code)
{
	if (!s->is_listed || s->f.of != of)
		return false;
	return how != 0 ? s->f.how == how : s->f.code == code;
}

/* how 0: finds the latest failure with that code. */
static unsigned failures_find_locked(struct cfs_failures *t, uint64_t of,
				     uint64_t how, int code)
{
	unsigned best = 0;
	int64_t latest = INT64_MIN;

	for (unsigned i = *failures_head_of(t,
					    of); i != 0; i = t->v[i - 1].next) {
		const struct failure_slot *s = &t->v[i - 1];

		if (is_the_one(s, of, how, code) && s->f.last > latest) {
			best = i;
			latest = s->f.last;
		}
	}
	return best;
}

static void count_locked(struct cfs_failures *t, unsigned i)
{
	t->v[i - 1].f.count++;
	t->v[i - 1].f.last = time(NULL);
	take_out_locked(t, i);
	add_newest_locked(t, i);
}

/* Drops the failure that was only remembered until now.  Returns how long it is
 * to be repeated. */
static int64_t take_unlisted_locked(struct cfs_failures *t, uint64_t of,
				    int code)
{
	for (unsigned i = *failures_head_of(t,
					    of); i != 0; i = t->v[i - 1].next) {
		const struct failure_slot *s = &t->v[i - 1];
		int64_t until_ms = s->until_ms;

		if (!s->is_listed && s->f.of == of && s->f.code == code) {
			drop_locked(t, i);
			return until_ms;
		}
	}
	return 0;
}

/* Copies the strings of the failure in s. */
static void own_strings(struct failure_slot *s, char *room)
{
	size_t n = strlen(s->f.members) + 1;

	memcpy(room, s->f.members, n);
	memcpy(room + n, s->f.line, strlen(s->f.line) + 1);
	s->own = room;
	s->f.members = room;
	s->f.line = room + n;
}

static void failures_list_locked(struct cfs_failures *t,
				 const struct cfs_failure *f)
{
	struct failure_slot *s;
	size_t n = failures_bytes_of(f);
	/* another thread may have listed it */
	unsigned i = failures_find_locked(t, f->of, f->how, f->code);
	int64_t until_ms;
	char *room;

	if (i != 0) {
		count_locked(t, i);
		return;
	}
	room = malloc(n + 2);
	if (room == NULL)
		return;
	until_ms = take_unlisted_locked(t, f->of, f->code);
	while (t->listed.n > 0 && (t->listed.n == CFS_FAILURES_MAX ||
			t->bytes + n > CFS_FAILURES_BYTES_MAX))
		drop_locked(t, t->listed.oldest);
	s = failures_insert_locked(t, f, true);
	s->until_ms = until_ms;
	own_strings(s, room);
	t->bytes += n;
}

void cfs_failures_list(struct cfs_failures *t, const struct cfs_failure *f)
{
	pthread_mutex_lock(&t->lock);
	failures_list_locked(t, f);
	pthread_mutex_unlock(&t->lock);
}

static void failures_put_time(struct cfs_json *j, const char *key, int64_t at)
{
	char text[CFS_TIME_ISO_BYTES];

	cfs_json_put_str(j, key, cfs_slice_str(cfs_time_format_iso(at, text)));
}

int cfs_failures_text(struct cfs_failures *t, struct cfs_buf *out)
{
	pthread_mutex_lock(&t->lock);
	for (unsigned i = t->listed.oldest; i != 0; i = t->v[i - 1].newer) {
		const struct cfs_failure *f = &t->v[i - 1].f;
		struct cfs_json j = { .out = out, .compact = true };

		cfs_json_open(&j, '{');
		failures_put_time(&j, "time", f->last);
		failures_put_time(&j, "first", f->first);
		cfs_json_put_int(&j, "count", (int64_t)f->count);
		cfs_buf_adds(out, f->members);
		cfs_json_close(&j, '}');
		cfs_buf_addc(out, '\n');
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

static void *failures_settle(void *arg)
{
	struct cfs_failures *t = arg;
	int64_t due_ms;

	pthread_mutex_lock(&t->lock);
	while (!t->is_ending) {
		t->is_idle = false;
		due_ms = settle_unlocks(t, cfs_monotonic_ms(),
					CFS_FAILURE_LOG_QUIET_MS);
		if (t->is_ending)
			break;
		t->is_idle = due_ms == INT64_MAX;
		if (t->is_idle)
			pthread_cond_wait(&t->change, &t->lock);
		else
			cfs_cond_wait_until(&t->change, &t->lock, due_ms);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void log_locked(struct cfs_failures *t, const struct cfs_failure *f,
		       bool is_logged, struct cfs_failure_lines *lines)
{
	cfs_failure_log_note(&t->log, f->cause,
			     f->code == CFS_ETIMEOUT ? CFS_EIO : f->code,
			     f->line, is_logged, cfs_monotonic_ms(), lines);
	if (!t->has_thread)
		t->has_thread = cfs_thread_start(&t->thread, failures_settle,
						 t);
	if (t->is_idle)
		pthread_cond_signal(&t->change);
}

bool cfs_failures_count(struct cfs_failures *t, uint64_t of, uint64_t how,
			int code, bool is_logged)
{
	struct cfs_failure_lines lines = { .n = 0 };
	unsigned i;

	pthread_mutex_lock(&t->lock);
	i = failures_find_locked(t, of, how, code);
	if (i != 0) {
		count_locked(t, i);
		log_locked(t, &t->v[i - 1].f, is_logged, &lines);
	}
	pthread_mutex_unlock(&t->lock);
	cfs_failure_lines_log(&lines);
	return i != 0;
}

void cfs_failures_note(struct cfs_failures *t, const struct cfs_failure *f,
		       bool is_logged)
{
	struct cfs_failure_lines lines;

	pthread_mutex_lock(&t->lock);
	failures_list_locked(t, f);
	log_locked(t, f, is_logged, &lines);
	pthread_mutex_unlock(&t->lock);
	cfs_failure_lines_log(&lines);
}

/* ---- what is repeated -------------------------------------------------- */

int cfs_failures_recent(struct cfs_failures *t, uint64_t ino, const char *name,
			int64_t now_ms)
{
	int64_t until_ms = now_ms;
	int rc = CFS_OK;
	uint64_t of;

	if (atomic_load_explicit(&t->until_ms, memory_order_relaxed) <= now_ms)
		return CFS_OK;
	of = cfs_failures_key(ino, name);
	pthread_mutex_lock(&t->lock);
	for (unsigned i = *failures_head_of(t,
					    of); i != 0; i = t->v[i - 1].next) {
		const struct failure_slot *s = &t->v[i - 1];

		if (s->f.of == of && s->until_ms > until_ms) {
			until_ms = s->until_ms;
			rc = s->f.code;
		}
	}
	pthread_mutex_unlock(&t->lock);
	return rc;
}

/* The slot of the latest failure of `of` with that code, perhaps a new one. */
static struct failure_slot *slot_locked(struct cfs_failures *t, uint64_t of,
					int code)
{
	const struct cfs_failure f = { .of = of, .code = code };
	unsigned i = failures_find_locked(t, of, 0, code);

	if (i != 0)
		return &t->v[i - 1];
	(void)take_unlisted_locked(t, of, code);
	if (t->unlisted.n == UNLISTED_MAX)
		drop_locked(t, t->unlisted.oldest);
	return failures_insert_locked(t, &f, false);
}

void cfs_failures_remember(struct cfs_failures *t, uint64_t ino,
			   const char *name, int rc, int64_t began_ms,
			   int64_t now_ms)
{
	int64_t until_ms = now_ms + MOMENT_MS;

	/* one reader was interrupted: the others are not concerned */
	if (rc == CFS_EINTR || rc == CFS_ENOTFOUND ||
	    now_ms - began_ms < LONG_MS)
		return;
	pthread_mutex_lock(&t->lock);
	slot_locked(t, cfs_failures_key(ino, name), rc)->until_ms = until_ms;
	if (until_ms > t->until_ms)
		t->until_ms = until_ms;
	pthread_mutex_unlock(&t->lock);
}

/* ---- begin and end ----------------------------------------------------- */

struct cfs_failures *cfs_failures_new(void)
{
	struct cfs_failures *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	cfs_cond_init(&t->change);
	return t;
}

void cfs_failures_free(struct cfs_failures *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	t->is_ending = true;
	pthread_cond_signal(&t->change);
	pthread_mutex_unlock(&t->lock);
	if (t->has_thread)
		pthread_join(t->thread, NULL);
	pthread_mutex_lock(&t->lock);
	(void)settle_unlocks(t, INT64_MAX / 2, 0);
	pthread_mutex_unlock(&t->lock);
	for (unsigned i = 0; i < t->n; i++)
		free(t->v[i].own);
	pthread_cond_destroy(&t->change);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
