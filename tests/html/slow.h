/* slow.h - the HTML standard's tokenizer, read a second time, state by state.
 *
 * Slow and obvious: one function a state or two, named as the standard names
 * them, each input character looked at in its state.  Only for comparison with
 * src/markup/tokenizer.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_HTML_SLOW_H
#define CFS_TESTS_HTML_SLOW_H

#include "markup/tokenizer.h"

/*
 * Appends the tokens of a document in one canonical form, which dump_fast makes
 * too of the other tokenizer's: text runs joined, one token after the other.
 *     <name a=value ...>  </name>  {comment}  !name|public|system|q  "text
 * each followed by a NUL and a line end; lengths are not limited.
 */
void slow_dump(struct cfs_slice utf8, enum cfs_html_state state,
	       const char *last_start, bool allow_cdata, struct cfs_buf *out);
void fast_dump(struct cfs_slice utf8, enum cfs_html_state state,
	       const char *last_start, bool allow_cdata, struct cfs_buf *out);

#endif
