/* server.c - the HTTP server, over libmicrohttpd.
 *
 * A few threads of the library do all input and output, by epoll: a connection
 * that is idle or slow costs a descriptor and its buffers, and no thread.  What
 * is in memory and short they answer themselves (answer_at_once).  Any other
 * request is suspended, answered by the threads of work.c, and resumed; so is a
 * body that is made step by step, each time what a step made has been sent.
 *
 * The bytes of one request are in a struct pending, which one thread has at a
 * time: the library's, or between suspension and resumption a worker.
 *
 * Limits: connections, which are as many as descriptors allow; the target and
 * header of a request (MEMORY_MAX), the time without a byte in or out
 * (IDLE_SECONDS), the time that a request takes to come (CFS_REQUEST_MS), the
 * body of a request (CFS_REQUEST_BODY_MAX).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/log.h"
#include "base/pool.h"
#include "config.h"
#include "exchange.h"
#include "generations.h"
#include "routes.h"
#include "server_internal.h"
#include "url/url.h"

#ifdef HAVE_MICROHTTPD
#include <microhttpd.h>

/* For the target and header of a request, then for the header of the reply.  A
 * path may be as long as the longest URL with each byte escaped.  The library
 * writes to all of it between two requests, so that an idle connection keeps
 * its whole buffer. */
#define MEMORY_MAX ((size_t)32 << 10)
_Static_assert(3 * CFS_URL_MAX + 4096 <= MEMORY_MAX, "URLs are longer");
#define IDLE_SECONDS 30u
/* Replies that are made have this part of the memory of --mem; a short one is
 * always made. */
#define REPLIES_PART 2u
#define REPLY_FREE ((uint64_t)128 << 10)
/* Ten thousand clients may be idle while others are served. */
#define CONNECTIONS_MAX 16384u
/* Descriptors that are left to archives, the cache and spilled records. */
#define OTHER_DESCRIPTORS 512u
/* Threads for input and output: each can fill a network by itself. */
#define IO_THREADS_MAX 4u
/* How often the end is looked for; a signal ends the sleep at once. */
#define END_POLL_MS 250

enum held_state {
	HELD_NEW,		/* the header was not looked at yet */
	HELD_BODY,		/* the body of the request comes in */
	HELD_WAITS,		/* a worker has it */
	HELD_ANSWERED,		/* the reply is to be queued */
	HELD_SENT,		/* it is queued */
};

struct serving {
	struct cfs_generations *sites;
	struct cfs_site_counters counters;
	const struct cfs_listener *listener;
	struct cfs_work *work;
	struct cfs_clients clients;
	struct MHD_Daemon *daemon;
};

/* A request, from its first line to the last byte of its reply. */
struct pending {
	struct cfs_work_item item;	/* the first member */
	struct serving *serving;
	struct MHD_Connection *connection;
	enum held_state state;
	bool is_refused;		/* x has the reply before a route was
					 * called */
	struct cfs_buf target;		/* as sent */
	const char *sent_target;	/* where the library has it */
	struct cfs_buf lists;		/* holds fields */
	struct cfs_buf body;		/* likewise */
	const struct cfs_route *route;	/* of the path; NULL: there is none */
	struct cfs_exchange x;
	struct cfs_error err;
	/* For a body in steps: what the last one made, how much of that was
	 * sent, and what
	 * follows (CFS_OK, CFS_END or a failure). */
	struct cfs_buf step;
	size_t step_at;
	int step_rc;
	uint64_t charged;		/* of its memory, to the budget */
};

/* The request of a connection has come, or is waited for: since_ms. */
static void mark_client(struct MHD_Connection *connection, int64_t since_ms)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(connection,
					MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct cfs_client *c = i != NULL ? i->socket_context : NULL;

	if (c != NULL)
		c->since_ms = since_ms;
}

/* Charges what the reply holds to the budget.  All replies have a part of it,
 * which only one that is alone passes before it begins: else false. */
