/* fuzz_cfx.c - any bytes as a crawlfs index.
 *
 * Magic, sizes and all checksums are made good first, so that what lies
 * behind them is reached.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "cfx_mend.h"
#include "format/cfx/cfx.h"
#include "format/open_index.h"
#include "index/index.h"
#include "index/related.h"

/* Steps of a walk; keys sought. */
#define STEPS_MAX 2000
#define SEEKS_MAX 50

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void look(struct cfs_index *ix, struct cfs_iter *it)
{
	static struct cfs_path path;
	struct cfs_capture cap;
	struct cfs_buf b;

	cfs_buf_init(&b, 1 << 20);
	must(it->key.n <= CFS_KEY_MAX);
	cfs_index_split(ix, it->key, &path);
	if (cfs_index_capture(it, &cap, NULL) == CFS_OK) {
		uint64_t hash;

		must(cap.digest.n < 200 && cap.languages.n < 200);
		cfs_buf_add(&b, cap.digest);
		cfs_buf_add(&b, cap.languages);
		if (cfs_view_bytes_simhash(&cap.views, &hash))
			must(hash == cap.views.bytes[CFS_SLOT_SIMHASH]);
		cfs_buf_add(&b, cap.mime);
		cfs_buf_add(&b, cap.url);
		must(cfs_index_archive_name(ix, &cap.loc, &b, NULL) == CFS_OK);
		if (cap.text.kind != CFS_COMPANION_NONE)
			must(cfs_index_archive_name(ix, &cap.text.loc, &b,
						    NULL) == CFS_OK);
		if (cap.meta.kind != CFS_COMPANION_NONE)
			must(cfs_index_archive_name(ix, &cap.meta.loc, &b,
						    NULL) == CFS_OK);
		for (unsigned i = 0; i < CFS_RELATED_COUNT; i++) {
			struct cfs_companion side;

			if (cfs_related_find(&cap, i, &side))
				cfs_index_archive_name(ix, &side.loc, &b, NULL);
		}
		cfs_index_key_url(ix, it->key, &cap, &b);
		must(cap.notes.bytes <= CFS_NOTES_MAX);
		cfs_index_notes(ix, &cap, &b, CFS_CTX(NULL, NULL));
	}
	cfs_buf_release(&b);
}

static void walk(struct cfs_index *ix)
{
	static struct cfs_iter it, other;
	struct cfs_buf keys[SEEKS_MAX];
	unsigned n = 0, steps = 0;
	cfs_pos last = 0;
	int rc;

	cfs_iter_init(&it);
	cfs_iter_init(&other);
	for (rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, &it, CFS_CTX(NULL, NULL)); rc == CFS_OK && steps < STEPS_MAX;
	     rc = cfs_index_next(&it, CFS_CTX(NULL, NULL)), steps++) {
		must(steps == 0 || it.pos > last);
		last = it.pos;
		look(ix, &it);
		if (steps % 7 == 0 && n < SEEKS_MAX) {
			cfs_buf_init(&keys[n], CFS_KEY_MAX);
			cfs_buf_add(&keys[n++], it.key);
		}
		if (cfs_index_at(ix, it.pos, &other,
				 CFS_CTX(NULL, NULL)) == CFS_OK)
			must(other.pos == it.pos);
	}
	for (unsigned i = 0; i < n; i++) {
		if (cfs_index_seek(ix, cfs_buf_slice(&keys[i]), &it,
				   CFS_CTX(NULL, NULL)) == CFS_OK)
			must(cfs_slice_cmp(it.key, cfs_buf_slice(&keys[i])) >= 0);
		cfs_buf_release(&keys[i]);
	}
	cfs_iter_release(&it);
	cfs_iter_release(&other);
}

/* References to the first few hashes that are in the file. */
static void refs(struct cfs_index *ix)
{
	static const char *const names[] = { "id:", "id:<urn:uuid:1>", "digest:sha1:A" };
	cfs_pos pos[4];
	size_t n;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cfs_index_find_ref(ix, cfs_slice_str(names[i]), pos, 4, &n,
				       CFS_CTX(NULL, NULL)) == CFS_OK)
			must(n <= 4);
}

static void see_damage(void *arg, const struct cfs_index_damage *d)
{
	unsigned *left = arg;

	must(d->count > 0 && d->what.n <= CFS_CFX_DAMAGE_BYTES);
	must((*left)-- > 0);
}

static void damage(struct cfs_index *ix)
{
	unsigned left = CFS_CFX_DAMAGE_TABLE_MAX;

	cfs_index_damage(ix, see_damage, &left, CFS_CTX(NULL, NULL));
}

FUZZ_TARGET(data, size)
{
	size_t n = size < CFS_CFX_HEADER_BYTES ? CFS_CFX_HEADER_BYTES : size;
	uint8_t *p = calloc(1, n);
	struct cfs_source *src;
	struct cfs_index *ix;

	if (p == NULL)
		return 0;
	memcpy(p, data, size);
	cfx_mend(p, n);
	if (cfs_source_open_memory(&src, cfs_slice_of(p, n), "fuzz", NULL) == CFS_OK &&
	    cfs_index_open(&ix, src, 1 << 20, NULL) == CFS_OK) {
		walk(ix);
		refs(ix);
		damage(ix);
		cfs_index_close(ix);
	}
	free(p);
	return 0;
}
