/* fetch.c - the thread that fetches ranges: queues, retries, deadlines.
 *
 * A job goes from `submitted` to the queue of its host, from there into a
 * transfer once the host has a free place, and after a failure into `delayed`
 * until it is tried again.  All lists but the first belong to the event thread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sync.h"
#include "http_settings.h"
#include "keys.h"
#include "remote.h"
#include "transfer.h"

/* How soon to look again for new credentials. */
#define KEYS_AGAIN_MS 20
/* Answers that have less than was asked for: so many, and one more for so many
 * bytes.  A server may cap ranges, but not send byte after byte. */
#define PARTS_MAX 16u
#define PART_BYTES_LEAST 512u
/* Most requests at a time for an object that has given nothing yet: it may not
 * be there. */
#define FIRST_PARALLEL 4u
#define IDLE_MS 10000
#define POOL_MAX 64u
#define CONNECTIONS_MAX 256L

static struct {
	pthread_mutex_t lock;
	/* guarded by lock */
	CURLM *multi;			/* for the thread, except to wake it */
	pthread_t thread;
	bool is_ready, is_running, is_stopping, is_over;
	struct cfs_job_list submitted;
	/* for the event thread */
	struct cfs_job_list active, delayed;
	struct cfs_transfer *pool;
	size_t pooled;
	atomic_bool has_unwanted;		/* some job is no
						 * longer wanted */
} fetcher = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Shortens *wait to the milliseconds until `when`. */
static void wait_until(int64_t when, int64_t now, int64_t *wait)
{
	int64_t ms = when > now ? when - now : 0;

	if (ms < *wait)
		*wait = ms;
}

/* ---- jobs -------------------------------------------------------------- */

/* Ends a job that is in no list. err says why, unless code is 0. */
static void finish(struct cfs_job *job, int code, const struct cfs_error *err)
{
	if (job->is_probe)
		cfs_host_probe_gone(job->host);
	cfs_job_end(job, code, err);
}

/* Notes what a job's final failure says about its server. */
static void note_failed_job(struct cfs_job *job)
{
	int64_t now = cfs_monotonic_ms();

	if (job->tries > 0 && job->failed.kind != CFS_TRY_ANSWERED) {
		job->failed.text = job->last.text[0] ? job->last.text :
						       "no answer in time";
		cfs_host_failed(job->host, &job->failed, true, now);
	}
	if (job->is_probe)
		cfs_host_probe_failed(job->host, now);
	job->is_probe = false;
}

/* Ends a job after its last try, or at its deadline, which makes no refusal
 * anything else. */
static void finish_failed(struct cfs_job *job, bool is_late)
{
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_verdict *v = &job->last;
	struct cfs_host *h = job->host;
	enum cfs_cause cause = v->cause;
	int code = is_late && v->code != CFS_EACCESS ? CFS_ETIMEOUT : v->code;

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
	note_failed_job(job);
	if (job->tries > 0)
		cfs_absent_note(job->remote->url, v, job->remote->has_answered,
				cfs_monotonic_ms());
	if (cfs_http_failures_are_logged() && !h->outage.is_down)
		cfs_host_log_failure(h, cause, job->remote->src->name,
				     err.text, cfs_monotonic_ms());
	finish(job, code, &err);
}

static void finish_unwanted(struct cfs_job *job)
{
	struct cfs_error err = CFS_ERROR_INIT;

	cfs_error_set(&err, CFS_EINTR, "interrupted");
	finish(job, CFS_EINTR, &err);
}

/* ---- retries ----------------------------------------------------------- */

/* May the job be sent, or is its server down? */
static enum cfs_outage_word fetch_ask(const struct cfs_job *job, int64_t now)
{
	const struct cfs_host *h = job->host;

	return cfs_outage_ask(&h->outage, job->remote, h->probe != NULL, now);
}

