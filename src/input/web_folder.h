/* web_folder.h - lists the archives in a folder of a web server, or below a
 * prefix in an S3 bucket.
 *
 * Spec: doc/formats.md, "Web folders".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_WEB_FOLDER_H
#define CFS_INPUT_WEB_FOLDER_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"

/* Depth of nested folders below the SOURCE; deeper ones are left out with a
 * warning.  A link on the server to a folder above shows the same files up to
 * this many times. */
#define CFS_WEB_DEPTH_MAX 16u
/* Limits of folders (each one a page) and archives of one SOURCE; more are an
 * error. */
#define CFS_WEB_FOLDERS_MAX 10000u
#define CFS_WEB_FILES_MAX 1000000u

struct cfs_web_file {
	char *name;		/* below the folder, not encoded; owned */
	uint64_t bytes;		/* UINT64_MAX: not known exactly */
	uint32_t state;		/* changes with the file; 0: not known */
	bool is_index;		/* .cfx, .cdx and the like */
	bool is_asked;		/* input of cfs_web_folder_ask */
	bool is_left;		/* left for another run of the indexer */
	bool is_tried;		/* an earlier run tried to read it */
};

struct cfs_web_folder {
	char *url;		/* with a '/' at its end; owned */
	struct cfs_web_file *v;	/* sorted by name, without duplicates */
	size_t n, room;
	size_t n_indexes;	/* indexes in v */
	size_t n_others;	/* files that are neither archive nor index */
	size_t n_folders;	/* folders read */
	size_t n_left;		/* files left for another run, and */
	uint64_t left_bytes;	/* their sizes */
};

/* True for the URL of a folder: http:, https: or s3:, with a '/' at the end of
 * its path and no query. */
bool cfs_web_folder_is_url(const char *location);

/*
 * Finds the archives and indexes below a URL, also in subfolders, and the state
 * of each; if a page does not state it, the file is requested.  A subfolder
 * that may not be listed is logged.
 *
 * 0; CFS_ENOTFOUND if there are none, with a message that says what is there;
 * CFS_EACCESS; CFS_EFORMAT for a page that is not a listing; CFS_ELIMIT;
 * CFS_EINTR; CFS_EIO, ...
 */
int cfs_web_folder_read(struct cfs_web_folder **out, const char *url,
			struct cfs_ctx ctx);

/* Makes one of the archives that a list (pathlist.h) names, below base, a URL
 * with or without a '/' at its end.  Nothing is requested but the list: a file
 * so named is taken not to change, and its size is not known.  0;
 * CFS_ENOTFOUND: there is no list, or it names no archive; failures of
 * reading. */
int cfs_web_folder_of_list(struct cfs_web_folder **out, const char *list,
			   const char *base, struct cfs_ctx ctx);
void cfs_web_folder_free(struct cfs_web_folder *f);	/* accepts NULL */

/* Requests the sizes of the files with is_asked set, several at a time, and
 * their states if not known.  Files that are gone get bytes 0. */
int cfs_web_folder_ask(struct cfs_web_folder *f, struct cfs_ctx ctx);

/* A hash that changes with the archives in the folder. */
uint64_t cfs_web_folder_state(const struct cfs_web_folder *f);

#endif
