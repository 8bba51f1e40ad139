/* related.c - encodes and decodes the companions and related records of a
 * capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "related.h"

#define CODE_BITS 4u
#define CODE_ELSEWHERE 4u
#define LENGTH_MAX (UINT64_MAX >> CODE_BITS)

/* ---- places and companions ---- */

static size_t put_place(const struct cfs_span *loc, uint8_t *p)
{
	size_t n = cfs_varint_put(p, loc->file[0]);

	n += cfs_varint_put(p + n, loc->offset);
	n += cfs_varint_put(p + n, loc->length);
	n += cfs_varint_put(p + n, loc->inner_offset);
	return n + cfs_varint_put(p + n, loc->inner_length);
}

size_t cfs_companion_put(const struct cfs_companion *s, uint8_t *p)
{
	size_t n = cfs_varint_put(p, s->kind);

	n += put_place(&s->loc, p + n);
	return n + cfs_varint_put(p + n, s->bytes);
}

static void take_place(struct cfs_span *loc, struct cfs_cursor *c)
{
	loc->file[0] = cfs_cursor_varint(c);
	loc->offset = cfs_cursor_varint(c);
	loc->length = cfs_cursor_varint(c);
	loc->inner_offset = cfs_cursor_varint(c);
	loc->inner_length = cfs_cursor_varint(c);
}

bool cfs_companion_take(struct cfs_companion *s, struct cfs_cursor *c)
{
	uint64_t kind = cfs_cursor_varint(c);
	bool is_known = kind <= CFS_COMPANION_WARC;

	s->kind = is_known ? (enum cfs_companion_kind)kind :
			     CFS_COMPANION_NONE;
	take_place(&s->loc, c);
	s->bytes = cfs_cursor_varint(c);
	return is_known;
}

/* ---- related records ---- */

struct cfs_related_near cfs_related_near(const struct cfs_span *loc)
{
	return (struct cfs_related_near){
		.archive = loc->file[0], .before = loc->offset,
		.behind = loc->offset + loc->length,
		/* without a length, the offset behind it is not known */
		.is_usable = loc->inner_length == 0 && loc->length > 0 &&
			     loc->length <= UINT64_MAX - loc->offset,
	};
}

/* The code of a record that needs its length only, else CODE_ELSEWHERE.
 * Advances `near`. */
static unsigned near_code(struct cfs_related_near *near, unsigned what,
			  const struct cfs_span *loc)
{
	unsigned first = what == CFS_RELATED_REQUEST ? 0 : 2;

	if (what > CFS_RELATED_METADATA || !near->is_usable ||
	    loc->file[0] != near->archive || loc->inner_length > 0 ||
	    loc->length == 0 || loc->length > LENGTH_MAX)
		return CODE_ELSEWHERE;
	if (loc->offset == near->behind) {
		near->behind += loc->length;
		return first + 1;
	}
	if (loc->offset + loc->length != near->before)
		return CODE_ELSEWHERE;
	near->before = loc->offset;
	return first;
}

int cfs_related_put(struct cfs_buf *list, struct cfs_related_near *near,
		    unsigned what, const struct cfs_companion *record)
{
	const struct cfs_span *loc = &record->loc;
	uint8_t place[CFS_COMPANION_PLACE_MAX];
	unsigned code = near_code(near, what, loc);

	if (code != CODE_ELSEWHERE)
		return cfs_buf_varint(list, loc->length << CODE_BITS | code);
	cfs_buf_varint(list, (uint64_t)record->form << CODE_BITS |
			     (CODE_ELSEWHERE + what));
	cfs_buf_append(list, place, put_place(loc, place));
	return cfs_buf_varint(list, record->bytes + 1);
}

/* Stored bytes are + 1, so that CFS_COMPANION_BYTES_UNKNOWN becomes 0. */
static void take_elsewhere(struct cfs_cursor *c, struct cfs_companion *out)
{
	take_place(&out->loc, c);
	out->bytes = cfs_cursor_varint(c) - 1;
}

/* False if a length leads out of the file. */
static bool take_near(struct cfs_related_near *near, bool is_behind,
		      uint64_t length, struct cfs_companion *out)
{
	if (!near->is_usable || length == 0 ||
	    length > (is_behind ? UINT64_MAX - near->behind : near->before))
		return false;
	if (!is_behind)
		near->before -= length;
	out->loc.file[0] = near->archive;
	out->loc.offset = is_behind ? near->behind : near->before;
	out->loc.length = length;
	out->bytes = CFS_COMPANION_BYTES_UNKNOWN;
	if (is_behind)
		near->behind += length;
	return true;
}

/* ---- next to the capture's record ---- */

static bool begins_at(const struct cfs_companion *s, const struct cfs_span *loc,
		      uint64_t offset)
{
	return s != NULL && s->loc.file[0] == loc->file[0] &&
	       s->loc.inner_length == 0 && s->loc.length > 0 &&
	       s->loc.offset == offset;
}

/* By where the request lies, and whether metadata lies behind both. */
enum { NO_REQUEST, BEFORE, BEHIND };
static const uint8_t adjacency[][2] = {
	[NO_REQUEST] = { CFS_ADJACENT_NOWHERE, CFS_ADJACENT_METADATA_BEHIND },
	[BEFORE] = { CFS_ADJACENT_REQUEST_BEFORE, CFS_ADJACENT_AROUND },
	[BEHIND] = { CFS_ADJACENT_REQUEST_BEHIND, CFS_ADJACENT_BOTH_BEHIND },
};

