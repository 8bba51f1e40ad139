/* crawl.c - finds out what a SOURCE is and opens it (see crawl.h).
 *
 * An index built on first use is kept as
 *     CACHE/index/<XXH64 of the real path>-<fingerprint>.cfx
 * where the fingerprint covers name, size and mtime of every file below the
 * source, and what the indexer makes of them: when one of them changes,
 * another name is looked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "blocks.h"
#include "tree.h"
#include "index/cfx.h"
#include "build/pathlist.h"
#include "net/collections.h"
#include "net/location.h"
#include "net/open.h"

#define WALK_FDS 32
#define BASES_MAX 4
#define RECORDS_MAX (UINT64_C(16) << 20)
/* How long a mount waits to hear whether an index that is in the cache has
 * changed. */
#define VALIDATE_MS 3000u
/* Read of a remote index at first: its header, and a block of 64 KiB. */
#define HEAD_BYTES (65536u + 8u)
/* An index of this size is fetched whole when it is opened. */
#define WHOLE_MAX (UINT64_C(1) << 20)

/* Where the archives of an index are, and the strings that say so. */
struct bases {
	char text[BASES_MAX][PATH_MAX];
	const char *list[BASES_MAX];
	size_t n;
};

static void add_base(struct bases *b, const char *dir, const char *below)
{
	size_t up = strlen(dir);
	int n;

	/* an URL does not go through symbolic links */
	while (cfs_location_is_url(dir) && strncmp(below, "..", 2) == 0) {
		while (up > 0 && dir[up - 1] != '/')
			up--;
		up -= up > 0;
		below += below[2] == '/' ? 3 : 2;
	}
	n = snprintf(b->text[b->n], PATH_MAX, "%.*s%s%s", (int)up, dir,
		     below[0] ? "/" : "", below);

	if (n <= 0 || n >= PATH_MAX)
		return;
	b->list[b->n] = b->text[b->n];
	b->n++;
}

bool cfs_crawl_cache_dir(char *out, size_t out_bytes)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat st;
	int n;

	if (xdg != NULL && xdg[0] == '/')
		n = snprintf(out, out_bytes, "%s/crawlfs", xdg);
	else if (home != NULL && home[0] == '/' && stat(home, &st) == 0)
		n = snprintf(out, out_bytes, "%s/.cache/crawlfs", home);
	else
		n = snprintf(out, out_bytes, "/var/cache/crawlfs");
	return n > 0 && (size_t)n < out_bytes;
}

static int make_dirs(const char *path)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof(part))
		return -1;
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0700) != 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

/* ---- fingerprint ------------------------------------------------------ */

static pthread_mutex_t walk_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t walk_sum;	/* guarded by walk_lock: nftw has no argument */
static size_t walk_skip;	/* guarded by walk_lock */

static int add_file(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	char line[PATH_MAX + 96];
	int n;

	(void)ftw;
	if (type != FTW_F || strlen(path) < walk_skip)
		return 0;
	n = snprintf(line, sizeof(line), "%s %lld %lld.%ld", path + walk_skip,
		     (long long)st->st_size, (long long)st->st_mtim.tv_sec,
		     st->st_mtim.tv_nsec);
	if (n > 0)	/* a sum, so that the walk's order does not matter */
		walk_sum += cfs_hash64(cfs_slice_of(line, (size_t)n), 0);
	return 0;
}

static uint64_t fingerprint(const char *path)
{
	uint64_t sum;

	pthread_mutex_lock(&walk_lock);
	walk_sum = 0;
	walk_skip = strlen(path);
	nftw(path, add_file, WALK_FDS, 0);
	sum = walk_sum;
	pthread_mutex_unlock(&walk_lock);
	return sum;
}

/* ---- opening ---------------------------------------------------------- */

static uint64_t mem_of(const struct cfs_crawl_opts *opts)
{
	return opts->mem_bytes ? opts->mem_bytes : CFS_CRAWL_MEM_DEFAULT;
}

