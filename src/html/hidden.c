/* hidden.c - which elements a browser does not show (hidden.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hidden.h"

static struct cfs_slice after_blanks(struct cfs_slice s)
{
	while (s.n > 0 && s.p[0] <= ' ')
		s = cfs_slice_from(s, 1);
	return s;
}

/* True if a style attribute has `name` `:` and a value with that prefix. */
static bool has_style(struct cfs_slice s, struct cfs_slice name,
		      struct cfs_slice value)
{
	for (;;) {
		ptrdiff_t at = cfs_slice_search_nocase(s, name);

		if (at < 0)
			return false;
		s = after_blanks(cfs_slice_from(s, (size_t)at + name.n));
		if (s.n == 0 || s.p[0] != ':')
			continue;
		s = after_blanks(cfs_slice_from(s, 1));
		if (cfs_slice_starts_nocase(s, value))
			return true;
	}
}

static bool hides(const struct cfs_html_el *el, struct cfs_slice name)
{
	struct cfs_slice v;

	switch (name.n) {
	case 5:
		return cfs_slice_eq_nocase(name, CFS_SLICE_LIT("style")) &&
		       cfs_html_el_get(el, CFS_SLICE_LIT("style"), &v) &&
		       (has_style(v, CFS_SLICE_LIT("display"),
				  CFS_SLICE_LIT("none")) ||
			has_style(v, CFS_SLICE_LIT("visibility"),
				  CFS_SLICE_LIT("hidden")));
	case 6:
		return cfs_slice_eq_nocase(name, CFS_SLICE_LIT("hidden")) &&
		       cfs_html_el_get(el, CFS_SLICE_LIT("hidden"), &v) &&
		       !cfs_slice_eq_nocase(v, CFS_SLICE_LIT("until-found"));
	case 11:
		return cfs_slice_eq_nocase(name,
					   CFS_SLICE_LIT("aria-hidden")) &&
		       cfs_html_el_get(el, CFS_SLICE_LIT("aria-hidden"), &v) &&
		       cfs_slice_eq_nocase(cfs_slice_trim(v),
					   CFS_SLICE_LIT("true"));
	default:
		return false;
	}
}

bool cfs_html_is_panel(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	if (!cfs_html_el_get(el, CFS_SLICE_LIT("role"), &v))
		return cfs_html_el_get(el, CFS_SLICE_LIT("aria-labelledby"),
				       &v) && v.n > 0;
	v = cfs_slice_trim(v);
	return cfs_slice_eq_nocase(v, CFS_SLICE_LIT("tabpanel")) ||
	       cfs_slice_eq_nocase(v, CFS_SLICE_LIT("region"));
}

bool cfs_html_is_hidden(const struct cfs_html_el *el)
{
	/* Scripts show what hides itself as a whole. */
	if (el->tag == CFS_TAG_BODY || el->tag == CFS_TAG_HTML)
		return false;
	for (unsigned i = 0; i < el->token->n_attrs; i++)
		if (hides(el, el->token->attrs[i].name))
			return true;
	return false;
}
