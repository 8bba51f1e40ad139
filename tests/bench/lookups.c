/* lookups.c - how many URLs a second the indexes of `make bench` find.
 *
 *     lookups build cfx|pbtree N FILE     N made-up URLs into an index
 *     lookups depth FILE                  blocks from the root to an entry
 *     lookups paths N COUNT               tree paths of COUNT of N URLs
 *     lookups KIND COUNT RUNS MIB N FILE [N FILE]...
 *         KIND hit: cfs_index_seek of keys that are there
 *              miss: of keys that are not
 *              tree: cfs_tree_lookup of every component of a path
 *         with MIB of block cache each.  One line a run and file: "N COUNT
 *         SECONDS", the files in turn within a run.
 *
 * Each file is asked for COUNT other keys first, untimed.  URL n of N is a
 * function of n alone: hosts of about 60 pages, paths of three components.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench.h"

#include <string.h>

#include "crawl/crawl.h"
#include "crawl/tree.h"
#include "format/cfx/cfx.h"
#include "format/open_index.h"
#include "format/pbtree/pbtree.h"
#include "index/index.h"
#include "indexing/builder.h"
#include "source/source.h"

#define PAGES_PER_HOST 60u
#define KEY_BYTES_MAX 512u
#define FILES_MAX 8u
#define LEVELS_MAX 64u
#define BUILD_MEMORY (256u << 20)
#define CFX_LEVELS_OFF 28u	/* crawlfs-index(5): number of levels */
#define DAYS_30 2592000u

static void check(int rc, const struct cfs_error *err)
{
	if (rc != CFS_OK)
		bench_die("%s: %s", err->where, err->text);
}

/* ---- made-up URLs ----------------------------------------------------- */

/* splitmix64: a good shuffle of n. */
static uint64_t mix(uint64_t n)
{
	n += UINT64_C(0x9E3779B97F4A7C15);
	n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
	return n ^ n >> 31;
}

static const char *word(uint64_t h)
{
	static const char *const words[] = {
		"about", "archive", "article", "blog", "books", "catalog",
		"category", "contact", "design", "download", "events", "faq",
		"forum", "gallery", "garden", "health", "history", "index",
		"library", "manual", "members", "music", "news", "notes",
		"photo", "press", "products", "recipe", "review", "search",
		"shop", "software", "sport", "story", "tag", "team",
		"travel", "user", "video", "weather", "wiki", "world",
	};

	return words[h % (sizeof(words) / sizeof(*words))];
}

struct url_parts {
	const char *tld, *host_word, *dir, *dir2, *page;
	unsigned host, number;
};

static void url_parts(struct url_parts *u, uint64_t n, uint64_t total)
{
	static const char *const tlds[] = {
		"com", "com", "com", "com", "org", "net", "de", "info",
	};
	uint64_t host = mix(n) % (total / PAGES_PER_HOST + 1);
	uint64_t h = mix(host + 1000000007), p = mix(n ^ 0x5555);

	u->tld = tlds[h % 8];
	u->host_word = word(h >> 8);
	u->host = (unsigned)host;
	u->dir = word(p % 7 + h);
	u->dir2 = word((p >> 8) % 11 + h);
	u->page = word(p >> 16);
	u->number = (unsigned)n;
}

/* A missing one differs in its last byte, so that a seek goes as deep. */
static void add_url(struct cfs_buf *out, uint64_t n, uint64_t total, bool missing)
{
	struct url_parts u;

	url_parts(&u, n, total);
	cfs_buf_addf(out, "http://www.%s%u.%s/%s/%s/%s-%u.htm%c", u.host_word,
		     u.host, u.tld, u.dir, u.dir2, u.page, u.number,
		     missing ? 'k' : 'l');
}

static void add_path(struct cfs_buf *out, uint64_t n, uint64_t total)
{
	struct url_parts u;

	url_parts(&u, n, total);
	cfs_buf_addf(out, "%s/%s%u/www/_/%s/%s/%s-%u.html", u.tld, u.host_word,
		     u.host, u.dir, u.dir2, u.page, u.number);
}

/* The i-th of a random sequence of URLs below total. */
static uint64_t pick(uint64_t seed, uint64_t i, uint64_t total)
{
	return mix(mix(seed) + i) % total;
}

/* ---- building --------------------------------------------------------- */

static void add_capture(struct cfs_builder *b, uint64_t n, uint64_t total,
			struct cfs_buf *url)
{
	struct cfs_builder_capture cap = {
		.kind = CFS_KIND_ARC,
		.time = 1346846400 + (int64_t)(mix(n + 3) % DAYS_30),
		.status = 200,
		.mime = CFS_SLICE_LIT("text/html"),
		.archive = 0,
		.span.offset = n * 12000,
		.span.length = 4000 + (uint32_t)(mix(n + 1) % 16000),
		.body_is_exact = true,
		.body_bytes = 10000 + (uint32_t)(mix(n + 2) % 90000),
		.record_id = CFS_SLICE_EMPTY,
		.digest = CFS_SLICE_EMPTY,
		.refers_to = CFS_SLICE_EMPTY,
	};
	struct cfs_error err = { 0 };

