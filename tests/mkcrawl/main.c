/* main.c - crawlfs-mkcrawl: a made-up web crawl of any size.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "pbout.h"
#include "writer.h"

#define ARC_START "20120905120000"
#define WARC_START "20240220211055"

static const char usage_text[] =
"usage: crawlfs-mkcrawl [--arc] [--warc] [OPTION...] FOLDER\n"
"\n"
"Writes a made-up web crawl below FOLDER, the same bytes for the same options:\n"
"archives, and manifest.tsv, which tells for each capture the URL, kind, time,\n"
"status, archive, offset, length, and the SHA-1 and length of the body that a\n"
"reader should see.\n"
"\n"
"  --arc               parse-output/segment/ID/MS_P.arc.gz, as in 2012\n"
"  --warc              crawl-data/.../NAME.warc.gz; the default is both\n"
"  --pbtree            with --arc: parse-output/url-index.1356128792 for them\n"
"  --plain             no compression\n"
"  --records N         captures, 1 to 10000000 (default 1000)\n"
"  --seed N            another crawl for each number (default 1)\n"
"  --hosts N           hosts (default: one for 60 captures)\n"
"  --shape web         Zipf hosts, directories of all depths (default)\n"
"  --shape flat        one directory of N pages\n"
"  --shape dirs=D      N pages in D directories of one host\n"
"  --pages-per-dir N   mean, in shape web (default 12)\n"
"  --page-bytes N      mean body size (default: median 15000, up to 1 MB)\n"
"  --hostile PERCENT   of odd URLs (default 10; 0 in the other shapes)\n"
"  --archive-bytes N   begin a new archive after that many (default 100000000)\n"
"  --level N           of compression, 1 to 12 (default 6)\n"
"  --bare              in WARC, no requests, metadata and dns: records\n"
"  --start TIME        of the first capture, YYYYMMDDhhmmss\n"
"  --arc-short N       ARC lengths too short by N bytes (2012-07: 3; 2009: 1)\n"
"  --urls FILE         take the URLs from FILE, one a line; \\xNN is a byte;\n"
"                      after TABs may follow time, status, and kind (response,\n"
"                      resource, revisit, conversion)\n"
"  --help              this text\n";

void mk_die(const char *fmt, ...)
{
	va_list ap;

	fputs("crawlfs-mkcrawl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

void mk_check(const struct cfs_buf *b)
{
	if (b->failed != CFS_OK)
		mk_die("out of memory");
}

_Noreturn static void usage_error(const char *what, const char *which)
{
	fprintf(stderr, "crawlfs-mkcrawl: %s '%s' (see --help)\n", what, which);
	exit(2);
}

enum { OPT_ARC = 256, OPT_WARC, OPT_PBTREE, OPT_PLAIN, OPT_RECORDS, OPT_SEED,
       OPT_HOSTS, OPT_SHAPE, OPT_PAGES_PER_DIR, OPT_PAGE_BYTES, OPT_HOSTILE,
       OPT_ARCHIVE_BYTES, OPT_LEVEL, OPT_BARE, OPT_START, OPT_ARC_SHORT,
       OPT_URLS, OPT_HELP };

static const struct option options[] = {
	{ "arc", no_argument, NULL, OPT_ARC },
	{ "warc", no_argument, NULL, OPT_WARC },
	{ "pbtree", no_argument, NULL, OPT_PBTREE },
	{ "plain", no_argument, NULL, OPT_PLAIN },
	{ "records", required_argument, NULL, OPT_RECORDS },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "hosts", required_argument, NULL, OPT_HOSTS },
	{ "shape", required_argument, NULL, OPT_SHAPE },
	{ "pages-per-dir", required_argument, NULL, OPT_PAGES_PER_DIR },
	{ "page-bytes", required_argument, NULL, OPT_PAGE_BYTES },
	{ "hostile", required_argument, NULL, OPT_HOSTILE },
	{ "archive-bytes", required_argument, NULL, OPT_ARCHIVE_BYTES },
	{ "level", required_argument, NULL, OPT_LEVEL },
	{ "bare", no_argument, NULL, OPT_BARE },
	{ "start", required_argument, NULL, OPT_START },
	{ "arc-short", required_argument, NULL, OPT_ARC_SHORT },
	{ "urls", required_argument, NULL, OPT_URLS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 }
};

static uint64_t number(const char *s, uint64_t min, uint64_t max)
{
	uint64_t v;

	if (cfs_slice_parse_u64(cfs_slice_str(s), max, &v) != CFS_OK || v < min)
		usage_error("not a number in range:", s);
	return v;
}

static void set_shape(struct mk_config *c, const char *s)
{
	if (strcmp(s, "web") == 0) {
		c->shape = MK_SHAPE_WEB;
	} else if (strcmp(s, "flat") == 0) {
		c->shape = MK_SHAPE_FLAT;
	} else if (strncmp(s, "dirs=", 5) == 0) {
		c->shape = MK_SHAPE_DIRS;
		c->dirs = number(s + 5, 1, MK_RECORDS_MAX);
	} else {
		usage_error("no such shape:", s);
	}
}

#define HOSTILE_DEFAULT 101u

static void set_option(struct mk_config *c, int opt, const char *arg)
{
	switch (opt) {
	case OPT_ARC: c->arc = true; break;
	case OPT_WARC: c->warc = true; break;
	case OPT_PBTREE: c->pbtree = true; break;
	case OPT_PLAIN: c->plain = true; break;
	case OPT_BARE: c->bare = true; break;
	case OPT_RECORDS:
		c->records = number(arg, MK_RECORDS_MIN, MK_RECORDS_MAX); break;
	case OPT_SEED: c->seed = number(arg, 0, UINT64_MAX); break;
	case OPT_HOSTS: c->hosts = number(arg, 1, MK_HOSTS_MAX); break;
	case OPT_SHAPE: set_shape(c, arg); break;
	case OPT_PAGES_PER_DIR: c->pages_per_dir = number(arg, 1, 1u << 30); break;
	case OPT_PAGE_BYTES: c->page_bytes = number(arg, 1, MK_BODY_MAX); break;
	case OPT_HOSTILE: c->hostile = (unsigned)number(arg, 0, 100); break;
	case OPT_ARCHIVE_BYTES:
		c->archive_bytes = number(arg, 1, UINT64_MAX); break;
	case OPT_LEVEL: c->level = (unsigned)number(arg, 1, 12); break;
	case OPT_ARC_SHORT: c->arc_short = (unsigned)number(arg, 0, 3); break;
	case OPT_URLS: c->urls = arg; break;
	case OPT_START:
		if (cfs_time_parse_14(cfs_slice_str(arg), &c->start) != CFS_OK)
			usage_error("not a time:", arg);
		break;
	case OPT_HELP:
		fputs(usage_text, stdout);
		exit(0);
	default:
		fputs("crawlfs-mkcrawl: see --help\n", stderr);
		exit(2);
	}
}

static void read_options(struct mk_config *c, int argc, char **argv)
{
	int opt;

	*c = (struct mk_config){ .seed = 1, .records = 1000,
				 .pages_per_dir = 12, .level = 6,
				 .archive_bytes = 100000000,
				 .hostile = HOSTILE_DEFAULT };
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		set_option(c, opt, optarg);
	if (argc - optind != 1) {
		fputs(usage_text, stderr);
		exit(2);
	}
	c->out = argv[optind];
	if (!c->arc && !c->warc)
		c->arc = c->warc = true;
	if (c->pbtree && (!c->arc || c->plain))
		usage_error("a PB-tree needs", "--arc without --plain");
	if (c->hostile == HOSTILE_DEFAULT)
		c->hostile = c->shape == MK_SHAPE_WEB ? 10 : 0;
}

struct totals {
	uint64_t records, files, bytes, skipped;
};

/* All captures in one format. */
static void write_crawl(const struct mk_config *all, bool warc,
			const struct mk_words *words,
			struct mk_manifest *manifest, struct totals *t)
{
	struct mk_config cfg = *all;
	struct mk_writer w = { .cfg = &cfg, .words = words, .manifest = manifest };
	struct mk_urls urls;
	struct mk_plan plan;

