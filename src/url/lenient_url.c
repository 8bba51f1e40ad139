/* lenient_url.c - other readings of what a user typed or pasted (see
 * lenient_url.h).
 *
 * Spec: https://url.spec.whatwg.org/ (sections 1.3 and 4.4), but only the steps
 * that change bytes which a user would paste.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lenient_url.h"

#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"
#include "surt.h"
#include "url.h"
#include "wildcard.h"

enum change { BROWSER = 1, NO_FRAGMENT = 2, UNDO_ESCAPES = 4 };

static const unsigned readings[] = {
	BROWSER | NO_FRAGMENT,
	NO_FRAGMENT,
	NO_FRAGMENT | UNDO_ESCAPES,
	UNDO_ESCAPES,
};
#define READINGS (sizeof(readings) / sizeof(readings[0]))

/* True if a browser escapes c in a path or query. */
static bool is_escaped(uint8_t c, bool in_query)
{
	return c <= 0x20 || c >= 0x7f ||
	       strchr(in_query ? "\"<>'" : "\"<>`{}", c) != NULL;
}

static void add_path(struct cfs_slice path, unsigned change,
		     struct cfs_buf *out)
{
	bool in_query = false;

	for (size_t i = 0; i < path.n; i++) {
		uint8_t c = path.p[i];
		int meant = cfs_percent_value(cfs_slice_from(path, i));

		in_query = in_query || c == '?';
		if ((change & BROWSER) && is_escaped(c, in_query)) {
			cfs_percent_add(out, c);
		} else if ((change & UNDO_ESCAPES) && meant >= 0x80) {
			cfs_buf_addc(out, (uint8_t)meant);
			i += 2;
		} else {
			cfs_buf_addc(out, c);
		}
	}
}

void cfs_url_add_readable(struct cfs_slice url, struct cfs_buf *out)
{
	CFS_BUF(bytes, url.n + 1);

	add_path(url, UNDO_ESCAPES, &bytes);
	cfs_utf8_add_percent(out, cfs_buf_slice(&bytes), -1);
}

/* The URL without quotes or angle brackets pasted around it. */
static struct cfs_slice unquoted(struct cfs_slice s)
{
	uint8_t first, last;

	if (s.n < 2)
		return s;
	first = s.p[0];
	last = s.p[s.n - 1];
	if (((first == '"' || first == '\'') && first == last) ||
	    (first == '<' && last == '>'))
		return cfs_slice_sub(s, 1, s.n - 2);
	return s;
}

static void add_reading(struct cfs_slice url, unsigned change,
			struct cfs_buf *out)
{
	struct cfs_slice rest, before;
	CFS_BUF(host, CFS_URL_MAX);
	struct cfs_url u;
	ptrdiff_t at;
	bool is_begin = url.n > 0 && url.p[url.n - 1] == '*';

	if (change & BROWSER)
		url = cfs_slice_trim(url);
	url = before = unquoted(url);
	if (cfs_url_parse_any(url, &u) != CFS_OK)
		return;		/* nothing appended: not a reading */
	rest = u.path;
	before.n = (size_t)(u.host.p - url.p);
	at = cfs_slice_find(rest, '#');
	if ((change & NO_FRAGMENT) && at >= 0)
		rest.n = (size_t)at;
	cfs_buf_add(out, before);
	cfs_buf_add(&host, u.host);
	if ((change & BROWSER) && host.failed == CFS_OK)
		cfs_surt_ascii_host(&host);
	cfs_buf_add(out, cfs_buf_slice(&host));
	before = cfs_slice_from(url, (size_t)(u.host.p - url.p) + u.host.n);
	cfs_buf_add(out, cfs_slice_sub(before, 0,
				       (size_t)(u.path.p - before.p)));
	add_path(rest, change, out);
	if (is_begin && rest.n < u.path.n)
		cfs_buf_addc(out, '*');
}

bool cfs_lenient_url(struct cfs_slice typed, unsigned i, struct cfs_buf *out)
{
	struct cfs_buf seen[READINGS];
	unsigned n = 0;
	bool found = false;

	for (size_t r = 0; r < READINGS && !found; r++) {
		bool is_new = true;

		cfs_buf_init(&seen[n], 4 * CFS_URL_MAX);
		add_reading(typed, readings[r], &seen[n]);
		is_new = seen[n].failed == CFS_OK && seen[n].n > 0 &&
			 !cfs_slice_eq(cfs_buf_slice(&seen[n]), typed);
		for (unsigned k = 0; k < n && is_new; k++)
			is_new = !cfs_slice_eq(cfs_buf_slice(&seen[n]),
					       cfs_buf_slice(&seen[k]));
		if (!is_new) {
			cfs_buf_release(&seen[n]);
			continue;
		}
		found = n == i;
		if (found)
			cfs_buf_add(out, cfs_buf_slice(&seen[n]));
		n++;
	}
	while (n > 0)
		cfs_buf_release(&seen[--n]);
	return found && out->failed == CFS_OK;
}

