/* Holds L72. */
/* cuts_test.c - names that are cut: what is listed is found, by work that grows
 * with the names of a folder and not with their square.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "count_work.h"
#include "crawl/tree.h"
#include "rng.h"

#define NAME_BYTES 260

/* ---- crawls of one folder ---- */

/* Component i: half begin alike, further than names are cut; some are short,
 * some are folders. */
static void make_url(char *out, size_t room, unsigned i)
{
	char fill[NAME_BYTES];

	memset(fill, i % 2 ? 'x' : 'y', sizeof(fill));
	if (i % 10 == 9)
		snprintf(out, room, "http://a.example/d/%u", i);
	else
		snprintf(out, room, "http://a.example/d/%.*s%08u%.*s%s",
			 i % 2 ? NAME_BYTES - 20 : 0, fill, i * 7919 % 100003,
			 i % 2 ? 0 : NAME_BYTES - 20, fill,
			 i % 3 == 0 ? "/below" : "");
}

static void add_names(struct cfs_builder *b, const void *arg, unsigned member)
{
	unsigned n = *(const unsigned *)arg;

	for (unsigned i = member; i < n; i++) {
		char url[NAME_BYTES + 60];
		struct cfs_builder_capture cap = {
			.kind = CFS_KIND_RESPONSE, .time = 1000000000 + i,
			.status = 200, .mime = CFS_SLICE_LIT("text/html"),
			.span.offset = 1000 * (2 * i + member),
			.span.length = 50,
			.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
			.refers_to = CFS_SLICE_EMPTY,
		};

		make_url(url, sizeof(url), i);
		cap.url = cfs_slice_str(url);
		assert_int_equal(cfs_builder_add(b, 0, &cap, NULL), CFS_OK);
	}
}

static void open_folder(struct cfs_crawl *c, enum shape shape, unsigned n,
			size_t mem_bytes)
{
	open_counted(c, shape, add_names, &n, mem_bytes);
}

static struct cfs_node dir_of(struct cfs_crawl *c)
{
	struct cfs_node dir;

