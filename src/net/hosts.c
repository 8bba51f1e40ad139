/* hosts.c - the state of each server, and how many requests it gets.
 *
 * The number of requests at a time follows what the server can bear: it is
 * halved when the server asks to slow down, set to one when it refuses
 * everything, and raised by one after as many successes as that number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hosts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/log.h"
#include "http_settings.h"
#include "request.h"

/* Common Crawl asks for at most one retry a second. */
#define BACKOFF_PUBLIC_MS 1000

#define LOG_AGAIN_MS 600000	/* ten minutes, for each cause */
#define FORBIDDEN_PAUSE_MS 1000
#define FORBIDDEN_PAUSE_PUBLIC_MS 5000
#define FORBIDDEN_PAUSE_MAX_MS 60000
#define BUSY_PAUSE_MAX_S 300u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cfs_host *_Atomic hosts;		/* grows under lock */

struct cfs_host *cfs_host_first(void)
{
	return hosts;
}

static void name_host(const struct cfs_location *loc, struct cfs_buf *out)
{
	struct cfs_location bare = *loc;

	bare.path = CFS_SLICE_EMPTY;
	cfs_location_canonical(&bare, out);
	if (out->n > 0)
		out->n--;	/* the '/' */
}

static bool hosts_is_common_crawl(struct cfs_slice host)
{
	static const char end[] = ".commoncrawl.org";
	struct cfs_slice e = CFS_SLICE_LIT(end), bucket;

	if (host.n >= e.n &&
	    cfs_slice_eq_nocase(cfs_slice_from(host, host.n - e.n), e))
		return true;
	bucket = CFS_SLICE_LIT("commoncrawl.s3.");
	return cfs_slice_starts_nocase(host, bucket) ||
	       cfs_slice_eq_nocase(host, CFS_SLICE_LIT("commoncrawl.org"));
}

static struct cfs_host *new_host(const char *name,
				 const struct cfs_location *loc,
				 unsigned parallel)
{
	struct cfs_host *h = calloc(1, sizeof(*h));

	if (h == NULL || (h->name = strdup(name)) == NULL) {
		free(h);
		return NULL;
	}
	h->is_public_crawl = hosts_is_common_crawl(loc->host);
	h->most = parallel > 0 ? parallel : h->is_public_crawl ?
		  CFS_HTTP_PARALLEL_PUBLIC : CFS_HTTP_PARALLEL_DEFAULT;
	h->limit = h->most;
	h->limit_now = h->limit_least = h->limit;
	h->next = hosts;
	hosts = h;
	return h;
}

struct cfs_host *cfs_host_get(const struct cfs_location *loc, unsigned parallel)
{
	struct cfs_host *h;
	CFS_BUF(name, CFS_LOCATION_MAX);
	const char *text;

	name_host(loc, &name);
	text = cfs_buf_str(&name);
	pthread_mutex_lock(&lock);
	for (h = hosts; h != NULL; h = h->next)
		if (strcmp(h->name, text) == 0)
			break;
	if (h == NULL && name.failed == CFS_OK)
		h = new_host(text, loc, parallel);
	pthread_mutex_unlock(&lock);
	return h;
}

/* ---- latencies: four steps to each power of two, from 64 us ------------ */

static unsigned step_of(uint64_t us)
{
	unsigned power = 0, step;

	us /= 64;
	while (us >> (power + 1) != 0 && power < 15)
		power++;
	if (us == 0)
		return 0;
	step = power == 0 ? 0 : (unsigned)((us << 2) >> power) & 3u;
	step += power * 4;
	return step < CFS_HOST_LATENCIES ? step : CFS_HOST_LATENCIES - 1;
}

/* The upper end of a step, in microseconds. */
static uint32_t step_us(unsigned step)
{
	uint64_t base = UINT64_C(64) << (step / 4);

	return (uint32_t)(base + base * (step % 4 + 1) / 4);
}

