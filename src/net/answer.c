/* answer.c - parses the heads of answers to range requests, and judges them.
 *
 * Spec: RFC 9110, sections 14.4 (Content-Range), 15.3.7 (206), 15.5.17 (416),
 * 8.4.1 (Content-Encoding), 10.2.3 (Retry-After), 8.8.3 (ETag); RFC 9112
 * section 4 (status line).  A part may have other bytes than those asked for:
 * what it has of them is used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "s3_answer.h"

#define DAY_S 86400u
#define RANGE_MAX (UINT64_MAX / 2)

static void answer_bad(struct cfs_answer *a, const char *what,
		       struct cfs_slice value)
{
	if (a->is_bad)
		return;
	a->is_bad = true;
	snprintf(a->why, sizeof(a->why), "invalid %s '%.*s'", what,
		 (int)(value.n < 48 ? value.n : 48), (const char *)value.p);
}

static void answer_copy(char *out, size_t out_bytes, struct cfs_slice s)
{
	size_t n = s.n < out_bytes - 1 ? s.n : out_bytes - 1;

	memcpy(out, s.p, n);
	out[n] = '\0';
}

/* Forms: bytes 0-9/100, bytes 0-9/star, bytes star/100 */
bool cfs_answer_parse_range(struct cfs_slice value, struct cfs_answer *a)
{
	struct cfs_slice s = cfs_slice_trim(value), range, total;
	ptrdiff_t slash, dash;

	if (!cfs_slice_starts_nocase(s, CFS_SLICE_LIT("bytes ")))
		return false;
	s = cfs_slice_trim(cfs_slice_from(s, 6));
	slash = cfs_slice_find(s, '/');
	if (slash < 0)
		return false;
	range = cfs_slice_sub(s, 0, (size_t)slash);
	total = cfs_slice_from(s, (size_t)slash + 1);
	a->has_total = !cfs_slice_eq(total, CFS_SLICE_LIT("*"));
	if (a->has_total &&
	    cfs_slice_parse_u64(total, RANGE_MAX, &a->total) != CFS_OK)
		return false;
	if (cfs_slice_eq(range, CFS_SLICE_LIT("*"))) {
		a->is_unsatisfied = true;
		return a->has_total;
	}
	dash = cfs_slice_find(range, '-');
	if (dash < 0 ||
	    cfs_slice_parse_u64(cfs_slice_sub(range, 0, (size_t)dash),
				RANGE_MAX, &a->first) != CFS_OK ||
	    cfs_slice_parse_u64(cfs_slice_from(range, (size_t)dash + 1),
				RANGE_MAX, &a->last) != CFS_OK)
		return false;
	a->has_range = a->first <= a->last &&
		       (!a->has_total || a->last < a->total);
	return a->has_range;
}

static int64_t parse_date(struct cfs_slice value)
{
	char text[64];
	time_t t;

	if (value.n == 0 || value.n >= sizeof(text))
		return 0;
	answer_copy(text, sizeof(text), value);
	t = curl_getdate(text, NULL);
	return t > 0 ? (int64_t)t : 0;
}

bool cfs_answer_parse_retry(struct cfs_slice value, int64_t now, uint32_t *out)
{
	struct cfs_slice s = cfs_slice_trim(value);
	uint64_t seconds = 0;
	int64_t date;
	int rc = cfs_slice_parse_u64(s, UINT32_MAX, &seconds);

	if (rc == CFS_EFORMAT) {
		date = parse_date(s);
		if (date == 0)
			return false;
		seconds = date > now ? (uint64_t)(date - now) : 0;
	} else if (rc == CFS_ELIMIT) {
		seconds = DAY_S;
	}
	*out = seconds < DAY_S ? (uint32_t)seconds : DAY_S;
	return true;
}

static void take_etag(struct cfs_answer *a, struct cfs_slice v)
{
	/* Servers that share one name may differ in the W/ alone. */
	if (cfs_slice_starts(v, CFS_SLICE_LIT("W/")))
		v = cfs_slice_from(v, 2);
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] < 0x20 || v.p[i] > 0x7e || v.n >= CFS_ETAG_MAX) {
			snprintf(a->etag, sizeof(a->etag), "#%016" PRIx64,
				 cfs_hash64(v, 0));
			return;
		}
	answer_copy(a->etag, sizeof(a->etag), v);
}

static void take_length(struct cfs_answer *a, struct cfs_slice v)
{
	uint64_t n = 0;

	if (cfs_slice_parse_u64(v, RANGE_MAX, &n) != CFS_OK ||
	    (a->has_length && n != a->length))
		answer_bad(a, "Content-Length", v);
	a->has_length = true;
	a->length = n;
}

