/* start.c - finds the first record of an archive that does not begin with one.
 *
 * Rules: doc/formats.md, "Damage at the beginning".
 *
 * A member counts if it inflates to the first line of a record: no other file
 * has that by chance.  The first line of an uncompressed record may also stand
 * in a text about archives, so more is required of it:
 *     - a WARC header must end, and have the fields needed to read the record;
 *     - if the file begins like a web page, or does not have the name of an
 *       archive, or something else precedes the record in its line, then the
 *       record must end as it declares, and so must those behind it:
 *       CHAIN_LINKS of them, or all up to the end of the file or of the bytes
 *       searched.
 * Limits: HEAD_MAX, WORK_MAX, PEEK_IN.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "start.h"

#include <string.h>

#include "arc.h"
#include "base/ascii.h"
#include "http_head.h"
#include "parse.h"
#include "warc.h"

/* Inflated bytes to see whether a record begins in a member. */
#define PEEK 4096u
/* Inflated bytes to see, mostly, that none does. */
#define PEEK_FIRST 32u
/* The header of a gzip member, and enough deflate data for the above.
 * Without a bound, a name that never ends would be read for each member. */
#define GZ_HEAD_MAX 8192u
#define PEEK_IN (GZ_HEAD_MAX + 8192u)

/* Most bytes of a header; those of crawlers have 2 KiB. */
#define HEAD_MAX 65536u
/* So many records in a row that end as they declare occur in no text. */
#define CHAIN_LINKS 8u
/* An ARC record may begin so far from the declared end of the one before. */
#define CHAIN_SLACK 4u
/* Behind so many records the last one may be cut off. */
#define CHAIN_LINKS_CUT 2u
/* Most bytes examined in all chains: several may lead through the same ones. */
#define WORK_MAX (16u * (uint64_t)CFS_START_SEARCH_BYTES)
/* "WARC/1.1", with a CR and room for later versions. */
#define VERSION_TAIL 20u

/* ---- members ---- */

size_t cfs_start_magic(enum cfs_coding coding, struct cfs_slice s)
{
	int first = coding == CFS_CODING_ZSTD ? 0x28 : 0x1f;
	size_t at = 0;

	while (at < s.n) {
		const uint8_t *p = memchr(s.p + at, first, s.n - at);
		struct cfs_slice rest;

		if (p == NULL)
			return s.n;
		at = (size_t)(p - s.p);
		rest = cfs_slice_from(s, at);
		if (coding == CFS_CODING_ZSTD ? cfs_zst_is_frame(rest) :
						cfs_gz_is_start(rest))
			return at;
		at++;
	}
	return s.n;
}

/* Skips a text that ends in NUL; returns nothing if it does not end. */
static struct cfs_slice without_text(struct cfs_slice s)
{
	ptrdiff_t nul = cfs_slice_find(s, '\0');

	return nul < 0 ? CFS_SLICE_EMPTY : cfs_slice_from(s, (size_t)nul + 1);
}

/* True if the header of a gzip member (RFC 1952, 2.3.1) ends within
 * GZ_HEAD_MAX. */
static bool has_short_head(struct cfs_slice in)
{
	struct cfs_slice s = cfs_slice_sub(in, 0, GZ_HEAD_MAX), rest;
	unsigned flags = s.n > 10 ? s.p[3] : 0;

	rest = cfs_slice_from(s, 10);
	if ((flags & 4) != 0)		/* FEXTRA */
		rest = cfs_slice_from(rest, rest.n < 2 ? rest.n :
				      2 + (size_t)(rest.p[0] | rest.p[1] << 8));
	if ((flags & 8) != 0)		/* FNAME */
		rest = without_text(rest);
	if ((flags & 16) != 0)		/* FCOMMENT */
		rest = without_text(rest);
	return rest.n > 2;
}

bool cfs_start_has_record(struct cfs_slice in, const struct cfs_zst_dict *dict)
{
	uint8_t head[PEEK];
	struct cfs_slice s;

	if (cfs_gz_is_start(in)) {
		if (!has_short_head(in))
			return false;
		in = cfs_slice_sub(in, 0, PEEK_IN);
	}
	s = cfs_slice_of(head, cfs_member_peek(in, dict, head, PEEK_FIRST));
	if (s.n == 0)
		return false;
	s = cfs_slice_from(s, cfs_head_newlines(s));
	if (s.n > 0 && !cfs_is_alpha(s.p[0]))	/* "WARC", or a scheme */
		return false;
	s = cfs_slice_of(head, cfs_member_peek(in, dict, head, PEEK));
	return cfs_record_is_start(s);
}

