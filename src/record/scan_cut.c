/* scan_cut.c - finds a place between two records at which a file of members can
 * be cut by several processes, each of which sees the same place.
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
 * The first of these members that does reach beyond the place has it inside,
 * and records up to its end, too, unless the members from there on are as long
 * as said above: of damaged files, that is what all processes go by.  (Of a
 * member with several records only the first is looked at.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "scan_internal.h"

#include <stdlib.h>

#include "sniff.h"
#include "start.h"

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
#define CUT_PIECE ((size_t)256 << 10)
/* Bytes that are searched at once. */
#define CUT_BYTES ((size_t)1 << 20)
/* The header of most records. */
#define CUT_FIRST ((size_t)1 << 10)
/* So many members that are damaged, or end before the place, are inflated:
 * damaged ones may overlap, and each be as long as the file. */
#define CUT_LOOKS_MAX 256u

struct scan_cut {
	struct cfs_source *src;
	struct cfs_inflow st;
	struct cfs_zst_dict *dict;	/* borrowed */
	uint64_t at;			/* the place */
	unsigned looks;			/* members inflated */
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

/* Could the record at the beginning of `in`, a member at file offset `from`,
 * reach the place?  A header of more bytes may belong to any record. */
static bool may_reach(const struct scan_cut *c, struct cfs_slice in,
		      uint64_t from)
{
	uint64_t bytes;

	in = cfs_slice_sub(in, 0, CUT_HEAD);
	if (c->looks >= CUT_LOOKS_MAX || !cut_peek(c, in, CUT_FIRST, &bytes))
		return false;
	if (bytes == UINT64_MAX)
		cut_peek(c, in, CUT_HEAD, &bytes);
	return bytes > INT64_MAX / 2 ||
	       bytes + bytes / CUT_GROWTH + CUT_SLACK >= c->at - from;
}

/* Finds the end of the member at file offset `from`; that offset, if the member
 * is damaged. */
static int end_of_member(const struct scan_cut *c, uint64_t from, uint64_t *end,
			 struct cfs_ctx ctx)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z = NULL;
	uint8_t *piece = malloc(CUT_PIECE);
	size_t got;
	int rc = piece == NULL ? cfs_error_nomem(ctx.err) :
		 cfs_member_stream_new(&z, c->src, from, c->src->size, c->dict,
				       ctx.err);

	*end = from;
	while (rc == CFS_OK && state == CFS_MEMBER_MORE)
		rc = cfs_member_stream_read(z, piece, CUT_PIECE, &got, &state,
					    ctx);
	if (rc == CFS_OK && state == CFS_MEMBER_END)
		*end = cfs_member_stream_offset(z);
	cfs_member_stream_free(z);
	free(piece);
	return rc;
}

/* Do whole members follow each other from the place on, so that it is inside no
 * other?  *broke_at: where they do not. */
static int follow_members(const struct scan_cut *c, bool *are_whole,
			  uint64_t *broke_at, struct cfs_ctx ctx)
{
	uint64_t from = c->at, to = c->at;
	int rc = CFS_OK;

	*are_whole = true;
	while (rc == CFS_OK && *are_whole && from < c->src->size &&
	       from - c->at < CUT_SURE) {
		rc = end_of_member(c, from, &to, ctx);
		*are_whole = to > from;
		from = to;
	}
	*broke_at = from;
	return rc;
}

/* Looks at the member at the beginning of `in`, at file offset *from, which
 * moves on.  *end becomes its end, if the place is inside. */
static int look_at_member(struct scan_cut *c, struct cfs_slice in,
			  uint64_t *from, uint64_t *end, struct cfs_ctx ctx)
{
	uint64_t to = 0;
	int rc = CFS_OK;

	if (may_reach(c, in, *from)) {
		rc = end_of_member(c, *from, &to, ctx);
		c->looks++;
		if (to > c->at)
			*end = to;
	}
	*from = to > *from ? to : *from + 1;
	return rc;
}

/* Looks at the members in a piece of the file at *from, which moves on. */
static int look_at_piece(struct scan_cut *c, struct cfs_slice piece,
			 uint64_t *from, uint64_t *end, struct cfs_ctx ctx)
{
	uint64_t off = *from, behind = off + piece.n;
	int rc = CFS_OK;

	while (rc == CFS_OK && *end == c->at && *from < c->at &&
	       *from < behind) {
		struct cfs_slice rest = cfs_slice_from(piece,
						       (size_t)(*from - off));
		size_t at = cfs_start_magic(c->st.coding, rest);

		*from += at;
		if (at == rest.n) {	/* a magic may be cut by the piece */
			*from -= rest.n > 3 ? 3 : 0;
			return CFS_OK;
		}
		if (rest.n - at < CUT_HEAD && *from > off &&
		    behind < c->src->size)
			return CFS_OK;	/* it is read once more, whole */
		rc = look_at_member(c, cfs_slice_from(rest, at), from, end,
				    ctx);
	}
	return rc;
}

/* Looks at the members before the place, from the first one on.  *end is that
 * of the member that the place is inside, or the place. */
static int look_before(struct scan_cut *c, uint64_t *end, struct cfs_ctx ctx)
{
	uint64_t from = c->at > CUT_BACK_MAX ? c->at - CUT_BACK_MAX : 0;
	uint8_t *buf = malloc(CUT_BYTES);
	int rc = buf != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	*end = c->at;
	while (rc == CFS_OK && *end == c->at && from < c->at) {
		size_t got = 0;

		rc = cfs_source_read_some(c->src, buf, CUT_BYTES, from, &got,
					  ctx);
		if (rc == CFS_OK && got < CFS_MEMBER_MIN)
			break;
		if (rc == CFS_OK)
			rc = look_at_piece(c, cfs_slice_of(buf, got), &from,
					   end, ctx);
	}
	free(buf);
	return rc;
}

/* Moves the place to the first record from `from` on that is inside no other.
 * What is decided of a record does not depend on `from`, so that later places
 * are not before earlier ones. */
static int find_outer(struct scan_cut *c, uint64_t from, struct cfs_ctx ctx)
{
	uint64_t inside_until = 0, broke_at;
	bool is_sure;
	int rc = cfs_inflow_resync(&c->st, from, ctx.err);

	while (rc == CFS_OK) {
		c->at = c->st.file_pos;
		rc = follow_members(c, &is_sure, &broke_at, ctx);
		if (rc == CFS_OK && !is_sure && c->at >= inside_until)
			rc = look_before(c, &inside_until, ctx);
		if (rc != CFS_OK || is_sure || inside_until <= c->at)
			break;
		/* of records up to there, nothing is more sure */
		rc = cfs_inflow_resync(&c->st, broke_at > c->at ? broke_at :
				       c->at + 1, ctx.err);
	}
	return rc;
}

int cfs_scan_cut(struct cfs_source *src, uint64_t at, uint64_t *out,
		 struct cfs_ctx ctx)
{
	struct scan_cut c = { .src = src };
	struct cfs_sniffed found;
	int rc = cfs_sniff_file(src, CFS_SNIFF_SEARCH, &found, ctx);

	c.dict = found.dict;
	if (rc == CFS_OK)
		rc = cfs_inflow_init(&c.st, src, found.coding, 0, found.dict,
				     CFS_SCAN_LOOK_AHEAD, ctx);
	if (rc == CFS_OK && c.st.coding == CFS_CODING_NONE)
		rc = CFS_END;
	if (rc == CFS_OK)
		rc = find_outer(&c, at > found.at ? at : found.at, ctx);
	*out = c.at;
	cfs_sniffed_release(&found);
	cfs_inflow_release(&c.st);
	return rc;
}
