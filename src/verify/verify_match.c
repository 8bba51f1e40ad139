/* verify_match.c - compares the entries of an index with records.
 *
 * An entry is right if a record begins at its place, has its URL and time, and
 * its length and digest; a line of a list must also match in status and MIME
 * type.  Fields that the entry lacks are not compared.  The times of a PB-tree
 * are those of its archives, and are not compared either.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/timestamp.h"
#include "record/digest.h"
#include "url/surt.h"

#define TEXT_MAX ((size_t)1 << 20)	/* of a line */

void cfs_match_init(struct cfs_match *m, const struct cfs_verify_reader *r,
		    struct cfs_verify_part *p)
{
	m->r = r;
	m->p = p;
	m->at = p->entries;
	m->end = p->entries + p->n_entries;
	m->shift = p->unit->shift;
	m->row = m->n_rows = 0;
	m->has_damage = false;
}

int cfs_match_peek(struct cfs_match *m, const struct cfs_verify_row **out,
		   struct cfs_error *err)
{
	uint64_t n = m->end - m->at;
	int rc;

	if (m->row == m->n_rows) {
		if (n == 0)
			return CFS_END;
		m->n_rows = n < CFS_MATCH_ROWS ? (size_t)n : CFS_MATCH_ROWS;
		m->row = 0;
		rc = cfs_verify_rows_read(m->r->entries, m->at, m->rows,
					  m->n_rows, err);
		if (rc != CFS_OK) {
			m->n_rows = 0;
			return rc;
		}
		m->at += m->n_rows;
		for (size_t i = 0; i < m->n_rows; i++)
			m->rows[i].offset -= m->shift;
	}
	*out = &m->rows[m->row];
	return CFS_OK;
}

/* ---- findings ------------------------------------------------------------ */

/* An entry with the fields that only the index has. */
struct full {
	struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_buf url, text;
};

/* True if the entries are lines of a list, which no index has. */
static bool is_of_list(const struct cfs_match *m)
{
	return m->r->opts->index == NULL;
}

static void full_of_line(const struct cfs_match *m,
			 const struct cfs_verify_row *e, struct full *f)
{
	struct cfs_verify_text text;

	if (cfs_verify_rows_text(m->r->entries, e, &f->text, &text, NULL) !=
	    CFS_OK)
		return;
	f->cap.url = text.url;
	f->cap.digest = text.digest;
	f->cap.mime = text.mime;
	cfs_buf_add(&f->url, text.url);
}

static struct full *full_new(const struct cfs_match *m,
			     const struct cfs_verify_row *e)
{
	struct full *f = malloc(sizeof(*f));

	if (f == NULL)
		return NULL;
	cfs_iter_init(&f->it);
	cfs_buf_init(&f->url, 4 * CFS_URL_MAX);
	cfs_buf_init(&f->text, TEXT_MAX);
	f->cap = (struct cfs_capture){ .url = CFS_SLICE_EMPTY,
		.mime = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY };
	if (is_of_list(m))
		full_of_line(m, e, f);
	else if (cfs_index_at(m->r->opts->index, e->pos, &f->it,
			      CFS_CTX(m->r->cancel, NULL)) == CFS_OK &&
	    cfs_index_capture(&f->it, &f->cap, NULL) == CFS_OK)
		(void)cfs_index_key_url(m->r->opts->index, f->it.key, &f->cap,
					&f->url);
	return f;
}

static void full_free(struct full *f)
{
	if (f == NULL)
		return;
	cfs_iter_release(&f->it);
	cfs_buf_release(&f->url);
	cfs_buf_release(&f->text);
	free(f);
}

static void report(struct cfs_match *m, const struct cfs_verify_row *e,
		   const char *kind, struct cfs_slice url,
		   struct cfs_slice expected, struct cfs_slice found)
{
	struct cfs_verify_finding f = { .kind = kind, .offset = e->offset,
		.length = e->length, .url = url, .expected = expected,
		.found = found };

	cfs_verify_found(m->p, &f);
}

/* No record begins where the entry says. */
static void report_missing(struct cfs_match *m, const struct cfs_verify_row *e)
{
	struct full *f = full_new(m, e);

	m->p->tally.checks[CFS_VERIFY_INDEX].differed++;
	report(m, e, "index-offset", f != NULL ? cfs_buf_slice(&f->url) :
	       CFS_SLICE_EMPTY, CFS_SLICE_EMPTY,
	       CFS_SLICE_LIT("no record begins there"));
	full_free(f);
}

/* ---- comparisons --------------------------------------------------------- */

static int key_of(struct cfs_match *m, struct cfs_slice url,
		  struct cfs_buf *out)
{
	return is_of_list(m) ? cfs_surt_encode(url, out) :
	       cfs_index_url_key(m->r->opts->index, url, out);
}

