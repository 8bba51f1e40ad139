/* page_blocks.c - counts the blocks of a page (page_blocks.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/swar.h"
#include "class_words.h"
#include "doc.h"
#include "html/hidden.h"

/* Spreads the bits of eight bytes (2^64 divided by the golden ratio). */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Classes whose hints are remembered at a time, by their hash. */
#define KNOWN_CLASSES 256u
/* An id of so many words is made of a heading. */
#define ANCHOR_WORDS 4u

struct known_class {
	uint64_t hash;
	unsigned hints;
	bool has_roles;
	unsigned roles;		/* cfs_page_code_roles, if so */
};

struct counting {
	struct cfs_page_blocks *b;
	struct cfs_slice in;	/* the document */
	uint32_t at;		/* the innermost open block */
	unsigned beyond;	/* open elements without a number of their
				 * own */
	unsigned in_link;
	unsigned in_code;	/* open blocks of code */
	bool in_title;
	bool in_data;		/* of JSON-LD (schema.org) */
	int failed;
	struct known_class known[KNOWN_CLASSES];
};

enum cfs_page_role cfs_page_role(const struct cfs_html_el *el)
{
	if (!el->is_html)
		return CFS_PAGE_LEFT_OUT;
	switch (el->tag) {
	case CFS_TAG_SCRIPT: case CFS_TAG_STYLE:
	case CFS_TAG_TEMPLATE: case CFS_TAG_IFRAME: case CFS_TAG_NOEMBED:
	case CFS_TAG_NOFRAMES: case CFS_TAG_DATALIST: case CFS_TAG_AUDIO:
	case CFS_TAG_VIDEO: case CFS_TAG_RP: case CFS_TAG_APPLET:
	case CFS_TAG_TITLE: case CFS_TAG_SELECT: case CFS_TAG_BUTTON:
	case CFS_TAG_TEXTAREA: case CFS_TAG_OBJECT: case CFS_TAG_DIALOG:
	case CFS_TAG_OPTION: case CFS_TAG_OPTGROUP:
		return CFS_PAGE_LEFT_OUT;
	case CFS_TAG_BR:
		return CFS_PAGE_BREAK;
	case CFS_TAG_A: case CFS_TAG_B: case CFS_TAG_BIG: case CFS_TAG_CODE:
	case CFS_TAG_EM: case CFS_TAG_FONT: case CFS_TAG_I: case CFS_TAG_IMG:
	case CFS_TAG_INPUT: case CFS_TAG_LABEL: case CFS_TAG_NOBR:
	case CFS_TAG_S: case CFS_TAG_SMALL: case CFS_TAG_SPAN:
	case CFS_TAG_STRIKE: case CFS_TAG_STRONG: case CFS_TAG_SUB:
	case CFS_TAG_SUP: case CFS_TAG_TIME: case CFS_TAG_TT: case CFS_TAG_U:
	case CFS_TAG_VAR: case CFS_TAG_WBR: case CFS_TAG_OTHER:
	case CFS_TAG_RUBY: case CFS_TAG_RT: case CFS_TAG_RB:
	case CFS_TAG_RTC: case CFS_TAG_SOURCE: case CFS_TAG_META:
	case CFS_TAG_LINK: case CFS_TAG_BASE: case CFS_TAG_HEAD:
		return CFS_PAGE_INLINE;
	default:
		return CFS_PAGE_BLOCK;
	}
}

/* The role of an element in the page, by its attributes. */
struct part {
	unsigned hints;
	uint64_t class_hash;
	bool is_discussion;	/* one of schema.org's types of those */
	bool is_layout;		/* role="presentation" */
	unsigned code_roles;
};

/* Reads a class attribute: a page has few classes, which repeat. */
static void read_class(struct counting *c, enum cfs_html_tag tag,
		       struct cfs_slice value, struct part *part)
{
	uint64_t hash = cfs_hash64(value, 1);
	struct known_class *k = &c->known[hash % KNOWN_CLASSES];

