/* selection_jsonl.c - parses rows of JSON lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "codec/json.h"
#include "selection_cells.h"

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

bool cfs_table_json_value(struct cfs_table_cells *t,
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
	if (!cfs_table_json_value(t, c, s))
		return false;
	c->column = cfs_selection_column_of(c->name);
	t->n++;
	return true;
}

const char *cfs_table_json_object(struct cfs_table_cells *t,
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
	t->why = cfs_table_json_object(t, s);
	return t->why == NULL ? CFS_TABLE_ROW : CFS_TABLE_BAD;
}
