/* transfer.c - jobs, the lists that they wait in, and requests for them.
 *
 * The head is judged (answer.h) before any byte of the body is taken.  The body
 * of a refused answer is read only if it is short, to keep the connection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transfer.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/sync.h"
#include "request.h"
#include "s3_answer.h"

/* Connect timeout for a server whose last requests have failed. */
#define CONNECT_AGAIN_MS 4000u
#define UNCONFIRMED_MAX_MS 11000u
#define BUFFER_BYTES 65536L
#define DROP_MAX 16384u		/* from a refused answer's body */

/* ---- jobs -------------------------------------------------------------- */

struct cfs_job *cfs_job_new(struct cfs_remote *r, uint64_t off, size_t n)
{
	struct cfs_job *job = calloc(1, sizeof(*job));

	if (job == NULL)
		return NULL;
	job->remote = r;
	job->off = off;
	job->n = n;
	atomic_init(&job->refs, 1);
	job->abandoned = atomic_load(&r->abandoned);
	cfs_buf_init(&job->body, n);
	pthread_mutex_init(&job->lock, NULL);
	cfs_cond_init(&job->changed);
	cfs_source_ref(r->src);
	return job;
}

void cfs_job_unref(struct cfs_job *job)
{
	if (atomic_fetch_sub(&job->refs, 1) != 1)
		return;
	cfs_source_close(job->remote->src);
	cfs_buf_release(&job->body);
	pthread_cond_destroy(&job->changed);
	pthread_mutex_destroy(&job->lock);
	free(job);
}

void cfs_job_end(struct cfs_job *job, int code, const struct cfs_error *err)
{
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
	cfs_job_unref(job);
}

bool cfs_job_is_unwanted(const struct cfs_job *job)
{
	return atomic_load(&job->unwanted) ||
	       (job->done != NULL &&
		job->abandoned != atomic_load(&job->remote->abandoned));
}

int64_t cfs_job_deadline_ms(const struct cfs_job *job)
{
	return job->deadline_ms + (int64_t)(atomic_load(job->came) /
					    CFS_DEADLINE_BYTES_PER_MS);
}

void cfs_job_list_push(struct cfs_job_list *l, struct cfs_job *job)
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

void cfs_job_list_remove(struct cfs_job_list *l, struct cfs_job *job)
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

/* ---- requests ---------------------------------------------------------- */

struct cfs_transfer *cfs_transfer_new(void)
{
	struct cfs_transfer *t = calloc(1, sizeof(*t));

	if (t == NULL || (t->easy = curl_easy_init()) == NULL) {
		free(t);
		return NULL;
	}
	cfs_buf_init(&t->refusal, DROP_MAX);
	return t;
}

void cfs_transfer_free(struct cfs_transfer *t)
{
	if (t == NULL)
		return;
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	cfs_buf_release(&t->refusal);
	free(t);
}

static void transfer_fail(struct cfs_transfer *t, enum cfs_verdict_kind kind,
			  enum cfs_cause cause, int code, const char *text)
{
	t->verdict = (struct cfs_verdict){ .kind = kind, .cause = cause,
		.code = code, .body = UINT64_MAX, .total = UINT64_MAX };
	snprintf(t->verdict.text, sizeof(t->verdict.text), "%.*s",
		 (int)sizeof(t->verdict.text) - 1, text);
	t->is_judged = true;
}

/* ---- the head ---------------------------------------------------------- */

static bool is_redirection(const struct cfs_transfer *t)
{
	unsigned s = t->answer.status;

	return t->follows && t->answer.has_location &&
	       (s == 301 || s == 302 || s == 303 || s == 307 || s == 308);
}

