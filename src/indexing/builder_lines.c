/* builder_lines.c - captures as lines of CDXJ: their pairs in the builder's
 * sort, and writing the sorted lines.
 *
 * Spec: doc/formats.md, "CDXJ lines".
 *
 *     line   key SP object LF
 *     key    SURT SP time (14 digits)
 *     object {"url": ..., "mime": ..., "mime-detected": ..., "status": ...,
 *            "digest": ..., "length": ..., "offset": ..., "filename": ...,
 *            "charset": ..., "languages": ..., "truncated": ...,
 *            "redirect": ...}
 *
 * A member that has no value is left out.
 *
 * The sort carries the object without the name of the archive, which is as long
 * as all the rest:
 *
 *     text       {"url": ... "filename": SP
 *     4 bytes    the rank of the archive's name among all archive names as they
 *                are written in lines, big-endian
 *     text       what follows the name, from the ',' or '}' on
 *     2 bytes    length of that text, little-endian
 *
 * Pairs therefore sort as their lines do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "format/cdx/cdx_line_write.h"
#include "format/cdx/zipnum_write.h"
#include "format/cfx/cfx_format.h"
#include "record/digest.h"
#include "url/surt.h"

/* Longer values are left out, and so are those that may not fit into the sort's
 * value beside a long URL: a byte can become six in a line. */
#define MORE_MAX 4096u
#define FIELD_BYTES 64u		/* a member without its value, and the tail */
#define DIGEST_MAX 128u
#define OUT_BYTES ((size_t)1 << 20)
/* A pair, and the archive's name with every byte escaped. */
#define LINE_MAX_BYTES ((size_t)256 << 10)

/* ---- names of archives ---- */

struct archive_name {
	struct cfs_slice text;		/* quoted */
	uint32_t archive;
};

struct cfs_line_names {
	struct cfs_buf text;		/* of all names */
	struct archive_name *v;			/* sorted by text */
	uint32_t *place;		/* index in v, by archive */
	uint32_t n;
};

static int by_text(const void *a, const void *b)
{
	const struct archive_name *x = a, *y = b;
	int c = cfs_slice_cmp(x->text, y->text);

	return c != 0 ? c :
			(x->archive > y->archive) - (x->archive < y->archive);
}

int cfs_line_names_new(struct cfs_line_names **out,
		       const struct cfs_builder_archive *archives, uint32_t n)
{
	struct cfs_line_names *x = calloc(1, sizeof(*x));
	size_t at = 0;

	*out = x;
	if (x == NULL)
		return CFS_ENOMEM;
	cfs_buf_init(&x->text, SIZE_MAX);
	x->v = calloc((size_t)n + 1, sizeof(*x->v));
	x->place = calloc((size_t)n + 1, sizeof(*x->place));
	if (x->v == NULL || x->place == NULL)
		return CFS_ENOMEM;
	x->n = n;
	for (uint32_t i = 0; i < n; i++) {
		size_t from = x->text.n;

		cfs_json_add_ascii(&x->text, cfs_slice_str(archives[i].name),
				   CFS_JSON_ODD_PERCENT);
		x->v[i] =
			(struct archive_name){ { NULL, x->text.n - from }, i };
	}
	if (x->text.failed != CFS_OK)
		return CFS_ENOMEM;
	for (uint32_t i = 0; i < n; at += x->v[i++].text.n)
		x->v[i].text.p = x->text.p + at;
	if (n > 1)
		qsort(x->v, n, sizeof(*x->v), by_text);
	for (uint32_t i = 0; i < n; i++)
		x->place[x->v[i].archive] = i;
	return CFS_OK;
}

void cfs_line_names_free(struct cfs_line_names *n)
{
	if (n == NULL)
		return;
	cfs_buf_release(&n->text);
	free(n->v);
	free(n->place);
	free(n);
}

/* ---- the pair of a capture ---- */

/* An index server calls "charset" "encoding".  If a row states both types, the
 * capture has the detected one, and the declared one is taken from here. */
enum more { DETECTED, CHARSET, LANGUAGES, TRUNCATED, REDIRECT, ENCODING,
	    DECLARED, MORE };

/* Finds the further members that a CDXJ line or a selection's row states. */
static void find_more(const struct cfs_builder_capture *c,
		      struct cfs_slice out[MORE])
{
	static const char *const of_line[MORE] = { "mime-detected", "charset",
		"languages", "truncated", "redirect", "encoding", "mime" };
	static const char *const of_row[MORE] = {
		"selection/content_mime_detected", "selection/content_charset",
		"selection/content_languages", "selection/content_truncated",
		"selection/fetch_redirect", "selection/content_charset",
		"selection/content_mime_type" };
	bool is_line = c->line.n > 0;

