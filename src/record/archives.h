/* archives.h - opens the archives of a crawl by name, and keeps them open.
 * Names are relative to one of several "bases": folders or URLs.
 *
 * If several indexes make one crawl, the bases of each are a "place".  Then an
 * archive's name begins with its place, a byte from CFS_PLACE_TAG on, so that
 * equal names in two places are two archives.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_ARCHIVES_H
#define CFS_RECORD_ARCHIVES_H

#include <pthread.h>

#include "base/lru.h"
#include "members.h"
#include "net/open_location.h"

/* Kinds of archives (by name); all of a kind are expected in the same base. */
#define CFS_ARCHIVE_KINDS 16u
#define CFS_PARKED_MAX 4u

/* A stream that stopped at `pos` of the bytes inflated from file offset
 * `start`. */
struct cfs_paused_stream {
	struct cfs_member_stream *z;	/* owned; NULL: there is none */
	uint64_t start, pos, used;	/* used: clock when it was parked */
};

/* A record that shares a member is reached by inflating from the member's
 * start.  A few streams are kept where they stopped, so that reading such
 * records in order takes linear time. */
struct cfs_archive {
	struct cfs_source *src;
	struct cfs_lru *dicts;	/* of all archives; borrowed */
	atomic_bool warned;	/* about many records in one member */
	/* -1: not known yet; see cfs_archive_is_common_crawl */
	atomic_int is_common_crawl;
	pthread_mutex_t lock;
	struct cfs_paused_stream parked[CFS_PARKED_MAX]; /* guarded by lock */
	uint64_t clock;					/* guarded by lock */
};

/* A base.  A folder is held open, as the crawl may be mounted over it. */
struct cfs_base {
	char *path;
	int fd;		/* -1: a URL, or it could not be opened */
};

/* The byte in front of the names of place i is CFS_PLACE_TAG + i. */
#define CFS_PLACE_TAG 1u
#define CFS_PLACES_MAX 31u

/* A place: the bases in which the same names are looked up. */
struct cfs_place {
	struct cfs_base *bases;
	size_t n_bases;
	/* There are several bases, all of them URLs, and asking where an
	 * archive is costs a request for each.  So an archive is expected in
	 * the base where the last of its kind was found by asking (at first, in
	 * the first one); the others are asked if it is missing there. */
	bool expects_base;
	atomic_uint last_base[CFS_ARCHIVE_KINDS];
};

/* Immutable after init, except the atomics; threads share it. */
struct cfs_archives {
	struct cfs_place *places;
	size_t n_places;
	atomic_bool has_opened;	/* some archive */
	atomic_bool has_lacked;	/* as of cfs_archives_lack */
	struct cfs_opener opener;
	char *cache_dir;	/* for members of ZIP files (zipped.h), or
				 * NULL */
	struct cfs_lru *open;
	struct cfs_lru *dicts;		/* by names of sources */
};

/* A search for one archive. */
struct cfs_archive_query {
	struct cfs_slice name;		/* with the tag of its place, if any */
	struct cfs_place *place;
	struct cfs_slice file;		/* the name without the tag */
	unsigned expected_base;
	/* Set once the archive was found missing in expected_base, which is
	 * then skipped. */
	bool search_all_bases;
};

/* paths: the bases, copied; none: the working directory.  place_of: the place
 * of each base, ascending from 0, below CFS_PLACES_MAX; NULL: they are one
 * place.  opener: copied; NULL for cfs_location_open.  cache_dir: as of
 * cfs_zipped_open; copied.
 * 0 or CFS_ENOMEM (release it all the same). */
int cfs_archives_init(struct cfs_archives *a, const char *const *paths,
		      const uint8_t *place_of, size_t n,
		      const struct cfs_opener *opener, const char *cache_dir);
void cfs_archives_release(struct cfs_archives *a);

/* The name of an archive for people: without the tag in front. */
static inline const char *cfs_archive_plain_name(const char *name)
{
	return name + (*name >= (char)CFS_PLACE_TAG &&
		       *name < (char)(CFS_PLACE_TAG + CFS_PLACES_MAX));
}
static inline struct cfs_slice cfs_archive_plain(struct cfs_slice name)
{
	bool has_tag = name.n > 0 && name.p[0] >= CFS_PLACE_TAG &&
		       name.p[0] < CFS_PLACE_TAG + CFS_PLACES_MAX;

	return cfs_slice_from(name, has_tag);
}

/* Begins the search for an archive, whose name is borrowed. */
struct cfs_archive_query cfs_archives_query(const struct cfs_archives *a,
					    struct cfs_slice name);

/*
 * rc is the result of using the archive that was opened for q.  True if the
 * archive was missing where it was expected, but may be in another base: q is
 * changed to look there, and is to be used once more.
 */
bool cfs_archives_search_further(struct cfs_archive_query *q, int rc);

/* Finds, opens and pins the archive of q: *out holds a struct cfs_archive until
 * cfs_lru_put.  CFS_EFORMAT for a name that would lead out of the bases;
 * CFS_ENOTFOUND if none of the bases asked has it; failures of opening. */
int cfs_archives_get(struct cfs_archives *a, const struct cfs_archive_query *q,
		     struct cfs_lru_ref **out, struct cfs_ctx ctx);

/* True if an archive is in none of its bases, and all of these are folders. */
bool cfs_archives_lack(const struct cfs_archives *a, struct cfs_slice name);

/* Tells if it is one of Common Crawl's own ARC files, by its name or its start
 * (CFS_PARSE_COMMON_CRAWL), which is read once.  0, or a failure to read. */
int cfs_archive_is_common_crawl(struct cfs_archive *a, bool *yes,
				struct cfs_ctx ctx);

/*
 * Gets the zstd dictionary at the start of an archive, to be put by the caller;
 * *out is NULL if there is none.  It is read once, and cached.
 * 0, CFS_EFORMAT and CFS_ELIMIT for a damaged one, or a failure to read.
 */
int cfs_archive_dict(struct cfs_archive *a, struct cfs_zst_dict **out,
		     struct cfs_ctx ctx);

/* Takes out the stream from `start` that stopped nearest before pos; the caller
 * owns it.  z is NULL if there is none. */
struct cfs_paused_stream cfs_archive_take_stream(struct cfs_archive *a,
						 uint64_t start, uint64_t pos);
/* Parks a stream in place of the least recently used one; only one zstd stream
 * is parked, since its window takes memory. */
void cfs_archive_put_stream(struct cfs_archive *a,
			    struct cfs_paused_stream stream);

#endif
