/* gzmember_test.c - gzip members, whole and streamed.
 *
 * Compressed bytes come from record_fixtures.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "codec/gzip.h"
#include "record/members.h"
#include "record_fixtures.h"

#define FIX(name) cfs_slice_of(fix_##name, sizeof(fix_##name))

static void whole(struct cfs_slice in, size_t max, size_t hint, int want_rc,
		  size_t want_used)
{
	struct cfs_slice exact = exact_copy(in.p, in.n);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf out;
	size_t used = 0;

	cfs_buf_init(&out, max);
	assert_int_equal(cfs_gz_member(exact, &out, hint, &used, &err), want_rc);
	if (want_rc == CFS_OK) {
		assert_int_equal(used, want_used);
		assert_slice_n(cfs_slice_of(out.p, out.n), fix_plain,
			       sizeof(fix_plain));
	} else {
		assert_int_equal(out.n, 0);
		assert_true(err.text[0] != '\0');
	}
	cfs_buf_release(&out);
	exact_free(exact);
}

static void members(void **state)
{
	struct cfs_buf two;

	(void)state;
	whole(FIX(gzip), 1 << 20, 0, CFS_OK, sizeof(fix_gzip));
	whole(FIX(gzip_extra), 1 << 20, 0, CFS_OK, sizeof(fix_gzip_extra));
	whole(FIX(gzip), sizeof(fix_plain), 0, CFS_OK, sizeof(fix_gzip));
	whole(FIX(gzip), 1 << 20, sizeof(fix_plain), CFS_OK, sizeof(fix_gzip));
	whole(FIX(gzip), 1 << 20, 1, CFS_OK, sizeof(fix_gzip));
	whole(FIX(gzip), sizeof(fix_plain) - 1, 0, CFS_ELIMIT, 0);
	whole(FIX(plain), 1 << 20, 0, CFS_EFORMAT, 0);
	cfs_buf_init(&two, 1 << 20);
	cfs_buf_add(&two, FIX(gzip));
	cfs_buf_add(&two, FIX(gzip_extra));
	whole(cfs_buf_slice(&two), 1 << 20, 0, CFS_OK, sizeof(fix_gzip));
	cfs_buf_release(&two);
}

static void every_prefix(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(fix_gzip_extra); n++)
		whole(cfs_slice_of(fix_gzip_extra, n), 1 << 20, 0, CFS_EFORMAT, 0);
}

/* Appending keeps what is there. */
static void append(void **state)
{
	struct cfs_buf out;
	size_t used;

	(void)state;
	cfs_buf_init(&out, 1 << 24);
	for (int i = 0; i < 20; i++)
		assert_int_equal(cfs_gz_member(FIX(gzip), &out, 0, &used, NULL),
				 CFS_OK);
	assert_int_equal(cfs_gz_member(FIX(zeros), &out, 0, &used, NULL), CFS_OK);
	assert_int_equal(out.n, 20 * sizeof(fix_plain) + (1 << 20));
	assert_memory_equal(out.p + 19 * sizeof(fix_plain), fix_plain,
			    sizeof(fix_plain));
	cfs_buf_release(&out);
}

/* Reads a stream in pieces of `step`; returns its last state. */
static enum cfs_member_state drain(struct cfs_member_stream *z, struct cfs_buf *out,
			       size_t step)
{
	enum cfs_member_state st = CFS_MEMBER_MORE;
	uint8_t buf[4096];
	size_t got;

	while (st == CFS_MEMBER_MORE) {
		assert_int_equal(cfs_member_stream_read(z, buf, step, &got, &st,
						    CFS_CTX(NULL, NULL)), CFS_OK);
		assert_true(got > 0 || st != CFS_MEMBER_MORE);
		cfs_buf_append(out, buf, got);
	}
	assert_int_equal(out->failed, CFS_OK);
	return st;
}

static struct cfs_source *memory(struct cfs_slice s)
{
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_memory(&src, s, "memory", NULL), CFS_OK);
	return src;
}

