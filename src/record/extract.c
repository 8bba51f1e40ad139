/* extract.c - reads and inflates the bytes of a record, and checks the place
 * that the index gave for it.
 *
 * A record is one read of exactly its range, inflated into one block of memory.
 * A range that is too long, as some tools write them, is cut where the record's
 * own members end; one that goes past the file's end is not read, but measured.
 * A record that shares a member is reached by inflating from the member's start
 * (archives.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "extract.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/spill.h"
#include "codec/zstd.h"
#include "parse.h"
#include "source/zip.h"

/* Inflating this much to reach a record deserves a warning. */
#define SLOW_BYTES (1u << 20)
/* Bytes inflated at a time in order to be dropped. */
#define DROP_BYTES 16384u

/* The state of one call. */
struct extract_job {
	struct cfs_extractor *x;
	struct cfs_archive *a;
	struct cfs_span span;	/* its length is set once known */
	struct cfs_ctx ctx;
	enum cfs_extract_end end;
	bool wants_all;		/* a record that is cut off is not wanted */
};

static int damaged(const struct extract_job *j, const char *why)
{
	return cfs_error_at(j->ctx.err, CFS_EFORMAT, j->a->src->name,
			    j->span.offset, "%s", why);
}

static int too_large(const struct extract_job *j)
{
	return cfs_error_at(j->ctx.err, CFS_ELIMIT, j->a->src->name,
			    j->span.offset, "record of more than %llu bytes",
			    (unsigned long long)j->x->max_record);
}

/* ---- the dictionary ---- */

/* True if a request for the dictionary may be saved: the frame names none, and
 * its checksum will show if one was needed all the same. */
static bool may_do_without(const struct extract_job *j, struct cfs_slice start)
{
	struct cfs_zst_frame f;

	return !j->a->src->is_local && cfs_zst_look(start, &f) != CFS_EFORMAT &&
	       f.dict_id == 0 && f.has_checksum;
}

/* Gets the dictionary for a member that begins with `start`, to be put by the
 * caller; NULL if none is needed. */
static int get_dict(const struct extract_job *j, struct cfs_slice start,
		    struct cfs_zst_dict **out)
{
	*out = NULL;
	if (cfs_coding_of(start) != CFS_CODING_ZSTD || may_do_without(j, start))
		return CFS_OK;
	return cfs_archive_dict(j->a, out, j->ctx);
}

/* Opens a stream at the member at a file offset. */
static int open_stream(const struct extract_job *j, uint64_t off,
		       struct cfs_member_stream **out)
{
	struct cfs_zst_dict *dict = NULL;
	uint8_t start[CFS_ZST_HEAD_MAX];
	size_t got = 0;
	int rc = cfs_source_read_some(j->a->src, start, sizeof(start), off,
				      &got, j->ctx);

	if (rc == CFS_OK)
		rc = get_dict(j, cfs_slice_of(start, got), &dict);
	if (rc == CFS_OK)
		rc = cfs_member_stream_new(out, j->a->src, off, j->a->src->size,
					   dict, j->ctx.err);
	cfs_zst_dict_put(dict);
	return rc;
}

/* ---- records that have members (or a range of the file) to themselves ---- */

/* The inflated length of a record by its header; 0: not known. */
static uint64_t bytes_wanted(struct cfs_slice head)
{
	struct cfs_record_shape shape;
	int rc = cfs_record_measure(head, &shape, NULL);

	if (rc == CFS_END)
		return UINT64_MAX;	/* the head is longer than this */
	return rc != CFS_OK || !shape.has_declared ||
	       shape.declared > UINT64_MAX / 2 ? 0 :
	       shape.skip + shape.head_bytes + shape.declared;
}

/* Inflates a member, keeping only the record's head; *all counts the record's
 * bytes so far.  CFS_END: the member begins another record. */
