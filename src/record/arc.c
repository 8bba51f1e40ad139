/* arc.c - parses ARC records: a header line of fields, then the content.
 *
 * Spec: the ARC file format of the Internet Archive;
 *     doc/formats.md, "ARC records".
 *     version 1   URL IP date mime length LF
 *     version 2   URL IP date mime code checksum location offset file length LF
 *     record      line, content, usually one LF
 * Also accepted, all from real files: URLs with blanks or CRs in them, two
 * blanks if the mime is absent, `mime; charset=x`, date and IP exchanged, dates
 * of 10 to 18 digits (14 count), followed by text, or that are not dates, "-"
 * for any field, CR LF as the line end, line ends in front, records of one
 * version in a file of the other.  So the line is read from the right: the last
 * word is the length, the date is beside the address or the last word that
 * looks like a date, what precedes the address is the URL.
 *
 * The declared length is wrong in many files, by 1 or 3 in Common Crawl's own.
 * The content is everything up to the next record or the end of the member;
 * whether its last LF belongs to the body is decided by
 *     1. an identity Content-Length that equals one of the two lengths;
 *     2. outside Common Crawl's own files, a declared length equal to that of
 *        the content: the LF belongs to the body;
 *     3. else the LF belongs to the archive.
 * Limits: CFS_ARC_LINE_MAX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "arc.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mime.h"
#include "base/timestamp.h"

/* Cuts the last word off *s, with the blanks around it. */
static struct cfs_slice take_last_word(struct cfs_slice *s)
{
	size_t end = s->n, from;
	struct cfs_slice word;

	while (end > 0 && s->p[end - 1] == ' ')
		end--;
	for (from = end; from > 0 && s->p[from - 1] != ' '; from--)
		;
	word = cfs_slice_sub(*s, from, end - from);
	*s = cfs_slice_sub(*s, 0, from);
	return word;
}

static struct cfs_slice trim_blanks(struct cfs_slice s)
{
	while (s.n > 0 && s.p[s.n - 1] == ' ')
		s.n--;
	return s;
}

static struct cfs_slice dash_is_empty(struct cfs_slice s)
{
	return s.n == 1 && s.p[0] == '-' ? CFS_SLICE_EMPTY : s;
}

static bool is_ipv4(struct cfs_slice s)
{
	size_t dots = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.')
			dots++;
		else if (!cfs_is_digit(s.p[i]))
			return false;
	}
	return dots == 3 && s.n <= 15;
}

/* Schemes registered with IANA stay below this. */
#define SCHEME_MAX 32

/* Most words between the date and the length: mime, words of its parameters,
 * and five fields of version 2. */
#define AFTER_DATE_MAX 16

/* The words behind the URL of a line, the last one first. */
struct line_words {
	struct cfs_slice v[AFTER_DATE_MAX], before[AFTER_DATE_MAX];
	size_t n;
};

/* Digits that prove a word to be a date; beside an address fewer suffice. */
#define DATE_DIGITS 14
#define SHORT_DATE_DIGITS 10

static void split_words(struct cfs_slice line, struct line_words *w)
{
	w->n = 0;
	while (w->n < AFTER_DATE_MAX) {
		struct cfs_slice word = take_last_word(&line);

		if (word.n == 0)
			break;
		w->v[w->n] = word;
		w->before[w->n++] = line;
	}
}

static bool is_date(const struct line_words *w, size_t i, size_t digits)
{
	return i < w->n && cfs_slice_run(w->v[i], cfs_is_digit) >= digits;
}

/* Number of words behind the address, without the length. */
#define WORDS_V1 2
#define WORDS_V2 7

/* The index of the date; w->n if no word can be one.  It is beside the address:
 * a checksum or an offset of version 2 may look like a date. */
