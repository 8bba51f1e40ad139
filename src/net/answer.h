/* answer.h - parses the head of an HTTP answer to a range request, and decides
 * whether to take its body.
 *
 * Nothing here makes a request; fetch.c does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_ANSWER_H
#define CFS_NET_ANSWER_H

#include <curl/curl.h>

#include "base/error.h"
#include "base/slice.h"
#include "s3.h"

#define CFS_ANSWER_HEAD_MAX 65536u	/* bytes of one head */
#define CFS_ANSWER_LOCATION_MAX 2048u
#define CFS_ETAG_MAX 128u		/* longer ones are hashed */

/* Why a server that answers a range with the whole object cannot be used. */
#define CFS_ANSWER_NO_RANGES "the server answers a range with the whole file: " \
	"it cannot be mounted from there"

struct cfs_answer {
	unsigned status;		/* 0: no status line yet */
	bool is_bad;			/* a field below is invalid; `why`
					 * says which */
	char why[96];
	bool has_range;			/* Content-Range: bytes
					 * first-last/... */
	bool has_total;			/* ... with a total, or */
	bool is_unsatisfied;		/* Content-Range: bytes * with
					 * a total */
	uint64_t first, last, total;
	bool has_length;		/* Content-Length */
	uint64_t length;
	char encoding[48];		/* a list of content codings; "" for
					 * none; may be cut off */
	unsigned n_codings;		/* other than identity and
					 * aws-chunked */
	bool has_type, is_markup;	/* Content-Type; HTML or XML */
	bool has_retry;			/* Retry-After */
	uint32_t retry_s;
	char etag[CFS_ETAG_MAX];	/* without W/; "" if none */
	char modified[40];		/* Last-Modified as sent */
	int64_t mtime;			/* in Unix seconds, 0 if none */
	char region[32];		/* x-amz-bucket-region */
	char mark[CFS_S3_MARK_BYTES];	/* CFS_S3_MARK_FIELD */
	bool has_location;
	char location[CFS_ANSWER_LOCATION_MAX];	/* cut off if too long */
	size_t head_bytes;
};

/*
 * Takes one line of a head, with or without its line end.  A status line begins
 * a new answer (after a redirection, or a 100).  `now`, in Unix seconds, is for
 * a Retry-After that is a date.  False if the head is longer than
 * CFS_ANSWER_HEAD_MAX.
 */
bool cfs_answer_line(struct cfs_answer *a, struct cfs_slice line, int64_t now);

enum cfs_verdict_kind {
	CFS_VERDICT_BYTES,	/* the body is what was asked for */
	CFS_VERDICT_END,	/* the object ends at or before `off` */
	CFS_VERDICT_RETRY,	/* the request may succeed later */
	CFS_VERDICT_FAIL,	/* asking again does not help */
};

/* Causes of failures; each is logged at intervals for each host. */
enum cfs_cause {
	CFS_CAUSE_NONE, CFS_CAUSE_CONNECT, CFS_CAUSE_TIMEOUT, CFS_CAUSE_CUT,
	CFS_CAUSE_BUSY,		/* 429, 503, 509, S3's SlowDown */
	CFS_CAUSE_SERVER,	/* other temporary failures */
	CFS_CAUSE_FORBIDDEN, CFS_CAUSE_MISSING, CFS_CAUSE_REFUSED,
	CFS_CAUSE_NO_RANGES, CFS_CAUSE_BAD_ANSWER, CFS_CAUSE_CHANGED,
	CFS_CAUSE_TLS,
	CFS_CAUSE_PAGE,		/* a page came in place of the object */
	CFS_CAUSE_COUNT
};

struct cfs_verdict {
	enum cfs_verdict_kind kind;
	enum cfs_cause cause;
	int code;		/* if it fails, or no retry is left */
	/* A refusal that may be throttling: it passes, if the server gave the
	 * object, or others, before. */
	bool may_pass;
	/* The body has so many bytes before those asked for, of them (up to its
	 * end, if UINT64_MAX), and behind them. */
	uint64_t skip, body, excess;
	bool is_short;		/* the rest is to be asked for */
	uint64_t total;		/* size of the object, UINT64_MAX: unknown */
	char text[240];
};

/* Most bytes before those asked for that are read and dropped. */
#define CFS_ANSWER_SKIP_MAX ((uint64_t)8 << 20)

/*
 * Judges the final answer, by its head, to "Range: bytes=off-(off+n-1)", n > 0.
 * A part is taken if it begins at or before `off` and has its byte.
 * `name` is the object's URL: a Content-Encoding of gzip is accepted only for a
 * file named .gz (some servers give it for such files, sent unchanged), and
 * zstd only for one named .zst.
 */
void cfs_answer_judge(const struct cfs_answer *a, uint64_t off, uint64_t n,
		      const char *name, struct cfs_verdict *out);

/* Judges a refusal, which is any status but 200, 206 and 416. code, message: of
 * the error in its body, from S3 and servers like it; "" if none.
 * `is_anonymous`: the request had no credentials. */
void cfs_answer_judge_refusal(unsigned status, const char *code,
			      const char *message, bool is_anonymous,
			      struct cfs_verdict *out);

/* Judges a request that libcurl has ended with `code`, before there was a whole
 * answer.  text: libcurl's own words; "" if it has none.  `has_answered`: the
 * server has answered before, and so supports TLS if it must. */
void cfs_answer_judge_curl(CURLcode code, const char *text, bool is_connected,
			   bool has_answered, struct cfs_verdict *out);

/* Can the first bytes of an answer be those of the object of that name?  No
 * archive, index or list begins with a tag; where the answer is not a part,
 * what is named as compressed is. */
bool cfs_answer_may_begin(const struct cfs_answer *a, struct cfs_slice s,
			  const char *name);

/* Parsers of single fields; public for tests. */
bool cfs_answer_parse_range(struct cfs_slice value, struct cfs_answer *a);
/* Parses seconds or a date; the result is at most a day.  False if invalid. */
bool cfs_answer_parse_retry(struct cfs_slice value, int64_t now, uint32_t *out);

#endif
