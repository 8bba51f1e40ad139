/* expression.c - turns regular expressions as GNU grep reads them into those of
 * PCRE2.
 *
 * An expression is read from front to back.  A repetition applies to the text
 * written last: where PCRE2 does not let one follow it (another one, an
 * anchor), it becomes a group first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "matcher.h"

#include <string.h>
#include <wctype.h>

#include "base/ascii.h"
#include "base/clamp.h"
#include "base/utf8.h"

#define REPEAT_MAX 32767u		/* RE_DUP_MAX of glibc */
#define REPEATS_MAX 200u		/* of one atom, one behind the other */
#define SCAN_MIN 64			/* repetitions that may read far */
#define OWN_CASES "(?-i:"		/* begins a group that has no other
					 * cases of letters than are in it */
#define CASES_MAX 1024u			/* longer ranges are of scripts without
					 * upper and lower case */

struct expression {
	struct cfs_slice rest;
	bool is_extended, ignores_case, captures;
	struct cfs_char_classes *classes;
	struct cfs_buf *out;
	struct cfs_error *err;
	/* Text that every match has, outside of groups: see matcher.h. */
	struct cfs_buf *runs;
	size_t run;			/* where the open run begins */
	size_t last_char;		/* and its last character */
	/* The atom that a repetition would apply to: where it begins in out. */
	size_t atom;
	bool has_atom, is_bare;		/* bare: it may be repeated as it is */
	bool is_group;			/* the atom is one */
	uint64_t repeated;		/* traits.repeated before it */
	unsigned repeats;		/* of the atom, so far */
	bool is_behind_caret;		/* the atom is a ^ */
	bool is_word_edge;		/* the atom is \<, \>, \b or \B */
	struct cfs_expression_traits traits;
	unsigned depth;			/* open groups */
	size_t group_at[CFS_EXPRESSION_DEPTH];
	uint64_t group_repeated[CFS_EXPRESSION_DEPTH];
	unsigned group_number[CFS_EXPRESSION_DEPTH];
	unsigned groups;		/* begun so far */
	unsigned closed;		/* bit N: group N has ended */
};

static int refuse(const struct expression *r, const char *what)
{
	return cfs_error_set(r->err, CFS_EUSAGE, "%s", what);
}

/* ---- text that every match has ------------------------------------------- */

/* Ends the run of characters that follow each other in every match. */
static void end_run(struct expression *r)
{
	if (r->runs->n > r->run)
		cfs_buf_addc(r->runs, '\n');
	r->run = r->runs->n;
}

/* Adds a character to the run.  With -i, an i may match what the words of a
 * text do not have for one. */
static void add_to_run(struct expression *r, uint32_t c)
{
	uint8_t utf8[4];

	if (r->depth > 0 || (r->ignores_case &&
			     (c == 'i' || c == 'I' || c == 0x130 ||
			      c == 0x131))) {
		end_run(r);
		return;
	}
	r->last_char = r->runs->n;
	cfs_buf_append(r->runs, utf8, cfs_utf8_put(utf8, c));
}

/* Ends the run at a repetition, which may leave its last character out, if not
 * by itself then by another one behind it. */
static void repeat_in_run(struct expression *r)
{
	if (r->runs->n > r->run)
		r->runs->n = r->last_char;
	end_run(r);
}

static void end_branch_of_runs(struct expression *r)
{
	if (r->depth > 0)
		return;
	end_run(r);
	cfs_buf_addc(r->runs, '\n');
	r->run = r->runs->n;
}

/* ---- characters ---------------------------------------------------------- */

/* Appends a character that stands for itself. */
static void add_literal(struct cfs_buf *out, uint32_t c)
{
	uint8_t utf8[4];

	if (c < 0x80 && (cfs_is_alnum((uint8_t)c) || c == '_'))
		cfs_buf_addc(out, (uint8_t)c);
	else if (c >= 0x80)
		cfs_buf_append(out, utf8, cfs_utf8_put(utf8, c));
	else
		cfs_buf_addf(out, "\\x{%x}", (unsigned)c);
}

/* The lower case letters that are not those of their upper case letters, as
 * grep has them. */
static const uint16_t lonely[] = {
	0xb5, 0x131, 0x17f, 0x1c5, 0x1c8, 0x1cb, 0x1f2, 0x345, 0x3c2, 0x3d0,
	0x3d1, 0x3d5, 0x3d6, 0x3f0, 0x3f1, 0x3f5, 0x1e9b, 0x1fbe
};

