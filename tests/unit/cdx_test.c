/* cdx_test.c - CDX files and ZipNum clusters as indexes (format/cdx/cdx.h),
 * against a list of the same lines in memory; and what they read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <zlib.h>

#include "alloc_fail.h"
#include "base/log.h"
#include "format/cdx/cdx.h"
#include "format/cdx/stretch.h"
#include "format/open_index.h"
#include "index/index.h"
#include "net/open_location.h"
#include "fault.h"

#define CACHE ((size_t)64 << 20)

/* ---- lines ---- */

static uint32_t rng;

static uint32_t roll(uint32_t below)
{
	rng = rng * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(rng >> 8) * below >> 24);
}

struct crawl {
	char **line;		/* without line ends, sorted */
	uint32_t n;
	uint32_t pad;		/* bytes that lines are longer by, at most */
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct cfs_slice key_of(const char *line)
{
	return cfs_slice_of(line, (size_t)(strchr(line, ' ') - line));
}

/* Hosts like words, skewed as hosts are; few captures of a page. */
static void make_crawl(struct crawl *c, uint32_t n, uint32_t seed,
		       uint32_t pad)
{
	static const char *const tld[] = { "com", "com", "com", "com", "org",
					   "net", "de", "co,uk", "jp", "fr" };
	char word[16], *line = malloc(pad + 512), *x = malloc(pad + 1);

	rng = seed;
	c->n = n;
	c->line = calloc(n, sizeof(c->line[0]));
	memset(x, 'x', pad + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t h = roll(roll(n / 20 + 2) + 1) * 2654435761u;

		for (unsigned k = 0; k < 8; k++, h = h * 31 + 17)
			word[k] = "etaoinshrdlucmfwypvbgkjqxz"[(h >> 16) % 26];
		word[8] = '\0';
		snprintf(line, pad + 512, "%s,%s%s)/d%u/p%u 20%02u0127171200 "
			 "{\"url\": \"http://u%u/%.*s\", \"status\": \"200\", "
			 "\"length\": \"%u\", \"offset\": \"%u\", "
			 "\"filename\": \"seg%u/a%u.warc.gz\"}", tld[roll(10)],
			 word, roll(30) == 0 ? ":8080" : "", roll(9), roll(99),
			 roll(20), i, (int)roll(pad + 1), x, 1 + i % 7, i,
			 i % 3, i % 11);
		c->line[i] = strdup(line);
	}
	free(line);
	free(x);
	qsort(c->line, n, sizeof(c->line[0]), by_text);
	c->pad = pad;
}

static void free_crawl(struct crawl *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		free(c->line[i]);
	free(c->line);
}

/* The first line whose key is not less. */
static uint32_t first_line(const struct crawl *c, struct cfs_slice key)
{
	uint32_t i = 0, hi = c->n;

	while (i < hi) {
		uint32_t mid = i + (hi - i) / 2;

		if (cfs_slice_cmp(key_of(c->line[mid]), key) < 0)
			i = mid + 1;
		else
			hi = mid;
	}
	return i;
}

/* ---- files in memory, and what is read of them ---- */

#define FILES_MAX 8

struct disk {
	struct { char name[64]; struct cfs_buf bytes; } file[FILES_MAX];
	unsigned n;
	struct cfs_source *open[64];	/* for counting */
	unsigned n_open;
	struct cfs_fault fault;
};

static struct cfs_buf *disk_file(struct disk *d, const char *name)
{
	assert_true(d->n < FILES_MAX);
	snprintf(d->file[d->n].name, sizeof(d->file[0].name), "%s", name);
	cfs_buf_init(&d->file[d->n].bytes, (size_t)1 << 32);
	return &d->file[d->n++].bytes;
}

static void disk_forget(struct disk *d)
{
	while (d->n_open > 0)
		cfs_source_close(d->open[--d->n_open]);
}

static void disk_free(struct disk *d)
{
	disk_forget(d);
	for (unsigned i = 0; i < d->n; i++)
		cfs_buf_release(&d->file[i].bytes);
	d->n = 0;
}

static int disk_open(void *arg, const char *location, struct cfs_source **out,
		     struct cfs_ctx ctx)
{
	struct disk *d = arg;
	struct cfs_source *src;
	int rc;

