/* root_names.c - notes names in the root, and has the kernel forget them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "root_names.h"

#include <string.h>

#include "callers.h"
#include "crawl/names.h"
#include "reply.h"

void cfs_root_names_note(struct cfs_fs *fs, struct cfs_slice name)
{
	uint32_t number;

	if (!fs->sizes_are_exact &&
	    cfs_strtab_add(fs->root_names, name, &number) != CFS_OK)
		cfs_callers_keep_none(fs->callers);
}

/* When the kernel drops a folder it drops everything below that is not in use;
 * open files have their true sizes. */
void cfs_root_names_forget(void *arg)
{
	struct cfs_fs *fs = arg;
	uint32_t n = cfs_strtab_count(fs->root_names);

	/* This waits for LOOKUPs under way, which are no longer answered once
	 * the session has ended. */
	for (uint32_t i = 0; i < n && !fuse_session_exited(fs->session); i++) {
		struct cfs_slice s = cfs_strtab_get(fs->root_names, i);
		char name[CFS_NAME_MAX + 1];

		if (s.n > CFS_NAME_MAX)
			continue;
		memcpy(name, s.p, s.n);
		name[s.n] = '\0';
		fuse_lowlevel_notify_inval_entry(fs->session, CFS_INO_ROOT,
						 name, s.n);
	}
}
