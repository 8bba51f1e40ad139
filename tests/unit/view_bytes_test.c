/* view_bytes_test.c - the two forms of the sizes of views, alone and in
 * indexes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "cfx_fixture.h"
#include "format/cfx/cfx_format.h"

#define VIEW_CODE 77u
#define TEXT (1u << CFS_SLOT_TEXT)
#define META (1u << CFS_SLOT_META)

/* ---- encoded ---- */

static struct form {
	const char *name;
	uint32_t known;
	uint64_t text, meta;
	const char *pair, *list;	/* expected */
	size_t pair_n, list_n;
} forms[] = {
	{ "none", 0, 1, 2, "", "", 0, 0 },
	{ "both", TEXT | META, 5, 300, "\xac\x02\x05", "", 3, 0 },
	{ "text alone", TEXT, 5, 300, "", "\x01\x05", 0, 2 },
	{ "metadata alone", META, 5, 300, "", "\x02\xac\x02", 0, 3 },
	{ "empty files", TEXT | META, 0, 0, "\0\0", "", 2, 0 },
	{ "the longest", TEXT | META, UINT64_MAX, UINT64_MAX,
	  "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	  "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "", 20, 0 },
};

static void there_and_back(void **state)
{
	const struct form *f = *state;
	struct cfs_view_bytes s = { { f->text, f->meta }, f->known };
	struct cfs_view_bytes back = { .known = 0 };
	uint8_t p[CFS_VIEW_BYTES_MAX];
	struct cfs_cursor c;
	size_t n = cfs_view_bytes_put_pair(&s, p);

	assert_int_equal(n, f->pair_n);
	assert_memory_equal(p, f->pair, n);
	c = (struct cfs_cursor){ cfs_slice_of(p, n), false };
	if (n > 0)
		cfs_view_bytes_take_pair(&back, &c);
	assert_true(!c.bad && c.rest.n == 0);
	n = cfs_view_bytes_put_list(&s, p);
	assert_int_equal(n, f->list_n);
	assert_memory_equal(p, f->list, n);
	c = (struct cfs_cursor){ cfs_slice_of(p, n), false };
	if (n > 0)
		cfs_view_bytes_take_list(&back, &c);
	assert_true(!c.bad && c.rest.n == 0);
	assert_int_equal(back.known, s.known);
	if (s.known & TEXT)
		assert_int_equal(back.bytes[CFS_SLOT_TEXT], f->text);
	if (s.known & META)
		assert_int_equal(back.bytes[CFS_SLOT_META], f->meta);
}

static struct other {
	const char *name, *bytes;
	size_t n;
	bool is_bad;
	uint32_t known;		/* of text and metadata */
	size_t left;		/* bytes that are not read */
} others[] = {
	{ "a slot of later programs", "\x81\x80\x80\x80\x08\x07\x63!", 8,
	  false, TEXT, 1 },
	{ "all slots of 64", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	  "0123456789012345678901234567890123456789012345678901234567890123",
	  74, false, TEXT | META, 0 },
	{ "one size is missing", "\x03\x05", 2, true, TEXT | META, 0 },
	{ "nothing", "", 0, true, 0, 0 },
	{ "an empty list", "\0", 1, false, 0, 0 },
	{ "a cut number", "\x01\xff", 2, true, TEXT, 1 },
};

static void other_list(void **state)
{
	const struct other *o = *state;
	struct cfs_view_bytes s = { .known = 0 };
	uint8_t *p = malloc(o->n + 1);
	struct cfs_cursor c;

	assert_non_null(p);
	memcpy(p, o->bytes, o->n);
	p = realloc(p, o->n > 0 ? o->n : 1);	/* exact, for ASan */
	assert_non_null(p);
	c = (struct cfs_cursor){ cfs_slice_of(p, o->n), false };
	cfs_view_bytes_take_list(&s, &c);
	assert_int_equal(c.bad, o->is_bad);
	assert_int_equal(s.known & (TEXT | META), o->known);
	if (!o->is_bad)
		assert_int_equal(c.rest.n, o->left);
	free(p);
}

