/* indexer_wacz.c - WACZ files among the inputs of an index.
 *
 * Local WACZ files have their archives scanned.  Of remote ones the indexes are
 * read, as a whole, or the archives if there is no index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_wacz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/strtab.h"
#include "input/input.h"
#include "input/wacz_pages.h"
#include "record/zipped.h"

/* Makes "crawl.wacz#!/archive/x.warc.gz", malloced. */
static char *member_path(const char *file, const char *member)
{
	CFS_BUF(b, SIZE_MAX / 2);

	cfs_buf_adds(&b, file);
	cfs_buf_adds(&b, CFS_WACZ_MARK);
	cfs_buf_adds(&b, member);
	return b.failed == CFS_OK ? strdup(cfs_buf_str(&b)) : NULL;
}

static bool is_packed(const struct cfs_wacz_member *m)
{
	return m->at.method != CFS_ZIP_STORED &&
	       (m->role == CFS_WACZ_ARCHIVE || m->role == CFS_WACZ_INSIDE);
}

/* Is the member a file of its own, by a name with a mark?  Compressed ones are;
 * so are archives in zstd, whose dictionary is at their beginning. */
static bool is_file(const struct cfs_wacz_member *m)
{
	return is_packed(m) || (m->role == CFS_WACZ_ARCHIVE &&
				cfs_slice_ends(cfs_slice_str(m->path),
					       CFS_SLICE_LIT(".zst")));
}

/* Logs what skips only one member or list; false if it is fatal. */
static bool is_passable(struct cfs_error *e, int rc)
{
	if (rc == CFS_ENOMEM || rc == CFS_EINTR)
		return false;
	cfs_log_error(CFS_LOG_WARNING, e);
	return true;
}

/* Reads the lists of pages in a WACZ.  If one fails, only its titles are
 * missing. */
static int read_pages(struct cfs_indexer_files *f,
		      const struct cfs_indexer_file *file,
		      struct cfs_source *src, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < file->wacz->n; i++) {
		const struct cfs_wacz_member *m = &file->wacz->v[i];
		struct cfs_error e = CFS_ERROR_INIT;
		struct cfs_source *list;

		if (m->role != CFS_WACZ_PAGES || f->pages.is_full)
			continue;
		if (!src->is_local &&
		    m->at.stored > CFS_WACZ_PAGES_REMOTE_MAX) {
			cfs_log(CFS_LOG_WARNING, "%s: '%s' is too long to be "
				"fetched: no titles", file->path, m->path);
			continue;
		}
		rc = cfs_wacz_open_list(&list, cfs_source_ref(src), m,
					CFS_CTX(ctx.cancel, &e));
		if (rc == CFS_OK) {
			rc = cfs_wacz_pages_add(&f->pages,
						file->pages_id + m->package,
						list, CFS_CTX(ctx.cancel, &e));
			cfs_source_close(list);
		}
		if (rc != CFS_OK && is_passable(&e, rc))
			rc = CFS_OK;
		else
			cfs_error_pass(ctx.err, &e, rc);
	}
	return rc;
}

#define NAMES_BYTES ((size_t)256 << 20)		/* of all files */
#define REQUIRED_LOGGED 20u

static void add_last_part(struct cfs_strtab *names, const char *path)
{
	uint32_t k;

	cfs_strtab_add(names, cfs_slice_last_part(cfs_slice_str(path)), &k);
}

void cfs_indexer_warn_of_required(const struct cfs_indexer_files *f,
				  const struct cfs_indexer_opts *opts)
{
	struct cfs_strtab *names = cfs_strtab_new(NAMES_BYTES);
	uint32_t n, k, logged = 0;

	for (size_t i = 0; names != NULL && i < f->n; i++)
		add_last_part(names, f->v[i].path);
	for (size_t i = 0; names != NULL && i < opts->n_beside; i++)
		add_last_part(names, opts->beside[i]);
	n = names != NULL ? cfs_strtab_count(names) : 0;
	for (size_t i = 0; names != NULL && i < f->n; i++) {
		struct cfs_slice rest = f->v[i].wacz == NULL ? CFS_SLICE_EMPTY :
				cfs_buf_slice(&f->v[i].wacz->required);

		while (rest.n > 0 && logged < REQUIRED_LOGGED) {
			struct cfs_slice one = cfs_slice_last_part(
				cfs_slice_split(&rest, 0));

			if (cfs_strtab_add(names, one, &k) != CFS_OK || k < n)
				continue;
			cfs_log(CFS_LOG_WARNING, "%s: requires '%.*s', which "
				"is not among the files: bodies of revisits "
				"may be missing", f->v[i].path,
				(int)(one.n < 200 ? one.n : 200),
				(const char *)one.p);
			logged++;
		}
	}
	cfs_strtab_free(names);
}