/* Upper case letters that PCRE2 takes for those of other letters than grep, by
 * later rules of Unicode: K is not the sign of kelvin. */
static const uint16_t disputed[] = {
	'I', 'K', 0xc5, 0x130, 0x398, 0x3a9, 0x3f4, 0x412, 0x414, 0x41e, 0x421,
	0x422, 0x42a, 0x462, 0x2126, 0x212a, 0x212b, 0xa64a
};

static bool is_disputed(uint32_t u)
{
	for (size_t i = 0; i < sizeof(disputed) / sizeof(disputed[0]); i++)
		if (disputed[i] == u)
			return true;
	return false;
}

static uint32_t upper(const struct expression *r, uint32_t c)
{
	return (uint32_t)towupper_l((wint_t)c, r->classes->locale);
}

/* Appends, in brackets, the other characters that match one with -i. */
static void add_cases(const struct expression *r, uint32_t c)
{
	uint32_t u = upper(r, c);
	uint32_t l = (uint32_t)towlower_l((wint_t)u, r->classes->locale);

	if (u != c)
		cfs_buf_addf(r->out, "\\x{%x}", (unsigned)u);
	if (l != u && l != c && upper(r, l) == u)
		cfs_buf_addf(r->out, "\\x{%x}", (unsigned)l);
	for (size_t i = 0; i < sizeof(lonely) / sizeof(lonely[0]); i++)
		if (upper(r, lonely[i]) == u)
			cfs_buf_addf(r->out, "\\x{%x}", lonely[i]);
}

/* Appends a character outside of brackets. */
static void add_char(const struct expression *r, uint32_t c)
{
	if (!r->ignores_case || !is_disputed(upper(r, c))) {
		add_literal(r->out, c);
		return;
	}
	cfs_buf_addf(r->out, OWN_CASES "[\\x{%x}", (unsigned)c);
	add_cases(r, c);
	cfs_buf_adds(r->out, "])");
}

static void note_atom(struct expression *r, bool is_bare)
{
	r->atom = r->out->n;
	r->repeated = r->traits.repeated;
	r->has_atom = true;
	r->is_group = false;
	r->is_bare = is_bare;
	r->repeats = 0;
	r->is_behind_caret = r->is_word_edge = false;
}

/* Begins an atom that is no character. */
static void begin_atom(struct expression *r, bool is_bare)
{
	end_run(r);
	note_atom(r, is_bare);
}

/* Appends a character as an atom. */
static void add_char_atom(struct expression *r, uint32_t c)
{
	note_atom(r, true);
	add_to_run(r, c);
	add_char(r, c);
}

static int take_char(struct expression *r, uint32_t *c)
{
	size_t n = cfs_utf8_decode(r->rest, c);

	if (n == 0)
		return refuse(r, "is not UTF-8");
	r->rest = cfs_slice_from(r->rest, n);
	return CFS_OK;
}

/* True, and takes it, if `text` comes next. */
static bool take(struct expression *r, const char *text)
{
	struct cfs_slice s = cfs_slice_str(text);

	if (!cfs_slice_starts(r->rest, s))
		return false;
	r->rest = cfs_slice_from(r->rest, s.n);
	return true;
}

static bool comes(const struct expression *r, const char *text)
{
	return cfs_slice_starts(r->rest, cfs_slice_str(text));
}

/* ---- brackets ------------------------------------------------------------ */

/* Appends a class of POSIX, [:NAME:], inside brackets. */
static int add_class(const struct expression *r, struct cfs_slice name)
{
	if (r->ignores_case && (cfs_slice_eq(name, CFS_SLICE_LIT("upper")) ||
				cfs_slice_eq(name, CFS_SLICE_LIT("lower"))))
		name = CFS_SLICE_LIT("alpha");
	if (cfs_char_class_add(r->classes, name, r->out))
		return CFS_OK;
	return refuse(r, "has a character class of an unknown name");
}

static const char unmatched_bracket[] = "has a [ without its ]";

/* Takes one of the ends of a range: a character, [.x.] or [=x=].  is_set: it
 * was a class, which has been written. */
