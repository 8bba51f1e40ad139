/* choices.h - counts by which values captures could be picked, for the message
 * when nothing is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CHOICES_H
#define CFS_CRAWL_CHOICES_H

#include "target.h"

/* Captures that are looked at, at most; of a crawl on a server, where each
 * block of some thousand lines takes a request. */
#define CFS_CHOICES_LOOKS 200000u
#define CFS_CHOICES_LOOKS_REMOTE 10000u

/* Counts of captures, for one thread at a time. */
struct cfs_choices;

/* conditions: borrowed; some are given.  NULL: out of memory. */
struct cfs_choices *cfs_choices_new(const struct cfs_conditions *conditions);
/* Counts a capture. */
void cfs_choices_add(struct cfs_choices *c, const struct cfs_traits *t);
/* Logs the line, if captures were counted and none of them is picked. */
void cfs_choices_say(struct cfs_choices *c);
void cfs_choices_free(struct cfs_choices *c);	/* accepts NULL */

/*
 * If nothing that the target covers is picked, but captures are there, logs a
 * line (base/log.h) with their number, and for each condition the values of
 * those captures that meet the other conditions: the most frequent ones.
 * Failures of reading end it silently: the message is only help.
 */
void cfs_choices_log(const struct cfs_target *t,
		     const struct cfs_cancel *cancel);

/* The same for a whole crawl. */
void cfs_choices_log_all(struct cfs_crawl *c, const struct cfs_cancel *cancel);

#endif
