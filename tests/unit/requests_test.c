/* requests_test.c - how many requests an index takes that is not on this
 * machine.
 *
 * PB-trees of three levels (root, index, data) and of four, crawlfs indexes of
 * two, three and four, and a CDXJ, all with 100,000 hosts in one top-level
 * domain.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "crawl/captures.h"
#include "crawl/cuts.h"
#include "crawl/page.h"
#include "crawl/tree.h"
#include "format/open_index.h"
#include "format/pbtree/pbtree.h"
#include "format/pbtree/pbtree_format.h"
#include "index/index.h"
#include "indexing/builder.h"
#include "source/source.h"
#include "url/pbtree_key.h"
#include "url/surt.h"

#define HOSTS 100000u
#define PAGES 3u
#define CACHE ((size_t)64 << 20)
#define HEAD 65536u		/* bytes read at open */
/* The sizes that make a crawlfs index of three levels: a leaf has some 150 of
 * these. */
#define LONG_BYTES 7000u
#define LONG_PAGES 200u
#define LONG_GROUPS 20u
/* And one whose upper levels are more than is read at open. */
#define HIGHER_GROUPS 170u

static char path[64];
static struct cfs_buf file;	/* its bytes */

/* ---- an object on a server, as it is seen through the block cache ---- */

#define WIRE_GAP (16u << 10)	/* cached.c joins what is closer */

/* Requested bytes are there from then on.  A request is a run of bytes that
 * were not. */
struct wire {
	struct cfs_source base;
	uint8_t *has;			/* of each byte; the file's: was_there */
	uint64_t low, high;		/* none is set outside */
	uint64_t requests, bytes;
	uint64_t waits;			/* reads that had to ask */
};

static struct wire *counter;
/* Bytes that are there, none between two uses: it is as long as the file, and
 * not rebuilt for each of thousands of openings. */
static uint8_t *was_there;

static bool wire_ask(struct wire *w, uint64_t off, size_t n)
{
	uint64_t end = n < file.n - off ? off + n : file.n, last = 0;
	bool asked = false;

	w->low = off < w->low ? off : w->low;
	w->high = end > w->high ? end : w->high;
	for (; off < end; off++) {
		if (w->has[off])
			continue;
		if (!asked || off - last > WIRE_GAP) {
			w->requests++;
			last = off - 1;
		}
		w->bytes += off - last;		/* the gap comes along */
		w->has[off] = 1;
		last = off;
		asked = true;
	}
	return asked;
}

static int wire_read_at(struct cfs_source *src, void *buf, size_t n,
			uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct wire *w = (struct wire *)src;

	(void)ctx;
	*got = off >= file.n ? 0 : n < file.n - off ? n : file.n - off;
	if (*got > 0) {
		w->waits += wire_ask(w, off, *got);
		memcpy(buf, file.p + off, *got);
	}
	return CFS_OK;
}

static void wire_prefetch(struct cfs_source *src, uint64_t off, size_t n)
{
	if (off < file.n)
		wire_ask((struct wire *)src, off, n);
}

static void wire_close(struct cfs_source *src)
{
	struct wire *w = (struct wire *)src;

	if (w->low < w->high)
		memset(w->has + w->low, 0, w->high - w->low);
	free(w);
}

static struct wire *wire_open(void)
{
	static const struct cfs_source_ops ops = {
		.read_at = wire_read_at, .close = wire_close,
		.prefetch = wire_prefetch,
	};
	struct wire *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->has = was_there;
	w->low = file.n;
	assert_int_equal(cfs_source_init(&w->base, &ops, file.n, path, NULL),
			 CFS_OK);
	return w;
}

/* ---- files ---- */

static void url_of(unsigned host, unsigned page, char *out, size_t n)
{
	snprintf(out, n, "http://host%06u.com/folder/page-%u.html", host, page);
}

