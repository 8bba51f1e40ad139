/* json.c - reads values from JSON texts, and writes JSON (RFC 8259).
 *
 * Reading is one pass without recursion: objects on the way to a wanted value
 * are entered, at most CFS_JSON_PATH_MAX deep; all else is skipped by counting
 * brackets outside strings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/swar.h"
#include "base/timestamp.h"
#include "base/utf8.h"

/* ---- reading: strings ---- */

/* The code unit that four hex digits give; -1 if s does not begin with them. */
static int32_t code_unit(struct cfs_slice s)
{
	int32_t v = 0;

	for (size_t i = 0; i < 4; i++) {
		int d = i < s.n ? cfs_xdigit_value(s.p[i]) : -1;

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* Appends the character whose escape continues in s, behind "\u".  Returns the
 * bytes used. */
static size_t add_code(struct cfs_buf *out, struct cfs_slice s)
{
	int32_t c = code_unit(s), low = -1;

	if (c >= 0xd800 && c < 0xdc00 && s.n > 6 && s.p[4] == '\\' &&
	    s.p[5] == 'u')
		low = code_unit(cfs_slice_from(s, 6));
	if (low >= 0xdc00 && low < 0xe000) {
		cfs_utf8_add(out, 0x10000u + ((uint32_t)(c - 0xd800) << 10) +
				  (uint32_t)(low - 0xdc00));
		return 10;
	}
	if (c == 0)
		cfs_buf_addc(out, 0);
	else
		cfs_utf8_add(out, c < 0 ? CFS_UTF8_REPLACEMENT : (uint32_t)c);
	return c < 0 ? 0 : 4;
}

int cfs_json_add_text(struct cfs_buf *out, struct cfs_json_text t)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	struct cfs_slice s = t.s;

	if (!t.escaped)
		return cfs_buf_add(out, s);
	while (s.n > 0) {
		ptrdiff_t at = cfs_slice_find(s, '\\');
		const char *letter;
		uint8_t c;

		cfs_buf_add(out, cfs_slice_sub(s, 0, (size_t)at));
		if (at < 0 || (size_t)at + 1 >= s.n)
			break;
		c = s.p[at + 1];
		s = cfs_slice_from(s, (size_t)at + 2);
		letter = memchr(letters, c, sizeof(letters) - 1);
		if (c == 'u')
			s = cfs_slice_from(s, add_code(out, s));
		else
			cfs_buf_addc(out, letter == NULL ? c :
				     (uint8_t)meant[letter - letters]);
	}
	return out->failed;
}

/* ---- reading: front to back ---- */

void cfs_json_skip_blanks(struct cfs_slice *s)
{
	while (s->n > 0 && (s->p[0] == ' ' || s->p[0] == '\t' ||
			    s->p[0] == '\n' || s->p[0] == '\r'))
		*s = cfs_slice_from(*s, 1);
}

/* Takes a string with its quotes.  Both searches only move forward, so time is
 * linear even in a string full of escapes. */
static bool take_string(struct cfs_slice *s, struct cfs_json_text *out)
{
	const uint8_t *p = s->p + 1, *end = s->p + s->n, *quote;

	out->escaped = false;
	if (s->n < 2 || s->p[0] != '"')
		return false;
	quote = memchr(p, '"', (size_t)(end - p));
	while (quote != NULL) {
		const uint8_t *back = memchr(p, '\\', (size_t)(quote - p));

		if (back == NULL)
			break;
		out->escaped = true;
		if (end - back < 3)
			return false;
		p = back + 2;		/* past the escaped byte */
		if (p > quote)		/* which was the quote */
			quote = memchr(p, '"', (size_t)(end - p));
	}
	if (quote == NULL)
		return false;
	out->s = cfs_slice_of(s->p + 1, (size_t)(quote - s->p) - 1);
	*s = cfs_slice_from(*s, out->s.n + 2);
	return true;
}

/* Skips an object or array; strings in it may contain brackets. */
static bool skip_nested(struct cfs_slice *s)
{
	struct cfs_json_text text;
	size_t depth = 0;

	while (s->n > 0) {
		uint8_t c = s->p[0];

		if (c == '"') {
			if (!take_string(s, &text))
				return false;
			continue;
		}
		*s = cfs_slice_from(*s, 1);
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return true;
	}
	return false;
}

bool cfs_json_take_name(struct cfs_slice *s, struct cfs_json_text *out)
{
	cfs_json_skip_blanks(s);
	if (!take_string(s, out))
		return false;
	cfs_json_skip_blanks(s);
	if (s->n == 0 || s->p[0] != ':')
		return false;
	*s = cfs_slice_from(*s, 1);
	cfs_json_skip_blanks(s);
	return true;
}

bool cfs_json_take_value(struct cfs_slice *s, struct cfs_json_text *out)
{
	size_t n = 0;

	*out = (struct cfs_json_text){ CFS_SLICE_EMPTY, false };
	if (s->n == 0)
		return false;
	if (s->p[0] == '"')
		return take_string(s, out);
	if (s->p[0] == '{' || s->p[0] == '[')
		return skip_nested(s);
	while (n < s->n && s->p[n] != ',' && s->p[n] != '}' && s->p[n] != ']')
		n++;
	out->s = cfs_slice_trim(cfs_slice_take(s, n));
	return true;
}

int cfs_json_next(struct cfs_slice *s, char bracket,
		  struct cfs_json_member *out)
{
	const uint8_t open = (uint8_t)bracket, close = open + 2;
	bool is_first;

	*out = (struct cfs_json_member){ .name.s = CFS_SLICE_EMPTY,
					 .written = CFS_SLICE_EMPTY };
	cfs_json_skip_blanks(s);
	is_first = s->n > 0 && s->p[0] == open;
	if (s->n == 0 || (!is_first && s->p[0] != ',' && s->p[0] != close))
		return CFS_EFORMAT;
	if (s->p[0] != close) {
		*s = cfs_slice_from(*s, 1);
		cfs_json_skip_blanks(s);
	}
	if (s->n > 0 && s->p[0] == close) {
		*s = cfs_slice_from(*s, 1);
		return CFS_END;
	}
	if (open == '{' && !cfs_json_take_name(s, &out->name))
		return CFS_EFORMAT;
	out->written = *s;
	if (!cfs_json_take_value(s, &out->value))
		return CFS_EFORMAT;
	out->written.n = (size_t)(s->p - out->written.p);
	return out->written.n > 0 ? CFS_OK : CFS_EFORMAT;
}

struct cfs_slice cfs_json_member_of(struct cfs_slice object, const char *name)
{
	struct cfs_slice want = cfs_slice_str(name);
	struct cfs_json_member m;
	int rc;

	do {
		rc = cfs_json_next(&object, '{', &m);
		if (rc != CFS_END && cfs_slice_eq(m.name.s, want))
			return m.written;
	} while (rc == CFS_OK);
	return CFS_SLICE_EMPTY;
}

/* ---- reading: picking ---- */

struct pick {
	struct cfs_slice rest;
	struct cfs_slice comp[CFS_JSON_PICKS_MAX][CFS_JSON_PATH_MAX];
	unsigned depth[CFS_JSON_PICKS_MAX];
	size_t n;
	struct cfs_slice *out;
};

static void split_path(struct pick *k, size_t i, const char *path)
{
	struct cfs_slice s = cfs_slice_str(path);

	while (s.n > 0) {
		assert(k->depth[i] < CFS_JSON_PATH_MAX);
		k->comp[i][k->depth[i]++] = cfs_slice_split(&s, '/');
	}
}

/* Skips blanks and returns the next byte without taking it; 0 at the end (no
 * JSON text contains NUL). */
static uint8_t json_peek(struct pick *k)
{
	cfs_json_skip_blanks(&k->rest);
	return k->rest.n > 0 ? k->rest.p[0] : 0;
}

static void json_step(struct pick *k)
{
	k->rest = cfs_slice_from(k->rest, 1);
}

/* The subset of the paths in `set` that continue with this name. */
static unsigned json_narrow(const struct pick *k, unsigned set, unsigned depth,
			    struct cfs_slice name)
{
	unsigned out = 0;

	for (size_t i = 0; i < k->n; i++)
		if ((set & 1u << i) && depth < k->depth[i] &&
		    cfs_slice_eq(k->comp[i][depth], name))
			out |= 1u << i;
	return out;
}

/* Takes a value that is not an object to enter, and stores it if a path ends
 * here.  depth: components of the path so far. */
static bool pick_value(struct pick *k, unsigned set, unsigned depth)
{
	struct cfs_json_text v;
	uint8_t c = json_peek(k);

	if (!cfs_json_take_value(&k->rest, &v))
		return false;
	if (c == '{' || c == '[')
		return true;
	for (size_t i = 0; i < k->n; i++)
		if ((set & 1u << i) && k->depth[i] == depth)
			k->out[i] = v.s;
	return c == '"' || v.s.n > 0;
}

/* True if a path in `set` leads further down. */
static bool leads_down(const struct pick *k, unsigned set, unsigned depth)
{
	for (size_t i = 0; i < k->n; i++)
		if ((set & 1u << i) && k->depth[i] > depth)
			return true;
	return false;
}

/* Walks through the object at the front of k->rest. */
static bool json_walk(struct pick *k)
{
	unsigned sets[CFS_JSON_PATH_MAX + 1], depth = 0, set;
	struct cfs_json_text name;

	sets[0] = (1u << k->n) - 1;
	json_step(k);			/* { */
	for (;;) {
		uint8_t c = json_peek(k);

		if (c == '}' || c == ',') {
			json_step(k);
			if (c == '}' && depth-- == 0)
				return true;
			continue;
		}
		if (!cfs_json_take_name(&k->rest, &name))
			return false;
		set = json_narrow(k, sets[depth], depth, name.s);
		if (json_peek(k) == '{' && leads_down(k, set, depth + 1)) {
			json_step(k);
			sets[++depth] = set;
		} else if (!pick_value(k, set, depth + 1)) {
			return false;
		}
	}
}

bool cfs_json_pick(struct cfs_slice json, const char *const *paths, size_t n,
		   struct cfs_slice *out)
{
	struct pick k = { .rest = json, .n = n, .out = out };

	assert(n <= CFS_JSON_PICKS_MAX);
	for (size_t i = 0; i < n; i++) {
		out[i] = CFS_SLICE_EMPTY;
		split_path(&k, i, paths[i]);
	}
	return json_peek(&k) == '{' && json_walk(&k);
}

/* ---- writing ---- */

#define DEPTH_AT_ONCE 8u

static void new_line(struct cfs_json *j)
{
	static const char blanks[2 + 2 * DEPTH_AT_ONCE] = "\n                ";
	unsigned at_once;

	if (j->compact)
		return;
	at_once = j->depth < DEPTH_AT_ONCE ? j->depth : DEPTH_AT_ONCE;
	cfs_buf_append(j->out, blanks, 1 + 2 * at_once);
	for (unsigned i = at_once; i < j->depth; i++)
		cfs_buf_append(j->out, "  ", 2);
}

void cfs_json_item(struct cfs_json *j)
{
	if (!j->first)
		cfs_buf_addc(j->out, ',');
	j->first = false;
	new_line(j);
}

void cfs_json_key(struct cfs_json *j, struct cfs_slice name)
{
	cfs_json_item(j);
	cfs_json_str(j, name);
	cfs_buf_append(j->out, ": ", j->compact ? 1 : 2);
}

void cfs_json_open(struct cfs_json *j, char bracket)
{
	cfs_buf_addc(j->out, (uint8_t)bracket);
	j->depth++;
	j->first = true;
}

void cfs_json_begin(struct cfs_json *j, const char *key, char bracket)
{
	if (key != NULL)
		cfs_json_key(j, cfs_slice_str(key));
	else if (j->depth > 0)
		cfs_json_item(j);
	cfs_json_open(j, bracket);
}

void cfs_json_close(struct cfs_json *j, char bracket)
{
	j->depth--;
	if (!j->first)
		new_line(j);
	cfs_buf_addc(j->out, (uint8_t)bracket);
	j->first = false;
}

void cfs_json_line_begin(struct cfs_json *j, struct cfs_buf *out)
{
	*j = (struct cfs_json){ .out = out, .compact = true };
	cfs_json_open(j, '{');
}

void cfs_json_line_end(struct cfs_json *j)
{
	cfs_json_close(j, '}');
	cfs_buf_addc(j->out, '\n');
}

static void add_control(struct cfs_buf *out, uint8_t c)
{
	static const char letters[] = "btn-fr";	/* for bytes 8 to 13 */

	if (c >= 8 && c <= 13 && c != 11) {
		cfs_buf_addc(out, '\\');
		cfs_buf_addc(out, (uint8_t)letters[c - 8]);
	} else {
		cfs_buf_addf(out, "\\u%04X", c);
	}
}

static inline bool json_are_plain(uint64_t eight)
{
	return cfs_swar_are_ascii_from(eight, ' ') &&
	       !cfs_swar_have(eight, '"') && !cfs_swar_have(eight, '\\');
}

/* True for a character, not of ASCII, of C1, which terminals obey. */
static bool is_c1(const uint8_t *p)
{
	return p[0] == 0xc2 && p[1] < 0xa0;
}

/* The number of bytes at the start of s that need no escape. */
static size_t plain_run(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n) {
		const uint8_t *p = s.p + n;

		if (*p >= 0x80) {
			size_t len = cfs_utf8_len(cfs_slice_from(s, n));

			if (len == 0 || is_c1(p))
				break;
			n += len;
		} else if (n + 8 <= s.n && json_are_plain(cfs_swar_at(p))) {
			n += 8;
		} else if (*p >= ' ' && *p != '"' && *p != '\\') {
			n++;
		} else {
			break;
		}
	}
	return n;
}

