/* cfx_value.h - reads and writes the value of an entry of a crawlfs index, and
 * the tables that values refer to (layout: cfx_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_VALUE_H
#define CFS_CFX_CFX_VALUE_H

#include "base/strtab.h"
#include "cfx_format.h"
#include "codec/symbols.h"
#include "index/language_codes.h"
#include "index/related.h"

/* More than the URL of any key has: a scheme, and a byte for each of the key's,
 * or three if it is escaped. */
#define CFS_CFX_KEY_URL_MAX (3u * CFS_KEY_MAX + 16u)

struct cfs_cfx;

/* A class as readers have it. */
struct cfs_cfx_class {
	uint8_t kind, scheme;
	uint8_t flags;			/* CFS_CFX_FLAG_ */
	uint8_t request_high;
	uint16_t status;
	uint32_t mime;
	uint8_t bits[CFS_CFX_NUMBERS];	/* widths of the fixed numbers */
	/* The rest follows from these and the header: */
	uint16_t fixed;			/* bytes of the fixed numbers */
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

/* ---- writing (cfx_value_write.c) ---- */

/* A key or URL at its worst when encoded, all escapes. */
#define CFS_CFX_CODES_MAX (2u * CFS_KEY_MAX)
/* Extras: a MIME type, a status, two companions, sizes, notes, related records,
 * languages, a digest. */
#define CFS_CFX_EXTRAS_MAX \
	(CFS_CFX_MIME_MAX + \
	 2u * (CFS_COMPANION_MAX + CFS_VARINT_MAX) + \
	 2u * CFS_VIEW_BYTES_MAX + CFS_RELATED_LIST_MAX + \
	 CFS_LANGUAGES_BYTES + CFS_DIGEST_TEXT_MAX + 64u)
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
