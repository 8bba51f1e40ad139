/* cdx_row.c - one capture as a row of the CDX server, in all its forms.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_server_internal.h"

#include <inttypes.h>

#include "base/timestamp.h"
#include "codec/json.h"
#include "net/location.h"
#include "record/archives.h"
#include "url/surt.h"

/* All texts of one capture. */
#define ROW_MAX (16u * (size_t)CFS_KEY_MAX)

/* The names in objects; those of the Wayback Machine in tables and lines of
 * text, which have fields that are not known as "-". */
static const char *const names[CFS_CDX_KEYS] = {
	"urlkey", "timestamp", "url", "mime", "status", "digest", "redirect",
	"robotflags", "length", "offset", "filename", "languages",
};
static const char *const wayback_names[CFS_CDX_KEYS] = {
	"urlkey", "timestamp", "original", "mimetype", "statuscode", "digest",
	"redirect", "robotflags", "length", "offset", "filename", "languages",
};

/* The usual fields, by output. */
static const enum cfs_cdx_key object_keys[] = {
	CFS_CDX_URLKEY, CFS_CDX_TIMESTAMP, CFS_CDX_URL, CFS_CDX_MIME,
	CFS_CDX_STATUS, CFS_CDX_DIGEST, CFS_CDX_LENGTH, CFS_CDX_OFFSET,
	CFS_CDX_FILENAME, CFS_CDX_LANGUAGES,
};
static const enum cfs_cdx_key table_keys[] = {
	CFS_CDX_URLKEY, CFS_CDX_TIMESTAMP, CFS_CDX_URL, CFS_CDX_MIME,
	CFS_CDX_STATUS, CFS_CDX_DIGEST, CFS_CDX_LENGTH, CFS_CDX_OFFSET,
	CFS_CDX_FILENAME,
};
static const enum cfs_cdx_key text_keys[] = {
	CFS_CDX_URLKEY, CFS_CDX_TIMESTAMP, CFS_CDX_URL, CFS_CDX_MIME,
	CFS_CDX_STATUS, CFS_CDX_DIGEST, CFS_CDX_REDIRECT, CFS_CDX_FLAGS,
	CFS_CDX_LENGTH, CFS_CDX_OFFSET, CFS_CDX_FILENAME,
};

void cfs_cdx_row_init(struct cfs_cdx_row *r)
{
	cfs_buf_init(&r->text, ROW_MAX);
	cfs_buf_init(&r->digest, CFS_KEY_MAX);
	cfs_buf_init(&r->name, ROW_MAX);
}

void cfs_cdx_row_release(struct cfs_cdx_row *r)
{
	cfs_buf_release(&r->text);
	cfs_buf_release(&r->digest);
	cfs_buf_release(&r->name);
}

/* Lengths are noted while the text grows, and may move; places are set at the
 * end. */
static void end_row_value(struct cfs_cdx_row *r, enum cfs_cdx_key key,
		      size_t *from)
{
	r->v[key].n = r->text.n - *from;
	*from = r->text.n;
}

static void set_places(struct cfs_cdx_row *r)
{
	static const enum cfs_cdx_key order[] = {
		CFS_CDX_URL, CFS_CDX_URLKEY, CFS_CDX_TIMESTAMP, CFS_CDX_MIME,
		CFS_CDX_STATUS, CFS_CDX_DIGEST, CFS_CDX_LENGTH, CFS_CDX_OFFSET,
		CFS_CDX_FILENAME, CFS_CDX_LANGUAGES,
	};
	size_t at = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		r->v[order[i]].p = r->text.p + at;
		at += r->v[order[i]].n;
	}
}

static int add_archive(struct cfs_cdx_row *r, struct cfs_crawl *c,
		       const char *folder, const struct cfs_capture *cap,
		       struct cfs_error *err)
{
	int rc;

	cfs_buf_reset(&r->name);
	rc = cfs_index_archive_name(c->index, &cap->loc, &r->name, err);
	if (rc != CFS_OK)
		return rc;
	if (folder != NULL) {
		cfs_buf_adds(&r->text, folder);
		cfs_buf_addc(&r->text, '/');
	}
	cfs_location_show(&r->text,
			  cfs_archive_plain(cfs_buf_slice(&r->name)));
	return r->text.failed;
}

