/* copy_test.c - the copying of records when reading or memory fails: a copy is
 * right or it is not there, and what failed is gone on with to the same bytes.
 *
 * What comes out is compared with members of the archives this test wrote
 * itself.  The linker sends malloc, calloc and realloc of our own code here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_fail.h"
#include "copy/copy.h"
#include "copy/copyfile.h"
#include "copy/copy_internal.h"
#include "codec/gzip.h"
#include "index/index.h"
#include "net/open_location.h"
#include "fault.h"
#include "format/open_index.h"

/* ---- a crawl ---------------------------------------------------------- */

#define ARCHIVES 3u
#define RECORDS 24u		/* in each archive */
#define BIG 80000u		/* every fourth: a hole that is not read over */

static char folder[] = "/tmp/cfs-copy-XXXXXX";
static struct cfs_buf expected;	/* members of the small records, in order */
static struct cfs_index *ix;

static bool is_big(unsigned i)
{
	return i % 4 == 3;
}

static void add_record(struct cfs_buf *archive, unsigned a, unsigned i)
{
	size_t n = is_big(i) ? BIG : 50 + 20 * i;
	struct cfs_buf plain;
	char url[64];
	uint32_t x = a * 100 + i + 1;
	size_t before = archive->n;

	snprintf(url, sizeof(url), "http://%s.example/%u-%02u",
		 is_big(i) ? "big" : "small", a, i);
	cfs_buf_init(&plain, 1 << 20);
	cfs_buf_addf(&plain, "WARC/1.0\r\nWARC-Type: resource\r\n"
		     "WARC-Target-URI: %s\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
		     "WARC-Record-ID: <urn:uuid:%u-%u>\r\n"
		     "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n",
		     url, a, i, n);
	for (size_t k = 0; k < n; k++) {
		x = x * 1664525 + 1013904223;
		cfs_buf_addc(&plain, (uint8_t)(x >> 24));
	}
	cfs_buf_adds(&plain, "\r\n\r\n");
	assert_int_equal(cfs_gz_compress(cfs_buf_slice(&plain), archive, NULL),
			 CFS_OK);
	if (!is_big(i))
		cfs_buf_append(&expected, archive->p + before,
			       archive->n - before);
	cfs_buf_release(&plain);
}

static void write_archive(unsigned a)
{
	struct cfs_buf b;
	char name[32];
	FILE *f;

	cfs_buf_init(&b, 1 << 24);
	for (unsigned i = 0; i < RECORDS; i++)
		add_record(&b, a, i);
	snprintf(name, sizeof(name), "a%u.warc.gz", a);
	f = fopen(name, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b.p, 1, b.n, f), b.n);
	fclose(f);
	cfs_buf_release(&b);
}

static int set_up(void **state)
{
	static const char *const inputs[] = { "a0.warc.gz", "a1.warc.gz",
					      "a2.warc.gz" };
	struct cfs_indexer_opts o = { .inputs = inputs, .n_inputs = ARCHIVES,
		.output = "i.cfx", .threads = 1 };
	struct cfs_source *src;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	cfs_buf_init(&expected, 1 << 24);
	for (unsigned a = 0; a < ARCHIVES; a++)
		write_archive(a);
	assert_int_equal(cfs_indexer_run(&o, NULL, NULL), CFS_OK);
	assert_int_equal(cfs_source_open_file(&src, "i.cfx", NULL), CFS_OK);
	return cfs_index_open(&ix, src, 1 << 20, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	cfs_index_close(ix);
	cfs_buf_release(&expected);
	for (unsigned a = 0; a < ARCHIVES; a++) {
		char name[32];

		snprintf(name, sizeof(name), "a%u.warc.gz", a);
		unlink(name);
	}
	unlink("i.cfx");
	return chdir("/") == 0 ? rmdir(folder) : -1;
}

/* ---- one attempt ------------------------------------------------------ */

struct attempt {
	struct cfs_fault fault;
	bool keep_going;
	struct cfs_copy_report report;
};

static int open_faulty(void *arg, const char *location, struct cfs_source **out,
		       struct cfs_ctx ctx)
{
	const struct attempt *a = arg;
	struct cfs_source *inner;
	int rc = cfs_source_open_file(&inner, strrchr(location, '/') + 1,
				      ctx.err);

	return rc != CFS_OK ? rc :
	       cfs_source_open_fault(out, inner, &a->fault, ctx.err);
}

static int add_small(struct cfs_copy *c)
{
	static struct cfs_iter it;
	struct cfs_capture cap;
	struct cfs_buf url;
	int rc;

	cfs_iter_init(&it);
	cfs_buf_init(&url, 1 << 14);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL))) {
		rc = cfs_index_capture(&it, &cap, NULL);
		cfs_buf_reset(&url);
		if (rc == CFS_OK)
			rc = cfs_index_key_url(ix, it.key, &cap, &url);
		if (rc == CFS_OK && cfs_slice_search(cfs_buf_slice(&url),
				CFS_SLICE_LIT("//small")) >= 0)
			rc = cfs_copy_add(c, it.key, &cap, CFS_COPY_CAPTURE,
					  NULL);
		if (rc != CFS_OK)
			break;
	}
	cfs_buf_release(&url);
	cfs_iter_release(&it);
	return rc == CFS_END ? CFS_OK : rc;
}

