/* content.c - from a file node to its bytes (see content.h).
 *
 * A revisit has the body of the capture it refers to, when that is in the
 * same source (DESIGN section 10): by WARC-Refers-To, by the URI and date it
 * names, by the digest of the same URI, by the digest alone.  An index that
 * cannot look up ids and digests has only the URI's own captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "content.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"
#include "run.h"
#include "sides.h"
#include "spare.h"

/* Captures tried as the target of one revisit. */
#define TARGETS_MAX 16u
#define PAGE_TARGETS_MAX 64u	/* of one page's captures */
/* What a file is guessed to be while nobody has opened it: a body four times
 * its compressed record, text as long as that, metadata a page. */
#define GUESS_PAGE UINT64_C(4096)
#define GUESS_RATIO 4u
#define GUESS_MAX (UINT64_C(1) << 40)

/* An entry, decoded, with what it borrows. */
struct entry {
	struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_buf archive;
};

static struct entry *entry_new(struct cfs_error *err)
{
	struct entry *e = cfs_spare_take(CFS_SPARE_ENTRY, sizeof(*e));

	if (e == NULL) {
		cfs_error_set(err, CFS_ENOMEM, "out of memory");
		return NULL;
	}
	cfs_iter_init(&e->it);
	cfs_buf_init(&e->archive, CFS_URL_MAX);
	return e;
}

static void entry_free(struct entry *e)
{
	if (e == NULL)
		return;
	cfs_iter_release(&e->it);
	cfs_buf_release(&e->archive);
	cfs_spare_give(CFS_SPARE_ENTRY, e);
}

static int entry_load(struct cfs_crawl *c, cfs_pos pos, struct entry *e,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc = cfs_index_at(c->index, pos, &e->it, cancel, err);

	if (rc == CFS_OK)
		rc = cfs_index_capture(&e->it, &e->cap, err);
	cfs_buf_reset(&e->archive);
	if (rc == CFS_OK)
		rc = cfs_index_archive_name(c->index, &e->cap.loc, &e->archive,
					    err);
	return rc;
}

/* Does the record belong to the entry?  An index beside other archives must
 * not serve one page's bytes under another's name. */
static int check_url(struct cfs_crawl *c, const struct entry *e,
		     const struct cfs_record *rec, struct cfs_error *err)
{
	struct cfs_buf key;
	bool same = e->cap.url.n > 0 && cfs_slice_eq(e->cap.url, rec->url);

	cfs_buf_init(&key, CFS_KEY_MAX);
	if (!same)
		same = cfs_index_url_key(c->index, rec->url, &key) == CFS_OK &&
		       cfs_slice_eq(cfs_buf_slice(&key), e->it.key);
	cfs_buf_release(&key);
	if (same)
		return CFS_OK;
	return cfs_error_at(err, CFS_EFORMAT,
			    cfs_buf_str((struct cfs_buf *)(uintptr_t)&e->archive),
			    e->cap.loc.offset,
			    "holds '%.*s' there, not the page the index says",
			    (int)(rec->url.n > 120 ? 120 : rec->url.n),
			    (const char *)rec->url.p);
}

static int load_record(struct cfs_crawl *c, const struct entry *e,
		       struct cfs_stored **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	int rc = cfs_store_get(c->store, cfs_buf_slice(&e->archive),
			       &e->cap.loc, out, cancel, err);

	if (rc != CFS_OK)
		return rc;
	rc = check_url(c, e, cfs_stored_record(*out), err);
	if (rc != CFS_OK) {
		cfs_stored_put(*out);
		*out = NULL;
	}
	return rc;
}

/* ---- revisits --------------------------------------------------------- */

struct target {
	struct cfs_crawl *c;
	const struct cfs_record *revisit;
	const struct cfs_cancel *cancel;
	struct entry *e;		/* scratch */
	int rc;				/* a failure that may pass: what was */
	struct cfs_error err;		/* not read may be the target */
};

