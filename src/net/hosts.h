/* hosts.h - what is known of each server: how many requests it gets at a
 * time, when it wants to be left alone, how it has answered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_HOSTS_H
#define CFS_NET_HOSTS_H

#include "answer.h"
#include "http.h"
#include "location.h"

struct cfs_job;

struct cfs_job_list {
	struct cfs_job *first, *last;
	size_t n;
};

/* Lives as long as the process.  All but what is said to be shared is the
 * event thread's. */
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
	int64_t told_ms[CFS_CAUSE_COUNT];	/* when a cause was logged */
	struct cfs_job_list urgent, queued;
	/* shared: counters */
	_Atomic unsigned in_flight, waiting, limit_now;
	_Atomic uint64_t requests, bytes, retries, failures, forbidden;
	_Atomic bool is_http2;
	_Atomic uint32_t latencies[CFS_HTTP_LATENCIES];
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

/* Logs a failure unless this cause was told of the host lately. */
void cfs_host_tell(struct cfs_host *h, enum cfs_cause cause,
		   const char *object, const char *text, int64_t now_ms);

#endif
