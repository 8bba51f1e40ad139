/* md_line.c - writes the contents of one CommonMark block: text, emphasis,
 * links, images and code, escaped where they would mean something else
 * (markdown.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "markdown.h"

#include "base/ascii.h"
#include "base/hex.h"
#include "base/utf8.h"

#define NUMBER_DIGITS_MAX 9u	/* a list item's number */
/* Bytes of the name of a character reference. */
#define REFERENCE_MAX 32u
/* In a destination, as CommonMark has it. */
#define NESTED_PARENS_MAX 32u

static const char *const marks[CFS_MD_MARKS] = { "**", "*" };

static size_t mark_bytes(enum cfs_md_mark mark)
{
	return mark == CFS_MD_STRONG ? 2 : 1;
}

void cfs_md_line_init(struct cfs_md_line *l, size_t max_bytes)
{
	*l = (struct cfs_md_line){ .kind = CFS_MD_PARAGRAPH };
	cfs_buf_init(&l->text, max_bytes);
	cfs_buf_init(&l->code, max_bytes);
	cfs_buf_init(&l->href, max_bytes);
}

void cfs_md_line_release(struct cfs_md_line *l)
{
	cfs_buf_release(&l->text);
	cfs_buf_release(&l->code);
	cfs_buf_release(&l->href);
}

/* ---- characters --------------------------------------------------------- */

static bool is_ascii_punct(uint8_t c)
{
	return c > ' ' && c < 0x7f && !cfs_is_alnum(c);
}

/* Is a character punctuation?  Versions of CommonMark and its readers differ in
 * symbols and in what lies beyond the first plane. */
enum is_punct { PUNCT_NO, PUNCT_PERHAPS, PUNCT_YES };

static enum is_punct wide_punct(uint32_t c)
{
	if ((c >= 0x2010 && c <= 0x2027) || (c >= 0x2030 && c <= 0x205e) ||
	    (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x3011) ||
	    (c >= 0xff01 && c <= 0xff03) || (c >= 0xff05 && c <= 0xff0a) ||
	    c == 0xff0c || c == 0xff0d || c == 0xff0e || c == 0xff1a ||
	    c == 0xff1b || c == 0xff1f || c == 0xa1 || c == 0xab ||
	    c == 0xb7 || c == 0xbb || c == 0xbf)
		return PUNCT_YES;
	if ((c >= 0xa1 && c <= 0xbf) || c == 0xd7 || c == 0xf7 ||
	    (c >= 0x2000 && c <= 0x2bff) || (c >= 0x2e00 && c <= 0x2e7f) ||
	    (c >= 0x3000 && c <= 0x303f) || (c >= 0xfe10 && c <= 0xfe6f) ||
	    (c >= 0xff00 && c <= 0xffef) || c > 0xffff)
		return PUNCT_PERHAPS;
	return PUNCT_NO;
}

static enum is_punct punct_at_start(struct cfs_slice s)
{
	uint32_t c;

	if (s.p[0] < 0x80)
		return is_ascii_punct(s.p[0]) ? PUNCT_YES : PUNCT_NO;
	return cfs_utf8_decode(s, &c) > 0 ? wide_punct(c) : PUNCT_PERHAPS;
}

/* The same for the character that ends before `at`; white space, and the
 * beginning of the text, are as good as punctuation. */
static enum is_punct punct_before(const struct cfs_buf *b, size_t at)
{
	size_t from = at;

	if (at == 0 || b->p[at - 1] <= ' ')
		return PUNCT_YES;
	do
		from--;
	while (from > 0 && at - from < 4 && (b->p[from] & 0xc0) == 0x80);
	return punct_at_start(cfs_slice_of(b->p + from, at - from));
}

/* ---- escapes ------------------------------------------------------------ */

/* True if a line begins at an offset, or only open marks precede it there,
 * which may be taken back. */
