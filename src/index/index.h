/* index.h - a sorted URL index: seek, step, decode.
 *
 * One interface over the backends (PB-tree, crawlfs index, ZipNum and CDX).
 * An index is a sequence of blocks of entries sorted by key; an entry
 * is one capture of one URL, and its position (block, slot) never changes.
 * Each backend also knows how its keys map to the components of the tree
 * (doc/tree.md, "Names in the tree"), so that nothing above it sees a key's
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
#include "key_runs.h"
#include "source/span.h"
#include "url/path.h"
#include "url/url.h"
#include "view_bytes.h"

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
	/* There is no record of the page, only its companion: the text is the
	 * body; with metadata alone there is no body. */
	CFS_KIND_ANNEX = 5,
};

/* The storage of a companion: the crawl's own text or metadata of a capture. */
enum cfs_companion_kind { /* stored in crawlfs indexes: fixed values */
			  CFS_COMPANION_NONE = 0,
			  CFS_COMPANION_SEQFILE =
				  1, /* a pair in a SequenceFile: `loc` is its
				     * unit's, inner_offset the pair's number */
			  CFS_COMPANION_WARC =
				  2, /* the block of a WARC record */
};
#define CFS_COMPANION_BYTES_UNKNOWN UINT64_MAX

struct cfs_companion {
	enum cfs_companion_kind kind;
	uint8_t form;		/* enum cfs_related_form of a related record */
	bool is_one_member;	/* set only while an index is built, for related
				 * records: it fills one member by itself */
	uint64_t bytes;		/* of its contents; may be unknown for a
				 * related record */
	struct cfs_span loc;
};

/* Bytes of the longest notes of a capture, which are not kept beyond that.
 * Notes are made while a capture is indexed: one JSON object, whose members its
 * metadata view shows. */
#define CFS_NOTES_MAX 32768u

/* The place of notes in an index; only the backend knows what it means. */
struct cfs_notes_at {
	uint64_t block;
	uint32_t offset, bytes;		/* bytes 0: no notes */
};

/* A capture as far as an index knows it. */
struct cfs_capture {
	enum cfs_kind kind;
	int64_t time;		/* Unix seconds; in a PB-tree, of the ARC
				 * file */
	uint16_t status;	/* HTTP status; 0 if not known */
	struct cfs_slice mime;	/* as the record declares it; may be empty */
	/* The languages of the page's text: codes of ISO 639-3 with commas
	 * between them, that of most of the text first; n 0 if not known. */
	struct cfs_slice languages;
	/* Digest of the payload as the index has it, at most
	 * CFS_DIGEST_TEXT_MAX bytes in a crawlfs index; n 0 if it has none.
	 * Lent by the iterator. */
	struct cfs_slice digest;
	struct cfs_slice url;	/* only if it cannot be made from the key; else
				 * empty.  Lent by the iterator */
	uint8_t scheme;		/* enum cfs_scheme of url/url.h */
	bool body_is_exact;
	uint64_t body_bytes;	/* of the raw view, if body_is_exact */
	struct cfs_span loc;
	struct cfs_companion text, meta;
	/* Related records (related.h): which of them lie next to this one, and
	 * a list of the others, which the iterator lends. */
	uint8_t adjacent;			/* enum cfs_adjacency */
	uint64_t request_bytes;		/* of the request's span, where
					 * `adjacent` has a length */
	struct cfs_slice related;
	/* Sizes of the rendered views, as made by the code of the index's
	 * view_version; a view that is a companion has none here. */
	struct cfs_view_bytes views;
	struct cfs_notes_at notes;
};

/* The companion that may replace the view of a slot, of the kind
 * CFS_COMPANION_NONE if this capture has none; NULL: there are no such
 * companions. */
static inline const struct cfs_companion *
cfs_capture_companion(const struct cfs_capture *cap, unsigned slot)
{
	if (slot == CFS_SLOT_TEXT)
		return &cap->text;
	return slot == CFS_SLOT_META ? &cap->meta : NULL;
}

