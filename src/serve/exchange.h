/* exchange.h - a request of HTTP and the reply to it, as the routes of the
 * server see them.
 *
 * A route (routes.h) is called with a request whose method it takes, and fills
 * in the reply with one of the functions below.  It runs on a thread that may
 * wait for a server or compute, or first at_once; no byte is sent before it has
 * returned.  A route that fails returns the code: the client then gets the
 * status of that code with the sentence in err.
 *
 * Paths and queries are those of the client, with their escapes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_EXCHANGE_H
#define CFS_SERVE_EXCHANGE_H

#include "ranges.h"
#include "site.h"

/* Methods, as bits.  Any other is answered before a route is called. */
enum cfs_method {
	CFS_METHOD_OTHER = 0,
	CFS_METHOD_GET = 1 << 0,
	CFS_METHOD_HEAD = 1 << 1,
	CFS_METHOD_OPTIONS = 1 << 2,
	CFS_METHOD_PROPFIND = 1 << 3,
	CFS_METHOD_POST = 1 << 4,
};

/* The header fields of a request that are of interest. */
enum cfs_request_field {
	CFS_FIELD_HOST, CFS_FIELD_RANGE, CFS_FIELD_IF_RANGE,
	CFS_FIELD_IF_MATCH, CFS_FIELD_IF_NONE_MATCH,
	CFS_FIELD_IF_MODIFIED_SINCE, CFS_FIELD_IF_UNMODIFIED_SINCE,
	CFS_FIELD_DEPTH, CFS_FIELD_FETCH_SITE, CFS_FIELD_FETCH_MODE,
	CFS_FIELD_FETCH_DEST, CFS_FIELD_ORIGIN, CFS_FIELD_CONTENT_TYPE,
	CFS_FIELD_MCP_VERSION, CFS_FIELD_ACCEPT,
	CFS_FIELD_ACCEPT_ENCODING, CFS_FIELD_ACCEPT_DATETIME, CFS_FIELD_COUNT
};

/* The longest body of a request: the properties that a PROPFIND asks for, or a
 * message of the Model Context Protocol. */
#define CFS_REQUEST_BODY_MAX ((size_t)64 << 10)
/* The header fields that a route adds to its reply, all together. */
#define CFS_REPLY_HEAD_MAX ((size_t)64 << 10)
/* The longest body that is made as a whole. */
#define CFS_REPLY_BODY_MAX ((size_t)64 << 20)

/* A step of a body appends about so much. */
#define CFS_STEP_BYTES ((size_t)64 << 10)

/* A body that is made step by step, while it is sent.  Embedded in a struct
 * of the route's. */
struct cfs_steps {
	/*
	 * Makes the next step: appends to `out` about CFS_STEP_BYTES, or what
	 * comes about within CFS_STEP_MS, so that others get their turn.  A
	 * step may append nothing.
	 *
	 * Returns CFS_OK; CFS_END if this was the last step; a failure: it is
	 * the reply if nothing was sent yet, else the connection is closed.
	 */
	int (*more)(struct cfs_steps *p, struct cfs_buf *out,
		    struct cfs_ctx ctx);
	void (*free)(struct cfs_steps *p);
	/* Making a step may take much longer than that: it is left to threads
	 * that do nothing else. */
	bool takes_long;
	/* True: making a step takes about `ms` at most, which the server sets,
	 * instead of CFS_STEP_MS; the first one may be made at once. */
	bool heeds_ms;
	unsigned ms;
	/* Bytes of memory that it holds, besides what each request does. */
	size_t held;
};
#define CFS_STEP_MS 50
#define CFS_STEP_AT_ONCE_MS 2

/* The rights that a browser gives a body. */
enum cfs_policy {
	CFS_POLICY_OWN,			/* a page of this server */
	CFS_POLICY_ARCHIVED,		/* bytes of the archives */
	CFS_POLICY_MEDIA,		/* sound or film of the archives: none
					 * of it is markup, and it is played */
	CFS_POLICY_REPLAYED,		/* a page written anew (replayed.h) */
	CFS_POLICIES
};

/* The value of Content-Security-Policy for it (policy.c). */
const char *cfs_policy_text(enum cfs_policy policy);

struct cfs_exchange {
	/* ---- the request; slices are borrowed until its end ---- */
	struct cfs_site *site;
	enum cfs_method method;
	bool is_head;			/* HEAD was asked, and method is GET:
					 * the reply is the same */
	struct cfs_slice path;		/* "/dav/com/a%20b"; begins with '/' */
	struct cfs_slice rest;		/* the path behind the route:
					 * "com/a%20b" */
	struct cfs_slice query;		/* without its '?'; may be empty */
	struct cfs_slice fields[CFS_FIELD_COUNT];	/* n 0: not sent */
	struct cfs_slice body;
	int fd;				/* of the client's connection; -1: not
					 * known */
	/* True: this is a thread that talks to clients.  The route has a few
	 * milliseconds, and must not wait (ctx.cancel tells); if that is not
	 * enough it returns CFS_ROUTE_TAKES_LONG or CFS_EINTR, and is called
	 * again with false. */
	bool at_once;
	/* False: a route that would compute for long returns
	 * CFS_ROUTE_TAKES_LONG, and is called again with true. */
	bool may_take_long;
	/* Set by a route that takes long: with expressions of the client's or a
	 * copy for it, for which nobody else should wait. */
	bool has_expressions;
	/* Set by a route to which the body of a file means little: what is left
	 * of one that is cut off will do.  Then is_cut is set. */
	bool takes_cut, is_cut;

