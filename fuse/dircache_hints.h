/* dircache_hints.h - what becomes of a listing in the kernel, which keeps them
 * all: which processes want the attributes of what they list, and whose
 * listings were given without.
 *
 * The kernel keeps names only.  A process that then asks for attributes has no
 * listing made, but a look-up for each file.  So what was given without nodes
 * is taken back when a process begins to look up files one after the other.
 *
 * All of it is lossy: what is forgotten costs look-ups, never an answer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_DIRCACHE_HINTS_H
#define CFS_FUSE_DIRCACHE_HINTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CFS_DIRCACHE_STATTERS_BITS 12
#define CFS_DIRCACHE_BARE_BITS 16

/* Files of a listing that are remembered: the first ones. */
#define CFS_LISTED_FILES_MAX 16u

struct cfs_memo;

/* Files that the kernel was given nodes of, by a listing's first reply. */
struct cfs_listed_files {
	unsigned n;
	uint64_t ino[CFS_LISTED_FILES_MAX];
};

/* Threads share it. */
struct cfs_dircache {
	/* sets, see base/memo.h */
	_Atomic uint64_t statters[1u << CFS_DIRCACHE_STATTERS_BITS];
	_Atomic uint64_t bare[1u << CFS_DIRCACHE_BARE_BITS];
	atomic_uint n_bare;		/* added since all were taken back */
	atomic_uint n_look_ups;		/* of files in them */
	struct cfs_memo *subfolders;	/* folder -> uint64_t, see below */
	struct cfs_memo *files;		/* folder -> struct cfs_listed_files */
};

int cfs_dircache_init(struct cfs_dircache *l);		/* 0 or CFS_ENOMEM */
void cfs_dircache_release(struct cfs_dircache *l);

/* Has the process looked up a file? */
bool cfs_dircache_is_statter(const struct cfs_dircache *l, pid_t pid);

/*
 * The process has looked up a file in `folder`.  True if it is time to take
 * listings back, which is the caller's part: it asks cfs_dircache_take_back
 * for one folder after the other.
 */
bool cfs_dircache_note_look_up(struct cfs_dircache *l, pid_t pid,
			       uint64_t folder);
/* The next folder at or after slot *at, which moves past it; 0: no more. */
uint64_t cfs_dircache_take_back(struct cfs_dircache *l, size_t *at);

/* The listing of `folder`, from its beginning, has nodes for all its files;
 * or a part of it has not. */
void cfs_dircache_note_nodes(struct cfs_dircache *l, uint64_t folder);
void cfs_dircache_note_bare(struct cfs_dircache *l, uint64_t folder);

/* How many subfolders of `folder` have been given with nodes by the requests
 * of its listing so far.  Only of listings that take several requests. */
uint64_t cfs_dircache_subfolders(struct cfs_dircache *l, uint64_t folder);
void cfs_dircache_note_subfolders(struct cfs_dircache *l, uint64_t folder,
				  uint64_t n);

/* The files of `folder` that its listing has nodes of.  False: none are
 * remembered. */
bool cfs_dircache_files(struct cfs_dircache *l, uint64_t folder,
			struct cfs_listed_files *out);
void cfs_dircache_note_files(struct cfs_dircache *l, uint64_t folder,
			     const struct cfs_listed_files *files);

#endif
