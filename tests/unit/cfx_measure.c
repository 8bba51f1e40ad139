/* cfx_measure.c - how large and how fast is a crawlfs index?
 *
 *     cfx_measure FILE.cfx URLS.txt [THREADS]     one URL a line
 *     cfx_measure FILE.cfx COUNT [THREADS]        made-up URLs
 *
 * Values are made up: 100 archives of 100-1000 MB, records of 5-20 KB, pages
 * some four times that, times over three months (each archive a day or so of
 * it, and with -DSCATTER all of it).  Reading is given in processor time,
 * building in time that passes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "format/open_index.h"
#include "index/index.h"
#include "indexing/builder.h"
#include "rng.h"

#define ARCHIVES 100u
#define MONTHS3 (90 * 86400)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The processor time of this thread: other load on the machine does not
 * count. */
static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- URLs ---- */

static char *urls;		/* the file, or NULL */
static char **lines;
static uint64_t n_urls;

static void read_urls(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t n = 0, cap = 1 << 20;

	urls = malloc(cap);
	if (f == NULL || urls == NULL) {
		perror(path);
		exit(1);
	}
	while (!feof(f)) {
		n += fread(urls + n, 1, cap - n - 1, f);
		if (n == cap - 1 && (urls = realloc(urls, cap *= 2)) == NULL)
			exit(1);
	}
	fclose(f);
	urls[n] = '\0';
	for (char *p = urls, *e; (e = strchr(p, '\n')) != NULL; p = e + 1) {
		if (n_urls % 65536 == 0)
			lines = realloc(lines, (n_urls + 65536) * sizeof(*lines));
		*e = '\0';
		lines[n_urls++] = p;
	}
}

/* URL number i: some thousand hosts, a few folders each, words and numbers. */
static size_t make_url(uint64_t i, char *out, size_t cap)
{
	static const char *const words[] = {
		"about", "archive", "article", "blog", "catalog", "category",
		"comments", "contact", "content", "events", "feed", "forum",
		"gallery", "help", "images", "index", "item", "library",
		"news", "page", "photo", "post", "product", "search", "shop",
		"story", "tag", "topic", "user", "view", "wiki", "works",
	};
	static const char *const tlds[] = { "com", "org", "net", "de", "co.uk", "info", "ru", "edu" };
	uint64_t r = i * 0x9E3779B97F4A7C15u;
	uint64_t host = rng_next(&r) % (1 + n_urls / 40), h = host;
	int n;

	n = snprintf(out, cap, "http://%s%s%s%" PRIu64 ".%s/%s/", host % 3 ? "www." : "",
		     words[rng_next(&h) % 32], words[rng_next(&h) % 32], host,
		     tlds[rng_next(&h) % 8], words[rng_next(&r) % 32]);
	return (size_t)n + (size_t)snprintf(out + n, cap - (size_t)n,
		"%s/%s-%" PRIu64 ".html", words[rng_next(&r) % 32],
		words[rng_next(&r) % 32], i);
}

static struct cfs_slice url_at(uint64_t i, char *buf, size_t cap)
{
	if (lines != NULL)
		return cfs_slice_str(lines[i]);
	return cfs_slice_of(buf, make_url(i, buf, cap));
}

/* ---- build ---- */

struct job {
	struct cfs_builder *b;
	unsigned feeder, threads;
	const struct cfs_builder_archive *archives;
};

