/* cdx_line.c - parses lines of CDX, CDXJ and cluster.idx files.
 *
 * Fields of a JSON object come in any order; of two with the same name the last
 * counts.  Nested values are skipped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_line.h"

#include <inttypes.h>

#include "base/fileio.h"
#include "base/mime.h"
#include "base/timestamp.h"

static const uint8_t columns_9[] = {
	CFS_CDX_KEY, CFS_CDX_TIME, CFS_CDX_URL, CFS_CDX_MIME, CFS_CDX_STATUS,
	CFS_CDX_DIGEST, CFS_CDX_NONE, CFS_CDX_OFFSET, CFS_CDX_NAME };
static const uint8_t columns_10[] = {
	CFS_CDX_KEY, CFS_CDX_TIME, CFS_CDX_URL, CFS_CDX_MIME, CFS_CDX_STATUS,
	CFS_CDX_DIGEST, CFS_CDX_NONE, CFS_CDX_NONE, CFS_CDX_OFFSET,
	CFS_CDX_NAME };
static const uint8_t columns_11[] = {
	CFS_CDX_KEY, CFS_CDX_TIME, CFS_CDX_URL, CFS_CDX_MIME, CFS_CDX_STATUS,
	CFS_CDX_DIGEST, CFS_CDX_NONE, CFS_CDX_NONE, CFS_CDX_LENGTH,
	CFS_CDX_OFFSET, CFS_CDX_NAME };

static int cdx_line_bad(const char **why, const char *text)
{
	if (why != NULL)
		*why = text;
	return CFS_EFORMAT;
}

static bool is_dash(struct cfs_slice s)
{
	return s.n == 1 && s.p[0] == '-';
}

static bool is_unknown(struct cfs_slice s)
{
	return s.n == 0 || is_dash(s);
}

bool cfs_line_take(struct cfs_slice *rest, struct cfs_slice *line)
{
	if (rest->n == 0)
		return false;
	*line = cfs_slice_split(rest, '\n');
	return true;
}

/* ---- legends ---- */

bool cfs_cdx_is_legend(struct cfs_slice line)
{
	if (line.n > 0 && line.p[0] != 'C')
		line = cfs_slice_from(line, 1);
	return line.n > 4 && cfs_slice_starts(line, CFS_SLICE_LIT("CDX")) &&
	       (line.p[3] == ' ' || line.p[3] == '\t' || line.p[3] == ',');
}

static uint8_t field_of(struct cfs_slice letter)
{
	if (letter.n != 1)
		return CFS_CDX_NONE;
	switch (letter.p[0]) {
	case 'N': case 'A': return CFS_CDX_KEY;
	case 'b': return CFS_CDX_TIME;
	case 'a': return CFS_CDX_URL;
	case 'm': return CFS_CDX_MIME;
	case 's': return CFS_CDX_STATUS;
	case 'k': return CFS_CDX_DIGEST;
	case 'S': return CFS_CDX_LENGTH;
	case 'V': return CFS_CDX_OFFSET;
	case 'v': return CFS_CDX_PLAIN_OFFSET;
	case 'g': return CFS_CDX_NAME;
	default: return CFS_CDX_NONE;
	}
}

/* Takes the bytes before the next separator; *more: there was a separator. */
static struct cfs_slice cdx_line_take_field(struct cfs_slice *rest,
					    uint8_t separator, bool *more)
{
	size_t n = rest->n;
	struct cfs_slice f = cfs_slice_split(rest, separator);

	*more = f.n < n;
	return f;
}

int cfs_cdx_parse_legend(struct cfs_slice line, struct cfs_cdx_legend *out)
{
	bool more = true;

	*out = (struct cfs_cdx_legend){ .n = 0 };
	line = cfs_slice_from(line, line.p[0] == 'C' ? 3 : 4);
	out->separator = line.p[0];
	line = cfs_slice_trim(cfs_slice_from(line, 1));
	while (more) {
		if (out->n == CFS_CDX_FIELDS_MAX)
			return CFS_EFORMAT;
		out->field[out->n++] = field_of(
			cdx_line_take_field(&line, out->separator, &more));
	}
	return CFS_OK;
}

