/* scan.c - finds the records of an archive one after the other.
 *
 * It works on the concatenated plain bytes of all members (inflow.c), so that
 * one record in a member, several records in a member, a record in several
 * members and no compression at all are the same case:
 *     1. skip line ends; a header must follow (parse.c);
 *     2. take in as many bytes as it declares;
 *     3. find where the record really ends.
 * It ends where the declared length says if, line ends aside, another header or
 * the end of the member or file is there.  Otherwise, in this order:
 *     - the next member begins with a header: the record ends before it;
 *     - a header follows within CFS_ARC_SLACK bytes, or the member ends there:
 *       the record ends there (ARC lengths that leave out line ends;
 *       CC-MAIN-2018-34's WARC);
 *     - within the declared bytes, behind two line ends, is a WARC header whose
 *       record goes past them: the length is too large;
 *     - line ends and then junk follow: the record ends as declared;
 *     - in a member of a gzip file: an ARC record extends to its end or to the
 *       next header, a WARC record ends as declared;
 *     - in a file without members: it ends at the first header behind its own.
 * A member with more bytes than its first records is read to its end before the
 * first of them is handed over, since its checksum is there.
 * Limits: the caller's record size; CFS_HEAD_MAX, CFS_ARC_LINE_MAX for
 * headers; CFS_INFLOW_SEGS_MAX members to a record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "scan_internal.h"

#include "arc.h"
#include "base/clamp.h"

/* Reaching a record this deep in a member takes noticeable time. */
#define SHARED_MEMBER_SLOW (1u << 20)

/* Bytes that end a WARC record. */
#define CRLF_CRLF 4u
/* A record takes at most one part in HOLD_PART of the memory of a walk: its
 * buffer grows by doubling, and the next member is inflated behind it. */
#define HOLD_PART 4u
#define HOLD_LEAST ((uint64_t)1 << 20)
#define HOLD_MOST ((uint64_t)16 << 20)
/* So many bytes are searched before it is asked whether to stop.  No header has
 * a longer line. */
#define SEARCH_STEP ((size_t)1 << 20)

void cfs_scan_report_advance(struct scan *s)
{
	uint64_t now = s->st.file_pos;

	if (s->opts->advanced != NULL && now > s->reported) {
		s->opts->advanced(s->opts->arg, now - s->reported);
		s->reported = now;
	}
}

/* The file offset to report for the byte at a position. */
static uint64_t scan_file_off(const struct scan *s, uint64_t pos)
{
	const struct cfs_inflow_seg *seg;

	if (!has_members(s))
		return pos;
	seg = cfs_inflow_seg_at(&s->st, pos);
	return seg != NULL ? seg->file_off : s->st.file_pos;
}

void cfs_scan_report(struct scan *s, const struct cfs_error *what)
{
	s->counts->damaged++;
	if (s->opts->damaged != NULL)
		s->opts->damaged(s->opts->arg, what);
}

static void report_member(struct scan *s)
{
	s->counts->bad_members++;
	cfs_scan_report(s, &s->st.damage);
}

void cfs_scan_report_at(struct scan *s, uint64_t pos, const char *fmt, ...)
{
	struct cfs_error e = { .code = CFS_EFORMAT };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	cfs_error_where(&e, s->st.src->name, scan_file_off(s, pos));
	cfs_scan_report(s, &e);
}

/*
 * Handles damage in the last member.  If earlier members are held, they are
 * kept: what is held then ends before the damage, and the search for the next
 * member begins once it is used up.
 */
static int on_damage(struct scan *s)
{
	report_member(s);
	if (s->st.is_cut)
		return STEP_END;
	if (!cfs_inflow_undo(&s->st))
		return STEP_DAMAGED;
	s->resync_at_end = true;
	return STEP_END;
}

struct cfs_slice cfs_scan_from(const struct scan *s, uint64_t pos)
{
	return cfs_slice_from(cfs_inflow_bytes(&s->st),
			      (size_t)(pos - s->st.pos));
}

bool cfs_scan_has_new_line(const struct scan *s, uint64_t *seen)
{
	struct cfs_slice b = cfs_scan_from(s, *seen);

	*seen = cfs_inflow_end(&s->st);
	return cfs_slice_find(b, '\n') >= 0;
}

