/* store_member.c - gets records as members of an archive: their own members,
 * byte for byte, or freshly compressed ones.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "store_internal.h"

#include "base/spill.h"
#include "codec/member.h"
#include "codec/zstd.h"
#include "extract.h"
#include "parse.h"

/* Compresses a record as one member.  It gets the usual end of a record if the
 * file had another one. */
static int fresh_member(const struct cfs_wanted *q,
			const struct cfs_member_form *form, struct cfs_buf *out,
			struct cfs_ctx ctx)
{
	struct cfs_budget_load load;
	struct cfs_stored *st;
	CFS_BUF(plain, SIZE_MAX / 2);
	const struct cfs_stored_object *o;
	size_t n;
	int rc = cfs_store_get(q->store, q->archive.name, q->span, &st, ctx);

	if (rc != CFS_OK)
		return rc;
	o = cfs_lru_obj((struct cfs_lru_ref *)st);
	if (o->record.is_cut_off || o->bytes.spill != NULL) {
		rc = o->bytes.spill == NULL ?
		     cfs_error_set(ctx.err, CFS_EFORMAT, CFS_CUT_OFF_TEXT) :
		     cfs_error_set(ctx.err, CFS_ELIMIT, "record of %zu bytes "
				   "is too long to be compressed: raise -o "
				   "mem=", o->bytes.n);
		cfs_stored_put(st);
		return rc;
	}
	rc = cfs_budget_begin(&load, q->store->budget, CFS_MEM_VIEWS,
			      3 * (uint64_t)o->bytes.n, ctx);
	if (rc != CFS_OK) {
		cfs_stored_put(st);
		return rc;
	}
	n = (size_t)(o->record.block.p + o->record.block.n - o->bytes.p);
	cfs_buf_append(&plain, o->bytes.p, n);
	cfs_buf_adds(&plain, o->record.format == CFS_ARCHIVE_WARC ?
		     "\r\n\r\n" : "\n");
	rc = plain.failed == CFS_OK ?
	     cfs_member_compress(form->coding, cfs_buf_slice(&plain),
				 form->dict, out, ctx.err) :
	     cfs_error_nomem(ctx.err);
	cfs_budget_end(&load, 0);
	cfs_stored_put(st);
	return rc;
}

/* Inflates all members, as far as they are there and good. */
static int inflate_all(struct cfs_slice in, const struct cfs_zst_dict *dict,
		       struct cfs_buf *out)
{
	char why[CFS_MEMBER_WHY_BYTES];
	int rc;

	do
		rc = cfs_member_inflate(&in, dict, out, why);
	while (rc == CFS_OK && cfs_coding_of(in) != CFS_CODING_NONE);
	return rc;
}

static bool are_same(const struct cfs_buf *a, const struct cfs_buf *b)
{
	for (size_t at = 0; at < a->n && a->n == b->n;) {
		struct cfs_slice x = cfs_slice_sub(cfs_buf_slice(a), at,
						   CFS_SPILL_STEP);
		struct cfs_slice y = cfs_slice_sub(cfs_buf_slice(b), at,
						   CFS_SPILL_STEP);

		if (!cfs_slice_eq(x, y))
			return false;
		cfs_stored_release_part(a, x);
		cfs_stored_release_part(b, y);
		at += x.n;
	}
	return a->n == b->n;
}

/* 0 if the compressed bytes hold the record that is wanted.  in_file: they are
 * in a spilled buffer. */
static int check_member(const struct cfs_wanted *q,
			const struct cfs_member_form *form, struct cfs_slice in,
			bool in_file, const struct cfs_zst_dict *dict,
			struct cfs_error *err)
{
	const struct cfs_stored_object *o = form->parsed == NULL ? NULL :
		cfs_lru_obj((const struct cfs_lru_ref *)form->parsed);
	bool is_same, may_be_cut = o != NULL && o->record.is_cut_off;
	struct cfs_buf plain;
	int rc = CFS_OK;

