/* fuzz_html.c - the HTML tokenizer and a slow second reading of the standard
 * (tests/html/slow.c) find the same tokens.
 *
 * The first byte chooses where the document begins.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "base/utf8.h"
#include "tests/html/slow.h"

FUZZ_TARGET(data, size)
{
	static const char *const last[] = { "", "title", "script", "x" };
	struct cfs_slice s = cfs_slice_of(data, size);
	struct cfs_buf fast, slow;
	unsigned how;

	if (size == 0)
		return 0;
	how = data[0];
	s = cfs_slice_from(s, 1);
	/* attributes beyond the limit are left out by one of the two */
	if (!cfs_utf8_is_valid(s) || s.n > 2 * CFS_HTML_ATTRS_MAX)
		return 0;
	cfs_buf_init(&fast, SIZE_MAX / 2);
	cfs_buf_init(&slow, SIZE_MAX / 2);
	fast_dump(s, how % 6, last[how / 6 % 4], how / 24 % 2, &fast);
	slow_dump(s, how % 6, last[how / 6 % 4], how / 24 % 2, &slow);
	if (!cfs_slice_eq(cfs_buf_slice(&fast), cfs_buf_slice(&slow))) {
		fprintf(stderr, "state %u\nfast:\n%.*s\nslow:\n%.*s\n", how,
			(int)fast.n, (const char *)fast.p, (int)slow.n,
			(const char *)slow.p);
		abort();
	}
	cfs_buf_release(&fast);
	cfs_buf_release(&slow);
	return 0;
}
