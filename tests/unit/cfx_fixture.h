/* cfx_fixture.h - made-up captures and the index built from them, for the
 * tests of builder and reader.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_CFX_FIXTURE_H
#define CFS_TESTS_CFX_FIXTURE_H

#include "unit.h"

#include <dirent.h>
#include <unistd.h>

#include "format/cfx/cfx.h"
#include "format/open_index.h"
#include "index/index.h"
#include "indexing/builder.h"
#include "rng.h"
#include "url/urlkey.h"

#define FIX_ARCHIVES 5u

/* The sizes of both views that all indexes can have sizes of. */
static inline struct cfs_view_bytes fix_sizes(uint64_t meta, uint64_t text)
{
	struct cfs_view_bytes s = { .known = 0 };

	cfs_view_bytes_set(&s, CFS_SLOT_META, meta);
	cfs_view_bytes_set(&s, CFS_SLOT_TEXT, text);
	return s;
}

/* Does the capture have just these, or, if not is_known, none? */
static inline bool fix_has_sizes(const struct cfs_capture *cap, bool is_known,
				 uint64_t meta, uint64_t text)
{
	return is_known ? cap->views.known == CFS_VIEW_BYTES_PAIR &&
			  cap->views.bytes[CFS_SLOT_META] == meta &&
			  cap->views.bytes[CFS_SLOT_TEXT] == text :
			  cap->views.known == 0;
}

/* The input of a capture, and its key; lives as long as the test. */
struct fix_capture {
	struct cfs_builder_capture c;
	struct cfs_buf key;
	char url[160], mime[40], id[40], digest[40], refers[40];
	const char *languages;
};

struct fix {
	char dir[64], path[96];
	struct cfs_builder_archive archives[FIX_ARCHIVES];
	struct fix_capture *caps;
	size_t n;
};

static inline void fix_open(struct fix *f)
{
	static const char *const names[FIX_ARCHIVES] = {
		/* in order: so they are numbered */
		"a.warc.gz", "d", "e e.warc", "sub/b.warc.gz", "sub/deeper/c.arc.gz",
	};

	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "/tmp/crawlfs-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/index.cfx", f->dir);
	for (unsigned i = 0; i < FIX_ARCHIVES; i++)
		f->archives[i] = (struct cfs_builder_archive){ .name = names[i],
			.size = 1000u + i, .mtime = 1700000000 + i };
}

/* Number of files in the folder. */
static inline unsigned fix_files(const struct fix *f)
{
	DIR *d = opendir(f->dir);
	struct dirent *e;
	unsigned n = 0;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
	closedir(d);
	return n;
}

static inline void fix_close(struct fix *f)
{
	unlink(f->path);
	assert_int_equal(rmdir(f->dir), 0);	/* nothing else was left there */
	for (size_t i = 0; i < f->n; i++)
		cfs_buf_release(&f->caps[i].key);
	free(f->caps);
}

static inline int fix_cmp(const void *pa, const void *pb)
{
	const struct fix_capture *a = pa, *b = pb;
	int c = cfs_slice_cmp(cfs_buf_slice(&a->key), cfs_buf_slice(&b->key));

	if (c != 0)
		return c;
	if (a->c.time != b->c.time)
		return a->c.time < b->c.time ? -1 : 1;
	if (a->c.archive != b->c.archive)
		return a->c.archive < b->c.archive ? -1 : 1;
	return (a->c.span.offset > b->c.span.offset) - (a->c.span.offset < b->c.span.offset);
}

static inline void fix_url(uint64_t *rng, char *out, size_t cap, uint64_t spread)
{
	static const char *const schemes[] = { "http", "https", "ftp", "http" };
	static const char *const hosts[] = {
		"example.com", "www.example.com", "EXAMPLE.org", "a_b.net", "_x.net",
		"a..b", "[::1]", "10.0.0.1", "u:p@host.de", "port.org:8080", "dot.org.",
	};
	int n = snprintf(out, cap, "%s://%s", schemes[rng_below(rng, 4)], hosts[rng_below(rng, 11)]);
	uint64_t depth = rng_below(rng, 5);

	while (depth-- > 0)
		n += snprintf(out + n, cap - (size_t)n, "/%s%llu", depth & 1 ? "dir" : "",
			      (unsigned long long)rng_below(rng, spread));
	if (rng_below(rng, 4) == 0)
		snprintf(out + n, cap - (size_t)n, "?q=%llu/\xff", (unsigned long long)rng_below(rng, 9));
}

