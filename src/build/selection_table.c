/* selection_table.c - the rows of a table that is text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "selection_table.h"

#include <stdlib.h>

#define PIECE_BYTES ((size_t)256 << 10)
/* Lines behind damage are read again as rows of their own, since a quote too
 * many makes them all part of one: so many bytes, and as many as good rows
 * had.  What is beyond is skipped with the damage. */
#define RESCAN_BYTES (UINT64_C(64) << 20)
/* Lines of JSON that are looked at. */
#define LOOK_LINES 8u

struct cfs_table {
	struct cfs_table_user user;
	struct cfs_buf text;		/* what is not read yet */
	uint64_t line;			/* that it begins with, from 1 */
	bool skips;			/* up to the next line */
	bool has_begun;			/* a byte order mark is behind */
	uint64_t rescans_left;		/* bytes: see skip_damage */
	struct cfs_table_cells row;
};

static const struct cfs_slice mark = { (const uint8_t *)"\xef\xbb\xbf", 3 };

struct cfs_table *cfs_table_new(enum cfs_table_kind kind,
				const struct cfs_table_user *user)
{
	struct cfs_table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->row.kind = kind;
	t->user = *user;
	t->line = 1;
	t->rescans_left = RESCAN_BYTES;
	cfs_buf_init(&t->text, CFS_TABLE_ROW_MAX + 2 * PIECE_BYTES);
	cfs_buf_init(&t->row.arena, SIZE_MAX);
	cfs_buf_init(&t->row.names, 2 * CFS_TABLE_ROW_MAX);
	return t;
}

void cfs_table_free(struct cfs_table *t)
{
	if (t == NULL)
		return;
	cfs_buf_release(&t->text);
	cfs_buf_release(&t->row.arena);
	cfs_buf_release(&t->row.names);
	free(t);
}

/* ---- stepping ---- */

static void pass(struct cfs_table *t, struct cfs_slice *rest, size_t n)
{
	struct cfs_slice s = cfs_slice_sub(*rest, 0, n);
	ptrdiff_t at;

	while ((at = cfs_slice_find(s, '\n')) >= 0) {
		t->line++;
		s = cfs_slice_from(s, (size_t)at + 1);
	}
	*rest = cfs_slice_from(*rest, n);
}

/* To the beginning of the next line. */
static void skip_line(struct cfs_table *t, struct cfs_slice *rest)
{
	ptrdiff_t at = cfs_slice_find(*rest, '\n');

	t->skips = at < 0;
	pass(t, rest, at < 0 ? rest->n : (size_t)at + 1);
}

/* Past a row that is damaged, of which `looked` bytes were read. */
static void skip_damage(struct cfs_table *t, struct cfs_slice *rest,
			size_t looked)
{
	if (looked <= t->rescans_left)
		t->rescans_left -= looked;
	else if (looked > 0)		/* its last byte may end the line */
		pass(t, rest, looked - 1);
	skip_line(t, rest);
}

/* ---- rows ---- */

static enum cfs_table_found take_row(struct cfs_table *t, struct cfs_slice s,
				     bool is_all, size_t *used)
{
	cfs_buf_reset(&t->row.arena);
	return t->row.kind == CFS_TABLE_JSONL ?
	       cfs_table_jsonl_row(&t->row, s, is_all, used) :
	       cfs_table_csv_row(&t->row, s, is_all, used);
}

/* A row of a TSV that is damaged may be of a program that knows no quotes. */
static enum cfs_table_found take_without_quotes(struct cfs_table *t,
						struct cfs_slice rest,
						bool is_all, size_t *used)
{
	ptrdiff_t end = cfs_slice_find(rest, '\n');
	size_t n = end < 0 ? rest.n : (size_t)end;

	if (end < 0 && !is_all && n <= CFS_TABLE_ROW_MAX)
		return CFS_TABLE_MORE;
	if (!cfs_table_tsv_plain(&t->row, cfs_slice_sub(rest, 0, n)))
		return CFS_TABLE_BAD;
	*used = n + (end >= 0);
	return CFS_TABLE_ROW;
}

static int hand_on(struct cfs_table *t)
{
	if (t->row.kind != CFS_TABLE_JSONL && !t->row.has_columns)
		return cfs_table_csv_columns(&t->row);
	return t->user.row(t->user.arg, t->row.cells, t->row.n, t->line);
}

