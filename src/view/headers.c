/* headers.c - the .headers view: a record's HTTP head as it was archived.
 *
 * The bytes from the status line to the empty line that ends the headers,
 * that line included, untouched: order, case, repeats, folding, line ends and
 * the crawler's own x-commoncrawl-* lines stay, and so do Content-Encoding,
 * Transfer-Encoding and Content-Length even where the archived body no longer
 * has them (doc/formats.md, "HTTP bodies").
 *
 * A record without an HTTP message (a WARC resource or conversion record, ftp,
 * a broken response) has an empty .headers: nothing is invented; its WARC
 * headers are in .meta.  A revisit shows its own head; one stored without a
 * head shows that of the capture whose body it serves.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_make.h"

int cfs_view_headers(const struct cfs_view_input *in, struct cfs_buf *out)
{
	const struct cfs_record *r = in->record;

	if (!r->has_http)
		r = cfs_view_body_of(in);
	if (r->has_http)
		cfs_buf_add(out, r->http_head);
	return CFS_OK;
}
