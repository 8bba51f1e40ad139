/* body_test.c - encodings of bodies, believed and not.
 *
 * Compressed bytes come from record_fixtures.py.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "record/body.h"
#include "record/parse.h"
#include "record_fixtures.h"

#define MAX_BODY (8u << 20)

static struct cfs_fields two_fields(struct cfs_field v[2], const char *te,
				    const char *ce)
{
	v[0] = (struct cfs_field){ cfs_slice_str("Transfer-Encoding"),
				   cfs_slice_str(te) };
	v[1] = (struct cfs_field){ cfs_slice_str("content-encoding"),
				   cfs_slice_str(ce) };
	return (struct cfs_fields){ v, 2 };
}

enum want { AS_STORED, WHOLE, PART, NO_PART };

/* Decodes in and compares with the plain text (or the text given). */
static void check(const char *te, const char *ce, struct cfs_slice in,
		  bool is_cut, enum want want, struct cfs_slice plain)
{
	struct cfs_slice exact = exact_copy(in.p, in.n);
	struct cfs_body_result res;
	struct cfs_field v[2];
	struct cfs_fields f = two_fields(v, te, ce);

	assert_int_equal(cfs_body_decode(exact, &f, is_cut, MAX_BODY, NULL,
					 &res, NULL), CFS_OK);
	if (want != NO_PART)
		assert_int_equal(res.own.p == NULL, want == AS_STORED);
	assert_int_equal(res.is_damaged, want == PART || want == NO_PART);
	if (want == WHOLE) {
		assert_slice_n(cfs_buf_slice(&res.own), plain.p, plain.n);
	} else if (want == PART) {
		assert_true(res.own.n > 0 && res.own.n <= plain.n);
		assert_memory_equal(res.own.p, plain.p, res.own.n);
	}
	cfs_buf_release(&res.own);
	exact_free(exact);
}

#define FIX(name) cfs_slice_of(fix_##name, sizeof(fix_##name))

/* The slices of the rows cannot be constant expressions: filled in main. */
struct enc_case {
	const char *name, *te, *ce;
	enum want want;
	size_t cut;		/* bytes left off the end */
	struct cfs_slice in;
};
static struct enc_case enc_cases[] = {
	{ "gzip", "", "gzip", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "x-gzip", "", "X-GZip", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "gzip with FEXTRA, FNAME, FHCRC", "", "gzip", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "gzip as a transfer encoding", "gzip", "", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "gzip twice", "", "gzip, gzip", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "gzip twice, really once", "", "gzip, gzip", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "gzip over decoded text", "", "gzip", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "gzip cut off", "", "gzip", PART, 60, CFS_SLICE_LIT("") },
	/* Holds B3. */
	{ "gzip without its trailer", "", "gzip", WHOLE, 8, CFS_SLICE_LIT("") },
	{ "gzip, half of its trailer", "", "gzip", WHOLE, 4, CFS_SLICE_LIT("") },
	/* Holds B3. */
	{ "gzip, one byte less", "", "gzip", PART, 9, CFS_SLICE_LIT("") },
	{ "gzip cut to its header", "", "gzip", NO_PART,
	  sizeof(fix_gzip) - 10, CFS_SLICE_LIT("") },
	{ "deflate, zlib", "", "deflate", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "deflate, zlib, cut off", "", "deflate", PART, 60, CFS_SLICE_LIT("") },
	{ "deflate, zlib, no checksum", "", "deflate", WHOLE, 4,
	  CFS_SLICE_LIT("") },
	{ "deflate, raw", "", "deflate", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "deflate over text", "", "deflate", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "brotli", "", "br", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "brotli cut off", "", "br", PART, 60, CFS_SLICE_LIT("") },
	{ "brotli over text", "", "br", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "brotli said, gzip is there", "", "br", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "gzip said, brotli is there", "", "gzip", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "zstd", "", "zstd", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "zstd without its size", "", "ZSTD", WHOLE, 0, CFS_SLICE_LIT("") },
	{ "zstd cut off", "", "zstd", PART, 20, CFS_SLICE_LIT("") },
	{ "zstd cut to its first block", "", "zstd", NO_PART,
	  sizeof(fix_zstd) - 30, CFS_SLICE_LIT("") },
	{ "zstd over text", "", "zstd", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "zstd with too large a window", "", "zstd", AS_STORED, 0,
	  CFS_SLICE_LIT("") },
	{ "unknown", "", "sdch", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "none", "", "", AS_STORED, 0, CFS_SLICE_LIT("") },
	{ "identity", "", "identity", AS_STORED, 0, CFS_SLICE_LIT("") },
};

