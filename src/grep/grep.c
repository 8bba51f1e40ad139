/* grep.c - plans jobs of pages, has threads search them, and writes in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "grep.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clamp.h"
#include "base/log.h"
#include "base/ordered.h"
#include "base/pool.h"
#include "base/text.h"
#include "codec/json.h"
#include "crawl/content.h"
#include "crawl/fetch_hints.h"
#include "crawl/file_info.h"
#include "crawl/search.h"
#include "crawl/tree.h"
#include "page_lines.h"

/* A job ends behind so many pages, or so many bytes of their records. */
#define JOB_PAGES 64u
#define JOB_BYTES (UINT64_C(1) << 20)
#define CANDIDATES_PER_JOB 16u
/* The most literals that a list of words is asked for; of more patterns all
 * pages are read. */
#define LITERALS_MAX 256u
/* Output that may wait for jobs before its own. */
#define WAITING_BYTES (UINT64_C(64) << 20)
#define NAME_MAX_BYTES ((size_t)64 << 10)

enum mark_kind {
	MARK_GROUP,		/* a separator, if there were groups before */
	MARK_HAS_GROUPS,	/* there were */
	MARK_ERROR, MARK_BINARY,	/* told on the way */
};

/* An event between two bytes of a job's output. */
struct grep_mark {
	enum mark_kind kind;
	size_t at;			/* in the output */
	size_t text, text_n;		/* in the job's texts */
};

struct grep_job {
	struct cfs_ordered_job base;
	cfs_pos pos[JOB_PAGES];
	bool is_passed[JOB_PAGES];	/* it has no match for sure */
	unsigned n;
	struct cfs_buf out, texts;
	struct grep_mark *marks;
	size_t n_marks, room;
	uint64_t matched, errors;
	uint64_t absent;		/* errors that are told by their number:
					 * revisits without an original */
	int rc;				/* a failure that ends the run */
	struct cfs_error error;
};

struct grep_run {
	struct cfs_crawl *crawl;
	const struct cfs_grep_opts *opts;
	struct cfs_ordered ordered;
	struct cfs_index_walk *walk;	/* used by the planning thread, as is */
	bool is_over;
	/* The pages that may have a match, if a list of words says so. */
	struct cfs_found candidates;
	bool has_candidates;
	size_t candidate;		/* the next one */
	uint64_t blocks;		/* 0: not known */
	atomic_uint_least64_t block;	/* the walk is in */
	atomic_uint_least64_t pages;	/* searched so far */
	/* Used by the settling thread: */
	bool has_groups;
	uint64_t absent;
	struct cfs_grep_report report;
};

/* The state of a thread. */
struct grep_worker {
	struct grep_run *run;
	struct grep_job *job;
	struct cfs_page_lines lines;
	struct cfs_paths *paths;	/* NULL: none was asked for yet */
	struct cfs_error paths_error;
	struct cfs_entry *e;
	struct cfs_node node;		/* the file that is searched */
};

/* ---- the plan ------------------------------------------------------------ */

/* True if files without a match are printed, too. */
static bool names_all(const struct grep_run *x)
{
	return x->opts->lines.counts ||
	       x->opts->lines.list == CFS_GREP_LIST_WITHOUT;
}

/* Fills a job with candidates, which need no walk. */
static int fill_by_candidates(struct grep_run *x, struct grep_job *job)
{
	while (job->n < CANDIDATES_PER_JOB && x->candidate < x->candidates.n)
		job->pos[job->n++] = x->candidates.v[x->candidate++];
	x->is_over = x->candidate == x->candidates.n;
	return CFS_OK;
}

/* True if a page may have a match; candidates ascend. */
static bool is_candidate(const struct grep_run *x, cfs_pos pos)
{
	size_t at = 0;

	if (!x->has_candidates)
		return true;
	CFS_LOWER_BOUND(at, x->candidates.n, i, x->candidates.v[i] < pos);
	return at < x->candidates.n && x->candidates.v[at] == pos;
}

static int order_positions(const void *a, const void *b)
{
	cfs_pos x = *(const cfs_pos *)a, y = *(const cfs_pos *)b;

	return (x > y) - (x < y);
}

