/* http_head.c - parses heads: a first line, fields, an empty line.
 *
 * Spec: RFC 9112 section 2 to 5; ISO 28500 section 4 has the same grammar.
 *     head  = first-line *(field) empty-line
 *     field = name ":" value, and lines that begin with a blank continue it
 * Also accepted, because archives have it: LF alone or CR CR LF as a line end,
 * blanks before the colon, lines without a colon or of markup, no empty line at
 * all (sample hello-world.arc), an empty head.
 *     response  = *(head of an interim response) head body
 * A head without its empty line ends before the first line that is not a field.
 * The empty line is also taken to be missing where a document begins and no
 * field follows until the first empty line.
 * Limits: CFS_HEAD_MAX bytes, CFS_HEAD_FIELDS_MAX fields.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "http_head.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mime.h"

/* ---- fields by name ---- */

static bool same_name(struct cfs_slice a, struct cfs_slice b)
{
	if (a.n != b.n)		/* most differ so */
		return false;
	for (size_t i = 0; i < a.n; i++) {
		uint8_t x = a.p[i], y = b.p[i];

		x = x == '_' ? '-' : cfs_ascii_lower(x);
		y = y == '_' ? '-' : cfs_ascii_lower(y);
		if (x != y)
			return false;
	}
	return true;
}

struct cfs_slice cfs_fields_get(const struct cfs_fields *f, const char *name,
				bool *found)
{
	struct cfs_slice wanted = cfs_slice_str(name);
	size_t i = 0;

	while (i < f->n && !same_name(f->v[i].name, wanted))
		i++;
	if (found != NULL)
		*found = i < f->n;
	return i < f->n ? f->v[i].value : CFS_SLICE_EMPTY;
}

struct cfs_slice cfs_fields_get_last(const struct cfs_fields *f,
				     const char *name, bool *found)
{
	struct cfs_slice wanted = cfs_slice_str(name);
	size_t i = f->n;

	while (i > 0 && !same_name(f->v[i - 1].name, wanted))
		i--;
	if (found != NULL)
		*found = i > 0;
	return i > 0 ? f->v[i - 1].value : CFS_SLICE_EMPTY;
}

/* ---- lines ---- */

bool cfs_head_line(struct cfs_slice *s, struct cfs_slice *line)
{
	ptrdiff_t lf = cfs_slice_find(*s, '\n');
	size_t n = (size_t)lf;

	if (lf < 0)
		return false;
	while (n > 0 && s->p[n - 1] == '\r')
		n--;
	*line = cfs_slice_sub(*s, 0, n);
	*s = cfs_slice_from(*s, (size_t)lf + 1);
	return true;
}

size_t cfs_head_newlines(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n && (s.p[n] == '\n' || s.p[n] == '\r'))
		n++;
	return n;
}

size_t cfs_head_find_line(struct cfs_slice s,
			  bool (*is_wanted)(struct cfs_slice line),
			  size_t *from_line)
{
	struct cfs_slice rest = s, line;
	size_t at = 0;

	while (cfs_head_line(&rest, &line)) {
		if (is_wanted(line))
			break;
		at = s.n - rest.n;
	}
	if (from_line != NULL)
		*from_line = at;
	return at < s.n && rest.n < s.n - at ? at : s.n;
}

/* ---- heads ---- */

/* Markup ends a head that has no empty line. */
static bool is_markup(struct cfs_slice line)
{
	return line.n > 0 && line.p[0] == '<';
}

/* True at the start of a document, which no server sends as a field. */
static bool is_document(struct cfs_slice line)
{
	static const char *const starts[] = {
		"<!doctype", "<html", "<head", "<body", "<?xml",
	};

	if (!is_markup(line))		/* almost always */
		return false;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (cfs_slice_starts_nocase(line, cfs_slice_str(starts[i])))
			return true;
	return false;
}

static bool is_field(struct cfs_slice line)
{
	return line.n == 0 || cfs_is_blank(line.p[0]) ||
	       cfs_slice_find(line, ':') > 0;
}

