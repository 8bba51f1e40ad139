/* stretch.c - reads one stretch of a text file, and over its end by a line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "stretch.h"

#include <stdlib.h>

#include "cdx_line.h"

/* Reads on until the line that begins in the stretch ends. got: bytes there
 * are; on return out->n is where the lines end. */
static int read_over(struct cfs_source *src, uint64_t start, size_t inside,
		     size_t got, struct cfs_stretch *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	size_t seen = inside, cap = got, more;
	const uint8_t *end;
	uint8_t *p;
	int rc;

	for (;;) {
		end = memchr(out->bytes + seen, '\n', got - seen);
		if (end != NULL) {
			out->n = (size_t)(end - out->bytes) + 1;
			return CFS_OK;
		}
		seen = got;
		if (start + got >= src->size) {
			out->n = got;
			return CFS_OK;
		}
		if (got - inside > CFS_CDX_LINE_MAX)
			break;
		cap = 2 * got;
		p = realloc(out->bytes, cap);
		if (p == NULL)
			return cfs_error_nomem(err);
		out->bytes = p;
		rc = cfs_source_read_some(src, p + got, cap - got, start + got,
					  &more, cancel, err);
		if (rc != CFS_OK)
			return rc;
		if (more == 0)
			return cfs_error_at(err, CFS_EIO, src->name,
					    start + got, "ends too early");
		got += more;
	}
	out->cut = true;
	end = memrchr(out->bytes, '\n', inside);
	out->n = end == NULL ? 0 : (size_t)(end - out->bytes) + 1;
	return CFS_OK;
}

int cfs_stretch_read(struct cfs_source *src, uint64_t number,
		     struct cfs_stretch *out, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	uint64_t start = number * CFS_STRETCH_BYTES, left = src->size - start;
	size_t inside = left < CFS_STRETCH_BYTES ? (size_t)left :
						   CFS_STRETCH_BYTES;
	size_t want = left < CFS_STRETCH_READ_BYTES ? (size_t)left :
						      CFS_STRETCH_READ_BYTES;
	const uint8_t *first;
	int rc;

	*out = (struct cfs_stretch){ .file_off = start };
	out->bytes = malloc(want + 1);
	if (out->bytes == NULL)
		return cfs_error_nomem(err);
	rc = cfs_source_read(src, out->bytes, want, start, cancel, err);
	if (rc != CFS_OK)
		return rc;
	if (number > 0) {
		first = memchr(out->bytes, '\n', inside);
		if (first == NULL)
			return CFS_OK;		/* n is 0 */
		out->from = (size_t)(first - out->bytes) + 1;
	}
	rc = read_over(src, start, inside, want, out, cancel, err);
	if (rc != CFS_OK)
		return rc;
	out->n = out->n > out->from ? out->n - out->from : 0;
	out->file_off = start + out->from;
	return CFS_OK;
}