static void transfer_learn(struct cfs_transfer *t)
{
	struct cfs_error err = CFS_ERROR_INIT;
	bool has_bytes = t->verdict.kind == CFS_VERDICT_BYTES;

	if (!has_bytes && t->verdict.kind != CFS_VERDICT_END)
		return;
	/* The head of an error (416) does not describe the object. */
	if (cfs_remote_learn(t->job->remote, has_bytes ? &t->answer : NULL,
			     t->verdict.total, &err) != CFS_OK)
		transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_CHANGED,
			      CFS_ECHANGED, err.text);
}

/* True if the URL, perhaps by a redirection, is that of a folder: its page is
 * what belongs there. */
static bool leads_to_folder(const struct cfs_transfer *t)
{
	const char *url = t->job->remote->url;
	struct cfs_location from, to;
	char *last = NULL;

	return curl_easy_getinfo(t->easy, CURLINFO_EFFECTIVE_URL, &last) ==
		       CURLE_OK && last != NULL &&
	       cfs_location_parse(&from, url, NULL) == CFS_OK &&
	       cfs_location_parse(&to, last, NULL) == CFS_OK &&
	       cfs_slice_ends(to.path, CFS_SLICE_LIT("/")) &&
	       cfs_slice_starts(to.path, from.path) &&
	       to.path.n <= from.path.n + 1;
}

/* Says whether what failed may be throttling.  A server that has given
 * something refuses access, if that does not pass. */
static void set_may_pass(struct cfs_transfer *t, bool may_pass)
{
	t->verdict.may_pass = may_pass;
	if (may_pass && t->job->host->has_given)
		t->verdict.code = CFS_EACCESS;
}

/* The code of a server's very first answer lets callers look for a folder. */
static void fail_page(struct cfs_transfer *t)
{
	char text[96];

	snprintf(text, sizeof(text), "the server sends a page in place of the "
		 "file (status %u)", t->answer.status);
	transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_PAGE, CFS_EUNSUPPORTED,
		      text);
	set_may_pass(t, !leads_to_folder(t));
}

/* Refuses what came for the whole object, where a range was asked for. */
static void fail_whole(struct cfs_transfer *t)
{
	const struct cfs_remote *r = t->job->remote;

	if (!r->is_page && (t->answer.is_markup || r->has_ranges))
		fail_page(t);
	else
		transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_NO_RANGES,
			      CFS_EUNSUPPORTED, CFS_ANSWER_NO_RANGES);
}

static void transfer_judge(struct cfs_transfer *t)
{
	const struct cfs_job *job = t->job;
	uint64_t off = job->off + t->before, size;

	cfs_answer_judge(&t->answer, off, job->n - t->before,
			 job->remote->src->name, &t->verdict);
	t->is_judged = true;
	if (t->verdict.cause == CFS_CAUSE_NO_RANGES)
		fail_whole(t);
	else if (t->answer.status == 200 &&
		 t->verdict.kind == CFS_VERDICT_BYTES &&
		 cfs_remote_is_other(job->remote, t->verdict.total,
				     cfs_monotonic_ms()))
		fail_page(t);
	else if (t->verdict.kind == CFS_VERDICT_END)
		transfer_learn(t);
	size = job->remote->src->size;
	if (t->verdict.kind == CFS_VERDICT_END && size != CFS_SIZE_UNKNOWN &&
	    off < size)
		transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER,
			      CFS_EIO, "the server refuses a byte that it has");
}

/* True if a redirection was refused. */
static bool fail_refused(struct cfs_transfer *t)
{
	if (t->redirect.refusal[0] == '\0')
		return false;
	transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO,
		      t->redirect.refusal);
	/* a part that was read without this check was not redirected */
	set_may_pass(t, t->job->remote->has_answered);
	return true;
}

