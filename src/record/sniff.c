/* sniff.c - what a file is, by its name and first bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sniff.h"

#include <string.h>

#include "arc.h"
#include "members.h"
#include "parse.h"
#include "seqfile.h"
#include "source/zip.h"
#include "wacz_package.h"

/* A header line and more. */
#define LOOK_BYTES 16384u

/* Some writers begin a file with empty members: so much of it, behind a
 * dictionary, is read to find one that is not. */
#define EMPTY_MEMBERS_BYTES (1u << 20)

/* The first bytes of a file of members, whichever of them holds some. */
static int read_members(struct cfs_source *src, uint8_t out[LOOK_BYTES],
			size_t *n, struct cfs_zst_dict *dict,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	uint64_t end = EMPTY_MEMBERS_BYTES + cfs_zst_dict_frame(dict).n;
	enum cfs_member_state state = CFS_MEMBER_MORE;
	struct cfs_member_stream *z;
	size_t got;
	int rc = cfs_member_stream_new(&z, src, 0, src->size < end ? src->size :
				       end, dict, err);

	*n = 0;
	if (rc != CFS_OK)
		return rc;
	while (rc == CFS_OK && state == CFS_MEMBER_MORE && *n < LOOK_BYTES) {
		rc = cfs_member_stream_read(z, out + *n, LOOK_BYTES - *n, &got,
					    &state, cancel, err);
		*n += got;
		if (rc == CFS_OK && state == CFS_MEMBER_END && *n == 0) {
			state = CFS_MEMBER_MORE;
			rc = cfs_member_stream_next(z, cancel, err);
		}
	}
	if (rc == CFS_OK && *n == 0 && state == CFS_MEMBER_BAD &&
	    cfs_member_stream_is_zstd(z))
		rc = cfs_error_at(err, CFS_EFORMAT, src->name,
				  cfs_member_stream_offset(z), "%s",
				  cfs_member_stream_why(z));
	cfs_member_stream_free(z);
	return rc == CFS_END ? CFS_OK : rc;
}

/* The first bytes of what the file holds, inflated if need be. */
static int read_start(struct cfs_source *src, uint8_t out[LOOK_BYTES],
		      size_t *n, bool *is_zip, const struct cfs_cancel *cancel,
		      struct cfs_error *err)
{
	struct cfs_zst_dict *dict = NULL;
	uint8_t raw[LOOK_BYTES];
	struct cfs_slice s;
	int rc;

	*n = 0;
	rc = cfs_source_read_some(src, raw, sizeof(raw), 0, n, cancel, err);
	if (rc != CFS_OK)
		return rc;
	s = cfs_slice_of(raw, *n);
	*is_zip = cfs_zip_is_start(s);
	if (cfs_coding_of(s) == CFS_CODING_NONE) {
		memcpy(out, raw, *n);
		return CFS_OK;
	}
	*n = cfs_gz_is_start(s) ? cfs_gz_peek(s, out, LOOK_BYTES) : 0;
	if (*n > 0)
		return CFS_OK;
	if (cfs_zst_is_dict(s))
		rc = cfs_members_dict(src, 0, &dict, cancel, err);
	if (rc == CFS_OK)
		rc = read_members(src, out, n, dict, cancel, err);
	cfs_zst_dict_put(dict);
	return rc;
}

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

int cfs_sniff_common_crawl(struct cfs_source *src, bool *yes,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err)
{
	uint8_t head[LOOK_BYTES];
	struct cfs_slice name = cfs_slice_str(src->name), s;
	struct cfs_record r;
	bool is_zip;
	size_t n;
	int rc;

	*yes = cfs_arc_is_common_crawl_name(name);
	if (*yes || cfs_slice_search_nocase(name, CFS_SLICE_LIT(".arc")) < 0)
		return CFS_OK;
	rc = read_start(src, head, &n, &is_zip, cancel, err);
	s = cfs_slice_of(head, n);
	if (rc != CFS_OK ||
	    !cfs_slice_starts_nocase(s, CFS_SLICE_LIT("filedesc:")))
		return rc;
	rc = cfs_record_parse(&r, s, CFS_PARSE_HEAD_ONLY, NULL, NULL, NULL);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (rc != CFS_OK)
		return CFS_OK;
	*yes = cfs_arc_is_common_crawl(&r);
	cfs_record_release(&r);
	return CFS_OK;
}

int cfs_sniff(struct cfs_source *src, enum cfs_file_kind *out,
	      struct cfs_error *err)
{
	uint8_t head[LOOK_BYTES];
	struct cfs_slice s;
	bool is_zip;
	size_t n;
	int rc;

	*out = CFS_FILE_NONE;
	rc = read_start(src, head, &n, &is_zip, NULL, err);
	if (rc != CFS_OK)
		return rc;
	s = cfs_slice_of(head, n);
	if (cfs_seq_is_magic(s))
		*out = CFS_FILE_SEQFILE;
	else if (is_zip)
		*out = CFS_FILE_ZIP;
	else if (cfs_package_is_start(s))
		*out = CFS_FILE_PACKAGE;
	if (!cfs_record_is_start(s))
		return CFS_OK;
	s = cfs_slice_from(s, cfs_head_newlines(s));
	*out = cfs_slice_starts_nocase(s, CFS_SLICE_LIT("WARC/")) ? CFS_FILE_WARC :
							     CFS_FILE_ARC;
	return CFS_OK;
}
