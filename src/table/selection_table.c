/* selection_table.c - splits a table that is text into rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "selection_table.h"

#include <stdlib.h>

#define STEP_BYTES ((size_t)256 << 10)
/* After a damaged row, reading continues with its second line, since one quote
 * too many may have joined lines.  This many bytes are read again, plus as many
 * as good rows had; beyond that the damaged row is skipped. */
#define RESCAN_BYTES (UINT64_C(64) << 20)
/* Lines of JSON used to recognize a kind. */
#define LOOK_LINES 8u

struct cfs_table {
	struct cfs_table_user user;
	struct cfs_buf text;		/* the text not parsed yet */
	uint64_t line;			/* number of its first line, from 1 */
	bool skips;			/* skip to the next line */
	bool has_begun;			/* the byte order mark was skipped */
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
	cfs_buf_init(&t->text, CFS_TABLE_ROW_MAX + 2 * STEP_BYTES);
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

static void selection_table_pass(struct cfs_table *t, struct cfs_slice *rest,
				 size_t n)
{
	struct cfs_slice s = cfs_slice_sub(*rest, 0, n);
	ptrdiff_t at;

	while ((at = cfs_slice_find(s, '\n')) >= 0) {
		t->line++;
		s = cfs_slice_from(s, (size_t)at + 1);
	}
	*rest = cfs_slice_from(*rest, n);
}

/* Skips to the beginning of the next line. */
static void selection_table_skip_line(struct cfs_table *t,
				      struct cfs_slice *rest)
{
	ptrdiff_t at = cfs_slice_find(*rest, '\n');

	t->skips = at < 0;
	selection_table_pass(t, rest, at < 0 ? rest->n : (size_t)at + 1);
}

/* Skips a damaged row, of which `looked` bytes were parsed. */
static void skip_damage(struct cfs_table *t, struct cfs_slice *rest,
			size_t looked)
{
	if (t->row.kind == CFS_TABLE_ARRAY) {	/* the end of its items is
						 * known */
		selection_table_pass(t, rest, looked);
		return;
	}
	if (looked <= t->rescans_left)
		t->rescans_left -= looked;
	else if (looked > 0)		/* the last byte may be the line's
					 * end */
		selection_table_pass(t, rest, looked - 1);
	selection_table_skip_line(t, rest);
}

/* ---- rows ---- */

static enum cfs_table_found take_row(struct cfs_table *t, struct cfs_slice s,
				     bool is_all, size_t *used)
{
	cfs_buf_reset(&t->row.arena);
	switch (t->row.kind) {
	case CFS_TABLE_JSONL:
		return cfs_table_jsonl_row(&t->row, s, is_all, used);
	case CFS_TABLE_ARRAY:
		return cfs_table_array_row(&t->row, s, is_all, used);
	default:
		return cfs_table_csv_row(&t->row, s, is_all, used);
	}
}

/* A damaged row of TSV may come from a program that does not quote. */
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

/* Does the current row name the columns? */
static bool is_header(const struct cfs_table *t)
{
	return !t->row.has_columns && t->row.kind != CFS_TABLE_JSONL &&
	       !(t->row.kind == CFS_TABLE_ARRAY && t->row.bracket == '{');
}

static int hand_on(struct cfs_table *t)
{
	if (is_header(t))
		return cfs_table_csv_columns(&t->row);
	return t->user.row(t->user.arg, t->row.cells, t->row.n, t->line);
}

/* Takes all rows that are complete. */
static int take_rows(struct cfs_table *t, struct cfs_slice *rest, bool is_all)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && rest->n > 0) {
		enum cfs_table_found found;
		size_t used = 0;

		if (t->skips) {
			selection_table_skip_line(t, rest);
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
		selection_table_pass(t, rest, used);
	}
	return rc;
}

static int selection_table_take_text(struct cfs_table *t, bool is_all)
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
	/* Changed cells get shorter, or two bytes become three. */
	if (cfs_buf_reserve(&t->row.arena, 2 * rest.n + 1) != CFS_OK)
		return CFS_ENOMEM;
	rc = take_rows(t, &rest, is_all);
	memmove(t->text.p, rest.p, rest.n);
	t->text.n = rest.n;
	return rc;
}

int cfs_table_feed(struct cfs_table *t, struct cfs_slice text)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && text.n > 0) {
		rc = cfs_buf_add(&t->text, cfs_slice_sub(text, 0,
							 STEP_BYTES));
		text = cfs_slice_from(text, STEP_BYTES);
		if (rc == CFS_OK)
			rc = selection_table_take_text(t, false);
	}
	return rc;
}

int cfs_table_end(struct cfs_table *t)
{
	return t->text.n > 0 ? selection_table_take_text(t, true) : CFS_OK;
}

uint64_t cfs_table_line(const struct cfs_table *t)
{
	return t->line;
}

/* ---- recognizing ---- */

/* Counts the needed roles among the bits. */
static unsigned count_needed(unsigned roles)
{
	unsigned n = 0;

	for (roles &= CFS_COLUMNS_NEEDED; roles > 0; roles >>= 1)
		n += roles & 1;
	return n;
}

