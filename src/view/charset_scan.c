/* charset_scan.c - tests whole documents range by range.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset_scan.h"

#include "base/utf8.h"

/* Bytes behind the first one of a sequence in UTF-8, at most. */
#define CONTINUATION_MAX 3u

bool cfs_charset_scan_ascii(struct cfs_slice s, enum cfs_pages pages)
{
	while (s.n > 0) {
		struct cfs_slice range = cfs_slice_sub(s, 0, CFS_SPILL_STEP);

		if (!cfs_utf8_is_ascii(range))
			return false;
		cfs_pages_passed(pages, range);
		s = cfs_slice_from(s, range.n);
	}
	return true;
}

/* The first range of s.  It ends where a sequence begins, or in front of a byte
 * that is not well-formed there. */
static struct cfs_slice whole_sequences(struct cfs_slice s)
{
	struct cfs_slice range = cfs_slice_sub(s, 0, CFS_SPILL_STEP);

	for (unsigned i = 0; i < CONTINUATION_MAX && range.n < s.n &&
			     (s.p[range.n] & 0xc0) == 0x80; i++)
		range.n++;
	return range;
}

bool cfs_charset_scan_utf8(struct cfs_slice s, enum cfs_pages pages)
{
	while (s.n > 0) {
		struct cfs_slice range = whole_sequences(s);

		if (!cfs_utf8_is_valid(range))
			return false;
		cfs_pages_passed(pages, range);
		s = cfs_slice_from(s, range.n);
	}
	return true;
}

bool cfs_charset_scan_holds(struct cfs_slice s, enum cfs_pages pages,
			    struct cfs_slice what)
{
	while (s.n >= what.n) {
		struct cfs_slice range = cfs_slice_sub(s, 0, CFS_SPILL_STEP +
						       what.n - 1);

		if (cfs_slice_search(range, what) >= 0)
			return true;
		cfs_pages_passed(pages, range);
		if (range.n == s.n)
			break;
		s = cfs_slice_from(s, CFS_SPILL_STEP);
	}
	return false;
}