static int fill_job(struct grep_run *x, struct grep_job *job)
{
	uint64_t bytes = 0;
	int rc = CFS_OK;

	if (x->has_candidates && !names_all(x))
		return fill_by_candidates(x, job);
	while (rc == CFS_OK && job->n < JOB_PAGES && bytes < JOB_BYTES) {
		rc = cfs_index_walk_capture(x->walk);
		if (rc != CFS_OK)
			break;
		job->is_passed[job->n] = !is_candidate(x, x->walk->it.pos);
		if (!job->is_passed[job->n])
			bytes += x->walk->cap.loc.length;
		job->pos[job->n++] = x->walk->it.pos;
		atomic_store(&x->block, cfs_pos_block(x->walk->it.pos));
	}
	x->is_over = rc != CFS_OK;
	return rc == CFS_END ? CFS_OK : rc;
}

static void job_free(void *arg, struct cfs_ordered_job *base)
{
	struct grep_job *job = (struct grep_job *)base;

	(void)arg;
	cfs_buf_release(&job->out);
	cfs_buf_release(&job->texts);
	free(job->marks);
	free(job);
}

static int grep_plan(void *arg, struct cfs_ordered_job **out,
		     struct cfs_error *err)
{
	struct grep_run *x = arg;
	struct grep_job *job;
	int rc;

	*out = NULL;
	if (x->is_over)
		return CFS_OK;
	job = calloc(1, sizeof(*job));
	if (job == NULL)
		return cfs_error_nomem(err);
	cfs_buf_init(&job->out, SIZE_MAX / 2);
	cfs_buf_init(&job->texts, SIZE_MAX / 2);
	x->walk->ctx = CFS_CTX(&x->ordered.cancel, err);
	rc = fill_job(x, job);
	if (rc == CFS_OK && job->n > 0)
		*out = &job->base;
	else
		job_free(NULL, &job->base);
	return rc;
}

/* ---- output -------------------------------------------------------------- */

static int add_mark(struct grep_job *job, enum mark_kind kind, size_t at,
		    size_t text, struct cfs_error *err)
{
	if (cfs_array_reserve((void **)&job->marks, &job->room,
			      job->n_marks + 1, sizeof(*job->marks),
			      SIZE_MAX / sizeof(*job->marks)) != CFS_OK)
		return cfs_error_nomem(err);
	job->marks[job->n_marks++] = (struct grep_mark){ kind, at, text,
						    job->texts.n - text };
	return CFS_OK;
}

/* Passes an event on. */
static int pass_mark(struct grep_run *x, const struct grep_job *job,
		     const struct grep_mark *mark)
{
	const struct cfs_grep_opts *o = x->opts;
	const char *text = (const char *)job->texts.p + mark->text;
	struct cfs_slice line = CFS_SLICE_LIT("\n");
	int rc = CFS_OK;

	switch (mark->kind) {
	case MARK_GROUP:
		if (!x->has_groups)
			break;
		if (o->lines.has_colors)
			rc = o->write(o->write_arg,
				      CFS_SLICE_LIT("\33[36m\33[K"));
		if (rc == CFS_OK)
			rc = o->write(o->write_arg,
				      cfs_slice_str(o->lines.separator));
		if (o->lines.has_colors)
			line = CFS_SLICE_LIT("\33[m\33[K\n");
		return rc == CFS_OK ? o->write(o->write_arg, line) : rc;
	case MARK_HAS_GROUPS:
		x->has_groups = true;
		break;
	case MARK_ERROR:
		cfs_log(CFS_LOG_ERROR, "%.*s", (int)mark->text_n, text);
		break;
	case MARK_BINARY:
		cfs_log(CFS_LOG_ERROR, "%.*s: binary file matches",
			(int)mark->text_n, text);
		break;
	}
	return rc;
}

/* Writes the output of a job so far, and empties it. */
static int write_job(struct grep_run *x, struct grep_job *job)
{
	const struct cfs_grep_opts *o = x->opts;
	size_t at = 0;
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i <= job->n_marks; i++) {
		size_t to = i < job->n_marks ? job->marks[i].at : job->out.n;

		if (to > at)
			rc = o->write(o->write_arg,
				      cfs_slice_of(job->out.p + at, to - at));
		at = to;
		if (rc == CFS_OK && i < job->n_marks)
			rc = pass_mark(x, job, &job->marks[i]);
	}
	job->n_marks = 0;
	cfs_buf_reset(&job->out);
	cfs_buf_reset(&job->texts);
	return rc;
}

