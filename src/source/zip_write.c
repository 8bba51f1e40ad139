/* zip_write.c - writes a ZIP file whose members are stored as they are.
 *
 * Spec: APPNOTE 6.3.10, sections 4.3 and 4.5.3; doc/formats.md, "ZIP files".
 * All integers are little-endian.
 *     header    0 PK\3\4   4 u16 45, the version needed   6 u16 flags
 *               8 u16 method 0   10 u32 time and date   14 u32 CRC
 *               18 u32 ffffffff   22 u32 ffffffff   26 u16 n   28 u16 20
 *               30 name, then the extra field: u16 1, u16 16, u64 size,
 *               u64 stored
 *     entry     0 PK\1\2   4 u16 version made by (Unix)   6 as the header from
 *               4 on   32 u16 0   34 u16 0   36 u16 0   38 u32 mode
 *               42 u32 ffffffff   46 name, then the extra field: u16 1, u16 24,
 *               u64 size, u64 stored, u64 offset of the header
 *     ends      the ZIP64 end record and its locator, if the end record's
 *               fields do not hold the numbers; the end record (zip.c)
 * Flag 0x800 says that names are UTF-8.  A reader that takes the offset of a
 * member's bytes from the entry alone, as wabac.js does, takes a missing extra
 * field there to mean that the header has none either: so both have one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zip_write.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/fileio.h"
#include "base/timestamp.h"

#define VERSION 45u			/* has ZIP64 */
#define MADE_BY (3u << 8 | VERSION)	/* Unix: the mode counts */
#define FLAG_UTF8 0x800u
#define MODE ((uint32_t)0100644 << 16)
#define TAG_ZIP64 1u
#define END64_BYTES 56u
#define NO_32 0xffffffffu
#define KEEP_BYTES ((size_t)1 << 20)
#define READ_BYTES ((size_t)1 << 20)
#define DIRECTORY_MAX ((size_t)1 << 20)

struct cfs_zip_writer {
	int fd;
	const char *path;
	uint64_t at;			/* end of what is in the file */
	int64_t time;
	struct cfs_buf kept;		/* the bytes behind `at` */
	struct cfs_zip_written v[CFS_ZIP_WRITE_MEMBERS];
	size_t n;			/* members that have ended */
	struct cfs_zip_written now;	/* the one that has not */
	uint64_t from;			/* where its bytes begin */
	struct sha256_ctx sha;
};

/* ---- records ------------------------------------------------------------ */

/* Time and date as MS-DOS has them: from 1980 on, in steps of two seconds. */
static uint32_t dos_time(int64_t t)
{
	int64_t of_day = ((t % 86400) + 86400) % 86400;
	int year, month, day;

	cfs_time_to_date(t, &year, &month, &day);
	if (year < 1980 || year > 2107)
		return 1u << 21 | 1u << 16;	/* the first day */
	return (uint32_t)(year - 1980) << 25 | (uint32_t)month << 21 |
	       (uint32_t)day << 16 | (uint32_t)(of_day / 3600) << 11 |
	       (uint32_t)(of_day / 60 % 60) << 5 |
	       (uint32_t)(of_day % 60) / 2;
}

/* Adds the fields that a local header and its entry have in common, from
 * "version needed" on. */
static void add_common(struct cfs_buf *out, const struct cfs_zip_written *m,
		       int64_t time, unsigned extra)
{
	cfs_buf_le16(out, VERSION);
	cfs_buf_le16(out, FLAG_UTF8);
	cfs_buf_le16(out, 0);
	cfs_buf_le32(out, dos_time(time));
	cfs_buf_le32(out, m->crc);
	cfs_buf_le32(out, NO_32);
	cfs_buf_le32(out, NO_32);
	cfs_buf_le16(out, (uint16_t)strlen(m->name));
	cfs_buf_le16(out, (uint16_t)extra);
}

