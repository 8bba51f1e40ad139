/* formats.c - the table of formats.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formats.h"

#include "table/parquet_write.h"

#define WET_FIELDS \
	(CFS_EXPORT_BIT(CFS_EXPORT_URL) | CFS_EXPORT_BIT(CFS_EXPORT_TEXT) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_TIMESTAMP) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_LANGUAGES) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_ARCHIVE) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_OFFSET) | CFS_EXPORT_BIT(CFS_EXPORT_ERROR))
#define WARC_FIELDS \
	(CFS_EXPORT_BIT(CFS_EXPORT_RECORD) | \
	 CFS_EXPORT_BIT(CFS_EXPORT_ERROR))

const struct cfs_export_format cfs_export_formats[] = {
	{ "jsonl", cfs_row_put_json, NULL, 0, false, ".jsonl",
	  "a JSON object a line", NULL, 0 },
	{ "wet", cfs_row_put_wet, cfs_row_begin_wet, WET_FIELDS, true,
	  ".warc.wet", "texts as WARC records, as Common Crawl has them", NULL, 0 },
	{ "warc", cfs_row_put_warc, cfs_row_begin_warc, WARC_FIELDS, true,
	  ".warc", "the records themselves", NULL, 0 },
	{ "parquet", cfs_row_put_parquet, NULL, 0, false, ".parquet",
	  "a table with a column for each field",
	  cfs_row_convert_parquet, CFS_PARQUET_VALUE_MAX },
	{ .name = NULL }
};

/* NULL: no format has that name. */
static const struct cfs_export_format *format_find(struct cfs_slice name)
{
	const struct cfs_export_format *f = cfs_export_formats;

	while (f->name != NULL && !cfs_slice_eq(name, cfs_slice_str(f->name)))
		f++;
	return f->name != NULL ? f : NULL;
}

/* Cuts the suffix of a coding off. */
static struct cfs_slice without_coding(struct cfs_slice s,
				       enum cfs_coding *coding)
{
	*coding = CFS_CODING_NONE;
	if (cfs_slice_ends(s, CFS_SLICE_LIT(".gz")))
		*coding = CFS_CODING_GZIP;
	else if (cfs_slice_ends(s, CFS_SLICE_LIT(".zst")))
		*coding = CFS_CODING_ZSTD;
	s.n -= *coding == CFS_CODING_NONE ? 0 : s.n -
		(size_t)cfs_slice_rfind(s, '.');
	return s;
}

const char *cfs_export_coding_suffix(enum cfs_coding coding)
{
	static const char *const suffixes[] = {
		[CFS_CODING_NONE] = "", [CFS_CODING_GZIP] = ".gz",
		[CFS_CODING_ZSTD] = ".zst" };

	return suffixes[coding];
}

const struct cfs_export_format *
cfs_export_format_find_coded(const char *name, enum cfs_coding *coding)
{
	return format_find(without_coding(cfs_slice_str(name), coding));
}

bool cfs_export_format_of(const char *name,
			  const struct cfs_export_format **format,
			  enum cfs_coding *coding)
{
	struct cfs_slice s = without_coding(cfs_slice_str(name), coding);
	const struct cfs_export_format *f = cfs_export_formats;

	while (f->name != NULL && !cfs_slice_ends(s, cfs_slice_str(f->suffix)))
		f++;
	*format = f;
	return f->name != NULL &&
	       (f->convert == NULL || *coding == CFS_CODING_NONE);
}
