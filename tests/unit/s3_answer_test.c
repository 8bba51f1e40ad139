/* s3_answer_test.c - what is read of S3's XML answers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/s3_answer.h"

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define NS " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\""

static int parse(struct cfs_s3_answer *a, const char *text)
{
	return cfs_s3_answer_parse(a, cfs_slice_str(text), NULL);
}

static void initiated(void **state)
{
	struct cfs_s3_answer a;

	(void)state;
	assert_int_equal(parse(&a, HEAD "<InitiateMultipartUploadResult" NS ">"
		"<Bucket>b</Bucket><Key>k</Key><UploadId>VXBsb2.x_y-z--</UploadId>"
		"</InitiateMultipartUploadResult>"), CFS_OK);
	assert_int_equal(a.kind, CFS_S3_INITIATED);
	assert_string_equal(a.upload_id, "VXBsb2.x_y-z--");
	cfs_s3_answer_release(&a);
}

static void completed(void **state)
{
	struct cfs_s3_answer a;

	(void)state;
	assert_int_equal(parse(&a, HEAD "   \n<CompleteMultipartUploadResult" NS
		"><ETag>&quot;0123-2&quot;</ETag></CompleteMultipartUploadResult>"),
		CFS_OK);
	assert_int_equal(a.kind, CFS_S3_COMPLETED);
	assert_string_equal(a.etag, "0123-2");
	cfs_s3_answer_release(&a);
}

static void error(void **state)
{
	struct cfs_s3_answer a;

	(void)state;
	assert_int_equal(parse(&a, HEAD "<Error><Code>SlowDown</Code>"
		"<Message>less\x1b[2J\n of it</Message></Error>"), CFS_EFORMAT);
	assert_int_equal(parse(&a, HEAD "<Error><Code>SlowDown</Code>"
		"<Message>less\n of\xc3\xa9 it</Message></Error>"), CFS_OK);
	assert_int_equal(a.kind, CFS_S3_ERROR);
	assert_string_equal(a.code, "SlowDown");
	assert_string_equal(a.message, "less of it");
	cfs_s3_answer_release(&a);
}

struct error_case {
	const char *name, *text, *code, *message;
};
static struct error_case error_cases[] = {
	{ "whole", HEAD "<Error><Code>A</Code><Message>b</Message><X/></Error>",
	  "A", "b" },
	{ "after blanks, with a name space", " \r\n<Error" NS "><Code>A</Code>"
	  "</Error>", "A", "" },
	{ "cut behind its message", "<Error><Code>A</Code><Message>b</Message>"
	  "<CanonicalRequest>GET", "A", "b" },
	/* Holds E52. */
	{ "cut inside it", "<Error><Code>A</Code><Message>b", "A", "b" },
	{ "of another service", "<ErrorResponse" NS "><Error><Type>Sender</Type>"
	  "<Code>A</Code><Message>b</Message></Error></ErrorResponse>", "A",
	  "b" },
	/* Holds E52. */
	{ "control bytes", "<Error><Code>A\tB</Code><Message>b&#x9b;2J\xc2\x9b"
	  "</Message></Error>", "AB", "b2J" },
	{ "a section", "<Error><!-- c --><Code><![CDATA[A]]>B<!-- c -->C</Code>"
	  "</Error>", "AB", "" },
	{ "elements that do not end", "<Error><Code>A</Code><a><a><a><a><a><a>"
	  "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>", "A", "" },
	{ "a prefix", "<x:Error xmlns:x='u'><x:Code>A</x:Code></x:Error>", "A",
	  "" },
	{ "an undeclared prefix", "<Error><x:Code>A</x:Code></Error>", "", "" },
	{ "in ISO-8859-1", "<?xml version='1.0' encoding='iso-8859-1'?><Error>"
	  "<Code>A\xe9</Code></Error>", "A", "" },
	{ "text before it", "An <Error><Code>A</Code></Error>", "", "" },
	{ "a page", "<html><body><Error/><Code>A</Code></body></html>", "", "" },
	{ "a document type", "<!DOCTYPE Error [<!ENTITY a \"b\">]><Error><Code>"
	  "&a;</Code></Error>", "", "" },
	{ "text", "<Error", "", "" },
	{ "nothing", "", "", "" },
};

static void error_case(void **state)
{
	const struct error_case *tc = *state;
	struct cfs_s3_answer a;

	cfs_s3_answer_error(&a, cfs_slice_str(tc->text));
	assert_string_equal(a.code, tc->code);
	assert_string_equal(a.message, tc->message);
}

/* In UTF-16 with a byte order mark. */
static void wide(void **state)
{
	static const char text[] = "<Error><Code>SlowDown</Code></Error>";
	uint8_t utf16[2 * sizeof(text)] = { 0xfe, 0xff };
	struct cfs_s3_answer a;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i++)
		utf16[2 + 2 * i + 1] = (uint8_t)text[i];
	assert_int_equal(cfs_s3_answer_parse(&a, cfs_slice_of(utf16,
							      sizeof(utf16)),
					     NULL), CFS_OK);
	assert_string_equal(a.code, "SlowDown");
	cfs_s3_answer_release(&a);
	cfs_s3_answer_error(&a, cfs_slice_of(utf16, sizeof(utf16) / 2));
	assert_string_equal(a.code, "Slow");
}

