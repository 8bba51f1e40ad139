/* ino.c - maps nodes to numbers and back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ino.h"

#include "index/hits.h"
#include "searches.h"

#define POS_BITS 48
#define LEVEL_BITS 10
#define LEVEL_MASK ((1u << LEVEL_BITS) - 1)
#define DIR_SHIFT (POS_BITS + LEVEL_BITS)
#define SOURCE_SHIFT (DIR_SHIFT + 1)
#define POS_MASK ((UINT64_C(1) << POS_BITS) - 1)

/* Numbers of folders of a search. */
#define HIT_BITS 28
#define QUERY_BITS 15
#define HIT_MASK ((UINT64_C(1) << HIT_BITS) - 1)
#define QUERY_MASK ((1u << QUERY_BITS) - 1)
#define DEPTH_SHIFT (HIT_BITS + QUERY_BITS)
#define SEARCH_SHIFT (DEPTH_SHIFT + LEVEL_BITS)
#define SEARCH_BITS (SOURCE_SHIFT - SEARCH_SHIFT)

_Static_assert(CFS_HITS_MAX <= HIT_MASK && CFS_SEARCH_NUMBERS <= QUERY_MASK + 1,
	       "numbers of hits and queries fit");

uint64_t cfs_ino_of_search(const struct cfs_node *n)
{
	return n->hit | (uint64_t)n->search << HIT_BITS |
	       (uint64_t)n->depth << DEPTH_SHIFT |
	       UINT64_C(1) << SEARCH_SHIFT |
	       (uint64_t)n->source << SOURCE_SHIFT;
}

bool cfs_ino_search(uint64_t ino, struct cfs_node *out)
{
	*out = (struct cfs_node){
		.type = CFS_NODE_DIR,
		.source = (unsigned)(ino >> SOURCE_SHIFT),
		.depth = (unsigned)(ino >> DEPTH_SHIFT) & LEVEL_MASK,
		.search = (unsigned)(ino >> HIT_BITS) & QUERY_MASK,
		.hit = ino & HIT_MASK,
	};
	return (ino >> SEARCH_SHIFT & ((1u << SEARCH_BITS) - 1)) == 1;
}

uint64_t cfs_ino_of(const struct cfs_node *n)
{
	uint64_t is_dir = n->type == CFS_NODE_DIR;
	uint64_t level = is_dir ? n->depth : (unsigned)n->view;

	return n->pos | level << POS_BITS | is_dir << DIR_SHIFT |
	       (uint64_t)n->source << SOURCE_SHIFT;
}

bool cfs_ino_node(uint64_t ino, struct cfs_node *out)
{
	unsigned level = (unsigned)(ino >> POS_BITS) & LEVEL_MASK;

	*out = (struct cfs_node){
		.type = ino >> DIR_SHIFT & 1 ? CFS_NODE_DIR : CFS_NODE_FILE,
		.source = (unsigned)(ino >> SOURCE_SHIFT),
		.pos = ino & POS_MASK,
	};
	if (level == 0)
		return false;
	if (out->type == CFS_NODE_DIR)
		out->depth = level;
	else if (level >= CFS_VIEW_COUNT)
		return false;
	else
		out->view = (enum cfs_view)level;
	return true;
}
