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
#include "verify_list.h"

#include "base/hash.h"
#include "indexing/indexer_cdx.h"

#define ROWS 64u		/* read at a time */
#define TEXT_MAX ((size_t)1 << 20)

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
	struct cfs_verify_row row = {
		.offset = c->span.offset, .length = c->span.length,
		.time = c->time, .status = c->status,
		.url = c->url.n > 0 ? cfs_hash64(c->url, 0) : 0,
		.digest = cfs_verify_hash_digest(c->digest),
		.mime = cfs_verify_hash_mime(c->mime) };
	struct cfs_verify_text text = { c->url, c->digest, c->mime };

	if (g->is_missing) {
		text = (struct cfs_verify_text){ c->url,
			cfs_buf_slice(&g->name), CFS_SLICE_LIT("no archive of "
			"this name is in the WACZ") };
		row = (struct cfs_verify_row){ .offset = g->line_off,
			.url = row.url, .digest = 1 };
	}
	g->rc = cfs_verify_rows_add_line(g->rows, c->archive, &row, &text,
					 g->err);
	return g->rc;
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct listed_reading *g = arg;
	struct cfs_verify_row row = { .offset = what->offset };
	struct cfs_verify_text text = { CFS_SLICE_EMPTY, CFS_SLICE_EMPTY,
					cfs_slice_str(what->text) };

	if (g->rc == CFS_OK)
		g->rc = cfs_verify_rows_add_line(g->rows, g->l->unit, &row,
						 &text, g->err);
}

static void on_advance(void *arg, uint64_t bytes)
{
	(void)arg;
	(void)bytes;
}

int cfs_verify_list_read(const struct cfs_verify_list *l,
			 struct cfs_verify_rows *rows,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *damage, struct cfs_error *err)
{
	struct listed_reading g = { .l = l, .rows = rows, .err = err };
	const struct cfs_indexer_cdx job = {
		.files = l->files, .file = l->file, .member = l->member,
		.find = on_name, .cancel = cancel,
		.capture = on_line, .damaged = on_damage,
		.missing = on_damage,
		.advanced = on_advance, .arg = &g };
	struct cfs_verify_unit u = { .is_remote = l->file->is_remote };
	int rc;

	cfs_error_clear(damage);
	if (l->member->at.size == 0)	/* a list of no captures */
		return CFS_OK;
	cfs_buf_init(&g.name, TEXT_MAX);
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

static int report_row(struct cfs_verify_reader *r, struct cfs_verify_part *p,
		      const struct cfs_verify_row *row, struct cfs_buf *buf,
		      struct cfs_error *err)
{
	struct cfs_verify_finding f = {
		.kind = row->digest != 0 ? "index-archive" : "index",
		.offset = row->offset };
	struct cfs_verify_text text;
	int rc = cfs_verify_rows_text(r->entries, row, buf, &text, err);

	if (rc != CFS_OK)
		return rc;
	f.url = text.url;
	f.expected = text.digest;
	f.found = text.mime;
	p->tally.checks[CFS_VERIFY_INDEX].differed++;
	cfs_verify_found(p, &f);
	return cfs_verify_make_room(r, p);
}

int cfs_verify_list_report(struct cfs_verify_reader *r,
			   struct cfs_verify_part *p, struct cfs_error *err)
{
	const struct cfs_verify_unit *u = p->unit;
	uint64_t at = u->run.first, end = at + u->run.n;
	struct cfs_verify_row rows[ROWS];
	CFS_BUF(buf, TEXT_MAX);
	int rc = CFS_OK;

	while (rc == CFS_OK && at < end) {
		size_t n = end - at < ROWS ? (size_t)(end - at) : ROWS;

		rc = cfs_verify_rows_read(r->entries, at, rows, n, err);
		for (size_t i = 0; rc == CFS_OK && i < n; i++)
			rc = report_row(r, p, &rows[i], &buf, err);
		at += n;
	}
	return rc;
}
