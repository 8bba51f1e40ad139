/* view_alloc_test.c - the 1st, 2nd, 3rd ... allocation fails while .meta and the
 * texts are made: CFS_ENOMEM, or the same bytes where it could do without; and nothing
 * leaked (ASan looks on).
 *
 * The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_fixture.h"
#include "alloc_fail.h"

#define PROSE "The harbour was built in the years before the railway came, " \
	      "and its walls are of a stone that nobody has found since."

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
	{ "paragraphs and lists", "text/html", "<title>T</title><article><h1>T"
	  "</h1><p>" PROSE "<p>two <a href=a title='b \"c\"'>three</a> <code>"
	  "four``</code> " PROSE "<ul><li>a<ol><li>b<p>" PROSE "</ol></ul>"
	  "<blockquote>" PROSE "<ul><li>c</ul></blockquote><dl><dt>d<dd>e</dl>"
	  "<h2>end</h2><p>" PROSE "</article>" },
	{ "tables, code, figures", "text/html", "<article><h1>T</h1><p>" PROSE
	  "<table><caption>c " PROSE "</caption><tr><th>a<th>b<tr><td>" PROSE
	  "<td><ul><li>x<li>y</ul></table><pre class=language-c>" PROSE "\n\n  "
	  PROSE "</pre><figure><a href=l><img src=i alt=x></a><figcaption>"
	  PROSE "</figcaption></figure><p>" PROSE "<math><mi>x</mi><mo>=</mo>"
	  "<mfrac><mn>1</mn><mn>2</mn></mfrac></math></article>" },
};

static const enum cfs_view views[] = { CFS_VIEW_META, CFS_VIEW_TEXT,
				       CFS_VIEW_MARKDOWN, CFS_VIEW_MAIN };

static int render(const struct fixture *f, enum cfs_view view,
		  struct cfs_buf *out)
{
	struct cfs_view_opts opts = { .meta_compact = false };

	cfs_buf_init(out, (size_t)1 << 24);
	return cfs_view_render(view, &f->in, &opts, out,
			       CFS_CTX(NULL, NULL));
}

static void check_view(const struct doc_case *tc, enum cfs_view view)
{
	struct cfs_buf want, got;
	struct fixture f;
	long k, last, n_failed = 0;
	int rc;

	fixture_page(&f, tc->type, tc->body, strlen(tc->body));
	assert_int_equal(render(&f, view, &want), CFS_OK);
	for (k = 0; ; k++) {
		countdown = k;
		rc = render(&f, view, &got);
		last = countdown;
		countdown = -1;
		if (rc == CFS_OK &&
		    !cfs_slice_eq(cfs_buf_slice(&got), cfs_buf_slice(&want)))
			fail_msg("view %d, %ld: got\n%.*s\nin place of\n%.*s",
				 view, k, (int)got.n, (const char *)got.p,
				 (int)want.n, (const char *)want.p);
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		n_failed += rc != CFS_OK;
		cfs_buf_release(&got);
		if (last >= 0)
			break;	/* none failed */
	}
	cfs_buf_release(&want);
	assert_true(n_failed > 0);
}

static void doc_case(void **state)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		check_view(*state, views[i]);
}

UNIT_PROGRAM
{
	UNIT_ROWS(docs, doc_case);
	return unit_run("view_alloc");
}
