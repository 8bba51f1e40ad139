/* captures_test.c - pages with many captures: what is found by number, position
 * and time is what reading the page finds, and the work grows with the captures
 * and not with their square.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "count_work.h"
#include "crawl/page.h"
#include "crawl/tree.h"
#include "index/picked.h"
#include "rng.h"

#define URL "http://a.example/"
#define FIRST_TIME 1000000000

/* ---- crawls of one page ---- */

struct page {
	unsigned n;		/* captures of each member */
	unsigned seconds;	/* they have times of so many seconds */
	bool is_mixed;		/* not all good, and some revisits */
};

/* Captures offset, offset + step, ... of a page, and a page beside it. */
static void add_page(struct cfs_builder *b, const void *arg, unsigned member)
{
	const struct page *p = arg;
	uint64_t rng = member + 1;

	for (unsigned i = 0; i <= p->n; i++) {
		uint64_t kind = p->is_mixed ? rng_below(&rng, 4) : 0;
		struct cfs_builder_capture cap = {
			.url = cfs_slice_str(i < p->n ? URL : URL "z"),
			.kind = kind == 1 ? CFS_KIND_REVISIT : CFS_KIND_RESPONSE,
			.time = FIRST_TIME +
				(int64_t)rng_below(&rng, p->seconds),
			.status = kind == 2 ? 404 : 200,
			.mime = CFS_SLICE_LIT("text/html"),
			.span.offset = 1000 * (2 * i + member),
			.span.length = 50,
			.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
			.refers_to = CFS_SLICE_EMPTY,
		};

		assert_int_equal(cfs_builder_add(b, 0, &cap, NULL), CFS_OK);
	}
}

static void open_page(struct cfs_crawl *c, enum shape shape,
		      const struct page *p, size_t mem_bytes)
{
	open_counted(c, shape, add_page, p, mem_bytes);
}

/* The directory of the page. */
static struct cfs_node dir_of(struct cfs_crawl *c)
{
	struct cfs_node dir;

