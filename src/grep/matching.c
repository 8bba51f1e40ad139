/* matching.c - has PCRE2 find patterns.
 *
 * Limits: no text takes time without end.  PCRE2's usual matcher begins at
 * each place anew, and may read the rest of the line from each.  So it gets
 * few steps from one place on, and a long line by windows: where what it reads
 * goes beyond one, it reads on from that place alone, and how much of that
 * there may be is limited (READ_PER_BYTE).  Then patterns of POSIX without
 * references are matched by the other one, which follows all places of a line
 * at once, so that its time is linear in the line; DFA_WORK limits that for
 * each text.  At last the usual one is tried with more steps, which are
 * counted: by a callout before each item of the pattern, and the bytes between
 * two of them.  More than STEPS_MAX is CFS_ELIMIT.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "matcher_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/utf8.h"

/* Steps of the usual matcher from one place on that are not counted, at most;
 * the longest lines that it gets so as a whole, and the windows of others. */
#define MATCH_LIMIT_FEW 500u
#define QUICK_LINE ((size_t)1024)
/* Bytes that it may read beyond windows, in a text and for each byte of it. */
#define READ_MAX (UINT64_C(1) << 26)
#define READ_PER_BYTE 64u
/* Counted steps: the price of one in bytes read, and how many a text has. */
#define STEP_BYTES 8u
#define STEPS_MAX (UINT64_C(1) << 32)
#define DEPTH_LIMIT 100000u
#define HEAP_LIMIT_KIB 65536u
#define JIT_STACK_MIN ((size_t)32 << 10)
#define JIT_STACK_MAX ((size_t)1 << 20)
/* The other matcher follows at each byte up to as many states as a pattern has
 * characters, with repetitions written out, and compares them with each other:
 * its work is bytes times the square of that.  So much is always done, and so
 * much more for each byte of a text, so that usual patterns are found in texts
 * of any size. */
#define DFA_WORK (UINT64_C(3) << 26)
#define DFA_WORK_PER_BYTE 128u
#define WEIGHT_ANCHORED 16u		/* less, beginning at one place */
#define WINDOW_MIN ((size_t)16)		/* bytes of a line that it gets first */
#define MATCH_READS 6u			/* times that a match's bytes are read,
					 * in windows four times as large as
					 * those before */
#define CALLS_PER_LOOK 4096u		/* whether to stop */
#define DFA_INTS 65536u			/* of workspace */
/* Bytes of text matched at a time. */
#define STRETCH ((size_t)64 << 10)

/* The lines that a code has to match, as far as it is known. */
struct code_lines {
	size_t next;			/* it matches this one next */
	/* The end of a stretch of lines, and the length of the longest of them;
	 * BY_LINES: they are matched one by one. */
	size_t end, longest;
	/* The last span that was found, and from which place of its line on;
	 * NO_SPAN: there is none, or it was not looked for. */
	size_t span[2], from;
};

#define NO_SPAN SIZE_MAX
#define BY_LINES SIZE_MAX

struct cfs_matching {
	const struct cfs_matcher *m;
	struct cfs_slice text;
	uint64_t work, work_max;	/* of the other matcher */
	pcre2_match_data *data;
	/* Few steps; counted ones; beginning at `last` at the latest. */
	pcre2_match_context *limits, *few, *counting, *until;
	size_t last, begin;		/* of what PCRE2 sees of a line */
	uint64_t read, read_max;	/* bytes of windows, and beyond them */
	uint64_t steps;			/* counted ones in the text */
	size_t place;			/* of the last one in the line */
	uint32_t references;
	unsigned calls;
	const struct cfs_cancel *cancel;
	pcre2_jit_stack *stack;
	int *workspace;
	const uint8_t *utf8_from, *utf8_to;	/* UTF-8 that was passed */
	struct code_lines *lines;	/* one for each code */
};

/* ---- the state of a thread ----------------------------------------------- */

/* True, now and then, if the search is to end. */
static bool is_cancelled(struct cfs_matching *g)
{
	return ++g->calls % CALLS_PER_LOOK == 0 && cfs_cancelled(g->cancel);
}