/* True if this capture has a companion that replaces the view of a slot. */
static inline bool cfs_capture_replaces(const struct cfs_capture *cap,
					unsigned slot)
{
	const struct cfs_companion *own = cfs_capture_companion(cap, slot);

	return own != NULL && own->kind != CFS_COMPANION_NONE;
}

/* Bytes of the longest digest that a crawlfs index keeps, with its label:
 * sha512 in hexadecimal digits has 135. */
#define CFS_DIGEST_TEXT_MAX 160u

struct cfs_index;

/* Backend's data of an iterator, kept until the iterator is released. */
struct cfs_iter_state {
	void (*put)(struct cfs_iter_state *state);
};

/*
 * An entry under the cursor.  It is large: pass pointers.  key and value are
 * borrowed until the iterator moves or is released.
 */
struct cfs_iter {
	struct cfs_index *ix;
	cfs_pos pos;
	/* The block that the last move could not read, as the position of its
	 * slot 0; CFS_POS_NONE: it did not fail, or not because of a block. */
	cfs_pos hole;
	struct cfs_slice key, value;
	size_t hit;		/* in the hits of a search (hits.h), its
				 * number */
	/* Private to the backend: */
	struct cfs_iter_state *state;	/* NULL: none */
	struct cfs_lru_ref *block_ref;
	uint32_t block_off;	/* offset of the next entry in its block */
	uint32_t block_shared;	/* bytes that its key shares, as stored */
	size_t key_n, url_n;	/* bytes used of the two buffers */
	uint8_t key_buf[CFS_KEY_MAX];
	char digest_buf[48];	/* holds a digest that is not stored as text */
	uint8_t url_buf[CFS_URL_MAX];	/* holds the `url` of a capture */
};

struct cfs_index_stats {
	uint64_t captures;	/* 0: not known without a scan */
	uint64_t blocks;	/* of entries */
	uint64_t skipped;	/* keys left out: bad, too long, too deep */
	uint64_t block_reads;
};

/* How large an index is, about. */
struct cfs_index_extent {
	uint64_t blocks;	/* of entries */
	uint64_t bytes;		/* to be read for all of them */
	bool is_remote;
};

/* The offset of damage that is none of its archive. */
#define CFS_DAMAGE_OF_LIST UINT64_MAX

/* Damage that was found in an archive when it was indexed.  Slices are lent. */
struct cfs_index_damage {
	struct cfs_slice archive;	/* its name, a NUL behind it */
	uint64_t offset;
	bool is_of_list;		/* of a list of captures, of which the
					 * archive is the first that it names */
	uint64_t count;			/* of damaged places */
	struct cfs_slice what;		/* a phrase */
};
typedef void cfs_index_damaged(void *arg, const struct cfs_index_damage *d);

struct cfs_traits;

