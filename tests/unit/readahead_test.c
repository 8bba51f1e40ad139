/* readahead_test.c - who reads in order gets the next records asked for, in
 * few requests, and nobody else does.
 *
 * The archives are sources that remember what they were asked for.  What the
 * thread has done is waited for by its own counters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "crawl/readahead.h"

#define PAGES 400u
#define PER_ARCHIVE 100u
#define WINDOW 16u

/* ---- archives that are asked for ---------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char hints[PAGES];	/* how often a record was */
static unsigned requests;		/* for more than one record */

static int no_read(struct cfs_source *src, void *buf, size_t n, uint64_t off,
		   size_t *got, struct cfs_ctx ctx)
{
	(void)src;
	(void)buf;
	(void)n;
	(void)off;
	*got = 0;
	return cfs_error_set(ctx.err, CFS_EIO, "nothing is read");
}

static void note_hint(struct cfs_source *src, uint64_t off, size_t n)
{
	unsigned archive = (unsigned)strtoul(strrchr(src->name, '/') + 1, NULL, 10);

	pthread_mutex_lock(&lock);
	assert_int_equal(off % FIX_RECORD_BYTES, 0);
	assert_int_equal(n % FIX_RECORD_BYTES, 0);
	if (n > FIX_RECORD_BYTES)
		requests++;
	else
		hints[archive * PER_ARCHIVE + off / FIX_RECORD_BYTES]++;
	pthread_mutex_unlock(&lock);
}

static void close_source(struct cfs_source *src)
{
	free(src);
}

static int open_archive(void *arg, const char *location,
			struct cfs_source **out, struct cfs_ctx ctx)
{
	static const struct cfs_source_ops ops = {
		.read_at = no_read, .close = close_source, .prefetch = note_hint,
	};
	struct cfs_source *src = calloc(1, sizeof(*src));

	(void)arg;
	assert_non_null(src);
	assert_int_equal(cfs_source_init(src, &ops,
					 PER_ARCHIVE * FIX_RECORD_BYTES,
					 location, ctx.err), CFS_OK);
	*out = src;
	return CFS_OK;
}

/* ---- a crawl ------------------------------------------------------------ */

static struct cfs_crawl crawl;
static cfs_pos at[PAGES];		/* in the order of the index */
static struct cfs_readahead *ra;

static int set_up(void **state)
{
	static const struct cfs_opener opener = { open_archive, NULL };
	static const char *const bases[] = { "http://far" };
	struct cfs_store_opts o = { .bases = bases, .n_bases = 1,
				    .opener = &opener };
	static char text[PAGES][48];
	const char *urls[PAGES];
	struct cfs_iter it;
	unsigned n = 0;
	int rc;

	(void)state;
	for (unsigned i = 0; i < PAGES; i++) {
		snprintf(text[i], sizeof(text[i]), "http://a.example/%04u", i);
		urls[i] = text[i];
	}
	crawl_open(&crawl, urls, PAGES, PER_ARCHIVE);
	assert_int_equal(cfs_store_new(&crawl.store, &o, NULL), CFS_OK);
	cfs_iter_init(&it);
	rc = cfs_index_seek(crawl.index, CFS_SLICE_EMPTY, &it,
			    CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		at[n++] = it.pos;
	cfs_iter_release(&it);
	assert_int_equal(n, PAGES);
	memset(hints, 0, sizeof(hints));
	requests = 0;
	assert_int_equal(cfs_readahead_new(&ra, crawl.index, crawl.store,
					   WINDOW, NULL), CFS_OK);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cfs_readahead_free(ra);
	crawl_close(&crawl);
	return 0;
}

static void note(unsigned i, enum cfs_view view)
{
	const struct cfs_node file = { .type = CFS_NODE_FILE, .pos = at[i],
				       .view = view };

	cfs_readahead_note(ra, 1, &file, false);
}

static void read_page(unsigned i)
{
	note(i, CFS_VIEW_RAW);
}

static struct cfs_readahead_stats stats(void)
{
	struct cfs_readahead_stats s;

	cfs_readahead_get_stats(ra, &s);
	return s;
}

/* Until so many records were asked for, all in all. */
static void await_records(uint64_t n)
{
	while (stats().records < n)
		usleep(1000);
	assert_int_equal(stats().records, n);
}

static unsigned hinted(unsigned from, unsigned to)
{
	unsigned n = 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = from; i < to; i++)
		n += hints[i];
	pthread_mutex_unlock(&lock);
	return n;
}