/* A record is used by a few readers at one time, then hardly again, and the
 * kernel keeps what was read: more memory for them only means colder memory. */
static size_t record_bytes(const struct cfs_crawl_opts *opts)
{
	uint64_t n = mem_of(opts) / 4;

	return (size_t)(n < RECORDS_MAX ? n : RECORDS_MAX);
}

/* What open_index has opened, all of it or a part. */
static void close_index(struct cfs_crawl *c)
{
	cfs_seqstore_free(c->pairs);
	cfs_store_free(c->store);
	cfs_index_close(c->index);
	c->pairs = NULL;
	c->store = NULL;
	c->index = NULL;
}

/* Takes src over.  What records do not take is for index blocks. */
static int open_index(struct cfs_crawl *c, struct cfs_source *src,
		      const struct bases *bases,
		      const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_store_opts so = {
		.cache_bytes = record_bytes(opts),
		.max_record_bytes = opts->max_record_bytes,
		.bases = bases->list,
		.n_bases = bases->n,
		.opener = c->cache ? &c->opener.base : NULL,
	};
	struct cfs_index_opts io = {
		.block_cache_bytes = (size_t)(mem_of(opts) - record_bytes(opts)),
		.opener = c->cache ? &c->opener.base : NULL,
		.cancel = opts->cancel,
	};
	uint8_t head[CFS_CFX_MAGIC_BYTES];
	size_t got;
	int rc;

	rc = cfs_source_read_some(src, head, sizeof(head), 0, &got,
				  opts->cancel, err);
	if (rc != CFS_OK) {
		cfs_source_close(src);
		return rc;
	}
	c->mtime = src->mtime;		/* known by now, from the answer */
	c->is_ordered = cfs_cfx_is_magic(cfs_slice_of(head, got));
	rc = cfs_index_open_at(&c->index, src, &io, err);
	if (rc == CFS_OK)
		rc = cfs_store_new(&c->store, &so, err);
	if (rc == CFS_OK)
		rc = cfs_seqstore_new(&c->pairs, c->store, record_bytes(opts),
				      err);
	return rc;
}

struct build_arg {
	const struct cfs_crawl_opts *opts;
	const char *source;
};

static void build_progress(void *arg, const struct cfs_indexer_progress *p)
{
	const struct build_arg *b = arg;

	if (b->opts->building != NULL)
		b->opts->building(b->opts->arg, b->source, p);
}

static int build(const char *source, const char *base, const char *output,
		 const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct build_arg arg = { opts, source };
	struct cfs_indexer_opts io = {
		.inputs = &source,
		.n_inputs = 1,
		.output = output,
		.base = base,
		.format = CFS_INDEX_CFX,
		.max_record_bytes = opts->max_record_bytes,
		.cancel = opts->cancel,
		.progress = build_progress,
		.arg = &arg,
	};
	struct cfs_indexer_report report;
	int rc = cfs_indexer_run(&io, &report, err);

	if (rc == CFS_OK && opts->building != NULL)
		opts->building(opts->arg, source, NULL);	/* done */
	return rc;
}

/* Older indexes of the same source are of no more use. */
static void remove_stale(const char *dir, const char *name)
{
	char path[PATH_MAX];
	const char *dash = strchr(name, '-');
	size_t n = dash ? (size_t)(dash - name) + 1 : strlen(name);
	struct dirent **list;
	int count = scandir(dir, &list, NULL, NULL);

	for (int i = 0; i < count; i++) {
		const char *other = list[i]->d_name;

		if (strncmp(other, name, n) == 0 && strcmp(other, name) != 0 &&
		    strstr(other, ".cfx") != NULL &&
		    snprintf(path, sizeof(path), "%s/%s", dir, other) <
			    (int)sizeof(path))
			unlink(path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
}

/* Builds where nothing is kept: the file is unlinked once it is open. */
static int open_unkept(struct cfs_source **out, const char *source,
		       const char *base, const struct cfs_crawl_opts *opts,
		       struct cfs_error *err)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX], path[PATH_MAX + 16];
	int rc;

	if (snprintf(dir, sizeof(dir), "%s/crawlfs-XXXXXX",
		     tmp && tmp[0] == '/' ? tmp : "/tmp") >= (int)sizeof(dir) ||
	    mkdtemp(dir) == NULL)
		return cfs_error_set(err, CFS_EIO,
				     "cannot make a temporary folder: %s",
				     strerror(errno));
	snprintf(path, sizeof(path), "%s/index.cfx", dir);
	rc = build(source, base, path, opts, err);
	if (rc == CFS_OK)
		rc = cfs_source_open_file(out, path, err);
	unlink(path);
	rmdir(dir);
	return rc;
}