struct cfs_index_ops {
	int (*seek)(struct cfs_index *ix, struct cfs_slice key,
		    struct cfs_iter *it, struct cfs_ctx ctx);
	int (*at)(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		  struct cfs_ctx ctx);
	int (*next)(struct cfs_iter *it, struct cfs_ctx ctx);
	/* Moves behind the hole.  seek, at, next and skip set it->hole, which
	 * is CFS_POS_NONE before, where they fail because of a block. */
	int (*skip)(struct cfs_iter *it, cfs_pos hole, struct cfs_ctx ctx);
	int (*capture)(struct cfs_iter *it, struct cfs_capture *out,
		       struct cfs_error *err);
	/* Gets the traits that conditions ask about (conditions.h) but the
	 * time, without decoding more: the slices are lent.  0, or
	 * CFS_EUNSUPPORTED for an entry that has to be decoded.  NULL: all
	 * have. */
	int (*traits)(struct cfs_iter *it, struct cfs_traits *out);
	/* As cfs_index_lost.  NULL: the format has no such lines. */
	bool (*lost)(struct cfs_iter *it, unsigned i, struct cfs_error *out);
	/* NULL: all entries are shown. */
	bool (*shows)(struct cfs_iter *it);
	/* NULL: the format has no notes. */
	int (*notes)(struct cfs_index *ix, const struct cfs_notes_at *at,
		     struct cfs_buf *out, struct cfs_ctx ctx);
	/* NULL: the format does not record damage. */
	int (*damage)(struct cfs_index *ix, cfs_index_damaged *emit, void *arg,
		      struct cfs_ctx ctx);
	int (*archive_name)(struct cfs_index *ix, const struct cfs_span *loc,
			    struct cfs_buf *out, struct cfs_error *err);
	int (*split)(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_path *out);
	/* Splits a key that begins with `below`, the beginning of the one range
	 * of all below dir; any failure: `split` is to be asked.  NULL: it is
	 * always asked. */
	int (*split_below)(struct cfs_slice key, const struct cfs_path *dir,
			   struct cfs_slice below, struct cfs_path *out);
	int (*ranges)(struct cfs_index *ix, const struct cfs_path *path,
		      enum cfs_below below, struct cfs_ranges *out);
	int (*url_key)(struct cfs_slice url, struct cfs_buf *out);
	/* The URL of a capture whose `url` is empty. */
	int (*key_url)(struct cfs_slice key, enum cfs_scheme scheme,
		       struct cfs_buf *out);
	/* Called with *n 0.  NULL: the format has no references. */
	int (*find_ref)(struct cfs_index *ix, struct cfs_slice ref,
			cfs_pos *out, size_t max, size_t *n,
			struct cfs_ctx ctx);
	/* As cfs_index_cut; called only if ix->blocks is 0 (else blocks are
	 * numbered from 0).  NULL: the index is empty, CFS_END. */
	int (*cut)(struct cfs_index *ix, uint64_t k, uint64_t n,
		   struct cfs_buf *key, struct cfs_ctx ctx);
	/* As cfs_index_get_extent.  NULL: the common head says it. */
	void (*extent)(struct cfs_index *ix, struct cfs_index_extent *out);
	/* Adds to what the common head says.  NULL: that is all. */
	void (*stats)(struct cfs_index *ix, struct cfs_index_stats *out);
	void (*close)(struct cfs_index *ix);
};

/* The sizes that an index can have of a capture, as bits: of the body, and of
 * the view of each slot. */
#define CFS_INDEX_SIZE_BODY 1u
#define CFS_INDEX_SIZE_OF(slot) (2u << (slot))
#define CFS_INDEX_SIZES (1u + CFS_VIEW_SLOTS)

/* True if the index knows that a body is not whole: the original of a revisit
 * is in no archive of the index, any other was cut off.  Then sizes of the
 * views are known, and that of the body is not. */
static inline bool cfs_capture_is_cut(const struct cfs_capture *cap)
{
	return !cap->body_is_exact && cap->kind != CFS_KIND_ANNEX &&
	       cap->kind != CFS_KIND_CONVERSION &&	/* of a charset */
	       cfs_view_bytes_have_pair(&cap->views);
}
static inline bool cfs_capture_is_absent(const struct cfs_capture *cap)
{
	return cap->kind == CFS_KIND_REVISIT && cfs_capture_is_cut(cap);
}

/* Number of captures without an exact size of the body, and of the view of each
 * slot, in the order of the bits; is_known: they were counted. */
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
	bool has_status;		/* captures have status and MIME type */
	bool has_languages;		/* captures may have languages */
	bool has_digests;		/* of a crawlfs index: likewise,
					 * digests of their payloads */
	bool strips_www;		/* keys lack the "www." of their URLs */
	bool keeps_host_case;		/* keys begin with the labels of the
					 * host, separated by '.', whose upper
					 * case is kept */
	bool by_time;			/* captures of one key ascend by time */
	bool is_ordered;		/* key order is tree order: a page comes
					 * directly before what lies below it;
					 * and keys of components that begin
					 * with another's begin with its key */
	bool is_merged;			/* a union: positions do not ascend
					 * with keys */
	bool has_all_refs;		/* find_ref finds whatever a revisit
					 * may refer to */
	/* Caches of its blocks; unused ones are NULL. */
	struct cfs_lru *caches[CFS_INDEX_CACHES];
	const char *home;		/* URL that names of archives are
					 * relative to unless another one is
					 * given; NULL: none */
	uint32_t view_version;		/* of view sizes; 0: no sizes */
	struct cfs_index_unsized unsized;
	uint64_t absent, cut;		/* captures without a body, and with a
					 * part of it, as far as known */
	uint64_t captures, blocks;	/* 0: not known without a scan */
	uint16_t last_fill;		/* how full the last block is, out of
					 * CFS_FILL_ALL; 0: not known */
	uint32_t archives;		/* their number: file[0] of a span is
					 * less; 0: not known */
	/* Where captures are picked (picked.h), also in a part of such an
	 * index: the index with all captures.  NULL: no entry is hidden. */
	struct cfs_index *unpicked;
	atomic_uint_fast64_t skipped, block_reads;	/* see the stats */
	/* Where blocks are not in src, about how many, and their bytes; 0: they
	 * are, or nothing was read yet. */
	atomic_uint_fast64_t about_blocks, about_bytes;
	/* In a part (part.h): the index that it is a part of, and the keys that
	 * it holds. */
	struct cfs_index *whole;	/* NULL: this is not a part */
	struct cfs_key_runs held;
	bool (*covers)(const struct cfs_index *ix, struct cfs_slice key);
					/* also decides about keys in `held`;
					 * NULL: all of them */
};

