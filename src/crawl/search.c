/* search.c - finds captures by lists of words, and asks their texts where these
 * do not decide.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fileio.h"
#include "base/ordered.h"
#include "base/pool.h"
#include "auto_index.h"
#include "captures.h"
#include "content.h"
#include "index/hits.h"
#include "indexing/builder.h"
#include "net/open_location.h"
#include "words/words_build.h"

/* For making a list again. */
#define COMPARING_BYTES ((size_t)128 << 20)

#define MAKE_ONE "'crawlfs index --words' makes one"

/* ---- the lists ---------------------------------------------------------- */

/* The indexes that may have lists: those of a union, or the one itself.  NULL:
 * there are not so many. */
static struct cfs_index *index_of_list(struct cfs_crawl *c, unsigned i)
{
	struct cfs_index *all = cfs_index_unpicked(c->index);

	if (c->n_members > 0)
		return cfs_union_index(all, i);
	return i == 0 ? all : NULL;
}

/* Says why a list cannot be used: what would be the same each time is
 * CFS_ENOWORDS. */
static int refuse_list(const char *name, int rc, const struct cfs_error *why,
		       struct cfs_error *err)
{
	if (rc == CFS_ENOTFOUND)
		return cfs_error_at(err, CFS_ENOWORDS, name, 0, "there is no "
				    "list of words: " MAKE_ONE);
	if (rc == CFS_ECHANGED)
		return cfs_error_at(err, CFS_ENOWORDS, name, 0, "the list of "
				    "words is not that of its index: "
				    MAKE_ONE);
	if (rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED || rc == CFS_ELIMIT ||
	    rc == CFS_EACCESS)		/* S3 says so of what is not there */
		return cfs_error_at(err, CFS_ENOWORDS, name, 0, "%.160s: "
				    MAKE_ONE, why->text);
	return cfs_error_pass(err, why, rc);
}

/* True if a list has what this version finds in texts. */
static bool is_current(const struct cfs_words *w)
{
	const struct cfs_words_header *h = cfs_words_info(w);

	return h->rules == CFS_WORDS_VERSION &&
	       h->view_version == cfs_view_version();
}

/* The name of the list beside an index.  Malloced; NULL: out of memory. */
static char *list_path(const struct cfs_index *ix)
{
	return cfs_words_path(ix->src->url != NULL ? ix->src->url :
						     ix->src->name);
}

static int open_list(struct cfs_crawl *c, struct cfs_index *ix,
		     struct cfs_words **out, struct cfs_ctx ctx)
{
	struct cfs_opener opener =
		cfs_opener_or_plain(c->cache != NULL ? &c->opener.base : NULL);
	char *name = list_path(ix);
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	int rc;

	if (name == NULL)
		return cfs_error_nomem(ctx.err);
	rc = opener.open(opener.arg, name, &src, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK)
		rc = cfs_words_open(out, src, ix, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK && !is_current(*out)) {
		cfs_words_close(*out);
		rc = cfs_error_set(&e, CFS_EUNSUPPORTED, "the list of words is "
				   "of texts that another version made");
	}
	if (rc != CFS_OK)
		rc = refuse_list(name, rc, &e, ctx.err);
	free(name);
	return rc;
}

static void lists_free(struct cfs_word_lists *l)
{
	for (unsigned i = 0; l != NULL && i < l->n; i++)
		cfs_words_close(l->v[i]);
	if (l != NULL)
		cfs_lru_free(l->answers);
	free(l);
}

void cfs_crawl_close_words(struct cfs_crawl *c)
{
	lists_free(atomic_exchange(&c->words, NULL));
}

/* Threads may open the lists at the same time: the first keeps its own. */
int cfs_crawl_words(struct cfs_crawl *c, const struct cfs_word_lists **out,
		    struct cfs_ctx ctx)
{
	struct cfs_word_lists *l = atomic_load(&c->words), *none = NULL;
	struct cfs_index *ix;
	int rc = CFS_OK;