static int pass_member(struct extract_job *j, struct cfs_member_stream *z,
		       struct cfs_buf *head, uint64_t *all)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	bool is_next = *all > 0;
	uint8_t buf[DROP_BYTES];
	uint64_t wanted;
	size_t got;
	int rc = CFS_OK;

	while (rc == CFS_OK && state == CFS_MEMBER_MORE) {
		rc = cfs_member_stream_read(z, buf, sizeof(buf), &got,
					    &state, j->ctx);
		if (rc == CFS_OK && is_next &&
		    cfs_record_is_start(cfs_slice_of(buf, got)))
			return CFS_END;
		is_next = false;
		*all += got;
		if (rc == CFS_OK && *all > j->x->max_record)
			rc = too_large(j);
		if (got > head->max - head->n)
			got = head->max - head->n;
		if (rc == CFS_OK && cfs_buf_append(head, buf, got) != CFS_OK)
			rc = cfs_error_nomem(j->ctx.err);
		wanted = *all == got ? bytes_wanted(cfs_buf_slice(head)) : 0;
		if (rc == CFS_OK && wanted != UINT64_MAX &&
		    wanted > j->x->max_record)
			rc = too_large(j);
	}
	if (rc == CFS_OK && state == CFS_MEMBER_BAD &&
	    cfs_member_stream_is_zstd(z))
		return damaged(j, cfs_member_stream_why(z));
	if (rc == CFS_OK && state != CFS_MEMBER_END)
		rc = damaged(j, "the index does not say how long the record is,"
			     " and no whole member begins here");
	return rc;
}

/* Sets the length of an uncompressed record to what its header declares; a long
 * header is read further, up to the size of `head`.  Sets nothing if a member
 * begins there, or no record. */
static int find_plain_length(struct extract_job *j, struct cfs_buf *head)
{
	struct cfs_source *src = j->a->src;
	uint64_t wanted = UINT64_MAX, left;
	size_t n, got;
	int rc = CFS_OK;

	if (j->span.offset >= src->size)
		return CFS_OK;
	left = src->size - j->span.offset;
	for (n = DROP_BYTES; rc == CFS_OK && wanted == UINT64_MAX &&
	     n <= head->max; n *= 2) {
		head->n = 0;
		if (cfs_buf_reserve(head, n) != CFS_OK)
			return cfs_error_nomem(j->ctx.err);
		rc = cfs_source_read_some(src, head->p, n, j->span.offset, &got,
					  j->ctx);
		if (rc != CFS_OK || !cfs_record_is_start(
					cfs_slice_of(head->p, got)))
			return rc;
		wanted = bytes_wanted(cfs_slice_of(head->p, got));
		if (got < n)
			break;
	}
	if (rc == CFS_OK && wanted > 0 && wanted != UINT64_MAX &&
	    (wanted <= left || !j->wants_all))
		j->span.length = wanted < left ? wanted : left;
	return rc;
}

/* Finds the length from the record's members, if it has any: they belong to it
 * until it is complete. */
static int measure_length(struct extract_job *j)
{
	struct cfs_member_stream *z = NULL;
	CFS_BUF(head, CFS_HEAD_MAX);
	uint64_t all = 0;
	int rc = find_plain_length(j, &head);

	if (rc != CFS_OK || j->span.length > 0)
		return rc;
	rc = open_stream(j, j->span.offset, &z);
	while (rc == CFS_OK) {
		rc = pass_member(j, z, &head, &all);
		if (rc != CFS_OK)
			break;
		j->span.length = cfs_member_stream_offset(z) - j->span.offset;
		if (all >= bytes_wanted(cfs_buf_slice(&head)))
			break;
		rc = cfs_member_stream_next(z, j->ctx);
	}
	cfs_member_stream_free(z);
	return rc == CFS_END ? CFS_OK : rc;
}

/* Finds the length if the index has none, or one that cannot be right: then the
 * record must be there, all of it, or the index's length stays. */
