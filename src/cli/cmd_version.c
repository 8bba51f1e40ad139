/* cmd_version.c - crawlfs version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define FUSE_USE_VERSION 314
#include "config.h"

#include <brotli/decode.h>
#include <fuse_lowlevel.h>
#include <jansson.h>
#include <libdeflate.h>
#include <nettle/version.h>
#include <unicode/uversion.h>
#include <xxhash.h>
#include <zlib.h>

#include "commands.h"
#include "output.h"

static void print_libraries(void)
{
	UVersionInfo icu;
	char icu_text[U_MAX_VERSION_STRING_LENGTH];
	unsigned brotli = BrotliDecoderVersion();
	unsigned xxh = XXH_versionNumber();

	u_getVersion(icu);
	u_versionToString(icu, icu_text);
	cfs_out_f("libraries: FUSE %s, zlib %s, libdeflate %s, jansson %s, "
		  "ICU %s, brotli %u.%u.%u, nettle %d.%d, xxHash %u.%u.%u\n",
		  fuse_pkgversion(), zlibVersion(), LIBDEFLATE_VERSION_STRING,
		  jansson_version_str(), icu_text, brotli >> 24,
		  brotli >> 12 & 0xfff, brotli & 0xfff, nettle_version_major(),
		  nettle_version_minor(), xxh / 10000, xxh / 100 % 100, xxh % 100);
}

static int run(const struct cfs_command *cmd, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
	};
	struct cfs_args a = { cmd, argc, argv, ":h", longs, 0 };

	/* also reached as `crawlfs --version` */
	if (argv[0][0] != '-' && cfs_args_next(&a) != CFS_OPT_END)
		return a.status;
	if (argv[0][0] != '-' && optind < argc)
		return cfs_cli_usage(cmd, "takes no argument");
	cfs_out_f("crawlfs %s\n", PACKAGE_VERSION);
	cfs_out_f("reads: ARC, WARC (plain, gzip), crawlfs index, PB-tree; local files\n");
	cfs_out_f("encodings: chunked, gzip, deflate, brotli\n");
	print_libraries();
	return CFS_EXIT_OK;
}

const struct cfs_command cfs_cmd_version = {
	.name = "version",
	.summary = "say which version this is, and of which libraries",
	.help =
	"usage: crawlfs version\n\n"
	"Says which version this is, what it can read and which libraries it uses.\n\n"
	"  -h, --help  this text\n\n"
	"Example:\n"
	"  crawlfs version\n",
	.run = run,
};