static void make_path(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/cfs-requests-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

/* Takes the file's bytes into memory. */
static int take_file(void)
{
	FILE *f = fopen(path, "rb");
	long n;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	n = ftell(f);
	rewind(f);
	cfs_buf_init(&file, (size_t)1 << 31);
	assert_int_equal(cfs_buf_reserve(&file, (size_t)n), CFS_OK);
	file.n = fread(file.p, 1, (size_t)n, f);
	assert_int_equal(file.n, (size_t)n);
	fclose(f);
	was_there = calloc(1, file.n);
	assert_non_null(was_there);
	return 0;
}

static int write_pbtree(uint32_t block)
{
	struct cfs_pbtree_value v = { .segment = 1, .date_ms = 2, .length = 9 };
	uint8_t raw[CFS_PBTREE_VALUE_BYTES];
	struct cfs_pbtree_writer *w;
	struct cfs_buf key;
	uint64_t bytes;
	FILE *f;

	make_path();
	f = fopen(path, "wb+");
	assert_non_null(f);
	cfs_buf_init(&key, CFS_KEY_MAX);
	assert_int_equal(cfs_pbtree_writer_new(&w, fileno(f), block,
			 CFS_PBTREE_VALUE_BYTES, NULL, NULL), CFS_OK);
	for (unsigned i = 0; i < HOSTS * PAGES; i++) {
		char url[80];

		url_of(i / PAGES, i % PAGES, url, sizeof(url));
		cfs_buf_reset(&key);
		cfs_pbtree_url_key(cfs_slice_str(url), &key);
		v.offset = i;
		cfs_pbtree_value_encode(&v, raw);
		assert_int_equal(cfs_pbtree_writer_add(w, cfs_buf_slice(&key),
				 cfs_slice_of(raw, sizeof(raw)), NULL), CFS_OK);
	}
	assert_int_equal(cfs_pbtree_writer_finish(w, &bytes, NULL), CFS_OK);
	cfs_pbtree_writer_free(w);
	cfs_buf_release(&key);
	fclose(f);
	return take_file();
}

static int write_three(void **state)
{
	(void)state;
	return write_pbtree(8192);
}

/* Index blocks of 2 KiB hold some 70 pointers: three levels of them. */
static int write_four(void **state)
{
	(void)state;
	return write_pbtree(2048);
}

static void add_capture(struct cfs_builder *b, const char *url, unsigned i)
{
	struct cfs_builder_capture cap = {
		.kind = CFS_KIND_RESPONSE, .time = 1000, .status = 200,
		.mime = CFS_SLICE_LIT("text/html"), .span.offset = i,
		.span.length = 50, .record_id = CFS_SLICE_EMPTY,
		.digest = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
		.url = cfs_slice_str(url),
	};

	assert_int_equal(cfs_builder_add(b, 0, &cap, NULL), CFS_OK);
}

/* Pages whose keys are long and begin like those of hardly any other: so are
 * the separators of their leaves, and few fit into a block above. */
static void add_long(struct cfs_builder *b, unsigned group)
{
	uint64_t x = group * 2654435761u + 1;
	char url[LONG_BYTES + 80];
	int n = snprintf(url, sizeof(url), "http://long.org/");

	for (unsigned i = 0; i < LONG_BYTES; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		url[n++] = "abcdefghijklmnopqrstuvwxyz012345"[x >> 59];
	}
	for (unsigned i = 0; i < LONG_PAGES; i++) {
		snprintf(url + n, 20, "%05u", i);
		add_capture(b, url, i);
	}
}

static int write_cfx(unsigned groups)
{
	static const struct cfs_builder_archive archive = { .name = "x.warc.gz", .size = 1,
		.mtime = 1 };
	struct cfs_builder_opts o = { .path = path, .format = CFS_INDEX_CFX,
				      .memory_bytes = 64 << 20, .threads = 1,
				      .archives = &archive, .n_archives = 1 };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;

	make_path();
	assert_int_equal(cfs_builder_new(&b, &o, NULL), CFS_OK);
	for (unsigned i = 0; i < HOSTS * PAGES; i++) {
		char url[80];

		url_of(i / PAGES, i % PAGES, url, sizeof(url));
		add_capture(b, url, i);
	}
	for (unsigned i = 0; i < groups; i++)
		add_long(b, i);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), CFS_OK);
	cfs_builder_free(b);
	return take_file();
}

static int write_low(void **state)
{
	(void)state;
	return write_cfx(0);
}

