/* mount_words.c - the words after -o: crawlfs's own, those for the kernel and
 * libfuse, and those that other programs read in fstab(5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "options.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* Words passed to the kernel and libfuse. */
static const char *const kernel_words[] = {
	"allow_other", "allow_root",  "auto_unmount", "default_permissions",
	"max_read=*",  "fsname=*",    "nodev",	      "dev",
	"nosuid",      "suid",	      "noexec",	      "exec",
	"noatime",     "sync",	      "async",	      "dirsync",
	"context=*",   "fscontext=*", "defcontext=*", "rootcontext=*",
};

const char *cfs_kernel_word(size_t i)
{
	return i < sizeof(kernel_words) / sizeof(kernel_words[0]) ?
	       kernel_words[i] : NULL;
}

/* Words for others that read fstab: mount(8), systemd, udisks; and words about
 * access times, which crawls do not have. */
static const char *const ignored_words[] = {
	"", "ro", "defaults", "auto", "noauto", "nofail", "user", "user=*",
	"nouser", "users", "owner", "noowner", "group", "nogroup", "_netdev",
	"relatime", "norelatime", "atime", "diratime", "nodiratime",
	"strictatime", "nostrictatime", "lazytime", "nolazytime",
	"symfollow", "silent", "loud", "iversion", "noiversion", "mand",
	"nomand", "x-*", "X-*", "comment=*", "uhelper=*", "helper=*",
};

/* Words that the table of mounts has, and that mount(8) repeats for a
 * remount. */
static const char *const table_words[] = {
	"user_id=*", "group_id=*", "rootmode=*", "fd=*",
};

static bool options_is_in(const char *const *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(list[i], word, 0) == 0)
			return true;
	return false;
}
#define IS_IN(list, word) \
	options_is_in(list, sizeof(list) / sizeof((list)[0]), word)

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

const struct cfs_option *cfs_option_of_word(struct cfs_slice name)
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

/* Refuses a word that is unknown or malformed; for_helper: only records it,
 * because mount.crawlfs -s ignores it. */
static int refuse_word(struct cfs_options *o, bool for_helper, const char *word,
		       const char *before, const char *behind,
		       struct cfs_error *err)
{
	cfs_error_set(for_helper ? &o->unknown_word : err, CFS_EUSAGE,
		      "%s '%s'%s", before, word, behind);
	return for_helper ? CFS_OK : CFS_EUSAGE;
}

/* Refuses a word whose first n bytes are no option's name, and says what may
 * have been meant. */
static int refuse_unknown(struct cfs_options *o, bool for_helper,
			  const char *word, size_t n, struct cfs_error *err)
{
	struct cfs_nearest near = CFS_NEAREST(cfs_slice_of(word, n));
	char behind[128] = "";

	for (const struct cfs_option *row = cfs_option_table;
	     row->name != NULL || row->letter != 0; row++)
		if ((row->by & CFS_BY_WORD) != 0)
			cfs_nearest_try(&near, row->name);
	if (near.word != NULL)
		snprintf(behind, sizeof(behind), " (did you mean '%s'?)",
			 near.word);
	else if (word[n] == '\0' && o->own_words.n > 0)
		snprintf(behind, sizeof(behind), " (in the list of an option, "
			 "items have ':' between them: views=txt:md)");
	return refuse_word(o, for_helper, word, "unknown option", behind, err);
}

/* Keeps a word for .crawlfs/config and for a remount. */
static int keep_own_word(struct cfs_options *o, const char *word)
{
	const char *url = strstr(word, "://");

	cfs_buf_add(&o->own_words, cfs_slice_of(word, url == NULL ?
			strlen(word) : (size_t)(url - word) +
				       strcspn(url, "?")));
	return cfs_buf_addc(&o->own_words, '\n');
}

/* Takes a word that mount(8) passes to its helpers; false: it is another
 * one. */
static bool take_helper_word(struct cfs_options *o, const char *word)
{
	if (strcmp(word, "remount") == 0)
		o->is_remount = true;
	else if (strcmp(word, "rw") == 0)
		o->is_rw = true;
	else
		return IS_IN(table_words, word);
	return true;
}

/* True if a colon is part of a URL: "://", or in front of a port. */
static bool is_colon_of_url(const char *colon)
{
	size_t digits = strspn(colon + 1, "0123456789");
	char behind = colon[1 + digits];

	return strncmp(colon, "://", 3) == 0 ||
	       (digits > 0 && (behind == '/' || behind == ':' ||
			       behind == '\0'));
}

/* Turns the colons between the items of a list into line ends; `\:` is a colon
 * inside an item. */
static void split_word_list(char *list)
{
	char *to = list;

	for (; *list != '\0'; list++) {
		if (list[0] == '\\' && list[1] == ':')
			*to++ = *++list;
		else if (*list == ':' && !is_colon_of_url(list))
			*to++ = '\n';
		else
			*to++ = *list;
	}
	*to = '\0';
}

/* Words are spelt with '-' or '_', except those of other programs. */
static void use_underlines(char *word)
{
	if (strncasecmp(word, "x-", 2) == 0)
		return;
	for (; *word != '\0' && *word != '='; word++)
		if (*word == '-')
			*word = '_';
}

/* `word` must live as long as o; it is cut at its '='. */
static int options_take_word(struct cfs_options *o, char *word, bool for_helper,
			     struct cfs_error *err)
{
	size_t n = strcspn(word, "=");
	const char *value = word[n] == '=' ? word + n + 1 : NULL;
	const struct cfs_option *row;

	use_underlines(word);
	row = cfs_option_of_word(cfs_slice_of(word, n));
	if (strcmp(word, "rw") == 0 && !for_helper)
		return cfs_error_set(
			err, CFS_EUSAGE,
			"option 'rw': a crawl is read-only and cannot be written to");
	if (IS_IN(ignored_words, word) ||
	    (for_helper && take_helper_word(o, word)))
		return CFS_OK;
	if (strcmp(word, "nosymfollow") == 0) {
		o->no_symlinks = true;
		return CFS_OK;
	}
	if (IS_IN(kernel_words, word))
		return add_kernel_word(o, word, err);
	if (row == NULL)
		return refuse_unknown(o, for_helper, word, n, err);
	if (cfs_option_has_value(row) != (value != NULL) &&
	    !(value != NULL && row->value != NULL))
		return refuse_word(o, for_helper, word, "option",
				   value == NULL ? " needs a value" :
						   " takes no value", err);
	if (keep_own_word(o, word) != CFS_OK)
		return cfs_error_set(err, CFS_EUSAGE, "too many mount options");
	if (row->kind == CFS_OPTION_LINES)
		split_word_list(word + n + 1);
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
			if (list[0] == '\\' &&
			    (list[1] == ',' || list[1] == '\\'))
				list++;
			word[n++] = *list;
		}
		word[n++] = '\0';
		list += *list == ',';
		rc = options_take_word(o, word, for_helper, err);
		word += n;
	}
	return rc;
}
