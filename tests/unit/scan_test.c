/* scan_test.c - shapes of archive files, damage, limits.
 *
 * Archives are put together here from known records; members are compressed
 * by libdeflate (codec/gzip.c), which zlib reads in other tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "codec/gzip.h"
#include "record/parse.h"
#include "record/scan.h"
#include "record/sniff.h"
/* Holds E30. */
#include "record/start.h"
#include "record_fixtures.h"
#include "fault.h"

/* The records that a scan found, as text: one "url=body;" a record. */
struct found {
	struct cfs_buf text;
	struct cfs_scan_item items[64];
	size_t n, damaged;
	uint64_t advanced;
	int stop_after, stop_code;
	char why[300];
};

static int on_record(void *arg, const struct cfs_scan_item *item)
{
	struct found *f = arg;

	if (f->n < 64)
		f->items[f->n] = *item;
	f->n++;
	cfs_buf_add(&f->text, item->record->url);
	cfs_buf_adds(&f->text, "=");
	cfs_buf_add(&f->text, cfs_slice_sub(item->record->body, 0, 40));
	cfs_buf_adds(&f->text, item->record->is_cut ? "!;" : ";");
	return f->stop_after > 0 && f->n == (size_t)f->stop_after ?
	       f->stop_code : 0;
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct found *f = arg;

	assert_true(what->text[0] != '\0');
	assert_true(what->where[0] != '\0');
	if (f->damaged++ == 0)
		snprintf(f->why, sizeof(f->why), "%llu %s",
			 (unsigned long long)what->offset, what->text);
}

static void on_advance(void *arg, uint64_t bytes)
{
	((struct found *)arg)->advanced += bytes;
}

static struct found *new_found(void)
{
	struct found *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	cfs_buf_init(&f->text, 1 << 20);
	return f;
}

static void free_found(struct found *f)
{
	cfs_buf_release(&f->text);
	free(f);
}

/* memory: longer records go into files; 0: none do. */
static int scan_in(uint64_t memory, struct cfs_slice file, const char *name,
		   uint64_t max, struct found *f,
		   struct cfs_scan_counts *counts)
{
	struct cfs_scan_opts opts = { .max_record_bytes = max,
		.damaged = on_damage, .advanced = on_advance, .arg = f,
		.memory_bytes = memory, .spill_dir = "/tmp" };
	struct cfs_source *src;
	int rc;

	assert_int_equal(cfs_source_open_memory(&src, file, name, NULL), CFS_OK);
	rc = cfs_scan_archive(src, &opts, on_record, counts, NULL);
	cfs_source_close(src);
	return rc;
}

static int scan(struct cfs_slice file, const char *name, uint64_t max,
		struct found *f, struct cfs_scan_counts *counts)
{
	return scan_in(0, file, name, max, f, counts);
}

static void add_arc(struct cfs_buf *b, const char *url, const char *body)
{
	cfs_buf_addf(b, "%s 1.2.3.4 20080509130938 text/plain %zu\n%s\n", url,
		     strlen(body), body);
}

static void add_warc(struct cfs_buf *b, const char *url, const char *body)
{
	cfs_buf_addf(b, "WARC/1.0\r\nWARC-Type: resource\r\n"
		     "WARC-Target-URI: %s\r\nContent-Length: %zu\r\n\r\n"
		     "%s\r\n\r\n", url, strlen(body), body);
}

static void add_gz(struct cfs_buf *out, struct cfs_slice plain)
{
	assert_int_equal(cfs_gz_compress(plain, out, NULL), CFS_OK);
}

static void expect_in(uint64_t memory, struct cfs_slice file, const char *name,
		      const char *text, size_t damaged)
{
	struct cfs_scan_counts counts;
	struct found *f = new_found();

	assert_int_equal(scan_in(memory, file, name, 0, f, &counts), CFS_OK);
	assert_string_equal(cfs_buf_str(&f->text), text);
	if (f->damaged != damaged)
		print_error("first damage: %s\n", f->why);
	assert_int_equal(f->damaged, damaged);
	assert_int_equal(counts.records, f->n);
	assert_int_equal(counts.damaged, damaged);
	assert_int_equal(f->advanced, file.n);
	free_found(f);
}

