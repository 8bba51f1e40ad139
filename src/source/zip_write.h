/* zip_write.h - writes a ZIP file whose members are stored as they are.
 *
 * Every member has the ZIP64 fields, because its size is known only at its end;
 * then the sizes and the CRC are put into its local header.  A program that
 * streams the file finds them there, and one that reads it from the end, like
 * zip.h, in the directory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_ZIP_WRITE_H
#define CFS_SOURCE_ZIP_WRITE_H

#include "base/buf.h"
#include "base/cancel.h"

/* Most members of one file: what calls this has a handful. */
#define CFS_ZIP_WRITE_MEMBERS 64u
#define CFS_ZIP_SHA256 32u

struct cfs_zip_written {
	const char *name;	/* borrowed from the caller of begin */
	uint64_t bytes;
	uint8_t sha256[CFS_ZIP_SHA256];
	uint64_t header;	/* offset of its local header */
	uint32_t crc;
};

struct cfs_zip_writer;		/* used by one thread */

/* Begins at offset `at` of the open file fd, which stays the caller's; `path`
 * is for messages and borrowed.  time: stated for all members, Unix seconds.
 * 0 or CFS_ENOMEM. */
int cfs_zip_writer_new(struct cfs_zip_writer **out, int fd, const char *path,
		       uint64_t at, int64_t time, struct cfs_error *err);
void cfs_zip_writer_free(struct cfs_zip_writer *w);	/* accepts NULL */

/* Bytes of a local header, without the name. */
#define CFS_ZIP_HEADER_BYTES 50u

/* Appends the local header of a member whose bytes are not known yet: what
 * cfs_zip_writer_begin writes in front of it. */
void cfs_zip_add_header(struct cfs_buf *out, const char *name, int64_t time);

/* Begins a member; name lives as long as w.  0; CFS_ELIMIT beyond
 * CFS_ZIP_WRITE_MEMBERS; as for the other calls, CFS_EIO (with the path and
 * errno's text) and CFS_ENOMEM. */
int cfs_zip_writer_begin(struct cfs_zip_writer *w, const char *name,
			 struct cfs_error *err);
int cfs_zip_writer_add(struct cfs_zip_writer *w, struct cfs_slice bytes,
		       struct cfs_error *err);
/* Ends the member and completes its header. */
int cfs_zip_writer_end(struct cfs_zip_writer *w, struct cfs_error *err);

/* Makes `bytes` bytes a member that are in the file already, behind room for
 * its local header at the writer's place.  They are read, for their CRC and
 * hash.  CFS_EIO also if they are not there; CFS_EINTR. */
int cfs_zip_writer_adopt(struct cfs_zip_writer *w, const char *name,
			 uint64_t bytes, struct cfs_ctx ctx);

/* Writes the directory; *bytes is then the size of the file. */
int cfs_zip_writer_finish(struct cfs_zip_writer *w, uint64_t *bytes,
			  struct cfs_error *err);

/* Lists the members that have ended, in the order of the file; lent. */
const struct cfs_zip_written *
cfs_zip_writer_members(const struct cfs_zip_writer *w, size_t *n);

#endif