/* Lets the slices of a capture point to its own strings. */
static inline void fix_point(struct fix_capture *m)
{
	m->c.url = cfs_slice_str(m->url);
	m->c.mime = cfs_slice_str(m->mime);
	m->c.record_id = cfs_slice_str(m->id);
	m->c.digest = cfs_slice_str(m->digest);
	m->c.refers_to = cfs_slice_str(m->refers);
	m->c.languages = cfs_slice_str(m->languages);
}

/* Adds n captures to the model. */
static inline void fix_make(struct fix *f, size_t n, uint64_t seed, uint64_t spread)
{
	static const char *const mimes[] = { "text/html", "", "image/png", "text/html; charset=utf-8" };
	static const char *const languages[] = { "", "isl", "", "eng,deu,kha" };
	uint64_t rng = seed;

	f->n = n;
	f->caps = calloc(n + 1, sizeof(*f->caps));
	assert_non_null(f->caps);
	for (size_t i = 0; i < n; i++) {
		struct fix_capture *m = &f->caps[i];
		bool inner = rng_below(&rng, 8) == 0;

		fix_url(&rng, m->url, sizeof(m->url), spread);
		snprintf(m->mime, sizeof(m->mime), "%s", mimes[rng_below(&rng, 4)]);
		snprintf(m->id, sizeof(m->id), "<urn:uuid:%zu>", i);
		snprintf(m->digest, sizeof(m->digest), "sha1:%llu", (unsigned long long)rng_below(&rng, 1 + n / 4));
		m->c = (struct cfs_builder_capture){
			.kind = (enum cfs_kind)rng_below(&rng, 5),
			.time = (int64_t)rng_below(&rng, 100000000) - 50000000,
			.status = (uint16_t)rng_below(&rng, 600),
			.archive = (uint32_t)rng_below(&rng, FIX_ARCHIVES),
			.span.offset = rng_below(&rng, 1u << 30), .span.length = rng_below(&rng, 1u << (1 + rng_below(&rng, 30))),
			.span.inner_offset = inner ? rng_below(&rng, 70000) : 0,
			.span.inner_length = inner ? 1 + rng_below(&rng, 70000) : 0,
			.body_is_exact = rng_below(&rng, 3) != 0,
			.body_bytes = rng_below(&rng, 1u << (1 + rng_below(&rng, 30))),
		};
		if (m->c.kind == CFS_KIND_REVISIT && i > 0 && rng_below(&rng, 2))
			snprintf(m->refers, sizeof(m->refers), "<urn:uuid:%llu>", (unsigned long long)rng_below(&rng, i));
		m->languages = languages[i % 4];
		fix_point(m);
		cfs_buf_init(&m->key, CFS_KEY_MAX);
		assert_int_equal(cfs_urlkey_encode(m->c.url, &m->key), 0);
	}
}

/* Builds with as many feeders as threads, from this one thread. */
static inline void fix_build(struct fix *f, unsigned threads, size_t memory)
{
	struct cfs_builder_opts o = { .path = f->path, .threads = threads, .memory_bytes = memory,
		.archives = f->archives, .n_archives = FIX_ARCHIVES };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_builder_counts counts;
	struct cfs_builder *b;

	assert_int_equal(cfs_builder_new(&b, &o, &err), 0);
	for (size_t i = 0; i < f->n; i++)
		assert_int_equal(cfs_builder_add(b, (unsigned)(i % threads), &f->caps[i].c, &err), 0);
	assert_int_equal(cfs_builder_finish(b, &counts, &err), 0);
	assert_int_equal(counts.captures, f->n);
	cfs_builder_free(b);
	assert_int_equal(fix_files(f), 1);
	if (f->n > 0)
		qsort(f->caps, f->n, sizeof(*f->caps), fix_cmp);
	for (size_t i = 0; i < f->n; i++)
		fix_point(&f->caps[i]);	/* they have moved */
}

static inline struct cfs_index *fix_index(const struct fix *f, size_t cache)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;
	struct cfs_index *ix;

	assert_int_equal(cfs_source_open_file(&src, f->path, &err), 0);
	assert_int_equal(cfs_index_open(&ix, src, cache, &err), 0);
	return ix;
}

/* The file's bytes, in a block of exactly their size. */
static inline uint8_t *fix_bytes(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p;
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	p = malloc((size_t)size);
	assert_non_null(p);
	assert_int_equal(fread(p, 1, (size_t)size, f), (size_t)size);
	fclose(f);
	*n = (size_t)size;
	return p;
}

#endif