static int find_length(struct extract_job *j)
{
	uint64_t given = j->span.length, size = j->a->src->size;
	struct cfs_error *err = j->ctx.err, e = CFS_ERROR_INIT;
	int rc;

	if (j->span.inner_length > 0)
		return CFS_OK;
	if (given == 0)
		return measure_length(j);
	if (j->span.offset >= size || (given <= size - j->span.offset &&
				       given <= j->x->max_record))
		return CFS_OK;
	j->span.length = 0;
	j->wants_all = true;
	j->ctx.err = &e;
	rc = measure_length(j);
	j->ctx.err = err;
	if (rc != CFS_OK)
		j->span.length = given;
	return rc == CFS_EFORMAT || rc == CFS_ELIMIT ? CFS_OK :
	       cfs_error_pass(err, &e, rc);
}

/* Checks that a record of that length can be there. */
static int check_range(const struct extract_job *j)
{
	const struct cfs_span *span = &j->span;
	struct cfs_source *src = j->a->src;

	if (span->length == 0 || span->offset >= src->size ||
	    span->length > src->size - span->offset)
		return cfs_error_at(
			j->ctx.err, CFS_EFORMAT, src->name, span->offset,
			"file of %llu bytes has no record of %llu bytes here",
			(unsigned long long)src->size,
			(unsigned long long)span->length);
	if (span->length > j->x->max_record || span->length > SIZE_MAX / 2)
		return too_large(j);
	return CFS_OK;
}

/* Reads the record's range as the file has it.  *out is malloced. */
static int read_range(struct extract_job *j, uint8_t **out)
{
	const struct cfs_span *span = &j->span;
	struct cfs_source *src = j->a->src;
	size_t n = (size_t)span->length;
	int rc = check_range(j);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	*out = malloc(n);
	if (*out == NULL)
		return cfs_error_nomem(j->ctx.err);
	rc = cfs_source_read(src, *out, n, span->offset, j->ctx);
	if (rc == CFS_OK) {
		atomic_fetch_add_explicit(&j->x->read_bytes, n,
					  memory_order_relaxed);
	} else {
		free(*out);
		*out = NULL;
	}
	return rc;
}

/* True if the range ends with the file, or with the archive in a ZIP file. */
static bool ends_with_file(const struct extract_job *j)
{
	uint64_t end = j->span.offset + j->span.length;
	struct cfs_source *src = j->a->src;
	uint8_t head[4], behind[4];

	return end == src->size ||
	       (cfs_source_read(src, behind, 4, end,
				CFS_CTX(j->ctx.cancel, NULL)) ==
			CFS_OK && cfs_zip_is_behind(behind) &&
		cfs_source_read(src, head, 4, 0,
				CFS_CTX(j->ctx.cancel, NULL)) == CFS_OK &&
		cfs_zip_is_start(cfs_slice_of(head, 4)));
}

/* Tells whether the record goes on behind the range: what follows an
 * uncompressed one is no record, or a member goes on with it. */
static int look_behind_range(const struct extract_job *j, bool is_plain,
			     bool *goes_on)
{
	uint64_t end = j->span.offset + j->span.length;
	struct cfs_member_stream *z = NULL;
	enum cfs_member_state state;
	uint8_t buf[DROP_BYTES];
	bool has_member;
	size_t got;
	int rc = cfs_source_read_some(j->a->src, buf, sizeof(buf), end, &got,
				      j->ctx);

	if (rc != CFS_OK)
		return rc;
	has_member = cfs_coding_of(cfs_slice_of(buf, got)) != CFS_CODING_NONE;
	*goes_on = is_plain && !has_member &&
		   !cfs_record_is_start(cfs_slice_of(buf, got));
	if (is_plain || !has_member)
		return CFS_OK;
	rc = open_stream(j, end, &z);
	if (rc == CFS_OK)
		rc = cfs_member_stream_read(z, buf, sizeof(buf), &got, &state,
					    j->ctx);
	*goes_on = rc == CFS_OK && got > 0 &&
		   !cfs_record_is_start(cfs_slice_of(buf, got));
	cfs_member_stream_free(z);
	return rc;
}

/* Of a record with fewer bytes than it declares: is that the file's end, a
 * wrong declaration, or a range that is too short? */
