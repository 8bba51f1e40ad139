/* tree_alloc_test.c - the 1st, 2nd, 3rd ... allocation fails while a tree is
 * opened, listed, named and looked up: each call says CFS_ENOMEM, or gives
 * just what it gives otherwise.  Nothing is leaked (ASan looks on).
 *
 * The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "alloc_fail.h"
#include "base/hash.h"
#include "crawl/captures.h"
#include "crawl/cuts.h"
#include "crawl/page.h"
#include "crawl/tree.h"
#include "format/open_index.h"
#include "crawl/ino.h"
#include "index/index.h"
#include "indexing/builder.h"

#define CAPTURES_OF_ONE 200u	/* so many that page.c keeps a memo */
#define NAMES_MAX 2000u
#define LEVELS_MAX 8u

static const char *const urls[] = {
	"http://a.b/", "http://a.b/x", "http://a.b/x/y", "http://a.b/x.txt",
	"http://a.b/x/y?q", "https://c.b/_index", "http://c.b:81/p#f",
	"ftp://d/e//f",
};

static void add(struct cfs_builder *b, const char *url, unsigned i)
{
	struct cfs_builder_capture cap = {
		.url = cfs_slice_str(url), .kind = CFS_KIND_RESPONSE,
		.time = 1000 + i, .status = 200,
		.mime = CFS_SLICE_LIT("text/html"),
		.span.offset = 100 * i, .span.length = 50,
		.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY,
	};

	assert_int_equal(cfs_builder_add(b, 0, &cap, NULL), CFS_OK);
}

