/* tokenizer.c - splits an HTML document into tokens (see tokenizer.h).
 *
 * The standard has a state for each position between two characters.  Here the
 * whole document is in memory, so a run of text, a tag or a comment is read at
 * once.  States that differ only in the errors they report are combined.
 *
 * Other files: script data with its escapes (script.c), doctypes (doctype.c),
 * attributes and their values (attributes.c), references (references.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tokenizer_internal.h"

#include <string.h>

/* Classes of bytes that can end a run of text; which ones do depends on the
 * state. */
enum { END_ANY = 1, END_REF = 2, END_TAG = 4, END_NUL = 8 };

static const uint8_t classes[256] = {
	['\r'] = END_ANY, ['&'] = END_REF, ['<'] = END_TAG, [0] = END_NUL,
};

void cfs_html_begin(struct cfs_html_tokenizer *t, struct cfs_slice utf8)
{
	t->in = utf8;
	t->at = 0;
	t->state = CFS_HTML_DATA;
	t->last_start = CFS_SLICE_EMPTY;
	t->allow_cdata = false;
	t->script_escape = 0;
	t->token.attrs = t->attrs;
}

/* ---- text ---- */

static void text_token(struct cfs_html_tokenizer *t, struct cfs_slice s)
{
	t->token.type = CFS_HTML_TEXT;
	t->token.text = s;
}

void cfs_html_text_to(struct cfs_html_tokenizer *t, size_t end)
{
	text_token(t, cfs_slice_of(t->in.p + t->at, end - t->at));
	t->at = end;
}

/* Takes the CR LF or CR at t->at, as LF. */
static void newline(struct cfs_html_tokenizer *t)
{
	t->at++;
	if (t->at < t->in.n && t->in.p[t->at] == '\n')
		t->at++;
	text_token(t, CFS_SLICE_LIT("\n"));
}

static void nul(struct cfs_html_tokenizer *t)
{
	t->at++;
	text_token(t, CFS_SLICE_LIT("\xef\xbf\xbd"));
}

bool cfs_html_odd_byte(struct cfs_html_tokenizer *t)
{
	uint8_t c = t->in.p[t->at];

	if (c == '\r')
		newline(t);
	else if (c == 0)
		nul(t);
	else
		return false;
	return true;
}

typedef uint8_t tokenizer_bytes __attribute__((vector_size(16)));

/* Is one of 16 bytes '<', '&', CR or NUL? */
static bool may_stop(const uint8_t *p)
{
	tokenizer_bytes v, zero = { 0 };
	uint64_t marks[2];

	memcpy(&v, p, sizeof(v));
	v = (tokenizer_bytes)((v == (zero + '<')) | (v == (zero + '&')) |
			      (v == (zero + '\r')) | (v == zero));
	memcpy(marks, &v, sizeof(marks));
	return (marks[0] | marks[1]) != 0;
}

/* The end of the run of bytes from `from` on that are in none of the classes
 * `stop`. */
static size_t run_end(const struct cfs_html_tokenizer *t, size_t from,
		      unsigned stop)
{
	const uint8_t *p = t->in.p;
	size_t i = from, n = t->in.n;

	while (i + 8 <= n) {
		uint64_t v, marks;

		while (i + 16 <= n && !may_stop(p + i))
			i += 16;
		if (i + 8 > n)
			break;
		v = cfs_swar_in_order_at(p + i);
		marks = cfs_swar_are(v, '<') | cfs_swar_are(v, '&') |
			cfs_swar_are(v, '\r') | cfs_swar_are(v, 0);
		i += marks == 0 ? 8 : cfs_swar_first(marks);
		if (marks != 0 && (classes[p[i]] & stop) != 0)
			return i;
		i += marks != 0;
	}
	while (i < n && (classes[p[i]] & stop) == 0)
		i++;
	return i;
}

/* Takes a character reference at t->at, or else its '&' and the text behind. */
static void reference(struct cfs_html_tokenizer *t, unsigned stop)
{
	struct cfs_slice rest = cfs_slice_from(t->in, t->at);
	size_t out_n, n = cfs_reference_parse(rest, CFS_REFERENCE_HTML,
					      t->reference, &out_n);

	if (n == 0) {
		cfs_html_text_to(t, run_end(t, t->at + 1, stop));
		return;
	}
	t->at += n;
	text_token(t, cfs_slice_of(t->reference, out_n));
}

/* ---- comments ---- */

static void comment_token(struct cfs_html_tokenizer *t, size_t from, size_t to,
			  size_t next)
{
	t->token.type = CFS_HTML_COMMENT;
	t->token.text = cfs_slice_of(t->in.p + from, to - from);
	t->at = next;
}

