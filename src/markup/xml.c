/* xml.c - tokenizes XML, and mends what is not well-formed (see xml.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "xml.h"

#include "tokenizer_internal.h"

#define INSTRUCTION_MAX 1024u	/* "?>" is searched in this many bytes */
#define REFERENCE_MAX 16u	/* longest reference that no cut divides */

#define REPLACEMENT "\xef\xbf\xbd"

/* Classes of bytes: those that end a run of text, and those to be replaced
 * everywhere.  0xef begins U+FFFE and U+FFFF. */
enum { END_TAG = 1, END_REF = 2, END_CR = 4, END_ODD = 8, MAYBE_ODD = 16 };

#define ODD_4 END_ODD, END_ODD, END_ODD, END_ODD
static const uint8_t classes[256] = {
	ODD_4, ODD_4, END_ODD, 0, 0, END_ODD, END_ODD, END_CR, END_ODD, END_ODD,
	ODD_4, ODD_4, ODD_4, ODD_4,
	['&'] = END_REF, ['<'] = END_TAG, [0xef] = MAYBE_ODD,
};
#undef ODD_4

/* Where characters stand; the values are the classes that end a run there. */
enum place {
	IN_SECTION = END_CR | END_ODD,
	IN_VALUE = END_CR | END_ODD | END_REF,
	IN_TEXT = END_CR | END_ODD | END_REF | END_TAG,
};

/* White space of XML, which does not include the form feed. */
static inline bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void cfs_xml_begin(struct cfs_html_tokenizer *t, struct cfs_slice utf8,
		   enum cfs_reference_rules references)
{
	cfs_html_begin(t, utf8);
	t->state = CFS_XML_CONTENT;
	t->token.tag = CFS_TAG_OTHER;
	t->xml = (struct cfs_xml_state){ .references = references,
					 .allow_doctype = true };
}

/* ---- characters ---- */

/* True if U+FFFE or U+FFFF is at the start of s, which begins with 0xef. */
static bool is_noncharacter(struct cfs_slice s)
{
	return s.n >= 3 && s.p[1] == 0xbf && s.p[2] >= 0xbe;
}

/* The number of bytes at the start of s that stand for themselves. */
static size_t run_length(struct cfs_slice s, enum place place)
{
	size_t n = 0;

	for (; n < s.n; n++) {
		unsigned class = classes[s.p[n]];

		if ((class & (unsigned)place) != 0 ||
		    (class == MAYBE_ODD &&
		     is_noncharacter(cfs_slice_from(s, n))))
			break;
	}
	return n;
}

/* A range of text: what it stands for, and its length in the document. */
struct range {
	struct cfs_slice text;
	size_t n;
	bool is_flawed;
};

/* True if a reference stands for U+FFFD because its number is no character. */
static bool is_invalid(struct cfs_slice reference, struct cfs_slice out)
{
	return cfs_slice_eq(out, CFS_SLICE_LIT(REPLACEMENT)) &&
	       !cfs_slice_eq_nocase(reference, CFS_SLICE_LIT("&#xfffd;")) &&
	       !cfs_slice_eq(reference, CFS_SLICE_LIT("&#65533;"));
}

/* The range for the characters `out`, which a reference stands for. */
static struct range referred(struct cfs_slice reference, struct cfs_slice out)
{
	struct range p = { out, reference.n, false };
	uint8_t c = out.p[0];

	if (out.n == 1 && c < ' ' && !is_space(c))
		p = (struct range){ CFS_SLICE_LIT(" "), p.n, true };
	else if (c == 0xef && is_noncharacter(out))
		p = (struct range){ CFS_SLICE_LIT(REPLACEMENT), p.n, true };
	else
		p.is_flawed = reference.p[reference.n - 1] != ';' ||
			      is_invalid(reference, out);
	return p;
}

/* Reads the first range of s, which is not empty.  room is for what a reference
 * stands for. */
