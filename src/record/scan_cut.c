/* scan_cut.c - finds a place between two records at which a file of members can
 * be cut by several processes, each of which sees the same places.
 *
 * What looks like the beginning of a record may be inside another one: an
 * archive that is kept in an archive, stored as it is.  But compression stores
 * bytes in blocks, of at most 65,535 in gzip (RFC 1951, section 3.2.4) and 128
 * KiB in zstd (RFC 8878, section 3.1.1.2), with a header before each: members
 * that follow each other for longer than that, or to the end of the file, are
 * inside nothing.
 *
 * If they do not, because of damage for one, only a walk from the file's
 * beginning is sure to tell, and costs as much as the records before the place.
 * So members before it are looked at without inflating them: a record
 * in one of them can only reach the place if its header declares so many bytes.
 * The first of these members that does reach beyond the place has it inside:
 * of damaged files, that is what all processes go by.  (Of a member with
 * several records only the first is looked at.)
 *
 * The places are the same whichever place is asked for, so that each record is
 * in one part, and in one only, whatever the damage: the file is divided into
 * stretches, and what is found in one depends on it alone: the first record
 * from its beginning on that is inside no other.  There the file may be cut.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "scan_internal.h"

#include <stdlib.h>

#include "base/clamp.h"
#include "sniff.h"
#include "start.h"

/* A file has at most so many stretches, ... */
#define CUT_STRETCHES_MAX 1024u
/* ... of at least so many bytes. */
#define CUT_STRETCH_MIN ((uint64_t)4 << 10)
/* How far before a place members are looked at: longer records are not read
 * either. */
#define CUT_BACK_MAX CFS_RECORD_MAX_DEFAULT
/* Members that follow each other for as long as this are inside nothing: twice
 * the longest block. */
#define CUT_SURE ((uint64_t)256 << 10)
/* The beginning of a member, with the header of its record. */
#define CUT_HEAD ((size_t)16 << 10)
/* Members are at most an eighth longer than what is in them (literals of nine
 * bits), and by their own header. */
#define CUT_GROWTH 8u
#define CUT_SLACK ((uint64_t)64 << 10)
#define CUT_STEP ((size_t)256 << 10)
/* Bytes that are searched at once. */
#define CUT_BYTES ((size_t)1 << 20)
/* The header of most records. */
#define CUT_FIRST ((size_t)1 << 10)
/* Limits, as damaged members may overlap, and each be as long as the file: in a
 * stretch, bytes of members that are followed, and members found to have others
 * inside; in a search for one of these, members inflated, and their bytes. */
#define CUT_FOLLOW_MAX ((uint64_t)64 << 20)
#define CUT_OUTER_MAX 4u
#define CUT_LOOKS_MAX 256u
#define CUT_LOOK_BYTES_MAX (2 * CUT_BACK_MAX)

/* The member found last that has others inside.  As it is the first one to
 * reach a place, it is the first one for all later places that it reaches. */
struct cut_outer {
	uint64_t from, end;	/* file offsets; end 0: none */
	uint64_t reach;		/* its record ends there at the latest */
	bool is_counted;	/* in this stretch */
};

struct scan_cut {
	struct cfs_source *src;
	struct cfs_inflow st;
	struct cfs_zst_dict *dict;	/* borrowed */
	uint64_t first;			/* where the archive begins */
	uint64_t at;			/* the place */
	struct cut_outer outer;
	/* in this stretch: */
	uint64_t followed;		/* bytes */
	unsigned outers;
	/* in this search: */
	unsigned looks;
	uint64_t looked;		/* bytes */
};

/* Inflates the first bytes of a member; *bytes: what the record there declares
 * for itself, if it says that there.  False: it is no record. */
static bool cut_peek(const struct scan_cut *c, struct cfs_slice in, size_t most,
		     uint64_t *bytes)
{
	uint8_t text[CUT_HEAD];
	struct cfs_slice s = cfs_slice_of(text, cfs_member_peek(in, c->dict,
								text, most));

	*bytes = UINT64_MAX;
	if (!cfs_record_is_start(s))
		return false;
	s = cfs_slice_from(s, cfs_head_newlines(s));
	if (!cfs_start_record_bytes(s, bytes))
		*bytes = UINT64_MAX;
	return true;
}

/* Where the record at the beginning of `in`, a member at file offset `from`,
 * ends at the latest: 0, if it is none.  A header of more bytes may belong to
 * any record. */
