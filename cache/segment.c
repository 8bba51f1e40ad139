/* segment.c - one segment file: reads, checks, appends to and seals it.
 *
 * Files are read with pread(2), never mapped: when another process truncates
 * one, that gives a short read here, not SIGBUS.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "segment.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/hash.h"

/* Bytes read at once to look for headers: those of many small records, or of
 * one large one. */
#define SCAN_BYTES 4096u

/* Reads n bytes; CFS_EFORMAT if the file ends before. */
static int segment_read_all(int fd, void *buf, size_t n, uint64_t off)
{
	if (cfs_read_at(fd, buf, n, off) == n)
		return CFS_OK;
	return errno == 0 ? CFS_EFORMAT : CFS_EIO;
}

static int segment_write_all(int fd, const void *buf, size_t n, uint64_t off)
{
	return cfs_write_at(fd, buf, n, off) == n ? CFS_OK : CFS_EIO;
}

uint64_t cfs_segment_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t hash(const void *p, size_t n)
{
	return cfs_hash64(cfs_slice_of(p, n), 0);
}

/* ---- records ---------------------------------------------------------- */

/* Seed of the data's checksum: a hash of bytes 4 to 31 of the header. */
static uint64_t data_seed(const struct cfs_cache_entry *e)
{
	uint8_t b[28];

	cfs_le32_put(b, e->n);
	memcpy(b + 4, e->id.b, CFS_SEG_ID_BYTES);
	cfs_le64_put(b + 20, e->off);
	return hash(b, sizeof(b));
}

static uint64_t data_sum(const struct cfs_cache_entry *e, const void *data)
{
	return cfs_hash_fast(cfs_slice_of(data, e->n), data_seed(e));
}

static void segment_encode_head(uint8_t p[CFS_SEG_RECORD_BYTES],
				const struct cfs_cache_entry *e)
{
	memset(p, 0, CFS_SEG_RECORD_BYTES);
	cfs_le32_put(p, CFS_SEG_RECORD_MAGIC);
	cfs_le32_put(p + 4, e->n);
	memcpy(p + 8, e->id.b, CFS_SEG_ID_BYTES);
	cfs_le64_put(p + 24, e->off);
	cfs_le64_put(p + 32, e->sum);
	cfs_le32_put(p + 40, e->kind);
	cfs_le64_put(p + 48, hash(p, 48));
}

/* Decodes a record header.  False if invalid. */
static bool cache_entry_decode(const uint8_t p[CFS_SEG_RECORD_BYTES],
			       uint32_t pos, struct cfs_cache_entry *out)
{
	if (cfs_le32_get(p) != CFS_SEG_RECORD_MAGIC ||
	    cfs_le64_get(p + 48) != hash(p, 48))
		return false;
	out->n = cfs_le32_get(p + 4);
	memcpy(out->id.b, p + 8, CFS_SEG_ID_BYTES);
	out->off = cfs_le64_get(p + 24);
	out->sum = cfs_le64_get(p + 32);
	out->kind = cfs_le32_get(p + 40);
	out->pos = pos;
	return out->n > 0 && out->n <= CFS_SEG_DATA_MAX &&
	       out->off <= UINT64_MAX - out->n;
}

int cfs_segment_add(struct cfs_segment *s, const struct cfs_cache_entry *e)
{
	if (cfs_array_reserve((void **)&s->tail, &s->tail_cap, s->n + 1,
			      sizeof(*s->tail), SIZE_MAX) != CFS_OK)
		return CFS_ENOMEM;
	s->tail[s->n++] = *e;
	/* Records begin at multiples of 8. */
	s->end = (e->pos + CFS_SEG_RECORD_BYTES + e->n + 7) & ~UINT32_C(7);
	return CFS_OK;
}