/* Takes a bogus comment: all up to the next '>'. */
static void bogus_comment(struct cfs_html_tokenizer *t, size_t from)
{
	ptrdiff_t end = cfs_slice_find(cfs_slice_from(t->in, from), '>');

	if (end < 0)
		comment_token(t, from, t->in.n, t->in.n);
	else
		comment_token(t, from, from + (size_t)end,
			      from + (size_t)end + 1);
}

/* Takes the comment that begins at `from` and is ended by the end of the
 * document.  Dashes that might have begun its end are not part of it. */
static void unfinished_comment(struct cfs_html_tokenizer *t, size_t from)
{
	size_t n = t->in.n - from;
	const uint8_t *end = t->in.p + t->in.n;

	if (n >= 3 && memcmp(end - 3, "--!", 3) == 0)
		n -= 3;
	else if (n >= 2 && memcmp(end - 2, "--", 2) == 0)
		n -= 2;
	else if (n >= 1 && end[-1] == '-')
		n -= 1;
	comment_token(t, from, from + n, t->in.n);
}

/* Takes a comment; `from` is behind "<!--". */
static void comment(struct cfs_html_tokenizer *t, size_t from)
{
	struct cfs_slice s = cfs_slice_from(t->in, from);
	const uint8_t *p = s.p, *end = s.p + s.n;

	if (cfs_slice_starts(s, CFS_SLICE_LIT(">"))) {
		comment_token(t, from, from, from + 1);
		return;
	}
	if (cfs_slice_starts(s, CFS_SLICE_LIT("->"))) {
		comment_token(t, from, from, from + 2);
		return;
	}
	while ((p = memchr(p, '>', (size_t)(end - p))) != NULL) {
		size_t n = (size_t)(p - s.p);

		if (n >= 2 && memcmp(p - 2, "--", 2) == 0) {
			comment_token(t, from, from + n - 2, from + n + 1);
			return;
		}
		if (n >= 3 && memcmp(p - 3, "--!", 3) == 0) {
			comment_token(t, from, from + n - 3, from + n + 1);
			return;
		}
		p++;
	}
	unfinished_comment(t, from);
}

/* Takes what "<!" at t->at begins.  False if it makes no token. */
static bool declaration(struct cfs_html_tokenizer *t)
{
	struct cfs_slice s = cfs_slice_from(t->in, t->at + 2);

	if (cfs_slice_starts(s, CFS_SLICE_LIT("--"))) {
		comment(t, t->at + 4);
	} else if (cfs_slice_starts_nocase(s, CFS_SLICE_LIT("doctype"))) {
		cfs_html_doctype(t, t->at + 9);
	} else if (t->allow_cdata &&
		   cfs_slice_starts(s, CFS_SLICE_LIT("[CDATA["))) {
		t->at += 9;
		t->state = CFS_HTML_CDATA;
		return false;
	} else {
		bogus_comment(t, t->at + 2);
	}
	return true;
}

/* ---- tags ---- */

static bool tag(struct cfs_html_tokenizer *t, size_t name_at,
		enum cfs_html_type type)
{
	struct cfs_html_token *k = &t->token;
	size_t end = cfs_html_name_end(t->in, name_at, false);

	k->type = type;
	k->name = cfs_slice_of(t->in.p + name_at, end - name_at);
	t->at = end;
	if (!cfs_html_attributes(t))
		return false;	/* a tag cut off by the end is no token */
	k->tag = cfs_html_tag_find(k->name, t->in.n - name_at);
	if (type == CFS_HTML_START)
		t->last_start = k->name;
	return true;
}

bool cfs_html_end_tag(struct cfs_html_tokenizer *t, size_t at)
{
	struct cfs_slice s = cfs_slice_from(t->in, at);
	size_t n = t->last_start.n;

	return n > 0 && s.n > n + 2 && s.p[1] == '/' &&
	       cfs_html_ends_name(s.p[n + 2]) &&
	       cfs_slice_eq_nocase(cfs_slice_sub(s, 2, n), t->last_start);
}

bool cfs_html_take_end_tag(struct cfs_html_tokenizer *t)
{
	t->state = CFS_HTML_DATA;
	return tag(t, t->at + 2, CFS_HTML_END);
}

/* Takes what '<' at t->at begins.  *is_text: it is text, and is not taken.
 * False if it makes no token. */
