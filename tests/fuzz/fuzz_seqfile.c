/* fuzz_seqfile.c - SequenceFiles of any bytes: the walk ends, every pair lies
 * in the file, and reading it by its place gives the same pair.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "record/seqscan.h"

struct walk {
	struct cfs_slice in;
	struct cfs_seq_head head;
	uint64_t last, last_number, pairs, advanced;
};

static int on_pair(void *arg, const struct cfs_seq_item *item)
{
	struct walk *w = arg;
	struct cfs_slice key, value, inner;
	struct cfs_seq_unit u;

	if (item->span.length == 0 || item->span.offset >= w->in.n ||
	    item->span.length > w->in.n - item->span.offset)
		abort();
	if (w->pairs++ > 0 && (item->span.offset < w->last ||
	    (item->span.offset == w->last && item->span.inner_offset <= w->last_number)))
		abort();
	w->last = item->span.offset;
	w->last_number = item->span.inner_offset;
	if (w->pairs > 1000)		/* blocks of thousands take too long */
		return 1;
	cfs_seq_unit_init(&u);
	if (cfs_seq_unit_parse(&w->head, cfs_slice_sub(w->in,
			(size_t)item->span.offset, (size_t)item->span.length), &u,
			NULL) != CFS_OK ||
	    cfs_seq_unit_get(&u, item->span.inner_offset, &key, &value) != CFS_OK ||
	    !cfs_slice_eq(key, item->key) || !cfs_slice_eq(value, item->value))
		abort();
	cfs_seq_unwrap(w->head.key_class, key, &inner);
	cfs_seq_unwrap(w->head.value_class, value, &inner);
	if (cfs_seq_unit_get(&u, u.n, &key, &value) != CFS_ENOTFOUND)
		abort();
	cfs_seq_unit_release(&u);
	return 0;
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	(void)arg;
	if (what->text[0] == '\0' || what->where[0] == '\0')
		abort();
}

static void on_advance(void *arg, uint64_t bytes)
{
	((struct walk *)arg)->advanced += bytes;
}

FUZZ_TARGET(data, size)
{
	struct walk w = { .in = cfs_slice_of(size > 0 ? data :
					     (const uint8_t *)"", size) };
	struct cfs_scan_opts opts = { .damaged = on_damage,
		.advanced = on_advance, .arg = &w };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_scan_counts counts;
	struct cfs_source *src;
	int rc;

	if (cfs_source_open_memory(&src, w.in, "fuzz", NULL) != CFS_OK)
		abort();
	rc = cfs_seq_head_read(src, &w.head, CFS_CTX(NULL, NULL));
	if (cfs_seq_scan(src, &opts, on_pair, &counts, &err) != rc &&
	    w.pairs <= 1000)
		abort();
	if (w.pairs > 1000)
		goto out;
	if (counts.records != w.pairs || w.advanced > size ||
	    (rc == CFS_OK && w.advanced != size) ||
	    (rc != CFS_OK && err.text[0] == '\0'))
		abort();
out:
	cfs_source_close(src);
	return 0;
}
