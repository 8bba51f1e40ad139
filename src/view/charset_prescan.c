/* charset_prescan.c - finds the charset that a document declares itself.
 *
 * Declarations are looked for in this order:
 *     byte order mark       Encoding Standard, "BOM sniff"; UTF-32 as well
 *     <?xml in UTF-16       HTML 13.2.3.2, first step of the prescan
 *     <meta>                HTML 13.2.3.2 "prescan a byte stream"; HTML only
 *     <?xml encoding="">    HTML 13.2.3.2 "get an XML encoding"; blanks around
 *                           the label are accepted
 *
 * The <meta> prescan reads the first CFS_PRESCAN_BYTES, and then the rest of
 * <head> up to CFS_PRESCAN_HEAD_BYTES.  The standard asks for 1,024 bytes and
 * has a later <meta> restart the parser; of 119 real pages 11 had it after byte
 * 1,024, 4 after 2,000, and one after 69,000.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset_steps.h"

/* As in the 2012 crawler (doc/formats.md, "Charsets"). */
#define CFS_PRESCAN_BYTES 2000
/* Enough for most pages; some <head>s begin with a megabyte of style sheets. */
#define CFS_PRESCAN_HEAD_BYTES (128 * 1024)

/* Looks up a label that was read as ASCII: it cannot be UTF-16 or UTF-32, and
 * means UTF-8 if it says so. */
static bool by_ascii_label(struct cfs_slice label, struct cfs_charset *out)
{
	if (!cfs_charset_by_label(label, out))
		return false;
	if (strncmp(out->name, "UTF-16", 6) == 0 ||
	    strncmp(out->name, "UTF-32", 6) == 0)
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-8"), out);
	if (strcmp(out->name, "x-user-defined") == 0)
		return cfs_charset_by_label(CFS_SLICE_LIT("windows-1252"), out);
	return true;
}

static bool by_mark(struct cfs_slice body, struct cfs_charset *out)
{
	static const struct {
		struct cfs_slice bytes;
		const char *label;
	} marks[] = {	/* that of UTF-32LE begins with that of UTF-16LE */
		{ { (const uint8_t *)"\xef\xbb\xbf", 3 }, "utf-8" },
		{ { (const uint8_t *)"\xff\xfe\0\0", 4 }, "utf-32le" },
		{ { (const uint8_t *)"\0\0\xfe\xff", 4 }, "utf-32be" },
		{ { (const uint8_t *)"\xff\xfe", 2 }, "utf-16le" },
		{ { (const uint8_t *)"\xfe\xff", 2 }, "utf-16be" },
		{ { (const uint8_t *)"<\0?\0x\0", 6 }, "utf-16le" },
		{ { (const uint8_t *)"\0<\0?\0x", 6 }, "utf-16be" },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (cfs_slice_starts(body, marks[i].bytes))
			return cfs_charset_by_label(
				cfs_slice_str(marks[i].label), out);
	return false;
}

static bool by_xml(struct cfs_slice body, struct cfs_charset *out)
{
	struct cfs_slice s = cfs_slice_sub(body, 0, CFS_PRESCAN_BYTES);
	ptrdiff_t at;

	if (!cfs_slice_starts(s, CFS_SLICE_LIT("<?xml")))
		return false;
	at = cfs_slice_find(s, '>');
	if (at < 0)
		return false;
	s = cfs_slice_sub(s, 0, (size_t)at);
	at = cfs_slice_search(s, CFS_SLICE_LIT("encoding"));
	if (at < 0)
		return false;
	s = cfs_skip_spaces(cfs_slice_from(s, (size_t)at + 8));
	if (s.n == 0 || s.p[0] != '=')
		return false;
	s = cfs_skip_spaces(cfs_slice_from(s, 1));
	return by_ascii_label(cfs_charset_quoted(s), out);
}

/* -- <meta> -- */

/* The standard's "get an attribute": takes one off the front of *s.  False at
 * the end of the tag; also if the bytes end first, with *s empty. */
static bool take_attr(struct cfs_slice *s, struct cfs_slice *name,
		      struct cfs_slice *value)
{
	struct cfs_slice t = *s;
	ptrdiff_t end;
	size_t n = 0;

	*value = CFS_SLICE_EMPTY;
	while (t.n > 0 && (cfs_is_space(t.p[0]) || t.p[0] == '/'))
		t = cfs_slice_from(t, 1);
	*s = t;
	if (t.n == 0 || t.p[0] == '>')
		return false;
	while (n < t.n && !cfs_is_space(t.p[n]) && t.p[n] != '/' &&
	       t.p[n] != '>' && !(t.p[n] == '=' && n > 0))
		n++;
	*name = cfs_slice_take(s, n);
	t = cfs_skip_spaces(*s);
	if (t.n == 0 || t.p[0] != '=') {
		*s = t;
		return t.n > 0;
	}
	t = cfs_skip_spaces(cfs_slice_from(t, 1));
	if (t.n > 0 && (t.p[0] == '"' || t.p[0] == '\'')) {
		end = cfs_slice_find(cfs_slice_from(t, 1), t.p[0]);
		*value = cfs_slice_sub(t, 1, end < 0 ? 0 : (size_t)end);
		n = end < 0 ? t.n : (size_t)end + 2;
	} else {
		for (n = 0; n < t.n && !cfs_is_space(t.p[n]) && t.p[n] != '>';)
			n++;
		*value = cfs_slice_sub(t, 0, n);
	}
	*s = cfs_slice_from(t, n);
	return s->n > 0;
}

/* Reads the attributes of a <meta>, and moves *s behind them.  Of attributes
 * with the same name the first counts. */
static bool by_meta_tag(struct cfs_slice *s, struct cfs_charset *out)
{
	struct cfs_slice name, value, label = CFS_SLICE_EMPTY;
	bool seen_pragma = false, seen_charset = false, seen_content = false;
	bool is_pragma = false;

	while (take_attr(s, &name, &value)) {
		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("http-equiv"))) {
			if (!seen_pragma)
				is_pragma = cfs_slice_eq_nocase(value,
					CFS_SLICE_LIT("content-type"));
			seen_pragma = true;
		} else if (cfs_slice_eq_nocase(name,
					       CFS_SLICE_LIT("charset"))) {
			if (!seen_charset)
				label = value;
			seen_charset = true;
		} else if (cfs_slice_eq_nocase(name,
					       CFS_SLICE_LIT("content"))) {
			if (!seen_content && !seen_charset)
				label = cfs_charset_param(value);
			seen_content = true;
		}
	}
	if (s->n == 0)		/* truncated: not a tag */
		return false;
	return (seen_charset || is_pragma) && by_ascii_label(label, out);
}

