/* profile.h - reads the files that the AWS tools keep settings and credentials
 * in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_PROFILE_H
#define CFS_NET_PROFILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

#define CFS_PROFILE_FILE_MAX (1u << 20)	/* bytes of a file */
#define CFS_PROFILE_NAME_MAX 256u	/* with its NUL */

/* ---- the format --------------------------------------------------------- */

/* A position in the text of a file; slices borrow from it. */
struct cfs_ini {
	struct cfs_slice rest;
	struct cfs_slice section;	/* without brackets; empty before the
					 * first */
	struct cfs_slice parent;	/* a nested setting's, else empty */
	struct cfs_slice name, value;	/* without blanks around them */
};

void cfs_ini_init(struct cfs_ini *it, struct cfs_slice text);

/* Moves to the next setting, nested or not, or to the next heading, whose name
 * is empty.  False at the end. */
bool cfs_ini_next(struct cfs_ini *it);

/*
 * Finds the value of a setting, the last one if there are several.  The section
 * is [SECTION] or, if kind is not "", [KIND SECTION]; parent "" for a setting
 * that is not nested.  Names of settings ignore case.  False if there is none;
 * *out borrows from the text.
 */
bool cfs_ini_find(struct cfs_slice text, const char *kind, const char *section,
		  const char *parent, const char *name, struct cfs_slice *out);

bool cfs_ini_has_section(struct cfs_slice text, const char *kind,
			 const char *section);

/* ---- the files ---------------------------------------------------------- */

struct cfs_profile_file {
	char path[4096];		/* empty: no home folder is known */
	struct cfs_buf text;		/* empty, too, if there is no
					 * such file */
	struct stat st;			/* when it was read; zero: it was not */
};

/* One profile, chosen when the files are read. */
struct cfs_profile {
	char name[CFS_PROFILE_NAME_MAX];
	bool is_named;			/* named by the environment */
	struct cfs_profile_file credentials, config;
};

/*
 * Reads the files of AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE, else
 * ~/.aws/credentials and ~/.aws/config, and chooses the profile: AWS_PROFILE,
 * AWS_DEFAULT_PROFILE, "default".  Release p afterwards.  CFS_EFORMAT if the
 * profile's name is too long, a file too large, or neither file has the profile
 * that the environment names.
 */
int cfs_profile_read(struct cfs_profile *p, struct cfs_error *err);
void cfs_profile_release(struct cfs_profile *p);

/* True if a file has changed since it was read: by device, inode, size or time,
 * or because it was created or deleted. */
bool cfs_profile_changed(const struct cfs_profile *p);

/* A setting of a profile: from the credentials file, else from the
 * config file. */
bool cfs_profile_get_of(const struct cfs_profile *p, const char *profile,
			const char *name, struct cfs_slice *out);
/* The same for the chosen profile. */
bool cfs_profile_get(const struct cfs_profile *p, const char *name,
		     struct cfs_slice *out);

/* A setting of a service ("s3") in the profile's section [services NAME]. */
bool cfs_profile_get_service(const struct cfs_profile *p, const char *service,
			     const char *name, struct cfs_slice *out);

/* The value of an environment variable; NULL if it is not set, or empty. */
const char *cfs_profile_env(const char *name);

/* Is it "true", as the AWS tools spell it?  False for NULL. */
bool cfs_profile_is_true(const char *text);

#endif
