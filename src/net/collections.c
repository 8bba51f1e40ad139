/* collections.c - Common Crawl's crawls by name: their places, the list of
 * them, and suggestions for misspelt names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "collections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fileio.h"
#include "codec/json.h"
#include "location.h"

#define PBTREE_2012 "url-index.1356128792"
#define MAIN "CC-MAIN-"
#define SUPPLEMENTAL "CC-SUPPLEMENTAL-"
#define NEWS "CC-NEWS-"
#define NAME_MAX_BYTES 40u
#define SUGGESTED_MAX 3u
#define FAR_MAX 3u		/* most bytes to differ from a suggestion */

static bool begins(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

/* True for numbers with '-' between them. */
static bool are_numbers(const char *p)
{
	if (!cfs_is_digit((uint8_t)*p))
		return false;
	while (cfs_is_digit((uint8_t)*p) || *p == '-')
		p++;
	return *p == '\0' && p[-1] != '-';
}

bool cfs_collection_is_year(const char *name)
{
	return begins(name, NEWS) && strlen(name) == sizeof(NEWS) + 3 &&
	       are_numbers(name + sizeof(NEWS) - 1) &&
	       strchr(name + sizeof(NEWS) - 1, '-') == NULL;
}

/* True for CC-NEWS-YYYY-MM. */
static bool is_month(const char *name)
{
	struct cfs_slice s = cfs_slice_str(name);
	uint64_t year, month;

	if (!begins(name, NEWS) || s.n != sizeof(NEWS) + 6 ||
	    s.p[s.n - 3] != '-')
		return false;
	return cfs_slice_parse_u64(cfs_slice_sub(s, sizeof(NEWS) - 1, 4), 9999,
				   &year) == CFS_OK &&
	       cfs_slice_parse_u64(cfs_slice_from(s, s.n - 2), 12, &month) ==
	       CFS_OK && month > 0;
}

bool cfs_collection_is_name(const char *name)
{
	if (strcmp(name, PBTREE_2012) == 0 || is_month(name) ||
	    cfs_collection_is_year(name))
		return true;
	if (strlen(name) > NAME_MAX_BYTES)
		return false;
	return (begins(name, MAIN) && are_numbers(name + sizeof(MAIN) - 1)) ||
	       (begins(name, SUPPLEMENTAL) &&
		are_numbers(name + sizeof(SUPPLEMENTAL) - 1));
}

bool cfs_collection_place(const char *name, enum cfs_collection_kind kind,
			  const char *base, struct cfs_buf *place,
			  struct cfs_buf *data)
{
	bool is_of_list = is_month(name) || begins(name, SUPPLEMENTAL);
	const char *end;

	if (!cfs_collection_is_name(name) || cfs_collection_is_year(name) ||
	    (kind == CFS_COLLECTION_LIST ? !is_of_list : is_month(name)))
		return false;
	if (base == NULL)
		base = CFS_COMMON_CRAWL_URL;
	end = base[0] != '\0' && base[strlen(base) - 1] == '/' ? "" : "/";
	if (strcmp(name, PBTREE_2012) == 0) {
		cfs_buf_addf(place, "%s%sprojects/url-index/%s", base, end,
			     name);
		cfs_buf_addf(data, "%s%sparse-output", base, end);
		return true;
	}
	cfs_buf_adds(data, base);
	if (kind == CFS_COLLECTION_INDEX)
		cfs_buf_addf(place, "%s%scc-index/collections/%s/indexes/"
			     "cluster.idx", base, end, name);
	else if (is_month(name))
		cfs_buf_addf(place, "%s%scrawl-data/CC-NEWS/%.4s/%s/"
			     "warc.paths.gz", base, end,
			     name + sizeof(NEWS) - 1, name + sizeof(NEWS) + 4);
	else
		cfs_buf_addf(place, "%s%scrawl-data/%s/warc.paths.gz", base,
			     end, name);
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

/* Copies a text for terminals: control characters are left out. */
static void take_text(char *out, size_t out_bytes, struct cfs_json_text value)
{
	CFS_BUF(text, CFS_COLLINFO_MAX);
	size_t n = 0;

	cfs_json_add_text(&text, value);
	for (const char *s = cfs_buf_str(&text);
	     *s != '\0' && n + 1 < out_bytes; s++)
		if ((unsigned char)*s >= 0x20 && *s != 0x7f)
			out[n++] = *s;
	out[n] = '\0';
}

/* Takes one crawl.  CFS_END if the item is none. */
static int take_crawl(struct cfs_collection *c, struct cfs_slice item)
{
	struct cfs_json_member m;
	int rc = item.p[0] == '{' ? CFS_OK : CFS_END;

	*c = (struct cfs_collection){ .id = "" };
	while (rc == CFS_OK) {
		rc = cfs_json_next(&item, '{', &m);
		if (rc != CFS_OK || m.written.p[0] != '"')
			continue;
		if (cfs_slice_eq(m.name.s, CFS_SLICE_LIT("id")))
			take_text(c->id, sizeof(c->id), m.value);
		else if (cfs_slice_eq(m.name.s, CFS_SLICE_LIT("name")))
			take_text(c->title, sizeof(c->title), m.value);
		else if (cfs_slice_eq(m.name.s, CFS_SLICE_LIT("from")))
			take_text(c->from, sizeof(c->from), m.value);
		else if (cfs_slice_eq(m.name.s, CFS_SLICE_LIT("to")))
			take_text(c->to, sizeof(c->to), m.value);
	}
	if (rc == CFS_END && cfs_collection_is_name(c->id))
		return CFS_OK;
	return rc;
}

static int take_crawls(struct cfs_slice text, struct cfs_collection *v,
		       size_t *n)
{
	struct cfs_json_member m;
	int rc;

	while ((rc = cfs_json_next(&text, '[', &m)) == CFS_OK) {
		rc = *n < CFS_COLLECTIONS_MAX ? take_crawl(&v[*n], m.written) :
						CFS_EFORMAT;
		if (rc < 0)
			return rc;
		*n += rc == CFS_OK;
	}
	cfs_json_skip_blanks(&text);
	return rc == CFS_END && text.n == 0 ? CFS_OK : CFS_EFORMAT;
}

int cfs_collections_parse(struct cfs_slice text, struct cfs_collection **out,
			  size_t *n, struct cfs_error *err)
{
	struct cfs_collection *v;
	int rc;

	*out = NULL;
	*n = 0;
	if (text.n > CFS_COLLINFO_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "list of collections is too long");
	v = calloc(CFS_COLLECTIONS_MAX, sizeof(*v));
	if (v == NULL)
		return cfs_error_nomem(err);
	rc = take_crawls(text, v, n);
	if (rc != CFS_OK) {
		*n = 0;
		free(v);
		return cfs_error_set(err, rc, "not a list of collections");
	}
	*out = v;
	return CFS_OK;
}

/* ---- the built-in list ------------------------------------------------- */

/* Crawls of whole years, with their first and last day; then the weeks of the
 * other crawls. */
static const struct cfs_collection years[] = {
	{ .id = "CC-MAIN-2012", .from = "2012-01-27", .to = "2012-06-05" },
	{ .id = "CC-MAIN-2009-2010", .from = "2009-07-02", .to = "2010-09-10" },
	{ .id = "CC-MAIN-2008-2009", .from = "2008-05-09", .to = "2009-01-09" },
};

static const struct {
	unsigned year;
	const char *weeks;
} weekly[] = {
	{ 2026, "25 21 17 12 08 04" },
	{ 2025, "51 47 43 38 33 30 26 21 18 13 08 05" },
	{ 2024, "51 46 42 38 33 30 26 22 18 10" },
	{ 2023, "50 40 23 14 06" },
	{ 2022, "49 40 33 27 21 05" },
	{ 2021, "49 43 39 31 25 21 17 10 04" },
	{ 2020, "50 45 40 34 29 24 16 10 05" },
	{ 2019, "51 47 43 39 35 30 26 22 18 13 09 04" },
	{ 2018, "51 47 43 39 34 30 26 22 17 13 09 05" },
	{ 2017, "51 47 43 39 34 30 26 22 17 13 09 04" },
	{ 2016, "50 44 40 36 30 26 22 18 07" },
	{ 2015, "48 40 35 32 27 22 18 14 11 06" },
	{ 2014, "52 49 42 41 35 23 15 10" },
	{ 2013, "48 20" },
};

#define YEARS (sizeof(years) / sizeof(years[0]))
#define WEEKLY (sizeof(weekly) / sizeof(weekly[0]))

int cfs_collections_built_in(struct cfs_collection **out, size_t *n,
			     struct cfs_error *err)
{
	struct cfs_collection *v;
	size_t most = YEARS;

	*out = NULL;
	*n = 0;
	for (size_t i = 0; i < WEEKLY; i++)
		most += (strlen(weekly[i].weeks) + 1) / 3;
	v = calloc(most, sizeof(*v));
	if (v == NULL)
		return cfs_error_nomem(err);
	for (size_t i = 0; i < WEEKLY; i++)
		for (const char *w = weekly[i].weeks; w[0] != '\0';
		     w += w[2] == ' ' ? 3 : 2)
			snprintf(v[(*n)++].id, sizeof(v->id),
				 "CC-MAIN-%u-%.2s", weekly[i].year, w);
	memcpy(v + *n, years, sizeof(years));
	*n += YEARS;
	*out = v;
	return CFS_OK;
}

static int collections_read_kept(const char *path, struct cfs_collection **out,
				 size_t *n)
{
	CFS_BUF(text, CFS_COLLINFO_MAX);
	int rc = cfs_file_read(path, &text);

	if (rc == CFS_OK)
		rc = cfs_collections_parse(cfs_buf_slice(&text), out, n, NULL);
	return rc;
}

int cfs_collections_kept(const char *path, struct cfs_collection **out,
			 size_t *n, struct cfs_error *err)
{
	if (path != NULL && collections_read_kept(path, out, n) == CFS_OK) {
		if (*n > 0)
			return CFS_OK;
		free(*out);
	}
	return cfs_collections_built_in(out, n, err);
}

/* ---- misspelt names ------------------------------------------------------ */

/* Was this word meant to be the name of a crawl? */
static bool is_like_name(const char *name)
{
	static const char *const starts[] = { "cc-main", "cc_main", "ccmain",
					      "cc main", "url-index",
					      "cc-news", "cc-suppl" };
	struct cfs_slice s = cfs_slice_str(name);
	bool yes = false;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		yes = yes || cfs_slice_starts_nocase(s,
					cfs_slice_str(starts[i]));
	return yes && s.n <= NAME_MAX_BYTES && cfs_slice_find(s, '/') < 0;
}

/* Splits a name into what is before its last '-' and the number after it,
 * or 0. */
static struct cfs_slice collections_take_apart(struct cfs_slice name,
					       uint64_t *number)
{
	ptrdiff_t dash = cfs_slice_rfind(name, '-');

	*number = 0;
	if (dash < 0)
		return name;
	(void)cfs_slice_parse_u64(cfs_slice_from(name, (size_t)dash + 1),
				  UINT32_MAX, number);
	return cfs_slice_sub(name, 0, (size_t)dash);
}

struct near_names {
	const char *id;
	uint64_t far;	/* first counts the year, then the whole name, then
			 * the week */
};

/* Inserts a name into `best`, which is sorted, nearest first. */
static void collections_consider(struct near_names *best, const char *id,
				 const char *name)
{
	struct cfs_slice x = cfs_slice_str(id), y = cfs_slice_str(name);
	uint64_t a, b, far = cfs_slice_distance(y, x, true);
	unsigned i = SUGGESTED_MAX, year, whole;

	if (far > FAR_MAX)
		return;
	x = collections_take_apart(x, &a);
	whole = cfs_slice_distance(y, x, true);	/* is it a year without
						 * a week? */
	year = cfs_slice_distance(collections_take_apart(y, &b), x, true);
	far = (uint64_t)(year < whole ? year : whole) << 48 | far << 32 |
	      (a > b ? a - b : b - a);
	for (; i > 0 && (best[i - 1].id == NULL || best[i - 1].far > far); i--)
		if (i < SUGGESTED_MAX)
			best[i] = best[i - 1];
	if (i < SUGGESTED_MAX)
		best[i] = (struct near_names){ id, far };
}

void cfs_collections_suggest(const struct cfs_collection *v, size_t n,
			     const char *name, struct cfs_buf *out)
{
	struct near_names best[SUGGESTED_MAX] = { { NULL, 0 } };
	unsigned count = 0;

	if (!is_like_name(name) || strcmp(name, PBTREE_2012) == 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i].id, name) == 0)
			return;
	for (size_t i = 0; i < n; i++)
		collections_consider(best, v[i].id, name);
	collections_consider(best, PBTREE_2012, name);
	while (count < SUGGESTED_MAX && best[count].id != NULL)
		count++;
	if (count > 0 && best[0].far >> 32 == 0)
		count = 1;	/* it differs in case only */
	for (unsigned i = 0; i < count; i++)
		cfs_buf_addf(out, "%s%s", i == 0 ? "; is " :
			     i + 1 < count ? ", " : " or ", best[i].id);
	cfs_buf_adds(out, count > 0 ? " meant?" : "; 'crawlfs collections' "
				      "lists the crawls that have names");
}