/* As a callout of PCRE2: may what is in front of a match not go on here? */
static int is_beyond(pcre2_callout_block *at, void *arg)
{
	struct cfs_matching *g = arg;

	if (is_cancelled(g))
		return PCRE2_ERROR_CALLOUT;
	return g->begin + at->current_position >= g->last;
}

/* As a callout of PCRE2: counts a step of the usual matcher, what it has read
 * since the last one, and what it may compare for a reference. */
static int count_step(pcre2_callout_block *at, void *arg)
{
	struct cfs_matching *g = arg;
	const PCRE2_SIZE *groups = at->offset_vector;
	size_t to = at->current_position, compared = 0;

	for (uint32_t i = 1; i <= g->references && i < at->capture_top; i++)
		if (groups[2 * i + 1] != PCRE2_UNSET &&
		    groups[2 * i + 1] > groups[2 * i] + compared)
			compared = groups[2 * i + 1] - groups[2 * i];
	g->steps += STEP_BYTES + g->references + compared;
	g->steps += to > g->place ? to - g->place : g->place - to;
	g->place = to;
	return g->steps > STEPS_MAX || is_cancelled(g) ? PCRE2_ERROR_CALLOUT :
							 0;
}

struct cfs_matching *cfs_matching_new(const struct cfs_matcher *m)
{
	struct cfs_matching *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->m = m;
	g->data = pcre2_match_data_create(1, NULL);
	g->limits = pcre2_match_context_create(NULL);
	g->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
	g->workspace = malloc(DFA_INTS * sizeof(*g->workspace));
	g->lines = calloc(m->n + 1, sizeof(*g->lines));
	if (g->limits != NULL) {
		pcre2_set_match_limit(g->limits, UINT32_MAX);
		pcre2_set_depth_limit(g->limits, DEPTH_LIMIT);
		pcre2_set_heap_limit(g->limits, HEAP_LIMIT_KIB);
		if (g->stack != NULL)
			pcre2_jit_stack_assign(g->limits, NULL, g->stack);
		g->few = pcre2_match_context_copy(g->limits);
		if (g->few != NULL)
			pcre2_set_match_limit(g->few, MATCH_LIMIT_FEW);
		g->counting = pcre2_match_context_copy(g->limits);
		g->until = pcre2_match_context_copy(g->limits);
	}
	if (g->data == NULL || g->few == NULL || g->counting == NULL ||
	    g->until == NULL || g->workspace == NULL || g->lines == NULL) {
		cfs_matching_free(g);
		return NULL;
	}
	pcre2_set_callout(g->counting, count_step, g);
	pcre2_set_callout(g->until, is_beyond, g);
	return g;
}

void cfs_matching_free(struct cfs_matching *g)
{
	if (g == NULL)
		return;
	pcre2_match_data_free(g->data);
	pcre2_match_context_free(g->limits);
	pcre2_match_context_free(g->few);
	pcre2_match_context_free(g->counting);
	pcre2_match_context_free(g->until);
	pcre2_jit_stack_free(g->stack);
	free(g->workspace);
	free(g->lines);
	free(g);
}

void cfs_matching_begin(struct cfs_matching *g, struct cfs_slice text)
{
	g->text = text;
	g->work = g->steps = g->read = 0;
	g->read_max = READ_MAX + READ_PER_BYTE * text.n;
	g->work_max = DFA_WORK + DFA_WORK_PER_BYTE * text.n;
	g->utf8_from = NULL;
	for (size_t i = 0; i < g->m->n; i++)
		g->lines[i] = (struct code_lines){ .from = NO_SPAN };
}

uint64_t cfs_matching_work(const struct cfs_matching *g)
{
	return g->work + g->steps + g->read;
}

/* ---- matching ------------------------------------------------------------ */

/* Makes a code and a span of the result of PCRE2, for text that began at a
 * place of a line.  CFS_ELIMIT sets no error: the caller may know better. */
