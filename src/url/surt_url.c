/* surt_url.c - URLs to SURT keys (doc/formats.md, "SURT keys", step by step).
 *
 * Escapes are undone repeatedly until none is left, then bytes up to 20, from
 * 7F on, '#' and '%' are escaped once.  The host is converted to ASCII and
 * lower case and loses "www."; dot segments and empty segments are removed from
 * the path, session ids from path and query; the query parameters are sorted.
 * Limits: CFS_URL_MAX bytes of input, CFS_KEY_MAX of output.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "surt.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uidna.h>

#include "base/ascii.h"
#include "base/guard.h"
#include "base/hex.h"
#include "base/utf8.h"

#define HOST_MAX 1024u		/* bytes of a host converted to ASCII */
#define SESSION_DIGITS 32u
#define ASPX_DIGITS 24u

static void lower_all(struct cfs_buf *b, size_t from)
{
	for (size_t i = from; i < b->n; i++)
		b->p[i] = cfs_ascii_lower(b->p[i]);
}

/* ---- escapes ---- */

/* Appends s with all escapes undone, including those that an unescaped byte
 * completes. */
static void add_unescaped(struct cfs_buf *b, struct cfs_slice s)
{
	size_t from = b->n;

	if (cfs_slice_find(s, '%') < 0) {
		cfs_buf_add(b, s);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		cfs_buf_addc(b, s.p[i]);
		while (b->failed == CFS_OK && b->n - from >= 3 &&
		       b->p[b->n - 3] == '%') {
			int c = cfs_percent_value(
				cfs_slice_of(b->p + b->n - 3, 3));

			if (c < 0)
				break;
			b->n -= 2;
			b->p[b->n - 1] = (uint8_t)c;
		}
	}
}

static void add_escaped(struct cfs_buf *b, struct cfs_slice s)
{
	for (;;) {
		size_t n = 0;

		while (n < s.n && s.p[n] > 0x20 && s.p[n] < 0x7f &&
		       s.p[n] != '#' && s.p[n] != '%')
			n++;
		cfs_buf_append(b, s.p, n);
		if (n == s.n)
			break;
		cfs_percent_add(b, s.p[n]);
		s = cfs_slice_from(s, n + 1);
	}
}

/* ---- hosts ---- */

/* Removes dots at both ends and repeated dots, in place. */
static void tidy_dots(struct cfs_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->p[i] != '.' || (n > 0 && b->p[n - 1] != '.'))
			b->p[n++] = b->p[i];
	while (n > 0 && b->p[n - 1] == '.')
		n--;
	b->n = n;
}

/* Converts a host that is one number, decimal or octal, to an IPv4 address. */
static void dot_number(struct cfs_buf *b)
{
	uint64_t v = 0, base = b->n > 1 && b->p[0] == '0' ? 8 : 10;

	if (b->n == 0)
		return;
	for (size_t i = 0; i < b->n; i++) {
		if (!cfs_is_digit(b->p[i]) || (uint64_t)(b->p[i] - '0') >= base)
			return;
		v = v * base + (uint64_t)(b->p[i] - '0');
		if (v > UINT32_MAX)
			return;
	}
	cfs_buf_reset(b);
	cfs_buf_addf(b, "%u.%u.%u.%u", (unsigned)(v >> 24),
		     (unsigned)(v >> 16 & 255), (unsigned)(v >> 8 & 255),
		     (unsigned)(v & 255));
}

struct ascii_host {
	struct cfs_slice host;
	char out[HOST_MAX];
	int32_t n;		/* bytes of out; 0: it cannot be converted */
	UErrorCode code;
	UIDNA *idna;
};

static void convert_host(void *arg)
{
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	struct ascii_host *h = arg;

	h->idna = uidna_openUTS46(UIDNA_DEFAULT, &h->code);
	h->n = uidna_nameToASCII_UTF8(h->idna, (const char *)h->host.p,
				      (int32_t)h->host.n, h->out,
				      sizeof(h->out), &info, &h->code);
	if (U_FAILURE(h->code) || info.errors != 0)
		h->n = 0;
}

