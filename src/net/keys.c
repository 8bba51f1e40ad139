/* keys.c - which credentials are set up, and those given as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"
#include "codec/json.h"
#include "s3_xml.h"

void cfs_keys_release(struct cfs_keys *k)
{
	if (k->secret != NULL)
		explicit_bzero(k->secret, strlen(k->secret));
	free(k->id);
	free(k->secret);
	free(k->token);
	*k = (struct cfs_keys){ .id = NULL };
}

static bool keys_is_same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool cfs_keys_are_same(const struct cfs_keys *a, const struct cfs_keys *b)
{
	return keys_is_same(a->id, b->id) && keys_is_same(a->secret,
							  b->secret) &&
	       keys_is_same(a->token, b->token);
}

/* True for a text that may be part of a header: no blanks or
 * control characters. */
static bool keys_is_word(struct cfs_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= 0x20 || s.p[i] >= 0x7f)
			return false;
	return s.n > 0 && s.n <= CFS_KEYS_WORD_MAX;
}

int cfs_keys_set(char **out, struct cfs_slice s, const char *what,
		 struct cfs_error *err)
{
	if (!keys_is_word(s))
		return cfs_error_set(err, CFS_EFORMAT, "invalid %s for S3",
				     what);
	free(*out);
	*out = strndup((const char *)s.p, s.n);
	return *out != NULL ? CFS_OK : cfs_error_nomem(err);
}

/* Sets all three; an empty one is missing. libcurl takes id and secret joined
 * by ':', so the id must not contain one. */
static int set_all(struct cfs_keys *k, struct cfs_slice id,
		   struct cfs_slice secret, struct cfs_slice token,
		   struct cfs_error *err)
{
	int rc = CFS_OK;

	if ((id.n == 0) != (secret.n == 0))
		return cfs_error_set(err, CFS_EFORMAT,
				     "half of the credentials "
				     "for S3 is missing: %s",
				     id.n == 0 ? "the access key" :
						 "the secret key");
	if (id.n == 0)
		return CFS_OK;
	if (cfs_slice_find(id, ':') >= 0)
		return cfs_error_set(err, CFS_EFORMAT,
				     "invalid access key for S3");
	rc = cfs_keys_set(&k->id, id, "access key", err);
	if (rc == CFS_OK)
		rc = cfs_keys_set(&k->secret, secret, "secret key", err);
	if (rc == CFS_OK && token.n > 0)
		rc = cfs_keys_set(&k->token, token, "session token", err);
	if (rc != CFS_OK)
		cfs_keys_release(k);
	return rc;
}

/* ---- which kind -------------------------------------------------------- */

static bool keys_has(const struct cfs_profile *p, const char *name)
{
	struct cfs_slice v;

	return cfs_profile_get(p, name, &v) && v.n > 0;
}

/* Is it set in the credentials file? */
static bool is_credential(const struct cfs_profile *p, const char *name)
{
	struct cfs_slice v;

	return cfs_ini_find(cfs_buf_slice(&p->credentials.text), "", p->name,
			    "", name, &v) && v.n > 0;
}

static int keys_refuse(const struct cfs_profile *p, const char *setting,
		       struct cfs_error *err)
{
	return cfs_error_set(err, CFS_EUNSUPPORTED, "profile '%.40s' has its "
		"credentials by %s, which crawlfs does not know; "
		"'aws configure export-credentials --profile %.40s' can be the "
		"credential_process of another profile", p->name, setting,
		p->name);
}

static int kind_of_role(const struct cfs_profile *p, enum cfs_keys_kind *out,
			struct cfs_error *err)
{
	*out = CFS_KEYS_ROLE;
	if (keys_has(p, "mfa_serial"))
		return keys_refuse(p, "mfa_serial", err);
	return CFS_OK;
}

static bool has_web_identity(const struct cfs_profile *p)
{
	return (cfs_profile_env("AWS_WEB_IDENTITY_TOKEN_FILE") != NULL ||
		keys_has(p, "web_identity_token_file")) &&
	       (cfs_profile_env("AWS_ROLE_ARN") != NULL || keys_has(p, "role_arn"));
}

