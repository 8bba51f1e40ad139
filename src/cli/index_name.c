/* index_name.c - derives the format of an index to write from its name.
 *
 * Programs and people go by the ending of a name, so a file whose name promises
 * another format than its contents is not written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "index_name.h"

#include <sys/stat.h>

#define ENDS_IN_CFX "a crawlfs index ends in .cfx"

/* The format that an ending allows, and why no other. */
struct ending {
	const char *text;
	enum cfs_index_format is;	/* CFS_INDEX_UNKNOWN: none */
	bool only_if_asked;
	const char *why;
};
static const struct ending endings[] = {
	{ ".cfx", CFS_INDEX_CFX, false, "only a crawlfs index ends in .cfx" },
	{ ".cdxj", CFS_INDEX_CDX, false,
	  "only lines of CDXJ (--format=cdxj) end in .cdxj" },
	{ ".cdx", CFS_INDEX_CDX, true,
	  "CDX is not written; --format=cdxj writes lines of CDXJ, whose name "
	  "ends in .cdxj; " ENDS_IN_CFX },
#define CLUSTER "a ZipNum cluster is a folder, for --format=zipnum; " ENDS_IN_CFX
	{ ".idx", CFS_INDEX_UNKNOWN, false, CLUSTER },
	{ ".loc", CFS_INDEX_UNKNOWN, false, CLUSTER },
#define COMPRESSED "an index is not a compressed file; " ENDS_IN_CFX
	{ ".gz", CFS_INDEX_UNKNOWN, false, COMPRESSED },
	{ ".zst", CFS_INDEX_UNKNOWN, false, COMPRESSED },
	{ ".zip", CFS_INDEX_UNKNOWN, false, COMPRESSED },
#define ARCHIVE "an index is not an archive; " ENDS_IN_CFX
	{ ".arc", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".warc", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".wat", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".wet", CFS_INDEX_UNKNOWN, false, ARCHIVE },
	{ ".wacz", CFS_INDEX_UNKNOWN, false, ARCHIVE },
#define TABLE "an index is not a table; " ENDS_IN_CFX
	{ ".csv", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".tsv", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".json", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".jsonl", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".parquet", CFS_INDEX_UNKNOWN, false, TABLE },
	{ ".paths", CFS_INDEX_UNKNOWN, false,
	  "an index is not a list of archives; " ENDS_IN_CFX },
};

static const struct ending *ending_of(const char *name)
{
	struct cfs_slice s = cfs_slice_str(name);

	while (s.n > 0 && s.p[s.n - 1] == '/')
		s.n--;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct cfs_slice end = cfs_slice_str(endings[i].text);

		if (s.n > end.n &&
		    cfs_slice_eq_nocase(cfs_slice_from(s, s.n - end.n), end))
			return &endings[i];
	}
	return NULL;
}

static bool index_name_is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

int cfs_index_format_of(const char *name, enum cfs_index_format *format,
			struct cfs_error *err)
{
	const struct ending *e = ending_of(name);
	bool was_asked = *format != CFS_INDEX_UNKNOWN;

	if (!was_asked)
		*format = e != NULL && e->is != CFS_INDEX_UNKNOWN ? e->is :
								CFS_INDEX_CFX;
	if (e == NULL ||
	    (*format == CFS_INDEX_ZIPNUM && index_name_is_folder(name)) ||
	    (*format == e->is && (was_asked || !e->only_if_asked)))
		return CFS_OK;
	return cfs_error_set(err, CFS_EUSAGE, "'%.60s': %s", name, e->why);
}
