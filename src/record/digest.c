/* digest.c - parses, writes and compares digests of records: LABEL ":" VALUE.
 *
 * Spec: ISO 28500:2017, section 5.8, which leaves both to the writer.  Labels
 * occur in either case, with and without "-" (sha-256, sha256); values in base
 * 32 (RFC 4648, section 6; usually SHA-1) and in hexadecimal (usually SHA-256),
 * in either case, and in base 64 (sections 4 and 5).  The number of digits
 * tells the base.  Blanks around the value do not count.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "digest.h"

#include <assert.h>
#include <nettle/md5.h>
#include <nettle/nettle-meta.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

#include "base/ascii.h"
#include "base/hex.h"

#define DIGEST_MAX 64u		/* SHA-512 */

enum { SHA1 = 1 };

static const struct algorithm {
	const char *label;
	const struct nettle_hash *hash;
	unsigned bits;		/* of a digit in the usual notation */
} algorithms[] = {
	{ "md5", &nettle_md5, 4 },
	[SHA1] = { "sha1", &nettle_sha1, 5 },
	{ "sha256", &nettle_sha256, 4 },
	{ "sha384", &nettle_sha384, 4 },
	{ "sha512", &nettle_sha512, 4 },
};

/* Writes hash->digest_size bytes, DIGEST_MAX at most. */
static void digest_of(const struct nettle_hash *hash, struct cfs_slice s,
		      enum cfs_pages pages, uint8_t *out)
{
	union {
		struct md5_ctx md5;
		struct sha1_ctx sha1;
		struct sha256_ctx sha256;
		struct sha512_ctx sha512;	/* for SHA-384 too */
	} c;

	assert(hash->context_size <= sizeof(c));
	assert(hash->digest_size <= DIGEST_MAX);
	hash->init(&c);
	while (s.n > 0) {
		struct cfs_slice step = cfs_slice_sub(s, 0, CFS_SPILL_STEP);

		hash->update(&c, step.n, step.p);
		cfs_pages_passed(pages, step);
		s = cfs_slice_from(s, step.n);
	}
	hash->digest(&c, hash->digest_size, out);
}

struct digest {
	const struct algorithm *algorithm;	/* NULL: not known */
	unsigned bits;				/* of a digit as written */
	uint8_t v[DIGEST_MAX];
};

static bool is_label(struct cfs_slice s, const char *label)
{
	for (; s.n > 0; s = cfs_slice_from(s, 1))
		if (s.p[0] != '-' && cfs_ascii_lower(s.p[0]) != *label++)
			return false;
	return *label == '\0';
}

/* Parses a digest.  False, too, if the value does not suit the algorithm. */
static bool parse(struct cfs_slice s, struct digest *out)
{
	ptrdiff_t colon = cfs_slice_find(s, ':');
	struct cfs_slice value;

	out->algorithm = NULL;
	if (colon < 0)
		return false;
	value = cfs_slice_trim(cfs_slice_from(s, (size_t)colon + 1));
	while (value.n > 0 && value.p[value.n - 1] == '=')
		value.n--;
	s = cfs_slice_trim(cfs_slice_sub(s, 0, (size_t)colon));
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++) {
		const struct algorithm *a = &algorithms[i];

		if (!is_label(s, a->label))
			continue;
		out->algorithm = a;
		for (out->bits = 4; out->bits <= 6; out->bits++)
			if (cfs_digits_read(value, out->bits, out->v,
					    a->hash->digest_size))
				return true;
		out->bits = a->bits;
		return false;
	}
	return false;
}

/* True for a digest in normal form already, as most are. */
static bool is_usual_sha1(struct cfs_slice s)
{
	static const struct cfs_slice label = CFS_SLICE_LIT("sha1:");
	bool is_usual = s.n == label.n + 32 && cfs_slice_starts(s, label);

	for (size_t i = label.n; is_usual && i < s.n; i++)
		is_usual = (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
			   (s.p[i] >= '2' && s.p[i] <= '7');
	return is_usual;
}

static void add_digest(struct cfs_buf *out, const struct digest *d)
{
	char text[2 * DIGEST_MAX];
	size_t n = cfs_digits_put(d->v, d->algorithm->hash->digest_size,
				  d->bits, text);

	cfs_buf_addf(out, "%s:", d->algorithm->label);
	cfs_buf_append(out, text, n);
}

/* Compares two digests of the same algorithm. */
static bool is_same_value(const struct digest *a, const struct digest *b)
{
	return memcmp(a->v, b->v, a->algorithm->hash->digest_size) == 0;
}

int cfs_digest_add(struct cfs_buf *out, struct cfs_slice digest)
{
	struct digest d;

	if (is_usual_sha1(digest) || !parse(digest, &d))
		return cfs_buf_add(out, digest);
	d.bits = d.algorithm->bits;
	add_digest(out, &d);
	return out->failed;
}

struct cfs_slice cfs_digest_bare(struct cfs_slice digest)
{
	static const struct cfs_slice sha1 = CFS_SLICE_LIT("sha1:");

	return cfs_slice_starts(digest, sha1) ?
	       cfs_slice_from(digest, sha1.n) : digest;
}

int cfs_digest_add_sha1(struct cfs_buf *out, struct cfs_slice bytes)
{
	return cfs_digest_add_sha1_of(out, bytes, CFS_PAGES_STAY);
}

int cfs_digest_add_sha1_of(struct cfs_buf *out, struct cfs_slice bytes,
			   enum cfs_pages pages)
{
	struct digest d = { .algorithm = &algorithms[SHA1], .bits = 5 };

	digest_of(d.algorithm->hash, bytes, pages, d.v);
	add_digest(out, &d);
	return out->failed;
}

enum cfs_digest_verdict cfs_digest_check(struct cfs_slice digest,
					 struct cfs_slice bytes,
					 enum cfs_pages pages,
					 struct cfs_buf *found)
{
	struct digest want, has;
	bool is_value = parse(digest, &want);

	if (want.algorithm == NULL)
		return CFS_DIGEST_UNKNOWN;
	has.algorithm = want.algorithm;
	has.bits = want.bits;
	digest_of(has.algorithm->hash, bytes, pages, has.v);
	add_digest(found, &has);
	return is_value && is_same_value(&want, &has) ? CFS_DIGEST_SAME :
							CFS_DIGEST_OTHER;
}

bool cfs_digest_equal(struct cfs_slice a, struct cfs_slice b)
{
	struct digest x, y;

	if (a.n == 0 || b.n == 0)
		return false;
	if (!parse(a, &x) || !parse(b, &y))
		return cfs_slice_eq_nocase(a, b);
	return x.algorithm == y.algorithm && is_same_value(&x, &y);
}

bool cfs_digest_contradict(struct cfs_slice a, struct cfs_slice b)
{
	struct digest x, y;

	if (a.n == 0 || b.n == 0 || cfs_digest_equal(a, b))
		return false;
	return !parse(a, &x) || !parse(b, &y) ||
	       x.algorithm == y.algorithm;
}
