/* row_parquet.c - gathers rows in a file, and has a Parquet file made of it.
 *
 * A Parquet file ends with a table of what is in it, so that it cannot be
 * resumed in the middle.  Rows are gathered in a file that can, and that is
 * compressed by all processors.  In it a row is:
 *
 *     8 bytes   how many bytes follow, big-endian, as all numbers are
 *     8 bytes   a bit for each field that the row has
 *     fields    in their order: 8 bytes with a number, or with the bytes of a
 *               text, which follows; of lists of structs that is what
 *               parquet_write.h says
 *
 * Text that is not UTF-8 has U+FFFD in place of what is wrong, and of NUL, as
 * in JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "export.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/spill.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "record/members.h"
#include "table/parquet_write.h"

#define ROW_HEAD 16u
/* Most bytes of a row: those of a value for each long field.  Links, whose JSON
 * is at most a quarter of that, become no longer than it. */
#define ROW_MAX (CFS_PARQUET_VALUE_MAX * 12)
/* Bytes of the text of a link's member. */
#define MEMBER_MAX ((size_t)64 << 20)
/* Bytes of a note in the file's metadata. */
#define NOTE_MAX ((size_t)32 << 10)
#define NUMBER_BYTES 8u
#define PARQUET_STEP ((size_t)256 << 10)
static const char replaced[] = "\xef\xbf\xbd";

/* The members of a header, of a link, whose other attributes are in its .meta,
 * and of what a revisit refers to. */
static const char *const pair_members[] = { "name", "value", NULL };
static const char *const link_members[] = { "href", "type", "text", "rel",
	"title", "alt", NULL };
static const char *const revisit_members[] = { "url", "timestamp",
	"record_id", NULL };

/* The members of the struct, or the structs, of a field; NULL: it has none. */
static const char *const *members_of(enum cfs_export_field f)
{
	if (f == CFS_EXPORT_LINKS)
		return link_members;
	if (f == CFS_EXPORT_REVISIT_OF)
		return revisit_members;
	return cfs_export_fields[f].kind == CFS_EXPORT_PAIRS ? pair_members :
	       NULL;
}

/* ---- writing ------------------------------------------------------------- */

static void put_number(struct cfs_buf *out, uint64_t n)
{
	uint8_t bytes[NUMBER_BYTES];

	cfs_be64_put(bytes, n);
	cfs_buf_append(out, bytes, sizeof(bytes));
}

/* Bytes of a character that stays as it is; 0: it is replaced. */
static size_t clean_len(struct cfs_slice s)
{
	return s.p[0] == 0 ? 0 : cfs_utf8_len(s);
}

static uint64_t clean_bytes(struct cfs_slice s)
{
	uint64_t n = 0;

	while (s.n > 0) {
		size_t len = clean_len(s);

		n += len > 0 ? len : sizeof(replaced) - 1;
		s = cfs_slice_from(s, len > 0 ? len : 1);
	}
	return n;
}

/* Appends a text, in steps. */
static void put_clean(struct cfs_buf *out, struct cfs_slice s,
		      enum cfs_pages pages)
{
	while (s.n > 0) {
		struct cfs_slice step = CFS_SLICE_EMPTY;
		size_t len = 0;

		while (step.n < s.n && step.n < CFS_SPILL_STEP &&
		       (len = clean_len(cfs_slice_from(s, step.n))) > 0)
			step.n += len;
		step.p = s.p;
		cfs_buf_add(out, step);
		if (step.n < s.n && step.n < CFS_SPILL_STEP) {
			cfs_buf_adds(out, replaced);
			step.n++;
		}
		cfs_pages_passed(pages, step);
		cfs_spill_settle(out);
		s = cfs_slice_from(s, step.n);
	}
}

static void put_clean_text(struct cfs_buf *out, struct cfs_slice s,
			   enum cfs_pages pages)
{
	put_number(out, clean_bytes(s));
	put_clean(out, s, pages);
}

/* Appends a member of a struct that is not NULL. */
static void put_member(struct cfs_buf *out, struct cfs_slice s)
{
	cfs_buf_varint(out, clean_bytes(s) + 1);
	put_clean(out, s, CFS_PAGES_STAY);
	cfs_spill_settle(out);
}

static void put_bytes(struct cfs_buf *out, struct cfs_slice s,
		      enum cfs_pages pages)
{
	put_number(out, s.n);
	cfs_export_add_pages(out, s, pages);
}

