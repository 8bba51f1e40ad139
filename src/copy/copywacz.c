/* copywacz.c - what a WACZ has besides its archive: a list of pages, an index
 * and the hashes of all.
 *
 * Spec: WACZ 1.1.1 (specs.webrecorder.net); doc/formats.md, "WACZ".  The ZIP
 * file has, all of it stored:
 *
 *     archive/data.warc.gz     the records
 *     pages/pages.jsonl        {"format": "json-pages-1.0", "id": "pages",
 *                              "title": "All Pages"}
 *                              {"id", "url", "ts", "title"} of each HTML page
 *                              that a server answered with status 200, in the
 *                              order of the archive; "title" where it has one
 *     indexes/                 copycdx.c
 *     datapackage.json         names, sizes and SHA-256 of these
 *     datapackage-digest.json  the SHA-256 of datapackage.json
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "base/hex.h"
#include "copy_internal.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "format/cdx/cdx_line_write.h"
#include "indexing/indexer_record.h"
#include "record/scan.h"
#include "source/zip_write.h"
#include "url/url.h"
#include "view/doc.h"

#define ARCHIVE_MEMBER "archive/" CFS_COPYWACZ_ARCHIVE
#define PAGES_MEMBER "pages/pages.jsonl"
#define PACKAGE_MEMBER "datapackage.json"
#define PACKAGE_DIGEST_MEMBER "datapackage-digest.json"
/* A line of the list of pages: every byte of URL and title may become six. */
#define PAGE_MAX ((size_t)6 * (CFS_URL_MAX + CFS_TITLE_MAX) + 1024)
#define COPYWACZ_FIELD_MAX ((size_t)1 << 20)
#define PACKAGE_MAX ((size_t)1 << 20)

/* The scan of the archive. */
struct wacz_look {
	const struct cfs_copy_opts *opts;
	struct cfs_zip_writer *zip;
	struct cfs_copycdx *cdx;
	struct cfs_buf digest, redirect;	/* of a line */
	struct cfs_buf page, title;
	uint64_t done, total;		/* bytes of the archive */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	struct cfs_error *err;
};

/* ---- the list of pages -------------------------------------------------- */

static int wacz_begin_pages(struct wacz_look *l)
{
	int rc = cfs_zip_writer_begin(l->zip, PAGES_MEMBER, l->err);

	return rc != CFS_OK ? rc : cfs_zip_writer_add(l->zip, CFS_SLICE_LIT(
		"{\"format\": \"json-pages-1.0\", \"id\": \"pages\", "
		"\"title\": \"All Pages\"}\n"), l->err);
}

/* Appends the line of a page.  Its id is made of its URL and its place, so that
 * two runs give equal bytes. */
static void wacz_add_page(struct cfs_buf *out,
			  const struct cfs_builder_capture *c,
			  struct cfs_slice title)
{
	char t[CFS_TIME_ISO_BYTES];

	cfs_buf_addf(out, "{\"id\": \"%016" PRIx64 "\", \"url\": ",
		     cfs_hash64(c->url, c->span.offset + 1));
	cfs_json_add_ascii(out, c->url, CFS_JSON_ODD_PERCENT);
	if (c->time != 0)
		cfs_buf_addf(out, ", \"ts\": \"%s\"",
			     cfs_time_format_iso(c->time, t));
	cfs_cdx_add_field(out, "title", title);
	cfs_buf_adds(out, "}\n");
}

static int wacz_look_at_page(struct wacz_look *l,
			     const struct cfs_record *record,
			     const struct cfs_builder_capture *c)
{
	struct cfs_view_input in = { .record = record };
	struct cfs_doc doc;
	int rc;

	if (c->kind != CFS_KIND_RESPONSE || c->status != 200)
		return CFS_OK;
	cfs_doc_find(&in, &doc);
	if (doc.kind != CFS_DOC_HTML)
		return CFS_OK;
	cfs_buf_reset(&l->page);
	cfs_buf_reset(&l->title);
	rc = cfs_view_title(&doc, &l->title, CFS_CTX(l->opts->cancel, l->err));
	if (rc != CFS_OK)
		return rc;
	wacz_add_page(&l->page, c, cfs_buf_slice(&l->title));
	return l->page.failed != CFS_OK ? cfs_error_nomem(l->err) :
	       cfs_zip_writer_add(l->zip, cfs_buf_slice(&l->page), l->err);
}

