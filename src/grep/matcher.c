/* matcher.c - compiles patterns, and has PCRE2 find them.
 *
 * Patterns without back references are compiled together, as alternatives, a
 * few KiB at a time (PCRE2 compiles no more than 64 KiB); others one by one,
 * since references count groups.
 *
 * Limits: no text takes time without end.  PCRE2's usual matcher stops behind
 * MATCH_LIMIT_FEW steps from one place on.  Patterns of POSIX without
 * references are then matched by the other one, which follows all places of a
 * line at once, so that its time is linear in the line; DFA_WORK limits that
 * for each text.  Behind that, and for other patterns at once, the usual one
 * has MATCH_LIMIT steps.  More is CFS_ELIMIT.
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

/* Steps of the usual matcher from one place on; with -P more, as it has no
 * second one. */
#define MATCH_LIMIT_FEW 500u
#define MATCH_LIMIT 100000u
#define MATCH_LIMIT_PERL 1000000u
#define DEPTH_LIMIT 100000u
#define HEAP_LIMIT_KIB 65536u
#define JIT_STACK_MIN ((size_t)32 << 10)
#define JIT_STACK_MAX ((size_t)1 << 20)
/* The other matcher follows at each byte up to as many states as a pattern is
 * long, and compares them with each other: its work is bytes times the square
 * of that length in WEIGHT_BYTES. */
#define DFA_WORK (UINT64_C(1) << 28)
#define WEIGHT_BYTES 64u
#define CALLS_PER_LOOK 4096u		/* whether to stop */
#define DFA_INTS 65536u			/* of workspace */
/* Bytes of patterns compiled together, and of text matched at a time, without
 * compiled code fewer. */
#define TOGETHER_MAX ((size_t)8 << 10)
#define STRETCH ((size_t)64 << 10)
#define STRETCH_SLOW ((size_t)4 << 10)

struct code {
	pcre2_code *usual;		/* takes text that is no UTF-8 */
	/* For the other matcher: the pattern, and it behind any text, with a
	 * callout at each character of that.  NULL: none. */
	pcre2_code *longest, *anywhere;
	uint64_t weight;		/* of a byte that the other one reads */
};

struct cfs_matcher {
	struct cfs_matcher_opts opts;
	bool is_compiled;		/* to machine code */
	struct code *codes;
	size_t n, room;
	struct cfs_buf runs;
};

struct cfs_matching {
	const struct cfs_matcher *m;
	struct cfs_slice text;
	uint64_t work;			/* of the other matcher */
	pcre2_match_data *data;
	/* Many and few steps; beginning at `last` at the latest. */
	pcre2_match_context *limits, *few, *until;
	size_t last, begin;		/* of what PCRE2 sees of a line */
	unsigned calls;
	const struct cfs_cancel *cancel;
	pcre2_jit_stack *stack;
	int *workspace;
	const uint8_t *utf8_from, *utf8_to;	/* UTF-8 that was passed */
	size_t *next;			/* where each code matches next */
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

/* Compiles an expression for the other matcher, which takes only UTF-8. */
static int compile_dfa(struct code *code, const struct cfs_buf *text,
		       uint32_t options)
{
	CFS_BUF(behind, SIZE_MAX / 2);
	size_t size = 0;
	int why;

	cfs_buf_adds(&behind, "(?:(?C1).)*?(?:");
	cfs_buf_add(&behind, cfs_buf_slice(text));
	cfs_buf_addc(&behind, ')');
	code->longest = compile(text, options, &why);
	if (behind.failed != CFS_OK)
		why = PCRE2_ERROR_NOMEMORY;
	else if (code->longest != NULL)
		code->anywhere = compile(&behind, options, &why);
	if (code->anywhere == NULL)
		return why;
	pcre2_pattern_info(code->anywhere, PCRE2_INFO_SIZE, &size);
	code->weight = 1 + (uint64_t)(size / WEIGHT_BYTES) *
			   (size / WEIGHT_BYTES);
	return 0;
}

/* Adds a code for an expression of PCRE2; `shown` is it as it was typed. */
static int add_code(struct cfs_matcher *m, const struct cfs_buf *text,
		    bool has_longest, struct cfs_slice shown,
		    struct cfs_error *err)
{
	uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
	struct code *new;
	PCRE2_UCHAR why[120];
	int code = 0;