static int check_end(struct extract_job *j, bool is_plain,
		     const struct cfs_buf *out)
{
	uint64_t wanted = bytes_wanted(cfs_slice_sub(cfs_buf_slice(out), 0,
						     CFS_HEAD_MAX));
	bool goes_on;
	int rc;

	if (j->end != CFS_EXTRACT_WHOLE || wanted <= out->n ||
	    !cfs_record_is_start(cfs_buf_slice(out)))
		return CFS_OK;
	if (ends_with_file(j)) {
		if (is_plain)
			j->end = CFS_EXTRACT_SHORT;
		return CFS_OK;
	}
	rc = look_behind_range(j, is_plain, &goes_on);
	return rc == CFS_OK && goes_on ?
	       damaged(j, "the record is longer than the index says") : rc;
}

/* True if the record was whole at `n` bytes, and what follows is not its own:
 * the range is too long.  is_good: what follows is a whole member. */
static bool is_behind_record(const struct cfs_buf *out, size_t n, bool is_good)
{
	struct cfs_slice all = cfs_buf_slice(out);
	uint64_t wanted;

	if (n == 0)
		return false;
	wanted = bytes_wanted(cfs_slice_sub(all, 0, n < CFS_HEAD_MAX ? n :
					    CFS_HEAD_MAX));
	return wanted > 0 && wanted <= n &&
	       (!is_good || cfs_record_is_start(cfs_slice_from(all, n)));
}

/* Inflates all members of the range; of a cut-off file, what there is. */
static int inflate_all(struct extract_job *j, struct cfs_slice in,
		       const struct cfs_zst_dict *dict, struct cfs_buf *out)
{
	char why[CFS_MEMBER_WHY_BYTES];
	int rc;

	do {
		size_t n = out->n;

		if (cfs_cancelled(j->ctx.cancel))
			return cfs_error_set(j->ctx.err, CFS_EINTR, "interrupted");
		rc = cfs_member_inflate(&in, dict, out, why);
		if (rc != CFS_ENOMEM &&
		    is_behind_record(out, n, rc == CFS_OK)) {
			out->n = n;
			out->failed = CFS_OK;
			return CFS_OK;
		}
	} while (rc == CFS_OK && cfs_coding_of(in) != CFS_CODING_NONE);
	if (rc == CFS_EFORMAT)
		return damaged(j, why);
	if (rc == CFS_END) {
		j->end = CFS_EXTRACT_CUT;
		return ends_with_file(j) ? CFS_OK :
		       damaged(j, "the record's last member is longer "
			       "than the index says");
	}
	if (rc == CFS_OK)
		return CFS_OK;
	return cfs_error_at(j->ctx.err, rc, j->a->src->name, j->span.offset,
			    rc == CFS_ELIMIT ?
			    "record inflates to more than %zu bytes" :
			    "out of memory", out->max);
}

/* Frees most of the memory that was guessed for a frame without a size. */
static void trim(struct cfs_buf *out)
{
	uint8_t *p = out->cap / 2 > out->n && out->n > 0 ?
		     realloc(out->p, out->n) : NULL;

	if (p != NULL) {
		out->p = p;
		out->cap = out->n;
	}
}

static int read_own(struct extract_job *j, struct cfs_buf *out)
{
	struct cfs_zst_dict *dict;
	struct cfs_slice in;
	uint8_t *raw = NULL;
	int rc = check_range(j);

	if (rc == CFS_OK)
		rc = j->span.length > out->max ? too_large(j) :
						 read_range(j, &raw);
	if (rc != CFS_OK)
		return rc;
	in = cfs_slice_of(raw, (size_t)j->span.length);
	if (cfs_coding_of(in) == CFS_CODING_NONE) {
		out->p = raw;
		out->n = out->cap = in.n;
		return check_end(j, true, out);
	}
	rc = get_dict(j, in, &dict);
	if (rc == CFS_OK)
		rc = inflate_all(j, in, dict, out);
	if (rc == CFS_EFORMAT && dict == NULL && may_do_without(j, in)) {
		cfs_error_clear(j->ctx.err);
		out->n = 0;
		rc = cfs_archive_dict(j->a, &dict, j->ctx);
		if (rc == CFS_OK)
			rc = inflate_all(j, in, dict, out);
	}
	if (rc == CFS_OK)
		rc = check_end(j, false, out);
	cfs_zst_dict_put(dict);
	free(raw);
	trim(out);
	atomic_fetch_add_explicit(&j->x->inflated_bytes, out->n,
				  memory_order_relaxed);
	return rc;
}

