/* seqfile_dump.c - prints what seqfile.c finds in a file, a line a pair:
 *
 *     OFFSET LENGTH NUMBER KEY-BYTES KEY-CRC VALUE-BYTES VALUE-CRC
 *
 * seqfile_ref.py prints the same.  Damage goes to stderr.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

#include "record/seqscan.h"
#include "tests/program.h"

static int on_pair(void *arg, const struct cfs_seq_item *i)
{
	(void)arg;
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %zu %08lx %zu %08lx\n",
	       i->span.offset, i->span.length, i->span.inner_offset, i->key.n,
	       crc32_z(0, i->key.p, i->key.n), i->value.n,
	       crc32_z(0, i->value.p, i->value.n));
	return 0;
}

static void on_damage(void *arg, const struct cfs_error *e)
{
	(void)arg;
	fprintf(stderr, "damaged: %" PRIu64 ": %s\n", e->offset, e->text);
}

PROGRAM(argc, argv)
{
	struct cfs_scan_opts opts = { .damaged = on_damage };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_source *src;
	int rc;

	if (argc != 2)
		return 2;
	rc = cfs_source_open_file(&src, argv[1], &e);
	if (rc == CFS_OK) {
		rc = cfs_seq_scan(src, &opts, on_pair, NULL, &e);
		cfs_source_close(src);
	}
	if (rc != CFS_OK)
		fprintf(stderr, "%s: %s\n", cfs_code_name(rc), e.text);
	return rc == CFS_OK ? 0 : 1;
}
