/* zstd.h - zstd frames in memory, and the dictionary of an archive.
 *
 * Frames of a file, in constant memory: record/members.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_ZSTD_H
#define CFS_CODEC_ZSTD_H

#include "base/buf.h"
#include "base/error.h"

/* Limits that every reader of .warc.zst has to reach and need not pass: the
 * window of a frame, and a dictionary as it is stored and inflated. */
#define CFS_ZST_WINDOW_LOG 23
#define CFS_ZST_WINDOW_MAX ((uint64_t)1 << CFS_ZST_WINDOW_LOG)
#define CFS_ZST_DICT_MAX ((size_t)8 << 20)
/* Magic number and length of a skippable frame. */
#define CFS_ZST_SKIP_HEAD 8u
/* No frame's header is longer, magic number included. */
#define CFS_ZST_HEAD_MAX 18u
/* A frame gives nothing before its first block is there, which ends within
 * so many bytes. */
#define CFS_ZST_FIRST_MAX (CFS_ZST_HEAD_MAX + 3 + 131072u)
/* Room for a sentence on what is wrong with a frame. */
#define CFS_ZST_WHY_BYTES 112u

/* True if the bytes can begin a frame that holds data; a skippable one; the
 * skippable one that holds a dictionary.  Four bytes are looked at. */
bool cfs_zst_is_frame(struct cfs_slice s);
bool cfs_zst_is_skippable(struct cfs_slice s);
bool cfs_zst_is_dict(struct cfs_slice s);

/* The length of the skippable frame at the start of s; 0 unless one is there
 * as far as its length. */
uint64_t cfs_zst_skippable_bytes(struct cfs_slice s);

/* The length of the frame at the start of s if it holds nothing to inflate: is
 * skippable, or empty and all there.  0 for others. */
uint64_t cfs_zst_empty_bytes(struct cfs_slice s);

/* s from behind the skippable frames at its start: from its end, if one is cut
 * off. */
struct cfs_slice cfs_zst_without_skippable(struct cfs_slice s);

#define CFS_ZST_CONTENT_UNKNOWN UINT64_MAX

/* What can be seen of a frame without inflating it. */
struct cfs_zst_frame {
	uint64_t window;
	uint64_t content;	/* inflated; or CFS_ZST_CONTENT_UNKNOWN */
	uint64_t most;		/* its blocks cannot hold more */
	uint32_t dict_id;	/* 0: none is named */
	bool has_checksum;
	size_t bytes;		/* 0: it goes on past the end of the bytes */
};

/* Looks at the frame at the start of `in`.  0; CFS_END if not even its header
 * is there; CFS_EFORMAT. */
int cfs_zst_look(struct cfs_slice in, struct cfs_zst_frame *out);

/* A dictionary.  Immutable; threads share it. */
struct cfs_zst_dict;

/*
 * The dictionary in a whole skippable frame, which is copied: either as it is,
 * or in one zstd frame.  The caller bounds the frame (CFS_ZST_DICT_MAX).  0;
 * CFS_EFORMAT, CFS_ELIMIT, CFS_ENOMEM.
 */
int cfs_zst_dict_new(struct cfs_zst_dict **out, struct cfs_slice frame,
		     struct cfs_error *err);
/* One more owner; each owner puts.  Both accept NULL. */
struct cfs_zst_dict *cfs_zst_dict_ref(struct cfs_zst_dict *d);
void cfs_zst_dict_put(struct cfs_zst_dict *d);
/* The skippable frame it came from, lent; empty for NULL. */
struct cfs_slice cfs_zst_dict_frame(const struct cfs_zst_dict *d);
/* Bytes of memory; 0 for NULL. */
size_t cfs_zst_dict_cost(const struct cfs_zst_dict *d);
/* True if frames made with one can be read with the other.  NULL: none. */
bool cfs_zst_dict_is_same(const struct cfs_zst_dict *a,
			  const struct cfs_zst_dict *b);

/*
 * True if a frame asks for what it does not get: a larger window, or another
 * dictionary than d (NULL: none).  `why` then says so.
 */
bool cfs_zst_is_refused(const struct cfs_zst_frame *f,
			const struct cfs_zst_dict *d,
			char why[CFS_ZST_WHY_BYTES]);

/* Sets up libzstd's context (a ZSTD_DCtx) for the frames of an archive. */
struct ZSTD_DCtx_s;
struct ZSTD_DCtx_s *cfs_zst_reader_new(const struct cfs_zst_dict *d);
/* In words what its code says. */
void cfs_zst_why(size_t code, char why[CFS_ZST_WHY_BYTES]);

/*
 * Inflates the frame at the start of `in` and appends it to out; *used is its
 * length.  All or nothing, as cfs_gz_member: CFS_EFORMAT for a frame that is
 * damaged, refused, cut off, or may hold more than out->max leaves;
 * CFS_ENOMEM.
 */
int cfs_zst_member(struct cfs_slice in, const struct cfs_zst_dict *d,
		   struct cfs_buf *out, size_t *used);

/*
 * Inflates the frame at the start of *in, which is cut to what follows, and
 * appends what it holds to out, as far as its bytes go and are good.  Skippable
 * frames on both sides go with it.
 * 0 at its end; CFS_END: it is cut off; CFS_EFORMAT: it is damaged, and `why`
 * says how; CFS_ELIMIT past out->max; CFS_ENOMEM.
 */
int cfs_zst_inflate(struct cfs_slice *in, const struct cfs_zst_dict *d,
		    struct cfs_buf *out, char why[CFS_ZST_WHY_BYTES]);

/* The first bytes, up to n, of the frame at the start of `in` (behind skippable
 * ones); of its first block, that is: CFS_ZST_FIRST_MAX bytes of `in` do. */
size_t cfs_zst_peek(struct cfs_slice in, const struct cfs_zst_dict *d,
		    void *buf, size_t n);

/* Appends `in` as one frame, with its size, its checksum, and d's id (NULL:
 * no dictionary).  CFS_ENOMEM, CFS_ELIMIT. */
int cfs_zst_compress(struct cfs_slice in, struct cfs_zst_dict *d,
		     struct cfs_buf *out, struct cfs_error *err);

#endif