	if (!cfs_json_pick(is_line ? c->line : c->notes,
			   is_line ? of_line : of_row, MORE, out))
		for (unsigned i = 0; i < MORE; i++)
			out[i] = CFS_SLICE_EMPTY;
	for (unsigned i = 0; i < MORE; i++)
		if (cfs_slice_eq(out[i], CFS_SLICE_LIT("null")))
			out[i] = CFS_SLICE_EMPTY;
	if (out[CHARSET].n == 0)
		out[CHARSET] = out[ENCODING];
}

/* Adds a member: the value from JSON, or if that is empty, the plain one. */
static void add_more(struct cfs_buf *out, const char *name,
		     struct cfs_slice json, struct cfs_slice plain, size_t max,
		     struct cfs_buf *scratch)
{
	if (json.n > 0) {
		cfs_buf_reset(scratch);
		cfs_json_add_text(scratch,
				  (struct cfs_json_text){ json, true });
		plain = cfs_buf_slice(scratch);
	}
	if (plain.n <= max && 6 * plain.n + FIELD_BYTES <= out->max - out->n)
		cfs_cdx_add_field(out, name, plain);
}

static void builder_lines_add_digest(struct cfs_buf *out,
				     struct cfs_slice digest,
				     struct cfs_buf *scratch)
{
	struct cfs_slice d;

	cfs_buf_reset(scratch);
	if (digest.n > 0)
		cfs_digest_add(scratch, digest);
	d = cfs_digest_bare(cfs_buf_slice(scratch));
	if (d.n <= DIGEST_MAX)
		cfs_cdx_add_field(out, "digest", d);
}

static void add_mime(struct cfs_buf *out, const struct cfs_builder_capture *c,
		     struct cfs_slice declared, struct cfs_buf *scratch)
{
	if (c->kind == CFS_KIND_REVISIT)
		cfs_cdx_add_field(out, "mime", CFS_SLICE_LIT("warc/revisit"));
	else if (declared.n > 0 && declared.n <= CFS_CFX_MIME_MAX)
		add_more(out, "mime", declared, CFS_SLICE_EMPTY,
			 CFS_CFX_MIME_MAX, scratch);
	else
		cfs_cdx_add_field(out, "mime", c->mime.n == 0 ?
				  CFS_SLICE_LIT("unk") :
				  cfs_slice_sub(c->mime, 0, CFS_CFX_MIME_MAX));
}

static void add_number(struct cfs_buf *out, const char *name, uint64_t n)
{
	cfs_buf_addf(out, ", \"%s\": \"%" PRIu64 "\"", name, n);
}

static void add_tail(struct cfs_buf *out, const struct cfs_builder_capture *c,
		     const struct cfs_slice more[MORE], struct cfs_buf *scratch)
{
	size_t from = out->n;

	add_more(out, "charset", more[CHARSET], CFS_SLICE_EMPTY, MORE_MAX,
		 scratch);
	add_more(out, "languages", more[LANGUAGES], c->languages, MORE_MAX,
		 scratch);
	add_more(out, "truncated", more[TRUNCATED], c->truncated, MORE_MAX,
		 scratch);
	add_more(out, "redirect", more[REDIRECT], c->redirect, MORE_MAX,
		 scratch);
	cfs_buf_addc(out, '}');
	cfs_buf_le16(out, (uint16_t)(out->n - from));
}

int cfs_builder_line(struct cfs_buf *key, struct cfs_buf *value,
		     const struct cfs_builder_capture *c,
		     const struct cfs_line_names *names,
		     struct cfs_buf *scratch)
{
	struct cfs_slice more[MORE];
	char when[CFS_TIME_14_BYTES];
	uint8_t place[4];
	int rc = cfs_surt_encode(c->url, key);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_addc(key, ' ');
	cfs_buf_adds(key, cfs_time_format_cdx(c->time, when));
	find_more(c, more);
	cfs_buf_adds(value, "{\"url\": ");
	cfs_json_add_ascii(value, c->url, CFS_JSON_ODD_PERCENT);
	add_mime(value, c, more[DECLARED], scratch);
	add_more(value, "mime-detected", more[DETECTED], c->mime_detected,
		 CFS_CFX_MIME_MAX, scratch);
	if (c->status != 0)
		add_number(value, "status", c->status);
	builder_lines_add_digest(value, c->digest, scratch);
	if (c->span.length != 0)
		add_number(value, "length", c->span.length);
	add_number(value, "offset", c->span.offset);
	cfs_buf_adds(value, ", \"filename\": ");
	cfs_be32_put(place, names->place[c->archive]);
	cfs_buf_append(value, place, sizeof(place));
	add_tail(value, c, more, scratch);
	return key->failed != CFS_OK ? key->failed : value->failed;
}

