/* indexer_files.c - finds out which archives an index is built from.
 *
 * Names in an index are relative to a folder, because archives are moved and
 * mounted elsewhere: to the index's own folder, or to one that is asked for.
 * If an archive is not below it, the deepest folder common to all archives is
 * used instead (a name must never leave its folder).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_files.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "builder.h"
#include "format/pbtree/pbtree.h"
#include "indexer_wacz.h"
#include "input/input.h"
#include "input/local_copy.h"
#include "input/manifest.h"
#include "input/pathlist.h"
#include "input/web_folder.h"
#include "net/location.h"
#include "net/open_location.h"
#include "record/zipped.h"

#define MS_DIGITS 13u		/* milliseconds since 2001 */
#define FILES_MAX ((size_t)UINT32_MAX / 2)

void cfs_indexer_file_release(struct cfs_indexer_file *file)
{
	if (file->wacz != NULL)
		cfs_wacz_release(file->wacz);
	free(file->wacz);
	cfs_local_copy_free(file->spool);
	free(file->own_name);
	free(file->path);
}

void cfs_indexer_files_release(struct cfs_indexer_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		cfs_indexer_file_release(&f->v[i]);
	for (size_t i = 0; i < f->n_selections; i++)
		free(f->selections[i].location);
	free(f->selections);
	cfs_wacz_pages_release(&f->pages);
	free(f->v);
	free(f->base);
	free(f->asked_base);
	memset(f, 0, sizeof(*f));
}

/* ---- names of 2012 ---- */

/* The last component of a path; of a URL as the user gave it, without query. */
static struct cfs_slice files_base_name(const char *path, bool is_given)
{
	const char *slash = strrchr(path, '/');
	struct cfs_slice s = cfs_slice_str(slash != NULL ? slash + 1 : path);
	ptrdiff_t query = cfs_slice_find(s, '?');

	if (query >= 0 && is_given)
		s.n = (size_t)query;
	return s;
}

/* The role of a SequenceFile; CFS_FILE_ARCHIVE: it is not from a crawl. */
static enum cfs_file_role role_of(struct cfs_slice name)
{
	if (cfs_slice_starts_nocase(name, CFS_SLICE_LIT("textData")))
		return CFS_FILE_TEXT;
	if (cfs_slice_starts_nocase(name, CFS_SLICE_LIT("metadata")))
		return CFS_FILE_META;
	return CFS_FILE_ARCHIVE;
}

/* textData-<partition>, metadata-<partition>, <date>_<partition>.arc.gz. */
static void parse_name(struct cfs_indexer_file *f)
{
	struct cfs_slice name = files_base_name(f->path,
						f->is_given), dir, last;
	uint64_t partition = 0, date = 0;
	ptrdiff_t at;

	if (f->role == CFS_FILE_WACZ)
		return;
	dir = cfs_slice_sub(cfs_slice_str(f->path), 0,
			    (size_t)((const char *)name.p - f->path));
	f->folder = cfs_hash64(dir, 0);
	dir.n -= dir.n > 0;
	last = cfs_slice_last_part(dir);
	if (last.n == MS_DIGITS)
		(void)cfs_slice_parse_u64(last, UINT64_MAX, &f->segment);
	at = cfs_slice_find(name, f->role == CFS_FILE_ARCHIVE ? '_' : '-');
	if (at < 0)
		return;
	last = cfs_slice_from(name, (size_t)at + 1);
	name.n = (size_t)at;
	if (f->role == CFS_FILE_ARCHIVE) {
		if (!cfs_slice_ends(last, CFS_SLICE_LIT(".arc.gz")) ||
		    cfs_slice_parse_u64(name, UINT64_MAX, &date) != CFS_OK)
			return;
		last.n -= strlen(".arc.gz");
	}
	if (cfs_slice_parse_u64(last, UINT32_MAX - 1, &partition) != CFS_OK)
		return;
	f->partition_1 = (uint32_t)partition + 1;
	f->has_date = f->role == CFS_FILE_ARCHIVE;
	f->date_ms = date;
}