	*out = l;
	if (l != NULL)
		return CFS_OK;
	l = calloc(1, sizeof(*l));
	if (l == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_answers_new(&l->answers, c->budget, ctx.err);
	while (rc == CFS_OK && (ix = index_of_list(c, l->n)) != NULL) {
		rc = open_list(c, ix, &l->v[l->n], ctx);
		l->n += rc == CFS_OK;
	}
	if (rc == CFS_OK && atomic_compare_exchange_strong(&c->words, &none, l))
		none = l;
	else
		lists_free(l);
	*out = none;
	return rc;
}

/* ---- the lists and the texts -------------------------------------------- */

struct comparing {
	struct cfs_crawl *c;
	unsigned member;
};

/* As `read` of cfs_words_build_end. */
static int read_member_text(void *arg, cfs_pos pos,
			    const struct cfs_text_taker *taker,
			    struct cfs_ctx ctx)
{
	const struct comparing *k = arg;

	return cfs_view_sizes_text(k->c, k->c->n_members > 0 ?
					 cfs_union_pos(k->member, pos) : pos,
				   taker, ctx);
}

/* As `each`. */
static int each_text(void *arg, size_t n, cfs_pool_one *one, void *one_arg,
		     struct cfs_ctx ctx)
{
	const struct cfs_builder_opts o = { .threads = cfs_processors(),
					    .cancel = ctx.cancel };

	(void)arg;
	return cfs_builder_each(&o, n, one, one_arg, ctx.err);
}

/* Judges a list by one that was made of the texts now. */
static int judge_list(struct cfs_words *w,
		      const struct cfs_words_build_end *made,
		      struct cfs_ctx ctx)
{
	int rc = cfs_words_compare(w, made->fd, made->file_bytes, ctx);

	if (rc == CFS_END && made->unread > cfs_words_info(w)->unread)
		return cfs_error_at(ctx.err, CFS_EFORMAT, made->name, 0,
				    "%" PRIu64 " texts of the list of words "
				    "cannot be read", made->unread);
	if (rc == CFS_END)
		return cfs_error_at(ctx.err, CFS_EFORMAT, made->name, 0,
				    "the list of words is not that of the "
				    "texts: " MAKE_ONE);
	return rc;
}

int cfs_crawl_compare_words(struct cfs_crawl *c,
			    const struct cfs_word_lists *lists,
			    unsigned member, const char *tmp_dir,
			    struct cfs_ctx ctx)
{
	struct comparing k = { c, member };
	const struct cfs_words_build_opts opts = {
		.memory_bytes = COMPARING_BYTES, .feeders = cfs_processors(),
		.tmp_dir = tmp_dir, .cancel = ctx.cancel };
	struct cfs_words_build_end end = {
		.ix = index_of_list(c, member), .fd = cfs_temp_file(tmp_dir),
		.view_version = cfs_view_version(), .read = read_member_text,
		.each = each_text, .arg = &k };
	struct cfs_words_build *build = NULL;
	char *name = list_path(end.ix);
	int rc = cfs_words_build_new(&build, &opts, ctx.err);

