/* store_test.c - records by their place: shared, refused, never wrong.
 *
 * Archives are written to a temporary folder; the real samples are read with
 * the scanner first and must come out of the store the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <ftw.h>
#include <pthread.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "codec/gzip.h"
#include "net/open_location.h"
#include "record/scan.h"
#include "record/sniff.h"
#include "record/store.h"

static const struct cfs_member_form as_gzip = {
	.coding = CFS_CODING_GZIP, .with_dict = true,
};
static char folder[] = "/tmp/cfs-store-XXXXXX";
static unsigned warnings;

static void on_log(enum cfs_log_level level, const char *line, void *arg)
{
	(void)line;
	(void)arg;
	warnings += level == CFS_LOG_WARNING;
}

static void write_file(const char *name, const void *p, size_t n)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static struct cfs_store *new_store(const char *base, size_t cache_bytes)
{
	const char *const bases[] = { "/nonexistent", base };
	struct cfs_store_opts opts = { .bases = bases, .n_bases = 2,
				       .cache_bytes = cache_bytes };
	struct cfs_store *s;

	assert_int_equal(cfs_store_new(&s, &opts, NULL), CFS_OK);
	return s;
}

/* Letters that compress badly, always the same. */
static void fill_letters(char *p, size_t n)
{
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (char)('a' + (x >> 24) % 26);
	}
}

/* Three ARC records, each a member: "first", "second" (50 KB), "third". */
static size_t ends[3];

static void write_three(const char *name)
{
	static char big[50001];
	const char *body[3] = { "first", big, "third" };
	struct cfs_buf b, gz;

	fill_letters(big, 50000);
	cfs_buf_init(&gz, 1 << 20);
	for (size_t i = 0; i < 3; i++) {
		cfs_buf_init(&b, 1 << 20);
		cfs_buf_addf(&b, "http://a.org/%zu 1.2.3.4 20080509130938 "
			     "text/plain %zu\n%s\n", i, strlen(body[i]),
			     body[i]);
		assert_int_equal(cfs_gz_compress(cfs_buf_slice(&b), &gz, NULL),
				 CFS_OK);
		ends[i] = gz.n;
		cfs_buf_release(&b);
	}
	write_file(name, gz.p, gz.n);
	cfs_buf_release(&gz);
}

static struct cfs_span loc_of(size_t i)
{
	size_t from = i == 0 ? 0 : ends[i - 1];

	return (struct cfs_span){ .offset = from, .length = ends[i] - from };
}

static int get(struct cfs_store *s, const char *name,
	       const struct cfs_span *loc, struct cfs_stored **out,
	       struct cfs_error *err)
{
	return cfs_store_get(s, cfs_slice_str(name), loc, out,
			     CFS_CTX(NULL, err));
}

static void shared_record(void **state)
{
	struct cfs_store *s = new_store(folder, 0);
	struct cfs_span loc = loc_of(0);
	struct cfs_stored *a, *b;
	struct cfs_store_stats st;

	(void)state;
	assert_int_equal(get(s, "three.arc.gz", &loc, &a, NULL), CFS_OK);
	assert_int_equal(get(s, "three.arc.gz", &loc, &b, NULL), CFS_OK);
	assert_ptr_equal(cfs_stored_record(a), cfs_stored_record(b));
	assert_slice(cfs_stored_record(a)->body, "first");
	assert_slice(cfs_stored_record(a)->url, "http://a.org/0");
	cfs_stored_put(a);
	cfs_stored_put(b);
	cfs_store_get_stats(s, &st);
	assert_int_equal(st.hits, 1);
	assert_int_equal(st.misses, 1);
	assert_int_equal(st.read_bytes, loc.length);
	cfs_store_free(s);
}

