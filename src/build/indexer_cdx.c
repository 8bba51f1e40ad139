/* indexer_cdx.c - captures of CDX files on their way into an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_cdx.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cdx_each.h"
#include "index/cdx.h"
#include "url/surt.h"
#include "net/location.h"
#include "net/open.h"

/* Damaged lines of a file that are logged one by one. */
#define LOGGED_MAX 20u
#define SHA1_BASE32_BYTES 32u
#define DIGEST_MAX 256u
#define MIME_MAX 1024u

struct feed {
	const struct cfs_indexer_cdx *job;
	struct cfs_buf folder;		/* of the CDX file, as names have it */
	struct cfs_buf name, url, mime, digest;		/* scratch */
	uint64_t damages;
};

static void on_damage(void *arg, const struct cfs_error *what)
{
	struct feed *f = arg;

	if (f->job->capture == NULL)
		return;
	f->damages++;
	if (f->damages <= LOGGED_MAX)
		cfs_log_error(CFS_LOG_WARNING, what);
	else if (f->damages == LOGGED_MAX + 1)
		cfs_log(CFS_LOG_WARNING, "%s: more lines are damaged",
			f->job->file->path);
	f->job->damaged(f->job->arg, what);
}

static void advance(void *arg, uint64_t bytes)
{
	struct feed *f = arg;

	if ((f->job->capture == NULL) == f->job->file->is_remote)
		f->job->advanced(f->job->arg, bytes);
}

/* The number of an archive.  Its name is the line's, below the CDX file's
 * folder. */
static int number_of(struct feed *f, struct cfs_slice name, uint32_t *out)
{
	cfs_buf_reset(&f->name);
	cfs_buf_add(&f->name, cfs_buf_slice(&f->folder));
	cfs_buf_add(&f->name, name);
	if (f->name.failed != CFS_OK)
		return f->name.failed;
	return cfs_strtab_add(f->job->names, cfs_buf_slice(&f->name), out);
}

static bool has_scheme(struct cfs_slice url)
{
	ptrdiff_t colon = cfs_slice_find(url, ':');

	/* "a.com:80/" has a colon, too */
	return colon >= 0 &&
	       (cfs_slice_starts(cfs_slice_from(url, (size_t)colon + 1),
				 CFS_SLICE_LIT("//")) ||
		cfs_slice_starts_nocase(url, CFS_SLICE_LIT("dns:")) ||
		cfs_slice_starts_nocase(url, CFS_SLICE_LIT("mailto:")) ||
		cfs_slice_starts_nocase(url, CFS_SLICE_LIT("urn:")));
}

/* The URL as the line has it; else one made from the key. */
static int url_of(struct feed *f, const struct cfs_cdx_line *line)
{
	struct cfs_buf key;
	int rc = CFS_OK;

	cfs_buf_reset(&f->url);
	f->url.failed = CFS_OK;
	if (line->url.s.n > 0) {
		if (!has_scheme(line->url.s) && !line->url.escaped)
			cfs_buf_adds(&f->url, "http://");
		return cfs_json_add_text(&f->url, line->url);
	}
	cfs_buf_init(&key, CFS_CDX_LINE_MAX);
	rc = cfs_json_add_text(&key, line->key);
	if (rc == CFS_OK)
		(void)cfs_surt_url(cfs_buf_slice(&key), &f->url);
	cfs_buf_release(&key);
	return rc == CFS_OK ? f->url.failed : rc;
}

/* As WARC records write it, so that revisits find their bodies. */
static void set_digest(struct feed *f, const struct cfs_cdx_line *line,
		       struct cfs_builder_capture *c)
{
	struct cfs_slice d = line->digest.s;

	if (line->digest.escaped || d.n == 0 || d.n > DIGEST_MAX - 8)
		return;
	cfs_buf_reset(&f->digest);
	if (d.n == SHA1_BASE32_BYTES)
		cfs_buf_adds(&f->digest, "sha1:");
	if (cfs_buf_add(&f->digest, d) == CFS_OK)
		c->digest = cfs_buf_slice(&f->digest);
}

