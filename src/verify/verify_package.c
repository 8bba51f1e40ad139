/* verify_package.c - verifies the files of a WACZ by its chain of hashes.
 *
 * Spec: doc/formats.md, "WACZ".  datapackage-digest.json has the SHA-256 of
 * datapackage.json, which has those of the other files.  A missing or different
 * file is damage; a file without a stated hash counts as having nothing to
 * compare with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "codec/json.h"
#include "record/wacz_package.h"

#define HEX_BYTES (sizeof("sha256:") + 2 * CFS_PACKAGE_SHA256)
#define DIGEST_FILE_MAX ((size_t)1 << 20)

struct checked_package {
	const struct cfs_verify_reader *r;
	struct cfs_verify_part *p;
	struct cfs_slice folder;	/* folder of its files: up to the last
					 * '/' */
	struct cfs_error *err;
};

static const char *to_hex(const uint8_t sha256[CFS_PACKAGE_SHA256],
			  char out[HEX_BYTES])
{
	size_t n = (size_t)snprintf(out, HEX_BYTES, "sha256:");

	cfs_hex_put(sha256, CFS_PACKAGE_SHA256, out + n);
	out[HEX_BYTES - 1] = '\0';
	return out;
}

static void report(struct checked_package *k, const char *file,
		   const char *expected, const char *found)
{
	struct cfs_verify_finding f = { .archive = file, .kind = "package",
		.url = CFS_SLICE_EMPTY, .expected = cfs_slice_str(expected),
		.found = cfs_slice_str(found) };

	k->p->tally.checks[CFS_VERIFY_PACKAGE].differed++;
	cfs_verify_found(k->p, &f);
}

/* The location of another file of the package, malloced. */
static char *location_of(const struct checked_package *k, struct cfs_slice path)
{
	char *out;

	return asprintf(&out, "%.*s%.*s", (int)k->folder.n,
			(const char *)k->folder.p, (int)path.n,
			(const char *)path.p) < 0 ? NULL : out;
}

typedef int read_file_fn(struct cfs_source *src, void *out, struct cfs_ctx ctx);

static int read_file(const struct checked_package *k, char *location,
		     read_file_fn *read, void *out, struct cfs_error *err)
{
	struct cfs_verify_unit u = *k->p->unit;
	struct cfs_source *src = NULL;
	int rc;

	u.location = location;
	rc = cfs_verify_open(k->r, &u, true, &src, CFS_CTX(k->r->cancel, err));
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, CFS_CTX(k->r->cancel, err));
	if (rc == CFS_OK)
		rc = read(src, out, CFS_CTX(k->r->cancel, err));
	cfs_source_close(src);
	return rc;
}

static int hash_of(struct cfs_source *src, void *out, struct cfs_ctx ctx)
{
	return cfs_package_hash(src, out, ctx);
}

static int text_of(struct cfs_source *src, void *out, struct cfs_ctx ctx)
{
	return cfs_package_load(src, out, ctx);
}

/* A failure to read a file counts as its damage, unless it ends the run. */
static int settle(struct checked_package *k, const char *file,
		  const char *expected, int rc, const struct cfs_error *e)
{
	if (rc == CFS_OK)
		return CFS_OK;
	if (cfs_verify_is_fatal(k->p->unit, rc))
		return cfs_error_pass(k->err, e, rc);
	report(k, file, expected, e->text);
	return CFS_OK;
}

static int compare(struct checked_package *k, struct cfs_slice path,
		   const uint8_t sha256[CFS_PACKAGE_SHA256])
{
	uint8_t has[CFS_PACKAGE_SHA256];
	char expected[HEX_BYTES], found[HEX_BYTES];
	char *location = location_of(k, path);
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (location == NULL)
		return cfs_error_nomem(k->err);
	to_hex(sha256, expected);
	rc = read_file(k, location, hash_of, has, &e);
	if (rc != CFS_OK)
		rc = settle(k, location, expected, rc, &e);
	else if (memcmp(has, sha256, sizeof(has)) == 0)
		k->p->tally.checks[CFS_VERIFY_PACKAGE].matched++;
	else
		report(k, location, expected, to_hex(has, found));
	free(location);
	return rc;
}

static int one_file(void *arg, const struct cfs_package_file *f)
{
	struct checked_package *k = arg;

	if (f->has_sha256)
		return compare(k, f->path, f->sha256);
	k->p->tally.checks[CFS_VERIFY_PACKAGE].absent++;
	return CFS_OK;
}

/* Loads a file of the package.  *is_there false: it cannot be used, and the
 * finding has been made. */
static int load(struct checked_package *k, struct cfs_slice path,
		bool must_exist, struct cfs_buf *out, bool *is_there)
{
	char *location = location_of(k, path);
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	*is_there = false;
	if (location == NULL)
		return cfs_error_nomem(k->err);
	rc = read_file(k, location, text_of, out, &e);
	*is_there = rc == CFS_OK;
	if (rc == CFS_ENOTFOUND && !must_exist) {
		k->p->tally.checks[CFS_VERIFY_PACKAGE].absent++;
		rc = CFS_OK;
	} else {
		rc = settle(k, location, "", rc, &e);
	}
	free(location);
	return rc;
}

/* Verifies the hash of datapackage.json itself. */
static int check_head(struct checked_package *k)
{
	static const char *const names[] = { "path", "hash" };
	struct cfs_slice name = CFS_SLICE_LIT("datapackage-digest.json"), v[2];
	uint8_t sha256[CFS_PACKAGE_SHA256];
	CFS_BUF(text, DIGEST_FILE_MAX);
	char *location;
	bool is_there;
	int rc = load(k, name, false, &text, &is_there);

	if (rc == CFS_OK && is_there) {
		if (cfs_json_pick(cfs_buf_slice(&text), names, 2, v) &&
		    cfs_package_sha256(v[1], sha256)) {
			rc = compare(k, v[0].n > 0 ? v[0] :
				     CFS_SLICE_LIT("datapackage.json"), sha256);
		} else if ((location = location_of(k, name)) != NULL) {
			report(k, location, "", "has no SHA-256 of a file");
			free(location);
		} else {
			rc = cfs_error_nomem(k->err);
		}
	}
	return rc;
}

int cfs_verify_package(const struct cfs_verify_reader *r,
		       struct cfs_verify_part *p, struct cfs_error *err)
{
	struct cfs_slice all = cfs_slice_str(p->unit->location);
	struct checked_package k = { .r = r, .p = p, .err = err };
	CFS_BUF(text, CFS_PACKAGE_MAX + 1);
	bool is_there;
	int rc;

	k.folder = cfs_slice_sub(all, 0, (size_t)cfs_slice_rfind(all, '/') + 1);
	rc = check_head(&k);
	if (rc == CFS_OK)
		rc = load(&k, CFS_SLICE_LIT("datapackage.json"), true, &text,
			  &is_there);
	if (rc == CFS_OK && is_there)
		rc = cfs_package_each(cfs_buf_slice(&text), one_file, &k);
	if (rc == CFS_EFORMAT) {
		report(&k, p->unit->name, "", "is not a list of files");
		rc = CFS_OK;
	}
	return rc;
}
