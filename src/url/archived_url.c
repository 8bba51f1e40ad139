/* archived_url.c - takes the address of a capture in a web archive apart: the
 * URL of the page, and the time (see lenient_url.h).
 *
 *     web.archive.org/web/20190601120000if_/http://example.com/a
 *     archive.ph/2019.06.01-120000/http://example.com/a
 *
 * The form is that of the Wayback Machine, pywb, OpenWayback and archive.today:
 * what begins with a scheme within the path is the page, and the segment before
 * it the time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lenient_url.h"

#include "base/ascii.h"
#include "base/timestamp.h"
#include "url.h"

#define STAMP_DIGITS 14u

/* Reads the time in a segment: 4 to 14 digits, perhaps with a word and '_'
 * behind them ("if_"), or 2019.06.01-120000.  Returns the number of digits; 0:
 * it is no time. */
static size_t read_stamp(struct cfs_slice s, int64_t *time)
{
	uint8_t digits[STAMP_DIGITS];
	size_t i, n = 0;

	for (i = 0; i < s.n && n < STAMP_DIGITS; i++) {
		if (cfs_is_digit(s.p[i]))
			digits[n++] = s.p[i];
		else if (n < 4 || (s.p[i] != '.' && s.p[i] != '-'))
			break;
	}
	while (i < s.n && cfs_is_alpha(s.p[i]))
		i++;
	if (i < s.n && s.p[i] == '_')
		i++;
	if (i < s.n || n == 0 ||
	    cfs_time_parse_14(cfs_slice_of(digits, n), time) != CFS_OK)
		return 0;
	return n;
}

/* True if a URL without its scheme may begin here: a host with a dot or a
 * port. */
static bool is_like_host(struct cfs_slice s)
{
	size_t n = cfs_url_find_slash(s, true);

	return cfs_slice_find_any(s, 1, ".:") < n &&
	       cfs_slice_find_any(s, 0, " \t") >= n;
}

bool cfs_url_archived(struct cfs_slice address, struct cfs_buf *url,
		      int64_t *time)
{
	struct cfs_slice rest = address;
	size_t digits = 0;

	*time = 0;
	cfs_url_take_scheme(&rest);
	rest = cfs_slice_sub(rest, 0, cfs_slice_find_any(rest, 0, "#"));
	if (!is_like_host(rest))
		return false;
	cfs_slice_split(&rest, '/');
	while (rest.n > 0) {
		struct cfs_slice page = rest, segment;
		enum cfs_scheme scheme = cfs_url_take_scheme(&page);

		if (scheme == CFS_SCHEME_NONE && digits == STAMP_DIGITS &&
		    is_like_host(page))
			scheme = CFS_SCHEME_HTTP;
		if (scheme != CFS_SCHEME_NONE && page.n > 0) {
			cfs_buf_addf(url, "%s://", cfs_scheme_name(scheme));
			return cfs_buf_add(url, page) == CFS_OK;
		}
		segment = cfs_slice_split(&rest, '/');
		if (cfs_slice_find(segment, '?') >= 0)
			return false;
		*time = 0;
		digits = read_stamp(segment, time);
	}
	return false;
}