static bool is_line_start(const struct cfs_md_line *l, size_t at)
{
	for (unsigned i = l->n_open; i-- > 0;)
		if (l->open[i].at + mark_bytes(l->open[i].mark) == at)
			at = l->open[i].at;
	return at == 0 || l->text.p[at - 1] == '\n';
}

/* True if the current line has only digits, as many as number a list item. */
static bool is_number(const struct cfs_md_line *l)
{
	size_t n = 0;

	while (n < l->text.n && cfs_is_digit(l->text.p[l->text.n - 1 - n]) &&
	       n <= NUMBER_DIGITS_MAX)
		n++;
	return n > 0 && n <= NUMBER_DIGITS_MAX &&
	       is_line_start(l, l->text.n - n);
}

/* Must the character s.p[0] be escaped at the beginning of a line? */
static bool starts_block(const struct cfs_md_line *l, struct cfs_slice s)
{
	uint8_t next = s.n > 1 ? s.p[1] : ' ';

	if (l->kind != CFS_MD_PARAGRAPH || !is_line_start(l, l->text.n))
		return false;
	switch (s.p[0]) {
	case '>': case '=':
		return true;
	case '#':
		return next == '#' || next <= ' ';
	case '-': case '+':
		return next == s.p[0] || next <= ' ';
	case '~':
		return next == '~';
	/* below another line, what makes a table of both */
	case '|':
		return l->text.n > 0;
	case ':':
		return l->text.n > 0 && next == '-';
	default:
		return false;
	}
}

/* True if what follows an ampersand makes it a character reference, or may do
 * so with more text. */
static bool may_be_reference(struct cfs_slice s)
{
	size_t n = s.n > 0 && s.p[0] == '#';

	while (n < s.n && n <= REFERENCE_MAX && cfs_is_alnum(s.p[n]))
		n++;
	return n > 0 && n <= REFERENCE_MAX && (n == s.n || s.p[n] == ';');
}

/* Must the character s.p[0] be escaped? */
static bool is_special(const struct cfs_md_line *l, struct cfs_slice s)
{
	uint8_t next = s.n > 1 ? s.p[1] : ' ';
	uint8_t before = l->text.n > 0 ? l->text.p[l->text.n - 1] : ' ';

	switch (s.p[0]) {
	case '`':
		return true;
	case '\\':
		return is_ascii_punct(next);
	case '*':
		return before > ' ' || next > ' ' ||
		       is_line_start(l, l->text.n);
	case '_':
		return !(cfs_is_alnum(before) && cfs_is_alnum(next));
	case '&':
		return may_be_reference(cfs_slice_from(s, 1));
	case '$':
		return l->escapes_dollars;
	case '!':	/* a link that follows would be an image */
		return next == '[';
	case '[': case ']':
		return l->href.n > 0;
	case '(':
		return before == ']';
	case ':':
		return before == ']' || starts_block(l, s);
	case '|':
		return l->kind == CFS_MD_CELL || starts_block(l, s);
	case '~':
		return next == '~' || before == '~' || starts_block(l, s);
	case '.': case ')':
		return l->kind == CFS_MD_PARAGRAPH && next <= ' ' &&
		       is_number(l);
	default:
		return starts_block(l, s);
	}
}

/* Escapes the last character if what follows directly makes it special. */
static void settle(struct cfs_md_line *l, struct cfs_slice next)
{
	struct cfs_buf *b = &l->text;
	uint8_t two[2];
	bool escapes;

	if (l->unsure == b->n && l->unsure > 0) {
		two[0] = b->p[b->n - 1];
		two[1] = next.p[0];
		b->n--;
		escapes = two[0] == '&' ? may_be_reference(next) :
			  is_special(l, cfs_slice_of(two, 2));
		if (escapes)
			cfs_buf_addc(b, '\\');
		cfs_buf_addc(b, two[0]);
	}
	l->unsure = 0;
}

/* ---- marks -------------------------------------------------------------- */

/* True if the character before `at` is text that `next`, which now follows it,
 * makes special: what stood between them is taken back.  A backslash before it,
 * which is none itself, escapes it already. */
