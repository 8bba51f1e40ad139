/* body_size.h - the size of a record's body, without inflating the record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_BODY_SIZE_H
#define CFS_RECORD_BODY_SIZE_H

#include "source/source.h"
#include "source/span.h"

/*
 * Tells the size of the raw view of the record at a span from its head and its
 * member's trailer, two small reads of src.
 *
 * span       of one member, or of a stretch of an uncompressed file
 * is_cc      see CFS_PARSE_COMMON_CRAWL
 * *bytes     what every undamaged record of such a head has
 *
 * False where that does not do: the body has to be inflated and decoded.
 */
bool cfs_body_size_peek(struct cfs_source *src, const struct cfs_span *span,
			bool is_cc, uint64_t *bytes);

#endif