/* Adds the records from s->end on, as long as they are whole. */
static int segment_scan(struct cfs_segment *s, uint64_t size)
{
	uint8_t buf[SCAN_BYTES];
	uint64_t at = 0;
	size_t have = 0;
	int rc = CFS_OK;

	while (s->n < CFS_SEG_ENTRIES_MAX &&
	       (uint64_t)s->end + CFS_SEG_RECORD_BYTES < size) {
		struct cfs_cache_entry e;

		if (have == 0 || s->end < at ||
		    s->end + CFS_SEG_RECORD_BYTES > at + have) {
			at = s->end;
			have = size - at < SCAN_BYTES ? (size_t)(size - at) :
							SCAN_BYTES;
			rc = segment_read_all(s->fd, buf, have, at);
			if (rc != CFS_OK)
				break;
		}
		if (!cache_entry_decode(buf + (s->end - at), s->end, &e) ||
		    (uint64_t)e.pos + CFS_SEG_RECORD_BYTES + e.n > size)
			break;
		rc = cfs_segment_add(s, &e);
		if (rc != CFS_OK)
			break;
	}
	return rc == CFS_EFORMAT ? CFS_OK : rc;	/* the file was truncated */
}

/* ---- the footer ------------------------------------------------------- */

/* If the segment is sealed, takes over the values of its footer. */
static bool read_footer(struct cfs_segment *s, uint64_t size)
{
	uint8_t b[CFS_SEG_FAN_BYTES + CFS_SEG_FOOTER_BYTES];
	const uint8_t *f = b + CFS_SEG_FAN_BYTES;
	uint32_t n, pos, last = 0;
	uint32_t fan[CFS_SEG_FAN];

	if (size < CFS_SEG_HEADER_BYTES + sizeof(b) ||
	    size > CFS_SEG_BYTES_MAX ||
	    segment_read_all(s->fd, b, sizeof(b), size - sizeof(b)) != CFS_OK ||
	    memcmp(f, CFS_SEG_END_MAGIC, 8) != 0 ||
	    cfs_le64_get(f + 32) != hash(f, 32))
		return false;
	n = cfs_le32_get(f + 8);
	pos = cfs_le32_get(f + 12);
	if (n > CFS_SEG_ENTRIES_MAX || pos < CFS_SEG_HEADER_BYTES ||
	    pos % 8 != 0 ||
	    pos + (uint64_t)n * CFS_SEG_ENTRY_BYTES + sizeof(b) != size)
		return false;
	for (unsigned i = 0; i < CFS_SEG_FAN; i++) {
		fan[i] = cfs_le32_get(b + 4 * i);
		if (fan[i] < last || fan[i] > n)
			return false;
		last = fan[i];
	}
	if (fan[0] != 0 || fan[CFS_SEG_FAN - 1] != n)
		return false;
	memcpy(s->fan, fan, sizeof(fan));
	s->n = n;
	s->index_pos = pos;
	s->is_sealed = true;
	free(s->tail);
	s->tail = NULL;
	s->tail_cap = 0;
	return true;
}

int cfs_segment_catch_up(struct cfs_segment *s, bool *more,
			 struct cfs_error *err)
{
	uint32_t n = s->n;
	struct stat st;
	int rc;

	*more = false;
	if (s->is_sealed)
		return CFS_OK;
	if (fstat(s->fd, &st) != 0 || st.st_size < 0)
		return cfs_error_at(err, CFS_EIO, s->name, 0,
				    "cannot get its size: %s", strerror(errno));
	if ((uint64_t)st.st_size + 8 < s->end)
		return cfs_error_at(err, CFS_EFORMAT, s->name, s->end,
				    "was cut off");
	if (read_footer(s, (uint64_t)st.st_size)) {
		*more = true;
		return CFS_OK;
	}
	rc = segment_scan(s, (uint64_t)st.st_size < CFS_SEG_BYTES_MAX ?
				     (uint64_t)st.st_size : CFS_SEG_BYTES_MAX);
	*more = s->n != n;
	return rc == CFS_OK ? rc : cfs_error_at(err, rc, s->name, s->end,
						"cannot read");
}