/* Wherever the records are held. */
static void expect(struct cfs_slice file, const char *name, const char *text,
		   size_t damaged)
{
	for (uint64_t memory = 0; memory <= 4096; memory = memory * 64 + 1)
		expect_in(memory, file, name, text, damaged);
}

/* ---- shapes ---- */

struct shape_case {
	const char *name;
	void (*add)(struct cfs_buf *b, const char *url, const char *body);
	const char *file;
};
static struct shape_case shape_cases[] = {
	{ "ARC", add_arc, "x.arc.gz" },
	{ "WARC", add_warc, "x.warc.gz" },
};

#define THREE "http://a/=first;http://b/=second one;http://c/=;"

static void three(const struct shape_case *tc, struct cfs_buf *plain,
		  size_t ends[3])
{
	cfs_buf_init(plain, 1 << 20);
	tc->add(plain, "http://a/", "first");
	ends[0] = plain->n;
	tc->add(plain, "http://b/", "second one");
	ends[1] = plain->n;
	tc->add(plain, "http://c/", "");
	ends[2] = plain->n;
}

static void one_each(void **state)
{
	const struct shape_case *tc = *state;
	struct cfs_buf plain, gz;
	struct found *f = new_found();
	size_t ends[3], at = 0;

	three(tc, &plain, ends);
	expect(cfs_buf_slice(&plain), "x", THREE, 0);
	cfs_buf_init(&gz, 1 << 20);
	for (size_t i = 0; i < 3; i++) {
		add_gz(&gz, cfs_slice_sub(cfs_buf_slice(&plain), at,
					  ends[i] - at));
		at = ends[i];
	}
	expect(cfs_buf_slice(&gz), "x", THREE, 0);
	/* padding is none of a file's business, other bytes are damage */
	for (size_t i = 0; i < 100; i++)
		cfs_buf_addc(&gz, 0);
	expect(cfs_buf_slice(&gz), "x", THREE, 0);
	cfs_buf_adds(&gz, "garbage");
	expect(cfs_buf_slice(&gz), "x", THREE, 1);
	assert_int_equal(scan(cfs_buf_slice(&gz), "x", 0, f, NULL), CFS_OK);
	assert_int_equal(f->items[1].span.offset,
			 f->items[0].span.offset + f->items[0].span.length);
	assert_int_equal(f->items[1].span.inner_length, 0);
	free_found(f);
	cfs_buf_release(&gz);
	cfs_buf_release(&plain);
}

/* Every way to cut three records into two members. */
static void any_two_members(void **state)
{
	const struct shape_case *tc = *state;
	struct cfs_buf plain, gz;
	size_t ends[3];

	three(tc, &plain, ends);
	for (size_t cut = 0; cut <= plain.n; cut++) {
		/* "ttp://a/" is a URL, too: nobody can tell */
		if (plain.n - cut > 1 && cut > 0 && plain.p[cut - 1] != '\n' &&
		    cfs_record_is_start(cfs_slice_from(cfs_buf_slice(&plain),
						       cut)) &&
		    plain.p[cut] != '\n' && plain.p[cut] != '\r')
			continue;
		cfs_buf_init(&gz, 1 << 20);
		add_gz(&gz, cfs_slice_sub(cfs_buf_slice(&plain), 0, cut));
		add_gz(&gz, cfs_slice_from(cfs_buf_slice(&plain), cut));
		expect(cfs_buf_slice(&gz), "x.gz", THREE, 0);
		cfs_buf_release(&gz);
	}
	cfs_buf_release(&plain);
}

/* One byte a member: the worst there can be. */
static void one_byte_members(void **state)
{
	const struct shape_case *tc = *state;
	struct cfs_buf plain, gz;
	size_t ends[3];

	three(tc, &plain, ends);
	cfs_buf_init(&gz, 1 << 20);
	for (size_t i = 0; i < plain.n; i++)
		add_gz(&gz, cfs_slice_sub(cfs_buf_slice(&plain), i, 1));
	expect(cfs_buf_slice(&gz), "x.gz", THREE, 0);
	cfs_buf_release(&gz);
	cfs_buf_release(&plain);
}

/* Every prefix of a compressed and an uncompressed file: whole records
 * first, then at most one that is cut, never anything else. */
