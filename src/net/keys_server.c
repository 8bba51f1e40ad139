/* keys_server.c - credentials from a server: that of a container, of an EC2
 * instance, or the token service.
 *
 * After the AWS SDKs and Tools Reference Guide, "Container credential
 * provider", "IMDS credential provider", "Assume role with web identity"; and
 * the API reference of AWS STS.
 *
 *     container   GET AWS_CONTAINER_CREDENTIALS_FULL_URI, or
 *                 http://169.254.170.2
 *                 and _RELATIVE_URI; Authorization: the token
 *     instance    PUT /latest/api/token, then with that token
 *                 GET /latest/meta-data/iam/security-credentials/ -> NAME
 *                 GET /latest/meta-data/iam/security-credentials/NAME
 *     web         POST Action=AssumeRoleWithWebIdentity, unsigned
 *     role        POST Action=AssumeRole, signed
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "keys.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/fileio.h"
#include "base/hex.h"
#include "base/start_folder.h"
#include "location.h"
#include "profile.h"
#include "request.h"
#include "s3.h"
#include "s3_answer.h"
#include "s3_call.h"

#define TOKEN_MAX 16384u	/* in a file with a token */
#define TRIES 3u
#define FORM_TYPE "Content-Type: application/x-www-form-urlencoded"

#define CONTAINER_URL "http://169.254.170.2"
#define INSTANCE_URL "http://169.254.169.254"
#define INSTANCE_URL_6 "http://[fd00:ec2::254]"
/* Short, as a machine that is not an instance gets no answer. */
#define INSTANCE_MS 1000u
/* These servers are near, or large: no need to wait longer. */
#define SERVER_MS 10000u

/* ---- one request ------------------------------------------------------- */

/* How long to wait for a server. */
static unsigned server_ms(const struct cfs_keys_how *how)
{
	return how->timeout_ms < SERVER_MS ? how->timeout_ms : SERVER_MS;
}

/* A request to a server of credentials. */
struct ask {
	struct cfs_s3_call call;
	struct cfs_s3_for_keys keys;
	const struct cfs_keys_how *how;
};

/* Sends a request until it succeeds or fails for good.  The caller takes and
 * releases a->call.body. */
static int ask_server(struct ask *a, struct cfs_error *err)
{
	a->call.for_keys = &a->keys;
	return cfs_s3_call(&a->call, CFS_CTX(a->how->cancel, err));
}

static void keys_server_release(struct ask *a)
{
	if (a->call.body.n > 0)
		explicit_bzero(a->call.body.p, a->call.body.n);
	cfs_s3_call_release(&a->call);
}

/* Reads the token in a file, without line end. */
static int read_token(struct cfs_buf *out, const char *path,
		      struct cfs_error *err)
{
	struct cfs_slice token;