/* Called while a page is searched: writes, if it is the job's turn. */
static int write_some(void *arg, struct cfs_error *err)
{
	struct grep_worker *w = arg;
	struct grep_run *x = w->run;
	bool is_turn;
	int rc;

	cfs_ordered_hold(&x->ordered, &w->job->base, w->job->out.n);
	rc = cfs_ordered_turn(&x->ordered, &w->job->base, false, &is_turn, err);
	if (rc != CFS_OK || !is_turn)
		return rc;
	rc = write_job(x, w->job);
	cfs_ordered_hold(&x->ordered, &w->job->base, 0);
	return rc;
}

static int grep_settle(void *arg, struct cfs_ordered_job *base, void *worker,
		       struct cfs_error *err)
{
	struct grep_run *x = arg;
	struct grep_job *job = (struct grep_job *)base;
	int rc = write_job(x, job);

	(void)worker;
	x->report.matched += job->matched;
	x->report.errors += job->errors;
	x->absent += job->absent;
	if (rc == CFS_OK && job->rc != CFS_OK)
		rc = cfs_error_pass(err, &job->error, job->rc);
	if (rc == CFS_OK && x->opts->lines.is_quiet && x->report.matched > 0)
		rc = CFS_END;
	return rc;
}

/* ---- names --------------------------------------------------------------- */

/* Appends the path of a file in the tree. */
static int add_path(struct grep_worker *w, const struct cfs_node *node,
		    struct cfs_buf *out, struct cfs_ctx ctx)
{
	struct cfs_crawl *c = w->run->crawl;
	int rc = CFS_OK;

	if (!cfs_view_is_plain(node->view))
		return cfs_tree_path(c, node, out, ctx);
	cfs_error_clear(&w->paths_error);
	if (w->paths == NULL)
		rc = cfs_paths_begin(&w->paths, c, 1u << node->view,
				     CFS_CTX(&w->run->ordered.cancel,
					     &w->paths_error));
	if (rc == CFS_OK)
		rc = cfs_index_at(c->index, node->pos, &w->e->it,
				  CFS_CTX(ctx.cancel, &w->paths_error));
	if (rc == CFS_OK)
		rc = cfs_paths_find(w->paths, &w->e->it);
	if (rc == CFS_OK)
		rc = cfs_paths_add(w->paths, node->view, out);
	return cfs_error_pass(ctx.err, &w->paths_error, rc);
}

/* Appends the URL of a file's record. */
static int add_url(struct grep_worker *w, struct cfs_buf *out,
		   struct cfs_ctx ctx)
{
	const struct cfs_view_opts opts = { .meta_compact = 0 };
	struct cfs_node node = w->node;
	struct cfs_file_bytes url;
	int rc;

	node.view = CFS_VIEW_URL;
	rc = cfs_content_load(w->run->crawl, &node, &opts, &url, ctx);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_add(out, cfs_slice_sub(url.bytes, 0, url.bytes.n - 1));
	cfs_file_bytes_release(&url);
	return CFS_OK;
}

/* Appends what lines begin with: path or URL; or members of an object. */
static int grep_name(void *arg, struct cfs_buf *out, struct cfs_error *err)
{
	struct grep_worker *w = arg;
	struct cfs_ctx ctx = CFS_CTX(&w->run->ordered.cancel, err);
	struct cfs_json j = { .out = out, .compact = true, .first = true,
			      .depth = 1 };
	CFS_BUF(text, NAME_MAX_BYTES);
	int rc;

	if (!w->run->opts->lines.is_json)
		return w->run->opts->has_urls ? add_url(w, out, ctx) :
						add_path(w, &w->node, out, ctx);
	rc = add_path(w, &w->node, &text, ctx);
	cfs_json_put_ascii(&j, "path", cfs_buf_slice(&text),
			   CFS_JSON_ODD_SURROGATE);
	cfs_buf_reset(&text);
	if (rc == CFS_OK)
		rc = add_url(w, &text, ctx);
	cfs_json_put_ascii(&j, "url", cfs_buf_slice(&text),
			   CFS_JSON_ODD_PERCENT);
	return rc;
}

