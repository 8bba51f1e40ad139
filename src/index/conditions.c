/* conditions.c - parses the conditions by which captures are picked, and checks
 * captures against them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "conditions.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mime.h"

void cfs_conditions_init(struct cfs_conditions *c)
{
	*c = (struct cfs_conditions){ .has_status = false };
	cfs_buf_init(&c->mimes, CFS_CONDITIONS_TEXT_MAX);
	cfs_buf_init(&c->languages, CFS_CONDITIONS_TEXT_MAX);
}

void cfs_conditions_release(struct cfs_conditions *c)
{
	cfs_buf_release(&c->mimes);
	cfs_buf_release(&c->languages);
}

int cfs_conditions_copy(struct cfs_conditions *out,
			const struct cfs_conditions *c)
{
	*out = *c;
	cfs_buf_init(&out->mimes, CFS_CONDITIONS_TEXT_MAX);
	cfs_buf_init(&out->languages, CFS_CONDITIONS_TEXT_MAX);
	cfs_buf_add(&out->mimes, cfs_buf_slice(&c->mimes));
	cfs_buf_add(&out->languages, cfs_buf_slice(&c->languages));
	return out->mimes.failed != CFS_OK ? out->mimes.failed :
					     out->languages.failed;
}

/* ---- parsing ------------------------------------------------------------ */

static int conditions_refuse(struct cfs_error *err, struct cfs_slice item,
			     const char *what)
{
	return cfs_error_set(err, CFS_EUSAGE, "'%.*s' is %s",
			     (int)(item.n < 100 ? item.n : 100),
			     (const char *)item.p, what);
}

/* Takes the next item of a list; false at its end.  An empty list has one empty
 * item, which is refused like any other. */
static bool take_item(struct cfs_slice *rest, bool *more,
		      struct cfs_slice *item)
{
	size_t n = cfs_slice_find_any(*rest, 0, ",:");

	if (!*more)
		return false;
	*more = n < rest->n;
	*item = cfs_slice_trim(cfs_slice_sub(*rest, 0, n));
	*rest = cfs_slice_from(*rest, n + 1 < rest->n ? n + 1 : rest->n);
	return true;
}

/* "200", "2xx" or "300-399". */
static bool parse_statuses(struct cfs_slice s, uint64_t *lo, uint64_t *hi)
{
	struct cfs_slice first = cfs_slice_split(&s, '-');

	if (first.n == 3 && s.n == 0 &&
	    cfs_slice_eq_nocase(cfs_slice_from(first, 1),
				CFS_SLICE_LIT("xx"))) {
		*lo = 100u * (unsigned)(first.p[0] - '0');
		*hi = *lo + 99;
		return first.p[0] >= '1' && first.p[0] <= '9';
	}
	if (cfs_slice_parse_u64(first, CFS_STATUS_MAX, lo) != CFS_OK)
		return false;
	*hi = *lo;
	return s.n == 0 ||
	       (cfs_slice_parse_u64(s, CFS_STATUS_MAX, hi) == CFS_OK &&
		*lo <= *hi);
}

int cfs_conditions_add_status(struct cfs_conditions *c, const char *list,
			      struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(list), item;
	bool more = true;

	while (take_item(&rest, &more, &item)) {
		uint64_t lo, hi;

		if (!parse_statuses(item, &lo, &hi))
			return conditions_refuse(err, item,
						 "not a status such as 200, 2xx "
						 "or 300-399");
		for (uint64_t i = lo; i <= hi; i++)
			c->status[i / 64] |= UINT64_C(1) << i % 64;
	}
	c->has_status = true;
	return CFS_OK;
}

