/* url.c - splits URLs into their parts, without validating them (see url.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "url.h"

#include "base/ascii.h"
#include "base/swar.h"
#include "base/error.h"

const char *cfs_scheme_name(enum cfs_scheme scheme)
{
	switch (scheme) {
	case CFS_SCHEME_HTTPS: return "https";
	case CFS_SCHEME_FTP: return "ftp";
	default: return "http";
	}
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

/* The text without angle brackets around it (RFC 3986, appendix C). */
static struct cfs_slice without_brackets(struct cfs_slice s)
{
	return s.n > 1 && s.p[0] == '<' && s.p[s.n - 1] == '>' ?
	       cfs_slice_sub(s, 1, s.n - 2) : s;
}

enum cfs_scheme cfs_url_take_scheme(struct cfs_slice *url)
{
	struct cfs_slice in = without_brackets(*url);

	for (int i = CFS_SCHEME_HTTP; i <= CFS_SCHEME_FTP; i++) {
		enum cfs_scheme scheme = (enum cfs_scheme)i;
		struct cfs_slice s = cfs_slice_str(cfs_scheme_name(scheme));
		struct cfs_slice rest = cfs_slice_from(in, s.n);

		if (!cfs_slice_starts_nocase(in, s) || rest.n == 0 ||
		    rest.p[0] != ':')
			continue;
		rest = cfs_slice_from(rest, 1);
		while (rest.n > 0 && (rest.p[0] == '/' || rest.p[0] == '\\'))
			rest = cfs_slice_from(rest, 1);
		*url = rest;
		return scheme;
	}
	return CFS_SCHEME_NONE;
}

/* True if s is a port with a path, or a port without one behind a host with a
 * dot. */
static bool is_port(struct cfs_slice s, bool has_dot)
{
	size_t n = cfs_slice_run(s, cfs_is_digit);

	if (n > 0 && n < s.n && s.p[n] == '/')
		return true;
	return n > 0 && has_dot && cfs_slice_find_any(s, 0, "?#") == n;
}

struct cfs_slice cfs_url_scheme(struct cfs_slice s)
{
	bool has_dot = false;
	size_t n = 0;

	if (s.n == 0 || !cfs_is_alpha(s.p[0]))
		return CFS_SLICE_EMPTY;
	while (n < s.n && (cfs_is_alnum(s.p[n]) || s.p[n] == '+' ||
			   s.p[n] == '-' || s.p[n] == '.'))
		has_dot |= s.p[n++] == '.';
	if (n == s.n || s.p[n] != ':' ||
	    is_port(cfs_slice_from(s, n + 1), has_dot))
		return CFS_SLICE_EMPTY;
	return cfs_slice_sub(s, 0, n);
}

/* False if s has no tabs or line ends.  True for any control character. */
static bool may_have_breaks(struct cfs_slice s)
{
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8)
		if (cfs_swar_below(cfs_swar_at(s.p + i), ' ') != 0)
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

/* The length of a host in brackets, if only dots and a port follow; otherwise
 * 0: it is then split like any other host. */
static size_t bracket_end(struct cfs_slice s)
{
	ptrdiff_t close =
		s.n > 0 && s.p[0] == '[' ? cfs_slice_find(s, ']') : -1;
	size_t end;

	if (close < 0)
		return 0;
	end = (size_t)close + 1;
	while (end < s.n && s.p[end] == '.')
		end++;
	return end == s.n || s.p[end] == ':' ? end : 0;
}

size_t cfs_url_find_slash(struct cfs_slice s, bool both)
{
	size_t n = cfs_slice_find_any(s, 0, "/?#");
	ptrdiff_t back = both ? cfs_slice_find(cfs_slice_sub(s, 0, n), '\\') :
				-1;

	return back >= 0 ? (size_t)back : n;
}

/* Splits `rest`, the part of a URL behind the scheme. */
static int parse_rest(struct cfs_slice url, struct cfs_slice rest,
		      struct cfs_url *out)
{
	bool is_other = out->scheme == CFS_SCHEME_NONE, is_bare;
	struct cfs_slice tail;
	ptrdiff_t at;
	size_t end;

