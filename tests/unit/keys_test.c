/* keys_test.c - profiles of the AWS tools, and the credentials they lead to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "net/keys.h"
#include "net/s3.h"

/* ---- the format --------------------------------------------------------- */

static const char ini[] =
	"\xef\xbb\xbf; a comment\r\n[default]\r\naws_access_key_id = AKID \r\n"
	"AWS_Secret_Access_Key=se=cr/et\n"
	" nested = no\n# x = no\n[ other ] ; comment\nx=1\nx = 2\n"
	"[profile third]\nregion = eu-west-1\nempty =\n"
	"[profile   \"a b\"]\nregion : x\n"
	"[services loc]\ns3 =\n  # c\n\n\tendpoint_url = http://h:1/a=b\n  z=1\n"
	"sts=\n endpoint_url=http://h:2\nendpoint_url = top\n[cut";

struct ini_case {
	const char *name, *kind, *section, *parent, *setting, *want;
};
static struct ini_case ini_cases[] = {
	{ "plain", "", "default", "", "aws_access_key_id", "AKID" },
	{ "no case", "", "default", "", "aws_secret_access_key", "se=cr/et" },
	{ "nested below a value", "", "default", "", "nested", NULL },
	{ "a comment", "", "default", "", "x", NULL },
	{ "the last one", "", "other", "", "x", "2" },
	{ "of a kind", "profile", "third", "", "region", "eu-west-1" },
	{ "not of it", "", "third", "", "region", NULL },
	{ "empty", "profile", "third", "", "empty", "" },
	{ "in quotes, by a colon", "profile", "a b", "", "region", "x" },
	{ "sections have a case", "", "Default", "", "x", NULL },
	{ "nested", "services", "loc", "s3", "endpoint_url", "http://h:1/a=b" },
	{ "the second nested", "services", "loc", "s3", "z", "1" },
	{ "of another", "services", "loc", "sts", "endpoint_url", "http://h:2" },
	{ "beside them", "services", "loc", "", "endpoint_url", "top" },
	{ "cut", "", "cut", "", "x", NULL },
};

static void ini_case(void **state)
{
	const struct ini_case *tc = *state;
	struct cfs_slice v = CFS_SLICE_EMPTY;

	assert_int_equal(cfs_ini_find(CFS_SLICE_LIT(ini), tc->kind, tc->section,
				      tc->parent, tc->setting, &v),
			 tc->want != NULL);
	if (tc->want != NULL)
		assert_true(cfs_slice_eq(v, cfs_slice_str(tc->want)));
}

/* ---- an environment ----------------------------------------------------- */

static char folder[64];

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* NAME=VALUE, blanks between them. */
static void set_variables(const char *list)
{
	struct cfs_slice rest = cfs_slice_str(list);
	extern char **environ;
	char **old = environ, *none[] = { NULL };
	char path[128];

	(void)old;
	environ = none;
	snprintf(path, sizeof(path), "%s/credentials", folder);
	setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
	snprintf(path, sizeof(path), "%s/config", folder);
	setenv("AWS_CONFIG_FILE", path, 1);
	while (rest.n > 0) {
		struct cfs_slice word = cfs_slice_split(&rest, ' ');
		char *text = strndup((const char *)word.p, word.n), *equals;

		assert_non_null(text);
		equals = strchr(text, '=');
		assert_non_null(equals);
		*equals = '\0';
		setenv(text, equals + 1, 1);
		free(text);
	}
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/cfs-keys-test.XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/credentials", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/config", folder);
	unlink(path);
	return rmdir(folder);
}

/* ---- which credentials, endpoint and region ----------------------------- */

#define KEYS "aws_access_key_id=K\naws_secret_access_key=S\n"

