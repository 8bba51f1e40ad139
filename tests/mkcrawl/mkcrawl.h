/* mkcrawl.h - what the parts of crawlfs-mkcrawl share.
 *
 *     main.c      options; the loop over captures
 *     rng.c       reproducible random numbers
 *     words.c     made-up words of five languages, in eight encodings
 *     urls.c      hosts, directories, page names
 *     hostile.c   URLs as odd as real crawls have them
 *     plan.c      what capture n is: URL, time, status, type, encodings
 *     pages.c     bodies
 *     http.c      heads, content and transfer encodings
 *     archive.c   files of gzip members, rotated by size
 *     arc.c warc.c  records
 *     pbout.c     the PB-tree: an external sort of keys
 *     manifest.c  what a reader should find, one line a capture
 *
 * The generator shares no code with the readers it feeds, but for buffers,
 * time stamps and (with --pbtree) the project's PB-tree writer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_MKCRAWL_H
#define MKCRAWL_MKCRAWL_H

#include "base/buf.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "rng.h"

#define MK_RECORDS_MIN 1u
#define MK_RECORDS_MAX 10000000u
#define MK_HOSTS_MAX 1000000u
#define MK_BODY_MAX (1024u * 1024)	/* before encoding */
#define MK_URL_BYTES 65536u		/* ceiling of URL buffers */
#define MK_BUF_MAX (64u * 1024 * 1024)	/* ceiling of record buffers */

enum mk_shape { MK_SHAPE_WEB, MK_SHAPE_FLAT, MK_SHAPE_DIRS };

struct mk_config {
	uint64_t seed, records;
	uint64_t hosts;			/* 0: in proportion to records */
	uint64_t pages_per_dir;
	uint64_t page_bytes;		/* mean body size; 0: as the web has */
	uint64_t archive_bytes;		/* rotate after that many */
	uint64_t dirs;			/* of MK_SHAPE_DIRS */
	enum mk_shape shape;
	unsigned hostile;		/* percent of odd URLs and captures */
	unsigned level;			/* of compression, 1 to 12 */
	unsigned arc_short;		/* bytes an ARC length falls short */
	bool arc, warc, pbtree;
	bool plain;			/* no gzip */
	bool bare;			/* no requests, metadata, dns: */
	const char *out;		/* folder */
	const char *urls;		/* file of URLs, or NULL */
	int64_t start;			/* first capture, Unix seconds */
};

/* Purposes of random streams (see mk_rng_at). */
enum mk_salt {
	MK_SALT_HOST = 1, MK_SALT_URL, MK_SALT_HOSTILE, MK_SALT_PLAN,
	MK_SALT_BODY, MK_SALT_HTTP, MK_SALT_WARC, MK_SALT_ARCHIVE, MK_SALT_ID,
	MK_SALT_WORDS, MK_SALT_DIR, MK_SALT_REVISIT,
};

enum mk_type {
	MK_HTML, MK_RSS, MK_ATOM, MK_TEXT, MK_JPEG, MK_PDF, MK_GZIP,
};

static inline bool mk_type_is_text(enum mk_type t)
{
	return t <= MK_TEXT;
}

/* Prints "crawlfs-mkcrawl: ..." and ends the program with status 1. */
_Noreturn void mk_die(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
/* Dies unless all appends to b worked. */
void mk_check(const struct cfs_buf *b);

#endif
