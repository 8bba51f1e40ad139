/* remount.c - `mount -o remount`: compares the words with the mount, changes
 * flags, or refuses.
 *
 * Flags of the mount point can be changed; options given to the process that
 * serves the crawl cannot.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "base/fileio.h"
#include "base/mounttable.h"

/* Words for the kernel that are flags of a mount point: mount_setattr(2). */
static const struct flag {
	const char *word;
	uint64_t bit;
	bool is_set;
} flags[] = {
	{ "nosuid", MOUNT_ATTR_NOSUID, true },
	{ "suid", MOUNT_ATTR_NOSUID, false },
	{ "nodev", MOUNT_ATTR_NODEV, true },
	{ "dev", MOUNT_ATTR_NODEV, false },
	{ "noexec", MOUNT_ATTR_NOEXEC, true },
	{ "exec", MOUNT_ATTR_NOEXEC, false },
};

/* Words without effect on reading: a crawl has no times to update, and no
 * writes. */
static const char *const idle_words[] = { "noatime", "sync", "async",
					  "dirsync", "auto_unmount" };

static bool is_idle(struct cfs_slice word)
{
	for (size_t i = 0; i < sizeof(idle_words) / sizeof(*idle_words); i++)
		if (cfs_slice_eq(word, cfs_slice_str(idle_words[i])))
			return true;
	return false;
}

/* True if a comma-separated list has the word. */
static bool has_word(const char *list, struct cfs_slice word)
{
	struct cfs_slice rest = cfs_slice_str(list);

	while (rest.n > 0)
		if (cfs_slice_eq(cfs_slice_split(&rest, ','), word))
			return true;
	return false;
}

static int cannot_change(struct cfs_slice word, struct cfs_error *err)
{
	return cfs_error_set(err, CFS_EUSAGE,
			     "option '%.*s' cannot change while "
			     "the crawl is mounted: unmount it, and mount it "
			     "again",
			     (int)(word.n < 100 ? word.n : 100),
			     (const char *)word.p);
}

static int take_kernel_words(const struct cfs_options *o,
			     const struct cfs_mounted *m,
			     struct mount_attr *attr, struct cfs_error *err)
{
	struct cfs_slice rest = cfs_buf_slice(&o->kernel);

	while (rest.n > 0) {
		struct cfs_slice word = cfs_slice_split(&rest, ',');
		const size_t n = sizeof(flags) / sizeof(flags[0]);
		size_t i = 0;

		while (i < n && !cfs_slice_eq(word,
					      cfs_slice_str(flags[i].word)))
			i++;
		if (i < n) {
			attr->attr_set &= ~flags[i].bit;
			attr->attr_clr |= flags[i].bit;
			attr->attr_set |= flags[i].is_set ? flags[i].bit : 0;
		} else if (!is_idle(word) && !has_word(m->options, word)) {
			return cannot_change(word, err);
		}
	}
	if (o->no_symlinks)
		attr->attr_set |= MOUNT_ATTR_NOSYMFOLLOW;
	return CFS_OK;
}

/* Each word must also have been given when the crawl was mounted. */
static int check_own_words(const struct cfs_options *o,
			   const struct cfs_mounted *m, struct cfs_error *err)
{
	struct cfs_slice rest = cfs_buf_slice(&o->own_words);

	while (rest.n > 0) {
		struct cfs_slice word = cfs_slice_split(&rest, '\n');

		if (cfs_mounts_config(m->point, "options", &word) == 0)
			return cannot_change(word, err);
	}
	return CFS_OK;
}

static int remount(const struct cfs_options *o, const char *typed,
		   const struct cfs_mounted *m, struct cfs_error *err)
{
	struct mount_attr attr = { .attr_set = 0 };
	int rc = take_kernel_words(o, m, &attr, err);

	if (rc == CFS_OK)
		rc = check_own_words(o, m, err);
	if (rc != CFS_OK || o->is_fake)
		return rc;
	if ((attr.attr_set | attr.attr_clr) != 0 &&
	    mount_setattr(AT_FDCWD, m->point, AT_SYMLINK_NOFOLLOW, &attr,
			  sizeof(attr)) != 0)
		return cfs_error_set(err, CFS_EIO, "cannot remount '%s': %s",
				     typed, strerror(errno));
	return CFS_OK;
}

int cfs_remount(const struct cfs_options *o, const char *typed,
		struct cfs_error *err)
{
	enum cfs_mount_state state;
	char *real = cfs_mounts_realpath(typed, &state);
	struct cfs_mounted m;
	int rc;

	if (real == NULL)
		return cfs_error_set(err, CFS_EIO, "cannot remount '%s': %s",
				     typed, strerror(errno));
	rc = cfs_mounts_at(real, &m);
	free(real);
	if (rc != CFS_OK || strcmp(m.type, CFS_MOUNT_TYPE) != 0)
		rc = cfs_error_set(err, CFS_EIO, "cannot remount '%s': it is "
				   "not a crawlfs mount", typed);
	else if (state == CFS_MOUNT_SILENT)
		rc = cfs_error_set(err, CFS_EIO, "cannot remount '%s': "
				   CFS_MOUNT_SILENT_TEXT, typed);
	else if (state == CFS_MOUNT_DEAD)
		rc = cfs_error_set(err, CFS_EIO, "cannot remount '%s': its "
				   "process is gone: mount it again", typed);
	else
		rc = remount(o, typed, &m, err);
	cfs_mounted_release(&m);
	return rc;
}
