/* no_cld2.c - takes the place of cld2.cc in a program that was built without
 * CLD2.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cld2.h"

int cfs_cld2_find(const char *text, size_t n, const char *languages,
		  enum cfs_cld2_charset charset,
		  const char *codes[CFS_CLD2_LANGUAGES],
		  int percent[CFS_CLD2_LANGUAGES])
{
	(void)text, (void)n, (void)languages, (void)charset, (void)codes;
	(void)percent;
	return 0;
}

const char *cfs_cld2_version(void)
{
	return NULL;
}
