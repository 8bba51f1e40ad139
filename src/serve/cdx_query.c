/* cdx_query.c - reads the queries of the CDX server.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_server_internal.h"

#include "base/hex.h"
#include "base/timestamp.h"
#include "url/url.h"

/* The longest value of a parameter. */
#define VALUE_MAX (3u * (size_t)CFS_URL_MAX)
#define LIMIT_MAX (UINT64_C(1) << 48)

static const struct key_name {
	const char *name;
	enum cfs_cdx_key key;
	bool is_wayback;	/* a name of the Wayback Machine's server, whose
				 * filters are expressions */
} key_names[] = {
	{ "urlkey", CFS_CDX_URLKEY, false },
	{ "timestamp", CFS_CDX_TIMESTAMP, false },
	{ "url", CFS_CDX_URL, false },
	{ "original", CFS_CDX_URL, true },
	{ "mime", CFS_CDX_MIME, false },
	{ "mimetype", CFS_CDX_MIME, true },
	{ "status", CFS_CDX_STATUS, false },
	{ "statuscode", CFS_CDX_STATUS, true },
	{ "digest", CFS_CDX_DIGEST, false },
	{ "redirect", CFS_CDX_REDIRECT, false },
	{ "robotflags", CFS_CDX_FLAGS, false },
	{ "length", CFS_CDX_LENGTH, false },
	{ "offset", CFS_CDX_OFFSET, false },
	{ "filename", CFS_CDX_FILENAME, false },
	{ "languages", CFS_CDX_LANGUAGES, false },
};

static const struct key_name *find_key(struct cfs_slice name)
{
	for (size_t i = 0; i < sizeof(key_names) / sizeof(key_names[0]); i++)
		if (cfs_slice_eq(name, cfs_slice_str(key_names[i].name)))
			return &key_names[i];
	return NULL;
}

/* Reports a value that cannot be used.  Returns CFS_EUSAGE. */
static int bad_value(const char *name, struct cfs_slice value,
		     const char *wanted, struct cfs_error *err)
{
	return cfs_error_set(err, CFS_EUSAGE, "'%s': '%.*s' is not %s", name,
			     value.n < 80 ? (int)value.n : 80,
			     (const char *)value.p, wanted);
}

/* ---- parameters ------------------------------------------------------- */

/* Takes the URL.  What is before its `*`, or behind "*.", is the beginning of
 * URLs or a domain, unless matchType, which was taken, says otherwise. */
static int take_query_url(struct cfs_cdx_query *q, struct cfs_slice v,
		    struct cfs_error *err)
{
	enum cfs_cdx_match match = CFS_MATCH_EXACT;
	bool is_exact = q->has_match && q->match == CFS_MATCH_EXACT;

	(void)err;
	cfs_buf_reset(&q->url);
	if (v.n == 0)
		return CFS_OK;		/* it counts as missing */
	if (!is_exact && cfs_slice_starts(v, CFS_SLICE_LIT("*."))) {
		match = CFS_MATCH_DOMAIN;
		v = cfs_slice_from(v, 2);
	} else if (!is_exact && cfs_slice_ends(v, CFS_SLICE_LIT("*"))) {
		match = CFS_MATCH_PREFIX;
		v.n--;
	}
	if (!q->has_match)
		q->match = match;
	if (cfs_url_scheme(v).n == 0 ||
	    cfs_slice_search(v, CFS_SLICE_LIT("://")) < 0)
		cfs_buf_adds(&q->url, "http://");
	return cfs_buf_add(&q->url, v);
}

static int take_match(struct cfs_cdx_query *q, struct cfs_slice v,
		      struct cfs_error *err)
{
	static const char *const names[] = {
		[CFS_MATCH_EXACT] = "exact", [CFS_MATCH_PREFIX] = "prefix",
		[CFS_MATCH_HOST] = "host", [CFS_MATCH_DOMAIN] = "domain",
	};

	for (unsigned i = 0; i < 4; i++) {
		if (cfs_slice_eq(v, cfs_slice_str(names[i]))) {
			q->match = (enum cfs_cdx_match)i;
			q->has_match = true;
			return CFS_OK;
		}
	}
	return bad_value("matchType", v, "exact, prefix, host or domain", err);
}

static int take_from(struct cfs_cdx_query *q, struct cfs_slice v,
		     struct cfs_error *err)
{
	int64_t last;

	q->dates.has_from = true;
	return cfs_time_parse_span(v, &q->dates.from, &last) == CFS_OK ?
	       CFS_OK : bad_value("from", v, "a time", err);
}

static int take_to(struct cfs_cdx_query *q, struct cfs_slice v,
		   struct cfs_error *err)
{
	int64_t first;

