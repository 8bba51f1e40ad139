/* summary_json.c - a summary as JSON (see summary_print.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "summary_print.h"

#include "base/timestamp.h"

static void json_row(struct cfs_json *j, const struct cfs_summary_row *row,
		     bool has_pages)
{
	cfs_json_begin(j, NULL, '{');
	cfs_json_put_ascii(j, "key", row->key, CFS_JSON_ODD_REPLACED);
	cfs_json_put_uint(j, "captures", row->captures);
	if (has_pages)
		cfs_json_put_uint(j, "pages", row->pages);
	cfs_json_put_uint(j, "bytes", row->bytes);
	if (row->lacks > 0)
		cfs_json_put_uint(j, "lacks", row->lacks);
	cfs_json_close(j, '}');
}

static void json_group(struct cfs_json *j, const struct cfs_summary_group *g,
		       const char *name, bool has_pages, size_t top)
{
	cfs_json_begin(j, name, '{');
	cfs_json_put_uint(j, "keys", g->keys);
	if (g->lacks > 0)
		cfs_json_put_uint(j, "lacks", g->lacks);
	cfs_json_begin(j, "rows", '[');
	for (size_t i = 0; i < g->n && i < top; i++)
		json_row(j, &g->v[i], has_pages);
	cfs_json_close(j, ']');
	cfs_json_close(j, '}');
}

static void json_groups(struct cfs_json *j, const struct cfs_summary *s,
			size_t top)
{
	static const char *const names[CFS_SUMMARY_BYS] = {
		"by_domain", "by_host", "by_type", "by_status", "by_language",
		"by_year" };

	for (unsigned by = 0; by < CFS_SUMMARY_BYS; by++)
		json_group(j, &s->by[by], names[by],
			   by == CFS_SUMMARY_DOMAIN || by == CFS_SUMMARY_HOST,
			   by == CFS_SUMMARY_YEAR ? SIZE_MAX : top);
	if (s->words.keys > 0)
		json_group(j, &s->words, "by_word", false, top);
}

static void json_record(struct cfs_json *j, const struct cfs_summary_record *r)
{
	cfs_json_begin(j, NULL, '{');
	cfs_json_put_ascii(j, "url", r->url, CFS_JSON_ODD_PERCENT);
	cfs_json_put_uint(j, "bytes", r->bytes);
	if (r->time != 0)
		cfs_json_put_time(j, "timestamp", r->time);
	if (r->status != 0)
		cfs_json_put_uint(j, "status", r->status);
	if (r->mime.n > 0)
		cfs_json_put_ascii(j, "mime", r->mime,
				   CFS_JSON_ODD_REPLACED);
	cfs_json_put_ascii(j, "archive", r->archive, CFS_JSON_ODD_PERCENT);
	cfs_json_put_uint(j, "offset", r->offset);
	cfs_json_close(j, '}');
}

void cfs_summary_json(const struct cfs_summary *s,
		      const struct cfs_summary_print_opts *opts,
		      struct cfs_json *j)
{
	char date[CFS_TIME_ISO_BYTES];

	cfs_json_put_ascii(j, "source", cfs_slice_str(opts->name),
			   CFS_JSON_ODD_REPLACED);
	cfs_json_put_uint(j, "captures", s->captures);
	cfs_json_put_uint(j, "pages", s->pages);
	cfs_json_put_uint(j, "hosts", s->hosts);
	cfs_json_put_uint(j, "domains", s->domains);
	cfs_json_put_uint(j, "bytes", s->bytes);
	cfs_json_put_uint(j, "without_bytes", s->without_bytes);
	cfs_json_put_uint(j, "body_bytes", s->body_bytes);
	cfs_json_put_uint(j, "bodies", s->bodies);
	if (s->first != 0) {
		cfs_json_put_time(j, "first", s->first);
		cfs_json_put_time(j, "last", s->last);
	}
	cfs_json_put_bool(j, "strips_www", s->strips_www);
	if (s->has_suffixes) {
		cfs_time_format_iso(s->suffixes_time, date);
		cfs_json_put_str(j, "suffix_list", cfs_slice_of(date, 10));
	}
	json_groups(j, s, opts->top);
	cfs_json_begin(j, "largest", '[');
	for (size_t i = 0; i < s->n_largest && i < opts->top; i++)
		json_record(j, &s->largest[i]);
	cfs_json_close(j, ']');
}
