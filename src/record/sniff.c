/* sniff.c - recognises what a file is, by its name and first bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sniff.h"

#include <stdlib.h>
#include <string.h>

#include "arc.h"
#include "base/ascii.h"
#include "codec/zstd.h"
#include "unsupported.h"
#include "members.h"
#include "parse.h"
#include "seqfile.h"
#include "source/zip.h"
#include "wacz_package.h"

/* More than a header line. */
#define LOOK_BYTES 16384u

/* Some writers begin a file with empty members, or divide a record among
 * several: so many bytes, behind a dictionary, are read to find a line. */
#define FIRST_LINE_BYTES (1u << 20)

/* Read to see what begins at a place, and whether more records follow. */
#define PLACE_BYTES ((size_t)1 << 20)

/* Most places tried that have the magic number of a dictionary's frame. */
#define DICT_TRIES 4u

/* True if s has a line that is not empty. */
static bool has_line(struct cfs_slice s)
{
	s = cfs_slice_from(s, cfs_head_newlines(s));
	return cfs_slice_find(s, '\n') >= 0;
}

/* Inflates the first members of a file, up to max bytes; or, if `most` bytes of
 * the file are to be read for a line, until they hold one. */
static int read_members(struct cfs_source *src, uint8_t *out, size_t max,
			size_t *n, uint64_t most, struct cfs_zst_dict *dict,
			struct cfs_ctx ctx)
{
	uint64_t end = most + cfs_zst_dict_frame(dict).n;
	bool wants_line = most == FIRST_LINE_BYTES;
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z;
	size_t got;
	int rc = cfs_member_stream_new(&z, src, 0, src->size < end ? src->size :
				       end, dict, ctx.err);

	*n = 0;
	if (rc != CFS_OK)
		return rc;
	while (rc == CFS_OK && state == CFS_MEMBER_MORE && *n < max) {
		rc = cfs_member_stream_read(z, out + *n, max - *n, &got, &state,
					    ctx);
		*n += got;
		if (rc == CFS_OK && state == CFS_MEMBER_END &&
		    !(wants_line && has_line(cfs_slice_of(out, *n)))) {
			state = CFS_MEMBER_MORE;
			rc = cfs_member_stream_next(z, ctx);
		}
	}
	if (rc == CFS_OK && *n == 0 && state == CFS_MEMBER_BAD &&
	    cfs_member_stream_is_zstd(z))
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, src->name,
				  cfs_member_stream_offset(z), "%s",
				  cfs_member_stream_why(z));
	cfs_member_stream_free(z);
	return rc == CFS_END ? CFS_OK : rc;
}

/* ---- the first bytes ---- */

/* The beginning of a file: its own bytes, and those of its first member. */
struct file_head {
	uint8_t room[LOOK_BYTES];
	struct cfs_slice file, text;
};

/* Inflates the first member as far as the file's first bytes suffice. */
static void inflate_head(struct file_head *h, enum cfs_coding coding)
{
	size_t n;

	h->text = h->file;
	if (coding == CFS_CODING_NONE)
		return;
	n = cfs_gz_is_start(h->file) ? cfs_gz_peek(h->file, h->room,
						  LOOK_BYTES) : 0;
	h->text = cfs_slice_of(h->room, n);
}

/* Reads further if the first member does not hold a line, or is zstd. */
static int read_text(struct cfs_source *src, struct file_head *h,
		     const struct cfs_sniffed *found, struct cfs_ctx ctx)
{
	size_t n;
	int rc;

	if (found->coding == CFS_CODING_NONE || has_line(h->text))
		return CFS_OK;
	rc = read_members(src, h->room, LOOK_BYTES, &n, FIRST_LINE_BYTES,
			  found->dict, ctx);
	h->text = cfs_slice_of(h->room, n);
	return rc;
}

