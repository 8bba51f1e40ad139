/* record_answer.c - archives and records of them, as they are stored.
 *
 *     /records/ARCHIVE/OFFSET      the record that begins there, as a WARC or
 *                                  ARC member of its own, compressed by gzip
 *     /records/ARCHIVE/OFFSET.N    the N-th record behind it in its member, not
 *                                  compressed
 *     /records/ARCHIVE             the archive; clients ask for a range of it
 *
 * ARCHIVE is a name as the index has it ("filename" of the CDX server); with
 * several crawls, the name of the crawl and a slash come first.  Only archives
 * that the index names can be read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/hex.h"
#include "crawl/record_at.h"
#include "file_answer.h"
#include "record/archives.h"
#include "routes.h"

#define NAME_BYTES (2 * (size_t)CFS_URL_MAX)
/* A stretch of an archive that is read at a time. */
#define STRETCH CFS_STEP_BYTES

/* An archive, and a record in it. */
struct wanted_record {
	struct cfs_crawl *crawl;
	struct cfs_buf name;		/* the path, decoded, behind the name
					 * of the crawl */
	struct cfs_slice archive;	/* in `name` */
	bool has_offset;
	uint64_t offset, behind;
};

/* Takes "/OFFSET" or "/OFFSET.N" off the end of a name.  Each record has one
 * name, so leading zeros are refused. */
static bool take_record_offset(struct wanted_record *w)
{
	ptrdiff_t slash = cfs_slice_rfind(w->archive, '/');
	struct cfs_slice last, first;

	if (slash < 0)
		return false;
	last = cfs_slice_from(w->archive, (size_t)slash + 1);
	first = cfs_slice_split(&last, '.');
	if ((first.n > 1 && first.p[0] == '0') ||
	    (last.n > 0 && last.p[0] == '0') ||
	    cfs_slice_parse_u64(first, INT64_MAX, &w->offset) != CFS_OK ||
	    (last.n > 0 &&
	     cfs_slice_parse_u64(last, UINT32_MAX, &w->behind) != CFS_OK))
		return false;
	w->archive.n = (size_t)slash;
	w->has_offset = true;
	return true;
}

/* Names in an index lead to files below its data folder only: others need not
 * be looked for. */
static bool is_relative(struct cfs_slice name)
{
	bool is_good = name.n > 0 && cfs_slice_find(name, '\0') < 0;

	while (is_good && name.n > 0) {
		struct cfs_slice part = cfs_slice_split(&name, '/');

		is_good = part.n > 0 &&
			  !cfs_slice_eq(part, CFS_SLICE_LIT(".")) &&
			  !cfs_slice_eq(part, CFS_SLICE_LIT(".."));
	}
	return is_good;
}

/* Finds the crawl, and decodes the rest of the path.  CFS_ENOTFOUND. */
static int find_archive(struct cfs_exchange *x, struct wanted_record *w)
{
	struct cfs_slice rest = x->rest;
	struct cfs_site_place p;

	w->crawl = x->site->crawls[0];
	if (x->site->n_crawls > 1) {
		int rc = cfs_site_walk(x->site, cfs_slice_split(&rest, '/'), &p,
				       CFS_CTX(NULL, NULL));

		if (rc != CFS_OK || p.is_top)
			return CFS_ENOTFOUND;
		w->crawl = p.crawl;
	}
	if (cfs_percent_decode(rest, false, &w->name) != CFS_OK)
		return CFS_ENOTFOUND;
	w->archive = cfs_buf_slice(&w->name);
	return is_relative(w->archive) ? CFS_OK : CFS_ENOTFOUND;
}

static void add_record_fields(struct cfs_exchange *x, const char *type)
{
	cfs_reply_header(x, "Content-Type", cfs_slice_str(type));
	x->policy = CFS_POLICY_ARCHIVED;
}

/* ---- one record ------------------------------------------------------- */

/* Sets *name to the archive's name in place i of the store, of which a crawl
 * of several data folders has more than one. */
static int name_in_place(const struct wanted_record *w, size_t i,
			 struct cfs_buf *name)
{
	cfs_buf_reset(name);
	if (cfs_store_places(w->crawl->store) > 1)
		cfs_buf_addc(name, (uint8_t)(CFS_PLACE_TAG + i));
	return cfs_buf_add(name, w->archive);
}

