/* wacz_package.h - reads datapackage.json, the list of files and their hashes.
 *
 * Spec: doc/formats.md, "WACZ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_WACZ_PACKAGE_H
#define CFS_RECORD_WACZ_PACKAGE_H

#include "base/buf.h"
#include "source/source.h"

/* A list of 100,000 files takes 30 MB. */
#define CFS_PACKAGE_MAX ((size_t)64 << 20)
#define CFS_PACKAGE_SHA256 32u

struct cfs_package_file {
	struct cfs_slice path;		/* escapes decoded; lent */
	bool has_sha256;
	uint8_t sha256[CFS_PACKAGE_SHA256];
};

/* True if a file that begins with these bytes is such a list; it may also be a
 * list of WACZ files elsewhere. */
bool cfs_package_is_start(struct cfs_slice head);

/* Appends all of src, whose size is known: CFS_ELIMIT past CFS_PACKAGE_MAX. */
int cfs_package_load(struct cfs_source *src, struct cfs_buf *out,
		     struct cfs_ctx ctx);

/* Calls `each` for every file that the text lists, in order; those without a
 * path are skipped.  0; the first result that is not 0; CFS_EFORMAT if the text
 * is not one JSON object with a list of files; CFS_ENOMEM. */
int cfs_package_each(struct cfs_slice text,
		     int (*each)(void *arg, const struct cfs_package_file *f),
		     void *arg);

/* Appends the names of the WACZ files that this one requires, each with a zero
 * byte behind it, as many as `names` has room for. */
void cfs_package_required(struct cfs_slice text, struct cfs_buf *names);

/* Parses a hash: "sha256:HEX", or HEX alone. */
bool cfs_package_sha256(struct cfs_slice s, uint8_t out[CFS_PACKAGE_SHA256]);

/* The SHA-256 of all of src.  0, or a failure to read. */
int cfs_package_hash(struct cfs_source *src, uint8_t sha256[CFS_PACKAGE_SHA256],
		     struct cfs_ctx ctx);

/* Compares the SHA-256 of all of src with that given. */
int cfs_package_check(struct cfs_source *src,
		      const uint8_t sha256[CFS_PACKAGE_SHA256], bool *is_same,
		      struct cfs_ctx ctx);

#endif
