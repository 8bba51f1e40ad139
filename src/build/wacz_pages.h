/* wacz_pages.h - what the lists of pages in WACZ files say of captures: titles
 * and ids, which become notes in an index.
 *
 * Spec: doc/formats.md, "WACZ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_WACZ_PAGES_H
#define CFS_BUILD_WACZ_PAGES_H

#include "base/buf.h"
#include "source/source.h"

/* Kept of all lists of a build: what two million pages take. */
#define CFS_WACZ_PAGES_MAX ((size_t)512 << 20)
/* A line, which may hold the text of its page; a longer one is left out. */
#define CFS_WACZ_PAGE_LINE_MAX ((size_t)16 << 20)
/* A list on a server of more bytes is not read. */
#define CFS_WACZ_PAGES_REMOTE_MAX (UINT64_C(64) << 20)

struct cfs_wacz_page;

struct cfs_wacz_pages {
	struct cfs_wacz_page *v;
	size_t n, room;
	struct cfs_buf text;		/* URLs and notes */
	bool is_full;
};

void cfs_wacz_pages_init(struct cfs_wacz_pages *p);
void cfs_wacz_pages_release(struct cfs_wacz_pages *p);

/* Adds a list; `package` is any number that its WACZ has.  What is no page is
 * left out; when the room is used up that is logged once.  0, CFS_ENOMEM,
 * CFS_EINTR, failures to read. */
int cfs_wacz_pages_add(struct cfs_wacz_pages *p, uint64_t package,
		       struct cfs_source *src, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

/* Before the first look-up, behind the last list.  Threads may share p then. */
void cfs_wacz_pages_sort(struct cfs_wacz_pages *p);

/* The notes of a capture: of the pages of that URL the one nearest in time.
 * Lent; empty where there is none. */
struct cfs_slice cfs_wacz_pages_find(const struct cfs_wacz_pages *p,
				     uint64_t package, struct cfs_slice url,
				     int64_t time);

#endif