bool cfs_scan_run_on(struct scan *s)
{
	uint64_t rest = cfs_clamp_u64(s->opts->at.rest, 0, s->st.src->size);

	if (s->resync_at_end || s->opts->at.to == 0 || rest <= s->st.end)
		return false;
	s->st.end = rest;
	if (s->opts->ran_on != NULL)
		s->opts->ran_on(s->opts->arg);
	return true;
}

int cfs_scan_grow(struct scan *s)
{
	uint64_t end = cfs_inflow_end(&s->st);
	bool had_bytes = end > s->st.pos;
	int rc;

	if (s->resync_at_end)
		return STEP_END;
	rc = cfs_inflow_pull(&s->st, s->err);
	if (rc == CFS_INFLOW_END && s->st.file_pos > s->st.end &&
	    cfs_scan_run_on(s))
		rc = cfs_inflow_pull(&s->st, s->err);
	cfs_scan_report_advance(s);
	if (rc < 0)
		return rc;
	if (rc == CFS_INFLOW_BAD)
		return on_damage(s);
	if (rc == CFS_INFLOW_END)
		return STEP_END;
	if (rc == CFS_INFLOW_NEW && had_bytes) {
		s->next = end;
		if (cfs_record_is_start(cfs_scan_from(s, end)))
			return STEP_NEXT;
	}
	return STEP_OK;
}

/* True if the member with the byte at pos - 1 is complete; *limit is the end of
 * its bytes so far. */
static bool member_is_over(const struct scan *s, uint64_t pos, uint64_t *limit)
{
	const struct cfs_inflow_seg *seg =
		cfs_inflow_seg_at(&s->st, pos > 0 ? pos - 1 : 0);

	*limit = seg->end;
	return has_members(s) ? !seg->is_open :
			       s->st.file_pos >= s->st.src->size;
}

/* ---- searching ---- */

static int too_large(struct scan *s)
{
	return cfs_error_set(s->err, CFS_ELIMIT,
			     "record of more than %llu bytes",
			     (unsigned long long)s->max_record);
}

/* The first header of p's format in the held bytes before `to`, from the line
 * after `from` on; their end if there is none, or the walk is cancelled. */
static uint64_t search_held(const struct scan *s, uint64_t from, uint64_t to,
			    const struct record_place *p)
{
	uint64_t held = cfs_inflow_end(&s->st), end = to < held ? to : held;
	struct cfs_slice b = cfs_slice_sub(cfs_scan_from(s, from), 0,
					   (size_t)(end - from));
	ptrdiff_t lf = cfs_slice_find(b, '\n');
	size_t line = 0;

	for (b = cfs_slice_from(b, lf < 0 ? b.n : (size_t)lf + 1);
	     b.n > 0 && !cfs_cancelled(s->st.cancel);
	     b = cfs_slice_from(b, line)) {
		struct cfs_slice step = cfs_slice_sub(b, 0, SEARCH_STEP);
		size_t at = cfs_record_find_start(step, p->shape.format, &line);

		if (at < step.n)
			return end - b.n + at;
		lf = line > 0 ? (ptrdiff_t)line - 1 : cfs_slice_find(b, '\n');
		line = lf < 0 || step.n == b.n ? b.n : (size_t)lf + 1;
	}
	return held;
}

/*
 * Finds the first header behind `from` in the same member, taking in more as
 * needed; else the end of that member.
 */
static int search_member(struct scan *s, uint64_t from,
			 enum cfs_archive_format format, uint64_t *out)
{
	uint64_t done = from, seen = from, limit;

	for (;;) {
		bool over = member_is_over(s, from + 1, &limit);
		size_t line = 0;
		struct cfs_slice b = cfs_slice_sub(cfs_scan_from(s, done), 0,
						   (size_t)(limit - done));
		size_t at = !cfs_scan_has_new_line(s, &seen) ? b.n :
			    cfs_record_find_start(b, format, &line);
		int rc;

		if (at < b.n || over) {
			*out = at < b.n ? done + at : limit;
			return STEP_OK;
		}
		/* an endless line is not a header line */
		if (b.n - line > CFS_ARC_LINE_MAX)
			line = b.n - CFS_ARC_LINE_MAX;
		done += line;
		if (limit - s->st.pos > s->max_record)
			return too_large(s);
		rc = cfs_scan_grow(s);
		if (rc < 0)
			return rc;
		if (rc == STEP_END && limit == cfs_inflow_end(&s->st)) {
			*out = limit;
			return STEP_OK;
		}
	}
}