static void *feed(void *arg)
{
	static const char *const mimes[] = {
		"text/html", "text/html", "text/html", "text/html; charset=utf-8",
		"text/html; charset=iso-8859-1", "image/jpeg", "application/pdf",
		"text/plain", "application/rss+xml", "text/xml",
	};
	static const uint16_t statuses[] = { 200, 200, 200, 200, 200, 200, 301, 302, 404 };
	struct job *j = arg;
	uint64_t rng = 7 + j->feeder;
	char buf[512];

	for (uint64_t i = j->feeder; i < n_urls; i += j->threads) {
		uint32_t a = (uint32_t)rng_below(&rng, ARCHIVES);
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_builder_capture c = {
			.url = url_at(i, buf, sizeof(buf)), .kind = CFS_KIND_RESPONSE,
#ifdef SCATTER
			.time = 1325376000 + (int64_t)rng_below(&rng, MONTHS3),
#else
			.time = 1325376000 + a * (MONTHS3 / ARCHIVES) + (int64_t)rng_below(&rng, 86400),
#endif
			.status = statuses[rng_below(&rng, 9)],
			.mime = cfs_slice_str(mimes[rng_below(&rng, 10)]),
			.archive = a,
			.span.offset = rng_below(&rng, j->archives[a].size - 20000),
			.span.length = 5000 + rng_below(&rng, 15000),
			.body_is_exact = true,
			.record_id = CFS_SLICE_LIT("<urn:uuid:f2b3c2d0-0000-4000-8000-0000000000001>"),
			.digest = CFS_SLICE_LIT("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
		};

		c.body_bytes = c.span.length * (2 + rng_below(&rng, 5)) + rng_below(&rng, 999);
		if (cfs_builder_add(j->b, j->feeder, &c, &err) != CFS_OK) {
			fprintf(stderr, "%s: %s\n", err.where, err.text);
			exit(1);
		}
	}
	return NULL;
}

static void build(const char *path, unsigned threads)
{
	static struct cfs_builder_archive archives[ARCHIVES];
	static char names[ARCHIVES][64];
	struct cfs_builder_opts o = { .path = path, .threads = threads,
		.archives = archives, .n_archives = ARCHIVES };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_builder_counts counts;
	struct cfs_builder *b;
	pthread_t t[64];
	struct job jobs[64];
	uint64_t rng = 1;
	double t0 = now(), t1;

	for (unsigned i = 0; i < ARCHIVES; i++) {
		snprintf(names[i], 64, "crawl/CRAWL-2012-%05u-%08u.warc.gz", i, i * 7919);
		archives[i] = (struct cfs_builder_archive){ .name = names[i],
			.size = 100000000 + rng_below(&rng, 900000000),
			.mtime = 1325376000 };
	}
	if (cfs_builder_new(&b, &o, &err) != CFS_OK)
		goto fail;
	for (unsigned i = 0; i < threads; i++) {
		jobs[i] = (struct job){ b, i, threads, archives };
		pthread_create(&t[i], NULL, feed, &jobs[i]);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	t1 = now();
	if (cfs_builder_finish(b, &counts, &err) != CFS_OK)
		goto fail;
	printf("captures %" PRIu64 "  skipped %" PRIu64 "  bytes %" PRIu64 "  bytes/capture %.2f  "
	       "add %.2f s  finish %.2f s  captures/s %.0f\n", counts.captures,
	       counts.skipped[CFS_SKIPPED_SCHEME] + counts.skipped[CFS_SKIPPED_LONG] + counts.skipped[CFS_SKIPPED_DEEP] + counts.skipped[CFS_SKIPPED_NUL],
	       counts.file_bytes, (double)counts.file_bytes / (double)counts.captures,
	       t1 - t0, now() - t1, (double)counts.captures / (now() - t0));
	cfs_builder_free(b);
	return;
fail:
	fprintf(stderr, "%s: %s\n", err.where, err.text);
	exit(1);
}

/* ---- read ---- */

static void walk(struct cfs_index *ix)
{
	static struct cfs_iter it;
	struct cfs_capture cap;
	uint64_t n = 0;
	double t0, t1;
	int rc;

	for (int with = 0; with < 2; with++) {
		cfs_iter_init(&it);
		n = 0;
		t0 = cpu_now();
		for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it,
					 CFS_CTX(NULL, NULL)); rc == CFS_OK;
		     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL))) {
			n++;
			if (with && cfs_index_capture(&it, &cap, NULL) != CFS_OK)
				exit(1);
		}
		t1 = cpu_now();
		printf("%s %.1f ns  ", with ? "next+capture" : "next", (t1 - t0) / (double)n * 1e9);
		cfs_iter_release(&it);
	}
}

static void seek(struct cfs_index *ix, unsigned rounds)
{
	static struct cfs_iter it;
	struct cfs_buf *keys;
	uint64_t n = 200000, rng = 3, hits = 0;
	char buf[512];
	double t0, t1 = 0;

	keys = calloc(n, sizeof(*keys));
	for (uint64_t i = 0; i < n; i++) {
		cfs_buf_init(&keys[i], 65536);
		cfs_index_url_key(ix, url_at(rng_below(&rng, n_urls), buf, sizeof(buf)), &keys[i]);
	}
	cfs_iter_init(&it);
	for (unsigned r = 0; r < rounds; r++) {
		t0 = cpu_now();
		for (uint64_t i = 0; i < n; i++)
			hits += cfs_index_seek(ix, cfs_buf_slice(&keys[i]), &it,
					       CFS_CTX(NULL, NULL)) == CFS_OK &&
				cfs_slice_eq(it.key, cfs_buf_slice(&keys[i]));
		t1 = cpu_now();
		printf("seek%u %.0f ns (%.0f/s)  ", r, (t1 - t0) / (double)n * 1e9, (double)n / (t1 - t0));
	}
	printf("found %" PRIu64 "\n", hits / rounds);
	cfs_iter_release(&it);
	for (uint64_t i = 0; i < n; i++)
		cfs_buf_release(&keys[i]);
	free(keys);
}

int main(int argc, char **argv)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;
	struct rusage ru;
	char *end;

	if (argc < 3)
		return 2;
	n_urls = strtoull(argv[2], &end, 10);
	if (*end != '\0') {
		n_urls = 0;
		read_urls(argv[2]);
	}
	build(argv[1], argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 2);
	if (cfs_source_open_file(&src, argv[1], &err) != CFS_OK ||
	    cfs_index_open(&ix, src, (size_t)1 << 30, &err) != CFS_OK) {
		fprintf(stderr, "%s: %s\n", err.where, err.text);
		return 1;
	}
	walk(ix);
	seek(ix, 3);
	cfs_index_close(ix);
	getrusage(RUSAGE_SELF, &ru);
	printf("resident at most %ld KiB\n", ru.ru_maxrss);
	return 0;
}
