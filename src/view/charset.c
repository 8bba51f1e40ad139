/* charset.c - finds a document's character set and converts it to UTF-8.
 *
 * Order of the steps: FORMATS.md 7.2.  The prescan for <meta> is the one of
 * the HTML standard, 13.2.3.2 "prescan a byte stream to determine its
 * encoding", over the first CFS_PRESCAN_BYTES, with a byte order mark before
 * and an XML declaration beside it.  Labels: charset_labels.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "charset.h"

#include <string.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

/* The 2012 crawler looked at 2,000 bytes, browsers look at 1,024. */
#define CFS_PRESCAN_BYTES 2000

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static bool is_alpha(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static struct cfs_slice skip_spaces(struct cfs_slice s)
{
	while (s.n > 0 && is_space(s.p[0]))
		s = cfs_slice_from(s, 1);
	return s;
}

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

/* Bytes below 0x80 at the start of s. */
static size_t ascii_run(struct cfs_slice s)
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
	for (;;) {
		size_t n;

		s = cfs_slice_from(s, ascii_run(s));
		if (s.n == 0)
			return true;
		n = cfs_utf8_len(s);
		if (n == 0)
			return false;
		s = cfs_slice_from(s, n);
	}
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
		s = skip_spaces(cfs_slice_from(s, (size_t)at + 7));
		if (s.n > 0 && s.p[0] == '=')
			return skip_spaces(cfs_slice_from(s, 1));
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
	while (n < s.n && !is_space(s.p[n]) && s.p[n] != ';' && s.p[n] != ',')
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

/* -- step 1: byte order mark, <?xml encoding?>, <meta> -- */

static bool by_mark(struct cfs_slice body, struct cfs_charset *out)
{
	if (cfs_slice_starts(body, CFS_SLICE_LIT("\xef\xbb\xbf")))
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-8"), out);
	if (cfs_slice_starts(body, CFS_SLICE_LIT("\xff\xfe\0\0")))
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-32le"), out);
	if (cfs_slice_starts(body, CFS_SLICE_LIT("\0\0\xfe\xff")))
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-32be"), out);
	if (cfs_slice_starts(body, CFS_SLICE_LIT("\xff\xfe")))
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-16le"), out);
	if (cfs_slice_starts(body, CFS_SLICE_LIT("\xfe\xff")))
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-16be"), out);
	return false;
}

/* A declaration that could be read as ASCII cannot be UTF-16 or UTF-32. */
static bool by_ascii_label(struct cfs_slice label, struct cfs_charset *out)
{
	if (!cfs_charset_by_label(label, out))
		return false;
	if (strncmp(out->name, "UTF-16", 6) == 0 ||
	    strncmp(out->name, "UTF-32", 6) == 0)
		return cfs_charset_by_label(CFS_SLICE_LIT("utf-8"), out);
	return true;
}

static bool by_xml(struct cfs_slice s, struct cfs_charset *out)
{
	ptrdiff_t at;

	if (!cfs_slice_starts(s, CFS_SLICE_LIT("<?xml")))
		return false;
	at = cfs_slice_find(s, '>');
	if (at < 0)
		return false;
	s = cfs_slice_sub(s, 0, (size_t)at);
	at = cfs_slice_search(s, CFS_SLICE_LIT("encoding"));
	if (at < 0)
		return false;
	s = skip_spaces(cfs_slice_from(s, (size_t)at + 8));
	if (s.n == 0 || s.p[0] != '=')
		return false;
	s = skip_spaces(cfs_slice_from(s, 1));
	if (s.n == 0 || (s.p[0] != '"' && s.p[0] != '\''))
		return false;
	at = cfs_slice_find(cfs_slice_from(s, 1), s.p[0]);
	return at >= 0 &&
	       by_ascii_label(cfs_slice_sub(s, 1, (size_t)at), out);
}

/* The standard's "get an attribute".  False at the end of the tag (*s then
 * stands on '>' or is empty). */
static bool take_attr(struct cfs_slice *s, struct cfs_slice *name,
		      struct cfs_slice *value)
{
	struct cfs_slice t = *s;
	size_t n = 0;

	*value = CFS_SLICE_EMPTY;
	while (t.n > 0 && (is_space(t.p[0]) || t.p[0] == '/'))
		t = cfs_slice_from(t, 1);
	*s = t;
	if (t.n == 0 || t.p[0] == '>')
		return false;
	while (n < t.n && !is_space(t.p[n]) && t.p[n] != '/' &&
	       t.p[n] != '>' && !(t.p[n] == '=' && n > 0))
		n++;
	*name = cfs_slice_sub(t, 0, n);
	t = skip_spaces(cfs_slice_from(t, n));
	if (t.n == 0 || t.p[0] != '=') {
		*s = cfs_slice_from(*s, n);
		return true;
	}
	t = skip_spaces(cfs_slice_from(t, 1));
	n = 0;
	if (t.n > 0 && (t.p[0] == '"' || t.p[0] == '\'')) {
		ptrdiff_t end = cfs_slice_find(cfs_slice_from(t, 1), t.p[0]);

		n = end < 0 ? t.n : (size_t)end + 2;
		*value = cfs_slice_sub(t, 1, end < 0 ? t.n : (size_t)end);
	} else {
		while (n < t.n && !is_space(t.p[n]) && t.p[n] != '>')
			n++;
		*value = cfs_slice_sub(t, 0, n);
	}
	*s = cfs_slice_from(t, n);
	return true;
}

/* Reads the attributes of a <meta>; *s ends up after them. */
static bool by_meta_tag(struct cfs_slice *s, struct cfs_charset *out)
{
	struct cfs_slice name, value, charset = CFS_SLICE_EMPTY;
	bool is_pragma = false, has_charset = false;

	while (take_attr(s, &name, &value)) {
		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("http-equiv"))) {
			is_pragma |= cfs_slice_eq_nocase(
				cfs_slice_trim(value),
				CFS_SLICE_LIT("content-type"));
		} else if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("charset"))) {
			charset = value;
			has_charset = true;
		} else if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("content")) &&
			   !has_charset) {
			charset = cfs_charset_param(value);
		}
	}
	return (has_charset || is_pragma) && by_ascii_label(charset, out);
}