static bool has_container(void)
{
	return cfs_profile_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") ||
	       cfs_profile_env("AWS_CONTAINER_CREDENTIALS_FULL_URI");
}

/* The kinds that need no settings; refuses settings of unknown kinds. */
static int kind_of_rest(const struct cfs_profile *p, enum cfs_keys_kind *out,
			struct cfs_error *err)
{
	static const char *const unknown[] = { "sso_session", "sso_start_url",
		"sso_account_id", "sso_role_name", "login_session",
		"web_identity_token_file", "role_arn" };

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (keys_has(p, unknown[i]))
			return keys_refuse(p, unknown[i], err);
	if (cfs_profile_env("AWS_WEB_IDENTITY_TOKEN_FILE") != NULL)
		return cfs_error_set(
			err, CFS_EUNSUPPORTED,
			"the credentials of "
			"AWS_WEB_IDENTITY_TOKEN_FILE need AWS_ROLE_ARN");
	if (has_container())
		*out = CFS_KEYS_CONTAINER;
	else if (!cfs_profile_is_true(
			 cfs_profile_env("AWS_EC2_METADATA_DISABLED")))
		*out = CFS_KEYS_INSTANCE;
	return CFS_OK;
}

int cfs_keys_kind(const struct cfs_profile *p, enum cfs_keys_kind *out,
		  struct cfs_error *err)
{
	const char *id = "aws_access_key_id", *secret = "aws_secret_access_key";

	*out = CFS_KEYS_NONE;
	if (cfs_profile_env("AWS_ACCESS_KEY_ID") != NULL)
		*out = CFS_KEYS_ENVIRONMENT;
	else if (keys_has(p, "role_arn") && (keys_has(p, "source_profile") ||
					keys_has(p, "credential_source")))
		return kind_of_role(p, out, err);
	else if (has_web_identity(p))
		*out = CFS_KEYS_WEB;
	else if (is_credential(p, id) || is_credential(p, secret))
		*out = CFS_KEYS_FILE;
	else if (keys_has(p, "credential_process"))
		*out = CFS_KEYS_PROCESS;
	else if (keys_has(p, id) || keys_has(p, secret))
		*out = CFS_KEYS_FILE;
	else
		return kind_of_rest(p, out, err);
	return CFS_OK;
}

/* ---- credentials as text ----------------------------------------------- */

static struct cfs_slice from_env(const char *name)
{
	const char *v = cfs_profile_env(name);

	return v != NULL ? cfs_slice_str(v) : CFS_SLICE_EMPTY;
}

static struct cfs_slice from_profile(const struct cfs_profile *p,
				     const char *profile, const char *name)
{
	struct cfs_slice v;

	return cfs_profile_get_of(p, profile, name, &v) ? v : CFS_SLICE_EMPTY;
}

static int from_file(struct cfs_keys *out, const struct cfs_profile *p,
		     const char *profile, struct cfs_error *err)
{
	return set_all(out, from_profile(p, profile, "aws_access_key_id"),
		       from_profile(p, profile, "aws_secret_access_key"),
		       from_profile(p, profile, "aws_session_token"), err);
}

static int set_end(struct cfs_keys *k, struct cfs_slice text, int64_t now_s,
		   struct cfs_error *err)
{
	if (text.n == 0)
		return CFS_OK;
	if (cfs_time_parse_iso(text, &k->ends) != CFS_OK || k->ends <= 0)
		return cfs_error_set(err, CFS_EFORMAT, "the credentials end at "
				     "an invalid time");
	if (k->ends <= now_s)
		return cfs_error_set(err, CFS_EACCESS, "the credentials have "
				     "expired already");
	return CFS_OK;
}

int cfs_keys_from_json(struct cfs_keys *out, struct cfs_slice json,
		       const char *token_name, int64_t now_s,
		       struct cfs_error *err)
{
	const char *const paths[] = { "AccessKeyId", "SecretAccessKey",
				      token_name, "Expiration" };
	struct cfs_slice raw[4], v[4];
	struct cfs_buf text;
	size_t start[5] = { 0 };
	int rc;