	end.name = name;
	if (rc == CFS_OK && name == NULL)
		rc = cfs_error_nomem(ctx.err);
	if (rc == CFS_OK && end.fd < 0)
		rc = cfs_error_set(ctx.err, CFS_EIO, "no temporary file in "
				   "'%s': %s", tmp_dir, strerror(errno));
	if (rc == CFS_OK)
		rc = cfs_words_build_finish(build, &end, ctx.err);
	if (rc == CFS_OK)
		rc = judge_list(lists->v[member], &end, ctx);
	cfs_words_build_free(build);
	if (end.fd >= 0)
		close(end.fd);
	free(name);
	return rc;
}

/* ---- documents become captures ------------------------------------------ */

void cfs_found_release(struct cfs_found *f)
{
	free(f->v);
	*f = (struct cfs_found){ .n = 0 };
}

static int found_add(struct cfs_found *f, cfs_pos pos)
{
	int rc = cfs_array_reserve((void **)&f->v, &f->room, f->n + 1,
				   sizeof(*f->v), SIZE_MAX / sizeof(*f->v));

	if (rc == CFS_OK)
		f->v[f->n++] = pos;
	return rc;
}

/* A query under way: what is found in each member, and in the crawl. */
struct finding {
	struct cfs_crawl *c;
	struct cfs_walk *w;		/* its iterators are over the whole
					 * index */
	const struct cfs_word_lists *lists;
	struct cfs_hits docs[CFS_UNION_MAX], unread[CFS_UNION_MAX];
	/* While members are merged, of each: how many documents were taken, and
	 * the key of the last one, unless it is placed. */
	size_t taken[CFS_UNION_MAX];
	struct cfs_buf keys[CFS_UNION_MAX], placed;
	struct cfs_found *out;
	struct cfs_ctx ctx;
};

static bool hits_has(const struct cfs_hits *h, uint32_t doc)
{
	size_t lo = 0;

	CFS_LOWER_BOUND(lo, h->n, i, h->v[i] < doc);
	return lo < h->n && h->v[lo] == doc;
}

/* Removes from a what is in b. */
static void hits_remove(struct cfs_hits *a, const struct cfs_hits *b)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < a->n; i++) {
		while (k < b->n && b->v[k] < a->v[i])
			k++;
		if (k == b->n || b->v[k] != a->v[i])
			a->v[n++] = a->v[i];
	}
	a->n = n;
}

/* The position of a document in the crawl. */
static cfs_pos search_pos_of(const struct cfs_crawl *c,
			     const struct cfs_word_lists *lists,
			     unsigned member, uint32_t doc)
{
	cfs_pos pos = cfs_words_pos(lists->v[member], doc);

	return c->n_members > 0 ? cfs_union_pos(member, pos) : pos;
}

/* The document of an entry of the crawl. */
static uint32_t doc_of(const struct cfs_crawl *c,
		       const struct cfs_word_lists *lists, cfs_pos pos,
		       unsigned *member)
{
	*member = 0;
	if (c->n_members > 0)
		*member = cfs_union_split_pos(&pos);
	return cfs_words_doc(lists->v[*member], pos);
}

/* Moves w->below to an entry.  CFS_END if it cannot be read: as it is not known
 * where it belongs, it counts as one whose text cannot be. */
static int go_to(struct finding *f, cfs_pos pos)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_index_at(cfs_index_whole(f->c->index), pos,
			      &f->w->below.it, CFS_CTX(f->ctx.cancel, &e));

	if (!cfs_index_is_at_hole(&f->w->below.it, rc))
		return cfs_error_pass(f->ctx.err, &e, rc);
	f->out->unread++;
	return CFS_END;
}

/* Adds the entry under an iterator of f->w but `page`, if the crawl shows
 * it. */
static int place_shown(struct finding *f, struct cfs_iter *it)
{
	const struct cfs_index *part = f->c->index;
	const struct cfs_captures *p;
	int rc;

	if (!cfs_index_shows(it) ||
	    cfs_index_split(it->ix, it->key, &f->w->other) != CFS_OK)
		return CFS_OK;
	if (part->whole != NULL) {
		rc = cfs_captures_get(f->w, &f->w->other, &p);
		if (rc != CFS_OK || p->n == 0 || !p->is_shown)
			return rc;
	}
	return found_add(f->out, it->pos);
}

/* True if the crawl shows all that its indexes have. */
static bool shows_all(const struct cfs_crawl *c)
{
	return c->index->whole == NULL && c->index->unpicked == NULL;
}

/* Places the documents of the only index; some entries may not be shown. */
static int place_one(struct finding *f)
{
	const struct cfs_hits *docs = &f->docs[0];
	bool all_shown = shows_all(f->c);
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < docs->n; i++) {
		cfs_pos pos = search_pos_of(f->c, f->lists, 0, docs->v[i]);

		if (i % 1024 == 0 && cfs_cancelled(f->ctx.cancel))
			return CFS_EINTR;
		if (all_shown) {
			rc = found_add(f->out, pos);
			continue;
		}
		rc = go_to(f, pos);
		if (rc == CFS_OK)
			rc = place_shown(f, &f->w->below.it);
		rc = rc == CFS_END ? CFS_OK : rc;
	}
	return rc;
}

