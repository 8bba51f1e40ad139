/* wacz.h - lists what a WACZ holds: archives, indexes, lists of pages.
 *
 * Spec: doc/formats.md, "WACZ".  A WACZ is a ZIP file; a collection of them is
 * a ZIP file of WACZ files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_WACZ_H
#define CFS_RECORD_WACZ_H

#include "source/zip.h"
#include "wacz_package.h"

/* Most WACZ files inside a ZIP file.  The collection of a large archiving
 * programme has thousands, and each costs a few requests. */
#define CFS_WACZ_INSIDE_MAX 10000u
/* Depth of nested ZIP files: a ZIP in a ZIP in a ZIP is the deepest. */
#define CFS_WACZ_DEPTH_MAX 3u

/* Most files in all of them, and most bytes of their paths: a file of a
 * megabyte can name millions.  Those beyond are left out. */
#define CFS_WACZ_MEMBERS_MAX 400000u
#define CFS_WACZ_PATHS_MAX ((size_t)64 << 20)

/* Inflated bytes of an index or list of pages: enough for 100 million
 * captures. */
#define CFS_WACZ_LIST_MAX (UINT64_C(32) << 30)

/* Stands between the name of a file and that of a member of it. */
#define CFS_WACZ_MARK "#!/"

enum cfs_wacz_role {
	CFS_WACZ_NOTHING,	/* a member that is not used */
	CFS_WACZ_ARCHIVE,	/* ARC or WARC */
	CFS_WACZ_INDEX,		/* CDXJ or CDX */
	CFS_WACZ_PAGES,		/* a list of pages, JSON lines */
	CFS_WACZ_PACKAGE,	/* datapackage.json */
	CFS_WACZ_INSIDE,	/* a WACZ that is compressed in the ZIP file */
};

struct cfs_wacz_member {
	char *path;		/* "archive/x.warc.gz"; of a WACZ inside,
				 * "one.wacz#!/archive/x.warc.gz".  Owned */
	enum cfs_wacz_role role;
	uint32_t package;	/* 0: the file itself; else a WACZ inside */
	struct cfs_zip_place at;
	/* The hash in datapackage.json, once cfs_wacz_read_hashes has read
	 * it. */
	bool has_sha256;
	uint8_t sha256[CFS_PACKAGE_SHA256];
};

/* An archive or index, found by the last component of its path. */
struct cfs_wacz_name {
	const char *base;		/* "" for an index; borrowed */
	uint32_t package, member;
};

/* An archive, found by its path compared from the end on: so one whose path
 * ends in a given way is found without looking at archives of that name in
 * other folders. */
struct cfs_wacz_path {
	const char *path;		/* borrowed */
	size_t n;
	uint32_t package, member;
};

struct cfs_wacz {
	struct cfs_wacz_member *v;	/* sorted by package */
	size_t n, room;
	uint32_t n_packages;
	struct cfs_wacz_name *names;	/* by package, base, member */
	size_t n_names;
	struct cfs_wacz_path *paths;	/* by package, path, member */
	size_t n_paths;
	struct cfs_buf required;	/* names of other WACZ files
					 * (cfs_package_required) */
};

/* The role of a member, by its name in its ZIP file. */
enum cfs_wacz_role cfs_wacz_role_of(struct cfs_slice name);

/*
 * Lists the members of src, whose size is known.  An error in a WACZ inside
 * costs only that one and is logged, as is what exceeds the limits above.
 * CFS_EFORMAT if src is not a ZIP file or holds no archives, CFS_ELIMIT,
 * CFS_ENOMEM, CFS_EINTR, failures to read.
 */
int cfs_wacz_read(struct cfs_wacz *out, struct cfs_source *src,
		  struct cfs_ctx ctx);
void cfs_wacz_release(struct cfs_wacz *w);

/* Most bytes that so many stored bytes may inflate to: the room of the cache
 * folder (inflated.h), or a multiple of the stored bytes if that is more. */
uint64_t cfs_wacz_packed_max(uint64_t stored);

/*
 * Opens a member that is not an archive, for reading it whole; it is copied
 * into a temporary file first unless it is stored uncompressed on this machine.
 * Takes over src, the whole file.  CFS_ELIMIT beyond CFS_WACZ_LIST_MAX or
 * cfs_wacz_packed_max.
 */
int cfs_wacz_open_list(struct cfs_source **out, struct cfs_source *src,
		       const struct cfs_wacz_member *m, struct cfs_ctx ctx);

/* Copies any member into a temporary file of at most max bytes, and opens it.
 * Takes src over. */
int cfs_wacz_open_copy(struct cfs_source **out, struct cfs_source *src,
		       const struct cfs_zip_place *at, const char *name,
		       uint64_t max, struct cfs_ctx ctx);

/* Takes the hashes of members from each datapackage.json.  One that cannot be
 * read is logged.  0, CFS_ENOMEM or CFS_EINTR. */
int cfs_wacz_read_hashes(struct cfs_wacz *w, struct cfs_source *src,
			 struct cfs_ctx ctx);

/* True if a package has an index of its archives. */
bool cfs_wacz_has_index(const struct cfs_wacz *w, uint32_t package);

/* The archive that an index of the package calls `name`, or NULL.  Of several
 * whose paths end in it, one with exactly that path is preferred. */
struct cfs_wacz_member *cfs_wacz_archive(const struct cfs_wacz *w,
					 uint32_t package,
					 struct cfs_slice name);

#endif
