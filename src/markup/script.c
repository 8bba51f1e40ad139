/* script.c - tokenizes script data with its escaped states (13.2.5.4 and
 * 13.2.5.15 to 31).
 *
 * In a script "<!--" begins an escape, which "-->" ends.  In an escape,
 * "<script" begins a double escape, in which "</script" is text and only ends
 * the double escape.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "base/swar.h"
#include "tokenizer_internal.h"

enum { PLAIN, ESCAPED, DOUBLE_ESCAPED };

/* True if the '>' at `at` completes "-->"; the dashes of "<!--" count too. */
static bool ends_escape(const struct cfs_html_tokenizer *t, size_t at)
{
	return at >= 2 && t->in.p[at - 1] == '-' && t->in.p[at - 2] == '-';
}

/* True if "script" and a byte that ends a name begin at `at`. */
static bool is_script(const struct cfs_html_tokenizer *t, size_t at)
{
	struct cfs_slice s = cfs_slice_from(t->in, at);

	return s.n > 6 && cfs_html_ends_name(s.p[6]) &&
	       cfs_slice_starts_nocase(s, CFS_SLICE_LIT("script"));
}

/* Updates the escape for a '<' at i that is text.  Returns where to go on. */
static size_t pass_less_than(struct cfs_html_tokenizer *t, size_t i)
{
	struct cfs_slice s = cfs_slice_from(t->in, i + 1);

	if (t->script_escape == PLAIN) {
		if (!cfs_slice_starts(s, CFS_SLICE_LIT("!--")))
			return i + 1;
		t->script_escape = ESCAPED;
		return i + 4;
	}
	if (t->script_escape == ESCAPED) {
		if (!is_script(t, i + 1))
			return i + 1;
		t->script_escape = DOUBLE_ESCAPED;
		return i + 7;
	}
	if (s.n > 0 && s.p[0] == '/' && is_script(t, i + 2)) {
		t->script_escape = ESCAPED;
		return i + 8;
	}
	return i + 1;
}

/* True if c is plain text; '>' is so only outside escapes. */
static bool is_plain(const struct cfs_html_tokenizer *t, uint8_t c)
{
	return c != '<' && c != '\r' && c != 0 &&
	       (c != '>' || t->script_escape == PLAIN);
}

/* Skips plain text from i on, in steps of eight bytes: stops at its end or at
 * most seven bytes before. */
static size_t pass_plain(const struct cfs_html_tokenizer *t, size_t i)
{
	for (; i + 8 <= t->in.n; i += 8) {
		uint64_t eight = cfs_swar_at(t->in.p + i);

		if (cfs_swar_have(eight, '<') || cfs_swar_have(eight, '\r') ||
		    cfs_swar_have(eight, 0) ||
		    (t->script_escape != PLAIN && cfs_swar_have(eight, '>')))
			break;
	}
	return i;
}

bool cfs_html_script(struct cfs_html_tokenizer *t)
{
	const uint8_t *p = t->in.p;
	size_t i = t->at;

	if (cfs_html_odd_byte(t))
		return true;
	while (i < t->in.n && p[i] != '\r' && p[i] != 0) {
		if (is_plain(t, p[i])) {
			i = pass_plain(t, i + 1);
		} else if (p[i] == '>') {
			if (ends_escape(t, i))
				t->script_escape = PLAIN;
			i++;
		} else if (t->script_escape != DOUBLE_ESCAPED &&
			   cfs_html_end_tag(t, i)) {
			break;
		} else {
			i = pass_less_than(t, i);
		}
	}
	if (i == t->at) {
		t->script_escape = PLAIN;
		return cfs_html_take_end_tag(t);
	}
	cfs_html_text_to(t, i);
	return true;
}
