/* fuzz_notes.c - notes of captures in a crawlfs index, without the rest of it.
 *
 * Byte 0 chooses: 0-127, notes are written and read back, whole and with a
 * damaged byte: what is read is what was written, or nothing.  Each line is the
 * notes of a capture; bytes 1 to 3 say which byte is damaged, and how.  128-255,
 * the rest is a file of notes, number of blocks and offset of the directory
 * first, whose checksums are made good: what is read is what zlib inflates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz.h"
#include "cfx_mend.h"
#include "format/cfx/cfx_notes.h"
#include "format/cfx/cfx_notes_write.h"

#define NOTES_MAX 2000u
#define FILE_OFF 40u		/* of the first block that is written */
#define HEAD_BYTES 3u		/* of a file: offset of the directory (2), number
				 * of blocks (1) */

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* An index of which only the notes are there. */
static void open_notes(struct cfs_cfx *x, struct cfs_slice file,
		       uint64_t directory, uint64_t n)
{
	*x = (struct cfs_cfx){ .head = { .file_bytes = file.n,
					 .notes_off = directory,
					 .n_notes = n } };
	must(cfs_source_open_memory(&x->base.src, file, "notes", NULL) ==
	     CFS_OK);
}

/* ---- what is written is read ---- */

struct written {
	struct cfs_buf file;
	uint64_t directory, n_blocks;
	struct cfs_notes_at at[NOTES_MAX];
	struct cfs_slice notes[NOTES_MAX];
	size_t n;
};

static int put(void *arg, const void *p, size_t n, struct cfs_error *err)
{
	(void)err;
	return cfs_buf_append(arg, p, n);
}

static void write_notes(struct written *w, struct cfs_slice text)
{
	struct cfs_cfx_notes_writer writer;

	cfs_cfx_notes_writer_init(&writer, "/tmp");
	while (text.n > 0 && w->n < NOTES_MAX) {
		struct cfs_slice line = cfs_slice_split(&text, '\n');

		if (line.n == 0 || line.n > CFS_NOTES_MAX)
			continue;
		w->notes[w->n] = line;
		must(cfs_cfx_notes_put(&writer, line, &w->at[w->n++], NULL) ==
		     CFS_OK);
	}
	if (w->n > 0)
		must(cfs_cfx_notes_finish(&writer, FILE_OFF, put, &w->file,
					  &w->directory, NULL) == CFS_OK);
	w->n_blocks = writer.n;
	cfs_cfx_notes_writer_release(&writer);
}

/* Reads the notes of each capture.  is_damaged: some may be missing, with an
 * error, but none is another one. */
static void read_notes(const struct written *w, bool is_damaged)
{
	struct cfs_cfx x;
	struct cfs_buf out;

	open_notes(&x, cfs_buf_slice(&w->file), w->directory, w->n_blocks);
	must(cfs_cfx_notes_fit(&x.head));
	cfs_buf_init(&out, CFS_NOTES_MAX);
	for (size_t i = 0; i < w->n; i++) {
		void *block = NULL;
		size_t bytes;
		int rc = cfs_cfx_notes_load(&x, w->at[i].block, &block, &bytes,
					    CFS_CTX(NULL, NULL));

		cfs_buf_reset(&out);
		must(rc == CFS_OK || (is_damaged && rc == CFS_EFORMAT));
		if (rc == CFS_OK) {
			must(cfs_cfx_notes_add(&x, block, &w->at[i], &out,
					       NULL) == CFS_OK);
			must(cfs_slice_eq(cfs_buf_slice(&out), w->notes[i]));
		}
		free(block);
	}
	cfs_buf_release(&out);
	cfs_source_close(x.base.src);
}

/* input: its first three bytes choose the damage. */
static void round_trip(const uint8_t *data, size_t size)
{
	static const uint8_t zeros[FILE_OFF];
	static struct written w;

	w.n = 0;
	cfs_buf_init(&w.file, 1 << 24);
	must(cfs_buf_append(&w.file, zeros, sizeof(zeros)) == CFS_OK);
	write_notes(&w, cfs_slice_of(data + 3, size - 3));
	read_notes(&w, false);
	w.file.p[(data[0] << 8 | data[1]) % w.file.n] ^=
		(uint8_t)(data[2] | 1u);
	read_notes(&w, true);
	cfs_buf_release(&w.file);
}

