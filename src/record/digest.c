/* digest.c - payload digests: LABEL ":" VALUE.
 *
 * Spec: ISO 28500:2017, section 5.8, which leaves both to the writer.  Labels
 * are met in either case, with and without "-" (sha-256, sha256); values in
 * base 32 (RFC 4648, section 6; SHA-1 usually) and in hexadecimal (SHA-256
 * usually), in either case.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "digest.h"

#include <nettle/sha1.h>

#include "base/ascii.h"

#define DIGEST_MAX 64u		/* SHA-512 */

static const char base32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static const struct algorithm {
	const char *label;
	size_t bytes;
	bool is_base32;		/* usually */
} algorithms[] = {
	{ "md5", 16, false },
	{ "sha1", 20, true },
	{ "sha256", 32, false },
	{ "sha384", 48, false },
	{ "sha512", 64, false },
};

struct digest {
	const struct algorithm *algorithm;
	uint8_t v[DIGEST_MAX];
};

static bool is_label(struct cfs_slice s, const char *label)
{
	for (; s.n > 0; s = cfs_slice_from(s, 1))
		if (s.p[0] != '-' && cfs_ascii_lower(s.p[0]) != *label++)
			return false;
	return *label == '\0';
}

static int base32_value(uint8_t c)
{
	if (cfs_is_alpha(c))
		return cfs_ascii_lower(c) - 'a';
	return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

/* Digits of so many bits each; true if they are exactly the n bytes. */
static bool decode(struct cfs_slice s, unsigned bits, uint8_t *out, size_t n)
{
	unsigned held = 0, have = 0;

	if (s.n != (n * 8 + bits - 1) / bits)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int v = bits == 4 ? cfs_xdigit_value(s.p[i]) :
				    base32_value(s.p[i]);

		if (v < 0)
			return false;
		held = (held << bits | (unsigned)v) & 0xffff;
		have += bits;
		if (have >= 8) {
			have -= 8;
			*out++ = (uint8_t)(held >> have);
		}
	}
	return true;
}

static bool parse(struct cfs_slice s, struct digest *out)
{
	ptrdiff_t colon = cfs_slice_find(s, ':');
	struct cfs_slice value;

	if (colon < 0)
		return false;
	value = cfs_slice_from(s, (size_t)colon + 1);
	while (value.n > 0 && value.p[value.n - 1] == '=')
		value.n--;
	s.n = (size_t)colon;
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++) {
		const struct algorithm *a = &algorithms[i];

		out->algorithm = a;
		if (is_label(s, a->label))
			return decode(value, 4, out->v, a->bytes) ||
			       decode(value, 5, out->v, a->bytes);
	}
	return false;
}

static void add_base32(struct cfs_buf *out, const uint8_t *p, size_t n)
{
	unsigned held = 0, have = 0;

	for (size_t i = 0; i < n; i++) {
		held = (held << 8 | p[i]) & 0xffff;
		for (have += 8; have >= 5; have -= 5)
			cfs_buf_addc(out, (uint8_t)base32[held >> (have - 5) &
							  31]);
	}
	if (have > 0)
		cfs_buf_addc(out, (uint8_t)base32[held << (5 - have) & 31]);
}

/* In its one form already, as most digests are. */
static bool is_usual_sha1(struct cfs_slice s)
{
	static const struct cfs_slice label = CFS_SLICE_LIT("sha1:");
	bool is_usual = s.n == label.n + 32 && cfs_slice_starts(s, label);

	for (size_t i = label.n; is_usual && i < s.n; i++)
		is_usual = (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
			   (s.p[i] >= '2' && s.p[i] <= '7');
	return is_usual;
}

int cfs_digest_add(struct cfs_buf *out, struct cfs_slice digest)
{
	struct digest d;

	if (is_usual_sha1(digest) || !parse(digest, &d))
		return cfs_buf_add(out, digest);
	cfs_buf_addf(out, "%s:", d.algorithm->label);
	if (d.algorithm->is_base32)
		add_base32(out, d.v, d.algorithm->bytes);
	else
		for (size_t i = 0; i < d.algorithm->bytes; i++)
			cfs_buf_addf(out, "%02x", d.v[i]);
	return out->failed;
}

int cfs_digest_add_sha1(struct cfs_buf *out, struct cfs_slice bytes)
{
	uint8_t digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx ctx;

	sha1_init(&ctx);
	sha1_update(&ctx, bytes.n, bytes.p);
	sha1_digest(&ctx, sizeof(digest), digest);
	cfs_buf_adds(out, "sha1:");
	add_base32(out, digest, sizeof(digest));
	return out->failed;
}

bool cfs_digest_equal(struct cfs_slice a, struct cfs_slice b)
{
	struct digest x, y;

	if (a.n == 0 || b.n == 0)
		return false;
	if (!parse(a, &x) || !parse(b, &y))
		return cfs_slice_eq_nocase(a, b);
	return x.algorithm == y.algorithm &&
	       cfs_slice_eq(cfs_slice_of(x.v, x.algorithm->bytes),
			    cfs_slice_of(y.v, y.algorithm->bytes));
}

bool cfs_digest_contradict(struct cfs_slice a, struct cfs_slice b)
{
	struct digest x, y;

	if (a.n == 0 || b.n == 0 || cfs_digest_equal(a, b))
		return false;
	return !parse(a, &x) || !parse(b, &y) || x.algorithm == y.algorithm;
}
