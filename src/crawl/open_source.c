/* open_source.c - recognises what kind of source a SOURCE is, and opens it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto_index.h"
#include "base/hash.h"
#include "base/log.h"
#include "index/index.h"
#include "input/manifest.h"
#include "input/pathlist.h"
#include "input/web_folder.h"
#include "net/collections.h"
#include "net/location.h"
#include "net/open_location.h"
#include "record/sniff.h"
#include "record/wacz.h"
#include "table/selection_read.h"

/* How long a mount waits to learn whether a cached index has changed. */
#define VALIDATE_MS 3000u
/* Bytes first read of a remote index: its header, and a block of 64 KiB. */
#define HEAD_BYTES (65536u + 8u)
/* An index of at most this size is fetched whole when it is opened. */
#define WHOLE_MAX (UINT64_C(1) << 20)

/* Opens a source that is indexed on first use and has its archives below
 * dir. */
static int open_below(struct cfs_crawl *c, const char *location, uint64_t state,
		      const char *dir, struct cfs_error *err)
{
	struct cfs_bases b = { .n = 0 };

	cfs_bases_add(&b, dir, "");
	return cfs_crawl_open_kept(c, location, state, dir, &b, err);
}

/* Recognises the format of an index.  Of one on a server enough is read that
 * opening it usually needs no second request (a small index, a PB-tree with its
 * root).  Closes src on failure. */
static int look_at(struct cfs_source *src, enum cfs_index_format *look,
		   struct cfs_ctx ctx)
{
	size_t got = 0, n = src->is_local ? CFS_INDEX_HEAD_BYTES : HEAD_BYTES;
	uint8_t *head = malloc(n);
	int rc = head != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	if (rc == CFS_OK)	/* the answer also states the size */
		rc = cfs_source_read_some(src, head, n, 0, &got, ctx);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, ctx);
	if (rc == CFS_OK)
		*look = cfs_index_detect(
			cfs_slice_sub(cfs_slice_of(head, got), 0,
				      CFS_INDEX_HEAD_BYTES), src->size);
	else
		cfs_source_close(src);
	free(head);
	return rc;
}

/* True for a CDX file that cannot be searched as it is: it gets a kept index,
 * like an archive. */
static bool must_convert(enum cfs_index_format look, uint64_t bytes)
{
	return look == CFS_INDEX_CDX_OTHER ||
	       (look == CFS_INDEX_CDX_GZ && bytes > CFS_INDEX_GZ_MAX);
}

/* Opens the index in src, which it takes over: as it is, or through one that is
 * made of it, whose archives are below `dir`. */
static int open_or_convert(struct cfs_crawl *c, struct cfs_source *src,
			   enum cfs_index_format look, const char *location,
			   uint64_t state, const char *dir,
			   const struct cfs_bases *bases, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (must_convert(look, src->size)) {
		cfs_source_close(src);
	} else {
		rc = cfs_crawl_open_index(c, src, bases, &e);
		/* that a small compressed file is unsorted is noticed only
		 * now */
		if (look != CFS_INDEX_CDX_GZ || rc != CFS_EUNSUPPORTED) {
			cfs_error_copy(err, &e);
			return rc;
		}
		cfs_crawl_close_index(c);
	}
	return cfs_crawl_open_kept(c, location, state, dir, bases, err);
}

/* Facts about the files of a list, known without reading them. */
struct listed {
	char base[PATH_MAX];	/* a folder or URL that contains them all */
	bool has_url;
	uint64_t state;
};

static int note_listed(void *arg, const char *file)
{
	struct listed *l = arg;
	struct cfs_location loc;
	size_t n;

	l->state = cfs_hash64(cfs_slice_str(file), l->state);
	if (!cfs_location_is_url(file)) {
		l->state += cfs_crawl_fingerprint(file);
		return CFS_OK;
	}
	if (l->has_url || cfs_location_parse(&loc, file, NULL) != CFS_OK)
		return CFS_OK;
	n = (size_t)((const char *)loc.path.p - file);
	if (n >= sizeof(l->base))
		return CFS_OK;
	l->has_url = true;
	snprintf(l->base, sizeof(l->base), "%.*s", (int)n, file);
	return CFS_OK;
}

/* Opens an archive, a ZIP file of archives or a list of them.  Closes src. */
static int open_archive(struct cfs_crawl *c, struct cfs_source *src,
			const char *location, uint64_t state, const char *dir,
			struct cfs_error *err)
{
	const struct cfs_cancel *cancel = c->opts->cancel;
	enum cfs_file_kind look = CFS_FILE_NONE;
	struct listed l = { .state = state };
	struct cfs_wacz w = { .n = 0 };
	char what[CFS_UNSUPPORTED_BYTES];
	int rc = cfs_sniff(src, CFS_SNIFF_SEARCH, &look, err);

