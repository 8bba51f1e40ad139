/* cfx_damage.h - what was found damaged when the archives of an index were
 * read.
 *
 * A table, of archives in their order:
 *     varint    number of the archive
 *     varint, n its report:
 *         varint    damaged places in all
 *         varint    k, at least 1, of which these are listed, by their offsets
 *         k times   varint offset, varint n, n bytes: what is wrong there
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CFX_DAMAGE_H
#define CFS_INDEX_CFX_DAMAGE_H

#include "cfx_format.h"

/* Places that are listed of an archive, and of all; bytes of all reports.
 * Archives whose reports are beyond that have none. */
#define CFS_CFX_DAMAGE_PLACES 16u
#define CFS_CFX_DAMAGE_ALL 1000u
#define CFS_CFX_DAMAGE_BYTES 65536u
#define CFS_CFX_DAMAGE_SEED (UINT64_C(250) << 32)
/* The table: numbers and lengths of the reports besides. */
#define CFS_CFX_DAMAGE_TABLE_MAX (CFS_CFX_DAMAGE_BYTES + 2 * 5 * \
				  CFS_CFX_DAMAGE_ALL)

/* Fills in what the header says of it; does it lie in the file? */
void cfs_cfx_damage_decode(const uint8_t *header, struct cfs_cfx_header *out);
bool cfs_cfx_damage_fits(const struct cfs_cfx_header *h);

/* The table, nothing if there is none.  0, CFS_EFORMAT, CFS_EIO, CFS_ENOMEM,
 * CFS_EINTR. */
int cfs_cfx_damage_read(struct cfs_index *ix, struct cfs_buf *out,
			const struct cfs_cancel *cancel, struct cfs_error *err);

/* Takes the next report off a table.  False at its end, or c->bad: also if it
 * is not what is said above. */
bool cfs_cfx_damage_next(struct cfs_cursor *c, uint32_t n_archives,
			 uint32_t *archive, struct cfs_slice *report);

/* The operation of struct cfs_index_ops. */
int cfs_cfx_damage(struct cfs_index *ix, cfs_index_damaged *emit, void *arg,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
