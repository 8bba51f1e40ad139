/* fuzz_urlref.c - a base, a line end, and a reference: its target is the one of
 * the algorithm in RFC 3986, section 5.2, which is written down here once more.
 *
 * Departures from it, as in urlref.h: references are trimmed; one with a scheme
 * or an authority of its own is kept, except for the case of its scheme;
 * "http:x" is relative on a page of that scheme; and a base of http has an
 * authority behind any number of slashes.  Of a base without one only what holds
 * of all targets is checked: they are absolute, and resolved again they are
 * themselves.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/buf.h"
#include "url/urlref.h"

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* The components of section 3, as the expression in appendix B splits them;
 * `scheme` is found by the caller. */
struct parts {
	struct cfs_slice authority, path, query, fragment;
	bool has_authority, has_query, has_fragment;
};

static size_t span(struct cfs_slice s, const char *stops)
{
	size_t n = 0;

	while (n < s.n && (s.p[n] == '\0' || strchr(stops, s.p[n]) == NULL))
		n++;
	return n;
}

static struct parts split(struct cfs_slice s)
{
	struct parts out = { .has_authority = s.n >= 2 && s.p[0] == '/' &&
					      s.p[1] == '/' };
	size_t n;

	if (out.has_authority) {
		s = cfs_slice_from(s, 2);
		n = span(s, "/?#");
		out.authority = cfs_slice_sub(s, 0, n);
		s = cfs_slice_from(s, n);
	}
	n = span(s, "?#");
	out.path = cfs_slice_sub(s, 0, n);
	s = cfs_slice_from(s, n);
	out.has_query = s.n > 0 && s.p[0] == '?';
	if (out.has_query) {
		s = cfs_slice_from(s, 1);
		n = span(s, "#");
		out.query = cfs_slice_sub(s, 0, n);
		s = cfs_slice_from(s, n);
	}
	out.has_fragment = s.n > 0;
	out.fragment = cfs_slice_from(s, out.has_fragment);
	return out;
}

/* Removes all behind the last slash, and the slash. */
static void remove_last(struct cfs_buf *out, size_t floor)
{
	while (out->n > floor && out->p[out->n - 1] != '/')
		out->n--;
	if (out->n > floor)
		out->n--;
}

static bool begins(struct cfs_slice s, const char *with)
{
	return s.n >= strlen(with) && memcmp(s.p, with, strlen(with)) == 0;
}

static bool is_all(struct cfs_slice s, const char *text)
{
	return s.n == strlen(text) && begins(s, text);
}

/* Section 5.2.4, step by step; a path that begins with a slash needs no 2A and
 * no 2D. */
static void remove_dot_segments(struct cfs_buf *out, struct cfs_slice in)
{
	static const struct cfs_slice slash = { (const uint8_t *)"/", 1 };
	size_t floor = out->n;

	while (in.n > 0) {
		must(in.p[0] == '/');
		if (begins(in, "/./")) {
			in = cfs_slice_from(in, 2);
		} else if (is_all(in, "/.")) {
			in = slash;
		} else if (begins(in, "/../")) {
			in = cfs_slice_from(in, 3);
			remove_last(out, floor);
		} else if (is_all(in, "/..")) {
			in = slash;
			remove_last(out, floor);
		} else {
			size_t n = 1 + span(cfs_slice_from(in, 1), "/");

			cfs_buf_add(out, cfs_slice_sub(in, 0, n));
			in = cfs_slice_from(in, n);
		}
	}
}

/* Section 5.2.3: the path of a base that has an authority, and a reference. */
static void merge(struct cfs_buf *out, struct cfs_slice base,
		  struct cfs_slice ref)
{
	while (base.n > 0 && base.p[base.n - 1] != '/')
		base.n--;
	if (base.n == 0)
		cfs_buf_addc(out, '/');
	cfs_buf_add(out, base);
	cfs_buf_add(out, ref);
}

/* Sections 5.2.2 and 5.3 for a reference without scheme and authority. */
static void resolve(struct cfs_buf *out, struct cfs_slice scheme,
		    const struct parts *b, const struct parts *r)
{
	struct cfs_buf merged;

	cfs_buf_init(&merged, 1 << 20);
	cfs_buf_add_lower(out, scheme);
	cfs_buf_adds(out, "://");
	cfs_buf_add(out, b->authority);
	if (r->path.n > 0 && r->path.p[0] == '/') {
		remove_dot_segments(out, r->path);
	} else if (r->path.n > 0) {
		merge(&merged, b->path, r->path);
		remove_dot_segments(out, cfs_buf_slice(&merged));
	} else {
		cfs_buf_add(out, b->path);
	}
	if (r->has_query || (r->path.n == 0 && b->has_query)) {
		cfs_buf_addc(out, '?');
		cfs_buf_add(out, r->has_query ? r->query : b->query);
	}
	if (r->has_fragment) {
		cfs_buf_addc(out, '#');
		cfs_buf_add(out, r->fragment);
	}
	cfs_buf_release(&merged);
}