static void try_again(struct cfs_job *job, uint32_t wait_s)
{
	int64_t now = cfs_monotonic_ms();
	int64_t wait = cfs_host_retry_ms(job->host, job->tries, wait_s);

	if (cfs_retry_is_enough(job) || job->is_probe ||
	    fetch_ask(job, now) != CFS_OUTAGE_GO) {
		finish_failed(job, false);
		return;
	}
	if (now + wait >= cfs_job_deadline_ms(job)) {
		finish_failed(job, true);
		return;
	}
	job->host->retries++;
	job->due_ms = now + wait;
	cfs_job_list_push(&fetcher.delayed, job);
}

/* ---- queues ------------------------------------------------------------- */

static void fetch_enqueue(struct cfs_job *job)
{
	struct cfs_host *h = job->host;

	if (job->urgent && job->deadline_ms == 0)
		job->deadline_ms = cfs_monotonic_ms() + cfs_http_timeout_ms();
	cfs_job_list_push(job->urgent ? &h->urgent : &h->queued, job);
	h->waiting++;
}

/* ---- transfers --------------------------------------------------------- */

static struct cfs_transfer *take_transfer(void)
{
	struct cfs_transfer *t = fetcher.pool;

	if (t == NULL)
		return cfs_transfer_new();
	fetcher.pool = t->next;
	fetcher.pooled--;
	return t;
}

static void give_transfer(struct cfs_transfer *t)
{
	if (fetcher.pooled >= POOL_MAX) {
		cfs_transfer_free(t);
		return;
	}
	t->job = NULL;
	t->next = fetcher.pool;
	fetcher.pool = t;
	fetcher.pooled++;
}

/* Removes t from libcurl and its job from `active`. */
static void end_transfer(struct cfs_transfer *t)
{
	curl_multi_remove_handle(fetcher.multi, t->easy);
	cfs_job_list_remove(&fetcher.active, t->job);
	t->job->host->in_flight--;
	t->job->remote->in_flight--;
}

/* Can the job's request be signed now?  If not, the job waits in `delayed` for
 * credentials, or has ended. */
static bool fetch_has_keys(struct cfs_job *job)
{
	struct cfs_error err = CFS_ERROR_INIT;
	enum cfs_keys_word word = !job->remote->sign ? CFS_KEYS_GO :
						       cfs_keys_poll(&err);

	if (word == CFS_KEYS_WAIT) {
		job->due_ms = cfs_monotonic_ms() + KEYS_AGAIN_MS;
		cfs_job_list_push(&fetcher.delayed, job);
	} else if (word == CFS_KEYS_FAIL) {
		finish(job, err.code, &err);
	} else if (job->awaits_keys &&
		   cfs_keys_generation() == job->generation) {
		finish_failed(job, false);
	} else {
		job->awaits_keys = false;
		return true;
	}
	return false;
}

static void send_request(struct cfs_job *job)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_transfer *t;
	int rc;

	if (!fetch_has_keys(job))
		return;
	t = take_transfer();
	rc = t == NULL ? cfs_error_nomem(&err) :
	     cfs_transfer_setup(t, job, &err);
	if (rc == CFS_OK &&
	    curl_multi_add_handle(fetcher.multi, t->easy) != CURLM_OK)
		rc = cfs_error_set(&err, CFS_EIO, "libcurl accepts no request");
	if (rc != CFS_OK) {
		cfs_transfer_free(t);
		finish(job, rc, &err);
		return;
	}
	job->tries++;
	job->transfer = t;
	job->is_probe = cfs_host_sent(job->host, job->remote,
				      job->host->probe != job);
	cfs_job_list_push(&fetcher.active, job);
	job->host->requests++;
	job->host->in_flight++;
	job->remote->in_flight++;
}

static void note_http2(struct cfs_transfer *t, struct cfs_host *h)
{
	long version = 0;

	if (curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version) ==
	    CURLE_OK)
		h->is_http2 = version == CURL_HTTP_VERSION_2_0;
}