/* ---- going through the archive ------------------------------------------ */

static int wacz_on_record(void *arg, const struct cfs_scan_item *item)
{
	struct cfs_builder_capture c;
	struct wacz_look *l = arg;
	int rc;

	if (!cfs_indexer_capture(item, &c))
		return CFS_OK;
	cfs_buf_reset(&l->redirect);
	if (cfs_indexer_line(item, &c, &l->digest, &l->redirect) != CFS_OK)
		return cfs_error_nomem(l->err);
	rc = cfs_copycdx_add(l->cdx, &c, l->err);
	return rc == CFS_OK ? wacz_look_at_page(l, item->record, &c) : rc;
}

static void wacz_on_advance(void *arg, uint64_t bytes)
{
	struct wacz_look *l = arg;

	l->done += bytes;
	if (l->progress != NULL)
		l->progress(l->arg, l->done, l->total);
}

static int wacz_scan(struct wacz_look *l, const struct cfs_copywacz_part *part)
{
	struct cfs_scan_opts so = { .cancel = l->opts->cancel, .arg = l,
		.max_record_bytes = l->opts->max_record_bytes,
		.advanced = wacz_on_advance };
	struct cfs_scan_counts counts;
	size_t lead = cfs_copywacz_lead_bytes();
	struct cfs_source *src;
	int rc = cfs_source_open_file(&src, part->path, l->err);

	if (rc == CFS_OK)
		rc = cfs_source_open_window(&src, src, lead, part->end - lead,
					    part->path, l->err);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_scan_archive(src, &so, wacz_on_record, &counts, l->err);
	cfs_source_close(src);
	return rc;
}

/* ---- the package -------------------------------------------------------- */

static void wacz_add_sha256(struct cfs_buf *out, const uint8_t *v)
{
	cfs_buf_adds(out, "sha256:");
	cfs_hex_add(out, v, CFS_ZIP_SHA256);
}

/* Writes a member whose bytes are all there. */
static int wacz_put_member(struct cfs_zip_writer *zip, const char *name,
			   const struct cfs_buf *b, struct cfs_error *err)
{
	int rc = b->failed == CFS_OK ? cfs_zip_writer_begin(zip, name, err) :
				       cfs_error_nomem(err);

	if (rc == CFS_OK)
		rc = cfs_zip_writer_add(zip, cfs_buf_slice(b), err);
	return rc == CFS_OK ? cfs_zip_writer_end(zip, err) : rc;
}

static void wacz_list_members(struct cfs_json *j, struct cfs_zip_writer *zip)
{
	size_t n;
	const struct cfs_zip_written *v = cfs_zip_writer_members(zip, &n);
	CFS_BUF(hash, COPYWACZ_FIELD_MAX);

	cfs_json_key(j, CFS_SLICE_LIT("resources"));
	cfs_json_open(j, '[');
	for (size_t i = 0; i < n; i++) {
		cfs_buf_reset(&hash);
		wacz_add_sha256(&hash, v[i].sha256);
		cfs_json_item(j);
		cfs_json_open(j, '{');
		cfs_json_put_str(j, "name",
				 cfs_slice_str(strrchr(v[i].name, '/') + 1));
		cfs_json_put_str(j, "path", cfs_slice_str(v[i].name));
		cfs_json_put_str(j, "hash", cfs_buf_slice(&hash));
		cfs_json_put_int(j, "bytes", (int64_t)v[i].bytes);
		cfs_json_close(j, '}');
	}
	cfs_json_close(j, ']');
}

/* Writes datapackage.json and its digest. */
static int wacz_put_package(const struct cfs_copy_opts *opts,
			    struct cfs_zip_writer *zip, struct cfs_error *err)
{
	char t[CFS_TIME_ISO_BYTES];
	CFS_BUF(text, PACKAGE_MAX);
	CFS_BUF(digest, PACKAGE_MAX);
	struct cfs_json j = { .out = &text };
	const struct cfs_zip_written *v;
	size_t n;
	int rc;

