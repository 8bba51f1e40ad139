/* selection_read.c - recognizes and reads files that are selections.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "selection_read.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fileio.h"
#include "codec/member.h"
#include "format/cdx/cdx.h"
#include "record/inflate_steps.h"

/* Inflated bytes used to recognize a file. */
#define LOOK_BYTES 65536u

/* Sorted lines of a CDX server are an index if their archives lie beside them,
 * and otherwise a selection. */
static bool is_beside(const struct cfs_source *src, struct cfs_slice text,
		      struct cfs_buf *archive)
{
	char *folder = cfs_folder_of(src->name);
	struct cfs_slice name = cfs_cdx_tidy_name(cfs_buf_slice(archive));
	CFS_BUF(path, PATH_MAX);
	bool yes;

	cfs_buf_adds(&path, folder != NULL ? folder : "");
	cfs_buf_addc(&path, '/');
	cfs_buf_add(&path, name);
	yes = name.n > 0 && path.failed == CFS_OK &&
	      access(cfs_buf_str(&path), F_OK) == 0 &&
	      cfs_cdx_detect(text) == CFS_INDEX_CDX;
	free(folder);
	return yes;
}

/* The beginning of a file, inflated. */
struct table_front {
	struct cfs_slice text;
	bool is_all;			/* the file ends there */
	uint8_t *room;			/* for file bytes and text; owned */
};

/* Inflates the beginning of a file whose first bytes are `head`; reads more of
 * zstd.  The caller frees out->room in any case. */
static int inflate_front(struct cfs_source *src, struct cfs_slice head,
			 struct table_front *out, struct cfs_ctx ctx)
{
	enum cfs_coding coding = cfs_coding_of(head);
	size_t n = CFS_INDEX_HEAD_BYTES, got = head.n;
	int rc = CFS_OK;

	*out = (struct table_front){ .text = head, .is_all = got < n };
	if (coding == CFS_CODING_NONE)
		return CFS_OK;
	out->room = malloc(CFS_ZST_FIRST_MAX + LOOK_BYTES);
	if (out->room == NULL)
		return cfs_error_nomem(ctx.err);
	if (got == n && coding == CFS_CODING_ZSTD) {
		n = CFS_ZST_FIRST_MAX;
		rc = cfs_source_read_some(src, out->room, n, 0, &got, ctx);
		head = cfs_slice_of(out->room, got);
	}
	if (rc != CFS_OK)
		return rc;
	out->text.p = out->room + CFS_ZST_FIRST_MAX;
	out->text.n = cfs_member_peek(head, NULL, out->room + CFS_ZST_FIRST_MAX,
				      LOOK_BYTES);
	out->is_all = got < n && out->text.n < LOOK_BYTES;
	return CFS_OK;
}

/* Recognizes the inflated beginning of a file. */
static enum cfs_table_kind look_inside(const struct cfs_source *src,
				       struct cfs_slice head, bool is_all)
{
	enum cfs_table_kind kind;
	CFS_BUF(archive, CFS_CDX_NAME_MAX);

	if (cfs_slice_starts(head, CFS_SLICE_LIT(CFS_PARQUET_MAGIC)))
		return CFS_TABLE_PARQUET;
	kind = cfs_table_look(head, is_all, &archive);
	if (kind == CFS_TABLE_JSONL && src->is_local &&
	    is_beside(src, head, &archive))
		kind = CFS_TABLE_NONE;
	return kind;
}

int cfs_selection_look_at(struct cfs_source *src, struct cfs_slice head,
			  enum cfs_table_kind *kind, struct cfs_ctx ctx)
{
	struct table_front front;
	int rc = inflate_front(src, head, &front, ctx);

	*kind = rc == CFS_OK ? look_inside(src, front.text, front.is_all) :
			       CFS_TABLE_NONE;
	free(front.room);
	return rc;
}

