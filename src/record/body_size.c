/* body_size.c - the size of a body from its record's heads and lengths.
 *
 * Only the start of a record is inflated, for its heads; its whole length is in
 * the last four bytes of its member.  That and the declared lengths must agree,
 * and there must be no encoding to undo.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "body.h"

#include <string.h>

#include "arc.h"
#include "codec/member.h"
#include "parse.h"

/* Most records' heads are shorter than PEEK_SHORT, few are longer than
 * PEEK_LONG. */
#define PEEK_SHORT 2048u
#define PEEK_LONG 16384u

/*
 * Gets the start of a record, at most `peek` bytes, and the whole inflated
 * length.  False if there is no cheap way.
 */
static bool peek_record(struct cfs_source *src, const struct cfs_span *span,
			uint8_t head[PEEK_LONG], size_t peek, size_t *head_n,
			uint64_t *total)
{
	size_t n = span->length < peek ? (size_t)span->length : peek;
	uint8_t raw[PEEK_LONG], tail[4];
	struct cfs_slice in;

	if (span->offset >= src->size || span->length < CFS_GZ_MEMBER_MIN ||
	    span->length > src->size - span->offset ||
	    cfs_source_read(src, raw, n, span->offset,
			    CFS_CTX(NULL, NULL)) != CFS_OK)
		return false;
	in = cfs_slice_of(raw, n);
	if (cfs_coding_of(in) == CFS_CODING_ZSTD)
		return false;		/* it has no trailer */
	if (!cfs_gz_is_start(in)) {
		memcpy(head, raw, n);
		*head_n = n;
		*total = span->length;
		return true;
	}
	if (n == span->length)
		memcpy(tail, raw + n - 4, 4);
	else if (cfs_source_read(src, tail, 4, span->offset + span->length - 4,
				 CFS_CTX(NULL, NULL)) != CFS_OK)
		return false;
	*head_n = cfs_gz_peek(in, head, peek);
	*total = cfs_le32_get(tail);
	return *total >= *head_n && *total / CFS_DEFLATE_RATIO <= span->length;
}

/* The size of a WARC record's body.  False unless all lengths agree. */
static bool warc_body(const struct cfs_record *r, uint64_t head,
		      uint64_t total, uint64_t *bytes)
{
	uint64_t before = r->interim_bytes + r->http_head.n;

	if (r->body_is_elsewhere)	/* only its bytes can tell */
		return false;
	*bytes = r->declared_bytes - before;
	return head + r->declared_bytes + 4 == total &&
	       r->declared_bytes >= before;
}

/* The same for ARC, by the rules of arc.c, assuming that it ends with a LF. */
static bool arc_body(const struct cfs_record *r, bool is_cc, uint64_t head,
		     uint64_t total, uint64_t *bytes)
{
	uint64_t before = r->interim_bytes + r->http_head.n, content, all, n;

	if (total < head + before + 1)
		return false;
	content = total - head;
	all = content - before;
	if (cfs_arc_identity_length(&r->http, &n) &&
	    (n == all || n == all - 1)) {
		*bytes = n;
		return true;
	}
	if (r->declared_bytes > content || content - r->declared_bytes > 3 ||
	    (!is_cc && content - r->declared_bytes > 1))
		return false;
	*bytes = !is_cc && r->declared_bytes == content ? all : all - 1;
	return true;
}

static bool head_is_whole(const struct cfs_record *r)
{
	return !r->has_http ||
	       cfs_slice_ends(r->http_head, CFS_SLICE_LIT("\n\r\n")) ||
	       cfs_slice_ends(r->http_head, CFS_SLICE_LIT("\n\n"));
}

static bool size_from_head(struct cfs_slice s, uint64_t total, bool is_cc,
			   uint64_t *bytes)
{
	struct cfs_record_shape shape;
	struct cfs_record r;
	uint64_t before;
	bool ok;

	if (!cfs_record_is_start(s) ||
	    cfs_record_measure(s, &shape, NULL) != CFS_OK ||
	    !shape.has_declared || shape.declared > UINT64_MAX / 4 ||
	    cfs_record_parse(&r, s, CFS_PARSE_HEAD_ONLY, NULL, NULL, NULL) !=
	    CFS_OK)
		return false;
	before = shape.skip + shape.head_bytes;
	/* the HTTP head must be complete, with some of the body behind it */
	ok = (r.stored_body.n > 16 || total == s.n) && head_is_whole(&r) &&
	     !cfs_body_may_decode(r.stored_body, &r.http);
	if (ok && shape.format == CFS_ARCHIVE_WARC)
		ok = warc_body(&r, before, total, bytes);
	else if (ok)
		ok = arc_body(&r, is_cc || cfs_arc_has_own_field(&r), before,
			      total, bytes);
	cfs_record_release(&r);
	return ok;
}

bool cfs_body_size_peek(struct cfs_source *src, const struct cfs_span *span,
			bool is_cc, uint64_t *bytes)
{
	static const size_t peeks[] = { PEEK_SHORT, PEEK_LONG };
	uint8_t head[PEEK_LONG];
	uint64_t total;
	bool ok = false;
	size_t n = 0;

	for (size_t i = 0; !ok && i < 2; i++) {
		if (i > 0 && n < peeks[0])
			break;		/* n is the whole record */
		if (!peek_record(src, span, head, peeks[i], &n, &total))
			break;
		ok = size_from_head(cfs_slice_of(head, n), total, is_cc, bytes);
	}
	return ok;
}
