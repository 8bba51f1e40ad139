/* slow_markup.c - comments and doctypes of the slow tokenizer (see slow.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slow_internal.h"

static void emit_comment(struct slow *s)
{
	end_text(s);
	cfs_buf_addc(s->out, '{');
	cfs_buf_add(s->out, cfs_buf_slice(&s->comment));
	cfs_buf_append(s->out, "}\0\n", 3);
	cfs_buf_reset(&s->comment);
}

static void emit_doctype(struct slow *s)
{
	end_text(s);
	cfs_buf_addc(s->out, '!');
	cfs_buf_add(s->out, cfs_buf_slice(&s->name));
	for (int i = 0; i < 2; i++) {
		cfs_buf_addc(s->out, s->has_id[i] ? '|' : '-');
		cfs_buf_add(s->out, cfs_buf_slice(&s->ids[i]));
	}
	cfs_buf_addc(s->out, s->quirks ? 'q' : 's');
	cfs_buf_append(s->out, "\0\n", 2);
}

/* ---- 13.2.5.41 to 52: comments ---- */

static void bogus_comment(struct slow *s, int c)
{
	if (c == '>' || c < 0) {
		emit_comment(s);
		s->state = DATA;
		s->is_over = c < 0;
	} else {
		put(&s->comment, c);
	}
}

static void markup_declaration_open(struct slow *s)
{
	cfs_buf_reset(&s->comment);
	if (ahead(s, "--", false)) {
		s->state = COMMENT_START;
	} else if (ahead(s, "doctype", true)) {
		s->state = DOCTYPE;
	} else if (ahead(s, "[CDATA[", false)) {
		s->state = s->allow_cdata ? CDATA_SECTION : BOGUS_COMMENT;
		if (!s->allow_cdata)
			cfs_buf_adds(&s->comment, "[CDATA[");
	} else {
		s->state = BOGUS_COMMENT;
	}
}

static void finish_comment(struct slow *s, int c)
{
	emit_comment(s);
	s->state = DATA;
	s->is_over = c < 0;
}

static void comment_start(struct slow *s, int c)
{
	if (c == '-')
		s->state = COMMENT_START_DASH;
	else if (c == '>')
		finish_comment(s, c);
	else
		reconsume(s, COMMENT);
}

static void comment_start_dash(struct slow *s, int c)
{
	if (c == '-') {
		s->state = COMMENT_END;
	} else if (c == '>' || c < 0) {
		finish_comment(s, c);
	} else {
		cfs_buf_addc(&s->comment, '-');
		reconsume(s, COMMENT);
	}
}

static void comment(struct slow *s, int c)
{
	if (c == '<') {
		cfs_buf_addc(&s->comment, '<');
		s->state = COMMENT_LESS_THAN;
	} else if (c == '-') {
		s->state = COMMENT_END_DASH;
	} else if (c < 0) {
		finish_comment(s, c);
	} else {
		put(&s->comment, c);
	}
}

static void comment_less_than(struct slow *s, int c)
{
	if (c == '!') {
		cfs_buf_addc(&s->comment, '!');
		s->state = COMMENT_LESS_THAN_BANG;
	} else if (c == '<') {
		cfs_buf_addc(&s->comment, '<');
	} else {
		reconsume(s, COMMENT);
	}
}

static void comment_end_dash(struct slow *s, int c)
{
	if (c == '-') {
		s->state = COMMENT_END;
	} else if (c < 0) {
		finish_comment(s, c);
	} else {
		cfs_buf_addc(&s->comment, '-');
		reconsume(s, COMMENT);
	}
}

static void comment_end(struct slow *s, int c)
{
	if (c == '>' || c < 0) {
		finish_comment(s, c);
	} else if (c == '!') {
		s->state = COMMENT_END_BANG;
	} else if (c == '-') {
		cfs_buf_addc(&s->comment, '-');
	} else {
		cfs_buf_adds(&s->comment, "--");
		reconsume(s, COMMENT);
	}
}

static void comment_end_bang(struct slow *s, int c)
{
	if (c == '-') {
		cfs_buf_adds(&s->comment, "--!");
		s->state = COMMENT_END_DASH;
	} else if (c == '>' || c < 0) {
		finish_comment(s, c);
	} else {
		cfs_buf_adds(&s->comment, "--!");
		reconsume(s, COMMENT);
	}
}

/* ---- 13.2.5.53 to 68: doctypes ---- */

static void new_doctype(struct slow *s)
{
	cfs_buf_reset(&s->name);
	cfs_buf_reset(&s->ids[0]);
	cfs_buf_reset(&s->ids[1]);
	s->has_id[0] = s->has_id[1] = s->quirks = false;
}

static void finish_doctype(struct slow *s, int c, bool quirks)
{
	s->quirks |= quirks || (c < 0 && s->state != BOGUS_DOCTYPE);
	emit_doctype(s);
	s->state = DATA;
	s->is_over = c < 0;
}

static void before_doctype_name(struct slow *s, int c)
{
	if (space(c))
		return;
	new_doctype(s);
	if (c == '>' || c < 0) {
		finish_doctype(s, c, true);
	} else {
		put(&s->name, lower(c));
		s->state = DOCTYPE_NAME;
	}
}