static int on_line(void *arg, const struct cfs_cdx_line *line,
		   struct cfs_slice name)
{
	struct feed *f = arg;
	struct cfs_builder_capture c = {
		.time = line->time, .status = line->status,
		.span = { .offset = line->offset, .length = line->length },
		.kind = cfs_cdx_kind(line, name),
		.mime = CFS_SLICE_EMPTY, .digest = CFS_SLICE_EMPTY,
		.record_id = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
	};
	int rc = number_of(f, name, &c.archive);

	if (rc != CFS_OK || f->job->capture == NULL)
		return rc;
	rc = url_of(f, line);
	if (rc != CFS_OK)
		return rc;
	c.url = cfs_buf_slice(&f->url);
	cfs_buf_reset(&f->mime);
	if (c.kind != CFS_KIND_REVISIT && line->mime.s.n <= MIME_MAX &&
	    cfs_json_add_text(&f->mime, line->mime) == CFS_OK)
		c.mime = cfs_buf_slice(&f->mime);
	set_digest(f, line, &c);
	return f->job->capture(f->job->arg, &c);
}

/* Its name may be the text of a URL (net/location.h), those of its
 * archives are not. */
static void add_folder(struct cfs_buf *out, struct cfs_slice name)
{
	bool is_text = cfs_slice_starts(name, CFS_SLICE_LIT("./"));

	if (is_text)
		name = cfs_slice_from(name, 2);
	name.n = (size_t)(cfs_slice_rfind(name, '/') + 1);
	if (is_text)
		cfs_location_decode(out, name);
	else
		cfs_buf_add(out, name);
}

static int open_file(const struct cfs_indexer_cdx *job, const char *location,
		     struct cfs_source **out, struct cfs_error *err)
{
	return job->file->is_remote ?
	       cfs_spool_open(job->file->spool, location, out, job->cancel,
			      err) : cfs_source_open_file(out, location, err);
}

int cfs_indexer_cdx_run(const struct cfs_indexer_cdx *job,
			struct cfs_error *err)
{
	struct feed f = { .job = job };
	struct cfs_opener opener = { cfs_spool_open, job->file->spool };
	struct cfs_index_opts opts = { .block_cache_bytes = 1u << 20,
				       .opener = job->file->is_remote ?
						 &opener : NULL,
				       .cancel = job->cancel };
	struct cfs_cdx_each each = { .line = on_line, .damaged = on_damage,
				     .advanced = advance, .arg = &f,
				     .cancel = job->cancel };
	struct cfs_buf location;
	struct cfs_source *src;
	int rc;

	cfs_buf_init(&location, 4 * CFS_LOCATION_MAX);
	cfs_indexer_location(job->files, job->file, &location);
	opts.location = cfs_buf_str(&location);
	cfs_buf_init(&f.folder, CFS_CDX_NAME_MAX);
	add_folder(&f.folder, cfs_slice_str(job->file->name));
	cfs_buf_init(&f.name, 2 * CFS_CDX_NAME_MAX);
	cfs_buf_init(&f.url, CFS_CDX_LINE_MAX + 16);
	cfs_buf_init(&f.mime, 8 * MIME_MAX);
	cfs_buf_init(&f.digest, DIGEST_MAX);
	rc = open_file(job, opts.location, &src, err);
	if (rc == CFS_OK) {
		rc = cfs_cdx_for_each(src, &opts, &each, err);
		if (rc == CFS_ENOMEM || rc == CFS_ELIMIT)
			cfs_error_at(err, rc, job->file->path, 0,
				     rc == CFS_ENOMEM ? "out of memory" :
				     "has too many names of archives");
	}
	cfs_buf_release(&location);
	cfs_buf_release(&f.folder);
	cfs_buf_release(&f.name);
	cfs_buf_release(&f.url);
	cfs_buf_release(&f.mime);
	cfs_buf_release(&f.digest);
	return rc;
}
