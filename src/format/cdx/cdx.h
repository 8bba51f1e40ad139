/* cdx.h - an index of sorted lines: what CDX files and ZipNum clusters share.
 *
 * Both consist of blocks of lines in bytewise order of their SURT keys
 * (LC_ALL=C sort; doc/formats.md, "CDX files"); they differ in where a block
 * lies and how the block that may hold a key is found.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_CDX_H
#define CFS_CDX_CDX_H

#include <stdatomic.h>

#include "base/lru.h"
#include "base/memo.h"
#include "base/strtab.h"
#include "cdx_line.h"
#include "index/index.h"

/* A line of a block that is a capture. */
struct cfs_cdx_entry {
	struct cfs_slice key;	/* points into the text, or into `keys` */
	uint32_t off;		/* of the line in the text */
	uint32_t n : 30;
	/* The line has to be parsed for its traits: one of them has escapes, or
	 * is too far behind. */
	uint32_t has_odd_traits : 1;
	/* It names the same record as the line before it in the block.  Such an
	 * entry keeps its slot, so that positions do not change; an iterator
	 * steps over it. */
	uint32_t is_repeat : 1;
	/* The values that captures are picked by, to pick them without parsing
	 * the line again: texts are in the line. */
	uint16_t status, mime_at, languages_at;
	uint8_t mime_n, languages_n;
};

/* A line of a block that is none, though it should be. */
struct cfs_cdx_lost {
	uint64_t off;			/* in the file, or of the member */
	uint32_t line;			/* in the member, from 1; else 0 */
	uint32_t slot;			/* of the entry that it is beside */
	uint32_t at;			/* in the text */
	const char *why;		/* static */
};

/* A block in memory: the lines that are captures, in order of their keys. */
struct cfs_cdx_block {
	uint32_t n, n_lost;
	struct cfs_cdx_entry *v;
	struct cfs_cdx_lost *lost;
	char *where;			/* of those; malloced, NULL: there are
					 * none */
	uint8_t *text;			/* malloced */
	struct cfs_buf keys;		/* those that had JSON escapes */
};

/* The text of a block that a layout has read. */
struct cfs_cdx_text_in {
	uint8_t *p;		/* malloced; taken over */
	size_t from, n;		/* the lines are p[from .. from + n) */
	char where[256];	/* for messages: the file's name */
	uint64_t where_off;
	bool is_plain;		/* offsets in the text are offsets in the
				 * file */
	bool has_long_line;	/* behind the lines; it was left out */
};

struct cfs_cdx;

#define CFS_CDX_NO_BLOCK UINT32_MAX
struct cfs_cdx_layout {
	/* Finds the last block whose first key is < key, else the first block.
	 * The block found may be empty.  On failure *out is the block that
	 * cannot be read; CFS_CDX_NO_BLOCK: it is not known. */
	int (*find)(struct cfs_cdx *x, struct cfs_slice key, uint32_t *out,
		    struct cfs_ctx ctx);
	/* Gives the number of the next block; CFS_END after the last.  On
	 * failure *out is the last one that cannot be found. */
	int (*following)(struct cfs_cdx *x, uint32_t number, uint32_t *out,
			 struct cfs_ctx ctx);
	/* Reads a block.  CFS_ENOTFOUND if no block has that number. */
	int (*read)(struct cfs_cdx *x, uint32_t number,
		    struct cfs_cdx_text_in *out, struct cfs_ctx ctx);
	/* As `cut` of struct cfs_index_ops; NULL: CFS_END. */
	int (*cut)(struct cfs_cdx *x, uint64_t k, uint64_t n,
		   struct cfs_buf *key, struct cfs_ctx ctx);
	/* A hint that the block after this one is likely to be wanted. */
	void (*hint)(struct cfs_cdx *x, uint32_t number);
	void (*close)(struct cfs_cdx *x);	/* frees its own part only */
};

struct cfs_cdx {
	struct cfs_index base;
	const struct cfs_cdx_layout *layout;
	struct cfs_cdx_legend legend;
	struct cfs_lru *blocks;
	struct cfs_strtab *names;	/* folders and base names of archives */
	atomic_bool reported;		/* a damaged line was reported */
	struct cfs_memo *ports;		/* ports of hosts, by the host's hash */
};

/* Fills the common part of x; cfs_cdx_close releases it, also on failure. */
int cfs_cdx_init(struct cfs_cdx *x, struct cfs_source *src, const char *format,
		 const struct cfs_cdx_layout *layout, size_t cache_bytes,
		 struct cfs_error *err);
void cfs_cdx_close(struct cfs_index *ix);

/* Pins a block; the caller puts *ref. */
int cfs_cdx_get(struct cfs_cdx *x, uint32_t number, struct cfs_lru_ref **ref,
		struct cfs_cdx_block **b, struct cfs_ctx ctx);

/* Opens a plain CDX or CDXJ file, or a small compressed one.  Takes src over,
 * also on failure.  CFS_EUNSUPPORTED if 'crawlfs index' must convert the file
 * first.  With `any`, lines may be in any order: the index then serves only to
 * read its blocks one after the other. */
int cfs_cdx_open(struct cfs_index **out, struct cfs_source *src,
		 const struct cfs_index_opts *opts, bool any,
		 struct cfs_error *err);
/* Opens a cluster.idx; takes src over, also on failure.  Shards are opened
 * when they are needed, beside it or where its .loc file says. */
int cfs_zipnum_open(struct cfs_index **out, struct cfs_source *src,
		    const struct cfs_index_opts *opts, struct cfs_error *err);

/* The kind of record that a line refers to, as far as it says. */
enum cfs_kind cfs_cdx_kind(const struct cfs_cdx_line *line,
			   struct cfs_slice name);

/* ---- recognising them (cdx_detect.c) ---- */

/* The format of a file that begins with these bytes: ZIPNUM, one of the CDXs,
 * or UNKNOWN.  head: as for cfs_index_detect. */
enum cfs_index_format cfs_cdx_detect(struct cfs_slice head);

/* The format of src, and its legend unless that is NULL; reads the beginning of
 * src.  0, CFS_EFORMAT (the legend has too many columns), CFS_EIO, CFS_ENOMEM,
 * CFS_EINTR. */
int cfs_cdx_look_at(struct cfs_source *src, enum cfs_index_format *look,
		    struct cfs_cdx_legend *legend, struct cfs_ctx ctx);

#endif
