/* auto_index.c - builds indexes on first use, and keeps them in the cache
 * folder, as
 *
 *     CACHE/index/<XXH64 of the real path>-<fingerprint>-<version>.cfx
 *
 * The fingerprint covers name, size and mtime of every file below the source;
 * the version is that of the indexer's output.  When either changes, the index
 * is looked for under another name.  The new one is made by updating the old
 * one, if that has the same version: only new and changed files are read.
 *
 * An index that lacks an archive which could not be read gets the name of
 * fingerprint + 1: the next mount does not find its own fingerprint, updates
 * that index, and tries to read the archive again.
 *
 * The archives of a web folder, which may take days, are read in batches.  Each
 * leaves an index of what has been read, under a fingerprint of its own, which
 * the next batch, or another mount, updates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "auto_index.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/trust.h"
#include "indexing/make_index.h"
#include "input/input.h"
#include "input/web_folder.h"
#include "net/location.h"
#include "words/words_build.h"

/* Most bytes of an index for which no file can be written: about a million
 * captures. */
#define IN_MEMORY_MAX ((size_t)32 << 20)
/* Bytes read of a web folder before an index is written: a quarter of one of
 * Common Crawl's archives, so that an interruption loses little. */
#define WEB_BATCH_BYTES (UINT64_C(256) << 20)

/* ---- building --------------------------------------------------------- */

/* A wanted index, and where it would be kept. */
struct wanted {
	const struct cfs_crawl_opts *opts;
	const char *input, *base;	/* as in cfs_crawl_open_kept */
	const struct cfs_opener *opener;	/* NULL: the plain one */
	struct cfs_web_folder *web;	/* the input, if it is a web folder */
	uint64_t web_batch_bytes;	/* bytes to read of it at a time; 0:
					 * all */
	uint64_t done_bytes;		/* bytes read by earlier batches */
	uint64_t unread;		/* archives that the last build could
					 * not read */
	uint64_t state;
	char dir[PATH_MAX + 8], name[64], path[PATH_MAX + 80];
	/* A kept index of an earlier state of the source: files that have not
	 * changed are not read again. */
	char old[PATH_MAX + 80];
	bool has_old;
};

static void build_progress(void *arg, const struct cfs_progress *p)
{
	const struct wanted *w = arg;
	struct cfs_progress all;

	if (p != NULL && w->web != NULL) {	/* count all batches */
		all = *p;
		all.bytes_done += w->done_bytes;
		all.bytes_total += w->done_bytes + w->web->left_bytes;
		p = &all;
	}
	if (w->opts->building != NULL)
		w->opts->building(w->opts->arg, w->input, p);
}

/* memory: as in struct cfs_indexer_opts. */
static int build_into(struct wanted *w, const char *output,
		      struct cfs_buf *memory, struct cfs_error *err)
{
	char usual[PATH_MAX];
	struct cfs_indexer_report report = { .files = 0 };
	struct cfs_indexer_opts io = {
		.inputs = &w->input,
		.update_of = w->has_old ? w->old : NULL,
		.n_inputs = 1,
		.beside = w->opts->beside,
		.n_beside = w->opts->n_beside,
		.may_be_empty = w->opts->n_beside > 1,
		.web = w->web,
		.web_batch_bytes = w->web_batch_bytes,
		.output = output,
		.shown = w->input,
		.memory = memory,
		.base = w->base,
		.selection_data = w->opts->data != NULL ? w->opts->data :
							  w->opts->base,
		.opener = w->opener,
		.cache_dir = cfs_crawl_inflate_dir(w->opts, usual),
		.format = CFS_INDEX_CFX,
		.with_words = w->opts->words && memory == NULL,
		.memory_bytes = w->opts->mem_bytes,
		.max_record_bytes = w->opts->max_record_bytes,
		.cancel = w->opts->cancel,
		.progress = build_progress,
		.arg = w,
	};
	int rc;

	cfs_view_sizes_ask(&io, 0);
	cfs_languages_ask(&io);
	io.keeps_languages = io.languages != NULL;
	rc = cfs_make_index(&io, &report, err);
	w->done_bytes += report.input_bytes;
	w->unread = report.files_unread;
	if (rc == CFS_OK && (w->web == NULL || w->web->n_left == 0))
		build_progress(w, NULL);	/* done */
	return rc;
}

static int auto_index_build(struct wanted *w, const char *output,
			    struct cfs_error *err)
{
	return build_into(w, output, NULL, err);
}

/* Finds the newest index of an earlier state of the source that this version
 * has made. */