static int take_range_end(struct expression *r, uint32_t *c, bool *is_set)
{
	char close[3] = "?]";
	ptrdiff_t end;
	struct cfs_slice name;
	int rc;

	*is_set = false;
	if (!comes(r, "[:") && !comes(r, "[.") && !comes(r, "[="))
		return r->rest.n > 0 ? take_char(r, c) :
				       refuse(r, unmatched_bracket);
	close[0] = (char)r->rest.p[1];
	name = cfs_slice_from(r->rest, 2);
	end = cfs_slice_search(name, cfs_slice_str(close));
	if (end < 0)
		return refuse(r, unmatched_bracket);
	r->rest = cfs_slice_from(name, (size_t)end + 2);
	name = cfs_slice_sub(name, 0, (size_t)end);
	if (close[0] == ':') {
		*is_set = true;
		return add_class(r, name);
	}
	rc = cfs_utf8_decode(name, c) == name.n && name.n > 0 ? CFS_OK :
	     refuse(r, "has a collating symbol that is no character");
	return rc;
}

/* Takes a character or a range of characters in brackets. */
static int take_item(struct expression *r, bool is_first)
{
	static const char wrong[] = "has a range that ends before it begins";
	uint32_t from, to;
	bool is_set;
	int rc;

	if (!is_first && comes(r, "-") && !comes(r, "-]"))
		return refuse(r, wrong);
	rc = take_range_end(r, &from, &is_set);
	if (rc == CFS_OK && is_set && comes(r, "-") && !comes(r, "-]"))
		return refuse(r, wrong);
	if (rc != CFS_OK || is_set)
		return rc;
	to = from;
	if (comes(r, "-") && !comes(r, "-]")) {
		take(r, "-");
		rc = take_range_end(r, &to, &is_set);
		if (rc != CFS_OK)
			return rc;
		if (is_set || to < from)
			return refuse(r, wrong);
	}
	cfs_buf_addf(r->out, "\\x{%x}", (unsigned)from);
	if (to > from)
		cfs_buf_addf(r->out, "-\\x{%x}", (unsigned)to);
	if (r->ignores_case && to - from < CASES_MAX)
		for (uint32_t c = from; c <= to; c++)
			add_cases(r, c);
	return CFS_OK;
}

/* Takes what is in brackets, the first of which was taken. */
static int take_brackets(struct expression *r)
{
	struct cfs_slice whole = r->rest;
	bool is_negated = take(r, "^");
	int rc = CFS_OK;

	begin_atom(r, true);
	if (r->ignores_case)
		cfs_buf_adds(r->out, OWN_CASES);
	cfs_buf_adds(r->out, is_negated ? "[^\\n" : "[");
	for (bool is_first = true; rc == CFS_OK; is_first = false) {
		if (r->rest.n == 0)
			return refuse(r, unmatched_bracket);
		if (!is_first && take(r, "]"))
			break;
		rc = take_item(r, is_first);
	}
	if (rc == CFS_OK && whole.n - r->rest.n > 2 && whole.p[0] == ':' &&
	    whole.p[whole.n - r->rest.n - 2] == ':')
		return refuse(r, "has a class without its second brackets: "
			      "[[:space:]], not [:space:]");
	cfs_buf_adds(r->out, r->ignores_case ? "])" : "]");
	return rc;
}

/* ---- repetitions --------------------------------------------------------- */

/* Takes a number of a repetition, up to a comma or the closing bracket; -1:
 * there is none; -2: what is there is no number. */
static int64_t take_number(struct expression *r, const char *close)
{
	int64_t n = -1;

	while (r->rest.n > 0 && r->rest.p[0] != ',' && !comes(r, close)) {
		uint8_t c = r->rest.p[0];

		r->rest = cfs_slice_from(r->rest, 1);
		if (n == -2 || !cfs_is_digit(c))
			n = -2;
		else
			n = (n < 0 ? 0 : n) * 10 + (c - '0');
		if (n > REPEAT_MAX)
			n = REPEAT_MAX + 1;
	}
	return r->rest.n > 0 ? n : -2;
}

/* Takes a repetition {m,n}, of which the bracket was taken; *max -1: without
 * end.  CFS_END: it is none, and nothing was taken. */
