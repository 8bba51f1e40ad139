/* fuzz_meta.c - any bytes as a record, a page or a feed: .meta is valid JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <jansson.h>
#include <stdlib.h>

#include "fuzz.h"
#include "record/parse.h"
#include "view/view.h"

static void render(const struct cfs_view_input *in, bool compact)
{
	struct cfs_view_opts opts = { .meta_compact = compact };
	struct cfs_buf out;
	json_t *v;

	cfs_buf_init(&out, (size_t)1 << 28);
	if (cfs_view_render(CFS_VIEW_META, in, &opts, &out,
			    CFS_CTX(NULL, NULL)) != CFS_OK)
		abort();
	v = json_loadb((const char *)out.p, out.n, JSON_REJECT_DUPLICATES, NULL);
	if (v == NULL || out.p[out.n - 1] != '\n')
		abort();
	json_decref(v);
	out.n = 0;
	if (cfs_view_render(CFS_VIEW_HEADERS, in, &opts, &out,
			    CFS_CTX(NULL, NULL)) != CFS_OK)
		abort();
	cfs_buf_release(&out);
}

FUZZ_TARGET(data, size)
{
	static const char *const types[] = {
		"text/html", "application/rss+xml",
		"application/atom+xml; charset=utf-8",
	};
	struct cfs_record_limits limits = { .max_body_bytes = 1 << 24 };
	struct cfs_slice bytes = cfs_slice_of(data, size);
	struct cfs_field field = { CFS_SLICE_LIT("Content-Type"),
				   CFS_SLICE_LIT("text/html") };
	struct cfs_record r = { 0 };
	struct cfs_view_input in = {
		.record = &r, .url = CFS_SLICE_LIT("http://a/b?c"),
		.archive_name = CFS_SLICE_LIT("segment/1/2_3.arc.gz"),
	};

	if (cfs_record_parse(&r, bytes, 0, &limits, NULL, NULL) == CFS_OK) {
		render(&in, false);
		render(&in, true);
	}
	cfs_record_release(&r);

	r = (struct cfs_record){ .format = CFS_ARCHIVE_ARC,
				 .type = CFS_RECORD_ARC, .has_http = true,
				 .status = 200, .http = { &field, 1 },
				 .body = bytes, .stored_body = bytes,
				 .url = CFS_SLICE_LIT("http://a/b/c") };
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		field.value = cfs_slice_str(types[i]);
		render(&in, i % 2 == 0);
	}
	return 0;
}
