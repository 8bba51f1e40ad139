/* builder_test.c - captures in, sorted index out (builder.h): against a
 * sorted array of the same captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_fixture.h"

#include <signal.h>
#include <sys/resource.h>

#include "format/cfx/cfx_damage.h"
#include "format/pbtree/pbtree.h"

/* ---- what comes out is what went in ---- */

static void check_capture(struct cfs_index *ix, struct cfs_iter *it, const struct fix *f,
			  const struct fix_capture *m)
{
	struct cfs_capture cap;
	struct cfs_buf b;

	assert_true(cfs_slice_eq(it->key, cfs_buf_slice(&m->key)));
	assert_int_equal(cfs_index_capture(it, &cap, NULL), 0);
	assert_int_equal(cap.kind, m->c.kind);
	assert_int_equal(cap.time, m->c.time);
	assert_int_equal(cap.status, m->c.status);
	assert_true(cfs_slice_eq(cap.mime, m->c.mime));
	assert_true(cfs_slice_eq(cap.languages, m->c.languages));
	assert_int_equal(cap.body_is_exact, m->c.body_is_exact);
	if (cap.body_is_exact)
		assert_int_equal(cap.body_bytes, m->c.body_bytes);
	assert_int_equal(cap.loc.offset, m->c.span.offset);
	assert_int_equal(cap.loc.length, m->c.span.length);
	assert_int_equal(cap.loc.inner_offset, m->c.span.inner_offset);
	assert_int_equal(cap.loc.inner_length, m->c.span.inner_length);
	cfs_buf_init(&b, CFS_KEY_MAX);
	assert_int_equal(cfs_index_archive_name(ix, &cap.loc, &b, NULL), 0);
	assert_string_equal(cfs_buf_str(&b), f->archives[m->c.archive].name);
	cfs_buf_reset(&b);
	assert_int_equal(cfs_index_key_url(ix, it->key, &cap, &b), 0);
	assert_string_equal(cfs_buf_str(&b), m->url);
	cfs_buf_release(&b);
}

static void check_walk(struct cfs_index *ix, const struct fix *f)
{
	struct cfs_iter it;
	size_t i = 0;
	int rc;

	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				 CFS_CTX(NULL, NULL)); rc == CFS_OK;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		check_capture(ix, &it, f, &f->caps[i++]);
	assert_int_equal(rc, CFS_END);
	assert_int_equal(i, f->n);
	assert_int_equal(it.pos, CFS_POS_NONE);
	assert_int_equal(cfs_index_next(&it, CFS_CTX(NULL, NULL)), CFS_END);
	cfs_iter_release(&it);
}

/* Does the index have a reference from this hash to this position? */
static bool has_ref(struct cfs_index *ix, const char *what, const char *name, cfs_pos pos)
{
	cfs_pos found[300];
	char text[80];
	size_t n;

	snprintf(text, sizeof(text), "%s%s", what, name);
	assert_int_equal(cfs_index_find_ref(ix, cfs_slice_str(text), found, 300,
					    &n, CFS_CTX(NULL, NULL)), 0);
	for (size_t i = 0; i < n; i++)
		if (found[i] == pos)
			return true;
	return false;
}

static bool is_asked(const struct fix *f, const struct fix_capture *m, bool by_id)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct fix_capture *r = &f->caps[i];

		if (r->c.kind == CFS_KIND_REVISIT &&
		    (by_id ? strcmp(r->refers, m->id) == 0 : strcmp(r->digest, m->digest) == 0))
			return true;
	}
	return false;
}

/* Every capture that a revisit asks for is found, and no other. */
static void check_refs(struct cfs_index *ix, const struct fix *f)
{
	struct cfs_iter it;
	unsigned ids = 0;
	int rc;
	size_t i = 0;

	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				 CFS_CTX(NULL, NULL)); rc == CFS_OK;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), i++) {
		const struct fix_capture *m = &f->caps[i];
		bool may = m->c.kind != CFS_KIND_REVISIT;

		/* a revisit may refer to another one by its id */
		assert_int_equal(has_ref(ix, "id:", m->id, it.pos), is_asked(f, m, true));
		assert_int_equal(has_ref(ix, "digest:", m->digest, it.pos), may && is_asked(f, m, false));
		ids += may && is_asked(f, m, true);
	}
	assert_true(f->n < 1000 || ids > 10);
	cfs_iter_release(&it);
}