struct kind_case {
	const char *name, *credentials, *config, *variables;
	int rc;
	enum cfs_keys_kind kind;
	const char *words;	/* of the refusal */
};
/* Holds E53. */
static struct kind_case kind_cases[] = {
	{ "none", "", "", "AWS_EC2_METADATA_DISABLED=True", 0, CFS_KEYS_NONE,
	  "" },
	{ "an instance", "", "", "", 0, CFS_KEYS_INSTANCE, "" },
	{ "a container", "", "", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x", 0,
	  CFS_KEYS_CONTAINER, "" },
	{ "a container by URL", "", "", "AWS_CONTAINER_CREDENTIALS_FULL_URI=x",
	  0, CFS_KEYS_CONTAINER, "" },
	{ "the environment first", "[default]\n" KEYS, "",
	  "AWS_ACCESS_KEY_ID=E", 0, CFS_KEYS_ENVIRONMENT, "" },
	{ "the credentials file", "[default]\n" KEYS,
	  "[default]\ncredential_process=x\n", "", 0, CFS_KEYS_FILE, "" },
	{ "the config file", "", "[default]\n" KEYS, "", 0, CFS_KEYS_FILE, "" },
	{ "a process before it", "", "[default]\n" KEYS
	  "credential_process=x\n", "", 0, CFS_KEYS_PROCESS, "" },
	{ "[profile default]", "", "[profile default]\n" KEYS, "", 0,
	  CFS_KEYS_FILE, "" },
	{ "another profile", "", "[default]\n" KEYS
	  "[profile p]\ncredential_process=x\n", "AWS_PROFILE=p", 0,
	  CFS_KEYS_PROCESS, "" },
	{ "its other variable", "[p]\n" KEYS, "", "AWS_DEFAULT_PROFILE=p", 0,
	  CFS_KEYS_FILE, "" },
	{ "a web identity by variables", "[default]\n" KEYS, "",
	  "AWS_WEB_IDENTITY_TOKEN_FILE=/t AWS_ROLE_ARN=r", 0, CFS_KEYS_WEB, "" },
	{ "a web identity by profile", "", "[default]\nrole_arn=r\n"
	  "web_identity_token_file=/t\n", "", 0, CFS_KEYS_WEB, "" },
	{ "half a web identity", "", "", "AWS_WEB_IDENTITY_TOKEN_FILE=/t",
	  CFS_EUNSUPPORTED, 0, "AWS_ROLE_ARN" },
	{ "a role", "", "[default]\nrole_arn=r\nsource_profile=q\n", "", 0,
	  CFS_KEYS_ROLE, "" },
	{ "a role by MFA", "", "[default]\nrole_arn=r\nsource_profile=q\n"
	  "mfa_serial=m\n", "", CFS_EUNSUPPORTED, 0, "'default'.*mfa_serial" },
	{ "a role without a source", "", "[profile p]\nrole_arn=r\n",
	  "AWS_PROFILE=p", CFS_EUNSUPPORTED, 0, "role_arn" },
	{ "single sign-on", "", "[profile p]\nregion=r\nsso_session=s\n",
	  "AWS_PROFILE=p", CFS_EUNSUPPORTED, 0, "sso_session" },
	{ "its older form", "", "[default]\nsso_start_url=u\n", "",
	  CFS_EUNSUPPORTED, 0, "sso_start_url" },
	{ "a login", "", "[default]\nlogin_session=u\n", "", CFS_EUNSUPPORTED,
	  0, "login_session" },
	{ "no such profile", "[default]\n" KEYS, "", "AWS_PROFILE=none",
	  CFS_EFORMAT, 0, "AWS_PROFILE 'none'" },
};

static int read_profile(struct cfs_profile *p, const char *credentials,
			const char *config, const char *variables,
			struct cfs_error *err)
{
	put("credentials", credentials);
	put("config", config);
	set_variables(variables);
	return cfs_profile_read(p, err);
}

static void kind_case(void **state)
{
	const struct kind_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	enum cfs_keys_kind kind = CFS_KEYS_NONE;
	struct cfs_profile p;
	int rc = read_profile(&p, tc->credentials, tc->config, tc->variables,
			      &err);
	const char *first = tc->words;
	char word[64];
	size_t n = strcspn(first, ".");

	if (rc == CFS_OK)
		rc = cfs_keys_kind(&p, &kind, &err);
	assert_int_equal(rc, tc->rc);
	if (rc == CFS_OK)
		assert_int_equal(kind, tc->kind);
	snprintf(word, sizeof(word), "%.*s", (int)n, first);
	assert_non_null(strstr(err.text, word));
	if (first[n] != '\0')
		assert_non_null(strstr(err.text, first + n + 2));
	cfs_profile_release(&p);
}

struct setup_case {
	const char *name, *config, *variables, *option, *endpoint, *region;
};
#define SERVICES "services=l\nregion=eu-west-1\n[services l]\ns3=\n" \
	" endpoint_url=http://s:1\nsts=\n endpoint_url=http://t:1\n"