/* Asks for the rest of what an answer had only a part of. */
static void go_on(struct cfs_job *job)
{
	job->tries = 0;
	if (++job->parts <= PARTS_MAX + job->n / PART_BYTES_LEAST) {
		fetch_enqueue(job);
		return;
	}
	job->last = (struct cfs_verdict){ .cause = CFS_CAUSE_BAD_ANSWER,
		.code = CFS_EIO, .text = "the server sends too little of what "
					 "is asked for at a time" };
	finish_failed(job, false);
}

static void succeed(struct cfs_transfer *t, struct cfs_job *job)
{
	struct cfs_host *h = job->host;
	int64_t first_us = t->first_us - t->started_us;
	bool is_short = t->verdict.is_short;

	note_http2(t, h);
	job->remote->has_answered = true;
	if (t->answer.status == 206) {
		cfs_remote_note_range(job->remote, cfs_monotonic_ms());
		h->has_ranges = true;
	}
	cfs_host_good(h, first_us > 0 ? (uint64_t)first_us : 0,
		      job->body.n - t->before);
	give_transfer(t);
	if (is_short)
		go_on(job);
	else
		finish(job, CFS_OK, NULL);
}

/* Notes what a request that ended with `code` says about the server. */
static void note_end(struct cfs_transfer *t, CURLcode code)
{
	struct cfs_job *job = t->job;
	struct cfs_host *h = job->host;
	int64_t now = cfs_monotonic_ms();

	cfs_transfer_end(t, code);
	end_transfer(t);
	job->failed = (struct cfs_failed_try){
		.kind = cfs_transfer_kind(t), .object = job->remote,
		.name = job->remote->src->name, .off = job->off,
		.sent_ms = t->started_us / 1000,
		.is_stranger = !h->has_answered, .code = t->verdict.code,
		.text = t->verdict.text,
	};
	if (job->failed.kind == CFS_TRY_ANSWERED) {
		cfs_host_answered(h, now);
		job->is_probe = false;
	} else {
		cfs_host_failed(h, &job->failed, false, now);
	}
	h->has_answered = h->has_answered || t->answer.status != 0;
}

static void fetch_complete(struct cfs_transfer *t, CURLcode code)
{
	struct cfs_job *job = t->job;
	struct cfs_host *h = job->host;
	uint32_t wait_s;

	note_end(t, code);
	if (t->verdict.kind == CFS_VERDICT_BYTES ||
	    t->verdict.kind == CFS_VERDICT_END) {
		succeed(t, job);
		return;
	}
	if (cfs_retry_moves_region(t)) {
		give_transfer(t);
		job->host = job->remote->host;
		fetch_enqueue(job);
		return;
	}
	job->last = t->verdict;
	if (cfs_retry_changes_keys(t)) {
		give_transfer(t);
		fetch_enqueue(job);
		return;
	}
	wait_s = t->answer.has_retry ? t->answer.retry_s : 0;
	if (t->verdict.cause == CFS_CAUSE_BUSY) {
		cfs_host_busy(h, cfs_monotonic_ms(), wait_s);
		cfs_host_log_failure(h, CFS_CAUSE_BUSY, h->name,
				     t->verdict.text, cfs_monotonic_ms());
	} else if (t->verdict.cause == CFS_CAUSE_FORBIDDEN ||
		   t->verdict.may_pass) {
		cfs_retry_note_forbidden(t);
	}
	if (t->verdict.kind == CFS_VERDICT_RETRY || cfs_retry_is_throttled(t)) {
		cfs_retry_drop_unsure(t);
		give_transfer(t);
		try_again(job, wait_s);
	} else {
		give_transfer(t);
		finish_failed(job, false);
	}
}

/* ---- servers that are down --------------------------------------------- */

static void probe_done(void *arg, int code, struct cfs_slice bytes,
		       const struct cfs_error *err)
{
	(void)arg, (void)code, (void)bytes, (void)err;
}

/* Makes a probe for one byte of what the job asks for, to be sent when the
 * pause ends. */
