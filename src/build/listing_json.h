/* listing_json.h - listings in JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_LISTING_JSON_H
#define CFS_BUILD_LISTING_JSON_H

#include "listing.h"

/* As cfs_listing_parse (listing_page.h). */
int cfs_listing_read_json(struct cfs_listing *l);

#endif