/* True if the index would have this URL under the key with that hash. */
static bool has_key(struct cfs_match *m, uint64_t want, struct cfs_slice url)
{
	CFS_BUF(key, CFS_KEY_MAX);

	return key_of(m, url, &key) == CFS_OK &&
	       cfs_hash64(cfs_buf_slice(&key), 0) == want;
}

/* True if two URLs have the same key. */
static bool is_same_page(struct cfs_match *m, struct cfs_slice a,
			 struct cfs_slice b)
{
	CFS_BUF(key, CFS_KEY_MAX);

	return key_of(m, a, &key) == CFS_OK &&
	       has_key(m, cfs_hash64(cfs_buf_slice(&key), 0), b);
}

/* True if `listed` is the URL with the scheme supplied for a line without a
 * known one. */
static bool is_with_scheme(struct cfs_slice listed, struct cfs_slice url)
{
	static const struct cfs_slice http = CFS_SLICE_LIT("http://");

	return cfs_slice_starts(listed, http) &&
	       cfs_slice_eq(cfs_slice_from(listed, http.n), url);
}

/* An entry's URL decides, where it has one: other programs make other keys. */
static bool check_url(struct cfs_match *m, const struct cfs_verify_row *e,
		      const struct cfs_record *r)
{
	bool same = e->url != 0 ? e->url == cfs_hash64(r->url, 0) :
				  is_of_list(m) || has_key(m, e->key, r->url);
	struct full *f;

	if (same)
		return true;
	f = full_new(m, e);
	if (f != NULL)
		same = f->cap.url.n > 0 &&
		       (is_same_page(m, f->cap.url, r->url) ||
			is_with_scheme(f->cap.url, r->url));
	if (!same)
		report(m, e, "index-url", r->url,
		       f == NULL	 ? CFS_SLICE_EMPTY :
		       f->url.n > 0 ? cfs_buf_slice(&f->url) :
		       f->it.key, r->url);
	full_free(f);
	return same;
}

static bool check_time(struct cfs_match *m, const struct cfs_verify_row *e,
		       const struct cfs_record *r)
{
	char expected[CFS_TIME_14_BYTES], found[CFS_TIME_14_BYTES];

	if (e->time == 0 || !r->has_time || e->time == r->time ||
	    (!is_of_list(m) && !m->r->opts->index->has_status))
		return true;
	cfs_time_format_14(e->time, expected);
	cfs_time_format_14(r->time, found);
	report(m, e, "index-time", r->url, cfs_slice_str(expected),
	       cfs_slice_str(found));
	return false;
}

static bool check_length(struct cfs_match *m, const struct cfs_verify_row *e,
			 const struct cfs_scan_item *item)
{
	bool is_inner = e->inner_length > 0;
	uint64_t want = is_inner ? e->inner_length : e->length;
	uint64_t has = is_inner ? item->span.inner_length : item->span.length;
	char expected[24], found[24];

	if (want == 0 || want == has)
		return true;
	/* CDX files do not know that records share a member */
	if (!is_inner && item->span.inner_length > 0)
		return true;
	/* the line ends after an uncompressed record may be counted or not */
	if (!is_inner && !item->is_one_member &&
	    item->span.length <= item->record->all.n &&
	    want >= item->record->head.n + item->record->block.n &&
	    want <= item->record->all.n + 4)
		return true;
	snprintf(expected, sizeof(expected), "%" PRIu64, want);
	snprintf(found, sizeof(found), "%" PRIu64, has);
	report(m, e, "index-length", item->record->url, cfs_slice_str(expected),
	       cfs_slice_str(found));
	return false;
}

/* Compares a digest from the index with the record's declared one, and else
 * with the computed one, which is appended to the empty `found`. */
static bool has_digest(struct cfs_slice digest, struct cfs_slice own,
		       const struct cfs_scan_item *item, struct cfs_buf *found,
		       struct cfs_error *err)
{
	/* CDX files and records may have different kinds of digests */
	return cfs_digest_equal(digest, own) ||
	       item->record->type == CFS_RECORD_REVISIT ||
	       cfs_verify_payload_is(item, digest, found, err) !=
		       CFS_DIGEST_OTHER;
}

static bool check_digest(struct cfs_match *m, const struct cfs_verify_row *e,
			 const struct cfs_scan_item *item)
{
	const struct cfs_record *r = item->record;
	struct cfs_slice own = cfs_record_warc_field(r, "WARC-Payload-Digest");
	CFS_BUF(found, CFS_VERIFY_DIGEST_MAX);
	CFS_BUF(text, CFS_VERIFY_DIGEST_MAX);
	struct full *f;
	bool same;

	if (e->digest == 0 || e->digest == cfs_verify_hash_digest(own) ||
	    (f = full_new(m, e)) == NULL)
		return true;
	cfs_verify_label(f->cap.digest, &text);
	same = has_digest(cfs_buf_slice(&text), own, item, &found,
			  &m->p->error);
	if (!same && m->p->error.code == CFS_OK)
		report(m, e, "index-digest", r->url, cfs_buf_slice(&text),
		       own.n > 0 ? own : cfs_buf_slice(&found));
	full_free(f);
	return same;
}