	*out = (struct cfs_keys){ .id = NULL };
	if (!cfs_json_pick(json, paths, 4, raw))
		return cfs_error_set(err, CFS_EFORMAT, "this is not the JSON "
				     "of credentials");
	cfs_buf_init(&text, json.n + 4);
	for (size_t i = 0; i < 4; i++) {
		const struct cfs_json_text t = { raw[i], true };

		if (!cfs_slice_eq(raw[i], CFS_SLICE_LIT("null")))
			cfs_json_add_text(&text, t);
		start[i + 1] = text.n;
	}
	for (size_t i = 0; i < 4; i++)
		v[i] = cfs_slice_sub(cfs_buf_slice(&text), start[i],
				     start[i + 1] - start[i]);
	rc = text.failed != CFS_OK ? cfs_error_nomem(err) : v[0].n == 0 ?
	     cfs_error_set(err, CFS_EFORMAT, "there is no AccessKeyId") :
	     set_all(out, v[0], v[1], v[2], err);
	if (rc == CFS_OK)
		rc = set_end(out, v[3], now_s, err);
	if (rc != CFS_OK)
		cfs_keys_release(out);
	if (text.n > 0)
		explicit_bzero(text.p, text.n);
	cfs_buf_release(&text);
	return rc;
}

/* Path: AssumeRole...Response / AssumeRole...Result / Credentials */
static const struct cfs_s3_node *
find_credentials(const struct cfs_s3_node *root)
{
	const struct cfs_s3_node *n = cfs_s3_xml_first(root), *found = NULL;

	for (; n != NULL && found == NULL; n = cfs_s3_xml_next(root, n))
		found = cfs_s3_xml_child(n, "Credentials");
	return found;
}

int cfs_keys_from_xml(struct cfs_keys *out, struct cfs_slice xml,
		      int64_t now_s, struct cfs_error *err)
{
	const struct cfs_s3_node *found = NULL;
	struct cfs_s3_xml doc;
	int rc;

	*out = (struct cfs_keys){ .id = NULL };
	rc = cfs_s3_xml_parse(&doc, xml, err);
	if (rc == CFS_OK)
		found = find_credentials(doc.root);
	if (rc == CFS_OK && (found == NULL ||
			     cfs_s3_xml_text(found, "AccessKeyId").n == 0))
		rc = cfs_error_set(err, CFS_EFORMAT, "the answer has no "
				   "credentials");
	if (rc == CFS_OK)
		rc = set_all(out, cfs_s3_xml_text(found, "AccessKeyId"),
			     cfs_s3_xml_text(found, "SecretAccessKey"),
			     cfs_s3_xml_text(found, "SessionToken"), err);
	if (rc == CFS_OK)
		rc = set_end(out, cfs_s3_xml_text(found, "Expiration"), now_s,
			     err);
	if (rc != CFS_OK)
		cfs_keys_release(out);
	cfs_s3_xml_release(&doc);
	return rc;
}

/* ---- all of them ------------------------------------------------------- */

/* Sets "no credentials for S3 by SETTING: ..." */
static int keys_explain(struct cfs_error *err, int rc, const char *setting,
			const struct cfs_error *why)
{
	if (rc == CFS_OK || why->code == CFS_OK)
		return rc;
	return cfs_error_set(err, rc, "no credentials for S3 by %s: %.180s",
			     setting, why->text);
}

static int explain_profile(struct cfs_error *err, int rc,
			   const struct cfs_profile *p, const char *setting,
			   const struct cfs_error *why)
{
	char text[CFS_PROFILE_NAME_MAX + 64];

	snprintf(text, sizeof(text), "%s of profile '%.40s'", setting, p->name);
	return keys_explain(err, rc, text, why);
}

static int from_process(struct cfs_keys *out, const char *profile,
			const struct cfs_keys_how *how, struct cfs_error *err)
{
	return cfs_keys_from_process(out, from_profile(how->profile, profile,
						       "credential_process"),
				     how, err);
}

