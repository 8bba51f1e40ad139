/* indexer_test.c - folders of archives into an index, which is read back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "codec/gzip.h"
#include "format/open_index.h"
#include "index/index.h"
#include "indexing/indexer.h"
#include "record/store.h"

static char folder[] = "/tmp/cfs-indexer-XXXXXX";
static unsigned warnings, progress_calls;
static char last_warning[1024];

static void on_log(enum cfs_log_level level, const char *line, void *arg)
{
	(void)arg;
	if (level != CFS_LOG_WARNING)
		return;
	warnings++;
	snprintf(last_warning, sizeof(last_warning), "%s", line);
}

static void on_progress(void *arg, const struct cfs_progress *p)
{
	(void)arg;
	assert_true(p->bytes_done <= p->bytes_total);
	progress_calls++;
}

static const char *at(const char *name)
{
	static char path[64][512];
	static int turn;
	char *p = path[turn++ % 64];

	snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
	return p;
}

static void write_file(const char *name, struct cfs_slice s)
{
	FILE *f = fopen(at(name), "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(s.p, 1, s.n, f), s.n);
	assert_int_equal(fclose(f), 0);
}

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(at(name), 0777), 0);
}

static void add_arc(struct cfs_buf *b, const char *url, const char *body)
{
	cfs_buf_addf(b, "%s 1.2.3.4 20120509130938 text/html %zu\n"
		     "HTTP/1.0 200 OK\r\n\r\n%s\n", url, strlen(body) + 19,
		     body);
}

/* An archive of `n` records, a member each, of URLs http://HOST/i. */
static void write_arc(const char *name, const char *host, size_t n,
		      size_t body_bytes)
{
	char *body = malloc(body_bytes + 1), url[64];
	struct cfs_buf plain, gz;
	uint32_t x = (uint32_t)host[0];

	assert_non_null(body);
	cfs_buf_init(&gz, 256 << 20);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < body_bytes; k++) {
			x = x * 1664525 + 1013904223;
			body[k] = (char)('a' + (x >> 24) % 26);
		}
		body[body_bytes] = '\0';
		cfs_buf_init(&plain, 1 << 24);
		snprintf(url, sizeof(url), "http://%s/%zu", host, i);
		add_arc(&plain, url, body);
		assert_int_equal(cfs_gz_compress(cfs_buf_slice(&plain), &gz,
						 NULL), CFS_OK);
		cfs_buf_release(&plain);
	}
	write_file(name, cfs_buf_slice(&gz));
	cfs_buf_release(&gz);
	free(body);
}

static int run(const char *const *inputs, size_t n, const char *out,
	       enum cfs_index_format format, unsigned threads,
	       struct cfs_indexer_report *rep, struct cfs_error *err)
{
	struct cfs_indexer_opts o = { .inputs = inputs, .n_inputs = n,
		.output = out, .format = format, .threads = threads,
		.progress = on_progress };

	return cfs_indexer_run(&o, rep, err);
}

/* Each capture of the index, read through the store: its URL line is what
 * was indexed and its body has the size that the index tells. */
static void read_back(const char *path, const char *base, struct cfs_buf *out)
{
	struct cfs_store_opts so = { .bases = &base, .n_bases = 1 };
	struct cfs_iter *it = calloc(1, sizeof(*it));
	struct cfs_source *src;
	struct cfs_index *ix;
	struct cfs_store *st;
	int rc;

	assert_non_null(it);
	assert_int_equal(cfs_source_open_file(&src, path, NULL), CFS_OK);
	assert_int_equal(cfs_index_open(&ix, src, 1 << 20, NULL), CFS_OK);
	assert_int_equal(cfs_store_new(&st, &so, NULL), CFS_OK);
	cfs_iter_init(it);
	for (rc = cfs_index_seek(ix, CFS_SLICE_LIT(""), it,
				 CFS_CTX(NULL, NULL));
	     rc == CFS_OK; rc = cfs_index_next(it, CFS_CTX(NULL, NULL))) {
		struct cfs_error err = CFS_ERROR_INIT;
		const struct cfs_record *r;
		struct cfs_capture c;
		struct cfs_stored *got;
		struct cfs_buf name;

		cfs_buf_init(&name, 8192);
		assert_int_equal(cfs_index_capture(it, &c, NULL), CFS_OK);
		assert_int_equal(cfs_index_archive_name(ix, &c.loc, &name,
							NULL), CFS_OK);
		if (cfs_store_get(st, cfs_buf_slice(&name), &c.loc, &got,
				  CFS_CTX(NULL, &err)) != CFS_OK)
			fail_msg("%s %s", err.where, err.text);
		r = cfs_stored_record(got);
		/* a revisit shows the body of another capture */
		if (c.kind == CFS_KIND_REVISIT)
			assert_false(c.body_is_exact);
		if (c.body_is_exact)
			assert_int_equal(c.body_bytes, r->body.n);
		cfs_buf_add(out, r->url);
		cfs_buf_adds(out, ";");
		cfs_stored_put(got);
		cfs_buf_release(&name);
	}
	assert_int_equal(rc, CFS_END);
	cfs_iter_release(it);
	free(it);
	cfs_index_close(ix);
	cfs_store_free(st);
}