static bool becomes_special(struct cfs_md_line *l, size_t at,
			    struct cfs_slice next)
{
	const uint8_t *p = l->text.p;
	uint8_t two[2];
	size_t n = 0, end = l->text.n;
	bool is;

	if (at == 0 || next.n == 0 || memchr("&!~#-+", p[at - 1], 6) == NULL)
		return false;
	while (n + 1 < at && p[at - 2 - n] == '\\')
		n++;
	if (n % 2 == 1)
		return false;
	if (p[at - 1] == '&')
		return may_be_reference(next);
	two[0] = p[at - 1];
	two[1] = next.p[0];
	l->text.n = at - 1;
	is = is_special(l, cfs_slice_of(two, 2));
	l->text.n = end;
	return is;
}

/* Takes n > 0 bytes, a mark, out of the text. */
static void cut_out(struct cfs_md_line *l, size_t at, size_t n)
{
	struct cfs_buf *b = &l->text;

	if (becomes_special(l, at, cfs_slice_of(b->p + at + n,
						b->n - at - n))) {
		b->p[at] = b->p[at - 1];
		b->p[at - 1] = '\\';
		at++;
		n--;
	}
	memmove(b->p + at, b->p + at + n, b->n - at - n);
	b->n -= n;
	if (l->link_is_written && l->link_at > at)
		l->link_at -= n;
	for (unsigned i = 0; i < l->n_open; i++)
		if (l->open[i].at > at)
			l->open[i].at -= n;
	for (unsigned i = 0; i < l->n_closed; i++)
		l->closed[i].at -= l->closed[i].at > at ? n : 0;
	l->closed_end -= l->closed_end > at ? n : 0;
	l->code_end -= l->code_end > at ? n : 0;
	l->image_at -= l->image_at > at ? n : 0;
	l->unsure -= l->unsure > at ? n : 0;
}

/* Takes back the marks that were closed last if the same emphasis goes on; and
 * their beginnings, too, if the next character stands beside them in a way that
 * CommonMark takes for no end of emphasis. */
static void take_back_closed(struct cfs_md_line *l, struct cfs_slice next)
{
	size_t at = l->text.n;

	if (l->closed_end != at)
		l->n_closed = 0;
	while (l->n_closed > 0 &&
	       l->wanted[l->closed[l->n_closed - 1].mark] > 0) {
		l->open[l->n_open++] = l->closed[--l->n_closed];
		at -= mark_bytes(l->closed[l->n_closed].mark);
	}
	l->text.n = l->closed_end = at;
	for (unsigned i = 0; i < l->n_closed; i++)
		at -= mark_bytes(l->closed[i].mark);
	if (l->n_closed == 0 || punct_at_start(next) == PUNCT_YES ||
	    punct_before(&l->text, at) == PUNCT_NO)
		return;
	l->text.n = at;
	for (unsigned i = 0; i < l->n_closed; i++)
		cut_out(l, l->closed[i].at, mark_bytes(l->closed[i].mark));
	l->n_closed = 0;
}

static void check_closed(struct cfs_md_line *l, struct cfs_slice next)
{
	struct cfs_buf *b = &l->text;
	size_t n = b->n;
	uint8_t last;

	take_back_closed(l, next);
	if (b->n == n || !becomes_special(l, b->n, next))
		return;
	last = b->p[b->n - 1];
	b->p[b->n - 1] = '\\';
	cfs_buf_addc(b, last);
}

static void close_mark(struct cfs_md_line *l)
{
	struct cfs_md_open *o = &l->open[--l->n_open];
	size_t n = mark_bytes(o->mark);

	/* no mark will stand here: what follows settles the last character */
	if (o->needs_check) {
		cut_out(l, o->at, n);
		return;
	}
	settle(l, CFS_SLICE_LIT("*"));
	if (l->closed_end != l->text.n)
		l->n_closed = 0;
	cfs_buf_append(&l->text, marks[o->mark], n);
	l->closed[l->n_closed++] = *o;
	l->closed_end = l->text.n;
}

