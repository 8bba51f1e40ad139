/* pattern.c - the regular expressions of the CDX server's filters, by ICU.
 *
 * Expressions and texts are bytes, and ICU wants UTF-16: each byte becomes one
 * unit, as in ISO 8859-1, so there are none that it refuses.
 *
 * Strangers send expressions, and ICU tries one way after another, so that some
 * take longer than anyone waits.  A query therefore has a fixed time for all of
 * them and all its rows.  ICU's own limit (uregex_setTimeLimit) counts steps of
 * one match, which is neither; but it calls us back every 10,000 steps.  Those
 * take less than a millisecond; 0.4 s where each of them compares a text of 64
 * KiB with a group (\1).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_server_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unicode/uregex.h>

#include "base/array.h"
#include "base/guard.h"

/* The longest text: more than the fields of a row have together. */
#define PATTERN_TEXT_MAX ((size_t)1 << 24)
/* The memory in which ICU keeps the alternatives that it may still try; it
 * takes twice as much.  This is enough for the longest URL and 20 groups.
 * Only a match that is under way holds so much, one a thread; a query that
 * waits for its client keeps much less, as there may be thousands. */
#define PATTERN_STACK_BYTES (4 << 20)
#define PATTERN_STACK_KEPT (16 << 10)
/* Classes like \p{Lu} in an expression.  ICU goes through the whole of Unicode
 * to make one, up to 60 ms, which nothing can interrupt. */
#define PATTERN_CLASSES_MAX 8u
/* The time of each match that is not counted: a few times that of reading the
 * row.  Useful expressions take less for most URLs, and may so go over any
 * number of rows; those that explode take this for a URL of ten bytes or so. */
#define PATTERN_FREE_NS 20000
/* A match that takes so long explodes.  Its second of a processor ends after
 * PATTERN_WAIT_SHARE seconds of the client's, as a machine may have more work
 * than processors. */
#define PATTERN_LONG_NS 1000000
#define PATTERN_WAIT_SHARE 3

struct cfs_pattern {
	URegularExpression *re;
	UChar *units;			/* the text, as ICU wants it */
	size_t room;
	/* While a match is under way: */
	int64_t begun_ns, begun_cpu_ns;
	struct cfs_pattern_time time;	/* when it began */
	const struct cfs_cancel *cancel;
};