static const char parts_text[] = HEAD "<ListPartsResult" NS ">"
	"<IsTruncated>true</IsTruncated>"
	"<NextPartNumberMarker>3</NextPartNumberMarker>"
	"<Part><PartNumber>2</PartNumber><ETag>\"ab\"</ETag><Size>7</Size></Part>"
	"<Part><PartNumber>3</PartNumber><ETag>cd</ETag>"
	"<Size>8388608</Size></Part></ListPartsResult>";

static void parts(void **state)
{
	struct cfs_s3_answer a;

	(void)state;
	assert_int_equal(parse(&a, parts_text), CFS_OK);
	assert_int_equal(a.kind, CFS_S3_PARTS);
	assert_int_equal(a.n_parts, 2);
	assert_int_equal(a.part[0].number, 2);
	assert_int_equal(a.part[0].bytes, 7);
	assert_string_equal(a.part[0].etag, "ab");
	assert_int_equal(a.part[1].bytes, 8388608);
	assert_string_equal(a.part[1].etag, "cd");
	assert_true(a.is_truncated);
	assert_int_equal(a.next, 3);
	cfs_s3_answer_release(&a);
}

/* None of them is an answer, and none reads past its end. */
static void prefixes(void **state)
{
	struct cfs_s3_answer a;

	(void)state;
	for (size_t n = 0; n < sizeof(parts_text) - 1; n++) {
		char *exact = malloc(n + 1);

		assert_non_null(exact);
		memcpy(exact, parts_text, n);
		assert_int_equal(cfs_s3_answer_parse(&a, cfs_slice_of(exact, n),
						     NULL), CFS_EFORMAT);
		free(exact);
	}
}

struct bad_case {
	const char *name, *text;
	int rc;
};
static struct bad_case bad_cases[] = {
	{ "no id", "<InitiateMultipartUploadResult/>", CFS_EFORMAT },
	{ "an id with a blank", "<InitiateMultipartUploadResult><UploadId>a b"
	  "</UploadId></InitiateMultipartUploadResult>", CFS_EFORMAT },
	{ "part 0", "<ListPartsResult><Part><PartNumber>0</PartNumber>"
	  "<ETag>a</ETag><Size>1</Size></Part></ListPartsResult>", CFS_EFORMAT },
	{ "part 10,001", "<ListPartsResult><Part><PartNumber>10001</PartNumber>"
	  "<ETag>a</ETag><Size>1</Size></Part></ListPartsResult>", CFS_EFORMAT },
	{ "no size", "<ListPartsResult><Part><PartNumber>1</PartNumber>"
	  "<ETag>a</ETag></Part></ListPartsResult>", CFS_EFORMAT },
	{ "markup in an ETag", "<ListPartsResult><Part><PartNumber>1</PartNumber>"
	  "<ETag>&lt;/ETag></ETag><Size>1</Size></Part></ListPartsResult>",
	  CFS_EFORMAT },
	{ "no end of the list", "<ListPartsResult><IsTruncated>true"
	  "</IsTruncated></ListPartsResult>", CFS_EFORMAT },
	{ "a document type", "<!DOCTYPE Error [<!ENTITY a \"b\">]><Error>"
	  "<Code>&a;</Code></Error>", CFS_EFORMAT },
	{ "no XML", "SlowDown", CFS_EFORMAT },
	{ "elements that do not end", "<Error><a><a><a><a><a><a><a><a><a><a><a>"
	  "<a><a><a><a><a><a><a><a><a><a><a><a><a>", CFS_EFORMAT },
	{ "text behind it", "<Error></Error>x", CFS_EFORMAT },
	{ "a name of HTML", "<Error><Code>&eacute;</Code></Error>", CFS_EFORMAT },
	{ "an unknown encoding", "<?xml version='1.0' encoding='koi8-r'?><Error/>",
	  CFS_EFORMAT },
	{ "no UTF-8", "<Error>\xe9</Error>", CFS_EFORMAT },
};

static void bad(void **state)
{
	const struct bad_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_s3_answer a;

	assert_int_equal(cfs_s3_answer_parse(&a, cfs_slice_str(tc->text), &err),
			 tc->rc);
	assert_int_equal(err.code, tc->rc);
	assert_null(a.part);
}

static void etags(void **state)
{
	char out[CFS_S3_ETAG_BYTES], longest[CFS_S3_ETAG_BYTES + 1];

	(void)state;
	assert_true(cfs_s3_etag(CFS_SLICE_LIT(" \"d41d-2\"\r\n"), out));
	assert_string_equal(out, "d41d-2");
	assert_false(cfs_s3_etag(CFS_SLICE_LIT("\"\""), out));
	assert_false(cfs_s3_etag(CFS_SLICE_LIT("W/\"x\""), out));
	memset(longest, 'a', sizeof(longest));
	assert_true(cfs_s3_etag(cfs_slice_of(longest, sizeof(out) - 1), out));
	assert_false(cfs_s3_etag(cfs_slice_of(longest, sizeof(out)), out));
}

UNIT_PROGRAM
{
	UNIT_TEST(initiated);
	UNIT_TEST(completed);
	UNIT_TEST(error);
	UNIT_TEST(parts);
	UNIT_TEST(wide);
	UNIT_TEST(prefixes);
	UNIT_TEST(etags);
	UNIT_ROWS(bad_cases, bad);
	UNIT_ROWS(error_cases, error_case);
	return unit_run("s3_answer");
}