void cfs_json_str(struct cfs_json *j, struct cfs_slice s)
{
	cfs_buf_addc(j->out, '"');
	cfs_json_inside(j, s);
	cfs_buf_addc(j->out, '"');
}

void cfs_json_words(struct cfs_json *j, struct cfs_slice words, uint8_t between)
{
	cfs_json_open(j, '[');
	while (words.n > 0) {
		cfs_json_item(j);
		cfs_json_str(j, cfs_slice_split(&words, between));
	}
	cfs_json_close(j, ']');
}

void cfs_json_put_words(struct cfs_json *j, const char *key,
			struct cfs_slice words, uint8_t between)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_json_words(j, words, between);
}

void cfs_json_inside(struct cfs_json *j, struct cfs_slice s)
{
	struct cfs_buf *out = j->out;

	while (s.n > 0) {
		size_t n = plain_run(s);

		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = cfs_utf8_len(s);
		if (n == 0 || s.p[0] == 0) {
			cfs_buf_append(out, "\xef\xbf\xbd", 3);
			n = 1;
		} else if (n > 1) {
			cfs_buf_addf(out, "\\u%04X", s.p[1]);	/* C1 */
		} else if (s.p[0] < ' ') {
			add_control(out, s.p[0]);
		} else {
			cfs_buf_addc(out, '\\');
			cfs_buf_addc(out, s.p[0]);
		}
		s = cfs_slice_from(s, n);
	}
}

