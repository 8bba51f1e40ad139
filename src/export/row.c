/* row.c - makes the values of a row from a record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "row_internal.h"

#include "base/spill.h"
#include "codec/json.h"
#include "view/languages.h"
#include "view/simhash.h"

/* A buffer larger than this is freed after its row. */
#define ROW_BUFFER_KEPT ((size_t)4 << 20)

void cfs_export_row_init(struct cfs_export_row *r)
{
	*r = (struct cfs_export_row){ .has = 0 };
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		cfs_buf_init(&r->made[f], CFS_VIEW_MAX_BYTES);
	cfs_pdf_texts_init(&r->pdf);
}

void cfs_export_row_release(struct cfs_export_row *r)
{
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		cfs_buf_release(&r->made[f]);
	cfs_pdf_texts_release(&r->pdf);
}

void cfs_export_row_reset(struct cfs_export_row *r)
{
	r->has = 0;
	r->in = NULL;
	r->has_doc = false;
	cfs_pdf_texts_release(&r->pdf);
	r->headers = NULL;
	r->languages = (struct cfs_languages){ .text = "" };
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++) {
		if (r->made[f].spill != NULL ||
		    r->made[f].cap > ROW_BUFFER_KEPT ||
		    r->made[f].failed != CFS_OK)
			cfs_buf_release(&r->made[f]);
		else
			cfs_buf_reset(&r->made[f]);
	}
}

enum cfs_pages cfs_export_row_pages(const struct cfs_export_row *r,
				    enum cfs_export_field f)
{
	if (r->text[f].p == r->made[f].p)
		return r->made[f].spill != NULL ? CFS_PAGES_RELEASED :
						  CFS_PAGES_STAY;
	/* these borrow from the record */
	if (f == CFS_EXPORT_BODY || f == CFS_EXPORT_HTML ||
	    f == CFS_EXPORT_RECORD)
		return r->in->pages;
	return CFS_PAGES_STAY;
}

uint64_t cfs_export_row_bytes(const struct cfs_export_row *r)
{
	uint64_t n = 0;

	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		if ((r->has & CFS_EXPORT_BIT(f)) != 0 &&
		    !cfs_export_is_number(cfs_export_fields[f].kind) &&
		    cfs_export_fields[f].kind != CFS_EXPORT_PAIRS)
			n += r->text[f].n;
	return n;
}

void cfs_export_row_fail(struct cfs_export_row *r, const char *why)
{
	struct cfs_buf *made = &r->made[CFS_EXPORT_ERROR];

	if (r->has & CFS_EXPORT_BIT(CFS_EXPORT_ERROR))
		return;
	cfs_buf_adds(made, why[0] != '\0' ? why : "it cannot be read");
	cfs_export_row_set(r, CFS_EXPORT_ERROR, cfs_buf_slice(made));
}

/* Where there is a limit, links are read into a table, which takes more memory
 * than their JSON. */
void cfs_export_row_limit(struct cfs_export_row *r, uint64_t max)
{
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++) {
		if ((r->has & CFS_EXPORT_BIT(f)) == 0 ||
		    cfs_export_is_number(cfs_export_fields[f].kind) ||
		    cfs_export_fields[f].kind == CFS_EXPORT_PAIRS ||
		    r->text[f].n <= (f == CFS_EXPORT_LINKS ? max / 4 : max))
			continue;
		r->has &= ~CFS_EXPORT_BIT(f);
		cfs_export_row_fail(r, "a value is too long for this format");
	}
}

int cfs_row_take_made(const struct cfs_row_input *i, enum cfs_export_field f)
{
	const struct cfs_buf *made = &i->row->made[f];

	if (made->failed != CFS_OK)
		return cfs_error_set(i->ctx.err, made->failed,
				     made->failed == CFS_ELIMIT ?
				     "%s: too long" : "%s: out of memory",
				     cfs_export_fields[f].name);
	if (made->n > 0)
		cfs_export_row_set(i->row, f, cfs_buf_slice(made));
	return CFS_OK;
}

