/* revisit.c - finds the capture that a revisit refers to, in the same source or
 * in another one that it names: by WARC-Refers-To, by the URI and date it
 * names, by the digest within the same URI, by the digest alone.  An index that
 * cannot look up ids and digests offers only the URI's own captures.
 * doc/design.md, "Revisits".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "revisit.h"

#include "base/timestamp.h"
#include "captures.h"
#include "record/digest.h"

/* How many captures are tried for one revisit. */
#define TARGETS_MAX 16u

struct target {
	/* The crawl that is searched, with the index of all its captures: the
	 * body may be of another time, or in another part, than the page. */
	struct cfs_crawl in;
	const struct cfs_record *revisit;
	const struct cfs_cancel *cancel;
	struct cfs_entry *e;		/* scratch */
	int rc;				/* failure to read a possible target, */
	struct cfs_error err;		/* which may be temporary */
};

enum how { BY_ID, BY_URI, BY_DIGEST };

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

static bool is_target(const struct cfs_record *revisit,
		      const struct cfs_record *rec, enum how how)
{
	struct cfs_slice want = warc_field(revisit, "WARC-Payload-Digest");
	struct cfs_slice has = warc_field(rec, "WARC-Payload-Digest");

	if (rec->type == CFS_RECORD_REVISIT)
		return false;
	if (how == BY_ID)
		return cfs_slice_eq(warc_field(revisit, "WARC-Refers-To"),
				    warc_field(rec, "WARC-Record-ID"));
	if (how == BY_URI)	/* a key may stand for several URLs */
		return cfs_slice_eq(rec->url, warc_field(revisit,
				    "WARC-Refers-To-Target-URI")) &&
		       !cfs_digest_contradict(want, has);
	return cfs_digest_equal(want, has);
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
	int rc = cfs_entry_load(&t->in, pos, t->e, CFS_CTX(t->cancel, &err));

	if (rc == CFS_OK &&
	    (t->e->cap.kind == CFS_KIND_REVISIT ||
	     t->e->cap.kind == CFS_KIND_SIDE ||
	     (key != NULL && !cfs_slice_eq(*key, t->e->it.key))))
		return NULL;
	if (rc == CFS_OK)
		rc = cfs_entry_record(&t->in, t->e, &stored,
				      CFS_CTX(t->cancel, &err));
	if (rc != CFS_OK) {
		/* a missing archive may be a temporary failure, too */
		revisit_note_failure(t, rc == CFS_ENOTFOUND ? CFS_EIO : rc,
				     &err);
		return NULL;
	}
	if (is_target(t->revisit, cfs_stored_record(stored), how))
		return stored;
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
	struct cfs_buf ref;
	size_t n = 0;
	int rc;

	if (value.n == 0)
		return NULL;
	cfs_buf_init(&ref, CFS_URL_MAX);
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
	cfs_buf_release(&ref);
	return found;
}

/* Tries captures of a key's page: those of one time, or (NULL) of any. */
static struct cfs_stored *on_page(struct target *t, struct cfs_slice key,
				  const int64_t *time, enum how how)
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
		rc = cfs_captures_originals(w, &w->child, time, pos, &n);
	for (unsigned i = 0; i < n && found == NULL; i++)
		found = try_target(t, pos[i], how, NULL);
	revisit_note_failure(t, rc, &err);
	cfs_walk_end(w);
	return found;
}

/* Tries captures of the URI that the revisit names, at the date it names. */
static struct cfs_stored *by_uri(struct target *t)
{
	struct cfs_slice uri = warc_field(t->revisit,
					  "WARC-Refers-To-Target-URI");
	struct cfs_slice date = warc_field(t->revisit, "WARC-Refers-To-Date");
	struct cfs_stored *found = NULL;
	struct cfs_time_reading time;
	struct cfs_buf key;

	cfs_buf_init(&key, CFS_KEY_MAX);
	if (uri.n > 0 && cfs_time_read(date, &time) == CFS_OK &&
	    cfs_index_url_key(t->in.index, uri, &key) == CFS_OK)
		found = on_page(t, cfs_buf_slice(&key), &time.time, BY_URI);
	cfs_buf_release(&key);
	return found;
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
	    warc_field(t->revisit, how == BY_ID ? "WARC-Refers-To" :
				   "WARC-Payload-Digest").n == 0)
		return NULL;
	if (cfs_time_read(date, &time) == CFS_OK)
		found = on_page(t, key, &time.time, how);
	return found != NULL ? found : on_page(t, key, NULL, how);
}

/* Searches t->in by all that the revisit names. */
static struct cfs_stored *by_names(struct target *t)
{
	struct cfs_slice digest = warc_field(t->revisit, "WARC-Payload-Digest");
	struct cfs_stored *found = by_uri(t);

	return found != NULL ? found : by_ref(t, "digest:", digest, BY_DIGEST,
					      NULL);
}

/* True if the source is the named file. */
static bool is_container(const struct cfs_crawl *c, struct cfs_slice container)
{
	struct cfs_slice s = cfs_slice_str(c->source), f = container;

	s.n = cfs_slice_find_any(s, 0, "?#");
	s = cfs_slice_from(s, (size_t)(cfs_slice_rfind(s, '/') + 1));
	f = cfs_slice_from(f, (size_t)(cfs_slice_rfind(f, '/') + 1));
	return cfs_slice_eq(s, f);
}

/* Searches the other mounted crawls if the revisit names another file: first
 * that file, if it is among them. */
static struct cfs_stored *in_others(struct target *t, struct cfs_crawl *own)
{
	struct cfs_slice container = warc_field(t->revisit,
						CFS_REVISIT_CONTAINER);
	struct cfs_stored *found = NULL;

	if (container.n == 0)
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

static struct cfs_stored *in_own(struct target *t, const struct cfs_entry *e)
{
	struct cfs_slice digest = warc_field(t->revisit, "WARC-Payload-Digest");
	struct cfs_slice key = e->it.key;
	bool is_known = e->cap.kind == CFS_KIND_REVISIT;
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
	return found != NULL ? found : by_ref(t, "digest:", digest, BY_DIGEST,
					      NULL);
}

int cfs_revisit_find(struct cfs_crawl *c, const struct cfs_entry *e,
		     const struct cfs_record *revisit, struct cfs_stored **out,
		     struct cfs_ctx ctx)
{
	struct target t = { .revisit = revisit, .cancel = ctx.cancel,
			    .e = cfs_entry_new(ctx.err) };
	struct cfs_stored *found;

	*out = NULL;
	if (t.e == NULL)
		return CFS_ENOMEM;
	search_in(&t, c);
	found = in_own(&t, e);
	if (found == NULL)
		found = in_others(&t, c);
	cfs_entry_free(t.e);
	*out = found;
	return found != NULL ? CFS_OK :
	       cfs_error_pass(ctx.err, &t.err, t.rc);
}