/* ---- in an index ---- */

/* The sizes of page i: of both views, of one, or of none. */
static struct cfs_view_bytes sizes_of(unsigned i)
{
	struct cfs_view_bytes s = { .known = 0 };

	if (i & 1)
		cfs_view_bytes_set(&s, CFS_SLOT_TEXT, i * 1000);
	if (i & 2)
		cfs_view_bytes_set(&s, CFS_SLOT_META, i * 3);
	return s;
}

static void build(struct fix *f, unsigned n)
{
	struct cfs_builder_opts o = { .path = f->path, .threads = 1,
		.memory_bytes = 1 << 20, .archives = f->archives,
		.n_archives = FIX_ARCHIVES, .view_version = VIEW_CODE };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;

	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (unsigned i = 0; i < n; i++) {
		char url[64];
		struct cfs_builder_capture c = { .kind = CFS_KIND_RESPONSE,
			.archive = 1, .span.offset = i, .span.length = 9,
			.mime = CFS_SLICE_EMPTY, .views = sizes_of(i) };

		snprintf(url, sizeof(url), "http://a.org/%05u", i);
		c.url = cfs_slice_str(url);
		assert_int_equal(cfs_builder_add(b, 0, &c, NULL), CFS_OK);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
}

/* Sizes of one view alone are kept, and counted for each view. */
static void in_an_index(void **state)
{
	enum { N = 400 };
	static struct cfs_iter it;
	struct cfs_index *ix;
	struct fix f;
	unsigned i = 0;
	int rc;

	(void)state;
	fix_open(&f);
	build(&f, N);
	ix = fix_index(&f, 1 << 18);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), i++) {
		struct cfs_view_bytes want = sizes_of(i);
		struct cfs_capture cap;

		assert_int_equal(cfs_index_capture(&it, &cap, NULL), CFS_OK);
		assert_int_equal(cap.loc.offset, i);
		assert_int_equal(cap.views.known, want.known);
		assert_memory_equal(cap.views.bytes, want.bytes,
				    sizeof(want.bytes));
	}
	assert_int_equal(i, N);
	assert_int_equal(ix->unsized.captures[1 + CFS_SLOT_TEXT], N / 2);
	assert_int_equal(ix->unsized.captures[1 + CFS_SLOT_META], N / 2);
	assert_int_equal(cfs_index_unsized(ix, CFS_INDEX_SIZE_OF(CFS_SLOT_TEXT),
					   VIEW_CODE), N / 2);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	fix_close(&f);
}

/* A class whose captures have a pair keeps it among the fixed numbers: text 3000
 * and metadata 9 in 12 and 4 bits. */
static void pair_in_the_class(void **state)
{
	struct fix f;
	size_t n;
	uint8_t *p, *table, *rows;
	bool found = false;

	(void)state;
	fix_open(&f);
	build(&f, 4);
	p = fix_bytes(f.path, &n);
	assert_int_equal(p[8], CFS_CFX_VERSION);
	table = p + cfs_le64_get(p + 176);
	rows = table + 4 + CFS_CFX_HEAD_BYTES * cfs_le32_get(table);
	for (uint64_t i = 0; i < cfs_le64_get(p + 200); i++, rows += 4) {
		unsigned flags =
			table[4 + CFS_CFX_HEAD_BYTES * rows[0] + 6];

		if ((flags & CFS_CFX_FLAG_PAIR) && rows[2] >> 4 == 6 &&
		    (rows[3] & 15) == 2)
			found = true;
	}
	assert_true(found);
	free(p);
	fix_close(&f);
}

UNIT_PROGRAM
{
	UNIT_ROWS(forms, there_and_back);
	UNIT_ROWS(others, other_list);
	UNIT_TEST(in_an_index);
	UNIT_TEST(pair_in_the_class);
	return unit_run("view_bytes");
}
