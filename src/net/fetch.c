/* fetch.c - the thread that fetches (see fetch.h).
 *
 * A job goes from `submitted` to its host's queue, from there into a transfer
 * while the host has a place, and when that failed into `delayed` until it is
 * tried again.  All lists but the first are the event thread's own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "s3_answer.h"
#include "transfer.h"

#define TRIES_MAX 8u
/* Of a server that was never reached: its name is wrong, or the network is
 * not there, and somebody waits to hear so. */
#define TRIES_STRANGER 3u
#define BACKOFF_FIRST_MS 200
#define BACKOFF_MAX_MS 10000
/* The public hosts ask for no more than one retry a second. */
#define BACKOFF_PUBLIC_MS 1000
#define IDLE_MS 10000
#define POOL_MAX 64u
#define CONNECTIONS_MAX 256L
#define WAIT_MS 50		/* how soon a waiter sees that it is to stop */

static struct {
	pthread_mutex_t lock;
	/* guarded by lock */
	CURLM *multi;			/* the thread's, but for wake-ups */
	pthread_t thread;
	bool is_ready, is_running, is_stopping, is_over, is_child;
	struct cfs_job_list submitted;
	size_t jobs;			/* that have not ended */
	/* the event thread's */
	struct cfs_transfer *active;
	struct cfs_transfer *pool;
	size_t pooled;
	struct cfs_job_list delayed;
	uint64_t random;
	/* what a parent process left behind: not to be touched */
	CURLM *old_multi;
	struct cfs_transfer *old_pool;
	atomic_bool look;		/* somebody does not want a job any more */
	atomic_bool log_failures;
} F = { .lock = PTHREAD_MUTEX_INITIALIZER, .log_failures = true };

void cfs_http_log_failures(bool on)
{
	atomic_store(&F.log_failures, on);
}

int64_t cfs_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t now_ms(void)
{
	return cfs_now_us() / 1000;
}

/* ---- lists ------------------------------------------------------------- */

static void push(struct cfs_job_list *l, struct cfs_job *job)
{
	job->next = NULL;
	job->prev = l->last;
	if (l->last != NULL)
		l->last->next = job;
	else
		l->first = job;
	l->last = job;
	l->n++;
}

static void cut(struct cfs_job_list *l, struct cfs_job *job)
{
	if (job->prev != NULL)
		job->prev->next = job->next;
	else
		l->first = job->next;
	if (job->next != NULL)
		job->next->prev = job->prev;
	else
		l->last = job->prev;
	job->next = job->prev = NULL;
	l->n--;
}

/* ---- what is known of an object ---------------------------------------- */

