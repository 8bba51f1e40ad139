/* fuzz_serve.c - what strangers send to the server: queries of the CDX server
 * and their expressions, ranges, hosts, dates, and bodies of PROPFIND.
 *
 * The first byte of an input says which.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "serve/cdx_server_internal.h"
#include "base/hex.h"
#include "serve/dav_internal.h"
#include "serve/ranges.h"
#include "serve/server_internal.h"

/* Time for expressions, so that those that explode do not slow the target. */
#define FUZZ_LEFT_NS 2000000

static void fuzz_query(struct cfs_slice in)
{
	struct cfs_cdx_query q;
	struct cfs_cdx_row row = { .v = { { in.p, in.n } } };
	struct cfs_buf out;
	bool passes;

	cfs_buf_init(&out, SIZE_MAX / 2);
	for (unsigned i = 0; i < CFS_CDX_KEYS; i++)
		row.v[i] = i % 3 == 0 ? CFS_SLICE_EMPTY : in;
	if (cfs_cdx_query_read(&q, in, true, NULL) == CFS_OK) {
		q.time.left_ns = FUZZ_LEFT_NS;
		cfs_cdx_row_passes(&row, &q, &passes, CFS_CTX(NULL, NULL));
		cfs_cdx_row_write(&row, &q, true, &out);
		cfs_cdx_row_end(&q, false, &out);
	}
	cfs_cdx_query_release(&q);
	cfs_buf_release(&out);
}

/* An expression, a line end, and a text. */
static void fuzz_pattern(struct cfs_slice in)
{
	struct cfs_slice pattern = cfs_slice_split(&in, '\n');
	struct cfs_pattern_time time = { .left_ns = INT64_MAX / 2 };
	struct cfs_pattern *p;
	bool begins, is;

	if (cfs_pattern_new(&p, pattern, &time, NULL) != CFS_OK)
		return;
	time.left_ns = FUZZ_LEFT_NS;
	/* a text that matches as a whole has a beginning that matches */
	if (cfs_pattern_matches(p, in, true, &time, &is,
				CFS_CTX(NULL, NULL)) == CFS_OK && is &&
	    cfs_pattern_matches(p, in, false, &time, &begins,
				CFS_CTX(NULL, NULL)) == CFS_OK && !begins)
		abort();
	cfs_pattern_free(p);
}

/* Each field alone, and all of them: none gives another status than its own. */
static void fuzz_conditions(struct cfs_slice in, struct cfs_slice other)
{
	static const struct cfs_validators v = { .tag = "\"a\"",
						 .time = 784111777 };
	const struct cfs_preconditions all = { in, other, in, other, true };
	const struct cfs_preconditions match = { .if_match = in };
	const struct cfs_preconditions none = { .if_none_match = in,
						.is_get = true };
	const struct cfs_preconditions since = { .if_modified_since = in };

	cfs_condition_status(&v, &all);
	if (cfs_condition_status(&v, &match) == 304 ||
	    cfs_condition_status(&v, &none) == 412 ||
	    cfs_condition_status(&v, &since) != 0)
		abort();
}

static void fuzz_range(struct cfs_slice in)
{
	struct cfs_slice size_text = cfs_slice_split(&in, '\n');
	uint64_t size = 0, from = 0, bytes = 0;
	struct cfs_validators v = { .tag = "\"a\"", .time = 784111777 };

	(void)cfs_slice_parse_u64(size_text, UINT64_MAX, &size);
	if (cfs_range_read(in, size, &from, &bytes) == CFS_RANGE_PART &&
	    (bytes == 0 || from >= size || bytes > size - from))
		abort();
	fuzz_conditions(in, size_text);
	cfs_range_counts(&v, in);
	cfs_dav_depth(in);
}

static void fuzz_gate(struct cfs_slice in)
{
	struct cfs_exchange x = { .method = CFS_METHOD_GET };
	struct cfs_buf out;

	cfs_buf_init(&out, SIZE_MAX / 2);
	if (cfs_gate_split(&x, in) && x.path.p[0] != '/')
		abort();
	if (in.n > 0)
		cfs_gate_is_own_host(in, "h", "http://b/");
	cfs_percent_decode(in, true, &out);
	cfs_path_encode(in, &out);
	CFS_HTML(&out, "$$$", in, cfs_dav_text(in), cfs_dav_href(in));
	cfs_buf_release(&out);
}

FUZZ_TARGET(data, n)
{
	struct cfs_slice in = cfs_slice_of(data, n);
	struct cfs_dav_wanted w;

	if (n == 0)
		return 0;
	in = cfs_slice_from(in, 1);
	switch (data[0] % 5) {
	case 0:
		fuzz_query(in);
		break;
	case 1:
		fuzz_pattern(in);
		break;
	case 2:
		fuzz_range(in);
		break;
	case 3:
		fuzz_gate(in);
		break;
	default:
		cfs_dav_wanted_read(&w, in, NULL);
		cfs_dav_wanted_release(&w);
		break;
	}
	return 0;
}