	snprintf(l.base, sizeof(l.base), "%s", dir);
	if (rc == CFS_OK && look == CFS_FILE_NONE) {
		cfs_selection_describe(src, what, cancel);
		rc = cfs_error_at(err, CFS_EFORMAT, location, 0, "%s", what);
	}
	if (rc == CFS_OK && look == CFS_FILE_ZIP)
		rc = cfs_wacz_read(&w, src, CFS_CTX(cancel, err));
	if (rc == CFS_OK && look == CFS_FILE_PACKAGE)
		rc = cfs_manifest_read(src, location, note_listed, &l,
				       CFS_CTX(cancel, err));
	cfs_wacz_release(&w);
	cfs_source_close(src);
	if (rc == CFS_OK && l.has_url && c->cache == NULL)
		rc = cfs_crawl_use_cache(c, err);
	return rc == CFS_OK ? open_below(c, location, l.state, l.base, err) :
			      rc;
}

/* True for a selection: an index is made of it, which states where the archives
 * are. */
static bool is_selection(struct cfs_source *src, enum cfs_index_format look,
			 const struct cfs_cancel *cancel)
{
	enum cfs_table_kind kind = CFS_TABLE_NONE;

	return look != CFS_INDEX_CFX && look != CFS_INDEX_PBTREE &&
	       look != CFS_INDEX_ZIPNUM &&
	       cfs_selection_look_at(src, &kind,
				     CFS_CTX(cancel, NULL)) == CFS_OK &&
	       kind != CFS_TABLE_NONE;
}

/* Makes the state of a selection, or of a folder of them, depend on -o data and
 * base: records may be read from there for their URLs. */
static uint64_t with_data(const struct cfs_crawl *c, uint64_t state)
{
	const char *data =
		c->opts->data != NULL ? c->opts->data : c->opts->base;

	return data != NULL ? state ^ cfs_hash64(cfs_slice_str(data), 0) :
			      state;
}

static int open_file(struct cfs_crawl *c, const char *real,
		     struct cfs_error *err)
{
	enum cfs_index_format look;
	char folder[PATH_MAX];
	struct cfs_source *src;
	struct cfs_bases b;
	int rc;

	rc = cfs_source_open_file(&src, real, err);
	if (rc == CFS_OK)
		rc = look_at(src, &look, CFS_CTX(c->opts->cancel, err));
	if (rc != CFS_OK)
		return rc;
	snprintf(folder, sizeof(folder), "%s", real);
	dirname(folder);
	if (is_selection(src, look, c->opts->cancel)) {
		cfs_source_close(src);
		return open_below(c, real,
				  with_data(c, cfs_crawl_fingerprint(real)),
				  folder, err);
	}
	if (look != CFS_INDEX_UNKNOWN) {
		cfs_bases_of_index(&b, real, look, c->opts->data);
		return open_or_convert(c, src, look, real,
				       cfs_crawl_fingerprint(real), folder, &b,
				       err);
	}
	return open_archive(c, src, real, cfs_crawl_fingerprint(real), folder,
			    err);
}

/* ---- remote sources --------------------------------------------------- */

static uint64_t state_of(struct cfs_source *src)
{
	char v[CFS_VALIDATOR_BYTES];

	return cfs_source_validator(src, v) ?
	       cfs_hash64(cfs_slice_str(v), 0) : (uint64_t)src->size;
}

/* Opens a list of archives (warc.paths.gz), local or remote.  Their folder is
 * that of -o base or -o data, else Common Crawl's. */
static int open_list(struct cfs_crawl *c, const char *list,
		     struct cfs_error *err)
{
	const char *base =
		c->opts->base != NULL ? c->opts->base : c->opts->data;
	struct cfs_source *src;
	uint64_t state = 0;
	int rc = CFS_OK;

	if (base == NULL)
		base = CFS_COMMON_CRAWL_URL;
	if (cfs_location_is_url(list)) {
		rc = cfs_location_open(&src, list, err);
		if (rc != CFS_OK)
			return rc;
		rc = cfs_source_find_size(src, CFS_CTX(c->opts->cancel, err));
		state = rc == CFS_OK ? state_of(src) : 0;
		cfs_source_close(src);
	} else {
		state = cfs_crawl_fingerprint(list);
	}
	state ^= cfs_hash64(cfs_slice_str(base), 0);
	return rc == CFS_OK ? open_below(c, list, state, base, err) : rc;
}

