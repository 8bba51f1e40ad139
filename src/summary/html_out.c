/* html_out.c - forms, text and figures in pages (see html_out.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "html_out.h"

#include <inttypes.h>

#include "base/hex.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "base/utf8.h"

/* ---- text ---------------------------------------------------------------- */

static void html_char(struct cfs_buf *out, uint32_t c)
{
	switch (c) {
	case '&': cfs_buf_adds(out, "&amp;"); break;
	case '<': cfs_buf_adds(out, "&lt;"); break;
	case '>': cfs_buf_adds(out, "&gt;"); break;
	case '"': cfs_buf_adds(out, "&quot;"); break;
	case '\'': cfs_buf_adds(out, "&#39;"); break;
	default: cfs_utf8_add(out, c); break;
	}
}

/* Takes a character off the front of *s. */
static uint32_t take_char(struct cfs_slice *s)
{
	uint32_t c = CFS_UTF8_REPLACEMENT;
	size_t n = cfs_utf8_decode(*s, &c);

	*s = cfs_slice_from(*s, n > 0 ? n : 1);
	if (n == 0 || (cfs_text_is_unshowable(c) && c != '\n' && c != '\t'))
		return CFS_UTF8_REPLACEMENT;
	return c;
}

/* True for what stays as it is. */
static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c < 0x7f && c != '&' && c != '<' && c != '>' &&
	       c != '"' && c != '\'';
}

void cfs_html_text(struct cfs_buf *out, struct cfs_slice s)
{
	while (s.n > 0) {
		size_t n = 0;

		while (n < s.n && is_plain(s.p[n]))
			n++;
		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n > 0)
			html_char(out, take_char(&s));
	}
}

static size_t count_chars(struct cfs_slice s)
{
	size_t n = 0;

	for (; s.n > 0; n++)
		take_char(&s);
	return n;
}

/* ---- parts --------------------------------------------------------------- */

static void add_text(struct cfs_buf *out, const struct cfs_html_part *p)
{
	cfs_html_text(out, p->text);
}

struct cfs_html_part cfs_html_of_slice(struct cfs_slice s)
{
	return (struct cfs_html_part){ .add = add_text, .text = s };
}

struct cfs_html_part cfs_html_of_buf(const struct cfs_buf *b)
{
	return cfs_html_of_slice(cfs_buf_slice(b));
}

struct cfs_html_part cfs_html_of_string(const char *s)
{
	return cfs_html_of_slice(cfs_slice_str(s));
}

static void add_uint(struct cfs_buf *out, const struct cfs_html_part *p)
{
	cfs_buf_addf(out, "%" PRIu64, p->n);
}

struct cfs_html_part cfs_html_of_uint(uint64_t n)
{
	return (struct cfs_html_part){ .add = add_uint, .n = n };
}

static void add_int(struct cfs_buf *out, const struct cfs_html_part *p)
{
	cfs_buf_addf(out, "%" PRId64, (int64_t)p->n);
}

struct cfs_html_part cfs_html_of_int(int64_t n)
{
	return (struct cfs_html_part){ .add = add_int, .n = (uint64_t)n };
}

static void add_literal(struct cfs_buf *out, const struct cfs_html_part *p)
{
	const struct cfs_html_part none = { .add = NULL };

	cfs_html_write(out, p->word, &none);
}

struct cfs_html_part cfs_html_literal(const char *literal)
{
	return (struct cfs_html_part){ .add = add_literal, .word = literal };
}

static void add_short(struct cfs_buf *out, const struct cfs_html_part *p)
{
	struct cfs_slice s = p->text;
	size_t n = count_chars(s);

	for (size_t i = 0; s.n > 0 && (n <= p->n || i + 1 < p->n); i++)
		html_char(out, take_char(&s));
	if (s.n > 0)
		cfs_buf_adds(out, "\u2026");
}

struct cfs_html_part cfs_html_short(struct cfs_slice s, size_t most)
{
	return (struct cfs_html_part){ .add = add_short, .text = s, .n = most };
}

static void add_end(struct cfs_buf *out, const struct cfs_html_part *p)
{
	struct cfs_slice s = p->text;
	size_t n = count_chars(s);

	if (n > p->n) {
		cfs_buf_adds(out, "\u2026");
		for (; n + 1 > p->n; n--)
			take_char(&s);
	}
	cfs_html_text(out, s);
}

