/* charset_long_test.c - charsets of documents that are in a file, since they are
 * too long for memory: they are read in pieces, which do not stay resident.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "view/charset.h"

#define LONG_BYTES (16 * CFS_SPILL_STEP + 1)

/* How much of files this process has in memory, in bytes. */
static size_t resident(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	size_t file = 0, shared = 0;
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		(void)sscanf(line, "RssFile: %zu", &file);
		(void)sscanf(line, "RssShmem: %zu", &shared);
	}
	fclose(f);
	return (file + shared) << 10;
}

/* A blank, then pairs of bytes: each step of CFS_SPILL_STEP divides one. */
static void fill_long(struct cfs_buf *b, const char pair[2])
{
	assert_int_equal(cfs_spill_begin(b, "/tmp", NULL), CFS_OK);
	cfs_buf_addc(b, ' ');
	while (b->n < LONG_BYTES) {
		cfs_buf_append(b, pair, 2);
		if (b->n % CFS_SPILL_STEP < 2)
			cfs_spill_settle(b);
	}
	cfs_spill_finish(b);
	assert_int_equal(b->n, LONG_BYTES);
}

/* Little of a long document stays in memory, and the same comes out. */
static void long_documents(void **state)
{
	static const struct {
		const char *label, *pair, *text;	/* of a pair */
	} rows[] = {
		{ "utf-8", "\xc3\xa9", "\xc3\xa9" },
		{ "iso-8859-1", "ab", "ab" },
		{ "iso-8859-1", "\xe9q", "\xc3\xa9q" },
		{ "iso-8859-16", "\xe9q", "\xc3\xa9q" },
		{ "iso-2022-jp", "ab", "ab" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cfs_charset_input ci = { CFS_SLICE_EMPTY,
						CFS_SLICE_EMPTY, false,
						CFS_PAGES_RELEASED };
		struct cfs_charset cs = { 0 }, found;
		struct cfs_buf in, out;
		size_t before, n = strlen(rows[i].text);

		cfs_buf_init(&in, 2 * LONG_BYTES);
		cfs_buf_init(&out, 2 * LONG_BYTES);
		fill_long(&in, rows[i].pair);
		before = resident();
		ci.body = cfs_buf_slice(&in);
		cfs_charset_find(&ci, &found);
		assert_true(resident() < before + 4 * CFS_SPILL_STEP);
		assert_true(cfs_charset_by_label(cfs_slice_str(rows[i].label),
						 &cs));
		assert_int_equal(cfs_charset_to_utf8(&cs, ci.body,
						     CFS_PAGES_RELEASED, &out,
						     NULL), CFS_OK);
		assert_true(resident() < before + 4 * CFS_SPILL_STEP);
		assert_int_equal(out.n, 1 + (LONG_BYTES - 1) / 2 * n);
		assert_int_equal(out.p[0], ' ');
		for (size_t k = 1; k < out.n; k += n)
			assert_memory_equal(out.p + k, rows[i].text, n);
		cfs_buf_release(&in);
		cfs_buf_release(&out);
	}
}

/* A fault right where a piece ends is seen. */
static void long_faults(void **state)
{
	struct cfs_charset cs = { 0 };
	struct cfs_buf in;

	(void)state;
	assert_true(cfs_charset_by_label(CFS_SLICE_LIT("utf-8"), &cs));
	cfs_buf_init(&in, 2 * LONG_BYTES);
	fill_long(&in, "\xc3\xa9");
	assert_true(cfs_charset_is_utf8(&cs, cfs_buf_slice(&in),
					CFS_PAGES_RELEASED));
	for (size_t k = 0; k < 8; k++) {
		uint8_t *p = in.p + CFS_SPILL_STEP - 4 + k, was = *p;

		*p = was == 0xc3 ? 0xa9 : 0xc3;
		assert_false(cfs_charset_is_utf8(&cs, cfs_buf_slice(&in),
						 CFS_PAGES_RELEASED));
		*p = was;
	}
	cfs_buf_release(&in);
}

UNIT_PROGRAM
{
	UNIT_TEST(long_documents);
	UNIT_TEST(long_faults);
	return unit_run("charset_long");
}
