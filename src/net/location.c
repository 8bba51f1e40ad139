/* location.c - URLs of remote objects: parsing, canonical form, names.
 *
 * Spec: RFC 3986, limited to what names a file on a server:
 *
 *     scheme "://" [user "@"] host [":" port] [path] ["?" query] ["#" ...]
 * An s3 URL is s3://BUCKET/KEY, with the key's bytes unencoded.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "location.h"

#include <inttypes.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/text.h"

#define PORT_MAX 65535u

bool cfs_location_is_url(const char *s)
{
	size_t n = 0;

	if (!cfs_is_alpha((uint8_t)s[0]))
		return false;
	while (cfs_is_alnum((uint8_t)s[n]) || s[n] == '+' || s[n] == '.' ||
	       s[n] == '-')
		n++;
	return strncmp(s + n, "://", 3) == 0;
}

#define SHOWN 61		/* bytes of a URL in a message, with its NUL */

static int location_take_scheme(struct cfs_location *out,
				struct cfs_slice *rest, const char *shown,
				struct cfs_error *err)
{
	static const struct {
		const char *text;
		enum cfs_loc_scheme scheme;
	} all[] = {
		{ "http://", CFS_LOC_HTTP },
		{ "https://", CFS_LOC_HTTPS },
		{ "s3://", CFS_LOC_S3 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct cfs_slice s = cfs_slice_str(all[i].text);

		if (!cfs_slice_starts_nocase(*rest, s))
			continue;
		out->scheme = all[i].scheme;
		*rest = cfs_slice_from(*rest, s.n);
		return CFS_OK;
	}
	return cfs_error_set(err, CFS_EUNSUPPORTED,
			     "'%s': only http:, https: and s3: can be read "
			     "over the network", shown);
}

static bool is_host_byte(uint8_t c)
{
	return cfs_is_alnum(c) || c == '-' || c == '.' || c == '_';
}

bool cfs_location_is_host(struct cfs_slice s)
{
	bool in_brackets = s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']';

	if (in_brackets)
		s = cfs_slice_sub(s, 1, s.n - 2);
	for (size_t i = 0; i < s.n; i++)
		if (!is_host_byte(s.p[i]) && !(in_brackets && s.p[i] == ':'))
			return false;
	return s.n > 0 && s.n < 256;
}

/* Parses host[:port]; an IPv6 host is in brackets. */
static bool take_host(struct cfs_location *out, struct cfs_slice authority)
{
	ptrdiff_t colon = cfs_slice_rfind(authority, ':');
	ptrdiff_t bracket = cfs_slice_rfind(authority, ']');
	uint64_t port;

	out->host = authority;
	if (colon >= 0 && colon > bracket) {
		out->host = cfs_slice_sub(authority, 0, (size_t)colon);
		out->port = cfs_slice_from(authority, (size_t)colon + 1);
		if (out->port.n > 0 &&
		    cfs_slice_parse_u64(out->port, PORT_MAX, &port) != CFS_OK)
			return false;
	}
	return cfs_location_is_host(out->host);
}

int cfs_location_parse(struct cfs_location *out, const char *url,
		       struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(url), authority;
	char shown[SHOWN];
	size_t n;
	ptrdiff_t at;
	int rc;

	*out = (struct cfs_location){ .user = CFS_SLICE_EMPTY,
		.host = CFS_SLICE_EMPTY, .port = CFS_SLICE_EMPTY,
		.path = CFS_SLICE_EMPTY };
	if (rest.n > CFS_LOCATION_MAX)
		return cfs_error_set(err, CFS_ELIMIT,
				     "URL of more than %u bytes",
				     CFS_LOCATION_MAX);
	cfs_text_hide_queries(shown, sizeof(shown), url);
	rc = location_take_scheme(out, &rest, shown, err);
	if (rc != CFS_OK)
		return rc;
	for (size_t i = 0; i < rest.n; i++)
		if (rest.p[i] < 0x20 || rest.p[i] == 0x7f)
			return cfs_error_set(err, CFS_EFORMAT,
				"'%s': a URL has no control characters", shown);
	n = cfs_slice_find_any(rest, 0, "/?#");
	authority = cfs_slice_sub(rest, 0, n);
	out->path = cfs_slice_from(rest, n);
	at = cfs_slice_rfind(authority, '@');
	if (at >= 0 && out->scheme != CFS_LOC_S3) {
		out->user = cfs_slice_sub(authority, 0, (size_t)at);
		authority = cfs_slice_from(authority, (size_t)at + 1);
	}
	if (!take_host(out, authority))
		return cfs_error_set(
			err, CFS_EFORMAT,
			cfs_location_is_host(out->host) ?
				"'%s': the port is not between 0 and 65535" :
				"no host in '%s'",
			shown);
	if (out->scheme == CFS_LOC_S3) {
		if (out->port.n > 0 || out->path.n < 2)
			return cfs_error_set(
				err, CFS_EFORMAT,
				"'%s' is not of the form s3://BUCKET/KEY",
				shown);
		return CFS_OK;
	}
	at = cfs_slice_find(out->path, '#');
	if (at >= 0)
		out->path = cfs_slice_sub(out->path, 0, (size_t)at);
	return CFS_OK;
}

/* Adds a path as a user wrote it: percent-escapes stay. */
static void location_add_path(struct cfs_buf *out, struct cfs_slice path)
{
	if (path.n == 0 || path.p[0] != '/')
		cfs_buf_addc(out, '/');
	for (size_t i = 0; i < path.n; i++) {
		uint8_t c = path.p[i];

		if (c <= 0x20 || c >= 0x7f || c == '"' || c == '<' ||
		    c == '>' || c == '\\' || c == '^' || c == '`' || c == '{' ||
		    c == '|' || c == '}')
			cfs_percent_add(out, c);
		else
			cfs_buf_addc(out, c);
	}
}

void cfs_location_canonical(const struct cfs_location *loc, struct cfs_buf *out)
{
	bool is_https = loc->scheme == CFS_LOC_HTTPS;
	struct cfs_slice usual = is_https ? CFS_SLICE_LIT("443") :
					    CFS_SLICE_LIT("80");

	cfs_buf_adds(out, is_https ? "https://" : "http://");
	cfs_buf_add_lower(out, loc->host);
	if (loc->port.n > 0 && !cfs_slice_eq(loc->port, usual)) {
		cfs_buf_addc(out, ':');
		cfs_buf_add(out, loc->port);
	}
	location_add_path(out, loc->path);
}

/* ---- Common Crawl ------------------------------------------------------ */

/* Buckets with the same objects; what their keys begin with there, and in
 * today's bucket (doc/formats.md, "Where the data is"). */
static const struct {
	const char *bucket, *old, *now;
} moved[] = {
	{ "commoncrawl", "/", "" },
	{ "aws-publicdatasets", "/common-crawl/", "" },
	{ "commoncrawl-crawl-002", "/", "crawl-002/" },
};

static bool location_key_of(struct cfs_slice bucket, struct cfs_slice path,
			    bool is_encoded, struct cfs_buf *key)
{
	for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		struct cfs_slice old = cfs_slice_str(moved[i].old);

		if (!cfs_slice_eq_nocase(bucket,
					 cfs_slice_str(moved[i].bucket)) ||
		    !cfs_slice_starts(path, old))
			continue;
		path = cfs_slice_from(path, old.n);
		cfs_buf_adds(key, moved[i].now);
		if (is_encoded)
			cfs_buf_add(key, path);
		else
			cfs_percent_encode(path, CFS_LOCATION_KEPT, key);
		return true;
	}
	return false;
}

