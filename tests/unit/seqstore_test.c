/* seqstore_test.c - pairs by their place: right, wrong and without memory.
 *
 * The files are those of fuzz_seqfile, which a script wrote from the format's
 * description: pair i is http://a.org/<i> and "text <i>", i times.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"
#include "alloc_fail.h"

#include "record/seqscan.h"
#include "record/seqstore.h"

#define PAIRS 5u

static const char *const names[] = { "record-None", "record-DefaultCodec",
	"record-GzipCodec", "block-DefaultCodec", "block-GzipCodec" };

static const char corpus[] = CFS_TOP_SRCDIR "/tests/fuzz/corpus/seqfile";

struct places {
	struct cfs_span v[PAIRS];
	unsigned n;
};

static int on_pair(void *arg, const struct cfs_seq_item *i)
{
	struct places *p = arg;

	assert_true(p->n < PAIRS);
	p->v[p->n++] = i->span;
	return CFS_OK;
}

static int find_places(const char *name, struct places *p)
{
	struct cfs_scan_opts o = { .arg = p };
	struct cfs_source *src;
	char path[512];
	int rc;

	snprintf(path, sizeof(path), "%s/%s", corpus, name);
	p->n = 0;
	rc = cfs_source_open_file(&src, path, NULL);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_seq_scan(src, &o, on_pair, NULL, NULL);
	cfs_source_close(src);
	return rc;
}

static int get_pair(struct cfs_seqstore *s, const char *name,
		    const struct cfs_span *loc, unsigned i)
{
	struct cfs_pinned_unit *u = NULL;
	struct cfs_slice key, value;
	struct cfs_buf want;
	int rc = cfs_seqstore_get(s, cfs_slice_str(name), loc, &u, &key, &value,
				  CFS_CTX(NULL, NULL));
	long left = countdown;

	if (rc != CFS_OK) {
		assert_null(u);
		return rc;
	}
	countdown = -1;
	cfs_buf_init(&want, 1 << 16);
	cfs_buf_addf(&want, "http://a.org/%u", i);
	assert_slice(key, cfs_buf_str(&want));
	cfs_buf_reset(&want);
	for (unsigned k = 0; k < i; k++)
		cfs_buf_addf(&want, "text %u", i);
	assert_slice_n(value, want.p != NULL ? (const char *)want.p : "", want.n);
	cfs_buf_release(&want);
	cfs_pinned_unit_put(u);
	countdown = left;
	return rc;
}

static int open_stores(struct cfs_store **files, struct cfs_seqstore **s)
{
	static const char *const bases[] = { corpus };
	struct cfs_store_opts o = { .bases = bases, .n_bases = 1 };
	int rc = cfs_store_new(files, &o, NULL);

	*s = NULL;
	return rc == CFS_OK ? cfs_seqstore_new(s, *files, 1 << 20, NULL, NULL) :
				    rc;
}

static void by_place(void **state)
{
	struct cfs_store *files;
	struct cfs_seqstore *s;
	struct places p;

	(void)state;
	assert_int_equal(open_stores(&files, &s), CFS_OK);
	for (unsigned f = 0; f < 5; f++) {
		assert_int_equal(find_places(names[f], &p), CFS_OK);
		assert_int_equal(p.n, PAIRS);
		for (unsigned i = PAIRS; i-- > 0;)
			assert_int_equal(get_pair(s, names[f], &p.v[i], i), CFS_OK);
	}
	cfs_seqstore_free(s);
	cfs_store_free(files);
}

/* Any other place is refused, never answered with other bytes. */
static void wrong_places(void **state)
{
	struct cfs_store *files;
	struct cfs_seqstore *s;
	struct places p;

	(void)state;
	assert_int_equal(open_stores(&files, &s), CFS_OK);
	for (unsigned f = 0; f < 5; f++) {
		assert_int_equal(find_places(names[f], &p), CFS_OK);
		for (int d = -30; d <= 30; d++) {
			struct cfs_span a = p.v[2], b = a, c = a;
			struct cfs_slice k, v;
			struct cfs_pinned_unit *u;

			if (d == 0)
				continue;
			a.offset += (uint64_t)(int64_t)d;
			b.length += (uint64_t)(int64_t)d;
			c.inner_offset += 1000 + (uint64_t)(d + 30);
			assert_int_not_equal(cfs_seqstore_get(s,
				cfs_slice_str(names[f]), &a, &u, &k, &v, CFS_CTX(NULL, NULL)), CFS_OK);
			assert_int_not_equal(cfs_seqstore_get(s,
				cfs_slice_str(names[f]), &b, &u, &k, &v, CFS_CTX(NULL, NULL)), CFS_OK);
			assert_int_equal(cfs_seqstore_get(s,
				cfs_slice_str(names[f]), &c, &u, &k, &v, CFS_CTX(NULL, NULL)), CFS_EFORMAT);
		}
		assert_int_equal(get_pair(s, names[f], &p.v[2], 2), CFS_OK);
	}
	assert_int_equal(get_pair(s, "../seqfile/record-None", &p.v[2], 2),
			 CFS_EFORMAT);
	assert_int_equal(get_pair(s, "nothing", &p.v[2], 2), CFS_ENOTFOUND);
	cfs_seqstore_free(s);
	cfs_store_free(files);
}

static int all_of(const char *name)
{
	struct cfs_seqstore *s = NULL;
	struct cfs_store *files = NULL;
	struct places p;
	int rc = find_places(name, &p);

	if (rc == CFS_OK)
		rc = open_stores(&files, &s);
	for (unsigned i = 0; i < PAIRS && rc == CFS_OK; i++)
		rc = get_pair(s, name, &p.v[i], i);
	cfs_seqstore_free(s);
	cfs_store_free(files);
	return rc;
}

static void out_of_memory(void **state)
{
	(void)state;
	for (unsigned f = 0; f < 5; f++) {
		unsigned failed = 0;
		bool reached = true;

		for (long i = 0; reached; i++) {
			int rc;

			countdown = i;
			rc = all_of(names[f]);
			reached = countdown < 0;
			countdown = -1;
			/* zlib goes on where libdeflate has no memory */
			assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
			failed += rc != CFS_OK;
		}
		assert_true(failed > 8);
	}
}

UNIT_PROGRAM
{
	UNIT_TEST(by_place);
	UNIT_TEST(wrong_places);
	UNIT_TEST(out_of_memory);
	return unit_run("seqstore");
}
