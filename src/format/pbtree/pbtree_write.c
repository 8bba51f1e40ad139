/* pbtree_write.c - writes a PB-tree as trivio's writer does, byte for byte.
 *
 * Spec: doc/formats.md, "PB-tree".
 *
 *     An item that does not fit into the rest of its data block opens a new
 *     block.  The separator, the new key cut after the first byte in which
 *     it differs from the key before it, goes into level 0 of the index.
 *     A separator that does not fit into its index block opens a new block,
 *     which begins by repeating the last pointer; the separator goes both
 *     into the new block and into the level above.  Blocks are padded with NUL.
 *
 * While the tree is written, pointers count the blocks of the level below from
 * 0.  In the end the levels are laid out, root first, and the block at which
 * the level below begins is added to each pointer.  Full blocks wait in
 * unlinked temporary files, one for the data and one for each level, so memory
 * is one block for each.
 *
 * Limits: CFS_PBTREE_LEVELS_MAX levels, CFS_SLOTS_MAX items in a block, 2^32
 * blocks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pbtree.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fileio.h"
#include "index/index.h"

/* The data or a level: the block being filled, and the full ones before it. */
struct spool {
	uint8_t *block;
	uint32_t used;
	uint64_t blocks;	/* full ones, in fd */
	int fd;			/* -1: no block is full yet */
	uint64_t pointer;	/* last one written: number of a block below,
				 * from 0 */
};

struct cfs_pbtree_writer {
	int fd;
	uint32_t block_bytes, value_bytes;
	const char *tmp_dir;
	struct spool data;
	uint32_t items;		/* in the data block */
	struct cfs_buf last_key;
	struct spool level[CFS_PBTREE_LEVELS_MAX];
	unsigned levels;
	bool failed;		/* part of an item may have been written */
};

/* --- places ----------------------------------------------------------- */

/* Takes a decimal number without leading zeros, and `end` behind it. */
static bool take_number(struct cfs_slice *s, const char *end, uint64_t max,
			uint64_t *out)
{
	ptrdiff_t n = cfs_slice_find(*s, end[0]);
	struct cfs_slice digits = cfs_slice_sub(*s, 0, n > 0 ? (size_t)n : 0);

	*s = cfs_slice_from(*s, digits.n);
	if (cfs_slice_parse_u64(digits, max, out) != CFS_OK ||
	    (digits.p[0] == '0' && digits.n > 1) ||
	    !cfs_slice_starts(*s, cfs_slice_str(end)))
		return false;
	*s = cfs_slice_from(*s, strlen(end));
	return true;
}

static struct cfs_slice without_last(struct cfs_slice path)
{
	ptrdiff_t slash = cfs_slice_rfind(path, '/');

	return cfs_slice_sub(path, 0, slash > 0 ? (size_t)slash : 0);
}

bool cfs_pbtree_place(struct cfs_slice name, struct cfs_pbtree_value *out,
		      size_t *folder_bytes)
{
	static const struct cfs_slice top = CFS_SLICE_LIT("segment");
	struct cfs_slice folder = without_last(without_last(name));
	struct cfs_slice rest = cfs_slice_from(name, folder.n);
	uint64_t partition;

	*out = (struct cfs_pbtree_value){ 0 };
	if (!cfs_slice_ends(folder, top) || !cfs_slice_starts(rest,
							CFS_SLICE_LIT("/")))
		return false;
	folder.n -= top.n;
	*folder_bytes = folder.n;
	rest = cfs_slice_from(rest, 1);
	if ((folder.n > 0 && folder.p[folder.n - 1] != '/') ||
	    !take_number(&rest, "/", UINT64_MAX, &out->segment) ||
	    !take_number(&rest, "_", UINT64_MAX, &out->date_ms) ||
	    !take_number(&rest, ".arc.gz", UINT32_MAX, &partition))
		return false;
	out->partition = (uint32_t)partition;
	return rest.n == 0;
}

/* --- files ------------------------------------------------------------ */

