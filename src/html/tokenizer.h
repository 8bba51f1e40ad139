/* tokenizer.h - the tokens of an HTML document, one after the other.
 *
 * The tokenizer of the HTML standard, section 13.2.5, in full, with the input
 * stream's newlines (13.2.3.5): CR LF and CR are LF.  It knows no tree: which
 * text a tag begins (RCDATA, script data, ...) is set by the caller, or by the
 * element's name (cfs_html_follow).
 *
 * Names and values are lent as they stand in the document, and decoded on
 * request: most of them nobody wants.  Time is linear in the document and
 * memory is that of the structure, whatever comes in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_TOKENIZER_H
#define CFS_HTML_TOKENIZER_H

#include "base/buf.h"
#include "references.h"
#include "tags.h"

/* Attributes of one tag; more are left out.  Real pages have up to some
 * hundred, and a tag that goes on is made to cost memory. */
#define CFS_HTML_ATTRS_MAX 512u

enum cfs_html_state {		/* where a document begins, and text goes on */
	CFS_HTML_DATA,
	CFS_HTML_RCDATA,
	CFS_HTML_RAWTEXT,
	CFS_HTML_SCRIPT,
	CFS_HTML_PLAINTEXT,
	CFS_HTML_CDATA,
};

enum cfs_html_type {
	CFS_HTML_TEXT,
	CFS_HTML_START,
	CFS_HTML_END,
	CFS_HTML_COMMENT,
	CFS_HTML_DOCTYPE,
	CFS_HTML_EOF,
};

/* As they stand in the document: see cfs_html_name and cfs_html_value. */
struct cfs_html_attr {
	struct cfs_slice name, value;
};

struct cfs_html_doctype {
	bool has_name, has_public, has_system;
	struct cfs_slice name, public_id, system_id;	/* as they stand */
	bool force_quirks;
};

/* Slices are borrowed from the document or from the tokenizer, until the next
 * token. */
struct cfs_html_token {
	enum cfs_html_type type;
	/* Text, decoded, a piece of any length; or a comment as it stands. */
	struct cfs_slice text;
	/* Of tags: */
	enum cfs_html_tag tag;
	struct cfs_slice name;		/* as it stands */
	bool is_self_closing;
	unsigned n_attrs;		/* no name twice */
	const struct cfs_html_attr *attrs;
	struct cfs_html_doctype doctype;
};

/* Once it has begun a tokenizer stays where it is. */
struct cfs_html_tokenizer {
	struct cfs_slice in;
	size_t at;
	enum cfs_html_state state;
	/* The element whose end tag ends RCDATA, RAWTEXT and script data. */
	struct cfs_slice last_start;
	/* "<![CDATA[" begins a CDATA section and not a comment: the caller's to
	 * set, true inside of SVG and MathML. */
	bool allow_cdata;
	unsigned script_escape;		/* 0; 1: after "<!--"; 2: and <script */
	struct cfs_html_token token;
	struct cfs_html_attr attrs[CFS_HTML_ATTRS_MAX];
	uint8_t reference[CFS_REFERENCE_BYTES];
};

/* utf8: well-formed, borrowed until the last token. */
void cfs_html_begin(struct cfs_html_tokenizer *t, struct cfs_slice utf8);

/* The next token, in t->token; CFS_HTML_EOF at the end, again and again. */
const struct cfs_html_token *cfs_html_next(struct cfs_html_tokenizer *t);

/* After a start tag of HTML: text goes on as the tree construction of the
 * standard has it for an element of that name (without scripting). */
void cfs_html_follow(struct cfs_html_tokenizer *t, enum cfs_html_tag tag);

/* Appends a name in lower case, NUL as U+FFFD. */
void cfs_html_name(struct cfs_slice raw, struct cfs_buf *out);

/* The same for names that are equal to cfs_html_name. */
uint32_t cfs_html_name_hash(struct cfs_slice raw);

/* Appends an attribute's value, its references and newlines decoded. */
void cfs_html_value(struct cfs_slice raw, struct cfs_buf *out);

/* Appends a comment, or an identifier of a doctype: newlines and NUL. */
void cfs_html_plain(struct cfs_slice raw, struct cfs_buf *out);

/* A tag's attribute by its lower-case name, as it stands.  False: none. */
bool cfs_html_attr_find(const struct cfs_html_token *tag,
			struct cfs_slice name, struct cfs_slice *raw);

#endif