/* A WACZ whose ZIP file is damaged is listed as an archive: those in it are
 * stored, so a scan finds their records, and the index has a row that says what
 * is missing. */
static int add_one(struct cfs_indexer_files *f, char *path, bool is_given,
		   struct cfs_source *src, struct cfs_ctx ctx)
{
	enum cfs_file_role role = CFS_FILE_WACZ;
	struct cfs_wacz *w = calloc(1, sizeof(*w));
	int rc = w != NULL ? cfs_wacz_read(w, src, ctx) :
			     cfs_error_nomem(ctx.err);

	if (rc == CFS_OK && src->is_local)	/* remote ones are not read
						 * whole */
		rc = cfs_wacz_read_hashes(w, src, ctx);
	if (rc == CFS_EFORMAT && cfs_input_is_wacz_name(path)) {
		cfs_log_error(CFS_LOG_WARNING, ctx.err);
		cfs_error_clear(ctx.err);
		role = CFS_FILE_ARCHIVE;
		rc = CFS_OK;
	}
	if (rc != CFS_OK)
		free(path);
	else if (cfs_indexer_add_file(f, path, is_given, role, src) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	if (rc == CFS_OK && role == CFS_FILE_ARCHIVE)
		f->v[f->n - 1].is_told = true;
	if (rc == CFS_OK && role == CFS_FILE_WACZ) {
		f->v[f->n - 1].wacz = w;
		f->v[f->n - 1].pages_id = cfs_hash64(cfs_slice_str(path), 0);
		return read_pages(f, &f->v[f->n - 1], src, ctx);
	}
	if (w != NULL)
		cfs_wacz_release(w);
	free(w);
	return rc;
}

/* Is this member read?  To index a file on a server that is an index, if there
 * is one; else the archives. */
static bool reads_member(const struct cfs_indexer_file *f,
			 const struct cfs_wacz_member *m)
{
	bool by_index = f->is_remote && !f->reads_archives &&
			cfs_wacz_has_index(f->wacz, m->package);

	return m->role == (by_index ? CFS_WACZ_INDEX : CFS_WACZ_ARCHIVE);
}

/* Adds an archive or a WACZ in file `number` as a file of its own; src is the
 * outermost file, whose path has `outer` bytes. */
static int add_own(struct cfs_indexer_files *f, size_t number, size_t outer,
		   struct cfs_source *src, const struct cfs_wacz_member *m,
		   struct cfs_ctx ctx)
{
	const struct cfs_indexer_file *from = &f->v[number];
	uint64_t pages_id = from->pages_id + m->package;
	bool is_given = from->is_given, is_read;
	char *path = member_path(from->path, m->path);
	struct cfs_source of_member = { .size = m->at.size,
					.mtime = src->mtime };
	struct cfs_slice member;
	struct cfs_source *inside;
	int rc;

