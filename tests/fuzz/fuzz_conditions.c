/* fuzz_conditions.c - any bytes as conditions and wildcards that a user types,
 * and as what a capture has.
 *
 * The first byte says what the list is; a NUL ends it, and the type.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "index/conditions.h"
#include "url/lenient_url.h"
#include "url/wildcard.h"

static void must(bool yes)
{
	if (!yes)
		abort();
}

/* A wildcard stands for a URL or prefix, never for another wildcard. */
static void check_wildcard(struct cfs_slice typed)
{
	struct cfs_buf out, url;

	cfs_buf_init(&out, 4 * CFS_URL_MAX);
	cfs_buf_init(&url, 8 * CFS_URL_MAX);
	for (unsigned i = 0; typed.n > 0 && cfs_wildcard_read(typed, i, &out);
	     i++) {
		must(cfs_wildcard_is(typed));
		must(out.n > 0 && !cfs_wildcard_is(cfs_buf_slice(&out)));
		cfs_lenient_read(cfs_buf_slice(&out), &url);
		cfs_buf_reset(&out);
		cfs_buf_reset(&url);
	}
	cfs_buf_release(&out);
	cfs_buf_release(&url);
}

/* A copy meets the same conditions; adding an item leaves out no capture. */
static void check_capture(struct cfs_conditions *c, const struct cfs_traits *t)
{
	unsigned before = cfs_conditions_failed(c, t);
	struct cfs_conditions copy;

	must((before & ~cfs_conditions_given(c)) == 0);
	must(cfs_conditions_copy(&copy, c) == CFS_OK);
	must(cfs_conditions_failed(&copy, t) == before);
	cfs_conditions_release(&copy);
	if (cfs_conditions_given(c) == CFS_CONDITION_STATUS) {
		cfs_conditions_add_status(c, "200", NULL);
		must(before != 0 || cfs_conditions_failed(c, t) == 0);
	}
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice rest = cfs_slice_of(size > 0 ? data : (const uint8_t *)"",
					     size), list, mime;
	unsigned what = size > 0 ? data[0] % 4 : 0;
	struct cfs_conditions c;
	struct cfs_traits t;
	int rc = CFS_OK;
	char *text;

	rest = cfs_slice_from(rest, 1);
	list = cfs_slice_split(&rest, '\0');
	mime = cfs_slice_split(&rest, '\0');
	t = (struct cfs_traits){ .time = 1, .status = (uint16_t)size,
				 .mime = mime, .languages = rest };
	text = strndup((const char *)list.p, list.n);
	if (text == NULL)
		return 0;
	cfs_conditions_init(&c);
	if (what == 0)
		rc = cfs_conditions_add_status(&c, text, NULL);
	else if (what == 1)
		rc = cfs_conditions_add_mime(&c, text, NULL);
	else if (what == 2)
		rc = cfs_conditions_add_languages(&c, text, NULL);
	else
		check_wildcard(list);
	must(rc == CFS_OK || rc == CFS_EUSAGE);
	if (rc == CFS_OK)
		check_capture(&c, &t);
	cfs_conditions_release(&c);
	free(text);
	return 0;
}
