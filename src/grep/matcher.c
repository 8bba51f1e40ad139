/* matcher.c - compiles patterns, and has PCRE2 find them.
 *
 * Patterns without back references are compiled together, as alternatives, a
 * few KiB at a time (PCRE2 compiles no more than 64 KiB); others one by one,
 * since references count groups.
 *
 * Limits: no text takes time without end.  PCRE2's usual matcher begins at each
 * place anew, and may read the rest of the line from each.  So it gets short
 * lines only, and few steps from one place on, fewer the longer the line.
 * Else its steps are counted: by a callout before each item of the pattern,
 * and the bytes between two of them.  That ends where they are out of
 * proportion to the part of the line that was read; then patterns of POSIX
 * without references are matched by the other one, which follows all places of
 * a line at once, so that its time is linear in the line.  DFA_WORK limits
 * that for each text, and STEPS_MAX the counted steps.  More is CFS_ELIMIT.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "matcher.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

/* Steps of the usual matcher from one place on that are not counted, at most,
 * and times the length of the line, which each may read; and the longest lines
 * that it gets so. */
#define MATCH_LIMIT_FEW 500u
#define QUICK_WORK 16384u
#define QUICK_LINE 1024u
/* Counted steps: the price of one in bytes read, how many of these a text has,
 * and for each byte of a line before the other matcher is tried. */
#define STEP_BYTES 8u
#define STEPS_MAX (UINT64_C(1) << 32)
#define STEPS_PER_BYTE 128u
#define DEPTH_LIMIT 100000u
#define HEAP_LIMIT_KIB 65536u
#define JIT_STACK_MIN ((size_t)32 << 10)
#define JIT_STACK_MAX ((size_t)1 << 20)
/* The other matcher follows at each byte up to as many states as a pattern has
 * characters, with repetitions written out, and compares them with each other:
 * its work is bytes times the square of that. */
#define DFA_WORK (UINT64_C(3) << 26)
#define WEIGHT_BYTES 64u
#define WEIGHT_COUNTS 4u
#define WEIGHT_ANCHORED 16u		/* less, beginning at one place */
#define WINDOW_MIN ((size_t)16)		/* bytes of a line that it gets first */
#define CALLS_PER_LOOK 4096u		/* whether to stop */
#define DFA_INTS 65536u			/* of workspace */
/* Bytes of patterns compiled together, and of text matched at a time. */
#define TOGETHER_MAX ((size_t)8 << 10)
#define STRETCH ((size_t)64 << 10)

struct code {
	/* Take text that is no UTF-8; counted: with callouts. */
	pcre2_code *usual, *counted;
	bool scans;			/* see cfs_expression_traits */
	uint32_t references;		/* the last group referred to */
	/* For the other matcher: the pattern, and it behind any text, with a
	 * callout at each character of that.  NULL: none. */
	pcre2_code *longest, *anywhere;
	uint64_t weight;		/* of a byte that the other one reads */
};

struct cfs_matcher {
	struct cfs_matcher_opts opts;
	struct code *codes;
	size_t n, room;
	struct cfs_buf runs;
};

/* The lines that a code has to match, as far as it is known. */
struct code_lines {
	size_t next;			/* it matches this one next */
	/* The end of a stretch of lines, and the length of the longest of them;
	 * BY_LINES: they are matched one by one. */
	size_t end, longest;
};

#define BY_LINES SIZE_MAX

struct cfs_matching {
	const struct cfs_matcher *m;
	struct cfs_slice text;
	uint64_t work;			/* of the other matcher */
	pcre2_match_data *data;
	/* Few steps; counted ones; beginning at `last` at the latest. */
	pcre2_match_context *limits, *few, *counting, *until;
	size_t last, begin;		/* of what PCRE2 sees of a line */
	/* Counted steps so far, and how many there may be: in the text, and for
	 * each byte that was read of the line beyond steps_begin. */
	uint64_t steps, steps_begin, steps_per_byte;
	size_t from, place, furthest;	/* in the line */
	uint32_t references;
	unsigned calls;
	const struct cfs_cancel *cancel;
	pcre2_jit_stack *stack;
	int *workspace;
	const uint8_t *utf8_from, *utf8_to;	/* UTF-8 that was passed */
	struct code_lines *lines;	/* one for each code */
};

