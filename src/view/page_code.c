/* page_code.c - finds blocks of code, line numbers and languages by the classes
 * of highlighters (page_blocks.h).
 *
 * The classes are those of Pygments, Rouge, Chroma, Hexo, GitHub, Prism,
 * highlight.js and its line numbers, SyntaxHighlighter, Crayon, pandoc,
 * Google's prettify, MediaWiki, Org mode, CodeMirror, Ace and Monaco.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_blocks.h"

#include <pthread.h>

#include "base/ascii.h"
#include "base/keywords.h"

/* ---- roles -------------------------------------------------------------- */

#define CELL CFS_CODE_NUMBERS_CELL
#define INSIDE CFS_CODE_NUMBERS_INSIDE
#define NUMBERS CFS_CODE_NUMBERS
#define BLOCK CFS_CODE_BLOCK

static const struct role_word {
	struct cfs_slice word;
	unsigned roles;
} role_words[] = {
#define W(word, roles) { CFS_SLICE_LIT(word), roles }
	W("linenos", CELL | CFS_CODE_NUMBERS_PRE | INSIDE),
	W("lineno", CELL | CFS_CODE_NUMBERS_PRE | INSIDE),
	W("line-number", CELL | INSIDE), W("linenumber", CELL | INSIDE),
	W("linenumbers", CELL | INSIDE), W("line_number", CELL | INSIDE),
	W("nums", CELL | INSIDE), W("ln", INSIDE), W("lnt", INSIDE),
	W("gutter", CELL), W("line-numbers", CELL), W("blob-num", CELL),
	W("rouge-gutter", CELL), W("hljs-ln-numbers", CELL),
	W("crayon-nums", CELL), W("js-line-number", CELL),
	W("linenodiv", NUMBERS), W("cm-gutters", NUMBERS),
	W("ace_gutter", NUMBERS), W("code", CFS_CODE_CELL),
	W("CodeMirror-code", BLOCK), W("cm-content", BLOCK),
	W("ace_text-layer", BLOCK), W("view-lines", BLOCK),
	W("crayon-pre", BLOCK),
	/* longer than cfs_keywords may have */
	W("line-numbers-rows", NUMBERS), W("CodeMirror-gutter", NUMBERS),
	W("CodeMirror-gutters", NUMBERS),
	W("CodeMirror-gutter-wrapper", NUMBERS),
	W("CodeMirror-linenumber", NUMBERS),
	W("margin-view-overlays", NUMBERS),
	W("react-syntax-highlighter-line-number", NUMBERS),
#undef W
};
#define ROLE_WORDS (sizeof(role_words) / sizeof(role_words[0]))

static struct cfs_keywords known_words;	/* numbers: places there, plus 1 */
static uint64_t first_letters;		/* of role_words: bit C - 'A' */
static pthread_once_t known_words_once = PTHREAD_ONCE_INIT;

static void fill_known_words(void)
{
	for (unsigned i = 0; i < ROLE_WORDS; i++) {
		struct cfs_slice word = role_words[i].word;

		first_letters |= (uint64_t)1 << (word.p[0] - 'A');
		if (word.n <= CFS_KEYWORD_BYTES_MAX)
			cfs_keywords_add(&known_words, word, i + 1);
	}
}

static unsigned role_of_word(struct cfs_slice word)
{
	unsigned i;

	if (word.n <= CFS_KEYWORD_BYTES_MAX) {
		i = cfs_keywords_find(&known_words, word, 0);
		return i > 0 ? role_words[i - 1].roles : 0;
	}
	for (i = ROLE_WORDS; i > 0 && role_words[i - 1].word.n >
	     CFS_KEYWORD_BYTES_MAX; i--)
		if (cfs_slice_eq(word, role_words[i - 1].word))
			return role_words[i - 1].roles;
	return 0;
}

/* True of letters that words of role_words begin with: few words of a page
 * do. */
static bool may_begin(uint8_t c)
{
	return c >= 'A' && c <= 'z' && (first_letters >> (c - 'A') & 1) != 0;
}

unsigned cfs_page_code_roles(struct cfs_slice value)
{
	struct cfs_slice word;
	unsigned roles = 0;

	pthread_once(&known_words_once, fill_known_words);
	while (cfs_slice_next_word(&value, &word))
		if (may_begin(word.p[0]))
			roles |= role_of_word(word);
	return roles;
}