static void expect(const char *index, const char *base, const char *urls)
{
	struct cfs_buf got;

	cfs_buf_init(&got, 1 << 20);
	read_back(index, base, &got);
	assert_string_equal(cfs_buf_str(&got), urls);
	cfs_buf_release(&got);
}

/* ---- the cases ---- */

static void a_folder(void **state)
{
	const char *inputs[2];
	struct cfs_indexer_report rep;
	struct cfs_buf b;

	(void)state;
	make_folder("tree");
	make_folder("tree/deep");
	make_folder("tree/.hidden");
	write_arc("tree/b.arc.gz", "b.org", 2, 100);
	write_arc("tree/deep/a.arc.gz", "a.org", 2, 100);
	write_arc("tree/.hidden/x.arc.gz", "x.org", 2, 100);
	write_arc("elsewhere.arc.gz", "c.org", 1, 100);
	assert_int_equal(symlink(at("elsewhere.arc.gz"), at("tree/link.arc.gz")), 0);
	assert_int_equal(symlink(at("tree"), at("tree/deep/loop")), 0);
	write_file("tree/notes.txt", CFS_SLICE_LIT("no archive\n"));
	cfs_buf_init(&b, 4096);
	cfs_buf_adds(&b, "WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 0"
		     "\r\nWARC-Target-URI: http://d.org/\r\n\r\n\r\n\r\n"
		     "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 2\r\n"
		     "WARC-Target-URI: http://d.org/\r\n\r\nok\r\n\r\n"
		     "WARC/1.0\r\nWARC-Type: revisit\r\nContent-Length: 0\r\n"
		     "WARC-Target-URI: http://d.org/again\r\n\r\n\r\n\r\n"
		     "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 2\r\n"
		     "WARC-Target-URI: urn:x\r\n\r\nok\r\n\r\n");
	write_file("tree/d.warc", cfs_buf_slice(&b));
	cfs_buf_release(&b);
	inputs[0] = inputs[1] = at("tree");	/* once is enough */
	progress_calls = warnings = 0;
	assert_int_equal(run(inputs, 2, at("tree/out.cfx"), CFS_INDEX_CFX, 3,
			     &rep, NULL), CFS_OK);
	assert_int_equal(rep.built.captures, 7);
	assert_int_equal(rep.files, 4);
	assert_int_equal(rep.files_skipped, 2);		/* notes.txt, twice */
	assert_int_equal(rep.records, 9);
	assert_int_equal(rep.schemes.n, 1);		/* urn:x */
	assert_string_equal(rep.schemes.v[0].name, "urn");
	assert_int_equal(rep.schemes.v[0].n, 1);
	assert_int_equal(rep.built.related, 1);		/* the request */
	assert_int_equal(rep.damages, 0);
	assert_int_equal(warnings, 1);			/* no dates */
	assert_true(progress_calls > 0);
	expect(at("tree/out.cfx"), at("tree"),
	       "http://a.org/0;http://a.org/1;http://b.org/0;http://b.org/1;"
	       "http://c.org/0;http://d.org/;http://d.org/again;");
}

