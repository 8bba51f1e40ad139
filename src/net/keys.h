/* keys.h - gets the credentials of S3 requests from wherever they are set up.
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
 * Others (sso_session, mfa_serial, ...) are refused with a message.
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
	int64_t ends;		/* when they expire, Unix seconds; 0: unknown */
};

void cfs_keys_release(struct cfs_keys *k);
bool cfs_keys_are_same(const struct cfs_keys *a, const struct cfs_keys *b);

/* Copies a value that may be part of a header; `what` names it in messages,
 * which never show it.  CFS_EFORMAT, CFS_ENOMEM. */
int cfs_keys_set(char **out, struct cfs_slice s, const char *what,
		 struct cfs_error *err);

/* Which kind of credentials is set up.  CFS_EUNSUPPORTED for one that crawlfs
 * does not know, with a message that names setting and profile. */
int cfs_keys_kind(const struct cfs_profile *p, enum cfs_keys_kind *out,
		  struct cfs_error *err);

/* Parameters for getting credentials. */
struct cfs_keys_how {
	const struct cfs_profile *profile;
	const char *region;
	unsigned timeout_ms;		/* for a process; servers get less */
	const struct cfs_cancel *cancel;	/* may be NULL */
};

/*
 * Gets the credentials, which may take until the timeout.  A machine that is
 * not an instance, or one without a role, has none: requests are then
 * anonymous.  CFS_EFORMAT, CFS_EACCESS, CFS_EIO, CFS_ETIMEOUT,
 * CFS_EUNSUPPORTED, CFS_EINTR, CFS_ENOMEM; err says which setting of which
 * profile was used.
 */
int cfs_keys_get(struct cfs_keys *out, enum cfs_keys_kind kind,
		 const struct cfs_keys_how *how, struct cfs_error *err);

/* ---- for the files of this folder, and tests ---------------------------- */

/* Parses credentials in a JSON object.  token_name: "SessionToken" for a
 * process, "Token" for a server.  CFS_EFORMAT if it is not such an object, or
 * they have expired by now_s. */
int cfs_keys_from_json(struct cfs_keys *out, struct cfs_slice json,
		       const char *token_name, int64_t now_s,
		       struct cfs_error *err);

/* The same for XML, as answered by the token service. */
int cfs_keys_from_xml(struct cfs_keys *out, struct cfs_slice xml,
		      int64_t now_s, struct cfs_error *err);

#define CFS_KEYS_ARGUMENTS_MAX 256u

/*
 * Splits a command into words like the AWS CLI: without a shell, but with
 * quotes and backslashes.  *argv ends with NULL; free(*argv) frees it and its
 * strings.  CFS_EFORMAT for a quote without end, for no word or too many;
 * CFS_ENOMEM.
 */
int cfs_keys_split(char ***argv, struct cfs_slice command,
		   struct cfs_error *err);

/* Runs a command and parses the credentials that it prints. */
int cfs_keys_from_process(struct cfs_keys *out, struct cfs_slice command,
			  const struct cfs_keys_how *how,
			  struct cfs_error *err);

int cfs_keys_from_container(struct cfs_keys *out,
			    const struct cfs_keys_how *how,
			    struct cfs_error *err);
int cfs_keys_from_instance(struct cfs_keys *out, const struct cfs_keys_how *how,
			   struct cfs_error *err);
int cfs_keys_from_web(struct cfs_keys *out, const struct cfs_keys_how *how,
		      struct cfs_error *err);
/* Uses the credentials of the role's source. */
int cfs_keys_from_role(struct cfs_keys *out, const struct cfs_keys *source,
		       const struct cfs_keys_how *how, struct cfs_error *err);

/* May a container's server be asked without TLS?  True for loopback and for the
 * addresses of the ECS and EKS services. */
bool cfs_keys_host_is_near(struct cfs_slice host);

/* ---- those that requests are signed with (keys_use.c) ------------------ */

/* They are fetched when the first one is needed, and again before they expire,
 * when the files they come from change, and when a server refuses them.
 * Fetching may take seconds; the thread that fetches ranges never waits for
 * it. They are kept among the settings (http_settings.h), where requests find
 * them. */

/* Gets the credentials if there are none yet, or they have expired.  From any
 * thread but the one that fetches.  There may be none: requests are then
 * anonymous.  Errors of the settings and of cfs_keys_get. */
int cfs_keys_ready(struct cfs_error *err);

/* Gets them again in the background if the files have changed.  From any thread
 * but the one that fetches. */
void cfs_keys_check(void);

enum cfs_keys_word {
	CFS_KEYS_GO,		/* sign with those in the settings */
	CFS_KEYS_WAIT,		/* new ones are being got: poll again soon */
	CFS_KEYS_FAIL,		/* they have expired, and there are no others */
};

/* May a request be signed now?  Never waits.  err: why it cannot. */
enum cfs_keys_word cfs_keys_poll(struct cfs_error *err);

/*
 * Notes that a server has refused the credentials of that generation (struct
 * cfs_s3_setup).  code: of S3's error, or "": it may say that they are invalid,
 * not just without access.
 * True if there are others, or they are being got: the request may be sent once
 * more when cfs_keys_poll allows it.  Never waits.
 */
bool cfs_keys_refused(unsigned generation, const char *code);

/* The generation of the credentials in use. */
unsigned cfs_keys_generation(void);

/* Forgets the credentials, as the settings have been replaced. */
void cfs_keys_reset(void);

#endif
