/* matcher_internal.h - compiled patterns (matcher.c), for what finds them
 * (matching.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_GREP_MATCHER_INTERNAL_H
#define CFS_GREP_MATCHER_INTERNAL_H

#include <pcre2.h>

#include "matcher.h"

struct code {
	/* Take text that is no UTF-8; counted: with callouts. */
	pcre2_code *usual, *counted;
	bool scans;			/* see cfs_expression_traits: and that
					 * from more than one place of a line */
	uint32_t references;		/* the last group referred to */
	/* For the other matcher: the pattern, and it behind any text, with a
	 * callout at each character of that.  NULL: none. */
	pcre2_code *longest, *anywhere;
	uint64_t weight;		/* of a byte that the other one reads */
};

struct cfs_matcher {
	struct cfs_matcher_opts opts;
	struct code *codes;
	size_t n, room;
	struct cfs_buf runs;
};

#endif