/* True for a field whose name consists of ordinary characters. */
static bool is_plain_field(struct cfs_slice line)
{
	ptrdiff_t colon = cfs_slice_find(line, ':');

	for (ptrdiff_t i = 0; i < colon; i++)
		if (!cfs_is_alpha(line.p[i]) && !cfs_is_digit(line.p[i]) &&
		    line.p[i] != '-' && line.p[i] != '_')
			return false;
	return colon > 0;
}

/* Findings about the lines of a head so far. */
struct head_lines {
	size_t fields;	/* the end of the leading lines that are fields */
	size_t document;	/* lines since the start of a document,
				 * inclusive */
	bool first, only_fields;
};

static void note_line(struct head_lines *h, struct cfs_slice line, size_t end)
{
	if (h->document > 0)
		h->document = is_plain_field(line) ? 0 : h->document + 1;
	else if (is_document(line) && !h->first)
		h->document = 1;
	h->only_fields = h->only_fields && !is_markup(line) &&
			 (h->first || is_field(line));
	if (h->only_fields)
		h->fields = end;
	h->first = false;
}

size_t cfs_head_length(struct cfs_slice s, bool *complete)
{
	struct cfs_slice rest = cfs_slice_sub(s, 0, CFS_HEAD_MAX), line;
	struct head_lines h = { .first = true, .only_fields = true };

	*complete = false;
	while (cfs_head_line(&rest, &line)) {
		/* a document of several lines may contain empty ones */
		if (line.n == 0 && !h.first && h.document > 1)
			return h.fields;
		if (line.n == 0 && !h.first) {
			*complete = true;
			return (size_t)(rest.p - s.p);
		}
		note_line(&h, line, (size_t)(rest.p - s.p));
	}
	/* A last line without a LF may still belong to the head. */
	if (h.only_fields && s.n <= CFS_HEAD_MAX && !is_markup(rest) &&
	    (h.first || is_field(rest)))
		return s.n;
	return h.fields;
}

/* Joins a continuation line to the value before it.  The first one copies the
 * value to `end`; others continue there.  Returns the new end. */
static uint8_t *unfold(struct cfs_field *f, bool *is_folded,
		       struct cfs_slice line, uint8_t *end)
{
	if (line.n == 0)
		return end;
	if (!*is_folded) {
		memcpy(end, f->value.p, f->value.n);
		f->value.p = end;
		end += f->value.n;
		*is_folded = true;
	}
	if (f->value.n > 0) {
		*end++ = ' ';
		f->value.n++;
	}
	memcpy(end, line.p, line.n);
	f->value.n += line.n;
	return end + line.n;
}

static size_t count_lines(struct cfs_slice s)
{
	size_t n = 1;
	ptrdiff_t i;

	while (n < CFS_HEAD_FIELDS_MAX && (i = cfs_slice_find(s, '\n')) >= 0) {
		s = cfs_slice_from(s, (size_t)i + 1);
		n++;
	}
	return n;
}

/* Takes the next line, or the rest if no LF follows. */
static bool next_line(struct cfs_slice *s, struct cfs_slice *line)
{
	if (s->n == 0)
		return false;
	if (!cfs_head_line(s, line)) {
		*line = *s;
		*s = cfs_slice_from(*s, s->n);
	}
	return true;
}

int cfs_head_fields(struct cfs_slice head, struct cfs_fields *out)
{
	size_t max = count_lines(head);
	struct cfs_field *f = malloc(max * sizeof(*f) + head.n);
	uint8_t *joined;	/* end of the folded values, which lie behind
				 * the fields */
	struct cfs_slice line;
	bool is_folded = false;

	*out = (struct cfs_fields){ f, 0 };
	if (f == NULL)
		return CFS_ENOMEM;
	joined = (uint8_t *)(f + max);
	next_line(&head, &line);
	while (next_line(&head, &line)) {
		ptrdiff_t colon = cfs_slice_find(line, ':');

		if (line.n > 0 && cfs_is_blank(line.p[0])) {
			if (out->n > 0)
				joined = unfold(&f[out->n - 1], &is_folded,
						cfs_slice_trim(line), joined);
			continue;
		}
		if (colon < 0)
			continue;
		if (out->n == max)
			break;
		is_folded = false;
		f[out->n++] = (struct cfs_field){
			cfs_slice_trim(cfs_slice_sub(line, 0, (size_t)colon)),
			cfs_slice_trim(cfs_slice_from(line, (size_t)colon + 1)),
		};
	}
	return CFS_OK;
}