/* Holds E53. */
static struct setup_case setup_cases[] = {
	{ "nothing", "", "", NULL, NULL, "us-east-1" },
	{ "a profile", "[default]\nendpoint_url=http://p:1\nregion=eu-west-1\n",
	  "", NULL, "http://p:1", "eu-west-1" },
	{ "services before it", "[default]\nendpoint_url=http://p:1\n" SERVICES,
	  "", NULL, "http://s:1", "eu-west-1" },
	{ "services of another profile", "[profile q]\n" SERVICES, "", NULL,
	  NULL, "us-east-1" },
	{ "the environment before them", "[default]\n" SERVICES,
	  "AWS_ENDPOINT_URL=http://e:1", NULL, "http://e:1", "eu-west-1" },
	{ "its own variable before that", "[default]\n" SERVICES,
	  "AWS_ENDPOINT_URL=http://e:1 AWS_ENDPOINT_URL_S3=http://f:1 "
	  "AWS_REGION=us-west-2", NULL, "http://f:1", "us-west-2" },
	{ "the option first", "", "AWS_ENDPOINT_URL_S3=http://f:1", "http://o:1",
	  "http://o:1", "us-east-1" },
	{ "ignored", "[default]\n" SERVICES, "AWS_ENDPOINT_URL=http://e:1 "
	  "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true", NULL, NULL, "eu-west-1" },
	{ "ignored by the profile", "[default]\nendpoint_url=http://p:1\n"
	  "ignore_configured_endpoint_urls = TRUE\n", "", NULL, NULL,
	  "us-east-1" },
	{ "but not the option", "", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true",
	  "http://o:1", "http://o:1", "us-east-1" },
	{ "a bad region", "[default]\nregion=eu/../x\n", "", NULL, NULL, NULL },
	{ "a bad endpoint", "[default]\nendpoint_url=s3://x/y\n", "", NULL,
	  NULL, NULL },
};

static void setup_case(void **state)
{
	const struct setup_case *tc = *state;
	struct cfs_profile p;
	struct cfs_s3_setup s;

	assert_int_equal(read_profile(&p, "", tc->config, tc->variables, NULL),
			 CFS_OK);
	assert_int_equal(cfs_s3_setup_init(&s, &p, tc->option, NULL),
			 tc->region != NULL ? CFS_OK : CFS_EFORMAT);
	if (tc->region != NULL)
		assert_string_equal(s.region, tc->region);
	assert_int_equal(s.endpoint != NULL, tc->endpoint != NULL);
	if (tc->endpoint != NULL)
		assert_string_equal(s.endpoint, tc->endpoint);
	cfs_s3_setup_release(&s);
	cfs_profile_release(&p);
}

struct static_case {
	const char *name, *credentials, *variables, *id, *secret, *token;
};
/* Holds E53. */
static struct static_case static_cases[] = {
	{ "the default profile", "[default]\n" KEYS, "", "K", "S", NULL },
	{ "another", "[default]\n" KEYS "[two]\naws_access_key_id = F2\n"
	  "aws_secret_access_key = S2\naws_session_token = T2\n",
	  "AWS_PROFILE=two", "F2", "S2", "T2" },
	{ "variables", "[default]\n" KEYS, "AWS_ACCESS_KEY_ID=E "
	  "AWS_SECRET_ACCESS_KEY=ES AWS_SESSION_TOKEN=ET", "E", "ES", "ET" },
	{ "half of them", "[default]\naws_access_key_id=K\n", "", NULL,
	  "the secret key", NULL },
	{ "the other half", "[default]\naws_secret_access_key=K\n", "", NULL,
	  "the access key", NULL },
	{ "half of the variables", "", "AWS_ACCESS_KEY_ID=E", NULL,
	  "the secret key", NULL },
	{ "what is no header", "", "AWS_ACCESS_KEY_ID=E "
	  "AWS_SECRET_ACCESS_KEY=a\r\nX:", NULL, "invalid secret key", NULL },
	{ "what libcurl would split", "", "AWS_ACCESS_KEY_ID=E:F "
	  "AWS_SECRET_ACCESS_KEY=a", NULL, "invalid access key", NULL },
};

