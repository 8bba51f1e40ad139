/* measure.c - computes the sizes of views, and the version number that they
 * depend on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <unicode/uversion.h>

#include "base/hash.h"
#include "doc.h"
#include "html/outline.h"
#include "languages.h"
#include "pdf/pdf.h"
#include "simhash.h"
#include "view.h"

static uint32_t code;

static void make_code(void)
{
	char icu[U_MAX_VERSION_STRING_LENGTH], text[256];
	const char *finder = cfs_languages_finder();
	const char *pdf = cfs_pdf_version();
	UVersionInfo v;
	uint64_t h;

	if (pdf == NULL)
		pdf = "-";
	u_getVersion(v);
	u_versionToString(v, icu);
	snprintf(text, sizeof(text), "%d %s %s %s", CFS_VIEW_VERSION, icu,
		 finder != NULL ? finder : "-", pdf);
	h = cfs_hash64(cfs_slice_str(text), 0);
	code = (uint32_t)h != 0 ? (uint32_t)h : 1;
}

uint32_t cfs_view_version(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_code);
	return code;
}

/* Finds the document and converts it to UTF-8, once for all views. */
static int find_doc(const struct cfs_view_input *in, struct cfs_doc *doc,
		    struct cfs_buf *conv, struct cfs_error *err)
{
	int rc = CFS_OK;

	cfs_doc_find(in, doc);
	if (doc->kind == CFS_DOC_HTML || doc->kind == CFS_DOC_FEED) {
		rc = cfs_doc_page(doc, conv, &doc->utf8, err);
		doc->has_utf8 = rc == CFS_OK;
	}
	return rc;
}

/* Begins a view that may be as long as the body. */
static int begin(const struct cfs_view_input *in, struct cfs_buf *b,
		 struct cfs_error *err)
{
	cfs_buf_init(b, CFS_VIEW_MAX_BYTES);
	return in->spill_dir != NULL ? cfs_spill_begin(b, in->spill_dir, err) :
				       CFS_OK;
}

/* Adds the similarity hash of the main content, if it has one. */
static void hash_main(struct cfs_slice plain, struct cfs_view_bytes *out)
{
	int64_t hash;

	if (cfs_simhash_of_text(plain, &hash))
		cfs_view_bytes_set(out, CFS_SLOT_SIMHASH, (uint64_t)hash);
}

/* Makes the forms of the main content, which is chosen once, and its hash. */
static int main_forms(const struct cfs_view_input *in, uint32_t slots,
		      struct cfs_view_bytes *out, struct cfs_ctx ctx)
{
	static const struct {
		enum cfs_view_slot slot;
		uint32_t for_slots;
	} of[] = {
		{ CFS_SLOT_MARKDOWN, 1u << CFS_SLOT_MARKDOWN },
		{ CFS_SLOT_MAIN, 1u << CFS_SLOT_MAIN | 1u << CFS_SLOT_SIMHASH },
	};
	struct cfs_buf form[2], *wanted[2] = { NULL, NULL };
	int rc = CFS_OK;

	for (unsigned i = 0; i < 2; i++) {
		cfs_buf_init(&form[i], 0);
		if ((slots & of[i].for_slots) == 0 || rc != CFS_OK)
			continue;
		wanted[i] = &form[i];
		rc = begin(in, &form[i], ctx.err);
	}
	if (rc == CFS_OK && (wanted[0] != NULL || wanted[1] != NULL))
		rc = cfs_view_main_forms(in, wanted[0], wanted[1], ctx);
	for (unsigned i = 0; i < 2; i++) {
		if (wanted[i] != NULL && rc == CFS_OK)
			rc = cfs_view_made_in(&form[i], ctx.err);
		if (slots >> of[i].slot & 1)
			cfs_view_bytes_set(out, of[i].slot, form[i].n);
	}
	if (rc == CFS_OK && (slots >> CFS_SLOT_SIMHASH & 1) != 0)
		hash_main(cfs_buf_slice(&form[1]), out);
	cfs_buf_release(&form[0]);
	cfs_buf_release(&form[1]);
	return rc;
}

/* Makes text and metadata, for which a page is gone through once. */
static int pair(const struct cfs_view_input *in, struct cfs_view_bytes *out,
		struct cfs_languages *languages, struct cfs_ctx ctx)
{
	struct cfs_buf text;
	CFS_BUF(meta, CFS_VIEW_MAX_BYTES);
	int rc = begin(in, &text, ctx.err);

	if (rc == CFS_OK && cfs_cancelled(ctx.cancel))
		rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	if (rc == CFS_OK)
		rc = cfs_view_meta_and_text(in, &meta, &text, languages, ctx);
	if (rc == CFS_OK)
		rc = cfs_view_made_in(&meta, ctx.err);
	if (rc == CFS_OK && in->taker != NULL)
		rc = in->taker->take(in->taker->arg, cfs_buf_slice(&text),
				     ctx.err);
	cfs_view_bytes_set(out, CFS_SLOT_TEXT, text.n);
	cfs_view_bytes_set(out, CFS_SLOT_META, meta.n);
	cfs_buf_release(&text);
	return rc;
}

/* Renders the views one after another, as long as all can be made. */
static int all(struct cfs_view_input *in, uint32_t slots,
	       struct cfs_view_bytes *out, struct cfs_languages *languages,
	       struct cfs_ctx ctx)
{
	int rc = pair(in, out, languages, ctx);

	in->languages = languages;
	return rc == CFS_OK ? main_forms(in, slots, out, ctx) : rc;
}

int cfs_view_measure(const struct cfs_view_input *in, uint32_t slots,
		     struct cfs_view_bytes *out,
		     struct cfs_languages *languages, struct cfs_ctx ctx)
{
	struct cfs_view_input measured = *in;
	struct cfs_pdf_texts pdf;
	CFS_BUF(conv, CFS_HTML_TEXT_MAX * 2);
	struct cfs_doc doc;
	int rc;

	cfs_pdf_texts_init(&pdf);
	pdf.with_main = (slots & ~CFS_VIEW_BYTES_PAIR) != 0;
	rc = find_doc(in, &doc, &conv, ctx.err);
	doc.pdf = &pdf;
	measured.doc = &doc;
	measured.only_length = true;
	out->known = 0;
	if (in->languages == NULL)
		*languages = (struct cfs_languages){ .text = "" };
	if (rc == CFS_OK)
		rc = all(&measured, slots, out, languages, ctx);
	if (rc != CFS_OK)
		out->known = 0;
	cfs_pdf_texts_release(&pdf);
	return rc;
}