void cfs_fields_release(struct cfs_fields *f)
{
	free(f->v);
	*f = (struct cfs_fields){ NULL, 0 };
}

/* True for what a proxy says about the connection before the server answers. */
static bool is_of_proxy(struct cfs_slice status_line)
{
	return cfs_slice_search_nocase(status_line,
			CFS_SLICE_LIT(" connection established")) >= 0;
}

/* Most CRs and LFs between two heads. */
#define BETWEEN_HEADS_MAX 8

/* Offset of the response that follows the interim one at the start of s; 0 if
 * there is none. */
static size_t skip_interim(struct cfs_slice s)
{
	struct cfs_slice rest = s, line;
	unsigned status;
	bool complete = true;
	size_t n;

	if (!cfs_http_is_response(s) || !cfs_head_line(&rest, &line))
		return 0;
	status = cfs_http_status(line);
	if ((status < 100 || status > 199) &&
	    !(status == 200 && is_of_proxy(line)))
		return 0;
	n = (size_t)(rest.p - s.p);
	if (!cfs_http_is_response(rest))	/* else it lacks its empty
						 * line */
		n = cfs_head_length(s, &complete);
	if (!complete)		/* keeps the search linear */
		return 0;
	rest = cfs_slice_from(s, n);
	n += cfs_head_newlines(cfs_slice_sub(rest, 0, BETWEEN_HEADS_MAX));
	return cfs_http_is_response(cfs_slice_from(s, n)) ? n : 0;
}

size_t cfs_http_interim_bytes(struct cfs_slice s)
{
	size_t n = 0, one;

	while ((one = skip_interim(cfs_slice_from(s, n))) > 0)
		n += one;
	return n;
}

bool cfs_http_is_response(struct cfs_slice s)
{
	return s.n > 5 &&
	       cfs_slice_starts_nocase(s, CFS_SLICE_LIT("HTTP")) &&
	       (s.p[4] == '/' || s.p[4] == ' ');
}

unsigned cfs_http_status(struct cfs_slice line)
{
	ptrdiff_t blank = cfs_slice_find(line, ' ');
	uint64_t v;

	if (blank < 0)
		return 0;
	line = cfs_slice_trim(cfs_slice_from(line, (size_t)blank));
	if (line.n < 3 || (line.n > 3 && cfs_is_digit(line.p[3])) ||
	    cfs_slice_parse_u64(cfs_slice_sub(line, 0, 3), 999, &v) != CFS_OK)
		return 0;
	return v >= 100 ? (unsigned)v : 0;
}

struct cfs_slice cfs_http_type(const struct cfs_fields *f,
			       struct cfs_slice *value)
{
	struct cfs_slice type = CFS_SLICE_EMPTY;
	size_t i = f->n;

	*value = CFS_SLICE_EMPTY;
	while (type.n == 0 && i-- > 0) {
		if (!same_name(f->v[i].name, CFS_SLICE_LIT("Content-Type")))
			continue;
		type = cfs_mime_type(f->v[i].value);
		if (type.n > 0 || value->n == 0)
			*value = f->v[i].value;
	}
	return type;
}

bool cfs_http_is_status_line(struct cfs_slice s)
{
	size_t n = 6;

	if (!cfs_slice_starts(s, CFS_SLICE_LIT("HTTP/")) || s.n < 12 ||
	    !cfs_is_digit(s.p[5]))
		return false;
	if (s.p[n] == '.' && cfs_is_digit(s.p[n + 1]))
		n += 2;
	s = cfs_slice_from(s, n);
	return s.n > 4 && s.p[0] == ' ' && s.p[1] >= '1' && s.p[1] <= '9' &&
	       cfs_is_digit(s.p[2]) && cfs_is_digit(s.p[3]) &&
	       (s.p[4] == ' ' || s.p[4] == '\r' || s.p[4] == '\n');
}