static size_t find_member(const struct cfs_start_input *in,
			  enum cfs_coding coding)
{
	struct cfs_slice s = in->bytes;
	size_t at = 0;

	while ((at += cfs_start_magic(coding, cfs_slice_from(s, at))) < s.n) {
		if (cfs_start_has_record(cfs_slice_from(s, at), in->dict))
			return at;
		at++;
	}
	return s.n;
}

/* ---- uncompressed records ---- */

struct start_search {
	const struct cfs_start_input *in;
	uint64_t work;
	/* the record found: its offset, and its declared end */
	size_t at;
	uint64_t end;
	enum cfs_archive_format format;
};

static struct cfs_slice from(const struct start_search *s, size_t at)
{
	return cfs_slice_from(s->in->bytes, at);
}

/* Offset of a WARC version line at the end of `line`; line.n if there is
 * none. */
static size_t version_in(struct cfs_slice line)
{
	size_t at = line.n > VERSION_TAIL ? line.n - VERSION_TAIL : 0;

	for (; at < line.n; at++)
		if (cfs_warc_is_version_line(cfs_slice_from(line, at)))
			return at;
	return line.n;
}

/* Reads the WARC header at `at`, and finds the end of its record.  A header
 * ends where another one begins, so that none is read twice. */
static bool read_warc(struct start_search *s, size_t at, uint64_t *end)
{
	struct cfs_slice all = cfs_slice_sub(from(s, at), 0, HEAD_MAX);
	struct cfs_slice rest = all, line;
	bool has_type = false, has_length = false;
	uint64_t length = 0;

	if (!cfs_head_line(&rest, &line) || !cfs_warc_is_version_line(line))
		return false;
	while (cfs_head_line(&rest, &line) && line.n > 0 &&
	       version_in(line) == line.n) {
		struct cfs_slice value = line, name =
			cfs_slice_trim(cfs_slice_split(&value, ':'));

		if (cfs_is_blank(line.p[0]))	/* folded */
			continue;
		if (name.n == line.n)
			return false;
		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("WARC-Type")))
			has_type = true;
		if (cfs_slice_eq_nocase(name, CFS_SLICE_LIT("Content-Length")))
			has_length = cfs_slice_parse_u64(cfs_slice_trim(value),
					INT64_MAX / 2, &length) == CFS_OK;
	}
	s->work += all.n - rest.n;
	*end = at + (all.n - rest.n) + length;
	return has_type && has_length && line.n == 0;
}

static bool read_arc(struct start_search *s, size_t at, uint64_t *end)
{
	struct cfs_slice all = cfs_slice_sub(from(s, at), 0, CFS_ARC_LINE_MAX);
	struct cfs_slice rest = all, line;
	struct cfs_arc_line arc;

	if (!cfs_head_line(&rest, &line) || !cfs_arc_is_header_line(line) ||
	    !cfs_arc_line_parse(line, &arc) || !arc.has_length)
		return false;
	s->work += all.n - rest.n;
	*end = at + (all.n - rest.n) + arc.length;
	return true;
}

static bool read_head(struct start_search *s, size_t at,
		      enum cfs_archive_format format, uint64_t *end)
{
	return s->work < WORK_MAX &&
	       (format == CFS_ARCHIVE_WARC ? read_warc(s, at, end) :
					     read_arc(s, at, end));
}

bool cfs_start_record_bytes(struct cfs_slice text, uint64_t *bytes)
{
	const struct cfs_start_input in = { .bytes = text };
	struct start_search s = { .in = &in };

	return read_warc(&s, 0, bytes) || read_arc(&s, 0, bytes);
}

/* Reads the next record, which begins near `end`: lengths in ARC files leave
 * out the last line end or what precedes it. */