	assert_int_equal(cfs_tree_walk(c, CFS_SLICE_LIT("example/a/_"), &dir,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	return dir;
}

/* ---- what is found ---- */

/* Captures of the page, by reading it. */
struct model {
	unsigned n;
	struct cfs_capture *caps;
	cfs_pos *pos;
};

static void model_read(struct model *m, struct cfs_walk *w)
{
	int rc = cfs_path_iter_first(&w->page, &w->child, CFS_BELOW_PAGE);

	*m = (struct model){ 0 };
	for (; rc == CFS_OK; rc = cfs_path_iter_next(&w->page)) {
		m->caps = realloc(m->caps, (m->n + 1) * sizeof(*m->caps));
		m->pos = realloc(m->pos, (m->n + 1) * sizeof(*m->pos));
		assert_true(m->caps != NULL && m->pos != NULL);
		assert_int_equal(cfs_index_capture(&w->page.it,
						   &m->caps[m->n], NULL),
				 CFS_OK);
		m->pos[m->n++] = w->page.it.pos;
	}
	assert_int_equal(rc, CFS_END);
}

static void model_free(struct model *m)
{
	free(m->caps);
	free(m->pos);
}

/* The rules of doc/tree.md, as they stand there. */
static unsigned model_preferred(const struct model *m)
{
	unsigned best = 0;

	for (unsigned i = 1; i < m->n; i++) {
		bool good = m->caps[i].status == 200;
		bool best_is = m->caps[best].status == 200;

		if (good > best_is || (good == best_is &&
				       m->caps[i].time >= m->caps[best].time))
			best = i;
	}
	return best;
}

static unsigned model_nearest(const struct model *m, int64_t moment)
{
	unsigned best = 0;

	for (unsigned i = 1; i < m->n; i++) {
		uint64_t d = cfs_dates_distance(m->caps[i].time, moment);
		uint64_t b = cfs_dates_distance(m->caps[best].time, moment);

		if (d < b || (d == b && m->caps[i].status == 200 &&
			      m->caps[best].status != 200))
			best = i;
	}
	return best;
}

static void check_originals(struct cfs_walk *w, const struct model *m,
			    const int64_t *time)
{
	cfs_pos pos[CFS_ORIGINALS_MAX];
	const struct cfs_capture_query q = { CFS_CAPTURES_ORIGINALS, time };
	unsigned n = 0, k = 0;

	assert_int_equal(cfs_captures_find(w, &w->child, &q, pos, &n), CFS_OK);
	for (unsigned i = 0; i < m->n && k < CFS_ORIGINALS_MAX; i++)
		if (m->caps[i].kind != CFS_KIND_REVISIT &&
		    (time == NULL || m->caps[i].time == *time)) {
			assert_true(k < n);
			assert_int_equal(pos[k++], m->pos[i]);
		}
	assert_int_equal(k, n);
}

/* The revisits of a time, and the last original that is not later. */
static void check_others(struct cfs_walk *w, const struct model *m,
			 int64_t time)
{
	struct cfs_capture_query q = { CFS_CAPTURES_REVISITS, &time };
	cfs_pos pos[CFS_ORIGINALS_MAX];
	unsigned n = 0, k = 0;
	int64_t last = INT64_MIN;

	assert_int_equal(cfs_captures_find(w, &w->child, &q, pos, &n), CFS_OK);
	for (unsigned i = 0; i < m->n; i++)
		k += m->caps[i].kind == CFS_KIND_REVISIT &&
		     m->caps[i].time == time;
	assert_int_equal(n, k < CFS_ORIGINALS_MAX ? k : CFS_ORIGINALS_MAX);
	q.what = CFS_CAPTURES_BEFORE;
	assert_int_equal(cfs_captures_find(w, &w->child, &q, pos, &n), CFS_OK);
	for (unsigned i = 0; i < m->n; i++)
		if (m->caps[i].kind != CFS_KIND_REVISIT &&
		    m->caps[i].time != 0 && m->caps[i].time <= time &&
		    m->caps[i].time > last)
			last = m->caps[i].time;
	assert_int_equal(n, last != INT64_MIN);
	for (unsigned i = 0; n == 1 && i < m->n; i++)
		if (m->pos[i] == pos[0])
			assert_int_equal(m->caps[i].time, last);
}

static void check_page(struct cfs_walk *w, const struct model *m)
{
	unsigned best = model_preferred(m), rank = 0;
	struct cfs_page page;
	cfs_pos pos;

	check_originals(w, m, NULL);
	for (unsigned i = 0; i < m->n; i++) {
		assert_int_equal(cfs_page_load(w, m->pos[i], &page), CFS_OK);
		assert_int_equal(page.captures, m->n);
		assert_int_equal(page.first, m->pos[0]);
		assert_int_equal(page.preferred, m->pos[best]);
		assert_true(page.is_shown);
		if (i == best)
			continue;
		assert_int_equal(page.rank, rank++);
		assert_int_equal(cfs_page_nth(w, rank, &pos), CFS_OK);
		assert_int_equal(pos, m->pos[i]);
	}
	assert_int_equal(cfs_page_nth(w, rank + 1, &pos), CFS_ENOTFOUND);
	assert_int_equal(cfs_page_nth(w, 0, &pos), CFS_ENOTFOUND);
	for (unsigned i = 0; i < 200; i++) {
		int64_t t = i == 0 ? 0 : FIRST_TIME - 20 + i;

		assert_int_equal(cfs_page_nearest(w, t, &pos), CFS_OK);
		assert_int_equal(pos, m->pos[model_nearest(m, t)]);
		check_originals(w, m, &t);
		check_others(w, m, t);
	}
}

/* Narrows the times, which leaves the first page of captures out. */
static void leave_out(struct cfs_crawl *c)
{
	struct cfs_conditions of = {
		.dates = { .has_from = true, .from = FIRST_TIME + 30,
			   .has_to = true, .to = FIRST_TIME + 90 } };

	assert_int_equal(cfs_picked_wrap(&c->index, &of, NULL, NULL), CFS_OK);
}

static void found(const struct page *p, size_t mem_bytes, bool dated)
{
	for (enum shape shape = CFX; shape < SHAPES; shape++) {
		struct cfs_crawl c;
		struct cfs_walk *w;
		struct cfs_buf key;
		struct model m;

		open_page(&c, shape, p, mem_bytes);
		if (dated)
			leave_out(&c);
		assert_int_equal(cfs_walk_begin(&w, &c, NULL,
						CFS_CTX(NULL, NULL)),
				 CFS_OK);
		cfs_buf_init(&key, CFS_KEY_MAX);
		assert_int_equal(cfs_index_url_key(c.index, CFS_SLICE_LIT(URL),
						   &key), CFS_OK);
		assert_int_equal(cfs_index_split(c.index, cfs_buf_slice(&key),
						 &w->child), CFS_OK);
		model_read(&m, w);
		check_page(w, &m);
		model_free(&m);
		cfs_buf_release(&key);
		cfs_walk_end(w);
		close_counted(&c);
	}
}

static void few(void **state)
{
	struct page p = { 30, 120, true };

	(void)state;
	found(&p, CACHE, false);
	found(&p, CACHE, true);
}

static void many(void **state)
{
	struct page p = { 700, 120, true };

	(void)state;
	found(&p, CACHE, false);
	found(&p, CACHE, true);
}

static void of_one_second(void **state)
{
	struct page p = { 300, 1, true };

	(void)state;
	found(&p, CACHE, false);
}

/* More than is kept of a page. */
static void thinned(void **state)
{
	struct page p = { 700, 120, true };

	(void)state;
	found(&p, 1 << 16, false);
	found(&p, 1 << 16, true);
}

/* ---- what it takes ---- */

struct names {
	unsigned n, left;
	uint64_t cookie;
	cfs_pos *pos;		/* or NULL */
};

static int on_name(void *arg, struct cfs_slice name,
		   const struct cfs_node *node, uint64_t cookie)
{
	struct names *l = arg;

	(void)name;
	if (l->left-- == 0)
		return 1;
	l->cookie = cookie;
	if (l->pos != NULL)
		l->pos[l->n] = node->pos;
	l->n++;
	return 0;
}

/* All names of the page's directory, 100 at a time, by cookies alone. */
static void list_all(struct cfs_crawl *c, struct names *l)
{
	struct cfs_node dir = dir_of(c);
	unsigned before;

	do {
		before = l->n;
		l->left = 100;
		assert_int_equal(cfs_tree_list(c, &dir, 1u << CFS_VIEW_RAW,
					       l->cookie, 0, on_name, l,
					       CFS_CTX(NULL, NULL)), CFS_OK);
	} while (l->n > before);
}

static void task_list(struct cfs_crawl *c, unsigned n)
{
	struct names l = { 0 };

	list_all(c, &l);
	assert_int_equal(l.n, (n + 1) << c->index->is_merged);
}

static void look_up(struct cfs_crawl *c, const char *name)
{
	struct cfs_node dir = dir_of(c), node;

	assert_int_equal(cfs_tree_lookup(c, &dir, cfs_slice_str(name), &node,
					 CFS_CTX(NULL, NULL)), CFS_OK);
}

static void task_numbers(struct cfs_crawl *c, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		char name[40];

		snprintf(name, sizeof(name), "_index#%u", i);
		look_up(c, name);
	}
}

static void task_dates(struct cfs_crawl *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[40];

		snprintf(name, sizeof(name), "_index#@200109%02u%02u%02u%02u",
			 1 + i % 30, i % 24, i % 60, i % 59);
		look_up(c, name);
	}
}