static bool differs(const char *a, const char *b)
{
	return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

static int compare_locked(const struct cfs_remote *r,
			  const struct cfs_answer *a, uint64_t total,
			  struct cfs_error *err)
{
	const char *name = r->src->name;

	if (total != CFS_SIZE_UNKNOWN && r->total != CFS_SIZE_UNKNOWN &&
	    total != r->total)
		return cfs_error_at(err, CFS_ECHANGED, name, 0,
			"changed on the server: it has %" PRIu64 " bytes, and "
			"had %" PRIu64, total, r->total);
	if (a == NULL)
		return CFS_OK;
	if (differs(a->etag, r->etag))
		return cfs_error_at(err, CFS_ECHANGED, name, 0,
			"changed on the server: its ETag is %.48s, and was "
			"%.48s", a->etag, r->etag);
	if ((a->etag[0] == '\0' || r->etag[0] == '\0') &&
	    differs(a->modified, r->modified))
		return cfs_error_at(err, CFS_ECHANGED, name, 0,
			"changed on the server: it is of %.40s, and was of "
			"%.40s", a->modified, r->modified);
	return CFS_OK;
}

int cfs_remote_learn(struct cfs_remote *r, const struct cfs_answer *a,
		     uint64_t total, struct cfs_error *err)
{
	int rc;

	pthread_mutex_lock(&r->lock);
	rc = compare_locked(r, a, total, err);
	if (rc == CFS_OK && a != NULL) {
		if (r->etag[0] == '\0')
			memcpy(r->etag, a->etag, sizeof(r->etag));
		if (r->modified[0] == '\0')
			memcpy(r->modified, a->modified, sizeof(r->modified));
	}
	if (rc == CFS_OK && total != CFS_SIZE_UNKNOWN &&
	    r->total == CFS_SIZE_UNKNOWN) {
		r->total = total;
		if (a != NULL && a->mtime != 0)
			r->src->mtime = a->mtime;
		r->src->size = total;	/* after mtime: who sees it sees both */
	}
	pthread_mutex_unlock(&r->lock);
	return rc;
}

/* ---- jobs -------------------------------------------------------------- */

static void unref(struct cfs_job *job)
{
	if (atomic_fetch_sub(&job->refs, 1) != 1)
		return;
	cfs_source_close(job->remote->src);
	cfs_buf_release(&job->body);
	pthread_cond_destroy(&job->changed);
	pthread_mutex_destroy(&job->lock);
	free(job);
}

/* Ends a job that is in no list.  err says why, unless code is 0. */
static void finish(struct cfs_job *job, int code, const struct cfs_error *err)
{
	pthread_mutex_lock(&F.lock);
	F.jobs--;
	pthread_mutex_unlock(&F.lock);
	if (job->done != NULL) {
		job->done(job->arg, code, code == CFS_OK ?
			  cfs_buf_slice(&job->body) : CFS_SLICE_EMPTY, err);
	} else {
		pthread_mutex_lock(&job->lock);
		job->is_done = true;
		job->code = code;
		if (err != NULL)
			job->err = *err;
		pthread_cond_signal(&job->changed);
		pthread_mutex_unlock(&job->lock);
	}
	unref(job);
}

/* After the last try, or at the deadline. */
static void finish_failed(struct cfs_job *job, bool is_late)
{
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_verdict *v = &job->last;
	struct cfs_host *h = job->host;
	enum cfs_cause cause = v->cause;
	int code = is_late ? CFS_ETIMEOUT : v->code;

	if (is_late && cause == CFS_CAUSE_NONE)
		cause = CFS_CAUSE_TIMEOUT;
	if (!is_late)
		cfs_error_at(&err, code, job->remote->src->name, job->off,
			     "%s", v->text);
	else if (v->text[0] == '\0')
		cfs_error_at(&err, code, job->remote->src->name, job->off,
			     "no answer in time");
	else
		cfs_error_at(&err, code, job->remote->src->name, job->off,
			     "no answer in time; the last of %u tries: %s",
			     job->tries, v->text);
	h->failures++;
	if (atomic_load(&F.log_failures))
		cfs_host_tell(h, cause, job->remote->src->name, err.text,
			      now_ms());
	finish(job, code, &err);
}

static void finish_unwanted(struct cfs_job *job)
{
	struct cfs_error err = CFS_ERROR_INIT;

	cfs_error_set(&err, CFS_EINTR, "interrupted");
	finish(job, CFS_EINTR, &err);
}

static bool is_unwanted(const struct cfs_job *job)
{
	return atomic_load(&job->unwanted) ||
	       (job->done != NULL &&
		job->abandoned != atomic_load(&job->remote->abandoned));
}

/* A server that sends is waited for, one that sends the same again is not. */
static int64_t deadline_of(const struct cfs_job *job)
{
	return job->deadline_ms + (int64_t)(atomic_load(job->came) /
					    CFS_DEADLINE_BYTES_PER_MS);
}

/* ---- retries ----------------------------------------------------------- */

static uint64_t any_number(void)
{
	if (F.random == 0 &&
	    getrandom(&F.random, sizeof(F.random), GRND_NONBLOCK) < 0)
		F.random = (uint64_t)cfs_now_us() ^ (uint64_t)getpid() << 32;
	F.random |= F.random == 0;
	F.random ^= F.random << 13;
	F.random ^= F.random >> 7;
	F.random ^= F.random << 17;
	return F.random;
}

/* Exponential, with full jitter. */
static int64_t backoff_ms(const struct cfs_job *job)
{
	int64_t most = BACKOFF_FIRST_MS;

	for (unsigned i = 1; i < job->tries && most < BACKOFF_MAX_MS; i++)
		most *= 2;
	if (most > BACKOFF_MAX_MS)
		most = BACKOFF_MAX_MS;
	most = (int64_t)(any_number() % (uint64_t)most) + 1;
	return job->host->is_public_crawl ? most + BACKOFF_PUBLIC_MS :
						    most;
}

/* The bytes that came before it broke can stay only where the next answer
 * shows that it is of the same state. */
static bool can_resume(const struct cfs_transfer *t)
{
	return t->answer.status == 206 &&
	       (t->answer.etag[0] != '\0' || t->answer.modified[0] != '\0');
}

/* A try that waited in vain for a connection has sent several packets. */
static bool is_out_of_reach(const struct cfs_job *job)
{
	return !job->host->has_answered &&
	       job->last.cause == CFS_CAUSE_CONNECT &&
	       (job->tries >= TRIES_STRANGER || job->last.code == CFS_ETIMEOUT);
}

static void try_again(struct cfs_job *job, uint32_t wait_s)
{
	int64_t now = now_ms(), wait = backoff_ms(job);

	if (wait < (int64_t)wait_s * 1000)
		wait = (int64_t)wait_s * 1000;
	if (job->tries >= TRIES_MAX || is_out_of_reach(job)) {
		finish_failed(job, false);
		return;
	}
	if (now + wait >= deadline_of(job)) {
		finish_failed(job, true);
		return;
	}
	job->host->retries++;
	job->due_ms = now + wait;
	push(&F.delayed, job);
}

/* ---- queues ------------------------------------------------------------- */

static unsigned timeout_ms(void)
{
	const struct cfs_http_settings *s = cfs_http_settings_get(NULL);
	unsigned ms = CFS_HTTP_TIMEOUT_DEFAULT_MS;

	if (s != NULL) {
		ms = s->timeout_ms;
		cfs_http_settings_put();
	}
	return ms;
}

static void enqueue(struct cfs_job *job)
{
	struct cfs_host *h = job->host;

	if (job->urgent && job->deadline_ms == 0)
		job->deadline_ms = now_ms() + timeout_ms();
	push(job->urgent ? &h->urgent : &h->queued, job);
	h->waiting++;
}

/* ---- transfers --------------------------------------------------------- */

static struct cfs_transfer *take_transfer(void)
{
	struct cfs_transfer *t = F.pool;

	if (t == NULL)
		return cfs_transfer_new();
	F.pool = t->next;
	F.pooled--;
	return t;
}

static void give_transfer(struct cfs_transfer *t)
{
	if (F.pooled >= POOL_MAX) {
		cfs_transfer_free(t);
		return;
	}
	t->job = NULL;
	t->next = F.pool;
	F.pool = t;
	F.pooled++;
}

/* Takes t out of libcurl's hands and out of `active`; its job is left. */
static struct cfs_job *end_transfer(struct cfs_transfer *t)
{
	struct cfs_job *job = t->job;

	curl_multi_remove_handle(F.multi, t->easy);
	if (t->prev != NULL)
		t->prev->next = t->next;
	else
		F.active = t->next;
	if (t->next != NULL)
		t->next->prev = t->prev;
	job->host->in_flight--;
	return job;
}

static void send_request(struct cfs_job *job)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_transfer *t = take_transfer();
	int rc = t == NULL ? cfs_error_set(&err, CFS_ENOMEM, "out of memory") :
		 cfs_transfer_setup(t, job, &err);

	if (rc == CFS_OK && curl_multi_add_handle(F.multi, t->easy) != CURLM_OK)
		rc = cfs_error_set(&err, CFS_EIO, "libcurl takes no request");
	if (rc != CFS_OK) {
		cfs_transfer_free(t);
		finish(job, rc, &err);
		return;
	}
	job->tries++;
	t->prev = NULL;
	t->next = F.active;
	if (F.active != NULL)
		F.active->prev = t;
	F.active = t;
	job->host->requests++;
	job->host->in_flight++;
}

