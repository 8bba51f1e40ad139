/* zip.c - the central directory of a ZIP file, and what it leads to.
 *
 * Spec: APPNOTE 6.3.10; doc/formats.md, "ZIP files".  All integers are
 * little-endian.
 *     end record   0 PK\5\6   10 u16 members   12 u32 bytes of the directory
 *                  16 u32 its offset   20 u16 bytes of a comment   22 comment
 *     locator      0 PK\6\7   8 u64 offset of the ZIP64 end record
 *                  (20 bytes, directly before the end record)
 *     ZIP64 end    0 PK\6\6   32 u64 members   40 u64 bytes   48 u64 offset
 *     entry        0 PK\1\2   8 u16 flags   10 u16 method   16 u32 CRC
 *                  20 u32 stored   24 u32 size   28 u16 n, name
 *                  30 u16 m, extra   32 u16 k, comment   42 u32 header
 *                  46 name, extra, comment
 *     extra        u16 tag   u16 n   n bytes; tag 1: u64 for each of size,
 *                  stored and header that is ffffffff, in that order
 *     header       0 PK\3\4   26 u16 n, name   28 u16 m, extra   30 name,
 *                  extra; then the member's bytes
 * Only the directory's sizes count: those of a local header may be zero, with
 * a data descriptor behind the member.
 * Limits: CFS_ZIP_DIRECTORY_MAX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/array.h"
#include "base/fileio.h"
#include "codec/gzip.h"

#define END_BYTES 22u
#define LOCATOR_BYTES 20u
#define END64_BYTES 56u
#define ENTRY_BYTES 46u
#define HEADER_BYTES 30u
#define COMMENT_MAX 65535u
#define TAIL_BYTES (LOCATOR_BYTES + END_BYTES + COMMENT_MAX)
#define FLAG_ENCRYPTED 1u
#define FLAG_DESCRIPTOR 8u
#define TAG_ZIP64 1u
#define PIECE_BYTES ((size_t)64 << 10)
#define AHEAD_BYTES ((size_t)4 << 20)	/* prefetched from a server at once */

static bool has_mark(const uint8_t *p, uint8_t a, uint8_t b)
{
	return p[0] == 'P' && p[1] == 'K' && p[2] == a && p[3] == b;
}

bool cfs_zip_is_start(struct cfs_slice head)
{
	return head.n >= 4 && (has_mark(head.p, 3, 4) ||
			       (has_mark(head.p, 5, 6) && head.n >= END_BYTES));
}

bool cfs_zip_is_behind(const uint8_t p[4])
{
	return has_mark(p, 3, 4) || has_mark(p, 7, 8) || has_mark(p, 1, 2);
}

/* ---- where the directory is ---- */

/* The end of the file, and what was found there. */
struct tail {
	struct cfs_source *src;
	struct cfs_ctx ctx;
	uint8_t *p;
	size_t n;
	uint64_t off;		/* where p begins in the file */
	uint64_t end;		/* offset of the end record */
	uint64_t dir_off, dir_bytes;
};

static int zip_damaged(const struct tail *t, uint64_t off, const char *why)
{
	return cfs_error_at(t->ctx.err, CFS_EFORMAT, t->src->name, off, "%s", why);
}

static int read_tail(struct tail *t)
{
	uint64_t size = t->src->size;

	t->n = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;
	t->off = size - t->n;
	t->p = malloc(t->n > 0 ? t->n : 1);
	if (t->p == NULL)
		return cfs_error_nomem(t->ctx.err);
	return cfs_source_read(t->src, t->p, t->n, t->off, t->ctx);
}

/* Finds the last end record whose comment reaches the end of the file; if there
 * is none, the last one that fits (something was appended to the file). */
static const uint8_t *zip_find_end(struct tail *t)
{
	const uint8_t *fits = NULL;

	for (size_t i = t->n < END_BYTES ? 0 : t->n - END_BYTES + 1; i-- > 0;) {
		const uint8_t *p = t->p + i;
		size_t left = t->n - i - END_BYTES;

		if (!has_mark(p, 5, 6) || cfs_le16_get(p + 20) > left)
			continue;
		if (cfs_le16_get(p + 20) == left) {
			t->end = t->off + i;
			return p;
		}
		if (fits == NULL) {
			t->end = t->off + i;
			fits = p;
		}
	}
	return fits;
}