struct bad_case {
	const char *name, *archive;
	int64_t offset, length;	/* -1: those of record 1 */
	int rc;
	const char *text;
};
static struct bad_case bad_cases[] = {
	{ "no such file", "absent.arc.gz", -1, -1, CFS_ENOTFOUND, "absent.arc.gz" },
	/* Holds L5. */
	{ "absolute", "/etc/passwd", 0, 10, CFS_EFORMAT, "does not lie below" },
	{ "dots", "../x/three.arc.gz", -1, -1, CFS_EFORMAT, "does not lie below" },
	/* Holds L5. */
	{ "dots inside", "a/../../etc/passwd", 0, 10, CFS_EFORMAT, "does not lie below" },
	{ "only dots", "..", 0, 10, CFS_EFORMAT, "does not lie below" },
	{ "empty name", "", 0, 10, CFS_EFORMAT, "does not lie below" },
	{ "past the end", "three.arc.gz", 1000000, 100, CFS_EFORMAT, "no record" },
	{ "longer than the file", "three.arc.gz", 10, 1000000, CFS_EFORMAT,
	  "no record of" },
	{ "overflow", "three.arc.gz", 10, INT64_MAX, CFS_EFORMAT, "no record of" },
	{ "length not known, inside a member", "three.arc.gz", 30, 0,
	  CFS_EFORMAT, "does not say" },
	{ "length not known, past the end", "three.arc.gz", 1000000, 0,
	  CFS_EFORMAT, "does not say" },
	{ "length not known, no member", "text", 0, 0, CFS_EFORMAT,
	  "does not say" },
	{ "inside a member", "three.arc.gz", 30, 50, CFS_EFORMAT,
	  "no record begins" },
	{ "length too short", "three.arc.gz", -1, 30, CFS_EFORMAT, "longer than" },
	{ "no archive", "text", 0, 20, CFS_EFORMAT, "no record begins" },
};

/* A member of its own says where a record ends. */
static void length_not_known(void **state)
{
	struct cfs_store *s = new_store(folder, 0);
	struct cfs_slice name = CFS_SLICE_LIT("three.arc.gz");
	struct cfs_stored *one, *other;
	struct cfs_buf a, b;

	(void)state;
	cfs_buf_init(&a, 1 << 20);
	cfs_buf_init(&b, 1 << 20);
	for (unsigned i = 0; i < 3; i++) {
		struct cfs_span loc = loc_of(i), open = loc;

		open.length = 0;
		assert_int_equal(get(s, "three.arc.gz", &loc, &one, NULL),
				 CFS_OK);
		assert_int_equal(get(s, "three.arc.gz", &open, &other, NULL),
				 CFS_OK);
		assert_true(cfs_slice_eq(cfs_stored_record(one)->body,
					 cfs_stored_record(other)->body));
		cfs_stored_put(one);
		cfs_stored_put(other);
		cfs_buf_reset(&a);
		cfs_buf_reset(&b);
		assert_int_equal(cfs_store_member(s, name, &loc, &as_gzip, &a,
						  CFS_CTX(NULL, NULL)),
				 CFS_OK);
		assert_int_equal(cfs_store_member(s, name, &open, &as_gzip, &b,
						  CFS_CTX(NULL, NULL)), CFS_OK);
		assert_true(cfs_slice_eq(cfs_buf_slice(&a), cfs_buf_slice(&b)));
	}
	cfs_buf_release(&a);
	cfs_buf_release(&b);
	cfs_store_free(s);
}

/* One ARC record of letters; its member is the caller's. */
static struct cfs_buf write_long(const char *name, size_t n)
{
	char *letters = malloc(n + 1);
	struct cfs_buf b, gz;

	assert_non_null(letters);
	fill_letters(letters, n);
	letters[n] = '\0';
	cfs_buf_init(&b, n + 100);
	cfs_buf_init(&gz, 2 * n);
	cfs_buf_addf(&b, "http://a.org/ 1.2.3.4 20080509130938 text/plain "
		     "%zu\n%s\n", n, letters);
	assert_int_equal(cfs_gz_compress(cfs_buf_slice(&b), &gz, NULL), CFS_OK);
	write_file(name, gz.p, gz.n);
	cfs_buf_release(&b);
	free(letters);
	return gz;
}

