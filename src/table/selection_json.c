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

/* Parses a cell's value at the front of *s, and removes it from *s. */
static bool table_json_value(struct cfs_table_cells *t,
			     struct cfs_selection_cell *c, struct cfs_slice *s)
{
	struct cfs_json_text value;
	struct cfs_slice from = *s;
	uint8_t first = s->n > 0 ? s->p[0] : 0;

	if (!cfs_json_take_value(s, &value))
		return false;
	from.n -= s->n;
	c->type = CFS_CELL_JSON;
	c->value = from;
	if (first == '"') {
		c->type = CFS_CELL_TEXT;
		c->value = selection_jsonl_plain(t, value);
	} else if (first != '{' && first != '[') {
		c->value = value.s;
		if (is_null(value.s))
			c->type = CFS_CELL_NULL;
		else if (value.s.n == 0)
			return false;
	}
	return true;
}

static bool take_cell(struct cfs_table_cells *t, struct cfs_slice *s)
{
	struct cfs_selection_cell *c = &t->cells[t->n];
	struct cfs_json_text name;

	if (!cfs_json_take_name(s, &name))
		return false;
	/* first, so that it precedes the value in the arena */
	c->name = selection_jsonl_plain(t, name);
	if (!table_json_value(t, c, s))
		return false;
	c->column = cfs_selection_column_of(c->name);
	t->n++;
	return true;
}

/* Parses a JSON object that is all of s into cells; those before an error stay.
 * NULL, or what is wrong. */
static const char *table_json_object(struct cfs_table_cells *t,
				     struct cfs_slice s)
{
	if (s.p[0] != '{')
		return "is not a JSON object";
	do {
		s = cfs_slice_from(s, 1);
		cfs_json_skip_blanks(&s);
		if (s.n > 0 && s.p[0] == '}' && t->n == 0)
			break;
		if (t->n == CFS_SELECTION_CELLS_MAX)
			return "has too many members";
		if (!take_cell(t, &s))
			return "is not whole, or no JSON";
		cfs_json_skip_blanks(&s);
	} while (s.n > 0 && s.p[0] == ',');
	if (s.n == 0 || s.p[0] != '}')
		return "is not whole, or no JSON";
	return cfs_slice_trim(cfs_slice_from(s, 1)).n == 0 ? NULL :
	       "something follows the JSON object";
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
	t->why = table_json_object(t, s);
	return t->why == NULL ? CFS_TABLE_ROW : CFS_TABLE_BAD;
}

/* ---- a JSON array ---- */

/* Finds the size of the object or array at the front of s; 0 if its end is
 * missing.  Outside strings, brackets are counted but not matched: errors
 * inside are found when the item is parsed. */
static size_t item_bytes(struct cfs_slice s)
{
	bool in_string = false;
	size_t depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (in_string) {
			i += c == '\\';
			in_string = c != '"';
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return i + 1;
		}
	}
	return 0;
}

/* Parses the cells of an array; those before an error stay. */
static const char *take_array(struct cfs_table_cells *t, struct cfs_slice s)
{
	do {
		s = cfs_slice_from(s, 1);
		cfs_json_skip_blanks(&s);
		if (s.n > 0 && s.p[0] == ']' && t->n == 0)
			break;
		if (t->n == CFS_SELECTION_CELLS_MAX)
			return "has too many members";
		if (!table_json_value(t, &t->cells[t->n], &s))
			return "is not whole, or no JSON";
		t->n++;
		cfs_json_skip_blanks(&s);
	} while (s.n > 0 && s.p[0] == ',');
	if (s.n != 1 || s.p[0] != ']')
		return "is not whole, or no JSON";
	return !t->has_columns || t->n == t->n_columns ? NULL :
	       "has another number of columns than the first row";
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
	return first == '{' ? table_json_object(t, s) : take_array(t, s);
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