/* ---- records too long for memory ---- */

static void note_read(const struct extract_job *j, size_t n)
{
	atomic_fetch_add_explicit(&j->x->read_bytes, n, memory_order_relaxed);
}

static int no_room(const struct extract_job *j, const struct cfs_buf *out)
{
	if (out->failed == CFS_ENOMEM)
		return cfs_error_nomem(j->ctx.err);
	if (out->failed == CFS_ELIMIT)
		return too_large(j);
	return cfs_error_at(j->ctx.err, out->failed, j->a->src->name,
			    j->span.offset,
			    "no room for a record of more than %zu bytes",
			    out->n);
}

/* Reads the range as the file has it, in steps. */
static int spill_range(struct extract_job *j, struct cfs_buf *out)
{
	struct cfs_source *src = j->a->src;
	uint64_t at = j->span.offset, left = j->span.length;
	int rc = check_range(j);

	while (rc == CFS_OK && left > 0) {
		size_t n =
			left < CFS_SPILL_STEP ? (size_t)left : CFS_SPILL_STEP;

		if (cfs_cancelled(j->ctx.cancel))
			return cfs_error_set(j->ctx.err, CFS_EINTR, "interrupted");
		if (cfs_buf_reserve(out, n) != CFS_OK)
			return no_room(j, out);
		if (left > n)
			cfs_source_prefetch(src, at + n, left - n < n ?
					    (size_t)(left - n) : n);
		rc = cfs_source_read(src, out->p + out->n, n, at, j->ctx);
		if (rc != CFS_OK)
			break;
		note_read(j, n);
		out->n += n;
		at += n;
		left -= n;
		cfs_spill_settle(out);
	}
	return rc;
}

/* Prefetches ahead of a stream, which reads little at a time; `asked` is the
 * offset reached. */
static void ask_ahead(const struct extract_job *j,
		      const struct cfs_member_stream *z, uint64_t *asked)
{
	uint64_t end = j->span.offset + j->span.length;
	uint64_t at = cfs_member_stream_offset(z);

	while (*asked < end && *asked - j->span.offset <
			       at - j->span.offset + CFS_SPILL_STEP) {
		uint64_t n = end - *asked < CFS_SPILL_STEP ? end - *asked :
							     CFS_SPILL_STEP;

		cfs_source_prefetch(j->a->src, *asked, (size_t)n);
		*asked += n;
	}
}

/* Inflates the rest of a member. */
static int spill_member(struct extract_job *j, struct cfs_member_stream *z,
			uint64_t *asked, enum cfs_member_state *state,
			struct cfs_buf *out)
{
	int rc = CFS_OK;

	for (*state = CFS_MEMBER_MORE;
	     rc == CFS_OK && *state == CFS_MEMBER_MORE;) {
		size_t got;

		if (cfs_cancelled(j->ctx.cancel))
			return cfs_error_set(j->ctx.err, CFS_EINTR, "interrupted");
		if (cfs_buf_reserve_some(out, CFS_SPILL_STEP) != CFS_OK)
			return no_room(j, out);
		ask_ahead(j, z, asked);
		rc = cfs_member_stream_read(z, out->p + out->n,
					    cfs_spill_room(out), &got, state,
					    j->ctx);
		if (rc == CFS_OK)
			out->n += got;
		cfs_spill_settle(out);
	}
	return rc;
}

