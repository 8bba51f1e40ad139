/* view_fixture.h - a record made of a document, and its view as a string.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_VIEW_FIXTURE_H
#define CFS_TESTS_VIEW_FIXTURE_H

#include "unit.h"

#include "view/view.h"

#define FIXTURE_FIELDS_MAX 16

struct fixture {
	struct cfs_record r;
	struct cfs_field http[FIXTURE_FIELDS_MAX], warc[FIXTURE_FIELDS_MAX];
	struct cfs_view_input in;
};

/* A WARC response of http://host/dir/page; type NULL: no Content-Type. */
static inline void fixture_page(struct fixture *f, const char *type,
				const void *body, size_t n)
{
	*f = (struct fixture){ 0 };
	f->r.format = CFS_ARCHIVE_WARC;
	f->r.type = CFS_RECORD_RESPONSE;
	f->r.url = CFS_SLICE_LIT("http://host/dir/page");
	f->r.mime = f->r.ip = f->r.all = f->r.head = f->r.block = CFS_SLICE_EMPTY;
	f->r.has_http = true;
	f->r.status = 200;
	f->r.status_line = CFS_SLICE_LIT("HTTP/1.1 200 OK");
	f->r.http_head = CFS_SLICE_EMPTY;
	f->r.http.v = f->http;
	f->r.warc.v = f->warc;
	f->r.body = f->r.stored_body = cfs_slice_of(body, n);
	if (type != NULL)
		f->http[f->r.http.n++] = (struct cfs_field){
			CFS_SLICE_LIT("Content-Type"), cfs_slice_str(type) };
	f->in.record = &f->r;
	f->in.url = f->r.url;
	f->in.archive_name = CFS_SLICE_LIT("a.warc.gz");
}

static inline void fixture_field(struct cfs_fields *f, const char *name,
				 const char *value)
{
	assert_true(f->n < FIXTURE_FIELDS_MAX);
	f->v[f->n++] = (struct cfs_field){ cfs_slice_str(name),
					   cfs_slice_str(value) };
}

/* The rendered view, NUL-terminated, for free(); *n its length. */
static inline char *fixture_view(const struct fixture *f, enum cfs_view view,
				 bool compact, size_t *n)
{
	struct cfs_view_opts opts = { .meta_compact = compact };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf out;

	cfs_buf_init(&out, (size_t)1 << 30);
	assert_int_equal(cfs_view_render(view, &f->in, &opts, &out,
					 CFS_CTX(NULL, &err)),
			 CFS_OK);
	assert_int_equal(cfs_buf_addc(&out, 0), CFS_OK);
	if (n != NULL)
		*n = out.n - 1;
	return (char *)out.p;
}

#endif
