/* fuzz_answer.c - heads of HTTP answers, and URLs of any bytes.
 *
 * The first byte says which; heads then have offset and length in two bytes
 * each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "net/answer.h"
#include "net/location.h"

static void head(struct cfs_slice in)
{
	struct cfs_answer a = { .status = 0 };
	struct cfs_verdict v;
	uint64_t off, n;

	if (in.n < 4)
		return;
	off = cfs_le16_get(in.p);
	n = (uint64_t)cfs_le16_get(in.p + 2) + 1;
	in = cfs_slice_from(in, 4);
	while (in.n > 0) {
		ptrdiff_t nl = cfs_slice_find(in, '\n');
		size_t line = nl < 0 ? in.n : (size_t)nl + 1;

		if (!cfs_answer_line(&a, cfs_slice_sub(in, 0, line), 1000))
			return;
		in = cfs_slice_from(in, line);
	}
	cfs_answer_judge(&a, off, n, "http://h/x.gz", &v);
	if (v.kind == CFS_VERDICT_BYTES && v.body != UINT64_MAX && v.body > n)
		abort();
	/* the part begins where it is said to, and has the byte at off; what
	 * is missing of it lies behind the object's end or is asked for */
	if (v.kind == CFS_VERDICT_BYTES && a.status == 206 &&
	    (a.first + v.skip != off || v.skip > CFS_ANSWER_SKIP_MAX ||
	     v.body == 0 ||
	     (v.body < n && !v.is_short && off + v.body != v.total)))
		abort();
	if (v.kind > CFS_VERDICT_END && (v.text[0] == '\0' || v.code >= 0))
		abort();
}

static void url(struct cfs_slice in)
{
	char *text = strndup((const char *)in.p, in.n);
	struct cfs_location loc, again;
	struct cfs_buf a, b;

	if (text == NULL)
		abort();
	cfs_buf_init(&a, 4 * CFS_LOCATION_MAX);
	cfs_buf_init(&b, 4 * CFS_LOCATION_MAX);
	cfs_location_folder(text);
	if (cfs_location_parse(&loc, text, NULL) == CFS_OK) {
		cfs_location_common_crawl(&loc, &b);
		cfs_buf_reset(&b);
		if (loc.scheme != CFS_LOC_S3)
			cfs_location_canonical(&loc, &a);
		/* the canonical form is its own canonical form */
		if (a.n > 0 && cfs_location_parse(&again, cfs_buf_str(&a),
						  NULL) == CFS_OK) {
			cfs_location_canonical(&again, &b);
			if (!cfs_slice_eq(cfs_buf_slice(&a), cfs_buf_slice(&b)))
				abort();
		}
	}
	cfs_buf_release(&a);
	cfs_buf_release(&b);
	free(text);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice in;

	if (size == 0)
		return 0;
	in = cfs_slice_of(data + 1, size - 1);
	if (data[0] % 3 == 0)
		head(in);
	else
		url(in);
	return 0;
}
