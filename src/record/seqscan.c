/* seqscan.c - finds the units of a SequenceFile, one after the other.
 *
 * Damage costs everything up to the next sync marker, or a single unit if that
 * has a good frame.  A record or block that contains the file's own sync marker
 * behind its beginning has a wrong length: it would swallow others.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "seqscan.h"

#include "inflow.h"

#define SEARCH_BYTES ((size_t)256 << 10)

struct seq_scan {
	struct cfs_inflow in;
	const struct cfs_scan_opts *opts;
	cfs_seq_fn *fn;
	struct cfs_scan_counts *counts;
	struct cfs_error *err;
	struct cfs_seq_head head;
	uint64_t reported;	/* file bytes passed to opts->advanced */
};

static struct cfs_slice held(const struct seq_scan *s)
{
	return cfs_inflow_bytes(&s->in);
}

static void report_advance(struct seq_scan *s, uint64_t pos)
{
	if (s->opts->advanced != NULL && pos > s->reported)
		s->opts->advanced(s->opts->arg, pos - s->reported);
	s->reported = pos;
}

static void drop(struct seq_scan *s, size_t n)
{
	cfs_inflow_drop(&s->in, s->in.pos + n);
	report_advance(s, s->in.pos);
}

/* Holds at least n bytes, or as many as are left.  Failures of
 * cfs_inflow_pull. */
static int hold(struct seq_scan *s, size_t n)
{
	int rc = CFS_INFLOW_SAME;

	while (rc >= 0 && rc != CFS_INFLOW_END && held(s).n < n)
		rc = cfs_inflow_pull(&s->in, s->err);
	return rc < 0 ? rc : CFS_OK;
}

/* Reports damage in the unit at the front. */
static void report(struct seq_scan *s, const char *why)
{
	struct cfs_error e = CFS_ERROR_INIT;

	s->counts->damaged++;
	cfs_error_at(&e, CFS_EFORMAT, s->in.src->name, s->in.pos, "%s", why);
	if (s->opts->damaged != NULL)
		s->opts->damaged(s->opts->arg, &e);
}

/* Moves to the next mark behind the front.  CFS_END if there is none. */
static int resync(struct seq_scan *s)
{
	ptrdiff_t at;
	int rc;

	drop(s, held(s).n > 0 ? 1 : 0);
	while ((rc = hold(s, SEARCH_BYTES)) == CFS_OK) {
		at = cfs_seq_find_mark(&s->head, held(s));
		if (at >= 0) {
			drop(s, (size_t)at);
			return CFS_OK;
		}
		if (held(s).n < SEARCH_BYTES)
			return CFS_END;
		drop(s, held(s).n - (CFS_SEQ_MARK_BYTES - 1));
	}
	return rc;
}

static int emit(struct seq_scan *s, const struct cfs_seq_unit *u, size_t n)
{
	struct cfs_seq_item item = { .span = { .offset = s->in.pos,
					       .length = n } };
	struct cfs_seq_walk w;
	int rc;

	s->counts->members++;
	s->counts->inflated_bytes += u->own.n > 0 ? u->own.n : n;
	cfs_seq_walk_start(&w, u);
	for (;;) {
		item.span.inner_offset = w.next;
		rc = cfs_seq_walk_next(&w, &item.key, &item.value);
		if (rc == CFS_EFORMAT)
			report(s, "lengths in the block are damaged");
		if (rc != CFS_OK)
			return CFS_OK;
		s->counts->records++;
		rc = s->fn(s->opts->arg, &item);
		if (rc != CFS_OK)
			return rc;
	}
}

/* Holds the whole unit at the front.  0 with *n; CFS_EFORMAT, reported;
 * failures of reading. */
static int hold_unit(struct seq_scan *s, size_t *n)
{
	int rc;

	for (;;) {
		rc = cfs_seq_unit_measure(&s->head, held(s), n);
		if (rc == CFS_EFORMAT) {
			report(s, "no record or block begins here");
			return rc;
		}
		if (rc == CFS_OK && *n <= held(s).n)
			return CFS_OK;
		if (*n <= s->in.src->size - s->in.pos) {
			rc = hold(s, *n);
			if (rc != CFS_OK)
				return rc;
		}
		if (held(s).n < *n) {
			report(s, "file ends inside a record or block");
			return CFS_EFORMAT;
		}
	}
}

