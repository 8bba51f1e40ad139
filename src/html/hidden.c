/* hidden.c - which elements a browser does not show (hidden.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hidden.h"

#include <stdlib.h>
#include <string.h>

/* An element holds the page as a whole if three quarters of its text are in
 * it, and these are more than that of a dialog. */
#define MOST_OF(total) ((total) / 4 * 3)
#define SHELL_TEXT_MIN 200u
/* Its bytes are at least this part of the page's, which has scripts, too. */
#define SHELL_PART 5u
/* So many elements, one inside another, may hide a page. */
#define SHELLS_MAX 8u
/* Longer tags are not looked at, so that each is read within a bound. */
#define TAG_BYTES_MAX 2048u

static struct cfs_slice after_blanks(struct cfs_slice s)
{
	while (s.n > 0 && s.p[0] <= ' ')
		s = cfs_slice_from(s, 1);
	return s;
}

/* True if a style attribute has `name` `:` and a value with that prefix. */
static bool has_style(struct cfs_slice s, struct cfs_slice name,
		      struct cfs_slice value)
{
	for (;;) {
		ptrdiff_t at = cfs_slice_search_nocase(s, name);

		if (at < 0)
			return false;
		s = after_blanks(cfs_slice_from(s, (size_t)at + name.n));
		if (s.n == 0 || s.p[0] != ':')
			continue;
		s = after_blanks(cfs_slice_from(s, 1));
		if (cfs_slice_starts_nocase(s, value))
			return true;
	}
}

static bool hides(const struct cfs_html_el *el, struct cfs_slice name)
{
	struct cfs_slice v;

	switch (name.n) {
	case 5:
		return cfs_slice_eq_nocase(name, CFS_SLICE_LIT("style")) &&
		       cfs_html_el_get(el, CFS_SLICE_LIT("style"), &v) &&
		       (has_style(v, CFS_SLICE_LIT("display"),
				  CFS_SLICE_LIT("none")) ||
			has_style(v, CFS_SLICE_LIT("visibility"),
				  CFS_SLICE_LIT("hidden")));
	case 6:
		return cfs_slice_eq_nocase(name, CFS_SLICE_LIT("hidden")) &&
		       cfs_html_el_get(el, CFS_SLICE_LIT("hidden"), &v) &&
		       !cfs_slice_eq_nocase(v, CFS_SLICE_LIT("until-found"));
	case 11:
		return cfs_slice_eq_nocase(name,
					   CFS_SLICE_LIT("aria-hidden")) &&
		       cfs_html_el_get(el, CFS_SLICE_LIT("aria-hidden"), &v) &&
		       cfs_slice_eq_nocase(cfs_slice_trim(v),
					   CFS_SLICE_LIT("true"));
	default:
		return false;
	}
}

bool cfs_html_is_panel(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	if ((el->tag == CFS_TAG_LI || el->tag == CFS_TAG_A) &&
	    cfs_html_el_get(el, CFS_SLICE_LIT("aria-hidden"), &v))
		return true;
	if (!cfs_html_el_get(el, CFS_SLICE_LIT("role"), &v))
		return cfs_html_el_get(el, CFS_SLICE_LIT("aria-labelledby"),
				       &v) && v.n > 0;
	v = cfs_slice_trim(v);
	return cfs_slice_eq_nocase(v, CFS_SLICE_LIT("tabpanel")) ||
	       cfs_slice_eq_nocase(v, CFS_SLICE_LIT("region"));
}

bool cfs_html_is_hidden(const struct cfs_html_el *el)
{
	/* Scripts show what hides itself as a whole. */
	if (el->tag == CFS_TAG_BODY || el->tag == CFS_TAG_HTML)
		return false;
	for (unsigned i = 0; i < el->token->n_attrs; i++)
		if (hides(el, el->token->attrs[i].name))
			return true;
	return false;
}

/* ---- pages that are hidden until their scripts run --------------------- */

struct shells {
	struct cfs_html_tokenizer tag, page;
	struct cfs_slice utf8;
	size_t n_text;		/* of the page, as far as it has been read */
	struct cfs_buf decoded;
};

/* How much of a token is text that a reader sees. */
static size_t text_of(const struct cfs_html_tokenizer *t)
{
	size_t n = 0;

	if (t->token.type != CFS_HTML_TEXT || t->state != CFS_HTML_DATA)
		return 0;
	for (size_t i = 0; i < t->token.text.n; i++)
		n += t->token.text.p[i] > ' ';
	return n;
}

/* Reads on; false at the end of the page. */
static bool read_on(struct cfs_html_tokenizer *t)
{
	cfs_html_next(t);
	if (t->token.type == CFS_HTML_START)
		cfs_html_follow(t, t->token.tag);
	return t->token.type != CFS_HTML_EOF;
}

/* Is that a large part of the page's text?  The page is read only as far as
 * the answer demands, and once in all. */
static bool is_most(struct shells *s, size_t n_text)
{
	while (MOST_OF(s->n_text) <= n_text && read_on(&s->page))
		s->n_text += text_of(&s->page);
	return MOST_OF(s->n_text) <= n_text;
}

static void read_tag(struct shells *s, size_t from)
{
	cfs_html_begin(&s->tag, cfs_slice_sub(s->utf8, from, TAG_BYTES_MAX));
	cfs_html_next(&s->tag);
}

/* Reads the tag that has the byte at `at` in it, if that may be one that hides
 * a page; *from is where it begins. */
