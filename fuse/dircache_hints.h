/* dircache_hints.h - which listings should have attributes: remembers processes
 * that look up what they list, and listings that the kernel keeps without
 * nodes.
 *
 * The kernel keeps every listing, but of one without nodes only the names.
 * When a process then wants attributes, no listing is made: the kernel looks up
 * each file.  So listings without nodes are taken back when a process begins to
 * look up files one after the other.
 *
 * All of this is lossy: what is forgotten costs look-ups, but never makes an
 * answer wrong.
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

struct cfs_memo;

/* Threads share it. */
struct cfs_dircache {
	/* lossy sets of processes and of folders, see base/memo.h */
	_Atomic uint64_t statters[1u << CFS_DIRCACHE_STATTERS_BITS];
	_Atomic uint64_t bare[1u << CFS_DIRCACHE_BARE_BITS];
	atomic_uint n_bare;		/* folders added since all were
					 * taken back */
	atomic_uint n_look_ups;		/* look-ups of files in such folders */
	struct cfs_memo *subfolders;	/* folder -> uint64_t, see below */
};

int cfs_dircache_init(struct cfs_dircache *l);		/* 0 or CFS_ENOMEM */
void cfs_dircache_release(struct cfs_dircache *l);

/* Has the process looked up a file? */
bool cfs_dircache_is_statter(const struct cfs_dircache *l, pid_t pid);

/*
 * Notes that process `pid` has looked up a file in `folder`.  True if it is
 * time to take listings back: the caller then asks cfs_dircache_take_back for
 * one folder after the other.
 */
bool cfs_dircache_note_look_up(struct cfs_dircache *l, pid_t pid,
			       uint64_t folder);
/* The next folder to take back, from slot *at on, which is advanced; 0 at
 * the end. */
uint64_t cfs_dircache_take_back(struct cfs_dircache *l, size_t *at);

/* note_nodes: the listing of `folder`, from its beginning, had nodes for all
 * files.  note_bare: some of its files had none. */
void cfs_dircache_note_nodes(struct cfs_dircache *l, uint64_t folder);
void cfs_dircache_note_bare(struct cfs_dircache *l, uint64_t folder);

/* How many subfolders of `folder` the requests of its listing have had nodes
 * for so far.  Kept only for listings that take several requests. */
uint64_t cfs_dircache_subfolders(struct cfs_dircache *l, uint64_t folder);
void cfs_dircache_note_subfolders(struct cfs_dircache *l, uint64_t folder,
				  uint64_t n);

#endif
