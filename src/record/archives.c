/* archives.c - opens an archive in the first base that has it; a limited number
 * is kept open.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "archives.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "codec/zstd.h"
#include "net/location.h"
#include "sniff.h"
#include "zipped.h"

/* Most archives that one crawl keeps open; all crawls of the process share the
 * account of descriptors. */
#define ARCHIVES_MAX 128u
#define ARCHIVE_COST ((size_t)CFS_DESCRIPTOR_COST)
/* Cost of one whose parked stream may have a zstd window. */
#define ARCHIVE_COST_ZSTD (4 * ARCHIVE_COST)
/* Cache of dictionaries.  Most take a few hundred KiB; the largest, twice
 * CFS_ZST_DICT_MAX, fits into each of the cache's shards. */
#define DICTS_BYTES ((size_t)136 << 20)

/* ---- names ---- */

/* Hashes ".warc.gz", ".arc.gz"; for textData-00012, "textData". */
static unsigned kind_of(struct cfs_slice name)
{
	struct cfs_slice base = cfs_slice_last_part(name);
	ptrdiff_t point = cfs_slice_find(base, '.');
	ptrdiff_t dash = cfs_slice_find(base, '-');

	if (point >= 0)
		base = cfs_slice_from(base, (size_t)point);
	else if (dash >= 0)
		base.n = (size_t)dash;
	return (unsigned)(cfs_hash64(base, 0) % CFS_ARCHIVE_KINDS);
}

struct cfs_archive_query cfs_archives_query(const struct cfs_archives *a,
					    struct cfs_slice name)
{
	struct cfs_archive_query q = { .name = name, .file = name,
				       .place = a->places };

	if (a->n_places > 1 && name.n > 0 && name.p[0] >= CFS_PLACE_TAG &&
	    name.p[0] - CFS_PLACE_TAG < a->n_places) {
		q.place = &a->places[name.p[0] - CFS_PLACE_TAG];
		q.file = cfs_slice_from(name, 1);
	}
	if (q.place->expects_base)
		q.expected_base = q.place->last_base[kind_of(q.file)];
	return q;
}

bool cfs_archives_search_further(struct cfs_archive_query *q, int rc)
{
	if (rc != CFS_ENOTFOUND || !q->place->expects_base ||
	    q->search_all_bases)
		return false;
	q->search_all_bases = true;
	return true;
}

/* ---- opening ---- */

/* A remote object is opened without a request.  With `ask`, because there are
 * other bases to look in, a request finds out whether it exists. */
static int open_remote(struct cfs_archives *a, const char *path, bool ask,
		       struct cfs_source **out, struct cfs_ctx ctx)
{
	int rc = a->opener.open(a->opener.arg, path, out, ctx);

	if (rc != CFS_OK || !ask || (*out)->size != CFS_SIZE_UNKNOWN)
		return rc;
	rc = cfs_source_find_size(*out, ctx);
	if (rc != CFS_OK) {
		cfs_source_close(*out);
		*out = NULL;
	}
	return rc;
}

static int open_file_in(struct cfs_archives *a, const struct cfs_base *base,
			bool ask, struct cfs_slice name,
			struct cfs_source **out, struct cfs_ctx ctx)
{
	CFS_BUF(path, 4 * CFS_NAME_BYTES_MAX);
	const char *p;
	int rc;

	if (cfs_location_is_url(base->path)) {
		cfs_location_join(&path, base->path, name);
	} else {
		cfs_buf_adds(&path, base->path);
		if (path.n > 0 && path.p[path.n - 1] != '/')
			cfs_buf_addc(&path, '/');
		cfs_buf_add(&path, name);
	}
	cfs_buf_addc(&path, '\0');
	p = (const char *)path.p;
	if (path.failed != CFS_OK)
		rc = cfs_error_set(ctx.err, path.failed,
				   "archive name is too long");
	else if (base->fd >= 0)
		rc = cfs_source_open_file_at(out, base->fd,
					     p + path.n - 1 - name.n, p,
					     ctx.err);
	else
		rc = open_remote(a, p, ask, out, ctx);
	return rc;
}

