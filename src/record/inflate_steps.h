/* inflate_steps.h - reads a file from front to back in steps, inflating it if
 * it is compressed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_INFLATE_STEPS_H
#define CFS_RECORD_INFLATE_STEPS_H

#include "base/buf.h"
#include "source/source.h"

#define CFS_INFLATE_STEP_BYTES ((size_t)256 << 10)

struct cfs_inflate_steps {
	struct cfs_buf
		*into; /* grows by up to CFS_INFLATE_STEP_BYTES in each step */
	/* Uses the bytes in `into`, and leaves there those it needs again.
	 * file_off: bytes of the file read so far.  Any result but CFS_OK ends
	 * the work and is returned. */
	int (*take)(void *arg, uint64_t file_off);
	void *arg;
	const struct cfs_cancel *cancel;
};

/* Reads a file as it is, or through its gzip members or zstd frames.  0, what
 * `take` returned, CFS_EFORMAT for damage (all bytes before it were passed to
 * `take`), CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_inflate_steps_read(struct cfs_source *src,
			   const struct cfs_inflate_steps *p,
			   struct cfs_error *err);

#endif