static void make_probe(const struct cfs_job *job)
{
	struct cfs_job *probe = cfs_job_new(job->remote, job->off, 1);

	if (probe == NULL)
		return;			/* then the next request is the probe */
	probe->host = job->host;
	probe->done = probe_done;
	probe->came = &probe->own_came;
	probe->abandoned = job->abandoned;
	job->host->probe = probe;
}

/* Sends the host's probe when due, or ends it when it is not needed. */
static void attend_probe(struct cfs_host *h, int64_t now, int64_t *wait)
{
	struct cfs_job *probe = h->probe;

	if (!h->outage.is_down || cfs_job_is_unwanted(probe)) {
		h->probe = NULL;
		finish_unwanted(probe);
	} else if (h->outage.is_probed) {
		return;
	} else if (now < h->outage.again_ms) {
		wait_until(h->outage.again_ms, now, wait);
	} else {
		probe->deadline_ms = now + cfs_http_timeout_ms();
		send_request(probe);
		h->probe = NULL;
	}
}

/* Ends a job, which is in no list, with the server's last failure. */
static void fetch_refuse(struct cfs_job *job)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_host *h = job->host;
	struct cfs_outage *o = &h->outage;

	cfs_error_at(&err, o->code, o->is_whole ? h->name :
		     job->remote->src->name, 0, "%s; it is asked again later",
		     o->text);
	h->failures++;
	h->refused++;
	o->refused++;
	if (h->probe == NULL && !cfs_job_is_unwanted(job))
		make_probe(job);
	finish(job, o->code, &err);
}

static void refuse_list(struct cfs_job_list *l, struct cfs_host *h, int64_t now)
{
	struct cfs_job *job, *next;

	for (job = l->first; job != NULL; job = next) {
		next = job->next;
		if (job->host != h || fetch_ask(job, now) != CFS_OUTAGE_REFUSE)
			continue;
		cfs_job_list_remove(l, job);
		if (l != &fetcher.delayed)
			h->waiting--;
		fetch_refuse(job);
	}
}

/* Ends requests under way for which no byte of an answer has come. */
static void refuse_active(struct cfs_host *h, int64_t now)
{
	struct cfs_job *job, *next;

	for (job = fetcher.active.first; job != NULL; job = next) {
		struct cfs_transfer *t = job->transfer;

		next = job->next;
		if (job->host != h || t->first_us != 0 || job->is_probe ||
		    fetch_ask(job, now) != CFS_OUTAGE_REFUSE)
			continue;
		end_transfer(t);
		give_transfer(t);
		fetch_refuse(job);
	}
}

static void refuse_all(struct cfs_host *h, int64_t now)
{
	refuse_list(&h->urgent, h, now);
	refuse_list(&h->queued, h, now);
	if (!h->outage.is_new)
		return;
	h->outage.is_new = false;
	refuse_list(&fetcher.delayed, h, now);
	refuse_active(h, now);
}

/* ---- the loop ---------------------------------------------------------- */

static bool waits_for_first(const struct cfs_job *job)
{
	return !job->remote->has_answered &&
	       job->remote->in_flight >= FIRST_PARALLEL;
}

/* The first job of a list that may be sent; NULL if there is none. */
static struct cfs_job *first_of(const struct cfs_job_list *l, int64_t now)
{
	struct cfs_job *job = l->first;

	while (job != NULL && (waits_for_first(job) ||
			       fetch_ask(job, now) != CFS_OUTAGE_GO))
		job = job->next;
	return job;
}

static struct cfs_job *dequeue(struct cfs_host *h, int64_t now)
{
	struct cfs_job_list *l = &h->urgent;
	struct cfs_job *job = first_of(l, now);

	if (job == NULL) {
		l = &h->queued;
		job = first_of(l, now);
	}
	if (job != NULL) {
		cfs_job_list_remove(l, job);
		h->waiting--;
	}
	return job;
}

/* Ends a job for an object that is known to be absent. */
static bool fail_absent(struct cfs_job *job, int64_t now)
{
	if (!cfs_absent_find(job->remote->url, &job->last, now))
		return false;
	finish_failed(job, false);
	return true;
}

