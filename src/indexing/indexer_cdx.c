/* indexer_cdx.c - reads the captures of CDX files and ZipNum clusters, in file
 * order, for an index.
 *
 * Plain files and clusters are read block by block, with the code of their
 * indexes; a compressed file is one stream.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "indexer_cdx.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/mime.h"
#include "format/cdx/cdx.h"
#include "format/cdx/stretch.h"
#include "indexer_wacz.h"
#include "input/local_copy.h"
#include "net/location.h"
#include "net/open_location.h"
#include "pick.h"
#include "record/inflate_steps.h"
#include "url/surt.h"

#define SHA1_BASE32_BYTES 32u
#define DIGEST_MAX 256u
#define MIME_MAX 1024u

struct cdx_feed {
	const struct cfs_indexer_cdx *job;
	struct cfs_cdx_legend legend;
	struct cfs_buf folder;		/* the CDX file's, as a prefix of
					 * names */
	struct cfs_buf line_name, name, url, mime, digest;	/* scratch */
	uint64_t line_off;		/* of the current line */
	uint64_t line_number;		/* 1, 2, ..., in the file or block, of a
					 * line whose offset is not known */
	/* The runs of keys to take, and the first that the lines have not
	 * passed yet; NULL: all keys. */
	const struct cfs_key_runs *runs;
	size_t run;
};

/* Logs damage.  False: only names are collected. */
static bool log_damage(const struct cfs_indexer_cdx *job,
		       const struct cfs_error *what)
{
	if (job->capture == NULL)
		return false;
	if (job->logged != NULL && cfs_log_has_room(job->logged,
						    job->file->path,
						    "more of it is damaged"))
		cfs_log_error(CFS_LOG_WARNING, what);
	return true;
}

/* Reports a damaged line, which is left out. */
static void on_damage(struct cdx_feed *f, const struct cfs_error *what)
{
	if (log_damage(f->job, what))
		f->job->damaged(f->job->arg, what);
}

void cfs_indexer_cdx_missing(const struct cfs_indexer_cdx *job,
			     const struct cfs_error *what)
{
	if (log_damage(job, what))
		job->missing(job->arg, what);
}

static void advance(struct cdx_feed *f, uint64_t bytes)
{
	if (f->job->member != NULL || f->job->capture == NULL ||
	    !f->job->file->is_remote)
		f->job->advanced(f->job->arg, bytes);
}

/* Finds the number of an archive.  Its name in the line is relative to the CDX
 * file's folder, or is that of a member of the same WACZ. */
static int number_of(struct cdx_feed *f, struct cfs_slice name, uint32_t *out,
		     uint64_t *shift)
{
	const struct cfs_indexer_cdx *job = f->job;

	if (job->find != NULL) {
		job->find(job->arg, name, f->line_off, out);
		return CFS_OK;
	}
	if (job->member != NULL)
		return cfs_indexer_find_archive(job->files, job->file,
						job->member->package, name, out,
						shift) ? CFS_OK : CFS_EFORMAT;
	cfs_buf_reset(&f->name);
	cfs_buf_add(&f->name, cfs_buf_slice(&f->folder));
	cfs_buf_add(&f->name, name);
	cfs_buf_addc(&f->name, '\0');
	if (f->name.failed != CFS_OK)
		return f->name.failed;
	return cfs_strtab_add(f->job->names, cfs_buf_slice(&f->name), out);
}

/* Sets f->url to the line's URL, else to one made from the key. */
static int url_of(struct cdx_feed *f, const struct cfs_cdx_line *line)
{
	CFS_BUF(key, CFS_CDX_LINE_MAX);
	int rc = CFS_OK;

	cfs_buf_reset(&f->url);
	f->url.failed = CFS_OK;
	if (line->url.s.n > 0) {
		if (!cfs_url_is_web(line->url.s) &&
		    cfs_url_scheme(line->url.s).n == 0 && !line->url.escaped)
			cfs_buf_adds(&f->url, "http://");
		return cfs_json_add_text(&f->url, line->url);
	}
	rc = cfs_json_add_text(&key, line->key);
	if (rc == CFS_OK)
		(void)cfs_surt_url(cfs_buf_slice(&key), &f->url);
	return rc == CFS_OK ? f->url.failed : rc;
}