/* Builds where the index is kept.  A cache that is full or cannot be written
 * costs only the keeping. */
static int open_kept(struct cfs_source **out, const char *real,
		     const char *base, const char *dir, const char *name,
		     const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	char path[PATH_MAX + 64];
	int rc = CFS_EIO;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (make_dirs(dir) == 0 && access(dir, W_OK) == 0) {
		rc = build(real, base, path, opts, &e);
		if (rc == CFS_OK)
			rc = cfs_source_open_file(out, path, &e);
		if (rc == CFS_OK)
			remove_stale(dir, name);
		if (rc != CFS_EIO || strncmp(e.where, dir, strlen(dir)) != 0) {
			if (rc != CFS_OK)
				cfs_error_at(err, rc, e.where[0] ? e.where : real,
					     e.offset, "%s", e.text);
			return rc;
		}
		cfs_log_error(CFS_LOG_WARNING, &e);
	}
	cfs_log(CFS_LOG_WARNING, "%s: cannot write: the index is not kept", dir);
	return open_unkept(out, real, base, opts, err);
}

/* Is a kept index what it was when it was written?  Its header and tables
 * were checked when it was opened. */
static int check_kept(struct cfs_index *ix, const struct cfs_cancel *cancel,
		      struct cfs_error *err)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	int rc;

	if (it == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	cfs_iter_init(it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, cancel, err);
	cfs_iter_release(it);
	free(it);
	return rc == CFS_END ? CFS_OK : rc;
}

/* CFS_ENOTFOUND when none is kept, or none that is of use. */
static int use_kept(struct cfs_crawl *c, const char *path,
		    const struct bases *bases,
		    const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src;
	int rc;

	if (cfs_source_open_file(&src, path, NULL) != CFS_OK)
		return CFS_ENOTFOUND;
	rc = open_index(c, src, bases, opts, &e);
	if (rc == CFS_OK)
		rc = check_kept(c->index, opts->cancel, &e);
	if (rc == CFS_OK)
		return CFS_OK;
	close_index(c);
	if (rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED) {
		cfs_log(CFS_LOG_WARNING, "%s: the index kept of '%s' is not usable "
			"(%s): it is made again", path, c->source, e.text);
		return CFS_ENOTFOUND;
	}
	return cfs_error_at(err, rc, e.where, e.offset, "%s", e.text);
}

/* The index of an archive, a folder or a list of archives, built if need be.
 * `state` is another number when they have changed. */
static int open_built(struct cfs_crawl *c, const char *real, uint64_t state,
		      const char *base, const struct bases *bases,
		      const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	char cache[PATH_MAX], dir[PATH_MAX + 8], path[PATH_MAX + 64], name[48];
	struct cfs_source *src = NULL;
	bool has_cache = true;
	int rc = CFS_ENOTFOUND;

	snprintf(name, sizeof(name), "%016" PRIx64 "-%016" PRIx64 ".cfx",
		 cfs_hash64(cfs_slice_str(real), 0),
		 state + CFS_INDEXER_VERSION);
	if (opts->cache_dir != NULL)
		snprintf(cache, sizeof(cache), "%s", opts->cache_dir);
	else
		has_cache = cfs_crawl_cache_dir(cache, sizeof(cache));
	if (has_cache) {
		snprintf(dir, sizeof(dir), "%s/index", cache);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		rc = use_kept(c, path, bases, opts, err);
	}
	if (rc != CFS_ENOTFOUND)
		return rc;
	rc = has_cache ? open_kept(&src, real, base, dir, name, opts, err) :
			 open_unkept(&src, real, base, opts, err);
	return rc == CFS_OK ? open_index(c, src, bases, opts, err) : rc;
}

