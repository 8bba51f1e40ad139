/* verify_record.c - compares a record with its own header.
 *
 * Spec: ISO 28500:2017, sections 5.8 and 5.9; doc/formats.md, "WARC records".
 * A payload digest is right if it matches one of these:
 *     - the body as it is stored
 *     - the body without its transfer encoding (what chunks hold)
 *     - the body without any encoding, as Common Crawl keeps it
 * A revisit's digest is that of another record's payload, and a segment's is
 * that of several records; neither is compared.  Where no payload is defined
 * (6.3.3), as of a response by another protocol than HTTP, a digest that is
 * not that of the block says nothing.  If the length is wrong no digest is
 * compared, because it is not known which bytes it covers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/body.h"
#include "record/digest.h"

/* Most bytes of a digest with its label. */
#define DIGEST_TEXT_MAX 256u

struct record_look {
	struct cfs_verify_part *p;
	const struct cfs_scan_item *item;
	const struct cfs_record *r;
};

void cfs_verify_record_found(struct cfs_verify_part *p,
			     const struct cfs_scan_item *item, const char *kind,
			     struct cfs_slice expected, struct cfs_slice found)
{
	struct cfs_verify_finding f = { .kind = kind,
		.offset = item->span.offset, .length = item->span.length,
		.url = item->record->url, .expected = expected,
		.found = found };

	cfs_verify_found(p, &f);
}

static void report(const struct record_look *l, const char *kind,
		   struct cfs_slice expected, struct cfs_slice found)
{
	cfs_verify_record_found(l->p, l->item, kind, expected, found);
}

static void count(struct record_look *l, enum cfs_verify_check check,
		  bool is_same)
{
	struct cfs_verify_count *c = &l->p->tally.checks[check];

	if (is_same)
		c->matched++;
	else
		c->differed++;
}

static void count_absent(struct record_look *l, enum cfs_verify_check check)
{
	l->p->tally.checks[check].absent++;
}

/* ---- lengths ------------------------------------------------------------ */

/* Checks that the record has as many bytes as it declares.  is_reported: the
 * scan has already reported that. */
static bool check_length(struct record_look *l, bool is_reported)
{
	const struct cfs_record *r = l->r;
	char expected[24], found[24];
	/* an ARC record's length may include the line end after it */
	bool is_arc = r->format == CFS_ARCHIVE_ARC;
	bool is_short = r->block.n + is_arc < r->declared_bytes;
	bool is_long = !is_arc && l->item->surplus > 0;

	if (r->is_cut_off || is_reported) {
		count(l, CFS_VERIFY_LENGTH, false);
		return false;
	}
	count(l, CFS_VERIFY_LENGTH, !is_short && !is_long);
	if (!is_short && !is_long)
		return true;
	snprintf(expected, sizeof(expected), "%" PRIu64, r->declared_bytes);
	snprintf(found, sizeof(found), "%" PRIu64, r->block.n +
		 l->item->surplus);
	report(l, "length", cfs_slice_str(expected), cfs_slice_str(found));
	return false;
}

/* ---- digests ------------------------------------------------------------ */

/* As cfs_digest_check, for bytes of the record; empties `found` first. */
static enum cfs_digest_verdict
compare(const struct cfs_scan_item *item, struct cfs_slice digest,
	struct cfs_slice bytes, struct cfs_buf *found)
{
	cfs_buf_reset(found);
	return cfs_digest_check(digest, bytes, cfs_scan_pages(item), found);
}

static void settle(struct record_look *l, enum cfs_verify_check check,
		   const char *kind, struct cfs_slice digest,
		   enum cfs_digest_verdict verdict, struct cfs_buf *found)
{
	if (verdict == CFS_DIGEST_UNKNOWN) {
		l->p->tally.checks[check].unknown++;
		return;
	}
	count(l, check, verdict == CFS_DIGEST_SAME);
	if (verdict == CFS_DIGEST_OTHER)
		report(l, kind, digest, cfs_buf_slice(found));
}

static void check_block(struct record_look *l, struct cfs_buf *found)
{
	const struct cfs_record *r = l->r;
	struct cfs_slice digest = cfs_record_warc_field(r, "WARC-Block-Digest");
	struct cfs_slice declared = cfs_slice_sub(r->block, 0,
						  (size_t)r->declared_bytes);
	enum cfs_digest_verdict verdict;

	if (digest.n == 0) {
		count_absent(l, CFS_VERIFY_BLOCK);
		return;
	}
	verdict = compare(l->item, digest, r->block, found);
	/* a repaired block is longer than declared (warc.c) */
	if (verdict == CFS_DIGEST_OTHER && declared.n < r->block.n)
		verdict = compare(l->item, digest, declared, found);
	settle(l, CFS_VERIFY_BLOCK, "block-digest", digest, verdict, found);
}

/* True if the digest matches the body after undoing the encodings that fields
 * of this name declare; NULL: all encodings. */
static bool is_decoded(const struct cfs_scan_item *item, const char *name,
		       struct cfs_slice digest, struct cfs_buf *scratch,
		       struct cfs_error *err)
{
	const struct cfs_record *r = item->record;
	struct cfs_body_result body = { .is_damaged = false };
	struct cfs_error e = CFS_ERROR_INIT;
	bool is_same = false;
	int rc = cfs_body_decode_by(name, r->stored_body, &r->http, r->is_cut,
				    item->spill_dir, &body, &e);

	if (rc == CFS_EIO) {	/* of a temporary file: no damage */
		cfs_error_where(&e, item->spill_dir, 0);
		cfs_error_pass(err, &e, rc);
	}
	if (rc == CFS_OK && body.own.p != NULL)
		is_same = compare(item, digest, cfs_buf_slice(&body.own),
				  scratch) == CFS_DIGEST_SAME;
	cfs_buf_release(&body.own);
	return is_same;
}