/* ---- pages --------------------------------------------------------------- */

/* Notes that a page could not be read or searched. */
static int note_error(struct grep_worker *w, const struct cfs_error *why)
{
	struct grep_job *job = w->job;
	char line[sizeof(struct cfs_error)];
	size_t at = job->texts.n;

	job->errors++;
	if (w->run->opts->hides_errors)
		return CFS_OK;
	if (add_path(w, &w->node, &job->texts,
		     CFS_CTX(&w->run->ordered.cancel, NULL)) == CFS_OK)
		cfs_buf_adds(&job->texts, ": ");
	cfs_error_line(why, line, sizeof(line));
	cfs_buf_adds(&job->texts, line);
	return add_mark(job, MARK_ERROR, job->out.n, at, &job->error);
}

/* True if a mount opens a file that cannot be read: its size is known, or it is
 * found before that, where those of nearly all others are known. */
static bool can_be_opened(struct grep_worker *w, int failure)
{
	struct cfs_crawl *c = w->run->crawl;
	struct cfs_file_info info;
	int rc = cfs_file_info_get(c, &w->node, &info,
				   CFS_CTX(&w->run->ordered.cancel, NULL));

	if (rc == CFS_OK && info.size_kind == CFS_SIZE_EXACT)
		return true;
	return rc == CFS_OK &&
	       (failure == CFS_EABSENT || failure == CFS_EFORMAT ||
		failure == CFS_ELIMIT || failure == CFS_EUNSUPPORTED) &&
	       cfs_file_sizes_are_exact(c, 1u << w->node.view);
}

/* A file that can be opened is an empty one for grep, which -c and -L print. */
static int search_unreadable(struct grep_worker *w, int failure,
			     const struct cfs_error *why)
{
	int rc = CFS_OK;

	if (failure != CFS_EABSENT)
		rc = note_error(w, why);
	else
		w->job->absent++;
	if (rc == CFS_OK && names_all(w->run) && can_be_opened(w, failure))
		rc = cfs_page_lines_search(&w->lines, CFS_SLICE_EMPTY,
				CFS_CTX(&w->run->ordered.cancel, NULL));
	return rc;
}

/* True if groups of lines have a separator between them. */
static bool has_separators(const struct cfs_page_lines_opts *o)
{
	return (o->before >= 0 || o->after >= 0) && o->separator != NULL &&
	       !o->is_json;
}

/* Searches a text that was loaded. */
static int search_text(struct grep_worker *w, struct cfs_slice text,
		       struct cfs_ctx ctx)
{
	struct grep_job *job = w->job;
	size_t marks = job->n_marks, at = job->texts.n;
	int rc = CFS_OK, result;

	/* The first line of a text with context has one in front. */
	if (has_separators(&w->run->opts->lines))
		rc = add_mark(job, MARK_GROUP, job->out.n, at, &job->error);
	if (rc != CFS_OK)
		return rc;
	result = cfs_page_lines_search(&w->lines, text, ctx);
	if (!w->lines.begins_group && job->n_marks > marks)
		job->n_marks = marks;
	at = job->texts.n;		/* it may have been written meanwhile */
	if (w->lines.has_groups)
		rc = add_mark(job, MARK_HAS_GROUPS, job->out.n, at,
			      &job->error);
	job->matched += w->lines.lines > 0;
	if (rc == CFS_OK && w->lines.is_binary) {
		(void)grep_name(w, &job->texts, NULL);
		rc = add_mark(job, MARK_BINARY, job->out.n, at, &job->error);
	}
	return rc == CFS_OK ? result : rc;
}

/* True for a failure of one page, which does not end the search. */
static bool is_of_page(int rc)
{
	return rc != CFS_OK && rc != CFS_EINTR && rc != CFS_ENOMEM &&
	       rc != CFS_END;
}

