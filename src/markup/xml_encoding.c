/* xml_encoding.c - converts XML documents to UTF-8.
 *
 * Spec: XML 1.0, section 4.3.3 and appendix F.  The encoding is UTF-16 if the
 * document begins with its byte order mark or with a '<' of two bytes;
 * otherwise what the XML declaration says: UTF-8 or US-ASCII (also without one)
 * or ISO-8859-1.  Views, which meet every encoding of the web, do not use this
 * (view/charset.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "xml.h"

#include "base/ascii.h"
#include "base/utf8.h"

#define VALUE_MAX 64u	/* bytes of a value in the XML declaration */

/* ---- UTF-16 ---- */

static uint32_t unit_at(struct cfs_slice s, size_t at, bool is_big)
{
	return (uint32_t)s.p[at + !is_big] << 8 | s.p[at + is_big];
}

/* False if there is something else than UTF-16. */
static bool from_utf16(struct cfs_slice s, bool is_big, struct cfs_buf *out)
{
	bool is_right = s.n % 2 == 0;

	for (size_t i = 0; i + 2 <= s.n; i += 2) {
		uint32_t c = unit_at(s, i, is_big), low = 0;

		if (c >= 0xd800 && c < 0xdc00 && i + 4 <= s.n)
			low = unit_at(s, i + 2, is_big);
		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			i += 2;
		}
		is_right = is_right && c != 0 && (c < 0xd800 || c >= 0xe000);
		cfs_utf8_add(out, c);
	}
	return is_right;
}

/* True if the document is UTF-16.  *mark is the length of its byte order
 * mark. */
static bool is_utf16(struct cfs_slice s, bool *is_big, size_t *mark)
{
	static const struct {
		struct cfs_slice start;
		bool is_big;
		size_t mark;
	} rows[] = {
		{ CFS_SLICE_LIT("\xff\xfe"), false, 2 },
		{ CFS_SLICE_LIT("\xfe\xff"), true, 2 },
		{ CFS_SLICE_LIT("<\0"), false, 0 },
		{ CFS_SLICE_LIT("\0<"), true, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*is_big = rows[i].is_big;
		*mark = rows[i].mark;
		if (cfs_slice_starts(s, rows[i].start))
			return true;
	}
	return false;
}

/* ---- the XML declaration ---- */

/* Returns the length of the white space at the start of *s, and takes it. */
static size_t take_space(struct cfs_slice *s)
{
	return cfs_slice_take(s, cfs_slice_run(*s, cfs_is_space)).n;
}

static bool take_literal(struct cfs_slice *s, const char *text)
{
	struct cfs_slice t = cfs_slice_str(text);

	if (!cfs_slice_starts(*s, t))
		return false;
	*s = cfs_slice_from(*s, t.n);
	return true;
}

/* Takes ' name="value"'.  False, and nothing is taken, if s begins otherwise.
 */
static bool take_field(struct cfs_slice *s, const char *name,
		       struct cfs_slice *value)
{
	struct cfs_slice rest = *s;
	ptrdiff_t end;
	uint8_t quote;

	if (take_space(&rest) == 0 || !take_literal(&rest, name))
		return false;
	take_space(&rest);
	if (!take_literal(&rest, "="))
		return false;
	take_space(&rest);
	quote = rest.n > 0 ? rest.p[0] : 0;
	if (quote != '"' && quote != '\'')
		return false;
	rest = cfs_slice_from(rest, 1);
	end = cfs_slice_find(cfs_slice_sub(rest, 0, VALUE_MAX), quote);
	if (end < 0)
		return false;
	*value = cfs_slice_sub(rest, 0, (size_t)end);
	*s = cfs_slice_from(rest, (size_t)end + 1);
	return true;
}

/* Reads the XML declaration, if s begins with one.  *encoding is empty if none
 * is named.  False if it is not as XML prescribes (section 2.8). */
static bool read_declaration(struct cfs_slice s, struct cfs_slice *encoding)
{
	struct cfs_slice version, standalone = CFS_SLICE_LIT("no");
	uint64_t minor;

	*encoding = CFS_SLICE_EMPTY;
	if (!take_literal(&s, "<?xml") || s.n == 0 || !cfs_is_space(s.p[0]))
		return true;
	if (!take_field(&s, "version", &version) ||
	    !take_literal(&version, "1.") ||
	    cfs_slice_parse_u64(version, UINT32_MAX, &minor) != CFS_OK ||
	    (take_field(&s, "encoding", encoding) && encoding->n == 0))
		return false;
	take_field(&s, "standalone", &standalone);
	take_space(&s);
	return take_literal(&s, "?>") &&
	       (cfs_slice_eq(standalone, CFS_SLICE_LIT("yes")) ||
		cfs_slice_eq(standalone, CFS_SLICE_LIT("no")));
}

/* ---- the whole ---- */

static void from_latin1(struct cfs_slice s, struct cfs_buf *out)
{
	for (size_t i = 0; i < s.n; i++)
		cfs_utf8_add(out, s.p[i]);
}

bool cfs_xml_to_utf8(struct cfs_slice in, struct cfs_buf *out,
		     struct cfs_slice *utf8)
{
	bool is_big, is_right;
	struct cfs_slice name;
	size_t mark;

	if (is_utf16(in, &is_big, &mark)) {
		is_right = from_utf16(cfs_slice_from(in, mark), is_big, out);
		*utf8 = cfs_buf_slice(out);
		return read_declaration(*utf8, &name) && is_right;
	}
	if (cfs_slice_starts(in, CFS_SLICE_LIT("\xef\xbb\xbf")))
		in = cfs_slice_from(in, 3);
	is_right = read_declaration(in, &name);
	if (cfs_slice_in_words(name, "iso-8859-1 latin1")) {
		from_latin1(in, out);
		*utf8 = cfs_buf_slice(out);
		return is_right;
	}
	is_right = is_right &&
		   (name.n == 0 ||
		    cfs_slice_in_words(name, "utf-8 utf8 us-ascii ascii"));
	*utf8 = in;
	if (cfs_utf8_is_valid(in))
		return is_right;
	cfs_utf8_add_mended(out, in);
	*utf8 = cfs_buf_slice(out);
	return false;
}
