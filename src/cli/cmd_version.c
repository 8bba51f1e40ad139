/* cmd_version.c - crawlfs version: the program's version and its libraries'.
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

static int run(struct cfs_options *o)
{
	(void)o;
	cfs_out_f("crawlfs %s\n", PACKAGE_VERSION);
	cfs_out_f("reads: ARC, WARC (plain, gzip), crawlfs index, PB-tree; local files\n");
	cfs_out_f("encodings: chunked, gzip, deflate, brotli\n");
	print_libraries();
	return CFS_EXIT_OK;
}

const struct cfs_command cfs_cmd_version = {
	.name = "version",
	.by = CFS_BY_VERSION,
	.summary = "print the version of crawlfs and of its libraries",
	.usage =
	"crawlfs version\n\n"
	"Prints the version, what can be read, and the versions of libraries.",
	.example =
	"  crawlfs version\n",
	.takes_none = true,
	.run = run,
};
