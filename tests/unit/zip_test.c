/* zip_test.c - ZIP directories, whole and damaged, and windows of sources.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/buf.h"
#include "record/wacz.h"

/* How the ZIP file of a case differs from a plain one. */
struct odd {
	bool zip64, descriptor, extra;
	const char *comment, *before_end;
	uint32_t shift;			/* of the header in the directory */
	uint16_t flags, method;
	uint32_t dir_off, stored;	/* in place of what is right, if not 0 */
};

static const char name[] = "archive/a.warc";
static const char text[] = "WARC/1.0 and so on";

static void entry(struct cfs_buf *b, const struct odd *o, uint32_t header)
{
	uint32_t n = o->stored != 0 ? o->stored : sizeof(text) - 1;

	cfs_buf_append(b, "PK\1\2\x14\0\x14\0", 8);
	cfs_buf_le16(b, (uint16_t)(o->flags | (o->descriptor ? 8 : 0)));
	cfs_buf_le16(b, o->method);
	cfs_buf_le32(b, 0);
	cfs_buf_le32(b, 0x12345678);
	cfs_buf_le32(b, o->zip64 ? UINT32_MAX : n);
	cfs_buf_le32(b, o->zip64 ? UINT32_MAX : n);
	cfs_buf_le16(b, sizeof(name) - 1);
	cfs_buf_le16(b, o->zip64 ? 28 + 5 : 0);
	for (unsigned i = 0; i < 5; i++)
		cfs_buf_le16(b, 0);
	cfs_buf_le32(b, o->zip64 ? UINT32_MAX : header + o->shift);
	cfs_buf_adds(b, name);
	if (!o->zip64)
		return;
	cfs_buf_append(b, "\xfe\xca\1\0x", 5);	/* another field first */
	cfs_buf_le16(b, 1);
	cfs_buf_le16(b, 24);
	cfs_buf_le64(b, n);
	cfs_buf_le64(b, n);
	cfs_buf_le64(b, header + o->shift);
}

/* One stored member. */
static void make(struct cfs_buf *b, const struct odd *o)
{
	uint32_t dir, end;

	cfs_buf_init(b, 1u << 20);
	cfs_buf_append(b, "PK\3\4", 4);
	for (unsigned i = 0; i < 22; i++)	/* sizes are zeros */
		cfs_buf_addc(b, 0);
	cfs_buf_le16(b, sizeof(name) - 1);
	cfs_buf_le16(b, o->extra ? 9 : 0);
	cfs_buf_adds(b, name);
	if (o->extra)
		cfs_buf_append(b, "UT\5\0\1\2\3\4\5", 9);
	cfs_buf_adds(b, text);
	if (o->descriptor)
		cfs_buf_append(b, "PK\7\x08xxxxyyyyzzzz", 16);
	dir = (uint32_t)b->n;
	entry(b, o, 0);
	end = (uint32_t)b->n;
	if (o->zip64) {
		cfs_buf_append(b, "PK\6\6", 4);
		cfs_buf_le64(b, 44);
		for (unsigned i = 0; i < 3; i++)
			cfs_buf_le32(b, 0);
		cfs_buf_le64(b, 1);
		cfs_buf_le64(b, 1);
		cfs_buf_le64(b, end - dir);
		cfs_buf_le64(b, dir);
		cfs_buf_append(b, "PK\6\7\0\0\0\0", 8);
		cfs_buf_le64(b, end);
		cfs_buf_le32(b, 1);
	}
	cfs_buf_adds(b, o->before_end != NULL ? o->before_end : "");
	cfs_buf_append(b, "PK\5\6\0\0\0\0", 8);
	cfs_buf_le16(b, o->zip64 ? UINT16_MAX : 1);
	cfs_buf_le16(b, o->zip64 ? UINT16_MAX : 1);
	cfs_buf_le32(b, o->zip64 ? UINT32_MAX : end - dir);
	cfs_buf_le32(b, o->zip64 ? UINT32_MAX :
		     o->dir_off != 0 ? o->dir_off : dir);
	cfs_buf_le16(b, (uint16_t)strlen(o->comment ? o->comment : ""));
	cfs_buf_adds(b, o->comment ? o->comment : "");
}

