/* html_out.c - text and figures in pages (see html_out.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "html_out.h"

#include "base/text.h"
#include "base/utf8.h"

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

void cfs_html_text(struct cfs_buf *out, struct cfs_slice s)
{
	while (s.n > 0)
		html_char(out, take_char(&s));
}

void cfs_html_short(struct cfs_buf *out, struct cfs_slice s, size_t most,
		    bool keeps_end)
{
	struct cfs_slice rest = s;
	size_t n = 0;

	for (; rest.n > 0; n++)
		take_char(&rest);
	if (n > most && keeps_end) {
		cfs_buf_adds(out, "\u2026");
		for (; n + 1 > most; n--)
			take_char(&s);
	}
	for (size_t i = 0; s.n > 0 && (n <= most || i + 1 < most); i++)
		html_char(out, take_char(&s));
	if (s.n > 0)
		cfs_buf_adds(out, "\u2026");
}

void cfs_html_open(struct cfs_buf *out, const char *mark, const char *more,
		   struct cfs_slice title)
{
	cfs_buf_addf(out, "%s<html lang=\"en\">\n<head>\n"
		     "<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, "
		     "initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n"
		     "%s<title>", mark, more);
	cfs_html_text(out, title);
}

void cfs_html_figure(struct cfs_buf *out, uint64_t n)
{
	char figure[CFS_TEXT_FIGURE_BYTES];

	cfs_buf_adds(out, cfs_text_figure(n, figure));
}

void cfs_html_size(struct cfs_buf *out, uint64_t bytes)
{
	char size[CFS_TEXT_SIZE_BYTES];

	cfs_buf_adds(out, cfs_text_size((double)bytes, size));
}