static int judge(const struct cfs_matching *g, int result, size_t at,
		 size_t span[2], struct cfs_error *err)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(g->data);

	if (result >= 0) {
		span[0] = at + found[0];
		span[1] = at + found[1];
		return CFS_OK;
	}
	switch (result) {
	case PCRE2_ERROR_NOMATCH:
		return CFS_END;
	case PCRE2_ERROR_NOMEMORY:
		return cfs_error_nomem(err);
	default:		/* the limits of steps, depth, memory, stack */
		return CFS_ELIMIT;
	}
}

static int refuse_work(struct cfs_error *err)
{
	return cfs_error_set(err, CFS_ELIMIT,
			     "to find the pattern in it would take too long");
}

/* Finds a match by the usual matcher. */
static int find_usual(struct cfs_matching *g, pcre2_match_context *limits,
		      const pcre2_code *code, struct cfs_slice s, size_t from,
		      size_t span[2], struct cfs_error *err)
{
	return judge(g, pcre2_match(code, s.p, s.n, from, 0, g->data, limits),
		     0, span, err);
}

/* The end of a window of at most `size` bytes of a line that has more: it parts
 * no character. */
static size_t window_end(struct cfs_slice line, size_t at, size_t size)
{
	size_t to = at + size;

	for (unsigned n = 0; n < 3 && (line.p[to] & 0xc0) == 0x80; n++)
		to--;
	return to;
}

/* Has the usual matcher match a window of `size` bytes of a line, with few
 * steps, beginning at `last` at the latest.  Returns PCRE2's result, where
 * PCRE2_ERROR_PARTIAL says that more of the line is needed, from found[0] on.
 *
 * size   in: the window's; out: as much of it as the line has */
static int match_window(struct cfs_matching *g, const struct code *code,
			struct cfs_slice line, size_t at, size_t *size,
			size_t last)
{
	uint32_t options = 0;
	size_t to = line.n;

	if (line.n - at > *size) {
		to = window_end(line, at, *size);
		options = PCRE2_PARTIAL_HARD | PCRE2_NOTEOL;
	}
	*size = to - at;
	pcre2_set_offset_limit(g->few, last);
	return pcre2_match(code->usual, line.p, to, at, options, g->data,
			   g->few);
}

/* Has it match at one place, where a window was not enough. */
static int match_at(struct cfs_matching *g, const struct code *code,
		    struct cfs_slice line, size_t at)
{
	size_t window = 4 * QUICK_LINE;
	int rc = PCRE2_ERROR_PARTIAL;

	while (rc == PCRE2_ERROR_PARTIAL) {
		size_t size = window;

		if (g->read > g->read_max)
			return PCRE2_ERROR_MATCHLIMIT;
		rc = match_window(g, code, line, at, &size, at);
		g->read += size;
		window *= 4;
	}
	return rc;
}

/* Finds a match by the usual matcher in windows, as find_usual. */
static int find_windows(struct cfs_matching *g, const struct code *code,
			struct cfs_slice s, size_t at, size_t span[2],
			struct cfs_ctx ctx)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(g->data);
	int rc = PCRE2_ERROR_NOMATCH;

	while (rc == PCRE2_ERROR_NOMATCH && at <= s.n) {
		size_t size = QUICK_LINE;

		if (is_cancelled(g))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		rc = match_window(g, code, s, at, &size, PCRE2_UNSET);
		if (rc == PCRE2_ERROR_PARTIAL) {
			at = found[0];
			rc = match_at(g, code, s, at);
			size = cfs_utf8_len(cfs_slice_from(s, at));
		}
		if (rc == PCRE2_ERROR_NOMATCH && at == s.n)
			break;
		g->read += rc >= 0 ? found[1] - at : size;
		at += size > 0 ? size : 1;
	}
	return judge(g, rc, 0, span, ctx.err);
}

/* Finds a match by the usual matcher with few steps, in text whose lines have
 * at most `longest` bytes. */