/* A name with a mark is that of a member of a ZIP file; but a file of that very
 * name takes precedence, if that can be told without asking a server. */
static int open_in(struct cfs_archives *a, const struct cfs_base *base,
		   bool ask, struct cfs_slice name, struct cfs_source **out,
		   struct cfs_ctx ctx)
{
	struct cfs_slice file, member;
	int rc = CFS_ENOTFOUND;

	if (!cfs_zipped_split(name, &file, &member))
		return open_file_in(a, base, ask, name, out, ctx);
	if (!cfs_location_is_url(base->path))
		rc = open_file_in(a, base, ask, name, out,
				  CFS_CTX(ctx.cancel, NULL));
	if (rc != CFS_ENOTFOUND)
		return rc;
	rc = open_file_in(a, base, ask, file, out, ctx);
	return rc != CFS_OK ? rc : cfs_zipped_open(out, *out, member,
						   a->cache_dir, ctx);
}

static int open_archive(struct cfs_archives *a,
			const struct cfs_archive_query *q,
			struct cfs_source **out, struct cfs_ctx ctx)
{
	struct cfs_place *p = q->place;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_ENOTFOUND;

	if (p->expects_base && !q->search_all_bases)
		return open_in(a, &p->bases[q->expected_base], false, q->file,
			       out, ctx);
	for (unsigned i = 0; i < p->n_bases && rc == CFS_ENOTFOUND; i++) {
		if (p->expects_base && i == q->expected_base)
			continue;
		e = CFS_ERROR_INIT;
		rc = open_in(a, &p->bases[i], p->n_bases > 1, q->file, out,
			     CFS_CTX(ctx.cancel, &e));
		if (rc == CFS_OK && p->expects_base)
			atomic_store(&p->last_base[kind_of(q->file)], i);
	}
	return cfs_error_pass(ctx.err, &e, rc);
}

/* The argument of load_archive. */
struct archive_request {
	struct cfs_archives *archives;
	const struct cfs_archive_query *query;
};

static void free_archive(void *p)
{
	struct cfs_archive *a = p;

	for (size_t i = 0; i < CFS_PARKED_MAX; i++)
		cfs_member_stream_free(a->parked[i].z);
	pthread_mutex_destroy(&a->lock);
	cfs_source_close(a->src);
	free(a);
}

static int load_archive(void *arg, struct cfs_lru_key key, void **obj,
			size_t *obj_bytes, struct cfs_ctx ctx)
{
	const struct archive_request *q = arg;
	struct cfs_archive *a;
	int rc = cfs_cancel_before_wait(ctx);

	(void)key;
	if (rc != CFS_OK)		/* for its folder */
		return rc;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return cfs_error_nomem(ctx.err);
	pthread_mutex_init(&a->lock, NULL);
	atomic_init(&a->is_common_crawl, -1);
	rc = open_archive(q->archives, q->query, &a->src, ctx);
	if (rc != CFS_OK) {
		if (cfs_archives_lack(q->archives, q->query->name))
			atomic_store(&q->archives->has_lacked, true);
		free_archive(a);
		return rc;
	}
	atomic_store(&q->archives->has_opened, true);
	a->dicts = q->archives->dicts;
	*obj = a;
	*obj_bytes = cfs_slice_ends(q->query->name, CFS_SLICE_LIT(".zst")) ?
		     ARCHIVE_COST_ZSTD : ARCHIVE_COST;
	return CFS_OK;
}

int cfs_archives_get(struct cfs_archives *a, const struct cfs_archive_query *q,
		     struct cfs_lru_ref **out, struct cfs_ctx ctx)
{
	struct archive_request request = { a, q };
	struct cfs_lru_key key = CFS_LRU_NAME(q->name);

