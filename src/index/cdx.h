/* cdx.h - an index of sorted lines: what CDX files and ZipNum clusters share.
 *
 * Both are blocks of lines in bytewise order of their SURT keys (LC_ALL=C sort;
 * doc/formats.md, "CDX files"); they differ in where a block is and how
 * the one that may hold a key is found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CDX_H
#define CFS_INDEX_CDX_H

#include <stdatomic.h>

#include "base/lru.h"
#include "base/memo.h"
#include "base/strtab.h"
#include "cdx_line.h"
#include "index.h"

/* One good line of a block. */
struct cfs_cdx_entry {
	struct cfs_slice key;	/* into the text, or into `keys` */
	uint32_t off;		/* the line in the text */
	uint32_t n : 31;
	/* It names the same record as the line before it in the block.  Such an
	 * entry keeps its slot, so that positions do not depend on it; an
	 * iterator steps over it. */
	uint32_t is_repeat : 1;
};

/* A block in memory: lines that are captures, their keys ascending. */
struct cfs_cdx_block {
	uint32_t n;
	struct cfs_cdx_entry *v;
	uint8_t *text;			/* malloced */
	struct cfs_buf keys;		/* such as had JSON escapes */
};

/* The text of a block on its way in. */
struct cfs_cdx_text_in {
	uint8_t *p;		/* malloced; taken over */
	size_t from, n;		/* the lines are p[from .. from + n) */
	char where[256];	/* for messages: file, and offset in it */
	uint64_t where_off;
	bool is_plain;		/* offsets in the text are offsets in the
				 * file */
};

struct cfs_cdx;

struct cfs_cdx_layout {
	/* The last block whose first key is < key, else the first block; which
	 * may turn out to be empty. */
	int (*find)(struct cfs_cdx *x, struct cfs_slice key, uint32_t *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
	/* The block after this one.  CFS_END. */
	int (*following)(struct cfs_cdx *x, uint32_t number, uint32_t *out,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);
	/* Reads a block.  CFS_ENOTFOUND if there is none of that number. */
	int (*read)(struct cfs_cdx *x, uint32_t number,
		    struct cfs_cdx_text_in *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
	/* As that of struct cfs_index_ops. */
	int (*cut)(struct cfs_cdx *x, uint64_t k, uint64_t n,
		   struct cfs_buf *key, const struct cfs_cancel *cancel,
		   struct cfs_error *err);
	/* A hint that the block after this one is likely to be wanted. */
	void (*hint)(struct cfs_cdx *x, uint32_t number);
	void (*close)(struct cfs_cdx *x);	/* all but the common part */
};

struct cfs_cdx {
	struct cfs_index base;
	const struct cfs_cdx_layout *layout;
	struct cfs_cdx_legend legend;
	struct cfs_lru *blocks;
	struct cfs_strtab *names;	/* folders and base names of archives */
	atomic_bool reported;		/* a damaged line */
	struct cfs_memo *ports;		/* of hosts, by their hash */
};

/* Fills the common part of x; `layout` is set only on success. */
int cfs_cdx_init(struct cfs_cdx *x, struct cfs_source *src, const char *format,
		 const struct cfs_cdx_layout *layout, size_t cache_bytes,
		 struct cfs_error *err);
void cfs_cdx_close(struct cfs_index *ix);

/* Pins a block; the caller puts *ref. */
int cfs_cdx_get(struct cfs_cdx *x, uint32_t number, struct cfs_lru_ref **ref,
		struct cfs_cdx_block **b, const struct cfs_cancel *cancel,
		struct cfs_error *err);

/* Opens a plain CDX or CDXJ file, or a small compressed one.  Takes src over,
 * also on failure.  CFS_EUNSUPPORTED for one that crawlfs index must convert;
 * with `any`, lines in any order are taken, only for reading their blocks one
 * after the other. */
int cfs_cdx_open(struct cfs_index **out, struct cfs_source *src,
		 const struct cfs_index_opts *opts, bool any,
		 struct cfs_error *err);
/* Opens a cluster.idx; takes src over, also on failure.  Shards are opened
 * when they are needed, beside it or where its .loc file says. */
int cfs_zipnum_open(struct cfs_index **out, struct cfs_source *src,
		    const struct cfs_index_opts *opts, struct cfs_error *err);

/* The ranges of an index with SURT keys.  ports: the ports of hosts, learnt by
 * seeks in ix; of cfs_cdx_ports_new, the caller's.  As cfs_index_ranges. */
int cfs_cdx_ranges(struct cfs_index *ix, struct cfs_memo *ports,
		   const struct cfs_path *path, enum cfs_below below,
		   struct cfs_ranges *out);
struct cfs_memo *cfs_cdx_ports_new(void);	/* NULL: out of memory */

/* What kind of record a line is about, as far as it says. */
enum cfs_kind cfs_cdx_kind(const struct cfs_cdx_line *line,
			   struct cfs_slice name);

#endif