static struct range first_range(struct cfs_slice s, enum place place,
				enum cfs_reference_rules rules,
				uint8_t room[CFS_REFERENCE_BYTES])
{
	size_t n = run_length(s, place), out_n;

	if (n > 0)
		return (struct range){ cfs_slice_sub(s, 0, n), n, false };
	switch (s.p[0]) {
	case '&':
		n = cfs_reference_parse(s, rules, room, &out_n);
		if (n == 0)
			return (struct range){ CFS_SLICE_LIT("&"), 1, true };
		return referred(cfs_slice_sub(s, 0, n),
				cfs_slice_of(room, out_n));
	case '\r':
		n = s.n > 1 && s.p[1] == '\n' ? 2 : 1;
		return (struct range){ CFS_SLICE_LIT("\n"), n, false };
	case 0:
		return (struct range){ CFS_SLICE_LIT(REPLACEMENT), 1, true };
	case 0xef:
		return (struct range){ CFS_SLICE_LIT(REPLACEMENT), 3, true };
	default:
		return (struct range){ CFS_SLICE_LIT(" "), 1, true };
	}
}

/* Takes a range of text that ends before `end`. */
static bool take_text(struct cfs_html_tokenizer *t, size_t end,
		      enum place place)
{
	struct range p = first_range(cfs_slice_sub(t->in, t->at, end - t->at),
				     place, t->xml.references, t->reference);

	t->token.type = CFS_HTML_TEXT;
	t->token.text = p.text;
	t->xml.is_flawed |= p.is_flawed;
	if (place == IN_TEXT && t->xml.references == CFS_REFERENCE_XML)
		t->xml.is_flawed |=
			cfs_slice_search(p.text, CFS_SLICE_LIT("]]>")) >= 0;
	t->at += p.n;
	return true;
}

/* Notes flaws in characters that are not decoded.  Feeds are not asked about
 * them. */
static void check(struct cfs_html_tokenizer *t, struct cfs_slice s,
		  enum place place)
{
	uint8_t room[CFS_REFERENCE_BYTES];

	if (t->xml.references != CFS_REFERENCE_XML)
		return;
	while (s.n > 0 && !t->xml.is_flawed) {
		struct range p = first_range(s, place, CFS_REFERENCE_XML, room);

		t->xml.is_flawed = p.is_flawed;
		s = cfs_slice_from(s, p.n);
	}
}

/* The part of a value that is read: it ends neither inside a character nor
 * inside a reference (unless that is longer than REFERENCE_MAX). */
static struct cfs_slice cut_value(struct cfs_slice s)
{
	size_t n = CFS_XML_VALUE_MAX;

	if (s.n <= n)
		return s;
	while (n > 0 && (s.p[n] & 0xc0) == 0x80)
		n--;
	for (size_t k = 1; k <= REFERENCE_MAX && k < n; k++)
		if (s.p[n - k] == '&')
			return cfs_slice_sub(s, 0, n - k);
	return cfs_slice_sub(s, 0, n);
}

void cfs_xml_value(struct cfs_slice raw, enum cfs_reference_rules references,
		   struct cfs_buf *out)
{
	uint8_t room[CFS_REFERENCE_BYTES];
	bool after_cr = false;

	raw = cut_value(raw);
	while (raw.n > 0) {
		struct range p = first_range(raw, IN_VALUE, references, room);
		size_t from = out->n;

		/* "&#13;" and a line feed are one line end */
		if (after_cr && p.text.p[0] == '\n')
			p.text = cfs_slice_from(p.text, 1);
		after_cr = cfs_slice_eq(p.text, CFS_SLICE_LIT("\r"));
		cfs_buf_add(out, p.text);
		for (; from < out->n; from++)
			if (is_space(out->p[from]))
				out->p[from] = ' ';
		raw = cfs_slice_from(raw, p.n);
	}
}

/* ---- names and attributes ---- */

static bool is_name_byte(uint8_t c)
{
	return cfs_is_alnum(c) || c == '_' || c == '-' || c == '.' || c == ':';
}