	if (text->failed != CFS_OK)
		return cfs_error_nomem(err);
	options |= m->opts.syntax == CFS_EXPRESSION_PERL ?
		   PCRE2_DOLLAR_ENDONLY : PCRE2_MULTILINE;
	if (m->opts.ignores_case)
		options |= PCRE2_CASELESS;
	if (cfs_array_reserve((void **)&m->codes, &m->room, m->n + 1,
			      sizeof(*m->codes), SIZE_MAX / 64) != CFS_OK)
		return cfs_error_nomem(err);
	new = &m->codes[m->n++];
	*new = (struct code){ .longest = NULL };
	new->usual = compile(text, options | PCRE2_MATCH_INVALID_UTF, &code);
	if (new->usual != NULL)
		code = has_longest ? compile_dfa(new, text, options) : 0;
	if (code != 0) {
		pcre2_get_error_message(code, why, sizeof(why));
		return code == PCRE2_ERROR_NOMEMORY ? cfs_error_nomem(err) :
		       refuse_pattern(shown, (const char *)why, err);
	}
	if (pcre2_jit_compile(new->usual, PCRE2_JIT_COMPLETE) != 0)
		m->is_compiled = false;
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
		rc = add_code(c->m, &c->whole,
			      c->m->opts.syntax != CFS_EXPRESSION_PERL,
			      c->first, c->err);
	}
	cfs_buf_reset(&c->together);
	return rc;
}

