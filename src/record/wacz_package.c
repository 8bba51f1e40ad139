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

static int wacz_package_one_file(struct package_walk *w,
				 struct cfs_slice object)
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

/* Goes through the items of the array at the front of *s. */
static int all_files(struct package_walk *w, struct cfs_slice *s)
{
	struct cfs_json_text value;
	struct cfs_slice item;
	int rc = CFS_OK;

	do {
		*s = cfs_slice_from(*s, 1);	/* [ or , */
		cfs_json_skip_blanks(s);
		item = *s;
		if (item.n > 0 && item.p[0] == ']')
			break;
		if (item.n == 0 || item.p[0] != '{' ||
		    !cfs_json_take_value(s, &value))
			return CFS_EFORMAT;
		item.n -= s->n;
		rc = wacz_package_one_file(w, item);
		cfs_json_skip_blanks(s);
	} while (rc == CFS_OK && s->n > 0 && s->p[0] == ',');
	if (rc == CFS_OK && (s->n == 0 || s->p[0] != ']'))
		rc = CFS_EFORMAT;
	*s = cfs_slice_from(*s, 1);
	return rc;
}

int cfs_package_each(struct cfs_slice text,
		     int (*each)(void *arg, const struct cfs_package_file *f),
		     void *arg)
{
	struct package_walk w = { .each = each, .arg = arg };
	struct cfs_json_text name, value;
	bool is_found = false;
	int rc = CFS_OK;

	cfs_json_skip_blanks(&text);
	if (text.n == 0 || text.p[0] != '{')
		return CFS_EFORMAT;
	cfs_buf_init(&w.path, PATH_MAX_BYTES);
	do {
		text = cfs_slice_from(text, 1);		/* { or , */
		if (!cfs_json_take_name(&text, &name)) {
			rc = is_found ? CFS_OK : CFS_EFORMAT;
			break;
		}
		if (cfs_slice_eq(name.s, CFS_SLICE_LIT("resources")) &&
		    text.n > 0 && text.p[0] == '[') {
			is_found = true;
			rc = all_files(&w, &text);
		} else if (!cfs_json_take_value(&text, &value)) {
			rc = CFS_EFORMAT;
		}
		cfs_json_skip_blanks(&text);
	} while (rc == CFS_OK && text.n > 0 && text.p[0] == ',');
	cfs_buf_release(&w.path);
	return rc == CFS_OK && !is_found ? CFS_EFORMAT : rc;
}

/* Finds the value of a member of the object at the front of *s, and sets *s to
 * begin with it. */
static bool package_enter_member(struct cfs_slice *s, const char *name)
{
	struct cfs_json_text key, value;

	cfs_json_skip_blanks(s);
	if (s->n == 0 || s->p[0] != '{')
		return false;
	do {
		*s = cfs_slice_from(*s, 1);	/* { or , */
		if (!cfs_json_take_name(s, &key))
			return false;
		if (cfs_slice_eq(key.s, cfs_slice_str(name)))
			return true;
		if (!cfs_json_take_value(s, &value))
			return false;
		cfs_json_skip_blanks(s);
	} while (s->n > 0 && s->p[0] == ',');
	return false;
}

void cfs_package_required(struct cfs_slice s, struct cfs_buf *names)
{
	static const char *const path = "filename";
	struct cfs_json_text value;
	struct cfs_slice item, name;

	if (!package_enter_member(&s, "relation") || !package_enter_member(&s, "requires") ||
	    s.n == 0 || s.p[0] != '[')
		return;
	do {
		size_t before = names->n;

		s = cfs_slice_from(s, 1);	/* [ or , */
		cfs_json_skip_blanks(&s);
		item = s;
		if (!cfs_json_take_value(&s, &value))
			return;
		item.n -= s.n;
		if (cfs_json_pick(item, &path, 1, &name))
			value = (struct cfs_json_text){ name, true };
		cfs_json_add_text(names, value);
		if (names->n > before)
			cfs_buf_addc(names, 0);
		cfs_json_skip_blanks(&s);
	} while (names->failed == CFS_OK && s.n > 0 && s.p[0] == ',');
}

int cfs_package_hash(struct cfs_source *src, uint8_t sha256[CFS_PACKAGE_SHA256],
		     struct cfs_ctx ctx)
{
	uint8_t *piece = malloc(READ_BYTES);
	struct sha256_ctx sha;
	int rc = piece != NULL ? CFS_OK : cfs_error_nomem(ctx.err);
	size_t got = 0;

	sha256_init(&sha);
	for (uint64_t off = 0; rc == CFS_OK && off < src->size; off += got) {
		rc = cfs_source_read_some(src, piece, READ_BYTES, off, &got,
					  ctx);
		if (rc == CFS_OK && got == 0)
			break;
		if (rc == CFS_OK)
			sha256_update(&sha, got, piece);
	}
	sha256_digest(&sha, SHA256_DIGEST_SIZE, sha256);
	free(piece);
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