	if (k->hash != hash)
		*k = (struct known_class){ .hash = hash,
					   .hints = cfs_class_hints(value) };
	part->class_hash = hash;
	part->hints |= k->hints;
	if (!cfs_page_may_have_roles(tag))
		return;
	if (!k->has_roles)
		k->roles = cfs_page_code_roles(value);
	k->has_roles = true;
	part->code_roles = k->roles;
}

static bool is_discussion(struct cfs_slice type)
{
	return cfs_slice_search(type,
			CFS_SLICE_LIT("DiscussionForumPosting")) >= 0 ||
	       cfs_slice_search(type, CFS_SLICE_LIT("QAPage")) >= 0;
}

/* True of an id that is made of a heading, for links to it, and says what the
 * text is about, not what the element is: "respond-to-review-comments". */
static bool is_anchor(struct cfs_slice id)
{
	unsigned words = 1;

	for (size_t i = 0; i < id.n; i++)
		words += id.p[i] == '-';
	return words >= ANCHOR_WORDS;
}

/* The hints of an id: of a heading's, which is made of its words, there are
 * none; of others that are made of a heading, those that say what is on every
 * page: "cookie-law-info-bar". */
static unsigned hints_of_id(enum cfs_html_tag tag, struct cfs_slice id)
{
	unsigned hints = 0;

	if (!cfs_page_is_heading((uint8_t)tag))
		hints = cfs_class_hints(id);
	return is_anchor(id) ? hints & CFS_HINT_FRAME : hints;
}

static void read_attribute(struct counting *c, enum cfs_html_tag tag,
			   const struct cfs_html_attr *at, struct part *part)
{
	struct cfs_slice name = at->name;

	switch (name.n) {
	case 2:
		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("id")))
			part->hints |= hints_of_id(tag, at->value);
		break;
	case 4:
		if (!cfs_slice_eq_nocase(name, CFS_SLICE_LIT("role")))
			break;
		part->hints |= cfs_class_hints(at->value);
		part->is_layout = cfs_slice_in_words(at->value,
						     "presentation none");
		break;
	case 5:
		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("class")))
			read_class(c, tag, at->value, part);
		break;
	case 8:
		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("itemtype")))
			part->is_discussion = is_discussion(at->value);
		break;
	default:
		break;
	}
}

static struct part part_of(struct counting *c, const struct cfs_html_el *el)
{
	struct part part = { 0 };

	for (unsigned i = 0; i < el->token->n_attrs; i++)
		read_attribute(c, el->tag, &el->token->attrs[i], &part);
	if (el->tag == CFS_TAG_HTML || el->tag == CFS_TAG_BODY)
		part.is_discussion |= (part.hints & CFS_HINT_FORUM) != 0;
	/* the classes of these are about all that is on the page, or about how
	 * code is to be shown: "brush: c; toolbar: false" */
	if (el->tag == CFS_TAG_HTML || el->tag == CFS_TAG_BODY ||
	    el->tag == CFS_TAG_MAIN || el->tag == CFS_TAG_PRE)
		part.hints = 0;
	return part;
}

/* Where a tag of that name begins.  It may be an end tag: </p> without a <p> is
 * an empty paragraph. */
static uint32_t begin_of(const struct counting *c, struct cfs_slice name)
{
	uint32_t at = (uint32_t)(name.p - c->in.p) - 1;

	return at > 0 && c->in.p[at] == '/' ? at - 1 : at;
}

/* True of a block of code, besides <pre>: by its class, or, of a cell, beside
 * one of line numbers. */
static bool is_code(const struct counting *c, enum cfs_html_tag tag,
		    unsigned roles)
{
	return (roles & CFS_CODE_BLOCK) != 0 ||
	       ((roles & CFS_CODE_CELL) != 0 && tag == CFS_TAG_TD &&
		c->b->v[c->at].has_numbers);
}

