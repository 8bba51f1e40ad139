/* digest_test.c - payload digests in the ways that crawlers write them.
 *
 * The values are those of the empty string and of "abc", made with Python's
 * hashlib and base64.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "record/digest.h"

#define SHA1_32 "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
#define SHA1_16 "da39a3ee5e6b4b0d3255bfef95601890afd80709"
#define SHA256_16 \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SHA256_32 "4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"
#define MD5_16 "d41d8cd98f00b204e9800998ecf8427e"
#define OTHER_16 \
	"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

#define SHA384_16 \
	"38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da" \
	"274edebfe76f65fbd51ad2f14898b95b"
#define SHA512_32 \
	"Z6B6CNL6564L34KUFBINM3MAA7LCBZAFBNLRLXED6SUSDU3M5HHEPUGRHROYL4VQ" \
	"76BRRUUHP3WC6Y5ZGG6UOQL2QGSTQMT27ET5UPQ"

struct digest_case {
	const char *name, *a, *b;
	bool equal, contradict;
	const char *form;	/* of a */
};
static struct digest_case digest_cases[] = {
	{ "as usual", "sha1:" SHA1_32, "sha1:" SHA1_32, true, false,
	  "sha1:" SHA1_32 },
	{ "with and without a dash", "sha-256:" SHA256_16, "sha256:" SHA256_16,
	  true, false, "sha256:" SHA256_16 },
	{ "label in capitals", "SHA-1:" SHA1_32, "sha1:" SHA1_32, true, false,
	  "sha1:" SHA1_32 },
	{ "hexadecimal and base 32", "sha1:" SHA1_16, "sha1:" SHA1_32, true,
	  false, "sha1:" SHA1_32 },
	{ "base 32 with padding", "sha256:" SHA256_32 "====",
	  "sha256:" SHA256_16, true, false, "sha256:" SHA256_16 },
	{ "base 64", "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha1:" SHA1_32, true,
	  false, "sha1:" SHA1_32 },
	{ "base 64 for URLs, without padding",
	  "sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk", "sha1:" SHA1_16, true, false,
	  "sha1:" SHA1_32 },
	{ "base 64, its case counts", "sha1:2JMJ7L5RSW0YVB/VLWAYKK/YBWK=",
	  "sha1:" SHA1_32, false, true,
	  "sha1:3CJQT3F6KFEW2GCUD7KS2YAYFCX5QBLC" },
	{ "MD5 in base 64", "md5:1B2M2Y8AsgTpgAmY7PhCfg==", "md5:" MD5_16,
	  true, false, "md5:" MD5_16 },
	{ "MD5 in base 32", "md5:2QOYZWMPACZAJ2MABGMOZ6CCPY======",
	  "md5:" MD5_16, true, false, "md5:" MD5_16 },
	{ "SHA-256 in base 64",
	  "sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
	  "sha256:" SHA256_16, true, false, "sha256:" SHA256_16 },
	{ "blanks behind the colon", "sha1: \t" SHA1_32, "sha1:" SHA1_32, true,
	  false, "sha1:" SHA1_32 },
	{ "a blank before it", "sha1 :" SHA1_32, "sha1:" SHA1_32, true, false,
	  "sha1:" SHA1_32 },
	{ "base 32 in small letters", "sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
	  "sha1:" SHA1_32, true, false, "sha1:" SHA1_32 },
	{ "of other bytes", "sha256:" SHA256_16, "sha-256:" OTHER_16, false,
	  true, "sha256:" SHA256_16 },
	{ "of other algorithms", "md5:" MD5_16, "sha1:" SHA1_32, false, false,
	  "md5:" MD5_16 },
	{ "unknown label", "xx:AbC", "XX:aBc", true, false, "xx:AbC" },
	{ "unknown labels, different", "xx:1", "xx:2", false, true, "xx:1" },
	{ "no label", SHA1_32, SHA1_32, true, false, SHA1_32 },
	{ "cut short", "sha1:3I42", "sha1:" SHA1_32, false, true, "sha1:3I42" },
	{ "one too long", "sha1:" SHA1_32 "A", "sha1:" SHA1_32, false, true,
	  "sha1:" SHA1_32 "A" },
	{ "not base 32", "sha1:1I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
	  "sha1:" SHA1_32, false, true,
	  "sha1:1I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" },
	{ "a label that begins like one", "sha1x:" SHA1_32, "sha1:" SHA1_32,
	  false, true, "sha1x:" SHA1_32 },
	{ "none", "", "sha1:" SHA1_32, false, false, "" },
	{ "neither", "", "", false, false, "" },
};

