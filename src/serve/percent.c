/* percent.c - reads and writes percent escapes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "percent.h"

#include "base/ascii.h"

int cfs_percent_decode(struct cfs_slice s, bool is_query, struct cfs_buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];
		int high = -1, low = -1;

		if (c == '%' && s.n - i > 2) {
			high = cfs_xdigit_value(s.p[i + 1]);
			low = cfs_xdigit_value(s.p[i + 2]);
		}
		if (high >= 0 && low >= 0) {
			c = (uint8_t)(high << 4 | low);
			i += 2;
		} else if (c == '+' && is_query) {
			c = ' ';
		}
		cfs_buf_addc(out, c);
	}
	return out->failed;
}

int cfs_percent_encode(struct cfs_slice name, struct cfs_buf *out)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = name.p[i];

		if (cfs_is_alnum(c) ||
		    (c != '\0' && strchr("-._~!$&'()*+,;=:@", c) != NULL)) {
			cfs_buf_addc(out, c);
			continue;
		}
		cfs_buf_addc(out, '%');
		cfs_buf_addc(out, (uint8_t)digits[c >> 4]);
		cfs_buf_addc(out, (uint8_t)digits[c & 15]);
	}
	return out->failed;
}

bool cfs_query_next(struct cfs_slice *query, struct cfs_slice *name,
		    struct cfs_slice *value)
{
	while (query->n > 0) {
		*value = cfs_slice_split(query, '&');
		if (value->n == 0)
			continue;
		*name = cfs_slice_split(value, '=');
		return true;
	}
	return false;
}

bool cfs_query_get(struct cfs_slice query, const char *name,
		   struct cfs_buf *out)
{
	struct cfs_slice n, value, wanted = cfs_slice_str(name);

	while (cfs_query_next(&query, &n, &value)) {
		if (cfs_slice_eq(n, wanted)) {
			cfs_percent_decode(value, true, out);
			return true;
		}
	}
	return false;
}
