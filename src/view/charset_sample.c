/* charset_sample.c - selects the bytes of a document for the detectors.
 *
 * Both detectors count letters, pairs and triples.  Markup and scripts are
 * ASCII in any language, and the first kilobytes of a page are often nothing
 * else.  So the document is split into ranges of text between tags and line
 * ends; the ranges with a byte over 0x7f make the sample.  If they are few,
 * ranges of ASCII text are added: "caf\xe9" alone tells little, but in an
 * English sentence it means windows-1252.
 *
 * '<', '>' and LF are never a second byte, except in the 7-bit sets, UTF-16 and
 * UTF-32: those are sampled unchanged.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset_steps.h"

/* Longer tags are taken for text, such as "a <b" in plain text. */
#define TAG_MAX 1024
/* ASCII text is added until the sample has this many bytes. */
#define FILL_BYTES 1024

#define ESC 0x1b

static void add(struct cfs_charset_sample *out, struct cfs_slice s)
{
	s = cfs_slice_sub(s, 0, sizeof(out->p) - out->n);
	if (s.n > 0)
		memcpy(out->p + out->n, s.p, s.n);
	out->n += s.n;
}

static void add_range(struct cfs_charset_sample *out, struct cfs_slice s)
{
	s = cfs_slice_trim(s);
	if (s.n == 0)
		return;
	add(out, s);
	add(out, CFS_SLICE_LIT("\n"));
}

/* The length of `open`...`close` at the start of s, or 0.  All of s if the end
 * is missing. */
static size_t element_len(struct cfs_slice s, const char *open,
			  const char *close)
{
	ptrdiff_t end;

	if (!cfs_slice_starts_nocase(s, cfs_slice_str(open)))
		return 0;
	end = cfs_slice_search_nocase(s, cfs_slice_str(close));
	return end < 0 ? s.n : (size_t)end;
}

/* The length of the markup at the start of s; 0 if s begins with text. */
static size_t markup_len(struct cfs_slice s)
{
	ptrdiff_t end;
	size_t n;

	if (s.n < 2 || s.p[0] != '<')
		return 0;
	if (!cfs_is_alpha(s.p[1]) && memchr("/!?", s.p[1], 3) == NULL)
		return 0;
	n = element_len(s, "<script", "</script");
	if (n == 0)
		n = element_len(s, "<style", "</style");
	if (n > 0)
		return n;
	end = cfs_slice_find(cfs_slice_sub(s, 0, TAG_MAX), '>');
	return end < 0 ? 0 : (size_t)end + 1;
}

static size_t range_len(struct cfs_slice s)
{
	size_t n = 1;

	while (n < s.n && s.p[n] != '<' && s.p[n] != '>' && s.p[n] != '\n')
		n++;
	return n;
}

/* Adds ranges that are ASCII, or those that are not, until the sample has `max`
 * bytes. */
static void add_ranges(struct cfs_charset_sample *out, struct cfs_slice s,
		       bool is_ascii, bool with_markup, size_t max)
{
	while (s.n > 0 && out->n < max) {
		size_t n = with_markup ? 0 : markup_len(s);
		struct cfs_slice range;

		if (n == 0) {
			n = range_len(s);
			range = cfs_slice_sub(s, 0, n);
			if ((cfs_ascii_run(range) == n) == is_ascii)
				add_range(out, range);
		}
		s = cfs_slice_from(s, n);
	}
}

/* True if there are NUL bytes: UTF-16, UTF-32, or not text at all. */
static bool is_wide(struct cfs_slice s)
{
	return cfs_slice_find(cfs_slice_sub(s, 0, 1024), 0) >= 0;
}

void cfs_charset_sample(struct cfs_slice body, struct cfs_charset_sample *out)
{
	struct cfs_slice s = cfs_slice_sub(body, 0, CFS_CHARSET_LOOK_BYTES);
	ptrdiff_t at;

	out->n = 0;
	if (is_wide(s)) {
		add(out, s);
		return;
	}
	if (cfs_ascii_run(s) == s.n) {
		at = cfs_slice_find(s, ESC);
		if (at < 0)
			at = cfs_slice_search(s, CFS_SLICE_LIT("~{"));
		if (at >= 0)
			add(out, cfs_slice_from(s, (size_t)at));
		return;
	}
	add_ranges(out, s, false, false, sizeof(out->p));
	if (out->n == 0)
		add_ranges(out, s, false, true, sizeof(out->p));
	if (out->n < FILL_BYTES)
		add_ranges(out, s, true, false, FILL_BYTES);
}
