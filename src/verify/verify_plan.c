/* verify_plan.c - finds the archives to verify, and cuts them into parts.
 *
 * A local file of members is cut about every PART_BYTES, whatever the number of
 * threads, so that the parts, and with them the report, are always the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/log.h"
#include "format/pbtree/pbtree.h"
#include "indexing/indexer_files.h"
#include "record/archives.h"
#include "record/sniff.h"
#include "source/near.h"

#define PART_BYTES ((uint64_t)16 << 20)
#define GROUP_ENTRIES 64u	/* most that are read together */
#define UNITS_MAX ((size_t)UINT32_MAX)
#define NAMES_MAX ((size_t)2 << 30)
#define NS 1000000000u

/* ---- units --------------------------------------------------------------- */

/* Releases a unit that is not added, because of rc. */
static int drop_unit(struct cfs_verify_unit *u, int rc, struct cfs_error *err)
{
	cfs_verify_unit_release(u);
	if (rc == CFS_OK)
		return CFS_OK;
	if (rc == CFS_ELIMIT)
		return cfs_error_set(err, rc, "too many archives");
	return cfs_error_nomem(err);
}

/* Appends a unit; takes over what u owns. */
static int append_unit(struct cfs_verify *v, struct cfs_verify_unit u,
		       struct cfs_error *err)
{
	int rc = u.location == NULL ? CFS_ENOMEM :
		 cfs_array_reserve((void **)&v->units, &v->room, v->n + 1,
				   sizeof(*v->units), UNITS_MAX);

	if (rc == CFS_OK && u.name == NULL) {
		u.name = strdup(u.is_stored ? cfs_archive_plain_name(u.location)
					    : u.location);
		rc = u.name == NULL ? CFS_ENOMEM : CFS_OK;
	}
	if (rc != CFS_OK)
		return drop_unit(&u, rc, err);
	v->any_remote |= u.is_remote;
	v->units[v->n++] = u;
	return CFS_OK;
}

/* The same, unless its location was added before.  number (or NULL) gets its
 * position among the units. */
static int add_unit(struct cfs_verify *v, struct cfs_verify_unit u,
		    uint32_t *number, struct cfs_error *err)
{
	uint32_t count = cfs_strtab_count(v->names), at = 0;
	int rc = u.location == NULL ? CFS_ENOMEM :
		 cfs_strtab_add(v->names, cfs_slice_str(u.location), &at);

	if (number != NULL)
		*number = at;
	return rc == CFS_OK && at == count ? append_unit(v, u, err) :
						 drop_unit(&u, rc, err);
}

struct refusal {
	struct cfs_verify *v;
	int rc;
	struct cfs_error *err;
};

/* Adds a unit for a file that cannot even be listed. */
static void on_refused(void *arg, const struct cfs_error *why)
{
	struct refusal *r = arg;

	if (r->rc == CFS_OK)
		r->rc = cfs_verify_plan_bad(r->v, CFS_VERIFY_UNREADABLE,
					    why, r->err);
}

int cfs_verify_plan_bad(struct cfs_verify *v, enum cfs_verify_kind kind,
			const struct cfs_error *what, struct cfs_error *err)
{
	struct cfs_verify_unit u = { .kind = kind, .is_known = true,
				     .bad = malloc(sizeof(*u.bad)) };

	/* an index may have several failures */
	if (u.bad == NULL ||
	    asprintf(&u.location, "%s: %" PRIu64 ": %s", what->where,
		     what->offset, what->text) < 0) {
		u.location = NULL;
		return drop_unit(&u, CFS_ENOMEM, err);
	}
	*u.bad = *what;
	u.name = strdup(what->where);
	return add_unit(v, u, NULL, err);
}

/* ---- inputs as crawlfs index takes them ---------------------------------- */

