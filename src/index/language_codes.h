/* language_codes.h - the languages of a page, as an index keeps them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_LANGUAGE_CODES_H
#define CFS_INDEX_LANGUAGE_CODES_H

#include "base/slice.h"

/* The code of ISO 639-3 for a language of ISO 639-1 ("de") or of CLD2's names,
 * in lower case; empty if there is none. */
const char *cfs_language_code(const char *name);

/* Calls fn with each language that ISO 639-1 has: its code in ISO 639-3, and
 * its name in English as UTF-8. */
void cfs_language_each(void (*fn)(void *arg, const char *code,
				  const char *name), void *arg);

/* Letters of a language's code in ISO 639-3. */
#define CFS_LANGUAGE_BYTES 3u
/* A page has so many languages, as in Common Crawl's content_languages: CLD2
 * names no more. */
#define CFS_LANGUAGES_MAX 3u
/* Bytes of "isl,eng,deu". */
#define CFS_LANGUAGES_BYTES (CFS_LANGUAGES_MAX * (CFS_LANGUAGE_BYTES + 1u) - 1u)

/* Codes of ISO 639-3 with commas between them, that of most of the text first;
 * empty: not known.  Zeroed, it is empty. */
struct cfs_languages {
	char text[CFS_LANGUAGES_BYTES + 1u];
	/* The part of the text that is in each, in per cent; 0: not known. */
	uint8_t percent[CFS_LANGUAGES_MAX];
};

/* Borrows from l. */
static inline struct cfs_slice cfs_languages_list(const struct cfs_languages *l)
{
	return cfs_slice_str(l->text);
}

/* Appends a code, unless it is there already, is none, or is too much.
 * percent: of the text, at most 100, which is added to what the code has; 0:
 * not known. */
void cfs_languages_add(struct cfs_languages *l, struct cfs_slice code,
		       unsigned percent);

/* The part of the text, in per cent, that is in the first language of `of`, by
 * what was found; 0: not known. */
unsigned cfs_languages_percent(const struct cfs_languages *found,
			       const struct cfs_languages *of);

/* Makes *out the codes of a list that somebody else made, as far as they are
 * like codes. */
void cfs_languages_take(struct cfs_languages *out, struct cfs_slice list);

#endif