	cfs_time_format_iso(opts->time, t);
	cfs_json_open(&j, '{');
	cfs_json_put_str(&j, "profile", CFS_SLICE_LIT("data-package"));
	cfs_json_put_str(&j, "wacz_version", CFS_SLICE_LIT("1.1.1"));
	cfs_json_put_str(&j, "created", cfs_slice_str(t));
	cfs_json_put_str(&j, "software",
			 CFS_SLICE_LIT("crawlfs " PACKAGE_VERSION));
	wacz_list_members(&j, zip);
	cfs_json_close(&j, '}');
	cfs_buf_addc(&text, '\n');
	rc = wacz_put_member(zip, PACKAGE_MEMBER, &text, err);
	v = cfs_zip_writer_members(zip, &n);
	cfs_buf_adds(&digest, "{\"path\": \"" PACKAGE_MEMBER "\", \"hash\": \"");
	if (rc == CFS_OK)
		wacz_add_sha256(&digest, v[n - 1].sha256);
	cfs_buf_adds(&digest, "\"}\n");
	if (rc == CFS_OK)
		rc = wacz_put_member(zip, PACKAGE_DIGEST_MEMBER, &digest, err);
	return rc;
}

/* ---- all of it ---------------------------------------------------------- */

void cfs_copywacz_add_lead(struct cfs_buf *out, int64_t time)
{
	cfs_zip_add_header(out, ARCHIVE_MEMBER, time);
}

size_t cfs_copywacz_lead_bytes(void)
{
	return CFS_ZIP_HEADER_BYTES + sizeof(ARCHIVE_MEMBER) - 1;
}

/* Adds pages and index to the WACZ, of which l->zip has the archive. */
static int wacz_put_lists(struct wacz_look *l,
			  const struct cfs_copywacz_part *part)
{
	int rc = wacz_begin_pages(l);

	if (rc == CFS_OK)
		rc = cfs_copycdx_new(&l->cdx, CFS_COPYWACZ_ARCHIVE,
				     part->tmp_dir,
				     CFS_CTX(l->opts->cancel, l->err));
	if (rc == CFS_OK)
		rc = wacz_scan(l, part);
	if (rc == CFS_OK)
		rc = cfs_zip_writer_end(l->zip, l->err);
	if (rc == CFS_OK)
		rc = cfs_copycdx_write(l->cdx, l->zip, l->progress, l->arg,
				       l->err);
	cfs_copycdx_free(l->cdx);
	return rc;
}

int cfs_copywacz_complete(const struct cfs_copy_opts *opts,
			  const struct cfs_copywacz_part *part,
			  void (*progress)(void *arg, uint64_t done,
					   uint64_t total),
			  void *arg, uint64_t *bytes, struct cfs_error *err)
{
	uint64_t n = part->end - cfs_copywacz_lead_bytes();
	struct wacz_look l = { .opts = opts, .total = n, .progress = progress,
			       .arg = arg, .err = err };
	int rc = cfs_zip_writer_new(&l.zip, part->fd, part->path, 0, opts->time,
				    err);

	cfs_buf_init(&l.digest, COPYWACZ_FIELD_MAX);
	cfs_buf_init(&l.redirect, COPYWACZ_FIELD_MAX);
	cfs_buf_init(&l.page, PAGE_MAX);
	cfs_buf_init(&l.title, 2 * CFS_TITLE_MAX);
	if (rc == CFS_OK)
		rc = cfs_zip_writer_adopt(l.zip, ARCHIVE_MEMBER, n,
					  CFS_CTX(opts->cancel, err));
	if (rc == CFS_OK)
		rc = wacz_put_lists(&l, part);
	if (rc == CFS_OK)
		rc = wacz_put_package(opts, l.zip, err);
	if (rc == CFS_OK)
		rc = cfs_zip_writer_finish(l.zip, bytes, err);
	cfs_buf_release(&l.digest);
	cfs_buf_release(&l.redirect);
	cfs_buf_release(&l.page);
	cfs_buf_release(&l.title);
	cfs_zip_writer_free(l.zip);
	return rc;
}