/* Steps over one piece of markup at s ('<' first); true if it was a <meta>
 * that names a charset. */
static bool prescan_tag(struct cfs_slice *s, struct cfs_charset *out)
{
	struct cfs_slice t = *s, name, value;
	ptrdiff_t at;
	size_t n;

	if (cfs_slice_starts(t, CFS_SLICE_LIT("<!--"))) {
		/* "<!-->" is a whole comment: its dashes may be shared */
		at = cfs_slice_search(cfs_slice_from(t, 2), CFS_SLICE_LIT("-->"));
		*s = at < 0 ? CFS_SLICE_EMPTY : cfs_slice_from(t, (size_t)at + 5);
		return false;
	}
	n = t.n > 1 && t.p[1] == '/' ? 2 : 1;
	if (t.n <= n || !is_alpha(t.p[n])) {
		if (t.n > 1 && (t.p[1] == '!' || t.p[1] == '/' || t.p[1] == '?')) {
			at = cfs_slice_find(t, '>');
			*s = at < 0 ? CFS_SLICE_EMPTY
				    : cfs_slice_from(t, (size_t)at + 1);
		} else {
			*s = cfs_slice_from(t, 1);
		}
		return false;
	}
	if (cfs_slice_starts_nocase(t, CFS_SLICE_LIT("<meta")) && t.n > 5 &&
	    (is_space(t.p[5]) || t.p[5] == '/')) {
		*s = cfs_slice_from(t, 5);
		return by_meta_tag(s, out);
	}
	while (n < t.n && !is_space(t.p[n]) && t.p[n] != '>')
		n++;
	*s = cfs_slice_from(t, n);
	while (take_attr(s, &name, &value))
		;
	return false;
}

static bool by_declaration(const struct cfs_charset_input *in,
			   struct cfs_charset *out)
{
	struct cfs_slice s = cfs_slice_sub(in->body, 0, CFS_PRESCAN_BYTES);

	if (by_mark(in->body, out))
		return true;
	if (by_xml(s, out))
		return true;
	while (in->is_html && s.n > 0) {
		ptrdiff_t at = cfs_slice_find(s, '<');

		if (at < 0)
			break;
		s = cfs_slice_from(s, (size_t)at);
		if (prescan_tag(&s, out))
			return true;
	}
	return false;
}

/* -- step 2: the bytes themselves -- */

/* s without a sequence that the end of the (perhaps cut) body broke off. */
static struct cfs_slice whole_sequences(struct cfs_slice s)
{
	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		uint8_t c = s.p[s.n - back];

		if ((c & 0xc0) == 0x80)
			continue;
		if (c >= (back == 1 ? 0xc2 : back == 2 ? 0xe0 : 0xf0))
			s.n -= back;
		break;
	}
	return s;
}

/* Text that is valid UTF-8 and not plain ASCII is hardly ever anything else. */
static bool by_bytes(const struct cfs_charset_input *in,
		     struct cfs_charset *out)
{
	struct cfs_slice s = whole_sequences(in->body);