static int find_quick(struct cfs_matching *g, const struct code *code,
		      struct cfs_slice s, size_t longest, size_t from,
		      size_t span[2], struct cfs_ctx ctx)
{
	if (longest == BY_LINES)
		return CFS_ELIMIT;
	if (code->scans && longest > QUICK_LINE)
		return find_windows(g, code, s, from, span, ctx);
	pcre2_set_offset_limit(g->few, PCRE2_UNSET);
	return find_usual(g, g->few, code->usual, s, from, span, ctx.err);
}

/* Finds one with counted steps. */
static int find_counted(struct cfs_matching *g, const struct code *code,
			struct cfs_slice line, size_t from, size_t span[2],
			struct cfs_ctx ctx)
{
	int rc;

	g->place = from;
	g->references = code->references;
	rc = find_usual(g, g->counting, code->counted, line, from, span,
			ctx.err);
	if (rc == CFS_ELIMIT && cfs_cancelled(ctx.cancel))
		return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	return rc;
}

/* Where the UTF-8 ends that a place in a line is in.  It is remembered, as a
 * line may have many matches. */
static size_t utf8_end(struct cfs_matching *g, struct cfs_slice line, size_t at)
{
	const uint8_t *p = line.p + at;
	size_t n;

	if (g->utf8_from != NULL && p >= g->utf8_from && p < g->utf8_to)
		return (size_t)(g->utf8_to - line.p);
	g->utf8_from = p;
	while (at < line.n && (n = cfs_utf8_len(cfs_slice_from(line, at))) > 0)
		at += n;
	g->utf8_to = line.p + at;
	return at;
}

/* The length of the character before a place in a line; 0: there is none, or
 * what is there is no UTF-8. */
static size_t char_before(struct cfs_slice line, size_t at)
{
	for (size_t n = 1; n <= 4 && n <= at; n++)
		if (cfs_utf8_len(cfs_slice_sub(line, at - n, n)) == n)
			return n;
	return 0;
}

/* Has the other matcher match a line from a place on.  No match holds a byte
 * that is not part of UTF-8, and none depends on more than the character before
 * it.  It gets a window of the line, and a larger one if that is not enough, so
 * that what it reads is counted.  `until`: a match begins at g->last at the
 * latest.  Else its span is wanted, of which neither the first window nor what
 * it reads of the match itself counts: all matches of a line together are no
 * longer than the line. */
static int match_dfa(struct cfs_matching *g, const struct code *code,
		     struct cfs_slice line, size_t at, bool until,
		     size_t span[2], struct cfs_error *err)
{
	size_t before = char_before(line, at), end = utf8_end(g, line, at);
	uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED;
	const pcre2_code *dfa = code->longest;
	pcre2_match_context *limits = g->limits;
	uint64_t weight = code->weight / WEIGHT_ANCHORED + 1;
	uint64_t most = 2 * g->work_max;	/* for the span of a match */
	size_t window = WINDOW_MIN, counted = 0;	/* bytes */
	int rc;

	if (until) {
		options |= PCRE2_DFA_SHORTEST;
		dfa = code->anywhere;
		weight = code->weight;
		most = g->work_max;
		limits = g->until;
	}
	if (at > before)
		options |= PCRE2_NOTBOL;
	at -= before;
	g->begin = at;
	do {
		size_t to = end;
		uint32_t more = end < line.n ? PCRE2_NOTEOL : 0;

		if (end - at > window) {
			to = window_end(line, at, window);
			more = PCRE2_NOTEOL | PCRE2_PARTIAL_HARD;
		}
		if (until || window > WINDOW_MIN)
			counted += to - at;
		if (g->work + counted * weight > most) {
			g->work = most;
			return CFS_ELIMIT;
		}
		rc = pcre2_dfa_match(dfa, line.p + at, to - at, before,
				     options | more, g->data, limits,
				     g->workspace, DFA_INTS);
		window *= 4;
	} while (rc == PCRE2_ERROR_PARTIAL);
	rc = judge(g, rc, at, span, err);
	if (rc == CFS_OK && !until)
		counted -= cfs_clamp_u64(MATCH_READS * (span[1] - span[0]), 0,
					 counted);
	g->work += counted * weight;
	return rc;
}

/* Finds whether a match begins in a line from a place on, and at `last` at the
 * latest.  span[0] is where the search began, span[1] where a match ends. */
