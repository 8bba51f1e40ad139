/* index.h - a sorted URL index: seek, step, decode.
 *
 * One interface over the backends (PB-tree, crawlfs index, ZipNum and CDX).
 * An index is a sequence of blocks of entries sorted by key; an entry
 * is one capture of one URL, and its position (block, slot) never changes.
 * Each backend also knows how its keys map to the components of the tree
 * (doc/design.md, "Names in the tree"), so that nothing above it sees a key's
 * syntax.
 *
 * An open index is immutable and shared by threads; an iterator belongs to
 * one thread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_INDEX_H
#define CFS_INDEX_INDEX_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/lru.h"
#include "source/source.h"
#include "source/span.h"
#include "url/path.h"
#include "url/url.h"

/* Block number << 16 | slot.  Both start at 0. */
typedef uint64_t cfs_pos;
#define CFS_POS_NONE UINT64_MAX
#define CFS_SLOTS_MAX 65536u	/* entries in a block */

static inline cfs_pos cfs_pos_make(uint32_t block, uint32_t slot)
{
	return (cfs_pos)block << 16 | slot;
}
static inline uint32_t cfs_pos_block(cfs_pos p) { return (uint32_t)(p >> 16); }
static inline uint32_t cfs_pos_slot(cfs_pos p)
{
	return (uint32_t)(p & 0xffff);
}

enum cfs_kind {			/* stored in crawlfs indexes: fixed values */
	CFS_KIND_ARC = 0,	/* an ARC URL record */
	CFS_KIND_RESPONSE = 1,
	CFS_KIND_RESOURCE = 2,
	CFS_KIND_REVISIT = 3,
	CFS_KIND_CONVERSION = 4,
	/* No record of the page is at hand, only the crawl's own text or
	 * metadata of it: the text is its body, or there is none. */
	CFS_KIND_SIDE = 5,
};

/* Where the crawl's own text or metadata of a capture lies. */
enum cfs_companion_kind { /* stored in crawlfs indexes: fixed values */
			  CFS_COMPANION_NONE = 0,
			  CFS_COMPANION_SEQFILE =
				  1, /* a pair of a SequenceFile: its unit's
				 * span, inner_offset the pair's number */
			  CFS_COMPANION_WARC =
				  2, /* the block of a WARC record */
};
#define CFS_COMPANION_BYTES_UNKNOWN UINT64_MAX

struct cfs_companion {
	enum cfs_companion_kind kind;
	uint8_t form;		/* enum cfs_related_form of a related record */
	bool is_one_member;	/* of one, while an index is built: it is
				 * alone in one member */
	uint64_t bytes;		/* of what it holds; it may be unknown of a
				 * related record */
	struct cfs_span loc;
};

/* What was noted of a capture while it was indexed: one JSON object, whose
 * members its metadata view shows.  Bytes of one; longer ones are not kept. */
#define CFS_NOTES_MAX 32768u

/* Where they are in an index: the backend's own numbers. */
struct cfs_notes_at {
	uint64_t block;
	uint32_t offset, bytes;		/* bytes 0: there are none */
};

/* What an index knows of one capture. */
struct cfs_capture {
	enum cfs_kind kind;
	int64_t time;		/* Unix seconds; of the ARC file in a PB-tree */
	uint16_t status;	/* HTTP status; 0 if not known */
	struct cfs_slice mime;	/* as the record declares it; may be empty */
	/* Of the payload as the index has it; n 0 where it has none.  Lent by
	 * the iterator. */
	struct cfs_slice digest;
	struct cfs_slice url;	/* the URL where it cannot be made from the
				 * key; else empty.  Lent by the iterator */
	uint8_t scheme;		/* enum cfs_scheme of url/url.h */
	bool body_is_exact;
	uint64_t body_bytes;	/* of the raw view, if body_is_exact */
	struct cfs_span loc;
	struct cfs_companion text, meta;	/* the crawl's own */
	/* More records of the page (related.h): which of them lie next to
	 * this one, and others as a list that the iterator lends. */
	uint8_t adjacent;			/* enum cfs_adjacency */
	uint64_t request_bytes;		/* of the request's span, by `lies` */
	struct cfs_slice related;
	/* Sizes of the rendered views, made by the code that the index's
	 * view_version names; only of those that are not the crawl's own. */
	bool has_view_bytes;
	uint64_t text_bytes, meta_bytes;
	struct cfs_notes_at notes;
};

