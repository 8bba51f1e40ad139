/* slow.c - the HTML standard's tokenizer, state by state (see slow.h).
 *
 * The numbers are those of section 13.2.5.  Parse errors are left out.  Input
 * is bytes: no state looks at more of a character beyond ASCII than that it is
 * one.  -1 stands for the end of the file.
 *
 * Comments and doctypes: slow_markup.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slow_internal.h"

#include <stdlib.h>

#include "base/utf8.h"

static void init(struct cfs_buf *b)
{
	cfs_buf_init(b, SIZE_MAX / 2);
}

static bool alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int consume(struct slow *s)
{
	int c = s->at < s->in.n ? s->in.p[s->at] : -1;

	s->at++;		/* past the end too, so that it can go back */
	return c;
}

static bool is_word(const struct cfs_buf *b, const char *word)
{
	return cfs_slice_eq(cfs_buf_slice(b), cfs_slice_str(word));
}

/* ---- tokens ---- */

static void emit_char(struct slow *s, int c)
{
	cfs_buf_addc(&s->text, (uint8_t)c);
}

static void emit_word(struct slow *s, const char *w)
{
	cfs_buf_adds(&s->text, w);
}

static void new_tag(struct slow *s, bool is_end)
{
	for (size_t i = 0; i < s->n_attrs; i++) {
		cfs_buf_release(&s->attrs[i].name);
		cfs_buf_release(&s->attrs[i].value);
	}
	s->n_attrs = 0;
	cfs_buf_reset(&s->name);
	s->is_end = is_end;
	s->is_self_closing = false;
}

static void new_attr(struct slow *s)
{
	struct attr *a;

	s->attrs = realloc(s->attrs, (s->n_attrs + 1) * sizeof(*s->attrs));
	if (s->attrs == NULL)
		abort();
	a = &s->attrs[s->n_attrs++];
	init(&a->name);
	init(&a->value);
	a->is_repeat = false;
}

static struct attr *attr(struct slow *s)
{
	return &s->attrs[s->n_attrs - 1];
}

/* Does the step of the tree construction: an element by its name. */
static void switch_by_name(struct slow *s)
{
	static const struct {
		const char *name;
		enum state state;
	} by_name[] = {
		{ "title", RCDATA }, { "textarea", RCDATA },
		{ "style", RAWTEXT }, { "xmp", RAWTEXT },
		{ "iframe", RAWTEXT }, { "noembed", RAWTEXT },
		{ "noframes", RAWTEXT }, { "script", SCRIPT_DATA },
		{ "plaintext", PLAINTEXT },
	};

	for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++)
		if (is_word(&s->name, by_name[i].name))
			s->state = by_name[i].state;
}

static void emit_tag(struct slow *s)
{
	end_text(s);
	s->state = DATA;
	cfs_buf_adds(s->out, s->is_end ? "</" : "<");
	cfs_buf_add(s->out, cfs_buf_slice(&s->name));
	for (size_t i = 0; i < s->n_attrs; i++) {
		for (size_t k = 0; k < i; k++)
			s->attrs[i].is_repeat |=
				cfs_slice_eq(cfs_buf_slice(&s->attrs[i].name),
					     cfs_buf_slice(&s->attrs[k].name));
		if (s->attrs[i].is_repeat)
			continue;
		cfs_buf_addc(s->out, ' ');
		cfs_buf_add(s->out, cfs_buf_slice(&s->attrs[i].name));
		cfs_buf_addc(s->out, '=');
		cfs_buf_add(s->out, cfs_buf_slice(&s->attrs[i].value));
	}
	cfs_buf_adds(s->out, s->is_self_closing ? "/>" : ">");
	cfs_buf_append(s->out, "\0\n", 2);
	if (!s->is_end) {
		cfs_buf_reset(&s->last_start);
		cfs_buf_add(&s->last_start, cfs_buf_slice(&s->name));
		switch_by_name(s);
	}
}

static bool is_appropriate(struct slow *s)
{
	return s->last_start.n > 0 &&
	       cfs_slice_eq(cfs_buf_slice(&s->name),
			    cfs_buf_slice(&s->last_start));
}

/* ---- 13.2.5.1 to 14: text, tags ---- */