	if (cfs_file_read(path, out) != CFS_OK)
		return cfs_error_set(err, CFS_EACCESS, "cannot read '%.120s'",
				     path);
	token = cfs_slice_trim(cfs_buf_slice(out));
	for (size_t i = 0; i < token.n; i++)
		if (token.p[i] < 0x20 || token.p[i] >= 0x7f)
			return cfs_error_set(err, CFS_EFORMAT, "'%.120s' has "
					     "no token", path);
	out->n = (size_t)(token.p - out->p) + token.n;
	return cfs_buf_addc(out, 0) == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

/* ---- containers -------------------------------------------------------- */

bool cfs_keys_host_is_near(struct cfs_slice host)
{
	static const char *const near[] = { "localhost", "[::1]",
		"169.254.170.2", "169.254.170.23", "[fd00:ec2::23]" };
	const struct cfs_slice loopback = CFS_SLICE_LIT("127.");
	unsigned dots = 0;

	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		if (cfs_slice_eq_nocase(host, cfs_slice_str(near[i])))
			return true;
	for (size_t i = 0; i < host.n; i++) {
		if (host.p[i] != '.' && !cfs_is_digit(host.p[i]))
			return false;
		dots += host.p[i] == '.';
	}
	return cfs_slice_starts(host, loopback) && dots == 3;
}

static int container_url(struct cfs_buf *out, bool *is_near,
			 struct cfs_error *err)
{
	const char *relative =
		cfs_profile_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *full =
		cfs_profile_env("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	struct cfs_location loc;

	*is_near = true;
	if (relative != NULL) {
		cfs_buf_adds(out, CONTAINER_URL);
		if (relative[0] != '/')
			cfs_buf_addc(out, '/');
		cfs_buf_adds(out, relative);
		return CFS_OK;
	}
	if (full == NULL)
		return cfs_error_set(err, CFS_EFORMAT, "no "
			"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is set");
	if (cfs_location_parse(&loc, full, NULL) != CFS_OK ||
	    loc.scheme == CFS_LOC_S3)
		return cfs_error_set(err, CFS_EFORMAT,
			"AWS_CONTAINER_CREDENTIALS_FULL_URI is no http or "
			"https URL");
	*is_near = cfs_keys_host_is_near(loc.host);
	if (loc.scheme == CFS_LOC_HTTP && !*is_near)
		return cfs_error_set(err, CFS_EACCESS,
			"AWS_CONTAINER_CREDENTIALS_FULL_URI is without TLS on "
			"another machine");
	cfs_buf_adds(out, full);
	return CFS_OK;
}

/* Makes the header with the token; empty if there is none. */
static int container_token(struct cfs_buf *out, struct cfs_error *err)
{
	const char *path =
		cfs_profile_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	const char *token =
		cfs_profile_env("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	CFS_BUF(text, TOKEN_MAX);
	int rc = CFS_OK;

	if (path != NULL)
		rc = read_token(&text, path, err);
	else if (token != NULL)
		cfs_buf_adds(&text, token);
	if (rc == CFS_OK && text.n > 0) {
		cfs_buf_adds(out, "Authorization: ");
		cfs_buf_adds(out, cfs_buf_str(&text));
	}
	if (cfs_slice_find(cfs_buf_slice(out), '\n') >= 0 ||
	    cfs_slice_find(cfs_buf_slice(out), '\r') >= 0)
		rc = cfs_error_set(err, CFS_EFORMAT,
				   "the authorization token has a line end");
	return rc;
}

int cfs_keys_from_container(struct cfs_keys *out,
			    const struct cfs_keys_how *how,
			    struct cfs_error *err)
{
	struct ask a = { .call = { .method = "GET", .wait_ms = server_ms(how) },
			 .keys.tries_max = TRIES, .how = how };
	CFS_BUF(token, TOKEN_MAX + 64);
	CFS_BUF(url, CFS_LOCATION_MAX);
	int rc;

	*out = (struct cfs_keys){ .id = NULL };
	rc = container_url(&url, &a.keys.is_near, err);
	if (rc == CFS_OK)
		rc = container_token(&token, err);
	if (rc == CFS_OK && (url.failed || token.failed))
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK) {
		a.call.url = cfs_buf_str(&url);
		a.call.header = token.n > 0 ? cfs_buf_str(&token) : NULL;
		rc = ask_server(&a, err);
	}
	if (rc == CFS_OK)
		rc = cfs_keys_from_json(out, cfs_buf_slice(&a.call.body), "Token",
					(int64_t)time(NULL), err);
	keys_server_release(&a);
	return rc;
}

/* ---- instances --------------------------------------------------------- */

static struct cfs_slice setting(const struct cfs_profile *p,
				const char *variable, const char *name)
{
	const char *v = cfs_profile_env(variable);
	struct cfs_slice out;

	if (v != NULL)
		return cfs_slice_str(v);
	return cfs_profile_get(p, name, &out) ? out : CFS_SLICE_EMPTY;
}

/* Can this be an EC2 instance, as far as the firmware tells? */
static bool may_be_instance(void)
{
	CFS_BUF(text, 4096);
	bool may_be;

	may_be = cfs_file_read("/sys/class/dmi/id/sys_vendor", &text) != CFS_OK;
	cfs_file_read("/sys/class/dmi/id/bios_version", &text);
	may_be =
		may_be || cfs_slice_search_nocase(cfs_buf_slice(&text),
						  CFS_SLICE_LIT("amazon")) >= 0;
	return may_be;
}

/* False: no reason to try the metadata service. */
static bool instance_url(struct cfs_buf *out, const struct cfs_profile *p)
{
	struct cfs_slice url = setting(p, "AWS_EC2_METADATA_SERVICE_ENDPOINT",
				       "ec2_metadata_service_endpoint");
	struct cfs_slice mode = setting(p,
				"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
				"ec2_metadata_service_endpoint_mode");

	if (url.n == 0 && !may_be_instance())
		return false;
	if (url.n > 0)
		cfs_buf_add(out, url);
	else
		cfs_buf_adds(out, cfs_slice_eq_nocase(mode,
			     CFS_SLICE_LIT("ipv6")) ? INSTANCE_URL_6 :
						      INSTANCE_URL);
	while (out->n > 0 && out->p[out->n - 1] == '/')
		out->n--;
	return true;
}

/* Sends a request for `path`, with a header line. */
static int ask_instance(struct ask *a, const char *method, struct cfs_slice url,
			const char *path, const char *header,
			struct cfs_error *err)
{
	CFS_BUF(whole, CFS_LOCATION_MAX);