/* ---- one record ---- */

/* Takes in bytes up to `to`.  STEP_NEXT and STEP_END as in grow. */
static int take_in(struct scan *s, uint64_t to)
{
	int rc = STEP_OK;

	while (rc == STEP_OK && cfs_inflow_end(&s->st) < to)
		rc = cfs_scan_grow(s);
	return rc == STEP_END && cfs_inflow_end(&s->st) >= to ? STEP_OK : rc;
}

/* Skips line ends from `from` on, inside the member; *out is the first other
 * byte, or the end of the member (*at_end). */
static int line_ends(struct scan *s, uint64_t from, uint64_t *out, bool *at_end)
{
	uint64_t limit;
	int rc;

	for (;;) {
		bool over = member_is_over(s, from, &limit);
		struct cfs_slice b = cfs_slice_sub(cfs_scan_from(s, from), 0,
						   (size_t)(limit - from));
		size_t n = cfs_head_newlines(b);

		*out = from += n;
		*at_end = over && *out == limit;
		if (n < b.n || over)
			return STEP_OK;
		rc = cfs_scan_grow(s);
		if (rc == STEP_END || rc == STEP_NEXT) {
			*at_end = true;
			return STEP_OK;
		}
		if (rc != STEP_OK)
			return rc;
	}
}

/* Tells if a header line begins at a position.  The line is taken in, even from
 * the next member, unless that begins with a record itself. */
static int is_header_at(struct scan *s, uint64_t pos, bool *yes)
{
	uint64_t seen = pos;
	int rc = STEP_OK;

	while (rc == STEP_OK && !cfs_scan_has_new_line(s, &seen) &&
	       cfs_scan_from(s, pos).n < CFS_ARC_LINE_MAX)
		rc = cfs_scan_grow(s);
	*yes = cfs_record_is_start(cfs_scan_from(s, pos));
	return rc == STEP_END || rc == STEP_NEXT ? STEP_OK : rc;
}

static bool is_separator(struct cfs_slice s)
{
	return cfs_slice_starts(s, CFS_SLICE_LIT("\r\n\r\n")) ||
	       cfs_slice_starts(s, CFS_SLICE_LIT("\n\n"));
}

/* True if the record at `at`, or one behind it, goes past `want`; by_header:
 * with its header. */
static bool goes_past(const struct scan *s, uint64_t at, uint64_t want,
		      bool by_header)
{
	while (at < want) {
		struct cfs_record_shape shape;
		int rc = cfs_record_measure(cfs_scan_from(s, at), &shape, NULL);

		if (rc == CFS_END)
			return true;
		if (rc != CFS_OK || !shape.has_declared ||
		    shape.format != CFS_ARCHIVE_WARC)
			return false;
		at += shape.skip + shape.head_bytes;
		if (at >= want || shape.declared >= want - at)
			return at > want || !by_header;
		at += shape.declared;
	}
	return false;
}

/* The WARC record that lies within the declared bytes of the one at p, though
 * they end inside it; `want` if there is none. */
static uint64_t swallowed(const struct scan *s, const struct record_place *p,
			  uint64_t want)
{
	uint64_t found = p->shape.format != CFS_ARCHIVE_WARC ? want :
			 search_held(s, p->at + p->shape.head_bytes - 1,
				     want + CFS_ARC_LINE_MAX, p);
	struct cfs_slice before = cfs_scan_from(s, found < want ? found - 4 :
						   p->at);

	if (found >= want ||
	    (!is_separator(before) &&
	     !is_separator(cfs_slice_from(before, 2))))
		return want;
	/* a separator at `want` may be what ends the inner header */
	if (goes_past(s, found, want, is_separator(cfs_scan_from(s, want))))
		return found;
	return want;
}

/* Reports that another record begins within the declared bytes. */
static void report_short(struct scan *s, const struct record_place *p)
{
	s->counts->short_records++;
	cfs_scan_report_at(s, p->at, "record is shorter than its declared "
			   "%llu bytes",
			   (unsigned long long)p->shape.declared);
}

