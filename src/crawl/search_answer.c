/* search_answer.c - what queries have found, kept for the next page of it; and
 * texts, which are asked where lists of words do not decide.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/lru.h"
#include "base/ordered.h"
#include "base/pool.h"
#include "content.h"
#include "search.h"

/* Captures whose texts one thread reads at a time. */
#define TEXTS_AT_ONCE 8u
/* Kept answers take this part of the budget at most. */
#define ANSWERS_PART 16u
#define ANSWERS_DEFAULT ((size_t)16 << 20)
#define KEY_BYTES (4 * (size_t)CFS_WORD_QUERY_MAX)

/* ---- answers ------------------------------------------------------------- */

static void answer_free(void *obj)
{
	struct cfs_search_answer *a = obj;

	cfs_found_release(&a->found);
	free(a->scores);
	free(a->texts);
	free(a);
}

int cfs_answers_new(struct cfs_lru **out, struct cfs_budget *budget,
		    struct cfs_error *err)
{
	size_t max = budget == NULL ? ANSWERS_DEFAULT :
		     (size_t)(cfs_budget_max(budget) / ANSWERS_PART);

	*out = cfs_lru_new(max, answer_free);
	if (*out == NULL)
		return cfs_error_nomem(err);
	cfs_lru_charge_to(*out, budget, CFS_MEM_INDEX, false);
	return CFS_OK;
}

struct answer_asked {
	struct cfs_crawl *c;
	const struct cfs_word_query *q;
};

