/* cld2.cc - asks CLD2 for the languages of a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cstdio>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include "cld2.h"

static int encoding_of(enum cfs_cld2_charset charset)
{
	switch (charset) {
	case CFS_CLD2_CHINESE: return CLD2::CHINESE_GB;
	case CFS_CLD2_CHINESE_TRADITIONAL: return CLD2::CHINESE_BIG5;
	case CFS_CLD2_JAPANESE: return CLD2::JAPANESE_SHIFT_JIS;
	case CFS_CLD2_KOREAN: return CLD2::KOREAN_EUC_KR;
	case CFS_CLD2_ANY: break;
	}
	return CLD2::UNKNOWN_ENCODING;
}

extern "C" int cfs_cld2_find(const char *text, size_t n, const char *languages,
			     enum cfs_cld2_charset charset,
			     const char *codes[CFS_CLD2_LANGUAGES],
			     int percent[CFS_CLD2_LANGUAGES])
{
	CLD2::CLDHints hints = { languages, NULL, encoding_of(charset),
				 CLD2::UNKNOWN_LANGUAGE };
	CLD2::Language found[CFS_CLD2_LANGUAGES];
	int of_text[CFS_CLD2_LANGUAGES], text_bytes, valid_bytes, count = 0;
	double score[CFS_CLD2_LANGUAGES];
	bool is_reliable;

	try {
		CLD2::ExtDetectLanguageSummaryCheckUTF8(
			text, (int)n, true, &hints, 0, found, of_text, score,
			NULL, &text_bytes, &is_reliable, &valid_bytes);
	} catch (...) {
		return -1;
	}
	for (unsigned i = 0; i < CFS_CLD2_LANGUAGES; i++)
		if (found[i] != CLD2::UNKNOWN_LANGUAGE) {
			percent[count] = of_text[i];
			codes[count++] = CLD2::LanguageCode(found[i]);
		}
	return count;
}

extern "C" const char *cfs_cld2_version(void)
{
	return CLD2::DetectLanguageVersion();
}
