/* copy_dedup.c - writes a record whose payload was written before as a revisit
 * record of the first.
 *
 * Spec: ISO 28500:2017, 6.7 (revisit), profile identical-payload-digest.
 *
 *     fields     those of the record, but for WARC-Type, Content-Length and the
 *                digest of the block; the payload digest is computed if the
 *                record has none
 *     added      WARC-Profile, WARC-Refers-To, WARC-Refers-To-Target-URI and
 *                WARC-Refers-To-Date: the first record with the payload
 *     block      the HTTP head
 *
 * Two payloads are equal if their bytes are, by SHA-256, once their chunks are
 * put together, and if their transfer and content encodings are the same: then
 * the head with the first one's body is the response that was archived, whether
 * a reader decodes the body by the head of the revisit or by that of the first.
 * Digests that the records state must not contradict each other, and a record
 * with the URL and the date of the first stays as it is.
 *
 * Threads look at the records (cfs_copy_payload_note); one thread replaces them
 * in the order of the output.  A copy that is resumed looks at what it has
 * written, which makes the same table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copy_internal.h"

#include <assert.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/log.h"
#include "base/strtab.h"
#include "base/spill.h"
#include "record/body.h"
#include "record/digest.h"

/* Payloads that later ones are compared with: about 300 MB of memory. */
#define PAYLOADS_MAX ((uint32_t)1 << 22)
#define DIGEST_MAX 256u
#define PROFILE "http://netpreserve.org/warc/1.%c/revisit/" \
	"identical-payload-digest"

/* The texts of a payload, which follow its struct: of the record, and the parts
 * of the revisit before and behind the fields that are added. */
enum { URL, DATE, ID, DIGEST, HEAD, BLOCK, TEXTS };
/* As many are kept of the first. */
#define FIRST_TEXTS HEAD

struct payload {
	size_t entry;			/* its number among the ends */
	uint8_t key[SHA256_DIGEST_SIZE];
	char minor;			/* of the version of WARC: '0', '1' */
	bool is_kept;			/* others refer to it */
	size_t n[TEXTS];
};

/* ---- what a record has -------------------------------------------------- */

static bool is_eligible(const struct cfs_scan_item *item)
{
	const struct cfs_record *r = item->record;

	return r->type == CFS_RECORD_RESPONSE && r->has_http && !r->is_cut &&
	       !r->body_is_damaged && item->is_one_member &&
	       item->surplus == 0 && item->spill_dir == NULL &&
	       r->declared_bytes == r->block.n && r->interim_bytes == 0 &&
	       r->stored_body.n > 0 && r->url.n > 0 && r->has_time &&
	       (cfs_slice_ends(r->http_head, CFS_SLICE_LIT("\n\r\n")) ||
		cfs_slice_ends(r->http_head, CFS_SLICE_LIT("\n\n")));
}

static void hash_codings(struct sha256_ctx *c, const struct cfs_fields *http,
			 const char *name)
{
	for (size_t i = 0; i < http->n; i++) {
		struct cfs_slice v = http->v[i].value;

		if (!cfs_slice_eq_nocase(http->v[i].name, cfs_slice_str(name)))
			continue;
		for (size_t k = 0; k < v.n; k++) {
			uint8_t lower = cfs_ascii_lower(v.p[k]);

			sha256_update(c, 1, &lower);
		}
		sha256_update(c, 1, (const uint8_t *)",");
	}
	sha256_update(c, 1, (const uint8_t *)";");
}

/* Sets the key.  CFS_EFORMAT if the chunks are damaged. */
static int make_key(const struct cfs_record *r, uint8_t *key,
		    struct cfs_error *err)
{
	struct cfs_body_result body = { .is_damaged = false };
	struct cfs_slice payload = r->stored_body;
	struct sha256_ctx c;
	int rc = cfs_body_decode_by("Transfer-Encoding", r->stored_body,
				    &r->http, false, NULL, &body, err);

	if (rc == CFS_OK && body.is_damaged)
		rc = CFS_EFORMAT;
	if (body.own.p != NULL)
		payload = cfs_buf_slice(&body.own);
	sha256_init(&c);
	hash_codings(&c, &r->http, "Transfer-Encoding");
	hash_codings(&c, &r->http, "Content-Encoding");
	sha256_update(&c, payload.n, payload.p);
	sha256_digest(&c, SHA256_DIGEST_SIZE, key);
	cfs_buf_release(&body.own);
	return rc;
}