static size_t find_date(const struct line_words *w)
{
	size_t ip = 0, date = 0;

	while (ip < w->n && !is_ipv4(w->v[ip]))
		ip++;
	if (ip < w->n && (ip == WORDS_V1 || ip == WORDS_V2 ||
			  (ip > 0 && is_date(w, ip - 1,
					     SHORT_DATE_DIGITS))))
		return ip - 1;
	if (ip < w->n && is_date(w, ip + 1, DATE_DIGITS))
		return ip + 1;		/* date and IP are exchanged */
	while (date < w->n && !is_date(w, date, DATE_DIGITS))
		date++;
	if (date == w->n && is_date(w, 1, SHORT_DATE_DIGITS))
		return 1;		/* an address of another kind */
	if (date == w->n && ip < w->n && ip > WORDS_V1)
		return ip - 1;		/* whatever is there */
	return date;
}

/* Finds the date; cuts line to what precedes it.  out->mime is the first word
 * behind it (or the second, if address and date are exchanged). */
static bool take_date(struct cfs_slice *line, struct cfs_arc_line *out,
		      bool *exchanged)
{
	struct line_words w;
	size_t date, mime;

	split_words(*line, &w);
	date = find_date(&w);
	if (date == w.n)
		return false;
	out->date = w.v[date];
	*exchanged = date > 0 && is_ipv4(w.v[date - 1]);
	if (*exchanged)
		out->ip = w.v[date - 1];
	mime = *exchanged ? date - 1 : date;
	out->mime = mime > 0 ? w.v[mime - 1] : CFS_SLICE_EMPTY;
	*line = w.before[date];
	return true;
}

static bool has_scheme(struct cfs_slice url)
{
	ptrdiff_t colon = cfs_slice_find(cfs_slice_sub(url, 0, SCHEME_MAX + 1),
					 ':');

	if (colon < 2)
		return false;
	for (ptrdiff_t i = 0; i < colon; i++) {
		uint8_t c = url.p[i];

		if (!cfs_is_alpha(c) &&
		    (i == 0 || !(cfs_is_digit(c) || c == '+' || c == '-' ||
				 c == '.')))
			return false;
	}
	return true;
}

static bool is_number(struct cfs_slice s)
{
	if (s.n > 1 && s.p[0] == '-')
		s = cfs_slice_from(s, 1);
	return s.n > 0 && s.n <= 20 && cfs_slice_run(s, cfs_is_digit) == s.n;
}

bool cfs_arc_line_parse(struct cfs_slice line, struct cfs_arc_line *out)
{
	struct cfs_slice length, rest;
	bool exchanged = false, dated;

	*out = (struct cfs_arc_line){ .url = CFS_SLICE_EMPTY,
		.ip = CFS_SLICE_EMPTY, .date = CFS_SLICE_EMPTY,
		.mime = CFS_SLICE_EMPTY };
	length = take_last_word(&line);
	rest = line;
	dated = take_date(&rest, out, &exchanged);
	if (!dated) {		/* take the four words of version 1 */
		rest = line;
		out->mime = take_last_word(&rest);
		out->date = take_last_word(&rest);
	}
	if (!exchanged)
		out->ip = take_last_word(&rest);
	out->url = trim_blanks(rest);
	if (out->url.n == 0)
		return false;
	out->is_header = has_scheme(out->url) && is_number(length) &&
		       (dated || dash_is_empty(out->date).n == 0);
	out->ip = dash_is_empty(out->ip);
	out->date = dash_is_empty(out->date);
	out->mime = cfs_mime_type(out->mime);
	out->has_length = cfs_slice_parse_u64(length, UINT64_MAX / 2,
					      &out->length) == CFS_OK;
	return true;
}

bool cfs_arc_is_header_line(struct cfs_slice line)
{
	struct cfs_arc_line arc;

	return has_scheme(line) && cfs_arc_line_parse(line, &arc) &&
	       arc.is_header;
}

/* ---- dates ---- */

/* True if it has Common Crawl's fields of 2008 to 2010: then its date is local
 * time. */
static bool is_crawl_of_2008(const struct cfs_record *r)
{
	static const char *const names[] = {
		"x-commoncrawl-OriginalURL", "x-commoncrawl-URLFP",
		"x-commoncrawl-HostFP", "x-commoncrawl-ParseSegmentId",
		"x-commoncrawl-Signature", "x-commoncrawl-CrawlNo",
		"x-commoncrawl-ContentTruncated",
	};
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(names) / sizeof(*names); i++)
		cfs_fields_get(&r->http, names[i], &found);
	return found;
}

