/* verify_ids.c - finds repeated records, and revisits whose original is
 * missing, by hashes that are sorted on disk.
 *
 * Each record leaves words of 8 bytes: a hash whose low bits say of what.  A
 * revisit has its body if any of its words is that of another record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/timestamp.h"
#include "sort/extsort.h"

#define SORT_BYTES ((size_t)64 << 20)
#define REVISITS_MAX ((size_t)1 << 32)

/* The low bits of a word; IS_BLOCK: an id together with a block. */
enum { IS_ID, IS_OF_BODY, IS_BLOCK, WANTS_FIRST, WANTS_MORE };
#define KIND_MASK UINT64_C(7)
/* Seeds of the hashes of a URL alone, and with a time. */
#define SEED_URL UINT64_C(1) << 63

void cfs_verify_label(struct cfs_slice digest, struct cfs_buf *out)
{
	if (cfs_slice_find(digest, ':') < 0)
		cfs_buf_adds(out, "sha1:");
	cfs_buf_add(out, digest);
}

/* A hash of a digest's normal form, with or without label. */
static uint64_t hash_digest(struct cfs_slice digest)
{
	CFS_BUF(usual, CFS_VERIFY_DIGEST_MAX);
	CFS_BUF(labelled, CFS_VERIFY_DIGEST_MAX);

	cfs_verify_label(digest, &labelled);
	cfs_digest_add(&usual, cfs_buf_slice(&labelled));
	return cfs_hash64(cfs_buf_slice(&usual), 0);
}

static void put_word(struct cfs_buf *ids, uint64_t hash, unsigned kind)
{
	uint8_t word[8];

	cfs_le64_put(word, (hash & ~KIND_MASK) | kind);
	cfs_buf_append(ids, word, sizeof(word));
}

static void put_digest(struct cfs_buf *ids, const struct cfs_record *r,
		       const char *name, unsigned kind)
{
	struct cfs_slice digest = cfs_record_warc_field(r, name);

	if (digest.n > 0)
		put_word(ids, hash_digest(digest), kind);
}

static uint64_t at_time(struct cfs_slice url, int64_t time)
{
	return cfs_hash64(url, (uint64_t)time & ~(SEED_URL));
}

/* True for a revisit that needs no original: it holds the payload, or that has
 * no bytes. */
static bool has_own_body(const struct cfs_scan_item *item)
{
	struct cfs_slice digest = cfs_record_warc_field(item->record,
							"WARC-Payload-Digest");
	struct cfs_error err = CFS_ERROR_INIT;
	CFS_BUF(found, CFS_VERIFY_DIGEST_MAX);
	bool has;

	has = cfs_digest_check(digest, CFS_SLICE_EMPTY, CFS_PAGES_STAY,
			       &found) == CFS_DIGEST_SAME;
	cfs_buf_reset(&found);
	if (!has && item->record->stored_body.n > 0)
		has = cfs_verify_payload_is(item, digest, &found, &err) ==
		      CFS_DIGEST_SAME;
	return has;
}

/* Adds all by which the original of a revisit may be found. */
static void put_wants(struct cfs_buf *ids, const struct cfs_record *r)
{
	struct cfs_slice id = cfs_record_warc_field(r, "WARC-Refers-To");
	struct cfs_slice url = cfs_record_warc_uri(r,
						"WARC-Refers-To-Target-URI");
	struct cfs_slice profile = cfs_record_warc_field(r, "WARC-Profile");
	struct cfs_time_reading time;
	bool is_unmodified = cfs_slice_search(profile,
				CFS_SLICE_LIT("server-not-modified")) >= 0;

	put_word(ids, cfs_hash64(id, 0), WANTS_FIRST);
	if (url.n > 0 && cfs_time_read(cfs_record_warc_field(r,
					"WARC-Refers-To-Date"), &time) ==
			 CFS_OK)
		put_word(ids, at_time(url, time.time), WANTS_MORE);
	if (is_unmodified)
		put_word(ids, cfs_hash64(r->url, SEED_URL), WANTS_MORE);
	else
		put_digest(ids, r, "WARC-Payload-Digest", WANTS_MORE);
}

/* Adds a word that two records with one id have both if their blocks are
 * equal. */
static void put_block(struct cfs_buf *ids, const struct cfs_scan_item *item,
		      uint64_t id)
{
	CFS_BUF(digest, CFS_VERIFY_DIGEST_MAX);

	cfs_digest_add_sha1_of(&digest, item->record->block,
			       cfs_scan_pages(item));
	put_word(ids, cfs_hash64(cfs_buf_slice(&digest), id), IS_BLOCK);
}