/* ---- what is made of its body ------------------------------------------- */

static const struct cfs_doc *row_doc_of(const struct cfs_row_input *i)
{
	struct cfs_export_row *r = i->row;

	if (!r->has_doc) {
		cfs_doc_find(i->in, &r->doc);
		r->doc.pdf = &r->pdf;
		r->pdf.with_main = (i->set & CFS_EXPORT_OF_MAIN) != 0;
	}
	r->has_doc = true;
	return &r->doc;
}

/* Has a long value in a file: that of a record that is in one itself. */
static int row_begin_long(const struct cfs_row_input *i,
			  enum cfs_export_field f)
{
	struct cfs_buf *made = &i->row->made[f];

	if (i->in->pages == CFS_PAGES_STAY || i->row->spill_dir == NULL)
		return CFS_OK;
	cfs_buf_release(made);		/* the memory of an earlier row */
	return cfs_spill_begin(made, i->row->spill_dir, i->ctx.err);
}

static int fill_charset(const struct cfs_row_input *i)
{
	const struct cfs_doc *doc = row_doc_of(i);

	if (doc->charset.no_memory)
		return cfs_error_nomem(i->ctx.err);
	if (doc->is_text && doc->has_charset)
		cfs_export_row_set(i->row, CFS_EXPORT_CHARSET,
				   cfs_slice_str(doc->charset.name));
	return CFS_OK;
}

/* Makes text and title in one pass. */
static int fill_text(const struct cfs_row_input *i)
{
	struct cfs_buf *title = &i->row->made[CFS_EXPORT_TITLE];
	struct cfs_buf *text = &i->row->made[CFS_EXPORT_TEXT];
	const struct cfs_doc *doc = row_doc_of(i);
	int rc;

	if (doc->kind == CFS_DOC_NONE || doc->body.n == 0)
		return CFS_OK;
	rc = row_begin_long(i, CFS_EXPORT_TEXT);
	if (rc == CFS_OK)
		rc = cfs_text_of_doc(doc, text, title, i->ctx);
	if (rc == CFS_OK && cfs_row_wants(i, CFS_EXPORT_TITLE))
		rc = cfs_row_take_made(i, CFS_EXPORT_TITLE);
	if (rc != CFS_OK || !cfs_row_wants(i, CFS_EXPORT_TEXT))
		return rc;
	/* a page without words has an empty text, which is known */
	rc = cfs_row_take_made(i, CFS_EXPORT_TEXT);
	if (rc == CFS_OK)
		cfs_export_row_set(i->row, CFS_EXPORT_TEXT,
				   cfs_buf_slice(text));
	return rc;
}

/* Finds the languages; text: all of it, or NULL. */
static int fill_languages(const struct cfs_row_input *i,
			  const struct cfs_slice *text)
{
	struct cfs_languages *l = &i->row->languages;
	int rc;

	if (i->in->languages == NULL &&
	    !cfs_row_wants(i, CFS_EXPORT_LANGUAGES_FOUND) &&
	    !cfs_row_wants(i, CFS_EXPORT_LANGUAGE_SCORE))
		return CFS_OK;
	rc = cfs_languages_find(i->in, row_doc_of(i), text, l, i->ctx);
	if (rc == CFS_OK && l->text[0] != '\0' &&
	    cfs_row_wants(i, CFS_EXPORT_LANGUAGES))
		cfs_export_row_set(i->row, CFS_EXPORT_LANGUAGES,
				   cfs_languages_list(l));
	return rc;
}

/* Finds which part of the text is in the first language that the row has, or
 * would have.  Where others have said which it is, the text is looked at. */
static int fill_score(const struct cfs_row_input *i,
		      const struct cfs_slice *text)
{
	const struct cfs_languages *l = &i->row->languages;
	struct cfs_languages found = *l;
	unsigned percent;
	int rc = CFS_OK;

	if (l->percent[0] == 0)
		rc = cfs_languages_measure(i->in, row_doc_of(i), text, &found,
					   i->ctx);
	percent = cfs_languages_percent(&found, l);
	if (rc == CFS_OK && percent > 0)
		cfs_export_row_set_number(i->row, CFS_EXPORT_LANGUAGE_SCORE,
					  percent);
	return rc;
}