	cfs_buf_add(&whole, url);
	cfs_buf_adds(&whole, path);
	a->call.method = method;
	a->call.url = cfs_buf_str(&whole);
	a->call.header = header;
	return whole.failed != CFS_OK ? cfs_error_nomem(err) :
					ask_server(a, err);
}

/* Gets the name of the role, then its credentials.  CFS_END if there is
 * no role. */
static int ask_role(struct ask *a, struct cfs_slice url, const char *header,
		    struct cfs_error *err)
{
	static const char path[] =
		"/latest/meta-data/iam/security-credentials/";
	struct cfs_slice name;
	char text[sizeof(path) + 256];
	int rc = ask_instance(a, "GET", url, path, header, err);

	if (rc != CFS_OK)
		return a->call.status == 404 ? CFS_END : rc;
	name = cfs_buf_slice(&a->call.body);
	name = cfs_slice_trim(cfs_slice_split(&name, '\n'));
	if (name.n == 0)
		return CFS_END;
	for (size_t i = 0; i < name.n; i++)
		if (name.n > 255 || name.p[i] <= ' ' || name.p[i] >= 0x7f ||
		    strchr("/?#%", name.p[i]) != NULL)
			return cfs_error_set(err, CFS_EFORMAT,
					     "its role has an invalid name");
	snprintf(text, sizeof(text), "%s%.*s", path, (int)name.n,
		 (const char *)name.p);
	keys_server_release(a);
	return ask_instance(a, "GET", url, text, header, err);
}

static int keys_server_ask_all(struct cfs_keys *out, struct ask *a,
			       struct cfs_slice url, struct cfs_error *err)
{
	char header[CFS_KEYS_WORD_MAX + 64];
	struct cfs_slice token;
	int rc = ask_instance(a, "PUT", url, "/latest/api/token",
			      "X-aws-ec2-metadata-token-ttl-seconds: 21600",
			      err);
	unsigned status = a->call.status;

	/* A machine without this service, or with another one there, is not
	 * an instance. */
	if (rc != CFS_OK)
		return status == 0 || status == 403 || status == 404 ||
		       status == 405 ? CFS_END : rc;
	token = cfs_slice_trim(cfs_buf_slice(&a->call.body));
	if (token.n == 0 || token.n > CFS_KEYS_WORD_MAX ||
	    memchr(token.p, '\n', token.n) != NULL ||
	    memchr(token.p, '\r', token.n) != NULL)
		return cfs_error_set(err, CFS_EFORMAT, "its token is invalid");
	snprintf(header, sizeof(header), "X-aws-ec2-metadata-token: %.*s",
		 (int)token.n, (const char *)token.p);
	keys_server_release(a);
	a->call.wait_ms = server_ms(a->how);
	rc = ask_role(a, url, header, err);
	if (rc == CFS_OK)
		rc = cfs_keys_from_json(out, cfs_buf_slice(&a->call.body), "Token",
					(int64_t)time(NULL), err);
	return rc;
}

int cfs_keys_from_instance(struct cfs_keys *out, const struct cfs_keys_how *how,
			   struct cfs_error *err)
{
	struct ask a = { .how = how,
			 .keys = { .is_near = true, .tries_max = 1 },
			 .call.wait_ms = how->timeout_ms < INSTANCE_MS ?
					 how->timeout_ms : INSTANCE_MS };
	struct cfs_error why = CFS_ERROR_INIT;
	CFS_BUF(url, CFS_LOCATION_MAX);
	int rc = CFS_OK;