static bool has_field(const struct cfs_cdx_legend *legend, uint8_t field)
{
	for (unsigned i = 0; i < legend->n; i++)
		if (legend->field[i] == field)
			return true;
	return false;
}

const char *cfs_cdx_legend_lacks(const struct cfs_cdx_legend *legend)
{
	if (!has_field(legend, CFS_CDX_KEY) && !has_field(legend, CFS_CDX_URL))
		return "N (the key) or a (the URL)";
	if (!has_field(legend, CFS_CDX_TIME))
		return "b (the time)";
	if (!has_field(legend, CFS_CDX_OFFSET) &&
	    !has_field(legend, CFS_CDX_PLAIN_OFFSET))
		return "V (the offset)";
	return has_field(legend, CFS_CDX_NAME) ? NULL :
	       "g (the archive's name)";
}

/* ---- what all lines have ---- */

struct cfs_slice cfs_cdx_tidy_name(struct cfs_slice name)
{
	ptrdiff_t at = cfs_slice_search(name, CFS_SLICE_LIT("://"));

	if (at >= 0) {
		bool is_file = cfs_slice_starts_nocase(name,
						       CFS_SLICE_LIT("file"));

		name = cfs_slice_from(name, (size_t)at + 3);
		at = cfs_slice_find(name, '/');
		name = cfs_slice_from(name, at < 0 ? name.n :
				      (size_t)at + !is_file);
	}
	if (name.n > 0 && name.p[0] == '/')
		name = cfs_slice_last_part(name);
	while (cfs_slice_starts(name, CFS_SLICE_LIT("./")))
		name = cfs_slice_from(name, 2);
	return cfs_name_stays_below(name) ? name : CFS_SLICE_EMPTY;
}

static struct cfs_json_text known(struct cfs_json_text t)
{
	if (is_unknown(t.s))
		t = (struct cfs_json_text){ CFS_SLICE_EMPTY, false };
	return t;
}

/* ---- JSON ---- */

static enum cfs_cdx_field json_field(struct cfs_slice name)
{
	static const struct {
		const char *name;
		uint8_t n, field;
	} t[] = {
		{ "url", 3, CFS_CDX_URL }, { "mime", 4, CFS_CDX_MIME },
		{ "status", 6, CFS_CDX_STATUS },
		{ "digest", 6, CFS_CDX_DIGEST },
		{ "length", 6, CFS_CDX_LENGTH },
		{ "offset", 6, CFS_CDX_OFFSET },
		{ "filename", 8, CFS_CDX_NAME },
		{ "urlkey", 6, CFS_CDX_KEY }, { "timestamp", 9, CFS_CDX_TIME },
		{ "languages", 9, CFS_CDX_LANGUAGES },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (name.n == t[i].n && memcmp(name.p, t[i].name, name.n) == 0)
			return (enum cfs_cdx_field)t[i].field;
	return CFS_CDX_NONE;
}

/* Reads the fields of the JSON object that s consists of. */
static bool cdx_line_take_object(struct cfs_slice s,
				 struct cfs_json_text f[CFS_CDX_FIELDS])
{
	bool more = true;

	s = cfs_slice_from(s, 1);
	cfs_json_skip_blanks(&s);
	if (s.n > 0 && s.p[0] == '}')
		return true;
	while (more) {
		struct cfs_json_text name, value;
		bool is_string;

		if (!cfs_json_take_name(&s, &name))
			return false;
		is_string = s.n > 0 && s.p[0] == '"';
		if (!cfs_json_take_value(&s, &value))
			return false;
		if (!is_string && cfs_slice_eq(value.s, CFS_SLICE_LIT("null")))
			value.s.n = 0;
		f[json_field(name.s)] = value;
		cfs_json_skip_blanks(&s);
		if (s.n == 0 || (s.p[0] != ',' && s.p[0] != '}'))
			return false;
		more = s.p[0] == ',';
		s = cfs_slice_from(s, 1);
	}
	cfs_json_skip_blanks(&s);
	return s.n == 0;
}

/* ---- lines ---- */

/* The offset in the archive.  If the archive is not compressed, the offset in
 * the inflated bytes serves as well. */
static struct cfs_slice cdx_line_offset_of(
	const struct cfs_json_text f[CFS_CDX_FIELDS])
{
	struct cfs_slice name = f[CFS_CDX_NAME].s;
	bool is_plain = !cfs_slice_ends(name, CFS_SLICE_LIT(".gz")) &&
			!cfs_slice_ends(name, CFS_SLICE_LIT(".zst"));

	return is_plain && is_unknown(f[CFS_CDX_OFFSET].s) ?
	       f[CFS_CDX_PLAIN_OFFSET].s : f[CFS_CDX_OFFSET].s;
}

static int from_fields(const struct cfs_json_text f[CFS_CDX_FIELDS],
		       struct cfs_cdx_line *out, const char **why)
{
	struct cfs_slice length = f[CFS_CDX_LENGTH].s;
	uint64_t status;

