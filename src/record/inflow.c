/* inflow.c - inflates the members of an archive one after the other.
 *
 * A member whose compressed bytes lie in the window and that is not too large
 * is inflated at once (libdeflate, libzstd).  If that fails, because it is
 * larger, damaged or cut off, it is inflated in steps (members.h), which shows
 * which of the three it is and takes constant memory.
 *
 * Zstd frames without data belong to the frame before them.  A dictionary may
 * occur again, as in files that were concatenated; a different one is damage.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "inflow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "codec/gzip.h"
#include "codec/zstd.h"
#include "start.h"

/* The window, and how much of it is filled before a member is tried.  2 MiB is
 * more than any record of Common Crawl's first 17 years. */
#define WINDOW (4u << 20)
#define WINDOW_MIN (2u << 20)
/* The same of bytes that still come: no more are waited for than most members
 * have. */
#define WINDOW_LIVE_MIN (64u << 10)
/* A larger member may be a whole file: it is read in steps. */
#define WHOLE_MAX (16u << 20)
#define STEP_BYTES (256u << 10)
/* For so many members at most it is checked whether others lie behind their
 * beginning, since each check reads the file to its end. */
#define LOOKS_BEHIND_MAX 16u

int cfs_inflow_init(struct cfs_inflow *s, struct cfs_source *src,
		    enum cfs_coding coding, uint64_t at,
		    struct cfs_zst_dict *dict, uint64_t max_bytes,
		    struct cfs_ctx ctx)
{
	memset(s, 0, sizeof(*s));
	s->src = src;
	s->cancel = ctx.cancel;
	s->end = src->size;
	s->file_pos = at;
	cfs_buf_init(&s->out, max_bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 :
							    (size_t)max_bytes);
	s->coding = coding;
	if (coding == CFS_CODING_NONE) {
		s->pos = at;
		return CFS_OK;
	}
	s->in = malloc(WINDOW);
	if (s->in == NULL)
		return cfs_error_nomem(ctx.err);
	s->dict = cfs_zst_dict_ref(dict);
	return CFS_OK;
}

void cfs_inflow_release(struct cfs_inflow *s)
{
	cfs_member_stream_free(s->z);
	cfs_zst_dict_put(s->dict);
	cfs_buf_release(&s->out);
	free(s->segs);
	free(s->in);
	memset(s, 0, sizeof(*s));
}

void cfs_inflow_spill(struct cfs_inflow *s, size_t hold_max, const char *dir)
{
	s->hold_max = hold_max;
	s->spill_dir = dir;
}

struct cfs_slice cfs_inflow_bytes(const struct cfs_inflow *s)
{
	return cfs_slice_from(cfs_buf_slice(&s->out), s->from);
}

/* ---- segments ---- */

static struct cfs_inflow_seg *last_seg(const struct cfs_inflow *s)
{
	assert(s->n_segs > 0);
	return &s->segs[s->segs_from + s->n_segs - 1];
}

/* Adds a segment; those that were dropped leave room in front, which is made
 * use of once it is more than half of all. */
static int add_seg(struct cfs_inflow *s, uint64_t file_off,
		   struct cfs_error *err)
{
	uint64_t pos = cfs_inflow_end(s);

	if (s->n_segs >= CFS_INFLOW_SEGS_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "record is spread over %u members",
				     CFS_INFLOW_SEGS_MAX);
	if (s->segs_from > s->n_segs) {
		memmove(s->segs, s->segs + s->segs_from,
			s->n_segs * sizeof(*s->segs));
		s->segs_from = 0;
	}
	if (cfs_array_reserve((void **)&s->segs, &s->segs_cap,
			      s->segs_from + s->n_segs + 1, sizeof(*s->segs),
			      2 * CFS_INFLOW_SEGS_MAX) != CFS_OK)
		return cfs_error_nomem(err);
	s->n_segs++;
	*last_seg(s) = (struct cfs_inflow_seg){ file_off, file_off, pos, pos,
						true };
	return CFS_OK;
}

struct cfs_inflow_seg *cfs_inflow_seg_at(const struct cfs_inflow *s,
					 uint64_t pos)
{
	struct cfs_inflow_seg *segs = s->segs + s->segs_from;
	size_t next = 1;

	if (s->n_segs == 0)
		return NULL;
	/* the one before the first that starts behind pos */
	CFS_LOWER_BOUND(next, s->n_segs, i, segs[i].start <= pos);
	return &segs[next - 1];
}