/* ---- lines ---- */

struct cfs_lines_writer {
	struct cfs_lines_opts opts;
	struct cfs_zipnum_writer *zipnum;	/* NULL: one file */
	struct cfs_buf line, last;	/* last: the last line written */
	struct cfs_buf out;		/* buffers the file */
	uint64_t captures, repeated, bytes;
};

bool cfs_builder_line_text(const struct cfs_line_names *names,
			   struct cfs_slice key, struct cfs_slice value,
			   struct cfs_buf *out)
{
	struct cfs_slice tail;
	uint32_t place;
	size_t n;

	if (value.n < 6)
		return false;
	n = value.p[value.n - 2] | (size_t)value.p[value.n - 1] << 8;
	if (n > value.n - 6)
		return false;
	tail = cfs_slice_sub(value, value.n - 2 - n, n);
	value.n -= n + 6;
	place = cfs_be32_get(value.p + value.n);
	if (place >= names->n)
		return false;
	cfs_buf_reset(out);
	cfs_buf_add(out, key);
	cfs_buf_addc(out, ' ');
	cfs_buf_add(out, value);
	cfs_buf_add(out, names->v[place].text);
	cfs_buf_add(out, tail);
	cfs_buf_addc(out, '\n');
	return true;
}

static int builder_lines_flush(struct cfs_lines_writer *w, size_t above,
			       struct cfs_error *err)
{
	size_t done;

	if (w->out.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (w->out.n <= above)
		return CFS_OK;
	done = cfs_write_at(w->opts.fd, w->out.p, w->out.n, w->bytes);
	w->bytes += done;
	if (done < w->out.n)
		return cfs_error_at(err, CFS_EIO, w->opts.path, w->bytes,
				    "cannot write: %s", strerror(errno));
	cfs_buf_reset(&w->out);
	return CFS_OK;
}

int cfs_lines_writer_add(struct cfs_lines_writer *w, struct cfs_slice key,
			 struct cfs_slice value, struct cfs_error *err)
{
	struct cfs_buf last = w->last;
	struct cfs_slice line;

	if (!cfs_builder_line_text(w->opts.names, key, value, &w->line))
		return cfs_error_set(err, CFS_EIO, "temporary file is damaged");
	if (w->line.failed != CFS_OK)
		return cfs_error_nomem(err);
	line = cfs_buf_slice(&w->line);
	if (cfs_slice_eq(line, cfs_buf_slice(&last))) {
		w->repeated++;
		return CFS_OK;
	}
	w->last = w->line;
	w->line = last;
	w->captures++;
	if (w->zipnum != NULL)
		return cfs_zipnum_writer_add(w->zipnum, key, line, err);
	cfs_buf_add(&w->out, line);
	return builder_lines_flush(w, OUT_BYTES, err);
}

int cfs_lines_writer_finish(struct cfs_lines_writer *w,
			    struct cfs_builder_counts *counts,
			    struct cfs_error *err)
{
	int rc = w->zipnum != NULL ?
		 cfs_zipnum_writer_finish(w->zipnum, &w->bytes, err) :
		 builder_lines_flush(w, 0, err);

	counts->captures = w->captures;
	counts->repeated = w->repeated;
	counts->file_bytes = w->bytes;
	return rc;
}

int cfs_lines_writer_new(struct cfs_lines_writer **out,
			 const struct cfs_lines_opts *opts,
			 struct cfs_error *err)
{
	const struct cfs_zipnum_opts zo = {
		.index = opts->path, .lines = opts->lines,
		.shards = opts->shards, .threads = opts->threads,
		.mode = opts->mode, .cancel = opts->cancel };
	struct cfs_lines_writer *w = calloc(1, sizeof(*w));
	int rc = CFS_OK;

	*out = NULL;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->opts = *opts;
	cfs_buf_init(&w->line, LINE_MAX_BYTES);
	cfs_buf_init(&w->last, LINE_MAX_BYTES);
	cfs_buf_init(&w->out, OUT_BYTES + LINE_MAX_BYTES);
	if (opts->format == CFS_INDEX_ZIPNUM)
		rc = cfs_zipnum_writer_new(&w->zipnum, &zo, err);
	if (rc == CFS_OK)
		*out = w;
	else
		cfs_lines_writer_free(w);
	return rc;
}

void cfs_lines_writer_free(struct cfs_lines_writer *w)
{
	if (w == NULL)
		return;
	cfs_zipnum_writer_free(w->zipnum);
	cfs_buf_release(&w->line);
	cfs_buf_release(&w->last);
	cfs_buf_release(&w->out);
	free(w);
}