static void static_case(void **state)
{
	const struct static_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	enum cfs_keys_kind kind;
	struct cfs_keys_how how = { .region = "us-east-1" };
	struct cfs_profile p;
	struct cfs_keys k;

	assert_int_equal(read_profile(&p, tc->credentials, "", tc->variables,
				      NULL), CFS_OK);
	assert_int_equal(cfs_keys_kind(&p, &kind, NULL), CFS_OK);
	how.profile = &p;
	assert_int_equal(cfs_keys_get(&k, kind, &how, &err),
			 tc->id != NULL ? CFS_OK : CFS_EFORMAT);
	if (tc->id != NULL) {
		assert_string_equal(k.id, tc->id);
		assert_string_equal(k.secret, tc->secret);
		assert_int_equal(k.token != NULL, tc->token != NULL);
		if (tc->token != NULL)
			assert_string_equal(k.token, tc->token);
	} else {
		assert_null(k.id);
		assert_non_null(strstr(err.text, tc->secret));
	}
	cfs_keys_release(&k);
	cfs_profile_release(&p);
}

/* A file that is written again, put in the place of another, or removed. */
static void changes(void **state)
{
	struct cfs_profile p;
	char path[128], other[128];

	(void)state;
	assert_int_equal(read_profile(&p, "[default]\n" KEYS, "", "", NULL), 0);
	assert_false(cfs_profile_changed(&p));
	snprintf(path, sizeof(path), "%s/credentials", folder);
	snprintf(other, sizeof(other), "%s/config", folder);
	put("credentials", "[default]\n" KEYS "#\n");
	assert_true(cfs_profile_changed(&p));
	cfs_profile_release(&p);
	assert_int_equal(cfs_profile_read(&p, NULL), CFS_OK);
	assert_false(cfs_profile_changed(&p));
	assert_int_equal(rename(other, path), 0);
	assert_true(cfs_profile_changed(&p));
	cfs_profile_release(&p);
	assert_int_equal(cfs_profile_read(&p, NULL), CFS_OK);
	assert_false(cfs_profile_changed(&p));
	put("config", "");
	assert_true(cfs_profile_changed(&p));
	cfs_profile_release(&p);
}

/* ---- what processes and servers give ------------------------------------ */

struct split_case {
	const char *name, *text, *want;	/* the words, '|' between; NULL: none */
};
/* As shlex.split of Python 3 has them. */
static struct split_case split_cases[] = {
	{ "words", "  /bin/x  -a\tb ", "/bin/x|-a|b" },
	{ "single quotes", "a 'b c\\'d", "a|b c\\d" },
	{ "double quotes", "a \"b \\\" \\\\ \\n $x\"", "a|b \" \\ \\n $x" },
	{ "a backslash", "a\\ b\\\"c", "a b\"c" },
	{ "empty words", "a '' \"\"", "a||" },
	{ "no shell", "a $(b) | c > d; e # f", "a|$(b)|||c|>|d;|e|#|f" },
	{ "an open quote", "a 'b", NULL },
	{ "an open double quote", "a \"b\\\"", NULL },
	{ "a backslash at the end", "a b\\", NULL },
	{ "nothing", " \t", NULL },
};

static void split_case(void **state)
{
	const struct split_case *tc = *state;
	struct cfs_buf got;
	char **argv;

	assert_int_equal(cfs_keys_split(&argv, cfs_slice_str(tc->text), NULL),
			 tc->want != NULL ? CFS_OK : CFS_EFORMAT);
	if (tc->want == NULL)
		return;
	cfs_buf_init(&got, 1000);
	for (size_t i = 0; argv[i] != NULL; i++) {
		cfs_buf_adds(&got, i > 0 ? "|" : "");
		cfs_buf_adds(&got, argv[i]);
	}
	assert_string_equal(cfs_buf_str(&got), tc->want);
	cfs_buf_release(&got);
	free(argv);
}

#define NOW INT64_C(1700000000)
#define LATER "2023-11-14T22:13:21Z"	/* a second */