/* Takes the directory's place from the ZIP64 end record, if a locator before
 * the end record leads to one. */
static int find_directory_64(struct tail *t, const uint8_t *end)
{
	uint8_t rec[END64_BYTES];
	const uint8_t *loc = end - LOCATOR_BYTES;
	uint64_t at;
	int rc;

	if ((size_t)(end - t->p) < LOCATOR_BYTES || !has_mark(loc, 6, 7))
		return CFS_OK;
	at = cfs_le64_get(loc + 8);
	if (at > t->end - LOCATOR_BYTES ||
	    t->end - LOCATOR_BYTES - at < END64_BYTES)
		return zip_damaged(t, t->end,
				   "the ZIP64 end record is not there");
	rc = cfs_source_read(t->src, rec, sizeof(rec), at, t->ctx);
	if (rc != CFS_OK)
		return rc;
	if (!has_mark(rec, 6, 6))
		return zip_damaged(t, at, "is no ZIP64 end record");
	t->dir_bytes = cfs_le64_get(rec + 40);
	t->dir_off = cfs_le64_get(rec + 48);
	t->end = at;
	return CFS_OK;
}

static int zip_find_directory(struct tail *t)
{
	const uint8_t *end = zip_find_end(t);
	int rc = CFS_OK;

	if (end == NULL)
		return zip_damaged(t, t->src->size, "a ZIP file without its end: "
				   "it has no central directory");
	t->dir_bytes = cfs_le32_get(end + 12);
	t->dir_off = cfs_le32_get(end + 16);
	if (cfs_le16_get(end + 10) == UINT16_MAX ||
	    t->dir_bytes == UINT32_MAX || t->dir_off == UINT32_MAX)
		rc = find_directory_64(t, end);
	if (rc != CFS_OK)
		return rc;
	if (t->dir_off > t->end || t->dir_bytes > t->end - t->dir_off)
		return zip_damaged(t, t->end, "the central directory of the ZIP "
				   "file is not where it should be");
	if (t->dir_bytes > CFS_ZIP_DIRECTORY_MAX)
		return cfs_error_at(t->ctx.err, CFS_ELIMIT, t->src->name,
				    t->dir_off, "a ZIP directory of more than "
				    "%" PRIu64 " bytes", CFS_ZIP_DIRECTORY_MAX);
	return CFS_OK;
}

/* *out is malloced. */
static int read_directory(struct tail *t, uint8_t **out)
{
	size_t n = (size_t)t->dir_bytes;

	*out = malloc(n > 0 ? n : 1);
	if (*out == NULL)
		return cfs_error_nomem(t->ctx.err);
	if (t->dir_off < t->off)
		return cfs_source_read(t->src, *out, n, t->dir_off, t->ctx);
	memcpy(*out, t->p + (t->dir_off - t->off), n);
	return CFS_OK;
}

/* ---- its entries ---- */

/* Reads ZIP64 values.  False if one that is needed is missing. */
static bool apply_extra(struct cfs_zip_member *m, struct cfs_slice extra)
{
	uint64_t *const fields[] = { &m->size, &m->stored, &m->header };
	struct cfs_cursor c = { extra, false }, e = { CFS_SLICE_EMPTY, false };
	uint16_t tag = 0;

	while (tag != TAG_ZIP64 && !c.bad && c.rest.n >= 4) {
		tag = cfs_cursor_le16(&c);
		e.rest = cfs_cursor_take(&c, cfs_cursor_le16(&c));
	}
	if (tag != TAG_ZIP64)
		e.rest = CFS_SLICE_EMPTY;
	for (unsigned i = 0; i < 3; i++)
		if (*fields[i] == UINT32_MAX)
			*fields[i] = cfs_cursor_le64(&e);
	return !e.bad;
}

