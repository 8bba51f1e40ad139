/* cfx_header.h - the header of a crawlfs index, from fields to bytes and back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_HEADER_H
#define CFS_CFX_CFX_HEADER_H

#include "cfx_format.h"

/* Writes all of the header, with its checksum. */
void cfs_cfx_header_encode(const struct cfs_cfx_header *h,
			   uint8_t p[CFS_CFX_HEADER_BYTES]);

/* Reads the fields, and checks nothing. */
void cfs_cfx_header_decode(const uint8_t p[CFS_CFX_HEADER_BYTES],
			   struct cfs_cfx_header *h);

#endif
