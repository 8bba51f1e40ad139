/* range_test.c - records by places with which an index is wrong, or their own
 * headers are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <unistd.h>

#include "codec/gzip.h"
#include "record/store.h"

static char folder[] = "/tmp/cfs-range-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void range_path(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", folder, name);
}

static void write_file(const char *name, const void *p, size_t n)
{
	char path[256];
	FILE *f;

	range_path(name, path);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void remove_file(const char *name)
{
	char path[256];

	range_path(name, path);
	assert_int_equal(unlink(path), 0);
}

static struct cfs_store *range_store(void)
{
	const char *const bases[] = { folder };
	const struct cfs_store_opts opts = { .bases = bases, .n_bases = 1 };
	struct cfs_store *s;

	assert_int_equal(cfs_store_new(&s, &opts, NULL), CFS_OK);
	return s;
}

static int range_get(struct cfs_store *s, const char *name,
		     const struct cfs_span *span, struct cfs_stored **out,
		     struct cfs_error *err)
{
	return cfs_store_get(s, cfs_slice_str(name), span, out,
			     CFS_CTX(NULL, err));
}

/* A record of two members, or of none, and another one behind it.  The index may
 * say less than it has, but no less of it is served. */
static void range_too_short(void **state)
{
	static const char one[] = "http://a.org/0 1.2.3.4 20080509130938 "
				  "text/plain 10\nsome bytes\n";
	static const char other[] = "http://a.org/1 1.2.3.4 20080509130938 "
				    "text/plain 5\nbytes\n";
	const size_t half = sizeof(one) - 8;
	struct cfs_span span = { .length = half };
	struct cfs_store *s = range_store();
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_stored *got;
	CFS_BUF(b, 1 << 12);

	(void)state;
	cfs_buf_adds(&b, one);
	cfs_buf_adds(&b, other);
	write_file("short.arc", b.p, b.n);
	assert_int_equal(range_get(s, "short.arc", &span, &got, &err), CFS_EFORMAT);
	assert_non_null(strstr(err.text, "longer than the index says"));

	cfs_buf_reset(&b);
	cfs_gz_compress(cfs_slice_of(one, half), &b, NULL);
	span.length = b.n;
	cfs_gz_compress(cfs_slice_str(one + half), &b, NULL);
	cfs_gz_compress(cfs_slice_str(other), &b, NULL);
	write_file("short.arc.gz", b.p, b.n);
	assert_int_equal(range_get(s, "short.arc.gz", &span, &got, NULL),
			 CFS_EFORMAT);
	span.length = 0;	/* both members, where no length is known */
	assert_int_equal(range_get(s, "short.arc.gz", &span, &got, NULL), CFS_OK);
	assert_slice(cfs_stored_record(got)->body, "some bytes");
	cfs_stored_put(got);
	cfs_store_free(s);
	remove_file("short.arc");
	remove_file("short.arc.gz");
}

/* A record that declares too much, before another one, is what is there. */
static void declares_too_much(void **state)
{
	static const char one[] = "http://a.org/0 1.2.3.4 20080509130938 "
				  "text/plain 99\nsome bytes\n";
	struct cfs_span span = { .length = sizeof(one) - 1 };
	struct cfs_store *s = range_store();
	struct cfs_stored *got;
	CFS_BUF(b, 1 << 12);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		cfs_buf_adds(&b, one);
	write_file("much.arc", b.p, b.n);
	assert_int_equal(range_get(s, "much.arc", &span, &got, NULL), CFS_OK);
	assert_slice(cfs_stored_record(got)->body, "some bytes");
	cfs_stored_put(got);

	cfs_buf_reset(&b);
	cfs_gz_compress(cfs_slice_str(one), &b, NULL);
	span.length = b.n;
	cfs_gz_compress(cfs_slice_str(one), &b, NULL);
	write_file("much.arc.gz", b.p, b.n);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(range_get(s, "much.arc.gz", &span, &got, NULL),
				 CFS_OK);
		assert_slice(cfs_stored_record(got)->body, "some bytes");
		cfs_stored_put(got);
		span.length = 0;
	}
	cfs_store_free(s);
	remove_file("much.arc");
	remove_file("much.arc.gz");
}

UNIT_PROGRAM
{
	UNIT_TEST(range_too_short);
	UNIT_TEST(declares_too_much);
	return unit_run_with("range", setup, teardown);
}