	if (path == NULL)
		return cfs_error_nomem(ctx.err);
	member = cfs_slice_str(path + outer + strlen(CFS_WACZ_MARK));
	if (m->role == CFS_WACZ_ARCHIVE) {
		is_read = reads_member(from, m);
		rc = cfs_indexer_add_file(f, path, is_given, CFS_FILE_ARCHIVE,
					  &of_member);
		if (rc != CFS_OK)
			return cfs_error_nomem(ctx.err);
		f->v[f->n - 1].is_listed = !is_read;
		f->v[f->n - 1].pages_id = pages_id;
		f->v[f->n - 1].of = m;
	} else {
		rc = cfs_zipped_open(&inside, cfs_source_ref(src), member,
				     f->cache_dir, ctx);
		if (rc != CFS_OK) {
			free(path);
			return rc;
		}
		rc = add_one(f, path, is_given, inside, ctx);
		cfs_source_close(inside);
		if (rc != CFS_OK)
			return rc;
	}
	f->v[f->n - 1].member = (const char *)member.p;
	return CFS_OK;
}

/* Warns of compressed archives, which cannot be read from the middle. */
static void warn_of_packed(const struct cfs_wacz *w, const char *path,
			   const char *cache_dir)
{
	const char *below = cache_dir != NULL ? cache_dir : "";
	uint64_t bytes = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (is_packed(&w->v[i])) {
			bytes += w->v[i].at.size;
			n++;
		}
	if (n > 0)
		cfs_log(CFS_LOG_WARNING, "%s: %zu of its archives %s "
			"compressed in the ZIP file, where they should be "
			"stored: inflated once, %" PRIu64 " bytes in all%s%s",
			path, n, n == 1 ? "is" : "are", bytes,
			cache_dir != NULL ? ", below " : "", below);
}

/* The totals of one input with everything in it; limited by may_add. */
struct sum {
	const char *path;
	uint64_t packed_max, packed;	/* inflated bytes */
	size_t inside, members;
	bool is_full;
};

static bool fill(struct sum *s, bool fits, const char *what)
{
	if (!fits && !s->is_full)
		cfs_log(CFS_LOG_WARNING, "%s: %s: the others are left out",
			s->path, what);
	s->is_full = s->is_full || !fits;
	return fits;
}

/* Limits what one input can expand to: a small ZIP file, with others in it,
 * could inflate to any size.  Real ones stay far below these limits. */
static bool may_add(struct sum *s, const struct cfs_wacz_member *m)
{
	bool is_inside = m->role == CFS_WACZ_INSIDE;
	uint64_t bytes = is_packed(m) ? m->at.size : 0;

	if (!fill(s, bytes <= s->packed_max - s->packed, "its members inflate "
		  "to more than the cache has room for") ||
	    !fill(s, !is_inside || s->inside < CFS_WACZ_INSIDE_MAX,
		  "too many WACZ files inside"))
		return false;
	s->packed += bytes;
	s->inside += is_inside;
	return true;
}

/* Adds the members of file i that are files of their own. */
static int add_members(struct cfs_indexer_files *f, size_t i, size_t outer,
		       struct cfs_source *src, struct sum *sum,
		       struct cfs_ctx ctx)
{
	const struct cfs_wacz *w = f->v[i].wacz;
	int rc = CFS_OK;

	if (w == NULL)
		return CFS_OK;
	sum->members += w->n;
	if (!fill(sum, sum->members <= CFS_WACZ_MEMBERS_MAX,
		  "too many files inside"))
		return CFS_OK;
	warn_of_packed(w, f->v[i].path, f->cache_dir);
	for (size_t k = 0; rc == CFS_OK && k < w->n; k++) {
		const struct cfs_wacz_member *m = &w->v[k];
		struct cfs_error e = CFS_ERROR_INIT;

		if (!is_file(m) || !may_add(sum, m))
			continue;
		rc = add_own(f, i, outer, src, m, CFS_CTX(ctx.cancel, &e));
		if (rc != CFS_OK && is_passable(&e, rc))
			rc = CFS_OK;
		else
			cfs_error_pass(ctx.err, &e, rc);
	}
	return rc;
}

int cfs_indexer_add_wacz(struct cfs_indexer_files *f, char *path, bool is_given,
			 struct cfs_source *src, struct cfs_ctx ctx)
{
	size_t first = f->n, outer = strlen(path);
	struct sum sum = { .packed_max = cfs_wacz_packed_max(src->size) };
	int rc = add_one(f, path, is_given, src, ctx);