/* True for the records whose status and type are compared with a list's; those
 * of a revisit depend on the software that wrote it. */
static bool is_page(const struct cfs_record *r)
{
	return r->type == CFS_RECORD_RESPONSE || r->type == CFS_RECORD_ARC;
}

static bool check_status(struct cfs_match *m, const struct cfs_verify_row *e,
			 const struct cfs_record *r)
{
	char expected[24], found[24];

	if (e->status == 0 || e->status == r->status || !is_page(r) ||
	    r->status == 0)
		return true;
	snprintf(expected, sizeof(expected), "%" PRIu64, e->status);
	snprintf(found, sizeof(found), "%u", r->status);
	report(m, e, "index-status", r->url, cfs_slice_str(expected),
	       cfs_slice_str(found));
	return false;
}

static bool check_mime(struct cfs_match *m, const struct cfs_verify_row *e,
		       const struct cfs_record *r)
{
	struct cfs_slice first;
	struct full *f;

	first = cfs_fields_get(&r->http, "Content-Type", NULL);
	if (e->mime == 0 || !is_page(r) || first.n == 0 ||
	    e->mime == cfs_verify_hash_mime(first) ||
	    e->mime == cfs_verify_hash_mime(r->mime))
		return true;
	f = full_new(m, e);
	report(m, e, "index-mime", r->url, f != NULL ? f->cap.mime :
	       CFS_SLICE_EMPTY, first);
	full_free(f);
	return false;
}

static void compare(struct cfs_match *m, const struct cfs_verify_row *e,
		    const struct cfs_scan_item *item)
{
	struct cfs_verify_count *c = &m->p->tally.checks[CFS_VERIFY_INDEX];
	const struct cfs_record *r = item->record;
	bool same = check_url(m, e, r);

	/* if it is another record, nothing else will match */
	if (same)
		same = check_time(m, e, r);
	if (same && !r->is_cut_off &&
	    !(m->has_damage && m->damage_at == item->span.offset)) {
		same = check_length(m, e, item);
		same = check_digest(m, e, item) && same;
		same = check_status(m, e, r) && same;
		same = check_mime(m, e, r) && same;
	}
	if (same)
		c->matched++;
	else
		c->differed++;
}

/* ---- matching entries with records --------------------------------------- */

static int order(const struct cfs_verify_row *e, uint64_t offset,
		 uint64_t inner)
{
	if (e->offset != offset)
		return e->offset < offset ? -1 : 1;
	return e->inner_offset < inner ? -1 : e->inner_offset > inner;
}

static void pass_one(struct cfs_match *m, const struct cfs_verify_row *e)
{
	if (m->has_damage && e->offset >= m->damage_at)
		m->p->tally.checks[CFS_VERIFY_INDEX].absent++;
	else
		report_missing(m, e);
	m->row++;
}

static int pass(struct cfs_match *m, uint64_t offset, uint64_t inner, bool all,
		struct cfs_error *err)
{
	const struct cfs_verify_row *e;
	int rc;

	while ((rc = cfs_match_peek(m, &e, err)) == CFS_OK &&
	       (all || order(e, offset, inner) < 0))
		pass_one(m, e);
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_match_pass(struct cfs_match *m, uint64_t offset, bool all,
		   struct cfs_error *err)
{
	return pass(m, offset, 0, all, err);
}

int cfs_match_record(struct cfs_match *m, const struct cfs_scan_item *item,
		     struct cfs_error *err)
{
	uint64_t offset = item->span.offset, inner = item->span.inner_offset;
	const struct cfs_verify_row *e;
	bool is_second = false;
	int rc = pass(m, offset, inner, false, err);

	/* one record may have several entries, for example with a port */
	while (rc == CFS_OK && (rc = cfs_match_peek(m, &e, err)) == CFS_OK &&
	       order(e, offset, inner) == 0) {
		m->p->tally.listed_twice += is_second;
		is_second = true;
		compare(m, e, item);
		m->row++;
	}
	m->p->tally.unlisted += !is_second && m->p->unit->is_listed &&
				is_page(item->record);
	/* damage that begins at this record may continue after it */
	if (m->has_damage && m->damage_at < offset)
		m->has_damage = false;
	return rc == CFS_END ? CFS_OK : rc;
}

void cfs_match_damage(struct cfs_match *m, uint64_t offset)
{
	if (!m->has_damage || offset < m->damage_at)
		m->damage_at = offset;
	m->has_damage = true;
}

void cfs_match_give_up(struct cfs_match *m)
{
	uint64_t n = m->end - m->at + (m->n_rows - m->row);

	m->p->tally.checks[CFS_VERIFY_INDEX].absent += n;
	m->at = m->end;
	m->row = m->n_rows = 0;
}
