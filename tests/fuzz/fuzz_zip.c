/* fuzz_zip.c - ZIP files of any bytes: the directory, its members inflated, and
 * what is in them if they are taken for a WACZ; and lists of files, in JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "base/fileio.h"
#include "record/wacz.h"

#define INFLATED_MAX (1u << 20)

static void members(struct cfs_source *src)
{
	static int fd = -1;
	struct cfs_zip_place at;
	struct cfs_zip z;

	if (fd < 0)
		fd = cfs_temp_file("/tmp");
	if (fd < 0)
		abort();
	if (cfs_zip_open(&z, src, CFS_CTX(NULL, NULL)) != CFS_OK)
		return;
	for (size_t i = 0; i < z.n && i < 64; i++) {
		if (cfs_zip_locate(&z, &z.v[i], &at,
				   CFS_CTX(NULL, NULL)) != CFS_OK)
			continue;
		if (at.offset > src->size || at.stored > src->size - at.offset)
			abort();
		cfs_zip_extract(src, &at, "m", INFLATED_MAX, fd, "f",
				CFS_CTX(NULL, NULL));
	}
	cfs_zip_find(&z, CFS_SLICE_LIT("datapackage.json"));
	cfs_zip_close(&z);
}

static int one_file(void *arg, const struct cfs_package_file *f)
{
	*(size_t *)arg += f->path.n;
	return CFS_OK;
}

FUZZ_TARGET(data, size)
{
	size_t names = 0;
	struct cfs_source *src;
	struct cfs_wacz w;

	if (cfs_source_open_memory(&src, cfs_slice_of(data, size), "x.wacz",
				   NULL) != CFS_OK)
		abort();
	members(src);
	if (cfs_package_is_start(cfs_slice_of(data, size)))
		cfs_package_each(cfs_slice_of(data, size), one_file, &names);
	if (names > size + size / 2)	/* "\u" alone is U+FFFD */
		abort();
	if (cfs_wacz_read(&w, src, CFS_CTX(NULL, NULL)) == CFS_OK) {
		for (size_t i = 0; i < w.n; i++) {
			const struct cfs_wacz_member *m = &w.v[i];

			if (m->at.offset > size ||
			    m->at.stored > size - m->at.offset ||
			    m->package >= w.n_packages ||
			    (i > 0 && m[-1].package > m->package))
				abort();
			cfs_wacz_has_index(&w, m->package);
			if (m->role == CFS_WACZ_ARCHIVE &&
			    cfs_wacz_archive(&w, m->package,
					     cfs_slice_str(m->path)) == NULL)
				abort();
		}
		cfs_wacz_release(&w);
	}
	cfs_source_close(src);
	return 0;
}
