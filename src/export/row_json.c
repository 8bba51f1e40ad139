/* row_json.c - writes a row as a line of JSON.
 *
 * A line is one object without blanks between its members (RFC 8259, and
 * jsonlines.org), which are the fields of the row in their order.  Text that is
 * not UTF-8 has U+FFFD in place of what is wrong, so that any bytes in an
 * archive give a valid line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export.h"
#include "row_internal.h"

#include <inttypes.h>

#include "base/spill.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "view/robots.h"

/* Bytes that become base64 at a time: a multiple of three. */
#define BASE64_STEP (CFS_SPILL_STEP / 4 * 3)

/* Appends base64 (RFC 4648, section 4). */
static void put_base64_step(struct cfs_buf *out, struct cfs_slice s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = (s.n / 3 + (s.n % 3 != 0)) * 4;
	uint8_t *to;

	if (out->failed != CFS_OK || cfs_buf_reserve(out, n) != CFS_OK) {
		out->failed = out->failed != CFS_OK ? out->failed : CFS_ENOMEM;
		return;
	}
	to = out->p + out->n;
	for (size_t i = 0; i < s.n; i += 3) {
		size_t left = s.n - i;
		uint32_t v = (uint32_t)s.p[i] << 16;

		if (left > 1)
			v |= (uint32_t)s.p[i + 1] << 8;
		if (left > 2)
			v |= s.p[i + 2];
		*to++ = (uint8_t)digits[v >> 18];
		*to++ = (uint8_t)digits[v >> 12 & 63];
		*to++ = left > 1 ? (uint8_t)digits[v >> 6 & 63] : '=';
		*to++ = left > 2 ? (uint8_t)digits[v & 63] : '=';
	}
	out->n += n;
}

static void put_base64(struct cfs_buf *out, struct cfs_slice s,
		       enum cfs_pages pages)
{
	while (s.n > 0) {
		struct cfs_slice step = cfs_slice_sub(s, 0, BASE64_STEP);

		put_base64_step(out, step);
		cfs_pages_passed(pages, step);
		cfs_spill_settle(out);
		s = cfs_slice_from(s, step.n);
	}
}

/* The length of a step at the front of s, which ends with a whole character. */
static size_t whole_step(struct cfs_slice s)
{
	size_t n = CFS_SPILL_STEP;

	if (s.n <= n)
		return s.n;
	for (size_t i = 0; i < 4; i++)
		if ((s.p[n - i] & 0xc0) != 0x80)
			return n - i;
	return n;		/* that is no UTF-8 */
}

/* Writes a string step by step. */
static void put_text(struct cfs_json *j, struct cfs_slice s,
		     enum cfs_pages pages)
{
	cfs_buf_addc(j->out, '"');
	while (s.n > 0) {
		struct cfs_slice step = cfs_slice_sub(s, 0, whole_step(s));

		cfs_json_inside(j, step);
		cfs_pages_passed(pages, step);
		cfs_spill_settle(j->out);
		s = cfs_slice_from(s, step.n);
	}
	cfs_buf_addc(j->out, '"');
}

static void put_pairs(struct cfs_json *j, const struct cfs_fields *f)
{
	cfs_json_open(j, '[');
	for (size_t i = 0; i < f->n; i++) {
		cfs_json_begin(j, NULL, '[');
		cfs_json_item(j);
		cfs_json_str(j, f->v[i].name);
		cfs_json_item(j);
		cfs_json_str(j, f->v[i].value);
		cfs_json_close(j, ']');
	}
	cfs_json_close(j, ']');
}

void cfs_row_json_texts(struct cfs_buf *out, const struct cfs_row_text *texts,
			size_t n)
{
	struct cfs_json j = { .out = out, .compact = true };
	CFS_BUF(shown, out->max);
	size_t i = 0;

	while (i < n && texts[i].value.n == 0)
		i++;
	if (i == n)
		return;
	cfs_json_open(&j, '{');
	for (; i < n; i++) {
		if (texts[i].value.n == 0)
			continue;
		cfs_buf_reset(&shown);
		cfs_utf8_add_percent(&shown, texts[i].value, -1);
		cfs_json_put_str(&j, texts[i].name, cfs_buf_slice(&shown));
	}
	cfs_json_close(&j, '}');
	if (shown.failed != CFS_OK)
		out->failed = shown.failed;
}

