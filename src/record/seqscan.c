/* seqscan.c - finds the units of a SequenceFile, one after the other.
 *
 * Damage costs what is before the next sync marker, or one unit where that is
 * framed well.  A record that holds the file's own sync marker has a wrong
 * length: it would swallow others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "seqscan.h"

#define READ_BYTES ((size_t)256 << 10)

/* Bytes of the file from `pos` on, as many as were read so far. */
struct scan {
	struct cfs_source *src;
	const struct cfs_seq_opts *opts;
	struct cfs_seq_counts *counts;
	struct cfs_error *err;
	struct cfs_seq_head head;
	struct cfs_buf in;
	size_t from;			/* in.p[from] is the byte at pos */
	uint64_t pos, reported;
};

static struct cfs_slice held(const struct scan *s)
{
	return cfs_slice_from(cfs_buf_slice(&s->in), s->from);
}

static void drop(struct scan *s, size_t n)
{
	s->from += n;
	s->pos += n;
	if (s->opts->advanced != NULL && s->pos > s->reported)
		s->opts->advanced(s->opts->arg, s->pos - s->reported);
	s->reported = s->pos;
}

/* Holds at least n bytes, or all there are.  Failures of reading. */
static int hold(struct scan *s, size_t n)
{
	uint64_t at = s->pos + held(s).n;
	size_t want, got;
	int rc;

	if (held(s).n >= n || at >= s->src->size)
		return CFS_OK;
	if (s->from > 0 && s->from >= held(s).n) {	/* else it costs too much */
		memmove(s->in.p, s->in.p + s->from, held(s).n);
		s->in.n -= s->from;
		s->from = 0;
	}
	want = n - held(s).n < READ_BYTES ? READ_BYTES : n - held(s).n;
	if (want > s->src->size - at)
		want = (size_t)(s->src->size - at);
	if (cfs_buf_reserve(&s->in, want) != CFS_OK)
		return cfs_error_set(s->err, s->in.failed, "out of memory");
	rc = cfs_source_read_some(s->src, s->in.p + s->in.n, want, at, &got,
				  s->opts->cancel, s->err);
	if (rc == CFS_OK)
		s->in.n += got;
	return rc;
}

static void report(struct scan *s, uint64_t off, const char *why)
{
	struct cfs_error e = CFS_ERROR_INIT;

	s->counts->damaged++;
	cfs_error_at(&e, CFS_EFORMAT, s->src->name, off, "%s", why);
	if (s->opts->damaged != NULL)
		s->opts->damaged(s->opts->arg, &e);
}

/* Goes to the next mark at or after pos + 1.  CFS_END if there is none. */
static int resync(struct scan *s)
{
	ptrdiff_t at;
	int rc;

	drop(s, held(s).n > 0 ? 1 : 0);
	for (;;) {
		if (cfs_cancelled(s->opts->cancel))
			return cfs_error_set(s->err, CFS_EINTR, "interrupted");
		rc = hold(s, READ_BYTES);
		if (rc != CFS_OK)
			return rc;
		at = cfs_seq_find_mark(&s->head, held(s));
		if (at >= 0) {
			drop(s, (size_t)at);
			return CFS_OK;
		}
		if (s->pos + held(s).n >= s->src->size ||
		    held(s).n < CFS_SEQ_MARK_BYTES)
			return CFS_END;
		drop(s, held(s).n - (CFS_SEQ_MARK_BYTES - 1));
	}
}

static int emit(struct scan *s, const struct cfs_seq_unit *u, size_t n,
		cfs_seq_fn *fn, void *arg)
{
	struct cfs_seq_item item = { .span = { .offset = s->pos,
					       .length = n } };
	struct cfs_seq_walk w;
	int rc;

	s->counts->units++;
	s->counts->inflated_bytes += u->own.n > 0 ? u->own.n : n;
	cfs_seq_walk_start(&w, u);
	for (;;) {
		item.span.inner_offset = w.next;
		rc = cfs_seq_walk_next(&w, &item.key, &item.value);
		if (rc == CFS_EFORMAT) {
			report(s, s->pos, "lengths in the block are damaged");
			return CFS_OK;
		}
		if (rc != CFS_OK)
			return CFS_OK;
		s->counts->pairs++;
		rc = fn(arg, &item);
		if (rc != CFS_OK)
			return rc;
	}
}

/* Holds the whole unit at the front.  0 with *n; CFS_EFORMAT, reported;
 * failures of reading. */
