/* wacz.h - what is in a WACZ: its archives, its indexes, its lists of pages.
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

/* WACZ files inside a ZIP file: a collection of a whole archiving programme has
 * thousands, each of them a few requests. */
#define CFS_WACZ_INSIDE_MAX 10000u
/* A ZIP in a ZIP in a ZIP is the deepest that is looked into. */
#define CFS_WACZ_DEPTH_MAX 3u

/* Files in all of them, and bytes of their paths: a file of a megabyte can name
 * millions.  What is beyond is left out. */
#define CFS_WACZ_MEMBERS_MAX 400000u
#define CFS_WACZ_PATHS_MAX ((size_t)64 << 20)

/* An index or a list of pages, inflated: that of 100 million captures. */
#define CFS_WACZ_LIST_MAX (UINT64_C(32) << 30)

/* What stands between the name of a file and that of a member of it. */
#define CFS_WACZ_MARK "#!/"

enum cfs_wacz_role {
	CFS_WACZ_NOTHING,	/* a member that is of no use here */
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
	/* What datapackage.json says of it, once cfs_wacz_read_hashes has read
	 * that. */
	bool has_sha256;
	uint8_t sha256[CFS_PACKAGE_SHA256];
};

/* An archive, or an index, by the last component of its path. */
struct cfs_wacz_name {
	const char *base;		/* "" for an index; borrowed */
	uint32_t package, member;
};

/* An archive by its whole path, from the end on: one that ends in a given way
 * is found without looking at those of the same name in other folders. */
struct cfs_wacz_path {
	const char *path;		/* borrowed */
	size_t n;
	uint32_t package, member;
};

struct cfs_wacz {
	struct cfs_wacz_member *v;	/* in the order of packages */
	size_t n, room;
	uint32_t n_packages;
	struct cfs_wacz_name *names;	/* in the order of all three */
	size_t n_names;
	struct cfs_wacz_path *paths;	/* in that of package, path, member */
	size_t n_paths;
};

/* The role of a member, by its name in its ZIP file. */
enum cfs_wacz_role cfs_wacz_role_of(struct cfs_slice name);

/*
 * Lists what is in src, whose size is known.  What is wrong with a WACZ inside
 * costs that one and is logged, as is what is beyond the limits above.
 *  CFS_EFORMAT if src is no ZIP file or none with archives, CFS_ELIMIT,
 *  CFS_ENOMEM, CFS_EINTR, failures to read.
 */
int cfs_wacz_read(struct cfs_wacz *out, struct cfs_source *src,
		  const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_wacz_release(struct cfs_wacz *w);

/* What may be made of so many stored bytes by inflating them: the room of the
 * cache folder (inflated.h), or some times as much as is stored. */
uint64_t cfs_wacz_packed_max(uint64_t stored);

/*
 * Opens a member that is no archive, for reading it whole; one that is not
 * stored on this machine is copied into a temporary file first.  Takes src, the
 * whole file, over.  CFS_ELIMIT past CFS_WACZ_LIST_MAX bytes,
 * or cfs_wacz_packed_max.
 */
int cfs_wacz_open_list(struct cfs_source **out, struct cfs_source *src,
		       const struct cfs_wacz_member *m,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/* The same, with a bound of its own, for any member. */
int cfs_wacz_open_copy(struct cfs_source **out, struct cfs_source *src,
		       const struct cfs_zip_place *at, const char *name,
		       uint64_t max, const struct cfs_cancel *cancel,
		       struct cfs_error *err);

/* Takes the hashes of members from each datapackage.json.  One that cannot be
 * read is logged.  0, CFS_ENOMEM or CFS_EINTR. */
int cfs_wacz_read_hashes(struct cfs_wacz *w, struct cfs_source *src,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);

/* Whether a package has an index of its archives. */
bool cfs_wacz_has_index(const struct cfs_wacz *w, uint32_t package);

/* The archive that an index of the package calls `name`, or NULL.  Of several
 * whose path ends so, the one of that very path goes first. */
struct cfs_wacz_member *cfs_wacz_archive(const struct cfs_wacz *w,
					 uint32_t package,
					 struct cfs_slice name);

#endif
