/* shards.c - opens shards, found beside their cluster.idx or by its .loc file.
 *
 *     .loc file: *(shard 1*(TAB location) LF)
 *
 * Common Crawl's shards lie beside cluster.idx, so the .loc file is requested
 * only if a shard is missing there.
 * Limits: SHARDS_MAX open shards, LOC_MAX bytes of a .loc file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zipnum_internal.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/descriptors.h"
#include "base/fileio.h"
#include "cdx_line.h"
#include "net/location.h"

/* Open at a time; they share the account of descriptors. */
#define SHARDS_MAX 128u
#define SHARD_COST ((size_t)CFS_DESCRIPTOR_COST)
#define LOC_MAX (16u << 20)		/* bytes of a .loc file */
#define PATH_BYTES_MAX 16384u

struct cfs_shards {
	struct cfs_lru *open;		/* of struct cfs_source, by name */
	struct cfs_opener opener;
	char *location;			/* of cluster.idx */
	char *folder;			/* of cluster.idx; ends in '/' or is
					 * "" */
	pthread_mutex_t loc_lock;
	bool loc_read;			/* guarded by loc_lock */
	uint8_t *loc;			/* the .loc file; guarded by loc_lock */
	size_t loc_n;			/* guarded by loc_lock */
};

/* Reads the .loc file, which is cluster.idx's name with another ending.  It
 * need not exist. */
static int read_loc(struct cfs_shards *s, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	struct cfs_slice name = cfs_slice_str(s->location);
	ptrdiff_t point = cfs_slice_rfind(name, '.');
	CFS_BUF(path, PATH_BYTES_MAX);
	int rc;

	if (s->loc_read)
		return CFS_OK;
	if (point > cfs_slice_rfind(name, '/'))
		name.n = (size_t)point;
	cfs_buf_add(&path, name);
	cfs_buf_adds(&path, ".loc");
	rc = s->opener.open(s->opener.arg, cfs_buf_str(&path), &src,
			    CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK && src->size > LOC_MAX)
		rc = cfs_error_at(&e, CFS_ELIMIT, src->name, 0, "is too large");
	if (rc == CFS_OK) {
		s->loc_n = (size_t)src->size;
		s->loc = malloc(s->loc_n + 1);
		rc = s->loc == NULL ? cfs_error_nomem(&e) :
		     cfs_source_read(src, s->loc, s->loc_n, 0,
				     CFS_CTX(ctx.cancel, &e));
	}
	cfs_source_close(src);
	s->loc_read = rc == CFS_OK || rc == CFS_ENOTFOUND;
	if (s->loc_read)
		return CFS_OK;
	free(s->loc);
	s->loc = NULL;
	return cfs_error_pass(ctx.err, &e, rc);
}

/* Opening a remote file makes no request: this asks whether it exists. */
static int make_sure(struct cfs_source **src, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if ((*src)->size == CFS_SIZE_UNKNOWN)
		rc = cfs_source_find_size(*src, ctx);
	if (rc != CFS_OK) {
		cfs_source_close(*src);
		*src = NULL;
	}
	return rc;
}

/* Opens a name below the folder of cluster.idx. */
static int shards_open_beside(struct cfs_shards *s, struct cfs_slice name,
			      bool sure, struct cfs_source **out,
			      struct cfs_ctx ctx)
{
	CFS_BUF(path, PATH_BYTES_MAX);
	int rc;

	if (!cfs_name_stays_below(name))
		return cfs_error_at(ctx.err, CFS_ENOTFOUND, s->location, 0,
				    "shard '%.*s' is not below its folder",
				    (int)(name.n < 80 ? name.n : 80),
				    (const char *)name.p);
	cfs_location_join(&path, s->folder, name);
	rc = path.failed != CFS_OK ?
	     cfs_error_set(ctx.err, path.failed, "name of a shard is too long") :
	     s->opener.open(s->opener.arg, cfs_buf_str(&path), out, ctx);
	return rc == CFS_OK && sure ? make_sure(out, ctx) : rc;
}

