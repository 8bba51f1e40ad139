/* web_folder.c - reads the pages of a web folder recursively, or lists a
 * bucket.
 *
 * Folders wait in a queue.  Of a page only links that lie below its own folder
 * count, so each step goes down.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "web_folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/strtab.h"
#include "base/text.h"
#include "folder_page.h"
#include "index/index.h"
#include "net/location.h"
#include "net/open_location.h"
#include "net/s3.h"
#include "pathlist.h"
#include "record/sniff.h"
#include "record/wacz.h"
#include "format/open_index.h"

#define ASK_THREADS 16u
#define FOLDER_NAMES_MAX ((size_t)64 << 20)

struct folder_walk {
	struct cfs_web_folder *out;
	struct cfs_strtab *folders;	/* names below the SOURCE; "" is
					 * itself */
	uint32_t at;			/* number of the current folder */
	bool is_too_deep;
	struct cfs_buf path;
	struct cfs_ctx ctx;
};

bool cfs_web_folder_is_url(const char *location)
{
	struct cfs_slice s = cfs_slice_str(location);
	const char *host;

	if (!cfs_slice_starts_nocase(s, CFS_SLICE_LIT("http://")) &&
	    !cfs_slice_starts_nocase(s, CFS_SLICE_LIT("https://")) &&
	    !cfs_slice_starts_nocase(s, CFS_SLICE_LIT("s3://")))
		return false;
	host = strstr(location, "://") + 3;
	return host[0] != '/' && s.p[s.n - 1] == '/' &&
	       (host[strcspn(host, "?#")] == '\0' ||
		cfs_slice_starts_nocase(s, CFS_SLICE_LIT("s3://")));
}

void cfs_web_folder_free(struct cfs_web_folder *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].name);
	free(f->v);
	free(f->url);
	free(f);
}

/* ---- files and folders -------------------------------------------------- */

static bool web_folder_is_archive(struct cfs_slice name)
{
	return cfs_sniff_is_archive_name(name) ||
	       cfs_wacz_role_of(name) == CFS_WACZ_INSIDE;
}

static char *copy_of(struct cfs_slice s)
{
	return strndup((const char *)s.p, s.n);
}

static int web_folder_add_file(struct folder_walk *w, struct cfs_slice name,
			       uint64_t bytes, uint32_t state)
{
	struct cfs_web_folder *f = w->out;
	bool index = cfs_index_is_name(name);
	int rc;

	if (!index && !web_folder_is_archive(name)) {
		f->n_others++;
		return CFS_OK;
	}
	if (bytes == 0)		/* being written, or marks a folder */
		return CFS_OK;
	rc = cfs_array_reserve((void **)&f->v, &f->room, f->n + 1,
			       sizeof(*f->v), CFS_WEB_FILES_MAX);
	if (rc == CFS_ELIMIT)
		return cfs_error_at(w->ctx.err, rc, f->url, 0, "more than %u "
				    "archives", CFS_WEB_FILES_MAX);
	if (rc != CFS_OK)
		return cfs_error_nomem(w->ctx.err);
	f->v[f->n] = (struct cfs_web_file){ .name = copy_of(name),
		.bytes = bytes, .state = state, .is_index = index };
	if (f->v[f->n].name == NULL)
		return cfs_error_nomem(w->ctx.err);
	f->n++;
	return CFS_OK;
}

/* The number of slashes in a name. */
static unsigned slashes_of(struct cfs_slice name)
{
	unsigned n = 0;

	for (size_t i = 0; i < name.n; i++)
		n += name.p[i] == '/';
	return n;
}

/* Warns only of the first folder. */
static void warn_too_deep(struct folder_walk *w, struct cfs_slice folder)
{
	if (!w->is_too_deep)
		cfs_log(CFS_LOG_WARNING,
			"%s%.*s/: left out, as are all folders "
			"more than %u deep",
			w->out->url, (int)folder.n, (const char *)folder.p,
			CFS_WEB_DEPTH_MAX);
	w->is_too_deep = true;
}

/* Queues a folder, if it is new. */
static int web_folder_add_folder(struct folder_walk *w, struct cfs_slice name)
{
	uint32_t number;
	int rc;

	if (slashes_of(name) >= CFS_WEB_DEPTH_MAX) {
		warn_too_deep(w, name);
		return CFS_OK;
	}
	rc = cfs_strtab_add_up_to(w->folders, name, CFS_WEB_FOLDERS_MAX,
				  &number);
	if (rc == CFS_ELIMIT)
		return cfs_error_at(w->ctx.err, rc, w->out->url, 0,
				    "more than %u folders below it",
				    CFS_WEB_FOLDERS_MAX);
	return rc != CFS_OK ? cfs_error_nomem(w->ctx.err) : CFS_OK;
}

