/* copy_lead.c - decides before which records the warcinfo of their archive is
 * copied.
 *
 * It is the first record of the archive, and belongs before the first record
 * that is copied from there.  A WACZ is one file with several archives, whose
 * beginnings its directory tells.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copy_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/archives.h"
#include "record/wacz.h"

void cfs_copy_leads_init(struct cfs_copy_leads *l, struct cfs_store *store)
{
	l->store = store;
	cfs_buf_init(&l->file, CFS_COPY_NAME_MAX);
	cfs_buf_init(&l->starts, CFS_WACZ_MEMBERS_MAX * sizeof(uint64_t));
}

void cfs_copy_leads_release(struct cfs_copy_leads *l)
{
	cfs_buf_release(&l->file);
	cfs_buf_release(&l->starts);
}

static int compare(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static int list_starts(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	struct cfs_buf *starts = arg;
	struct cfs_wacz w;
	int rc;

	cfs_buf_reset(starts);
	rc = cfs_wacz_read(&w, src, ctx);
	for (size_t i = 0; rc == CFS_OK && i < w.n; i++) {
		uint64_t at = w.v[i].at.offset;

		if (w.v[i].role == CFS_WACZ_ARCHIVE)
			cfs_buf_append(starts, &at, sizeof(at));
	}
	cfs_wacz_release(&w);
	return rc == CFS_OK && starts->failed != CFS_OK ?
	       cfs_error_nomem(ctx.err) : rc;
}

/* Learns where the archives of a file begin.  One that cannot be read now for
 * good has none: its records will be reported. */
static int learn(struct cfs_copy_leads *l, const char *file, struct cfs_ctx ctx)
{
	struct cfs_slice name = cfs_slice_str(cfs_archive_plain_name(file));
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_OK;

	if (cfs_slice_eq(cfs_buf_slice(&l->file), cfs_slice_str(file)))
		return CFS_OK;
	cfs_buf_reset(&l->file);
	cfs_buf_reset(&l->starts);
	l->is_zip = cfs_slice_ends(name, CFS_SLICE_LIT(".wacz")) ||
		    cfs_slice_ends(name, CFS_SLICE_LIT(".zip"));
	if (l->is_zip)
		rc = cfs_store_use(l->store, cfs_slice_str(file), list_starts,
				   &l->starts, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_EFORMAT || rc == CFS_ELIMIT || rc == CFS_ENOTFOUND ||
	    rc == CFS_EACCESS)
		rc = CFS_OK;
	if (l->starts.n > 0)
		qsort(l->starts.p, l->starts.n / sizeof(uint64_t),
		      sizeof(uint64_t), compare);
	if (rc == CFS_OK)
		cfs_buf_adds(&l->file, file);
	return cfs_error_pass(ctx.err, &e, rc);
}

static uint64_t start_at(const struct cfs_copy_leads *l, size_t i)
{
	uint64_t start;

	memcpy(&start, l->starts.p + i * sizeof(start), sizeof(start));
	return start;
}

/* The beginning of the archive that has this offset. */
static uint64_t start_of(const struct cfs_copy_leads *l, uint64_t offset)
{
	size_t after = 0;

	CFS_LOWER_BOUND(after, l->starts.n / sizeof(uint64_t), i,
			start_at(l, i) <= offset);
	return after > 0 ? start_at(l, after - 1) : 0;
}

int cfs_copy_leads_set(struct cfs_copy_leads *l, struct cfs_copy_stretch *s,
		       struct cfs_ctx ctx)
{
	int rc = learn(l, s->archive, ctx);

	for (size_t i = 0; rc == CFS_OK && i < s->n; i++) {
		struct cfs_copy_item *item = &s->items[i];
		const struct cfs_span *at = &item->span;

		item->lead = start_of(l, at->offset);
		item->has_lead = item->is_first || item->before < item->lead;
		if (at->offset == item->lead && at->inner_offset == 0)
			item->has_lead = false;		/* it is the first */
		if (l->is_zip && l->starts.n == 0)
			item->has_lead = false;		/* of a damaged ZIP */
	}
	return rc;
}