/* The kind by these beginnings; NONE if they are not recognised. */
static enum cfs_file_kind kind_of(struct cfs_slice file, struct cfs_slice text)
{
	if (cfs_record_is_start(text)) {
		text = cfs_slice_from(text, cfs_head_newlines(text));
		return cfs_slice_starts_nocase(text, CFS_SLICE_LIT("WARC/")) ?
		       CFS_FILE_WARC : CFS_FILE_ARC;
	}
	if (cfs_seq_is_magic(text))
		return CFS_FILE_SEQFILE;
	if (cfs_zip_is_start(file))
		return CFS_FILE_ZIP;
	return cfs_package_is_start(text) ? CFS_FILE_PACKAGE : CFS_FILE_NONE;
}

/* ---- names ---- */

bool cfs_sniff_is_archive_name(struct cfs_slice s)
{
	static const char *const ends[] = { ".arc", ".arc.gz", ".warc",
		".warc.gz", ".warc.zst", ".wat.gz", ".wet.gz", ".wat", ".wet" };
	bool yes = false;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct cfs_slice e = cfs_slice_str(ends[i]);

		yes = yes || (s.n > e.n && cfs_slice_eq_nocase(
					cfs_slice_from(s, s.n - e.n), e));
	}
	return yes;
}

/* Offset behind ".warc" or the like in the last component of a name, or 0. */
static size_t end_of_mark(struct cfs_slice name)
{
	static const char *const marks[] = { ".arc", ".warc", ".wat", ".wet" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		ptrdiff_t at = cfs_slice_search_nocase(name,
						cfs_slice_str(marks[i]));
		size_t end = at < 0 ? 0 : (size_t)at + strlen(marks[i]);

		if (at >= 0 && (end == name.n || !cfs_is_alnum(name.p[end])))
			return end;
	}
	return 0;
}

/* True also for the name of a damaged or renamed archive. */
static bool may_be_archive(struct cfs_slice name)
{
	return end_of_mark(cfs_slice_last_part(name)) > 0;
}

/* The coding that the name of an archive suggests. */
static enum cfs_coding coding_of_name(struct cfs_slice name)
{
	name = cfs_slice_last_part(name);
	name = cfs_slice_from(name, end_of_mark(name));
	/* for example .warc.wat.gz */
	while (end_of_mark(name) > 0)
		name = cfs_slice_from(name, end_of_mark(name));
	if (cfs_slice_starts_nocase(name, CFS_SLICE_LIT(".gz")))
		return CFS_CODING_GZIP;
	if (cfs_slice_starts_nocase(name, CFS_SLICE_LIT(".zst")))
		return CFS_CODING_ZSTD;
	return CFS_CODING_NONE;
}

/* ---- searching ---- */

/* Reads a dictionary at the beginning of a file whose frame has a wrong magic
 * number, if its length leads to a frame with data. */
static int mend_dict(struct cfs_slice s, struct cfs_zst_dict **out,
		     struct cfs_error *err)
{
	static const uint8_t magic[] = { 0x5d, 0x2a, 0x4d, 0x18 };
	struct cfs_slice inside = cfs_slice_from(s, CFS_ZST_SKIP_HEAD);
	struct cfs_buf frame;
	size_t n;
	int rc;

	if (!cfs_slice_starts(inside, CFS_SLICE_LIT("\x37\xa4\x30\xec")) &&
	    !cfs_zst_is_frame(inside))
		return CFS_OK;
	n = CFS_ZST_SKIP_HEAD + (size_t)cfs_le32_get(s.p + 4);
	if (n > s.n || !cfs_zst_is_frame(cfs_slice_from(s, n)))
		return CFS_OK;
	cfs_buf_init(&frame, n);
	cfs_buf_append(&frame, magic, sizeof(magic));
	cfs_buf_append(&frame, s.p + sizeof(magic), n - sizeof(magic));
	rc = frame.failed != CFS_OK ? CFS_ENOMEM :
	     cfs_zst_dict_new(out, cfs_buf_slice(&frame), NULL);
	cfs_buf_release(&frame);
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) : CFS_OK;
}

