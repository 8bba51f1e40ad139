/* language_codes.c - the languages of a page, as an index keeps them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "language_codes.h"

#include <string.h>

static bool is_language_code(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < 'a' || s.p[i] > 'z')
			return false;
	return s.n == CFS_LANGUAGE_BYTES;
}

static bool has_code(const struct cfs_languages *l, struct cfs_slice code)
{
	struct cfs_slice rest = cfs_languages_list(l);

	while (rest.n > 0)
		if (cfs_slice_eq(cfs_slice_split(&rest, ','), code))
			return true;
	return false;
}

void cfs_languages_add(struct cfs_languages *l, struct cfs_slice code)
{
	size_t n = strlen(l->text);

	if (!is_language_code(code) || has_code(l, code) ||
	    n > CFS_LANGUAGES_BYTES - CFS_LANGUAGE_BYTES - 1)
		return;
	if (n > 0)
		l->text[n++] = ',';
	memcpy(l->text + n, code.p, CFS_LANGUAGE_BYTES);
	l->text[n + CFS_LANGUAGE_BYTES] = '\0';
}

void cfs_languages_take(struct cfs_languages *out, struct cfs_slice list)
{
	*out = (struct cfs_languages){ .text = "" };
	/* no longer list has more than fits */
	list = cfs_slice_sub(list, 0, CFS_LANGUAGES_BYTES);
	while (list.n > 0)
		cfs_languages_add(out, cfs_slice_split(&list, ','));
}
