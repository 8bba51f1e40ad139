/* view_lists.c - makes lists of views from the table of views.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "options.h"

#include <string.h>

#include "view/view.h"

struct view_list {
	const char *word;
	bool has_own, has_related, is_explained;
	const char *last;	/* before the last name */
};

static const struct view_list lists[] = {
	{ "{all}", true, true, false, " and " },
	{ "{own}", true, false, false, " or " },
	{ "{explained}", true, false, true, ", " },
	{ "{related}", false, true, false, ", " },
};

static bool view_lists_is_in(const struct view_list *l, unsigned view)
{
	const struct cfs_view_row *row = &cfs_view_table[view];

	return row->name != NULL &&
	       (row->is_related ? l->has_related : l->has_own);
}

static void view_lists_add_list(struct cfs_buf *out, const struct view_list *l)
{
	unsigned last = CFS_VIEW_COUNT;
	bool is_first = true;

	while (last > CFS_VIEW_RAW && !view_lists_is_in(l, --last))
		continue;
	for (unsigned v = CFS_VIEW_RAW; v <= last; v++) {
		if (!view_lists_is_in(l, v))
			continue;
		if (!is_first)
			cfs_buf_adds(out, v == last ? l->last : ", ");
		is_first = false;
		cfs_buf_adds(out, cfs_view_table[v].name);
		if (l->is_explained)
			cfs_buf_addf(out, " (%s)", cfs_view_table[v].about);
	}
}

/* The list that the text begins with; NULL: none. */
static const struct view_list *list_at(struct cfs_slice text)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (cfs_slice_starts(text, cfs_slice_str(lists[i].word)))
			return &lists[i];
	return NULL;
}

void cfs_view_lists_expand(struct cfs_buf *out, const char *text)
{
	struct cfs_slice rest = cfs_slice_str(text);

	while (rest.n > 0) {
		const struct view_list *l = list_at(rest);

		if (l != NULL)
			view_lists_add_list(out, l);
		else
			cfs_buf_addc(out, rest.p[0]);
		rest = cfs_slice_from(rest, l != NULL ? strlen(l->word) : 1);
	}
}
