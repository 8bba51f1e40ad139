/* copy_read.c - reads the records of a stretch, and checks them.
 *
 * A record is copied if its members inflate, their checksums hold, and a record
 * of the right format comes out.  One without members of its own, or with
 * another compression than the copy's, is compressed again, and so is an ARC
 * record that becomes a WARC record (copyconvert.c).  A stretch is read
 * and checked as a whole; if that fails it is read again record by record, and
 * damaged records are left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copy_internal.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "record/archives.h"
#include "record/http_head.h"
#include "record/parse.h"
#include "url/same_url.h"

/* Scratch memory above this is released after each stretch. */
#define SCRATCH_MAX (16 * CFS_COPY_STRETCH_BYTES)

void cfs_copy_reader_init(struct cfs_copy_reader *r,
			  const struct cfs_copy_opts *opts,
			  const struct cfs_cancel *cancel)
{
	r->opts = opts;
	r->cancel = cancel;
	pthread_mutex_init(&r->lock, NULL);
	cfs_buf_init(&r->missing, CFS_COPY_NAME_MAX);
}

void cfs_copy_reader_release(struct cfs_copy_reader *r)
{
	cfs_buf_release(&r->missing);
	pthread_mutex_destroy(&r->lock);
}

void cfs_copy_scratch_init(const struct cfs_copy_reader *r,
			   struct cfs_buf *scratch)
{
	uint64_t max = r->opts->max_record_bytes ? r->opts->max_record_bytes :
						  CFS_RECORD_MAX_DEFAULT;

	cfs_buf_init(scratch, max > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)max);
}

/* ---- records that are left out ---------------------------------------- */

/* True for a failure that ends the copy, because the same read may succeed
 * later. */
static bool is_fatal(const struct cfs_copy_reader *r, int rc)
{
	switch (rc) {
	case CFS_EFORMAT:
	case CFS_ELIMIT:
	case CFS_ENOTFOUND:
	case CFS_EUNSUPPORTED:
		return false;
	case CFS_ENOMEM:
	case CFS_EINTR:
	case CFS_EUSAGE:
		return true;
	default:
		return !r->opts->keep_going;
	}
}

/* True if the archive was the last one found missing.  note: record it as
 * that. */
static bool archive_is_missing(struct cfs_copy_reader *r, const char *archive,
			       bool note)
{
	bool yes;

	pthread_mutex_lock(&r->lock);
	yes = r->missing.n > 0 && cfs_slice_eq(cfs_buf_slice(&r->missing),
					       cfs_slice_str(archive));
	if (note && !yes) {
		cfs_buf_reset(&r->missing);
		cfs_buf_adds(&r->missing, archive);
	}
	pthread_mutex_unlock(&r->lock);
	return yes;
}

static void report_loss(struct cfs_copy_reader *r,
			const struct cfs_copy_stretch *s, size_t n,
			const struct cfs_error *e)
{
	if (!cfs_log_has_room(&r->reported, NULL, "more records are left out, "
			      "and only counted"))
		return;
	cfs_log_error(CFS_LOG_WARNING, e);
	if (e->code == CFS_ENOTFOUND)
		cfs_log(CFS_LOG_WARNING, "%s: all of its records are left out",
			cfs_archive_plain_name(s->archive));
	else if (n > 1)
		cfs_log(CFS_LOG_WARNING, "%s: %zu records are left out",
			cfs_archive_plain_name(s->archive), n);
}

/* Logs the loss of n records, or fails the stretch. */
static int leave_out(struct cfs_copy_reader *r, struct cfs_copy_stretch *s,
		     uint64_t offset, size_t n, int rc, struct cfs_error *e)
{
	if (is_fatal(r, rc)) {
		s->rc = rc;
		s->error = *e;
		return rc;
	}
	cfs_error_where(e, cfs_archive_plain_name(s->archive), offset);
	if (rc != CFS_ENOTFOUND || !archive_is_missing(r, s->archive, true))
		report_loss(r, s, n, e);
	return CFS_OK;
}

/* ---- records that are copied ------------------------------------------ */

/* Has the archive say whether a record that is shorter than it declares is all
 * that is there. */
