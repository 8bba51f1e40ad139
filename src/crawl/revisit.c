/* revisit.c - finds the capture that a revisit refers to, in the same source or
 * in another one that it names: by WARC-Refers-To, by the URI and date it
 * names, by the digest within the same URI, by the digest alone; one of what
 * was not modified also in the capture before it.  If that is a revisit, too,
 * it is followed.  An index that cannot look up ids and digests offers only the
 * URI's own captures.  doc/design.md, "Revisits".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "revisit.h"

#include <string.h>

#include "base/hash.h"
#include "base/memo.h"
#include "base/timestamp.h"
#include "captures.h"
#include "record/digest.h"
#include "record/wacz.h"
#include "record/zipped.h"

/* How many captures are tried for one revisit. */
#define TARGETS_MAX 16u
/* So many revisits may refer to one another; more are a circle. */
#define CHAIN_MAX 8u
/* A digest with its label. */
#define DIGEST_TEXT 256u

struct target {
	/* The crawl that is searched, with the index of all its captures: the
	 * body may be of another time, or in another part, than the page. */
	struct cfs_crawl in;
	const struct cfs_record *revisit;
	const struct cfs_entry *from;	/* its entry */
	const struct cfs_cancel *cancel;
	struct cfs_entry *e;		/* scratch */
	bool takes_cut_off;		/* a record that is cut off will do */
	bool saw_cut_off;		/* one was passed over */
	int rc;				/* failure to read a possible target, */
	struct cfs_error err;		/* which may be temporary */
};

/* SURELY: by the URI, and the record has the digest that the revisit states. */
enum how { BY_ID, BY_URI, SURELY, BY_DIGEST, BEFORE };

static void search_in(struct target *t, const struct cfs_crawl *c)
{
	t->in = *c;
	t->in.index = cfs_index_unpicked(c->index);
}

static struct cfs_slice warc_field(const struct cfs_record *rec,
				   const char *name)
{
	return cfs_fields_get(&rec->warc, name, NULL);
}

/* The digest that a revisit is found by.  That of no bytes belongs to hundreds
 * of pages, and says nothing. */
static struct cfs_slice wanted_digest(const struct cfs_record *revisit)
{
	struct cfs_slice d = warc_field(revisit, "WARC-Payload-Digest");
	CFS_BUF(found, DIGEST_TEXT);
	bool is_of_nothing;

	is_of_nothing = cfs_digest_check(d, CFS_SLICE_EMPTY, CFS_PAGES_STAY,
					 &found) == CFS_DIGEST_SAME;
	return is_of_nothing ? CFS_SLICE_EMPTY : d;
}

/* The block of a resource is its payload. */
static struct cfs_slice digest_of_target(const struct cfs_record *rec)
{
	struct cfs_slice d = warc_field(rec, "WARC-Payload-Digest");

	return d.n > 0 || rec->type != CFS_RECORD_RESOURCE ? d :
	       warc_field(rec, "WARC-Block-Digest");
}

/* False for what a page became, and for other bytes than the revisit's digest
 * is of. */
static bool may_be_body(const struct cfs_record *revisit,
			const struct cfs_record *rec)
{
	return rec->type != CFS_RECORD_CONVERSION &&
	       (cfs_record_is_not_modified(revisit) ||
		!cfs_digest_contradict(wanted_digest(revisit),
				       digest_of_target(rec)));
}

/* True if the payload of a record has the digest that the revisit states. */
static bool has_digest(const struct cfs_record *revisit,
		       const struct cfs_record *rec)
{
	struct cfs_slice wanted = wanted_digest(revisit);
	CFS_BUF(found, DIGEST_TEXT);

	return cfs_digest_equal(wanted, digest_of_target(rec)) ||
	       cfs_digest_check(wanted, rec->stored_body, CFS_PAGES_STAY,
				&found) == CFS_DIGEST_SAME;
}