	for (size_t i = first; rc == CFS_OK && i < f->n && !sum.is_full; i++) {
		sum.path = f->v[first].path;
		rc = add_members(f, i, outer, src, &sum, ctx);
	}
	return rc;
}

/* True for members that are read as parts of f, not as files of their own. */
static bool is_part(const struct cfs_indexer_file *f,
		    const struct cfs_wacz_member *m)
{
	return reads_member(f, m) && !is_file(m);
}

const struct cfs_wacz_member *
cfs_indexer_next_member(const struct cfs_indexer_file *f, size_t *at)
{
	while (f->wacz != NULL && *at < f->wacz->n) {
		const struct cfs_wacz_member *m = &f->wacz->v[(*at)++];

		if (is_part(f, m))
			return m;
	}
	return NULL;
}

struct cfs_slice cfs_indexer_notes(const struct cfs_indexer_files *files,
				   const struct cfs_indexer_file *f,
				   const struct cfs_wacz_member *m,
				   struct cfs_slice url, int64_t time)
{
	return cfs_wacz_pages_find(&files->pages, f->pages_id +
				   (m != NULL ? m->package : 0), url, time);
}

uint64_t cfs_indexer_work_bytes(const struct cfs_indexer_file *f)
{
	const struct cfs_wacz_member *m;
	uint64_t bytes = 0;
	size_t at = 0;

	if (f->is_listed)
		return 0;
	if (f->wacz == NULL)
		return f->size;
	while ((m = cfs_indexer_next_member(f, &at)) != NULL)
		bytes += m->at.stored;
	return bytes;
}

/* Has archives of a WACZ that are files of their own read: they come behind
 * it, in the order of paths.  Returns their bytes. */
static uint64_t read_own(struct cfs_indexer_files *files, size_t i)
{
	struct cfs_slice path = cfs_slice_str(files->v[i].path);
	const struct cfs_wacz *w = files->v[i].wacz;
	uint64_t bytes = 0;

	while (++i < files->n &&
	       cfs_slice_starts(cfs_slice_str(files->v[i].path), path)) {
		struct cfs_indexer_file *f = &files->v[i];

		if (!f->is_listed || f->of < w->v || f->of >= w->v + w->n)
			continue;
		f->is_listed = false;
		bytes += f->size;
	}
	return bytes;
}

uint64_t cfs_indexer_leave_lists(struct cfs_indexer_files *files)
{
	uint64_t bytes = 0, before;

	for (size_t i = 0; i < files->n; i++) {
		struct cfs_indexer_file *f = &files->v[i];

		if (!f->has_bad_list || f->reads_archives)
			continue;
		before = bytes;
		f->reads_archives = true;
		bytes += cfs_indexer_work_bytes(f) + read_own(files, i);
		if (bytes > before)
			cfs_log(CFS_LOG_WARNING, "%s: its index is damaged: "
				"its archives are read", f->path);
	}
	return bytes;
}

int cfs_indexer_open_part(struct cfs_source **out,
			  const struct cfs_indexer_files *files,
			  const struct cfs_indexer_file *f,
			  const struct cfs_wacz_member *m, struct cfs_ctx ctx)
{
	bool is_list = m != NULL && m->role != CFS_WACZ_ARCHIVE;
	struct cfs_source *src;
	char *name;
	int rc = cfs_indexer_open_input(&src, files, f, is_list, ctx);

	*out = rc == CFS_OK ? src : NULL;
	if (rc != CFS_OK || m == NULL)
		return rc;
	if (is_list)
		return cfs_wacz_open_list(out, src, m, ctx);
	name = member_path(f->path, m->path);
	if (name == NULL) {
		cfs_source_close(src);
		return cfs_error_nomem(ctx.err);
	}
	rc = cfs_source_open_window(&src, src, m->at.offset, m->at.stored, name,
				    ctx.err);
	free(name);
	if (rc != CFS_OK || src->is_local) {
		*out = src;
		return rc;
	}
	return cfs_source_open_stream(out, src, ctx);
}

/* Finds the number of an archive that is a file of its own. */
static bool find_own(const struct cfs_indexer_files *files,
		     const struct cfs_indexer_file *f,
		     const struct cfs_wacz_member *m, uint32_t *number)
{
	char *path = member_path(f->path, m->path);
	size_t at = 0;

	if (path == NULL)
		return false;
	CFS_LOWER_BOUND(at, files->n, i, strcmp(files->v[i].path, path) < 0);
	*number = (uint32_t)at;
	at = at < files->n && strcmp(files->v[at].path, path) == 0;
	free(path);
	return at != 0;
}

bool cfs_indexer_find_archive(const struct cfs_indexer_files *files,
			      const struct cfs_indexer_file *f,
			      uint32_t package, struct cfs_slice name,
			      uint32_t *number, uint64_t *shift)
{
	const struct cfs_wacz_member *m = cfs_wacz_archive(f->wacz, package,
							   name);

	if (m == NULL)
		return false;
	*shift = is_file(m) ? 0 : m->at.offset;
	*number = (uint32_t)(f - files->v);
	return !is_file(m) || find_own(files, f, m, number);
}
