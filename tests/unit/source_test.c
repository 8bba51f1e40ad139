/* source_test.c - sources, and the one that fails on purpose.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <fcntl.h>

#include "fault.h"
#include "net/open_location.h"

#define LEN 1000u

static uint8_t bytes[LEN];

static struct cfs_source *memory(void)
{
	struct cfs_source *src;

	for (unsigned i = 0; i < LEN; i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	assert_int_equal(cfs_source_open_memory(&src, cfs_slice_of(bytes, LEN),
						"buffer", NULL), CFS_OK);
	return src;
}

static struct cfs_source *faulty(const struct cfs_fault *plan)
{
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_fault(&src, memory(), plan, NULL),
			 CFS_OK);
	return src;
}

/* The contract of every source, which has LEN bytes. */
static void check_contract(struct cfs_source *src)
{
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t got[LEN + 10];
	size_t n;

	assert_int_equal(src->size, LEN);
	for (uint64_t off = 0; off <= LEN; off += 125) {
		memset(got, 0, sizeof(got));
		assert_int_equal(cfs_source_read(src, got, LEN - off, off,
						 CFS_CTX(NULL, &err)), CFS_OK);
		assert_memory_equal(got, bytes + off, LEN - off);
		assert_int_equal(cfs_source_read_some(src, got, LEN, off, &n,
						      CFS_CTX(NULL, &err)), CFS_OK);
		assert_int_equal(n, LEN - off);
	}
	assert_int_equal(cfs_source_read(src, got, 1, LEN - 1,
					 CFS_CTX(NULL, &err)),
			 CFS_OK);
	assert_int_equal(cfs_source_read(src, got, 0, LEN,
					 CFS_CTX(NULL, &err)), CFS_OK);
	assert_int_equal(cfs_source_read(src, got, 2, LEN - 1,
					 CFS_CTX(NULL, &err)),
			 CFS_EFORMAT);
	assert_int_equal(err.offset, LEN - 1);
	assert_string_equal(err.where, src->name);
	cfs_error_clear(&err);
	assert_int_equal(cfs_source_read(src, got, 1, UINT64_MAX,
					 CFS_CTX(NULL, &err)),
			 CFS_EFORMAT);
	assert_int_equal(cfs_source_read_some(src, got, 1, UINT64_MAX, &n,
					      CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(n, 0);
}

static void memory_source(void **state)
{
	struct cfs_source *src = memory();

	(void)state;
	check_contract(src);
	cfs_source_close(src);
}

static void file_source(void **state)
{
	char path[] = "/tmp/crawlfs-source-XXXXXX";
	int fd = mkstemp(path);
	struct cfs_source *src;
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t b;

	(void)state;
	cfs_source_close(memory());
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, LEN), LEN);
	assert_int_equal(cfs_source_open_file(&src, path, &err), CFS_OK);
	check_contract(src);

	/* a file that shrinks gives an error, never a signal */
	assert_int_equal(ftruncate(fd, 10), 0);
	assert_int_equal(cfs_source_read(src, &b, 1, 9,
					 CFS_CTX(NULL, &err)), CFS_OK);
	assert_int_equal(cfs_source_read(src, &b, 1, 10, CFS_CTX(NULL, &err)),
			 CFS_EFORMAT);
	cfs_source_close(src);
	close(fd);
	unlink(path);
	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_ENOTFOUND);
	assert_int_equal(cfs_source_open_file(&src, "/tmp", NULL),
			 CFS_EUNSUPPORTED);
	assert_null(src);
}

/* A read that must not wait says so if it would have to: it depends on the file
 * system whether the page cache has the bytes, and tells. */
static void without_waiting(void **state)
{
	char path[] = "/tmp/crawlfs-source-XXXXXX";
	_Atomic bool would_wait;
	struct cfs_cancel c = { .would_wait = &would_wait };
	int fd = mkstemp(path);
	struct cfs_source *src;
	uint8_t b[LEN];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, LEN), LEN);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_OK);
	for (int i = 0; i < 2; i++) {
		int rc;

		if (i == 0)
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		else
			assert_int_equal(cfs_source_read(src, b, LEN, 0,
					CFS_CTX(NULL, NULL)), CFS_OK);
		would_wait = false;
		memset(b, 0, LEN);
		rc = cfs_source_read(src, b, LEN, 0, CFS_CTX(&c, NULL));
		assert_int_equal(rc, would_wait ? CFS_EINTR : CFS_OK);
		assert_true(would_wait || memcmp(b, bytes, LEN) == 0);
	}
	cfs_source_close(src);
	close(fd);
	unlink(path);
}

