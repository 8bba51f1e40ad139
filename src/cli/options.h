/* options.h - the options of all commands, and the words after -o.
 *
 * An option is one row of the table in options.c: its name, the kind of its
 * value, the field that stores it, the commands that take it, and its help.
 * Command lines (args.c), the words after -o, help texts and completion are all
 * driven by that table; the manual pages are written by hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OPTIONS_H
#define CFS_CLI_OPTIONS_H

#include "crawl/tree.h"
#include "index/conditions.h"
#include "net/http_settings.h"

/* Bits for the commands that take an option. */
enum {
	CFS_BY_MOUNT = 1 << 0,
	CFS_BY_MOUNT_HELPER = 1 << 1,
	CFS_BY_UMOUNT = 1 << 2,
	CFS_BY_INDEX = 1 << 3,
	CFS_BY_LS = 1 << 4,
	CFS_BY_CAT = 1 << 5,
	CFS_BY_LOOKUP = 1 << 6,
	CFS_BY_PATH = 1 << 7,
	CFS_BY_URL = 1 << 8,
	CFS_BY_CHECK = 1 << 9,
	CFS_BY_COPY = 1 << 10,
	CFS_BY_CACHE = 1 << 11,
	CFS_BY_COLLECTIONS = 1 << 12,
	CFS_BY_VERSION = 1 << 13,
	CFS_BY_HELP = 1 << 14,
	CFS_BY_VERIFY = 1 << 15,
	CFS_BY_EXPORT = 1 << 16,
	CFS_BY_GREP = 1 << 17,
	CFS_BY_SERVE = 1 << 18,
	CFS_BY_SUMMARY = 1 << 19,
	CFS_BY_MCP = 1 << 21,
	CFS_BY_COMPLETE = 1 << 29,
	CFS_BY_WORD = 1 << 30,		/* -o of mount and mount.crawlfs */
	CFS_BY_ANY = CFS_BY_WORD - 1,	/* every command */
	/* Those whose operands behind the SOURCE are prefixes. */
	CFS_BY_PREFIXES = CFS_BY_LS | CFS_BY_LOOKUP | CFS_BY_CHECK |
			  CFS_BY_COPY | CFS_BY_VERIFY | CFS_BY_EXPORT |
			  CFS_BY_SUMMARY,
};

/* Kinds of values, with the type of the field that stores them in brackets. */
enum cfs_option_kind {
	CFS_OPTION_FLAG,		/* none, or the word in `value`; stores
					 * true (bool) */
	CFS_OPTION_CONSTANT,		/* none; stores max (unsigned) */
	CFS_OPTION_HELP,		/* none; prints the help */
	CFS_OPTION_WHEN,		/* none, which stores "auto", or
					 * anything (const char *) */
	CFS_OPTION_COUNT,		/* min to max (unsigned) */
	CFS_OPTION_NUMBER,		/* min to max (uint64_t) */
	CFS_OPTION_SIZE,		/* 4096, 64K, 1.5G; from min
					 * (uint64_t) */
	CFS_OPTION_SIZE_OR_OFF,		/* CFS_SIZE_OFF for 0 and "off" */
	CFS_OPTION_SECONDS,		/* min to max ms (unsigned, ms) */
	CFS_OPTION_TEXT,		/* anything (const char *) */
	CFS_OPTION_LINES,		/* anything; each use appends a line
					 * (struct cfs_buf) */
	CFS_OPTION_FOLDER,		/* not empty (const char *) */
	CFS_OPTION_CHOICE,		/* one of `choices`, as its number; 0 is
					 * the default (unsigned) */
	CFS_OPTION_SINCE,		/* a time (struct cfs_conditions) */
	CFS_OPTION_UNTIL,
	CFS_OPTION_STATUS,		/* lists (struct cfs_conditions) */
	CFS_OPTION_MIME,
	CFS_OPTION_LANGUAGE,
	CFS_OPTION_VIEW,		/* enum cfs_view (unsigned) */
	CFS_OPTION_VIEWS,		/* V:V... (cfs_view_set) */
	CFS_OPTION_PART,		/* K/N (struct cfs_part) */
	CFS_OPTION_WORDS,		/* a list like that after -o */
};
#define CFS_SIZE_OFF UINT64_MAX

