/* hex.c - writes and reads hexadecimal digits and percent escapes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hex.h"

#include "ascii.h"

void cfs_hex_put(const uint8_t *p, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[p[i] >> 4];
		*out++ = digits[p[i] & 15];
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

void cfs_percent_add(struct cfs_buf *out, uint8_t c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char escape[3] = { '%', digits[c >> 4], digits[c & 15] };

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
