/* option_seal.h - encodes the options that parts of one index must have in
 * common.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OPTION_SEAL_H
#define CFS_CLI_OPTION_SEAL_H

#include "options.h"

/*
 * Appends the name and the value of every option of `index` that the table
 * marks as sealed, given or not.  Two command lines whose parts may be merged
 * append the same bytes, all others different ones.  Failures are kept in
 * out->failed: CFS_ENOMEM, or CFS_ELIMIT past the ceiling of `out`.
 */
void cfs_options_seal(const struct cfs_options *o, struct cfs_buf *out);

#endif
