/* class_words.c - the words that hint at an element's part (class_words.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "class_words.h"

#include <string.h>

#include "base/ascii.h"

#define WORD_MAX 16u		/* bytes of the longest word of the table */

/* Sorted by word.  The words are those that authors of themes and frameworks
 * use for the same things on very many sites; none is of one site. */
static const struct class_word {
	char word[WORD_MAX];
	uint8_t hints;
} class_words[] = {
	{ "ad", CFS_HINT_CHROME },
	{ "ads", CFS_HINT_CHROME },
	{ "adv", CFS_HINT_CHROME },
	{ "advert", CFS_HINT_CHROME },
	{ "advertisement", CFS_HINT_CHROME },
	{ "advertising", CFS_HINT_CHROME },
	{ "affiliate", CFS_HINT_CHROME },
	{ "alert", CFS_HINT_BLURB },
	{ "article", CFS_HINT_CONTENT },
	{ "articlebody", CFS_HINT_CONTENT },
	{ "author", CFS_HINT_BYLINE },
	{ "banner", CFS_HINT_BLURB },
	{ "bio", CFS_HINT_BYLINE },
	{ "body", CFS_HINT_CONTENT },
	{ "bookmark", CFS_HINT_BLURB },
	{ "breadcrumb", CFS_HINT_CHROME },
	{ "breadcrumbs", CFS_HINT_CHROME },
	{ "byline", CFS_HINT_BYLINE },
	{ "caption", CFS_HINT_CAPTION },
	{ "captions", CFS_HINT_CAPTION },
	{ "categories", CFS_HINT_BYLINE },
	{ "comment", CFS_HINT_COMMENTS },
	{ "commentlist", CFS_HINT_COMMENTS },
	{ "comments", CFS_HINT_COMMENTS },
	{ "consent", CFS_HINT_CHROME },
	{ "content", CFS_HINT_CONTENT },
	{ "contentinfo", CFS_HINT_CHROME },
	{ "cookie", CFS_HINT_CHROME },
	{ "cookies", CFS_HINT_CHROME },
	{ "copyright", CFS_HINT_CHROME },
	{ "credit", CFS_HINT_CAPTION },
	{ "date", CFS_HINT_BYLINE },
	{ "dateline", CFS_HINT_BYLINE },
	{ "dialog", CFS_HINT_CHROME },
	{ "disqus", CFS_HINT_COMMENTS },
	{ "donate", CFS_HINT_CHROME },
	{ "dropdown", CFS_HINT_BLURB },
	{ "entry", CFS_HINT_CONTENT },
	{ "figcaption", CFS_HINT_CAPTION },
	{ "footer", CFS_HINT_CHROME },
	{ "footers", CFS_HINT_CHROME },
	{ "gdpr", CFS_HINT_CHROME },
	{ "hidden", CFS_HINT_BLURB },
	{ "imagecaption", CFS_HINT_CAPTION },
	{ "login", CFS_HINT_CHROME },
	{ "main", CFS_HINT_CONTENT },
	{ "maincontent", CFS_HINT_CONTENT },
	{ "menu", CFS_HINT_CHROME },
	{ "menubar", CFS_HINT_CHROME },
	{ "metadata", CFS_HINT_BYLINE },
	{ "modal", CFS_HINT_CHROME },
	{ "nav", CFS_HINT_CHROME },
	{ "navbar", CFS_HINT_CHROME },
	{ "navigation", CFS_HINT_CHROME },
	{ "newsletter", CFS_HINT_CHROME },
	{ "noprint", CFS_HINT_CHROME },
	{ "offscreen", CFS_HINT_CHROME },
	{ "overlay", CFS_HINT_BLURB },
	{ "pager", CFS_HINT_CHROME },
	{ "pagination", CFS_HINT_CHROME },
	{ "paging", CFS_HINT_CHROME },
	{ "paywall", CFS_HINT_CHROME },
	{ "photocredit", CFS_HINT_CAPTION },
	{ "popular", CFS_HINT_BLURB },
	{ "popup", CFS_HINT_CHROME },
	{ "post", CFS_HINT_CONTENT },
	{ "print", CFS_HINT_BLURB },
	{ "promo", CFS_HINT_BLURB },
	{ "promoted", CFS_HINT_BLURB },
	{ "promotion", CFS_HINT_BLURB },
	{ "published", CFS_HINT_BYLINE },
	{ "rating", CFS_HINT_BLURB },
	{ "recommend", CFS_HINT_BLURB },
	{ "recommendations", CFS_HINT_BLURB },
	{ "recommended", CFS_HINT_BLURB },
	{ "related", CFS_HINT_BLURB },
	{ "replies", CFS_HINT_COMMENTS },
	{ "respond", CFS_HINT_COMMENTS },
	{ "screenreader", CFS_HINT_CHROME },
	{ "search", CFS_HINT_CHROME },
	{ "share", CFS_HINT_CHROME },
	{ "shares", CFS_HINT_CHROME },
	{ "sharing", CFS_HINT_CHROME },
	{ "sidebar", CFS_HINT_CHROME },
	{ "signin", CFS_HINT_CHROME },
	{ "signup", CFS_HINT_CHROME },
	{ "skip", CFS_HINT_CHROME },
	{ "social", CFS_HINT_CHROME },
	{ "sponsor", CFS_HINT_BLURB },
	{ "sponsored", CFS_HINT_BLURB },
	{ "sponsors", CFS_HINT_BLURB },
	{ "story", CFS_HINT_CONTENT },
	{ "subnav", CFS_HINT_CHROME },
	{ "subscribe", CFS_HINT_CHROME },
	{ "subscription", CFS_HINT_CHROME },
	{ "tagcloud", CFS_HINT_CHROME },
	{ "tags", CFS_HINT_BYLINE },
	{ "taxonomy", CFS_HINT_BYLINE },
	{ "teaser", CFS_HINT_BLURB },
	{ "teasers", CFS_HINT_BLURB },
	{ "text", CFS_HINT_CONTENT },
	{ "timestamp", CFS_HINT_BYLINE },
	{ "toolbar", CFS_HINT_CHROME },
	{ "tooltip", CFS_HINT_BLURB },
	{ "topbar", CFS_HINT_CHROME },
	{ "trending", CFS_HINT_BLURB },
	{ "widget", CFS_HINT_BLURB },
	{ "widgets", CFS_HINT_BLURB },
};
#define CLASS_WORDS (sizeof(class_words) / sizeof(class_words[0]))

