/* http_head.c - splits heads: a first line, fields, an empty line.
 *
 * Spec: RFC 9112 section 2 to 5; ISO 28500 section 4 has the same grammar.
 *     head  = first-line *(field) empty-line
 *     field = name ":" value, and lines that begin with a blank continue it
 * Also accepted, because archives hold it: LF alone or CR CR LF as a line
 * end, blanks before the colon, lines without a colon, no empty line at all
 * (sample hello-world.arc), an empty head.
 * Limits: CFS_HEAD_MAX bytes, CFS_HEAD_FIELDS_MAX fields.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "http_head.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

/* ---- fields by name ---- */

static bool same_name(struct cfs_slice a, const char *b)
{
	size_t i;

	for (i = 0; i < a.n && b[i] != '\0'; i++) {
		uint8_t x = a.p[i], y = (uint8_t)b[i];

		x = x == '_' ? '-' : cfs_ascii_lower(x);
		y = y == '_' ? '-' : cfs_ascii_lower(y);
		if (x != y)
			return false;
	}
	return i == a.n && b[i] == '\0';
}

struct cfs_slice cfs_fields_get(const struct cfs_fields *f, const char *name,
				bool *found)
{
	size_t i = 0;

	while (i < f->n && !same_name(f->v[i].name, name))
		i++;
	if (found != NULL)
		*found = i < f->n;
	return i < f->n ? f->v[i].value : CFS_SLICE_EMPTY;
}

struct cfs_slice cfs_fields_get_last(const struct cfs_fields *f,
				     const char *name, bool *found)
{
	size_t i = f->n;

	while (i > 0 && !same_name(f->v[i - 1].name, name))
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

/* A head without its empty line ends where markup begins. */
static bool is_markup(struct cfs_slice line)
{
	return line.n > 0 && line.p[0] == '<';
}

static bool is_field(struct cfs_slice line)
{
	return line.n == 0 || cfs_is_blank(line.p[0]) ||
	       cfs_slice_find(line, ':') > 0;
}

size_t cfs_head_length(struct cfs_slice s, bool *complete)
{
	struct cfs_slice rest = cfs_slice_sub(s, 0, CFS_HEAD_MAX), line;
	size_t fields = 0;	/* the end of the leading lines that are fields */
	bool first = true, only_fields = true, in_head = true;

	*complete = false;
	while (in_head && cfs_head_line(&rest, &line)) {
		if (line.n == 0 && !first) {
			*complete = true;
			return (size_t)(rest.p - s.p);
		}
		in_head = !is_markup(line);
		only_fields = only_fields && in_head &&
			      (first || is_field(line));
		if (only_fields)
			fields = (size_t)(rest.p - s.p);
		first = false;
	}
	/* A last line without a LF may still belong to the head. */
	if (only_fields && s.n <= CFS_HEAD_MAX && !is_markup(rest) &&
	    (first || is_field(rest)))
		fields = s.n;
	return fields;
}

/* Joins a continuation line to the value before it: at `end`, where that was
 * copied by the first one.  Returns the end of both. */
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

/* The next line, or what is left where no LF follows. */
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
	uint8_t *joined;	/* end of the folded values, behind the fields */
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

struct cfs_slice cfs_mime_essence(struct cfs_slice content_type)
{
	ptrdiff_t semi = cfs_slice_find(content_type, ';');

	return cfs_slice_trim(semi < 0 ? content_type :
			      cfs_slice_sub(content_type, 0, (size_t)semi));
}
