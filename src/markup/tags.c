/* tags.c - numbers for the names of HTML elements (see tags.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tags.h"

#include <pthread.h>

#include "base/keywords.h"

_Static_assert(CFS_TAG_COUNT - 1 <= CFS_KEYWORDS_MAX, "room for all");

static const struct cfs_slice tag_names[CFS_TAG_COUNT] = {
	[CFS_TAG_OTHER] = { (const uint8_t *)"", 0 },
#define T(id, name) \
	[CFS_TAG_##id] = { (const uint8_t *)(name), sizeof(name) - 1 },
	CFS_HTML_TAGS(T)
#undef T
};

static struct cfs_keywords tag_words;	/* their numbers are those of tags */
static pthread_once_t tag_words_once = PTHREAD_ONCE_INIT;

static void fill_tag_words(void)
{
	for (unsigned tag = 1; tag < CFS_TAG_COUNT; tag++)
		cfs_keywords_add(&tag_words, tag_names[tag], tag);
}

enum cfs_html_tag cfs_html_tag_find(struct cfs_slice name, size_t readable)
{
	pthread_once(&tag_words_once, fill_tag_words);
	return cfs_keywords_find(&tag_words, name, readable);
}

const char *cfs_html_tag_name(enum cfs_html_tag tag)
{
	return (const char *)tag_names[tag].p;
}
