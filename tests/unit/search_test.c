/* search_test.c - captures found by lists of words, compared with a reading of
 * every text: of one crawl, of several as one, and of what is picked of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "words_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/lru.h"
#include "crawl/content.h"
#include "crawl/search.h"
#include "crawl/searches.h"
#include "index/hits.h"
#include "rng.h"

#define PAGES 150u
#define WORDS 24u		/* different ones */

static char top[] = "/tmp/crawlfs-search-XXXXXX";

/* ---- crawls -------------------------------------------------------------- */

static void add_record(FILE *f, unsigned page, unsigned time, uint64_t *r)
{
	char text[2048];
	int n = snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\n"
			 "Content-Type: text/plain\r\n\r\n");

	for (uint64_t k = 1 + rng_below(r, 40); k > 0; k--)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "w%u%s",
			      (unsigned)rng_below(r, WORDS),
			      rng_below(r, 4) == 0 ? ",\n" : " ");
	fprintf(f, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: "
		"<urn:uuid:%u-%u>\r\nWARC-Date: 20%02u-01-01T00:00:00Z\r\n"
		"WARC-Target-URI: http://h%u.org/d%u/p%u\r\nContent-Type: "
		"application/http; msgtype=response\r\nContent-Length: %d\r\n"
		"\r\n%s\r\n\r\n", page, time, time, page % 7, page % 3, page,
		n, text);
}

/* Folder i with an archive; pages have several captures now and then. */
static void make_folder(const char *dir, unsigned i)
{
	uint64_t r = i + 1;
	char path[80];
	FILE *f;

	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/a%u.warc", dir, i);
	f = fopen(path, "w");
	assert_non_null(f);
	for (unsigned p = 0; p < PAGES; p++) {
		unsigned captures = rng_below(&r, 5) == 0 ? 3 : 1;

		if (i > 0 && rng_below(&r, 2) == 0)
			continue;	/* some are in the first alone */
		for (unsigned k = 0; k < captures; k++)
			add_record(f, p, 10 + 2 * k + i, &r);
	}
	fclose(f);
}