static bool charge_reply(struct pending *h)
{
	struct cfs_site *site = h->x.site;
	uint64_t now = h->x.text.cap + h->step.cap, more;

	if (h->x.steps != NULL)
		now += h->x.steps->held;
	if (now <= h->charged) {
		site->reply_bytes -= h->charged - now;
		cfs_budget_sub(site->budget, CFS_MEM_REPLIES, h->charged - now);
		h->charged = now;
		return true;
	}
	more = now - h->charged;
	if (h->state != HELD_SENT && now > REPLY_FREE &&
	    site->reply_bytes > h->charged && site->reply_bytes + more >
		    cfs_budget_max(site->budget) / REPLIES_PART)
		return false;
	h->charged = now;
	site->reply_bytes += more;
	cfs_budget_add(site->budget, CFS_MEM_REPLIES, more);
	cfs_budget_relieve(site->budget);
	return true;
}

static void held_free(struct pending *h)
{
	if (h == NULL)
		return;
	cfs_reply_reset(&h->x);
	cfs_buf_release(&h->step);
	charge_reply(h);
	cfs_buf_release(&h->x.head);
	cfs_buf_release(&h->x.text);
	cfs_buf_release(&h->step);
	cfs_buf_release(&h->target);
	cfs_buf_release(&h->lists);
	cfs_buf_release(&h->body);
	cfs_generations_leave(h->serving->sites, h->x.site);
	free(h);
}

/* ---- on a worker ------------------------------------------------------ */

static void reply_reason(struct pending *h, unsigned status, const char *text)
{
	cfs_failure_say(&h->x, h->route, status, text);
}

/* Makes the reply that says why there is no other. */
static void reply_failure(struct pending *h, int rc)
{
	cfs_failure_reply(&h->x, h->route, rc, &h->err);
}

/* Makes the next step of the body.  The first one is made before the reply, so
 * that a failure still has a status of its own. */
static void make_step(struct pending *h, unsigned ms, struct cfs_ctx ctx)
{
	cfs_buf_reset(&h->step);
	h->step_at = 0;
	h->x.steps->ms = ms;
	h->step_rc = h->x.steps->more(h->x.steps, &h->step, ctx);
	if (h->step_rc >= CFS_OK && h->step.failed != CFS_OK)
		h->step_rc = h->step.failed;
}

/* There is no memory for the reply while others have theirs. */
static void refuse_for_memory(struct pending *h)
{
	cfs_reply_reset(&h->x);
	cfs_buf_release(&h->step);
	charge_reply(h);
	reply_reason(h, 503, "too many long answers are being sent: ask again "
		     "a little later, or give the server more memory (--mem)");
	cfs_reply_header(&h->x, "Retry-After", CFS_SLICE_LIT("5"));
}

/* True once the reply can be sent; else the request is to be queued for
 * *later. */
static bool answer_request(struct pending *h, bool *takes_long,
			   struct cfs_ctx ctx)
{
	struct cfs_exchange *x = &h->x;
	int rc = CFS_OK;

	if (x->steps == NULL) {
		rc = h->route->answer(x, ctx);
		*takes_long = rc == CFS_ROUTE_TAKES_LONG ||
			      (x->steps != NULL && x->steps->takes_long);
		if (*takes_long && !x->may_take_long) {
			if (rc != CFS_OK)	/* its fields */
				cfs_reply_reset(x);
			x->may_take_long = true;
			return false;
		}
	}
	if (rc == CFS_OK && x->steps != NULL) {
		make_step(h, CFS_STEP_MS, ctx);
		*takes_long = x->steps->takes_long;
		if (h->step_rc < CFS_OK)
			rc = h->step_rc;
	}
	if (rc != CFS_OK)
		reply_failure(h, rc);
	else if (!charge_reply(h))
		refuse_for_memory(h);
	else if (x->steps != NULL && h->step_rc == CFS_OK &&
		 h->step.n == 0)
		return false;	/* nothing to send yet */
	return true;
}