struct cfs_index;

/* What an index keeps for an iterator beside it, until that is released. */
struct cfs_iter_state {
	void (*put)(struct cfs_iter_state *state);
};

/*
 * An entry under the cursor.  It is large, so pass pointers.  key and value are
 * borrowed until the iterator moves or is released.
 */
struct cfs_iter {
	struct cfs_index *ix;
	cfs_pos pos;
	struct cfs_slice key, value;
	/* The backend's own: */
	struct cfs_iter_state *state;	/* NULL: none */
	struct cfs_lru_ref *block_ref;
	uint32_t block_off;	/* where the entry after this one begins */
	size_t key_n, url_n;	/* bytes in use of the two buffers */
	uint8_t key_buf[CFS_KEY_MAX];
	uint8_t url_buf[CFS_URL_MAX];	/* what capture lends as `url` */
};

struct cfs_index_stats {
	uint64_t captures;	/* 0: not known without a scan */
	uint64_t blocks;	/* of entries */
	uint64_t skipped;	/* keys left out: bad, too long, too deep */
	uint64_t block_reads;
};

/* What was damaged when an archive was read for an index.  Slices are lent. */
struct cfs_index_damage {
	struct cfs_slice archive;	/* its name */
	uint64_t offset;
	uint64_t count;			/* of damaged places */
	struct cfs_slice what;		/* a phrase */
};
typedef void cfs_index_damaged(void *arg, const struct cfs_index_damage *d);

struct cfs_index_ops {
	int (*seek)(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, const struct cfs_cancel *cancel,
		    struct cfs_error *err);
	int (*at)(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		  const struct cfs_cancel *cancel, struct cfs_error *err);
	int (*next)(struct cfs_iter *it, const struct cfs_cancel *cancel,
		    struct cfs_error *err);
	int (*capture)(struct cfs_iter *it, struct cfs_capture *out,
		       struct cfs_error *err);
	/* NULL: there never are any. */
	int (*notes)(struct cfs_index *ix, const struct cfs_notes_at *at,
		     struct cfs_buf *out, const struct cfs_cancel *cancel,
		     struct cfs_error *err);
	/* NULL: nothing is known of any. */
	int (*damage)(struct cfs_index *ix, cfs_index_damaged *emit, void *arg,
		      const struct cfs_cancel *cancel, struct cfs_error *err);
	int (*archive_name)(struct cfs_index *ix, const struct cfs_span *loc,
			    struct cfs_buf *out, struct cfs_error *err);
	int (*split)(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_path *out);
	int (*ranges)(struct cfs_index *ix, const struct cfs_path *path,
		      enum cfs_below below, struct cfs_ranges *out);
	int (*url_key)(struct cfs_slice url, struct cfs_buf *out);
	/* Of a capture that has no URL of its own. */
	int (*key_url)(struct cfs_slice key, enum cfs_scheme scheme,
		       struct cfs_buf *out);
	/* *n is 0.  NULL: there is no table of records. */
	int (*find_ref)(struct cfs_index *ix, struct cfs_slice ref,
			cfs_pos *out, size_t max, size_t *n,
			const struct cfs_cancel *cancel, struct cfs_error *err);
	/* As cfs_index_cut.  Asked where ix->blocks is 0; else the blocks are
	 * numbered from 0 on.  NULL: never. */
	int (*cut)(struct cfs_index *ix, uint64_t k, uint64_t n,
		   struct cfs_buf *key, const struct cfs_cancel *cancel,
		   struct cfs_error *err);
	/* NULL: they are in the common head. */
	void (*stats)(struct cfs_index *ix, struct cfs_index_stats *out);
	void (*close)(struct cfs_index *ix);
};