static void note_http2(struct cfs_transfer *t, struct cfs_host *h)
{
	long version = 0;

	if (curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version) ==
	    CURLE_OK)
		h->is_http2 = version == CURL_HTTP_VERSION_2_0;
}

static void succeed(struct cfs_transfer *t, struct cfs_job *job)
{
	struct cfs_host *h = job->host;
	int64_t first_us = t->first_us - t->started_us;

	note_http2(t, h);
	cfs_host_good(h, first_us > 0 ? (uint64_t)first_us : 0,
		      job->body.n - t->before);
	give_transfer(t);
	finish(job, CFS_OK, NULL);
}

/* S3 tells in which region a bucket is when it was asked in another: what is
 * signed for one is refused by the others.  Asks there from now on. */
static bool moves_region(const char *region, const struct cfs_transfer *t,
			 struct cfs_remote *r)
{
	const struct cfs_http_settings *s;
	struct cfs_s3_setup there;
	struct cfs_location loc, asked;
	struct cfs_buf url;
	struct cfs_host *host = NULL;
	char *copy = NULL;

	if (!r->sign || !cfs_s3_is_region(cfs_slice_str(region)) ||
	    strcmp(r->region, t->region) != 0)
		return false;
	s = cfs_http_settings_get(NULL);
	if (s == NULL)
		return false;
	there = s->s3;
	there.region = r->region;
	cfs_buf_init(&url, 4 * CFS_LOCATION_MAX);
	if (there.key_id != NULL &&
	    strcmp(t->region[0] ? t->region : s->s3.region, region) != 0 &&
	    cfs_location_parse(&loc, r->src->name, NULL) == CFS_OK) {
		cfs_s3_region_note(loc.host, region);
		snprintf(r->region, sizeof(r->region), "%s", region);
		cfs_s3_url(&there, &loc, &url);
		copy = strdup(cfs_buf_str(&url));
		if (copy != NULL &&
		    cfs_location_parse(&asked, copy, NULL) == CFS_OK)
			host = cfs_host_get(&asked, s->parallel);
	}
	cfs_http_settings_put();
	cfs_buf_release(&url);
	if (host == NULL) {
		free(copy);
		return false;
	}
	free(r->url);
	r->url = copy;
	r->host = host;
	return true;
}