struct build_case {
	const char *name;
	size_t n;
	unsigned threads;
	size_t memory;
	uint64_t spread;
};
static struct build_case build_cases[] = {
	{ "no captures", 0, 1, 0, 10 },
	{ "one", 1, 1, 0, 10 },
	{ "a restart interval", 16, 2, 0, 10 },
	{ "one more", 17, 1, 0, 10 },
	{ "some hundred", 700, 3, 0, 100 },
	{ "many of one URL", 3000, 2, 0, 1 },
	{ "several blocks, spilled", 30000, 2, 1, 100000 },
};

static void build_case(void **state)
{
	const struct build_case *tc = *state;
	struct cfs_index_stats st;
	struct cfs_index *ix;
	struct fix f;

	fix_open(&f);
	fix_make(&f, tc->n, 1 + tc->n, tc->spread);
	fix_build(&f, tc->threads, tc->memory);
	ix = fix_index(&f, 1 << 20);
	cfs_index_get_stats(ix, &st);
	assert_int_equal(st.captures, tc->n);
	check_walk(ix, &f);
	if (tc->n <= 3000)
		check_refs(ix, &f);
	cfs_index_close(ix);
	fix_close(&f);
}

/* ---- what has no place ---- */

static void add_url(struct cfs_builder *b, const char *url, size_t n)
{
	struct cfs_builder_capture c = { .url = cfs_slice_of(url, n), .mime = CFS_SLICE_EMPTY,
		.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY };

	assert_int_equal(cfs_builder_add(b, 0, &c, NULL), 0);
}

static struct cfs_builder *start(const struct fix *f, enum cfs_index_format format,
				 const struct cfs_cancel *cancel, int *rc, struct cfs_error *err)
{
	struct cfs_builder_opts o = { .path = f->path, .format = format, .threads = 1, .memory_bytes = 1,
		.archives = f->archives, .n_archives = FIX_ARCHIVES, .cancel = cancel };
	struct cfs_builder *b;

	*rc = cfs_builder_new(&b, &o, err);
	return b;
}

/* Holds L2. */
static void skipped(void **state)
{
	struct cfs_builder_counts counts;
	struct cfs_index_stats st;
	struct cfs_builder *b;
	struct cfs_index *ix;
	char big[9000], deep[5000] = "http://h";
	struct fix f;
	int rc;

	(void)state;
	memset(big, 'a', sizeof(big));
	memcpy(big, "http://h/", 9);
	for (unsigned i = 8; i + 2 < 8 + 2 * 1500; i += 2)
		memcpy(deep + i, "/a", 2);
	fix_open(&f);
	b = start(&f, CFS_INDEX_CFX, NULL, &rc, NULL);
	add_url(b, "dns:h", 5);
	add_url(b, "http://", 7);
	add_url(b, "urn:x", 5);
	add_url(b, "http://h/\0", 10);
	add_url(b, big, sizeof(big));
	add_url(b, big, CFS_URL_MAX + 1);
	add_url(b, big, CFS_URL_MAX);
	add_url(b, deep, strlen(deep));
	add_url(b, "http://h/", 9);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), 0);
	cfs_builder_free(b);
	assert_int_equal(counts.captures, 2);
	assert_int_equal(counts.skipped[CFS_SKIPPED_SCHEME], 3);
	assert_int_equal(counts.skipped[CFS_SKIPPED_NUL], 1);
	assert_int_equal(counts.skipped[CFS_SKIPPED_LONG], 2);
	assert_int_equal(counts.skipped[CFS_SKIPPED_DEEP], 1);
	ix = fix_index(&f, 0);
	cfs_index_get_stats(ix, &st);
	assert_int_equal(st.captures, 2);
	assert_int_equal(st.skipped, 4);
	cfs_index_close(ix);
	fix_close(&f);
}