static void resume(struct pending *h)
{
	MHD_resume_connection(h->connection);
}

static bool queue_held(struct pending *h, bool takes_long)
{
	enum cfs_work_group group = CFS_WORK_QUICK;

	if (takes_long)
		group = h->x.has_expressions ? CFS_WORK_EXPRESSIONS :
					       CFS_WORK_LONG;
	return cfs_work_add(h->serving->work, &h->item, group);
}

static void run_held(struct cfs_work_item *item, const struct cfs_cancel *stop)
{
	struct pending *h = (struct pending *)item;
	struct cfs_deadline until;
	struct cfs_cancel cancel = *stop;
	bool takes_long = false;

	if (h->x.site->timeout_ms > 0) {
		cfs_deadline_set(&until, h->x.site->timeout_ms);
		cancel.until = &until;
	}
	cfs_error_clear(&h->err);
	if (h->state == HELD_SENT) {
		make_step(h, CFS_STEP_MS, CFS_CTX(&cancel, &h->err));
		charge_reply(h);
		if (h->step_rc < CFS_OK && h->step_rc != CFS_EINTR)
			cfs_log_error(CFS_LOG_WARNING, &h->err);
	} else if (answer_request(h, &takes_long, CFS_CTX(&cancel, &h->err))) {
		h->state = HELD_ANSWERED;
	} else if (queue_held(h, takes_long)) {
		return;
	} else {
		reply_failure(h, CFS_EINTR);
		h->state = HELD_ANSWERED;
	}
	resume(h);
}

/* ---- sending ---------------------------------------------------------- */