/* An index file: archives lie beside it, or where -o data says. */
static void index_bases(struct bases *b, const char *real,
			enum cfs_index_look look,
			const struct cfs_crawl_opts *opts)
{
	bool is_pbtree = look == CFS_INDEX_LOOK_PBTREE;
	char folder[PATH_MAX];

	b->n = 0;
	snprintf(folder, sizeof(folder), "%s", real);
	dirname(folder);
	if (opts->data != NULL) {
		add_base(b, opts->data, "");
		if (is_pbtree)
			add_base(b, opts->data, "parse-output");
		return;
	}
	add_base(b, folder, "");
	if (is_pbtree) {	/* as published: projects/url-index/FILE */
		add_base(b, folder, "parse-output");
		add_base(b, folder, "../../parse-output");
	} else if (look != CFS_INDEX_LOOK_CFX) {
		/* as replay software keeps them, beside its indexes */
		add_base(b, folder, "../archive");
		add_base(b, folder, "../warcs");
		/* cc-index/collections/NAME/indexes/cluster.idx */
		add_base(b, folder, "../../../..");
	}
}

static int open_archives(struct cfs_crawl *c, const char *real, bool is_dir,
			 const struct cfs_crawl_opts *opts,
			 struct cfs_error *err)
{
	struct bases b = { .n = 0 };
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", real);
	if (!is_dir)
		dirname(folder);
	add_base(&b, folder, "");
	return open_built(c, real, fingerprint(real), folder, &b, opts, err);
}

/* What a file is, as an index.  Of one on a server so much is read that
 * opening it needs no second request where that can be (a small index, a
 * PB-tree with its root).  Closes src on failure. */
static int look_at(struct cfs_source *src, enum cfs_index_look *look,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	size_t got = 0, n = src->is_local ? CFS_INDEX_LOOK_BYTES : HEAD_BYTES;
	uint8_t *head = malloc(n);
	int rc = head != NULL ? CFS_OK : cfs_error_set(err, CFS_ENOMEM,
						       "out of memory");

	if (rc == CFS_OK)	/* the answer tells the size, too */
		rc = cfs_source_read_some(src, head, n, 0, &got, cancel, err);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, cancel, err);
	if (rc == CFS_OK)
		*look = cfs_index_look(cfs_slice_sub(cfs_slice_of(head, got), 0,
				       CFS_INDEX_LOOK_BYTES), src->size);
	else
		cfs_source_close(src);
	free(head);
	return rc;
}

/* A CDX that cannot be searched as it is gets an index of its own, kept like
 * that of an archive. */
static bool must_convert(enum cfs_index_look look, uint64_t bytes)
{
	return look == CFS_INDEX_LOOK_CDX_OTHER ||
	       (look == CFS_INDEX_LOOK_CDX_GZ && bytes > CFS_INDEX_GZ_MAX);
}

/* Opens an index that is in src, which it takes over: as it is, or by one that
 * is made of it, whose names of archives are below `dir`. */
static int open_or_convert(struct cfs_crawl *c, struct cfs_source *src,
			   enum cfs_index_look look, const char *location,
			   uint64_t state, const char *dir,
			   const struct bases *bases,
			   const struct cfs_crawl_opts *opts,
			   struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (must_convert(look, src->size)) {
		cfs_source_close(src);
	} else {
		rc = open_index(c, src, bases, opts, &e);
		/* a small compressed file is seen to be out of order late */
		if (look != CFS_INDEX_LOOK_CDX_GZ || rc != CFS_EUNSUPPORTED)
			return rc == CFS_OK ? rc :
			       cfs_error_at(err, rc, e.where, e.offset, "%s",
					    e.text);
		close_index(c);
	}
	return open_built(c, location, state, dir, bases, opts, err);
}

