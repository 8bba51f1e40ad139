/* cfx_damage.h - the table in a crawlfs index of what was found damaged when
 * its archives were read.
 *
 * One row for each archive with damage, in the order of archives:
 *     varint    number of the archive
 *     varint    n, bytes of its report; then the report:
 *         varint    number of damaged places
 *         varint    k, at least 1: how many of them are listed, by offset
 *         k times   varint offset, varint n, n bytes: what is wrong there;
 *                   2^64 - 1: in a list of captures whose first archive it is
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CFX_CFX_DAMAGE_H
#define CFS_CFX_CFX_DAMAGE_H

#include "cfx_format.h"

/* Most places listed for one archive, and for all; most bytes of all reports.
 * Archives beyond these limits have no report. */
#define CFS_CFX_DAMAGE_PLACES 16u
#define CFS_CFX_DAMAGE_ALL 1000u
#define CFS_CFX_DAMAGE_BYTES 65536u
#define CFS_CFX_DAMAGE_SEED (UINT64_C(250) << 32)
/* Bytes of the table: the reports with their archives' numbers and lengths, and
 * in a part of an index one that is beyond the limits. */
#define CFS_CFX_DAMAGE_TABLE_MAX (2 * CFS_CFX_DAMAGE_BYTES + 2 * 5 * \
				  CFS_CFX_DAMAGE_ALL)

/* Decodes the header's fields about the table; tells if it lies in the file. */
void cfs_cfx_damage_decode(const uint8_t *header, struct cfs_cfx_header *out);
bool cfs_cfx_damage_fits(const struct cfs_cfx_header *h);

/* Appends the table to out, or nothing if there is none.  0, CFS_EFORMAT,
 * CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_cfx_damage_read(struct cfs_index *ix, struct cfs_buf *out,
			struct cfs_ctx ctx);

/* Takes the next report off a table.  False at the end of the table, and with
 * c->bad set if a row is not as described above. */
bool cfs_cfx_damage_next(struct cfs_cursor *c, uint32_t n_archives,
			 uint32_t *archive, struct cfs_slice *report);

/* Implements `damage` of struct cfs_index_ops. */
int cfs_cfx_damage(struct cfs_index *ix, cfs_index_damaged *emit, void *arg,
		   struct cfs_ctx ctx);

#endif