bool cfs_arc_has_own_field(const struct cfs_record *r)
{
	for (size_t i = 0; i < r->http.n; i++)
		if (cfs_slice_starts_nocase(r->http.v[i].name,
					    CFS_SLICE_LIT("x-commoncrawl-")) ||
		    cfs_slice_starts_nocase(r->http.v[i].name,
					    CFS_SLICE_LIT("x_commoncrawl_")))
			return true;
	return false;
}

/* Behind at least so many digits, text is not taken for part of the date. */
#define TEXT_DATE_DIGITS 8

/* Reads a date; missing digits count as 0. */
static int read_date(struct cfs_slice date, struct cfs_time_reading *out)
{
	uint8_t digits[] = "00000000000000";
	size_t n = cfs_slice_run(date, cfs_is_digit);

	if (n >= TEXT_DATE_DIGITS)
		date = cfs_slice_sub(date, 0, n);
	if ((cfs_time_read(date, out) == CFS_OK && out->is_whole) ||
	    n <= TEXT_DATE_DIGITS || n >= DATE_DIGITS)
		return cfs_time_read(date, out);
	memcpy(digits, date.p, n);
	return cfs_time_read(cfs_slice_of(digits, DATE_DIGITS), out);
}

static void set_time(struct cfs_record *r, struct cfs_slice date)
{
	struct cfs_slice ms =
		cfs_fields_get(&r->http, "x-commoncrawl-FetchTimestamp", NULL);
	struct cfs_time_reading reading;
	uint64_t v;

	if (ms.n > 0 && cfs_slice_parse_u64(ms, INT64_MAX / 2, &v) == CFS_OK) {
		r->has_time = true;
		r->time_ms = (int64_t)v;
		r->time = r->time_ms / 1000;
		return;
	}
	r->has_time = read_date(date, &reading) == CFS_OK;
	if (!r->has_time)
		return;
	r->time_is_odd = !reading.is_whole;
	r->time = reading.time;
	if (is_crawl_of_2008(r))
		r->time = cfs_time_pacific_to_utc(r->time);
	r->time_ms = r->time * 1000;
}

/* ---- the record ---- */

bool cfs_arc_is_file_url(struct cfs_slice url)
{
	return cfs_slice_starts_nocase(url, CFS_SLICE_LIT("filedesc:"));
}

/* True for the block of the record that an ARC file begins with: "1 0 NAME" or
 * "2 0 NAME", and a line with the names of the fields. */
static bool is_version_block(struct cfs_slice block)
{
	struct cfs_slice rest = cfs_slice_sub(block, 0, CFS_ARC_LINE_MAX);
	struct cfs_slice version, names;

	return cfs_head_line(&rest, &version) && version.n > 4 &&
	       cfs_is_digit(version.p[0]) && version.p[1] == ' ' &&
	       cfs_is_digit(version.p[2]) && version.p[3] == ' ' &&
	       cfs_head_line(&rest, &names) &&
	       cfs_slice_starts(names, CFS_SLICE_LIT("URL IP-address "));
}

bool cfs_arc_identity_length(const struct cfs_fields *http, uint64_t *out)
{
	static const char *const coding[] = { "Transfer-Encoding",
					      "Content-Encoding" };

	for (size_t i = 0; i < 2; i++) {
		struct cfs_slice v = cfs_fields_get(http, coding[i], NULL);

		if (v.n > 0 &&
		    !cfs_slice_eq_nocase(v, CFS_SLICE_LIT("identity")))
			return false;
	}
	return cfs_slice_parse_u64(cfs_fields_get(http, "Content-Length", NULL),
				   UINT64_MAX / 2, out) == CFS_OK;
}

