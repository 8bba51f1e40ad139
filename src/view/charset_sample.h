/* charset_sample.h - the bytes of a document that the detectors get to see.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_SAMPLE_H
#define CFS_VIEW_CHARSET_SAMPLE_H

#include "base/slice.h"

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

#endif