static int write_high(void **state)
{
	(void)state;
	return write_cfx(LONG_GROUPS);
}

static int write_higher(void **state)
{
	(void)state;
	return write_cfx(HIGHER_GROUPS);
}

static int write_cdxj(void **state)
{
	struct cfs_buf key;
	FILE *f;

	(void)state;
	make_path();
	f = fopen(path, "wb");
	assert_non_null(f);
	cfs_buf_init(&key, CFS_KEY_MAX);
	for (unsigned i = 0; i < HOSTS * PAGES; i++) {
		char url[80];

		url_of(i / PAGES, i % PAGES, url, sizeof(url));
		cfs_buf_reset(&key);
		cfs_surt_encode(cfs_slice_str(url), &key);
		fprintf(f, "%s 20240101000000 {\"url\": \"%s\", \"status\": "
			"\"200\", \"length\": \"9\", \"offset\": \"%u\", "
			"\"filename\": \"x.warc.gz\"}\n", cfs_buf_str(&key),
			url, i);
	}
	cfs_buf_release(&key);
	fclose(f);
	return take_file();
}

static int forget(void **state)
{
	(void)state;
	unlink(path);
	cfs_buf_release(&file);
	free(was_there);
	return 0;
}

/* ---- counting ---- */

static void open_counted(struct cfs_crawl *c)
{
	counter = wire_open();
	*c = (struct cfs_crawl){ .pages = cfs_captures_cache_new(1 << 24),
				 .cuts = cfs_cuts_cache_new(1 << 24) };
	assert_int_equal(cfs_index_open(&c->index, &counter->base, CACHE,
					NULL), CFS_OK);
	/* opening has read 64 KiB: with blocks as small as these too many */
	if (cfs_pbtree_is_header(cfs_buf_slice(&file), file.n))
		memset(counter->has + 8 + cfs_le32_get(file.p), 0, HEAD);
}

static void close_counted(struct cfs_crawl *c)
{
	cfs_index_close(c->index);
	cfs_lru_free(c->pages);
	cfs_lru_free(c->cuts);
}

static uint64_t requests(void)
{
	return counter->requests;
}

/* Looks a URL up; returns what that took. */
static uint64_t look_up(struct cfs_index *ix, unsigned host, unsigned page)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	uint64_t before = requests();
	struct cfs_buf key;
	char url[80];

	cfs_buf_init(&key, CFS_KEY_MAX);
	url_of(host, page, url, sizeof(url));
	assert_int_equal(cfs_index_url_key(ix, cfs_slice_str(url), &key),
			 CFS_OK);
	cfs_iter_init(it);
	assert_int_equal(cfs_index_seek(ix, cfs_buf_slice(&key), it,
					CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_true(cfs_slice_eq(it->key, cfs_buf_slice(&key)));
	cfs_iter_release(it);
	free(it);
	cfs_buf_release(&key);
	return requests() - before;
}

struct bounds {
	uint64_t open, cold, warm;	/* at most */
	uint64_t page;			/* waited for by the first page of a
					 * listing, */
	uint64_t list;			/* and by all of it */
};

static void look_ups(const struct bounds *max)
{
	uint64_t cold = 0, opened = 0, most = 0, all = 0, again;
	struct cfs_crawl c;

	for (unsigned i = 0; i < 200; i++) {
		open_counted(&c);
		opened = requests();
		again = look_up(c.index, i * 7919 % HOSTS, i % PAGES);
		cold = again > cold ? again : cold;
		assert_int_equal(look_up(c.index, i * 7919 % HOSTS, i % PAGES),
				 0);
		close_counted(&c);
	}
	open_counted(&c);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t n = look_up(c.index, i * 7919 % HOSTS, i % PAGES);

		/* upper levels are warm after the first few hundred */
		if (i >= 1000 && n > most)
			most = n;
		all += n;
	}
	close_counted(&c);
	print_message("open %llu, cold look-up at most %llu, with upper levels"
		      " warm %llu, mean of 5,000 %.2f\n",
		      (unsigned long long)opened, (unsigned long long)cold,
		      (unsigned long long)most, (double)all / 5000);
	assert_true(opened <= max->open);
	assert_true(cold <= max->cold);
	assert_true(most <= max->warm);
}