static int run(struct attempt *a)
{
	struct cfs_opener opener = { open_faulty, a };
	/* not a folder: those are opened without asking the opener */
	static const char *const base = "test://here";
	struct cfs_store_opts so = { .cache_bytes = 1 << 20, .opener = &opener,
		.bases = &base, .n_bases = 1 };
	struct cfs_copy_opts o = { .index = ix, .output = "out.warc.gz",
		.format = CFS_ARCHIVE_WARC, .described = "test", .time = 1,
		.parallel = 2, .keep_going = a->keep_going };
	struct cfs_copy *c = NULL;
	struct cfs_store *store = NULL;
	int rc = cfs_store_new(&store, &so, NULL);

	o.store = store;
	if (rc == CFS_OK)
		rc = cfs_copy_new(&c, &o, NULL);
	if (rc == CFS_OK)
		rc = add_small(c);
	if (rc == CFS_OK)
		rc = cfs_copy_run(c, &a->report, NULL);
	cfs_copy_free(c);
	cfs_store_free(store);
	return rc;
}

static bool is_there(const char *name)
{
	return access(name, F_OK) == 0;
}

static void remove_output(void)
{
	unlink("out.warc.gz");
	unlink("out.warc.gz.cfx");
	unlink("out.warc.gz.part");
	unlink("out.warc.gz.journal");
}

/* The copy is there, whole, and nothing else is. */
static void check_output(void)
{
	static uint8_t got[1 << 20];
	FILE *f = fopen("out.warc.gz", "rb");
	size_t n;

	assert_non_null(f);
	n = fread(got, 1, sizeof(got), f);
	fclose(f);
	assert_true(n > expected.n);	/* the record in front of them */
	assert_memory_equal(got + n - expected.n, expected.p, expected.n);
	assert_false(is_there("out.warc.gz.part"));
	assert_false(is_there("out.warc.gz.journal"));
	assert_true(is_there("out.warc.gz.cfx"));
}

static void all_is_well(void **state)
{
	struct attempt a = { .fault = { .code = 0 } };

	(void)state;
	assert_int_equal(run(&a), CFS_OK);
	assert_int_equal(a.report.records, ARCHIVES * RECORDS * 3 / 4);
	assert_int_equal(a.report.damaged, 0);
	check_output();
	remove_output();
}

static void a_read_fails(void **state)
{
	struct attempt a = { .fault = { .code = 0 } };
	unsigned failed = 0, resumed = 0;

	(void)state;
	for (uint64_t k = 1; k <= 16; k++) {
		int rc;

		a.fault = (struct cfs_fault){ .fail_read = k,
			.code = k % 2 ? CFS_EIO : CFS_ETIMEOUT };
		rc = run(&a);
		assert_true(rc == CFS_OK || rc == a.fault.code);
		assert_true((rc == CFS_OK) == is_there("out.warc.gz"));
		if (rc != CFS_OK) {
			failed++;
			a.fault.fail_read = 0;
			assert_int_equal(run(&a), CFS_OK);
			resumed += a.report.resumed > 0;
		}
		check_output();
		remove_output();
	}
	assert_true(failed > 3);
	assert_true(resumed > 1);
}

static void a_read_fails_and_it_goes_on(void **state)
{
	struct attempt a = { .fault = { .fail_read = 3 }, .keep_going = true };

	(void)state;
	assert_int_equal(run(&a), CFS_OK);
	assert_true(a.report.records > 0);
	assert_int_equal(a.report.records + a.report.damaged,
			 ARCHIVES * RECORDS * 3 / 4);
	remove_output();
}

static void short_reads(void **state)
{
	struct attempt a = { .fault = { .max_read = 7 } };

	(void)state;
	assert_int_equal(run(&a), CFS_OK);
	check_output();
	remove_output();
}

