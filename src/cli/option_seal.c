/* option_seal.c - encodes the options that parts of one index must have in
 * common: for each sealed row of the table of options
 *
 *     text      its name
 *     varint    a number: its value; of --part, the number of parts; or
 *     text      its value; of --mime and --language, the parsed list, and of
 *               the latter a varint behind it: any of several; or
 *     varints   of --from and --to: given or not, and the Unix time; of
 *               --status: given or not, and 64 statuses in each, as bits
 *
 * A text is a varint, its bytes plus 1, and the bytes; 0 for NULL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "options.h"

#include <assert.h>
#include <string.h>

static void option_seal_put_text(struct cfs_buf *out, const char *text)
{
	cfs_buf_varint(out, text == NULL ? 0 : strlen(text) + 1);
	if (text != NULL)
		cfs_buf_adds(out, text);
}

static void put_lines(struct cfs_buf *out, const struct cfs_buf *lines)
{
	cfs_buf_varint(out, (uint64_t)lines->n + 1);
	cfs_buf_add(out, cfs_buf_slice(lines));
}

static void put_time(struct cfs_buf *out, bool is_given, int64_t time)
{
	cfs_buf_varint(out, is_given);
	cfs_buf_varint(out, is_given ? (uint64_t)time : 0);
}

static void put_statuses(struct cfs_buf *out, const struct cfs_conditions *c)
{
	cfs_buf_varint(out, c->has_status);
	for (size_t i = 0; i < sizeof(c->status) / sizeof(c->status[0]); i++)
		cfs_buf_varint(out, c->status[i]);
}

static void put_condition(struct cfs_buf *out, const struct cfs_option *row,
			  const struct cfs_conditions *c)
{
	if (row->kind == CFS_OPTION_SINCE)
		put_time(out, c->dates.has_from, c->dates.from);
	else if (row->kind == CFS_OPTION_UNTIL)
		put_time(out, c->dates.has_to, c->dates.to);
	else if (row->kind == CFS_OPTION_MIME)
		put_lines(out, &c->mimes);
	else if (row->kind == CFS_OPTION_STATUS)
		put_statuses(out, c);
	else
		put_lines(out, &c->languages);
	if (row->kind == CFS_OPTION_LANGUAGE)
		cfs_buf_varint(out, c->any_language);
}

/* The switch has no default, so that the compiler asks for new kinds. */
static void option_seal_put_value(struct cfs_buf *out,
				  const struct cfs_option *row,
				  const void *field)
{
	switch (row->kind) {
	case CFS_OPTION_FLAG:
		cfs_buf_varint(out, *(const bool *)field);
		return;
	case CFS_OPTION_CONSTANT:
	case CFS_OPTION_COUNT:
	case CFS_OPTION_SECONDS:
	case CFS_OPTION_CHOICE:
	case CFS_OPTION_VIEW:
		cfs_buf_varint(out, *(const unsigned *)field);
		return;
	case CFS_OPTION_NUMBER:
	case CFS_OPTION_SIZE:
	case CFS_OPTION_SIZE_OR_OFF:
		cfs_buf_varint(out, *(const uint64_t *)field);
		return;
	case CFS_OPTION_TEXT:
	case CFS_OPTION_WHEN:
	case CFS_OPTION_FOLDER:
		option_seal_put_text(out, *(const char *const *)field);
		return;
	case CFS_OPTION_LINES:
		put_lines(out, field);
		return;
	case CFS_OPTION_PART:
		cfs_buf_varint(out, ((const struct cfs_part *)field)->n);
		return;
	case CFS_OPTION_VIEWS:
		cfs_buf_varint(out, *(const cfs_view_set *)field);
		return;
	case CFS_OPTION_SINCE:
	case CFS_OPTION_UNTIL:
	case CFS_OPTION_STATUS:
	case CFS_OPTION_MIME:
	case CFS_OPTION_LANGUAGE:
		put_condition(out, row, field);
		return;
	case CFS_OPTION_HELP:
	case CFS_OPTION_WORDS:
		break;
	}
	assert(!"a sealed option has a kind of value that cannot be sealed");
}

void cfs_options_seal(const struct cfs_options *o, struct cfs_buf *out)
{
	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++) {
		if (row->seal != CFS_SEAL_YES)
			continue;
		option_seal_put_text(out, row->name);
		option_seal_put_value(out, row, (const char *)o + row->at);
	}
}