static int check_short(const struct cfs_copy_reader *r,
		       const struct cfs_copy_stretch *s,
		       const struct cfs_copy_item *item, struct cfs_error *err)
{
	struct cfs_stored *stored;
	int rc = cfs_store_get(r->opts->store, cfs_slice_str(s->archive),
			       &item->span, &stored, CFS_CTX(r->cancel, err));

	if (rc == CFS_OK)
		cfs_stored_put(stored);
	return rc;
}

/* How many of the pages of an item a URL is, in one form. */
static unsigned count_same(const struct cfs_copy_reader *r,
			   const struct cfs_copy_item *item,
			   struct cfs_slice url)
{
	uint64_t own = cfs_copy_url_hash(r->opts->index, url);
	unsigned n = 0;

	for (unsigned i = 0; i < item->n_pages; i++)
		n += item->pages[i].url == own || item->pages[i].key == own;
	return n;
}

/* The same in the form of which it has most. */
static unsigned count_pages(const struct cfs_copy_reader *r,
			    const struct cfs_copy_item *item,
			    struct cfs_slice url)
{
	unsigned best = count_same(r, item, url);
	CFS_BUF(form, 4 * CFS_URL_MAX);

	for (unsigned i = 1; best < item->n_pages &&
			     cfs_url_listed(url, i, &form); i++) {
		unsigned n = count_same(r, item, cfs_buf_slice(&form));

		best = n > best ? n : best;
	}
	return best;
}

int cfs_copy_check(const struct cfs_copy_reader *r, struct cfs_copy_stretch *s,
		   const struct cfs_copy_item *item,
		   const struct cfs_record *rec, struct cfs_error *err)
{
	struct cfs_slice url = rec->url;
	unsigned n;

	if (item->n_pages == 0)
		return CFS_OK;
	if (!cfs_record_may_be_page(rec->type))
		return cfs_error_set(err, CFS_EFORMAT, CFS_NO_PAGE_TEXT);
	n = count_pages(r, item, url);
	if (n > 0)
		s->misnamed += item->n_pages - n;
	else
		return cfs_error_set(err, CFS_EFORMAT, "holds '%.*s' there, not "
				     "the page the index says",
				     (int)(url.n > 120 ? 120 : url.n),
				     (const char *)url.p);
	return rec->declared_bytes <= rec->block.n ? CFS_OK :
	       check_short(r, s, item, err);
}

/* CFS_EFORMAT unless the record of an item comes out of the members. */
static int check_members(const struct cfs_copy_reader *r,
			 struct cfs_copy_stretch *s,
			 const struct cfs_copy_item *item, struct cfs_slice in,
			 struct cfs_buf *scratch, struct cfs_error *err)
{
	struct cfs_record rec;
	struct cfs_slice plain;
	int rc;

	cfs_buf_reset(scratch);
	rc = cfs_members_inflate(in, r->dict, scratch, CFS_CTX(r->cancel, err));
	if (rc != CFS_OK)
		return rc;
	plain = cfs_buf_slice(scratch);
	if (!cfs_record_is_start(plain))
		return cfs_error_set(err, CFS_EFORMAT, "no record begins here");
	if (cfs_slice_starts(plain, CFS_SLICE_LIT("WARC/")) !=
	    (r->opts->format == CFS_ARCHIVE_WARC))
		return cfs_error_set(err, CFS_EFORMAT,
				     "is a record of the other archive format");
	if (r->opts->convert && item->is_arc)	/* it was checked before */
		return CFS_OK;
	rc = cfs_record_parse(&rec, plain, CFS_PARSE_HEAD_ONLY, NULL, NULL,
			      err);
	if (rc == CFS_OK) {
		rc = cfs_copy_check(r, s, item, &rec, err);
		cfs_record_release(&rec);
	}
	return rc;
}

/* Appends a record whose members the copy cannot take as they are. */
static int recompress(const struct cfs_copy_reader *r,
		      struct cfs_copy_stretch *s, struct cfs_slice in,
		      struct cfs_error *err)
{
	struct cfs_buf plain;
	int rc;

