/* profile.h - the files that the AWS tools keep settings and credentials in.
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

/* A place in the text of a file; slices borrow from it. */
struct cfs_ini {
	struct cfs_slice rest;
	struct cfs_slice section;	/* without brackets; empty before the
					 * first */
	struct cfs_slice parent;	/* of a nested setting, else empty */
	struct cfs_slice name, value;	/* without blanks around them */
};

void cfs_ini_init(struct cfs_ini *it, struct cfs_slice text);

/* The next setting, nested or not; or the next heading, whose name is empty.
 * False at the end. */
bool cfs_ini_next(struct cfs_ini *it);

/* Is it the section [NAME], or [KIND NAME] where kind is not ""?  Blanks do not
 * count between words; NAME may be in quotes.  Names are compared exactly. */
bool cfs_ini_is_section(struct cfs_slice section, const char *kind,
			const char *name);

/*
 * The value of a setting: the last one there is.  kind and section as above;
 * parent "" for one that is not nested.  Names of settings are compared without
 * case.  False if there is none; *out borrows from the text.
 */
bool cfs_ini_find(struct cfs_slice text, const char *kind, const char *section,
		  const char *parent, const char *name, struct cfs_slice *out);

bool cfs_ini_has_section(struct cfs_slice text, const char *kind,
			 const char *section);

/* ---- the files ---------------------------------------------------------- */

struct cfs_profile_file {
	char path[4096];		/* empty: there is no home */
	struct cfs_buf text;		/* empty, too: there is no such file */
	struct stat st;			/* when it was read; zero: it was not */
};

/* One profile, which is named when the files are read. */
struct cfs_profile {
	char name[CFS_PROFILE_NAME_MAX];
	bool is_named;			/* by the environment */
	struct cfs_profile_file credentials, config;
};

/*
 * Reads the files of AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE, else
 * ~/.aws/credentials and ~/.aws/config, and finds out which profile is meant:
 * AWS_PROFILE, AWS_DEFAULT_PROFILE, "default".  To be released.  CFS_EFORMAT
 * where the profile's name is too long, a file too large, or the environment
 * names a profile that is in neither.
 */
int cfs_profile_read(struct cfs_profile *p, struct cfs_error *err);
void cfs_profile_release(struct cfs_profile *p);

/* True when a file is not what it was when it was read: by device, inode, size
 * and time, or that there is one. */
bool cfs_profile_changed(const struct cfs_profile *p);

/* A setting of a profile: of the credentials file, else of the other. */
bool cfs_profile_get_of(const struct cfs_profile *p, const char *profile,
			const char *name, struct cfs_slice *out);
/* Of the one that is meant. */
bool cfs_profile_get(const struct cfs_profile *p, const char *name,
		     struct cfs_slice *out);

/* A setting of a service ("s3") in the profile's section [services NAME]. */
bool cfs_profile_get_service(const struct cfs_profile *p, const char *service,
			     const char *name, struct cfs_slice *out);

/* The value of a variable of the environment; NULL if it is not there, or
 * empty. */
const char *cfs_profile_env(const char *name);

/* Is it "true", as the AWS tools spell it?  NULL is not. */
bool cfs_profile_is_true(const char *text);

#endif
