/* summary.h - counts what an index contains, in one pass and in bounded memory:
 * captures by host, type, status, language and year; no archive is read.
 *
 * Keys that begin with the same bytes follow each other, so a host, or a
 * domain, is done with once a key does not begin with its bytes: the numbers
 * and counts of hosts and domains are exact however many there are.  (Keys of
 * other hosts may come in between: those of com,example-x between com,example
 * and its port com,example:8080.)  Types and languages are few in real crawls;
 * in others, tally.c bounds them.
 *
 * Memory: 30 MiB for each thread, unless names of hosts are thousands of bytes
 * long.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_SUMMARY_H
#define CFS_SUMMARY_SUMMARY_H

#include "base/progress.h"
#include "index/index_walk.h"
#include "suffixes.h"
#include "words/words.h"

/* The most rows of domains, of hosts, and of records. */
#define CFS_SUMMARY_TOP_MAX 1000u

struct cfs_summary_opts {
	unsigned threads;		/* 0: one for each processor */
	size_t top;			/* rows of domains, hosts and records;
					 * at most CFS_SUMMARY_TOP_MAX */
	const struct cfs_suffixes *suffixes;	/* borrowed; NULL: the plain
						 * rule */
	struct cfs_holes *holes;	/* told what cannot be read, and is not
					 * counted; NULL: it is a failure */
	/* Called about ten times a second, on the calling thread, with captures
	 * and share.  May be NULL. */
	cfs_progress_fn *progress;
	void *arg;
};

/* The months of a crawl that is short. */
#define CFS_SUMMARY_MONTHS_MAX 24u

/* The properties that captures are counted by. */
enum cfs_summary_by {
	CFS_SUMMARY_DOMAIN,
	CFS_SUMMARY_HOST,
	CFS_SUMMARY_TYPE,
	CFS_SUMMARY_STATUS,
	CFS_SUMMARY_LANGUAGE,
	CFS_SUMMARY_YEAR,
	CFS_SUMMARY_BYS
};

/* The key of captures of which the index does not know it. */
#define CFS_SUMMARY_UNKNOWN CFS_SLICE_LIT("unknown")

struct cfs_summary_row {
	struct cfs_slice key;		/* example.com, text/html, 404, deu,
					 * 2024; not empty; any bytes */
	uint64_t captures, bytes;
	uint64_t pages;			/* of domains and hosts; else 0 */
	uint64_t lacks;			/* captures that may not be counted */
};

/* Rows: most captures first, equal ones in the order of the index or of their
 * keys; years ascend. */
struct cfs_summary_group {
	struct cfs_summary_row *v;
	size_t n;
	uint64_t keys;			/* different ones, n or more */
	uint64_t lacks;			/* captures that each key without a row
					 * may have at most; 0 if there are rows
					 * for all, or only a number of them was
					 * asked for */
};

/* One of the largest records. */
struct cfs_summary_record {
	uint64_t bytes;			/* as it is stored */
	int64_t time;			/* Unix seconds; 0: not known */
	uint16_t status;		/* 0: not known */
	uint64_t offset;
	struct cfs_slice url, mime, archive;	/* may be empty */
};

/* Slices belong to the summary. */
struct cfs_summary {
	uint64_t captures, pages, hosts, domains;
	uint64_t bytes;			/* of records, as they are stored */
	uint64_t without_bytes;		/* captures whose length the index does
					 * not know */
	uint64_t body_bytes, bodies;	/* of captures whose exact size the
					 * index has; their number */
	int64_t first, last;		/* times; 0 if no capture has one */
	bool strips_www;		/* hosts lack their "www." */
	bool has_suffixes;		/* domains are those of the public
					 * suffix list */
	int64_t suffixes_time;		/* the date of that list */
	struct cfs_summary_group by[CFS_SUMMARY_BYS];
	/* By month, "2024-03"; keys is 0 if there are more than
	 * CFS_SUMMARY_MONTHS_MAX between the first and the last one. */
	struct cfs_summary_group months;
	struct cfs_summary_record *largest;
	size_t n_largest;
	/* Different words of its texts, and the captures that have each; keys
	 * is 0 if there is no list of words. */
	struct cfs_summary_group words;
	struct cfs_buf text, words_text;	/* the keys' bytes */
};

/*
 * Makes a summary of all captures that an index shows.
 *
 * 0; failures of reading the index; CFS_EINTR; CFS_ENOMEM.
 */
int cfs_summary_make(struct cfs_summary **out, struct cfs_index *ix,
		     const struct cfs_summary_opts *opts, struct cfs_ctx ctx);

/* Adds what a list of words says of all captures of an index: `top` rows at
 * most.  Failures as of cfs_words_next. */
int cfs_summary_words(struct cfs_summary *s, struct cfs_words *list, size_t top,
		      struct cfs_ctx ctx);
void cfs_summary_free(struct cfs_summary *s);		/* accepts NULL */

/* The name of what captures are counted by: "domain", "host", ... */
const char *cfs_summary_by_name(enum cfs_summary_by by);

#endif