static int open_url(struct cfs_crawl *c, const char *url, struct cfs_error *err)
{
	struct cfs_slice folder = cfs_location_folder(url);
	enum cfs_index_format look = CFS_INDEX_UNKNOWN;
	const char *archives = c->opts->data;
	struct cfs_buf data;
	struct cfs_source *src;
	char dir[PATH_MAX];
	struct cfs_bases b;
	uint64_t state;
	int rc;

	if (folder.n >= sizeof(dir))
		return cfs_error_at(err, CFS_ELIMIT, url, 0, "is too long");
	rc = cfs_location_open(&src, url, err);
	if (rc == CFS_OK)
		rc = cfs_cache_wrap(&src, c->cache, c->counters, VALIDATE_MS,
				    CFS_CTX(c->opts->cancel, err));
	if (rc == CFS_OK)
		rc = look_at(src, &look, CFS_CTX(c->opts->cancel, err));
	if (rc != CFS_OK)
		return rc;
	/* bases are relative to its folder */
	snprintf(dir, sizeof(dir), "%.*sx", (int)folder.n,
		 (const char *)folder.p);
	if (is_selection(src, look, c->opts->cancel)) {
		dir[folder.n] = '\0';
		state = with_data(c, state_of(src));
		cfs_source_close(src);
		return open_below(c, url, state, dir, err);
	}
	if (look == CFS_INDEX_UNKNOWN) {	/* read once, to be indexed */
		dir[folder.n] = '\0';
		return open_archive(c, src, url, state_of(src), dir, err);
	}
	if (src->size <= WHOLE_MAX)
		cfs_source_prefetch(src, 0, (size_t)src->size);
	cfs_buf_init(&data, PATH_MAX);
	if (archives == NULL && cfs_collection_data(url, &data))
		archives = cfs_buf_str(&data);
	cfs_bases_of_index(&b, dir, look, archives);
	cfs_buf_release(&data);
	dir[folder.n] = '\0';
	return open_or_convert(c, src, look, url, state_of(src), dir, &b, err);
}

/* Opens all archives of the web folder c->web, through an index that is updated
 * when they change. */
static int open_listed(struct cfs_crawl *c, struct cfs_error *err)
{
	const char *url = c->web->url;

	if (c->web->n == c->web->n_indexes)
		return cfs_error_at(err, CFS_EUNSUPPORTED, url, 0,
				    "a folder of "
				    "indexes and no archive: name them, as "
				    "URL,URL,...");
	return open_below(c, url, cfs_web_folder_state(c->web), url, err);
}

/* If the server does not answer, shows the archives that were read before. */
static int open_unlisted(struct cfs_crawl *c, const char *url, int rc,
			 const struct cfs_error *why, struct cfs_error *err)
{
	struct cfs_bases b = { .n = 0 };

	cfs_bases_add(&b, url, "");
	if ((rc != CFS_EIO && rc != CFS_ETIMEOUT) ||
	    cfs_crawl_open_last_kept(c, url, &b) != CFS_OK) {
		cfs_error_copy(err, why);
		return rc;
	}
	cfs_log(CFS_LOG_WARNING, "%s: cannot be listed (%s): shown as it was "
		"when it was indexed", url, why->text);
	return CFS_OK;
}

static int open_web_folder(struct cfs_crawl *c, const char *url,
			   struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_web_folder_read(&c->web, url,
				     CFS_CTX(c->opts->cancel, &e));

	rc = rc == CFS_OK ? open_listed(c, err) :
			    open_unlisted(c, url, rc, &e, err);
	cfs_web_folder_free(c->web);
	c->web = NULL;
	return rc;
}

/* Opens a URL; a folder's may lack its '/', and then a page is found there or,
 * in a bucket, nothing. */
static int open_url_or_folder(struct cfs_crawl *c, const char *url,
			      struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = open_url(c, url, &e);
	char *folder = NULL;

	if ((rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED ||
	     rc == CFS_ENOTFOUND) && c->index == NULL &&
	    asprintf(&folder, "%s/", url) > 0 &&
	    cfs_web_folder_is_url(folder) &&
	    cfs_web_folder_read(&c->web, folder,
				CFS_CTX(c->opts->cancel, NULL)) ==
		    CFS_OK) {
		cfs_error_clear(&e);
		rc = open_listed(c, &e);
	}
	free(folder);
	cfs_web_folder_free(c->web);
	c->web = NULL;
	if (rc != CFS_OK)
		cfs_error_copy(err, &e);
	return rc;
}

/* ---- crawls by name --------------------------------------------------- */

