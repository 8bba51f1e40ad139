/* copycdx.h - the index inside a WACZ: sorted lines of CDXJ, compressed in
 * blocks, and a list of the blocks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPYCDX_H
#define CFS_COPY_COPYCDX_H

#include "join/capture_input.h"
#include "source/zip_write.h"

struct cfs_copycdx;		/* used by one thread */

/* archive: its file name, for the lines; borrowed until the call returns.
 * tmp_dir: for the sort; borrowed.  0 or CFS_ENOMEM. */
int cfs_copycdx_new(struct cfs_copycdx **out, const char *archive,
		    const char *tmp_dir, struct cfs_ctx ctx);
void cfs_copycdx_free(struct cfs_copycdx *x);	/* accepts NULL */

/* Adds a capture, whose offset is that in the archive; one whose URL has no
 * SURT has no line.  Fails like cfs_extsort_add. */
int cfs_copycdx_add(struct cfs_copycdx *x, const struct cfs_builder_capture *c,
		    struct cfs_error *err);

/* Writes the lines as two members of a WACZ: index.cdx.gz and index.idx.
 * progress (may be NULL) is called with arg now and then.  0; failures of the
 * sort and of the ZIP file. */
int cfs_copycdx_write(struct cfs_copycdx *x, struct cfs_zip_writer *zip,
		      void (*progress)(void *arg, uint64_t done,
				       uint64_t total),
		      void *arg, struct cfs_error *err);

#endif