void cfs_json_uint(struct cfs_json *j, uint64_t v)
{
	uint8_t digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = (uint8_t)('0' + v % 10);
	while ((v /= 10) > 0);
	cfs_buf_append(j->out, digits + n, sizeof(digits) - n);
}

void cfs_json_put_int(struct cfs_json *j, const char *key, int64_t v)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_buf_addf(j->out, "%" PRId64, v);
}

void cfs_json_put_wide_int(struct cfs_json *j, const char *key, int64_t v)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_buf_addf(j->out, "%*" PRId64, j->compact ? 0 : 20, v);
}

void cfs_json_put_bool(struct cfs_json *j, const char *key, bool v)
{
	cfs_json_key(j, cfs_slice_str(key));
	cfs_buf_adds(j->out, v ? "true" : "false");
}

void cfs_json_put_time(struct cfs_json *j, const char *key, int64_t t)
{
	char text[CFS_TIME_ISO_BYTES];

	cfs_json_key(j, cfs_slice_str(key));
	cfs_buf_addc(j->out, '"');
	cfs_buf_adds(j->out, cfs_time_format_iso(t, text));
	cfs_buf_addc(j->out, '"');
}

/* ---- writing: strings of ASCII ---- */

/* The number of bytes at the start of s that need no escape in ASCII. */
static size_t ascii_run(struct cfs_slice s)
{
	size_t n = 0;

	while (n + 8 <= s.n && json_are_plain(cfs_swar_at(s.p + n)) &&
	       !cfs_swar_have(cfs_swar_at(s.p + n), 0x7f))
		n += 8;
	while (n < s.n && s.p[n] >= ' ' && s.p[n] < 0x7f && s.p[n] != '"' &&
	       s.p[n] != '\\')
		n++;
	return n;
}