/* ---- one digest all over, and a revisit to it ---- */

static void many_refs(void **state)
{
	struct cfs_builder_capture c = { .digest = CFS_SLICE_LIT("sha1:EMPTY"), .mime = CFS_SLICE_EMPTY,
		.record_id = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct cfs_index *ix;
	cfs_pos pos[2000];
	char url[40];
	struct fix f;
	size_t n;
	int rc;

	(void)state;
	fix_open(&f);
	b = start(&f, CFS_INDEX_CFX, NULL, &rc, NULL);
	for (unsigned i = 0; i < 30000; i++) {
		snprintf(url, sizeof(url), "http://h/%05u", i);
		c.url = cfs_slice_str(url);
		c.kind = i == 77 ? CFS_KIND_REVISIT : CFS_KIND_RESPONSE;
		assert_int_equal(cfs_builder_add(b, 0, &c, NULL), 0);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), 0);
	cfs_builder_free(b);
	ix = fix_index(&f, 1 << 20);
	assert_int_equal(cfs_index_find_ref(ix,
					    CFS_SLICE_LIT("digest:sha1:EMPTY"),
					    pos, 2000, &n,
					    CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(n, 256);
	for (size_t i = 1; i < n; i++)
		assert_true(pos[i] > pos[i - 1]);
	assert_int_equal(pos[255], cfs_pos_make(0, 256));	/* the revisit is none */
	assert_int_equal(cfs_index_find_ref(ix,
					    CFS_SLICE_LIT("digest:sha1:EMPTY"),
					    pos, 3, &n,
					    CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(n, 3);
	assert_int_equal(cfs_index_find_ref(ix, CFS_SLICE_LIT("digest:none"),
					    pos, 3, &n,
					    CFS_CTX(NULL, NULL)), 0);
	assert_int_equal(n, 0);
	cfs_index_close(ix);
	fix_close(&f);
}

/* ---- PB-tree ---- */

static void pbtree(void **state)
{
	struct cfs_builder_capture c = { .mime = CFS_SLICE_EMPTY, .span.length = 6043 };
	struct cfs_builder_counts counts;
	static struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_builder *b;
	struct cfs_index *ix;
	struct cfs_buf last;
	char url[60];
	struct fix f;
	unsigned n = 0;
	int rc;

	(void)state;
	fix_open(&f);
	f.archives[0].name = "segment/1346823845675/1346864466526_10.arc.gz";
	b = start(&f, CFS_INDEX_PBTREE, NULL, &rc, NULL);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(url, sizeof(url), "http://www%u.example.com/page%u", i * 7919 % 100, i);
		c.url = cfs_slice_str(url);
		c.span.offset = i;
		assert_int_equal(cfs_builder_add(b, 0, &c, NULL), 0);
	}
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), 0);
	cfs_builder_free(b);
	assert_int_equal(counts.captures, 20000);
	ix = fix_index(&f, 1 << 20);
	assert_string_equal(ix->format, "PB-tree");
	cfs_buf_init(&last, CFS_KEY_MAX);
	cfs_iter_init(&it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
				 CFS_CTX(NULL, NULL)); rc == CFS_OK;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), n++) {
		assert_true(cfs_slice_cmp(cfs_buf_slice(&last), it.key) < 0);
		cfs_buf_reset(&last);
		cfs_buf_add(&last, it.key);
		assert_int_equal(cfs_index_capture(&it, &cap, NULL), 0);
		assert_int_equal(cap.loc.length, 6043);
		snprintf(url, sizeof(url), "/page%u:http", (unsigned)cap.loc.offset);
		assert_true(cfs_slice_ends(it.key, cfs_slice_str(url)));
	}
	assert_int_equal(n, 20000);
	cfs_iter_release(&it);
	cfs_index_close(ix);
	cfs_buf_release(&last);
	fix_close(&f);
}