	q->dates.has_to = true;
	return cfs_time_parse_span(v, &first, &q->dates.to) == CFS_OK ?
	       CFS_OK : bad_value("to", v, "a time", err);
}

static int take_closest(struct cfs_cdx_query *q, struct cfs_slice v,
			struct cfs_error *err)
{
	int64_t last;

	if (v.n == 0)		/* pywb sends it so when no time is meant */
		return CFS_OK;
	q->sort = CFS_SORT_CLOSEST;
	return cfs_time_parse_span(v, &q->closest, &last) == CFS_OK ?
	       CFS_OK : bad_value("closest", v, "a time", err);
}

static int take_sort(struct cfs_cdx_query *q, struct cfs_slice v,
		     struct cfs_error *err)
{
	if (cfs_slice_eq(v, CFS_SLICE_LIT("reverse")))
		q->sort = CFS_SORT_REVERSE;
	else if (!cfs_slice_eq(v, CFS_SLICE_LIT("closest")) &&
		 !cfs_slice_eq(v, CFS_SLICE_LIT("default")))
		return bad_value("sort", v, "closest, reverse or default", err);
	return CFS_OK;
}

static int take_number(const char *name, struct cfs_slice v, uint64_t max,
		       uint64_t *out, struct cfs_error *err)
{
	return cfs_slice_parse_u64(v, max, out) == CFS_OK ? CFS_OK :
	       bad_value(name, v, "a number", err);
}

/* Below 0: so many of the last ones. */
static int take_limit(struct cfs_cdx_query *q, struct cfs_slice v,
		      struct cfs_error *err)
{
	if (v.n > 0 && v.p[0] == '-') {
		q->sort = CFS_SORT_LAST;
		v = cfs_slice_from(v, 1);
	}
	return take_number("limit", v, LIMIT_MAX, &q->limit, err);
}

static int take_page(struct cfs_cdx_query *q, struct cfs_slice v,
		     struct cfs_error *err)
{
	q->has_page = true;
	return take_number("page", v, UINT32_MAX, &q->page, err);
}

static int take_page_size(struct cfs_cdx_query *q, struct cfs_slice v,
			  struct cfs_error *err)
{
	int rc = take_number("pageSize", v, CFS_CDX_PAGE_BLOCKS_MAX,
			     &q->page_blocks, err);

	return rc == CFS_OK && q->page_blocks == 0 ?
	       bad_value("pageSize", v, "a number from 1", err) : rc;
}

static int take_pages(struct cfs_cdx_query *q, struct cfs_slice v,
		      struct cfs_error *err)
{
	(void)err;
	q->wants_pages = cfs_slice_eq(v, CFS_SLICE_LIT("true")) ||
			 cfs_slice_eq(v, CFS_SLICE_LIT("1"));
	return CFS_OK;
}

static int take_output(struct cfs_cdx_query *q, struct cfs_slice v,
		       struct cfs_error *err)
{
	static const struct {
		const char *name;
		enum cfs_cdx_output output;
	} outputs[] = {
		{ "cdxj", CFS_OUTPUT_CDXJ }, { "json", CFS_OUTPUT_TABLE },
		{ "jsonl", CFS_OUTPUT_LINES }, { "text", CFS_OUTPUT_TEXT },
		{ "cdx", CFS_OUTPUT_TEXT },
	};

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		if (cfs_slice_eq(v, cfs_slice_str(outputs[i].name))) {
			q->output = outputs[i].output;
			return CFS_OK;
		}
	}
	return bad_value("output", v, "cdxj, json, jsonl, text or cdx", err);
}

static int take_fields(struct cfs_cdx_query *q, struct cfs_slice v,
		       struct cfs_error *err)
{
	while (v.n > 0) {
		struct cfs_slice name = cfs_slice_split(&v, ',');
		const struct key_name *key = find_key(name);

		if (key == NULL)
			return bad_value("fl", name, "a field", err);
		if (q->n_fields == CFS_CDX_KEYS)
			return cfs_error_set(err, CFS_EUSAGE, "'fl': more than "
					     "%u fields", CFS_CDX_KEYS);
		q->names[q->n_fields] = key->name;
		q->fields[q->n_fields++] = key->key;
	}
	return CFS_OK;
}

/* [!][=|~]FIELD:TEXT: contains the text, is it, or begins as the expression
 * says. */
static int take_filter(struct cfs_cdx_query *q, struct cfs_slice v,
		       struct cfs_error *err)
{
	struct cfs_cdx_filter *f = &q->filters[q->n_filters];
	struct cfs_slice rest = v, name;
	const struct key_name *key;