static size_t transfer_on_head(char *p, size_t size, size_t n, void *arg)
{
	struct cfs_transfer *t = arg;
	struct cfs_slice line = cfs_slice_of(p, size * n);

	t->last_us = cfs_monotonic_us();
	if (t->first_us == 0)
		t->first_us = t->last_us;
	if (t->is_judged)
		return line.n;		/* a trailer */
	if (!cfs_answer_line(&t->answer, line, (int64_t)time(NULL))) {
		transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER,
			      CFS_EIO,
			      "the head of the server's answer has no end");
		return 0;
	}
	if (cfs_slice_trim(line).n > 0)
		return line.n;
	if (is_redirection(t)) {
		cfs_redirect_next(&t->redirect, t->answer.location);
		return fail_refused(t) ? 0 : line.n;
	}
	if (t->answer.status >= 200)
		transfer_judge(t);
	return line.n;
}

/* ---- the body ---------------------------------------------------------- */

/* Looks at the first bytes of the body, before one is taken.  False: it is
 * not taken. */
static bool begin_taking(struct cfs_transfer *t, struct cfs_slice s)
{
	const struct cfs_remote *r = t->job->remote;

	if (t->is_learnt)
		return true;
	t->is_learnt = true;
	if (!r->is_page && t->job->off + t->before == t->verdict.skip &&
	    !cfs_answer_may_begin(&t->answer, s, r->src->name))
		fail_page(t);
	else
		transfer_learn(t);
	return t->verdict.kind == CFS_VERDICT_BYTES;
}

/* Takes bytes that were asked for. */
static bool take_body(struct cfs_transfer *t, const char *p, size_t n)
{
	struct cfs_job *job = t->job;

	if (cfs_buf_append(&job->body, p, n) != CFS_OK) {
		transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_NONE, CFS_ENOMEM,
			      "out of memory");
		return false;
	}
	if (job->body.n > atomic_load_explicit(job->came, memory_order_relaxed))
		atomic_store(job->came, job->body.n);
	return true;
}

/* Drops bytes behind those asked for.  False: the rest is not worth waiting
 * for, or there are more than the server announced. */
static bool drop_excess(struct cfs_transfer *t, uint64_t n)
{
	if (t->verdict.body == UINT64_MAX)
		fail_whole(t);
	else if (t->dropped + n > t->verdict.excess)
		transfer_fail(t, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER,
			      CFS_EIO,
			      "the server sends more bytes than it announced");
	else if (t->verdict.excess <= DROP_MAX)
		t->dropped += n;
	else
		return false;
	return t->verdict.kind == CFS_VERDICT_BYTES;
}

static size_t transfer_on_body(char *p, size_t size, size_t n, void *arg)
{
	struct cfs_transfer *t = arg;
	struct cfs_job *job = t->job;
	uint64_t most;
	size_t all, skip;

	n *= size;
	t->last_us = cfs_monotonic_us();
	job->host->received += n;
	if (!t->is_judged)
		return is_redirection(t) ? n : 0;
	if (t->verdict.kind != CFS_VERDICT_BYTES) {
		if (n <= DROP_MAX - t->dropped)
			cfs_buf_append(&t->refusal, p, n);
		t->dropped += n < DROP_MAX + 1 ? n : DROP_MAX + 1;
		return t->dropped > DROP_MAX ? 0 : n;
	}
	if (!begin_taking(t, cfs_slice_of(p, n)))
		return 0;
	all = n;
	skip = t->verdict.skip - t->skipped < n ?
	       (size_t)(t->verdict.skip - t->skipped) : n;
	t->skipped += skip;
	p += skip;
	n -= skip;
	most = t->verdict.body < job->n - t->before ? t->verdict.body :
						      job->n - t->before;
	most -= job->body.n - t->before;
	if (!take_body(t, p, n < most ? n : (size_t)most) ||
	    (n > most && !drop_excess(t, n - most)))
		return 0;
	return all;
}

/* ---- setting it up ----------------------------------------------------- */

/* Limits how long sent bytes may stay unconfirmed: a server that is gone
 * confirms nothing, a slow one does.  While connecting, libcurl's own limit
 * is shorter. */
static int on_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	unsigned ms = UNCONFIRMED_MAX_MS;

	(void)arg;
	if (purpose == CURLSOCKTYPE_IPCXN)
		setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
	return CURL_SOCKOPT_OK;
}

