/* fuzz_gzmember.c - gzip members: the fast way and the slow way agree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "codec/gzip.h"
#include "codec/zstd.h"
#include "record/members.h"

#define MAX_OUT (1u << 20)

/* Inflates the first member in pieces; returns how it ended. */
static enum cfs_member_state slowly(struct cfs_slice in, uint8_t *out, size_t *n,
				uint64_t *used)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z;
	struct cfs_source *src;
	size_t got;

	*n = 0;
	if (cfs_source_open_memory(&src, in, "fuzz", NULL) != CFS_OK)
		abort();
	if (cfs_member_stream_new(&z, src, 0, src->size, NULL,
					       NULL) != CFS_OK)
		abort();
	while (state == CFS_MEMBER_MORE && *n < MAX_OUT) {
		size_t step = 1 + *n % 777;

		if (step > MAX_OUT - *n)
			step = MAX_OUT - *n;
		if (cfs_member_stream_read(z, out + *n, step, &got, &state,
					   CFS_CTX(NULL, NULL)) != CFS_OK)
			abort();
		if (got == 0 && state == CFS_MEMBER_MORE)
			abort();
		*n += got;
	}
	*used = cfs_member_stream_offset(z);
	cfs_member_stream_free(z);
	cfs_source_close(src);
	return state;
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice in = cfs_slice_of(size > 0 ? data : (const uint8_t *)"",
					   size);
	static uint8_t slow[MAX_OUT];
	uint8_t head[512];
	struct cfs_buf fast;
	enum cfs_member_state state;
	size_t used = 0, n, peeked;
	uint64_t slow_used;
	int rc;

	cfs_buf_init(&fast, MAX_OUT);
	rc = cfs_gz_member(in, &fast, size % 3 == 0 ? 0 : size, &used, NULL);
	state = slowly(in, slow, &n, &slow_used);
	/* libdeflate lets some pass that zlib refuses (a wrong header CRC, code
	 * lengths that run over), never the other way round. */
	if (state == CFS_MEMBER_END && n < MAX_OUT &&
	    !cfs_zst_is_frame(in) &&	/* the stream reads these, too */
	    !cfs_zst_is_skippable(in) &&
	    (rc != CFS_OK || fast.n != n || used != slow_used ||
	     memcmp(fast.p, slow, n) != 0))
		abort();
	if (rc == CFS_OK && state == CFS_MEMBER_CUT)
		abort();
	if (rc == CFS_OK && !cfs_gz_is_start(in))
		abort();
	peeked = cfs_gz_peek(in, head, sizeof(head));
	if (peeked > sizeof(head) || (peeked > n && n < MAX_OUT) ||
	    memcmp(head, slow, peeked) != 0)
		abort();
	cfs_buf_release(&fast);
	return 0;
}