static bool is_target(const struct cfs_record *revisit,
		      const struct cfs_record *rec, enum how how)
{
	switch (how) {
	case BY_ID:
		return cfs_slice_eq(warc_field(revisit, "WARC-Refers-To"),
				    warc_field(rec, "WARC-Record-ID"));
	case BY_URI:	/* a key may stand for several URLs */
	case SURELY:
		return cfs_slice_eq(rec->url, warc_field(revisit,
				    "WARC-Refers-To-Target-URI")) &&
		       may_be_body(revisit, rec) &&
		       (how == BY_URI || has_digest(revisit, rec));
	case BEFORE:
		return cfs_slice_eq(rec->url, revisit->url) &&
		       may_be_body(revisit, rec);
	case BY_DIGEST:
		break;
	}
	return !rec->body_is_elsewhere &&
	       cfs_digest_equal(wanted_digest(revisit), digest_of_target(rec));
}

/* True for the entry of the revisit itself. */
static bool is_itself(const struct target *t)
{
	const struct cfs_span *a = &t->e->cap.loc, *b = &t->from->cap.loc;

	return t->e->cap.kind == t->from->cap.kind &&
	       a->offset == b->offset && a->inner_offset == b->inner_offset &&
	       a->file[0] == b->file[0] &&
	       cfs_slice_eq(t->e->it.key, t->from->it.key);
}

/* Remembers a failure: a capture that cannot be read may be the target. */
static void revisit_note_failure(struct target *t, int rc,
				 const struct cfs_error *err)
{
	if (t->rc != CFS_OK || rc == CFS_OK || rc == CFS_END ||
	    rc == CFS_ENOTFOUND || rc == CFS_EUNSUPPORTED)
		return;
	t->rc = rc;
	t->err = *err;
}

/* Tries the capture at pos. */
static struct cfs_stored *try_target(struct target *t, cfs_pos pos,
				     enum how how, const struct cfs_slice *key)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_stored *stored = NULL;
	const struct cfs_record *rec;
	int rc = cfs_entry_load(&t->in, pos, t->e, CFS_CTX(t->cancel, &err));

	if (rc == CFS_OK &&
	    ((t->e->cap.kind == CFS_KIND_REVISIT && how == BY_DIGEST) ||
	     t->e->cap.kind == CFS_KIND_ANNEX || is_itself(t) ||
	     (key != NULL && !cfs_slice_eq(*key, t->e->it.key))))
		return NULL;
	if (rc == CFS_OK)
		rc = cfs_entry_record(&t->in, t->e, &stored,
				      CFS_CTX(t->cancel, &err));
	if (rc != CFS_OK) {
		/* a missing archive is a failure, too, as if it were damaged */
		revisit_note_failure(t, rc == CFS_ENOTFOUND ? CFS_EFORMAT : rc,
				     &err);
		return NULL;
	}
	rec = cfs_stored_record(stored);
	if (is_target(t->revisit, rec, how)) {
		if (!rec->is_cut_off || t->takes_cut_off)
			return stored;
		t->saw_cut_off = true;
	}
	cfs_stored_put(stored);
	return NULL;
}

static struct cfs_stored *by_ref(struct target *t, const char *kind,
				 struct cfs_slice value, enum how how,
				 const struct cfs_slice *key)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_stored *found = NULL;
	cfs_pos pos[TARGETS_MAX];
	CFS_BUF(ref, CFS_URL_MAX);
	size_t n = 0;
	int rc;

	if (value.n == 0)
		return NULL;
	cfs_buf_adds(&ref, kind);
	rc = how == BY_DIGEST ? cfs_digest_add(&ref, value) :
				cfs_buf_add(&ref, value);
	if (rc == CFS_OK)
		rc = cfs_index_find_ref(t->in.index, cfs_buf_slice(&ref), pos,
					TARGETS_MAX, &n,
					CFS_CTX(t->cancel, &err));
	for (size_t i = 0; rc == CFS_OK && i < n && found == NULL; i++)
		found = try_target(t, pos[i], how, key);
	revisit_note_failure(t, rc, &err);
	return found;
}