/* The host without ":PORT" at its end. */
static struct cfs_slice without_port(struct cfs_slice host)
{
	ptrdiff_t colon = cfs_slice_rfind(host, ':');
	uint64_t port;

	if (colon >= 0 && cfs_slice_parse_u64(
			cfs_slice_from(host, (size_t)colon + 1), 65535,
			&port) == CFS_OK)
		host.n = (size_t)colon;
	return host;
}

static bool surt_prefix(struct cfs_slice typed, struct cfs_buf *out)
{
	struct cfs_slice rest = typed, host = cfs_slice_split(&rest, ')');

	if (cfs_slice_find(host, '/') >= 0 || cfs_slice_find(host, ',') < 0)
		return false;
	host = without_port(host);
	while (host.n > 0 && host.p[host.n - 1] == ',')
		host.n--;
	for (size_t i = 0; i < host.n; i++)
		cfs_buf_addc(out, host.p[i] == ',' ? '.' : host.p[i]);
	/* com,example)/ means the domain, as does com,example */
	if (rest.n > 1)
		cfs_buf_add(out, rest);
	return host.n > 0;
}

/* True if nothing follows the host. */
static bool is_bare_host(struct cfs_slice url)
{
	struct cfs_url u;

	return cfs_url_parse_any(url, &u) == CFS_OK && u.path.n == 0;
}

enum cfs_lenient_kind cfs_lenient_read(struct cfs_slice typed,
				       struct cfs_buf *url)
{
	struct cfs_slice s = typed;
	uint8_t last = s.p[s.n - 1];

	if (!cfs_url_is_typed(s)) {
		cfs_url_of_prefix(s, url);
		if (cfs_slice_find(s, '/') < 0)
			return CFS_LENIENT_HOSTS;
		return last == '/' ? CFS_LENIENT_BELOW : CFS_LENIENT_PATH;
	}
	if (last != '*') {
		cfs_buf_add(url, s);
		return CFS_LENIENT_PAGE;
	}
	/* A letter in place of the star keeps indexes from normalizing the end
	 * (such as dropping an empty query) as they do for whole URLs. */
	s.n--;
	cfs_buf_add(url, s);
	if (is_bare_host(s))
		cfs_buf_addc(url, '/');
	cfs_buf_addc(url, 'x');
	return CFS_LENIENT_BEGIN;
}

/* Appends "file:///a" for "file:/a", which is a path of the tree first. */
static bool file_url(struct cfs_slice typed, struct cfs_buf *out)
{
	struct cfs_url u;

	if (cfs_url_parse_any(typed, &u) != CFS_OK || u.other.n == 0)
		return false;
	cfs_buf_add(out, u.other);
	cfs_buf_adds(out, "://");
	cfs_buf_add(out, u.path);
	return out->failed == CFS_OK;
}

bool cfs_lenient_other(struct cfs_slice typed, unsigned i, struct cfs_buf *out)
{
	if (cfs_wildcard_is(typed))
		return cfs_wildcard_read(typed, i + 1, out);
	if (cfs_url_is_typed(typed))
		return cfs_lenient_url(typed, i, out);
	return i == 0 && (cfs_lenient_prefix(typed, out) ||
			  file_url(typed, out));
}

bool cfs_lenient_prefix(struct cfs_slice typed, struct cfs_buf *out)
{
	size_t n = cfs_slice_find_any(typed, 0, "/?#");
	struct cfs_slice host = without_port(cfs_slice_sub(typed, 0, n));

	host = cfs_url_trim_host(host);
	if (surt_prefix(typed, out))
		return out->failed == CFS_OK;
	cfs_buf_reset(out);
	if (cfs_slice_find(host, '.') <= 0)
		return false;
	cfs_url_reverse_host(host, out);
	/* example.com/ means the domain, as does example.com */
	if (typed.n > n + 1)
		cfs_buf_add(out, cfs_slice_from(typed, n));
	return out->failed == CFS_OK;
}