static void every_prefix(void **state)
{
	const struct shape_case *tc = *state;
	struct cfs_buf file[2];
	size_t ends[3], at = 0, first_line[2];

	three(tc, &file[0], ends);
	first_line[0] = 1 + (size_t)cfs_slice_find(cfs_buf_slice(&file[0]),
						   '\n');
	first_line[1] = 10 + 1 + first_line[0];
	cfs_buf_init(&file[1], 1 << 20);
	for (size_t i = 0; i < 3; at = ends[i++])
		add_gz(&file[1], cfs_slice_sub(cfs_buf_slice(&file[0]), at,
					       ends[i] - at));
	for (size_t i = 0; i < 2; i++) {
		for (size_t n = 0; n < file[i].n; n++) {
			struct found *f = new_found();
			struct cfs_slice exact = exact_copy(file[i].p, n);
			const char *text;
			int rc = scan(exact, tc->file, 0, f, NULL);

			text = cfs_buf_str(&f->text);
			/* a file that ends in the first line is of any kind */
			assert_true(rc == CFS_OK ||
				    (rc == CFS_EFORMAT && n < first_line[i]));
			for (size_t k = 0; text[k] != '\0' && text[k] != '!'; k++)
				if (text[k] != THREE[k])
					assert_string_equal(text, THREE);
			free_found(f);
			exact_free(exact);
		}
		cfs_buf_release(&file[i]);
	}
}

/* Every byte of every member flipped: the other records are all found. */
static void flipped_byte(void **state)
{
	const struct shape_case *tc = *state;
	struct cfs_buf plain, gz;
	size_t ends[3], gz_ends[3], at = 0;

	three(tc, &plain, ends);
	cfs_buf_init(&gz, 1 << 20);
	for (size_t i = 0; i < 3; at = ends[i], gz_ends[i++] = gz.n)
		add_gz(&gz, cfs_slice_sub(cfs_buf_slice(&plain), at,
					  ends[i] - at));
	for (size_t i = gz_ends[0]; i < gz_ends[1]; i++) {
		struct found *f = new_found();
		const char *text;

		gz.p[i] ^= 0x55;
		assert_int_equal(scan(cfs_buf_slice(&gz), tc->file, 0, f, NULL),
				 CFS_OK);
		text = cfs_buf_str(&f->text);
		if (strcmp(text, THREE) != 0) {	/* the time stamp may change */
			assert_string_equal(text, "http://a/=first;http://c/=;");
			assert_true(f->damaged > 0);
		}
		free_found(f);
		gz.p[i] ^= 0x55;
	}
	cfs_buf_release(&gz);
	cfs_buf_release(&plain);
}

/* ---- damage between and in records ---- */

static void junk_between(void **state)
{
	const struct shape_case *tc = *state;
	struct cfs_buf b, gz;

	cfs_buf_init(&b, 1 << 20);
	cfs_buf_init(&gz, 1 << 20);
	tc->add(&b, "http://a/", "first");
	add_gz(&gz, cfs_buf_slice(&b));
	cfs_buf_adds(&b, "\n\n\njunk that is no record\nand more of it\n");
	add_gz(&gz, CFS_SLICE_LIT("a member that is no record\n"));
	cfs_buf_adds(&gz, "junk that is no member");
	tc->add(&b, "http://b/", "second one");
	tc->add(&b, "http://c/", "");
	expect(cfs_buf_slice(&b), tc->file, THREE, 1);
	cfs_buf_reset(&b);
	tc->add(&b, "http://b/", "second one");
	add_gz(&gz, cfs_buf_slice(&b));
	cfs_buf_reset(&b);
	tc->add(&b, "http://c/", "");
	add_gz(&gz, cfs_buf_slice(&b));
	expect(cfs_buf_slice(&gz), tc->file, THREE, 2);
	cfs_buf_release(&b);
	cfs_buf_release(&gz);
}

/* Nothing behind a damaged member is lost, in a file that is larger than the
 * part of it that is read at a time. */
