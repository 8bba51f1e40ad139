/* ini.c - finds a value in the text of an INI file.
 *
 *     line    = blank / comment / "[" section "]" / name "=" value
 *     comment = (";" / "#") ...
 * as the AWS tools read their shared credentials file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ini.h"

static struct cfs_slice take_line(struct cfs_slice *rest)
{
	ptrdiff_t nl = cfs_slice_find(*rest, '\n');
	size_t n = nl < 0 ? rest->n : (size_t)nl;
	struct cfs_slice line = cfs_slice_sub(*rest, 0, n);

	*rest = cfs_slice_from(*rest, nl < 0 ? n : n + 1);
	return line;
}

/* [name], perhaps with a comment behind it. */
static bool is_section(struct cfs_slice line, const char *section)
{
	ptrdiff_t end = cfs_slice_find(line, ']');

	return end > 0 &&
	       cfs_slice_eq(cfs_slice_trim(cfs_slice_sub(line, 1,
							 (size_t)end - 1)),
			    cfs_slice_str(section));
}

bool cfs_ini_find(struct cfs_slice text, const char *section, const char *name,
		  struct cfs_slice *out)
{
	bool inside = false, found = false;

	while (text.n > 0) {
		struct cfs_slice line = take_line(&text);
		ptrdiff_t eq;

		if (line.n == 0 || line.p[0] == ' ' || line.p[0] == '\t' ||
		    line.p[0] == ';' || line.p[0] == '#')
			continue;
		if (line.p[0] == '[') {
			inside = is_section(line, section);
			continue;
		}
		eq = cfs_slice_find(line, '=');
		if (!inside || eq <= 0 ||
		    !cfs_slice_eq_nocase(cfs_slice_trim(cfs_slice_sub(line, 0,
								(size_t)eq)),
					 cfs_slice_str(name)))
			continue;
		*out = cfs_slice_trim(cfs_slice_from(line, (size_t)eq + 1));
		found = true;
	}
	return found;
}