/* The text of a capture, ended by NUL. */
static char *text_at(struct cfs_crawl *c, cfs_pos pos)
{
	struct cfs_node file = { .type = CFS_NODE_FILE, .pos = pos,
				 .view = CFS_VIEW_TEXT };
	struct cfs_file_bytes b;
	char *out;

	assert_int_equal(cfs_content_load(c, &file, &c->view, &b,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	out = strndup((const char *)b.bytes.p, b.bytes.n);
	assert_non_null(out);
	cfs_file_bytes_release(&b);
	return out;
}

/* Writes the list of a crawl of one index; document `unread` is in no list. */
static void write_list(struct cfs_crawl *c, uint32_t unread)
{
	static struct words_pair all[PAGES * 3 * 40];
	static uint8_t lengths[PAGES * 3];
	static uint16_t leaves[PAGES];
	struct cfs_words_docs docs = { .view_version = cfs_view_version(),
				       .lengths = lengths, .leaves = leaves,
				       .unread = &unread, .n_unread = 1 };
	struct cfs_words_writer *w;
	struct cfs_iter it;
	char path[512];
	uint64_t bytes;
	size_t n = 0;
	int rc, fd;

	memset(leaves, 0, sizeof(leaves));
	cfs_iter_init(&it);
	rc = cfs_index_seek(c->index, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL))) {
		char *text = text_at(c, it.pos);
		struct cfs_word_split s;
		struct cfs_word word;
		uint64_t words = 0;

		cfs_word_split_init(&s, cfs_slice_str(text));
		while (docs.n != unread && cfs_word_split_next(&s, &word)) {
			memcpy(all[n].word, word.word.p, word.word.n);
			all[n].n = word.word.n;
			all[n++].doc = docs.n;
			words++;
		}
		lengths[docs.n++] = cfs_words_length_code(words);
		leaves[cfs_pos_block(it.pos)]++;
		docs.n_leaves = cfs_pos_block(it.pos) + 1;
		free(text);
	}
	cfs_iter_release(&it);
	qsort(all, n, sizeof(*all), words_by_word);
	assert_int_equal(cfs_words_tie(c->index, &docs.tie,
				       CFS_CTX(NULL, NULL)), CFS_OK);
	snprintf(path, sizeof(path), "%.*s.cfw",
		 (int)strlen(c->index->src->name) - 4, c->index->src->name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(cfs_words_writer_new(&w, fd, path, top, NULL),
			 CFS_OK);
	assert_int_equal(words_write_pairs(w, all, n), CFS_OK);
	assert_int_equal(cfs_words_writer_finish(w, &docs, &bytes, NULL),
			 CFS_OK);
	cfs_words_writer_free(w);
	close(fd);
}

static const char *const folders[] = { "/a", "/b", "/c" };

static struct cfs_crawl *open_crawls(size_t n, const char *prefixes,
				     const struct cfs_conditions *conditions)
{
	char paths[3][64], cache[64];
	const char *sources[3];
	struct cfs_crawl_opts o = { .cache_dir = cache, .prefixes = prefixes,
				    .conditions = conditions };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl *c;

	snprintf(cache, sizeof(cache), "%s/cache", top);
	for (size_t i = 0; i < n; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s%s", top, folders[i]);
		sources[i] = paths[i];
	}
	if (cfs_crawl_open_all(&c, sources, n, &o, &err) != CFS_OK)
		fail_msg("%s: %s", err.where, err.text);
	return c;
}

static int make_all(void **state)
{
	char path[64];

	(void)state;
	if (mkdtemp(top) == NULL)
		return -1;
	for (unsigned i = 0; i < COUNT(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", top, folders[i]);
		make_folder(path, i);
	}
	return 0;
}

static int remove_all(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command);
}

/* ---- a reading of every text ---------------------------------------------- */

/* True if the words of `text`, which are divided by blanks, commas and line
 * ends, have those of `wanted` one behind the other. */
static bool has_in_a_row(const char *text, const char *wanted)
{
	char words[2048] = " ";
	size_t n = 1;

	for (; *text != '\0' && n + 2 < sizeof(words); text++) {
		bool is_gap = strchr(" ,\n", *text) != NULL;

		if (!is_gap)
			words[n++] = *text;
		else if (words[n - 1] != ' ')
			words[n++] = ' ';
	}
	words[n++] = ' ';
	words[n] = '\0';
	return strstr(words, wanted) != NULL;
}

struct query_case {
	const char *name, *typed;
	const char *rows[3];		/* " w1 ": all must be there */
};
static struct query_case query_cases[] = {
	{ "a word", "w3", { " w3 " } },
	{ "in capitals", "W3", { " w3 " } },
	{ "two words", "w3 w17", { " w3 ", " w17 " } },
	{ "with a plus", "w3+w17+w4", { " w3 ", " w17 ", " w4 " } },
	{ "a phrase", "\"w1 w2\"", { " w1 w2 " } },
	{ "its words", "w1 w2", { " w1 ", " w2 " } },
	{ "a phrase and a word", "\"w5 w6\" w7", { " w5 w6 ", " w7 " } },
	{ "an unknown word", "nowhere", { " nowhere " } },
};

/* Goes through the index in its order; what matches must have been found, but
 * for the unread, of which there is one in each member; it may not be shown. */
static void check_found(struct cfs_crawl *c, const struct query_case *tc,
			const struct cfs_found *found, size_t members)
{
	struct cfs_iter it;
	size_t k = 0, unread = 0;
	int rc;

	cfs_iter_init(&it);
	rc = cfs_index_seek(c->index, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL))) {
		bool matches = true;
		char *text;

		if (!cfs_index_shows(&it))
			continue;
		text = text_at(c, it.pos);
		for (size_t i = 0; i < 3 && tc->rows[i] != NULL; i++)
			matches = matches && has_in_a_row(text, tc->rows[i]);
		free(text);
		if (k < found->n && found->v[k] == it.pos) {
			assert_true(matches);
			k++;
		} else {
			unread += matches;
		}
	}
	cfs_iter_release(&it);
	assert_int_equal(rc, CFS_END);
	assert_int_equal(k, found->n);
	assert_in_range(found->unread, unread, members);
	if (c->picked_by == 0)
		assert_int_equal(found->unread, members);
}

static void check_queries(struct cfs_crawl *c, size_t members)
{
	for (size_t i = 0; i < COUNT(query_cases); i++) {
		const struct query_case *tc = &query_cases[i];
		struct cfs_found found = { .n = 0 };
		struct cfs_word_query *q;

		assert_int_equal(cfs_word_query_parse(&q,
				cfs_slice_str(tc->typed), NULL), CFS_OK);
		assert_int_equal(cfs_crawl_find(c, q, &found,
						CFS_CTX(NULL, NULL)), CFS_OK);
		check_found(c, tc, &found, members);
		cfs_found_release(&found);
		cfs_word_query_free(q);
	}
}

