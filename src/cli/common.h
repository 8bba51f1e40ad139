/* common.h - what every command needs: options, messages, signals, sources.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_COMMON_H
#define CFS_CLI_COMMON_H

#include <getopt.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/log.h"
#include "crawl/crawl.h"
#include "net/http.h"

/* Exit statuses of the program. */
enum {
	CFS_EXIT_OK = 0,
	CFS_EXIT_FAILURE = 1,
	CFS_EXIT_USAGE = 2,
	CFS_EXIT_INTERRUPTED = 130,	/* as a shell says of SIGINT */
};

struct cfs_command {
	const char *name;
	const char *summary;	/* one line, for `crawlfs help` */
	const char *help;	/* usage, options, example */
	/* argv[0] is the command's name.  Returns the exit status. */
	int (*run)(const struct cfs_command *cmd, int argc, char **argv);
};

/* ---- messages --------------------------------------------------------- */

/* One line on stderr, "crawlfs: ...", safe for terminals. */
void cfs_cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Wrong arguments: says what, and where help is.  Returns CFS_EXIT_USAGE. */
int cfs_cli_usage(const struct cfs_command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints a library's error and returns the exit status for `code`. */
int cfs_cli_fail(int code, const struct cfs_error *err);
/* The library's notices of that level and graver ones go to stderr. */
void cfs_cli_log_to_stderr(enum cfs_log_level up_to);

/* ---- options ---------------------------------------------------------- */

/* Values of long options of all commands. */
enum {
	CFS_OPT_END = -1,
	CFS_OPT_STOP = -2,	/* return cfs_args.status */
	CFS_OPT_FIRST = 256,
	CFS_OPT_DATA = CFS_OPT_FIRST, CFS_OPT_CACHE, CFS_OPT_MEM,
	CFS_OPT_MAX_RECORD, CFS_OPT_BASE, CFS_OPT_ENDPOINT, CFS_OPT_TIMEOUT,
	CFS_OPT_PARALLEL,
	CFS_OPT_OWN		/* a command's own begin here */
};

struct cfs_args {
	const struct cfs_command *cmd;
	int argc;
	char **argv;
	const char *shorts;	/* begins with ':' and holds h */
	const struct option *longs;
	int status;		/* after CFS_OPT_STOP */
};

/* The next option, its value in optarg; CFS_OPT_END, then operands begin at
 * optind; CFS_OPT_STOP when help or a complaint has been printed. */
int cfs_args_next(struct cfs_args *a);

/* A count of bytes: 4096, 64K, 1.5G (powers of 1024).  False if it is none. */
bool cfs_cli_parse_bytes(const char *text, uint64_t *out);
/* A whole number, 1 or more.  False if it is none or beyond max. */
bool cfs_cli_parse_count(const char *text, uint64_t max, uint64_t *out);

/* ---- signals ---------------------------------------------------------- */

/* From here on SIGINT, SIGTERM or SIGHUP raises the token that is returned;
 * the third one ends the program at once. */
const struct cfs_cancel *cfs_cli_catch_signals(void);
/* Gives them back their usual effect. */
void cfs_cli_release_signals(void);

/* ---- sources ---------------------------------------------------------- */

/* Options of all commands that take a SOURCE. */
struct cfs_source_args {
	struct cfs_crawl_opts opts;
	struct cfs_http_config http;
};
#define CFS_NETWORK_LONGS \
	{ "endpoint", required_argument, NULL, CFS_OPT_ENDPOINT }, \
	{ "timeout", required_argument, NULL, CFS_OPT_TIMEOUT }, \
	{ "parallel", required_argument, NULL, CFS_OPT_PARALLEL }
#define CFS_NETWORK_HELP \
	"      --endpoint=URL     where s3: URLs are asked for (AWS_ENDPOINT_URL)\n" \
	"      --timeout=SECONDS  of one read over the network (60)\n" \
	"      --parallel=N       requests at a time to one server (64; 8 to Common\n" \
	"                         Crawl's)\n"
#define CFS_SOURCE_LONGS \
	{ "data", required_argument, NULL, CFS_OPT_DATA }, \
	{ "cache", required_argument, NULL, CFS_OPT_CACHE }, \
	{ "mem", required_argument, NULL, CFS_OPT_MEM }, \
	{ "max-record", required_argument, NULL, CFS_OPT_MAX_RECORD }, \
	{ "base", required_argument, NULL, CFS_OPT_BASE }, \
	CFS_NETWORK_LONGS, \
	{ "help", no_argument, NULL, 'h' }
#define CFS_SOURCE_HELP \
	"      --data=DIR         where the archives of an index are\n" \
	"      --cache=DIR        where indexes made on first use, and what is\n" \
	"                         read of remote crawls, are kept\n" \
	"      --mem=SIZE         memory for index blocks and records (256M)\n" \
	"      --max-record=SIZE  refuse records larger than this (1G)\n" \
	"      --base=DIR         folder or URL of a copy of Common Crawl's data, for\n" \
	"                         crawls given by name and lists of archives\n" \
	CFS_NETWORK_HELP \
	"  -h, --help             this text\n"

/* Takes one of the options above.  False: it is another, or its value is
 * wrong (then a->status is set and the complaint printed). */
bool cfs_source_args_take(struct cfs_source_args *s, struct cfs_args *a, int c);

/* Less memory than this for blocks and records is a slip of the fingers. */
#define CFS_CLI_MEM_MIN (UINT64_C(1) << 20)

/* The folders that are named, where they are on this machine, are there?
 * CFS_ENOTFOUND, CFS_EIO. */
int cfs_cli_check_folders(const struct cfs_crawl_opts *o,
			  struct cfs_error *err);

/* Makes what the options say of the network hold for the process. */
int cfs_source_args_use(const struct cfs_source_args *s, struct cfs_error *err);

/* A time in whole seconds, as milliseconds.  False if it is none. */
bool cfs_cli_parse_seconds(const char *text, unsigned *out_ms);

/* Opens a SOURCE, showing progress when it is indexed first.  Prints what
 * goes wrong.  0 or the exit status. */
int cfs_cli_open(struct cfs_crawl **out, const char *source,
		 const struct cfs_source_args *s);

/* A path made absolute without following links; malloced, NULL without
 * memory. */
char *cfs_cli_absolute(const char *path);

#endif
