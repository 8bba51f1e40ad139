/* unsupported.h - says what a file is that is not an archive, for messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_UNSUPPORTED_H
#define CFS_RECORD_UNSUPPORTED_H

#include "source/source.h"

#define CFS_UNSUPPORTED_BYTES 160u

/* Describes a file that begins with these bytes and is not an archive; the text
 * may be in `out`; NULL if it is not recognised.  *may_precede: it may be a
 * message in front of an archive, as files of other formats are not. */
const char *cfs_unsupported_of(struct cfs_slice start, bool *may_precede,
			       char out[CFS_UNSUPPORTED_BYTES / 2]);

/* Writes a phrase such as "a gzip file of a tar archive", by the file's first
 * bytes; "neither an ARC ..." if they are not recognised. */
void cfs_unsupported_describe(struct cfs_source *src,
			      char out[CFS_UNSUPPORTED_BYTES],
			      const struct cfs_cancel *cancel);

#endif
