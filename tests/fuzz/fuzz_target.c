/* fuzz_target.c - any text as a URL, PREFIX or TREEPATH of a small crawl: what
 * it covers by a walk is what it says to cover of each entry of the index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "fuzz_crawl.h"

#include "crawl/target.h"

#define TEXT_MAX 4096

static const char *const urls[] = {
	"com,a)/ http://a.com/", "com,a)/?q=1 http://a.com/?q=1",
	"com,a)/_/x http://a.com/_/x", "com,a)/b http://a.com/b",
	"com,a)/b/ http://a.com/b/", "com,a)/b/c.html http://a.com/b/c.html",
	"com,a)/b/c.html?x=y http://a.com/b/c.html?x=y",
	"com,a)/bc http://a.com/bc", "com,a,www)/d http://www.a.com/d",
	"com,ab)/ http://ab.com/", "org,x:8080)/e/f http://x.org:8080/e/f",
};

/* The crawl, which is opened once. */
static struct cfs_crawl *the_crawl(void)
{
	static struct cfs_crawl *c;
	struct cfs_buf b;

	if (c != NULL)
		return c;
	cfs_buf_init(&b, 1 << 20);
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		const char *url = strchr(urls[i], ' ');

		cfs_buf_addf(&b, "%.*s 20200101000000 {\"url\": \"%s\", "
			     "\"mime\": \"text/html\", \"status\": \"200\", "
			     "\"length\": \"9\", \"offset\": \"%zu\", "
			     "\"filename\": \"a.warc.gz\"}\n",
			     (int)(url - urls[i]), urls[i], url + 1, 9 * i);
	}
	fuzz_write("i.cdxj", b.p, b.n);
	fuzz_write("a.warc.gz", "\x1f\x8b", 2);
	cfs_buf_release(&b);
	c = fuzz_open_crawl("i.cdxj");
	return c;
}

struct covered {
	const struct cfs_target *t;
	struct cfs_path path;
	unsigned n;
	cfs_pos last;
};

static int each(void *arg, const struct cfs_iter *it,
		const struct cfs_capture *cap)
{
	struct covered *c = arg;

	(void)cap;
	must(c->n == 0 || it->pos > c->last);
	c->last = it->pos;
	must(cfs_index_split(c->t->crawl->index, it->key, &c->path) == CFS_OK);
	must(cfs_target_covers(c->t, &c->path, it->pos));
	c->n++;
	return CFS_OK;
}

/* How many entries of the index the target says to cover. */
static unsigned count(struct covered *c)
{
	struct cfs_index *ix = c->t->crawl->index;
	struct cfs_iter it;
	unsigned n = 0;
	int rc;

	cfs_iter_init(&it);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL));
	for (; rc == CFS_OK; rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)))
		n += cfs_index_split(ix, it.key, &c->path) == CFS_OK &&
		     cfs_target_covers(c->t, &c->path, it.pos);
	cfs_iter_release(&it);
	return n;
}

FUZZ_TARGET(data, size)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct covered c = { .n = 0 };
	struct cfs_target t;
	struct cfs_node node;
	char *text;
	int rc;

	if (size > TEXT_MAX)
		return 0;
	text = strndup((const char *)data, size);
	must(text != NULL);
	rc = cfs_target_init(&t, the_crawl(), text, CFS_CTX(NULL, &err));
	must(rc == CFS_OK || err.text[0] != '\0');
	c.t = &t;
	if (rc == CFS_OK) {
		rc = cfs_target_each(&t, NULL, each, &c, CFS_CTX(NULL, NULL));
		must(rc == CFS_OK);
		must(c.n == count(&c));
		cfs_target_dir(&t, &node, CFS_CTX(NULL, NULL));
		cfs_target_file(&t, &node, CFS_CTX(NULL, NULL));
	}
	cfs_target_release(&t);
	free(text);
	return 0;
}