bool cfs_page_is_gutter(enum cfs_html_tag tag, unsigned roles, bool is_inside)
{
	if ((roles & CFS_CODE_NUMBERS) != 0)
		return true;
	if (tag == CFS_TAG_TD || tag == CFS_TAG_TH)
		return (roles & CFS_CODE_NUMBERS_CELL) != 0;
	if (tag == CFS_TAG_PRE)
		return (roles & CFS_CODE_NUMBERS_PRE) != 0;
	return is_inside && (roles & CFS_CODE_NUMBERS_INSIDE) != 0;
}

bool cfs_page_is_number(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	return cfs_html_attr_find(el->token, CFS_SLICE_LIT("class"), &v) &&
	       cfs_page_is_gutter(el->tag, cfs_page_code_roles(v), true);
}

/* ---- languages ---------------------------------------------------------- */

/* Appends the name of a language in lower case, up to a character that no such
 * name has.  False if it is no language. */
static bool add_language(struct cfs_slice s, struct cfs_buf *out)
{
	size_t n = 0;

	while (n < s.n && n < CFS_CODE_LANGUAGE_MAX &&
	       (cfs_is_alnum(s.p[n]) || s.p[n] == '+' || s.p[n] == '-' ||
		s.p[n] == '#' || s.p[n] == '.' || s.p[n] == '_'))
		n++;
	s = cfs_slice_sub(s, 0, n);
	if (n == 0 || cfs_slice_in_words(s, "none default undefined auto null "
					 "nohighlight no-highlight"))
		return false;
	for (size_t i = 0; i < n; i++)
		cfs_buf_addc(out, s.p[i] == '_' ? '-' :
			     cfs_ascii_lower(s.p[i]));
	return true;
}

/* True of classes that stand beside a language and are none. */
static bool is_noise(struct cfs_slice word)
{
	return cfs_slice_in_words(word, "hljs highlight sourceCode numberSource "
		"numberLines lineAnchors literate notranslate line-numbers "
		"copyable wrap code prettyprint linenums prettyprinted "
		"hasLineNumbers language");
}

/* The language that a word names: behind a prefix, or, beside a class of
 * highlight.js, pandoc or Hexo, the word itself. */
static bool language_of_word(struct cfs_slice word, bool is_bare,
			     struct cfs_buf *out)
{
	static const struct cfs_slice before[] = {
		CFS_SLICE_LIT("language-"), CFS_SLICE_LIT("lang-"),
		CFS_SLICE_LIT("highlight-source-"),
		CFS_SLICE_LIT("highlight-text-"), CFS_SLICE_LIT("brush:"),
		CFS_SLICE_LIT("lang:"), CFS_SLICE_LIT("mw-highlight-lang-"),
	};

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (cfs_slice_starts_nocase(word, before[i]))
			return add_language(cfs_slice_from(word, before[i].n),
					    out);
	return is_bare && !is_noise(word) && add_language(word, out);
}

/* Sphinx has highlight-c alone, or with a word for translators. */
static bool language_of_sphinx(struct cfs_slice v, struct cfs_buf *out)
{
	struct cfs_slice word, other;

	return cfs_slice_next_word(&v, &word) &&
	       cfs_slice_starts(word, CFS_SLICE_LIT("highlight-")) &&
	       (!cfs_slice_next_word(&v, &other) ||
		cfs_slice_eq(other, CFS_SLICE_LIT("notranslate"))) &&
	       add_language(cfs_slice_from(word, sizeof("highlight-") - 1),
			    out);
}

static bool language_of_class(struct cfs_slice v, struct cfs_buf *out)
{
	struct cfs_slice all = v, word;
	bool is_bare = false, follows = false;

	if (cfs_slice_starts(v, CFS_SLICE_LIT("src src-")))	/* Org mode's */
		return add_language(cfs_slice_from(v, sizeof("src src-") - 1),
				    out);
	while (cfs_slice_next_word(&v, &word)) {
		if (follows || language_of_word(word, false, out))
			return !follows || add_language(word, out);
		follows = cfs_slice_eq_nocase(word, CFS_SLICE_LIT("brush:"));
		is_bare |= cfs_slice_in_words(word,
					      "hljs sourceCode highlight");
	}
	while (is_bare && cfs_slice_next_word(&all, &word))
		if (language_of_word(word, true, out))
			return true;
	return false;
}

bool cfs_page_code_language(const struct cfs_html_el *el, struct cfs_buf *out)
{
	struct cfs_slice v;

	if (cfs_html_el_get(el, CFS_SLICE_LIT("data-lang"), &v) ||
	    cfs_html_el_get(el, CFS_SLICE_LIT("data-language"), &v))
		if (add_language(cfs_slice_trim(v), out))
			return true;
	return cfs_html_el_get(el, CFS_SLICE_LIT("class"), &v) &&
	       (language_of_class(v, out) || language_of_sphinx(v, out));
}
