/* indexer_files.h - which archives an index is made of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_INDEXER_FILES_H
#define CFS_BUILD_INDEXER_FILES_H

#include "indexer_opts.h"
#include "record/wacz.h"
#include "local_copy.h"
#include "wacz_pages.h"

enum cfs_file_role {
	CFS_FILE_ARCHIVE,
	CFS_FILE_TEXT,		/* textData-NNNNN of 2012 */
	CFS_FILE_META,		/* metadata-NNNNN */
	CFS_FILE_CDX,		/* CDX, CDXJ or cluster.idx */
	CFS_FILE_INDEX,		/* a PB-tree or a crawlfs index */
	CFS_FILE_WACZ,
	CFS_FILE_LIST,		/* of WACZ files, JSON */
	CFS_FILE_SELECTION,	/* is not among the files */
};

struct cfs_indexer_file {
	/* Absolute, links in it not resolved; or a URL, with '\' for '/' in its
	 * query, without fragment.  Owned. */
	char *path;
	char *name;		/* below the base; points into path or
				 * own_name */
	char *own_name;		/* owned, or NULL */
	uint64_t size;		/* 0 if not asked for */
	int64_t mtime;
	uint32_t mtime_nsec;
	bool is_remote;		/* path is a URL */
	bool is_given;		/* as the user wrote it; else the part below
				 * the base is a name, not encoded */
	enum cfs_file_role role;
	bool is_sorted;		/* a CDX file or cluster.idx, so that runs of
				 * its keys can be read */
	struct cfs_wacz *wacz;	/* what is in a WACZ; owned, else NULL */
	const char *member;	/* of a member of a ZIP file, the part of path
				 * behind the file's and the mark */
	/* The member that the file is, or NULL; borrowed. */
	const struct cfs_wacz_member *of;
	bool is_indexed;	/* an index has it as it is (indexer_grow.h) */
	bool is_listed;		/* an archive that an index speaks for */
	uint64_t pages_id;	/* of a WACZ's first package, in its lists of
				 * pages; of a file out of one, its own */
	struct cfs_local_copy *spool;	/* of a remote CDX file; owned */
	/* What its name and folder say about its place in the crawl of 2012:
	 * a hash of the folder, the folder's number, the file's own plus 1;
	 * 0 where it has none.  has_date: <date>_<partition>.arc.gz. */
	uint64_t folder, segment;
	uint32_t partition_1;
	bool has_date;
	uint64_t date_ms;
	uint64_t pb_segment;	/* the segment in a name that a PB-tree knows */
};

/* A selection, which is no archive and names others. */
struct cfs_selection_file {
	char *location;		/* a path or URL; owned */
	uint64_t size;
};

struct cfs_indexer_files {
	struct cfs_indexer_file *v;
	size_t n, cap;
	size_t n_indexed;	/* that were forgotten */
	char *base;		/* absolute folder that names are below;
				 * owned */
	/* Some input lies outside the folder asked for, so that base is the
	 * folder that all have in common. */
	bool is_other_base;
	bool is_web_base;	/* base is the web folder that all are of */
	char *asked_base;	/* the folder asked for; owned */
	uint64_t skipped;	/* inputs that are no archives */
	uint64_t unread;	/* archives among them that cannot be read
				 * now */
	struct cfs_opener opener;
	const char *cache_dir;
	const struct cfs_cancel *cancel;
	struct cfs_wacz_pages pages;	/* of all WACZ files */
	bool takes_cfx;		/* a crawlfs index is an input like others */
	bool in_list;		/* a list of WACZ files is being read */
	struct cfs_selection_file *selections;	/* in the order of inputs */
	size_t n_selections, selections_cap;
	void (*refused)(void *arg, const struct cfs_error *why);
	void *refused_arg;
	size_t walk_n;		/* bytes of the folder being walked; 0: none */
};

/* Is a failure to read an archive one that may pass? */
bool cfs_indexer_may_pass(int rc);

/* Frees what a file owns. */
void cfs_indexer_file_release(struct cfs_indexer_file *file);

/* What the name of an archive below base says of it (join.h). */
void cfs_indexer_origin(const char *base, const char *name,
			struct cfs_builder_origin *out);

/* A folder's absolute name, links resolved, or its URL, without a '/' at the
 * end; malloced.  NULL, and errno, if it cannot be used. */
char *cfs_absolute_folder(const char *folder);

/* The folder that archives are named relative to: the one that opts gives, or
 * the output's, of a part's the one above, as cfs_absolute_folder has it.  0,
 * CFS_EIO, CFS_ENOMEM. */
int cfs_indexer_base(char **out, const struct cfs_indexer_opts *opts,
		     struct cfs_error *err);

/*
 * Lists the archives of the inputs, sorted by name, each once.  Folders are
 * walked; links to files are followed, links to folders are not, names that
 * begin with a dot are left out.  CDX files count only when they are named: in
 * a folder, they speak of archives that lie there too.  Selections in a folder
 * count if it holds no archives; then what is named with a '_' first is left
 * out.  An archive at a URL is
 * asked for, one of a list of names is not.
 * What is not an archive, is missing or cannot be read is logged and counted
 * in f->skipped.
 * 0; CFS_EUSAGE for archives that cannot be in one index; CFS_EIO when the
 * base is not usable; CFS_ENOMEM; CFS_EINTR.
 */
int cfs_indexer_list(struct cfs_indexer_files *f,
		     const struct cfs_indexer_opts *opts,
		     struct cfs_error *err);
/* Appends where one of them is: a path or a URL; of a member, its ZIP file. */
void cfs_indexer_location(const struct cfs_indexer_files *f,
			  const struct cfs_indexer_file *file,
			  struct cfs_buf *out);
/* Opens one of them for reading it whole, by_part: for reading parts of it. */
int cfs_indexer_open_input(struct cfs_source **out,
			   const struct cfs_indexer_files *f,
			   const struct cfs_indexer_file *file, bool by_part,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err);
/* Adds a file whose role is known; src tells its size and time.  Takes path
 * over, also on failure.  0 or CFS_ENOMEM. */
int cfs_indexer_add_file(struct cfs_indexer_files *f, char *path, bool is_given,
			 enum cfs_file_role role, const struct cfs_source *src);
/* Finds the base of all files, and their names below it; files whose names no
 * index can have are left out.  For those that were listed elsewhere. */
int cfs_indexer_name_files(struct cfs_indexer_files *f,
			   const struct cfs_indexer_opts *opts,
			   struct cfs_error *err);
/* Says so if archives are not named relative to the folder of `output`. */
void cfs_indexer_warn_of_base(const struct cfs_indexer_files *f,
			      const char *output);
void cfs_indexer_files_release(struct cfs_indexer_files *f);

#endif