/* ---- compiling ----------------------------------------------------------- */

static int refuse_pattern(struct cfs_slice pattern, const char *why,
			  struct cfs_error *err)
{
	return cfs_error_set(err, CFS_EUSAGE, "pattern '%.*s' %s",
			     (int)(pattern.n < 80 ? pattern.n : 80),
			     (const char *)pattern.p, why);
}

static pcre2_code *compile(const struct cfs_buf *text, uint32_t options,
			   int *code)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	pcre2_code *out = NULL;
	PCRE2_SIZE at;

	*code = PCRE2_ERROR_NOMEMORY;
	if (c != NULL && pcre2_set_newline(c, PCRE2_NEWLINE_LF) == 0)
		out = pcre2_compile(text->p, text->n, options, code, &at, c);
	pcre2_compile_context_free(c);
	return out;
}

/* Appends an expression with each single character that is repeated at least
 * once as a group (cfs_expression_translate). */
static void add_grouped(struct cfs_buf *out, struct cfs_slice text)
{
	const struct cfs_slice mark = CFS_SLICE_LIT("{1,})");
	ptrdiff_t at;

	while ((at = cfs_slice_search(text, mark)) >= 0) {
		cfs_buf_add(out, cfs_slice_sub(text, 0, (size_t)at));
		cfs_buf_adds(out, ")+");
		text = cfs_slice_from(text, (size_t)at + mark.n);
	}
	cfs_buf_add(out, text);
}

/* Compiles an expression for the other matcher, which takes only UTF-8. */
static int compile_dfa(struct code *code, const struct cfs_buf *text,
		       uint32_t options, uint64_t repeated)
{
	CFS_BUF(behind, SIZE_MAX / 2);
	size_t size = 0;
	int why = PCRE2_ERROR_NOMEMORY;

	add_grouped(&behind, cfs_buf_slice(text));
	if (behind.failed == CFS_OK)
		code->longest = compile(&behind, options, &why);
	cfs_buf_reset(&behind);
	cfs_buf_adds(&behind, "(?:(?C1).)*?(?:");
	add_grouped(&behind, cfs_buf_slice(text));
	cfs_buf_addc(&behind, ')');
	if (behind.failed != CFS_OK)
		why = PCRE2_ERROR_NOMEMORY;
	else if (code->longest != NULL)
		code->anywhere = compile(&behind, options, &why);
	if (code->anywhere == NULL)
		return why;
	pcre2_pattern_info(code->anywhere, PCRE2_INFO_SIZE, &size);
	size = size / WEIGHT_BYTES + (size_t)(repeated / WEIGHT_COUNTS);
	code->weight = 1 + (uint64_t)size * size;
	return 0;
}

/* Adds a code for an expression of PCRE2; `shown` is it as it was typed. */
static int add_code(struct cfs_matcher *m, const struct cfs_buf *text,
		    const struct cfs_expression_traits *traits,
		    struct cfs_slice shown, struct cfs_error *err)
{
	bool is_perl = m->opts.syntax == CFS_EXPRESSION_PERL;
	uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
	struct code *new;
	PCRE2_UCHAR why[120];
	int code = 0;

	if (text->failed != CFS_OK)
		return cfs_error_nomem(err);
	options |= is_perl ? PCRE2_DOLLAR_ENDONLY : PCRE2_MULTILINE;
	if (m->opts.ignores_case)
		options |= PCRE2_CASELESS;
	if (cfs_array_reserve((void **)&m->codes, &m->room, m->n + 1,
			      sizeof(*m->codes), SIZE_MAX / 64) != CFS_OK)
		return cfs_error_nomem(err);
	new = &m->codes[m->n++];
	*new = (struct code){ .scans = traits->scans };
	new->usual = compile(text, options | PCRE2_MATCH_INVALID_UTF, &code);
	if (new->usual != NULL)
		new->counted = compile(text, options | PCRE2_AUTO_CALLOUT |
				       PCRE2_MATCH_INVALID_UTF, &code);
	if (new->counted != NULL)
		code = is_perl || traits->refers_back ? 0 :
		       compile_dfa(new, text, options, traits->repeated);
	if (code != 0) {
		pcre2_get_error_message(code, why, sizeof(why));
		return code == PCRE2_ERROR_NOMEMORY ? cfs_error_nomem(err) :
		       refuse_pattern(shown, (const char *)why, err);
	}
	(void)pcre2_jit_compile(new->usual, PCRE2_JIT_COMPLETE);
	if (new->scans)
		(void)pcre2_jit_compile(new->counted, PCRE2_JIT_COMPLETE);
	pcre2_pattern_info(new->usual, PCRE2_INFO_BACKREFMAX,
			   &new->references);
	return CFS_OK;
}