/* The type as CDX files have it. */
static struct cfs_slice shown_type(const struct cfs_capture *cap)
{
	if (cap->kind == CFS_KIND_REVISIT)
		return CFS_SLICE_LIT("warc/revisit");
	return cap->mime.n > 0 ? cap->mime : CFS_SLICE_LIT("unk");
}

static struct cfs_slice bare_digest_of(struct cfs_slice digest)
{
	static const struct cfs_slice sha1 = CFS_SLICE_LIT("sha1:");

	return cfs_slice_starts(digest, sha1) ?
	       cfs_slice_from(digest, sha1.n) : digest;
}

void cfs_cdx_row_set_digest(struct cfs_cdx_row *r, struct cfs_slice digest)
{
	r->v[CFS_CDX_DIGEST] = bare_digest_of(digest);
}

int cfs_cdx_row_fill(struct cfs_cdx_row *r, struct cfs_crawl *c,
		     const char *folder, const struct cfs_iter *it,
		     const struct cfs_capture *cap, struct cfs_error *err)
{
	struct cfs_buf *out = &r->text;
	char when[CFS_TIME_14_BYTES];
	size_t from = 0;
	int rc;

	cfs_buf_reset(out);
	memset(r->v, 0, sizeof(r->v));
	rc = cfs_index_key_url(c->index, it->key, cap, out);
	if (rc != CFS_OK)
		return rc;
	end_row_value(r, CFS_CDX_URL, &from);
	cfs_buf_reset(&r->name);
	rc = cfs_surt_encode(cfs_buf_slice(out), &r->name);
	if (rc != CFS_OK && rc != CFS_ENOTFOUND)
		return rc;
	cfs_buf_add(out, rc == CFS_OK ? cfs_buf_slice(&r->name) :
					CFS_SLICE_LIT("-"));
	end_row_value(r, CFS_CDX_URLKEY, &from);
	if (cap->time != 0)
		cfs_buf_adds(out, cfs_time_format_cdx(cap->time, when));
	end_row_value(r, CFS_CDX_TIMESTAMP, &from);
	cfs_buf_add(out, shown_type(cap));
	end_row_value(r, CFS_CDX_MIME, &from);
	if (cap->status != 0)
		cfs_buf_addf(out, "%u", cap->status);
	end_row_value(r, CFS_CDX_STATUS, &from);
	cfs_buf_add(out, bare_digest_of(cap->digest));
	end_row_value(r, CFS_CDX_DIGEST, &from);
	cfs_buf_addf(out, "%" PRIu64, cap->loc.length);
	end_row_value(r, CFS_CDX_LENGTH, &from);
	cfs_buf_addf(out, "%" PRIu64, cap->loc.offset);
	end_row_value(r, CFS_CDX_OFFSET, &from);
	rc = add_archive(r, c, folder, cap, err);
	end_row_value(r, CFS_CDX_FILENAME, &from);
	cfs_buf_add(out, cap->languages);
	end_row_value(r, CFS_CDX_LANGUAGES, &from);
	if (rc == CFS_OK)
		rc = out->failed;
	if (rc != CFS_OK)
		return rc;
	set_places(r);
	return CFS_OK;
}

int cfs_cdx_row_passes(const struct cfs_cdx_row *r, struct cfs_cdx_query *q,
		       bool *passes, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	*passes = true;
	for (unsigned i = 0; rc == CFS_OK && *passes && i < q->n_filters; i++) {
		const struct cfs_cdx_filter *f = &q->filters[i];
		struct cfs_slice text = cfs_buf_slice(&f->text), v;
		bool is;

		v = r->v[f->key];
		if (v.n == 0)
			v = CFS_SLICE_EMPTY;
		if (f->pattern != NULL)
			rc = cfs_pattern_matches(f->pattern, v,
						 f->how == CFS_FILTER_WHOLE,
						 &q->time, &is, ctx);
		else if (f->how == CFS_FILTER_IS)
			is = cfs_slice_eq(v, text);
		else
			is = cfs_slice_search(v, text) >= 0;
		*passes = is != f->is_not;
	}
	return rc;
}

/* ---- forms ------------------------------------------------------------ */

/* The i-th field that is asked for, and its name; false past the last. */
static bool field_at(const struct cfs_cdx_query *q, size_t i,
		     enum cfs_cdx_key *key, const char **name)
{
	static const struct {
		const enum cfs_cdx_key *keys;
		size_t n;
		const char *const *names;
	} usual[] = {
		[CFS_OUTPUT_CDXJ] = { object_keys, 10, names },
		[CFS_OUTPUT_LINES] = { object_keys, 10, names },
		[CFS_OUTPUT_TABLE] = { table_keys, 9, wayback_names },
		[CFS_OUTPUT_TEXT] = { text_keys, 11, wayback_names },
	};

