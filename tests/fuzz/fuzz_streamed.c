/* fuzz_streamed.c - a page of HTML whose segments are moved: the page gets no
 * longer, and no byte of it comes twice, since each stretch is copied once; and
 * what is complete stays as it is.  A page that is shown differs in blanks only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "base/utf8.h"
#include "html/hidden.h"
#include "html/outline.h"

/* How often each byte is there: none may be there more often than before. */
static void count(struct cfs_slice s, size_t n[256])
{
	for (size_t i = 0; i < s.n; i++)
		n[s.p[i]]++;
}

static bool unstream(struct cfs_slice page, struct cfs_buf *out)
{
	bool moved;

	cfs_buf_init(out, page.n);
	if (cfs_html_unstream(page, out, &moved, NULL) != CFS_OK)
		abort();
	if (moved ? out->failed != CFS_OK : out->n > 0)
		abort();
	return moved;
}

static void unhide(struct cfs_slice page)
{
	struct cfs_buf out;
	bool shown;

	cfs_buf_init(&out, page.n);
	if (cfs_html_unhide(page, &out, &shown, NULL) != CFS_OK ||
	    out.n != (shown ? page.n : 0))
		abort();
	for (size_t i = 0; i < out.n; i++)
		if (out.p[i] != page.p[i] && out.p[i] != ' ')
			abort();
	cfs_buf_release(&out);
}

FUZZ_TARGET(data, n)
{
	struct cfs_slice page = cfs_slice_of(data, n);
	size_t before[256] = { 0 }, after[256] = { 0 };
	struct cfs_buf out;

	if (!cfs_utf8_is_valid(page))
		return 0;
	unhide(page);
	if (unstream(page, &out)) {
		count(page, before);
		count(cfs_buf_slice(&out), after);
		for (unsigned i = 0; i < 256; i++)
			if (after[i] > before[i])
				abort();
	}
	cfs_buf_release(&out);
	return 0;
}
