/* scan_start.c - finds where the walk through an archive begins, and where it
 * resumes after damage.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "scan_internal.h"

#include "unsupported.h"
#include "sniff.h"

/* Most searches in one file for archives of another kind. */
#define OTHERS_LOOKS_MAX 64u

int cfs_scan_no_archive(const struct scan *s, struct cfs_source *src)
{
	char what[CFS_UNSUPPORTED_BYTES];

	cfs_unsupported_describe(src, what, s->opts->cancel);
	return cfs_error_at(s->err, CFS_EFORMAT, src->name, 0, "%s", what);
}

/* Reports that something else precedes the first record. */
static void report_start(struct scan *s)
{
	struct cfs_error e = CFS_ERROR_INIT;

	cfs_error_at(&e, CFS_EFORMAT, s->st.src->name, 0, "no record begins "
		     "here: the first one found is at offset %llu",
		     (unsigned long long)s->st.file_pos);
	cfs_scan_report(s, &e);
}

static void scan_spill(struct scan *s)
{
	if (s->opts->memory_bytes > 0)
		cfs_inflow_spill(&s->st, (size_t)s->opts->memory_bytes,
				 s->opts->spill_dir);
}

int cfs_scan_begin(struct scan *s, struct cfs_source *src)
{
	const struct cfs_scan_opts *o = s->opts;
	struct cfs_sniffed found;
	int rc = cfs_sniff_file(src,
				o->is_place ? CFS_SNIFF_START :
					      CFS_SNIFF_SEARCH_ZIP,
				&found, CFS_CTX(o->cancel, s->err));
	bool is_archive = found.kind == CFS_FILE_ARC ||
			  found.kind == CFS_FILE_WARC;

	s->is_cc = found.is_common_crawl;
	if (o->is_place && (rc == CFS_EFORMAT || rc == CFS_ELIMIT)) {
		cfs_error_clear(s->err);	/* the walk will report it */
		rc = CFS_OK;
	}
	if (rc == CFS_OK && !is_archive && !o->is_place)
		rc = cfs_scan_no_archive(s, src);
	if (rc == CFS_OK)
		rc = cfs_inflow_init(&s->st, src, found.coding, found.at,
				     o->dict != NULL ? o->dict : found.dict,
				     s->max_record + CFS_SCAN_LOOK_AHEAD,
				     CFS_CTX(o->cancel, s->err));
	if (rc == CFS_OK)
		scan_spill(s);
	if (rc == CFS_OK && o->at.from == 0 && found.at > 0)
		report_start(s);
	if (rc == CFS_OK && o->at.to > 0 && has_members(s)) {
		if (s->st.file_pos < o->at.from)
			s->st.file_pos = o->at.from;
		s->reported = o->at.from;
		s->st.end = o->at.to;
	}
	cfs_sniffed_release(&found);
	return rc;
}

/* ---- several archives in one file ---- */

/* Continues at a file offset, with members of another kind, or without. */
static int change_coding(struct scan *s, enum cfs_coding coding, uint64_t at)
{
	struct cfs_inflow old = s->st;
	int rc = cfs_inflow_init(&s->st, old.src, coding, at, NULL,
				 s->max_record + CFS_SCAN_LOOK_AHEAD,
				 CFS_CTX(old.cancel, s->err));

	if (rc == CFS_OK)
		scan_spill(s);
	s->st.members = old.members;
	s->st.inflated = old.inflated;
	cfs_inflow_release(&old);
	s->resync_at_end = false;
	cfs_scan_forget_look(s);
	s->checked = 0;
	s->last_end = s->st.pos;
	cfs_scan_report_advance(s);
	return rc;
}

int cfs_scan_look_for_others(struct scan *s, uint64_t at, bool *yes)
{
	struct cfs_start found;
	int rc;

	*yes = false;
	if (s->opts->is_place || s->looks++ >= OTHERS_LOOKS_MAX)
		return STEP_OK;
	rc = cfs_sniff_place(s->st.src, at, s->st.coding, &found,
			     CFS_CTX(s->opts->cancel, s->err));
	if (rc != CFS_OK)
		return rc == CFS_END ? STEP_OK : rc;
	cfs_scan_run_on(s);
	*yes = s->st.end >= s->st.src->size;
	if (!*yes)
		return STEP_OK;
	return change_coding(s, found.coding, found.at);
}

int cfs_scan_resync(struct scan *s)
{
	uint64_t from = s->st.resume;
	bool others;
	int rc = cfs_scan_look_for_others(s, from > 0 ? from - 1 : 0, &others);

	if (rc != STEP_OK || others)
		return rc;
	s->resync_at_end = false;
	rc = cfs_inflow_resync(&s->st, from, s->err);
	if (rc == CFS_END && s->st.file_pos > s->st.end && cfs_scan_run_on(s))
		rc = cfs_inflow_resync(&s->st, s->st.file_pos, s->err);
	cfs_scan_forget_look(s);
	cfs_scan_report_advance(s);
	return rc == CFS_END ? STEP_END : rc;
}

int cfs_scan_split(struct cfs_source *src, uint64_t at, uint64_t *out,
		   struct cfs_ctx ctx)
{
	struct cfs_inflow st = { .n_segs = 0 };
	struct cfs_sniffed found;
	int rc = cfs_sniff_file(src, CFS_SNIFF_SEARCH_ZIP, &found, ctx);

	if (rc == CFS_OK)
		rc = cfs_inflow_init(&st, src, found.coding, 0, found.dict,
				     CFS_SCAN_LOOK_AHEAD, ctx);
	if (rc == CFS_OK && st.coding == CFS_CODING_NONE)
		rc = CFS_END;
	if (rc == CFS_OK)
		rc = cfs_inflow_resync(&st, at > found.at ? at : found.at,
				       ctx.err);
	*out = st.file_pos;
	cfs_sniffed_release(&found);
	cfs_inflow_release(&st);
	return rc;
}