static int pbtree_write_write_all(int fd, const void *buf, size_t n,
				  uint64_t off, struct cfs_error *err)
{
	if (cfs_write_at(fd, buf, n, off) < n)
		return cfs_error_set(err, CFS_EIO, "cannot write PB-tree: %s",
				     strerror(errno));
	return CFS_OK;
}

static int pbtree_write_read_all(int fd, void *buf, size_t n, uint64_t off,
				 struct cfs_error *err)
{
	if (cfs_read_at(fd, buf, n, off) < n)
		return cfs_error_set(err, CFS_EIO, "cannot read back a"
				     " temporary file: %s",
				     errno != 0 ? strerror(errno)
						: "it is short");
	return CFS_OK;
}

/* --- spools ----------------------------------------------------------- */

static int spool_init(struct spool *s, uint32_t block_bytes,
		      struct cfs_error *err)
{
	*s = (struct spool){ .fd = -1 };
	s->block = calloc(1, block_bytes);
	return s->block != NULL ? CFS_OK : cfs_error_nomem(err);
}

static void spool_release(struct spool *s)
{
	if (s->block != NULL && s->fd >= 0)
		close(s->fd);
	free(s->block);
	s->block = NULL;
}

static void spool_add(struct spool *s, const void *p, size_t n)
{
	memcpy(s->block + s->used, p, n);
	s->used += (uint32_t)n;
}

/* Pads and puts away the block, and begins a new one. */
static int spool_flush(const struct cfs_pbtree_writer *w, struct spool *s,
		       struct cfs_error *err)
{
	int rc;

	if (s->fd < 0)
		s->fd = cfs_temp_file(w->tmp_dir);
	if (s->fd < 0)
		return cfs_error_set(err, CFS_EIO,
				     "cannot make a temporary file in '%s': %s",
				     w->tmp_dir, strerror(errno));
	rc = pbtree_write_write_all(s->fd, s->block, w->block_bytes,
				    s->blocks * w->block_bytes, err);
	if (rc != CFS_OK)
		return rc;
	s->blocks++;
	s->used = 0;
	memset(s->block, 0, w->block_bytes);
	return CFS_OK;
}

/* --- adding ----------------------------------------------------------- */

static void add_pointer(struct spool *l)
{
	uint8_t p[CFS_PBTREE_POINTER_BYTES];

	cfs_le32_put(p, (uint32_t)l->pointer);
	spool_add(l, p, sizeof(p));
}

static int push_level(struct cfs_pbtree_writer *w, struct cfs_error *err)
{
	struct spool *l = &w->level[w->levels];
	int rc;

	if (w->levels == CFS_PBTREE_LEVELS_MAX)
		return cfs_error_set(err, CFS_ELIMIT, "PB-tree blocks of %"
				     PRIu32 " bytes make more than %u levels",
				     w->block_bytes, CFS_PBTREE_LEVELS_MAX);
	rc = spool_init(l, w->block_bytes, err);
	if (rc != CFS_OK)
		return rc;
	w->levels++;
	add_pointer(l);
	return CFS_OK;
}

static uint32_t entry_bytes(struct cfs_slice separator)
{
	return (uint32_t)separator.n + 1 + CFS_PBTREE_POINTER_BYTES;
}

/* Adds the separator of a new block below level 0, whose keys are not less. */
static int pbtree_write_add_separator(struct cfs_pbtree_writer *w,
				      struct cfs_slice sep,
				      struct cfs_error *err)
{
	bool fits = false;

	for (unsigned i = 0; !fits; i++) {
		struct spool *l = &w->level[i];
		int rc = i < w->levels ? CFS_OK : push_level(w, err);

		if (rc != CFS_OK)
			return rc;
		fits = entry_bytes(sep) <= w->block_bytes - l->used;
		if (!fits) {
			rc = spool_flush(w, l, err);
			if (rc != CFS_OK)
				return rc;
			add_pointer(l);
		}
		spool_add(l, sep.p, sep.n);
		spool_add(l, "", 1);
		l->pointer++;
		add_pointer(l);
	}
	return CFS_OK;
}