static void text_state(struct slow *s, int c, enum state less_than, bool refs,
		       bool keeps_nul)
{
	if (c == '&' && refs) {
		s->back = s->state;
		s->state = CHARACTER_REFERENCE;
	} else if (c == '<' && less_than != 0) {
		s->state = less_than;
	} else if (c == 0 && !keeps_nul) {
		put(&s->text, 0);
	} else {
		emit_char(s, c);
	}
}

static void tag_open(struct slow *s, int c)
{
	if (c == '!') {
		s->state = MARKUP_DECLARATION_OPEN;
	} else if (c == '/') {
		s->state = END_TAG_OPEN;
	} else if (alpha(c)) {
		new_tag(s, false);
		reconsume(s, TAG_NAME);
	} else if (c == '?') {
		cfs_buf_reset(&s->comment);
		reconsume(s, BOGUS_COMMENT);
	} else {
		emit_char(s, '<');
		reconsume(s, DATA);
	}
}

static void end_tag_open(struct slow *s, int c)
{
	if (alpha(c)) {
		new_tag(s, true);
		reconsume(s, TAG_NAME);
	} else if (c == '>') {
		s->state = DATA;
	} else if (c < 0) {
		emit_word(s, "</");
		reconsume(s, DATA);
	} else {
		cfs_buf_reset(&s->comment);
		reconsume(s, BOGUS_COMMENT);
	}
}

static void tag_name(struct slow *s, int c)
{
	if (space(c))
		s->state = BEFORE_ATTRIBUTE_NAME;
	else if (c == '/')
		s->state = SELF_CLOSING;
	else if (c == '>')
		emit_tag(s);
	else if (c < 0)
		s->is_over = true;
	else
		put(&s->name, lower(c));
}

static void raw_less_than(struct slow *s, int c, enum state text,
			  enum state end_open)
{
	if (c == '/') {
		cfs_buf_reset(&s->temp);
		s->state = end_open;
	} else {
		emit_char(s, '<');
		reconsume(s, text);
	}
}

static void raw_end_tag_open(struct slow *s, int c, enum state text,
			     enum state name)
{
	if (alpha(c)) {
		new_tag(s, true);
		reconsume(s, name);
	} else {
		emit_word(s, "</");
		reconsume(s, text);
	}
}

static void raw_end_tag_name(struct slow *s, int c, enum state text)
{
	if (space(c) && is_appropriate(s)) {
		s->state = BEFORE_ATTRIBUTE_NAME;
	} else if (c == '/' && is_appropriate(s)) {
		s->state = SELF_CLOSING;
	} else if (c == '>' && is_appropriate(s)) {
		emit_tag(s);
	} else if (alpha(c)) {
		cfs_buf_addc(&s->name, (uint8_t)lower(c));
		cfs_buf_addc(&s->temp, (uint8_t)c);
	} else {
		emit_word(s, "</");
		cfs_buf_add(&s->text, cfs_buf_slice(&s->temp));
		reconsume(s, text);
	}
}

/* ---- 13.2.5.15 to 31: script data ---- */

static void script_less_than(struct slow *s, int c)
{
	if (c == '!') {
		s->state = SCRIPT_ESCAPE_START;
		emit_word(s, "<!");
	} else {
		raw_less_than(s, c, SCRIPT_DATA, SCRIPT_END_TAG_OPEN);
	}
}

static void script_escape_start(struct slow *s, int c, enum state next)
{
	if (c == '-') {
		s->state = next;
		emit_char(s, '-');
	} else {
		reconsume(s, SCRIPT_DATA);
	}
}

/* escaped, its dash and its dash dash; the same of the double escape */
static void script_escaped(struct slow *s, int c, int dashes, bool twice)
{
	enum state base = twice ? SCRIPT_DOUBLE_ESCAPED : SCRIPT_ESCAPED;

	if (c == '-') {
		s->state = dashes == 0 ? base + 1 : base + 2;
		emit_char(s, '-');
	} else if (c == '<') {
		if (twice)
			emit_char(s, '<');
		s->state = twice ? SCRIPT_DOUBLE_ESCAPED_LESS_THAN
				 : SCRIPT_ESCAPED_LESS_THAN;
	} else if (c == '>' && dashes == 2) {
		s->state = SCRIPT_DATA;
		emit_char(s, '>');
	} else if (c == 0) {
		s->state = base;
		put(&s->text, 0);
	} else {
		s->state = base;
		emit_char(s, c);
	}
}

