/* stretch.c - reads a stretch of a text file, and past its end by a line; finds
 * a key in a sorted file by the first keys of its stretches.
 *
 * Known first keys are kept in order, up to a limit.  Of the stretches between
 * the two keys that enclose the target, the next one probed is that whose
 * number is divisible by the highest power of two: so all searches share their
 * first steps, here and in any cache below.  (Interpolation by the bytes of
 * keys takes more steps: the keys of crawls are too uneven.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "stretch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "cdx_line.h"

/* Most keys remembered: the upper levels of a search in the largest files. */
#define POINTS_MAX 65536u
#define POINT_BYTES_MAX ((size_t)8 << 20)
#define KEY_BYTES_MAX 65536u

/* ---- reading ---- */

/* Reads on until the line that begins in the stretch ends.  got: bytes read so
 * far; sets out->n to where the lines end. */
static int read_over(struct cfs_source *src, uint64_t start, size_t inside,
		     size_t got, struct cfs_stretch *out, struct cfs_ctx ctx)
{
	size_t seen = inside, cap = got, more;
	const uint8_t *end;
	uint8_t *p;
	int rc;

	for (;;) {
		end = memchr(out->bytes + seen, '\n', got - seen);
		if (end != NULL) {
			out->n = (size_t)(end - out->bytes) + 1;
			return CFS_OK;
		}
		seen = got;
		if (start + got >= src->size) {
			out->n = got;
			return CFS_OK;
		}
		if (got - inside > CFS_CDX_LINE_MAX)
			break;
		cap = 2 * got;
		p = realloc(out->bytes, cap);
		if (p == NULL)
			return cfs_error_nomem(ctx.err);
		out->bytes = p;
		rc = cfs_source_read_some(src, p + got, cap - got, start + got,
					  &more, ctx);
		if (rc != CFS_OK)
			return rc;
		if (more == 0)
			return cfs_error_at(ctx.err, CFS_EIO, src->name,
					    start + got, "ends too early");
		got += more;
	}
	out->cut = true;
	end = memrchr(out->bytes, '\n', inside);
	out->n = end == NULL ? 0 : (size_t)(end - out->bytes) + 1;
	return CFS_OK;
}

int cfs_stretch_read(struct cfs_source *src, uint64_t number,
		     struct cfs_stretch *out, struct cfs_ctx ctx)
{
	uint64_t start = number * CFS_STRETCH_BYTES, left = src->size - start;
	size_t inside = left < CFS_STRETCH_BYTES ? (size_t)left :
						   CFS_STRETCH_BYTES;
	size_t want = left < CFS_STRETCH_READ_BYTES ? (size_t)left :
						      CFS_STRETCH_READ_BYTES;
	const uint8_t *first;
	int rc;

	*out = (struct cfs_stretch){ .file_off = start };
	out->bytes = malloc(want + 1);
	if (out->bytes == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read(src, out->bytes, want, start, ctx);
	if (rc != CFS_OK)
		return rc;
	if (number > 0) {
		first = memchr(out->bytes, '\n', inside);
		if (first == NULL)
			return CFS_OK;		/* n is 0 */
		out->from = (size_t)(first - out->bytes) + 1;
	}
	rc = read_over(src, start, inside, want, out, ctx);
	if (rc != CFS_OK)
		return rc;
	out->n = out->n > out->from ? out->n - out->from : 0;
	out->file_off = start + out->from;
	return CFS_OK;
}

/* ---- known first keys ---- */

struct point {
	uint32_t number;
	uint32_t n;
	uint8_t *key;
};

struct cfs_search {
	uint32_t stretches;
	pthread_mutex_t lock;
	struct point *points;		/* ascending; guarded by lock */
	size_t n, cap, bytes;		/* guarded by lock */
};

struct cfs_search *cfs_search_new(uint32_t stretches)
{
	struct cfs_search *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->stretches = stretches;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void cfs_search_free(struct cfs_search *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->points[i].key);
	free(s->points);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* The first point whose key is not less. */
static size_t point_at_locked(const struct cfs_search *s, struct cfs_slice key)
{
	const struct point *p = s->points;
	size_t at = 0;

	CFS_LOWER_BOUND(at, s->n, i, cfs_slice_cmp(cfs_slice_of(p[i].key,
						   p[i].n), key) < 0);
	return at;
}

static void stretch_insert_locked(struct cfs_search *s, uint32_t number,
				  struct cfs_slice key)
{
	size_t at = 0;
	uint8_t *copy;