/* Finds the roles of a row's columns at the front of the head.  Of JSON lines
 * and items, some are tried until one is a selection's row; the last may be cut
 * off.  The row stays in t. */
static unsigned look_at_rows(struct cfs_table *t, struct cfs_slice head)
{
	bool is_json = t->row.kind == CFS_TABLE_JSONL ||
		       t->row.kind == CFS_TABLE_ARRAY;
	unsigned lines = is_json ? LOOK_LINES : 1, roles = 0;
	size_t used;

	if (cfs_buf_reserve(&t->row.arena, 2 * head.n + 1) != CFS_OK)
		return 0;
	while (head.n > 0 && lines > 0 &&
	       (roles & CFS_COLUMNS_NEEDED) != CFS_COLUMNS_NEEDED) {
		enum cfs_table_found f = take_row(t, head, true, &used);
		unsigned of_row = 0;

		head = cfs_slice_from(head, used);
		if (f == CFS_TABLE_BLANK)
			continue;
		lines = is_header(t) ? 0 : lines - 1;
		if (is_header(t) &&
		    (f != CFS_TABLE_ROW ||
		     cfs_table_csv_columns(&t->row) != CFS_OK))
			break;
		for (size_t i = 0; i < t->row.n; i++)
			of_row |= 1u << t->row.cells[i].column.role;
		if (count_needed(of_row) >= count_needed(roles))
			roles = of_row;
	}
	return roles;
}

/* The roles of a text's columns if it is read as that kind. */
static unsigned look_as(enum cfs_table_kind kind, struct cfs_slice head,
			struct cfs_buf *archive)
{
	struct cfs_table *t = cfs_table_new(kind, &(struct cfs_table_user){
						   .arg = NULL });
	unsigned roles = t == NULL ? 0 : look_at_rows(t, head);

	for (size_t i = 0; kind == CFS_TABLE_JSONL && i < (t ? t->row.n : 0);
	     i++)
		if (t->row.cells[i].column.role == CFS_COLUMN_ARCHIVE)
			cfs_buf_add(archive, t->row.cells[i].value);
	cfs_table_free(t);
	return roles;
}

/* Finds the likeliest kind of a text, and its columns' roles. */
static enum cfs_table_kind likeliest(struct cfs_slice head, bool is_all,
				     struct cfs_buf *archive, unsigned *roles)
{
	static const enum cfs_table_kind kinds[] = { CFS_TABLE_CSV,
		CFS_TABLE_TSV, CFS_TABLE_SEMICOLONS };
	enum cfs_table_kind found = CFS_TABLE_NONE;
	struct cfs_slice text;

	*roles = 0;
	if (cfs_slice_starts(head, mark))
		head = cfs_slice_from(head, mark.n);
	text = cfs_slice_trim(head);
	if (text.n == 0)
		return CFS_TABLE_NONE;
	if (text.p[0] == '{' || text.p[0] == '[') {
		found = text.p[0] == '{' ? CFS_TABLE_JSONL : CFS_TABLE_ARRAY;
		*roles = look_as(found, text, archive);
		return found;
	}
	/* The first line must be complete. */
	if (cfs_slice_find(head, '\n') < 0 && !is_all)
		return CFS_TABLE_NONE;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		unsigned r = look_as(kinds[i], head, archive);

		if (found == CFS_TABLE_NONE ||
		    count_needed(r) > count_needed(*roles) ||
		    (count_needed(r) == count_needed(*roles) && r > *roles)) {
			found = kinds[i];
			*roles = r;
		}
	}
	return found;
}

enum cfs_table_kind cfs_table_look(struct cfs_slice head, bool is_all,
				   struct cfs_buf *archive)
{
	unsigned roles;
	enum cfs_table_kind kind = likeliest(head, is_all, archive, &roles);

	return (roles & CFS_COLUMNS_NEEDED) == CFS_COLUMNS_NEEDED ?
	       kind : CFS_TABLE_NONE;
}

bool cfs_table_lacks(struct cfs_slice head, bool is_all, struct cfs_buf *out)
{
	static const char *const names[] = { [CFS_TABLE_CSV] = "CSV",
		[CFS_TABLE_SEMICOLONS] = "CSV", [CFS_TABLE_TSV] = "TSV",
		[CFS_TABLE_JSONL] = "JSON lines",
		[CFS_TABLE_ARRAY] = "a JSON array" };
	CFS_BUF(archive, CFS_TABLE_ROW_MAX);
	enum cfs_table_kind kind;
	unsigned roles;

	kind = likeliest(head, is_all, &archive, &roles);
	/* A table with no known column, or only a page's URL and content, is
	 * not one of captures. */
	if (kind == CFS_TABLE_NONE ||
	    (roles & CFS_COLUMNS_NEEDED) == CFS_COLUMNS_NEEDED ||
	    (roles & ~(1u << CFS_COLUMN_OTHER | 1u << CFS_COLUMN_URL |
		       1u << CFS_COLUMN_CONTENT)) == 0)
		return false;
	cfs_buf_addf(out, "%s without ", names[kind]);
	cfs_selection_columns_lacking(roles, out);
	return out->failed == CFS_OK;
}
