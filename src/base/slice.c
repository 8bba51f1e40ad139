/* slice.c - borrowed bytes and the cursor over them (see slice.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slice.h"

#include <limits.h>
#include <string.h>

#include "ascii.h"
#include "error.h"

bool cfs_slice_starts_nocase(struct cfs_slice s, struct cfs_slice prefix)
{
	if (s.n < prefix.n)
		return false;
	for (size_t i = 0; i < prefix.n; i++)
		if (cfs_ascii_lower(s.p[i]) != cfs_ascii_lower(prefix.p[i]))
			return false;
	return true;
}

size_t cfs_slice_common(struct cfs_slice a, struct cfs_slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	size_t i = 0;

	while (n - i >= 8) {
		uint64_t x, y;

		memcpy(&x, a.p + i, 8);
		memcpy(&y, b.p + i, 8);
		if (x != y)
			break;
		i += 8;
	}
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

ptrdiff_t cfs_slice_search(struct cfs_slice s, struct cfs_slice needle)
{
	const uint8_t *q;

	if (needle.n == 0)
		return 0;
	if (s.n < needle.n)
		return -1;
	q = memmem(s.p, s.n, needle.p, needle.n);
	return q ? q - s.p : -1;
}

ptrdiff_t cfs_slice_search_nocase(struct cfs_slice s, struct cfs_slice needle)
{
	uint8_t first;

	if (needle.n == 0)
		return 0;
	first = cfs_ascii_lower(needle.p[0]);
	for (size_t i = 0; needle.n <= s.n && i <= s.n - needle.n; i++)
		if (cfs_ascii_lower(s.p[i]) == first &&
		    cfs_slice_starts_nocase(cfs_slice_from(s, i), needle))
			return (ptrdiff_t)i;
	return -1;
}

static bool is_trimmed(uint8_t c)
{
	return cfs_is_blank(c) || c == '\r' || c == '\n';
}

struct cfs_slice cfs_slice_trim(struct cfs_slice s)
{
	while (s.n > 0 && is_trimmed(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_trimmed(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct cfs_slice cfs_slice_split(struct cfs_slice *rest, uint8_t end)
{
	ptrdiff_t at = cfs_slice_find(*rest, end);
	struct cfs_slice s = cfs_slice_take(rest, (size_t)at);

	*rest = cfs_slice_from(*rest, 1);
	return s;
}

bool cfs_slice_next_word(struct cfs_slice *rest, struct cfs_slice *word)
{
	size_t n = 0;

	while (rest->n > 0 && rest->p[0] <= ' ')
		*rest = cfs_slice_from(*rest, 1);
	while (n < rest->n && rest->p[n] > ' ')
		n++;
	*word = cfs_slice_take(rest, n);
	return n > 0;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

unsigned cfs_slice_distance(struct cfs_slice a, struct cfs_slice b, bool nocase)
{
	/* row[j]: the distance of the first i bytes of a and j bytes of b */
	unsigned row[CFS_DISTANCE_MAX + 1];

	if (a.n > CFS_DISTANCE_MAX || b.n > CFS_DISTANCE_MAX)
		return UINT_MAX;
	for (unsigned j = 0; j <= b.n; j++)
		row[j] = j;
	for (unsigned i = 0; i < a.n; i++) {
		unsigned before = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < b.n; j++) {
			unsigned above = row[j + 1];
			bool differs = nocase ? cfs_ascii_lower(a.p[i]) !=
						cfs_ascii_lower(b.p[j]) :
				       a.p[i] != b.p[j];

			row[j + 1] = least(before + differs, above + 1,
					   row[j] + 1);
			before = above;
		}
	}
	return row[b.n];
}

bool cfs_slice_in_words(struct cfs_slice s, const char *words)
{
	struct cfs_slice rest = cfs_slice_str(words);

	while (rest.n > 0)
		if (cfs_slice_eq_nocase(s, cfs_slice_split(&rest, ' ')))
			return true;
	return false;
}

int cfs_slice_parse_u64(struct cfs_slice s, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (s.n == 0)
		return CFS_EFORMAT;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)s.p[i] - '0';

		if (d > 9)
			return CFS_EFORMAT;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, d, &v) || v > max)
			return CFS_ELIMIT;
	}
	*out = v;
	return CFS_OK;
}

struct cfs_slice cfs_cursor_take(struct cfs_cursor *c, size_t n)
{
	struct cfs_slice out = { c->rest.p, n };

	if (c->bad || n > c->rest.n) {
		c->bad = true;
		return CFS_SLICE_EMPTY;
	}
	c->rest.p += n;
	c->rest.n -= n;
	return out;
}

uint8_t cfs_cursor_u8(struct cfs_cursor *c)
{
	struct cfs_slice s = cfs_cursor_take(c, 1);

	return s.n == 1 ? s.p[0] : 0;
}

uint16_t cfs_cursor_le16(struct cfs_cursor *c)
{
	struct cfs_slice s = cfs_cursor_take(c, 2);

	return s.n == 2 ? cfs_le16_get(s.p) : 0;
}

uint32_t cfs_cursor_le32(struct cfs_cursor *c)
{
	struct cfs_slice s = cfs_cursor_take(c, 4);

	return s.n == 4 ? cfs_le32_get(s.p) : 0;
}

uint32_t cfs_cursor_be32(struct cfs_cursor *c)
{
	struct cfs_slice s = cfs_cursor_take(c, 4);

	return s.n == 4 ? cfs_be32_get(s.p) : 0;
}

uint64_t cfs_cursor_le64(struct cfs_cursor *c)
{
	struct cfs_slice s = cfs_cursor_take(c, 8);

	return s.n == 8 ? cfs_le64_get(s.p) : 0;
}

uint64_t cfs_cursor_varint(struct cfs_cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;

	if (c->bad)
		return 0;
	for (size_t i = 0; i < c->rest.n && i < CFS_VARINT_MAX; i++) {
		uint8_t b = c->rest.p[i];

		if (shift == 63 && b > 1)
			break;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			if (i > 0 && b == 0)
				break;	/* overlong */
			c->rest.p += i + 1;
			c->rest.n -= i + 1;
			return v;
		}
		shift += 7;
	}
	c->bad = true;
	return 0;
}

void cfs_be32_put(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * (3 - i));
}

void cfs_be64_put(uint8_t *p, uint64_t v)
{
	cfs_be32_put(p, (uint32_t)(v >> 32));
	cfs_be32_put(p + 4, (uint32_t)v);
}

void cfs_le16_put(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

void cfs_le32_put(uint8_t *p, uint32_t v)
{
	cfs_le16_put(p, (uint16_t)v);
	cfs_le16_put(p + 2, (uint16_t)(v >> 16));
}

void cfs_le64_put(uint8_t *p, uint64_t v)
{
	cfs_le32_put(p, (uint32_t)v);
	cfs_le32_put(p + 4, (uint32_t)(v >> 32));
}

size_t cfs_varint_put(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	while (v >= 0x80) {
		p[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	p[n++] = (uint8_t)v;
	return n;
}