	cfs_copy_scratch_init(r, &plain);
	rc = cfs_members_inflate(in, s->dict, &plain, CFS_CTX(r->cancel, err));
	if (rc == CFS_OK)
		rc = cfs_member_compress(r->opts->coding, cfs_buf_slice(&plain),
					 r->dict, &s->out, err);
	cfs_buf_release(&plain);
	return rc;
}

/* Returns what was read of a stretch from a record on; empty if nothing was. */
static struct cfs_slice raw_from(const struct cfs_copy_stretch *s,
				 const struct cfs_span *span)
{
	return s->raw == NULL ? CFS_SLICE_EMPTY :
	       cfs_slice_from(cfs_slice_of(s->raw, s->raw_bytes),
			      (size_t)(span->offset - s->from));
}

/* Returns the members of a record as they were read with the stretch, if they
 * were, else an empty slice. */
static struct cfs_slice members_of(const struct cfs_copy_stretch *s,
				   const struct cfs_span *span,
				   struct cfs_buf *scratch)
{
	struct cfs_slice in = raw_from(s, span), rest = in;
	char why[CFS_MEMBER_WHY_BYTES];

	if (span->length > 0)
		return cfs_slice_sub(in, 0, (size_t)span->length);
	cfs_buf_reset(scratch);
	if (cfs_coding_of(in) == CFS_CODING_NONE ||
	    cfs_member_inflate(&rest, s->dict, scratch, why) != CFS_OK)
		return CFS_SLICE_EMPTY;
	return cfs_slice_sub(in, 0, in.n - rest.n);
}

/* Appends the members of the i-th item to the stretch's output. */
static int take_item(const struct cfs_copy_reader *r,
		     struct cfs_copy_stretch *s, size_t i,
		     struct cfs_buf *scratch, struct cfs_error *err)
{
	const struct cfs_span *span = &s->items[i].span;
	struct cfs_slice in = members_of(s, span, scratch);
	struct cfs_member_form form = { r->opts->coding, r->dict, false, NULL };
	enum cfs_coding coding = cfs_coding_of(in);
	int rc = CFS_OK;

	if (r->opts->convert && s->items[i].is_arc)
		rc = cfs_copy_convert(r, s, &s->items[i], err);
	else if (coding == CFS_CODING_NONE)
		rc = cfs_store_member(r->opts->store, cfs_slice_str(s->archive),
				      span, &form, &s->out,
				      CFS_CTX(r->cancel, err));
	else if (coding != form.coding ||
		 !cfs_zst_dict_is_same(s->dict, r->dict))
		rc = recompress(r, s, in, err);
	else
		cfs_buf_add(&s->out, cfs_zst_without_skippable(in));
	if (s->out.failed != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc != CFS_OK)
		return rc;
	s->of[s->n_ends] = &s->items[i];
	s->ends[s->n_ends++] = s->out.n;
	s->written++;
	return CFS_OK;
}

/* ---- the warcinfo of an archive ----------------------------------------- */

/* Appends a record by itself. */
static int add_whole(const struct cfs_copy_reader *r,
		     struct cfs_copy_stretch *s, const struct cfs_record *rec,
		     struct cfs_error *err)
{
	struct cfs_buf plain;
	int rc;

	cfs_copy_scratch_init(r, &plain);
	cfs_buf_append(&plain, rec->head.p,
		       (size_t)(rec->block.p - rec->head.p));
	cfs_buf_add(&plain, rec->block);
	cfs_buf_adds(&plain, "\r\n\r\n");
	rc = plain.failed != CFS_OK ? cfs_error_nomem(err) :
	     cfs_member_compress(r->opts->coding, cfs_buf_slice(&plain),
				 r->dict, &s->out, err);
	cfs_buf_release(&plain);
	return rc;
}

/*
 * Appends the warcinfo that belongs before an item.  Where the archive is one
 * member, the bytes before that record are looked at.
 *
 * Returns 0, also if there is none; failures of reading, CFS_ENOMEM.
 */