static void streamed(void **state)
{
	static const size_t steps[] = { 1, 7, 4096 };
	struct cfs_member_stream *z;
	struct cfs_source *src;
	struct cfs_buf in, out;

	(void)state;
	cfs_buf_init(&in, 1 << 20);
	cfs_buf_init(&out, 1 << 22);
	cfs_buf_adds(&in, "before");
	cfs_buf_add(&in, FIX(gzip));
	cfs_buf_add(&in, FIX(gzip_extra));
	cfs_buf_adds(&in, "garbage");
	src = memory(cfs_buf_slice(&in));
	for (size_t i = 0; i < 3; i++) {
		cfs_buf_reset(&out);
		assert_int_equal(cfs_member_stream_new(&z, src, 6, src->size, NULL,
						       NULL),
				 CFS_OK);
		assert_int_equal(drain(z, &out, steps[i]), CFS_MEMBER_END);
		assert_int_equal(cfs_member_stream_offset(z), 6 + sizeof(fix_gzip));
		assert_int_equal(cfs_member_stream_next(z, CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_int_equal(drain(z, &out, steps[i]), CFS_MEMBER_END);
		assert_int_equal(cfs_member_stream_offset(z), in.n - 7);
		assert_int_equal(cfs_member_stream_next(z, CFS_CTX(NULL, NULL)),
				 CFS_END);
		assert_int_equal(out.n, 2 * sizeof(fix_plain));
		assert_memory_equal(out.p + sizeof(fix_plain), fix_plain,
				    sizeof(fix_plain));
		cfs_member_stream_free(z);
	}
	cfs_source_close(src);
	cfs_buf_release(&in);
	cfs_buf_release(&out);
}

static void stream_ends(struct cfs_slice in, enum cfs_member_state want)
{
	struct cfs_source *src = memory(in);
	struct cfs_member_stream *z;
	struct cfs_buf out;

	cfs_buf_init(&out, 1 << 22);
	assert_int_equal(cfs_member_stream_new(&z, src, 0, src->size, NULL,
					       NULL), CFS_OK);
	assert_int_equal(drain(z, &out, 100), want);
	assert_true(out.n <= sizeof(fix_plain));
	if (out.n > 0)
		assert_memory_equal(out.p, fix_plain, out.n);
	assert_int_equal(cfs_member_stream_why(z)[0] != '\0',
			 want != CFS_MEMBER_END);
	cfs_member_stream_free(z);
	cfs_source_close(src);
	cfs_buf_release(&out);
}

static void broken_streams(void **state)
{
	uint8_t bad[sizeof(fix_gzip)];

	(void)state;
	for (size_t n = 0; n < sizeof(fix_gzip); n++)
		stream_ends(cfs_slice_of(fix_gzip, n), CFS_MEMBER_CUT);
	for (size_t i = 1; i <= 8; i++) {	/* the trailer */
		memcpy(bad, fix_gzip, sizeof(bad));
		bad[sizeof(bad) - i] ^= 0x10;
		stream_ends(cfs_slice_of(bad, sizeof(bad)), CFS_MEMBER_BAD);
		whole(cfs_slice_of(bad, sizeof(bad)), 1 << 20, 0, CFS_EFORMAT, 0);
	}
	stream_ends(FIX(plain), CFS_MEMBER_BAD);
	stream_ends(FIX(gzip), CFS_MEMBER_END);
}

static void compress(void **state)
{
	struct cfs_buf out;
	struct cfs_buf b;
	size_t used;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_adds(&b, "x");
	assert_int_equal(cfs_gz_compress(FIX(plain), &b, NULL), CFS_OK);
	cfs_buf_init(&out, 1 << 20);
	assert_int_equal(cfs_gz_member(cfs_slice_of(b.p + 1, b.n - 1), &out, 0,
				       &used, NULL), CFS_OK);
	assert_int_equal(used, b.n - 1);
	assert_slice_n(cfs_slice_of(out.p, out.n), fix_plain, sizeof(fix_plain));
	cfs_buf_release(&out);
	cfs_buf_release(&b);
	cfs_buf_init(&b, 10);
	assert_int_equal(cfs_gz_compress(FIX(plain), &b, NULL), CFS_ELIMIT);
	cfs_buf_release(&b);
}

static void looks(void **state)
{
	(void)state;
	assert_true(cfs_gz_is_start(FIX(gzip_extra)));
	assert_false(cfs_gz_is_start(cfs_slice_of(fix_gzip, 3)));
	assert_false(cfs_gz_is_start(CFS_SLICE_LIT("\x1f\x8b\x08\xe0")));
	assert_int_equal(cfs_gz_declared_size(FIX(gzip)), sizeof(fix_plain));
	assert_int_equal(cfs_gz_declared_size(cfs_slice_of("abc", 3)), 0);
}

UNIT_PROGRAM
{
	UNIT_TEST(members);
	UNIT_TEST(every_prefix);
	UNIT_TEST(append);
	UNIT_TEST(streamed);
	UNIT_TEST(broken_streams);
	UNIT_TEST(compress);
	UNIT_TEST(looks);
	return unit_run("gzmember");
}