static bool is_any_of(struct cfs_slice s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (cfs_slice_eq_nocase(s, cfs_slice_str(*words)))
			return true;
	return false;
}

/* Adds to the list of codings, which are case-insensitive; several fields make
 * one list. aws-chunked only says how an upload was framed: S3 and servers like
 * it keep the word, but not the frames. */
static void take_codings(struct cfs_answer *a, struct cfs_slice v)
{
	static const char *const none[] = { "identity", "aws-chunked", NULL };

	while (v.n > 0) {
		struct cfs_slice word =
			cfs_slice_trim(cfs_slice_split(&v, ','));
		size_t n = strlen(a->encoding);

		if (word.n == 0 || is_any_of(word, none))
			continue;
		snprintf(a->encoding + n, sizeof(a->encoding) - n, "%s%.*s",
			 n > 0 ? ", " : "", (int)(word.n < 40 ? word.n : 40),
			 (const char *)word.p);
		a->n_codings++;
	}
}

static void take_type(struct cfs_answer *a, struct cfs_slice v)
{
	static const char *const markup[] = { "text/html", "text/xml",
		"application/xhtml+xml", "application/xml", NULL };
	struct cfs_slice type = cfs_slice_trim(cfs_slice_split(&v, ';'));

	a->has_type = type.n > 0;
	a->is_markup = is_any_of(type, markup);
}

static void answer_take_field(struct cfs_answer *a, struct cfs_slice name,
			      struct cfs_slice v, int64_t now)
{
#define IS(text) cfs_slice_eq_nocase(name, CFS_SLICE_LIT(text))
	if (IS("content-range")) {
		if (a->has_range || a->is_unsatisfied ||
		    !cfs_answer_parse_range(v, a))
			answer_bad(a, "Content-Range", v);
	} else if (IS("content-length")) {
		take_length(a, v);
	} else if (IS("content-encoding")) {
		take_codings(a, v);
	} else if (IS("etag")) {
		take_etag(a, v);
	} else if (IS("last-modified")) {
		answer_copy(a->modified, sizeof(a->modified), v);
		a->mtime = parse_date(v);
	} else if (IS("content-type")) {
		take_type(a, v);
	} else if (IS("retry-after")) {
		a->has_retry = cfs_answer_parse_retry(v, now, &a->retry_s);
	} else if (IS("x-amz-bucket-region")) {
		answer_copy(a->region, sizeof(a->region), v);
	} else if (IS(CFS_S3_MARK_FIELD)) {
		answer_copy(a->mark, sizeof(a->mark), v);
	} else if (IS("location")) {
		a->has_location = v.n > 0;
		answer_copy(a->location, sizeof(a->location), v);
	}
#undef IS
}

/* Forms: "HTTP/1.1 206 Partial Content", "HTTP/2 206" */
static void take_status(struct cfs_answer *a, struct cfs_slice line)
{
	ptrdiff_t blank = cfs_slice_find(line, ' ');
	uint64_t status = 0;
	size_t head_bytes = a->head_bytes;

	memset(a, 0, sizeof(*a));
	a->head_bytes = head_bytes;
	if (blank < 0 ||
	    cfs_slice_parse_u64(cfs_slice_sub(line, (size_t)blank + 1, 3), 999,
				&status) != CFS_OK || status < 100)
		answer_bad(a, "status line", line);
	a->status = (unsigned)status;
}

bool cfs_answer_line(struct cfs_answer *a, struct cfs_slice line, int64_t now)
{
	ptrdiff_t colon;

	a->head_bytes += line.n;
	if (a->head_bytes > CFS_ANSWER_HEAD_MAX)
		return false;
	if (cfs_slice_starts(line, CFS_SLICE_LIT("HTTP/"))) {
		take_status(a, cfs_slice_trim(line));
		return true;
	}
	colon = cfs_slice_find(line, ':');
	if (colon > 0)
		answer_take_field(a, cfs_slice_sub(line, 0, (size_t)colon),
				  cfs_slice_trim(
					  cfs_slice_from(line,
							 (size_t)colon + 1)),
				  now);
	return true;
}

/* ---- the verdict ------------------------------------------------------- */

static void __attribute__((format(printf, 5, 6)))
say(struct cfs_verdict *out, enum cfs_verdict_kind kind, enum cfs_cause cause,
    int code, const char *fmt, ...)
{
	va_list ap;

	out->kind = kind;
	out->cause = cause;
	out->code = code;
	va_start(ap, fmt);
	vsnprintf(out->text, sizeof(out->text), fmt, ap);
	va_end(ap);
}