static void two_owners(void **state)
{
	struct cfs_source *src = memory();
	uint8_t b;

	(void)state;
	assert_ptr_equal(cfs_source_ref(src), src);
	cfs_source_close(src);
	assert_int_equal(cfs_source_read(src, &b, 1, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	cfs_source_close(src);
	cfs_source_close(NULL);
}

static void no_fault(void **state)
{
	struct cfs_source *src = faulty(NULL);

	(void)state;
	check_contract(src);
	cfs_source_close(src);
}

static void short_reads(void **state)
{
	struct cfs_source *src = faulty(&(struct cfs_fault){ .max_read = 3 });
	uint64_t before;
	uint8_t got[10];

	(void)state;
	check_contract(src);
	before = cfs_source_fault_reads(src);
	assert_int_equal(cfs_source_read(src, got, 10, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_source_fault_reads(src) - before, 4);
	cfs_source_close(src);
}

static void fails_at_byte(void **state)
{
	struct cfs_source *src = faulty(&(struct cfs_fault){
		.fail_byte_set = true, .fail_byte = 500 });
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t got[LEN];

	(void)state;
	assert_int_equal(cfs_source_read(src, got, 500, 0,
					 CFS_CTX(NULL, &err)), CFS_OK);
	assert_memory_equal(got, bytes, 500);
	assert_int_equal(cfs_source_read(src, got, 501, 0, CFS_CTX(NULL, &err)),
			 CFS_EIO);
	assert_int_equal(err.offset, 500);
	assert_string_equal(err.where, "buffer");
	assert_int_equal(cfs_source_read(src, got, 1, 500, CFS_CTX(NULL, NULL)),
			 CFS_EIO);
	assert_int_equal(cfs_source_read(src, got, 1, 499,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	cfs_source_close(src);
}

static void fails_once(void **state)
{
	struct cfs_source *src = faulty(&(struct cfs_fault){
		.fail_read = 2, .code = CFS_ETIMEOUT });
	uint8_t b;

	(void)state;
	assert_int_equal(cfs_source_read(src, &b, 1, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_source_read(src, &b, 1, 0, CFS_CTX(NULL, NULL)),
			 CFS_ETIMEOUT);
	assert_int_equal(cfs_source_read(src, &b, 1, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_source_fault_bytes(src), 3);
	cfs_source_close(src);
}

static void size_changes(void **state)
{
	struct cfs_source *src = faulty(NULL);
	struct cfs_fault *plan = cfs_source_fault_plan(src);
	uint8_t got[LEN];
	size_t n;

	(void)state;
	plan->size_set = true;
	plan->size = 100;
	assert_int_equal(cfs_source_read(src, got, 100, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_source_read(src, got, 101, 0, CFS_CTX(NULL, NULL)),
			 CFS_EFORMAT);
	assert_int_equal(cfs_source_read_some(src, got, LEN, 50, &n,
					      CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(n, 50);
	plan->size = LEN * 2;		/* grown: what was opened is still it */
	assert_int_equal(cfs_source_read(src, got, LEN, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_memory_equal(got, bytes, LEN);
	assert_int_equal(cfs_source_read(src, got, 1, LEN, CFS_CTX(NULL, NULL)),
			 CFS_EFORMAT);
	cfs_source_close(src);
}

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static void cancelled(void **state)
{
	struct cfs_cancel cancel = { .asked = yes };
	struct cfs_source *src = memory();
	uint8_t b;

	(void)state;
	assert_int_equal(cfs_source_read(src, &b, 1, 0, CFS_CTX(&cancel, NULL)),
			 CFS_EINTR);
	cfs_source_close(src);
}

static void urls(void **state)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;

	(void)state;
	assert_int_equal(cfs_location_open(&src, "gopher://example.com/x", &err),
			 CFS_EUNSUPPORTED);
	assert_null(src);
	assert_true(err.text[0] != '\0');
	/* opening asks nobody */
	assert_int_equal(cfs_location_open(&src, "HTTPS://u:p@Example.com:443/x",
					 NULL), CFS_OK);
	assert_string_equal(src->url, "https://example.com/x");
	assert_string_equal(src->name, "https://example.com/x");
	assert_true(src->size == CFS_SIZE_UNKNOWN);
	cfs_source_close(src);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_source),
		cmocka_unit_test(file_source),
		cmocka_unit_test(without_waiting),
		cmocka_unit_test(two_owners),
		cmocka_unit_test(no_fault),
		cmocka_unit_test(short_reads),
		cmocka_unit_test(fails_at_byte),
		cmocka_unit_test(fails_once),
		cmocka_unit_test(size_changes),
		cmocka_unit_test(cancelled),
		cmocka_unit_test(urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