static int take_interval(struct expression *r, int64_t *min, int64_t *max)
{
	static const char wrong[] = "has a repetition {} without its numbers";
	const char *close = r->is_extended ? "}" : "\\}";
	struct cfs_slice before = r->rest;

	*min = take_number(r, close);
	if (*min == -1 && !comes(r, ","))
		return refuse(r, wrong);
	*max = *min;
	if (*min != -2 && take(r, ",")) {
		*min = *min < 0 ? 0 : *min;
		*max = take_number(r, close);
	}
	if (*min == -2 || *max == -2) {
		r->rest = before;
		return CFS_END;
	}
	if (!take(r, close) || (*max >= 0 && *max < *min))
		return refuse(r, wrong);
	if (*min > REPEAT_MAX || *max > REPEAT_MAX)
		return refuse(r, "has a repetition of more than 32767");
	return CFS_OK;
}

/* Makes a group of the atom, so that a repetition may follow. */
static int enclose_atom(struct expression *r)
{
	static const char open[] = "(?:";
	size_t n = sizeof(open) - 1;

	if (cfs_buf_append(r->out, open, n) != CFS_OK)
		return cfs_error_nomem(r->err);
	memmove(r->out->p + r->atom + n, r->out->p + r->atom,
		r->out->n - n - r->atom);
	memcpy(r->out->p + r->atom, open, n);
	cfs_buf_addc(r->out, ')');
	return CFS_OK;
}

/* Notes how often the atom is repeated. */
static void note_repetition(struct expression *r, int64_t min, int64_t max)
{
	uint64_t n = r->traits.repeated - r->repeated + 1;

	if (max > SCAN_MIN || max < 0)
		r->traits.scans = true;
	if (max < min)
		max = min;		/* it has no end */
	if (max > 1)
		r->traits.repeated = cfs_clamp_u64(
			r->traits.repeated + n * (uint64_t)(max - 1), 0,
			CFS_EXPRESSION_MANY);
}

/* Has the atom repeated at least once.  PCRE2's other matcher counts how often
 * a single character was repeated, and follows each number by itself; groups
 * are not counted.  So the translation lets a character be told from them. */
static int repeat_once(struct expression *r)
{
	int rc;

	if (!r->is_group) {
		rc = enclose_atom(r);
		if (rc == CFS_OK)
			r->out->n--;	/* the bracket goes behind it */
		cfs_buf_adds(r->out, "{1,})");
		return rc;
	}
	cfs_buf_addc(r->out, '+');
	return CFS_OK;
}

/* True if the atom is a set in a group that has its own cases.  Its repetition
 * goes inside, since PCRE2 writes a repeated group out, and sets are large. */
static bool is_own_cased(const struct expression *r)
{
	return r->is_bare && !r->is_group &&
	       cfs_slice_starts(cfs_slice_from(cfs_buf_slice(r->out), r->atom),
				CFS_SLICE_LIT(OWN_CASES));
}

/* Has the atom repeated. */
static int repeat(struct expression *r, int64_t min, int64_t max)
{
	bool is_inside = is_own_cased(r);
	int rc = CFS_OK;

	if (!r->has_atom || r->is_word_edge)
		return CFS_OK;		/* as in grep, it is left out */
	repeat_in_run(r);
	if (++r->repeats > REPEATS_MAX)
		return refuse(r, "has too many repetitions of one thing");
	note_repetition(r, min, max);
	if (!r->is_bare) {
		rc = enclose_atom(r);
		r->is_group = true;
	}
	r->is_bare = false;
	if (rc == CFS_OK && min == 1 && max < 0 && !is_inside)
		return repeat_once(r);
	if (rc != CFS_OK)
		return rc;
	if (is_inside)
		r->out->n--;		/* the bracket goes behind it */
	cfs_buf_addf(r->out, "{%u", (unsigned)min);
	if (max != min)
		cfs_buf_addc(r->out, ',');
	if (max != min && max >= 0)
		cfs_buf_addf(r->out, "%u", (unsigned)max);
	cfs_buf_adds(r->out, is_inside ? "})" : "}");
	return r->out->failed == CFS_OK ? CFS_OK : cfs_error_nomem(r->err);
}

static int add_interval(struct expression *r)
{
	int64_t min = 0, max = 0;
	int rc = take_interval(r, &min, &max);

	if (rc == CFS_END && !r->is_extended)
		return refuse(r, "has a \\{ without numbers and a \\}");
	if (rc == CFS_END) {
		add_char_atom(r, '{');
		return CFS_OK;
	}
	return rc == CFS_OK ? repeat(r, min, max) : rc;
}

/* ---- groups and operators ------------------------------------------------ */

/* Nothing is there yet that could be repeated. */
static void begin_branch(struct expression *r)
{
	r->has_atom = false;
	r->is_behind_caret = false;
}

