/* source.h - one interface to bytes at offsets, wherever they lie.
 *
 * Sources are local files, bytes in memory, remote objects, the cache wrapped
 * round one, and the fault injector of tests.  A source is immutable after
 * open, except for a size found later, and shared by threads.
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

/* The size of a source that is not known yet (a remote object before its first
 * answer): so large that every range lies inside. */
#define CFS_SIZE_UNKNOWN UINT64_MAX

/* Bytes of a validator: printable text that identifies one state of a remote
 * object, by its size and its ETag (or date).  Answers with the same validator
 * hold the same bytes. */
#define CFS_VALIDATOR_BYTES 192

/*
 * Called when a started read ends: once, on any thread, perhaps before start
 * returns.  code 0: `bytes` holds what was read, fewer than asked for only at
 * the end of the source; borrowed during the call.  Else code is negative, and
 * err says why.  Must not block.
 */
typedef void cfs_source_done(void *arg, int code, struct cfs_slice bytes,
			     const struct cfs_error *err);

struct cfs_source_ops {
	/* Reads at most n bytes at off into buf; *got < n only at the end of
	 * the source, or from a fault injector.  Callers use cfs_source_read,
	 * which loops.  0 or a negative code. */
	int (*read_at)(struct cfs_source *src, void *buf, size_t n,
		       uint64_t off, size_t *got, struct cfs_ctx ctx);
	void (*close)(struct cfs_source *src);
	/* All calls below are optional (NULL).
	 *
	 * Begins a read of at most n bytes without waiting for it.  The caller
	 * keeps the source open until `done` has run.  0, or a negative code:
	 * then `done` never runs.  Until then *came, unless NULL, is the number
	 * of bytes received; it never falls. */
	int (*start)(struct cfs_source *src, uint64_t off, size_t n,
		     cfs_source_done *done, void *arg, _Atomic uint64_t *came,
		     struct cfs_error *err);
	/* The same for a reader that waits: goes before reads started on
	 * a hint. */
	int (*start_urgent)(struct cfs_source *src, uint64_t off, size_t n,
			    cfs_source_done *done, void *arg,
			    _Atomic uint64_t *came, struct cfs_error *err);
	/* A hint: these bytes are likely to be read soon. */
	void (*prefetch)(struct cfs_source *src, uint64_t off, size_t n);
	/* Finds out `size` (and mtime) where open left it unknown. */
	int (*find_size)(struct cfs_source *src, struct cfs_ctx ctx);
	/* See cfs_source_state. */
	bool (*state)(struct cfs_source *src, uint64_t *out);
	/* Remote objects only: see cfs_source_validator, cfs_source_pin. */
	bool (*validator)(struct cfs_source *src,
			  char out[CFS_VALIDATOR_BYTES]);
	int (*pin)(struct cfs_source *src, const char *validator,
		   struct cfs_error *err);
	/* Ends the reads that were started: `done` of each runs soon, with
	 * CFS_EINTR unless the read had ended. */
	void (*abandon)(struct cfs_source *src);
	/* See cfs_source_forget. */
	bool (*forget)(struct cfs_source *src, uint64_t off, uint64_t n);
};

struct cfs_source {
	const struct cfs_source_ops *ops;
	_Atomic uint64_t size;	/* bytes, or CFS_SIZE_UNKNOWN */
	char *name;		/* for messages; owned */
	char *url;		/* of a remote object: its one name for a cache,
				 * whichever of its names it was opened by.
				 * NULL: none.  Owned */
	bool is_local;		/* reads cost microseconds */
	bool is_live;		/* its bytes still come: cfs_source_read_some
				 * gets those that are there */
	bool must_exist;	/* it existed before: if it is missing, that is
				 * CFS_EIO, not CFS_ENOTFOUND */
	int64_t mtime;		/* Unix seconds, 0 if not known */
	uint32_t mtime_nsec;	/* the nanoseconds of a local file's mtime */
	atomic_uint refs;	/* see cfs_source_ref */
};

/* Opens a local file for reading.  CFS_ENOTFOUND, CFS_EACCESS, CFS_EIO. */
int cfs_source_open_file(struct cfs_source **out, const char *path,
			 struct cfs_error *err);

/* The same for a file in an open folder, even if something was mounted over
 * that since; `path` is for messages. */
int cfs_source_open_file_at(struct cfs_source **out, int dirfd,
			    const char *name, const char *path,
			    struct cfs_error *err);