static int64_t pattern_clock_ns(const struct cfs_pattern_time *time,
				clockid_t clock)
{
	struct timespec t;

	if (time->clock_ns != NULL)
		return time->clock_ns(clock);
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The time of the processor that this thread has used: a match is not charged
 * for what else the machine does. */
static int64_t pattern_cpu_ns(const struct cfs_pattern_time *time)
{
	return pattern_clock_ns(time, CLOCK_THREAD_CPUTIME_ID);
}

/* The time that the match under way has taken so far. */
static int64_t pattern_spent_ns(const struct cfs_pattern *p)
{
	int64_t spent = pattern_cpu_ns(&p->time) - p->begun_cpu_ns, waited;

	if (spent < PATTERN_LONG_NS)
		return spent;
	waited = (pattern_clock_ns(&p->time, CLOCK_MONOTONIC) - p->begun_ns) /
		 PATTERN_WAIT_SHARE;
	return waited > spent ? waited : spent;
}

static int pattern_takes_long(struct cfs_error *err)
{
	return cfs_error_set(err, CFS_EUSAGE, "the expressions of 'filter' "
			     "take too long: give simpler ones, or ask for "
			     "less by 'from', 'to' or 'page'");
}

static UBool U_CALLCONV may_match_on(const void *arg, int32_t steps)
{
	const struct cfs_pattern *p = arg;

	(void)steps;
	return pattern_spent_ns(p) < p->time.left_ns &&
	       !cfs_cancelled(p->cancel);
}

/* Puts a text into p->units. */
static int widen_text(struct cfs_pattern *p, struct cfs_slice text)
{
	int rc = cfs_array_reserve((void **)&p->units, &p->room, text.n + 1,
				   sizeof(*p->units), PATTERN_TEXT_MAX);

	for (size_t i = 0; rc == CFS_OK && i < text.n; i++)
		p->units[i] = text.p[i];
	return rc;
}

/* ---- compiling -------------------------------------------------------- */

/* Counts \p, \P and [: in an expression, also where they mean nothing. */
static unsigned count_classes(struct cfs_slice text)
{
	unsigned n = 0;

	for (size_t i = 1; i < text.n; i++) {
		uint8_t c = text.p[i];

		n += text.p[i - 1] == '\\' && (c == 'p' || c == 'P');
		n += text.p[i - 1] == '[' && c == ':';
	}
	return n;
}

/* ICU makes what all expressions share when the first one is opened.  Here one
 * thread does and the others wait, which a thread sanitizer sees as well; what
 * ICU itself does for that is hidden from it in a library. */
static void open_any(void *arg)
{
	const UChar any[] = { '.' };
	UErrorCode status = U_ZERO_ERROR;

	(void)arg;
	uregex_close(uregex_open(any, 1, 0, NULL, &status));
}

static void make_shared_parts(void)
{
	(void)cfs_guarded(open_any, NULL);
}

/* A call of ICU, for cfs_guarded. */
struct pattern_call {
	struct cfs_pattern *p;
	int32_t units;		/* of p->units */
	bool whole, is;
	UParseError at;
	UErrorCode status;
};

static void open_pattern(void *arg)
{
	struct pattern_call *c = arg;

	/* `.` and `$` know LF as the only end of a line: 0x85, which is another
	 * one of ISO 8859-1, is a part of many a letter in UTF-8. */
	c->p->re = uregex_open(c->p->units, c->units, UREGEX_UNIX_LINES |
			       UREGEX_ERROR_ON_UNKNOWN_ESCAPES, &c->at,
			       &c->status);
	uregex_setMatchCallback(c->p->re, may_match_on, c->p, &c->status);
}

static int compile_pattern(struct cfs_pattern *p, struct cfs_slice text,
			   struct cfs_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct pattern_call c = { .p = p, .units = (int32_t)text.n,
				  .status = U_ZERO_ERROR };

	pthread_once(&once, make_shared_parts);
	if (!cfs_guarded(open_pattern, &c) ||
	    c.status == U_MEMORY_ALLOCATION_ERROR)
		return cfs_error_nomem(err);
	if (U_FAILURE(c.status))
		return cfs_error_set(err, CFS_EUSAGE, "the expression '%.*s' "
				     "cannot be used: %s at byte %d",
				     text.n < 60 ? (int)text.n : 60,
				     (const char *)text.p,
				     u_errorName(c.status), (int)c.at.offset);
	return CFS_OK;
}

int cfs_pattern_new(struct cfs_pattern **out, struct cfs_slice text,
		    struct cfs_pattern_time *time, struct cfs_error *err)
{
	int64_t begun = pattern_cpu_ns(time);
	struct cfs_pattern *p;
	int rc;

	*out = NULL;
	if (text.n > CFS_PATTERN_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "an expression is longer "
				     "than %u bytes", CFS_PATTERN_MAX);
	if (count_classes(text) > PATTERN_CLASSES_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "an expression has more "
				     "than %u classes of Unicode",
				     PATTERN_CLASSES_MAX);
	if (time->left_ns <= 0)
		return pattern_takes_long(err);
	if (text.n == 0)		/* which ICU refuses */
		text = CFS_SLICE_LIT("(?:)");
	p = calloc(1, sizeof(*p));
	if (p == NULL || widen_text(p, text) != CFS_OK)
		rc = cfs_error_nomem(err);
	else
		rc = compile_pattern(p, text, err);
	time->left_ns -= pattern_cpu_ns(time) - begun;
	if (rc == CFS_OK) {
		*out = p;
		p = NULL;
	}
	cfs_pattern_free(p);
	return rc;
}

void cfs_pattern_free(struct cfs_pattern *p)
{
	if (p == NULL)
		return;
	uregex_close(p->re);
	free(p->units);
	free(p);
}

/* ---- matching --------------------------------------------------------- */

/* The code for what ICU says of a match. */
static int match_failure(UErrorCode status, struct cfs_ctx ctx)
{
	if (U_SUCCESS(status))
		return CFS_OK;
	if (status == U_REGEX_STOPPED_BY_CALLER)
		return cfs_cancelled(ctx.cancel) ? CFS_EINTR :
						   pattern_takes_long(ctx.err);
	if (status == U_MEMORY_ALLOCATION_ERROR)
		return cfs_error_nomem(ctx.err);
	if (status == U_REGEX_STACK_OVERFLOW)
		return cfs_error_set(ctx.err, CFS_EUSAGE, "an expression of "
				     "'filter' takes too much memory: give a "
				     "simpler one");
	return cfs_error_set(ctx.err, CFS_EUSAGE, "an expression of 'filter' "
			     "cannot be used: %s", u_errorName(status));
}

static void match_pattern(void *arg)
{
	struct pattern_call *c = arg;

	uregex_setStackLimit(c->p->re, PATTERN_STACK_BYTES, &c->status);
	uregex_setText(c->p->re, c->p->units, c->units, &c->status);
	if (c->whole)
		c->is = uregex_matches(c->p->re, 0, &c->status);
	else
		c->is = uregex_lookingAt(c->p->re, 0, &c->status);
}

int cfs_pattern_matches(struct cfs_pattern *p, struct cfs_slice text,
			bool whole, struct cfs_pattern_time *time, bool *is,
			struct cfs_ctx ctx)
{
	struct pattern_call c = { .p = p, .units = (int32_t)text.n,
				  .whole = whole, .status = U_ZERO_ERROR };
	UErrorCode ignored = U_ZERO_ERROR;
	int64_t spent;

	*is = false;
	if (time->left_ns <= 0)
		return pattern_takes_long(ctx.err);
	if (widen_text(p, text) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	p->begun_ns = pattern_clock_ns(time, CLOCK_MONOTONIC);
	p->begun_cpu_ns = pattern_cpu_ns(time);
	p->time = *time;
	p->cancel = ctx.cancel;
	if (!cfs_guarded(match_pattern, &c))
		c.status = U_MEMORY_ALLOCATION_ERROR;
	*is = c.is;
	p->cancel = NULL;
	uregex_setStackLimit(p->re, PATTERN_STACK_KEPT, &ignored);
	spent = pattern_spent_ns(p) - PATTERN_FREE_NS;
	if (spent > 0)
		time->left_ns -= spent;
	return match_failure(c.status, ctx);
}