static void put_pairs(struct cfs_buf *out, const struct cfs_fields *f)
{
	for (size_t i = 0; i < f->n; i++) {
		put_member(out, f->v[i].name);
		put_member(out, f->v[i].value);
	}
}

/* Appends members of an object; `text` is for decoding. */
static void put_object(struct cfs_buf *out, struct cfs_slice object,
		       const char *const *members, struct cfs_buf *text)
{
	struct cfs_json_text found[CFS_PARQUET_MEMBERS_MAX] = { 0 };
	struct cfs_json_member m;

	while (cfs_json_next(&object, '{', &m) == CFS_OK)
		for (size_t i = 0; members[i] != NULL; i++)
			if (cfs_slice_eq(m.name.s, cfs_slice_str(members[i])))
				found[i] = m.value;
	for (size_t i = 0; members[i] != NULL; i++) {
		cfs_buf_reset(text);
		cfs_json_add_text(text, found[i]);
		if (found[i].s.p == NULL)
			cfs_buf_addc(out, 0);
		else
			put_member(out, cfs_buf_slice(text));
	}
}

/* Appends what is an object, or an array of them. */
static void put_objects(struct cfs_buf *out, struct cfs_slice json,
			enum cfs_export_field f)
{
	struct cfs_json_member item;
	CFS_BUF(text, MEMBER_MAX);

	if (f == CFS_EXPORT_REVISIT_OF)
		put_object(out, json, revisit_members, &text);
	else
		while (cfs_json_next(&json, '[', &item) == CFS_OK)
			put_object(out, item.written, link_members, &text);
	if (text.failed != CFS_OK && out->failed == CFS_OK)
		out->failed = text.failed;
}

/* Appends a struct, or a list of them, behind the number of its bytes. */
static void put_structs(struct cfs_buf *out, const struct cfs_export_row *r,
			enum cfs_export_field f)
{
	size_t from = out->n;

	put_number(out, 0);
	if (cfs_export_fields[f].kind == CFS_EXPORT_PAIRS)
		put_pairs(out, r->headers);
	else
		put_objects(out, r->text[f], f);
	if (out->failed == CFS_OK)
		cfs_be64_put(out->p + from, out->n - from - NUMBER_BYTES);
}

/* Writes the microseconds since 1970 of a row's time. */
static void put_micros(struct cfs_buf *out, struct cfs_slice text)
{
	ptrdiff_t point = cfs_slice_find(text, '.');
	int64_t t = 0, unit = 1000000;

	(void)cfs_time_parse_iso(text, &t);
	t *= unit;
	for (size_t i = (size_t)point + 1; point >= 0 && i < text.n &&
					   cfs_is_digit(text.p[i]); i++) {
		unit /= 10;
		t += (text.p[i] - '0') * unit;
	}
	put_number(out, (uint64_t)t);
}

static void put_field(struct cfs_buf *out, const struct cfs_export_row *r,
		      enum cfs_export_field f)
{
	enum cfs_pages pages = CFS_PAGES_STAY;

	if (f == CFS_EXPORT_TIMESTAMP) {
		put_micros(out, r->text[f]);
		return;
	}
	if (members_of(f) != NULL) {
		put_structs(out, r, f);
		return;
	}
	switch (cfs_export_fields[f].kind) {
	case CFS_EXPORT_NUMBER:
	case CFS_EXPORT_SIGNED:
	case CFS_EXPORT_PERCENT:
		put_number(out, r->number[f]);
		break;
	case CFS_EXPORT_PAIRS:
		break;			/* structs */
	case CFS_EXPORT_BYTES:
		put_bytes(out, r->text[f], cfs_export_row_pages(r, f));
		break;
	case CFS_EXPORT_TEXTUAL:
		pages = cfs_export_row_pages(r, f);
		/* fallthrough */
	case CFS_EXPORT_WORDS:
	case CFS_EXPORT_JSON:
		put_clean_text(out, r->text[f], pages);
		break;
	}
}

int cfs_row_put_parquet(const struct cfs_export_row *r,
			const struct cfs_export_opts *opts, struct cfs_buf *out,
			struct cfs_ctx ctx)
{
	size_t from = out->n;
	uint8_t head[ROW_HEAD] = { 0 };