static int search_page(struct grep_worker *w, cfs_pos pos, bool is_passed)
{
	const struct cfs_view_opts opts = { .meta_compact = 0 };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_ctx ctx = CFS_CTX(&w->run->ordered.cancel, &e);
	struct cfs_file_bytes text;
	int rc;

	w->node = (struct cfs_node){ .type = CFS_NODE_FILE, .pos = pos,
				     .view = w->run->opts->view };
	if (is_passed) {
		rc = cfs_page_lines_search(&w->lines, CFS_SLICE_EMPTY, ctx);
		return cfs_error_pass(&w->job->error, &e, rc);
	}
	rc = cfs_content_load(w->run->crawl, &w->node, &opts, &text, ctx);
	if (rc == CFS_ENOTFOUND && !cfs_view_is_plain(w->node.view))
		return CFS_OK;		/* the capture has no such view */
	if (is_of_page(rc))
		return search_unreadable(w, rc, &e);
	if (rc == CFS_OK) {
		rc = search_text(w, text.bytes, ctx);
		if (rc == CFS_OK && text.is_cut_off)
			rc = cfs_content_cut_off(w->run->crawl, &w->node,
						 &text, &e);
		cfs_file_bytes_release(&text);
	}
	if (is_of_page(rc))
		return note_error(w, &e);
	return cfs_error_pass(&w->job->error, &e, rc);
}

/* Asks for the records of a job's pages, all at once. */
static void prefetch_job(struct grep_worker *w)
{
	struct cfs_ctx quiet = CFS_CTX(&w->run->ordered.cancel, NULL);
	struct cfs_crawl *c = w->run->crawl;
	struct cfs_fetch_hints hints;

	if (c->cache == NULL)
		return;
	cfs_fetch_hints_init(&hints);
	for (unsigned i = 0; i < w->job->n; i++)
		if (!w->job->is_passed[i] &&
		    cfs_entry_load(c, w->job->pos[i], w->e, quiet) == CFS_OK)
			cfs_fetch_hints_add_entry(&hints, w->e);
	cfs_fetch_hints_give(&hints, c->store, &cfs_near_many, 0, NULL);
	cfs_fetch_hints_release(&hints);
}

static void grep_work(void *arg, struct cfs_ordered_job *base, void *worker)
{
	struct grep_worker *w = worker;
	struct grep_job *job = (struct grep_job *)base;
	int rc = CFS_OK;

	(void)arg;
	w->job = job;
	w->lines.out = &job->out;
	prefetch_job(w);
	for (unsigned i = 0; rc == CFS_OK && i < job->n; i++) {
		rc = search_page(w, job->pos[i], job->is_passed[i]);
		if (w->run->opts->lines.is_quiet && job->matched > 0)
			break;
	}
	atomic_fetch_add(&w->run->pages, job->n);
	job->rc = rc;
	cfs_ordered_hold(&w->run->ordered, base, job->out.n);
}

/* ---- the run ------------------------------------------------------------- */

static void worker_free(void *worker)
{
	struct grep_worker *w = worker;

	cfs_matching_free(w->lines.matching);
	cfs_page_lines_release(&w->lines);
	cfs_paths_end(w->paths);
	cfs_entry_free(w->e);
	free(w);
}

static void *worker_new(void *arg)
{
	struct grep_run *x = arg;
	struct grep_worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->run = x;
	w->lines = (struct cfs_page_lines){ .opts = &x->opts->lines,
		.matching = cfs_matching_new(x->opts->matcher),
		.name = grep_name, .more = write_some, .arg = w };
	cfs_page_lines_init(&w->lines);
	w->e = cfs_entry_new(NULL);
	if (w->lines.matching == NULL || w->e == NULL) {
		worker_free(w);
		return NULL;
	}
	return w;
}

static void grep_show(void *arg)
{
	struct grep_run *x = arg;
	struct cfs_progress p = { .captures = atomic_load(&x->pages) };

	if (x->opts->progress == NULL)
		return;
	if (x->blocks > 0)
		p.fraction = (double)atomic_load(&x->block) /
			     (double)x->blocks;
	x->opts->progress(x->opts->arg, &p);
}

static const struct cfs_ordered_ops grep_ops = {
	.plan = grep_plan, .work = grep_work, .settle = grep_settle,
	.free_job = job_free, .worker_new = worker_new,
	.worker_free = worker_free, .show = grep_show
};

/* Makes literals of the runs of the patterns: all of a single alternative, of
 * several the longest of each.  Their number; 0: there are none that help. */
static size_t choose_literals(struct cfs_slice runs,
			      struct cfs_literal out[LITERALS_MAX])
{
	size_t n = 0, branches = 0, begin = 0, longest;