	for (unsigned i = 0; i < d->n; i++) {
		if (strcmp(d->file[i].name, location) != 0)
			continue;
		rc = cfs_source_open_memory(&src,
					    cfs_buf_slice( &d->file[i].bytes),
					    location, ctx.err);
		if (rc == CFS_OK)
			rc = cfs_source_open_fault(out, src, &d->fault,
						   ctx.err);
		if (rc == CFS_OK && d->n_open < 64)
			d->open[d->n_open++] = cfs_source_ref(*out);
		return rc;
	}
	return cfs_error_at(ctx.err, CFS_ENOTFOUND, location, 0, "is not there");
}

static uint64_t disk_reads(const struct disk *d)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < d->n_open; i++)
		n += cfs_source_fault_reads(d->open[i]);
	return n;
}

static int disk_index(struct disk *d, const char *name, size_t cache,
		      struct cfs_index **ix, struct cfs_error *err)
{
	struct cfs_opener opener = { disk_open, d };
	struct cfs_index_opts opts = { .block_cache_bytes = cache,
				       .location = name, .opener = &opener };
	struct cfs_source *src;
	int rc;

	*ix = NULL;
	disk_forget(d);
	rc = disk_open(d, name, &src, CFS_CTX(NULL, err));
	return rc == CFS_OK ? cfs_index_open_at(ix, src, &opts, err) : rc;
}

static void write_plain(const struct crawl *c, struct cfs_buf *out)
{
	for (uint32_t i = 0; i < c->n; i++) {
		cfs_buf_adds(out, c->line[i]);
		if (i + 1 < c->n || c->n % 2)	/* the last may have no end */
			cfs_buf_addc(out, '\n');
	}
	assert_int_equal(out->failed, CFS_OK);
}

static void add_member(struct cfs_buf *out, struct cfs_slice text)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)text.p,
		       .avail_in = (uInt)text.n };
	size_t room = text.n + text.n / 100 + 200;

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8,
				      Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(cfs_buf_reserve(out, room), CFS_OK);
	z.next_out = out->p + out->n;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->n += room - z.avail_out;
	deflateEnd(&z);
}

static void write_zipnum(struct disk *d, const struct crawl *c, uint32_t lines,
			 unsigned shards)
{
	struct cfs_buf *idx = disk_file(d, "i/cluster.idx"), text;
	uint32_t blocks = (c->n + lines - 1) / lines, b = 0;

	cfs_buf_init(&text, (size_t)1 << 30);
	for (unsigned s = 0; s < shards; s++) {
		char name[32];
		struct cfs_buf *out;

		snprintf(name, sizeof(name), "i/cdx-%05u.gz", s);
		out = disk_file(d, name);
		for (; b < blocks * (s + 1) / shards; b++) {
			size_t at = out->n;

			cfs_buf_reset(&text);
			for (uint32_t i = b * lines; i < c->n &&
			     i < (b + 1) * lines; i++) {
				cfs_buf_adds(&text, c->line[i]);
				cfs_buf_addc(&text, '\n');
			}
			add_member(out, cfs_buf_slice(&text));
			cfs_buf_add(idx, key_of(c->line[b * lines]));
			cfs_buf_addf(idx, " 20140101000000\tcdx-%05u.gz\t%zu\t%zu"
				     "\t%u\n", s, at, out->n - at, b + 1);
		}
	}
	cfs_buf_release(&text);
}

/* ---- an index is its lines ---- */

static void check_entry(struct cfs_iter *it, const char *line)
{
	assert_true(cfs_slice_eq(it->value, cfs_slice_str(line)));
	assert_true(cfs_slice_eq(it->key, key_of(line)));
}

static void check_capture(struct cfs_iter *it, const char *line)
{
	struct cfs_capture cap;
	struct cfs_buf name;
	unsigned n;

	assert_int_equal(cfs_index_capture(it, &cap, NULL), CFS_OK);
	cfs_buf_init(&name, 256);
	assert_int_equal(cfs_index_archive_name(it->ix, &cap.loc, &name, NULL),
			 CFS_OK);
	assert_non_null(strstr(line, cfs_buf_str(&name)));
	assert_true(name.n > 5);
	n = (unsigned)cap.loc.offset;
	assert_int_equal(cap.loc.length, 1 + n % 7);
	assert_int_equal(cap.status, 200);
	assert_int_equal(cap.kind, CFS_KIND_RESPONSE);
	assert_true(strlen(line) > CFS_URL_MAX ? cap.url.n == 0 :
		    cfs_slice_starts(cap.url, CFS_SLICE_LIT("http://u")));
	assert_false(cap.body_is_exact);
	cfs_buf_release(&name);
}