static struct cfs_stored *try_all(struct target *t, const cfs_pos *pos,
				  unsigned n, enum how how)
{
	struct cfs_stored *found = NULL;

	for (unsigned i = 0; i < n && found == NULL; i++)
		found = try_target(t, pos[i], how, NULL);
	return found;
}

/* Tries captures of a key's page. */
static struct cfs_stored *of_page(struct target *t, struct cfs_slice key,
				  const struct cfs_capture_query *q,
				  enum how how)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_stored *found = NULL;
	cfs_pos pos[CFS_ORIGINALS_MAX];
	unsigned n = 0;
	struct cfs_walk *w;
	int rc = cfs_walk_begin(&w, &t->in, NULL, CFS_CTX(t->cancel, &err));

	if (rc == CFS_OK)
		rc = cfs_index_split(t->in.index, key, &w->child);
	if (rc == CFS_OK)
		rc = cfs_captures_find(w, &w->child, q, pos, &n);
	/* of several at one time, the one that says so is meant */
	if (how == BY_URI && n > 1 && wanted_digest(t->revisit).n > 0)
		found = try_all(t, pos, n, SURELY);
	if (found == NULL)
		found = try_all(t, pos, n, how);
	revisit_note_failure(t, rc, &err);
	cfs_walk_end(w);
	return found;
}

/* Tries those of one time, of which revisits are the last, or (NULL) of any. */
static struct cfs_stored *on_page(struct target *t, struct cfs_slice key,
				  const int64_t *time, enum how how)
{
	struct cfs_capture_query q = { CFS_CAPTURES_ORIGINALS, time };
	struct cfs_stored *found = of_page(t, key, &q, how);

	if (found != NULL || time == NULL || how == BY_DIGEST)
		return found;
	q.what = CFS_CAPTURES_REVISITS;
	return of_page(t, key, &q, how);
}

/* Tries the capture before one that was not modified. */
static struct cfs_stored *capture_before(struct target *t, struct cfs_slice key)
{
	const struct cfs_capture_query q = { CFS_CAPTURES_BEFORE,
					     &t->revisit->time };

	return cfs_record_is_not_modified(t->revisit) && t->revisit->has_time ?
	       of_page(t, key, &q, BEFORE) : NULL;
}

/* The same of a URL's page. */
static struct cfs_stored *on_url(struct target *t, struct cfs_slice url,
				 const int64_t *time, enum how how)
{
	struct cfs_stored *found = NULL;
	CFS_BUF(key, CFS_KEY_MAX);

	if (cfs_index_url_key(t->in.index, url, &key) == CFS_OK)
		found = on_page(t, cfs_buf_slice(&key), time, how);
	return found;
}

/* Tries captures of the URI that the revisit names, at the date it names. */
static struct cfs_stored *by_uri(struct target *t)
{
	struct cfs_slice uri = warc_field(t->revisit,
					  "WARC-Refers-To-Target-URI");
	struct cfs_slice date = warc_field(t->revisit, "WARC-Refers-To-Date");
	struct cfs_time_reading time;

	return uri.n > 0 && cfs_time_read(date, &time) == CFS_OK ?
	       on_url(t, uri, &time.time, BY_URI) : NULL;
}

/* Tries other captures of the page, where the index has no table of records, or
 * one that may lack the target (selections need not mark revisits, nor have
 * digests). */
static struct cfs_stored *by_page(struct target *t, struct cfs_slice key,
				  bool is_known, enum how how)
{
	struct cfs_slice date = warc_field(t->revisit, "WARC-Refers-To-Date");
	struct cfs_stored *found = NULL;
	struct cfs_time_reading time;

	if ((is_known && t->in.index->has_all_refs) ||
	    (how == BY_ID ? warc_field(t->revisit, "WARC-Refers-To") :
			    wanted_digest(t->revisit)).n == 0)
		return NULL;
	if (cfs_time_read(date, &time) == CFS_OK)
		found = on_page(t, key, &time.time, how);
	return found != NULL ? found : on_page(t, key, NULL, how);
}

