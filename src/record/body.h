/* body.h - undoes transfer and content encodings of HTTP bodies, where the
 * bytes really have them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_BODY_H
#define CFS_RECORD_BODY_H

#include "http_head.h"

struct cfs_body_result {
	uint8_t *p;		/* malloced; NULL: the bytes as they were */
	size_t n;
	bool is_damaged;	/* an encoding broke off or went wrong */
};

/* True if the fields name an encoding that could be undone. */
bool cfs_body_has_encoding(const struct cfs_fields *http);

/* False only if cfs_body_decode would surely give the bytes as they are; judged
 * by their start, which may be all of them. */
bool cfs_body_may_decode(struct cfs_slice start, const struct cfs_fields *http);

/*
 * Decodes `stored`.  is_cut: the record is known to be incomplete, so that
 * an encoding that breaks off at its very start may be believed.
 * 0; CFS_ELIMIT when more than max bytes come out; CFS_ENOMEM.
 */
int cfs_body_decode(struct cfs_slice stored, const struct cfs_fields *http,
		    bool is_cut, size_t max, struct cfs_body_result *out,
		    struct cfs_error *err);

#endif