struct cfs_html_part cfs_html_end_of(struct cfs_slice s, size_t most)
{
	return (struct cfs_html_part){ .add = add_end, .text = s, .n = most };
}

static void add_query(struct cfs_buf *out, const struct cfs_html_part *p)
{
	cfs_percent_encode(p->text, "-._/:", out);
}

struct cfs_html_part cfs_html_query(struct cfs_slice s)
{
	return (struct cfs_html_part){ .add = add_query, .text = s };
}

static void add_made(struct cfs_buf *out, const struct cfs_html_part *p)
{
	cfs_buf_add(out, p->text);
}

struct cfs_html_part cfs_html_made(struct cfs_slice html)
{
	return (struct cfs_html_part){ .add = add_made, .text = html };
}

static void add_figure(struct cfs_buf *out, const struct cfs_html_part *p)
{
	char figure[CFS_TEXT_FIGURE_BYTES];

	cfs_buf_adds(out, cfs_text_figure(p->n, figure));
}

struct cfs_html_part cfs_html_figure(uint64_t n)
{
	return (struct cfs_html_part){ .add = add_figure, .n = n };
}

static void add_count(struct cfs_buf *out, const struct cfs_html_part *p)
{
	add_figure(out, p);
	cfs_buf_addf(out, " %s%s", p->word, p->n == 1 ? "" : "s");
}

struct cfs_html_part cfs_html_count(uint64_t n, const char *word)
{
	return (struct cfs_html_part){ .add = add_count, .n = n, .word = word };
}

static void add_size(struct cfs_buf *out, const struct cfs_html_part *p)
{
	char size[CFS_TEXT_SIZE_BYTES];

	cfs_buf_adds(out, cfs_text_size((double)p->n, size));
}

struct cfs_html_part cfs_html_size(uint64_t bytes)
{
	return (struct cfs_html_part){ .add = add_size, .n = bytes };
}

static void add_decimal(struct cfs_buf *out, const struct cfs_html_part *p)
{
	cfs_buf_addf(out, "%.*f", (int)p->n, p->number);
}

struct cfs_html_part cfs_html_decimal(double number, unsigned decimals)
{
	return (struct cfs_html_part){ .add = add_decimal, .number = number,
				       .n = decimals };
}

/* p->word: how much of it is shown. */
static void add_time(struct cfs_buf *out, const struct cfs_html_part *p)
{
	char iso[CFS_TIME_ISO_BYTES];

	if (p->n == 0)
		return;
	cfs_time_format_iso((int64_t)p->n, iso);
	cfs_buf_addf(out, "<time datetime=\"%s\">%.10s", iso, iso);
	if (p->word == NULL)
		cfs_buf_addf(out, " %.8s", iso + 11);
	cfs_buf_adds(out, "</time>");
}

struct cfs_html_part cfs_html_time(int64_t time)
{
	return (struct cfs_html_part){ .add = add_time, .n = (uint64_t)time };
}

struct cfs_html_part cfs_html_day(int64_t time)
{
	return (struct cfs_html_part){ .add = add_time, .n = (uint64_t)time,
				       .word = "day" };
}

/* ---- forms --------------------------------------------------------------- */

void cfs_html_write(struct cfs_buf *out, const char *form,
		    const struct cfs_html_part *parts)
{
	for (;; form++) {
		const char *begin = form;

		while (*form != '\0' && *form != '$' && *form != '\'')
			form++;
		cfs_buf_append(out, begin, (size_t)(form - begin));
		if (*form == '\0')
			break;
		if (*form == '\'') {
			cfs_buf_addc(out, '"');
		} else if (parts->add != NULL) {
			parts->add(out, parts);
			parts++;
		} else {
			out->failed = CFS_EUSAGE;
		}
	}
}

void cfs_html_open(struct cfs_buf *out, const char *mark, const char *more,
		   struct cfs_slice title)
{
	cfs_buf_adds(out, mark);
	CFS_HTML(out, "<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
		 "<meta name='viewport' content='width=device-width, "
		 "initial-scale=1'>\n"
		 "<meta name='color-scheme' content='light dark'>\n$"
		 "<title>$", cfs_html_made(cfs_slice_str(more)), title);
}