static ssize_t send_file(void *arg, uint64_t pos, char *to, size_t max)
{
	struct pending *h = arg;
	struct cfs_slice part;

	if (pos >= h->x.bytes)
		return MHD_CONTENT_READER_END_OF_STREAM;
	part = cfs_slice_sub(h->x.file.bytes, (size_t)(h->x.from + pos),
			     (size_t)(h->x.bytes - pos) < max ?
			     (size_t)(h->x.bytes - pos) : max);
	if (part.n == 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	memcpy(to, part.p, part.n);
	cfs_file_bytes_release_pages(&h->x.file, part);
	cfs_site_count(h->x.site->counters, CFS_SITE_BYTES, (int64_t)part.n);
	return (ssize_t)part.n;
}

static ssize_t send_steps(void *arg, uint64_t pos, char *to, size_t max)
{
	struct pending *h = arg;
	struct cfs_slice part = cfs_slice_sub(cfs_buf_slice(&h->step),
					      h->step_at, max);

	(void)pos;
	if (part.n > 0) {
		memcpy(to, part.p, part.n);
		h->step_at += part.n;
		cfs_site_count(h->x.site->counters, CFS_SITE_BYTES,
			       (int64_t)part.n);
		return (ssize_t)part.n;
	}
	if (h->step_rc == CFS_END)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (h->step_rc < CFS_OK) {
		cfs_site_count(h->x.site->counters, CFS_SITE_FAILURES, 1);
		return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	MHD_suspend_connection(h->connection);
	if (!queue_held(h, h->x.steps->takes_long)) {
		h->step_rc = CFS_EINTR;
		resume(h);
	}
	return 0;
}

/* Never called, as 304 has no body. */
static ssize_t send_nothing(void *arg, uint64_t pos, char *to, size_t max)
{
	(void)arg;
	(void)pos;
	(void)to;
	(void)max;
	return MHD_CONTENT_READER_END_OF_STREAM;
}

/* A reply of 304: it has no bytes, and may state the length of those that the
 * client has.  Where that is not known, older versions of the library leave
 * the field out only if the connection ends. */
static struct MHD_Response *make_no_body(const struct cfs_exchange *x)
{
	struct MHD_Response *r = MHD_create_response_from_callback(
		x->has_bytes ? x->bytes : MHD_SIZE_UNKNOWN, 1, send_nothing,
		NULL, NULL);

#if MHD_VERSION >= 0x00097600
	if (r != NULL)
		MHD_set_response_options(r, MHD_RF_HEAD_ONLY_RESPONSE,
					 MHD_RO_END);
#else
	if (r != NULL && !x->has_bytes)
		MHD_set_response_options(r, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT,
					 MHD_RO_END);
#endif
	return r;
}

static struct MHD_Response *make_body(struct pending *h)
{
	struct cfs_exchange *x = &h->x;

	if (x->status == 304)
		return make_no_body(x);
	/* bytes in memory are sent with the header, in one call */
	if (x->has_file && cfs_file_bytes_memory(&x->file) > 0) {
		cfs_site_count(x->site->counters, CFS_SITE_BYTES,
			       (int64_t)x->bytes);
		return MHD_create_response_from_buffer(x->bytes,
				(void *)(uintptr_t)(x->file.bytes.p + x->from),
				MHD_RESPMEM_PERSISTENT);
	}
	if (x->has_file)
		return MHD_create_response_from_callback(x->bytes,
					CFS_STEP_BYTES, send_file, h, NULL);
	if (x->steps != NULL && h->step_rc != CFS_END)
		return MHD_create_response_from_callback(
			x->has_bytes ? x->bytes : MHD_SIZE_UNKNOWN,
			CFS_STEP_BYTES, send_steps, h, NULL);
	if (x->steps != NULL) {	/* the first step is all */
		cfs_buf_release(&x->text);
		x->text = h->step;
		cfs_buf_init(&h->step, 0);
	}
	cfs_site_count(x->site->counters, CFS_SITE_BYTES, (int64_t)x->text.n);
	return MHD_create_response_from_buffer(x->text.n, x->text.p,
					       MHD_RESPMEM_PERSISTENT);
}

/* Adds the fields that a route has set; they are NAME: VALUE lines. */
static void add_fields(struct MHD_Response *r, struct cfs_buf *head)
{
	char *at = (char *)(uintptr_t)cfs_buf_str(head);

	while (*at != '\0') {
		char *end = strchr(at, '\n'), *value = strchr(at, ':');

		if (end == NULL || value == NULL)
			return;
		*end = *value = '\0';
		MHD_add_response_header(r, at, value + 2);
		at = end + 1;
	}
}

/* Looks at the conditions of a request whose route has no validators. */
static void judge_conditions(struct pending *h)
{
	static const struct cfs_validators none = { .time = 0 };
	struct cfs_exchange *x = &h->x;

	if (h->route != NULL && !h->is_refused && !x->is_judged &&
	    x->method != CFS_METHOD_OPTIONS && x->status / 100 == 2 &&
	    cfs_reply_condition(x, &none)) {
		if (x->status == 412)
			reply_reason(h, 412, "what has no state cannot be in "
				     "one");
		else if (!x->has_bytes && x->steps == NULL)
			cfs_reply_known(x, x->text.n);
	}
}

static enum MHD_Result queue_reply(struct pending *h)
{
	/* The fields of all replies.  The two policies keep pages of other
	 * sites from showing what is here, and from holding a window that
	 * shows it. */
	static const struct { const char *name, *value; } all[] = {
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-DNS-Prefetch-Control", "off" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Vary", "Sec-Fetch-Site, Sec-Fetch-Mode, Sec-Fetch-Dest, "
			  "Accept, Accept-Encoding" },
		{ "Server", "crawlfs" },
	};
	struct cfs_exchange *x = &h->x;
	struct MHD_Response *r;
	enum MHD_Result done;

	judge_conditions(h);
	r = make_body(h);
	if (r == NULL)
		return MHD_NO;
	add_fields(r, &x->head);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		MHD_add_response_header(r, all[i].name, all[i].value);
	MHD_add_response_header(r, "Content-Security-Policy",
				cfs_policy_text(x->policy));
	/* no policy of content covers preconnect and dns-prefetch, which a page
	 * written anew has not; it follows redirections of this server */
	if (x->policy != CFS_POLICY_OWN && x->policy != CFS_POLICY_REPLAYED)
		MHD_add_response_header(r, "Connection-Allowlist",
					"(response-origin)");
	h->state = HELD_SENT;
	mark_client(h->connection, CFS_CLIENT_IS_SERVED);
	x->site->counters->replies[x->status / 100 % CFS_STATUS_CLASSES]++;
	if (x->status >= 500)
		cfs_site_count(x->site->counters, CFS_SITE_FAILURES, 1);
	done = MHD_queue_response(h->connection, x->status, r);
	MHD_destroy_response(r);
	return done;
}

/* ---- receiving -------------------------------------------------------- */

static enum cfs_method method_of(const char *name)
{
	static const struct {
		const char *name;
		enum cfs_method method;
	} methods[] = {
		{ "GET", CFS_METHOD_GET }, { "HEAD", CFS_METHOD_HEAD },
		{ "OPTIONS", CFS_METHOD_OPTIONS },
		{ "PROPFIND", CFS_METHOD_PROPFIND },
		{ "POST", CFS_METHOD_POST },
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(name, methods[i].name) == 0)
			return methods[i].method;
	return CFS_METHOD_OTHER;
}

/* Tells the methods of a path; route NULL: of the server. */
static void add_allow(struct cfs_exchange *x, const struct cfs_route *route)
{
	static const struct cfs_slice dav =
		CFS_SLICE_LIT("OPTIONS, GET, HEAD, PROPFIND");
	struct cfs_slice methods = CFS_SLICE_LIT("OPTIONS, GET, HEAD");

	if (route == NULL || route->methods & CFS_METHOD_PROPFIND)
		methods = dav;
	else if (route->methods & CFS_METHOD_POST)
		methods = CFS_SLICE_LIT("OPTIONS, POST");
	cfs_reply_header(x, "Allow", methods);
}

static void refuse_method(struct pending *h)
{
	add_allow(&h->x, h->route);
	reply_reason(h, 405, h->route->methods & CFS_METHOD_POST ?
		     "messages are sent by POST" : "a crawl can only be read");
}

/* OPTIONS, of a path or of the server. */
static void tell_methods(struct cfs_exchange *x, const struct cfs_route *route)
{
	add_allow(x, route);
	if (route == NULL || route->methods & CFS_METHOD_PROPFIND) {
		cfs_reply_header(x, "DAV", CFS_SLICE_LIT("1"));
		cfs_reply_header(x, "MS-Author-Via", CFS_SLICE_LIT("DAV"));
	}
	cfs_reply_header(x, "Accept-Ranges", CFS_SLICE_LIT("bytes"));
	x->status = 200;
}

/* Finds the route of a request.  A server in front may leave the path of the
 * base URL in it, or remove it. */
static const struct cfs_route *route_of(struct cfs_exchange *x)
{
	const struct cfs_route *route = cfs_route_find(x->path, &x->rest);
	struct cfs_slice prefix = cfs_slice_str(x->site->prefix);

	if (route != NULL || !cfs_slice_starts(x->path, prefix))
		return route;
	x->path = cfs_slice_from(x->path, prefix.n);
	return cfs_route_find(x->path, &x->rest);
}

/* Answers at once what needs no route, or is refused.  True: a reply is
 * made. */
static bool pass_gate(struct pending *h, const char *version)
{
	struct cfs_exchange *x = &h->x;
	struct cfs_slice host;

	if (!cfs_gate_split(x, cfs_buf_slice(&h->target))) {
		cfs_reply_message(x, 400, "the target of the request is not a "
				  "path");
		return true;
	}
	h->route = route_of(x);
	host = x->fields[CFS_FIELD_HOST];
	if (host.n == 0 && strcmp(version, "HTTP/1.0") != 0) {
		reply_reason(h, 400, "the request names no host");
		return true;
	}
	/* the style sheet is of this page, too */
	if (host.n > 0 &&
	    (h->route == NULL || h->route->answer != cfs_answer_style) &&
	    !cfs_gate_is_own_host(host, h->serving->listener->host,
				  x->site->base_url)) {
		reply_reason(h, 403, "this server does not have that name "
			     "(--base-url gives it one)");
		return true;
	}
	if (cfs_gate_is_foreign(x, h->serving->listener->host)) {
		/* the same for all paths */
		cfs_reply_message(x, 403, "a page of another site cannot have "
				  "this");
		return true;
	}
	if (x->method == CFS_METHOD_OPTIONS)
		tell_methods(x, h->route);
	else if (h->route == NULL)
		reply_reason(h, 404, "there is no such path");
	else if ((h->route->methods & x->method) == 0)
		refuse_method(h);
	else
		return false;
	return true;
}

static enum MHD_Result receive_head(struct pending *h, const char *method,
				    const char *version)
{
	struct cfs_exchange *x = &h->x;

	x->method = method_of(method);
	if (x->method == CFS_METHOD_HEAD) {
		x->method = CFS_METHOD_GET;
		x->is_head = true;
	}
	if (h->target.failed != CFS_OK) {
		reply_failure(h, h->target.failed);
		return queue_reply(h);
	}
	if (!cfs_framing_read(h->connection, version, cfs_buf_slice(&h->target),
			      h->sent_target, x->fields, &h->lists)) {
		cfs_reply_message(x, 400, "the request is ambiguous: its lines, "
				  "names, lengths or hosts are not as HTTP has "
				  "them");
		cfs_reply_header(x, "Connection", CFS_SLICE_LIT("close"));
		return queue_reply(h);
	}
	if (x->is_head || x->method != CFS_METHOD_GET)
		x->fields[CFS_FIELD_RANGE] = CFS_SLICE_EMPTY;
	h->is_refused = pass_gate(h, version);
	/* the body of another method is not awaited: the connection ends */
	if (h->is_refused && x->method == CFS_METHOD_OTHER)
		return queue_reply(h);
	h->state = HELD_BODY;
	return MHD_YES;
}

/* Tries to answer on this thread.  False: a worker is to do it, or to make the
 * steps of the reply. */
static bool answer_at_once(struct pending *h)
{
	struct cfs_exchange *x = &h->x;
	struct cfs_at_once now;
	int rc;

	if (!h->route->heeds_at_once)
		return false;
	cfs_at_once_begin(&now);
	cfs_error_clear(&h->err);
	x->at_once = true;
	rc = h->route->answer(x, CFS_CTX(&now.cancel, &h->err));
	x->at_once = false;
	if (rc == CFS_OK && x->steps != NULL && x->steps->heeds_ms) {
		make_step(h, CFS_STEP_AT_ONCE_MS,
			   CFS_CTX(&now.cancel, &h->err));
		rc = h->step_rc < CFS_OK ? h->step_rc : CFS_OK;
		if (rc == CFS_OK && !now.is_over)
			return h->step_rc == CFS_END || h->step.n > 0;
	}
	if (rc == CFS_OK && !now.is_over)
		return x->steps == NULL;
	/* other failures are met again, and logged, by a worker */
	if ((rc == CFS_ENOTFOUND || rc == CFS_EUSAGE) && !now.is_over) {
		reply_failure(h, rc);
		return true;
	}
	cfs_reply_reset(x);
	return false;
}

static enum MHD_Result receive_body(struct pending *h, const char *data,
				    size_t *n)
{
	if (*n > 0) {
		cfs_buf_append(&h->body, data, *n);
		*n = 0;
		return MHD_YES;
	}
	if (h->is_refused)
		return queue_reply(h);
	if (h->body.failed != CFS_OK) {
		reply_reason(h, 413, "the body of the request is too long");
		return queue_reply(h);
	}
	h->x.body = cfs_buf_slice(&h->body);
	if (answer_at_once(h))
		return queue_reply(h);
	h->state = HELD_WAITS;
	mark_client(h->connection, CFS_CLIENT_IS_SERVED);
	MHD_suspend_connection(h->connection);
	if (!queue_held(h, false)) {
		reply_failure(h, CFS_EINTR);
		h->state = HELD_ANSWERED;
		resume(h);
	}
	return MHD_YES;
}

static enum MHD_Result on_http_request(void *arg,
				  struct MHD_Connection *connection,
				  const char *url, const char *method,
				  const char *version, const char *data,
				  size_t *data_n, void **held)
{
	struct pending *h = *held;

	(void)arg;
	(void)url;
	if (h == NULL)		/* out of memory */
		return MHD_NO;
	switch (h->state) {
	case HELD_NEW:
		h->connection = connection;
		return receive_head(h, method, version);
	case HELD_BODY:
		return receive_body(h, data, data_n);
	case HELD_ANSWERED:
		return queue_reply(h);
	default:
		*data_n = 0;	/* a body that was refused */
		return MHD_YES;
	}
}

/* Called with the target of each request, before anything else. */
static void *on_target(void *arg, const char *target,
		       struct MHD_Connection *connection)
{
	struct serving *s = arg;
	struct pending *h = calloc(1, sizeof(*h));
	const union MHD_ConnectionInfo *i;

	if (h == NULL)
		return NULL;
	i = MHD_get_connection_info(connection,
				    MHD_CONNECTION_INFO_CONNECTION_FD);
	h->x.fd = i != NULL ? i->connect_fd : -1;
	h->item.run = run_held;
	h->serving = s;
	h->x.site = cfs_generations_use(s->sites);
	cfs_buf_init(&h->target, MEMORY_MAX);
	cfs_buf_init(&h->lists, MEMORY_MAX);
	h->sent_target = target;
	cfs_buf_init(&h->body, CFS_REQUEST_BODY_MAX);
	cfs_buf_init(&h->step, CFS_REPLY_BODY_MAX);
	cfs_reply_reset(&h->x);
	cfs_buf_adds(&h->target, target);
	cfs_site_count(&s->counters, CFS_SITE_RUNNING, 1);
	return h;
}

static void on_completed(void *arg, struct MHD_Connection *connection,
			 void **held, enum MHD_RequestTerminationCode how)
{
	struct serving *s = arg;

	(void)how;
	mark_client(connection, cfs_monotonic_ms());
	if (*held == NULL)
		return;
	held_free(*held);
	*held = NULL;
	cfs_site_count(&s->counters, CFS_SITE_RUNNING, -1);
}

static void on_connection(void *arg, struct MHD_Connection *connection,
			  void **socket,
			  enum MHD_ConnectionNotificationCode what)
{
	struct serving *s = arg;
	const union MHD_ConnectionInfo *i;

	if (what != MHD_CONNECTION_NOTIFY_STARTED) {
		cfs_client_free(&s->clients, *socket);
		cfs_site_count(&s->counters, CFS_SITE_CONNECTIONS, -1);
		return;
	}
	cfs_site_count(&s->counters, CFS_SITE_CONNECTIONS, 1);
	i = MHD_get_connection_info(connection,
				    MHD_CONNECTION_INFO_CONNECTION_FD);
	*socket = i == NULL ? NULL : cfs_client_new(&s->clients, i->connect_fd,
						    cfs_monotonic_ms());
}

/* Paths are decoded by the routes, name by name. */
static size_t keep_escapes(void *arg, struct MHD_Connection *connection,
			   char *s)
{
	(void)arg;
	(void)connection;
	return strlen(s);
}

static void on_library_log(void *arg, const char *fmt, va_list ap)
{
	(void)arg;
	(void)fmt;
	(void)ap;	/* clients that misbehave are no news */
}

/* ---- from beginning to end -------------------------------------------- */

/* Returns how many connections the limit of descriptors allows. */
static unsigned connections_max(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) != 0)
		return CONNECTIONS_MAX;
	if (lim.rlim_cur >= CONNECTIONS_MAX + OTHER_DESCRIPTORS)
		return CONNECTIONS_MAX;
	if (lim.rlim_cur > 2 * OTHER_DESCRIPTORS)
		return (unsigned)lim.rlim_cur - OTHER_DESCRIPTORS;
	return (unsigned)lim.rlim_cur / 2;
}

