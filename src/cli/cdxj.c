/* cdxj.c - writes captures as CDXJ lines.
 *
 * Format: doc/formats.md, "CDXJ lines":
 *     surt SP timestamp14 SP {"url": ..., "mime": ..., "status": ...,
 *     "length": ..., "offset": ..., "filename": ...} LF
 * All values are strings; non-ASCII is \uXXXX; a byte of a URL that is not
 * UTF-8 is percent-escaped, which means the same URL to a server.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdxj.h"

#include <inttypes.h>

#include "base/timestamp.h"
#include "base/utf8.h"
#include "url/surt.h"

static void add_unit(struct cfs_buf *out, uint32_t u)
{
	cfs_buf_addf(out, "\\u%04x", u);
}

static void add_json_string(struct cfs_buf *out, struct cfs_slice s)
{
	cfs_buf_addc(out, '"');
	while (s.n > 0) {
		uint32_t cp = 0;
		size_t n = cfs_utf8_decode(s, &cp);

		if (n == 0) {
			cfs_buf_addf(out, "%%%02X", s.p[0]);
			n = 1;
		} else if (cp == '"' || cp == '\\') {
			cfs_buf_addc(out, '\\');
			cfs_buf_addc(out, (uint8_t)cp);
		} else if (cp >= 0x20 && cp < 0x7f) {
			cfs_buf_addc(out, (uint8_t)cp);
		} else if (cp < 0x10000) {
			add_unit(out, cp);
		} else {
			add_unit(out, 0xd7c0 + (cp >> 10));
			add_unit(out, 0xdc00 | (cp & 0x3ff));
		}
		s = cfs_slice_from(s, n);
	}
	cfs_buf_addc(out, '"');
}

/* As the field's other tools write it; "-" for what has none. */
static int add_surt(struct cfs_buf *out, struct cfs_slice url)
{
	int rc = cfs_surt_encode(url, out);

	return rc == CFS_ENOTFOUND ? cfs_buf_addc(out, '-') : rc;
}

int cfs_cdxj_line(struct cfs_slice url, const struct cfs_capture *cap,
		  struct cfs_slice archive_name, struct cfs_buf *out)
{
	char when[CFS_TIME_14_BYTES];
	struct cfs_slice mime = cap->mime;
	int rc;

	if (cap->kind == CFS_KIND_REVISIT)
		mime = CFS_SLICE_LIT("warc/revisit");
	else if (mime.n == 0)
		mime = CFS_SLICE_LIT("unk");
	cfs_time_format_14(cap->time, when);
	rc = add_surt(out, url);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_addf(out, " %s {\"url\": ", when);
	add_json_string(out, url);
	cfs_buf_adds(out, ", \"mime\": ");
	add_json_string(out, mime);
	if (cap->status != 0)
		cfs_buf_addf(out, ", \"status\": \"%u\"", cap->status);
	cfs_buf_addf(out, ", \"length\": \"%" PRIu64 "\", \"offset\": \"%" PRIu64
		     "\", \"filename\": ", cap->loc.length, cap->loc.offset);
	add_json_string(out, archive_name);
	cfs_buf_adds(out, "}\n");
	return out->failed;
}
