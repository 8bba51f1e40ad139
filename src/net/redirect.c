/* redirect.c - judges the targets of redirections.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "address.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "location.h"
#include "reach.h"

#define REDIRECTS_MAX 5L

static bool is_https(const char *url)
{
	return strncasecmp(url, "https:", 6) == 0;
}

/* Writes "scheme://host" of a URL, without the rest. */
static void show_host(char *out, size_t out_bytes, const char *url)
{
	struct cfs_location loc;

	if (cfs_location_parse(&loc, url, NULL) != CFS_OK)
		snprintf(out, out_bytes, "another place");
	else
		snprintf(out, out_bytes, "%s://%.*s",
			 loc.scheme == CFS_LOC_HTTPS ? "https" : "http",
			 (int)loc.host.n, (const char *)loc.host.p);
}

static void redirect_refuse(struct cfs_redirect *r, const char *to,
			    const char *why)
{
	char place[96];

	show_host(place, sizeof(place), to);
	if (r->followed == 0) {
		snprintf(r->refusal, sizeof(r->refusal), "%.45s, %s", place,
			 why);
		return;
	}
	snprintf(r->refusal, sizeof(r->refusal), "%.45s redirects to %.45s, %s",
		 r->from, place, why);
}

/* ---- proxies ------------------------------------------------------------ */

/* The proxy in the environment for a URL's scheme, which libcurl uses unless
 * no_proxy excludes the host.  NULL: none. */
static const char *proxy_of(const char *url)
{
	static const char *const https[] = { "https_proxy", "HTTPS_PROXY",
					     "all_proxy", "ALL_PROXY" };
	static const char *const http[] = { "http_proxy", "all_proxy",
					    "ALL_PROXY" };
	const char *const *names = is_https(url) ? https : http;
	size_t n = is_https(url) ? 4 : 3;

	for (size_t i = 0; i < n; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return value;
	}
	return NULL;
}

/* The port of a proxy's URL, whose scheme may be missing. */
static int port_of_proxy(const char *proxy)
{
	const char *host = strstr(proxy, "://"), *at, *colon;

	host = host != NULL ? host + 3 : proxy;
	at = strrchr(host, '@');
	host = at != NULL ? at + 1 : host;
	at = strchr(host, ']');
	colon = strchr(at != NULL ? at : host, ':');
	return colon != NULL ? (int)strtol(colon + 1, NULL, 10) :
	       strncasecmp(proxy, "https:", 6) == 0 ? 443 : 1080;
}

/* Does a connection to that port lead to a proxy?  Assumed if the port is that
 * of the proxy. */
static bool is_proxied(const char *url, int port)
{
	const char *proxy = proxy_of(url);

	return proxy != NULL && port == port_of_proxy(proxy);
}

/* ---- judging ------------------------------------------------------------ */

bool cfs_redirect_may_lead(enum cfs_address_class source,
			   enum cfs_address_class address,
			   struct cfs_slice to_host, bool proxied,
			   enum cfs_address_class *refused)
{
	enum cfs_address_class by_name;

	*refused = address;
	if (!proxied)
		return address == CFS_ADDRESS_PUBLIC || address == source;
	if (!cfs_address_of_host(to_host, &by_name))
		return true;
	*refused = by_name;
	return by_name == CFS_ADDRESS_PUBLIC || by_name == source;
}

static const char *redirect_url_of(const struct cfs_redirect *r)
{
	char *url = NULL;

	return curl_easy_getinfo(r->easy, CURLINFO_EFFECTIVE_URL, &url) ==
	       CURLE_OK && url != NULL ? url : "";
}