static int open_file(struct cfs_crawl *c, const char *real,
		     const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	enum cfs_archive_look look = CFS_LOOK_NONE;
	enum cfs_index_look index_look;
	char folder[PATH_MAX];
	struct cfs_source *src;
	struct bases b;
	int rc;

	rc = cfs_source_open_file(&src, real, err);
	if (rc == CFS_OK)
		rc = look_at(src, &index_look, opts->cancel, err);
	if (rc != CFS_OK)
		return rc;
	if (index_look != CFS_INDEX_LOOK_NONE) {
		index_bases(&b, real, index_look, opts);
		snprintf(folder, sizeof(folder), "%s", real);
		return open_or_convert(c, src, index_look, real,
				       fingerprint(real), dirname(folder), &b,
				       opts, err);
	}
	rc = cfs_scan_look(src, &look, err);
	cfs_source_close(src);
	if (rc != CFS_OK)
		return rc;
	if (look == CFS_LOOK_NONE)
		return cfs_error_at(err, CFS_EFORMAT, real, 0,
			"is no ARC, WARC or text file of a crawl and no "
			"index crawlfs knows");
	return open_archives(c, real, false, opts, err);
}

/* Appends which crawls may have been meant, by the list that crawlfs
 * collections keeps. */
static void suggest(const char *name, const struct cfs_crawl_opts *opts,
		    struct cfs_buf *out)
{
	char cache[PATH_MAX], path[PATH_MAX + sizeof(CFS_COLLINFO_NAME) + 1];
	const char *dir = opts->cache_dir;
	struct cfs_collection *v;
	size_t n;

	if (dir == NULL && cfs_crawl_cache_dir(cache, sizeof(cache)))
		dir = cache;
	if (dir != NULL)
		snprintf(path, sizeof(path), "%s/" CFS_COLLINFO_NAME, dir);
	if (cfs_collections_kept(dir != NULL ? path : NULL, &v, &n, NULL) !=
	    CFS_OK)
		return;
	cfs_collections_suggest(v, n, name, out);
	free(v);
}

/* Says of a failure to read the index of a crawl given by name what to do. */
static int explain_named(const char *name, const char *index, int rc,
			 const struct cfs_crawl_opts *opts,
			 const struct cfs_error *e, struct cfs_error *err)
{
	const char *base = opts->base ? opts->base : CFS_COMMON_CRAWL_URL;
	bool is_index = strncmp(e->where, index, sizeof(e->where) - 1) == 0;
	struct cfs_buf more;

	cfs_buf_init(&more, sizeof(err->text));
	if (opts->base == NULL && (rc == CFS_EIO || rc == CFS_ETIMEOUT))
		cfs_buf_adds(&more, "; a crawl by its name is read over the "
			     "network, or with --base=FOLDER from a copy");
	suggest(name, opts, &more);
	if (!is_index)
		*err = *e;
	else if (rc == CFS_ENOTFOUND)
		cfs_error_at(err, rc, name, 0, "not there, below %.100s%s",
			     base, cfs_buf_str(&more));
	else
		cfs_error_at(err, rc, e->where, e->offset, "%.100s%s", e->text,
			     cfs_buf_str(&more));
	cfs_buf_release(&more);
	return rc;
}

/* Common Crawl's crawls by name: an index, and a folder of archives. */
static int open_named(struct cfs_crawl **out, const char *name,
		      const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_crawl_opts at = *opts;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_buf index, data;
	int rc = CFS_ELIMIT;

	cfs_buf_init(&index, PATH_MAX);
	cfs_buf_init(&data, PATH_MAX);
	cfs_collection_place(name, opts->base, &index, &data);
	if (at.data == NULL)
		at.data = cfs_buf_str(&data);
	if (index.failed == CFS_OK && data.failed == CFS_OK) {
		rc = cfs_crawl_open(out, cfs_buf_str(&index), &at, &e);
		if (rc != CFS_OK)
			explain_named(name, cfs_buf_str(&index), rc, opts, &e,
				      err);
	} else {
		cfs_error_set(err, rc, "'%.60s' is too long", opts->base);
	}
	cfs_buf_release(&index);
	cfs_buf_release(&data);
	return rc;
}