static void script_escaped_less_than(struct slow *s, int c)
{
	if (c == '/') {
		cfs_buf_reset(&s->temp);
		s->state = SCRIPT_ESCAPED_END_TAG_OPEN;
	} else if (alpha(c)) {
		cfs_buf_reset(&s->temp);
		emit_char(s, '<');
		reconsume(s, SCRIPT_DOUBLE_ESCAPE_START);
	} else {
		emit_char(s, '<');
		reconsume(s, SCRIPT_ESCAPED);
	}
}

static void double_escape_name(struct slow *s, int c, enum state if_script,
			       enum state if_not)
{
	if (space(c) || c == '/' || c == '>') {
		s->state = is_word(&s->temp, "script") ? if_script : if_not;
		emit_char(s, c);
	} else if (alpha(c)) {
		cfs_buf_addc(&s->temp, (uint8_t)lower(c));
		emit_char(s, c);
	} else {
		reconsume(s, s->state == SCRIPT_DOUBLE_ESCAPE_START ?
			  SCRIPT_ESCAPED : SCRIPT_DOUBLE_ESCAPED);
	}
}

static void double_escaped_less_than(struct slow *s, int c)
{
	if (c == '/') {
		cfs_buf_reset(&s->temp);
		s->state = SCRIPT_DOUBLE_ESCAPE_END;
		emit_char(s, '/');
	} else {
		reconsume(s, SCRIPT_DOUBLE_ESCAPED);
	}
}

/* ---- 13.2.5.32 to 40: attributes ---- */

static void before_attribute_name(struct slow *s, int c)
{
	if (space(c))
		return;
	if (c == '/' || c == '>' || c < 0) {
		reconsume(s, AFTER_ATTRIBUTE_NAME);
	} else if (c == '=') {
		new_attr(s);
		cfs_buf_addc(&attr(s)->name, '=');
		s->state = ATTRIBUTE_NAME;
	} else {
		new_attr(s);
		reconsume(s, ATTRIBUTE_NAME);
	}
}

static void attribute_name(struct slow *s, int c)
{
	if (space(c) || c == '/' || c == '>' || c < 0)
		reconsume(s, AFTER_ATTRIBUTE_NAME);
	else if (c == '=')
		s->state = BEFORE_ATTRIBUTE_VALUE;
	else
		put(&attr(s)->name, lower(c));
}

static void after_attribute_name(struct slow *s, int c)
{
	if (space(c))
		return;
	if (c == '/') {
		s->state = SELF_CLOSING;
	} else if (c == '=') {
		s->state = BEFORE_ATTRIBUTE_VALUE;
	} else if (c == '>') {
		emit_tag(s);
	} else if (c < 0) {
		s->is_over = true;
	} else {
		new_attr(s);
		reconsume(s, ATTRIBUTE_NAME);
	}
}

static void before_attribute_value(struct slow *s, int c)
{
	if (space(c))
		return;
	if (c == '"')
		s->state = VALUE_DOUBLE_QUOTED;
	else if (c == '\'')
		s->state = VALUE_SINGLE_QUOTED;
	else if (c == '>')
		emit_tag(s);
	else
		reconsume(s, VALUE_UNQUOTED);
}

static void attribute_value(struct slow *s, int c, int quote)
{
	if (quote != 0 && c == quote) {
		s->state = AFTER_VALUE_QUOTED;
	} else if (quote == 0 && space(c)) {
		s->state = BEFORE_ATTRIBUTE_NAME;
	} else if (quote == 0 && c == '>') {
		emit_tag(s);
	} else if (c == '&') {
		s->back = s->state;
		s->state = CHARACTER_REFERENCE;
	} else if (c < 0) {
		s->is_over = true;
	} else {
		put(&attr(s)->value, c);
	}
}

static void after_value_quoted(struct slow *s, int c)
{
	if (space(c))
		s->state = BEFORE_ATTRIBUTE_NAME;
	else if (c == '/')
		s->state = SELF_CLOSING;
	else if (c == '>')
		emit_tag(s);
	else if (c < 0)
		s->is_over = true;
	else
		reconsume(s, BEFORE_ATTRIBUTE_NAME);
}

static void self_closing(struct slow *s, int c)
{
	if (c == '>') {
		s->is_self_closing = true;
		emit_tag(s);
	} else if (c < 0) {
		s->is_over = true;
	} else {
		reconsume(s, BEFORE_ATTRIBUTE_NAME);
	}
}