static int on_listed(void *arg, const struct cfs_listed *l)
{
	struct folder_walk *w = arg;
	struct cfs_slice from = cfs_strtab_get(w->folders, w->at), name;

	cfs_buf_reset(&w->path);
	cfs_buf_add(&w->path, from);
	if (from.n > 0)
		cfs_buf_addc(&w->path, '/');
	cfs_buf_add(&w->path, l->name);
	name = cfs_buf_slice(&w->path);
	if (w->path.failed == CFS_ENOMEM)
		return cfs_error_nomem(w->ctx.err);
	if (w->path.failed != CFS_OK)	/* too long for a URL */
		return CFS_OK;
	return l->is_folder ? web_folder_add_folder(w, name) :
			      web_folder_add_file(w, name, l->bytes, l->state);
}

/* ---- pages ------------------------------------------------------------- */

/* Appends the URL of the current folder. */
static void web_folder_add_url(struct folder_walk *w, struct cfs_buf *url)
{
	struct cfs_slice name = cfs_strtab_get(w->folders, w->at);

	cfs_location_join(url, w->out->url, name);
	if (name.n > 0)
		cfs_buf_addc(url, '/');
}

/* True for failures that only skip a subfolder. */
static bool web_folder_is_passable(const struct folder_walk *w, int rc)
{
	return w->at > 0 && (rc == CFS_EACCESS || rc == CFS_ENOTFOUND ||
			     rc == CFS_EFORMAT);
}

static int read_folder(struct folder_walk *w, struct cfs_buf *page)
{
	struct cfs_error e = CFS_ERROR_INIT;
	CFS_BUF(url, 4 * CFS_LOCATION_MAX);
	const char *where;
	int rc;

	cfs_buf_reset(page);
	web_folder_add_url(w, &url);
	where = cfs_buf_str(&url);
	rc = url.failed != CFS_OK ? cfs_error_nomem(&e) :
	     cfs_page_get(page, where, CFS_FOLDER_PAGE_PAGE_MAX,
			  CFS_CTX(w->ctx.cancel, &e));
	if (rc == CFS_EACCESS && w->at == 0) {
		cfs_error_clear(&e);
		cfs_error_at(&e, rc, where, 0, "the server refuses to list the "
			     "folder: name a file in it");
	}
	if (rc == CFS_OK)
		rc = cfs_folder_page_parse(where, cfs_buf_slice(page),
					   on_listed, w, &e);
	cfs_error_where(&e, where, 0);
	if (web_folder_is_passable(w, rc)) {
		cfs_log_error(CFS_LOG_WARNING, &e);
		rc = CFS_OK;
	}
	cfs_error_pass(w->ctx.err, &e, rc);
	return rc;
}

static int web_folder_read_pages(struct folder_walk *w)
{
	CFS_BUF(page, CFS_FOLDER_PAGE_PAGE_MAX);
	int rc = web_folder_add_folder(w, CFS_SLICE_EMPTY);

	for (w->at = 0; rc == CFS_OK && w->at < cfs_strtab_count(w->folders);
	     w->at++)
		rc = cfs_cancelled(w->ctx.cancel) ?
		     cfs_error_set(w->ctx.err, CFS_EINTR, "interrupted") :
		     read_folder(w, &page);
	w->out->n_folders = w->at;
	return rc;
}

/* ---- buckets ----------------------------------------------------------- */

struct listing_bucket {
	struct folder_walk *w;
	struct cfs_slice prefix;
	size_t n_odd;		/* archives whose keys are not names */
	char first[256];	/* the first of them */
};

/* Keys are any bytes: one with an empty component, "." or "..", or a control
 * byte is not a path. */
static bool is_path(struct cfs_slice key)
{
	for (size_t i = 0; i < key.n; i++)
		if (key.p[i] < 0x20 || key.p[i] == 0x7f)
			return false;
	while (key.n > 0) {
		struct cfs_slice part = cfs_slice_split(&key, '/');

		if (part.n == 0 || cfs_slice_eq(part, CFS_SLICE_LIT(".")) ||
		    cfs_slice_eq(part, CFS_SLICE_LIT("..")))
			return false;
	}
	return true;
}

static void note_odd(struct listing_bucket *b, struct cfs_slice name)
{
	if (is_path(name) ||
	    (!web_folder_is_archive(name) && !cfs_index_is_name(name)))
		return;
	if (b->n_odd++ == 0)
		snprintf(b->first, sizeof(b->first), "%.*s",
			 (int)(name.n < sizeof(b->first) ? name.n :
			       sizeof(b->first) - 1), (const char *)name.p);
}

/* Does a component begin with a dot, or is the name too deep? */
static bool web_folder_is_left_out(struct listing_bucket *b,
				   struct cfs_slice name)
{
	struct folder_walk *w = b->w;

