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

int main(void)
{
	UNIT_ROWS(digest_cases, digest_case);
	return unit_run("digest");
}