/* The region that an answer tells: in its head, or in its text. */
static void told_region(const struct cfs_transfer *t,
			char out[CFS_S3_REGION_BYTES])
{
	size_t n = t->dropped < sizeof(t->refusal) ? t->dropped :
						     sizeof(t->refusal);
	struct cfs_s3_answer a;

	snprintf(out, CFS_S3_REGION_BYTES, "%s", t->answer.region);
	if (out[0] != '\0' || n == 0 ||
	    cfs_s3_answer_parse(&a, cfs_slice_of(t->refusal, n), NULL) != CFS_OK)
		return;
	if (a.kind == CFS_S3_ERROR)
		snprintf(out, CFS_S3_REGION_BYTES, "%s", a.region);
	cfs_s3_answer_release(&a);
}

/* The answer to a request that was signed for the wrong region. */
static bool asks_elsewhere(const struct cfs_transfer *t, struct cfs_job *job)
{
	char region[CFS_S3_REGION_BYTES];
	unsigned status = t->answer.status;

	if (!job->remote->sign || t->verdict.kind != CFS_VERDICT_FAIL || job->moved ||
	    (status != 301 && status != 307 && status != 400 && status != 403))
		return false;
	told_region(t, region);
	/* another job may have found it out meanwhile */
	job->moved = moves_region(region, t, job->remote) ||
		     strcmp(job->remote->region, t->region) != 0;
	return job->moved;
}

static void complete(struct cfs_transfer *t, CURLcode code)
{
	struct cfs_job *job;
	struct cfs_host *h;
	uint32_t wait_s;

	cfs_transfer_end(t, code);
	job = end_transfer(t);
	h = job->host;
	h->has_answered = h->has_answered || t->answer.status != 0;
	if (t->verdict.kind == CFS_VERDICT_BYTES ||
	    t->verdict.kind == CFS_VERDICT_END) {
		succeed(t, job);
		return;
	}
	if (asks_elsewhere(t, job)) {
		give_transfer(t);
		job->host = job->remote->host;
		enqueue(job);
		return;
	}
	job->last = t->verdict;
	wait_s = t->answer.has_retry ? t->answer.retry_s : 0;
	if (t->verdict.cause == CFS_CAUSE_BUSY) {
		cfs_host_busy(h, now_ms(), wait_s);
		cfs_host_tell(h, CFS_CAUSE_BUSY, h->name, t->verdict.text,
			      now_ms());
	} else if (t->verdict.cause == CFS_CAUSE_FORBIDDEN) {
		cfs_host_forbidden(h, now_ms());
	}
	if (t->verdict.kind == CFS_VERDICT_RETRY) {
		if (!can_resume(t))
			cfs_buf_reset(&job->body);
		give_transfer(t);
		try_again(job, wait_s);
	} else {
		give_transfer(t);
		finish_failed(job, false);
	}
}

