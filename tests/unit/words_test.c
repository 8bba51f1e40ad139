/* words_test.c - lists of words against texts that are searched one by one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_fixture.h"

#include "alloc_fail.h"
#include "base/log.h"
#include "fault.h"
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

static int open_bytes(struct cfs_words **w, struct cfs_slice bytes,
		      struct cfs_error *err)
{
	struct cfs_source *src;
	int rc = cfs_source_open_memory(&src, bytes, "made", NULL);

	*w = NULL;
	return rc != CFS_OK ? rc :
	       cfs_words_open(w, src, NULL, CFS_CTX(NULL, err));
}

static void make(struct made *m, uint64_t *seed, uint32_t n, size_t max)
{
	size_t from[701];

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
	assert_int_equal(open_bytes(&m->w, cfs_buf_slice(&m->file), NULL),
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

		assert_int_equal(cfs_words_part(m.w, lit, &hits,
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
	cfs_buf_init(&m->texts, 1 << 20);
	cfs_buf_init(&m->file, 1 << 24);
	m->n = n;
	for (uint32_t i = 0; i < n; i++)
		m->text[i] = cfs_slice_str(texts[i]);
	assert_int_equal(words_write(&m->file, m->text, n), CFS_OK);
	assert_int_equal(open_bytes(&m->w, cfs_buf_slice(&m->file), NULL),
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
	assert_int_equal(cfs_words_docs_of(m.w, CFS_WORDS_UNREAD, &hits,
					   ctx.err), CFS_OK);
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
	double scores[4];
	struct made m;
	bool surely;

	(void)state;
	make_of(&m, texts, COUNT(texts));
	assert_int_equal(cfs_words_find(m.w, q, &hits, &surely, ctx), CFS_OK);
	assert_true(surely && hits.n == 4);
	assert_int_equal(cfs_words_score(m.w, q, &hits, scores, ctx), CFS_OK);
	/* of documents 0, 1, 3 and 4 */
	assert_true(scores[2] > scores[1] && scores[1] > scores[0] &&
		    scores[0] > scores[3] && scores[3] > 0);
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

/* ---- lists against a plain model ---- */

#define MODEL_WORDS 4000u
#define MODEL_DOCS 200000u

/* Random words with random documents: those of word i are rare, clustered, or
 * nearly all, so that lists lie in the dictionary, in a part of the postings,
 * and across its edges. */
struct model {
	uint8_t word[MODEL_WORDS][CFS_WORD_MAX];
	size_t n[MODEL_WORDS];
	uint32_t *docs[MODEL_WORDS], *frequencies[MODEL_WORDS];
	uint32_t n_docs[MODEL_WORDS];
};

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, CFS_WORD_MAX);
}

static void model_words(struct model *m, uint64_t *seed)
{
	for (size_t i = 0; i < MODEL_WORDS; i++) {
		size_t n = rng_below(seed, 20) == 0 ? CFS_WORD_MAX :
			   5 + rng_below(seed, 12);

		memset(m->word[i], 0, CFS_WORD_MAX);
		for (size_t k = 0; k < n; k++)
			m->word[i][k] = (uint8_t)('a' + rng_below(seed, 3));
	}
	qsort(m->word, MODEL_WORDS, CFS_WORD_MAX, by_bytes);
	for (size_t i = 0; i < MODEL_WORDS; i++)
		m->n[i] = strnlen((const char *)m->word[i], CFS_WORD_MAX);
}

static void model_docs(struct model *m, uint64_t *seed)
{
	for (size_t i = 0; i < MODEL_WORDS; i++) {
		uint64_t gap = i % 500 == 7 ? 2 : 1 + rng_below(seed, 100000);
		uint32_t n = 0, doc = (uint32_t)rng_below(seed, gap);

		m->docs[i] = malloc(MODEL_DOCS * 4);
		m->frequencies[i] = malloc(MODEL_DOCS * 4);
		for (; doc < MODEL_DOCS && (i % 500 == 7 || n < 400); n++) {
			uint64_t f = rng_below(seed, 100);

			m->docs[i][n] = doc;
			m->frequencies[i][n] = f < 60 || i % 3 == 0 ? 1 :
					       f == 99 ? 70000 : (uint32_t)f;
			doc += 1 + (uint32_t)rng_below(seed, gap);
		}
		m->n_docs[i] = n;
	}
}