static bool read_next(struct start_search *s, enum cfs_archive_format format,
		      uint64_t *end)
{
	size_t at = (size_t)*end, last = at + CHAIN_SLACK;

	if (format == CFS_ARCHIVE_WARC) {
		last = at + cfs_head_newlines(from(s, at));
		s->work += last - at;
		return read_head(s, last, format, end);
	}
	for (at -= 1; at <= last && at < s->in->bytes.n; at++)
		if (s->in->bytes.p[at - 1] == '\n' &&
		    read_head(s, at, format, end))
			return true;
	return false;
}

/* True if only padding follows, NULs and line ends, to the end of the file. */
static bool is_over(struct start_search *s, uint64_t end)
{
	struct cfs_slice rest = from(s, (size_t)end);
	size_t n = 0;

	while (n < rest.n && (rest.p[n] == 0 || rest.p[n] == '\r' ||
			      rest.p[n] == '\n'))
		n++;
	s->work += n;
	return n == rest.n && s->in->bytes.n == s->in->file_bytes;
}

/* True if the record that ends at `end`, and those behind it, end as they
 * declare. */
static bool ends_well(struct start_search *s, enum cfs_archive_format format,
		      uint64_t end)
{
	for (unsigned links = 0; links < CHAIN_LINKS; links++) {
		if (end > s->in->file_bytes)
			return links >= CHAIN_LINKS_CUT;
		if (end >= s->in->bytes.n || is_over(s, end))
			return true;
		if (!read_next(s, format, &end))
			return false;
	}
	return true;
}

/* Tests for a record at `at`.  inside: something precedes it in its line. */
static bool accept(struct start_search *s, size_t at, bool inside,
		   enum cfs_archive_format format)
{
	bool is_weak = inside || s->in->is_markup || !s->in->has_name;
	uint64_t end;

	if (!read_head(s, at, format, &end) || (is_weak && !ends_well(s, format,
								      end)))
		return false;
	s->at = at;
	s->end = end;
	s->format = format;
	return true;
}

/* Offset of the scheme of the first URL in a line; 0 if there is none. */
static size_t scheme_in(struct cfs_slice line)
{
	ptrdiff_t colon = cfs_slice_search(line, CFS_SLICE_LIT("://"));
	size_t at = colon < 0 ? 0 : (size_t)colon;

	while (at > 0 && cfs_is_alpha(line.p[at - 1]))
		at--;
	return at;
}

/* Finds the first uncompressed record in the bytes searched. */
static bool find_plain(struct start_search *s)
{
	struct cfs_slice rest = s->in->bytes, line;
	size_t at;

	while (rest.n > 0) {
		size_t start = s->in->bytes.n - rest.n;

		if (!cfs_head_line(&rest, &line))
			break;
		at = version_in(line);
		if (at < line.n && accept(s, start + at, at > 0,
					  CFS_ARCHIVE_WARC))
			return true;
		if (line.n == 0 || !cfs_is_digit(line.p[line.n - 1]) ||
		    line.n > CFS_ARC_LINE_MAX)
			continue;
		at = scheme_in(line);
		if (accept(s, start + at, at > 0, CFS_ARCHIVE_ARC))
			return true;
	}
	return false;
}

/* ---- all of them ---- */

bool cfs_start_search(const struct cfs_start_input *in, struct cfs_start *out)
{
	struct start_search s = { .in = in };
	size_t none = in->bytes.n, gz = find_member(in, CFS_CODING_GZIP);
	size_t zst = find_member(in, CFS_CODING_ZSTD), at = gz;
	bool is_plain = find_plain(&s);

	/* members of both kinds: the kind in the name, else the first */
	if (gz == none || (zst < none && (in->named == CFS_CODING_ZSTD ||
			   (in->named != CFS_CODING_GZIP && zst < gz))))
		at = zst;
	/* an uncompressed record may hold an archive with members; or it may be
	 * an example in a page that precedes members */
	if (is_plain && at < none && at > s.at) {
		is_plain = at < s.end || in->named == CFS_CODING_NONE ||
			   ends_well(&s, s.format, s.end);
	} else if (is_plain && at < none) {
		is_plain = in->has_name && in->named == CFS_CODING_NONE;
	}
	if (!is_plain && at == none)
		return false;
	if (is_plain) {
		out->at = s.at;
		out->coding = CFS_CODING_NONE;
	} else {
		out->at = at;
		out->coding = at == gz ? CFS_CODING_GZIP : CFS_CODING_ZSTD;
	}
	return true;
}
