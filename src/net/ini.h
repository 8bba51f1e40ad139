/* ini.h - finds a value in the text of an INI file (~/.aws/credentials).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_INI_H
#define CFS_NET_INI_H

#include "base/slice.h"

/*
 * The value of `name` in [section]: the last one there is, without blanks
 * around it; false if there is none.  Lines of ';' and '#' are comments;
 * indented lines belong to nested settings and are skipped.  Names are
 * compared without case, sections exactly.  *out borrows from text.
 */
bool cfs_ini_find(struct cfs_slice text, const char *section, const char *name,
		  struct cfs_slice *out);

#endif