/* The length of the name at the start of s; 0 if there is none. */
static size_t name_length(struct cfs_slice s)
{
	size_t n = 0, colon = 0;

	for (; n < s.n && n <= CFS_XML_NAME_MAX; n++) {
		uint8_t c = s.p[n];
		bool is_first = n == 0 || (colon > 0 && n == colon + 1);

		if (c == ':') {
			if (n == 0 || colon != 0)
				return 0;
			colon = n;
		} else if (!cfs_is_alpha(c) && c != '_' &&
			   (is_first ||
			    (!cfs_is_digit(c) && c != '-' && c != '.'))) {
			break;
		}
	}
	return n > CFS_XML_NAME_MAX || (colon > 0 && n == colon + 1) ? 0 : n;
}

static size_t skip_space(struct cfs_slice s, size_t at)
{
	return at + cfs_slice_run(cfs_slice_from(s, at), is_space);
}

/* Takes the value at `at`, behind '='.  Returns its end. */
static size_t take_value(struct cfs_html_tokenizer *t, size_t at,
			 struct cfs_slice *value)
{
	struct cfs_slice s = cfs_slice_from(t->in, at);
	uint8_t quote = s.n > 0 && (s.p[0] == '"' || s.p[0] == '\'') ? s.p[0]
								     : 0;
	size_t start = quote != 0, n = start;
	bool is_closed;

	while (n < s.n && s.p[n] != '<' &&
	       (quote != 0 ? s.p[n] != quote
			   : !is_space(s.p[n]) && s.p[n] != '>'))
		n++;
	*value = cfs_slice_sub(s, start, n - start);
	is_closed = quote != 0 && n < s.n && s.p[n] == quote;
	t->xml.is_flawed |= !is_closed;
	check(t, *value, IN_VALUE);
	return at + n + is_closed;
}

static void add_attr(struct cfs_html_tokenizer *t, struct cfs_html_attr a)
{
	struct cfs_html_token *k = &t->token;

	if (t->xml.references == CFS_REFERENCE_XML)
		for (unsigned i = 0; i < k->n_attrs && !t->xml.is_flawed; i++)
			t->xml.is_flawed = cfs_slice_eq(t->attrs[i].name,
							a.name);
	if (k->n_attrs < CFS_XML_ATTRS_MAX)
		t->attrs[k->n_attrs++] = a;
	else
		t->xml.is_flawed = true;
}

/* Takes the attribute at `at`, whose name has n bytes.  Returns its end. */
static size_t take_attr(struct cfs_html_tokenizer *t, size_t at, size_t n)
{
	struct cfs_html_attr a = { .name = cfs_slice_sub(t->in, at, n) };
	size_t equals = skip_space(t->in, at + n);

	t->xml.is_flawed |= !is_space(t->in.p[at - 1]);
	if (equals == t->in.n || t->in.p[equals] != '=') {
		t->xml.is_flawed = true;
		return at + n;
	}
	at = take_value(t, skip_space(t->in, equals + 1), &a.value);
	add_attr(t, a);
	return at;
}

/* Skips what is no attribute, and what looks like a name as a whole: reading
 * on inside it would take time that grows with the limit of names. */
static size_t skip_junk(struct cfs_slice in, size_t at)
{
	bool is_name = cfs_is_alpha(in.p[at]) || in.p[at] == '_';

	do {
		at++;
	} while (is_name && at < in.n && is_name_byte(in.p[at]));
	return at;
}

/* Reads a tag from behind its name to its end.  False if the document ends in
 * it. */
static bool take_attrs(struct cfs_html_tokenizer *t)
{
	struct cfs_html_token *k = &t->token;
	struct cfs_slice in = t->in;
	size_t at = t->at;

	k->is_self_closing = false;
	k->n_attrs = 0;
	while (at < in.n && in.p[at] != '>' && in.p[at] != '<') {
		size_t n = name_length(cfs_slice_from(in, at));

		if (n > 0) {
			k->is_self_closing = false;
			at = take_attr(t, at, n);
			continue;
		}
		k->is_self_closing = in.p[at] == '/';
		t->xml.is_flawed |= !is_space(in.p[at]) &&
				    (in.p[at] != '/' || at + 1 == in.n ||
				     in.p[at + 1] != '>');
		at = skip_junk(in, at);
	}
	t->xml.is_flawed |= at == in.n || in.p[at] == '<';
	t->at = at < in.n && in.p[at] == '>' ? at + 1 : at;
	return at < in.n;
}

