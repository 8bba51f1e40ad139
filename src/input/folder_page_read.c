/* folder_page_read.c - detects the kind of a listing, and parses it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "folder_page.h"

#define PATH_BYTES_MAX CFS_LOCATION_MAX

/* Detects the kind by the first byte. */
static int folder_page_read_read_page(struct cfs_folder_page *l)
{
	struct cfs_slice s = l->text;

	if (cfs_slice_starts(s, CFS_SLICE_LIT("\xef\xbb\xbf")))
		s = cfs_slice_from(s, 3);
	s = cfs_slice_trim(s);
	if (s.n > 0 && s.p[0] == '[')
		return cfs_folder_page_read_json(l);
	if (s.n > 0 && s.p[0] == '<')
		return cfs_folder_page_read_html(l);
	return cfs_error_set(l->err, CFS_EFORMAT,
			     "the server does not list the "
			     "folder: its answer is neither HTML nor JSON");
}

int cfs_folder_page_parse(const char *url, struct cfs_slice page,
			  cfs_folder_page_each *each, void *arg,
			  struct cfs_error *err)
{
	struct cfs_folder_page l = { .text = page, .each = each, .arg = arg,
				 .err = err };
	int rc = cfs_location_parse(&l.loc, url, err);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&l.folder, PATH_BYTES_MAX);
	cfs_buf_init(&l.target, 2 * PATH_BYTES_MAX);
	cfs_buf_init(&l.path, PATH_BYTES_MAX);
	cfs_url_base_init(&l.base, cfs_slice_str(url));
	cfs_location_decode(&l.folder, l.loc.path);
	rc = l.folder.failed != CFS_OK ? cfs_error_nomem(err) :
					 folder_page_read_read_page(&l);
	cfs_buf_release(&l.path);
	cfs_buf_release(&l.target);
	cfs_buf_release(&l.folder);
	return rc;
}