void cfs_surt_ascii_host(struct cfs_buf *b)
{
	struct ascii_host h = { .host = cfs_buf_slice(b),
				.code = U_ZERO_ERROR };

	if (cfs_ascii_run(h.host) == b->n || b->n > HOST_MAX / 4)
		return;
	if (!cfs_guarded(convert_host, &h) ||
	    h.code == U_MEMORY_ALLOCATION_ERROR) {
		b->failed = CFS_ENOMEM;
	} else if (h.n > 0 && h.n < (int32_t)sizeof(h.out)) {
		cfs_buf_reset(b);
		cfs_buf_append(b, h.out, (size_t)h.n);
	}
	if (h.idna != NULL)
		uidna_close(h.idna);
}

/* Removes "www.", "www2." and so on from the front, repeatedly. */
static struct cfs_slice strip_www(struct cfs_slice host)
{
	while (cfs_slice_starts(host, CFS_SLICE_LIT("www"))) {
		size_t i = 3;

		while (i < host.n && cfs_is_digit(host.p[i]))
			i++;
		if (i == host.n || host.p[i] != '.')
			break;
		host = cfs_slice_from(host, i + 1);
	}
	return host;
}

/* raw and tidy, here and below, are empty scratch buffers. */
static int add_host(struct cfs_buf *out, const struct cfs_url *u,
		    struct cfs_buf *raw, struct cfs_buf *tidy)
{
	size_t from = out->n;

	add_unescaped(raw, u->host);
	if (raw->n > 1 && raw->p[0] == '[') {
		struct cfs_slice inner = cfs_slice_from(cfs_buf_slice(raw), 1);
		ptrdiff_t close = cfs_slice_rfind(inner, ']');

		add_escaped(out, cfs_slice_sub(inner, 0, (size_t)close));
	} else {
		cfs_surt_ascii_host(raw);
		lower_all(raw, 0);
		tidy_dots(raw);
		dot_number(raw);
		add_escaped(tidy, strip_www(cfs_buf_slice(raw)));
		cfs_path_reverse_labels(out, cfs_buf_slice(tidy), '.', ',');
	}
	lower_all(out, from);
	return raw->n == 0 ? CFS_ENOTFOUND : CFS_OK;
}

static void add_port(struct cfs_buf *out, const struct cfs_url *u)
{
	uint64_t port = 0;

	if (cfs_slice_parse_u64(u->port, 65535, &port) != CFS_OK || port == 0 ||
	    (u->scheme == CFS_SCHEME_HTTP && port == 80) ||
	    (u->scheme == CFS_SCHEME_HTTPS && port == 443))
		return;
	cfs_buf_addf(out, ":%u", (unsigned)port);
}

/* ---- paths ---- */

/* Appends the segments, each with a '/' before it, without empty and dot
 * segments, which are resolved. */
static void add_segments(struct cfs_buf *b, struct cfs_slice path)
{
	size_t from = b->n;

	while (path.n > 0) {
		struct cfs_slice s = cfs_slice_split(&path, '/');

		if (s.n == 0 || cfs_slice_eq(s, CFS_SLICE_LIT(".")))
			continue;
		if (cfs_slice_eq(s, CFS_SLICE_LIT(".."))) {
			while (b->n > from && b->p[--b->n] != '/')
				continue;
			continue;
		}
		cfs_buf_addc(b, '/');
		cfs_buf_add(b, s);
	}
}

static bool are_alnum(struct cfs_slice s, size_t n)
{
	if (s.n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!cfs_is_alnum(s.p[i]))
			return false;
	return true;
}

/* True for "(" 24 alnum ")" and "(" 1*( letter "(" 24 alnum ")" ) ")". */
static bool is_session_segment(struct cfs_slice s)
{
	if (s.n < ASPX_DIGITS + 2 || s.p[0] != '(' || s.p[s.n - 1] != ')')
		return false;
	s = cfs_slice_sub(s, 1, s.n - 2);
	if (s.n == ASPX_DIGITS)
		return are_alnum(s, ASPX_DIGITS);
	while (s.n > 0) {
		if (s.n < ASPX_DIGITS + 3 || !cfs_is_alpha(s.p[0]) ||
		    s.p[1] != '(' || s.p[ASPX_DIGITS + 2] != ')' ||
		    !are_alnum(cfs_slice_from(s, 2), ASPX_DIGITS))
			return false;
		s = cfs_slice_from(s, ASPX_DIGITS + 3);
	}
	return true;
}

