/* seqfile_test.c - SequenceFiles: numbers, headers, cut and failing files.
 *
 * Whole files of every kind are compared with an independent reader by
 * seqfile_ref.sh; what is here was put together by hand from the format's
 * description.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "record/seqscan.h"
#include "fault.h"

/* ---- VInts (doc/formats.md, "SequenceFile integers") ---- */

struct vint_case {
	const char *name, *bytes;
	size_t n;
	int64_t value;
};
static struct vint_case vint_cases[] = {
	{ "vint 0",       "\x00",                 1, 0 },
	{ "vint 127",     "\x7f",                 1, 127 },
	{ "vint 128",     "\x8f\x80",             2, 128 },
	{ "vint 255",     "\x8f\xff",             2, 255 },
	{ "vint 256",     "\x8e\x01\x00",         3, 256 },
	{ "vint 1000000", "\x8d\x0f\x42\x40",     4, 1000000 },
	{ "vint -1",      "\xff",                 1, -1 },
	{ "vint -112",    "\x90",                 1, -112 },
	{ "vint -113",    "\x87\x70",             2, -113 },
	{ "vint 2^31-1",  "\x8c\x7f\xff\xff\xff", 5, 2147483647 },
};

static void vint_case(void **state)
{
	const struct vint_case *tc = *state;
	struct cfs_slice in = exact_copy(tc->bytes, tc->n);
	struct cfs_cursor c = { in, false };

	assert_int_equal(cfs_seq_vint(&c), tc->value);
	assert_false(c.bad);
	assert_int_equal(c.rest.n, 0);
	for (size_t n = 0; n < tc->n; n++) {
		c = (struct cfs_cursor){ cfs_slice_sub(in, 0, n), false };
		cfs_seq_vint(&c);
		assert_true(c.bad);
	}
	exact_free(in);
}

static void unwrap(void **state)
{
	struct cfs_slice out;

	(void)state;
	assert_true(cfs_seq_unwrap(CFS_SEQ_TEXT, CFS_SLICE_LIT("\x03" "abc"), &out));
	assert_slice(out, "abc");
	assert_true(cfs_seq_unwrap(CFS_SEQ_BYTES,
				   CFS_SLICE_LIT("\0\0\0\x02" "ab"), &out));
	assert_slice(out, "ab");
	assert_false(cfs_seq_unwrap(CFS_SEQ_TEXT, CFS_SLICE_LIT("\x03" "ab"), &out));
	assert_false(cfs_seq_unwrap(CFS_SEQ_TEXT, CFS_SLICE_LIT("\x03" "abcd"), &out));
	assert_false(cfs_seq_unwrap(CFS_SEQ_TEXT, CFS_SLICE_LIT("\xff"), &out));
	assert_false(cfs_seq_unwrap(CFS_SEQ_TEXT, CFS_SLICE_EMPTY, &out));
	assert_false(cfs_seq_unwrap(CFS_SEQ_BYTES,
				    CFS_SLICE_LIT("\x80\0\0\x02" "ab"), &out));
}

/* ---- headers ---- */

#define TEXT_NAME "\x19" "org.apache.hadoop.io.Text"
#define SYNC "0123456789abcdef"

struct head_case {
	const char *name;
	struct cfs_slice bytes;
	int rc;
	const char *says;
};
#define ROW(name, s, rc, says) \
	{ name, { (const uint8_t *)(s), sizeof(s) - 1 }, rc, says }
static struct head_case head_cases[] = {
	ROW("plain", "SEQ\x06" TEXT_NAME TEXT_NAME "\0\0" "\0\0\0\0" SYNC,
	    CFS_OK, ""),
	ROW("no SequenceFile", "PK\x03\x04", CFS_EFORMAT, "not a SequenceFile"),
	ROW("nothing", "", CFS_EFORMAT, "not a SequenceFile"),
	ROW("another version", "SEQ\x04", CFS_EUNSUPPORTED, "version 4"),
	ROW("lzo", "SEQ\x06" TEXT_NAME TEXT_NAME "\x01\x01"
	    "\x18" "com.hadoop.io.LzopCodec0" "\0\0\0\0" SYNC,
	    CFS_EUNSUPPORTED, "codec 'com.hadoop.io.LzopCodec0'"),
	ROW("blocks of nothing", "SEQ\x06" TEXT_NAME TEXT_NAME "\0\x01"
	    "\0\0\0\0" SYNC, CFS_EFORMAT, "damaged"),
	ROW("flag of 2", "SEQ\x06" TEXT_NAME TEXT_NAME "\x02\0" "\x01x"
	    "\0\0\0\0" SYNC, CFS_EFORMAT, "damaged"),
	ROW("negative name", "SEQ\x06\xff" TEXT_NAME "\0\0" "\0\0\0\0" SYNC,
	    CFS_EFORMAT, "damaged"),
	ROW("too many notes", "SEQ\x06" TEXT_NAME TEXT_NAME "\0\0"
	    "\x7f\0\0\0" SYNC SYNC, CFS_EFORMAT, "damaged"),
};

static void head_case(void **state)
{
	const struct head_case *tc = *state;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_seq_head h;
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_memory(&src, tc->bytes, "f", NULL), 0);
	assert_int_equal(cfs_seq_head_read(src, &h, CFS_CTX(NULL, &e)), tc->rc);
	assert_non_null(strstr(e.text, tc->says));
	if (tc->rc == CFS_OK)
		assert_int_equal(h.first, tc->bytes.n);
	else
		assert_string_equal(e.where, "f");
	cfs_source_close(src);
}

/* ---- files that end early, or cannot be read ---- */