/* A member that is too long for memory is in a file, also if the index does not
 * say how long it is. */
static void long_member(void **state)
{
	struct cfs_budget *budget = cfs_budget_new((size_t)16 << 20);
	const char *const bases[] = { folder };
	struct cfs_store_opts opts = { .bases = bases, .n_bases = 1,
				       .budget = budget, .spill_dir = folder };
	struct cfs_buf gz = write_long("long.arc.gz", 4000000), out;
	struct cfs_span spans[] = { { .length = gz.n }, { .length = 0 } };
	struct cfs_member_form form = as_gzip;
	struct cfs_stored *got;
	struct cfs_store *s;

	(void)state;
	assert_int_equal(cfs_store_new(&s, &opts, NULL), CFS_OK);
	for (size_t i = 0; i < COUNT(spans); i++) {
		assert_int_equal(get(s, "long.arc.gz", &spans[i], &got, NULL),
				 CFS_OK);
		assert_true(cfs_stored_is_spilled(got));
		form.parsed = got;
		cfs_buf_init(&out, SIZE_MAX / 2);
		assert_int_equal(cfs_store_member(s,
						  CFS_SLICE_LIT("long.arc.gz"),
						  &spans[i], &form, &out,
						  CFS_CTX(NULL, NULL)), CFS_OK);
		assert_non_null(out.spill);
		assert_true(cfs_slice_eq(cfs_buf_slice(&out),
					 cfs_buf_slice(&gz)));
		cfs_buf_release(&out);
		cfs_stored_put(got);
	}
	cfs_buf_release(&gz);
	cfs_store_free(s);
	cfs_budget_free(budget);
}

/* A coding that is none decides nothing about the body's length: the size told
 * before the record is read is that of the record. */