static void check_steps(struct cfs_index *ix, const struct crawl *c,
			cfs_pos *pos)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	uint32_t i = 0;
	int rc;

	cfs_iter_init(it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(it, CFS_CTX(NULL, NULL))) {
		assert_true(i < c->n);
		check_entry(it, c->line[i]);
		if (i % 16 == 0)
			check_capture(it, c->line[i]);
		assert_true(i == 0 || pos[i - 1] < it->pos);
		pos[i++] = it->pos;
	}
	assert_int_equal(rc, CFS_END);
	assert_int_equal(i, c->n);
	cfs_iter_release(it);
	free(it);
}

/* Keys that are there, that are not, beginnings, and both ends. */
static void random_key(const struct crawl *c, struct cfs_buf *key)
{
	cfs_buf_reset(key);
	cfs_buf_add(key, key_of(c->line[roll(c->n)]));
	switch (roll(6)) {
	case 0: cfs_buf_addc(key, '!'); break;
	case 1: key->n = roll((uint32_t)key->n + 1); break;
	case 2: key->p[roll((uint32_t)key->n)] = (uint8_t)roll(256); break;
	case 3: key->p[key->n - 1]++; break;
	default: break;
	}
}

static void check_seeks(struct cfs_index *ix, const struct crawl *c,
			const cfs_pos *pos, unsigned n)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_buf key;

	cfs_iter_init(it);
	cfs_buf_init(&key, 4096);
	while (n-- > 0) {
		uint32_t want, at = roll(c->n);
		int rc;

		random_key(c, &key);
		want = first_line(c, cfs_buf_slice(&key));
		if (roll(4) == 0)
			cfs_iter_release(it);
		rc = cfs_index_seek(ix, cfs_buf_slice(&key), it,
				    CFS_CTX(NULL, NULL));
		assert_int_equal(rc, want == c->n ? CFS_END : CFS_OK);
		if (rc == CFS_OK) {
			assert_int_equal(it->pos, pos[want]);
			check_entry(it, c->line[want]);
		}
		assert_int_equal(cfs_index_at(ix, pos[at], it,
					      CFS_CTX(NULL, NULL)),
				 CFS_OK);
		check_entry(it, c->line[at]);
	}
	cfs_buf_release(&key);
	cfs_iter_release(it);
	free(it);
}

static void check_no_positions(struct cfs_index *ix, const cfs_pos *pos,
			       uint32_t n)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	cfs_pos last = pos[n - 1];

	cfs_iter_init(it);
	assert_int_equal(cfs_index_at(ix, last + 1, it, CFS_CTX(NULL, NULL)),
			 CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, last + ((cfs_pos)1 << 40), it,
				      CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, CFS_POS_NONE, it,
				      CFS_CTX(NULL, NULL)),
			 CFS_ENOTFOUND);
	assert_int_equal(cfs_index_at(ix, (last | 0xffff), it,
				      CFS_CTX(NULL, NULL)),
			 CFS_ENOTFOUND);
	cfs_iter_release(it);
	free(it);
}

static void check_index(struct disk *d, const char *name,
			const struct crawl *c, size_t cache, unsigned seeks)
{
	cfs_pos *pos = calloc(c->n, sizeof(*pos));
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix;

	assert_int_equal(disk_index(d, name, cache, &ix, &err), CFS_OK);
	check_steps(ix, c, pos);
	check_seeks(ix, c, pos, seeks);
	check_no_positions(ix, pos, c->n);
	cfs_index_close(ix);
	free(pos);
}

static void plain_files(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 50, 251, 3000 };
	static const uint32_t pads[] = { 0, 100, 7000 };

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		for (unsigned k = 0; k < 3; k++) {
			struct disk d = { .n = 0 };
			struct crawl c;

			d.fault.max_read = k == 1 ? 777 : 0;
			make_crawl(&c, sizes[i], i * 3 + k, pads[k]);
			write_plain(&c, disk_file(&d, "a.cdxj"));
			check_index(&d, "a.cdxj", &c, k ? CACHE : 1, 300);
			disk_free(&d);
			free_crawl(&c);
		}
	}
}