/* ---- cases -------------------------------------------------------------- */

static void three_steps_make_a_stream(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		read_page(i);
	assert_int_equal(stats().streams, 0);
	read_page(3);
	assert_int_equal(stats().streams, 1);
	await_records(4);
	assert_int_equal(hinted(4, 8), 4);
	assert_int_equal(hinted(0, PAGES), 4);
	/* neighbours of one archive are one request */
	assert_int_equal(stats().requests, 1);
	assert_int_equal(requests, 1);
}

static void the_window_doubles_to_its_limit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		read_page(i);
	await_records(4);
	read_page(4);			/* 3 of 4 are left: 8 are wanted */
	await_records(4 + 5);
	assert_int_equal(hinted(4, 13), 9);
	read_page(5);			/* 7 of 8: not yet */
	read_page(6);			/* 6 of 8: 16 */
	await_records(9 + 10);
	for (unsigned i = 7; i < 60; i++) {
		uint64_t before = stats().records;

		read_page(i);
		/* when a quarter of the window has been read */
		while (stats().records == before &&
		       3 + before - i <= WINDOW - WINDOW / 4)
			usleep(1000);
	}
	/* each once, and never more than the window ahead */
	assert_true(stats().records <= 60 - 4 + WINDOW);
	for (unsigned i = 4; i < 60; i++)
		assert_int_equal(hinted(i, i + 1), 1);
	assert_int_equal(stats().streams, 1);
	assert_true(stats().requests * 3 < stats().records);
}

static void some_left_out_is_still_in_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		read_page(5 * i);
	assert_int_equal(stats().streams, 1);
	await_records(4);
	assert_int_equal(hinted(16, 20), 4);
}

static void reads_here_and_there_ask_for_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		read_page(i * 37 % PAGES);
	for (unsigned i = 200; i > 100; i--)	/* backwards */
		read_page(i);
	for (unsigned i = 0; i < 50; i++)	/* too far apart */
		read_page(i * 9 % PAGES);
	assert_int_equal(stats().streams, 0);
	assert_int_equal(stats().records, 0);
}

static void views_of_one_page_are_one_step(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		read_page(i);
		note(i, CFS_VIEW_META);
		note(i, CFS_VIEW_TEXT);
	}
	assert_int_equal(stats().streams, 0);
	read_page(3);
	await_records(4);		/* the record once for all its views */
	assert_int_equal(hinted(4, 8), 4);
}

static void two_readers_have_a_stream_each(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		read_page(i);
		read_page(200 + i);
	}
	assert_int_equal(stats().streams, 2);
	await_records(8);
	assert_int_equal(hinted(4, 8), 4);
	assert_int_equal(hinted(204, 208), 4);
}

static void archives_are_asked_one_by_one(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		read_page(PER_ARCHIVE - 6 + i);
	await_records(4);
	assert_int_equal(hinted(PER_ARCHIVE - 2, PER_ARCHIVE + 2), 4);
	assert_int_equal(stats().requests, 2);
}

static void nothing_is_behind_the_end(void **state)
{
	(void)state;
	for (unsigned i = PAGES - 6; i < PAGES - 2; i++)
		read_page(i);
	await_records(2);
	read_page(PAGES - 2);
	read_page(PAGES - 1);
	assert_int_equal(hinted(PAGES - 2, PAGES), 2);
}

static void it_ends_at_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		read_page(i);
	cfs_readahead_free(ra);		/* whatever its thread is at */
	cfs_readahead_free(NULL);
	assert_true(hinted(0, PAGES) <= 4);
	assert_int_equal(cfs_readahead_new(&ra, crawl.index, crawl.store, 0,
					   NULL), CFS_OK);
}

UNIT_PROGRAM
{
	static const struct {
		const char *name;
		CMUnitTestFunction fn;
	} cases[] = {
		{ "three steps make a stream", three_steps_make_a_stream },
		{ "the window doubles", the_window_doubles_to_its_limit },
		{ "some left out", some_left_out_is_still_in_order },
		{ "here and there", reads_here_and_there_ask_for_nothing },
		{ "views of one page", views_of_one_page_are_one_step },
		{ "two readers", two_readers_have_a_stream_each },
		{ "archives", archives_are_asked_one_by_one },
		{ "the end of the index", nothing_is_behind_the_end },
		{ "it ends at once", it_ends_at_once },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		unit_add_with(cases[i].name, cases[i].fn, set_up, tear_down);
	return unit_run("readahead");
}