/* Tries the places that the .loc file gives for a shard, one by one. */
static int open_by_loc(struct cfs_shards *s, struct cfs_slice shard,
		       struct cfs_source **out, struct cfs_ctx ctx)
{
	struct cfs_slice rest, line;
	int rc;

	pthread_mutex_lock(&s->loc_lock);
	rc = read_loc(s, ctx);
	rest = cfs_slice_of(s->loc, s->loc != NULL ? s->loc_n : 0);
	pthread_mutex_unlock(&s->loc_lock);	/* loc never changes again */
	if (rc != CFS_OK)
		return rc;
	rc = CFS_ENOTFOUND;
	while (rc == CFS_ENOTFOUND && cfs_line_take(&rest, &line)) {
		if (!cfs_slice_eq(cfs_slice_split(&line, '\t'), shard))
			continue;
		line = cfs_slice_trim(line);
		while (rc == CFS_ENOTFOUND && line.n > 0)
			rc = shards_open_beside(s, cfs_slice_split(&line, '\t'),
						true, out,
						CFS_CTX(ctx.cancel, NULL));
	}
	return rc;
}

static void shard_free(void *obj)
{
	cfs_source_close(obj);
}

/* True of a file's name, as Common Crawl has them: it will exist. */
static bool is_file_name(struct cfs_slice shard)
{
	return cfs_slice_ends(shard, CFS_SLICE_LIT(".gz"));
}

static int shard_load(void *arg, struct cfs_lru_key key, void **obj,
		      size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct cfs_shards *s = arg;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	int rc = shards_open_beside(s, key.name, !is_file_name(key.name), &src,
				    CFS_CTX(ctx.cancel, &e));

	if (rc == CFS_ENOTFOUND) {
		rc = open_by_loc(s, key.name, &src, ctx);
		if (rc == CFS_ENOTFOUND) {
			/* not "no such entry": the index is incomplete */
			cfs_error_at(ctx.err, CFS_EFORMAT, e.where, 0, "%s",
				     e.text);
			rc = CFS_EFORMAT;
		}
	} else {
		cfs_error_pass(ctx.err, &e, rc);
	}
	*obj = src;
	*obj_bytes = SHARD_COST;
	return rc;
}

int cfs_shards_get(struct cfs_shards *s, struct cfs_slice name,
		   struct cfs_lru_ref **out, struct cfs_ctx ctx)
{
	return cfs_lru_get(s->open, CFS_LRU_NAME(name), shard_load, s, out,
			   ctx);
}

struct cfs_lru_ref *cfs_shards_peek(struct cfs_shards *s, struct cfs_slice name)
{
	struct cfs_lru_ref *ref = cfs_lru_peek(s->open, CFS_LRU_NAME(name));

	if (ref == NULL && is_file_name(name) &&
	    cfs_shards_get(s, name, &ref, CFS_CTX(NULL, NULL)) != CFS_OK)
		return NULL;
	return ref;
}

struct cfs_shards *cfs_shards_new(const char *location,
				  const struct cfs_opener *opener)
{
	struct cfs_shards *s = calloc(1, sizeof(*s));
	struct cfs_slice folder = cfs_slice_str(location);

	if (s == NULL)
		return NULL;
	s->opener = cfs_opener_or_plain(opener);
	folder.n = (size_t)(cfs_slice_rfind(folder, '/') + 1);
	if (cfs_location_is_url(location))
		folder = cfs_location_folder(location);
	s->location = strdup(location);
	s->folder = strndup((const char *)folder.p, folder.n);
	s->open = cfs_lru_new(SHARDS_MAX * SHARD_COST, shard_free);
	if (s->open != NULL)
		cfs_lru_charge_to(s->open, cfs_descriptors_account(),
				  CFS_MEM_INDEX, false);
	pthread_mutex_init(&s->loc_lock, NULL);
	if (s->location == NULL || s->folder == NULL || s->open == NULL) {
		cfs_shards_free(s);
		return NULL;
	}
	return s;
}

void cfs_shards_free(struct cfs_shards *s)
{
	if (s == NULL)
		return;
	cfs_lru_free(s->open);
	pthread_mutex_destroy(&s->loc_lock);
	free(s->loc);
	free(s->location);
	free(s->folder);
	free(s);
}