/* ---- the loop ---------------------------------------------------------- */

static struct cfs_job *dequeue(struct cfs_host *h)
{
	struct cfs_job_list *l = h->urgent.n > 0 ? &h->urgent : &h->queued;
	struct cfs_job *job = l->first;

	if (job != NULL) {
		cut(l, job);
		h->waiting--;
	}
	return job;
}

static void take_submitted(void)
{
	struct cfs_job_list l;

	pthread_mutex_lock(&F.lock);
	l = F.submitted;
	F.submitted = (struct cfs_job_list){ NULL, NULL, 0 };
	pthread_mutex_unlock(&F.lock);
	while (l.first != NULL) {
		struct cfs_job *job = l.first;

		cut(&l, job);
		job->host = job->remote->host;
		enqueue(job);
	}
}

/* ms until `when`, no more than what *wait has been. */
static void sooner(int64_t when, int64_t now, int64_t *wait)
{
	int64_t ms = when > now ? when - now : 0;

	if (ms < *wait)
		*wait = ms;
}

static void dispatch(int64_t now, int64_t *wait)
{
	for (struct cfs_host *h = cfs_host_first(); h != NULL; h = h->next) {
		if (h->waiting > 0 && h->paused_until_ms > now) {
			sooner(h->paused_until_ms, now, wait);
			continue;
		}
		while (h->waiting > 0 && h->in_flight < h->limit) {
			struct cfs_job *job = dequeue(h);

			if (job->deadline_ms == 0)
				job->deadline_ms = now + timeout_ms();
			send_request(job);
		}
	}
}

static void check_active(int64_t now, bool look, int64_t *wait)
{
	struct cfs_transfer *t, *next;

	for (t = F.active; t != NULL; t = next) {
		struct cfs_job *job = t->job;
		int64_t stalls = t->last_us / 1000 + t->stall_ms;

		next = t->next;
		if (look && is_unwanted(job)) {
			end_transfer(t);
			give_transfer(t);
			finish_unwanted(job);
		} else if (now >= deadline_of(job) || now >= stalls) {
			bool is_late = now >= deadline_of(job);

			snprintf(t->text, sizeof(t->text), "nothing came for "
				 "%u ms", (unsigned)(now - t->last_us / 1000));
			/* what the head said, unless that was: bytes */
			t->is_judged = t->is_judged &&
				       t->verdict.kind != CFS_VERDICT_BYTES;
			if (is_late) {
				end_transfer(t);
				give_transfer(t);
				finish_failed(job, true);
			} else {
				complete(t, CURLE_OPERATION_TIMEDOUT);
			}
		} else {
			sooner(stalls, now, wait);
			sooner(deadline_of(job), now, wait);
		}
	}
}

static void check_list(struct cfs_job_list *l, struct cfs_host *h, int64_t now,
		       bool look, int64_t *wait)
{
	struct cfs_job *job, *next;

	for (job = l->first; job != NULL; job = next) {
		bool unwanted = look && is_unwanted(job);
		bool is_late = job->deadline_ms != 0 && now >= deadline_of(job);

		next = job->next;
		if (job->deadline_ms != 0)
			sooner(deadline_of(job), now, wait);
		if (!unwanted && !is_late)
			continue;
		cut(l, job);
		if (h != NULL)
			h->waiting--;
		if (unwanted)
			finish_unwanted(job);
		else
			finish_failed(job, true);
	}
}