/* Gets the source credentials of a role: of a profile, or of this machine. */
static int get_source(struct cfs_keys *out, const struct cfs_keys_how *how,
		      struct cfs_error *err)
{
	const struct cfs_profile *p = how->profile;
	struct cfs_slice name = from_profile(p, p->name, "source_profile");
	struct cfs_slice source = from_profile(p, p->name, "credential_source");
	char profile[CFS_PROFILE_NAME_MAX];
	int rc;

	if (name.n == 0 && cfs_slice_eq(source, CFS_SLICE_LIT("Environment")))
		return set_all(out, from_env("AWS_ACCESS_KEY_ID"),
			       from_env("AWS_SECRET_ACCESS_KEY"),
			       from_env("AWS_SESSION_TOKEN"), err);
	if (name.n == 0 && cfs_slice_eq(source, CFS_SLICE_LIT("EcsContainer")))
		return cfs_keys_from_container(out, how, err);
	if (name.n == 0 &&
	    cfs_slice_eq(source, CFS_SLICE_LIT("Ec2InstanceMetadata")))
		return cfs_keys_from_instance(out, how, err);
	if (name.n == 0 || name.n >= sizeof(profile))
		return cfs_error_set(err, CFS_EFORMAT,
				     "an unknown credential_source");
	memcpy(profile, name.p, name.n);
	profile[name.n] = '\0';
	rc = from_file(out, p, profile, err);
	if (rc == CFS_OK && out->id == NULL &&
	    from_profile(p, profile, "credential_process").n > 0)
		return from_process(out, profile, how, err);
	return rc;
}

static int from_role(struct cfs_keys *out, const struct cfs_keys_how *how,
		     struct cfs_error *err)
{
	struct cfs_keys source = { .id = NULL };
	int rc = get_source(&source, how, err);

	if (rc == CFS_OK && source.id == NULL)
		rc = cfs_error_set(err, CFS_EUNSUPPORTED, "its source has "
			"neither keys nor a credential_process");
	if (rc == CFS_OK)
		rc = cfs_keys_from_role(out, &source, how, err);
	cfs_keys_release(&source);
	return rc;
}

int cfs_keys_get(struct cfs_keys *out, enum cfs_keys_kind kind,
		 const struct cfs_keys_how *how, struct cfs_error *err)
{
	const struct cfs_profile *p = how->profile;
	struct cfs_error why = CFS_ERROR_INIT;
	int rc;

	*out = (struct cfs_keys){ .id = NULL };
	switch (kind) {
	case CFS_KEYS_ENVIRONMENT:
		return set_all(out, from_env("AWS_ACCESS_KEY_ID"),
			       from_env("AWS_SECRET_ACCESS_KEY"),
			       from_env("AWS_SESSION_TOKEN"), err);
	case CFS_KEYS_FILE:
		return from_file(out, p, p->name, err);
	case CFS_KEYS_PROCESS:
		return explain_profile(err, from_process(out, p->name, how,
			&why), p, "credential_process", &why);
	case CFS_KEYS_ROLE:
		return explain_profile(err, from_role(out, how, &why), p,
				       "role_arn", &why);
	case CFS_KEYS_WEB:
		rc = cfs_keys_from_web(out, how, &why);
		return cfs_profile_env("AWS_WEB_IDENTITY_TOKEN_FILE") != NULL ?
		       keys_explain(err, rc, "AWS_WEB_IDENTITY_TOKEN_FILE",
				    &why) :
		       explain_profile(err, rc, p, "web_identity_token_file",
				       &why);
	case CFS_KEYS_CONTAINER:
		return keys_explain(err,
				    cfs_keys_from_container(out, how, &why),
				    "AWS_CONTAINER_CREDENTIALS", &why);
	case CFS_KEYS_INSTANCE:
		return keys_explain(err, cfs_keys_from_instance(out, how, &why),
				    "the metadata of this instance", &why);
	default:
		return CFS_OK;
	}
}