/* ---- the same input gives the same bytes ---- */

static void repeatable(void **state)
{
	struct fix f;
	uint8_t *a, *b;
	size_t na, nb;

	(void)state;
	fix_open(&f);
	fix_make(&f, 2000, 9, 500);
	fix_build(&f, 1, 0);
	a = fix_bytes(f.path, &na);
	fix_build(&f, 1, 0);	/* over the old one, in another order */
	b = fix_bytes(f.path, &nb);
	assert_int_equal(na, nb);
	assert_memory_equal(a, b, na);
	free(a);
	free(b);
	fix_close(&f);
}

/* ---- what goes wrong leaves what was there ---- */

static void write_old(const struct fix *f)
{
	FILE *o = fopen(f->path, "w");

	assert_non_null(o);
	fputs("old", o);
	fclose(o);
}

static void check_old(const struct fix *f)
{
	size_t n;
	uint8_t *p = fix_bytes(f->path, &n);

	assert_int_equal(n, 3);
	assert_memory_equal(p, "old", 3);
	free(p);
	assert_int_equal(fix_files(f), 1);
}

static int feed(struct cfs_builder *b, unsigned n, struct cfs_error *err)
{
	struct cfs_builder_capture c = { .mime = CFS_SLICE_EMPTY, .record_id = CFS_SLICE_EMPTY,
		.digest = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY };
	char url[60];
	int rc = CFS_OK;

	for (unsigned i = 0; i < n && rc == CFS_OK; i++) {
		snprintf(url, sizeof(url), "http://h%u.example.com/%u", i * 7919 % 1000, i);
		c.url = cfs_slice_str(url);
		rc = cfs_builder_add(b, 0, &c, err);
	}
	return rc;
}

static unsigned asked, stop_at;

static bool stops_build(void *arg)
{
	(void)arg;
	return ++asked >= stop_at;
}

static void cancelled_case(enum cfs_index_format format)
{
	struct cfs_cancel cancel = { .asked = stops_build };
	struct cfs_builder_counts counts;
	unsigned interrupted = 0;
	struct fix f;
	int rc = CFS_EINTR;

	fix_open(&f);
	for (stop_at = 1; rc != CFS_OK; stop_at++) {
		struct cfs_builder *b;

		write_old(&f);
		asked = 0;
		b = start(&f, format, &cancel, &rc, NULL);
		if (rc == CFS_OK)
			rc = feed(b, 20000, NULL);
		if (rc == CFS_OK)
			rc = cfs_builder_finish(b, &counts, NULL);
		cfs_builder_free(b);
		if (rc == CFS_EINTR) {
			check_old(&f);
			interrupted++;
		}
		assert_true(rc == CFS_OK || rc == CFS_EINTR);
	}
	assert_true(interrupted > 5);
	assert_int_equal(fix_files(&f), 1);
	fix_close(&f);
}

static void cancelled(void **state)
{
	(void)state;
	cancelled_case(CFS_INDEX_CFX);
	cancelled_case(CFS_INDEX_PBTREE);
}

/* A build that is given up without finish. */
/* Holds I7. */
static void abandoned(void **state)
{
	struct cfs_builder *b;
	struct fix f;
	int rc;

	(void)state;
	fix_open(&f);
	write_old(&f);
	b = start(&f, CFS_INDEX_CFX, NULL, &rc, NULL);
	assert_int_equal(feed(b, 20000, NULL), 0);
	assert_int_equal(fix_files(&f), 2);
	cfs_builder_free(b);
	check_old(&f);
	cfs_builder_free(NULL);
	fix_close(&f);
}