static void check_delayed(int64_t now, int64_t *wait)
{
	struct cfs_job *job, *next;

	for (job = F.delayed.first; job != NULL; job = next) {
		next = job->next;
		if (job->due_ms > now) {
			sooner(job->due_ms, now, wait);
			continue;
		}
		cut(&F.delayed, job);
		enqueue(job);
	}
}

static void check_all(int64_t now, int64_t *wait)
{
	bool look = atomic_exchange(&F.look, false);

	check_active(now, look, wait);
	check_list(&F.delayed, NULL, now, look, wait);
	for (struct cfs_host *h = cfs_host_first(); h != NULL; h = h->next) {
		check_list(&h->urgent, h, now, look, wait);
		if (look)
			check_list(&h->queued, h, now, look, wait);
	}
	check_delayed(now, wait);
}

static bool take_results(void)
{
	CURLMsg *m;
	bool any = false;
	int left;

	while ((m = curl_multi_info_read(F.multi, &left)) != NULL) {
		struct cfs_transfer *t = NULL;
		CURLcode code = m->data.result;

		if (m->msg != CURLMSG_DONE)
			continue;
		any = true;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE,
				  (char **)&t);
		if (t != NULL)
			complete(t, code);
	}
	return any;
}

static bool is_stopping(void)
{
	bool yes;

	pthread_mutex_lock(&F.lock);
	yes = F.is_stopping;
	pthread_mutex_unlock(&F.lock);
	return yes;
}

static void *run(void *arg)
{
	(void)arg;
	while (!is_stopping()) {
		int64_t wait = IDLE_MS, now;
		int running;

		take_submitted();
		now = now_ms();
		check_all(now, &wait);
		dispatch(now, &wait);
		curl_multi_perform(F.multi, &running);
		if (take_results())
			wait = 0;	/* there is a place, or a retry */
		curl_multi_poll(F.multi, NULL, 0, (int)wait, NULL);
	}
	return NULL;
}

/* ---- starting and stopping --------------------------------------------- */

/* In a child of the process that began: connections are shared with the
 * parent, so none of them may be used or closed in good order. */
static void begin_anew_locked(void)
{
	while (F.active != NULL) {
		struct cfs_transfer *t = F.active;
		struct cfs_job *job = t->job;

		F.active = t->next;
		job->host->in_flight--;
		cfs_buf_reset(&job->body);
		push(&F.submitted, job);
		t->next = F.old_pool;
		F.old_pool = t;
	}
	F.old_multi = F.multi;
	F.multi = NULL;
	F.is_child = false;
}