static void model_write(const struct model *m, struct cfs_buf *out)
{
	uint8_t *lengths = calloc(MODEL_DOCS, 1);
	uint16_t leaves[5] = { 50000, 0, 65535, 65535, 18930 };
	struct cfs_words_docs docs = { .n = MODEL_DOCS, .lengths = lengths,
				       .leaves = leaves, .n_leaves = 5 };
	struct cfs_words_writer *w;
	uint64_t bytes;
	int fd = cfs_temp_file("/tmp");

	for (uint32_t i = 0; i < MODEL_DOCS; i++)
		lengths[i] = (uint8_t)(i * 7);
	assert_int_equal(cfs_words_writer_new(&w, fd, "model", "/tmp", NULL),
			 CFS_OK);
	for (size_t i = 0; i < MODEL_WORDS; i++) {
		if (i > 0 && by_bytes(m->word[i], m->word[i - 1]) == 0)
			continue;
		assert_int_equal(cfs_words_writer_word(
			w, cfs_slice_of(m->word[i], m->n[i]), NULL), CFS_OK);
		for (uint32_t k = 0; k < m->n_docs[i]; k++)
			assert_int_equal(cfs_words_writer_posting(
				w, m->docs[i][k], m->frequencies[i][k], NULL),
				CFS_OK);
	}
	assert_int_equal(cfs_words_writer_finish(w, &docs, &bytes, NULL),
			 CFS_OK);
	assert_int_equal(words_take_file(out, fd, bytes), CFS_OK);
	assert_int_equal(bytes, out->n);
	close(fd);
	cfs_words_writer_free(w);
	free(lengths);
}

static void same_list(const struct model *m, size_t i,
		      const struct cfs_hits *docs, const struct cfs_hits *f)
{
	assert_int_equal(docs->n, m->n_docs[i]);
	assert_memory_equal(docs->v, m->docs[i], 4 * docs->n);
	for (size_t k = 0; k < docs->n; k++) {
		uint32_t want = m->frequencies[i][k];

		assert_int_equal(f->v[k], want < CFS_WORDS_FREQUENCY_MAX ?
				 want : CFS_WORDS_FREQUENCY_MAX);
	}
}

/* All words of a list in order, with their lists. */
static void same_words(const struct model *m, struct cfs_words *w)
{
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_hits docs = { 0 }, f = { 0 };
	struct cfs_words_walk *walk;
	struct cfs_slice word;
	uint32_t n;

	assert_int_equal(cfs_words_walk_begin(&walk, w, CFS_SLICE_EMPTY, NULL),
			 CFS_OK);
	for (size_t i = 0; i < MODEL_WORDS; i++) {
		if (i > 0 && by_bytes(m->word[i], m->word[i - 1]) == 0)
			continue;
		assert_int_equal(cfs_words_next(walk, &word, &n, ctx), CFS_OK);
		assert_true(cfs_slice_eq(word, cfs_slice_of(m->word[i],
							    m->n[i])));
		assert_int_equal(n, m->n_docs[i]);
		assert_int_equal(cfs_words_postings(walk, &docs, &f, ctx),
				 CFS_OK);
		same_list(m, i, &docs, &f);
	}
	assert_int_equal(cfs_words_next(walk, &word, &n, ctx), CFS_END);
	cfs_words_walk_end(walk);
	/* From between two words. */
	assert_int_equal(cfs_words_walk_begin(&walk, w, CFS_SLICE_LIT("bb0"),
					      NULL),
			 CFS_OK);
	assert_int_equal(cfs_words_next(walk, &word, &n, ctx), CFS_OK);
	assert_true(cfs_slice_cmp(word, CFS_SLICE_LIT("bb0")) > 0);
	assert_memory_equal(word.p, "bba", 3);
	cfs_words_walk_end(walk);
	cfs_hits_release(&docs);
	cfs_hits_release(&f);
}