	if (!cfs_folder_page_is_name(name)) {
		note_odd(b, name);
		return true;
	}
	if (slashes_of(name) <= CFS_WEB_DEPTH_MAX)
		return false;
	name.n = (size_t)cfs_slice_rfind(name, '/');
	warn_too_deep(w, name);
	return true;
}

/* Hashes ETag and time; 0: neither is listed. */
static uint32_t web_folder_state_of(const struct cfs_s3_object *o)
{
	CFS_BUF(text, 2 * CFS_LOCATION_MAX);
	uint32_t state = 0;

	cfs_buf_add(&text, o->etag);
	cfs_buf_addc(&text, ' ');
	cfs_buf_add(&text, o->modified);
	if (text.failed == CFS_OK && text.n > 1)
		state = cfs_folder_page_state(cfs_buf_slice(&text));
	return state;
}

static int on_object(void *arg, const struct cfs_s3_object *o)
{
	struct listing_bucket *b = arg;
	struct cfs_slice name = cfs_slice_from(o->key, b->prefix.n);

	/* A server should list only keys below the SOURCE. */
	if (!cfs_slice_starts(o->key, b->prefix))
		return CFS_OK;
	if (web_folder_is_left_out(b, name)) {
		b->w->out->n_others++;
		return CFS_OK;
	}
	return web_folder_add_file(b->w, name, o->bytes,
				   web_folder_state_of(o));
}

static int read_bucket(struct folder_walk *w)
{
	struct cfs_slice s = cfs_slice_from(cfs_slice_str(w->out->url), 5);
	struct cfs_slice bucket = cfs_slice_split(&s, '/');
	struct listing_bucket b = { .w = w, .prefix = s };
	int rc = cfs_s3_list(bucket, s, on_object, &b, w->ctx);

	char n[CFS_TEXT_COUNT_BYTES];

	cfs_error_where(w->ctx.err, w->out->url, 0);
	if (b.n_odd > 0)
		cfs_log(CFS_LOG_WARNING, "%s: %s left out whose keys cannot be "
			"names of files, the first '%s'", w->out->url,
			cfs_text_count(b.n_odd, "archive", n), b.first);
	w->out->n_folders = 1;
	return rc;
}

/* ---- requesting files --------------------------------------------------- */

struct folder_asking {
	const struct cfs_web_folder *f;
	struct cfs_web_file **files;
};

static int ask_source(struct cfs_web_file *file, struct cfs_source *src,
		      struct cfs_ctx ctx)
{
	char text[CFS_VALIDATOR_BYTES];
	int rc = cfs_source_find_size(src, ctx);

	if (rc == CFS_ENOTFOUND) {	/* removed meanwhile */
		cfs_error_clear(ctx.err);
		file->bytes = 0;
		return CFS_OK;
	}
	if (rc != CFS_OK)
		return rc;
	file->bytes = src->size;
	if (file->state == 0 && cfs_source_validator(src, text))
		file->state = cfs_folder_page_state(cfs_slice_str(text));
	return CFS_OK;
}

static int web_folder_ask_one(void *arg, size_t i, unsigned thread,
			      struct cfs_ctx ctx)
{
	const struct folder_asking *a = arg;
	struct cfs_source *src = NULL;
	CFS_BUF(url, 4 * CFS_LOCATION_MAX);
	int rc;

	(void)thread;
	cfs_location_join(&url, a->f->url, cfs_slice_str(a->files[i]->name));
	rc = url.failed != CFS_OK ? cfs_error_nomem(ctx.err) :
	     cfs_http_open(&src, cfs_buf_str(&url), ctx.err);
	if (rc == CFS_OK)
		rc = ask_source(a->files[i], src, ctx);
	cfs_source_close(src);
	cfs_error_where(ctx.err, cfs_buf_str(&url), 0);
	return rc;
}

int cfs_web_folder_ask(struct cfs_web_folder *f, struct cfs_ctx ctx)
{
	struct folder_asking a = { .f = f };
	struct cfs_pool_calls calls = { .threads = ASK_THREADS,
					.one = web_folder_ask_one,
					.arg = &a };
	size_t n = 0;
	int rc;

	a.files = calloc(f->n + 1, sizeof(*a.files));
	if (a.files == NULL)
		return cfs_error_nomem(ctx.err);
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].is_asked)
			a.files[n++] = &f->v[i];
	calls.n = n;
	rc = cfs_pool_each(&calls, ctx);
	for (size_t i = 0; i < n; i++)
		a.files[i]->is_asked = false;
	free(a.files);
	return rc;
}

/* ---- reading ------------------------------------------------------------ */

