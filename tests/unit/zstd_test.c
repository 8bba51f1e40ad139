/* zstd_test.c - zstd frames, whole and streamed, and dictionaries.
 *
 * Compressed bytes come from record_fixtures.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "codec/member.h"
#include "record/members.h"
#include "record/scan.h"
#include "record_fixtures.h"

#define FIX(name) cfs_slice_of(fix_##name, sizeof(fix_##name))

static struct cfs_zst_dict *dict_of(struct cfs_slice frame)
{
	struct cfs_zst_dict *d;

	assert_int_equal(cfs_zst_dict_new(&d, frame, NULL), CFS_OK);
	return d;
}

/* ---- what can be seen ---- */

static void look(void **state)
{
	struct cfs_zst_frame f;

	(void)state;
	assert_int_equal(cfs_zst_look(FIX(zstd), &f), CFS_OK);
	assert_int_equal(f.content, sizeof(fix_plain));
	assert_int_equal(f.bytes, sizeof(fix_zstd));
	assert_int_equal(f.dict_id, 0);
	assert_true(f.has_checksum && f.most >= sizeof(fix_plain));
	assert_int_equal(cfs_zst_look(FIX(zstd_named), &f), CFS_OK);
	assert_true(f.content == CFS_ZST_CONTENT_UNKNOWN && f.dict_id != 0);
	assert_int_equal(f.bytes, sizeof(fix_zstd_named));
	assert_int_equal(cfs_zst_look(FIX(zstd_window), &f), CFS_OK);
	assert_int_equal(f.window, 16 << 20);
	assert_int_equal(cfs_zst_look(FIX(gzip), &f), CFS_EFORMAT);
	assert_int_equal(cfs_zst_look(FIX(zstd_skippable), &f), CFS_EFORMAT);
	assert_int_equal(cfs_zst_empty_bytes(FIX(zstd_skippable)),
			 sizeof(fix_zstd_skippable));
	assert_int_equal(cfs_zst_empty_bytes(FIX(zstd_empty)),
			 sizeof(fix_zstd_empty));
	assert_int_equal(cfs_zst_empty_bytes(FIX(zstd)), 0);
	assert_int_equal(cfs_zst_empty_bytes(FIX(plain)), 0);
}

/* ---- members ---- */

struct frame_case {
	const char *name;
	size_t max;
	int rc;
	struct cfs_slice in, dict;
	const char *why;
};
static struct frame_case frame_cases[] = {
	{ .name = "with its size", .max = 1 << 20 },
	{ .name = "of several blocks, without", .max = 1 << 20 },
	{ .name = "room to the byte", .max = sizeof(fix_plain) + 1 },
	{ .name = "a byte less", .max = sizeof(fix_plain) - 1,
	  .rc = CFS_ELIMIT },
	{ .name = "behind skippable ones", .max = 1 << 20 },
	{ .name = "with a dictionary", .max = 1 << 20 },
	{ .name = "with one that is not compressed", .max = 1 << 20 },
	{ .name = "without its dictionary", .max = 1 << 20,
	  .rc = CFS_EFORMAT, .why = "and the archive has none" },
	{ .name = "a dictionary nobody needs", .max = 1 << 20 },
	{ .name = "a window of 16 MiB", .max = 1 << 20, .rc = CFS_EFORMAT,
	  .why = "window of 16777216 bytes" },
	{ .name = "a wrong checksum", .max = 1 << 20, .rc = CFS_EFORMAT,
	  .why = "checksum" },
};

static void fill_rows(void)
{
	static uint8_t skipped[sizeof(fix_zstd_skippable) + sizeof(fix_zstd)];
	static uint8_t wrong[sizeof(fix_zstd)];
	struct cfs_slice in[] = {
		FIX(zstd), FIX(zstd_blocks), FIX(zstd), FIX(zstd),
		cfs_slice_of(skipped, sizeof(skipped)), FIX(zstd_named),
		FIX(zstd_named), FIX(zstd_named), FIX(zstd_blocks),
		FIX(zstd_window), cfs_slice_of(wrong, sizeof(wrong)),
	};

	memcpy(skipped, fix_zstd_skippable, sizeof(fix_zstd_skippable));
	memcpy(skipped + sizeof(fix_zstd_skippable), fix_zstd,
	       sizeof(fix_zstd));
	memcpy(wrong, fix_zstd, sizeof(wrong));
	wrong[sizeof(wrong) - 1] ^= 1;
	for (size_t i = 0; i < COUNT(frame_cases); i++) {
		frame_cases[i].in = in[i];
		frame_cases[i].dict = CFS_SLICE_EMPTY;
	}
	frame_cases[5].dict = frame_cases[8].dict = FIX(zstd_dict);
	frame_cases[6].dict = FIX(zstd_dict_plain);
}

