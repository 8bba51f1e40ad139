/* meta_alloc_test.c - the 1st, 2nd, 3rd ... allocation fails while .meta is
 * made: CFS_ENOMEM, or the same bytes where it could do without; and nothing
 * leaked (ASan looks on).
 *
 * The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_fixture.h"
#include "alloc_fail.h"

struct doc_case {
	const char *name, *type, *body;
};

static struct doc_case docs[] = {
	{ "a page", "text/html; charset=windows-1252",
	  "<base href=//h/x/><title>T\x80</title><meta name=a content=b>"
	  "<a href=a title=t>1<b>2</b></a><img src=i><iframe src=j>k</iframe>" },
	{ "RSS", "application/rss+xml; charset=iso-8859-1",
	  "<rss xmlns:content='http://purl.org/rss/1.0/modules/content/'>"
	  "<channel><title>T\xe9</title><link>l</link><item><title>t</title>"
	  "<category>c</category><guid>g</guid><content:encoded>"
	  "&lt;a href=x>y&lt;/a></content:encoded></item></channel></rss>" },
	{ "Atom", "application/atom+xml; charset=utf-8",
	  "<feed xmlns='http://www.w3.org/2005/Atom'><author><name>n</name>"
	  "</author><entry><link href='a' title='b'/><link href='c'/>"
	  "<content type='html'>&lt;img src=x></content></entry></feed>" },
	/* Holds L15. */
	{ "no charset", "text/plain",	/* windows-1251: both detectors */
	  "\xcf\xf0\xe5\xea\xf0\xe0\xf1\xed\xfb\xe9 \xe4\xe5\xed\xfc, "
	  "\xf1\xea\xe0\xe7\xe0\xeb \xee\xed, \xe8 \xef\xee\xf8\xb8\xeb "
	  "\xe4\xee\xec\xee\xe9." },
	{ "text", "text/plain; charset=koi8-r", "\xf4\xc5\xcb\xd3\xd4" },
};

static int render(const struct fixture *f, struct cfs_buf *out)
{
	struct cfs_view_opts opts = { .meta_compact = false };

	cfs_buf_init(out, (size_t)1 << 24);
	return cfs_view_render(CFS_VIEW_META, &f->in, &opts, out,
			       CFS_CTX(NULL, NULL));
}

static void doc_case(void **state)
{
	const struct doc_case *tc = *state;
	struct cfs_buf want, got;
	struct fixture f;
	long k, last, n_failed = 0;
	int rc;

	fixture_page(&f, tc->type, tc->body, strlen(tc->body));
	assert_int_equal(render(&f, &want), CFS_OK);
	for (k = 0; ; k++) {
		countdown = k;
		rc = render(&f, &got);
		last = countdown;
		countdown = -1;
		if (rc == CFS_OK) {
			assert_int_equal(got.n, want.n);
			assert_memory_equal(got.p, want.p, want.n);
		} else {
			assert_int_equal(rc, CFS_ENOMEM);
			n_failed++;
		}
		cfs_buf_release(&got);
		if (last >= 0)
			break;	/* none failed */
	}
	cfs_buf_release(&want);
	assert_true(n_failed > 5);
}


UNIT_PROGRAM
{
	UNIT_ROWS(docs, doc_case);
	return unit_run("meta_alloc");
}