/* Forms: s3.amazonaws.com, s3.REGION.amazonaws.com, s3-REGION.amazonaws.com */
static bool is_amazon_s3(struct cfs_slice host)
{
	return cfs_slice_starts_nocase(host, CFS_SLICE_LIT("s3")) &&
	       host.n > 2 && (host.p[2] == '.' || host.p[2] == '-') &&
	       host.n >= 16 &&
	       cfs_slice_eq_nocase(cfs_slice_from(host, host.n - 14),
				   CFS_SLICE_LIT(".amazonaws.com"));
}

static bool has_usual_port(const struct cfs_location *loc)
{
	return loc->port.n == 0 ||
	       cfs_slice_eq(loc->port, CFS_SLICE_LIT("443")) ||
	       cfs_slice_eq(loc->port, CFS_SLICE_LIT("80"));
}

bool cfs_location_common_crawl(const struct cfs_location *loc,
			       struct cfs_buf *key)
{
	struct cfs_slice rest;
	ptrdiff_t at;

	if (loc->scheme == CFS_LOC_S3)
		return location_key_of(loc->host, loc->path, false, key);
	if (!has_usual_port(loc) || loc->user.n > 0 || loc->path.n == 0)
		return false;
	if (cfs_slice_eq_nocase(loc->host,
				CFS_SLICE_LIT(CFS_COMMON_CRAWL_HOST))) {
		CFS_BUF(b, 4 * CFS_LOCATION_MAX);

		location_add_path(&b, loc->path);
		cfs_buf_add(key, cfs_slice_from(cfs_buf_slice(&b), 1));
		return true;
	}
	if (is_amazon_s3(loc->host)) {		/* https://s3.../BUCKET/KEY */
		rest = cfs_slice_from(loc->path, 1);
		at = cfs_slice_find(rest, '/');
		return at > 0 &&
		       location_key_of(cfs_slice_sub(rest, 0, (size_t)at),
				       cfs_slice_from(rest, (size_t)at), true,
				       key);
	}
	at = cfs_slice_find(loc->host, '.');	/* https://BUCKET.s3.../KEY */
	return at > 0 &&
	       is_amazon_s3(cfs_slice_from(loc->host, (size_t)at + 1)) &&
	       location_key_of(cfs_slice_sub(loc->host, 0, (size_t)at),
			       loc->path, true, key);
}

