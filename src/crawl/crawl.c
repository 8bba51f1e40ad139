/* crawl.c - creates and releases the parts of an opened crawl.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memo.h"
#include "bases.h"
#include "cache/cache.h"
#include "cache/sizes.h"
#include "captures.h"
#include "cuts.h"
#include "list_max.h"
#include "format/cfx/cfx_format.h"
#include "format/open_index.h"
#include "index/similar.h"
#include "index/union.h"
#include "net/location.h"
#include "net/reach.h"
#include "record/archives.h"
#include "record/seqstore.h"
#include "revisit.h"
#include "search.h"

#define RECORDS_MAX (UINT64_C(16) << 20)

/* ---- the block cache, shared by all crawls ---------------------------- */

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cfs_cache *shared;	/* guarded by shared_lock */
static unsigned shared_refs;		/* guarded by shared_lock */

/* Opens the cache; the options of the first caller apply to all. */
static int get_shared(struct cfs_cache **out, const struct cfs_cache_opts *opts,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	pthread_mutex_lock(&shared_lock);
	if (shared_refs == 0)
		rc = cfs_cache_open(&shared, opts, err);
	if (rc == CFS_OK) {
		shared_refs++;
		*out = shared;
	}
	pthread_mutex_unlock(&shared_lock);
	return rc;
}

static void put_shared(void)
{
	pthread_mutex_lock(&shared_lock);
	if (--shared_refs == 0)
		cfs_cache_close(shared);
	pthread_mutex_unlock(&shared_lock);
}

/* ---- one crawl -------------------------------------------------------- */

static uint64_t opts_mem(const struct cfs_crawl_opts *opts)
{
	return opts->mem_bytes ? opts->mem_bytes : CFS_CRAWL_MEM_DEFAULT;
}

static uint64_t crawl_mem_of(const struct cfs_crawl *c)
{
	return opts_mem(c->opts);
}

/* In a mount a record is used by a few readers at one time, then hardly again,
 * and the kernel caches the files: more memory for records only means colder
 * memory. */
static size_t crawl_record_bytes(const struct cfs_crawl *c)
{
	uint64_t n = crawl_mem_of(c) / 4;

	if (c->opts->keeps_records)
		return (size_t)(3 * n);
	return (size_t)(n < RECORDS_MAX ? n : RECORDS_MAX);
}

/* Memory that records do not use goes to blocks of the index.  Where records
 * are kept, the two may want more together than there is: then the budget has
 * records give way, which are larger and can be spared sooner. */
static size_t crawl_index_bytes(const struct cfs_crawl *c)
{
	uint64_t n = crawl_mem_of(c);

	return (size_t)(c->opts->keeps_records ? n / 2 :
						 n - crawl_record_bytes(c));
}

void cfs_crawl_close_index(struct cfs_crawl *c)
{
	cfs_crawl_close_words(c);
	cfs_seqstore_free(c->pairs);
	cfs_store_free(c->store);
	cfs_index_close(c->index);
	cfs_similar_free(c->clusters);
	c->clusters = NULL;
	free(c->bases);
	c->pairs = NULL;
	c->store = NULL;
	c->index = NULL;
	c->bases = NULL;
}

/* A hash that identifies the contents of an index: for a remote one its
 * validator, for a local file its size and time.  0: not known, or a file
 * without a name. */
