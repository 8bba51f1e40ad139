/* charset_convert.c - converts documents to UTF-8.
 *
 * ICU converts by steps, through 1,024 UTF-16 units into the room of the
 * buffer.  Text that is already UTF-8 or ASCII, and the sets of the Encoding
 * Standard that ICU lacks (x-user-defined, ISO-8859-16, replacement), are
 * handled without ICU.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include "base/guard.h"
#include "charset.h"
#include "charset_scan.h"

#define PIVOT_UNITS 1024

static const struct cfs_slice mark = { (const uint8_t *)"\xef\xbb\xbf", 3 };

static int no_room(struct cfs_buf *out, struct cfs_error *err)
{
	return cfs_error_set(err, out->failed, "no room for converted text");
}

/* -- without ICU -- */

/* ISO/IEC 8859-16:2001, 0xA0 to 0xFF. */
static const uint16_t iso_8859_16[96] = {
	0x00a0, 0x0104, 0x0105, 0x0141, 0x20ac, 0x201e, 0x0160, 0x00a7,
	0x0161, 0x00a9, 0x0218, 0x00ab, 0x0179, 0x00ad, 0x017a, 0x017b,
	0x00b0, 0x00b1, 0x010c, 0x0142, 0x017d, 0x201d, 0x00b6, 0x00b7,
	0x017e, 0x010d, 0x0219, 0x00bb, 0x0152, 0x0153, 0x0178, 0x017c,
	0x00c0, 0x00c1, 0x00c2, 0x0102, 0x00c4, 0x0106, 0x00c6, 0x00c7,
	0x00c8, 0x00c9, 0x00ca, 0x00cb, 0x00cc, 0x00cd, 0x00ce, 0x00cf,
	0x0110, 0x0143, 0x00d2, 0x00d3, 0x00d4, 0x0150, 0x00d6, 0x015a,
	0x0170, 0x00d9, 0x00da, 0x00db, 0x00dc, 0x0118, 0x021a, 0x00df,
	0x00e0, 0x00e1, 0x00e2, 0x0103, 0x00e4, 0x0107, 0x00e6, 0x00e7,
	0x00e8, 0x00e9, 0x00ea, 0x00eb, 0x00ec, 0x00ed, 0x00ee, 0x00ef,
	0x0111, 0x0144, 0x00f2, 0x00f3, 0x00f4, 0x0151, 0x00f6, 0x015b,
	0x0171, 0x00f9, 0x00fa, 0x00fb, 0x00fc, 0x0119, 0x021b, 0x00ff,
};

static unsigned unit_8859_16(uint8_t c)
{
	return c < 0xa0 ? c : iso_8859_16[c - 0xa0];
}

/* Encoding Standard 14.5.1: 0x80 is U+F780 and so on. */
static unsigned unit_user_defined(uint8_t c)
{
	return c < 0x80 ? c : 0xf700u + c;
}

/* Releases pages after `range` was converted. */
static void pass(struct cfs_slice range, enum cfs_pages pages,
		 struct cfs_buf *out)
{
	cfs_pages_passed(pages, range);
	cfs_spill_settle(out);
}

static void by_unit(unsigned (*unit)(uint8_t), struct cfs_slice s,
		    enum cfs_pages pages, struct cfs_buf *out)
{
	uint8_t utf8[4];

	for (size_t i = 0; i < s.n && out->failed == CFS_OK; i++) {
		cfs_buf_append(out, utf8, cfs_utf8_put(utf8, unit(s.p[i])));
		if ((i + 1) % CFS_SPILL_STEP == 0)
			pass(cfs_slice_sub(s, i + 1 - CFS_SPILL_STEP,
					   CFS_SPILL_STEP), pages, out);
	}
}

/* Converts sets that ICU has no table for.  False for other sets. */
static bool convert_by_hand(const char *name, struct cfs_slice s,
			    enum cfs_pages pages, struct cfs_buf *out)
{
	if (strcmp(name, "x-user-defined") == 0)
		by_unit(unit_user_defined, s, pages, out);
	else if (strcmp(name, "ISO-8859-16") == 0)
		by_unit(unit_8859_16, s, pages, out);
	else if (strcmp(name, "replacement") == 0)
		cfs_buf_adds(out, s.n > 0 ? "\xef\xbf\xbd" : "");
	else
		return false;
	return true;
}

/* True if s is pure ASCII, in a set where ASCII bytes mean ASCII. */
static bool is_plain(const char *name, struct cfs_slice s, enum cfs_pages pages)
{
	if (strncmp(name, "UTF-16", 6) == 0 ||
	    strncmp(name, "UTF-32", 6) == 0 ||
	    strcmp(name, "replacement") == 0 ||
	    !cfs_charset_scan_ascii(s, pages))
		return false;
	/* ESC, SO, SI and '~' change the meaning of ASCII bytes */
	if (strncmp(name, "ISO-2022", 8) == 0)
		return !cfs_charset_scan_holds(s, pages,
					       CFS_SLICE_LIT("\x1b")) &&
		       !cfs_charset_scan_holds(s, pages,
					       CFS_SLICE_LIT("\x0e")) &&
		       !cfs_charset_scan_holds(s, pages,
					       CFS_SLICE_LIT("\x0f"));
	return strcmp(name, "HZ") != 0 ||
	       !cfs_charset_scan_holds(s, pages, CFS_SLICE_LIT("~"));
}

