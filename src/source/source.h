/* source.h - bytes at offsets, wherever they lie.
 *
 * One interface for a local file, a memory buffer, HTTP, S3, the block cache
 * wrapped round them and a test's fault injector.  A source is immutable
 * after open, but for a size found later, and shared by threads.
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

/* Of a source whose size nobody has asked for yet (an HTTP object before its
 * first answer): so large that every range lies inside. */
#define CFS_SIZE_UNKNOWN UINT64_MAX

/* What one state of a remote object is known by, as printable text: its size
 * and its ETag (or date).  Two answers with the same one hold the same bytes. */
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
	 * the source (or, from a fault injector, to be nasty: callers use
	 * cfs_source_read, which loops).  0 or a negative code. */
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
	/* The same for somebody who waits: before those that were begun on a
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
};

struct cfs_source {
	const struct cfs_source_ops *ops;
	_Atomic uint64_t size;	/* bytes, or CFS_SIZE_UNKNOWN */
	char *name;		/* for messages; owned */
	char *url;		/* of a remote object, the same whichever of its
				 * names it was opened by: what a cache knows
				 * it by.  NULL: none.  Owned */
	bool is_local;		/* reads cost microseconds */
	bool must_exist;	/* it was there: that it is not there any more
				 * is CFS_EIO, not CFS_ENOTFOUND */
	int64_t mtime;		/* Unix seconds, 0 if not known */
	atomic_uint refs;	/* see cfs_source_ref */
};

/* Opens a local file for reading.  CFS_ENOTFOUND, CFS_EACCESS, CFS_EIO. */
int cfs_source_open_file(struct cfs_source **out, const char *path,
			 struct cfs_error *err);

/* The same below an open folder, whatever is mounted over that since; `path`
 * is for messages. */
int cfs_source_open_file_at(struct cfs_source **out, int dirfd,
			    const char *name, const char *path,
			    struct cfs_error *err);

/* A source over memory.  Copies `bytes`. */
int cfs_source_open_memory(struct cfs_source **out, struct cfs_slice bytes,
			   const char *name, struct cfs_error *err);

/* How the layers above open a location: as it is, or through the cache.
 * Shared by threads. */
struct cfs_opener {
	int (*open)(void *arg, const char *location, struct cfs_source **out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
	void *arg;
};

/* Makes src->size known.  0, or why it cannot be found. */
int cfs_source_find_size(struct cfs_source *src,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err);

/* The validator of a remote object, once an answer has told it (or
 * cfs_source_pin).  False: not known, or not remote. */
bool cfs_source_validator(struct cfs_source *src,
			  char out[CFS_VALIDATOR_BYTES]);

/*
 * Tells a remote object which state of it is wanted, before it was read: its
 * size is known from then on, and an answer of another state is CFS_ECHANGED.
 * CFS_ECHANGED too if an answer has told otherwise already; CFS_EFORMAT if
 * that is no validator.
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

/* For implementations: fills the common part of a new source. */
int cfs_source_init(struct cfs_source *src, const struct cfs_source_ops *ops,
		    uint64_t size, const char *name, struct cfs_error *err);

#endif