static void damaged_member(void **state)
{
	const struct shape_case *tc = *state;
	size_t bytes = (size_t)7 << 20, at, want = 1;
	char *noise = malloc(1 << 20);
	struct cfs_buf b, gz;
	struct found *f = new_found();

	assert_non_null(noise);
	for (uint32_t i = 0, x = 1; i < (1 << 20) - 1; i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)('!' + (x >> 24) % 90);
	}
	noise[(1 << 20) - 1] = '\0';
	cfs_buf_init(&b, 4 << 20);
	cfs_buf_init(&gz, 2 * bytes);
	tc->add(&b, "http://a/", "first");
	add_gz(&gz, cfs_buf_slice(&b));
	at = gz.n;
	add_gz(&gz, cfs_buf_slice(&b));
	gz.p[at + 12] ^= 0xff;
	for (size_t i = 0; gz.n < bytes; i++) {
		cfs_buf_reset(&b);
		tc->add(&b, "http://b/", i % 2 == 0 ? noise + 512 * i : "x");
		add_gz(&gz, cfs_buf_slice(&b));
		want++;
	}
	assert_int_equal(scan(cfs_buf_slice(&gz), tc->file, 0, f, NULL), CFS_OK);
	assert_int_equal(f->n, want);
	assert_int_equal(f->damaged, 1);
	free(noise);
	free_found(f);
	cfs_buf_release(&b);
	cfs_buf_release(&gz);
}

/* A length that leads into the next record, or past the end. */
static void wrong_length(void **state)
{
	static const char *const lengths[] = { "14", "90", "9999999999999" };
	const struct shape_case *tc = *state;

	for (size_t i = 0; i < 3; i++) {
		struct cfs_buf b;

		cfs_buf_init(&b, 1 << 20);
		if (tc->add == add_arc)
			cfs_buf_addf(&b, "http://a/ 1.2.3.4 20080509130938 "
				     "text/plain %s\nfirst\n", lengths[i]);
		else
			cfs_buf_addf(&b, "WARC/1.0\r\nWARC-Type: resource\r\n"
				     "WARC-Target-URI: http://a/\r\n"
				     "Content-Length: %s\r\n\r\nfirst\r\n\r\n",
				     lengths[i]);
		tc->add(&b, "http://b/", "second one");
		tc->add(&b, "http://c/", "");
		{
			struct found *f = new_found();

			assert_int_equal(scan(cfs_buf_slice(&b), tc->file, 0, f,
					      NULL), CFS_OK);
			assert_int_equal(f->n, 3);
			assert_true(f->damaged >= 1);
			assert_non_null(strstr(cfs_buf_str(&f->text),
				"http://b/=second one;http://c/=;"));
			free_found(f);
		}
		cfs_buf_release(&b);
	}
}

/* ---- limits ---- */

/* Holds L3. */
static void too_large(void **state)
{
	const struct shape_case *tc = *state;
	char *big = malloc(3000001);
	struct cfs_buf b, gz;

	assert_non_null(big);
	memset(big, 'x', 3000000);
	big[3000000] = '\0';
	cfs_buf_init(&b, 8 << 20);
	cfs_buf_init(&gz, 8 << 20);
	tc->add(&b, "http://a/", "first");
	add_gz(&gz, cfs_buf_slice(&b));
	tc->add(&b, "http://big/", big);
	tc->add(&gz, "", "");	/* place holder: see below */
	cfs_buf_reset(&gz);
	{
		struct cfs_buf one;

		cfs_buf_init(&one, 8 << 20);
		tc->add(&one, "http://a/", "first");
		add_gz(&gz, cfs_buf_slice(&one));
		cfs_buf_reset(&one);
		tc->add(&one, "http://big/", big);
		add_gz(&gz, cfs_buf_slice(&one));
		cfs_buf_reset(&one);
		tc->add(&one, "http://b/", "second one");
		add_gz(&gz, cfs_buf_slice(&one));
		cfs_buf_release(&one);
	}
	tc->add(&b, "http://b/", "second one");
	for (size_t i = 0; i < 2; i++) {
		struct found *f = new_found();

		assert_int_equal(scan(cfs_buf_slice(i == 0 ? &b : &gz), tc->file,
				      1000000, f, NULL), CFS_OK);
		assert_string_equal(cfs_buf_str(&f->text),
				    "http://a/=first;http://b/=second one;");
		assert_int_equal(f->damaged, 1);
		assert_non_null(strstr(f->why, "more than 1000000"));
		free_found(f);
	}
	free(big);
	cfs_buf_release(&b);
	cfs_buf_release(&gz);
}