/* Decides whether the last LF belongs to the body (rules 1 to 3 above). */
static size_t body_bytes(const struct cfs_record *r, struct cfs_slice body,
			 const struct cfs_arc_line *line, size_t content_n,
			 bool is_cc)
{
	uint64_t declared;

	if (body.n == 0 || body.p[body.n - 1] != '\n')
		return body.n;
	if (cfs_arc_identity_length(&r->http, &declared)) {
		if (declared == body.n)
			return body.n;
		if (declared == body.n - 1)
			return body.n - 1;
	}
	if (!is_cc && line->has_length && line->length == content_n)
		return body.n;
	return body.n - 1;
}

/* The length of the record at the start of s, header line included. */
static size_t record_bytes(struct cfs_slice s, size_t head_n,
			   const struct cfs_arc_line *line)
{
	size_t end, at;

	if (!line->has_length || line->length >= s.n - head_n)
		return s.n;
	end = head_n + (size_t)line->length;
	at = cfs_head_find_line(cfs_slice_sub(s, end, CFS_ARC_SLACK +
					      CFS_ARC_LINE_MAX),
				cfs_arc_is_header_line, NULL);
	return at <= CFS_ARC_SLACK && at < s.n - end ? end + at : s.n;
}

static bool arc_is_cut(const struct cfs_record *r,
		       const struct cfs_arc_line *line, size_t content_n)
{
	bool marked;

	cfs_fields_get(&r->http, CFS_CC_TRUNCATED, &marked);
	return marked || (line->has_length && line->length > content_n);
}

int cfs_arc_parse(struct cfs_record *r, struct cfs_slice s, bool is_cc,
		  size_t *used, struct cfs_error *err)
{
	struct cfs_slice rest = s, text, content, body, type, value;
	struct cfs_arc_line line;
	size_t head_n;

	if (!cfs_head_line(&rest, &text) || !cfs_arc_line_parse(text, &line))
		return cfs_error_set(err, CFS_EFORMAT,
				     "ARC header line is damaged");
	head_n = s.n - rest.n;
	*used = record_bytes(s, head_n, &line);
	content = body = cfs_slice_sub(s, head_n, *used - head_n);
	r->format = CFS_ARCHIVE_ARC;
	r->type = CFS_RECORD_ARC;
	if (cfs_arc_is_file_url(line.url) || is_version_block(content))
		r->type = CFS_RECORD_ARC_HEADER;
	r->head = text;
	r->url = line.url;
	r->ip = line.ip;
	r->mime = line.mime;
	r->declared_bytes = line.has_length ? line.length : 0;
	if (r->type == CFS_RECORD_ARC && cfs_http_is_response(content) &&
	    cfs_record_split_http(r, content, &body) != CFS_OK)
		return cfs_error_nomem(err);
	type = cfs_http_type(&r->http, &value);
	if (type.n > 0)
		r->mime = type;
	r->block = content;
	is_cc = is_cc || cfs_arc_has_own_field(r) || cfs_arc_is_common_crawl(r);
	body.n = body_bytes(r, body, &line, content.n, is_cc);
	r->block = cfs_slice_sub(content, 0,
				 (size_t)(body.p - content.p) + body.n);
	r->stored_body = body;
	r->is_cut = arc_is_cut(r, &line, content.n);
	set_time(r, line.date);
	return CFS_OK;
}

bool cfs_arc_is_common_crawl(const struct cfs_record *r)
{
	struct cfs_slice rest = r->block, version;

	return r->type == CFS_RECORD_ARC_HEADER &&
	       cfs_head_line(&rest, &version) &&
	       cfs_slice_eq(version, CFS_SLICE_LIT("1 0 CommonCrawl"));
}

bool cfs_arc_is_common_crawl_name(struct cfs_slice path)
{
	size_t ms, part;

	path = cfs_slice_last_part(path);
	ms = cfs_slice_take(&path, cfs_slice_run(path, cfs_is_digit)).n;
	if (ms != 13 || path.n == 0 || path.p[0] != '_')
		return false;
	path = cfs_slice_from(path, 1);
	part = cfs_slice_take(&path, cfs_slice_run(path, cfs_is_digit)).n;
	return part > 0 && (cfs_slice_eq(path, CFS_SLICE_LIT(".arc")) ||
			    cfs_slice_eq(path, CFS_SLICE_LIT(".arc.gz")));
}