static uint64_t state_of_index(struct cfs_source *src)
{
	char text[CFS_VALIDATOR_BYTES];
	struct stat st;
	uint64_t h;

	if (!src->is_local) {
		if (!cfs_source_validator(src, text))
			return 0;
	} else {
		if (stat(src->name, &st) != 0 ||
		    (uint64_t)st.st_size != src->size)
			return 0;
		snprintf(text, sizeof(text), "%lld %lld.%09ld",
			 (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			 st.st_mtim.tv_nsec);
	}
	h = cfs_hash64(cfs_slice_str(text), 0);
	return h != 0 ? h : 1;
}

/* Makes the identity under which sizes are kept: the index, and where its
 * archives are. */
static void identify(struct cfs_crawl *c, struct cfs_source *src,
		     const struct cfs_bases *bases)
{
	const char *name = src->url != NULL ? src->url : src->name;
	uint64_t place = cfs_hash64(cfs_slice_str(name), 0);

	for (size_t i = 0; i < bases->n; i++)
		place = cfs_hash64(cfs_slice_str(bases->text[i]), place);
	c->sizes_id = (struct cfs_sizes_id){ place, state_of_index(src) };
}

/* Buffers for the names of folders in the options of a store. */
struct folders {
	char cache[PATH_MAX], temp[PATH_MAX];
};

/* Options without bases; they borrow from the folders. */
static struct cfs_store_opts store_opts(const struct cfs_crawl *c,
					struct folders *f)
{
	return (struct cfs_store_opts){
		.cache_bytes = crawl_record_bytes(c),
		.max_record_bytes = c->opts->max_record_bytes,
		.opener = c->cache ? &c->opener.base : NULL,
		.cache_dir = cfs_crawl_inflate_dir(c->opts, f->cache),
		.budget = c->budget,
		.spill_dir = c->budget == NULL ? NULL :
			     cfs_crawl_temp_dir(c->opts, f->temp),
	};
}

/* Opens a store of the archives below these folders. */
static int crawl_open_store(struct cfs_crawl *c, const struct cfs_bases *bases,
			    struct cfs_error *err)
{
	struct folders folders;
	struct cfs_store_opts so = store_opts(c, &folders);

	so.bases = bases->list;
	so.n_bases = bases->n;
	identify(c, c->index->src, bases);
	c->bases = cfs_bases_copy(bases);
	if (c->bases == NULL)
		return cfs_error_nomem(err);
	return cfs_store_new(&c->store, &so, err);
}

/* Opens a store for an index that states where its archives are: there, or
 * where the user says. */
static int open_store_at_home(struct cfs_crawl *c, struct cfs_error *err)
{
	const char *base = c->index->home;
	struct cfs_bases b = { .n = 0 };
	const char *why;
	int rc = CFS_OK;

	if (c->opts->data != NULL)
		base = c->opts->data;
	else if (c->opts->base != NULL)
		base = c->opts->base;
	if (!cfs_location_is_url(c->index->home))
		return cfs_error_at(err, CFS_EFORMAT, c->index->src->name,
				    CFS_CFX_OFF_HOME, "home is not a URL");
	why = base == c->index->home ?
	      cfs_reach_refusal(c->index->src->name, base) : NULL;
	if (why != NULL)
		return cfs_error_at(
			err, CFS_EACCESS, c->index->src->name, 0,
			"its archives are at '%.100s', but %s; --data=URL names "
			"them",
			base, why);
	cfs_bases_add(&b, base, "");
	if (c->cache == NULL && cfs_location_is_url(base))
		rc = cfs_crawl_use_cache(c, err);
	return rc == CFS_OK ? crawl_open_store(c, &b, err) : rc;
}

/* ---- a union ---- */

/* The place number of member i: members with equal bases share one. */
static uint8_t crawl_place_of(const struct cfs_crawl *c, size_t i,
			      const uint8_t *places, uint8_t n)
{
	for (size_t k = 0; k < i; k++)
		if (cfs_bases_are_equal(c->members[k]->bases,
					c->members[i]->bases))
			return places[k];
	return n;
}

/* Makes one store for all members. */
static int join_stores(struct cfs_crawl *c, uint8_t places[CFS_UNION_MAX],
		       uint8_t *n_places, struct cfs_error *err)
{
	const char *list[CFS_UNION_MAX * CFS_BASES_MAX];
	uint8_t of[CFS_UNION_MAX * CFS_BASES_MAX];
	struct folders folders;
	struct cfs_store_opts so = store_opts(c, &folders);
	int rc;

	so.bases = list;
	so.place_of = of;
	*n_places = 0;
	for (size_t i = 0; i < c->n_members; i++) {
		const struct cfs_bases *b = c->members[i]->bases;

		places[i] = crawl_place_of(c, i, places, *n_places);
		if (places[i] < *n_places)
			continue;
		for (size_t k = 0; k < b->n; k++) {
			list[so.n_bases] = b->text[k];
			of[so.n_bases++] = *n_places;
		}
		++*n_places;
	}
	rc = cfs_store_new(&c->store, &so, err);
	return rc == CFS_OK ? cfs_seqstore_new(&c->pairs, c->store,
					       crawl_record_bytes(c), c->budget,
					       err) : rc;
}

/* The source as it was named, for messages; NULL: a URL, which may have a
 * password. */
static const char *local_name(const struct cfs_crawl *c)
{
	return strstr(c->source, "://") == NULL ? c->source : NULL;
}

int cfs_crawl_join(struct cfs_crawl *c, struct cfs_error *err)
{
	struct cfs_union_member v[CFS_UNION_MAX];
	uint8_t places[CFS_UNION_MAX], n_places;
	int rc = join_stores(c, places, &n_places, err);

	if (rc != CFS_OK)
		return rc;
	c->sizes_id = (struct cfs_sizes_id){ c->n_members, 1 };
	for (size_t i = 0; i < c->n_members; i++) {
		struct cfs_crawl *m = c->members[i];
		uint64_t id[2] = { m->sizes_id.place, m->sizes_id.state };

		if (m->mtime > c->mtime)
			c->mtime = m->mtime;
		c->sizes_id.place = cfs_hash64(cfs_slice_of(id, 8),
					       c->sizes_id.place);
		c->sizes_id.state = id[1] == 0 || c->sizes_id.state == 0 ? 0 :
			cfs_hash64(cfs_slice_of(&id[1], 8), c->sizes_id.state);
		v[i] = (struct cfs_union_member){
			.ix = m->index,
			.name = local_name(m),
			.place = m->bases->n > 0 ? m->bases->text[0] : "",
			.place_tag =
				n_places > 1 ? CFS_PLACE_TAG + places[i] : 0,
		};
		m->index = NULL;	/* taken over */
	}
	rc = cfs_union_open(&c->index, v, c->n_members, cfs_view_version(),
			    crawl_index_bytes(c), err);
	if (rc == CFS_OK)
		cfs_index_charge_to(c->index, c->budget);
	for (size_t i = 0; i < c->n_members; i++)
		cfs_crawl_close_index(c->members[i]);
	return rc;
}

/* ---- one index ---- */

int cfs_crawl_open_index(struct cfs_crawl *c, struct cfs_source *src,
			 enum cfs_index_format format,
			 const struct cfs_bases *bases, struct cfs_error *err)
{
	struct cfs_index_opts io = {
		.block_cache_bytes = crawl_index_bytes(c),
		.opener = c->cache ? &c->opener.base : NULL,
		.cancel = c->opts->cancel,
	};
	int rc = cfs_index_open_as(format, &c->index, src, &io, err);

	if (rc != CFS_OK)
		return rc;
	c->mtime = c->index->src->mtime;
	cfs_index_charge_to(c->index, c->budget);
	rc = c->index->home != NULL ? open_store_at_home(c, err) :
				      crawl_open_store(c, bases, err);
	if (rc == CFS_OK)
		rc = cfs_seqstore_new(&c->pairs, c->store,
				      crawl_record_bytes(c), c->budget, err);
	return rc;
}

int cfs_crawl_hold_cache(struct cfs_cache **out,
			 const struct cfs_crawl_opts *opts,
			 struct cfs_error *err)
{
	char usual[PATH_MAX];
	struct cfs_cache_opts co = {
		.dir = opts->no_cache || opts->reads_anew ? NULL :
		       cfs_crawl_cache_dir(opts->cache_dir, usual),
		.disk_bytes = opts->cache_bytes,
		.mem_bytes = (size_t)(opts_mem(opts) / 4),
		.budget = opts->budget,
	};

	return get_shared(out, &co, err);
}

int cfs_crawl_use_cache(struct cfs_crawl *c, struct cfs_error *err)
{
	int rc = cfs_crawl_hold_cache(&c->cache, c->opts, err);

	if (rc != CFS_OK)
		return rc;
	c->counters = c->opts->counters != NULL ? c->opts->counters :
		      cfs_cache_counters_new(c->cache);
	if (c->counters == NULL)
		return cfs_error_nomem(err);
	cfs_cache_opener_init(&c->opener, c->cache, c->counters);
	return CFS_OK;
}

int cfs_crawl_new(struct cfs_crawl **out, const char *source,
		  const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_crawl *c = calloc(1, sizeof(*c));

	*out = c;
	if (c == NULL)
		return cfs_error_nomem(err);
	cfs_holes_init(&c->holes);
	c->opts = opts;
	c->budget = opts->budget;
	c->source = strdup(source);
	c->pages = cfs_captures_cache_new(crawl_mem_of(c));
	c->cuts = cfs_cuts_cache_new(crawl_mem_of(c));
	c->lists = cfs_list_needs_new();
	c->needed = cfs_revisit_needed_new();
	c->list_max_bytes = opts->list_max_bytes > 0 ? opts->list_max_bytes :
						       CFS_LIST_MAX_DEFAULT;
	if (c->source != NULL && c->pages != NULL && c->cuts != NULL &&
	    c->lists != NULL && c->needed != NULL) {
		cfs_lru_charge_to(c->pages, c->budget, CFS_MEM_INDEX, false);
		cfs_lru_charge_to(c->cuts, c->budget, CFS_MEM_INDEX, false);
		return CFS_OK;
	}
	cfs_crawl_close(c);
	*out = NULL;
	return cfs_error_nomem(err);
}

/* The identity of kept sizes includes the other sources, because a revisit has
 * another size if its body is mounted, too. */
void cfs_crawl_mount_together(struct cfs_crawl *c, struct cfs_crawl *const *all,
			      const char *const *sources, size_t n)
{
	c->together = all;
	c->n_together = n;
	for (size_t i = 0; i < n; i++)
		c->sizes_id.place = cfs_hash64(cfs_slice_str(sources[i]),
					       c->sizes_id.place);
}

int cfs_crawl_need_page(struct cfs_crawl *const *v, size_t n,
			struct cfs_error *err)
{
	size_t without = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i]->has_no_page)
			cfs_log(CFS_LOG_WARNING, "%s: no page is there",
				v[i]->source);
		without += v[i]->has_no_page;
	}
	return without < n ? CFS_OK :
	       cfs_error_set(err, CFS_ENOTFOUND, "no source has a page");
}

void cfs_crawl_close(struct cfs_crawl *c)
{
	if (c == NULL)
		return;
	cfs_sizes_close(c->sizes);
	cfs_crawl_close_index(c);
	for (size_t i = 0; i < c->n_members; i++)
		cfs_crawl_close(c->members[i]);
	free(c->members);
	cfs_lru_free(c->pages);
	cfs_lru_free(c->cuts);
	cfs_memo_free(c->lists);
	cfs_memo_free(c->needed);
	if (c->cache != NULL)
		put_shared();
	if (c->sizes_cache != NULL)
		put_shared();
	cfs_holes_release(&c->holes);
	free(c->source);
	free(c);
}