static int take_lead(const struct cfs_copy_reader *r,
		     struct cfs_copy_stretch *s,
		     const struct cfs_copy_item *item, struct cfs_error *err)
{
	struct cfs_span span = { .offset = item->lead };
	const struct cfs_record *rec;
	struct cfs_stored *stored;
	int rc;

	if (!item->has_lead || item->is_arc || r->opts->captures_only ||
	    r->opts->format != CFS_ARCHIVE_WARC)
		return CFS_OK;
	if (item->span.offset == item->lead) {
		span.length = item->span.length;
		span.inner_length = item->span.inner_offset;
	}
	rc = cfs_store_get(r->opts->store, cfs_slice_str(s->archive), &span,
			   &stored, CFS_CTX(r->cancel, err));
	if (rc != CFS_OK)
		return rc;
	rec = cfs_stored_record(stored);
	if (rec->type == CFS_RECORD_WARCINFO && !rec->is_cut_off) {
		rc = add_whole(r, s, rec, err);
		if (rc == CFS_OK)
			s->ends[s->n_ends++] = s->out.n;
	}
	cfs_stored_put(stored);
	return rc;
}

/* ---- all records -------------------------------------------------------- */

/* Takes all records of a stretch at once.  False: one of them is damaged. */
static bool take_all(const struct cfs_copy_reader *r,
		     struct cfs_copy_stretch *s, struct cfs_buf *scratch)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < s->n; i++) {
		rc = take_lead(r, s, &s->items[i], &e);
		if (rc == CFS_OK)
			rc = take_item(r, s, i, scratch, &e);
	}
	if (rc == CFS_OK)
		rc = cfs_copyindex_look(r, s, &e);
	if (rc == CFS_OK)
		return true;
	s->out.n = 0;
	s->n_ends = 0;
	s->written = 0;
	return false;
}

static bool is_whole_record(struct cfs_slice plain)
{
	struct cfs_record_shape shape;

	return cfs_record_measure(plain, &shape, NULL) == CFS_OK &&
	       shape.has_declared && shape.declared < plain.n &&
	       shape.skip + shape.head_bytes + shape.declared <= plain.n;
}

/* Corrects an index that says that a record is longer than its members; the
 * last of these may be the line ends behind it. */
static void cut_item(struct cfs_copy_stretch *s, size_t i,
		     struct cfs_buf *scratch)
{
	struct cfs_span *span = &s->items[i].span;
	struct cfs_slice in = cfs_slice_sub(raw_from(s, span), 0,
					    (size_t)span->length);
	char why[CFS_MEMBER_WHY_BYTES];
	size_t left = in.n;
	bool is_whole = false;

	cfs_buf_reset(scratch);
	while (cfs_coding_of(in) != CFS_CODING_NONE) {
		size_t had = scratch->n;
		struct cfs_slice more;

		if (cfs_member_inflate(&in, s->dict, scratch, why) != CFS_OK)
			break;
		more = cfs_slice_from(cfs_buf_slice(scratch), had);
		if (is_whole && cfs_head_newlines(more) < more.n)
			break;
		is_whole = is_whole || is_whole_record(cfs_buf_slice(scratch));
		left = in.n;
	}
	if (is_whole)
		span->length -= left;
}

/* Takes records one by one, and leaves out damaged ones. */
static void take_each(struct cfs_copy_reader *r, struct cfs_copy_stretch *s,
		      struct cfs_buf *scratch)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	for (size_t i = 0; i < s->n; i++) {
		size_t before, n_ends;
		uint64_t written = s->written;

		cfs_error_clear(&e);
		rc = take_lead(r, s, &s->items[i], &e);
		if (rc != CFS_OK && rc != CFS_ENOTFOUND &&
		    leave_out(r, s, s->items[i].lead, 1, rc, &e) != CFS_OK)
			return;
		before = s->out.n;
		n_ends = s->n_ends;
		cfs_error_clear(&e);
		cut_item(s, i, scratch);
		rc = take_item(r, s, i, scratch, &e);
		if (rc == CFS_OK)
			rc = check_members(r, s, &s->items[i], cfs_slice_from(
					cfs_buf_slice(&s->out), before),
					scratch, &e);
		if (rc == CFS_OK)
			continue;
		if (s->out.failed == CFS_OK)
			s->out.n = before;
		s->n_ends = n_ends;
		s->written = written;
		if (leave_out(r, s, s->items[i].span.offset, 1, rc, &e) !=
		    CFS_OK)
			return;
	}
	cfs_error_clear(&e);
	rc = s->n_ends > 0 ? cfs_copyindex_look(r, s, &e) : CFS_OK;
	s->is_odd = s->is_odd || rc == CFS_EFORMAT;
	if (rc == CFS_ENOMEM || rc == CFS_EINTR) {
		s->rc = rc;
		s->error = e;
	}
}

