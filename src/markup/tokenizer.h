/* tokenizer.h - splits a document of HTML or XML into tokens.
 *
 * This is the complete tokenizer of the HTML standard, section 13.2.5, with
 * newlines normalized (13.2.3.5): CR LF and CR become LF.  There is no tree:
 * the kind of text that follows a tag (RCDATA, script data, ...) is set by the
 * caller, or by the element's name (cfs_html_follow).  XML is read in states of
 * its own (xml.h).
 *
 * Names and values are borrowed from the document and decoded on request, since
 * most are never used.  Time is linear in the document, and memory is limited
 * to the structure below, for any input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_TOKENIZER_H
#define CFS_MARKUP_TOKENIZER_H

#include "base/buf.h"
#include "references.h"
#include "tags.h"

/* The most attributes of one tag; more are left out.  Real pages have up to
 * some hundred; longer tags are made to cost memory. */
#define CFS_HTML_ATTRS_MAX 512u

enum cfs_html_state {		/* states of the standard in which text is */
	CFS_HTML_DATA,
	CFS_HTML_RCDATA,
	CFS_HTML_RAWTEXT,
	CFS_HTML_SCRIPT,
	CFS_HTML_PLAINTEXT,
	CFS_HTML_CDATA,
	CFS_XML_CONTENT,		/* XML only: see xml.h */
	CFS_XML_SECTION,		/* a CDATA section */
};

enum cfs_html_type {
	CFS_HTML_TEXT,
	CFS_HTML_START,
	CFS_HTML_END,
	CFS_HTML_COMMENT,
	CFS_HTML_DOCTYPE,
	CFS_HTML_EOF,
	CFS_XML_INSTRUCTION,	/* <?...?>; in HTML that is a comment */
};

/* An attribute, not decoded: see cfs_html_name and cfs_html_value. */
struct cfs_html_attr {
	struct cfs_slice name, value;
};

struct cfs_html_doctype {
	bool has_name, has_public, has_system;
	struct cfs_slice name, public_id, system_id;	/* not decoded */
	bool force_quirks;
};

/* A token.  Its slices are borrowed from the document or the tokenizer, until
 * the next token. */
struct cfs_html_token {
	enum cfs_html_type type;
	/* Decoded text, of any length; or a comment, not decoded. */
	struct cfs_slice text;
	/* For tags: */
	enum cfs_html_tag tag;
	struct cfs_slice name;		/* not decoded */
	bool is_self_closing;
	unsigned n_attrs;		/* without repeated names */
	const struct cfs_html_attr *attrs;
	struct cfs_html_doctype doctype;
};

/* The tokenizer's state in a document of XML. */
struct cfs_xml_state {
	enum cfs_reference_rules references;
	/* "<!" begins a declaration, and is not text.  Set by the caller, true
	 * outside the root element. */
	bool allow_doctype;
	bool had_doctype;
	/* The document so far is not well-formed: something was mended. */
	bool is_flawed;
	size_t section_end;		/* where a CDATA section ends */
};

/* A tokenizer must not be moved after cfs_html_begin. */
struct cfs_html_tokenizer {
	struct cfs_slice in;
	size_t at;
	enum cfs_html_state state;
	/* The element whose end tag ends RCDATA, RAWTEXT and script data. */
	struct cfs_slice last_start;
	/* "<![CDATA[" begins a CDATA section and not a comment.  Set by the
	 * caller, true inside SVG and MathML. */
	bool allow_cdata;
	unsigned script_escape;		/* 0; 1: after "<!--"; 2: after that
					 * and <script */
	struct cfs_html_token token;
	struct cfs_html_attr attrs[CFS_HTML_ATTRS_MAX];
	uint8_t reference[CFS_REFERENCE_BYTES];
	struct cfs_xml_state xml;
};

/* Begins a document.  utf8 must be well-formed, and is borrowed until the last
 * token. */
void cfs_html_begin(struct cfs_html_tokenizer *t, struct cfs_slice utf8);

/* Reads the next token into t->token, and returns it; at the end CFS_HTML_EOF,
 * also when called again. */
const struct cfs_html_token *cfs_html_next(struct cfs_html_tokenizer *t);

/* To be called after a start tag of HTML: sets the state for the content of
 * that element, as in the standard's tree construction (without scripting), but
 * for an <iframe/>, which ends with its tag. */
void cfs_html_follow(struct cfs_html_tokenizer *t, enum cfs_html_tag tag);

/* Appends a decoded name: in lower case, NUL as U+FFFD. */
void cfs_html_name(struct cfs_slice raw, struct cfs_buf *out);

/* A hash of the decoded name. */
uint32_t cfs_html_name_hash(struct cfs_slice raw);

/* Appends an attribute's value with references, newlines and NUL decoded. */
void cfs_html_value(struct cfs_slice raw, struct cfs_buf *out);

/* Appends a comment, or an identifier of a doctype, with newlines and NUL
 * decoded. */
void cfs_html_plain(struct cfs_slice raw, struct cfs_buf *out);

/* Finds the value, not decoded, of a tag's attribute by its lower-case name.
 * False if there is none. */
bool cfs_html_attr_find(const struct cfs_html_token *tag,
			struct cfs_slice name, struct cfs_slice *raw);

#endif
