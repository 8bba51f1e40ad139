/* tex.h - formulas in TeX: characters, and sources as pages have them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_HTML_TEX_H
#define CFS_HTML_TEX_H

#include "base/buf.h"

/* Appends a character of a formula: as a command where TeX has one, escaped if
 * TeX would take it for something else, else as it is. */
void cfs_tex_add_char(struct cfs_buf *out, uint32_t c);

/* Appends a text, such as what a command stands for.  A blank divides a command
 * at the end of out from a letter. */
void cfs_tex_add(struct cfs_buf *out, struct cfs_slice s);

/* True of a word that is a command in TeX: sin, lim, max. */
bool cfs_tex_is_function(struct cfs_slice word);

/* True if s begins with a brace, and ends with that which belongs to it. */
bool cfs_tex_is_group(struct cfs_slice s);

/*
 * Appends the TeX of a formula as it may stand between dollars, on one line:
 * without dollars or brackets around it, braces of a style, comments, and white
 * space that means nothing.  Dollars in it become \( and \).
 *
 * display  set to true if what was around it says that the formula is displayed
 *          on a line of its own; else not changed
 */
void cfs_tex_add_source(struct cfs_buf *out, struct cfs_slice tex,
			bool *display);

#endif