/* ---- cases ---------------------------------------------------------------- */

static void no_list(void **state)
{
	struct cfs_crawl *c = open_crawls(1, NULL, NULL);
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_word_lists *lists;

	(void)state;
	assert_int_equal(cfs_crawl_words(c, &lists, CFS_CTX(NULL, &err)),
			 CFS_ENOWORDS);
	assert_non_null(strstr(err.text, "crawlfs index --words"));
	cfs_crawl_close(c);
}

static void write_lists(void **state)
{
	const char *const all[] = { folders[0], folders[1], folders[2] };

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		char path[64], cache[64];
		struct cfs_crawl_opts o = { .cache_dir = cache };
		struct cfs_crawl *c;

		snprintf(path, sizeof(path), "%s%s", top, all[i]);
		snprintf(cache, sizeof(cache), "%s/cache", top);
		assert_int_equal(cfs_crawl_open(&c, path, &o, NULL), CFS_OK);
		write_list(c, 5);
		cfs_crawl_close(c);
	}
}

static void one_crawl(void **state)
{
	struct cfs_crawl *c = open_crawls(1, NULL, NULL);

	(void)state;
	check_queries(c, 1);
	cfs_crawl_close(c);
}

static void several_as_one(void **state)
{
	struct cfs_crawl *c = open_crawls(3, NULL, NULL);

	(void)state;
	check_queries(c, 3);
	cfs_crawl_close(c);
}

static void picked(void **state)
{
	struct cfs_conditions at = { .dates = { .has_to = true,
						.to = 1325376000 } };
	struct cfs_crawl *c;

	(void)state;
	for (size_t n = 1; n <= 3; n += 2) {
		c = open_crawls(n, "org/h3\norg/h5/_/d1", NULL);
		check_queries(c, n);
		cfs_crawl_close(c);
		c = open_crawls(n, NULL, &at);
		check_queries(c, n);
		cfs_crawl_close(c);
		c = open_crawls(n, "org/h3", &at);
		check_queries(c, n);
		cfs_crawl_close(c);
	}
}