	(void)ctx;
	cfs_be64_put(head + NUMBER_BYTES, opts->fields & r->has);
	cfs_buf_append(out, head, sizeof(head));
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		if ((opts->fields & r->has & CFS_EXPORT_BIT(f)) != 0)
			put_field(out, r, (enum cfs_export_field)f);
	if (out->failed == CFS_OK)
		cfs_be64_put(out->p + from, out->n - from - NUMBER_BYTES);
	return CFS_OK;
}

/* ---- reading ------------------------------------------------------------- */

struct gathered {
	struct cfs_source *src;
	struct cfs_member_stream *z;
	struct cfs_buf in;		/* bytes that were inflated */
	size_t from;			/* bytes before this are used */
	bool is_over;
	const enum cfs_export_field *fields;	/* of the columns */
	size_t n;
};

static int gathered_bad(const struct gathered *g, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, g->src->name,
			    cfs_member_stream_offset(g->z),
			    "the rows that were gathered are damaged");
}

/* Inflates some more. */
static int gathered_pull(struct gathered *g, struct cfs_ctx ctx)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	size_t got = 0;
	int rc;

	if (cfs_buf_reserve(&g->in, PARQUET_STEP) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	rc = cfs_member_stream_read(g->z, g->in.p + g->in.n, PARQUET_STEP,
				    &got, &state, ctx);
	g->in.n += rc == CFS_OK ? got : 0;
	if (rc == CFS_OK && state == CFS_MEMBER_END) {
		rc = cfs_member_stream_next(g->z, ctx);
		g->is_over = rc == CFS_END;
		rc = g->is_over ? CFS_OK : rc;
	} else if (rc == CFS_OK && state != CFS_MEMBER_MORE) {
		rc = gathered_bad(g, ctx.err);
	}
	return rc;
}

/* Has n bytes in memory.  CFS_END: there are none left. */
static int gathered_need(struct gathered *g, uint64_t n, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (n > ROW_MAX)
		return gathered_bad(g, ctx.err);
	if (g->in.n - g->from < n && g->from > 0) {
		g->in.n -= g->from;
		memmove(g->in.p, g->in.p + g->from, g->in.n);
		g->from = 0;
	}
	while (rc == CFS_OK && g->in.n - g->from < n && !g->is_over)
		rc = gathered_pull(g, ctx);
	if (rc != CFS_OK || g->in.n - g->from >= n)
		return rc;
	return g->in.n == g->from ? CFS_END : gathered_bad(g, ctx.err);
}

/* Takes the values of a row apart. */
static bool take_values(const struct gathered *g, struct cfs_slice row,
			struct cfs_parquet_value *values)
{
	struct cfs_cursor c = { row, false };
	struct cfs_slice bits = cfs_cursor_take(&c, NUMBER_BYTES);
	uint64_t has = c.bad ? 0 : cfs_be64_get(bits.p);

	for (size_t i = 0; i < g->n; i++) {
		enum cfs_export_field f = g->fields[i];
		struct cfs_parquet_value *v = &values[i];
		struct cfs_slice number;

		v->has = (has & CFS_EXPORT_BIT(f)) != 0;
		v->text = CFS_SLICE_EMPTY;
		if (!v->has)
			continue;
		number = cfs_cursor_take(&c, NUMBER_BYTES);
		if (c.bad)
			return false;
		v->number = (int64_t)cfs_be64_get(number.p);
		if (f != CFS_EXPORT_TIMESTAMP &&
		    !cfs_export_is_number(cfs_export_fields[f].kind))
			v->text = cfs_cursor_take(&c, (size_t)v->number);
	}
	return !c.bad && c.rest.n == 0;
}

static int gathered_next(void *arg, struct cfs_parquet_value *values,
			 struct cfs_ctx ctx)
{
	struct gathered *g = arg;
	uint64_t bytes = 0;
	int rc = gathered_need(g, NUMBER_BYTES, ctx);

	if (rc != CFS_OK)
		return rc;
	bytes = cfs_be64_get(g->in.p + g->from);
	if (bytes > ROW_MAX)
		return gathered_bad(g, ctx.err);
	rc = gathered_need(g, NUMBER_BYTES + bytes, ctx);
	if (rc != CFS_OK)
		return rc;
	g->from += NUMBER_BYTES;
	if (!take_values(g, cfs_slice_of(g->in.p + g->from, (size_t)bytes),
			 values))
		return gathered_bad(g, ctx.err);
	g->from += (size_t)bytes;
	return CFS_OK;
}

/* ---- the table ----------------------------------------------------------- */

