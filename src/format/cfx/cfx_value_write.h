/* cfx_value_write.h - writes the value of an entry of a crawlfs index, and the
 * tables that values refer to (layout: cfx_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_VALUE_WRITE_H
#define CFS_CFX_CFX_VALUE_WRITE_H

#include "base/strtab.h"
#include "cfx_format.h"
#include "codec/symbols.h"
#include "index/related.h"

/* A key or URL at its worst when encoded, all escapes. */
#define CFS_CFX_CODES_MAX (2u * CFS_KEY_MAX)
/* Extras: a MIME type, a status, two sides, sizes, notes, related records. */
#define CFS_CFX_SIDE_FIELDS 7u
#define CFS_CFX_EXTRAS_MAX \
	(CFS_CFX_MIME_MAX + \
	 2u * (CFS_CFX_SIDE_FIELDS + 1u) * CFS_VARINT_MAX + \
	 2u * CFS_VIEW_BYTES_MAX + CFS_RELATED_LIST_MAX + 64u)
#define CFS_CFX_VALUE_MAX (2u * CFS_URL_MAX + CFS_CFX_EXTRAS_MAX + 512u)

struct cfs_cfx_value_writer {
	struct cfs_symbol_encoder *encoder;	/* borrowed */
	const struct cfs_cfx_clock *clocks;	/* by archive; borrowed */
	uint8_t archive_bits, offset_bits;
	struct cfs_strtab *mimes, *heads, *classes;	/* the last two: as in
							 * the file */
	uint8_t value[CFS_CFX_VALUE_MAX], codes[CFS_CFX_CODES_MAX];
};

/* Makes the tables; the other fields are set.  CFS_ENOMEM; release in any
 * case. */
int cfs_cfx_value_writer_init(struct cfs_cfx_value_writer *w);
void cfs_cfx_value_writer_release(struct cfs_cfx_value_writer *w);

/* Encodes a capture's value into w->value; returns its size, 0 without
 * memory. */
size_t cfs_cfx_value_encode(struct cfs_cfx_value_writer *w,
			    struct cfs_slice key, const struct cfs_capture *e);

/* Append the tables of MIME types and of classes, and set *n to the number of
 * items. */
void cfs_cfx_value_writer_mimes(const struct cfs_cfx_value_writer *w,
				struct cfs_buf *out, uint64_t *n);
void cfs_cfx_value_writer_classes(const struct cfs_cfx_value_writer *w,
				  struct cfs_buf *out, uint64_t *n);

#endif
