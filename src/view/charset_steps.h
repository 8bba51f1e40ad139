/* charset_steps.h - the steps that find a document's charset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_STEPS_H
#define CFS_VIEW_CHARSET_STEPS_H

#include "charset.h"

/* Step 1, charset_prescan.c: byte order mark, <?xml encoding?>, <meta>. */
bool cfs_charset_declared(struct cfs_slice body, bool is_html,
			  struct cfs_charset *out);

/* Steps 2 and 3, charset_detect.c: the look of the bytes.  Sets out->by.  False
 * if neither detector is sure enough, for text that is ASCII throughout, and
 * with out->no_memory set. */
bool cfs_charset_detect(struct cfs_slice body, struct cfs_charset *out);

/* UTF-16 and UTF-32 by their NULs (charset_wide.c): part of step 2. */
bool cfs_charset_wide(struct cfs_slice body, struct cfs_charset *out);

/* Twice as much finds nothing more and takes twice as long: 2 ms in ICU. */
#define CFS_CHARSET_SAMPLE_BYTES 4096
/* How far into a document its sample is looked for. */
#define CFS_CHARSET_LOOK_BYTES (256 * 1024)

struct cfs_charset_sample {
	uint8_t p[CFS_CHARSET_SAMPLE_BYTES];
	size_t n;
};

/* The part of a document that says most about its character set: text that is
 * not ASCII, without markup, in the order it is there (charset_sample.c). */
void cfs_charset_sample(struct cfs_slice body, struct cfs_charset_sample *out);

#endif