void cfs_inflow_drop(struct cfs_inflow *s, uint64_t to)
{
	uint64_t n = to - s->pos;
	const struct cfs_inflow_seg *seg;

	assert(to >= s->pos && n <= s->out.n - s->from);
	s->from += (size_t)n;
	s->pos = to;
	while (s->n_segs > 0) {
		seg = &s->segs[s->segs_from];
		if (seg->end > to || seg->is_open)
			break;
		s->segs_from++;
		s->n_segs--;
	}
	if (s->from == s->out.n)
		s->from = s->out.n = 0;
}

void cfs_inflow_skip(struct cfs_inflow *s, uint64_t to)
{
	assert(s->coding == CFS_CODING_NONE && s->n_segs > 0);
	s->from = s->out.n = 0;
	s->pos = s->file_pos = to;
	last_seg(s)->end = last_seg(s)->file_end = to;
}

bool cfs_inflow_undo(struct cfs_inflow *s)
{
	struct cfs_inflow_seg *seg;

	if (s->n_segs == 0)
		return false;
	seg = last_seg(s);
	if (seg->file_off != s->damage.offset)
		return s->out.n > s->from;
	if (seg->start <= s->pos)
		return false;
	s->out.n = s->from + (size_t)(seg->start - s->pos);
	s->n_segs--;
	return true;
}

/* Why a buffer for the bytes held has no room for more. */
static int has_no_room(struct cfs_inflow *s, int rc, struct cfs_error *err)
{
	s->spill_failed = rc == CFS_EIO;
	if (rc == CFS_EIO)
		return cfs_error_at(err, rc, s->spill_dir, 0, "no room for a "
				    "record of more than %zu bytes",
				    s->out.n - s->from);
	return cfs_error_set(err, rc, rc == CFS_ELIMIT ?
			     "more than %zu bytes at once" : "out of memory",
			     s->out.max);
}

/* Moves the held bytes into a new buffer: a file in `dir`, or memory if that is
 * NULL. */
static int move(struct cfs_inflow *s, const char *dir, struct cfs_error *err)
{
	struct cfs_slice left = cfs_inflow_bytes(s);
	struct cfs_buf b;
	int rc;

	cfs_buf_init(&b, s->out.max);
	rc = dir != NULL ? cfs_spill_begin(&b, dir, err) : CFS_OK;
	s->spill_failed = rc == CFS_EIO;
	if (rc != CFS_OK)
		return rc;
	while (left.n > 0 && b.failed == CFS_OK) {
		size_t n = left.n < CFS_SPILL_STEP ? left.n : CFS_SPILL_STEP;

		cfs_buf_add(&b, cfs_slice_sub(left, 0, n));
		cfs_spill_settle(&b);
		left = cfs_slice_from(left, n);
	}
	if (b.failed != CFS_OK) {
		rc = b.failed;
		cfs_buf_release(&b);
		return has_no_room(s, rc, err);
	}
	cfs_buf_release(&s->out);
	s->out = b;
	s->from = 0;
	return CFS_OK;
}

int cfs_inflow_move_to_file(struct cfs_inflow *s, struct cfs_error *err)
{
	return move(s, s->spill_dir, err);
}

/* Has the held bytes be where they belong if `more` are taken in. */
static int settle(struct cfs_inflow *s, size_t more, struct cfs_error *err)
{
	size_t held = s->out.n - s->from;

	if (s->spill_dir == NULL)
		return CFS_OK;
	if (s->out.spill == NULL && held + more > s->hold_max)
		return move(s, s->spill_dir, err);
	if (s->out.spill != NULL && held + more <= s->hold_max / 2)
		return move(s, NULL, err);
	cfs_spill_settle(&s->out);
	return CFS_OK;
}

/* Makes room for more bytes, by moving the held ones down before growing. */
static int make_room(struct cfs_inflow *s, size_t more, struct cfs_error *err)
{
	int rc = settle(s, more, err);
	size_t held = s->out.n - s->from;

	if (rc != CFS_OK)
		return rc;

	if (s->from > 0 && (more > s->out.cap - s->out.n || s->from > held)) {
		if (held > 0)
			memmove(s->out.p, s->out.p + s->from, held);
		s->from = 0;
		s->out.n = held;
	}
	rc = more > s->out.max - s->out.n ? CFS_ELIMIT :
	     cfs_buf_reserve(&s->out, more);
	return rc == CFS_OK ? rc : has_no_room(s, rc, err);
}

/* ---- taking in ---- */