/* -- by ICU -- */

/* Replaces invalid bytes by U+FFFD; ICU's own callback gives U+001A for some
 * sets. */
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

/* Converts all of s, step by step into the room of out. */
static int convert(UConverter *from, UConverter *to, struct cfs_slice s,
		   enum cfs_pages pages, struct cfs_buf *out,
		   struct cfs_error *err)
{
	UChar pivot[PIVOT_UNITS], *pivot_from = pivot, *pivot_to = pivot;
	const char *src = (const char *)s.p, *end = src + s.n, *from_at;
	UErrorCode code = U_ZERO_ERROR;
	UBool reset = 1;

	/* in most sets a byte becomes at most two bytes of UTF-8 */
	if (out->spill == NULL && s.n <= SIZE_MAX / 2 &&
	    out->max - out->n >= s.n * 2)
		cfs_buf_reserve(out, s.n + s.n / 8 + 64);
	do {
		char *at, *limit;

		if (cfs_buf_reserve(out, 64) != CFS_OK)
			return no_room(out, err);
		from_at = src;
		at = (char *)out->p + out->n;
		limit = at + cfs_spill_room(out);
		code = U_ZERO_ERROR;
		ucnv_convertEx(to, from, &at, limit, &src, end, pivot,
			       &pivot_from, &pivot_to, pivot + PIVOT_UNITS,
			       reset, 1, &code);
		reset = 0;
		out->n = (size_t)((uint8_t *)at - out->p);
		pass(cfs_slice_of((const uint8_t *)from_at,
				  (size_t)(src - from_at)), pages, out);
	} while (code == U_BUFFER_OVERFLOW_ERROR);
	if (code == U_MEMORY_ALLOCATION_ERROR)
		return cfs_error_nomem(err);
	return CFS_OK;
}

struct converters {
	const char *name;
	UConverter *from, *to;
	UErrorCode code;
};

static void open_converters(void *arg)
{
	struct converters *c = arg;

	c->from = ucnv_open(c->name, &c->code);
	if (c->code == U_FILE_ACCESS_ERROR) {	/* this ICU lacks the table */
		c->code = U_ZERO_ERROR;
		c->from = ucnv_open("ISO-8859-1", &c->code);
	}
	c->to = ucnv_open("UTF-8", &c->code);
	ucnv_setToUCallBack(c->from, replace_bad, NULL, NULL, NULL, &c->code);
}

static int convert_by_icu(const char *name, struct cfs_slice s,
			  enum cfs_pages pages, struct cfs_buf *out,
			  struct cfs_error *err)
{
	struct converters c = { .name = name, .code = U_ZERO_ERROR };
	int rc;

	if (!cfs_guarded(open_converters, &c))
		rc = cfs_error_nomem(err);
	else if (U_FAILURE(c.code))
		rc = cfs_error_set(err, CFS_ENOMEM, "no converter: %s",
				   u_errorName(c.code));
	else
		rc = convert(c.from, c.to, s, pages, out, err);
	ucnv_close(c.to);
	ucnv_close(c.from);
	return rc;
}

struct cfs_slice cfs_charset_skip_mark(const struct cfs_charset *cs,
				       struct cfs_slice bytes)
{
	if (strcmp(cs->icu, "UTF-8") == 0 && cfs_slice_starts(bytes, mark))
		return cfs_slice_from(bytes, mark.n);
	return bytes;
}

bool cfs_charset_is_utf8(const struct cfs_charset *cs, struct cfs_slice bytes,
			 enum cfs_pages pages)
{
	if (cs->no_memory)
		return false;
	if (strcmp(cs->icu, "UTF-8") == 0)
		return cfs_charset_scan_utf8(bytes, pages);
	return is_plain(cs->icu, bytes, pages);
}

static int add_as_is(struct cfs_slice s, enum cfs_pages pages,
		     struct cfs_buf *out)
{
	int rc = out->spill == NULL ? cfs_buf_reserve(out, s.n) : CFS_OK;

	while (rc == CFS_OK && s.n > 0) {
		struct cfs_slice range = cfs_slice_sub(s, 0, CFS_SPILL_STEP);

		rc = cfs_buf_add(out, range);
		pass(range, pages, out);
		s = cfs_slice_from(s, range.n);
	}
	return rc;
}

int cfs_charset_to_utf8(const struct cfs_charset *cs, struct cfs_slice bytes,
			enum cfs_pages pages, struct cfs_buf *out,
			struct cfs_error *err)
{
	size_t start = out->n;
	int rc;

	if (cs->no_memory)
		return cfs_error_nomem(err);
	bytes = cfs_charset_skip_mark(cs, bytes);
	if (cfs_charset_is_utf8(cs, bytes, pages))
		return add_as_is(bytes, pages, out) == CFS_OK ?
		       CFS_OK : no_room(out, err);
	if (convert_by_hand(cs->icu, bytes, pages, out))
		return out->failed == CFS_OK ? CFS_OK :
			       no_room(out, err);
	rc = convert_by_icu(cs->icu, bytes, pages, out, err);
	if (rc == CFS_OK && strcmp(cs->icu, "UTF-8") != 0 &&
	    cfs_slice_starts(cfs_slice_from(cfs_buf_slice(out), start), mark)) {
		out->n -= 3;
		memmove(out->p + start, out->p + start + 3, out->n - start);
	}
	return rc;
}
