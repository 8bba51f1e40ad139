/* mcp_answer.c - the answer of a tool: its text and its object, both bounded.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "base/utf8.h"
#include "mcp_internal.h"

/* The longest item: two paths and a URL, each byte escaped. */
#define ITEM_MAX (16 * (size_t)CFS_KEY_MAX)
/* The most of one line of a text that is shown. */
#define LINE_CHARS 1000u

void cfs_mcp_call_init(struct cfs_mcp_call *c, const struct cfs_mcp *m,
		       struct cfs_ctx ctx)
{
	*c = (struct cfs_mcp_call){ .m = m, .ctx = ctx };
	for (unsigned i = 0; i < CFS_MCP_ARGS; i++)
		cfs_buf_init(&c->args[i].text, CFS_MCP_MESSAGE_MAX);
	cfs_buf_init(&c->text, CFS_MCP_ANSWER_MAX);
	cfs_buf_init(&c->made, CFS_MCP_ANSWER_MAX);
	cfs_buf_init(&c->line, ITEM_MAX);
	cfs_buf_init(&c->item, ITEM_MAX);
	c->j = (struct cfs_json){ .out = &c->made, .compact = true };
	cfs_json_begin(&c->j, NULL, '{');
}

void cfs_mcp_call_release(struct cfs_mcp_call *c)
{
	for (unsigned i = 0; i < CFS_MCP_ARGS; i++)
		cfs_buf_release(&c->args[i].text);
	cfs_buf_release(&c->text);
	cfs_buf_release(&c->made);
	cfs_buf_release(&c->line);
	cfs_buf_release(&c->item);
}

/* ---- JSON ---------------------------------------------------------------- */

void cfs_mcp_put_raw(struct cfs_json *j, const char *key, struct cfs_slice v)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_buf_add(j->out, v);
}

/* ---- text ---------------------------------------------------------------- */

void cfs_mcp_say(struct cfs_mcp_call *c, const char *fmt, ...)
{
	char line[CFS_MCP_TAIL_CHARS + 1];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cfs_buf_adds(&c->text, line);
	c->chars += cfs_utf8_chars(cfs_slice_str(line));
}

size_t cfs_mcp_room(const struct cfs_mcp_call *c)
{
	size_t most = (size_t)cfs_mcp_number(c, CFS_MCP_MAX_CHARS) -
		      CFS_MCP_TAIL_CHARS;

	return c->chars < most ? most - c->chars : 0;
}

/* May a character be in the text?  Those that join letters are parts of words
 * in many languages. */
static bool may_be_shown(uint32_t c)
{
	return c == '\t' || c == 0x200c || c == 0x200d ||
	       !cfs_text_is_unshowable(c);
}

size_t cfs_mcp_show(struct cfs_buf *out, struct cfs_slice s, size_t most)
{
	size_t at = 0;

	while (at < s.n && most-- > 0) {
		uint32_t c = CFS_UTF8_REPLACEMENT;
		size_t n = cfs_utf8_decode(cfs_slice_from(s, at), &c);

		if (!may_be_shown(c))
			c = CFS_UTF8_REPLACEMENT;
		cfs_utf8_add(out, c);
		at += n > 0 ? n : 1;
	}
	return at;
}

size_t cfs_mcp_say_text(struct cfs_mcp_call *c, struct cfs_slice s,
			size_t most)
{
	size_t before = c->text.n, n = cfs_mcp_show(&c->text, s, most);

	c->chars += cfs_utf8_chars(cfs_slice_from(cfs_buf_slice(&c->text),
					       before));
	return n;
}

/* ---- items --------------------------------------------------------------- */

struct cfs_json *cfs_mcp_item_begin(struct cfs_mcp_call *c)
{
	cfs_buf_reset(&c->line);
	cfs_buf_reset(&c->item);
	c->item_j = (struct cfs_json){ .out = &c->item, .compact = true };
	cfs_json_begin(&c->item_j, NULL, '{');
	return &c->item_j;
}