static enum cfs_verify_kind kind_of(const struct cfs_indexer_file *f)
{
	return f->role == CFS_FILE_ARCHIVE ? CFS_VERIFY_ARCHIVE :
					     CFS_VERIFY_PAIRS;
}

/* The location of a file, or of its member (NULL: none). */
static char *location_of(const struct cfs_indexer_files *files,
			 const struct cfs_indexer_file *f, const char *member)
{
	CFS_BUF(b, SIZE_MAX / 2);
	char *out = NULL;

	cfs_indexer_location(files, f, &b);
	if (f->member != NULL) {
		cfs_buf_adds(&b, CFS_WACZ_MARK);
		cfs_buf_adds(&b, f->member);
	}
	if (member != NULL) {
		cfs_buf_adds(&b, CFS_WACZ_MARK);
		cfs_buf_adds(&b, member);
	}
	if (b.failed == CFS_OK)
		out = strdup(cfs_buf_str(&b));
	return out;
}

/* The kind of unit for a member of a WACZ.  False: none. */
static bool kind_of_member(const struct cfs_wacz_member *m,
			   enum cfs_verify_kind *out)
{
	switch (m->role) {
	case CFS_WACZ_ARCHIVE:
		*out = CFS_VERIFY_ARCHIVE;
		return true;
	case CFS_WACZ_INDEX:
		*out = CFS_VERIFY_LIST;
		return true;
	case CFS_WACZ_PACKAGE:
		*out = CFS_VERIFY_DATAPACKAGE;
		return true;
	default:
		return false;
	}
}

/* Call when a list cannot be read: what it lacks is then unknown. */
static int spoil_list(struct cfs_verify *v, const struct cfs_verify_list *l,
		      const struct cfs_error *why, struct cfs_error *err)
{
	const struct cfs_wacz *w = l->file->wacz;
	struct cfs_verify_unit *u = &v->units[l->unit];

	u->bad = malloc(sizeof(*u->bad));
	if (u->bad == NULL)
		return cfs_error_nomem(err);
	*u->bad = *why;
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].role == CFS_WACZ_ARCHIVE &&
		    w->v[i].package == l->member->package)
			v->units[l->units[i]].is_listed = false;
	return CFS_OK;
}

static int read_list(struct cfs_verify *v, const struct cfs_verify_list *l,
		     struct cfs_error *err)
{
	struct cfs_error why = CFS_ERROR_INIT;
	int rc = cfs_verify_list_read(v, l, &why, err);

	v->has_lists = true;
	return rc == CFS_OK && why.code != CFS_OK ?
	       spoil_list(v, l, &why, err) : rc;
}

static int add_wacz(struct cfs_verify *v, const struct cfs_indexer_files *files,
		    const struct cfs_indexer_file *f, struct cfs_verify_unit u,
		    struct cfs_error *err)
{
	const struct cfs_wacz *w = f->wacz;
	struct cfs_verify_list l = { .files = files, .file = f };
	uint32_t *units = calloc(w->n + 1, sizeof(*units));
	size_t before = v->n;
	int rc = units != NULL ? CFS_OK : cfs_error_nomem(err);

	for (size_t i = 0; rc == CFS_OK && i < w->n; i++) {
		const struct cfs_wacz_member *m = &w->v[i];

		if (!kind_of_member(m, &u.kind))
			continue;
		u.size = m->at.size;
		u.is_listed = u.kind == CFS_VERIFY_ARCHIVE &&
			      cfs_wacz_has_index(w, m->package);
		u.location = location_of(files, f, m->path);
		rc = add_unit(v, u, &units[i], err);
	}
	l.units = units;
	for (size_t i = 0; rc == CFS_OK && i < w->n; i++) {
		l.member = &w->v[i];
		l.unit = units[i];
		if (l.member->role == CFS_WACZ_INDEX && l.unit >= before)
			rc = read_list(v, &l, err);
	}
	free(units);
	return rc;
}

