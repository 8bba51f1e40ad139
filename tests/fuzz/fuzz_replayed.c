/* fuzz_replayed.c - any bytes as an archived page: written anew for a frame it
 * has no element that runs or loads anything, no handler, and no address but
 * the server's, and is not longer than its limits allow.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "markup/tokenizer.h"
#include "serve/replayed.h"

#define PREFIX "/crawls"

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

static void check_attribute(struct cfs_slice name, struct cfs_slice value)
{
	static const char *const addresses[] = { "href", "src", "poster",
						 "background" };
	static const char *const never[] = { "srcset", "action", "formaction",
					     "data", "http-equiv", "srcdoc" };

	must(!cfs_slice_starts(name, CFS_SLICE_LIT("on")));
	for (unsigned i = 0; i < 6; i++)
		must(!cfs_slice_eq(name, cfs_slice_str(never[i])));
	for (unsigned i = 0; i < 4; i++)
		if (cfs_slice_eq(name, cfs_slice_str(addresses[i])))
			must(cfs_slice_starts(value, CFS_SLICE_LIT("#")) ||
			     cfs_slice_starts(value,
					      CFS_SLICE_LIT(PREFIX "/web/")) ||
			     cfs_slice_starts(value,
					      CFS_SLICE_LIT(PREFIX "/search")));
}

static void check_tag(const struct cfs_html_token *t)
{
	struct cfs_buf name, value;

	must(t->tag != CFS_TAG_OTHER && t->tag != CFS_TAG_SCRIPT &&
	     t->tag != CFS_TAG_IFRAME && t->tag != CFS_TAG_OBJECT &&
	     t->tag != CFS_TAG_EMBED && t->tag != CFS_TAG_FORM &&
	     t->tag != CFS_TAG_BASE && t->tag != CFS_TAG_META &&
	     t->tag != CFS_TAG_SVG && t->tag != CFS_TAG_MATH &&
	     t->tag != CFS_TAG_FRAME && t->tag != CFS_TAG_APPLET);
	for (unsigned i = 0; i < t->n_attrs; i++) {
		cfs_buf_init(&name, 1 << 24);
		cfs_buf_init(&value, 1 << 24);
		cfs_html_name(t->attrs[i].name, &name);
		cfs_html_value(t->attrs[i].value, &value);
		check_attribute(cfs_buf_slice(&name), cfs_buf_slice(&value));
		cfs_buf_release(&name);
		cfs_buf_release(&value);
	}
}

static void check_page(struct cfs_slice page)
{
	struct cfs_html_tokenizer *z = malloc(sizeof(*z));
	const struct cfs_html_token *t;

	must(z != NULL);
	cfs_html_begin(z, page);
	do {
		t = cfs_html_next(z);
		if (t->type == CFS_HTML_START) {
			check_tag(t);
			cfs_html_follow(z, t->tag);
		}
	} while (t->type != CFS_HTML_EOF);
	free(z);
}

FUZZ_TARGET(data, size)
{
	static char prefix[] = PREFIX;
	struct cfs_site site = { .prefix = prefix };
	struct cfs_replayed r = { .site = &site,
		.url = CFS_SLICE_LIT("http://example.com/a/b?c") };
	struct cfs_buf utf8, out;

	if (size == 0)
		return 0;
	r.time = (data[0] & 1) != 0 ? 1341699469 : 0;
	cfs_buf_init(&utf8, 1 << 24);
	cfs_buf_init(&out, 1 << 26);
	for (size_t i = 1; i < size; i++)	/* the input is UTF-8 */
		cfs_buf_addc(&utf8, data[i] < 0x80 ? (char)data[i] : '?');
	must(cfs_replayed_write(&out, &r, cfs_buf_slice(&utf8),
				CFS_CTX(NULL, NULL)) == CFS_OK);
	must(out.failed == CFS_OK);
	must(out.n <= 4096 + (size_t)200 * size);
	check_page(cfs_buf_slice(&out));
	cfs_buf_release(&out);
	cfs_buf_release(&utf8);
	return 0;
}
