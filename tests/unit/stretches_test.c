/* stretches_test.c - archives that are cut into stretches: read in order, they
 * give what the whole archive gives, wherever the cuts fall.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <stdlib.h>
#include <zlib.h>

#include "codec/gzip.h"
#include "record/stretches.h"
#include "rng.h"
#include "source/near.h"

#define ARCHIVE_MAX ((size_t)1 << 20)

/* ---- archives ---- */

static void add_record(struct cfs_buf *out, uint64_t *rng, const char *host,
		       struct cfs_slice body)
{
	cfs_buf_addf(out, "WARC/1.0\r\nWARC-Type: resource\r\n"
		     "WARC-Target-URI: http://%s/%llu\r\nContent-Length: %zu"
		     "\r\n\r\n", host,
		     (unsigned long long)rng_below(rng, 1000000), body.n);
	cfs_buf_add(out, body);
	cfs_buf_adds(out, "\r\n\r\n");
}

static void add_small(struct cfs_buf *out, uint64_t *rng, const char *host)
{
	char text[3000];
	size_t n = rng_below(rng, sizeof(text));

	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + rng_below(rng, 26));
	add_record(out, rng, host, cfs_slice_of(text, n));
}

static void add_member(struct cfs_buf *out, struct cfs_slice plain)
{
	assert_int_equal(cfs_gz_compress(plain, out, NULL), CFS_OK);
}

/* A member whose bytes are stored, so that members inside lie open. */
static void add_stored(struct cfs_buf *out, struct cfs_slice plain)
{
	cfs_buf_append(out, "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
	for (size_t off = 0; off < plain.n; off += 65535) {
		size_t n = plain.n - off < 65535 ? plain.n - off : 65535;

		cfs_buf_addc(out, off + n == plain.n);
		cfs_buf_le16(out, (uint16_t)n);
		cfs_buf_le16(out, (uint16_t)~n);
		cfs_buf_append(out, plain.p + off, n);
	}
	cfs_buf_le32(out, (uint32_t)crc32_z(0, plain.p, plain.n));
	cfs_buf_le32(out, (uint32_t)plain.n);
}

/* A record with an archive inside it, of up to `most` records. */
static void add_nested(struct cfs_buf *out, uint64_t *rng, unsigned most)
{
	struct cfs_buf inner, plain, one;

	cfs_buf_init(&inner, ARCHIVE_MAX);
	cfs_buf_init(&plain, ARCHIVE_MAX);
	cfs_buf_init(&one, ARCHIVE_MAX);
	for (unsigned n = 1 + (unsigned)rng_below(rng, most); n > 0; n--) {
		cfs_buf_reset(&one);
		add_small(&one, rng, "inner.org");
		add_member(&inner, cfs_buf_slice(&one));
	}
	add_record(&plain, rng, "outer.org", cfs_buf_slice(&inner));
	add_stored(out, cfs_buf_slice(&plain));
	cfs_buf_release(&inner);
	cfs_buf_release(&plain);
	cfs_buf_release(&one);
}

/* One of the ways in which records and members go together. */
static void add_some(struct cfs_buf *out, uint64_t *rng)
{
	struct cfs_buf plain;
	size_t cut;

	cfs_buf_init(&plain, ARCHIVE_MAX);
	switch (rng_below(rng, 10)) {
	case 0:
		add_nested(out, rng, 12);
		break;
	case 1:		/* several records in a member */
		for (unsigned n = 2 + (unsigned)rng_below(rng, 4); n > 0; n--)
			add_small(&plain, rng, "shared.org");
		add_member(out, cfs_buf_slice(&plain));
		break;
	case 2:		/* a record in several members */
		add_small(&plain, rng, "long.org");
		cut = rng_below(rng, plain.n);
		add_member(out, cfs_slice_sub(cfs_buf_slice(&plain), 0, cut));
		add_member(out, cfs_slice_from(cfs_buf_slice(&plain), cut));
		break;
	case 3:		/* a record, or its header, that the next one ends */
		add_small(&plain, rng, "short.org");
		add_member(out, cfs_slice_sub(cfs_buf_slice(&plain), 0,
					      20 + rng_below(rng, plain.n -
							     20)));
		break;
	default:
		add_small(&plain, rng, "plain.org");
		add_member(out, cfs_buf_slice(&plain));
	}
	cfs_buf_release(&plain);
}

/* ---- walks ---- */

struct walk {
	struct cfs_buf text;		/* a line for each record or damage */
	bool has_run_on;
};

static int on_record(void *arg, const struct cfs_scan_item *item)
{
	struct walk *w = arg;

	cfs_buf_addf(&w->text, "%llu+%llu %llu+%llu ",
		     (unsigned long long)item->span.offset,
		     (unsigned long long)item->span.length,
		     (unsigned long long)item->span.inner_offset,
		     (unsigned long long)item->span.inner_length);
	cfs_buf_add(&w->text, item->record->url);
	cfs_buf_addf(&w->text, " %zu\n", item->record->body.n);
	return 0;
}

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct walk *w = arg;

	cfs_buf_addf(&w->text, "%llu %s\n", (unsigned long long)what->offset,
		     what->text);
}

