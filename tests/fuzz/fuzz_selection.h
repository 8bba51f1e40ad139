/* fuzz_selection.h - any bytes as a table: the same rows whether it comes whole
 * or in pieces, and notes that are JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_FUZZ_SELECTION_H
#define CFS_TESTS_FUZZ_SELECTION_H

#include <stdlib.h>

#include "base/hash.h"
#include "codec/json.h"
#include "index/index.h"
#include "table/selection_table.h"
#include "fuzz.h"

/* A sum of what was seen, in its order. */
struct fuzz_seen {
	struct cfs_selection_scratch scratch;
	uint64_t sum, last_line;
};

static inline void fuzz_must(bool ok)
{
	if (!ok)
		abort();
}

static inline void fuzz_add(struct fuzz_seen *s, struct cfs_slice bytes)
{
	s->sum = cfs_hash64(bytes, s->sum);
}

static inline int fuzz_on_row(void *arg,
			      const struct cfs_selection_cell *cells, size_t n,
			      uint64_t line)
{
	struct fuzz_seen *s = arg;
	struct cfs_selection_row row;
	struct cfs_slice notes;
	struct cfs_buf copy;
	struct cfs_json j = { .out = &copy, .compact = true };
	const char *why = NULL;
	int rc;

	fuzz_must(line >= s->last_line && n <= CFS_SELECTION_CELLS_MAX);
	s->last_line = line;
	for (size_t i = 0; i < n; i++) {
		fuzz_add(s, cells[i].name);
		fuzz_add(s, cells[i].value);
	}
	rc = cfs_selection_row_make(cells, n, &s->scratch, &row, &why);
	fuzz_must(rc == CFS_OK || (rc == CFS_EFORMAT && why != NULL));
	if (rc != CFS_OK)
		return CFS_OK;
	fuzz_must(row.notes.n <= CFS_NOTES_MAX && row.length > 0);
	fuzz_add(s, row.url);
	cfs_buf_init(&copy, 8 * CFS_NOTES_MAX);
	notes = row.notes;
	/* JSON, and as it is written */
	fuzz_must(notes.n == 0 ||
		  (cfs_json_copy(&j, &notes) && notes.n == 0 &&
		   cfs_slice_eq(cfs_buf_slice(&copy), row.notes)));
	cfs_buf_release(&copy);
	return CFS_OK;
}

static inline void fuzz_on_damage(void *arg, uint64_t line, const char *why)
{
	struct fuzz_seen *s = arg;

	fuzz_must(line >= s->last_line && why != NULL);
	s->last_line = line;
	fuzz_add(s, cfs_slice_str("!"));
}

static inline uint64_t fuzz_read(enum cfs_table_kind kind, struct cfs_slice in,
				 size_t piece)
{
	struct fuzz_seen s = { .sum = 0 };
	struct cfs_table_user user = { fuzz_on_row, fuzz_on_damage, &s };
	struct cfs_table *t = cfs_table_new(kind, &user);

	fuzz_must(t != NULL);
	cfs_selection_scratch_init(&s.scratch);
	for (; in.n > 0; in = cfs_slice_from(in, piece))
		fuzz_must(cfs_table_feed(t, cfs_slice_sub(in, 0, piece)) ==
			  CFS_OK);
	fuzz_must(cfs_table_end(t) == CFS_OK);
	cfs_table_free(t);
	cfs_selection_scratch_release(&s.scratch);
	return s.sum;
}

static inline int fuzz_selection(enum cfs_table_kind kind, const uint8_t *data,
				 size_t size)
{
	struct cfs_slice in = cfs_slice_of(size > 0 ? data :
					   (const uint8_t *)"", size);
	struct cfs_buf archive;

	fuzz_must(fuzz_read(kind, in, size + 1) ==
		  fuzz_read(kind, in, size / 7 + 1));
	cfs_buf_init(&archive, 4096);
	cfs_table_look(in, true, &archive);
	cfs_buf_reset(&archive);
	cfs_table_lacks(in, true, &archive);
	cfs_buf_release(&archive);
	return 0;
}

#endif