/* Adds a block.  False: it is left out, with all that is in it. */
static bool add_block(struct counting *c, const struct cfs_html_el *el)
{
	struct cfs_page_blocks *b = c->b;
	struct part part = part_of(c, el);

	if (cfs_page_is_gutter(el->tag, part.code_roles, c->in_code > 0)) {
		b->v[c->at].has_numbers = true;
		return false;
	}
	if (c->beyond > 0 || b->n == CFS_PAGE_BLOCKS_MAX) {
		c->beyond++;
		return true;
	}
	if (b->n == b->room) {
		c->failed = cfs_array_reserve((void **)&b->v, &b->room,
					      b->n + 1, sizeof(*b->v),
					      CFS_PAGE_BLOCKS_MAX);
		if (c->failed != CFS_OK) {
			c->beyond++;
			return true;
		}
	}
	b->is_forum |= part.is_discussion;
	b->v[b->n] = (struct cfs_page_block){
		.kind = (uint32_t)part.class_hash ^ (uint32_t)el->tag << 24,
		.parent = c->at, .end = b->n + 1, .until = b->n + 1,
		.at = begin_of(c, el->token->name),
		.tag = (uint8_t)el->tag, .hints = (uint16_t)part.hints,
		.is_layout = part.is_layout,
		.is_code = is_code(c, el->tag, part.code_roles),
		.spans = { 1, 1 } };
	if (el->tag == CFS_TAG_TD || el->tag == CFS_TAG_TH)
		b->v[b->n].spans = cfs_table_spans_of(el);
	c->at = b->n++;
	c->in_code += cfs_page_block_is_code(&b->v[c->at]);
	return true;
}

/* True of the class or id of a panel that a tab or heading shows. */
static bool is_named_panel(const struct cfs_html_el *el)
{
	unsigned hints = 0;
	struct cfs_slice v;

	if (cfs_html_el_get(el, CFS_SLICE_LIT("class"), &v))
		hints |= cfs_class_hints(v);
	if (cfs_html_el_get(el, CFS_SLICE_LIT("id"), &v))
		hints |= cfs_class_hints(v);
	return (hints & CFS_HINT_PANEL) != 0;
}

bool cfs_page_is_hidden(const struct cfs_html_el *el)
{
	return cfs_html_is_hidden(el) && !cfs_html_is_panel(el) &&
	       !(cfs_page_role(el) == CFS_PAGE_BLOCK && is_named_panel(el));
}

/* Reads og:type, which says what a page is (ogp.me). */
static void read_type(struct cfs_page_blocks *b, const struct cfs_html_el *el)
{
	struct cfs_slice v;

	if (cfs_html_el_get(el, CFS_SLICE_LIT("property"), &v) &&
	    cfs_slice_eq_nocase(v, CFS_SLICE_LIT("og:type")) &&
	    cfs_html_el_get(el, CFS_SLICE_LIT("content"), &v))
		b->is_of_one |= cfs_slice_eq_nocase(v, CFS_SLICE_LIT("article")) ||
				cfs_slice_eq_nocase(v, CFS_SLICE_LIT("product"));
}

/* Begins an element that is left out.  True: its text is read all the same. */
static bool begin_left_out(struct counting *c, const struct cfs_html_el *el)
{
	c->in_title = el->is_html && el->tag == CFS_TAG_TITLE &&
		      c->b->title.n == 0;
	c->in_data = el->is_html && cfs_html_is_json_ld(el);
	return c->in_title || c->in_data;
}

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	struct counting *c = arg;

	switch (cfs_page_role(el)) {
	case CFS_PAGE_LEFT_OUT:
		return begin_left_out(c, el);
	case CFS_PAGE_BLOCK:
		if (cfs_page_is_hidden(el) || !add_block(c, el))
			return false;
		break;
	case CFS_PAGE_INLINE:
		if (cfs_page_is_hidden(el) ||
		    (c->in_code > 0 && cfs_page_is_number(el)))
			return false;
		if (el->tag == CFS_TAG_META)
			read_type(c->b, el);
		c->in_link += el->tag == CFS_TAG_A;
		c->b->v[c->at].until = c->b->n;
		break;
	case CFS_PAGE_BREAK:
		break;
	}
	cfs_page_events_start(&c->b->events, el);
	return true;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	struct counting *c = arg;
	struct cfs_page_blocks *b = c->b;
	enum cfs_page_role role = cfs_page_role(el);

	if (role == CFS_PAGE_LEFT_OUT) {
		c->in_title = false;
		c->in_data = false;
		return;
	}
	cfs_page_events_end(&b->events, el->tag);
	if (role == CFS_PAGE_INLINE && el->tag == CFS_TAG_A)
		c->in_link--;
	if (role != CFS_PAGE_BLOCK)
		return;
	if (c->beyond > 0) {
		c->beyond--;
		return;
	}
	b->v[c->at].end = b->n;
	c->in_code -= cfs_page_block_is_code(&b->v[c->at]);
	c->at = b->v[c->at].parent;
}