static int add_pattern(struct compiling *c, struct cfs_slice pattern)
{
	struct cfs_error why = CFS_ERROR_INIT;
	bool refers_back;
	int rc;

	cfs_buf_reset(&c->one);
	rc = cfs_expression_translate(pattern, c->m->opts.syntax,
				      c->m->opts.ignores_case, c->locale,
				      &c->one, &c->m->runs, &refers_back,
				      &why);
	if (rc == CFS_EUSAGE)
		return refuse_pattern(pattern, why.text, c->err);
	if (rc != CFS_OK)
		return cfs_error_pass(c->err, &why, rc);
	if (refers_back) {
		enclose(c->m, &c->one, &c->whole);
		return add_code(c->m, &c->whole, false, pattern, c->err);
	}
	if (c->together.n > 0 && c->together.n + c->one.n > TOGETHER_MAX)
		rc = flush(c);
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
	m->is_compiled = true;
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

/* As a callout of PCRE2: may what is in front of a match not go on here? */
static int is_beyond(pcre2_callout_block *at, void *arg)
{
	struct cfs_matching *g = arg;

	if (++g->calls % CALLS_PER_LOOK == 0 && cfs_cancelled(g->cancel))
		return PCRE2_ERROR_CALLOUT;
	return g->begin + at->current_position >= g->last;
}

struct cfs_matching *cfs_matching_new(const struct cfs_matcher *m)
{
	struct cfs_matching *g = calloc(1, sizeof(*g));
	bool is_perl = m->opts.syntax == CFS_EXPRESSION_PERL;

	if (g == NULL)
		return NULL;
	g->m = m;
	g->data = pcre2_match_data_create(1, NULL);
	g->limits = pcre2_match_context_create(NULL);
	g->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
	g->workspace = malloc(DFA_INTS * sizeof(*g->workspace));
	g->next = calloc(m->n + 1, sizeof(*g->next));
	if (g->limits != NULL) {
		pcre2_set_match_limit(g->limits, is_perl ? MATCH_LIMIT_PERL :
							   MATCH_LIMIT);
		pcre2_set_depth_limit(g->limits, DEPTH_LIMIT);
		pcre2_set_heap_limit(g->limits, HEAP_LIMIT_KIB);
		if (g->stack != NULL)
			pcre2_jit_stack_assign(g->limits, NULL, g->stack);
		g->few = pcre2_match_context_copy(g->limits);
		g->until = pcre2_match_context_copy(g->limits);
	}
	if (g->data == NULL || g->few == NULL || g->until == NULL ||
	    g->workspace == NULL || g->next == NULL) {
		cfs_matching_free(g);
		return NULL;
	}
	pcre2_set_match_limit(g->few, MATCH_LIMIT_FEW);
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
	pcre2_match_context_free(g->until);
	pcre2_jit_stack_free(g->stack);
	free(g->workspace);
	free(g->next);
	free(g);
}

void cfs_matching_begin(struct cfs_matching *g, struct cfs_slice text)
{
	g->text = text;
	g->work = 0;
	g->utf8_from = NULL;
	for (size_t i = 0; i < g->m->n; i++)
		g->next[i] = 0;
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
		      const struct code *code, struct cfs_slice s, size_t from,
		      size_t span[2], struct cfs_error *err)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(g->data);
	int rc = judge(pcre2_match(code->usual, s.p, s.n, from, 0, g->data,
				   limits), err);

	if (rc == CFS_OK) {
		span[0] = found[0];
		span[1] = found[1];
	}
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
 * it.  `until`: a match begins at g->last at the latest. */
static int match_dfa(struct cfs_matching *g, const struct code *code,
		     struct cfs_slice line, size_t at, bool until,
		     size_t span[2], struct cfs_error *err)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(g->data);
	size_t before = char_before(line, at), end = utf8_end(g, line, at);
	uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED;
	const pcre2_code *dfa = code->longest;
	pcre2_match_context *limits = g->limits;
	int rc;

	if (until) {
		options |= PCRE2_DFA_SHORTEST;
		dfa = code->anywhere;
		limits = g->until;
	}
	if (at > before)
		options |= PCRE2_NOTBOL;
	if (end < line.n)
		options |= PCRE2_NOTEOL;
	at -= before;
	g->begin = at;
	rc = judge(pcre2_dfa_match(dfa, line.p + at, end - at, before, options,
				   g->data, limits, g->workspace, DFA_INTS),
		   err);
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
	g->cancel = ctx.cancel;
	while (rc == CFS_END && from <= last) {
		size_t end = utf8_end(g, line, from);

		g->work += (end - from) * code->weight;
		rc = g->work > DFA_WORK ? CFS_ELIMIT :
		     match_dfa(g, code, line, from, true, span, ctx.err);
		from = end + 1;
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
	int rc = CFS_ELIMIT;

	if (code->anywhere != NULL) {
		rc = find_usual(g, g->few, code, line, from, span, ctx.err);
		if (rc != CFS_ELIMIT)
			return rc;
		rc = find_until(g, code, line, from, line.n, span, ctx);
		if (rc == CFS_OK && begin)
			rc = find_begin(g, code, line, span, ctx);
	}
	if (rc == CFS_ELIMIT)
		rc = find_usual(g, g->limits, code, line, from, span, ctx.err);
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
	size_t n = g->m->is_compiled ? STRETCH : STRETCH_SLOW;
	size_t line[2];

	if (g->text.n - from <= n)
		return g->text.n;
	line_at(g, from + n, line);
	return line[1];
}

/* Finds the first line that one code matches. */
static int find_line(struct cfs_matching *g, const struct code *code,
		     size_t from, size_t line[2], struct cfs_ctx ctx)
{
	bool is_perl = g->m->opts.syntax == CFS_EXPRESSION_PERL;
	int rc = CFS_END;

	while (rc == CFS_END && from < g->text.n) {
		size_t end = stretch_end(g, from), span[2];

		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		if (!is_perl) {
			rc = find_usual(g, g->few, code,
					cfs_slice_sub(g->text, from,
						      end - from),
					0, span, ctx.err);
			if (rc == CFS_OK && from + span[0] == end)
				rc = CFS_END;	/* behind the last line */
			if (rc == CFS_OK)
				line_at(g, from + span[0], line);
		}
		if (is_perl || rc == CFS_ELIMIT)
			rc = find_by_lines(g, code, from, end, line, ctx);
		from = end;
	}
	return rc;
}

int cfs_matching_line(struct cfs_matching *g, size_t from, size_t line[2],
		      struct cfs_ctx ctx)
{
	size_t best = g->text.n, found[2];

	for (size_t i = 0; i < g->m->n; i++) {
		if (g->next[i] < from || (from == 0 && g->next[i] == 0)) {
			int rc = find_line(g, &g->m->codes[i], from, found,
					   ctx);

			if (rc != CFS_OK && rc != CFS_END)
				return rc;
			g->next[i] = rc == CFS_OK ? found[0] : g->text.n;
		}
		if (g->next[i] < best)
			best = g->next[i];
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
