/* cdx_row.c - makes the values of a capture as CDX files have them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_row.h"

#include <inttypes.h>
#include <string.h>

#include "base/timestamp.h"
#include "net/location.h"
#include "record/archives.h"
#include "record/digest.h"
#include "url/surt.h"

/* All texts of one capture. */
#define ROW_MAX (16u * (size_t)CFS_KEY_MAX)

const char *const cfs_cdx_names[CFS_CDX_KEYS] = {
	"urlkey", "timestamp", "url", "mime", "status", "digest", "redirect",
	"robotflags", "length", "offset", "filename", "languages",
};

void cfs_cdx_row_init(struct cfs_cdx_row *r)
{
	*r = (struct cfs_cdx_row){ .file = { 0 } };
	cfs_buf_init(&r->text, ROW_MAX);
	cfs_buf_init(&r->digest, CFS_KEY_MAX);
	cfs_buf_init(&r->archive, ROW_MAX);
	cfs_buf_init(&r->scratch, ROW_MAX);
}

void cfs_cdx_row_release(struct cfs_cdx_row *r)
{
	cfs_buf_release(&r->text);
	cfs_buf_release(&r->digest);
	cfs_buf_release(&r->archive);
	cfs_buf_release(&r->scratch);
}

/* Lengths are noted while the text grows, and may move; places are set at the
 * end. */
static void end_value(struct cfs_cdx_row *r, enum cfs_cdx_key key,
		      size_t *from)
{
	r->v[key].n = r->text.n - *from;
	*from = r->text.n;
}

static void set_places(struct cfs_cdx_row *r)
{
	static const enum cfs_cdx_key order[] = {
		CFS_CDX_URL, CFS_CDX_URLKEY, CFS_CDX_TIMESTAMP, CFS_CDX_MIME,
		CFS_CDX_STATUS, CFS_CDX_DIGEST, CFS_CDX_LENGTH, CFS_CDX_OFFSET,
		CFS_CDX_FILENAME, CFS_CDX_LANGUAGES,
	};
	size_t at = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		r->v[order[i]].p = r->text.p + at;
		at += r->v[order[i]].n;
	}
}

/* Finds the archive's name in the form that may be shown, unless it is the same
 * as that of the capture before. */
static int name_archive(struct cfs_cdx_row *r, struct cfs_crawl *c,
			const struct cfs_span *loc, struct cfs_error *err)
{
	int rc;

	if (r->archive.n > 0 &&
	    memcmp(r->file, loc->file, sizeof(r->file)) == 0)
		return CFS_OK;
	cfs_buf_reset(&r->archive);
	cfs_buf_reset(&r->scratch);
	rc = cfs_index_archive_name(c->index, loc, &r->scratch, err);
	if (rc != CFS_OK)
		return rc;
	memcpy(r->file, loc->file, sizeof(r->file));
	cfs_location_show(&r->archive,
			  cfs_archive_plain(cfs_buf_slice(&r->scratch)));
	return r->archive.failed;
}

static int add_archive(struct cfs_cdx_row *r, struct cfs_crawl *c,
		       const char *folder, const struct cfs_capture *cap,
		       struct cfs_error *err)
{
	int rc = name_archive(r, c, &cap->loc, err);

	if (rc != CFS_OK)
		return rc;
	if (folder != NULL) {
		cfs_buf_adds(&r->text, folder);
		cfs_buf_addc(&r->text, '/');
	}
	return cfs_buf_add(&r->text, cfs_buf_slice(&r->archive));
}

/* The type as CDX files have it. */
static struct cfs_slice shown_type(const struct cfs_capture *cap)
{
	if (cap->kind == CFS_KIND_REVISIT)
		return CFS_SLICE_LIT("warc/revisit");
	return cap->mime.n > 0 ? cap->mime : CFS_SLICE_LIT("unk");
}

void cfs_cdx_row_set_digest(struct cfs_cdx_row *r)
{
	r->v[CFS_CDX_DIGEST] = cfs_digest_bare(cfs_buf_slice(&r->digest));
}

int cfs_cdx_row_fill(struct cfs_cdx_row *r, struct cfs_crawl *c,
		     const char *folder, const struct cfs_iter *it,
		     const struct cfs_capture *cap, struct cfs_error *err)
{
	struct cfs_buf *out = &r->text;
	char when[CFS_TIME_14_BYTES];
	size_t from = 0;
	int rc;

	cfs_buf_reset(out);
	memset(r->v, 0, sizeof(r->v));
	rc = cfs_index_key_url(c->index, it->key, cap, out);
	if (rc != CFS_OK)
		return rc;
	end_value(r, CFS_CDX_URL, &from);
	cfs_buf_reset(&r->scratch);
	rc = cfs_surt_encode(cfs_buf_slice(out), &r->scratch);
	if (rc != CFS_OK && rc != CFS_ENOTFOUND)
		return rc;
	cfs_buf_add(out, rc == CFS_OK ? cfs_buf_slice(&r->scratch) :
					CFS_SLICE_LIT("-"));
	end_value(r, CFS_CDX_URLKEY, &from);
	if (cap->time != 0)
		cfs_buf_adds(out, cfs_time_format_cdx(cap->time, when));
	end_value(r, CFS_CDX_TIMESTAMP, &from);
	cfs_buf_add(out, shown_type(cap));
	end_value(r, CFS_CDX_MIME, &from);
	if (cap->status != 0)
		cfs_buf_addf(out, "%u", cap->status);
	end_value(r, CFS_CDX_STATUS, &from);
	cfs_buf_add(out, cfs_digest_bare(cap->digest));
	end_value(r, CFS_CDX_DIGEST, &from);
	cfs_buf_addf(out, "%" PRIu64, cap->loc.length);
	end_value(r, CFS_CDX_LENGTH, &from);
	cfs_buf_addf(out, "%" PRIu64, cap->loc.offset);
	end_value(r, CFS_CDX_OFFSET, &from);
	rc = add_archive(r, c, folder, cap, err);
	end_value(r, CFS_CDX_FILENAME, &from);
	cfs_buf_add(out, cap->languages);
	end_value(r, CFS_CDX_LANGUAGES, &from);
	if (rc == CFS_OK)
		rc = out->failed;
	if (rc != CFS_OK)
		return rc;
	set_places(r);
	return CFS_OK;
}