/* ---- tags ---- */

/* Takes a tag whose name has n bytes.  False if the document ends in it. */
static bool start_tag(struct cfs_html_tokenizer *t, size_t n)
{
	t->token.type = CFS_HTML_START;
	t->token.name = cfs_slice_sub(t->in, t->at + 1, n);
	t->at += 1 + n;
	return take_attrs(t);
}

static bool end_tag(struct cfs_html_tokenizer *t)
{
	struct cfs_slice s = cfs_slice_from(t->in, t->at + 2);
	size_t n = name_length(s);
	bool is_closed;

	t->token.type = CFS_HTML_END;
	t->token.name = cfs_slice_sub(s, 0, n);
	t->xml.is_flawed |= n == 0;
	for (; n < s.n && s.p[n] != '>' && s.p[n] != '<'; n++)
		t->xml.is_flawed |= !is_space(s.p[n]);
	is_closed = n < s.n && s.p[n] == '>';
	t->xml.is_flawed |= !is_closed;
	t->at += 2 + n + is_closed;
	return true;
}

/* ---- other markup ---- */

/* Takes the bytes from `from` up to a mark; without one, up to the end. */
static bool take_marked(struct cfs_html_tokenizer *t, enum cfs_html_type type,
			size_t from, struct cfs_slice mark)
{
	struct cfs_slice s = cfs_slice_from(t->in, from);
	ptrdiff_t at = cfs_slice_search(s, mark);

	t->token.type = type;
	t->token.text = at < 0 ? s : cfs_slice_sub(s, 0, (size_t)at);
	t->at = at < 0 ? t->in.n : from + (size_t)at + mark.n;
	t->xml.is_flawed |= at < 0;
	return true;
}

static bool comment(struct cfs_html_tokenizer *t)
{
	struct cfs_slice text;

	take_marked(t, CFS_HTML_COMMENT, t->at + 4, CFS_SLICE_LIT("-->"));
	text = t->token.text;
	check(t, text, IN_SECTION);
	if (t->xml.references == CFS_REFERENCE_XML)
		t->xml.is_flawed |=
			cfs_slice_search(text, CFS_SLICE_LIT("--")) >= 0 ||
			cfs_slice_ends(text, CFS_SLICE_LIT("-"));
	return true;
}

/* Is the instruction `text`, which begins at `at`, one that XML allows?  The
 * XML declaration, which looks like one, begins the document. */
static bool is_instruction(struct cfs_slice text, size_t at)
{
	size_t n = name_length(text);

	return n > 0 && (n == text.n || is_space(text.p[n])) &&
	       (at == 0 || !cfs_slice_eq_nocase(cfs_slice_sub(text, 0, n),
						CFS_SLICE_LIT("xml")));
}

static bool instruction(struct cfs_html_tokenizer *t)
{
	struct cfs_slice s = cfs_slice_sub(t->in, t->at, INSTRUCTION_MAX);
	ptrdiff_t end = cfs_slice_search(s, CFS_SLICE_LIT("?>"));

	if (end < 0) {
		t->xml.is_flawed = true;
		return take_marked(t, CFS_XML_INSTRUCTION, t->at + 2,
				   CFS_SLICE_LIT(">"));
	}
	t->token.type = CFS_XML_INSTRUCTION;	/* "<?>" is one without text */
	t->token.text = end < 2 ? CFS_SLICE_EMPTY
				: cfs_slice_sub(s, 2, (size_t)end - 2);
	t->xml.is_flawed |= !is_instruction(t->token.text, t->at);
	check(t, t->token.text, IN_SECTION);
	t->at += (size_t)end + 2;
	return true;
}