static struct cfs_source *source(struct cfs_slice bytes)
{
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_memory(&src, bytes, "x.zip", NULL),
			 CFS_OK);
	return src;
}

/* Opens a ZIP file and finds its member. */
static int look(struct cfs_slice bytes, struct cfs_zip_place *at)
{
	struct cfs_source *src = source(bytes);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_zip z;
	int rc = cfs_zip_open(&z, src, CFS_CTX(NULL, &err));

	if (rc == CFS_OK) {
		assert_int_equal(z.n, 1);
		assert_ptr_equal(cfs_zip_find(&z, cfs_slice_str(name)), &z.v[0]);
		assert_null(cfs_zip_find(&z, cfs_slice_str("archive/a")));
		rc = cfs_zip_locate(&z, &z.v[0], at, CFS_CTX(NULL, &err));
	}
	assert_true(rc == CFS_OK || err.text[0] != '\0');
	cfs_zip_close(&z);
	cfs_source_close(src);
	return rc;
}

static void members(void **state)
{
	static const struct {
		const char *what;
		struct odd odd;
		int rc;
	} cases[] = {
		{ "plain", { .zip64 = false }, CFS_OK },
		{ "ZIP64", { .zip64 = true }, CFS_OK },
		{ "a descriptor", { .descriptor = true }, CFS_OK },
		{ "a local extra field", { .extra = true }, CFS_OK },
		{ "a comment", { .comment = "so much" }, CFS_OK },
		{ "a comment with a mark", {
			.comment = "PK\5\6aaaaaaaaaaaaaaaaaaaaaaa" }, CFS_OK },
		{ "bytes before the end", { .before_end = "PK\6\7 no" }, CFS_OK },
		{ "encrypted", { .flags = 1 }, CFS_EUNSUPPORTED },
		{ "header beyond the directory", { .shift = 9999 }, CFS_EFORMAT },
		{ "not a header", { .shift = 3, .descriptor = true },
		  CFS_EFORMAT },
		{ "too long", { .stored = 9999 }, CFS_EFORMAT },
		{ "a little too long", { .stored = sizeof(text) + 5 },
		  CFS_EFORMAT },
		{ "directory beyond the end", { .dir_off = 99999 },
		  CFS_EFORMAT },
		{ "no directory there", { .dir_off = 5 }, CFS_EFORMAT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cfs_zip_place at = { 0 };
		struct cfs_buf b;
		int rc;

		make(&b, &cases[i].odd);
		rc = look(cfs_buf_slice(&b), &at);
		if (rc != cases[i].rc)
			fail_msg("%s: %d", cases[i].what, rc);
		if (rc == CFS_OK && (at.stored != sizeof(text) - 1 ||
		    memcmp(b.p + at.offset, text, at.stored) != 0))
			fail_msg("%s: not its bytes", cases[i].what);
		cfs_buf_release(&b);
	}
}

/* Cut anywhere, it is refused or, where only a comment is cut, read. */
static void cut(void **state)
{
	static const struct odd odds[] = {
		{ .comment = "nothing that counts" }, { .zip64 = true } };

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct cfs_buf b;

		make(&b, &odds[k]);
		for (size_t n = 0; n < b.n; n++) {
			struct cfs_zip_place at;

			assert_int_equal(look(cfs_slice_of(b.p, n), &at),
					 CFS_EFORMAT);
		}
		cfs_buf_addc(&b, 'x');	/* something was appended */
		if (k == 0) {
			struct cfs_zip_place at;

			assert_int_equal(look(cfs_buf_slice(&b), &at), CFS_OK);
		}
		cfs_buf_release(&b);
	}
}