	if (q->n_filters == CFS_CDX_FILTERS_MAX)
		return cfs_error_set(err, CFS_EUSAGE, "more than %u filters",
				     CFS_CDX_FILTERS_MAX);
	*f = (struct cfs_cdx_filter){ .how = CFS_FILTER_HAS };
	f->is_not = rest.n > 0 && rest.p[0] == '!';
	rest = cfs_slice_from(rest, f->is_not);
	if (rest.n > 0 && (rest.p[0] == '=' || rest.p[0] == '~')) {
		f->how = rest.p[0] == '=' ? CFS_FILTER_IS : CFS_FILTER_BEGINS;
		rest = cfs_slice_from(rest, 1);
	}
	if (cfs_slice_find(rest, ':') < 0)
		return bad_value("filter", v, "FIELD:TEXT", err);
	name = cfs_slice_split(&rest, ':');
	key = find_key(name);
	if (key == NULL)
		return bad_value("filter", name, "a field", err);
	f->key = key->key;
	if (key->is_wayback && f->how == CFS_FILTER_HAS)
		f->how = CFS_FILTER_WHOLE;
	cfs_buf_init(&f->text, VALUE_MAX);
	q->n_filters++;
	if (f->how == CFS_FILTER_HAS || f->how == CFS_FILTER_IS)
		return cfs_buf_add(&f->text, rest);
	return q->may_take_long ?
	       cfs_pattern_new(&f->pattern, rest, &q->time, err) :
	       CFS_ROUTE_TAKES_LONG;
}

/* ---- all of it -------------------------------------------------------- */

typedef int take_fn(struct cfs_cdx_query *q, struct cfs_slice v,
		    struct cfs_error *err);

static const struct {
	const char *name;
	take_fn *take;
} parameters[] = {
	{ "matchType", take_match }, { "url", take_query_url },
	{ "from", take_from }, { "to", take_to },
	{ "sort", take_sort }, { "closest", take_closest },
	{ "limit", take_limit }, { "page", take_page },
	{ "pageSize", take_page_size }, { "showNumPages", take_pages },
	{ "output", take_output }, { "fl", take_fields },
	{ "fields", take_fields }, { "filter", take_filter },
};

/* Takes all parameters of one name. */
static int take_named(struct cfs_cdx_query *q, struct cfs_slice query,
		      const char *wanted, take_fn *take, struct cfs_buf *value,
		      struct cfs_error *err)
{
	struct cfs_slice name, v;
	int rc = CFS_OK;

	while (rc == CFS_OK && cfs_query_next(&query, &name, &v)) {
		if (!cfs_slice_eq(name, cfs_slice_str(wanted)))
			continue;
		cfs_buf_reset(value);
		if (cfs_percent_decode(v, true, value) == CFS_ELIMIT)
			return cfs_error_set(err, CFS_EUSAGE, "'%s' is too "
					     "long", wanted);
		rc = value->failed;
		if (rc == CFS_OK)
			rc = take(q, cfs_buf_slice(value), err);
	}
	return rc;
}

int cfs_cdx_query_read(struct cfs_cdx_query *out, struct cfs_slice query,
		       bool may_take_long, struct cfs_error *err)
{
	CFS_BUF(value, VALUE_MAX);
	int rc = CFS_OK;

	*out = (struct cfs_cdx_query){
		.page_blocks = CFS_CDX_PAGE_BLOCKS,
		.may_take_long = may_take_long,
		.time = { .left_ns = CFS_PATTERN_QUERY_NS },
	};
	cfs_buf_init(&out->url, VALUE_MAX);
	/* In the order of the table: the URL is read as matchType says, and
	 * closest overrules the order. */
	for (size_t i = 0; rc == CFS_OK &&
	     i < sizeof(parameters) / sizeof(parameters[0]); i++)
		rc = take_named(out, query, parameters[i].name,
				parameters[i].take, &value, err);
	if (rc == CFS_OK && out->url.n == 0)
		rc = cfs_error_set(err, CFS_EUSAGE, "the parameter 'url' is "
				   "missing");
	if (rc == CFS_OK && out->sort == CFS_SORT_LAST && out->limit == 0)
		rc = cfs_error_set(err, CFS_EUSAGE, "'limit': 0 of the last "
				   "ones");
	return rc;
}

void cfs_cdx_query_release(struct cfs_cdx_query *q)
{
	cfs_buf_release(&q->url);
	for (unsigned i = 0; i < q->n_filters; i++) {
		cfs_buf_release(&q->filters[i].text);
		cfs_pattern_free(q->filters[i].pattern);
	}
	q->n_filters = 0;
}