static void model(void **state)
{
	struct model *m = calloc(1, sizeof(*m));
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	uint8_t lengths[70000];
	struct cfs_words *w;
	struct cfs_buf out;
	uint64_t seed = 4;

	(void)state;
	model_words(m, &seed);
	model_docs(m, &seed);
	cfs_buf_init(&out, 1 << 26);
	model_write(m, &out);
	assert_int_equal(open_bytes(&w, cfs_buf_slice(&out), NULL), CFS_OK);
	same_words(m, w);
	assert_int_equal(cfs_words_lengths(w, 65000, 70000, lengths, ctx),
			 CFS_OK);
	for (uint32_t i = 0; i < 70000; i++)
		assert_int_equal(lengths[i], (uint8_t)((65000 + i) * 7));
	/* An empty leaf is passed over. */
	assert_true(cfs_words_pos(w, 49999) == cfs_pos_make(0, 49999));
	assert_true(cfs_words_pos(w, 50000) == cfs_pos_make(2, 0));
	assert_int_equal(cfs_words_doc(w, cfs_pos_make(4, 18929)),
			 MODEL_DOCS - 1);
	cfs_words_close(w);
	cfs_buf_release(&out);
	for (size_t i = 0; i < MODEL_WORDS; i++) {
		free(m->docs[i]);
		free(m->frequencies[i]);
	}
	free(m);
}

/* ---- texts beyond the usual ---- */

static size_t words_of(struct cfs_slice text, size_t *cut)
{
	struct cfs_word_split s;
	struct cfs_word word;
	size_t n = 0;

	*cut = 0;
	for (cfs_word_split_init(&s, text); cfs_word_split_next(&s, &word);
	     n++) {
		assert_true(word.word.n > 0 && word.word.n <= CFS_WORD_MAX);
		assert_true(word.from < word.to && word.to <= text.n);
		*cut += word.is_cut;
	}
	return n;
}

#define HUGE_BYTES ((size_t)10 << 20)

static void huge(void **state)
{
	uint8_t *p = malloc(HUGE_BYTES);
	struct cfs_buf many;
	size_t cut, n;
	double ms;

	(void)state;
	memset(p, 'A', HUGE_BYTES);
	ms = unit_cpu_ms();
	assert_int_equal(words_of(cfs_slice_of(p, HUGE_BYTES), &cut), 1);
	assert_int_equal(cut, 1);
	for (size_t i = 0; i + 3 <= HUGE_BYTES; i += 3)
		memcpy(p + i, "\xe6\x9d\xb1", 3);
	n = HUGE_BYTES / 3;
	assert_int_equal(words_of(cfs_slice_of(p, 3 * n), &cut), n - 1);
	assert_int_equal(cut, 0);
	memset(p, 0xe6, HUGE_BYTES);
	assert_int_equal(words_of(cfs_slice_of(p, HUGE_BYTES), &cut), 0);
	cfs_buf_init(&many, 1 << 24);
	for (unsigned i = 0; i < 1000000; i++)
		cfs_buf_addf(&many, "w%u ", i);
	assert_int_equal(words_of(cfs_buf_slice(&many), &cut), 1000000);
	ms = unit_cpu_ms() - ms;
	assert_true(ms < 5000 * unit_slowness());
	cfs_buf_release(&many);
	free(p);
}

/* A literal inside of a word that was cut is found, by its document. */
static void long_words(void **state)
{
	char *text = calloc(1, 3000);
	const char *texts[] = { text, "neither", "tail" };
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_hits hits = { 0 };
	struct made m;

	(void)state;
	memset(text, 'x', 2990);
	memcpy(text + 2900, "Tail", 4);
	make_of(&m, texts, COUNT(texts));
	assert_int_equal(cfs_words_docs_of(m.w, CFS_WORDS_LONG, &hits,
					   ctx.err), CFS_OK);
	assert_true(hits.n == 1 && hits.v[0] == 0);
	assert_int_equal(cfs_words_part(m.w, CFS_SLICE_LIT("tail"), &hits, ctx),
			 CFS_OK);
	assert_true(hits.n == 2 && hits.v[0] == 0 && hits.v[1] == 2);
	assert_int_equal(cfs_words_part(m.w, CFS_SLICE_LIT("-tail-"), &hits,
					ctx), CFS_OK);
	assert_true(hits.n == 1 && hits.v[0] == 2);
	assert_int_equal(cfs_words_part(m.w, cfs_slice_of(text, 2000),
					&hits, ctx), CFS_OK);
	assert_true(hits.n == 1 && hits.v[0] == 0);
	/* As long as a word may be: the list has the beginning of another. */
	{
		struct cfs_word_query *q;
		bool surely;

		assert_int_equal(cfs_word_query_parse(
			&q, cfs_slice_of(text, CFS_WORD_MAX), NULL), CFS_OK);
		assert_int_equal(cfs_words_find(m.w, q, &hits, &surely, ctx),
				 CFS_OK);
		assert_true(hits.n == 1 && !surely);
		assert_false(cfs_word_query_matches(q, m.text[0]));
		cfs_word_query_free(q);
	}
	cfs_hits_release(&hits);
	end(&m);
	free(text);
}

