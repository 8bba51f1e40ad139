/* tokenizer_internal.h - what the files of the HTML tokenizer share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_TOKENIZER_INTERNAL_H
#define CFS_HTML_TOKENIZER_INTERNAL_H

#include "base/ascii.h"
#include "tokenizer.h"

/* White space, '/' and '>' end the name of a tag. */
static inline bool cfs_html_ends_name(uint8_t c)
{
	return cfs_is_space(c) || c == '/' || c == '>';
}

/* Makes a text token of all up to `end`, and goes there. */
void cfs_html_text_to(struct cfs_html_tokenizer *t, size_t end);

/* CR or NUL at t->at, in text that has U+FFFD for a NUL: takes it. */
bool cfs_html_odd_byte(struct cfs_html_tokenizer *t);

/* True if the '<' at `at` begins the end tag that ends the text. */
bool cfs_html_end_tag(struct cfs_html_tokenizer *t, size_t at);

/* Takes that end tag, at t->at.  False: the document ends in it. */
bool cfs_html_take_end_tag(struct cfs_html_tokenizer *t);

/* Reads a tag from behind its name to behind its '>', attributes into
 * t->token.  False: the document ends first. */
bool cfs_html_attributes(struct cfs_html_tokenizer *t);

/* Makes a doctype token of what follows "<!doctype". */
void cfs_html_doctype(struct cfs_html_tokenizer *t, size_t from);

/* One token of script data; false where nothing has come yet. */
bool cfs_html_script(struct cfs_html_tokenizer *t);

#endif