struct taken {
	unsigned n, stop;
};

static int take_some(void *arg, struct cfs_slice name,
		     const struct cfs_node *node, uint64_t cookie)
{
	struct taken *t = arg;

	(void)name;
	(void)node;
	(void)cookie;
	return ++t->n == t->stop;
}

/* The first thousand names of a directory of 100,000, and all of them: most of
 * the index is asked for before it is needed, and nothing twice. */
static void listing(const struct bounds *max)
{
	struct cfs_node root = cfs_tree_root(0), com;
	struct taken page = { 0, 1000 }, all = { 0, 0 };
	uint64_t waits, bytes, page_waits;
	struct cfs_crawl c;

	open_counted(&c);
	assert_int_equal(cfs_tree_lookup(&c, &root, CFS_SLICE_LIT("com"), &com,
					 CFS_CTX(NULL, NULL)), CFS_OK);
	waits = counter->waits;
	bytes = counter->bytes;
	assert_int_equal(cfs_tree_list(&c, &com, 1u << CFS_VIEW_RAW, 0, 0,
				       take_some, &page,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(page.n, 1000);
	page_waits = counter->waits - waits;
	bytes = counter->bytes - bytes;
	assert_int_equal(cfs_tree_list(&c, &com, 1u << CFS_VIEW_RAW, 0, 0,
				       take_some, &all,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(all.n, HOSTS);
	print_message("1,000 of %u names: waits %llu times, %llu bytes; all: "
		      "%llu times, %llu requests, %llu of %zu bytes\n", HOSTS,
		      (unsigned long long)page_waits, (unsigned long long)bytes,
		      (unsigned long long)(counter->waits - waits),
		      (unsigned long long)requests(),
		      (unsigned long long)counter->bytes, file.n);
	assert_true(page_waits <= max->page);
	assert_true(counter->waits - waits <= max->list);
	assert_true(counter->bytes <= file.n + HEAD);
	close_counted(&c);
}

/* ---- PB-trees: where one data block ends and the next begins ---- */

/* The first key of a data block, and its last one. */
static void block_ends(uint32_t block, struct cfs_slice *first,
		       struct cfs_slice *last)
{
	uint32_t size = cfs_le32_get(file.p);
	const uint8_t *p = file.p + 8 + (uint64_t)(cfs_le32_get(file.p + 4) +
						   block) * size, *end = p + size;

	*first = cfs_slice_str((const char *)p);
	while (p < end && *p != '\0') {
		*last = cfs_slice_str((const char *)p);
		p += last->n + 1 + CFS_PBTREE_VALUE_BYTES;
	}
}

/* A cold seek: its requests.  It must stand on `want`. */
static uint64_t cold_seek(struct cfs_slice key, struct cfs_slice want)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_crawl c;
	uint64_t before;

	open_counted(&c);
	before = requests();
	cfs_iter_init(it);
	assert_int_equal(cfs_index_seek(c.index, key, it,
					CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(cfs_slice_eq(it->key, want));
	before = requests() - before;
	cfs_iter_release(it);
	free(it);
	close_counted(&c);
	return before;
}

/* Keys at the border of two blocks, there and not there: three at most. */
static void borders(void **state)
{
	uint32_t n = (uint32_t)((file.n - 8) / cfs_le32_get(file.p)) -
		     cfs_le32_get(file.p + 4);
	uint64_t most = 0, seeks = 0, all = 0;

	(void)state;
	for (uint32_t i = 1; i < n; i += n / 150) {
		struct cfs_slice first, last, before, unused;
		struct cfs_buf past;
		size_t same;

		block_ends(i, &first, &unused);
		block_ends(i - 1, &before, &last);
		same = cfs_slice_common(first, last);
		cfs_buf_init(&past, CFS_KEY_MAX);
		cfs_buf_add(&past, last);
		cfs_buf_addc(&past, 1);
		const struct { struct cfs_slice key, want; } tried[] = {
			{ last, last }, { first, first }, { before, before },
			{ cfs_buf_slice(&past), first },
			/* the separator, and what is just before and after */
			{ cfs_slice_sub(first, 0, same + 1), first },
			{ cfs_slice_sub(first, 0, same + 2), first },
			{ cfs_slice_sub(first, 0, first.n - 1), first },
		};
		for (size_t k = 0; k < sizeof(tried) / sizeof(tried[0]); k++) {
			uint64_t r = cold_seek(tried[k].key, tried[k].want);

			most = r > most ? r : most;
			all += r;
			seeks++;
		}
		cfs_buf_release(&past);
	}
	print_message("%llu keys at borders: at most %llu requests, mean %.2f\n",
		      (unsigned long long)seeks, (unsigned long long)most,
		      (double)all / (double)seeks);
	assert_true(seeks > 900);
	assert_true(most <= 3);
}

/* ---- the indexes ---- */

/* 8 KiB blocks hold 116 entries: 1,000 names are 26 of them. */
static const struct bounds three_max = { 2, 3, 2, 10, 30 };
/* Index blocks lead to 70 data blocks each, and are waited for. */
static const struct bounds four_max = { 2, 3, 2, 20, 250 };
/* A leaf has some 4,000 entries. */
static const struct bounds cfx_max = { 2, 1, 1, 2, 20 };
static const struct bounds higher_max = { 3, 3, 2, 2, 20 };
/* A binary search over 1,000 stretches; 160 entries in each. */
static const struct bounds cdxj_max = { 2, 11, 4, 10, 150 };

static void three_look_ups(void **state)
{
	(void)state;
	look_ups(&three_max);
}

static void three_listing(void **state)
{
	(void)state;
	listing(&three_max);
}

static void four_look_ups(void **state)
{
	(void)state;
	look_ups(&four_max);
}

static void four_listing(void **state)
{
	(void)state;
	listing(&four_max);
}

static unsigned cfx_levels(void)
{
	return cfs_le32_get(file.p + 28);
}

static void low_look_ups(void **state)
{
	(void)state;
	assert_int_equal(cfx_levels(), 2);
	look_ups(&cfx_max);
}

static void high_look_ups(void **state)
{
	(void)state;
	assert_int_equal(cfx_levels(), 3);
	look_ups(&cfx_max);
}

static void higher_look_ups(void **state)
{
	(void)state;
	assert_int_equal(cfx_levels(), 4);
	look_ups(&higher_max);
}

static void cfx_listing(void **state)
{
	(void)state;
	listing(&cfx_max);
}

static void cdxj_look_ups(void **state)
{
	(void)state;
	look_ups(&cdxj_max);
}

static void cdxj_listing(void **state)
{
	(void)state;
	listing(&cdxj_max);
}

UNIT_PROGRAM
{
	const struct CMUnitTest three[] = {
		cmocka_unit_test(three_look_ups),
		cmocka_unit_test(three_listing),
		cmocka_unit_test(borders),
	};
	const struct CMUnitTest four[] = {
		cmocka_unit_test(four_look_ups),
		cmocka_unit_test(four_listing),
		cmocka_unit_test(borders),
	};
	const struct CMUnitTest low[] = {
		cmocka_unit_test(low_look_ups),
		cmocka_unit_test(cfx_listing),
	};
	const struct CMUnitTest high[] = {
		cmocka_unit_test(high_look_ups),
		cmocka_unit_test(cfx_listing),
	};
	const struct CMUnitTest higher[] = {
		cmocka_unit_test(higher_look_ups),
		cmocka_unit_test(cfx_listing),
	};
	const struct CMUnitTest cdxj[] = {
		cmocka_unit_test(cdxj_look_ups),
		cmocka_unit_test(cdxj_listing),
	};
	int failed;

	failed = cmocka_run_group_tests(three, write_three, forget);
	failed += cmocka_run_group_tests(four, write_four, forget);
	failed += cmocka_run_group_tests(low, write_low, forget);
	failed += cmocka_run_group_tests(high, write_high, forget);
	failed += cmocka_run_group_tests(higher, write_higher, forget);
	failed += cmocka_run_group_tests(cdxj, write_cdxj, forget);
	return failed;
}