/* Appends suggestions for a crawl's name, from the list that crawlfs
 * collections keeps. */
static void suggest(const char *name, const struct cfs_crawl_opts *opts,
		    struct cfs_buf *out)
{
	char cache[PATH_MAX], path[PATH_MAX + sizeof(CFS_COLLINFO_NAME) + 1];
	const char *dir = cfs_crawl_cache_dir(opts->cache_dir, cache);
	struct cfs_collection *v;
	size_t n;

	if (dir != NULL)
		snprintf(path, sizeof(path), "%s/" CFS_COLLINFO_NAME, dir);
	if (cfs_collections_kept(dir != NULL ? path : NULL, &v, &n, NULL) !=
	    CFS_OK)
		return;
	cfs_collections_suggest(v, n, name, out);
	free(v);
}

/* Reports failure e to open `index`, the index of a crawl given by name, and
 * what to do about it. */
static void explain_named(const char *name, const char *index, int rc,
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
		cfs_error_copy(err, e);
	else if (rc == CFS_ENOTFOUND)
		cfs_error_at(err, rc, name, 0, "not there, below %.100s%s",
			     base, cfs_buf_str(&more));
	else
		cfs_error_at(err, rc, e->where, e->offset, "%.100s%s", e->text,
			     cfs_buf_str(&more));
	cfs_buf_release(&more);
}

/* ---- any source ------------------------------------------------------- */

/* Reports a missing source: errno says why; suggests names of crawls. */
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

/* Opens a Common Crawl crawl by name: its index, and the folder of its
 * archives. */
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
		rc = cfs_crawl_open_one(out, cfs_buf_str(&index), &at, &e);
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

int cfs_crawl_open_one(struct cfs_crawl **out, const char *source,
		       const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	bool is_url = cfs_location_is_url(source);
	bool is_list = cfs_pathlist_is_name(source);
	char real[PATH_MAX] = "";
	struct cfs_crawl *c;
	struct stat st = { 0 };
	int rc;

	*out = NULL;
	if (cfs_collection_is_name(source) && access(source, F_OK) != 0)
		return open_named(out, source, opts, err);
	if (!is_url &&
	    (realpath(source, real) == NULL || stat(real, &st) != 0))
		return no_source(source, opts, err);
	rc = cfs_crawl_new(&c, source, opts, err);
	if (rc == CFS_OK &&
	    (is_url || is_list ||
	     (opts->data != NULL && cfs_location_is_url(opts->data))))
		rc = cfs_crawl_use_cache(c, err);
	if (rc != CFS_OK)
		goto out;
	if (is_list)
		rc = open_list(c, is_url ? source : real, err);
	else if (is_url && cfs_web_folder_is_url(source))
		rc = open_web_folder(c, source, err);
	else if (is_url)
		rc = open_url_or_folder(c, source, err);
	else if (S_ISDIR(st.st_mode))
		rc = open_below(c, real,
				with_data(c, cfs_crawl_fingerprint(real)),
				real, err);
	else
		rc = open_file(c, real, err);
	if (rc != CFS_OK)
		goto out;
	c->opts = NULL;
	*out = c;
	c = NULL;			/* now the caller's */
out:
	cfs_crawl_close(c);
	return rc;
}

/* Sets *yes if src is not an index.  Closes src. */
static int is_no_index(struct cfs_source *src,
		       const struct cfs_crawl_opts *opts, bool *yes,
		       struct cfs_error *err)
{
	enum cfs_index_format look = CFS_INDEX_UNKNOWN;
	int rc = look_at(src, &look, CFS_CTX(opts->cancel, err));

	if (rc != CFS_OK)
		return rc;
	*yes = look == CFS_INDEX_UNKNOWN && !is_selection(src, look,
							  opts->cancel);
	cfs_source_close(src);
	return CFS_OK;
}

int cfs_crawl_is_archives(const char *source, const struct cfs_crawl_opts *opts,
			  bool *yes, struct cfs_error *err)
{
	struct cfs_source *src;
	struct stat st;
	int rc;

	*yes = cfs_pathlist_is_name(source);
	if (*yes || (cfs_collection_is_name(source) &&
		     access(source, F_OK) != 0))
		return CFS_OK;
	if (cfs_location_is_url(source)) {
		rc = cfs_location_open(&src, source, err);
	} else if (stat(source, &st) != 0) {
		return no_source(source, opts, err);
	} else if (S_ISDIR(st.st_mode)) {
		*yes = true;
		return CFS_OK;
	} else {
		rc = cfs_source_open_file(&src, source, err);
	}
	return rc == CFS_OK ? is_no_index(src, opts, yes, err) : rc;
}