	cfs_buf_init(&plain, o != NULL ? o->bytes.n + 1 :
					 cfs_store_max_record(q->store));
	if (o != NULL && o->bytes.spill != NULL)
		rc = cfs_spill_begin(&plain, q->store->spill_dir, err);
	if (rc != CFS_OK)
		return rc;
	if (plain.spill != NULL && in_file)
		cfs_spill_made_of(&plain, in);
	rc = inflate_all(in, dict, &plain);
	is_same = o == NULL ? cfs_record_is_start(cfs_buf_slice(&plain)) :
			      are_same(&plain, &o->bytes);
	if (rc == CFS_ENOMEM)
		cfs_error_nomem(err);
	else if (rc == CFS_EIO)
		cfs_error_set(err, rc, "no room for a record of %zu bytes",
			      o->bytes.n);
	else if (is_same && (rc == CFS_OK || may_be_cut))
		rc = CFS_OK;
	else
		rc = cfs_error_set(err, CFS_EFORMAT, o == NULL ?
				   "no whole record begins here" :
				   "has changed since it was read");
	cfs_buf_release(&plain);
	return rc;
}

/* The coding of a member that is too long for memory, from its first bytes. */
static enum cfs_coding coding_at(const struct cfs_wanted *q,
				 struct cfs_archive *a,
				 const struct cfs_cancel *cancel)
{
	uint8_t start[4];

	return cfs_source_read(a->src, start, sizeof(start), q->span->offset,
			       CFS_CTX(cancel, NULL)) != CFS_OK ?
		       CFS_CODING_NONE :
		       cfs_coding_of(cfs_slice_of(start, sizeof(start)));
}

/* True if a member with this dictionary has the form that is asked for. */
static bool is_of_form(const struct cfs_member_form *form,
		       const struct cfs_zst_dict *dict)
{
	return form->with_dict || cfs_zst_dict_is_same(dict, form->dict);
}

/* Copies a member that is too long for memory into a file.  CFS_END: it does
 * not have that form.  After a failure out is empty. */
static int spill_member(const struct cfs_wanted *q, struct cfs_archive *a,
			const struct cfs_member_form *form, struct cfs_buf *out,
			struct cfs_ctx ctx)
{
	struct cfs_zst_dict *dict = NULL;
	size_t head = 0;
	int rc = coding_at(q, a, ctx.cancel) != form->coding ? CFS_END : CFS_OK;

	if (rc == CFS_OK && form->coding == CFS_CODING_ZSTD)
		rc = cfs_archive_dict(a, &dict, ctx);
	if (rc == CFS_OK && !is_of_form(form, dict))
		rc = CFS_END;
	if (rc == CFS_OK)
		rc = cfs_spill_begin(out, q->store->spill_dir, ctx.err);
	if (rc == CFS_OK && form->with_dict) {
		head = cfs_zst_dict_frame(dict).n;
		rc = cfs_buf_add(out, cfs_zst_dict_frame(dict));
	}
	if (rc == CFS_OK)
		rc = cfs_extract_member(&q->store->extractor, a, q->span, out,
					ctx);
	if (rc == CFS_OK) {
		cfs_spill_finish(out);
		rc = check_member(q, form, cfs_slice_from(cfs_buf_slice(out),
							  head), true, dict,
				  ctx.err);
	}
	if (rc != CFS_OK)
		cfs_buf_release(out);
	cfs_zst_dict_put(dict);
	return rc;
}

/* Copies a member in memory.  CFS_END: it does not have that form. */
static int copy_member(const struct cfs_wanted *q, struct cfs_archive *a,
		       const struct cfs_member_form *form, struct cfs_buf *out,
		       struct cfs_ctx ctx)
{
	struct cfs_zst_dict *dict = NULL;
	struct cfs_slice in;
	uint8_t *raw;
	size_t n;
	int rc = cfs_extract_stored(&q->store->extractor, a, q->span, &raw, &n,
				    &dict, ctx);

	if (rc != CFS_OK)
		goto out;
	in = cfs_slice_of(raw, n);
	if (cfs_coding_of(in) != form->coding || !is_of_form(form, dict)) {
		rc = CFS_END;
		goto out;
	}
	rc = check_member(q, form, in, false, dict, ctx.err);
	if (rc == CFS_OK) {
		if (form->with_dict && !cfs_zst_is_dict(in))
			cfs_buf_add(out, cfs_zst_dict_frame(dict));
		rc = cfs_buf_add(out, in);
		if (rc != CFS_OK)
			cfs_error_set(ctx.err, rc, "no room for %zu bytes", in.n);
	}
out:
	cfs_zst_dict_put(dict);
	free(raw);
	return rc;
}

/* Memory for copying a member: it, twice, and what it inflates to. */
static uint64_t copy_cost(const struct cfs_wanted *q,
			  const struct cfs_member_form *form)
{
	const struct cfs_stored_object *o = form->parsed == NULL ? NULL :
		cfs_lru_obj((const struct cfs_lru_ref *)form->parsed);

	return 2 * q->span->length +
	       (o != NULL && o->bytes.spill == NULL ? o->bytes.n : 0);
}

