/* cdx_forms.c - rows of the CDX server: which pass its filters, and in which
 * forms they are sent.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_server_internal.h"

#include "codec/json.h"
#include "format/cdx/cdx_line_write.h"

/* The names of the Wayback Machine in tables and lines of text, which have
 * fields that are not known as "-". */
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
		[CFS_OUTPUT_CDXJ] = { object_keys, 10, cfs_cdx_names },
		[CFS_OUTPUT_LINES] = { object_keys, 10, cfs_cdx_names },
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
	bool is_cdxj = q->output == CFS_OUTPUT_CDXJ;
	enum cfs_cdx_key key;
	const char *name;

	if (is_cdxj) {
		cfs_buf_add(out, r->v[CFS_CDX_URLKEY]);
		cfs_buf_addc(out, ' ');
		cfs_buf_add(out, dash_if_empty(r->v[CFS_CDX_TIMESTAMP]));
		cfs_buf_addc(out, ' ');
	}
	cfs_buf_addc(out, '{');
	for (size_t i = 0; field_at(q, i, &key, &name); i++)
		if (!is_cdxj || q->n_fields > 0 || key > CFS_CDX_TIMESTAMP)
			cfs_cdx_add_field(out, name, r->v[key]);
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
