/* verify_match.c - compares the entries of an index with records.
 *
 * An entry is right if a record begins at its place, has its URL and time, and
 * its length and digest; a line of a list must also match in status and MIME
 * type.  Fields that the entry lacks are not compared.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mime.h"
#include "base/timestamp.h"
#include "record/digest.h"
#include "url/same_url.h"
#include "url/surt.h"

void cfs_match_init(struct cfs_match *m, const struct cfs_verify *v,
		    struct cfs_verify_part *p)
{
	*m = (struct cfs_match){ .v = v, .p = p, .rows = p->rows,
				 .to = p->rows_to };
}

const struct cfs_verify_row *cfs_match_peek(struct cfs_match *m)
{
	if (!m->has_row) {
		m->has_row = cfs_verify_row_next(&m->rows, m->to, &m->row);
		m->row.offset -= m->p->unit->shift;
	}
	return m->has_row ? &m->row : NULL;
}

/* ---- findings ------------------------------------------------------------ */

/* True for a line of a list, which no index has. */
static bool is_line(const struct cfs_verify_row *e)
{
	return e->key.n == 0;
}

/* Appends the URL of an entry as well as the index knows it. */
static void add_url(struct cfs_match *m, const struct cfs_verify_row *e,
		    struct cfs_buf *out)
{
	const struct cfs_capture cap = { .url = e->url,
					 .scheme = (uint8_t)e->scheme };

	if (is_line(e))
		cfs_buf_add(out, e->url);
	else
		(void)cfs_index_key_url(m->v->opts.index, e->key, &cap, out);
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
	CFS_BUF(url, 4 * CFS_URL_MAX);

	add_url(m, e, &url);
	m->p->tally.checks[CFS_VERIFY_INDEX].differed++;
	report(m, e, "index-offset", cfs_buf_slice(&url), CFS_SLICE_EMPTY,
	       CFS_SLICE_LIT("no record begins there"));
}

/* ---- comparisons --------------------------------------------------------- */

/* An entry's URL decides, where it has one: other programs make other keys. */
static bool has_url(struct cfs_match *m, const struct cfs_verify_row *e,
		    struct cfs_slice url)
{
	if (is_line(e))
		return e->url.n == 0 || cfs_url_is_of(url, CFS_SLICE_EMPTY,
						      e->url, cfs_surt_encode);
	return cfs_url_is_of(url, e->url.n > 0 ? CFS_SLICE_EMPTY : e->key,
			     e->url, m->v->opts.index->ops->url_key);
}

static bool check_url(struct cfs_match *m, const struct cfs_verify_row *e,
		      const struct cfs_record *r)
{
	bool is_other = !is_line(e) && !cfs_record_may_be_page(r->type);
	CFS_BUF(url, 4 * CFS_URL_MAX);

	if (!is_other && has_url(m, e, r->url))
		return true;
	add_url(m, e, &url);
	report(m, e, "index-url", r->url,
	       url.n > 0 ? cfs_buf_slice(&url) : e->key,
	       is_other ? cfs_slice_str(CFS_NO_PAGE_TEXT) : r->url);
	return false;
}

static bool check_time(struct cfs_match *m, const struct cfs_verify_row *e,
		       const struct cfs_record *r)
{
	char expected[CFS_TIME_14_BYTES], found[CFS_TIME_14_BYTES];

	if (e->time == 0 || !r->has_time || e->time == r->time)
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
	CFS_BUF(labelled, CFS_VERIFY_DIGEST_MAX);

	if (own.n > 0)
		cfs_verify_label(own, &labelled);
	/* CDX files and records may have different kinds of digests */
	return cfs_digest_equal(digest, cfs_buf_slice(&labelled)) ||
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
	bool same;

	if (e->digest.n == 0)
		return true;
	cfs_verify_label(e->digest, &text);
	same = has_digest(cfs_buf_slice(&text), own, item, &found,
			  &m->p->error);
	if (!same && m->p->error.code == CFS_OK)
		report(m, e, "index-digest", r->url, cfs_buf_slice(&text),
		       own.n > 0 ? own : cfs_buf_slice(&found));
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

static bool is_of_type(struct cfs_slice type, struct cfs_slice value)
{
	return cfs_slice_eq_nocase(type, cfs_mime_type(value));
}

static bool check_mime(struct cfs_match *m, const struct cfs_verify_row *e,
		       const struct cfs_record *r)
{
	struct cfs_slice type = cfs_mime_type(e->mime);
	struct cfs_slice first = cfs_fields_get(&r->http, "Content-Type", NULL);

	if (type.n == 0 || !is_page(r) || first.n == 0 ||
	    is_of_type(type, first) || is_of_type(type, r->mime))
		return true;
	report(m, e, "index-mime", r->url, e->mime, first);
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

/* Passes the entries before a place, as without a record. */
static void pass(struct cfs_match *m, uint64_t offset, uint64_t inner)
{
	const struct cfs_verify_row *e;

	while ((e = cfs_match_peek(m)) != NULL && order(e, offset, inner) < 0) {
		if (m->has_damage && e->offset >= m->damage_at)
			m->p->tally.checks[CFS_VERIFY_INDEX].absent++;
		else
			report_missing(m, e);
		m->has_row = false;
	}
}

void cfs_match_pass(struct cfs_match *m, uint64_t offset)
{
	pass(m, offset, 0);
}

void cfs_match_record(struct cfs_match *m, const struct cfs_scan_item *item)
{
	uint64_t offset = item->span.offset, inner = item->span.inner_offset;
	const struct cfs_verify_row *e;
	bool is_second = false;

	pass(m, offset, inner);
	/* one record may have several entries, for example with a port */
	while ((e = cfs_match_peek(m)) != NULL &&
	       order(e, offset, inner) == 0) {
		m->p->tally.listed_twice += is_second;
		is_second = true;
		compare(m, e, item);
		m->has_row = false;
	}
	m->p->tally.unlisted += !is_second && m->p->unit->is_listed &&
				is_page(item->record);
	/* damage that begins at this record may continue after it */
	if (m->has_damage && m->damage_at < offset)
		m->has_damage = false;
}

void cfs_match_damage(struct cfs_match *m, uint64_t offset)
{
	if (!m->has_damage || offset < m->damage_at)
		m->damage_at = offset;
	m->has_damage = true;
}

void cfs_match_give_up(struct cfs_match *m)
{
	for (; cfs_match_peek(m) != NULL; m->has_row = false)
		m->p->tally.checks[CFS_VERIFY_INDEX].absent++;
}