	CFS_LOWER_BOUND(at, s->n, i, s->points[i].number < number);
	if ((at < s->n && s->points[at].number == number) ||
	    s->bytes + key.n > POINT_BYTES_MAX)
		return;
	if (cfs_array_reserve((void **)&s->points, &s->cap, s->n + 1,
			      sizeof(*s->points), POINTS_MAX) != CFS_OK)
		return;			/* it will be looked up again */
	copy = malloc(key.n + 1);
	if (copy == NULL)
		return;
	memcpy(copy, key.p, key.n);
	memmove(s->points + at + 1, s->points + at,
		(s->n - at) * sizeof(*s->points));
	s->points[at] = (struct point){ number, (uint32_t)key.n, copy };
	s->n++;
	s->bytes += key.n;
}

/* ---- the search ---- */

/* The state of a search: the first key of lo is < the target (or lo is 0), that
 * of hi is not (or hi is the end). */
struct bounds {
	uint32_t lo, hi;
};

static void stretch_recall(struct cfs_search *s, struct cfs_slice key,
			   struct bounds *b)
{
	size_t i;

	pthread_mutex_lock(&s->lock);
	i = point_at_locked(s, key);
	if (i < s->n)
		b->hi = s->points[i].number;
	if (i > 0)
		b->lo = s->points[i - 1].number;
	pthread_mutex_unlock(&s->lock);
}

/* The number between lo and hi with the most trailing zero bits. */
static uint32_t middle(const struct bounds *b)
{
	uint32_t mid = b->hi - 1;

	while ((mid & (mid - 1)) > b->lo)
		mid &= mid - 1;
	return mid;
}

/* True if a stretch has no key to compare with: it is empty or damaged.  A
 * search that ends before a damaged one fails when it steps into it. */
static bool has_no_key(int rc)
{
	return rc == CFS_END || rc == CFS_EFORMAT || rc == CFS_ELIMIT;
}

/* Compares with the first key of stretch mid, or of the first stretch behind it
 * that has one. */
static int probe(struct cfs_search *s, struct cfs_slice key, uint32_t mid,
		 struct bounds *b, struct cfs_buf *found,
		 cfs_search_first *first, void *arg, struct cfs_ctx ctx)
{
	uint32_t at = mid;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_END;

	for (; has_no_key(rc) && at < b->hi; at++) {
		if (cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		cfs_buf_reset(found);
		cfs_error_clear(&e);
		rc = first(arg, at, found, CFS_CTX(ctx.cancel, &e));
	}
	if (has_no_key(rc)) {
		b->hi = mid;		/* no keys from there on */
		return CFS_OK;
	}
	if (rc == CFS_OK && found->failed != CFS_OK)
		return cfs_error_nomem(ctx.err);
	if (rc != CFS_OK)
		return cfs_error_pass(ctx.err, &e, rc);
	at--;
	pthread_mutex_lock(&s->lock);
	stretch_insert_locked(s, at, cfs_buf_slice(found));
	pthread_mutex_unlock(&s->lock);
	if (cfs_slice_cmp(cfs_buf_slice(found), key) < 0)
		b->lo = at;
	else
		b->hi = mid;
	return CFS_OK;
}

int cfs_search_find(struct cfs_search *s, struct cfs_slice key,
		    cfs_search_first *first, void *arg, uint32_t *out,
		    struct cfs_ctx ctx)
{
	struct bounds b = { .lo = 0, .hi = s->stretches };
	CFS_BUF(found, KEY_BYTES_MAX);
	int rc = CFS_OK;

	stretch_recall(s, key, &b);
	while (rc == CFS_OK && b.hi > b.lo && b.hi - b.lo > 1)
		rc = probe(s, key, middle(&b), &b, &found, first, arg, ctx);
	*out = b.lo;
	return rc;
}
