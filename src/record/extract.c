/* extract.c - reads and inflates the bytes of a record, and checks the place
 * that the index gave for it.
 *
 * A record is one read of exactly its byte range, inflated into one block of
 * memory.  Records that share a member with others are reached by inflating
 * from the member's start (archives.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "extract.h"

#include <stdlib.h>

#include "base/log.h"
#include "codec/gzip.h"

/* Inflating this much to reach a record deserves a warning. */
#define SLOW_BYTES (1u << 20)
/* Bytes inflated at a time that are dropped. */
#define DROP_BYTES 16384u

/* One call of this module. */
struct job {
	struct cfs_extractor *x;
	struct cfs_archive *a;
	struct cfs_span span;	/* with its length, once that is known */
	const struct cfs_cancel *cancel;
	struct cfs_error *err;
};

static int damaged(const struct job *j, const char *why)
{
	return cfs_error_at(j->err, CFS_EFORMAT, j->a->src->name,
			    j->span.offset, "%s", why);
}

static int too_large(const struct job *j)
{
	return cfs_error_at(j->err, CFS_ELIMIT, j->a->src->name,
			    j->span.offset, "record of more than %llu bytes",
			    (unsigned long long)j->x->max_record);
}

/* ---- records that have members (or a stretch of file) to themselves ---- */

/* Some indexes do not say how long a record is: its member does, where it has
 * one. */
static int find_length(struct job *j)
{
	enum cfs_gz_state state = CFS_GZ_MORE;
	struct cfs_gz_stream *z;
	uint64_t all = 0;
	uint8_t drop[DROP_BYTES];
	size_t got;
	int rc;

	if (j->span.length > 0 || j->span.inner_length > 0)
		return CFS_OK;
	rc = cfs_gz_stream_new(&z, j->a->src, j->span.offset, j->a->src->size,
			       j->err);
	if (rc != CFS_OK)
		return rc;
	while (rc == CFS_OK && state == CFS_GZ_MORE) {
		rc = cfs_gz_stream_read(z, drop, sizeof(drop), &got, &state,
					j->cancel, j->err);
		all += got;
		if (rc == CFS_OK && all > j->x->max_record)
			rc = too_large(j);
	}
	if (rc == CFS_OK && state != CFS_GZ_MEMBER_END)
		rc = damaged(j, "the index does not say how long the record is,"
			     " and no whole gzip member begins here");
	if (rc == CFS_OK)
		j->span.length = cfs_gz_stream_offset(z) - j->span.offset;
	cfs_gz_stream_free(z);
	return rc;
}

/* The range of the record as the file has it.  *out is malloced. */
static int read_range(struct job *j, uint8_t **out)
{
	const struct cfs_span *span = &j->span;
	struct cfs_source *src = j->a->src;
	size_t n;
	int rc;

	*out = NULL;
	if (span->length == 0 || span->offset >= src->size ||
	    span->length > src->size - span->offset)
		return cfs_error_at(j->err, CFS_EFORMAT, src->name, span->offset,
			"file of %llu bytes has no record of %llu bytes here",
			(unsigned long long)src->size,
			(unsigned long long)span->length);
	if (span->length > j->x->max_record || span->length > SIZE_MAX / 2)
		return too_large(j);
	n = (size_t)span->length;
	*out = malloc(n);
	if (*out == NULL)
		return cfs_error_nomem(j->err);
	rc = cfs_source_read(src, *out, n, span->offset, j->cancel, j->err);
	if (rc == CFS_OK) {
		atomic_fetch_add_explicit(&j->x->read_bytes, n,
					  memory_order_relaxed);
	} else {
		free(*out);
		*out = NULL;
	}
	return rc;
}

/* All members of the range; a cut-off file counts as far as it goes. */
static int inflate_all(const struct job *j, struct cfs_slice in,
		       struct cfs_buf *out)
{
	const char *why;
	int rc;

	do {
		if (cfs_cancelled(j->cancel))
			return cfs_error_set(j->err, CFS_EINTR, "interrupted");
		rc = cfs_inflate(&in, CFS_DEFLATE_GZIP, out, &why);
	} while (rc == CFS_OK && cfs_gz_is_start(in));
	if (rc == CFS_EFORMAT)
		return damaged(j, why);
	if (rc == CFS_END)
		return j->span.offset + j->span.length == j->a->src->size ?
		       CFS_OK :
		       damaged(j, "gzip member is longer than the index says");
	return rc == CFS_OK ? rc :
	       cfs_error_at(j->err, rc, j->a->src->name, j->span.offset,
			    rc == CFS_ELIMIT ?
			    "record inflates to more than %zu bytes" :
			    "out of memory", out->max);
}

