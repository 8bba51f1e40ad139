/* fuzz_simhash.c - the similarity hash against the slow and plain way.
 *
 * The first byte says how the rest is read: bit 0 ISO-8859-1, bit 1 with a
 * byte order mark in front.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "view/charset.h"
#include "view/simhash.h"

#define UNITS_MAX 2048

static uint64_t print_of(const uint8_t *p, size_t n)
{
	uint64_t v = 0xD74307D3FD3382DBu;

	for (size_t i = 0; i < n; i++) {
		v ^= p[i];
		for (int k = 0; k < 8; k++)
			v = v & 1 ? (v >> 1) ^ 0xD74307D3FD3382DBu : v >> 1;
	}
	return v;
}

static size_t add_unit(uint8_t *out, size_t n, unsigned unit)
{
	out[n] = (uint8_t)(unit >> 8);
	out[n + 1] = (uint8_t)unit;
	return n + 2;
}

/* UTF-16, high byte first. */
static size_t units_of(const struct cfs_simhash_text *t, uint8_t *out)
{
	size_t n = t->has_bom ? add_unit(out, 0, 0xfeff) : 0;
	struct cfs_slice s = t->bytes;

	while (s.n > 0) {
		size_t len = t->is_latin1 ? 1 : cfs_utf8_len(s);
		uint32_t c = s.p[0];

		if (len == 0) {
			c = 0xfffd;
			len = 1;
		} else if (len > 1) {
			c &= 0xffu >> (len + 1);
			for (size_t i = 1; i < len; i++)
				c = c << 6 | (s.p[i] & 0x3f);
		}
		if (c > 0xffff) {
			n = add_unit(out, n, 0xd7c0 + (c >> 10));
			c = 0xdc00 | (c & 0x3ff);
		}
		n = add_unit(out, n, c);
		s = cfs_slice_from(s, len);
	}
	return n;
}

static int64_t plain_simhash(const struct cfs_simhash_text *t)
{
	static uint8_t units[2 * UNITS_MAX + 16];
	size_t n = units_of(t, units), windows = 0;
	size_t ones[64] = { 0 };
	uint64_t out = 0;

	for (size_t i = 0; i + 8 <= n; i += 2) {
		bool seen = false;
		uint64_t v;

		for (size_t k = 0; k < i && !seen; k += 2)
			seen = memcmp(units + k, units + i, 8) == 0;
		if (seen)
			continue;
		windows++;
		v = print_of(units + i, 8);
		for (unsigned bit = 0; bit < 64; bit++)
			ones[bit] += v >> bit & 1;
	}
	for (unsigned bit = 0; bit < 64; bit++)
		if (ones[bit] > windows - ones[bit])
			out |= (uint64_t)1 << bit;
	return (int64_t)out;
}

/* Neither digits and marks between letters nor their case change the hash of
 * rows. */
static void check_text_hash(struct cfs_slice s)
{
	static uint8_t other[3 * UNITS_MAX];
	int64_t a = 0, b = 0;
	size_t n = 0;
	bool has = cfs_simhash_of_text(s, &a);

	while (s.n > 0) {
		size_t len = cfs_utf8_len(s);

		if (len == 1 && s.p[0] >= 'a' && s.p[0] <= 'z')
			other[n++] = s.p[0] - 'a' + 'A';
		else
			for (size_t i = 0; i < len; i++)
				other[n++] = s.p[i];
		other[n] = (uint8_t)"7 .-\n\xff"[n % 6];
		n++;
		s = cfs_slice_from(s, len > 0 ? len : 1);
	}
	if (cfs_simhash_of_text(cfs_slice_of(other, n), &b) != has || a != b)
		abort();
}

FUZZ_TARGET(data, size)
{
	struct cfs_simhash_text t;
	int64_t got;

	if (size == 0 || size > UNITS_MAX)
		return 0;
	t = (struct cfs_simhash_text){ cfs_slice_of(data + 1, size - 1),
				       data[0] & 1, data[0] & 2 };
	if (cfs_simhash(&t, &got, CFS_CTX(NULL, NULL)) != CFS_OK ||
	    got != plain_simhash(&t))
		abort();
	check_text_hash(t.bytes);
	if (cfs_simhash_print(t.bytes) != print_of(t.bytes.p, t.bytes.n))
		abort();
	return 0;
}