/* Finds the dictionary in a file that does not begin with it; NULL: none. */
static int find_dict(struct cfs_source *src, struct cfs_slice s,
		     struct cfs_zst_dict **out, struct cfs_ctx ctx)
{
	struct cfs_slice magic = CFS_SLICE_LIT("\x5d\x2a\x4d\x18");
	size_t at = 0;
	int rc = mend_dict(s, out, ctx.err);

	for (unsigned i = 0; rc == CFS_OK && *out == NULL && i < DICT_TRIES;
	     i++, at++) {
		ptrdiff_t next = cfs_slice_search(cfs_slice_from(s, at), magic);

		if (next < 0)
			break;
		at += (size_t)next;
		rc = cfs_members_dict(src, at, out, ctx);
		if (rc == CFS_EFORMAT || rc == CFS_ELIMIT) {
			cfs_error_clear(ctx.err);
			rc = CFS_OK;
		}
	}
	return rc;
}

/* The file header is looked at only in files with such a name. */
static bool may_have_file_header(struct cfs_slice name)
{
	return cfs_slice_search_nocase(name, CFS_SLICE_LIT(".arc")) >= 0;
}

/* Tells if an archive that begins with text is one of Common Crawl's own. */
static int note_owner(struct cfs_source *src, struct cfs_slice text,
		      struct cfs_sniffed *out, struct cfs_error *err)
{
	struct cfs_slice name = cfs_slice_str(src->name);
	struct cfs_record r;
	int rc;

	out->is_common_crawl = cfs_arc_is_common_crawl_name(name);
	if (out->is_common_crawl || out->kind != CFS_FILE_ARC ||
	    !may_have_file_header(name))
		return CFS_OK;
	rc = cfs_record_parse(&r, text, CFS_PARSE_HEAD_ONLY, NULL, NULL, NULL);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc != CFS_OK)
		return CFS_OK;
	out->is_common_crawl = cfs_arc_is_common_crawl(&r);
	cfs_record_release(&r);
	return CFS_OK;
}

/* Sets the kind and place of the record that a search has found. */
static int take(struct cfs_source *src, const struct cfs_start *found,
		struct cfs_slice bytes, struct cfs_sniffed *out,
		struct cfs_error *err)
{
	uint8_t text[4096];

	bytes = cfs_slice_from(bytes, (size_t)found->at);
	if (found->coding != CFS_CODING_NONE)
		bytes = cfs_slice_of(text, cfs_member_peek(bytes, out->dict,
							   text, sizeof(text)));
	out->kind = kind_of(bytes, bytes);
	/* a damaged first member is read and reported like any other */
	out->at = found->coding != CFS_CODING_NONE &&
		  found->coding == out->coding ? 0 : found->at;
	out->coding = found->coding;
	return note_owner(src, bytes, out, err);
}

/* Searches what the first members inflate to, for an archive that was
 * compressed as a whole and has lost its beginning before.  The walk skips to
 * the first record; `bytes` has room for CFS_START_SEARCH_BYTES. */
static int search_members(struct cfs_source *src, struct cfs_start_input in,
			  uint8_t *bytes, struct cfs_sniffed *out,
			  struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_start found;
	size_t got = 0;
	int rc = read_members(src, bytes, CFS_START_SEARCH_BYTES, &got,
			      CFS_START_SEARCH_BYTES, out->dict,
			      CFS_CTX(ctx.cancel, &e));

	if (rc != CFS_OK)
		return rc == CFS_EFORMAT ? CFS_OK :
					   cfs_error_pass(ctx.err, &e, rc);
	in.bytes = cfs_slice_of(bytes, got);
	in.file_bytes = got < CFS_START_SEARCH_BYTES ? got : UINT64_MAX;
	in.named = CFS_CODING_NONE;
	if (!cfs_start_search(&in, &found) || found.coding != CFS_CODING_NONE)
		return CFS_OK;
	in.bytes = cfs_slice_from(in.bytes, (size_t)found.at);
	out->kind = kind_of(in.bytes, in.bytes);
	return note_owner(src, in.bytes, out, ctx.err);
}

