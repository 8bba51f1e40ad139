/* mount_words.c - reads the lists of words after -o: crawlfs's own options,
 * those of the kernel and libfuse, and those that others read in fstab(5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mount_words.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* For the kernel and libfuse. */
static const char *const kernel_words[] = {
	"allow_other", "allow_root", "auto_unmount", "default_permissions",
	"max_read=*", "fsname=*", "nodev", "dev", "nosuid", "suid", "noexec",
	"exec", "noatime", "nodiratime", "norelatime", "nostrictatime", "sync",
	"async", "dirsync", "context=*", "fscontext=*", "defcontext=*",
	"rootcontext=*",
};

/* For others that read fstab: mount(8), systemd, udisks. */
static const char *const ignored_words[] = {
	"", "ro", "defaults", "auto", "noauto", "nofail", "user", "nouser",
	"users", "owner", "noowner", "group", "nogroup", "_netdev", "relatime",
	"atime", "diratime", "strictatime", "lazytime", "nolazytime", "silent",
	"loud", "iversion", "noiversion", "mand", "nomand", "x-*", "X-*",
	"comment=*", "uhelper=*", "helper=*",
};

static bool is_in(const char *const *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(list[i], word, 0) == 0)
			return true;
	return false;
}
#define IS_IN(list, word) is_in(list, sizeof(list) / sizeof((list)[0]), word)

static int add_kernel_word(struct cfs_options *o, const char *word,
			   struct cfs_error *err)
{
	if (o->kernel.n > 0)
		cfs_buf_addc(&o->kernel, ',');
	for (; *word != '\0'; word++) {
		if (*word == ',' || *word == '\\')
			cfs_buf_addc(&o->kernel, '\\');
		cfs_buf_addc(&o->kernel, (uint8_t)*word);
	}
	if (o->kernel.failed != CFS_OK)
		return cfs_error_set(err, CFS_EUSAGE, "too many mount options");
	return CFS_OK;
}

/* The row of crawlfs's own option of that name, with '_' for '-'. */
static const struct cfs_option *find_row(struct cfs_slice name)
{
	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++) {
		size_t i = 0;

		if ((row->by & CFS_BY_WORD) == 0 || strlen(row->name) != name.n)
			continue;
		while (i < name.n &&
		       name.p[i] == (row->name[i] == '-' ? '_' : row->name[i]))
			i++;
		if (i == name.n)
			return row;
	}
	return NULL;
}

/* What is not an option, or not in this form: mount.crawlfs -s leaves it out. */
static int refuse(struct cfs_options *o, bool for_helper, const char *word,
		  const char *before, const char *behind, struct cfs_error *err)
{
	cfs_error_set(for_helper ? &o->unknown_word : err, CFS_EUSAGE,
		      "%s '%s'%s", before, word, behind);
	return for_helper ? CFS_OK : CFS_EUSAGE;
}

/* `word` lives as long as o, and is cut at its '='. */
static int take_word(struct cfs_options *o, char *word, bool for_helper,
		     struct cfs_error *err)
{
	size_t n = strcspn(word, "=");
	const char *value = word[n] == '=' ? word + n + 1 : NULL;
	const struct cfs_option *row = find_row(cfs_slice_of(word, n));

	if (strcmp(word, "rw") == 0 && !for_helper)
		return cfs_error_set(err, CFS_EUSAGE,
			"option 'rw': a crawl is read-only and cannot be written to");
	if (strcmp(word, "rw") == 0 || IS_IN(ignored_words, word))
		return CFS_OK;
	if (IS_IN(kernel_words, word))
		return add_kernel_word(o, word, err);
	if (row == NULL)
		return refuse(o, for_helper, word, "unknown option", "", err);
	if (cfs_option_has_value(row) != (value != NULL))
		return refuse(o, for_helper, word, "option", value == NULL ?
			      " needs a value" : " takes no value", err);
	word[n] = '\0';
	return cfs_option_take(o, row, word, value, err);
}

int cfs_mount_words_take(struct cfs_options *o, const char *list,
			 bool for_helper, struct cfs_error *err)
{
	char *word = malloc(strlen(list) + 1);
	int rc = CFS_OK;

	if (word == NULL || cfs_options_keep(o, word) == NULL)
		return cfs_error_nomem(err);
	while (rc == CFS_OK && *list != '\0') {
		size_t n = 0;

		for (; *list != '\0' && *list != ','; list++) {
			if (list[0] == '\\' && (list[1] == ',' || list[1] == '\\'))
				list++;
			word[n++] = *list;
		}
		word[n++] = '\0';
		list += *list == ',';
		rc = take_word(o, word, for_helper, err);
		word += n;
	}
	return rc;
}
