/* fuzz_sizes.c - any bytes as the data of records of kept sizes.
 *
 * The bytes are batches, each behind its length in 4 bytes.  They are parsed,
 * and kept in a cache folder under checksums that are good, from which sizes
 * are then read as a mount does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_folder.h"

#include "cache/disk.h"
#include "cache/sizes.h"

#define CODE 77u
#define BATCHES_MAX 8u

static const struct cfs_sizes_id index_id = { 0x1111, 0x2222 };

/* A batch that was read is written with the same bytes. */
static void same_again(const struct cfs_sizes_batch *b, struct cfs_slice in)
{
	struct cfs_sizes_entry *v = malloc(b->n * sizeof(*v));
	struct cfs_buf out;

	must(v != NULL && b->n > 0 && b->n <= CFS_SIZES_BATCH_MAX);
	for (uint32_t i = 0; i < b->n; i++) {
		v[i] = cfs_sizes_entry_at(b, i);
		must(v[i].key <= CFS_SIZES_KEY_MAX &&
		     v[i].size <= CFS_SIZES_SIZE_MAX);
	}
	cfs_buf_init(&out, CFS_SEG_DATA_MAX);
	must(cfs_sizes_batch_encode(b->code, v, b->n, &out) == CFS_OK);
	must(cfs_slice_eq(cfs_buf_slice(&out), in));
	cfs_buf_release(&out);
	free(v);
}

/* Parses a batch in a buffer that ends where it ends. */
static bool is_batch(struct cfs_slice in, struct cfs_sizes_batch *b)
{
	uint8_t *p = malloc(in.n > 0 ? in.n : 1);
	bool ok;

	must(p != NULL);
	if (in.n > 0)
		memcpy(p, in.p, in.n);
	ok = cfs_sizes_batch_parse(cfs_slice_of(p, in.n), b) == CFS_OK;
	if (ok)
		same_again(b, in);
	free(p);
	b->entries = cfs_slice_from(in, ok ? CFS_SIZES_HEADER_BYTES : in.n);
	return ok;
}

/* The size of a key as the batches say: that of the last one that counts. */
static bool said(const struct cfs_sizes_batch *v, unsigned n, uint64_t key,
		 uint64_t *size)
{
	bool found = false;

	for (unsigned k = 0; k < n; k++)
		for (uint32_t i = 0; i < v[k].n; i++) {
			struct cfs_sizes_entry e = cfs_sizes_entry_at(&v[k], i);

			if (e.key != key ||
			    (v[k].code != CODE && !e.holds_for_any_code))
				continue;
			*size = e.size;
			found = true;
		}
	return found;
}

static void compare(struct cfs_sizes *s, const struct cfs_sizes_batch *v,
		    unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		for (uint32_t i = 0; i < v[k].n && i < 64; i++) {
			uint64_t key = cfs_sizes_entry_at(&v[k], i).key;
			uint64_t want = 0, got = 0;

			must(said(v, n, key, &want) ==
			     cfs_sizes_get(s, key, &got));
			must(want == got);
		}
}

FUZZ_TARGET(data, size)
{
	struct cfs_cursor c = { { data, size }, false };
	struct cfs_sizes_batch v[BATCHES_MAX];
	struct cfs_cache_id id;
	struct cfs_sizes *s;
	struct cfs_disk *d;
	uint64_t deleted, in_use, when = cfs_segment_now_ns();
	unsigned n = 0;

	cfs_cache_id_of_sizes(&index_id, &id);
	must(cfs_disk_open(&d, fuzz_path("cache"), CFS_DISK_BYTES_MIN,
			   NULL) == CFS_OK);
	while (c.rest.n > 4 && n < BATCHES_MAX) {
		size_t most = cfs_cursor_le32(&c);
		struct cfs_slice in;

		most = most < CFS_SEG_DATA_MAX ? most : CFS_SEG_DATA_MAX;
		in = cfs_cursor_take(&c, most < c.rest.n ? most : c.rest.n);
		n += is_batch(in, &v[n]);
		if (in.n > 0)
			must(cfs_disk_put_sizes(d, &id, ++when, in) == CFS_OK);
	}
	must(cfs_sizes_open(&s, d, &index_id, CODE, NULL) == CFS_OK);
	compare(s, v, n);
	cfs_sizes_close(s);
	must(cfs_disk_clear(d, &deleted, &in_use, NULL) == CFS_OK);
	must(in_use == 0);
	cfs_disk_close(d);
	return 0;
}
