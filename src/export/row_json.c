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

#include "codec/json.h"

/* Bytes that are converted to base64 at a time: a multiple of three. */
#define BASE64_STEP 3u

static void put_base64(struct cfs_buf *out, struct cfs_slice s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = (s.n / 3 + (s.n % 3 != 0)) * 4;
	uint8_t *to;

	if (cfs_buf_reserve(out, n) != CFS_OK) {
		cfs_buf_append(out, s.p, s.n);	/* which fails likewise */
		return;
	}
	to = out->p + out->n;
	for (size_t i = 0; i < s.n; i += BASE64_STEP) {
		size_t left = s.n - i;
		uint32_t v = (uint32_t)s.p[i] << 16;

		if (left > 1)
			v |= (uint32_t)s.p[i + 1] << 8;
		if (left > 2)
			v |= s.p[i + 2];
		*to++ = (uint8_t)digits[v >> 18];
		*to++ = (uint8_t)digits[v >> 12 & 63];
		*to++ = '=';
		if (left > 1)
			to[-1] = (uint8_t)digits[v >> 6 & 63];
		*to++ = '=';
		if (left > 2)
			to[-1] = (uint8_t)digits[v & 63];
	}
	out->n += n;
}

static void put_pairs(struct cfs_json *j, const struct cfs_fields *f)
{
	cfs_json_open(j, '[');
	for (size_t i = 0; i < f->n; i++) {
		cfs_json_item(j);
		cfs_json_open(j, '[');
		cfs_json_item(j);
		cfs_json_str(j, f->v[i].name);
		cfs_json_item(j);
		cfs_json_str(j, f->v[i].value);
		cfs_json_close(j, ']');
	}
	cfs_json_close(j, ']');
}

static void put_words(struct cfs_json *j, struct cfs_slice words)
{
	cfs_json_open(j, '[');
	while (words.n > 0) {
		cfs_json_item(j);
		cfs_json_str(j, cfs_slice_split(&words, ','));
	}
	cfs_json_close(j, ']');
}

static void put_value(struct cfs_json *j, const struct cfs_export_row *r,
		      enum cfs_export_field f)
{
	switch (cfs_export_fields[f].kind) {
	case CFS_EXPORT_TEXTUAL:
		cfs_json_str(j, r->text[f]);
		break;
	case CFS_EXPORT_NUMBER:
		cfs_json_uint(j, r->number[f]);
		break;
	case CFS_EXPORT_WORDS:
		put_words(j, r->text[f]);
		break;
	case CFS_EXPORT_BYTES:
		cfs_buf_addc(j->out, '"');
		put_base64(j->out, r->text[f]);
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
		if ((opts->fields & r->has & CFS_EXPORT_BIT(f)) == 0)
			continue;
		cfs_json_key(&j, cfs_slice_str(cfs_export_fields[f].name));
		put_value(&j, r, (enum cfs_export_field)f);
	}
	cfs_json_close(&j, '}');
	cfs_buf_addc(out, '\n');
	return CFS_OK;
}
