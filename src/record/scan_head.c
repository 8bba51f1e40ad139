/* scan_head.c - finds and reads the header of the next record of an archive;
 * what precedes it is given up.
 *
 * A WARC header ends with the first empty line, at most CFS_HEAD_MAX bytes from
 * its beginning.  That line is searched for once, whatever number of headers
 * begin before it (struct head_look): a look from one place serves all places
 * inside it, and bytes that arrive in small members are not looked at again.
 * If a document is in the way (http_head.c), no header that begins between it
 * and the empty line has a field: all of that is given up.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "scan_internal.h"

#include "arc.h"
#include "warc.h"

void cfs_scan_forget_look(struct scan *s)
{
	s->look = (struct head_look){ 0 };
	s->told_to = 0;
}

/* Is what is known about an empty line true for a header that begins at
 * `at`? */
static bool look_covers(const struct scan *s, uint64_t at)
{
	const struct head_look *l = &s->look;

	return at >= l->from && at <= l->line &&
	       l->to <= cfs_inflow_end(&s->st) && (l->end == 0 || at < l->end);
}

/* Looks on for the first empty line behind the header line at `at`, in the
 * bytes held and as far as a header may reach.  True: look.end is behind it. */
static bool find_empty_line(struct scan *s, uint64_t at)
{
	struct head_look *l = &s->look;
	struct cfs_slice b;
	ptrdiff_t lf;

	if (!look_covers(s, at))
		*l = (struct head_look){ .from = at, .line = at, .to = at };
	b = cfs_slice_sub(cfs_scan_from(s, at), 0, CFS_HEAD_MAX);
	while (l->end == 0 && l->to < at + b.n) {
		size_t n, line = (size_t)(l->line - at);

		lf = cfs_slice_find(cfs_slice_from(b, (size_t)(l->to - at)),
				    '\n');
		if (lf < 0) {
			l->to = at + b.n;
			break;
		}
		l->to += (uint64_t)lf + 1;
		n = (size_t)(l->to - at) - 1;
		while (n > line && b.p[n - 1] == '\r')
			n--;
		if (n == line)
			l->end = l->to;
		l->line = l->to;
	}
	return l->end != 0 && l->end - at <= CFS_HEAD_MAX;
}

static bool begins_warc(struct cfs_slice b)
{
	struct cfs_slice line;

	b = cfs_slice_sub(b, 0, CFS_ARC_LINE_MAX);
	return cfs_head_line(&b, &line) && cfs_warc_is_version_line(line);
}

/* Measures the header at the front, as cfs_record_measure does.  *next is where
 * to look for another one if this is none: 0, behind its line. */
static int measure_front(struct scan *s, struct cfs_record_shape *shape,
			 uint64_t *next, struct cfs_error *e)
{
	uint64_t at = s->st.pos;
	struct cfs_slice b = cfs_scan_from(s, at);
	int rc;

	*next = 0;
	if (!begins_warc(b))
		return cfs_record_measure(b, shape, e);
	if (!find_empty_line(s, at))
		return b.n < CFS_HEAD_MAX ? CFS_END :
		       cfs_error_set(e, CFS_ELIMIT, "WARC header does not end "
				     "within %u bytes", CFS_HEAD_MAX);
	rc = cfs_record_measure(cfs_slice_sub(b, 0,
					      (size_t)(s->look.end - at)),
				shape, e);
	if (rc != CFS_END)
		return rc;
	*next = s->look.end;
	return cfs_error_set(e, CFS_EFORMAT, "WARC header does not end before "
			     "a document");
}

static bool is_any_header_line(struct cfs_slice line)
{
	return cfs_warc_is_version_line(line) || cfs_arc_is_header_line(line);
}

/* Gives up the bytes up to the next header, dropping them on the way; `next` is
 * as measure_front says.  STEP_OK: a header is at the front (or may be). */