static int add_file(struct cfs_verify *v, const struct cfs_indexer_files *files,
		    const struct cfs_indexer_file *f, struct cfs_error *err)
{
	struct cfs_verify_unit u = { .is_remote = f->is_remote,
		.is_known = true, .size = f->size,
		.mtime_ns = (uint64_t)f->mtime * NS + f->mtime_nsec };

	if (f->role == CFS_FILE_CDX || f->role == CFS_FILE_INDEX || f->of)
		return CFS_OK;	/* not an archive; part of another file */
	if (f->wacz != NULL)
		return add_wacz(v, files, f, u, err);
	u.kind = kind_of(f);
	u.location = location_of(files, f, NULL);
	return add_unit(v, u, NULL, err);
}

int cfs_verify_input(struct cfs_verify *v, const char *input,
		     struct cfs_error *err)
{
	struct refusal refusal = { .v = v, .err = err };
	const struct cfs_listing l = { .input = input,
		.base = v->opts.list_base, .opener = v->opts.opener,
		.cache_dir = v->opts.cache_dir, .cancel = v->opts.cancel,
		.refused = on_refused, .arg = &refusal };
	struct cfs_indexer_files files;
	int rc = cfs_indexer_list_input(&files, &l, err);

	if (rc == CFS_OK)
		rc = refusal.rc;
	for (size_t i = 0; rc == CFS_OK && i < files.n; i++)
		rc = add_file(v, &files, &files.v[i], err);
	cfs_indexer_files_release(&files);
	return rc;
}

/* ---- archives named by an index ------------------------------------------ */

/* Gets the unit number of a span's archive, adding the unit if it is new. */
static int number_of(struct cfs_verify *v, const struct cfs_span *loc,
		     uint32_t *out, struct cfs_error *err)
{
	struct cfs_verify_unit u = { .kind = CFS_VERIFY_ARCHIVE,
				     .is_stored = true };
	CFS_BUF(name, CFS_NAME_BYTES_MAX + 2);
	int rc;

	*out = v->archive;
	if (v->has_archive && memcmp(v->file, loc->file, sizeof(v->file)) == 0)
		return CFS_OK;
	rc = cfs_index_archive_name(v->opts.index, loc, &name, err);
	if (rc == CFS_OK)
		rc = cfs_strtab_add(v->names, cfs_buf_slice(&name), out);
	if (rc == CFS_OK && *out == v->n) {
		u.location = strdup(cfs_buf_str(&name));
		rc = append_unit(v, u, err);
	}
	memcpy(v->file, loc->file, sizeof(v->file));
	v->archive = *out;
	v->has_archive = rc == CFS_OK;
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) : rc;
}

/* True if the time of an entry is that of its archive, as in a PB-tree, or in
 * an index that was made of one. */
static bool has_time_of_archive(const struct cfs_verify_unit *u,
				const struct cfs_capture *cap)
{
	struct cfs_pbtree_value place;
	size_t folder;

	return cap->kind == CFS_KIND_ARC && cap->status == 0 &&
	       cfs_pbtree_place(cfs_slice_str(u->name), &place, &folder) &&
	       (int64_t)(place.date_ms / 1000) == cap->time;
}

int cfs_verify_entry(struct cfs_verify *v, const struct cfs_iter *it,
		     const struct cfs_capture *cap, struct cfs_error *err)
{
	struct cfs_verify_row row = {
		.offset = cap->loc.offset,
		.inner_offset = cap->loc.inner_offset,
		.length = cap->loc.length,
		.inner_length = cap->loc.inner_length,
		.time = cap->time,
		.key = it->key, .url = cap->url, .scheme = cap->scheme,
		.digest = cap->digest, .mime = CFS_SLICE_EMPTY };
	uint32_t number;
	int rc;

	if (cap->kind == CFS_KIND_ANNEX)	/* it has no record of its
						 * own */
		return CFS_OK;
	rc = number_of(v, &cap->loc, &number, err);
	if (rc == CFS_OK && has_time_of_archive(&v->units[number], cap))
		row.time = 0;
	return rc == CFS_OK ? cfs_verify_rows_add(v->entries, number, &row,
						  err) : rc;
}

