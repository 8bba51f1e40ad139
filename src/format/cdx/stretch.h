/* stretch.h - a large text file, read and searched by stretches of whole lines.
 *
 * A stretch is CFS_STRETCH_BYTES of the file.  It has the lines that begin
 * behind a line end in it (the first stretch also the file's first line).  So a
 * stretch can be found without reading what lies before it, and is read in one
 * go, past its end by one line.
 */
#ifndef CFS_CDX_STRETCH_H
#define CFS_CDX_STRETCH_H

#include "base/buf.h"
#include "base/cancel.h"
#include "source/source.h"

#define CFS_STRETCH_BYTES 65536u
/* Bytes that are read for one: past its end for the line that begins in it.
 * Most lines are shorter than that, none is longer than CFS_CDX_LINE_MAX. */
#define CFS_STRETCH_READ_BYTES (CFS_STRETCH_BYTES + 4096u)

/* Whole lines with their ends (the file's last one may have none). */
struct cfs_stretch {
	uint8_t *bytes;		/* malloced; the caller's */
	size_t from, n;		/* the lines are bytes[from .. from + n) */
	uint64_t file_off;	/* where they begin in the file */
	bool cut;		/* an overlong line at the end was left out */
};

/* Number of stretches in a file whose size is known. */
static inline uint64_t cfs_stretch_count(uint64_t file_bytes)
{
	return file_bytes / CFS_STRETCH_BYTES +
	       (file_bytes % CFS_STRETCH_BYTES != 0);
}

/* Reads stretch `number` of src, whose size is known.  n is 0 if no line begins
 * in it.  The caller frees out->bytes. */
int cfs_stretch_read(struct cfs_source *src, uint64_t number,
		     struct cfs_stretch *out, struct cfs_ctx ctx);

/*
 * Finds keys in a sorted text file: a binary search that remembers the first
 * keys of stretches it has seen, so that later searches start from them.
 */
struct cfs_search;		/* defined in stretch.c; threads share it */

struct cfs_search *cfs_search_new(uint32_t stretches);
void cfs_search_free(struct cfs_search *s);	/* accepts NULL */

/* Appends the first key of a stretch.  CFS_END: it has none. */
typedef int cfs_search_first(void *arg, uint32_t number, struct cfs_buf *key,
			     struct cfs_ctx ctx);

/* Finds the last stretch whose first key is less than `key`, else stretch 0:
 * the first entry >= key is in it or in a later one. */
int cfs_search_find(struct cfs_search *s, struct cfs_slice key,
		    cfs_search_first *first, void *arg, uint32_t *out,
		    struct cfs_ctx ctx);

#endif
