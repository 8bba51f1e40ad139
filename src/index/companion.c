/* companion.c - encodes and decodes places of records, and companions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "companion.h"

size_t cfs_companion_put_place(const struct cfs_span *loc, uint8_t *p)
{
	size_t n = cfs_varint_put(p, loc->file[0]);

	n += cfs_varint_put(p + n, loc->offset);
	n += cfs_varint_put(p + n, loc->length);
	n += cfs_varint_put(p + n, loc->inner_offset);
	return n + cfs_varint_put(p + n, loc->inner_length);
}

size_t cfs_companion_put(const struct cfs_companion *s, uint8_t *p)
{
	size_t n = cfs_varint_put(p, s->kind);

	n += cfs_companion_put_place(&s->loc, p + n);
	return n + cfs_varint_put(p + n, s->bytes);
}

void cfs_companion_take_place(struct cfs_span *loc, struct cfs_cursor *c)
{
	loc->file[0] = cfs_cursor_varint(c);
	loc->offset = cfs_cursor_varint(c);
	loc->length = cfs_cursor_varint(c);
	loc->inner_offset = cfs_cursor_varint(c);
	loc->inner_length = cfs_cursor_varint(c);
}

bool cfs_companion_take(struct cfs_companion *s, struct cfs_cursor *c)
{
	uint64_t kind = cfs_cursor_varint(c);
	bool is_known = kind <= CFS_COMPANION_WARC;

	s->kind = is_known ? (enum cfs_companion_kind)kind :
			     CFS_COMPANION_NONE;
	cfs_companion_take_place(&s->loc, c);
	s->bytes = cfs_cursor_varint(c);
	return is_known;
}
