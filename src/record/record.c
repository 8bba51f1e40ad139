/* record.c - one archive record: finds the format, hands over to its parser,
 * undoes the body's encodings.
 *
 * Formats: arc.c, warc.c.  Heads: http_head.c.  Encodings: body.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "arc.h"
#include "body.h"
#include "http_head.h"
#include "warc.h"

/* ---- memory of a record ---- */

void *cfs_record_alloc(struct cfs_record_own *own, size_t n)
{
	struct cfs_record_block *b;
	uint8_t *p;

	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) *
	    sizeof(max_align_t);
	if (n <= sizeof(own->first) - own->first_used) {
		p = (uint8_t *)own->first + own->first_used;
		own->first_used += n;
		return p;
	}
	b = malloc(sizeof(*b) + n);
	if (b == NULL)
		return NULL;
	b->next = own->more;
	own->more = b;
	return b->bytes;
}

static struct cfs_record_own *new_own(void)
{
	struct cfs_record_own *own = malloc(sizeof(*own));

	if (own != NULL)
		memset(own, 0, offsetof(struct cfs_record_own, first));
	return own;
}

void cfs_record_release(struct cfs_record *r)
{
	struct cfs_record_own *own = r->own;

	if (own == NULL)
		return;
	while (own->more != NULL) {
		struct cfs_record_block *b = own->more;

		own->more = b->next;
		free(b);
	}
	free(own->body);
	free(own);
	r->own = NULL;
}

/* ---- fields ---- */