static void doctype_name(struct slow *s, int c)
{
	if (space(c))
		s->state = AFTER_DOCTYPE_NAME;
	else if (c == '>' || c < 0)
		finish_doctype(s, c, false);
	else
		put(&s->name, lower(c));
}

static void bogus(struct slow *s, bool quirks)
{
	s->quirks |= quirks;
	reconsume(s, BOGUS_DOCTYPE);
}

static void after_doctype_name(struct slow *s, int c)
{
	if (space(c))
		return;
	if (c == '>' || c < 0) {
		finish_doctype(s, c, false);
		return;
	}
	s->at--;
	if (ahead(s, "public", true)) {
		s->state = AFTER_PUBLIC_KEYWORD;
	} else if (ahead(s, "system", true)) {
		s->state = AFTER_SYSTEM_KEYWORD;
	} else {
		s->at++;
		bogus(s, true);
	}
}

static void begin_id(struct slow *s, int which, enum state state)
{
	s->has_id[which] = true;
	cfs_buf_reset(&s->ids[which]);
	s->state = state;
}

/* after a keyword (in want_space), and before an identifier */
static void before_id(struct slow *s, int c, int which, enum state before,
		      enum state in_double)
{
	if (space(c))
		s->state = before;
	else if (c == '"')
		begin_id(s, which, in_double);
	else if (c == '\'')
		begin_id(s, which, in_double + 1);
	else if (c == '>' || c < 0)
		finish_doctype(s, c, true);
	else
		bogus(s, true);
}

static void in_id(struct slow *s, int c, int which, int quote, enum state after)
{
	if (c == quote)
		s->state = after;
	else if (c == '>' || c < 0)
		finish_doctype(s, c, true);
	else
		put(&s->ids[which], c);
}

static void after_public_id(struct slow *s, int c)
{
	if (space(c))
		s->state = BETWEEN_IDS;
	else if (c == '>' || c < 0)
		finish_doctype(s, c, false);
	else if (c == '"')
		begin_id(s, 1, SYSTEM_ID_DOUBLE);
	else if (c == '\'')
		begin_id(s, 1, SYSTEM_ID_SINGLE);
	else
		bogus(s, true);
}

static void after_system_id(struct slow *s, int c)
{
	if (space(c))
		return;
	if (c == '>' || c < 0)
		finish_doctype(s, c, false);
	else
		bogus(s, false);
}

static void bogus_doctype(struct slow *s, int c)
{
	if (c == '>' || c < 0)
		finish_doctype(s, c, false);
}

void step_comment(struct slow *s, int c)
{
	switch (s->state) {
	case BOGUS_COMMENT: bogus_comment(s, c); break;
	case MARKUP_DECLARATION_OPEN:
		s->at--;
		markup_declaration_open(s); break;
	case COMMENT_START: comment_start(s, c); break;
	case COMMENT_START_DASH: comment_start_dash(s, c); break;
	case COMMENT: comment(s, c); break;
	case COMMENT_LESS_THAN: comment_less_than(s, c); break;
	case COMMENT_LESS_THAN_BANG:
		if (c == '-')
			s->state = COMMENT_LESS_THAN_BANG_DASH;
		else
			reconsume(s, COMMENT);
		break;
	case COMMENT_LESS_THAN_BANG_DASH:
		if (c == '-')
			s->state = COMMENT_LESS_THAN_BANG_DASH_DASH;
		else
			reconsume(s, COMMENT_END_DASH);
		break;
	case COMMENT_LESS_THAN_BANG_DASH_DASH: reconsume(s, COMMENT_END); break;
	case COMMENT_END_DASH: comment_end_dash(s, c); break;
	case COMMENT_END: comment_end(s, c); break;
	default: comment_end_bang(s, c);
	}
}

void step_doctype(struct slow *s, int c)
{
	switch (s->state) {
	case DOCTYPE: reconsume(s, BEFORE_DOCTYPE_NAME); break;
	case BEFORE_DOCTYPE_NAME: before_doctype_name(s, c); break;
	case DOCTYPE_NAME: doctype_name(s, c); break;
	case AFTER_DOCTYPE_NAME: after_doctype_name(s, c); break;
	case AFTER_PUBLIC_KEYWORD:
	case BEFORE_PUBLIC_ID:
		before_id(s, c, 0, BEFORE_PUBLIC_ID, PUBLIC_ID_DOUBLE); break;
	case PUBLIC_ID_DOUBLE: in_id(s, c, 0, '"', AFTER_PUBLIC_ID); break;
	case PUBLIC_ID_SINGLE: in_id(s, c, 0, '\'', AFTER_PUBLIC_ID); break;
	case AFTER_PUBLIC_ID:
	case BETWEEN_IDS: after_public_id(s, c); break;
	case AFTER_SYSTEM_KEYWORD:
	case BEFORE_SYSTEM_ID:
		before_id(s, c, 1, BEFORE_SYSTEM_ID, SYSTEM_ID_DOUBLE); break;
	case SYSTEM_ID_DOUBLE: in_id(s, c, 1, '"', AFTER_SYSTEM_ID); break;
	case SYSTEM_ID_SINGLE: in_id(s, c, 1, '\'', AFTER_SYSTEM_ID); break;
	case AFTER_SYSTEM_ID: after_system_id(s, c); break;
	default: bogus_doctype(s, c);
	}
}