static void empty(void **state)
{
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_word_query *q = query("word");
	struct cfs_hits hits = { 0 };
	struct cfs_buf out;
	struct made m;
	bool surely;

	(void)state;
	cfs_buf_init(&out, 100);
	make_of(&m, NULL, 0);
	assert_int_equal(cfs_words_check(m.w, ctx), CFS_OK);
	assert_int_equal(cfs_words_find(m.w, q, &hits, &surely, ctx), CFS_OK);
	assert_int_equal(hits.n, 0);
	assert_int_equal(cfs_words_part(m.w, CFS_SLICE_LIT("-"), &hits,
					ctx), CFS_OK);
	assert_int_equal(hits.n, 0);
	assert_int_equal(cfs_words_score(m.w, q, &hits, NULL, ctx), CFS_OK);
	assert_int_equal(cfs_words_near(m.w, CFS_SLICE_LIT("word"), 3, &out,
					ctx), CFS_OK);
	assert_int_equal(out.n, 0);
	cfs_word_query_free(q);
	end(&m);
}

/* ---- damage ---- */

static const char *const asked[] = { "a", "ab", "strasse", "\xe6\x9d\xb1",
				     "c1 b", "\"a b\"", "zz" };

/* Asks a list, which may be damaged, what m's texts have: never less than they
 * do, and not more if it says so.  The unread are not compared.  Returns the
 * first failure. */
static int ask(struct cfs_words *w, const struct made *m, bool is_whole)
{
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_hits hits = { 0 }, parts_of = { 0 };
	int rc = CFS_OK;

	for (size_t i = 0; rc == CFS_OK && i < COUNT(asked); i++) {
		struct cfs_slice typed = cfs_slice_str(asked[i]);
		struct cfs_word_query *q = NULL;
		static double scores[1000];
		bool surely = false;

		rc = cfs_word_query_parse(&q, typed, NULL);
		if (rc == CFS_OK)
			rc = cfs_words_find(w, q, &hits, &surely, ctx);
		if (rc == CFS_OK)
			rc = cfs_words_part(w, typed, &parts_of, ctx);
		for (uint32_t d = 0; rc == CFS_OK && d < m->n; d++) {
			bool is = cfs_word_query_matches(q, m->text[d]);

			if (is || (surely && is_whole))
				assert_int_equal(has(&hits, d), is);
			if (cfs_slice_search_nocase(m->text[d], typed) >= 0)
				assert_true(has(&parts_of, d));
		}
		if (rc == CFS_OK)
			assert_true(hits.n <= COUNT(scores));
		if (rc == CFS_OK)
			rc = cfs_words_score(w, q, &hits, scores, ctx);
		cfs_word_query_free(q);
	}
	if (rc == CFS_OK)
		rc = cfs_words_docs_of(w, CFS_WORDS_UNREAD, &hits, ctx.err);
	if (rc == CFS_OK)
		assert_true(has(&hits, 2));
	if (rc == CFS_OK)
		rc = cfs_words_check(w, ctx);
	cfs_hits_release(&hits);
	cfs_hits_release(&parts_of);
	return rc;
}

static void cut_files(void **state)
{
	uint64_t seed = 5;
	struct made m;

	(void)state;
	make(&m, &seed, 50, 8);
	for (size_t n = 0; n < m.file.n; n++) {
		uint8_t *p = malloc(n + 1);
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_words *w;

		memcpy(p, m.file.p, n);
		assert_int_equal(open_bytes(&w, cfs_slice_of(p, n), &err),
				 CFS_EFORMAT);
		assert_true(err.text[0] != '\0');
		free(p);
	}
	end(&m);
}

static unsigned damage_lines;

static void count_line(enum cfs_log_level level, const char *line, void *arg)
{
	(void)level;
	(void)arg;
	damage_lines += strstr(line, "index --words") != NULL;
}

