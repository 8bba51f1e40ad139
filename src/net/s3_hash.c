/* s3_hash.c - MD5 and SHA-256 of what is sent to S3.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_hash.h"

#include <errno.h>
#include <nettle/md5.h>
#include <nettle/sha2.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"

#define READ_BYTES 65536u

static void to_hex(const uint8_t *p, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * n] = '\0';
}

struct hashes {
	struct md5_ctx md5;
	struct sha256_ctx sha;
};

static void hash_end(struct hashes *h, char md5[CFS_S3_MD5_HEX], char sha256[CFS_S3_SHA256_HEX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	md5_digest(&h->md5, MD5_DIGEST_SIZE, digest);
	if (md5 != NULL)
		to_hex(digest, MD5_DIGEST_SIZE, md5);
	sha256_digest(&h->sha, SHA256_DIGEST_SIZE, digest);
	if (sha256 != NULL)
		to_hex(digest, SHA256_DIGEST_SIZE, sha256);
}

int cfs_s3_hash(int fd, uint64_t off, uint64_t n, char md5[CFS_S3_MD5_HEX],
		char sha256[CFS_S3_SHA256_HEX], const struct cfs_cancel *cancel,
		struct cfs_error *err)
{
	uint8_t buf[READ_BYTES];
	struct hashes h;

	md5_init(&h.md5);
	sha256_init(&h.sha);
	while (n > 0) {
		size_t want = n < sizeof(buf) ? (size_t)n : sizeof(buf);
		ssize_t got = pread(fd, buf, want, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return cfs_error_set(err, CFS_EIO, "cannot read what is "
				"to be sent: %s", got < 0 ? strerror(errno) :
				"the file is shorter than it was");
		if (cfs_cancelled(cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		if (md5 != NULL)
			md5_update(&h.md5, (size_t)got, buf);
		if (sha256 != NULL)
			sha256_update(&h.sha, (size_t)got, buf);
		off += (uint64_t)got;
		n -= (uint64_t)got;
	}
	hash_end(&h, md5, sha256);
	return CFS_OK;
}

void cfs_s3_hash_text(struct cfs_slice text, char md5[CFS_S3_MD5_HEX],
		      char sha256[CFS_S3_SHA256_HEX])
{
	struct hashes h;

	md5_init(&h.md5);
	sha256_init(&h.sha);
	md5_update(&h.md5, text.n, text.p);
	sha256_update(&h.sha, text.n, text.p);
	hash_end(&h, md5, sha256);
}

void cfs_s3_md5_decode(const char *hex, uint8_t out[CFS_S3_MD5_BYTES])
{
	for (size_t i = 0; i < CFS_S3_MD5_BYTES; i++)
		out[i] = (uint8_t)(cfs_xdigit_value((uint8_t)hex[2 * i]) << 4 |
				   cfs_xdigit_value((uint8_t)hex[2 * i + 1]));
}