/* Three pairs, a sync marker before the last: k=v, kk=vv, kkk=vvv. */
static const char small[] =
	"SEQ\x06" TEXT_NAME TEXT_NAME "\0\0" "\0\0\0\0" SYNC
	"\0\0\0\x04" "\0\0\0\x02" "\x01k\x01v"
	"\0\0\0\x06" "\0\0\0\x03" "\x02kk\x02vv"
	"\xff\xff\xff\xff" SYNC
	"\0\0\0\x08" "\0\0\0\x04" "\x03kkk\x03vvv";
#define SMALL_HEAD (4 + 26 + 26 + 2 + 4 + 16)
#define SMALL_BYTES (sizeof(small) - 1)

struct found {
	struct cfs_buf text;
	unsigned damaged;
};

static int on_pair(void *arg, const struct cfs_seq_item *i)
{
	struct found *f = arg;
	struct cfs_slice k, v;

	if (!cfs_seq_unwrap(CFS_SEQ_TEXT, i->key, &k) ||
	    !cfs_seq_unwrap(CFS_SEQ_TEXT, i->value, &v))
		return CFS_OK;
	cfs_buf_add(&f->text, k);
	cfs_buf_addc(&f->text, '=');
	cfs_buf_add(&f->text, v);
	cfs_buf_addc(&f->text, ';');
	return CFS_OK;
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	assert_true(what->text[0] != '\0');
	((struct found *)arg)->damaged++;
}

static int scan(struct cfs_source *src, struct found *f, struct cfs_error *e)
{
	struct cfs_scan_opts o = { .damaged = on_damage, .arg = f };
	int rc;

	*f = (struct found){ .damaged = 0 };
	cfs_buf_init(&f->text, 1 << 20);
	rc = cfs_seq_scan(src, &o, on_pair, NULL, e);
	cfs_source_close(src);
	return rc;
}

static void prefixes(void **state)
{
	static const size_t ends[] = { SMALL_HEAD, SMALL_HEAD + 12,
		SMALL_HEAD + 26, SMALL_HEAD + 46, SMALL_BYTES };
	static const char *const texts[] = { "", "k=v;", "k=v;kk=vv;",
		"k=v;kk=vv;", "k=v;kk=vv;kkk=vvv;" };

	(void)state;
	for (size_t n = 0; n <= SMALL_BYTES; n++) {
		struct cfs_slice in = exact_copy(small, n);
		struct cfs_source *src;
		struct found f;
		size_t i = 0;
		int rc;

		while (i + 1 < 5 && ends[i + 1] <= n)
			i++;
		assert_int_equal(cfs_source_open_memory(&src, in, "f", NULL), 0);
		rc = scan(src, &f, NULL);
		assert_int_equal(rc, n < SMALL_HEAD ? CFS_EFORMAT : CFS_OK);
		if (rc == CFS_OK) {
			assert_string_equal(cfs_buf_str(&f.text), texts[i]);
			assert_int_equal(f.damaged, n != ends[i]);
		}
		cfs_buf_release(&f.text);
		exact_free(in);
	}
}

/* A length that runs over the next record is found out by what follows, by
 * the marker it swallows or by the file's end; the last record survives. */
static void wrong_lengths(void **state)
{
	(void)state;
	for (unsigned v = 0; v < 256; v++) {
		struct cfs_slice in = exact_copy(small, SMALL_BYTES);
		struct cfs_source *src;
		struct found f;

		((uint8_t *)(uintptr_t)in.p)[SMALL_HEAD + 12 + 3] = (uint8_t)v;
		if (v < 6) {	/* shorter: another pair, by the bytes alone */
			exact_free(in);
			continue;
		}
		assert_int_equal(cfs_source_open_memory(&src, in, "f", NULL), 0);
		assert_int_equal(scan(src, &f, NULL), CFS_OK);
		assert_string_equal(cfs_buf_str(&f.text), v == 6 ?
				    "k=v;kk=vv;kkk=vvv;" : "k=v;kkk=vvv;");
		assert_int_equal(f.damaged, v == 6 ? 0 : 1);
		cfs_buf_release(&f.text);
		exact_free(in);
	}
}

/* Short reads change nothing; a failing one ends the walk. */
static void faults(void **state)
{
	(void)state;
	for (size_t n = 0; n < 2 * SMALL_BYTES; n += 7) {
		struct cfs_fault fault = { .max_read = 1 + n % 50,
			.fail_byte_set = n < SMALL_BYTES, .fail_byte = n };
		struct cfs_error e = CFS_ERROR_INIT;
		struct cfs_source *src;
		struct found f;
		int rc;

		assert_int_equal(cfs_source_open_memory(&src,
			cfs_slice_of(small, SMALL_BYTES), "f", NULL), 0);
		assert_int_equal(cfs_source_open_fault(&src, src, &fault, NULL), 0);
		rc = scan(src, &f, &e);
		assert_int_equal(rc, n < SMALL_BYTES ? CFS_EIO : CFS_OK);
		if (rc != CFS_OK)
			assert_true(e.text[0] != '\0');
		else
			assert_string_equal(cfs_buf_str(&f.text),
					    "k=v;kk=vv;kkk=vvv;");
		cfs_buf_release(&f.text);
	}
}

UNIT_PROGRAM
{
	UNIT_TEST(unwrap);
	UNIT_TEST(prefixes);
	UNIT_TEST(wrong_lengths);
	UNIT_TEST(faults);
	UNIT_ROWS(vint_cases, vint_case);
	UNIT_ROWS(head_cases, head_case);
	return unit_run("seqfile");
}