static bool mark_is_open(const struct cfs_md_line *l, enum cfs_md_mark mark)
{
	for (unsigned i = 0; i < l->n_open; i++)
		if (l->open[i].mark == mark)
			return true;
	return false;
}

static bool opens_mark(const struct cfs_md_line *l)
{
	for (unsigned i = 0; i < CFS_MD_MARKS; i++)
		if (l->wanted[i] > 0 &&
		    !mark_is_open(l, (enum cfs_md_mark)i))
			return true;
	return false;
}

/* True if a mark here, between punctuation on both sides, would be taken for
 * the end of what is open: section 6.2, rules 9 and 10, do not prevent that if
 * the open mark was one of a run of three. */
static bool would_close(const struct cfs_md_line *l, struct cfs_slice next)
{
	size_t at = l->text.n;

	for (unsigned i = 0; i < l->n_open; i++)
		if (l->open[i].is_of_three)
			return at > 0 && l->text.p[at - 1] > ' ' &&
			       punct_at_start(next) != PUNCT_NO &&
			       punct_before(&l->text, at) != PUNCT_NO;
	return false;
}

/* Writes the marks that are wanted and not open yet; not beside one that has
 * just been closed, since the two would be taken for one. */
static void open_marks(struct cfs_md_line *l, struct cfs_slice next)
{
	unsigned before = l->n_open;
	bool needs_check;

	if (l->n_closed > 0 || would_close(l, next))
		return;
	needs_check = punct_at_start(next) != PUNCT_NO &&
		      punct_before(&l->text, l->text.n) != PUNCT_YES;
	for (unsigned i = 0; i < CFS_MD_MARKS; i++) {
		enum cfs_md_mark mark = i == 0 ? l->outer : !l->outer;

		if (l->wanted[mark] == 0 || mark_is_open(l, mark))
			continue;
		l->open[l->n_open++] = (struct cfs_md_open){
			.mark = mark, .at = l->text.n,
			.needs_check = needs_check };
		cfs_buf_append(&l->text, marks[mark], mark_bytes(mark));
	}
	for (unsigned i = before; i < l->n_open; i++)
		l->open[i].is_of_three = l->n_open - before == CFS_MD_MARKS;
}

void cfs_md_line_mark(struct cfs_md_line *l, enum cfs_md_mark mark,
		      bool begins)
{
	if (l->is_plain)
		return;
	if (begins) {
		if (l->wanted[!mark] == 0)
			l->outer = mark;
		l->wanted[mark]++;
		return;
	}
	if (l->wanted[mark] == 0 || --l->wanted[mark] > 0)
		return;
	for (unsigned i = 0; i < l->n_open; i++) {
		if (l->open[i].mark != mark)
			continue;
		while (l->n_open > i)
			close_mark(l);
	}
}

/* ---- text --------------------------------------------------------------- */

/* Writes what must precede the next character: a blank or a line break, the
 * beginning of a link, marks. */
static void lead_in(struct cfs_md_line *l, struct cfs_slice next)
{
	bool is_apart = l->blank || l->line_break;
	bool opens_link = l->href.n > 0 && !l->link_is_written;
	struct cfs_slice lead = next;

	/* the usual case, also of pages full of single characters */
	if (!is_apart && l->href.n == 0 && l->n_open + l->n_closed == 0 &&
	    l->wanted[CFS_MD_STRONG] + l->wanted[CFS_MD_EM] == 0) {
		settle(l, next);
		return;
	}
	if (opens_link)
		lead = CFS_SLICE_LIT("[");
	else if (opens_mark(l))
		lead = CFS_SLICE_LIT("*");

	/* a link that begins within emphasis has emphasis of its own */
	while (opens_link && l->n_open > 0)
		close_mark(l);
	if (is_apart)
		l->unsure = 0;
	else
		settle(l, lead);
	if (opens_link || is_apart)
		l->n_closed = 0;
	else
		check_closed(l, next);
	if (l->text.n > 0 && l->line_break && l->kind == CFS_MD_PARAGRAPH)
		cfs_buf_adds(&l->text, l->is_plain ? "\n" : "\\\n");
	else if (l->text.n > 0 && is_apart)
		cfs_buf_addc(&l->text, ' ');
	l->blank = l->line_break = false;
	if (opens_link) {
		l->link_at = l->text.n;
		l->link_is_written = true;
		cfs_buf_addc(&l->text, '[');
	}
	open_marks(l, next);
	l->n_closed = 0;
}

