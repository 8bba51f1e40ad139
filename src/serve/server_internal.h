/* server_internal.h - parts of the server: what is refused before a route is
 * called, which connections are ended, and the threads that answer requests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_SERVER_INTERNAL_H
#define CFS_SERVE_SERVER_INTERNAL_H

#include <pthread.h>

#include "exchange.h"

/* ---- the gate (gate.c) ---- */

/* Takes the target of a request apart: sets x->path and x->query.  A target
 * with a host ("http://host/path") sets the field Host, which it overrules.
 * False if it is neither that nor a path. */
bool cfs_gate_split(struct cfs_exchange *x, struct cfs_slice target);

/*
 * Is a request meant for this server?  A page of another site, whose name was
 * pointed at this machine (DNS rebinding), sends that name: it must not read
 * the crawl.  Good are addresses in numbers, "localhost" and names below it,
 * the host that the server listens on and that of its base URL.
 */
bool cfs_gate_is_own_host(struct cfs_slice field, const char *listen_host,
			  const char *base_url);

/*
 * Does a page of another site ask, to show, run or measure what it gets?  Then
 * it could find out which pages are there.  By fields that browsers set, and
 * pages cannot; following a link, which leaves that page, is no such request.
 * A message must not come from such a page at all, by the field Origin.
 *
 * Spec: W3C, "Fetch Metadata Request Headers".
 */
bool cfs_gate_is_foreign(const struct cfs_exchange *x, const char *listen_host);

/* ---- replies that say why there is no other (failure.c) ---- */

struct cfs_route;

/* Replies with a sentence, in the form that the client reads: a page, an object
 * of JSON, or text.  route: of the path, or NULL. */
void cfs_failure_say(struct cfs_exchange *x, const struct cfs_route *route,
		      unsigned status, const char *text);

/* The same with the status of a failure, which is logged if it is the server's.
 * err loses the folder that it names. */
void cfs_failure_reply(struct cfs_exchange *x, const struct cfs_route *route,
		       int rc, struct cfs_error *err);

/* ---- the frame of a request (framing.c) ---- */

struct MHD_Connection;

/*
 * Reads the fields of a request whose header has come.
 *
 * version  as the library has it
 * target   the target of the request; sent: where the library has it
 * fields   CFS_FIELD_COUNT of them are set, borrowed from the connection or
 *          from lists
 * lists    empty; holds lists that were sent in several fields
 *
 * False: the frame is not sound.  The request must be refused, and its
 * connection closed.
 */
bool cfs_framing_read(struct MHD_Connection *connection, const char *version,
		      struct cfs_slice target, const char *sent,
		      struct cfs_slice *fields, struct cfs_buf *lists);

/* ---- clients (clients.c) ---- */

/* A request, its header and its body, has come to its end so long after the
 * connection was made, or after the reply before it. */
#define CFS_REQUEST_MS 45000
#define CFS_CLIENT_IS_SERVED INT64_MIN

/* A connection.  since_ms is set by the thread that has it. */
struct cfs_client {
	int fd;
	_Atomic int64_t since_ms;	/* the request is waited for since then;
					 * CFS_CLIENT_IS_SERVED: it has come */
	struct cfs_client *next, **at;	/* guarded by the lock of all */
};

struct cfs_clients {
	pthread_mutex_t lock;
	struct cfs_client *first;
};

void cfs_clients_init(struct cfs_clients *all);
/* All clients must have been freed before. */
void cfs_clients_release(struct cfs_clients *all);

/* Adds a connection, whose descriptor stays open until cfs_client_free.  NULL:
 * no memory. */
struct cfs_client *cfs_client_new(struct cfs_clients *all, int fd,
				  int64_t now_ms);
void cfs_client_free(struct cfs_clients *all, struct cfs_client *c);

/* Shuts down the connections whose requests are late. */
void cfs_clients_end_late(struct cfs_clients *all, int64_t now_ms);

/* ---- work (work.c) ----
 *
 * Threads that answer requests, while those that talk to clients do nothing
 * else.  Threads of the first group take what is quick or waits for a server;
 * what computes for long is left to the others, which have one for each
 * processor.  So a request that takes seconds occupies no thread that another
 * needs, whatever their number; and those whose seconds anybody can ask for
 * (expressions, copies) hold up only each other. */

enum cfs_work_group {
	CFS_WORK_QUICK, CFS_WORK_LONG, CFS_WORK_EXPRESSIONS,
	CFS_WORK_GROUPS
};

struct cfs_work;		/* threads share it */

/* Work to be done once; embedded in what it is about.  While it is queued or
 * runs it belongs to the threads. */
struct cfs_work_item {
	void (*run)(struct cfs_work_item *item, const struct cfs_cancel *stop);
	struct cfs_work_item *next;
};

/* Starts the threads: `threads` of the first group.  0 or CFS_ENOMEM. */
int cfs_work_new(struct cfs_work **out, unsigned threads,
		 struct cfs_error *err);

/* Queues an item.  False once cfs_work_stop was called: it will not run. */
bool cfs_work_add(struct cfs_work *w, struct cfs_work_item *item,
		  enum cfs_work_group group);

/* Raises the token that items are given, and waits until all that were queued
 * have run. */
void cfs_work_stop(struct cfs_work *w);
/* Call cfs_work_stop before.  Accepts NULL. */
void cfs_work_free(struct cfs_work *w);

/* ---- at once (work.c) ----
 *
 * A request whose answer is in memory, and short, is answered by the thread
 * that has read it: waking another one, and being woken by it, costs more. */

/* The longest time that a reply may take which is made at once: other
 * connections of the thread wait. */
#define CFS_AT_ONCE_MS 8

struct cfs_at_once {
	struct cfs_cancel cancel;	/* the token to be passed on */
	_Atomic bool is_over;		/* it would have had to wait, or for
					 * longer than others should */
	int64_t until_ms;
};

/* Begins; the struct must not move. */
void cfs_at_once_begin(struct cfs_at_once *a);

#endif