/* Archives that lie elsewhere are named from the folder they share. */
static void other_base(void **state)
{
	const char *inputs[] = { at("tree/b.arc.gz"), at("tree/deep/a.arc.gz") };
	struct cfs_indexer_report rep;

	(void)state;
	make_folder("index");
	warnings = 0;
	assert_int_equal(run(inputs, 2, at("index/o.cfx"), CFS_INDEX_CFX, 2,
			     &rep, NULL), CFS_OK);
	assert_int_equal(warnings, 1);
	assert_non_null(strstr(last_warning, "data="));
	expect(at("index/o.cfx"), at("tree"),
	       "http://a.org/0;http://a.org/1;http://b.org/0;http://b.org/1;");
}

static void damaged_half_way(void **state)
{
	const char *inputs[] = { at("bad.arc.gz") };
	struct cfs_indexer_report rep;
	struct stat st;
	FILE *f;

	(void)state;
	write_arc("bad.arc.gz", "b.org", 9, 1000);
	assert_int_equal(stat(inputs[0], &st), 0);
	f = fopen(inputs[0], "r+b");
	assert_non_null(f);
	fseek(f, st.st_size / 2, SEEK_SET);
	fwrite("xxxxxxxx", 1, 8, f);
	fclose(f);
	warnings = 0;
	assert_int_equal(run(inputs, 1, at("bad.cfx"), CFS_INDEX_CFX, 1, &rep,
			     NULL), CFS_OK);
	assert_int_equal(rep.built.captures, 8);
	assert_int_equal(rep.files_damaged, 1);
	assert_int_equal(rep.damages, 1);
	assert_int_equal(warnings, 1);
	assert_non_null(strstr(last_warning, "bad.arc.gz: offset "));
	expect(at("bad.cfx"), folder, "http://b.org/0;http://b.org/1;"
	       "http://b.org/2;http://b.org/3;http://b.org/5;http://b.org/6;"
	       "http://b.org/7;http://b.org/8;");
}

static void nothing(void **state)
{
	const char *inputs[] = { at("tree/notes.txt"), at("absent") };
	struct cfs_indexer_report rep;
	struct cfs_error err = CFS_ERROR_INIT;

	(void)state;
	warnings = 0;
	assert_int_equal(run(inputs, 1, at("none.cfx"), CFS_INDEX_CFX, 1, &rep,
			     &err), CFS_ENOTFOUND);
	assert_int_equal(warnings, 1);
	assert_int_equal(rep.files_skipped, 1);
	assert_int_not_equal(access(at("none.cfx"), F_OK), 0);
	/* a named input that is missing is refused before all else */
	cfs_error_clear(&err);
	assert_int_equal(run(inputs, 2, at("none.cfx"), CFS_INDEX_CFX, 1, &rep,
			     &err), CFS_ENOTFOUND);
	assert_string_equal(err.where, inputs[1]);
	assert_int_equal(warnings, 1);
	assert_int_not_equal(access(at("none.cfx"), F_OK), 0);
}

static void pb_tree(void **state)
{
	const char *inputs[] = { at("po") };
	struct cfs_indexer_report rep;

	(void)state;
	make_folder("po");
	make_folder("po/segment");
	make_folder("po/segment/1346876860567");
	write_arc("po/segment/1346876860567/1346913882801_2221.arc.gz", "a.org",
		  3, 100);
	write_arc("po/other.arc.gz", "b.org", 3, 100);
	warnings = 0;
	assert_int_equal(run(inputs, 1, at("po/url-index"), CFS_INDEX_PBTREE, 2,
			     &rep, NULL), CFS_OK);
	assert_int_equal(rep.built.captures, 3);
	assert_int_equal(rep.files_skipped, 1);
	assert_int_equal(warnings, 1);
	expect(at("po/url-index"), at("po"),
	       "http://a.org/0;http://a.org/1;http://a.org/2;");
}

static bool is_asked(void *arg)
{
	return *(bool *)arg;
}

/* Holds I7. */
static void interrupted(void **state)
{
	const char *inputs[] = { at("tree") };
	bool yes = true;
	struct cfs_cancel c = { .asked = is_asked, .arg = &yes };
	struct cfs_indexer_opts o = { .inputs = inputs, .n_inputs = 1,
		.output = at("int.cfx"), .cancel = &c };

	(void)state;
	assert_int_equal(cfs_indexer_run(&o, NULL, NULL), CFS_EINTR);
	assert_int_not_equal(access(at("int.cfx"), F_OK), 0);
}

