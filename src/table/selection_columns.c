/* selection_columns.c - the roles of columns by name, as in Common Crawl's
 * columnar index, and as used by CDX servers, cdx_toolkit, comcrawl and
 * warc2zip (doc/formats.md, "Selections").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "selection_columns.h"

static const struct {
	const char *name;
	struct cfs_selection_column column;
} columns[] = {
	/* A full URL says more than a name, which is then perhaps a mere
	 * label. */
	{ "warc_url", { CFS_COLUMN_ARCHIVE, 0 } },
	{ "source_uri", { CFS_COLUMN_ARCHIVE, 0 } },
	{ "warc_filename", { CFS_COLUMN_ARCHIVE, 1 } },
	{ "filename", { CFS_COLUMN_ARCHIVE, 2 } },
	{ "warc_record_offset", { CFS_COLUMN_OFFSET, 0 } },
	{ "offset", { CFS_COLUMN_OFFSET, 1 } },
	{ "warc_record_length", { CFS_COLUMN_LENGTH, 0 } },
	{ "length", { CFS_COLUMN_LENGTH, 1 } },
	{ "url", { CFS_COLUMN_URL, 0 } },
	{ "warc_target_uri", { CFS_COLUMN_URL, 1 } },
	{ "original", { CFS_COLUMN_URL, 2 } },
	{ "fetch_time", { CFS_COLUMN_TIME, 0 } },
	{ "timestamp", { CFS_COLUMN_TIME, 1 } },
	{ "warc_date", { CFS_COLUMN_TIME, 2 } },
	{ "fetch_status", { CFS_COLUMN_STATUS, 0 } },
	{ "status", { CFS_COLUMN_STATUS, 1 } },
	{ "http_status_code", { CFS_COLUMN_STATUS, 2 } },
	{ "statuscode", { CFS_COLUMN_STATUS, 3 } },
	{ "content_mime_detected", { CFS_COLUMN_MIME, 0 } },
	{ "content_mime_type", { CFS_COLUMN_MIME, 1 } },
	{ "mime-detected", { CFS_COLUMN_MIME, 2 } },
	{ "mime", { CFS_COLUMN_MIME, 3 } },
	{ "detected_mime_type", { CFS_COLUMN_MIME, 4 } },
	{ "mimetype", { CFS_COLUMN_MIME, 5 } },
	{ "content_digest", { CFS_COLUMN_DIGEST, 0 } },
	{ "digest", { CFS_COLUMN_DIGEST, 1 } },
};

struct cfs_selection_column cfs_selection_column_of(struct cfs_slice name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (cfs_slice_eq_nocase(name, cfs_slice_str(columns[i].name)))
			return columns[i].column;
	return (struct cfs_selection_column){ CFS_COLUMN_OTHER, 0 };
}

void cfs_selection_columns_lacking(unsigned roles, struct cfs_buf *out)
{
	static const struct {
		enum cfs_selection_role role;
		const char *name;
	} needed[] = {
		{ CFS_COLUMN_ARCHIVE, "warc_filename" },
		{ CFS_COLUMN_OFFSET, "warc_record_offset" },
		{ CFS_COLUMN_LENGTH, "warc_record_length" },
	};
	unsigned lacking = CFS_COLUMNS_NEEDED & ~roles;
	bool is_first = true;

	cfs_buf_adds(out, (lacking & (lacking - 1)) != 0 ? "the columns " :
							    "the column ");
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if ((lacking & 1u << needed[i].role) == 0)
			continue;
		cfs_buf_addf(out, "%s%s", is_first ? "" : ", ", needed[i].name);
		is_first = false;
	}
}
