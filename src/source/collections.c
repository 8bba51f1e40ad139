/* collections.c - Common Crawl's crawls by their names (see collections.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "collections.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "location.h"

#define PBTREE_2012 "url-index.1356128792"
#define NAME_MAX_BYTES 40u

bool cfs_collection_is_name(const char *name)
{
	static const char start[] = "CC-MAIN-";
	const char *p = name + sizeof(start) - 1;

	if (strcmp(name, PBTREE_2012) == 0)
		return true;
	if (strncmp(name, start, sizeof(start) - 1) != 0 ||
	    strlen(name) > NAME_MAX_BYTES || *p < '0' || *p > '9')
		return false;
	while ((*p >= '0' && *p <= '9') || *p == '-')
		p++;
	return *p == '\0' && p[-1] != '-';
}

bool cfs_collection_place(const char *name, const char *base,
			  struct cfs_buf *index, struct cfs_buf *data)
{
	const char *end;

	if (!cfs_collection_is_name(name))
		return false;
	if (base == NULL)
		base = CFS_COMMON_CRAWL_URL;
	end = base[0] != '\0' && base[strlen(base) - 1] == '/' ? "" : "/";
	if (strcmp(name, PBTREE_2012) == 0) {
		cfs_buf_addf(index, "%s%sprojects/url-index/%s", base, end,
			     name);
		cfs_buf_addf(data, "%s%sparse-output", base, end);
	} else {
		cfs_buf_addf(index, "%s%scc-index/collections/%s/indexes/"
			     "cluster.idx", base, end, name);
		cfs_buf_adds(data, base);
	}
	return true;
}

bool cfs_collection_data(const char *url, struct cfs_buf *data)
{
	static const char zipnum[] = "/cc-index/collections/";
	static const char pbtree[] = "/projects/url-index/";
	const char *at = strstr(url, zipnum);
	bool is_pbtree = at == NULL;

	if (is_pbtree)
		at = strstr(url, pbtree);
	if (at == NULL)
		return false;
	cfs_buf_append(data, url, (size_t)(at - url) + 1);
	if (is_pbtree)
		cfs_buf_adds(data, "parse-output");
	return true;
}

/* ---- collinfo.json ----------------------------------------------------- */

/* Texts of others go to terminals: what cannot be shown is left out. */
static void take_text(char *out, size_t out_bytes, const json_t *object,
		      const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));
	size_t n = 0;

	for (; s != NULL && *s != '\0' && n + 1 < out_bytes; s++)
		if ((unsigned char)*s >= 0x20 && *s != 0x7f)
			out[n++] = *s;
	out[n] = '\0';
}

static int take_all(const json_t *root, struct cfs_collection **out, size_t *n,
		    struct cfs_error *err)
{
	size_t count = json_array_size(root);
	struct cfs_collection *v;

	if (!json_is_array(root) || count > CFS_COLLECTIONS_MAX)
		return cfs_error_set(err, CFS_EFORMAT,
				     "is no list of collections");
	v = calloc(count + 1, sizeof(*v));
	if (v == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		const json_t *o = json_array_get(root, i);
		const char *id = json_string_value(json_object_get(o, "id"));

		if (id == NULL || !cfs_collection_is_name(id))
			continue;
		take_text(v[*n].id, sizeof(v->id), o, "id");
		take_text(v[*n].title, sizeof(v->title), o, "name");
		take_text(v[*n].from, sizeof(v->from), o, "from");
		take_text(v[*n].to, sizeof(v->to), o, "to");
		++*n;
	}
	*out = v;
	return CFS_OK;
}

int cfs_collections_parse(struct cfs_slice text, struct cfs_collection **out,
			  size_t *n, struct cfs_error *err)
{
	json_error_t why;
	json_t *root;
	int rc;

	*out = NULL;
	*n = 0;
	if (text.n > CFS_COLLINFO_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "list of collections is too long");
	root = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES,
			  &why);
	if (root == NULL)
		return cfs_error_set(err, CFS_EFORMAT,
				     "is no list of collections: line %d: %.80s",
				     why.line, why.text);
	rc = take_all(root, out, n, err);
	json_decref(root);
	return rc;
}