static int pull_plain(struct cfs_inflow *s, struct cfs_error *err)
{
	uint64_t left = s->src->size - s->file_pos;
	size_t want = left < STEP_BYTES ? (size_t)left : STEP_BYTES, got;
	bool is_first = s->n_segs == 0;
	int rc;

	if (s->file_pos >= s->src->size)
		return CFS_INFLOW_END;
	rc = make_room(s, want, err);
	if (rc == CFS_OK && is_first)
		rc = add_seg(s, s->file_pos, err);
	if (rc == CFS_OK)
		rc = cfs_source_read_some(s->src, s->out.p + s->out.n, want,
					  s->file_pos, &got,
					  CFS_CTX(s->cancel, err));
	if (rc != CFS_OK)
		return rc;
	if (got == 0) {			/* the file was truncated */
		s->file_pos = s->src->size;
		return CFS_INFLOW_END;
	}
	s->out.n += got;
	s->file_pos += got;
	s->inflated += got;
	last_seg(s)->end = cfs_inflow_end(s);
	last_seg(s)->file_end = s->file_pos;
	return is_first ? CFS_INFLOW_NEW : CFS_INFLOW_SAME;
}

/* The bytes in the window from file_pos on. */
static struct cfs_slice window(const struct cfs_inflow *s)
{
	if (s->file_pos < s->in_off || s->file_pos - s->in_off >= s->in_n)
		return CFS_SLICE_EMPTY;
	return cfs_slice_from(cfs_slice_of(s->in, s->in_n),
			      (size_t)(s->file_pos - s->in_off));
}

/* Fills the window from file_pos on; *out are its bytes from there. */
static int fill_window(struct cfs_inflow *s, struct cfs_slice *out,
		       struct cfs_error *err)
{
	size_t have, got, least = s->src->is_live ? WINDOW_LIVE_MIN :
						    WINDOW_MIN;
	int rc = CFS_OK;

	*out = window(s);
	have = out->n;
	if (have < least && s->src->size - s->file_pos > have) {
		memmove(s->in, out->p, have);
		rc = cfs_source_read_some(s->src, s->in + have, WINDOW - have,
					  s->file_pos + have, &got,
					  CFS_CTX(s->cancel, err));
		s->in_off = s->file_pos;
		s->in_n = rc == CFS_OK ? have + got : 0;
		*out = window(s);
	}
	return rc;
}

static int damaged(struct cfs_inflow *s, uint64_t off, uint64_t resume,
		   const char *why)
{
	cfs_error_clear(&s->damage);
	cfs_error_at(&s->damage, CFS_EFORMAT, s->src->name, off, "%s", why);
	s->resume = resume;
	return CFS_INFLOW_BAD;
}

/* Inflates a member at once.  CFS_EFORMAT: it must be read in steps. */
static int pull_whole(struct cfs_inflow *s, struct cfs_slice in)
{
	size_t used = 0, before = s->out.n, max = s->out.max;
	size_t most = s->spill_dir != NULL && s->hold_max < WHOLE_MAX ?
			      s->hold_max : WHOLE_MAX;
	int rc;

	if (max - s->out.n > most)
		s->out.max = s->out.n + most;
	if (s->out.max < s->out.cap)
		s->out.max = s->out.cap;
	rc = cfs_member_whole(in, s->dict, &s->out, &used);
	s->out.max = max;
	if (rc != CFS_OK)
		return rc;
	last_seg(s)->end += s->out.n - before;
	last_seg(s)->is_open = false;
	s->file_pos += used;
	last_seg(s)->file_end = s->file_pos;
	s->members++;
	s->inflated += s->out.n - before;
	return CFS_OK;
}

/*
 * For a member that extends to the end of the file: was it cut off, and others
 * appended?  Then those are whole, except the last one, which may be cut off.
 */
static int has_others_behind(struct cfs_inflow *s, uint64_t member_off,
			     bool *yes, struct cfs_error *err)
{
	struct cfs_inflow behind;
	int rc;

	*yes = false;
	if (s->looks_behind >= LOOKS_BEHIND_MAX)
		return CFS_OK;
	s->looks_behind++;
	rc = cfs_inflow_init(&behind, s->src, s->coding, 0, s->dict, SIZE_MAX,
			     CFS_CTX(s->cancel, err));
	behind.looks_behind = LOOKS_BEHIND_MAX;
	if (rc == CFS_OK)
		rc = cfs_inflow_resync(&behind, member_off + 1, err);
	while (rc == CFS_OK) {
		rc = cfs_inflow_pull(&behind, err);
		cfs_inflow_drop(&behind, cfs_inflow_end(&behind));
		if (rc == CFS_INFLOW_SAME || rc == CFS_INFLOW_NEW)
			rc = CFS_OK;
		else
			*yes = behind.members > 0 &&
			       (rc == CFS_INFLOW_END || behind.is_cut);
	}
	cfs_inflow_release(&behind);
	return rc < 0 ? rc : CFS_OK;
}

