/* zstd.h - inflates and makes zstd frames in memory, with the dictionary of an
 * archive.
 *
 * For frames of a file, in constant memory, see record/members.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CODEC_ZSTD_H
#define CFS_CODEC_ZSTD_H

#include "base/buf.h"
#include "base/error.h"

/* Limits that every reader of .warc.zst must support and may refuse to exceed:
 * for the window of a frame, and for a dictionary, both stored and inflated. */
#define CFS_ZST_WINDOW_LOG 23
#define CFS_ZST_WINDOW_MAX ((uint64_t)1 << CFS_ZST_WINDOW_LOG)
#define CFS_ZST_DICT_MAX ((size_t)8 << 20)
/* Bytes of the magic number and length of a skippable frame. */
#define CFS_ZST_SKIP_HEAD 8u
/* The longest header of a frame, with its magic number. */
#define CFS_ZST_HEAD_MAX 18u
/* The most bytes of a frame up to the end of its first block; nothing can be
 * inflated before that. */
#define CFS_ZST_FIRST_MAX (CFS_ZST_HEAD_MAX + 3 + 131072u)
/* Room for a message on what is wrong with a frame. */
#define CFS_ZST_WHY_BYTES 112u

/* True if the bytes can begin a data frame; a skippable frame; the skippable
 * frame that contains a dictionary.  They check four bytes. */
bool cfs_zst_is_frame(struct cfs_slice s);
bool cfs_zst_is_skippable(struct cfs_slice s);
bool cfs_zst_is_dict(struct cfs_slice s);

/* The length of the skippable frame at the start of s; 0 if there is none, or s
 * ends before its length field does. */
uint64_t cfs_zst_skippable_bytes(struct cfs_slice s);

/* The length of the frame at the start of s if it is skippable, or a complete
 * frame without data.  0 for others. */
uint64_t cfs_zst_empty_bytes(struct cfs_slice s);

/* The rest of s behind the skippable frames at its start; empty if one of them
 * is truncated. */
struct cfs_slice cfs_zst_without_skippable(struct cfs_slice s);

#define CFS_ZST_CONTENT_UNKNOWN UINT64_MAX

/* Properties of a frame that are known without inflating it. */
struct cfs_zst_frame {
	uint64_t window;
	uint64_t content;	/* declared inflated size, or
				 * CFS_ZST_CONTENT_UNKNOWN */
	uint64_t most;		/* the most that its blocks can inflate to */
	uint32_t dict_id;	/* 0: none is named */
	bool has_checksum;
	size_t bytes;		/* length; 0: not all of it is in the input */
};

/* Reads the properties of the frame at the start of `in`.  0; CFS_END if its
 * header is truncated; CFS_EFORMAT. */
int cfs_zst_look(struct cfs_slice in, struct cfs_zst_frame *out);

/* A dictionary.  Immutable; threads share it. */
struct cfs_zst_dict;

/*
 * Loads the dictionary from a whole skippable frame, which is copied.  The
 * dictionary in it is plain, or compressed as one zstd frame.  The caller
 * limits the size of the frame (CFS_ZST_DICT_MAX).  0, CFS_EFORMAT, CFS_ELIMIT
 * or CFS_ENOMEM.
 */
int cfs_zst_dict_new(struct cfs_zst_dict **out, struct cfs_slice frame,
		     struct cfs_error *err);
/* Add an owner, and drop one: each owner must put.  Both accept NULL. */
struct cfs_zst_dict *cfs_zst_dict_ref(struct cfs_zst_dict *d);
void cfs_zst_dict_put(struct cfs_zst_dict *d);
/* The skippable frame it was loaded from, borrowed; empty for NULL. */
struct cfs_slice cfs_zst_dict_frame(const struct cfs_zst_dict *d);
/* Its memory in bytes; 0 for NULL. */
size_t cfs_zst_dict_cost(const struct cfs_zst_dict *d);
/* True if frames made with one can be read with the other.  NULL: no
 * dictionary. */
bool cfs_zst_dict_is_same(const struct cfs_zst_dict *a,
			  const struct cfs_zst_dict *b);

/*
 * True if a frame needs a larger window than is allowed, or another dictionary
 * than d (NULL: none).  `why` then gets a message.
 */
bool cfs_zst_is_refused(const struct cfs_zst_frame *f,
			const struct cfs_zst_dict *d,
			char why[CFS_ZST_WHY_BYTES]);

/* Makes a ZSTD_DCtx of libzstd for the frames of an archive.  NULL if out of
 * memory. */
struct ZSTD_DCtx_s;
struct ZSTD_DCtx_s *cfs_zst_reader_new(const struct cfs_zst_dict *d);
/* Writes a message for an error code of libzstd. */
void cfs_zst_why(size_t code, char why[CFS_ZST_WHY_BYTES]);

/*
 * Inflates the frame at the start of `in` and appends it to out; *used is its
 * length.  All or nothing, as cfs_gz_member: CFS_EFORMAT for a frame that is
 * damaged, refused or truncated, or that may exceed out->max; also if out is
 * spilled.  CFS_ENOMEM.
 */
int cfs_zst_member(struct cfs_slice in, const struct cfs_zst_dict *d,
		   struct cfs_buf *out, size_t *used);

/*
 * Inflates the frame at the start of *in, as far as it is complete and
 * undamaged, and appends the result to out.  *in is advanced past the frame and
 * past skippable frames before and behind it.
 * 0 at its end; CFS_END if it is truncated; CFS_EFORMAT if it is damaged or
 * refused, with a message in `why`; CFS_ELIMIT past out->max; CFS_ENOMEM.
 */
int cfs_zst_inflate(struct cfs_slice *in, const struct cfs_zst_dict *d,
		    struct cfs_buf *out, char why[CFS_ZST_WHY_BYTES]);

/* Inflates the first bytes, up to n, of the frame at the start of `in` (behind
 * skippable ones), at least from its first block, for which CFS_ZST_FIRST_MAX
 * bytes of input suffice.  Returns how many bytes; 0 if that fails. */
size_t cfs_zst_peek(struct cfs_slice in, const struct cfs_zst_dict *d,
		    void *buf, size_t n);

/* As cfs_gz_compress_long: one frame, without its size and a dictionary. */
int cfs_zst_compress_long(struct cfs_slice in, struct cfs_buf *out,
			  struct cfs_error *err);

/* Compresses `in` and appends it as one frame, with its size, its checksum and
 * the id of d (NULL: no dictionary).  0, CFS_ENOMEM or CFS_ELIMIT. */
int cfs_zst_compress(struct cfs_slice in, struct cfs_zst_dict *d,
		     struct cfs_buf *out, struct cfs_error *err);

#endif