/* Views whose sizes an index can list, as bits. */
enum cfs_index_size { CFS_INDEX_SIZE_BODY = 1, CFS_INDEX_SIZE_TEXT = 2,
		      CFS_INDEX_SIZE_META = 4 };
#define CFS_INDEX_SIZES 3u

/* Captures of an index that have no exact size, by view: body, text, metadata.
 * is_known: they were counted. */
struct cfs_index_unsized {
	bool is_known;
	uint64_t captures[CFS_INDEX_SIZES];
};

#define CFS_FILL_ALL 1024u
#define CFS_INDEX_CACHES 2u

/* The common head of every backend's index structure. */
struct cfs_index {
	const struct cfs_index_ops *ops;
	struct cfs_source *src;		/* owned */
	const char *format;		/* "crawlfs index", "PB-tree" */
	bool has_status;		/* captures know status and MIME type */
	bool strips_www;		/* keys lack the "www." of their URLs */
	bool keeps_host_case;		/* keys begin with their URLs' labels,
					 * '.' between them, in upper case
					 * too */
	bool by_time;			/* so come the captures of one key */
	bool is_merged;			/* of others: positions do not ascend
					 * with keys */
	bool has_all_refs;		/* find_ref finds whatever a revisit
					 * may refer to */
	/* Of its blocks, as far as there are any; NULL: no more. */
	struct cfs_lru *caches[CFS_INDEX_CACHES];
	const char *home;		/* the URL that archives are below where
					 * nothing else is said; NULL: none */
	uint32_t view_version;		/* of view sizes; 0: there are none */
	struct cfs_index_unsized unsized;
	uint64_t captures, blocks;	/* 0: not known without a scan */
	uint16_t last_fill;		/* how full the last block is, of
					 * CFS_FILL_ALL; 0: not known */
	uint32_t archives;		/* numbered from 0 in the first number
					 * of a span; 0: not known */
	/* Of one in which only captures of some time exist (dates.h), and of a
	 * piece of it: the index of all of them.  NULL: it leaves out none. */
	struct cfs_index *undated;
	atomic_uint_fast64_t skipped, block_reads;	/* see the stats */
	/* Of a piece (part.h): the index that it is one of, and the keys that
	 * it holds, from <= key < to; to_open: no upper bound. */
	struct cfs_index *whole;	/* NULL: this is no piece */
	struct cfs_slice from, to;
	bool to_open;
};

/* What a piece is one of; any other index is that itself. */
static inline struct cfs_index *cfs_index_whole(struct cfs_index *ix)
{
	return ix->whole != NULL ? ix->whole : ix;
}

/* The index of all captures, below all filters. */
static inline struct cfs_index *cfs_index_undated(struct cfs_index *ix)
{
	ix = cfs_index_whole(ix);
	return ix->undated != NULL ? ix->undated : ix;
}

/* Is an entry with this key in the piece?  Any other index holds all. */
static inline bool cfs_index_holds(const struct cfs_index *ix,
				   struct cfs_slice key)
{
	return ix->whole == NULL ||
	       (cfs_slice_cmp(key, ix->from) >= 0 &&
		(ix->to_open || cfs_slice_cmp(key, ix->to) < 0));
}

/* What opening an index may need besides its file. */
struct cfs_index_opts {
	size_t block_cache_bytes;
	const char *location;		/* of src; NULL: src->name.  A ZipNum
					 * index has more files beside it */
	const struct cfs_opener *opener; /* of those (net/open_location.h), or
					 * NULL; copied, but its arg must
					 * outlive the index */
	const struct cfs_cancel *cancel;
};
enum cfs_index_format {
	CFS_INDEX_CFX,		/* a crawlfs index */
	CFS_INDEX_PBTREE,
	CFS_INDEX_ZIPNUM,	/* a cluster.idx */
	CFS_INDEX_CDX,		/* CDX or CDXJ with SURT keys, in order */
	CFS_INDEX_CDX_GZ,	/* CDX or CDXJ, compressed: one of
				 * CFS_INDEX_GZ_MAX bytes can be opened */
	CFS_INDEX_CDX_OTHER,	/* its keys are not SURTs, or not in order:
				 * 'crawlfs index' can convert it */
	CFS_INDEX_UNKNOWN,
};
/* Bytes of a file that are enough to know it by. */
#define CFS_INDEX_HEAD_BYTES 16384u
#define CFS_INDEX_GZ_MAX (16u << 20)

