/* url_credentials.c - takes names, passwords and queries out of typed URLs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "url_credentials.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

struct user {
	struct user *next;
	char *url;		/* canonical, without the user */
	char *name;		/* name and password */
};

static struct user *users;	/* in the order typed */

/* The canonical form of a URL, malloced; NULL if it is not a URL, or memory
 * is out. */
static char *canonical(const char *url)
{
	struct cfs_location loc;
	CFS_BUF(out, 4 * CFS_LOCATION_MAX);
	char *text = NULL;

	if (cfs_location_parse(&loc, url, NULL) != CFS_OK)
		return NULL;
	cfs_location_canonical(&loc, &out);
	if (out.failed == CFS_OK)
		text = strdup(cfs_buf_str(&out));
	return text;
}

/* Stores a user.  For an invalid URL nothing is stored: opening it reports
 * the error. */
static int url_credentials_keep(struct cfs_slice scheme, struct cfs_slice name,
				struct cfs_slice rest)
{
	struct user *u = calloc(1, sizeof(*u)), **end = &users;
	CFS_BUF(url, CFS_LOCATION_MAX + 1);

	if (u == NULL)
		return CFS_ENOMEM;
	cfs_buf_add(&url, scheme);
	cfs_buf_adds(&url, "://");
	cfs_buf_add(&url, rest);
	u->url = canonical(cfs_buf_str(&url));
	u->name = strndup((const char *)name.p, name.n);
	if (u->url == NULL || u->name == NULL) {
		int rc = u->name == NULL ? CFS_ENOMEM : CFS_OK;

		free(u->url);
		free(u->name);
		free(u);
		return rc;
	}
	while (*end != NULL)
		end = &(*end)->next;
	*end = u;
	return CFS_OK;
}

/* Finds the '@' behind a user; NULL if there is none.  Among the words after -o
 * a comma ends a URL.  A typed password may contain a '/': that is assumed if
 * what follows the ':' cannot be a port. */
static char *end_of_user(char *authority, bool in_words)
{
	const char *ends = in_words ? "/?#," : "/?#";
	size_t n = strcspn(authority, ends);
	char *at = memrchr(authority, '@', n), *colon;

	if (at != NULL || authority[0] == '[')
		return at;
	colon = memchr(authority, ':', n);
	if (colon == NULL || authority[n] != '/' ||
	    strspn(colon + 1, "0123456789") ==
		    n - (size_t)(colon + 1 - authority))
		return NULL;
	at = strchr(authority, '@');
	return at == NULL ? NULL : memrchr(at, '@', strcspn(at, ends));
}

/* Does the argument contain other words than a URL? */
static bool is_words(const char *text)
{
	return text[0] != '-' && !cfs_location_is_url(text);
}

int cfs_credentials_take(char *text)
{
	bool in_words = is_words(text);
	char *from = text, *mark;
	int rc = CFS_OK;

	while (rc == CFS_OK && (mark = strstr(from, "://")) != NULL) {
		char *scheme = mark, *at;
		size_t n;

		from = mark + 3;
		while (scheme > text && cfs_is_alnum((uint8_t)scheme[-1]))
			scheme--;
		if (mark - scheme == 2 && strncasecmp(scheme, "s3", 2) == 0)
			continue;
		at = end_of_user(from, in_words);
		if (at == NULL)
			continue;
		rc = url_credentials_keep(cfs_slice_of(scheme,
						       (size_t)(mark - scheme)),
					  cfs_slice_of(from,
						       (size_t)(at - from)),
					  cfs_slice_of(at + 1,
						       strcspn(at + 1,
							       in_words ? "," :
									  "")));
		n = strlen(at + 1);
		memmove(from, at + 1, n);
		memset(from + n, 0, (size_t)(at + 1 - from));
	}
	return rc;
}

/* The query of the http: or https: URL that begins here, behind its '?'; NULL
 * if there is none. */
static char *query_of(char *url, bool in_words)
{
	size_t n;

	if (strncasecmp(url, "http://", 7) != 0 &&
	    strncasecmp(url, "https://", 8) != 0)
		return NULL;
	n = strcspn(url, in_words ? "?," : "?");
	return url[n] == '?' && url[n + 1] != '\0' ? url + n + 1 : NULL;
}

static size_t query_bytes(const char *query, bool in_words)
{
	size_t n = 0;

	while (query[n] != '\0' && !(in_words && query[n] == ','))
		n += 1 + (in_words && query[n] == '\\' && query[n + 1] != '\0');
	return n;
}

int cfs_credentials_hide_queries(char *text, char **out)
{
	bool in_words = is_words(text);

	*out = NULL;
	for (char *at = text; *at != '\0'; at++) {
		char *query = query_of(at, in_words);
		size_t n, left, dots;

		if (query == NULL)
			continue;
		if (*out == NULL && (*out = strdup(text)) == NULL)
			return CFS_ENOMEM;
		n = query_bytes(query, in_words);
		left = strlen(query + n);
		dots = n < 3 ? n : 3;
		memset(query, '.', dots);
		memmove(query + dots, query + n, left);
		memset(query + dots + left, 0, n - dots);
		at = query + dots - 1;
	}
	return CFS_OK;
}

/* Number of bytes in which two texts agree, from their beginnings. */
static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	return n;
}

/* Length of a URL up to and including the first '/' of its path. */
static size_t origin_bytes(const char *url)
{
	const char *host = strstr(url, "://") + 3;

	return (size_t)(host - url) + strcspn(host, "/") + 1;
}

struct cfs_slice cfs_credentials_find(const struct cfs_location *loc)
{
	const struct user *best = NULL;
	size_t best_n = 0;
	CFS_BUF(url, 4 * CFS_LOCATION_MAX);

	if (users == NULL || loc->scheme == CFS_LOC_S3)
		return CFS_SLICE_EMPTY;
	cfs_location_canonical(loc, &url);
	for (const struct user *u = users; u != NULL && url.failed == CFS_OK;
	     u = u->next) {
		size_t n = common(u->url, cfs_buf_str(&url));

		if (n >= origin_bytes(u->url) && n > best_n) {
			best = u;
			best_n = n;
		}
	}
	return best != NULL ? cfs_slice_str(best->name) : CFS_SLICE_EMPTY;
}

void cfs_credentials_release(void)
{
	while (users != NULL) {
		struct user *u = users;

		users = u->next;
		free(u->url);
		free(u->name);
		free(u);
	}
}
