/* fuzz_feed.c - any bytes as a feed: its values are valid UTF-8, and within
 * what was there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "view/charset.h"
#include "view/feed.h"

static void check(bool is_right)
{
	if (!is_right)
		abort();
}

static void look(const struct cfs_feed *f)
{
	size_t bytes = 0;
	int64_t ms;

	for (size_t item = 0; item <= f->n_items; item++) {
		for (size_t i = 0; i < cfs_feed_count(f, item); i++) {
			struct cfs_feed_value v = cfs_feed_at(f, item, i);

			check(v.field < CFS_FEED_FIELDS);
			check(v.text.n > 0 || v.n_attrs > 0);
			check(cfs_utf8_is_valid(v.text));
			bytes += v.text.n;
			cfs_feed_date(v.text, &ms);
			for (unsigned k = 0; k < v.n_attrs; k++) {
				struct cfs_feed_attr a =
					cfs_feed_attr_at(f, &v, k);

				check(a.name.n > 0 && cfs_utf8_is_valid(a.name));
				check(cfs_utf8_is_valid(a.value));
				bytes += a.name.n + a.value.n;
			}
		}
	}
	check(bytes <= f->bytes.n);
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice s = cfs_slice_of(data, size);
	struct cfs_buf utf8;
	struct cfs_charset cs;
	struct cfs_feed f;

	cfs_feed_sniff(s, size % 2);
	check(cfs_charset_by_label(CFS_SLICE_LIT("utf-8"), &cs));
	cfs_buf_init(&utf8, (size_t)1 << 26);
	check(cfs_charset_to_utf8(&cs, s, CFS_PAGES_STAY, &utf8, NULL) ==
	      CFS_OK);
	check(cfs_feed_parse(cfs_buf_slice(&utf8), &f,
			     CFS_CTX(NULL, NULL)) == CFS_OK);
	look(&f);
	cfs_feed_release(&f);
	cfs_buf_release(&utf8);
	return 0;
}
