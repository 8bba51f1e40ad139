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

static const struct cfs_slice list_name = CFS_SLICE_LIT("datapackage.json");
/* It may be missing. */
static const struct cfs_slice digest_name =
	CFS_SLICE_LIT("datapackage-digest.json");

struct checked_package {
	const struct cfs_verify *v;
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

/* The location of another file of the package, malloced. */
static char *location_of(const struct checked_package *k, struct cfs_slice path)
{
	char *out;

	return asprintf(&out, "%.*s%.*s", (int)k->folder.n,
			(const char *)k->folder.p, (int)path.n,
			(const char *)path.p) < 0 ? NULL : out;
}

/* Reports a file; an empty path: the list of files. */
static void report(struct checked_package *k, struct cfs_slice path,
		   const char *expected, const char *found)
{
	char *location = path.n > 0 ? location_of(k, path) : NULL;
	struct cfs_verify_finding f = { .archive = location, .kind = "package",
		.url = CFS_SLICE_EMPTY, .expected = cfs_slice_str(expected),
		.found = cfs_slice_str(found) };

	k->p->tally.checks[CFS_VERIFY_PACKAGE].differed++;
	cfs_verify_found(k->p, &f);
	free(location);
}

/* Opens a file, and appends its text or else computes its hash. */
static int read_file(const struct checked_package *k, char *location,
		     struct cfs_buf *text, uint8_t sha256[CFS_PACKAGE_SHA256],
		     struct cfs_ctx ctx)
{
	struct cfs_verify_unit u = *k->p->unit;
	struct cfs_source *src = NULL;
	int rc;

	u.location = location;
	rc = cfs_verify_open(k->v, &u, true, &src, ctx);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, ctx);
	if (rc == CFS_OK)
		rc = text != NULL ? cfs_package_load(src, text, ctx) :
				    cfs_package_hash(src, sha256, ctx);
	cfs_source_close(src);
	return rc;
}

/* Takes a file of the package.  A failure to read it counts as its damage,
 * unless it ends the run.  *is_read false: there is nothing to compare. */
static int take(struct checked_package *k, struct cfs_slice path,
		const char *expected, struct cfs_buf *text,
		uint8_t sha256[CFS_PACKAGE_SHA256], bool *is_read)
{
	char *location = location_of(k, path);
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	*is_read = false;
	if (location == NULL)
		return cfs_error_nomem(k->err);
	rc = read_file(k, location, text, sha256,
		       CFS_CTX(&k->v->run.cancel, &e));
	free(location);
	*is_read = rc == CFS_OK;
	if (rc == CFS_OK)
		return CFS_OK;
	if (rc == CFS_ENOTFOUND && cfs_slice_eq(path, digest_name))
		k->p->tally.checks[CFS_VERIFY_PACKAGE].absent++;
	else if (cfs_verify_is_fatal(k->p->unit, rc))
		return cfs_error_pass(k->err, &e, rc);
	else
		report(k, path, expected, e.text);
	return CFS_OK;
}

static int compare(struct checked_package *k, struct cfs_slice path,
		   const uint8_t sha256[CFS_PACKAGE_SHA256])
{
	uint8_t has[CFS_PACKAGE_SHA256];
	char expected[HEX_BYTES], found[HEX_BYTES];
	bool is_read;
	int rc = take(k, path, to_hex(sha256, expected), NULL, has, &is_read);

	if (rc != CFS_OK || !is_read)
		return rc;
	if (memcmp(has, sha256, sizeof(has)) == 0)
		k->p->tally.checks[CFS_VERIFY_PACKAGE].matched++;
	else
		report(k, path, expected, to_hex(has, found));
	return CFS_OK;
}

static int one_file(void *arg, const struct cfs_package_file *f)
{
	struct checked_package *k = arg;

	if (f->has_sha256)
		return compare(k, f->path, f->sha256);
	k->p->tally.checks[CFS_VERIFY_PACKAGE].absent++;
	return CFS_OK;
}

/* Verifies the hash of datapackage.json itself, if there is a file with it. */
static int check_head(struct checked_package *k)
{
	static const char *const names[] = { "path", "hash" };
	struct cfs_slice v[2];
	uint8_t sha256[CFS_PACKAGE_SHA256];
	CFS_BUF(text, DIGEST_FILE_MAX);
	bool is_read;
	int rc = take(k, digest_name, "", &text, NULL, &is_read);

	if (rc != CFS_OK || !is_read)
		return rc;
	if (cfs_json_pick(cfs_buf_slice(&text), names, 2, v) &&
	    cfs_package_sha256(v[1], sha256))
		return compare(k, v[0].n > 0 ? v[0] : list_name, sha256);
	report(k, digest_name, "", "has no SHA-256 of a file");
	return CFS_OK;
}

int cfs_verify_package(const struct cfs_verify *v,
		       struct cfs_verify_part *p, struct cfs_error *err)
{
	struct cfs_slice all = cfs_slice_str(p->unit->location);
	struct checked_package k = { .v = v, .p = p, .err = err };
	CFS_BUF(text, CFS_PACKAGE_MAX + 1);
	bool is_read;
	int rc;

	k.folder = cfs_slice_sub(all, 0, (size_t)cfs_slice_rfind(all, '/') + 1);
	rc = check_head(&k);
	if (rc == CFS_OK)
		rc = take(&k, list_name, "", &text, NULL, &is_read);
	if (rc == CFS_OK && is_read)
		rc = cfs_package_each(cfs_buf_slice(&text), one_file, &k);
	if (rc == CFS_EFORMAT) {
		report(&k, CFS_SLICE_EMPTY, "", "is not a list of files");
		rc = CFS_OK;
	}
	return rc;
}
