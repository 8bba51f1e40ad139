/* s3_hash.h - the hashes of what is sent to S3, as hex.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_S3_HASH_H
#define CFS_NET_S3_HASH_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"

#define CFS_S3_MD5_BYTES 16u
#define CFS_S3_MD5_HEX 33u	/* with the NUL */
#define CFS_S3_SHA256_HEX 65u

/* The hashes of n bytes of fd from off; either may be NULL.  CFS_EIO,
 * CFS_EINTR. */
int cfs_s3_hash(int fd, uint64_t off, uint64_t n, char md5[CFS_S3_MD5_HEX],
		char sha256[CFS_S3_SHA256_HEX], const struct cfs_cancel *cancel,
		struct cfs_error *err);
/* Those of bytes in memory; either may be NULL. */
void cfs_s3_hash_text(struct cfs_slice text, char md5[CFS_S3_MD5_HEX],
		      char sha256[CFS_S3_SHA256_HEX]);

/* The bytes of an MD5 in hex, which is valid. */
void cfs_s3_md5_decode(const char *hex, uint8_t out[CFS_S3_MD5_BYTES]);

#endif