/* A text is counted 8 bytes at a time if they are ASCII. */
static unsigned count_marked(uint64_t high_bits)
{
	return (unsigned)((high_bits >> 7) * CFS_SWAR_ONES >> 56);
}

/* Marks the bytes that are neither white space nor controls. */
static uint64_t find_letters(uint64_t ascii)
{
	return (ascii + CFS_SWAR_ONES * (0x7f - ' ')) & CFS_SWAR_HIGHS;
}

/* The same for , . ! ? ; and : which differ in one bit from their neighbours
 * here. */
static uint64_t find_punctuation(uint64_t ascii)
{
	return cfs_swar_are_just(ascii | CFS_SWAR_ONES * 2, '.') |
	       cfs_swar_are_just(ascii | CFS_SWAR_ONES, ';') |
	       cfs_swar_are_just(ascii, '!') | cfs_swar_are_just(ascii, '?');
}

/* Weighs the first byte of s, which is not ASCII. */
static void weigh_wide(struct cfs_slice s, uint32_t *weight, uint32_t *marks)
{
	uint8_t c = s.p[0];

	if (c >= 0xe3 && c < 0xf0) {
		*weight += 3;
		/* U+3001 and U+3002, and full-width forms */
		*marks += (c == 0xe3 || c == 0xef) && s.n > 2 &&
			  (s.p[1] == 0x80 || s.p[1] == 0xbc) &&
			  s.p[2] >= 0x81 && s.p[2] <= 0x9f;
	} else {
		*weight += c >= 0xc0;
	}
}

/* The first bytes of s, 8 at most; blanks behind the last. */
static uint64_t first_eight(struct cfs_slice s)
{
	uint64_t eight = CFS_SWAR_ONES * ' ';

	if (s.n >= 8)
		return cfs_swar_in_order_at(s.p);
	memcpy(&eight, s.p, s.n);
	return le64toh(eight);
}

static uint32_t hash_eight(uint32_t hash, uint64_t bytes)
{
	return (uint32_t)((hash ^ bytes) * HASH_FACTOR >> 32);
}

/* Leaves out the blanks at the beginning of a text. */
static struct cfs_slice past_blanks(struct cfs_slice s)
{
	while (s.n > 0) {
		uint64_t eight = first_eight(s);
		uint64_t shown = find_letters(eight & ~CFS_SWAR_HIGHS) |
				 (eight & CFS_SWAR_HIGHS);

		if (shown != 0)
			return cfs_slice_from(s, cfs_swar_first(shown));
		s = cfs_slice_from(s, s.n < 8 ? s.n : 8);
	}
	return s;
}

/* Notes whether the text of a block ends with a colon, if s has any. */
static void note_colon(struct cfs_slice s, struct cfs_page_block *to)
{
	for (;;) {
		if (s.n > 0 && s.p[s.n - 1] <= ' ')
			s.n--;
		else if (cfs_slice_ends(s, CFS_SLICE_LIT("\xc2\xa0")))
			s.n -= 2;	/* a blank, as &nbsp; */
		else
			break;
	}
	if (s.n > 0)
		to->leads_on = s.p[s.n - 1] == ':' ||
			       (s.n >= 3 && memcmp(s.p + s.n - 3,
						   "\xef\xbc\x9a", 3) == 0);
}

/* Adds a text to a block: its weight, which is returned, its punctuation and
 * its hash. */
