/* unsupported.c - describes files that people take for archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unsupported.h"

#include <stdio.h>

#include "base/ascii.h"
#include "codec/member.h"
#include "format/cdx/cdx.h"
#include "format/cdx/cdx_line.h"
#include "members.h"

#define LOOK_BYTES 16384u
#define UNKNOWN "neither an ARC, WARC or text file of a crawl nor an index " \
	"that crawlfs knows"

/* Offset of the magic in a tar header. */
#define TAR_MAGIC_AT 257u

static const struct {
	const char *bytes;
	const char *what;
} magics[] = {
	{ "\xfd" "7zXZ", "xz: not supported" },
	{ "\x04\x22\x4d\x18", "lz4: not supported" },
	{ "7z\xbc\xaf", "a 7z archive: not supported" },
	{ "Rar!", "a RAR archive: not supported" },
	{ "PK\x03\x04", "a ZIP file in which no archive was found" },
	{ "%PDF-", "a PDF document" },
	{ "SQLite format 3", "an SQLite database" },
	{ "\x7f" "ELF", "a program" },
	{ "PAR1", "a Parquet file" },
	{ "\x89" "CFW\r\n", "a list of words: name the index beside it, which "
	  "ends in .cfx" },
};

static struct cfs_slice without_space(struct cfs_slice s)
{
	if (cfs_slice_starts(s, CFS_SLICE_LIT("\xef\xbb\xbf")))
		s = cfs_slice_from(s, 3);
	return cfs_slice_from(s, cfs_slice_run(s, cfs_is_space));
}

static bool is_web_page(struct cfs_slice s)
{
	static const char *const starts[] = { "<!doctype html", "<html",
		"<head", "<body", "<title", "<h1", "<!--" };
	bool yes = false;

	s = without_space(s);
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		yes = yes || cfs_slice_starts_nocase(s,
						cfs_slice_str(starts[i]));
	return yes;
}

static bool is_json(struct cfs_slice s)
{
	uint8_t first = s.n > 0 ? s.p[0] : 0;

	if (first != '{' && first != '[')
		return false;
	s = without_space(cfs_slice_from(s, 1));
	return s.n > 0 && (s.p[0] == '"' || s.p[0] == '}' || s.p[0] == ']' ||
			   (first == '[' && (s.p[0] == '{' || s.p[0] == '[' ||
					     cfs_is_digit(s.p[0]))));
}

/* Describes a CDX; it would have been recognised if its lines named records. */
static const char *cdx(struct cfs_slice s, char out[CFS_UNSUPPORTED_BYTES / 2])
{
	struct cfs_slice line = cfs_slice_split(&s, '\n');
	struct cfs_cdx_legend legend;
	const char *lacks;

	if (!cfs_cdx_is_legend(line) ||
	    cfs_cdx_parse_legend(line, &legend) != CFS_OK)
		return NULL;
	lacks = cfs_cdx_legend_lacks(&legend);
	if (lacks == NULL)
		return "a CDX whose lines are damaged";
	snprintf(out, CFS_UNSUPPORTED_BYTES / 2, "a CDX without the column %s",
		 lacks);
	return out;
}

/* Checks the magic number, a digit, and the magic of the first block or of the
 * end. */
static bool is_bzip2(struct cfs_slice s)
{
	struct cfs_slice block = cfs_slice_from(s, 4);

	return s.n > 4 && cfs_slice_starts(s, CFS_SLICE_LIT("BZh")) &&
	       cfs_is_digit(s.p[3]) &&
	       (cfs_slice_starts(block, CFS_SLICE_LIT("1AY&SY")) ||
		cfs_slice_starts(block, CFS_SLICE_LIT("\x17rE8P\x90")));
}

