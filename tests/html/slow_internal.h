/* slow_internal.h - what the files of the slow tokenizer share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_HTML_SLOW_INTERNAL_H
#define CFS_TESTS_HTML_SLOW_INTERNAL_H

#include "slow.h"

enum state {
	DATA = 1, RCDATA, RAWTEXT, SCRIPT_DATA, PLAINTEXT, TAG_OPEN,
	END_TAG_OPEN, TAG_NAME, RCDATA_LESS_THAN, RCDATA_END_TAG_OPEN,
	RCDATA_END_TAG_NAME, RAWTEXT_LESS_THAN, RAWTEXT_END_TAG_OPEN,
	RAWTEXT_END_TAG_NAME, SCRIPT_LESS_THAN, SCRIPT_END_TAG_OPEN,
	SCRIPT_END_TAG_NAME, SCRIPT_ESCAPE_START, SCRIPT_ESCAPE_START_DASH,
	SCRIPT_ESCAPED, SCRIPT_ESCAPED_DASH, SCRIPT_ESCAPED_DASH_DASH,
	SCRIPT_ESCAPED_LESS_THAN, SCRIPT_ESCAPED_END_TAG_OPEN,
	SCRIPT_ESCAPED_END_TAG_NAME, SCRIPT_DOUBLE_ESCAPE_START,
	SCRIPT_DOUBLE_ESCAPED, SCRIPT_DOUBLE_ESCAPED_DASH,
	SCRIPT_DOUBLE_ESCAPED_DASH_DASH, SCRIPT_DOUBLE_ESCAPED_LESS_THAN,
	SCRIPT_DOUBLE_ESCAPE_END, BEFORE_ATTRIBUTE_NAME, ATTRIBUTE_NAME,
	AFTER_ATTRIBUTE_NAME, BEFORE_ATTRIBUTE_VALUE, VALUE_DOUBLE_QUOTED,
	VALUE_SINGLE_QUOTED, VALUE_UNQUOTED, AFTER_VALUE_QUOTED, SELF_CLOSING,
	BOGUS_COMMENT, MARKUP_DECLARATION_OPEN, COMMENT_START,
	COMMENT_START_DASH, COMMENT, COMMENT_LESS_THAN, COMMENT_LESS_THAN_BANG,
	COMMENT_LESS_THAN_BANG_DASH, COMMENT_LESS_THAN_BANG_DASH_DASH,
	COMMENT_END_DASH, COMMENT_END, COMMENT_END_BANG, DOCTYPE,
	BEFORE_DOCTYPE_NAME, DOCTYPE_NAME, AFTER_DOCTYPE_NAME,
	AFTER_PUBLIC_KEYWORD, BEFORE_PUBLIC_ID, PUBLIC_ID_DOUBLE,
	PUBLIC_ID_SINGLE, AFTER_PUBLIC_ID, BETWEEN_IDS, AFTER_SYSTEM_KEYWORD,
	BEFORE_SYSTEM_ID, SYSTEM_ID_DOUBLE, SYSTEM_ID_SINGLE, AFTER_SYSTEM_ID,
	BOGUS_DOCTYPE, CDATA_SECTION, CDATA_BRACKET, CDATA_END,
	CHARACTER_REFERENCE,
};

struct attr {
	struct cfs_buf name, value;
	bool is_repeat;
};

struct slow {
	struct cfs_buf in;	/* newlines normalized */
	size_t at;
	enum state state, back;
	bool allow_cdata, is_over;
	struct cfs_buf *out, text, temp, name, last_start, comment, ids[2];
	struct attr *attrs;
	size_t n_attrs;
	bool is_end, is_self_closing, has_name, has_id[2], quirks;
};

static inline bool space(int c)
{
	return c == '\t' || c == '\n' || c == '\f' || c == ' ';
}

static inline int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static inline void reconsume(struct slow *s, enum state in)
{
	s->at--;
	s->state = in;
}

static inline void put(struct cfs_buf *b, int c)
{
	if (c == 0)
		cfs_buf_adds(b, "\xef\xbf\xbd");
	else
		cfs_buf_addc(b, (uint8_t)c);
}

static inline bool ahead(struct slow *s, const char *word, bool nocase)
{
	struct cfs_slice rest = cfs_slice_from(cfs_buf_slice(&s->in), s->at);
	struct cfs_slice w = cfs_slice_str(word);

	if (nocase ? !cfs_slice_starts_nocase(rest, w)
		   : !cfs_slice_starts(rest, w))
		return false;
	s->at += w.n;
	return true;
}

static inline void end_text(struct slow *s)
{
	if (s->text.n > 0) {
		cfs_buf_addc(s->out, '"');
		cfs_buf_add(s->out, cfs_buf_slice(&s->text));
		cfs_buf_append(s->out, "\0\n", 2);
	}
	cfs_buf_reset(&s->text);
}

/* -- slow_markup.c -- */

void step_comment(struct slow *s, int c);
void step_doctype(struct slow *s, int c);

#endif
