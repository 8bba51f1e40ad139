/* http.h - a response as it came over the wire, and as a reader should see it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_HTTP_H
#define MKCRAWL_HTTP_H

#include "pages.h"

#define MK_SHA1_BYTES 20

struct mk_message {
	struct cfs_buf head;	/* status line to the blank line, inclusive */
	struct cfs_buf stored;	/* the body in the archive */
	struct cfs_buf body;	/* the body a reader should get */
	uint8_t body_sha1[MK_SHA1_BYTES];
	/* The WARC payload digest, of `stored` with chunking undone. */
	uint8_t payload_sha1[MK_SHA1_BYTES];
	struct cfs_buf payload;	/* the bytes that it is the digest of */
};

void mk_message_init(struct mk_message *m);
void mk_message_release(struct mk_message *m);

/* Makes capture p's message; `arc` chooses the look of the head. */
void mk_message_make(struct mk_message *m, const struct mk_words *w,
		     const struct mk_config *cfg, const struct mk_plan *p,
		     bool arc);
/* Only a head, as a revisit keeps it. */
void mk_message_head_only(struct mk_message *m, const struct mk_words *w,
			  const struct mk_config *cfg, const struct mk_plan *p);

void mk_sha1(struct cfs_slice s, uint8_t out[MK_SHA1_BYTES]);

#endif
