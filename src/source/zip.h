/* zip.h - the members of a ZIP file: their names, and where their bytes are.
 *
 * Spec: doc/formats.md, "ZIP files".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_ZIP_H
#define CFS_SOURCE_ZIP_H

#include "source.h"

/* Larger central directories are refused.  This holds more than 100,000
 * members; a WACZ has a dozen. */
#define CFS_ZIP_DIRECTORY_MAX (UINT64_C(16) << 20)

enum cfs_zip_method {
	CFS_ZIP_STORED = 0,
	CFS_ZIP_DEFLATED = 8,
};

struct cfs_zip_member {
	struct cfs_slice name;	/* borrowed from the directory; any bytes */
	uint16_t flags, method;
	uint32_t crc;
	uint64_t stored;	/* bytes in the file */
	uint64_t size;		/* bytes once inflated */
	uint64_t header;	/* offset of its local header */
	uint64_t extent;	/* bytes from there to the next member, or to
				 * the directory */
	bool has_extra;		/* the directory has extra fields for it */
};

/* A central directory; one thread uses it. */
struct cfs_zip {
	struct cfs_source *src;			/* borrowed */
	struct cfs_zip_member *v;		/* in the order of the file */
	size_t n;
	uint32_t *by_name;			/* members in the order of
						 * their names */
	uint64_t n_repeated;			/* members left out:
						 * see cfs_zip_open */
	uint8_t *directory;
	/* The local headers so far: the last n_alike members in a row had no
	 * extra field in theirs, and `behind` bytes after them. */
	uint64_t behind;
	unsigned n_alike;
};

/* True for the first bytes of a ZIP file, also of an empty one. */
bool cfs_zip_is_start(struct cfs_slice head);

/* True for the first bytes of what can follow a member: a local header, a data
 * descriptor or the directory. */
bool cfs_zip_is_behind(const uint8_t p[4]);

/*
 * Reads the central directory of src, whose size must be known and which must
 * outlive *out.  Costs one read at the end of the file, and one more if the
 * directory begins before that.  If several names lead to one member, only the
 * first is kept and n_repeated counts the others.  CFS_EFORMAT if there is no
 * directory, or it is damaged, or members overlap; CFS_ELIMIT, CFS_ENOMEM,
 * failures to read.
 */
int cfs_zip_open(struct cfs_zip *out, struct cfs_source *src,
		 struct cfs_ctx ctx);
void cfs_zip_close(struct cfs_zip *z);

/* The member of that name, the first one in the file, or NULL. */
const struct cfs_zip_member *cfs_zip_find(const struct cfs_zip *z,
					  struct cfs_slice name);

/* Where the bytes of a member are, and how to decode and check them. */
struct cfs_zip_place {
	uint64_t offset;	/* in the file */
	uint64_t stored, size;
	uint32_t crc;
	uint16_t method;
};

/*
 * Finds the bytes of a member.  Reads its local header for that, unless there
 * is no room for extra fields or, on a server, CFS_ZIP_ALIKE members before it
 * have shown what its header is like.  CFS_EFORMAT, CFS_EUNSUPPORTED if
 * encrypted, failures to read.
 */
#define CFS_ZIP_ALIKE 2u
int cfs_zip_locate(struct cfs_zip *z, const struct cfs_zip_member *m,
		   struct cfs_zip_place *out, struct cfs_ctx ctx);

/*
 * Inflates a member of src into a file, from offset 0 on, and checks size and
 * CRC.  `name`: of the member, for messages.  CFS_ELIMIT for more than `max`
 * bytes; CFS_EFORMAT, CFS_EUNSUPPORTED, CFS_ENOMEM, CFS_EINTR; CFS_EIO, with
 * `path` in err if the file cannot be written.
 */
int cfs_zip_extract(struct cfs_source *src, const struct cfs_zip_place *place,
		    const char *name, uint64_t max, int fd, const char *path,
		    struct cfs_ctx ctx);

#endif
