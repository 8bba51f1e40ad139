/* selection_json.c - parses rows of JSON lines, and of a JSON array: objects,
 * whose members are the cells, as pandas writes tables; or arrays, the first of
 * which names the columns, as CDX servers answer.
 *
 * The array is never held as a whole: an item is a row once its end was read.
 * Limit: CFS_TABLE_ROW_MAX bytes an item; nothing is read after a longer one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "codec/json.h"
#include "selection_cells.h"

/* ---- JSON lines ---- */

/* Returns the text without escapes.  The arena has room. */
static struct cfs_slice selection_jsonl_plain(struct cfs_table_cells *t,
					      struct cfs_json_text text)
{
	size_t from = t->arena.n;

	if (!text.escaped)
		return text.s;
	cfs_json_add_text(&t->arena, text);
	return cfs_slice_of(t->arena.p + from, t->arena.n - from);
}

/* NaN is not JSON, but programs write it for a missing number. */
static bool is_null(struct cfs_slice word)
{
	return cfs_slice_eq(word, CFS_SLICE_LIT("null")) ||
	       cfs_slice_eq(word, CFS_SLICE_LIT("NaN"));
}

/* Adds a cell: a member of an object, or an item of an array. */
static void add_cell(struct cfs_table_cells *t, const struct cfs_json_member *m,
		     bool is_member)
{
	struct cfs_selection_cell *c = &t->cells[t->n++];
	uint8_t first = m->written.p[0];

	if (is_member) {	/* an item has its column's name */
		c->name = selection_jsonl_plain(t, m->name);
		c->column = cfs_selection_column_of(c->name);
	}
	c->type = CFS_CELL_JSON;
	if (first == '"') {
		c->type = CFS_CELL_TEXT;
		c->value = selection_jsonl_plain(t, m->value);
	} else if (first == '{' || first == '[') {
		c->value = m->written;
	} else {
		c->value = m->value.s;
		if (is_null(c->value))
			c->type = CFS_CELL_NULL;
	}
}

/* Parses an object or array that is all of s into cells; those before an error
 * stay.  NULL, or what is wrong. */
static const char *take_cells(struct cfs_table_cells *t, struct cfs_slice s,
			      char bracket)
{
	struct cfs_json_member m;
	uint8_t front;
	int rc;

	do {
		cfs_json_skip_blanks(&s);
		front = s.n > 0 ? s.p[0] : 0;
		if (front == ',' && t->n == CFS_SELECTION_CELLS_MAX)
			return "has too many members";
		rc = t->n > 0 && front == (uint8_t)bracket ? CFS_EFORMAT :
		     cfs_json_next(&s, bracket, &m);
		if (rc == CFS_OK)
			add_cell(t, &m, bracket == '{');
	} while (rc == CFS_OK);
	if (rc != CFS_END || front == ',')
		return "is not whole, or no JSON";
	return cfs_slice_trim(s).n == 0 ? NULL :
	       "something follows the JSON object";
}

static const char *take_object(struct cfs_table_cells *t, struct cfs_slice s)
{
	return s.p[0] == '{' ? take_cells(t, s, '{') : "is not a JSON object";
}

enum cfs_table_found cfs_table_jsonl_row(struct cfs_table_cells *t,
					 struct cfs_slice s, bool is_all,
					 size_t *used)
{
	ptrdiff_t end = cfs_slice_find(s, '\n');

	*used = end < 0 ? s.n : (size_t)end + 1;
	if (end < 0 && !is_all)
		return CFS_TABLE_MORE;
	t->n = 0;
	s = cfs_slice_trim(cfs_slice_sub(s, 0, *used));
	if (s.n == 0)
		return CFS_TABLE_BLANK;
	t->why = take_object(t, s);
	return t->why == NULL ? CFS_TABLE_ROW : CFS_TABLE_BAD;
}

/* ---- a JSON array ---- */

/* Finds the size of the object or array at the front of s; 0 if its end is
 * missing.  Errors inside are found when the item is parsed. */
static size_t item_bytes(struct cfs_slice s)
{
	struct cfs_slice rest = s;
	struct cfs_json_text item;

	return cfs_json_take_value(&rest, &item) ? s.n - rest.n : 0;
}

/* Parses the cells of an array. */
static const char *take_array(struct cfs_table_cells *t, struct cfs_slice s)
{
	const char *why = take_cells(t, s, '[');

	if (why == NULL && t->has_columns && t->n != t->n_columns)
		why = "has another number of columns than the first row";
	return why;
}

/* Skips blanks, and the brackets and commas between items; true if an item
 * follows. */
static bool find_item(struct cfs_table_cells *t, struct cfs_slice *s)
{
	for (;;) {
		uint8_t c;

		cfs_json_skip_blanks(s);
		c = s->n > 0 ? s->p[0] : 0;
		if (t->place == CFS_ARRAY_FRONT && c == '[')
			t->place = CFS_ARRAY_INSIDE;
		else if (t->place == CFS_ARRAY_INSIDE && c == ']')
			t->place = CFS_ARRAY_BEHIND;
		else if (t->place != CFS_ARRAY_INSIDE || c != ',')
			return s->n > 0;
		*s = cfs_slice_from(*s, 1);
	}
}

/* Reports damage after which nothing can be read. */
static enum cfs_table_found lose(struct cfs_table_cells *t, const char *why)
{
	t->place = CFS_ARRAY_LOST;
	t->why = why;
	return CFS_TABLE_BAD;
}

/* Parses the item at the front of s, of n bytes; 0 if it is incomplete. */
static const char *selection_array_take_item(struct cfs_table_cells *t,
					     struct cfs_slice s, size_t n)
{
	uint8_t first = s.p[0];

	if (t->bracket == 0)
		t->bracket = first;
	if (t->bracket != first)	/* its names would be the other
					 * kind's */
		return "is another kind of item than the first";
	s = cfs_slice_sub(s, 0, n > 0 ? n : s.n);
	return first == '{' ? take_object(t, s) : take_array(t, s);
}

enum cfs_table_found cfs_table_array_row(struct cfs_table_cells *t,
					 struct cfs_slice s, bool is_all,
					 size_t *used)
{
	struct cfs_slice rest = s;
	bool is_item;
	size_t n;

	t->n = 0;
	*used = s.n;
	if (t->place == CFS_ARRAY_LOST)
		return CFS_TABLE_BLANK;
	is_item = find_item(t, &rest);
	if (rest.n < s.n || !is_item) {
		*used = s.n - rest.n;
		return CFS_TABLE_BLANK;
	}
	if (t->place != CFS_ARRAY_INSIDE)
		return lose(t, t->place == CFS_ARRAY_FRONT ?
			    "is no JSON array" :
			    "something follows the JSON array");
	if (s.p[0] != '{' && s.p[0] != '[')
		return lose(t, "is neither an object nor an array: the rest is "
			    "left out");
	n = item_bytes(s);
	if (n == 0 && !is_all && s.n <= CFS_TABLE_ROW_MAX)
		return CFS_TABLE_MORE;
	if (n > CFS_TABLE_ROW_MAX)
		n = 0;
	t->why = selection_array_take_item(t, s, n);
	if (n == 0)
		return lose(t, "is too long, or not whole: the rest is left "
			    "out");
	*used = n;
	return t->why == NULL ? CFS_TABLE_ROW : CFS_TABLE_BAD;
}