void cfs_indexer_origin(const char *base, const char *name,
			struct cfs_builder_origin *out)
{
	struct cfs_indexer_file f = { .is_given = false };

	*out = (struct cfs_builder_origin){ 0 };
	if (asprintf(&f.path, "%s/%s", base, name) < 0)
		return;
	f.role = role_of(files_base_name(f.path, false));
	parse_name(&f);
	*out = cfs_indexer_file_origin(&f);
	free(f.path);
}

int cfs_indexer_add_file(struct cfs_indexer_files *f, char *path, bool is_given,
			 enum cfs_file_role role, const struct cfs_source *src)
{
	if (cfs_array_reserve((void **)&f->v, &f->cap, f->n + 1, sizeof(*f->v),
			      FILES_MAX) != CFS_OK) {
		free(path);
		return CFS_ENOMEM;
	}
	f->v[f->n++] = (struct cfs_indexer_file){
		.path = path, .size = src->size, .mtime = src->mtime,
		.mtime_nsec = src->mtime_nsec,
		.role = role, .is_remote = cfs_location_is_url(path),
		.is_given = is_given, .reads_archives = f->reads_archives };
	parse_name(&f->v[f->n - 1]);
	return CFS_OK;
}

/* Programs that write tables in parts prefix other files' names with '_'. */
static bool is_aside(const struct cfs_indexer_files *f, const char *path)
{
	return f->walk_n > 0 && strlen(path) > f->walk_n &&
	       strstr(path + f->walk_n, "/_") != NULL;
}

static int add_selection(struct cfs_indexer_files *f, const char *location,
			 const struct cfs_input *in)
{
	char *copy;

	if (is_aside(f, location)) {
		f->skipped++;
		return CFS_OK;
	}
	copy = strdup(location);
	if (copy == NULL ||
	    cfs_array_reserve((void **)&f->selections, &f->selections_cap,
			      f->n_selections + 1, sizeof(*f->selections),
			      FILES_MAX) != CFS_OK) {
		free(copy);
		return CFS_ENOMEM;
	}
	f->selections[f->n_selections++] =
		(struct cfs_selection_file){ copy, in->src->size, in->table };
	return CFS_OK;
}

static int files_add_url(struct cfs_indexer_files *f, const char *url);
static int files_add_path(struct cfs_indexer_files *f, const char *path);

static int add_at(void *arg, const char *location)
{
	return cfs_location_is_url(location) ? files_add_url(arg, location) :
					       files_add_path(arg, location);
}

/* Adds the files of a list.  A list that cannot be read is skipped, and so is a
 * list in a list. */
static int add_listed_wacz(struct cfs_indexer_files *f, struct cfs_source *src,
			   const char *location)
{
	struct cfs_error e = CFS_ERROR_INIT;
	bool is_inner = f->in_list;
	int rc = CFS_EFORMAT;

	f->in_list = true;
	if (is_inner)
		cfs_error_at(&e, rc, location, 0, "is a list inside another list");
	else
		rc = cfs_manifest_read(src, location, add_at, f,
				       CFS_CTX(f->cancel, &e));
	f->in_list = is_inner;
	if (rc == CFS_OK || rc == CFS_ENOMEM || rc == CFS_EINTR)
		return rc;
	cfs_log_error(CFS_LOG_WARNING, &e);
	f->skipped++;
	return CFS_OK;
}

bool cfs_indexer_may_pass(int rc)
{
	/* a server's first answer may be a page, or the whole file, and the
	 * next one a range */
	return rc == CFS_EIO || rc == CFS_EACCESS || rc == CFS_ETIMEOUT ||
	       rc == CFS_EUNSUPPORTED;
}

/* A file that may be one to index. */
struct index_candidate {
	const char *location;
	char *path;		/* to list it by; owned, NULL once it is
				 * listed */
	bool is_given;		/* the path was made of the URL `location` */
	bool is_named;		/* by the user or a list, not found in a
				 * folder */
	enum cfs_wacz_role called;	/* by its name */
	struct cfs_input in;
	struct cfs_error error;	/* why it is left out */
};