/* head: the first CFS_INDEX_HEAD_BYTES of a file, or all of a smaller one. */
enum cfs_index_format cfs_index_detect(struct cfs_slice head,
				       uint64_t file_bytes);

/* Opens the index in src by its first bytes; takes src over, also on failure.
 * block_cache_bytes bounds the decoded blocks kept in memory.
 * CFS_EFORMAT when it is none of the known formats (err says so). */
int cfs_index_open(struct cfs_index **out, struct cfs_source *src,
		   size_t block_cache_bytes, struct cfs_error *err);
/* The same, with what some indexes need besides. */
int cfs_index_open_at(struct cfs_index **out, struct cfs_source *src,
		      const struct cfs_index_opts *opts, struct cfs_error *err);
void cfs_index_close(struct cfs_index *ix);	/* accepts NULL */

/* Has the blocks that it keeps accounted for, from now on: by one thread, after
 * it was opened.  budget may be NULL. */
void cfs_index_charge_to(struct cfs_index *ix, struct cfs_budget *budget);

void cfs_iter_init(struct cfs_iter *it);
void cfs_iter_release(struct cfs_iter *it);	/* may be used again after */

/*
 * Finds the first entry whose key is >= `key`, the first of equal ones.
 * `it` may stand anywhere: a block it holds is looked at first, so short
 * steps forward are cheap.
 * Returns 0; CFS_END past the last key; CFS_EIO, CFS_ENOMEM, CFS_EFORMAT,
 * CFS_EINTR.
 */
int cfs_index_seek(struct cfs_index *ix, struct cfs_slice key,
		   struct cfs_iter *it, const struct cfs_cancel *cancel,
		   struct cfs_error *err);

/* The entry at a position.  CFS_ENOTFOUND when there is none. */
int cfs_index_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		 const struct cfs_cancel *cancel, struct cfs_error *err);

/* The entry after this one: 0, CFS_END, or a failure as in seek.  After
 * CFS_END and after a failure the iterator stands nowhere. */
int cfs_index_next(struct cfs_iter *it, const struct cfs_cancel *cancel,
		   struct cfs_error *err);

/* To the next entry that is shown, for what reads ahead: of many that their
 * times leave out it may stop at one. */
int cfs_index_next_shown(struct cfs_iter *it, const struct cfs_cancel *cancel,
			 struct cfs_error *err);

/* Decodes the entry's value, which may need buffers of the iterator.
 * CFS_EFORMAT if it is damaged; CFS_ENOTFOUND if its time leaves it out. */
static inline int cfs_index_capture(struct cfs_iter *it,
				    struct cfs_capture *out,
				    struct cfs_error *err)
{
	return it->ix->ops->capture(it, out, err);
}

/* False of an entry that its time leaves out: no reader is to see its capture.
 * True of a damaged one, which a reader then finds to be so. */
static inline bool cfs_index_shows(struct cfs_iter *it)
{
	struct cfs_capture cap;

	return it->ix->undated == NULL ||
	       cfs_index_capture(it, &cap, NULL) != CFS_ENOTFOUND;
}

/* Appends the notes of a capture that was decoded: a JSON object, or nothing
 * if it has none.  0, CFS_EFORMAT, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
static inline int cfs_index_notes(struct cfs_index *ix,
				  const struct cfs_capture *cap,
				  struct cfs_buf *out,
				  const struct cfs_cancel *cancel,
				  struct cfs_error *err)
{
	return cap->notes.bytes == 0 ? CFS_OK :
	       ix->ops->notes(ix, &cap->notes, out, cancel, err);
}

/* Hands over what was found damaged in the archives of an index, as far as it
 * knows.  0, CFS_EFORMAT, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
static inline int cfs_index_damage(struct cfs_index *ix,
				   cfs_index_damaged *emit, void *arg,
				   const struct cfs_cancel *cancel,
				   struct cfs_error *err)
{
	return ix->ops->damage == NULL ? CFS_OK :
	       ix->ops->damage(ix, emit, arg, cancel, err);
}

/* Appends the archive's name, relative to the data base ('/' separated,
 * never absolute, no ".." component). */
