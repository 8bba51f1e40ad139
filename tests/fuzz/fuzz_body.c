/* fuzz_body.c - encodings of any bytes.  The first byte chooses them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_record.h"
#include "record/body.h"

FUZZ_TARGET(data, size)
{
	static const char *const te[] = { "", "chunked", "gzip, chunked" };
	static const char *const ce[] = { "", "gzip", "deflate", "br",
		"gzip, deflate, br", "x-gzip,gzip", "identity" };
	struct cfs_body_result res;
	struct cfs_field v[2];
	struct cfs_fields f = { v, 2 };
	struct cfs_slice in;
	uint8_t how;
	int rc;

	if (size == 0)
		return 0;
	how = data[0];
	in = cfs_slice_of(data + 1, size - 1);
	v[0] = (struct cfs_field){ cfs_slice_str("transfer-encoding"),
				   cfs_slice_str(te[how % 3]) };
	v[1] = (struct cfs_field){ cfs_slice_str("Content-Encoding"),
				   cfs_slice_str(ce[how / 3 % 7]) };
	rc = cfs_body_decode(in, &f, how >= 128, FUZZ_MAX_BODY, NULL, &res,
			     NULL);
	if (rc != CFS_OK && (rc != CFS_ELIMIT || res.own.p != NULL))
		abort();
	if (rc == CFS_OK && res.own.p != NULL) {
		fuzz_slice(cfs_buf_slice(&res.own), in, false);
		if (res.own.n > FUZZ_MAX_BODY || !cfs_body_may_decode(in, &f))
			abort();
	}
	cfs_buf_release(&res.own);
	return 0;
}