static int look_into(const struct cfs_indexer_files *f,
		     struct index_candidate *c)
{
	const struct cfs_input_look how = {
		c->is_named ? CFS_SNIFF_SEARCH : CFS_SNIFF_BY_NAME,
		CFS_INDEX_HEAD_BYTES };
	bool has_name = c->called == CFS_WACZ_ARCHIVE;
	struct cfs_source *src = NULL;
	int rc = f->opener.open(f->opener.arg, c->location, &src,
				CFS_CTX(f->cancel, &c->error));

	if (rc != CFS_OK)
		return rc;
	rc = cfs_input_recognise(&c->in, src, &how,
				 CFS_CTX(f->cancel, &c->error));
	if (rc == CFS_EFORMAT && has_name) {
		cfs_error_clear(&c->error);	/* later members may be good */
		rc = CFS_OK;
	}
	if (rc == CFS_OK && c->in.kind == CFS_INPUT_UNKNOWN && has_name &&
	    src->size > 0)
		c->in.kind = CFS_INPUT_ARCHIVE;
	return rc;
}

/* Finds the role of a file that was recognised; false: it is left out.  Lists
 * and indexes in a folder describe archives that are there, too; a crawlfs
 * index is merged with others into one (make_index.h). */
static bool find_role(const struct cfs_indexer_files *f,
		      struct index_candidate *c, enum cfs_file_role *role)
{
	*role = CFS_FILE_ARCHIVE;
	switch (c->in.kind) {
	case CFS_INPUT_ARCHIVE:
		return true;
	case CFS_INPUT_PAIRS:
		*role = role_of(files_base_name(c->path, c->is_given));
		if (*role == CFS_FILE_ARCHIVE)
			cfs_error_at(&c->error, CFS_EFORMAT, c->path, 0,
				     "is a SequenceFile, but neither textData-* "
				     "nor metadata-*");
		return *role != CFS_FILE_ARCHIVE;
	case CFS_INPUT_WACZ:
		*role = CFS_FILE_WACZ;
		return true;
	case CFS_INPUT_PACKAGES:
		*role = CFS_FILE_LIST;
		return c->is_named;
	case CFS_INPUT_TABLE:
		*role = CFS_FILE_SELECTION;
		return true;
	case CFS_INPUT_INDEX:
		*role = c->in.format == CFS_INDEX_CFX ||
			c->in.format == CFS_INDEX_PBTREE ? CFS_FILE_INDEX :
							   CFS_FILE_CDX;
		return c->is_named &&
		       (c->in.format != CFS_INDEX_CFX ||
			f->format != CFS_INDEX_CFX);
	default:
		return false;
	}
}

/* Adds a file that is open.  Lists, selections and WACZ files are more than one
 * file to index, or none. */
static int files_take(struct cfs_indexer_files *f, struct index_candidate *c,
		      enum cfs_file_role role)
{
	char *path = c->path;
	int rc;

	if (role == CFS_FILE_LIST)
		return add_listed_wacz(f, c->in.src, c->location);
	if (role == CFS_FILE_SELECTION)
		return add_selection(f, c->location, &c->in);
	c->path = NULL;
	if (role == CFS_FILE_WACZ)
		return cfs_indexer_add_wacz(f, path, c->is_given, c->in.src,
					    CFS_CTX(f->cancel, &c->error));
	rc = cfs_indexer_add_file(f, path, c->is_given, role, c->in.src);
	if (rc == CFS_OK)
		f->v[f->n - 1].format = c->in.format;
	return rc;
}

/* Logs why a file is left out: rc, or that it is nothing to index. */
static void files_leave_out(struct cfs_indexer_files *f,
			    struct index_candidate *c, int rc)
{
	bool is_wacz = c->is_named || c->called == CFS_WACZ_INSIDE ||
		       c->in.kind != CFS_INPUT_WACZ;
	char what[CFS_UNSUPPORTED_BYTES];