/* ---- what is not on this machine ---------------------------------------- */

static int open_cache(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
		      struct cfs_error *err)
{
	struct cfs_cache_opts co = { .dir = opts->cache_dir,
				     .disk_bytes = opts->cache_bytes,
				     .mem_bytes = (size_t)(mem_of(opts) / 4) };
	char dir[PATH_MAX];
	int rc;

	if (co.dir == NULL && cfs_crawl_cache_dir(dir, sizeof(dir)))
		co.dir = dir;
	if (opts->no_cache)
		co.dir = NULL;
	rc = cfs_blocks_get(&c->cache, &co, err);
	if (rc != CFS_OK)
		return rc;
	c->counters = cfs_cache_counters_new(c->cache);
	if (c->counters == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	cfs_cache_opener_init(&c->opener, c->cache, c->counters);
	return CFS_OK;
}

static uint64_t state_of(struct cfs_source *src)
{
	char v[CFS_VALIDATOR_BYTES];

	return cfs_source_validator(src, v) ?
	       cfs_hash64(cfs_slice_str(v), 0) : (uint64_t)src->size;
}

/* An archive on a server: it is read once, to make an index.  Closes src. */
static int open_archive_url(struct cfs_crawl *c, struct cfs_source *src,
			    const char *url, const struct cfs_slice *folder,
			    const struct cfs_crawl_opts *opts,
			    struct cfs_error *err)
{
	enum cfs_archive_look look = CFS_LOOK_NONE;
	struct bases b = { .n = 0 };
	char dir[PATH_MAX];
	uint64_t state = 0;
	int rc = cfs_scan_look(src, &look, err);

	if (rc == CFS_OK)
		state = state_of(src);
	cfs_source_close(src);
	if (rc != CFS_OK)
		return rc;
	if (look == CFS_LOOK_NONE)
		return cfs_error_at(err, CFS_EFORMAT, url, 0,
			"is no ARC, WARC or text file of a crawl and no "
			"index crawlfs knows");
	snprintf(dir, sizeof(dir), "%.*s", (int)folder->n,
		 (const char *)folder->p);
	add_base(&b, dir, "");
	return open_built(c, url, state, dir, &b, opts, err);
}

/* A list of archives (warc.paths.gz), wherever it is.  Their folder is what
 * -o base or -o data says, else Common Crawl's. */
static int open_list(struct cfs_crawl *c, const char *list,
		     const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	const char *base = opts->base != NULL ? opts->base : opts->data;
	struct bases b = { .n = 0 };
	struct cfs_source *src;
	uint64_t state = 0;
	int rc = CFS_OK;

	if (base == NULL)
		base = CFS_COMMON_CRAWL_URL;
	if (cfs_location_is_url(list)) {
		rc = cfs_location_open(&src, list, err);
		if (rc != CFS_OK)
			return rc;
		rc = cfs_source_find_size(src, opts->cancel, err);
		state = rc == CFS_OK ? state_of(src) : 0;
		cfs_source_close(src);
	} else {
		state = fingerprint(list);
	}
	state ^= cfs_hash64(cfs_slice_str(base), 0);
	add_base(&b, base, "");
	return rc == CFS_OK ? open_built(c, list, state, base, &b, opts, err) :
			      rc;
}

static int open_url(struct cfs_crawl *c, const char *url,
		    const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_slice folder = cfs_location_folder(url);
	enum cfs_index_look look = CFS_INDEX_LOOK_NONE;
	struct cfs_crawl_opts at = *opts;
	struct cfs_buf data;
	struct cfs_source *src;
	char dir[PATH_MAX];
	struct bases b;
	int rc;

	if (folder.n >= sizeof(dir))
		return cfs_error_set(err, CFS_ELIMIT, "'%.80s...' is too long",
				     url);
	rc = cfs_location_open(&src, url, err);
	if (rc == CFS_OK)
		rc = cfs_cache_wrap(&src, c->cache, c->counters, VALIDATE_MS,
				    opts->cancel, err);
	if (rc == CFS_OK)
		rc = look_at(src, &look, opts->cancel, err);
	if (rc != CFS_OK)
		return rc;
	if (look == CFS_INDEX_LOOK_NONE)
		return open_archive_url(c, src, url, &folder, opts, err);
	if (src->size <= WHOLE_MAX)
		cfs_source_prefetch(src, 0, (size_t)src->size);
	/* index_bases takes the folder of it */
	snprintf(dir, sizeof(dir), "%.*sx", (int)folder.n,
		 (const char *)folder.p);
	cfs_buf_init(&data, PATH_MAX);
	if (at.data == NULL && cfs_collection_data(url, &data))
		at.data = cfs_buf_str(&data);
	index_bases(&b, dir, look, &at);
	cfs_buf_release(&data);
	dir[folder.n] = '\0';
	return open_or_convert(c, src, look, url, state_of(src), dir, &b, opts,
			       err);
}

/* Says of a failure whether a folder was asked for. */
static int open_url_told(struct cfs_crawl *c, const char *url,
			 const struct cfs_crawl_opts *opts,
			 struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = open_url(c, url, opts, &e);
	bool is_folder = e.where[0] != '\0' && url[strlen(url) - 1] == '/' &&
			 (rc == CFS_EACCESS || rc == CFS_ENOTFOUND ||
			  rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED);

	if (e.code != CFS_OK)
		cfs_error_at(err, rc, e.where, e.offset, "%.210s%s", e.text,
			     is_folder ? "; a folder: name a file in it" : "");
	return rc;
}

/* errno says why; perhaps the name of a crawl is misspelt. */
static int no_source(const char *source, const struct cfs_crawl_opts *opts,
		     struct cfs_error *err)
{
	const char *why = strerror(errno);
	struct cfs_buf more;

