/* start_folder.c - the folder in which the command was given.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "start_folder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_MAX ((size_t)1 << 20)

/* Variables with a path, and with several between colons.  For those of AWS,
 * "~/" is the home folder. */
static const char *const path_variables[] = {
	"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSLKEYLOGFILE", "OPENSSL_CONF",
	"AWS_CA_BUNDLE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
	"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
	"CRAWLFS_DUCKDB", "CRAWLFS_PDF", "TMPDIR", "HOME", "XDG_CACHE_HOME",
	NULL };
static const char *const list_variables[] = { "SSL_CERT_DIR", NULL };

static char *folder;		/* set once, before there are threads */

const char *cfs_start_folder(void)
{
	return folder;
}

void cfs_start_folder_path(struct cfs_buf *out, struct cfs_slice path)
{
	if (folder != NULL && path.n > 0 && path.p[0] != '/') {
		cfs_buf_adds(out, folder);
		cfs_buf_addc(out, '/');
	}
	cfs_buf_add(out, path);
}

static void make_variable_absolute(const char *name, char separator)
{
	const char *value = getenv(name);
	struct cfs_slice rest;
	CFS_BUF(made, VALUE_MAX);

	if (value == NULL || value[0] == '\0' || strncmp(value, "~/", 2) == 0)
		return;
	rest = cfs_slice_str(value);
	while (rest.n > 0) {
		struct cfs_slice one = separator == '\0' ? rest :
				       cfs_slice_split(&rest, separator);

		if (separator == '\0')
			rest = CFS_SLICE_EMPTY;
		if (made.n > 0)
			cfs_buf_addc(&made, (uint8_t)separator);
		cfs_start_folder_path(&made, one);
	}
	if (made.failed == CFS_OK)
		(void)setenv(name, cfs_buf_str(&made), 1);
}

void cfs_start_folder_note(void)
{
	folder = getcwd(NULL, 0);
	if (folder != NULL && folder[0] != '/') {	/* it is out of reach */
		free(folder);
		folder = NULL;
	}
	for (unsigned i = 0; path_variables[i] != NULL; i++)
		make_variable_absolute(path_variables[i], '\0');
	for (unsigned i = 0; list_variables[i] != NULL; i++)
		make_variable_absolute(list_variables[i], ':');
}