static int read_own(struct job *j, struct cfs_buf *out)
{
	struct cfs_slice in;
	uint8_t *raw;
	int rc = read_range(j, &raw);

	if (rc != CFS_OK)
		return rc;
	in = cfs_slice_of(raw, (size_t)j->span.length);
	if (!cfs_gz_is_start(in)) {
		out->p = raw;
		out->n = out->cap = in.n;
		return CFS_OK;
	}
	rc = inflate_all(j, in, out);
	free(raw);
	atomic_fetch_add_explicit(&j->x->inflated_bytes, out->n,
				  memory_order_relaxed);
	return rc;
}

/* ---- records that share a member ---- */

/* Reads exactly n bytes of the stream, over member ends, into buf; NULL:
 * drops them. */
static int stream_bytes(const struct job *j, struct cfs_parked *p,
			uint8_t *buf, uint64_t n)
{
	enum cfs_gz_state state = CFS_GZ_MORE;
	uint8_t drop[DROP_BYTES];
	int rc = CFS_OK;

	while (rc == CFS_OK && n > 0) {
		size_t want = buf != NULL ? (n < SIZE_MAX ? (size_t)n : SIZE_MAX) :
			      n < sizeof(drop) ? (size_t)n : sizeof(drop), got;

		rc = cfs_gz_stream_read(p->z, buf != NULL ? buf : drop, want,
					&got, &state, j->cancel, j->err);
		if (rc != CFS_OK)
			break;
		n -= got;
		p->pos += got;
		buf = buf != NULL ? buf + got : NULL;
		if (state == CFS_GZ_MEMBER_END && n > 0)
			rc = cfs_gz_stream_next(p->z, j->cancel, j->err);
		else if (state != CFS_GZ_MORE && n > 0)
			return damaged(j, cfs_gz_stream_why(p->z));
		if (rc == CFS_END)
			return damaged(j, "gzip member ends before the record does");
	}
	return rc;
}

static int read_shared(struct job *j, struct cfs_buf *out)
{
	const struct cfs_span *span = &j->span;
	struct cfs_archive *a = j->a;
	struct cfs_parked p;
	int rc;

	if (span->inner_length > j->x->max_record ||
	    span->inner_length > SIZE_MAX / 2)
		return too_large(j);
	rc = cfs_buf_reserve(out, (size_t)span->inner_length);
	if (rc != CFS_OK)
		return cfs_error_nomem(j->err);
	p = cfs_archive_take_stream(a, span->offset, span->inner_offset);
	if (span->inner_offset > SLOW_BYTES &&
	    !atomic_exchange(&a->warned, true))
		cfs_log(CFS_LOG_WARNING, "%s: many records share a gzip member: "
			"each is reached by inflating all before it",
			a->src->name);
	if (p.z == NULL)
		rc = cfs_gz_stream_new(&p.z, a->src, span->offset, a->src->size,
				       j->err);
	if (rc == CFS_OK)
		rc = stream_bytes(j, &p, NULL, span->inner_offset - p.pos);
	if (rc == CFS_OK)
		rc = stream_bytes(j, &p, out->p, span->inner_length);
	if (rc != CFS_OK) {
		cfs_gz_stream_free(p.z);
		return rc;
	}
	out->n = (size_t)span->inner_length;
	atomic_fetch_add_explicit(&j->x->inflated_bytes, out->n,
				  memory_order_relaxed);
	cfs_archive_put_stream(a, p);
	return CFS_OK;
}

int cfs_extract_stored(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, uint8_t **out, size_t *n,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct job j = { x, a, *span, cancel, err };
	int rc = find_length(&j);

	*out = NULL;
	if (rc == CFS_OK)
		rc = read_range(&j, out);
	*n = (size_t)j.span.length;
	return rc;
}

int cfs_extract_record(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, struct cfs_buf *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct job j = { x, a, *span, cancel, err };
	int rc = find_length(&j);

	if (rc != CFS_OK)
		return rc;
	return j.span.inner_length > 0 ? read_shared(&j, out) :
					 read_own(&j, out);
}
