/* cdx_each.c - all lines of CDX files and ZipNum clusters, in the order in
 * which they stand.
 *
 * Plain files and clusters are read block by block, as their indexes do; a
 * compressed file is one stream.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_each.h"

#include <stdlib.h>

#include "index/cdx.h"
#include "index/cdx_detect.h"
#include "record/gzmember.h"

#define PIECE_BYTES ((size_t)256 << 10)

struct walk {
	const struct cfs_cdx_each *each;
	struct cfs_cdx_legend legend;
	struct cfs_buf name;		/* scratch */
};

static int one_line(struct walk *w, struct cfs_slice text, const char *where,
		    uint64_t off)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_cdx_line line;
	struct cfs_slice name = CFS_SLICE_EMPTY;
	const char *why = "";
	int rc;

	if (cfs_cdx_is_legend(text)) {
		if (w->legend.n == 0)
			(void)cfs_cdx_parse_legend(text, &w->legend);
		return CFS_OK;
	}
	rc = cfs_cdx_parse(text, &w->legend, &line, &why);
	if (rc == CFS_OK) {
		cfs_buf_reset(&w->name);
		w->name.failed = CFS_OK;
		name = cfs_cdx_name(&line, &w->name);
		if (w->name.failed == CFS_ENOMEM)
			return CFS_ENOMEM;
		if (name.n == 0) {
			rc = CFS_EFORMAT;
			why = "the archive's name is not usable";
		}
	}
	if (rc == CFS_OK)
		return w->each->line(w->each->arg, &line, name);
	if (rc == CFS_EFORMAT) {
		cfs_error_at(&e, CFS_EFORMAT, where, off, "%s", why);
		w->each->damaged(w->each->arg, &e);
	}
	return CFS_OK;
}

/* ---- blocks ---- */

static int lines_of_block(struct walk *w, const struct cfs_cdx_text_in *in)
{
	struct cfs_slice rest = cfs_slice_of(in->p + in->from, in->n), line;
	int rc = CFS_OK;

	while (rc == CFS_OK && cfs_line_take(&rest, &line))
		rc = one_line(w, line, in->where, in->where_off +
			      (in->is_plain ? (size_t)(line.p - in->p) -
			       in->from : 0));
	return rc;
}

/* A damaged block is reported and left out. */
static int one_block(struct walk *w, struct cfs_cdx *x, uint32_t number,
		     struct cfs_error *err)
{
	struct cfs_cdx_text_in in = { .where_off = 0 };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = x->layout->read(x, number, &in, w->each->cancel, &e);

	if (rc == CFS_OK) {
		rc = lines_of_block(w, &in);
		w->each->advanced(w->each->arg, in.n);
	} else if (rc == CFS_EFORMAT || rc == CFS_ELIMIT) {
		w->each->damaged(w->each->arg, &e);
		rc = CFS_OK;
	} else if (rc != CFS_ENOTFOUND) {
		cfs_error_at(err, rc, e.where, e.offset, "%s", e.text);
	}
	free(in.p);
	return rc;
}