/* Inflates all members of the range; of a cut-off file, what there is. */
static int spill_members(struct extract_job *j, struct cfs_zst_dict *dict,
			 struct cfs_buf *out)
{
	uint64_t end = j->span.offset + j->span.length, asked = j->span.offset;
	enum cfs_member_state state = CFS_MEMBER_END;
	struct cfs_member_stream *z;
	int rc = cfs_member_stream_new(&z, j->a->src, j->span.offset, end, dict,
				       j->ctx.err);

	while (rc == CFS_OK && state == CFS_MEMBER_END) {
		size_t n = out->n;

		rc = spill_member(j, z, &asked, &state, out);
		if (rc == CFS_OK && is_behind_record(out, n, state ==
						     CFS_MEMBER_END)) {
			out->n = n;
			rc = CFS_END;
		}
		if (rc != CFS_OK || state != CFS_MEMBER_END)
			break;
		rc = cfs_member_stream_offset(z) >= end ? CFS_END :
		     cfs_member_stream_next(z, j->ctx);
	}
	if (rc == CFS_OK && state == CFS_MEMBER_CUT && ends_with_file(j))
		j->end = CFS_EXTRACT_CUT;
	else if (rc == CFS_OK)
		rc = damaged(j, state == CFS_MEMBER_CUT ? "the record's last "
			     "member is longer than the index says" :
			     cfs_member_stream_why(z));
	cfs_member_stream_free(z);
	return rc == CFS_END ? CFS_OK : rc;
}

static int spill_own(struct extract_job *j, struct cfs_buf *out)
{
	struct cfs_source *src = j->a->src;
	struct cfs_zst_dict *dict = NULL;
	uint8_t start[CFS_ZST_HEAD_MAX];
	size_t got = 0;
	int rc = check_range(j);

	if (rc == CFS_OK)
		rc = cfs_source_read_some(src, start, sizeof(start),
					  j->span.offset, &got, j->ctx);
	if (rc != CFS_OK)
		return rc;
	if (cfs_coding_of(cfs_slice_of(start, got)) == CFS_CODING_NONE) {
		rc = spill_range(j, out);
		return rc == CFS_OK ? check_end(j, true, out) : rc;
	}
	if (cfs_coding_of(cfs_slice_of(start, got)) == CFS_CODING_ZSTD)
		rc = cfs_archive_dict(j->a, &dict, j->ctx);
	if (rc == CFS_OK)
		rc = spill_members(j, dict, out);
	if (rc == CFS_OK)
		rc = check_end(j, false, out);
	cfs_zst_dict_put(dict);
	atomic_fetch_add_explicit(&j->x->inflated_bytes, out->n,
				  memory_order_relaxed);
	return rc;
}

/* ---- records that share a member ---- */

/* Reads exactly n bytes of the stream, across members, into buf; drops them if
 * buf is NULL. */
static int stream_bytes(const struct extract_job *j,
			struct cfs_paused_stream *p, uint8_t *buf, uint64_t n)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	uint8_t drop[DROP_BYTES];
	int rc = CFS_OK;

	while (rc == CFS_OK && n > 0) {
		size_t most = buf != NULL ? SIZE_MAX : sizeof(drop), got;
		size_t want = n < most ? (size_t)n : most;

		rc = cfs_member_stream_read(p->z, buf != NULL ? buf : drop,
					    want, &got, &state, j->ctx);
		if (rc != CFS_OK)
			break;
		n -= got;
		p->pos += got;
		buf = buf != NULL ? buf + got : NULL;
		if (state == CFS_MEMBER_END && n > 0)
			rc = cfs_member_stream_next(p->z, j->ctx);
		else if (state != CFS_MEMBER_MORE && n > 0)
			return damaged(j, cfs_member_stream_why(p->z));
		if (rc == CFS_END)
			return damaged(j, "member ends before the record does");
	}
	return rc;
}

/* Behind a record shorter than declared: notes if the file is cut off there. */
static int look_behind(struct extract_job *j, struct cfs_paused_stream *p)
{
	enum cfs_member_state state;
	uint8_t byte;
	size_t got;
	int rc = cfs_member_stream_read(p->z, &byte, 1, &got, &state, j->ctx);

	if (rc == CFS_OK && state == CFS_MEMBER_CUT)
		j->end = CFS_EXTRACT_SHORT;
	return rc;
}