/* File size limits of all sizes stand in for a full disk. */
/* Holds I7. */
static void disk_full(void **state)
{
	struct cfs_builder_counts counts;
	struct rlimit old, small;
	unsigned failed = 0;
	struct fix f;
	int rc = CFS_EIO;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	fix_open(&f);
	for (rlim_t limit = 3; rc != CFS_OK; limit = limit * 3 / 2) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_builder *b;

		write_old(&f);
		small = old;
		small.rlim_cur = limit;
		setrlimit(RLIMIT_FSIZE, &small);
		b = start(&f, CFS_INDEX_CFX, NULL, &rc, &err);
		if (rc == CFS_OK)
			rc = feed(b, 30000, &err);
		if (rc == CFS_OK)
			rc = cfs_builder_finish(b, &counts, &err);
		setrlimit(RLIMIT_FSIZE, &old);
		cfs_builder_free(b);
		if (rc != CFS_OK) {
			assert_int_equal(rc, CFS_EIO);
			assert_non_null(strstr(err.text, "cannot write"));
			assert_true(err.where[0] != '\0');
			check_old(&f);
			failed++;
		}
	}
	assert_true(failed > 10);
	fix_close(&f);
}

static void bad_options(void **state)
{
	static const char *const names[] = { "/a", "../a", "a/../b", "", "a//b", "a/" };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_builder *b;
	struct fix f;
	int rc;

	(void)state;
	fix_open(&f);
	for (size_t i = 0; i < COUNT(names); i++) {
		f.archives[1].name = names[i];
		b = start(&f, CFS_INDEX_CFX, NULL, &rc, NULL);
		assert_int_equal(rc, CFS_EUSAGE);
		assert_null(b);
		assert_int_equal(fix_files(&f), 0);
	}
	f.archives[1].name = "x";
	snprintf(f.path, sizeof(f.path), "%s/none/index.cfx", f.dir);
	b = start(&f, CFS_INDEX_CFX, NULL, &rc, &err);
	assert_int_equal(rc, CFS_EIO);
	assert_null(b);
	assert_string_equal(err.where, f.path);
	fix_close(&f);
}

static uint64_t last_done, total_seen;

static void merged(void *arg, uint64_t done, uint64_t total)
{
	assert_ptr_equal(arg, &last_done);
	assert_true(done > last_done && done <= total);
	last_done = done;
	total_seen = total;
}

static void progress(void **state)
{
	struct cfs_builder_opts o = { .threads = 1, .merged = merged, .arg = &last_done };
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	struct fix f;

	(void)state;
	fix_open(&f);
	o.path = f.path;
	o.archives = f.archives;
	o.n_archives = FIX_ARCHIVES;
	assert_int_equal(cfs_builder_new(&b, &o, NULL), 0);
	assert_int_equal(feed(b, 50000, NULL), 0);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), 0);
	assert_int_equal(last_done, 50000);
	assert_int_equal(total_seen, 50000);
	cfs_builder_free(b);
	fix_close(&f);
}

/* ---- at most 40 bytes a capture on real URLs, all included ---- */

static void size_on_real_urls(void **state)
{
	struct cfs_builder_archive archives[100];
	struct cfs_builder_opts o = { .threads = 1, .archives = archives, .n_archives = 100 };
	const char *data = getenv("CFS_DATA");
	struct cfs_builder_counts counts;
	char path[4200], line[9000];
	static char names[100][60];
	struct cfs_builder *b;
	uint64_t rng = 2;
	struct fix f;
	FILE *in;

	(void)state;
	snprintf(path, sizeof(path), "%s/pbtree/common_crawl_index/sorted_urls.txt", data ? data : ".");
	in = fopen(path, "r");
	if (in == NULL) {
		printf("SKIP no list of real URLs\n");
		skip();
	}
	fix_open(&f);
	o.path = f.path;
	for (unsigned i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "crawl/CRAWL-2012-%05u-%08u.warc.gz", i, i * 7919);
		archives[i] = (struct cfs_builder_archive){ .name = names[i],
			.size = 1000000000, .mtime = 1325376000 };
	}
	assert_int_equal(cfs_builder_new(&b, &o, NULL), 0);
	while (fgets(line, sizeof(line), in) != NULL) {
		struct cfs_builder_capture c = {
			.url = cfs_slice_trim(cfs_slice_str(line)), .kind = CFS_KIND_RESPONSE,
			.time = 1325376000 + (int64_t)rng_below(&rng, 90 * 86400), .status = 200,
			.mime = rng_below(&rng, 5) ? CFS_SLICE_LIT("text/html") : CFS_SLICE_LIT("text/html; charset=utf-8"),
			.archive = (uint32_t)rng_below(&rng, 100), .span.offset = rng_below(&rng, 999000000),
			.span.length = 5000 + rng_below(&rng, 15000), .body_is_exact = true,
			.record_id = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
		};

		c.body_bytes = c.span.length * (2 + rng_below(&rng, 5));
		assert_int_equal(cfs_builder_add(b, 0, &c, NULL), 0);
	}
	fclose(in);
	assert_int_equal(cfs_builder_finish(b, &counts, NULL), 0);
	cfs_builder_free(b);
	printf("%.2f bytes a capture\n", (double)counts.file_bytes / (double)counts.captures);
	assert_true(counts.captures > 10000);
	assert_true(counts.file_bytes <= 40 * counts.captures);
	fix_close(&f);
}