static void frame_case(void **state)
{
	const struct frame_case *tc = *state;
	struct cfs_slice exact = exact_copy(tc->in.p, tc->in.n), in = exact;
	struct cfs_zst_dict *d = tc->dict.n > 0 ? dict_of(tc->dict) : NULL;
	char why[CFS_MEMBER_WHY_BYTES] = "";
	struct cfs_buf out;

	cfs_buf_init(&out, tc->max);
	assert_int_equal(cfs_member_inflate(&in, d, &out, why), tc->rc);
	if (tc->rc == CFS_OK) {
		assert_int_equal(in.n, 0);
		assert_slice_n(cfs_buf_slice(&out), fix_plain,
			       sizeof(fix_plain));
	}
	if (tc->why != NULL)
		assert_non_null(strstr(why, tc->why));
	cfs_buf_release(&out);
	cfs_zst_dict_put(d);
	exact_free(exact);
}

/* Cut off anywhere, a frame gives what its whole blocks hold, and says so. */
static void every_prefix(void **state)
{
	size_t most = 0;

	(void)state;
	for (size_t n = 4; n < sizeof(fix_zstd_blocks); n++) {
		struct cfs_slice exact = exact_copy(fix_zstd_blocks, n);
		struct cfs_slice in = exact;
		char why[CFS_MEMBER_WHY_BYTES];
		struct cfs_buf out;
		size_t used;

		cfs_buf_init(&out, 1 << 20);
		assert_int_equal(cfs_member_whole(exact, NULL, &out, &used),
				 CFS_EFORMAT);
		assert_int_equal(out.n, 0);
		assert_int_equal(cfs_member_inflate(&in, NULL, &out, why),
				 CFS_END);
		assert_true(out.n >= most && out.n <= sizeof(fix_plain));
		assert_memory_equal(out.n > 0 ? out.p : fix_plain, fix_plain,
				    out.n);
		most = out.n;
		cfs_buf_release(&out);
		exact_free(exact);
	}
	assert_true(most > 0);
}

/* ---- dictionaries ---- */

static void dictionaries(void **state)
{
	struct cfs_zst_dict *a = dict_of(FIX(zstd_dict)), *none;
	struct cfs_zst_dict *b = dict_of(FIX(zstd_dict_plain));
	struct cfs_error err = CFS_ERROR_INIT;

	(void)state;
	assert_true(cfs_zst_dict_is_same(a, b));
	assert_false(cfs_zst_dict_is_same(a, NULL));
	assert_true(cfs_zst_dict_is_same(NULL, NULL));
	assert_slice_n(cfs_zst_dict_frame(a), fix_zstd_dict,
		       sizeof(fix_zstd_dict));
	for (size_t n = 0; n < sizeof(fix_zstd_dict); n++) {
		struct cfs_slice exact = exact_copy(fix_zstd_dict, n);

		assert_int_equal(cfs_zst_dict_new(&none, exact, NULL),
				 CFS_EFORMAT);
		exact_free(exact);
	}
	assert_int_equal(cfs_zst_dict_new(&none, FIX(zstd_skippable), NULL),
			 CFS_EFORMAT);
	assert_int_equal(cfs_zst_dict_new(&none, FIX(zstd_dict_large), &err),
			 CFS_ELIMIT);
	assert_non_null(strstr(err.text, "8388608"));
	cfs_zst_dict_put(b);
	cfs_zst_dict_put(cfs_zst_dict_ref(a));
	cfs_zst_dict_put(a);
}

static void compressed(void **state)
{
	struct cfs_zst_dict *dicts[] = { NULL, dict_of(FIX(zstd_dict)) };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cfs_zst_frame f;
		struct cfs_buf b, out;
		size_t used;

		cfs_buf_init(&b, 1 << 20);
		cfs_buf_init(&out, 1 << 20);
		assert_int_equal(cfs_member_compress(CFS_CODING_ZSTD,
				FIX(plain), dicts[i], &b, NULL), CFS_OK);
		assert_int_equal(cfs_zst_look(cfs_buf_slice(&b), &f), CFS_OK);
		assert_true(f.has_checksum && (f.dict_id != 0) == (i == 1));
		assert_int_equal(f.content, sizeof(fix_plain));
		assert_int_equal(cfs_member_whole(cfs_buf_slice(&b), dicts[i],
						  &out, &used), CFS_OK);
		assert_slice_n(cfs_buf_slice(&out), fix_plain,
			       sizeof(fix_plain));
		cfs_buf_release(&b);
		cfs_buf_release(&out);
	}
	cfs_zst_dict_put(dicts[1]);
}

