/* body.h - undoes transfer and content encodings of HTTP bodies, where the
 * bytes really have them (body.c), and tells sizes of bodies (body_size.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_BODY_H
#define CFS_RECORD_BODY_H

#include "base/buf.h"
#include "http_head.h"
#include "source/source.h"
#include "source/span.h"

struct cfs_body_result {
	struct cfs_buf own;	/* no bytes: they are as they were */
	bool is_damaged;	/* an encoding broke off or went wrong */
};

/* False only if cfs_body_decode would surely give the bytes as they are; judged
 * by their start, which may be all of them. */
bool cfs_body_may_decode(struct cfs_slice start, const struct cfs_fields *http);

/*
 * Decodes `stored`.  is_cut: the record is known to be incomplete, so that
 * an encoding that breaks off at its very start may be believed.
 * dir: NULL, or stored is of a spilled buffer (base/spill.h), and the result
 * becomes one with its file there.
 * 0; CFS_ELIMIT when more than max bytes come out; CFS_ENOMEM; CFS_EIO when dir
 * has no room.  The result is the caller's to release after any of them.
 */
int cfs_body_decode(struct cfs_slice stored, const struct cfs_fields *http,
		    bool is_cut, size_t max, const char *dir,
		    struct cfs_body_result *out, struct cfs_error *err);

/*
 * Tells the size of the raw view of the record at a span from its head and its
 * member's trailer, two small reads of src.
 *
 * span       of one member, or of a stretch of an uncompressed file
 * is_cc      see CFS_PARSE_COMMON_CRAWL
 * *bytes     what every undamaged record of such a head has
 *
 * False where that does not do: the body has to be inflated and decoded.
 */
bool cfs_body_size_peek(struct cfs_source *src, const struct cfs_span *span,
			bool is_cc, uint64_t *bytes);

#endif