static void fill_rows(void)
{
	struct cfs_slice in[] = {
		FIX(gzip), FIX(gzip), FIX(gzip_extra), FIX(gzip),
		FIX(gzip_gzip), FIX(gzip), FIX(plain), FIX(gzip), FIX(gzip),
		FIX(gzip), FIX(gzip), FIX(gzip), FIX(zlib), FIX(zlib),
		FIX(zlib), FIX(raw), FIX(plain), FIX(br),
		FIX(br), FIX(plain), FIX(gzip), FIX(br), FIX(zstd),
		FIX(zstd_blocks), FIX(zstd_blocks), FIX(zstd), FIX(plain),
		FIX(zstd_window), FIX(gzip), FIX(gzip), FIX(gzip),
	};

	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		enc_cases[i].in = in[i];
}

static void enc_case(void **state)
{
	const struct enc_case *tc = *state;

	check(tc->te, tc->ce, cfs_slice_sub(tc->in, 0, tc->in.n - tc->cut),
	      false, tc->want, FIX(plain));
}

struct chunk_case {
	const char *name, *in, *out;
	enum want want;
	bool is_cut;
};
static struct chunk_case chunk_cases[] = {
	{ "one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello", WHOLE, false },
	{ "two, extensions and trailers",
	  "5;a=b\r\nhello\r\nB \r\n, big world\r\n0\r\nX: y\r\n\r\n",
	  "hello, big world", WHOLE, false },
	{ "leading zeros", "00005\r\nhello\r\n0\r\n\r\n", "hello", WHOLE, false },
	{ "no last chunk", "5\r\nhello\r\n", "hello", PART, false },
	{ "first chunk, end", "5\r\nhello", "hello", PART, false },
	{ "cut in the line end", "5\r\nhello\r", "hello", PART, false },
	{ "another byte after it", "5\r\nhello!", "", AS_STORED, false },
	{ "second chunk cut", "5\r\nhello\r\n100\r\nwor", "hellowor", PART, false },
	{ "size too large later", "5\r\nhello\r\nzz\r\n", "hello", PART, false },
	{ "first chunk cut", "100\r\nhello", "hello", PART, false },
	{ "first chunk cut, only letters", "abc\r\n<p>hello", "<p>hello", PART,
	  false },
	{ "nothing but a size", "100\r\n", "", AS_STORED, false },
	{ "first chunk cut, record is cut", "100\r\nhello", "hello", PART, true },
	{ "text", "<html>hello</html>", "", AS_STORED, false },
	{ "text that begins with hex", "add\r\nthis to that, please", "",
	  AS_STORED, false },
	{ "LF only", "5\nhello\n0\n\n", "", AS_STORED, false },
	{ "size past 60 bits", "fffffffffffffffff\r\nx\r\n", "", AS_STORED, false },
	{ "size of nothing", "\r\nhello", "", AS_STORED, false },
	{ "empty body", "0\r\n\r\n", "", WHOLE, false },
	{ "line end missing after data", "5\r\nhelloXX0\r\n\r\n", "", AS_STORED,
	  false },
};

static void chunk_case(void **state)
{
	const struct chunk_case *tc = *state;

	check("Chunked", "", cfs_slice_str(tc->in), tc->is_cut, tc->want,
	      cfs_slice_str(tc->out));
}

