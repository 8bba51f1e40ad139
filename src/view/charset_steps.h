/* charset_steps.h - the steps of cfs_charset_find (charset.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_STEPS_H
#define CFS_VIEW_CHARSET_STEPS_H

#include "charset.h"

/* Step 1, charset_prescan.c: byte order mark, <?xml encoding?>, <meta>. */
bool cfs_charset_declared(struct cfs_slice body, bool is_html,
			  struct cfs_charset *out);

/* Steps 2 and 3, charset_detect.c: detection by the bytes themselves.  Sets
 * out->by.  False if neither detector is sure enough, for pure ASCII, and with
 * out->no_memory set if memory runs out. */
bool cfs_charset_detect(struct cfs_slice body, enum cfs_pages pages,
			struct cfs_charset *out);

/* Detects UTF-16 and UTF-32 by their NULs (charset_wide.c): part of step 2. */
bool cfs_charset_wide(struct cfs_slice body, struct cfs_charset *out);

/* The size of a sample.  A sample twice as long finds nothing more and takes
 * twice the time: 2 ms in ICU. */
#define CFS_CHARSET_SAMPLE_BYTES 4096
/* The sample is taken from this many bytes of a document. */
#define CFS_CHARSET_LOOK_BYTES (256 * 1024)

struct cfs_charset_sample {
	uint8_t p[CFS_CHARSET_SAMPLE_BYTES];
	size_t n;
};

/* Collects the part of a document that tells most about its character set:
 * non-ASCII text without markup, in document order (charset_sample.c). */
void cfs_charset_sample(struct cfs_slice body, struct cfs_charset_sample *out);

#endif