/* All rows whose end is there. */
static int take_rows(struct cfs_table *t, struct cfs_slice *rest, bool is_all)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && rest->n > 0) {
		enum cfs_table_found found;
		size_t used = 0;

		if (t->skips) {
			skip_line(t, rest);
			continue;
		}
		found = take_row(t, *rest, is_all, &used);
		if (found == CFS_TABLE_MORE && rest->n <= CFS_TABLE_ROW_MAX)
			break;
		if (found == CFS_TABLE_MORE || used > CFS_TABLE_ROW_MAX) {
			t->row.why = "is too long, or a quote is not closed";
			found = CFS_TABLE_BAD;
		}
		if (found == CFS_TABLE_BAD && t->row.kind == CFS_TABLE_TSV)
			found = take_without_quotes(t, *rest, is_all, &used);
		if (found == CFS_TABLE_MORE)
			break;
		if (found == CFS_TABLE_BAD) {
			t->user.damaged(t->user.arg, t->line, t->row.why);
			skip_damage(t, rest, used);
			continue;
		}
		if (found == CFS_TABLE_ROW) {
			rc = hand_on(t);
			t->rescans_left += used;
		}
		pass(t, rest, used);
	}
	return rc;
}

static int take_text(struct cfs_table *t, bool is_all)
{
	struct cfs_slice rest = cfs_buf_slice(&t->text);
	int rc;

	if (!t->has_begun) {
		if (rest.n < mark.n && !is_all)
			return CFS_OK;
		if (cfs_slice_starts(rest, mark))
			rest = cfs_slice_from(rest, mark.n);
		t->has_begun = true;
	}
	/* cells that are changed become shorter, or three bytes of two */
	if (cfs_buf_reserve(&t->row.arena, 2 * rest.n + 1) != CFS_OK)
		return CFS_ENOMEM;
	rc = take_rows(t, &rest, is_all);
	memmove(t->text.p, rest.p, rest.n);
	t->text.n = rest.n;
	return rc;
}

int cfs_table_feed(struct cfs_table *t, struct cfs_slice piece)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && piece.n > 0) {
		rc = cfs_buf_add(&t->text, cfs_slice_sub(piece, 0,
							 PIECE_BYTES));
		piece = cfs_slice_from(piece, PIECE_BYTES);
		if (rc == CFS_OK)
			rc = take_text(t, false);
	}
	return rc;
}

int cfs_table_end(struct cfs_table *t)
{
	return t->text.n > 0 ? take_text(t, true) : CFS_OK;
}

uint64_t cfs_table_line(const struct cfs_table *t)
{
	return t->line;
}

/* ---- looking ---- */

static bool is_selection(const struct cfs_table *t)
{
	unsigned roles = 0;

	for (size_t i = 0; i < t->row.n; i++)
		roles |= 1u << t->row.cells[i].column.role;
	return (roles & CFS_COLUMNS_NEEDED) == CFS_COLUMNS_NEEDED;
}

/* Is a row at the front of the head one of a selection?  A line of JSON may be
 * cut off. */
static bool looks_like(enum cfs_table_kind kind, struct cfs_slice head,
		       struct cfs_buf *archive)
{
	struct cfs_table *t = cfs_table_new(kind, &(struct cfs_table_user){
						   .arg = NULL });
	unsigned lines = kind == CFS_TABLE_JSONL ? LOOK_LINES : 1;
	bool found = false;
	size_t used;

	if (t == NULL || cfs_buf_reserve(&t->row.arena, 2 * head.n + 1) != CFS_OK)
		lines = 0;
	while (!found && head.n > 0 && lines > 0) {
		enum cfs_table_found f = take_row(t, head, true, &used);

		if (f == CFS_TABLE_ROW && kind != CFS_TABLE_JSONL &&
		    cfs_table_csv_columns(&t->row) != CFS_OK)
			break;
		lines -= f != CFS_TABLE_BLANK;
		found = (f == CFS_TABLE_ROW || kind == CFS_TABLE_JSONL) &&
			is_selection(t);
		head = cfs_slice_from(head, used);
	}
	for (size_t i = 0; found && kind == CFS_TABLE_JSONL && i < t->row.n; i++)
		if (t->row.cells[i].column.role == CFS_COLUMN_ARCHIVE)
			cfs_buf_add(archive, t->row.cells[i].value);
	cfs_table_free(t);
	return found;
}

enum cfs_table_kind cfs_table_look(struct cfs_slice head, bool is_all,
				   struct cfs_buf *archive)
{
	static const enum cfs_table_kind kinds[] = { CFS_TABLE_CSV,
		CFS_TABLE_TSV, CFS_TABLE_SEMICOLONS };
	struct cfs_slice text;

	if (cfs_slice_starts(head, mark))
		head = cfs_slice_from(head, mark.n);
	text = cfs_slice_trim(head);
	if (text.n == 0)
		return CFS_TABLE_NONE;
	if (text.p[0] == '{')
		return looks_like(CFS_TABLE_JSONL, text, archive) ?
		       CFS_TABLE_JSONL : CFS_TABLE_NONE;
	/* the first line must be whole */
	if (cfs_slice_find(head, '\n') < 0 && !is_all)
		return CFS_TABLE_NONE;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (looks_like(kinds[i], head, archive))
			return kinds[i];
	return CFS_TABLE_NONE;
}