static void percentiles(const struct cfs_host *h, struct cfs_host_stats *out)
{
	static const unsigned parts[3] = { 50, 90, 99 };
	uint32_t *where[3] = { &out->p50_us, &out->p90_us, &out->p99_us };
	uint64_t n = 0, seen;

	for (unsigned i = 0; i < CFS_HOST_LATENCIES; i++)
		n += h->latencies[i];
	for (unsigned p = 0; p < 3 && n > 0; p++) {
		unsigned i = 0;

		seen = h->latencies[0];
		while (seen * 100 < n * parts[p] && i + 1 < CFS_HOST_LATENCIES)
			seen += h->latencies[++i];
		*where[p] = step_us(i);
	}
}

static void add_state(const struct cfs_host *h, int64_t now_ms,
		      struct cfs_host_stats *out)
{
	int64_t since = h->failing_since_ms, again = h->probe_ms;

	out->is_down = again != 0;
	out->failing_ms = since != 0 ? now_ms - since + 1 : 0;
	out->probe_ms = again > now_ms ? again - now_ms : 0;
}

size_t cfs_host_stats_all(struct cfs_host_stats *out, size_t max)
{
	int64_t now_ms = cfs_monotonic_ms();
	size_t n = 0;

	for (const struct cfs_host *h = hosts; h != NULL; h = h->next, n++) {
		if (n >= max)
			continue;
		out[n] = (struct cfs_host_stats){
			.requests = h->requests, .bytes = h->bytes,
			.received = h->received,
			.retries = h->retries, .failures = h->failures,
			.forbidden = h->forbidden, .refused = h->refused,
			.slow_down = h->slow_down,
			.in_flight = h->in_flight,
			.queued = h->waiting, .parallel = h->limit_now,
			.parallel_least = h->limit_least,
			.parallel_max = h->most,
			.is_http2 = h->is_http2,
		};
		add_state(h, now_ms, &out[n]);
		snprintf(out[n].name, sizeof(out[n].name), "%s", h->name);
		percentiles(h, &out[n]);
	}
	return n;
}

/* ---- what answers teach ------------------------------------------------ */

static void set_limit(struct cfs_host *h, unsigned limit)
{
	h->limit = limit < 1 ? 1 : limit;
	h->limit_now = h->limit;
	if (h->limit < h->limit_least)
		h->limit_least = h->limit;
	h->good = 0;
}

void cfs_host_good(struct cfs_host *h, uint64_t first_byte_us, uint64_t bytes)
{
	h->bytes += bytes;
	h->latencies[step_of(first_byte_us)]++;
	h->refusals = h->n_no_access = 0;
	h->has_given = true;
	if (h->limit < h->most && ++h->good >= h->limit)
		set_limit(h, h->limit + 1);
}

void cfs_host_busy(struct cfs_host *h, int64_t now_ms, uint32_t retry_s)
{
	int64_t until;

	h->slow_down++;
	if (retry_s > BUSY_PAUSE_MAX_S)
		retry_s = BUSY_PAUSE_MAX_S;
	until = now_ms + (int64_t)retry_s * 1000;
	if (until > h->paused_until_ms)
		h->paused_until_ms = until;
	/* More such answers, to requests that were under way, say
	 * nothing new. */
	if (h->good > 0 || h->limit == h->most)
		set_limit(h, h->limit / 2);
}

/* Notes a refused object; true once several were refused. */
static bool refuses_several(struct cfs_host *h, const void *object)
{
	for (unsigned i = 0; i < h->n_no_access; i++)
		if (h->no_access[i] == object)
			return h->n_no_access == CFS_HOST_REFUSED;
	if (h->n_no_access < CFS_HOST_REFUSED)
		h->no_access[h->n_no_access++] = object;
	return h->n_no_access == CFS_HOST_REFUSED;
}

static bool is_about_all(struct cfs_host *h, const struct cfs_refusal *r)
{
	if (r->is_of_keys)
		return false;
	return refuses_several(h, r->object) ||
	       (!r->is_of_object && (h->is_public_crawl || r->was_given));
}