/* A file so large that it is cut between threads: the same index as one
 * thread makes. */
static uint64_t index_large(unsigned threads, struct cfs_buf *bytes)
{
	const char *inputs[] = { at("large.arc.gz") };
	struct cfs_indexer_report rep;
	uint8_t part[4096];
	size_t n;
	FILE *f;

	assert_int_equal(run(inputs, 1, at("large.cfx"), CFS_INDEX_CFX, threads,
			     &rep, NULL), CFS_OK);
	assert_int_equal(rep.damages, 0);
	f = fopen(at("large.cfx"), "rb");
	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		cfs_buf_append(bytes, part, n);
	fclose(f);
	return rep.built.captures;
}

static void compare_large(uint64_t want)
{
	struct cfs_buf one, three;

	cfs_buf_init(&one, 1 << 20);
	cfs_buf_init(&three, 1 << 20);
	assert_int_equal(index_large(1, &one), want);
	assert_int_equal(index_large(3, &three), want);
	assert_slice_n(cfs_buf_slice(&three), one.p, one.n);
	cfs_buf_release(&one);
	cfs_buf_release(&three);
}

static void cut_between_threads(void **state)
{
	(void)state;
	write_arc("large.arc.gz", "l.org", 60, 1000000);
	compare_large(60);
}

/* The same where the cut falls into archives kept inside a record: those must
 * not be taken for members of this one. */
static void cut_inside_record(void **state)
{
	struct cfs_buf inner, plain, file, one;

	(void)state;
	cfs_buf_init(&inner, 128 << 20);
	cfs_buf_init(&plain, 128 << 20);
	cfs_buf_init(&file, 128 << 20);
	cfs_buf_init(&one, 1 << 20);
	add_arc(&one, "http://inner.org/", "text");
	cfs_gz_compress(cfs_buf_slice(&one), &file, NULL);
	while (inner.n < (40u << 20))
		cfs_buf_add(&inner, cfs_buf_slice(&file));
	cfs_buf_reset(&file);
	cfs_buf_addf(&plain, "http://outer.org/ 1.2.3.4 20120509130938 "
		     "application/gzip %zu\n", inner.n);
	cfs_buf_add(&plain, cfs_buf_slice(&inner));
	cfs_buf_adds(&plain, "\n");
	/* stored, not compressed, so that the members inside lie open */
	cfs_buf_adds(&file, "\x1f\x8b\x08");
	for (int i = 0; i < 6; i++)
		cfs_buf_addc(&file, 0);
	cfs_buf_addc(&file, 3);
	for (size_t off = 0; off < plain.n; off += 65535) {
		size_t n = plain.n - off < 65535 ? plain.n - off : 65535;

		cfs_buf_addc(&file, off + n == plain.n);
		cfs_buf_le16(&file, (uint16_t)n);
		cfs_buf_le16(&file, (uint16_t)~n);
		cfs_buf_append(&file, plain.p + off, n);
	}
	cfs_buf_le32(&file, (uint32_t)crc32_z(0, plain.p, plain.n));
	cfs_buf_le32(&file, (uint32_t)plain.n);
	cfs_buf_reset(&one);
	add_arc(&one, "http://after.org/", "text");
	cfs_gz_compress(cfs_buf_slice(&one), &file, NULL);
	write_file("large.arc.gz", cfs_buf_slice(&file));
	cfs_buf_release(&inner);
	cfs_buf_release(&plain);
	cfs_buf_release(&file);
	cfs_buf_release(&one);
	compare_large(2);
}

static int setup(void **state)
{
	(void)state;
	cfs_log_to(on_log, NULL, CFS_LOG_WARNING);
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

UNIT_PROGRAM
{
	UNIT_TEST(a_folder);
	UNIT_TEST(other_base);
	UNIT_TEST(damaged_half_way);
	UNIT_TEST(nothing);
	UNIT_TEST(pb_tree);
	UNIT_TEST(interrupted);
	UNIT_TEST(cut_between_threads);
	UNIT_TEST(cut_inside_record);
	return unit_run_with("indexer", setup, teardown);
}