	if (i >= (q->n_fields > 0 ? q->n_fields : usual[q->output].n))
		return false;
	if (q->n_fields > 0) {
		*key = q->fields[i];
		*name = q->names[i];
	} else {
		*key = usual[q->output].keys[i];
		*name = usual[q->output].names[*key];
	}
	return true;
}

static struct cfs_slice dash_if_empty(struct cfs_slice v)
{
	return v.n > 0 ? v : CFS_SLICE_LIT("-");
}

static void write_object(const struct cfs_cdx_row *r,
			 const struct cfs_cdx_query *q, struct cfs_buf *out)
{
	bool is_cdxj = q->output == CFS_OUTPUT_CDXJ, is_first = true;
	enum cfs_cdx_key key;
	const char *name;

	if (is_cdxj) {
		cfs_buf_add(out, r->v[CFS_CDX_URLKEY]);
		cfs_buf_addc(out, ' ');
		cfs_buf_add(out, dash_if_empty(r->v[CFS_CDX_TIMESTAMP]));
		cfs_buf_addc(out, ' ');
	}
	cfs_buf_addc(out, '{');
	for (size_t i = 0; field_at(q, i, &key, &name); i++) {
		if (r->v[key].n == 0 ||
		    (is_cdxj && q->n_fields == 0 && key <= CFS_CDX_TIMESTAMP))
			continue;
		cfs_buf_addf(out, "%s\"%s\": ", is_first ? "" : ", ", name);
		cfs_json_add_ascii(out, r->v[key], CFS_JSON_ODD_PERCENT);
		is_first = false;
	}
	cfs_buf_adds(out, "}\n");
}

static void write_array(const struct cfs_cdx_row *r,
			const struct cfs_cdx_query *q, struct cfs_buf *out)
{
	enum cfs_cdx_key key;
	const char *name;

	cfs_buf_adds(out, ",\n[");
	for (size_t i = 0; field_at(q, i, &key, &name); i++) {
		cfs_buf_adds(out, i > 0 ? ", " : "");
		cfs_json_add_ascii(out, dash_if_empty(r->v[key]),
				   CFS_JSON_ODD_PERCENT);
	}
	cfs_buf_addc(out, ']');
}

/* A blank in a value would be the end of its field. */
static void write_text(const struct cfs_cdx_row *r,
		       const struct cfs_cdx_query *q, struct cfs_buf *out)
{
	enum cfs_cdx_key key;
	const char *name;

	for (size_t i = 0; field_at(q, i, &key, &name); i++) {
		struct cfs_slice v = dash_if_empty(r->v[key]);

		cfs_buf_adds(out, i > 0 ? " " : "");
		for (size_t k = 0; k < v.n; k++) {
			if (v.p[k] <= ' ' || v.p[k] == 127)
				cfs_buf_addf(out, "%%%02X", v.p[k]);
			else
				cfs_buf_addc(out, v.p[k]);
		}
	}
	cfs_buf_addc(out, '\n');
}

static void write_header(const struct cfs_cdx_query *q, struct cfs_buf *out)
{
	enum cfs_cdx_key key;
	const char *name;

	cfs_buf_adds(out, "[[");
	for (size_t i = 0; field_at(q, i, &key, &name); i++)
		cfs_buf_addf(out, "%s\"%s\"", i > 0 ? ", " : "", name);
	cfs_buf_addc(out, ']');
}

void cfs_cdx_row_write(const struct cfs_cdx_row *r,
		       const struct cfs_cdx_query *q, bool is_first,
		       struct cfs_buf *out)
{
	switch (q->output) {
	case CFS_OUTPUT_TABLE:
		if (is_first)
			write_header(q, out);
		write_array(r, q, out);
		break;
	case CFS_OUTPUT_TEXT:
		write_text(r, q, out);
		break;
	default:
		write_object(r, q, out);
		break;
	}
}

/* An empty table has no header, as the Wayback Machine's. */
void cfs_cdx_row_end(const struct cfs_cdx_query *q, bool is_empty,
		     struct cfs_buf *out)
{
	if (q->output == CFS_OUTPUT_TABLE)
		cfs_buf_adds(out, is_empty ? "[]\n" : "]\n");
}