/* ---- 13.2.5.69 to 71: CDATA ---- */

static void cdata(struct slow *s, int c)
{
	if (s->state == CDATA_SECTION) {
		if (c == ']')
			s->state = CDATA_BRACKET;
		else if (c < 0)
			s->is_over = true;
		else
			emit_char(s, c);
	} else if (s->state == CDATA_BRACKET) {
		if (c == ']') {
			s->state = CDATA_END;
		} else {
			emit_char(s, ']');
			reconsume(s, CDATA_SECTION);
		}
	} else if (c == ']') {
		emit_char(s, ']');
	} else if (c == '>') {
		s->state = DATA;
	} else {
		emit_word(s, "]]");
		reconsume(s, CDATA_SECTION);
	}
}

/* ---- 13.2.5.72 to 80: references ---- */

/* The table is the fast tokenizer's: html5lib's tests prove it name by name. */
static void character_reference(struct slow *s)
{
	bool in_attr = s->back == VALUE_DOUBLE_QUOTED ||
		       s->back == VALUE_SINGLE_QUOTED ||
		       s->back == VALUE_UNQUOTED;
	struct cfs_slice rest = cfs_slice_from(cfs_buf_slice(&s->in),
					       s->at - 1);
	uint8_t out[CFS_REFERENCE_BYTES];
	size_t out_n, n = cfs_reference_parse(rest, in_attr ?
					      CFS_REFERENCE_ATTR :
					      CFS_REFERENCE_HTML,
					      out, &out_n);
	struct cfs_buf *to = in_attr ? &attr(s)->value : &s->text;

	if (n == 0) {
		cfs_buf_addc(to, '&');
	} else {
		cfs_buf_append(to, out, out_n);
		s->at += n - 1;
	}
	s->state = s->back;
}

/* ---- all of them ---- */

static void step_script(struct slow *s, int c)
{
	switch (s->state) {
	case SCRIPT_LESS_THAN: script_less_than(s, c); break;
	case SCRIPT_ESCAPE_START:
		script_escape_start(s, c, SCRIPT_ESCAPE_START_DASH); break;
	case SCRIPT_ESCAPE_START_DASH:
		script_escape_start(s, c, SCRIPT_ESCAPED_DASH_DASH); break;
	case SCRIPT_ESCAPED_LESS_THAN: script_escaped_less_than(s, c); break;
	case SCRIPT_DOUBLE_ESCAPE_START:
		double_escape_name(s, c, SCRIPT_DOUBLE_ESCAPED, SCRIPT_ESCAPED);
		break;
	case SCRIPT_DOUBLE_ESCAPE_END:
		double_escape_name(s, c, SCRIPT_ESCAPED, SCRIPT_DOUBLE_ESCAPED);
		break;
	case SCRIPT_DOUBLE_ESCAPED_LESS_THAN:
		double_escaped_less_than(s, c); break;
	default:
		if (c < 0)
			s->is_over = true;
		else if (s->state < SCRIPT_DOUBLE_ESCAPED)
			script_escaped(s, c, s->state - SCRIPT_ESCAPED, false);
		else
			script_escaped(s, c, s->state - SCRIPT_DOUBLE_ESCAPED,
				       true);
	}
}

static void step_raw_end(struct slow *s, int c)
{
	switch (s->state) {
	case RCDATA_LESS_THAN:
		raw_less_than(s, c, RCDATA, RCDATA_END_TAG_OPEN); break;
	case RCDATA_END_TAG_OPEN:
		raw_end_tag_open(s, c, RCDATA, RCDATA_END_TAG_NAME); break;
	case RCDATA_END_TAG_NAME: raw_end_tag_name(s, c, RCDATA); break;
	case RAWTEXT_LESS_THAN:
		raw_less_than(s, c, RAWTEXT, RAWTEXT_END_TAG_OPEN); break;
	case RAWTEXT_END_TAG_OPEN:
		raw_end_tag_open(s, c, RAWTEXT, RAWTEXT_END_TAG_NAME); break;
	case RAWTEXT_END_TAG_NAME: raw_end_tag_name(s, c, RAWTEXT); break;
	case SCRIPT_END_TAG_OPEN:
		raw_end_tag_open(s, c, SCRIPT_DATA, SCRIPT_END_TAG_NAME); break;
	case SCRIPT_END_TAG_NAME: raw_end_tag_name(s, c, SCRIPT_DATA); break;
	case SCRIPT_ESCAPED_END_TAG_OPEN:
		raw_end_tag_open(s, c, SCRIPT_ESCAPED,
				 SCRIPT_ESCAPED_END_TAG_NAME); break;
	case SCRIPT_ESCAPED_END_TAG_NAME:
		raw_end_tag_name(s, c, SCRIPT_ESCAPED); break;
	default: step_script(s, c);
	}
}