const char *cfs_unsupported_of(struct cfs_slice s, bool *may_precede,
			       char out[CFS_UNSUPPORTED_BYTES / 2])
{
	*may_precede = false;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (cfs_slice_starts(s, cfs_slice_str(magics[i].bytes)))
			return magics[i].what;
	if (is_bzip2(s))
		return "bzip2: not supported";
	if (cfs_slice_starts(cfs_slice_from(s, TAR_MAGIC_AT),
			     CFS_SLICE_LIT("ustar")))
		return "a tar archive";
	*may_precede = true;
	if (is_web_page(s))
		return "a web page (text/html): an error page in place of an "
		       "archive?";
	if (cfs_slice_starts(without_space(s), CFS_SLICE_LIT("<?xml")))
		return "an XML document: an error message in place of an "
		       "archive?";
	if (is_json(without_space(s)))
		return "JSON that lists no captures";
	*may_precede = false;
	return cdx(s, out);
}

/* True for a whole but empty member, which is not a sign of damage. */
static bool is_empty_member(struct cfs_slice s)
{
	CFS_BUF(nothing, 1);
	size_t used;
	int rc = cfs_member_whole(s, NULL, &nothing, &used);

	return rc == CFS_OK;
}

/* The first plain bytes of a compressed file, up to LOOK_BYTES.  zstd gives
 * nothing before a block of 128 KiB is whole, so the file is read further. */
static size_t first_plain(struct cfs_source *src, uint8_t out[LOOK_BYTES],
			  const struct cfs_cancel *cancel)
{
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z;
	size_t n = 0, got = 0;
	int rc = cfs_member_stream_new(&z, src, 0, src->size, NULL, NULL);

	if (rc != CFS_OK)
		return 0;
	while (rc == CFS_OK && state == CFS_MEMBER_MORE && n < LOOK_BYTES) {
		rc = cfs_member_stream_read(z, out + n, LOOK_BYTES - n,
					    &got, &state,
					    CFS_CTX(cancel, NULL));
		n += rc == CFS_OK ? got : 0;
	}
	cfs_member_stream_free(z);
	return n;
}

void cfs_unsupported_describe(struct cfs_source *src,
			      char out[CFS_UNSUPPORTED_BYTES],
			      const struct cfs_cancel *cancel)
{
	uint8_t raw[LOOK_BYTES], plain[LOOK_BYTES];
	char text[CFS_UNSUPPORTED_BYTES / 2];
	const char *what;
	enum cfs_coding coding;
	struct cfs_slice s;
	bool may_precede;
	size_t n = 0;

	snprintf(out, CFS_UNSUPPORTED_BYTES, UNKNOWN);
	if (cfs_source_read_some(src, raw, sizeof(raw), 0, &n,
				 CFS_CTX(cancel, NULL)) != CFS_OK)
		return;
	s = cfs_slice_of(raw, n);
	coding = cfs_coding_of(s);
	if (n == 0) {
		snprintf(out, CFS_UNSUPPORTED_BYTES, "empty");
		return;
	}
	if (coding != CFS_CODING_NONE)
		s = cfs_slice_of(plain, first_plain(src, plain, cancel));
	what = cfs_unsupported_of(s, &may_precede, text);
	if (coding != CFS_CODING_NONE && s.n == 0 &&
	    !is_empty_member(cfs_slice_of(raw, n))) {
		snprintf(out, CFS_UNSUPPORTED_BYTES,
			 "a %s file that is cut off or "
			 "damaged: nothing in it can be read",
			 cfs_coding_name(coding));
		return;
	}
	if (coding == CFS_CODING_ZSTD &&
	    cfs_cdx_detect(s) != CFS_INDEX_UNKNOWN)
		what = "CDX lines: not supported; use gzip";
	if (what == NULL && coding != CFS_CODING_NONE && s.n > 0)
		what = "something that is no archive";
	if (what != NULL && coding != CFS_CODING_NONE)
		snprintf(out, CFS_UNSUPPORTED_BYTES, "a %s file of %s",
			 cfs_coding_name(coding), what);
	else if (what != NULL)
		snprintf(out, CFS_UNSUPPORTED_BYTES, "%s", what);
}
