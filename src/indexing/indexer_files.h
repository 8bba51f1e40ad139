/* indexer_files.h - lists the archives and other files to build an index from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_FILES_H
#define CFS_INDEXING_INDEXER_FILES_H

#include "indexer_opts.h"
#include "input/wacz_pages.h"
#include "record/wacz.h"
#include "table/selection_table.h"

enum cfs_file_role {
	CFS_FILE_ARCHIVE,
	CFS_FILE_TEXT,		/* textData-NNNNN of 2012 */
	CFS_FILE_META,		/* metadata-NNNNN */
	CFS_FILE_CDX,		/* CDX, CDXJ or cluster.idx */
	CFS_FILE_INDEX,		/* a PB-tree or a crawlfs index */
	CFS_FILE_WACZ,
	CFS_FILE_LIST,		/* a JSON list of WACZ files */
	CFS_FILE_SELECTION,	/* never in `v` */
};

struct cfs_indexer_file {
	/* Absolute, symbolic links not resolved; or a URL, with '\' for '/' in
	 * its query, without fragment.  Owned. */
	char *path;
	char *name;		/* below the base; points into path or
				 * own_name */
	char *own_name;		/* owned, or NULL */
	uint64_t size;		/* 0 if not requested */
	int64_t mtime;
	uint32_t mtime_nsec;
	bool is_remote;		/* path is a URL */
	bool is_given;		/* the path is as the user wrote it; else the
				 * part below the base is a name, not encoded */
	enum cfs_file_role role;
	enum cfs_index_format format;	/* of a CDX file or an index */
	struct cfs_wacz *wacz;	/* the contents of a WACZ; owned, else NULL */
	const char *member;	/* for a member of a ZIP file: the part of path
				 * behind the ZIP file's and the mark */
	/* The WACZ member that this file is, or NULL; borrowed. */
	const struct cfs_wacz_member *of;
	bool is_indexed;	/* an index has it unchanged (indexer_grow.c) */
	bool is_told;		/* that it cannot be read was logged when it was
				 * listed */
	bool reads_archives;	/* of a WACZ on a server, too, not its index */
	bool is_listed;		/* not scanned: an index in its WACZ is read
				 * instead */
	bool has_bad_list;	/* that index cannot be read to its end */
	uint64_t pages_id;	/* id of a WACZ's first package in `pages`; of a
				 * file out of a WACZ, the id of its package */
	struct cfs_local_copy *spool;	/* of a remote CDX file; owned */
	/* Its place in the crawl of 2012, from its name and folder, as in
	 * struct cfs_builder_origin. */
	uint64_t folder, segment;
	uint32_t partition_1;
	bool has_date;
	uint64_t date_ms;
};

/* A selection: not an archive, but a table that names archives. */
struct cfs_selection_file {
	char *location;		/* a path or URL; owned */
	uint64_t size;
	enum cfs_table_kind kind;
};

struct cfs_indexer_files {
	struct cfs_indexer_file *v;
	size_t n, cap;
	size_t n_indexed;	/* files dropped because an index has them */
	char *base;		/* absolute folder that the names are relative
				 * to; owned */
	/* Some input lies outside the folder asked for, so base is the deepest
	 * folder common to all. */
	bool is_other_base;
	bool is_web_base;	/* base is a web folder that contains all
				 * files */
	char *asked_base;	/* the folder asked for; owned */
	uint64_t skipped;	/* inputs that are not archives */
	uint64_t unread;	/* archives among them that may become
				 * readable */
	uint64_t away;		/* those on servers */
	uint64_t gone;		/* inputs that are named, and not there */
	struct cfs_opener opener;
	const char *cache_dir;
	const struct cfs_cancel *cancel;
	struct cfs_wacz_pages pages;	/* of all WACZ files */
	enum cfs_index_format format;	/* to build; a crawlfs index is read for
					 * another one only */
	bool reads_archives;	/* as in struct cfs_indexer_opts */
	bool in_list;		/* while a list of WACZ files is read */
	struct cfs_selection_file *selections;	/* in the order of inputs */
	size_t n_selections, selections_cap;
	void (*refused)(void *arg, const struct cfs_error *why);
	void *refused_arg;
	size_t walk_n;		/* length of the path of the folder being
				 * walked; 0: none */
};

/* Is this failure to read an archive possibly temporary? */
bool cfs_indexer_may_pass(int rc);