static int check_item(const struct cfs_pbtree_writer *w, struct cfs_slice key,
		      struct cfs_slice value, struct cfs_error *err)
{
	if (w->failed)
		return cfs_error_set(err, CFS_EIO,
				     "writing the PB-tree failed before");
	if (value.n != w->value_bytes)
		return cfs_error_set(err, CFS_EUSAGE, "a value of %zu bytes in"
				     " a PB-tree of %" PRIu32, value.n,
				     w->value_bytes);
	if (key.n == 0 || memchr(key.p, '\0', key.n) != NULL)
		return cfs_error_set(err, CFS_EUSAGE,
				     "an empty key or one with a NUL");
	if (cfs_slice_cmp(key, cfs_buf_slice(&w->last_key)) < 0)
		return cfs_error_set(err, CFS_EUSAGE, "keys are out of order");
	if (key.n >= w->block_bytes - w->value_bytes)
		return cfs_error_set(err, CFS_ELIMIT, "a key of %zu bytes does"
				     " not fit a PB-tree block of %" PRIu32,
				     key.n, w->block_bytes);
	return CFS_OK;
}

static int new_block(struct cfs_pbtree_writer *w, struct cfs_slice key,
		     struct cfs_error *err)
{
	size_t common = cfs_slice_common(key, cfs_buf_slice(&w->last_key));
	struct cfs_slice sep = cfs_slice_sub(key, 0, common + 1);
	int rc;

	if (entry_bytes(sep) > w->block_bytes - CFS_PBTREE_POINTER_BYTES)
		return cfs_error_set(
			err, CFS_ELIMIT,
			"a separator of %zu bytes"
			" does not fit a PB-tree block of %" PRIu32,
			sep.n, w->block_bytes);
	rc = spool_flush(w, &w->data, err);
	if (rc == CFS_OK)
		rc = pbtree_write_add_separator(w, sep, err);
	w->failed = rc != CFS_OK;
	w->items = 0;
	return rc;
}

int cfs_pbtree_writer_add(struct cfs_pbtree_writer *w, struct cfs_slice key,
			  struct cfs_slice value, struct cfs_error *err)
{
	int rc = check_item(w, key, value, err);

	if (rc != CFS_OK)
		return rc;
	if (key.n + 1 + value.n > w->block_bytes - w->data.used)
		rc = new_block(w, key, err);
	else if (w->items == CFS_SLOTS_MAX)
		rc = cfs_error_set(err, CFS_ELIMIT, "more than %u items in a"
				   " PB-tree block", CFS_SLOTS_MAX);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_reset(&w->last_key);
	if (cfs_buf_add(&w->last_key, key) != CFS_OK) {
		w->failed = true;
		return cfs_error_nomem(err);
	}
	spool_add(&w->data, key.p, key.n);
	spool_add(&w->data, "", 1);
	spool_add(&w->data, value.p, value.n);
	w->items++;
	return CFS_OK;
}

/* --- finishing -------------------------------------------------------- */

/* Adds `base` to every pointer of an index block. */
static void move_pointers(uint8_t *block, uint32_t block_bytes, uint32_t base)
{
	uint32_t at = 0;

	for (;;) {
		const uint8_t *nul;

		cfs_le32_put(block + at, cfs_le32_get(block + at) + base);
		at += CFS_PBTREE_POINTER_BYTES;
		if (at == block_bytes || block[at] == '\0')
			return;
		nul = memchr(block + at, '\0', block_bytes - at);
		assert(nul != NULL);		/* as written by us */
		at = (uint32_t)(nul - block) + 1;
	}
}

/* Copies the data, or a level whose next level begins at block `next`, to block
 * `at` of the file. */
