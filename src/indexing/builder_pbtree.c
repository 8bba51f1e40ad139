/* builder_pbtree.c - captures as entries of a PB-tree: their pairs in the
 * builder's sort, and writing the sorted entries.
 *
 * Spec: doc/formats.md, "PB-tree".
 *
 * A PB-tree can name only archives of the crawl of 2012, all of them below one
 * folder.  The sort's value of a capture is
 *
 *     8 bytes    0; of an entry of a PB-tree that is copied, its position plus
 *                1, big-endian, by which equal keys stay in their order
 *     32 bytes   the value of the tree (pbtree_format.h)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "builder_internal.h"
#include "format/pbtree/pbtree.h"
#include "url/pbtree_key.h"

#define BLOCK_BYTES 65536u
#define ORDER_BYTES 8u
#define VALUE_BYTES (ORDER_BYTES + CFS_PBTREE_VALUE_BYTES)

struct cfs_pb_places {
	uint32_t n;
	struct place {
		bool is_known;
		struct cfs_pbtree_value at;
	} *v;			/* by number in opts.archives */
};

void cfs_builder_no_place(const char *archive)
{
	cfs_log(CFS_LOG_WARNING, "%s: left out: a PB-tree knows only "
		"segment/<number>/<number>_<number>.arc.gz below one folder",
		archive);
}

/* Finds the folder of all archives: that of the first by name. */
static struct cfs_slice find_folder(const struct cfs_builder_opts *o)
{
	struct cfs_slice first = CFS_SLICE_EMPTY;
	struct cfs_pbtree_value v;
	size_t n, folder = 0;

	for (uint32_t i = 0; i < o->n_archives; i++) {
		struct cfs_slice name = cfs_slice_str(o->archives[i].name);

		if (!cfs_pbtree_place(name, &v, &n) ||
		    (first.n > 0 && cfs_slice_cmp(name, first) > 0))
			continue;
		first = name;
		folder = n;
	}
	return cfs_slice_sub(first, 0, folder);
}

static void warn_of_folder(const struct cfs_builder_opts *o,
			   struct cfs_slice folder)
{
	const char *base = o->home != NULL ? o->home : o->base;

	if (folder.n > 0 && base != NULL)
		cfs_log(CFS_LOG_WARNING, "%s: a PB-tree does not say that the "
			"archives are below '%s/%.*s': mount it with "
			"-o data=%s/%.*s", o->path, base, (int)folder.n,
			(const char *)folder.p, base, (int)folder.n,
			(const char *)folder.p);
}

int cfs_pb_places_new(struct cfs_pb_places **out,
		      const struct cfs_builder_opts *o)
{
	struct cfs_pb_places *p = calloc(1, sizeof(*p));
	struct cfs_slice folder = find_folder(o);
	atomic_uint lines = 0;
	size_t n;

	*out = p;
	if (p == NULL)
		return CFS_ENOMEM;
	p->n = o->n_archives;
	p->v = calloc((size_t)p->n + 1, sizeof(*p->v));
	if (p->v == NULL)
		return CFS_ENOMEM;
	for (uint32_t i = 0; i < p->n; i++) {
		const char *name = o->archives[i].name;
		struct place *to = &p->v[i];

		to->is_known = cfs_pbtree_place(cfs_slice_str(name), &to->at,
						&n) && n == folder.n &&
			       memcmp(name, folder.p, n) == 0;
		/* the first ones are the inputs, indexes among them */
		if (!to->is_known && i >= o->n_at_hand &&
		    cfs_log_has_room(&lines, o->path, "more archives are left "
				     "out"))
			cfs_builder_no_place(name);
	}
	warn_of_folder(o, folder);
	return CFS_OK;
}

void cfs_pb_places_free(struct cfs_pb_places *p)
{
	if (p != NULL)
		free(p->v);
	free(p);
}

bool cfs_pb_places_have(const struct cfs_pb_places *p, uint32_t archive)
{
	return archive < p->n && p->v[archive].is_known;
}

int cfs_pb_pair(const struct cfs_pb_places *p,
		const struct cfs_builder_capture *c, struct cfs_buf *key,
		struct cfs_buf *value)
{
	struct cfs_pbtree_value v = p->v[c->archive].at;
	uint8_t bytes[VALUE_BYTES];
	int rc = c->pb_key.n > 0 ? cfs_buf_add(key, c->pb_key) :
		 cfs_pbtree_url_key(c->url, key);

	if (rc != CFS_OK)
		return rc;
	v.offset = c->span.offset;
	v.length = c->span.length > UINT32_MAX ? UINT32_MAX :
		   (uint32_t)c->span.length;
	cfs_be64_put(bytes, c->pb_order);
	cfs_pbtree_value_encode(&v, bytes + ORDER_BYTES);
	return cfs_buf_append(value, bytes, sizeof(bytes));
}

/* ---- writing ---- */

/* Remembers a pair.  True if it is the last one again: equal captures of
 * several inputs. */
static bool is_repeated(struct cfs_buf *last, struct cfs_slice key,
			struct cfs_slice value)
{
	struct cfs_slice was = cfs_buf_slice(last);
	bool yes = was.n == value.n + key.n &&
		   cfs_slice_starts(was, value) &&
		   cfs_slice_eq(cfs_slice_from(was, value.n), key);

	cfs_buf_reset(last);
	cfs_buf_add(last, value);
	cfs_buf_add(last, key);
	return yes;
}

int cfs_pb_write(struct cfs_extsort *sort, int fd,
		 const struct cfs_builder_opts *o, void (*advanced)(void *arg),
		 void *arg, struct cfs_builder_counts *counts,
		 struct cfs_error *err)
{
	struct cfs_pbtree_writer *w;
	struct cfs_slice key, value;
	CFS_BUF(last, VALUE_BYTES + CFS_EXTSORT_ITEM_MAX);
	int rc = cfs_pbtree_writer_new(&w, fd, BLOCK_BYTES,
				       CFS_PBTREE_VALUE_BYTES, o->tmp_dir, err);

	while (rc == CFS_OK &&
	       (rc = cfs_extsort_next(sort, &key, &value, err)) == CFS_OK) {
		if (is_repeated(&last, key, value)) {
			counts->repeated++;
		} else {
			rc = cfs_pbtree_writer_add(w, key,
						   cfs_slice_from(value,
								  ORDER_BYTES),
						   err);
			counts->captures++;
		}
		if (last.failed != CFS_OK)
			rc = cfs_error_nomem(err);
		advanced(arg);
	}
	if (rc == CFS_END)
		rc = cfs_pbtree_writer_finish(w, &counts->file_bytes, err);
	cfs_pbtree_writer_free(w);
	return rc;
}