static bool find_tag(struct shells *s, size_t at, size_t *from)
{
	size_t low = at > TAG_BYTES_MAX ? at - TAG_BYTES_MAX : 0;
	const uint8_t *lt = memrchr(s->utf8.p + low, '<', at - low);
	struct cfs_html_el el = { CFS_TAG_DIV, true, &s->tag.token,
				  &s->decoded };

	if (lt == NULL)
		return false;
	*from = (size_t)(lt - s->utf8.p);
	read_tag(s, *from);
	return s->tag.token.type == CFS_HTML_START &&
	       *from + s->tag.at > at &&
	       (s->tag.token.tag == CFS_TAG_DIV ||
		s->tag.token.tag == CFS_TAG_MAIN ||
		s->tag.token.tag == CFS_TAG_SECTION) &&
	       cfs_html_is_hidden(&el);
}

/* About where the element ends whose tag has been read: its tags are counted
 * also in scripts and comments.  Reading it would take five times as long, and
 * most hidden elements are too small. */
static size_t find_end(const struct shells *s, size_t at)
{
	struct cfs_slice name = s->tag.token.name, rest;
	size_t depth = 1;

	while (depth > 0) {
		ptrdiff_t lt = cfs_slice_find(cfs_slice_from(s->utf8, at), '<');
		bool is_end;

		if (lt < 0)
			return s->utf8.n;
		at += (size_t)lt + 1;
		rest = cfs_slice_from(s->utf8, at);
		is_end = rest.n > 0 && rest.p[0] == '/';
		if (!cfs_slice_starts_nocase(cfs_slice_from(rest, is_end),
					     name))
			continue;
		if (is_end)
			depth--;
		else
			depth++;
	}
	return at;
}

/* Reads what is in the element whose tag has been read and ends at `at`, and
 * counts its text. */
static size_t read_element(struct shells *s, size_t at)
{
	enum cfs_html_tag tag = s->tag.token.tag;
	size_t n = 0, depth = 1;

	cfs_html_begin(&s->tag, cfs_slice_from(s->utf8, at));
	while (depth > 0 && read_on(&s->tag)) {
		n += text_of(&s->tag);
		if (s->tag.token.tag != tag)
			continue;
		depth += s->tag.token.type == CFS_HTML_START;
		depth -= s->tag.token.type == CFS_HTML_END;
	}
	return n;
}

/* Overwrites with blanks what hides the element whose tag begins at `from`. */
static void blank(struct shells *s, size_t from, struct cfs_buf *out)
{
	struct cfs_html_el el = { CFS_TAG_DIV, true, &s->tag.token,
				  &s->decoded };

	read_tag(s, from);
	for (unsigned i = 0; i < s->tag.token.n_attrs; i++) {
		struct cfs_slice v = s->tag.token.attrs[i].value;

		if (v.n > 0 && hides(&el, s->tag.token.attrs[i].name))
			memset(out->p + (v.p - s->utf8.p), ' ', v.n);
	}
}

/* Finds the value of the next "display:none" or "visibility:hidden" from `at`
 * on, by what all of these and few others have: a search for the words would
 * cost a fourth of what the view does, and colons are twice as many as y. */
static bool find_style(struct cfs_slice page, size_t *at)
{
	ptrdiff_t found;

	while ((found = cfs_slice_find(cfs_slice_from(page, *at), 'y')) >= 0) {
		struct cfs_slice v;

		*at += (size_t)found + 1;
		v = cfs_slice_sub(page, *at, 3);
		if (v.n == 0 || v.p[0] != ':')
			continue;
		*at += 1;
		v = after_blanks(cfs_slice_from(v, 1));
		if (v.n > 0 && (v.p[0] == 'n' || v.p[0] == 'h'))
			return true;
	}
	return false;
}

/* Shows the elements that hide the page; returns their number. */
static unsigned show(struct shells *s, struct cfs_buf *out)
{
	size_t least = s->utf8.n / SHELL_PART, at = 0, from, inner, n_text;
	struct cfs_slice page = cfs_slice_sub(s->utf8, 0, s->utf8.n - least);
	unsigned n_shown = 0;

	while (n_shown < SHELLS_MAX && out->failed == CFS_OK &&
	       find_style(page, &at)) {
		if (!find_tag(s, at - 1, &from))
			continue;
		inner = from + s->tag.at;
		at = find_end(s, inner);
		if (at - from < least)
			continue;
		n_text = read_element(s, inner);
		if (n_text < SHELL_TEXT_MIN || !is_most(s, n_text))
			continue;
		if (n_shown == 0)
			cfs_buf_add(out, s->utf8);
		if (out->failed == CFS_OK)
			blank(s, from, out);
		n_shown++;
		at = inner;
	}
	return n_shown;
}

int cfs_html_unhide(struct cfs_slice utf8, struct cfs_buf *out, bool *shown,
		    struct cfs_error *err)
{
	struct shells *s = malloc(sizeof(*s));

	*shown = false;
	if (s == NULL)
		return cfs_error_nomem(err);
	s->utf8 = utf8;
	s->n_text = 0;
	cfs_buf_init(&s->decoded, CFS_HTML_DECODED_MAX);
	cfs_html_begin(&s->page, utf8);
	*shown = show(s, out) > 0;
	cfs_buf_release(&s->decoded);
	free(s);
	return CFS_OK;
}