	if (rc == CFS_OK) {
		cfs_selection_describe(c->in.src, what, f->cancel);
		cfs_error_at(&c->error, CFS_EFORMAT, c->path, 0, "%s", what);
	}
	cfs_log_error(c->is_named || rc != CFS_OK ? CFS_LOG_WARNING :
						    CFS_LOG_DEBUG, &c->error);
	f->skipped++;
	if (cfs_indexer_may_pass(rc) && (c->called == CFS_WACZ_ARCHIVE ||
					 c->called == CFS_WACZ_INSIDE)) {
		f->unread++;
		f->away += cfs_location_is_url(c->location);
	}
	f->gone += rc == CFS_ENOTFOUND && c->is_named;
	/* Many a ZIP file in a folder is of no crawl. */
	if (f->refused != NULL && rc != CFS_OK &&
	    (rc != CFS_EFORMAT || is_wacz))
		f->refused(f->refused_arg, &c->error);
}

/*
 * Adds the file at `location` if it is one to index.  `path` is the path to
 * list it by, and taken over; it differs from `location` only for a URL that
 * the user gave.  A file that the user named is logged if it is left out.
 */
static int consider_at(struct cfs_indexer_files *f, const char *location,
		       char *path, bool is_named)
{
	bool is_given = location != path, is_taken = false;
	struct index_candidate c = {
		.location = location, .path = path, .is_given = is_given,
		.is_named = is_named, .error = CFS_ERROR_INIT,
		.called = cfs_wacz_role_of(files_base_name(path, is_given)),
	};
	enum cfs_file_role role;
	int rc = look_into(f, &c);

	if (rc == CFS_OK && find_role(f, &c, &role)) {
		rc = files_take(f, &c, role);
		is_taken = rc == CFS_OK;
	}
	if (!is_taken && rc != CFS_ENOMEM && rc != CFS_EINTR) {
		files_leave_out(f, &c, rc);
		rc = CFS_OK;
	}
	cfs_input_close(&c.in);
	free(c.path);
	return rc;
}

static int files_consider(struct cfs_indexer_files *f, char *path,
			  bool is_named)
{
	return consider_at(f, path, path, is_named);
}

/* True for a symbolic link to a regular file. */
static bool leads_to_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int files_by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Handles one entry of a walk. */
static int visit(struct cfs_indexer_files *f, FTS *fts, FTSENT *e)
{
	char *path;

	if (e->fts_level > 0 && (e->fts_name[0] == '.' ||
	    (e->fts_info == FTS_D && cfs_input_is_mount(e->fts_path)))) {
		fts_set(fts, e, FTS_SKIP);
		return CFS_OK;
	}
	if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR ||
	    e->fts_info == FTS_NS) {
		cfs_log(CFS_LOG_WARNING, "%s: cannot read: %s", e->fts_path,
			strerror(e->fts_errno));
		f->skipped++;
		return CFS_OK;
	}
	if (e->fts_info != FTS_F &&
	    !(e->fts_info == FTS_SL && leads_to_file(e->fts_accpath)))
		return CFS_OK;
	path = strdup(e->fts_path);
	return path == NULL ? CFS_ENOMEM : files_consider(f, path, false);
}

static int files_walk(struct cfs_indexer_files *f, char *root,
		      const struct cfs_cancel *cancel)
{
	char *const roots[] = { root, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, files_by_name);
	size_t n = f->n, n_selections = f->n_selections;
	FTSENT *e;
	int rc = CFS_OK;

	if (fts == NULL)
		return CFS_ENOMEM;
	f->walk_n = strlen(root);
	while (rc == CFS_OK && (e = fts_read(fts)) != NULL)
		rc = cfs_cancelled(cancel) ? CFS_EINTR :
					     visit(f, fts, e);
	fts_close(fts);
	f->walk_n = 0;
	/* Selections beside archives describe those. */
	while (f->n > n && f->n_selections > n_selections) {
		free(f->selections[--f->n_selections].location);
		f->skipped++;
	}
	return rc;
}