static int all_blocks(struct walk *w, struct cfs_cdx *x, struct cfs_error *err)
{
	const struct cfs_cancel *cancel = w->each->cancel;
	uint32_t number;
	int rc = x->layout->find(x, CFS_SLICE_EMPTY, &number, cancel, err);

	while (rc == CFS_OK) {
		if (cfs_cancelled(cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = one_block(w, x, number, err);
		if (rc == CFS_OK)
			rc = x->layout->following(x, number, &number, cancel,
						  err);
	}
	/* ENOTFOUND: there is not one block */
	return rc == CFS_END || rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* ---- one stream ---- */

struct stream {
	struct walk *w;
	const char *where;
	struct cfs_buf text;		/* a line that has not ended yet */
	uint64_t file_off;
	bool drop;			/* until the next line */
};

static int take_piece(struct stream *s, struct cfs_slice piece,
		      uint64_t file_off)
{
	struct cfs_slice rest, line;
	int rc = cfs_buf_add(&s->text, piece);

	if (rc != CFS_OK)
		return rc;
	rest = cfs_buf_slice(&s->text);
	while (rc == CFS_OK && cfs_slice_find(rest, '\n') >= 0) {
		cfs_line_take(&rest, &line);
		if (!s->drop)
			rc = one_line(s->w, line, s->where, s->file_off);
		s->drop = false;
	}
	if (rest.n > CFS_CDX_LINE_MAX) {	/* far too long */
		rest.n = 0;
		s->drop = true;
	}
	memmove(s->text.p, rest.p, rest.n);
	s->text.n = rest.n;
	s->w->each->advanced(s->w->each->arg, file_off - s->file_off);
	s->file_off = file_off;
	return rc;
}

/* What a member's end, or the file's within one, means.  CFS_END: all is
 * read. */
static int end_member(struct cfs_gz_stream *z, enum cfs_gz_state state,
		      const struct cfs_source *src,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc = CFS_END;

	if (state == CFS_GZ_MEMBER_END)
		rc = cfs_gz_stream_next(z, cancel, err);
	if (rc != CFS_END ||
	    (state == CFS_GZ_MEMBER_END &&
	     cfs_gz_stream_offset(z) >= src->size))
		return rc;
	return cfs_error_at(err, CFS_EFORMAT, src->name,
			    cfs_gz_stream_offset(z), state == CFS_GZ_CUT ?
			    "ends inside a gzip member" :
			    "gzip data is damaged");
}

static int inflate_all(struct stream *s, struct cfs_source *src,
		       struct cfs_error *err)
{
	const struct cfs_cancel *cancel = s->w->each->cancel;
	enum cfs_gz_state state;
	struct cfs_gz_stream *z = NULL;
	uint8_t *piece = malloc(PIECE_BYTES);
	size_t got;
	int rc;

	rc = piece == NULL ? cfs_error_nomem(err) :
	     cfs_source_find_size(src, cancel, err);
	if (rc == CFS_OK)
		rc = cfs_gz_stream_new(&z, src, 0, src->size, err);
	while (rc == CFS_OK) {
		rc = cfs_gz_stream_read(z, piece, PIECE_BYTES, &got, &state,
					cancel, err);
		if (rc == CFS_OK && got > 0)
			rc = take_piece(s, cfs_slice_of(piece, got),
					cfs_gz_stream_offset(z));
		if (rc == CFS_OK && state != CFS_GZ_MORE)
			rc = end_member(z, state, src, cancel, err);
	}
	cfs_gz_stream_free(z);
	free(piece);
	return rc == CFS_END ? CFS_OK : rc;
}

static int all_pieces(struct walk *w, struct cfs_source *src,
		      struct cfs_error *err)
{
	struct stream s = { .w = w, .where = src->name };
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	cfs_buf_init(&s.text, 2 * CFS_CDX_LINE_MAX + (1u << 20));
	rc = inflate_all(&s, src, &e);
	if (rc == CFS_OK && s.text.n > 0 && !s.drop)
		rc = one_line(w, cfs_buf_slice(&s.text), src->name, s.file_off);
	if (rc == CFS_EFORMAT && e.code == CFS_EFORMAT) {
		w->each->damaged(w->each->arg, &e);	/* the rest is lost */
		rc = CFS_OK;
	}
	if (rc != CFS_OK)
		cfs_error_at(err, rc, e.where, e.offset, "%s", e.text);
	cfs_buf_release(&s.text);
	return rc;
}

/* ---- the whole ---- */

int cfs_cdx_for_each(struct cfs_source *src, const struct cfs_index_opts *opts,
		     const struct cfs_cdx_each *each, struct cfs_error *err)
{
	struct walk w = { .each = each, .legend = { .n = 0 } };
	enum cfs_index_format look = CFS_INDEX_UNKNOWN;
	struct cfs_index *ix = NULL;
	int rc = cfs_cdx_look_at(src, &look, NULL, each->cancel, err);

	cfs_buf_init(&w.name, CFS_CDX_NAME_MAX);
	if (rc == CFS_OK && look == CFS_INDEX_UNKNOWN)
		rc = cfs_error_at(err, CFS_EFORMAT, src->name, 0,
				  "is not a CDX or CDXJ file");
	if (rc == CFS_OK && look == CFS_INDEX_CDX_GZ)
		rc = all_pieces(&w, src, err);
	if (rc != CFS_OK || look == CFS_INDEX_CDX_GZ) {
		cfs_source_close(src);
	} else {
		rc = look == CFS_INDEX_ZIPNUM ?
		     cfs_zipnum_open(&ix, src, opts, err) :
		     cfs_cdx_open(&ix, src, opts, true, err);
		if (rc == CFS_OK)
			rc = all_blocks(&w, (struct cfs_cdx *)ix, err);
		cfs_index_close(ix);
	}
	cfs_buf_release(&w.name);
	return rc;
}