/* ---- a stretch -------------------------------------------------------- */

/* CFS_EUSAGE if the copy would replace an archive that it copies from. */
static int guard_archive(const struct cfs_copy_reader *r,
			 const struct cfs_copy_stretch *s,
			 struct cfs_error *err)
{
	struct cfs_source *src;
	struct stat st;
	int rc = CFS_OK;

	if (r->replaced == NULL ||
	    cfs_store_source(r->opts->store, cfs_slice_str(s->archive), &src,
			     CFS_CTX(r->cancel, NULL)) != CFS_OK)
		return CFS_OK;
	if (src->is_local && stat(src->name, &st) == 0 &&
	    st.st_dev == r->replaced->st_dev &&
	    st.st_ino == r->replaced->st_ino)
		rc = cfs_error_set(err, CFS_EUSAGE,
				   "'%s' is an archive that is "
				   "copied from",
				   r->opts->output);
	cfs_source_close(src);
	return rc;
}

/* Reads n bytes of a stretch into s->raw. */
static int read_bytes(const struct cfs_copy_reader *r,
		      struct cfs_copy_stretch *s, uint64_t n,
		      struct cfs_error *err)
{
	uint8_t *p = malloc((size_t)n);
	int rc;

	if (p == NULL)
		return cfs_error_nomem(err);
	rc = cfs_store_read(r->opts->store, cfs_slice_str(s->archive), s->from,
			    p, (size_t)n, CFS_CTX(r->cancel, err));
	if (rc != CFS_OK) {
		free(p);
		return rc;
	}
	s->raw = p;
	s->raw_bytes = (size_t)n;
	return CFS_OK;
}

/* Reads the bytes of a stretch that is read as a whole.  The archive may end
 * before what its last record is guessed to have. */
static int read_raw(const struct cfs_copy_reader *r, struct cfs_copy_stretch *s,
		    struct cfs_error *err)
{
	uint64_t n = s->to - s->from, guess = s->guessed_to - s->from;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_EFORMAT;

	if (s->items[0].span.inner_length != 0 || n > CFS_COPY_STRETCH_BYTES)
		return CFS_OK;
	if (guess > n)
		rc = read_bytes(r, s, guess, &e);
	if (rc != CFS_EFORMAT)
		return cfs_error_pass(err, &e, rc);
	return n > 0 ? read_bytes(r, s, n, err) : CFS_OK;
}

void cfs_copy_read(struct cfs_copy_reader *r, struct cfs_copy_stretch *s,
		   struct cfs_buf *scratch)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = guard_archive(r, s, &e);

	if (archive_is_missing(r, s->archive, false))
		return;
	s->ends = calloc(2 * s->n, sizeof(*s->ends));
	s->of = calloc(2 * s->n, sizeof(*s->of));
	if ((s->ends == NULL || s->of == NULL) && rc == CFS_OK)
		rc = cfs_error_nomem(&e);
	if (rc == CFS_OK)
		rc = read_raw(r, s, &e);
	if (rc == CFS_OK && cfs_zst_is_frame(raw_from(s, &s->items[0].span)))
		rc = cfs_store_dict(r->opts->store, cfs_slice_str(s->archive),
				    &s->dict, CFS_CTX(r->cancel, &e));
	if (rc == CFS_ENOTFOUND ||
	    (rc != CFS_OK && is_fatal(r, rc)))
		leave_out(r, s, s->from, s->n, rc, &e);
	else if (rc != CFS_OK || !take_all(r, s, scratch))
		take_each(r, s, scratch);	/* one of them is damaged */
	free(s->raw);
	s->raw = NULL;
	if (scratch->cap > SCRATCH_MAX)
		cfs_buf_release(scratch);
}