/* The length of the comment that s begins with; 0 if it does not end. */
static size_t comment_length(struct cfs_slice s)
{
	ptrdiff_t end = cfs_slice_search(cfs_slice_from(s, 4),
					 CFS_SLICE_LIT("-->"));

	return end < 0 ? 0 : 4 + (size_t)end + 3;
}

size_t cfs_xml_doctype_len(struct cfs_slice s)
{
	int64_t brackets = 0;
	uint8_t quote = 0;

	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (quote != 0) {
			quote = c == quote ? 0 : quote;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (c == '<' &&
			   cfs_slice_starts(cfs_slice_from(s, i),
					    CFS_SLICE_LIT("<!--"))) {
			size_t n = comment_length(cfs_slice_from(s, i));

			if (n == 0)
				return 0;
			i += n - 1;
		} else if (c == '[' || c == ']') {
			brackets += c == '[' ? 1 : -1;
		} else if (c == '>' && brackets <= 0) {
			return i + 1;
		}
	}
	return 0;
}

/* Only the first declaration may have others inside: many without an end would
 * take quadratic time. */
static bool doctype(struct cfs_html_tokenizer *t)
{
	struct cfs_slice s = cfs_slice_from(t->in, t->at);
	size_t n = t->xml.had_doctype ? 0 : cfs_xml_doctype_len(s);

	t->xml.had_doctype = true;
	if (n == 0) {
		t->xml.is_flawed = true;
		return take_marked(t, CFS_HTML_DOCTYPE, t->at,
				   CFS_SLICE_LIT(">"));
	}
	t->token.type = CFS_HTML_DOCTYPE;
	t->at += n;
	return true;
}

/* Enters a CDATA section. */
static void start_section(struct cfs_html_tokenizer *t)
{
	struct cfs_slice s = cfs_slice_from(t->in, t->at + 9);
	ptrdiff_t end = cfs_slice_search(s, CFS_SLICE_LIT("]]>"));

	t->at += 9;
	t->xml.section_end = end < 0 ? t->in.n : t->at + (size_t)end;
	t->xml.is_flawed |= end < 0 || t->xml.allow_doctype;
	t->state = CFS_XML_SECTION;
}

/* Reads a range of a CDATA section, or leaves it. */
static bool section(struct cfs_html_tokenizer *t)
{
	if (t->at < t->xml.section_end)
		return take_text(t, t->xml.section_end, IN_SECTION);
	t->at += 3;		/* there was an end, since there is more */
	t->state = CFS_XML_CONTENT;
	return false;
}

/* Takes what the '<' at t->at begins.  False if it makes no token. */
static bool markup(struct cfs_html_tokenizer *t)
{
	struct cfs_slice s = cfs_slice_from(t->in, t->at);
	uint8_t next = s.n > 1 ? s.p[1] : 0, end;
	size_t n;

	if (cfs_slice_starts(s, CFS_SLICE_LIT("<!--")))
		return comment(t);
	if (cfs_slice_starts(s, CFS_SLICE_LIT("<![CDATA["))) {
		start_section(t);
		return false;
	}
	if (next == '!' && t->xml.allow_doctype)
		return doctype(t);
	if (next == '?')
		return instruction(t);
	if (next == '/')
		return end_tag(t);
	n = name_length(cfs_slice_from(s, 1));
	end = n + 1 < s.n ? s.p[n + 1] : '>';
	if (n > 0 && (is_space(end) || end == '/' || end == '>'))
		return start_tag(t, n);
	t->xml.is_flawed = true;
	cfs_html_text_to(t, t->at + 1);
	return true;
}

bool cfs_xml_step(struct cfs_html_tokenizer *t)
{
	if (t->state == CFS_XML_SECTION)
		return section(t);
	if (t->in.p[t->at] == '<')
		return markup(t);
	return take_text(t, t->in.n, IN_TEXT);
}
