/* prices.c - parses prices of requests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "prices.h"

#include "base/slice.h"

#define DIGITS_MAX 30u		/* in a number */
#define PRICE_MAX 1e9

/* Parses digits, perhaps with a point among them; independent of the locale. */
static bool parse_decimal(struct cfs_slice s, double *out)
{
	double v = 0, scale = 1;
	bool has_point = false;
	size_t digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)s.p[i] - '0';

		if (s.p[i] == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (d > 9 || ++digits > DIGITS_MAX)
			return false;
		v = v * 10 + d;
		scale *= has_point ? 10 : 1;
	}
	*out = v / scale;
	return digits > 0 && *out <= PRICE_MAX;
}

int cfs_prices_parse(const char *text, struct cfs_prices *out,
		     struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(text), first;
	struct cfs_prices p = { .is_set = true };

	if (cfs_slice_find(rest, ':') < 0)
		return cfs_error_set(err, CFS_EFORMAT, "'%.100s' is not a "
				     "price of a request, ':' and one of "
				     "10^9 bytes", text);
	first = cfs_slice_split(&rest, ':');
	if (!parse_decimal(first, &p.request) || !parse_decimal(rest, &p.gb))
		return cfs_error_set(err, CFS_EFORMAT, "'%.100s' are not two "
				     "prices such as 0.0000004:0.09", text);
	*out = p;
	return CFS_OK;
}