/* Sets the digest as WARC records write it, so that revisits find their
 * bodies. */
static void set_digest(struct cdx_feed *f, const struct cfs_cdx_line *line,
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

/* Reports as damage that a line's archive is not in the WACZ. */
static int no_archive(struct cdx_feed *f, struct cfs_slice name)
{
	struct cfs_error e = CFS_ERROR_INIT;

	cfs_error_at(&e, CFS_EFORMAT, f->job->file->path, 0, "index '%.100s' "
		     "names archive '%.*s', which is not there",
		     f->job->member->path, (int)(name.n < 80 ? name.n : 80),
		     (const char *)name.p);
	on_damage(f, &e);
	return CFS_OK;
}

/* Adds the capture of a line; name is its archive's, normalized and
 * unescaped. */
static int take_capture(struct cdx_feed *f, const struct cfs_cdx_line *line,
			struct cfs_slice name, struct cfs_slice text)
{
	struct cfs_builder_capture c = {
		.time = line->time, .status = line->status,
		.span = { .offset = line->offset, .length = line->length },
		.kind = cfs_cdx_kind(line, name),
		.mime = CFS_SLICE_EMPTY, .languages = CFS_SLICE_EMPTY,
		.digest = CFS_SLICE_EMPTY,
		.record_id = CFS_SLICE_EMPTY, .refers_to = CFS_SLICE_EMPTY,
	};
	uint64_t shift = 0;
	ptrdiff_t object = f->job->keeps_lines ? cfs_slice_find(text, '{') : -1;
	int rc = number_of(f, name, &c.archive, &shift);

	if (rc == CFS_EFORMAT)
		return no_archive(f, name);
	if (rc == CFS_OK && shift > UINT64_MAX - c.span.offset)
		return no_archive(f, name);
	c.span.offset += shift;
	if (rc != CFS_OK || f->job->capture == NULL)
		return rc;
	rc = url_of(f, line);
	if (rc != CFS_OK)
		return rc;
	c.url = cfs_buf_slice(&f->url);
	cfs_buf_reset(&f->mime);
	if (c.kind != CFS_KIND_REVISIT && line->mime.s.n <= MIME_MAX &&
	    cfs_json_add_text(&f->mime, line->mime) == CFS_OK)
		c.mime = cfs_mime_type(cfs_buf_slice(&f->mime));
	if (!line->languages.escaped)
		c.languages = line->languages.s;
	set_digest(f, line, &c);
	if (object >= 0)
		c.line = cfs_slice_from(text, (size_t)object);
	return f->job->capture(f->job->arg, &c);
}

/* Is the key in a run?  Keys come in order. */
static bool is_in_runs(struct cdx_feed *f, struct cfs_slice key)
{
	const struct cfs_key_runs *r = f->runs;

	if (r == NULL)
		return true;
	while (f->run < r->n && !r->v[f->run].hi_open &&
	       cfs_slice_cmp(key, r->v[f->run].hi) >= 0)
		f->run++;
	return f->run < r->n && cfs_slice_cmp(key, r->v[f->run].lo) >= 0;
}

static void bad_line(struct cdx_feed *f, const char *where, uint64_t off,
		     const char *why)
{
	struct cfs_error e = CFS_ERROR_INIT;

	cfs_cdx_bad_line(&e, where, off, f->line_number, why);
	on_damage(f, &e);
}

static int one_line(struct cdx_feed *f, struct cfs_slice text,
		    const char *where, uint64_t off)
{
	struct cfs_cdx_line line;
	struct cfs_slice name = CFS_SLICE_EMPTY;
	const char *why = "";
	int rc;

	if (cfs_cdx_is_legend(text)) {
		if (f->legend.n == 0)
			(void)cfs_cdx_parse_legend(text, &f->legend);
		return CFS_OK;
	}
	f->line_off = off;
	rc = cfs_cdx_parse(text, &f->legend, &line, &why);
	if (rc == CFS_OK) {
		cfs_buf_reset(&f->line_name);
		f->line_name.failed = CFS_OK;
		name = cfs_cdx_name(&line, &f->line_name);
		if (f->line_name.failed == CFS_ENOMEM)
			return CFS_ENOMEM;
		if (name.n == 0) {
			rc = CFS_EFORMAT;
			why = "the archive's name is not usable";
		}
	}
	if (rc == CFS_OK && !is_in_runs(f, line.key.s))
		return CFS_OK;
	if (rc == CFS_OK)
		return take_capture(f, &line, name, text);
	if (rc == CFS_EFORMAT)
		bad_line(f, where, off, why);
	return CFS_OK;
}

/* ---- blocks ---- */

static int lines_of_block(struct cdx_feed *f, const struct cfs_cdx_text_in *in)
{
	struct cfs_slice rest = cfs_slice_of(in->p + in->from, in->n), line;
	int rc = CFS_OK;

	f->line_number = 0;
	while (rc == CFS_OK && cfs_line_take(&rest, &line)) {
		f->line_number += !in->is_plain;
		rc = one_line(f, line, in->where, in->where_off +
			      (in->is_plain ? (size_t)(line.p - in->p) -
			       in->from : 0));
	}
	if (rc == CFS_OK && in->has_long_line)
		bad_line(f, in->where, in->where_off + in->n,
			 CFS_CDX_LONG_LINE);
	return rc;
}

/* Reads the lines of a block; a damaged one is reported and left out. */
static int one_block(struct cdx_feed *f, struct cfs_cdx *x, uint32_t number,
		     struct cfs_error *err)
{
	struct cfs_cdx_text_in in = { .where_off = 0 };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = x->layout->read(x, number, &in, CFS_CTX(f->job->cancel, &e));

	if (rc == CFS_OK) {
		rc = lines_of_block(f, &in);
		advance(f, in.n);
	} else if (rc == CFS_EFORMAT || rc == CFS_ELIMIT) {
		cfs_indexer_cdx_missing(f->job, &e);
		rc = CFS_OK;
	} else if (rc != CFS_ENOTFOUND) {
		cfs_error_pass(err, &e, rc);
	}
	free(in.p);
	return rc;
}

/* Finds the next block that may have keys to take. */
static int next_block(struct cdx_feed *f, struct cfs_cdx *x, uint32_t *number,
		      struct cfs_error *err)
{
	const struct cfs_cancel *cancel = f->job->cancel;
	uint32_t after, found;
	int rc;

	if (f->runs != NULL && f->run == f->runs->n)
		return CFS_END;
	rc = x->layout->following(x, *number, &after, CFS_CTX(cancel, err));
	found = after;
	if (rc == CFS_OK && f->runs != NULL)
		rc = x->layout->find(x, f->runs->v[f->run].lo, &found,
				     CFS_CTX(cancel, err));
	*number = found > after ? found : after;
	return rc;
}

static int each_block(struct cdx_feed *f, struct cfs_cdx *x,
		      struct cfs_error *err)
{
	const struct cfs_cancel *cancel = f->job->cancel;
	struct cfs_slice from = f->runs != NULL && f->runs->n > 0 ?
				f->runs->v[0].lo : CFS_SLICE_EMPTY;
	uint32_t number = (uint32_t)(f->job->from / CFS_STRETCH_BYTES);
	uint64_t end = f->job->to > 0 ? cfs_stretch_count(f->job->to) :
					UINT64_MAX;
	int rc = number > 0 ? CFS_OK :
		 x->layout->find(x, from, &number, CFS_CTX(cancel, err));

	f->legend = x->legend;
	while (rc == CFS_OK && number < end) {
		if (cfs_cancelled(cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = one_block(f, x, number, err);
		if (rc == CFS_OK)
			rc = next_block(f, x, &number, err);
	}
	/* CFS_ENOTFOUND: there are no blocks. */
	return rc == CFS_END || rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* Reads the blocks of a sorted file that may have picked keys. */
static int picked_blocks(struct cdx_feed *f, struct cfs_cdx *x,
			 struct cfs_error *err)
{
	struct cfs_key_runs runs;
	int rc = cfs_pick_ranges_find(&runs, f->job->pick, &x->base,
				      CFS_CTX(f->job->cancel, err));

	f->runs = &runs;
	if (rc == CFS_OK && runs.n > 0)
		rc = each_block(f, x, err);
	f->runs = NULL;
	cfs_key_runs_release(&runs);
	return rc;
}

/* ---- one stream ---- */

struct line_stream {
	struct cdx_feed *f;
	const char *where;
	struct cfs_buf text;		/* ends with an incomplete line */
	uint64_t file_off;
	bool drop;			/* skip to the next line */
};

/* Takes the complete lines; file_off: the file was read up to there. */
static int take_lines(void *arg, uint64_t file_off)
{
	struct line_stream *s = arg;
	struct cfs_slice rest = cfs_buf_slice(&s->text), line;
	int rc = CFS_OK;

	while (rc == CFS_OK && cfs_slice_find(rest, '\n') >= 0) {
		cfs_line_take(&rest, &line);
		s->f->line_number += !s->drop;
		if (!s->drop)
			rc = one_line(s->f, line, s->where, s->file_off);
		s->drop = false;
	}
	if (rest.n > CFS_CDX_LINE_MAX) {
		s->f->line_number += !s->drop;
		if (!s->drop)
			bad_line(s->f, s->where, file_off, CFS_CDX_LONG_LINE);
		rest.n = 0;
		s->drop = true;
	}
	memmove(s->text.p, rest.p, rest.n);
	s->text.n = rest.n;
	advance(s->f, file_off - s->file_off);
	s->file_off = file_off;
	return rc;
}

static int all_steps(struct cdx_feed *f, struct cfs_source *src,
		      struct cfs_error *err)
{
	struct line_stream s = { .f = f, .where = src->name };
	const struct cfs_inflate_steps steps = { &s.text,
						  take_lines, &s,
						  f->job->cancel };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	cfs_buf_init(&s.text, 2 * CFS_CDX_LINE_MAX + (1u << 20));
	rc = cfs_inflate_steps_read(src, &steps, &e);
	f->line_number++;
	if (rc == CFS_OK && s.text.n > 0 && !s.drop)
		rc = one_line(f, cfs_buf_slice(&s.text), src->name, s.file_off);
	if (rc == CFS_EFORMAT && e.code == CFS_EFORMAT) {
		cfs_indexer_cdx_missing(f->job, &e);	/* the rest is lost */
		rc = CFS_OK;
	}
	cfs_error_pass(err, &e, rc);
	cfs_buf_release(&s.text);
	return rc;
}

/* ---- whole files ---- */

bool cfs_indexer_cdx_is_sorted(enum cfs_index_format format)
{
	return format == CFS_INDEX_CDX || format == CFS_INDEX_ZIPNUM;
}

/* Reads all captures of a CDX or CDXJ file in any order, plain or compressed,
 * or of the shards of a cluster.idx.  Takes src over. */
static int all_lines(struct cdx_feed *f, struct cfs_source *src,
		     const struct cfs_index_opts *opts, struct cfs_error *err)
{
	enum cfs_index_format look = CFS_INDEX_UNKNOWN;
	struct cfs_index *ix = NULL;
	int rc = cfs_cdx_look_at(src, &look, NULL,
				 CFS_CTX(f->job->cancel, err));

	if (rc == CFS_OK && look == CFS_INDEX_UNKNOWN)
		rc = cfs_error_at(err, CFS_EFORMAT, src->name, 0,
				  "is not a CDX or CDXJ file");
	if (rc == CFS_OK && look == CFS_INDEX_CDX_GZ)
		rc = all_steps(f, src, err);
	if (rc != CFS_OK || look == CFS_INDEX_CDX_GZ) {
		cfs_source_close(src);
		return rc;
	}
	rc = look == CFS_INDEX_ZIPNUM ? cfs_zipnum_open(&ix, src, opts, err) :
	     cfs_cdx_open(&ix, src, opts, true, err);
	if (rc == CFS_OK)
		rc = cfs_indexer_cdx_is_sorted(look) &&
		     cfs_pick_places(f->job->pick) > 0 ?
		     picked_blocks(f, (struct cfs_cdx *)ix, err) :
		     each_block(f, (struct cfs_cdx *)ix, err);
	cfs_index_close(ix);
	return rc;
}

bool cfs_indexer_cdx_can_cut(const struct cfs_indexer_cdx *job)
{
	return !job->file->is_remote && cfs_pick_places(job->pick) == 0 &&
	       (job->file->format == CFS_INDEX_CDX ||
		job->file->format == CFS_INDEX_CDX_OTHER);
}

/* Appends the folder of a CDX file's name.  The name may be the text of a URL
 * (net/location.h); those of its archives are not. */
static void add_folder(struct cfs_buf *out, struct cfs_slice name)
{
	bool is_text = cfs_slice_starts(name, CFS_SLICE_LIT("./"));

	if (is_text)
		name = cfs_slice_from(name, 2);
	name.n = (size_t)(cfs_slice_rfind(name, '/') + 1);
	if (is_text)
		cfs_percent_decode(name, false, out);
	else
		cfs_buf_add(out, name);
}

static int open_file(const struct cfs_indexer_cdx *job, const char *location,
		     struct cfs_source **out, struct cfs_error *err)
{
	if (job->member != NULL)
		return cfs_indexer_open_part(out, job->files, job->file,
					     job->member,
					     CFS_CTX(job->cancel, err));
	return job->file->spool != NULL ?
		       cfs_local_copy_open(job->file->spool, location, out,
					   CFS_CTX(job->cancel, err)) :
		       cfs_location_open(out, location, err);
}

int cfs_indexer_cdx_run(const struct cfs_indexer_cdx *job,
			struct cfs_error *err)
{
	struct cdx_feed f = { .job = job };
	struct cfs_opener opener = { cfs_local_copy_open, job->file->spool };
	struct cfs_index_opts opts = { .block_cache_bytes = 1u << 20,
				       .opener = job->file->spool != NULL ?
						 &opener : NULL,
				       .cancel = job->cancel };
	CFS_BUF(location, 4 * CFS_LOCATION_MAX);
	struct cfs_source *src;
	int rc;

	cfs_indexer_location(job->files, job->file, &location);
	opts.location = cfs_buf_str(&location);
	cfs_buf_init(&f.folder, CFS_CDX_NAME_MAX);
	add_folder(&f.folder, cfs_slice_str(job->file->name));
	cfs_buf_init(&f.line_name, CFS_CDX_NAME_MAX);
	cfs_buf_init(&f.name, 2 * CFS_CDX_NAME_MAX + 1);
	cfs_buf_init(&f.url, CFS_CDX_LINE_MAX + 16);
	cfs_buf_init(&f.mime, 8 * MIME_MAX);
	cfs_buf_init(&f.digest, DIGEST_MAX);
	rc = open_file(job, opts.location, &src, err);
	if (rc == CFS_OK) {
		rc = all_lines(&f, src, &opts, err);
		if (rc == CFS_ENOMEM || rc == CFS_ELIMIT)
			cfs_error_at(err, rc, job->file->path, 0,
				     rc == CFS_ENOMEM ? "out of memory" :
				     "has too many names of archives");
	}
	cfs_buf_release(&f.folder);
	cfs_buf_release(&f.line_name);
	cfs_buf_release(&f.name);
	cfs_buf_release(&f.url);
	cfs_buf_release(&f.mime);
	cfs_buf_release(&f.digest);
	return rc;
}
