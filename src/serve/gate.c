/* gate.c - refuses requests for another host, and what is no path.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "server_internal.h"

#include "base/ascii.h"

/* The host of "HOST:PORT", "[IPV6]:PORT" or HOST, without brackets and without
 * a dot at its end.  n 0: the text is none of these. */
static struct cfs_slice host_of(struct cfs_slice s)
{
	struct cfs_slice host, port;
	ptrdiff_t end;

	if (s.n > 0 && s.p[0] == '[') {
		end = cfs_slice_find(s, ']');
		if (end < 0)
			return CFS_SLICE_EMPTY;
		host = cfs_slice_sub(s, 1, (size_t)end - 1);
		port = cfs_slice_from(s, (size_t)end + 1);
	} else {
		host = s;
		port = CFS_SLICE_EMPTY;
		end = cfs_slice_find(s, ':');
		if (end >= 0) {
			host = cfs_slice_sub(s, 0, (size_t)end);
			port = cfs_slice_from(s, (size_t)end);
		}
	}
	for (size_t i = 0; i < port.n; i++)
		if (i == 0 ? port.p[i] != ':' : !cfs_is_digit(port.p[i]))
			return CFS_SLICE_EMPTY;
	if (host.n > 1 && host.p[host.n - 1] == '.')
		host.n--;
	return host;
}

/* Digits and dots, or hexadecimal digits, dots and colons: a name of the DNS
 * has a letter in its last label. */
static bool is_address(struct cfs_slice host, bool is_bracketed)
{
	bool has_digit = false;

	for (size_t i = 0; i < host.n; i++) {
		uint8_t c = host.p[i];

		has_digit |= cfs_is_xdigit(c);
		if (cfs_is_digit(c) || c == '.' ||
		    (is_bracketed && (c == ':' || cfs_is_xdigit(c))))
			continue;
		return false;
	}
	return has_digit;
}

/* The host and port of a URL. */
static struct cfs_slice authority_of(const char *url)
{
	struct cfs_slice s = cfs_slice_str(url);
	ptrdiff_t at = cfs_slice_search(s, CFS_SLICE_LIT("://"));

	if (at >= 0)
		s = cfs_slice_from(s, (size_t)at + 3);
	return cfs_slice_split(&s, '/');
}

bool cfs_gate_is_own_host(struct cfs_slice field, const char *listen_host,
			  const char *base_url)
{
	static const struct cfs_slice local = CFS_SLICE_LIT("localhost");
	struct cfs_slice text = cfs_slice_trim(field), host = host_of(text);
	struct cfs_slice end;

	if (is_address(host, text.n > 0 && text.p[0] == '[') ||
	    cfs_slice_eq_nocase(host, local) ||
	    cfs_slice_eq_nocase(host, cfs_slice_str(listen_host)))
		return host.n > 0;
	if (host.n > local.n + 1) {
		end = cfs_slice_from(host, host.n - local.n - 1);
		if (end.p[0] == '.' &&
		    cfs_slice_eq_nocase(cfs_slice_from(end, 1), local))
			return true;
	}
	return host.n > 0 && base_url != NULL &&
	       cfs_slice_eq_nocase(host, host_of(authority_of(base_url)));
}

/* Is the page that sends a message, if one does, of this server?  The field has
 * its scheme and host, or "null". */
static bool is_own_origin(const struct cfs_exchange *x, const char *listen_host)
{
	struct cfs_slice origin = x->fields[CFS_FIELD_ORIGIN];
	ptrdiff_t at = cfs_slice_search(origin, CFS_SLICE_LIT("://"));

	return x->method != CFS_METHOD_POST || origin.n == 0 ||
	       (at > 0 && cfs_gate_is_own_host(
				  cfs_slice_from(origin, (size_t)at + 3),
				  listen_host, x->site->base_url));
}

bool cfs_gate_is_foreign(const struct cfs_exchange *x, const char *listen_host)
{
	struct cfs_slice site = x->fields[CFS_FIELD_FETCH_SITE];
	struct cfs_slice dest = x->fields[CFS_FIELD_FETCH_DEST];

	if (!is_own_origin(x, listen_host))
		return true;
	if (site.n == 0 || cfs_slice_eq(site, CFS_SLICE_LIT("same-origin")) ||
	    cfs_slice_eq(site, CFS_SLICE_LIT("none")))
		return false;
	/* a frame of that page is none of its own */
	return x->method != CFS_METHOD_GET ||
	       !cfs_slice_eq(x->fields[CFS_FIELD_FETCH_MODE],
			     CFS_SLICE_LIT("navigate")) ||
	       (dest.n > 0 && !cfs_slice_eq(dest, CFS_SLICE_LIT("document")));
}

bool cfs_gate_split(struct cfs_exchange *x, struct cfs_slice target)
{
	static const struct cfs_slice schemes[] = {
		CFS_SLICE_LIT("http://"), CFS_SLICE_LIT("https://")
	};

	for (size_t i = 0; i < 2; i++) {
		size_t end;

		if (!cfs_slice_starts_nocase(target, schemes[i]))
			continue;
		target = cfs_slice_from(target, schemes[i].n);
		end = cfs_slice_find_any(target, 0, "/?");
		x->fields[CFS_FIELD_HOST] = cfs_slice_sub(target, 0, end);
		target = cfs_slice_from(target, end);
		if (target.n == 0)
			target = CFS_SLICE_LIT("/");
		break;
	}
	x->path = cfs_slice_split(&target, '?');
	x->query = target;
	return (x->path.n > 0 && x->path.p[0] == '/') ||
	       (x->path.n == 1 && x->path.p[0] == '*' &&
		x->method == CFS_METHOD_OPTIONS);
}