/* Guesses the kind by the last part of the name: servers are not asked. */
static enum cfs_verify_kind guess_kind(struct cfs_slice last)
{
	return cfs_slice_starts_nocase(last, CFS_SLICE_LIT("textData")) ||
	       cfs_slice_starts_nocase(last, CFS_SLICE_LIT("metadata")) ?
	       CFS_VERIFY_PAIRS : CFS_VERIFY_ARCHIVE;
}

/* False for CDX files that a crawlfs index was made of, and also names. */
static bool is_archive_name(struct cfs_slice name)
{
	struct cfs_slice last = cfs_slice_last_part(name);

	return cfs_sniff_is_archive_name(last) ||
	       cfs_wacz_role_of(last) == CFS_WACZ_INSIDE ||
	       guess_kind(last) == CFS_VERIFY_PAIRS;
}

int cfs_verify_plan_archives(struct cfs_verify *v, struct cfs_error *err)
{
	struct cfs_span loc = { .offset = 0 };
	CFS_BUF(name, CFS_NAME_BYTES_MAX + 2);
	uint32_t number;
	int rc = CFS_OK;

	for (uint32_t i = 0; rc == CFS_OK && !v->opts.index->is_merged &&
			     i < v->opts.index->archives; i++) {
		loc.file[0] = i;
		cfs_buf_reset(&name);
		rc = cfs_index_archive_name(v->opts.index, &loc, &name, err);
		if (rc == CFS_OK && is_archive_name(cfs_buf_slice(&name)))
			rc = number_of(v, &loc, &number, err);
	}
	return rc;
}

/* ---- facts about units before they are read ------------------------------ */

static int by_offset(const void *a, const void *b)
{
	const struct cfs_wacz_member *x = a, *y = b;

	return x->at.offset < y->at.offset ? -1 : x->at.offset > y->at.offset;
}

/* Splits the rows before an offset off a walk. */
static struct cfs_verify_walk rows_before(struct cfs_verify_walk *w,
					  uint64_t to)
{
	struct cfs_verify_walk out = { w->rest, 0 };
	struct cfs_verify_row row;

	while (cfs_verify_row_next(w, to, &row))
		;
	out.rest.n -= w->rest.n;
	return out;
}

/* Adds units for the archives in a WACZ, if an index has places in the WACZ as
 * a whole. */
static int expand(struct cfs_verify *v, size_t at, struct cfs_source *src,
		  struct cfs_error *err)
{
	const struct cfs_verify_unit wacz = v->units[at];
	struct cfs_verify_walk rows = wacz.rows;
	struct cfs_wacz w = { .n = 0 };
	int rc = cfs_wacz_read(&w, src, CFS_CTX(v->opts.cancel, NULL));

	if (rc == CFS_EFORMAT) {	/* reported when it is read as an
					 * archive */
		cfs_wacz_release(&w);
		return CFS_OK;
	}
	if (w.n > 1)
		qsort(w.v, w.n, sizeof(*w.v), by_offset);
	for (size_t i = 0; rc == CFS_OK && i < w.n; i++) {
		const struct cfs_wacz_member *m = &w.v[i];
		struct cfs_verify_unit u = wacz;
		bool is_archive = m->role == CFS_WACZ_ARCHIVE &&
				  m->at.method == CFS_ZIP_STORED;

		if (!is_archive && m->role != CFS_WACZ_PACKAGE)
			continue;
		u.name = NULL;
		u.kind = is_archive ? CFS_VERIFY_ARCHIVE :
				      CFS_VERIFY_DATAPACKAGE;
		u.size = m->at.size;
		u.rows.rest = CFS_SLICE_EMPTY;
		if (is_archive) {
			u.shift = m->at.offset;
			(void)rows_before(&rows, u.shift);
			u.rows = rows_before(&rows, u.shift + m->at.stored);
		}
		if (asprintf(&u.location, "%s" CFS_WACZ_MARK "%s",
			     wacz.location, m->path) < 0)
			u.location = NULL;
		rc = add_unit(v, u, NULL, err);
	}
	v->units[at].skip = w.n > 0;
	cfs_wacz_release(&w);
	return rc;
}

