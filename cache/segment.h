/* segment.h - one segment file of the block cache (format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CACHE_SEGMENT_H
#define CFS_CACHE_SEGMENT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "format.h"

struct cfs_cache_id {
	uint8_t b[CFS_SEG_ID_BYTES];
};

/* The time in Unix nanoseconds: for names of segments, and for when an
 * answer came. */
uint64_t cfs_segment_now_ns(void);

/* The kinds of records; those of other kinds are ignored. */
enum cfs_cache_kind {
	CFS_CACHE_DATA,		/* bytes of an object */
	CFS_CACHE_META,		/* metadata of a URL */
	CFS_CACHE_SIZES,	/* sizes of files (sizes_batch.h) */
};

/* One record, as described by its header or by the index. */
struct cfs_cache_entry {
	struct cfs_cache_id id;
	uint64_t off;		/* offset in the object; for other kinds than
				 * data, when they were received or found,
				 * Unix nanoseconds */
	uint64_t sum;		/* checksum of the data */
	uint32_t n;		/* bytes of data */
	uint32_t pos;		/* offset of the record header in the segment */
	uint32_t kind;		/* enum cfs_cache_kind, or unknown */
};

/* Damaged records that are noted; if there are more, the whole segment
 * is dropped. */
#define CFS_SEG_BAD_MAX 256u

/* Fields are guarded by the owner's lock, except where noted. */
struct cfs_segment {
	char name[CFS_SEG_NAME_BYTES];
	int fd;			/* stays open while pinned */
	atomic_uint pins;	/* 0: closed; see cfs_segment_pin */
	atomic_bool is_dead;	/* dropped: must not be used any more */
	_Atomic int64_t touched_s;	/* when its use was last noted */
	bool is_sealed;		/* set once; fan and index_pos are then valid */
	bool is_mine;		/* this process appends to it */
	bool is_seen;		/* for the owner when it lists the folder */
	uint32_t n;		/* entries */
	uint32_t end;		/* end of the records: where the next one is
				 * written, or looked for */
	uint32_t index_pos;
	uint32_t fan[CFS_SEG_FAN];
	struct cfs_cache_entry *tail;	/* entries, unless sealed */
	size_t tail_cap;
	atomic_uint n_bad;
	uint32_t bad[CFS_SEG_BAD_MAX];
	struct cfs_segment *next;
};

/* Makes a segment of fd, which it takes over, also on failure.  Reads the
 * footer, or all record headers; for a new, empty file writes the header.
 * CFS_EFORMAT: it is not a segment. */
int cfs_segment_open(struct cfs_segment **out, int fd, const char *name,
		     bool is_new, struct cfs_error *err);
void cfs_segment_free(struct cfs_segment *s);	/* accepts NULL */

/* Reads what was added to an unsealed segment; *more: there was something.
 * CFS_EFORMAT: the file has become shorter, and must not be used any more. */
int cfs_segment_catch_up(struct cfs_segment *s, bool *more,
			 struct cfs_error *err);

/* Keeps the file open during a read; false if it is closed already. */
bool cfs_segment_pin(struct cfs_segment *s);
void cfs_segment_unpin(struct cfs_segment *s);
/* Marks the segment as dropped; closes its file once it is unpinned. */
void cfs_segment_kill(struct cfs_segment *s);

/* The size of the file if n more bytes of data are added and it is sealed. */
uint64_t cfs_segment_bytes_with(const struct cfs_segment *s, size_t n);

/* Appends a record to a segment of this process: first its data, then its
 * header.  Fills *out.  The caller then calls cfs_segment_add. */
int cfs_segment_append(struct cfs_segment *s, const struct cfs_cache_id *id,
		       uint64_t off, enum cfs_cache_kind kind,
		       struct cfs_slice data, struct cfs_cache_entry *out,
		       struct cfs_error *err);
int cfs_segment_add(struct cfs_segment *s, const struct cfs_cache_entry *e);

/* Writes index and footer.  Nothing may be appended afterwards. */
int cfs_segment_seal(struct cfs_segment *s, struct cfs_error *err);

/* Called for each entry that is found; a result other than 0 ends the search
 * and is returned. */
typedef int cfs_segment_each(void *arg, struct cfs_segment *s,
			     const struct cfs_cache_entry *e);

/* Finds the entries of `id` (NULL: all).  A sealed segment needs no lock; for
 * another, the caller holds the lock.  0 or a failure. */
int cfs_segment_find(struct cfs_segment *s, const struct cfs_cache_id *id,
		     cfs_segment_each *each, void *arg);

/* Reads all data of an entry and compares their checksum.  CFS_EFORMAT if it
 * differs, or CFS_EIO. */
int cfs_segment_read(struct cfs_segment *s, const struct cfs_cache_entry *e,
		     void *buf);
/* Reads part of the data without a check. */
int cfs_segment_read_part(struct cfs_segment *s,
			  const struct cfs_cache_entry *e, uint32_t skip,
			  void *buf, size_t n);

/* Compares the checksum over the whole index of a sealed segment. */
int cfs_segment_verify_index(struct cfs_segment *s);

/* ---- metadata of a URL ---- */

struct cfs_cache_meta {
	uint64_t size;
	int64_t mtime;
	uint64_t learnt_ns;			/* Unix time; offset of
						 * the record */
	struct cfs_slice validator, url;	/* borrowed */
};

int cfs_cache_meta_parse(struct cfs_slice data, struct cfs_cache_meta *out);
int cfs_cache_meta_encode(const struct cfs_cache_meta *m, struct cfs_buf *out);

void cfs_cache_id_of_url(struct cfs_slice url, struct cfs_cache_id *out);
void cfs_cache_id_of_data(const struct cfs_cache_meta *m,
			  struct cfs_cache_id *out);

#endif