/* Chunks round a gzip body, whole and cut at every byte. */
static void chunked_gzip(void **state)
{
	struct cfs_slice gz = FIX(gzip);
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_addf(&b, "%x\r\n", 100);
	cfs_buf_add(&b, cfs_slice_sub(gz, 0, 100));
	cfs_buf_addf(&b, "\r\n%zx\r\n", gz.n - 100);
	cfs_buf_add(&b, cfs_slice_from(gz, 100));
	cfs_buf_adds(&b, "\r\n0\r\n\r\n");
	check("chunked", "gzip", cfs_buf_slice(&b), false, WHOLE, FIX(plain));
	for (size_t n = 200; n < gz.n; n++)
		check("chunked", "gzip", cfs_slice_sub(cfs_buf_slice(&b), 0, n),
		      false, PART, FIX(plain));
	cfs_buf_release(&b);
}

/* Whatever is behind a stream that is no part of it. */
/* Holds B3. */
static void strays(void **state)
{
	static const struct { const char *s; size_t n; } behind[] = {
		{ "\r\n", 2 }, { "\n", 1 }, { "\r", 1 }, { "\0", 1 },
		{ "\r\n\r\n", 4 }, { "\0\0\0\0\0\0\0\0", 8 }, { "  \t", 3 },
		{ "\r\n0\r\n\r\n", 7 },
	};
	struct { const char *te, *ce; struct cfs_slice s; } in[] = {
		{ "", "gzip", FIX(gzip) }, { "", "deflate", FIX(zlib) },
		{ "", "deflate", FIX(raw) }, { "", "br", FIX(br) },
		{ "", "zstd", FIX(zstd) }, { "", "gzip, gzip", FIX(gzip_gzip) },
		{ "br", "", FIX(br) },
	};
	struct cfs_buf b, chunks;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_init(&chunks, 1 << 20);
	for (size_t i = 0; i < COUNT(in); i++)
		for (size_t k = 0; k < COUNT(behind); k++) {
			cfs_buf_reset(&b);
			cfs_buf_add(&b, in[i].s);
			cfs_buf_append(&b, behind[k].s, behind[k].n);
			check(in[i].te, in[i].ce, cfs_buf_slice(&b), false,
			      WHOLE, FIX(plain));
			cfs_buf_reset(&chunks);
			cfs_buf_addf(&chunks, "%zx\r\n", b.n);
			cfs_buf_add(&chunks, cfs_buf_slice(&b));
			cfs_buf_adds(&chunks, "\r\n0\r\n\r\n");
			cfs_buf_append(&chunks, behind[k].s, behind[k].n);
			check(in[i].te[0] != '\0' ? "br, chunked" : "chunked",
			      in[i].ce, cfs_buf_slice(&chunks), false, WHOLE,
			      FIX(plain));
		}
	cfs_buf_release(&b);
	cfs_buf_release(&chunks);
}

/* Members with line ends between them. */
/* Holds B3. */
static void members_apart(void **state)
{
	struct { const char *ce; struct cfs_slice s; } in[] = {
		{ "gzip", FIX(gzip) }, { "zstd", FIX(zstd) },
	};
	struct cfs_buf b, out;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_init(&out, 1 << 20);
	cfs_buf_add(&out, FIX(plain));
	cfs_buf_add(&out, FIX(plain));
	for (size_t i = 0; i < COUNT(in); i++) {
		cfs_buf_reset(&b);
		cfs_buf_add(&b, in[i].s);
		cfs_buf_adds(&b, "\r\n");
		cfs_buf_add(&b, in[i].s);
		check("", in[i].ce, cfs_buf_slice(&b), false, WHOLE,
		      cfs_buf_slice(&out));
	}
	cfs_buf_release(&b);
	cfs_buf_release(&out);
}

static void gzip_members_and_garbage(void **state)
{
	struct cfs_slice plain = FIX(plain);
	struct cfs_buf in, out;

	(void)state;
	cfs_buf_init(&in, 1 << 20);
	cfs_buf_init(&out, 1 << 20);
	cfs_buf_add(&in, FIX(gzip));
	cfs_buf_add(&in, FIX(gzip_extra));
	cfs_buf_adds(&in, "\n\n");
	cfs_buf_add(&out, plain);
	cfs_buf_add(&out, plain);
	check("", "gzip", cfs_buf_slice(&in), false, WHOLE, cfs_buf_slice(&out));
	cfs_buf_release(&in);
	cfs_buf_release(&out);
}