/* ---- in pieces ---- */

static void streamed(void **state)
{
	static const size_t steps[] = { 1, 7, 4096 };
	struct cfs_slice parts[] = { FIX(zstd_dict), FIX(zstd_named),
		FIX(zstd_skippable), FIX(zstd_dict), FIX(zstd_blocks),
		FIX(zstd_skippable), FIX(zstd_window) };
	struct cfs_zst_dict *d;
	struct cfs_source *src;
	struct cfs_buf in;

	(void)state;
	cfs_buf_init(&in, 1 << 20);
	for (size_t i = 0; i < COUNT(parts); i++)
		cfs_buf_add(&in, parts[i]);
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&in), "m",
						NULL), CFS_OK);
	assert_int_equal(cfs_members_dict(src, 0, &d,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_non_null(d);
	for (size_t i = 0; i < COUNT(steps); i++) {
		struct cfs_member_stream *z;
		enum cfs_member_state st = CFS_MEMBER_MORE;
		uint64_t ends[] = { parts[0].n + parts[1].n + parts[2].n,
				    in.n - sizeof(fix_zstd_window) };
		uint8_t got[4096];
		size_t n, all;

		assert_int_equal(cfs_member_stream_new(&z, src, 0, src->size,
						       d, NULL), CFS_OK);
		for (size_t k = 0; k < 2; k++) {
			for (all = 0, st = CFS_MEMBER_MORE;
			     st == CFS_MEMBER_MORE; all += n) {
				size_t room = sizeof(got) - all;

				assert_int_equal(cfs_member_stream_read(z,
					got + all, room < steps[i] ? room :
					steps[i], &n, &st, CFS_CTX(NULL, NULL)),
					CFS_OK);
				assert_true(n > 0 || st != CFS_MEMBER_MORE);
			}
			assert_int_equal(st, CFS_MEMBER_END);
			assert_slice_n(cfs_slice_of(got, all), fix_plain,
				       sizeof(fix_plain));
			assert_int_equal(cfs_member_stream_offset(z), ends[k]);
			assert_int_equal(cfs_member_stream_next(z, CFS_CTX(NULL, NULL)),
					 CFS_OK);
		}
		assert_int_equal(cfs_member_stream_read(z, got, 1, &n, &st,
							CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(st, CFS_MEMBER_BAD);
		assert_non_null(strstr(cfs_member_stream_why(z), "window"));
		cfs_member_stream_free(z);
	}
	cfs_zst_dict_put(d);
	cfs_source_close(src);
	cfs_buf_release(&in);
}

/* A file is cut where frames begin records, behind a dictionary as well. */
static void cut_in_two(void **state)
{
	struct cfs_zst_dict *d = dict_of(FIX(zstd_dict));
	uint64_t starts[3], at;
	struct cfs_source *src;
	struct cfs_buf file;

	(void)state;
	cfs_buf_init(&file, 1 << 20);
	cfs_buf_add(&file, FIX(zstd_dict));
	for (size_t i = 0; i < COUNT(starts); i++) {
		struct cfs_buf record;

		starts[i] = file.n;
		cfs_buf_init(&record, 1 << 16);
		cfs_buf_addf(&record, "WARC/1.0\r\nWARC-Type: resource\r\n"
			     "WARC-Target-URI: http://a.org/%zu\r\n"
			     "WARC-Date: 2020-01-01T00:00:00Z\r\n"
			     "Content-Length: 5\r\n\r\nhello\r\n\r\n", i);
		assert_int_equal(cfs_member_compress(CFS_CODING_ZSTD,
				cfs_buf_slice(&record), d, &file, NULL),
				CFS_OK);
		cfs_buf_add(&file, FIX(zstd_skippable));
		cfs_buf_release(&record);
	}
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&file),
						"m", NULL), CFS_OK);
	for (size_t i = 0; i < COUNT(starts); i++) {
		assert_int_equal(cfs_scan_split(src, i == 0 ? 0 :
				starts[i - 1] + 1, &at, CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(at, starts[i]);
	}
	assert_int_equal(cfs_scan_split(src, starts[2] + 1, &at,
					CFS_CTX(NULL, NULL)),
			 CFS_END);
	cfs_source_close(src);
	cfs_buf_release(&file);
	cfs_zst_dict_put(d);
}

UNIT_PROGRAM
{
	fill_rows();
	UNIT_TEST(look);
	UNIT_ROWS(frame_cases, frame_case);
	UNIT_TEST(every_prefix);
	UNIT_TEST(dictionaries);
	UNIT_TEST(compressed);
	UNIT_TEST(streamed);
	UNIT_TEST(cut_in_two);
	return unit_run("zstd");
}