	while (runs.n > 0) {
		struct cfs_slice run = cfs_slice_split(&runs, '\n');

		if (run.n > 0 && n == LITERALS_MAX)
			return 0;
		if (run.n > 0) {
			out[n] = (struct cfs_literal){ run, (unsigned)n };
			n++;
			continue;
		}
		if (n == begin)
			return 0;	/* an alternative that has none */
		branches++;
		if (branches == 1 && runs.n == 0)
			return n;
		longest = begin;
		for (size_t i = begin + 1; i < n; i++)
			if (out[i].bytes.n > out[longest].bytes.n)
				longest = i;
		out[begin] = out[longest];
		out[begin++].group = 0;
		n = begin;
	}
	return n;
}

/* Asks the list of words which pages may have a match, if that is of use. */
static int find_candidates(struct grep_run *x, struct cfs_ctx ctx)
{
	const struct cfs_grep_opts *o = x->opts;
	struct cfs_literal literals[LITERALS_MAX] = { { .group = 0 } };
	struct cfs_error why = CFS_ERROR_INIT;
	size_t n = choose_literals(cfs_matcher_runs(o->matcher), literals);
	int rc;

	if (n == 0 || o->view != CFS_VIEW_TEXT || o->lines.inverts)
		return CFS_OK;
	rc = cfs_crawl_candidates(x->crawl, literals, n, &x->candidates,
				  CFS_CTX(ctx.cancel, &why));
	if (rc == CFS_ENOWORDS) {
		if (!o->lines.is_quiet && !o->hides_errors)
			cfs_log(CFS_LOG_WARNING, "all pages are read: %s",
				why.text);
		return CFS_OK;
	}
	x->has_candidates = rc == CFS_OK;
	x->absent = x->candidates.absent;
	if (rc == CFS_OK && names_all(x) && x->candidates.n > 0)
		qsort(x->candidates.v, x->candidates.n, sizeof(cfs_pos),
		      order_positions);
	if (x->candidates.unread > 0 && !names_all(x)) {
		x->report.errors++;
		if (!o->hides_errors)
			cfs_log(CFS_LOG_ERROR, "parts of the index cannot be "
				"read: 'crawlfs verify' lists them");
	}
	return cfs_error_pass(ctx.err, &why, rc);
}

/* Adds revisits without an original to the errors.  A crawl may have thousands,
 * each search meets them all, and they are told in one line. */
static void note_absent(struct grep_run *x)
{
	const struct cfs_grep_opts *o = x->opts;
	char count[CFS_TEXT_COUNT_BYTES];

	x->report.errors += x->absent;
	if (x->absent > 0 && !o->hides_errors &&
	    !(o->lines.is_quiet && x->report.matched > 0))
		cfs_log(CFS_LOG_ERROR, "%s without a body: the original is not "
			"in this source", cfs_text_count(x->absent, "revisit",
							 count));
}

int cfs_grep_run(struct cfs_crawl *c, const struct cfs_grep_opts *opts,
		 struct cfs_grep_report *report, struct cfs_ctx ctx)
{
	struct grep_run x = { .crawl = c, .opts = opts,
			      .blocks = c->index->blocks };
	unsigned threads = opts->threads;
	int rc;

	if (threads == 0)
		threads = cfs_processors() + (c->cache == NULL ? 0 :
					      CFS_GREP_THREADS_REMOTE);
	x.ordered = (struct cfs_ordered){ .ops = &grep_ops, .arg = &x,
		.threads = (unsigned)cfs_clamp_u64(threads, 1, CFS_POOL_MAX),
		.bytes_max = WAITING_BYTES, .outer = ctx.cancel };
	cfs_ordered_init(&x.ordered);
	rc = cfs_index_walk_new(&x.walk, c->index, &c->holes, ctx);
	if (rc == CFS_OK)
		rc = find_candidates(&x, ctx);
	if (rc == CFS_OK)
		rc = cfs_ordered_run(&x.ordered, ctx.err);
	if (rc == CFS_OK || rc == CFS_END)
		note_absent(&x);
	cfs_found_release(&x.candidates);
	cfs_index_walk_free(x.walk);
	cfs_ordered_release(&x.ordered);
	x.report.looked_at = atomic_load(&x.pages);
	*report = x.report;
	return rc == CFS_END ? CFS_OK : rc;
}