static bool make_multi_locked(void)
{
	if (F.multi != NULL)
		return true;
	F.multi = curl_multi_init();
	if (F.multi == NULL)
		return false;
	curl_multi_setopt(F.multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	curl_multi_setopt(F.multi, CURLMOPT_MAXCONNECTS, CONNECTIONS_MAX);
	return true;
}

static bool start_thread_locked(void)
{
	sigset_t all, old;
	int rc;

	if (F.is_running)
		return true;
	if (F.is_over)
		return false;
	if (F.is_child)
		begin_anew_locked();
	if (!make_multi_locked())
		return false;
	F.is_stopping = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&F.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	F.is_running = rc == 0;
	return F.is_running;
}

/* Also when another thread starts it again meanwhile. */
static void stop_thread_locked(void)
{
	while (F.is_running) {
		pthread_t thread = F.thread;

		F.is_running = false;
		F.is_stopping = true;
		curl_multi_wakeup(F.multi);
		pthread_mutex_unlock(&F.lock);
		pthread_join(thread, NULL);
		pthread_mutex_lock(&F.lock);
	}
}

static void before_fork(void)
{
	pthread_mutex_lock(&F.lock);
	stop_thread_locked();
}

static void after_fork_parent(void)
{
	if (F.jobs > 0)
		start_thread_locked();
	pthread_mutex_unlock(&F.lock);
}

static void after_fork_child(void)
{
	F.is_child = F.multi != NULL;
	pthread_mutex_unlock(&F.lock);
}

/* Before the libraries that libcurl uses end themselves. */
static void at_exit(void)
{
	pthread_mutex_lock(&F.lock);
	F.is_over = true;
	stop_thread_locked();
	pthread_mutex_unlock(&F.lock);
}

static bool get_ready_locked(void)
{
	if (F.is_ready)
		return true;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return false;
	F.is_ready = pthread_atfork(before_fork, after_fork_parent,
				    after_fork_child) == 0 &&
		     atexit(at_exit) == 0;
	return F.is_ready;
}

/* ---- for others -------------------------------------------------------- */

static struct cfs_job *new_job(struct cfs_remote *r, uint64_t off, size_t n)
{
	struct cfs_job *job = calloc(1, sizeof(*job));
	pthread_condattr_t attr;

	if (job == NULL)
		return NULL;
	job->remote = r;
	job->off = off;
	job->n = n;
	atomic_init(&job->refs, 1);
	job->abandoned = atomic_load(&r->abandoned);
	cfs_buf_init(&job->body, n);
	pthread_mutex_init(&job->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&job->changed, &attr);
	pthread_condattr_destroy(&attr);
	cfs_source_ref(r->src);
	return job;
}

int cfs_fetch_start(struct cfs_job **out, struct cfs_remote *r, uint64_t off,
		    size_t n, bool urgent, cfs_source_done *done, void *arg,
		    _Atomic uint64_t *came, struct cfs_error *err)
{
	struct cfs_job *job;
	bool ok;

	if (n == 0 || n > CFS_FETCH_MAX || off > UINT64_MAX / 2)
		return cfs_error_at(err, CFS_ELIMIT, r->src->name, off,
				    "cannot fetch %zu bytes at once", n);
	job = new_job(r, off, n);
	if (job == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	job->urgent = urgent;
	job->done = done;
	job->arg = arg;
	job->came = came != NULL ? came : &job->own_came;
	if (done == NULL) {
		atomic_store(&job->refs, 2);
		*out = job;
	}
	pthread_mutex_lock(&F.lock);
	ok = get_ready_locked() && start_thread_locked();
	if (ok) {
		push(&F.submitted, job);
		F.jobs++;
		curl_multi_wakeup(F.multi);
	}
	pthread_mutex_unlock(&F.lock);
	if (ok)
		return CFS_OK;
	atomic_store(&job->refs, 1);
	unref(job);
	return cfs_error_set(err, CFS_EIO, "cannot start the thread that fetches");
}

static void wake(void)
{
	atomic_store(&F.look, true);
	pthread_mutex_lock(&F.lock);
	if (F.is_running)
		curl_multi_wakeup(F.multi);
	pthread_mutex_unlock(&F.lock);
}

void cfs_fetch_drop(struct cfs_job *job)
{
	atomic_store(&job->unwanted, true);
	wake();
	unref(job);
}

static void wait_a_little(struct cfs_job *job)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += WAIT_MS * 1000000L;
	if (t.tv_nsec >= 1000000000L) {
		t.tv_nsec -= 1000000000L;
		t.tv_sec++;
	}
	pthread_cond_timedwait(&job->changed, &job->lock, &t);
}

int cfs_fetch_wait(struct cfs_job *job, void *buf, size_t *got,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc = CFS_OK, code;
	bool is_done;

	*got = 0;
	pthread_mutex_lock(&job->lock);
	while (!job->is_done && rc == CFS_OK) {
		rc = cfs_cancel_check(cancel, atomic_load(job->came), NULL);
		if (rc == CFS_OK)
			wait_a_little(job);
	}
	is_done = job->is_done;
	code = job->code;
	pthread_mutex_unlock(&job->lock);
	cfs_cancel_came(cancel, atomic_load(job->came));
	if (!is_done) {
		cfs_fetch_drop(job);
		return cfs_error_set(err, rc, "%s", rc == CFS_EINTR ?
				     "interrupted" : "no answer in time");
	}
	if (code == CFS_OK) {
		*got = job->body.n;
		if (job->body.n > 0)
			memcpy(buf, job->body.p, job->body.n);
	} else {
		cfs_error_at(err, code, job->err.where, job->err.offset, "%s",
			     job->err.text);
	}
	unref(job);
	return code;
}

void cfs_fetch_abandon(struct cfs_remote *r)
{
	atomic_fetch_add(&r->abandoned, 1);
	wake();
}