	cfs_buf_reset(url);
	add_url(url, n, total, false);
	cap.url = cfs_buf_slice(url);
	check(cfs_builder_add(b, 0, &cap, &err), &err);
}

static void build(const char *format, uint64_t total, const char *path)
{
	const struct cfs_builder_archive archive = {
		.name = "segment/1346823845675/1346864466526_10.arc.gz" };
	const struct cfs_builder_opts opts = {
		.path = path,
		.format = strcmp(format, "pbtree") == 0 ? CFS_INDEX_PBTREE
							: CFS_INDEX_CFX,
		.memory_bytes = BUILD_MEMORY,
		.threads = 1,
		.archives = &archive,
		.n_archives = 1,
	};
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_error err = { 0 };
	struct cfs_buf url;
	double t0 = bench_now_s();

	cfs_buf_init(&url, KEY_BYTES_MAX);
	check(cfs_builder_new(&b, &opts, &err), &err);
	for (uint64_t n = 0; n < total; n++)
		add_capture(b, n, total, &url);
	check(cfs_builder_finish(b, &counts, &err), &err);
	cfs_builder_free(b);
	cfs_buf_release(&url);
	if (counts.captures != total)
		bench_die("only %" PRIu64 " captures in '%s'", counts.captures,
			  path);
	bench_print(counts.file_bytes, bench_now_s() - t0);
}

/* ---- depth ------------------------------------------------------------ */

/* First pointers lead to the left-most data block: all are equally deep. */
static uint32_t pbtree_depth(struct cfs_source *src, const uint8_t *head)
{
	uint32_t block_bytes = cfs_le32_get(head);
	uint32_t index_blocks = cfs_le32_get(head + 4), at = 0, depth = 1;
	struct cfs_error err = { 0 };
	uint8_t p[4];

	for (; at < index_blocks && depth < LEVELS_MAX; depth++) {
		check(cfs_source_read(src, p, sizeof(p),
				      8 + (uint64_t)at * block_bytes,
				      CFS_CTX(NULL, &err)), &err);
		at = cfs_le32_get(p);
	}
	return depth;
}

static void print_depth(const char *path)
{
	struct cfs_error err = { 0 };
	struct cfs_source *src;
	uint8_t head[CFX_LEVELS_OFF + 4];

	check(cfs_source_open_file(&src, path, &err), &err);
	check(cfs_source_read(src, head, sizeof(head), 0,
			      CFS_CTX(NULL, &err)), &err);
	if (cfs_cfx_is_magic(cfs_slice_of(head, sizeof(head))))
		printf("%u\n", cfs_le32_get(head + CFX_LEVELS_OFF));
	else
		printf("%u\n", pbtree_depth(src, head));
	cfs_source_close(src);
}

static void print_paths(uint64_t total, uint64_t count)
{
	struct cfs_buf line;

	cfs_buf_init(&line, KEY_BYTES_MAX);
	for (uint64_t i = 0; i < count; i++) {
		cfs_buf_reset(&line);
		add_path(&line, pick(7, i, total), total);
		puts(cfs_buf_str(&line));
	}
	cfs_buf_release(&line);
}

/* ---- lookups ---------------------------------------------------------- */

enum kind { KIND_HIT, KIND_MISS, KIND_TREE };

struct subject {
	uint64_t total;
	struct cfs_crawl *crawl;	/* KIND_TREE */
	struct cfs_index *ix;		/* else */
};

/* `count` keys or paths, made before the clock starts. */
struct batch {
	struct cfs_buf bytes;
	size_t *off;			/* count + 1 */
	uint64_t count;
};

static void open_subject(struct subject *s, enum kind kind, uint64_t total,
			 const char *path, uint64_t cache_bytes)
{
	/* A crawl gives half of its memory to index blocks. */
	const struct cfs_crawl_opts opts = { .mem_bytes = 2 * cache_bytes };
	struct cfs_error err = { 0 };
	struct cfs_source *src;

	*s = (struct subject){ .total = total };
	if (kind == KIND_TREE) {
		check(cfs_crawl_open(&s->crawl, path, &opts, &err), &err);
		return;
	}
	check(cfs_source_open_file(&src, path, &err), &err);
	check(cfs_index_open(&s->ix, src, (size_t)cache_bytes, &err), &err);
}

static void close_subject(struct subject *s)
{
	cfs_crawl_close(s->crawl);
	cfs_index_close(s->ix);
}