/* No byte can be changed without that being told, by an open that fails or by a
 * line, and nothing is lost. */
static void flips(void **state)
{
	uint64_t seed = 6;
	unsigned opened = 0;
	struct made m;

	(void)state;
	make(&m, &seed, 120, 12);
	cfs_log_to(count_line, NULL, CFS_LOG_DEBUG);
	for (size_t i = 0; i < m.file.n; i++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_words *w;
		int rc;

		uint8_t bit = (uint8_t)(1u << rng_below(&seed, 8));

		m.file.p[i] ^= bit;
		rc = open_bytes(&w, cfs_buf_slice(&m.file), &err);
		if (rc == CFS_OK) {
			damage_lines = 0;
			opened++;
			rc = ask(w, &m, false);
			assert_true(rc == CFS_EFORMAT || damage_lines == 1);
		} else {
			assert_true(rc == CFS_EFORMAT || rc == CFS_EUNSUPPORTED);
			assert_true(err.text[0] != '\0');
		}
		cfs_words_close(w);
		m.file.p[i] ^= bit;
	}
	cfs_log_to(NULL, NULL, CFS_LOG_ERROR);
	assert_true(opened > (m.file.n - CFS_WORDS_HEADER_BYTES) / 2);
	end(&m);
}

static void faults(void **state)
{
	uint64_t seed = 7;
	struct made m;
	int rc = CFS_EIO;

	(void)state;
	make(&m, &seed, 120, 12);
	for (uint64_t read = 1; rc == CFS_EIO; read++) {
		struct cfs_fault fault = { .max_read = 1000,
					   .fail_read = read };
		struct cfs_source *inner, *src;
		struct cfs_words *w;

		assert_int_equal(cfs_source_open_memory(
			&inner, cfs_buf_slice(&m.file), "made", NULL), CFS_OK);
		assert_int_equal(cfs_source_open_fault(&src, inner, &fault,
						       NULL), CFS_OK);
		rc = cfs_words_open(&w, src, NULL, CFS_CTX(NULL, NULL));
		if (rc == CFS_OK)
			rc = ask(w, &m, true);
		cfs_words_close(w);
		assert_true(rc == CFS_EIO || (rc == CFS_OK && read > 10));
	}
	end(&m);
}

/* A list is opened by two reads, and a word takes two more at most: that many
 * requests of a server. */
static void few_reads(void **state)
{
	struct cfs_fault fault = { .max_read = 0 };
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_source *inner, *src;
	struct cfs_hits hits = { 0 };
	uint64_t seed = 9, opened;
	struct cfs_words *w;
	struct made m;

	(void)state;
	make(&m, &seed, 700, 30);
	assert_int_equal(cfs_source_open_memory(&inner, cfs_buf_slice(&m.file),
						"made", NULL), CFS_OK);
	assert_int_equal(cfs_source_open_fault(&src, inner, &fault, NULL),
			 CFS_OK);
	assert_int_equal(cfs_words_open(&w, src, NULL, ctx), CFS_OK);
	opened = cfs_source_fault_reads(src);
	assert_int_equal(opened, 2);
	for (size_t i = 0; i < 2; i++) {
		struct cfs_word_query *q = query(asked[i]);
		bool surely;

		assert_int_equal(cfs_words_find(w, q, &hits, &surely, ctx),
				 CFS_OK);
		assert_true(surely && hits.n > 100);
		cfs_word_query_free(q);
	}
	/* One block of the dictionary, and two lists. */
	assert_int_equal(cfs_source_fault_reads(src), opened + 3);
	cfs_words_close(w);
	cfs_hits_release(&hits);
	end(&m);
}

static void no_memory(void **state)
{
	uint64_t seed = 8;
	struct made m;
	int rc = CFS_ENOMEM;

	(void)state;
	make(&m, &seed, 120, 12);
	for (long i = 0; rc == CFS_ENOMEM; i++) {
		struct cfs_words *w = NULL;

		atomic_store(&countdown, i);
		rc = open_bytes(&w, cfs_buf_slice(&m.file), NULL);
		if (rc == CFS_OK)
			rc = ask(w, &m, true);
		cfs_words_close(w);
		atomic_store(&countdown, -1);
		assert_true(rc == CFS_ENOMEM || (rc == CFS_OK && i > 10));
	}
	end(&m);
}