/* True for a field that a revisit does not take over, or that is added. */
static bool is_replaced(struct cfs_slice name)
{
	static const char *const names[] = {
		"WARC-Type", "Content-Length", "WARC-Block-Digest",
		"WARC-Payload-Digest", "WARC-Profile", "WARC-Refers-To",
		"WARC-Refers-To-Target-URI", "WARC-Refers-To-Date",
		"WARC-Truncated",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (cfs_slice_eq_nocase(name, cfs_slice_str(names[i])))
			return true;
	return false;
}

/* Appends the header of the revisit up to the fields that are added. */
static void add_head(struct cfs_buf *out, const struct cfs_record *r,
		     struct cfs_slice block, struct cfs_slice digest)
{
	struct cfs_slice rest = r->head, line = CFS_SLICE_EMPTY;

	cfs_head_line(&rest, &line);
	cfs_buf_add(out, line);
	cfs_buf_adds(out, "\r\nWARC-Type: revisit\r\n");
	for (size_t i = 0; i < r->warc.n; i++) {
		if (is_replaced(r->warc.v[i].name))
			continue;
		cfs_buf_add(out, r->warc.v[i].name);
		cfs_buf_adds(out, ": ");
		cfs_buf_add(out, r->warc.v[i].value);
		cfs_buf_adds(out, "\r\n");
	}
	cfs_buf_adds(out, "WARC-Payload-Digest: ");
	cfs_buf_add(out, digest);
	cfs_buf_adds(out, "\r\nWARC-Block-Digest: ");
	cfs_digest_add_sha1(out, block);
	cfs_buf_addf(out, "\r\nContent-Length: %zu\r\n", block.n);
}

static int note(struct cfs_buf *out, const struct cfs_record *r,
		struct payload *p, struct cfs_slice digest)
{
	struct cfs_slice block = cfs_slice_sub(r->block, 0,
					       r->block.n - r->stored_body.n);
	struct cfs_slice v[TEXTS] = {
		[URL] = cfs_record_warc_field(r, "WARC-Target-URI"),
		[DATE] = cfs_record_warc_field(r, "WARC-Date"),
		[ID] = cfs_record_warc_field(r, "WARC-Record-ID"),
		[DIGEST] = digest, [BLOCK] = block };
	CFS_BUF(head, CFS_HEAD_MAX);

	add_head(&head, r, block, digest);
	v[HEAD] = cfs_buf_slice(&head);
	for (size_t i = 0; i < TEXTS; i++)
		p->n[i] = v[i].n;
	if (head.failed == CFS_OK) {
		cfs_buf_append(out, p, sizeof(*p));
		for (size_t i = 0; i < TEXTS; i++)
			cfs_buf_add(out, v[i]);
	}
	return out->failed;
}

int cfs_copy_payload_note(struct cfs_buf *out, const struct cfs_scan_item *item,
			  size_t entry, bool is_kept, struct cfs_error *err)
{
	const struct cfs_record *r = item->record;
	struct cfs_error e = CFS_ERROR_INIT;
	CFS_BUF(digest, DIGEST_MAX);
	struct payload p;
	int rc;

	if (!is_eligible(item))
		return CFS_OK;
	memset(&p, 0, sizeof(p));	/* gaps between fields, too */
	p.entry = entry;
	p.is_kept = is_kept;
	p.minor = cfs_slice_starts(r->head, CFS_SLICE_LIT("WARC/1.0")) ? '0' :
									 '1';
	rc = make_key(r, p.key, &e);
	if (rc != CFS_OK)		/* it is kept as it is */
		return rc == CFS_ENOMEM ? cfs_error_nomem(err) : CFS_OK;
	cfs_record_add_digest(r, CFS_PAGES_STAY, &digest);
	if (digest.failed == CFS_OK && digest.n > 0)
		rc = note(out, r, &p, cfs_buf_slice(&digest));
	return rc == CFS_OK ? rc : cfs_error_nomem(err);
}

/* Takes the next payload off a list, with its texts.  False: there is none. */
static bool next_payload(struct cfs_slice *list, struct payload *p,
			 struct cfs_slice texts[TEXTS])
{
	if (list->n == 0)
		return false;
	assert(list->n >= sizeof(*p));
	memcpy(p, list->p, sizeof(*p));
	*list = cfs_slice_from(*list, sizeof(*p));
	for (size_t i = 0; i < TEXTS; i++) {
		texts[i] = cfs_slice_sub(*list, 0, p->n[i]);
		*list = cfs_slice_from(*list, p->n[i]);
	}
	return true;
}

/* ---- the payloads that were written ------------------------------------- */

struct cfs_copy_dedup {
	struct cfs_strtab *keys;
	struct cfs_buf firsts;		/* offsets in `texts`, by number */
	struct cfs_buf texts;		/* lengths and texts; in a file */
	char *dir;			/* which has that file; owned */
	bool is_full;
};

int cfs_copy_dedup_new(struct cfs_copy_dedup **out, const char *tmp_dir,
		       struct cfs_error *err)
{
	struct cfs_copy_dedup *d = calloc(1, sizeof(*d));
	int rc;

	*out = NULL;
	if (d == NULL)
		return cfs_error_nomem(err);
	cfs_buf_init(&d->firsts, PAYLOADS_MAX * sizeof(uint64_t));
	cfs_buf_init(&d->texts, SIZE_MAX / 2);
	d->keys = cfs_strtab_new((size_t)PAYLOADS_MAX * SHA256_DIGEST_SIZE);
	d->dir = strdup(tmp_dir);
	rc = d->keys == NULL || d->dir == NULL ? cfs_error_nomem(err) :
	     cfs_spill_begin(&d->texts, tmp_dir, err);
	if (rc != CFS_OK) {
		cfs_copy_dedup_free(d);
		return rc;
	}
	*out = d;
	return CFS_OK;
}

void cfs_copy_dedup_free(struct cfs_copy_dedup *d)
{
	if (d == NULL)
		return;
	cfs_strtab_free(d->keys);
	cfs_buf_release(&d->firsts);
	cfs_buf_release(&d->texts);
	free(d->dir);
	free(d);
}

/* Keeps the texts of a first payload. */
static int keep_first(struct cfs_copy_dedup *d, const struct payload *p,
		      const struct cfs_slice texts[TEXTS],
		      struct cfs_error *err)
{
	uint64_t at = d->texts.n;

	cfs_buf_append(&d->firsts, &at, sizeof(at));
	cfs_buf_append(&d->texts, p->n, FIRST_TEXTS * sizeof(*p->n));
	for (size_t i = 0; i < FIRST_TEXTS; i++)
		cfs_buf_add(&d->texts, texts[i]);
	cfs_spill_settle(&d->texts);
	if (d->texts.failed == CFS_OK)
		return d->firsts.failed == CFS_OK ? CFS_OK :
						    cfs_error_nomem(err);
	return cfs_error_at(err, d->texts.failed, d->dir, 0, "no room for what "
			    "equal captures are compared with");
}

/* Finds the first record with this payload, whose texts are lent.  0; CFS_END
 * if this is the first, which is remembered from now on; CFS_ENOTFOUND if there
 * are too many. */
static int find_first(struct cfs_copy_dedup *d, const struct payload *p,
		      const struct cfs_slice texts[TEXTS],
		      struct cfs_slice first[FIRST_TEXTS],
		      struct cfs_error *err)
{
	uint32_t had = cfs_strtab_count(d->keys), number;
	int rc = cfs_strtab_add_up_to(d->keys,
				      cfs_slice_of(p->key, sizeof(p->key)),
				      PAYLOADS_MAX, &number);
	size_t n[FIRST_TEXTS];
	struct cfs_slice rest;
	uint64_t at;

	if (rc == CFS_ELIMIT) {
		if (!d->is_full)
			cfs_log(CFS_LOG_WARNING, "later captures are compared "
				"with the first %u payloads only",
				PAYLOADS_MAX);
		d->is_full = true;
		return CFS_ENOTFOUND;
	}
	if (rc != CFS_OK)
		return cfs_error_nomem(err);
	if (number == had) {
		rc = keep_first(d, p, texts, err);
		return rc == CFS_OK ? CFS_END : rc;
	}
	memcpy(&at, d->firsts.p + number * sizeof(at), sizeof(at));
	rest = cfs_slice_from(cfs_buf_slice(&d->texts), (size_t)at);
	memcpy(n, rest.p, sizeof(n));
	rest = cfs_slice_from(rest, sizeof(n));
	for (size_t i = 0; i < FIRST_TEXTS; i++) {
		first[i] = cfs_slice_sub(rest, 0, n[i]);
		rest = cfs_slice_from(rest, n[i]);
	}
	return CFS_OK;
}

int cfs_copy_dedup_learn(struct cfs_copy_dedup *d, struct cfs_slice list,
			 struct cfs_error *err)
{
	struct cfs_slice texts[TEXTS], first[FIRST_TEXTS];
	struct payload p;
	int rc = CFS_OK;

	while ((rc == CFS_OK || rc == CFS_END || rc == CFS_ENOTFOUND) &&
	       next_payload(&list, &p, texts))
		rc = find_first(d, &p, texts, first, err);
	return rc == CFS_END || rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* ---- revisits ----------------------------------------------------------- */

static void add_field(struct cfs_buf *out, const char *name,
		      struct cfs_slice value)
{
	if (value.n == 0)
		return;
	cfs_buf_adds(out, name);
	cfs_buf_adds(out, ": ");
	cfs_buf_add(out, value);
	cfs_buf_adds(out, "\r\n");
}

/* Appends the revisit as one member. */
static int add_revisit(const struct cfs_copy_reader *r, const struct payload *p,
		       const struct cfs_slice texts[TEXTS],
		       const struct cfs_slice first[FIRST_TEXTS],
		       struct cfs_buf *out, struct cfs_error *err)
{
	CFS_BUF(plain, 8 * (size_t)CFS_HEAD_MAX);

	cfs_buf_add(&plain, texts[HEAD]);
	cfs_buf_addf(&plain, "WARC-Profile: " PROFILE "\r\n", p->minor);
	add_field(&plain, "WARC-Refers-To", first[ID]);
	add_field(&plain, "WARC-Refers-To-Target-URI", first[URL]);
	add_field(&plain, "WARC-Refers-To-Date", first[DATE]);
	cfs_buf_adds(&plain, "\r\n");
	cfs_buf_add(&plain, texts[BLOCK]);
	cfs_buf_adds(&plain, "\r\n\r\n");
	return plain.failed != CFS_OK ? cfs_error_nomem(err) :
	       cfs_member_compress(r->opts->coding, cfs_buf_slice(&plain),
				   r->dict, out, err);
}

/* False for a record whose digest contradicts that of the first, and for one
 * with its URL and date: a revisit would lead to itself. */
static bool may_refer(const struct cfs_slice texts[TEXTS],
		      const struct cfs_slice first[FIRST_TEXTS])
{
	return !cfs_digest_contradict(texts[DIGEST], first[DIGEST]) &&
	       !(cfs_slice_eq(texts[URL], first[URL]) &&
		 cfs_slice_eq(texts[DATE], first[DATE]));
}

int cfs_copy_dedup_replace(struct cfs_copy_dedup *d,
			   const struct cfs_copy_reader *r,
			   struct cfs_copy_stretch *s, uint64_t *revisits,
			   struct cfs_error *err)
{
	struct cfs_slice list = cfs_buf_slice(&s->payloads);
	struct cfs_slice texts[TEXTS], first[FIRST_TEXTS];
	struct payload p;
	struct cfs_buf out;
	size_t taken = 0;		/* bytes of s->out */
	int rc = CFS_OK;

	cfs_buf_init(&out, SIZE_MAX / 2);
	while (rc == CFS_OK && next_payload(&list, &p, texts)) {
		size_t from = p.entry > 0 ? s->ends[p.entry - 1] : 0;
		int found = find_first(d, &p, texts, first, err);

		if (found == CFS_END || found == CFS_ENOTFOUND)
			continue;
		rc = found;
		if (rc != CFS_OK || p.is_kept || !may_refer(texts, first))
			continue;
		cfs_buf_append(&out, s->out.p + taken, from - taken);
		rc = add_revisit(r, &p, texts, first, &out, err);
		taken = s->ends[p.entry];
		++*revisits;
	}
	if (rc == CFS_OK && taken > 0) {
		cfs_buf_append(&out, s->out.p + taken, s->out.n - taken);
		cfs_buf_release(&s->out);
		s->out = out;
		return out.failed == CFS_OK ? CFS_OK : cfs_error_nomem(err);
	}
	cfs_buf_release(&out);
	return rc;
}