/* Frees what a file owns. */
void cfs_indexer_file_release(struct cfs_indexer_file *file);

/* The place of a listed file in the crawl of 2012. */
static inline struct cfs_builder_origin cfs_indexer_file_origin(
	const struct cfs_indexer_file *f)
{
	return (struct cfs_builder_origin){ f->folder, f->segment,
		f->partition_1, f->has_date, f->date_ms };
}

/* Finds that of an archive by its name below base. */
void cfs_indexer_origin(const char *base, const char *name,
			struct cfs_builder_origin *out);

/* Returns a folder's absolute path, symbolic links resolved, or its URL,
 * without a '/' at the end; malloced.  NULL, and errno, if it cannot be
 * used. */
char *cfs_absolute_folder(const char *folder);

/* Finds the folder that archives are named relative to, as cfs_absolute_folder
 * returns it: opts' base, or the output's folder, or for a part the folder
 * above that.  0, CFS_EIO, CFS_ENOMEM. */
int cfs_indexer_base(char **out, const struct cfs_indexer_opts *opts,
		     struct cfs_error *err);

/*
 * Lists the archives of the inputs, sorted by name, each once.  Folders are
 * walked; symbolic links to files are followed, those to folders are not, names
 * that begin with a dot are left out.  CDX files are taken only if they are
 * inputs themselves: in a folder, they describe archives that lie there too.
 * Selections in a folder are taken if it has no archives, except those below a
 * name that begins with '_'.  An archive at a URL is requested, but not one
 * named in a path list.
 *
 * Inputs that are not archives, are missing or cannot be read are logged and
 * counted in f->skipped.
 *
 * 0; CFS_EUSAGE for archives that cannot be in one index; CFS_EIO when the base
 * is not usable; CFS_ENOMEM; CFS_EINTR.
 */
int cfs_indexer_list(struct cfs_indexer_files *f,
		     const struct cfs_indexer_opts *opts,
		     struct cfs_error *err);

/* One input of a caller that makes no index. */
struct cfs_listing {
	const char *input;
	/* As in struct cfs_indexer_opts; base NULL: the current folder, and
	 * Common Crawl's for names in lists. */
	const char *base;
	const struct cfs_opener *opener;
	const char *cache_dir;
	const struct cfs_cancel *cancel;
	void (*refused)(void *arg, const struct cfs_error *why);
	void *arg;
};
/* Lists its files.  Fails as cfs_indexer_list. */
static inline int cfs_indexer_list_input(struct cfs_indexer_files *f,
					 const struct cfs_listing *l,
					 struct cfs_error *err)
{
	const struct cfs_indexer_opts o = { .inputs = &l->input, .n_inputs = 1,
		.output = "x", .format = CFS_INDEX_CFX, .base = l->base,
		.opener = l->opener, .cache_dir = l->cache_dir,
		.cancel = l->cancel, .refused = l->refused, .arg = l->arg,
		.reads_archives = true };

	return cfs_indexer_list(f, &o, err);
}

/* Appends a file's path or URL; for a member, that of its ZIP file. */
void cfs_indexer_location(const struct cfs_indexer_files *f,
			  const struct cfs_indexer_file *file,
			  struct cfs_buf *out);
/* Opens a file; by_part: for reading parts of it, else for reading it whole. */
int cfs_indexer_open_input(struct cfs_source **out,
			   const struct cfs_indexer_files *f,
			   const struct cfs_indexer_file *file, bool by_part,
			   struct cfs_ctx ctx);
/* Adds a file whose role is known, with size and time from src.  Takes path
 * over, also on failure.  0 or CFS_ENOMEM. */
int cfs_indexer_add_file(struct cfs_indexer_files *f, char *path, bool is_given,
			 enum cfs_file_role role, const struct cfs_source *src);
/* Logs it if archives are not named relative to the folder of `output`. */
void cfs_indexer_warn_of_base(const struct cfs_indexer_files *f,
			      const char *output);
void cfs_indexer_files_release(struct cfs_indexer_files *f);

/*
 * Adds the archives of a web folder to the files.  In an update, those that
 * have not changed according to the folder are added as the index has them,
 * without requests.  0; failures as of cfs_web_folder_read, CFS_ENOMEM.
 */
int cfs_indexer_add_web(struct cfs_indexer_files *f, const char *url,
			const struct cfs_indexer_opts *opts,
			struct cfs_error *err);

#endif
