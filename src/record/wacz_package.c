/* wacz_package.c - parses datapackage.json of a WACZ, or of a collection.
 *
 *     {"resources": [{"path": "archive/x.warc.gz", "hash": "sha256:HEX", ..},
 *                    {"path": .., "stats": {"hash": HEX}, ..}, ..],
 *      "relation": {"requires": [{"filename": "first.wacz", ..}, ..]}, ..}
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "wacz_package.h"

#include <nettle/sha2.h>
#include <stdlib.h>

#include "base/hex.h"
#include "codec/json.h"

#define READ_BYTES ((size_t)256 << 10)
#define PATH_MAX_BYTES ((size_t)64 << 10)

bool cfs_package_is_start(struct cfs_slice head)
{
	cfs_json_skip_blanks(&head);
	return head.n > 0 && head.p[0] == '{' &&
	       (cfs_slice_search(head, CFS_SLICE_LIT("\"resources\"")) >= 0 ||
		cfs_slice_search(head, CFS_SLICE_LIT("\"multi-wacz")) >= 0);
}

int cfs_package_load(struct cfs_source *src, struct cfs_buf *out,
		     struct cfs_ctx ctx)
{
	uint64_t n = src->size;
	int rc;

	if (n > CFS_PACKAGE_MAX)
		return cfs_error_at(ctx.err, CFS_ELIMIT, src->name, 0,
				    "more than %zu bytes of JSON",
				    CFS_PACKAGE_MAX);
	rc = cfs_buf_reserve(out, (size_t)n + 1);
	if (rc != CFS_OK)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read(src, out->p + out->n, (size_t)n, 0, ctx);
	if (rc == CFS_OK)
		out->n += (size_t)n;
	return rc;
}

bool cfs_package_sha256(struct cfs_slice s, uint8_t out[CFS_PACKAGE_SHA256])
{
	struct cfs_slice prefix = CFS_SLICE_LIT("sha256:");

	if (cfs_slice_starts(s, prefix))
		s = cfs_slice_from(s, prefix.n);
	return cfs_hex_read(s, out, CFS_PACKAGE_SHA256);
}

struct package_walk {
	int (*each)(void *arg, const struct cfs_package_file *f);
	void *arg;
	struct cfs_buf path;
};

static int one_file(struct package_walk *w, struct cfs_slice object)
{
	static const char *const paths[] = { "path", "hash", "stats/hash" };
	struct cfs_package_file f = { .has_sha256 = false };
	struct cfs_slice v[3];

	if (!cfs_json_pick(object, paths, 3, v) || v[0].n == 0)
		return CFS_OK;
	cfs_buf_reset(&w->path);
	cfs_json_add_text(&w->path, (struct cfs_json_text){ v[0], true });
	if (w->path.failed == CFS_ENOMEM)
		return CFS_ENOMEM;
	if (w->path.failed != CFS_OK) {		/* too long */
		w->path.failed = CFS_OK;
		return CFS_OK;
	}
	f.path = cfs_buf_slice(&w->path);
	f.has_sha256 = cfs_package_sha256(v[v[1].n > 0 ? 1 : 2], f.sha256);
	return w->each(w->arg, &f);
}

/* Goes through the items of an array. */
static int all_files(struct package_walk *w, struct cfs_slice array)
{
	struct cfs_json_member item;
	int rc;

	while ((rc = cfs_json_next(&array, '[', &item)) == CFS_OK) {
		if (item.written.p[0] != '{')
			return CFS_EFORMAT;
		rc = one_file(w, item.written);
		if (rc != CFS_OK)
			return rc;
	}
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_package_each(struct cfs_slice text,
		     int (*each)(void *arg, const struct cfs_package_file *f),
		     void *arg)
{
	struct package_walk w = { .each = each, .arg = arg };
	struct cfs_slice files = cfs_json_member_of(text, "resources");
	int rc;

	cfs_buf_init(&w.path, PATH_MAX_BYTES);
	rc = all_files(&w, files);
	cfs_buf_release(&w.path);
	return rc;
}

void cfs_package_required(struct cfs_slice s, struct cfs_buf *names)
{
	static const char *const path = "filename";
	struct cfs_json_member item;
	struct cfs_slice name;

	s = cfs_json_member_of(cfs_json_member_of(s, "relation"), "requires");
	while (names->failed == CFS_OK &&
	       cfs_json_next(&s, '[', &item) == CFS_OK) {
		size_t before = names->n;

		if (cfs_json_pick(item.written, &path, 1, &name))
			item.value = (struct cfs_json_text){ name, true };
		cfs_json_add_text(names, item.value);
		if (names->n > before)
			cfs_buf_addc(names, 0);
	}
}

int cfs_package_hash(struct cfs_source *src, uint8_t sha256[CFS_PACKAGE_SHA256],
		     struct cfs_ctx ctx)
{
	uint8_t *buf = malloc(READ_BYTES);
	struct sha256_ctx sha;
	int rc = buf != NULL ? CFS_OK : cfs_error_nomem(ctx.err);
	size_t got = 0;

	sha256_init(&sha);
	for (uint64_t off = 0; rc == CFS_OK && off < src->size; off += got) {
		rc = cfs_source_read_some(src, buf, READ_BYTES, off, &got,
					  ctx);
		if (rc == CFS_OK && got == 0)
			break;
		if (rc == CFS_OK)
			sha256_update(&sha, got, buf);
	}
	sha256_digest(&sha, SHA256_DIGEST_SIZE, sha256);
	free(buf);
	return rc;
}

int cfs_package_check(struct cfs_source *src,
		      const uint8_t sha256[CFS_PACKAGE_SHA256], bool *is_same,
		      struct cfs_ctx ctx)
{
	uint8_t digest[CFS_PACKAGE_SHA256];
	int rc = cfs_package_hash(src, digest, ctx);

	*is_same = rc == CFS_OK && memcmp(digest, sha256, sizeof(digest)) == 0;
	return rc;
}