static int find_until(struct cfs_matching *g, const struct code *code,
		      struct cfs_slice line, size_t from, size_t last,
		      size_t span[2], struct cfs_ctx ctx)
{
	int rc = CFS_END;

	g->last = last;
	while (rc == CFS_END && from <= last) {
		rc = match_dfa(g, code, line, from, true, span, ctx.err);
		from = utf8_end(g, line, from) + 1;
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	}
	return rc;
}

/* Finds where the match begins that begins first, by halves: one begins at or
 * behind span[0], and one ends at span[1]. */
static int find_begin(struct cfs_matching *g, const struct code *code,
		      struct cfs_slice line, size_t span[2],
		      struct cfs_ctx ctx)
{
	size_t from = span[0], to = span[1], low = from, found[2];

	while (low < to) {
		size_t middle = low + (to - low) / 2;
		int rc = find_until(g, code, line, from, middle, found, ctx);

		if (rc != CFS_OK && rc != CFS_END)
			return rc;
		if (rc == CFS_OK)
			to = middle;
		else
			low = middle + 1;
	}
	while (low < line.n && (line.p[low] & 0xc0) == 0x80)
		low++;		/* the character there ended the search */
	span[0] = low;
	return CFS_OK;
}

/* Finds a match in a line: by the usual matcher, unless that takes many steps;
 * then by the other one; and at last by the usual one with more steps.
 *
 * begin  span[0] is to be where the first one begins */
static int find_first(struct cfs_matching *g, const struct code *code,
		      struct cfs_slice line, size_t from, bool begin,
		      size_t span[2], struct cfs_ctx ctx)
{
	int rc = find_quick(g, code, line, line.n - from, from, span, ctx);

	if (rc == CFS_ELIMIT && code->anywhere != NULL) {
		rc = find_until(g, code, line, from, line.n, span, ctx);
		if (rc == CFS_OK && begin)
			rc = find_begin(g, code, line, span, ctx);
	}
	if (rc == CFS_ELIMIT)
		rc = find_counted(g, code, line, from, span, ctx);
	return rc == CFS_ELIMIT ? refuse_work(ctx.err) : rc;
}

/* Finds the longest match that begins first in a line. */
static int find_longest(struct cfs_matching *g, const struct code *code,
			struct cfs_slice line, size_t from, size_t span[2],
			struct cfs_ctx ctx)
{
	int rc = find_first(g, code, line, from, true, span, ctx);

	if (rc == CFS_OK && code->longest != NULL)
		rc = match_dfa(g, code, line, span[0], false, span, ctx.err);
	return rc == CFS_ELIMIT ? refuse_work(ctx.err) : rc;
}

/* The line of the text that a place is in. */
static void line_at(const struct cfs_matching *g, size_t at, size_t line[2])
{
	const uint8_t *p = g->text.p;
	const uint8_t *begin = at == 0 ? NULL : memrchr(p, '\n', at);
	const uint8_t *end = memchr(p + at, '\n', g->text.n - at);

	line[0] = begin == NULL ? 0 : (size_t)(begin - p) + 1;
	line[1] = end == NULL ? g->text.n : (size_t)(end - p) + 1;
}

/* A line of the text without its line end. */
static struct cfs_slice inside(const struct cfs_matching *g,
			       const size_t line[2])
{
	return cfs_slice_sub(g->text, line[0], line[1] - line[0] - 1);
}

/* Goes through the lines of a stretch one by one. */
static int find_by_lines(struct cfs_matching *g, const struct code *code,
			 size_t from, size_t to, size_t line[2],
			 struct cfs_ctx ctx)
{
	size_t span[2];
	int rc = CFS_END;

	while (rc == CFS_END && from < to) {
		line_at(g, from, line);
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		rc = find_first(g, code, inside(g, line), 0, false, span, ctx);
		from = line[1];
	}
	return rc;
}

/* The end of the stretch of lines that begins at `from`. */
static size_t stretch_end(const struct cfs_matching *g, size_t from)
{
	size_t line[2];

	if (g->text.n - from <= STRETCH)
		return g->text.n;
	line_at(g, from + STRETCH, line);
	return line[1];
}

