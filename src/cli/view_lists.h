/* view_lists.h - lists of views for help texts and messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_VIEW_LISTS_H
#define CFS_CLI_VIEW_LISTS_H

#include "base/buf.h"

/*
 * Appends text, with a list of views in place of each word in braces:
 *
 *     {all}        the names of all views: a, b and c
 *     {own}        those of views that are not related records: a, b or c
 *     {explained}  the same, each with what it is: a (the body), b (JSON)
 *     {related}    the names of the others: a, b, c
 *
 * Failures are recorded in out.
 */
void cfs_view_lists_expand(struct cfs_buf *out, const char *text);

#endif
