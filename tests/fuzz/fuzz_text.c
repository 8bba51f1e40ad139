/* fuzz_text.c - any bytes as a document: the .txt view is valid UTF-8.
 *
 * The first byte chooses the Content-Type.  The outline of what is UTF-8 is
 * checked too: values are UTF-8, and each end has its start.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "view/charset.h"
#include "html/outline.h"
#include "view/view.h"

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	for (unsigned i = 0; i < el->token->n_attrs; i++)
		if (!cfs_utf8_is_valid(cfs_html_el_attr(el, i).value))
			abort();
	return ++*(unsigned *)arg % 7 != 0;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	(void)el;
	++*(unsigned *)arg;
}

static void on_text(void *arg, struct cfs_slice s)
{
	(void)arg;
	if (!cfs_utf8_is_valid(s))
		abort();
}

/* A formula may stand between dollars: it has none, and is one line. */
static void on_formula(void *arg, struct cfs_slice tex, bool is_display)
{
	(void)is_display;
	on_text(arg, tex);
	if (tex.n == 0 || cfs_slice_find(tex, '\n') >= 0)
		abort();
	for (size_t i = 0; i < tex.n; i++) {
		if (tex.p[i] == '\\')
			i++;
		else if (tex.p[i] == '$')
			abort();
		if (i >= tex.n)
			abort();
	}
}

FUZZ_TARGET(data, size)
{
	static const char *const types[] = {
		"text/html", "text/html; charset=utf-8", "text/plain",
		"text/html; charset=gbk", "text/html; charset=iso-2022-jp",
		"application/xhtml+xml", "text/html; charset=utf-16",
	};
	unsigned events = 0, type = size > 0 ? data[0] % 8u : 7;
	struct cfs_html_sink sink = { on_start, on_end, on_text, &events,
				      on_formula };
	struct cfs_field field = { CFS_SLICE_LIT("Content-Type"),
				   CFS_SLICE_EMPTY };
	struct cfs_record r = { .format = CFS_ARCHIVE_WARC,
				.type = CFS_RECORD_RESPONSE, .has_http = true };
	struct cfs_view_input in = { .record = &r };
	struct cfs_view_opts opts = { 0 };
	struct cfs_buf out;

	if (type < 7) {
		field.value = cfs_slice_str(types[type]);
		r.http = (struct cfs_fields){ &field, 1 };
	}
	r.body = cfs_slice_from(cfs_slice_of(data, size), 1);
	cfs_buf_init(&out, (size_t)1 << 28);
	if (cfs_view_render(CFS_VIEW_TEXT, &in, &opts, &out,
			    CFS_CTX(NULL, NULL)) != CFS_OK)
		abort();
	if (!cfs_utf8_is_valid(cfs_buf_slice(&out)))
		abort();
	cfs_buf_release(&out);
	if (cfs_utf8_is_valid(r.body))
		cfs_html_outline(r.body, &sink, CFS_CTX(NULL, NULL));
	return 0;
}
