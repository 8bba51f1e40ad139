/* unsupported.h - what a file is that is no archive, for messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_UNSUPPORTED_H
#define CFS_RECORD_UNSUPPORTED_H

#include "source/source.h"

#define CFS_UNSUPPORTED_BYTES 160u

/* What begins with these bytes that is no archive, in words, which may be in
 * `out`; NULL: nothing that is known.  *may_precede: it may be a message in
 * front of an archive, as other formats are not. */
const char *cfs_unsupported_of(struct cfs_slice start, bool *may_precede,
			       char out[CFS_UNSUPPORTED_BYTES / 2]);

/* A phrase such as "a gzip file of a tar archive", by the file's first bytes;
 * "neither an ARC ..." for what is not recognized. */
void cfs_unsupported_describe(struct cfs_source *src,
			      char out[CFS_UNSUPPORTED_BYTES],
			      const struct cfs_cancel *cancel);

#endif
