/* text.c - escapes names for terminals, hides queries, and formats sizes and
 * counts (see text.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

bool cfs_text_is_unshowable(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

void cfs_text_escape(struct cfs_buf *b, struct cfs_slice s)
{
	while (s.n > 0) {
		uint32_t cp = 0;
		size_t n = cfs_utf8_decode(s, &cp);
		bool is_control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0);

		if (n > 0 && !is_control) {
			cfs_buf_append(b, s.p, n);
		} else {
			n = n > 0 ? n : 1;
			for (size_t i = 0; i < n; i++)
				cfs_buf_addf(b, "\\x%02X", s.p[i]);
		}
		s = cfs_slice_from(s, n);
	}
}

/* ---- queries of URLs ---- */

#define HIDDEN "..."		/* shown in place of a query */

/* True if s begins with an http: or https: URL. */
static bool is_web_url(const char *s)
{
	return strncasecmp(s, "http://", 7) == 0 ||
	       strncasecmp(s, "https://", 8) == 0;
}

/* True if the next URL of a comma-separated list begins at s. */
static bool is_next_url(const char *s)
{
	return is_web_url(s) || strncasecmp(s, "s3://", 5) == 0;
}

/* The end of a query; `query` points behind its '?'. */
static const char *end_of_query(const char *query)
{
	const char *s = query;

	while ((uint8_t)*s > 0x20 && !(*s == ',' && is_next_url(s + 1)) &&
	       strncmp(s, "#!/", 3) != 0)
		s++;
	while (s > query && strchr("'\":,;)", s[-1]) != NULL)
		s--;
	return s;
}

void cfs_text_hide_queries(char *out, size_t out_bytes, const char *s)
{
	bool in_url = strncmp(s, "./", 2) == 0;
	size_t n = 0;

	while (*s != '\0' && n + 1 < out_bytes) {
		const char *end;

		in_url = is_web_url(s) || (in_url && (uint8_t)*s > 0x20);
		out[n++] = *s++;
		if (!in_url || s[-1] != '?')
			continue;
		end = end_of_query(s);
		for (const char *dot = HIDDEN; end > s && *dot != '\0' &&
					       n + 1 < out_bytes; dot++)
			out[n++] = *dot;
		s = end;
		in_url = false;
	}
	if (out_bytes > 0)
		out[n] = '\0';
}

/* ---- figures ---- */

const char *cfs_text_size(double bytes, char out[CFS_TEXT_SIZE_BYTES])
{
	static const char *const units[] = {
		"B", "kB", "MB", "GB", "TB", "PB"
	};
	size_t i = 0;

	while (bytes >= 999.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1000;
		i++;
	}
	snprintf(out, CFS_TEXT_SIZE_BYTES, i > 0 && bytes < 9.95 ? "%.1f %s" :
		 "%.0f %s", bytes, units[i]);
	return out;
}

/* The ending of a word's plural: "boxes", "files". */
static const char *plural_ending(const char *word)
{
	size_t len = strlen(word);

	return len > 0 && word[len - 1] == 'x' ? "es" : "s";
}

const char *cfs_text_count(uint64_t n, const char *word,
			   char out[CFS_TEXT_COUNT_BYTES])
{
	snprintf(out, CFS_TEXT_COUNT_BYTES, "%" PRIu64 " %s%s", n, word,
		 n == 1 ? "" : plural_ending(word));
	return out;
}

const char *cfs_text_figure(uint64_t n, char out[CFS_TEXT_FIGURE_BYTES])
{
	char digits[24];
	size_t at = 0, len;

	len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}