static void the_index_fails_and_is_made_later(void **state)
{
	struct attempt a = { .fault = { .code = 0 } };

	(void)state;
	assert_int_equal(mkdir("out.warc.gz.cfx", 0777), 0);
	assert_true(run(&a) < 0);
	assert_true(is_there("out.warc.gz"));
	assert_int_equal(rmdir("out.warc.gz.cfx"), 0);
	assert_int_equal(run(&a), CFS_OK);
	assert_int_equal(a.report.resumed, ARCHIVES * RECORDS * 3 / 4);
	check_output();
	assert_int_equal(run(&a), CFS_EIO);	/* it is there */
	check_output();
	remove_output();
}

static void an_allocation_fails(void **state)
{
	struct attempt a = { .fault = { .code = 0 } };
	bool reached = true;
	unsigned failed = 0;

	(void)state;
	for (long i = 0; reached; i += 1 + i / 25) {
		int rc;

		countdown = i;
		rc = run(&a);
		reached = countdown < 0;
		countdown = -1;
		if (rc != CFS_OK) {
			assert_int_equal(rc, CFS_ENOMEM);
			failed++;
			assert_int_equal(run(&a), CFS_OK);
		}
		/* nothing is taken for damage that is not */
		assert_int_equal(a.report.damaged, 0);
		check_output();
		remove_output();
	}
	assert_true(failed > 30);
}

/* ---- the index on the way --------------------------------------------- */

/* The index that came with the copy is that of the file, byte for byte. */
static void check_index(void)
{
	static const char *const input = "out.warc.gz";
	static uint8_t a[1 << 16], b[1 << 16];
	struct cfs_indexer_opts o = { .inputs = &input, .n_inputs = 1,
		.output = "again.cfx", .threads = 1, .no_joins = true };
	FILE *f = fopen("out.warc.gz.cfx", "rb");
	size_t n;

	assert_non_null(f);
	n = fread(a, 1, sizeof(a), f);
	fclose(f);
	assert_int_equal(cfs_indexer_run(&o, NULL, NULL), CFS_OK);
	f = fopen("again.cfx", "rb");
	assert_non_null(f);
	assert_int_equal(fread(b, 1, sizeof(b), f), n);
	fclose(f);
	assert_memory_equal(a, b, n);
	unlink("again.cfx");
}

static void the_index_is_that_of_the_file(void **state)
{
	struct attempt a = { .fault = { .code = 0 } };
	unsigned resumed = 0;

	(void)state;
	assert_int_equal(run(&a), CFS_OK);
	check_index();
	remove_output();
	a.fault.fail_read = 3;		/* something is left out */
	a.keep_going = true;
	assert_int_equal(run(&a), CFS_OK);
	check_index();
	remove_output();
	a.keep_going = false;
	for (uint64_t k = 1; k <= 16; k++) {	/* and there are two runs */
		a.fault.fail_read = k;
		if (run(&a) == CFS_OK) {
			remove_output();
			continue;
		}
		a.fault.fail_read = 0;
		assert_int_equal(run(&a), CFS_OK);
		resumed += a.report.resumed > 0;
		check_index();
		remove_output();
	}
	assert_true(resumed > 1);
}

#define WARC(type, bytes, block) "WARC/1.0\r\nWARC-Type: " type "\r\n" \
	"WARC-Target-URI: http://a.example/\r\n" \
	"WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: " bytes \
	"\r\n\r\n" block
#define GOOD WARC("resource", "3", "abc\r\n\r\n")

struct look_case {
	const char *name, *piece[3];
	size_t cut;			/* bytes from the end of the last */
	int rc;
};
static struct look_case look_cases[] = {
	{ "records", { GOOD, GOOD, GOOD }, 0, CFS_OK },
	{ "two in a piece", { GOOD GOOD, GOOD }, 0, CFS_OK },
	{ "no page", { GOOD, WARC("request", "1", "x\r\n\r\n") }, 0, CFS_OK },
	/* the header of the next one ends it, and the file's end does not */
	{ "short, then another", { WARC("resource", "9", "abc"), GOOD }, 0,
	  CFS_OK },
	{ "short, the last", { GOOD, WARC("resource", "9", "abc") }, 0,
	  CFS_EFORMAT },
	{ "over two pieces", { WARC("resource", "3", ""), "abc\r\n\r\n" }, 0,
	  CFS_EFORMAT },
	{ "bytes behind it", { GOOD "nothing known", GOOD }, 0, CFS_EFORMAT },
	{ "no record first", { "nothing", GOOD }, 0, CFS_EFORMAT },
	{ "no record in the middle", { GOOD, "nothing", GOOD }, 0, CFS_EFORMAT },
	{ "an empty member", { GOOD, "", GOOD }, 0, CFS_EFORMAT },
	{ "of the other format", { GOOD, "http://a.example/ 1.2.3.4 "
	  "20200101000000 text/plain 3\nabc\n" }, 0, CFS_EFORMAT },
	{ "cut", { GOOD, GOOD }, 1, CFS_EFORMAT },
	{ "cut away", { GOOD, GOOD }, 90, CFS_EFORMAT },
};

