/* extents_test.c - runs of an object, against a plain array; segments' and
 * metadata's bytes as crawlfs-cache(5) prints them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cache/extents.h"
#include "cache/segment.h"
#include "rng.h"

#define SPAN 20000u

/* The extent of each byte; 0: none. */
static uint32_t model[SPAN];

static void compare(const struct cfs_extents *x)
{
	uint64_t off = 0;
	size_t n = 0;

	for (;;) {
		const struct cfs_extent *e = cfs_extents_at(x, off);
		uint64_t stop = e ? e->off : SPAN;

		for (; off < stop; off++)
			assert_int_equal(model[off], 0);
		if (e == NULL)
			break;
		assert_true(e->n > 0);
		n++;
		for (; off < e->off + e->n; off++)
			assert_int_equal(model[off], e->rec_pos);
	}
	assert_int_equal(n, x->n);
}

static void against_an_array(void **state)
{
	struct cfs_extents x;
	uint64_t seed = 3;

	(void)state;
	for (unsigned density = 1; density <= 3; density++) {
		x = (struct cfs_extents){ 0 };
		memset(model, 0, sizeof(model));
		for (uint32_t i = 1; i < 6000; i++) {
			uint64_t off = rng_below(&seed, SPAN);
			uint32_t n = 1 + (uint32_t)rng_below(&seed, 1u << (density * 3));
			struct cfs_extent e = { .off = off, .n = n, .rec_pos = i };

			if (off + n > SPAN)
				continue;
			switch (rng_below(&seed, 4)) {
			case 0: {
				const struct cfs_extent *h = cfs_extents_at(&x, off);

				if (h == NULL)
					break;
				for (uint64_t k = h->off; k < h->off + h->n; k++)
					model[k] = 0;
				cfs_extents_remove(&x, h->off);
				break;
			}
			case 1:
				assert_int_equal(cfs_extents_split(&x, off), 0);
				break;
			default:
				assert_int_equal(cfs_extents_fill(&x, &e), 0);
				for (uint64_t k = off; k < off + n; k++)
					model[k] = model[k] ? model[k] : i;
			}
			if (i % 200 == 0)
				compare(&x);
		}
		compare(&x);
		cfs_extents_release(&x);
	}
}

static void in_order(void **state)
{
	struct cfs_extents x;

	(void)state;
	x = (struct cfs_extents){ 0 };
	assert_null(cfs_extents_at(&x, 0));
	for (uint64_t i = 0; i < 100000; i++) {
		struct cfs_extent e = { .off = i * 10, .n = 10 };

		assert_int_equal(cfs_extents_insert(&x, &e), 0);
	}
	assert_true(x.n_chunks <= 100000 / 64 + 1);
	for (uint64_t i = 0; i < 1000000; i += 7)
		assert_int_equal(cfs_extents_at(&x, i)->off, i / 10 * 10);
	assert_null(cfs_extents_at(&x, 1000000));
	cfs_extents_release(&x);
}

/* ---- bytes ------------------------------------------------------------ */

/* The example of crawlfs-cache(5). */
static const uint8_t page_meta[] = {
	0x10, 0x27, 0, 0, 0, 0, 0, 0,  0, 0x7e, 0xb8, 0x4a, 0, 0, 0, 0,
	4, 0,  11, 0,  '"', 'a', 'b', '"',
	'h', 't', 't', 'p', ':', '/', '/', 'h', '/', 'x', 'y',
};

static void page_example(void **state)
{
	struct cfs_cache_meta m;
	struct cfs_cache_id id;
	struct cfs_buf b;
	static const uint8_t url_id[CFS_SEG_ID_BYTES] = {
		0x9d, 0x3d, 0xcd, 0xa7, 0x88, 0x31, 0x1d, 0xf5,
		0xad, 0x09, 0xae, 0x15, 0x84, 0x6a, 0xc3, 0x94,
	};
	static const uint8_t data_id[CFS_SEG_ID_BYTES] = {
		0x0e, 0x78, 0x11, 0x5b, 0x7e, 0x40, 0x83, 0x56,
		0xb3, 0x63, 0xf9, 0x1e, 0x27, 0x34, 0xe2, 0x5c,
	};

	(void)state;
	assert_int_equal(cfs_cache_meta_parse(cfs_slice_of(page_meta, sizeof(page_meta)), &m), 0);
	assert_int_equal(m.size, 10000);
	assert_int_equal(m.mtime, 1253604864);
	assert_true(cfs_slice_eq(m.validator, CFS_SLICE_LIT("\"ab\"")));
	assert_true(cfs_slice_eq(m.url, CFS_SLICE_LIT("http://h/xy")));
	cfs_buf_init(&b, 1000);
	assert_int_equal(cfs_cache_meta_encode(&m, &b), 0);
	assert_int_equal(b.n, sizeof(page_meta));
	assert_memory_equal(b.p, page_meta, b.n);
	cfs_buf_release(&b);
	cfs_cache_id_of_url(m.url, &id);
	assert_memory_equal(id.b, url_id, CFS_SEG_ID_BYTES);
	cfs_cache_id_of_data(&m, &id);
	assert_memory_equal(id.b, data_id, CFS_SEG_ID_BYTES);
	for (size_t n = 0; n < sizeof(page_meta); n++) {
		uint8_t *p = malloc(n + 1);

		memcpy(p, page_meta, n);
		assert_int_equal(cfs_cache_meta_parse(cfs_slice_of(p, n), &m), CFS_EFORMAT);
		free(p);
	}
}