/* Searches t->in by all that the revisit names. */
static struct cfs_stored *by_names(struct target *t)
{
	struct cfs_slice digest = wanted_digest(t->revisit);
	struct cfs_stored *found = by_uri(t);

	if (found == NULL)
		found = by_ref(t, "digest:", digest, BY_DIGEST, NULL);
	/* an index may have no digests but those that its revisits name */
	if (found == NULL && digest.n > 0)
		found = on_url(t, t->revisit->url, NULL, BY_DIGEST);
	return found;
}

/* True if the source is the named file. */
static bool is_container(const struct cfs_crawl *c, struct cfs_slice container)
{
	struct cfs_slice s = cfs_slice_str(c->source);

	s.n = cfs_slice_find_any(s, 0, "?#");
	return cfs_slice_eq(cfs_slice_last_part(s),
			    cfs_slice_last_part(container));
}

/* Finds the WACZ that the archive of a capture is or is in, which can require
 * others.  False if there is none. */
static bool find_wacz(const struct cfs_entry *e, struct cfs_slice *out)
{
	struct cfs_slice member;

	*out = cfs_buf_slice(&e->archive);
	return cfs_zipped_split(*out, out, &member) ||
	       cfs_slice_ends(*out, CFS_SLICE_LIT(".wacz"));
}

#define NEEDED_BITS 6u		/* of the table of these, for each crawl */

/* The first WACZ that one requires; empty: none. */
struct needed {
	char name[256];
};

struct cfs_memo *cfs_revisit_needed_new(void)
{
	return cfs_memo_new(NEEDED_BITS, sizeof(struct needed));
}

/* As cfs_store_user: fills in what the package lists first. */
static int read_required(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	struct cfs_wacz w = { .n = 0 };
	struct needed *to = arg;
	struct cfs_slice names;
	int rc = cfs_wacz_read(&w, src, ctx);

	if (rc == CFS_OK)
		rc = cfs_wacz_read_hashes(&w, src, ctx);
	names = cfs_buf_slice(&w.required);
	names = cfs_slice_sub(cfs_slice_split(&names, 0), 0,
			      sizeof(to->name) - 1);
	if (rc == CFS_OK)
		memcpy(to->name, names.p, names.n);
	cfs_wacz_release(&w);
	return rc;
}

void cfs_revisit_needs(struct cfs_crawl *c, const struct cfs_entry *e,
		       struct cfs_buf *out, const struct cfs_cancel *cancel)
{
	struct needed needed = { .name = "" };
	struct cfs_slice wacz;
	uint64_t key;

	if (!find_wacz(e, &wacz))
		return;
	key = cfs_hash64(wacz, 0);
	if (!cfs_memo_get(c->needed, key, &needed)) {
		if (cfs_store_use(c->store, wacz, read_required, &needed,
				  CFS_CTX(cancel, NULL)) != CFS_OK)
			return;
		/* all of its revisits ask, and a package may be long */
		cfs_memo_put(c->needed, key, &needed);
	}
	cfs_buf_adds(out, needed.name);
}

/* Searches the other mounted crawls if the body may be there, since the revisit
 * names another file or is in a WACZ: first that file, if it is among them. */
static struct cfs_stored *in_others(struct target *t, struct cfs_crawl *own)
{
	struct cfs_slice container = warc_field(t->revisit,
						CFS_REVISIT_CONTAINER);
	struct cfs_stored *found = NULL;
	struct cfs_slice wacz;

	if (container.n == 0 && !find_wacz(t->from, &wacz))
		return NULL;
	for (size_t i = 0; i < 2 * own->n_together && found == NULL; i++) {
		const struct cfs_crawl *c = own->together[i % own->n_together];

		if (c == NULL || c == own ||
		    is_container(c, container) != (i < own->n_together))
			continue;
		search_in(t, c);
		found = by_names(t);
	}
	return found;
}

