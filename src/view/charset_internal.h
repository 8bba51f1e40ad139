/* charset_internal.h - what the files of the charset finder share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_INTERNAL_H
#define CFS_VIEW_CHARSET_INTERNAL_H

#include "base/ascii.h"
#include "charset.h"

static inline struct cfs_slice cfs_skip_spaces(struct cfs_slice s)
{
	while (s.n > 0 && cfs_is_space(s.p[0]))
		s = cfs_slice_from(s, 1);
	return s;
}

/* -- charset_prescan.c -- */

/* Step 1: byte order mark, <?xml encoding?>, <meta>. */
bool cfs_charset_declared(const struct cfs_charset_input *in,
			  struct cfs_charset *out);

/* -- charset_sample.c -- */

/* Twice as much finds nothing more and takes twice as long: 2 ms in ICU. */
#define CFS_CHARSET_SAMPLE_BYTES 4096
/* How far into a document its sample is looked for. */
#define CFS_CHARSET_LOOK_BYTES (256 * 1024)

struct cfs_charset_sample {
	uint8_t p[CFS_CHARSET_SAMPLE_BYTES];
	size_t n;
};

/* The part of a document that tells most about its character set: text that
 * is not ASCII, without markup, in the order it is there. */
void cfs_charset_sample(struct cfs_slice body, struct cfs_charset_sample *out);

/* -- charset_detect.c -- */

/* Steps 2 and 3: the look of the bytes.  Sets out->by.  False if neither
 * detector is sure enough, for text that is ASCII throughout, and with
 * out->no_memory set. */
bool cfs_charset_detect(struct cfs_slice body, struct cfs_charset *out);

#endif