/* ---- opening and closing ---------------------------------------------- */

void cfs_segment_free(struct cfs_segment *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->tail);
	free(s);
}

static void encode_header(uint8_t p[CFS_SEG_HEADER_BYTES])
{
	memset(p, 0, CFS_SEG_HEADER_BYTES);
	memcpy(p, CFS_SEG_MAGIC, 8);
	cfs_le32_put(p + 8, CFS_SEG_VERSION);
	cfs_le32_put(p + 12, CFS_SEG_HEADER_BYTES);
	cfs_le64_put(p + 24, hash(p, 24));
}

/* Writes the header of a new file, or compares that of an existing one. */
static int segment_begin(struct cfs_segment *s, bool is_new,
			 struct cfs_error *err)
{
	uint8_t want[CFS_SEG_HEADER_BYTES], head[CFS_SEG_HEADER_BYTES];
	int rc;

	encode_header(want);
	if (is_new) {
		rc = segment_write_all(s->fd, want, sizeof(want), 0);
		return rc == CFS_OK ? rc : cfs_error_at(err, rc, s->name, 0,
				"cannot write: %s", strerror(errno));
	}
	rc = segment_read_all(s->fd, head, sizeof(head), 0);
	if (rc == CFS_OK && memcmp(head, want, sizeof(head)) != 0)
		rc = CFS_EFORMAT;
	return rc == CFS_OK ? rc : cfs_error_at(err, rc, s->name, 0,
						"not a segment of the cache");
}

int cfs_segment_open(struct cfs_segment **out, int fd, const char *name,
		     bool is_new, struct cfs_error *err)
{
	struct cfs_segment *s = calloc(1, sizeof(*s));
	bool more;
	int rc;

	*out = NULL;
	if (s == NULL) {
		close(fd);
		return cfs_error_nomem(err);
	}
	s->fd = fd;
	s->end = CFS_SEG_HEADER_BYTES;
	snprintf(s->name, sizeof(s->name), "%s", name);
	atomic_init(&s->pins, 1);
	rc = segment_begin(s, is_new, err);
	if (rc == CFS_OK && !is_new)
		rc = cfs_segment_catch_up(s, &more, err);
	if (rc == CFS_OK)
		*out = s;
	else
		cfs_segment_free(s);
	return rc;
}

bool cfs_segment_pin(struct cfs_segment *s)
{
	unsigned n = atomic_load_explicit(&s->pins, memory_order_relaxed);

	while (n > 0)
		if (atomic_compare_exchange_weak(&s->pins, &n, n + 1))
			return true;
	return false;
}

void cfs_segment_unpin(struct cfs_segment *s)
{
	if (atomic_fetch_sub(&s->pins, 1) == 1) {
		close(s->fd);
		s->fd = -1;
	}
}

void cfs_segment_kill(struct cfs_segment *s)
{
	if (!atomic_exchange(&s->is_dead, true))
		cfs_segment_unpin(s);
}

/* ---- appending -------------------------------------------------------- */

uint64_t cfs_segment_bytes_with(const struct cfs_segment *s, size_t n)
{
	return (uint64_t)s->end + CFS_SEG_RECORD_BYTES + n + 8 +
	       ((uint64_t)s->n + 1) * CFS_SEG_ENTRY_BYTES + CFS_SEG_FAN_BYTES +
	       CFS_SEG_FOOTER_BYTES;
}

int cfs_segment_append(struct cfs_segment *s, const struct cfs_cache_id *id,
		       uint64_t off, enum cfs_cache_kind kind,
		       struct cfs_slice data, struct cfs_cache_entry *out,
		       struct cfs_error *err)
{
	struct cfs_cache_entry e = { .id = *id,
				     .off = off,
				     .pos = s->end,
				     .n = (uint32_t)data.n,
				     .kind = kind };
	uint8_t head[CFS_SEG_RECORD_BYTES];
	int rc;

