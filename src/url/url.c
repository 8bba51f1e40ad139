/* url.c - takes URLs apart as they are: real crawls hold junk hosts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "url.h"

#include "base/ascii.h"
#include "base/eight.h"
#include "base/error.h"

const char *cfs_scheme_name(enum cfs_scheme scheme)
{
	return scheme == CFS_SCHEME_HTTPS ? "https" :
	       scheme == CFS_SCHEME_FTP ? "ftp" : "http";
}

enum cfs_scheme cfs_scheme_by_name(struct cfs_slice name)
{
	for (int i = CFS_SCHEME_HTTP; i <= CFS_SCHEME_FTP; i++) {
		enum cfs_scheme scheme = (enum cfs_scheme)i;

		if (cfs_slice_eq(name, cfs_slice_str(cfs_scheme_name(scheme))))
			return scheme;
	}
	return CFS_SCHEME_NONE;
}

enum cfs_scheme cfs_url_take_scheme(struct cfs_slice *url)
{
	for (int i = CFS_SCHEME_HTTP; i <= CFS_SCHEME_FTP; i++) {
		enum cfs_scheme scheme = (enum cfs_scheme)i;
		struct cfs_slice s = cfs_slice_str(cfs_scheme_name(scheme));
		struct cfs_slice rest = cfs_slice_from(*url, s.n);

		if (cfs_slice_starts_nocase(*url, s) &&
		    cfs_slice_starts(rest, CFS_SLICE_LIT("://"))) {
			*url = cfs_slice_from(rest, 3);
			return scheme;
		}
	}
	return CFS_SCHEME_NONE;
}

/* Tabs or line ends; true for some other controls too. */
static bool may_have_breaks(struct cfs_slice s)
{
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8)
		if (cfs_eight_below(cfs_eight_at(s.p + i), ' ') != 0)
			return true;
	for (; i < s.n; i++)
		if (s.p[i] < ' ')
			return true;
	return false;
}

struct cfs_slice cfs_url_tidy(struct cfs_slice s, uint8_t scratch[CFS_URL_MAX])
{
	size_t n = 0;

	while (s.n > 0 && s.p[0] <= ' ')
		s = cfs_slice_from(s, 1);
	while (s.n > 0 && s.p[s.n - 1] <= ' ')
		s.n--;
	if (s.n > CFS_URL_MAX || !may_have_breaks(s))
		return s;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n')
			scratch[n++] = s.p[i];
	return cfs_slice_of(scratch, n);
}

static bool is_digits(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!cfs_is_digit(s.p[i]))
			return false;
	return true;
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
	ptrdiff_t at;
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
	end = cfs_slice_find_any(rest, 0, "/?#");
	out->path = cfs_slice_from(rest, end);
	rest.n = end;
	at = cfs_slice_rfind(rest, '@');
	if (at >= 0) {
		out->userinfo = cfs_slice_sub(rest, 0, (size_t)at);
		rest = cfs_slice_from(rest, (size_t)at + 1);
	}
	end = bracket_end(rest);
	if (end == 0)
		end = cfs_slice_find_any(rest, 0, ":");
	out->host = cfs_slice_sub(rest, 0, end);
	tail = cfs_slice_from(rest, end + 1);
	if (is_digits(tail))
		out->port = tail;
	return cfs_url_trim_host(out->host).n == 0 ? CFS_ENOTFOUND : CFS_OK;
}

bool cfs_url_is_typed(struct cfs_slice s)
{
	ptrdiff_t slash = cfs_slice_find(s, '/');

	return slash > 0 && s.p[slash - 1] == ':' &&
	       cfs_slice_starts(cfs_slice_from(s, (size_t)slash),
				CFS_SLICE_LIT("//"));
}

void cfs_url_reverse_host(struct cfs_slice host, struct cfs_buf *out)
{
	ptrdiff_t dot;

	while ((dot = cfs_slice_rfind(host, '.')) >= 0) {
		cfs_buf_add(out, cfs_slice_from(host, (size_t)dot + 1));
		cfs_buf_addc(out, '.');
		host.n = (size_t)dot;
	}
	cfs_buf_add(out, host);
}

void cfs_url_of_prefix(struct cfs_slice s, struct cfs_buf *out)
{
	ptrdiff_t slash = cfs_slice_find(s, '/');

	cfs_buf_adds(out, "http://");
	cfs_url_reverse_host(cfs_slice_sub(s, 0, slash < 0 ? s.n :
					   (size_t)slash), out);
	if (slash < 0)
		cfs_buf_addc(out, '/');
	else
		cfs_buf_add(out, cfs_slice_from(s, (size_t)slash));
}

bool cfs_url_is_web(struct cfs_slice url)
{
	return cfs_slice_starts_nocase(url, CFS_SLICE_LIT("http:")) ||
	       cfs_slice_starts_nocase(url, CFS_SLICE_LIT("https:")) ||
	       cfs_slice_starts_nocase(url, CFS_SLICE_LIT("ftp:"));
}
