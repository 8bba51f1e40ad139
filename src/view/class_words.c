/* class_words.c - the words that hint at an element's part (class_words.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "class_words.h"

#include <pthread.h>

#include "base/ascii.h"
#include "base/keywords.h"

#define WORD_MAX (CFS_KEYWORD_BYTES_MAX + 1)

/* Words up to this length occur in hashes by chance. */
#define BY_CHANCE_MAX 3u
/* A word that says that what follows is about something beside or below the
 * element: "with-sidebar", "has-comments", "no-ads". */
#define HINT_OTHER 2048u
/* A word that says so only at the beginning of a name without a number:
 * "hidden-xs", but neither "lazy-hidden" nor "hidden-1kx8z", which is for one
 * width of the screen. */
#define HINT_FIRST 1024u
#define HINTS_OF_NAMES (HINT_OTHER | HINT_FIRST)

/* Sorted by word.  The words are those that authors of themes and frameworks
 * use for the same things on very many sites; none is of one site. */
static const struct class_word {
	char word[WORD_MAX];
	uint16_t hints;
} class_words[] = {
	{ "accordion", CFS_HINT_PANEL },
	{ "ad", CFS_HINT_CHROME },
	{ "ads", CFS_HINT_CHROME },
	{ "advert", CFS_HINT_CHROME },
	{ "advertisement", CFS_HINT_CHROME },
	{ "advertising", CFS_HINT_CHROME },
	{ "affiliate", CFS_HINT_CHROME },
	{ "alert", CFS_HINT_BLURB },
	{ "article", CFS_HINT_CONTENT },
	{ "author", CFS_HINT_BYLINE },
	{ "bio", CFS_HINT_BYLINE },
	{ "breadcrumb", CFS_HINT_CHROME },
	{ "breadcrumbs", CFS_HINT_CHROME },
	{ "byline", CFS_HINT_BYLINE },
	{ "caption", CFS_HINT_CAPTION },
	{ "card", HINT_OTHER },
	{ "category", HINT_OTHER },
	{ "code", HINT_OTHER },	/* "code-toolbar" has both */
	{ "collapse", CFS_HINT_PANEL },
	{ "comment", CFS_HINT_COMMENTS },
	{ "comments", CFS_HINT_COMMENTS },
	{ "consent", CFS_HINT_FRAME },
	{ "content", CFS_HINT_CONTENT },
	{ "controls", CFS_HINT_CHROME },
	{ "cookie", CFS_HINT_FRAME },
	{ "cookies", CFS_HINT_FRAME },
	{ "copyright", CFS_HINT_FRAME },
	{ "credit", CFS_HINT_CAPTION },
	{ "date", CFS_HINT_BYLINE },
	{ "dialog", CFS_HINT_CHROME },
	{ "disclaimer", CFS_HINT_CHROME },
	{ "disqus", CFS_HINT_COMMENTS },
	{ "dropdown", CFS_HINT_BLURB },
	{ "entry", CFS_HINT_CONTENT },
	{ "faq", CFS_HINT_PANEL },
	{ "figcaption", CFS_HINT_CAPTION },
	{ "footer", CFS_HINT_FRAME },
	{ "footnote", CFS_HINT_FOOTNOTE },
	{ "footnotes", CFS_HINT_FOOTNOTE },
	{ "form", CFS_HINT_BLURB },
	{ "forum", CFS_HINT_FORUM },
	{ "forums", CFS_HINT_FORUM },
	{ "gdpr", CFS_HINT_FRAME },
	{ "has", HINT_OTHER },
	{ "hidden", CFS_HINT_BLURB | HINT_FIRST },
	{ "latest", CFS_HINT_BLURB },
	{ "legal", CFS_HINT_FRAME },
	{ "login", CFS_HINT_CHROME },
	{ "main", CFS_HINT_CONTENT },
	{ "menu", CFS_HINT_CHROME },
	{ "metadata", CFS_HINT_BYLINE },
	{ "modal", CFS_HINT_CHROME },
	{ "nav", CFS_HINT_CHROME },
	{ "navbar", CFS_HINT_CHROME },
	{ "navigation", CFS_HINT_CHROME },
	{ "newsletter", CFS_HINT_CHROME },
	{ "no", HINT_OTHER },
	{ "noprint", CFS_HINT_CHROME },
	{ "overlay", CFS_HINT_BLURB },
	{ "pager", CFS_HINT_CHROME },
	{ "pagination", CFS_HINT_CHROME },
	{ "paging", CFS_HINT_CHROME },
	{ "paywall", CFS_HINT_CHROME },
	{ "photo", CFS_HINT_CAPTION },
	{ "popular", CFS_HINT_BLURB },
	{ "popup", CFS_HINT_CHROME },
	{ "posts", CFS_HINT_BLURB },
	{ "prev", CFS_HINT_BLURB },
	{ "print", CFS_HINT_BLURB },
	{ "products", CFS_HINT_BLURB },
	{ "profile", CFS_HINT_BYLINE },
	{ "promo", CFS_HINT_BLURB },
	{ "promotion", CFS_HINT_BLURB },
	{ "published", CFS_HINT_BYLINE },
	{ "rating", CFS_HINT_BLURB },
	{ "recommendations", CFS_HINT_BLURB },
	{ "recommended", CFS_HINT_BLURB },
	{ "related", CFS_HINT_BLURB },
	{ "replies", CFS_HINT_COMMENTS },
	{ "respond", CFS_HINT_COMMENTS },
	{ "reviews", CFS_HINT_COMMENTS },
	{ "share", CFS_HINT_CHROME },
	{ "sharing", CFS_HINT_CHROME },
	{ "sidebar", CFS_HINT_CHROME },
	{ "signature", CFS_HINT_BYLINE },
	{ "signup", CFS_HINT_CHROME },
	{ "social", CFS_HINT_CHROME },
	{ "sponsored", CFS_HINT_BLURB },
	{ "sr", CFS_HINT_CHROME },
	{ "story", CFS_HINT_CONTENT },
	{ "subnav", CFS_HINT_CHROME },
	{ "subscribe", CFS_HINT_CHROME },
	{ "subtitle", CFS_HINT_LEAD },
	{ "tab", CFS_HINT_PANEL },
	{ "tabs", CFS_HINT_PANEL },
	{ "tags", CFS_HINT_BYLINE },
	{ "teaser", CFS_HINT_BLURB | CFS_HINT_LEAD },
	{ "text", CFS_HINT_CONTENT },
	{ "thread", CFS_HINT_FORUM },
	{ "time", CFS_HINT_BYLINE },
	{ "toolbar", CFS_HINT_CHROME },
	{ "tooltip", CFS_HINT_BLURB },
	{ "trending", CFS_HINT_BLURB },
	{ "user", CFS_HINT_BYLINE },
	{ "viewtopic", CFS_HINT_FORUM },
	{ "visually", CFS_HINT_BLURB },
	{ "with", HINT_OTHER },
};
#define CLASS_WORDS (sizeof(class_words) / sizeof(class_words[0]))