/* A member too large to be taken whole: records stream out of it. */
static void large_member(void **state)
{
	const struct shape_case *tc = *state;
	char *body = malloc(1000001);
	struct cfs_scan_counts counts;
	struct found *f = new_found();
	struct cfs_buf b, gz;

	assert_non_null(body);
	for (size_t i = 0; i < 1000000; i++)
		body[i] = (char)('a' + i * i % 23);
	body[1000000] = '\0';
	cfs_buf_init(&b, 64 << 20);
	cfs_buf_init(&gz, 64 << 20);
	for (int i = 0; i < 40; i++)
		tc->add(&b, "http://a/", body);
	add_gz(&gz, cfs_buf_slice(&b));
	assert_int_equal(scan(cfs_buf_slice(&gz), "x", 0, f, &counts), CFS_OK);
	assert_int_equal(f->n, 40);
	assert_int_equal(f->damaged, 0);
	assert_true(counts.one_big_member);
	assert_int_equal(counts.members, 1);
	assert_int_equal(counts.inflated_bytes, b.n);
	for (size_t i = 0; i < 40; i++) {
		assert_int_equal(f->items[i].span.offset, 0);
		assert_true(f->items[i].span.length <= gz.n);
		assert_int_equal(f->items[i].span.inner_offset, b.n / 40 * i);
	}
	free_found(f);
	/* the same with a flipped byte near the end of the member: none can be
	 * trusted */
	f = new_found();
	gz.p[gz.n - 5] ^= 1;
	assert_int_equal(scan(cfs_buf_slice(&gz), "x", 0, f, &counts), CFS_OK);
	assert_true(f->n == 0 && f->damaged == 1);
	free_found(f);
	free(body);
	cfs_buf_release(&b);
	cfs_buf_release(&gz);
}

/* ---- a source that misbehaves ---- */

static int scan_faulty(struct cfs_slice bytes, const struct cfs_fault *fault,
		       struct found *f, uint64_t *reads)
{
	struct cfs_scan_opts opts = { .damaged = on_damage, .arg = f };
	struct cfs_source *src;
	int rc;

	assert_int_equal(cfs_source_open_memory(&src, bytes, "x.arc.gz", NULL),
			 CFS_OK);
	assert_int_equal(cfs_source_open_fault(&src, src, fault, NULL), CFS_OK);
	rc = cfs_scan_archive(src, &opts, on_record, NULL, NULL);
	*reads = cfs_source_fault_reads(src);
	cfs_source_close(src);
	return rc;
}

static void faults(void **state)
{
	const struct shape_case *tc = *state;
	static const size_t steps[] = { 1, 7, 1000 };
	struct cfs_buf file[2];
	size_t ends[3];
	uint64_t reads;

	three(tc, &file[0], ends);
	cfs_buf_init(&file[1], 1 << 20);
	add_gz(&file[1], cfs_slice_sub(cfs_buf_slice(&file[0]), 0, ends[0]));
	add_gz(&file[1], cfs_slice_from(cfs_buf_slice(&file[0]), ends[0]));
	for (size_t i = 0; i < 2; i++) {
		struct cfs_slice b = cfs_buf_slice(&file[i]);
		struct found *f;

		for (size_t k = 0; k < 3; k++) {	/* short reads */
			struct cfs_fault fault = { .max_read = steps[k] };

			f = new_found();
			assert_int_equal(scan_faulty(b, &fault, f, &reads), CFS_OK);
			assert_string_equal(cfs_buf_str(&f->text), THREE);
			free_found(f);
		}
		for (uint64_t k = 1; k <= 20; k++) {	/* one that fails */
			struct cfs_fault fault = { .max_read = 50,
						   .fail_read = k };

			f = new_found();
			if (scan_faulty(b, &fault, f, &reads) == CFS_OK)
				assert_true(reads < k);
			free_found(f);
		}
		for (size_t n = 0; n < b.n; n++) {	/* it has shrunk */
			struct cfs_fault fault = { .size_set = true, .size = n };
			int rc;

			f = new_found();
			rc = scan_faulty(b, &fault, f, &reads);
			assert_true(rc == CFS_OK || rc == CFS_EFORMAT ||
				    rc == CFS_EIO);
			assert_true(f->n <= 3);
			free_found(f);
		}
		cfs_buf_release(&file[i]);
	}
}

