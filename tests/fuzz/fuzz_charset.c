/* fuzz_charset.c - any bytes as a document: a charset is found, by the bytes
 * and by what they declare, and through it they become valid UTF-8.
 *
 * The first byte chooses HTML or not, the second one of the labels below, so
 * that each decoder meets bytes that were not written for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "view/charset_steps.h"

static const char *const labels[] = {
	"utf-8", "latin1", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp",
	"sjis", "euc-kr", "iso-2022-kr", "hz", "iso-2022-cn", "euc-tw",
	"utf-16le", "utf-16be", "utf-32le", "utf-32be", "windows-1258",
	"ibm866", "x-mac-cyrillic", "iso-8859-8-i", "iso-8859-16", "koi8-u",
	"x-user-defined", "replacement", "windows-874",
};

static void convert(const struct cfs_charset *cs, struct cfs_slice body)
{
	struct cfs_buf out;
	int rc;

	/* four bytes of UTF-8 for one is more than any set needs */
	cfs_buf_init(&out, body.n * 4 + 4096);
	rc = cfs_charset_to_utf8(cs, body, CFS_PAGES_STAY, &out, NULL);
	if (rc != CFS_OK || !cfs_utf8_is_valid(cfs_buf_slice(&out)))
		abort();
	if (cfs_charset_is_utf8(cs, body, CFS_PAGES_STAY) &&
	    !cfs_slice_starts(body, CFS_SLICE_LIT("\xef\xbb\xbf")) &&
	    !cfs_slice_eq(cfs_buf_slice(&out), body))
		abort();
	cfs_buf_release(&out);
}

FUZZ_TARGET(data, size)
{
	static struct cfs_charset_sample sample;
	struct cfs_slice all = cfs_slice_of(data, size);
	struct cfs_charset_input in = { CFS_SLICE_EMPTY, cfs_slice_from(all, 2),
					size > 0 && data[0] % 2 == 0,
					CFS_PAGES_STAY };
	struct cfs_charset cs = { 0 };
	const char *label;

	cfs_charset_find(&in, &cs);
	if (cs.name == NULL || cs.icu == NULL)
		abort();
	convert(&cs, in.body);
	in.content_type = in.body;
	cfs_charset_find(&in, &cs);
	cfs_charset_sample(in.body, &sample);
	if (sample.n > sizeof(sample.p))
		abort();
	label = labels[size > 1 ? data[1] % (sizeof(labels) / sizeof(*labels)) : 0];
	if (!cfs_charset_by_label(cfs_slice_str(label), &cs))
		abort();
	convert(&cs, in.body);
	return 0;
}