/* Corrects *state for a member whose last bytes have been read. */
static int look_behind(struct cfs_inflow *s, uint64_t member_off,
		       enum cfs_member_state *state, struct cfs_error *err)
{
	bool others = false;
	int rc = *state != CFS_MEMBER_CUT ? CFS_OK :
		 has_others_behind(s, member_off, &others, err);

	if (others)
		*state = CFS_MEMBER_BAD;
	return rc;
}

/* Adds the frames without data behind a member to it. */
static int pull_skippable(struct cfs_inflow *s, struct cfs_error *err)
{
	CFS_BUF(nothing, 1);
	struct cfs_slice in;
	int rc;

	while ((rc = fill_window(s, &in, err)) == CFS_OK) {
		uint64_t n = cfs_zst_empty_bytes(in);
		size_t used;

		if (n == 0 || cfs_zst_is_dict(in) ||
		    n > s->src->size - s->file_pos ||
		    (cfs_zst_is_frame(in) &&	/* check its checksum */
		     cfs_zst_member(in, s->dict, &nothing, &used) != CFS_OK))
			break;
		s->file_pos += n;
		last_seg(s)->file_end = s->file_pos;
	}
	return rc;
}

/* Inflates a step of the member in s->z, the last segment. */
static int pull_step(struct cfs_inflow *s, struct cfs_error *err)
{
	struct cfs_inflow_seg *seg = last_seg(s);
	enum cfs_member_state state;
	size_t got;
	int rc;

	rc = make_room(s, STEP_BYTES, err);
	if (rc == CFS_OK)
		rc = cfs_member_stream_read(s->z, s->out.p + s->out.n,
					    STEP_BYTES, &got, &state,
					    CFS_CTX(s->cancel, err));
	if (rc != CFS_OK)
		return rc;
	s->out.n += got;
	s->inflated += got;
	seg->end += got;
	s->file_pos = seg->file_end = cfs_member_stream_offset(s->z);
	if (state == CFS_MEMBER_MORE)
		return CFS_INFLOW_SAME;
	seg->is_open = false;
	rc = look_behind(s, seg->file_off, &state, err);
	if (rc == CFS_OK)
		rc = CFS_INFLOW_SAME;
	if (rc == CFS_INFLOW_SAME && state == CFS_MEMBER_END) {
		s->members++;
		if (s->coding == CFS_CODING_ZSTD)
			rc = pull_skippable(s, err);
	} else if (rc == CFS_INFLOW_SAME) {
		s->is_cut = state == CFS_MEMBER_CUT;
		rc = damaged(s, seg->file_off, s->is_cut ? s->src->size :
			     seg->file_off + 1, cfs_member_stream_why(s->z));
	}
	cfs_member_stream_free(s->z);
	s->z = NULL;
	return rc;
}

/* Zeros and line ends after the last member are padding. */
static bool is_padding(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != 0 && s.p[i] != '\n' && s.p[i] != '\r')
			return false;
	return true;
}

/* Handles file_pos, where `in` is, if no member begins there. */
static int pull_other(struct cfs_inflow *s, struct cfs_slice in,
		      struct cfs_error *err)
{
	uint64_t n = s->coding == CFS_CODING_ZSTD ?
			     cfs_zst_skippable_bytes(in) :
			     0, at = s->file_pos;
	struct cfs_zst_dict *dict = NULL;
	bool same = true;
	int rc = CFS_OK;

	if (n > s->src->size - at) {
		s->is_cut = true;
		return damaged(s, at, s->src->size, "ends inside a zstd frame");
	}
	if (n == 0 && !is_padding(in))
		return damaged(s, at, at + 1, "no member begins here");
	s->file_pos += n > 0 ? n : in.n;
	if (n > 0 && at > 0 && cfs_zst_is_dict(in)) {
		rc = cfs_members_dict(s->src, at, &dict,
				      CFS_CTX(s->cancel, err));
		same = rc == CFS_EFORMAT || rc == CFS_ELIMIT ? false :
		       cfs_zst_dict_is_same(dict, s->dict);
		cfs_zst_dict_put(dict);
	}
	if (same)
		return rc == CFS_OK ? CFS_INFLOW_SAME : rc;
	cfs_error_clear(err);
	return damaged(s, at, s->file_pos,
		       "another zstd dictionary than at the "
		       "start of the file");
}