/* Bytes that are never escaped and are no white space, as bits: letters,
 * digits, " ' and , and all that is not ASCII but for what begins special
 * characters. */
static const uint64_t plain[4] = {
	UINT64_C(0x03ff108400000000), UINT64_C(0x07fffffe07fffffe),
	UINT64_MAX,
	~(UINT64_C(1) << (0xc2 - 192) | UINT64_C(3) << (0xe2 - 192)),
};

static bool is_plain(uint8_t c)
{
	return (plain[c >> 6] >> (c & 63) & 1) != 0;
}

/* The length of the run of s that needs no look: letters, digits, and all that
 * is not ASCII; also single blanks before a letter of ASCII. */
static size_t plain_run(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n && (is_plain(s.p[n]) ||
			   (s.p[n] == ' ' && n > 0 && n + 1 < s.n &&
			    cfs_is_alpha(s.p[n + 1]))))
		n++;
	return n;
}

/* The length of a white space character at the beginning of s; 0: there is
 * none.  White space are also no-break spaces, C1 controls and the spaces of
 * typography (U+2000 to U+200A, U+3000): emphasis cannot begin with them. */
static size_t md_space(struct cfs_slice s)
{
	if (s.p[0] <= ' ' || s.p[0] == 0x7f)
		return 1;
	if (s.p[0] == 0xc2)
		return s.n > 1 && s.p[1] <= 0xa0 ? 2 : 0;
	if (s.n < 3 || (s.p[0] != 0xe2 && s.p[0] != 0xe3) || s.p[1] != 0x80)
		return 0;
	return s.p[0] == 0xe2 ? 3 * (s.p[2] <= 0x8a) : 3 * (s.p[2] == 0x80);
}

/* Appends the character at the beginning of s, escaped if it must be. */
static void put_special(struct cfs_md_line *l, struct cfs_slice s)
{
	size_t n = s.p[0] < 0xc0 ? 1 : cfs_utf8_len(s);
	bool escapes;

	if (s.p[0] == '<') {
		cfs_buf_adds(&l->text, CFS_MD_LESS_THAN);
		return;
	}
	escapes = is_special(l, s);
	if (escapes)
		cfs_buf_addc(&l->text, '\\');
	cfs_buf_append(&l->text, s.p, n);
	if (!escapes)
		l->unsure = l->text.n;
}

/* True of a soft hyphen (U+00AD), which is where a word may be divided, and no
 * part of it. */
static bool is_soft_hyphen(struct cfs_slice s)
{
	return s.n > 1 && s.p[0] == 0xc2 && s.p[1] == 0xad;
}

static void fold_code(struct cfs_md_line *l, struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i] <= ' ' || s.p[i] == 0x7f ? ' ' : s.p[i];
		struct cfs_buf *b = &l->code;

		if (c != ' ' || (b->n > 0 && b->p[b->n - 1] != ' '))
			cfs_buf_addc(b, c);
	}
}

/* The length of the run of s that plain text has as it is: of white space,
 * which it does not begin with, it has only single blanks before letters. */