/* The length of the longest line of a stretch, if a code reads that far. */
static size_t longest_line(const struct cfs_matching *g,
			   const struct code *code, struct cfs_slice stretch)
{
	size_t most = 0;

	if (g->m->opts.syntax == CFS_EXPRESSION_PERL)
		return BY_LINES;
	while (code->scans && stretch.n > 0) {
		struct cfs_slice line = cfs_slice_split(&stretch, '\n');

		if (line.n > most)
			most = line.n;
	}
	return most;
}

/* Finds the first line that one code matches. */
static int find_line(struct cfs_matching *g, size_t number, size_t from,
		     size_t line[2], struct cfs_ctx ctx)
{
	const struct code *code = &g->m->codes[number];
	struct code_lines *known = &g->lines[number];
	int rc = CFS_END;

	for (; rc == CFS_END && from < g->text.n; from = known->end) {
		bool is_known = from < known->end;
		struct cfs_slice s;
		size_t span[2];

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		if (!is_known)
			known->end = stretch_end(g, from);
		s = cfs_slice_sub(g->text, from, known->end - from);
		if (!is_known)
			known->longest = longest_line(g, code, s);
		rc = find_quick(g, code, s, known->longest, 0, span, ctx);
		if (rc == CFS_OK && span[0] == s.n)
			rc = CFS_END;	/* behind the last line */
		else if (rc == CFS_OK)
			line_at(g, from + span[0], line);
		if (rc != CFS_ELIMIT)
			continue;
		known->longest = BY_LINES;
		rc = find_by_lines(g, code, from, known->end, line, ctx);
	}
	return rc;
}

int cfs_matching_line(struct cfs_matching *g, size_t from, size_t line[2],
		      struct cfs_ctx ctx)
{
	size_t best = g->text.n, found[2] = { 0, 0 };

	g->cancel = ctx.cancel;
	for (size_t i = 0; i < g->m->n; i++) {
		size_t *next = &g->lines[i].next;

		if (*next < from || (from == 0 && *next == 0)) {
			int rc = find_line(g, i, from, found, ctx);

			if (rc != CFS_OK && rc != CFS_END)
				return rc;
			*next = rc == CFS_OK ? found[0] : g->text.n;
		}
		if (*next < best)
			best = *next;
	}
	if (best == g->text.n)
		return CFS_END;
	line_at(g, best, line);
	return CFS_OK;
}

/* Finds the first span of one code from a place of a line on.  One that was
 * found from a place before it is still the first, unless it begins before. */
static int find_span(struct cfs_matching *g, size_t number,
		     const size_t line[2], size_t from, struct cfs_ctx ctx)
{
	struct code_lines *known = &g->lines[number];
	int rc;

	if (known->from >= line[0] && known->from <= from &&
	    known->span[0] >= from)
		return CFS_OK;
	known->from = NO_SPAN;
	rc = find_longest(g, &g->m->codes[number], inside(g, line),
			  from - line[0], known->span, ctx);
	if (rc != CFS_OK && rc != CFS_END)
		return rc;
	known->from = from;
	known->span[0] = rc == CFS_OK ? line[0] + known->span[0] : NO_SPAN;
	known->span[1] += line[0];
	return CFS_OK;
}

int cfs_matching_span(struct cfs_matching *g, const size_t line[2], size_t from,
		      size_t span[2], struct cfs_ctx ctx)
{
	g->cancel = ctx.cancel;
	span[0] = NO_SPAN;
	span[1] = 0;
	for (size_t i = 0; i < g->m->n; i++) {
		const size_t *one = g->lines[i].span;
		int rc = find_span(g, i, line, from, ctx);

		if (rc != CFS_OK)
			return rc;
		if (one[0] < span[0] ||
		    (one[0] == span[0] && one[1] > span[1])) {
			span[0] = one[0];
			span[1] = one[1];
		}
	}
	return span[0] == NO_SPAN ? CFS_END : CFS_OK;
}
