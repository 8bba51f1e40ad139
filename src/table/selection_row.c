/* selection_row.c - converts one row of a selection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "selection_row.h"

#include "base/error.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "index/index.h"

/* ---- columns: their roles by name, as in Common Crawl's columnar index, and
 * as used by CDX servers, cdx_toolkit, comcrawl and warc2zip
 * (doc/formats.md, "Selections") ---- */

static const struct {
	const char *name;
	struct cfs_selection_column column;
} columns[] = {
	/* A full URL says more than a name, which is then perhaps a mere
	 * label. */
	{ "warc_url", { CFS_COLUMN_ARCHIVE, 0 } },
	{ "source_uri", { CFS_COLUMN_ARCHIVE, 0 } },
	{ "warc_filename", { CFS_COLUMN_ARCHIVE, 1 } },
	{ "filename", { CFS_COLUMN_ARCHIVE, 2 } },
	{ "archive", { CFS_COLUMN_ARCHIVE, CFS_COLUMN_OWN } },
	{ "warc_record_offset", { CFS_COLUMN_OFFSET, 0 } },
	{ "offset", { CFS_COLUMN_OFFSET, 1 } },
	{ "warc_record_length", { CFS_COLUMN_LENGTH, 0 } },
	{ "length", { CFS_COLUMN_LENGTH, 1 } },
	{ "url", { CFS_COLUMN_URL, 0 } },
	{ "warc_target_uri", { CFS_COLUMN_URL, 1 } },
	{ "original", { CFS_COLUMN_URL, 2 } },
	{ "fetch_time", { CFS_COLUMN_TIME, 0 } },
	{ "timestamp", { CFS_COLUMN_TIME, 1 } },
	{ "warc_date", { CFS_COLUMN_TIME, 2 } },
	{ "fetch_status", { CFS_COLUMN_STATUS, 0 } },
	{ "status", { CFS_COLUMN_STATUS, 1 } },
	{ "http_status_code", { CFS_COLUMN_STATUS, 2 } },
	{ "statuscode", { CFS_COLUMN_STATUS, 3 } },
	{ "content_mime_detected", { CFS_COLUMN_MIME, 0 } },
	{ "content_mime_type", { CFS_COLUMN_MIME, 1 } },
	{ "mime-detected", { CFS_COLUMN_MIME, 2 } },
	{ "mime", { CFS_COLUMN_MIME, 3 } },
	{ "detected_mime_type", { CFS_COLUMN_MIME, 4 } },
	{ "mimetype", { CFS_COLUMN_MIME, 5 } },
	{ "content_digest", { CFS_COLUMN_DIGEST, 0 } },
	{ "digest", { CFS_COLUMN_DIGEST, 1 } },
	{ "text", { CFS_COLUMN_CONTENT, 0 } },
	{ "main", { CFS_COLUMN_CONTENT, 0 } },
	{ "markdown", { CFS_COLUMN_CONTENT, 0 } },
	{ "html", { CFS_COLUMN_CONTENT, 0 } },
	{ "body", { CFS_COLUMN_CONTENT, 0 } },
	{ "headers", { CFS_COLUMN_CONTENT, 0 } },
	{ "links", { CFS_COLUMN_CONTENT, 0 } },
	{ "meta", { CFS_COLUMN_CONTENT, 0 } },
	{ "request", { CFS_COLUMN_CONTENT, 0 } },
};

struct cfs_selection_column cfs_selection_column_of(struct cfs_slice name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (cfs_slice_eq_nocase(name, cfs_slice_str(columns[i].name)))
			return columns[i].column;
	return (struct cfs_selection_column){ CFS_COLUMN_OTHER, 0 };
}

void cfs_selection_columns_lacking(unsigned roles, struct cfs_buf *out)
{
	static const struct {
		enum cfs_selection_role role;
		const char *name;
	} needed[] = {
		{ CFS_COLUMN_ARCHIVE, "warc_filename" },
		{ CFS_COLUMN_OFFSET, "warc_record_offset" },
		{ CFS_COLUMN_LENGTH, "warc_record_length" },
	};
	unsigned lacking = CFS_COLUMNS_NEEDED & ~roles;
	bool is_first = true;

	cfs_buf_adds(out, (lacking & (lacking - 1)) != 0 ? "the columns " :
							    "the column ");
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if ((lacking & 1u << needed[i].role) == 0)
			continue;
		cfs_buf_addf(out, "%s%s", is_first ? "" : ", ", needed[i].name);
		is_first = false;
	}
}

