/* cld2.h - the part of CLD2 that is used, for C: the one file of C++ has it.
 *
 * CLD2 (Compact Language Detector 2, Dick Sites, 2013) compares groups of four
 * letters, and the characters of East Asian texts, with those of some 80
 * languages, with the larger tables of 160.  It is thread-safe.  It takes at
 * most some passes over a text, the longest unit of which is 40 KiB.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CLD2_H
#define CFS_VIEW_CLD2_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CLD2 names so many languages of a text. */
#define CFS_CLD2_LANGUAGES 3u
/* It may look at bytes behind a text, which the caller provides and which are
 * blanks. */
#define CFS_CLD2_PAD 16u

/* Charsets that say something about the language. */
enum cfs_cld2_charset {
	CFS_CLD2_ANY,
	CFS_CLD2_CHINESE,
	CFS_CLD2_CHINESE_TRADITIONAL,
	CFS_CLD2_JAPANESE,
	CFS_CLD2_KOREAN,
};

/*
 * Finds the languages of a text, that of most of it first.
 *
 * text      UTF-8 without control characters other than tab and line ends, and
 *           without noncharacters: otherwise nothing is found
 * languages NULL, or language tags with commas between them, in lower case,
 *           which are more probable than others
 * codes     set to names of static duration: "en", "zh-Hant", "kha"
 * percent   set to the parts of the text that are in these, in per cent
 *
 * Returns their number, at most CFS_CLD2_LANGUAGES; -1 without memory.
 */
int cfs_cld2_find(const char *text, size_t n, const char *languages,
		  enum cfs_cld2_charset charset,
		  const char *codes[CFS_CLD2_LANGUAGES],
		  int percent[CFS_CLD2_LANGUAGES]);

/* Its version and that of its tables; NULL if this program has no CLD2. */
const char *cfs_cld2_version(void);

#ifdef __cplusplus
}
#endif

#endif