/* Fills what is made of the text, in one pass. */
static int fill_of_text(const struct cfs_row_input *i)
{
	bool is_made = cfs_row_wants(i, CFS_EXPORT_TEXT) ||
		       cfs_row_wants(i, CFS_EXPORT_TITLE);
	struct cfs_slice text;
	int rc = is_made ? fill_text(i) : CFS_OK;

	text = cfs_buf_slice(&i->row->made[CFS_EXPORT_TEXT]);
	if (rc == CFS_OK && (cfs_row_wants(i, CFS_EXPORT_LANGUAGES) ||
			     (cfs_row_wants(i, CFS_EXPORT_LANGUAGE_SCORE) &&
			      i->row->languages.text[0] == '\0')))
		rc = fill_languages(i, is_made ? &text : NULL);
	if (rc == CFS_OK && cfs_row_wants(i, CFS_EXPORT_LANGUAGE_SCORE))
		rc = fill_score(i, is_made ? &text : NULL);
	return rc;
}

/* Begins the value of a form of the main content.  NULL: it is not wanted. */
static struct cfs_buf *begin_form(const struct cfs_row_input *i,
				  enum cfs_export_field f, int *rc)
{
	if (!cfs_row_wants(i, f))
		return NULL;
	if (*rc == CFS_OK)
		*rc = row_begin_long(i, f);
	return &i->row->made[f];
}

static int take_form(const struct cfs_row_input *i, enum cfs_export_field f)
{
	int rc;

	if (!cfs_row_wants(i, f))
		return CFS_OK;
	/* a page without content has an empty one, which is known */
	rc = cfs_row_take_made(i, f);
	if (rc == CFS_OK)
		cfs_export_row_set(i->row, f, cfs_buf_slice(&i->row->made[f]));
	return rc;
}

/* Makes the main content, which is chosen once for both forms and the hash. */
static int fill_main(const struct cfs_row_input *i)
{
	const struct cfs_doc *doc = row_doc_of(i);
	struct cfs_view_input in = *i->in;
	struct cfs_buf *markdown, *plain;
	int64_t hash;
	int rc = CFS_OK;

	if (doc->kind == CFS_DOC_NONE || doc->body.n == 0)
		return CFS_OK;
	in.doc = doc;
	markdown = begin_form(i, CFS_EXPORT_MARKDOWN, &rc);
	plain = begin_form(i, CFS_EXPORT_MAIN, &rc);
	if (plain == NULL && cfs_row_wants(i, CFS_EXPORT_SIMHASH))
		plain = &i->row->made[CFS_EXPORT_SIMHASH];
	if (rc == CFS_OK)
		rc = cfs_view_main_forms(&in, markdown, plain, i->ctx);
	if (rc == CFS_OK && cfs_row_wants(i, CFS_EXPORT_SIMHASH) &&
	    plain != NULL && plain->failed == CFS_OK &&
	    cfs_simhash_of_text(cfs_buf_slice(plain), &hash))
		cfs_export_row_set_number(i->row, CFS_EXPORT_SIMHASH,
					  (uint64_t)hash);
	if (rc == CFS_OK)
		rc = take_form(i, CFS_EXPORT_MARKDOWN);
	return rc == CFS_OK ? take_form(i, CFS_EXPORT_MAIN) : rc;
}

static int fill_html(const struct cfs_row_input *i)
{
	const struct cfs_doc *doc = row_doc_of(i);
	struct cfs_buf *out = &i->row->made[CFS_EXPORT_HTML];
	struct cfs_slice utf8;
	int rc;

	if (doc->kind != CFS_DOC_HTML)
		return CFS_OK;
	rc = row_begin_long(i, CFS_EXPORT_HTML);
	if (rc == CFS_OK)
		rc = cfs_doc_utf8(doc, doc->body.n, out, &utf8, i->ctx.err);
	if (rc == CFS_OK)
		cfs_export_row_set(i->row, CFS_EXPORT_HTML, utf8);
	return rc;
}

