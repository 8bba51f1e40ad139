/* dirents.c - encodes directory entries as the kernel takes them (linux/fuse.h:
 * fuse_dirent, fuse_direntplus).
 *
 * libfuse makes the same bytes, but they cannot be changed afterwards.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dirents.h"

#include <linux/fuse.h>
#include <stddef.h>
#include <string.h>

/* The kernel may keep a name until it is told to forget it. */
#define ENTRY_SECS UINT64_C(1000000000)

static size_t head_bytes(const struct cfs_dirents *d)
{
	return d->plus ? FUSE_NAME_OFFSET_DIRENTPLUS : FUSE_NAME_OFFSET;
}

static void fill_node(struct fuse_entry_out *e, const struct stat *st,
		      uint64_t attr_secs)
{
	e->nodeid = st->st_ino;
	e->entry_valid = ENTRY_SECS;
	e->attr_valid = attr_secs;
	e->attr = (struct fuse_attr){
		.ino = st->st_ino, .mode = st->st_mode,
		.nlink = (uint32_t)st->st_nlink,
		.uid = st->st_uid, .gid = st->st_gid,
		.size = (uint64_t)st->st_size,
		.blocks = (uint64_t)st->st_blocks,
		.blksize = (uint32_t)st->st_blksize,
		.atime = (uint64_t)st->st_atime,
		.mtime = (uint64_t)st->st_mtime,
		.ctime = (uint64_t)st->st_ctime,
	};
}

bool cfs_dirents_add(struct cfs_dirents *d, struct cfs_slice name, uint64_t ino,
		     mode_t type, int64_t next, const struct stat *node,
		     uint64_t attr_secs)
{
	size_t head = head_bytes(d);
	size_t bytes = FUSE_DIRENT_ALIGN(head + name.n);
	uint8_t *p = d->buf + d->used;
	struct fuse_dirent e = {
		.ino = ino, .off = (uint64_t)next,
		.namelen = (uint32_t)name.n, .type = (type & S_IFMT) >> 12,
	};

	if (bytes > d->size - d->used)
		return false;
	if (d->plus) {
		struct fuse_entry_out out = { .nodeid = 0 };

		if (node != NULL)
			fill_node(&out, node, attr_secs);
		memcpy(p, &out, sizeof(out));
	}
	memcpy(p + head - FUSE_NAME_OFFSET, &e, FUSE_NAME_OFFSET);
	memset(p + bytes - 8, 0, 8);	/* padding behind the name */
	memcpy(p + head, name.p, name.n);
	d->last = d->used;
	d->used += bytes;
	return true;
}

void cfs_dirents_take_node_back(struct cfs_dirents *d, size_t at)
{
	struct fuse_entry_out none = { .nodeid = 0 };

	memcpy(d->buf + at, &none, sizeof(none));
}

void cfs_dirents_end(struct cfs_dirents *d)
{
	uint64_t end = CFS_DIRENTS_END;

	if (d->used > 0)
		memcpy(d->buf + d->last + head_bytes(d) - FUSE_NAME_OFFSET +
		       offsetof(struct fuse_dirent, off), &end, sizeof(end));
}
