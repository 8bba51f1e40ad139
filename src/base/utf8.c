/* utf8.c - validates, decodes and encodes UTF-8 (see utf8.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "utf8.h"

#include "hex.h"
#include "swar.h"

static inline bool is_tail(uint8_t c)
{
	return (c & 0xc0) == 0x80;
}

size_t cfs_utf8_len(struct cfs_slice s)
{
	uint8_t first, second;

	if (s.n == 0)
		return 0;
	first = s.p[0];
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || s.n == 1 || !is_tail(s.p[1]))
		return 0;
	if (first < 0xe0)
		return 2;
	second = s.p[1];
	if (s.n == 2 || !is_tail(s.p[2]) || (first == 0xe0 && second < 0xa0) ||
	    (first == 0xed && second > 0x9f))
		return 0;
	if (first < 0xf0)
		return 3;
	if (s.n == 3 || !is_tail(s.p[3]) || (first == 0xf0 && second < 0x90) ||
	    first > 0xf4 || (first == 0xf4 && second > 0x8f))
		return 0;
	return 4;
}

size_t cfs_utf8_chars(struct cfs_slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += !is_tail(s.p[i]);
	return n;
}

size_t cfs_ascii_run(struct cfs_slice s)
{
	size_t i = 0;

	while (s.n - i >= 32 && cfs_swar_are_ascii_from(
				cfs_swar_at(s.p + i) |
				cfs_swar_at(s.p + i + 8) |
				cfs_swar_at(s.p + i + 16) |
				cfs_swar_at(s.p + i + 24), 0))
		i += 32;
	while (s.n - i >= 8 && cfs_swar_are_ascii_from(cfs_swar_at(s.p + i), 0))
		i += 8;
	while (i < s.n && s.p[i] < 0x80)
		i++;
	return i;
}

bool cfs_utf8_is_ascii(struct cfs_slice s)
{
	return cfs_ascii_run(s) == s.n;
}

/* The number of ASCII bytes at p, which begins with one of them.  In other
 * scripts, single ASCII bytes separate words. */
static inline size_t ascii_bytes(const uint8_t *p, size_t left)
{
	return left > 1 && p[1] >= 0x80 ?
	       1 : cfs_ascii_run(cfs_slice_of(p, left));
}

bool cfs_utf8_is_valid(struct cfs_slice s)
{
	const uint8_t *p = s.p, *end = s.p + s.n;

	while (p < end) {
		size_t left = (size_t)(end - p);
		size_t n;

		if (*p < 0x80)
			n = ascii_bytes(p, left);
		else
			n = cfs_utf8_len(cfs_slice_of(p, left));
		if (n == 0)
			return false;
		p += n;
	}
	return true;
}

size_t cfs_utf8_decode(struct cfs_slice s, uint32_t *c)
{
	size_t n = cfs_utf8_len(s);

	if (n == 0)
		return 0;
	*c = n == 1 ? s.p[0] : s.p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++)
		*c = *c << 6 | (s.p[i] & 0x3fu);
	return n;
}

size_t cfs_utf8_put(uint8_t out[4], uint32_t c)
{
	size_t n = 1u + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	out[0] = (uint8_t)(lead[n] | c >> 6 * (n - 1));
	for (size_t i = 1; i < n; i++)
		out[i] = (uint8_t)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
	return n;
}

void cfs_utf8_add(struct cfs_buf *b, uint32_t c)
{
	uint8_t out[4];

	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = CFS_UTF8_REPLACEMENT;
	cfs_buf_append(b, out, cfs_utf8_put(out, c));
}

void cfs_utf8_add_mended(struct cfs_buf *b, struct cfs_slice s)
{
	while (s.n > 0) {
		size_t n = 0, len;

		while (n < s.n &&
		       (len = cfs_utf8_len(cfs_slice_from(s, n))) > 0)
			n += len;
		cfs_buf_add(b, cfs_slice_sub(s, 0, n));
		if (n < s.n)
			cfs_utf8_add(b, CFS_UTF8_REPLACEMENT);
		s = cfs_slice_from(s, n + 1);
	}
}

void cfs_utf8_add_percent(struct cfs_buf *b, struct cfs_slice s, int last)
{
	while (s.n > 0) {
		size_t n = cfs_utf8_len(s);

		if (n == 0 || s.p[0] <= last || (s.p[0] == 0x7f && last >= 0)) {
			n = 1;
			cfs_percent_add(b, s.p[0]);
		} else {
			cfs_buf_append(b, s.p, n);
		}
		s = cfs_slice_from(s, n);
	}
}
