/* wacz.c - lists the members of a WACZ, and of the WACZ files in it.
 *
 * Spec: doc/formats.md, "WACZ".  Members are recognised by their names:
 *     archive/x.warc.gz   archives; also .warc .arc .arc.gz, in any folder
 *     indexes/x.cdx       indexes; also .cdxj .cdx.gz .cdxj.gz.  Indexes of
 *                         blocks (.idx) are never used: some crawlers wrote
 *                         wrong keys into them
 *     pages/x.jsonl       lists of pages
 *     datapackage.json    names, sizes and hashes of members
 *     x.wacz              another WACZ
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "wacz.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/fileio.h"
#include "base/log.h"
#include "inflated.h"
#include "sniff.h"

#define PATH_BYTES_MAX ((size_t)1 << 20)
#define NAMES_SHOWN 3u
/* Inflated bytes may be so many times the stored ones, even if the cache folder
 * has no such room: text shrinks to a tenth, and more is rare. */
#define PACKED_RATIO 20u
#define AHEAD_BYTES ((uint64_t)4 << 20)		/* most of one request */
#define AHEAD_GAP ((uint64_t)64 << 10)

/* A ZIP file, or one inside it, that is still to be read. */
struct wacz_package {
	char *prefix;		/* for its members' paths; owned */
	uint64_t offset, bytes;
	unsigned depth;
};

struct member_reading {
	struct cfs_wacz *w;
	struct cfs_source *src;
	struct wacz_package *v;
	size_t n, room;
	struct cfs_buf seen;	/* some names of members, for messages */
	unsigned n_seen;
	size_t path_bytes;	/* of all members' paths */
	bool is_full;		/* a limit was reached */
	struct cfs_ctx ctx;
};

static bool ends(struct cfs_slice s, const char *suffix)
{
	struct cfs_slice e = cfs_slice_str(suffix);

	return s.n > e.n &&
	       cfs_slice_eq_nocase(cfs_slice_from(s, s.n - e.n), e);
}

/* True if the file is in a folder of that name, wherever that is. */
static bool is_in(struct cfs_slice name, const char *folder)
{
	ptrdiff_t slash = cfs_slice_rfind(name, '/');

	name.n = slash < 0 ? 0 : (size_t)slash;
	return cfs_slice_eq(cfs_slice_last_part(name), cfs_slice_str(folder));
}

enum cfs_wacz_role cfs_wacz_role_of(struct cfs_slice name)
{
	if (memchr(name.p, '\0', name.n) != NULL)
		return CFS_WACZ_NOTHING;
	if (cfs_sniff_is_archive_name(name))
		return CFS_WACZ_ARCHIVE;
	if (ends(name, ".cdx") || ends(name, ".cdxj") ||
	    ends(name, ".cdx.gz") || ends(name, ".cdxj.gz"))
		return CFS_WACZ_INDEX;
	if (ends(name, ".jsonl") && is_in(name, "pages"))
		return CFS_WACZ_PAGES;
	if (cfs_slice_eq(name, CFS_SLICE_LIT("datapackage.json")))
		return CFS_WACZ_PACKAGE;
	if (ends(name, ".wacz") || ends(name, ".wacz.zip"))
		return CFS_WACZ_INSIDE;
	return CFS_WACZ_NOTHING;
}

/* Leaves out everything from now on, and logs that once. */
static int stop(struct member_reading *r, unsigned max, const char *what)
{
	if (!r->is_full)
		cfs_log(CFS_LOG_WARNING, "%s: more than %u %s inside: the "
			"others are left out", r->src->name, max, what);
	r->is_full = true;
	return CFS_OK;
}

