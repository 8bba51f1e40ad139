/* zip.h - the members of a ZIP file: their names, and where their bytes are.
 *
 * Spec: doc/formats.md, "ZIP files".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_ZIP_H
#define CFS_SOURCE_ZIP_H

#include "source.h"

/* A central directory of more bytes is refused: it holds 100,000 members and
 * more, a WACZ has a dozen. */
#define CFS_ZIP_DIRECTORY_MAX (UINT64_C(16) << 20)

enum cfs_zip_method {
	CFS_ZIP_STORED = 0,
	CFS_ZIP_DEFLATED = 8,
};

struct cfs_zip_member {
	struct cfs_slice name;	/* lent by the directory; any bytes */
	uint16_t flags, method;
	uint32_t crc;
	uint64_t stored;	/* bytes in the file */
	uint64_t size;		/* bytes once inflated */
	uint64_t header;	/* where its local header is */
	uint64_t extent;	/* from there to the next member's, or the
				 * end */
	bool has_extra;		/* the directory has extra fields of it */
};

/* A central directory; one thread uses it. */
struct cfs_zip {
	struct cfs_source *src;			/* borrowed */
	struct cfs_zip_member *v;		/* as they lie in the file */
	size_t n;
	uint32_t *by_name;			/* numbers of members, by
						 * name */
	uint64_t n_repeated;			/* left out: see cfs_zip_open */
	uint8_t *directory;
	/* What local headers have shown: so many of them one after the other
	 * had no extra field, and so many bytes behind the member. */
	uint64_t behind;
	unsigned n_alike;
};

/* True for the first bytes of a ZIP file, also of an empty one. */
bool cfs_zip_is_start(struct cfs_slice head);

/* True for what stands behind a member: another one's header, a data descriptor
 * or the directory. */
bool cfs_zip_is_behind(const uint8_t p[4]);

/*
 * Reads the central directory of src, whose size is known and which outlives
 * *out.  Costs one read of the file's end, and one more where the directory
 * begins before that.  Of several names of one member, the first one is kept;
 * n_repeated are not.  CFS_EFORMAT where there is none or it is damaged, or
 * where members overlap; CFS_ELIMIT, CFS_ENOMEM, failures to read.
 */
int cfs_zip_open(struct cfs_zip *out, struct cfs_source *src,
		 const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_zip_close(struct cfs_zip *z);

/* The member of that name, the first one in the file, or NULL. */
const struct cfs_zip_member *cfs_zip_find(const struct cfs_zip *z,
					  struct cfs_slice name);

/* Where the bytes of a member are, and what becomes of them. */
struct cfs_zip_place {
	uint64_t offset;	/* in the file */
	uint64_t stored, size;
	uint32_t crc;
	uint16_t method;
};

/*
 * Finds a member's bytes: its local header is read for that, but where there
 * is no room for what only that could tell; and on a server, where
 * CFS_ZIP_ALIKE members before it have shown what it is.  CFS_EFORMAT,
 * CFS_EUNSUPPORTED for an encrypted one, failures to read.
 */
#define CFS_ZIP_ALIKE 2u
int cfs_zip_locate(struct cfs_zip *z, const struct cfs_zip_member *m,
		   struct cfs_zip_place *out, const struct cfs_cancel *cancel,
		   struct cfs_error *err);

/*
 * Writes a member of src to a file, inflated, from its start on, and compares
 * size and CRC; `name` is the member's, for messages.  More than `max` bytes:
 * CFS_ELIMIT.  CFS_EFORMAT, CFS_EUNSUPPORTED, CFS_EIO with the name of the file
 * that cannot be written (`path`), CFS_ENOMEM, CFS_EINTR.
 */
int cfs_zip_extract(struct cfs_source *src, const struct cfs_zip_place *place,
		    const char *name, uint64_t max, int fd, const char *path,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