/* Removes the last session segment before an .aspx from b[from..], which has no
 * capital letters. */
static void drop_session_segment(struct cfs_buf *b, size_t from)
{
	struct cfs_slice path = cfs_slice_from(cfs_buf_slice(b), from);
	ptrdiff_t aspx = -1, more;
	size_t end;

	/* the last .aspx counts */
	while ((more = cfs_slice_search(
			cfs_slice_from(path, (size_t)(aspx + 1)),
			CFS_SLICE_LIT(".aspx"))) >= 0)
		aspx += 1 + more;
	for (end = aspx < 0 ? 0 : (size_t)aspx; end > 0; end--) {
		struct cfs_slice before = cfs_slice_sub(path, 0, end - 1);
		ptrdiff_t slash = cfs_slice_rfind(before, '/');

		if (path.p[end - 1] != '/' || end == (size_t)aspx ||
		    slash < 0 ||
		    !is_session_segment(
			    cfs_slice_from(before, (size_t)slash + 1)))
			continue;
		memmove(b->p + from + (size_t)slash + 1, b->p + from + end,
			path.n - end);
		b->n -= end - ((size_t)slash + 1);
		return;
	}
}

/* Appends a path with its backslashes replaced by slashes. */
static void add_slashes(struct cfs_buf *out, struct cfs_slice path)
{
	for (size_t i = 0; i < path.n; i++)
		cfs_buf_addc(out, path.p[i] == '\\' ? '/' : path.p[i]);
}

static void add_path(struct cfs_buf *out, const struct cfs_url *u,
		     struct cfs_slice path, struct cfs_buf *raw,
		     struct cfs_buf *tidy)
{
	size_t from = out->n;

	raw->n = tidy->n = 0;
	if (u->has_backslashes) {
		add_slashes(tidy, path);
		path = cfs_buf_slice(tidy);
	}
	add_unescaped(raw, path);
	tidy->n = 0;
	add_segments(tidy, cfs_buf_slice(raw));
	add_escaped(out, cfs_buf_slice(tidy));
	lower_all(out, from);
	drop_session_segment(out, from);
	if (out->n == from)
		cfs_buf_addc(out, '/');
}

/* ---- queries ---- */

static const struct cfs_slice session_names[] = {
	CFS_SLICE_LIT("jsessionid="), CFS_SLICE_LIT("phpsessid="),
	CFS_SLICE_LIT("sid="), CFS_SLICE_LIT("aspsessionid"),
	CFS_SLICE_LIT("cfid="),
};

/* Returns the length of the session id of kind `which` whose name s begins
 * with, or 0 if there is none. */
static size_t session_length(struct cfs_slice s, unsigned which)
{
	size_t n = session_names[which].n, name = n, id;
	struct cfs_slice rest = cfs_slice_from(s, n);

	if (which < 3)
		return are_alnum(rest, SESSION_DIGITS) ? n + SESSION_DIGITS : 0;
	if (which == 3) {
		for (size_t i = 0; i < 8 + 1 + ASPX_DIGITS; i++)
			if (n + i >= s.n || (i == 8 ? s.p[n + i] != '=' :
					     !cfs_is_alpha(s.p[n + i])))
				return 0;
		return n + 8 + 1 + ASPX_DIGITS;
	}
	n = cfs_slice_find_any(s, n, "&");
	if (n == name ||
	    !cfs_slice_starts(cfs_slice_from(s, n), CFS_SLICE_LIT("&cftoken=")))
		return 0;
	n += strlen("&cftoken=");
	id = n;
	n = cfs_slice_find_any(s, n, "&");
	return n > id ? n : 0;
}

/* Removes the first session id of one kind from q[from..]; returns where to
 * look on, or q->n when there is no more to look at. */
static size_t drop_session(struct cfs_buf *q, unsigned which, size_t from)
{
	struct cfs_slice s = cfs_slice_from(cfs_buf_slice(q), from);
	ptrdiff_t at = cfs_slice_search(s, session_names[which]);
	size_t n;

	if (at < 0)
		return q->n;
	from += (size_t)at;
	s = cfs_slice_from(s, (size_t)at);
	n = session_length(s, which);
	if (n == 0 || (n < s.n && s.p[n] != '&'))
		return from + 1;
	n += n < s.n;		/* and its '&' */
	memmove(q->p + from, q->p + from + n, s.n - n);
	q->n -= n;
	return q->n;
}