/* Does an option of `index` change what a part of an index holds (--part)?  A
 * row of `index` states one of the last two; tests/unit/options_test.c fails if
 * it states none. */
enum cfs_option_seal {
	CFS_SEAL_UNSTATED,		/* not an option of `index` */
	CFS_SEAL_NO,			/* how a part is made, not what is in
					 * it */
	CFS_SEAL_YES,			/* parts that differ in it are not of
					 * one index */
};

struct cfs_option {
	const char *name;	/* after "--"; after -o with _ for -; or NULL */
	char letter;		/* after "-"; or 0 */
	unsigned by;		/* bits of the commands that take it */
	enum cfs_option_kind kind;
	size_t at;		/* offset of its field in struct cfs_options */
	uint64_t min, max;
	const char *value;	/* its placeholder in help; choices: "on|off" */
	enum cfs_option_seal seal;
	const char *help;	/* a phrase; shown by cfs_view_lists_expand, and
				 * broken into lines by args.c */
};
/* Rows in the order of help texts; one without name and letter ends them. */
extern const struct cfs_option cfs_option_table[];

/* A parsed command line.  Options not given are 0 or NULL, except `views` and
 * `format`.  Strings borrow from the command line or belong to `kept`. */
struct cfs_options {
	const char *command;		/* the command's name */
	char **operands;		/* ended by NULL */
	int n_operands;
	int n_typed;			/* the rest are those of --prefix */
	char **own_operands;		/* malloced, if operands were added;
					 * else NULL */
	/* for commands with a SOURCE */
	struct cfs_crawl_opts crawl;	/* data, base, cache_dir, mem_bytes,
					 * max_record_bytes, ... */
	struct cfs_http_config http;	/* endpoint, timeout_ms, parallel */
	/* for commands with captures to pick, and index */
	struct cfs_conditions conditions;
	struct cfs_buf prefixes;	/* one a line */
	/* for several commands */
	const char *output;
	bool force, is_quiet, is_json;
	cfs_view_set views;
	unsigned meta;			/* 0 pretty, 1 compact */
	unsigned threads;
	/* for mount and mount.crawlfs */
	bool foreground, debug, xattr, is_fake, is_sloppy, merge, replace;
	bool is_remount, is_rw;		/* for mount.crawlfs */
	bool no_symlinks;		/* mount with nosymfollow */
	bool ignored;
	const char *ignored_text;
	unsigned missing;		/* missing archives: 0 refuse, 1
					 * accept */
	bool cache_group;
	const char *log;		/* FILE or a word of logs.c */
	unsigned readahead;		/* 0 on, 1 off */
	unsigned size;			/* 0 lazy, 1 exact */
	unsigned absent_is_empty;	/* 0 error, 1 empty */
	unsigned names_escaped;		/* 0 bytes, 1 escaped */
	uint64_t cache_size;
	struct cfs_buf kernel;		/* words passed to the kernel and
					 * libfuse */
	struct cfs_buf own_words;	/* crawlfs's own words after -o, one a
					 * line, URLs without their queries */
	struct cfs_error unknown_word;	/* for mount.crawlfs: forgiven with
					 * -s */
	/* for index */
	unsigned format;		/* enum cfs_index_format; UNKNOWN: by
					 * the name */
	unsigned shards;		/* 0: by size */
	uint64_t sort_bytes;
	const char *names_base;
	unsigned no_view_sizes;
	bool markdown_sizes;
	bool keeps_languages, keeps_digests, keeps_simhash;
	bool is_update;
	bool no_joins;
	const char *sql;
	struct cfs_buf sql_folders;	/* one a line */
	/* for ls, cat, lookup */
	bool is_long, is_recursive;
	unsigned view;			/* CFS_VIEW_NONE: by the target */
	uint64_t limit;			/* 0: none */
	const char *closest, *near_url;
	unsigned near_bits;
	unsigned lines;			/* 0: by where they go; 1 CDXJ, 2 a
					 * table */
	/* for verify */
	const char *report;
	/* for export */
	const char *fields;		/* names with commas; NULL: the usual */
	const char *rows;		/* the name of a format; NULL: by
					 * `output` */
	unsigned order;			/* 0: the usual; enum of its row */
	unsigned wet_text;		/* likewise */
	unsigned compression;		/* enum cfs_parquet_codec */
	struct cfs_buf picked;		/* the options given that decide which
					 * rows there are, with blanks */
	uint64_t file_bytes;		/* 0: the usual */
	unsigned errors_are_ok;		/* 0 a failure, 1 none */
	bool nulls, skip_complete;
	/* for verify */
	bool is_strict;
	/* for grep; NULL: not given */
	struct cfs_buf patterns, pattern_files;	/* one a line */
	unsigned syntax;		/* enum cfs_expression_syntax */
	unsigned list;			/* enum cfs_grep_list */
	unsigned binary;		/* enum cfs_grep_binary */
	const char *max_count, *after, *before, *context, *color;
	const char *group_separator;
	bool no_separator, ignores_case, is_word, is_line, inverts, counts;
	bool only_matching, has_numbers, has_offsets, hides_errors;
	bool nul_after_names, has_urls;
	unsigned no_names;
	/* for serve */
	const char *listen, *base_url, *replay_url;
	uint64_t download_bytes;	/* 0: the usual; CFS_SIZE_OFF */
	/* for summary */
	unsigned top;			/* 0: the usual */
	const char *html, *suffixes;
	/* for copy, umount, cache, collections */
	const char *tmp, *collinfo;
	bool convert, skip_other, keep_going, is_abort, is_lazy, drop;
	unsigned copies_captures_only;	/* 0 all, 1 captures */