/*
 * Finds the end of a record whose declared length led to `want`, and, past line
 * ends, to `after`, where there is no header: see the top.
 */
static int end_elsewhere(struct scan *s, struct record_place *p, uint64_t want,
			 uint64_t after)
{
	enum cfs_archive_format format = p->shape.format;
	uint64_t found, limit, end;
	int rc = take_in(s, want + CFS_ARC_SLACK + 4096);

	if (rc < 0)
		return rc;
	end = cfs_inflow_end(&s->st);
	if (format == CFS_ARCHIVE_ARC) {
		found = search_held(s, want - 1, want + CFS_ARC_SLACK +
						 CFS_ARC_LINE_MAX, p);
		if (found < end && found - want <= CFS_ARC_SLACK) {
			p->end = found;
			return STEP_OK;
		}
	}
	found = swallowed(s, p, want);
	if (found < want) {
		report_short(s, p);
		p->end = found;
		return STEP_OK;
	}
	if (after > want && (format == CFS_ARCHIVE_WARC || !has_members(s))) {
		p->end = after;		/* read_header reports the junk */
		return STEP_OK;
	}
	if ((has_members(s) || s->is_cc) && member_is_over(s, want, &limit) &&
	    limit - want <= CFS_ARC_SLACK) {
		p->end = limit;
		return STEP_OK;
	}
	cfs_scan_report_at(s, p->at, "record does not end at its declared "
			   "length %llu", (unsigned long long)p->shape.declared);
	if (!has_members(s)) {
		found = search_held(s, p->at + p->shape.head_bytes - 1,
				    UINT64_MAX, p);
		if (found < end) {
			p->end = found;
			return STEP_OK;
		}
	}
	if (format == CFS_ARCHIVE_ARC)
		return search_member(s, want, format, &p->end);
	p->end = want;
	return STEP_OK;
}

/* If the next member holds nothing but line ends, which end the record, moves
 * *after, the end of a record and of a member, behind it. */
static int take_line_end_member(struct scan *s, uint64_t *after)
{
	int rc = cfs_inflow_end(&s->st) > *after ? STEP_OK : cfs_scan_grow(s);
	struct cfs_slice b = cfs_scan_from(s, *after);
	uint64_t limit;

	if (rc == STEP_OK && b.n > 0 && cfs_head_newlines(b) == b.n &&
	    member_is_over(s, *after + 1, &limit) && limit == *after + b.n)
		*after = limit;
	return rc < 0 ? rc : STEP_OK;
}

/* Finds the end of a record whose declared bytes are all there. */
static int end_after_declared(struct scan *s, struct record_place *p,
			      uint64_t want)
{
	uint64_t after;
	bool at_end, yes = false;
	int rc = line_ends(s, want, &after, &at_end);

	if (rc == STEP_OK && !at_end)
		rc = is_header_at(s, after, &yes);
	else if (rc == STEP_OK && after - want < CRLF_CRLF && has_members(s) &&
		 p->shape.format == CFS_ARCHIVE_WARC)
		rc = take_line_end_member(s, &after);
	if (rc != STEP_OK)
		return rc;
	if (!at_end && !yes)
		return end_elsewhere(s, p, want, after);
	p->end = after;
	return STEP_OK;
}

/* The file ends before the record does, or another record begins in it. */
static int end_of_file(struct scan *s, struct record_place *p)
{
	uint64_t end = cfs_inflow_end(&s->st);

	p->end = search_held(s, p->at + p->shape.head_bytes - 1, UINT64_MAX,
			     p);
	if (s->st.is_cut || s->resync_at_end)
		return STEP_OK;
	if (p->end < end)
		report_short(s, p);
	else
		cfs_scan_report_at(s, p->at, "file ends inside a record of "
				   "declared %llu bytes",
				   (unsigned long long)p->shape.declared);
	return STEP_OK;
}

/* A record in an uncompressed file declares more bytes than the file has. */
static int end_past_file(struct scan *s, struct record_place *p, uint64_t limit)
{
	bool whole = s->st.src->size <= limit;
	int rc = take_in(s, whole ? s->st.src->size : limit);

	if (rc < 0)
		return rc;
	if (!whole && search_held(s, p->at + p->shape.head_bytes - 1,
				  UINT64_MAX, p) == cfs_inflow_end(&s->st))
		return too_large(s);
	return end_of_file(s, p);
}

