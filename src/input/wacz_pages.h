/* wacz_pages.h - reads the lists of pages in WACZ files: titles and ids, which
 * become notes of captures.
 *
 * Spec: doc/formats.md, "WACZ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_WACZ_PAGES_H
#define CFS_INPUT_WACZ_PAGES_H

#include "base/buf.h"
#include "source/source.h"

/* Bytes of all lists of a build: enough for two million pages. */
#define CFS_WACZ_PAGES_MAX ((size_t)512 << 20)
/* A line may contain the text of its page; longer ones are left out. */
#define CFS_WACZ_PAGE_LINE_MAX ((size_t)16 << 20)
/* Longer lists on a server are not read. */
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

/* Adds a list; `package` is a number that identifies the package of its WACZ.
 * Lines that are not pages are left out; exceeding the limit is logged once.
 * 0, CFS_ENOMEM, CFS_EINTR, failures to read. */
int cfs_wacz_pages_add(struct cfs_wacz_pages *p, uint64_t package,
		       struct cfs_source *src, struct cfs_ctx ctx);

/* Call it after the last list, before the first look-up.  Threads may share p
 * then. */
void cfs_wacz_pages_sort(struct cfs_wacz_pages *p);

/* Finds the notes of a capture: those of the page with that URL that is nearest
 * in time.  Lent; empty if there is none. */
struct cfs_slice cfs_wacz_pages_find(const struct cfs_wacz_pages *p,
				     uint64_t package, struct cfs_slice url,
				     int64_t time);

#endif
