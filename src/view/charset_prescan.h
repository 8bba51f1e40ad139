/* charset_prescan.h - the charset a document declares in its own bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_PRESCAN_H
#define CFS_VIEW_CHARSET_PRESCAN_H

#include "charset.h"

/* Step 1: byte order mark, <?xml encoding?>, <meta>. */
bool cfs_charset_declared(struct cfs_slice body, bool is_html,
			  struct cfs_charset *out);

#endif
