/* fuzz_jsonpick.c - any bytes for JSON: what is picked lies in them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "codec/json.h"

FUZZ_TARGET(data, size)
{
	static const char *const paths[] = { "a", "a/b", "a/b/c", "attempt_time",
		"archiveInfo/arcFileOffset",
		"Envelope/WARC-Header-Metadata/WARC-Type",
		"Envelope/Payload-Metadata/HTTP-Response-Metadata/"
		"Response-Message/Status" };
	struct cfs_slice in = cfs_slice_of(size > 0 ? data :
					   (const uint8_t *)"", size);
	struct cfs_slice v[7];

	cfs_json_pick(in, paths, 7, v);
	for (unsigned i = 0; i < 7; i++)
		if (v[i].n > 0 && (v[i].p < in.p || v[i].p + v[i].n > in.p + in.n))
			abort();
	return 0;
}