static int add_package(struct member_reading *r, char *prefix, uint64_t offset,
		       uint64_t bytes, unsigned depth)
{
	int rc = prefix == NULL ? CFS_ENOMEM :
		 cfs_array_reserve((void **)&r->v, &r->room, r->n + 1,
				   sizeof(*r->v), CFS_WACZ_INSIDE_MAX + 1);

	if (rc == CFS_OK) {
		r->v[r->n++] =
			(struct wacz_package){ prefix, offset, bytes, depth };
		return CFS_OK;
	}
	free(prefix);
	if (rc == CFS_ELIMIT)
		return stop(r, CFS_WACZ_INSIDE_MAX, "WACZ files");
	return cfs_error_nomem(r->ctx.err);
}

static char *join(const char *prefix, struct cfs_slice name, const char *mark)
{
	CFS_BUF(b, PATH_BYTES_MAX);
	char *out = NULL;

	cfs_buf_adds(&b, prefix);
	cfs_buf_add(&b, name);
	cfs_buf_adds(&b, mark);
	if (b.failed == CFS_OK)
		out = strdup(cfs_buf_str(&b));
	return out;
}

static int add_member(struct member_reading *r, const struct wacz_package *p,
		      uint32_t number, const struct cfs_zip_member *m,
		      enum cfs_wacz_role role, const struct cfs_zip_place *at)
{
	struct cfs_wacz *w = r->w;
	char *path;

	r->path_bytes += strlen(p->prefix) + m->name.n;
	if (w->n == CFS_WACZ_MEMBERS_MAX)
		return stop(r, CFS_WACZ_MEMBERS_MAX, "files");
	if (r->path_bytes > CFS_WACZ_PATHS_MAX)
		return stop(r, CFS_WACZ_PATHS_MAX >> 20, "MiB of names");
	path = join(p->prefix, m->name, "");
	if (path == NULL ||
	    cfs_array_reserve((void **)&w->v, &w->room, w->n + 1,
			      sizeof(*w->v), SIZE_MAX) != CFS_OK) {
		free(path);
		return cfs_error_nomem(r->ctx.err);
	}
	w->v[w->n++] = (struct cfs_wacz_member){
		.path = path, .role = role, .package = number, .at = *at };
	w->v[w->n - 1].at.offset += p->offset;
	return CFS_OK;
}

static void note_name(struct member_reading *r, struct cfs_slice name)
{
	if (r->n_seen++ >= NAMES_SHOWN)
		return;
	if (r->n_seen > 1)
		cfs_buf_adds(&r->seen, ", ");
	cfs_buf_addf(&r->seen, "%.*s", (int)(name.n < 60 ? name.n : 60),
		     (const char *)name.p);
}

/* Takes one member of package `number`. */
static int take_member(struct member_reading *r, uint32_t number,
		       struct cfs_zip *z, const struct cfs_zip_member *m)
{
	enum cfs_wacz_role role = cfs_wacz_role_of(m->name);
	struct wacz_package p = r->v[number];
	struct cfs_zip_place at;
	int rc;

	note_name(r, m->name);
	if (role == CFS_WACZ_NOTHING || m->name.n > CFS_NAME_BYTES_MAX)
		return CFS_OK;
	rc = cfs_zip_locate(z, m, &at, r->ctx);
	if (rc != CFS_OK)
		return rc;
	if (role != CFS_WACZ_INSIDE || m->method != CFS_ZIP_STORED)
		return add_member(r, &p, number, m, role, &at);
	if (p.depth >= CFS_WACZ_DEPTH_MAX)
		return cfs_error_at(r->ctx.err, CFS_ELIMIT, r->src->name,
				    m->header,
				    "a WACZ more than %u deep in others",
				    CFS_WACZ_DEPTH_MAX);
	return add_package(r, join(p.prefix, m->name, CFS_WACZ_MARK), p.offset +
			   at.offset, m->stored, p.depth + 1);
}

/* True if the member is read whole. */
static bool is_list(const struct cfs_zip_member *m)
{
	enum cfs_wacz_role role = cfs_wacz_role_of(m->name);

	return role == CFS_WACZ_INDEX || role == CFS_WACZ_PAGES ||
	       role == CFS_WACZ_PACKAGE;
}