/* ---- folders and names ------------------------------------------------- */

static bool is_http(const char *url)
{
	struct cfs_slice s = cfs_slice_str(url);

	return cfs_slice_starts_nocase(s, CFS_SLICE_LIT("http://")) ||
	       cfs_slice_starts_nocase(s, CFS_SLICE_LIT("https://"));
}

/* True for "." and "..", whose dots may be escaped. */
static bool is_dots(struct cfs_slice s)
{
	unsigned dots = 0;

	while (s.n > 0) {
		size_t n = s.p[0] == '.' ? 1 :
			   cfs_slice_starts_nocase(s, CFS_SLICE_LIT("%2e")) ?
			   3 : 0;

		if (n == 0 || ++dots > 2)
			return false;
		s = cfs_slice_from(s, n);
	}
	return dots > 0;
}

/* True for text that may follow a folder in a URL: see cfs_location_join. */
static bool is_url_text(struct cfs_slice s)
{
	ptrdiff_t query = cfs_slice_find(s, '?');
	struct cfs_slice path;

	for (size_t i = 0; i < s.n; i++) {
		bool in_query = query >= 0 && i > (size_t)query;

		if (s.p[i] <= 0x20 || s.p[i] >= 0x7f || s.p[i] == '#' ||
		    s.p[i] == (in_query ? '/' : '\\'))
			return false;
	}
	path = cfs_slice_split(&s, '?');
	while (path.n > 0)
		if (is_dots(cfs_slice_split(&path, '/')))
			return false;
	return true;
}

static bool is_as_written(struct cfs_slice name)
{
	return cfs_slice_starts(name, CFS_SLICE_LIT("./")) &&
	       is_url_text(cfs_slice_from(name, 2));
}

void cfs_location_join(struct cfs_buf *out, const char *base,
		       struct cfs_slice name)
{
	size_t n = strlen(base);

	cfs_buf_adds(out, base);
	if (n > 0 && base[n - 1] != '/')
		cfs_buf_addc(out, '/');
	if (!is_http(base)) {
		cfs_buf_add(out, name);
	} else if (is_as_written(name)) {
		for (size_t i = 2; i < name.n; i++)
			cfs_buf_addc(out, name.p[i] == '\\' ? '/' : name.p[i]);
	} else {
		cfs_percent_encode(name, CFS_LOCATION_KEPT, out);
	}
}

/* True if encoding the decoded text gives the text back, and the decoded form
 * has no control characters: names are stored in lines of text. */
static bool is_encoded_name(struct cfs_slice text, struct cfs_buf *decoded)
{
	CFS_BUF(again, 3 * CFS_LOCATION_MAX);
	bool yes;

	cfs_percent_decode(text, false, decoded);
	cfs_percent_encode(cfs_buf_slice(decoded), CFS_LOCATION_KEPT, &again);
	yes = again.failed == CFS_OK && decoded->failed == CFS_OK &&
	      cfs_slice_eq(cfs_buf_slice(&again), text);
	for (size_t i = 0; i < decoded->n; i++)
		yes = yes && decoded->p[i] >= 0x20 && decoded->p[i] != 0x7f;
	return yes;
}

