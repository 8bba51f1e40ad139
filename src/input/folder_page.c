/* folder_page.c - finds out where the links of a listing lead.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "folder_page.h"

#include "base/fileio.h"
#include "base/hash.h"

uint32_t cfs_folder_page_state(struct cfs_slice text)
{
	uint32_t state = (uint32_t)cfs_hash64(text, 0);

	return state != 0 ? state : 1;
}

bool cfs_folder_page_is_name(struct cfs_slice name)
{
	bool is_start = true;

	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = name.p[i];

		if (c < 0x20 || c == 0x7f || (is_start && c == '.'))
			return false;
		is_start = c == '/';
	}
	return cfs_name_stays_below(name);
}

/* True for encoded bytes that would become a '/' or NUL in the name. */
static bool hides_bytes(struct cfs_slice path)
{
	return cfs_slice_search_nocase(path, CFS_SLICE_LIT("%2f")) >= 0 ||
	       cfs_slice_search_nocase(path, CFS_SLICE_LIT("%00")) >= 0;
}

static bool is_same_port(const struct cfs_location *a,
			 const struct cfs_location *b)
{
	struct cfs_slice usual = a->scheme == CFS_LOC_HTTPS ?
				 CFS_SLICE_LIT("443") : CFS_SLICE_LIT("80");
	struct cfs_slice p = a->port.n > 0 ? a->port : usual;
	struct cfs_slice q = b->port.n > 0 ? b->port : usual;

	return cfs_slice_eq(p, q);
}

static bool is_same_server(const struct cfs_location *a,
			   const struct cfs_location *b)
{
	return a->scheme == b->scheme && is_same_port(a, b) &&
	       cfs_slice_eq_nocase(a->host, b->host);
}

bool cfs_folder_page_find_name(struct cfs_folder_page *l, struct cfs_slice ref,
			       struct cfs_slice *name, bool *is_folder)
{
	struct cfs_location loc;
	struct cfs_slice folder = cfs_buf_slice(&l->folder);

	if (cfs_slice_find_any(ref, 0, "?#") < ref.n ||
	    memchr(ref.p, '\0', ref.n) != NULL ||
	    !cfs_url_resolve(&l->base, ref, &l->target) ||
	    cfs_location_parse(&loc, cfs_buf_str(&l->target), NULL) != CFS_OK ||
	    !is_same_server(&loc, &l->loc) || hides_bytes(loc.path))
		return false;
	cfs_buf_reset(&l->path);
	cfs_location_decode(&l->path, loc.path);
	if (l->path.failed != CFS_OK ||
	    !cfs_slice_starts(cfs_buf_slice(&l->path), folder))
		return false;
	*name = cfs_slice_from(cfs_buf_slice(&l->path), folder.n);
	*is_folder = name->n > 0 && name->p[name->n - 1] == '/';
	name->n -= *is_folder;
	return cfs_folder_page_is_name(*name);
}