/* Prefetches members of a remote file that will be read whole, with their
 * headers; adjacent ones in one request. */
static void ask_ahead(const struct cfs_zip *z)
{
	uint64_t from = 0, to = 0;

	for (size_t i = 0; !z->src->is_local && i <= z->n; i++) {
		const struct cfs_zip_member *m = &z->v[i];

		if (i < z->n && !is_list(m))
			continue;
		if (i < z->n && from < to && m->header - to <= AHEAD_GAP &&
		    m->header + m->extent - from <= AHEAD_BYTES) {
			to = m->header + m->extent;
			continue;
		}
		if (from < to)
			cfs_source_prefetch(z->src, from, (size_t)(to - from));
		if (i < z->n) {
			from = m->header;
			to = from + (m->extent < AHEAD_BYTES ? m->extent :
				     AHEAD_BYTES);
		}
	}
}

/* True, and logged, for an error that costs only one member. */
static bool is_passable(struct member_reading *r, int rc)
{
	if (rc != CFS_EFORMAT && rc != CFS_EUNSUPPORTED && rc != CFS_ELIMIT)
		return false;
	cfs_log_error(CFS_LOG_WARNING, r->ctx.err);
	cfs_error_clear(r->ctx.err);
	return true;
}

/* The name of a package for messages. */
static char *name_of(const struct member_reading *r,
		     const struct wacz_package *p)
{
	struct cfs_slice inside = cfs_slice_str(p->prefix);
	char *outer = join(r->src->name, CFS_SLICE_EMPTY, CFS_WACZ_MARK), *name;

	if (inside.n == 0) {
		free(outer);
		return strdup(r->src->name);
	}
	inside.n -= strlen(CFS_WACZ_MARK);
	name = outer != NULL ? join(outer, inside, "") : NULL;
	free(outer);
	return name;
}

static int take_package(struct member_reading *r, uint32_t number)
{
	const struct wacz_package p = r->v[number];
	char *name = name_of(r, &p);
	struct cfs_source *src;
	struct cfs_zip z;
	int rc;

	if (name == NULL)
		return cfs_error_nomem(r->ctx.err);
	rc = cfs_source_open_window(&src, cfs_source_ref(r->src), p.offset,
				    p.bytes, name, r->ctx.err);
	free(name);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_zip_open(&z, src, r->ctx);
	if (rc == CFS_OK && z.n_repeated > 0)
		cfs_log(CFS_LOG_WARNING, "%s: %" PRIu64 " names stand for "
			"members that have another name: left out", src->name,
			z.n_repeated);
	if (rc == CFS_OK)
		ask_ahead(&z);
	for (size_t i = 0; rc == CFS_OK && i < z.n && !r->is_full; i++) {
		rc = take_member(r, number, &z, &z.v[i]);
		if (rc != CFS_OK && is_passable(r, rc))
			rc = CFS_OK;
	}
	cfs_zip_close(&z);
	cfs_source_close(src);
	return rc;
}

static int check_archives(struct member_reading *r)
{
	for (size_t i = 0; i < r->w->n; i++)
		if (r->w->v[i].role == CFS_WACZ_ARCHIVE ||
		    r->w->v[i].role == CFS_WACZ_INSIDE)
			return CFS_OK;
	if (r->n_seen == 0)
		return cfs_error_at(r->ctx.err, CFS_EFORMAT, r->src->name, 0,
				    "an empty ZIP file");
	return cfs_error_at(r->ctx.err, CFS_EFORMAT, r->src->name, 0,
			    "a ZIP file without archives: it holds %s%s",
			    cfs_buf_str(&r->seen),
			    r->n_seen > NAMES_SHOWN ? ", ..." : "");
}