static void add_sizes(struct cfs_buf *out, const struct cfs_zip_written *m,
		      unsigned bytes)
{
	cfs_buf_le16(out, TAG_ZIP64);
	cfs_buf_le16(out, (uint16_t)bytes);
	cfs_buf_le64(out, m->bytes);
	cfs_buf_le64(out, m->bytes);
}

static void zip_write_add_local(struct cfs_buf *out,
				const struct cfs_zip_written *m, int64_t time)
{
	cfs_buf_adds(out, "PK\3\4");
	add_common(out, m, time, 20);
	cfs_buf_adds(out, m->name);
	add_sizes(out, m, 16);
}

static void zip_write_add_entry(struct cfs_buf *out,
				const struct cfs_zip_written *m, int64_t time)
{
	cfs_buf_adds(out, "PK\1\2");
	cfs_buf_le16(out, MADE_BY);
	add_common(out, m, time, 28);
	cfs_buf_le16(out, 0);
	cfs_buf_le16(out, 0);
	cfs_buf_le16(out, 0);
	cfs_buf_le32(out, MODE);
	cfs_buf_le32(out, NO_32);
	cfs_buf_adds(out, m->name);
	add_sizes(out, m, 24);
	cfs_buf_le64(out, m->header);
}

/* The ends of a directory of `bytes` bytes at offset `at`. */
static void zip_write_add_ends(struct cfs_buf *out, size_t n, uint64_t at,
			       uint64_t bytes)
{
	bool is_far = at >= NO_32;	/* there are few members, and their
					 * entries are short */

	if (is_far) {
		cfs_buf_adds(out, "PK\6\6");
		cfs_buf_le64(out, END64_BYTES - 12);
		cfs_buf_le16(out, MADE_BY);
		cfs_buf_le16(out, VERSION);
		cfs_buf_le32(out, 0);
		cfs_buf_le32(out, 0);
		cfs_buf_le64(out, n);
		cfs_buf_le64(out, n);
		cfs_buf_le64(out, bytes);
		cfs_buf_le64(out, at);
		cfs_buf_adds(out, "PK\6\7");
		cfs_buf_le32(out, 0);
		cfs_buf_le64(out, at + bytes);
		cfs_buf_le32(out, 1);
	}
	cfs_buf_adds(out, "PK\5\6");
	cfs_buf_le32(out, 0);
	cfs_buf_le16(out, (uint16_t)n);
	cfs_buf_le16(out, (uint16_t)n);
	cfs_buf_le32(out, (uint32_t)bytes);
	cfs_buf_le32(out, is_far ? NO_32 : (uint32_t)at);
	cfs_buf_le16(out, 0);
}

void cfs_zip_add_header(struct cfs_buf *out, const char *name, int64_t time)
{
	struct cfs_zip_written m = { .name = name };

	zip_write_add_local(out, &m, time);
}

/* ---- the file ----------------------------------------------------------- */

static int zip_write_put(struct cfs_zip_writer *w, struct cfs_slice s,
			 uint64_t at, struct cfs_error *err)
{
	size_t done = cfs_write_at(w->fd, s.p, s.n, at);

	return done == s.n ? CFS_OK :
	       cfs_error_at(err, CFS_EIO, w->path, at + done,
			    "cannot write: %s", strerror(errno));
}

static int zip_write_flush(struct cfs_zip_writer *w, size_t above,
			   struct cfs_error *err)
{
	int rc;

