/* fuzz_arc.c - ARC records of any bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_record.h"

FUZZ_TARGET(data, size)
{
	struct cfs_slice in = cfs_slice_of(size > 0 ? data : (const uint8_t *)"",
					   size);

	fuzz_record(in, 0);
	fuzz_record(in, CFS_PARSE_HEAD_ONLY | CFS_PARSE_COMMON_CRAWL);
	return 0;
}
