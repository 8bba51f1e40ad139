/* code.c - which code makes the views (see cfs_view_code in view.h).
 *
 * view_code.inc is made by make: the checksum of every source file that the
 * bytes of a view depend on.  Detectors and parsers in libraries count too,
 * as far as they report their version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <libxml/parser.h>
#include <stdio.h>
#include <unicode/uversion.h>

#include "base/hash.h"
#include "src/view/view_code.inc"
#include "view.h"

uint32_t cfs_view_code(void)
{
	char icu[U_MAX_VERSION_STRING_LENGTH], text[256];
	UVersionInfo v;
	uint64_t h;

	u_getVersion(v);
	u_versionToString(v, icu);
	snprintf(text, sizeof(text), "%lu %s %s",
		 (unsigned long)CFS_VIEW_SOURCES, icu, xmlParserVersion);
	h = cfs_hash64(cfs_slice_str(text), 0);
	return (uint32_t)h != 0 ? (uint32_t)h : 1;
}

int cfs_view_measure(const struct cfs_view_input *in, uint64_t *meta_bytes,
		     uint64_t *text_bytes, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	static const struct cfs_view_opts opts = { .meta_compact = false };
	struct cfs_view_input measured = *in;
	struct cfs_buf b;
	int rc;

	measured.only_length = true;
	cfs_buf_init(&b, CFS_VIEW_MAX_BYTES);
	rc = cfs_view_render(CFS_VIEW_META, &measured, &opts, &b, cancel, err);
	*meta_bytes = b.n;
	cfs_buf_reset(&b);
	if (rc == CFS_OK)
		rc = cfs_view_render(CFS_VIEW_TEXT, &measured, &opts, &b, cancel, err);
	*text_bytes = b.n;
	cfs_buf_release(&b);
	return rc;
}