static void transfer_set_manners(struct cfs_transfer *t,
				 const struct cfs_http_settings *s)
{
	CURL *e = t->easy;
	bool is_https = strncmp(t->job->remote->url, "https:", 6) == 0;

	cfs_request_setup(e, s);
	if (t->job->host->outage.tries > 0 && s->stall_ms > CONNECT_AGAIN_MS)
		curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
				 (long)CONNECT_AGAIN_MS);
	curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, on_socket);
	cfs_redirect_setup(&t->redirect, e, t->job->remote->url, t->follows);
	curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "identity");
	curl_easy_setopt(e, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	curl_easy_setopt(e, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	/* Waiting to see whether a connection will take many streams makes
	 * sense only where that is negotiated. */
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, is_https ?
			 (long)CURL_HTTP_VERSION_2TLS :
			 (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(e, CURLOPT_PIPEWAIT, is_https ? 1L : 0L);
}

static bool set_request(struct cfs_transfer *t,
			const struct cfs_http_settings *s)
{
	const struct cfs_job *job = t->job;
	const struct cfs_remote *r = job->remote;
	CURL *e = t->easy;
	char range[64];

	snprintf(range, sizeof(range), "%" PRIu64 "-%" PRIu64,
		 job->off + job->body.n, job->off + job->n - 1);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->text);
	curl_easy_setopt(e, CURLOPT_PRIVATE, t);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, transfer_on_head);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, transfer_on_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
	if (!cfs_request_set_url(e, r->url, t->is_signed) ||
	    curl_easy_setopt(e, CURLOPT_RANGE, range) != CURLE_OK)
		return false;
	if (r->user != NULL)
		return curl_easy_setopt(e, CURLOPT_USERPWD, r->user) ==
		       CURLE_OK;
	if (!t->is_signed)
		return true;
	/* A request for a range has no body to hash. */
	return cfs_request_sign(e, &s->s3, t->region[0] ? t->region :
				s->s3.region, "UNSIGNED-PAYLOAD",
				&t->headers) &&
	       curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->headers) == CURLE_OK;
}

int cfs_transfer_setup(struct cfs_transfer *t, struct cfs_job *job,
		       struct cfs_error *err)
{
	const struct cfs_http_settings *s;
	bool ok;

	curl_easy_reset(t->easy);
	curl_slist_free_all(t->headers);
	t->headers = NULL;
	t->job = job;
	t->answer = (struct cfs_answer){ .status = 0 };
	t->verdict = (struct cfs_verdict){ .kind = CFS_VERDICT_FAIL };
	t->is_judged = t->is_learnt = false;
	t->before = job->body.n;
	t->skipped = 0;
	t->dropped = 0;
	cfs_buf_release(&t->refusal);
	t->code[0] = '\0';
	t->text[0] = '\0';
	memcpy(t->region, job->remote->region, sizeof(t->region));
	t->started_us = t->last_us = cfs_monotonic_us();
	t->first_us = 0;
	s = cfs_http_settings_get(err);
	if (s == NULL)
		return CFS_ENOMEM;
	t->stall_ms = s->stall_ms;
	/* A request signed for one host must not be sent to another. */
	t->is_signed = job->remote->sign && s->s3.keys.id != NULL;
	t->generation = s->s3.generation;
	t->follows = !t->is_signed;
	transfer_set_manners(t, s);
	ok = set_request(t, s);
	cfs_http_settings_put();
	return ok ? CFS_OK : cfs_error_nomem(err);
}

/* ---- the end ----------------------------------------------------------- */

static bool is_connected(struct cfs_transfer *t)
{
	curl_off_t us = 0;

	return curl_easy_getinfo(t->easy, CURLINFO_CONNECT_TIME_T, &us) ==
	       CURLE_OK && us > 0;
}