static uint64_t reach_of(const struct scan_cut *c, struct cfs_slice in,
			 uint64_t from)
{
	uint64_t bytes;

	in = cfs_slice_sub(in, 0, CUT_HEAD);
	if (!cut_peek(c, in, CUT_FIRST, &bytes))
		return 0;
	if (bytes == UINT64_MAX)
		cut_peek(c, in, CUT_HEAD, &bytes);
	if (bytes > INT64_MAX / 2 || from > INT64_MAX / 2)
		return UINT64_MAX;
	return from + bytes + bytes / CUT_GROWTH + CUT_SLACK;
}

/* Finds the end of the member at file offset `from`; that offset, if the member
 * is damaged, or longer than `most` bytes.  *spent grows by its bytes. */
static int end_of_member(const struct scan_cut *c, uint64_t from, uint64_t most,
			 uint64_t *end, uint64_t *spent, struct cfs_ctx ctx)
{
	uint64_t to = from + cfs_clamp_u64(most, 0, c->src->size - from);
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z = NULL;
	uint8_t *buf = malloc(CUT_STEP);
	size_t got;
	int rc = buf == NULL ? cfs_error_nomem(ctx.err) :
		 cfs_member_stream_new(&z, c->src, from, to, c->dict, ctx.err);

	*end = from;
	while (rc == CFS_OK && state == CFS_MEMBER_MORE)
		rc = cfs_member_stream_read(z, buf, CUT_STEP, &got, &state,
					    ctx);
	if (rc == CFS_OK) {
		*spent += cfs_member_stream_offset(z) - from;
		if (state == CFS_MEMBER_END)
			*end = cfs_member_stream_offset(z);
	}
	cfs_member_stream_free(z);
	free(buf);
	return rc;
}

/* Do whole members follow each other from the place on, so that it is inside no
 * other?  *broke_at: where they do not. */
static int follow_members(struct scan_cut *c, bool *are_whole,
			  uint64_t *broke_at, struct cfs_ctx ctx)
{
	uint64_t from = c->at, to = c->at;
	int rc = CFS_OK;

	*are_whole = true;
	while (rc == CFS_OK && *are_whole && from < c->src->size &&
	       from - c->at < CUT_SURE) {
		*are_whole = c->followed < CUT_FOLLOW_MAX;
		if (*are_whole)
			rc = end_of_member(c, from, CUT_FOLLOW_MAX -
					   c->followed, &to, &c->followed, ctx);
		*are_whole = *are_whole && to > from;
		from = to;
	}
	*broke_at = from;
	return rc;
}

/* ---- members that have others inside ------------------------------------- */

static bool has_inside(const struct cut_outer *o, uint64_t at)
{
	return o->from < at && at < o->end && at <= o->reach &&
	       at - o->from <= CUT_BACK_MAX;
}

/* Looks at the member at the beginning of `in`, at file offset `from`. */
static int look_at_member(struct scan_cut *c, struct cfs_slice in,
			  uint64_t from, struct cfs_ctx ctx)
{
	struct cut_outer o = { .from = from, .reach = reach_of(c, in, from) };
	int rc;

	if (o.reach < c->at)
		return CFS_OK;
	c->looks++;
	rc = end_of_member(c, from, UINT64_MAX, &o.end, &c->looked, ctx);
	if (rc == CFS_OK && has_inside(&o, c->at))
		c->outer = o;
	return rc;
}

static bool may_look(const struct scan_cut *c, uint64_t from)
{
	return !has_inside(&c->outer, c->at) && from < c->at &&
	       c->looks < CUT_LOOKS_MAX && c->looked < CUT_LOOK_BYTES_MAX;
}

/* Looks at the members in some bytes of the file at *from, which moves on. */
static int look_at_bytes(struct scan_cut *c, struct cfs_slice bytes,
			 uint64_t *from, struct cfs_ctx ctx)
{
	uint64_t off = *from, behind = off + bytes.n;
	int rc = CFS_OK;

	while (rc == CFS_OK && may_look(c, *from) && *from < behind) {
		struct cfs_slice rest = cfs_slice_from(bytes,
						       (size_t)(*from - off));
		size_t at = cfs_start_magic(c->st.coding, rest);

		*from += at;
		if (at == rest.n) {	/* a magic may be cut */
			*from -= rest.n > 3 ? 3 : 0;
			return CFS_OK;
		}
		if (rest.n - at < CUT_HEAD && *from > off &&
		    behind < c->src->size)
			return CFS_OK;	/* it is read once more, whole */
		if (*from < c->at)
			rc = look_at_member(c, cfs_slice_from(rest, at), *from,
					    ctx);
		*from += 1;
	}
	return rc;
}