static int lay_blocks(struct cfs_pbtree_writer *w, struct spool *s, uint64_t at,
		      uint64_t next, struct cfs_error *err)
{
	int rc = CFS_OK;

	for (uint64_t i = 0; rc == CFS_OK && i < s->blocks; i++) {
		rc = pbtree_write_read_all(s->fd, s->block, w->block_bytes,
					   i * w->block_bytes, err);
		if (rc != CFS_OK)
			break;
		if (s != &w->data)
			move_pointers(s->block, w->block_bytes, (uint32_t)next);
		rc = pbtree_write_write_all(w->fd, s->block, w->block_bytes,
					    CFS_PBTREE_HEADER_BYTES +
					    (at + i) * w->block_bytes, err);
	}
	return rc;
}

int cfs_pbtree_writer_finish(struct cfs_pbtree_writer *w, uint64_t *file_bytes,
			     struct cfs_error *err)
{
	uint64_t index_blocks = 0, at = 0;
	uint8_t head[CFS_PBTREE_HEADER_BYTES];
	int rc = CFS_OK;

	if (w->failed)
		return cfs_error_set(err, CFS_EIO,
				     "writing the PB-tree failed before");
	w->failed = true;			/* not usable again */
	if (w->data.used > 0)
		rc = spool_flush(w, &w->data, err);
	for (unsigned i = 0; rc == CFS_OK && i < w->levels; i++) {
		rc = spool_flush(w, &w->level[i], err);
		index_blocks += w->level[i].blocks;
	}
	if (rc == CFS_OK && index_blocks + w->data.blocks > UINT32_MAX)
		rc = cfs_error_set(err, CFS_ELIMIT,
				   "a PB-tree of %" PRIu64 " blocks",
				   index_blocks + w->data.blocks);
	for (unsigned i = w->levels; rc == CFS_OK && i-- > 0;) {
		uint64_t next = at + w->level[i].blocks;

		rc = lay_blocks(w, &w->level[i], at, next, err);
		at = next;
	}
	if (rc == CFS_OK)
		rc = lay_blocks(w, &w->data, index_blocks, 0, err);
	cfs_le32_put(head, w->block_bytes);
	cfs_le32_put(head + 4, (uint32_t)index_blocks);
	if (rc == CFS_OK)
		rc = pbtree_write_write_all(w->fd, head, sizeof(head), 0, err);
	if (rc == CFS_OK && file_bytes != NULL)
		*file_bytes = CFS_PBTREE_HEADER_BYTES +
			(index_blocks + w->data.blocks) * w->block_bytes;
	return rc;
}

int cfs_pbtree_writer_new(struct cfs_pbtree_writer **out, int fd,
			  uint32_t block_bytes, uint32_t value_bytes,
			  const char *tmp_dir, struct cfs_error *err)
{
	struct cfs_pbtree_writer *w;
	int rc;

	*out = NULL;
	if (block_bytes < CFS_PBTREE_BLOCK_MIN ||
	    block_bytes > CFS_PBTREE_BLOCK_MAX || value_bytes == 0 ||
	    value_bytes >= block_bytes)
		return cfs_error_set(err, CFS_EUSAGE, "PB-tree blocks of %"
				     PRIu32 " bytes with values of %" PRIu32,
				     block_bytes, value_bytes);
	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return cfs_error_nomem(err);
	w->fd = fd;
	w->block_bytes = block_bytes;
	w->value_bytes = value_bytes;
	cfs_buf_init(&w->last_key, block_bytes);
	w->tmp_dir = tmp_dir != NULL ? tmp_dir : P_tmpdir;
	rc = spool_init(&w->data, block_bytes, err);
	if (rc == CFS_OK)
		rc = push_level(w, err);
	if (rc == CFS_OK) {
		*out = w;
		w = NULL;		/* now the caller's */
	}
	cfs_pbtree_writer_free(w);
	return rc;
}

void cfs_pbtree_writer_free(struct cfs_pbtree_writer *w)
{
	if (w == NULL)
		return;
	spool_release(&w->data);
	for (unsigned i = 0; i < w->levels; i++)
		spool_release(&w->level[i]);
	cfs_buf_release(&w->last_key);
	free(w);
}