/* ---- the rest ---- */

static void stop_case(void **state)
{
	const struct shape_case *tc = *state;
	struct found *f = new_found();
	struct cfs_buf plain;
	size_t ends[3];

	three(tc, &plain, ends);
	f->stop_after = 2;
	f->stop_code = -1234;
	assert_int_equal(scan(cfs_buf_slice(&plain), "x", 0, f, NULL), -1234);
	assert_int_equal(f->n, 2);
	free_found(f);
	cfs_buf_release(&plain);
}

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static void cancelled(void **state)
{
	const struct shape_case *tc = *state;
	const struct cfs_cancel c = { .asked = yes };
	struct cfs_scan_opts opts = { .cancel = &c };
	struct found *f = new_found();
	struct cfs_source *src;
	struct cfs_buf plain;
	size_t ends[3];

	three(tc, &plain, ends);
	opts.arg = f;
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&plain), "x",
						NULL), CFS_OK);
	assert_int_equal(cfs_scan_archive(src, &opts, on_record, NULL, NULL),
			 CFS_EINTR);
	assert_int_equal(f->n, 0);
	cfs_source_close(src);
	free_found(f);
	cfs_buf_release(&plain);
}

static void look(struct cfs_slice s, enum cfs_file_kind want)
{
	enum cfs_file_kind got;
	struct cfs_source *src;

	assert_int_equal(cfs_source_open_memory(&src, s, "x", NULL), CFS_OK);
	assert_int_equal(cfs_sniff(src, CFS_SNIFF_SEARCH, &got, NULL), CFS_OK);
	assert_int_equal(got, want);
	cfs_source_close(src);
}

static void looks(void **state)
{
	struct cfs_buf b, gz;

	(void)state;
	for (int i = 0; i < 2; i++) {
		enum cfs_file_kind want = i ? CFS_FILE_WARC : CFS_FILE_ARC;

		cfs_buf_init(&b, 4096);
		cfs_buf_init(&gz, 4096);
		(i ? add_warc : add_arc)(&b, "http://a/", "first");
		look(cfs_buf_slice(&b), want);
		add_gz(&gz, cfs_buf_slice(&b));
		look(cfs_buf_slice(&gz), want);
		cfs_buf_release(&b);
		cfs_buf_release(&gz);
	}
	look(CFS_SLICE_LIT(""), CFS_FILE_NONE);
	look(CFS_SLICE_LIT("<html>\n"), CFS_FILE_NONE);
	look(cfs_slice_of(fix_gzip, sizeof(fix_gzip)), CFS_FILE_NONE);
}

/* ---- what is in front of the first record ---- */

struct start_case {
	const char *name, *file, *front;
	bool is_gz;
	const char *text;	/* NULL: no archive */
};
#define PAGE "<html><pre>\n"
#define EXAMPLE "WARC/1.0\nWARC-Type: resource\nContent-Length: 2\n\nhi\n\n"
static struct start_case start_cases[] = {
	{ "line ends, gzip", "x.warc.gz", "\r\n", true, THREE },
	{ "a page, gzip", "x.warc.gz", "<html>error</html>", true, THREE },
	{ "a page with examples, gzip", "x.warc.gz",
	  PAGE EXAMPLE EXAMPLE "</pre></html>\n", true, THREE },
	{ "no name, gzip", "x", "junk", true, THREE },
	{ "a log", "x.warc", "line\nline\n", false, THREE },
	{ "a log, no name", "x", "line\nline\n", false, THREE },
	{ "in the same line", "x.warc", "junk", false, THREE },
	{ "a page", "x.warc", "<html>error</html>\n", false, THREE },
	{ "a page with examples", "x.warc",
	  PAGE EXAMPLE EXAMPLE "</pre></html>\n", false, THREE },
	{ "a PDF document", "x.warc.gz", "%PDF-1.4\n", true, NULL },
	{ "bzip2", "x.warc", "BZh91AY&SY", false, NULL },
	{ "no bzip2", "x.warc", "BZh is not all\n", false, THREE },
};

