/* verify_list.c - reads the lists in WACZ files, with which the archives beside
 * them are then compared.
 *
 * Spec: doc/formats.md, "WACZ".  A line names an archive by the end of its
 * path, and a place in it.  A line whose archive is not in the WACZ is damage,
 * and so is a malformed line: both are kept among the rows, so that any number
 * of them fits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include "indexing/indexer_cdx.h"

#define NAME_MAX_BYTES ((size_t)1 << 20)

struct listed_reading {
	const struct cfs_verify_list *l;
	struct cfs_verify_rows *rows;
	/* The current line: */
	uint64_t line_off;
	bool is_missing;		/* its archive is missing */
	struct cfs_buf name;		/* name of that archive */
	int rc;				/* result of adding a row */
	struct cfs_error *err;
};

/* ---- lines become rows --------------------------------------------------- */

static void on_name(void *arg, struct cfs_slice name, uint64_t line_off,
		    uint32_t *number)
{
	struct listed_reading *g = arg;
	const struct cfs_wacz *w = g->l->file->wacz;
	const struct cfs_wacz_member *m =
		cfs_wacz_archive(w, g->l->member->package, name);

	g->line_off = line_off;
	g->is_missing = m == NULL;
	*number = m != NULL ? g->l->units[m - w->v] : g->l->unit;
	if (m != NULL)
		return;
	cfs_buf_reset(&g->name);
	cfs_buf_add(&g->name, name);
}

static int on_line(void *arg, struct cfs_builder_capture *c)
{
	struct listed_reading *g = arg;
	struct cfs_verify_row row = { .key = CFS_SLICE_EMPTY, .url = c->url,
		.offset = c->span.offset, .length = c->span.length,
		.time = c->time, .status = c->status, .digest = c->digest,
		.mime = c->mime };

	if (g->is_missing)
		row = (struct cfs_verify_row){ .key = CFS_SLICE_EMPTY,
			.url = c->url, .offset = g->line_off, .status = 1,
			.digest = cfs_buf_slice(&g->name),
			.mime = CFS_SLICE_LIT("no archive of this name is in "
					      "the WACZ") };
	g->rc = cfs_verify_rows_add(g->rows, c->archive, &row, g->err);
	return g->rc;
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct listed_reading *g = arg;
	struct cfs_verify_row row = { .offset = what->offset,
		.key = CFS_SLICE_EMPTY, .url = CFS_SLICE_EMPTY,
		.digest = CFS_SLICE_EMPTY, .mime = cfs_slice_str(what->text) };

	if (g->rc == CFS_OK)
		g->rc = cfs_verify_rows_add(g->rows, g->l->unit, &row, g->err);
}

static void on_advance(void *arg, uint64_t bytes)
{
	(void)arg;
	(void)bytes;
}

int cfs_verify_list_read(struct cfs_verify *v, const struct cfs_verify_list *l,
			 struct cfs_error *damage, struct cfs_error *err)
{
	struct listed_reading g = { .l = l, .rows = v->entries, .err = err };
	const struct cfs_indexer_cdx job = {
		.files = l->files, .file = l->file, .member = l->member,
		.find = on_name, .cancel = v->opts.cancel,
		.capture = on_line, .damaged = on_damage,
		.missing = on_damage,
		.advanced = on_advance, .arg = &g };
	struct cfs_verify_unit u = { .is_remote = l->file->is_remote };
	int rc;

	cfs_error_clear(damage);
	if (l->member->at.size == 0)	/* a list of no captures */
		return CFS_OK;
	cfs_buf_init(&g.name, NAME_MAX_BYTES);
	rc = cfs_indexer_cdx_run(&job, damage);
	cfs_buf_release(&g.name);
	if (g.rc != CFS_OK)
		return g.rc;
	if (rc == CFS_OK)
		cfs_error_clear(damage);
	if (!cfs_verify_is_fatal(&u, rc))
		return CFS_OK;
	return cfs_error_pass(err, damage, rc);
}

/* ---- reports of bad lines ------------------------------------------------ */

int cfs_verify_list_report(struct cfs_verify *v, struct cfs_verify_part *p)
{
	struct cfs_verify_walk walk = p->unit->rows;
	struct cfs_verify_row row;
	int rc = CFS_OK;

	while (rc == CFS_OK && cfs_verify_row_next(&walk, UINT64_MAX, &row)) {
		struct cfs_verify_finding f = {
			.kind = row.status != 0 ? "index-archive" : "index",
			.offset = row.offset, .url = row.url,
			.expected = row.digest, .found = row.mime };

		p->tally.checks[CFS_VERIFY_INDEX].differed++;
		cfs_verify_found(p, &f);
		rc = cfs_verify_make_room(v, p);
	}
	return rc;
}