	/* ---- the reply; filled in by the functions below ---- */
	unsigned status;
	struct cfs_buf head;		/* "NAME: VALUE\n" each */
	/* The body is one of these: `text`, a range of `file`, or `steps`. */
	struct cfs_buf text;
	struct cfs_file_bytes file;
	bool has_file;
	uint64_t from, bytes;		/* of `file` */
	struct cfs_steps *steps;
	bool has_bytes;			/* all steps have `bytes` bytes, or
					 * what is not sent (304) */
	bool wants_json;		/* a failure is told as an object of
					 * JSON: {"message": ...} */
	uint64_t last_page;		/* of a list without the page that was
					 * asked for; 0: another failure */
	bool is_judged;			/* the conditions of the request were
					 * looked at */
	enum cfs_policy policy;
};

#define CFS_ROUTE_TAKES_LONG 1

/* Adds a header field.  A value with bytes that a field cannot have is left
 * out. */
void cfs_reply_header(struct cfs_exchange *x, const char *name,
		      struct cfs_slice value);

/* Replies with a body made as a whole, which is taken over (and empty
 * afterwards).  `type` is a media type: "text/html; charset=utf-8".  0, or
 * body->failed: then there is no reply. */
int cfs_reply_text(struct cfs_exchange *x, unsigned status, const char *type,
		   struct cfs_buf *body);

/* The same with text for browsers: compressed, if the client takes it and it is
 * longer than a packet, and with 200 known by a tag of its bytes, by which the
 * conditions of the request are judged. */
int cfs_reply_page(struct cfs_exchange *x, unsigned status, const char *type,
		   struct cfs_buf *body);

/* Replies with a sentence, as plain text.  Always CFS_OK. */
int cfs_reply_message(struct cfs_exchange *x, unsigned status,
		      const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same as an object of JSON, {"message": ...}. */
int cfs_reply_json_message(struct cfs_exchange *x, unsigned status,
			   const char *text);

/* Replies with a body made while it is sent; takes over `steps`. */
int cfs_reply_steps(struct cfs_exchange *x, unsigned status, const char *type,
		     struct cfs_steps *steps);

/* Replies with a range of a file of the crawl, which is taken over.  The route
 * adds Content-Type, and sets the policy. */
int cfs_reply_file(struct cfs_exchange *x, unsigned status,
		   struct cfs_file_bytes *file, uint64_t from, uint64_t bytes);

/* Replies that the client should ask for another path of this server ("/tree/",
 * with escapes, below the path of the base URL), which is released.  0 or
 * CFS_ENOMEM. */
int cfs_reply_redirect(struct cfs_exchange *x, unsigned status,
		       struct cfs_buf *path);

/* Appends the address by which the client reaches this server, without a slash
 * at its end.  Empty if it is not known: the request names no host. */
void cfs_reply_base(const struct cfs_exchange *x, struct cfs_buf *out);

/* Adds the validators that there are, and looks at the conditions of the
 * request.  True: they are its answer, 304 or 412.  A route that knows
 * validators calls it before it makes its reply; for any other the server looks
 * at the conditions, as of what has none. */
bool cfs_reply_condition(struct cfs_exchange *x,
			 const struct cfs_validators *v);

/* Tells how long the body would be that is not sent, as the client has it. */
static inline void cfs_reply_known(struct cfs_exchange *x, uint64_t bytes)
{
	x->has_bytes = true;
	x->bytes = bytes;
}

/* Forgets the reply, so that another can be made. */
void cfs_reply_reset(struct cfs_exchange *x);

/* The status of HTTP for a code of the library: 200, 404, 502, ... */
unsigned cfs_status_of(int code);
/* Its phrase ("Not Found"); "" for one that the server does not use. */
const char *cfs_status_text(unsigned status);

/* True if the client is a browser, or takes pages as one does. */
bool cfs_exchange_is_browser(const struct cfs_exchange *x);

/* ---- paths and queries ---- */

/* Appends a path as a URL has it: all bytes but letters, digits and
 * "-._~!$&'()*+,;=:@/" are escaped.  Returns out->failed. */
int cfs_path_encode(struct cfs_slice path, struct cfs_buf *out);

/* The next parameter of a query, as sent: takes "NAME=VALUE" off the front of
 * *query.  False: there are no more. */
bool cfs_query_next(struct cfs_slice *query, struct cfs_slice *name,
		    struct cfs_slice *value);

/* Appends the decoded value of the first parameter of that name.  True if there
 * is one. */
bool cfs_query_get(struct cfs_slice query, const char *name,
		   struct cfs_buf *out);

#endif