static void take_submitted(void)
{
	int64_t now = cfs_monotonic_ms();
	struct cfs_job_list l;

	pthread_mutex_lock(&fetcher.lock);
	l = fetcher.submitted;
	fetcher.submitted = (struct cfs_job_list){ NULL, NULL, 0 };
	pthread_mutex_unlock(&fetcher.lock);
	while (l.first != NULL) {
		struct cfs_job *job = l.first;

		cfs_job_list_remove(&l, job);
		job->host = job->remote->host;
		if (!fail_absent(job, now))
			fetch_enqueue(job);
	}
}

static void dispatch(int64_t now, int64_t *wait)
{
	for (struct cfs_host *h = cfs_host_first(); h != NULL; h = h->next) {
		if (h->outage.is_down)
			refuse_all(h, now);
		if (h->probe != NULL)
			attend_probe(h, now, wait);
		if (h->waiting > 0 && h->paused_until_ms > now) {
			wait_until(h->paused_until_ms, now, wait);
			continue;
		}
		while (h->waiting > 0 && h->in_flight < h->limit) {
			struct cfs_job *job = dequeue(h, now);

			if (job == NULL)
				break;		/* all wait for an answer */
			if (fail_absent(job, now))
				continue;
			if (job->deadline_ms == 0)
				job->deadline_ms = now + cfs_http_timeout_ms();
			send_request(job);
		}
	}
}

static void check_active(int64_t now, bool has_unwanted, int64_t *wait)
{
	struct cfs_job *job, *next;

	for (job = fetcher.active.first; job != NULL; job = next) {
		struct cfs_transfer *t = job->transfer;
		int64_t stalls = t->last_us / 1000 + t->stall_ms;

		next = job->next;
		if (has_unwanted && cfs_job_is_unwanted(job)) {
			end_transfer(t);
			give_transfer(t);
			finish_unwanted(job);
		} else if (now >= cfs_job_deadline_ms(job) || now >= stalls) {
			bool is_late = now >= cfs_job_deadline_ms(job);

			snprintf(t->text, sizeof(t->text), "nothing came for "
				 "%u ms", (unsigned)(now - t->last_us / 1000));
			/* A verdict by the head stands, unless it was to take
			 * the bytes. */
			t->is_judged = t->is_judged &&
				       t->verdict.kind != CFS_VERDICT_BYTES;
			if (is_late) {
				note_end(t, CURLE_OPERATION_TIMEDOUT);
				give_transfer(t);
				finish_failed(job, true);
			} else {
				fetch_complete(t, CURLE_OPERATION_TIMEDOUT);
			}
		} else {
			wait_until(stalls, now, wait);
			wait_until(cfs_job_deadline_ms(job), now, wait);
		}
	}
}

static void check_list(struct cfs_job_list *l, struct cfs_host *h, int64_t now,
		       bool has_unwanted, int64_t *wait)
{
	struct cfs_job *job, *next;

	for (job = l->first; job != NULL; job = next) {
		bool unwanted = has_unwanted && cfs_job_is_unwanted(job);
		bool has_deadline = job->deadline_ms != 0;
		bool is_late = has_deadline && now >= cfs_job_deadline_ms(job);

		next = job->next;
		if (has_deadline)
			wait_until(cfs_job_deadline_ms(job), now, wait);
		if (!unwanted && !is_late)
			continue;
		cfs_job_list_remove(l, job);
		if (h != NULL)
			h->waiting--;
		if (unwanted)
			finish_unwanted(job);
		else
			finish_failed(job, true);
	}
}

/* While a server refuses, what is queued for it has a deadline, too: it gets
 * one request at a time, after ever longer pauses. */
static void limit_queued(struct cfs_host *h, int64_t now)
{
	for (struct cfs_job *job = h->queued.first; job != NULL;
	     job = job->next) {
		if (h->refusals > 0 && job->deadline_ms == 0)
			job->deadline_ms = now + cfs_http_timeout_ms();
		else if (h->refusals == 0 && job->tries == 0)
			job->deadline_ms = 0;
	}
	h->limits_queued = h->refusals > 0;
}

