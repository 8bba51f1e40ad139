/* fuzz_location.c - any text as a URL, as the name of an archive in an index,
 * and as an argument of the program with passwords and secret queries.
 *
 * The first byte chooses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/ascii.h"
#include "base/hex.h"
#include "net/location.h"
#include "net/url_credentials.h"

#define BASE "http://h.example/a/"

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

static void must_be_plain(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		must(s.p[i] > ' ' && s.p[i] < 0x7f);
}

/* A URL is shown with dots for its query. */
static void must_hide_query(struct cfs_slice url, struct cfs_slice shown)
{
	ptrdiff_t at = cfs_slice_find(shown, '?');

	if (cfs_location_has_query(url))
		must(at >= 0 && cfs_slice_starts(cfs_slice_from(shown,
								(size_t)at + 1),
						 CFS_SLICE_LIT("...")));
	else
		must(cfs_slice_eq(url, shown));
}

/* The canonical form is one, without a user, and is shown without its query. */
static void look_at_url(const char *text)
{
	struct cfs_location loc, again;
	struct cfs_buf one, two, shown;

	cfs_buf_init(&one, 4 * CFS_LOCATION_MAX);
	cfs_buf_init(&two, 4 * CFS_LOCATION_MAX);
	cfs_buf_init(&shown, 8 * CFS_LOCATION_MAX);
	if (cfs_location_parse(&loc, text, NULL) == CFS_OK &&
	    loc.scheme != CFS_LOC_S3) {
		must(cfs_location_is_host(loc.host));
		cfs_location_canonical(&loc, &one);
		must_be_plain(cfs_buf_slice(&one));
		if (one.n <= CFS_LOCATION_MAX) {
			must(cfs_location_parse(&again, cfs_buf_str(&one),
						NULL) == CFS_OK);
			must(again.user.n == 0);
			cfs_location_canonical(&again, &two);
			must(cfs_slice_eq(cfs_buf_slice(&one),
					  cfs_buf_slice(&two)));
		}
		cfs_location_show(&shown, cfs_buf_slice(&one));
		must_hide_query(cfs_buf_slice(&one), cfs_buf_slice(&shown));
	}
	cfs_buf_release(&one);
	cfs_buf_release(&two);
	cfs_buf_release(&shown);
}

/* Text that may follow a folder in a URL, and stays below it. */
static bool is_rest(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!cfs_is_alnum(s.p[i]) &&
		    memchr("-_~!$&'()*+,;=@/?", s.p[i], 17) == NULL)
			return false;
	return s.n > 0 && s.n < CFS_LOCATION_MAX / 4 && s.p[0] != '/' &&
	       s.p[0] != '?' && cfs_slice_search(s, CFS_SLICE_LIT("//")) < 0;
}

/* Two names for one thing: what need not be escaped may be. */
static void must_be_same(struct cfs_slice a, struct cfs_slice b)
{
	struct cfs_buf x, y;

	cfs_buf_init(&x, 8 * CFS_LOCATION_MAX);
	cfs_buf_init(&y, 8 * CFS_LOCATION_MAX);
	cfs_percent_decode(a, false, &x);
	cfs_percent_decode(b, false, &y);
	must(cfs_slice_eq(cfs_buf_slice(&x), cfs_buf_slice(&y)));
	cfs_buf_release(&x);
	cfs_buf_release(&y);
}

/* Names lead below their folder, and back. */
static void look_at_name(struct cfs_slice s)
{
	struct cfs_buf name, url;

	cfs_buf_init(&name, 8 * CFS_LOCATION_MAX);
	cfs_buf_init(&url, 8 * CFS_LOCATION_MAX);
	cfs_location_join(&url, BASE, s);
	must(cfs_slice_starts(cfs_buf_slice(&url), CFS_SLICE_LIT(BASE)));
	must_be_plain(cfs_buf_slice(&url));
	cfs_buf_reset(&url);
	if (is_rest(s)) {
		cfs_location_name(&name, s);
		cfs_location_join(&url, BASE, cfs_buf_slice(&name));
		must_be_same(cfs_slice_from(cfs_buf_slice(&url),
					    sizeof(BASE) - 1), s);
	}
	cfs_buf_reset(&url);
	cfs_buf_reset(&name);
	cfs_percent_encode(s, CFS_UNRESERVED, &url);
	cfs_percent_decode(cfs_buf_slice(&url), false, &name);
	must(cfs_slice_eq(cfs_buf_slice(&name), s));
	cfs_buf_release(&name);
	cfs_buf_release(&url);
}

/* An argument loses its users, and its queries in what ps(1) shows; the copy has
 * all of it, and nothing is left to hide. */
static void look_at_argument(char *text)
{
	size_t n = strlen(text);
	char *before, *copy = NULL, *again = NULL;
	struct cfs_location loc;

	must(cfs_credentials_take(text) == CFS_OK);
	must(strlen(text) <= n);
	if (cfs_location_parse(&loc, text, NULL) == CFS_OK &&
	    loc.scheme != CFS_LOC_S3) {
		must(loc.user.n == 0);
		cfs_credentials_find(&loc);
	}
	before = strdup(text);
	must(before != NULL);
	must(cfs_credentials_hide_queries(text, &copy) == CFS_OK);
	must(strlen(text) <= strlen(before));
	must(strcmp(copy != NULL ? copy : text, before) == 0);
	free(copy);
	free(before);
	before = strdup(text);
	must(before != NULL);
	must(cfs_credentials_hide_queries(text, &again) == CFS_OK);
	must(strcmp(text, before) == 0);
	free(again);
	free(before);
	cfs_credentials_release();
}

FUZZ_TARGET(data, size)
{
	char *text;

	if (size == 0 || size > CFS_LOCATION_MAX)
		return 0;
	if (data[0] % 3 == 0) {
		look_at_name(cfs_slice_of(data + 1, size - 1));
		return 0;
	}
	text = strndup((const char *)data + 1, size - 1);
	must(text != NULL);
	if (data[0] % 3 == 1)
		look_at_url(text);
	else
		look_at_argument(text);
	free(text);
	return 0;
}