static inline int cfs_index_archive_name(struct cfs_index *ix,
					 const struct cfs_span *loc,
					 struct cfs_buf *out,
					 struct cfs_error *err)
{
	return ix->ops->archive_name(ix, loc, out, err);
}

/* The tree components of a key; slices borrow from the key or are static.
 * 0, or CFS_ENOTFOUND when such a key is not in the tree (it is junk, or
 * beyond CFS_DEPTH_MAX): readers step over it. */
static inline int cfs_index_split(struct cfs_index *ix, struct cfs_slice key,
				  struct cfs_path *out)
{
	return ix->ops->split(ix, key, out);
}

/*
 * The runs of keys that hold every entry whose path extends `path` by at
 * least one component (CFS_BELOW_DIR) or is equal to it (CFS_BELOW_PAGE).
 * Runs may hold other entries too: the caller splits and compares.
 * 0, CFS_ENOMEM, CFS_ENOTFOUND when nothing can be there, or a failure to
 * read.
 */
static inline int cfs_index_ranges(struct cfs_index *ix,
				   const struct cfs_path *path,
				   enum cfs_below below,
				   struct cfs_ranges *out)
{
	return ix->ops->ranges(ix, path, below, out);
}

/* Appends the key under which this index holds a URL.  CFS_ENOTFOUND if
 * the URL has no place in it (another scheme, too long, NUL). */
static inline int cfs_index_url_key(struct cfs_index *ix, struct cfs_slice url,
				    struct cfs_buf *out)
{
	return ix->ops->url_key(url, out);
}

/* Appends the URL of an entry as well as the index knows it (the record
 * itself knows it best). */
static inline int cfs_index_key_url(struct cfs_index *ix, struct cfs_slice key,
				    const struct cfs_capture *cap,
				    struct cfs_buf *out)
{
	return cap->url.n > 0 ? cfs_buf_add(out, cap->url) :
	       ix->ops->key_url(key, cap->scheme, out);
}

/* Captures a revisit may refer to: `ref` is "id:" + WARC-Record-ID or
 * "digest:" + WARC-Payload-Digest in its one form (record/digest.h), byte for
 * byte.  Fills at most max positions, candidates only (matched by a hash).
 *  CFS_OK with *n 0 where there are none or the backend keeps no such table. */
int cfs_index_find_ref(struct cfs_index *ix, struct cfs_slice ref,
		       cfs_pos *out, size_t max, size_t *n,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

/*
 * Appends a key below which about k of n parts of the entries are, by blocks.
 * It depends on the index's bytes alone, and grows with k / n.
 *
 * k, n   0 < k < n, n at most UINT32_MAX
 *
 * CFS_END: behind all entries.  Failures as in seek.
 */
int cfs_index_cut(struct cfs_index *ix, uint64_t k, uint64_t n,
		  struct cfs_buf *key, const struct cfs_cancel *cancel,
		  struct cfs_error *err);

/*
 * Of how many captures the index lacks the exact size of the body, the text or
 * the metadata, whichever is lacking most of those asked for; UINT64_MAX where
 * that is not known.  Only a crawlfs index can say so.
 *
 * sizes      bits of enum cfs_index_size
 * view_version  of the code that makes text and metadata here (view/view.h):
 *            sizes that another one had are none
 *
 * It is the index's word: a size that cfs_index_capture does not give in spite
 * of it must still be found out.
 */
uint64_t cfs_index_unsized(const struct cfs_index *ix, unsigned sizes,
			   uint32_t view_version);

void cfs_index_get_stats(struct cfs_index *ix, struct cfs_index_stats *out);

#endif
