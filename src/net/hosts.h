/* hosts.h - the state of each server: how many requests it gets at a time,
 * whether it is pausing or down, and how it has answered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_HOSTS_H
#define CFS_NET_HOSTS_H

#include <stdatomic.h>

#include "answer.h"
#include "location.h"
#include "outage.h"

struct cfs_json;

#define CFS_HOST_LATENCIES 64u
/* So many objects refused in a row are taken as a refusal by the
 * whole server. */
#define CFS_HOST_REFUSED 3u

struct cfs_job;

struct cfs_job_list {
	struct cfs_job *first, *last;
	size_t n;
};

/* Lives as long as the process.  Fields belong to the event thread unless
 * marked immutable or shared. */
struct cfs_host {
	struct cfs_host *next;		/* immutable */
	char *name;			/* https://host:port; immutable */
	bool is_public_crawl;		/* immutable */
	unsigned most;			/* most requests at a time;
					 * immutable */
	unsigned limit;			/* the same now; 1 to `most` */
	unsigned good;			/* successes since limit changed */
	const void *no_access[CFS_HOST_REFUSED];	/* objects refused
							 * without a success
							 * in between;
							 * compared only */
	unsigned n_no_access;
	unsigned refusals;		/* by the whole server, in a row */
	bool limits_queued;		/* queued requests have deadlines */
	int64_t paused_until_ms;
	bool has_answered;		/* with anything at all, */
	bool has_given, has_ranges;	/* and with bytes of an object, and of
					 * a range */
	int64_t logged_ms[CFS_CAUSE_COUNT];	/* last log of each cause */
	struct cfs_job_list urgent, queued;
	struct cfs_outage outage;
	struct cfs_job *probe;		/* sent when the pause ends */
	/* shared: */
	_Atomic int64_t failing_since_ms;	/* 0: all is well */
	_Atomic int64_t probe_ms;	/* time of the next probe; 0:
					 * not down */
	/* and counters */
	_Atomic unsigned in_flight, waiting, limit_now, limit_least;
	_Atomic uint64_t requests, bytes, retries, failures, forbidden, refused;
	_Atomic uint64_t received, slow_down;
	_Atomic bool is_http2;
	_Atomic uint32_t latencies[CFS_HOST_LATENCIES];
};

/* The host of a parsed http(s) URL; made if new.  NULL: out of memory.  From
 * any thread. */
struct cfs_host *cfs_host_get(const struct cfs_location *loc,
			      unsigned parallel);
struct cfs_host *cfs_host_first(void);

/* Adjust the limit after an answer; now_ms on the monotonic clock.
 * Event thread. */
void cfs_host_good(struct cfs_host *h, uint64_t first_byte_us, uint64_t bytes);
void cfs_host_busy(struct cfs_host *h, int64_t now_ms, uint32_t retry_s);

/* A 403, or a page in place of the object. */
struct cfs_refusal {
	const void *object;	/* the one refused; compared only */
	const char *name;	/* the object's name, for messages */
	const char *text;
	bool is_of_keys;	/* it rejects the credentials */
	bool is_of_object;	/* it is about this object */
	bool was_given;		/* the server sent this object before */
};
/* Most refusals are about one object: no other requests are held up.  But the
 * server as a whole gets one request at a time, after a pause, once it has
 * refused several objects in a row, or one that it had sent before.  For Common
 * Crawl's servers one refusal is enough, unless it is about the object. */
void cfs_host_forbidden(struct cfs_host *h, const struct cfs_refusal *r,
			int64_t now_ms);

/* How long to wait, in milliseconds, after `tries` tries; wait_s: what the
 * server asks for. */
int64_t cfs_host_retry_ms(const struct cfs_host *h, unsigned tries,
			  uint32_t wait_s);

/* Notes a failed try, and then with is_last that its job has failed after all
 * retries.  Logs if the server counts as down from now on. */
void cfs_host_failed(struct cfs_host *h, const struct cfs_failed_try *t,
		     bool is_last, int64_t now_ms);
/* Notes any answer at all; logs that the server is no longer down. */
void cfs_host_answered(struct cfs_host *h, int64_t now_ms);
/* sent: notes that a request is sent; true if it is the probe of a server that
 * is down.  The other two note a probe that ends without an answer: it failed,
 * or is no longer wanted. */
bool cfs_host_sent(struct cfs_host *h, const void *object, bool is_awaited);
void cfs_host_probe_failed(struct cfs_host *h, int64_t now_ms);
void cfs_host_probe_gone(struct cfs_host *h);

/* Logs a failure, unless this cause was logged for the host a short
 * while ago. */
void cfs_host_log_failure(struct cfs_host *h, enum cfs_cause cause,
			  const char *object, const char *text, int64_t now_ms);

/* ---- objects that a server does not have, or refuses (absent.c) -------- */

/* How long: an object that was never read, and one that was, which may only be
 * moved at the moment. */
#define CFS_ABSENT_MS 30000
#define CFS_ABSENT_GIVEN_MS 2000

/* Notes the final failure of a request, if it is one about the object (404,
 * 410, 403); another one is ignored.  The table has a fixed size: a new entry
 * may replace another.  now_ms is on the monotonic clock.  On any thread. */
void cfs_absent_note(const char *url, const struct cfs_verdict *v,
		     bool was_given, int64_t now_ms);

/* True, with the failure in *v, if the object is remembered. */
bool cfs_absent_find(const char *url, struct cfs_verdict *v, int64_t now_ms);

/* Forgets all of them: this process may have made one. */
void cfs_absent_forget(void);

/* ---- counters ---------------------------------------------------------- */

struct cfs_host_stats {
	char name[300];			/* https://host:port */
	uint64_t requests;		/* sent, including retries */
	uint64_t bytes;			/* in accepted bodies */
	uint64_t received;		/* in all bodies */
	uint64_t retries, failures;	/* failures: of jobs, after retries */
	uint64_t forbidden;		/* answers of 403 */
	uint64_t slow_down;		/* of 429, 503, S3's SlowDown */
	uint64_t refused;		/* failures refused while it was down */
	unsigned in_flight, queued;
	/* Requests at a time: now, fewer after refusals; when they were
	 * fewest; if there are none. */
	unsigned parallel, parallel_least, parallel_max;
	bool is_http2;
	bool is_down;
	int64_t failing_ms;		/* time without an answer; 0: it
					 * is up */
	int64_t probe_ms;		/* if down: until the next probe */
	/* Time to the first byte of successful answers. */
	uint32_t p50_us, p90_us, p99_us;
};

/* Fills at most max entries; returns the number of hosts. */
size_t cfs_host_stats_all(struct cfs_host_stats *out, size_t max);

/* Adds a member "servers", an array with an object for each server, whose
 * members crawlfs-network(7), "STATISTICS", lists. */
void cfs_hosts_put(struct cfs_json *j);

/* Appends a line for each server that was asked: how many requests, bytes and
 * refusals, and how few requests at a time these led to.  The lines are those
 * of summaries, indented by two blanks. */
void cfs_hosts_text(struct cfs_buf *out);

#endif