static void fill_batch(struct batch *b, const struct subject *s, enum kind kind,
		       uint64_t seed)
{
	struct cfs_buf url;

	cfs_buf_init(&url, KEY_BYTES_MAX);
	cfs_buf_reset(&b->bytes);
	for (uint64_t i = 0; i < b->count; i++) {
		uint64_t n = pick(seed, i, s->total);

		b->off[i] = b->bytes.n;
		cfs_buf_reset(&url);
		if (kind == KIND_TREE) {
			add_path(&b->bytes, n, s->total);
			continue;
		}
		add_url(&url, n, s->total, kind == KIND_MISS);
		if (cfs_index_url_key(s->ix, cfs_buf_slice(&url),
				      &b->bytes) != CFS_OK)
			bench_die("no key for '%s'", cfs_buf_str(&url));
	}
	b->off[b->count] = b->bytes.n;
	cfs_buf_release(&url);
	if (b->bytes.failed != CFS_OK)
		bench_die("out of memory");
}

static struct cfs_slice batch_item(const struct batch *b, uint64_t i)
{
	return cfs_slice_sub(cfs_buf_slice(&b->bytes), b->off[i],
			     b->off[i + 1] - b->off[i]);
}

static uint64_t seek_all(const struct subject *s, const struct batch *b,
			 bool missing)
{
	static struct cfs_iter it;
	struct cfs_error err = { 0 };

	cfs_iter_init(&it);
	for (uint64_t i = 0; i < b->count; i++) {
		struct cfs_slice key = batch_item(b, i);
		int rc = cfs_index_seek(s->ix, key, &it, CFS_CTX(NULL, &err));

		if (rc != CFS_END)
			check(rc, &err);
		if (missing == (rc == CFS_OK && cfs_slice_eq(it.key, key)))
			bench_die("a key is %s", missing ? "there" : "missing");
	}
	cfs_iter_release(&it);
	return b->count;
}

static uint64_t walk_all(const struct subject *s, const struct batch *b)
{
	struct cfs_error err = { 0 };
	uint64_t n = 0;

	for (uint64_t i = 0; i < b->count; i++) {
		struct cfs_slice rest = batch_item(b, i);
		struct cfs_node node = cfs_tree_root(0), below;

		while (rest.n > 0) {
			ptrdiff_t slash = cfs_slice_find(rest, '/');
			size_t len = slash < 0 ? rest.n : (size_t)slash;

			check(cfs_tree_lookup(s->crawl, &node,
					      cfs_slice_sub(rest, 0, len),
					      &below,
					      CFS_CTX(NULL, &err)), &err);
			rest = cfs_slice_from(rest, slash < 0 ? len : len + 1);
			node = below;
			n++;
		}
	}
	return n;
}

/* Looks the batch up and returns how many look-ups that took. */
static uint64_t look_up(const struct subject *s, const struct batch *b,
			enum kind kind)
{
	if (kind == KIND_TREE)
		return walk_all(s, b);
	return seek_all(s, b, kind == KIND_MISS);
}

static void run(enum kind kind, const struct subject *s, unsigned n_files,
		unsigned runs, struct batch *b)
{
	for (unsigned f = 0; f < n_files; f++) {
		fill_batch(b, &s[f], kind, 1);
		look_up(&s[f], b, kind);
	}
	for (unsigned r = 0; r < runs; r++)
		for (unsigned f = 0; f < n_files; f++) {
			uint64_t n;
			double t0;

			fill_batch(b, &s[f], kind, r + 2);
			t0 = bench_now_s();
			n = look_up(&s[f], b, kind);
			printf("%" PRIu64 " ", s[f].total);
			bench_print(n, bench_now_s() - t0);
		}
}

static void time_lookups(enum kind kind, int argc, char **argv)
{
	struct subject s[FILES_MAX];
	struct batch b = { .count = bench_number(argv[0]) };
	unsigned runs = (unsigned)bench_number(argv[1]), n_files = 0;
	uint64_t cache_bytes = bench_number(argv[2]) << 20;

	cfs_buf_init(&b.bytes, SIZE_MAX / 2);
	b.off = calloc(b.count + 1, sizeof(*b.off));
	if (b.off == NULL)
		bench_die("out of memory");
	for (int i = 3; i + 1 < argc && n_files < FILES_MAX; i += 2)
		open_subject(&s[n_files++], kind, bench_number(argv[i]),
			     argv[i + 1], cache_bytes);
	run(kind, s, n_files, runs, &b);
	while (n_files > 0)
		close_subject(&s[--n_files]);
	cfs_buf_release(&b.bytes);
	free(b.off);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "hit", "miss", "tree" };
	const char *what = argc > 2 ? argv[1] : "";

	for (int k = KIND_HIT; k <= KIND_TREE; k++)
		if (argc >= 7 && strcmp(what, kinds[k]) == 0) {
			time_lookups((enum kind)k, argc - 2, argv + 2);
			return 0;
		}
	if (strcmp(what, "build") == 0 && argc == 5)
		build(argv[2], bench_number(argv[3]), argv[4]);
	else if (strcmp(what, "depth") == 0 && argc == 3)
		print_depth(argv[2]);
	else if (strcmp(what, "paths") == 0 && argc == 4)
		print_paths(bench_number(argv[2]), bench_number(argv[3]));
	else
		bench_die("wrong usage (see the head of lookups.c)");
	return 0;
}