enum how { BY_ID, BY_URI, BY_DIGEST };

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
		       (want.n == 0 || has.n == 0 ||
			cfs_slice_eq_nocase(want, has));
	return want.n > 0 && cfs_slice_eq_nocase(want, has);
}

/* What is wrong with a capture itself only means "not this one". */
static void note_failure(struct target *t, int rc, const struct cfs_error *err)
{
	if (t->rc != CFS_OK || (rc != CFS_EIO && rc != CFS_ETIMEOUT &&
				rc != CFS_EINTR && rc != CFS_ENOMEM))
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
	int rc = entry_load(t->c, pos, t->e, t->cancel, &err);

	if (rc == CFS_OK && (t->e->cap.kind == CFS_KIND_REVISIT ||
			     t->e->cap.kind == CFS_KIND_SIDE ||
			     (key != NULL && !cfs_slice_eq(*key, t->e->it.key))))
		return NULL;
	if (rc == CFS_OK)
		rc = load_record(t->c, t->e, &stored, t->cancel, &err);
	if (rc != CFS_OK) {
		note_failure(t, rc, &err);
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
	cfs_buf_add(&ref, value);
	rc = ref.failed;
	if (rc == CFS_OK)
		rc = cfs_index_find_ref(t->c->index, cfs_buf_slice(&ref), pos,
					TARGETS_MAX, &n, t->cancel, &err);
	for (size_t i = 0; rc == CFS_OK && i < n && found == NULL; i++)
		found = try_target(t, pos[i], how, key);
	note_failure(t, rc, &err);
	cfs_buf_release(&ref);
	return found;
}

/* Captures under a key's page; those of one time, or of any (NULL). */
static struct cfs_stored *on_page(struct target *t, struct cfs_slice key,
				  const int64_t *time, enum how how)
{
	struct cfs_path *path = malloc(sizeof(*path));
	struct cfs_run *run = malloc(sizeof(*run));
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_stored *found = NULL;
	unsigned tried = 0;
	int rc;

	if (path == NULL || run == NULL ||
	    cfs_index_split(t->c->index, key, path) != CFS_OK)
		goto out;
	cfs_run_init(run);
	rc = cfs_run_first(run, t->c->index, path, CFS_BELOW_PAGE, t->cancel,
			   &err);
	while (rc == CFS_OK && found == NULL && tried < PAGE_TARGETS_MAX) {
		struct cfs_capture cap;

		if (cfs_index_capture(&run->it, &cap, NULL) == CFS_OK &&
		    cap.kind != CFS_KIND_REVISIT &&
		    (time == NULL || cap.time == *time)) {
			found = try_target(t, run->it.pos, how, NULL);
			tried++;
		}
		rc = cfs_run_next(run);
	}
	note_failure(t, rc, &err);
	cfs_run_release(run);
out:
	free(path);
	free(run);
	return found;
}

/* Captures of the URI the revisit names, at the date it names. */
static struct cfs_stored *by_uri(struct target *t)
{
	struct cfs_slice uri = warc_field(t->revisit,
					  "WARC-Refers-To-Target-URI");
	struct cfs_slice date = warc_field(t->revisit, "WARC-Refers-To-Date");
	struct cfs_stored *found = NULL;
	struct cfs_buf key;
	int64_t time = 0;

	cfs_buf_init(&key, CFS_KEY_MAX);
	if (uri.n > 0 && cfs_time_parse_iso(date, &time) == CFS_OK &&
	    cfs_index_url_key(t->c->index, uri, &key) == CFS_OK)
		found = on_page(t, cfs_buf_slice(&key), &time, BY_URI);
	cfs_buf_release(&key);
	return found;
}

/* Where the index has no table of records: other captures of the page. */
static struct cfs_stored *by_page(struct target *t, struct cfs_slice key,
				  enum how how)
{
	struct cfs_slice date = warc_field(t->revisit, "WARC-Refers-To-Date");
	struct cfs_stored *found = NULL;
	int64_t time;

	if (t->c->index->ops->find_ref != NULL ||
	    warc_field(t->revisit, how == BY_ID ? "WARC-Refers-To" :
				   "WARC-Payload-Digest").n == 0)
		return NULL;
	if (cfs_time_parse_iso(date, &time) == CFS_OK)
		found = on_page(t, key, &time, how);
	return found != NULL ? found : on_page(t, key, NULL, how);
}

/* *out is NULL where there is none. */
static int find_target(struct cfs_crawl *c, const struct entry *e,
		       const struct cfs_record *revisit,
		       struct cfs_stored **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	struct target t = { .c = c, .revisit = revisit, .cancel = cancel,
			    .e = entry_new(err) };
	struct cfs_slice digest = warc_field(revisit, "WARC-Payload-Digest");
	struct cfs_slice key = e->it.key;
	struct cfs_stored *found = NULL;

	*out = NULL;
	if (t.e == NULL)
		return CFS_ENOMEM;
	found = by_ref(&t, "id:", warc_field(revisit, "WARC-Refers-To"), BY_ID,
		       NULL);
	if (found == NULL)
		found = by_page(&t, key, BY_ID);
	if (found == NULL)
		found = by_uri(&t);
	if (found == NULL)
		found = by_page(&t, key, BY_DIGEST);
	if (found == NULL)
		found = by_ref(&t, "digest:", digest, BY_DIGEST, &key);
	if (found == NULL)
		found = by_ref(&t, "digest:", digest, BY_DIGEST, NULL);
	entry_free(t.e);
	*out = found;
	if (found != NULL || t.rc == CFS_OK)
		return CFS_OK;
	return cfs_error_at(err, t.rc, t.err.where, t.err.offset, "%s",
			    t.err.text);
}

/* ---- loading ---------------------------------------------------------- */

static int render(const struct entry *e, enum cfs_view view,
		  const struct cfs_view_opts *opts, struct cfs_content *out,
		  const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const struct cfs_record *rec = cfs_stored_record(out->record);
	struct cfs_view_input in = {
		.record = rec,
		.url = rec->url,
		.archive_name = cfs_buf_slice(&e->archive),
		.loc = e->cap.loc,
		.body_record = out->body ? cfs_stored_record(out->body) : NULL,
	};
	int rc;

	if (rec->type == CFS_RECORD_REVISIT && out->body == NULL)
		in.no_body_reason =
			"revisit of a capture that is not in this source";
	rc = cfs_view_render(view, &in, opts, &out->own, cancel, err);
	out->bytes = cfs_buf_slice(&out->own);
	return rc;
}

/* Is the text view the body as it is?  A WET record has been through the
 * crawl's own extractor. */
static bool is_own_text(const struct cfs_capture *cap, enum cfs_view view)
{
	return view == CFS_VIEW_TEXT && cap->kind == CFS_KIND_CONVERSION &&
	       cfs_slice_eq_nocase(cap->mime, CFS_SLICE_LIT("text/plain"));
}

/* The crawl's own text or metadata, or a page that is only that. */
static int load_own(struct cfs_crawl *c, const struct entry *e,
		    enum cfs_view view, const struct cfs_view_opts *opts,
		    struct cfs_content *out, const struct cfs_cancel *cancel,
		    struct cfs_error *err)
{
	const struct cfs_side *side = cfs_side_of(&e->cap, view);
	struct cfs_buf url;
	int rc = CFS_OK;

	if (side != NULL)
		return cfs_side_load(c, side, e->it.key, out, cancel, err);
	cfs_buf_init(&url, CFS_URL_MAX);
	if (view == CFS_VIEW_META || view == CFS_VIEW_URL)
		rc = cfs_index_key_url(c->index, e->it.key, &e->cap, &url);
	if (rc == CFS_OK && view == CFS_VIEW_META) {
		rc = cfs_side_no_record(cfs_buf_slice(&url), opts->meta_compact,
					&out->own);
	} else if (rc == CFS_OK && view == CFS_VIEW_URL) {
		cfs_buf_add(&out->own, cfs_buf_slice(&url));
		rc = cfs_buf_addc(&out->own, '\n');
	}
	out->bytes = cfs_buf_slice(&out->own);
	cfs_buf_release(&url);
	return rc == CFS_OK ? rc : cfs_error_set(err, rc, "out of memory");
}

static int load_view(struct cfs_crawl *c, const struct entry *e,
		     enum cfs_view view, const struct cfs_view_opts *opts,
		     struct cfs_content *out, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	const struct cfs_record *rec;
	int rc = load_record(c, e, &out->record, cancel, err);

	if (rc != CFS_OK)
		return rc;
	rec = cfs_stored_record(out->record);
	if (view == CFS_VIEW_URL) {
		cfs_buf_add(&out->own, rec->url);
		cfs_buf_addc(&out->own, '\n');
		out->bytes = cfs_buf_slice(&out->own);
		return out->own.failed;
	}
	if (rec->type == CFS_RECORD_REVISIT && view != CFS_VIEW_HEADERS)
		rc = find_target(c, e, rec, &out->body, cancel, err);
	if (rc == CFS_OK && cfs_cancelled(cancel))
		rc = cfs_error_set(err, CFS_EINTR, "interrupted");
	if (rc != CFS_OK)
		return rc;
	if (is_own_text(&e->cap, view))
		view = CFS_VIEW_RAW;
	if (view != CFS_VIEW_RAW)
		return render(e, view, opts, out, cancel, err);
	if (out->body != NULL)
		out->bytes = cfs_stored_record(out->body)->body;
	else if (rec->type != CFS_RECORD_REVISIT)
		out->bytes = rec->body;
	if (e->cap.body_is_exact && e->cap.kind != CFS_KIND_REVISIT &&
	    out->bytes.n != e->cap.body_bytes)
		return cfs_error_at(err, CFS_EFORMAT,
				    (const char *)e->archive.p,
				    e->cap.loc.offset,
				    "body has %zu bytes, the index says %" PRIu64
				    ": was the archive changed?", out->bytes.n,
				    e->cap.body_bytes);
	return CFS_OK;
}

static uint64_t no_record_bytes(struct cfs_crawl *c, const struct entry *e,
				const struct cfs_view_opts *opts)
{
	struct cfs_content content = { .bytes = CFS_SLICE_EMPTY };
	uint64_t n = 0;

	cfs_buf_init(&content.own, CFS_VIEW_MAX_BYTES);
	if (load_own(c, e, CFS_VIEW_META, opts, &content, NULL, NULL) == CFS_OK)
		n = content.bytes.n;
	cfs_content_release(&content);
	return n;
}

/* The size of a view as the index knows it: of the crawl's own, or of one
 * that this very code would compute.  False: it does not. */
static bool indexed_size(struct cfs_crawl *c, const struct entry *e,
			 enum cfs_view view, const struct cfs_view_opts *opts,
			 uint64_t *size)
{
	const struct cfs_capture *cap = &e->cap;
	const struct cfs_side *side = cfs_side_of(cap, view);

	if (side != NULL)
		*size = side->bytes;
	else if (is_own_text(cap, view) && cap->body_is_exact)
		*size = cap->body_bytes;
	else if (cap->kind == CFS_KIND_SIDE &&
		 (view == CFS_VIEW_TEXT || view == CFS_VIEW_HEADERS))
		*size = 0;
	else if (cap->kind == CFS_KIND_SIDE && view == CFS_VIEW_META)
		*size = no_record_bytes(c, e, opts);
	else if (!cap->has_view_bytes ||
		 c->index->view_code != cfs_view_code())
		return false;
	else if (view == CFS_VIEW_TEXT)
		*size = cap->text_bytes;
	else if (view == CFS_VIEW_META && !opts->meta_compact)
		*size = cap->meta_bytes;
	else
		return false;
	return true;
}

static int check_view_size(struct cfs_crawl *c, const struct entry *e,
			   enum cfs_view view, const struct cfs_view_opts *opts,
			   const struct cfs_content *content,
			   struct cfs_error *err)
{
	uint64_t size;

	if (!indexed_size(c, e, view, opts, &size) || size == content->bytes.n)
		return CFS_OK;
	return cfs_error_at(err, CFS_EFORMAT, (const char *)e->archive.p,
			    e->cap.loc.offset, "view '%s' has %zu bytes, the "
			    "index says %" PRIu64 ": make it anew",
			    cfs_view_name(view), content->bytes.n, size);
}

int cfs_content_load(struct cfs_crawl *c, const struct cfs_node *file,
		     const struct cfs_view_opts *opts, struct cfs_content *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct entry *e = entry_new(err);
	int rc;

	*out = (struct cfs_content){ .bytes = CFS_SLICE_EMPTY };
	cfs_buf_init(&out->own, CFS_VIEW_MAX_BYTES);
	if (e == NULL)
		return CFS_ENOMEM;
	rc = entry_load(c, file->pos, e, cancel, err);
	if (rc == CFS_OK)
		cfs_buf_str(&e->archive);
	if (rc == CFS_OK && file->view == CFS_VIEW_RECORD &&
	    e->cap.kind == CFS_KIND_SIDE) {
		rc = cfs_error_set(err, CFS_EUNSUPPORTED, "only the crawl's own "
				   "text or metadata of this page is in this "
				   "source");
	} else if (rc == CFS_OK && file->view == CFS_VIEW_RECORD) {
		rc = cfs_store_member(c->store, cfs_buf_slice(&e->archive),
				      &e->cap.loc, &out->own, cancel, err);
		out->bytes = cfs_buf_slice(&out->own);
	} else if (rc == CFS_OK && (e->cap.kind == CFS_KIND_SIDE ||
				    cfs_side_of(&e->cap, file->view) != NULL)) {
		rc = load_own(c, e, file->view, opts, out, cancel, err);
	} else if (rc == CFS_OK) {
		rc = load_view(c, e, file->view, opts, out, cancel, err);
	}
	if (rc == CFS_OK)
		rc = check_view_size(c, e, file->view, opts, out, err);
	entry_free(e);
	if (rc != CFS_OK)
		cfs_content_release(out);
	return rc;
}

void cfs_content_release(struct cfs_content *content)
{
	cfs_stored_put(content->record);
	cfs_stored_put(content->body);
	cfs_pinned_unit_put(content->unit);
	cfs_buf_release(&content->own);
	*content = (struct cfs_content){ .bytes = CFS_SLICE_EMPTY };
}

/* ---- sizes ------------------------------------------------------------ */

/* Whole pages: wc(1), which trusts the size of files it has stat'ed, then
 * counts by reading.  Never 0: tar stores nothing for it. */
static uint64_t guess_size(const struct entry *e, enum cfs_view view)
{
	uint64_t n = e->cap.loc.length;

	if (view == CFS_VIEW_META || view == CFS_VIEW_HEADERS)
		return GUESS_PAGE;
	if (n > GUESS_MAX)
		n = GUESS_MAX;
	if (view == CFS_VIEW_RAW)
		n *= GUESS_RATIO;
	return n == 0 ? GUESS_PAGE : (n + GUESS_PAGE - 1) & ~(GUESS_PAGE - 1);
}

static int raw_size(struct cfs_crawl *c, const struct entry *e,
		    struct cfs_file_info *out, const struct cfs_cancel *cancel)
{
	bool is_exact = false;

	if (e->cap.kind == CFS_KIND_REVISIT)
		return CFS_OK;
	if (e->cap.body_is_exact) {
		out->size = e->cap.body_bytes;
		out->size_kind = CFS_SIZE_EXACT;
		return CFS_OK;
	}
	if (cfs_store_body_bytes(c->store, cfs_buf_slice(&e->archive),
				 &e->cap.loc, &out->size, &is_exact, cancel,
				 NULL) == CFS_OK && is_exact)
		out->size_kind = CFS_SIZE_LIKELY;
	else
		out->size = guess_size(e, CFS_VIEW_RAW);
	return cfs_cancelled(cancel) ? CFS_EINTR : CFS_OK;
}

static bool needs_archive(const struct entry *e, enum cfs_view view)
{
	return view == CFS_VIEW_RECORD ||
	       (view == CFS_VIEW_RAW && !e->cap.body_is_exact);
}

/* Is the span in the file gzip, and the record alone in it? */
static bool is_own_member(const struct entry *e)
{
	return e->cap.loc.inner_length == 0 &&
	       cfs_slice_ends(cfs_buf_slice(&e->archive), CFS_SLICE_LIT(".gz"));
}

/* What the listing has at hand, or else the index. */
static int info_capture(struct cfs_crawl *c, const struct cfs_node *file,
			struct entry *e, const struct cfs_cancel *cancel,
			struct cfs_error *err)
{
	int rc;

	if (file->cap != NULL && file->cap->kind != CFS_KIND_SIDE) {
		e->cap = *file->cap;
		return CFS_OK;
	}
	rc = cfs_index_at(c->index, file->pos, &e->it, cancel, err);
	return rc == CFS_OK ? cfs_index_capture(&e->it, &e->cap, err) : rc;
}

int cfs_content_info(struct cfs_crawl *c, const struct cfs_node *file,
		     struct cfs_file_info *out, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	struct entry *e = entry_new(err);
	int rc;

	if (e == NULL)
		return CFS_ENOMEM;
	rc = info_capture(c, file, e, cancel, err);
	if (rc == CFS_OK && needs_archive(e, file->view))
		rc = cfs_index_archive_name(c->index, &e->cap.loc, &e->archive,
					    err);
	if (rc == CFS_OK) {
		*out = (struct cfs_file_info){
			.size = guess_size(e, file->view),
			.mtime = e->cap.time,
			.is_arc = e->cap.kind == CFS_KIND_ARC,
		};
		if (indexed_size(c, e, file->view, &c->view, &out->size)) {
			out->size_kind = CFS_SIZE_EXACT;
		} else if (file->view == CFS_VIEW_RECORD && is_own_member(e)) {
			out->size = e->cap.loc.length;
			out->size_kind = CFS_SIZE_LIKELY;
		} else if (file->view == CFS_VIEW_RAW) {
			rc = raw_size(c, e, out, cancel);
		}
	}
	entry_free(e);
	return rc;
}

int cfs_content_record(struct cfs_crawl *c, const struct cfs_node *file,
		       struct cfs_stored **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	struct entry *e = entry_new(err);
	int rc;

	*out = NULL;
	if (e == NULL)
		return CFS_ENOMEM;
	rc = entry_load(c, file->pos, e, cancel, err);
	if (rc == CFS_OK && e->cap.kind == CFS_KIND_SIDE)
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = load_record(c, e, out, cancel, err);
	entry_free(e);
	return rc;
}

int cfs_content_is_own(struct cfs_crawl *c, const struct cfs_node *file,
		       bool *yes, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	struct entry *e = entry_new(err);
	int rc;

	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_index_at(c->index, file->pos, &e->it, cancel, err);
	if (rc == CFS_OK)
		rc = cfs_index_capture(&e->it, &e->cap, err);
	*yes = rc == CFS_OK && (cfs_side_of(&e->cap, file->view) != NULL ||
				is_own_text(&e->cap, file->view));
	entry_free(e);
	return rc;
}