/* May the request go to this address, the source's or a redirection's? */
static bool may_go(struct cfs_redirect *r, enum cfs_address_class address,
		   int port)
{
	const char *url = redirect_url_of(r);
	enum cfs_address_class refused;
	struct cfs_location loc;
	char why[80];

	if (r->followed == 0 && !r->is_by_pattern)
		return true;
	if (cfs_location_parse(&loc, url, NULL) != CFS_OK) {
		redirect_refuse(r, url, "which cannot be judged: not followed");
	} else if (r->was_https && !is_https(url)) {
		redirect_refuse(r, url, "which is not encrypted: not followed");
	} else if (!cfs_redirect_may_lead(r->source, address, loc.host,
					  is_proxied(url, port), &refused)) {
		snprintf(why, sizeof(why), "which is %s: not %s",
			 cfs_address_name(refused),
			 r->followed > 0 ? "followed" : "asked");
		redirect_refuse(r, url, why);
	}
	return r->refusal[0] == '\0';
}

static int on_request(void *arg, char *ip, char *local_ip, int port,
		      int local_port)
{
	struct cfs_redirect *r = arg;
	enum cfs_address_class address = CFS_ADDRESS_SPECIAL, by_name;
	struct cfs_location loc;

	(void)local_ip, (void)local_port;
	if (ip != NULL)
		cfs_address_parse(ip, &address);
	if (r->followed == 0 && is_proxied(redirect_url_of(r), port))
		address = cfs_location_parse(&loc, redirect_url_of(r), NULL) ==
						  CFS_OK &&
					  cfs_address_of_host(loc.host,
							      &by_name) ?
				  by_name :
				  CFS_ADDRESS_PUBLIC;
	if (r->followed == 0 && !r->is_by_pattern)
		r->source = address;
	return may_go(r, address, port) ? CURL_PREREQFUNC_OK :
					  CURL_PREREQFUNC_ABORT;
}

/* Connects to nothing that will not be sent a request. */
static curl_socket_t on_open(void *arg, curlsocktype purpose,
			     struct curl_sockaddr *a)
{
	struct cfs_redirect *r = arg;
	char text[8];
	int port = 0;

	if (purpose != CURLSOCKTYPE_IPCXN)
		return CURL_SOCKET_BAD;
	if (getnameinfo(&a->addr, a->addrlen, NULL, 0, text, sizeof(text),
			NI_NUMERICSERV) == 0)
		port = (int)strtol(text, NULL, 10);
	if (!may_go(r, cfs_address_of(&a->addr), port))
		return CURL_SOCKET_BAD;
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* ---- a request ---------------------------------------------------------- */

static void redirect_limit_schemes(CURL *e, bool only_https)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(e, CURLOPT_REDIR_PROTOCOLS_STR,
			 only_https ? "https" : "http,https");
#else
	curl_easy_setopt(e, CURLOPT_REDIR_PROTOCOLS, only_https ?
			 (long)CURLPROTO_HTTPS :
			 (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

void cfs_redirect_setup(struct cfs_redirect *r, CURL *easy, const char *url,
			bool follows)
{
	struct cfs_location loc;

	*r = (struct cfs_redirect){ .easy = easy, .was_https = is_https(url) };
	show_host(r->from, sizeof(r->from), url);
	r->is_by_pattern = cfs_location_parse(&loc, url, NULL) == CFS_OK &&
			   cfs_reach_is_by_pattern(loc.host);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, follows ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_MAXREDIRS, REDIRECTS_MAX);
	curl_easy_setopt(easy, CURLOPT_UNRESTRICTED_AUTH, 0L);
	curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	redirect_limit_schemes(easy, r->was_https);
	if (!follows)
		return;
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, r);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_request);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, r);
}

void cfs_redirect_next(struct cfs_redirect *r, const char *location)
{
	struct cfs_location loc;

	r->followed++;
	r->was_https = r->was_https || is_https(redirect_url_of(r));
	/* libcurl refuses these too, but explains less. */
	if (cfs_location_parse(&loc, location, NULL) != CFS_OK)
		return;
	if (r->was_https && !is_https(location))
		redirect_refuse(r, location,
				"which is not encrypted: not followed");
	else if (loc.user.n > 0)
		redirect_refuse(r, location, "with a name and a password, which are not "
				"sent: not followed");
}