/* Finds the record's end.  STEP_OK with p->end; CFS_ELIMIT. */
static int find_end(struct scan *s, struct record_place *p)
{
	uint64_t head_end = p->at + p->shape.head_bytes, want, limit;
	int rc;

	if (!p->shape.has_declared) {
		cfs_scan_report_at(s, p->at, "record has no usable content "
				   "length");
		rc = take_in(s, head_end + 1);
		if (rc < 0)
			return rc;
		p->end = rc == STEP_NEXT ? s->next : head_end;
		if (rc != STEP_OK || (member_is_over(s, head_end, &limit) &&
				      limit == head_end))
			return STEP_OK;
		return search_member(s, head_end, p->shape.format, &p->end);
	}
	want = p->shape.declared > UINT64_MAX / 2 - head_end ? UINT64_MAX / 2 :
	       head_end + p->shape.declared;
	p->want = want;
	limit = p->at + s->max_record;
	if (!has_members(s) && want > s->st.src->size)
		return end_past_file(s, p, limit);
	if (want > limit && !has_members(s))
		return too_large(s);
	rc = take_in(s, want <= limit ? want : limit + 1);
	if (rc == STEP_END && cfs_scan_run_on(s))
		rc = take_in(s, want <= limit ? want : limit + 1);
	if (rc == STEP_OK && want > limit)
		return too_large(s);
	if (rc == STEP_OK)
		return end_after_declared(s, p, want);
	if (rc < 0)
		return rc;
	if (rc == STEP_NEXT) {
		if (p->shape.format == CFS_ARCHIVE_WARC)
			report_short(s, p);
		p->end = s->next;
		return STEP_OK;
	}
	/* resync_at_end: a member of it is damaged, which was reported */
	return s->resync_at_end ? STEP_END : end_of_file(s, p);
}

/* The end of a record in a shared file or member.  Of the line ends behind an
 * ARC record only the first belongs to it; but Common Crawl's lengths leave out
 * more than that, so in its files all of them do. */
static uint64_t without_padding(const struct scan *s,
				const struct record_place *p)
{
	uint64_t want = p->at + p->shape.head_bytes + p->shape.declared;
	struct cfs_slice tail;

	if (p->shape.format != CFS_ARCHIVE_ARC || s->is_cc ||
	    !p->shape.has_declared || want >= p->end)
		return p->end;
	tail = cfs_slice_sub(cfs_scan_from(s, want), 0,
			     (size_t)(p->end - want));
	if (cfs_head_newlines(tail) < tail.n)
		return p->end;
	return tail.p[0] == '\n' ? want + 1 : want;
}

/* Sets the place of a record in the file; returns its bytes. */
static struct cfs_slice locate(const struct scan *s,
			       const struct record_place *p,
			       struct cfs_scan_item *item)
{
	const struct cfs_inflow_seg *a = cfs_inflow_seg_at(&s->st, p->at);
	const struct cfs_inflow_seg *b = cfs_inflow_seg_at(&s->st, p->end - 1);
	uint64_t end = p->end, lead = p->at - a->start;

	if (!has_members(s)) {
		end = without_padding(s, p);
		item->span.offset = p->at;
		item->span.length = end - p->at;
	} else {
		item->span.offset = a->file_off;
		item->span.length = b->file_end - a->file_off;
		if (s->last_end > a->start || b->is_open || b->end != p->end) {
			end = without_padding(s, p);
			item->span.inner_offset = lead;
			item->span.inner_length = end - p->at;
		}
		item->is_one_member = a == b && item->span.inner_length == 0;
	}
	return cfs_slice_sub(cfs_scan_from(s, p->at), 0, (size_t)(end - p->at));
}

/* True if the file ends inside the record: inside its member, or before as many
 * bytes as it declares. */
static bool is_cut_off(const struct scan *s, const struct record_place *p,
		       const struct cfs_record *r)
{
	if (p->end < cfs_inflow_end(&s->st))
		return false;
	return s->st.is_cut || (!has_members(s) && p->want > p->end &&
				cfs_record_ends_short(r));
}