	assert(data.n > 0 && data.n <= CFS_SEG_DATA_MAX);
	e.sum = data_sum(&e, data.p);
	segment_encode_head(head, &e);
	rc = segment_write_all(s->fd, data.p, data.n,
			       (uint64_t)e.pos + CFS_SEG_RECORD_BYTES);
	if (rc == CFS_OK)
		rc = segment_write_all(s->fd, head, sizeof(head), e.pos);
	if (rc != CFS_OK)
		return cfs_error_at(err, rc, s->name, e.pos, "cannot write: %s",
				    strerror(errno));
	*out = e;
	return CFS_OK;
}

static int segment_by_id(const void *va, const void *vb)
{
	const struct cfs_cache_entry *a = va, *b = vb;
	int c = memcmp(a->id.b, b->id.b, CFS_SEG_ID_BYTES);

	if (c != 0)
		return c;
	if (a->off != b->off)
		return a->off < b->off ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static void encode_entry(uint8_t p[CFS_SEG_ENTRY_BYTES],
			 const struct cfs_cache_entry *e)
{
	memset(p, 0, CFS_SEG_ENTRY_BYTES);
	memcpy(p, e->id.b, CFS_SEG_ID_BYTES);
	cfs_le64_put(p + 16, e->off);
	cfs_le32_put(p + 24, e->n);
	cfs_le32_put(p + 28, e->pos);
	cfs_le64_put(p + 32, e->sum);
	cfs_le32_put(p + 40, e->kind);
}

static void encode_footer(uint8_t p[CFS_SEG_FOOTER_BYTES], uint32_t n,
			  uint32_t pos, uint64_t sum)
{
	memset(p, 0, CFS_SEG_FOOTER_BYTES);
	memcpy(p, CFS_SEG_END_MAGIC, 8);
	cfs_le32_put(p + 8, n);
	cfs_le32_put(p + 12, pos);
	cfs_le64_put(p + 16, sum);
	cfs_le64_put(p + 32, hash(p, 32));
}

/* Encodes index, fan-out and footer; malloced. */
static uint8_t *encode_index(const struct cfs_segment *s, size_t *bytes)
{
	size_t entries = (size_t)s->n * CFS_SEG_ENTRY_BYTES;
	struct cfs_cache_entry *t;
	uint32_t fan[CFS_SEG_FAN] = { 0 };
	uint8_t *p;

	t = malloc(((size_t)s->n + 1) * sizeof(*t));
	*bytes = entries + CFS_SEG_FAN_BYTES + CFS_SEG_FOOTER_BYTES;
	p = malloc(*bytes);
	if (t == NULL || p == NULL) {
		free(t);
		free(p);
		return NULL;
	}
	if (s->n > 0)
		memcpy(t, s->tail, (size_t)s->n * sizeof(*t));
	qsort(t, s->n, sizeof(*t), segment_by_id);
	for (uint32_t i = 0; i < s->n; i++) {
		encode_entry(p + (size_t)i * CFS_SEG_ENTRY_BYTES, &t[i]);
		fan[t[i].id.b[0] + 1]++;
	}
	for (unsigned i = 1; i < CFS_SEG_FAN; i++)
		fan[i] += fan[i - 1];
	for (unsigned i = 0; i < CFS_SEG_FAN; i++)
		cfs_le32_put(p + entries + 4 * i, fan[i]);
	encode_footer(
		p + entries + CFS_SEG_FAN_BYTES, s->n, s->end,
		cfs_hash_fast(cfs_slice_of(p, entries + CFS_SEG_FAN_BYTES), 0));
	free(t);
	return p;
}

int cfs_segment_seal(struct cfs_segment *s, struct cfs_error *err)
{
	size_t bytes;
	uint8_t *p;
	int rc;

	assert(!s->is_sealed);
	p = encode_index(s, &bytes);
	if (p == NULL)
		return cfs_error_nomem(err);
	/* A torn record may follow the last one, but the footer must end
	 * the file. */
	rc = ftruncate(s->fd, (off_t)s->end) == 0 ? CFS_OK : CFS_EIO;
	if (rc == CFS_OK)
		rc = segment_write_all(s->fd, p, bytes, s->end);
	free(p);
	if (rc == CFS_OK && !read_footer(s, s->end + bytes))
		rc = CFS_EIO;
	return rc == CFS_OK ? rc : cfs_error_at(err, rc, s->name, s->end,
			"cannot write its index: %s", strerror(errno));
}

/* ---- finding ---------------------------------------------------------- */

static bool is_bad(const struct cfs_segment *s, uint32_t pos)
{
	for (uint32_t i = 0; i < s->n_bad; i++)
		if (s->bad[i] == pos)
			return true;
	return false;
}

/* want NULL: every record is wanted. */
static bool segment_is_wanted(const struct cfs_cache_id *want,
			      const uint8_t *id)
{
	return want == NULL || memcmp(want->b, id, CFS_SEG_ID_BYTES) == 0;
}

static int find_in_tail(struct cfs_segment *s, const struct cfs_cache_id *id,
			cfs_segment_each *each, void *arg)
{
	int rc = CFS_OK;

	for (uint32_t i = 0; i < s->n && rc == CFS_OK; i++) {
		const struct cfs_cache_entry *e = &s->tail[i];

		if (segment_is_wanted(id, e->id.b) && !is_bad(s, e->pos))
			rc = each(arg, s, e);
	}
	return rc;
}

static bool decode_entry(const struct cfs_segment *s, const uint8_t *p,
			 struct cfs_cache_entry *e)
{
	memcpy(e->id.b, p, CFS_SEG_ID_BYTES);
	e->off = cfs_le64_get(p + 16);
	e->n = cfs_le32_get(p + 24);
	e->pos = cfs_le32_get(p + 28);
	e->sum = cfs_le64_get(p + 32);
	e->kind = cfs_le32_get(p + 40);
	return e->n > 0 && e->n <= CFS_SEG_DATA_MAX &&
	       e->off <= UINT64_MAX - e->n && e->pos >= CFS_SEG_HEADER_BYTES &&
	       (uint64_t)e->pos + CFS_SEG_RECORD_BYTES + e->n <= s->index_pos;
}

static int find_in_index(struct cfs_segment *s, const struct cfs_cache_id *id,
			 cfs_segment_each *each, void *arg)
{
	uint32_t lo = id ? s->fan[id->b[0]] : 0;
	uint32_t hi = id ? s->fan[id->b[0] + 1] : s->n;
	size_t bytes = (size_t)(hi - lo) * CFS_SEG_ENTRY_BYTES;
	uint8_t *p;
	int rc;

	if (bytes == 0)
		return CFS_OK;
	p = malloc(bytes);
	if (p == NULL)
		return CFS_ENOMEM;
	rc = segment_read_all(s->fd, p, bytes,
			      s->index_pos +
				      (uint64_t)lo * CFS_SEG_ENTRY_BYTES);
	for (size_t i = 0; i < bytes && rc == CFS_OK;
	     i += CFS_SEG_ENTRY_BYTES) {
		struct cfs_cache_entry e;

		if (segment_is_wanted(id,
				      p + i) && decode_entry(s, p + i, &e) &&
		    !is_bad(s, e.pos))
			rc = each(arg, s, &e);
	}
	free(p);
	return rc;
}

int cfs_segment_find(struct cfs_segment *s, const struct cfs_cache_id *id,
		     cfs_segment_each *each, void *arg)
{
	return s->is_sealed ? find_in_index(s, id, each, arg) :
			      find_in_tail(s, id, each, arg);
}

int cfs_segment_read(struct cfs_segment *s, const struct cfs_cache_entry *e,
		     void *buf)
{
	int rc = segment_read_all(s->fd, buf, e->n,
				  (uint64_t)e->pos + CFS_SEG_RECORD_BYTES);

	if (rc == CFS_OK && data_sum(e, buf) != e->sum)
		rc = CFS_EFORMAT;
	return rc;
}

int cfs_segment_read_part(struct cfs_segment *s,
			  const struct cfs_cache_entry *e, uint32_t skip,
			  void *buf, size_t n)
{
	return segment_read_all(s->fd, buf, n,
				(uint64_t)e->pos + CFS_SEG_RECORD_BYTES + skip);
}

int cfs_segment_verify_index(struct cfs_segment *s)
{
	size_t bytes = (size_t)s->n * CFS_SEG_ENTRY_BYTES + CFS_SEG_FAN_BYTES;
	uint8_t *p = malloc(bytes + CFS_SEG_FOOTER_BYTES);
	int rc;

	if (p == NULL)
		return CFS_ENOMEM;
	rc = segment_read_all(s->fd, p, bytes + CFS_SEG_FOOTER_BYTES,
			      s->index_pos);
	if (rc == CFS_OK && cfs_hash_fast(cfs_slice_of(p, bytes), 0) !=
			    cfs_le64_get(p + bytes + 16))
		rc = CFS_EFORMAT;
	free(p);
	return rc;
}

/* ---- metadata and ids ------------------------------------------------- */

int cfs_cache_meta_parse(struct cfs_slice data, struct cfs_cache_meta *out)
{
	struct cfs_cursor c = { data, false };
	uint16_t nv, nu;

	out->learnt_ns = 0;
	out->size = cfs_cursor_le64(&c);
	out->mtime = (int64_t)cfs_cursor_le64(&c);
	nv = cfs_cursor_le16(&c);
	nu = cfs_cursor_le16(&c);
	out->validator = cfs_cursor_take(&c, nv);
	out->url = cfs_cursor_take(&c, nu);
	if (c.bad || c.rest.n > 0 || nv > CFS_SEG_VALIDATOR_MAX || nu == 0 ||
	    nu > CFS_SEG_URL_MAX || cfs_slice_find(out->validator, '\0') >= 0 ||
	    cfs_slice_find(out->url, '\0') >= 0)
		return CFS_EFORMAT;
	return CFS_OK;
}

int cfs_cache_meta_encode(const struct cfs_cache_meta *m, struct cfs_buf *out)
{
	if (m->validator.n > CFS_SEG_VALIDATOR_MAX || m->url.n == 0 ||
	    m->url.n > CFS_SEG_URL_MAX)
		return CFS_ELIMIT;
	cfs_buf_le64(out, m->size);
	cfs_buf_le64(out, (uint64_t)m->mtime);
	cfs_buf_le16(out, (uint16_t)m->validator.n);
	cfs_buf_le16(out, (uint16_t)m->url.n);
	cfs_buf_add(out, m->validator);
	return cfs_buf_add(out, m->url);
}

void cfs_cache_id_of_url(struct cfs_slice url, struct cfs_cache_id *out)
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, 4, (const uint8_t *)"url");	/* with its NUL */
	sha256_update(&sha, url.n, url.p);
	sha256_digest(&sha, CFS_SEG_ID_BYTES, out->b);
}

void cfs_cache_id_of_data(const struct cfs_cache_meta *m,
			  struct cfs_cache_id *out)
{
	struct sha256_ctx sha;
	char size[24];
	int n = snprintf(size, sizeof(size), "%" PRIu64, m->size);

	sha256_init(&sha);
	sha256_update(&sha, 5, (const uint8_t *)"data");
	sha256_update(&sha, m->url.n, m->url.p);
	sha256_update(&sha, 1, (const uint8_t *)"");
	sha256_update(&sha, m->validator.n, m->validator.p);
	sha256_update(&sha, 1, (const uint8_t *)"");
	sha256_update(&sha, (size_t)n, (const uint8_t *)size);
	sha256_digest(&sha, CFS_SEG_ID_BYTES, out->b);
}