static void transfer_judge_curl(struct cfs_transfer *t, CURLcode code)
{
	cfs_answer_judge_curl(code, t->text, is_connected(t),
			      t->job->host->has_answered, &t->verdict);
	t->is_judged = true;
}

/* Checks that all bytes that were announced have arrived. */
static void judge_body(struct cfs_transfer *t)
{
	uint64_t got = t->job->body.n - t->before;

	if (t->verdict.kind != CFS_VERDICT_BYTES)
		return;
	if (t->verdict.body == UINT64_MAX) {
		t->verdict.total = got;		/* the whole object */
		transfer_learn(t);
	} else if (got != t->verdict.body) {
		transfer_fail(t, CFS_VERDICT_RETRY, CFS_CAUSE_CUT, CFS_EIO,
			      "the server's answer is cut short");
	}
}

/* Judges what came in place of a range: it may not even be the file, or the
 * server has given ranges of others. */
static void judge_whole_body(struct cfs_transfer *t)
{
	const struct cfs_remote *r = t->job->remote;

	if (r->is_page)
		return;
	if (cfs_answer_may_begin(&t->answer, cfs_buf_slice(&t->refusal),
				 r->src->name))
		set_may_pass(t, t->job->host->has_ranges);
	else
		fail_page(t);
}

/* Judges a refusal again by its body, which may say more than the head. */
static void judge_refusal(struct cfs_transfer *t)
{
	unsigned s = t->answer.status;
	struct cfs_s3_answer a;

	if (t->verdict.cause == CFS_CAUSE_NO_RANGES) {
		judge_whole_body(t);
		return;
	}
	if (s == 200 || s == 206 || s == 416 || s == 412 || s == 0)
		return;
	cfs_s3_answer_error(&a, cfs_buf_slice(&t->refusal));
	if (a.kind != CFS_S3_ERROR)
		return;
	if (t->answer.region[0] == '\0')
		memcpy(t->answer.region, a.region, sizeof(a.region));
	memcpy(t->code, a.code, sizeof(t->code));
	cfs_answer_judge_refusal(s, a.code, a.message, t->job->remote->sign &&
				 !t->is_signed, &t->verdict);
}

/* True if all that was asked for has come, and no more of the answer is
 * needed. */
static bool has_all(const struct cfs_transfer *t)
{
	return t->verdict.kind == CFS_VERDICT_BYTES && t->verdict.excess > 0 &&
	       t->job->body.n - t->before == t->verdict.body;
}

void cfs_transfer_end(struct cfs_transfer *t, CURLcode code)
{
	/* If the head was refused, how the body ended does not matter. */
	if (t->is_judged && t->verdict.kind != CFS_VERDICT_BYTES) {
		judge_refusal(t);
		return;
	}
	if (has_all(t))
		return;
	if (code != CURLE_OK && !fail_refused(t))
		transfer_judge_curl(t, code);
	else if (!t->is_judged)
		transfer_judge(t); /* a redirection that was not followed */
	else
		judge_body(t);
}

enum cfs_try cfs_transfer_kind(const struct cfs_transfer *t)
{
	const struct cfs_verdict *v = &t->verdict;

	switch (v->cause) {
	case CFS_CAUSE_CONNECT:
		return v->code == CFS_ETIMEOUT ? CFS_TRY_LOST :
						 CFS_TRY_UNREACHED;
	case CFS_CAUSE_TLS:
		return CFS_TRY_UNREACHED;
	case CFS_CAUSE_TIMEOUT:
	case CFS_CAUSE_CUT:
		return t->first_us == 0 ? CFS_TRY_SILENT : CFS_TRY_TROUBLE;
	case CFS_CAUSE_BUSY:
	case CFS_CAUSE_SERVER:
		return CFS_TRY_TROUBLE;
	case CFS_CAUSE_NONE:
		return v->code == CFS_ENOMEM ? CFS_TRY_ODD : CFS_TRY_ANSWERED;
	default:
		return CFS_TRY_ANSWERED;
	}
}
