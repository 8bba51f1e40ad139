/* answer.h - reads the head of an HTTP answer to a range request, and decides
 * whether its body can be taken.
 *
 * Bytes and rules only; fetch.h does the fetching.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_ANSWER_H
#define CFS_NET_ANSWER_H

#include "base/error.h"
#include "base/slice.h"

#define CFS_ANSWER_HEAD_MAX 65536u	/* bytes of one head */
#define CFS_ANSWER_LOCATION_MAX 2048u
#define CFS_ETAG_MAX 128u		/* longer ones are hashed */

/* Why a server cannot be used that sends all of an object for a range of it. */
#define CFS_ANSWER_NO_RANGES "the server answers a range with the whole file: " \
	"it cannot be mounted from there"

struct cfs_answer {
	unsigned status;		/* 0: no status line yet */
	bool is_bad;			/* a field of these cannot be read: */
	char why[96];
	bool has_range;			/* Content-Range: bytes
					 * first-last/... */
	bool has_total;			/* .../total, or */
	bool is_unsatisfied;		/* Content-Range: bytes *, the rest */
	uint64_t first, last, total;
	bool has_length;		/* Content-Length */
	uint64_t length;
	char encoding[48];		/* codings of Content-Encoding, as a
					 * list; "" for none; may be cut */
	unsigned n_codings;		/* without identity and aws-chunked */
	bool has_retry;			/* Retry-After */
	uint32_t retry_s;
	char etag[CFS_ETAG_MAX];	/* without W/; "" if none */
	char modified[40];		/* Last-Modified as sent */
	int64_t mtime;			/* the same, 0 if none */
	char region[32];		/* x-amz-bucket-region */
	bool has_location;
	char location[CFS_ANSWER_LOCATION_MAX];	/* cut to what fits */
	size_t head_bytes;
};

/*
 * Takes one line of a head, with or without its line end.  A status line
 * begins a new answer (after a redirection, or a 100).  `now` in Unix
 * seconds makes a delay of a Retry-After that is a date.  Returns false when
 * the head is longer than CFS_ANSWER_HEAD_MAX.
 */
bool cfs_answer_line(struct cfs_answer *a, struct cfs_slice line, int64_t now);

enum cfs_verdict_kind {
	CFS_VERDICT_BYTES,	/* the body is what was asked for */
	CFS_VERDICT_END,	/* the object ends at or before `off` */
	CFS_VERDICT_RETRY,	/* not now */
	CFS_VERDICT_FAIL,	/* asking again does not help */
};

/* Causes: each is logged once in a while for each host. */
enum cfs_cause {
	CFS_CAUSE_NONE, CFS_CAUSE_CONNECT, CFS_CAUSE_TIMEOUT, CFS_CAUSE_CUT,
	CFS_CAUSE_BUSY,		/* 429, 503, 509, S3's SlowDown */
	CFS_CAUSE_SERVER,	/* other statuses that pass */
	CFS_CAUSE_FORBIDDEN, CFS_CAUSE_MISSING, CFS_CAUSE_REFUSED,
	CFS_CAUSE_NO_RANGES, CFS_CAUSE_BAD_ANSWER, CFS_CAUSE_CHANGED,
	CFS_CAUSE_TLS, CFS_CAUSE_COUNT
};

struct cfs_verdict {
	enum cfs_verdict_kind kind;
	enum cfs_cause cause;
	int code;		/* of a failure, also of the last retry */
	uint64_t body;		/* bytes to come, UINT64_MAX: until it ends */
	uint64_t total;		/* size of the object, UINT64_MAX: unknown */
	char text[240];
};

/*
 * Judges the head of the final answer to "Range: bytes=off-(off+n-1)",
 * n > 0.  `name` is the object's URL: a Content-Encoding of gzip is believed
 * only of a file that is itself called .gz (some servers say so of files they
 * send as they are), one of zstd of a file that is called .zst.
 */
void cfs_answer_judge(const struct cfs_answer *a, uint64_t off, uint64_t n,
		      const char *name, struct cfs_verdict *out);

/* The verdict of a refusal: of any status but 200, 206 and 416, and the error
 * in its body, of S3 and its like; both "" where there is none.
 * `is_anonymous`: no credentials were sent. */
void cfs_answer_judge_refusal(unsigned status, const char *code,
			      const char *message, bool is_anonymous,
			      struct cfs_verdict *out);

/* Parsers of its fields, for tests. */
bool cfs_answer_parse_range(struct cfs_slice value, struct cfs_answer *a);
/* Seconds or a date; at most a day.  False if it is neither. */
bool cfs_answer_parse_retry(struct cfs_slice value, int64_t now, uint32_t *out);

#endif