static void enqueue_due(int64_t now)
{
	struct cfs_job *job, *next;

	for (job = fetcher.delayed.first; job != NULL; job = next) {
		next = job->next;
		if (job->due_ms > now)
			continue;
		cfs_job_list_remove(&fetcher.delayed, job);
		fetch_enqueue(job);
	}
}

/* Follows dispatch(), which also delays jobs. */
static void wait_for_delayed(int64_t now, int64_t *wait)
{
	struct cfs_job *job;

	for (job = fetcher.delayed.first; job != NULL; job = job->next)
		wait_until(job->due_ms, now, wait);
}

static void check_all(int64_t now, int64_t *wait)
{
	bool has_unwanted = atomic_exchange(&fetcher.has_unwanted, false);

	check_active(now, has_unwanted, wait);
	check_list(&fetcher.delayed, NULL, now, has_unwanted, wait);
	for (struct cfs_host *h = cfs_host_first(); h != NULL; h = h->next) {
		check_list(&h->urgent, h, now, has_unwanted, wait);
		if (h->refusals > 0 || h->limits_queued)
			limit_queued(h, now);
		if (has_unwanted || h->limits_queued)
			check_list(&h->queued, h, now, has_unwanted, wait);
	}
	enqueue_due(now);
}

static bool take_results(void)
{
	CURLMsg *m;
	bool any = false;
	int left;

	while ((m = curl_multi_info_read(fetcher.multi, &left)) != NULL) {
		struct cfs_transfer *t = NULL;
		CURLcode code = m->data.result;

		if (m->msg != CURLMSG_DONE)
			continue;
		any = true;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE,
				  (char **)&t);
		if (t != NULL)
			fetch_complete(t, code);
	}
	return any;
}

static bool fetch_is_stopping(void)
{
	bool yes;

	pthread_mutex_lock(&fetcher.lock);
	yes = fetcher.is_stopping;
	pthread_mutex_unlock(&fetcher.lock);
	return yes;
}

static void *fetch_run(void *arg)
{
	(void)arg;
	while (!fetch_is_stopping()) {
		int64_t wait = IDLE_MS, now;
		int running;

		take_submitted();
		now = cfs_monotonic_ms();
		check_all(now, &wait);
		dispatch(now, &wait);
		wait_for_delayed(now, &wait);
		curl_multi_perform(fetcher.multi, &running);
		if (take_results())
			continue;	/* a place may be free, or a
					 * retry due */
		curl_multi_poll(fetcher.multi, NULL, 0, (int)wait, NULL);
	}
	return NULL;
}

/* ---- starting and stopping --------------------------------------------- */

static bool make_multi_locked(void)
{
	if (fetcher.multi != NULL)
		return true;
	fetcher.multi = curl_multi_init();
	if (fetcher.multi == NULL)
		return false;
	curl_multi_setopt(fetcher.multi, CURLMOPT_PIPELINING,
			  (long)CURLPIPE_MULTIPLEX);
	curl_multi_setopt(fetcher.multi, CURLMOPT_MAXCONNECTS, CONNECTIONS_MAX);
	return true;
}

static bool start_thread_locked(void)
{
	if (fetcher.is_running)
		return true;
	if (fetcher.is_over)
		return false;
	if (!make_multi_locked())
		return false;
	fetcher.is_stopping = false;
	fetcher.is_running = cfs_thread_start(&fetcher.thread, fetch_run, NULL);
	return fetcher.is_running;
}

/* Repeats if another thread starts it again meanwhile. */
static void stop_thread_unlocks(void)
{
	while (fetcher.is_running) {
		pthread_t thread = fetcher.thread;

		fetcher.is_running = false;
		fetcher.is_stopping = true;
		curl_multi_wakeup(fetcher.multi);
		pthread_mutex_unlock(&fetcher.lock);
		pthread_join(thread, NULL);
		pthread_mutex_lock(&fetcher.lock);
	}
}

