/* mounttable.c - reads the kernel's table of mounts.
 *
 * Format: proc(5), /proc/[pid]/mountinfo:
 *     ID parent major:minor root point options *(tag) "-" type source super
 * Blank, tab, line feed and backslash are written as \ooo.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mounttable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static void mounttable_unescape(char *s)
{
	char *to = s;

	while (*s != '\0') {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' &&
		    s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

void cfs_mounted_release(struct cfs_mounted *m)
{
	free(m->point);
	free(m->root);
	free(m->options);
	m->point = m->root = m->options = NULL;
}

static bool parse_line(char *line, struct cfs_mounted *m)
{
	char *dash = strstr(line, " - ");

	*m = (struct cfs_mounted){ .point = NULL };
	if (dash == NULL ||
	    sscanf(dash + 3, "%63s %*s %ms", m->type, &m->options) < 1 ||
	    (m->options == NULL && (m->options = strdup("")) == NULL) ||
	    sscanf(line, "%*u %*u %u:%u %ms %ms", &m->major, &m->minor,
		   &m->root, &m->point) != 4) {
		cfs_mounted_release(m);
		return false;
	}
	mounttable_unescape(m->options);
	mounttable_unescape(m->root);
	mounttable_unescape(m->point);
	return true;
}

int cfs_mount_table_search(const char *path,
			   bool (*matches)(const struct cfs_mounted *m,
					   const void *arg),
			   const void *arg, struct cfs_mounted *out)
{
	struct cfs_mounted last = { .point = NULL };
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;

	if (out != NULL)
		*out = last;
	if (f == NULL)
		return CFS_EIO;
	while (getline(&line, &cap, f) > 0) {
		struct cfs_mounted m;

		if (!parse_line(line, &m))
			continue;
		if (matches(&m, arg)) {
			cfs_mounted_release(&last);
			last = m;
		} else {
			cfs_mounted_release(&m);
		}
	}
	free(line);
	fclose(f);
	if (last.point == NULL)
		return CFS_ENOTFOUND;
	if (out != NULL)
		*out = last;
	else
		cfs_mounted_release(&last);
	return CFS_OK;
}
