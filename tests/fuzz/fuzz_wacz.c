/* fuzz_wacz.c - any bytes as a WACZ, or a collection of them, that is opened as
 * a mount opens it, listed and read a bit, and verified: a mount of a local
 * file does not need the lists of captures in it.
 *
 * The sums of members that are stored as they are, of WACZ files inside too, are
 * made good first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <zlib.h>

#include "fuzz.h"
#include "fuzz_folder.h"

#include "crawl/content.h"
#include "crawl/file_info.h"
#include "crawl/tree.h"
#include "verify/verify.h"

#define MEMBERS_MAX 64u
#define DEPTH_MAX 3u		/* of ZIP files in ZIP files */
#define DIRS_MAX 40u
#define NAMES_MAX 60u		/* of one directory */
#define FILES_MAX 12u		/* that are read */
#define END_BYTES 22u
#define ENTRY_BYTES 46u
#define LOCAL_BYTES 30u

/* ---- sums ---- */

static void mend(uint8_t *p, size_t n, unsigned depth);

/* The member of a central entry at q.  Sizes are not touched. */
static void mend_member(uint8_t *p, size_t n, uint8_t *q, unsigned depth)
{
	size_t stored = cfs_le32_get(q + 20), at = cfs_le32_get(q + 42);
	uint32_t sum;

	if (cfs_le16_get(q + 10) != 0 || at > n || n - at < LOCAL_BYTES ||
	    memcmp(p + at, "PK\3\4", 4) != 0)
		return;
	sum = (uint32_t)cfs_le16_get(p + at + 26) + cfs_le16_get(p + at + 28);
	if (n - at - LOCAL_BYTES < sum || stored > n - at - LOCAL_BYTES - sum)
		return;
	p += at + LOCAL_BYTES + sum;
	if (stored >= 4 && memcmp(p, "PK", 2) == 0)
		mend(p, stored, depth + 1);
	sum = (uint32_t)crc32(0, p, (uInt)stored);
	cfs_le32_put(q + 16, sum);
}

/* Members inside others are made good before those. */
static void mend(uint8_t *p, size_t n, unsigned depth)
{
	size_t end = n, at;

	if (n < END_BYTES || depth >= DEPTH_MAX)
		return;
	end -= END_BYTES;
	while (end > 0 && memcmp(p + end, "PK\5\6", 4) != 0)
		end--;
	at = cfs_le32_get(p + end + 16);
	for (unsigned i = 0; i < MEMBERS_MAX && at < n &&
	     n - at >= ENTRY_BYTES && memcmp(p + at, "PK\1\2", 4) == 0; i++) {
		mend_member(p, n, p + at, depth);
		at += ENTRY_BYTES + cfs_le16_get(p + at + 28) +
		      cfs_le16_get(p + at + 30) + cfs_le16_get(p + at + 32);
	}
}

/* ---- the tree ---- */

struct walk {
	struct cfs_crawl *c;
	struct cfs_node dirs[DIRS_MAX];
	unsigned n_dirs, names, files;
};

static void read_file(struct walk *w, const struct cfs_node *node)
{
	struct cfs_file_bytes bytes = { .bytes = CFS_SLICE_EMPTY };
	struct cfs_buf path;
	uint64_t sum = 0;

	cfs_buf_init(&path, SIZE_MAX);
	cfs_tree_path(w->c, node, &path, CFS_CTX(NULL, NULL));
	cfs_buf_release(&path);
	if (cfs_content_load(w->c, node, &w->c->view, &bytes,
			     CFS_CTX(NULL, NULL)) !=
	    CFS_OK)
		return;
	for (size_t i = 0; i < bytes.bytes.n; i++)
		sum += bytes.bytes.p[i];
	must(sum <= (uint64_t)255 * bytes.bytes.n);
	cfs_file_bytes_release(&bytes);
}

/* Keeps what is to be gone into. */
static int see(void *arg, struct cfs_slice name, const struct cfs_node *node,
	       uint64_t cookie)
{
	struct walk *w = arg;
	struct cfs_node copy = *node;

	must(name.n > 0 && name.n <= 255 && cookie >= CFS_COOKIE_BIT &&
	     cfs_slice_find(name, '/') < 0 && cfs_slice_find(name, '\0') < 0);
	copy.cap = NULL;
	if (node->type == CFS_NODE_DIR) {
		if (w->n_dirs < DIRS_MAX)
			w->dirs[w->n_dirs++] = copy;
	} else if (w->files < FILES_MAX) {
		w->files++;
		read_file(w, &copy);
	}
	return ++w->names >= NAMES_MAX;
}

static void look(struct cfs_crawl *c)
{
	struct walk w = { .c = c, .n_dirs = 1 };
	struct cfs_node found;

	w.dirs[0] = cfs_tree_root(0);
	for (unsigned i = 0; i < w.n_dirs; i++) {
		w.names = 0;
		cfs_tree_list(c, &w.dirs[i], CFS_VIEWS_ALL, 0, 8, see, &w,
			      CFS_CTX(NULL, NULL));
	}
	cfs_tree_walk(c, CFS_SLICE_LIT("example/a/www/_/Page/0"), &found,
		      CFS_CTX(NULL, NULL));
}

/* ---- one input ---- */

static void open_as_mounts_do(void)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl_opts o = { .cache_dir = fuzz_path("cache"),
				    .mem_bytes = 8 << 20,
				    .max_record_bytes = 1 << 20 };
	struct cfs_crawl *c;

	if (cfs_crawl_open(&c, fuzz_path("x.wacz"), &o, &err) == CFS_OK) {
		look(c);
		cfs_crawl_close(c);
	} else {
		must(err.code < 0 && err.text[0] != '\0');
	}
}

/* Its lists of captures, and its package, against what is in it. */
static void verify(void)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_verify_opts o = { .cache_dir = fuzz_path("cache"),
				     .tmp_dir = fuzz_top, .parallel = 1,
				     .max_record_bytes = 1 << 20 };
	struct cfs_verify_result result;
	struct cfs_verify *v;
	int rc = cfs_verify_new(&v, &o, &err);

	if (rc == CFS_OK)
		rc = cfs_verify_input(v, fuzz_path("x.wacz"), &err);
	if (rc == CFS_OK)
		rc = cfs_verify_run(v, &result, &err);
	must(rc == CFS_OK || (rc < 0 && err.text[0] != '\0'));
	cfs_verify_free(v);
}

FUZZ_TARGET(data, size)
{
	uint8_t *p = malloc(size + 1);

	if (p == NULL)
		return 0;
	memcpy(p, data, size);
	mend(p, size, 0);
	fuzz_write("x.wacz", p, size);
	free(p);
	open_as_mounts_do();
	verify();
	fuzz_remove(fuzz_path("cache"));
	return 0;
}