static int pull_member(struct cfs_inflow *s, struct cfs_error *err)
{
	struct cfs_slice in;
	int rc;

	if (s->file_pos >= s->end)
		return CFS_INFLOW_END;
	rc = fill_window(s, &in, err);
	if (rc != CFS_OK)
		return rc;
	if (in.n == 0)
		return CFS_INFLOW_END;
	if (s->coding == CFS_CODING_ZSTD ? !cfs_zst_is_frame(in) :
					   !cfs_gz_is_start(in))
		return pull_other(s, in, err);
	rc = make_room(s, 1, err);
	if (rc == CFS_OK)
		rc = add_seg(s, s->file_pos, err);
	if (rc != CFS_OK)
		return rc;
	rc = pull_whole(s, in);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc == CFS_OK && s->coding == CFS_CODING_ZSTD) {
		rc = pull_skippable(s, err);
		if (rc != CFS_OK)
			return rc;
	}
	if (rc == CFS_OK && last_seg(s)->end == last_seg(s)->start) {
		s->n_segs--;		/* an empty member holds no record */
		return CFS_INFLOW_SAME;
	}
	if (rc == CFS_OK)
		return CFS_INFLOW_NEW;
	rc = cfs_member_stream_new(&s->z, s->src, s->file_pos, s->src->size,
				   s->dict, err);
	if (rc != CFS_OK)
		return rc;
	rc = pull_step(s, err);
	return rc == CFS_INFLOW_SAME ? CFS_INFLOW_NEW : rc;
}

int cfs_inflow_pull(struct cfs_inflow *s, struct cfs_error *err)
{
	if (cfs_cancelled(s->cancel))
		return cfs_error_set(err, CFS_EINTR, "interrupted");
	if (s->coding == CFS_CODING_NONE)
		return pull_plain(s, err);
	return s->z != NULL ? pull_step(s, err) : pull_member(s, err);
}

int cfs_inflow_check(struct cfs_inflow *s, struct cfs_error *err)
{
	const struct cfs_inflow_seg *seg = last_seg(s);
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z = NULL;
	uint8_t *buf = malloc(STEP_BYTES);
	size_t got;
	int rc = buf == NULL ? cfs_error_nomem(err) :
		 cfs_member_stream_new(&z, s->src, seg->file_off, s->src->size,
				       s->dict, err);

	while (rc == CFS_OK && state == CFS_MEMBER_MORE)
		rc = cfs_member_stream_read(z, buf, STEP_BYTES, &got, &state,
					    CFS_CTX(s->cancel, err));
	if (rc == CFS_OK)
		rc = look_behind(s, seg->file_off, &state, err);
	if (rc == CFS_OK)
		rc = state != CFS_MEMBER_BAD ? (int)CFS_INFLOW_SAME :
		     damaged(s, seg->file_off, seg->file_off + 1,
			     cfs_member_stream_why(z));
	cfs_member_stream_free(z);
	free(buf);
	return rc;
}

/* ---- after damage ---- */

static void forget_all(struct cfs_inflow *s)
{
	uint64_t end = cfs_inflow_end(s);

	cfs_member_stream_free(s->z);
	s->z = NULL;
	s->from = s->out.n = 0;
	s->pos = end;
	s->segs_from = s->n_segs = 0;
	s->is_cut = false;
}

int cfs_inflow_resync(struct cfs_inflow *s, uint64_t from,
		      struct cfs_error *err)
{
	struct cfs_slice in;
	size_t at;
	int rc;

	assert(s->coding != CFS_CODING_NONE);
	forget_all(s);
	s->file_pos = from;
	for (;;) {
		if (s->file_pos > s->end)
			return CFS_END;
		if (cfs_cancelled(s->cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = fill_window(s, &in, err);
		if (rc != CFS_OK)
			return rc;
		if (in.n < CFS_MEMBER_MIN)
			return CFS_END;
		at = cfs_start_magic(s->coding, in);
		if (at == in.n) {	/* a magic may be cut by the window */
			s->file_pos += in.n - 3;
			continue;
		}
		s->file_pos += at;
		if (in.n - at < WINDOW_MIN && at > 0)
			continue;	/* retry with a full window */
		if (cfs_start_has_record(cfs_slice_from(in, at), s->dict))
			return CFS_OK;
		s->file_pos++;
	}
}