static int look_at(struct cfs_verify *v, size_t at, struct cfs_error *err)
{
	struct cfs_verify_unit *u = &v->units[at];
	enum cfs_file_kind kind = CFS_FILE_NONE;
	struct cfs_source *src;
	int rc;

	if (u->is_known || !u->is_stored)
		return CFS_OK;
	u->kind = guess_kind(cfs_slice_last_part(cfs_slice_str(u->name)));
	u->is_known = true;
	rc = cfs_verify_open(v, u, true, &src, CFS_CTX(v->opts.cancel, NULL));
	if (rc != CFS_OK)	/* reported when it is read */
		return rc == CFS_EINTR || rc == CFS_ENOMEM ?
		       cfs_error_set(err, rc, "interrupted") : CFS_OK;
	u->is_remote = !src->is_local;
	v->any_remote |= u->is_remote;
	if (src->is_local) {
		u->size = src->size;
		u->mtime_ns = (uint64_t)src->mtime * NS + src->mtime_nsec;
		(void)cfs_sniff(src, CFS_SNIFF_SEARCH, &kind, NULL);
		if (kind == CFS_FILE_SEQFILE)
			u->kind = CFS_VERIFY_PAIRS;
		else if (kind != CFS_FILE_NONE)
			u->kind = CFS_VERIFY_ARCHIVE;
		if (kind == CFS_FILE_ZIP && !v->opts.only_added)
			rc = expand(v, at, src, err);
	}
	cfs_source_close(src);
	return rc;
}

/* ---- the plan ------------------------------------------------------------ */

int cfs_verify_plan_init(struct cfs_verify *v, struct cfs_error *err)
{
	v->names = cfs_strtab_new(NAMES_MAX);
	return v->names == NULL ?
	       cfs_error_nomem(err) :
	       cfs_verify_rows_new(&v->entries, &v->opts, err);
}

void cfs_verify_plan_release(struct cfs_verify *v)
{
	for (size_t i = 0; i < v->n; i++)
		cfs_verify_unit_release(&v->units[i]);
	free(v->units);
	cfs_verify_rows_free(v->entries);
	cfs_stretches_release(&v->stretches);
	cfs_strtab_free(v->names);
}

int cfs_verify_plan_begin(struct cfs_verify *v, struct cfs_error *err)
{
	size_t n = v->n;
	int rc;

	if (n == 0)
		return cfs_error_set(err, CFS_ENOTFOUND,
				     "there is nothing to verify");
	rc = cfs_verify_rows_sort(v->entries, v->units, n, err);
	for (size_t i = 0; rc == CFS_OK && i < n; i++)
		rc = look_at(v, i, err);
	for (size_t i = 0; i < v->n; i++) {
		const struct cfs_verify_unit *u = &v->units[i];

		if (u->skip || u->kind == CFS_VERIFY_DATAPACKAGE ||
		    u->kind == CFS_VERIFY_LIST ||
		    u->kind == CFS_VERIFY_BAD_INDEX)
			continue;	/* not an archive */
		v->archives++;
		if (!u->is_remote && !v->opts.only_added)
			v->bytes_total += u->size;
	}
	return rc;
}

/* ---- parts --------------------------------------------------------------- */