/* Takes the next document of a member whose key was not placed.  CFS_END if
 * there is none. */
static int take_key(struct finding *f, unsigned m)
{
	int rc = CFS_END;

	while (f->keys[m].n == 0 && f->taken[m] < f->docs[m].n) {
		struct cfs_slice key;
		uint32_t doc = f->docs[m].v[f->taken[m]++];

		rc = go_to(f, search_pos_of(f->c, f->lists, m, doc));
		key = f->w->below.it.key;
		if (rc == CFS_OK &&
		    !cfs_slice_eq(key, cfs_buf_slice(&f->placed)))
			rc = cfs_buf_add(&f->keys[m], key);
		if (rc != CFS_OK && rc != CFS_END)
			return rc;
	}
	return f->keys[m].n > 0 ? CFS_OK : CFS_END;
}

/* Sets f->placed to the least key of the members' next documents.  CFS_END if
 * all are placed. */
static int least_key(struct finding *f)
{
	struct cfs_buf *least = NULL;

	for (unsigned m = 0; m < f->lists->n; m++) {
		int rc = take_key(f, m);

		if (rc != CFS_OK && rc != CFS_END)
			return rc;
		if (rc == CFS_OK &&
		    (least == NULL || cfs_slice_cmp(cfs_buf_slice(&f->keys[m]),
						    cfs_buf_slice(least)) < 0))
			least = &f->keys[m];
	}
	if (least == NULL)
		return CFS_END;
	cfs_buf_reset(&f->placed);
	cfs_buf_add(&f->placed, cfs_buf_slice(least));
	for (unsigned m = 0; m < f->lists->n; m++)
		if (cfs_slice_eq(cfs_buf_slice(&f->keys[m]),
				 cfs_buf_slice(&f->placed)))
			cfs_buf_reset(&f->keys[m]);
	return f->placed.failed;
}

/* Places the documents of one key in the order of the union.  Of a capture that
 * several members have, one is there. */