/* Appends the record as a member of its own, byte for byte if it is one. */
static int make_member(const struct wanted_record *w,
		       const struct cfs_file_bytes *plain, struct cfs_buf *out,
		       struct cfs_ctx ctx)
{
	const struct cfs_member_form form = { .coding = CFS_CODING_GZIP,
					      .parsed = plain->record };
	const struct cfs_span span = { .offset = w->offset };
	size_t n = cfs_store_places(w->crawl->store);
	CFS_BUF(name, NAME_BYTES);
	int rc = CFS_ENOTFOUND;

	for (size_t i = 0; i < n && rc != CFS_OK && rc != CFS_EINTR; i++) {
		cfs_error_clear(ctx.err);
		cfs_buf_reset(out);
		rc = name_in_place(w, i, &name);
		if (rc == CFS_OK)
			rc = cfs_store_member(w->crawl->store,
					      cfs_buf_slice(&name), &span,
					      &form, out, ctx);
	}
	return rc;
}

/* Adds the validators of a record or an archive of `size` bytes, and finds the
 * range that is asked for.  Returns the status of an answer with it; 0: the
 * conditions or the range of the request have their answer. */
static unsigned record_range(struct cfs_exchange *x,
			     const struct wanted_record *w, uint64_t size,
			     uint64_t *from, uint64_t *bytes)
{
	const uint64_t parts[] = { w->has_offset, w->offset, w->behind };
	uint64_t hash = cfs_hash64(cfs_slice_of(parts, sizeof(parts)), 2);
	size_t n = cfs_store_places(w->crawl->store);
	struct cfs_validators v = { .time = 0 };
	CFS_BUF(name, NAME_BYTES);
	bool is_known = false, is_answered;
	unsigned status;

	/* which of the places has it is not told: all count */
	for (size_t i = 0; i < n && name_in_place(w, i, &name) == CFS_OK; i++)
		is_known |= cfs_archive_hash(w->crawl, cfs_buf_slice(&name),
					     &hash);
	if (is_known)
		cfs_tag_write(&v, hash);
	is_answered = cfs_reply_condition(x, &v);
	cfs_reply_header(x, "Cache-Control", CFS_SLICE_LIT("no-cache"));
	cfs_reply_header(x, "Accept-Ranges", CFS_SLICE_LIT("bytes"));
	if (is_answered && x->status == 304)
		cfs_reply_known(x, size);
	if (is_answered)
		return 0;
	status = cfs_file_range(x, &v, size, from, bytes);
	return status == 416 ? 0 : status;
}

/* Sends a range of a record, which is taken over. */
static int send_record(struct cfs_exchange *x, const struct wanted_record *w,
		       struct cfs_file_bytes *b)
{
	uint64_t from, bytes;
	unsigned status = record_range(x, w, b->bytes.n, &from, &bytes);

	if (status == 0)
		return CFS_OK;
	add_record_fields(x, "application/warc");
	return cfs_reply_file(x, status, b, from, bytes);
}

static int answer_record(struct cfs_exchange *x, const struct wanted_record *w,
			 struct cfs_ctx ctx)
{
	struct cfs_file_bytes b;
	struct cfs_buf member;
	int rc = cfs_record_at_load(w->crawl, w->archive, w->offset, w->behind,
				    &b, ctx);

	if (rc == CFS_OK && !cfs_record_at_is_named(w->crawl, w->archive,
						    w->offset, ctx.cancel))
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK && b.is_cut_off)
		rc = cfs_error_set(ctx.err, CFS_EFORMAT, CFS_CUT_OFF_TEXT);
	if (rc == CFS_OK && w->behind > 0) {
		rc = send_record(x, w, &b);
		cfs_file_bytes_release(&b);
		return rc;
	}
	cfs_buf_init(&member, SIZE_MAX / 2);
	if (rc == CFS_OK)
		rc = make_member(w, &b, &member, ctx);
	cfs_file_bytes_release(&b);
	if (rc == CFS_OK) {
		b.own = member;
		b.bytes = cfs_buf_slice(&b.own);
		b.budget = w->crawl->budget;
		b.accounted = b.own.cap;
		cfs_budget_add(b.budget, CFS_MEM_VIEWS, b.accounted);
		rc = send_record(x, w, &b);
		cfs_file_bytes_release(&b);
		return rc;
	}
	cfs_buf_release(&member);
	return rc;
}

/* ---- an archive ------------------------------------------------------- */

/* A range of an archive that is being sent. */
struct archive_range {
	struct cfs_steps steps;	/* the first member */
	struct cfs_crawl *crawl;
	struct cfs_buf name;
	uint64_t at, end;
};