/* Removes the first session id of each kind from q, which has no capital
 * letters. */
static void drop_sessions(struct cfs_buf *q)
{
	for (unsigned which = 0; which < 5; which++)
		for (size_t from = 0; from < q->n;)
			from = drop_session(q, which, from);
}

/* Compares parameters by name, then by value; a bare name comes before one with
 * '='. */
static int by_name(const void *a, const void *b)
{
	struct cfs_slice x = *(const struct cfs_slice *)a;
	struct cfs_slice y = *(const struct cfs_slice *)b;
	struct cfs_slice x_rest = x, y_rest = y;
	int c = cfs_slice_cmp(cfs_slice_split(&x_rest, '='),
			      cfs_slice_split(&y_rest, '='));

	return c != 0 ? c : cfs_slice_cmp(x, y);
}

/* Appends '?' and the parameters of q, sorted. */
static int add_sorted(struct cfs_buf *out, struct cfs_slice q)
{
	size_t n = 1, k = 0;
	struct cfs_slice *v;

	for (size_t i = 0; i < q.n; i++)
		n += q.p[i] == '&';
	v = calloc(n, sizeof(*v));
	if (v == NULL)
		return CFS_ENOMEM;
	while (k < n)
		v[k++] = cfs_slice_split(&q, '&');
	qsort(v, n, sizeof(*v), by_name);
	for (size_t i = 0; i < n; i++) {
		cfs_buf_addc(out, i == 0 ? '?' : '&');
		cfs_buf_add(out, v[i]);
	}
	free(v);
	return CFS_OK;
}

static int add_query(struct cfs_buf *out, struct cfs_slice query,
		     struct cfs_buf *raw, struct cfs_buf *tidy)
{
	raw->n = tidy->n = 0;
	add_unescaped(raw, query);
	add_escaped(tidy, cfs_buf_slice(raw));
	lower_all(tidy, 0);
	drop_sessions(tidy);
	return tidy->n > 0 ? add_sorted(out, cfs_buf_slice(tidy)) : CFS_OK;
}

/* ---- the whole ---- */

static int encode(const struct cfs_url *u, struct cfs_buf *out)
{
	struct cfs_slice fragment = u->path;
	struct cfs_slice query = cfs_slice_split(&fragment, '#');
	struct cfs_slice path = cfs_slice_split(&query, '?');
	CFS_BUF(tidy, 4 * CFS_URL_MAX);
	CFS_BUF(raw, CFS_URL_MAX);
	int rc;

	cfs_buf_reserve(&raw, u->host.n + u->path.n);
	cfs_buf_reserve(&tidy, u->host.n + u->path.n);
	rc = add_host(out, u, &raw, &tidy);
	add_port(out, u);
	cfs_buf_addc(out, ')');
	add_path(out, u, path, &raw, &tidy);
	if (rc == CFS_OK)
		rc = add_query(out, query, &raw, &tidy);
	if (rc == CFS_OK)
		rc = raw.failed != CFS_OK ? raw.failed : tidy.failed;
	return rc;
}

int cfs_surt_encode(struct cfs_slice url, struct cfs_buf *out)
{
	uint8_t scratch[CFS_URL_MAX];
	struct cfs_url u;
	size_t before = out->n;
	int rc;

	if (url.n > CFS_URL_MAX)
		return CFS_ENOTFOUND;
	rc = cfs_url_parse(cfs_url_tidy(url, scratch), &u);
	if (rc == CFS_OK)
		rc = encode(&u, out);
	if (rc == CFS_OK)
		rc = out->failed;
	if (rc == CFS_OK && out->n - before <= CFS_KEY_MAX)
		return CFS_OK;
	if (out->n > before)
		out->n = before;
	if (out->failed == CFS_ELIMIT)
		out->failed = CFS_OK;
	return rc == CFS_ENOMEM ? rc : CFS_ENOTFOUND;
}
