/* sniff.c - what a file is, by its name and first bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sniff.h"

#include <string.h>

#include "arc.h"
#include "codec/gzip.h"
#include "gzmember.h"
#include "parse.h"
#include "seqfile.h"

/* A header line and more. */
#define LOOK_BYTES 16384u

/* Some writers begin a file with empty members: so much of it is read to find
 * one that is not. */
#define EMPTY_MEMBERS_BYTES (1u << 20)

/* The first bytes of a gzip file that begins with an empty member. */
static int read_past_empty(struct cfs_source *src, uint8_t out[LOOK_BYTES],
			   size_t *n, const struct cfs_cancel *cancel,
			   struct cfs_error *err)
{
	uint64_t end = src->size < EMPTY_MEMBERS_BYTES ? src->size :
							 EMPTY_MEMBERS_BYTES;
	enum cfs_gz_state state = CFS_GZ_MORE;
	struct cfs_gz_stream *z;
	size_t got;
	int rc = cfs_gz_stream_new(&z, src, 0, end, err);

	*n = 0;
	if (rc != CFS_OK)
		return rc;
	while (rc == CFS_OK && state == CFS_GZ_MORE && *n < LOOK_BYTES) {
		rc = cfs_gz_stream_read(z, out + *n, LOOK_BYTES - *n, &got,
					&state, cancel, err);
		*n += got;
		if (rc == CFS_OK && state == CFS_GZ_MEMBER_END && *n == 0) {
			state = CFS_GZ_MORE;
			rc = cfs_gz_stream_next(z, cancel, err);
		}
	}
	cfs_gz_stream_free(z);
	return rc == CFS_END ? CFS_OK : rc;
}

/* The first bytes of what the file holds, inflated if need be. */
static int read_start(struct cfs_source *src, uint8_t out[LOOK_BYTES],
		      size_t *n, const struct cfs_cancel *cancel,
		      struct cfs_error *err)
{
	uint8_t raw[LOOK_BYTES];
	struct cfs_slice s;
	int rc;

	*n = 0;
	rc = cfs_source_read_some(src, raw, sizeof(raw), 0, n, cancel, err);
	if (rc != CFS_OK)
		return rc;
	s = cfs_slice_of(raw, *n);
	if (!cfs_gz_is_start(s)) {
		memcpy(out, raw, *n);
		return CFS_OK;
	}
	*n = cfs_gz_peek(s, out, LOOK_BYTES);
	return *n > 0 ? CFS_OK : read_past_empty(src, out, n, cancel, err);
}

int cfs_sniff_common_crawl(struct cfs_source *src, bool *yes,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err)
{
	uint8_t head[LOOK_BYTES];
	struct cfs_slice name = cfs_slice_str(src->name), s;
	struct cfs_record r;
	size_t n;
	int rc;

	*yes = cfs_arc_is_common_crawl_name(name);
	if (*yes || cfs_slice_search_nocase(name, CFS_SLICE_LIT(".arc")) < 0)
		return CFS_OK;
	rc = read_start(src, head, &n, cancel, err);
	s = cfs_slice_of(head, n);
	if (rc != CFS_OK ||
	    !cfs_slice_starts_nocase(s, CFS_SLICE_LIT("filedesc:")))
		return rc;
	rc = cfs_record_parse(&r, s, CFS_PARSE_HEAD_ONLY, NULL, NULL, NULL);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc != CFS_OK)
		return CFS_OK;
	*yes = cfs_arc_is_common_crawl(&r);
	cfs_record_release(&r);
	return CFS_OK;
}

int cfs_sniff(struct cfs_source *src, enum cfs_file_kind *out,
	      struct cfs_error *err)
{
	uint8_t head[LOOK_BYTES];
	struct cfs_slice s;
	size_t n;
	int rc;

	*out = CFS_FILE_NONE;
	rc = read_start(src, head, &n, NULL, err);
	if (rc != CFS_OK)
		return rc;
	s = cfs_slice_of(head, n);
	if (cfs_seq_is_magic(s))
		*out = CFS_FILE_SEQFILE;
	if (!cfs_record_is_start(s))
		return CFS_OK;
	s = cfs_slice_from(s, cfs_head_newlines(s));
	*out = cfs_slice_starts_nocase(s, CFS_SLICE_LIT("WARC/")) ? CFS_FILE_WARC :
							     CFS_FILE_ARC;
	return CFS_OK;
}