	*out = NULL;
	if (!cfs_name_stays_below(q->file))
		return cfs_error_set(ctx.err, CFS_EFORMAT,
			"archive name '%.*s' does not lie below a folder",
			(int)(q->file.n < 80 ? q->file.n : 80),
			(const char *)q->file.p);
	if (q->place->expects_base && !q->search_all_bases) {
		*out = cfs_lru_peek(a->open, key);
		key.a = q->expected_base + 1;	/* not yet confirmed */
	}
	return *out != NULL ? CFS_OK : cfs_lru_get(a->open, key, load_archive,
						   &request, out, ctx);
}

/* Tells if a base lacks a file; a URL is assumed to have all files. */
static bool base_lacks(const struct cfs_base *base, struct cfs_slice name)
{
	char path[CFS_NAME_BYTES_MAX + 1];

	if (base->fd < 0)
		return !cfs_location_is_url(base->path);
	snprintf(path, sizeof(path), "%.*s", (int)name.n, (const char *)name.p);
	return faccessat(base->fd, path, F_OK, 0) != 0 &&
	       (errno == ENOENT || errno == ENOTDIR);
}

bool cfs_archives_lack(const struct cfs_archives *a, struct cfs_slice name)
{
	struct cfs_archive_query q = cfs_archives_query(a, name);
	struct cfs_slice file, member;

	if (!cfs_name_stays_below(q.file) || q.file.n > CFS_NAME_BYTES_MAX)
		return false;
	if (!cfs_zipped_split(q.file, &file, &member))
		file = q.file;
	for (size_t i = 0; i < q.place->n_bases; i++)
		if (!base_lacks(&q.place->bases[i], q.file) ||
		    !base_lacks(&q.place->bases[i], file))
			return false;
	return true;
}

int cfs_archive_is_common_crawl(struct cfs_archive *a, bool *yes,
				struct cfs_ctx ctx)
{
	int known = a->is_common_crawl, rc;

	*yes = known > 0;
	if (known >= 0)
		return CFS_OK;
	rc = cfs_sniff_common_crawl(a->src, yes, ctx);
	if (rc == CFS_OK)
		a->is_common_crawl = *yes;
	return rc;
}

/* ---- dictionaries ---- */

/* An entry of the cache of dictionaries. */
struct dict {
	struct cfs_zst_dict *dict;	/* NULL: the archive has none */
};

static void free_dict(void *p)
{
	cfs_zst_dict_put(((struct dict *)p)->dict);
	free(p);
}

static int load_dict(void *arg, struct cfs_lru_key key, void **obj,
		     size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct dict *d = calloc(1, sizeof(*d));
	int rc;

	(void)key;
	if (d == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_sniff_dict(arg, &d->dict, ctx);
	if (rc != CFS_OK) {
		free(d);
		return rc;
	}
	*obj = d;
	*obj_bytes = sizeof(*d) + cfs_zst_dict_cost(d->dict);
	return CFS_OK;
}

int cfs_archive_dict(struct cfs_archive *a, struct cfs_zst_dict **out,
		     struct cfs_ctx ctx)
{
	const char *name = a->src->url != NULL ? a->src->url : a->src->name;
	struct cfs_lru_ref *ref;
	int rc = cfs_lru_get(a->dicts, CFS_LRU_NAME(cfs_slice_str(name)),
			     load_dict, a->src, &ref, ctx);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	*out = cfs_zst_dict_ref(((struct dict *)cfs_lru_obj(ref))->dict);
	cfs_lru_put(ref);
	return CFS_OK;
}

/* ---- parked streams ---- */

struct cfs_paused_stream cfs_archive_take_stream(struct cfs_archive *a,
						 uint64_t start, uint64_t pos)
{
	struct cfs_paused_stream got = { NULL, start, 0, 0 }, *best = NULL;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < CFS_PARKED_MAX; i++) {
		struct cfs_paused_stream *s = &a->parked[i];

		if (s->z != NULL && s->start == start && s->pos <= pos &&
		    (best == NULL || s->pos > best->pos))
			best = s;
	}
	if (best != NULL) {
		got = *best;
		*best = (struct cfs_paused_stream){ .used = 0 };
	}
	pthread_mutex_unlock(&a->lock);
	return got;
}