/* ---- rows ---- */

#define SHA1_BASE32_BYTES 32u
#define DIGEST_MAX 256u
#define STATUS_MAX 999u
#define SECOND_DIGITS 10u
#define MS_DIGITS 13u

void cfs_selection_scratch_init(struct cfs_selection_scratch *s)
{
	cfs_buf_init(&s->digest, DIGEST_MAX);
	cfs_buf_init(&s->notes, SIZE_MAX);
}

void cfs_selection_scratch_release(struct cfs_selection_scratch *s)
{
	cfs_buf_release(&s->digest);
	cfs_buf_release(&s->notes);
}

/* ---- times ---- */

int cfs_selection_time(struct cfs_slice s, int64_t *out)
{
	struct cfs_time_reading time;
	uint64_t n;

	s = cfs_slice_trim(s);
	if (s.n == SECOND_DIGITS || s.n == MS_DIGITS) {
		bool is_ms = s.n == MS_DIGITS;

		if (cfs_slice_parse_u64(s, INT64_MAX, &n) == CFS_OK) {
			*out = (int64_t)(is_ms ? n / 1000 : n);
			return CFS_OK;
		}
	}
	if (cfs_time_read_iso(s, &time) != CFS_OK || !time.is_whole ||
	    !time.has_day)
		return CFS_EFORMAT;
	*out = time.time;
	return CFS_OK;
}

/* ---- values ---- */

/* Parses a number, also with the ".0" of a column of floats. */
static int selection_row_parse_number(struct cfs_slice s, uint64_t *out)
{
	ptrdiff_t dot;

	s = cfs_slice_trim(s);
	dot = cfs_slice_find(s, '.');
	if (dot >= 0) {
		struct cfs_slice zeros = cfs_slice_from(s, (size_t)dot + 1);

		while (zeros.n > 0 && zeros.p[0] == '0')
			zeros = cfs_slice_from(zeros, 1);
		if (zeros.n == 0)
			s.n = (size_t)dot;
	}
	return cfs_slice_parse_u64(s, UINT64_MAX, out);
}

/* Formats a digest as WARC records write it, so that revisits find their
 * bodies. */
static struct cfs_slice selection_row_digest_of(struct cfs_slice s,
						struct cfs_buf *b)
{
	if (s.n == 0 || s.n > DIGEST_MAX - 8)
		return CFS_SLICE_EMPTY;
	cfs_buf_reset(b);
	if (s.n == SHA1_BASE32_BYTES)
		cfs_buf_adds(b, "sha1:");
	cfs_buf_add(b, s);
	return cfs_buf_slice(b);
}

/* The cell used for each role; NULL: none. */
struct chosen {
	const struct cfs_selection_cell *by_role[CFS_COLUMN_ROLES];
};

static bool selection_row_is_empty(const struct cfs_selection_cell *c)
{
	return c->type == CFS_CELL_NULL || c->value.n == 0 ||
	       (c->type == CFS_CELL_TEXT && c->value.n == 1 &&
		c->value.p[0] == '-');
}

static void selection_row_choose(const struct cfs_selection_cell *cells,
				 size_t n, struct chosen *out)
{
	*out = (struct chosen){ .by_role = { NULL } };
	for (size_t i = 0; i < n; i++) {
		const struct cfs_selection_cell **c =
			&out->by_role[cells[i].column.role];

		if (!selection_row_is_empty(&cells[i]) &&
		    (*c == NULL || cells[i].column.rank < (*c)->column.rank))
			*c = &cells[i];
	}
}

static struct cfs_slice selection_row_value_of(const struct chosen *k,
					       enum cfs_selection_role role)
{
	return k->by_role[role] != NULL ? k->by_role[role]->value :
					  CFS_SLICE_EMPTY;
}

static int take_place(const struct chosen *k, struct cfs_selection_row *row,
		      const char **why)
{
	*why = NULL;
	row->archive = selection_row_value_of(k, CFS_COLUMN_ARCHIVE);
	if (row->archive.n == 0)
		*why = "names no archive";
	else if (selection_row_parse_number(
			 selection_row_value_of(k, CFS_COLUMN_OFFSET),
			 &row->offset) != CFS_OK)
		*why = "its offset is not a number";
	else if (selection_row_parse_number(
			 selection_row_value_of(k, CFS_COLUMN_LENGTH),
			 &row->length) != CFS_OK ||
		 row->length == 0)
		*why = "its length is not a number above 0";
	else if (row->offset > INT64_MAX ||
		 row->length > INT64_MAX - row->offset)
		*why = "its offset and length are too large";
	return *why == NULL ? CFS_OK : CFS_EFORMAT;
}

