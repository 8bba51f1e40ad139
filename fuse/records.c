/* records.c - finds records by archive and offset.
 *
 * A path is stored as one byte, the number of its source plus 1, and the name
 * of the archive or folder.  The path of .crawlfs/records itself is empty; that
 * of a member with several records has a NUL and the member's offset at its
 * end.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "records.h"

#include <inttypes.h>
#include <string.h>

#include "crawl/record_at.h"

#define OFFSET_BITS 36
#define NUMBER_BITS 18

static uint64_t dir_ino(uint32_t number)
{
	return (uint64_t)number << 8 | CFS_INO_RECORDS;
}

static uint64_t file_ino(uint32_t number, uint64_t offset)
{
	return UINT64_C(15) << (OFFSET_BITS + NUMBER_BITS) |
	       (uint64_t)number << OFFSET_BITS | offset;
}

/* Number 0 is the empty path. */
static struct cfs_slice records_path_of(const struct cfs_fs *fs,
					uint32_t number)
{
	return number == 0 ? CFS_SLICE_EMPTY :
	       cfs_strtab_get(fs->record_paths, number - 1);
}

static int records_number_of(struct cfs_fs *fs, struct cfs_slice path,
			     uint32_t *out)
{
	int rc = cfs_strtab_add_up_to(fs->record_paths, path,
				      CFS_RECORD_PATHS_MAX - 1, out);

	++*out;
	return rc == CFS_ELIMIT ? CFS_ENOTFOUND : rc;
}

/* Appends the path of `name` in the folder `dir`. */
static int child_path(const struct cfs_fs *fs, struct cfs_slice dir,
		      const char *name, struct cfs_buf *out)
{
	if (dir.n > 0) {
		cfs_buf_add(out, dir);
		if (dir.n > 1)
			cfs_buf_addc(out, '/');
		return cfs_buf_adds(out, name);
	}
	if (fs->n_crawls == 1) {
		cfs_buf_addc(out, 1);
		return cfs_buf_adds(out, name);
	}
	for (unsigned i = 0; i < fs->n_crawls; i++)
		if (strcmp(fs->names[i], name) == 0)
			return cfs_buf_addc(out, (uint8_t)(i + 1));
	return CFS_ENOTFOUND;
}

static struct cfs_crawl *records_crawl_of(const struct cfs_fs *fs,
					  struct cfs_slice path)
{
	return fs->crawls[path.p[0] - 1];
}

void cfs_records_path(struct cfs_fs *fs, uint64_t ino, struct cfs_buf *out)
{
	bool is_file = cfs_records_is_file(ino);
	uint32_t number = is_file ? (uint32_t)(ino >> OFFSET_BITS) &
				    (CFS_RECORD_PATHS_MAX - 1) :
				    (uint32_t)(ino >> 8);
	struct cfs_slice path = records_path_of(fs, number), name;

	cfs_buf_adds(out, "/records");
	if (path.n == 0)
		return;
	if (fs->n_crawls > 1)
		cfs_buf_addf(out, "/%s", fs->names[path.p[0] - 1]);
	path = cfs_slice_from(path, 1);
	name = cfs_slice_split(&path, '\0');
	if (name.n > 0)
		cfs_buf_addc(out, '/');
	cfs_buf_add(out, name);
	if (path.n > 0) {	/* a record behind others in its member */
		cfs_buf_addc(out, '/');
		cfs_buf_add(out, path);
	}
	if (is_file)
		cfs_buf_addf(out, "%c%" PRIu64, path.n > 0 ? '.' : '/',
			     ino & CFS_RECORD_OFFSET_MAX);
}

int cfs_records_load(struct cfs_fs *fs, uint64_t ino,
		     struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	uint32_t number = (uint32_t)(ino >> OFFSET_BITS) &
			  (CFS_RECORD_PATHS_MAX - 1);
	struct cfs_slice path = records_path_of(fs, number), name;
	uint64_t offset = ino & CFS_RECORD_OFFSET_MAX, behind = 0;

	if (path.n < 2)
		return cfs_error_set(ctx.err, CFS_ENOTFOUND, "no such archive");
	name = cfs_slice_split(&path, '\0');
	if (path.n > 0) {
		behind = offset;
		(void)cfs_slice_parse_u64(path, CFS_RECORD_OFFSET_MAX, &offset);
	}
	return cfs_record_at_load(records_crawl_of(fs, name),
				  cfs_slice_from(name, 1), offset, behind, out,
				  ctx);
}

/* Each record has one name, so leading zeros are refused. */
static bool records_read_number(struct cfs_slice text, uint64_t *out)
{
	return (text.n <= 1 || text.p[0] != '0') &&
	       cfs_slice_parse_u64(text, CFS_RECORD_OFFSET_MAX, out) == CFS_OK;
}

/* Finds or makes the number of the path of a member with several records. */
static int member_number(struct cfs_fs *fs, struct cfs_slice archive,
			 struct cfs_slice offset, uint32_t *out)
{
	CFS_BUF(path, 2 * CFS_URL_MAX);
	int rc;

	cfs_buf_add(&path, archive);
	cfs_buf_addc(&path, '\0');
	rc = cfs_buf_add(&path, offset);
	if (rc == CFS_OK)
		rc = records_number_of(fs, cfs_buf_slice(&path), out);
	return rc;
}

/* CFS_ENOTFOUND if the folder's archive has no record of that name. */
static int lookup_record(struct cfs_fs *fs, uint32_t number, const char *name,
			 uint64_t *out, struct cfs_ctx ctx)
{
	struct cfs_slice text = cfs_slice_str(name);
	struct cfs_slice first = cfs_slice_split(&text, '.');
	struct cfs_slice path = records_path_of(fs, number);
	bool is_behind = cfs_slice_find(cfs_slice_str(name), '.') >= 0;
	struct cfs_file_bytes bytes;
	uint64_t offset, behind = 0;
	int rc;

	if (path.n < 2 || !records_read_number(first, &offset) ||
	    (is_behind && (!records_read_number(text, &behind) || behind == 0)))
		return CFS_ENOTFOUND;
	rc = cfs_record_at_load(records_crawl_of(fs,
						 path), cfs_slice_from(path, 1),
				offset, behind, &bytes, ctx);
	cfs_file_bytes_release(&bytes);
	if (rc == CFS_OK && !cfs_record_at_is_named(records_crawl_of(fs, path),
						    cfs_slice_from(path, 1),
						    offset, ctx.cancel))
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK && is_behind)
		rc = member_number(fs, path, first, &number);
	*out = file_ino(number, is_behind ? behind : offset);
	return rc;
}

int cfs_records_lookup(struct cfs_fs *fs, uint64_t parent, const char *name,
		       uint64_t *out, struct cfs_ctx ctx)
{
	uint32_t number = (uint32_t)(parent >> 8);
	CFS_BUF(path, CFS_URL_MAX);
	int rc = lookup_record(fs, number, name, out, ctx);

	if (rc != CFS_ENOTFOUND)
		return rc;
	cfs_error_clear(ctx.err);
	rc = child_path(fs, records_path_of(fs, number), name, &path);
	if (rc == CFS_OK && path.n > 1 &&
	    !cfs_record_at_is_path(records_crawl_of(fs, cfs_buf_slice(&path)),
				   cfs_slice_from(cfs_buf_slice(&path), 1)))
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = records_number_of(fs, cfs_buf_slice(&path), &number);
	*out = dir_ino(number);
	return rc == CFS_ELIMIT ? CFS_ENOTFOUND : rc;
}