	if (cfg.start == 0)
		cfs_time_parse_14(cfs_slice_str(warc ? WARC_START : ARC_START),
				  &cfg.start);
	mk_urls_init(&urls, &cfg, words);
	w.urls = &urls;
	if (cfg.urls != NULL && urls.n_lines < cfg.records)
		cfg.records = urls.n_lines;
	mk_archive_init(&w.archive, &cfg, !warc);
	mk_message_init(&w.msg);
	mk_message_init(&w.other);
	mk_plan_init(&w.target);
	mk_plan_init(&plan);
	cfs_buf_init(&w.record, MK_BUF_MAX);
	if (cfg.pbtree && !warc)
		w.pb = mk_pbout_new(&cfg);

	for (uint64_t n = 0; n < cfg.records; n++) {
		if (!mk_plan_make(&plan, &urls, n, warc))
			t->skipped++;
		else if (warc)
			mk_warc_capture(&w, &plan);
		else
			mk_arc_capture(&w, &plan);
	}

	if (w.pb != NULL)
		mk_pbout_finish(w.pb);
	t->records += w.records;
	t->files += w.archive.number;
	mk_archive_release(&w.archive);
	t->bytes += w.archive.bytes;
	cfs_buf_release(&w.record);
	mk_plan_release(&plan);
	mk_plan_release(&w.target);
	mk_message_release(&w.msg);
	mk_message_release(&w.other);
	mk_urls_release(&urls);
}

int main(int argc, char **argv)
{
	struct mk_config cfg;
	struct mk_words *words;
	struct mk_manifest manifest;
	struct totals t = { 0 };

	read_options(&cfg, argc, argv);
	if (cfg.urls != NULL)	/* as many as there are lines */
		cfg.records = MK_RECORDS_MAX;
	words = mk_words_new(cfg.seed);
	mk_manifest_open(&manifest, &cfg);
	if (cfg.arc)
		write_crawl(&cfg, false, words, &manifest, &t);
	if (cfg.warc)
		write_crawl(&cfg, true, words, &manifest, &t);
	mk_manifest_close(&manifest);
	mk_words_free(words);
	printf("captures %" PRIu64 ", records %" PRIu64 ", archives %" PRIu64
	       ", archive bytes %" PRIu64 ", body bytes %" PRIu64
	       ", URLs left out %" PRIu64 "\n",
	       manifest.captures, t.records, t.files, t.bytes,
	       manifest.body_bytes, t.skipped);
	if (fflush(stdout) != 0 || ferror(stdout))
		mk_die("cannot write: %s", strerror(errno));
	return 0;
}