static uint32_t weigh_text(struct cfs_slice s, struct cfs_page_block *to)
{
	uint32_t w = 0, m = 0, hash = to->hash;

	s = past_blanks(s);
	note_colon(s, to);
	while (s.n > 0) {
		uint64_t eight = first_eight(s);
		uint64_t wide = eight & CFS_SWAR_HIGHS, letters;
		size_t n = s.n < 8 ? s.n : 8;

		if (wide != 0) {
			n = cfs_swar_first(wide);
			eight = first_eight(cfs_slice_sub(s, 0, n));
		}
		letters = find_letters(eight);
		if (letters != 0)
			hash = hash_eight(hash, eight & (letters >> 7) * 0xff);
		w += count_marked(letters);
		m += count_marked(find_punctuation(eight));
		s = cfs_slice_from(s, n);
		while (s.n > 0 && s.p[0] >= 0x80) {
			weigh_wide(s, &w, &m);
			hash = hash_eight(hash, s.p[0]);
			s = cfs_slice_from(s, 1);
		}
	}
	to->text += w;
	to->marks += m;
	to->hash = hash;
	return w;
}

/* Appends as much as there is room for. */
static void add_to_title(struct cfs_buf *title, struct cfs_slice s)
{
	size_t room = CFS_TITLE_MAX - title->n;

	if (s.n > room) {
		while (room > 0 && (s.p[room] & 0xc0) == 0x80)
			room--;
		s = cfs_slice_sub(s, 0, room);
	}
	cfs_buf_add(title, s);
}

static void on_text(void *arg, struct cfs_slice s)
{
	struct counting *c = arg;
	struct cfs_page_block *to = &c->b->v[c->at];
	uint32_t weight;

	if (c->in_title) {
		add_to_title(&c->b->title, s);
		return;
	}
	if (c->in_data) {
		c->b->is_forum |= is_discussion(s);
		return;
	}
	cfs_page_events_text(&c->b->events, s);
	if (cfs_page_is_heading(to->tag) && to->text == 0)
		to->heads_pointers = cfs_heading_of_pointers(s);
	weight = weigh_text(s, to);
	if (weight > 0 || to->tag == CFS_TAG_PRE)
		to->until = c->b->n;
	if (c->in_link > 0)
		to->link += weight;
}

static void on_formula(void *arg, struct cfs_slice tex, bool is_display)
{
	struct counting *c = arg;
	struct cfs_page_block *to = &c->b->v[c->at];

	if (c->in_title)
		return;
	cfs_page_events_formula(&c->b->events, tex, is_display);
	(void)weigh_text(tex, to);
	to->until = c->b->n;
}

int cfs_page_blocks_count(struct cfs_page_blocks *b, struct cfs_slice utf8,
			  struct cfs_ctx ctx)
{
	struct counting c = { .b = b, .in = utf8 };
	struct cfs_html_sink sink = { on_start, on_end,
				      on_text, &c, on_formula };
	int rc;

	*b = (struct cfs_page_blocks){ 0 };
	cfs_buf_init(&b->title, CFS_TITLE_MAX);
	cfs_page_events_init(&b->events, utf8);
	rc = cfs_array_reserve((void **)&b->v, &b->room, 64, sizeof(*b->v),
			       CFS_PAGE_BLOCKS_MAX);
	if (rc != CFS_OK)
		return cfs_error_nomem(ctx.err);
	b->v[0] = (struct cfs_page_block){ .end = 1, .until = 1 };
	b->n = 1;
	rc = cfs_html_outline(utf8, &sink, ctx);
	if (rc == CFS_OK &&
	    (c.failed != CFS_OK || b->title.failed == CFS_ENOMEM))
		rc = cfs_error_nomem(ctx.err);
	b->v[0].end = b->n;
	cfs_page_blocks_find_tables(b);
	return rc;
}

void cfs_page_blocks_release(struct cfs_page_blocks *b)
{
	free(b->v);
	cfs_buf_release(&b->title);
	cfs_page_events_release(&b->events);
	b->v = NULL;
}