static void no_memory_to_write(void **state)
{
	static const uint8_t lengths[3000] = { 1 };
	static const uint16_t leaves[1] = { 3000 };
	struct cfs_words_docs docs = { .lengths = lengths, .n = 3000,
				       .leaves = leaves, .n_leaves = 1 };
	int rc = CFS_ENOMEM;

	(void)state;
	for (long i = 0; rc == CFS_ENOMEM; i++) {
		int fd = cfs_temp_file("/tmp");
		struct cfs_words_writer *w;
		uint64_t bytes;

		atomic_store(&countdown, i);
		rc = cfs_words_writer_new(&w, fd, "made", "/tmp", NULL);
		if (rc == CFS_OK)
			rc = cfs_words_writer_word(w, CFS_SLICE_LIT("a"), NULL);
		for (uint32_t d = 0; rc == CFS_OK && d < 3000; d += 2)
			rc = cfs_words_writer_posting(w, d, 1, NULL);
		if (rc == CFS_OK)
			rc = cfs_words_writer_finish(w, &docs, &bytes, NULL);
		cfs_words_writer_free(w);
		atomic_store(&countdown, -1);
		assert_true(rc == CFS_ENOMEM || (rc == CFS_OK && i > 3));
		close(fd);
	}
}

/* ---- the rest ---- */

static void lengths(void **state)
{
	(void)state;
	for (uint64_t v = 0; v < 1u << 20; v += 1 + v / 50) {
		uint64_t is = cfs_words_length(cfs_words_length_code(v));

		assert_true(is <= v && v - is <= v / 8);
	}
	for (unsigned c = 0; c < 256; c++)
		assert_int_equal(cfs_words_length_code(cfs_words_length(
			(uint8_t)c)), c);
	assert_int_equal(cfs_words_length_code(UINT64_MAX), 255);
}

/* The example of crawlfs-words(5). */
static void man_example(void **state)
{
	struct cfs_word_query *q = query("SAND of");
	struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
	struct cfs_hits hits = { 0 }, f = { 0 };
	struct cfs_words_walk *walk;
	struct cfs_slice word;
	struct cfs_words *w;
	uint32_t n;
	bool surely;
	size_t size;
	uint8_t *p = unit_man_bytes("crawlfs-words.5", &size);

	(void)state;
	assert_int_equal(open_bytes(&w, cfs_slice_of(p, size), NULL), CFS_OK);
	assert_int_equal(cfs_words_check(w, ctx), CFS_OK);
	assert_int_equal(cfs_words_info(w)->tie, 7);
	assert_int_equal(cfs_words_find(w, q, &hits, &surely, ctx), CFS_OK);
	assert_true(surely && hits.n == 1 && hits.v[0] == 1);
	assert_int_equal(cfs_words_docs_of(w, CFS_WORDS_UNREAD, &hits, ctx.err),
			 CFS_OK);
	assert_true(hits.n == 1 && hits.v[0] == 2);
	assert_int_equal(cfs_words_walk_begin(&walk, w, CFS_SLICE_LIT("sea"),
					      NULL),
			 CFS_OK);
	assert_int_equal(cfs_words_next(walk, &word, &n, ctx), CFS_OK);
	assert_true(cfs_slice_eq(word, CFS_SLICE_LIT("sea")));
	assert_int_equal(cfs_words_postings(walk, &hits, &f, ctx), CFS_OK);
	assert_true(hits.n == 2 && f.v[0] == 2 && f.v[1] == 1);
	cfs_words_walk_end(walk);
	cfs_words_close(w);
	cfs_word_query_free(q);
	cfs_hits_release(&hits);
	cfs_hits_release(&f);
	free(p);
}

UNIT_PROGRAM
{
	UNIT_TEST(man_example);
	UNIT_TEST(lengths);
	UNIT_TEST(model);
	UNIT_TEST(huge);
	UNIT_TEST(long_words);
	UNIT_TEST(empty);
	UNIT_TEST(cut_files);
	UNIT_TEST(flips);
	UNIT_TEST(faults);
	UNIT_TEST(few_reads);
	UNIT_TEST(no_memory);
	UNIT_TEST(no_memory_to_write);
	UNIT_TEST(documents);
	UNIT_TEST(ranks);
	UNIT_TEST(near);
	UNIT_TEST(queries);
	UNIT_TEST(literals);
	return unit_run("words");
}