static bool is_web(struct cfs_slice scheme)
{
	return cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("http")) ||
	       cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("https"));
}

/* A base is split like a reference, once it has two slashes if it is of http. */
static struct parts split_base(struct cfs_slice url, struct cfs_slice scheme)
{
	static uint8_t text[CFS_URL_MAX + 2];
	struct cfs_slice rest = cfs_slice_from(url, scheme.n + 1);

	if (!is_web(scheme))
		return split(rest);
	while (begins(rest, "/"))
		rest = cfs_slice_from(rest, 1);
	text[0] = text[1] = '/';
	memcpy(text + 2, rest.p, rest.n);
	return split(cfs_slice_of(text, rest.n + 2));
}

/* The target that the algorithm gives a tidied reference.  False if the base
 * has no authority, of which it is not asked. */
static bool model(struct cfs_slice base, struct cfs_slice ref,
		  struct cfs_buf *out)
{
	struct cfs_slice scheme = cfs_url_scheme(base);
	struct cfs_slice own = cfs_url_scheme(ref);
	struct parts b = split_base(base, scheme), r;

	if (own.n > 0 && is_web(own) && cfs_slice_eq_nocase(own, scheme) &&
	    !begins(cfs_slice_from(ref, own.n + 1), "//")) {
		ref = cfs_slice_from(ref, own.n + 1);
		own = CFS_SLICE_EMPTY;
	}
	if (own.n > 0) {
		cfs_buf_add_lower(out, own);
		cfs_buf_add(out, cfs_slice_from(ref, own.n));
		return true;
	}
	r = split(ref);
	if (r.has_authority) {
		cfs_buf_add_lower(out, scheme);
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, ref);
		return true;
	}
	if (b.has_authority)
		resolve(out, scheme, &b, &r);
	return b.has_authority;
}

/* Resolved again, against its own base or itself, a target stays what it is.
 * ("http:x" of a page on https has no authority: on itself, it is relative.)  One
 * that ends with a blank, which was before the fragment of its base, loses it. */
static void check_again(const struct cfs_url_base *base,
			struct cfs_slice target)
{
	struct cfs_url_base own;
	struct cfs_buf again;

	if (target.p[target.n - 1] <= ' ')
		return;
	cfs_buf_init(&again, 1 << 20);
	must(cfs_url_base_init(&own, target));
	must(cfs_url_resolve(base, target, &again));
	must(cfs_slice_eq(target, cfs_buf_slice(&again)));
	if (begins(cfs_slice_from(target, own.scheme.n + 1), "//")) {
		must(cfs_url_resolve(&own, target, &again));
		must(cfs_slice_eq(target, cfs_buf_slice(&again)));
	}
	cfs_buf_release(&again);
}

/* base, ref: tidied. */
static void check(struct cfs_slice base_url, struct cfs_slice ref)
{
	struct cfs_url_base base;
	struct cfs_buf target, wanted;
	bool has_base = cfs_url_base_init(&base, base_url);

	cfs_buf_init(&target, 1 << 20);
	cfs_buf_init(&wanted, 1 << 20);
	must(has_base == (cfs_url_scheme(base_url).n > 0));
	if (!cfs_url_resolve(&base, ref, &target)) {
		/* two slashes and one may be added */
		must(!has_base || ref.n > CFS_URLREF_MAX ||
		     base_url.n + ref.n + 3 > CFS_URLREF_MAX);
	} else {
		must(target.n <= CFS_URLREF_MAX);
		must(cfs_url_scheme(cfs_buf_slice(&target)).n > 0);
		if (has_base && model(base_url, ref, &wanted))
			must(cfs_slice_eq(cfs_buf_slice(&target),
					  cfs_buf_slice(&wanted)));
		if (has_base)
			check_again(&base, cfs_buf_slice(&target));
	}
	cfs_buf_release(&target);
	cfs_buf_release(&wanted);
}

FUZZ_TARGET(data, size)
{
	static uint8_t base_text[CFS_URL_MAX], ref_text[CFS_URL_MAX];
	struct cfs_slice ref = cfs_slice_of(data, size);
	struct cfs_slice base = cfs_slice_split(&ref, '\n');

	base = cfs_url_tidy(base, base_text);
	if (base.n > CFS_URL_MAX)
		return 0;
	check(base, cfs_url_tidy(ref, ref_text));
	return 0;
}