static int open_group(struct expression *r)
{
	if (r->depth == CFS_EXPRESSION_DEPTH)
		return refuse(r, "has too many groups inside each other");
	r->group_at[r->depth] = r->out->n;
	r->group_repeated[r->depth] = r->traits.repeated;
	end_run(r);
	r->group_number[r->depth++] = ++r->groups;
	begin_branch(r);
	cfs_buf_adds(r->out, r->captures ? "(" : "(?:");
	return CFS_OK;
}

static int close_group(struct expression *r)
{
	unsigned number;

	if (r->depth == 0)
		return refuse(r, "has a ) without its (");
	number = r->group_number[--r->depth];
	if (number < 10)
		r->closed |= 1u << number;
	cfs_buf_addc(r->out, ')');
	begin_atom(r, true);
	r->atom = r->group_at[r->depth];
	r->repeated = r->group_repeated[r->depth];
	r->is_group = true;
	return CFS_OK;
}

static void add_or(struct expression *r)
{
	end_branch_of_runs(r);
	cfs_buf_addc(r->out, '|');
	begin_branch(r);
}

/* Appends a text of PCRE2 as an atom. */
static int add_atom(struct expression *r, const char *text, bool is_bare)
{
	begin_atom(r, is_bare);
	cfs_buf_adds(r->out, text);
	return CFS_OK;
}

/* The same for an edge of words, which cannot be repeated. */
static int add_edge(struct expression *r, const char *text)
{
	int rc = add_atom(r, text, false);

	r->is_word_edge = true;
	return rc;
}

static int add_reference(struct expression *r, unsigned n)
{
	if ((r->closed & 1u << n) == 0)
		return refuse(r, "refers back to a group that is not there");
	r->traits.refers_back = true;
	begin_atom(r, true);
	cfs_buf_addf(r->out, "(?:\\%u)", n);
	return CFS_OK;
}

#define W CFS_EXPRESSION_WORD
#define NOT_W "[^\\n" "A-Za-z0-9_\\p{Alphabetic}\\p{Nd}]"

/* Takes what stands behind a backslash in both syntaxes. */
static int take_escaped(struct expression *r)
{
	uint32_t c;
	int rc;

	if (r->rest.n == 0)
		return refuse(r, "ends with a backslash");
	rc = take_char(r, &c);
	if (rc != CFS_OK)
		return rc;
	switch (c) {
	case '<':
		return add_edge(r, "(?<!" W ")(?=" W ")");
	case '>':
		return add_edge(r, "(?<=" W ")(?!" W ")");
	case 'b':
		return add_edge(r, "(?:(?<!" W ")(?=" W ")|(?<=" W ")(?!" W
				"))");
	case 'B':
		return add_edge(r, "(?:(?<!" W ")(?!" W ")|(?<=" W ")(?=" W
				"))");
	case 'w':
		return add_atom(r, W, true);
	case 'W':
		return add_atom(r, NOT_W, true);
	case 's':
	case 'S':
		begin_atom(r, true);
		cfs_buf_adds(r->out, c == 's' ? "[" : "[^\\n");
		rc = add_class(r, CFS_SLICE_LIT("space"));
		cfs_buf_addc(r->out, ']');
		return rc;
	case '`':
		return add_atom(r, "^", false);
	case '\'':
		return add_atom(r, "$", false);
	}
	if (c >= '1' && c <= '9')
		return add_reference(r, c - '0');
	add_char_atom(r, c);
	return CFS_OK;
}

/* Takes a character that stands for itself, a dot or brackets. */
static int take_plain(struct expression *r)
{
	uint32_t c;
	int rc;

	if (take(r, "["))
		return take_brackets(r);
	if (take(r, "."))
		return add_atom(r, ".", true);
	if (take(r, "\\"))
		return take_escaped(r);
	rc = take_char(r, &c);
	if (rc == CFS_OK)
		add_char_atom(r, c);
	return rc;
}

static int add_anchor(struct expression *r, const char *text)
{
	add_atom(r, text, false);
	r->is_behind_caret = text[0] == '^';
	return CFS_OK;
}

