/* cfx_damage.c - reads the table of damage in a crawlfs index (layout:
 * cfx_damage.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_damage.h"

#include "base/hash.h"
#include "cfx_block.h"

void cfs_cfx_damage_decode(const uint8_t *header, struct cfs_cfx_header *out)
{
	const uint8_t *p = header + CFS_CFX_OFF_DAMAGE;

	out->damage = (struct cfs_cfx_damage_at){
		cfs_le64_get(p), cfs_le64_get(p + 8), cfs_le64_get(p + 16) };
}

bool cfs_cfx_damage_fits(const struct cfs_cfx_header *h)
{
	return h->damage.bytes <= CFS_CFX_DAMAGE_TABLE_MAX &&
	       h->damage.file_off <= h->file_bytes &&
	       h->damage.bytes <= h->file_bytes - h->damage.file_off;
}

int cfs_cfx_damage_read(struct cfs_index *ix, struct cfs_buf *out,
			struct cfs_ctx ctx)
{
	const struct cfs_cfx_damage_at *at =
		&((const struct cfs_cfx *)ix)->head.damage;
	size_t n = (size_t)at->bytes;
	int rc;

	if (n == 0)
		return CFS_OK;
	if (cfs_buf_reserve(out, n) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read(ix->src, out->p + out->n, n, at->file_off, ctx);
	if (rc == CFS_OK && cfs_hash64(cfs_slice_of(out->p + out->n, n),
				       CFS_CFX_DAMAGE_SEED) != at->checksum)
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, ix->src->name,
				  at->file_off,
				  "table of damage is damaged (checksum)");
	if (rc == CFS_OK)
		out->n += n;
	return rc;
}

/* True if a report is as cfx_damage.h describes it.  Since each lists at least
 * one place, the table's limits hold. */
static bool is_report(struct cfs_slice report)
{
	struct cfs_cursor c = { report, false };
	uint64_t all = cfs_cursor_varint(&c), listed = cfs_cursor_varint(&c);

	if (listed == 0 || listed > CFS_CFX_DAMAGE_PLACES || all < listed)
		return false;
	for (uint64_t i = 0; i < listed; i++) {
		cfs_cursor_varint(&c);
		cfs_cursor_take(&c, (size_t)cfs_cursor_varint(&c));
	}
	return !c.bad && c.rest.n == 0;
}

bool cfs_cfx_damage_next(struct cfs_cursor *c, uint32_t n_archives,
			 uint32_t *archive, struct cfs_slice *report)
{
	uint64_t number;

	if (c->bad || c->rest.n == 0)
		return false;
	number = cfs_cursor_varint(c);
	*archive = (uint32_t)number;
	*report = cfs_cursor_take(c, (size_t)cfs_cursor_varint(c));
	c->bad |= number >= n_archives || report->n > CFS_CFX_DAMAGE_BYTES ||
		  !is_report(*report);
	return !c->bad;
}

/* Emits each place of a report, and how many more there are. */
static void emit_report(struct cfs_slice archive, struct cfs_slice report,
			cfs_index_damaged *emit, void *arg)
{
	struct cfs_cursor c = { report, false };
	uint64_t all = cfs_cursor_varint(&c), listed = cfs_cursor_varint(&c);
	struct cfs_index_damage d = { .archive = archive, .count = 1 };

	for (uint64_t i = 0; i < listed; i++) {
		d.offset = cfs_cursor_varint(&c);
		d.is_of_list = d.offset == CFS_DAMAGE_OF_LIST;
		d.offset = d.is_of_list ? 0 : d.offset;
		d.what = cfs_cursor_take(&c, (size_t)cfs_cursor_varint(&c));
		emit(arg, &d);
	}
	d.count = all - listed;
	d.what = CFS_SLICE_LIT("more is damaged behind it");
	if (d.count > 0)
		emit(arg, &d);
}

int cfs_cfx_damage(struct cfs_index *ix, cfs_index_damaged *emit, void *arg,
		   struct cfs_ctx ctx)
{
	struct cfs_cursor c = { CFS_SLICE_EMPTY, false };
	struct cfs_slice report;
	CFS_BUF(table, CFS_CFX_DAMAGE_TABLE_MAX);
	uint32_t archive;
	int rc = cfs_cfx_damage_read(ix, &table, ctx);

	c.rest = cfs_buf_slice(&table);
	while (rc == CFS_OK &&
	       cfs_cfx_damage_next(&c, ix->archives, &archive, &report)) {
		const struct cfs_cfx *x = (const struct cfs_cfx *)ix;
		const uint8_t *name = x->archives[archive] + CFS_CFX_ROW_BYTES;

		emit_report(cfs_slice_str((const char *)name), report, emit,
			    arg);
	}
	if (rc == CFS_OK && c.bad)
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, ix->src->name,
				  CFS_CFX_OFF_DAMAGE,
				  "table of damage is damaged");
	return rc;
}