static int seek_header(struct scan *s, uint64_t next)
{
	bool first = next == 0;
	uint64_t end, seen;
	int rc;

	if (!first)
		cfs_inflow_drop(&s->st, next);
	seen = s->st.pos;
	for (;;) {
		struct cfs_slice b = cfs_inflow_bytes(&s->st), a;
		size_t line = 0, at, lf = 0;

		if (first) {	/* skip the line that was not a header */
			ptrdiff_t i = cfs_slice_find(b, '\n');

			lf = i < 0 ? b.n : (size_t)i + 1;
			first = i < 0;
		}
		a = cfs_slice_from(b, lf);
		at = !cfs_scan_has_new_line(s, &seen) ? a.n :
		     cfs_head_find_line(a, is_any_header_line, &line);
		if (at < a.n) {
			cfs_inflow_drop(&s->st, s->st.pos + lf + at);
			return STEP_OK;
		}
		/* an endless line is not a header line */
		if (a.n - line > CFS_ARC_LINE_MAX)
			line = a.n - CFS_ARC_LINE_MAX;
		cfs_inflow_drop(&s->st, s->st.pos + lf + line);
		end = cfs_inflow_end(&s->st);
		rc = cfs_scan_grow(s);
		if (rc == STEP_NEXT) {
			cfs_inflow_drop(&s->st, s->next);
			return STEP_OK;
		}
		if (rc == STEP_END && cfs_inflow_end(&s->st) > end)
			rc = STEP_OK;	/* the last bytes of a cut file */
		if (rc != STEP_OK)
			return rc;
	}
}

int cfs_scan_skip_newlines(struct scan *s)
{
	int rc;

	for (;;) {
		size_t n = cfs_head_newlines(cfs_inflow_bytes(&s->st));

		cfs_inflow_drop(&s->st, s->st.pos + n);
		if (cfs_inflow_end(&s->st) > s->st.pos)
			return STEP_OK;
		rc = cfs_scan_grow(s);
		if (rc == STEP_END && cfs_inflow_end(&s->st) > s->st.pos)
			continue;
		if (rc != STEP_OK && rc != STEP_NEXT)
			return rc;
	}
}

/* Where the front is no header: reports why, once for all places that a look
 * covers, and goes to the next one.  STEP_NEXT, or as seek_header. */
static int pass_over(struct scan *s, uint64_t next, const char *why)
{
	uint64_t at = s->st.pos;
	bool is_new = at >= s->told_to, others = false;
	int rc = STEP_OK;

	if (is_new) {
		cfs_scan_report_at(s, at, "%s", why);
		s->told_to = look_covers(s, at) ? s->look.to : 0;
	}
	if (is_new && !has_members(s))
		rc = cfs_scan_look_for_others(s, at, &others);
	if (rc == STEP_OK && !others)
		rc = seek_header(s, next);
	return rc == STEP_OK ? STEP_NEXT : rc;
}

int cfs_scan_read_header(struct scan *s, struct record_place *p)
{
	struct cfs_error e = CFS_ERROR_INIT;
	uint64_t next, seen;
	bool has_line = false;
	int rc;

	p->at = seen = s->st.pos;
	for (;;) {
		has_line = has_line || cfs_scan_has_new_line(s, &seen) ||
			   seen - p->at >= CFS_ARC_LINE_MAX;
		rc = has_line ? measure_front(s, &p->shape, &next, &e) :
				CFS_END;
		if (rc != CFS_END)
			break;
		rc = cfs_scan_grow(s);
		if (rc == STEP_END && cfs_scan_run_on(s))
			continue;
		if (rc == STEP_NEXT || rc == STEP_END) {
			if (!s->st.is_cut)
				cfs_scan_report_at(s, p->at, "record header "
						   "does not end");
			if (rc == STEP_NEXT)
				cfs_inflow_drop(&s->st, s->next);
			return rc;
		}
		if (rc != STEP_OK)
			return rc;
	}
	if (rc == CFS_OK || rc == CFS_ENOMEM)
		return rc == CFS_OK ? STEP_OK : cfs_error_nomem(s->err);
	return pass_over(s, next, e.text);
}