/* The file's absolute path; only links in its folder are resolved. */
static char *files_absolute(const char *path)
{
	char *folder = cfs_folder_of(path), *dir = NULL, *out = NULL;
	const char *slash = strrchr(path, '/');

	if (folder != NULL)
		dir = realpath(folder, NULL);
	if (dir != NULL && asprintf(&out, "%s/%s",
				    strcmp(dir, "/") == 0 ? "" : dir,
				    slash != NULL ? slash + 1 : path) < 0)
		out = NULL;
	free(folder);
	free(dir);
	return out;
}

/* ---- remote archives ---- */

/* Returns the string in b, malloced, and releases b.  NULL without memory. */
static char *string_of(struct cfs_buf *b)
{
	char *s = b->failed == CFS_OK ? strdup(cfs_buf_str(b)) : NULL;

	cfs_buf_release(b);
	return s;
}

/* Makes the path of a URL: see struct cfs_indexer_file.  The key of an s3: URL
 * stays as it is.  NULL without memory. */
static char *path_of_url(const char *url)
{
	bool in_query = false;
	struct cfs_buf b;

	if (cfs_slice_starts_nocase(cfs_slice_str(url), CFS_SLICE_LIT("s3:")))
		return strdup(url);
	cfs_buf_init(&b, 4 * CFS_LOCATION_MAX);
	for (; *url != '\0' && *url != '#'; url++) {
		in_query = in_query || *url == '?';
		if (*url == '\\')
			cfs_buf_adds(&b, "%5C");
		else
			cfs_buf_addc(&b, in_query && *url == '/' ? '\\' :
					 (uint8_t)*url);
	}
	return string_of(&b);
}

static int files_add_url(struct cfs_indexer_files *f, const char *url)
{
	char *path;

	if (strlen(url) > CFS_LOCATION_MAX) {
		cfs_log(CFS_LOG_WARNING, "%.80s...: URL of more than %u bytes",
			url, CFS_LOCATION_MAX);
		f->skipped++;
		return CFS_OK;
	}
	path = path_of_url(url);
	if (path == NULL)
		return CFS_ENOMEM;
	return consider_at(f, url, path, true);
}

struct list_arg {
	struct cfs_indexer_files *f;
	const char *base;
};

/* Adds one name of a list.  Remote files are not requested: for 100,000 of
 * them that would take longer than to build many an index. */
static int add_listed(void *arg, struct cfs_slice name)
{
	static const struct cfs_source not_looked_at;
	const struct list_arg *a = arg;
	struct cfs_slice base;
	char *path = NULL;

	if (cfs_cancelled(a->f->cancel))
		return CFS_EINTR;
	if (asprintf(&path, "%s/%.*s", a->base, (int)name.n,
		     (const char *)name.p) < 0)
		return CFS_ENOMEM;
	base = files_base_name(path, false);
	if (!cfs_location_is_url(a->base) ||
	    cfs_wacz_role_of(base) == CFS_WACZ_INSIDE)
		return files_consider(a->f, path, true);
	if (cfs_sniff_is_archive_name(base))
		return cfs_indexer_add_file(a->f, path, false, CFS_FILE_ARCHIVE,
				&not_looked_at);
	cfs_log(CFS_LOG_DEBUG, "%s: not the name of an archive", path);
	a->f->skipped++;
	free(path);
	return CFS_OK;
}

static int files_add_list(struct cfs_indexer_files *f, const char *location,
			  const struct cfs_indexer_opts *opts)
{
	/* names in the index are relative to it */
	char *base = cfs_absolute_folder(opts->base ? opts->base :
					 CFS_COMMON_CRAWL_URL);
	struct list_arg arg = { f, base };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = base == NULL ? cfs_error_at(&e, CFS_EIO, opts->base, 0, "%m") :
		 cfs_pathlist_read(location, add_listed, &arg,
				   CFS_CTX(f->cancel, &e));

	free(base);
	if (rc == CFS_OK || rc == CFS_ENOMEM || rc == CFS_EINTR)
		return rc;
	cfs_log_error(CFS_LOG_WARNING, &e);
	f->skipped++;
	return CFS_OK;
}