static int by_name(const void *a, const void *b)
{
	const struct cfs_wacz_name *x = a, *y = b;
	int c = strcmp(x->base, y->base);

	if (x->package != y->package)
		return x->package < y->package ? -1 : 1;
	if (c != 0)
		return c;
	return (x->member > y->member) - (x->member < y->member);
}

/* An archive's name without its folder; "" for an index. */
static const char *base_of(const struct cfs_wacz_member *m)
{
	const char *slash = strrchr(m->path, '/');

	if (m->role == CFS_WACZ_INDEX)
		return "";
	return slash != NULL ? slash + 1 : m->path;
}

/* Sorts names for indexes that name an archive without its folder. */
static int list_names(struct cfs_wacz *w)
{
	w->names = reallocarray(NULL, w->n + 1, sizeof(*w->names));
	if (w->names == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; i < w->n; i++) {
		const struct cfs_wacz_member *m = &w->v[i];

		if (m->role != CFS_WACZ_ARCHIVE && m->role != CFS_WACZ_INDEX)
			continue;
		w->names[w->n_names++] = (struct cfs_wacz_name){
			base_of(m), m->package, (uint32_t)i };
	}
	if (w->n_names > 0)
		qsort(w->names, w->n_names, sizeof(*w->names), by_name);
	return CFS_OK;
}

/* Compares two texts from the end on. */
static int compare_ends(const char *a, size_t a_n, const char *b, size_t b_n)
{
	while (a_n > 0 && b_n > 0) {
		uint8_t x = (uint8_t)a[--a_n], y = (uint8_t)b[--b_n];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (a_n > 0) - (b_n > 0);
}

static int by_path(const void *a, const void *b)
{
	const struct cfs_wacz_path *x = a, *y = b;
	int c;

	if (x->package != y->package)
		return x->package < y->package ? -1 : 1;
	c = compare_ends(x->path, x->n, y->path, y->n);
	if (c != 0)
		return c;
	return (x->member > y->member) - (x->member < y->member);
}

/* Sorts paths for indexes that name archives with their folders. */
static int list_paths(struct cfs_wacz *w)
{
	w->paths = reallocarray(NULL, w->n + 1, sizeof(*w->paths));
	if (w->paths == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; i < w->n; i++) {
		const struct cfs_wacz_member *m = &w->v[i];

		if (m->role == CFS_WACZ_ARCHIVE)
			w->paths[w->n_paths++] = (struct cfs_wacz_path){
				m->path, strlen(m->path), m->package,
				(uint32_t)i };
	}
	if (w->n_paths > 0)
		qsort(w->paths, w->n_paths, sizeof(*w->paths), by_path);
	return CFS_OK;
}

int cfs_wacz_read(struct cfs_wacz *out, struct cfs_source *src,
		  struct cfs_ctx ctx)
{
	struct cfs_error ignored = CFS_ERROR_INIT;
	struct member_reading r = {
		.w = out, .src = src,
		.ctx = { ctx.cancel, ctx.err != NULL ? ctx.err : &ignored }
	};
	int rc;

	*out = (struct cfs_wacz){ .n = 0 };
	cfs_buf_init(&r.seen, 1024);
	rc = add_package(&r, strdup(""), 0, src->size, 0);
	if (rc == CFS_OK)
		rc = take_package(&r, 0);
	for (uint32_t i = 1; rc == CFS_OK && i < r.n && !r.is_full; i++) {
		rc = take_package(&r, i);
		if (rc != CFS_OK && is_passable(&r, rc))
			rc = CFS_OK;
	}
	if (rc == CFS_OK)
		rc = check_archives(&r);
	if (rc == CFS_OK &&
	    (list_names(out) != CFS_OK || list_paths(out) != CFS_OK))
		rc = cfs_error_nomem(ctx.err);
	out->n_packages = (uint32_t)r.n;
	for (size_t i = 0; i < r.n; i++)
		free(r.v[i].prefix);
	free(r.v);
	cfs_buf_release(&r.seen);
	if (rc != CFS_OK)
		cfs_wacz_release(out);
	return rc;
}

void cfs_wacz_release(struct cfs_wacz *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].path);
	free(w->v);
	free(w->names);
	free(w->paths);
	cfs_buf_release(&w->required);
	*w = (struct cfs_wacz){ .n = 0 };
}