static void fill_body(const struct cfs_row_input *i)
{
	const struct cfs_record *from = cfs_view_body_of(i->in);

	if (i->in->no_body_reason == NULL)
		cfs_export_row_set(i->row, CFS_EXPORT_BODY, from->body);
}

/* Makes the .meta, on one line, in the buffer of its field. */
static int row_make_meta(const struct cfs_row_input *i)
{
	static const struct cfs_view_opts compact = { .meta_compact = true };
	struct cfs_buf *out = &i->row->made[CFS_EXPORT_META];
	struct cfs_view_input in = *i->in;
	int rc;

	if (out->n > 0)
		return CFS_OK;
	in.doc = row_doc_of(i);
	rc = cfs_view_render(CFS_VIEW_META, &in, &compact, out, i->ctx);
	if (rc == CFS_OK && out->n > 0 && out->p[out->n - 1] == '\n')
		out->n--;
	return rc == CFS_OK ? out->failed : rc;
}

/* Sets metadata, and the links in them. */
static int fill_meta(const struct cfs_row_input *i)
{
	struct cfs_slice meta, links;
	int rc = row_make_meta(i);

	if (rc != CFS_OK)
		return rc;
	meta = cfs_buf_slice(&i->row->made[CFS_EXPORT_META]);
	links = cfs_json_member_of(cfs_json_member_of(meta, "content"), "links");
	if (cfs_row_wants(i, CFS_EXPORT_META))
		cfs_export_row_set(i->row, CFS_EXPORT_META, meta);
	if (cfs_row_wants(i, CFS_EXPORT_LINKS) && links.n > 0)
		cfs_export_row_set(i->row, CFS_EXPORT_LINKS, links);
	return CFS_OK;
}

/* ---- all of it ---------------------------------------------------------- */

int cfs_export_row_fill(struct cfs_export_row *r, cfs_export_set set,
			const struct cfs_view_input *in, struct cfs_ctx ctx)
{
	struct cfs_row_input i = { .row = r, .set = set & ~r->has, .in = in,
			       .r = in->record, .ctx = ctx };
	int rc;

	r->in = in;
	cfs_export_row_place(r, i.set, cfs_view_url_of(in), in->archive_name,
			     in->loc.offset, in->loc.length);
	rc = cfs_row_fill_heads(&i);
	if (rc == CFS_OK && cfs_row_wants(&i, CFS_EXPORT_CHARSET))
		rc = fill_charset(&i);
	if (rc == CFS_OK && (i.set & CFS_EXPORT_OF_PAGE) != 0)
		rc = cfs_row_fill_page(&i, row_doc_of(&i));
	if (rc == CFS_OK)
		rc = fill_of_text(&i);
	if (rc == CFS_OK && (i.set & CFS_EXPORT_OF_MAIN) != 0)
		rc = fill_main(&i);
	if (rc == CFS_OK && cfs_row_wants(&i, CFS_EXPORT_HTML))
		rc = fill_html(&i);
	if (cfs_row_wants(&i, CFS_EXPORT_BODY))
		fill_body(&i);
	if (rc == CFS_OK && (cfs_row_wants(&i, CFS_EXPORT_META) ||
			     cfs_row_wants(&i, CFS_EXPORT_LINKS)))
		rc = fill_meta(&i);
	return rc;
}

void cfs_export_add_pages(struct cfs_buf *out, struct cfs_slice s,
			  enum cfs_pages pages)
{
	while (s.n > 0) {
		struct cfs_slice step = cfs_slice_sub(s, 0, CFS_SPILL_STEP);

		cfs_buf_add(out, step);
		cfs_pages_passed(pages, step);
		cfs_spill_settle(out);
		s = cfs_slice_from(s, step.n);
	}
}