void cfs_selection_describe(struct cfs_source *src,
			    char out[CFS_UNSUPPORTED_BYTES],
			    const struct cfs_cancel *cancel)
{
	struct table_front front = { .room = NULL };
	uint8_t head[CFS_INDEX_HEAD_BYTES];
	CFS_BUF(lacks, CFS_UNSUPPORTED_BYTES);
	size_t n = 0;

	if (cfs_source_read_some(src, head, sizeof(head), 0, &n,
				 CFS_CTX(cancel, NULL)) == CFS_OK &&
	    inflate_front(src, cfs_slice_of(head, n), &front,
			  CFS_CTX(cancel, NULL)) ==
		    CFS_OK &&
	    cfs_table_lacks(front.text, front.is_all, &lacks))
		snprintf(out, CFS_UNSUPPORTED_BYTES, "%s", cfs_buf_str(&lacks));
	else
		cfs_unsupported_describe(src, out, cancel);
	free(front.room);
}

/* ---- reading ---- */

struct selection_reader {
	struct cfs_selection_rows *rows;
	struct cfs_table *table;
	struct cfs_buf step;
	void (*advanced)(void *arg, uint64_t bytes);
	void *arg;
	uint64_t file_off;
	int rc;				/* the result of taking a row */
	struct cfs_error error;
};

static int on_row(void *arg, const struct cfs_selection_cell *cells, size_t n,
		  uint64_t line)
{
	struct selection_reader *r = arg;

	r->rc = cfs_selection_rows_take(r->rows, cells, n, line, &r->error);
	return r->rc;
}

static void selection_read_on_damage(void *arg, uint64_t line, const char *why)
{
	struct selection_reader *r = arg;

	cfs_selection_rows_damaged(r->rows, line, why);
}

static int on_step(void *arg, uint64_t file_off)
{
	struct selection_reader *r = arg;
	int rc = cfs_table_feed(r->table, cfs_buf_slice(&r->step));

	cfs_buf_reset(&r->step);
	r->advanced(r->arg, file_off - r->file_off);
	r->file_off = file_off;
	return rc;
}

static int selection_read_read_rows(struct selection_reader *r,
				    struct cfs_source *src, struct cfs_ctx ctx)
{
	const struct cfs_inflate_steps steps = { &r->step, on_step, r,
						  ctx.cancel };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_inflate_steps_read(src, &steps, &e);

	if (rc == CFS_OK) {
		rc = cfs_table_end(r->table);
	} else if (rc == CFS_EFORMAT && r->rc == CFS_OK) {
		/* without the incomplete row */
		cfs_selection_rows_damaged(r->rows, cfs_table_line(r->table),
					   e.text);
		rc = CFS_OK;
	}
	if (rc == CFS_ENOMEM && r->rc == CFS_OK)
		return cfs_error_nomem(ctx.err);
	return cfs_error_pass(ctx.err, r->rc != CFS_OK ? &r->error : &e, rc);
}

int cfs_selection_read(struct cfs_source *src, enum cfs_table_kind kind,
		       struct cfs_selection_rows *rows,
		       void (*advanced)(void *arg, uint64_t bytes), void *arg,
		       struct cfs_ctx ctx)
{
	struct selection_reader r = { .rows = rows,
				      .advanced = advanced,
				      .arg = arg,
				      .error = CFS_ERROR_INIT };
	const struct cfs_table_user user = { on_row, selection_read_on_damage,
					     &r };
	int rc;

	if (kind == CFS_TABLE_NONE || kind == CFS_TABLE_PARQUET)
		return cfs_error_at(ctx.err, CFS_EFORMAT, src->name, 0,
				    "is not a selection");
	r.table = cfs_table_new(kind, &user);
	if (r.table == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_buf_init(&r.step, CFS_INFLATE_STEP_BYTES);
	rc = cfs_selection_rows_begin(rows, src->name, "line", ctx.err);
	if (rc == CFS_OK)
		rc = selection_read_read_rows(&r, src, ctx);
	cfs_buf_release(&r.step);
	cfs_table_free(r.table);
	return rc;
}