static void add_unit(struct cfs_buf *out, uint32_t u)
{
	cfs_buf_addf(out, "\\u%04x", u);
}

static void add_code_point(struct cfs_buf *out, uint32_t cp)
{
	if (cp == '"' || cp == '\\') {
		cfs_buf_addc(out, '\\');
		cfs_buf_addc(out, (uint8_t)cp);
	} else if (cp < 0x10000) {
		add_unit(out, cp);
	} else {
		add_unit(out, 0xd7c0 + (cp >> 10));
		add_unit(out, 0xdc00 | (cp & 0x3ff));
	}
}

static void add_odd(struct cfs_buf *out, uint8_t c, enum cfs_json_odd odd)
{
	switch (odd) {
	case CFS_JSON_ODD_REPLACED:
		add_unit(out, CFS_UTF8_REPLACEMENT);
		break;
	case CFS_JSON_ODD_PERCENT:
		cfs_percent_add(out, c);
		break;
	case CFS_JSON_ODD_SURROGATE:
		add_unit(out, 0xdc00u + c);
		break;
	}
}

void cfs_json_add_ascii(struct cfs_buf *out, struct cfs_slice s,
			enum cfs_json_odd odd)
{
	cfs_buf_addc(out, '"');
	for (;;) {
		size_t n = ascii_run(s);
		uint32_t cp = 0;

		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = cfs_utf8_decode(s, &cp);
		if (n > 0)
			add_code_point(out, cp);
		else
			add_odd(out, s.p[0], odd);
		s = cfs_slice_from(s, n > 0 ? n : 1);
	}
	cfs_buf_addc(out, '"');
}