/* A member or record behind something else is found, also by its offset. */
static void start(void **state)
{
	const struct start_case *tc = *state;
	size_t ends[3], at = 0, front = strlen(tc->front);
	struct cfs_buf plain, b;
	struct found *f = new_found();

	three(&shape_cases[1], &plain, ends);
	cfs_buf_init(&b, 1 << 20);
	cfs_buf_adds(&b, tc->front);
	for (size_t i = 0; i < 3; at = ends[i++])
		if (tc->is_gz)
			add_gz(&b, cfs_slice_sub(cfs_buf_slice(&plain), at,
						 ends[i] - at));
	if (!tc->is_gz)
		cfs_buf_add(&b, cfs_buf_slice(&plain));
	if (tc->text == NULL) {
		assert_int_equal(scan(cfs_buf_slice(&b), tc->file, 0, f, NULL),
				 CFS_EFORMAT);
	} else {
		expect(cfs_buf_slice(&b), tc->file, tc->text, 1);
		assert_int_equal(scan(cfs_buf_slice(&b), tc->file, 0, f, NULL),
				 CFS_OK);
		assert_int_equal(f->items[0].span.offset, front);
	}
	free_found(f);
	cfs_buf_release(&b);
	cfs_buf_release(&plain);
}

/* The bytes in front are longer than the part that is searched: a file with
 * the name of an archive is read all the same. */
/* Holds E30. */
static void start_far(void **state)
{
	static const char *const names[] = { "x.warc.gz", "x.warc", "x.bin" };
	size_t ends[3], far = CFS_START_SEARCH_BYTES + 1000;
	struct cfs_buf plain, b;

	(void)state;
	three(&shape_cases[1], &plain, ends);
	for (size_t i = 0; i < 3; i++) {
		struct found *f = new_found();

		cfs_buf_init(&b, 2 * far);
		assert_int_equal(cfs_buf_reserve(&b, far), CFS_OK);
		memset(b.p, 'x', far);
		b.n = far;
		b.p[far - 1] = '\n';
		if (i == 0)
			add_gz(&b, cfs_buf_slice(&plain));
		else
			cfs_buf_add(&b, cfs_buf_slice(&plain));
		if (i < 2)
			expect(cfs_buf_slice(&b), names[i], THREE, 1);
		else
			assert_int_equal(scan(cfs_buf_slice(&b), names[i], 0, f,
					      NULL), CFS_EFORMAT);
		cfs_buf_release(&b);
		free_found(f);
	}
	cfs_buf_release(&plain);
}

/* Bytes that look like the beginning of a record everywhere: the work is
 * bounded, by the limits that start.c names. */
static void start_hostile(void **state)
{
	static const char *const pieces[] = { "WARC/1.0\nA:b\n",
		"WARC/1.0:\n", "A: WARC/1.0\n", "\x1f\x8b\x08\x08",
		"\x28\xb5\x2f\xfd", "\x5d\x2a\x4d\x18", "://",
		EXAMPLE, "http://a/ 1.2.3.4 20240101000000 a/b 9\n" };
	struct cfs_buf b;

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct cfs_sniffed found;
		struct cfs_source *src;

		cfs_buf_init(&b, CFS_START_SEARCH_BYTES + 100);
		cfs_buf_adds(&b, "<html>\n");
		while (b.n < CFS_START_SEARCH_BYTES)
			cfs_buf_adds(&b, pieces[i]);
		assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&b),
					"x.warc", NULL), CFS_OK);
		assert_int_equal(cfs_sniff_file(src, CFS_SNIFF_SEARCH, &found,
						CFS_CTX(NULL, NULL)), CFS_OK);
		cfs_sniffed_release(&found);
		cfs_source_close(src);
		cfs_buf_release(&b);
	}
}

static void no_archive(void **state)
{
	static const char *const texts[] = { "", "\n\n", "<html>", "plain\ntext\n" };
	struct found *f = new_found();

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(scan(cfs_slice_str(texts[i]), "page.html", 0, f,
				      NULL), CFS_EFORMAT);
	assert_int_equal(scan(cfs_slice_of(fix_gzip, sizeof(fix_gzip)), "x.gz",
			      0, f, NULL), CFS_EFORMAT);
	assert_int_equal(f->n, 0);
	free_found(f);
}

/* A page that is short as archived, and long once it is decoded: it is in a file
 * then, as its record is, which does not change what is found. */