static struct cfs_stored *in_own(struct target *t)
{
	struct cfs_slice digest = wanted_digest(t->revisit);
	struct cfs_slice key = t->from->it.key;
	bool is_known = t->from->cap.kind == CFS_KIND_REVISIT;
	struct cfs_stored *found;

	found = by_ref(t, "id:", warc_field(t->revisit, "WARC-Refers-To"),
		       BY_ID, NULL);
	if (found == NULL)
		found = by_page(t, key, is_known, BY_ID);
	if (found == NULL)
		found = by_uri(t);
	if (found == NULL)
		found = by_page(t, key, is_known, BY_DIGEST);
	if (found == NULL)
		found = by_ref(t, "digest:", digest, BY_DIGEST, &key);
	if (found == NULL)
		found = by_ref(t, "digest:", digest, BY_DIGEST, NULL);
	return found != NULL ? found : capture_before(t, key);
}

static struct cfs_stored *in_all(struct target *t, struct cfs_crawl *c)
{
	struct cfs_stored *found;

	search_in(t, c);
	found = in_own(t);
	return found != NULL ? found : in_others(t, c);
}

/* Finds what the revisit refers to, which may be a revisit.  Of several copies
 * of it, as in archives that were downloaded twice, one that is whole; for a
 * page that was not modified, another copy could be another page. */
static struct cfs_stored *next_target(struct target *t, struct cfs_crawl *c)
{
	struct cfs_stored *found;

	t->saw_cut_off = false;
	t->takes_cut_off = cfs_record_is_not_modified(t->revisit);
	found = in_all(t, c);
	if (found != NULL || !t->saw_cut_off)
		return found;
	t->takes_cut_off = true;
	return in_all(t, c);
}

const char *cfs_revisit_no_body(const struct cfs_record *rec,
				const struct cfs_stored *body)
{
	return rec->body_is_elsewhere && body == NULL ?
		       "revisit of a capture that is not in this source" :
		       NULL;
}

static int ignore_link(void *arg, const struct cfs_entry *e)
{
	(void)arg;
	(void)e;
	return CFS_OK;
}

int cfs_revisit_find(struct cfs_crawl *c, const struct cfs_entry *e,
		     const struct cfs_record *revisit, struct cfs_stored **out,
		     struct cfs_ctx ctx)
{
	return cfs_revisit_follow(c, e, revisit, ignore_link, NULL, out, ctx);
}

int cfs_revisit_follow(struct cfs_crawl *c, const struct cfs_entry *e,
		       const struct cfs_record *revisit, cfs_revisit_link *link,
		       void *arg, struct cfs_stored **out, struct cfs_ctx ctx)
{
	struct cfs_entry *own[2] = { cfs_entry_new(ctx.err),
				     cfs_entry_new(ctx.err) };
	struct target t = { .revisit = revisit, .from = e,
			    .cancel = ctx.cancel };
	bool is_link = own[0] != NULL && own[1] != NULL;
	int rc = is_link ? CFS_OK : CFS_ENOMEM;
	struct cfs_stored *found = NULL;

	for (unsigned i = 0; is_link; i++) {
		struct cfs_stored *before_it = found;

		t.e = own[i % 2];
		found = i < CHAIN_MAX ? next_target(&t, c) : NULL;
		cfs_stored_put(before_it);
		if (found != NULL && t.in.store == c->store)
			rc = link(arg, t.e);
		is_link = found != NULL && rc == CFS_OK &&
			  cfs_stored_record(found)->body_is_elsewhere;
		if (is_link)
			t.revisit = cfs_stored_record(found);
		t.from = t.e;
	}
	cfs_entry_free(own[0]);
	cfs_entry_free(own[1]);
	*out = found;
	return found != NULL || rc != CFS_OK ? rc :
	       cfs_error_pass(ctx.err, &t.err, t.rc);
}