/* Runs before the exit handlers of the libraries that libcurl uses. */
static void fetch_at_exit(void)
{
	pthread_mutex_lock(&fetcher.lock);
	fetcher.is_over = true;
	stop_thread_unlocks();
	pthread_mutex_unlock(&fetcher.lock);
}

static bool fetch_get_ready_locked(void)
{
	if (fetcher.is_ready)
		return true;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return false;
	fetcher.is_ready = atexit(fetch_at_exit) == 0;
	return fetcher.is_ready;
}

/* ---- for callers ------------------------------------------------------- */

int cfs_fetch_start(struct cfs_job **out, struct cfs_remote *r, uint64_t off,
		    size_t n, bool urgent, cfs_source_done *done, void *arg,
		    _Atomic uint64_t *came, struct cfs_error *err)
{
	struct cfs_job *job;
	bool ok;

	if (n == 0 || n > CFS_FETCH_MAX || off > UINT64_MAX / 2)
		return cfs_error_at(err, CFS_ELIMIT, r->src->name, off,
				    "cannot fetch %zu bytes at once", n);
	if (r->sign)
		cfs_keys_check();
	job = cfs_job_new(r, off, n);
	if (job == NULL)
		return cfs_error_nomem(err);
	job->urgent = urgent;
	job->done = done;
	job->arg = arg;
	job->came = came != NULL ? came : &job->own_came;
	if (done == NULL) {
		atomic_store(&job->refs, 2);
		*out = job;
	}
	pthread_mutex_lock(&fetcher.lock);
	ok = fetch_get_ready_locked() && start_thread_locked();
	if (ok) {
		bool is_first = fetcher.submitted.first == NULL;

		cfs_job_list_push(&fetcher.submitted, job);
		if (is_first)	/* else it was woken, and takes all */
			curl_multi_wakeup(fetcher.multi);
	}
	pthread_mutex_unlock(&fetcher.lock);
	if (ok)
		return CFS_OK;
	atomic_store(&job->refs, 1);
	cfs_job_unref(job);
	return cfs_error_set(err, CFS_EIO,
			     "cannot start the thread that fetches");
}

static void wake(void)
{
	atomic_store(&fetcher.has_unwanted, true);
	pthread_mutex_lock(&fetcher.lock);
	if (fetcher.is_running)
		curl_multi_wakeup(fetcher.multi);
	pthread_mutex_unlock(&fetcher.lock);
}

void cfs_fetch_drop(struct cfs_job *job)
{
	bool is_done;

	pthread_mutex_lock(&job->lock);
	is_done = job->is_done;
	pthread_mutex_unlock(&job->lock);
	if (!is_done) {
		atomic_store(&job->unwanted, true);
		wake();
	}
	cfs_job_unref(job);
}

int cfs_fetch_wait(struct cfs_job *job, struct cfs_slice *bytes,
		   struct cfs_ctx ctx)
{
	int rc = CFS_OK;
	bool is_done;

	*bytes = CFS_SLICE_EMPTY;
	pthread_mutex_lock(&job->lock);
	while (!job->is_done && rc == CFS_OK) {
		rc = cfs_cancel_check(ctx.cancel, atomic_load(job->came), NULL);
		if (rc == CFS_OK)
			cfs_cond_wait_ms(&job->changed, &job->lock,
					 CFS_WAIT_SLICE_MS);
	}
	is_done = job->is_done;
	pthread_mutex_unlock(&job->lock);
	cfs_cancel_came(ctx.cancel, atomic_load(job->came));
	if (!is_done)
		return cfs_error_set(ctx.err, rc, "%s", rc == CFS_EINTR ?
				     "interrupted" : "no answer in time");
	if (job->code == CFS_OK)
		*bytes = cfs_buf_slice(&job->body);
	return cfs_error_pass(ctx.err, &job->err, job->code);
}

void cfs_fetch_abandon(struct cfs_remote *r)
{
	atomic_fetch_add(&r->abandoned, 1);
	wake();
}