static void size_of_unknown_coding(void **state)
{
	static const char content[] = "HTTP/1.1 200 OK\r\n"
		"Content-Encoding: utf-8\r\nContent-Length: 22\r\n\r\n"
		"twenty bytes of text.\n";
	struct cfs_store *s = new_store(folder, 0);
	struct cfs_span loc = { .offset = 0 };
	struct cfs_stored *got;
	struct cfs_buf b;
	uint64_t bytes = 0;
	bool exact;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_addf(&b, "http://a.org/ 1.2.3.4 20080509130938 text/plain %zu\n"
		     "%s", sizeof(content) - 2, content);
	write_file("coding.arc", b.p, b.n);
	loc.length = b.n;
	assert_int_equal(cfs_store_body_bytes(s, CFS_SLICE_LIT("coding.arc"),
					      &loc, &bytes, &exact,
					      CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_true(exact);
	assert_int_equal(get(s, "coding.arc", &loc, &got, NULL), CFS_OK);
	assert_int_equal(cfs_stored_record(got)->body.n, 21);
	assert_int_equal(bytes, 21);
	cfs_stored_put(got);
	cfs_buf_release(&b);
	cfs_store_free(s);
}

static void bad_case(void **state)
{
	const struct bad_case *tc = *state;
	struct cfs_store *s = new_store(folder, 0);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_span loc = loc_of(1);
	struct cfs_stored *got;
	struct cfs_buf b;
	uint64_t bytes;
	bool exact;
	char line[600];

	if (tc->offset >= 0)
		loc.offset = (uint64_t)tc->offset;
	if (tc->length >= 0)
		loc.length = (uint64_t)tc->length;
	assert_int_equal(get(s, tc->archive, &loc, &got, &err), tc->rc);
	assert_null(got);
	cfs_error_line(&err, line, sizeof(line));
	if (strstr(line, tc->text) == NULL)
		fail_msg("'%s' lacks '%s'", line, tc->text);
	cfs_buf_init(&b, 1 << 20);
	if (strcmp(tc->name, "length too short") != 0)
		assert_int_equal(cfs_store_member(s, cfs_slice_str(tc->archive),
						  &loc, &as_gzip, &b,
						  CFS_CTX(NULL, NULL)), tc->rc);
	assert_int_equal(cfs_store_body_bytes(s, cfs_slice_str(tc->archive),
					      &loc, &bytes, &exact,
					      CFS_CTX(NULL, NULL)),
			 tc->rc);
	cfs_buf_release(&b);
	cfs_store_free(s);
}

/* The archive loses its end, or a bit, after it was indexed. */
static void changed(void **state)
{
	struct cfs_span loc;
	struct cfs_error err;
	struct cfs_stored *got;
	struct cfs_store *s;
	char path[256];
	FILE *f;

	(void)state;
	write_three("changed.arc.gz");
	snprintf(path, sizeof(path), "%s/changed.arc.gz", folder);
	assert_int_equal(truncate(path, (off_t)ends[1] + 20), 0);
	s = new_store(folder, 0);
	loc = loc_of(2);
	assert_int_equal(get(s, "changed.arc.gz", &loc, &got, NULL), CFS_EFORMAT);
	loc = loc_of(1);
	assert_int_equal(get(s, "changed.arc.gz", &loc, &got, NULL), CFS_OK);
	assert_int_equal(cfs_stored_record(got)->body.n, 50000);
	cfs_stored_put(got);
	cfs_store_free(s);
	write_three("changed.arc.gz");
	f = fopen(path, "r+b");
	assert_non_null(f);
	fseek(f, (long)ends[1] - 6, SEEK_SET);	/* the CRC */
	fputc('x', f);
	fclose(f);
	s = new_store(folder, 0);
	err = CFS_ERROR_INIT;
	assert_int_equal(get(s, "changed.arc.gz", &loc, &got, &err), CFS_EFORMAT);
	assert_string_equal(err.where, path);
	assert_int_equal(err.offset, loc.offset);
	cfs_store_free(s);
}

/* A record that was parsed before its archive was damaged. */
static void damaged_since(void **state)
{
	struct cfs_member_form form = as_gzip;
	struct cfs_store *s = new_store(folder, 0);
	struct cfs_span loc;
	struct cfs_stored *got;
	struct cfs_buf b;
	char path[256];
	FILE *f;

	(void)state;
	write_three("since.arc.gz");
	snprintf(path, sizeof(path), "%s/since.arc.gz", folder);
	loc = loc_of(1);
	assert_int_equal(get(s, "since.arc.gz", &loc, &got, NULL), CFS_OK);
	form.parsed = got;
	cfs_buf_init(&b, 1 << 20);
	assert_int_equal(cfs_store_member(s, CFS_SLICE_LIT("since.arc.gz"),
					  &loc, &form, &b,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(b.n, loc.length);
	f = fopen(path, "r+b");
	assert_non_null(f);
	fseek(f, (long)(loc.offset + loc.length / 2), SEEK_SET);
	fputs("damage", f);
	fclose(f);
	cfs_buf_reset(&b);
	assert_int_equal(cfs_store_member(s, CFS_SLICE_LIT("since.arc.gz"),
					  &loc, &form, &b, CFS_CTX(NULL, NULL)),
			 CFS_EFORMAT);
	assert_int_equal(b.n, 0);
	cfs_buf_release(&b);
	cfs_stored_put(got);
	cfs_store_free(s);
}

/* The first line of a record may have as many bytes as a URL. */
static void long_line(void **state)
{
	struct cfs_store *s = new_store(folder, 0);
	struct cfs_span loc = { .offset = 0 };
	static char path[8001];
	struct cfs_buf b, gz;

	(void)state;
	fill_letters(path, 8000);
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_init(&gz, 1 << 20);
	cfs_buf_addf(&b, "http://a.org/%s 1.2.3.4 20080509130938 text/plain "
		     "2\nx\n\n", path);
	assert_int_equal(cfs_gz_compress(cfs_buf_slice(&b), &gz, NULL), CFS_OK);
	write_file("long.arc.gz", gz.p, gz.n);
	loc.length = gz.n;
	cfs_buf_reset(&b);
	assert_int_equal(cfs_store_member(s, CFS_SLICE_LIT("long.arc.gz"), &loc,
					  &as_gzip, &b,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(cfs_slice_eq(cfs_buf_slice(&b), cfs_buf_slice(&gz)));
	cfs_buf_release(&b);
	cfs_buf_release(&gz);
	cfs_store_free(s);
}

/* A file that ends inside its last member gives what is there. */
/* Holds E11. */
static void cut_off(void **state)
{
	struct cfs_span loc;
	struct cfs_stored *got;
	struct cfs_store *s;
	char path[256], want[50000];

	(void)state;
	write_three("cut.arc.gz");
	snprintf(path, sizeof(path), "%s/cut.arc.gz", folder);
	assert_int_equal(truncate(path, (off_t)ends[1] - 200), 0);
	loc = loc_of(1);
	loc.length -= 200;
	s = new_store(folder, 0);
	assert_int_equal(get(s, "cut.arc.gz", &loc, &got, NULL), CFS_OK);
	assert_true(cfs_stored_record(got)->is_cut);
	assert_true(cfs_stored_record(got)->is_cut_off);
	assert_int_in_range(cfs_stored_record(got)->body.n, 10000, 49999);
	fill_letters(want, sizeof(want));
	assert_memory_equal(cfs_stored_record(got)->body.p, want,
			    cfs_stored_record(got)->body.n);
	cfs_stored_put(got);
	cfs_store_free(s);
}

static void members(void **state)
{
	struct cfs_store *s = new_store(folder, 0);
	struct cfs_span loc = loc_of(1);
	struct cfs_buf b;
	uint8_t raw[65536];
	char path[256];
	FILE *f;

	(void)state;
	cfs_buf_init(&b, 1 << 20);
	assert_int_equal(cfs_store_member(s, CFS_SLICE_LIT("three.arc.gz"),
					  &loc, &as_gzip, &b,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	snprintf(path, sizeof(path), "%s/three.arc.gz", folder);
	f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, (long)loc.offset, SEEK_SET);
	assert_int_equal(fread(raw, 1, loc.length, f), loc.length);
	fclose(f);
	assert_slice_n(cfs_buf_slice(&b), raw, loc.length);
	cfs_buf_release(&b);
	cfs_store_free(s);
}

/* The cache keeps to its size, and pins hold what is in use. */
static void eviction(void **state)
{
	struct cfs_store *s = new_store(folder, 8 * 70000);
	struct cfs_stored *first, *got;
	struct cfs_span loc = loc_of(1);
	struct cfs_store_stats st;
	char name[32];

	(void)state;
	write_three("e0.arc.gz");
	assert_int_equal(get(s, "e0.arc.gz", &loc, &first, NULL), CFS_OK);
	for (int i = 1; i < 40; i++) {
		snprintf(name, sizeof(name), "e%d.arc.gz", i);
		write_three(name);
		assert_int_equal(get(s, name, &loc, &got, NULL), CFS_OK);
		cfs_stored_put(got);
	}
	cfs_store_get_stats(s, &st);
	assert_true(st.evicted > 20);
	assert_true(st.bytes <= 9 * 70000);
	assert_int_equal(cfs_stored_record(first)->body.n, 50000);
	cfs_stored_put(first);
	cfs_store_free(s);
}

/* ---- many threads want the same records ---- */

static void *read_all(void *arg)
{
	struct cfs_store *s = arg;

	for (int i = 0; i < 300; i++) {
		struct cfs_span loc = loc_of((size_t)i % 3);
		struct cfs_stored *got;

		if (get(s, "three.arc.gz", &loc, &got, NULL) != CFS_OK)
			return s;
		if (cfs_stored_record(got)->body.n != (i % 3 == 1 ? 50000 : 5)) {
			cfs_stored_put(got);
			return s;
		}
		cfs_stored_put(got);
	}
	return NULL;
}

static void threads(void **state)
{
	struct cfs_store *s = new_store(folder, 1);	/* nothing is kept */
	pthread_t t[4];
	void *bad;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, read_all, s), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &bad);
		assert_null(bad);
	}
	cfs_store_free(s);
}

/* ---- many records in one member ---- */

static void one_member(void **state)
{
	struct cfs_store *s = new_store(folder, 1 << 20);
	struct cfs_buf b, gz;
	size_t at[50];
	struct cfs_store_stats st;

	(void)state;
	cfs_buf_init(&b, 8 << 20);
	cfs_buf_init(&gz, 8 << 20);
	for (size_t i = 0; i < 50; i++) {
		at[i] = b.n;
		cfs_buf_addf(&b, "http://a.org/%zu 1.2.3.4 20080509130938 "
			     "text/plain 100002\n", i);
		for (size_t k = 0; k < 100000; k++)
			cfs_buf_addc(&b, (uint8_t)('a' + (k + i) * k % 23));
		cfs_buf_addf(&b, "%02zu\n", i);
	}
	assert_int_equal(cfs_gz_compress(cfs_buf_slice(&b), &gz, NULL), CFS_OK);
	write_file("big.arc.gz", gz.p, gz.n);
	warnings = 0;
	for (size_t k = 0; k < 100; k++) {
		/* forward twice, and every third backward */
		size_t i = k % 3 == 2 ? 49 - k / 2 : k / 2;
		struct cfs_span loc = { .offset = 0, .length = gz.n,
			.inner_offset = at[i],
			.inner_length = (i == 49 ? b.n : at[i + 1]) - at[i] };
		struct cfs_stored *got;
		char tail[8];

		assert_int_equal(get(s, "big.arc.gz", &loc, &got, NULL), CFS_OK);
		snprintf(tail, sizeof(tail), "%02zu", i);
		assert_true(cfs_slice_ends(cfs_stored_record(got)->body,
					   cfs_slice_str(tail)));
		assert_int_equal(cfs_stored_record(got)->body.n, 100002);
		cfs_stored_put(got);
	}
	assert_int_equal(warnings, 1);
	cfs_store_get_stats(s, &st);
	assert_int_equal(st.read_bytes, 0);
	cfs_store_free(s);
	cfs_buf_release(&b);
	cfs_buf_release(&gz);
}

/* ---- the real samples ---- */

static struct cfs_store *samples;
static size_t samples_n, samples_exact, samples_bad;

struct sample {
	const char *name;	/* below the data folder */
};

static int check_record(void *arg, const struct cfs_scan_item *item)
{
	const struct sample *sm = arg;
	struct cfs_span loc = item->span;
	struct cfs_slice name = cfs_slice_str(sm->name);
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_record *r;
	struct cfs_stored *got;
	uint64_t bytes;
	bool exact, same;
	int rc;

	rc = cfs_store_body_bytes(samples, name, &loc, &bytes, &exact,
				  CFS_CTX(NULL, &err));
	if (rc == CFS_OK)
		rc = cfs_store_get(samples, name, &loc, &got,
				   CFS_CTX(NULL, &err));
	samples_n++;
	if (rc != CFS_OK) {
		print_error("%s: %llu: %s\n", sm->name,
			    (unsigned long long)item->span.offset, err.text);
		samples_bad++;
		return 0;
	}
	r = cfs_stored_record(got);
	/* of a file that ends inside it nobody knows the size */
	same = r->body.n == item->record->body.n &&
	       r->is_cut_off == item->record->is_cut_off &&
	       exact == !r->is_cut_off &&
	       bytes == r->body.n && r->time_ms == item->record->time_ms &&
	       memcmp(r->body.p, item->record->body.p, r->body.n) == 0;
	if (!same) {
		print_error("%s: %llu: %zu bytes scanned, %zu read, %llu said\n",
			    sm->name, (unsigned long long)item->span.offset,
			    item->record->body.n, r->body.n,
			    (unsigned long long)bytes);
		samples_bad++;
	}
	samples_exact += exact;
	cfs_stored_put(got);
	return 0;
}

static const char *data_folder;

static int check_file(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	struct sample sm = { path + strlen(data_folder) + 1 };
	struct cfs_scan_opts opts = { .arg = &sm };
	enum cfs_file_kind look;
	struct cfs_source *src;

	(void)st;
	(void)ftw;
	if (type != FTW_F ||
	    cfs_source_open_file(&src, path, NULL) != CFS_OK)
		return 0;
	if (cfs_sniff(src, CFS_SNIFF_SEARCH, &look, NULL) == CFS_OK && look != CFS_FILE_NONE)
		cfs_scan_archive(src, &opts, check_record, NULL, NULL);
	cfs_source_close(src);
	return 0;
}

static void real_samples(void **state)
{
	static const char *const kinds[] = { "arc", "warc", "wat", "wet",
					     "malformed" };

	(void)state;
	data_folder = getenv("CFS_DATA");
	if (data_folder == NULL || access(data_folder, R_OK) != 0) {
		print_message("SKIP: no samples\n");
		skip();
	}
	samples = new_store(data_folder, 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", data_folder, kinds[i]);
		nftw(path, check_file, 16, FTW_PHYS);
	}
	print_message("%zu records, %zu sizes told\n", samples_n, samples_exact);
	cfs_store_free(samples);
	assert_int_equal(samples_bad, 0);
	assert_true(samples_n > 1000);
}

static int setup(void **state)
{
	(void)state;
	cfs_log_to(on_log, NULL, CFS_LOG_WARNING);
	if (mkdtemp(folder) == NULL)
		return -1;
	write_three("three.arc.gz");
	write_file("text", "no record at all, just text\n", 28);
	return 0;
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

/* ---- several servers ---- */

/* Sources over HTTP as a store sees them: opened without a request, each read
 * is one; the files of "http://b/" are those of the folder, and "http://a/"
 * has only what begins with "near". */
struct web {
	unsigned requests, missing;
};

struct web_source {
	struct cfs_source base;
	struct cfs_source *file;	/* NULL: not there */
	struct web *web;
};

static int web_ask(struct web_source *s, struct cfs_error *err)
{
	s->web->requests++;
	if (s->file != NULL)
		return CFS_OK;
	s->web->missing++;
	return cfs_error_at(err, CFS_ENOTFOUND, s->base.name, 0,
			    "is not there (status 404)");
}

static int web_read_at(struct cfs_source *src, void *buf, size_t n,
		       uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct web_source *s = (struct web_source *)src;
	int rc = web_ask(s, ctx.err);

	*got = 0;
	if (rc == CFS_OK)
		src->size = s->file->size;
	return rc != CFS_OK ? rc : cfs_source_read_some(s->file, buf, n, off,
							got, ctx);
}

static int web_find_size(struct cfs_source *src, struct cfs_ctx ctx)
{
	struct web_source *s = (struct web_source *)src;
	int rc = web_ask(s, ctx.err);

	if (rc == CFS_OK)
		src->size = s->file->size;
	return rc;
}

static void web_close(struct cfs_source *src)
{
	cfs_source_close(((struct web_source *)src)->file);
	free(src);
}

static int web_open(void *arg, const char *location, struct cfs_source **out,
		    struct cfs_ctx ctx)
{
	static const struct cfs_source_ops ops = {
		.read_at = web_read_at, .close = web_close,
		.find_size = web_find_size,
	};
	struct web_source *s = calloc(1, sizeof(*s));
	const char *name = strrchr(location, '/') + 1;
	bool is_a = strncmp(location, "http://a/", 9) == 0;
	char path[256];

	assert_non_null(s);
	s->web = arg;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (is_a == (strncmp(name, "near", 4) == 0))
		cfs_source_open_file(&s->file, path, NULL);
	*out = &s->base;
	return cfs_source_init(&s->base, &ops, CFS_SIZE_UNKNOWN, location,
			       ctx.err);
}

static int any_bytes(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	return cfs_source_read(src, arg, 4, 0, ctx);
}

/* Reads a record in one of the ways there are. */
static int read_by(struct cfs_store *s, unsigned how, const char *name)
{
	struct cfs_span loc = loc_of(how % 3);
	struct cfs_stored *got = NULL;
	uint8_t four[4];
	struct cfs_buf b;
	int rc;

	cfs_buf_init(&b, 1 << 20);
	switch (how % 4) {
	case 0: rc = get(s, name, &loc, &got, NULL); break;
	case 1: rc = cfs_store_member(s, cfs_slice_str(name), &loc, &as_gzip,
				      &b, CFS_CTX(NULL, NULL)); break;
	case 2: rc = cfs_store_read(s, cfs_slice_str(name), 0, four, 4,
				    CFS_CTX(NULL, NULL)); break;
	default: rc = cfs_store_use(s, cfs_slice_str(name), any_bytes, four,
				    CFS_CTX(NULL, NULL)); break;
	}
	cfs_stored_put(got);
	cfs_buf_release(&b);
	return rc;
}

#define FAR_ARCHIVES 400u

/* More archives than are kept open, at two servers: who has them is found out
 * once, whatever is done with them, and a stray one is found. */
static void bases(void **state)
{
	static const char *const urls[] = { "http://a/", "http://b/" };
	struct web web = { 0, 0 };
	struct cfs_opener opener = { web_open, &web };
	struct cfs_store_opts opts = { .bases = urls, .n_bases = 2,
				       .opener = &opener };
	struct cfs_store *s;
	unsigned before;
	char name[64];

	(void)state;
	for (unsigned i = 0; i < FAR_ARCHIVES; i++) {
		snprintf(name, sizeof(name), "CC-IN-00%u.warc.gz", i);
		write_three(name);
	}
	write_three("near.data");
	write_three("near-7.warc.gz");
	assert_int_equal(cfs_store_new(&s, &opts, NULL), CFS_OK);
	for (unsigned i = 0; i < FAR_ARCHIVES; i++) {
		snprintf(name, sizeof(name), "CC-IN-00%u.warc.gz", i);
		assert_int_equal(read_by(s, i, name), CFS_OK);
	}
	/* the first one: not there; there; its bytes */
	assert_int_equal(web.missing, 1);
	assert_int_equal(web.requests, FAR_ARCHIVES + 2);

	/* another kind, which is in the other place, changes nothing */
	for (unsigned i = 0; i < 8; i++) {
		before = web.requests;
		assert_int_equal(read_by(s, i, "near.data"), CFS_OK);
		assert_true(web.requests <= before + 1);
		snprintf(name, sizeof(name), "CC-IN-00%u.warc.gz", i + 8);
		assert_int_equal(read_by(s, i, name), CFS_OK);
	}
	assert_int_equal(web.missing, 1);

	/* one of the kind that is in the other place */
	before = web.requests;
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(read_by(s, i, "near-7.warc.gz"), CFS_OK);
	assert_int_equal(web.missing, 2);
	assert_true(web.requests <= before + 2 + 8);

	/* and one that is nowhere: each place is asked once */
	for (unsigned i = 0; i < 4; i++) {
		before = web.missing;
		assert_int_equal(read_by(s, i, "none.warc.gz"), CFS_ENOTFOUND);
		assert_int_equal(web.missing, before + 2);
	}
	cfs_store_free(s);
}

UNIT_PROGRAM
{
	UNIT_TEST(shared_record);
	UNIT_ROWS(bad_cases, bad_case);
	UNIT_TEST(length_not_known);
	UNIT_TEST(long_member);
	UNIT_TEST(size_of_unknown_coding);
	UNIT_TEST(changed);
	UNIT_TEST(cut_off);
	UNIT_TEST(damaged_since);
	UNIT_TEST(long_line);
	UNIT_TEST(members);
	UNIT_TEST(eviction);
	UNIT_TEST(threads);
	UNIT_TEST(one_member);
	UNIT_TEST(bases);
	UNIT_TEST(real_samples);
	return unit_run_with("store", setup, teardown);
}