/* 0, or why the text could not be stored. */
static int stored(const struct cfs_buf *b, struct cfs_error *err)
{
	if (b->failed == CFS_ELIMIT)
		return cfs_error_set(err, CFS_EUSAGE, "the list is too long");
	return b->failed == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

int cfs_conditions_add_mime(struct cfs_conditions *c, const char *list,
			    struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(list), item;
	bool more = true;

	while (take_item(&rest, &more, &item)) {
		if (item.n == 0 || item.n > CFS_MIME_MAX)
			return conditions_refuse(err, item,
						 "not a type such as "
						 "application/pdf, image/* or "
						 "pdf");
		if (cfs_slice_find(item, '/') < 0)
			cfs_buf_adds(&c->mimes, "*/");
		for (size_t i = 0; i < item.n; i++)
			cfs_buf_addc(&c->mimes, cfs_ascii_lower(item.p[i]));
		cfs_buf_addc(&c->mimes, '\0');
	}
	return stored(&c->mimes, err);
}

/* Appends the code of a language of two or three letters; false if there is
 * none. */
static bool add_language(struct cfs_buf *out, struct cfs_slice name)
{
	char code[CFS_LANGUAGE_BYTES + 1] = "";

	for (size_t i = 0; i < name.n && i < CFS_LANGUAGE_BYTES; i++) {
		if (!cfs_is_alpha(name.p[i]))
			return false;
		code[i] = (char)cfs_ascii_lower(name.p[i]);
	}
	if (name.n == CFS_LANGUAGE_BYTES)
		cfs_buf_adds(out, code);
	else if (name.n != 2 || cfs_language_code(code)[0] == '\0')
		return false;
	else
		cfs_buf_adds(out, cfs_language_code(code));
	return true;
}

int cfs_conditions_add_languages(struct cfs_conditions *c, const char *list,
				 struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(list), item;
	bool more = true;

	if (cfs_slice_starts_nocase(rest, CFS_SLICE_LIT("any:"))) {
		rest = cfs_slice_from(rest, 4);
		c->any_language = true;
	}
	while (take_item(&rest, &more, &item)) {
		if (!add_language(&c->languages, item))
			return conditions_refuse(err, item,
						 "not a language of ISO 639 "
						 "such as eng, deu or de");
	}
	return stored(&c->languages, err);
}

/* ---- captures ----------------------------------------------------------- */

unsigned cfs_conditions_given(const struct cfs_conditions *c)
{
	unsigned given = 0;

	if (c->dates.has_from || c->dates.has_to)
		given |= CFS_CONDITION_TIME;
	if (c->has_status)
		given |= CFS_CONDITION_STATUS;
	if (c->mimes.n > 0)
		given |= CFS_CONDITION_MIME;
	if (c->languages.n > 0)
		given |= CFS_CONDITION_LANGUAGE;
	return given;
}

/* True if the pattern, in lower case, matches the whole text.  After a mismatch
 * only the last star is tried again: at most their lengths multiplied. */
static bool matches(const char *pattern, struct cfs_slice text)
{
	const char *star = NULL;
	size_t i = 0, from = 0;

	while (i < text.n) {
		if (*pattern == '*') {
			star = ++pattern;
			from = i;
		} else if (*pattern == (char)cfs_ascii_lower(text.p[i])) {
			pattern++;
			i++;
		} else if (star != NULL) {
			pattern = star;
			i = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

struct cfs_slice cfs_traits_type(const struct cfs_traits *t)
{
	return cfs_slice_sub(cfs_mime_type(t->mime), 0, CFS_MIME_MAX);
}

static bool has_mime(const struct cfs_conditions *c, struct cfs_slice type)
{
	const char *m = (const char *)c->mimes.p, *end = m + c->mimes.n;

	for (; m < end; m += strlen(m) + 1)
		if (matches(m, type))
			return true;
	return false;
}

static bool has_language(const struct cfs_conditions *c, struct cfs_slice list)
{
	while (list.n > 0) {
		struct cfs_slice one = cfs_slice_split(&list, ',');

		for (size_t i = 0; one.n == CFS_LANGUAGE_BYTES &&
				   i < c->languages.n; i += CFS_LANGUAGE_BYTES)
			if (memcmp(c->languages.p + i, one.p, one.n) == 0)
				return true;
		if (!c->any_language)
			return false;
	}
	return false;
}

unsigned cfs_conditions_failed(const struct cfs_conditions *c,
			       const struct cfs_traits *t)
{
	uint16_t status = cfs_traits_status(t);
	unsigned failed = 0;

	if (!cfs_dates_have(&c->dates, t->time))
		failed |= CFS_CONDITION_TIME;
	if (c->has_status && (status > CFS_STATUS_MAX ||
			      (c->status[status / 64] >> status % 64 & 1) == 0))
		failed |= CFS_CONDITION_STATUS;
	if (c->mimes.n > 0 && !has_mime(c, cfs_traits_type(t)))
		failed |= CFS_CONDITION_MIME;
	if (c->languages.n > 0 && !has_language(c, t->languages))
		failed |= CFS_CONDITION_LANGUAGE;
	return failed;
}