static int place_key(struct finding *f)
{
	struct cfs_iter *it = &f->w->probe.it;
	int rc = cfs_index_seek(cfs_index_whole(f->c->index),
				cfs_buf_slice(&f->placed), it, f->ctx);

	while (rc == CFS_OK &&
	       cfs_slice_eq(it->key, cfs_buf_slice(&f->placed))) {
		unsigned m;
		uint32_t doc = doc_of(f->c, f->lists, it->pos, &m);

		if (hits_has(&f->docs[m], doc))
			rc = place_shown(f, it);
		if (rc == CFS_OK)
			rc = cfs_index_next(it, f->ctx);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

static int place_members(struct finding *f)
{
	int rc = CFS_OK;

	for (unsigned m = 0; m < f->lists->n; m++)
		cfs_buf_init(&f->keys[m], CFS_KEY_MAX);
	cfs_buf_init(&f->placed, CFS_KEY_MAX);
	while (rc == CFS_OK) {
		rc = least_key(f);
		if (rc == CFS_OK)
			rc = cfs_cancelled(f->ctx.cancel) ? CFS_EINTR :
							    place_key(f);
	}
	for (unsigned m = 0; m < f->lists->n; m++)
		cfs_buf_release(&f->keys[m]);
	cfs_buf_release(&f->placed);
	return rc == CFS_END ? CFS_OK : rc;
}

/* Fills f->out with the captures of f->docs. */
static int place(struct finding *f)
{
	int rc = cfs_walk_begin(&f->w, f->c, NULL, f->ctx);

	if (rc == CFS_OK)
		rc = f->c->n_members > 0 ? place_members(f) : place_one(f);
	cfs_walk_end(f->w);
	if (rc == CFS_EINTR)
		return cfs_error_set(f->ctx.err, rc, "interrupted");
	return rc == CFS_ENOMEM ? cfs_error_nomem(f->ctx.err) : rc;
}

static int finding_new(struct finding **out, struct cfs_crawl *c,
		       struct cfs_found *found, struct cfs_ctx ctx)
{
	struct finding *f = calloc(1, sizeof(*f));

	*out = f;
	cfs_found_release(found);
	if (f == NULL)
		return cfs_error_nomem(ctx.err);
	f->c = c;
	f->out = found;
	f->ctx = ctx;
	return cfs_crawl_words(c, &f->lists, ctx);
}

/* Ends it; after a failure, nothing was found. */
static int finding_end(struct finding *f, struct cfs_found *found, int rc)
{
	for (unsigned m = 0; f != NULL && m < CFS_UNION_MAX; m++) {
		cfs_hits_release(&f->docs[m]);
		cfs_hits_release(&f->unread[m]);
	}
	free(f);
	if (rc != CFS_OK)
		cfs_found_release(found);
	return rc;
}

/* ---- searches ------------------------------------------------------------ */

/* Counts the unread documents whose captures the crawl shows. */
static int count_unread(struct finding *f)
{
	struct cfs_found shown = { .n = 0 }, *out = f->out;
	int rc = CFS_OK;

	for (unsigned m = 0; m < f->lists->n; m++) {
		shown.unread += f->unread[m].n;
		cfs_hits_release(&f->docs[m]);
		f->docs[m] = f->unread[m];
		f->unread[m] = (struct cfs_hits){ .n = 0 };
		f->taken[m] = 0;
	}
	if (!shows_all(f->c)) {
		f->out = &shown;
		shown.unread = 0;
		rc = place(f);
	}
	out->unread += shown.n + shown.unread;
	cfs_found_release(&shown);
	f->out = out;
	return rc;
}

int cfs_crawl_find_maybe(struct cfs_crawl *c, const struct cfs_word_query *q,
			 struct cfs_found *out, bool *surely,
			 struct cfs_ctx ctx)
{
	struct finding *f;
	int rc = finding_new(&f, c, out, ctx);

	*surely = true;
	for (unsigned m = 0; rc == CFS_OK && m < f->lists->n; m++) {
		bool all = false;

		rc = cfs_words_find(f->lists->v[m], q, &f->docs[m], &all, ctx);
		if (rc == CFS_OK)
			rc = cfs_words_docs_of(f->lists->v[m], CFS_WORDS_UNREAD,
					       &f->unread[m], ctx.err);
		hits_remove(&f->docs[m], &f->unread[m]);
		*surely = *surely && all;
	}
	if (rc == CFS_OK)
		rc = place(f);
	if (rc == CFS_OK)
		rc = count_unread(f);
	return finding_end(f, out, rc);
}

/* True if the index says that a document is a revisit without an original. */
static bool is_absent(const struct finding *f, uint32_t doc,
		      struct cfs_iter *it)
{
	struct cfs_capture cap;

	return cfs_index_at(f->c->index, search_pos_of(f->c, f->lists, 0, doc),
			    it, CFS_CTX(f->ctx.cancel, NULL)) == CFS_OK &&
	       cfs_index_capture(it, &cap, NULL) == CFS_OK &&
	       cfs_capture_is_absent(&cap);
}

/* Moves from unread documents to f->out->absent those that have no text, and so
 * no match: each search would read their records.  Other sources and members of
 * a union may have an original. */
static void set_absent_aside(struct finding *f, struct cfs_hits *unread)
{
	size_t n = 0, absent = f->c->index->absent;
	struct cfs_iter it;

	if (!shows_all(f->c) || f->c->n_members > 0 || f->c->n_together > 1 ||
	    absent == 0)
		return;
	cfs_iter_init(&it);
	for (size_t i = 0; absent != unread->n && i < unread->n; i++)
		if (!is_absent(f, unread->v[i], &it))
			unread->v[n++] = unread->v[i];
	cfs_iter_release(&it);
	f->out->absent = unread->n - n;
	unread->n = n;
}

/* Finds the documents of one list that have a literal of each group. */
static int find_literals(struct finding *f, struct cfs_words *w,
			 const struct cfs_literal *v, size_t n,
			 struct cfs_hits *out)
{
	struct cfs_hits one = { .n = 0 }, group = { .n = 0 };
	struct cfs_ctx ctx = f->ctx;
	int rc = cfs_hits_all(out, (uint32_t)cfs_words_info(w)->docs);

	for (size_t i = 0; rc == CFS_OK && i < n; i++) {
		rc = cfs_words_part(w, v[i].bytes, &one, ctx);
		if (rc == CFS_OK)
			rc = cfs_hits_or(&group, &one);
		if (rc == CFS_OK &&
		    (i + 1 == n || v[i + 1].group != v[i].group)) {
			rc = cfs_hits_and(out, &group);
			group.n = 0;
		}
	}
	cfs_hits_release(&group);
	if (rc == CFS_OK)
		rc = cfs_words_docs_of(w, CFS_WORDS_UNREAD, &one, ctx.err);
	if (rc == CFS_OK) {
		hits_remove(out, &one);
		set_absent_aside(f, &one);
		rc = cfs_hits_or(out, &one);
	}
	cfs_hits_release(&one);
	return rc == CFS_ENOMEM ? cfs_error_nomem(ctx.err) : rc;
}

int cfs_crawl_candidates(struct cfs_crawl *c, const struct cfs_literal *v,
			 size_t n, struct cfs_found *out, struct cfs_ctx ctx)
{
	struct finding *f;
	int rc = finding_new(&f, c, out, ctx);

	for (unsigned m = 0; rc == CFS_OK && m < f->lists->n; m++)
		rc = find_literals(f, f->lists->v[m], v, n, &f->docs[m]);
	if (rc == CFS_OK)
		rc = place(f);
	return finding_end(f, out, rc);
}

/* ---- scores -------------------------------------------------------------- */

/* Scores the documents of a member, which are found captures from *next on by
 * `order`. */
static int score_member(struct cfs_crawl *c, unsigned m,
			const struct cfs_word_query *q,
			const struct cfs_found *found, const uint32_t *order,
			size_t *next, double *scores, struct cfs_ctx ctx)
{
	const struct cfs_word_lists *lists = atomic_load(&c->words);
	double *own = malloc((found->n + 1) * sizeof(*own));
	struct cfs_hits docs = { .n = 0 };
	size_t first = *next;
	int rc = own == NULL ? CFS_ENOMEM :
			       cfs_hits_reserve(&docs, found->n - first);

	for (; rc == CFS_OK && *next < found->n; ++*next) {
		unsigned of;
		uint32_t doc = doc_of(c, lists, found->v[order[*next]], &of);

		if (of != m)
			break;
		docs.v[docs.n++] = doc;
	}
	if (rc == CFS_OK && docs.n > 0)
		rc = cfs_words_score(lists->v[m], q, &docs, own, ctx);
	for (size_t i = 0; rc == CFS_OK && i < docs.n; i++)
		scores[order[first + i]] = own[i];
	cfs_hits_release(&docs);
	free(own);
	return rc;
}

int cfs_crawl_score(struct cfs_crawl *c, const struct cfs_word_query *q,
		    const struct cfs_found *found, double *scores,
		    struct cfs_ctx ctx)
{
	const struct cfs_word_lists *lists;
	uint32_t *order = NULL;
	size_t next = 0;
	int rc = cfs_crawl_words(c, &lists, ctx);

	if (rc == CFS_OK)
		rc = cfs_pos_order(found->v, found->n, &order);
	for (unsigned m = 0; rc == CFS_OK && m < lists->n; m++)
		rc = score_member(c, m, q, found, order, &next, scores, ctx);
	free(order);
	return rc == CFS_ENOMEM ? cfs_error_nomem(ctx.err) : rc;
}
