/* views.c - how fast views are made, against a bare Gumbo parse.
 *
 *     views MODE SECONDS FILE...
 *
 * Each FILE is an HTML document.  MODE is txt, meta or md (the views), gumbo (a
 * parse as anyone would write it: gumbo_parse, gumbo_destroy_output) or quiet
 * (the same without keeping a list of errors).  Prints "DOCUMENTS BYTES
 * SECONDS": of processor time, of whole rounds over all files, until at least
 * SECONDS are used.
 *
 *     views dump txt|meta|md FILE      the view itself
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config.h"
#ifdef HAVE_GUMBO
#include <gumbo.h>
#endif

#include "view/view.h"
#include "tests/program.h"

struct doc {
	uint8_t *p;
	size_t n;
};

static void die(const char *what)
{
	fprintf(stderr, "views: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct doc load(const char *path)
{
	struct doc d = { NULL, 0 };
	FILE *f = fopen(path, "rb");
	size_t cap = 1 << 16, got;

	d.p = malloc(cap);
	if (f == NULL || d.p == NULL)
		die(path);
	while ((got = fread(d.p + d.n, 1, cap - d.n, f)) > 0) {
		d.n += got;
		if (d.n == cap && (d.p = realloc(d.p, cap *= 2)) == NULL)
			die(path);
	}
	fclose(f);
	return d;
}

static void render(struct doc d, enum cfs_view view, struct cfs_buf *out)
{
	struct cfs_field type = { CFS_SLICE_LIT("Content-Type"),
				  CFS_SLICE_LIT("text/html") };
	struct cfs_record r = {
		.format = CFS_ARCHIVE_WARC, .type = CFS_RECORD_RESPONSE,
		.has_http = true, .status = 200, .http = { &type, 1 },
	};
	struct cfs_view_opts opts = { 0 };
	struct cfs_view_input in = {
		.record = &r, .url = CFS_SLICE_LIT("http://host.example/page"),
	};

	r.url = in.url;
	r.ip = r.mime = r.head = r.status_line = r.http_head = CFS_SLICE_EMPTY;
	r.body = r.stored_body = r.all = r.block = cfs_slice_of(d.p, d.n);
	cfs_buf_reset(out);
	if (cfs_view_render(view, &in, &opts, out,
			    CFS_CTX(NULL, NULL)) != CFS_OK) {
		errno = EIO;
		die("render");
	}
}

static void parse(const char *mode, struct doc d)
{
#ifdef HAVE_GUMBO
	GumboOptions o = kGumboDefaultOptions;

	if (strcmp(mode, "quiet") == 0)
		o.max_errors = 0;
	gumbo_destroy_output(&o, gumbo_parse_with_options(&o, (char *)d.p, d.n));
#else
	(void)d;
	errno = ENOSYS;
	die(mode);
#endif
}

static enum cfs_view view_of(const char *mode)
{
	return cfs_view_by_name(cfs_slice_str(mode));
}

static void once(const char *mode, struct doc d, struct cfs_buf *out)
{
	if (view_of(mode) != CFS_VIEW_NONE)
		render(d, view_of(mode), out);
	else
		parse(mode, d);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

PROGRAM(argc, argv)
{
	size_t n = 0, bytes = 0;
	struct cfs_buf out;
	struct doc *docs;
	double start, limit;
	int rc;

	cfs_buf_init(&out, (size_t)1 << 30);
	if (argc == 4 && strcmp(argv[1], "dump") == 0) {
		struct doc d = load(argv[3]);
		size_t wrote;

		render(d, view_of(argv[2]), &out);
		wrote = out.n == 0 ? 0 : fwrite(out.p, 1, out.n, stdout);
		rc = wrote == out.n ? 0 : 1;
		free(d.p);
		cfs_buf_release(&out);
		return rc;
	}
	if (argc < 4) {
		fprintf(stderr, "usage: views MODE SECONDS FILE...\n");
		return 2;
	}
	limit = strtod(argv[2], NULL);
	docs = calloc((size_t)argc, sizeof(*docs));
	if (docs == NULL)
		die("memory");
	for (int i = 3; i < argc; i++)
		docs[i] = load(argv[i]);
	for (int i = 3; i < argc; i++)
		once(argv[1], docs[i], &out);		/* warm */
	start = seconds();
	do {
		for (int i = 3; i < argc; i++) {
			once(argv[1], docs[i], &out);
			bytes += docs[i].n;
			n++;
		}
	} while (seconds() - start < limit);
	printf("%zu %zu %.6f\n", n, bytes, seconds() - start);
	for (int i = 3; i < argc; i++)
		free(docs[i].p);
	free(docs);
	cfs_buf_release(&out);
	return 0;
}
