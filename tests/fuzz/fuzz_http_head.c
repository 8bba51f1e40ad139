/* fuzz_http_head.c - heads of any bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_record.h"
#include "record/http_head.h"

FUZZ_TARGET(data, size)
{
	struct cfs_slice in = cfs_slice_of(size > 0 ? data : (const uint8_t *)"",
					   size), rest = in, line;
	struct cfs_fields f;
	bool complete;
	size_t n;

	n = cfs_head_length(in, &complete);
	if (n > in.n || (complete && (n < 2 || in.p[n - 1] != '\n')))
		abort();
	if (cfs_head_fields(cfs_slice_sub(in, 0, n), &f) != CFS_OK ||
	    f.n > CFS_HEAD_FIELDS_MAX)
		abort();
	fuzz_fields(&f, in);
	for (size_t i = 0; i < f.n && i < 64; i++) {
		struct cfs_slice v = cfs_fields_get(&f, "content-length", NULL);

		fuzz_slice(v, in, false);
	}
	cfs_http_is_response(in);
	n = cfs_http_interim_bytes(in);
	if (n > in.n || (n > 0 && !cfs_http_is_response(cfs_slice_from(in, n))))
		abort();
	while (cfs_head_line(&rest, &line))
		if (cfs_http_status(line) > 999)
			abort();
	cfs_fields_release(&f);
	return 0;
}