static int extended_step(struct expression *r)
{
	if (take(r, "("))
		return open_group(r);
	if (r->depth > 0 && take(r, ")"))
		return close_group(r);
	if (take(r, "|")) {
		add_or(r);
		return CFS_OK;
	}
	if (take(r, "*"))
		return repeat(r, 0, -1);
	if (take(r, "+"))
		return repeat(r, 1, -1);
	if (take(r, "?"))
		return repeat(r, 0, 1);
	if (take(r, "{"))
		return add_interval(r);
	if (take(r, "^"))
		return add_anchor(r, "^");
	if (take(r, "$"))
		return add_anchor(r, "$");
	return take_plain(r);
}

/* In basic expressions an operator at the beginning stands for itself. */
static int basic_step(struct expression *r)
{
	bool is_at_begin = !r->has_atom;

	if (take(r, "\\("))
		return open_group(r);
	if (take(r, "\\)"))
		return close_group(r);
	if (take(r, "\\|")) {
		add_or(r);
		return CFS_OK;
	}
	if (!is_at_begin && !r->is_behind_caret) {
		if (take(r, "*"))
			return repeat(r, 0, -1);
		if (take(r, "\\+"))
			return repeat(r, 1, -1);
		if (take(r, "\\?"))
			return repeat(r, 0, 1);
		if (take(r, "\\{"))
			return add_interval(r);
	}
	if (is_at_begin && take(r, "^"))
		return add_anchor(r, "^");
	if (r->rest.p[0] == '$' && (r->rest.n == 1 || comes(r, "$\\)") ||
				    comes(r, "$\\|"))) {
		take(r, "$");
		return add_anchor(r, "$");
	}
	return take_plain(r);
}

static int take_fixed(struct expression *r)
{
	uint32_t c;
	int rc = take_char(r, &c);

	if (rc == CFS_OK)
		add_char_atom(r, c);
	return rc;
}

static bool no_room(const struct expression *r)
{
	return r->out->failed != CFS_OK || r->runs->failed != CFS_OK;
}

static int read_all(struct expression *r, enum cfs_expression_syntax syntax)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && r->rest.n > 0) {
		if (syntax == CFS_EXPRESSION_FIXED)
			rc = take_fixed(r);
		else if (r->is_extended)
			rc = extended_step(r);
		else
			rc = basic_step(r);
	}
	if (rc == CFS_OK && r->depth > 0)
		rc = refuse(r, "has a ( without its )");
	end_branch_of_runs(r);
	if (rc == CFS_OK && no_room(r))
		rc = cfs_error_nomem(r->err);
	return rc;
}

/* True if an expression of Perl is text: letters, digits and blanks. */
static bool is_plain_text(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!cfs_is_alnum(s.p[i]) && s.p[i] != ' ')
			return false;
	return true;
}

/* Translates a pattern that is not of Perl, which has groups that capture only
 * if it refers back to one. */
static int translate(struct expression *r, enum cfs_expression_syntax syntax)
{
	struct expression again = *r;
	size_t before = r->out->n, runs_before = r->runs->n;
	int rc = read_all(r, syntax);

	if (rc != CFS_OK || !r->traits.refers_back)
		return rc;
	r->out->n = before;
	r->runs->n = runs_before;
	again.captures = true;
	return read_all(&again, syntax);
}

int cfs_expression_translate(struct cfs_slice pattern,
			     enum cfs_expression_syntax syntax,
			     bool ignores_case,
			     struct cfs_char_classes *classes,
			     struct cfs_buf *out, struct cfs_buf *runs,
			     struct cfs_expression_traits *traits,
			     struct cfs_error *err)
{
	struct expression r = { .rest = pattern, .out = out, .err = err,
				.runs = runs, .run = runs->n,
			     .is_extended = syntax == CFS_EXPRESSION_EXTENDED,
			     .ignores_case = ignores_case,
			     .classes = classes };
	int rc;

	*traits = (struct cfs_expression_traits){ .scans = syntax ==
						  CFS_EXPRESSION_PERL };
	if (pattern.n > CFS_EXPRESSION_MAX)
		return refuse(&r, "is longer than 32K");
	if (syntax == CFS_EXPRESSION_PERL) {
		cfs_buf_add(out, pattern);
		if (is_plain_text(pattern) && !ignores_case)
			cfs_buf_add(runs, pattern);
		cfs_buf_adds(runs, pattern.n > 0 ? "\n\n" : "\n");
		return no_room(&r) ? cfs_error_nomem(err) : CFS_OK;
	}
	rc = translate(&r, syntax);
	*traits = r.traits;
	return rc;
}
