/* listing_html.h - listings in HTML.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_LISTING_HTML_H
#define CFS_BUILD_LISTING_HTML_H

#include "listing.h"

/* As cfs_listing_parse (listing_page.h). */
int cfs_listing_read_html(struct cfs_listing *l);

#endif