bool cfs_verify_declares_http(const struct cfs_record *r)
{
	return cfs_slice_starts_nocase(cfs_record_warc_field(r, "Content-Type"),
				       CFS_SLICE_LIT("application/http"));
}

static bool is_http_message(const struct cfs_record *r)
{
	return r->has_http || cfs_verify_declares_http(r);
}

/* The payload of a block of HTTP is what follows its head (5.9), that of a
 * resource or conversion is the block. */
static bool has_payload(const struct cfs_record *r)
{
	return r->type == CFS_RECORD_RESOURCE ||
	       r->type == CFS_RECORD_CONVERSION ||
	       r->type == CFS_RECORD_ARC ||
	       ((r->type == CFS_RECORD_RESPONSE ||
		 r->type == CFS_RECORD_REQUEST) && is_http_message(r));
}

static struct cfs_slice behind_head(const struct cfs_record *r)
{
	bool complete;

	return cfs_slice_from(r->block, cfs_head_length(r->block, &complete));
}

/* Some software takes all that follows the first head as the payload. */
static bool is_behind_interim(const struct cfs_scan_item *item,
			      struct cfs_slice digest, struct cfs_buf *scratch)
{
	return item->record->interim_bytes > 0 &&
	       compare(item, digest, behind_head(item->record),
		       scratch) == CFS_DIGEST_SAME;
}

enum cfs_digest_verdict cfs_verify_payload_is(const struct cfs_scan_item *item,
					      struct cfs_slice digest,
					      struct cfs_buf *found,
					      struct cfs_error *err)
{
	const struct cfs_record *r = item->record;
	enum cfs_digest_verdict verdict;
	CFS_BUF(scratch, DIGEST_TEXT_MAX);

	verdict = compare(item, digest, r->stored_body, found);
	if (verdict == CFS_DIGEST_OTHER && !has_payload(r))
		return CFS_DIGEST_UNKNOWN;
	if (verdict == CFS_DIGEST_OTHER && !r->has_http && is_http_message(r))
		return compare(item, digest, behind_head(r), found);
	if (verdict != CFS_DIGEST_OTHER || !r->has_http)
		return verdict;
	if (is_decoded(item, "Transfer-Encoding", digest, &scratch, err) ||
	    is_decoded(item, NULL, digest, &scratch, err) ||
	    is_behind_interim(item, digest, &scratch))
		verdict = CFS_DIGEST_SAME;
	return verdict;
}

static void check_payload(struct record_look *l, struct cfs_buf *found)
{
	const struct cfs_record *r = l->r;
	struct cfs_slice digest = cfs_record_warc_field(r,
							"WARC-Payload-Digest");
	enum cfs_digest_verdict verdict;

	if (digest.n == 0 || r->type == CFS_RECORD_REVISIT ||
	    cfs_record_warc_field(r, "WARC-Segment-Number").n > 0) {
		count_absent(l, CFS_VERIFY_PAYLOAD);
		return;
	}
	verdict = cfs_verify_payload_is(l->item, digest, found, &l->p->error);
	if (l->p->error.code == CFS_OK)
		settle(l, CFS_VERIFY_PAYLOAD, "payload-digest", digest, verdict,
		       found);
}

/* ---- the record ---------------------------------------------------------- */

/* Reports a body that ends inside its coding.  Other records have the rest of a
 * segment's. */
static void check_body(struct record_look *l)
{
	struct cfs_body_result body = { .is_damaged = false };
	struct cfs_record r = *l->r;
	struct cfs_error e = CFS_ERROR_INIT;

	if (r.is_cut_off || !r.has_http || r.segment > 0 ||
	    !cfs_body_may_decode(r.stored_body, &r.http))
		return;
	if (cfs_body_decode(r.stored_body, &r.http, r.is_cut,
			    CFS_RECORD_MAX_DEFAULT, l->item->spill_dir, &body,
			    &e) == CFS_EIO) {	/* of a temporary file */
		cfs_error_where(&e, l->item->spill_dir, 0);
		cfs_error_pass(&l->p->error, &e, CFS_EIO);
	}
	cfs_buf_release(&body.own);
	r.body_is_damaged = body.is_damaged;
	if (body.is_unchecked)
		l->p->tally.checks[CFS_VERIFY_CHECKSUM].absent++;
	if (!cfs_record_body_is_cut(&r))
		return;
	l->p->tally.cut++;
	report(l, "body", CFS_SLICE_EMPTY,
	       CFS_SLICE_LIT("it ends inside its coding, or that "
					   "is damaged"));
}

void cfs_verify_record(struct cfs_verify_part *p,
		       const struct cfs_scan_item *item, bool has_length_damage,
		       bool is_strict)
{
	struct record_look l = { p, item, item->record };
	const uint64_t damage = p->tally.damage;
	struct cfs_buf found;

	p->tally.records++;
	cfs_verify_note_ids(&p->ids, item, is_strict);
	if (!check_length(&l, has_length_damage) || l.r->format !=
	    CFS_ARCHIVE_WARC) {
		count_absent(&l, CFS_VERIFY_BLOCK);
		count_absent(&l, CFS_VERIFY_PAYLOAD);
	} else {
		cfs_buf_init(&found, DIGEST_TEXT_MAX);
		check_block(&l, &found);
		check_payload(&l, &found);
		cfs_buf_release(&found);
	}
	/* one finding for one fault */
	if (p->tally.damage == damage && !has_length_damage)
		check_body(&l);
	if (is_strict)
		cfs_verify_strict(p, item);
}
