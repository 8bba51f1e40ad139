/* charset_find.c - finds the character set of a document: runs the steps in
 * order.
 *
 * Order and codes: doc/formats.md, "Charsets".  The steps are in these files:
 *     0   HTTP header         here
 *     1   own declaration     charset_prescan.c
 *     2   ICU's detector      charset_detect.c, after a strict test for UTF-8
 *     3   Mozilla's detector  charset_detect.c
 *     10  ISO-8859-1          here
 * Labels are in charset.c, conversion in charset_convert.c.
 *
 * A declared charset is believed even if the bytes contradict it: that is the
 * documented order.  Of 327 real pages, three declared UTF-8 and had one to
 * three invalid bytes; none was entirely in another set.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset_steps.h"

static bool by_header(const struct cfs_charset_input *in,
		      struct cfs_charset *out)
{
	struct cfs_slice label = cfs_charset_param(in->content_type);

	if (!cfs_charset_by_label(label, out))
		return false;
	/* "utf-16" alone leaves the byte order to the byte order mark */
	if (cfs_slice_eq_nocase(label, CFS_SLICE_LIT("utf-16")) &&
	    cfs_slice_starts(in->body, CFS_SLICE_LIT("\xfe\xff")))
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-16be"), out);
	return true;
}

void cfs_charset_find(const struct cfs_charset_input *in,
		      struct cfs_charset *out)
{
	bool no_memory;

	*out = (struct cfs_charset){ .by = CFS_CHARSET_BY_HEADER };
	if (by_header(in, out))
		return;
	out->by = CFS_CHARSET_BY_META;
	if (cfs_charset_declared(in->body, in->is_html, out) ||
	    cfs_charset_detect(in->body, in->pages, out))
		return;
	no_memory = out->no_memory;	/* set by the detectors */
	cfs_charset_by_label(CFS_SLICE_LIT("iso-8859-1"), out);
	out->by = CFS_CHARSET_BY_DEFAULT;
	out->no_memory = no_memory;
}
