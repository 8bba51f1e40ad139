/* charset_detect.h - the charset that the bytes themselves look like.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_DETECT_H
#define CFS_VIEW_CHARSET_DETECT_H

#include "charset.h"

/* Steps 2 and 3: the look of the bytes.  Sets out->by.  False if neither
 * detector is sure enough, for text that is ASCII throughout, and with
 * out->no_memory set. */
bool cfs_charset_detect(struct cfs_slice body, struct cfs_charset *out);

#endif