static void on_run_on(void *arg)
{
	struct walk *w = arg;

	assert_false(w->has_run_on);
	w->has_run_on = true;
}

static void scan(struct cfs_source *src, struct cfs_scan_stretch at,
		 struct walk *w)
{
	const struct cfs_scan_opts opts = { .damaged = on_damage, .arg = w,
		.at = at, .ran_on = on_run_on };

	w->has_run_on = false;
	assert_int_equal(cfs_scan_archive(src, &opts, on_record, NULL, NULL),
			 CFS_OK);
}

static int reopen(void *arg, struct cfs_source **out, struct cfs_ctx ctx)
{
	(void)ctx;
	*out = cfs_source_ref(arg);
	return CFS_OK;
}

/* Reads the stretches one after the other, leaving out those in whose place an
 * earlier one was read.  Returns their number. */
static unsigned by_stretches(struct cfs_source *src, uint64_t every,
			     uint64_t first, struct walk *w, bool *any_wrong)
{
	struct cfs_stretches s = { .every = every, .first = first,
		.bytes = src->size, .open = reopen, .arg = src };
	struct cfs_scan_stretch at;
	uint64_t end = 0;
	unsigned n = 0;
	bool is_void = false;

	while (cfs_stretches_next(&s, &at, CFS_CTX(NULL, NULL))) {
		assert_int_equal(at.from, end);
		assert_true(at.to > at.from || (at.from == 0 && at.to == 0));
		assert_int_equal(at.rest, src->size);
		end = at.to;
		n++;
		if (!is_void)
			scan(src, at, w);
		is_void = is_void || w->has_run_on;
	}
	assert_true(end == src->size || (n == 1 && end == 0));
	*any_wrong |= is_void;
	cfs_stretches_release(&s);
	return n;
}

static void compare(struct cfs_slice archive, uint64_t every, uint64_t first,
		    unsigned *cuts, bool *any_wrong)
{
	const struct cfs_scan_stretch all = { .to = 0 };
	struct cfs_source *src;
	struct walk whole, cut;

	cfs_buf_init(&whole.text, ARCHIVE_MAX);
	cfs_buf_init(&cut.text, ARCHIVE_MAX);
	assert_int_equal(cfs_source_open_memory(&src, archive, "x", NULL),
			 CFS_OK);
	scan(src, all, &whole);
	assert_false(whole.has_run_on);
	*cuts += by_stretches(src, every, first, &cut, any_wrong) - 1;
	assert_string_equal(cfs_buf_str(&cut.text), cfs_buf_str(&whole.text));
	cfs_source_close(src);
	cfs_buf_release(&whole.text);
	cfs_buf_release(&cut.text);
}

/* ---- the tests ---- */

static void any_archive(void **state)
{
	unsigned cuts = 0;
	bool any_wrong = false;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, ARCHIVE_MAX);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t rng = seed, every = 1 + rng_below(&rng, 8192);

		cfs_buf_reset(&b);
		for (unsigned n = 1 + (unsigned)rng_below(&rng, 40); n > 0; n--)
			add_some(&b, &rng);
		compare(cfs_buf_slice(&b), every, 0, &cuts, &any_wrong);
		compare(cfs_buf_slice(&b), 8 * every, every, &cuts, &any_wrong);
	}
	assert_true(cuts > 1000);
	assert_true(any_wrong);
	cfs_buf_release(&b);
}