static void auto_index_find_old(struct wanted *w)
{
	const char *dash = strchr(w->name, '-'), *end = strrchr(w->name, '-');
	size_t n = (size_t)(dash - w->name) + 1;
	struct dirent **list;
	struct timespec best = { 0, 0 };
	int count = scandir(w->dir, &list, NULL, NULL);

	for (int i = 0; i < count; i++) {
		const char *other = list[i]->d_name;
		char path[sizeof(w->old)];
		struct stat st;

		if (strncmp(other, w->name, n) == 0 &&
		    strlen(other) == strlen(w->name) &&
		    strcmp(other + (end - w->name), end) == 0 &&
		    snprintf(path, sizeof(path), "%s/%s", w->dir, other) <
			    (int)sizeof(path) && stat(path, &st) == 0 &&
		    (st.st_mtim.tv_sec > best.tv_sec ||
		     (st.st_mtim.tv_sec == best.tv_sec &&
		      st.st_mtim.tv_nsec > best.tv_nsec))) {
			best = st.st_mtim;
			memcpy(w->old, path, sizeof(path));
			w->has_old = true;
		}
		free(list[i]);
	}
	if (count >= 0)
		free(list);
}

/* Removes the obsolete indexes of earlier states of the source, and their lists
 * of words. */
static void remove_stale(const char *dir, const char *name)
{
	char path[PATH_MAX];
	const char *dash = strchr(name, '-');
	size_t n = dash ? (size_t)(dash - name) + 1 : strlen(name);
	size_t stem = strlen(name) - strlen(CFS_WORDS_SUFFIX);
	struct dirent **list;
	int count = scandir(dir, &list, NULL, NULL);

	for (int i = 0; i < count; i++) {
		const char *other = list[i]->d_name;

		if (strncmp(other, name, n) == 0 &&
		    strncmp(other, name, stem) != 0 &&
		    (strstr(other, ".cfx") != NULL ||
		     strstr(other, CFS_WORDS_SUFFIX) != NULL) &&
		    snprintf(path, sizeof(path), "%s/%s", dir, other) <
			    (int)sizeof(path))
			unlink(path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
}

/* Builds in memory, where no file can be written: the disk is full or
 * read-only, or files may not grow (ulimit -f).  *why says so, and stays the
 * error if the index is too large for memory. */
static int open_in_memory(struct cfs_source **out, struct wanted *w,
			  const char *name, struct cfs_error *why)
{
	struct cfs_error e = CFS_ERROR_INIT;
	CFS_BUF(bytes, IN_MEMORY_MAX);
	int rc = build_into(w, name, &bytes, &e);

	if (rc == CFS_OK)
		rc = cfs_source_open_memory(out, cfs_buf_slice(&bytes), name,
					    &e);
	if (rc == CFS_ELIMIT)
		rc = CFS_EIO;
	if (rc != CFS_EIO)
		*why = e;
	return rc;
}

/* Builds where nothing is kept: the file is unlinked once it is open. */
static int open_unkept(struct cfs_source **out, struct wanted *w,
		       struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX], path[PATH_MAX + 16];
	bool has_dir;
	int rc, reason;

	if (tmp == NULL || tmp[0] != '/')
		tmp = "/tmp";
	has_dir = snprintf(dir, sizeof(dir), "%s/crawlfs-XXXXXX", tmp) <
			  (int)sizeof(dir) && mkdtemp(dir) != NULL;
	reason = errno;
	snprintf(path, sizeof(path), "%s/index.cfx", dir);
	if (has_dir) {
		rc = auto_index_build(w, path, &e);
		if (rc == CFS_OK)
			rc = cfs_source_open_file(out, path, &e);
		unlink(path);
		rmdir(dir);
	} else {
		rc = cfs_error_set(&e, CFS_EIO, "cannot make a folder in "
				   "'%.60s': %s (set TMPDIR, or index the "
				   "archives with 'crawlfs index')", tmp,
				   strerror(reason));
	}
	if (rc == CFS_EIO && w->web == NULL &&
	    (!has_dir || strncmp(e.where, dir, strlen(dir)) == 0))
		rc = open_in_memory(out, w, path, &e);
	return cfs_error_pass(err, &e, rc);
}

/* Removes unfinished files of this source's indexes, whatever its state was. */
static void sweep(const struct wanted *w)
{
	char path[sizeof(w->path)];

	snprintf(path, sizeof(path), "%s/%.16s", w->dir, w->name);
	cfs_replacement_sweep(path);
}

/* Makes the name of the index of a state. */
static void name_state(const struct wanted *w, uint64_t state, char name[64])
{
	snprintf(name, 64, "%016" PRIx64 "-%016" PRIx64 "-%02x%08x.cfx",
		 cfs_hash64(cfs_slice_str(w->input), 0), state,
		 CFS_INDEXER_VERSION, cfs_view_version());
}

/* Renames the list of words beside an index, if there is one. */
static void put_words(const char *from, const char *to)
{
	char *list = cfs_words_path(from), *name = cfs_words_path(to);

	if (list != NULL && name != NULL && rename(list, name) != 0 &&
	    errno != ENOENT)
		cfs_log(CFS_LOG_WARNING, "%s: cannot be written: %s", name,
			strerror(errno));
	free(list);
	free(name);
}

/* Is there a list of words beside the kept index, or is none asked for? */
static bool has_words(const struct wanted *w)
{
	char *list = cfs_words_path(w->path);
	bool has = !w->opts->words ||
		   (list != NULL && access(list, F_OK) == 0);

	free(list);
	return has;
}

/* Renames the new index from dir/made to dir/name. */
static int auto_index_put(struct wanted *w, const char *made, const char *name,
			  struct cfs_error *err)
{
	char from[sizeof(w->path)];

	snprintf(from, sizeof(from), "%s/%s", w->dir, made);
	memmove(w->name, name, strlen(name) + 1);
	snprintf(w->path, sizeof(w->path), "%s/%s", w->dir, w->name);
	if (strcmp(from, w->path) != 0)
		put_words(from, w->path);
	if (strcmp(from, w->path) == 0 || rename(from, w->path) == 0 ||
	    /* or another process has renamed it */
	    (errno == ENOENT && access(w->path, F_OK) == 0))
		return CFS_OK;
	return cfs_error_at(err, CFS_EIO, w->path, 0, "cannot be written: %s",
			    strerror(errno));
}

/* Builds batch after batch, each updating the index of those before. */
static int build_batches(struct wanted *w, struct cfs_error *err)
{
	char name[sizeof(w->name)], path[sizeof(w->path)];

	w->web_batch_bytes = WEB_BATCH_BYTES;
	for (uint64_t i = 1;; i++) {
		int rc;

		name_state(w, w->state + i, name);
		snprintf(path, sizeof(path), "%s/%s", w->dir, name);
		rc = auto_index_build(w, path, err);
		if (rc == CFS_ENOTFOUND && w->web->n_left > 0) {
			cfs_error_clear(err);	/* no page in this batch */
			w->web_batch_bytes = 0;
			continue;
		}
		if (rc != CFS_OK)
			return rc;
		if (w->web->n_left == 0)
			break;
		remove_stale(w->dir, name);
		memcpy(w->old, path, sizeof(path));
		w->has_old = true;
	}
	return auto_index_put(w, name, w->unread > 0 ? name : w->name, err);
}

/* The index is written under the name of an incomplete one and renamed once all
 * archives were read: an update that still cannot read the missing archive
 * writes nothing, and if the process ends in between, the next mount tries
 * again. */
static int build_whole(struct wanted *w, struct cfs_error *err)
{
	char name[sizeof(w->name)], path[sizeof(w->path)];
	int rc;

	name_state(w, w->state + 1, name);
	snprintf(path, sizeof(path), "%s/%s", w->dir, name);
	rc = auto_index_build(w, path, err);
	if (rc != CFS_OK)
		return rc;
	return auto_index_put(w, name, w->unread > 0 ? name : w->name, err);
}

/* Builds the index where it is kept.  If the cache is full or cannot be
 * written, the index is just not kept. */
static int open_kept(struct cfs_source **out, struct wanted *w,
		     struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	bool is_there;
	int rc;

	if (cfs_make_folders(w->dir, cfs_trust_mode(0700)) == 0 &&
	    access(w->dir, W_OK) == 0) {
		auto_index_find_old(w);
		sweep(w);
		rc = w->web != NULL ? build_batches(w, &e) :
				      build_whole(w, &e);
		w->has_old = false;
		w->web_batch_bytes = 0;
		if (rc == CFS_OK)
			rc = cfs_source_open_file(out, w->path, &e);
		if (rc == CFS_OK)
			remove_stale(w->dir, w->name);
		is_there = strncmp(e.where, w->dir, strlen(w->dir)) == 0;
		if (rc != CFS_EIO || !is_there) {
			if (is_there)
				e.where[0] = '\0';
			cfs_error_where(&e, w->input, 0);
			return cfs_error_pass(err, &e, rc);
		}
		cfs_log(CFS_LOG_WARNING, "%s: %s: the index is not kept",
			e.where, e.text);
	} else {
		cfs_log(CFS_LOG_WARNING, "%s: cannot write: the index is not "
			"kept", w->dir);
	}
	return open_unkept(out, w, err);
}

/* ---- using kept indexes ----------------------------------------------- */

/* Tests a kept index for damage by reading its first entry.  Its header and
 * tables were checked when it was opened. */
static int check_kept(struct cfs_index *ix, struct cfs_ctx ctx)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	int rc;

	if (it == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_iter_init(it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, ctx);
	cfs_iter_release(it);
	free(it);
	return rc == CFS_END ? CFS_OK : rc;
}

/* CFS_ENOTFOUND if no usable index is kept. */
static int use_kept(struct cfs_crawl *c, const char *path,
		    const struct cfs_bases *bases, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src;
	int rc;

	if (cfs_source_open_file(&src, path, NULL) != CFS_OK)
		return CFS_ENOTFOUND;
	rc = cfs_crawl_open_index(c, src, CFS_INDEX_CFX, bases, &e);
	if (rc == CFS_OK)
		rc = check_kept(c->index, CFS_CTX(c->opts->cancel, &e));
	c->has_no_page = rc == CFS_OK && c->index->captures == 0;
	if (rc == CFS_OK && (!c->has_no_page || c->opts->n_beside > 1))
		return CFS_OK;
	cfs_crawl_close_index(c);
	if (rc == CFS_OK) {	/* making it again says why it has none */
		unlink(path);
		return CFS_ENOTFOUND;
	}
	if (rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED) {
		cfs_log(CFS_LOG_WARNING,
			"%s: the index kept of '%s' is not usable "
			"(%s): it is rebuilt",
			path, c->source, e.text);
		unlink(path);	/* lest it be taken for up to date */
		return CFS_ENOTFOUND;
	}
	return cfs_error_pass(err, &e, rc);
}

/* Uses the index of an earlier state of the source. */
static int use_old(struct cfs_crawl *c, struct wanted *w,
		   const struct cfs_bases *bases, struct cfs_error *err)
{
	int rc = CFS_ENOTFOUND;

	auto_index_find_old(w);
	if (w->has_old)
		rc = use_kept(c, w->old, bases, err);
	return rc != CFS_ENOTFOUND ? rc :
	       cfs_error_at(err, rc, w->input, 0, "has no index yet");
}

/* Reads a list of archives on servers, which may take days to read, as a web
 * folder: they are read in batches. */
static int read_list(struct cfs_crawl *c, struct wanted *w,
		     struct cfs_error *err)
{
	int rc = CFS_OK;

	if (c->web == NULL && cfs_location_is_url(w->base) &&
	    cfs_input_of_name(w->input) == CFS_INPUT_PATHS)
		rc = cfs_web_folder_of_list(&c->web, w->input, w->base,
					    CFS_CTX(c->opts->cancel, err));
	w->web = c->web;
	return rc;
}

int cfs_crawl_open_kept(struct cfs_crawl *c, const char *input, uint64_t state,
			const char *base, const struct cfs_bases *bases,
			struct cfs_error *err)
{
	char usual[PATH_MAX];
	const char *cache = cfs_crawl_cache_dir(c->opts->cache_dir, usual);
	struct wanted w = { .opts = c->opts, .input = input, .base = base,
			    .opener = c->cache ? &c->opener.base : NULL,
			    .web = c->web, .state = state };
	struct cfs_source *src = NULL;
	int rc;

	if (cache == NULL && c->opts->kept_only)
		return cfs_error_set(err, CFS_ENOTFOUND, "there is no cache");
	if (cache == NULL) {
		rc = read_list(c, &w, err);
		if (rc == CFS_OK)
			rc = open_unkept(&src, &w, err);
		goto out;
	}
	name_state(&w, state, w.name);
	snprintf(w.dir, sizeof(w.dir), "%s/index", cache);
	snprintf(w.path, sizeof(w.path), "%s/%s", w.dir, w.name);
	rc = use_kept(c, w.path, bases, err);
	if (rc == CFS_OK && !c->opts->kept_only && !has_words(&w)) {
		cfs_crawl_close_index(c);
		rc = CFS_ENOTFOUND;
	}
	if (rc != CFS_ENOTFOUND)
		return rc;
	if (c->opts->kept_only)
		return use_old(c, &w, bases, err);
	rc = read_list(c, &w, err);
	if (rc == CFS_OK)
		rc = open_kept(&src, &w, err);
out:
	c->damage_is_told = !w.has_old;
	if (rc == CFS_OK)
		rc = cfs_crawl_open_index(c, src, CFS_INDEX_CFX, bases, err);
	c->has_no_page = rc == CFS_OK && c->index->captures == 0;
	return rc;
}

int cfs_crawl_open_last_kept(struct cfs_crawl *c, const char *input,
			     const struct cfs_bases *bases)
{
	char usual[PATH_MAX];
	const char *cache = cfs_crawl_cache_dir(c->opts->cache_dir, usual);
	struct wanted w = { .opts = c->opts, .input = input };

	if (cache == NULL)
		return CFS_ENOTFOUND;
	name_state(&w, 0, w.name);
	snprintf(w.dir, sizeof(w.dir), "%s/index", cache);
	auto_index_find_old(&w);
	return w.has_old && use_kept(c, w.old, bases, NULL) == CFS_OK ?
	       CFS_OK : CFS_ENOTFOUND;
}