void cfs_verify_note_ids(struct cfs_buf *ids, const struct cfs_scan_item *item,
			 bool is_strict)
{
	const struct cfs_record *r = item->record;
	struct cfs_slice id = cfs_record_warc_field(r, "WARC-Record-ID");

	if (id.n > 0)
		put_word(ids, cfs_hash64(id, 0), IS_ID);
	if (id.n > 0 && is_strict)
		put_block(ids, item, cfs_hash64(id, 0));
	if (r->type == CFS_RECORD_RESPONSE || r->type == CFS_RECORD_RESOURCE ||
	    r->type == CFS_RECORD_ARC) {
		put_word(ids, at_time(r->url, r->time), IS_OF_BODY);
		put_word(ids, cfs_hash64(r->url, SEED_URL), IS_OF_BODY);
		put_digest(ids, r, "WARC-Payload-Digest", IS_OF_BODY);
		if (!r->has_http)
			put_digest(ids, r, "WARC-Block-Digest", IS_OF_BODY);
	} else if (r->type == CFS_RECORD_REVISIT && !has_own_body(item)) {
		put_wants(ids, r);
	}
}

/* ---- the end of the run -------------------------------------------------- */

struct cfs_verify_ids {
	struct cfs_extsort *sort;
	uint64_t revisits;	/* so far; the number of each is in the sort */
	uint8_t *has_body;	/* a bit for each */
};

int cfs_verify_ids_new(struct cfs_verify_ids **out,
		       const struct cfs_verify_opts *opts,
		       struct cfs_error *err)
{
	struct cfs_extsort_opts so = { .memory_bytes = SORT_BYTES, .feeders = 1,
		.tmp_dir = opts->tmp_dir, .cancel = opts->cancel };

	*out = calloc(1, sizeof(**out));
	return *out == NULL ? cfs_error_nomem(err) :
			      cfs_extsort_new(&(*out)->sort, &so, err);
}

void cfs_verify_ids_free(struct cfs_verify_ids *v)
{
	if (v == NULL)
		return;
	cfs_extsort_free(v->sort);
	free(v->has_body);
	free(v);
}

int cfs_verify_ids_add(struct cfs_verify_ids *v, const uint8_t word[8],
		       struct cfs_error *err)
{
	unsigned kind = word[0] & KIND_MASK;
	uint8_t key[9], number[8];
	bool is_wanted = kind >= WANTS_FIRST;

	v->revisits += kind == WANTS_FIRST;
	cfs_be64_put(key, cfs_le64_get(word) & ~KIND_MASK);
	key[8] = (uint8_t)(is_wanted ? WANTS_FIRST : kind);
	cfs_le64_put(number, v->revisits);
	return cfs_extsort_add(v->sort, 0, cfs_slice_of(key, sizeof(key)),
			       cfs_slice_of(number, is_wanted ? 8 : 0), err);
}

/* Marks a revisit, whose number counts from 1. */
static void mark_revisit(struct cfs_verify_ids *v, struct cfs_slice number,
			 uint64_t *absent)
{
	uint64_t n = cfs_le64_get(number.p);
	uint8_t bit = (uint8_t)(1u << n % 8);

	if (n == 0 || n > v->revisits || (v->has_body[n / 8] & bit) != 0)
		return;		/* a word without a first one; or marked */
	v->has_body[n / 8] |= bit;
	--*absent;
}

int cfs_verify_ids_count(struct cfs_verify_ids *v,
			 struct cfs_verify_result *result,
			 struct cfs_error *err)
{
	uint64_t once[WANTS_FIRST] = { 0 };	/* different words */
	struct cfs_slice key, value;
	uint8_t last[9] = { 0 };
	bool has_last = false;
	int rc = cfs_extsort_merge(v->sort, err);

	result->repeated = result->reused = 0;
	result->absent = v->revisits;
	if (rc == CFS_OK && v->revisits < REVISITS_MAX)
		v->has_body = calloc((size_t)v->revisits / 8 + 1, 1);
	if (rc == CFS_OK && v->has_body == NULL)
		rc = cfs_error_nomem(err);
	while (rc == CFS_OK) {
		rc = cfs_extsort_next(v->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		/* references of revisits sort behind the records that they may
		 * name */
		if (key.p[8] == WANTS_FIRST) {
			if (has_last && memcmp(key.p, last, 8) == 0)
				mark_revisit(v, value, &result->absent);
			continue;
		}
		if (!has_last || memcmp(key.p, last, 9) != 0)
			once[key.p[8]]++;
		else
			result->repeated += key.p[8] == IS_ID;
		memcpy(last, key.p, 9);
		has_last = true;
	}
	if (once[IS_BLOCK] > once[IS_ID])
		result->reused = once[IS_BLOCK] - once[IS_ID];
	return rc == CFS_END ? CFS_OK : rc;
}