/* Lines longer than stretches, so that some have none. */
static void huge_lines(void **state)
{
	struct disk d = { .n = 0 };
	struct crawl c;

	(void)state;
	make_crawl(&c, 40, 5, 200000);
	memmove(strstr(c.line[0], "xx"), strstr(c.line[0], "\", \"status"),
		strlen(strstr(c.line[0], "\", \"status")) + 1);
	write_plain(&c, disk_file(&d, "a.cdxj"));
	check_index(&d, "a.cdxj", &c, CACHE, 300);
	disk_free(&d);
	free_crawl(&c);
}

static void zipnum_files(void **state)
{
	static const uint32_t lines[] = { 1, 3, 40, 3000 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct disk d = { .n = 0 };
		struct crawl c;

		make_crawl(&c, 2500, i, 50);
		write_zipnum(&d, &c, lines[i], 1 + i);
		check_index(&d, "i/cluster.idx", &c, i % 2 ? CACHE : 1, 500);
		disk_free(&d);
		free_crawl(&c);
	}
}

static void small_gzip_file(void **state)
{
	struct disk d = { .n = 0 };
	struct cfs_buf text, *gz;
	struct crawl c;

	(void)state;
	make_crawl(&c, 3000, 4, 100);
	cfs_buf_init(&text, 1 << 30);
	write_plain(&c, &text);
	gz = disk_file(&d, "a.cdxj.gz");
	add_member(gz, cfs_slice_sub(cfs_buf_slice(&text), 0, 90000));
	add_member(gz, cfs_slice_from(cfs_buf_slice(&text), 90000));
	check_index(&d, "a.cdxj.gz", &c, CACHE, 100);
	cfs_buf_release(&text);
	disk_free(&d);
	free_crawl(&c);
}

/* ---- where shards are ---- */

static void loc_file(void **state)
{
	struct disk d = { .n = 0 };
	struct crawl c;
	struct cfs_buf *loc;

	(void)state;
	make_crawl(&c, 100, 1, 0);
	write_zipnum(&d, &c, 10, 1);
	snprintf(d.file[1].name, sizeof(d.file[1].name), "i/sub/other.gz");
	loc = disk_file(&d, "i/cluster.loc");
	cfs_buf_adds(loc, "other\tx\ncdx-00000.gz\t/etc/passwd\t../up.gz\t"
		     "not-there\tsub/other.gz\n");
	check_index(&d, "i/cluster.idx", &c, CACHE, 50);
	disk_free(&d);
	free_crawl(&c);
}

static int seek_first(struct cfs_index *ix, struct cfs_error *err)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	int rc;

	cfs_iter_init(it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, CFS_CTX(NULL, err));
	cfs_iter_release(it);
	free(it);
	return rc;
}

/* A shard that is not there is damage, not the absence of its pages. */
static void missing_shard(void **state)
{
	static const char *const names[] = { "cdx-00000.gz", "../i/x", "/i/x" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct disk d = { .n = 0 };
		struct cfs_index *ix;

		cfs_buf_addf(disk_file(&d, "i/cluster.idx"),
			     "com,a)/ 2014\t%s\t0\t100\t1\n", names[i]);
		disk_file(&d, "i/x");
		assert_int_equal(disk_index(&d, "i/cluster.idx", CACHE, &ix,
					    &err), CFS_OK);
		assert_int_equal(seek_first(ix, &err), CFS_EFORMAT);
		assert_true(err.text[0] != '\0');
		cfs_index_close(ix);
		disk_free(&d);
	}
}

/* ---- damage ---- */

static unsigned logged;
static char last_log[512];

static void on_log(enum cfs_log_level level, const char *line, void *arg)
{
	(void)level;
	(void)arg;
	logged++;
	snprintf(last_log, sizeof(last_log), "%s", line);
}

/* Lines between the good ones are left out, counted and told once. */
static void bad_lines(void **state)
{
	struct cfs_index_stats stats;
	struct disk d = { .n = 0 };
	struct cfs_index *ix;
	struct cfs_buf *f;
	struct crawl c;
	cfs_pos *pos;

	(void)state;
	make_crawl(&c, 1000, 9, 0);
	pos = calloc(c.n, sizeof(*pos));
	f = disk_file(&d, "a.cdxj");
	cfs_buf_adds(f, "!meta {}\n");
	for (uint32_t i = 0; i < c.n; i++) {
		cfs_buf_adds(f, c.line[i]);
		cfs_buf_addc(f, '\n');
		if (i % 10 == 5)
			cfs_buf_adds(f, "com,broken)/ 2014 {\"url\": \"x\n\n");
	}
	logged = 0;
	cfs_log_to(on_log, NULL, CFS_LOG_WARNING);
	assert_int_equal(disk_index(&d, "a.cdxj", CACHE, &ix, NULL), CFS_OK);
	check_steps(ix, &c, pos);
	cfs_index_get_stats(ix, &stats);
	assert_int_equal(stats.skipped, 100);
	assert_int_equal(logged, 1);
	assert_non_null(strstr(last_log, "a.cdxj"));
	cfs_log_to(NULL, NULL, CFS_LOG_WARNING);
	cfs_index_close(ix);
	free(pos);
	disk_free(&d);
	free_crawl(&c);
}