/* Candidates have all that a text with the literals has. */
static void candidates(void **state)
{
	const struct cfs_literal v[] = {
		{ CFS_SLICE_LIT("W17"), 0 }, { CFS_SLICE_LIT("w3"), 0 },
		{ CFS_SLICE_LIT("w1"), 1 },
	};
	struct cfs_crawl *c = open_crawls(3, NULL, NULL);
	struct cfs_found found = { .n = 0 }, all = { .n = 0 };
	size_t k = 0;

	(void)state;
	assert_int_equal(cfs_crawl_candidates(c, v, 0, &all,
					      CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(all.n, c->index->captures);
	assert_int_equal(cfs_crawl_candidates(c, v, COUNT(v), &found,
					      CFS_CTX(NULL, NULL)), CFS_OK);
	assert_true(found.n > 0 && found.n < all.n);
	for (size_t i = 0; i < all.n; i++) {
		char *text = text_at(c, all.v[i]);

		if (k < found.n && found.v[k] == all.v[i])
			k++;
		else
			assert_false((strstr(text, "w17") != NULL ||
				      strstr(text, "w3") != NULL) &&
				     strstr(text, "w1") != NULL);
		free(text);
	}
	assert_int_equal(k, found.n);
	cfs_found_release(&found);
	cfs_found_release(&all);
	cfs_crawl_close(c);
}

/* An answer has what is found, with scores, and says of each text what it says
 * once that was asked; it is kept, and others are not taken for it. */
static void answers(void **state)
{
	struct cfs_crawl *c = open_crawls(3, NULL, NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(query_cases); i++) {
		struct cfs_ctx ctx = CFS_CTX(NULL, NULL);
		struct cfs_found found = { .n = 0 };
		struct cfs_lru_ref *ref, *again;
		const struct cfs_search_answer *a;
		struct cfs_word_query *q;
		uint64_t unread = 0;
		size_t k = 0, *which;

		assert_int_equal(cfs_word_query_parse(&q,
				cfs_slice_str(query_cases[i].typed), NULL),
				 CFS_OK);
		assert_int_equal(cfs_crawl_answer(c, q, &ref, ctx), CFS_OK);
		a = cfs_lru_obj(ref);
		which = calloc(a->found.n + 1, sizeof(*which));
		for (size_t n = 0; n < a->found.n; n++)
			which[n] = n;
		assert_int_equal(cfs_crawl_ask_texts(c, q, cfs_lru_obj(ref),
						     which, a->found.n,
						     &unread, ctx), CFS_OK);
		assert_int_equal(cfs_crawl_find(c, q, &found, ctx), CFS_OK);
		assert_int_equal(found.unread, a->found.unread + unread);
		for (size_t n = 0; n < a->found.n; n++) {
			assert_true(a->scores[n] > 0);
			if (a->texts[n] == CFS_TEXT_MATCHES)
				assert_true(found.v[k++] == a->found.v[n]);
		}
		assert_int_equal(k, found.n);
		assert_int_equal(cfs_crawl_answer(c, q, &again, ctx), CFS_OK);
		assert_ptr_equal(cfs_lru_obj(again), a);
		cfs_lru_put(again);
		cfs_lru_put(ref);
		free(which);
		cfs_found_release(&found);
		cfs_word_query_free(q);
	}
	cfs_crawl_close(c);
}

/* ---- searches by name ------------------------------------------------------ */

static unsigned enter(struct cfs_searches *s, const char *name, bool is_new)
{
	unsigned number = UINT32_MAX;
	bool news;

	assert_int_equal(cfs_searches_enter(s, cfs_slice_str(name), &number,
					    &news, CFS_CTX(NULL, NULL)),
			 CFS_OK);
	assert_int_equal(news, is_new);
	return number;
}

static size_t count_names(struct cfs_searches *s)
{
	struct cfs_buf name;
	size_t n = 0;

	cfs_buf_init(&name, 1 << 20);
	for (unsigned at = 0; cfs_searches_next(s, &at, &name) == CFS_OK; at++)
		n++;
	cfs_buf_release(&name);
	return n;
}

/* Queries in use keep their numbers, whatever comes; of the others, the latest
 * stay. */
static void searches(void **state)
{
	struct cfs_crawl *c = open_crawls(1, NULL, NULL);
	struct cfs_searches *s = cfs_searches_new(&c, 1, NULL);
	struct cfs_search_hits first, again;
	unsigned used, number;
	char name[16];
	bool news;

	(void)state;
	assert_non_null(s);
	used = enter(s, "w3", true);
	assert_int_equal(enter(s, "w3", false), used);
	assert_int_not_equal(enter(s, "W3", true), used);
	assert_int_equal(cfs_searches_get(s, used, 0, &first,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(first.unread, 1);
	for (unsigned i = 0; i < 3 * CFS_SEARCHES_MAX; i++) {
		snprintf(name, sizeof(name), "x%u", i);
		number = enter(s, name, true);
		assert_int_not_equal(number, used);
		cfs_searches_end(s, number, 1);
	}
	assert_int_equal(count_names(s), CFS_SEARCHES_MAX);
	assert_int_equal(enter(s, "w3", false), used);
	assert_int_equal(cfs_searches_get(s, used, 0, &again,
					  CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(again.n, first.n);
	cfs_lru_put(first.ref);
	cfs_lru_put(again.ref);
	assert_int_equal(cfs_searches_enter(s, CFS_SLICE_LIT(".git"), &number,
					    &news, CFS_CTX(NULL, NULL)),
			 CFS_ENOTFOUND);
	assert_int_equal(cfs_searches_enter(s, CFS_SLICE_LIT("!"), &number,
					    &news, CFS_CTX(NULL, NULL)),
			 CFS_EUSAGE);
	assert_int_equal(cfs_searches_get(s, CFS_SEARCH_NUMBERS - 1, 0, &again,
					  CFS_CTX(NULL, NULL)), CFS_ENOTFOUND);
	for (unsigned i = 0; i < 2 * CFS_SEARCHES_MAX; i++) {
		snprintf(name, sizeof(name), "y%u", i);	/* stays in use */
		(void)enter(s, name, true);
	}
	assert_in_range(count_names(s), 2 * CFS_SEARCHES_MAX,
			2 * CFS_SEARCHES_MAX + 2);
	cfs_searches_free(s);
	cfs_crawl_close(c);
}

UNIT_PROGRAM
{
	UNIT_TEST(no_list);
	UNIT_TEST(write_lists);
	UNIT_TEST(one_crawl);
	UNIT_TEST(several_as_one);
	UNIT_TEST(picked);
	UNIT_TEST(candidates);
	UNIT_TEST(answers);
	UNIT_TEST(searches);
	return unit_run_with("search", make_all, remove_all);
}
