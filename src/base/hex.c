/* hex.c - writes and reads hexadecimal and other digits, and percent escapes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hex.h"

#include "ascii.h"

/* Digits by their bits; the first is that of 4 bits. */
static const char *const digits[] = {
	"0123456789abcdef",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
};

void cfs_hex_put(const uint8_t *p, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++) {
		*out++ = digits[0][p[i] >> 4];
		*out++ = digits[0][p[i] & 15];
	}
}

void cfs_hex_add(struct cfs_buf *out, const uint8_t *p, size_t n)
{
	char two[2];

	for (size_t i = 0; i < n; i++) {
		cfs_hex_put(p + i, 1, two);
		cfs_buf_append(out, two, 2);
	}
}

bool cfs_hex_read(struct cfs_slice s, uint8_t *out, size_t n)
{
	if (s.n != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = cfs_xdigit_value(s.p[2 * i]);
		int low = cfs_xdigit_value(s.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static int digit_value(uint8_t c, unsigned bits)
{
	const char *all = digits[bits - 4], *at;

	if (bits == 4)
		return cfs_xdigit_value(c);
	if (bits == 5 && c >= 'a' && c <= 'z')
		c = (uint8_t)(c - 'a' + 'A');
	if (bits == 6 && (c == '-' || c == '_'))
		c = c == '-' ? '+' : '/';
	at = memchr(all, c, (size_t)1 << bits);
	return at == NULL ? -1 : (int)(at - all);
}

bool cfs_digits_read(struct cfs_slice s, unsigned bits, uint8_t *out, size_t n)
{
	unsigned held = 0, have = 0;

	if (s.n != (n * 8 + bits - 1) / bits)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int v = digit_value(s.p[i], bits);

		if (v < 0)
			return false;
		held = (held << bits | (unsigned)v) & 0xffff;
		have += bits;
		if (have >= 8) {
			have -= 8;
			*out++ = (uint8_t)(held >> have);
		}
	}
	return true;
}

size_t cfs_digits_put(const uint8_t *p, size_t n, unsigned bits, char *out)
{
	const char *all = digits[bits - 4], *begin = out;
	unsigned held = 0, have = 0, mask = (1u << bits) - 1;

	for (size_t i = 0; i < n; i++) {
		held = (held << 8 | p[i]) & 0xffff;
		for (have += 8; have >= bits; have -= bits)
			*out++ = all[held >> (have - bits) & mask];
	}
	if (have > 0)
		*out++ = all[held << (bits - have) & mask];
	return (size_t)(out - begin);
}

void cfs_percent_add(struct cfs_buf *out, uint8_t c)
{
	static const char upper[] = "0123456789ABCDEF";
	const char escape[3] = { '%', upper[c >> 4], upper[c & 15] };

	cfs_buf_append(out, escape, sizeof(escape));
}

int cfs_percent_value(struct cfs_slice s)
{
	uint8_t c;

	if (s.n < 3 || s.p[0] != '%' ||
	    !cfs_hex_read(cfs_slice_sub(s, 1, 2), &c, 1))
		return -1;
	return c;
}

void cfs_percent_encode(struct cfs_slice s, const char *kept,
			struct cfs_buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (cfs_is_alnum(c) || (c != '\0' && strchr(kept, c) != NULL))
			cfs_buf_addc(out, c);
		else
			cfs_percent_add(out, c);
	}
}

int cfs_percent_decode(struct cfs_slice s, bool is_query, struct cfs_buf *out)
{
	while (s.n > 0) {
		int c = cfs_percent_value(s);
		size_t used = c < 0 ? 1 : 3;

		if (c < 0)
			c = s.p[0];
		if (used == 1 && c == '+' && is_query)
			c = ' ';
		cfs_buf_addc(out, (uint8_t)c);
		s = cfs_slice_from(s, used);
	}
	return out->failed;
}
