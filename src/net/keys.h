/* keys.h - the credentials of S3 requests: where they come from, and how they
 * are got from there.
 *
 * In the order of the AWS tools:
 *     the environment     AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
 *                         AWS_SESSION_TOKEN
 *     a role              role_arn with source_profile or credential_source
 *     a web identity      AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or the
 *                         profile's web_identity_token_file and role_arn
 *     the credentials file
 *     a process           credential_process
 *     the config file
 *     a container         AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, _FULL_URI
 *     an instance         the metadata service of EC2, version 2
 * Others (sso_session, mfa_serial, ...) are refused by name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_KEYS_H
#define CFS_NET_KEYS_H

#include "base/cancel.h"
#include "profile.h"

#define CFS_KEYS_WORD_MAX 4096u		/* session tokens reach 2 KiB */

enum cfs_keys_kind {
	CFS_KEYS_NONE, CFS_KEYS_ENVIRONMENT, CFS_KEYS_ROLE, CFS_KEYS_WEB,
	CFS_KEYS_FILE, CFS_KEYS_PROCESS, CFS_KEYS_CONTAINER, CFS_KEYS_INSTANCE,
};

/* Owns its strings. */
struct cfs_keys {
	char *id, *secret;	/* NULL: anonymous */
	char *token;		/* NULL: none */
	int64_t ends;		/* Unix seconds; 0: they have no known end */
};

void cfs_keys_release(struct cfs_keys *k);
bool cfs_keys_are_same(const struct cfs_keys *a, const struct cfs_keys *b);

/* Takes a copy of what may be part of a header; `what` names it in messages,
 * which never show it.  CFS_EFORMAT, CFS_ENOMEM. */
int cfs_keys_set(char **out, struct cfs_slice s, const char *what,
		 struct cfs_error *err);

/* Which kind is set up.  CFS_EUNSUPPORTED, in one sentence that names setting
 * and profile, for one that crawlfs does not know. */
int cfs_keys_kind(const struct cfs_profile *p, enum cfs_keys_kind *out,
		  struct cfs_error *err);

/* What getting them needs to know. */
struct cfs_keys_how {
	const struct cfs_profile *profile;
	const char *region;
	unsigned timeout_ms;		/* of a process; a server has less */
	const struct cfs_cancel *cancel;	/* may be NULL */
};

/*
 * Gets them, which may take until the timeout.  An instance without a role, or
 * that is none, has none: then they are anonymous.  CFS_EFORMAT, CFS_EACCESS,
 * CFS_EIO, CFS_ETIMEOUT, CFS_EUNSUPPORTED, CFS_EINTR, CFS_ENOMEM; err says
 * which setting of which profile was used.
 */
int cfs_keys_get(struct cfs_keys *out, enum cfs_keys_kind kind,
		 const struct cfs_keys_how *how, struct cfs_error *err);

/* ---- for the files of this folder, and tests ---------------------------- */

/* The credentials in a JSON object.  token_name: "SessionToken" of a process,
 * "Token" of a server.  CFS_EFORMAT when it is not such an object, or they have
 * ended by now_s. */
int cfs_keys_from_json(struct cfs_keys *out, struct cfs_slice json,
		       const char *token_name, int64_t now_s,
		       struct cfs_error *err);

/* The same for the XML that the token service answers with. */
int cfs_keys_from_xml(struct cfs_keys *out, struct cfs_slice xml,
		      int64_t now_s, struct cfs_error *err);

#define CFS_KEYS_ARGUMENTS_MAX 256u

/*
 * The words of a command, as the AWS CLI splits it: no shell, but its quotes
 * and backslashes.  *argv ends with NULL; it and its strings are freed by one
 * free(*argv).  CFS_EFORMAT for a quote without end, no word or too many;
 * CFS_ENOMEM.
 */
int cfs_keys_split(char ***argv, struct cfs_slice command,
		   struct cfs_error *err);

/* Runs a command and reads its credentials. */
int cfs_keys_from_process(struct cfs_keys *out, struct cfs_slice command,
			  const struct cfs_keys_how *how,
			  struct cfs_error *err);

int cfs_keys_from_container(struct cfs_keys *out,
			    const struct cfs_keys_how *how,
			    struct cfs_error *err);
int cfs_keys_from_instance(struct cfs_keys *out,
			   const struct cfs_keys_how *how,
			   struct cfs_error *err);
int cfs_keys_from_web(struct cfs_keys *out, const struct cfs_keys_how *how,
		      struct cfs_error *err);
/* With the credentials of the source of the role. */
int cfs_keys_from_role(struct cfs_keys *out, const struct cfs_keys *source,
		       const struct cfs_keys_how *how, struct cfs_error *err);

/* May a container's server be asked without TLS?  Loopback, and the addresses
 * of the services of ECS and EKS. */
bool cfs_keys_host_is_near(struct cfs_slice host);

#endif
