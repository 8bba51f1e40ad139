/* absent.c - a table of the objects that servers lack or refuse.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hosts.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/memo.h"

/* 4,096 objects: a crawl of Common Crawl may lack hundreds of its archives. */
#define ABSENT_BITS 12u

struct absent {
	int64_t until_ms;
	struct cfs_verdict verdict;
};

/* Made by the first note; lives as long as the process. */
static struct cfs_memo *_Atomic table;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Part of all keys: another one makes what was noted before unknown. */
static _Atomic uint64_t generation = 1;

static void make_table(void)
{
	table = cfs_memo_new(ABSENT_BITS, sizeof(struct absent));
}

static uint64_t absent_key(const char *url)
{
	return cfs_hash64(cfs_slice_str(url), generation);
}

void cfs_absent_forget(void)
{
	generation++;
}

void cfs_absent_note(const char *url, const struct cfs_verdict *v,
		     bool was_given, int64_t now_ms)
{
	struct absent a = { .verdict = *v };

	if (v->cause != CFS_CAUSE_MISSING &&
	    !(v->cause == CFS_CAUSE_FORBIDDEN && v->may_pass && !was_given))
		return;
	pthread_once(&once, make_table);
	if (table == NULL)
		return;			/* it is asked for again */
	a.until_ms = now_ms + (was_given ? CFS_ABSENT_GIVEN_MS : CFS_ABSENT_MS);
	cfs_memo_put(table, absent_key(url), &a);
}

bool cfs_absent_find(const char *url, struct cfs_verdict *v, int64_t now_ms)
{
	struct absent a;

	if (table == NULL || !cfs_memo_get(table, absent_key(url), &a) ||
	    now_ms >= a.until_ms)
		return false;
	*v = a.verdict;
	return true;
}
