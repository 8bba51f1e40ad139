/* hosts.h - what is known of each server: how many requests it gets at a
 * time, when it wants to be left alone, how it has answered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_HOSTS_H
#define CFS_NET_HOSTS_H

#include <stdatomic.h>

#include "answer.h"
#include "location.h"

#define CFS_HOST_LATENCIES 64u

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
	unsigned most;			/* requests at a time, when all is well */
	unsigned limit;			/* now; 1 to most */
	unsigned good;			/* successes since limit was changed */
	unsigned refusals;		/* 403s in a row */
	int64_t paused_until_ms;
	bool has_answered;		/* whatever it was */
	int64_t logged_ms[CFS_CAUSE_COUNT];	/* when a cause was logged */
	struct cfs_job_list urgent, queued;
	/* shared: counters */
	_Atomic unsigned in_flight, waiting, limit_now;
	_Atomic uint64_t requests, bytes, retries, failures, forbidden;
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
void cfs_host_forbidden(struct cfs_host *h, int64_t now_ms);

/* Logs a failure unless this cause was logged for the host lately. */
void cfs_host_log_failure(struct cfs_host *h, enum cfs_cause cause,
			  const char *object, const char *text, int64_t now_ms);

/* ---- counters ---------------------------------------------------------- */

struct cfs_host_stats {
	char name[300];			/* https://host:port */
	uint64_t requests;		/* sent, retries among them */
	uint64_t bytes;			/* of bodies that were believed */
	uint64_t retries, failures;	/* failures: of reads, after retries */
	uint64_t forbidden;		/* answers of 403 */
	unsigned in_flight, queued, parallel;
	bool is_http2;
	/* Of requests that succeeded: until the first byte of the answer. */
	uint32_t p50_us, p90_us, p99_us;
};

/* Fills at most max entries, returns how many hosts there are. */
size_t cfs_host_stats_all(struct cfs_host_stats *out, size_t max);

#endif
