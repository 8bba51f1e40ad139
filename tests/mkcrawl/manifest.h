/* manifest.h - what a reader should find, one line a capture.
 *
 *     URL  kind  timestamp  status  archive  offset  length  sha1  bytes  flags
 *
 * Columns are separated by TABs; the first line names them.
 *     URL        TAB, LF, backslash and other control bytes as \xNN
 *     kind       arc, response, resource, revisit or conversion
 *     timestamp  14 digits, UTC
 *     status     of HTTP; - where the record has none
 *     archive    relative to the manifest's folder
 *     offset, length  of the record in it, compressed
 *     sha1, bytes     of the body as a reader should see it, hexadecimal
 *     flags      separated by commas: the type of the page; charset:NAME;
 *                gzip, deflate, chunked (applied); kept (named, not applied);
 *                cut; dangling (a revisit of nothing that is here)
 *
 * Records of other kinds (requests, dns: and so on) have no line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_MANIFEST_H
#define MKCRAWL_MANIFEST_H

#include "archive.h"
#include "http.h"

struct mk_manifest {
	FILE *f;
	struct cfs_buf line;
	uint64_t captures, body_bytes;
};

void mk_manifest_open(struct mk_manifest *m, const struct mk_config *cfg);
void mk_manifest_close(struct mk_manifest *m);
void mk_manifest_add(struct mk_manifest *m, const struct mk_words *w,
		     const struct mk_plan *p, const struct mk_place *at,
		     const uint8_t sha1[MK_SHA1_BYTES], uint64_t body_bytes,
		     bool dangling);

#endif
