/* verify_ask.h - asks servers whether archives have changed since a report was
 * begun.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_ASK_H
#define CFS_VERIFY_VERIFY_ASK_H

#include "verify_plan.h"

/* Asks about the archives that the report has parts of, several at a time.  One
 * that has changed gets its `state`, and is logged.  0, or a failure that ends
 * the run. */
int cfs_verify_ask(struct cfs_verify_plan *p, struct cfs_verify_reader *r,
		   const struct cfs_verify_report *report,
		   struct cfs_error *err);

#endif