void cfs_host_forbidden(struct cfs_host *h, const struct cfs_refusal *r,
			int64_t now_ms)
{
	int64_t pause = h->is_public_crawl ? FORBIDDEN_PAUSE_PUBLIC_MS :
					     FORBIDDEN_PAUSE_MS;

	h->forbidden++;
	if (!is_about_all(h, r))
		return;
	if (h->paused_until_ms > now_ms && h->refusals > 0)
		return;		/* the request was sent before the pause */
	if (h->refusals == 0 && cfs_http_failures_are_logged())
		cfs_log(CFS_LOG_WARNING,
			"%s: %s; from now on its server gets "
			"one request at a time, after a pause",
			r->name, r->text);
	for (unsigned i = 0; i < h->refusals && pause < FORBIDDEN_PAUSE_MAX_MS;
	     i++)
		pause *= 2;
	if (pause > FORBIDDEN_PAUSE_MAX_MS)
		pause = FORBIDDEN_PAUSE_MAX_MS;
	h->refusals++;
	h->paused_until_ms = now_ms + pause;
	set_limit(h, 1);
}

int64_t cfs_host_retry_ms(const struct cfs_host *h, unsigned tries,
			  uint32_t wait_s)
{
	return cfs_request_pause_ms(
		tries, h->is_public_crawl ? BACKOFF_PUBLIC_MS : 0, wait_s);
}

/* ---- outages ----------------------------------------------------------- */

/* Copies the state of the outage to the shared fields. */
static void show_state(struct cfs_host *h)
{
	h->failing_since_ms = h->outage.since_ms;
	h->probe_ms = h->outage.is_down ? h->outage.again_ms : 0;
}

void cfs_host_failed(struct cfs_host *h, const struct cfs_failed_try *t,
		     bool is_last, int64_t now_ms)
{
	bool was_down = h->outage.is_down;

	if (is_last)
		cfs_outage_job(&h->outage, t, now_ms);
	else
		cfs_outage_try(&h->outage, t, now_ms);
	show_state(h);
	if (h->outage.is_down && !was_down && cfs_http_failures_are_logged())
		cfs_log(CFS_LOG_WARNING, "%s: %s; requests fail at once until "
			"it answers", h->outage.is_whole ? h->name : t->name,
			h->outage.text);
}

void cfs_host_answered(struct cfs_host *h, int64_t now_ms)
{
	h->has_answered = true;
	if (h->outage.tries == 0 && !h->outage.has_failed_job)
		return;
	if (h->outage.is_down && cfs_http_failures_are_logged())
		cfs_log(CFS_LOG_WARNING, "%s: answers again, after %.1f s; %"
			PRIu64 " requests were refused", h->name,
			(double)(now_ms - h->outage.since_ms) / 1000,
			h->outage.refused);
	cfs_outage_end(&h->outage);
	show_state(h);
}

bool cfs_host_sent(struct cfs_host *h, const void *object, bool is_awaited)
{
	return cfs_outage_sent(&h->outage, object, is_awaited);
}

void cfs_host_probe_failed(struct cfs_host *h, int64_t now_ms)
{
	cfs_outage_probe_failed(&h->outage, now_ms);
	show_state(h);
}

void cfs_host_probe_gone(struct cfs_host *h)
{
	cfs_outage_probe_gone(&h->outage);
}

void cfs_host_log_failure(struct cfs_host *h, enum cfs_cause cause,
			  const char *object, const char *text, int64_t now_ms)
{
	if (cause == CFS_CAUSE_NONE || cause == CFS_CAUSE_MISSING ||
	    (h->logged_ms[cause] != 0 &&
	     now_ms - h->logged_ms[cause] < LOG_AGAIN_MS))
		return;
	h->logged_ms[cause] = now_ms;
	cfs_log(CFS_LOG_WARNING, "%s: %s", object, text);
}