	if (w->kept.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (w->kept.n <= above)
		return CFS_OK;
	rc = zip_write_put(w, cfs_buf_slice(&w->kept), w->at, err);
	w->at += w->kept.n;
	cfs_buf_reset(&w->kept);
	return rc;
}

static uint64_t zip_write_place(const struct cfs_zip_writer *w)
{
	return w->at + w->kept.n;
}

static void zip_write_digest(struct cfs_zip_writer *w, struct cfs_slice s)
{
	sha256_update(&w->sha, s.n, s.p);
	w->now.crc = (uint32_t)crc32_z(w->now.crc, s.p, s.n);
	w->now.bytes += s.n;
}

int cfs_zip_writer_begin(struct cfs_zip_writer *w, const char *name,
			 struct cfs_error *err)
{
	if (w->n == CFS_ZIP_WRITE_MEMBERS)
		return cfs_error_set(err, CFS_ELIMIT, "more than %u members",
				     CFS_ZIP_WRITE_MEMBERS);
	w->now = (struct cfs_zip_written){ .name = name,
					   .header = zip_write_place(w) };
	sha256_init(&w->sha);
	zip_write_add_local(&w->kept, &w->now, w->time);
	w->from = zip_write_place(w);
	return zip_write_flush(w, KEEP_BYTES, err);
}

int cfs_zip_writer_add(struct cfs_zip_writer *w, struct cfs_slice bytes,
		       struct cfs_error *err)
{
	zip_write_digest(w, bytes);
	cfs_buf_add(&w->kept, bytes);
	return zip_write_flush(w, KEEP_BYTES, err);
}

int cfs_zip_writer_end(struct cfs_zip_writer *w, struct cfs_error *err)
{
	CFS_BUF(header, DIRECTORY_MAX);
	int rc = zip_write_flush(w, 0, err);

	sha256_digest(&w->sha, sizeof(w->now.sha256), w->now.sha256);
	zip_write_add_local(&header, &w->now, w->time);
	if (rc == CFS_OK)
		rc = header.failed == CFS_OK ?
		     zip_write_put(w, cfs_buf_slice(&header), w->now.header,
				   err) : cfs_error_nomem(err);
	w->v[w->n++] = w->now;
	return rc;
}

int cfs_zip_writer_adopt(struct cfs_zip_writer *w, const char *name,
			 uint64_t bytes, struct cfs_ctx ctx)
{
	uint8_t *buf = malloc(READ_BYTES);
	int rc = buf == NULL ? cfs_error_nomem(ctx.err) :
			       cfs_zip_writer_begin(w, name, ctx.err);

	if (rc == CFS_OK)
		rc = zip_write_flush(w, 0, ctx.err);
	while (rc == CFS_OK && w->now.bytes < bytes) {
		uint64_t left = bytes - w->now.bytes;
		size_t n = left < READ_BYTES ? (size_t)left : READ_BYTES;

		if (cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		else if (cfs_read_at(w->fd, buf, n, w->at) < n)
			rc = cfs_error_at(ctx.err, CFS_EIO, w->path, w->at,
					  "cannot read what was written");
		else
			zip_write_digest(w, cfs_slice_of(buf, n));
		w->at = w->from + w->now.bytes;
	}
	free(buf);
	return rc == CFS_OK ? cfs_zip_writer_end(w, ctx.err) : rc;
}

int cfs_zip_writer_finish(struct cfs_zip_writer *w, uint64_t *bytes,
			  struct cfs_error *err)
{
	uint64_t at = zip_write_place(w);
	int rc;

	for (size_t i = 0; i < w->n; i++)
		zip_write_add_entry(&w->kept, &w->v[i], w->time);
	zip_write_add_ends(&w->kept, w->n, at, zip_write_place(w) - at);
	rc = zip_write_flush(w, 0, err);
	*bytes = w->at;
	return rc;
}

const struct cfs_zip_written *
cfs_zip_writer_members(const struct cfs_zip_writer *w, size_t *n)
{
	*n = w->n;
	return w->v;
}

int cfs_zip_writer_new(struct cfs_zip_writer **out, int fd, const char *path,
		       uint64_t at, int64_t time, struct cfs_error *err)
{
	struct cfs_zip_writer *w = calloc(1, sizeof(*w));

	*out = w;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->fd = fd;
	w->path = path;
	w->at = at;
	w->time = time;
	cfs_buf_init(&w->kept, SIZE_MAX / 2);
	return CFS_OK;
}

void cfs_zip_writer_free(struct cfs_zip_writer *w)
{
	if (w == NULL)
		return;
	cfs_buf_release(&w->kept);
	free(w);
}