static size_t run_without_space(struct cfs_slice s)
{
	/* by byte: those that are no white space and begin none */
	static const uint64_t inner[4] = {
		UINT64_C(0xfffffffe00000000), UINT64_C(0x7fffffffffffffff),
		UINT64_MAX,
		~(UINT64_C(1) << (0xc2 - 192) | UINT64_C(3) << (0xe2 - 192)),
	};
	size_t n = 1;

	while (n < s.n && ((inner[s.p[n] >> 6] >> (s.p[n] & 63) & 1) != 0 ||
			   (s.p[n] == ' ' && n + 1 < s.n &&
			    cfs_is_alpha(s.p[n + 1]))))
		n++;
	return n;
}

static void put_line_text(struct cfs_md_line *l, struct cfs_slice s)
{
	while (s.n > 0) {
		size_t n = md_space(s);

		if (n > 0) {
			l->blank = true;
			s = cfs_slice_from(s, n);
			continue;
		}
		if (is_soft_hyphen(s)) {
			s = cfs_slice_from(s, 2);
			continue;
		}
		lead_in(l, s);
		n = l->is_plain ? run_without_space(s) : plain_run(s);
		if (n == 0) {
			put_special(l, s);
			n = s.p[0] < 0xc0 ? 1 : cfs_utf8_len(s);
		} else {
			cfs_buf_append(&l->text, s.p, n);
		}
		s = cfs_slice_from(s, n);
	}
}

void cfs_md_line_text(struct cfs_md_line *l, struct cfs_slice s)
{
	if (l->code_depth > 0)
		fold_code(l, s);
	else
		put_line_text(l, s);
}

void cfs_md_line_blank(struct cfs_md_line *l)
{
	if (l->code_depth > 0)
		fold_code(l, CFS_SLICE_LIT(" "));
	else
		l->blank = true;
}

void cfs_md_line_break(struct cfs_md_line *l)
{
	if (l->code_depth > 0)
		fold_code(l, CFS_SLICE_LIT(" "));
	else
		l->line_break = true;
}

/* ---- code --------------------------------------------------------------- */

/* The longest run of a character. */
static size_t longest_run(struct cfs_slice s, uint8_t c)
{
	size_t best = 0, n = 0;

	for (size_t i = 0; i < s.n; i++) {
		n = s.p[i] == c ? n + 1 : 0;
		if (n > best)
			best = n;
	}
	return best;
}

/* Does the text end with what may be an autolink of GFM (spec 6.9)?  That goes
 * on to a blank or a `<`, through ticks. */
static bool may_end_in_autolink(const struct cfs_md_line *l)
{
	struct cfs_slice s = cfs_buf_slice(&l->text);
	size_t n = 0;

	if (l->blank || l->line_break)
		return false;
	while (n < s.n && s.p[s.n - 1 - n] > ' ')
		n++;
	s = cfs_slice_from(s, s.n - n);
	return cfs_slice_search(s, CFS_SLICE_LIT("://")) >= 0 ||
	       cfs_slice_search_nocase(s, CFS_SLICE_LIT("www.")) >= 0;
}

static void put_code(struct cfs_md_line *l)
{
	struct cfs_slice s = cfs_slice_trim(cfs_buf_slice(&l->code));
	size_t ticks = longest_run(s, '`') + 1, at = l->text.n;
	bool padded;

	if (s.n == 0)
		return;
	if (cfs_slice_find(s, '<') >= 0 && may_end_in_autolink(l)) {
		put_line_text(l, s);
		return;
	}
	padded = s.p[0] == '`' || s.p[s.n - 1] == '`';
	/* two code spans side by side would be one, also if marks between
	 * them are taken back */
	while (at > 0 && l->text.p[at - 1] == '*')
		at--;
	if (l->code_end > 0 && l->code_end == at)
		l->blank = true;
	lead_in(l, CFS_SLICE_LIT("`"));
	for (size_t i = 0; i < ticks; i++)
		cfs_buf_addc(&l->text, '`');
	if (padded)
		cfs_buf_addc(&l->text, ' ');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '|' && l->kind == CFS_MD_CELL)
			cfs_buf_addc(&l->text, '\\');
		cfs_buf_addc(&l->text, s.p[i]);
	}
	if (padded)
		cfs_buf_addc(&l->text, ' ');
	for (size_t i = 0; i < ticks; i++)
		cfs_buf_addc(&l->text, '`');
	l->code_end = l->text.n;
}