static int read_shared(struct extract_job *j, struct cfs_buf *out)
{
	const struct cfs_span *span = &j->span;
	struct cfs_archive *a = j->a;
	struct cfs_paused_stream p;
	bool is_short;
	int rc = CFS_OK;

	if (span->inner_length > j->x->max_record ||
	    span->inner_length > out->max)
		return too_large(j);
	if (cfs_buf_reserve(out, (size_t)span->inner_length) != CFS_OK)
		return no_room(j, out);
	p = cfs_archive_take_stream(a, span->offset, span->inner_offset);
	if (span->inner_offset > SLOW_BYTES &&
	    !atomic_exchange(&a->warned, true))
		cfs_log(CFS_LOG_WARNING, "%s: many records share a member: "
			"each is reached by inflating all before it",
			a->src->name);
	if (p.z == NULL)
		rc = open_stream(j, span->offset, &p.z);
	if (rc == CFS_OK)
		rc = stream_bytes(j, &p, NULL, span->inner_offset - p.pos);
	while (rc == CFS_OK && out->n < span->inner_length) {
		size_t n = cfs_spill_part(out, (size_t)span->inner_length -
					       out->n);

		rc = stream_bytes(j, &p, out->p + out->n, n);
		out->n += rc == CFS_OK ? n : 0;
		cfs_spill_settle(out);
	}
	is_short = rc == CFS_OK && bytes_wanted(cfs_slice_sub(
			cfs_buf_slice(out), 0, CFS_HEAD_MAX)) > out->n;
	if (is_short)
		rc = look_behind(j, &p);
	if (rc != CFS_OK || is_short)
		cfs_member_stream_free(p.z);
	else
		cfs_archive_put_stream(a, p);
	atomic_fetch_add_explicit(&j->x->inflated_bytes, out->n,
				  memory_order_relaxed);
	return rc;
}

int cfs_extract_measure(struct cfs_extractor *x, struct cfs_archive *a,
			struct cfs_span *span, struct cfs_ctx ctx)
{
	struct extract_job j = { x, a, *span, ctx, CFS_EXTRACT_WHOLE,
				 false };
	int rc = find_length(&j);

	if (rc == CFS_OK)
		*span = j.span;
	return rc;
}

int cfs_extract_member(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, struct cfs_buf *out,
		       struct cfs_ctx ctx)
{
	struct extract_job j = { x, a, *span, ctx, CFS_EXTRACT_WHOLE,
				 false };
	int rc = find_length(&j);

	return rc == CFS_OK ? spill_range(&j, out) : rc;
}

int cfs_extract_stored(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, uint8_t **out, size_t *n,
		       struct cfs_zst_dict **dict, struct cfs_ctx ctx)
{
	struct extract_job j = { x, a, *span, ctx, CFS_EXTRACT_WHOLE,
				 false };
	int rc = find_length(&j);

	*out = NULL;
	*dict = NULL;
	if (rc == CFS_OK)
		rc = read_range(&j, out);
	*n = (size_t)j.span.length;
	if (rc != CFS_OK)
		return rc;
	rc = get_dict(&j, cfs_slice_of(*out, *n), dict);
	if (rc != CFS_OK) {
		free(*out);
		*out = NULL;
	}
	return rc;
}

int cfs_extract_record(struct cfs_extractor *x, struct cfs_archive *a,
		       const struct cfs_span *span, struct cfs_buf *out,
		       enum cfs_extract_end *end, struct cfs_ctx ctx)
{
	struct extract_job j = { x, a, *span, ctx, CFS_EXTRACT_WHOLE,
				 false };
	int rc = find_length(&j);

	if (rc == CFS_OK && j.span.inner_length > 0)
		rc = read_shared(&j, out);
	else if (rc == CFS_OK)
		rc = out->spill != NULL ? spill_own(&j, out) :
					  read_own(&j, out);
	*end = j.end;
	return rc;
}
