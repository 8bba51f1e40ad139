/* cmd_version.c - crawlfs version: the program's version and its libraries'.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define FUSE_USE_VERSION 314
#include "config.h"

#include <assert.h>
#include <brotli/decode.h>
#include <curl/curl.h>
#include <fuse_lowlevel.h>
#include <libdeflate.h>
#include <libpsl.h>
#include <nettle/version.h>
#include <pcre2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unicode/uversion.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "commands.h"
#include "output.h"
#include "pdf/pdf.h"
#include "serve/server.h"
#include "view/languages.h"

/* The formats that are read, in both forms in which they are printed. */
static const struct {
	const char *word, *text;	/* the line of text */
	const char *key, *values;	/* the member in JSON, and its array, by
					 * blanks */
} what_is_read[] = {
	{ "reads", "ARC and WARC (plain, gzip, zstd) with WAT and WET, WACZ, "
		   "SequenceFiles of 2012",
	  "archives", "arc warc wat wet wacz sequencefile" },
	{ "indexes", "crawlfs (.cfx), PB-tree, CDX and CDXJ (plain, gzip), "
		     "ZipNum",
	  "indexes", "cfx pbtree cdx cdxj zipnum" },
	{ "selections", "CSV, TSV, JSON lines and arrays (plain, gzip, zstd); "
			"Parquet and SQL with DuckDB's library",
	  "selections", "csv tsv jsonl json parquet sql" },
	{ "from", "files, folders, lists of archives, collections of WACZ "
		  "files, http:, https:, s3:, names of crawls",
	  "sources", "file folder list collection http https s3 name" },
	{ "encodings", "chunked, gzip, deflate, br, zstd",
	  "encodings", "chunked gzip deflate br zstd" },
};
#define WHAT_IS_READ (sizeof(what_is_read) / sizeof(what_is_read[0]))

#define LIBRARIES_MAX 17u

/* The libraries that the program is linked with.  A library that does not say
 * its version has an empty one. */
struct libraries {
	unsigned n;
	struct library {
		const char *name;	/* in text; in JSON in lower case */
		char version[64];
	} v[LIBRARIES_MAX];
};

static void add_library(struct libraries *l, const char *name, const char *fmt,
			...) __attribute__((format(printf, 3, 4)));
static void add_library(struct libraries *l, const char *name, const char *fmt,
			...)
{
	struct library *to = &l->v[l->n++];
	va_list ap;

	assert(l->n <= LIBRARIES_MAX);
	to->name = name;
	va_start(ap, fmt);
	vsnprintf(to->version, sizeof(to->version), fmt, ap);
	va_end(ap);
}

static void find_libraries(struct libraries *l)
{
	UVersionInfo icu;
	char icu_text[U_MAX_VERSION_STRING_LENGTH];
	PCRE2_UCHAR pcre2[64];
	unsigned brotli = BrotliDecoderVersion();
	unsigned xxh = XXH_versionNumber();

	u_getVersion(icu);
	u_versionToString(icu, icu_text);
	l->n = 0;
	add_library(l, "FUSE", "%s", fuse_pkgversion());
	add_library(l, "zlib", "%s", zlibVersion());
	add_library(l, "libdeflate", "%s", LIBDEFLATE_VERSION_STRING);
	add_library(l, "zstd", "%s", ZSTD_versionString());
	add_library(l, "brotli", "%u.%u.%u", brotli >> 24,
		    brotli >> 12 & 0xfff, brotli & 0xfff);
	add_library(l, "ICU", "%s", icu_text);
	if (pcre2_config(PCRE2_CONFIG_VERSION, pcre2) > 0)
		add_library(l, "pcre2", "%.*s",
			    (int)strcspn((char *)pcre2, " "), (char *)pcre2);
	add_library(l, "psl", "%.*s", (int)strcspn(psl_get_version(), " "),
		    psl_get_version());
	add_library(l, "uchardet", "%s", "");
	add_library(l, "nettle", "%d.%d", nettle_version_major(),
		    nettle_version_minor());
	add_library(l, "xxHash", "%u.%u.%u", xxh / 10000, xxh / 100 % 100,
		    xxh % 100);
	if (cfs_languages_finder() != NULL)
		add_library(l, "CLD2", "%s", cfs_languages_finder());
	add_library(l, "curl", "%s",
		    curl_version_info(CURLVERSION_NOW)->version);
	if (cfs_server_library() != NULL)
		add_library(l, "microhttpd", "%s", cfs_server_library());
}

/* ---- text ---------------------------------------------------------------- */

static void print_text(const struct libraries *l)
{
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);

	cfs_out_f("crawlfs %s\n", PACKAGE_VERSION);
	for (size_t i = 0; i < WHAT_IS_READ; i++)
		cfs_out_f("%s: %s\n", what_is_read[i].word,
			  what_is_read[i].text);
	cfs_out_f("languages: %s\n", cfs_languages_finder() != NULL ?
		  "those of texts are found by CLD2" :
		  "none are found, because this program was built without "
		  "CLD2");
	cfs_out_f("PDF: %s\n", cfs_pdf_version() != NULL ?
		  "texts of documents are read by poppler" :
		  "none is read, because there is no crawlfs-pdf");
	cfs_out_f("libraries:");
	for (unsigned i = 0; i < l->n; i++) {
		cfs_out_f("%s %s", i > 0 ? "," : "", l->v[i].name);
		if (l->v[i].version[0] != '\0')
			cfs_out_f(" %s", l->v[i].version);
	}
	cfs_out_f(" (%s", curl->ssl_version != NULL ? curl->ssl_version :
						      "no TLS");
	if (curl->features & CURL_VERSION_HTTP2)
		cfs_out_f(", HTTP/2");
	cfs_out_f(")\n");
	if (cfs_server_library() == NULL)
		cfs_out_f("'crawlfs serve' was left out: libmicrohttpd was not "
			  "there when crawlfs was built\n");
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_library(struct cfs_json *j, const struct library *l)
{
	CFS_BUF(key, sizeof(l->version));

	cfs_buf_add_lower(&key, cfs_slice_str(l->name));
	cfs_json_key(j, cfs_buf_slice(&key));
	if (l->version[0] == '\0')
		cfs_buf_adds(j->out, "null");
	else
		cfs_json_str(j, cfs_slice_str(l->version));
}

static int print_json(const struct libraries *l, struct cfs_error *err)
{
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	struct cfs_out_document d;

	cfs_out_document_begin(&d);
	cfs_json_put_str(&d.j, "version", CFS_SLICE_LIT(PACKAGE_VERSION));
	for (size_t i = 0; i < WHAT_IS_READ; i++)
		cfs_json_put_words(&d.j, what_is_read[i].key,
				   cfs_slice_str(what_is_read[i].values), ' ');
	cfs_json_begin(&d.j, "libraries", '{');
	for (unsigned i = 0; i < l->n; i++)
		put_library(&d.j, &l->v[i]);
	cfs_json_close(&d.j, '}');
	if (curl->ssl_version != NULL)
		cfs_json_put_str(&d.j, "tls",
				 cfs_slice_str(curl->ssl_version));
	cfs_json_put_bool(&d.j, "http2",
			  (curl->features & CURL_VERSION_HTTP2) != 0);
	cfs_json_put_bool(&d.j, "languages", cfs_languages_finder() != NULL);
	return cfs_out_document_end(&d, CFS_OK, err);
}

static int cmd_version_run(struct cfs_options *o)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct libraries l;

	find_libraries(&l);
	if (o->is_json)
		return cfs_cli_end(print_json(&l, &err), &err);
	print_text(&l);
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
