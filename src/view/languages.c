/* languages.c - finds the languages that the text of a page is in.
 *
 * CLD2, which Common Crawl uses, too, looks at a sample of the text: ranges of
 * RANGE_BYTES at equal distances, since the beginning of a page is often a menu
 * in another language.  On 549 real pages the whole text has the same first
 * language as the sample on all but one, and takes 2.6 times as long.  What the
 * page says of its language are hints.
 *
 * CLD2's names are those of ISO 639-1 where there is one, so they are
 * converted; both ways to write Chinese are "zho", as in Common Crawl's
 * indexes.  Names of mere scripts and of jokes are left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "languages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/swar.h"
#include "html/outline.h"
#include "markup/tokenizer.h"

/* The sample takes about 0.2 ms: with more, an index of all pages takes longer
 * by more than a fifth; with half of it, one page in 200 becomes another. */
#define RANGES 8u
#define RANGE_BYTES 512u
#define SAMPLE_BYTES (RANGES * (RANGE_BYTES + 1u))
/* A range begins behind a blank that is so near, else in a word. */
#define WORD_BYTES 64u
/* Only this many bytes of a plain text are examined. */
#define PLAIN_BYTES ((size_t)64 << 10)
/* UTF-8 of CFS_LANGUAGE_HINT_READ bytes in any charset. */
#define CONVERTED_MAX (CFS_LANGUAGE_HINT_READ * 4)

static const char *finder;

static void find_finder(void)
{
	finder = cfs_cld2_version();
}

const char *cfs_languages_finder(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	/* CLD2 writes the text anew at each call */
	pthread_once(&once, find_finder);
	return finder;
}

/* ---- what a page says itself --------------------------------------------- */

/* Any of it may be wrong, most often a `lang` that came with a template: these
 * are hints, and the text decides. */

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

/* ---- the sample ---------------------------------------------------------- */

/* True for what CLD2 refuses a text for. */
static bool is_refused(uint32_t c)
{
	return (c < ' ' && c != '\t' && c != '\n' && c != '\r') ||
	       (c >= 0x7f && c <= 0x9f) || (c >= 0xfdd0 && c <= 0xfdef) ||
	       (c & 0xfffe) == 0xfffe;
}

/* The bytes at the front of s that are copied eight at a time: ASCII without
 * control characters. */
static size_t clean_run(struct cfs_slice s)
{
	size_t n = 0;

	while (n + 8 <= s.n &&
	       cfs_swar_are_ascii_from(cfs_swar_at(s.p + n), ' ') &&
	       !cfs_swar_have(cfs_swar_at(s.p + n), 0x7f))
		n += 8;
	return n;
}

/* Copies text, with a blank for each byte that CLD2 would refuse.  Returns the
 * number of bytes, which is not larger. */
static size_t copy_clean(char *to, struct cfs_slice s)
{
	size_t out = 0;

	while (s.n > 0) {
		uint32_t c;
		size_t n = clean_run(s);

		memcpy(to + out, s.p, n);
		out += n;
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = cfs_utf8_decode(s, &c);
		if (n == 0 || is_refused(c)) {
			to[out++] = ' ';
			n += n == 0;
		} else {
			memcpy(to + out, s.p, n);
			out += n;
		}
		s = cfs_slice_from(s, n);
	}
	return out;
}

/* Where a range that is due at `at` begins: behind a blank, or where a
 * character does. */
