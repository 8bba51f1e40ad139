/* selection_csv.c - parses rows of CSV and TSV.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "selection_cells.h"

#define WHY_MANY "has too many columns"

static uint8_t delimiter_of(const struct cfs_table_cells *t)
{
	if (t->kind == CFS_TABLE_TSV)
		return '\t';
	return t->kind == CFS_TABLE_SEMICOLONS ? ';' : ',';
}

static bool add_cell(struct cfs_table_cells *t, struct cfs_slice value)
{
	if (t->n == CFS_SELECTION_CELLS_MAX)
		return false;
	t->cells[t->n].type = CFS_CELL_TEXT;
	t->cells[t->n++].value = value;
	return true;
}

/* Replaces doubled quotes by single ones.  The arena has room. */
static struct cfs_slice undouble(struct cfs_table_cells *t, struct cfs_slice s)
{
	size_t from = t->arena.n;

	while (s.n > 0) {
		ptrdiff_t q = cfs_slice_find(s, '"');
		size_t n = q < 0 ? s.n : (size_t)q + 1;

		cfs_buf_append(&t->arena, s.p, n);
		s = cfs_slice_from(s, n + (q >= 0));
	}
	return cfs_slice_of(t->arena.p + from, t->arena.n - from);
}

/* Parses a quoted cell at *at. */
static enum cfs_table_found selection_csv_take_quoted(struct cfs_table_cells *t,
						      struct cfs_slice s,
						      bool is_all, size_t *at)
{
	size_t from = *at + 1, i = from;
	struct cfs_slice cell;
	bool doubled = false;

	for (;;) {
		ptrdiff_t q = cfs_slice_find(cfs_slice_from(s, i), '"');

		*at = s.n;
		if (q < 0)
			t->why = "a quote is not closed";
		if (q < 0 || (i + (size_t)q + 1 == s.n && !is_all))
			return is_all ? CFS_TABLE_BAD : CFS_TABLE_MORE;
		i += (size_t)q + 1;
		if (i == s.n || s.p[i] != '"')
			break;
		doubled = true;
		i++;
	}
	*at = i;
	cell = cfs_slice_sub(s, from, i - 1 - from);
	t->why = WHY_MANY;
	if (doubled)
		cell = undouble(t, cell);
	return add_cell(t, cell) ? CFS_TABLE_ROW : CFS_TABLE_BAD;
}

/* Parses any other cell at *at, up to the delimiter or line end. */
static enum cfs_table_found take_plain(struct cfs_table_cells *t,
				       struct cfs_slice s, bool is_all,
				       size_t *at)
{
	uint8_t end = delimiter_of(t);
	size_t from = *at, i = from, n;

	while (i < s.n && s.p[i] != end && s.p[i] != '\n')
		i++;
	*at = i;
	if (i == s.n && !is_all)
		return CFS_TABLE_MORE;
	n = i - from;
	if (n > 0 && s.p[i - 1] == '\r' && (i == s.n || s.p[i] == '\n'))
		n--;
	t->why = WHY_MANY;
	return add_cell(t, cfs_slice_sub(s, from, n)) ? CFS_TABLE_ROW :
							CFS_TABLE_BAD;
}

enum cfs_table_found cfs_table_csv_row(struct cfs_table_cells *t,
				       struct cfs_slice s, bool is_all,
				       size_t *used)
{
	uint8_t end = delimiter_of(t);
	bool is_quoted = false;
	size_t at = 0;

	t->n = 0;
	for (;;) {
		enum cfs_table_found f;

		is_quoted = at < s.n && s.p[at] == '"';
		f = is_quoted ? selection_csv_take_quoted(t, s, is_all, &at) :
				take_plain(t, s, is_all, &at);
		if (f != CFS_TABLE_ROW) {
			*used = at;
			return f;
		}
		if (at < s.n && s.p[at] == end) {
			at++;
			continue;
		}
		if (at + 1 == s.n && s.p[at] == '\r' && !is_all)
			return CFS_TABLE_MORE;
		at += at < s.n && s.p[at] == '\r';
		*used = at + (at < s.n);
		if (at == s.n || s.p[at] == '\n')
			break;
		t->why = "text follows a closing quote";
		return CFS_TABLE_BAD;
	}
	if (t->n == 1 && t->cells[0].value.n == 0 && !is_quoted)
		return CFS_TABLE_BLANK;
	t->why = "has another number of columns than the first line";
	return !t->has_columns || t->n == t->n_columns ? CFS_TABLE_ROW :
							 CFS_TABLE_BAD;
}

bool cfs_table_tsv_plain(struct cfs_table_cells *t, struct cfs_slice line)
{
	size_t tabs = 0;

	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	for (size_t i = 0; i < line.n; i++)
		tabs += line.p[i] == '\t';
	if (!t->has_columns || tabs + 1 != t->n_columns)
		return false;
	t->n = 0;
	while (tabs-- > 0)
		add_cell(t, cfs_slice_split(&line, '\t'));
	return add_cell(t, line);
}

/* Finds the first column before number i with this name; i if there is none. */
static size_t selection_csv_find_name(const struct cfs_table_cells *t, size_t i,
				      struct cfs_slice name)
{
	size_t k = 0;

	while (k < i && !cfs_slice_eq(t->cells[k].name, name))
		k++;
	return k;
}

/* Appends the name of column i; if it is taken, as NAME_2 and so on.  next[k]
 * is the next number to try for the name of column k, so that none is tried
 * twice. */
static struct cfs_slice selection_csv_add_name(struct cfs_table_cells *t,
					       size_t i, struct cfs_slice name,
					       unsigned *next)
{
	size_t from = t->names.n, first = selection_csv_find_name(t, i, name),
	       at = first;

	next[i] = 2;
	cfs_buf_add(&t->names, name);
	while (t->names.failed == CFS_OK && at < i) {
		t->names.n = from + name.n;
		cfs_buf_addf(&t->names, "_%u", next[first]++);
		at = selection_csv_find_name(t, i,
					     cfs_slice_of(t->names.p + from,
							  t->names.n - from));
	}
	return cfs_slice_of(t->names.p + from, t->names.n - from);
}

int cfs_table_csv_columns(struct cfs_table_cells *t)
{
	unsigned next[CFS_SELECTION_CELLS_MAX];
	size_t bytes = 0;

	for (size_t i = 0; i < t->n; i++)	/* including a suffix */
		bytes += t->cells[i].value.n + 16;
	if (cfs_buf_reserve(&t->names, bytes) != CFS_OK)
		return CFS_ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		struct cfs_selection_cell *c = &t->cells[i];

		c->name = selection_csv_add_name(t, i, cfs_slice_trim(c->value),
						 next);
		c->column = cfs_selection_column_of(c->name);
	}
	t->n_columns = t->n;
	t->has_columns = true;
	return CFS_OK;
}
