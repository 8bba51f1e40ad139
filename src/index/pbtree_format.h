/* pbtree_format.h - sizes and limits of a PB-tree, for its reader and its
 * writer (doc/formats.md, "PB-tree").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_PBTREE_FORMAT_H
#define CFS_INDEX_PBTREE_FORMAT_H

#define CFS_PBTREE_HEADER_BYTES 8u
/* A block has room for two pointers at least; beyond 16 MiB a lookup would
 * no longer be small. */
#define CFS_PBTREE_BLOCK_MIN 8u
#define CFS_PBTREE_BLOCK_MAX (16u << 20)
/* Levels of index blocks.  With blocks of 64 KiB two are enough for billions
 * of keys; tiny blocks in tests make high trees. */
#define CFS_PBTREE_LEVELS_MAX 64u
#define CFS_PBTREE_POINTER_BYTES 4u

#endif
