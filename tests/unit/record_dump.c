/* record_dump.c - prints what the scanner finds, as record_ref.py does.
 *
 *     record_dump FILE
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "record/scan.h"
#include "tests/program.h"

static const char *type_name(const struct cfs_record *r)
{
	static const char *const names[] = { "unknown", "filedesc", "arc",
		"warcinfo", "response", "resource", "request", "metadata",
		"revisit", "conversion", "continuation" };

	return names[r->type];
}

static int show(void *arg, const struct cfs_scan_item *item)
{
	const struct cfs_record *r = item->record;

	(void)arg;
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %u %" PRId64
	       " %08lx %zu ", item->span.offset, item->span.length, item->span.inner_offset,
	       item->span.inner_length, type_name(r), r->status, r->time_ms,
	       crc32_z(0, r->body.p, r->body.n), r->body.n);
	for (size_t i = 0; i < r->url.n; i++)
		printf(r->url.p[i] >= 33 && r->url.p[i] < 127 ? "%c" : "%%%02X",
		       r->url.p[i]);
	printf("\n");
	if (r->is_cut || r->body_is_damaged)
		fprintf(stderr, "record at %" PRIu64 " is %s\n", item->span.offset,
			r->is_cut ? "cut" : "damaged");
	return 0;
}

static void damaged(void *arg, const struct cfs_error *what)
{
	(void)arg;
	fprintf(stderr, "damaged: offset %" PRIu64 ": %s\n", what->offset,
		what->text);
}

PROGRAM(argc, argv)
{
	struct cfs_scan_opts opts = { .damaged = damaged };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_scan_counts n;
	struct cfs_source *src;
	int rc;

	if (argc < 2)
		return 2;
	rc = cfs_source_open_file(&src, argv[1], &err);
	if (rc == CFS_OK)
		rc = cfs_scan_archive(src, &opts, show, &n, &err);
	if (rc != CFS_OK)
		fprintf(stderr, "%s: offset %" PRIu64 ": %s\n", err.where,
			err.offset, err.text);
	else
		fprintf(stderr, "%" PRIu64 " records, %" PRIu64 " members, %"
			PRIu64 " damages, %" PRIu64 " bytes\n", n.records,
			n.members, n.damaged, n.inflated_bytes);
	cfs_source_close(src);
	return rc != CFS_OK;
}
