/* meta_dump.c - the .meta of records that lie in files of their own.
 *
 *     meta_dump < LIST
 *
 * A line of LIST: FILE ARCHIVE OFFSET LENGTH, with tabs between them.  FILE
 * holds one record, not compressed; the others say where it is to come from.
 * Prints the compact form, one line a record, and at the end, on stderr, the
 * most memory it ever had: "VmHWM:    1234 kB".  (The test program of
 * meta2012.py and meta_hostile.py.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/arc.h"
#include "record/parse.h"
#include "source/source.h"
#include "view/view.h"
#include "tests/program.h"

static struct cfs_slice field(struct cfs_slice *line)
{
	ptrdiff_t at = cfs_slice_find(*line, '\t');
	size_t n = at < 0 ? line->n : (size_t)at;
	struct cfs_slice out = cfs_slice_sub(*line, 0, n);

	*line = cfs_slice_from(*line, n + 1);
	return out;
}

static int read_file(const char *path, struct cfs_buf *bytes,
		     struct cfs_error *err)
{
	struct cfs_source *src;
	uint64_t size;
	int rc = cfs_source_open_file(&src, path, err);

	if (rc != CFS_OK)
		return rc;
	size = src->size;
	rc = cfs_buf_reserve(bytes, (size_t)size);
	if (rc == CFS_OK)
		rc = cfs_source_read(src, bytes->p, (size_t)size, 0,
				     CFS_CTX(NULL, err));
	if (rc == CFS_OK)
		bytes->n = (size_t)size;
	cfs_source_close(src);
	return rc;
}

static int show(struct cfs_slice line, struct cfs_error *err)
{
	struct cfs_record_limits limits = { CFS_RECORD_MAX_DEFAULT, NULL };
	struct cfs_view_opts opts = { .meta_compact = true };
	struct cfs_view_input in = { .no_body_reason = NULL };
	struct cfs_record r = { 0 };
	struct cfs_buf path, bytes, out;
	unsigned flags;
	int rc;

	cfs_buf_init(&path, 4096);
	cfs_buf_init(&bytes, (size_t)1 << 30);
	cfs_buf_init(&out, (size_t)1 << 30);
	cfs_buf_add(&path, field(&line));
	in.archive_name = field(&line);
	cfs_slice_parse_u64(field(&line), UINT64_MAX, &in.loc.offset);
	cfs_slice_parse_u64(field(&line), UINT64_MAX, &in.loc.length);
	flags = cfs_arc_is_common_crawl_name(in.archive_name)
			? CFS_PARSE_COMMON_CRAWL : 0;
	rc = read_file(cfs_buf_str(&path), &bytes, err);
	if (rc == CFS_OK)
		rc = cfs_record_parse(&r, cfs_buf_slice(&bytes), flags, &limits,
				      NULL, err);
	in.record = &r;
	in.url = r.url;
	if (rc == CFS_OK)
		rc = cfs_view_render(CFS_VIEW_META, &in, &opts, &out,
				     CFS_CTX(NULL, err));
	if (rc == CFS_OK && fwrite(out.p, 1, out.n, stdout) != out.n)
		rc = CFS_EIO;
	cfs_record_release(&r);
	cfs_buf_release(&path);
	cfs_buf_release(&bytes);
	cfs_buf_release(&out);
	return rc;
}

static void show_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			fputs(line, stderr);
	if (f != NULL)
		fclose(f);
}

PROGRAM(argc, argv)
{
	static char line[8192];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct cfs_error err = CFS_ERROR_INIT;

		line[strcspn(line, "\n")] = '\0';
		if (show(cfs_slice_str(line), &err) != CFS_OK) {
			fprintf(stderr, "%s: %s\n", line, err.text);
			return 1;
		}
	}
	show_memory();
	return fflush(stdout) == 0 ? 0 : 1;
}
