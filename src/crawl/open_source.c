/* open_source.c - opens a SOURCE in the way that its kind demands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auto_index.h"
#include "base/hash.h"
#include "base/log.h"
#include "cache/cache.h"
#include "input/input.h"
#include "input/manifest.h"
#include "input/web_folder.h"
#include "net/collections.h"
#include "net/location.h"
#include "net/open_location.h"
#include "record/sniff.h"
#include "record/wacz.h"

/* How long a mount waits to learn whether a cached index has changed. */
#define VALIDATE_MS 3000u
/* Bytes first read of a remote index: its header, and a block of 64 KiB, so
 * that opening it usually needs no second request (a small index, a PB-tree
 * with its root). */
#define HEAD_BYTES (65536u + 8u)
/* An index of at most this size is fetched whole when it is opened. */
#define WHOLE_MAX (UINT64_C(1) << 20)

/* ---- indexed on first use --------------------------------------------- */

/* Opens a source that is indexed on first use and has its archives below
 * dir. */
static int open_below(struct cfs_crawl *c, const char *location, uint64_t state,
		      const char *dir, struct cfs_error *err)
{
	struct cfs_bases b = { .n = 0 };

	cfs_bases_add(&b, dir, "");
	return cfs_crawl_open_kept(c, location, state, dir, &b, err);
}

/* The same for a file that has its archives, or itself, in its folder. */
static int open_source_open_beside(struct cfs_crawl *c, struct cfs_input *in,
				   uint64_t state, struct cfs_error *err)
{
	char *folder = cfs_input_folder(in);
	int rc;

	cfs_input_close(in);
	rc = folder == NULL ? cfs_error_nomem(err) :
	     open_below(c, in->location, state, folder, err);
	free(folder);
	return rc;
}

static int open_source_open_archive(struct cfs_crawl *c, struct cfs_input *in,
				    struct cfs_error *err)
{
	return open_source_open_beside(c, in, cfs_input_state(in), err);
}

/* One whose ZIP file is damaged is scanned for archives, if it may have any. */
static int open_wacz(struct cfs_crawl *c, struct cfs_input *in,
		     struct cfs_error *err)
{
	struct cfs_wacz w = { .n = 0 };
	enum cfs_file_kind kind = CFS_FILE_ZIP;
	int rc = cfs_wacz_read(&w, in->src, CFS_CTX(c->opts->cancel, err));

	cfs_wacz_release(&w);
	if (rc == CFS_EFORMAT && cfs_input_is_wacz_name(in->location))
		(void)cfs_sniff(in->src, CFS_SNIFF_SEARCH_ZIP, &kind, NULL);
	if (rc != CFS_OK && kind == CFS_FILE_ZIP)
		return rc;
	cfs_error_clear(err);
	return open_source_open_archive(c, in, err);
}

/* Facts about the files of a list, known without reading them. */
struct listed {
	char base[PATH_MAX];	/* a URL that contains the first of them that
				 * is at one */
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
		l->state += cfs_input_fingerprint(file);
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

static int open_packages(struct cfs_crawl *c, struct cfs_input *in,
			 struct cfs_error *err)
{
	struct listed l = { .state = cfs_input_state(in) };
	int rc = cfs_manifest_read(in->src, in->location, note_listed, &l,
				   CFS_CTX(c->opts->cancel, err));

	if (rc == CFS_OK && l.has_url && c->cache == NULL)
		rc = cfs_crawl_use_cache(c, err);
	if (rc != CFS_OK)
		return rc;
	if (!l.has_url)
		return open_source_open_beside(c, in, l.state, err);
	cfs_input_close(in);
	return open_below(c, in->location, l.state, l.base, err);
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

/* The index that is made of a table states where the archives are. */
static int open_table(struct cfs_crawl *c, struct cfs_input *in,
		      struct cfs_error *err)
{
	return open_source_open_beside(c, in, with_data(c, cfs_input_state(in)),
				       err);
}

static int open_folder(struct cfs_crawl *c, struct cfs_input *in,
		       struct cfs_error *err)
{
	return open_below(c, in->location, with_data(c, cfs_input_state(in)),
			  in->location, err);
}

/* Finds out the state of a list of archives without reading it. */
static int state_of_list(const struct cfs_crawl *c, struct cfs_input *in,
			 uint64_t *out, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (cfs_location_is_url(in->location)) {
		rc = cfs_location_open(&in->src, in->location, err);
		if (rc == CFS_OK)
			rc = cfs_source_find_size(in->src,
						  CFS_CTX(c->opts->cancel,
							  err));
	}
	*out = rc == CFS_OK ? cfs_input_state(in) : 0;
	cfs_input_close(in);
	return rc;
}

/* Opens a list of archives (warc.paths.gz), local or remote.  Their folder is
 * that of -o base or -o data, else Common Crawl's. */
static int open_paths(struct cfs_crawl *c, struct cfs_input *in,
		      struct cfs_error *err)
{
	const char *base =
		c->opts->base != NULL ? c->opts->base : c->opts->data;
	uint64_t state;
	int rc = state_of_list(c, in, &state, err);