/* Most bytes of the name of a copy, which is for messages. */
#define CALLED_MAX ((size_t)1 << 17)

int cfs_wacz_open_copy(struct cfs_source **out, struct cfs_source *src,
		       const struct cfs_zip_place *at, const char *name,
		       uint64_t max, struct cfs_ctx ctx)
{
	const char *tmp = getenv("TMPDIR");
	CFS_BUF(called, CALLED_MAX);
	char path[64];
	int rc, fd;

	cfs_buf_addf(&called, "%s%s%s", src->name, CFS_WACZ_MARK, name);

	tmp = tmp != NULL && tmp[0] == '/' ? tmp : "/tmp";
	fd = cfs_temp_file(tmp);
	rc = fd >= 0 ? CFS_OK :
	     cfs_error_at(ctx.err, CFS_EIO, tmp, 0, "cannot make a temporary file: "
			  "%s", strerror(errno));
	if (rc == CFS_OK)
		rc = cfs_zip_extract(src, at, name, max, fd, tmp, ctx);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rc == CFS_OK)
		rc = cfs_source_open_file_at(out, AT_FDCWD, path,
					     cfs_buf_str(&called), ctx.err);
	if (fd >= 0)
		close(fd);
	cfs_source_close(src);
	return rc;
}

uint64_t cfs_wacz_packed_max(uint64_t stored)
{
	uint64_t room = cfs_inflated_room();

	if (stored > UINT64_MAX / PACKED_RATIO)
		return UINT64_MAX;
	return stored * PACKED_RATIO > room ? stored * PACKED_RATIO : room;
}

int cfs_wacz_open_list(struct cfs_source **out, struct cfs_source *src,
		       const struct cfs_wacz_member *m, struct cfs_ctx ctx)
{
	uint64_t max = cfs_wacz_packed_max(m->at.stored);

	if (src->is_local && m->at.method == CFS_ZIP_STORED)
		return cfs_source_open_window(out, src, m->at.offset,
					      m->at.stored, m->path, ctx.err);
	if (max > CFS_WACZ_LIST_MAX)
		max = CFS_WACZ_LIST_MAX;
	return cfs_wacz_open_copy(out, src, &m->at, m->path, max, ctx);
}

/* Index of the first name of a package that does not sort before `base`. */
static size_t find_name(const struct cfs_wacz *w, uint32_t package,
			struct cfs_slice base)
{
	size_t at = 0;

	CFS_LOWER_BOUND(at, w->n_names, i, w->names[i].package < package ||
			(w->names[i].package == package &&
			 cfs_slice_cmp(cfs_slice_str(w->names[i].base), base) <
				 0));
	return at;
}

bool cfs_wacz_has_index(const struct cfs_wacz *w, uint32_t package)
{
	size_t i = find_name(w, package, CFS_SLICE_EMPTY);

	return i < w->n_names && w->names[i].package == package &&
	       w->names[i].base[0] == '\0';
}

/* The first archive of the package whose path ends with s; NULL if there is
 * none. */
static const struct cfs_wacz_path *find_end(const struct cfs_wacz *w,
					    uint32_t package,
					    struct cfs_slice s)
{
	const char *end = (const char *)s.p;
	size_t at = 0;

	CFS_LOWER_BOUND(at, w->n_paths, i, w->paths[i].package < package ||
			(w->paths[i].package == package &&
			 compare_ends(w->paths[i].path, w->paths[i].n, end,
				      s.n) < 0));
	return at < w->n_paths && w->paths[at].package == package &&
	       cfs_slice_ends(cfs_slice_of(w->paths[at].path, w->paths[at].n),
			      s) ? &w->paths[at] : NULL;
}

