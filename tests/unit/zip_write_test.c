/* zip_write_test.c - ZIP files that are written, read again by zip.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>

#include "source/zip.h"
#include "source/zip_write.h"

#define TIME 1700000000		/* 2023-11-14, 22:13:20 */

/* Writes three members from offset `at` on: an empty one, a short one, and one
 * in pieces that exceed the writer's memory. */
static uint64_t zip_write_three(int fd, const char *path, uint64_t at)
{
	static uint8_t piece[300000];
	struct cfs_zip_writer *w;
	uint64_t bytes;

	memset(piece, 'x', sizeof(piece));
	assert_int_equal(cfs_zip_writer_new(&w, fd, path, at, TIME, NULL), 0);
	assert_int_equal(cfs_zip_writer_begin(w, "empty", NULL), 0);
	assert_int_equal(cfs_zip_writer_end(w, NULL), 0);
	assert_int_equal(cfs_zip_writer_begin(w, "a/short", NULL), 0);
	assert_int_equal(cfs_zip_writer_add(w, CFS_SLICE_LIT("short"), NULL), 0);
	assert_int_equal(cfs_zip_writer_end(w, NULL), 0);
	assert_int_equal(cfs_zip_writer_begin(w, "long", NULL), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(cfs_zip_writer_add(w, cfs_slice_of(piece,
				 sizeof(piece)), NULL), 0);
	assert_int_equal(cfs_zip_writer_end(w, NULL), 0);
	assert_int_equal(cfs_zip_writer_finish(w, &bytes, NULL), 0);
	cfs_zip_writer_free(w);
	return bytes;
}

/* Finds a member by zip.h; the local header is read, too. */
static struct cfs_zip_place zip_write_find(struct cfs_zip *z, const char *name)
{
	const struct cfs_zip_member *m = cfs_zip_find(z, cfs_slice_str(name));
	struct cfs_zip_place place;

	assert_non_null(m);
	assert_true(m->has_extra);
	assert_int_equal(m->method, CFS_ZIP_STORED);
	assert_int_equal(cfs_zip_locate(z, m, &place, CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(place.size, place.stored);
	return place;
}

static void check_three(const char *path, uint64_t at, uint64_t bytes)
{
	struct cfs_zip_place place;
	struct cfs_source *src;
	struct cfs_zip z;
	char text[5];

	assert_int_equal(cfs_source_open_file(&src, path, NULL), 0);
	assert_int_equal(src->size, bytes);
	assert_int_equal(cfs_zip_open(&z, src, CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(z.n, 3);
	assert_int_equal(zip_write_find(&z, "empty").size, 0);
	place = zip_write_find(&z, "a/short");
	assert_int_equal(place.size, 5);
	assert_true(place.offset > at);
	assert_int_equal(place.crc, 0x8f2890a2);	/* zlib.crc32(b"short") */
	assert_int_equal(cfs_source_read(src, text, 5, place.offset,
					 CFS_CTX(NULL, NULL)), 0);
	assert_memory_equal(text, "short", 5);
	assert_int_equal(zip_write_find(&z, "long").size, 3000000);
	cfs_zip_close(&z);
	cfs_source_close(src);
}

/* At 0, and where offsets take more than 32 bits. */
static void three_members(void **state)
{
	static const uint64_t places[] = { 0, 1, UINT64_C(5) << 30 };

	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		char path[] = "/tmp/zip-write-XXXXXX";
		int fd = mkstemp(path);
		uint64_t bytes;

		assert_true(fd >= 0);
		bytes = zip_write_three(fd, path, places[i]);
		check_three(path, places[i], bytes);
		close(fd);
		unlink(path);
	}
}

/* Bytes that are there already become a member; header, hash and time. */
static void adopted(void **state)
{
	char path[] = "/tmp/zip-write-XXXXXX";
	const struct cfs_zip_written *v;
	struct cfs_zip_writer *w;
	uint8_t head[CFS_ZIP_HEADER_BYTES], want[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	struct cfs_buf lead;
	uint64_t bytes;
	int fd = mkstemp(path);
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	cfs_buf_init(&lead, 1000);
	cfs_zip_add_header(&lead, "x", TIME);
	assert_int_equal(lead.n, CFS_ZIP_HEADER_BYTES + 1);
	cfs_buf_adds(&lead, "short");
	assert_int_equal(pwrite(fd, lead.p, lead.n, 0), lead.n);
	cfs_buf_release(&lead);
	assert_int_equal(cfs_zip_writer_new(&w, fd, path, 0, TIME, NULL), 0);
	assert_int_equal(cfs_zip_writer_adopt(w, "x", 5, CFS_CTX(NULL, NULL)),
			 0);
	v = cfs_zip_writer_members(w, &n);
	assert_int_equal(n, 1);
	assert_int_equal(v[0].bytes, 5);
	sha256_init(&sha);
	sha256_update(&sha, 5, (const uint8_t *)"short");
	sha256_digest(&sha, sizeof(want), want);
	assert_memory_equal(v[0].sha256, want, sizeof(want));
	assert_int_equal(cfs_zip_writer_finish(w, &bytes, NULL), 0);
	cfs_zip_writer_free(w);
	assert_int_equal(pread(fd, head, sizeof(head), 0), sizeof(head));
	assert_int_equal(cfs_le32_get(head + 10), 0x576eb1aa);	/* the time */
	assert_int_equal(cfs_le32_get(head + 14), 0x8f2890a2);
	close(fd);
	unlink(path);
}

/* A missing file is not adopted, and a full disk is reported. */
static void failures(void **state)
{
	char path[] = "/tmp/zip-write-XXXXXX";
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_zip_writer *w;
	int fd = mkstemp(path), full = open("/dev/full", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0 && full >= 0);
	assert_int_equal(cfs_zip_writer_new(&w, fd, path, 0, TIME, &err), 0);
	assert_int_equal(cfs_zip_writer_adopt(w, "x", 5, CFS_CTX(NULL, &err)),
			 CFS_EIO);
	cfs_zip_writer_free(w);
	cfs_error_clear(&err);
	assert_int_equal(cfs_zip_writer_new(&w, full, "full", 0, TIME, &err), 0);
	assert_int_equal(cfs_zip_writer_begin(w, "x", &err), 0);
	assert_int_equal(cfs_zip_writer_end(w, &err), CFS_EIO);
	assert_non_null(strstr(err.text, "No space left"));
	cfs_zip_writer_free(w);
	close(full);
	close(fd);
	unlink(path);
}

static void too_many_members(void **state)
{
	char path[] = "/tmp/zip-write-XXXXXX";
	struct cfs_zip_writer *w;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(cfs_zip_writer_new(&w, fd, path, 0, TIME, NULL), 0);
	for (unsigned i = 0; i < CFS_ZIP_WRITE_MEMBERS; i++) {
		assert_int_equal(cfs_zip_writer_begin(w, "x", NULL), 0);
		assert_int_equal(cfs_zip_writer_end(w, NULL), 0);
	}
	assert_int_equal(cfs_zip_writer_begin(w, "x", NULL), CFS_ELIMIT);
	cfs_zip_writer_free(w);
	close(fd);
	unlink(path);
}

UNIT_PROGRAM
{
	UNIT_TEST(three_members);
	UNIT_TEST(adopted);
	UNIT_TEST(failures);
	UNIT_TEST(too_many_members);
	return unit_run("zip_write");
}
