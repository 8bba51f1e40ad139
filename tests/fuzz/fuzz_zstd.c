/* fuzz_zstd.c - zstd frames behind a dictionary or none: what is seen of a frame
 * is what libzstd sees, and the fast way and the slow way agree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fuzz.h"
#include "record/members.h"

#define MAX_OUT (1u << 20)

/* Inflates the first frame that holds data in pieces; returns how it ended. */
static enum cfs_member_state slowly(struct cfs_source *src, uint64_t off,
				    struct cfs_zst_dict *dict, uint8_t *out,
				    size_t *n, uint64_t *used)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z;
	size_t got;

	*n = 0;
	if (cfs_member_stream_new(&z, src, off, src->size, dict, NULL) !=
	    CFS_OK)
		abort();
	while (state == CFS_MEMBER_MORE && *n < MAX_OUT) {
		size_t step = 1 + *n % 777;

		if (step > MAX_OUT - *n)
			step = MAX_OUT - *n;
		if (cfs_member_stream_read(z, out + *n, step, &got, &state,
					   CFS_CTX(NULL, NULL)) != CFS_OK ||
		    (got == 0 && state == CFS_MEMBER_MORE))
			abort();
		*n += got;
	}
	if (state == CFS_MEMBER_BAD && cfs_member_stream_why(z)[0] == '\0')
		abort();
	*used = cfs_member_stream_offset(z) - off;
	cfs_member_stream_free(z);
	return state;
}

static void look(struct cfs_slice in)
{
	struct cfs_zst_frame f;
	size_t n;

	/* with a larger window libzstd sees nothing */
	if (cfs_zst_look(in, &f) != CFS_OK || f.window > UINT64_C(1) << 31)
		return;
	if (f.content != ZSTD_getFrameContentSize(in.p, in.n) ||
	    f.dict_id != ZSTD_getDictID_fromFrame(in.p, in.n))
		abort();
	n = ZSTD_findFrameCompressedSize(in.p, in.n);
	if (f.bytes > in.n || (f.bytes > 0 && n != f.bytes))
		abort();
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice in = cfs_slice_of(size > 0 ? data : (const uint8_t *)"",
					   size), rest;
	static uint8_t slow[MAX_OUT];
	struct cfs_zst_dict *dict = NULL;
	char why[CFS_ZST_WHY_BYTES];
	enum cfs_member_state state;
	struct cfs_zst_frame f;
	struct cfs_source *src;
	struct cfs_buf fast, all;
	uint64_t slow_used;
	uint8_t head[512];
	size_t used = 0, n, peeked;
	int rc;

	if (cfs_source_open_memory(&src, in, "fuzz", NULL) != CFS_OK)
		abort();
	if (cfs_members_dict(src, 0, &dict, CFS_CTX(NULL, NULL)) == CFS_ENOMEM)
		abort();
	rest = cfs_zst_without_skippable(in);
	look(rest);
	if (!cfs_zst_is_frame(rest))
		goto out;
	cfs_buf_init(&fast, MAX_OUT);
	rc = cfs_zst_member(rest, dict, &fast, &used);
	state = slowly(src, in.n - rest.n, dict, slow, &n, &slow_used);
	if (rc == CFS_OK && (fast.n != n || memcmp(fast.p, slow, n) != 0 ||
			     used > slow_used || state != CFS_MEMBER_END))
		abort();
	/* whether the size it declares is looked at depends on the room */
	if (state == CFS_MEMBER_END && n < MAX_OUT && rc != CFS_OK &&
	    cfs_zst_look(rest, &f) == CFS_OK &&
	    (f.content == CFS_ZST_CONTENT_UNKNOWN || f.content == n)) {
		cfs_buf_init(&all, MAX_OUT);
		if (cfs_zst_inflate(&(struct cfs_slice){ rest.p, rest.n }, dict,
				    &all, why) != CFS_OK || all.n != n ||
		    memcmp(all.p, slow, n) != 0)
			abort();
		cfs_buf_release(&all);
	}
	peeked = cfs_zst_peek(rest, dict, head, sizeof(head));
	/* libzstd keeps back what it had ready when it meets an error */
	if (peeked > n && state == CFS_MEMBER_BAD)
		peeked = n;
	if (peeked > sizeof(head) || (peeked > n && n < MAX_OUT) ||
	    memcmp(head, slow, peeked) != 0)
		abort();
	cfs_buf_release(&fast);
out:
	cfs_zst_dict_put(dict);
	cfs_source_close(src);
	return 0;
}