static int answer_load(void *arg, struct cfs_lru_key key, void **obj,
		       size_t *bytes, struct cfs_ctx ctx)
{
	const struct answer_asked *asked = arg;
	struct cfs_search_answer *a = calloc(1, sizeof(*a));
	size_t n = 0;
	int rc = CFS_OK;

	(void)key;
	if (a == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_crawl_find_maybe(asked->c, asked->q, &a->found, &a->is_sure,
				  ctx);
	n = a->found.n;
	if (rc == CFS_OK) {
		a->scores = calloc(n + 1, sizeof(*a->scores));
		a->texts = calloc(n + 1, sizeof(*a->texts));
		if (a->scores == NULL || a->texts == NULL)
			rc = cfs_error_nomem(ctx.err);
	}
	if (rc == CFS_OK)
		rc = cfs_crawl_score(asked->c, asked->q, &a->found, a->scores,
				     ctx);
	for (size_t i = 0; rc == CFS_OK && a->is_sure && i < n; i++)
		a->texts[i] = CFS_TEXT_MATCHES;
	*bytes = sizeof(*a) + a->found.room * sizeof(*a->found.v) +
		 n * (sizeof(*a->scores) + sizeof(*a->texts));
	if (rc == CFS_OK)
		*obj = a;
	else
		answer_free(a);
	return rc;
}

int cfs_crawl_answer(struct cfs_crawl *c, const struct cfs_word_query *q,
		     struct cfs_lru_ref **out, struct cfs_ctx ctx)
{
	struct answer_asked asked = { c, q };
	const struct cfs_word_lists *lists;
	CFS_BUF(key, KEY_BYTES);
	int rc = cfs_crawl_words(c, &lists, ctx);

	*out = NULL;
	if (rc == CFS_OK && cfs_word_query_key(q, &key) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	if (rc == CFS_OK)
		rc = cfs_lru_get(lists->answers,
				 CFS_LRU_NAME(cfs_buf_slice(&key)),
				 answer_load, &asked, out, ctx);
	return rc;
}

/* ---- what the texts say -------------------------------------------------- */

/* A few captures whose texts one thread reads. */
struct texts_job {
	struct cfs_ordered_job base;
	size_t from, n;
	struct cfs_error error;		/* of the failure rc */
	int rc;
};

struct texts {
	struct cfs_ordered run;
	struct cfs_crawl *c;
	const struct cfs_word_query *q;
	const struct cfs_found *found;
	_Atomic uint8_t *says;		/* enum cfs_text_says of each */
	const size_t *which;		/* n of them are asked; NULL: the
					 * first n */
	size_t n, planned;
	_Atomic uint64_t unread;
};

static int texts_plan(void *arg, struct cfs_ordered_job **out,
		      struct cfs_error *err)
{
	struct texts *t = arg;
	size_t left = t->n - t->planned;
	struct texts_job *j;

	*out = NULL;
	if (left == 0)
		return CFS_OK;
	j = calloc(1, sizeof(*j));
	if (j == NULL)
		return cfs_error_nomem(err);
	j->from = t->planned;
	j->n = left < TEXTS_AT_ONCE ? left : TEXTS_AT_ONCE;
	t->planned += j->n;
	*out = &j->base;
	return CFS_OK;
}

/* Reads one text.  Damage, and what is not there, is counted; trouble is a
 * failure. */
static int read_text(struct texts *t, size_t i, struct cfs_error *err)
{
	struct cfs_node file = { .type = CFS_NODE_FILE, .pos = t->found->v[i],
				 .view = CFS_VIEW_TEXT };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_file_bytes b;
	int rc;

	if (t->says[i] != CFS_TEXT_UNKNOWN)
		return CFS_OK;
	rc = cfs_content_load(t->c, &file, &t->c->view, &b,
			      CFS_CTX(&t->run.cancel, &e));
	if (rc == CFS_OK)
		t->says[i] = cfs_word_query_matches(t->q, b.bytes) ?
				     CFS_TEXT_MATCHES : CFS_TEXT_OTHER;
	cfs_file_bytes_release(&b);
	if (rc == CFS_EINTR || cfs_code_is_trouble(rc))
		return cfs_error_pass(err, &e, rc);
	t->unread += rc != CFS_OK;
	return CFS_OK;
}

static void texts_work(void *arg, struct cfs_ordered_job *job, void *worker)
{
	struct texts_job *j = (struct texts_job *)job;
	struct texts *t = arg;

	(void)worker;
	for (size_t i = j->from; j->rc == CFS_OK && i < j->from + j->n; i++) {
		size_t at = t->which != NULL ? t->which[i] : i;

		j->rc = cfs_cancelled(&t->run.cancel) ? CFS_EINTR :
			read_text(t, at, &j->error);
	}
}

static int texts_settle(void *arg, struct cfs_ordered_job *job, void *worker,
			struct cfs_error *err)
{
	struct texts_job *j = (struct texts_job *)job;

	(void)arg;
	(void)worker;
	return cfs_error_pass(err, &j->error, j->rc);
}

static void texts_free(void *arg, struct cfs_ordered_job *job)
{
	(void)arg;
	free(job);
}

static const struct cfs_ordered_ops texts_ops = {
	.plan = texts_plan, .work = texts_work, .settle = texts_settle,
	.free_job = texts_free,
};

static int texts_run(struct texts *t, struct cfs_ctx ctx)
{
	int rc;

	t->run = (struct cfs_ordered){ .ops = &texts_ops, .arg = t,
				       .threads = cfs_processors(),
				       .outer = ctx.cancel };
	cfs_ordered_init(&t->run);
	rc = cfs_ordered_run(&t->run, ctx.err);
	cfs_ordered_release(&t->run);
	return rc;
}

int cfs_crawl_ask_texts(struct cfs_crawl *c, const struct cfs_word_query *q,
			struct cfs_search_answer *a, const size_t *which,
			size_t n, uint64_t *unread, struct cfs_ctx ctx)
{
	struct texts t = { .c = c, .q = q, .found = &a->found,
			   .says = a->texts, .which = which, .n = n };
	int rc = texts_run(&t, ctx);

	*unread += t.unread;
	return rc;
}

/* Keeps of what was found what matches by its text. */
static int keep_matches(struct cfs_crawl *c, const struct cfs_word_query *q,
			struct cfs_found *found, struct cfs_ctx ctx)
{
	struct texts t = { .c = c, .q = q, .found = found, .n = found->n };
	size_t kept = 0;
	int rc;

	t.says = calloc(found->n + 1, sizeof(*t.says));
	if (t.says == NULL)
		return cfs_error_nomem(ctx.err);
	rc = texts_run(&t, ctx);
	for (size_t i = 0; rc == CFS_OK && i < found->n; i++)
		if (t.says[i] == CFS_TEXT_MATCHES)
			found->v[kept++] = found->v[i];
	found->n = kept;
	found->unread += t.unread;
	free(t.says);
	return rc;
}

int cfs_crawl_find(struct cfs_crawl *c, const struct cfs_word_query *q,
		   struct cfs_found *out, struct cfs_ctx ctx)
{
	bool surely;
	int rc = cfs_crawl_find_maybe(c, q, out, &surely, ctx);

	if (rc == CFS_OK && !surely)
		rc = keep_matches(c, q, out, ctx);
	if (rc != CFS_OK)
		cfs_found_release(out);
	return rc;
}
