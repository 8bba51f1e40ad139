/* pick.h - selects the captures to index, by time, status, type and place in
 * the tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_PICK_H
#define CFS_INDEXING_PICK_H

#include "builder_opts.h"
#include "index/conditions.h"
#include "index/key_runs.h"

struct cfs_pick;		/* shared by threads */

/*
 * conditions  copied
 * prefixes    URLs and PREFIXes as in crawl/target.h, with their other
 *             readings: one per line; reversed domains also in lists with
 *             commas.  NULL: everywhere
 *
 * *out is NULL if nothing is asked for.  0; CFS_EUSAGE with what is wrong;
 * CFS_ENOMEM.
 */
int cfs_pick_new(struct cfs_pick **out, const struct cfs_conditions *conditions,
		 const char *prefixes, struct cfs_error *err);
void cfs_pick_free(struct cfs_pick *p);		/* accepts NULL */

/*
 * Call it once all captures were checked.  Keeps only the first reading of each
 * prefix that has captures.  True if captures of other readings were taken, so
 * that all captures must be checked again.  No other thread may use p; p may be
 * NULL.
 */
bool cfs_pick_settle(struct cfs_pick *p);
/* Logs which prefixes were taken in another reading.  p may be NULL. */
void cfs_pick_log_readings(const struct cfs_pick *p);

/* Logs each prefix that no capture was below.  p may be NULL. */
void cfs_pick_log_missing(const struct cfs_pick *p);

/* Is the capture picked?  p NULL: all are. */
bool cfs_pick_takes(const struct cfs_pick *p,
		    const struct cfs_builder_capture *c);
/* Do the languages of a capture decide whether it is picked, and are they not
 * known? */
bool cfs_pick_asks_languages(const struct cfs_pick *p,
			     const struct cfs_builder_capture *c);
/* Is an entry of a crawlfs index picked? */
bool cfs_pick_takes_entry(const struct cfs_pick *p, struct cfs_slice key,
			  const struct cfs_capture *c);
/* Would a capture be picked by its place in the tree alone? */
bool cfs_pick_takes_key(const struct cfs_pick *p, struct cfs_slice key);
bool cfs_pick_takes_url(const struct cfs_pick *p, struct cfs_slice url);

/* The number of readings of all prefixes; p may be NULL. */
size_t cfs_pick_places(const struct cfs_pick *p);
/* The text of a reading, for url/lenient_url.h; borrows from p. */
struct cfs_slice cfs_pick_place(const struct cfs_pick *p, size_t i);

/* ---- ranges of keys (pick_ranges.c) ---- */

/* Finds the ranges of ix, settled; one of all keys if p has no prefixes or is
 * NULL.  They contain more than what is picked.  Initializes *out; release it
 * in any case.  0, CFS_ENOMEM, or a failure of reading. */
int cfs_pick_ranges_find(struct cfs_key_runs *out, const struct cfs_pick *p,
			 struct cfs_index *ix, struct cfs_ctx ctx);

#endif