void cfs_indexer_location(const struct cfs_indexer_files *f,
			  const struct cfs_indexer_file *file,
			  struct cfs_buf *out)
{
	struct cfs_slice name = cfs_slice_str(file->is_remote ? file->name :
							       file->path);

	if (file->member != NULL)
		name.n -= strlen(file->member) + strlen(CFS_WACZ_MARK);
	if (file->is_remote)
		cfs_location_join(out, f->base, name);
	else
		cfs_buf_add(out, name);
}

int cfs_indexer_open_input(struct cfs_source **out,
			   const struct cfs_indexer_files *f,
			   const struct cfs_indexer_file *file, bool by_part,
			   struct cfs_ctx ctx)
{
	CFS_BUF(location, PATH_MAX + 4 * CFS_LOCATION_MAX);
	const char *path;
	int rc;

	cfs_indexer_location(f, file, &location);
	path = cfs_buf_str(&location);
	*out = NULL;
	if (location.failed != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	else if (!file->is_remote)
		rc = cfs_source_open_file(out, path, ctx.err);
	else if (by_part || file->member != NULL)
		rc = f->opener.open(f->opener.arg, path, out, ctx);
	else if (file->role == CFS_FILE_WACZ)
		rc = cfs_location_open(out, path, ctx.err);
	else
		rc = cfs_location_open_whole(out, path, ctx);
	if (rc == CFS_OK && file->role == CFS_FILE_WACZ)
		rc = cfs_source_find_size(*out, ctx);
	if (rc != CFS_OK)
		cfs_source_close(*out);
	else if (file->member != NULL)
		rc = cfs_zipped_open(out, *out, cfs_slice_str(file->member),
				     f->cache_dir, ctx);
	return rc;
}

static int files_add_path(struct cfs_indexer_files *f, const char *input)
{
	struct stat st;
	char *path;
	int rc;

	if (stat(input, &st) != 0) {
		cfs_log(CFS_LOG_WARNING, "%s: %s", input, strerror(errno));
		f->skipped++;
		return CFS_OK;
	}
	path = S_ISDIR(st.st_mode) ? realpath(input, NULL) :
				     files_absolute(input);
	if (path == NULL)
		return CFS_ENOMEM;
	if (!S_ISDIR(st.st_mode))
		return files_consider(f, path, true);
	rc = files_walk(f, path, f->cancel);
	free(path);
	return rc;
}

static int add_input(struct cfs_indexer_files *f, const char *input,
		     const struct cfs_indexer_opts *opts, struct cfs_error *err)
{
	if (opts->web != NULL)		/* of a list, too */
		return cfs_indexer_add_web(f, input, opts, err);
	switch (cfs_input_of_name(input)) {
	case CFS_INPUT_WEB_FOLDER:
		return cfs_indexer_add_web(f, input, opts, err);
	case CFS_INPUT_PATHS:
		return files_add_list(f, input, opts);
	default:
		return add_at(f, input);
	}
}

/* ---- names ---- */

static int files_by_path(const void *a, const void *b)
{
	const struct cfs_indexer_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* The same path may be the text of a URL and a name. */
static bool files_is_same_file(const struct cfs_indexer_file *a,
			       const struct cfs_indexer_file *b)
{
	return strcmp(a->path, b->path) == 0 &&
	       (a->is_given == b->is_given ||
		strpbrk(a->path, "%?") == NULL);
}

static void files_drop_repeats(struct cfs_indexer_files *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (n > 0 && files_is_same_file(&f->v[n - 1], &f->v[i]))
			cfs_indexer_file_release(&f->v[i]);
		else
			f->v[n++] = f->v[i];
	}
	f->n = n;
}

/* Keeps the files for which `keep` returns true; the others are skipped. */
static void keep_those(struct cfs_indexer_files *f,
		       bool (*keep)(const struct cfs_indexer_files *f,
				    struct cfs_indexer_file *file))
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (keep(f, &f->v[i])) {
			f->v[n++] = f->v[i];
		} else {
			cfs_indexer_file_release(&f->v[i]);
			f->skipped++;
		}
	}
	f->n = n;
}