static void out_of_order(void **state)
{
	struct disk d = { .n = 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix;
	struct crawl c;
	char *t;

	(void)state;
	make_crawl(&c, 2000, 9, 0);
	t = c.line[1500];
	c.line[1500] = c.line[3];
	c.line[3] = t;
	write_plain(&c, disk_file(&d, "head.cdxj"));
	assert_int_equal(disk_index(&d, "head.cdxj", CACHE, &ix, &err),
			 CFS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "crawlfs index"));
	t = c.line[3];		/* back, and another one */
	c.line[3] = c.line[1500];
	c.line[1500] = c.line[1900];
	c.line[1900] = t;
	cfs_error_clear(&err);
	write_plain(&c, disk_file(&d, "tail.cdxj"));
	assert_int_equal(disk_index(&d, "tail.cdxj", CACHE, &ix, &err), CFS_OK);
	{
		struct cfs_iter *it = malloc(sizeof(*it));
		int rc;

		cfs_iter_init(it);
		rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it,
				    CFS_CTX(NULL, &err));
		while (rc == CFS_OK)
			rc = cfs_index_next(it, CFS_CTX(NULL, &err));
		assert_int_equal(rc, CFS_EFORMAT);
		cfs_iter_release(it);
		free(it);
	}
	cfs_index_close(ix);
	disk_free(&d);
	free_crawl(&c);
}

static void damaged_member(void **state)
{
	struct disk d = { .n = 0 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_index *ix;
	struct crawl c;

	(void)state;
	make_crawl(&c, 100, 2, 0);
	write_zipnum(&d, &c, 200, 1);
	d.file[1].bytes.p[d.file[1].bytes.n / 2] ^= 0x40;
	assert_int_equal(disk_index(&d, "i/cluster.idx", CACHE, &ix, &err),
			 CFS_OK);
	assert_int_equal(seek_first(ix, &err), CFS_EFORMAT);
	assert_string_equal(err.where, "i/cdx-00000.gz");
	cfs_index_close(ix);
	disk_free(&d);
	free_crawl(&c);
}

/* ---- reads and allocations that fail ---- */

/* Opens, seeks and lists; the first failure, or CFS_OK. */
static int work(struct disk *d, const char *name, const struct crawl *c)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_iter *it = __real_malloc(sizeof(*it));
	struct cfs_capture cap;
	struct cfs_path *path = __real_malloc(sizeof(*path));
	struct cfs_ranges r;
	struct cfs_index *ix;
	int rc = disk_index(d, name, CACHE, &ix, &err);

	cfs_iter_init(it);
	cfs_ranges_init(&r);
	if (rc == CFS_OK)
		rc = cfs_index_seek(ix, key_of(c->line[c->n / 2]), it,
				    CFS_CTX(NULL, &err));
	if (rc == CFS_OK)
		rc = cfs_index_capture(it, &cap, &err);
	if (rc == CFS_OK)
		rc = cfs_index_split(ix, it->key, path);
	if (rc == CFS_OK)
		rc = cfs_index_ranges(ix, path, CFS_BELOW_PAGE, &r);
	if (rc == CFS_OK)
		rc = cfs_index_next(it, CFS_CTX(NULL, &err));
	cfs_ranges_release(&r);
	cfs_iter_release(it);
	cfs_index_close(ix);
	free(it);
	free(path);
	return rc;
}

