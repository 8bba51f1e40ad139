/* sources.c - splits lists of sources, expands patterns and folders of indexes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sources.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "format/open_index.h"
#include "input/input.h"
#include "net/collections.h"
#include "net/location.h"
#include "net/open_location.h"
#include "record/sniff.h"

void cfs_sources_release(struct cfs_sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct cfs_sources){ .n = 0 };
}

static int sources_add(struct cfs_sources *s, const char *text, size_t n,
		       struct cfs_error *err)
{
	int rc = cfs_array_reserve((void **)&s->v, &s->room, s->n + 1,
				   sizeof(*s->v), CFS_SOURCES_OF_ONE_MAX);

	if (rc == CFS_ELIMIT)
		return cfs_error_set(err, rc, "more than %u sources",
				     CFS_SOURCES_OF_ONE_MAX);
	if (rc != CFS_OK || (s->v[s->n] = strndup(text, n)) == NULL)
		return cfs_error_nomem(err);
	s->n++;
	return CFS_OK;
}

static int sources_by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_from(struct cfs_sources *s, size_t from)
{
	if (s->n > from)
		qsort(s->v + from, s->n - from, sizeof(*s->v),
		      sources_by_bytes);
}

/* ---- crawls by a pattern ---- */

bool cfs_sources_is_pattern(const char *name)
{
	return strncmp(name, "CC-MAIN-", 8) == 0 &&
	       strpbrk(name, "*?[") != NULL && strchr(name, '/') == NULL;
}

/* Is the list of a month of CC-NEWS there? */
static int find_month(const char *name, const struct cfs_crawl_opts *opts,
		      struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src;
	CFS_BUF(data, PATH_MAX);
	CFS_BUF(list, PATH_MAX);
	int rc;

	cfs_collection_place(name, CFS_COLLECTION_LIST, opts->base, &list,
			     &data);
	rc = list.failed != CFS_OK ? cfs_error_set(&e, CFS_ELIMIT, "'%.60s' is "
						   "too long", opts->base) :
	     cfs_location_open(&src, cfs_buf_str(&list), &e);
	if (rc == CFS_OK) {
		rc = cfs_source_find_size(src, CFS_CTX(opts->cancel, &e));
		cfs_source_close(src);
	}
	return rc == CFS_ENOTFOUND ? rc : cfs_error_pass(err, &e, rc);
}

/* Adds the months of CC-NEWS-YYYY that are there. */
static int add_months(struct cfs_sources *s, const char *year,
		      const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	size_t from = s->n;
	char name[32];
	int rc = CFS_OK;

	for (unsigned m = 1; m <= 12 && rc == CFS_OK; m++) {
		snprintf(name, sizeof(name), "%.16s-%02u", year, m);
		rc = find_month(name, opts, err);
		if (rc == CFS_OK)
			rc = sources_add(s, name, strlen(name), err);
		else if (rc == CFS_ENOTFOUND)
			rc = CFS_OK;
	}
	if (rc == CFS_OK && s->n == from)
		rc = cfs_error_at(err, CFS_ENOTFOUND, year, 0, "none of its "
				  "months is there, below %.100s",
				  opts->base != NULL ? opts->base :
						       CFS_COMMON_CRAWL_URL);
	return rc;
}

static int add_collections(struct cfs_sources *s, const char *pattern,
			   const struct cfs_crawl_opts *opts,
			   struct cfs_error *err)
{
	char cache[PATH_MAX], path[PATH_MAX + sizeof(CFS_COLLINFO_NAME) + 1];
	const char *dir = cfs_crawl_cache_dir(opts->cache_dir, cache);
	struct cfs_collection *v;
	size_t n, from = s->n;
	int rc;

	if (dir != NULL)
		snprintf(path, sizeof(path), "%s/" CFS_COLLINFO_NAME, dir);
	rc = cfs_collections_kept(dir != NULL ? path : NULL, &v, &n, err);
	if (rc != CFS_OK)
		return rc;
	for (size_t i = 0; i < n && rc == CFS_OK; i++)
		if (fnmatch(pattern, v[i].id, 0) == 0)
			rc = sources_add(s, v[i].id, strlen(v[i].id), err);
	free(v);
	if (rc == CFS_OK && s->n == from)
		rc = cfs_error_at(err, CFS_ENOTFOUND, pattern, 0, "is no crawl "
				  "in the list ('crawlfs collections' prints "
				  "it)");
	sort_from(s, from);
	return rc;
}

/* ---- lists ---- */

static bool is_there(const char *name)
{
	return access(name, F_OK) == 0;
}

/* True if the word is a source by itself: a comma may be part of a URL. */
static bool sources_is_word(const char *text, size_t n)
{
	char *word = strndup(text, n);
	bool yes = word != NULL &&
		   (cfs_location_is_url(word) || is_there(word) ||
		    cfs_collection_is_name(word) ||
		    cfs_sources_is_pattern(word));

	free(word);
	return yes;
}