_Static_assert(CLASS_WORDS <= CFS_KEYWORDS_MAX, "room for all");

static struct cfs_keywords known_words;	/* 1 + index in class_words */
static pthread_once_t known_words_once = PTHREAD_ONCE_INIT;

static void fill_known_words(void)
{
	for (unsigned i = 0; i < CLASS_WORDS; i++)
		cfs_keywords_add(&known_words,
				 cfs_slice_str(class_words[i].word), i + 1);
}

/* The hints of the first n bytes of a word. */
static unsigned hints_of_word(const char word[WORD_MAX], size_t n)
{
	unsigned i = cfs_keywords_find(&known_words, cfs_slice_of(word, n),
				       WORD_MAX);

	return i > 0 ? class_words[i - 1].hints : 0;
}

/* True of a short word, at `from`, that is in a number or hash by chance:
 * the ad of "container-de4e8c2ad6". */
static bool is_by_chance(struct cfs_slice value, size_t from, size_t n)
{
	size_t i = from + n;

	if (n > BY_CHANCE_MAX)
		return false;
	if (from > 0 && cfs_is_digit(value.p[from - 1]))
		return true;
	while (i < value.n && cfs_is_digit(value.p[i]))
		i++;
	return i > from + n && i < value.n && cfs_is_alpha(value.p[i]);
}

/* True if a digit is in what is left of a name, from i on. */
static bool has_number(struct cfs_slice value, size_t i)
{
	while (i < value.n && value.p[i] > ' ' && !cfs_is_digit(value.p[i]))
		i++;
	return i < value.n && value.p[i] > ' ';
}

/* The byte at i, or a blank at the end.  An amount in brackets is no name:
 * "top-[var(--nav-height)]". */
static uint8_t next_byte(struct cfs_slice value, size_t i, bool *is_amount)
{
	uint8_t c = i < value.n ? value.p[i] : ' ';

	*is_amount = c > ' ' && c != ']' && (*is_amount || c == '[');
	return *is_amount ? '-' : c;
}

unsigned cfs_class_hints(struct cfs_slice value)
{
	char word[WORD_MAX] = "";
	unsigned hints = 0, more, before = 0;
	bool was_small = false, is_amount = false, is_first = true;
	size_t n = 0;

	pthread_once(&known_words_once, fill_known_words);
	if (value.n > CFS_CLASS_BYTES_MAX)
		value.n = CFS_CLASS_BYTES_MAX;
	for (size_t i = 0; i <= value.n; i++) {
		uint8_t c = next_byte(value, i, &is_amount);
		uint8_t small = c | 0x20;
		bool is_letter = (uint8_t)(small - 'a') < 26;

		if (!is_letter || (was_small && c != small)) {
			if (n > 1 && n < WORD_MAX) {
				more = is_by_chance(value, i - n, n) ? 0 :
				       hints_of_word(word, n);
				if (before != HINT_OTHER &&
				    (!(more & HINT_FIRST) ||
				     (is_first && !has_number(value, i))))
					hints |= more & ~HINTS_OF_NAMES;
				before = more;
				is_first = false;
			}
			if (c <= ' ') {
				before = 0;
				is_first = true;
			}
			n = 0;
		}
		was_small = is_letter && c == small;
		if (is_letter) {
			if (n < WORD_MAX - 1)
				word[n] = (char)small;
			n++;
		}
	}
	if (hints & CFS_HINT_PANEL)	/* "accordion-content hidden" */
		hints &= ~(unsigned)CFS_HINT_BLURB;
	return hints;
}

/* ---- headings ----------------------------------------------------------- */

/* Bytes of a heading that are looked at. */
#define HEADING_BYTES 64u

static bool starts_with(struct cfs_slice text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (cfs_slice_starts_nocase(text, cfs_slice_str(*words)))
			return true;
	return false;
}

bool cfs_heading_of_pointers(struct cfs_slice text)
{
	static const char *const first[] = {
		"related", "similar ", "more from ", "more like ", "you may ",
		"you might ", "recently ", "frequently bought", NULL
	};
	static const char *const also[] = { "like", "bought", "viewed", NULL };
	ptrdiff_t at;

	text = cfs_slice_sub(cfs_slice_trim(text), 0, HEADING_BYTES);
	if (starts_with(text, first))
		return true;
	at = cfs_slice_search_nocase(text, CFS_SLICE_LIT("also "));
	return at >= 0 && starts_with(cfs_slice_from(text, (size_t)at + 5),
				      also);
}