/* Finds the first member before the place that has it inside. */
static int find_outer(struct scan_cut *c, struct cfs_ctx ctx)
{
	uint64_t from = c->at > CUT_BACK_MAX ? c->at - CUT_BACK_MAX : 0;
	uint8_t *buf = malloc(CUT_BYTES);
	int rc = buf != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	c->looks = 0;
	c->looked = 0;
	c->outer = (struct cut_outer){ .end = 0 };
	while (rc == CFS_OK && may_look(c, from)) {
		size_t got = 0;

		rc = cfs_source_read_some(c->src, buf, CUT_BYTES, from, &got,
					  ctx);
		if (rc == CFS_OK && got < CFS_MEMBER_MIN)
			break;
		if (rc == CFS_OK)
			rc = look_at_bytes(c, cfs_slice_of(buf, got), &from,
					   ctx);
	}
	free(buf);
	return rc;
}

/* Is the place inside another member?  After CUT_OUTER_MAX of these in a
 * stretch, that is not asked any more. */
static int look_before(struct scan_cut *c, bool *is_inside, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	*is_inside = false;
	if (!has_inside(&c->outer, c->at) || !c->outer.is_counted) {
		if (c->outers == CUT_OUTER_MAX)
			return CFS_OK;
		c->outers++;
		if (!has_inside(&c->outer, c->at))
			rc = find_outer(c, ctx);
		c->outer.is_counted = true;
	}
	*is_inside = rc == CFS_OK && has_inside(&c->outer, c->at);
	return rc;
}

/* ---- places to cut ------------------------------------------------------- */

/* Goes to the place in a stretch at which the file may be cut, the first record
 * that is inside no other: CFS_END, if there is none. */
static int find_in_stretch(struct scan_cut *c, uint64_t begin, uint64_t end,
			   struct cfs_ctx ctx)
{
	uint64_t from = begin > c->first ? begin : c->first, broke_at;
	bool is_sure = false, is_inside = true;
	int rc = CFS_OK;

	c->followed = 0;
	c->outers = 0;
	c->outer.is_counted = false;
	c->st.end = end - 1;
	while (rc == CFS_OK && !is_sure && is_inside) {
		rc = cfs_inflow_resync(&c->st, from, ctx.err);
		if (rc == CFS_OK && c->st.file_pos >= end)
			rc = CFS_END;
		if (rc != CFS_OK)
			break;
		c->at = c->st.file_pos;
		rc = follow_members(c, &is_sure, &broke_at, ctx);
		if (rc == CFS_OK && !is_sure)
			rc = look_before(c, &is_inside, ctx);
		from = broke_at > c->at ? broke_at : c->at + 1;
	}
	return rc;
}

static uint64_t bytes_of_stretch(const struct cfs_source *src)
{
	return cfs_clamp_u64(src->size / CUT_STRETCHES_MAX + 1, CUT_STRETCH_MIN,
			     UINT64_MAX);
}

static int find_place(struct scan_cut *c, uint64_t at, struct cfs_ctx ctx)
{
	uint64_t size = c->src->size, bytes = bytes_of_stretch(c->src);
	int rc = CFS_END;

	for (uint64_t to, from = at - at % bytes; from < size; from = to) {
		to = cfs_clamp_u64(from + bytes, 0, size);
		rc = find_in_stretch(c, from, to, ctx);
		if (rc != CFS_END && (rc != CFS_OK || c->at >= at))
			return rc;
	}
	return CFS_END;
}

int cfs_scan_cut(struct cfs_source *src, uint64_t at, uint64_t *out,
		 struct cfs_ctx ctx)
{
	struct scan_cut c = { .src = src };
	struct cfs_sniffed found;
	int rc = cfs_sniff_file(src, CFS_SNIFF_SEARCH_ZIP, &found, ctx);

	c.dict = found.dict;
	if (rc == CFS_OK)
		rc = cfs_inflow_init(&c.st, src, found.coding, 0, found.dict,
				     CFS_SCAN_LOOK_AHEAD, ctx);
	if (rc == CFS_OK && c.st.coding == CFS_CODING_NONE)
		rc = CFS_END;
	c.first = found.at;
	if (rc == CFS_OK)
		rc = find_place(&c, at, ctx);
	*out = c.at;
	cfs_sniffed_release(&found);
	cfs_inflow_release(&c.st);
	return rc;
}