static void take_rest(const struct chosen *k, struct cfs_buf *digest,
		      struct cfs_selection_row *row)
{
	struct cfs_slice time = selection_row_value_of(k, CFS_COLUMN_TIME);
	uint64_t status = 0;

	row->url = selection_row_value_of(k, CFS_COLUMN_URL);
	row->mime = selection_row_value_of(k, CFS_COLUMN_MIME);
	row->digest = selection_row_digest_of(
		selection_row_value_of(k, CFS_COLUMN_DIGEST), digest);
	if (time.n > 0 && cfs_selection_time(time, &row->time) != CFS_OK) {
		row->time = 0;
		row->doubt = "its time is not understood";
	}
	if (selection_row_parse_number(
		    selection_row_value_of(k, CFS_COLUMN_STATUS), &status) ==
		    CFS_OK &&
	    status <= STATUS_MAX)
		row->status = (uint16_t)status;
}

/* ---- notes ---- */

/* Invalid JSON, or JSON that is too deep, is shown as text. */
static void selection_row_put_value(struct cfs_json *j,
				    const struct cfs_selection_cell *c)
{
	struct cfs_json before = *j;
	struct cfs_slice rest = c->value;
	size_t n = j->out->n;

	if (c->type == CFS_CELL_NULL) {
		cfs_buf_adds(j->out, "null");
		return;
	}
	if (c->type == CFS_CELL_JSON) {
		if (cfs_json_copy(j, &rest) && cfs_slice_trim(rest).n == 0)
			return;
		*j = before;
		j->out->n = n;
	}
	cfs_json_str(j, c->value);
}

static bool is_place(const struct chosen *k, const struct cfs_selection_cell *c)
{
	return c == k->by_role[CFS_COLUMN_ARCHIVE] ||
	       c == k->by_role[CFS_COLUMN_OFFSET] ||
	       c == k->by_role[CFS_COLUMN_LENGTH] ||
	       c == k->by_role[CFS_COLUMN_URL];
}

/* True for the content of a page in a row that crawlfs has exported: it is made
 * of the record again. */
static bool is_own_content(const struct chosen *k,
			   const struct cfs_selection_cell *c)
{
	return c->column.role == CFS_COLUMN_CONTENT &&
	       k->by_role[CFS_COLUMN_ARCHIVE]->column.rank == CFS_COLUMN_OWN;
}

/* True for an empty URL or archive, which is not shown. */
static bool is_empty_place(const struct cfs_selection_cell *c)
{
	return selection_row_is_empty(c) && (c->column.role == CFS_COLUMN_URL ||
			       c->column.role == CFS_COLUMN_ARCHIVE);
}

static int make_notes(const struct cfs_selection_cell *cells, size_t n,
		      const struct chosen *k, struct cfs_buf *out,
		      struct cfs_selection_row *row)
{
	struct cfs_json j = { .out = out, .compact = true, .first = true };
	bool is_any = false;

	cfs_buf_reset(out);
	cfs_json_open(&j, '{');
	cfs_json_begin(&j, "selection", '{');
	for (size_t i = 0; i < n; i++) {
		struct cfs_json before = j;
		size_t end = out->n;

		if (is_place(k, &cells[i]) || is_empty_place(&cells[i]) ||
		    is_own_content(k, &cells[i]))
			continue;
		cfs_json_key(&j, cells[i].name);
		selection_row_put_value(&j, &cells[i]);
		if (out->n + 2 > CFS_NOTES_MAX) {
			j = before;
			out->n = end;
			row->doubt = "a column is too long to be shown";
		} else {
			is_any = true;
		}
	}
	cfs_json_close(&j, '}');
	cfs_json_close(&j, '}');
	if (is_any)
		row->notes = cfs_buf_slice(out);
	return out->failed;
}

int cfs_selection_row_make(const struct cfs_selection_cell *cells, size_t n,
			   struct cfs_selection_scratch *scratch,
			   struct cfs_selection_row *row, const char **why)
{
	struct chosen k;
	int rc;

	*row = (struct cfs_selection_row){ .notes = CFS_SLICE_EMPTY };
	selection_row_choose(cells, n, &k);
	rc = take_place(&k, row, why);
	if (rc != CFS_OK)
		return rc;
	take_rest(&k, &scratch->digest, row);
	return make_notes(cells, n, &k, &scratch->notes, row);
}
