/* fuzz_listing.c - pages that list folders, of any bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/fileio.h"
#include "input/folder_page.h"
#include "net/location.h"

#define URL "http://a.example/b/"

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* Listed names become part of URLs, and of an index that others open. */
static int each(void *arg, const struct cfs_listed *l)
{
	struct cfs_buf url;

	(void)arg;
	must(cfs_name_stays_below(l->name) && l->name.p[0] != '.');
	must(cfs_slice_search(l->name, CFS_SLICE_LIT("/.")) < 0);
	for (size_t i = 0; i < l->name.n; i++)
		must(l->name.p[i] >= ' ' && l->name.p[i] != 0x7f);
	must(l->bytes <= INT64_MAX || l->bytes == CFS_FOLDER_PAGE_SIZE_UNKNOWN);
	cfs_buf_init(&url, 4 * CFS_LOCATION_MAX);
	cfs_location_join(&url, URL, l->name);
	must(cfs_slice_starts(cfs_buf_slice(&url), CFS_SLICE_LIT(URL)));
	cfs_buf_release(&url);
	return CFS_OK;
}

FUZZ_TARGET(data, size)
{
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_folder_page_parse(URL, cfs_slice_of(data, size), each, NULL,
				       &err);

	must(rc == CFS_OK || (rc == CFS_EFORMAT && err.text[0] != '\0'));
	return 0;
}
