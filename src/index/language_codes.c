/* language_codes.c - the languages of a page, as an index keeps them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "language_codes.h"

#include <string.h>
#include <unicode/uloc.h>
#include <unicode/ustring.h>

#define NAME_CHARS 64		/* of a language's name in English, at most */

const char *cfs_language_code(const char *name)
{
	static const struct {
		const char *name, *iso;
	} odd[] = {
		{ "jw", "jav" },	/* withdrawn, as "iw" for Hebrew */
		{ "bh", "bih" },	/* a group of languages */
		{ "crs", "crs" }, { "lif", "lif" },	/* unknown to ICU */
		{ "un", "" }, { "xxx", "" },	/* unknown */
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		if (strcmp(name, odd[i].name) == 0)
			return odd[i].iso;
	return uloc_getISO3Language(name);	/* "" for xx-Latn, zzp */
}

void cfs_language_each(void (*fn)(void *arg, const char *code,
				  const char *name), void *arg)
{
	for (const char *const *code = uloc_getISOLanguages(); *code != NULL;
	     code++) {
		char name[3 * NAME_CHARS] = "";
		UChar wide[NAME_CHARS];
		UErrorCode failed = U_ZERO_ERROR;
		int32_t n;

		if (strlen(*code) != 2)
			continue;
		n = uloc_getDisplayLanguage(*code, "en", wide, NAME_CHARS,
					    &failed);
		u_strToUTF8(name, sizeof(name), NULL, wide, n, &failed);
		if (failed == U_ZERO_ERROR)
			fn(arg, cfs_language_code(*code), name);
	}
}

static bool is_language_code(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < 'a' || s.p[i] > 'z')
			return false;
	return s.n == CFS_LANGUAGE_BYTES;
}

/* The place of a code in the list; that behind all, if it is not there. */
static size_t place_of(const struct cfs_languages *l, struct cfs_slice code)
{
	struct cfs_slice rest = cfs_languages_list(l);
	size_t i = 0;

	while (rest.n > 0 && !cfs_slice_eq(cfs_slice_split(&rest, ','), code))
		i++;
	return i;
}

void cfs_languages_add(struct cfs_languages *l, struct cfs_slice code,
		       unsigned percent)
{
	size_t n = strlen(l->text), at = place_of(l, code);

	if (!is_language_code(code) || at >= CFS_LANGUAGES_MAX)
		return;
	l->percent[at] = (uint8_t)(l->percent[at] + percent);
	if (at * (CFS_LANGUAGE_BYTES + 1) < n)
		return;
	if (n > 0)
		l->text[n++] = ',';
	memcpy(l->text + n, code.p, CFS_LANGUAGE_BYTES);
	l->text[n + CFS_LANGUAGE_BYTES] = '\0';
}

unsigned cfs_languages_percent(const struct cfs_languages *found,
			       const struct cfs_languages *of)
{
	size_t at = place_of(found, cfs_slice_sub(cfs_languages_list(of), 0,
						  CFS_LANGUAGE_BYTES));

	return at < CFS_LANGUAGES_MAX ? found->percent[at] : 0;
}

void cfs_languages_take(struct cfs_languages *out, struct cfs_slice list)
{
	*out = (struct cfs_languages){ .text = "" };
	/* no longer list has more than fits */
	list = cfs_slice_sub(list, 0, CFS_LANGUAGES_BYTES);
	while (list.n > 0)
		cfs_languages_add(out, cfs_slice_split(&list, ','), 0);
}
