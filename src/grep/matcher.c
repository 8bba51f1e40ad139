/* matcher.c - compiles patterns by PCRE2.
 *
 * Patterns without back references are compiled together, as alternatives, a
 * few KiB at a time (PCRE2 compiles no more than 64 KiB); others one by one,
 * since references count groups.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "matcher_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

/* Bytes of patterns compiled together. */
#define TOGETHER_MAX ((size_t)8 << 10)
/* Texts that are put in order together. */
#define TEXTS_SORTED 1024u
/* The weight of a byte that the other matcher reads (matching.c) is the square
 * of the states that it may be in: the bytes of the code for one, and repeated
 * characters. */
#define WEIGHT_BYTES 64u
#define WEIGHT_COUNTS 4u

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
	bool is_fixed = m->opts.syntax == CFS_EXPRESSION_FIXED;
	uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
	struct code *new;
	PCRE2_UCHAR why[120];
	uint32_t begins = 0;		/* 2: only where lines begin */
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
	*new = (struct code){ .scans = false };
	new->usual = compile(text, options | PCRE2_USE_OFFSET_LIMIT |
			     PCRE2_MATCH_INVALID_UTF, &code);
	if (new->usual != NULL)
		new->counted = compile(text, options | PCRE2_AUTO_CALLOUT |
				       PCRE2_MATCH_INVALID_UTF, &code);
	if (new->counted != NULL)
		code = is_perl || is_fixed || traits->refers_back ? 0 :
		       compile_dfa(new, text, options, traits->repeated);
	if (code != 0) {
		pcre2_get_error_message(code, why, sizeof(why));
		return code == PCRE2_ERROR_NOMEMORY ? cfs_error_nomem(err) :
		       refuse_pattern(shown, (const char *)why, err);
	}
	pcre2_pattern_info(new->usual, PCRE2_INFO_FIRSTCODETYPE, &begins);
	new->scans = traits->scans && begins != 2;
	(void)pcre2_jit_compile(new->usual, PCRE2_JIT_COMPLETE);
	if (new->scans) {
		(void)pcre2_jit_compile(new->usual, PCRE2_JIT_PARTIAL_HARD);
		(void)pcre2_jit_compile(new->counted, PCRE2_JIT_COMPLETE);
	}
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
	struct cfs_char_classes classes;
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
				      c->m->opts.ignores_case, &c->classes,
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

static int longest_first(const void *a, const void *b)
{
	size_t x = cfs_utf8_chars(*(const struct cfs_slice *)a);
	size_t y = cfs_utf8_chars(*(const struct cfs_slice *)b);

	return (x < y) - (x > y);
}

/* Adds some texts.  The usual matcher takes the first of its alternatives that
 * matches at a place: here, that is the longest one, also with -i. */
static int add_texts(struct compiling *c, struct cfs_slice *patterns)
{
	struct cfs_slice v[TEXTS_SORTED];
	size_t n = 0;
	int rc = CFS_OK;

	while (n < TEXTS_SORTED && patterns->n > 0)
		v[n++] = cfs_slice_split(patterns, '\n');
	qsort(v, n, sizeof(*v), longest_first);
	for (size_t i = 0; rc == CFS_OK && i < n; i++)
		rc = add_pattern(c, v[i]);
	return rc == CFS_OK ? flush(c) : rc;
}

static int compile_all(struct cfs_matcher *m, struct cfs_slice patterns,
		       struct cfs_error *err)
{
	struct compiling c = { .m = m, .err = err };
	bool is_perl = m->opts.syntax == CFS_EXPRESSION_PERL;
	int rc;

	if (patterns.n > CFS_MATCHER_PATTERNS_MAX)
		return cfs_error_set(err, CFS_EUSAGE,
				     "the patterns have more than 16M");
	rc = cfs_char_classes_init(&c.classes, err);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&c.one, SIZE_MAX / 2);
	cfs_buf_init(&c.together, SIZE_MAX / 2);
	cfs_buf_init(&c.whole, SIZE_MAX / 2);
	while (rc == CFS_OK && patterns.n > 0) {
		struct cfs_slice line;

		if (m->opts.syntax == CFS_EXPRESSION_FIXED) {
			rc = add_texts(&c, &patterns);
			continue;
		}
		line = cfs_slice_split(&patterns, '\n');
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
	cfs_char_classes_release(&c.classes);
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