/* After a unit with a good frame but damaged contents: tells if the next one
 * begins where it should. */
static bool may_skip(struct seq_scan *s, size_t n)
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
	       s->in.pos + n + next <= s->in.src->size;
}

/* CFS_EFORMAT, reported, if a sync marker begins inside the unit at the front;
 * failures of reading. */
static int check_marks(struct seq_scan *s, size_t n)
{
	size_t first = s->head.is_block ? CFS_SEQ_MARK_BYTES : 0;
	int rc = hold(s, n + CFS_SEQ_MARK_BYTES);
	ptrdiff_t at = cfs_seq_find_mark(&s->head,
			cfs_slice_sub(held(s), first,
				      n + CFS_SEQ_MARK_BYTES - first));

	if (rc != CFS_OK || at < 0 || (size_t)at + first >= n)
		return rc;
	report(s, s->head.is_block ? "a sync marker lies inside the block" :
	       "a sync marker lies inside the record");
	return CFS_EFORMAT;
}

/* Reads one unit, or reports one damaged place.  CFS_END at the end. */
static int one_unit(struct seq_scan *s, struct cfs_seq_unit *u)
{
	struct cfs_error e = CFS_ERROR_INIT;
	size_t n;
	int rc = hold(s, CFS_SEQ_MARK_BYTES + CFS_SEQ_RECORD_HEAD);

	if (rc != CFS_OK)
		return rc;
	if (cfs_cancelled(s->in.cancel))
		return cfs_error_set(s->err, CFS_EINTR, "interrupted");
	if (!s->head.is_block && cfs_seq_is_mark(&s->head, held(s)))
		drop(s, CFS_SEQ_MARK_BYTES);
	if (held(s).n == 0)
		return CFS_END;
	rc = hold_unit(s, &n);
	if (rc == CFS_OK)
		rc = check_marks(s, n);
	if (rc != CFS_OK)
		return rc == CFS_EFORMAT ? resync(s) : rc;
	rc = cfs_seq_unit_parse(&s->head, cfs_slice_sub(held(s), 0, n), u, &e);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(s->err);
	if (rc == CFS_OK) {
		rc = emit(s, u, n);
		if (rc != CFS_OK)
			return rc;
	} else {
		report(s, e.text);
		if (!may_skip(s, n))
			return resync(s);
	}
	drop(s, n);
	return CFS_OK;
}

int cfs_seq_scan(struct cfs_source *src, const struct cfs_scan_opts *opts,
		 cfs_seq_fn *fn, struct cfs_scan_counts *counts,
		 struct cfs_error *err)
{
	static const struct cfs_scan_opts none;
	struct cfs_scan_counts ignored;
	struct cfs_seq_unit u;
	struct seq_scan s = { .opts = opts, .fn = fn, .counts = counts,
			      .err = err };
	int rc;

	if (opts == NULL)
		s.opts = &none;
	if (counts == NULL)
		s.counts = &ignored;
	*s.counts = (struct cfs_scan_counts){ 0 };
	cfs_seq_unit_init(&u);
	rc = cfs_seq_head_read(src, &s.head, CFS_CTX(s.opts->cancel, err));
	if (rc != CFS_OK)
		return rc;
	rc = cfs_inflow_init(&s.in, src, CFS_CODING_NONE, s.head.first, NULL,
			     2 * CFS_SEQ_UNIT_MAX,
			     CFS_CTX(s.opts->cancel, err));
	while (rc == CFS_OK)
		rc = one_unit(&s, &u);
	if (rc == CFS_END) {
		report_advance(&s, src->size);
		rc = CFS_OK;
	}
	cfs_error_where(err, src->name, s.in.pos);
	cfs_seq_unit_release(&u);
	cfs_inflow_release(&s.in);
	return rc;
}