/* True if it is too long for memory.  Only an empty buffer can be spilled. */
static bool is_for_file(const struct cfs_store *s, const struct cfs_span *span,
			const struct cfs_buf *out)
{
	return s->budget != NULL && s->spill_dir != NULL &&
	       span->length > s->spill_bytes && out->p == NULL;
}

static int fetch_member(const struct cfs_wanted *q, struct cfs_archive *a,
			const struct cfs_member_form *form, struct cfs_buf *out,
			struct cfs_ctx ctx)
{
	struct cfs_store *s = q->store;
	struct cfs_span span = *q->span;
	struct cfs_wanted sized = { s, q->archive, &span };
	struct cfs_budget_load load;
	int rc = cfs_extract_measure(&s->extractor, a, &span, ctx);

	if (rc == CFS_OK && is_for_file(s, &span, out)) {
		rc = spill_member(&sized, a, form, out, ctx);
	} else if (rc == CFS_OK) {
		rc = cfs_budget_begin(&load, s->budget, CFS_MEM_VIEWS,
				      copy_cost(&sized, form), ctx);
		if (rc == CFS_OK) {
			rc = copy_member(&sized, a, form, out, ctx);
			cfs_budget_end(&load, 0);
		}
	}
	if (rc == CFS_END)
		rc = fresh_member(q, form, out, ctx);
	cfs_error_where(ctx.err, a->src->name, q->span->offset);
	return rc;
}

static int read_member(const struct cfs_wanted *q,
		       const struct cfs_member_form *form, struct cfs_buf *out,
		       struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_archive *a;
	struct cfs_lru_ref *ref;
	size_t before = out->n;
	int rc = cfs_wanted_archive(q, &ref, ctx);

	if (rc != CFS_OK)
		return rc;
	a = cfs_lru_obj(ref);
	rc = fetch_member(q, a, form, out, CFS_CTX(ctx.cancel, &e));
	if (out->n == before &&
	    cfs_source_may_read_again(a->src, q->span->offset, q->span->length,
				      rc, &e))
		rc = fetch_member(q, a, form, out, CFS_CTX(ctx.cancel, &e));
	cfs_error_pass(ctx.err, &e, rc);
	cfs_lru_put(ref);
	return rc;
}

int cfs_store_member(struct cfs_store *s, struct cfs_slice archive_name,
		     const struct cfs_span *span,
		     const struct cfs_member_form *form, struct cfs_buf *out,
		     struct cfs_ctx ctx)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, span);
	int rc;

	do
		rc = span->inner_length > 0 ? fresh_member(&q, form, out, ctx) :
		     read_member(&q, form, out, ctx);
	while (cfs_wanted_retry_next_base(&q, rc, ctx.err));
	return rc;
}

int cfs_store_dict(struct cfs_store *s, struct cfs_slice archive_name,
		   struct cfs_zst_dict **out, struct cfs_ctx ctx)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, NULL);
	int rc;

	*out = NULL;
	do {
		struct cfs_lru_ref *ref;

		rc = cfs_wanted_archive(&q, &ref, ctx);
		if (rc != CFS_OK)
			continue;
		rc = cfs_archive_dict(cfs_lru_obj(ref), out, ctx);
		cfs_lru_put(ref);
	} while (cfs_wanted_retry_next_base(&q, rc, ctx.err));
	return rc;
}

bool cfs_store_member_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			    const struct cfs_span *span, uint64_t *bytes,
			    const struct cfs_cancel *cancel)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, span);
	struct cfs_zst_dict *dict;
	struct cfs_lru_ref *ref;
	bool is_known;

	*bytes = span->length;
	if (!cfs_slice_ends(archive_name, CFS_SLICE_LIT(".zst")))
		return true;
	if (q.archive.place->expects_base ||
	    cfs_wanted_archive(&q, &ref, CFS_CTX(cancel, NULL)) != CFS_OK)
		return false;
	is_known =
		((const struct cfs_archive *)cfs_lru_obj(ref))->src->is_local &&
		cfs_archive_dict(cfs_lru_obj(ref), &dict,
				 CFS_CTX(cancel, NULL)) ==
			CFS_OK;
	cfs_lru_put(ref);
	if (!is_known)
		return false;
	*bytes += cfs_zst_dict_frame(dict).n;
	cfs_zst_dict_put(dict);
	return true;
}