static void failing(const char *name)
{
	struct disk d = { .n = 0 };
	struct crawl c;
	int rc = CFS_EIO;
	long n;

	make_crawl(&c, 2000, 3, 10);
	write_plain(&c, disk_file(&d, "a.cdxj"));
	write_zipnum(&d, &c, 50, 1);
	for (n = 1; rc != CFS_OK; n++) {	/* n-th read of each file */
		d.fault = (struct cfs_fault){ .fail_read = (uint64_t)n };
		rc = work(&d, name, &c);
		assert_true(rc == CFS_OK || rc == CFS_EIO);
	}
	assert_true(n > 3);
	d.fault = (struct cfs_fault){ .max_read = 0 };
	rc = CFS_ENOMEM;
	for (n = 1; rc != CFS_OK; n++) {
		countdown = (long)n - 1;
		rc = work(&d, name, &c);
		/* some allocations only help: then all is well */
		assert_true(rc == CFS_OK || rc == CFS_ENOMEM);
		if (rc == CFS_OK && countdown < 0)
			rc = CFS_ENOMEM;
		countdown = -1;
		assert_true(n < 10000);
	}
	assert_true(n > 20);
	disk_free(&d);
	free_crawl(&c);
}

static void plain_failing(void **state)
{
	(void)state;
	failing("a.cdxj");
}

static void zipnum_failing(void **state)
{
	(void)state;
	failing("i/cluster.idx");
}

/* ---- requests ---- */

struct cost {
	uint64_t open, first, most, all;
	unsigned n;
};

/* Lookups of present keys, each in an index nobody has used before, or all
 * in one. */
static struct cost lookups(struct disk *d, const char *name,
			   const struct crawl *c, bool cold, unsigned n)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cost cost = { .n = n };
	struct cfs_index *ix = NULL;

	for (unsigned i = 0; i < n; i++) {
		struct cfs_slice key = key_of(c->line[roll(c->n)]);
		uint64_t before, reads;

		if (cold || ix == NULL) {
			cfs_index_close(ix);
			assert_int_equal(disk_index(d, name, CACHE, &ix, NULL),
					 CFS_OK);
			cost.open = disk_reads(d);
		}
		before = disk_reads(d);
		cfs_iter_init(it);
		assert_int_equal(cfs_index_seek(ix, key, it,
						CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_true(cfs_slice_eq(it->key, key));
		cfs_iter_release(it);
		reads = disk_reads(d) - before;
		cost.all += reads;
		if (reads > cost.most)
			cost.most = reads;
		if (i == 0)
			cost.first = reads;
	}
	cfs_index_close(ix);
	free(it);
	return cost;
}

static void print_cost(const char *what, struct cost c)
{
	print_message("%s: open %llu, first %llu, mean %.2f, most %llu\n", what,
		      (unsigned long long)c.open, (unsigned long long)c.first,
		      (double)c.all / c.n, (unsigned long long)c.most);
}

static void requests(void **state)
{
	struct disk d = { .n = 0 };
	struct crawl c;
	struct cost cost;
	uint32_t stretches, levels = 0;

	(void)state;
	make_crawl(&c, 60000, 3, 200);
	write_plain(&c, disk_file(&d, "a.cdxj"));
	write_zipnum(&d, &c, 4, 2);		/* so that there are many */
	stretches = (uint32_t)cfs_stretch_count(d.file[0].bytes.n);
	while (1u << levels < stretches)
		levels++;
	print_message("CDXJ of %u stretches, cluster.idx of %u\n", stretches,
		      (unsigned)cfs_stretch_count(d.file[1].bytes.n));
	cost = lookups(&d, "a.cdxj", &c, true, 50);
	print_cost("CDXJ, cold", cost);
	assert_true(cost.all / cost.n < levels + 1);
	assert_true(cost.most <= 2 * levels);
	cost = lookups(&d, "a.cdxj", &c, false, 2000);
	print_cost("CDXJ, warm", cost);
	assert_true(cost.all < stretches + 1);
	cost = lookups(&d, "i/cluster.idx", &c, true, 50);
	print_cost("ZipNum, cold", cost);
	assert_true(cost.most <= 12);
	cost = lookups(&d, "i/cluster.idx", &c, false, 2000);
	print_cost("ZipNum, warm", cost);
	disk_free(&d);
	free_crawl(&c);
}

UNIT_PROGRAM
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_files),
		cmocka_unit_test(huge_lines),
		cmocka_unit_test(zipnum_files),
		cmocka_unit_test(small_gzip_file),
		cmocka_unit_test(loc_file),
		cmocka_unit_test(missing_shard),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(damaged_member),
		cmocka_unit_test(plain_failing),
		cmocka_unit_test(zipnum_failing),
		cmocka_unit_test(requests),
	};

	return cmocka_run_group_tests_name("cdx", tests, NULL, NULL);
}
