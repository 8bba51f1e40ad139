/* language_hints.c - what a page says itself about its language.
 *
 * Any of it may be wrong, most often a `lang` that came with a template: these
 * are hints, and the text decides.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "languages.h"

#include <stdlib.h>
#include <string.h>

#include "markup/tokenizer.h"

/* UTF-8 of CFS_LANGUAGE_HINT_READ bytes in any charset. */
#define CONVERTED_MAX (CFS_LANGUAGE_HINT_READ * 4)

static bool is_tag_byte(uint8_t c)
{
	return cfs_is_alnum(c) || c == '-' || c == '_';
}

/* Adds one tag, unless it is not like one. */
static void add_tag(struct cfs_language_hints *h, struct cfs_slice tag)
{
	char *to = h->tags + strlen(h->tags);

	tag = cfs_slice_trim(tag);
	if (tag.n < 2 || tag.n > CFS_LANGUAGE_HINT_BYTES ||
	    h->n >= CFS_LANGUAGE_HINTS_MAX || !cfs_is_alpha(tag.p[0]))
		return;
	for (size_t i = 0; i < tag.n; i++)
		if (!is_tag_byte(tag.p[i]))
			return;
	if (h->n++ > 0)
		*to++ = ',';
	for (size_t i = 0; i < tag.n; i++)
		*to++ = tag.p[i] == '_' ? '-' :
			(char)cfs_ascii_lower(tag.p[i]);
	*to = '\0';
}

/* Adds the tags of a list.  One that is longer than all that can be taken is
 * read to there. */
static void add_tags(struct cfs_language_hints *h, struct cfs_slice list)
{
	list = cfs_slice_sub(list, 0, sizeof(h->tags));
	while (list.n > 0)
		add_tag(h, cfs_slice_split(&list, ','));
}

/* ---- the charset --------------------------------------------------------- */

static enum cfs_cld2_charset charset_of(const struct cfs_doc *doc)
{
	static const struct {
		const char *names;
		enum cfs_cld2_charset charset;
	} known[] = {
		{ "GB2312 GBK GB18030 HZ-GB-2312 ISO-2022-CN",
		  CFS_CLD2_CHINESE },
		{ "Big5 Big5-HKSCS x-EUC-TW", CFS_CLD2_CHINESE_TRADITIONAL },
		{ "EUC-JP ISO-2022-JP Shift_JIS windows-31j",
		  CFS_CLD2_JAPANESE },
		{ "EUC-KR x-windows-949 ISO-2022-KR", CFS_CLD2_KOREAN },
	};
	struct cfs_slice name;

	if (!doc->has_charset || doc->charset.no_memory)
		return CFS_CLD2_ANY;
	name = cfs_slice_str(doc->charset.name);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (cfs_slice_in_words(name, known[i].names))
			return known[i].charset;
	return CFS_CLD2_ANY;
}

/* ---- the document -------------------------------------------------------- */

static void add_attr(struct cfs_language_hints *h,
		     const struct cfs_html_token *t, struct cfs_slice name)
{
	struct cfs_slice value;

	if (cfs_html_attr_find(t, name, &value))
		add_tags(h, value);
}

static void add_meta_tags(struct cfs_language_hints *h,
			  const struct cfs_html_token *t)
{
	struct cfs_slice value;

	if (cfs_html_attr_find(t, CFS_SLICE_LIT("http-equiv"), &value) &&
	    cfs_slice_eq_nocase(cfs_slice_trim(value),
				CFS_SLICE_LIT("content-language")))
		add_attr(h, t, CFS_SLICE_LIT("content"));
}

static void read_page(struct cfs_language_hints *h,
		      struct cfs_html_tokenizer *t)
{
	const struct cfs_html_token *token;

	while ((token = cfs_html_next(t))->type != CFS_HTML_EOF) {
		if (token->type != CFS_HTML_START)
			continue;
		cfs_html_follow(t, token->tag);
		if (token->tag == CFS_TAG_META)
			add_meta_tags(h, token);
		if (token->tag == CFS_TAG_HTML || token->tag == CFS_TAG_BODY)
			add_attr(h, token, CFS_SLICE_LIT("lang"));
		if (token->tag == CFS_TAG_HTML)
			add_attr(h, token, CFS_SLICE_LIT("xml:lang"));
		if (token->tag == CFS_TAG_BODY)
			break;
	}
}

/* The language of the feed comes before that of any of its items. */
static void read_feed(struct cfs_language_hints *h,
		      struct cfs_html_tokenizer *t)
{
	static const struct cfs_slice language = CFS_SLICE_LIT("language");
	const struct cfs_html_token *token;
	bool is_language = false;

	while (h->n == 0 &&
	       (token = cfs_html_next(t))->type != CFS_HTML_EOF) {
		if (token->type == CFS_HTML_TEXT && is_language)
			add_tags(h, token->text);
		is_language = token->type == CFS_HTML_START &&
			      cfs_slice_eq_nocase(token->name, language);
		if (token->type == CFS_HTML_START)
			add_attr(h, token, CFS_SLICE_LIT("xml:lang"));
	}
}

static int read_doc(struct cfs_language_hints *h, const struct cfs_doc *doc,
		    struct cfs_error *err)
{
	struct cfs_html_tokenizer *t;
	struct cfs_doc first = *doc;
	struct cfs_slice utf8;
	CFS_BUF(conv, CONVERTED_MAX);
	int rc;

	/* the same bytes, whether the document was converted already or not */
	first.has_utf8 = false;
	rc = cfs_doc_utf8(&first, CFS_LANGUAGE_HINT_READ, &conv, &utf8, err);
	t = rc == CFS_OK ? malloc(sizeof(*t)) : NULL;
	if (rc == CFS_OK && t == NULL)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK) {
		cfs_html_begin(t, utf8);
		if (doc->kind == CFS_DOC_FEED)
			read_feed(h, t);
		else
			read_page(h, t);
	}
	free(t);
	return rc;
}

int cfs_language_hints_find(const struct cfs_view_input *in,
			    const struct cfs_doc *doc,
			    struct cfs_language_hints *out,
			    struct cfs_error *err)
{
	const struct cfs_record *head = cfs_view_body_of(in);

	*out = (struct cfs_language_hints){ .charset = charset_of(doc) };
	if (head->has_http)
		add_tags(out, cfs_fields_get_last(&head->http,
						  "Content-Language", NULL));
	if (doc->kind != CFS_DOC_HTML && doc->kind != CFS_DOC_FEED)
		return CFS_OK;
	return read_doc(out, doc, err);
}
