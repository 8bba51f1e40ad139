/* tokenizer_internal.h - shared declarations of the tokenizer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_TOKENIZER_INTERNAL_H
#define CFS_MARKUP_TOKENIZER_INTERNAL_H

#include "base/ascii.h"
#include "base/swar.h"
#include "references.h"
#include "tokenizer.h"

/* True if c ends the name of a tag: white space, '/' and '>'. */
static inline bool cfs_html_ends_name(uint8_t c)
{
	return cfs_is_space(c) || c == '/' || c == '>';
}

/* The end of the name that continues at `at`.  The name of an attribute also
 * ends at '='. */
static inline size_t cfs_html_name_end(struct cfs_slice in, size_t at,
				       bool is_attr)
{
	while (at + 8 <= in.n) {
		uint64_t v = cfs_swar_in_order_at(in.p + at);
		uint64_t marks = cfs_swar_below(v, ' ' + 1) |
				 cfs_swar_are(v, '/') | cfs_swar_are(v, '>');

		if (is_attr)
			marks |= cfs_swar_are(v, '=');
		if (marks == 0) {
			at += 8;
			continue;
		}
		at += cfs_swar_first(marks);
		if (in.p[at] >= ' ' || cfs_is_space(in.p[at]))
			return at;
		at++;	/* a control character is part of the name */
	}
	while (at < in.n && !cfs_html_ends_name(in.p[at]) &&
	       (in.p[at] != '=' || !is_attr))
		at++;
	return at;
}

/* Makes a text token of the bytes from t->at to `end`, and moves there. */
void cfs_html_text_to(struct cfs_html_tokenizer *t, size_t end);

/* Takes a CR or NUL at t->at, for text where NUL becomes U+FFFD.  False if
 * there is none. */
bool cfs_html_odd_byte(struct cfs_html_tokenizer *t);

/* True if the '<' at `at` begins the end tag of t->last_start, which ends the
 * text. */
bool cfs_html_end_tag(struct cfs_html_tokenizer *t, size_t at);

/* Takes that end tag, at t->at.  False if the document ends in it. */
bool cfs_html_take_end_tag(struct cfs_html_tokenizer *t);

/* Reads a tag from behind its name to behind its '>', with its attributes into
 * t->token.  False if the document ends in it. */
bool cfs_html_attributes(struct cfs_html_tokenizer *t);

/* Reads a doctype token from `from`, behind "<!doctype". */
void cfs_html_doctype(struct cfs_html_tokenizer *t, size_t from);

/* Reads one token of script data; false if it makes no token: the caller calls
 * again. */
bool cfs_html_script(struct cfs_html_tokenizer *t);

/* Reads one token of XML; false if it makes no token: the caller calls
 * again. */
bool cfs_xml_step(struct cfs_html_tokenizer *t);

#endif
