/* options.h - the options of all commands, and the words after -o.
 *
 * An option is one row of the table in options.c: its name, what its value is,
 * where it is stored, who takes it and its help.  Command lines (args.c), the
 * words after -o, help texts and completion go by that table; the manual page
 * is written by hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_OPTIONS_H
#define CFS_CLI_OPTIONS_H

#include "build/pick.h"
#include "crawl/tree.h"
#include "net/http_settings.h"
#include "net/prices.h"

/* Who takes an option. */
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
	CFS_BY_COMPLETE = 1 << 29,
	CFS_BY_WORD = 1 << 30,		/* -o of mount and mount.crawlfs */
	CFS_BY_ANY = CFS_BY_WORD - 1,	/* every command */
};

/* What a value is.  The type in brackets is that of the field it goes to. */
enum cfs_option_kind {
	CFS_OPTION_FLAG,		/* none, or the word that is `value`;
					 * stores true (bool) */
	CFS_OPTION_CONSTANT,		/* none; stores max (unsigned) */
	CFS_OPTION_HELP,		/* none; prints the help */
	CFS_OPTION_COUNT,		/* min to max (unsigned) */
	CFS_OPTION_NUMBER,		/* min to max (uint64_t) */
	CFS_OPTION_SIZE,		/* 4096, 64K, 1.5G; from min
					 * (uint64_t) */
	CFS_OPTION_SIZE_OR_OFF,		/* CFS_SIZE_OFF for 0 and "off" */
	CFS_OPTION_SECONDS,		/* min to max ms (unsigned, ms) */
	CFS_OPTION_TEXT,		/* anything (const char *) */
	CFS_OPTION_LINES,		/* anything; each time a line more
					 * (struct cfs_buf) */
	CFS_OPTION_FOLDER,		/* not empty (const char *) */
	CFS_OPTION_CHOICE,		/* one of `choices`, by its number; 0 is
					 * the default (unsigned) */
	CFS_OPTION_SINCE,		/* a time (struct cfs_dates) */
	CFS_OPTION_UNTIL,
	CFS_OPTION_VIEW,		/* enum cfs_view (unsigned) */
	CFS_OPTION_VIEWS,		/* V:V... (cfs_view_set) */
	CFS_OPTION_PART,		/* K/N (struct cfs_part) */
	CFS_OPTION_PRICES,		/* REQUEST:GB (struct cfs_prices) */
	CFS_OPTION_WORDS,		/* a list as after -o */
};
#define CFS_SIZE_OFF UINT64_MAX

struct cfs_option {
	const char *name;	/* behind "--"; after -o with _ for -; or
				 * NULL */
	char letter;		/* behind "-"; or 0 */
	unsigned by;		/* bits of who takes it */
	enum cfs_option_kind kind;
	size_t at;		/* in struct cfs_options */
	uint64_t min, max;
	const char *value;	/* as help shows it; choices: "on|off" */
	const char *help;	/* a phrase; args.c breaks it into lines */
};
/* Rows in the order of help texts; one without name and letter ends them. */
extern const struct cfs_option cfs_option_table[];

/* A command line, read.  What was not given is 0 or NULL, except `views`
 * and `format`.
 * Strings borrow from the command line or belong to `kept`. */
struct cfs_options {
	const char *command;		/* its name */
	char **operands;		/* end with NULL */
	int n_operands;
	/* of commands with a SOURCE */
	struct cfs_crawl_opts crawl;	/* data, base, cache_dir, mem_bytes,
					 * max_record_bytes, dates */
	struct cfs_http_config http;	/* endpoint, timeout_ms, parallel */
	struct cfs_prices prices;	/* of mount, check */
	/* of several commands */
	const char *output;
	bool force, is_quiet;
	cfs_view_set views;
	unsigned meta;			/* 0 pretty, 1 compact */
	unsigned threads;
	/* of mount and mount.crawlfs */
	bool foreground, debug, xattr, is_fake, is_sloppy, merge, replace;
	bool is_remount, is_rw;		/* of mount.crawlfs */
	bool no_symlinks;		/* followed: nosymfollow */
	bool ignored;
	const char *ignored_text;
	unsigned missing;		/* archives: 0 refused, 1 ok */
	bool cache_group;
	const char *log;		/* FILE or a word of logs.h */
	unsigned readahead;		/* 0 on, 1 off */
	unsigned size;			/* 0 lazy, 1 exact */
	uint64_t cache_size;
	struct cfs_buf kernel;		/* words for the kernel and libfuse */
	struct cfs_buf own_words;	/* crawlfs's own after -o, a line each,
					 * URLs without their queries */
	struct cfs_error unknown_word;	/* of mount.crawlfs: -s forgives it */
	/* of index */
	unsigned format;		/* enum cfs_index_format; UNKNOWN: as
					 * the name says */
	unsigned shards;		/* 0: by size */
	uint64_t sort_bytes;
	const char *names_base;
	unsigned no_view_sizes;
	bool is_update;
	bool no_joins;
	struct cfs_pick_opts pick;	/* all but prefixes */
	struct cfs_buf prefixes;	/* a line each */
	const char *sql;
	struct cfs_buf sql_folders;	/* a line each */
	/* of ls, cat, lookup */
	bool is_long, is_recursive;
	unsigned view;			/* CFS_VIEW_NONE: as the target says */
	uint64_t limit;			/* 0: none */
	const char *closest;
	/* of verify */
	const char *report;
	/* of copy, umount, cache, collections */
	const char *tmp, *collinfo;
	bool skip_other, keep_going, is_abort, is_lazy, drop;

	struct cfs_kept *kept;		/* strings made on the way */
};

void cfs_options_init(struct cfs_options *o);
void cfs_options_release(struct cfs_options *o);

/* Takes over a malloced string; NULL (and NULL back) if there is no memory. */
const char *cfs_options_keep(struct cfs_options *o, char *text);

/* The option that a word after -o names (`name`, with _ for -); or NULL. */
const struct cfs_option *cfs_option_of_word(struct cfs_slice name);

/* The words for the kernel and libfuse; NULL behind the last.  A `*` stands for
 * anything. */
const char *cfs_kernel_word(size_t i);

static inline bool cfs_option_has_value(const struct cfs_option *row)
{
	return row->kind >= CFS_OPTION_COUNT;
}

/*
 * Stores a value; text is NULL for an option without one.  `typed` is the
 * option as messages name it ("--mem" or "mem").  WORDS and HELP are the
 * caller's.  0 or CFS_EUSAGE.
 */
int cfs_option_take(struct cfs_options *o, const struct cfs_option *row,
		    const char *typed, const char *text, struct cfs_error *err);

/*
 * Takes a list "WORD,WORD=VALUE,..."; `\,` is a comma inside a value.  Words
 * for the kernel and libfuse go to o->kernel.
 *
 * for_helper  as mount(8) calls: `rw` is accepted without effect, and the
 *             first unknown word is left in o->unknown_word
 *
 * 0; CFS_EUSAGE naming the word; CFS_ENOMEM.
 */
int cfs_mount_words_take(struct cfs_options *o, const char *list,
			 bool for_helper, struct cfs_error *err);

#endif
