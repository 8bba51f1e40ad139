/* source.h - bytes at offsets, wherever they lie.
 *
 * One interface for a local file, bytes in memory, a remote object, a cache
 * wrapped round it and a test's fault injector.  A source is immutable after
 * open, but for a size found later, and shared by threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_SOURCE_H
#define CFS_SOURCE_SOURCE_H

#include <stdatomic.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"

struct cfs_source;

/* The size of a source that does not know it yet (a remote object before its
 * first answer): so large that every range lies inside. */
#define CFS_SIZE_UNKNOWN UINT64_MAX

/* What identifies one state of a remote object, as printable text: its size and
 * its ETag (or date).  Answers with the same validator hold the same bytes. */
#define CFS_VALIDATOR_BYTES 192

/*
 * The end of a read that was started: runs once, on any thread, perhaps
 * before start returns.  code 0: `bytes` holds what was read, fewer than
 * asked for only at the end of the source; borrowed during the call.  Else a
 * negative code, and err says why.  Must not block.
 */
typedef void cfs_source_done(void *arg, int code, struct cfs_slice bytes,
			     const struct cfs_error *err);

struct cfs_source_ops {
	/* Reads at most n bytes at off into buf; *got < n only at the end of
	 * the source, or of a fault injector: callers use cfs_source_read,
	 * which loops.  0 or a negative code. */
	int (*read_at)(struct cfs_source *src, void *buf, size_t n,
		       uint64_t off, size_t *got,
		       const struct cfs_cancel *cancel, struct cfs_error *err);
	void (*close)(struct cfs_source *src);
	/* The rest is optional (NULL).
	 * Begins a read of at most n bytes without waiting for it.  The caller
	 * keeps the source open until `done` has run.  0, or a negative code:
	 * then `done` never runs.  Until then *came, unless NULL, says how many
	 * bytes have come; it never falls. */
	int (*start)(struct cfs_source *src, uint64_t off, size_t n,
		     cfs_source_done *done, void *arg, _Atomic uint64_t *came,
		     struct cfs_error *err);
	/* The same for a reader that waits: goes before what was started on a
	 * hint. */
	int (*start_urgent)(struct cfs_source *src, uint64_t off, size_t n,
			    cfs_source_done *done, void *arg,
			    _Atomic uint64_t *came, struct cfs_error *err);
	/* A hint: these bytes are likely to be read soon. */
	void (*prefetch)(struct cfs_source *src, uint64_t off, size_t n);
	/* Finds out `size` (and mtime) where open left it unknown. */
	int (*find_size)(struct cfs_source *src,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);
	/* Remote objects only: see cfs_source_validator, cfs_source_pin. */
	bool (*validator)(struct cfs_source *src,
			  char out[CFS_VALIDATOR_BYTES]);
	int (*pin)(struct cfs_source *src, const char *validator,
		   struct cfs_error *err);
	/* Ends the reads that were started: their `done` runs soon, with
	 * CFS_EINTR unless they had ended. */
	void (*abandon)(struct cfs_source *src);
	/* See cfs_source_forget. */
	bool (*forget)(struct cfs_source *src, uint64_t off, uint64_t n);
};

struct cfs_source {
	const struct cfs_source_ops *ops;
	_Atomic uint64_t size;	/* bytes, or CFS_SIZE_UNKNOWN */
	char *name;		/* for messages; owned */
	char *url;		/* of a remote object, the same whichever of its
				 * names it was opened by: what a cache knows
				 * it by.  NULL: none.  Owned */
	bool is_local;		/* reads cost microseconds */
	bool must_exist;	/* it was there before: if it is missing that
				 * is CFS_EIO, not CFS_ENOTFOUND */
	int64_t mtime;		/* Unix seconds, 0 if not known */
	uint32_t mtime_nsec;	/* of a local file: and its nanoseconds */
	atomic_uint refs;	/* see cfs_source_ref */
};

/* Opens a local file for reading.  CFS_ENOTFOUND, CFS_EACCESS, CFS_EIO. */
int cfs_source_open_file(struct cfs_source **out, const char *path,
			 struct cfs_error *err);

