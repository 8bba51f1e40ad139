/* indexer_parts.c - cuts the inputs of an index into parts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_parts.h"

#include <stdlib.h>

#include "record/scan.h"

/* Stretches are not made shorter than this: finding a cut takes about as long as
 * scanning some hundred KiB. */
#define PART_MIN ((uint64_t)1 << 20)

static int larger_first(const void *a, const void *b)
{
	const struct cfs_indexer_part *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Cuts a file into `want` stretches, or as many as can be. */
static size_t cut_file(const struct cfs_indexer_file *f, uint32_t number,
		       size_t want, struct cfs_indexer_part *out,
		       const struct cfs_cancel *cancel)
{
	struct cfs_source *src = NULL;
	uint64_t from = 0, at;
	size_t n = 0;

	if (want > 1 && cfs_source_open_file(&src, f->path, NULL) == CFS_OK) {
		for (size_t i = 1; i < want; i++) {
			uint64_t goal = f->size / want * i;

			if (goal <= from ||
			    cfs_scan_split(src, goal, &at, cancel, NULL) !=
			    CFS_OK || at >= f->size)
				break;
			out[n++] = (struct cfs_indexer_part){ number, from, at,
							      at - from };
			from = at;
		}
	}
	out[n++] = (struct cfs_indexer_part){ number, from,
					      from > 0 ? f->size : 0,
					      f->size - from };
	cfs_source_close(src);
	return n;
}

/* Few large files would leave threads idle at the end; many small ones are a
 * part each. */
int cfs_indexer_cut(const struct cfs_indexer_files *files, unsigned threads,
		    bool may_cut, struct cfs_indexer_part **out, size_t *n,
		    const struct cfs_cancel *cancel, struct cfs_error *err)
{
	size_t max = files->n + (size_t)threads * 4 + 1;
	uint64_t bytes = 0, goal;

	for (size_t i = 0; i < files->n; i++)
		bytes += files->v[i].size;
	goal = bytes / (threads * 4) + 1;
	if (goal < PART_MIN)
		goal = PART_MIN;
	*n = 0;
	*out = reallocarray(NULL, max, sizeof(**out));
	if (*out == NULL)
		return cfs_error_nomem(err);
	for (uint32_t i = 0; i < files->n; i++) {
		const struct cfs_indexer_file *f = &files->v[i];
		bool may = may_cut && threads > 1 &&
			   f->role == CFS_FILE_ARCHIVE && !f->is_remote;
		uint64_t want = may ? f->size / goal : 1;

		*n += cut_file(f, i, want > 0 ? (size_t)want : 1, *out + *n,
			       cancel);
	}
	qsort(*out, *n, sizeof(**out), larger_first);
	return CFS_OK;
}