	if (ascii_run(s) == s.n || !cfs_utf8_is_valid(s))
		return false;
	return cfs_charset_by_label(CFS_SLICE_LIT("utf-8"), out);
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
	{ CFS_CHARSET_BY_META, by_declaration },
	{ CFS_CHARSET_BY_BYTES, by_bytes },
	{ CFS_CHARSET_BY_DEFAULT, by_default },
};

void cfs_charset_find(const struct cfs_charset_input *in,
		      struct cfs_charset *out)
{
	*out = (struct cfs_charset){ 0 };
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].find(in, out)) {
			out->by = steps[i].by;
			return;
		}
	}
}

/* -- conversion -- */

/* ICU's own substitute would give U+001A for some sets. */
static void replace_bad(const void *context, UConverterToUnicodeArgs *args,
			const char *units, int32_t length,
			UConverterCallbackReason reason, UErrorCode *code)
{
	static const UChar replacement = 0xfffd;

	(void)context;
	(void)units;
	(void)length;
	if (reason > UCNV_IRREGULAR)
		return;		/* reset, close, clone */
	*code = U_ZERO_ERROR;
	ucnv_cbToUWriteUChars(args, &replacement, 1, 0, code);
}

/* Converts until s is used up, piece by piece into what room out has. */
static int convert(UConverter *from, UConverter *to, struct cfs_slice s,
		   struct cfs_buf *out, struct cfs_error *err)
{
	UChar pivot[1024], *pivot_from = pivot, *pivot_to = pivot;
	const char *src = (const char *)s.p, *end = src + s.n;
	UErrorCode code = U_ZERO_ERROR;
	UBool reset = 1;

	/* most sets need at most two bytes of UTF-8 for one of theirs */
	if (s.n <= SIZE_MAX / 2 && out->max - out->n >= s.n * 2)
		cfs_buf_reserve(out, s.n + s.n / 8 + 64);
	do {
		char *at, *limit;

		if (cfs_buf_reserve(out, 64) != CFS_OK)
			return cfs_error_set(err, out->failed,
					     "no room for converted text");
		at = (char *)out->p + out->n;
		limit = (char *)out->p + out->cap;
		code = U_ZERO_ERROR;
		ucnv_convertEx(to, from, &at, limit, &src, end, pivot,
			       &pivot_from, &pivot_to, pivot + 1024, reset, 1,
			       &code);
		reset = 0;
		out->n = (size_t)((uint8_t *)at - out->p);
	} while (code == U_BUFFER_OVERFLOW_ERROR);
	if (code == U_MEMORY_ALLOCATION_ERROR)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	return CFS_OK;
}

static int convert_by_icu(const char *name, struct cfs_slice s,
			  struct cfs_buf *out, struct cfs_error *err)
{
	UErrorCode code = U_ZERO_ERROR;
	UConverter *from = ucnv_open(name, &code);
	UConverter *to = NULL;
	int rc;

	if (U_FAILURE(code)) {	/* an ICU built without this table */
		code = U_ZERO_ERROR;
		from = ucnv_open("ISO-8859-1", &code);
	}
	to = ucnv_open("UTF-8", &code);
	if (U_SUCCESS(code))
		ucnv_setToUCallBack(from, replace_bad, NULL, NULL, NULL, &code);
	if (U_FAILURE(code))
		rc = cfs_error_set(err, CFS_ENOMEM, "no converter: %s",
				   u_errorName(code));
	else
		rc = convert(from, to, s, out, err);
	ucnv_close(to);
	ucnv_close(from);
	return rc;
}

int cfs_charset_to_utf8(const struct cfs_charset *cs, struct cfs_slice bytes,
			struct cfs_buf *out, struct cfs_error *err)
{
	static const struct cfs_slice mark = { (const uint8_t *)"\xef\xbb\xbf", 3 };
	bool is_utf8 = strcmp(cs->icu, "UTF-8") == 0;
	size_t start = out->n;
	int rc;

	if (is_utf8 && cfs_slice_starts(bytes, mark))
		bytes = cfs_slice_from(bytes, 3);
	if (is_utf8 && cfs_utf8_is_valid(bytes)) {
		rc = cfs_buf_add(out, bytes);
		if (rc != CFS_OK)
			cfs_error_set(err, rc, "no room for converted text");
		return rc;
	}
	rc = convert_by_icu(cs->icu, bytes, out, err);
	if (rc == CFS_OK && !is_utf8 &&
	    cfs_slice_starts(cfs_slice_from(cfs_buf_slice(out), start), mark)) {
		out->n -= 3;
		memmove(out->p + start, out->p + start + 3, out->n - start);
	}
	return rc;
}