static int web_folder_by_name(const void *a, const void *b)
{
	const struct cfs_web_file *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	/* A link that states its file's state comes before others to the
	 * file. */
	return c != 0 ? c : (x->state == 0) - (y->state == 0);
}

static void sort(struct cfs_web_folder *f)
{
	size_t n = 0;

	if (f->n > 1)
		qsort(f->v, f->n, sizeof(*f->v), web_folder_by_name);
	for (size_t i = 0; i < f->n; i++) {
		if (n > 0 && strcmp(f->v[n - 1].name, f->v[i].name) == 0)
			free(f->v[i].name);
		else
			f->v[n++] = f->v[i];
	}
	f->n = n;
	for (size_t i = 0; i < f->n; i++) {
		f->n_indexes += f->v[i].is_index;
		f->v[i].is_asked = f->v[i].state == 0;
	}
}

static int explain_none(const struct cfs_web_folder *f, struct cfs_error *err)
{
	char n[CFS_TEXT_COUNT_BYTES];

	if (f->n_others > 0)
		return cfs_error_at(err, CFS_ENOTFOUND, f->url, 0, "no archive "
				    "among the %s listed there",
				    cfs_text_count(f->n_others, "other file",
						   n));
	if (f->n_folders > 1)
		return cfs_error_at(err, CFS_ENOTFOUND, f->url, 0, "no file is "
				    "listed there, nor in the %s below",
				    cfs_text_count(f->n_folders - 1, "folder",
						   n));
	return cfs_error_at(err, CFS_ENOTFOUND, f->url, 0,
			    "nothing below it is "
			    "listed there: an empty folder, or a web page that "
			    "lists none");
}

int cfs_web_folder_read(struct cfs_web_folder **out, const char *url,
			struct cfs_ctx ctx)
{
	bool is_s3 = cfs_slice_starts_nocase(cfs_slice_str(url),
					     CFS_SLICE_LIT("s3:"));
	struct folder_walk w = { .ctx = ctx };
	int rc = CFS_OK;

	*out = NULL;
	w.out = calloc(1, sizeof(*w.out));
	w.folders = cfs_strtab_new(FOLDER_NAMES_MAX);
	cfs_buf_init(&w.path, CFS_LOCATION_MAX);
	if (w.out == NULL || (w.out->url = strdup(url)) == NULL ||
	    w.folders == NULL)
		rc = cfs_error_nomem(ctx.err);
	else
		rc = is_s3 ? read_bucket(&w) : web_folder_read_pages(&w);
	if (rc != CFS_OK)
		goto out;
	sort(w.out);
	rc = w.out->n == 0 ? explain_none(w.out, ctx.err) :
			     cfs_web_folder_ask(w.out, ctx);
	if (rc != CFS_OK)
		goto out;
	*out = w.out;
	w.out = NULL;			/* now the caller's */
out:
	cfs_web_folder_free(w.out);
	cfs_strtab_free(w.folders);
	cfs_buf_release(&w.path);
	return rc;
}

static int on_named(void *arg, struct cfs_slice name)
{
	struct folder_walk *w = arg;

	return cfs_cancelled(w->ctx.cancel) ? CFS_EINTR :
	       web_folder_add_file(w, name, UINT64_MAX,
				   cfs_folder_page_state(name));
}

int cfs_web_folder_of_list(struct cfs_web_folder **out, const char *list,
			   const char *base, struct cfs_ctx ctx)
{
	size_t n = strlen(base);
	struct folder_walk w = { .ctx = ctx };
	int rc;

	*out = w.out = calloc(1, sizeof(*w.out));
	if (w.out == NULL ||
	    asprintf(&w.out->url, "%s%s", base,
		     n > 0 && base[n - 1] == '/' ? "" : "/") < 0)
		rc = cfs_error_nomem(ctx.err);
	else
		rc = cfs_pathlist_read(list, on_named, &w, ctx);
	if (rc == CFS_OK)
		sort(w.out);
	if (rc == CFS_OK && w.out->n == w.out->n_indexes)
		rc = cfs_error_at(ctx.err, CFS_ENOTFOUND, list, 0,
				  "names no archive");
	if (rc != CFS_OK) {
		cfs_web_folder_free(w.out);
		*out = NULL;
	}
	return rc;
}

uint64_t cfs_web_folder_state(const struct cfs_web_folder *f)
{
	uint64_t state = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct cfs_web_file *file = &f->v[i];
		uint8_t tail[12];

		if (file->is_index)
			continue;
		cfs_le64_put(tail, file->bytes);
		cfs_le32_put(tail + 8, file->state);
		state = cfs_hash64(cfs_slice_str(file->name), state);
		state = cfs_hash64(cfs_slice_of(tail, sizeof(tail)), state);
	}
	return state;
}