static cfs_pos *positions(struct cfs_crawl *c, unsigned n)
{
	struct names l = { .pos = calloc(2 * n + 4, sizeof(*l.pos)) };

	assert_non_null(l.pos);
	list_all(c, &l);
	return l.pos;
}

static void task_paths(struct cfs_crawl *c, unsigned n)
{
	cfs_pos *pos = positions(c, n);

	for (unsigned i = 0; i < n; i++) {
		struct cfs_node node = { .type = CFS_NODE_FILE, .pos = pos[i],
					 .view = CFS_VIEW_RAW };
		struct cfs_buf path;

		cfs_buf_init(&path, 1 << 16);
		assert_int_equal(cfs_tree_path(c, &node, &path,
					       CFS_CTX(NULL, NULL)),
				 CFS_OK);
		cfs_buf_release(&path);
	}
	free(pos);
}

/* From each to the one after it, as what reads ahead does. */
static void task_next(struct cfs_crawl *c, unsigned n)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	cfs_pos *pos = positions(c, n);

	assert_non_null(it);
	for (unsigned i = 0; i < n; i++) {
		cfs_iter_init(it);
		assert_int_equal(cfs_index_at(c->index, pos[i], it,
					      CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(cfs_index_next(it,
						CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(it->pos, pos[i + 1]);
		cfs_iter_release(it);
	}
	free(it);
	free(pos);
}

static void task_hidden(struct cfs_crawl *c, unsigned n)
{
	struct cfs_node dir, node;

	/* the page's captures are all left out: nothing has its name */
	dir = dir_of(c);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(cfs_tree_lookup(c, &dir,
						 CFS_SLICE_LIT("_index#1"),
						 &node, CFS_CTX(NULL, NULL)),
			CFS_ENOTFOUND);
}

struct task {
	const char *name;
	void (*run)(struct cfs_crawl *c, unsigned n);
	bool hides;
};
static struct task tasks[] = {
	/* Holds L60. */
	{ "a listing in pieces", task_list, false },
	/* Holds L60. */
	{ "look-ups by number", task_numbers, false },
	/* Holds L60. */
	{ "look-ups by date", task_dates, false },
	/* Holds L60. */
	{ "paths", task_paths, false },
	/* Holds L60. */
	{ "reading on from each", task_next, false },
	/* Holds L60. */
	{ "look-ups of what is left out", task_hidden, true },
};

static uint64_t work_of(const struct task *t, enum shape shape, unsigned n)
{
	struct page p = { n, 2000000, false };
	struct cfs_conditions none = {
		.dates = { .has_from = true, .from = 2000000000 } };
	struct cfs_crawl c;
	uint64_t out;

	open_page(&c, shape, &p, 64 << 20);
	if (t->hides)
		assert_int_equal(cfs_picked_wrap(&c.index, &none, NULL,
						 NULL), CFS_OK);
	t->run(&c, n);
	out = work;
	close_counted(&c);
	return out;
}

/* Eight times the captures take about eight times the work. */
static void linear(void **state)
{
	const struct task *t = *state;

	for (enum shape shape = CFX; shape < SHAPES; shape++) {
		uint64_t less = work_of(t, shape, 1000);
		uint64_t more = work_of(t, shape, 8000);

		print_message("%s, %s: %llu and %llu entries\n", t->name,
			      shape_names[shape], (unsigned long long)less,
			      (unsigned long long)more);
		assert_true(more <= 10 * less);
	}
}

UNIT_PROGRAM
{
	struct CMUnitTest tests[4 + COUNT(tasks)] = {
		cmocka_unit_test(few),
		cmocka_unit_test(many),
		cmocka_unit_test(of_one_second),
		cmocka_unit_test(thinned),
	};

	for (size_t i = 0; i < COUNT(tasks); i++)
		tests[4 + i] = (struct CMUnitTest){
			tasks[i].name, linear, NULL, NULL, &tasks[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