static int parse_bytes(const struct scan *s, struct cfs_slice bytes,
		       const struct cfs_record_limits *limits,
		       struct cfs_record *r, struct cfs_error *err)
{
	return cfs_record_parse(
		r, bytes,
		cfs_flag(s->is_cc, CFS_PARSE_COMMON_CRAWL) |
			cfs_flag(s->opts->no_bodies, CFS_PARSE_HEAD_ONLY),
		limits, NULL, err);
}

/* Finds the place of a record, and parses it.  If its body is too long for
 * memory once it is decoded, both go into files: the pages of a record are
 * released in all of it or not at all. */
static int parse(struct scan *s, const struct record_place *p,
		 struct cfs_scan_item *item, struct cfs_slice *bytes,
		 struct cfs_record *r, struct cfs_error *err)
{
	uint64_t most = s->opts->memory_bytes;
	struct cfs_record_limits limits = s->limits;
	int rc = CFS_OK;

	*bytes = locate(s, p, item);
	if (most > 0 && !cfs_inflow_is_spilled(&s->st)) {
		most = most > bytes->n ? most : bytes->n;
		limits.max_body_bytes = most < limits.max_body_bytes ?
					most : limits.max_body_bytes;
		rc = parse_bytes(s, *bytes, &limits, r, err);
		if (rc != CFS_ELIMIT)
			return rc;
		cfs_error_clear(err);
		rc = cfs_inflow_move_to_file(&s->st, err);
		*bytes = locate(s, p, item);
	}
	if (most > 0)
		limits.spill_dir = item->spill_dir = s->opts->spill_dir;
	limits.max_body_bytes = s->limits.max_body_bytes;
	return rc == CFS_OK ? parse_bytes(s, *bytes, &limits, r, err) : rc;
}

static int emit(struct scan *s, const struct record_place *p)
{
	struct cfs_scan_item item = { 0 };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_slice bytes;
	struct cfs_record r;
	int rc = parse(s, p, &item, &bytes, &r, &e);

	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(s->err);
	if (rc == CFS_EIO) {
		s->st.spill_failed = true;
		return cfs_error_pass(s->err, &e, rc);
	}
	if (rc != CFS_OK) {
		cfs_scan_report_at(s, p->at, "%s", e.text);
		return STEP_OK;
	}
	if (r.type == CFS_RECORD_ARC_HEADER && !cfs_arc_is_file_url(r.url))
		cfs_scan_report_at(s, p->at, "the URL of the file's first "
				   "record is damaged");
	r.is_cut_off = is_cut_off(s, p, &r);
	r.is_cut = r.is_cut || r.is_cut_off;
	s->counts->records++;
	if (item.span.inner_offset > SHARED_MEMBER_SLOW)
		s->counts->one_big_member = true;
	item.record = &r;
	item.surplus = bytes.n - r.all.n;
	rc = s->fn(s->opts->arg, &item);
	cfs_record_release(&r);
	return rc;
}

/* Skips a record that is too large, without holding it. */
static int discard(struct scan *s, const struct record_place *p)
{
	uint64_t to = p->want > 0 ? p->want : UINT64_MAX;
	int rc = STEP_OK;

	cfs_scan_report_at(s, p->at, "%s", s->err->text[0] != '\0' ?
			   s->err->text : "record is too large");
	cfs_error_clear(s->err);
	if (!has_members(s) && p->want > cfs_inflow_end(&s->st)) {
		cfs_inflow_skip(&s->st, p->want < s->st.src->size ? p->want :
				s->st.src->size);
		cfs_scan_report_advance(s);
		return STEP_OK;
	}
	while (rc == STEP_OK && cfs_inflow_end(&s->st) < to) {
		cfs_inflow_drop(&s->st, cfs_inflow_end(&s->st));
		rc = cfs_scan_grow(s);
		/* grow does not see a new record if no bytes were held */
		if (rc == STEP_OK && cfs_inflow_end(&s->st) > s->st.pos &&
		    cfs_inflow_seg_at(&s->st, s->st.pos)->start == s->st.pos &&
		    cfs_record_is_start(cfs_inflow_bytes(&s->st)))
			return STEP_OK;
	}
	if (cfs_inflow_end(&s->st) >= to && to > s->st.pos)
		cfs_inflow_drop(&s->st, to);
	return rc == STEP_NEXT ? STEP_OK : rc;
}