	struct cfs_kept *kept;		/* owns strings made while parsing */
};

void cfs_options_init(struct cfs_options *o);
void cfs_options_release(struct cfs_options *o);

/* Takes over a malloced string and returns it; NULL if that is NULL or memory
 * runs out. */
const char *cfs_options_keep(struct cfs_options *o, char *text);

/* Finds the option that a word after -o names (`name`, with _ for -); or
 * NULL. */
const struct cfs_option *cfs_option_of_word(struct cfs_slice name);

/* The i-th word that is passed to the kernel and libfuse; NULL past the last.
 * A `*` stands for anything. */
const char *cfs_kernel_word(size_t i);

static inline bool cfs_option_has_value(const struct cfs_option *row)
{
	return row->kind >= CFS_OPTION_COUNT;
}

/*
 * Stores a value; text is NULL for an option without one.  `typed` is the
 * option as messages name it ("--mem" or "mem").  The caller handles WORDS and
 * HELP itself.  0 or CFS_EUSAGE.
 */
int cfs_option_take(struct cfs_options *o, const struct cfs_option *row,
		    const char *typed, const char *text, struct cfs_error *err);

/*
 * Parses a list "WORD,WORD=VALUE,..."; `\,` is a comma inside a value.  Words
 * for the kernel and libfuse go to o->kernel.
 *
 * for_helper  called by mount(8): `rw` is accepted without effect, and the
 *             first unknown word is left in o->unknown_word
 *
 * Returns 0; CFS_EUSAGE naming the word; CFS_ENOMEM.
 */
int cfs_mount_words_take(struct cfs_options *o, const char *list,
			 bool for_helper, struct cfs_error *err);

/*
 * Appends the name and the value of every option of `index` that the table
 * marks as sealed, given or not.  Two command lines whose parts may be merged
 * append the same bytes, all others different ones.  Failures are kept in
 * out->failed: CFS_ENOMEM, or CFS_ELIMIT past the ceiling of `out`.
 */
void cfs_options_seal(const struct cfs_options *o, struct cfs_buf *out);

/* ---- lists of views for help texts and messages (view_lists.c) ---- */

/*
 * Appends text, with a list of views in place of each word in braces:
 *
 *     {all}        the names of all views: a, b and c
 *     {own}        those of views that are not related records: a, b or c
 *     {explained}  the same, each with what it is: a (the body), b (JSON)
 *     {related}    the names of the others: a, b, c
 *
 * Failures are recorded in out.
 */
void cfs_view_lists_expand(struct cfs_buf *out, const char *text);

#endif
