/* pbtree_helper.c - writes a PB-tree of given entries, for pbtree_test.sh.
 *
 *     pbtree_helper BLOCK-BYTES ITEMS TREE
 *
 * ITEMS: for each item u32 LE key length, key, 32 bytes of value, in the
 * order of the keys (the layout of tests/pbtree_ref.py).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "format/pbtree/pbtree_format.h"
#include "format/pbtree/pbtree.h"
#include "source/source.h"
#include "tests/program.h"

#define ITEMS_MAX (1u << 28)

static int write_tree(struct cfs_slice items, uint32_t block_bytes, int fd,
		      struct cfs_error *err)
{
	struct cfs_pbtree_writer *w = NULL;
	uint64_t bytes = 0;
	int rc = cfs_pbtree_writer_new(&w, fd, block_bytes,
				       CFS_PBTREE_VALUE_BYTES, "/tmp", err);

	while (rc == CFS_OK && items.n >= 4) {
		size_t n = items.p[0] | (size_t)items.p[1] << 8 |
			   (size_t)items.p[2] << 16 | (size_t)items.p[3] << 24;
		struct cfs_slice rest = cfs_slice_from(items, 4);

		if (rest.n < n + CFS_PBTREE_VALUE_BYTES) {
			rc = cfs_error_set(err, CFS_EFORMAT, "items break off");
			break;
		}
		rc = cfs_pbtree_writer_add(w, cfs_slice_sub(rest, 0, n),
			cfs_slice_sub(rest, n, CFS_PBTREE_VALUE_BYTES), err);
		items = cfs_slice_from(rest, n + CFS_PBTREE_VALUE_BYTES);
	}
	if (rc == CFS_OK)
		rc = cfs_pbtree_writer_finish(w, &bytes, err);
	cfs_pbtree_writer_free(w);
	return rc;
}

PROGRAM(argc, argv)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src = NULL;
	uint8_t *bytes = NULL;
	uint64_t block = 0;
	char line[512];
	int fd, rc;

	if (argc != 4 || cfs_slice_parse_u64(cfs_slice_str(argv[1]), 1u << 20,
					     &block) != CFS_OK)
		return 2;
	rc = cfs_source_open_file(&src, argv[2], &err);
	if (rc == CFS_OK && (src->size == 0 || src->size > ITEMS_MAX))
		rc = cfs_error_set(&err, CFS_ELIMIT, "no or too many items");
	if (rc == CFS_OK)
		bytes = malloc((size_t)src->size);
	if (rc == CFS_OK && bytes == NULL)
		rc = cfs_error_set(&err, CFS_ENOMEM, "out of memory");
	if (rc == CFS_OK)
		rc = cfs_source_read(src, bytes, (size_t)src->size, 0,
				     CFS_CTX(NULL, &err));
	fd = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (rc == CFS_OK && fd < 0)
		rc = cfs_error_set(&err, CFS_EIO, "cannot write the tree");
	if (rc == CFS_OK)
		rc = write_tree(cfs_slice_of(bytes, (size_t)src->size),
				(uint32_t)block, fd, &err);
	if (rc != CFS_OK) {
		cfs_error_line(&err, line, sizeof(line));
		fprintf(stderr, "pbtree_helper: %s\n", line);
	}
	free(bytes);
	cfs_source_close(src);
	if (fd >= 0)
		close(fd);
	return rc == CFS_OK ? 0 : 1;
}