	if (base == NULL)
		base = CFS_COMMON_CRAWL_URL;
	state ^= cfs_hash64(cfs_slice_str(base), 0);
	if (rc == CFS_OK)
		rc = open_below(c, in->location, state, base, err);
	cfs_web_folder_free(c->web);	/* it was read for an index */
	c->web = NULL;
	return rc;
}

/* ---- indexes ---------------------------------------------------------- */

/* True for a CDX file that cannot be searched as it is: it gets a kept index,
 * like an archive. */
static bool must_convert(const struct cfs_input *in)
{
	return in->format == CFS_INDEX_CDX_OTHER ||
	       (in->format == CFS_INDEX_CDX_GZ &&
		in->src->size > CFS_INDEX_GZ_MAX);
}

/* Finds the folders in which the archives of the index may be. */
static void find_bases(const struct cfs_crawl *c, const struct cfs_input *in,
		       const char *folder, struct cfs_bases *out)
{
	const char *archives = c->opts->data;
	CFS_BUF(data, PATH_MAX);

	if (archives == NULL && cfs_location_is_url(in->location) &&
	    cfs_collection_data(in->location, &data))
		archives = cfs_buf_str(&data);
	cfs_bases_of_index(out, folder, in->format, archives);
}

/* Opens an index as it is, or through one that is made of it. */
static int open_source_open_index(struct cfs_crawl *c, struct cfs_input *in,
				  struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	uint64_t state = cfs_input_state(in);
	char *folder = cfs_input_folder(in);
	bool converts = must_convert(in);
	struct cfs_bases bases;
	int rc = CFS_OK;

	if (folder == NULL)
		return cfs_error_nomem(err);
	find_bases(c, in, folder, &bases);
	if (!in->src->is_local && in->src->size <= WHOLE_MAX)
		cfs_source_prefetch(in->src, 0, (size_t)in->src->size);
	if (!converts) {
		rc = cfs_crawl_open_index(c, cfs_input_take(in), in->format,
					  &bases, &e);
		/* that a small compressed file is unsorted is noticed only
		 * now */
		converts = in->format == CFS_INDEX_CDX_GZ &&
			   rc == CFS_EUNSUPPORTED;
		if (converts)
			cfs_crawl_close_index(c);
		else
			cfs_error_pass(err, &e, rc);
	}
	cfs_input_close(in);
	if (converts)
		rc = cfs_crawl_open_kept(c, in->location, state, folder,
					 &bases, err);
	free(folder);
	return rc;
}

/* ---- folders of a server ---------------------------------------------- */

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
	    cfs_crawl_open_last_kept(c, url, &b) != CFS_OK)
		return cfs_error_pass(err, why, rc);
	cfs_log(CFS_LOG_WARNING, "%s: cannot be listed (%s): shown as it was "
		"when it was indexed", url, why->text);
	return CFS_OK;
}

static int open_web_folder(struct cfs_crawl *c, struct cfs_input *in,
			   struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_web_folder_read(&c->web, in->location,
				     CFS_CTX(c->opts->cancel, &e));

	rc = rc == CFS_OK ? open_listed(c, err) :
			    open_unlisted(c, in->location, rc, &e, err);
	cfs_web_folder_free(c->web);
	c->web = NULL;
	return rc;
}

/* ---- files ------------------------------------------------------------ */

static int open_source_refuse(struct cfs_crawl *c, struct cfs_input *in,
			      struct cfs_error *err)
{
	char what[CFS_UNSUPPORTED_BYTES];