static int hold_unit(struct scan *s, size_t *n)
{
	const char *why = "no record or block begins here";
	int rc, got;

	for (;;) {
		rc = cfs_seq_unit_measure(&s->head, held(s), n);
		if (rc == CFS_EFORMAT)
			break;
		if (rc == CFS_OK && *n <= held(s).n)
			return CFS_OK;
		why = "file ends inside a record or block";
		rc = CFS_EFORMAT;
		if (*n > s->src->size - s->pos)
			break;
		got = hold(s, *n);
		if (got != CFS_OK)
			return got;
		if (held(s).n < *n)
			break;		/* the file has become shorter */
	}
	report(s, s->pos, why);
	return rc;
}

/* After a unit that is framed well but damaged inside: does the next one
 * begin where it should? */
static bool may_skip(struct scan *s, size_t n)
{
	struct cfs_slice rest;
	size_t next;

	if (hold(s, n + CFS_SEQ_MARK_BYTES) != CFS_OK)
		return false;
	rest = cfs_slice_from(held(s), n);
	if (rest.n == 0 || cfs_seq_is_mark(&s->head, rest))
		return true;
	return !s->head.is_block &&
	       cfs_seq_unit_measure(&s->head, rest, &next) == CFS_OK &&
	       s->pos + n + next <= s->src->size;
}

/* Does a sync marker begin inside the record at the front? */
static int swallows_mark(struct scan *s, size_t n, bool *yes)
{
	int rc = hold(s, n + CFS_SEQ_MARK_BYTES);
	ptrdiff_t at;

	at = cfs_seq_find_mark(&s->head, cfs_slice_sub(held(s), 0, n +
						       CFS_SEQ_MARK_BYTES));
	*yes = at >= 0 && (size_t)at < n;
	if (*yes)
		report(s, s->pos, "a sync marker lies inside the record");
	return rc;
}

/* One unit or one piece of damage.  CFS_END at the end of the file. */
static int one_unit(struct scan *s, struct cfs_seq_unit *u, cfs_seq_fn *fn,
		    void *arg)
{
	struct cfs_error e = CFS_ERROR_INIT;
	bool swallows = false;
	size_t n;
	int rc;

	if (cfs_cancelled(s->opts->cancel))
		return cfs_error_set(s->err, CFS_EINTR, "interrupted");
	rc = hold(s, CFS_SEQ_MARK_BYTES + CFS_SEQ_RECORD_HEAD);
	if (rc != CFS_OK)
		return rc;
	if (!s->head.is_block && cfs_seq_is_mark(&s->head, held(s)))
		drop(s, CFS_SEQ_MARK_BYTES);
	if (s->pos >= s->src->size || held(s).n == 0)
		return CFS_END;
	rc = hold_unit(s, &n);
	if (rc == CFS_OK && !s->head.is_block)
		rc = swallows_mark(s, n, &swallows);
	if (rc == CFS_EFORMAT || swallows)
		return rc == CFS_EFORMAT || rc == CFS_OK ? resync(s) : rc;
	if (rc != CFS_OK)
		return rc;
	rc = cfs_seq_unit_parse(&s->head, cfs_slice_sub(held(s), 0, n), u, &e);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(s->err);
	if (rc != CFS_OK) {
		report(s, s->pos, e.text);
		if (!may_skip(s, n))
			return resync(s);
	} else {
		rc = emit(s, u, n, fn, arg);
		if (rc != CFS_OK)
			return rc;
	}
	drop(s, n);
	return CFS_OK;
}

int cfs_seq_scan(struct cfs_source *src, const struct cfs_seq_opts *opts,
		 cfs_seq_fn *fn, struct cfs_seq_counts *counts,
		 struct cfs_error *err)
{
	static const struct cfs_seq_opts none;
	struct cfs_seq_counts ignored;
	struct cfs_seq_unit u;
	struct scan s = { .src = src, .opts = opts != NULL ? opts : &none,
			  .counts = counts != NULL ? counts : &ignored,
			  .err = err };
	int rc;

	*s.counts = (struct cfs_seq_counts){ 0 };
	rc = cfs_seq_head_read(src, &s.head, s.opts->cancel, err);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&s.in, 2 * (CFS_SEQ_UNIT_MAX + 2 * READ_BYTES));
	cfs_seq_unit_init(&u);
	s.pos = s.head.first;
	while (rc == CFS_OK)
		rc = one_unit(&s, &u, fn, s.opts->arg);
	if (rc == CFS_END) {
		rc = CFS_OK;
		if (s.pos < src->size)
			s.pos = src->size;
		drop(&s, 0);
	}
	cfs_error_where(err, src->name, s.pos);
	cfs_seq_unit_release(&u);
	cfs_buf_release(&s.in);
	return rc;
}