/* Shortens base (no '/' at its end; "" is the root) until path is below it. */
static bool shorten_base(char *base, const char *path)
{
	bool changed = false;
	size_t n;

	while ((n = strlen(base)) > 0 &&
	       (strncmp(base, path, n) != 0 || path[n] != '/')) {
		char *slash = strrchr(base, '/');

		*(slash != NULL ? slash : base) = '\0';
		changed = true;
	}
	return changed;
}

char *cfs_absolute_folder(const char *folder)
{
	char *dir = cfs_location_is_url(folder) ? strdup(folder) :
		    realpath(folder, NULL);
	size_t n = dir != NULL ? strlen(dir) : 0;

	while (n > 0 && dir[n - 1] == '/')
		dir[--n] = '\0';
	return dir;
}

/* If a web folder is the only input, its URL, so that the index can be updated
 * when archives appear elsewhere in it; else NULL. */
static const char *only_web_folder(const struct cfs_indexer_opts *opts)
{
	return opts->n_inputs == 1 && opts->part.n == 0 &&
	       (opts->n_indexes == 0 || opts->is_update) &&
	       cfs_web_folder_is_url(opts->inputs[0]) ? opts->inputs[0] : NULL;
}

int cfs_indexer_base(char **out, const struct cfs_indexer_opts *opts,
		     struct cfs_error *err)
{
	const char *given = opts->base != NULL ? opts->base :
						 only_web_folder(opts);
	char *folder = given != NULL ? strdup(given) :
		       cfs_folder_of(opts->output), *parts = folder;
	int rc = CFS_OK;

	/* The merged index will lie beside the folder of parts. */
	if (parts != NULL && given == NULL && opts->part.n > 0) {
		if (asprintf(&folder, "%s/..", parts) < 0)
			folder = NULL;
		free(parts);
	}
	*out = folder != NULL ? cfs_absolute_folder(folder) : NULL;
	if (*out == NULL)
		rc = cfs_error_set(err, errno == ENOMEM ? CFS_ENOMEM : CFS_EIO,
				   "folder of '%s' cannot be used: %s",
				   opts->base != NULL ? opts->base :
				   opts->output, strerror(errno));
	free(folder);
	return rc;
}

/* CFS_EUSAGE unless all archives are local, or all are on one server. */
static int check_base(const struct cfs_indexer_files *f, struct cfs_error *err)
{
	bool has_server = cfs_location_is_url(f->base) &&
			  strlen(strstr(f->base, "://")) > 3;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].is_remote && !has_server)
			return cfs_error_set(err, CFS_EUSAGE,
				"archives of several servers, or of a server "
				"and this machine, cannot be in one index");
	return CFS_OK;
}

/* Sets the name: the path behind `from` bytes; for a URL as the user wrote it,
 * a name that becomes that URL again. */
static int set_name(struct cfs_indexer_file *f, size_t from)
{
	struct cfs_slice url = cfs_slice_str(f->path), name;
	const char *member = f->member == NULL ? NULL :
			     f->member - strlen(CFS_WACZ_MARK);
	struct cfs_buf b;

	f->name = f->path + from;
	name = cfs_slice_str(f->name);
	if (member != NULL)
		name.n = (size_t)(member - f->name);
	if (!f->is_given || strpbrk(f->name, "%?") == NULL ||
	    cfs_slice_starts_nocase(url, CFS_SLICE_LIT("s3:")))
		return CFS_OK;
	cfs_buf_init(&b, 4 * CFS_LOCATION_MAX);
	cfs_location_name(&b, name);
	if (member != NULL)
		cfs_buf_adds(&b, member);
	f->name = f->own_name = string_of(&b);
	return f->name != NULL ? CFS_OK : CFS_ENOMEM;
}

