/* reach.c - the hosts that the user named or allowed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "reach.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "base/ascii.h"

/* Enough for a command line; longer lists of URLs are in files. */
#define NAMED_MAX ((size_t)1 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cfs_buf named;	/* guarded by lock: "host\n", "s3://bucket\n" */
static char *allowed;		/* guarded by lock */

/* ---- what the user named ------------------------------------------------ */

static void add_named_locked(struct cfs_slice url)
{
	struct cfs_location loc;
	CFS_BUF(text, CFS_LOCATION_MAX + 1);

	cfs_buf_add(&text, url);
	cfs_buf_adds(&text, "/x");	/* an s3: URL needs a key */
	if (text.failed == CFS_OK &&
	    cfs_location_parse(&loc, cfs_buf_str(&text), NULL) == CFS_OK) {
		if (loc.scheme == CFS_LOC_S3)
			cfs_buf_adds(&named, "s3://");
		cfs_buf_add_lower(&named, loc.host);
		cfs_buf_addc(&named, '\n');
	}
}

int cfs_reach_name(const char *text)
{
	const char *mark = text;
	int rc = CFS_OK;

	pthread_mutex_lock(&lock);
	if (named.max == 0)
		cfs_buf_init(&named, NAMED_MAX);
	while ((mark = strstr(mark, "://")) != NULL) {
		const char *url = mark;

		while (url > text && cfs_is_alnum((uint8_t)url[-1]))
			url--;
		mark += 3;
		add_named_locked(cfs_slice_of(url, (size_t)(mark - url) +
					      strcspn(mark, "/,?#")));
	}
	if (named.failed == CFS_ENOMEM)
		rc = CFS_ENOMEM;
	pthread_mutex_unlock(&lock);
	return rc;
}

static bool is_named_locked(const struct cfs_location *loc)
{
	struct cfs_slice rest = cfs_buf_slice(&named);
	const struct cfs_slice s3 = CFS_SLICE_LIT("s3://");

	while (rest.n > 0) {
		struct cfs_slice one = cfs_slice_split(&rest, '\n');
		bool is_bucket = cfs_slice_starts(one, s3);

		if (is_bucket == (loc->scheme == CFS_LOC_S3) &&
		    cfs_slice_eq_nocase(cfs_slice_from(one, is_bucket ? s3.n :
								      0),
					loc->host))
			return true;
	}
	return false;
}

/* ---- what the user allows ----------------------------------------------- */

/* Takes the next host of a list; an IPv6 address is in brackets. */
static struct cfs_slice next_host(struct cfs_slice *list)
{
	struct cfs_slice all = *list;
	size_t n = 0;

	if (all.n > 0 && all.p[0] == '[')
		while (n < all.n && all.p[n] != ']')
			n++;
	while (n < all.n && all.p[n] != ',' && all.p[n] != ':')
		n++;
	*list = cfs_slice_from(all, n < all.n ? n + 1 : n);
	return cfs_slice_sub(all, 0, n);
}

static bool reach_is_pattern(struct cfs_slice s)
{
	return s.n > 0 && s.p[0] == '*';
}

static bool reach_matches(struct cfs_slice pattern, struct cfs_slice host)
{
	if (!reach_is_pattern(pattern))
		return cfs_slice_eq_nocase(pattern, host);
	pattern = cfs_slice_from(pattern, 1);
	return host.n > pattern.n &&
	       cfs_slice_eq_nocase(cfs_slice_from(host, host.n - pattern.n),
				   pattern);
}

int cfs_reach_allow(const char *list, struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(list != NULL ? list : "");
	char *copy = NULL;

	while (rest.n > 0) {
		struct cfs_slice s = next_host(&rest), name = s;

		if (reach_is_pattern(s))
			name = cfs_slice_from(s, s.n > 1 && s.p[1] == '.' ? 2 :
									    1);
		if ((!reach_is_pattern(s) || s.n > 1) &&
		    !cfs_location_is_host(name))
			return cfs_error_set(err, CFS_EUSAGE,
					     "'%.*s' is not the "
					     "name of a host, nor *.NAME or *",
					     (int)(s.n < 80 ? s.n : 80),
					     (const char *)s.p);
	}
	if (list != NULL && (copy = strdup(list)) == NULL)
		return cfs_error_nomem(err);
	pthread_mutex_lock(&lock);
	free(allowed);
	allowed = copy;
	pthread_mutex_unlock(&lock);
	return CFS_OK;
}

/* *by_pattern: only a pattern allows it. */
static bool is_allowed_locked(struct cfs_slice host, bool *by_pattern)
{
	struct cfs_slice rest = cfs_slice_str(allowed != NULL ? allowed : "");
	bool yes = false;

	*by_pattern = false;
	while (rest.n > 0) {
		struct cfs_slice s = next_host(&rest);

		if (!reach_matches(s, host))
			continue;
		yes = true;
		*by_pattern = reach_is_pattern(s);
		if (!*by_pattern)
			break;
	}
	return yes;
}

bool cfs_reach_is_by_pattern(struct cfs_slice host)
{
	const struct cfs_location loc = { .scheme = CFS_LOC_HTTP,
					  .host = host };
	bool by_pattern = false;

	pthread_mutex_lock(&lock);
	if (!is_named_locked(&loc))
		is_allowed_locked(host, &by_pattern);
	pthread_mutex_unlock(&lock);
	return by_pattern;
}

/* ---- judging ------------------------------------------------------------ */

/* Is it Common Crawl's public server, under any of its names? */
static bool reach_is_common_crawl(const struct cfs_location *loc)
{
	CFS_BUF(key, 4 * CFS_LOCATION_MAX);
	bool yes;

	yes = loc->scheme != CFS_LOC_S3 && cfs_location_common_crawl(loc, &key);
	return yes;
}

/* Does the name alone show that it is on this machine, link or site? */
static bool is_inner(const struct cfs_location *loc)
{
	enum cfs_address_class class;

	return cfs_address_of_host(loc->host, &class) &&
	       class != CFS_ADDRESS_PUBLIC;
}

static const char *refusal_locked(const struct cfs_location *from,
				  const struct cfs_location *to)
{
	bool is_own =
		cfs_slice_eq_nocase(from->host, to->host) &&
		(from->scheme == CFS_LOC_S3) == (to->scheme == CFS_LOC_S3);
	bool by_pattern;

	if (from->scheme == CFS_LOC_HTTPS && to->scheme == CFS_LOC_HTTP)
		return "it is not encrypted, unlike what names it";
	if (is_own || is_named_locked(to) || reach_is_common_crawl(to))
		return NULL;
	if (to->scheme == CFS_LOC_S3)
		return "it is in another bucket, which the user has not named";
	if (!is_allowed_locked(to->host, &by_pattern))
		return "it is on another server (--allow-host=HOST allows it)";
	return by_pattern && is_inner(to) ?
	       "it is of this machine or site, and allowed by a pattern only" :
	       NULL;
}

const char *cfs_reach_refusal(const char *from, const char *to)
{
	struct cfs_location a, b;
	const char *why;

	if (!cfs_location_is_url(from))
		return NULL;
	if (cfs_location_parse(&a, from, NULL) != CFS_OK ||
	    cfs_location_parse(&b, to, NULL) != CFS_OK)
		return "it is not a URL of http, https or s3";
	pthread_mutex_lock(&lock);
	why = refusal_locked(&a, &b);
	pthread_mutex_unlock(&lock);
	return why;
}

void cfs_reach_release(void)
{
	pthread_mutex_lock(&lock);
	cfs_buf_release(&named);
	free(allowed);
	allowed = NULL;
	pthread_mutex_unlock(&lock);
}