unsigned cfs_related_next_to(struct cfs_capture *cap,
			     const struct cfs_companion *request,
			     const struct cfs_companion *metadata)
{
	const struct cfs_span *loc = &cap->loc;
	uint64_t end = loc->offset + loc->length;
	bool before, behind, after = false;	/* request; metadata */
	unsigned request_at = NO_REQUEST;

	if (!cfs_related_near(loc).is_usable)
		return 0;
	before = request != NULL && request->loc.length <= loc->offset &&
		 begins_at(request, loc, loc->offset - request->loc.length);
	behind = begins_at(request, loc, end);
	if (metadata != NULL && metadata->is_one_member)
		after = begins_at(metadata, loc,
				  end + (behind ? request->loc.length : 0));
	behind = behind && (after || request->is_one_member);
	if (behind)
		request_at = BEHIND;
	else if (before)
		request_at = BEFORE;
	cap->adjacent = adjacency[request_at][after];
	cap->request_bytes = cfs_adjacency_has_length(cap->adjacent) ?
			     request->loc.length : 0;
	return (unsigned)(before || behind) << CFS_RELATED_REQUEST |
	       (unsigned)after << CFS_RELATED_METADATA;
}

/* False if there is none, or if it would lie outside the file. */
static bool find_next_to(const struct cfs_capture *cap, enum cfs_related what,
			 struct cfs_companion *out)
{
	const struct cfs_span *loc = &cap->loc;
	bool is_request = what == CFS_RELATED_REQUEST;
	uint64_t end = loc->offset + loc->length, n = cap->request_bytes;

	*out = (struct cfs_companion){ .kind = CFS_COMPANION_WARC, .loc = *loc,
				  .bytes = CFS_COMPANION_BYTES_UNKNOWN };
	out->loc.offset = end;
	out->loc.length = 0;
	switch (cap->adjacent) {
	case CFS_ADJACENT_REQUEST_BEFORE:
	case CFS_ADJACENT_AROUND:
		if (is_request) {
			out->loc.offset = loc->offset - n;
			out->loc.length = n;
			return n > 0 && n <= loc->offset;
		}
		return cap->adjacent == CFS_ADJACENT_AROUND;
	case CFS_ADJACENT_METADATA_BEHIND:
		return !is_request;
	case CFS_ADJACENT_REQUEST_BEHIND:
		return is_request;
	case CFS_ADJACENT_BOTH_BEHIND:
		if (is_request)
			out->loc.length = n;
		else
			out->loc.offset += n;
		return n > 0 && n <= UINT64_MAX - end;
	default:
		return false;
	}
}

bool cfs_related_find(const struct cfs_capture *cap, enum cfs_related what,
		      struct cfs_companion *out)
{
	return (what <= CFS_RELATED_METADATA &&
		cfs_related_near(&cap->loc).is_usable &&
		find_next_to(cap, what, out)) ||
	       cfs_related_listed(cap, what, out);
}

/* ---- in the list ---- */

struct list_reading {
	struct cfs_cursor c;
	struct cfs_related_near near;
	uint64_t folder;	/* of the capture's archive */
};

static struct list_reading related_read_list(const struct cfs_capture *cap)
{
	return (struct list_reading){ { cap->related, false },
				 cfs_related_near(&cap->loc),
				 cap->loc.file[3] };
}

/* Reads the next record of a list and its kind.  False at the end, and if the
 * list is damaged. */
static bool read_one(struct list_reading *r, struct cfs_companion *out,
		     unsigned *kind)
{
	uint64_t head, n;
	unsigned code;

	*out = (struct cfs_companion){ .kind = CFS_COMPANION_NONE };
	if (r->c.rest.n == 0)
		return false;
	head = cfs_cursor_varint(&r->c);
	n = head >> CODE_BITS;
	code = head & ((1u << CODE_BITS) - 1);
	*kind = code / 2;
	*out = (struct cfs_companion){ .kind = CFS_COMPANION_WARC,
				  .loc.file[3] = r->folder };
	if (code >= CODE_ELSEWHERE) {
		take_elsewhere(&r->c, out);
		out->form = (uint8_t)(n < CFS_RELATED_FORMS ? n : 0);
		*kind = code - CODE_ELSEWHERE;
	} else if (!take_near(&r->near, code % 2 == 1, n, out)) {
		return false;
	}
	return !r->c.bad;
}

bool cfs_related_listed(const struct cfs_capture *cap, enum cfs_related what,
			struct cfs_companion *out)
{
	struct list_reading r = related_read_list(cap);
	unsigned kind;

	while (read_one(&r, out, &kind))
		if (kind == (unsigned)what)
			return true;
	return false;
}

unsigned cfs_related_segments(const struct cfs_capture *cap,
			      struct cfs_companion *out)
{
	struct list_reading r = related_read_list(cap);
	struct cfs_companion record;
	unsigned kind, n = 0;

	while (n < CFS_SEGMENTS_MAX && read_one(&r, &record, &kind))
		if (kind == CFS_RELATED_SEGMENT)
			out[n++] = record;
	return n;
}