	out->key = f[CFS_CDX_KEY];
	out->name = f[CFS_CDX_NAME];
	if (is_unknown(out->key.s))
		return cdx_line_bad(why, "the key is missing");
	if (!is_dash(f[CFS_CDX_TIME].s) &&
	    cfs_time_parse_14(f[CFS_CDX_TIME].s, &out->time) != CFS_OK)
		return cdx_line_bad(why, "malformed time");
	if (cfs_slice_parse_u64(cdx_line_offset_of(f), INT64_MAX,
				&out->offset) != CFS_OK)
		return cdx_line_bad(why, "the offset is not a number");
	if (!is_unknown(length) &&
	    cfs_slice_parse_u64(length, INT64_MAX, &out->length) != CFS_OK)
		return cdx_line_bad(why, "the length is not a number");
	if (is_unknown(out->name.s))
		return cdx_line_bad(why, "the archive's name is missing");
	if (!out->name.escaped)
		out->name.s = cfs_cdx_tidy_name(out->name.s);
	if (out->name.s.n == 0)
		return cdx_line_bad(why, "the archive's name is not usable");
	if (cfs_slice_parse_u64(f[CFS_CDX_STATUS].s, 999, &status) == CFS_OK)
		out->status = (uint16_t)status;
	out->url = f[CFS_CDX_URL];
	if (is_unknown(out->url.s))
		out->url = known(out->url);
	out->mime = f[CFS_CDX_MIME];
	if (!out->mime.escaped)
		out->mime.s = cfs_mime_type(out->mime.s);
	out->digest = known(f[CFS_CDX_DIGEST]);
	out->languages = known(f[CFS_CDX_LANGUAGES]);
	return CFS_OK;
}

static int parse_json(struct cfs_slice line, size_t at,
		      struct cfs_cdx_line *out, const char **why)
{
	struct cfs_json_text f[CFS_CDX_FIELDS];
	struct cfs_slice head = cfs_slice_sub(line, 0, at);
	bool more;

	for (size_t i = 0; i < CFS_CDX_FIELDS; i++)
		f[i] = (struct cfs_json_text){ CFS_SLICE_EMPTY, false };
	if (!cdx_line_take_object(cfs_slice_from(line, at), f))
		return cdx_line_bad(why, "the JSON object is damaged");
	if (at > 0) {			/* key and time before the object win */
		f[CFS_CDX_KEY] = (struct cfs_json_text){
			cdx_line_take_field(&head, ' ', &more), false };
		f[CFS_CDX_TIME].s = cdx_line_take_field(&head, ' ', &more);
	}
	return from_fields(f, out, why);
}

/* The columns of a line without a legend, by their number. */
static const uint8_t *columns_of(unsigned n)
{
	switch (n) {
	case 9: return columns_9;
	case 10: return columns_10;
	case 11:
	case 14: return columns_11;
	default: return NULL;
	}
}

static int parse_columns(struct cfs_slice line,
			 const struct cfs_cdx_legend *legend,
			 struct cfs_cdx_line *out, const char **why)
{
	bool given = legend != NULL && legend->n > 0, more = true;
	struct cfs_slice column[CFS_CDX_FIELDS_MAX];
	struct cfs_json_text f[CFS_CDX_FIELDS];
	uint8_t separator = given ? legend->separator : ' ';
	const uint8_t *field;
	unsigned n = 0;

