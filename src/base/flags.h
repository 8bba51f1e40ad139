/* flags.h - numbers made of flags.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_FLAGS_H
#define CFS_BASE_FLAGS_H

#include <stdbool.h>

/* `flag` if that is set, else 0: for sums of flags. */
static inline unsigned cfs_flag(bool is_set, unsigned flag)
{
	return is_set ? flag : 0;
}

#endif