static bool sources_is_list(const char *text)
{
	size_t n;

	if (strchr(text, ',') == NULL || is_there(text))
		return false;
	if (!cfs_location_is_url(text))
		return true;
	for (;; text += n + 1) {
		n = strcspn(text, ",");
		if (!sources_is_word(text, n))
			return false;
		if (text[n] == '\0')
			return true;
	}
}

int cfs_sources_split(struct cfs_sources *s, const char *list,
		      struct cfs_error *err)
{
	int rc = CFS_OK;
	size_t n;

	if (!sources_is_list(list))
		return sources_add(s, list, strlen(list), err);
	for (; rc == CFS_OK; list += n + 1) {
		n = strcspn(list, ",");
		if (n > 0)
			rc = sources_add(s, list, n, err);
		if (list[n] == '\0')
			break;
	}
	return rc;
}

/* ---- folders of indexes ---- */

/* Recognises an archive by its name, else by its bytes. */
static bool sources_is_archive(const char *path, const char *name)
{
	enum cfs_file_kind kind = CFS_FILE_NONE;
	struct cfs_source *src;

	if (cfs_sniff_is_archive_name(cfs_slice_str(name)))
		return true;
	if (cfs_source_open_file(&src, path, NULL) != CFS_OK)
		return false;
	if (cfs_sniff(src, CFS_SNIFF_START, &kind, NULL) != CFS_OK)
		kind = CFS_FILE_NONE;
	cfs_source_close(src);
	return kind != CFS_FILE_NONE;
}

/* Appends the files below a folder that are indexes; or those that are not. */
static int sources_walk(const char *folder, bool indexes,
			struct cfs_sources *out, struct cfs_error *err)
{
	char *roots[] = { strdup(folder), NULL };
	FTS *fts = roots[0] == NULL ? NULL :
		   fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int rc = CFS_OK;
	FTSENT *e;

	free(roots[0]);
	if (fts == NULL)
		return cfs_error_at(err, CFS_EIO, folder, 0, "cannot read: %s",
				    strerror(errno));
	while (rc == CFS_OK && (e = fts_read(fts)) != NULL) {
		if (e->fts_level > 0 && e->fts_name[0] == '.')
			fts_set(fts, e, FTS_SKIP);
		else if ((e->fts_info == FTS_F || e->fts_info == FTS_SL) &&
			 cfs_index_is_name(cfs_slice_str(e->fts_name)) ==
				 indexes)
			rc = sources_add(out, e->fts_path, e->fts_pathlen, err);
	}
	fts_close(fts);
	return rc;
}

/* Appends the indexes of a folder that holds no archive. */
static int sources_add_folder(struct cfs_sources *s, const char *folder,
			      struct cfs_error *err)
{
	struct cfs_sources others = { .n = 0 };
	size_t from = s->n;
	bool any = false;
	int rc = sources_walk(folder, true, s, NULL);

	if (rc == CFS_OK && s->n > from)
		rc = sources_walk(folder, false, &others, NULL);
	for (size_t i = 0; i < others.n && !any && rc == CFS_OK; i++)
		any = sources_is_archive(others.v[i],
					 strrchr(others.v[i], '/') + 1);
	cfs_sources_release(&others);
	if (rc == CFS_OK && s->n > from && !any) {
		sort_from(s, from);
		return CFS_OK;
	}
	while (s->n > from)
		free(s->v[--s->n]);
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) :
	       sources_add(s, folder, strlen(folder), err);
}

static bool sources_is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/* As cfs_input_exists, but suggests names of crawls. */
static int check_exists(const char *word, const struct cfs_crawl_opts *opts,
			struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_input_exists(word, &e);
	struct cfs_buf more;

	if (rc == CFS_OK)
		return rc;
	cfs_buf_init(&more, sizeof(e.text));
	cfs_crawl_suggest(word, opts, &more);
	cfs_error_at(err, rc, word, 0, "%s%s", e.text, cfs_buf_str(&more));
	cfs_buf_release(&more);
	return rc;
}

int cfs_sources_add(struct cfs_sources *s, const char *source,
		    const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	struct cfs_sources words = { .n = 0 };
	int rc = cfs_sources_split(&words, source, err);

	for (size_t i = 0; i < words.n && rc == CFS_OK; i++) {
		const char *word = words.v[i];

		if (sources_is_folder(word))
			rc = sources_add_folder(s, word, err);
		else if (cfs_sources_is_pattern(word) && !is_there(word))
			rc = add_collections(s, word, opts, err);
		else if (cfs_collection_is_year(word) && !is_there(word))
			rc = add_months(s, word, opts, err);
		else if ((rc = check_exists(word, opts, err)) == CFS_OK)
			rc = sources_add(s, word, strlen(word), err);
	}
	cfs_sources_release(&words);
	return rc;
}