	while (more && n < CFS_CDX_FIELDS_MAX)
		column[n++] = cdx_line_take_field(&line, separator, &more);
	field = given ? legend->field : columns_of(n);
	if (more || field == NULL || (given && n != legend->n))
		return cdx_line_bad(why, "the number of columns is wrong");
	for (size_t i = 0; i < CFS_CDX_FIELDS; i++)
		f[i] = (struct cfs_json_text){ CFS_SLICE_EMPTY, false };
	for (unsigned i = n < 12 || given ? n : 11; i-- > 0;)
		f[field[i]].s = column[i];	/* the first of a kind counts */
	if (given && !has_field(legend, CFS_CDX_KEY))
		f[CFS_CDX_KEY] = f[CFS_CDX_URL];
	return from_fields(f, out, why);
}

void cfs_cdx_bad_line(struct cfs_error *out, const char *where, uint64_t off,
		      uint64_t number, const char *why)
{
	if (number > 0)
		cfs_error_at(out, CFS_EFORMAT, where, off, "line %" PRIu64
			     ": %s", number, why);
	else
		cfs_error_at(out, CFS_EFORMAT, where, off, "%s", why);
}

int cfs_cdx_parse(struct cfs_slice line, const struct cfs_cdx_legend *legend,
		  struct cfs_cdx_line *out, const char **why)
{
	ptrdiff_t sp;

	*out = (struct cfs_cdx_line){ .status = 0 };
	while (line.n > 0 && (line.p[line.n - 1] == '\r' ||
			      line.p[line.n - 1] == ' '))
		line.n--;
	if (line.n == 0 || line.p[0] == '!' || line.p[0] == '#' ||
	    cfs_cdx_is_legend(line))
		return CFS_END;
	if (line.n > CFS_CDX_LINE_MAX)
		return cdx_line_bad(why, CFS_CDX_LONG_LINE);
	if (line.p[0] == '{')
		return parse_json(line, 0, out, why);
	sp = cfs_slice_find(line, ' ');
	if (sp >= 0) {
		struct cfs_slice rest = cfs_slice_from(line, (size_t)sp + 1);
		ptrdiff_t sp2 = cfs_slice_find(rest, ' ');

		if (sp2 >= 0 && (size_t)sp2 + 1 < rest.n &&
		    rest.p[sp2 + 1] == '{')
			return parse_json(line, (size_t)(sp + sp2) + 2, out,
					  why);
	}
	return parse_columns(line, legend, out, why);
}

struct cfs_slice cfs_cdx_name(const struct cfs_cdx_line *line,
			      struct cfs_buf *buf)
{
	if (!line->name.escaped)
		return line->name.s;
	if (cfs_json_add_text(buf, line->name) != CFS_OK)
		return CFS_SLICE_EMPTY;
	return cfs_cdx_tidy_name(cfs_buf_slice(buf));
}

/* ---- cluster.idx ---- */

int cfs_cluster_parse(struct cfs_slice line, struct cfs_cluster_line *out)
{
	struct cfs_slice first, offset, length;
	bool more, has_number;
	uint64_t number;

	while (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	first = cdx_line_take_field(&line, '\t', &more);
	if (!more)
		return CFS_EFORMAT;
	out->key = cdx_line_take_field(&first, ' ', &more);
	out->time = first;
	out->stated = 0;
	out->shard = cdx_line_take_field(&line, '\t', &more);
	offset = cdx_line_take_field(&line, '\t', &more);
	if (!more)
		return CFS_EFORMAT;
	length = cdx_line_take_field(&line, '\t', &has_number);
	if (out->key.n == 0 || out->shard.n == 0 ||
	    out->shard.n > CFS_CDX_NAME_MAX ||
	    cfs_slice_parse_u64(offset, INT64_MAX, &out->offset) != CFS_OK ||
	    cfs_slice_parse_u64(length, INT64_MAX, &out->length) != CFS_OK ||
	    out->length == 0 ||
	    (has_number && cfs_slice_parse_u64(line, INT64_MAX, &number) !=
			   CFS_OK))
		return CFS_EFORMAT;
	return CFS_OK;
}
