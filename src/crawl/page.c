/* page.c - counts a page's captures, picks the preferred one, names its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page.h"

#include <stdio.h>
#include <string.h>

#include "captures.h"

bool cfs_capture_is_good(const struct cfs_capture *cap)
{
	return cap->status == 200 || cap->kind == CFS_KIND_RESOURCE ||
	       cap->kind == CFS_KIND_CONVERSION;
}

void cfs_choice_offer(struct cfs_choice *best, const struct cfs_capture *cap,
		      cfs_pos pos)
{
	bool is_200 = cfs_capture_is_good(cap);

	if (best->any && is_200 < best->is_200)
		return;
	if (best->any && is_200 == best->is_200 && cap->time < best->time)
		return;
	*best = (struct cfs_choice){ true, is_200, cap->time, pos };
}

int cfs_page_load(struct cfs_walk *w, cfs_pos upto, struct cfs_page *out)
{
	const struct cfs_captures *p;
	uint64_t number = 0;
	int rc = cfs_captures_get(w, &w->child, &p);

	if (rc != CFS_OK)
		return rc;
	if (p->n == 0)
		return CFS_ENOTFOUND;
	if (upto != CFS_POS_NONE)
		rc = cfs_captures_number(w, p, &w->child, upto, &number);
	*out = (struct cfs_page){
		.first = p->first, .preferred = p->preferred,
		.is_shown = p->is_shown, .captures = p->n,
		.rank = number - (number > p->preferred_number),
	};
	return rc;
}

int cfs_page_nth(struct cfs_walk *w, uint64_t n, cfs_pos *out)
{
	const struct cfs_captures *p;
	int rc = cfs_captures_get(w, &w->child, &p);

	if (rc != CFS_OK)
		return rc;
	if (n == 0 || n >= p->n)
		return CFS_ENOTFOUND;
	return cfs_captures_pos(w, p, &w->child,
				n - (n <= p->preferred_number), out);
}

int cfs_page_nearest(struct cfs_walk *w, int64_t moment, cfs_pos *out)
{
	const struct cfs_captures *p;
	int rc = cfs_captures_get(w, &w->child, &p);

	if (rc != CFS_OK)
		return rc;
	return p->n > 0 && p->is_shown ?
	       cfs_captures_nearest(w, p, &w->child, moment, out) :
	       CFS_ENOTFOUND;
}

/* Sets *out if a page in w->dir, or if `dirs` a directory there, has the name
 * of w->child with that suffix. */
static int name_is_taken(struct cfs_walk *w, struct cfs_slice suffix, bool dirs,
			 bool *out)
{
	struct cfs_slice comp = w->child.comp[w->child.n - 1];
	uint8_t name[CFS_NAME_CLASH_MAX];
	cfs_pos pos;
	size_t n;
	int rc;

	*out = false;
	if (!cfs_name_clash(comp, suffix, name, &n))
		return CFS_OK;
	cfs_walk_extend(w, cfs_slice_of(name, n), false, &w->other);
	rc = cfs_walk_find(w, &w->other, CFS_BELOW_PAGE, &pos);
	if (rc == CFS_ENOTFOUND && dirs)
		rc = cfs_walk_find(w, &w->other, CFS_BELOW_DIR, &pos);
	*out = rc == CFS_OK;
	return rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* Sets *out if a page or directory in w->dir, or a view of another page, has
 * the name of that view of w->child: a.main.txt is the .txt of a.main. */
static int view_clashes(struct cfs_walk *w, struct cfs_slice suffix, bool *out)
{
	ptrdiff_t dot = cfs_slice_rfind(suffix, '.');
	struct cfs_suffix other;
	int rc = name_is_taken(w, suffix, true, out);

	if (rc != CFS_OK || *out || dot <= 0 ||
	    !cfs_suffix_parse(cfs_slice_from(suffix, (size_t)dot), &other))
		return rc;
	return name_is_taken(w, cfs_slice_sub(suffix, 0, (size_t)dot), false,
			     out);
}

int cfs_page_names(struct cfs_walk *w, cfs_view_set views,
		   struct cfs_page_names *out)
{
	struct cfs_suffix suffix = { .view = CFS_VIEW_NONE };
	cfs_pos pos;
	int rc;

	out->base_n = cfs_name_escape(w->child.comp[w->child.n - 1],
				      CFS_ZONE_PATH, out->base);
	out->clash = 0;
	rc = cfs_walk_find(w, &w->child, CFS_BELOW_DIR, &pos);
	out->has_dir = rc == CFS_OK;
	if (rc != CFS_OK && rc != CFS_ENOTFOUND)
		return rc;
	while (cfs_suffix_next(&suffix)) {
		bool taken = false;

		if (!(views & 1u << suffix.view))
			continue;
		rc = view_clashes(w, suffix.text, &taken);
		if (rc != CFS_OK)
			return rc;
		out->clash |= (unsigned)taken << suffix.number;
	}
	return CFS_OK;
}

int cfs_page_names_apart(struct cfs_walk *w, cfs_view_set views,
			 struct cfs_page_names *out)
{
	struct cfs_slice comp = w->child.comp[w->child.n - 1];

	out->base_n = cfs_name_escape(comp, CFS_ZONE_PATH, out->base);
	out->clash = 0;
	out->has_dir = false;
	/* an escaped name plus a suffix may be that of another component */
	return cfs_slice_starts(cfs_slice_of(out->base, out->base_n), comp) ?
	       CFS_OK : cfs_page_names(w, views, out);
}

/* True if the name of a view is taken by a page or directory. */
static bool page_is_taken(const struct cfs_page_names *names,
			  const struct cfs_suffix *suffix)
{
	if (suffix->view == CFS_VIEW_RAW)
		return names->has_dir;
	return names->clash >> suffix->number & 1;
}

size_t cfs_page_file_name(const struct cfs_page_names *names,
			  const struct cfs_suffix *suffix, uint64_t number,
			  char out[CFS_NAME_MAX + 1])
{
	size_t n = names->base_n;

	memcpy(out, names->base, n);
	if (number > 0)
		n += (size_t)snprintf(out + n, CFS_NAME_MAX + 1 - n, "#%llu",
				      (unsigned long long)number);
	else if (page_is_taken(names, suffix))
		out[n++] = '#';
	memcpy(out + n, suffix->text.p, suffix->text.n);
	return n + suffix->text.n;
}
