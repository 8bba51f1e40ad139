/* cfx_value.h - reads the value of an entry of a crawlfs index: what it says of
 * a capture (layout: cfx_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_VALUE_H
#define CFS_CFX_CFX_VALUE_H

#include "cfx_format.h"

/* More than the URL of any key has: a scheme, and a byte for each of the key's,
 * or three if it is escaped. */
#define CFS_CFX_KEY_URL_MAX (3u * CFS_KEY_MAX + 16u)

struct cfs_cfx;

/* A class as readers have it.  The fixed numbers of versions 1 to 3 are those
 * of version 4 whose widths are whole bytes. */
struct cfs_cfx_class {
	uint8_t kind, scheme;
	uint8_t flags;			/* CFS_CFX_FLAG_ */
	uint8_t request_high;
	uint16_t status;
	uint32_t mime;
	uint8_t bits[CFS_CFX_NUMBERS];	/* widths of the fixed numbers */
	/* The rest follows from these and the header: */
	uint16_t fixed;			/* bytes of the fixed numbers */
	uint8_t varints;		/* varints behind them */
	bool has_rest;			/* anything is behind them */
};

/* Reads the table of classes into x->classes (malloced) and x->n_classes.
 * table: the section, n: its number of items.  0, CFS_ENOMEM, or CFS_EFORMAT
 * with the offset in the table in *at. */
int cfs_cfx_classes_read(struct cfs_cfx *x, struct cfs_slice table, uint64_t n,
			 size_t *at);

/* Makes the URL of a key, in `out`, which is initialised, and to be released in
 * any case; empty if the key has none.  0 or CFS_ENOMEM. */
int cfs_cfx_key_url(struct cfs_slice key, uint8_t scheme, struct cfs_buf *out);

/* Decodes the value under an iterator, whose block is at hand.  A URL is put
 * into the iterator's buffer.  0, CFS_ENOMEM, or CFS_EFORMAT. */
int cfs_cfx_value_decode(const struct cfs_cfx *x, struct cfs_iter *it,
			 struct cfs_capture *out);

#endif