static unsigned thread_count(const struct cfs_site *site, unsigned wanted)
{
	return wanted > 0 ? wanted : cfs_request_threads(site->timeout_ms > 0);
}

/* Starts the library's threads, with signals blocked in them. */
static int start_daemon(struct serving *s, struct cfs_error *err)
{
	unsigned io = cfs_processors();
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL |
			MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
			MHD_USE_ERROR_LOG,
		0, NULL, NULL, on_http_request, s,
		MHD_OPTION_EXTERNAL_LOGGER, on_library_log, NULL,
		MHD_OPTION_LISTEN_SOCKET, s->listener->fd,
		MHD_OPTION_THREAD_POOL_SIZE,
		io < IO_THREADS_MAX ? io : IO_THREADS_MAX,
		MHD_OPTION_CONNECTION_LIMIT, connections_max(),
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
		MHD_OPTION_URI_LOG_CALLBACK, on_target, s,
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
		MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->daemon != NULL ? CFS_OK :
	       cfs_error_set(err, CFS_EIO, "cannot start the server: %s",
			     strerror(errno));
}

static void wait_for_end(struct serving *s, const struct cfs_cancel *cancel)
{
	const struct timespec poll = { .tv_nsec = END_POLL_MS * 1000000L };

	while (!cfs_cancelled(cancel)) {
		nanosleep(&poll, NULL);
		cfs_clients_end_late(&s->clients, cfs_monotonic_ms());
	}
}