/* Appends an expression as one that has to be a whole word or line. */
static void enclose(const struct cfs_matcher *m, const struct cfs_buf *text,
		    struct cfs_buf *out)
{
	bool is_perl = m->opts.syntax == CFS_EXPRESSION_PERL;
	const char *before = "(?<!" CFS_EXPRESSION_WORD ")(?:";
	const char *behind = ")(?!" CFS_EXPRESSION_WORD ")";

	if (is_perl) {
		before = "(?<!\\w)(?:";
		behind = ")(?!\\w)";
	}
	cfs_buf_reset(out);
	if (m->opts.is_line)
		cfs_buf_adds(out, "^(?:");
	else if (m->opts.is_word)
		cfs_buf_adds(out, before);
	cfs_buf_add(out, cfs_buf_slice(text));
	if (m->opts.is_line)
		cfs_buf_adds(out, ")$");
	else if (m->opts.is_word)
		cfs_buf_adds(out, behind);
}

struct compiling {
	struct cfs_matcher *m;
	struct cfs_buf one, together, whole;
	struct cfs_slice first;		/* of those together */
	struct cfs_expression_traits traits;	/* theirs */
	locale_t locale;
	struct cfs_error *err;
};

/* Compiles the patterns that were gathered. */
static int flush(struct compiling *c)
{
	int rc = CFS_OK;

	if (c->together.failed != CFS_OK)
		return cfs_error_nomem(c->err);
	if (c->together.n > 0) {
		enclose(c->m, &c->together, &c->whole);
		rc = add_code(c->m, &c->whole, &c->traits, c->first, c->err);
	}
	cfs_buf_reset(&c->together);
	c->traits = (struct cfs_expression_traits){ .scans = false };
	return rc;
}

static int add_pattern(struct compiling *c, struct cfs_slice pattern)
{
	struct cfs_error why = CFS_ERROR_INIT;
	struct cfs_expression_traits traits;
	int rc;

	cfs_buf_reset(&c->one);
	rc = cfs_expression_translate(pattern, c->m->opts.syntax,
				      c->m->opts.ignores_case, c->locale,
				      &c->one, &c->m->runs, &traits, &why);
	if (rc == CFS_EUSAGE)
		return refuse_pattern(pattern, why.text, c->err);
	if (rc != CFS_OK)
		return cfs_error_pass(c->err, &why, rc);
	if (traits.refers_back) {
		enclose(c->m, &c->one, &c->whole);
		return add_code(c->m, &c->whole, &traits, pattern, c->err);
	}
	if (c->together.n > 0 && c->together.n + c->one.n > TOGETHER_MAX)
		rc = flush(c);
	c->traits.scans |= traits.scans;
	c->traits.repeated += traits.repeated;
	if (c->together.n > 0)
		cfs_buf_addc(&c->together, '|');
	else
		c->first = pattern;
	/* An empty one is no longer nothing. */
	if (c->m->opts.syntax != CFS_EXPRESSION_PERL)
		cfs_buf_adds(&c->together, "(?:");
	cfs_buf_add(&c->together, cfs_buf_slice(&c->one));
	if (c->m->opts.syntax != CFS_EXPRESSION_PERL)
		cfs_buf_addc(&c->together, ')');
	return rc;
}

