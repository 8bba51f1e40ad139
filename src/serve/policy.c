/* policy.c - what browsers are told that they may do with a reply
 * (Content-Security-Policy).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "exchange.h"
#include "replayed.h"

/* Own pages: nothing but this server's own style sheets and pictures. */
#define POLICY_OWN \
	"default-src 'none'; style-src 'self'; img-src 'self' data:; " \
	"media-src 'self'; frame-src 'self'; form-action 'self'; " \
	"base-uri 'none'; frame-ancestors 'none'"
/* Archived bytes: a document of its own origin, without scripts, forms or
 * plugins, which loads nothing.  The sandbox also keeps it from being a page of
 * this server. */
#define POLICY_ARCHIVED \
	"sandbox; default-src 'none'; style-src 'unsafe-inline'; " \
	"img-src data:; media-src data:; font-src data:; form-action 'none'; " \
	"base-uri 'none'; frame-ancestors 'self'"
/* Sound and film are no documents: a browser makes one around them, which asks
 * for the same bytes again, as a page of this server. */
#define POLICY_MEDIA \
	"default-src 'none'; style-src 'unsafe-inline'; img-src data:; " \
	"media-src 'self'; form-action 'none'; base-uri 'none'; " \
	"frame-ancestors 'self'"
/* A page written anew, in a frame: no scripts either, and pictures and style
 * sheets of this server alone, which has those of the crawl at /web/. */
#define POLICY_REPLAYED \
	"sandbox " CFS_REPLAYED_SANDBOX "; default-src 'none'; " \
	"style-src 'self' 'unsafe-inline'; img-src 'self' data:; " \
	"media-src 'self'; font-src 'self' data:; form-action 'none'; " \
	"base-uri 'none'; frame-ancestors 'self'"

const char *cfs_policy_text(enum cfs_policy policy)
{
	static const char *const texts[CFS_POLICIES] = {
		[CFS_POLICY_OWN] = POLICY_OWN,
		[CFS_POLICY_ARCHIVED] = POLICY_ARCHIVED,
		[CFS_POLICY_MEDIA] = POLICY_MEDIA,
		[CFS_POLICY_REPLAYED] = POLICY_REPLAYED,
	};

	return texts[policy];
}