static enum cfs_parquet_type column_type(enum cfs_export_field f)
{
	if (f == CFS_EXPORT_TIMESTAMP)
		return CFS_PARQUET_TIME;
	if (f == CFS_EXPORT_STATUS)
		return CFS_PARQUET_INT;
	if (f == CFS_EXPORT_REVISIT_OF)
		return CFS_PARQUET_STRUCT;
	if (members_of(f) != NULL)
		return CFS_PARQUET_STRUCTS;
	switch (cfs_export_fields[f].kind) {
	case CFS_EXPORT_NUMBER:
	case CFS_EXPORT_SIGNED:
		return CFS_PARQUET_LONG;
	case CFS_EXPORT_PERCENT:
		return CFS_PARQUET_HUNDREDTHS;
	case CFS_EXPORT_WORDS:
		return CFS_PARQUET_WORDS;
	case CFS_EXPORT_BYTES:
		return CFS_PARQUET_BYTES;
	default:
		return CFS_PARQUET_TEXT;
	}
}

/* Appends a note's value, which is cut where it is too long. */
static void add_note(struct cfs_parquet_note *note, struct cfs_buf *text,
		     const char *value)
{
	cfs_buf_init(text, 3 * NOTE_MAX);
	put_clean(text, cfs_slice_sub(cfs_slice_str(value), 0, NOTE_MAX),
		  CFS_PAGES_STAY);
	note->value = cfs_buf_slice(text);
}

/* Writes the file, with what it was made of in its metadata. */
static int write_noted(struct cfs_parquet_opts *po,
		       const struct cfs_export_opts *opts, struct cfs_ctx ctx)
{
	struct cfs_parquet_note notes[] = { { .name = "crawlfs.version" },
		{ .name = "crawlfs.source" }, { .name = "crawlfs.order" },
		{ .name = "crawlfs.options" } };
	const char *values[] = { PACKAGE_VERSION, opts->described, opts->order,
				 opts->picked };
	struct cfs_buf texts[sizeof(notes) / sizeof(*notes)];
	int rc;

	po->notes = notes;
	po->n_notes = sizeof(notes) / sizeof(*notes);
	for (size_t i = 0; i < po->n_notes; i++)
		add_note(&notes[i], &texts[i], values[i]);
	rc = cfs_parquet_write(po, ctx);
	for (size_t i = 0; i < po->n_notes; i++)
		cfs_buf_release(&texts[i]);
	return rc;
}

int cfs_row_convert_parquet(const struct cfs_export_opts *opts,
			    const char *from, uint64_t bytes, const char *to,
			    struct cfs_ctx ctx)
{
	enum cfs_export_field fields[CFS_EXPORT_FIELDS];
	struct cfs_parquet_column columns[CFS_EXPORT_FIELDS];
	struct gathered g = { .fields = fields, .is_over = bytes == 0 };
	struct cfs_parquet_opts po = { .path = to, .columns = columns,
		.next = gathered_next, .arg = &g, .temp_dir = opts->spill_dir,
		.codec = opts->codec, .mem_bytes = opts->mem_bytes };
	int rc;

	if (po.temp_dir == NULL)
		return cfs_error_set(ctx.err, CFS_EIO, "no folder for temporary "
				     "files: TMPDIR or --cache names one");
	if (po.mem_bytes == 0)
		po.mem_bytes = CFS_EXPORT_MEM_DEFAULT;
	for (unsigned f = 0; f < CFS_EXPORT_FIELDS; f++)
		if ((opts->fields & CFS_EXPORT_BIT(f)) != 0 &&
		    cfs_export_fields[f].name != NULL) {
			fields[g.n] = (enum cfs_export_field)f;
			columns[g.n++] = (struct cfs_parquet_column){
				cfs_export_fields[f].name,
				column_type((enum cfs_export_field)f),
				members_of((enum cfs_export_field)f) };
		}
	po.n_columns = g.n;
	cfs_buf_init(&g.in, ROW_MAX + PARQUET_STEP + NUMBER_BYTES);
	rc = cfs_source_open_file(&g.src, from, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_member_stream_new(&g.z, g.src, 0, bytes, NULL,
					   ctx.err);
	if (rc == CFS_OK)
		rc = write_noted(&po, opts, ctx);
	cfs_member_stream_free(g.z);
	cfs_source_close(g.src);
	cfs_buf_release(&g.in);
	return rc;
}