bool cfs_mcp_item_end(struct cfs_mcp_call *c)
{
	struct cfs_slice line = cfs_buf_slice(&c->line);
	size_t most = 2 * (size_t)cfs_mcp_number(c, CFS_MCP_MAX_CHARS);

	cfs_json_close(&c->item_j, '}');
	if (c->items > 0 && (cfs_utf8_chars(line) + 1 > cfs_mcp_room(c) ||
			     c->made.n + c->item.n > most)) {
		c->is_full = true;
		return false;
	}
	c->items++;
	while (line.n > 0) {
		cfs_mcp_say_text(c, cfs_slice_split(&line, '\n'),
				 cfs_mcp_room(c));
		cfs_mcp_say(c, "\n");
	}
	cfs_json_item(&c->j);
	cfs_buf_add(&c->made, cfs_buf_slice(&c->item));
	return true;
}

bool cfs_mcp_item_skips(struct cfs_mcp_call *c)
{
	bool skips = c->skipped < c->skip;

	c->skipped += skips;
	return skips;
}

void cfs_mcp_item_text(struct cfs_mcp_call *c, struct cfs_slice line)
{
	size_t n = cfs_mcp_show(&c->line, line, LINE_CHARS);
	char bytes[CFS_TEXT_COUNT_BYTES];

	cfs_json_put_str(&c->item_j, "text", cfs_slice_sub(line, 0, n));
	if (n == line.n)
		return;
	cfs_buf_addf(&c->line, " [%s more]",
		     cfs_text_count(line.n - n, "byte", bytes));
	cfs_json_put_uint(&c->item_j, "bytes_left_out", line.n - n);
}

/* ---- going on ------------------------------------------------------------ */

void cfs_mcp_more(struct cfs_mcp_call *c, const char *what, const char *arg,
		  uint64_t value, bool is_text)
{
	const char *quote = is_text ? "\"" : "";

	cfs_mcp_say(c, "[%s: repeat this call with %s=%s%" PRIu64 "%s]\n", what,
		    arg, quote, value, quote);
	cfs_json_key(&c->j, CFS_SLICE_LIT("next"));
	cfs_buf_addf(&c->made, "{\"%s\":%s%" PRIu64 "%s}", arg, quote, value,
		     quote);
}

void cfs_mcp_more_items(struct cfs_mcp_call *c, const char *what)
{
	if (c->is_full)
		cfs_mcp_more(c, what, "cursor", c->skipped + c->items, true);
}

int cfs_mcp_cursor(struct cfs_mcp_call *c, uint64_t *out)
{
	const struct cfs_mcp_value *v = &c->args[CFS_MCP_CURSOR];

	*out = 0;
	if (!v->is_given || cfs_slice_parse_u64(cfs_buf_slice(&v->text),
						INT64_MAX, out) == CFS_OK)
		return CFS_OK;
	return cfs_error_set(c->ctx.err, CFS_EUSAGE, "cursor: only what an "
			     "answer gave is one");
}

static int read_time(struct cfs_mcp_call *c, enum cfs_mcp_arg a,
		     const char *name, struct cfs_dates *out,
		     int (*read)(struct cfs_dates *d, const char *text))
{
	if (!c->args[a].is_given || read(out, cfs_mcp_text(c, a)) == CFS_OK)
		return CFS_OK;
	return cfs_error_set(c->ctx.err, CFS_EUSAGE, "%s: '%.40s' is "
			     CFS_DATES_REFUSAL, name, cfs_mcp_text(c, a));
}

int cfs_mcp_dates(struct cfs_mcp_call *c, struct cfs_dates *out)
{
	int rc = read_time(c, CFS_MCP_FROM, "from", out, cfs_dates_since);

	return rc == CFS_OK ? read_time(c, CFS_MCP_TO, "to", out,
					cfs_dates_until) : rc;
}