/* Makes a source over a copy of `bytes`. */
int cfs_source_open_memory(struct cfs_source **out, struct cfs_slice bytes,
			   const char *name, struct cfs_error *err);

/*
 * Makes a source of n bytes of inner from `from` on.  Takes inner over, also on
 * failure; its size must be known.  Several windows may share one source, each
 * with a reference of its own.  CFS_EFORMAT if inner ends before.
 */
int cfs_source_open_window(struct cfs_source **out, struct cfs_source *inner,
			   uint64_t from, uint64_t n, const char *name,
			   struct cfs_error *err);

#define CFS_STREAM_BLOCK ((size_t)4 << 20)
#define CFS_STREAM_SLOTS 6u	/* blocks held: read, and fetched ahead */

/*
 * Wraps inner for reading from front to back; takes it over, also on failure.
 * Reads in sequence are served from whole blocks, and the next blocks are
 * fetched meanwhile; other reads are passed down.  Uses at most
 * CFS_STREAM_SLOTS blocks of memory.  The size is known on return (find_size is
 * called).  If inner cannot start reads, *out is inner itself.
 */
int cfs_source_open_stream(struct cfs_source **out, struct cfs_source *inner,
			   struct cfs_ctx ctx);

/* Makes src->size known.  0, or why it cannot be found. */
int cfs_source_find_size(struct cfs_source *src, struct cfs_ctx ctx);

/* The validator of a remote object, once an answer (or cfs_source_pin) has set
 * it.  False: not known, or not remote. */
bool cfs_source_validator(struct cfs_source *src,
			  char out[CFS_VALIDATOR_BYTES]);

/* Sets *out to a hash that differs whenever the bytes may: of the validator of
 * a remote object; of a local file's place, size and times.  False: not known,
 * or the file has changed since it was opened, so that bytes of both states may
 * be in memory. */
bool cfs_source_state(struct cfs_source *src, uint64_t *out);

/*
 * Sets the wanted state of a remote object before it is read: its size is then
 * known, and an answer that shows another state gives CFS_ECHANGED.
 * CFS_ECHANGED too if such an answer has come already; CFS_EFORMAT for an
 * invalid validator.
 */
int cfs_source_pin(struct cfs_source *src, const char *validator,
		   struct cfs_error *err);

/* Ends the reads that were started; see `abandon` in cfs_source_ops. */
void cfs_source_abandon(struct cfs_source *src);

/* Hints that these bytes are likely to be read soon; costs nothing if
 * not supported. */
void cfs_source_prefetch(struct cfs_source *src, uint64_t off, size_t n);

/* Adds an owner; each owner closes. */
struct cfs_source *cfs_source_ref(struct cfs_source *src);
void cfs_source_close(struct cfs_source *src);	/* accepts NULL */

/* Reads exactly n bytes.  Past the end: CFS_EFORMAT, "ends at byte ...".
 * Both fields of ctx may be NULL. */
int cfs_source_read(struct cfs_source *src, void *buf, size_t n, uint64_t off,
		    struct cfs_ctx ctx);

/* Reads up to n bytes; *got < n only at the end of the source, and 0 there if
 * its bytes still come. */
int cfs_source_read_some(struct cfs_source *src, void *buf, size_t n,
			 uint64_t off, size_t *got, struct cfs_ctx ctx);

/*
 * Reports that bytes read of [off, off + n) fail a checksum: a cache then drops
 * them, so that it does not repeat one wrong answer of a server.  True if it
 * had any: reading again may help.
 */
bool cfs_source_forget(struct cfs_source *src, uint64_t off, uint64_t n);

/*
 * Called when using the bytes read of [off, off + n) failed with rc.  If rc is
 * CFS_EFORMAT, forgets them as above and clears the error `e`.  True: the
 * caller should read and use them once more.
 */
bool cfs_source_may_read_again(struct cfs_source *src, uint64_t off, uint64_t n,
			       int rc, struct cfs_error *e);

/* For implementations: fills the common part of a source. */
int cfs_source_init(struct cfs_source *src, const struct cfs_source_ops *ops,
		    uint64_t size, const char *name, struct cfs_error *err);

/* The same for the end of an open: on success *out is src, else src
 * was closed. */
int cfs_source_open(struct cfs_source **out, struct cfs_source *src,
		    const struct cfs_source_ops *ops, uint64_t size,
		    const char *name, struct cfs_error *err);

#endif
