/* pages.h - the bodies of captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_PAGES_H
#define MKCRAWL_PAGES_H

#include "plan.h"

/* Fills out with the body of p, whole and not encoded. */
void mk_page_make(const struct mk_words *w, uint64_t seed,
		  const struct mk_plan *p, struct cfs_buf *out);

/* The Content-Type of p, with the charset if the head tells it; NULL for
 * none.  room holds the result. */
const char *mk_page_type(const struct mk_words *w, const struct mk_plan *p,
			 char *room, size_t room_bytes);
/* The type alone. */
const char *mk_page_mime(enum mk_type t);

#endif