/* ---- a file of any bytes ---- */

/* The bytes of a block are those of the gzip member behind its checksum.  Of the
 * checksum of a member's header (flag 2) zlib alone takes notice. */
static void check_block(const uint8_t *file, const struct cfs_cfx_notes *b,
			size_t size)
{
	static uint8_t plain[CFS_CFX_NOTES_BLOCK_BYTES + 1];
	z_stream z = { .next_in = (Bytef *)(uintptr_t)(file + b->file_off + 8),
		       .avail_in = (uInt)(size - b->file_off - 8),
		       .next_out = plain, .avail_out = sizeof(plain) };

	if ((file[b->file_off + 8 + 3] & 2) != 0)
		return;
	must(inflateInit2(&z, 15 + 16) == Z_OK);
	must(inflate(&z, Z_FINISH) == Z_STREAM_END);
	must(z.total_out == b->n && memcmp(plain, b->p, b->n) == 0);
	inflateEnd(&z);
}

static void check_place(const struct cfs_cfx *x, const struct cfs_cfx_notes *b,
			const struct cfs_notes_at *at)
{
	struct cfs_buf out;
	int rc;

	cfs_buf_init(&out, CFS_NOTES_MAX);
	rc = cfs_cfx_notes_add(x, b, at, &out, NULL);
	must((rc == CFS_OK) == ((uint64_t)at->offset + at->bytes <= b->n));
	if (rc == CFS_OK)
		must(cfs_slice_eq(cfs_buf_slice(&out),
				  cfs_slice_of(b->p + at->offset, at->bytes)));
	cfs_buf_release(&out);
}

/* Places as values have them, decoded from the bytes behind the directory. */
static void check_places(const struct cfs_cfx *x, const struct cfs_cfx_notes *b,
			 struct cfs_slice bytes)
{
	struct cfs_cursor c = { bytes, false };

	for (unsigned i = 0; i < 16; i++) {
		struct cfs_notes_at at = { 0 };

		cfs_cfx_notes_take(&x->head, &c, &at);
		if (c.bad)
			break;
		must(at.block < x->head.n_notes && at.bytes <= CFS_NOTES_MAX);
		check_place(x, b, &at);
	}
}

static void read_file(const uint8_t *data, size_t size)
{
	uint8_t head[CFS_CFX_HEADER_BYTES] = { 0 };
	size_t n = CFS_CFX_HEADER_BYTES + size - HEAD_BYTES;
	uint8_t *file = calloc(1, n);
	struct cfs_cfx x;

	must(file != NULL);
	memcpy(file + CFS_CFX_HEADER_BYTES, data + HEAD_BYTES,
	       size - HEAD_BYTES);
	cfs_le64_put(head + CFS_CFX_OFF_NOTES,
		     CFS_CFX_HEADER_BYTES + (data[0] | data[1] << 8));
	cfs_le64_put(head + CFS_CFX_OFF_NOTES + 8, data[2]);
	memcpy(file, head, sizeof(head));
	cfx_mend_notes(file, n);
	open_notes(&x, cfs_slice_of(file, n), 0, 0);
	cfs_cfx_notes_decode(file, &x.head);
	for (uint64_t i = 0; cfs_cfx_notes_fit(&x.head) && i < x.head.n_notes;
	     i++) {
		void *block = NULL;
		size_t bytes;

		if (cfs_cfx_notes_load(&x, i, &block, &bytes,
				       CFS_CTX(NULL, NULL)) == CFS_OK) {
			check_block(file, block, n);
			check_places(&x, block, cfs_slice_from(
				cfs_slice_of(file, n), (size_t)
				(x.head.notes_off + 8 * x.head.n_notes + 8)));
		}
		free(block);
	}
	cfs_source_close(x.base.src);
	free(file);
}

FUZZ_TARGET(data, size)
{
	if (size < 1 + HEAD_BYTES)
		return 0;
	if (data[0] < 128)
		round_trip(data + 1, size - 1);
	else
		read_file(data + 1, size - 1);
	return 0;
}