static bool zip_parse_entry(struct cfs_cursor *c, struct cfs_zip_member *m)
{
	const uint8_t *p = cfs_cursor_take(c, ENTRY_BYTES).p;
	struct cfs_slice extra;

	if (c->bad || !has_mark(p, 1, 2))
		return false;
	*m = (struct cfs_zip_member){
		.flags = cfs_le16_get(p + 8), .method = cfs_le16_get(p + 10),
		.crc = cfs_le32_get(p + 16), .stored = cfs_le32_get(p + 20),
		.size = cfs_le32_get(p + 24), .header = cfs_le32_get(p + 42),
		.name = cfs_cursor_take(c, cfs_le16_get(p + 28)) };
	extra = cfs_cursor_take(c, cfs_le16_get(p + 30));
	cfs_cursor_take(c, cfs_le16_get(p + 32));
	m->has_extra = extra.n > 0;
	return !c->bad && apply_extra(m, extra);
}

/* By header; members with one header in the order of the directory. */
static int zip_by_header(const void *a, const void *b)
{
	const struct cfs_zip_member *x = a, *y = b;

	if (x->header != y->header)
		return x->header < y->header ? -1 : 1;
	return (x->name.p > y->name.p) - (x->name.p < y->name.p);
}

/* Keeps only the first of several names that share a header: the member is
 * then read once, however often it is named. */
static void leave_out_repeated(struct cfs_zip *z)
{
	size_t n = 0;

	for (size_t i = 0; i < z->n; i++)
		if (n == 0 || z->v[n - 1].header != z->v[i].header)
			z->v[n++] = z->v[i];
	z->n_repeated = z->n - n;
	z->n = n;
}

/* Checks that all members lie before the directory and do not overlap: bytes
 * that count twice could inflate to more than the file ever could. */
static int set_extents(struct cfs_zip *z, const struct tail *t)
{
	uint64_t next = t->dir_off;

	if (z->n > 0)
		qsort(z->v, z->n, sizeof(*z->v), zip_by_header);
	leave_out_repeated(z);
	for (size_t i = z->n; i-- > 0;) {
		struct cfs_zip_member *m = &z->v[i];

		if (m->header > t->dir_off ||
		    t->dir_off - m->header < HEADER_BYTES ||
		    m->stored > t->dir_off - m->header - HEADER_BYTES)
			return zip_damaged(t, t->dir_off, "a member lies beyond "
					   "the members of the ZIP file");
		m->extent = next - m->header;
		if (m->extent < HEADER_BYTES ||
		    m->stored > m->extent - HEADER_BYTES)
			return zip_damaged(t, m->header, "members of the ZIP file "
					   "overlap");
		next = m->header;
	}
	return CFS_OK;
}

static int zip_by_name(const void *a, const void *b, void *arg)
{
	const struct cfs_zip *z = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = cfs_slice_cmp(z->v[x].name, z->v[y].name);

	return c != 0 ? c : (x > y) - (x < y);
}

static int sort_names(struct cfs_zip *z, struct cfs_error *err)
{
	z->by_name = malloc((z->n + 1) * sizeof(*z->by_name));
	if (z->by_name == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < z->n; i++)
		z->by_name[i] = (uint32_t)i;
	qsort_r(z->by_name, z->n, sizeof(*z->by_name), zip_by_name, z);
	return CFS_OK;
}

static int parse_directory(struct cfs_zip *z, const struct tail *t)
{
	struct cfs_cursor c = {
		cfs_slice_of(z->directory, (size_t)t->dir_bytes), false };
	struct cfs_zip_member m;
	size_t room = 0;

	while (c.rest.n > 0) {
		uint64_t at = t->dir_off + t->dir_bytes - c.rest.n;

		if (!zip_parse_entry(&c, &m))
			return zip_damaged(t, at, "the central directory of the "
					   "ZIP file is damaged");
		if (cfs_array_reserve((void **)&z->v, &room, z->n + 1,
				      sizeof(*z->v), SIZE_MAX) != CFS_OK)
			return cfs_error_nomem(t->ctx.err);
		z->v[z->n++] = m;
	}
	return set_extents(z, t);
}

int cfs_zip_open(struct cfs_zip *out, struct cfs_source *src,
		 struct cfs_ctx ctx)
{
	struct tail t = { .src = src, .ctx = ctx };
	int rc = read_tail(&t);

	*out = (struct cfs_zip){ .src = src };
	if (rc == CFS_OK)
		rc = zip_find_directory(&t);
	if (rc == CFS_OK)
		rc = read_directory(&t, &out->directory);
	if (rc == CFS_OK)
		rc = parse_directory(out, &t);
	if (rc == CFS_OK)
		rc = sort_names(out, ctx.err);
	free(t.p);
	if (rc != CFS_OK)
		cfs_zip_close(out);
	return rc;
}