/* Holds L12. */
static void long_when_decoded(void **state)
{
	struct cfs_buf plain, body, file;
	struct cfs_scan_counts counts;
	struct found *f = new_found();
	struct cfs_scan_opts opts = { .damaged = on_damage, .arg = f,
				      .advanced = on_advance,
				      .memory_bytes = 65536,
				      .spill_dir = "/tmp" };
	struct cfs_source *src;

	(void)state;
	cfs_buf_init(&plain, 2 << 20);
	cfs_buf_init(&body, 1 << 20);
	cfs_buf_init(&file, 1 << 20);
	for (unsigned i = 0; i < 100000; i++)
		cfs_buf_adds(&plain, "0123456789");
	assert_int_equal(cfs_gz_compress(cfs_buf_slice(&plain), &body, NULL), 0);
	add_warc(&file, "http://before/", "short");
	cfs_buf_addf(&file, "WARC/1.0\r\nWARC-Type: response\r\n"
		     "WARC-Target-URI: http://long/\r\nContent-Type: "
		     "application/http; msgtype=response\r\n"
		     "Content-Length: %zu\r\n\r\nHTTP/1.1 200 OK\r\n"
		     "Content-Encoding: gzip\r\n\r\n", body.n + 43);
	cfs_buf_add(&file, cfs_buf_slice(&body));
	cfs_buf_adds(&file, "\r\n\r\n");
	add_warc(&file, "http://behind/", "short");
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&file),
						"a.warc", NULL), CFS_OK);
	assert_int_equal(cfs_scan_archive(src, &opts, on_record, &counts, NULL),
			 CFS_OK);
	assert_string_equal(cfs_buf_str(&f->text), "http://before/=short;"
		"http://long/=0123456789012345678901234567890123456789;"
		"http://behind/=short;");
	assert_null(f->items[0].spill_dir);
	assert_string_equal(f->items[1].spill_dir, "/tmp");
	assert_int_equal(f->damaged, 0);
	cfs_source_close(src);
	free_found(f);
	cfs_buf_release(&file);
	cfs_buf_release(&body);
	cfs_buf_release(&plain);
}

/* Where there is no such folder, a long record is a failure of the walk, not
 * damage; shorter ones are found before. */
/* Holds L12. */
static void no_folder_for_long_ones(void **state)
{
	struct found *f = new_found();
	struct cfs_scan_opts opts = { .damaged = on_damage, .arg = f,
				      .advanced = on_advance, .memory_bytes = 1,
				      .spill_dir = "/tmp/no-such-folder" };
	struct cfs_scan_counts counts;
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_buf file;

	(void)state;
	cfs_buf_init(&file, 4096);
	add_warc(&file, "http://a/", "body");
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&file),
						"a.warc", NULL), CFS_OK);
	assert_int_equal(cfs_scan_archive(src, &opts, on_record, &counts, &e),
			 CFS_EIO);
	assert_non_null(strstr(e.where, "no-such-folder"));
	assert_true(counts.spill_failed);
	assert_int_equal(f->n + f->damaged, 0);
	cfs_source_close(src);
	free_found(f);
	cfs_buf_release(&file);
}

UNIT_PROGRAM
{
	UNIT_ROWS(shape_cases, one_each);
	UNIT_ROWS(shape_cases, any_two_members);
	UNIT_ROWS(shape_cases, one_byte_members);
	UNIT_ROWS(shape_cases, every_prefix);
	UNIT_ROWS(shape_cases, flipped_byte);
	UNIT_ROWS(shape_cases, junk_between);
	UNIT_ROWS(shape_cases, damaged_member);
	UNIT_ROWS(shape_cases, wrong_length);
	UNIT_ROWS(shape_cases, too_large);
	UNIT_ROWS(shape_cases, large_member);
	UNIT_ROWS(shape_cases, faults);
	UNIT_ROWS(shape_cases, stop_case);
	UNIT_ROWS(shape_cases, cancelled);
	UNIT_ROWS(start_cases, start);
	UNIT_TEST(start_far);
	UNIT_TEST(start_hostile);
	UNIT_TEST(looks);
	UNIT_TEST(no_archive);
	UNIT_TEST(long_when_decoded);
	UNIT_TEST(no_folder_for_long_ones);
	return unit_run("scan");
}