/* Holds B3. */
static void bad_crc(void **state)
{
	uint8_t bad[sizeof(fix_gzip)];

	(void)state;
	memcpy(bad, fix_gzip, sizeof(bad));
	bad[sizeof(bad) - 8] ^= 1;
	check("", "gzip", cfs_slice_of(bad, sizeof(bad)), false, PART,
	      FIX(plain));
}

static void limit(void **state)
{
	static const size_t max[] = { 1 << 20, (1 << 20) - 1, 1 };
	struct cfs_body_result res;
	struct cfs_field v[2];
	struct cfs_fields f = two_fields(v, "", "gzip");

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct cfs_error err = CFS_ERROR_INIT;
		int rc = cfs_body_decode(FIX(zeros), &f, false, max[i], NULL,
					 &res, &err);

		assert_int_equal(rc, i == 0 ? CFS_OK : CFS_ELIMIT);
		if (i > 0)
			assert_non_null(strstr(err.text, "more than"));
		cfs_buf_release(&res.own);
	}
}

/* Hand-made stream: an uncompressed meta-block of 5 bytes and an empty last
 * one (RFC 7932, 9.2). */
static void brotli_by_hand(void **state)
{
	static const uint8_t in[] = { 0x40, 0x00, 0x10, 'h', 'e', 'l', 'l', 'o', 3 };

	(void)state;
	check("", "br", cfs_slice_of(in, sizeof(in)), false, WHOLE,
	      CFS_SLICE_LIT("hello"));
}

/* These are whole brotli streams of nothing, with something behind. */
static void brotli_by_accident(void **state)
{
	static const uint8_t more[] = { 0x40, 0x00, 0x10, 'h', 'e', 'l', 'l',
					'o', 3, 'x' };

	(void)state;
	check("", "br", CFS_SLICE_LIT("{\"a\": 1}"), false, AS_STORED,
	      CFS_SLICE_LIT(""));
	check("", "br", cfs_slice_of(more, sizeof(more)), false, AS_STORED,
	      CFS_SLICE_LIT(""));
}

static void in_a_record(void **state)
{
	struct cfs_record r;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_adds(&b, "http://a.org/ 1.2.3.4 20080509130938 text/html 9\n"
		     "HTTP/1.1 200 OK\r\nContent-Encoding:gzip\r\n\r\n");
	cfs_buf_add(&b, FIX(gzip));
	cfs_buf_adds(&b, "\n");
	assert_int_equal(cfs_record_parse(&r, cfs_buf_slice(&b), 0, NULL, NULL,
					  NULL), CFS_OK);
	assert_slice_n(r.body, fix_plain, sizeof(fix_plain));
	assert_slice_n(r.stored_body, fix_gzip, sizeof(fix_gzip));
	assert_true(r.body_was_decoded);
	cfs_record_release(&r);
	assert_int_equal(cfs_record_parse(&r, cfs_buf_slice(&b),
					  CFS_PARSE_HEAD_ONLY, NULL, NULL,
					  NULL), CFS_OK);
	assert_int_equal(r.body.n, 0);
	assert_int_equal(r.stored_body.n, sizeof(fix_gzip));
	cfs_record_release(&r);
	cfs_buf_release(&b);
}

UNIT_PROGRAM
{
	fill_rows();
	UNIT_ROWS(enc_cases, enc_case);
	UNIT_ROWS(chunk_cases, chunk_case);
	UNIT_TEST(chunked_gzip);
	UNIT_TEST(strays);
	UNIT_TEST(members_apart);
	UNIT_TEST(gzip_members_and_garbage);
	UNIT_TEST(bad_crc);
	UNIT_TEST(limit);
	UNIT_TEST(brotli_by_hand);
	UNIT_TEST(brotli_by_accident);
	UNIT_TEST(in_a_record);
	return unit_run("body");
}