/* True if captures may have a similarity hash of their main content. */
static inline bool cfs_index_has_simhash(const struct cfs_index *ix)
{
	return ix->unsized.is_known &&
	       ix->unsized.captures[1 + CFS_SLOT_SIMHASH] < ix->captures;
}

/* The index that ix is a part of; ix itself if it is not a part. */
static inline struct cfs_index *cfs_index_whole(struct cfs_index *ix)
{
	return ix->whole != NULL ? ix->whole : ix;
}

/* The index with all captures, below all filters. */
static inline struct cfs_index *cfs_index_unpicked(struct cfs_index *ix)
{
	ix = cfs_index_whole(ix);
	return ix->unpicked != NULL ? ix->unpicked : ix;
}

/* True if ix holds entries with this key: only a part leaves out keys. */
static inline bool cfs_index_holds(const struct cfs_index *ix,
				   struct cfs_slice key)
{
	return ix->whole == NULL ||
	       (cfs_key_runs_hold(&ix->held, key) &&
		(ix->covers == NULL || ix->covers(ix, key)));
}

/* True if ix leaves out keys between others. */
static inline bool cfs_index_has_gaps(const struct cfs_index *ix)
{
	return ix->whole != NULL && (ix->held.n > 1 || ix->covers != NULL);
}

/* Options for opening an index; some formats need more than the file. */
struct cfs_index_opts {
	size_t block_cache_bytes;
	const char *location;		/* of src; NULL: src->name.  A ZipNum
					 * index has more files beside it */
	const struct cfs_opener *opener; /* for those (net/open_location.h), or
					 * NULL; copied, but its arg must
					 * outlive the index */
	const struct cfs_cancel *cancel;
};
enum cfs_index_format {
	CFS_INDEX_CFX,		/* a crawlfs index */
	CFS_INDEX_PBTREE,
	CFS_INDEX_ZIPNUM,	/* a cluster.idx */
	CFS_INDEX_CDX,		/* CDX or CDXJ with SURT keys, in order */
	CFS_INDEX_CDX_GZ,	/* compressed CDX or CDXJ: can be opened up to
				 * CFS_INDEX_GZ_MAX bytes */
	CFS_INDEX_CDX_OTHER,	/* keys are not SURTs or not in order: can be
				 * converted by 'crawlfs index' */
	CFS_INDEX_UNKNOWN,
};
/* Bytes at the start of a file that suffice to recognise it. */
#define CFS_INDEX_HEAD_BYTES 16384u
#define CFS_INDEX_GZ_MAX (16u << 20)

void cfs_index_close(struct cfs_index *ix);	/* accepts NULL */

/* Charges cached blocks to budget (may be NULL) from now on; to be called by
 * one thread, right after opening. */
void cfs_index_charge_to(struct cfs_index *ix, struct cfs_budget *budget);

void cfs_iter_init(struct cfs_iter *it);
void cfs_iter_release(struct cfs_iter *it);	/* may be used again after */