static int compile_all(struct cfs_matcher *m, struct cfs_slice patterns,
		       struct cfs_error *err)
{
	struct compiling c = { .m = m, .err = err };
	bool is_perl = m->opts.syntax == CFS_EXPRESSION_PERL;
	int rc = CFS_OK;

	if (patterns.n > CFS_MATCHER_PATTERNS_MAX)
		return cfs_error_set(err, CFS_EUSAGE,
				     "the patterns have more than 16M");
	c.locale = cfs_expression_locale();
	if (c.locale == (locale_t)0)
		return cfs_error_nomem(err);
	cfs_buf_init(&c.one, SIZE_MAX / 2);
	cfs_buf_init(&c.together, SIZE_MAX / 2);
	cfs_buf_init(&c.whole, SIZE_MAX / 2);
	while (rc == CFS_OK && patterns.n > 0) {
		struct cfs_slice line = cfs_slice_split(&patterns, '\n');

		if (is_perl && patterns.n > 0)
			rc = cfs_error_set(err, CFS_EUSAGE,
					   "-P takes one pattern only");
		else if (is_perl && line.n == 0)
			rc = add_pattern(&c, CFS_SLICE_LIT("(?:)"));
		else
			rc = add_pattern(&c, line);
	}
	if (rc == CFS_OK)
		rc = flush(&c);
	freelocale(c.locale);
	cfs_buf_release(&c.one);
	cfs_buf_release(&c.together);
	cfs_buf_release(&c.whole);
	return rc;
}

int cfs_matcher_new(struct cfs_matcher **out, struct cfs_slice patterns,
		    const struct cfs_matcher_opts *opts, struct cfs_error *err)
{
	struct cfs_matcher *m = calloc(1, sizeof(*m));
	int rc;

	*out = NULL;
	if (m == NULL)
		return cfs_error_nomem(err);
	m->opts = *opts;
	cfs_buf_init(&m->runs, 2 * CFS_MATCHER_PATTERNS_MAX);
	rc = compile_all(m, patterns, err);
	if (rc == CFS_OK)
		*out = m;
	else
		cfs_matcher_free(m);
	return rc;
}

void cfs_matcher_free(struct cfs_matcher *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->n; i++) {
		pcre2_code_free(m->codes[i].usual);
		pcre2_code_free(m->codes[i].counted);
		pcre2_code_free(m->codes[i].longest);
		pcre2_code_free(m->codes[i].anywhere);
	}
	free(m->codes);
	cfs_buf_release(&m->runs);
	free(m);
}

struct cfs_slice cfs_matcher_runs(const struct cfs_matcher *m)
{
	return cfs_buf_slice(&m->runs);
}

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
	if (to > g->furthest)
		g->furthest = to;
	if (g->steps > STEPS_MAX || is_cancelled(g) ||
	    (g->steps - g->steps_begin) / g->steps_per_byte >
	    g->furthest - g->from + WINDOW_MIN)
		return PCRE2_ERROR_CALLOUT;
	return 0;
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
	g->work = g->steps = 0;
	g->utf8_from = NULL;
	for (size_t i = 0; i < g->m->n; i++)
		g->lines[i] = (struct code_lines){ .next = 0 };
}

uint64_t cfs_matching_work(const struct cfs_matching *g)
{
	return g->work + g->steps;
}

/* ---- matching ------------------------------------------------------------ */

/* Makes a code of the result of PCRE2. */
static int judge(int result, struct cfs_error *err)
{
	if (result >= 0)
		return CFS_OK;
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

/* Finds a match by the usual matcher.  CFS_ELIMIT sets no error: the caller may
 * know better. */
static int find_usual(struct cfs_matching *g, pcre2_match_context *limits,
		      const pcre2_code *code, struct cfs_slice s, size_t from,
		      size_t span[2], struct cfs_error *err)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(g->data);
	int rc = judge(pcre2_match(code, s.p, s.n, from, 0, g->data, limits),
		       err);

	if (rc == CFS_OK) {
		span[0] = found[0];
		span[1] = found[1];
	}
	return rc;
}