/* Names are stored in a file that others open. */
static bool is_usable(const struct cfs_indexer_files *f,
		      struct cfs_indexer_file *file)
{
	(void)f;
	if (cfs_name_stays_below(cfs_slice_str(file->name)))
		return true;
	cfs_log(CFS_LOG_WARNING, "%.200s: left out: its name is not possible "
		"in an index (too long, or it has an empty part)", file->path);
	return false;
}

/* Finds the base of all files, and their names below it; leaves out files whose
 * names cannot be in an index. */
static int name_files(struct cfs_indexer_files *f,
		      const struct cfs_indexer_opts *opts,
		      struct cfs_error *err)
{
	size_t n;
	int rc = cfs_indexer_base(&f->base, opts, err);

	if (rc != CFS_OK)
		return rc;
	for (size_t i = 0; i < f->n; i++)
		if (shorten_base(f->base, f->v[i].path))
			f->is_other_base = true;
	if (f->is_other_base && f->n > 0) {	/* the deepest common one */
		char *dir = strdup(f->v[0].path);

		if (dir == NULL)
			return cfs_error_nomem(err);
		*strrchr(dir, '/') = '\0';
		for (size_t i = 0; i < f->n; i++)
			shorten_base(dir, f->v[i].path);
		f->asked_base = f->base;
		f->base = dir;
	}
	f->is_web_base = opts->base == NULL && !f->is_other_base &&
			 cfs_location_is_url(f->base);
	if (check_base(f, err) != CFS_OK)
		return CFS_EUSAGE;
	n = strlen(f->base);
	for (size_t i = 0; i < f->n; i++)
		if (set_name(&f->v[i], n + 1) != CFS_OK)
			return cfs_error_nomem(err);
	keep_those(f, is_usable);
	return CFS_OK;
}

void cfs_indexer_warn_of_base(const struct cfs_indexer_files *f,
			      const char *output)
{
	if (f->is_other_base || f->is_web_base)
		cfs_log(CFS_LOG_WARNING, "%s: archives are named relative to "
			"'%s/', which is not the index's folder: mount it "
			"with -o data=%s/", output, f->base, f->base);
}

/* ---- names in a PB-tree ---- */

/* The archives that an index or a CDX file names are not known yet. */
static bool is_of_pbtree(const struct cfs_indexer_files *f,
			 struct cfs_indexer_file *file)
{
	struct cfs_pbtree_value place;
	size_t n;

	(void)f;
	if (file->role == CFS_FILE_CDX || file->role == CFS_FILE_INDEX ||
	    cfs_pbtree_place(cfs_slice_str(file->name), &place, &n))
		return true;
	cfs_builder_no_place(file->path);
	return false;
}

int cfs_indexer_list(struct cfs_indexer_files *f,
		     const struct cfs_indexer_opts *opts, struct cfs_error *err)
{
	int rc = CFS_OK;

	memset(f, 0, sizeof(*f));
	f->opener = cfs_opener_or_plain(opts->opener);
	f->cache_dir = opts->cache_dir;
	f->cancel = opts->cancel;
	f->refused = opts->refused;
	f->refused_arg = opts->arg;
	cfs_wacz_pages_init(&f->pages);
	f->format = opts->format;
	f->reads_archives = opts->reads_archives;
	f->pages.is_full = opts->format != CFS_INDEX_CFX;	/* no notes */
	for (size_t i = 0; i < opts->n_inputs; i++)
		if ((rc = cfs_input_exists(opts->inputs[i], err)) != CFS_OK)
			return rc;
	for (size_t i = 0; rc == CFS_OK && i < opts->n_inputs; i++)
		rc = add_input(f, opts->inputs[i], opts, err);
	if (rc != CFS_OK)
		return cfs_error_set(err, rc, rc == CFS_EINTR ? "interrupted" :
				     "out of memory");
	if (f->n > 0)
		qsort(f->v, f->n, sizeof(*f->v), files_by_path);
	files_drop_repeats(f);
	cfs_wacz_pages_sort(&f->pages);
	rc = name_files(f, opts, err);
	if (rc == CFS_OK && opts->format == CFS_INDEX_PBTREE)
		keep_those(f, is_of_pbtree);
	return rc;
}
