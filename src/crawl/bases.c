/* bases.c - finds the folders of archives by the place and kind of an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/location.h"

void cfs_bases_add(struct cfs_bases *b, const char *dir, const char *below)
{
	size_t up = strlen(dir);
	int n;

	/* a URL's ".." is resolved in the text */
	while (cfs_location_is_url(dir) && strncmp(below, "..", 2) == 0) {
		while (up > 0 && dir[up - 1] != '/')
			up--;
		up -= up > 0;
		below += below[2] == '/' ? 3 : 2;
	}
	n = snprintf(b->text[b->n], PATH_MAX, "%.*s%s%s", (int)up, dir,
		     below[0] ? "/" : "", below);
	if (n <= 0 || n >= PATH_MAX)
		return;
	b->list[b->n] = b->text[b->n];
	b->n++;
}

void cfs_bases_of_index(struct cfs_bases *b, const char *dir,
			enum cfs_index_format look, const char *data)
{
	bool is_pbtree = look == CFS_INDEX_PBTREE;
	size_t n = strlen(dir);
	char folder[PATH_MAX];

	b->n = 0;
	while (n > 1 && dir[n - 1] == '/')
		n--;
	snprintf(folder, sizeof(folder), "%.*s", (int)n, dir);
	if (data != NULL) {
		cfs_bases_add(b, data, "");
		if (is_pbtree)
			cfs_bases_add(b, data, "parse-output");
		return;
	}
	cfs_bases_add(b, folder, "");
	if (is_pbtree) {	/* as published: projects/url-index/FILE */
		cfs_bases_add(b, folder, "parse-output");
		cfs_bases_add(b, folder, "../../parse-output");
	} else if (look != CFS_INDEX_CFX) {
		/* as replay software does, beside its indexes */
		cfs_bases_add(b, folder, "../archive");
		cfs_bases_add(b, folder, "../warcs");
		/* cc-index/collections/NAME/indexes/cluster.idx */
		cfs_bases_add(b, folder, "../../../..");
	}
}

struct cfs_bases *cfs_bases_copy(const struct cfs_bases *b)
{
	struct cfs_bases *out = malloc(sizeof(*out));

	if (out == NULL)
		return NULL;
	for (out->n = 0; out->n < b->n; out->n++) {
		memcpy(out->text[out->n], b->text[out->n], PATH_MAX);
		out->list[out->n] = out->text[out->n];
	}
	return out;
}

bool cfs_bases_are_equal(const struct cfs_bases *a, const struct cfs_bases *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->text[i], b->text[i]) != 0)
			return false;
	return true;
}