	cfs_buf_init(&more, sizeof(err->text));
	suggest(source, opts, &more);
	cfs_error_at(err, CFS_ENOTFOUND, source, 0, "cannot open: %s%s", why,
		     cfs_buf_str(&more));
	cfs_buf_release(&more);
	return CFS_ENOTFOUND;
}

int cfs_crawl_open(struct cfs_crawl **out, const char *source,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	bool is_url = cfs_location_is_url(source);
	bool is_list = cfs_pathlist_is_name(source);
	char real[PATH_MAX] = "";
	struct cfs_crawl *c;
	struct stat st = { 0 };
	int rc = CFS_OK;

	*out = NULL;
	if (cfs_collection_is_name(source) && access(source, F_OK) != 0)
		return open_named(out, source, opts, err);
	if (!is_url &&
	    (realpath(source, real) == NULL || stat(real, &st) != 0))
		return no_source(source, opts, err);
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	c->source = strdup(source);
	c->pages = cfs_pages_new();
	if (c->source == NULL || c->pages == NULL)
		rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
	else if (is_url || is_list ||
		 (opts->data != NULL && cfs_location_is_url(opts->data)))
		rc = open_cache(c, opts, err);
	if (rc != CFS_OK)
		;
	else if (is_list)
		rc = open_list(c, is_url ? source : real, opts, err);
	else if (is_url)
		rc = open_url_told(c, source, opts, err);
	else if (S_ISDIR(st.st_mode))
		rc = open_archives(c, real, true, opts, err);
	else
		rc = open_file(c, real, opts, err);
	if (rc != CFS_OK) {
		cfs_crawl_close(c);
		return rc;
	}
	*out = c;
	return CFS_OK;
}

void cfs_crawl_close(struct cfs_crawl *c)
{
	if (c == NULL)
		return;
	close_index(c);
	cfs_pages_free(c->pages);
	cfs_blocks_put(c->cache);
	free(c->source);
	free(c);
}
