/* input.h - recognises what a command is given to read: a crawl's name, a
 * folder, a list, an archive, an index, a table; on this machine or at a URL.
 *
 * Mounts and all commands ask here, so that a file is the same to each of them.
 * A location is first judged by its name and the file system, then, if it is a
 * file, by its first bytes, which are read once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_INPUT_H
#define CFS_INPUT_INPUT_H

#include "index/index.h"
#include "record/sniff.h"
#include "table/selection_read.h"

enum cfs_input_kind {
	/* A file that is none of the others; cfs_selection_describe says what
	 * it is. */
	CFS_INPUT_UNKNOWN,
	CFS_INPUT_ARCHIVE,	/* ARC or WARC */
	CFS_INPUT_PAIRS,	/* a SequenceFile */
	CFS_INPUT_WACZ,		/* a ZIP file */
	CFS_INPUT_PACKAGES,	/* a JSON list of WACZ files (manifest.h) */
	CFS_INPUT_TABLE,	/* a selection */
	CFS_INPUT_INDEX,
	/* Recognised without reading: */
	CFS_INPUT_COLLECTION,	/* a crawl by its name */
	CFS_INPUT_PATHS,	/* a list of archives (pathlist.h) */
	CFS_INPUT_FOLDER,
	CFS_INPUT_WEB_FOLDER,
	CFS_INPUT_FILE,		/* must be read to be recognised; it may be
				 * missing */
	CFS_INPUT_KINDS,
};

struct cfs_input {
	enum cfs_input_kind kind;
	enum cfs_index_format format;	/* of an INDEX */
	enum cfs_table_kind table;	/* of a TABLE */
	const char *location;	/* a path or URL; borrowed */
	struct cfs_source *src;	/* the file; owned, NULL while not open */
};

/* How thoroughly a file is examined. */
struct cfs_input_look {
	enum cfs_sniff_depth depth;	/* in the search for an archive */
	/* Bytes read of a file on a server: CFS_INDEX_HEAD_BYTES, or more if
	 * these will be needed soon. */
	size_t remote_bytes;
};

/* The kind of a location by its name and the file system. */
enum cfs_input_kind cfs_input_of_name(const char *location);

/* Looks whether a location that is no URL and no crawl's name is there: what a
 * user names and is missing must not be left out.  0; CFS_ENOTFOUND, or CFS_EIO
 * for a path that cannot be looked up. */
int cfs_input_exists(const char *location, struct cfs_error *err);

/*
 * Recognises the file that is open as src, which becomes in->src: the size is
 * then known.  Sets in->kind, and format or table; nothing else is changed.
 * Archives go before tables, and these before indexes of lines: a record may
 * hold lines of either.
 *
 * 0; CFS_EFORMAT or CFS_ELIMIT for zstd that cannot be read; CFS_ENOMEM,
 * CFS_EINTR, failures to read.  in->kind is UNKNOWN after a failure.
 */
int cfs_input_recognise(struct cfs_input *in, struct cfs_source *src,
			const struct cfs_input_look *how, struct cfs_ctx ctx);

/* Is the file at a location a WACZ, by its name? */
bool cfs_input_is_wacz_name(const char *location);

/* Closes the file, if it is open. */
void cfs_input_close(struct cfs_input *in);

/* Hands the open file over. */
struct cfs_source *cfs_input_take(struct cfs_input *in);

/* The folder that in->location is in, malloced: a path, or a URL with a '/' at
 * its end.  NULL if out of memory. */
char *cfs_input_folder(const struct cfs_input *in);

/* A number that differs once the input has changed: for a file on a server,
 * which must be open and have answered, by its validator or size; else by
 * cfs_input_fingerprint. */
uint64_t cfs_input_state(const struct cfs_input *in);

/* True if a crawl is mounted there.  What is below a folder of archives is read
 * without such a tree, which may be that of the same archives. */
bool cfs_input_is_mount(const char *folder);

/* Hashes the name, size and modification time of a file, or of all files below
 * a folder. */
uint64_t cfs_input_fingerprint(const char *path);

#endif