static struct cfs_slice after(struct cfs_slice s, ptrdiff_t at, size_t n)
{
	return at < 0 ? CFS_SLICE_EMPTY : cfs_slice_from(s, (size_t)at + n);
}

/* True if s, the text behind "<" or "</", names an element of <head>. */
static bool is_head_name(struct cfs_slice s)
{
	size_t n = cfs_slice_run(s, cfs_is_alpha);

	return n < s.n && cfs_slice_in_words(cfs_slice_sub(s, 0, n),
		"html head title meta link script style base noscript template "
		"basefont bgsound object");
}

/* Skips the text inside <script> and the like, of which `tag` is the start tag
 * and s the bytes behind it: past the first window, tags in it do not count. */
static struct cfs_slice skip_raw_text(struct cfs_slice tag, struct cfs_slice s)
{
	static const char *const names[][2] = {
		{ "<script", "</script" }, { "<style", "</style" },
		{ "<title", "</title" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cfs_slice_starts_nocase(tag, cfs_slice_str(names[i][0])))
			return after(s, cfs_slice_search_nocase(
				s, cfs_slice_str(names[i][1])), 0);
	return s;
}

/* Skips one tag or the like at the start of *s, which begins with '<'.  True if
 * it was a <meta> that names a charset.  Past the first window, *s is empty
 * at the end of <head>. */
static bool prescan_tag(struct cfs_slice *s, bool in_window,
			struct cfs_charset *out)
{
	struct cfs_slice t = *s, name, value;
	size_t n = t.n > 1 && t.p[1] == '/' ? 2 : 1;

	if (cfs_slice_starts(t, CFS_SLICE_LIT("<!--"))) {
		/* "<!-->" is a complete comment: both ends share the dashes */
		t = cfs_slice_from(t, 2);
		*s = after(t, cfs_slice_search(t, CFS_SLICE_LIT("-->")), 3);
		return false;
	}
	if (t.n <= n || !cfs_is_alpha(t.p[n])) {
		if (t.n > 1 &&
		    (t.p[1] == '!' || t.p[1] == '/' || t.p[1] == '?'))
			*s = after(t, cfs_slice_find(t, '>'), 1);
		else
			*s = cfs_slice_from(t, 1);
		return false;
	}
	if (cfs_slice_starts_nocase(t, CFS_SLICE_LIT("<meta")) && t.n > 5 &&
	    (cfs_is_space(t.p[5]) || t.p[5] == '/')) {
		*s = cfs_slice_from(t, 5);
		return by_meta_tag(s, out);
	}
	if (!in_window &&
	    (!is_head_name(cfs_slice_from(t, n)) ||
	     cfs_slice_starts_nocase(t, CFS_SLICE_LIT("</head")))) {
		*s = CFS_SLICE_EMPTY;
		return false;
	}
	while (n < t.n && !cfs_is_space(t.p[n]) && t.p[n] != '>')
		n++;
	*s = cfs_slice_from(t, n);
	while (take_attr(s, &name, &value))
		;
	if (!in_window)
		*s = skip_raw_text(t, *s);
	return false;
}

static bool by_meta(struct cfs_slice body, struct cfs_charset *out)
{
	struct cfs_slice s = cfs_slice_sub(body, 0, CFS_PRESCAN_HEAD_BYTES);
	const uint8_t *start = s.p;

	while (s.n > 0) {
		ptrdiff_t at = cfs_slice_find(s, '<');

		if (at < 0)
			break;
		s = cfs_slice_from(s, (size_t)at);
		if (prescan_tag(&s, s.p - start < CFS_PRESCAN_BYTES, out))
			return true;
	}
	return false;
}

bool cfs_charset_declared(struct cfs_slice body, bool is_html,
			  struct cfs_charset *out)
{
	return by_mark(body, out) || (is_html && by_meta(body, out)) ||
	       by_xml(body, out);
}