void cfs_archive_put_stream(struct cfs_archive *a,
			    struct cfs_paused_stream stream)
{
	size_t n = cfs_member_stream_is_zstd(stream.z) ? 1 : CFS_PARKED_MAX;
	struct cfs_paused_stream *oldest = &a->parked[0];
	struct cfs_member_stream *dead;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 1; i < n; i++)
		if (a->parked[i].used < oldest->used)
			oldest = &a->parked[i];
	dead = oldest->z;
	stream.used = ++a->clock;
	*oldest = stream;
	pthread_mutex_unlock(&a->lock);
	cfs_member_stream_free(dead);
}

/* ---- all of them ---- */

static int open_place(struct cfs_place *p, const char *const *paths, size_t n)
{
	size_t n_urls = 0;

	p->bases = calloc(n, sizeof(*p->bases));
	if (p->bases == NULL)
		return CFS_ENOMEM;
	for (; p->n_bases < n; p->n_bases++) {
		struct cfs_base *base = &p->bases[p->n_bases];

		base->path = strdup(paths[p->n_bases]);
		if (base->path == NULL)
			return CFS_ENOMEM;
		base->fd = cfs_openat(AT_FDCWD, base->path,
				      O_PATH | O_DIRECTORY, 0);
		if (base->fd < 0 && (errno == EMFILE || errno == ENFILE)) {
			free(base->path);
			return CFS_ENOMEM;
		}
		n_urls += cfs_location_is_url(base->path);
	}
	p->expects_base = n > 1 && n_urls == n;
	return CFS_OK;
}

int cfs_archives_init(struct cfs_archives *a, const char *const *paths,
		      const uint8_t *place_of, size_t n,
		      const struct cfs_opener *opener, const char *cache_dir)
{
	static const char *const here[] = { "." };
	int rc = CFS_OK;

	memset(a, 0, sizeof(*a));
	a->opener = cfs_opener_or_plain(opener);
	if (n == 0) {
		paths = here;
		n = 1;
		place_of = NULL;
	}
	a->places = calloc(place_of != NULL ? place_of[n - 1] + 1u : 1u,
			   sizeof(*a->places));
	a->open = cfs_lru_new(ARCHIVES_MAX * ARCHIVE_COST, free_archive);
	a->dicts = cfs_lru_new(DICTS_BYTES, free_dict);
	if (a->open != NULL)
		cfs_lru_charge_to(a->open, cfs_descriptors_account(),
				  CFS_MEM_RECORDS, false);
	if (cache_dir != NULL)
		a->cache_dir = strdup(cache_dir);
	if (a->places == NULL || a->open == NULL || a->dicts == NULL ||
	    (cache_dir != NULL && a->cache_dir == NULL))
		return CFS_ENOMEM;
	for (size_t i = 0, end; i < n && rc == CFS_OK; i = end) {
		for (end = i + 1; end < n && (place_of == NULL ||
				place_of[end] == place_of[i]); end++)
			continue;
		rc = open_place(&a->places[a->n_places++], paths + i, end - i);
	}
	return rc;
}

void cfs_archives_release(struct cfs_archives *a)
{
	cfs_lru_free(a->open);
	cfs_lru_free(a->dicts);
	for (size_t i = 0; i < a->n_places; i++) {
		struct cfs_place *p = &a->places[i];

		for (size_t k = 0; k < p->n_bases; k++) {
			free(p->bases[k].path);
			if (p->bases[k].fd >= 0)
				close(p->bases[k].fd);
		}
		free(p->bases);
	}
	free(a->places);
	free(a->cache_dir);
}