	*out = (struct cfs_keys){ .id = NULL };
	if (instance_url(&url, how->profile)) {
		rc = keys_server_ask_all(out, &a, cfs_buf_slice(&url), &why);
		keys_server_release(&a);
	}
	if (rc == CFS_END)
		return CFS_OK;		/* anonymous */
	return cfs_error_pass(err, &why, rc);
}

/* ---- the token service ------------------------------------------------- */

static void keys_server_add_field(struct cfs_buf *out, const char *name,
				  struct cfs_slice value)
{
	cfs_buf_adds(out, out->n > 0 ? "&" : "");
	cfs_buf_adds(out, name);
	cfs_buf_addc(out, '=');
	cfs_percent_encode(value, CFS_UNRESERVED, out);
}

static void sts_url(struct cfs_buf *out, const struct cfs_keys_how *how)
{
	struct cfs_slice url;

	if (cfs_s3_find_endpoint(how->profile, "sts", "AWS_ENDPOINT_URL_STS",
				 &url)) {
		cfs_buf_add(out, url);
		if (out->n > 0 && out->p[out->n - 1] != '/')
			cfs_buf_addc(out, '/');
		return;
	}
	cfs_buf_adds(out, "https://sts.");
	cfs_buf_adds(out, how->region);
	cfs_buf_adds(out, strncmp(how->region, "cn-", 3) == 0 ?
		     ".amazonaws.com.cn/" : ".amazonaws.com/");
}

static int post(struct cfs_keys *out, struct cfs_buf *body,
		const struct cfs_keys *sign, const struct cfs_keys_how *how,
		struct cfs_error *err)
{
	struct ask a = { .call = { .method = "POST", .wait_ms = server_ms(how),
				   .text = cfs_buf_slice(body),
				   .header = FORM_TYPE },
			 .keys = { .sign = sign, .region = how->region,
				   .tries_max = TRIES },
			 .how = how };
	CFS_BUF(url, CFS_LOCATION_MAX);
	int rc = CFS_OK;

	sts_url(&url, how);
	a.call.url = cfs_buf_str(&url);
	if (url.failed != CFS_OK || body->failed != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK) {
		rc = ask_server(&a, err);
		if (rc == CFS_OK)
			rc = cfs_keys_from_xml(out, cfs_buf_slice(&a.call.body),
					       (int64_t)time(NULL), err);
		keys_server_release(&a);
	}
	return rc;
}

/* Begins the body of both requests: action, version, role, session. */
static void begin_body(struct cfs_buf *out, const char *action,
		       struct cfs_slice arn, struct cfs_slice session)
{
	char name[64];

	if (session.n == 0) {
		snprintf(name, sizeof(name), "crawlfs-%lld",
			 (long long)time(NULL));
		session = cfs_slice_str(name);
	}
	keys_server_add_field(out, "Action", cfs_slice_str(action));
	keys_server_add_field(out, "Version", CFS_SLICE_LIT("2011-06-15"));
	keys_server_add_field(out, "RoleArn", arn);
	keys_server_add_field(out, "RoleSessionName", session);
}

int cfs_keys_from_web(struct cfs_keys *out, const struct cfs_keys_how *how,
		      struct cfs_error *err)
{
	const struct cfs_profile *p = how->profile;
	struct cfs_slice path = setting(p, "AWS_WEB_IDENTITY_TOKEN_FILE",
					"web_identity_token_file");
	CFS_BUF(name, 4096);
	CFS_BUF(token, TOKEN_MAX);
	CFS_BUF(body, 4 * TOKEN_MAX);
	int rc;

	*out = (struct cfs_keys){ .id = NULL };
	cfs_start_folder_path(&name, path);
	rc = read_token(&token, cfs_buf_str(&name), err);
	if (rc == CFS_OK) {
		begin_body(&body, "AssumeRoleWithWebIdentity",
			   setting(p, "AWS_ROLE_ARN", "role_arn"),
			   setting(p, "AWS_ROLE_SESSION_NAME",
				   "role_session_name"));
		keys_server_add_field(&body, "WebIdentityToken",
				      cfs_slice_str(cfs_buf_str(&token)));
		rc = post(out, &body, NULL, how, err);
	}
	return rc;
}

int cfs_keys_from_role(struct cfs_keys *out, const struct cfs_keys *source,
		       const struct cfs_keys_how *how, struct cfs_error *err)
{
	const struct cfs_profile *p = how->profile;
	struct cfs_slice id, seconds, arn = CFS_SLICE_EMPTY;
	struct cfs_slice session = CFS_SLICE_EMPTY;
	CFS_BUF(body, TOKEN_MAX);

	*out = (struct cfs_keys){ .id = NULL };
	cfs_profile_get(p, "role_arn", &arn);
	cfs_profile_get(p, "role_session_name", &session);
	begin_body(&body, "AssumeRole", arn, session);
	if (cfs_profile_get(p, "external_id", &id))
		keys_server_add_field(&body, "ExternalId", id);
	if (cfs_profile_get(p, "duration_seconds", &seconds))
		keys_server_add_field(&body, "DurationSeconds", seconds);
	return post(out, &body, source, how, err);
}