/* The same with few steps, in lines of at most `longest` bytes. */
static int find_quick(struct cfs_matching *g, const struct code *code,
		      struct cfs_slice s, size_t longest, size_t from,
		      size_t span[2], struct cfs_error *err)
{
	uint32_t limit = MATCH_LIMIT_FEW;

	if (longest == BY_LINES || (code->scans && longest > QUICK_LINE))
		return CFS_ELIMIT;
	if (code->scans && longest > QUICK_WORK / MATCH_LIMIT_FEW)
		limit = QUICK_WORK / (uint32_t)longest;
	pcre2_set_match_limit(g->few, limit);
	return find_usual(g, g->few, code->usual, s, from, span, err);
}

/* The same with counted steps: at most so many for each byte that is read. */
static int find_counted(struct cfs_matching *g, const struct code *code,
			struct cfs_slice line, size_t from, uint64_t per_byte,
			size_t span[2], struct cfs_ctx ctx)
{
	int rc;

	g->from = g->place = g->furthest = from;
	g->steps_begin = g->steps;
	g->steps_per_byte = per_byte;
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
 * latest. */
static int match_dfa(struct cfs_matching *g, const struct code *code,
		     struct cfs_slice line, size_t at, bool until,
		     size_t span[2], struct cfs_error *err)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(g->data);
	size_t before = char_before(line, at), end = utf8_end(g, line, at);
	uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED;
	const pcre2_code *dfa = code->longest;
	pcre2_match_context *limits = g->limits;
	uint64_t weight = code->weight / WEIGHT_ANCHORED + 1;
	uint64_t most = 2 * DFA_WORK;	/* for the span of a match found */
	size_t window = WINDOW_MIN;
	int rc;

	if (until) {
		options |= PCRE2_DFA_SHORTEST;
		dfa = code->anywhere;
		weight = code->weight;
		most = DFA_WORK;
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
			to = at + window;
			while ((line.p[to] & 0xc0) == 0x80)
				to--;
			more = PCRE2_NOTEOL | PCRE2_PARTIAL_HARD;
		}
		if (g->work + (to - at) * weight > most)
			return CFS_ELIMIT;
		g->work += (to - at) * weight;
		rc = pcre2_dfa_match(dfa, line.p + at, to - at, before,
				     options | more, g->data, limits,
				     g->workspace, DFA_INTS);
		window *= 4;
	} while (rc == PCRE2_ERROR_PARTIAL);
	rc = judge(rc, err);
	if (rc == CFS_OK) {
		span[0] = at + found[0];
		span[1] = at + found[1];
	}
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
	int rc = find_quick(g, code, line, line.n - from, from, span, ctx.err);

	if (rc == CFS_ELIMIT && code->anywhere != NULL &&
	    line.n - from > QUICK_LINE)
		rc = find_counted(g, code, line, from, STEPS_PER_BYTE, span,
				  ctx);
	if (rc == CFS_ELIMIT && code->anywhere != NULL) {
		rc = find_until(g, code, line, from, line.n, span, ctx);
		if (rc == CFS_OK && begin)
			rc = find_begin(g, code, line, span, ctx);
	}
	if (rc == CFS_ELIMIT)
		rc = find_counted(g, code, line, from, STEPS_MAX, span, ctx);
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
		rc = find_quick(g, code, s, known->longest, 0, span, ctx.err);
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
	size_t best = g->text.n, found[2];

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

int cfs_matching_span(struct cfs_matching *g, const size_t line[2], size_t from,
		      size_t span[2], struct cfs_ctx ctx)
{
	struct cfs_slice s = inside(g, line);
	bool any = false;

	g->cancel = ctx.cancel;
	for (size_t i = 0; i < g->m->n; i++) {
		const struct code *code = &g->m->codes[i];
		size_t one[2];
		int rc = find_longest(g, code, s, from - line[0], one, ctx);

		if (rc != CFS_OK && rc != CFS_END)
			return rc;
		if (rc == CFS_END || (any && (one[0] > span[0] ||
					      (one[0] == span[0] &&
					       one[1] <= span[1]))))
			continue;
		any = true;
		span[0] = one[0];
		span[1] = one[1];
	}
	if (!any)
		return CFS_END;
	span[0] += line[0];
	span[1] += line[0];
	return CFS_OK;
}
