/* symbols.h - compresses short strings with a static table of symbols.
 *
 * A table holds symbols of 1 to 8 bytes, the most useful first.  Of its n
 * symbols the first `ones` are coded as one byte, the rest as two:
 *
 *     c < ones            symbol c
 *     ones <= c < 255     symbol ones + (c - ones) * 256 + the next byte
 *     c = 255             escape: the next byte stands for itself
 *
 * Each string can be decoded by itself, by copying symbols.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_SYMBOLS_H
#define CFS_CODEC_SYMBOLS_H

#include "base/buf.h"

#define CFS_SYMBOLS_MAX 4096u
#define CFS_SYMBOL_BYTES 8u
#define CFS_SYMBOL_ESCAPE 255u
/* The longest table in bytes: a count, then length and bytes of each symbol. */
#define CFS_SYMBOLS_TABLE_MAX (2u + CFS_SYMBOLS_MAX * (1u + CFS_SYMBOL_BYTES))

/* The table for the decoder; immutable, so threads may share it. */
struct cfs_symbols {
	unsigned n, ones;
	uint8_t len[CFS_SYMBOLS_MAX];
	uint8_t bytes[CFS_SYMBOLS_MAX][CFS_SYMBOL_BYTES];  /* zero behind len */
};

/* Reads a table: the number of symbols (16 bits little-endian), then for each
 * its length (1-8) and its bytes; the slice must end there.  `ones` follows
 * from the number: 255, less one for each 255 symbols, or part of these, beyond
 * the first 255.  0 or CFS_EFORMAT. */
int cfs_symbols_parse(struct cfs_slice table, struct cfs_symbols *out);
/* Appends the table in the format of cfs_symbols_parse. */
int cfs_symbols_write(const struct cfs_symbols *s, struct cfs_buf *out);

/*
 * Decodes `codes` into out, at most max bytes; *n is their number.
 * 0; CFS_EFORMAT for an undefined or incomplete code; CFS_ELIMIT if max is too
 * small.
 */
int cfs_symbols_decode(const struct cfs_symbols *s, struct cfs_slice codes,
		       uint8_t *out, size_t max, size_t *n);

/*
 * Makes a table for `sample`: strings, each preceded by its length as 16 bits
 * little-endian.  The same sample gives the same table.  `scale` is the size of
 * the whole text as a multiple of the sample: a symbol must save more bytes
 * than it takes in the table.  0 or CFS_ENOMEM.
 */
int cfs_symbols_train(struct cfs_slice sample, unsigned scale,
		      struct cfs_symbols *out);

/* An encoder for a table, used by one thread.  new: NULL if out of memory. */
struct cfs_symbol_encoder;
struct cfs_symbol_encoder *cfs_symbol_encoder_new(const struct cfs_symbols *s);
void cfs_symbol_encoder_free(struct cfs_symbol_encoder *e);  /* accepts NULL */

/* Writes the shortest coding of text (at most CFS_SYMBOL_TEXT_MAX bytes) to
 * out, which must have room for twice its length.  Returns the number of bytes
 * written. */
#define CFS_SYMBOL_TEXT_MAX 16384u
size_t cfs_symbols_encode(struct cfs_symbol_encoder *e, struct cfs_slice text,
			  uint8_t *out);

#endif