/* Extracted, a member is compared with its CRC and its size. */
static void extracted(void **state)
{
	static const uint8_t deflated[] = {	/* "aaaaaaaaaa" */
		0x4b, 0x4c, 0x84, 0x01, 0x00 };
	struct cfs_source *src = source(cfs_slice_of(deflated, 5));
	struct cfs_zip_place at = { 0, 5, 10, 0x4c11cdf0, CFS_ZIP_DEFLATED };
	char path[] = "/tmp/crawlfs-zip-XXXXXX", got[16];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(cfs_zip_extract(src, &at, "m", 10, fd, path,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(pread(fd, got, sizeof(got), 0), 10);
	assert_memory_equal(got, "aaaaaaaaaa", 10);
	assert_int_equal(cfs_zip_extract(src, &at, "m", 9, fd, path,
					 CFS_CTX(NULL, NULL)), CFS_ELIMIT);
	at.size = 9;
	assert_int_equal(cfs_zip_extract(src, &at, "m", 10, fd, path,
					 CFS_CTX(NULL, NULL)), CFS_EFORMAT);
	at.size = 11;
	assert_int_equal(cfs_zip_extract(src, &at, "m", 11, fd, path,
					 CFS_CTX(NULL, NULL)), CFS_EFORMAT);
	at.size = 10;
	at.crc++;
	assert_int_equal(cfs_zip_extract(src, &at, "m", 10, fd, path,
					 CFS_CTX(NULL, NULL)), CFS_EFORMAT);
	at.crc--;
	at.stored = 3;
	assert_int_equal(cfs_zip_extract(src, &at, "m", 10, fd, path,
					 CFS_CTX(NULL, NULL)), CFS_EFORMAT);
	at.stored = 5;
	at.method = 93;
	assert_int_equal(cfs_zip_extract(src, &at, "m", 10, fd, path, CFS_CTX(NULL, NULL)), CFS_EUNSUPPORTED);
	close(fd);
	cfs_source_close(src);
}

static void roles(void **state)
{
	static const struct {
		const char *name;
		enum cfs_wacz_role role;
	} cases[] = {
		{ "archive/data.warc.gz", CFS_WACZ_ARCHIVE },
		{ "archive/DATA.WARC", CFS_WACZ_ARCHIVE },
		{ "x/archive/a.arc.gz", CFS_WACZ_ARCHIVE },
		{ "indexes/index.cdx.gz", CFS_WACZ_INDEX },
		{ "indexes/index.cdxj", CFS_WACZ_INDEX },
		{ "indexes/index.idx", CFS_WACZ_NOTHING },
		{ "pages/pages.jsonl", CFS_WACZ_PAGES },
		{ "logs/x.jsonl", CFS_WACZ_NOTHING },
		{ "datapackage.json", CFS_WACZ_PACKAGE },
		{ "a.wacz", CFS_WACZ_INSIDE },
		{ "archive/", CFS_WACZ_NOTHING },
		{ "archive/test.txt", CFS_WACZ_NOTHING },
		{ "", CFS_WACZ_NOTHING },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (cfs_wacz_role_of(cfs_slice_str(cases[i].name)) !=
		    cases[i].role)
			fail_msg("%s", cases[i].name);
}

/* A window is a source like any other. */
static void windows(void **state)
{
	struct cfs_source *src = source(CFS_SLICE_LIT("0123456789")), *w;
	uint8_t got[10];
	size_t n;

	(void)state;
	assert_int_equal(cfs_source_open_window(&w, cfs_source_ref(src), 2, 5,
						"w", NULL), CFS_OK);
	assert_int_equal(w->size, 5);
	assert_int_equal(cfs_source_read(w, got, 5, 0,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	assert_memory_equal(got, "23456", 5);
	assert_int_equal(cfs_source_read_some(w, got, 10, 3, &n,
					      CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_int_equal(n, 2);
	assert_int_equal(cfs_source_read(w, got, 1, 5, CFS_CTX(NULL, NULL)),
			 CFS_EFORMAT);
	cfs_source_close(w);
	assert_int_equal(cfs_source_open_window(&w, cfs_source_ref(src), 8, 3,
						"w", NULL), CFS_EFORMAT);
	assert_int_equal(cfs_source_open_window(&w, src, UINT64_MAX, 2, "w",
						NULL), CFS_EFORMAT);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members), cmocka_unit_test(cut),
		cmocka_unit_test(extracted), cmocka_unit_test(roles),
		cmocka_unit_test(windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
