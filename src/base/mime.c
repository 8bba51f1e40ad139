/* mime.c - finds the media type in a Content-Type.
 *
 * Spec: WHATWG Fetch, "extract a MIME type"; MIME Sniffing, sections 4.4 and 7
 * (types that are as good as none).
 *     value = type *( "," type )       the last one counts
 *     type  = 1*token "/" 1*token      whatever follows it belongs to its
 *                                      parameters
 * Also accepted: parameters behind a blank or another character that no type
 * has.  What has no slash is no type: so are the placeholders of ARC and CDX
 * files ("unk", "no-type", "-").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mime.h"

#include <string.h>

#include "ascii.h"

static bool is_mime_byte(uint8_t c)
{
	return cfs_is_alnum(c) || memchr("!#$&-^_.+/", c, 10) != NULL;
}

/* True for a type that says that the type is not known.  A block of
 * application/http is a message whose own type counts. */
static bool is_no_type(struct cfs_slice type)
{
	static const char *const none[] = {
		"unknown/unknown", "application/unknown", "application/http",
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (cfs_slice_eq_nocase(type, cfs_slice_str(none[i])))
			return true;
	return cfs_slice_starts_nocase(type, CFS_SLICE_LIT("unk/"));
}

/* The type that a value or a member of a list begins with, or nothing. */
static struct cfs_slice first_type(struct cfs_slice s)
{
	ptrdiff_t slash;

	s = cfs_slice_trim(s);
	s.n = cfs_slice_run(s, is_mime_byte);
	slash = cfs_slice_find(s, '/');
	if (slash <= 0 || (size_t)slash + 1 == s.n || is_no_type(s))
		return CFS_SLICE_EMPTY;
	return s;
}

/* Takes a member off a list; a comma in quotes does not end it. */
static struct cfs_slice take_list_member(struct cfs_slice *list)
{
	struct cfs_slice all = *list;
	bool is_quoted = false;
	size_t n = 0;

	while (n < all.n && (is_quoted || all.p[n] != ',')) {
		if (all.p[n] == '"')
			is_quoted = !is_quoted;
		else if (is_quoted && all.p[n] == '\\')
			n++;
		n++;
	}
	*list = cfs_slice_from(all, n < all.n ? n + 1 : all.n);
	return cfs_slice_sub(all, 0, n < all.n ? n : all.n);
}

struct cfs_slice cfs_mime_type(struct cfs_slice value)
{
	struct cfs_slice found = CFS_SLICE_EMPTY;

	if (cfs_slice_find(value, ',') < 0)
		return first_type(value);	/* almost always */
	while (value.n > 0) {
		struct cfs_slice type = first_type(take_list_member(&value));

		if (type.n > 0)
			found = type;
	}
	return found;
}