static void step_tag(struct slow *s, int c)
{
	switch (s->state) {
	case TAG_OPEN: tag_open(s, c); break;
	case END_TAG_OPEN: end_tag_open(s, c); break;
	case TAG_NAME: tag_name(s, c); break;
	case BEFORE_ATTRIBUTE_NAME: before_attribute_name(s, c); break;
	case ATTRIBUTE_NAME: attribute_name(s, c); break;
	case AFTER_ATTRIBUTE_NAME: after_attribute_name(s, c); break;
	case BEFORE_ATTRIBUTE_VALUE: before_attribute_value(s, c); break;
	case VALUE_DOUBLE_QUOTED: attribute_value(s, c, '"'); break;
	case VALUE_SINGLE_QUOTED: attribute_value(s, c, '\''); break;
	case VALUE_UNQUOTED: attribute_value(s, c, 0); break;
	case AFTER_VALUE_QUOTED: after_value_quoted(s, c); break;
	default: self_closing(s, c);
	}
}

static void step_text(struct slow *s, int c)
{
	if (c < 0) {
		s->is_over = true;
		return;
	}
	switch (s->state) {
	case DATA: text_state(s, c, TAG_OPEN, true, true); break;
	case RCDATA: text_state(s, c, RCDATA_LESS_THAN, true, false); break;
	case RAWTEXT: text_state(s, c, RAWTEXT_LESS_THAN, false, false); break;
	case SCRIPT_DATA:
		text_state(s, c, SCRIPT_LESS_THAN, false, false); break;
	default: text_state(s, c, 0, false, false);
	}
}

static void step(struct slow *s)
{
	int c;

	if (s->state == CHARACTER_REFERENCE) {
		character_reference(s);
		return;
	}
	c = consume(s);
	if (s->state <= PLAINTEXT)
		step_text(s, c);
	else if (s->state <= TAG_NAME || (s->state >= BEFORE_ATTRIBUTE_NAME &&
					  s->state <= SELF_CLOSING))
		step_tag(s, c);
	else if (s->state < BEFORE_ATTRIBUTE_NAME)
		step_raw_end(s, c);
	else if (s->state <= COMMENT_END_BANG)
		step_comment(s, c);
	else if (s->state <= BOGUS_DOCTYPE)
		step_doctype(s, c);
	else
		cdata(s, c);
}

/* 13.2.3.5: newlines. */
static void normalize(struct cfs_slice in, struct cfs_buf *out)
{
	for (size_t i = 0; i < in.n; i++) {
		if (in.p[i] != '\r')
			cfs_buf_addc(out, in.p[i]);
		else if (i + 1 == in.n || in.p[i + 1] != '\n')
			cfs_buf_addc(out, '\n');
	}
}

void slow_dump(struct cfs_slice utf8, enum cfs_html_state state,
	       const char *last_start, bool allow_cdata, struct cfs_buf *out)
{
	static const enum state states[] = {
		[CFS_HTML_DATA] = DATA, [CFS_HTML_RCDATA] = RCDATA,
		[CFS_HTML_RAWTEXT] = RAWTEXT, [CFS_HTML_SCRIPT] = SCRIPT_DATA,
		[CFS_HTML_PLAINTEXT] = PLAINTEXT,
		[CFS_HTML_CDATA] = CDATA_SECTION,
	};
	struct slow s = { .state = states[state], .allow_cdata = allow_cdata,
			  .out = out };
	struct cfs_buf *bufs[] = { &s.in, &s.text, &s.temp, &s.name,
				   &s.last_start, &s.comment, &s.ids[0],
				   &s.ids[1] };

	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		init(bufs[i]);
	normalize(utf8, &s.in);
	cfs_buf_adds(&s.last_start, last_start);
	while (!s.is_over)
		step(&s);
	end_text(&s);
	new_tag(&s, false);
	free(s.attrs);
	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		cfs_buf_release(bufs[i]);
}