static int count(void *arg, struct cfs_segment *s, const struct cfs_cache_entry *e)
{
	(void)s;
	(void)e;
	++*(unsigned *)arg;
	return CFS_OK;
}

static struct cfs_segment *make(int fd, bool seal)
{
	struct cfs_segment *s;
	struct cfs_cache_entry e;
	struct cfs_cache_id id = { { 0 } };
	uint8_t data[300];

	assert_int_equal(cfs_segment_open(&s, fd, "x", true, NULL), 0);
	for (unsigned i = 0; i < 20; i++) {
		memset(data, (int)i, sizeof(data));
		id.b[0] = (uint8_t)(i * 17);
		assert_int_equal(cfs_segment_append(s, &id, i, false,
			cfs_slice_of(data, 1 + i * 13), &e, NULL), 0);
		assert_int_equal(cfs_segment_add(s, &e), 0);
	}
	if (seal)
		assert_int_equal(cfs_segment_seal(s, NULL), 0);
	return s;
}

/* Every prefix of a segment opens or is refused; what is found reads right. */
static void cut_segments(void **state)
{
	int whole = memfd_create("x", MFD_CLOEXEC);
	struct cfs_segment *s = make(dup(whole), true);
	uint8_t *p;
	struct stat st;
	unsigned n;

	(void)state;
	cfs_segment_free(s);
	assert_int_equal(fstat(whole, &st), 0);
	p = malloc((size_t)st.st_size);
	assert_int_equal(pread(whole, p, (size_t)st.st_size, 0), st.st_size);
	for (off_t k = 0; k <= st.st_size; k++) {
		int fd = memfd_create("y", MFD_CLOEXEC);
		int rc;

		assert_int_equal(write(fd, p, (size_t)k), k);
		rc = cfs_segment_open(&s, fd, "y", false, NULL);
		if (k < CFS_SEG_HEADER_BYTES) {
			assert_int_equal(rc, CFS_EFORMAT);
			continue;
		}
		assert_int_equal(rc, 0);
		assert_int_equal(s->is_sealed, k == st.st_size);
		n = 0;
		assert_int_equal(cfs_segment_find(s, NULL, count, &n), 0);
		if (k == st.st_size)
			assert_int_equal(n, 20);
		cfs_segment_free(s);
	}
	free(p);
	close(whole);
}

/* A segment goes on where another process left it. */
static void goes_on(void **state)
{
	int fd = memfd_create("x", MFD_CLOEXEC);
	struct cfs_segment *s = make(dup(fd), false);
	struct cfs_cache_entry e;
	struct cfs_segment *t;
	bool more;

	(void)state;
	assert_int_equal(cfs_segment_open(&t, dup(fd), "x", false, NULL), 0);
	assert_int_equal(t->n, 20);
	assert_int_equal(cfs_segment_append(s, &(struct cfs_cache_id){ { 7 } }, 9,
					    CFS_CACHE_META,
					    CFS_SLICE_LIT("hello"), &e, NULL), 0);
	assert_int_equal(cfs_segment_add(s, &e), 0);
	assert_int_equal(cfs_segment_catch_up(t, &more, NULL), 0);
	assert_true(more);
	assert_int_equal(t->n, 21);
	assert_int_equal(t->tail[20].kind, CFS_CACHE_META);
	assert_int_equal(cfs_segment_catch_up(t, &more, NULL), 0);
	assert_false(more);
	assert_int_equal(cfs_segment_seal(s, NULL), 0);
	assert_int_equal(cfs_segment_catch_up(t, &more, NULL), 0);
	assert_true(more && t->is_sealed && t->n == 21);
	assert_int_equal(cfs_segment_verify_index(t), 0);
	cfs_segment_free(s);
	cfs_segment_free(t);
	close(fd);
}

/* Far reads fetch ranges, and each is divided at its records from front to back
 * while others lie behind it: chunks of 64 become full all the same. */
static void divided_in_order(void **state)
{
	struct cfs_extents x = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(cfs_extents_insert(&x, &(struct cfs_extent){
			.off = i * 1000000ull, .n = 1000000 }), 0);
	for (uint64_t off = 100; off < 3000000; off += 100)
		assert_int_equal(cfs_extents_split(&x, off), 0);
	assert_int_equal(x.n, 30000);
	assert_in_range(x.n_chunks, 30000 / 64, 30000 / 64 + 5);
	cfs_extents_release(&x);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_an_array), cmocka_unit_test(in_order),
		cmocka_unit_test(page_example), cmocka_unit_test(cut_segments),
		cmocka_unit_test(goes_on), cmocka_unit_test(divided_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