/* The workers end first, which resumes what is suspended: the library does not
 * stop before. */
static void stop_serving(struct serving *s)
{
	if (s->daemon != NULL)
		MHD_quiesce_daemon(s->daemon);
	if (s->work != NULL)
		cfs_work_stop(s->work);
	if (s->daemon != NULL)
		MHD_stop_daemon(s->daemon);
	cfs_work_free(s->work);
}

const char *cfs_server_library(void)
{
	return MHD_get_version();
}

int cfs_server_run(struct cfs_site *site, struct cfs_listener *listener,
		   const struct cfs_server_opts *opts, struct cfs_ctx ctx)
{
	struct serving s = { .listener = listener };
	unsigned threads = thread_count(site, opts->threads);
	int rc = cfs_generations_begin(&s.sites, site, &s.counters,
				       &opts->reopening, ctx);

	cfs_clients_init(&s.clients);
	if (rc == CFS_OK)
		rc = cfs_work_new(&s.work, threads, ctx.err);
	if (rc == CFS_OK)
		rc = start_daemon(&s, ctx.err);
	if (rc == CFS_OK) {
		if (opts->ready != NULL)
			opts->ready(opts->arg, listener->url);
		wait_for_end(&s, ctx.cancel);
	}
	stop_serving(&s);
	cfs_generations_end(s.sites);
	cfs_clients_release(&s.clients);
	cfs_listener_close(listener);
	return rc;
}

#else

const char *cfs_server_library(void)
{
	return NULL;
}

int cfs_server_run(struct cfs_site *site, struct cfs_listener *listener,
		   const struct cfs_server_opts *opts, struct cfs_ctx ctx)
{
	(void)opts;
	cfs_site_close(site);
	cfs_listener_close(listener);
	return cfs_error_set(ctx.err, CFS_EUNSUPPORTED, "this crawlfs was built "
			     "without libmicrohttpd, which serve needs");
}

#endif