void cfs_zip_close(struct cfs_zip *z)
{
	free(z->v);
	free(z->by_name);
	free(z->directory);
	*z = (struct cfs_zip){ .n = 0 };
}

const struct cfs_zip_member *cfs_zip_find(const struct cfs_zip *z,
					  struct cfs_slice name)
{
	size_t at = 0;

	CFS_LOWER_BOUND(at, z->n, i,
			cfs_slice_cmp(z->v[z->by_name[i]].name, name) < 0);
	return at < z->n && cfs_slice_eq(z->v[z->by_name[at]].name, name) ?
	       &z->v[z->by_name[at]] : NULL;
}

/* ---- one member ---- */

static int bad_member(const struct cfs_zip *z, const struct cfs_zip_member *m,
		      int code, const char *why, struct cfs_error *err)
{
	return cfs_error_at(err, code, z->src->name, m->header, "member "
			    "'%.*s' %s", (int)(m->name.n < 80 ? m->name.n : 80),
			    (const char *)m->name.p, why);
}

/* Is the length of the local header known without reading it? */
static bool is_certain(const struct cfs_zip *z, const struct cfs_zip_member *m)
{
	uint64_t known = HEADER_BYTES + m->name.n + m->stored;

	/* Members are back to back: there is no room for an extra field. */
	if (known == m->extent && !(m->flags & FLAG_DESCRIPTOR))
		return true;
	/* There is just room for a data descriptor, as behind those before. */
	return !z->src->is_local && z->n_alike >= CFS_ZIP_ALIKE &&
	       (m->flags & FLAG_DESCRIPTOR) && !m->has_extra &&
	       known < m->extent && m->extent - known == z->behind;
}

/* Notes what the local header of a member has shown, for is_certain; `before`:
 * its length. */
static void note_header(struct cfs_zip *z, const struct cfs_zip_member *m,
			uint64_t before)
{
	uint64_t behind = m->extent - before - m->stored;
	bool is_plain = before == HEADER_BYTES + m->name.n &&
			(m->flags & FLAG_DESCRIPTOR) && behind > 0;

	if (!is_plain) {
		z->n_alike = 0;
		z->behind = 0;
		return;
	}
	z->n_alike = z->behind == behind ? z->n_alike + 1 : 1;
	z->behind = behind;
}

int cfs_zip_locate(struct cfs_zip *z, const struct cfs_zip_member *m,
		   struct cfs_zip_place *out, struct cfs_ctx ctx)
{
	uint64_t before = HEADER_BYTES + m->name.n;
	uint8_t h[HEADER_BYTES];
	int rc;

	*out = (struct cfs_zip_place){ m->header + before, m->stored, m->size,
				       m->crc, m->method };
	if (m->flags & FLAG_ENCRYPTED)
		return bad_member(z, m, CFS_EUNSUPPORTED, "is encrypted",
				  ctx.err);
	if (is_certain(z, m))
		return CFS_OK;
	rc = cfs_source_read(z->src, h, sizeof(h), m->header, ctx);
	if (rc != CFS_OK)
		return rc;
	before = HEADER_BYTES + (uint64_t)cfs_le16_get(h + 26) +
		 cfs_le16_get(h + 28);
	if (!has_mark(h, 3, 4) || before > m->extent ||
	    m->stored > m->extent - before)
		return bad_member(z, m, CFS_EFORMAT, "is not where the ZIP "
				  "directory says", ctx.err);
	out->offset = m->header + before;
	note_header(z, m, before);
	return CFS_OK;
}

/* ---- its bytes ---- */

/* A member being written to a file. */
struct extraction {
	struct cfs_source *src;
	const struct cfs_zip_place *at;
	const char *name;
	z_stream s;
	uint64_t done;		/* bytes written */
	uint32_t crc;
	int fd;
	const char *path;
	uint8_t in[PIECE_BYTES], out[PIECE_BYTES];
};

static int zip_bad(const struct extraction *x, int code, const char *why,
		   struct cfs_error *err)
{
	return cfs_error_at(err, code, x->src->name, x->at->offset,
			    "member '%.120s' %s", x->name, why);
}