/*
 * Finds the first entry whose key is >= `key`.  `it` may stand anywhere: a
 * block it holds is searched first, so short steps forward are cheap.
 * Returns 0; CFS_END past the last key; CFS_EIO, CFS_ENOMEM, CFS_EFORMAT,
 * CFS_EINTR.
 */
int cfs_index_seek(struct cfs_index *ix, struct cfs_slice key,
		   struct cfs_iter *it, struct cfs_ctx ctx);

/* Finds the entry at a position.  CFS_ENOTFOUND if there is none. */
int cfs_index_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		 struct cfs_ctx ctx);

/* Advances to the next entry: 0, CFS_END, or a failure as in seek.  After
 * CFS_END or a failure the iterator stands nowhere. */
int cfs_index_next(struct cfs_iter *it, struct cfs_ctx ctx);

/* True if the last move failed because of a block that is damaged, or not as
 * any limit allows: entries behind it can be read.  What a server does not
 * deliver is no damage. */
static inline bool cfs_index_is_at_hole(const struct cfs_iter *it, int rc)
{
	return (rc == CFS_EFORMAT || rc == CFS_ELIMIT) &&
	       it->hole != CFS_POS_NONE;
}

/* Moves to the first entry behind that block, the hole.  Failures as in next;
 * in a union, the other members' entries beside the hole come first. */
int cfs_index_skip(struct cfs_iter *it, struct cfs_ctx ctx);

/* Advances to the next entry that is shown.  For read-ahead only: after many
 * hidden entries it may stop at one. */
int cfs_index_next_shown(struct cfs_iter *it, struct cfs_ctx ctx);

/* Decodes the entry's value, perhaps into buffers of the iterator.  CFS_EFORMAT
 * if it is damaged; CFS_ENOTFOUND if it is not picked. */
static inline int cfs_index_capture(struct cfs_iter *it,
				    struct cfs_capture *out,
				    struct cfs_error *err)
{
	return it->ix->ops->capture(it, out, err);
}

/* False if the entry is not picked: no reader may see its capture.  True for a
 * damaged one, so that a reader gets the error. */
static inline bool cfs_index_shows(struct cfs_iter *it)
{
	return it->ix->ops->shows == NULL || it->ix->ops->shows(it);
}

/* Says what is wrong with the i-th line beside the entry that should be one and
 * is none; false if there are not so many.  Each such line of an index that
 * consists of lines is beside one entry. */
static inline bool cfs_index_lost(struct cfs_iter *it, unsigned i,
				  struct cfs_error *out)
{
	return it->ix->ops->lost != NULL && it->ix->ops->lost(it, i, out);
}

/* Appends the notes of a capture that was decoded: a JSON object, or nothing
 * if it has none.  0, CFS_EFORMAT, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
static inline int cfs_index_notes(struct cfs_index *ix,
				  const struct cfs_capture *cap,
				  struct cfs_buf *out, struct cfs_ctx ctx)
{
	return cap->notes.bytes == 0 ? CFS_OK :
	       ix->ops->notes(ix, &cap->notes, out, ctx);
}

/* Calls emit for the damage in archives that is recorded in an index.  0,
 * CFS_EFORMAT, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
static inline int cfs_index_damage(struct cfs_index *ix,
				   cfs_index_damaged *emit, void *arg,
				   struct cfs_ctx ctx)
{
	return ix->ops->damage == NULL ? CFS_OK :
	       ix->ops->damage(ix, emit, arg, ctx);
}

/* How much damage an index records.  All zero before. */
struct cfs_damage_sum {
	uint64_t places, archives;
	uint64_t last;			/* hash of the archive counted last */
};
/* Counts damage that is emitted, in a struct cfs_damage_sum; the calls for one
 * archive are neighbours. */
void cfs_damage_sum_add(void *arg, const struct cfs_index_damage *d);

/* Appends the archive's name, relative to its base ('/' separated,
 * never absolute, no ".." component). */
static inline int cfs_index_archive_name(struct cfs_index *ix,
					 const struct cfs_span *loc,
					 struct cfs_buf *out,
					 struct cfs_error *err)
{
	return ix->ops->archive_name(ix, loc, out, err);
}