static unsigned hints_of_word(const char *word)
{
	size_t from = 0, to = CLASS_WORDS;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int order = strcmp(word, class_words[mid].word);

		if (order == 0)
			return class_words[mid].hints;
		if (order < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return 0;
}

static bool is_small(uint8_t c) { return c >= 'a' && c <= 'z'; }
static bool is_letter(uint8_t c) { return is_small(cfs_ascii_lower(c)); }

unsigned cfs_class_hints(struct cfs_slice value)
{
	char word[WORD_MAX];
	unsigned hints = 0;
	size_t n = 0;

	if (value.n > CFS_CLASS_BYTES_MAX)
		value.n = CFS_CLASS_BYTES_MAX;
	for (size_t i = 0; i <= value.n; i++) {
		uint8_t c = i < value.n ? value.p[i] : ' ';
		bool begins = i > 0 && is_small(value.p[i - 1]) &&
			      is_letter(c) && !is_small(c);

		if (begins || !is_letter(c)) {
			if (n > 1 && n < WORD_MAX) {
				word[n] = '\0';
				hints |= hints_of_word(word);
			}
			n = 0;
		}
		if (is_letter(c)) {
			if (n < WORD_MAX - 1)
				word[n] = (char)cfs_ascii_lower(c);
			n++;
		}
	}
	return hints;
}
