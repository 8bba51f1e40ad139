/* cmd_umount.c - crawlfs umount: unmounts crawls.
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
	enum cfs_mount_state state;
	char *real = cfs_mounts_realpath(path, &state);
	int rc;

	if (real == NULL) {
		cfs_cli_error("'%s': %s", path, strerror(errno));
		return CFS_EXIT_FAILURE;
	}
	rc = cfs_mounts_at(real, &m);
	if (rc != CFS_OK || strcmp(m.type, CFS_MOUNT_TYPE) != 0)
		rc = cfs_mounts_refuse(rc, path, "is not a crawlfs mount",
				       &err);
	else
		rc = cfs_mounts_unmount(real, lazily ||
					state == CFS_MOUNT_SILENT, &err);
	if (rc == CFS_OK && state == CFS_MOUNT_SILENT)
		cfs_cli_error(
			"'%s': detached, but its process does not "
			"answer: it may be stopped, and ends when it goes "
			"on (kill -CONT) or is killed",
			path);
	cfs_mounted_release(&m);
	free(real);
	return cfs_cli_end(rc, &err);
}

static int cmd_umount_run(struct cfs_options *o)
{
	int status = CFS_EXIT_OK;

	for (int i = 0; i < o->n_operands; i++) {
		int one = unmount_one(o->operands[i], o->is_lazy);

		status = one != CFS_EXIT_OK ? one : status;
	}
	return status;
}

const struct cfs_command cfs_cmd_umount = {
	.name = "umount",
	.by = CFS_BY_UMOUNT,
	.summary = "unmount crawls",
	.usage =
	"crawlfs umount MOUNTPOINT...\n\n"
	"Unmounts what 'crawlfs mount' has mounted.",
	.example =
	"  crawlfs umount /mnt/crawl\n",
	.operands = { "MOUNTPOINT" },
	.run = cmd_umount_run,
};
