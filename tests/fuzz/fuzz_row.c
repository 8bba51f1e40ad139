/* fuzz_row.c - any bytes as a record, or as URL, header and body of one: its
 * row is a line of valid JSON that holds the body, and a WARC record that holds
 * the text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <jansson.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "export/export.h"
#include "record/parse.h"

#define ALL_FIELDS (CFS_EXPORT_BIT(CFS_EXPORT_FIELDS) - 1)
#define OUT_MAX ((size_t)1 << 28)

static void demand(bool what)
{
	if (!what)
		abort();
}

/* The body in a row, as another decoder has it, is the record's. */
static void check_body(const json_t *row, struct cfs_slice body)
{
	const char *text = json_string_value(json_object_get(row, "body"));
	struct base64_decode_ctx ctx;
	size_t n = text != NULL ? strlen(text) : 0, got = n;
	uint8_t *plain = malloc(BASE64_DECODE_LENGTH(n) + 1);

	demand(plain != NULL);
	base64_decode_init(&ctx);
	demand(base64_decode_update(&ctx, &got, plain, n, text ? text : ""));
	demand(base64_decode_final(&ctx));
	demand(cfs_slice_eq(cfs_slice_of(plain, got), body));
	free(plain);
}

static void check_json(const struct cfs_export_row *r,
		       const struct cfs_export_opts *o, struct cfs_slice body)
{
	struct cfs_buf out;
	json_t *row;

	cfs_buf_init(&out, OUT_MAX);
	demand(cfs_row_put_json(r, o, &out, CFS_CTX(NULL, NULL)) == CFS_OK);
	demand(out.failed == CFS_OK && out.n > 2);
	demand(cfs_slice_find(cfs_buf_slice(&out), '\n') ==
	       (ptrdiff_t)out.n - 1);
	row = json_loadb((const char *)out.p, out.n - 1,
			 JSON_REJECT_DUPLICATES, NULL);
	demand(json_is_object(row));
	check_body(row, body);
	json_decref(row);
	cfs_buf_release(&out);
}

/* The record that a text becomes can be read, and is the text: the main content,
 * since its field is among them. */
static void check_wet(const struct cfs_export_row *r,
		      const struct cfs_export_opts *o)
{
	struct cfs_record back;
	struct cfs_buf out;

	cfs_buf_init(&out, OUT_MAX);
	demand(cfs_row_put_wet(r, o, &out, CFS_CTX(NULL, NULL)) == CFS_OK);
	demand(out.failed == CFS_OK);
	if (out.n > 0) {
		demand(cfs_record_parse(&back, cfs_buf_slice(&out), 0, NULL,
					NULL, NULL) == CFS_OK);
		demand(back.type == CFS_RECORD_CONVERSION);
		demand(cfs_slice_eq(back.block, r->text[CFS_EXPORT_MAIN]));
		cfs_record_release(&back);
	}
	cfs_buf_release(&out);
}

static void make_row(const struct cfs_view_input *in)
{
	struct cfs_export_opts o = { .fields = ALL_FIELDS };
	struct cfs_export_row *r = calloc(1, sizeof(*r));

	demand(r != NULL);
	o.fields &= ~CFS_EXPORT_BIT(CFS_EXPORT_RECORD);
	cfs_export_row_init(r);
	demand(cfs_export_row_fill(r, ALL_FIELDS, in, CFS_CTX(NULL, NULL)) ==
	       CFS_OK);
	check_json(r, &o, in->record->body);
	check_wet(r, &o);
	cfs_export_row_release(r);
	free(r);
}

FUZZ_TARGET(data, size)
{
	struct cfs_record_limits limits = { .max_body_bytes = 1 << 24 };
	struct cfs_slice bytes = cfs_slice_of(size > 0 ? data :
					      (const uint8_t *)"", size);
	struct cfs_slice url = cfs_slice_sub(bytes, 0, size / 3);
	struct cfs_slice rest = cfs_slice_from(bytes, size / 3);
	struct cfs_field fields[] = {
		{ CFS_SLICE_LIT("Content-Type"), CFS_SLICE_LIT("text/html") },
		{ cfs_slice_sub(rest, 0, 40), cfs_slice_sub(rest, 0, 80) },
	};
	struct cfs_record r = { 0 };
	struct cfs_view_input in = { .record = &r,
		.url = CFS_SLICE_EMPTY, .notes = CFS_SLICE_EMPTY,
		.archive_name = url };

	if (cfs_record_parse(&r, bytes, 0, &limits, NULL, NULL) == CFS_OK)
		make_row(&in);
	cfs_record_release(&r);

	r = (struct cfs_record){ .format = CFS_ARCHIVE_ARC,
				 .type = CFS_RECORD_ARC, .has_http = true,
				 .status = 200, .http = { fields, 2 },
				 .all = CFS_SLICE_EMPTY, .mime = url,
				 .body = rest, .stored_body = rest,
				 .url = url };
	make_row(&in);
	return 0;
}