void cfs_location_name(struct cfs_buf *out, struct cfs_slice text)
{
	ptrdiff_t query = cfs_slice_find(text, '?');
	CFS_BUF(decoded, CFS_LOCATION_MAX);

	if (cfs_slice_find(text, '%') < 0 && query < 0) {
		cfs_buf_add(out, text);
		return;
	}
	if (is_encoded_name(text, &decoded)) {
		cfs_buf_add(out, cfs_buf_slice(&decoded));
	} else {
		cfs_buf_adds(out, "./");
		/* These bytes are encoded in any request. */
		for (size_t i = 0; i < text.n; i++)
			if (text.p[i] <= 0x20 || text.p[i] >= 0x7f)
				cfs_percent_add(out, text.p[i]);
			else if (text.p[i] == '/' && query >= 0 &&
				 i > (size_t)query)
				cfs_buf_addc(out, '\\');
			else
				cfs_buf_addc(out, text.p[i]);
	}
}

/* ---- queries ----------------------------------------------------------- */

/* Offset of the query, behind its '?'; -1: none. */
static ptrdiff_t query_at(struct cfs_slice s)
{
	bool is_web = cfs_slice_starts_nocase(s, CFS_SLICE_LIT("http://")) ||
		      cfs_slice_starts_nocase(s, CFS_SLICE_LIT("https://"));
	ptrdiff_t at = is_web || cfs_slice_starts(s, CFS_SLICE_LIT("./")) ?
		       cfs_slice_find(s, '?') : -1;

	return at < 0 || (size_t)at + 1 == s.n ? -1 : at + 1;
}

bool cfs_location_has_query(struct cfs_slice s)
{
	return query_at(s) >= 0;
}

/* The member of a WACZ file (record/wacz.h) that follows a query. */
static struct cfs_slice location_member_of(struct cfs_slice query)
{
	static const char mark[] = "#!/";
	const uint8_t *p = memmem(query.p, query.n, mark, strlen(mark));

	return p == NULL ? CFS_SLICE_EMPTY :
	       cfs_slice_from(query, (size_t)(p - query.p));
}

void cfs_location_show(struct cfs_buf *out, struct cfs_slice s)
{
	ptrdiff_t at = query_at(s);

	if (at < 0) {
		cfs_buf_add(out, s);
		return;
	}
	cfs_buf_add(out, cfs_slice_sub(s, 0, (size_t)at));
	cfs_buf_adds(out, "...");
	cfs_buf_add(out, location_member_of(cfs_slice_from(s, (size_t)at)));
}

/* Bytes up to the next URL of a list, without the comma. */
static size_t to_next_url(const char *list)
{
	const char *at = list;

	while ((at = strchr(at, ',')) != NULL && !cfs_location_is_url(at + 1))
		at++;
	return at != NULL ? (size_t)(at - list) : strlen(list);
}

void cfs_location_show_list(struct cfs_buf *out, const char *list)
{
	for (;;) {
		size_t n = to_next_url(list);

		cfs_location_show(out, cfs_slice_of(list, n));
		list += n;
		if (*list == '\0')
			break;
		cfs_buf_addc(out, (uint8_t)*list++);
	}
}

void cfs_location_identity(struct cfs_buf *out, struct cfs_slice canonical)
{
	ptrdiff_t at = query_at(canonical);
	struct cfs_slice query;

	cfs_location_show(out, canonical);
	if (at < 0)
		return;
	query = cfs_slice_from(canonical, (size_t)at);
	cfs_buf_addf(out, "%016" PRIx64 "%016" PRIx64, cfs_hash64(query, 0),
		     cfs_hash_fast(query, query.n));
}

struct cfs_slice cfs_location_folder(const char *url)
{
	const char *host, *end;

	if (!cfs_location_is_url(url))
		return CFS_SLICE_EMPTY;
	host = strstr(url, "://") + 3;
	end = host + strcspn(host, "?#");
	while (end > host && end[-1] != '/')
		end--;
	return end > host ? cfs_slice_of(url, (size_t)(end - url)) :
			    cfs_slice_str(url);
}