/* The same below an open folder, even if something was mounted over that since;
 * `path` is for messages. */
int cfs_source_open_file_at(struct cfs_source **out, int dirfd,
			    const char *name, const char *path,
			    struct cfs_error *err);

/* A source over memory.  Copies `bytes`. */
int cfs_source_open_memory(struct cfs_source **out, struct cfs_slice bytes,
			   const char *name, struct cfs_error *err);

/*
 * The n bytes of inner at `from`, as a source of their own; takes inner over,
 * also on failure, whose size must be known.  Several may share one that each
 * has a reference to.  CFS_EFORMAT if inner ends before.
 */
int cfs_source_open_window(struct cfs_source **out, struct cfs_source *inner,
			   uint64_t from, uint64_t n, const char *name,
			   struct cfs_error *err);

#define CFS_STREAM_BLOCK ((size_t)4 << 20)
#define CFS_STREAM_SLOTS 6u	/* blocks held: read, and fetched ahead */

/*
 * For reading from front to back: wraps inner, which it takes over, also on
 * failure.  Reads that follow each other are served from whole blocks, the next
 * ones being fetched meanwhile; others go down as they are.  Holds
 * CFS_STREAM_SLOTS blocks of memory at most.  Its size is known (find_size is
 * called).  Where reads cannot be started, inner itself is given back.
 */
int cfs_source_open_stream(struct cfs_source **out, struct cfs_source *inner,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err);

/* Makes src->size known.  0, or why it cannot be found. */
int cfs_source_find_size(struct cfs_source *src,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);

/* The validator of a remote object, once an answer (or cfs_source_pin) has set
 * it.  False: not known, or not remote. */
bool cfs_source_validator(struct cfs_source *src,
			  char out[CFS_VALIDATOR_BYTES]);

/*
 * Sets which state of a remote object is wanted, before it was read: its size
 * is known from then on, and an answer of another state is CFS_ECHANGED.
 * CFS_ECHANGED too if an answer of another state has come already; CFS_EFORMAT
 * for an invalid validator.
 */
int cfs_source_pin(struct cfs_source *src, const char *validator,
		   struct cfs_error *err);

/* Ends the reads that were started; see cfs_source_ops. */
void cfs_source_abandon(struct cfs_source *src);

/* A hint that costs nothing where it does not apply. */
void cfs_source_prefetch(struct cfs_source *src, uint64_t off, size_t n);

/* One more owner; each owner closes. */
struct cfs_source *cfs_source_ref(struct cfs_source *src);
void cfs_source_close(struct cfs_source *src);	/* accepts NULL */

/* Reads exactly n bytes.  Past the end: CFS_EFORMAT, "ends at byte ...".
 * cancel and err may be NULL. */
int cfs_source_read(struct cfs_source *src, void *buf, size_t n, uint64_t off,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

/* Reads up to n bytes; *got < n only at the end of the source. */
int cfs_source_read_some(struct cfs_source *src, void *buf, size_t n,
			 uint64_t off, size_t *got,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);

/*
 * The bytes read of [off, off + n) fail a checksum that came with them: what a
 * cache has kept of them is dropped, so that one wrong answer of a server is
 * not repeated from there.  True if there was any: reading again may help.
 */
bool cfs_source_forget(struct cfs_source *src, uint64_t off, uint64_t n);

/*
 * The same for bytes whose use failed with rc, as it does where a checksum
 * disproves them: forgets them, and the error `e`, if rc is CFS_EFORMAT.  True:
 * they are to be read and used once more.
 */
bool cfs_source_may_read_again(struct cfs_source *src, uint64_t off, uint64_t n,
			       int rc, struct cfs_error *e);

/* For implementations: fills the common part of a source. */
int cfs_source_init(struct cfs_source *src, const struct cfs_source_ops *ops,
		    uint64_t size, const char *name, struct cfs_error *err);

/* The same as the end of an open: *out is src, or src has been closed. */
int cfs_source_open(struct cfs_source **out, struct cfs_source *src,
		    const struct cfs_source_ops *ops, uint64_t size,
		    const char *name, struct cfs_error *err);

#endif