void cfs_json_add_escaped(struct cfs_buf *out, struct cfs_slice json)
{
	while (json.n > 0) {
		size_t n = 0;
		uint32_t cp = CFS_UTF8_REPLACEMENT;

		while (n < json.n && json.p[n] < 0x7f)
			n++;
		cfs_buf_append(out, json.p, n);
		json = cfs_slice_from(json, n);
		if (json.n == 0)
			break;
		n = cfs_utf8_decode(json, &cp);
		add_code_point(out, cp);
		json = cfs_slice_from(json, n > 0 ? n : 1);
	}
}

/* ---- copying ---- */

static size_t digits(struct cfs_slice s, size_t at)
{
	return cfs_slice_run(cfs_slice_from(s, at), cfs_is_digit);
}

/* RFC 8259, section 6. */
static bool json_is_number(struct cfs_slice s)
{
	size_t at = s.n > 0 && s.p[0] == '-', n = digits(s, at);

	if (n == 0 || (n > 1 && s.p[at] == '0'))
		return false;
	at += n;
	if (at < s.n && s.p[at] == '.') {
		n = digits(s, at + 1);
		at += n + 1;
		if (n == 0)
			return false;
	}
	if (at < s.n && (s.p[at] | 0x20) == 'e') {
		at++;
		at += at < s.n && (s.p[at] == '+' || s.p[at] == '-');
		n = digits(s, at);
		at += n;
		if (n == 0)
			return false;
	}
	return at == s.n;
}

static bool json_is_word(uint8_t c)
{
	return cfs_is_alnum(c) || c == '-' || c == '+' || c == '.';
}