struct text_case {
	const char *name, *text;
	int rc;
	const char *id, *secret, *token;
	int64_t ends;
};
static struct text_case json_cases[] = {
	{ "all", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\\/\\u0041\","
	  "\"Token\":\"t\",\"Expiration\":\"" LATER "\"}", 0, "A", "s/A", "t",
	  NOW + 1 },
	{ "no token, no end", "{\"SecretAccessKey\":\"s\",\"AccessKeyId\":\"A\"}",
	  0, "A", "s", NULL, 0 },
	{ "null", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\","
	  "\"Token\":null,\"Expiration\":null}", 0, "A", "s", NULL, 0 },
	{ "an offset", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\","
	  "\"Expiration\":\"2023-11-14T23:13:21.5+01:00\"}", 0, "A", "s", NULL,
	  NOW + 1 },
	{ "expired", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\","
	  "\"Expiration\":\"2023-11-14T22:13:20Z\"}", CFS_EACCESS, 0, 0, 0, 0 },
	{ "no time", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\","
	  "\"Expiration\":\"soon\"}", CFS_EFORMAT, 0, 0, 0, 0 },
	{ "half", "{\"AccessKeyId\":\"A\"}", CFS_EFORMAT, 0, 0, 0, 0 },
	{ "none", "{\"Code\":\"AssumeRoleUnauthorizedAccess\"}", CFS_EFORMAT, 0,
	  0, 0, 0 },
	{ "a header in it", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":"
	  "\"s\\r\\nX: y\"}", CFS_EFORMAT, 0, 0, 0, 0 },
	{ "no JSON", "<html>", CFS_EFORMAT, 0, 0, 0, 0 },
	{ "nothing", "", CFS_EFORMAT, 0, 0, 0, 0 },
};
#define XML(inner) "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/" \
	"2011-06-15/\"><AssumeRoleResult><AssumedRoleUser><Arn>x</Arn>" \
	"</AssumedRoleUser>" inner "</AssumeRoleResult></AssumeRoleResponse>"
static struct text_case xml_cases[] = {
	{ "xml: all", XML("<Credentials><AccessKeyId>A</AccessKeyId>"
	  "<SecretAccessKey>s</SecretAccessKey>\n<SessionToken>t</SessionToken>"
	  "<Expiration>" LATER "</Expiration></Credentials>"), 0, "A", "s", "t",
	  NOW + 1 },
	{ "xml: none", XML(""), CFS_EFORMAT, 0, 0, 0, 0 },
	{ "xml: half", XML("<Credentials><AccessKeyId>A</AccessKeyId>"
	  "</Credentials>"), CFS_EFORMAT, 0, 0, 0, 0 },
	{ "xml: JSON", "{}", CFS_EFORMAT, 0, 0, 0, 0 },
};

static void check_keys(const struct text_case *tc, int rc, struct cfs_keys *k)
{
	assert_int_equal(rc, tc->rc);
	assert_int_equal(k->id != NULL, tc->rc == CFS_OK);
	if (rc == CFS_OK) {
		assert_string_equal(k->id, tc->id);
		assert_string_equal(k->secret, tc->secret);
		assert_int_equal(k->token != NULL, tc->token != NULL);
		if (tc->token != NULL)
			assert_string_equal(k->token, tc->token);
		assert_int_equal(k->ends, tc->ends);
	}
	cfs_keys_release(k);
}

static void json_case(void **state)
{
	const struct text_case *tc = *state;
	struct cfs_keys k;
	int rc = cfs_keys_from_json(&k, cfs_slice_str(tc->text), "Token", NOW,
				    NULL);

	check_keys(tc, rc, &k);
}

static void xml_case(void **state)
{
	const struct text_case *tc = *state;
	struct cfs_keys k;
	int rc = cfs_keys_from_xml(&k, cfs_slice_str(tc->text), NOW, NULL);

	check_keys(tc, rc, &k);
}

static void near_hosts(void **state)
{
	static const char *const near[] = { "127.0.0.1", "127.1.2.3",
		"localhost", "LocalHost", "[::1]", "169.254.170.2",
		"169.254.170.23", "[fd00:ec2::23]" };
	static const char *const far[] = { "127.0.0.1.example", "127.1",
		"169.254.169.254", "10.0.0.1", "example.org", "127.", "",
		"localhost.example", "128.0.0.1", "[::2]" };

	(void)state;
	for (size_t i = 0; i < COUNT(near); i++)
		assert_true(cfs_keys_host_is_near(cfs_slice_str(near[i])));
	for (size_t i = 0; i < COUNT(far); i++)
		assert_false(cfs_keys_host_is_near(cfs_slice_str(far[i])));
}

UNIT_PROGRAM
{
	int rc;

	make_folder(NULL);
	UNIT_ROWS(ini_cases, ini_case);
	UNIT_ROWS(kind_cases, kind_case);
	UNIT_ROWS(setup_cases, setup_case);
	UNIT_ROWS(static_cases, static_case);
	UNIT_TEST(changes);
	UNIT_ROWS(split_cases, split_case);
	UNIT_ROWS(json_cases, json_case);
	UNIT_ROWS(xml_cases, xml_case);
	UNIT_TEST(near_hosts);
	rc = unit_run("keys");
	remove_folder(NULL);
	return rc;
}