static int write_out(struct extraction *x, const uint8_t *p, size_t n,
		     struct cfs_error *err)
{
	if (n > x->at->size - x->done)
		return zip_bad(x, CFS_EFORMAT, "is longer than the ZIP directory "
			       "says", err);
	if (cfs_write_at(x->fd, p, n, x->done) < n)
		return cfs_error_at(err, CFS_EIO, x->path, x->done,
				    "cannot write: %s", strerror(errno));
	x->crc = (uint32_t)crc32(x->crc, p, (uInt)n);
	x->done += n;
	return CFS_OK;
}

/* Writes the next n bytes of the member, which are in x->in. */
static int take_step(struct extraction *x, size_t n, bool *is_end,
		     struct cfs_error *err)
{
	int rc = CFS_OK, zrc = Z_OK;

	if (x->at->method == CFS_ZIP_STORED)
		return write_out(x, x->in, n, err);
	x->s.next_in = x->in;
	x->s.avail_in = (uInt)n;
	do {
		x->s.next_out = x->out;
		x->s.avail_out = sizeof(x->out);
		zrc = inflate(&x->s, Z_NO_FLUSH);
		if (zrc == Z_MEM_ERROR)
			return cfs_error_nomem(err);
		if (zrc != Z_OK && zrc != Z_STREAM_END && zrc != Z_BUF_ERROR)
			return zip_bad(x, CFS_EFORMAT, "is damaged", err);
		rc = write_out(x, x->out, sizeof(x->out) - x->s.avail_out, err);
	} while (rc == CFS_OK && zrc != Z_STREAM_END && x->s.avail_out == 0);
	*is_end = zrc == Z_STREAM_END;
	return rc;
}

static int zip_take_all(struct extraction *x, struct cfs_ctx ctx)
{
	uint64_t off = x->at->offset, left = x->at->stored;
	bool is_end = false;
	int rc = CFS_OK;

	while (rc == CFS_OK && left > 0 && !is_end) {
		size_t n = left < sizeof(x->in) ? (size_t)left : sizeof(x->in);

		if ((off - x->at->offset) % AHEAD_BYTES == 0)
			cfs_source_prefetch(x->src, off, left < AHEAD_BYTES ?
					    (size_t)left : AHEAD_BYTES);
		rc = cfs_source_read(x->src, x->in, n, off, ctx);
		if (rc == CFS_OK)
			rc = take_step(x, n, &is_end, ctx.err);
		off += n;
		left -= n;
	}
	if (rc == CFS_OK && x->done != x->at->size)
		rc = zip_bad(x, CFS_EFORMAT, "is shorter than the ZIP directory "
			     "says", ctx.err);
	if (rc == CFS_OK && x->crc != x->at->crc)
		rc = zip_bad(x, CFS_EFORMAT, "has another CRC than the ZIP "
			     "directory says", ctx.err);
	return rc;
}

int cfs_zip_extract(struct cfs_source *src, const struct cfs_zip_place *place,
		    const char *name, uint64_t max, int fd, const char *path,
		    struct cfs_ctx ctx)
{
	struct extraction *x = calloc(1, sizeof(*x));
	int rc;

	if (x == NULL)
		return cfs_error_nomem(ctx.err);
	x->src = src;
	x->at = place;
	x->name = name;
	x->fd = fd;
	x->path = path;
	if (place->method != CFS_ZIP_STORED &&
	    place->method != CFS_ZIP_DEFLATED)
		rc = zip_bad(x, CFS_EUNSUPPORTED, "is compressed in a way that is "
			     "not supported", ctx.err);
	else if (place->size / CFS_DEFLATE_RATIO > place->stored)
		rc = zip_bad(x, CFS_EFORMAT, "cannot be as long as the ZIP "
			     "directory says", ctx.err);
	else if (place->size > max)
		rc = zip_bad(x, CFS_ELIMIT, "is too large to be inflated",
			     ctx.err);
	else if (inflateInit2(&x->s, -MAX_WBITS) != Z_OK)
		rc = cfs_error_nomem(ctx.err);
	else
		rc = zip_take_all(x, ctx);
	inflateEnd(&x->s);
	free(x);
	return rc;
}