	cfs_selection_describe(in->src, what, c->opts->cancel);
	return cfs_error_at(err, CFS_EFORMAT, in->location, 0, "%s", what);
}

typedef int open_kind(struct cfs_crawl *c, struct cfs_input *in,
		      struct cfs_error *err);

static open_kind open_source_open_file;

/* How an input of each kind is opened; a crawl by its name is replaced by its
 * index before. */
static open_kind *const openers[CFS_INPUT_KINDS] = {
	[CFS_INPUT_UNKNOWN] = open_source_refuse,
	[CFS_INPUT_ARCHIVE] = open_source_open_archive,
	[CFS_INPUT_PAIRS] = open_source_open_archive,
	[CFS_INPUT_WACZ] = open_wacz,
	[CFS_INPUT_PACKAGES] = open_packages,
	[CFS_INPUT_TABLE] = open_table,
	[CFS_INPUT_INDEX] = open_source_open_index,
	[CFS_INPUT_PATHS] = open_paths,
	[CFS_INPUT_FOLDER] = open_folder,
	[CFS_INPUT_WEB_FOLDER] = open_web_folder,
	[CFS_INPUT_FILE] = open_source_open_file,
};

static int open_source_recognise(struct cfs_crawl *c, struct cfs_input *in,
				 struct cfs_error *err)
{
	const struct cfs_input_look how = { CFS_SNIFF_SEARCH, HEAD_BYTES };
	struct cfs_source *src;
	int rc;

	if (cfs_location_folder(in->location).n >= PATH_MAX)
		return cfs_error_at(err, CFS_ELIMIT, in->location, 0,
				    "is too long");
	rc = cfs_location_open(&src, in->location, err);
	if (rc == CFS_OK && cfs_location_is_url(in->location))
		rc = cfs_cache_wrap(&src, c->cache, c->counters, VALIDATE_MS,
				    CFS_CTX(c->opts->cancel, err));
	return rc != CFS_OK ? rc :
	       cfs_input_recognise(in, src, &how,
				   CFS_CTX(c->opts->cancel, err));
}

/* Reads c->web if the URL, which failed with rc, is that of a folder without
 * its '/': then a page is found there or, in a bucket, nothing.  Where files
 * are listed there, but cannot be read, *why becomes the reason. */
static bool read_as_folder(struct cfs_crawl *c, const char *url, int rc,
			   struct cfs_error *why)
{
	struct cfs_error e = CFS_ERROR_INIT;
	char *folder = NULL;
	bool yes = (rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED ||
		    rc == CFS_ENOTFOUND) &&
		   c->index == NULL && asprintf(&folder, "%s/", url) > 0 &&
		   cfs_web_folder_is_url(folder) &&
		   cfs_web_folder_read(&c->web, folder,
				       CFS_CTX(c->opts->cancel, &e)) ==
			   CFS_OK;

	if (e.code == rc && strlen(e.where) > strlen(folder))
		*why = e;
	free(folder);
	return yes;
}

static int open_source_open_file(struct cfs_crawl *c, struct cfs_input *in,
				 struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = open_source_recognise(c, in, &e);

	if (rc == CFS_OK)
		rc = openers[in->kind](c, in, &e);
	cfs_input_close(in);
	if (rc != CFS_OK && read_as_folder(c, in->location, rc, &e)) {
		cfs_error_clear(&e);
		rc = open_listed(c, &e);
	}
	cfs_web_folder_free(c->web);
	c->web = NULL;
	return cfs_error_pass(err, &e, rc);
}

/* ---- crawls by name --------------------------------------------------- */

void cfs_crawl_suggest(const char *name, const struct cfs_crawl_opts *opts,
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
	CFS_BUF(more, sizeof(err->text));

	if (opts->base == NULL && (rc == CFS_EIO || rc == CFS_ETIMEOUT))
		cfs_buf_adds(&more, "; a crawl by its name is read over the "
			     "network, or with --base=FOLDER from a copy");
	cfs_crawl_suggest(name, opts, &more);
	if (!is_index)
		cfs_error_pass(err, e, rc);
	else if (rc == CFS_ENOTFOUND)
		cfs_error_at(err, rc, name, 0, "not there, below %.100s%s",
			     base, cfs_buf_str(&more));
	else
		cfs_error_at(err, rc, e->where, e->offset, "%.100s%s", e->text,
			     cfs_buf_str(&more));
}

