/* url.c - takes URLs apart as they are: real crawls hold junk hosts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "url.h"

#include "base/ascii.h"
#include "base/error.h"

const char *cfs_scheme_name(enum cfs_scheme scheme)
{
	return scheme == CFS_SCHEME_HTTPS ? "https" :
	       scheme == CFS_SCHEME_FTP ? "ftp" : "http";
}

enum cfs_scheme cfs_url_take_scheme(struct cfs_slice *url)
{
	static const struct { const char *text; enum cfs_scheme scheme; } t[] = {
		{ "http://", CFS_SCHEME_HTTP },
		{ "https://", CFS_SCHEME_HTTPS },
		{ "ftp://", CFS_SCHEME_FTP },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct cfs_slice s = cfs_slice_str(t[i].text);

		if (cfs_slice_starts_nocase(*url, s)) {
			*url = cfs_slice_from(*url, s.n);
			return t[i].scheme;
		}
	}
	return CFS_SCHEME_NONE;
}

static bool is_digits(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!cfs_is_digit(s.p[i]))
			return false;
	return true;
}

/* Cuts s before the first '/', '?' or '#'; returns what is cut off. */
static struct cfs_slice cut_path(struct cfs_slice *s)
{
	size_t i = cfs_slice_find_any(*s, 0, "/?#");
	struct cfs_slice path = cfs_slice_from(*s, i);

	s->n = i;
	return path;
}

struct cfs_slice cfs_url_trim_host(struct cfs_slice host)
{
	while (host.n > 0 && host.p[host.n - 1] == '.')
		host.n--;
	return host;
}

/* A host in brackets ends at its ']' if nothing but dots and a port follow;
 * otherwise it is junk like any other. */
static size_t bracket_end(struct cfs_slice s)
{
	ptrdiff_t close = s.n > 0 && s.p[0] == '[' ? cfs_slice_find(s, ']') : -1;
	size_t end;

	if (close < 0)
		return 0;
	end = (size_t)close + 1;
	while (end < s.n && s.p[end] == '.')
		end++;
	return end == s.n || s.p[end] == ':' ? end : 0;
}

int cfs_url_parse(struct cfs_slice url, struct cfs_url *out)
{
	struct cfs_slice rest = url, tail;
	ptrdiff_t at, colon;
	size_t end;

	*out = (struct cfs_url){ .scheme = cfs_url_take_scheme(&rest),
				 .userinfo = CFS_SLICE_EMPTY,
				 .port = CFS_SLICE_EMPTY };
	if (out->scheme == CFS_SCHEME_NONE)
		return CFS_ENOTFOUND;
	if (url.n > CFS_URL_MAX)
		return CFS_ELIMIT;
	if (cfs_slice_find(url, 0) >= 0)
		return CFS_EFORMAT;
	out->path = cut_path(&rest);
	at = cfs_slice_rfind(rest, '@');
	if (at >= 0) {
		out->userinfo = cfs_slice_sub(rest, 0, (size_t)at);
		rest = cfs_slice_from(rest, (size_t)at + 1);
	}
	end = bracket_end(rest);
	if (end == 0) {
		colon = cfs_slice_find(rest, ':');
		end = colon < 0 ? rest.n : (size_t)colon;
	}
	out->host = cfs_slice_sub(rest, 0, end);
	tail = cfs_slice_from(rest, end + 1);
	if (is_digits(tail))
		out->port = tail;
	return cfs_url_trim_host(out->host).n == 0 ? CFS_ENOTFOUND : CFS_OK;
}