void cfs_md_line_code(struct cfs_md_line *l, bool begins)
{
	if (l->is_plain)
		return;
	if (begins) {
		if (l->code_depth++ == 0)
			cfs_buf_empty(&l->code);
		return;
	}
	if (l->code_depth == 0 || --l->code_depth > 0)
		return;
	if (l->code.n > 0 && l->code.p[0] == ' ')
		l->blank = true;
	put_code(l);
	if (l->code.n > 0 && l->code.p[l->code.n - 1] == ' ')
		l->blank = true;
	cfs_buf_empty(&l->code);
}

/* ---- links and images --------------------------------------------------- */

/* True if the parentheses in a destination are balanced, and not nested too
 * deeply. */
static bool is_balanced(struct cfs_slice url)
{
	unsigned depth = 0;

	for (size_t i = 0; i < url.n; i++) {
		if (url.p[i] == '(' && ++depth > NESTED_PARENS_MAX)
			return false;
		if (url.p[i] == ')' && depth-- == 0)
			return false;
	}
	return depth == 0;
}

/* Appends "(url)" (section 6.3, link destinations). */
static void put_destination(struct cfs_md_line *l, struct cfs_slice url)
{
	bool keeps_parens = is_balanced(url);
	struct cfs_buf *b = &l->text;

	cfs_buf_addc(b, '(');
	for (size_t i = 0; i < url.n; i++) {
		uint8_t c = url.p[i];

		if (c <= ' ' || c == '<' || c == '>' || c == '\\' ||
		    c == 0x7f || c == '|' || c == '`') {
			cfs_percent_add(b, c);
			continue;
		}
		if (c == '&' || ((c == '(' || c == ')') &&
					!keeps_parens)) {
			if (c != '&' || (i + 1 < url.n &&
					 cfs_slice_find(cfs_slice_sub(url, i,
							64), ';') > 0))
				cfs_buf_addc(b, '\\');
		}
		cfs_buf_addc(b, c);
	}
	cfs_buf_addc(b, ')');
}

static void close_link(struct cfs_md_line *l)
{
	if (!l->link_is_written)
		return;
	while (l->n_open > 0 && l->open[l->n_open - 1].at >= l->link_at)
		close_mark(l);
	settle(l, CFS_SLICE_LIT("]"));
	l->n_closed = 0;
	l->link_is_written = false;
	cfs_buf_addc(&l->text, ']');
	put_destination(l, cfs_buf_slice(&l->href));
}

void cfs_md_line_link(struct cfs_md_line *l, struct cfs_slice url)
{
	close_link(l);
	cfs_buf_empty(&l->href);
	if (url.n > 0 && l->code_depth == 0)
		cfs_buf_add(&l->href, url);
}

void cfs_md_line_image(struct cfs_md_line *l, struct cfs_slice url,
		       struct cfs_slice alt)
{
	if (l->code_depth > 0)
		return;
	lead_in(l, CFS_SLICE_LIT("!"));
	cfs_buf_adds(&l->text, "![");
	for (size_t i = 0; i < alt.n; i++) {
		uint8_t c = alt.p[i];

		if (c <= ' ') {
			if (i > 0 && alt.p[i - 1] > ' ')
				cfs_buf_addc(&l->text, ' ');
			continue;
		}
		if (c == '<') {
			cfs_buf_adds(&l->text, CFS_MD_LESS_THAN);
			continue;
		}
		if (c == '[' || c == ']' || c == '\\' || c == '`' ||
		    c == '*' || c == '_' || c == '&' || c == '|' ||
		    (c == '$' && l->escapes_dollars))
			cfs_buf_addc(&l->text, '\\');
		cfs_buf_addc(&l->text, c);
	}
	cfs_buf_addc(&l->text, ']');
	put_destination(l, url);
	l->image_at = l->text.n - 1;
}