static void write_index(const char *path)
{
	static const struct cfs_builder_archive archive = { .name = "x.warc.gz", .size = 1,
		.mtime = 1 };
	struct cfs_builder_opts o = { .path = path, .format = CFS_INDEX_CFX,
				      .memory_bytes = 1 << 20, .threads = 1,
				      .archives = &archive, .n_archives = 1 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	unsigned i = 0;

	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (; i < sizeof(urls) / sizeof(urls[0]); i++)
		add(b, urls[i], i);
	for (unsigned k = 0; k < CAPTURES_OF_ONE; k++)
		add(b, "http://a.b/many", i++);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
}

/* ---- one attempt ------------------------------------------------------ */

/* One thread's whole visit: scratch that threads keep must be rebuilt. */
struct visit {
	const char *path;
	struct cfs_crawl c;
	bool failed;
	uint64_t seen;		/* a hash over all answers */
	unsigned n;		/* answers */
};

static void note(struct visit *v, struct cfs_slice s, uint64_t number)
{
	v->seen = cfs_hash64(s, v->seen ^ number);
	v->n++;
}

/* False: it failed, and must have said why. */
static bool worked(struct visit *v, int rc)
{
	if (rc == CFS_OK)
		return true;
	assert_int_equal(rc, CFS_ENOMEM);
	v->failed = true;
	return false;
}

struct name {
	char text[CFS_NAME_MAX + 1];
	struct cfs_node node;
	uint64_t cookie;
};

struct list {
	struct name v[NAMES_MAX];
	unsigned n, stop_at;
};

static int collect(void *arg, struct cfs_slice name, const struct cfs_node *node,
		   uint64_t cookie)
{
	struct list *l = arg;

	if (l->n == l->stop_at)
		return 1;
	assert_true(l->n < NAMES_MAX);
	memcpy(l->v[l->n].text, name.p, name.n);
	l->v[l->n].text[name.n] = '\0';
	l->v[l->n].node = *node;
	l->v[l->n++].cookie = cookie;
	return 0;
}

static struct list lists[LEVELS_MAX];

static void ask_names(struct visit *v, const struct cfs_node *dir,
		      const struct name *e)
{
	struct cfs_node found, up;
	struct cfs_buf path;

	if (worked(v, cfs_tree_lookup(&v->c, dir, cfs_slice_str(e->text),
				      &found, CFS_CTX(NULL, NULL))))
		note(v, CFS_SLICE_EMPTY, cfs_ino_of(&found));
	if (worked(v, cfs_tree_parent(&v->c, &e->node, &up,
				      CFS_CTX(NULL, NULL))))
		note(v, CFS_SLICE_EMPTY, cfs_ino_of(&up));
	cfs_buf_init(&path, 1 << 16);
	if (worked(v, cfs_tree_path(&v->c, &e->node, &path,
				    CFS_CTX(NULL, NULL)))) {
		note(v, cfs_buf_slice(&path), 0);
		if (worked(v, cfs_tree_walk(&v->c, cfs_buf_slice(&path), &found,
					    CFS_CTX(NULL, NULL))))
			note(v, CFS_SLICE_EMPTY, cfs_ino_of(&found));
	}
	cfs_buf_release(&path);
}

/* Lists in two halves, so that the second resumes. */
static void list_dir(struct visit *v, const struct cfs_node *dir,
		     struct list *l)
{
	l->n = 0;
	l->stop_at = 3;
	if (!worked(v, cfs_tree_list(&v->c, dir, CFS_VIEWS_DEFAULT, 0, 2,
				     collect, l, CFS_CTX(NULL, NULL))))
		return;
	if (l->n == l->stop_at) {
		l->stop_at = NAMES_MAX;
		worked(v, cfs_tree_list(&v->c, dir, CFS_VIEWS_DEFAULT,
					l->v[2].cookie, 2, collect, l,
					CFS_CTX(NULL, NULL)));
	}
}

static void visit_dir(struct visit *v, const struct cfs_node *dir,
		      unsigned level)
{
	struct list *l = &lists[level];

	assert_true(level < LEVELS_MAX);
	list_dir(v, dir, l);
	for (unsigned i = 0; i < l->n && !v->failed; i++) {
		note(v, cfs_slice_str(l->v[i].text), cfs_ino_of(&l->v[i].node));
		/* of many alike a few are enough */
		if (l->n < 50 || i % 97 == 0)
			ask_names(v, dir, &l->v[i]);
		if (l->v[i].node.type == CFS_NODE_DIR)
			visit_dir(v, &l->v[i].node, level + 1);
	}
}

static void ask_urls(struct visit *v)
{
	static struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_node n;

	for (unsigned i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		if (!worked(v, cfs_tree_find_url(&v->c, cfs_slice_str(urls[i]),
						 &n, CFS_CTX(NULL, NULL))))
			continue;
		note(v, CFS_SLICE_EMPTY, cfs_ino_of(&n));
		cfs_iter_init(&it);
		if (worked(v, cfs_index_at(v->c.index, n.pos, &it,
					   CFS_CTX(NULL, NULL))) &&
		    worked(v, cfs_index_capture(&it, &cap, NULL)))
			note(v, CFS_SLICE_EMPTY, (uint64_t)cap.time);
		cfs_iter_release(&it);
	}
}

static void *attempt(void *arg)
{
	struct visit *v = arg;
	struct cfs_node root = cfs_tree_root(0);
	struct cfs_source *src;

	if (!worked(v, cfs_source_open_file(&src, v->path, NULL)))
		return NULL;
	if (!worked(v, cfs_index_open(&v->c.index, src, 1 << 20, NULL)))
		return NULL;
	v->c.pages = cfs_captures_cache_new(1 << 24);
	v->c.cuts = cfs_cuts_cache_new(1 << 24);
	if (v->c.pages != NULL && v->c.cuts != NULL) {
		visit_dir(v, &root, 0);
		if (!v->failed)
			ask_urls(v);
	} else {
		v->failed = true;
	}
	cfs_lru_free(v->c.pages);
	cfs_lru_free(v->c.cuts);
	cfs_index_close(v->c.index);
	return NULL;
}

static void run(struct visit *v, const char *path)
{
	pthread_t t;

	memset(v, 0, sizeof(*v));
	v->path = path;
	assert_int_equal(pthread_create(&t, NULL, attempt, v), 0);
	pthread_join(t, NULL);
}

static void reading_a_tree(void **state)
{
	char path[] = "/tmp/cfs-treealloc-XXXXXX";
	int fd = mkstemp(path);
	unsigned failed = 0;
	bool reached = true;
	struct visit whole, v;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_index(path);
	run(&whole, path);
	assert_false(whole.failed);
	assert_true(whole.n > CAPTURES_OF_ONE);
	for (long i = 0; reached; i++) {
		countdown = i;
		run(&v, path);
		reached = countdown < 0;
		countdown = -1;
		failed += v.failed;
		/* a memo may be done without, an answer not */
		if (!v.failed) {
			assert_int_equal(v.n, whole.n);
			assert_true(v.seen == whole.seen);
		}
	}
	unlink(path);
	assert_true(failed > 20);
}

UNIT_PROGRAM
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(reading_a_tree),
	};

	return cmocka_run_group_tests_name("tree_alloc", t, NULL, NULL);
}
