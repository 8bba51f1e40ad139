/* download.c - a folder or page of the tree as one archive.
 *
 *     /download/PATH?format=wacz      what crawlfs copy makes of PATH
 *     /download/PATH?format=warc      the same as .warc.gz
 *
 * The copy is made in a temporary folder and sent when it is complete: the
 * parts of a WACZ are sealed last, and a copy that cannot be made has a status
 * of its own.  Its file has no name any more while it is sent.  It ends with
 * its client's connection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/tempdir.h"
#include "crawl/crawl_copy.h"
#include "page_frame.h"
#include "routes.h"
#include "source/source.h"

/* Copies that are made or sent at a time: each has a file. */
#define DOWNLOADS_MAX 8
/* The longest file name that is suggested, without its suffix. */
#define FILE_NAME_MAX ((size_t)100)
/* How often a client is looked for while its copy is made. */
#define CLIENT_POLL_MS 100

static const char *const formats[] = { "wacz", "warc",
				       "neither wacz nor warc" };
static const char *const suffixes[] = { ".wacz", ".warc.gz" };
static const char *const types[] = { "application/wacz", "application/warc" };

/* A copy on its way to a client. */
struct download {
	struct cfs_steps steps;		/* the first member */
	struct cfs_site *site;
	struct cfs_source *src;		/* NULL: it is not complete */
	uint64_t at;
	bool is_incomplete;		/* it lacks what cannot be read */
};

/* ---- sending ------------------------------------------------------------- */

static int more_of_download(struct cfs_steps *p, struct cfs_buf *out,
			    struct cfs_ctx ctx)
{
	struct download *d = (struct download *)p;
	uint64_t left = d->src->size - d->at;
	size_t n = left < CFS_STEP_BYTES ? (size_t)left : CFS_STEP_BYTES;
	int rc = cfs_buf_reserve(out, n);

	if (rc == CFS_OK)
		rc = cfs_source_read(d->src, out->p + out->n, n, d->at, ctx);
	if (rc != CFS_OK)
		return rc;
	out->n += n;
	d->at += n;
	return d->at == d->src->size ? CFS_END : CFS_OK;
}

static void download_free(struct cfs_steps *p)
{
	struct download *d = (struct download *)p;

	if (d->src != NULL)
		cfs_source_close(d->src);
	d->site->downloads--;
	free(d);
}

/* ---- making -------------------------------------------------------------- */

/* The end of a copy: that of all work, or of the client. */
struct download_end {
	struct cfs_cancel cancel;	/* the token to be passed on */
	const struct cfs_cancel *other;	/* borrowed */
	int fd;
	_Atomic int64_t next_ms;	/* the client is looked for then */
	_Atomic bool is_gone;
};

static bool is_over(void *arg)
{
	struct download_end *e = arg;
	struct pollfd p = { .fd = e->fd, .events = POLLRDHUP };

	if (cfs_monotonic_ms() >= e->next_ms) {
		e->next_ms = cfs_monotonic_ms() + CLIENT_POLL_MS;
		if (poll(&p, 1, 0) > 0)
			e->is_gone = true;
	}
	return e->is_gone || cfs_cancelled(e->other);
}

/* Makes the copy at `path` of what a path of the tree names. */
static int copy_to(struct download *d, struct cfs_crawl *crawl,
		   const char *tree_path, unsigned format, const char *path,
		   struct cfs_ctx ctx)
{
	const struct cfs_site *site = d->site;
	struct cfs_prefixes p = { .crawl = crawl };
	struct cfs_crawl_copied copied;
	struct cfs_copy_opts co = {
		.output = path, .described = tree_path,
		.format = CFS_ARCHIVE_WARC, .coding = CFS_CODING_GZIP,
		.is_wacz = format == 0, .convert = true, .no_index = true,
		.must_have_room = true, .max_bytes = site->download_bytes,
		.max_record_bytes = site->max_record_bytes,
		.cancel = ctx.cancel,
	};
	int rc = cfs_prefixes_add_page(&p, tree_path, ctx);

	if (rc == CFS_OK)
		rc = cfs_crawl_copy(&p, &co, &copied, ctx.err);
	d->is_incomplete = rc == CFS_OK && copied.report.damaged +
			   copied.originals.damaged + copied.holes > 0;
	cfs_prefixes_release(&p);
	return rc;
}

/* Makes the copy in a temporary folder, and opens it; the folder is removed. */
static int make_download(struct download *d, struct cfs_crawl *crawl,
			 const char *tree_path, unsigned format,
			 struct cfs_ctx ctx)
{
	struct cfs_tempdir dir = { .path = NULL };
	char *path = NULL;
	int rc = CFS_OK;