/* Plans a stretch with the next entries that are near each other. */
static int next_listed(struct cfs_verify *v, struct cfs_verify_unit *u,
		       struct cfs_verify_part **out, struct cfs_error *err)
{
	struct cfs_verify_walk before, next = v->rows, end = v->rows;
	struct cfs_scan_stretch at = { .to = 0 };
	struct cfs_near range = { .to = 0 };
	struct cfs_verify_row row;
	uint64_t last = 0;

	for (unsigned n = 0; n < GROUP_ENTRIES; n++) {
		before = next;
		if (!cfs_verify_row_next(&next, UINT64_MAX, &row))
			break;
		/* entries of the same place stay together */
		if (n < 2 || row.offset != last)
			end = before;
		if (!cfs_near_add(&range, row.offset, row.length,
				  &cfs_near_many)) {
			next = end;
			break;
		}
		if (n == 0)
			at.from = row.offset;
		last = row.offset;
	}
	at.to = range.to > at.from ? range.to : at.from + 1;
	*out = cfs_verify_part_new(u, at);
	if (*out == NULL)
		return cfs_error_nomem(err);
	(*out)->rows = v->rows;
	(*out)->rows.rest.n -= next.rest.n;
	v->rows = next;
	return CFS_OK;
}

static void next_unit(struct cfs_verify *v)
{
	cfs_stretches_release(&v->stretches);
	v->is_begun = false;
	v->at++;
}

static int open_to_cut(void *arg, struct cfs_source **out, struct cfs_ctx ctx)
{
	const struct cfs_verify *v = arg;

	return cfs_verify_open(v, &v->units[v->at], true, out, ctx);
}

static void begin_unit(struct cfs_verify *v)
{
	const struct cfs_verify_unit *u = &v->units[v->at];

	v->is_begun = true;
	v->rows = u->rows;
	v->stretches = (struct cfs_stretches){ .bytes = u->size,
					       .open = open_to_cut, .arg = v };
	if (u->kind == CFS_VERIFY_ARCHIVE && !u->is_remote)
		v->stretches.every = PART_BYTES;
	if (!v->opts.only_added &&
	    cfs_verify_report_had(v->report, u->name,
				  cfs_verify_part_id(u, 0)))
		cfs_log(CFS_LOG_WARNING, "%s: has changed since it was "
			"verified: it is verified again", u->name);
}

/* Plans a stretch of a unit that is read as a whole.  The last one also gets
 * the entries past the end. */
static int next_whole(struct cfs_verify *v, struct cfs_verify_unit *u,
		      struct cfs_scan_stretch at, struct cfs_verify_part **out,
		      struct cfs_error *err)
{
	*out = cfs_verify_part_new(u, at);
	if (*out == NULL)
		return cfs_error_nomem(err);
	(void)rows_before(&v->rows, at.from + u->shift);
	(*out)->rows = v->rows;
	if (at.to > 0 && at.to < u->size)
		(*out)->rows_to = at.to + u->shift;
	return CFS_OK;
}

static bool is_listed_only(const struct cfs_verify *v,
			   const struct cfs_verify_unit *u)
{
	return v->opts.only_added && u->kind != CFS_VERIFY_UNREADABLE &&
	       u->kind != CFS_VERIFY_BAD_INDEX;
}

int cfs_verify_plan_next(struct cfs_verify *v,
			 struct cfs_verify_part **out, struct cfs_error *err)
{
	struct cfs_ctx ctx = CFS_CTX(&v->run.cancel, err);
	struct cfs_scan_stretch at;

	*out = NULL;
	while (v->at < v->n) {
		struct cfs_verify_unit *u = &v->units[v->at];

		if (!v->is_begun)
			begin_unit(v);
		if (!u->skip && !is_listed_only(v, u)) {
			if (cfs_stretches_next(&v->stretches, &at, ctx))
				return next_whole(v, u, at, out, err);
		} else if (!u->skip && v->rows.rest.n > 0) {
			return next_listed(v, u, out, err);
		}
		next_unit(v);
	}
	return CFS_OK;
}