void cfs_row_json_robots(struct cfs_buf *out, struct cfs_slice statements)
{
	struct cfs_json j = { .out = out, .compact = true };
	struct cfs_robots_item item;

	cfs_json_open(&j, '[');
	while (cfs_robots_next(&statements, &item)) {
		cfs_json_begin(&j, NULL, '{');
		cfs_json_put_str(&j, "source", item.source);
		cfs_json_put_str(&j, "name", item.name);
		cfs_json_put_str(&j, "agent", item.agent);
		/* the last one ends like the others */
		item.rules.n -= item.rules.n > 0;
		cfs_json_put_words(&j, "rules", item.rules, '\n');
		cfs_json_close(&j, '}');
	}
	cfs_json_close(&j, ']');
}

void cfs_row_json_besides(struct cfs_buf *out, struct cfs_slice columns)
{
	struct cfs_json j = { .out = out, .compact = true };
	struct cfs_json_member m;
	size_t from = out->n;
	unsigned field;

	cfs_json_open(&j, '{');
	while (cfs_json_next(&columns, '{', &m) == CFS_OK) {
		if (cfs_export_field_find(m.name.s, &field))
			continue;
		cfs_json_item(&j);
		cfs_buf_addc(out, '"');		/* escapes stay */
		cfs_buf_add(out, m.name.s);
		cfs_buf_adds(out, "\":");
		cfs_buf_add(out, m.written);
	}
	if (j.first)
		out->n = from;
	else
		cfs_json_close(&j, '}');
}

static void put_value(struct cfs_json *j, const struct cfs_export_row *r,
		      enum cfs_export_field f)
{
	switch (cfs_export_fields[f].kind) {
	case CFS_EXPORT_TEXTUAL:
		put_text(j, r->text[f], cfs_export_row_pages(r, f));
		break;
	case CFS_EXPORT_NUMBER:
		cfs_json_uint(j, r->number[f]);
		break;
	case CFS_EXPORT_SIGNED:
		cfs_buf_addf(j->out, "%" PRId64, (int64_t)r->number[f]);
		break;
	case CFS_EXPORT_PERCENT:
		cfs_buf_addf(j->out, "%u.%02u", (unsigned)r->number[f] / 100,
			     (unsigned)r->number[f] % 100);
		break;
	case CFS_EXPORT_WORDS:
		cfs_json_words(j, r->text[f], ',');
		break;
	case CFS_EXPORT_BYTES:
		cfs_buf_addc(j->out, '"');
		put_base64(j->out, r->text[f], cfs_export_row_pages(r, f));
		cfs_buf_addc(j->out, '"');
		break;
	case CFS_EXPORT_PAIRS:
		put_pairs(j, r->headers);
		break;
	case CFS_EXPORT_JSON:
		cfs_buf_add(j->out, r->text[f]);
		break;
	}
}

int cfs_row_put_json(const struct cfs_export_row *r,
		     const struct cfs_export_opts *opts, struct cfs_buf *out,
		     struct cfs_ctx ctx)
{
	struct cfs_json j = { .out = out, .compact = true };

	(void)ctx;
	cfs_json_open(&j, '{');
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++) {
		bool has = (r->has & CFS_EXPORT_BIT(f)) != 0;

		if ((opts->fields & CFS_EXPORT_BIT(f)) == 0 ||
		    (!has && !opts->nulls) || cfs_export_fields[f].name == NULL)
			continue;
		cfs_json_key(&j, cfs_slice_str(cfs_export_fields[f].name));
		if (has)
			put_value(&j, r, (enum cfs_export_field)f);
		else
			cfs_buf_adds(out, "null");
	}
	cfs_json_close(&j, '}');
	cfs_buf_addc(out, '\n');
	return CFS_OK;
}