static int more_of_archive(struct cfs_steps *p, struct cfs_buf *out,
			   struct cfs_ctx ctx)
{
	struct archive_range *a = (struct archive_range *)p;
	size_t n = a->end - a->at < STRETCH ? (size_t)(a->end - a->at) :
					      STRETCH;
	int rc = cfs_buf_reserve(out, n);

	if (rc == CFS_OK)
		rc = cfs_store_read(a->crawl->store, cfs_buf_slice(&a->name),
				    a->at, out->p + out->n, n, ctx);
	if (rc != CFS_OK)
		return rc;
	out->n += n;
	a->at += n;
	return a->at == a->end ? CFS_END : CFS_OK;
}

static void archive_range_free(struct cfs_steps *p)
{
	struct archive_range *a = (struct archive_range *)p;

	cfs_buf_release(&a->name);
	free(a);
}

static int note_size(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	uint64_t *size = arg;
	uint8_t byte;

	/* a remote file is asked for first when it is read */
	if (src->size == 0 || cfs_source_read(src, &byte, 1, 0, ctx) != CFS_OK)
		return CFS_ENOTFOUND;
	*size = src->size;
	return CFS_OK;
}

/* The place of the archive in a crawl of several data folders: the first that
 * has it.  Sets *name to the name in the store. */
static int locate(const struct wanted_record *w, struct cfs_buf *name,
		  uint64_t *size, struct cfs_ctx ctx)
{
	size_t n = cfs_store_places(w->crawl->store);
	int rc = CFS_ENOTFOUND;

	for (size_t i = 0; i < n && rc == CFS_ENOTFOUND; i++) {
		if (name_in_place(w, i, name) != CFS_OK)
			return CFS_ENOTFOUND;
		cfs_error_clear(ctx.err);
		rc = cfs_store_use(w->crawl->store, cfs_buf_slice(name),
				   note_size, size, ctx);
	}
	return rc;
}

static int send_range(struct cfs_exchange *x, const struct wanted_record *w,
		      struct cfs_buf *name, unsigned status, uint64_t from,
		      uint64_t bytes, struct cfs_error *err)
{
	struct archive_range *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return cfs_error_nomem(err);
	*a = (struct archive_range){
		.steps = { .more = more_of_archive,
			    .free = archive_range_free },
		.crawl = w->crawl, .name = *name,
		.at = from, .end = from + bytes,
	};
	cfs_buf_init(name, NAME_BYTES);
	x->policy = CFS_POLICY_ARCHIVED;
	x->has_bytes = true;
	x->bytes = bytes;
	return cfs_reply_steps(x, status, "application/octet-stream",
				&a->steps);
}

/* Answers with the archive, or a range of it, that the index names. */
static int answer_located(struct cfs_exchange *x, const struct wanted_record *w,
			  struct cfs_buf *name, uint64_t size,
			  struct cfs_ctx ctx)
{
	uint64_t from, bytes;
	unsigned status = record_range(x, w, size, &from, &bytes);

	return status == 0 ? CFS_OK :
	       send_range(x, w, name, status, from, bytes, ctx.err);
}

static int answer_archive(struct cfs_exchange *x, const struct wanted_record *w,
			  struct cfs_ctx ctx)
{
	CFS_BUF(name, NAME_BYTES);
	uint64_t size = 0, from = 0, bytes;
	int rc = cfs_record_at_is_path(w->crawl, w->archive) ?
		 locate(w, &name, &size, ctx) : CFS_ENOTFOUND;

	if (rc == CFS_OK)	/* 0, unless there is a range */
		cfs_range_read(x->fields[CFS_FIELD_RANGE], size, &from, &bytes);
	/* a folder of archives, for one */
	if ((rc == CFS_OK || rc == CFS_EIO || rc == CFS_EFORMAT ||
	     rc == CFS_EUNSUPPORTED) &&
	    !cfs_record_at_is_named(w->crawl, w->archive, from, ctx.cancel))
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = answer_located(x, w, &name, size, ctx);
	return rc;
}

int cfs_answer_records(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct wanted_record w = { .crawl = NULL };
	int rc;

	cfs_buf_init(&w.name, NAME_BYTES);
	rc = find_archive(x, &w);
	if (rc == CFS_OK) {
		/* an archive may have a name that looks like an offset */
		rc = take_record_offset(&w) ? answer_record(x, &w, ctx) :
				       answer_archive(x, &w, ctx);
	}
	cfs_buf_release(&w.name);
	return rc;
}