static bool copy_word(struct cfs_json *j, struct cfs_slice *s)
{
	size_t n = cfs_slice_run(*s, json_is_word);
	struct cfs_slice word = cfs_slice_take(s, n);

	cfs_buf_add(j->out, word);
	return json_is_number(word) || cfs_slice_eq(word, CFS_SLICE_LIT("null")) ||
	       cfs_slice_eq(word, CFS_SLICE_LIT("true")) ||
	       cfs_slice_eq(word, CFS_SLICE_LIT("false"));
}

/* Writes a string that was read, as a name or as a value. */
static void json_put_text(struct cfs_json *j, struct cfs_json_text t,
			  bool is_name)
{
	struct cfs_slice s = t.s;
	CFS_BUF(plain, SIZE_MAX);

	if (t.escaped) {
		if (cfs_json_add_text(&plain, t) != CFS_OK)
			j->out->failed = CFS_ENOMEM;
		s = cfs_buf_slice(&plain);
	}
	if (is_name)
		cfs_json_key(j, s);
	else
		cfs_json_str(j, s);
}

static bool copy_name(struct cfs_json *j, struct cfs_slice *s)
{
	struct cfs_json_text name;

	if (!cfs_json_take_name(s, &name))
		return false;
	json_put_text(j, name, true);
	return true;
}

/* Skips blanks and takes the next byte; 0 at the end. */
static uint8_t take_byte(struct cfs_slice *s)
{
	uint8_t c;

	cfs_json_skip_blanks(s);
	c = s->n > 0 ? s->p[0] : 0;
	*s = cfs_slice_from(*s, 1);
	return c;
}

/* Copies a string, number or word, or the start of an object or array; *open is
 * then its bracket, otherwise 0. */
static bool copy_start(struct cfs_json *j, struct cfs_slice *s, char *open)
{
	struct cfs_json_text text;

	*open = 0;
	cfs_json_skip_blanks(s);
	if (s->n > 0 && (s->p[0] == '{' || s->p[0] == '[')) {
		*open = (char)take_byte(s);
		cfs_json_open(j, *open);
		return true;
	}
	if (s->n == 0 || s->p[0] != '"')
		return copy_word(j, s);
	if (!take_string(s, &text))
		return false;
	json_put_text(j, text, false);
	return true;
}

/* Copies what stands between two values: closing brackets, a comma, a name.
 * is_first: the last thing copied was an opening bracket.  *depth becomes 0
 * when the outermost object or array has ended. */
static bool copy_between(struct cfs_json *j, struct cfs_slice *s,
			 const char *brackets, unsigned *depth, bool is_first)
{
	while (*depth > 0) {
		char close = brackets[*depth - 1] == '{' ? '}' : ']';
		struct cfs_slice before = *s;
		uint8_t c = take_byte(s);

		if (c != (uint8_t)close) {
			if (is_first)
				*s = before;
			else if (c != ',')
				return false;
			if (close == '}')
				return copy_name(j, s);
			cfs_json_item(j);
			return true;
		}
		cfs_json_close(j, close);
		--*depth;
		is_first = false;
	}
	return true;
}

bool cfs_json_copy(struct cfs_json *j, struct cfs_slice *s)
{
	char brackets[CFS_JSON_COPY_DEPTH], open;
	unsigned depth = 0;

	do {
		if (!copy_start(j, s, &open))
			return false;
		if (open != 0 && depth == CFS_JSON_COPY_DEPTH)
			return false;
		if (open != 0)
			brackets[depth++] = open;
		if (!copy_between(j, s, brackets, &depth, open != 0))
			return false;
	} while (depth > 0);
	return true;
}

bool cfs_json_copy_members(struct cfs_json *j, struct cfs_slice object)
{
	struct cfs_slice s = object, before;
	uint8_t c;

	if (take_byte(&s) != '{')
		return false;
	before = s;
	if (take_byte(&s) == '}')
		return true;
	s = before;
	do {
		if (!copy_name(j, &s) || !cfs_json_copy(j, &s))
			return false;
		c = take_byte(&s);
	} while (c == ',');
	return c == '}';
}