/* Where damage is, is what the cuts do not change either. */
static void damaged(void **state)
{
	unsigned cuts = 0;
	bool any_wrong = false;
	struct cfs_buf b;

	(void)state;
	cfs_buf_init(&b, ARCHIVE_MAX);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t rng = seed, every = 1 + rng_below(&rng, 8192);

		cfs_buf_reset(&b);
		for (unsigned n = 1 + (unsigned)rng_below(&rng, 40); n > 0; n--)
			add_some(&b, &rng);
		b.p[b.n / 4 + rng_below(&rng, b.n - b.n / 4)] ^= 0x55;
		compare(cfs_buf_slice(&b), every, 0, &cuts, &any_wrong);
	}
	assert_true(cuts > 500);
	cfs_buf_release(&b);
}

/* A stretch ends with its part, even inside a record. */
static void no_rest(void **state)
{
	struct cfs_scan_stretch at = { .from = 0 };
	struct cfs_source *src;
	uint64_t rng = 7;
	struct cfs_buf b;
	struct walk w;

	(void)state;
	cfs_buf_init(&b, ARCHIVE_MAX);
	cfs_buf_init(&w.text, ARCHIVE_MAX);
	add_nested(&b, &rng, 12);
	at.to = at.rest = b.n / 2;
	add_nested(&b, &rng, 12);
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&b), "x",
						NULL), CFS_OK);
	scan(src, at, &w);
	assert_false(w.has_run_on);
	at.rest = src->size;
	scan(src, at, &w);
	assert_true(w.has_run_on);
	cfs_source_close(src);
	cfs_buf_release(&b);
	cfs_buf_release(&w.text);
}

/* The caller passes over bytes that an earlier run has read. */
static void goes_on(void **state)
{
	struct cfs_stretches s = { .bytes = 1000, .every = 0 };
	struct cfs_scan_stretch at;

	(void)state;
	assert_true(cfs_stretches_next(&s, &at, CFS_CTX(NULL, NULL)));
	assert_false(cfs_stretches_next(&s, &at, CFS_CTX(NULL, NULL)));
	cfs_stretches_go(&s, 600);
	assert_true(cfs_stretches_next(&s, &at, CFS_CTX(NULL, NULL)));
	assert_int_equal(at.from, 600);
	assert_int_equal(at.to, 1000);
	cfs_stretches_go(&s, 1000);
	assert_false(cfs_stretches_next(&s, &at, CFS_CTX(NULL, NULL)));
	cfs_stretches_go(&s, 0);
	assert_false(cfs_stretches_next(&s, &at, CFS_CTX(NULL, NULL)));
	cfs_stretches_release(&s);
}

/* ---- ranges that become one request ---- */

struct near_case {
	const char *name;
	uint64_t v[3][2];	/* offset and length */
	unsigned joined;	/* so many of them become one */
	uint64_t to;
};

static struct near_case near_cases[] = {
	{ "a gap", { { 0, 50 }, { 60, 30 }, { 101, 9 } }, 2, 90 },
	{ "one in another", { { 5, 50 }, { 9, 2 }, { 60, 1 } }, 3, 61 },
	{ "not to the one before", { { 5, 5 }, { 4, 5 } }, 1, 10 },
	{ "the most", { { 0, 90 }, { 90, 10 }, { 100, 1 } }, 2, 100 },
	{ "a large one by itself", { { 7, 300 }, { 300, 1 } }, 1, 307 },
	{ "more gap than is wanted", { { 0, 2 }, { 9, 2 }, { 19, 2 } }, 1, 2 },
	{ "of unknown length at the beginning", { { 0, 0 }, { 70, 9 } }, 1, 0 },
	{ "a wrong length", { { 9, UINT64_MAX }, { 9, 9 } }, 1, UINT64_MAX },
};

static void near_case(void **state)
{
	static const struct cfs_near_rule rule = { .gap = 10, .most = 100,
						   .waste = 1 };
	const struct near_case *tc = *state;
	struct cfs_near range = { .to = 0 };
	unsigned n = 0;

	while (n < COUNT(tc->v) &&
	       cfs_near_add(&range, tc->v[n][0], tc->v[n][1], &rule))
		n++;
	assert_int_equal(n, tc->joined);
	assert_int_equal(range.from, tc->v[0][0]);
	assert_int_equal(range.to, tc->to);
}

UNIT_PROGRAM
{
	UNIT_TEST(any_archive);
	UNIT_TEST(damaged);
	UNIT_TEST(no_rest);
	UNIT_TEST(goes_on);
	UNIT_ROWS(near_cases, near_case);
	return unit_run("stretches");
}