static void look_case(void **state)
{
	const struct look_case *tc = *state;
	const struct cfs_copy_opts o = { .output = "x.warc.gz",
		.format = CFS_ARCHIVE_WARC };
	const struct cfs_copy_reader r = { .opts = &o };
	struct cfs_copy_stretch *s = cfs_copy_stretch_new("");
	size_t n = 0;

	s->ends = calloc(3, sizeof(*s->ends));
	s->of = calloc(3, sizeof(*s->of));
	for (; n < 3 && tc->piece[n] != NULL; n++) {
		assert_int_equal(cfs_gz_compress(cfs_slice_str(tc->piece[n]),
						 &s->out, NULL), CFS_OK);
		s->ends[n] = s->out.n;
	}
	assert_true(s->out.n > tc->cut);
	s->out.n -= tc->cut;
	s->ends[n - 1] = s->out.n;
	s->n_ends = n;
	assert_int_equal(cfs_copyindex_look(&r, s, NULL), tc->rc);
	assert_false(s->is_odd);
	assert_true((s->captures.n > 0) == (tc->rc == CFS_OK));
	cfs_copy_stretch_free(s);
}

/* ---- the growing file ------------------------------------------------- */

static struct cfs_copyfile *open_file(uint64_t fingerprint,
				      struct cfs_copyfile_mark *mark)
{
	struct cfs_copyfile_opts o = { .path = "f", .fingerprint = fingerprint };
	struct cfs_copyfile *f;
	bool is_whole;

	assert_int_equal(cfs_copyfile_open(&f, &o, mark, &is_whole, NULL),
			 CFS_OK);
	assert_false(is_whole);
	return f;
}

/* Writes `stretches` of 5 bytes each and leaves it so. */
static void leave_file(unsigned stretches)
{
	struct cfs_copyfile_mark mark;
	struct cfs_copyfile *f = open_file(7, &mark);

	assert_int_equal(mark.items, 0);
	for (unsigned i = 0; i < stretches; i++) {
		assert_int_equal(cfs_copyfile_add(f, CFS_SLICE_LIT("12345"), 2,
						  1, NULL), CFS_OK);
		assert_int_equal(cfs_copyfile_flush(f, NULL), CFS_OK);
	}
	cfs_copyfile_close(f);
}

/* A journal without its first words is somebody else's, and so is a growing file
 * without a journal: neither is touched. */
