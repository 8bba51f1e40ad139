/* cmd_umount.c - crawlfs umount.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "mounts.h"

static int unmount_one(const char *path, bool lazily)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_mounted m;
	char *real = cfs_mounts_realpath(path, NULL);
	int rc;

	if (real == NULL) {
		cfs_cli_error("'%s': %s", path, strerror(errno));
		return CFS_EXIT_FAILURE;
	}
	rc = cfs_mounts_at(real, &m);
	if (rc != CFS_OK || strcmp(m.type, CFS_MOUNT_TYPE) != 0)
		rc = cfs_error_set(&err, CFS_ENOTFOUND,
				   "'%s' is no crawlfs mount", path);
	else
		rc = cfs_mounts_unmount(real, lazily, &err);
	cfs_mounted_release(&m);
	free(real);
	return rc == CFS_OK ? CFS_EXIT_OK : cfs_cli_fail(rc, &err);
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "lazy", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":hl", longs, 0 };
	int c, status = CFS_EXIT_OK;
	bool lazily = false;

	while ((c = cfs_args_next(&a)) != CFS_OPT_END) {
		if (c != 'l')
			return a.status;
		lazily = true;
	}
	if (optind == argc)
		return cfs_cli_usage(cmd, "no MOUNTPOINT is given");
	for (int i = optind; i < argc; i++) {
		int one = unmount_one(argv[i], lazily);

		status = one != CFS_EXIT_OK ? one : status;
	}
	return status;
}

const struct cfs_command cfs_cmd_umount = {
	.name = "umount",
	.summary = "unmount it",
	.help =
	"usage: crawlfs umount MOUNTPOINT...\n\n"
	"Unmounts what 'crawlfs mount' has mounted.\n\n"
	"  -l, --lazy  at once for newcomers, for good when nobody uses it any more\n"
	"  -h, --help  this text\n\n"
	"Example:\n"
	"  crawlfs umount /mnt/crawl\n",
	.run = run,
};