/* Splits a key into tree components, which borrow from the key or are static.
 * 0, or CFS_ENOTFOUND if such a key is not in the tree (it is junk, or beyond
 * CFS_DEPTH_MAX): readers step over it. */
static inline int cfs_index_split(struct cfs_index *ix, struct cfs_slice key,
				  struct cfs_path *out)
{
	return ix->ops->split(ix, key, out);
}

/*
 * Finds the ranges of keys that hold every entry whose path extends `path` by
 * at least one component (CFS_BELOW_DIR) or is equal to it (CFS_BELOW_PAGE).
 * Ranges may hold other entries too: the caller splits and compares.
 * 0, CFS_ENOMEM, CFS_ENOTFOUND if nothing can be there, or a failure to read.
 */
static inline int cfs_index_ranges(struct cfs_index *ix,
				   const struct cfs_path *path,
				   enum cfs_below below, struct cfs_ranges *out)
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

/* Appends the URL of an entry as well as the index knows it (the record itself
 * is more reliable). */
static inline int cfs_index_key_url(struct cfs_index *ix, struct cfs_slice key,
				    const struct cfs_capture *cap,
				    struct cfs_buf *out)
{
	return cap->url.n > 0 ? cfs_buf_add(out, cap->url) :
	       ix->ops->key_url(key, cap->scheme, out);
}

/* Finds captures that a revisit may refer to.  `ref` is "id:" + WARC-Record-ID
 * or "digest:" + the normalised WARC-Payload-Digest (record/digest.h).  Fills
 * at most max positions; they are only candidates (matched by a hash).  CFS_OK
 * with *n 0 if there are none, or if the format has no references. */
int cfs_index_find_ref(struct cfs_index *ix, struct cfs_slice ref, cfs_pos *out,
		       size_t max, size_t *n, struct cfs_ctx ctx);

/*
 * Appends a key that about k/n of the entries are less than, judged by blocks.
 * It depends on the index's bytes alone, and grows with k/n.
 *
 * k, n   0 < k < n, n at most UINT32_MAX
 *
 * CFS_END: the cut is behind all entries.  Failures as in seek.
 */
int cfs_index_cut(struct cfs_index *ix, uint64_t k, uint64_t n,
		  struct cfs_buf *key, struct cfs_ctx ctx);

/*
 * The number of captures that lack an exact size of the body or of a view: the
 * greatest of those asked for.  UINT64_MAX if that is not known; only a crawlfs
 * index knows.
 *
 * sizes         CFS_INDEX_SIZE_BODY, CFS_INDEX_SIZE_OF a slot, or several
 * view_version  of the code that makes the views here (view/view.h): sizes made
 *               by other code do not count
 *
 * The number is what the index claims: be prepared for more captures without a
 * size.
 */
uint64_t cfs_index_unsized(const struct cfs_index *ix, unsigned sizes,
			   uint32_t view_version);

void cfs_index_get_stats(struct cfs_index *ix, struct cfs_index_stats *out);

/* Estimates how large ix is, without its filters, by what has been read of it
 * so far: nothing is read for that. */
void cfs_index_get_extent(struct cfs_index *ix, struct cfs_index_extent *out);

/* ---- the archives of an index that is built ---- */

/* Why a capture has no place in an index. */
enum cfs_skipped_kind { CFS_SKIPPED_SCHEME, CFS_SKIPPED_LONG, CFS_SKIPPED_DEEP,
			CFS_SKIPPED_NUL, CFS_SKIPPED_KINDS };

/* One archive named in the index. */
struct cfs_builder_archive {
	const char *name;	/* relative to the index file's folder */
	uint64_t size;		/* file bytes and modification time: an index */
	int64_t mtime;		/* is reused only while both hold */
	uint32_t mtime_nsec;
	uint64_t skipped[CFS_SKIPPED_KINDS];	/* as another index says */
	struct cfs_slice damage;	/* likewise: the archive's report
					 * (cfx_damage.h) */
	bool is_indexed;	/* another index has read it, so it can be
				 * read */
	bool is_elsewhere;	/* it is in another part of the index */
};

#endif
