/* cmd_version.c - crawlfs version: the program's version and its libraries'.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define FUSE_USE_VERSION 314
#include "config.h"

#include <brotli/decode.h>
#include <curl/curl.h>
#include <fuse_lowlevel.h>
#include <jansson.h>
#include <libdeflate.h>
#include <nettle/version.h>
#include <unicode/uversion.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "commands.h"
#include "output.h"

static void print_curl(void)
{
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);

	cfs_out_f("curl %s (%s", curl->version,
		  curl->ssl_version != NULL ? curl->ssl_version : "no TLS");
	if (curl->features & CURL_VERSION_HTTP2)
		cfs_out_f(", HTTP/2");
	cfs_out_f(")\n");
}

static void print_libraries(void)
{
	UVersionInfo icu;
	char icu_text[U_MAX_VERSION_STRING_LENGTH];
	unsigned brotli = BrotliDecoderVersion();
	unsigned xxh = XXH_versionNumber();

	u_getVersion(icu);
	u_versionToString(icu, icu_text);
	cfs_out_f("libraries: FUSE %s, zlib %s, libdeflate %s, zstd %s, "
		  "brotli %u.%u.%u, jansson %s, ICU %s, "
		  "uchardet, nettle %d.%d, xxHash %u.%u.%u, ",
		  fuse_pkgversion(), zlibVersion(), LIBDEFLATE_VERSION_STRING,
		  ZSTD_versionString(), brotli >> 24, brotli >> 12 & 0xfff,
		  brotli & 0xfff, jansson_version_str(), icu_text,
		  nettle_version_major(), nettle_version_minor(),
		  xxh / 10000, xxh / 100 % 100, xxh % 100);
	print_curl();
}

static int cmd_version_run(struct cfs_options *o)
{
	(void)o;
	cfs_out_f("crawlfs %s\n", PACKAGE_VERSION);
	cfs_out_f("reads: ARC and WARC (plain, gzip, zstd) with WAT and WET, "
		  "WACZ, SequenceFiles of 2012\n");
	cfs_out_f("indexes: crawlfs (.cfx), PB-tree, CDX and CDXJ (plain, "
		  "gzip), ZipNum\n");
	cfs_out_f(
		"selections: CSV, TSV, JSON lines and arrays (plain, gzip, zstd); "
		"Parquet and SQL with DuckDB's library\n");
	cfs_out_f("from: files, folders, lists of archives, collections of "
		  "WACZ files, http:, https:, s3:, names of crawls\n");
	cfs_out_f("encodings: chunked, gzip, deflate, br, zstd\n");
	print_libraries();
	return CFS_EXIT_OK;
}

const struct cfs_command cfs_cmd_version = {
	.name = "version",
	.by = CFS_BY_VERSION,
	.summary = "print the version of crawlfs and of its libraries",
	.usage =
		"crawlfs version\n\n"
		"Prints the version, what can be read from where, and the versions of the\n"
		"libraries that are linked.",
	.example = "  crawlfs version\n",
	.takes_none = true,
	.run = cmd_version_run,
};