/* Searches a file for a record.  is_markup: see struct cfs_start_input. */
static int search(struct cfs_source *src, bool is_markup,
		  struct cfs_sniffed *out, struct cfs_ctx ctx)
{
	struct cfs_slice name = cfs_slice_str(src->name);
	size_t n = src->size < CFS_START_SEARCH_BYTES ? (size_t)src->size :
		   CFS_START_SEARCH_BYTES, got = 0;
	bool is_zip = out->kind == CFS_FILE_ZIP;
	struct cfs_start_input in = { .file_bytes = src->size,
		.has_name = may_be_archive(name),
		.named = is_zip ? CFS_CODING_GZIP : coding_of_name(name),
		.is_markup = is_markup };
	uint8_t *bytes = malloc(CFS_START_SEARCH_BYTES);
	struct cfs_start found;
	int rc;

	if (bytes == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read_some(src, bytes, n, 0, &got, ctx);
	in.bytes = cfs_slice_of(bytes, got);
	if (rc == CFS_OK && out->coding != CFS_CODING_ZSTD)
		rc = find_dict(src, in.bytes, &out->dict, ctx);
	in.dict = out->dict;
	if (rc == CFS_OK && cfs_start_search(&in, &found))
		rc = take(src, &found, in.bytes, out, ctx.err);
	else if (rc == CFS_OK && in.has_name && out->coding != CFS_CODING_NONE)
		rc = search_members(src, in, bytes, out, ctx);
	if (rc == CFS_OK &&
	    (out->kind == CFS_FILE_NONE || out->kind == CFS_FILE_ZIP) &&
	    (in.has_name || is_zip) && !is_markup && got < src->size) {
		out->kind = CFS_FILE_WARC;	/* or ARC */
		if (out->coding == CFS_CODING_NONE)
			out->coding = in.named;
	}
	free(bytes);
	return rc;
}

/* Can an archive of another coding begin with these bytes?  It is quickly
 * told. */
static bool may_start(struct cfs_slice s, enum cfs_coding not)
{
	enum cfs_coding coding = cfs_coding_of(s);

	return coding != not && (coding != CFS_CODING_NONE ||
				 cfs_record_is_start(s));
}

int cfs_sniff_place(struct cfs_source *src, uint64_t at, enum cfs_coding not,
		    struct cfs_start *out, struct cfs_ctx ctx)
{
	uint64_t left = src->size > at ? src->size - at : 0;
	size_t n = left < PLACE_BYTES ? (size_t)left : PLACE_BYTES, got = 0;
	struct cfs_start_input in = { .file_bytes = left };
	uint8_t *bytes = malloc(n + 1);
	size_t padding = 0;
	int rc;

