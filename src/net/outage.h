/* outage.h - decides when a server counts as down, and when it is probed again.
 *
 * It is down once several tries in a row have failed and it had time to
 * recover, or once a job has failed after all retries.  From then on requests
 * fail at once, with the server's last failure, until a probe is answered: the
 * first a second later, the next after two, four and so on.  If requests were
 * refused meanwhile, a probe is sent by itself; else the next request is the
 * probe, and others wait for it.
 *
 * A server that accepts connections but does not answer may have trouble with
 * one object.  As long as only one has failed, only requests for that one fail.
 *
 * Nothing here waits, locks or reads a clock: now_ms is on the monotonic clock.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_OUTAGE_H
#define CFS_NET_OUTAGE_H

#include <stdbool.h>
#include <stdint.h>

#define CFS_OUTAGE_TRIES 3u		/* fewest tries failed in a row */
#define CFS_OUTAGE_PATIENCE_MS 5000	/* a restart takes no longer */
#define CFS_OUTAGE_ROW_MS 60000		/* later failures begin a new row */
#define CFS_OUTAGE_PAUSE_MS 1000
#define CFS_OUTAGE_PAUSE_MAX_MS 60000

enum cfs_try {
	CFS_TRY_ANSWERED,	/* with bytes, or about the object asked for */
	CFS_TRY_ODD,		/* says nothing about the server (out of
				 * memory here) */
	CFS_TRY_UNREACHED,	/* no connection */
	CFS_TRY_LOST,		/* the same after several packets */
	CFS_TRY_SILENT,		/* a connection, but no answer */
	CFS_TRY_TROUBLE,	/* 5xx, 429, an incomplete answer: left to the
				 * job's retries */
};

/* A try that has failed. */
struct cfs_failed_try {
	enum cfs_try kind;
	const void *object;	/* the one requested; with the offset */
	const char *name;	/* the object's name, for messages */
	uint64_t off;
	int64_t sent_ms;
	bool is_stranger;	/* the server has never answered */
	int code;
	const char *text;
};

/* All zero initially. */
struct cfs_outage {
	unsigned tries;		/* failed in a row */
	int64_t since_ms;	/* when the first of them was sent, */
	int64_t last_ms;	/* and the last one failed */
	const void *object;	/* common to all of them, else NULL; compared
				 * only */
	uint64_t off;		/* the first one's */
	bool is_whole;		/* different objects, or no connection at all */
	bool has_places;	/* different objects or offsets */
	bool has_failed_job;	/* failed after all retries */
	bool is_down;
	bool is_new;		/* just went down: requests are still
				 * under way */
	bool is_probed;		/* the probe is under way */
	bool is_awaited;	/* and requests wait for it */
	int64_t again_ms, pause_ms;
	uint64_t refused;	/* requests, while it was down */
	int code;		/* the last failure's */
	char text[240];
};

/* Notes a failed try. */
void cfs_outage_try(struct cfs_outage *o, const struct cfs_failed_try *t,
		    int64_t now_ms);
/* Notes that its job has failed after all retries; follows cfs_outage_try. */
void cfs_outage_job(struct cfs_outage *o, const struct cfs_failed_try *t,
		    int64_t now_ms);
/* Notes an answer: the server is up. */
void cfs_outage_end(struct cfs_outage *o);

enum cfs_outage_word { CFS_OUTAGE_GO, CFS_OUTAGE_WAIT, CFS_OUTAGE_REFUSE };

/* May a request for the object be sent?  is_due: a probe is waiting to be sent
 * by itself. */
enum cfs_outage_word cfs_outage_ask(const struct cfs_outage *o,
				    const void *object, bool is_due,
				    int64_t now_ms);
/* Notes that a request for the object is sent.  True if it is the probe: then
 * cfs_outage_probe_failed, cfs_outage_probe_gone or cfs_outage_end follows.
 * is_awaited: others wait for it. */
bool cfs_outage_sent(struct cfs_outage *o, const void *object, bool is_awaited);
void cfs_outage_probe_failed(struct cfs_outage *o, int64_t now_ms);
/* Notes that the probe ended without a result, say because it is unwanted. */
void cfs_outage_probe_gone(struct cfs_outage *o);

#endif