/* Does the path of a URL end in that extension? */
static bool has_extension(const char *url, const char *extension)
{
	struct cfs_slice s = cfs_slice_str(url), e = cfs_slice_str(extension);
	ptrdiff_t query = cfs_slice_find(s, '?');

	if (query >= 0)
		s = cfs_slice_sub(s, 0, (size_t)query);
	return s.n > e.n &&
	       cfs_slice_eq_nocase(cfs_slice_from(s, s.n - e.n), e);
}

static bool is_encoded(const struct cfs_answer *a, const char *name)
{
	static const char *const gzip[] = { "gzip", "x-gzip", NULL };
	static const char *const zstd[] = { "zstd", NULL };
	struct cfs_slice e = cfs_slice_str(a->encoding);

	if (a->n_codings == 1 && has_extension(name, ".gz"))
		return !is_any_of(e, gzip);
	if (a->n_codings == 1 && has_extension(name, ".zst"))
		return !is_any_of(e, zstd);
	return a->n_codings > 0;
}

bool cfs_answer_may_begin(const struct cfs_answer *a, struct cfs_slice s,
			  const char *name)
{
	if (a->status == 200 && s.n > 1 && has_extension(name, ".gz") &&
	    !cfs_slice_starts(s, CFS_SLICE_LIT("\x1f\x8b")))
		return false;
	/* an archive that begins with a page, by mistake, comes as a part */
	if (a->has_type ? !a->is_markup : a->status == 206)
		return true;
	if (cfs_slice_starts(s, CFS_SLICE_LIT("\xef\xbb\xbf")))
		s = cfs_slice_from(s, 3);
	s = cfs_slice_trim(s);
	return s.n == 0 || s.p[0] != '<';
}

/* 206: a range that has at least the first byte of the one requested. */
static void judge_part(const struct cfs_answer *a, uint64_t off, uint64_t n,
		       struct cfs_verdict *out)
{
	uint64_t got, last = off + n - 1;

	if (!a->has_range) {
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO,
		    "the server sent a part without saying which");
		return;
	}
	got = a->last - a->first + 1;
	if (a->first > off || a->last < off ||
	    off - a->first > CFS_ANSWER_SKIP_MAX) {
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO,
		    "the server sent bytes %" PRIu64 "-%" PRIu64 " for %"
		    PRIu64 "-%" PRIu64, a->first, a->last, off, last);
		return;
	}
	if (a->has_length && a->length != got) {
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO,
		    "the server says %" PRIu64 " bytes and sends %" PRIu64,
		    got, a->length);
		return;
	}
	out->kind = CFS_VERDICT_BYTES;
	out->skip = off - a->first;
	out->excess = a->last > last ? a->last - last : 0;
	out->body = got - out->skip - out->excess;
	out->is_short = a->last < last &&
			!(a->has_total && a->last + 1 == a->total);
	out->total = a->has_total ? a->total : UINT64_MAX;
}

/* 200: the whole object, acceptable if the range covers it. */
static void judge_whole(const struct cfs_answer *a, uint64_t off, uint64_t n,
			struct cfs_verdict *out)
{
	if (a->has_length && a->length == 0) {
		out->kind = CFS_VERDICT_END;
		out->total = 0;
	} else if (off == 0 && (!a->has_length || a->length <= n)) {
		out->kind = CFS_VERDICT_BYTES;
		out->body = a->has_length ? a->length : UINT64_MAX;
		out->total = a->has_length ? a->length : UINT64_MAX;
	} else {
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_NO_RANGES,
		    CFS_EUNSUPPORTED, CFS_ANSWER_NO_RANGES);
	}
}

static void judge_end(const struct cfs_answer *a, uint64_t off,
		      struct cfs_verdict *out)
{
	if (a->is_unsatisfied && a->total > off) {
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO,
		    "the server has %" PRIu64 " bytes and refuses byte %"
		    PRIu64, a->total, off);
		return;
	}
	out->kind = CFS_VERDICT_END;
	out->total = a->is_unsatisfied ? a->total : UINT64_MAX;
}

/* Judges by the code of an error, where it says more than the status. */
static bool judge_code(const struct cfs_s3_error *e, const char *why,
		       struct cfs_verdict *out)
{
	if (e->kind == CFS_S3_ERROR_BUSY)
		say(out, CFS_VERDICT_RETRY, CFS_CAUSE_BUSY, CFS_EIO,
		    "the server asks to slow down (%s)", why);
	else if (e->kind == CFS_S3_ERROR_PASSING)
		say(out, CFS_VERDICT_RETRY, CFS_CAUSE_SERVER, CFS_EIO,
		    "the server failed (%s)", why);
	else if (e->code == CFS_EACCESS)
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_FORBIDDEN, CFS_EACCESS,
		    "the server refuses access (%s)%s%s", why,
		    e->help[0] ? ": " : "", e->help);
	else if (e->code == CFS_ENOTFOUND)
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_MISSING, CFS_ENOTFOUND,
		    "is not there (%s)", why);
	else
		return false;
	return true;
}