	*out = (struct cfs_start){ .at = 0 };
	if (bytes == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read_some(src, bytes, n, at, &got, ctx);
	while (padding < got &&
	       (bytes[padding] == 0 || bytes[padding] == '\n' ||
		bytes[padding] == '\r'))
		padding++;
	in.bytes = cfs_slice_of(bytes, got);
	if (rc == CFS_OK &&
	    (!may_start(cfs_slice_from(in.bytes, padding), not) ||
	     !cfs_start_search(&in, out) || out->at > padding ||
	     out->coding == not))
		rc = CFS_END;
	out->at += at;
	free(bytes);
	return rc;
}

/* ---- all of it ---- */

int cfs_sniff_head(struct cfs_source *src, struct cfs_slice head,
		   enum cfs_sniff_depth depth, struct cfs_sniffed *out,
		   struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	char what[CFS_UNSUPPORTED_BYTES / 2];
	bool may_precede = true, in_zip;
	struct file_head h;
	int rc = CFS_OK;

	*out = (struct cfs_sniffed){ .coding = cfs_coding_of(head) };
	if (depth == CFS_SNIFF_BY_NAME &&
	    may_be_archive(cfs_slice_str(src->name)))
		depth = CFS_SNIFF_SEARCH;
	h.file = head;
	inflate_head(&h, out->coding);
	if (depth == CFS_SNIFF_HEAD) {
		out->kind = kind_of(h.file, h.text);
		return CFS_OK;
	}
	if (cfs_zst_is_dict(head))
		rc = cfs_members_dict(src, 0, &out->dict, ctx);
	if (rc != CFS_OK)
		return rc;
	rc = read_text(src, &h, out, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK)
		out->kind = kind_of(h.file, h.text);
	if (rc == CFS_OK)
		rc = note_owner(src, h.text, out, &e);
	in_zip = depth == CFS_SNIFF_SEARCH_ZIP && out->kind == CFS_FILE_ZIP;
	if ((out->kind == CFS_FILE_NONE || in_zip) &&
	    depth >= CFS_SNIFF_SEARCH &&
	    (rc == CFS_OK || rc == CFS_EFORMAT) &&
	    h.file.n > 0 &&
	    (cfs_unsupported_of(h.text, &may_precede, what) == NULL ||
	     may_precede || in_zip)) {
		int found = search(src, may_precede, out, ctx);

		if (found != CFS_OK || out->kind != CFS_FILE_NONE)
			return found;
	}
	return cfs_error_pass(ctx.err, &e, rc);
}

int cfs_sniff_file(struct cfs_source *src, enum cfs_sniff_depth depth,
		   struct cfs_sniffed *out, struct cfs_ctx ctx)
{
	uint8_t head[LOOK_BYTES];
	size_t n = 0;
	int rc = cfs_source_read_some(src, head, sizeof(head), 0, &n, ctx);

	*out = (struct cfs_sniffed){ .kind = CFS_FILE_NONE };
	return rc != CFS_OK ? rc :
	       cfs_sniff_head(src, cfs_slice_of(head, n), depth, out, ctx);
}

void cfs_sniffed_release(struct cfs_sniffed *s)
{
	cfs_zst_dict_put(s->dict);
	s->dict = NULL;
}

int cfs_sniff(struct cfs_source *src, enum cfs_sniff_depth depth,
	      enum cfs_file_kind *out, struct cfs_error *err)
{
	struct cfs_sniffed s;
	int rc = cfs_sniff_file(src, depth, &s, CFS_CTX(NULL, err));

	*out = rc == CFS_OK ? s.kind : CFS_FILE_NONE;
	cfs_sniffed_release(&s);
	return rc;
}

int cfs_sniff_dict(struct cfs_source *src, struct cfs_zst_dict **out,
		   struct cfs_ctx ctx)
{
	struct cfs_sniffed s;
	uint8_t magic[4];
	size_t got = 0;
	int rc = cfs_members_dict(src, 0, out, ctx);

	if (rc != CFS_OK || *out != NULL)
		return rc;
	rc = cfs_source_read_some(src, magic, sizeof(magic), 0, &got, ctx);
	if (rc != CFS_OK ||
	    cfs_coding_of(cfs_slice_of(magic, got)) == CFS_CODING_ZSTD)
		return rc;
	rc = cfs_sniff_file(src, CFS_SNIFF_SEARCH, &s, ctx);
	if (rc == CFS_OK)
		*out = cfs_zst_dict_ref(s.dict);
	cfs_sniffed_release(&s);
	return rc;
}

int cfs_sniff_common_crawl(struct cfs_source *src, bool *yes,
			   struct cfs_ctx ctx)
{
	struct cfs_slice name = cfs_slice_str(src->name);
	struct cfs_sniffed found;
	int rc;

	*yes = cfs_arc_is_common_crawl_name(name);
	if (*yes || !may_have_file_header(name))
		return CFS_OK;
	rc = cfs_sniff_file(src, CFS_SNIFF_SEARCH, &found, ctx);
	*yes = found.is_common_crawl;
	cfs_sniffed_release(&found);
	return rc;
}