static size_t range_begin(struct cfs_slice text, size_t at)
{
	size_t i = at;

	while (i < text.n && i < at + WORD_BYTES && text.p[i] > ' ')
		i++;
	if (i < text.n && text.p[i] <= ' ')
		return i;
	while (at < text.n && (text.p[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* Fills out with the sample, and blanks behind it.  Returns its bytes. */
static size_t take_sample(char out[SAMPLE_BYTES + CFS_CLD2_PAD],
			  struct cfs_slice text)
{
	size_t n = 0;

	if (text.n <= RANGES * RANGE_BYTES) {
		n = copy_clean(out, text);
	} else {
		size_t step = (text.n - RANGE_BYTES) / (RANGES - 1);

		for (unsigned i = 0; i < RANGES; i++) {
			size_t at = i == 0 ? 0 : range_begin(text, i * step);

			n += copy_clean(out + n, cfs_slice_sub(text, at,
							       RANGE_BYTES));
			out[n++] = '\n';
		}
	}
	memset(out + n, ' ', CFS_CLD2_PAD);
	return n;
}

/* ---- a page -------------------------------------------------------------- */

static int find_in_text(const struct cfs_view_input *in,
			const struct cfs_doc *doc, struct cfs_slice text,
			struct cfs_languages *out, struct cfs_error *err)
{
	const char *codes[CFS_CLD2_LANGUAGES];
	int percent[CFS_CLD2_LANGUAGES];
	char sample[SAMPLE_BYTES + CFS_CLD2_PAD];
	struct cfs_language_hints hints;
	int n, rc = cfs_language_hints_find(in, doc, &hints, err);

	if (rc != CFS_OK)
		return rc;
	n = cfs_cld2_find(sample, take_sample(sample, text),
			  hints.n > 0 ? hints.tags : NULL, hints.charset,
			  codes, percent);
	if (n < 0)
		return cfs_error_nomem(err);
	for (int i = 0; i < n; i++)
		cfs_languages_add(
			out, cfs_slice_str(cfs_language_code(codes[i])),
			(unsigned)percent[i]);
	return CFS_OK;
}

/* Sets what a plain text is judged by. */
static int plain_text(const struct cfs_doc *doc, struct cfs_buf *conv,
		      struct cfs_slice *out, struct cfs_error *err)
{
	struct cfs_doc first = *doc;

	first.has_utf8 = false;
	return cfs_doc_utf8(&first, PLAIN_BYTES, conv, out, err);
}

/* Has the page a text, and not a program?  A document of PDF is one also where
 * its type is none of text. */
static bool can_be_judged(const struct cfs_doc *doc)
{
	return doc->body.n > 0 && doc->kind != CFS_DOC_NONE &&
	       (doc->is_text || doc->kind == CFS_DOC_PDF) &&
	       cfs_languages_finder() != NULL;
}

/* Takes what a WARC record of text states itself. */
static void take_stated(const struct cfs_view_input *in,
			struct cfs_languages *out)
{
	cfs_languages_take(out, cfs_record_warc_field(cfs_view_body_of(in),
					"WARC-Identified-Content-Language"));
}

bool cfs_languages_need_text(const struct cfs_view_input *in,
			     const struct cfs_doc *doc)
{
	struct cfs_languages stated;

	if (in->languages != NULL || !can_be_judged(doc))
		return false;
	take_stated(in, &stated);
	return stated.text[0] == '\0';
}

int cfs_languages_find(const struct cfs_view_input *in,
		       const struct cfs_doc *doc, const struct cfs_slice *text,
		       struct cfs_languages *out, struct cfs_ctx ctx)
{
	if (in->languages != NULL) {
		*out = *in->languages;
		return CFS_OK;
	}
	take_stated(in, out);
	return out->text[0] != '\0' ? CFS_OK :
	       cfs_languages_measure(in, doc, text, out, ctx);
}

int cfs_languages_measure(const struct cfs_view_input *in,
			  const struct cfs_doc *doc,
			  const struct cfs_slice *text,
			  struct cfs_languages *out, struct cfs_ctx ctx)
{
	struct cfs_slice s = CFS_SLICE_EMPTY;
	CFS_BUF(made, CFS_HTML_TEXT_MAX * 2);
	int rc = CFS_OK;

	*out = (struct cfs_languages){ .text = "" };
	if (!can_be_judged(doc))
		return CFS_OK;
	if (doc->charset.no_memory)
		return cfs_error_nomem(ctx.err);
	if (doc->kind == CFS_DOC_PLAIN) {
		rc = plain_text(doc, &made, &s, ctx.err);
	} else if (text != NULL) {
		s = *text;
	} else {
		rc = cfs_text_of_doc(doc, &made, NULL, ctx);
		if (rc == CFS_OK && made.failed != CFS_OK)
			rc = cfs_error_set(ctx.err, made.failed,
					   "text is too long");
		s = cfs_buf_slice(&made);
	}
	if (rc == CFS_OK)
		rc = find_in_text(in, doc, s, out, ctx.err);
	return rc;
}
