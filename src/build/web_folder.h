/* web_folder.h - the archives in a folder of a web server, or below a prefix in
 * a bucket of S3.
 *
 * Spec: doc/formats.md, "Web folders".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_WEB_FOLDER_H
#define CFS_BUILD_WEB_FOLDER_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"

/* Folders inside each other below the SOURCE: what is deeper is left out, with
 * a warning.  A link on the server that leads up shows the same files so
 * often. */
#define CFS_WEB_DEPTH_MAX 16u
/* Folders, each of them a page, and archives of one SOURCE: more are a reason
 * to give up. */
#define CFS_WEB_FOLDERS_MAX 10000u
#define CFS_WEB_FILES_MAX 1000000u

struct cfs_web_file {
	char *name;		/* below the folder, not encoded; owned */
	uint64_t bytes;		/* UINT64_MAX: not known exactly */
	uint32_t state;		/* another number when it has changed; 0: not
				 * known */
	bool is_index;		/* .cfx, .cdx and the like */
	bool is_asked;		/* cfs_web_folder_ask: this one */
	bool is_left;		/* for another run of the indexer */
	bool is_tried;		/* by a run before */
};

struct cfs_web_folder {
	char *url;		/* with a '/' at its end; owned */
	struct cfs_web_file *v;	/* in the order of their names, each once */
	size_t n, room;
	size_t n_indexes;	/* among them */
	size_t n_others;	/* files that are neither archive nor index */
	size_t n_folders;	/* that were read */
	size_t n_left;		/* files that are left for another run, and */
	uint64_t left_bytes;	/* their sizes */
};

/* Is this the URL of a folder: http:, https: or s3:, with a '/' at the end of
 * its path and no query? */
bool cfs_web_folder_is_url(const char *location);

/*
 * Finds the archives and indexes below a URL, in subfolders too.  The state of
 * each is known then; of those whose page says nothing of it the server is
 * asked, one by one.  A subfolder that may not be listed is logged.
 *
 * 0; CFS_ENOTFOUND where there is none, and the sentence says what is there;
 * CFS_EACCESS; CFS_EFORMAT for a page that is no list; CFS_ELIMIT; CFS_EINTR;
 * CFS_EIO, ...
 */
int cfs_web_folder_read(struct cfs_web_folder **out, const char *url,
			const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_web_folder_free(struct cfs_web_folder *f);	/* accepts NULL */

/* Asks the server for the sizes of the files that `is_asked` is set of, several
 * at a time, and for their state where that is not known.  What is not there
 * any more has bytes 0 then. */
int cfs_web_folder_ask(struct cfs_web_folder *f,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/* Another number when its archives have changed. */
uint64_t cfs_web_folder_state(const struct cfs_web_folder *f);

#endif
