/* words_test.c - lists of words against texts that are searched one by one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_fixture.h"

#include "rng.h"

/* Parts of texts: short words, so that many documents have each; scripts
 * without blanks, marks, folds that grow, bytes that are not UTF-8. */
static const char *const parts[] = {
	"a", "b", "Ab", "bA", "aab", "c1", "Stra\xc3\x9f" "e", "STRASSE",
	"\xe6\x9d\xb1", "\xe4\xba\xac", "\xe9\x83\xbd", "\xe6\x9d\xb1\xe4\xba\xac",
	"\xe0\xb8\x81\xe0\xb8\xb4", "\xe3\x82\xb3\xe3\x83\xbc\xe3\x83\x92",
	"e\xcc\x81", "\xc3\xa9", "\xc4\xb0", "\xff", "\xc3", "\xed\xa0\x80",
	" ", " ", " ", "-", "\n", "\xe3\x80\x81", "+", "\"",
};

static void random_text(uint64_t *seed, size_t max, struct cfs_buf *out)
{
	for (size_t n = rng_below(seed, max) + 1; n > 0; n--)
		cfs_buf_adds(out, parts[rng_below(seed, COUNT(parts))]);
}

struct made {
	struct cfs_buf texts, file;
	struct cfs_slice text[700];
	struct cfs_words *w;
	uint32_t n;
};

static void make(struct made *m, uint64_t *seed, uint32_t n, size_t max)
{
	size_t from[701];
	struct cfs_source *src;

	cfs_buf_init(&m->texts, 1 << 24);
	cfs_buf_init(&m->file, 1 << 24);
	m->n = n;
	for (uint32_t i = 0; i < n; i++) {
		from[i] = m->texts.n;
		random_text(seed, max, &m->texts);
	}
	from[n] = m->texts.n;
	for (uint32_t i = 0; i < n; i++)
		m->text[i] = cfs_slice_of(m->texts.p + from[i],
					  from[i + 1] - from[i]);
	assert_int_equal(words_write(&m->file, m->text, n), CFS_OK);
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&m->file),
						"made", NULL), CFS_OK);
	assert_int_equal(cfs_words_open(&m->w, src, NULL, CFS_CTX(NULL, NULL)),
			 CFS_OK);
}

static void end(struct made *m)
{
	cfs_words_close(m->w);
	cfs_buf_release(&m->texts);
	cfs_buf_release(&m->file);
}

static bool has(const struct cfs_hits *hits, uint32_t doc)
{
	for (size_t i = 0; i < hits->n; i++)
		if (hits->v[i] == doc)
			return true;
	return false;
}

static void queries(void **state)
{
	uint64_t seed = 1, found = 0, sure = 0;
	struct made m;

	(void)state;
	make(&m, &seed, 700, 30);
	for (int i = 0; i < 2000; i++) {
		struct cfs_buf typed;
		struct cfs_word_query *q;
		struct cfs_hits hits = { 0 };
		bool surely;

		cfs_buf_init(&typed, 1024);
		random_text(&seed, 5, &typed);
		if (cfs_word_query_parse(&q, cfs_buf_slice(&typed), NULL) ==
		    CFS_OK) {
			assert_int_equal(cfs_words_find(m.w, q, &hits, &surely,
							CFS_CTX(NULL, NULL)),
					 CFS_OK);
			for (uint32_t d = 0; d < m.n; d++) {
				bool is = cfs_word_query_matches(q, m.text[d]);

				found += is;
				if (is || surely)
					assert_int_equal(has(&hits, d), is);
			}
			sure += surely;
			cfs_word_query_free(q);
		}
		cfs_hits_release(&hits);
		cfs_buf_release(&typed);
	}
	assert_true(found > 10000 && sure > 200);
	end(&m);
}

static void literals(void **state)
{
	uint64_t seed = 2, found = 0, less = 0;
	struct made m;

	(void)state;
	make(&m, &seed, 700, 30);
	for (int i = 0; i < 3000; i++) {
		struct cfs_hits hits = { 0 };
		uint32_t d = (uint32_t)rng_below(&seed, m.n);
		size_t at = rng_below(&seed, m.text[d].n);
		struct cfs_slice lit = cfs_slice_sub(m.text[d], at,
						     1 + rng_below(&seed, 12));

		assert_int_equal(cfs_words_part(m.w, lit, 0, &hits,
						CFS_CTX(NULL, NULL)), CFS_OK);
		for (d = 0; d < m.n; d++) {
			bool is = cfs_slice_search_nocase(m.text[d], lit) >= 0;

			found += is;
			if (is)
				assert_true(has(&hits, d));
		}
		less += hits.n < m.n;
		cfs_hits_release(&hits);
	}
	assert_true(found > 10000 && less > 1000);
	end(&m);
}

static struct cfs_word_query *query(const char *typed)
{
	struct cfs_word_query *q;

	assert_int_equal(cfs_word_query_parse(&q, cfs_slice_str(typed), NULL),
			 CFS_OK);
	return q;
}

