/* char_class.c - classes of POSIX as PCRE2 can have them: what the C library
 * counts among them, by a property of Unicode and what that lacks.
 *
 * PCRE2 and the C library may know different versions of Unicode.  So the
 * property is asked which characters have it, and stands for the class only if
 * the class has all of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "matcher_internal.h"

#include <stdlib.h>
#include <wctype.h>

#include "base/utf8.h"

#define CHARS_END 0x110000u
/* Letters are below it; a property is asked of these. */
#define ASKED_END 0x40000u
#define PROPERTY_BYTES 64u

static bool is_char(uint32_t c)
{
	return c < 0xd800 || c > 0xdfff;
}

/* All characters that are asked, in order. */
static void add_asked(struct cfs_buf *out)
{
	uint8_t utf8[4];

	for (uint32_t c = 0x80; c < ASKED_END; c++)
		if (is_char(c))
			cfs_buf_append(out, utf8, cfs_utf8_put(utf8, c));
}

/* Sets has[c] for each character that a code matches a run of. */
static void mark_runs(const pcre2_code *code, struct cfs_slice chars,
		      bool *has)
{
	pcre2_match_data *m = pcre2_match_data_create(1, NULL);
	size_t at = 0;

	while (m != NULL && pcre2_match(code, chars.p, chars.n, at,
					PCRE2_NO_UTF_CHECK, m, NULL) > 0) {
		const PCRE2_SIZE *run = pcre2_get_ovector_pointer(m);
		uint32_t c;

		for (at = run[0]; at < run[1];) {
			at += cfs_utf8_decode(cfs_slice_from(chars, at), &c);
			has[c] = true;
		}
	}
	pcre2_match_data_free(m);
}

/* The characters with a property, as flags; NULL: it cannot be asked, or has
 * characters that the class has not. */
static bool *ask_property(const char *property, wctype_t type, locale_t locale)
{
	bool *has = calloc(ASKED_END, sizeof(*has));
	pcre2_code *code = NULL;
	PCRE2_SIZE at;
	int error;
	CFS_BUF(chars, 4 * (size_t)ASKED_END);
	CFS_BUF(pattern, PROPERTY_BYTES);

	add_asked(&chars);
	cfs_buf_addf(&pattern, "%s+", property);
	if (has != NULL && chars.failed == CFS_OK && pattern.failed == CFS_OK)
		code = pcre2_compile(pattern.p, pattern.n, PCRE2_UTF, &error,
				     &at, NULL);
	if (code != NULL)
		mark_runs(code, cfs_buf_slice(&chars), has);
	for (uint32_t c = 0x80; code != NULL && c < ASKED_END; c++) {
		if (has[c] && iswctype_l((wint_t)c, type, locale) == 0) {
			pcre2_code_free(code);
			code = NULL;
		}
	}
	if (code == NULL) {
		free(has);
		has = NULL;
	}
	pcre2_code_free(code);
	return has;
}

static const struct {
	const char *name, *ascii;
	bool is_wide;
	const char *property;	/* NULL: none is nearly the same */
} rows[CFS_CHAR_CLASSES] = {
	{ "alpha", "A-Za-z", true, "\\p{Alphabetic}" },
	{ "digit", "0-9", false, NULL },
	{ "alnum", "A-Za-z0-9\\p{Alphabetic}\\p{Nd}", false, NULL },
	{ "upper", "A-Z", true, "\\p{Uppercase}" },
	{ "lower", "a-z", true, "\\p{Lowercase}" },
	{ "space", "\\x{9}\\x{b}-\\x{d}\\x{20}", true, NULL },
	{ "blank", "\\x{9}\\x{20}", true, NULL },
	{ "punct", "!-\\x{2f}\\x{3a}-@\\x{5b}-`{-~", true, NULL },
	{ "print", "\\x{20}-~", true, NULL },
	{ "graph", "!-~", true, NULL },
	{ "cntrl", "\\x{0}-\\x{9}\\x{b}-\\x{1f}\\x{7f}", true, NULL },
	{ "xdigit", "0-9A-Fa-f", false, NULL },
};

/* Appends the characters of a class beyond ASCII. */
static void add_wide(struct cfs_buf *out, const char *name,
		     const char *property, locale_t locale)
{
	wctype_t type = wctype_l(name, locale);
	bool *has = property != NULL ? ask_property(property, type, locale) :
				       NULL;
	uint32_t from = 0;

	if (has != NULL)
		cfs_buf_adds(out, property);
	for (uint32_t c = 0x80; c <= CHARS_END; c++) {
		bool is_in = c < CHARS_END && is_char(c) &&
			     !(has != NULL && c < ASKED_END && has[c]) &&
			     iswctype_l((wint_t)c, type, locale) != 0;

		if (is_in && from == 0) {
			from = c;
		} else if (!is_in && from != 0) {
			cfs_buf_addf(out, "\\x{%x}-\\x{%x}", (unsigned)from,
				     (unsigned)(c - 1));
			from = 0;
		}
	}
	free(has);
}

int cfs_char_classes_init(struct cfs_char_classes *c, struct cfs_error *err)
{
	for (size_t i = 0; i < CFS_CHAR_CLASSES; i++)
		cfs_buf_init(&c->text[i], SIZE_MAX / 2);
	c->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (c->locale == (locale_t)0)
		c->locale = newlocale(LC_CTYPE_MASK, "C", (locale_t)0);
	return c->locale != (locale_t)0 ? CFS_OK : cfs_error_nomem(err);
}

void cfs_char_classes_release(struct cfs_char_classes *c)
{
	for (size_t i = 0; i < CFS_CHAR_CLASSES; i++)
		cfs_buf_release(&c->text[i]);
	freelocale(c->locale);
}

bool cfs_char_class_add(struct cfs_char_classes *c, struct cfs_slice name,
			struct cfs_buf *out)
{
	for (size_t i = 0; i < CFS_CHAR_CLASSES; i++) {
		struct cfs_buf *text = &c->text[i];

		if (!cfs_slice_eq(name, cfs_slice_str(rows[i].name)))
			continue;
		/* asking for all characters takes some 10 ms */
		if (text->n == 0) {
			cfs_buf_adds(text, rows[i].ascii);
			if (rows[i].is_wide)
				add_wide(text, rows[i].name, rows[i].property,
					 c->locale);
		}
		cfs_buf_add(out, cfs_buf_slice(text));
		if (text->failed != CFS_OK)
			out->failed = text->failed;
		return true;
	}
	return false;
}