static void check_refused(void)
{
	struct cfs_copyfile_opts o = { .path = "f", .fingerprint = 7 };
	struct cfs_copyfile_mark mark;
	struct cfs_copyfile *f;
	struct stat before, after;
	bool is_whole;

	assert_int_equal(stat("f.part", &before), 0);
	assert_int_equal(cfs_copyfile_open(&f, &o, &mark, &is_whole, NULL),
			 CFS_EIO);
	assert_null(f);
	assert_int_equal(stat("f.part", &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	unlink("f.part");
	assert_int_equal(unlink("f.journal"), 0);
}

/* Every byte of both files changed, and every length of them: what is
 * believed is a whole number of stretches that are as they were. */
static void check_change(const char *name, long at, bool cut)
{
	struct cfs_copyfile_mark mark;
	struct cfs_copyfile *f;
	FILE *file;
	int c;

	leave_file(4);
	if (cut) {
		assert_int_equal(truncate(name, at), 0);
	} else {
		file = fopen(name, "rb+");
		assert_non_null(file);
		fseek(file, at, SEEK_SET);
		c = fgetc(file);
		fseek(file, at, SEEK_SET);
		fputc(c ^ 1, file);
		fclose(file);
	}
	if (strcmp(name, "f.journal") == 0 &&
	    (cut ? at == 0 : at < (long)strlen("crawlfs-copy 1 "))) {
		check_refused();
		return;
	}
	f = open_file(7, &mark);
	assert_true(mark.items <= 6 || (cut && mark.items == 8));
	assert_int_equal(mark.bytes, mark.items / 2 * 5);
	assert_int_equal(mark.written, mark.items / 2);
	if (strcmp(name, "f.part") == 0)
		assert_int_equal(mark.items, at / 5 * 2);
	cfs_copyfile_forget(f);
	cfs_copyfile_close(f);
	assert_false(is_there("f.part"));
}

/* Holds I8. */
static void what_is_not_as_written_is_cut_off(void **state)
{
	struct stat st;

	(void)state;
	leave_file(4);
	assert_int_equal(stat("f.journal", &st), 0);
	unlink("f.part");
	unlink("f.journal");
	for (long at = 0; at < 20; at++) {
		check_change("f.part", at, false);
		check_change("f.part", at, true);
	}
	for (long at = 0; at < st.st_size; at++) {
		check_change("f.journal", at, false);
		check_change("f.journal", at, true);
	}
}

/* Writes items, and an end of 4 bytes that other code writes; the first 3 bytes
 * are the lead. */
static void leave_sealed(const struct cfs_copyfile_opts *o)
{
	struct cfs_copyfile_mark mark;
	struct cfs_copyfile *f;
	const char *path;
	uint64_t bytes;
	bool is_whole;
	int fd;

	assert_int_equal(cfs_copyfile_open(&f, o, &mark, &is_whole, NULL),
			 CFS_OK);
	assert_int_equal(mark.items, 0);
	assert_int_equal(cfs_copyfile_add(f, CFS_SLICE_LIT("12345"), 2, 1,
					  NULL), CFS_OK);
	assert_int_equal(cfs_copyfile_lend(f, &fd, &path, &bytes, NULL),
			 CFS_OK);
	assert_string_equal(path, "f.part");
	assert_int_equal(bytes, 5);
	assert_int_equal(pwrite(fd, "tail", 4, 5), 4);
	assert_int_equal(pwrite(fd, "abc", 3, 0), 3);
	assert_int_equal(cfs_copyfile_seal(f, 9, NULL), CFS_OK);
	cfs_copyfile_close(f);
}

/* The byte that is changed, and how much is believed then. */
static const struct seal_case {
	const char *name;
	long at;
	uint64_t bytes;
	bool is_sealed;
} seal_cases[] = {
	{ "nothing", -1, 9, true },
	{ "the first byte of the lead", 0, 9, true },
	{ "the last byte of the lead", 2, 9, true },
	{ "behind the lead", 3, 0, false },
	{ "the end of the items", 4, 0, false },
	{ "the end", 5, 5, false },
	{ "the last byte", 8, 5, false },
};

static void the_end_is_sealed(void **state)
{
	const struct seal_case *tc = *state;
	struct cfs_copyfile_opts o = { .path = "f", .fingerprint = 7,
				       .lead_bytes = 3 };
	struct cfs_copyfile_mark mark;
	struct cfs_copyfile *f;
	bool is_whole;
	int fd;

	leave_sealed(&o);
	if (tc->at >= 0) {
		fd = open("f.part", O_RDWR | O_CLOEXEC);
		assert_int_equal(pwrite(fd, "?", 1, tc->at), 1);
		close(fd);
	}
	assert_int_equal(cfs_copyfile_open(&f, &o, &mark, &is_whole, NULL),
			 CFS_OK);
	assert_false(is_whole);
	assert_int_equal(mark.bytes, tc->bytes);
	assert_int_equal(mark.items, tc->bytes > 0 ? 2 : 0);
	assert_int_equal(mark.is_sealed, tc->is_sealed);
	cfs_copyfile_forget(f);
	cfs_copyfile_close(f);
}

static void another_fingerprint_begins_anew(void **state)
{
	struct cfs_copyfile_mark mark;
	struct cfs_copyfile *f;

	(void)state;
	leave_file(3);
	f = open_file(8, &mark);
	assert_int_equal(mark.bytes, 0);
	cfs_copyfile_forget(f);
	cfs_copyfile_close(f);
}

UNIT_PROGRAM
{
	UNIT_TEST(all_is_well);
	UNIT_TEST(a_read_fails);
	UNIT_TEST(a_read_fails_and_it_goes_on);
	UNIT_TEST(short_reads);
	UNIT_TEST(the_index_fails_and_is_made_later);
	UNIT_TEST(the_index_is_that_of_the_file);
	UNIT_TEST(an_allocation_fails);
	UNIT_TEST(what_is_not_as_written_is_cut_off);
	UNIT_ROWS(seal_cases, the_end_is_sealed);
	UNIT_TEST(another_fingerprint_begins_anew);
	UNIT_ROWS(look_cases, look_case);
	return unit_run_with("copy", set_up, tear_down);
}
