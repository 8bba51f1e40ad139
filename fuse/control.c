/* control.c - the table of the files of .crawlfs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "control.h"

const struct cfs_control_file cfs_control_files[CFS_CONTROL_FILES] = {
	{ "config", CFS_INO_CONFIG },
	{ "errors", CFS_INO_ERRORS },
	{ "metrics", CFS_INO_METRICS },
	{ "records", CFS_INO_RECORDS },
	{ "stats", CFS_INO_STATS },
	{ "url", CFS_INO_URL_DIR },
	{ "version", CFS_INO_VERSION },
};