static void make_of(struct made *m, const char *const *texts, uint32_t n)
{
	struct cfs_source *src;

	cfs_buf_init(&m->texts, 1 << 20);
	cfs_buf_init(&m->file, 1 << 24);
	m->n = n;
	for (uint32_t i = 0; i < n; i++)
		m->text[i] = cfs_slice_str(texts[i]);
	assert_int_equal(words_write(&m->file, m->text, n), CFS_OK);
	assert_int_equal(cfs_source_open_memory(&src, cfs_buf_slice(&m->file),
						"made", NULL), CFS_OK);
	assert_int_equal(cfs_words_open(&m->w, src, NULL, CFS_CTX(NULL, NULL)),
			 CFS_OK);
}

static void documents(void **state)
{
	uint64_t seed = 3, tie;
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_hits hits = { 0 };
	struct cfs_index other = { .format = "CDX" };
	struct cfs_source *src;
	struct made m;

	(void)state;
	make(&m, &seed, 650, 3);
	assert_int_equal(cfs_words_info(m.w)->docs, 650);
	for (uint32_t d = 0; d < m.n; d++) {
		cfs_pos pos = cfs_words_pos(m.w, d);

		assert_true(pos == cfs_pos_make(d / 100, d % 100));
		assert_int_equal(cfs_words_doc(m.w, pos), d);
	}
	assert_int_equal(cfs_words_doc(m.w, cfs_pos_make(0, 100)), UINT32_MAX);
	assert_int_equal(cfs_words_doc(m.w, cfs_pos_make(6, 50)), UINT32_MAX);
	assert_int_equal(cfs_words_doc(m.w, cfs_pos_make(7, 0)), UINT32_MAX);
	assert_int_equal(cfs_words_doc(m.w, CFS_POS_NONE), UINT32_MAX);
	assert_int_equal(cfs_words_unread(m.w, &hits, ctx), CFS_OK);
	assert_true(hits.n == 1 && hits.v[0] == 2);
	assert_int_equal(cfs_words_check(m.w, ctx), CFS_OK);
	assert_int_equal(cfs_source_open_memory(&src, CFS_SLICE_EMPTY, "x",
						NULL), CFS_OK);
	other.src = src;
	assert_int_equal(cfs_words_tie(&other, &tie, ctx), CFS_EUNSUPPORTED);
	cfs_source_close(src);
	cfs_hits_release(&hits);
	end(&m);
}

static void ranks(void **state)
{
	static const char *const texts[] = {
		"sea and sand and sun", "sea", "nothing of it",
		"sea sea sea", "sand sea and more and more and more of it",
	};
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_word_query *q = query("Sea");
	struct cfs_hits hits = { 0 };
	struct cfs_ranked best[3];
	struct made m;
	bool surely;
	size_t n;

	(void)state;
	make_of(&m, texts, COUNT(texts));
	assert_int_equal(cfs_words_find(m.w, q, &hits, &surely, ctx), CFS_OK);
	assert_true(surely && hits.n == 4);
	assert_int_equal(cfs_words_rank(m.w, q, &hits, 3, best, &n, ctx),
			 CFS_OK);
	assert_int_equal(n, 3);
	assert_int_equal(best[0].doc, 3);
	assert_int_equal(best[1].doc, 1);
	assert_int_equal(best[2].doc, 0);
	cfs_word_query_free(q);
	cfs_hits_release(&hits);
	end(&m);
}

static void near(void **state)
{
	static const char *const texts[] = { "kernel kettle", "Kernel",
					     "colonel kern\xc3\xa9l" };
	struct cfs_buf out;
	struct made m;

	(void)state;
	cfs_buf_init(&out, 1024);
	make_of(&m, texts, COUNT(texts));
	assert_int_equal(cfs_words_near(m.w, CFS_SLICE_LIT("kernal"), 2, &out,
					CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(cfs_slice_eq(cfs_buf_slice(&out),
				 CFS_SLICE_LIT("kernel\0kern\xc3\xa9l\0")));
	cfs_buf_release(&out);
	end(&m);
}

static void marks(void **state)
{
	struct cfs_slice text = CFS_SLICE_LIT("An odd thing, odd-thing. odd");
	struct cfs_word_query *q = query("\"odd thing\" AN+odd");
	struct cfs_word_place at[8];

	(void)state;
	assert_int_equal(cfs_word_query_terms(q), 3);
	assert_true(cfs_slice_eq(cfs_word_query_term(q, 0),
				 CFS_SLICE_LIT("odd thing")));
	assert_int_equal(cfs_word_query_places(q, text, at, COUNT(at)), 6);
	assert_true(at[0].term == 1 && at[0].from == 0 && at[0].to == 2);
	assert_true(at[2].term == 0 && at[2].from == 3 && at[2].to == 12);
	cfs_word_query_free(q);
}

UNIT_PROGRAM
{
	UNIT_TEST(documents);
	UNIT_TEST(ranks);
	UNIT_TEST(near);
	UNIT_TEST(marks);
	UNIT_TEST(queries);
	UNIT_TEST(literals);
	return unit_run("words");
}