/* Reports of damage come from any index that another one is made of. */
#define PLACE "\x05\x01x"		/* at 5, "x" */
#define PLACES8 PLACE PLACE PLACE PLACE PLACE PLACE PLACE PLACE
struct report_case {
	const char *name, *report;
	size_t n;
	bool is_good;
};
static struct report_case report_cases[] = {
	{ "one place", "\x01\x01" PLACE, 5, true },
	{ "one place of two", "\x02\x01" PLACE, 5, true },
	{ "16 places", "\x10\x10" PLACES8 PLACES8, 50, true },
	{ "17 places", "\x11\x11" PLACES8 PLACES8 PLACE, 53, false },
	{ "no place", "\x00\x00", 2, false },
	{ "no place is listed", "\x01\x00", 2, false },
	{ "more are listed than there are", "\x01\x02" PLACE PLACE, 8, false },
	{ "a place too few", "\x02\x02" PLACE, 5, false },
	{ "a byte too many", "\x01\x01" PLACE "x", 6, false },
	{ "a phrase that is cut off", "\x01\x01\x05\x02x", 5, false },
	{ "places without number", "\x02\xff\xff\xff\xff\xff\xff\xff\xff"
	  "\xff\x01" PLACE, 14, false },
	{ "", "", 0, false },
};

static void report_case(void **state)
{
	const struct report_case *tc = *state;
	struct cfs_cursor c = { CFS_SLICE_EMPTY, false };
	struct cfs_slice report;
	struct cfs_buf table;
	uint32_t archive = 0;

	cfs_buf_init(&table, 100);
	cfs_buf_varint(&table, 2);
	cfs_buf_varint(&table, tc->n);
	cfs_buf_append(&table, tc->report, tc->n);
	c.rest = cfs_buf_slice(&table);
	assert_int_equal(cfs_cfx_damage_next(&c, 3, &archive, &report),
			 tc->is_good);
	assert_int_equal(c.bad, !tc->is_good);
	assert_int_equal(archive, 2);
	c = (struct cfs_cursor){ cfs_buf_slice(&table), false };
	assert_false(cfs_cfx_damage_next(&c, 2, &archive, &report));
	assert_true(c.bad);
	cfs_buf_release(&table);
}

UNIT_PROGRAM
{
	UNIT_ROWS(report_cases, report_case);
	UNIT_ROWS(build_cases, build_case);
	UNIT_TEST(skipped);
	UNIT_TEST(many_refs);
	UNIT_TEST(pbtree);
	UNIT_TEST(repeatable);
	UNIT_TEST(cancelled);
	UNIT_TEST(abandoned);
	UNIT_TEST(disk_full);
	UNIT_TEST(bad_options);
	UNIT_TEST(progress);
	UNIT_TEST(size_on_real_urls);
	return unit_run("builder");
}