	if (url.n > CFS_URL_MAX)
		return CFS_ELIMIT;
	if (cfs_slice_find(url, 0) >= 0)
		return CFS_EFORMAT;
	end = cfs_url_find_slash(rest, !is_other);
	out->path = cfs_slice_from(rest, end);
	out->has_backslashes |= out->path.n > 0 && out->path.p[0] == '\\';
	rest.n = end;
	is_bare = end == 0;
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
	if (cfs_url_trim_host(out->host).n > 0)
		return CFS_OK;
	return is_other && is_bare && out->path.n > 0 &&
	       out->path.p[0] == '/' ? CFS_OK : CFS_ENOTFOUND;
}

static void begin_parts(struct cfs_url *out)
{
	*out = (struct cfs_url){ .scheme = CFS_SCHEME_NONE,
				 .other = CFS_SLICE_EMPTY,
				 .userinfo = CFS_SLICE_EMPTY,
				 .host = CFS_SLICE_EMPTY,
				 .port = CFS_SLICE_EMPTY,
				 .path = CFS_SLICE_EMPTY };
}

int cfs_url_parse(struct cfs_slice url, struct cfs_url *out)
{
	struct cfs_slice rest = url;

	begin_parts(out);
	out->scheme = cfs_url_take_scheme(&rest);
	if (out->scheme == CFS_SCHEME_NONE)
		return CFS_ENOTFOUND;
	for (const uint8_t *p = rest.p; p > url.p && p[-1] != ':'; p--)
		out->has_backslashes |= p[-1] == '\\';
	return parse_rest(url, rest, out);
}

/* Schemes that archives use for records that are not pages: descriptions of the
 * archive, logs and settings of crawlers, pictures of pages. */
static const char *const pseudo[] = {
	"dns", "filedesc", "metadata", "screenshot", "thumbnail", "urn",
	"warcinfo",
};

/* Removes "gemini://" and the like from the front.  Returns the name of the
 * scheme, empty if its URLs have no place in the tree. */
static struct cfs_slice take_other(struct cfs_slice *url)
{
	struct cfs_slice in = without_brackets(*url), name = cfs_url_scheme(in);
	struct cfs_slice rest = cfs_slice_from(in, name.n + 1);
	bool is_file = cfs_slice_eq_nocase(name, CFS_SLICE_LIT("file"));

	for (size_t i = 0; i < sizeof(pseudo) / sizeof(*pseudo); i++)
		if (cfs_slice_eq_nocase(name, cfs_slice_str(pseudo[i])))
			return CFS_SLICE_EMPTY;
	if (name.n == 0 || name.n > CFS_URL_SCHEME_MAX ||
	    !cfs_slice_starts(rest, is_file ? CFS_SLICE_LIT("/") :
			      CFS_SLICE_LIT("//")))
		return CFS_SLICE_EMPTY;
	*url = cfs_slice_from(rest, cfs_slice_starts(rest,
			      CFS_SLICE_LIT("//")) ? 2 : 0);
	return name;
}

int cfs_url_parse_any(struct cfs_slice url, struct cfs_url *out)
{
	struct cfs_slice rest = url, name;
	int rc = cfs_url_parse(url, out);

	if (rc != CFS_ENOTFOUND || out->scheme != CFS_SCHEME_NONE)
		return rc;
	name = take_other(&rest);
	if (name.n == 0)
		return CFS_ENOTFOUND;
	begin_parts(out);
	out->other = name;
	return parse_rest(url, rest, out);
}

bool cfs_url_is_typed(struct cfs_slice s)
{
	ptrdiff_t slash = cfs_slice_find(s, '/');

	/* "file:/_/a" and "gemini:/org/_/a" are paths of the tree */
	return cfs_url_is_web(s) ||
	       (slash > 0 && s.p[slash - 1] == ':' &&
		cfs_slice_starts(cfs_slice_from(s, (size_t)slash),
				 CFS_SLICE_LIT("//")));
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
	return cfs_url_take_scheme(&url) != CFS_SCHEME_NONE;
}

bool cfs_url_has_place(struct cfs_slice url)
{
	return cfs_url_is_web(url) || take_other(&url).n > 0;
}