static void digest_case(void **state)
{
	const struct digest_case *tc = *state;
	struct cfs_slice a = exact_copy(tc->a, strlen(tc->a));
	struct cfs_slice b = exact_copy(tc->b, strlen(tc->b));
	struct cfs_buf form;

	assert_int_equal(cfs_digest_equal(a, b), tc->equal);
	assert_int_equal(cfs_digest_equal(b, a), tc->equal);
	assert_int_equal(cfs_digest_contradict(a, b), tc->contradict);
	assert_int_equal(cfs_digest_contradict(b, a), tc->contradict);
	cfs_buf_init(&form, 1024);
	assert_int_equal(cfs_digest_add(&form, a), CFS_OK);
	assert_string_equal(cfs_buf_str(&form), tc->form);
	cfs_buf_release(&form);
	exact_free(a);
	exact_free(b);
}

/* A digest compared with the empty string, and that one's as it is found. */
struct check_case {
	const char *name, *digest;
	enum cfs_digest_verdict verdict;
	const char *found;
};
static struct check_case check_cases[] = {
	{ "md5", "md5:" MD5_16, CFS_DIGEST_SAME, "md5:" MD5_16 },
	{ "sha1 in base 32", "sha1:" SHA1_32, CFS_DIGEST_SAME, "sha1:" SHA1_32 },
	{ "sha1 in hexadecimal", "SHA-1:" SHA1_16, CFS_DIGEST_SAME,
	  "sha1:" SHA1_16 },
	{ "sha256 in base 32", "sha256:" SHA256_32 "====", CFS_DIGEST_SAME,
	  "sha256:" SHA256_32 },
	{ "sha384", "sha-384:" SHA384_16, CFS_DIGEST_SAME, "sha384:" SHA384_16 },
	{ "sha512 in base 32", "sha512:" SHA512_32, CFS_DIGEST_SAME,
	  "sha512:" SHA512_32 },
	{ "other bytes", "sha256:" OTHER_16, CFS_DIGEST_OTHER,
	  "sha256:" SHA256_16 },
	{ "too short", "sha1:3I42H3S6", CFS_DIGEST_OTHER, "sha1:" SHA1_32 },
	{ "no value", "sha1:", CFS_DIGEST_OTHER, "sha1:" SHA1_32 },
	{ "not of its digits", "md5:x41d8cd98f00b204e9800998ecf8427e",
	  CFS_DIGEST_OTHER, "md5:" MD5_16 },
	{ "unknown algorithm", "blake3:" SHA256_16, CFS_DIGEST_UNKNOWN, "" },
	{ "no label", SHA1_32, CFS_DIGEST_UNKNOWN, "" },
	{ "nothing", "", CFS_DIGEST_UNKNOWN, "" },
};

static void check_case(void **state)
{
	const struct check_case *tc = *state;
	struct cfs_slice digest = exact_copy(tc->digest, strlen(tc->digest));
	struct cfs_buf found;

	cfs_buf_init(&found, 1024);
	assert_int_equal(cfs_digest_check(digest, CFS_SLICE_EMPTY,
					  CFS_PAGES_STAY, &found),
			 tc->verdict);
	assert_string_equal(cfs_buf_str(&found), tc->found);
	cfs_buf_release(&found);
	exact_free(digest);
}

UNIT_PROGRAM
{
	UNIT_ROWS(check_cases, check_case);
	UNIT_ROWS(digest_cases, digest_case);
	return unit_run("digest");
}