/* The archive of the package with that base name, in any folder. */
static struct cfs_wacz_member *find_base(const struct cfs_wacz *w,
					 uint32_t package,
					 struct cfs_slice base)
{
	size_t i = find_name(w, package, base);

	return base.n > 0 && i < w->n_names && w->names[i].package == package &&
	       cfs_slice_eq(cfs_slice_str(w->names[i].base), base) ?
	       &w->v[w->names[i].member] : NULL;
}

/* An index may leave out the folder, or the first of several folders. */
struct cfs_wacz_member *cfs_wacz_archive(const struct cfs_wacz *w,
					 uint32_t package,
					 struct cfs_slice name)
{
	const struct cfs_wacz_path *p;
	CFS_BUF(end, PATH_BYTES_MAX);

	if (cfs_slice_find(name, '/') < 0)
		return find_base(w, package, name);
	p = find_end(w, package, name);
	if (p != NULL && p->n == name.n)
		return &w->v[p->member];
	/* only at the beginning of a component: "x/NAME", not "xNAME" */
	cfs_buf_addc(&end, '/');
	cfs_buf_add(&end, name);
	p = end.failed == CFS_OK ? find_end(w, package, cfs_buf_slice(&end)) :
				   NULL;
	return p != NULL ? &w->v[p->member] : NULL;
}

/* ---- hashes, and what is required ---- */

/* Hundreds of names of other WACZ files; one occurs. */
#define REQUIRED_BYTES ((size_t)16 << 10)

struct member_hashes {
	struct cfs_wacz *w;
	uint32_t package;
};

static int take_hash(void *arg, const struct cfs_package_file *f)
{
	const struct member_hashes *h = arg;
	struct cfs_wacz_member *m = !f->has_sha256 ? NULL :
			cfs_wacz_archive(h->w, h->package, f->path);

	if (m != NULL) {
		m->has_sha256 = true;
		memcpy(m->sha256, f->sha256, sizeof(f->sha256));
	}
	return CFS_OK;
}

static int read_package(struct cfs_wacz *w, struct cfs_source *src,
			const struct cfs_wacz_member *m, struct cfs_ctx ctx)
{
	struct member_hashes h = { w, m->package };
	struct cfs_source *list = NULL;
	CFS_BUF(text, CFS_PACKAGE_MAX + 1);
	int rc = cfs_wacz_open_copy(&list, cfs_source_ref(src), &m->at, m->path,
				    CFS_PACKAGE_MAX, ctx);

	if (rc == CFS_OK)
		rc = cfs_package_load(list, &text, ctx);
	if (rc == CFS_OK)
		rc = cfs_package_each(cfs_buf_slice(&text), take_hash, &h);
	if (rc == CFS_OK)
		cfs_package_required(cfs_buf_slice(&text), &w->required);
	if (rc != CFS_OK)
		cfs_error_at(ctx.err, rc, src->name, m->at.offset, "'%.100s' is "
			     "not what it should be", m->path);
	cfs_source_close(list);
	return rc;
}

int cfs_wacz_read_hashes(struct cfs_wacz *w, struct cfs_source *src,
			 struct cfs_ctx ctx)
{
	cfs_buf_release(&w->required);
	cfs_buf_init(&w->required, REQUIRED_BYTES);
	for (size_t i = 0; i < w->n; i++) {
		struct cfs_error e = CFS_ERROR_INIT;
		int rc = w->v[i].role != CFS_WACZ_PACKAGE ? CFS_OK :
			 read_package(w, src, &w->v[i],
				      CFS_CTX(ctx.cancel, &e));

		if (rc == CFS_ENOMEM || rc == CFS_EINTR)
			return cfs_error_pass(ctx.err, &e, rc);
		if (rc != CFS_OK)
			cfs_log_error(CFS_LOG_WARNING, &e);
	}
	return CFS_OK;
}
