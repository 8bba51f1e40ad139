/* hosts.h - what is known of each server: how many requests it gets at a
 * time, when it wants to be left alone, whether it is down, how it has
 * answered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_HOSTS_H
#define CFS_NET_HOSTS_H

#include <stdatomic.h>

#include "answer.h"
#include "location.h"
#include "outage.h"

#define CFS_HOST_LATENCIES 64u
/* Objects that a server refuses in a row before that is taken to be about all
 * of it. */
#define CFS_HOST_REFUSED 3u

struct cfs_job;

struct cfs_job_list {
	struct cfs_job *first, *last;
	size_t n;
};

/* Lives as long as the process.  The event thread's, but for what is said to
 * be immutable or shared. */
struct cfs_host {
	struct cfs_host *next;		/* immutable */
	char *name;			/* https://host:port; immutable */
	bool is_public_crawl;		/* immutable */
	unsigned most;			/* requests at a time, when all is
					 * well */
	unsigned limit;			/* now; 1 to most */
	unsigned good;			/* successes since limit was changed */
	const void *no_access[CFS_HOST_REFUSED];	/* objects, without a
					 * success in between; compared only */
	unsigned n_no_access;
	unsigned refusals;		/* in a row, of the whole server */
	int64_t paused_until_ms;
	bool has_answered;		/* whatever it was */
	int64_t logged_ms[CFS_CAUSE_COUNT];	/* when a cause was logged */
	struct cfs_job_list urgent, queued;
	struct cfs_outage outage;
	struct cfs_job *probe;		/* to be sent when the pause ends */
	/* shared: */
	_Atomic int64_t failing_since_ms;	/* 0: all is well */
	_Atomic int64_t probe_ms;	/* when it is asked again; 0: not
					 * down */
	/* and counters */
	_Atomic unsigned in_flight, waiting, limit_now;
	_Atomic uint64_t requests, bytes, retries, failures, forbidden, refused;
	_Atomic uint64_t received;
	_Atomic bool is_http2;
	_Atomic uint32_t latencies[CFS_HOST_LATENCIES];
};

/* The host of an http(s) URL (parsed); made when it is new.  NULL without
 * memory.  From any thread. */
struct cfs_host *cfs_host_get(const struct cfs_location *loc,
			      unsigned parallel);
struct cfs_host *cfs_host_first(void);

/* What an answer teaches; now_ms of the monotonic clock.  Event thread. */
void cfs_host_good(struct cfs_host *h, uint64_t first_byte_us, uint64_t bytes);
void cfs_host_busy(struct cfs_host *h, int64_t now_ms, uint32_t retry_s);

/* A 403, or one of its like. */
struct cfs_refusal {
	const void *object;	/* which it was for; compared only */
	const char *name;	/* of the object, for messages */
	const char *text;
	bool is_of_keys;	/* the credentials are not accepted */
	bool is_of_object;	/* the server says so */
	bool was_given;		/* the same object, before */
};
/* Most are about one object: then nothing else is held up.  The server as a
 * whole gets one request at a time, after a pause, once it has refused several
 * objects in a row, or what it had given; Common Crawl's servers at once,
 * unless they name the object. */
void cfs_host_forbidden(struct cfs_host *h, const struct cfs_refusal *r,
			int64_t now_ms);

/* Milliseconds until a request that has failed so often is sent again; wait_s:
 * what the server asks for. */
int64_t cfs_host_retry_ms(const struct cfs_host *h, unsigned tries,
			  uint32_t wait_s);

/* A try has failed; its job too, after its retries (is_last: follows the
 * first).  Logs it when the server is down from now on. */
void cfs_host_failed(struct cfs_host *h, const struct cfs_failed_try *t,
		     bool is_last, int64_t now_ms);
/* It has answered, whatever it was; logs that it is no longer down. */
void cfs_host_answered(struct cfs_host *h, int64_t now_ms);
/* A request is sent: true if it is the probe of a server that is down.  How a
 * probe ends without an answer: it failed, or is no longer wanted. */
bool cfs_host_sent(struct cfs_host *h, const void *object, bool is_awaited);
void cfs_host_probe_failed(struct cfs_host *h, int64_t now_ms);
void cfs_host_probe_gone(struct cfs_host *h);

/* Logs a failure unless this cause was logged for the host lately. */
void cfs_host_log_failure(struct cfs_host *h, enum cfs_cause cause,
			  const char *object, const char *text, int64_t now_ms);

/* ---- counters ---------------------------------------------------------- */

struct cfs_host_stats {
	char name[300];			/* https://host:port */
	uint64_t requests;		/* sent, retries among them */
	uint64_t bytes;			/* of bodies that were believed */
	uint64_t received;		/* of all bodies */
	uint64_t retries, failures;	/* failures: of reads, after retries */
	uint64_t forbidden;		/* answers of 403 */
	uint64_t refused;		/* of the failures, while it was down */
	unsigned in_flight, queued, parallel;
	bool is_http2;
	bool is_down;
	int64_t failing_ms;		/* for so long no answer; 0: it is up */
	int64_t probe_ms;		/* down: until it is asked again */
	/* Of requests that succeeded: until the first byte of the answer. */
	uint32_t p50_us, p90_us, p99_us;
};

/* Fills at most max entries, returns how many hosts there are. */
size_t cfs_host_stats_all(struct cfs_host_stats *out, size_t max);

#endif
