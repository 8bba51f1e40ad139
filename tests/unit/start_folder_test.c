/* Holds E62. */
/* start_folder_test.c - relative paths in the environment stay what they were
 * after a change of the folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <unistd.h>

#include "base/start_folder.h"

static const struct {
	const char *name, *value, *want;	/* below /usr */
} cases[] = {
	{ "CURL_CA_BUNDLE", "ca.pem", "/usr/ca.pem" },
	{ "SSL_CERT_FILE", "/etc/ca.pem", "/etc/ca.pem" },
	{ "SSL_CERT_DIR", "certs:/etc/ssl:more", "/usr/certs:/etc/ssl:/usr/more" },
	{ "AWS_CONFIG_FILE", "~/.aws/config", "~/.aws/config" },
	{ "AWS_SHARED_CREDENTIALS_FILE", "../cred", "/usr/../cred" },
	{ "AWS_WEB_IDENTITY_TOKEN_FILE", "", "" },
	{ "AWS_CA_BUNDLE", "a:b", "/usr/a:b" },
	{ "AWS_PROFILE", "name", "name" },
	{ "TMPDIR", ".", "/usr/." },
	{ "XDG_CACHE_HOME", "cache", "/usr/cache" },
};

static void environment(void **state)
{
	struct cfs_buf path;

	(void)state;
	assert_int_equal(chdir("/usr"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(setenv(cases[i].name, cases[i].value, 1), 0);
	cfs_start_folder_note();
	assert_int_equal(chdir("/"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(getenv(cases[i].name), cases[i].want);
	assert_string_equal(cfs_start_folder(), "/usr");
	cfs_buf_init(&path, 100);
	cfs_start_folder_path(&path, CFS_SLICE_LIT("token"));
	assert_string_equal(cfs_buf_str(&path), "/usr/token");
	cfs_buf_reset(&path);
	cfs_start_folder_path(&path, CFS_SLICE_LIT("/token"));
	assert_string_equal(cfs_buf_str(&path), "/token");
	cfs_buf_release(&path);
}

UNIT_PROGRAM
{
	UNIT_TEST(environment);
	return unit_run("start_folder");
}
