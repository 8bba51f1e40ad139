/* records.c - finds records by archive and offset.
 *
 * A path is kept as one byte, the number of its source plus 1, and the name
 * of the archive or folder; that of .crawlfs/records itself is empty.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "records.h"

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
static struct cfs_slice path_of(const struct cfs_fs *fs, uint32_t number)
{
	return number == 0 ? CFS_SLICE_EMPTY :
	       cfs_strtab_get(fs->record_paths, number - 1);
}

static int number_of(struct cfs_fs *fs, struct cfs_slice path, uint32_t *out)
{
	int rc = cfs_strtab_add_up_to(fs->record_paths, path,
				      CFS_RECORD_PATHS_MAX - 1, out);

	++*out;
	return rc == CFS_ELIMIT ? CFS_ENOTFOUND : rc;
}

/* The path of a folder in one of records' own. */
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

static struct cfs_crawl *crawl_of(const struct cfs_fs *fs, struct cfs_slice path)
{
	return fs->crawls[path.p[0] - 1];
}

int cfs_records_load(struct cfs_fs *fs, uint64_t ino,
		     struct cfs_file_bytes *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	uint32_t number = (uint32_t)(ino >> OFFSET_BITS) &
			  (CFS_RECORD_PATHS_MAX - 1);
	struct cfs_slice path = path_of(fs, number);

	if (path.n < 2)
		return cfs_error_set(err, CFS_ENOTFOUND, "no such archive");
	return cfs_record_at_load(crawl_of(fs, path), cfs_slice_from(path, 1),
				  ino & CFS_RECORD_OFFSET_MAX, out, cancel,
				  err);
}

/* CFS_ENOTFOUND: no record of that folder's archive has the name. */
static int lookup_record(struct cfs_fs *fs, uint32_t number, const char *name,
			 uint64_t *out, const struct cfs_cancel *cancel,
			 struct cfs_error *err)
{
	struct cfs_slice text = cfs_slice_str(name);
	struct cfs_file_bytes bytes;
	uint64_t offset;
	int rc;

	if (path_of(fs, number).n < 2 ||
	    (text.n > 1 && text.p[0] == '0') ||	/* one name each */
	    cfs_slice_parse_u64(text, CFS_RECORD_OFFSET_MAX, &offset) != CFS_OK)
		return CFS_ENOTFOUND;
	*out = file_ino(number, offset);
	rc = cfs_records_load(fs, *out, &bytes, cancel, err);
	cfs_file_bytes_release(&bytes);
	return rc;
}

int cfs_records_lookup(struct cfs_fs *fs, uint64_t parent, const char *name,
		       uint64_t *out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	uint32_t number = (uint32_t)(parent >> 8);
	struct cfs_buf path;
	int rc = lookup_record(fs, number, name, out, cancel, err);

	if (rc != CFS_ENOTFOUND)
		return rc;
	cfs_error_clear(err);
	cfs_buf_init(&path, CFS_URL_MAX);
	rc = child_path(fs, path_of(fs, number), name, &path);
	if (rc == CFS_OK && path.n > 1 &&
	    !cfs_record_at_is_path(crawl_of(fs, cfs_buf_slice(&path)),
				   cfs_slice_from(cfs_buf_slice(&path), 1)))
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = number_of(fs, cfs_buf_slice(&path), &number);
	cfs_buf_release(&path);
	*out = dir_ino(number);
	return rc == CFS_ELIMIT ? CFS_ENOTFOUND : rc;
}