/* ---- formulas ----------------------------------------------------------- */

/* True if each bracket has its other half: then they may be in a link. */
static bool has_balanced_brackets(struct cfs_slice s)
{
	size_t depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '[')
			depth++;
		else if (s.p[i] == ']' && depth-- == 0)
			return false;
	}
	return depth == 0;
}

/* The text to be written for the sign at the beginning of s; NULL: itself. */
static const char *sign_of_formula(const struct cfs_md_line *l,
				   struct cfs_slice s, bool spells_brackets)
{
	bool is_cell = l->kind == CFS_MD_CELL;

	if (l->is_plain)
		return NULL;
	switch (s.p[0]) {
	case '<':
		return "\\lt ";
	case '`':
		return "\xe2\x80\x98";
	case '|':
		return is_cell ? "\\|" : NULL;
	case '[':
		return spells_brackets ? "\\lbrack " : NULL;
	case ']':
		if (spells_brackets)
			return "\\rbrack ";
		/* no destination of a link */
		return s.n > 1 && (s.p[1] == '(' || s.p[1] == '[' ||
				   s.p[1] == ':') ? "] " : NULL;
	case '\\':
		if (s.n > 1 && s.p[1] == '<')
			return "\\lt ";
		if (s.n > 1 && s.p[1] == '`')
			return "\\grave ";
		return is_cell && s.n > 1 && s.p[1] == '|' ? "\\Vert " : NULL;
	default:
		return NULL;
	}
}

static void put_formula(struct cfs_md_line *l, struct cfs_slice s)
{
	bool spells_brackets = l->href.n > 0 && !has_balanced_brackets(s);

	while (s.n > 0) {
		const char *other = sign_of_formula(l, s, spells_brackets);
		size_t n = s.p[0] == '\\' && s.n > 1 ? 2 : 1;

		if (other != NULL)
			cfs_buf_adds(&l->text, other);
		else
			cfs_buf_append(&l->text, s.p, n);
		s = cfs_slice_from(s, n);
		/* the blank that ends a command */
		if (other != NULL && s.n > 0 && s.p[0] == ' ' &&
		    l->text.p[l->text.n - 1] == ' ')
			s = cfs_slice_from(s, 1);
	}
}

void cfs_md_line_formula(struct cfs_md_line *l, struct cfs_slice tex,
			 bool is_display)
{
	const char *mark = is_display ? "$$" : "$";

	if (l->code_depth > 0) {
		fold_code(l, tex);
		return;
	}
	lead_in(l, CFS_SLICE_LIT("$"));
	cfs_buf_adds(&l->text, mark);
	put_formula(l, tex);
	cfs_buf_adds(&l->text, mark);
}

/* ---- blocks ------------------------------------------------------------- */

struct cfs_slice cfs_md_line_end(struct cfs_md_line *l, size_t *spare)
{
	bool goes_on = l->link_is_written && l->href.n <= *spare;

	if (l->code.n > 0) {
		put_code(l);
		cfs_buf_empty(&l->code);
	}
	if (l->link_is_written) {
		close_link(l);
		*spare -= goes_on ? l->href.n : 0;
		if (!goes_on)
			cfs_buf_empty(&l->href);
	}
	while (l->n_open > 0)
		close_mark(l);
	l->n_closed = 0;
	l->blank = l->line_break = false;
	return cfs_buf_slice(&l->text);
}

void cfs_md_line_begin(struct cfs_md_line *l, enum cfs_md_block kind)
{
	l->kind = kind;
	cfs_buf_empty(&l->text);
	l->unsure = l->code_end = l->image_at = l->link_at = 0;
	l->link_is_written = false;
	l->n_open = l->n_closed = 0;
	l->closed_end = 0;
	l->blank = l->line_break = false;
}