/* If the record at p ends inside a member, checks that this is whole. */
static int check_member(struct scan *s, const struct record_place *p)
{
	const struct cfs_inflow_seg *seg =
		cfs_inflow_seg_at(&s->st, p->end - 1);
	int rc;

	if (!has_members(s) || !seg->is_open || s->checked == seg->file_off + 1)
		return STEP_OK;
	s->checked = seg->file_off + 1;
	rc = cfs_inflow_check(&s->st, s->err);
	if (rc != CFS_INFLOW_BAD)
		return rc < 0 ? rc : STEP_OK;
	report_member(s);
	return STEP_DAMAGED;
}

static int scan_interrupted(struct scan *s)
{
	cfs_error_clear(s->err);
	return cfs_error_set(s->err, CFS_EINTR, "interrupted");
}

/* Reads one record, or reports one damaged place.  STEP_OK to go on. */
static int one_record(struct scan *s)
{
	struct record_place p = { 0 };
	int rc = cfs_scan_skip_newlines(s);

	if (rc != STEP_OK)
		return rc;
	rc = cfs_scan_read_header(s, &p);
	if (rc == STEP_NEXT) {
		s->last_end = s->st.pos;
		return STEP_OK;
	}
	if (rc != STEP_OK)
		return rc;
	rc = find_end(s, &p);
	if (cfs_cancelled(s->st.cancel))	/* a search may have ended */
		return scan_interrupted(s);
	if (rc == CFS_ELIMIT) {
		rc = discard(s, &p);
		s->last_end = s->st.pos;
		return rc;
	}
	if (rc == STEP_OK)
		rc = check_member(s, &p);
	if (rc != STEP_OK)
		return rc;
	rc = emit(s, &p);
	s->last_end = p.end;
	cfs_inflow_drop(&s->st, p.end);
	return rc;
}

static int all_records(struct scan *s)
{
	int rc;

	for (;;) {
		if (cfs_cancelled(s->st.cancel))
			return scan_interrupted(s);
		rc = one_record(s);
		if (rc == STEP_DAMAGED ||
		    (rc == STEP_END && s->resync_at_end)) {
			rc = cfs_scan_resync(s);
			s->last_end = s->st.pos;
		}
		if (rc != STEP_OK)
			break;
	}
	return rc == STEP_END ? CFS_OK : rc;
}

uint64_t cfs_scan_hold(uint64_t memory, unsigned threads)
{
	return cfs_clamp_u64(memory / threads / HOLD_PART, HOLD_LEAST,
			     HOLD_MOST);
}

int cfs_scan_archive(struct cfs_source *src, const struct cfs_scan_opts *opts,
		     cfs_scan_fn *fn, struct cfs_scan_counts *counts,
		     struct cfs_error *err)
{
	static const struct cfs_scan_opts none;
	struct cfs_scan_counts ignored;
	struct cfs_error own = CFS_ERROR_INIT;
	struct scan s = { .opts = &none, .fn = fn, .counts = &ignored,
			  .err = &own };
	int rc;

	if (opts != NULL)
		s.opts = opts;
	if (counts != NULL)
		s.counts = counts;
	if (err != NULL)
		s.err = err;
	*s.counts = (struct cfs_scan_counts){ 0 };
	s.max_record = s.opts->max_record_bytes > 0 ?
		       s.opts->max_record_bytes : CFS_RECORD_MAX_DEFAULT;
	if (s.max_record > UINT64_MAX / 4)
		s.max_record = UINT64_MAX / 4;
	s.limits.max_body_bytes = s.max_record;
	rc = cfs_scan_begin(&s, src);
	if (rc == CFS_OK)
		rc = all_records(&s);
	if (rc == CFS_OK && s.st.file_pos < s.st.end)
		s.st.file_pos = s.st.end;
	cfs_scan_report_advance(&s);
	s.counts->spill_failed = rc == CFS_EIO && s.st.spill_failed;
	s.counts->members = s.st.members;
	s.counts->inflated_bytes = s.st.inflated;
	if (rc == CFS_OK && s.counts->records == 0 &&
	    s.counts->damaged == 0 && s.opts->at.from == 0)
		rc = cfs_scan_no_archive(&s, src);
	cfs_error_where(s.err, src->name, s.st.file_pos);
	cfs_inflow_release(&s.st);
	return rc;
}