static bool markup(struct cfs_html_tokenizer *t, bool *is_text)
{
	const uint8_t *p = t->in.p + t->at;
	size_t n = t->in.n - t->at;

	*is_text = false;
	if (n > 1 && cfs_is_alpha(p[1]))
		return tag(t, t->at + 1, CFS_HTML_START);
	if (n > 2 && p[1] == '/') {
		if (cfs_is_alpha(p[2]))
			return tag(t, t->at + 2, CFS_HTML_END);
		if (p[2] != '>') {
			bogus_comment(t, t->at + 2);
			return true;
		}
		t->at += 3;
		return false;
	}
	if (n > 1 && p[1] == '!')
		return declaration(t);
	if (n > 1 && p[1] == '?') {
		bogus_comment(t, t->at + 1);
		return true;
	}
	*is_text = true;
	return true;
}

/* ---- the states that text is in ---- */

/* Each function reads one token; false if it makes none, and is to be called
 * again. */

static bool data(struct cfs_html_tokenizer *t)
{
	const unsigned stop = END_ANY | END_REF | END_TAG;
	size_t end = t->at;
	bool is_text;

	switch (t->in.p[t->at]) {
	case '<':
		if (!markup(t, &is_text))
			return false;
		if (is_text)
			cfs_html_text_to(t, run_end(t, end + 1, stop));
		return true;
	case '&':
		reference(t, stop);
		return true;
	case '\r':
		newline(t);
		return true;
	default:
		cfs_html_text_to(t, run_end(t, end, stop));
		return true;
	}
}

/* Reads RCDATA, or RAWTEXT, which has no references. */
static bool raw(struct cfs_html_tokenizer *t)
{
	unsigned stop = END_ANY | END_TAG | END_NUL;

	if (t->state == CFS_HTML_RCDATA)
		stop |= END_REF;
	if (cfs_html_odd_byte(t))
		return true;
	if (t->in.p[t->at] == '&' && t->state == CFS_HTML_RCDATA) {
		reference(t, stop);
		return true;
	}
	if (t->in.p[t->at] == '<' && cfs_html_end_tag(t, t->at))
		return cfs_html_take_end_tag(t);
	cfs_html_text_to(t, run_end(t, t->at + 1, stop));
	return true;
}

static bool plaintext(struct cfs_html_tokenizer *t)
{
	if (!cfs_html_odd_byte(t))
		cfs_html_text_to(t, run_end(t, t->at, END_ANY | END_NUL));
	return true;
}

/* Reads a CDATA section, which ends at "]]>". */
static bool cdata(struct cfs_html_tokenizer *t)
{
	const struct cfs_slice end = CFS_SLICE_LIT("]]>");
	size_t i = t->at;

	if (t->in.p[i] == '\r') {
		newline(t);
		return true;
	}
	while (i < t->in.n && t->in.p[i] != '\r' &&
	       (t->in.p[i] != ']' ||
		!cfs_slice_starts(cfs_slice_from(t->in, i), end)))
		i++;
	if (i > t->at) {
		cfs_html_text_to(t, i);
		return true;
	}
	t->at += end.n;
	t->state = CFS_HTML_DATA;
	return false;
}

static bool tokenizer_step(struct cfs_html_tokenizer *t)
{
	switch (t->state) {
	case CFS_HTML_RCDATA:
	case CFS_HTML_RAWTEXT:
		return raw(t);
	case CFS_HTML_SCRIPT:
		return cfs_html_script(t);
	case CFS_HTML_PLAINTEXT:
		return plaintext(t);
	case CFS_HTML_CDATA:
		return cdata(t);
	case CFS_XML_CONTENT:
	case CFS_XML_SECTION:
		return cfs_xml_step(t);
	case CFS_HTML_DATA:
	default:
		return data(t);
	}
}

const struct cfs_html_token *cfs_html_next(struct cfs_html_tokenizer *t)
{
	while (t->at < t->in.n)
		if (tokenizer_step(t))
			return &t->token;
	t->token.type = CFS_HTML_EOF;
	return &t->token;
}

void cfs_html_follow(struct cfs_html_tokenizer *t, enum cfs_html_tag tag)
{
	switch (tag) {
	case CFS_TAG_TITLE:
	case CFS_TAG_TEXTAREA:
		t->state = CFS_HTML_RCDATA;
		break;
	case CFS_TAG_STYLE:
	case CFS_TAG_XMP:
	case CFS_TAG_NOEMBED:
	case CFS_TAG_NOFRAMES:
		t->state = CFS_HTML_RAWTEXT;
		break;
	case CFS_TAG_IFRAME:
		/* <noscript><iframe ... /></noscript> hides nothing from a
		 * browser with scripts. */
		if (!t->token.is_self_closing)
			t->state = CFS_HTML_RAWTEXT;
		break;
	case CFS_TAG_SCRIPT:
		t->state = CFS_HTML_SCRIPT;
		t->script_escape = 0;
		break;
	case CFS_TAG_PLAINTEXT:
		t->state = CFS_HTML_PLAINTEXT;
		break;
	default:
		break;
	}
}