	assert_int_equal(cfs_tree_walk(c, CFS_SLICE_LIT("example/a/_/d"), &dir,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	return dir;
}

/* ---- names ---- */

struct listed {
	char name[CFS_NAME_MAX + 1];
	struct cfs_node node;
};

struct names {
	unsigned n, room;
	struct listed *v;
};

static int on_name(void *arg, struct cfs_slice name,
		   const struct cfs_node *node, uint64_t cookie)
{
	struct names *l = arg;

	(void)cookie;
	assert_true(l->n < l->room && name.n <= CFS_NAME_MAX);
	memcpy(l->v[l->n].name, name.p, name.n);
	l->v[l->n].name[name.n] = '\0';
	l->v[l->n++].node = *node;
	return 0;
}

/* All names of the folder, in an order that no index has. */
static void names_of(struct cfs_crawl *c, unsigned n, struct names *out)
{
	struct cfs_node dir = dir_of(c);
	uint64_t rng = 1;

	*out = (struct names){ .room = 2 * n, .v = calloc(2 * n,
							  sizeof(*out->v)) };
	assert_non_null(out->v);
	assert_int_equal(cfs_tree_list(c, &dir, 1u << CFS_VIEW_RAW, 0, 0,
				       on_name, out,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	for (unsigned i = out->n; i > 1; i--) {
		unsigned k = (unsigned)rng_below(&rng, i);
		struct listed one = out->v[k];

		out->v[k] = out->v[i - 1];
		out->v[i - 1] = one;
	}
}

static void look_up_all(struct cfs_crawl *c, const struct names *l)
{
	struct cfs_node dir = dir_of(c), node;

	for (unsigned i = 0; i < l->n; i++) {
		assert_int_equal(cfs_tree_lookup(c, &dir,
						 cfs_slice_str( l->v[i].name),
						 &node,
						 CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(node.pos, l->v[i].node.pos);
		assert_int_equal(node.type, l->v[i].node.type);
	}
}

/* Names that are cut, and nobody's. */
static void look_up_none(struct cfs_crawl *c, const struct names *l)
{
	struct cfs_node dir = dir_of(c), node;

	for (unsigned i = 0; i < l->n; i++) {
		char name[CFS_NAME_MAX + 1];
		size_t n = strlen(l->v[i].name);

		if (strstr(l->v[i].name, "#x") == NULL)
			continue;
		memcpy(name, l->v[i].name, n);
		name[i % 2 ? n - 1 : 5] ^= i % 2 ? 1 : 8;
		if (strchr("0123456789abcdef", name[n - 1]) == NULL)
			name[n - 1] = '0';	/* the other digits suffice */
		assert_int_equal(cfs_tree_lookup(c, &dir, cfs_slice_of(name, n),
						 &node, CFS_CTX(NULL, NULL)),
				 CFS_ENOTFOUND);
	}
}

/* Looks n names and nobody's up, with so much memory; the entries that were
 * looked at. */
static uint64_t found_in(enum shape shape, unsigned n, size_t mem_bytes)
{
	struct cfs_crawl c;
	struct names l;
	uint64_t out;

	open_folder(&c, shape, n, mem_bytes);
	names_of(&c, n, &l);
	assert_true(l.n >= n);
	work = 0;
	look_up_none(&c, &l);
	look_up_all(&c, &l);
	look_up_none(&c, &l);
	out = work;
	free(l.v);
	close_counted(&c);
	return out;
}

static void found(void **state)
{
	(void)state;
	for (enum shape shape = CFX; shape < SHAPES; shape++)
		found_in(shape, 1000, CACHE);
}

/* Stretches that are dropped are read again, again and again: the square of the
 * names is what this takes. */
static void found_in_little_memory(void **state)
{
	(void)state;
	for (enum shape shape = CFX; shape < SHAPES; shape++) {
		uint64_t all = found_in(shape, 300, CACHE);
		uint64_t little = found_in(shape, 300, 1 << 12);

		print_message("%s: %llu and %llu entries\n",
			      shape_names[shape], (unsigned long long)all,
			      (unsigned long long)little);
		assert_true(little > 8 * all);
	}
}

/* ---- what it takes ---- */

static uint64_t work_of(enum shape shape, unsigned n, bool is_there)
{
	struct cfs_crawl c;
	struct names l;
	uint64_t out;

	open_folder(&c, shape, n, 64 << 20);
	names_of(&c, n, &l);
	work = 0;
	if (is_there)
		look_up_all(&c, &l);
	else
		look_up_none(&c, &l);
	out = work;
	free(l.v);
	close_counted(&c);
	return out;
}

/* Eight times the names take about eight times the work. */
/* Holds L72. */
static void linear(void **state)
{
	(void)state;
	for (enum shape shape = CFX; shape < SHAPES; shape++)
		for (unsigned there = 0; there < 2; there++) {
			uint64_t less = work_of(shape, 1000, there);
			uint64_t more = work_of(shape, 8000, there);

			print_message("%s, %s: %llu and %llu entries\n",
				      shape_names[shape],
				      there ? "there" : "not there",
				      (unsigned long long)less,
				      (unsigned long long)more);
			assert_true(more <= 10 * less);
		}
}

/* One look-up reads the folder as far as its name, and not as far again. */
/* Holds L72. */
static void alone(void **state)
{
	static const unsigned at[] = { 0, 40, 1000, 2400 };

	(void)state;
	for (size_t i = 0; i < COUNT(at); i++) {
		struct names l = { .room = 3000, .v = calloc(3000,
							     sizeof(*l.v)) };
		struct cfs_node dir, node;
		struct cfs_crawl c;
		unsigned k = at[i];

		assert_non_null(l.v);
		open_folder(&c, CDX, 3000, CACHE);
		dir = dir_of(&c);
		assert_int_equal(cfs_tree_list(&c, &dir, 1u << CFS_VIEW_RAW, 0,
					       0, on_name, &l,
					       CFS_CTX(NULL, NULL)),
				 CFS_OK);
		while (strstr(l.v[k].name, "#x") == NULL)
			k++;
		work = 0;
		assert_int_equal(cfs_tree_lookup(&c, &dir,
						 cfs_slice_str( l.v[k].name),
						 &node,
						 CFS_CTX(NULL, NULL)), CFS_OK);
		assert_true(work <= 2 * (k + CFS_CUTS_FIRST) + 40);
		free(l.v);
		close_counted(&c);
	}
}

UNIT_PROGRAM
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),
		cmocka_unit_test(found_in_little_memory),
		cmocka_unit_test(linear),
		cmocka_unit_test(alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