/* ---- any source ------------------------------------------------------- */

/* Reports a missing source: errno says why; suggests names of crawls. */
static int no_source(const char *source, const struct cfs_crawl_opts *opts,
		     struct cfs_error *err)
{
	const char *why = strerror(errno);
	CFS_BUF(more, sizeof(err->text));

	cfs_crawl_suggest(source, opts, &more);
	cfs_error_at(err, CFS_ENOTFOUND, source, 0, "cannot open: %s%s", why,
		     cfs_buf_str(&more));
	return CFS_ENOTFOUND;
}

/* Opens a Common Crawl crawl by name: its index or list, and the folder of its
 * archives.  CFS_ENOTFOUND, perhaps without a message, if it has no such
 * place. */
static int open_named(struct cfs_crawl **out, const char *name,
		      enum cfs_collection_kind kind,
		      const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_crawl_opts at = *opts;
	struct cfs_error e = CFS_ERROR_INIT;
	CFS_BUF(data, PATH_MAX);
	CFS_BUF(index, PATH_MAX);
	int rc = CFS_ELIMIT;

	if (!cfs_collection_place(name, kind, opts->base, &index, &data))
		return CFS_ENOTFOUND;
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
	return rc;
}

/* Opens a crawl by its index or, where that is not there, by its list. */
static int open_collection(struct cfs_crawl **out, const char *name,
			   const struct cfs_crawl_opts *opts,
			   struct cfs_error *err)
{
	struct cfs_error first = CFS_ERROR_INIT, e = CFS_ERROR_INIT;
	int rc = open_named(out, name, CFS_COLLECTION_INDEX, opts, &first);

	if (rc != CFS_ENOTFOUND)
		return cfs_error_pass(err, &first, rc);
	rc = open_named(out, name, CFS_COLLECTION_LIST, opts, &e);
	/* of two places that are not there, the usual one is told */
	return cfs_error_pass(err, rc == CFS_ENOTFOUND && first.text[0] ?
			      &first : &e, rc);
}

int cfs_crawl_open_one(struct cfs_crawl **out, const char *source,
		       const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_input in = { .kind = cfs_input_of_name(source),
				.location = source };
	bool is_url = cfs_location_is_url(source);
	char real[PATH_MAX];
	struct cfs_crawl *c;
	int rc;

	*out = NULL;
	if (in.kind == CFS_INPUT_COLLECTION)
		return open_collection(out, source, opts, err);
	if (!is_url && (in.location = realpath(source, real)) == NULL)
		return no_source(source, opts, err);
	rc = cfs_crawl_new(&c, source, opts, err);
	if (rc == CFS_OK &&
	    (is_url || in.kind == CFS_INPUT_PATHS ||
	     (opts->data != NULL && cfs_location_is_url(opts->data))))
		rc = cfs_crawl_use_cache(c, err);
	if (rc == CFS_OK)
		rc = openers[in.kind](c, &in, err);
	cfs_input_close(&in);
	if (rc == CFS_OK) {
		c->opts = NULL;
		*out = c;
		c = NULL;		/* now the caller's */
	}
	cfs_crawl_close(c);
	return rc;
}

int cfs_crawl_is_archives(const char *source, const struct cfs_crawl_opts *opts,
			  bool *yes, struct cfs_error *err)
{
	const struct cfs_input_look how = { CFS_SNIFF_HEAD,
					    CFS_INDEX_HEAD_BYTES };
	struct cfs_input in = { .kind = cfs_input_of_name(source) };
	struct cfs_source *src;
	int rc = CFS_OK;

	if (in.kind == CFS_INPUT_FILE) {
		if (!cfs_location_is_url(source) && access(source, F_OK) != 0)
			return no_source(source, opts, err);
		rc = cfs_location_open(&src, source, err);
		if (rc == CFS_OK)
			rc = cfs_input_recognise(&in, src, &how,
						 CFS_CTX(opts->cancel, err));
		cfs_input_close(&in);
	}
	*yes = in.kind != CFS_INPUT_COLLECTION &&
	       in.kind != CFS_INPUT_INDEX && in.kind != CFS_INPUT_TABLE;
	return rc;
}