static void judge_status(unsigned s, const char *why, const char *help,
			 struct cfs_verdict *out)
{
	if (s == 429 || s == 503 || s == 509)
		say(out, CFS_VERDICT_RETRY, CFS_CAUSE_BUSY, CFS_EIO,
		    "the server asks to slow down (%s)", why);
	else if (cfs_status_is_passing(s))
		say(out, CFS_VERDICT_RETRY, CFS_CAUSE_SERVER,
		    cfs_status_is_timeout(s) ? CFS_ETIMEOUT : CFS_EIO,
		    "the server failed (%s)", why);
	else if (s == 403 || s == 401)
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_FORBIDDEN, CFS_EACCESS,
		    "the server refuses access (%s)%s%s", why,
		    help[0] ? ": " : "", help);
	else if (s == 404 || s == 410)
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_MISSING, CFS_ENOTFOUND,
		    "is not there (%s)", why);
	else if (s == 412)
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_CHANGED, CFS_ECHANGED,
		    "changed on the server");
	else
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_REFUSED, CFS_EIO,
		    "the server answers with %s", why);
}

void cfs_answer_judge_refusal(unsigned status, const char *code,
			      const char *message, bool is_anonymous,
			      struct cfs_verdict *out)
{
	struct cfs_s3_error e = cfs_s3_error_of(code, message, is_anonymous);
	char why[160];

	*out = (struct cfs_verdict){ .kind = CFS_VERDICT_FAIL,
		.body = UINT64_MAX, .total = UINT64_MAX };
	snprintf(why, sizeof(why), "status %u%s%s%s%s", status,
		 code[0] ? ", " : "", code, message[0] ? ": " : "", message);
	if (!judge_code(&e, why, out))
		judge_status(status, why, e.help, out);
	/* other codes say what has to change before */
	out->may_pass = status == 403 && out->cause == CFS_CAUSE_FORBIDDEN &&
			(e.code == CFS_OK || strcmp(code, "AccessDenied") == 0);
}

void cfs_answer_judge(const struct cfs_answer *a, uint64_t off, uint64_t n,
		      const char *name, struct cfs_verdict *out)
{
	bool has_bytes = a->status == 206 || a->status == 200;

	*out = (struct cfs_verdict){ .kind = CFS_VERDICT_FAIL,
		.body = UINT64_MAX, .total = UINT64_MAX, .code = CFS_EIO };
	if (a->is_bad && (has_bytes || a->status == 416 || a->status == 0))
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO,
		    "the server's answer makes no sense: %s", a->why);
	else if (has_bytes && is_encoded(a, name))
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO,
		    "the server sends '%s' where plain bytes were asked for",
		    a->encoding);
	else if (a->status == 206)
		judge_part(a, off, n, out);
	else if (a->status == 200)
		judge_whole(a, off, n, out);
	else if (a->status == 416)
		judge_end(a, off, out);
	else
		cfs_answer_judge_refusal(a->status, "", "", false, out);
}

void cfs_answer_judge_curl(CURLcode code, const char *text, bool is_connected,
			   bool has_answered, struct cfs_verdict *out)
{
	if (text[0] == '\0')
		text = curl_easy_strerror(code);
	out->body = out->total = UINT64_MAX;
	switch (code) {
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		say(out, CFS_VERDICT_RETRY, CFS_CAUSE_CONNECT, CFS_EIO, "%s",
		    text);
		break;
	case CURLE_OPERATION_TIMEDOUT:
		say(out, CFS_VERDICT_RETRY, is_connected ? CFS_CAUSE_TIMEOUT :
		    CFS_CAUSE_CONNECT, CFS_ETIMEOUT, "%s", text);
		break;
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		say(out, CFS_VERDICT_RETRY, CFS_CAUSE_CUT, CFS_EIO, "%s", text);
		break;
	case CURLE_SSL_CONNECT_ERROR:
		say(out, has_answered ? CFS_VERDICT_RETRY : CFS_VERDICT_FAIL,
		    CFS_CAUSE_TLS, CFS_EIO, "%s", text);
		break;
	case CURLE_OUT_OF_MEMORY:
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_NONE, CFS_ENOMEM, "%s",
		    text);
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_TLS, CFS_EIO, "%s; "
		    "CURL_CA_BUNDLE can name a file of authorities to trust",
		    text);
		break;
	default:
		say(out, CFS_VERDICT_FAIL, CFS_CAUSE_BAD_ANSWER, CFS_EIO, "%s",
		    text);
	}
}