	if (d->site->temp_dir == NULL ||
	    cfs_tempdir_make(&dir, d->site->temp_dir, "download") != 0)
		rc = cfs_error_set(ctx.err, CFS_EIO, "cannot make a temporary "
				   "folder: %s", strerror(errno));
	else if (asprintf(&path, "%s/copy%s", dir.path, suffixes[format]) < 0)
		rc = cfs_error_nomem(ctx.err);
	if (rc == CFS_OK)
		rc = copy_to(d, crawl, tree_path, format, path, ctx);
	if (rc == CFS_OK)
		rc = cfs_source_open_file(&d->src, path, ctx.err);
	cfs_tempdir_remove(&dir);
	free(path);
	return rc;
}

/* ---- the reply ----------------------------------------------------------- */

/* Suggests a file name: that of the host and what is behind it. */
static void add_file_name(struct cfs_exchange *x, const struct download *d,
			  struct cfs_slice path, unsigned format)
{
	CFS_BUF(value, CFS_REPLY_HEAD_MAX);
	CFS_BUF(place, CFS_REPLY_HEAD_MAX);

	cfs_page_place(&place, x->site, path);
	cfs_buf_adds(&value, "attachment; filename=\"");
	for (size_t i = 0; i < place.n && i < FILE_NAME_MAX; i++) {
		char c = (char)place.p[i];
		bool is_plain = cfs_is_alnum(place.p[i]) || c == '-' ||
				(c == '.' && i > 0);

		cfs_buf_addc(&value, (uint8_t)(is_plain ? c : '_'));
	}
	cfs_buf_adds(&value, place.n > 0 ? "" : "crawl");
	cfs_buf_adds(&value, d->is_incomplete ? "-incomplete" : "");
	cfs_buf_addf(&value, "%s\"", suffixes[format]);
	cfs_reply_header(x, "Content-Disposition", cfs_buf_slice(&value));
}

static int send_download(struct cfs_exchange *x, struct download *d,
			 struct cfs_slice path, unsigned format)
{
	add_file_name(x, d, path, format);
	cfs_reply_header(x, "Cache-Control", CFS_SLICE_LIT("no-store"));
	x->policy = CFS_POLICY_ARCHIVED;
	x->has_bytes = true;
	x->bytes = d->src->size;
	return cfs_reply_steps(x, 200, types[format], &d->steps);
}

/* The path of a place in the tree of its crawl. */
static int path_in_crawl(const struct cfs_exchange *x, struct cfs_slice path,
			 struct cfs_buf *out)
{
	if (x->site->n_crawls > 1)
		cfs_slice_split(&path, '/');
	cfs_buf_addc(out, '/');
	cfs_buf_add(out, path);
	return out->failed;
}

static int download_place(struct cfs_exchange *x, struct cfs_crawl *crawl,
			  unsigned format, struct cfs_ctx ctx)
{
	struct download *d = calloc(1, sizeof(*d));
	struct download_end end = { .cancel = { .asked = is_over, .arg = &end,
						.until = ctx.cancel->until },
				    .other = ctx.cancel, .fd = x->fd };
	CFS_BUF(below, CFS_REPLY_HEAD_MAX);
	CFS_BUF(path, CFS_REPLY_HEAD_MAX);
	int rc = CFS_OK;

	if (d == NULL)
		return cfs_error_nomem(ctx.err);
	d->steps = (struct cfs_steps){ .more = more_of_download,
				       .free = download_free };
	d->site = x->site;
	x->steps = &d->steps;		/* from here on the reply owns it */
	if (++x->site->downloads > DOWNLOADS_MAX)
		rc = cfs_error_set(ctx.err, CFS_EINTR, "too many copies are "
				   "being made: ask again a little later");
	if (rc == CFS_OK)
		rc = cfs_page_path(x->rest, &path);
	if (rc == CFS_OK)
		rc = path_in_crawl(x, cfs_buf_slice(&path), &below);
	if (rc == CFS_OK)
		rc = make_download(d, crawl, cfs_buf_str(&below), format,
				   CFS_CTX(&end.cancel, ctx.err));
	if (rc == CFS_ETOOLARGE)	/* 507 would be the server's failure */
		rc = CFS_EUSAGE;
	if (rc == CFS_OK)
		rc = send_download(x, d, cfs_buf_slice(&path), format);
	return rc;
}

int cfs_answer_download(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct cfs_site_place place;
	unsigned format = 0;
	int rc;

	if (x->site->download_bytes == 0)
		return cfs_error_set(ctx.err, CFS_ENOTFOUND, "this server "
				     "gives no copies");
	x->has_expressions = true;	/* its seconds are the client's, too */
	if (!x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	rc = cfs_page_choice(x->query, "format", formats, 2, &format, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_site_walk(x->site, x->rest, &place, ctx);
	if (rc != CFS_OK)
		return rc;
	if (place.is_top)
		rc = cfs_error_set(ctx.err, CFS_EUSAGE, "a copy is of one "
				   "crawl: choose it first");
	else
		rc = download_place(x, place.crawl, format, ctx);
	cfs_site_place_release(x->site, &place);
	return rc;
}
