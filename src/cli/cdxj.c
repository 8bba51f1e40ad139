/* cdxj.c - captures as CDXJ lines (see cdxj.h).
 *
 * Format: FORMATS.md 5.2:
 *     surt SP timestamp14 SP {"url": ..., "mime": ..., "status": ...,
 *     "length": ..., "offset": ..., "filename": ...} LF
 * All values are strings; non-ASCII is \uXXXX; a byte of an URL that is not
 * UTF-8 is percent-escaped, which means the same URL to a server.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdxj.h"

#include <inttypes.h>

#include "base/timestamp.h"
#include "index/urlkey.h"
#include "output.h"

static void add_unit(struct cfs_buf *out, uint32_t u)
{
	cfs_buf_addf(out, "\\u%04x", u);
}

static void add_json_string(struct cfs_buf *out, struct cfs_slice s)
{
	cfs_buf_addc(out, '"');
	while (s.n > 0) {
		uint32_t cp = 0;
		size_t n = cfs_out_utf8(s, &cp);

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

/* Lower case; what would end the field or is no ASCII is escaped. */
static void add_surt_text(struct cfs_buf *out, struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (c <= 0x20 || c >= 0x7f)
			cfs_buf_addf(out, "%%%02x", c);
		else
			cfs_buf_addc(out, c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
}

static void add_surt_host(struct cfs_buf *out, struct cfs_slice host)
{
	ptrdiff_t dot;

	if (host.n > 1 && host.p[0] == '[' && host.p[host.n - 1] == ']') {
		add_surt_text(out, cfs_slice_sub(host, 1, host.n - 2));
		return;
	}
	while (host.n > 0 && host.p[host.n - 1] == '.')
		host.n--;
	while ((dot = cfs_slice_rfind(host, '.')) >= 0) {
		add_surt_text(out, cfs_slice_from(host, (size_t)dot + 1));
		cfs_buf_addc(out, ',');
		host.n = (size_t)dot;
	}
	add_surt_text(out, host);
}

void cfs_cdxj_surt(struct cfs_slice url, struct cfs_buf *out)
{
	struct cfs_slice own_port = CFS_SLICE_LIT("80");
	struct cfs_url u;
	ptrdiff_t hash;

	if (cfs_url_parse(url, &u) != CFS_OK) {
		add_surt_text(out, url);
		return;
	}
	if (u.scheme != CFS_SCHEME_HTTP)
		own_port = u.scheme == CFS_SCHEME_FTP ? CFS_SLICE_LIT("21")
						      : CFS_SLICE_LIT("443");
	add_surt_host(out, u.host);
	if (u.port.n > 0 && !cfs_slice_eq(u.port, own_port)) {
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, u.port);
	}
	cfs_buf_addc(out, ')');
	hash = cfs_slice_find(u.path, '#');
	if (hash >= 0)
		u.path.n = (size_t)hash;
	if (u.path.n == 0 || u.path.p[0] != '/')
		cfs_buf_addc(out, '/');
	add_surt_text(out, u.path);
}

int cfs_cdxj_line(struct cfs_slice url, const struct cfs_capture *cap,
		  struct cfs_slice archive_name, struct cfs_buf *out)
{
	char when[CFS_TIME_14_BYTES];
	struct cfs_slice mime = cap->mime;

	if (cap->kind == CFS_KIND_REVISIT)
		mime = CFS_SLICE_LIT("warc/revisit");
	else if (mime.n == 0)
		mime = CFS_SLICE_LIT("unk");
	cfs_time_format_14(cap->time, when);
	cfs_cdxj_surt(url, out);
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
