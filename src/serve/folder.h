/* folder.h - the names of a folder, in batches, so that a folder of any size
 * is listed in bounded memory and time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_FOLDER_H
#define CFS_SERVE_FOLDER_H

#include "site.h"

/* Names of one batch. */
#define CFS_FOLDER_BATCH 128u

struct cfs_folder_name {
	struct cfs_slice name;		/* borrowed until the next batch */
	struct cfs_node node;		/* of no entry that is decoded */
};

/* Used by one thread at a time. */
struct cfs_folder {
	struct cfs_site *site;
	struct cfs_site_place place;	/* a folder */
	cfs_view_set views;		/* those that are listed */
	bool by_host;			/* set by the caller: of a folder of
					 * host labels all hosts are listed, as
					 * cfs_tree_list_hosts does */
	struct cfs_folder_name v[CFS_FOLDER_BATCH];
	unsigned n, at;			/* names of the batch; those taken */
	/* Private: */
	struct cfs_buf names;
	uint64_t cookie;		/* of the last name; top: its number */
	bool is_over, is_full;
};

void cfs_folder_init(struct cfs_folder *f, struct cfs_site *site,
		     const struct cfs_site_place *place, cfs_view_set views);
void cfs_folder_release(struct cfs_folder *f);

/* Takes the next name, reading a batch if there is none left.  0, CFS_END, or
 * a failure of reading; damage of the index, CFS_EFORMAT, comes behind all
 * names that can be listed. */
int cfs_folder_next(struct cfs_folder *f, const struct cfs_folder_name **out,
		    struct cfs_ctx ctx);

/* The crawl of a name in it. */
struct cfs_crawl *cfs_folder_crawl(const struct cfs_folder *f,
				   const struct cfs_folder_name *name);

#endif