static bool same_name(struct cfs_slice a, const char *b)
{
	size_t i;

	for (i = 0; i < a.n && b[i] != '\0'; i++) {
		uint8_t x = a.p[i], y = (uint8_t)b[i];

		x = x == '_' ? '-' : x >= 'A' && x <= 'Z' ? x | 0x20 : x;
		y = y == '_' ? '-' : y >= 'A' && y <= 'Z' ? y | 0x20 : y;
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

struct cfs_slice cfs_record_id(const struct cfs_record *r)
{
	return cfs_fields_get(&r->warc, "WARC-Record-ID", NULL);
}

struct cfs_slice cfs_record_digest(const struct cfs_record *r)
{
	return cfs_fields_get(&r->warc, "WARC-Payload-Digest", NULL);
}

struct cfs_slice cfs_record_refers_to(const struct cfs_record *r)
{
	return cfs_fields_get(&r->warc, "WARC-Refers-To", NULL);
}

struct cfs_slice cfs_record_refers_to_uri(const struct cfs_record *r)
{
	struct cfs_slice s = cfs_fields_get(&r->warc,
					    "WARC-Refers-To-Target-URI", NULL);

	if (s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>')
		s = cfs_slice_sub(s, 1, s.n - 2);
	return s;
}

struct cfs_slice cfs_record_refers_to_date(const struct cfs_record *r)
{
	return cfs_fields_get(&r->warc, "WARC-Refers-To-Date", NULL);
}

/* ---- where records begin ---- */

size_t cfs_record_newlines(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n && (s.p[n] == '\n' || s.p[n] == '\r'))
		n++;
	return n;
}

/* "WARC/1.1" and some room for versions to come. */
#define VERSION_LINE_MAX 16u

/* A version line with its end: "WARC/1.0" and nothing much after it. */
static bool is_version_line(struct cfs_slice line)
{
	return cfs_warc_is_version(line) && line.n <= VERSION_LINE_MAX;
}

static bool is_header_line(struct cfs_slice line,
			   enum cfs_archive_format format)
{
	struct cfs_arc_line arc;

	if (format == CFS_ARCHIVE_WARC)
		return is_version_line(line);
	return cfs_arc_has_scheme(line) && cfs_arc_line_parse(line, &arc) && arc.is_sure;
}

bool cfs_record_is_start(struct cfs_slice s)
{
	struct cfs_slice line;

	s = cfs_slice_from(s, cfs_record_newlines(s));
	s = cfs_slice_sub(s, 0, CFS_ARC_LINE_MAX);
	return cfs_head_line(&s, &line) &&
	       (is_header_line(line, CFS_ARCHIVE_WARC) ||
		is_header_line(line, CFS_ARCHIVE_ARC));
}

size_t cfs_record_find_start(struct cfs_slice s, enum cfs_archive_format format,
			     size_t *from_line)
{
	struct cfs_slice rest = s, line;
	size_t at = 0;

	while (cfs_head_line(&rest, &line)) {
		if (is_header_line(line, format))
			break;
		at = s.n - rest.n;
	}
	if (from_line != NULL)
		*from_line = at;
	return at < s.n && rest.n < s.n - at ? at : s.n;
}

int cfs_record_measure(struct cfs_slice bytes, struct cfs_record_shape *out,
		       struct cfs_error *err)
{
	struct cfs_slice s, rest, line, value;
	struct cfs_arc_line arc;
	struct cfs_fields f;
	struct cfs_record_own *own;
	bool complete;
	int rc;

	*out = (struct cfs_record_shape){ 0 };
	out->skip = cfs_record_newlines(bytes);
	rest = s = cfs_slice_from(bytes, out->skip);
	if (!cfs_head_line(&rest, &line))
		return s.n < CFS_ARC_LINE_MAX ? CFS_END :
		       cfs_error_set(err, CFS_EFORMAT, "no record begins here");
	if (!is_version_line(line)) {
		out->format = CFS_ARCHIVE_ARC;
		out->head_bytes = s.n - rest.n;
		if (!cfs_arc_line_parse(line, &arc) || !arc.is_sure)
			return cfs_error_set(err, CFS_EFORMAT,
					     "no record begins here");
		out->has_declared = arc.has_length;
		out->declared = arc.length;
		return CFS_OK;
	}
	out->format = CFS_ARCHIVE_WARC;
	out->head_bytes = cfs_head_length(s, &complete);
	if (!complete)
		return s.n < CFS_HEAD_MAX ? CFS_END :
		       cfs_error_set(err, CFS_ELIMIT, "WARC header has no end in %u bytes",
				     CFS_HEAD_MAX);
	own = new_own();
	rc = own == NULL ? CFS_ENOMEM :
	     cfs_head_fields(cfs_slice_sub(s, 0, out->head_bytes), own, &f);
	if (rc == CFS_OK) {
		value = cfs_fields_get(&f, "Content-Length", NULL);
		out->has_declared = cfs_slice_parse_u64(value, UINT64_MAX / 2,
						&out->declared) == CFS_OK;
	}
	cfs_record_release(&(struct cfs_record){ .own = own });
	return rc == CFS_OK ? CFS_OK :
	       cfs_error_set(err, rc, "out of memory");
}

/* ---- parsing ---- */

static int decode_body(struct cfs_record *r,
		       const struct cfs_record_limits *limits,
		       struct cfs_error *err)
{
	uint64_t max = limits != NULL && limits->max_body_bytes > 0 ?
		       limits->max_body_bytes : CFS_RECORD_MAX_DEFAULT;
	struct cfs_record_own *own = r->own;
	struct cfs_body_result res;
	int rc;

	if (max > SIZE_MAX / 2)
		max = SIZE_MAX / 2;
	if (!r->has_http || r->stored_body.n == 0)
		return CFS_OK;
	rc = cfs_body_decode(r->stored_body, &r->http, r->is_cut, (size_t)max,
			     &res, err);
	if (rc != CFS_OK || res.p == NULL)
		return rc;
	own->body = res.p;
	r->body = cfs_slice_of(res.p, res.n);
	r->body_was_decoded = true;
	r->body_is_damaged = res.is_damaged;
	return CFS_OK;
}

static void empty_record(struct cfs_record *r)
{
	*r = (struct cfs_record){ 0 };
	r->all = r->head = r->block = r->url = r->ip = r->mime = r->http_head =
		r->status_line = r->stored_body = r->body = CFS_SLICE_EMPTY;
}

static void finish_http(struct cfs_record *r)
{
	struct cfs_slice head = r->http_head, type;
	ptrdiff_t semi;

	if (!r->has_http)
		return;
	if (!cfs_head_line(&head, &r->status_line))
		r->status_line = head;
	r->status = cfs_http_status(r->status_line);
	if (r->mime.n > 0)
		return;
	type = cfs_fields_get_last(&r->http, "Content-Type", NULL);
	semi = cfs_slice_find(type, ';');
	r->mime = cfs_slice_trim(semi < 0 ? type :
				 cfs_slice_sub(type, 0, (size_t)semi));
}

int cfs_record_parse(struct cfs_record *r, struct cfs_slice bytes,
		     unsigned flags, const struct cfs_record_limits *limits,
		     uint64_t *used, struct cfs_error *err)
{
	size_t skip = cfs_record_newlines(bytes), n = 0;
	struct cfs_slice s = cfs_slice_from(bytes, skip), rest = s, line;
	int rc;

	empty_record(r);
	r->own = new_own();
	if (r->own == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	if (cfs_head_line(&rest, &line) && is_version_line(line))
		rc = cfs_warc_parse(r, s, &n, err);
	else
		rc = cfs_arc_parse(r, s, (flags & CFS_PARSE_COMMON_CRAWL) != 0,
				   &n, err);
	if (rc == CFS_OK) {
		finish_http(r);
		r->all = cfs_slice_sub(bytes, 0, skip + n);
		if ((flags & CFS_PARSE_HEAD_ONLY) == 0) {
			r->body = r->stored_body;
			rc = decode_body(r, limits, err);
		}
	}
	if (rc != CFS_OK)
		cfs_record_release(r);
	if (used != NULL)
		*used = rc == CFS_OK ? skip + n : 0;
	return rc;
}
